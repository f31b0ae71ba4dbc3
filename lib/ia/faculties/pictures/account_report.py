"""The report of the account: what it is worth and was, what is in it, what it earned, and what the risk rules say."""

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

from ia.domain.instruments import symbols
from ia.faculties.pictures import chart_page, income_report, performance_report, report_parts, shapes
from ia.faculties.pictures.chart import up_color
from ia.faculties.pictures.report_parts import SheetCell
from ia.faculties.pictures.svg import escape_xml
from ia.faculties.pictures.symbol_report import trades_table
from ia.kernel import clock
from ia.kernel.errors import Notify, PluralText, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.organs.ledger.account import Account, CurrencyAccount
    from ia.organs.ledger.booking import Books

SHOWN = 100


def render_account_report(ws: Workspace, voice: Voice, notify: Notify = drop_message) -> str:
    """Return the page of the account at now(), a part for each currency; what is not known is said to be missing."""
    from ia.organs.ledger import journal
    from ia.organs.ledger.net_worth import load_net_worth
    from ia.wiring.ledger_prices import open_ledger

    say = voice
    desk = open_ledger(ws, notify)
    books = desk.books()
    found = desk.account(books=books)
    entries = journal.effective_entries(ws.db)
    warning = say("simulated prices: the account's value is not real") if found.simulated else ""
    method = {"average": say("average cost"), "fifo": say("first in, first out (FIFO)")}[books.method]
    parts = [
        f"<h1>{escape_xml(say('Account'))}</h1>\n",
        report_parts.render_paragraph(
            say("as of {date} · cost basis of sales: {method}", date=_newest_price_day(found), method=method)
        ),
        report_parts.render_paragraph(describe_colors(gain_color(found.purses), say)) if entries else "",
        chart_page.warning_banner(warning),
    ]
    if not entries:
        parts.append(
            report_parts.render_paragraph(
                say("the ledger is empty; add entries with `ia trade buy` or `ia trade deposit`")
            )
        )
    if found.unpriced:
        told = say(
            "no stored price of {symbols}; figures that depend on it are empty", symbols=", ".join(found.unpriced)
        )
        parts.append(chart_page.warning_banner(told))
    worth = load_net_worth(desk, found)
    parts.append(performance_report.render_total(worth, voice))
    if entries:
        up = gain_color(found.purses)
        parts.append(performance_report.render_performance(desk, worth.base, up, voice))
    for purse in found.purses.values():
        parts.append(_currency_section(purse, found, voice))
    if entries:
        parts.append(performance_report.render_allocation(desk, found, worth, voice))
        parts.append(income_report.render_income(desk, found, voice))
    parts.append(_risk_rules_section(found, voice))
    parts.append(_profits_section(books, found, voice))
    if entries:
        parts.append(
            report_parts.render_section(say("Journal"), trades_table(entries, voice, symbols=True, most=SHOWN))
        )
    sources = sorted({each.price.source for each in found.positions if each.price})
    told = " · ".join(
        [*(say("prices: {where}", where=", ".join(sources)) for _ in sources[:1]), chart_page.describe_creation(voice)]
    )
    parts.append(f"<footer>{escape_xml(told)}</footer>\n")
    return chart_page.render_page(say("Account"), "".join(parts), voice.lang)


def _newest_price_day(found: "Account") -> str:
    """Return the newest day of a price on the page, or today where there is none."""
    return max((each.price.date for each in found.positions if each.price), default=clock.today())


def gain_color(currencies: Iterable[str]) -> str:
    """Return the color of a gain on a page: green as America has it where nothing but dollars is on it, else red.

    One page has one meaning of a color, whatever it holds; the setting `pictures.up` decides over that.
    """
    return up_color("US" if set(currencies) == {"USD"} else "CN", "en")


