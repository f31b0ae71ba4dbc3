"""The account of a simulation: the books of the ledger, first in first out, entry by entry."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from ia.domain.instruments.boards import trading_currency
from ia.domain.rules.fees import Fees, round_to_cents
from ia.faculties.lab.securities import Security
from ia.kernel.errors import BadData
from ia.organs.ledger.booking import FIFO, Books, Holding, TaxLot, book_entry
from ia.organs.ledger.dividend_tax import PaidDividends
from ia.organs.ledger.journal import BONUS, BUY, DEPOSIT, DIVIDEND, INTEREST, SELL, SPLIT, ZERO, JournalEntry
from ia.organs.ledger.order import to_decimal
from ia.organs.ohlcv.adjustment import Action

LONG_AGO = "1900-01-01"
"""The day of the purchase of what an account begins with: no dividend tax is due for it."""


class Portfolio:
    """Cash and holdings in one currency. Prices, fees and taxes are given to it; it knows no bars.

    raises  BadData where the securities are traded in several currencies.
    """

    def __init__(self, securities: Mapping[str, Security], cash: Decimal, positions: Mapping[str, Decimal]) -> None:
        currencies = {trading_currency(each.symbol) for each in securities.values()}
        if len(currencies) > 1:
            raise BadData(
                "one account cannot trade in {currencies}; give the securities of one currency",
                currencies=", ".join(sorted(currencies)),
            )
        self.currency = currencies.pop() if currencies else "CNY"
        self.books = Books(FIFO)
        self._names: dict[str, None] = {}  # of what is held: a run over a market has held thousands of others
        self._paid = {name: PaidDividends(each.symbol) for name, each in securities.items()}
        self._post(JournalEntry(id=0, time=LONG_AGO, date=LONG_AGO, kind=DEPOSIT, currency=self.currency, cash=cash))
        for name, quantity in positions.items():
            self._trade(name, LONG_AGO, BUY, quantity, ZERO, Fees(ZERO, ZERO, ZERO, ZERO))

    @property
    def cash(self) -> Decimal:
        """The money at hand."""
        return self.books.cash_account(self.currency).balance

    def shares_of(self, name: str) -> Decimal:
        """Return how many shares are held."""
        found = self.books.holdings.get(name)
        return found.quantity if found else ZERO

    def holdings(self) -> Iterable[tuple[str, Decimal]]:
        """Return each security that is held, with its shares."""
        return ((name, quantity) for name in self._names if (quantity := self.books.holdings[name].quantity))

    def sellable(self, name: str, day: str, settlement_days: int) -> Decimal:
        """Return how many shares may be sold on a day."""
        found = self.books.holdings.get(name)
        return found.sellable_shares(day, settlement_days) if found else ZERO

    def buy(self, name: str, day: str, quantity: Decimal, price: Decimal, fees: Fees) -> None:
        """Book a purchase."""
        self._trade(name, day, BUY, quantity, price, fees)

    def sell(self, name: str, day: str, quantity: Decimal, price: Decimal, fees: Fees) -> Decimal:
        """Book a sale; return the dividend tax that it makes due, which is taken at once."""
        self._trade(name, day, SELL, quantity, price, fees)
        if not self.books.holdings[name].quantity:
            self._names.pop(name, None)
        tax = self.tax_of_sale(name, self.books.sales[-1].lots, day)
        if tax:
            self._post(JournalEntry(id=0, time=day, date=day, kind=INTEREST, currency=self.currency, cash=-tax))
        return tax

    def tax_of_sale(self, name: str, lots: Iterable[TaxLot], day: str) -> Decimal:
        """Return the dividend tax that the sale of lots on a day makes due."""
        return round_to_cents(self._paid[name].tax_of_sale(lots, day))

    def act_on_holding(self, holding: Holding, day: str, actions: Iterable[Action], cash: Decimal) -> Decimal:
        """Book the corporate actions of an ex-date on a holding that was kept outside the books; return the cash after.

        The dividends count for `tax_of_sale`.
        """
        self.books.cash_account(self.currency).balance = cash
        self.books.holdings[holding.symbol] = holding
        self.apply_actions(holding.symbol, day, actions)
        return self.cash

    def apply_actions(self, name: str, day: str, actions: Iterable[Action]) -> None:
        """Book the corporate actions of an ex-date: they count on what was held at the close before."""
        if not self.shares_of(name):
            return
        for action in actions:
            if action.cash:
                self._act(name, day, DIVIDEND, price=to_decimal(action.cash))
            if action.bonus:
                self._act(name, day, BONUS, ratio=to_decimal(action.bonus))
            if action.split != 1:
                self._act(name, day, SPLIT, ratio=to_decimal(action.split))

    def _act(
        self, name: str, day: str, kind: str, *, price: Decimal | None = None, ratio: Decimal | None = None
    ) -> None:
        self._post(
            JournalEntry(
                id=0, time=day, date=day, kind=kind, symbol=name, currency=self.currency, price=price, ratio=ratio
            )
        )

    def _trade(self, name: str, day: str, kind: str, quantity: Decimal, price: Decimal, fees: Fees) -> None:
        self._names[name] = None
        self._post(
            JournalEntry(
                id=0,
                time=day,
                date=day,
                kind=kind,
                symbol=name,
                currency=self.currency,
                price=price,
                quantity=quantity,
                cash=round_to_cents(price * quantity),
                **fees._asdict(),
            )
        )

    def _post(self, entry: JournalEntry) -> None:
        book_entry(self.books, entry, watch=None if entry.kind in (BUY, SELL) else self._watch)

    def _watch(self, _: Books, entry: JournalEntry, holding: Holding | None, before: list[TaxLot]) -> None:
        if holding is not None:
            self._paid[entry.symbol].note_entry(entry, holding, before)


def total_cost(price: Decimal, quantity: Decimal, fees: Fees) -> Decimal:
    """Return what a purchase takes from the cash."""
    return round_to_cents(price * quantity) + fees.total
