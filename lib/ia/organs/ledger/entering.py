"""How entries are made: trades behind the guard, money, corporate actions, corrections. One lock from check to entry.

Whatever is entered, the whole journal must hold afterwards: never is more sold than was held, also not later on by a
purchase that turns out to have been smaller, or none.
"""

import contextlib
import json
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from ia.domain.instruments.boards import currency
from ia.domain.instruments.symbols import Symbol, from_canonical, resolve
from ia.domain.rules.fees import cents, unverified_fees
from ia.kernel import clock, config
from ia.kernel.errors import Message, NotFound, Refused, UsageError
from ia.organs.ledger import guard, journal, order, taxed
from ia.organs.ledger.desk import Desk
from ia.organs.ledger.fold import fold
from ia.organs.ledger.guard import Breach
from ia.organs.ledger.journal import (
    ACTIONS,
    BONUS,
    BUY,
    DIVIDEND,
    INTEREST,
    LEND,
    LOANS,
    PREPAY,
    SELL,
    SPLIT,
    SUBSCRIBE,
    TRADES,
    VOID,
    WITHDRAW,
    ZERO,
    Entry,
)
from ia.organs.ledger.order import Order


class Done(NamedTuple):
    """An entry that was made, and what the guard had to say of it."""

    entry: Entry
    breaches: list[Breach]


def attended() -> None:
    """Raise Refused inside a task's run."""
    if config.run() is not None:
        raise Refused("inside a task's run nothing is entered into the ledger: no person is there to say so")


def trade(
    desk: Desk,
    wish: Order,
    *,
    override: str | None = None,
    by: str = "user",
    replaces: Entry | None = None,
    key: str | None = None,
    note: str = "",
) -> Done:
    """Journal a trade that the guard lets pass.

    override  why the guard is not to be heeded: a person's word. by: who says so. replaces: the entry that it corrects
    key       what it was made from. note: why the entry that it corrects was wrong
    raises    Refused (77) with what speaks against it, or where more is sold than was held.
    """
    attended()
    with desk.ws.lock():
        number = replaces.id if replaces is not None else 0
        entry = order.entry_of(wish)._replace(key=key, note=note)
        breaches = desk.checked(wish, replaces)
        refusing = [each for each in breaches if each.refuses]
        if refusing and (override is None or not all(each.overridable for each in refusing)):
            raise guard.refused(breaches)
        if refusing:
            entry = entry._replace(override=_record(refusing, override or "", by))
        if replaces is not None:
            entry = entry._replace(corrects=number, place=replaces.place or number, name=replaces.name)
        done = Done(_entered(desk, [entry], number)[0], breaches)
    _tell_of_fees(desk, wish)
    if done.entry.kind == SELL:
        _tell_of_tax(desk, done.entry)
    return done


def _tell_of_fees(desk: Desk, wish: Order) -> None:
    """Say where the commission is not known for a market, and which rules of its fees are not verified."""
    if wish.side == SUBSCRIBE:
        return
    market = wish.symbol.market
    if "commission" not in wish.fees and not order.commission(market).known:
        example = "0.0049/share min 0.99" if market == "US" else "0.03% min 3"
        desk.notify(
            Message(
                "your commission in {market} is not known: that of ledger.commission_pct is taken; set yours, such as"
                " `ia config set ledger.commission_{suffix} '{example}'`, or give --commission",
                market=market, suffix=market.lower(), example=example,
            )
        )  # fmt: skip
    if len(wish.fees) < 4:
        for rule in unverified_fees(wish.symbol, wish.day, "buy" if wish.side == BUY else "sell"):
            desk.notify(
                Message(
                    "the rule {rule} of {board} since {since} is not verified: {source}", rule=rule.what,
                    board=rule.market, since=rule.since, source=rule.source,
                )
            )  # fmt: skip


def _tell_of_tax(desk: Desk, sale: Entry) -> None:
    """Say how much of the dividends the tax office is about to take, where it is something."""
    entries = journal.standing(desk.ws.db, symbol=sale.symbol)
    tax = taxed.due(entries, desk.virtual(entries), sale)
    if tax:
        desk.notify(
            Message(
                "about {tax} {currency} of the dividends will be taken as tax, for the shares were held so short;"
                " enter it once it is: `ia trade dividend --date DAY -- {symbol} -{tax}`",
                tax=f"{tax:.2f}", currency=sale.currency, symbol=sale.symbol,
            )
        )  # fmt: skip


def money(desk: Desk, entry: Entry) -> Entry:
    """Journal money that moves. More taken out or lent than there was is told: a deposit may lack.

    raises  Refused where more came back than was lent.
    """
    attended()
    with desk.ws.lock():
        made = _entered(desk, [entry])[0]
    if made.kind in (WITHDRAW, LEND, PREPAY):
        cash = desk.books(until=clock.parse(made.time)).money(made.currency)
        if cash.deposited and cash.balance < 0:
            desk.notify(
                Message(
                    "more is taken out than there was: the cash in {currency} is {cash}", currency=made.currency,
                    cash=f"{cash.balance:,.2f}",
                )
            )  # fmt: skip
    return made


