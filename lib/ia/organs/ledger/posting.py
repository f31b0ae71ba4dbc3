"""How entries are made: trades behind the guard, money, corporate actions, corrections. One lock from check to entry.

Whatever is entered, the whole journal must hold afterwards: never is more sold than was held, also not later on by a
purchase that turns out to have been smaller, or none.
"""

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import Symbol, from_canonical, resolve_security
from ia.domain.rules.fees import round_to_cents, unverified_fees
from ia.kernel import clock, config
from ia.kernel.errors import Message, NotFound, Refused, UsageError
from ia.organs.ledger import dividend_tax, guard, journal, order
from ia.organs.ledger.booking import book_entries
from ia.organs.ledger.desk import LedgerDesk
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
    JournalEntry,
)
from ia.organs.ledger.order import Order


class Posting(NamedTuple):
    """An entry that was made, and what the guard had to say of it."""

    entry: JournalEntry
    breaches: list[Breach]


def refuse_unattended() -> None:
    """Raise Refused inside a task's run."""
    if config.run_number() is not None:
        raise Refused("a task's run cannot write to the ledger; run the command at a terminal yourself")


def post_trade(
    desk: LedgerDesk,
    wish: Order,
    *,
    override: str | None = None,
    by: str = "user",
    replaces: JournalEntry | None = None,
    key: str | None = None,
    note: str = "",
    enforce: bool = False,
) -> Posting:
    """Journal a trade that happened. Breached rules do not stop it; they are stored with the entry.

    override  why the rules were not heeded: a person's word. by: who says so. replaces: the entry that it corrects
    key       what it was made from. note: why the entry that it corrects was wrong
    enforce   refuse what breaches a rule: a trade that a model proposed
    raises    Refused (77) where more is sold than was held; RuleRefused where a rule is enforced.
    """
    refuse_unattended()
    with desk.ws.lock():
        number = replaces.id if replaces is not None else 0
        entry = order.build_entry(wish)._replace(key=key, note=note)
        breaches = desk.check_order(wish, replaces)
        refusing = [each for each in breaches if each.refuses]
        if refusing and (enforce or not all(each.possible for each in refusing)):
            raise guard.build_refusal(breaches)
        if refusing:
            entry = entry._replace(override=breach_record(refusing, override, by))
        if replaces is not None:
            entry = entry._replace(corrects=number, place=replaces.place or number, name=replaces.name)
        done = Posting(_append_entries(desk, [entry], number)[0], breaches)
    _notify_unknown_fees(desk, wish)
    if done.entry.kind == SELL:
        _notify_dividend_tax(desk, done.entry)
    return done


def _notify_unknown_fees(desk: LedgerDesk, wish: Order) -> None:
    """Say where the commission is not known for a market, and which rules of its fees are not verified."""
    if wish.side == SUBSCRIBE:
        return
    market = wish.symbol.market
    if "commission" not in wish.fees and not order.load_commission(market).known:
        example = "0.0049/share min 0.99" if market == "US" else "0.03% min 3"
        desk.notify(
            Message(
                "your commission in {market} is unknown; ia uses ledger.commission_pct. Set yours, such as `ia "
                "config set ledger.commission_{suffix} '{example}'`, or give --commission",
                market=market,
                suffix=market.lower(),
                example=example,
            )
        )
    if len(wish.fees) < 4:
        for rule in unverified_fees(wish.symbol, wish.day, "buy" if wish.side == BUY else "sell"):
            desk.notify(
                Message(
                    "rule {rule} of {board} (since {since}) is not verified: {source}",
                    rule=rule.what,
                    board=rule.market,
                    since=rule.since,
                    source=rule.source,
                )
            )


