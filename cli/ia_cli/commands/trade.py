"""`ia trade`: the journal of what was bought and sold."""

from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import BadData, Message, NotFound, UsageError
from ia_cli.terminal.group import Command, Group
from ia_cli.terminal.lists import listed
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, notify
from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from decimal import Decimal

    from ia.domain.instruments.symbols import Symbol
    from ia.organs.ledger.desk import Desk
    from ia.organs.ledger.entering import Done
    from ia.organs.ledger.journal import Entry


@click.group(
    cls=Group,
    example="ia trade deposit 1000000 --date 2024-01-02; ia trade buy 600519 100 1650 --date 2024-01-15; ia profit",
)
def trade() -> None:
    """Journal what was bought and sold. Nothing is ordered anywhere.

    The journal is only added to: `correct` and `void` are entries that name an earlier one. A buy is held to the rules
    of risk (`ia config list risk.`) and of the exchange (`ia trade rules`) before it is entered: status 77, and
    `--override --because WHY` enters it all the same, with who and why.
    """


def _when(command: "Callable[..., Any]") -> "Callable[..., Any]":
    about = "When it was, in exchange time; now if not given. A day is its close."
    return click.option("--date", "--at", "when", metavar="TIME", help=about)(command)


def _price(command: "Callable[..., Any]") -> "Callable[..., Any]":
    about = "Price of a share; the latest stored one if not given."
    option = click.option("--price", "price_", metavar="PRICE", help=about)
    return click.argument("price", metavar="[PRICE]", required=False)(option(command))


def _currency(command: "Callable[..., Any]") -> "Callable[..., Any]":
    about = "CNY, HKD or USD."
    return click.option("--currency", metavar="CODE", default="CNY", show_default=True, help=about)(command)


