"""The journal as beancount text that `bean-check` accepts, and whose sums it checks.

Shares stand in lots at cost, FIFO, whatever `ledger.method` is: beancount has no average booking. As everywhere here
the cost includes the fees of buying (told as metadata), and what a sale realizes is written out, so that bean-check
verifies our arithmetic to the cent. Balances of cash and shares are asserted at the end.
"""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal

from ia.domain.rules.fees import round_to_cents
from ia.organs.ledger.booking import FIFO, Books, Holding, TaxLot, book_entries, format_decimal
from ia.organs.ledger.journal import (
    BONUS,
    BUY,
    DEPOSIT,
    DIVIDEND,
    INTEREST,
    LOANS,
    REPAID,
    SELL,
    SPLIT,
    SUBSCRIBE,
    WITHDRAW,
    ZERO,
    JournalEntry,
)

SHARES, CASH, LENT = "Assets:Broker:Shares", "Assets:Broker:Cash", "Assets:Broker:Lent"
CAPITAL, ROUNDING = "Equity:Capital", "Equity:Rounding"
REalizED, DIVIDENDS, EARNED = "Income:Realized", "Income:Dividends", "Income:Interest"
FEES = "Expenses:Fees"
_TITLE = "ia ledger"


def commodity_name(symbol: str) -> str:
    """Return a security as beancount names it.

    >>> commodity_name("600519.SH"), commodity_name("BRK.B.US")
    ('SH600519', 'US.BRK.B')
    """
    code, _, exchange = symbol.rpartition(".")
    return f"US.{code}" if exchange == "US" else f"{exchange}{code}"


def export_lines(entries: Iterable[JournalEntry], actions: Iterable[JournalEntry] = ()) -> Iterator[str]:
    """Yield the lines of a beancount file of the entries that stand, and of corporate actions beside them."""
    writer = _BeancountWriter()
    books = book_entries(entries, actions, method=FIFO, watch=writer.write_entry)
    return writer.file_lines(books)


