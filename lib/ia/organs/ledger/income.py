"""Dividends: what was received, by year and security, and what is announced for the shares that are held."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from ia.domain.instruments.symbols import from_canonical
from ia.domain.rules.fees import EXACT, round_to_cents
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.organs.ledger import journal
from ia.organs.ledger.account_documents import json_money, json_number
from ia.organs.ledger.booking import Books, Holding, TaxLot, book_entries
from ia.organs.ledger.desk import LedgerDesk
from ia.organs.ledger.exchange import Exchange, ExchangeRate
from ia.organs.ledger.journal import DIVIDEND, ZERO, JournalEntry
from ia.organs.ledger.net_worth import convert_money


class Payment(NamedTuple):
    """A dividend that was received on its ex-date, before tax; a tax that was entered later is a negative one."""

    date: str
    symbol: str
    name: str
    currency: str
    amount: Decimal


class Expected(NamedTuple):
    """A dividend that is announced. shares: held now. cash: of a share before tax; None, as `amount`: not told yet."""

    date: str
    symbol: str
    name: str
    currency: str
    shares: Decimal
    cash: Decimal | None
    amount: Decimal | None
    source: str
    simulated: bool


class IncomeRow(NamedTuple):
    """The dividends of a security in a year. value: in the base currency at each day's rate; None: a rate lacks."""

    year: str
    symbol: str
    name: str
    currency: str
    payments: int
    amount: Decimal
    value: Decimal | None


@dataclass
class Income:
    """Dividends of some days. `total` is in the base currency; None where a rate lacks, and `missing` tells which."""

    base: str
    rows: list[IncomeRow] = field(default_factory=list)
    expected: list[Expected] = field(default_factory=list)
    by_currency: dict[str, Decimal] = field(default_factory=dict)
    total: Decimal | None = ZERO
    missing: list[Message] = field(default_factory=list)
    simulated: bool = False


def measure_income(desk: LedgerDesk, base: str, first: str = "", last: str = "", symbol: str = "") -> Income:
    """Return the dividends between two days (YYYY-MM-DD, "" for all), of all securities or of a canonical symbol."""
    payments, books = list_payments(desk)
    payments = [
        each
        for each in payments
        if symbol in ("", each.symbol) and first <= each.date and (not last or each.date <= last)
    ]
    held = [each for each in books.holdings.values() if each.quantity and symbol in ("", each.symbol)]
    found = Income(base, expected=list_expected(desk, held))
    currencies = {each.currency for each in payments}
    exchange = Exchange(base, desk.market.exchange_rates(sorted({*currencies, base})) if currencies - {base} else {})
    groups: dict[tuple[str, str], list[Payment]] = {}
    for each in payments:
        groups.setdefault((each.date[:4], each.symbol), []).append(each)
    for (year, code), some in sorted(groups.items()):
        values = [_convert_payment(each, exchange, found) for each in some]
        known = [value for value in values if value is not None]
        found.rows.append(
            IncomeRow(
                year=year,
                symbol=code,
                name=some[-1].name,
                currency=some[-1].currency,
                payments=len(some),
                amount=sum((each.amount for each in some), ZERO),
                value=sum(known, ZERO) if len(known) == len(values) else None,
            )
        )
    for row in found.rows:
        found.by_currency[row.currency] = found.by_currency.get(row.currency, ZERO) + row.amount
        found.total = None if found.total is None or row.value is None else found.total + row.value
    found.simulated = found.simulated or any(each.simulated for each in found.expected)
    return found


def _convert_payment(each: Payment, exchange: Exchange, found: Income) -> Decimal | None:
    rate = exchange.find_rate(each.currency, each.date)
    if isinstance(rate, ExchangeRate):
        found.simulated = found.simulated or rate.simulated
        return convert_money(each.amount, rate)
    if rate not in found.missing:
        found.missing.append(rate)
    return None


def list_payments(desk: LedgerDesk) -> tuple[list[Payment], Books]:
    """Return the dividends that were received by now(), by day, and the books with them."""
    known = desk.known_actions()
    found: list[Payment] = []

    def watch(books: Books, entry: JournalEntry, holding: Holding | None, before: list[TaxLot]) -> None:
        if entry.kind == DIVIDEND and holding is not None and books.moved:
            found.append(
                Payment(
                    date=entry.date,
                    symbol=entry.symbol,
                    name=holding.name,
                    currency=entry.currency,
                    amount=books.moved,
                )
            )

    entries = [*journal.effective_entries(desk.ws.db), *known]
    books = book_entries(entries, method=desk.method, lenient=True, watch=watch)
    return found, books


def list_expected(desk: LedgerDesk, held: Sequence[Holding]) -> list[Expected]:
    """Return the dividends that are announced for what is held, by ex-date."""
    by_symbol = {each.symbol: each for each in held}
    found = []
    for each in desk.market.announced_dividends(sorted(by_symbol)):
        holding = by_symbol[each.symbol]
        cash = None if each.cash is None else Decimal(repr(each.cash))
        amount = None if cash is None else round_to_cents(EXACT.multiply(cash, holding.quantity))
        found.append(
            Expected(
                date=each.date,
                symbol=each.symbol,
                name=holding.name or from_canonical(each.symbol).name,
                currency=holding.currency,
                shares=holding.quantity,
                cash=cash,
                amount=amount,
                source=each.source,
                simulated=each.simulated,
            )
        )
    return found


def income_document(found: Income, say: Callable[[Message], str] = str) -> Json:
    """Return dividends as plain data. Amounts are before tax, in the currency of the security; `value` in `base`."""
    return {
        "base": found.base,
        "total": json_money(found.total),
        "by_currency": {name: json_money(amount) for name, amount in found.by_currency.items()},
        "received": [
            {**each._asdict(), "amount": json_money(each.amount), "value": json_money(each.value)}
            for each in found.rows
        ],
        "expected": [
            {
                "ex_date": each.date,
                "symbol": each.symbol,
                "name": each.name,
                "currency": each.currency,
                "shares": json_number(each.shares),
                "cash_per_share": json_number(each.cash),
                "amount": json_money(each.amount),
                "source": each.source,
                "simulated": each.simulated,
            }
            for each in found.expected
        ],
        "missing": [say(each) for each in found.missing],
        "simulated": found.simulated,
    }