def _about(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for option in (
        click.option("--because", metavar="WHY", default="", help="The reason."),
        click.option("-s", "--session", metavar="ID", default="", help="The session that it belongs to."),
        json_option,
    ):
        command = option(command)
    return command


def _costs(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for name, about in _COSTS.items():
        command = click.option(f"--{name}", metavar="MONEY", help=about)(command)
    return command


_COSTS = {
    "other": "Other fees that were paid, in place of what the rules say.",
    "transfer": "Transfer fee that was paid, in place of what the rules say.",
    "stamp": "Stamp duty that was paid, in place of what the rules say.",
    "commission": "Commission that was paid, in place of what the rules say.",
}


def _trade_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    override = click.option("--override", is_flag=True, help="Enter it against the rules of risk; needs --because.")
    return _when(_costs(override(_about(command))))


@trade.command(cls=Command, example="ia trade buy 600519 100 --price 1650 --date 2024-01-15")
@click.argument("symbol", metavar="SYMBOL")
@click.argument("quantity", metavar="QUANTITY")
@_price
@click.option("--subscribed", is_flag=True, help="A rights issue or a new issue: no fees, no guard.")
@_trade_options
def buy(symbol: str, quantity: str, price: str | None, price_: str | None, subscribed: bool, **options: Any) -> None:
    """Enter a purchase. Prints the entry with its fees."""
    _traded("subscribe" if subscribed else "buy", symbol, quantity, _one(price, price_), **options)


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade sell 600519 100 1700 --date 2024-01-22",
)
@click.argument("symbol", metavar="SYMBOL")
@click.argument("quantity", metavar="QUANTITY")
@_price
@_trade_options
def sell(symbol: str, quantity: str, price: str | None, price_: str | None, **options: Any) -> None:
    """Enter a sale. More than was held is refused (77).

    QUANTITY is a number of shares, `all`, or a percentage of what was held (50%).
    """
    _traded("sell", symbol, quantity, _one(price, price_), **options)


def _desk() -> "Desk":
    from ia.kernel.workspace import Workspace
    from ia.wiring.ledger_prices import open_ledger

    return open_ledger(Workspace(), notify)


def _one(price: str | None, other: str | None) -> str | None:
    if price is not None and other is not None:
        raise UsageError("the price is given twice: {one} and {other}", one=price, other=other)
    return other if price is None else price


def _traded(
    side: str,
    symbol: str,
    quantity: str | None,
    price: str | None,
    *,
    when: str | None,
    override: bool,
    because: str,
    session: str,
    as_json: bool,
    **costs: str | None,
) -> None:
    from ia.organs.ledger import entering, order

    _reasoned(override, because)
    desk = _desk()
    meant = desk.meant(symbol)
    moment = order.moment_of(when, meant)
    fees = _fees(costs)
    count = _quantity(desk, side, meant, moment, quantity)
    paid = None if price is None else order.number(price, "the price")
    wish = order.Order(side, meant, count, paid or count, moment, fees, because, session)
    if paid is None:
        wish = order.priced(wish, desk.latest(meant, moment))
    _made(desk, entering.trade(desk, wish, override=because if override else None), as_json=as_json)


def _quantity(desk: "Desk", side: str, meant: "Symbol", moment: "datetime", text: str | None) -> "Decimal":
    """Return how many shares are meant; of a sale `all` and a percentage are counted from what was held then."""
    from decimal import Decimal

    from ia.organs.ledger import order

    word = (text or "all").strip().casefold()
    if side == "sell" and word in ("all", "全部"):
        return desk.held(meant, moment)
    if side == "sell" and (word.endswith("%") or word in ("half", "一半")):
        percent = Decimal(50) if not word.endswith("%") else order.number(word[:-1], "the quantity", places=2)
        held = desk.held(meant, moment)
        count = held * percent / 100
        if percent > 100 or (meant.market != "US" and count != count.to_integral_value()):
            raise UsageError(
                "{text} of {held} shares is no whole number of shares that are held", text=word, held=f"{held:f}",
                hint="write the quantity",
            )  # fmt: skip
        return order.shares(f"{count.normalize():f}", meant)
    return order.shares(text or "", meant)


def _reasoned(override: bool, because: str) -> None:
    if override and not because.strip():
        raise UsageError("--override needs a reason", hint="add --because WHY")


def _fees(given: dict[str, str | None]) -> "dict[str, Decimal]":
    from ia.organs.ledger.order import number

    return {name: number(text, f"--{name}", zero=True, places=2) for name, text in given.items() if text is not None}


def _made(desk: "Desk", done: "Done", *, as_json: bool) -> None:
    from ia.organs.ledger.documents import document

    for breach in done.breaches:
        notify(breach.message)
    if as_json and done.entry.kind == "sell":
        emit_json({**document(done.entry), **_gain(_gains(desk), done.entry)})
    else:
        _tell([done.entry], as_json=as_json)


def _gains(desk: "Desk") -> "dict[int, Decimal]":
    """Return what each sale realized, by the number of its entry."""
    return {each.entry.id: each.realized for each in desk.books().sales}


def _gain(gains: "dict[int, Decimal]", entry: "Entry") -> dict[str, Any]:
    from ia.organs.ledger.documents import money

    return {"realized": money(gains.get(entry.id))}


def _tell(entries: "list[Entry]", *, as_json: bool) -> None:
    from ia.organs.ledger.documents import document
    from ia_cli.terminal.trade_view import line

    if as_json:
        found = [document(each) for each in entries]
        emit_json(found[0] if len(found) == 1 else found)
        return
    for each in entries:
        emit_text(line(each) + "\n")


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade close 600519 1700 --date 2024-01-22",
)
@click.argument("symbol", metavar="SYMBOL")
@_price
@_trade_options
def close(symbol: str, price: str | None, price_: str | None, **options: Any) -> None:
    """Enter the sale of all that was held."""
    _traded("sell", symbol, None, _one(price, price_), **options)


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade correct 1 --price 1655 --because '看错一行'",
)
@click.argument("number", metavar="ID", type=click.IntRange(1))
@click.option("--quantity", metavar="QUANTITY", help="How many shares it was.")
@click.option("--price", metavar="PRICE", help="What a share cost; of a dividend what it paid.")
@click.option("--amount", metavar="MONEY", help="How much money it was, of a deposit, withdrawal, loan or dividend.")
@click.option("--ratio", metavar="RATIO", help="The ratio of bonus shares or a split.")
@click.option("--reason", metavar="WHY", help="What the reason of the trade should have been.")
@_trade_options
def correct(
    number: int,
    quantity: str | None,
    price: str | None,
    amount: str | None,
    ratio: str | None,
    reason: str | None,
    when: str | None,
    override: bool,
    because: str,
    session: str,
    as_json: bool,
    **costs: str | None,
) -> None:
    """Enter what an earlier entry should have been; it counts in its place.

    Nothing is overwritten: `ia trade list --all` shows both. What is not given stays as it was, the reason of the
    trade too: --because says why the entry was wrong, and is shown beside it. Fees that the rules made are made anew.
    """
    from ia.organs.ledger import entering

    _reasoned(override, because)
    fees = _fees(costs)
    change = entering.Change(quantity, price, amount, ratio, when, fees, reason, session or None)
    if not any(change[:6]) and reason is None:
        raise UsageError("nothing is corrected", hint="say what it should have been: --price, --quantity, --date …")
    desk = _desk()
    done = entering.correct(desk, number, change, because=because, override=because if override else None)
    _made(desk, done, as_json=as_json)


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade void 1 --because '没有成交'",
)
@click.argument("number", metavar="ID", type=click.IntRange(1))
@click.option("--because", metavar="WHY", required=True, help="The reason.")
@json_option
def void(number: int, because: str, as_json: bool) -> None:
    """Take an entry back. It stays in the journal, and counts no more."""
    from ia.organs.ledger import entering

    if not because.strip():
        raise UsageError("a void needs a reason", hint="add --because WHY")
    _tell([entering.void(_desk(), number, because)], as_json=as_json)


