"""What follows from the journal: holdings, cost, realized profit, cash. Pure; money is Decimal, to the cent, half up.

Cost includes the fees of buying. Realized is the proceeds less the fees of selling less the cost of what was sold: by
average, the cost of the holding x sold / held, rounded at each sale; by FIFO, the oldest shares first, the last lot
that a sale touches split in the same way. A dividend is income and leaves the cost alone; bonus shares and splits
change the number of shares, not their cost. Corporate actions count on what was held at the close before their date.

A holding of whole shares stays whole: the fraction is cut off. (The clearing house draws who gets a share for it; what
was drawn, or the cash that a broker pays, is entered by hand.) The first lots together grow to the whole shares that
they make: of 3 + 4 shares and 5 new ones for 10, to 4 and to 10 in all.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import NamedTuple

from ia.domain.rules.fees import EXACT, round_to_cents
from ia.kernel.errors import Refused
from ia.organs.ledger import loans as lending
from ia.organs.ledger.journal import (
    ACTIONS,
    BONUS,
    BUY,
    DEPOSIT,
    DIVIDEND,
    LOANS,
    REPAID,
    SELL,
    SPLIT,
    SUBSCRIBE,
    WITHDRAW,
    ZERO,
    JournalEntry,
)

AVERAGE, FIFO = "average", "fifo"
LATE = timedelta(days=60)
"""What a person or a statement tells so long after an action, and before the next, is that action."""
_FRACTION = Decimal("0.000001")
_TENTH = Decimal("0.0001")
_ONE = Decimal(1)


def prorate_cost(cost: Decimal, part: Decimal, whole: Decimal) -> Decimal:
    """Return cost x part / whole to the cent, half up: rounded once, whatever the precision of the context."""
    return round_to_cents(EXACT.divide(EXACT.multiply(cost, part), whole))


class TaxLot(NamedTuple):
    """Shares that were bought at once, and what they cost with fees. `date` is the day of the purchase."""

    quantity: Decimal
    cost: Decimal
    date: str


@dataclass
class Holding:
    """What the journal makes of one security. Money in `currency`.

    lots      the shares that are held; by average cost there is one
    bought    cost of all that was ever bought, with fees. sold: proceeds of all sales less their fees
    fees      of buying and selling
    opening   shares at the start of `day`, the last one with an entry, after its corporate actions; before: the same
              before them; out: sold on it; flow: the money that came in by it (bought: negative)
    history   (day, shares at its end), a row for each day with an entry
    acts      (day, cash a share, shares afterwards per share) of the corporate actions that the market data tell
    last      moment of the last trade, a UTC stamp
    """

    symbol: str
    name: str
    currency: str
    lots: deque[TaxLot] = field(default_factory=deque)
    quantity: Decimal = ZERO
    cost: Decimal = ZERO
    realized: Decimal = ZERO
    dividends: Decimal = ZERO
    fees: Decimal = ZERO
    bought: Decimal = ZERO
    sold: Decimal = ZERO
    before: Decimal = ZERO
    opening: Decimal = ZERO
    out: Decimal = ZERO
    flow: Decimal = ZERO
    day: str = ""
    last: str = ""
    history: list[tuple[str, Decimal]] = field(default_factory=list)
    acts: list[tuple[str, Decimal, Decimal]] = field(default_factory=list)

    def adjust_close(self, close: Decimal, day: str, until: str = "9999") -> Decimal:
        """Return what a close of a day is after the actions that followed, before the day `until`.

        The exchange takes it for its reference price. Nothing was won or lost by the actions.
        """
        for ex_day, cash, ratio in self.acts:
            if day < ex_day < until:
                close = EXACT.divide(close - cash, ratio).quantize(_TENTH, ROUND_HALF_UP)
        return close

    def shares_held_before(self, day: str) -> Decimal | None:
        """Return how many shares were held at the close before a day; None where nothing was entered by then."""
        return next((count for last, count in reversed(self.history) if last < day), None)

    def sellable_shares(self, day: str, days: int) -> Decimal:
        """Return how many shares may be sold on a day where what is bought settles after so many days (0 or 1)."""
        if days == 0 or day > self.day:
            return self.quantity
        return max(self.opening - self.out, ZERO)


@dataclass
class CashAccount:
    """The money of one currency: `balance`, what was brought in and taken out, and each day's changes.

    loans   money that is out: lent by reverse repo, or paid for a new issue that has not arrived
    fees    of lending
    days    day -> (all changes of cash and loans together, those of them that were deposits or withdrawals)
    earned  day -> the interest of it, less the fees of lending
    """

    balance: Decimal = ZERO
    loans: list[lending.Loan] = field(default_factory=list)
    fees: Decimal = ZERO
    deposited: Decimal = ZERO
    withdrawn: Decimal = ZERO
    interest: Decimal = ZERO
    earned: dict[str, Decimal] = field(default_factory=dict)
    days: dict[str, tuple[Decimal, Decimal]] = field(default_factory=dict)

    def book_amount(self, day: str, amount: Decimal, flow: Decimal = ZERO) -> None:
        """Add an amount on a day, and the part of it that is no profit."""
        self.balance += amount
        was = self.days.get(day)
        self.days[day] = (amount, flow) if was is None else (was[0] + amount, was[1] + flow)

    def book_interest(self, day: str, amount: Decimal) -> None:
        """Add interest of a day, or a cost of the account."""
        self.interest += amount
        self.earned[day] = self.earned.get(day, ZERO) + amount
        self.book_amount(day, amount)

    @property
    def lent(self) -> Decimal:
        """The money that is out."""
        return sum((each.amount for each in self.loans), ZERO)


class Sale(NamedTuple):
    """One sale: what it realized, and the lots (or their parts) that it took."""

    entry: JournalEntry
    cost: Decimal
    realized: Decimal
    lots: list[TaxLot]


@dataclass
class Books:
    """The whole ledger. lacking: sales of more than was held, with how much was missing; lenient folds only.

    moved   what the latest entry that is no trade changed the cash by
    repaid  what the latest entry took from the loans
    """

    method: str
    holdings: dict[str, Holding] = field(default_factory=dict)
    cash: dict[str, CashAccount] = field(default_factory=dict)
    sales: list[Sale] = field(default_factory=list)
    lacking: list[tuple[JournalEntry, Decimal]] = field(default_factory=list)
    moved: Decimal = ZERO
    repaid: Decimal = ZERO

    def cash_account(self, currency: str) -> CashAccount:
        """Return the cash of a currency."""
        found = self.cash.get(currency)
        if found is None:
            found = self.cash[currency] = CashAccount()
        return found


Watch = Callable[[Books, JournalEntry, Holding | None, list[TaxLot]], None]
"""Told of each entry after it counts: the books, the entry, its holding, and the lots as they were before."""


def book_entries(
    entries: Iterable[JournalEntry],
    actions: Iterable[JournalEntry] = (),
    *,
    method: str = AVERAGE,
    lenient: bool = False,
    watch: Watch | None = None,
) -> Books:
    """Return the books of entries that stand, in any order.

    actions  corporate actions that are not in the journal. One that the journal has for itself (entered by hand or from
             a statement, up to LATE after it and before the next) does not count twice.
    lenient  a sale of more than was held counts for what was held, instead of raising Refused
    watch    called after each entry
    """
    journal = list(entries)
    happened = sorted(
        [*_effective_actions(journal, actions), *(e for e in journal if e.kind not in ACTIONS)], key=_booking_order
    )
    books = Books(method)
    for entry in happened:
        book_entry(books, entry, lenient=lenient, watch=watch)
    close_books(books)
    return books


def book_entry(books: Books, entry: JournalEntry, *, lenient: bool = False, watch: Watch | None = None) -> None:
    """Let one more entry count, the latest one; arguments and errors as those of book_entries."""
    step = _BOOK.get(entry.kind)
    if step is None:
        (_book_loan if entry.kind in LOANS else _book_cash_flow)(books, entry, lenient)
        if watch is not None:
            watch(books, entry, None, [])
        return
    holding = books.holdings.get(entry.symbol)
    if holding is None:
        holding = books.holdings[entry.symbol] = Holding(entry.symbol, entry.name, entry.currency)
    if holding.day != entry.date:
        if holding.day:
            holding.history.append((holding.day, holding.quantity))
        holding.day, holding.out, holding.flow = entry.date, ZERO, ZERO
        holding.before = holding.opening = holding.quantity
        holding.name = entry.name or holding.name
    before = list(holding.lots) if watch is not None else []
    step(books, holding, entry, lenient)
    if watch is not None:
        watch(books, entry, holding, before)


def close_books(books: Books) -> None:
    """Enter the last day of each holding in its history: no entry follows."""
    for holding in books.holdings.values():
        if holding.day:
            holding.history.append((holding.day, holding.quantity))
    for money in books.cash.values():
        _advance_deposits(money)


def _advance_deposits(money: CashAccount) -> None:
    """Count a deposit from the day before on where it paid for what was bought then.

    Dollars that come in on a morning in Shanghai buy in New York, where it is still the day before.
    """
    balance = ZERO
    for day in sorted(money.days):
        moved, flow = money.days.get(day, (ZERO, ZERO))
        balance += moved
        after = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
        came = money.days.get(after, (ZERO, ZERO))
        if balance < 0 < came[1]:
            money.days[day] = moved + came[1], flow + came[1]
            money.days[after] = came[0] - came[1], ZERO
            balance += came[1]


def _booking_order(entry: JournalEntry) -> tuple[str, bool, str, int]:
    """Actions first: they count on what was held at the close before."""
    return entry.date, entry.kind not in ACTIONS, entry.time, entry.place or entry.id


def _effective_actions(journal: Sequence[JournalEntry], actions: Iterable[JournalEntry]) -> list[JournalEntry]:
    """Return the corporate actions that count: those that a person or a statement told, and of the others the rest."""
    told: dict[tuple[str, str], list[str]] = {}
    mine, theirs = [], []
    for entry in journal:
        if entry.kind in ACTIONS:
            if _is_market_action(entry):
                theirs.append(entry)
            else:
                mine.append(entry)
                told.setdefault((entry.symbol, _action_type(entry)), []).append(entry.date)
    known = {entry.key for entry in theirs}
    theirs += [entry for entry in actions if entry.key not in known]
    if not told:
        return [*mine, *theirs]
    following: dict[tuple[str, str], list[str]] = {}
    for entry in theirs:
        following.setdefault((entry.symbol, _action_type(entry)), []).append(entry.date)
    kept = []
    for entry in theirs:
        what = (entry.symbol, _action_type(entry))
        late = (date.fromisoformat(entry.date) + LATE).isoformat()
        until = min([late, *(day for day in following[what] if day > entry.date)])
        if not any(entry.date <= day < until for day in told.get(what, ())):
            kept.append(entry)
    return [*mine, *kept]


def _is_market_action(entry: JournalEntry) -> bool:
    """Whether an action is known from the source of the prices, which are those after it from its day on."""
    return (entry.key or "").startswith("action:")


def _action_type(entry: JournalEntry) -> str:
    """Return what two reports of one action have in common: the money, or the shares."""
    return "money" if entry.kind == DIVIDEND else "shares"


def _book_buy(books: Books, holding: Holding, entry: JournalEntry, _: bool) -> None:
    assert entry.quantity is not None and entry.cash is not None
    fees = entry.fees
    cost = entry.cash + fees
    if books.method == FIFO or not holding.lots:
        holding.lots.append(TaxLot(entry.quantity, cost, entry.date))
    else:
        lot = holding.lots[0]
        holding.lots[0] = TaxLot(lot.quantity + entry.quantity, lot.cost + cost, lot.date)
    holding.quantity += entry.quantity
    holding.cost += cost
    holding.bought += cost
    holding.fees += fees
    holding.flow -= cost
    holding.last = max(holding.last, entry.time)
    money = books.cash_account(entry.currency)
    money.book_amount(entry.date, -cost)
    if entry.kind == SUBSCRIBE:
        books.repaid = lending.settle_prepayment(money.loans, entry, cost)
        money.balance += books.repaid


def _book_sale(books: Books, holding: Holding, entry: JournalEntry, lenient: bool) -> None:
    assert entry.quantity is not None and entry.cash is not None
    quantity, proceeds, fees = entry.quantity, entry.cash, entry.fees
    if quantity > holding.quantity:
        if not lenient:
            raise Refused(
                "{symbol}: {held} held on {date}; cannot sell {quantity}",
                symbol=entry.symbol,
                date=entry.date,
                held=format_decimal(holding.quantity),
                quantity=format_decimal(quantity),
                hint="enter the earlier purchases first: `ia trade buy {symbol} …`",
            )
        books.lacking.append((entry, quantity - holding.quantity))
        if not holding.quantity:
            return
        proceeds, fees = (prorate_cost(each, holding.quantity, quantity) for each in (proceeds, fees))
        quantity = holding.quantity
    taken, cost = [], ZERO
    left = quantity
    while left:
        lot = holding.lots[0]
        if lot.quantity <= left:
            holding.lots.popleft()
            part = lot
        else:
            part = TaxLot(left, prorate_cost(lot.cost, left, lot.quantity), lot.date)
            holding.lots[0] = TaxLot(lot.quantity - left, lot.cost - part.cost, lot.date)
        taken.append(part)
        cost += part.cost
        left -= part.quantity
    net = proceeds - fees
    holding.quantity -= quantity
    holding.cost -= cost
    holding.realized += net - cost
    holding.sold += net
    holding.fees += fees
    holding.out += quantity
    holding.flow += net
    holding.last = max(holding.last, entry.time)
    books.cash_account(entry.currency).book_amount(entry.date, net)
    books.sales.append(Sale(entry, cost, net - cost, taken))


def _book_dividend(books: Books, holding: Holding, entry: JournalEntry, _: bool) -> None:
    """A dividend: the money that came, or so much a share. A tax that is taken later is a negative one."""
    paid = entry.cash
    if paid is None:
        assert entry.price is not None
        paid = round_to_cents(EXACT.multiply(holding.before, entry.price))
        if _is_market_action(entry):
            _note_market_action(holding, entry.date, cash=entry.price)
    paid -= entry.fees
    books.moved = paid
    if paid:
        holding.dividends += paid
        holding.flow += paid
        books.cash_account(entry.currency).book_amount(entry.date, paid)


def _book_share_change(books: Books, holding: Holding, entry: JournalEntry, _: bool) -> None:
    """Bonus shares, or a split: more or fewer shares for the same cost."""
    held = holding.quantity
    if entry.ratio is None:
        assert entry.quantity is not None
        now, part, whole = held + entry.quantity, held + entry.quantity, held
    elif not held:
        return
    elif entry.kind == SPLIT:
        part, whole = entry.ratio, _ONE
        now = _cut_fraction(EXACT.multiply(held, part), held)
        if _is_market_action(entry):
            _note_market_action(holding, entry.date, ratio=part)
    else:  # of one day bonus and transfer shares both come for what was held before it: neither grows the other
        new = EXACT.multiply(holding.before, entry.ratio)
        part, whole = held + new, held
        now = held + _cut_fraction(new, held)
        if _is_market_action(entry):
            _note_market_action(holding, entry.date, new=entry.ratio)
    if not held:  # sold meanwhile: the shares that arrive have cost nothing
        holding.lots.append(TaxLot(now, ZERO, entry.date))
    else:
        _scale_lots(holding, held, part, whole)
    holding.quantity = holding.opening = now
    if not now:
        holding.realized -= holding.cost
        holding.cost = ZERO


def _note_market_action(
    holding: Holding, day: str, *, cash: Decimal = ZERO, new: Decimal = ZERO, ratio: Decimal = _ONE
) -> None:
    """Note what the market data tell of an ex-day: all of one day together move its reference price once."""
    if holding.acts and holding.acts[-1][0] == day:
        _, had, was = holding.acts.pop()
        cash, ratio = cash + had, EXACT.multiply(was + new, ratio)
    else:
        ratio += new
    holding.acts.append((day, cash, ratio))


def _scale_lots(holding: Holding, held: Decimal, part: Decimal, whole: Decimal) -> None:
    """Let the lots grow by part / whole, in whole shares where all is whole; one that is left empty joins the next."""
    lots: deque[TaxLot] = deque()
    before = got = cost = ZERO
    for lot in holding.lots:
        before += lot.quantity
        reached = _cut_fraction(EXACT.divide(EXACT.multiply(before, part), whole), held)
        cost += lot.cost
        if reached > got:
            lots.append(TaxLot(reached - got, cost, lot.date))
            got, cost = reached, ZERO
    if cost and lots:
        lots[-1] = lots[-1]._replace(cost=lots[-1].cost + cost)
    holding.lots = lots


def _cut_fraction(quantity: Decimal, held: Decimal) -> Decimal:
    """Return a quantity cut off to whole shares where those that were held are whole, else to a millionth."""
    unit = Decimal(1) if held == held.to_integral_value() else _FRACTION
    return quantity.quantize(unit, ROUND_DOWN, EXACT)


def _book_loan(books: Books, entry: JournalEntry, lenient: bool) -> None:
    """Money goes out and comes back: what is lent stays the owner's, its interest is earned when it comes."""
    assert entry.cash is not None
    money = books.cash_account(entry.currency)
    money.fees += entry.fees
    if entry.kind == REPAID:
        books.repaid = lending.repay_loans(money.loans, entry, lenient)
        money.balance += books.repaid
        money.book_interest(entry.date, entry.cash - books.repaid - entry.fees)
        books.moved = entry.cash - entry.fees
    else:
        money.loans.append(lending.Loan(entry.kind, entry.symbol, entry.name, entry.cash))
        money.balance -= entry.cash
        money.book_interest(entry.date, -entry.fees)
        books.moved = -entry.cash - entry.fees


def _book_cash_flow(books: Books, entry: JournalEntry, _: bool) -> None:
    money, amount = books.cash_account(entry.currency), entry.cash or ZERO
    books.moved = -amount if entry.kind == WITHDRAW else amount
    if entry.kind == DEPOSIT:
        money.deposited += amount
        money.book_amount(entry.date, amount, amount)
    elif entry.kind == WITHDRAW:
        money.withdrawn += amount
        money.book_amount(entry.date, -amount, -amount)
    else:
        money.book_interest(entry.date, amount)


_BOOK: dict[str, Callable[[Books, Holding, JournalEntry, bool], None]] = {
    BUY: _book_buy,
    SUBSCRIBE: _book_buy,
    SELL: _book_sale,
    DIVIDEND: _book_dividend,
    BONUS: _book_share_change,
    SPLIT: _book_share_change,
}
"""What an entry about a security does to its holding."""


def format_decimal(number: Decimal) -> str:
    """Return a number as people write it: no exponent, no idle zeros.

    >>> format_decimal(Decimal("100.00")), format_decimal(Decimal("1E+2")), format_decimal(Decimal("0.50"))
    ('100', '100', '0.5')
    """
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
