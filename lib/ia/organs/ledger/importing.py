"""Brokers' statements, and our own export, as entries of the journal. A row that cannot be read stops everything.

What the broker says wins over the rules: its amounts and fees are taken as they stand. Each row has a key of what it
says, so that a file, or two that overlap, are entered once.
"""

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from ia.domain.instruments.boards import currency as traded_in
from ia.domain.instruments.symbols import Symbol, from_canonical, listed_code, resolve
from ia.domain.rules.fees import cents
from ia.kernel import clock
from ia.kernel.digest import sha256
from ia.kernel.errors import BadData, IaError, Message, Notify, silent
from ia.organs.ledger import entering, journal, moments, order, tables
from ia.organs.ledger.desk import Desk
from ia.organs.ledger.exporting import unguarded
from ia.organs.ledger.journal import (
    ACTIONS,
    BONUS,
    BUY,
    DEPOSIT,
    DIVIDEND,
    INTEREST,
    LEND,
    LOANS,
    MONEY,
    PREPAY,
    REPAID,
    SELL,
    SUBSCRIBE,
    TRADES,
    WITHDRAW,
    ZERO,
    Entry,
)
from ia.organs.ledger.loans import principal_of, stem
from ia.organs.ledger.statements import meant
from ia.organs.ledger.tables import MOST_BYTES as MOST_BYTES
from ia.organs.ledger.tables import Row

_resolved = lru_cache(4096)(resolve)
_FEES = ("commission", "charge", "stamp", "transfer", "other")
MOST_TOLD = 12
"""Rows that were not understood are told one by one up to so many."""


class Read(NamedTuple):
    """What a file says: entries, oldest first, and what was passed over: (line, why).

    unread  rows that are not understood: (line, why)
    ruled   whether the file has no column that tells of fees, so that they are those of the rules
    """

    entries: list[Entry]
    passed: list[tuple[int, str]]
    unread: list[tuple[int, IaError]]
    ruled: bool = False


def read(raw: bytes, source: str, *, currency: str = "CNY", session: str = "", partial: bool = False) -> Read:
    """Return the entries of a statement.

    currency  of rows that do not say and whose security does not tell
    partial   leave out the rows that are not understood, and tell of them
    raises    BadData with the lines of the rows that are not understood.
    """
    rows = tables.read(raw, source)
    file = _File(currency, session, rows)
    passed: list[tuple[int, str]] = []
    unread: list[tuple[int, IaError]] = []
    found: list[Entry] = []
    seen: Counter[str] = Counter()
    ruled = bool(rows) and not any(row.keys() & {*_FEES, "total", "net", "kind"} for row in rows)
    for row in rows:
        try:
            if row.problem is not None:
                raise row.problem
            made = _entry(row, file)
            base = "" if made is None else made.key or _key(made, row["number"])
            if ruled and made is not None and made.kind in (BUY, SELL):
                made = _charged(made)
        except IaError as exc:
            unread.append((row.line, exc))
            continue
        if made is None:
            passed.append((row.line, row["what"]))
            continue
        seen[base] += 1
        found.append(made._replace(key=base if seen[base] == 1 else f"{base}#{seen[base]}"))
    if unread and not partial:
        raise _not_understood(source, unread)
    ruled = ruled and any(each.kind in (BUY, SELL) for each in found)
    return Read(sorted(found, key=lambda each: (each.date, each.time)), passed, unread, ruled)


def _not_understood(source: str, unread: list[tuple[int, IaError]]) -> BadData:
    """Return the failure that names every row that is not understood, the first one with its reason."""
    (line, reason), *others = unread
    if not others:
        params = {**reason.params, "source": source, "line": line, "reason": reason}
        return BadData("{source}:{line}: {reason}", hint=reason.hint or PARTIAL, **params)
    lines = ", ".join(str(each) for each, _ in others[:MOST_TOLD]) + (", …" if len(others) > MOST_TOLD else "")
    return BadData(
        "{source}:{line}: {reason}; not understood either: {count} rows, in the lines {lines}", source=source,
        line=line, reason=reason, count=len(others), lines=lines, hint=PARTIAL,
    )  # fmt: skip


PARTIAL = "nothing is entered; `--partial` enters the other rows and lists these"


class _File:
    """What the rows of one file share.

    paid    what new issues cost before they arrive, by symbol and by issuer
    bonds   the listed bond of each issuer, by its name without 转债
    """

    def __init__(self, currency: str, session: str, rows: Sequence[Row]) -> None:
        self.currency, self.session = currency, session
        self.paid: dict[str, Decimal] = {}
        self.bonds: dict[str, Symbol] = {}
        for row in rows:
            code = row["code"].removesuffix(".0")
            if len(code) == 6 and code.isdigit() and row["name"]:
                with contextlib.suppress(IaError):
                    if (symbol := _resolved(code)).kind == "bond":
                        self.bonds[stem(row["name"])] = symbol


