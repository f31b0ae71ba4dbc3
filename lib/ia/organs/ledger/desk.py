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
from ia.domain.instruments.symbols import Symbol, from_canonical, listed_code, resolve
from ia.domain.rules.settlement import sellable_after
from ia.kernel import clock, config, store
from ia.kernel.errors import Message, NotFound, Notify, Simulated, UsageError, silent
from ia.kernel.workspace import Workspace
from ia.organs.ledger import guard, journal, order
from ia.organs.ledger.account import Account, Price, account
from ia.organs.ledger.fold import Books, fold, plain
from ia.organs.ledger.guard import Breach, Held, Quoted, State
from ia.organs.ledger.journal import ACTIONS, BUY, DIVIDEND, SELL, TRADES, ZERO, Entry
from ia.organs.ledger.order import Order

SHOWN = 5
"""Corporate actions that are told one by one; more of them are counted."""


class Market(Protocol):
    """What the ledger asks of the store; nothing of it is later than now()."""

    def prices(self, symbols: Iterable[Symbol], moment: datetime | None = None) -> dict[str, Price]:
        """Return the latest prices that could be seen at a moment (now()), by canonical symbol."""
        ...

    def foresee(self, spans: dict[str, tuple[str, str]]) -> None:
        """Be told whose closes will be asked for, from which day to which: all are read at once."""
        ...

    def closes(self, symbol: str, since: str) -> Sequence[tuple[str, float]]:
        """Return (date, close) of a security, oldest first, with the last one before `since`."""
        ...

    def actions(self, symbols: Iterable[Symbol], after: Mapping[str, str] | None = None) -> list[tuple[Entry, bool]]:
        """Return the known corporate actions as entries that are not in the journal, and whether each is simulated.

        after  only those after this day, by canonical symbol
        """
        ...

    def is_holiday(self, symbol: Symbol, day: str) -> bool:
        """Return whether a weekday has no session at the exchange of a security."""
        ...

    def quoted(self, symbol: Symbol, day: str, moment: datetime) -> Quoted | None:
        """Return what could be known of a security on a day at a moment; None where nothing is stored of it."""
        ...


