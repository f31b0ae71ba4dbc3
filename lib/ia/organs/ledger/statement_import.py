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

from ia.domain.instruments.boards import trading_currency as traded_in
from ia.domain.instruments.symbols import AmbiguousName, Symbol, from_canonical, listed_code, resolve_security
from ia.domain.rules.fees import round_to_cents
from ia.kernel import clock
from ia.kernel.digest import sha256
from ia.kernel.errors import BadData, IaError, Message, Notify, PluralText, drop_message
from ia.organs.ledger import journal, order, posting, statement_rows, statement_times
from ia.organs.ledger.csv_export import unescape_formula
from ia.organs.ledger.desk import LedgerDesk
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
    JournalEntry,
)
from ia.organs.ledger.loans import issuer_stem, loan_principal
from ia.organs.ledger.statement_columns import classify_words
from ia.organs.ledger.statement_rows import MOST_BYTES as MOST_BYTES
from ia.organs.ledger.statement_rows import StatementRow

_resolved = lru_cache(4096)(resolve_security)
_FEES = ("commission", "charge", "stamp", "transfer", "other")
MOST_TOLD = 12
"""Rows that were not understood are told one by one up to so many."""


class ImportedStatement(NamedTuple):
    """What a file says: entries, oldest first, and what was passed over: (line, why).

    unread  rows that are not understood: (line, why)
    ruled   whether the file has no column that tells of fees, so that they are those of the rules
    """

    entries: list[JournalEntry]
    passed: list[tuple[int, str]]
    unread: list[tuple[int, IaError]]
    ruled: bool = False


def read_statement(
    raw: bytes, source: str, *, currency: str = "CNY", session: str = "", partial: bool = False
) -> ImportedStatement:
    """Return the entries of a statement.

    currency  of rows that do not say and whose security does not tell
    partial   leave out the rows that are not understood, and tell of them
    raises    BadData with the lines of the rows that are not understood.
    """
    rows = statement_rows.read_rows(raw, source)
    file = _StatementFile(currency, session, rows)
    passed: list[tuple[int, str]] = []
    unread: list[tuple[int, IaError]] = []
    found: list[JournalEntry] = []
    seen: Counter[str] = Counter()
    ruled = bool(rows) and not any(row.keys() & {*_FEES, "total", "net", "kind"} for row in rows)
    for row in rows:
        try:
            if row.problem is not None:
                raise row.problem
            made = _parse_entry(row, file)
            base = "" if made is None else made.key or _entry_key(made, row["number"])
            if ruled and made is not None and made.kind in (BUY, SELL):
                made = _add_fees(made)
        except IaError as exc:
            unread.append((row.line, exc))
            continue
        if made is None:
            passed.append((row.line, row["what"]))
            continue
        seen[base] += 1
        found.append(made._replace(key=base if seen[base] == 1 else f"{base}#{seen[base]}"))
    if unread and not partial:
        raise _unread_rows_error(source, unread)
    ruled = ruled and any(each.kind in (BUY, SELL) for each in found)
    return ImportedStatement(sorted(found, key=lambda each: (each.date, each.time)), passed, unread, ruled)


def _unread_rows_error(source: str, unread: list[tuple[int, IaError]]) -> BadData:
    """Return the failure that names every row that is not understood, the first one with its reason."""
    (line, reason), *others = unread
    if not others:
        params = {**reason.params, "source": source, "line": line, "reason": reason}
        return BadData("{source}:{line}: {reason}", hint=reason.hint or PARTIAL, **params)
    lines = ", ".join(str(each) for each, _ in others[:MOST_TOLD]) + (", …" if len(others) > MOST_TOLD else "")
    return BadData(
        PluralText(
            "{source}:{line}: {reason}; {count} more row is invalid, on line {lines}",
            "{source}:{line}: {reason}; {count} more rows are invalid, on lines {lines}",
        ),
        source=source,
        line=line,
        reason=reason,
        count=len(others),
        lines=lines,
        hint=PARTIAL,
    )


PARTIAL = "nothing was entered; `--partial` enters the valid rows and lists the others"