@trade.command(cls=Command, example="ia trade deposit 100000 --date 2024-01-02; ia account")
@click.argument("amount", metavar="AMOUNT")
@_currency
@_when
@_about
def deposit(amount: str, **options: Any) -> None:
    """Enter money that was brought in. Cash and equity are known from then on."""
    _moved("deposit", amount, **options)


@trade.command(
    cls=Command, example="ia trade deposit 100000 --date 2024-01-02; ia trade withdraw 20000 --date 2024-06-03"
)
@click.argument("amount", metavar="AMOUNT")
@_currency
@_when
@_about
def withdraw(amount: str, **options: Any) -> None:
    """Enter money that was taken out."""
    _moved("withdraw", amount, **options)


@trade.command(cls=Command, example="ia trade deposit 100000 --date 2024-01-02; ia trade interest 3.21")
@click.argument("amount", metavar="AMOUNT")
@_currency
@_when
@_about
def interest(amount: str, **options: Any) -> None:
    """Enter interest on the cash; less than zero is a cost of the account."""
    _moved("interest", amount, **options)


def _lent_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for name, metavar, about in (
        ("commission", "MONEY", "Commission that was paid."),
        ("code", "CODE", "Code of the repo, such as 204001 (GC001) or 131810 (R-001)."),
    ):
        command = click.option(f"--{name}", metavar=metavar, help=about)(command)
    return _when(_about(command))


@trade.command(
    cls=Command,
    example="ia trade deposit 20000 --date 2024-01-02; ia trade lend 10000 --code 204001 --date 2024-01-03; ia account",
)
@click.argument("amount", metavar="AMOUNT")
@_lent_options
def lend(amount: str, **options: Any) -> None:
    """Enter money that was lent by reverse repo (国债逆回购). It stays part of the equity."""
    _lent("lend", amount, None, **options)


@trade.command(
    cls=Command,
    example="ia trade lend 10000 --date 2024-01-03; ia trade repaid 10000.51 --date 2024-01-04; ia account --json",
)
@click.argument("amount", metavar="AMOUNT")
@click.option("--principal", metavar="MONEY", help="What of it had been lent, where that is in doubt.")
@_lent_options
def repaid(amount: str, principal: str | None, **options: Any) -> None:
    """Enter lent money that came back with its interest: the whole sum.

    What of it was the principal is the loan that it fits; the rest is interest of that day.
    """
    _lent("repaid", amount, principal, **options)


