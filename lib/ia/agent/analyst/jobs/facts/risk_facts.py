"""How much securities swing: which of several, or of what is held, is the riskier one."""

import re
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import SESSIONS, TimeSpan
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import load_spans, period_of
from ia.agent.analyst.jobs.facts.held import load_held
from ia.agent.analyst.jobs.facts.period_facts import value_of
from ia.agent.analyst.jobs.facts.price_facts import INDEX_OF
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.patterns import pattern

MOST = 8
_YEAR, _SWING = 250, 60
_SAFER = pattern(
    r"安全|稳|(?:风险|波动)(?:更|最|比较|较)?[小低]|\b(?:saf(?:er|est)|less risky|least risky|lower risk)\b", re.I
)


_LEAST = pattern(
    r"最[小低少浅稳近]|\b(?:least|lowest|smallest|shallowest|calmest|closest|nearest|lower|smaller)\b", re.I
)
_BETA = pattern(r"贝塔|\bbeta\b|β", re.I)
_OFF_HIGH = pattern(
    r"(?:离|距|从|比|较)[^，,。]{0,4}(?:高点|高位|最高|前高)"
    r"|\b(?:its|their|the) (?:\w+[- ]){0,2}?(?:highs?|peaks?|tops?)\b",
    re.I,
)
_DRAWDOWN = pattern(r"回撤|\bdraw-?downs?\b", re.I)


class _Risk(NamedTuple):
    """The risk of a security in per cent; beta None where there is none to its index."""

    name: str
    swing: float
    fall: float
    off: float
    beta: float | None


def answer_riskier(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which of several securities, or of what is held, swings more: volatility, largest drawdown and beta."""
    speak, mentions, left = desk.speak, list(asked.securities), 0
    if asked.spans:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    if not mentions:
        loaded = yield from load_held(desk, asked)
        if isinstance(loaded, Reply):
            return loaded
        mentions = [Mention(symbol_of_kind(symbol), symbol) for symbol, _ in loaded[1]]
    left, mentions = max(len(mentions) - MOST, 0), mentions[:MOST]
    span = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=_YEAR)
    bars = yield from load_spans(desk, mentions, span)
    pairs = yield from desk.run(
        *(DeskCall("market.compare", {"symbols": [each.code, INDEX_OF[each.symbol.market]]}) for each in mentions)
    )
    rows: list[_Risk] = []
    lines: list[str] = []
    days, simulated = "", False
    for mention, found, pair in zip(mentions, bars, pairs, strict=True):
        if isinstance(found, DeskResult):
            lines.append(reply.describe_no_prices(desk, mention.said, found.failure or NO_BARS))
            continue
        recent = found._replace(rows=found.rows[-_SWING:], base=next(iter(found.rows[-_SWING - 1 : -_SWING]), None))
        swing, fall = value_of(recent, "volatility"), value_of(found, "drawdown")
        if swing is None or fall is None:
            lines.append(speak("{name}: too few bars of that time.", name=wording.head_of(desk, mention)))
            continue
        beta = next((each.get("beta") for each in wording.rows_of(pair, "correlations")), None) if pair.ok else None
        name = wording.security_name(desk, mention.code, None)
        off = found.rows[-1].close / max(row.high for row in found.rows) * 100 - 100
        rows.append(_Risk(name, swing, fall, off, None if beta is None else float(beta)))
        days, simulated = period_of(found.rows), simulated or found.simulated
    if len(rows) < 2 and (asked.securities or not rows):
        return reply_of_lines(*lines, speak("So there are not two to compare."))
    named = _find_named(asked.words)
    if named:
        return reply_of_lines(*_rank_by(desk, rows, named, asked.words, (days, simulated)), *lines)
    safer = _SAFER.search(asked.words) is not None
    rows.sort(key=lambda row: row.swing, reverse=not safer)
    first = {"name": rows[0].name, "mark": wording.simulated_mark(desk, simulated)}
    head = speak("**{name}** swings least.{mark}", **first) if safer else speak(
        "**{name}** swings most.{mark}", **first)  # fmt: skip
    told = [
        speak("- {name}: volatility **{swing}%** a year (60 days), largest drawdown {fall}%, beta {beta}",
              name=row.name, swing=f"{row.swing:.1f}", fall=f"{row.fall:.1f}",
              beta="–" if row.beta is None else f"{row.beta:.2f}")
        for row in rows
    ]  # fmt: skip
    note = speak(
        "Ordered by volatility; drawdown of {days}, beta to the index of the market. Past swings only: debt and"
        " business are not judged.",
        days=days,
    )
    more = [speak("… {count} more, not computed", count=left)] if left else []
    return reply_of_lines(head, *told, *lines, *more, note)


def _find_named(words: str) -> str:
    """Return the figure by which a question ranks; "" where it names none."""
    forms = (("beta", _BETA), ("off", _OFF_HIGH), ("fall", _DRAWDOWN))
    return next((name for name, form in forms if form.search(words)), "")


def _rank_by(desk: ToolDesk, rows: list[_Risk], named: str, words: str, of: tuple[str, bool]) -> list[str]:
    """Return securities in the order of one figure. of: the days of the bars, and whether prices are simulated."""
    speak, (days, simulated) = desk.speak, of
    figures = {row.name: row.beta if named == "beta" else row.off if named == "off" else row.fall for row in rows}
    known = {name: value for name, value in figures.items() if value is not None}
    least = _LEAST.search(words) is not None
    order = sorted(known, key=lambda name: abs(known[name]), reverse=not least)
    told = [f"{known[name]:.2f}" if named == "beta" else f"{known[name]:+.1f}%" for name in order]
    missing = [speak("{name}: no beta to its index.", name=name) for name in figures if name not in known]
    mark = wording.simulated_mark(desk, simulated)
    label = (
        speak("beta to the index of its market, 250 days") if named == "beta"
        else speak("close against the highest price of 250 sessions") if named == "off"
        else speak("largest drawdown of 250 sessions, by closes")
    )  # fmt: skip
    first = [
        speak("**{name}: {value}** ({label}; {days}){mark}", name=name, value=value, label=label, days=days, mark=mark)
        for name, value in list(zip(order, told, strict=True))[:1]
    ]
    rest = [
        speak("- {name}: {value}", name=name, value=value) for name, value in list(zip(order, told, strict=True))[1:]
    ]
    return [*first, *rest, *missing]