class _StatementFile:
    """What the rows of one file share.

    paid    what new issues cost before they arrive, by symbol and by issuer
    bonds   the listed bond of each issuer, by its name without 转债
    """

    def __init__(self, currency: str, session: str, rows: Sequence[StatementRow]) -> None:
        self.currency, self.session = currency, session
        self.paid: dict[str, Decimal] = {}
        self.bonds: dict[str, Symbol] = {}
        for row in rows:
            code = row["code"].removesuffix(".0")
            if len(code) == 6 and code.isdigit() and row["name"]:
                with contextlib.suppress(IaError):
                    if (symbol := _resolved(code)).kind == "bond":
                        self.bonds[issuer_stem(row["name"])] = symbol


def _add_fees(entry: JournalEntry) -> JournalEntry:
    """Return a trade with the fees that the rules make. raises NotFound where they do not reach back so far."""
    assert entry.price is not None and entry.quantity is not None
    symbol = from_canonical(entry.symbol)._replace(name=entry.name)
    wish = order.Order(
        side=entry.kind,
        symbol=symbol,
        quantity=entry.quantity,
        price=entry.price,
        moment=datetime.fromisoformat(entry.time),
    )
    cost = order.build_entry(wish)
    return entry._replace(commission=cost.commission, stamp=cost.stamp, transfer=cost.transfer, other=cost.other)


def enter_statement(
    desk: LedgerDesk, new: Sequence[JournalEntry], *, dry: bool = False, notify: Notify = drop_message
) -> list[JournalEntry]:
    """Enter the entries of a file that are not in the journal, all or none, and return them.

    dry     enter nothing, and return what would be entered
    raises  Refused where more would be sold than was held.
    """
    if not dry:
        posting.refuse_unattended()
    with desk.ws.lock():
        known = journal.find_known_keys(desk.ws.db, (each.key or "" for each in new))
        exported = any((each.key or "").startswith("export:") for each in new)
        ours = _count_export_keys(journal.effective_entries(desk.ws.db, everything=True)) if exported else Counter()
        left = []
        for each in new:
            if each.key in known:
                continue
            if (each.key or "").startswith("export:") and ours[each.key or ""]:
                continue
            left.append(each)
        by_hand = {
            (each.date, each.kind, each.symbol, each.quantity, each.price): each.id
            for each in _entries_without_key(desk)
        }
        for each in left:
            same = by_hand.get((each.date, each.kind, each.symbol, each.quantity, each.price))
            if same is not None:
                notify(
                    Message(
                        "{date} {symbol}: possible duplicate of entry {number}, which was entered by hand",
                        date=each.date,
                        symbol=each.symbol,
                        number=same,
                    )
                )
        if left:
            posting.check_consistency(desk, left)
        return left if dry or not left else journal.append_entries(desk.ws, left)


def _entries_without_key(desk: LedgerDesk) -> Iterable[JournalEntry]:
    return (each for each in journal.effective_entries(desk.ws.db) if each.key is None and each.kind in TRADES)


def _count_export_keys(entries: Iterable[JournalEntry]) -> Counter[str]:
    """Return the keys that the entries would have in an export."""
    found: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for each in entries:
        base = export_key(each)
        seen[base] += 1
        found[base if seen[base] == 1 else f"{base}#{seen[base]}"] += 1
    return found


def export_key(entry: JournalEntry) -> str:
    """Return what an entry is known by that was exported without a key: all that it says."""
    told = [
        entry.date,
        entry.time,
        entry.kind,
        entry.symbol,
        entry.currency,
        *(
            None if value is None else format(value.normalize(), "f")
            for value in (
                entry.quantity,
                entry.price,
                entry.cash,
                entry.ratio,
                entry.commission,
                entry.stamp,
                entry.transfer,
                entry.other,
            )
        ),
        entry.session,
    ]
    return "export:" + sha256(repr(told).encode()).hexdigest()[:32]


def _entry_key(entry: JournalEntry, number: str) -> str:
    told = [entry.date, entry.kind, entry.symbol, entry.currency, number.strip()]
    values = (entry.quantity, entry.price, entry.cash, entry.fees)
    told += ["" if value is None else format(value.normalize(), "f") for value in values]
    told += [] if number.strip() else [entry.time]
    return "row:" + sha256("|".join(told).encode()).hexdigest()[:32]