def _lent(
    kind: str,
    amount: str,
    principal: str | None,
    *,
    code: str | None,
    commission: str | None,
    when: str | None,
    because: str,
    session: str,
    as_json: bool,
) -> None:
    from ia.organs.ledger import entering, order

    def money(text: str | None, what: str, zero: bool = False) -> "Decimal | None":
        return None if text is None else order.number(text, what, places=2, zero=zero)

    entry = entering.lent(
        kind, order.number(amount, "the amount", places=2), when, code=code or "",
        principal=money(principal, "--principal"), commission=money(commission, "--commission", True), because=because,
        session=session,
    )  # fmt: skip
    _tell([entering.money(_desk(), entry)], as_json=as_json)


def _moved(
    kind: str, amount: str, *, currency: str, when: str | None, because: str, session: str, as_json: bool
) -> None:
    from ia.organs.ledger import entering, order

    money = order.number(amount, "the amount", places=2, negative=kind == "interest")
    entry = entering.moved(kind, money, order.money_of(currency), when, because=because, session=session)
    _tell([entering.money(_desk(), entry)], as_json=as_json)


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade dividend 600519 3087.60 --date 2024-06-19",
)
@click.argument("symbol", metavar="SYMBOL")
@click.argument("amount", metavar="[AMOUNT]", required=False)
@click.option("--per-share", metavar="MONEY", help="What a share paid, in place of AMOUNT.")
@_when
@_about
def dividend(symbol: str, amount: str | None, per_share: str | None, **options: Any) -> None:
    """Enter a cash dividend: the money that arrived; less than zero is a tax that was taken later.

    The dividends that the market data know count by themselves; one that is entered here counts in place of theirs.
    """
    if (amount is None) == (per_share is None):
        raise UsageError("give the money that arrived, or --per-share")
    _acted("dividend", symbol, amount=amount, per_share=per_share, **options)


@trade.command(
    cls=Command,
    example="ia trade buy 000333 1000 60 --date 2024-01-15; ia trade bonus 000333 0.3 --date 2024-06-10",
)
@click.argument("symbol", metavar="SYMBOL")
@click.argument("ratio", metavar="[RATIO]", required=False)
@click.option("--quantity", "shares", metavar="QUANTITY", help="The shares that arrived, in place of RATIO.")
@_when
@_about
def bonus(symbol: str, ratio: str | None, shares: str | None, **options: Any) -> None:
    """Enter bonus shares: RATIO new ones for each that was held before the day (3 for 10 is 0.3).

    A fraction of a share is cut off; where one more or less arrived, say --quantity.
    """
    if (ratio is None) == (shares is None):
        raise UsageError("give the ratio, or --quantity")
    _acted("bonus", symbol, ratio=ratio, shares=shares, **options)


@trade.command(
    cls=Command, example="ia trade buy AAPL 10 700 --date 2014-05-01; ia trade split AAPL 7 --date 2014-06-09"
)
@click.argument("symbol", metavar="SYMBOL")
@click.argument("ratio", metavar="RATIO")
@_when
@_about
def split(symbol: str, ratio: str, **options: Any) -> None:
    """Enter a split: RATIO shares for each that was held before the day; less than one for a reverse split."""
    _acted("split", symbol, ratio=ratio, **options)


def _acted(
    kind: str,
    symbol: str,
    *,
    when: str | None,
    because: str,
    session: str,
    as_json: bool,
    amount: str | None = None,
    per_share: str | None = None,
    ratio: str | None = None,
    shares: str | None = None,
) -> None:
    from ia.organs.ledger import entering, order

    desk = _desk()
    meant = desk.meant(symbol)
    entry = entering.acted(
        kind, meant, when,
        amount=None if amount is None else order.number(amount, "the amount", places=2, negative=True),
        per_share=None if per_share is None else order.number(per_share, "--per-share"),
        ratio=None if ratio is None else order.number(ratio, "the ratio"),
        shares=None if shares is None else order.shares(shares, meant),
        because=because, session=session,
    )  # fmt: skip
    _tell([entering.action(desk, entry)], as_json=as_json)