def _charged(entry: Entry) -> Entry:
    """Return a trade with the fees that the rules make. raises NotFound where they do not reach back so far."""
    assert entry.price is not None and entry.quantity is not None
    symbol = from_canonical(entry.symbol)._replace(name=entry.name)
    wish = order.Order(entry.kind, symbol, entry.quantity, entry.price, datetime.fromisoformat(entry.time))
    cost = order.entry_of(wish)
    return entry._replace(commission=cost.commission, stamp=cost.stamp, transfer=cost.transfer, other=cost.other)


def entered(desk: Desk, new: Sequence[Entry], *, dry: bool = False, notify: Notify = silent) -> list[Entry]:
    """Enter the entries of a file that are not in the journal, all or none, and return them.

    dry     enter nothing, and return what would be entered
    raises  Refused where more would be sold than was held.
    """
    if not dry:
        entering.attended()
    with desk.ws.lock():
        known = journal.known(desk.ws.db, (each.key or "" for each in new))
        exported = any((each.key or "").startswith("export:") for each in new)
        ours = _present(journal.standing(desk.ws.db, everything=True)) if exported else Counter()
        left = []
        for each in new:
            if each.key in known:
                continue
            if (each.key or "").startswith("export:") and ours[each.key or ""]:
                continue
            left.append(each)
        by_hand = {(each.date, each.kind, each.symbol, each.quantity, each.price): each.id for each in _unkeyed(desk)}
        for each in left:
            same = by_hand.get((each.date, each.kind, each.symbol, each.quantity, each.price))
            if same is not None:
                notify(
                    Message(
                        "{date} {symbol}: entry {number} says the same and was entered by hand", date=each.date,
                        symbol=each.symbol, number=same,
                    )
                )  # fmt: skip
        if left:
            entering.consistent(desk, left)
        return left if dry or not left else journal.enter(desk.ws, left)


def _unkeyed(desk: Desk) -> Iterable[Entry]:
    return (each for each in journal.standing(desk.ws.db) if each.key is None and each.kind in TRADES)


def _present(entries: Iterable[Entry]) -> Counter[str]:
    """Return the keys that the entries would have in an export."""
    found: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for each in entries:
        base = export_key(each)
        seen[base] += 1
        found[base if seen[base] == 1 else f"{base}#{seen[base]}"] += 1
    return found


def export_key(entry: Entry) -> str:
    """Return what an entry is known by that was exported without a key: all that it says."""
    told = [
        entry.date, entry.time, entry.kind, entry.symbol, entry.currency,
        *(None if value is None else format(value.normalize(), "f") for value in (
            entry.quantity, entry.price, entry.cash, entry.ratio, entry.commission, entry.stamp, entry.transfer,
            entry.other,
        )),
        entry.session,
    ]  # fmt: skip
    return "export:" + sha256(repr(told).encode()).hexdigest()[:32]


def _key(entry: Entry, number: str) -> str:
    told = [entry.date, entry.kind, entry.symbol, entry.currency, number.strip()]
    values = (entry.quantity, entry.price, entry.cash, entry.fees)
    told += ["" if value is None else format(value.normalize(), "f") for value in values]
    told += [] if number.strip() else [entry.time]
    return "row:" + sha256("|".join(told).encode()).hexdigest()[:32]


