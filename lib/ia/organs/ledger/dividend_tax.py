"""The tax that will be taken for dividends once shares are sold: told, never entered.

What is taken is entered when it is: `ia trade dividend` with a sum below zero, or a statement's row (股息红利税补缴).
"""

import contextlib
from collections.abc import Iterable
from decimal import Decimal

from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.domain.rules.dividends import tax_pct
from ia.domain.rules.fees import EXACT, round_to_cents
from ia.kernel.errors import NotFound
from ia.organs.ledger.booking import FIFO, Books, Holding, TaxLot, book_entries
from ia.organs.ledger.journal import BONUS, DIVIDEND, SPLIT, ZERO, JournalEntry


def estimate_dividend_tax(
    entries: Iterable[JournalEntry], actions: Iterable[JournalEntry], sale: JournalEntry
) -> Decimal:
    """Return about how much tax the sale of shares makes due on the dividends that they had, to the cent.

    The oldest shares are sold first, whatever `ledger.method` is, as the clearing house counts. Left out: the face
    value of bonus shares out of profits, which sources do not tell from others, and dividends older than the table.

    entries, actions  of that security, as fold() takes them
    """
    paid = PaidDividends(from_canonical(sale.symbol))
    found = [ZERO]

    def watch(books: Books, entry: JournalEntry, holding: Holding | None, before: list[TaxLot]) -> None:
        assert holding is not None
        paid.note_entry(entry, holding, before)
        if entry.id == sale.id:
            found[0] = paid.tax_of_sale(books.sales[-1].lots, sale.date)

    book_entries(entries, actions, method=FIFO, lenient=True, watch=watch)
    return round_to_cents(found[0])


class PaidDividends:
    """The dividends of one security, per share as there are now, and the tax that a sale makes due for them."""

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol
        self._paid: list[tuple[str, Decimal]] = []

    def note_entry(self, entry: JournalEntry, holding: Holding, before: list[TaxLot]) -> None:
        """Take a dividend in, or let those of before follow a change of the number of shares; `before`: lots before."""
        if entry.kind == DIVIDEND and holding.before:
            each = EXACT.divide(entry.cash, holding.before) if entry.cash is not None else entry.price or ZERO
            self.note_dividend(entry.date, each)
        elif entry.kind in (BONUS, SPLIT) and before and holding.quantity:
            shares = sum((lot.quantity for lot in before), ZERO)
            self._paid[:] = [
                (day, EXACT.divide(EXACT.multiply(each, shares), holding.quantity)) for day, each in self._paid
            ]

    def note_dividend(self, day: str, each: Decimal) -> None:
        """Take in what was paid for each share on an ex-date."""
        if each > 0:
            self._paid.append((day, each))

    def tax_of_sale(self, lots: Iterable[TaxLot], sold: str) -> Decimal:
        """Return the tax of shares sold on a day, not rounded; `lots` are those that the sale took, by FIFO."""
        return sum((self._tax_of_lot(lot, sold) for lot in lots), ZERO)

    def _tax_of_lot(self, lot: TaxLot, sold: str) -> Decimal:
        tax = ZERO
        for ex_day, each in self._paid:
            if lot.date < ex_day:
                with contextlib.suppress(NotFound):  # older than the table
                    pct = tax_pct(self.symbol, ex_day, lot.date, sold) or ZERO
                    tax += EXACT.multiply(EXACT.multiply(lot.quantity, each), pct) / 100
        return tax