class _BeancountWriter:
    """Collects the transactions while the journal is folded; labels[symbol] name the lots in their order."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.labels: dict[str, list[str]] = {}
        self.units: dict[str, Decimal] = {}
        self.left: dict[str, TaxLot] = {}
        self.lent: set[str] = set()
        self.first = ""
        self.number = 0

    def write_entry(self, books: Books, entry: JournalEntry, held: Holding | None, before: list[TaxLot]) -> None:
        """Write what an entry did; `before`: the lots of its security as they were."""
        self.first = self.first or entry.date
        if entry.kind in (BUY, SUBSCRIBE):
            assert held is not None
            self._write_buy(entry, held.lots[-1], books.repaid if entry.kind == SUBSCRIBE else ZERO)
        elif entry.kind == SELL:
            assert held is not None
            self._write_sale(books, entry, before)
        elif entry.kind in (BONUS, SPLIT):
            assert held is not None
            self._write_share_change(entry, before, list(held.lots))
        elif entry.kind in LOANS:
            self._write_loan(books, entry)
        else:
            self._write_cash_flow(books, entry)

    def _lot_label(self, symbol: str, at: int | None, lot: TaxLot) -> str:
        """Name a lot; at: its place among those of its security, the last where none is given."""
        self.number += 1
        label = f"lot-{self.number}"
        named = self.labels.setdefault(symbol, [])
        named.insert(len(named) if at is None else at, label)
        self.units[label] = lot.cost / lot.quantity
        return label

    def _write_header(self, entry: JournalEntry, what: str) -> None:
        name = f"{what} {entry.name or entry.symbol}".strip()
        self.out.append(
            f'\n{entry.date} * "{_quote_string(name)}"' + (f' "{_quote_string(entry.reason)}"' if entry.reason else "")
        )
        if entry.id:
            self.out.append(f"  entry: {entry.id}")
        if entry.fees:
            self.out.append(f'  fees: "{format_decimal(entry.fees)} {entry.currency}"')

    def _write_posting(self, account: str, amount: Decimal, unit: str, rest: str = "") -> None:
        self.out.append(f"  {account}  {format(amount, 'f')} {unit}{rest}")

    def _write_buy(self, entry: JournalEntry, lot: TaxLot, paid: Decimal) -> None:
        """Write a purchase; `paid`: what of it was paid in advance."""
        cost = (entry.cash or ZERO) + entry.fees
        assert entry.quantity is not None
        label = self._lot_label(entry.symbol, None, TaxLot(entry.quantity, cost, lot.date))
        self._write_header(entry, entry.kind)
        self._write_posting(
            SHARES,
            entry.quantity,
            commodity_name(entry.symbol),
            f' {{{{{format(cost, "f")} {entry.currency}, {entry.date}, "{label}"}}}}',
        )
        if paid:
            self._write_posting(f"{LENT}:{entry.currency}", -paid, entry.currency)
        if cost != paid or not paid:
            self._write_posting(f"{CASH}:{entry.currency}", paid - cost, entry.currency)

    def _write_loan(self, books: Books, entry: JournalEntry) -> None:
        unit, out = entry.currency, -books.repaid if entry.kind == REPAID else entry.cash or ZERO
        self.lent.add(unit)
        self._write_header(entry, entry.kind)
        self._write_posting(f"{CASH}:{unit}", books.moved, unit)
        self._write_posting(f"{LENT}:{unit}", out, unit)
        if entry.fees:
            self._write_posting(FEES, entry.fees, unit)
        if earned := books.moved + out + entry.fees:
            self._write_posting(EARNED, -earned, unit)

    def _write_sale(self, books: Books, entry: JournalEntry, before: list[TaxLot]) -> None:
        sale = books.sales[-1]
        assert entry.price is not None
        self._write_header(entry, entry.kind)
        weight = ZERO
        labels = self.labels[entry.symbol]
        for had, taken in zip(before, sale.lots, strict=False):
            label = labels[0]
            weight -= taken.quantity * self.units[label]
            self._write_posting(
                SHARES,
                -taken.quantity,
                commodity_name(entry.symbol),
                f' {{"{label}"}} @ {format(entry.price, "f")} {entry.currency}',
            )
            if taken.quantity == had.quantity:
                labels.pop(0)
        gross = entry.cash or ZERO
        if entry.fees:
            self._write_posting(FEES, entry.fees, entry.currency)
        self._write_posting(f"{CASH}:{entry.currency}", gross - entry.fees, entry.currency)
        self._write_posting(REalizED, -(sale.realized + entry.fees), entry.currency)
        self._write_rounding(weight + sale.cost, entry.currency)

    def _write_share_change(self, entry: JournalEntry, before: list[TaxLot], after: list[TaxLot]) -> None:
        old = self.labels.get(entry.symbol, [])
        if not before and not after:
            return
        self._write_header(entry, entry.kind)
        weight = ZERO
        for lot, label in zip(before, old, strict=True):
            weight -= lot.quantity * self.units[label]
            self._write_posting(
                SHARES, -lot.quantity, commodity_name(entry.symbol), f' {{{entry.currency}, "{label}"}}'
            )
        self.labels[entry.symbol] = []
        lost = sum((lot.cost for lot in before), ZERO) - sum((lot.cost for lot in after), ZERO)
        for lot in after:
            label = self._lot_label(entry.symbol, None, lot)
            weight += lot.cost
            self._write_posting(
                SHARES,
                lot.quantity,
                commodity_name(entry.symbol),
                f' {{{{{format(lot.cost, "f")} {entry.currency}, {lot.date}, "{label}"}}}}',
            )
        if lost:
            weight += lost
            self._write_posting(REalizED, lost, entry.currency)
        self._write_rounding(weight, entry.currency)

    def _write_cash_flow(self, books: Books, entry: JournalEntry) -> None:
        amount, unit = books.moved, entry.currency
        if not amount:
            return
        self._write_header(entry, entry.kind)
        other = {DEPOSIT: CAPITAL, WITHDRAW: CAPITAL, DIVIDEND: DIVIDENDS, INTEREST: EARNED}[entry.kind]
        self._write_posting(f"{CASH}:{unit}", amount, unit)
        self._write_posting(other, -amount, unit)

    def _write_rounding(self, weight: Decimal, unit: str) -> None:
        """Take out what beancount's cost of a share, cut at 28 digits, is off a rounded cost, where it is felt."""
        if abs(weight) > Decimal("0.005"):
            self._write_posting(ROUNDING, -round_to_cents(weight), unit)

    def file_lines(self, books: Books) -> Iterator[str]:
        """Yield all lines: options, accounts, commodities, transactions, balances."""
        yield f'option "title" "{_TITLE}"\noption "inferred_tolerance_default" "*:0.005"\n'
        for unit in sorted(books.cash):
            yield f'option "operating_currency" "{unit}"\n'
        if not self.first:
            return
        yield "\n"
        for account in (
            *(f"{CASH}:{unit}" for unit in sorted(books.cash)),
            *(f"{LENT}:{unit}" for unit in sorted(books.cash) if unit in self.lent),
            CAPITAL,
            ROUNDING,
            REalizED,
            DIVIDENDS,
            EARNED,
            FEES,
        ):
            yield f"{self.first} open {account}\n"
        yield f"{self.first} open {SHARES}\n"
        for symbol in sorted(books.holdings):
            yield f"{self.first} commodity {commodity_name(symbol)}\n"
            if books.holdings[symbol].name:
                yield f'  name: "{_quote_string(books.holdings[symbol].name)}"\n'
        for line in self.out:
            yield line + "\n"
        yield "\n"
        day = max(
            [each.day for each in books.holdings.values()] + [day for each in books.cash.values() for day in each.days]
        )
        after = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
        for unit, cash in sorted(books.cash.items()):
            yield f"{after} balance {CASH}:{unit}  {format(cash.balance, 'f')} {unit}\n"
            if unit in self.lent:
                yield f"{after} balance {LENT}:{unit}  {format(cash.lent, 'f')} {unit}\n"
        for symbol, held in sorted(books.holdings.items()):
            yield f"{after} balance {SHARES}  {format_decimal(held.quantity)} {commodity_name(symbol)}\n"


def _quote_string(words: str) -> str:
    flat = " ".join(words.split())
    return flat.replace("\\", "\\\\").replace('"', '\\"')
