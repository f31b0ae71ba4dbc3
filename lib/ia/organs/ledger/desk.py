"""The desk: where journal, rules, guard and prices meet. Commands, tools and approvals all work through it.

Prices and corporate actions come in through a `Market`; `ia.wiring.ledger_prices` hands over the store's. Actions of
what is held count by themselves. Real ones are entered into the journal, so that a deleted cache loses nothing;
simulated ones are not, and count for as long as the simulated prices do.
"""

import contextlib
import dataclasses
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from ia.domain.instruments import boards
from ia.domain.instruments.symbols import Symbol, SymbolList, from_canonical, listed_code, resolve_security
from ia.domain.rules.settlement import sellable_after
from ia.kernel import clock, config, store
from ia.kernel.errors import Message, NotFound, Notify, PluralText, Simulated, UsageError, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.ledger import guard, journal, order
from ia.organs.ledger.account import Account, LastPrice, build_account
from ia.organs.ledger.benchmark import Benchmark
from ia.organs.ledger.booking import Books, book_entries, format_decimal
from ia.organs.ledger.exchange import StoredRates
from ia.organs.ledger.guard import AccountState, Breach, CheckedOrder, GuardHolding, SecurityQuote
from ia.organs.ledger.journal import ACTIONS, BUY, DEPOSIT, DIVIDEND, SELL, TRADES, ZERO, JournalEntry
from ia.organs.ledger.order import Order
from ia.organs.ledger.whole_account import weigh_in_whole

SHOWN = 5
"""Corporate actions that are told one by one; more of them are counted."""


class AnnouncedDividend(Protocol):
    """A dividend to come: `cash` of a share before tax, None where the amount is not told; `date` is the ex-date."""

    @property
    def symbol(self) -> str: ...
    @property
    def date(self) -> str: ...
    @property
    def cash(self) -> float | None: ...
    @property
    def source(self) -> str: ...
    @property
    def simulated(self) -> bool: ...


class PriceSource(Protocol):
    """What the ledger asks of the store; nothing of it is later than now()."""

    def latest_prices(self, symbols: Iterable[Symbol], moment: datetime | None = None) -> dict[str, LastPrice]:
        """Return the latest prices that could be seen at a moment (now()), by canonical symbol."""
        ...

    def prefetch_closes(self, spans: dict[str, tuple[str, str]]) -> None:
        """Be told whose closes will be asked for, from which day to which: all are read at once."""
        ...

    def closes(self, symbol: str, since: str) -> Sequence[tuple[str, float]]:
        """Return (date, close) of a security, oldest first, with the last one before `since`."""
        ...

    def actions(
        self, symbols: Iterable[Symbol], after: Mapping[str, str] | None = None
    ) -> list[tuple[JournalEntry, bool]]:
        """Return the known corporate actions as entries that are not in the journal, and whether each is simulated.

        after  only those after this day, by canonical symbol
        """
        ...

    def is_holiday(self, symbol: Symbol, day: str) -> bool:
        """Return whether a weekday has no session at the exchange of a security."""
        ...

    def is_before_opening(self, symbol: Symbol, moment: datetime) -> bool:
        """Return whether a moment is before the opening of its day at the exchange of a security."""
        ...

    def find_quote(self, symbol: Symbol, day: str, moment: datetime) -> SecurityQuote | None:
        """Return what could be known of a security on a day at a moment; None where nothing is stored of it."""
        ...

    def sessions(self, market: str, since: str) -> Sequence[str]:
        """Return the sessions of a market from a day on that the stored prices of its index tell; [] without one."""
        ...

    def calendar_sessions(self, market: str, after: str, until: str) -> Sequence[str]:
        """Return the sessions of a market after a day up to another, as its calendar has them: half a second."""
        ...

    def load_benchmark(self, symbol: Symbol, since: str) -> Benchmark:
        """Return the stored prices of a benchmark from the last one before a day on; none where nothing is stored."""
        ...

    def industry(self, symbol: str) -> str:
        """Return the industry of a canonical symbol as it was known today; "" where nothing tells it."""
        ...

    def announced_dividends(self, symbols: Sequence[str]) -> Sequence[AnnouncedDividend]:
        """Return the dividends of canonical symbols that are announced, with an ex-date ahead, by that date."""
        ...

    def exchange_rates(self, currencies: Iterable[str]) -> Mapping[str, StoredRates]:
        """Return the stored rates of currencies; those that nobody has are left out."""
        ...