def _entry(row: Row, file: _File) -> Entry | None:
    """Return what a row says; None where it moves nothing."""
    if row["kind"]:
        return _own(row)
    net, quantity = _number(row, "net"), _number(row, "quantity")
    kind = _kind(row, net, quantity)
    if (kind == "nothing" and not net) or (not net and not quantity and not _number(row, "amount")):
        return None
    if kind in ("unknown", "nothing"):
        raise BadData(
            "what is {what!r}?", what=row["what"][:40], hint="buy, sell, dividend … as the broker writes them"
        )
    symbol = _symbol(row, kind, file)
    moment, day = moments.parse(row["date"].strip(), row["time"], symbol.market if symbol else "CN")
    unit = _unit(row, symbol, file.currency)
    name = row["name"] or (symbol.name if symbol else "")
    base = Entry(
        0, clock.stamp(moment), day, INTEREST if kind == "charge" else kind, symbol.canonical if symbol else "", name,
        unit, session=file.session, actor="user", origin="statement",
    )  # fmt: skip
    if kind in ("lend", "repaid", "repo", "borrow") or (symbol is not None and symbol.kind == "repo"):
        return _lent(row, base, net, quantity)
    if kind in ("paid", "refund"):
        return _paid(row, base, file, net)
    if kind in ("buy", "sell", "subscribe"):
        assert symbol is not None
        return _trade(row, base, symbol, file, net, quantity)
    if kind == BONUS:
        if not quantity or symbol is None:
            raise BadData("{what}: no quantity", what=row["what"])
        return base._replace(quantity=abs(quantity), time=order.at_open(day, symbol.market))
    cash = net if net is not None and net else _number(row, "amount") or ZERO
    if kind == "tax":
        return base._replace(kind=DIVIDEND, cash=-abs(cash))
    if not cash:  # shares that come or go without money, by words that mean money: nothing is made up for them
        raise BadData("{what}: no amount", what=row["what"])
    if kind == "moved":
        kind, cash = (DEPOSIT if cash > 0 else WITHDRAW), abs(cash)
    if kind in (DEPOSIT, WITHDRAW):
        return base._replace(kind=kind, cash=abs(cash), symbol="", name="", time=order.at_open(day))
    if kind in (INTEREST, "charge"):
        cash = cash if kind == INTEREST else -abs(cash)
        return base._replace(symbol="", name="", cash=cash, reason=f"{row['what']} {row['code']}".strip())
    return base._replace(cash=cash)


def _lent(row: Row, base: Entry, net: Decimal | None, quantity: Decimal | None) -> Entry:
    """Return money that was lent by reverse repo, or came back with its interest."""
    amount, rate, fees = _number(row, "amount"), _number(row, "price"), _told(row)
    kind = base.kind
    if kind == "repo":
        if not net:
            raise BadData("{what}: is it lent or does it come back? No amount tells", what=row["what"])
        kind = LEND if net < 0 else REPAID
    kind = {"sell": LEND, "buy": "borrow"}.get(kind, kind)
    if kind not in (LEND, REPAID):
        raise BadData("{what}: money that is borrowed is no part of this ledger", what=row["what"] or base.symbol)
    money = abs(net or amount or ZERO)
    principal = principal_of(money, amount, quantity, lent=kind == LEND)
    if not money:
        raise BadData("{what}: no amount", what=row["what"])
    base = base._replace(kind=kind, price=rate or None)
    if kind == REPAID:
        return base._replace(quantity=principal, cash=money)
    principal = principal or money
    fee = sum(fees.values(), ZERO) if net is None else money - principal
    return base._replace(cash=principal, commission=fee)


def _paid(row: Row, base: Entry, file: _File, net: Decimal | None) -> Entry | None:
    """Return what was paid for a new issue before it arrives, or came back of it; None for a mere application."""
    amount = _number(row, "amount") or ZERO
    applied = re.search(r"申购$", row["what"]) and net is None
    money = ZERO if applied else -abs(amount) if net is None else net
    if base.kind == "refund":
        money = abs(money)
    if not money:
        return None
    for whose in {base.symbol, stem(base.name)}:
        file.paid[whose] = file.paid.get(whose, ZERO) - money
    if money > 0:
        return base._replace(kind=REPAID, cash=money, quantity=money)
    return base._replace(kind=PREPAY, cash=-money)


def _kind(row: Row, net: Decimal | None, quantity: Decimal | None) -> str:
    """Return what a row is: by its words, else (IBKR) by the sign of its quantity."""
    if row["what"]:
        found = meant(row["what"])
        if found != "unknown" or not re.fullmatch(
            r"(?i)[\s/]*(order|trade|stk|stock|fut|open|close|成交|交易|普通|限价|开仓|平仓)*[\s/]*", row["what"]
        ):
            return found
    if not row["what"] and quantity is None and net is not None:
        return "unknown"
    return (
        BUY if quantity is not None and quantity > 0 else SELL if quantity is not None and quantity < 0 else "unknown"
    )