class Desk:
    """The ledger of a workspace with its prices."""

    def __init__(self, ws: Workspace, market: Market, notify: Notify = silent) -> None:
        self.ws, self.market, self.notify = ws, market, notify

    @property
    def method(self) -> str:
        """How what is sold is costed: the setting `ledger.method`."""
        return str(config.get("ledger.method"))

    def books(
        self,
        *,
        method: str | None = None,
        session: str = "",
        until: datetime | None = None,
        replaced: Entry | None = None,
    ) -> Books:
        """Return what the journal makes at now(), or at an earlier moment; of one session's trades alone, if named.

        replaced  an entry that is corrected to be of the moment `until`: it does not count, nor do the entries of that
                  moment that follow it
        """
        with _unswept():
            return self._books(method, session, until, replaced)

    def _books(self, method: str | None, session: str, until: datetime | None, replaced: Entry | None) -> Books:
        entries = journal.standing(self.ws.db)
        if replaced is not None:
            entries = [each for each in entries if each.id != replaced.id]
        entries += self._actions(entries)
        if until is not None:
            stamp = clock.stamp(until)
            entries = [each for each in entries if each.time <= stamp]
            if replaced is not None:
                place = replaced.place or replaced.id
                entries = [
                    each for each in entries
                    if each.time < stamp or each.kind in ACTIONS or (each.place or each.id) < place
                ]  # fmt: skip
        if session:
            entries = [each for each in entries if each.session == session or _of_all(each)]
        books = fold(entries, method=method or self.method, lenient=bool(session))
        for entry, lacking in books.lacking:
            self.notify(
                Message(
                    "{symbol}: {lacking} of the shares that entry {number} sold were not bought in this session",
                    symbol=entry.symbol, lacking=format(lacking, "f"), number=entry.id,
                )
            )  # fmt: skip
        return books

    def prices(self, books: Books) -> dict[str, Price]:
        """Return the prices that the books need; what lacks and what is simulated is told."""
        symbols, found = self._prices(books, self.today)
        lacking = [str(each) for each in symbols if each.canonical not in found]
        if lacking:
            self.notify(
                Message("no price is stored of {symbols}: what depends on it is left empty", symbols=", ".join(lacking))
            )
        self._tell_of_age({each.symbol: found[each.symbol] for each in books.holdings.values() if each.symbol in found})
        if any(price.simulated for price in found.values()):
            self.notify(Simulated("the prices are simulated"))
        return found

    def _tell_of_age(self, prices: Mapping[str, Price]) -> None:
        """Name the prices that are older than the last session."""
        old = {name: price for name, price in prices.items() if price.missed}
        same = {(price.date, price.missed) for price in old.values()}
        if len(same) == 1 and len(old) > 1:
            date, missed = next(iter(same))
            told = f"{len(old)}" if len(old) > SHOWN else ", ".join(sorted(old))
            self.notify(
                Message(
                    "the prices of {symbols} are as of {date}, {missed} sessions old; `ia sync` brings newer ones",
                    symbols=told, date=date, missed=missed,
                )
            )  # fmt: skip
            return
        for name, price in sorted(old.items())[:SHOWN]:
            self.notify(
                Message(
                    "{symbol}: the price is as of {date}, {missed} sessions old", symbol=name, date=price.date,
                    missed=price.missed,
                )
            )  # fmt: skip
        if len(old) > SHOWN:
            self.notify(Message("{count} more prices are older than the last session", count=len(old) - SHOWN))

    def _prices(self, books: Books, today: str, until: datetime | None = None) -> tuple[list[Symbol], dict[str, Price]]:
        """Return the securities whose prices an account needs, and those prices: also of what was sold on the day that
        they are of, which is the account's day until the next one has prices."""
        asked = [each for each in books.holdings.values() if each.quantity or each.day >= today]
        found = self.market.prices([from_canonical(each.symbol) for each in asked], until)
        latest: dict[str, str] = {}
        for each in asked:
            if each.symbol in found:
                latest[each.currency] = max(latest.get(each.currency, ""), found[each.symbol].date)
        sold = [
            each for each in books.holdings.values()
            if not each.quantity and latest.get(each.currency, today) <= each.day < today
        ]  # fmt: skip
        for day in {each.day for each in sold}:
            gone = [from_canonical(each.symbol) for each in sold if each.day == day]
            found |= self.market.prices(gone, order.day_end(day, gone[0].market))
        return [from_canonical(name) for name in sorted(each.symbol for each in (*asked, *sold))], found

    @property
    def today(self) -> str:
        """The date of now() in Shanghai and Hong Kong."""
        return order.day_of(None, clock.now())

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
        today = order.day_of(None, moment)
        if until is None:
            prices = self.prices(books)
            held = [each for each in books.holdings.values() if each.history] if curve else []
            self.market.foresee(
                {each.symbol: (each.history[0][0], "9999" if each.quantity else each.day) for each in held}
            )
        else:
            _, prices = self._prices(books, today, until)
        return account(
            books, prices, self.market.closes if until is None and curve else None, today=today,
            settled=lambda symbol: sellable_after(from_canonical(symbol), today).days, capital=order.capital(),
        )  # fmt: skip

    def known_actions(self) -> list[Entry]:
        """Return the actions that count and are not in the journal: simulated ones. Real ones are entered now."""
        entries = journal.standing(self.ws.db)
        return [each for each in self._actions(entries) if not each.id]

    def _actions(self, entries: list[Entry]) -> list[Entry]:
        """Return the known actions that the journal lacks; real ones that count are entered into it first."""
        first: dict[str, str] = {}
        for entry in entries:
            if entry.kind in TRADES:
                first.setdefault(entry.symbol, entry.date)
        found = self.market.actions(map(from_canonical, sorted(first)), first)
        if not found:
            return []
        known = journal.known(self.ws.db, (each.key or "" for each, _ in found))
        lacking = [(each, simulated) for each, simulated in found if each.key not in known]
        if not lacking:
            return []
        books = fold([*entries, *(each for each, _ in lacking)], lenient=True)
        counted = [(each, made_up) for each, made_up in lacking if books.holdings[each.symbol].held_before(each.date)]
        real = [each for each, simulated in counted if not simulated]
        if real and store.writable(self.ws.db):
            real = self._entered(real)
        return [*real, *(each for each, simulated in counted if simulated)]

    def _entered(self, actions: list[Entry]) -> list[Entry]:
        with self.ws.lock():
            done = journal.enter(self.ws, actions)
        for market in sorted({from_canonical(each.symbol).market for each in done if each.kind == DIVIDEND} - {"CN"}):
            self.notify(
                Message(
                    "dividends of {market} are entered before tax: enter what was withheld, such as `ia trade dividend"
                    " --date DAY -- SYMBOL -TAX` (`ia trade rules` has dividend_withheld)",
                    market=market,
                )
            )  # fmt: skip
        if len(done) > SHOWN:
            self.notify(
                Message("{count} dividends, bonus issues and splits are entered from the market data", count=len(done))
            )
            return done
        for each in done:
            self.notify(
                Message(
                    "entered from the market data: {kind} of {symbol} on {date}", kind=Message(each.kind),
                    symbol=each.symbol, date=each.date,
                )
            )  # fmt: skip
        return done

    def virtual(self, entries: list[Entry]) -> list[Entry]:
        """Return the known actions of what these entries trade that the journal lacks, as they may still be entered."""
        symbols = sorted({each.symbol for each in entries if each.kind in TRADES})
        found = self.market.actions(map(from_canonical, symbols))
        known = journal.known(self.ws.db, (each.key or "" for each, _ in found))
        return [each for each, _ in found if each.key not in known]

    def meant(self, text: str) -> Symbol:
        """Return the one security that a person means: by rule and table, else by a name that the journal has.

        raises  UsageError for one in doubt, or an index; NotFound for an unknown one.
        """
        try:
            found = resolve(text, traded=True)
        except NotFound:
            rows = self.ws.db.execute("SELECT DISTINCT symbol FROM trades WHERE name = ?", (text.strip(),)).fetchall()
            if len(rows) != 1:
                raise
            found = from_canonical(rows[0][0])
        if found.kind == "index":
            raise UsageError("{symbol} is an index and cannot be traded", symbol=str(found))
        if found.kind == "repo":
            raise UsageError(
                "{symbol} is reverse repo: money that is lent, not a security", symbol=str(found), digits=found.code,
                hint="`ia trade lend AMOUNT --code {digits}` enters it, `ia trade repaid AMOUNT` its end",
            )  # fmt: skip
        if found.kind == "issue":
            listed = listed_code(found) or listed_code(found, rights=True)
            raise UsageError(
                "{symbol} is a code for subscribing to a new issue", symbol=str(found),
                listed=listed.canonical if listed else "CODE",
                hint="enter it under its listed code: `ia trade buy {listed} QUANTITY PRICE --subscribed`",
            )  # fmt: skip
        return found

    def latest(self, symbol: Symbol, moment: datetime) -> Price:
        """Return the latest stored price at a moment, and tell of which day it is.

        raises  UsageError where none is stored.
        """
        price = self.market.prices([symbol], moment).get(symbol.canonical)
        if price is None:
            raise UsageError("no price of {symbol} is stored", symbol=str(symbol), hint="give the price: --price PRICE")
        self.notify(
            Message(
                "{symbol}: the price is that of {date}, {price}", symbol=str(symbol), date=price.date,
                price=format(price.price, "f"),
            )
        )  # fmt: skip
        if price.simulated:
            self.notify(Simulated("the prices are simulated"))
        return price

    def held(self, symbol: Symbol, moment: datetime) -> Decimal:
        """Return how many shares were held at a moment.

        raises  NotFound where there were none.
        """
        holding = self.books(until=moment).holdings.get(symbol.canonical)
        if holding is None or not holding.quantity:
            raise NotFound("{symbol} is not held", symbol=str(symbol), hint="`ia account` shows what is")
        return Decimal(plain(holding.quantity))

    def warnings(self, found: Account) -> list[Breach]:
        """Return what an account should be warned of, currency by currency."""
        limits = guard.configured()
        told = []
        for purse in found.purses.values():
            told += guard.warnings(_state(found, purse.currency), limits)
        return told

    def checked(self, wish: Order, replaced: Entry | None = None) -> list[Breach]:
        """Return what the guard says of an order, on the account as it was at the order's moment.

        replaced  the entry that the order is to replace: the order takes its place among those of one moment
        """
        if wish.side not in (BUY, SELL):
            return []
        asked = guard.Order(
            wish.symbol, "buy" if wish.side == BUY else "sell", wish.quantity, wish.price, wish.moment, wish.day,
            wish.symbol.name, order.entry_of(wish).fees,
        )  # fmt: skip
        return guard.check(asked, self.state(wish, replaced), guard.configured())

    def state(self, wish: Order, replaced: Entry | None = None) -> State:
        """Return the account in the order's currency as the guard needs it.

        A holding without a price counts at the order's, another security at its cost: no rule sleeps for lack of data.
        """
        currency = boards.currency(wish.symbol)
        books = self.books(until=wish.moment, replaced=replaced)
        now = self.account(until=wish.moment, books=books)
        found = _state(now, currency, wish.day, wish)
        guessed = [symbol for symbol in now.unpriced if symbol in found.positions and symbol != wish.symbol.canonical]
        self._tell_of_age({each.symbol: each.price for each in now.positions if each.price is not None})
        if guessed:
            self.notify(
                Message(
                    "no price is stored of {symbols}: the guard counts it at its cost",
                    symbols=", ".join(sorted(guessed)),
                )
            )
        return dataclasses.replace(
            found, last_trades=self._nearest(wish, replaced.id if replaced is not None else 0),
            quote=self.market.quoted(wish.symbol, wish.day, wish.moment),
            holiday=self.market.is_holiday(wish.symbol, wish.day),
        )  # fmt: skip

    def _nearest(self, wish: Order, without: int) -> dict[str, datetime]:
        """Return the moment of the trade in the order's security that is nearest to it, before or after."""
        moments = [
            datetime.fromisoformat(each.time)
            for each in journal.standing(self.ws.db, symbol=wish.symbol.canonical)
            if each.kind in (BUY, SELL) and each.id != without
        ]
        nearest = min(moments, key=lambda moment: abs(moment - wish.moment), default=None)
        return {} if nearest is None else {wish.symbol.canonical: nearest}