def action(desk: Desk, entry: Entry) -> Entry:
    """Journal a dividend, bonus shares or a split that the store does not know, or told otherwise.

    raises  NotFound where the security was not held at the close before the day.
    """
    attended()
    with desk.ws.lock():
        held = desk.books().holdings.get(entry.symbol)
        before = held.held_before(entry.date) if held is not None else None
        if before is None or not (before or (entry.ratio is None and entry.price is None)):
            raise NotFound(
                "{symbol} was not held at the close before {date}", symbol=entry.symbol, date=entry.date,
                hint="`ia trade list {symbol}` shows what was entered",
            )  # fmt: skip
        return _entered(desk, [entry])[0]


def void(desk: Desk, number: int, because: str) -> Entry:
    """Take an entry back: a new one says that it counts no more, and why.

    raises  what journal.get() raises; Refused where a later sale would lack its shares.
    """
    attended()
    with desk.ws.lock():
        old = journal.get(desk.ws.db, number)
        entry = Entry(
            0, old.time, old.date, VOID, old.symbol, old.name, old.currency, reason=because, session=old.session,
            corrects=number,
        )  # fmt: skip
        return _entered(desk, [entry], number)[0]


class Change(NamedTuple):
    """What a correction says anew, as it was typed; None stays as it is."""

    quantity: str | None = None
    price: str | None = None
    amount: str | None = None
    ratio: str | None = None
    when: str | None = None
    fees: dict[str, Decimal] = {}  # noqa: RUF012  (never changed)
    reason: str | None = None
    session: str | None = None


def correct(desk: Desk, number: int, change: Change, *, because: str = "", override: str | None = None) -> Done:
    """Enter what an entry should have been; it counts in place of the old one. Fees that the rules made are made anew.

    because  why the entry was wrong; its own reason stays
    raises  what journal.get() and trade() raise; UsageError for what such an entry does not have.
    """
    attended()
    with desk.ws.lock():
        old = journal.get(desk.ws.db, number)
        if old.kind in TRADES:
            return trade(desk, _corrected(old, change), override=override, replaces=old, note=because)
        fitting = {"quantity": old.quantity is not None and old.kind not in LOANS, "fees": old.kind in LOANS}
        for name, fits in fitting.items():
            if getattr(change, name) and not fits:
                raise UsageError("a {kind} has no {what}", kind=Message(old.kind), what=Message(name))
        symbol = from_canonical(old.symbol) if old.symbol else None
        moment = None if change.when is None else order.moment_of(change.when, symbol)
        entry = old._replace(
            id=0, corrects=number, place=old.place or number, key=None, actor="user", override=None,
            time=old.time if moment is None else _moment(old.kind, symbol, moment, change.when),
            date=old.date if moment is None else order.day_of(symbol, moment),
            reason=old.reason if change.reason is None else change.reason, note=because, wall="", run=None,
            session=old.session if change.session is None else change.session,
        )  # fmt: skip
        entry = entry._replace(**change.fees)  # type: ignore[arg-type]
        negative = old.kind in (DIVIDEND, INTEREST)
        if change.amount is not None:
            amount = order.number(change.amount, "the amount", places=2, negative=negative)
            entry = entry._replace(cash=amount, price=None)
        if change.price is not None:
            if old.kind != DIVIDEND:
                raise UsageError("a {kind} has no {what}", kind=Message(old.kind), what=Message("price"))
            entry = entry._replace(price=order.number(change.price, "the price"), cash=None)
        if change.ratio is not None:
            if old.kind not in (BONUS, SPLIT):
                raise UsageError("a {kind} has no {what}", kind=Message(old.kind), what=Message("ratio"))
            entry = entry._replace(ratio=order.number(change.ratio, "the ratio"), quantity=None)
        if change.quantity is not None and symbol is not None:
            entry = entry._replace(quantity=order.shares(change.quantity, symbol), ratio=None)
        return Done(_entered(desk, [entry], number)[0], [])


def _corrected(old: Entry, change: Change) -> Order:
    """Return the trade that an entry should have been."""
    symbol = from_canonical(old.symbol)
    symbol = symbol if symbol.name else symbol._replace(name=old.name)
    for name in ("amount", "ratio"):
        if getattr(change, name) is not None:
            raise UsageError("a {kind} has no {what}", kind=Message(old.kind), what=Message(name))
    assert old.price is not None and old.quantity is not None
    moment = clock.parse(old.time.replace("Z", "+00:00"))
    was = Order(old.kind, symbol, old.quantity, old.price, moment)
    kept = {"commission": old.commission, "stamp": old.stamp, "transfer": old.transfer, "other": old.other}
    with contextlib.suppress(NotFound):  # older than the table of rules: the fees were given
        ruled = order.entry_of(was)
        kept = {name: paid for name, paid in kept.items() if paid != getattr(ruled, name)}
    return Order(
        old.kind, symbol,
        old.quantity if change.quantity is None else order.shares(change.quantity, symbol),
        old.price if change.price is None else order.number(change.price, "the price"),
        moment if change.when is None else order.moment_of(change.when, symbol),
        {**kept, **change.fees},
        old.reason if change.reason is None else change.reason,
        old.session if change.session is None else change.session,
    )  # fmt: skip


