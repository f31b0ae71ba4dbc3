"""Two lines of reports held against each other: cash and dividends against profit, debt less cash."""

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import EVER
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json

MOST = 3
"""Securities that one answer is about."""
_LOANS = ("current_loans", "noncurrent_loans", "bonds")
"""Lines of a balance sheet that bear interest."""


def answer_line_pair(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how two lines of reports stand to each other, of the newest report or the twelve months up to it."""
    if spans := [span for span in asked.spans if span.kind != EVER]:
        return wording.ask_back(desk, tuple(span.said for span in spans))
    lines = list[str]()
    for mention in asked.securities[:MOST]:
        load = {"payout": _say_payout, "net_debt": _say_net_debt, "research": _say_research}.get(
            asked.facts[0].field, _say_cash
        )
        told = yield from load(desk, asked, mention)
        lines.append(f"{wording.head_of(desk, mention)}{desk.speak(': ')}{told}")
    return reply_of_lines(*lines)


def _load_years(desk: ToolDesk, mention: Mention) -> Work[tuple[DeskResult, Json, Json]]:
    """Return the cash flows and the income of the twelve months up to the newest report; {} where one is not known."""
    flows, income = yield from desk.run(
        DeskCall("financial.cashflow", {"symbol": mention.code, "periods": 1}),
        DeskCall("financial.income", {"symbol": mention.code, "periods": 1}),
    )
    known = [found.get("twelve_months") if found.ok else None for found in (flows, income)]
    cash, earned = (each if isinstance(each, dict) else {} for each in known)
    return flows, cash, earned


_AGAINST_PROFIT = {
    "cash_cover": ("operating_cash_flow", mark_text("operating cash flow")),
    "free_cover": ("free_cash_flow", mark_text("free cash flow")),
}


def _say_cash(desk: ToolDesk, asked: FactQuestion, mention: Mention) -> Work[str]:
    """Return the operating cash flow against the net profit, or the free cash flow against the dividends."""
    speak, field = desk.speak, asked.facts[0].field
    item, name = _AGAINST_PROFIT[field]
    flows, cash, earned = yield from _load_years(desk, mention)
    have = wording.figure_of(cash, item)
    unit = wording.foreign_unit({**cash, "symbol": mention.code}, "money")
    if have is None:
        return speak("its cash flows of twelve months are not known here.")
    if field == "cash_cover":
        need, what = wording.figure_of(earned, "profit"), speak("net profit")
    else:
        need = yield from _load_paid(desk, mention, str(cash.get("currency") or ""), earned)
        what = speak("dividends of the last twelve months")
    given: Json = {
        "name": speak(name), "what": what, "have": wording.say_money(desk, have) + unit,
        "need": wording.say_money(desk, need) + unit, "times": f"{have / need:.2f}" if need else "–",
        "period": cash.get("period"), "mark": wording.simulated_mark(desk, flows.get("simulated")),
    }  # fmt: skip
    if need is None or need <= 0:
        return speak("{name} {have} in the twelve months up to {period}; the {what} is not known or not above zero"
                     "{mark}", **given)  # fmt: skip
    if field == "cash_cover":
        return speak("{name} {have} in the twelve months up to {period}, **{times} times** the {what} of {need}{mark}",
                     **given)  # fmt: skip
    if have >= need:
        return speak("**covered**: {name} {have} in the twelve months up to {period}, {times} times the {what} of"
                     " {need}{mark}", **given)  # fmt: skip
    return speak("**not covered**: {name} {have} in the twelve months up to {period}, {times} times the {what} of"
                 " {need}{mark}", **given)  # fmt: skip


def _load_cash_a_share(desk: ToolDesk, mention: Mention) -> Work[tuple[float | None, str]]:
    """Return what a share paid in the last twelve months before tax, None where unknown, and its currency."""
    found = yield from desk.one("market.actions", symbol=mention.code)
    own = wording.CURRENCIES.get(mention.symbol.market, "")
    if found.failure is not None:
        return None, own
    day = desk.request.day
    since = f"{int(day[:4]) - 1}{day[4:]}"
    rows = wording.rows_of(found, "actions")
    return sum(float(row.get("cash") or 0) for row in rows if since < str(row["date"]) <= day), own


def _load_paid(desk: ToolDesk, mention: Mention, currency: str, earned: Json) -> Work[float | None]:
    """Return what all shares paid in the last twelve months, in the currency of the reports."""
    cash, own = yield from _load_cash_a_share(desk, mention)
    reports = yield from desk.one("market.fundamentals", symbol=mention.code, periods=1)
    row = next(iter(wording.rows_of(reports, "reports")), {}) if reports.ok else {}
    profit, eps = (wording.figure_of(row, name) for name in ("profit", "eps"))
    rate = 1.0 if currency in ("", own) else (yield from _load_rate(desk, own, currency))
    if cash is None or not profit or not eps or rate is None:
        return None
    return cash * rate * profit / eps


def _load_rate(desk: ToolDesk, own: str, currency: str) -> Work[float | None]:
    rate = yield from wording.load_rate(desk, own, currency)
    return None if rate is None else float(rate["rate"])


def _say_payout(desk: ToolDesk, asked: FactQuestion, mention: Mention) -> Work[str]:
    """Return the dividends of twelve months per cent of the earnings a share."""
    speak = desk.speak
    cash, own = yield from _load_cash_a_share(desk, mention)
    found = yield from desk.one("market.fundamentals", symbol=mention.code, periods=1)
    row = next(iter(wording.rows_of(found, "reports")), {}) if found.ok else {}
    eps, currency = wording.figure_of(row, "eps"), str(row.get("currency") or own)
    rate = 1.0 if currency == own else (yield from _load_rate(desk, own, currency))
    if cash is None or not eps or eps < 0 or rate is None:
        return speak("its dividends or its earnings a share are not known here.")
    unit = "" if mention.symbol.market == "CN" else f" {own}"
    return speak(
        "**{part}** of the earnings are paid out: {cash} a share in the last twelve months, EPS {eps} (report of"
        " {period}{basis}){mark}",
        part=f"{cash * rate / eps * 100:.1f}%", cash=f"{cash:.4g}{unit}", eps=f"{eps:.2f}"
        + wording.foreign_unit({**row, "symbol": mention.code}, "price"), period=row.get("period"),
        basis=wording.say_basis(desk, row, str(row.get("period") or "")),
        mark=wording.simulated_mark(desk, row.get("simulated")),
    )  # fmt: skip


def _say_research(desk: ToolDesk, asked: FactQuestion, mention: Mention) -> Work[str]:
    """Return the research cost of twelve months per cent of the revenue."""
    speak = desk.speak
    flows, _, earned = yield from _load_years(desk, mention)
    cost, sales = (wording.figure_of(earned, name) for name in ("research_cost", "revenue"))
    if cost is None or not sales:
        return speak("its research cost or its revenue of twelve months is not known here.")
    unit = wording.foreign_unit({**earned, "symbol": mention.code}, "money")
    return speak(
        "**{part}** of the revenue goes into research: {cost} of {sales} in the twelve months up to {period}{mark}",
        part=f"{cost / sales * 100:.2f}%", cost=wording.say_money(desk, cost) + unit,
        sales=wording.say_money(desk, sales) + unit, period=earned.get("period"),
        mark=wording.simulated_mark(desk, flows.get("simulated")),
    )  # fmt: skip


def _say_net_debt(desk: ToolDesk, asked: FactQuestion, mention: Mention) -> Work[str]:
    """Return what bears interest less the cash, at the end of the newest report."""
    speak = desk.speak
    found = yield from desk.one("financial.balance", symbol=mention.code, periods=1)
    if found.failure is not None:
        return speak("its statement could not be read: {error}", error=found.failure.sentence)
    row = next(iter(wording.rows_of(found, "reports")), {})
    cash = wording.figure_of(row, "cash")
    owed = [value for key in _LOANS if (value := wording.figure_of(row, key)) is not None]
    if cash is None or not owed:
        return speak("its balance sheet has no line of cash, or none of loans.")
    unit = wording.foreign_unit({**row, "symbol": mention.code}, "money")
    debt = sum(owed)
    given: Json = {
        "net": wording.say_money(desk, abs(debt - cash)) + unit, "debt": wording.say_money(desk, debt) + unit,
        "cash": wording.say_money(desk, cash) + unit, "period": row.get("period"),
        "published": row.get("published") or "–", "mark": wording.simulated_mark(desk, found.get("simulated")),
    }  # fmt: skip
    if debt > cash:
        return speak("**net debt {net}**: loans and bonds {debt}, cash {cash}, at the end of {period} (published"
                     " {published}){mark}", **given)  # fmt: skip
    return speak("**net cash {net}**: cash {cash}, loans and bonds {debt}, at the end of {period} (published"
                 " {published}){mark}", **given)  # fmt: skip


ANSWERS = {"line_pair": answer_line_pair}