def _parse_entry(row: StatementRow, file: _StatementFile) -> JournalEntry | None:
    """Return what a row says; None where it moves nothing."""
    if row["kind"]:
        return _parse_export_row(row)
    net, quantity = _parse_number(row, "net"), _parse_number(row, "quantity")
    kind = _classify_row(row, net, quantity)
    if (kind == "nothing" and not net) or (not net and not quantity and not _parse_number(row, "amount")):
        return None
    if kind in ("unknown", "nothing"):
        raise BadData(
            "unknown type of transaction {what!r}",
            what=row["what"][:40],
            hint="use the broker's terms: buy, sell, dividend …",
        )
    symbol = _find_symbol(row, kind, file)
    moment, day = statement_times.parse_moment(row["date"].strip(), row["time"], symbol.market if symbol else "CN")
    unit = _find_currency(row, symbol, file.currency)
    name = row["name"] or (symbol.name if symbol else "")
    base = JournalEntry(
        id=0,
        time=clock.utc_stamp(moment),
        date=day,
        kind=INTEREST if kind == "charge" else kind,
        symbol=symbol.canonical if symbol else "",
        name=name,
        currency=unit,
        session=file.session,
        actor="user",
        origin="statement",
    )
    if kind in ("lend", "repaid", "repo", "borrow") or (symbol is not None and symbol.kind == "repo"):
        return _parse_loan(row, base, net, quantity)
    if kind in ("paid", "refund"):
        return _parse_prepayment(row, base, file, net)
    if kind in ("buy", "sell", "subscribe"):
        assert symbol is not None
        return _parse_trade(row, base, symbol, file, net, quantity)
    if kind == BONUS:
        if not quantity or symbol is None:
            raise BadData("{what}: the quantity is missing", what=row["what"])
        return base._replace(quantity=abs(quantity), time=order.day_start(day, symbol.market))
    cash = net if net is not None and net else _parse_number(row, "amount") or ZERO
    if kind == "tax":
        return base._replace(kind=DIVIDEND, cash=-abs(cash))
    if not cash:  # shares that come or go without money, by words that mean money: nothing is made up for them
        raise BadData("{what}: the amount is missing", what=row["what"])
    if kind == "moved":
        kind, cash = (DEPOSIT if cash > 0 else WITHDRAW), abs(cash)
    if kind in (DEPOSIT, WITHDRAW):
        return base._replace(kind=kind, cash=abs(cash), symbol="", name="", time=order.day_start(day))
    if kind in (INTEREST, "charge"):
        cash = cash if kind == INTEREST else -abs(cash)
        return base._replace(symbol="", name="", cash=cash, reason=f"{row['what']} {row['code']}".strip())
    return base._replace(cash=cash)


def _parse_loan(row: StatementRow, base: JournalEntry, net: Decimal | None, quantity: Decimal | None) -> JournalEntry:
    """Return money that was lent by reverse repo, or came back with its interest."""
    amount, rate, fees = _parse_number(row, "amount"), _parse_number(row, "price"), _parse_fees(row)
    kind = base.kind
    if kind == "repo":
        if not net:
            raise BadData("{what}: lent or repaid? The row has no amount", what=row["what"])
        kind = LEND if net < 0 else REPAID
    kind = {"sell": LEND, "buy": "borrow"}.get(kind, kind)
    if kind not in (LEND, REPAID):
        raise BadData("{what}: this ledger does not record borrowed money", what=row["what"] or base.symbol)
    money = abs(net or amount or ZERO)
    principal = loan_principal(money, amount, quantity, lent=kind == LEND)
    if not money:
        raise BadData("{what}: the amount is missing", what=row["what"])
    base = base._replace(kind=kind, price=rate or None)
    if kind == REPAID:
        return base._replace(quantity=principal, cash=money)
    principal = principal or money
    fee = sum(fees.values(), ZERO) if net is None else money - principal
    return base._replace(cash=principal, commission=fee)


