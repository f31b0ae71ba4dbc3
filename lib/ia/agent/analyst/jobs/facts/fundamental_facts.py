"""The fundamentals of a security in a few lines; what there is where none are stored."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.security_facts import report_of
from ia.agent.analyst.jobs.facts.valuation_facts import refuse_valuation, say_figures, say_unstored
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 3
"""Securities that one answer is about."""


_ANNUAL = pattern(r"(?<!半)年报|\bannual\b", re.I)


def answer_fundamentals(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with valuation, growth, margins and debt of shares, of their newest report or the one that is named."""
    speak, lines = desk.speak, []
    for mention in asked.securities[:MOST]:
        if mention.symbol.kind != "stock":
            lines += yield from say_unstored(desk, mention)
            continue
        found = yield from desk.one("market.fundamentals", symbol=mention.code, periods=20)
        reports = wording.rows_of(found, "reports") if found.ok else []
        if asked.spans and reports and wording.other_day(asked, desk.request.day):
            row = report_of(reports, asked.spans[0]) if len(asked.spans) == 1 else None
            if row is None:
                return wording.refuse_time(
                    desk, wording.fact_name(desk, asked.facts[0]), asked.spans[-1], str(reports[0].get("period"))
                )
            lines.append(f"{wording.head_of(desk, mention)}{speak(': ')}{_say_report(desk, row)}")
            continue
        valuation = yield from desk.one("market.valuation", symbol=mention.code)
        said, stop = refuse_valuation(desk, asked, mention, valuation)
        told = said if stop else say_figures(desk, valuation)
        lines.append(f"{wording.head_of(desk, mention)}{speak(': ')}{told}")
        if reports:
            if _ANNUAL.search(asked.words) and reports[0].get("basis") != "annual":
                lines.append(speak("The newest report is that of {period}, not an annual one:",
                                   period=reports[0].get("period")))  # fmt: skip
            lines.append(_say_report(desk, reports[0]))
        lines += [] if stop else _say_size(desk, valuation)
        lines.append(
            speak("All reports: `ia fundamentals {symbol}`", symbol=mention.code)
            if reports
            else speak("No report is stored (`ia sync fundamentals` fetches them).")
        )
    return reply_of_lines(*lines)


def _say_report(desk: ToolDesk, row: Json) -> str:
    """Return growth, margins and debt of a report."""
    speak = desk.speak
    period = str(row.get("period") or "")
    return speak(
        "Report of {period} (published {published}{basis}): revenue {revenue} on the year, profit {profit};"
        " gross margin {gross}, net margin {net}; debt ratio {debt}{mark}",
        period=period, published=row.get("published") or "–", basis=wording.say_basis(desk, row, period),
        revenue=wording.say_percent(row.get("revenue_yoy_pct")), profit=wording.say_percent(row.get("profit_yoy_pct")),
        gross=wording.say_value(desk, row.get("gross_margin_pct"), "percent_plain"),
        net=wording.say_value(desk, row.get("net_margin_pct"), "percent_plain"),
        debt=wording.say_value(desk, row.get("debt_ratio_pct"), "percent_plain"),
        mark=wording.simulated_mark(desk, row.get("simulated")),
    )  # fmt: skip


def _say_size(desk: ToolDesk, valuation: DeskResult) -> list[str]:
    """Return the market capitalization and the dividend yield, as far as they are known."""
    speak = desk.speak
    size = wording.figure_of(valuation.get("figures"), "market_cap")
    paid = wording.figure_of(valuation.get("figures"), "dividend_yield_pct")
    told = (
        [
            speak(
                "market capitalization {value}",
                value=wording.say_money(desk, size) + wording.foreign_unit(valuation, "money"),
            )
        ]
        if size is not None
        else []
    )
    told += [speak("dividend yield {value} (twelve months)", value=f"{paid:.2f}%")] if paid is not None else []
    return [speak.join_items(told)] if told else []
