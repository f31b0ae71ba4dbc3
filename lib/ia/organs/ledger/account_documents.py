"""Entries, accounts and profits as plain data: what `--json` prints and what a model's tools return."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.organs.ledger.account import Account, CurrencyAccount, Position
from ia.organs.ledger.booking import Sale
from ia.organs.ledger.guard import Breach, excess_shares, load_limits
from ia.organs.ledger.journal import JournalEntry, damaged_entry_error
from ia.organs.ledger.profit import ProfitRow, ProfitTotal

if TYPE_CHECKING:
    from ia.organs.ledger.net_worth import NetWorth, Share
    from ia.organs.ledger.period import PeriodReport

Number: TypeAlias = int | float | None
Money: TypeAlias = float | None


class EntryDocument(TypedDict):
    """An entry of the journal. `time` is a UTC stamp.

    `breaches` are the rules that the trade breached when it was entered; `override` says who overrode them, and why,
    where `--override` was given.
    """

    id: int
    date: str
    time: str
    kind: str
    symbol: str
    name: str
    currency: str
    price: Number
    quantity: Number
    amount: Money
    ratio: Number
    commission: Money
    stamp: Money
    transfer: Money
    other: Money
    fees: Money
    reason: str
    session: str
    actor: str
    origin: str
    corrects: int | None
    correction: str
    override: object
    breaches: list[object]


class PositionDocument(TypedDict):
    """A position. The percentages are per cent; `price_stale` counts the sessions since `price_date`."""

    size: Number
    avg_price: Number
    current_price: Number
    unrealized_pnl: Money
    weight_pct: Money
    limit_weight_pct: Money
    unrealized_pct: Money
    today_pnl: Money
    name: str
    currency: str
    cost: Money
    value: Money
    sellable: Number
    price_date: str | None
    price_stale: int | None
    price_source: str | None
    simulated: bool


class HeldDocument(PositionDocument):
    """A position of an account, and how many of its shares are above the position limit."""

    above_limit: Number


class PurseDocument(TypedDict):
    """The account in one currency.

    `max_drawdown` is a fraction of the daily equity; `whole_equity` is the equity of all currencies in this one, null
    where there is no other or not all are known.
    """

    cash: Money
    lent: Money
    equity: Money
    whole_equity: Money
    today_pnl: Money
    total_pnl: Money
    max_drawdown: Money
    day: str | None
    positions_value: Money
    invested: Money
    realized_pnl: Money
    unrealized_pnl: Money
    dividends: Money
    interest: Money
    fees: Money


class WarningDocument(TypedDict):
    """A breach of a risk rule by the account as it stands."""

    rule: str
    value: Number
    limit: Number
    message: str
    symbol: str | None


class AccountDocument(TypedDict):
    """An account in the schema of account.status. The sums are None where there are several currencies."""

    cash: Money
    equity: Money
    positions: dict[str, HeldDocument]
    pending_orders: Sequence[Mapping[str, object]]
    today_pnl: Money
    total_pnl: Money
    max_drawdown: Money
    lent: Money
    currency: str | None
    currencies: dict[str, PurseDocument]
    total: Json | None
    method: str
    warnings: list[WarningDocument]
    simulated: bool
    unpriced: list[str]


class ProfitTotalDocument(TypedDict):
    """The profit in one currency. `profit_rate` is per cent of all that was ever bought."""

    profit: Money
    profit_rate: Money
    realized: Money
    unrealized: Money
    dividends: Money
    fees: Money
    bought: Money


class ProfitRowDocument(ProfitTotalDocument):
    """The profit of one security."""

    ticker: str
    symbol: str
    name: str
    currency: str
    size: Number
    cost: Money
    value: Money
    price: Number
    price_date: str | None
    price_stale: int | None
    simulated: bool


class ProfitDocument(TypedDict):
    """A profit in the schema of calculate_profit. `total_profit_rate` is per cent; None: several currencies."""

    total_profit: Money
    total_profit_rate: Money
    positions: list[ProfitRowDocument]
    currency: str | None
    by_currency: dict[str, ProfitTotalDocument]
    method: str
    session: str | None
    simulated: bool


def json_number(number: Decimal | None) -> int | float | None:
    """Return a decimal number as JSON has it: whole ones without a point, others by their shortest digits."""
    if number is None:
        return None
    return int(number) if number == number.to_integral_value() and abs(number) < 10**15 else float(number)


def json_money(number: Decimal | None) -> float | None:
    """Return money as a JSON number."""
    return None if number is None else float(number)


def entry_document(entry: JournalEntry) -> EntryDocument:
    """Return an entry as plain data. raises BadData where the note of what was breached is damaged."""
    try:
        told = {} if entry.override is None else dict(json.loads(entry.override))
        breaches = list(told.get("breaches") or ())
    except (ValueError, TypeError):
        raise damaged_entry_error(entry.id) from None
    return {
        "id": entry.id,
        "date": entry.date,
        "time": entry.time,
        "kind": entry.kind,
        "symbol": entry.symbol,
        "name": entry.name,
        "currency": entry.currency,
        "price": json_number(entry.price),
        "quantity": json_number(entry.quantity),
        "amount": json_money(entry.cash),
        "ratio": json_number(entry.ratio),
        "commission": json_money(entry.commission),
        "stamp": json_money(entry.stamp),
        "transfer": json_money(entry.transfer),
        "other": json_money(entry.other),
        "fees": json_money(entry.fees),
        "reason": entry.reason,
        "session": entry.session,
        "actor": entry.actor,
        "origin": entry.origin,
        "corrects": entry.corrects,
        "correction": entry.note,
        "override": told if told.get("because") is not None else None,
        "breaches": breaches,
    }


def position_document(each: Position) -> PositionDocument:
    """Return a position as plain data, in the names of account.status."""
    return {
        "size": json_number(each.quantity),
        "avg_price": json_number(each.average),
        "current_price": json_number(each.price.price) if each.price else None,
        "unrealized_pnl": json_money(each.unrealized),
        "weight_pct": json_money(each.weight),
        "limit_weight_pct": json_money(each.limit_weight),
        "unrealized_pct": json_money(each.unrealized_pct),
        "today_pnl": json_money(each.today),
        "name": each.name,
        "currency": each.currency,
        "cost": json_money(each.cost),
        "value": json_money(each.value),
        "sellable": json_number(each.sellable),
        "price_date": each.price.date if each.price else None,
        "price_stale": each.price.missed if each.price else None,
        "price_source": each.price.source if each.price else None,
        "simulated": bool(each.price and each.price.simulated),
    }


def currency_document(each: CurrencyAccount) -> PurseDocument:
    """Return what is in one currency as plain data."""
    return {
        "cash": json_money(each.cash),
        "lent": json_money(each.lent),
        "equity": json_money(each.equity),
        "whole_equity": json_money(each.whole),
        "today_pnl": json_money(each.today),
        "total_pnl": json_money(each.total),
        "max_drawdown": json_money(each.drawdown),
        "day": each.day,
        "positions_value": json_money(each.value),
        "invested": json_money(each.invested),
        "realized_pnl": json_money(each.realized),
        "unrealized_pnl": json_money(each.unrealized),
        "dividends": json_money(each.dividends),
        "interest": json_money(each.interest),
        "fees": json_money(each.fees),
    }


def account_document(
    found: Account,
    method: str,
    warnings: list[Breach],
    orders: Sequence[Mapping[str, object]],
    say: Callable[[Message], str] = str,
    worth: "NetWorth | None" = None,
) -> AccountDocument:
    """Return an account as plain data, in the schema of account.status.

    `total` is all of it in the base currency.
    The sums at the top are those of the only currency; None where there are several, which stand in `currencies`.
    """
    limits, today = load_limits(), clock.today("CN")

    def excess_of(each: Position) -> Decimal | None:
        equity = found.purses[each.currency].basis
        if equity is None or each.value is None or equity <= 0:
            return None
        return excess_shares(from_canonical(each.symbol), today, each.quantity, each.value, equity, limits)

    def held_document(each: Position) -> HeldDocument:
        return {**position_document(each), "above_limit": json_number(excess_of(each))}

    whole = found.purse
    top = currency_document(whole) if whole is not None else None
    return {
        "cash": top["cash"] if top else None,
        "equity": top["equity"] if top else None,
        "positions": {each.symbol: held_document(each) for each in found.positions},
        "pending_orders": orders,
        "today_pnl": top["today_pnl"] if top else None,
        "total_pnl": top["total_pnl"] if top else None,
        "max_drawdown": top["max_drawdown"] if top else None,
        "lent": top["lent"] if top else None,
        "currency": whole.currency if whole is not None else None,
        "currencies": {name: currency_document(each) for name, each in found.purses.items()},
        "total": net_worth_document(worth, say) if worth is not None else None,
        "method": method,
        "warnings": [
            {
                "rule": each.rule,
                "value": json_number(each.value),
                "limit": json_number(each.limit),
                "message": say(each.message),
                "symbol": each.symbol or None,
            }
            for each in warnings
        ],
        "simulated": found.simulated,
        "unpriced": found.unpriced,
    }


def net_worth_document(worth: "NetWorth", say: Callable[[Message], str] = str) -> Json:
    """Return all that is owned in the base currency as plain data.

    `missing` tells why a sum is null, `notes` what is counted without a deposit.
    """
    return {
        "currency": worth.base,
        "equity": json_money(worth.equity),
        "cash": json_money(worth.cash),
        "lent": json_money(worth.lent),
        "positions_value": json_money(worth.value),
        "rates": [each._asdict() for each in worth.rates],
        "missing": [say(each) for each in worth.missing],
        "notes": [say(each) for each in worth.notes],
        "simulated": worth.simulated,
    }


def allocation_document(
    shares: "Sequence[Share]", by: str, worth: "NetWorth", say: Callable[[Message], str] = str
) -> Json:
    """Return how what is owned is spread as plain data. `weight_pct` is per cent of the total in the base currency."""
    return {
        "by": by,
        "shares": [
            {
                "kind": each.kind,
                "name": each.name,
                "value": json_money(each.value),
                "weight_pct": json_money(each.weight_pct),
                "securities": each.securities,
            }
            for each in shares
        ],
        "total": net_worth_document(worth, say),
    }


def profit_document(rows: list[ProfitRow], totals: dict[str, ProfitTotal], method: str, session: str) -> ProfitDocument:
    """Return a profit as plain data, in the schema of calculate_profit; several currencies have no total."""
    whole = next(iter(totals.values())) if len(totals) == 1 else None
    return {
        "total_profit": json_money(whole.profit) if whole else None if totals else 0.0,
        "total_profit_rate": json_money(whole.rate) if whole else None,
        "positions": [
            {
                "ticker": each.symbol.rpartition(".")[0],
                "profit": json_money(each.profit),
                "profit_rate": json_money(each.rate),
                "symbol": each.symbol,
                "name": each.name,
                "currency": each.currency,
                "size": json_number(each.quantity),
                "cost": json_money(each.cost),
                "value": json_money(each.value),
                "realized": json_money(each.realized),
                "unrealized": json_money(each.unrealized),
                "dividends": json_money(each.dividends),
                "fees": json_money(each.fees),
                "bought": json_money(each.bought),
                "price": json_number(each.price.price) if each.price else None,
                "price_date": each.price.date if each.price else None,
                "price_stale": each.price.missed if each.price else None,
                "simulated": bool(each.price and each.price.simulated),
            }
            for each in rows
        ],
        "currency": whole.currency if whole else None,
        "by_currency": {
            name: {
                "profit": json_money(each.profit),
                "profit_rate": json_money(each.rate),
                "realized": json_money(each.realized),
                "unrealized": json_money(each.unrealized),
                "dividends": json_money(each.dividends),
                "fees": json_money(each.fees),
                "bought": json_money(each.bought),
            }
            for name, each in totals.items()
        },
        "method": method,
        "session": session or None,
        "simulated": any(each.price is not None and each.price.simulated for each in rows),
    }


def sale_document(each: Sale, method: str) -> Json:
    """Return a sale as plain data: what it took in, what that had cost, and what it realized."""
    entry = each.entry
    return {
        "id": entry.id,
        "date": entry.date,
        "symbol": entry.symbol,
        "name": entry.name,
        "currency": entry.currency,
        "quantity": json_number(entry.quantity),
        "price": json_number(entry.price),
        "cost": json_money(each.cost),
        "realized": json_money(each.realized),
        "fees": json_money(entry.fees),
        "method": method,
        "reason": entry.reason,
    }


def period_document(report: "PeriodReport", first: date, last: date, say: Callable[[Message], str] = str) -> Json:
    """Return the results of a stretch of days as plain data, by currency. `result_pct` is the time-weighted return."""
    from ia.organs.ledger import performance_documents

    return {
        "first": first.isoformat(),
        "last": last.isoformat(),
        "currencies": {
            each.currency: {
                "begin": each.begin.isoformat(),
                "equity_before": json_money(each.before),
                "equity_after": json_money(each.after),
                "cash_after": json_money(each.cash),
                "positions_value_after": json_money(each.value),
                "flows": json_money(each.flows),
                "realized": json_money(each.realized),
                "dividends": json_money(each.dividends),
                "fees": json_money(each.fees),
                "result": json_money(each.result),
                "result_pct": json_money(each.result_pct),
                "returns": performance_documents.period_document(each.returned, say) if each.returned else None,
                "price_date": each.priced or None,
                "stale": [{"symbol": name, "price_date": day, "price_stale": missed} for name, day, missed in each.old],
            }
            for each in report.results
        },
        "total": {
            "currency": report.total.currency,
            **performance_documents.period_document(report.total.whole, say),
        }
        if report.total
        else None,
        "rates": [performance_documents.rate_document(each) for each in report.rates],
        "positions": {
            each.symbol: {
                "name": each.name,
                "currency": each.currency,
                "size_after": json_number(each.quantity),
                "result": json_money(each.result),
            }
            for each in report.holdings
        },
        "simulated": report.simulated,
    }
