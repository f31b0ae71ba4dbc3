"""`ia trade`: the journal of what was bought and sold."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import BadData, Message, NotFound, PluralText, UsageError
from ia_cli.commands.trade_check import check
from ia_cli.terminal.group import Command, CommandGroup
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, notify, record_run_failure
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from decimal import Decimal

    from ia.domain.instruments.symbols import Symbol
    from ia.organs.ledger.desk import LedgerDesk
    from ia.organs.ledger.journal import JournalEntry
    from ia.organs.ledger.posting import Posting


@click.group(
    cls=CommandGroup,
    example="ia trade deposit 1000000 --date 2024-01-02; ia trade buy 600519 100 1650 --date 2024-01-15; ia profit",
)
def trade() -> None:
    """Record trades and payments in the journal. ia never places orders.

    The journal is append-only: `correct` and `void` add entries that refer to an earlier one. What happened is
    entered: if a trade breaks one of your risk rules (`ia config list risk.`) or a rule of the exchange (`ia trade
    rules`), ia warns and stores the rule with the entry. ia refuses only to sell more than was held (77). Ask before
    you trade: `ia trade check`.
    """


trade.add_command(check)


def _date_option(command: "Callable[..., Any]") -> "Callable[..., Any]":
    about = "Time of the entry, in exchange time (default: now). A date alone means its close."
    return click.option("--date", "--at", "when", metavar="TIME", help=about)(command)


def _price_option(command: "Callable[..., Any]") -> "Callable[..., Any]":
    about = "Price per share (default: the latest stored price)."
    option = click.option("--price", "price_", metavar="PRICE", help=about)
    return click.argument("price", metavar="[PRICE]", required=False)(option(command))


def _currency_option(command: "Callable[..., Any]") -> "Callable[..., Any]":
    about = "Currency: CNY, HKD or USD."
    return click.option("--currency", metavar="CODE", default="CNY", show_default=True, help=about)(command)


def _reason_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for option in (
        click.option("--because", metavar="WHY", default="", help="Reason for the action."),
        click.option("-s", "--session", metavar="ID", default="", help="Session ID to store with the entries."),
        json_option,
    ):
        command = option(command)
    return command


def _cost_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for name, about in _COSTS.items():
        command = click.option(f"--{name}", metavar="MONEY", help=about)(command)
    return command


_COSTS = {
    "other": "Other fees paid (default: by the rules).",
    "transfer": "Transfer fee paid (default: by the rules).",
    "stamp": "Stamp duty paid (default: by the rules).",
    "commission": "Commission paid (default: by the rules).",
}


def _trade_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    override = click.option("--override", is_flag=True, help="Say that you broke a rule on purpose; needs --because.")
    return _date_option(_cost_options(override(_reason_options(command))))


@trade.command(cls=Command, example="ia trade buy 600519 100 --price 1650 --date 2024-01-15")
@click.argument("symbol", metavar="SYMBOL")
@click.argument("quantity", metavar="QUANTITY")
@_price_option
@click.option("--subscribed", is_flag=True, help="Shares from a rights issue or a new issue: no fees, no risk check.")
@_trade_options
def buy(symbol: str, quantity: str, price: str | None, price_: str | None, subscribed: bool, **options: Any) -> None:
    """Enter a purchase and print it with its fees. Rules that it breaks are warnings.

    Before you trade, ask the rules with `ia trade check`.
    """
    _enter_trade("subscribe" if subscribed else "buy", symbol, quantity, _choose_price(price, price_), **options)


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade sell 600519 100 1700 --date 2024-01-22",
)
@click.argument("symbol", metavar="SYMBOL")
@click.argument("quantity", metavar="QUANTITY")
@_price_option
@_trade_options
def sell(symbol: str, quantity: str, price: str | None, price_: str | None, **options: Any) -> None:
    """Enter a sale. ia refuses to sell more than was held (77); other rules are warnings.

    QUANTITY is a number of shares, `all`, or a percentage of the holding (50%).
    """
    _enter_trade("sell", symbol, quantity, _choose_price(price, price_), **options)


def _open_desk() -> "LedgerDesk":
    from ia.kernel.workspace import Workspace
    from ia.wiring.ledger_prices import open_ledger

    return open_ledger(Workspace(), notify)


def _choose_price(price: str | None, other: str | None) -> str | None:
    if price is not None and other is not None:
        raise UsageError("two prices given: {one} and {other}", one=price, other=other)
    return other if price is None else price


def _enter_trade(
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
    from ia.kernel import clock
    from ia.organs.ledger import order, posting

    _require_reason(override, because)
    desk = _open_desk()
    meant = desk.resolve_symbol(symbol)
    moment = order.parse_trade_time(when, meant)
    fees = _parse_fees(costs)
    count = _parse_quantity(desk, side, meant, moment, quantity)
    paid = None if price is None else order.parse_number(price, "the price")
    wish = order.Order(
        side=side,
        symbol=meant,
        quantity=count,
        price=paid or count,
        moment=moment,
        fees=fees,
        reason=because,
        session=session,
    )
    if paid is None:
        wish = order.price_order(wish, desk.latest_price(meant, moment))
    done = posting.post_trade(desk, wish, override=because if override else None)
    _print_done(desk, done, as_json=as_json)
    if when is None and done.entry.date < clock.today():
        template = "dated {day}, the day at the exchange; your calendar says {today}"
        notify(Message(template, day=done.entry.date, today=clock.today()))


def _parse_quantity(desk: "LedgerDesk", side: str, meant: "Symbol", moment: "datetime", text: str | None) -> "Decimal":
    """Return how many shares are meant; of a sale `all` and a percentage are counted from what was held then."""
    from decimal import Decimal

    from ia.organs.ledger import order

    word = (text or "all").strip().casefold()
    if side == "sell" and word in ("all", "全部"):
        return desk.shares_held(meant, moment)
    if side == "sell" and (word.endswith("%") or word in ("half", "一半")):
        percent = Decimal(50) if not word.endswith("%") else order.parse_number(word[:-1], "the quantity", places=2)
        held = desk.shares_held(meant, moment)
        count = held * percent / 100
        if percent > 100 or (meant.market != "US" and count != count.to_integral_value()):
            raise UsageError(
                "{text} of {held} shares is not a whole number of shares",
                text=word,
                held=f"{held:f}",
                hint="give the number of shares",
            )
        return order.parse_shares(f"{count.normalize():f}", meant)
    return order.parse_shares(text or "", meant)


def _require_reason(override: bool, because: str) -> None:
    if override and not because.strip():
        raise UsageError("--override needs a reason", hint="add --because WHY")


def _parse_fees(given: dict[str, str | None]) -> "dict[str, Decimal]":
    from ia.organs.ledger.order import parse_number

    return {
        name: parse_number(text, f"--{name}", zero=True, places=2) for name, text in given.items() if text is not None
    }


def _print_done(desk: "LedgerDesk", done: "Posting", *, as_json: bool) -> None:
    from ia.organs.ledger.account_documents import entry_document

    for breach in done.breaches:
        notify(Message("warning: {breach}", breach=breach.message) if breach.refuses else breach.message)
    if as_json and done.entry.kind == "sell":
        emit_json({**entry_document(done.entry), **_gain_field(_realized_gains(desk), done.entry)})
    else:
        _print_entries([done.entry], as_json=as_json)
    if not as_json and sys.stdout.isatty():
        from ia_cli.terminal.trade_moments import tell_moment

        tell_moment(desk, done.entry)


def _realized_gains(desk: "LedgerDesk") -> "dict[int, Decimal]":
    """Return what each sale realized, by the number of its entry."""
    return {each.entry.id: each.realized for each in desk.books().sales}


def _gain_field(gains: "dict[int, Decimal]", entry: "JournalEntry") -> dict[str, Any]:
    from ia.organs.ledger.account_documents import json_money

    return {"realized": json_money(gains.get(entry.id))}


def _print_entries(entries: "list[JournalEntry]", *, as_json: bool) -> None:
    from ia.organs.ledger.account_documents import entry_document
    from ia_cli.terminal.trade_view import format_entry

    if as_json:
        found = [entry_document(each) for each in entries]
        emit_json(found[0] if len(found) == 1 else found)
        return
    for each in entries:
        emit_text(format_entry(each) + "\n")


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade close 600519 1700 --date 2024-01-22",
)
@click.argument("symbol", metavar="SYMBOL")
@_price_option
@_trade_options
def close(symbol: str, price: str | None, price_: str | None, **options: Any) -> None:
    """Enter the sale of an entire position."""
    _enter_trade("sell", symbol, None, _choose_price(price, price_), **options)


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade correct 1 --price 1655 --because '看错一行'",
)
@click.argument("number", metavar="ID", type=click.IntRange(1))
@click.option("--quantity", metavar="QUANTITY", help="Correct number of shares.")
@click.option("--price", metavar="PRICE", help="Correct price per share; for a dividend, the amount per share.")
@click.option("--amount", metavar="MONEY", help="Correct amount of a deposit, withdrawal, loan, repayment or dividend.")
@click.option("--ratio", metavar="RATIO", help="Correct ratio of bonus shares or a split.")
@click.option("--reason", metavar="WHY", help="Correct reason for the trade.")
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
    """Correct an earlier entry; the new entry replaces it.

    Nothing is overwritten: `ia trade list --all` shows both entries. Fields that you omit stay unchanged, including
    the reason for the trade. --because says why the entry was wrong; ia shows it beside the entry. ia recalculates
    fees that came from the rules.
    """
    from ia.organs.ledger import posting

    _require_reason(override, because)
    fees = _parse_fees(costs)
    change = posting.Correction(
        quantity=quantity,
        price=price,
        amount=amount,
        ratio=ratio,
        when=when,
        fees=fees,
        reason=reason,
        session=session or None,
    )
    if not any((quantity, price, amount, ratio, when, fees)) and reason is None:
        raise UsageError("the correction has no changes", hint="give the correct values: --price, --quantity, --date …")
    desk = _open_desk()
    done = posting.correct_entry(desk, number, change, because=because, override=because if override else None)
    _print_done(desk, done, as_json=as_json)


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade void 1 --because '没有成交'",
)
@click.argument("number", metavar="ID", type=click.IntRange(1))
@click.option("--because", metavar="WHY", required=True, help="Reason for the action.")
@json_option
def void(number: int, because: str, as_json: bool) -> None:
    """Void an entry. It stays in the journal but no longer counts."""
    from ia.organs.ledger import posting

    if not because.strip():
        raise UsageError("voiding an entry needs a reason", hint="add --because WHY")
    _print_entries([posting.void_entry(_open_desk(), number, because)], as_json=as_json)


@trade.command(cls=Command, example="ia trade deposit 100000 --date 2024-01-02; ia account")
@click.argument("amount", metavar="AMOUNT")
@_currency_option
@_date_option
@_reason_options
def deposit(amount: str, **options: Any) -> None:
    """Enter a deposit. From then on, ia knows cash and equity."""
    _enter_cash("deposit", amount, **options)


@trade.command(
    cls=Command, example="ia trade deposit 100000 --date 2024-01-02; ia trade withdraw 20000 --date 2024-06-03"
)
@click.argument("amount", metavar="AMOUNT")
@_currency_option
@_date_option
@_reason_options
def withdraw(amount: str, **options: Any) -> None:
    """Enter a withdrawal."""
    _enter_cash("withdraw", amount, **options)


@trade.command(cls=Command, example="ia trade deposit 100000 --date 2024-01-02; ia trade interest 3.21")
@click.argument("amount", metavar="AMOUNT")
@_currency_option
@_date_option
@_reason_options
def interest(amount: str, **options: Any) -> None:
    """Enter interest on cash; a negative amount is an account fee."""
    _enter_cash("interest", amount, **options)


def _lent_options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for name, metavar, about in (
        ("commission", "MONEY", "Commission paid."),
        ("code", "CODE", "Code of the repo, such as 204001 (GC001) or 131810 (R-001)."),
    ):
        command = click.option(f"--{name}", metavar=metavar, help=about)(command)
    return _date_option(_reason_options(command))


@trade.command(
    cls=Command,
    example="ia trade deposit 20000 --date 2024-01-02; ia trade lend 10000 --code 204001 --date 2024-01-03; ia account",
)
@click.argument("amount", metavar="AMOUNT")
@_lent_options
def lend(amount: str, **options: Any) -> None:
    """Enter money lent by reverse repo (国债逆回购). It stays part of equity."""
    _enter_lending("lend", amount, None, **options)


@trade.command(
    cls=Command,
    example="ia trade lend 10000 --date 2024-01-03; ia trade repaid 10000.51 --date 2024-01-04; ia account --json",
)
@click.argument("amount", metavar="AMOUNT")
@click.option("--principal", metavar="MONEY", help="Principal included in AMOUNT, if ia cannot tell from the loans.")
@_lent_options
def repaid(amount: str, principal: str | None, **options: Any) -> None:
    """Enter the repayment of lent money: principal and interest in one sum.

    ia takes the matching loan as the principal. The rest is interest of that day.
    """
    _enter_lending("repaid", amount, principal, **options)


def _enter_lending(
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
    from ia.organs.ledger import order, posting

    def parse_money(text: str | None, what: str, zero: bool = False) -> "Decimal | None":
        return None if text is None else order.parse_number(text, what, places=2, zero=zero)

    entry = posting.loan_entry(
        kind,
        order.parse_number(amount, "the amount", places=2),
        when,
        code=code or "",
        principal=parse_money(principal, "--principal"),
        commission=parse_money(commission, "--commission", True),
        because=because,
        session=session,
    )
    _print_entries([posting.post_cash(_open_desk(), entry)], as_json=as_json)


def _enter_cash(
    kind: str, amount: str, *, currency: str, when: str | None, because: str, session: str, as_json: bool
) -> None:
    from ia.organs.ledger import order, posting

    money = order.parse_number(amount, "the amount", places=2, negative=kind == "interest")
    entry = posting.cash_entry(kind, money, order.parse_currency(currency), when, because=because, session=session)
    _print_entries([posting.post_cash(_open_desk(), entry)], as_json=as_json)


@trade.command(
    cls=Command,
    example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade dividend 600519 3087.60 --date 2024-06-19",
)
@click.argument("symbol", metavar="SYMBOL")
@click.argument("amount", metavar="[AMOUNT]", required=False)
@click.option("--per-share", metavar="MONEY", help="Dividend per share, instead of AMOUNT.")
@_date_option
@_reason_options
def dividend(symbol: str, amount: str | None, per_share: str | None, **options: Any) -> None:
    """Enter a cash dividend as received; a negative amount is tax paid later.

    Dividends from market data count automatically. A dividend that you enter replaces the one from market data.
    """
    if (amount is None) == (per_share is None):
        raise UsageError("give the amount received, or --per-share")
    _enter_action("dividend", symbol, amount=amount, per_share=per_share, **options)


@trade.command(
    cls=Command,
    example="ia trade buy 000333 1000 60 --date 2024-01-15; ia trade bonus 000333 0.3 --date 2024-06-10",
)
@click.argument("symbol", metavar="SYMBOL")
@click.argument("ratio", metavar="[RATIO]", required=False)
@click.option("--quantity", "shares", metavar="QUANTITY", help="Number of shares received, instead of RATIO.")
@_date_option
@_reason_options
def bonus(symbol: str, ratio: str | None, shares: str | None, **options: Any) -> None:
    """Enter bonus shares: RATIO new shares per share held before the date.

    ia drops fractions of a share. If you received one share more or less, give --quantity.
    """
    if (ratio is None) == (shares is None):
        raise UsageError("give the ratio, or --quantity")
    _enter_action("bonus", symbol, ratio=ratio, shares=shares, **options)


@trade.command(
    cls=Command, example="ia trade buy AAPL 10 700 --date 2014-05-01; ia trade split AAPL 7 --date 2014-06-09"
)
@click.argument("symbol", metavar="SYMBOL")
@click.argument("ratio", metavar="RATIO")
@_date_option
@_reason_options
def split(symbol: str, ratio: str, **options: Any) -> None:
    """Enter a split: RATIO shares per share held before the date (reverse: below 1)."""
    _enter_action("split", symbol, ratio=ratio, **options)


def _enter_action(
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
    from ia.organs.ledger import order, posting

    desk = _open_desk()
    meant = desk.resolve_symbol(symbol)
    entry = posting.action_entry(
        kind,
        meant,
        when,
        amount=None if amount is None else order.parse_number(amount, "the amount", places=2, negative=True),
        per_share=None if per_share is None else order.parse_number(per_share, "--per-share"),
        ratio=None if ratio is None else order.parse_number(ratio, "the ratio"),
        shares=None if shares is None else order.parse_shares(shares, meant),
        because=because,
        session=session,
    )
    _print_entries([posting.post_action(desk, entry)], as_json=as_json)


_HEADS = {
    "quantity": "shares",
    "price": "at",
    "amount": "money",
    "correction": "remark",
    "replaced_by": "replaced by",
}
"""What stands above a column on a terminal, where that is not its name."""


@trade.command("list", cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade list --json")
@click.argument("symbol", required=False, metavar="[SYMBOL]")
@click.option("-s", "--session", metavar="ID", default="", help="Only entries of this session.")
@click.option("--all", "everything", is_flag=True, help="Include corrected and voided entries.")
@rows_options
@click.pass_context
def list_(
    ctx: click.Context, symbol: str | None, session: str, everything: bool, as_json: bool, as_jsonl: bool
) -> None:
    """List entries in chronological order. Status 1 if there are none.

    In JSON, a sale includes its realized profit, computed by the setting ledger.method.
    """
    import sys
    from functools import partial

    from ia.organs.ledger import journal
    from ia.organs.ledger.account_documents import entry_document
    from ia_cli.terminal.trade_view import format_table_number
    from ia_cli.terminal.wide_tables import emit_wide_rows

    desk = _open_desk()
    meant = desk.resolve_symbol(symbol).canonical if symbol else ""
    gains = _realized_gains(desk) if as_json or as_jsonl else {}
    rows = []
    for entry, by in journal.list_entries(desk.ws.db, symbol=meant, session=session):
        if everything or (by is None and entry.kind != journal.VOID):
            row = {**entry_document(entry), **_gain_field(gains, entry), "replaced_by": by}
            if not (as_json or as_jsonl):
                row |= {
                    "price": format_table_number(entry.price, places=2),
                    "quantity": "" if entry.kind in journal.LOANS else format_table_number(entry.quantity),
                    "fees": format_table_number(entry.fees),
                    "amount": format_table_number(entry.cash),
                    "ratio": format_table_number(entry.ratio),
                }
                del row["time"]
            rows.append(row)
    columns = ("id", "date", "kind", "symbol", "name", "quantity", "price", "amount", "fees", "currency", "reason")
    if sys.stdout.isatty() and not (as_json or as_jsonl):
        money = "{amount} {currency}".format_map
        rows = [{**row, "kind": tr(str(row["kind"])), "amount": row["amount"] and money(row)} for row in rows]
    heads = {name: _HEADS.get(name, name) for name in (*columns, "correction", "replaced_by") if name != "currency"}
    emit_list(
        ctx,
        rows,
        (*columns, "correction", "replaced_by") if everything else columns,
        NotFound("{what}: no entries in the ledger", what=meant or session)
        if meant or session
        else NotFound("the ledger has no entries", hint="record a purchase with `ia trade buy SYMBOL QUANTITY PRICE`"),
        as_json=as_json,
        as_jsonl=as_jsonl,
        emit=partial(
            emit_wide_rows,
            heads=heads,
            spare=("correction", "replaced_by", "fees", "name", "price"),
            free={"reason": 10, "correction": 6},
        ),
    )


@trade.command(
    "import",
    cls=Command,
    example="printf 'date,symbol,side,price,quantity\\n20240115,600519,buy,1650,100\\n' > a.csv; ia trade import a.csv",
)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--dry-run", is_flag=True, help="Show what would be entered, but enter nothing.")
@click.option("--partial", is_flag=True, help="Enter the valid rows, list the others, and exit with status 65.")
@click.option(
    "--currency", metavar="CODE", default="CNY", show_default=True, help="Currency of amounts in rows that name none."
)
@click.option("-s", "--session", metavar="ID", default="", help="Session ID to store with the entries.")
@json_option
@click.pass_context
def import_(
    ctx: click.Context, file: str | None, dry_run: bool, partial: bool, currency: str, session: str, as_json: bool
) -> None:
    """Import a broker's statement or an ia export: CSV or tab-separated, UTF-8 or GBK.

    ia recognizes columns by their names (成交日期 证券代码 操作 成交价格 成交数量 手续费 印花税 …, Date Symbol Side
    Quantity Price …). It reads statements of mainland brokers, Tonghuashun, Tongdaxin and Schwab, orders and fills of
    Futu in Chinese and English, and activity statements of Interactive Brokers and Tiger. The broker's amounts and
    fees take precedence over the rules; without a fee column, ia computes fees by the rules. ia does not check risk
    rules, because these trades have already happened. A reverse repo counts as money lent. Payment for a new issue
    counts as in transit until its shares or bonds arrive. If any row is invalid, ia enters nothing and lists the
    lines (65); --partial enters the valid rows. ia skips rows that it entered before, so overlapping files do no
    harm.
    """
    from ia.organs.ledger import order, statement_import
    from ia.organs.ledger.account_documents import entry_document
    from ia_cli.terminal.input import open_input
    from ia_cli.terminal.trade_view import format_entry

    stream, source = open_input(file)
    with stream:
        raw = stream.read(statement_import.MOST_BYTES + 1)
    found = statement_import.read_statement(
        raw, source, currency=order.parse_currency(currency), session=session, partial=partial
    )
    for at, reason in found.unread:
        notify(Message("{source}:{line}: {reason}", source=source, line=at, reason=reason))
    if found.ruled:
        notify(Message("{source} has no fee column; ia computes the fees by its rules", source=source))
    made = statement_import.enter_statement(_open_desk(), found.entries, dry=dry_run, notify=notify)
    known = len(found.entries) - len(made)
    notify(
        Message(
            "would enter: {made}; already entered: {known}; rows without money or shares: {passed}"
            if dry_run
            else "entered: {made}; already entered before: {known}; rows without money or shares: {passed}",
            made=len(made),
            known=known,
            passed=len(found.passed),
        )
    )
    if as_json:
        emit_json(
            {
                "entries": [entry_document(each) for each in made],
                "known": known,
                "dry_run": dry_run,
                "passed": [{"line": at, "what": what} for at, what in found.passed],
                "unread": [{"line": at, "reason": str(reason)} for at, reason in found.unread],
            }
        )
    for each in () if as_json else made:
        emit_text(format_entry(each) + "\n")
    if found.unread:
        unread = Message(
            PluralText("{count} invalid row was not entered", "{count} invalid rows were not entered"),
            count=len(found.unread),
        )
        notify(unread)
        record_run_failure(say(unread.template, **unread.params))
        ctx.exit(BadData.status)


@trade.command(cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia trade export > ledger.csv")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "beancount"]),
    default="csv",
    show_default=True,
    help="Output format.",
)
def export(form: str) -> None:
    """Export valid entries: CSV for `ia trade import`, or beancount for bean-check.

    Beancount output has FIFO lots whose cost includes the purchase fees.
    """
    import sys

    from ia.organs.ledger import beancount, csv_export, journal

    desk = _open_desk()
    actions = desk.known_actions()
    entries = journal.effective_entries(desk.ws.db)
    for piece in csv_export.csv_lines(entries) if form == "csv" else beancount.export_lines(entries, actions):
        sys.stdout.write(piece)


@trade.command(cls=Command, example="ia trade rules")
@rows_options
@click.pass_context
def rules(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List exchange and tax rules by date: fees, limits, lots, settlement, sources.

    checked says how a rule was verified: prices (against years of real prices), text (against the original text),
    empty (only the notice is known), or unverified (no text found; ia says so when it uses the rule).
    """
    import sys
    from functools import partial

    from ia.domain.rules.table import DatedRule, all_rules
    from ia_cli.terminal.wide_tables import emit_wide_rows

    rows = [rule._asdict() for rule in all_rules()]
    if sys.stdout.isatty() and not (as_json or as_jsonl):
        rows = [{**row, "value": f"{row['value']} {row['unit']}".rstrip()} for row in rows]
    heads = {
        "what": "rule",
        "market": "market",
        "value": "amounts to",
        "since": "since",
        "until": "until",
        "checked": "checked",
        "source": "source",
    }
    emit_list(
        ctx,
        rows,
        DatedRule._fields,
        NotFound("there are no rules"),
        as_json=as_json,
        as_jsonl=as_jsonl,
        emit=partial(
            emit_wide_rows, heads=heads, spare=("until", "source"), free={"value": 10, "checked": 10, "source": 24}
        ),
    )
