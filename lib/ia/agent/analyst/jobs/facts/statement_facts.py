"""Lines of financial statements: free cash flow and its yield, goodwill, inventory, debt, and what else they hold."""

from typing import Any

from ia.agent.analyst.ask.facts import FactQuestion, FactSpec
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import RANGE
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.readings import lacks_free_cash_flow
from ia.agent.analyst.evidence.study import add_cash_flow, check_valuation
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.valuation_facts import Compared, say_comparison, say_no_valuation
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json

MOST = 4
"""Securities that one answer is about."""
YIELD, SALES, GEARING = "fcf_yield", "price_sales", "debt_to_equity"
"""The fields that are no line of a statement, but one over the market value, and the market value over one."""


def answer_statement(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with a line of a statement, `balance:goodwill`, of each security; its free cash flow yield, or its P/S."""
    speak, spec = desk.speak, asked.facts[0]
    sides, lines = [], []
    for mention in asked.securities[:MOST]:
        load = {YIELD: _load_yield, SALES: _load_sales, GEARING: _load_gearing}.get(spec.field, _load_line)
        value, told = yield from load(desk, asked, mention)
        lines.append(f"{wording.head_of(desk, mention)}{speak(': ')}{told}")
        sides.append(Compared(mention, value, wording.say_value(desk, value, spec.unit)))
    return reply_of_lines(*say_comparison(desk, asked, wording.fact_name(desk, spec), sides), *lines)


def _load_line(desk: ToolDesk, asked: FactQuestion, mention: Mention) -> Work[tuple[float | None, str]]:
    """Return a line of a statement of the newest report, or of the one that is named, and how it is said."""
    speak, spec = desk.speak, asked.facts[0]
    statement, _, item = spec.field.partition(":")
    period: Json = {}
    if asked.spans:
        span = asked.spans[0]
        if len(asked.spans) > 1 or span.kind != RANGE or f"{span.last}"[5:] not in _ENDS:
            return None, speak("name a year or a quarter: “{time}” is no reporting period.", time=asked.spans[-1].said)
        period = {"period": f"{span.last}"}
    found = yield from desk.one(f"financial.{statement}", symbol=mention.code, **(period or {"periods": 1}))
    if found.failure is not None:
        if found.missing:
            return None, speak("no tool for financial statements is within reach here.")
        return None, speak("its statement could not be read: {error}", error=found.failure.sentence)
    report = next(iter(wording.rows_of(found, "reports")), {})
    year = found.get("twelve_months")
    whole: Json = year if isinstance(year, dict) and wording.figure_of(year, item) is not None else {}
    value = wording.figure_of(whole or report, item)
    name = wording.fact_name(desk, spec)
    if value is None:
        return None, speak("its statement of {period} has no line {name}.", period=report.get("period"), name=name)
    return value, _say_line(desk, spec, report, whole, found) + wording.simulated_mark(desk, found.get("simulated"))


_ENDS = ("03-31", "06-30", "09-30", "12-31")


def _say_line(desk: ToolDesk, spec: FactSpec, report: Json, whole: Json, found: DeskResult) -> str:
    """Return a line of a statement with what it spans, and of twelve months besides the part of the year."""
    speak, (statement, _, item) = desk.speak, spec.field.partition(":")
    name = wording.fact_name(desk, spec)
    currency = wording.foreign_unit({**report, "symbol": found.get("symbol")}, wording.spec_unit(spec))
    value = wording.say_value(desk, wording.figure_of(whole or report, item), spec.unit) + currency
    given: dict[str, Any] = {
        "name": name,
        "value": value,
        "period": report.get("period"),
        "published": report.get("published") or "–",
    }
    if statement == "balance":
        debts, assets = (wording.figure_of(report, key) for key in ("total_liabilities", "total_assets"))
        if item == "total_liabilities" and debts is not None and assets:
            return speak(
                "{name} **{value}**, {ratio} of its assets, at the end of {period} (published {published})",
                ratio=f"{debts / assets * 100:.2f}%", **given,
            )  # fmt: skip
        return speak("{name} **{value}** at the end of {period} (published {published})", **given)
    if report.get("basis") == "annual":
        return speak("{name} **{value}** in the whole year up to {period} (published {published})", **given)
    part = wording.say_value(desk, wording.figure_of(report, item), spec.unit) + currency
    if not whole:
        return speak("{name} **{value}** since the beginning of the year, report of {period} (published {published})",
                     **given)  # fmt: skip
    return speak(
        "{name} **{value}** in the twelve months up to {period} (published {published});"
        " since the beginning of the year {part}",
        part=part, **given,
    )  # fmt: skip


def _load_yield(desk: ToolDesk, asked: FactQuestion, mention: Mention) -> Work[tuple[float | None, str]]:
    """Return the free cash flow over the market value, as the views of a share have it, and how it is said."""
    speak = desk.speak
    valued = yield from desk.one("market.valuation", symbol=mention.code)
    if valued.failure is not None:
        return None, say_no_valuation(desk, mention, valued.failure)
    day = wording.result_day(valued)
    if span := wording.other_day(asked, day):
        return None, speak("only the figures of {day} are stored, not those of “{time}”", day=day, time=span.said)
    yield from desk.load_tables("valuation")
    if lacks_free_cash_flow(check_valuation(valued), desk.tables):
        return None, speak("free cash flow says nothing of banks, insurers and brokers.")
    cash = yield from desk.one("financial.cashflow", symbol=mention.code, periods=1)
    known, gap = add_cash_flow(check_valuation(valued), cash)
    value = wording.figure_of(known.get("figures"), "fcf_yield_pct")
    if gap or value is None:
        return None, speak("its free cash flow of twelve months is not known here.")
    year = cash.get("twelve_months")
    flow = wording.figure_of(year if isinstance(year, dict) else None, "free_cash_flow")
    return value, speak(
        "free cash flow yield **{value}** ({date}): {flow} in the twelve months up to {report}, over a market value of"
        " {worth}",
        value=f"{value:.2f}%", date=day, report=known.get("cash_report"),
        flow=wording.say_money(desk, flow) + wording.foreign_unit(valued, "money", "reported"),
        worth=wording.say_money(desk, wording.figure_of(known.get("figures"), "market_cap"))
        + wording.foreign_unit(valued, "money"),
    ) + wording.simulated_mark(desk, valued.get("simulated"))  # fmt: skip


def _load_sales(desk: ToolDesk, asked: FactQuestion, mention: Mention) -> Work[tuple[float | None, str]]:
    """Return the market value over the revenue of twelve months, and how it is said."""
    speak = desk.speak
    valued, reports = yield from desk.run(
        DeskCall("market.valuation", {"symbol": mention.code}),
        DeskCall("market.fundamentals", {"symbol": mention.code, "periods": 1}),
    )
    if valued.failure is not None:
        return None, speak("no valuation is stored (`ia sync daily` fetches those of mainland stocks).")
    day = wording.result_day(valued)
    if span := wording.other_day(asked, day):
        return None, speak("only the figures of {day} are stored, not those of “{time}”", day=day, time=span.said)
    worth = wording.figure_of(check_valuation(valued).get("figures"), "market_cap")
    report = next(iter(wording.rows_of(reports, "reports")), {}) if reports.ok else {}
    revenue = wording.figure_of(report, "revenue")
    if not worth or not revenue or revenue < 0:
        return None, speak("its market value or its revenue of twelve months is not known here.")
    own, reported = str(valued.get("currency") or ""), str(report.get("currency") or "")
    if own != reported and own and reported:
        rate = yield from wording.load_rate(desk, reported, own)
        if rate is None:
            return None, speak("its market value or its revenue of twelve months is not known here.")
        revenue *= float(rate["rate"])
    value = worth / revenue
    return value, speak(
        "P/S **{value}** ({date}): a market value of {worth} over {revenue}, the revenue of the twelve months up to"
        " {report}",
        value=wording.say_value(desk, value, "ratio"), date=day,
        worth=wording.say_money(desk, worth) + wording.foreign_unit(valued, "money"),
        revenue=wording.say_money(desk, revenue) + wording.foreign_unit(valued, "money"), report=report.get("period"),
    ) + wording.simulated_mark(desk, valued.get("simulated"))  # fmt: skip


def _load_gearing(desk: ToolDesk, asked: FactQuestion, mention: Mention) -> Work[tuple[float | None, str]]:
    """Return all liabilities over the equity, at the end of the newest report, and how it is said."""
    speak = desk.speak
    if asked.spans:
        return None, speak("only that of the newest report is told, not of “{time}”.", time=asked.spans[0].said)
    found = yield from desk.one("financial.balance", symbol=mention.code, periods=1)
    if found.failure is not None:
        return None, speak("its statement could not be read: {error}", error=found.failure.sentence)
    report = next(iter(wording.rows_of(found, "reports")), {})
    debts, equity = (wording.figure_of(report, key) for key in ("total_liabilities", "equity"))
    if debts is None or not equity:
        return None, speak("its balance sheet has no total of liabilities, or no equity.")
    unit = wording.foreign_unit({**report, "symbol": found.get("symbol")}, wording.spec_unit(asked.facts[0]))
    told = speak(
        "all liabilities are **{value} times** the equity: {debts} over {equity}, at the end of {period} (published"
        " {published})",
        value=f"{debts / equity:.2f}", debts=wording.say_money(desk, debts) + unit,
        equity=wording.say_money(desk, equity) + unit, period=report.get("period"),
        published=report.get("published") or "–",
    )  # fmt: skip
    parts = [
        f"{speak(name)} {wording.say_money(desk, value)}{unit}"
        for key, name in _BORROWED
        if (value := wording.figure_of(report, key))
    ]
    borrowed = speak("; borrowed of it: {parts}", parts=speak.join_items(parts)) if parts else ""
    return debts / equity, told + borrowed + wording.simulated_mark(desk, found.get("simulated"))


_BORROWED = (
    ("current_loans", mark_text("loans due within a year")),
    ("noncurrent_loans", mark_text("longer loans")),
    ("bonds", mark_text("bonds")),
)
"""Lines of a balance sheet that bear interest."""


ANSWERS = {"statement": answer_statement}