def _notify_dividend_tax(desk: LedgerDesk, sale: JournalEntry) -> None:
    """Say how much of the dividends the tax office is about to take, where it is something."""
    entries = journal.effective_entries(desk.ws.db, symbol=sale.symbol)
    tax = dividend_tax.estimate_dividend_tax(entries, desk.missing_actions(entries), sale)
    if tax:
        desk.notify(
            Message(
                "short holding period: about {tax} {currency} of dividend tax will be due; enter it after payment: "
                "`ia trade dividend --date DAY -- {symbol} -{tax}`",
                tax=f"{tax:.2f}",
                currency=sale.currency,
                symbol=sale.symbol,
            )
        )


def post_cash(desk: LedgerDesk, entry: JournalEntry) -> JournalEntry:
    """Journal money that moves. More taken out or lent than there was is told: a deposit may lack.

    raises  Refused where more came back than was lent.
    """
    refuse_unattended()
    with desk.ws.lock():
        made = _append_entries(desk, [entry])[0]
    if made.kind in (WITHDRAW, LEND, PREPAY):
        cash = desk.books(until=clock.parse_moment(made.time)).cash_account(made.currency)
        if cash.deposited and cash.balance < 0:
            desk.notify(
                Message(
                    "the amount exceeds your cash; the {currency} balance is now {cash}",
                    currency=made.currency,
                    cash=f"{cash.balance:,.2f}",
                )
            )
    return made


def post_action(desk: LedgerDesk, entry: JournalEntry) -> JournalEntry:
    """Journal a dividend, bonus shares or a split that the store does not know, or told otherwise.

    raises  NotFound where the security was not held at the close before the day.
    """
    refuse_unattended()
    with desk.ws.lock():
        held = desk.books().holdings.get(entry.symbol)
        before = held.shares_held_before(entry.date) if held is not None else None
        if before is None or not (before or (entry.ratio is None and entry.price is None)):
            raise NotFound(
                "you did not hold {symbol} at the close before {date}",
                symbol=entry.symbol,
                date=entry.date,
                hint="`ia trade list {symbol}` shows its entries",
            )
        return _append_entries(desk, [entry])[0]