def _parse_prepayment(
    row: StatementRow, base: JournalEntry, file: _StatementFile, net: Decimal | None
) -> JournalEntry | None:
    """Return what was paid for a new issue before it arrives, or came back of it; None for a mere application."""
    amount = _parse_number(row, "amount") or ZERO
    applied = re.search(r"申购$", row["what"]) and net is None
    money = ZERO if applied else -abs(amount) if net is None else net
    if base.kind == "refund":
        money = abs(money)
    if not money:
        return None
    for whose in {base.symbol, issuer_stem(base.name)}:
        file.paid[whose] = file.paid.get(whose, ZERO) - money
    if money > 0:
        return base._replace(kind=REPAID, cash=money, quantity=money)
    return base._replace(kind=PREPAY, cash=-money)


def _classify_row(row: StatementRow, net: Decimal | None, quantity: Decimal | None) -> str:
    """Return what a row is: by its words, else (IBKR) by the sign of its quantity."""
    if row["what"]:
        found = classify_words(row["what"])
        if found != "unknown" or not re.fullmatch(
            r"(?i)[\s/]*(order|trade|stk|stock|fut|open|close|成交|交易|普通|限价|开仓|平仓)*[\s/]*", row["what"]
        ):
            return found
    if not row["what"] and quantity is None and net is not None:
        return "unknown"
    return (
        BUY if quantity is not None and quantity > 0 else SELL if quantity is not None and quantity < 0 else "unknown"
    )


def _parse_trade(
    row: StatementRow,
    base: JournalEntry,
    symbol: Symbol,
    file: _StatementFile,
    net: Decimal | None,
    quantity: Decimal | None,
) -> JournalEntry:
    amount, price = _parse_number(row, "amount"), _parse_number(row, "price")
    if not quantity:
        raise BadData("{what}: the quantity is missing", what=row["what"] or base.kind)
    count = order.parse_shares(format(abs(quantity), "f"), symbol)
    if base.kind == SUBSCRIBE:
        cost = file.paid.pop(base.symbol, ZERO) or file.paid.pop(issuer_stem(base.name), ZERO)
        if symbol.kind == "bond" and not price:
            price = Decimal(100)  # a new bond costs its face value
        if not amount and not price and not cost:
            raise BadData("{what}: the price is missing", what=row["what"])
        money = abs(amount) if amount else round_to_cents(price * count) if price else cost
        return base._replace(quantity=count, price=price or _unit_price(money, count), cash=round_to_cents(money))
    if not price and not amount:
        raise BadData("{what}: the price is missing", what=row["what"] or base.kind)
    money = round_to_cents(abs(amount)) if amount else round_to_cents((price or ZERO) * count)
    each = abs(price) if price else _unit_price(money, count)
    if net is None and amount and price:
        gross = round_to_cents(each * count)
        sign = 1 if base.kind == BUY else -1
        if (
            gross != money and gross + sign * sum(_parse_fees(row).values()) == money
        ):  # Schwab's: what was paid, fees and all
            net, money = amount, gross
    if amount and price and abs(each * count - money) > Decimal("0.01") + count * _price_tolerance(row["price"]):
        raise BadData(
            "{quantity} x {price} is {product}, but the row gives {amount}",
            quantity=format(count, "f"),
            price=format(each, "f"),
            product=format(round_to_cents(each * count), "f"),
            amount=format(money, "f"),
        )
    base = base._replace(quantity=count, price=each, cash=money)
    return base._replace(**_reconcile_fees(row, base.kind, money, net))  # type: ignore[arg-type]


def _unit_price(money: Decimal, count: Decimal) -> Decimal:
    return (money / count).quantize(Decimal("0.0001"))


def _price_tolerance(written: str) -> Decimal:
    """Return half of the last digit that a price was written with, at least of the third: brokers cut averages off."""
    places = len(written.partition(".")[2])
    return Decimal(1).scaleb(-max(min(places, 4), 2))


def _parse_fees(row: StatementRow) -> dict[str, Decimal]:
    """Return the fees of a row by column; `other` is the sum of several."""
    told = {name: abs(_parse_number(row, name) or ZERO) for name in _FEES if name != "other"}
    return {**told, "other": sum((abs(_parse_decimal(part) or ZERO) for part in row["other"].split(";")), ZERO)}


