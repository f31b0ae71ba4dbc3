"""account.*: what is held, what it is worth, what it brought. All of it is read from the ledger and the store.

The ledger is imported by the call: every turn has these tools, few use them.
"""

from collections.abc import Mapping
from datetime import date
from typing import Annotated

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope
from ia.kernel import clock
from ia.kernel.errors import UsageError
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.wiring.ledger_prices import open_ledger

MAX_ROWS = 200
Symbol = Annotated[str, "code or name; default: all"]
Session = Annotated[str, "only what was traded in it; default: all"]


@tool("account.status", READ)
def show_account(scope: Scope) -> Mapping[str, object]:
    """Show the account: cash, equity, positions (cost, price, profit, weight), profit of today and in all, largest
    drawdown (a fraction), trades that wait for the user; `total`: all currencies in the base one, with rates and
    dates. null is not known: say so.
    """
    from ia.organs.ledger import account_documents, net_worth
    from ia.organs.ledger.trade_proposals import pending_orders

    desk = open_ledger(scope.ws, scope.notify)
    found = desk.account()
    worth = net_worth.load_net_worth(desk, found)
    return account_documents.account_document(
        found, desk.method, desk.account_warnings(found), pending_orders(scope.ws), Voice(scope.lang).say, worth
    )


@tool("account.performance", READ)
def show_performance(
    scope: Scope,
    first: Annotated[str, "first day, YYYY-MM-DD; default: that of the first entry"] = "",
    last: Annotated[str, "last day, YYYY-MM-DD; default: today"] = "",
    by: Annotated[str, "also each `day`, `week`, `month` or `year`"] = "",
    benchmark: Annotated[str, "index or security to compare with: 000300.SH, SPY"] = "",
) -> Mapping[str, object]:
    """Show the return on the user's money, by currency and in `total`: time-weighted (twr_frac, to compare with an
    index), money-weighted (mwr_frac; xirr_ann_frac a year), ahead of a benchmark (excess_frac), drawdown,
    volatility, Sharpe, best and worst day, closed trades. *_frac: 0.05 is 5 per cent. null cannot be told;
    `reasons` says why: say so.
    """
    from ia.domain.instruments.symbols import resolve_security
    from ia.organs.ledger.net_worth import base_currency
    from ia.organs.ledger.performance import PerformanceRequest, measure_performance
    from ia.organs.ledger.performance_documents import performance_document

    if by not in ("", "day", "week", "month", "year"):
        raise UsageError("{by!r} is none of {known}", by=by, known="day, week, month, year")
    begin, end = (f"{_read_day(day)}" if day else "" for day in (first, last))
    if begin and end and begin > end:
        raise UsageError("{first} is later than {last}", first=begin, last=end)
    symbol = resolve_security(benchmark) if benchmark else None
    request = PerformanceRequest(first=begin, last=end, by=by, benchmark=symbol, base=base_currency())
    report = measure_performance(open_ledger(scope.ws, scope.notify), request)
    return performance_document(report, Voice(scope.lang).say)


@tool("account.allocation", READ)
def show_allocation(
    scope: Scope, by: Annotated[str, "security, industry, market or currency"] = "security"
) -> Mapping[str, object]:
    """Show how everything that the user owns is spread, in the base currency: value and per cent of each part, the
    largest first; cash is a part by itself.
    """
    from ia.organs.ledger import net_worth
    from ia.organs.ledger.account_documents import allocation_document

    if by not in net_worth.BY:
        raise UsageError("{by!r} is none of {known}", by=by, known=", ".join(net_worth.BY))
    desk = open_ledger(scope.ws, scope.notify)
    found = desk.account(curve=False)
    worth = net_worth.load_net_worth(desk, found)
    shares = net_worth.load_allocation(desk, found, worth, by)
    document = allocation_document(shares, by, worth, Voice(scope.lang).say)
    return {**document, "simulated": found.simulated or worth.simulated}