def describe_colors(up: str, voice: Voice) -> str:
    """Return which color a gain has on a page, whatever markets are on it."""
    told = {
        "red": voice("gains are red, losses green"),
        "green": voice("gains are green, losses red"),
        "blue": voice("gains are blue, losses orange"),
    }
    return voice("{colors} on the whole page (setting pictures.up)", colors=told[up])


def _currency_section(purse: "CurrencyAccount", found: "Account", voice: Voice) -> str:
    say, up = voice, gain_color(found.purses)
    rate = None
    if purse.total is not None and purse.invested > 0:
        rate = purse.total / purse.invested * 100
    pairs = [
        (say("Equity"), SheetCell(report_parts.format_money(purse.equity))),
        (say("Cash"), SheetCell(report_parts.format_money(purse.cash))),
        *([(say("Lent out"), SheetCell(report_parts.format_money(purse.lent)))] if purse.lent else []),
        (say("Value of positions"), SheetCell(report_parts.format_money(purse.value))),
        (say("Net deposits"), SheetCell(report_parts.format_money(purse.invested) if purse.cash is not None else "")),
        (say("Today"), report_parts.profit_cell(purse.today, up)),
        (say("Profit"), report_parts.profit_cell(purse.total, up)),
        (say("of net deposits"), report_parts.percent_cell(rate, up)),
        (say("Realized"), report_parts.profit_cell(purse.realized, up)),
        (say("Unrealized"), report_parts.profit_cell(purse.unrealized, up)),
        (say("Dividends"), SheetCell(report_parts.format_money(purse.dividends))),
        (say("Fees"), SheetCell(report_parts.format_money(purse.fees))),
        (
            say("Maximum drawdown"),
            report_parts.unsigned_percent_cell(None if purse.drawdown is None else purse.drawdown * 100),
        ),
    ]
    body = [report_parts.render_tiles(pairs)]
    if purse.cash is None:
        body.append(
            report_parts.render_paragraph(say("cash and equity are unknown; enter your money with `ia trade deposit`"))
        )
    body.append(_positions_section(purse, found, voice))
    return report_parts.render_section(say("In {currency}", currency=purse.currency), *body)


def _positions_section(purse: "CurrencyAccount", found: "Account", voice: Voice) -> str:
    say, up = voice, gain_color(found.purses)
    held = [each for each in found.positions if each.currency == purse.currency]
    if not held:
        return report_parts.render_paragraph(say("no positions"))
    tiles = [
        shapes.Tile(
            symbols.security_name(each.symbol, each.name, voice.lang) or each.symbol,
            float(each.value),
            None if each.unrealized_pct is None else float(each.unrealized_pct),
            f"{each.symbol}: {report_parts.format_money(each.value)}",
        )
        for each in held
        if each.value
    ]
    drawn = ""
    if len(tiles) > 1:
        title = say("Positions sized by value, colored by unrealized profit")
        told = say(PluralText("{count} position", "{count} positions"), count=len(held))
        drawn = f"<h3>{escape_xml(title)}</h3>\n" + report_parts.render_picture(
            lambda width: shapes.draw_treemap(tiles, title, told, up, height=260, full=20.0, width=width)
        )
    heads = ("Symbol", "Name", "Shares", "Average cost", "Price", "Date", "Value", "Unrealized", "%", "Today", "Weight")
    rows: list[list[SheetCell | str]] = [
        [
            each.symbol,
            symbols.security_name(each.symbol, each.name, voice.lang),
            report_parts.format_shares(each.quantity),
            report_parts.format_number(each.average, 4),
            report_parts.format_known_price(each.price.price if each.price else None),
            each.price.date if each.price else say("no price"),
            report_parts.format_money(each.value),
            report_parts.profit_cell(each.unrealized, up),
            report_parts.percent_cell(each.unrealized_pct, up),
            report_parts.profit_cell(each.today, up),
            report_parts.unsigned_percent_cell(each.limit_weight),
        ]
        for each in held
    ]
    told = report_parts.render_paragraph(say("Weights are of all currencies together.")) if purse.whole else ""
    return drawn + report_parts.render_table([say(head) for head in heads], rows, left=2) + told