def _trade(row: Row, base: Entry, symbol: Symbol, file: _File, net: Decimal | None, quantity: Decimal | None) -> Entry:
    amount, price = _number(row, "amount"), _number(row, "price")
    if not quantity:
        raise BadData("{what}: no quantity", what=row["what"] or base.kind)
    count = order.shares(format(abs(quantity), "f"), symbol)
    if base.kind == SUBSCRIBE:
        cost = file.paid.pop(base.symbol, ZERO) or file.paid.pop(stem(base.name), ZERO)
        if symbol.kind == "bond" and not price:
            price = Decimal(100)  # a new bond costs its face value
        if not amount and not price and not cost:
            raise BadData("{what}: no price", what=row["what"])
        money = abs(amount) if amount else cents(price * count) if price else cost
        return base._replace(quantity=count, price=price or _price(money, count), cash=cents(money))
    if not price and not amount:
        raise BadData("{what}: no price", what=row["what"] or base.kind)
    money = cents(abs(amount)) if amount else cents((price or ZERO) * count)
    each = abs(price) if price else _price(money, count)
    if net is None and amount and price:
        gross = cents(each * count)
        sign = 1 if base.kind == BUY else -1
        if gross != money and gross + sign * sum(_told(row).values()) == money:  # Schwab's: what was paid, fees and all
            net, money = amount, gross
    if amount and price and abs(each * count - money) > Decimal("0.01") + count * _step(row["price"]):
        raise BadData(
            "{quantity} at {price} are {product}, the row says {amount}", quantity=format(count, "f"),
            price=format(each, "f"), product=format(cents(each * count), "f"), amount=format(money, "f"),
        )  # fmt: skip
    base = base._replace(quantity=count, price=each, cash=money)
    return base._replace(**_fees(row, base.kind, money, net))  # type: ignore[arg-type]


def _price(money: Decimal, count: Decimal) -> Decimal:
    return (money / count).quantize(Decimal("0.0001"))


def _step(written: str) -> Decimal:
    """Return half of the last digit that a price was written with, at least of the third: brokers cut averages off."""
    places = len(written.partition(".")[2])
    return Decimal(1).scaleb(-max(min(places, 4), 2))


def _told(row: Row) -> dict[str, Decimal]:
    """Return the fees of a row by column; `other` is the sum of several."""
    told = {name: abs(_number(row, name) or ZERO) for name in _FEES if name != "other"}
    return {**told, "other": sum((abs(_decimal(part) or ZERO) for part in row["other"].split(";")), ZERO)}


def _fees(row: Row, kind: str, money: Decimal, net: Decimal | None) -> dict[str, Decimal]:
    """Return the fees as the row has them, so that they lead from the amount to what was paid where that is told.

    手续费 is the commission, or the sum of all fees: what is paid tells. What the columns leave open is `other`.
    """
    told = _told(row)
    other = told["other"]
    rest = told["commission"] + told["stamp"] + told["transfer"] + other
    fees = {"commission": told["commission"], "stamp": told["stamp"], "transfer": told["transfer"], "other": other}
    if net:
        due = money - abs(net) if kind == SELL else abs(net) - money
        if due < 0:
            raise BadData("{amount} does not lead to {net}", amount=format(money, "f"), net=format(net, "f"))
        if told["charge"] and due == rest + told["charge"]:
            where = "other" if told["commission"] else "commission"
            return {**fees, where: fees[where] + told["charge"]}
        if told["charge"] and not told["commission"] and due == told["charge"]:  # the sum of what stands beside it
            return {**fees, "commission": due - told["stamp"] - told["transfer"] - other}
        if due >= rest:
            return {**fees, "other": fees["other"] + due - rest}
        raise BadData(
            "the fees are {fees}, but {amount} leads to {net}", fees=format(rest, "f"), amount=format(money, "f"),
            net=format(net, "f"),
        )  # fmt: skip
    if not told["commission"]:
        fees["commission"] = told["charge"]
    total = abs(_number(row, "total") or ZERO)
    if total:
        if total < sum(fees.values(), ZERO):
            raise BadData("the fees are {fees}, the row says {total}", fees=format(rest, "f"), total=format(total, "f"))
        fees["other" if fees["commission"] else "commission"] += total - sum(fees.values(), ZERO)
    return fees


