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


class _Risk(NamedTuple):
    """The risk of a security in per cent; beta None where there is none to its index."""

    name: str
    swing: float
    fall: float
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
        rows.append(_Risk(name, swing, fall, None if beta is None else float(beta)))
        days, simulated = period_of(found.rows), simulated or found.simulated
    if len(rows) < 2 and (asked.securities or not rows):
        return reply_of_lines(*lines, speak("So there are not two to compare."))
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