def _state(found: Account, currency: str, day: str = "", wish: Order | None = None) -> State:
    """Return an account in one currency as the guard takes it; the day's result only where it is that of `day`.

    wish    where it is given, a holding without a price counts at the order's price, or at its cost
    """
    purse = found.purses.get(currency)
    if purse is None:
        return State(currency)
    held = {}
    equity, known = purse.equity, purse.today
    for each in found.positions:
        if each.currency == currency:
            value = each.value
            if value is None and wish is not None:
                value = each.quantity * wish.price if each.symbol == wish.symbol.canonical else each.cost
            price = each.price.price if each.price else None
            held[each.symbol] = Held(each.quantity, each.sellable, value, each.cost, price)
    if equity is None and wish is not None and purse.cash is not None:
        equity = purse.cash + purse.lent + sum((each.value or ZERO for each in held.values()), ZERO)
    if day and purse.day != day and held:
        known = None
    start = equity - known if equity is not None and known is not None else None
    return State(currency, equity, purse.cash, held, {}, known, start)


@contextlib.contextmanager
def _unswept() -> Iterator[None]:
    """Keep the garbage collector from looking through a hundred thousand entries again and again as they are made."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _of_all(entry: Entry) -> bool:
    """Whether an entry holds for whoever has the shares: a dividend or a ratio per share."""
    return entry.kind in ACTIONS and entry.cash is None and entry.quantity is None