def _own(row: Row) -> Entry:
    """Return an entry as our own export writes it."""
    told = {name: unguarded(row[name]) for name in ("name", "reason", "session", "key")}
    row = Row(row.line, {**row, **told}, row.problem)
    if row["kind"] not in (*TRADES, *ACTIONS, *MONEY, *LOANS):
        raise BadData("what is {what!r}?", what=row["kind"][:40])
    symbol = _resolved(row["code"]) if row["code"] else None
    if row["kind"] not in LOANS and (symbol is None) != (row["kind"] in MONEY):
        raise BadData("a {kind} without a security, or one with it", kind=row["kind"])
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", row["date"]) or not row["time"].endswith("Z"):
        raise BadData("{text!r} is not a time", text=f"{row['date']} {row['time']}"[:40])
    try:
        datetime.fromisoformat(row["date"])
        moment = datetime.fromisoformat(row["time"])
    except ValueError:
        raise BadData("{text!r} is not a time", text=f"{row['date']} {row['time']}"[:40]) from None
    values = {name: _number(row, name) for name in ("price", "quantity", "ratio", "commission", "stamp", "transfer")}
    for name, value in values.items():
        if value is not None and value < 0:
            raise BadData("{what}: {text} is less than zero", what=name, text=row[name])
    cash = _number(row, "amount")
    if row["kind"] in TRADES and (not values["quantity"] or cash is None or cash < 0):
        raise BadData("{what}: no quantity", what=row["kind"])
    if row["kind"] in TRADES and values["price"] is None:
        raise BadData("{what}: no price", what=row["kind"])
    if row["kind"] == DIVIDEND and cash is None and values["price"] is None:
        raise BadData("{what}: no amount", what=row["kind"])
    if row["kind"] in (BONUS, "split") and not values["ratio"] and not values["quantity"]:
        raise BadData("{what}: no ratio", what=row["kind"])
    if row["kind"] in (*MONEY, *LOANS) and not cash:
        raise BadData("{what}: no amount", what=row["kind"])
    if moment > clock.now():
        raise BadData("{text} is in the future", text=row["time"])
    made = Entry(
        0, clock.stamp(moment), row["date"], row["kind"], symbol.canonical if symbol else "", row["name"],
        order.money_of(row["currency"]), values["price"], values["quantity"], cash, values["ratio"],
        values["commission"] or ZERO, values["stamp"] or ZERO, values["transfer"] or ZERO,
        _decimal(row["other"]) or ZERO, row["reason"], row["session"], "user", "import", row["key"] or None,
    )  # fmt: skip
    return made if made.key else made._replace(key=export_key(made))


def _symbol(row: Row, kind: str, file: _File) -> Symbol | None:
    """Return the security of a row; of money that is lent or paid in advance None where no code is told."""
    advance = kind in ("lend", "repaid", "repo", "borrow", "paid", "refund")
    if advance and not row["code"]:
        return None
    found = _coded(row, kind)
    if found is None or found.kind != "issue":
        return found
    what = row["what"] + row["name"]
    rights = bool(re.search(r"配股|供股|rights", what, re.I))
    listed = None if re.search(r"[债转]", what) else listed_code(found, rights=rights)
    listed = listed or file.bonds.get(stem(row["name"]))
    if listed is None and not advance:
        raise BadData(
            "{digits} is a code for subscribing: under which code it is listed is not told", digits=found.code,
            hint="enter it by hand: `ia trade buy CODE QUANTITY PRICE --subscribed`",
        )  # fmt: skip
    return listed or found


def _coded(row: Row, kind: str) -> Symbol | None:
    code = row["code"].upper().removesuffix(".0")
    if kind in (DEPOSIT, WITHDRAW, INTEREST, "moved", "charge"):
        return None
    if not code and not row["name"]:
        raise BadData("no code")
    if found := re.fullmatch(r"(SH|SZ|BJ|HK|US)\.(\S+)", code):
        return _resolved(f"{found[2]}.{found[1]}")
    market = row["market"] + row["currency"]
    if code.isascii() and code.isdigit() and len(code) < 6:
        hong_kong = re.search(r"港|HK|SEHK", market, re.I) or (
            len(code) == 5 and not re.search(r"沪|深|人民币|CNY", market)
        )
        code = f"{code.zfill(5)}.HK" if hong_kong else code.zfill(6)
    elif re.search(r"美元|USD|US|NASDAQ|NYSE|ARCA", market, re.I) and re.fullmatch(r"[A-Z.]{1,6}", code):
        code = f"{code}.US"
    return _resolved(code or row["name"])


def _unit(row: Row, symbol: Symbol | None, default: str) -> str:
    dollars = "$" in row["net"] + row["amount"]
    own = traded_in(symbol) if symbol else "USD" if dollars else default
    if not row["currency"]:
        return own
    told = order.money_of(re.sub(r"[A-Z]股|账户|\s", "", row["currency"].upper()))
    if symbol is not None and told != own:
        raise BadData("{symbol} is traded in {own}, the row is in {told}", symbol=symbol.canonical, own=own, told=told)
    return told


def _number(row: Row, name: str) -> Decimal | None:
    return _decimal(row[name], f"the {name}" if name in ("price", "quantity", "amount") else "the number")


def _decimal(text: str, what: str = "the number") -> Decimal | None:
    bare = re.sub(r"[¥￥$]", "", text, count=1).strip()
    if bare in ("", "-", "--", "---", "N/A", "null"):
        return None
    if found := re.fullmatch(r"\(([0-9.,]+)\)", bare):
        bare = f"-{found[1]}"
    return order.number(bare, what, places=10, zero=True, negative=True)
