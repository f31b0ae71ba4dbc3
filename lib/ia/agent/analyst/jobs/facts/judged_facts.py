"""What a price would mean for the valuation of a share, and its results report by report."""

import re
from typing import Any

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.time_spans import blank_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.valuation_facts import refuse_valuation, say_unstored
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import pattern

SHOWN, MOST = 4, 8
"""Reports of an answer, unless it names how many; at most so many."""
_PRICE = pattern(r"(?<![\d.])(\d[\d,]*(?:\.\d+)?)(?![\d.]*\s*(?:[%％]|天|日|周|年|个|days?\b|weeks?\b|years?\b))")
_YEARLY = pattern(r"历年|这些年|几年|各年|逐年|\b(?:by year|over the years|each year|year by year)\b", re.I)
_REPORTS = pattern(rf"(?P<zh>{COUNT})\s*个?(?:季度?|报告期)|\b(?P<en>{COUNT}) (?:quarters|reports|periods)\b", re.I)


def answer_price_judged(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what P/E and P/B a share would have at a price, beside those of today and its past; no verdict."""
    speak, mention = desk.speak, asked.securities[0]
    prices = _PRICE.findall(blank_spans(strip_mentions(asked.words), asked.spans))
    if len(prices) != 1 or len(asked.securities) > 1:
        return wording.ask_back(desk, tuple(prices[1:2]) or (asked.words,))
    price = float(prices[0].replace(",", ""))
    if mention.symbol.kind != "stock":
        return reply_of_lines(*(yield from say_unstored(desk, mention)))
    valued = yield from desk.one("market.valuation", symbol=mention.code)
    said, stop = refuse_valuation(desk, asked, mention, valued)
    bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1)
    rows = wording.bars_of(bars)
    if stop or not rows:
        return reply_of_lines(f"{wording.head_of(desk, mention)}{speak(': ')}{said}")
    close, figures = float(rows[-1][4]), valued.get("figures")
    scale = price / close

    def multiple(key: str, by: float) -> str:
        value = wording.figure_of(figures, key)
        return wording.say_value(desk, None if value is None else value * by, "ratio")

    given: dict[str, Any] = {"price": number(price, "price", speak), "pe": multiple("pe_ttm", scale),
                             "pb": multiple("pb", scale)}  # fmt: skip
    lines = [
        wording.head_of(desk, mention)
        + speak(": ")
        + speak("at {price} its P/E (TTM) would be **{pe}** and its P/B **{pb}**{mark}",
                mark=wording.simulated_mark(desk, valued.get("simulated")), **given),
        speak("Now: close {close}, P/E (TTM) {pe}, P/B {pb} ({date}); {price} is {change} from there.",
              close=number(close, "price", speak), price=given["price"], pe=multiple("pe_ttm", 1),
              pb=multiple("pb", 1), date=wording.result_day(valued),
              change=wording.say_percent(scale * 100 - 100)),
    ]  # fmt: skip
    history = valued.get("history")
    past = history.get("pe_ttm") if isinstance(history, dict) else None
    if isinstance(past, dict) and past.get("median") is not None:
        lines.append(
            speak("The median P/E of the {count} stored days since {first} is {median}.", count=past.get("others"),
                  first=past.get("first"), median=wording.say_value(desk, past.get("median"), "ratio"))
        )  # fmt: skip
    lines.append(speak("Whether that is cheap is a judgment: a low P/E may be a warning, a high one wants growth."))
    return reply_of_lines(*lines)


def answer_results_history(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how revenue and profit developed over the last reports, newest first."""
    speak, lines = desk.speak, []
    said = _REPORTS.search(asked.words)
    count = parse_count((said["zh"] or said["en"]).casefold()) if said else SHOWN
    count = min(max(int(count or SHOWN), 1), MOST)
    yearly = bool(_YEARLY.search(asked.words))
    for mention in asked.securities[:2]:
        if mention.symbol.kind != "stock":
            lines += yield from say_unstored(desk, mention)
            continue
        found = yield from desk.one("market.fundamentals", symbol=mention.code, periods=count * 4 if yearly else count)
        reports = wording.rows_of(found, "reports") if found.ok else []
        if yearly:
            reports = [row for row in reports if row.get("basis") == "annual"]
        mark = wording.simulated_mark(desk, any(row.get("simulated") for row in reports))
        lines.append(f"{wording.head_of(desk, mention)}{speak(': ')}" + (
            speak("revenue and net profit of the twelve months up to each report{mark}", mark=mark) if reports
            else speak("No report is stored (`ia sync fundamentals` fetches them).")
        ))  # fmt: skip
        lines += [
            speak(
                "- {period}: revenue {revenue} ({revenue_yoy} on the year), net profit {profit} ({profit_yoy})",
                period=row.get("period"),
                revenue=wording.say_money(desk, row.get("revenue")) + wording.foreign_unit(row, "money"),
                revenue_yoy=wording.say_percent(row.get("revenue_yoy_pct")),
                profit=wording.say_money(desk, row.get("profit")) + wording.foreign_unit(row, "money"),
                profit_yoy=wording.say_percent(row.get("profit_yoy_pct")),
            )
            for row in reports[:count]
        ]
    return reply_of_lines(*lines)


ANSWERS = {"price_judged": answer_price_judged, "results_history": answer_results_history}