def _reconcile_fees(row: StatementRow, kind: str, money: Decimal, net: Decimal | None) -> dict[str, Decimal]:
    """Return the fees as the row has them, so that they lead from the amount to what was paid where that is told.

    手续费 is the commission, or the sum of all fees: what is paid tells. What the columns leave open is `other`.
    """
    told = _parse_fees(row)
    other = told["other"]
    rest = told["commission"] + told["stamp"] + told["transfer"] + other
    fees = {"commission": told["commission"], "stamp": told["stamp"], "transfer": told["transfer"], "other": other}
    if net:
        due = money - abs(net) if kind == SELL else abs(net) - money
        if due < 0:
            raise BadData(
                "the amount {amount} does not match the net amount {net}",
                amount=format(money, "f"),
                net=format(net, "f"),
            )
        if told["charge"] and due == rest + told["charge"]:
            where = "other" if told["commission"] else "commission"
            return {**fees, where: fees[where] + told["charge"]}
        if told["charge"] and not told["commission"] and due == told["charge"]:  # the sum of what stands beside it
            return {**fees, "commission": due - told["stamp"] - told["transfer"] - other}
        if due >= rest:
            return {**fees, "other": fees["other"] + due - rest}
        raise BadData(
            "the fees are {fees}, but the amount {amount} and the net amount {net} imply others",
            fees=format(rest, "f"),
            amount=format(money, "f"),
            net=format(net, "f"),
        )
    if not told["commission"]:
        fees["commission"] = told["charge"]
    total = abs(_parse_number(row, "total") or ZERO)
    if total:
        if total < sum(fees.values(), ZERO):
            raise BadData(
                "the fees add up to {fees}, but the row gives {total}", fees=format(rest, "f"), total=format(total, "f")
            )
        fees["other" if fees["commission"] else "commission"] += total - sum(fees.values(), ZERO)
    return fees


def _parse_export_row(row: StatementRow) -> JournalEntry:
    """Return an entry as our own export writes it."""
    told = {name: unescape_formula(row[name]) for name in ("name", "reason", "session", "key")}
    row = StatementRow(row.line, {**row, **told}, row.problem)
    if row["kind"] not in (*TRADES, *ACTIONS, *MONEY, *LOANS):
        raise BadData("unknown type of transaction {what!r}", what=row["kind"][:40])
    symbol = _resolve_traded(row["code"], row["name"]) if row["code"] else None
    if row["kind"] not in LOANS and (symbol is None) != (row["kind"] in MONEY):
        raise BadData("{kind}: a security code is missing or not allowed here", kind=row["kind"])
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", row["date"]) or not row["time"].endswith("Z"):
        raise BadData("{text!r} is not a valid time", text=f"{row['date']} {row['time']}"[:40])
    try:
        datetime.fromisoformat(row["date"])
        moment = datetime.fromisoformat(row["time"])
    except ValueError:
        raise BadData("{text!r} is not a valid time", text=f"{row['date']} {row['time']}"[:40]) from None
    values = {
        name: _parse_number(row, name) for name in ("price", "quantity", "ratio", "commission", "stamp", "transfer")
    }
    for name, value in values.items():
        if value is not None and value < 0:
            raise BadData("{what}: {text} is negative", what=name, text=row[name])
    cash = _parse_number(row, "amount")
    if row["kind"] in TRADES and (not values["quantity"] or cash is None or cash < 0):
        raise BadData("{what}: the quantity is missing", what=row["kind"])
    if row["kind"] in TRADES and values["price"] is None:
        raise BadData("{what}: the price is missing", what=row["kind"])
    if row["kind"] == DIVIDEND and cash is None and values["price"] is None:
        raise BadData("{what}: the amount is missing", what=row["kind"])
    if row["kind"] in (BONUS, "split") and not values["ratio"] and not values["quantity"]:
        raise BadData("{what}: the ratio is missing", what=row["kind"])
    if row["kind"] in (*MONEY, *LOANS) and not cash:
        raise BadData("{what}: the amount is missing", what=row["kind"])
    if moment > clock.now():
        raise BadData("{text} is in the future", text=row["time"])
    made = JournalEntry(
        id=0,
        time=clock.utc_stamp(moment),
        date=row["date"],
        kind=row["kind"],
        symbol=symbol.canonical if symbol else "",
        name=row["name"],
        currency=order.parse_currency(row["currency"]),
        price=values["price"],
        quantity=values["quantity"],
        cash=cash,
        ratio=values["ratio"],
        commission=values["commission"] or ZERO,
        stamp=values["stamp"] or ZERO,
        transfer=values["transfer"] or ZERO,
        other=_parse_decimal(row["other"]) or ZERO,
        reason=row["reason"],
        session=row["session"],
        actor="user",
        origin="import",
        key=row["key"] or None,
    )
    return made if made.key else made._replace(key=export_key(made))