def _risk_rules_section(found: "Account", voice: Voice) -> str:
    """Return the risk rules with the account's numbers against them.

    States have no color of a gain or a loss: a rule that is broken stands out in dark, near it is amber.
    """
    from ia.organs.ledger import guard

    say = voice
    limits = guard.load_limits()
    rows: list[list[SheetCell | str]] = []

    def add_rule_row(name: str, value: Decimal | None, limit: Decimal, what: str, *, loss: bool) -> None:
        if value is None:
            state, kind = say("not known"), "soft"
        elif value > limit or (loss and value == limit):  # as the guard compares
            state, kind = say("beyond"), "beyond"
        elif value * 5 > limit * 4:
            state, kind = say("near"), "amber"
        else:
            state, kind = say("within"), "soft"
        number = "" if value is None else guard.format_percent(value, limit)
        rows.append([name, what, number, f"{limit:f}%", SheetCell(state, f"state {kind}")])

    lost: Decimal | None
    for purse in found.purses.values():
        lost = None
        if purse.today is not None and purse.equity is not None and purse.equity - purse.today > 0:
            lost = max(-purse.today / (purse.equity - purse.today) * 100, Decimal(0))
        add_rule_row(say("daily loss: warning"), lost, limits.day_warning_pct, purse.currency, loss=True)
        add_rule_row(say("daily loss limit: no purchases"), lost, limits.day_stop_pct, purse.currency, loss=True)
    for each in found.positions:
        named = f"{each.symbol} {symbols.security_name(each.symbol, each.name, voice.lang)}".strip()
        equity = found.purses[each.currency].basis
        part = each.value * 100 / equity if each.value is not None and equity else None
        add_rule_row(say("position size"), part, limits.position_pct, named, loss=False)
        lost = None
        if each.unrealized is not None and each.cost:
            lost = max(-each.unrealized * 100 / each.cost, Decimal(0))
        add_rule_row(say("position loss: stop-loss"), lost, limits.stop_loss_pct, named, loss=True)
    if not rows:
        return ""
    heads = [say(head) for head in ("Rule", "Applies to", "Now", "Limit", "State")]
    return report_parts.render_section(say("Risk rules"), report_parts.render_table(heads, rows, left=2))


def _profits_section(books: "Books", found: "Account", voice: Voice) -> str:
    from ia.organs.ledger import profit

    say, up = voice, gain_color(found.purses)
    prices = {each.symbol: each.price for each in found.positions if each.price is not None}
    rows = profit.profit_rows(books, prices)
    if not rows:
        return ""
    heads = ("Symbol", "Name", "Realized", "Unrealized", "Dividends", "Fees", "Profit", "% of purchases")
    cells: list[list[SheetCell | str]] = []
    for row in rows:
        cells.append(
            [
                row.symbol,
                symbols.security_name(row.symbol, row.name, voice.lang),
                report_parts.profit_cell(row.realized, up),
                report_parts.profit_cell(row.unrealized, up),
                report_parts.format_money(row.dividends),
                report_parts.format_money(row.fees),
                report_parts.profit_cell(row.profit, up),
                report_parts.percent_cell(row.rate, up),
            ]
        )
    for total in profit.sum_by_currency(rows).values():
        cells.append(
            [
                say("all in {currency}", currency=total.currency),
                "",
                report_parts.profit_cell(total.realized, up),
                report_parts.profit_cell(total.unrealized, up),
                report_parts.format_money(total.dividends),
                report_parts.format_money(total.fees),
                report_parts.profit_cell(total.profit, up),
                report_parts.percent_cell(total.rate, up),
            ]
        )
    return report_parts.render_section(
        say("Profit by security"), report_parts.render_table([say(head) for head in heads], cells, left=2)
    )