def void_entry(desk: LedgerDesk, number: int, because: str) -> JournalEntry:
    """Take an entry back: a new one says that it counts no more, and why.

    raises  what journal.get() raises; Refused where a later sale would lack its shares.
    """
    refuse_unattended()
    with desk.ws.lock():
        old = journal.get_entry(desk.ws.db, number)
        entry = JournalEntry(
            id=0,
            time=old.time,
            date=old.date,
            kind=VOID,
            symbol=old.symbol,
            name=old.name,
            currency=old.currency,
            reason=because,
            session=old.session,
            corrects=number,
        )
        return _append_entries(desk, [entry], number)[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """What a correction says anew, as it was typed; None stays as it is."""

    quantity: str | None = None
    price: str | None = None
    amount: str | None = None
    ratio: str | None = None
    when: str | None = None
    fees: dict[str, Decimal] = field(default_factory=dict)
    reason: str | None = None
    session: str | None = None


def correct_entry(
    desk: LedgerDesk, number: int, change: Correction, *, because: str = "", override: str | None = None
) -> Posting:
    """Enter what an entry should have been; it counts in place of the old one. Fees that the rules made are made anew.

    because  why the entry was wrong; its own reason stays
    raises  what journal.get() and trade() raise; UsageError for what such an entry does not have.
    """
    refuse_unattended()
    with desk.ws.lock():
        old = journal.get_entry(desk.ws.db, number)
        if old.kind in TRADES:
            return post_trade(desk, _apply_change(old, change), override=override, replaces=old, note=because)
        fitting = {"quantity": old.quantity is not None and old.kind not in LOANS, "fees": old.kind in LOANS}
        for name, fits in fitting.items():
            if getattr(change, name) and not fits:
                raise _unfit_error(old.kind, name)
        symbol = from_canonical(old.symbol) if old.symbol else None
        moment = None if change.when is None else order.parse_trade_time(change.when, symbol)
        entry = old._replace(
            id=0,
            corrects=number,
            place=old.place or number,
            key=None,
            actor="user",
            override=None,
            time=old.time if moment is None else _entry_stamp(old.kind, symbol, moment, change.when),
            date=old.date if moment is None else order.exchange_date(symbol, moment),
            reason=old.reason if change.reason is None else change.reason,
            note=because,
            wall="",
            run=None,
            session=old.session if change.session is None else change.session,
        )
        entry = entry._replace(**change.fees)  # type: ignore[arg-type]
        negative = old.kind in (DIVIDEND, INTEREST)
        if change.amount is not None:
            amount = order.parse_number(change.amount, "the amount", places=2, negative=negative)
            entry = entry._replace(cash=amount, price=None)
        if change.price is not None:
            if old.kind != DIVIDEND:
                raise _unfit_error(old.kind, "price")
            entry = entry._replace(price=order.parse_number(change.price, "the price"), cash=None)
        if change.ratio is not None:
            if old.kind not in (BONUS, SPLIT):
                raise _unfit_error(old.kind, "ratio")
            entry = entry._replace(ratio=order.parse_number(change.ratio, "the ratio"), quantity=None)
        if change.quantity is not None and symbol is not None:
            entry = entry._replace(quantity=order.parse_shares(change.quantity, symbol), ratio=None)
        return Posting(_append_entries(desk, [entry], number)[0], [])


def _unfit_error(kind: str, option: str) -> UsageError:
    """Return the failure of correcting what entries of a kind do not have."""
    if kind in TRADES:
        hint = "correct --quantity, --price, --date, --reason or a fee"
    elif kind in (BONUS, SPLIT):
        hint = "correct --ratio, --quantity, --date or --reason"
    elif kind == DIVIDEND:
        hint = "correct --price (per share), --amount, --date or --reason"
    else:
        hint = "correct --amount, --date or --reason"
    return UsageError(
        "--{option} does not apply to an entry of the kind {kind}", option=option, kind=Message(kind), hint=hint
    )


def _apply_change(old: JournalEntry, change: Correction) -> Order:
    """Return the trade that an entry should have been."""
    symbol = from_canonical(old.symbol)
    symbol = symbol if symbol.name else symbol._replace(name=old.name)
    for name in ("amount", "ratio"):
        if getattr(change, name) is not None:
            raise _unfit_error(old.kind, name)
    assert old.price is not None and old.quantity is not None
    moment = clock.parse_moment(old.time.replace("Z", "+00:00"))
    was = Order(side=old.kind, symbol=symbol, quantity=old.quantity, price=old.price, moment=moment)
    kept = {"commission": old.commission, "stamp": old.stamp, "transfer": old.transfer, "other": old.other}
    with contextlib.suppress(NotFound):  # older than the table of rules: the fees were given
        ruled = order.build_entry(was)
        kept = {name: paid for name, paid in kept.items() if paid != getattr(ruled, name)}
    return Order(
        side=old.kind,
        symbol=symbol,
        quantity=old.quantity if change.quantity is None else order.parse_shares(change.quantity, symbol),
        price=old.price if change.price is None else order.parse_number(change.price, "the price"),
        moment=moment if change.when is None else order.parse_trade_time(change.when, symbol),
        fees={**kept, **change.fees},
        reason=old.reason if change.reason is None else change.reason,
        session=old.session if change.session is None else change.session,
    )


def action_entry(
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
) -> JournalEntry:
    """Return the entry of a corporate action of a day: it counts from that day's first moment on."""
    assert kind in ACTIONS
    moment = order.parse_trade_time(when, symbol)
    return JournalEntry(
        id=0,
        time=_entry_stamp(kind, symbol, moment, when),
        date=order.exchange_date(symbol, moment),
        kind=kind,
        symbol=symbol.canonical,
        name=symbol.name,
        currency=trading_currency(symbol),
        price=per_share,
        quantity=shares,
        cash=amount,
        ratio=ratio,
        reason=because,
        session=session,
    )


def _entry_stamp(kind: str, symbol: Symbol | None, moment: datetime, when: str | None) -> str:
    """Return the stamp of an entry that is no trade: actions, and money of a bare day, count from the day's start."""
    if kind in ACTIONS and symbol is not None:
        return order.day_start(order.exchange_date(symbol, moment), symbol.market)
    if when is not None and len(when.strip()) <= 10:
        return order.day_start(order.exchange_date(None, moment))
    return clock.utc_stamp(moment)


def cash_entry(
    kind: str, amount: Decimal, unit: str, when: str | None, *, because: str = "", session: str = ""
) -> JournalEntry:
    """Return the entry of money that was brought in or taken out; a bare day counts from its first moment on."""
    moment = order.parse_trade_time(when)
    return JournalEntry(
        id=0,
        time=_entry_stamp(kind, None, moment, when),
        date=order.exchange_date(None, moment),
        kind=kind,
        currency=unit,
        cash=round_to_cents(amount),
        reason=because,
        session=session,
    )


def loan_entry(
    kind: str,
    amount: Decimal,
    when: str | None,
    *,
    code: str = "",
    principal: Decimal | None = None,
    commission: Decimal | None = None,
    because: str = "",
    session: str = "",
) -> JournalEntry:
    """Return the entry of money that is lent by reverse repo, or that came back with its interest.

    code       of the repo, such as 204001. principal: what of money that came back had been lent, where it is known
    raises     UsageError for a code of something else, and for less money than the principal.
    """
    symbol = resolve_security(code) if code else None
    if symbol is not None and symbol.kind != "repo":
        raise UsageError("{symbol} is not a reverse repo code, such as 204001 or 131810", symbol=symbol)
    if principal is not None and principal > amount:
        raise UsageError(
            "the principal {principal} is larger than the repayment {amount}", principal=principal, amount=amount
        )
    made = cash_entry(kind, amount, "CNY", when, because=because, session=session)
    return made._replace(
        symbol=symbol.canonical if symbol else "",
        name=symbol.name if symbol else "",
        quantity=principal,
        commission=commission or ZERO,
    )


def _append_entries(desk: LedgerDesk, new: Sequence[JournalEntry], gone: int = 0) -> list[JournalEntry]:
    """Append entries after which the whole journal holds; one of them may replace the entry `gone`."""
    check_consistency(desk, new, gone)
    return journal.append_entries(desk.ws, new)


def check_consistency(desk: LedgerDesk, new: Sequence[JournalEntry], gone: int = 0) -> None:
    """Raise Refused where with these entries, and without the one that is gone, more is sold than is held somewhen."""
    entries = journal.effective_entries(desk.ws.db, everything=True)
    touched = [*new, *(each for each in entries if each.id == gone)]
    symbols = {each.symbol for each in touched if each.symbol}
    lent = any(each.kind in LOANS for each in touched)  # any purchase of a new issue may have been paid in advance
    kept = [
        each
        for each in entries
        if each.id != gone and ((each.symbol and each.symbol in symbols) or (lent and each.kind in (*LOANS, SUBSCRIBE)))
    ]
    made = [
        each._replace(id=2**62 + at)
        for at, each in enumerate(new)
        if each.kind != VOID and (each.symbol or each.kind in LOANS)
    ]
    both = [*kept, *made]
    book_entries(both, desk.missing_actions(both))


def breach_record(breaches: list[Breach], why: str | None = None, by: str = "user") -> str:
    """Return which rules a trade breached, when and by whom it was entered, and why all the same, as JSON."""
    rules = [
        {
            "rule": each.rule,
            "value": None if each.value is None else str(each.value),
            "limit": None if each.limit is None else str(each.limit),
            "message": str(each.message),
        }
        for each in breaches
    ]
    told = {"by": by, "at": clock.utc_stamp(clock.now()), "because": why, "breaches": rules}
    return json.dumps(told, ensure_ascii=False)