def _find_symbol(row: StatementRow, kind: str, file: _StatementFile) -> Symbol | None:
    """Return the security of a row; of money that is lent or paid in advance None where no code is told."""
    advance = kind in ("lend", "repaid", "repo", "borrow", "paid", "refund")
    if advance and not row["code"]:
        return None
    found = _symbol_from_code(row, kind)
    if found is None or found.kind != "issue":
        return found
    what = row["what"] + row["name"]
    rights = bool(re.search(r"配股|供股|rights", what, re.I))
    listed = None if re.search(r"[债转]", what) else listed_code(found, rights=rights)
    listed = listed or file.bonds.get(issuer_stem(row["name"]))
    if listed is None and not advance:
        raise BadData(
            "{digits} is a subscription code, and the file does not give the listed code",
            digits=found.code,
            hint="enter it by hand: `ia trade buy CODE QUANTITY PRICE --subscribed`",
        )
    return listed or found


def _symbol_from_code(row: StatementRow, kind: str) -> Symbol | None:
    code = row["code"].upper().removesuffix(".0")
    if kind in (DEPOSIT, WITHDRAW, INTEREST, "moved", "charge"):
        return None
    if not code and not row["name"]:
        raise BadData("the code is missing")
    if found := re.fullmatch(r"(SH|SZ|BJ|HK|US)\.(\S+)", code):
        return _resolve_traded(f"{found[2]}.{found[1]}", row["name"])
    market = row["market"] + row["currency"]
    if code.isascii() and code.isdigit() and len(code) < 6:
        hong_kong = re.search(r"港|HK|SEHK", market, re.I) or (
            len(code) == 5 and not re.search(r"沪|深|人民币|CNY", market)
        )
        code = f"{code.zfill(5)}.HK" if hong_kong else code.zfill(6)
    elif re.search(r"美元|USD|US|NASDAQ|NYSE|ARCA", market, re.I) and re.fullmatch(r"[A-Z.]{1,6}", code):
        code = f"{code}.US"
    return _resolve_traded(code or row["name"], row["name"])


def _resolve_traded(text: str, name: str) -> Symbol:
    """Return the security of a row: of several that a code means, the one of this name, else the one that is traded.

    raises  BadData for an index, which cannot be traded.
    """
    try:
        found = _resolved(text)
    except AmbiguousName as error:
        named = [each for each in map(from_canonical, error.codes) if each.name == name]
        found = named[0] if len(named) == 1 else resolve_security(text, traded=True)
    if found.kind == "index":
        raise BadData("{symbol} is an index and cannot be traded", symbol=str(found))
    return found


def _find_currency(row: StatementRow, symbol: Symbol | None, default: str) -> str:
    dollars = "$" in row["net"] + row["amount"]
    own = traded_in(symbol) if symbol else "USD" if dollars else default
    if not row["currency"]:
        return own
    told = order.parse_currency(re.sub(r"[A-Z]股|账户|\s", "", row["currency"].upper()))
    if symbol is not None and told != own:
        raise BadData("{symbol} trades in {own}, but the row is in {told}", symbol=symbol.canonical, own=own, told=told)
    return told


def _parse_number(row: StatementRow, name: str) -> Decimal | None:
    return _parse_decimal(row[name], f"the {name}" if name in ("price", "quantity", "amount") else "the number")


def _parse_decimal(text: str, what: str = "the number") -> Decimal | None:
    bare = re.sub(r"[¥￥$]", "", text, count=1).strip()
    if bare in ("", "-", "--", "---", "N/A", "null"):
        return None
    if found := re.fullmatch(r"\(([0-9.,]+)\)", bare):
        bare = f"-{found[1]}"
    return order.parse_number(bare, what, places=10, zero=True, negative=True)