def acted(
    kind: str,
    symbol: Symbol,
    when: str | None,
    *,
    amount: Decimal | None = None,
    per_share: Decimal | None = None,
    ratio: Decimal | None = None,
    shares: Decimal | None = None,
    because: str = "",
    session: str = "",
) -> Entry:
    """Return the entry of a corporate action of a day: it counts from that day's first moment on."""
    assert kind in ACTIONS
    moment = order.moment_of(when, symbol)
    return Entry(
        0, _moment(kind, symbol, moment, when), order.day_of(symbol, moment), kind, symbol.canonical, symbol.name,
        currency(symbol), per_share, shares, amount, ratio, reason=because, session=session,
    )  # fmt: skip


def _moment(kind: str, symbol: Symbol | None, moment: datetime, when: str | None) -> str:
    """Return the stamp of an entry that is no trade: actions, and money of a bare day, count from the day's start."""
    if kind in ACTIONS and symbol is not None:
        return order.at_open(order.day_of(symbol, moment), symbol.market)
    if when is not None and len(when.strip()) <= 10:
        return order.at_open(order.day_of(None, moment))
    return clock.stamp(moment)


def moved(kind: str, amount: Decimal, unit: str, when: str | None, *, because: str = "", session: str = "") -> Entry:
    """Return the entry of money that was brought in or taken out; a bare day counts from its first moment on."""
    moment = order.moment_of(when)
    return Entry(
        0,
        _moment(kind, None, moment, when),
        order.day_of(None, moment),
        kind,
        currency=unit,
        cash=cents(amount),
        reason=because,
        session=session,
    )


def lent(
    kind: str,
    amount: Decimal,
    when: str | None,
    *,
    code: str = "",
    principal: Decimal | None = None,
    commission: Decimal | None = None,
    because: str = "",
    session: str = "",
) -> Entry:
    """Return the entry of money that is lent by reverse repo, or that came back with its interest.

    code       of the repo, such as 204001. principal: what of money that came back had been lent, where it is known
    raises     UsageError for a code of something else, and for less money than the principal.
    """
    symbol = resolve(code) if code else None
    if symbol is not None and symbol.kind != "repo":
        raise UsageError("{symbol} is no code of reverse repo, such as 204001 or 131810", symbol=str(symbol))
    if principal is not None and principal > amount:
        raise UsageError(
            "{principal} cannot have been lent where {amount} came back", principal=principal, amount=amount
        )
    made = moved(kind, amount, "CNY", when, because=because, session=session)
    return made._replace(
        symbol=symbol.canonical if symbol else "", name=symbol.name if symbol else "", quantity=principal,
        commission=commission or ZERO,
    )  # fmt: skip


def _entered(desk: Desk, new: Sequence[Entry], gone: int = 0) -> list[Entry]:
    """Append entries after which the whole journal holds; one of them may replace the entry `gone`."""
    consistent(desk, new, gone)
    return journal.enter(desk.ws, new)


def consistent(desk: Desk, new: Sequence[Entry], gone: int = 0) -> None:
    """Raise Refused where with these entries, and without the one that is gone, more is sold than is held somewhen."""
    entries = journal.standing(desk.ws.db, everything=True)
    touched = [*new, *(each for each in entries if each.id == gone)]
    symbols = {each.symbol for each in touched if each.symbol}
    lent = any(each.kind in LOANS for each in touched)  # any purchase of a new issue may have been paid in advance
    kept = [
        each for each in entries
        if each.id != gone and ((each.symbol and each.symbol in symbols) or (lent and each.kind in (*LOANS, SUBSCRIBE)))
    ]  # fmt: skip
    made = [
        each._replace(id=2**62 + at) for at, each in enumerate(new)
        if each.kind != VOID and (each.symbol or each.kind in LOANS)
    ]  # fmt: skip
    both = [*kept, *made]
    fold(both, desk.virtual(both))


def _record(breaches: list[Breach], why: str, by: str) -> str:
    """Return who overrode what, when and why, as JSON."""
    rules = [
        {
            "rule": each.rule,
            "value": None if each.value is None else str(each.value),
            "limit": None if each.limit is None else str(each.limit),
            "message": str(each.message),
        }
        for each in breaches
    ]
    told = {"by": by, "at": clock.stamp(clock.now()), "because": why, "breaches": rules}
    return json.dumps(told, ensure_ascii=False)