_HEADS = {"quantity": "shares", "price": "at", "amount": "money", "replaced_by": "replaced by"}
"""What stands above a column on a terminal, where that is not its name."""


@trade.command("list", cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade list --json")
@click.argument("symbol", required=False, metavar="[SYMBOL]")
@click.option("-s", "--session", metavar="ID", default="", help="Only those of this session.")
@click.option("--all", "everything", is_flag=True, help="Those that were corrected or voided too.")
@rows_options
@click.pass_context
def list_(
    ctx: click.Context, symbol: str | None, session: str, everything: bool, as_json: bool, as_jsonl: bool
) -> None:
    """List the entries, as they happened. Status 1 where there are none.

    In JSON a sale has what it realized, by the setting ledger.method.
    """
    import sys
    from functools import partial

    from ia.organs.ledger import journal
    from ia.organs.ledger.documents import document
    from ia_cli.terminal.trade_view import shown
    from ia_cli.terminal.wide_tables import emit_brief

    desk = _desk()
    meant = desk.meant(symbol).canonical if symbol else ""
    gains = _gains(desk) if as_json or as_jsonl else {}
    rows = []
    for entry, by in journal.listed(desk.ws.db, symbol=meant, session=session):
        if everything or (by is None and entry.kind != journal.VOID):
            row = {**document(entry), **_gain(gains, entry), "replaced_by": by}
            if not (as_json or as_jsonl):
                row |= {
                    "price": shown(entry.price, places=2),
                    "quantity": "" if entry.kind in journal.LOANS else shown(entry.quantity),
                    "fees": shown(entry.fees),
                    "amount": shown(entry.cash), "ratio": shown(entry.ratio),
                }  # fmt: skip
                del row["time"]
            rows.append(row)
    columns = ("id", "date", "kind", "symbol", "name", "quantity", "price", "amount", "fees", "currency", "reason")
    if sys.stdout.isatty() and not (as_json or as_jsonl):
        money = "{amount} {currency}".format_map
        rows = [{**row, "kind": tr(str(row["kind"])), "amount": row["amount"] and money(row)} for row in rows]
    heads = {name: _HEADS.get(name, name) for name in (*columns, "correction", "replaced_by") if name != "currency"}
    listed(
        ctx, rows, (*columns, "correction", "replaced_by") if everything else columns,
        NotFound("{what}: the ledger has no entry of it", what=meant or session)
        if meant or session
        else NotFound("the ledger is empty", hint="`ia trade buy SYMBOL QUANTITY PRICE` enters a purchase"),
        as_json=as_json, as_jsonl=as_jsonl,
        emit=partial(emit_brief, heads=heads, spare=("fees", "name"), free={"reason": 4, "correction": 4}),
    )  # fmt: skip


@trade.command(
    "import",
    cls=Command,
    example="printf 'date,symbol,side,price,quantity\\n20240115,600519,buy,1650,100\\n' > a.csv; ia trade import a.csv",
)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--dry-run", is_flag=True, help="Show what would be entered, and enter nothing.")
@click.option("--partial", is_flag=True, help="Enter the rows that are understood, list the others, and end in 65.")
@click.option("--currency", metavar="CODE", default="CNY", show_default=True, help="Of money whose row does not say.")
@click.option("-s", "--session", metavar="ID", default="", help="The session that it belongs to.")
@json_option
@click.pass_context
def import_(
    ctx: click.Context, file: str | None, dry_run: bool, partial: bool, currency: str, session: str, as_json: bool
) -> None:
    """Enter a broker's statement, or an export of ours: CSV or text with tabs, UTF-8 or GBK.

    Columns are known by their names (成交日期 证券代码 操作 成交价格 成交数量 手续费 印花税 …, Date Symbol Side
    Quantity Price …): statements of mainland brokers, Tonghuashun and Tongdaxin, Schwab; orders and fills of Futu in
    Chinese and English; activity statements of Interactive Brokers and Tiger. The broker's amounts and fees win over
    the rules; where no column tells of fees, they are those of the rules. The guard is not asked: it has happened.
    Reverse repo is money that is lent, and what is paid for a new issue is out until its shares or bonds arrive.
    One row that is not understood, and nothing is entered (65, with the lines); --partial enters the others. A row
    that was entered before is passed over, so that overlapping files do no harm.
    """
    from ia.organs.ledger import importing, order
    from ia.organs.ledger.documents import document
    from ia_cli.terminal.input import open_input
    from ia_cli.terminal.trade_view import line

    stream, source = open_input(file)
    with stream:
        raw = stream.read(importing.MOST_BYTES + 1)
    found = importing.read(raw, source, currency=order.money_of(currency), session=session, partial=partial)
    for at, reason in found.unread:
        notify(Message("{source}:{line}: {reason}", source=source, line=at, reason=reason))
    if found.ruled:
        notify(Message("{source} tells no fees: they are those of the rules", source=source))
    made = importing.entered(_desk(), found.entries, dry=dry_run, notify=notify)
    known = len(found.entries) - len(made)
    notify(
        Message(
            "{made} entries would be made, {known} are known, {passed} rows move nothing"
            if dry_run
            else "{made} entries are made, {known} were known, {passed} rows move nothing",
            made=len(made), known=known, passed=len(found.passed),
        )
    )  # fmt: skip
    if as_json:
        emit_json({
            "entries": [document(each) for each in made], "known": known, "dry_run": dry_run,
            "passed": [{"line": at, "what": what} for at, what in found.passed],
            "unread": [{"line": at, "reason": str(reason)} for at, reason in found.unread],
        })  # fmt: skip
    for each in () if as_json else made:
        emit_text(line(each) + "\n")
    if found.unread:
        notify(Message("{count} rows are not understood and not entered", count=len(found.unread)))
        ctx.exit(BadData.status)


@trade.command(cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade export > ledger.csv")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "beancount"]),
    default="csv",
    show_default=True,
    help="What it is written as.",
)
def export(form: str) -> None:
    """Print what counts in the journal: CSV that `ia trade import` reads, or beancount text that bean-check accepts.

    Beancount has its lots by FIFO, with the fees of buying in their cost.
    """
    import sys

    from ia.organs.ledger import beancount, exporting, journal

    desk = _desk()
    actions = desk.known_actions()
    entries = journal.standing(desk.ws.db)
    for piece in exporting.lines(entries) if form == "csv" else beancount.text(entries, actions):
        sys.stdout.write(piece)


@trade.command(cls=Command, example="ia trade rules")
@rows_options
@click.pass_context
def rules(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List the rules of exchanges and tax offices by date: fees, limits, lots, settlement, each with its source.

    checked tells how far a rule was checked: prices (against years of real prices), text (a text was read), nothing
    (named by its notice), unverified (no text was found; what uses it says so).
    """
    import sys
    from functools import partial

    from ia.domain.rules.table import Rule, table
    from ia_cli.terminal.wide_tables import emit_brief

    rows = [rule._asdict() for rule in table()]
    if sys.stdout.isatty() and not (as_json or as_jsonl):
        rows = [{**row, "value": f"{row['value']} {row['unit']}".rstrip()} for row in rows]
    heads = {"what": "rule", "market": "market", "value": "amounts to", "since": "since", "until": "until",
             "checked": "checked", "source": "source"}  # fmt: skip
    listed(
        ctx, rows, Rule._fields, NotFound("there are no rules"), as_json=as_json, as_jsonl=as_jsonl,
        emit=partial(
            emit_brief, heads=heads, spare=("until", "source"), free={"value": 10, "checked": 10, "source": 24}
        ),
    )  # fmt: skip