class LedgerDesk:
    """The ledger of a workspace with its prices."""

    def __init__(self, ws: Workspace, market: PriceSource, notify: Notify = drop_message) -> None:
        self.ws, self.market, self.notify = ws, market, notify

    @property
    def method(self) -> str:
        """How what is sold is costed: the setting `ledger.method`."""
        return str(config.get_setting("ledger.method"))

    def books(
        self,
        *,
        method: str | None = None,
        session: str = "",
        until: datetime | None = None,
        through: str = "",
        replaced: JournalEntry | None = None,
        paid_on: str = "",
    ) -> Books:
        """Return what the journal makes at now(), or at an earlier moment; of one session's trades alone, if named.

        through   the last day that counts, by the dates of the entries, whatever the time was elsewhere

        paid_on   a day of which deposits count whatever their time: they are often entered after the trades

        replaced  an entry that is corrected to be of the moment `until`: it does not count, nor do the entries of that
                  moment that follow it
        """
        with _pause_gc():
            return self._build_books(method, session, until, replaced, paid_on, through)

    def _build_books(
        self,
        method: str | None,
        session: str,
        until: datetime | None,
        replaced: JournalEntry | None,
        paid_on: str,
        through: str,
    ) -> Books:
        entries = journal.effective_entries(self.ws.db)
        if replaced is not None:
            entries = [each for each in entries if each.id != replaced.id]
        entries += self._sync_actions(entries)
        if through:
            entries = [each for each in entries if each.date <= through]
        if until is not None:
            stamp = clock.utc_stamp(until)
            entries = [
                each for each in entries if each.time <= stamp or (each.kind == DEPOSIT and each.date == paid_on)
            ]
            if replaced is not None:
                place = replaced.place or replaced.id
                entries = [
                    each
                    for each in entries
                    if each.time < stamp or each.kind in ACTIONS or (each.place or each.id) < place
                ]
        if session:
            entries = [each for each in entries if each.session == session or _is_per_share(each)]
        books = book_entries(entries, method=method or self.method, lenient=bool(session))
        for entry, lacking in books.lacking:
            self.notify(
                Message(
                    PluralText(
                        "{symbol}: {lacking} of the shares sold by entry {number} was not bought in this session",
                        "{symbol}: {lacking} of the shares sold by entry {number} were not bought in this session",
                        by="lacking",
                    ),
                    symbol=entry.symbol,
                    lacking=format(lacking, "f"),
                    number=entry.id,
                )
            )
        return books

    def load_prices(self, books: Books) -> dict[str, LastPrice]:
        """Return the prices that the books need; what lacks and what is simulated is told."""
        symbols, found = self._load_needed_prices(books, self.today)
        lacking = SymbolList(each for each in symbols if each.canonical not in found)
        if lacking:
            self.notify(Message("no stored price of {symbols}; figures that depend on it are empty", symbols=lacking))
        self._notify_stale_prices(
            {each.symbol: found[each.symbol] for each in books.holdings.values() if each.symbol in found}
        )
        if any(price.simulated for price in found.values()):
            self.notify(Simulated("the prices are simulated"))
        return found

    def _notify_stale_prices(self, prices: Mapping[str, LastPrice]) -> None:
        """Name the prices that are older than the last session."""
        old = {name: price for name, price in prices.items() if price.missed}
        same = {(price.date, price.missed) for price in old.values()}
        if len(same) == 1 and len(old) > 1:
            date, missed = next(iter(same))
            told = f"{len(old)}" if len(old) > SHOWN else ", ".join(sorted(old))
            self.notify(
                Message(
                    PluralText(
                        "prices of {symbols} are from {date}, {missed} trading day old; run `ia sync` to update them",
                        "prices of {symbols} are from {date}, {missed} trading days old; run `ia sync` to update them",
                        by="missed",
                    ),
                    symbols=told,
                    date=date,
                    missed=missed,
                )
            )
            return
        for name, price in sorted(old.items())[:SHOWN]:
            self.notify(
                Message(
                    PluralText(
                        "{symbol}: the price is from {date}, {missed} trading day old",
                        "{symbol}: the price is from {date}, {missed} trading days old",
                        by="missed",
                    ),
                    symbol=name,
                    date=price.date,
                    missed=price.missed,
                )
            )
        if len(old) > SHOWN:
            self.notify(
                Message(
                    PluralText(
                        "{count} other price is older than the last trading day",
                        "{count} other prices are older than the last trading day",
                    ),
                    count=len(old) - SHOWN,
                )
            )

    def _load_needed_prices(
        self, books: Books, today: str, until: datetime | None = None
    ) -> tuple[list[Symbol], dict[str, LastPrice]]:
        """Return the securities whose prices an account needs, and those prices.

        Also of what was sold on the day of the prices, which is the account's day until the next one has prices.
        """
        asked = [each for each in books.holdings.values() if each.quantity or each.day >= today]
        found = self.market.latest_prices([from_canonical(each.symbol) for each in asked], until)
        latest: dict[str, str] = {}
        for each in asked:
            if each.symbol in found:
                latest[each.currency] = max(latest.get(each.currency, ""), found[each.symbol].date)
        sold = [
            each
            for each in books.holdings.values()
            if not each.quantity and latest.get(each.currency, today) <= each.day < today
        ]
        for day in {each.day for each in sold}:
            gone = [from_canonical(each.symbol) for each in sold if each.day == day]
            found |= self.market.latest_prices(gone, order.day_end(day, gone[0].market))
        return [from_canonical(name) for name in sorted(each.symbol for each in (*asked, *sold))], found

    @property
    def today(self) -> str:
        """The date of now() in Shanghai and Hong Kong."""
        return order.exchange_date(None, clock.now())

    def account(
        self,
        *,
        method: str | None = None,
        until: datetime | None = None,
        books: Books | None = None,
        curve: bool = True,
    ) -> Account:
        """Return the account at now(), or as it was at an earlier moment; of books that are folded already.

        curve   whether the drawdown is asked for: it takes a close for each day and security (50 ms for 20 in 3 years)
        """
        books = books or self.books(method=method, until=until)
        moment = until or clock.now()
        today = order.exchange_date(None, moment)
        if until is None:
            prices = self.load_prices(books)
            held = [each for each in books.holdings.values() if each.history] if curve else []
            self.market.prefetch_closes(
                {each.symbol: (each.history[0][0], "9999" if each.quantity else each.day) for each in held}
            )
        else:
            _, prices = self._load_needed_prices(books, today, until)
        found = build_account(
            books,
            prices,
            self.market.closes if until is None and curve else None,
            today=today,
            settled=lambda symbol: sellable_after(from_canonical(symbol), today).days,
            capital=order.load_capital(),
        )
        weigh_in_whole(found, self.market.exchange_rates, today)
        return found

    def known_actions(self) -> list[JournalEntry]:
        """Return the actions that count and are not in the journal: simulated ones. Real ones are entered now."""
        entries = journal.effective_entries(self.ws.db)
        return [each for each in self._sync_actions(entries) if not each.id]

    def _sync_actions(self, entries: list[JournalEntry]) -> list[JournalEntry]:
        """Return the known actions that the journal lacks; real ones that count are entered into it first."""
        first: dict[str, str] = {}
        for entry in entries:
            if entry.kind in TRADES:
                first.setdefault(entry.symbol, entry.date)
        found = self.market.actions(map(from_canonical, sorted(first)), first)
        if not found:
            return []
        known = journal.find_known_keys(self.ws.db, (each.key or "" for each, _ in found))
        lacking = [(each, simulated) for each, simulated in found if each.key not in known]
        if not lacking:
            return []
        books = book_entries([*entries, *(each for each, _ in lacking)], lenient=True)
        counted = [
            (each, made_up) for each, made_up in lacking if books.holdings[each.symbol].shares_held_before(each.date)
        ]
        real = [each for each, simulated in counted if not simulated]
        if real and store.is_writable(self.ws.db):
            real = self._enter_actions(real)
        return [*real, *(each for each, simulated in counted if simulated)]

    def _enter_actions(self, actions: list[JournalEntry]) -> list[JournalEntry]:
        with self.ws.lock():
            done = journal.append_entries(self.ws, actions)
        for market in sorted({from_canonical(each.symbol).market for each in done if each.kind == DIVIDEND} - {"CN"}):
            self.notify(
                Message(
                    "dividends of {market} are entered before tax; enter the withheld tax with `ia trade dividend "
                    "--date DAY -- SYMBOL -TAX` (see dividend_withheld in `ia trade rules`)",
                    market=market,
                )
            )
        if len(done) > SHOWN:
            self.notify(
                Message(
                    PluralText(
                        "entered {count} dividend, bonus issue or split from the market data",
                        "entered {count} dividends, bonus issues and splits from the market data",
                    ),
                    count=len(done),
                )
            )
            return done
        for each in done:
            self.notify(
                Message(
                    "entered from the market data: {kind} of {symbol} on {date}",
                    kind=Message(each.kind),
                    symbol=each.symbol,
                    date=each.date,
                )
            )
        return done

    def missing_actions(self, entries: list[JournalEntry]) -> list[JournalEntry]:
        """Return the known actions of what these entries trade that the journal lacks, as they may still be entered."""
        symbols = sorted({each.symbol for each in entries if each.kind in TRADES})
        found = self.market.actions(map(from_canonical, symbols))
        known = journal.find_known_keys(self.ws.db, (each.key or "" for each, _ in found))
        return [each for each, _ in found if each.key not in known]

    def resolve_symbol(self, text: str) -> Symbol:
        """Return the one security that a person means: by rule and table, else by a name that the journal has.

        raises  UsageError for one in doubt, or an index; NotFound for an unknown one.
        """
        try:
            found = resolve_security(text, traded=True)
        except NotFound:
            rows = self.ws.db.execute("SELECT DISTINCT symbol FROM trades WHERE name = ?", (text.strip(),)).fetchall()
            if len(rows) != 1:
                raise
            found = from_canonical(rows[0][0])
        if found.kind == "index":
            raise UsageError("{symbol} is an index and cannot be traded", symbol=str(found))
        if found.kind == "repo":
            raise UsageError(
                "{symbol} is a reverse repo, which is money lent, not a security",
                symbol=str(found),
                digits=found.code,
                hint="enter the loan with `ia trade lend AMOUNT --code {digits}`, its repayment with `ia trade "
                "repaid AMOUNT`",
            )
        if found.kind == "issue":
            listed = listed_code(found) or listed_code(found, rights=True)
            raise UsageError(
                "{symbol} is a subscription code of a new issue",
                symbol=str(found),
                listed=listed.canonical if listed else "CODE",
                hint="enter it under its listed code: `ia trade buy {listed} QUANTITY PRICE --subscribed`",
            )
        return found

    def latest_price(self, symbol: Symbol, moment: datetime) -> LastPrice:
        """Return the latest stored price at a moment, and tell of which day it is.

        raises  UsageError where none is stored.
        """
        price = self.market.latest_prices([symbol], moment).get(symbol.canonical)
        if price is None:
            raise UsageError("no stored price of {symbol}", symbol=symbol, hint="give the price: --price PRICE")
        self.notify(
            Message(
                "{symbol}: using the price of {date}, {price}",
                symbol=symbol,
                date=price.date,
                price=format(price.price, "f"),
            )
        )
        if price.simulated:
            self.notify(Simulated("the prices are simulated"))
        return price

    def shares_held(self, symbol: Symbol, moment: datetime) -> Decimal:
        """Return how many shares were held at a moment.

        raises  NotFound where there were none.
        """
        holding = self.books(until=moment).holdings.get(symbol.canonical)
        if holding is None or not holding.quantity:
            raise NotFound("you do not hold {symbol}", symbol=symbol, hint="`ia account` shows your positions")
        return Decimal(format_decimal(holding.quantity))

    def account_warnings(self, found: Account) -> list[Breach]:
        """Return what an account should be warned of, currency by currency."""
        limits = guard.load_limits()
        told = []
        for purse in found.purses.values():
            told += guard.account_warnings(_build_state(found, purse.currency), limits)
        return told

    def check_order(self, wish: Order, replaced: JournalEntry | None = None) -> list[Breach]:
        """Return what the guard says of an order, on the account as it was at the order's moment.

        replaced  the entry that the order is to replace: the order takes its place among those of one moment
        """
        if wish.side not in (BUY, SELL):
            return []
        return guard.check_order(make_checked(wish), self.guard_state(wish, replaced), guard.load_limits())

    def guard_state(self, wish: Order, replaced: JournalEntry | None = None) -> AccountState:
        """Return the account in the order's currency as the guard needs it.

        A holding without a price counts at the order's, another security at its cost: no rule sleeps for lack of data.
        """
        currency = boards.trading_currency(wish.symbol)
        books = self.books(until=wish.moment, replaced=replaced, paid_on=wish.day)
        now = self.account(until=wish.moment, books=books)
        before = self.market.is_before_opening(wish.symbol, wish.moment)
        found = _build_state(now, currency, "" if before else wish.day, wish)
        if before and found.day_pnl is not None and now.purses[currency].day < wish.day:  # nothing has moved yet
            found = dataclasses.replace(found, day_pnl=ZERO, day_start_equity=found.equity)
        guessed = [symbol for symbol in now.unpriced if symbol in found.positions and symbol != wish.symbol.canonical]
        self._notify_stale_prices({each.symbol: each.price for each in now.positions if each.price is not None})
        if guessed:
            self.notify(
                Message(
                    "no stored price of {symbols}: the risk rules value it at cost",
                    symbols=", ".join(sorted(guessed)),
                )
            )
        return dataclasses.replace(
            found,
            last_trades=self._nearest_trades(wish, replaced.id if replaced is not None else 0),
            quote=self.market.find_quote(wish.symbol, wish.day, wish.moment),
            holiday=self.market.is_holiday(wish.symbol, wish.day),
        )

    def _nearest_trades(self, wish: Order, without: int) -> dict[str, datetime]:
        """Return the moment of the trade in the order's security that is nearest to it, before or after."""
        moments = [
            datetime.fromisoformat(each.time)
            for each in journal.effective_entries(self.ws.db, symbol=wish.symbol.canonical)
            if each.kind in (BUY, SELL) and each.id != without
        ]
        nearest = min(moments, key=lambda moment: abs(moment - wish.moment), default=None)
        return {} if nearest is None else {wish.symbol.canonical: nearest}