@tool("account.risk", READ)
def show_risk(
    scope: Scope,
    level: Annotated[float, "of the value at risk, per cent"] = 95.0,
    days: Annotated[int, "its horizon in sessions", AtLeast(1)] = 1,
    benchmark: Annotated[str, "index of beta and correlation: 000300.SH, SPY"] = "",
) -> Mapping[str, object]:
    """Show the risk of what is held now, in the base currency, from its daily gains of the last 250 sessions: value
    at risk (a loss, 0 or above), shortfall (what the worse days cost on average), worst day, beta and correlation to
    an index (of the positions; beta_with_cash of everything), swing of a year, and the part of the variance that each
    position adds. *_frac: 0.05 is 5 per cent. With something in `missing`, nothing can be told: say so.
    """
    from ia.domain.instruments.symbols import resolve_security
    from ia.organs.ledger.risk import INDEX, RiskRequest, measure_risk, risk_document

    index = resolve_security(benchmark).canonical if benchmark else INDEX
    found = measure_risk(open_ledger(scope.ws, scope.notify), RiskRequest(level, days, index))
    return risk_document(found, Voice(scope.lang).say)


@tool("account.profit", READ)
def show_profit(scope: Scope, symbol: Symbol = "", session: Session = "") -> Mapping[str, object]:
    """Show the profit of each security and in all: realized, unrealized, dividends; rates in per cent of what was
    bought.
    """
    from ia.organs.ledger import account_documents
    from ia.organs.ledger.profit import profit_rows, sum_by_currency

    desk = open_ledger(scope.ws, scope.notify)
    books = desk.books(session=session)
    found = profit_rows(books, desk.load_prices(books), desk.resolve_symbol(symbol).canonical if symbol else "")
    return account_documents.profit_document(found, sum_by_currency(found), books.method, session)


@tool("account.period", READ)
def show_period(
    scope: Scope,
    first: Annotated[str, "first day, YYYY-MM-DD"],
    last: Annotated[str, "last day, YYYY-MM-DD; default: today"] = "",
    benchmark: Annotated[str, "index or security to compare with: 000300.SH, SPY"] = "",
) -> Mapping[str, object]:
    """Show what the account made from the close before the first day to that of the last, by currency and in `total`:
    equity, cash and positions after, money brought in (flows), result in money and in per cent (`returns`:
    fractions, with the benchmark), the exchange `rates` behind the total, and what each position brought. null: not
    known.
    """
    from ia.domain.instruments.symbols import resolve_security
    from ia.organs.ledger import account_documents
    from ia.organs.ledger.period import measure_period

    begin, end = _read_day(first), _read_day(last or clock.today())
    if begin > end:
        raise UsageError("{first} is later than {last}", first=begin, last=end)
    index = resolve_security(benchmark) if benchmark else None
    report = measure_period(open_ledger(scope.ws, scope.notify), begin, end, index)
    return account_documents.period_document(report, begin, end, Voice(scope.lang).say)


@tool("account.income", READ)
def show_income(
    scope: Scope,
    first: Annotated[str, "first day, YYYY-MM-DD; default: all"] = "",
    last: Annotated[str, "last day, YYYY-MM-DD; default: today"] = "",
    symbol: Symbol = "",
) -> Mapping[str, object]:
    """Show the dividends that were received, by year and security, and those that are announced for what is held
    (`expected`: ex-date, shares, cash a share and amount before tax; null: not announced yet).
    """
    from ia.organs.ledger.income import income_document, measure_income
    from ia.organs.ledger.net_worth import base_currency

    desk = open_ledger(scope.ws, scope.notify)
    begin, end = (f"{_read_day(day)}" if day else "" for day in (first, last))
    meant = desk.resolve_symbol(symbol).canonical if symbol else ""
    return income_document(measure_income(desk, base_currency(), begin, end, meant), Voice(scope.lang).say)


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError("{text!r} is not a day such as 2024-03-15", text=text) from None


@tool("account.history", READ)
def list_sales(
    scope: Scope, symbol: Symbol = "", session: Session = "", limit: Annotated[int, AtLeast(1)] = 50
) -> list[Json]:
    """List what was sold, newest first: quantity, price, what it had cost, fees and what it realized."""
    from ia.organs.ledger import account_documents

    desk = open_ledger(scope.ws, scope.notify)
    books = desk.books(session=session)
    meant = desk.resolve_symbol(symbol).canonical if symbol else ""
    found = [each for each in books.sales if meant in ("", each.entry.symbol)]
    return [account_documents.sale_document(each, books.method) for each in found[::-1][: max(1, min(limit, MAX_ROWS))]]