def make_checked(wish: Order) -> CheckedOrder:
    """Return a trade as the guard takes it, with its fees."""
    return CheckedOrder(
        symbol=wish.symbol,
        action="buy" if wish.side == BUY else "sell",
        quantity=wish.quantity,
        price=wish.price,
        moment=wish.moment,
        day=wish.day,
        name=wish.symbol.name,
        fees=order.build_entry(wish).fees,
    )


def _build_state(found: Account, currency: str, day: str = "", wish: Order | None = None) -> AccountState:
    """Return an account in one currency as the guard takes it; the day's result only where it is that of `day`.

    wish    where it is given, a holding without a price counts at the order's price, or at its cost
    """
    purse = found.purses.get(currency)
    if purse is None:
        return AccountState(currency)
    held = {}
    equity, known = purse.equity, purse.today
    for each in found.positions:
        if each.currency == currency:
            value = each.value
            if value is None and wish is not None:
                value = each.quantity * wish.price if each.symbol == wish.symbol.canonical else each.cost
            price = each.price.price if each.price else None
            held[each.symbol] = GuardHolding(
                quantity=each.quantity, sellable=each.sellable, value=value, cost=each.cost, last_price=price
            )
    if equity is None and wish is not None and purse.cash is not None:
        equity = purse.cash + purse.lent + sum((each.value or ZERO for each in held.values()), ZERO)
    if day and purse.day != day and held:
        known = None
    start = equity - known if equity is not None and known is not None else None
    return AccountState(currency, equity, purse.cash, held, {}, known, start, whole=purse.whole)


@contextlib.contextmanager
def _pause_gc() -> Iterator[None]:
    """Keep the garbage collector from looking through a hundred thousand entries again and again as they are made."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _is_per_share(entry: JournalEntry) -> bool:
    """Whether an entry holds for whoever has the shares: a dividend or a ratio per share."""
    return entry.kind in ACTIONS and entry.cash is None and entry.quantity is None
