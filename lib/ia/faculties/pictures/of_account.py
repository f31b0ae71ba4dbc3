"""The report of the account: what it is worth and was, what is in it, what it earned, and what the risk rules say."""

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from ia.faculties.pictures import page, shapes, sheet
from ia.faculties.pictures.chart import Line, Values, Voice, up_color
from ia.faculties.pictures.of_symbol import trades_table
from ia.faculties.pictures.sheet import Cell
from ia.faculties.pictures.svg import escaped
from ia.kernel import clock
from ia.kernel.errors import Notify, silent
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.organs.ledger.account import Account, Closes, Purse
    from ia.organs.ledger.fold import Books, Holding

SHOWN = 100


class Curve(NamedTuple):
    """The equity of a currency by day: worth, what had been brought in until then, and the fall from the last high.

    Values are None on days on which a price of something held is not known. `fall` is a part of one, 0 or below;
    deposits and withdrawals do not count in it.
    """

    dates: list[str]
    worth: Values
    invested: Values
    fall: Values


def report(ws: Workspace, voice: Voice, notify: Notify = silent) -> str:
    """Return the page of the account at now(), a part for each currency; what is not known is said to be missing."""
    from ia.organs.ledger import journal
    from ia.wiring.ledger_prices import open_ledger

    say = voice.say
    desk = open_ledger(ws, notify)
    books = desk.books()
    found = desk.account(books=books)
    entries = journal.standing(ws.db)
    warning = say("simulated prices: the account is valued at invented ones") if found.simulated else ""
    method = {"average": say("average cost"), "fifo": say("first in, first out (FIFO)")}[books.method]
    parts = [
        f"<h1>{escaped(say('Account'))}</h1>\n",
        sheet.said(say("as of {date} · what is sold is costed by {method}", date=_as_of(found), method=method)),
        page.warned(warning),
    ]
    if not entries:
        parts.append(sheet.said(say("the ledger is empty: `ia trade buy` and `ia trade deposit` fill it")))
    if found.unpriced:
        told = say(
            "no price is stored of {symbols}: what depends on it is left empty", symbols=", ".join(found.unpriced)
        )
        parts.append(page.warned(told))
    for purse in found.purses.values():
        parts.append(_purse(purse, found, books, desk.market.closes, voice))
    parts.append(_rules(found, voice))
    parts.append(_profits(books, found, voice))
    if entries:
        parts.append(sheet.section(say("Journal"), trades_table(entries, voice, symbols=True, most=SHOWN)))
    sources = sorted({each.price.source for each in found.positions if each.price})
    told = " · ".join([*(say("prices: {where}", where=", ".join(sources)) for _ in sources[:1]), page.made(voice)])
    parts.append(f"<footer>{escaped(told)}</footer>\n")
    return page.page(say("Account"), "".join(parts), voice.lang)


def _as_of(found: "Account") -> str:
    """Return the newest day of a price on the page, or today where there is none."""
    return max((each.price.date for each in found.positions if each.price), default=clock.today())


def color(currencies: Iterable[str]) -> str:
    """Return the color of a gain on a page: green as America has it where nothing but dollars is on it, else red.

    One page has one meaning of a color, whatever it holds; the setting `pictures.up` decides over that.
    """
    return up_color("US" if set(currencies) == {"USD"} else "CN", "en")


def _purse(purse: "Purse", found: "Account", books: "Books", closes: "Closes", voice: Voice) -> str:
    say, up = voice.say, color(found.purses)
    rate = None
    if purse.total is not None and purse.invested > 0:
        rate = purse.total / purse.invested * 100
    pairs = [
        (say("Equity"), Cell(sheet.money(purse.equity))),
        (say("Cash"), Cell(sheet.money(purse.cash))),
        *([(say("Lent out"), Cell(sheet.money(purse.lent)))] if purse.lent else []),
        (say("Value of what is held"), Cell(sheet.money(purse.value))),
        (say("Brought in"), Cell(sheet.money(purse.invested) if purse.cash is not None else "")),
        (say("Today"), sheet.gained(purse.today, up)),
        (say("Profit"), sheet.gained(purse.total, up)),
        (say("of what was brought in"), sheet.percent(rate, up)),
        (say("Realized"), sheet.gained(purse.realized, up)),
        (say("Unrealized"), sheet.gained(purse.unrealized, up)),
        (say("Dividends"), Cell(sheet.money(purse.dividends))),
        (say("Fees"), Cell(sheet.money(purse.fees))),
        (say("Largest fall"), sheet.plain_percent(None if purse.drawdown is None else purse.drawdown * 100)),
    ]
    body = [sheet.figures(pairs)]
    if purse.cash is None:
        body.append(sheet.said(say("cash and equity are not known: no money was brought in (`ia trade deposit`)")))
    body.append(_history(purse, books, closes, voice))
    body.append(_positions(purse, found, voice))
    return sheet.section(say("In {currency}", currency=purse.currency), *body)


def _history(purse: "Purse", books: "Books", closes: "Closes", voice: Voice) -> str:
    say = voice.say
    holdings = [each for each in books.holdings.values() if each.currency == purse.currency]
    curve = equity(books, holdings, closes, purse.currency)
    if purse.cash is None or len(curve.dates) < 2:
        return sheet.said(say("an equity curve needs a deposit and two days with prices"))
    title = say("Equity and what was brought in, {currency}", currency=purse.currency)
    last = next((value for value in reversed(curve.worth) if value is not None), None)
    told = say(
        "{first} to {last}: {value} at the end", first=curve.dates[0], last=curve.dates[-1], value=sheet.money(last)
    )
    lines = [Line(say("Equity"), curve.worth), Line(say("Brought in"), curve.invested)]
    upper = sheet.picture(lambda width: shapes.curves(curve.dates, lines, title, told, lang=voice.lang, width=width))
    deepest = min((value for value in curve.fall if value is not None), default=0.0)
    fallen = say("deepest {value}", value=f"{deepest:.1%}")
    under = say("Fall from the last high")
    falls = [Line(under, curve.fall)]
    lower = sheet.picture(
        lambda width: shapes.curves(
            curve.dates, falls, under, fallen, height=150, percent=True, filled=True, width=width
        )
    )
    return f"<h3>{escaped(title)}</h3>\n{upper}{lower}"


def equity(books: "Books", holdings: "list[Holding]", closes: "Closes", currency: str) -> Curve:
    """Return the equity of a currency at the close of each day with a price or an entry, from the first entry on.

    It begins with what `ledger.capital` says where no deposit is in the journal.
    """
    from ia.organs.ledger.order import capital

    cash = books.money(currency)
    set_ = capital()
    opening = float(set_[0]) if set_ and set_[1] == currency and not cash.deposited else 0.0
    held: dict[str, list[tuple[int, float | None, float | None]]] = {}
    start = min([*cash.days, *(each.history[0][0] for each in holdings if each.history)], default="")
    for number, each in enumerate(holdings):
        for day, quantity in each.history:
            held.setdefault(day, []).append((number, float(quantity), None))
        first = each.history[0][0] if each.history else ""
        for day, price in closes(each.symbol, first) if first else ():
            if day <= (each.day if not each.quantity else "9999"):
                held.setdefault(max(day, start), []).append((number, None, price))
    quantities: list[float] = [0.0] * len(holdings)
    prices: list[float | None] = [None] * len(holdings)
    money, invested, before, index, high = opening, opening, opening, 1.0, 1.0
    curve = Curve([], [], [], [])
    for day in sorted({*held, *cash.days}):
        for number, count, close in held.get(day, ()):
            quantities[number] = quantities[number] if count is None else count
            prices[number] = prices[number] if close is None else close
        moved, flow = cash.days.get(day, (Decimal(0), Decimal(0)))
        money, invested = money + float(moved), invested + float(flow)
        known = all(not shares or close is not None for shares, close in zip(quantities, prices, strict=True))
        worth = money + sum(shares * (close or 0.0) for shares, close in zip(quantities, prices, strict=True))
        base, end = before + max(float(flow), 0.0), worth - min(float(flow), 0.0)
        if known and base > 0:
            index *= end / base
            high = max(high, index)
        before = worth
        curve.dates.append(day)
        curve.worth.append(worth if known else None)
        curve.invested.append(invested)
        curve.fall.append(min(index / high - 1, 0.0) if known and high > 0 else None)
    return curve


def _positions(purse: "Purse", found: "Account", voice: Voice) -> str:
    say, up = voice.say, color(found.purses)
    held = [each for each in found.positions if each.currency == purse.currency]
    if not held:
        return sheet.said(say("nothing is held"))
    tiles = [
        shapes.Tile(
            f"{each.name or each.symbol}", float(each.value),
            None if each.unrealized_pct is None else float(each.unrealized_pct),
            f"{each.symbol} {each.name}: {sheet.money(each.value)}",
        )
        for each in held
        if each.value
    ]  # fmt: skip
    if purse.cash and purse.cash > 0:
        tiles.append(shapes.Tile(say("Cash"), float(purse.cash), None, f"{say('Cash')}: {sheet.money(purse.cash)}"))
    if purse.lent:
        lent = say("Lent out")
        tiles.append(shapes.Tile(lent, float(purse.lent), None, f"{lent}: {sheet.money(purse.lent)}"))
    drawn = ""
    if len(tiles) > 1:
        title = say("Positions by value, colored by unrealized profit")
        told = say("{count} positions", count=len(held))
        drawn = f"<h3>{escaped(title)}</h3>\n" + sheet.picture(
            lambda width: shapes.treemap(tiles, title, told, up, height=260, full=20.0, width=width)
        )
    heads = ("Symbol", "Name", "Shares", "Average cost", "Price", "Date", "Value", "Unrealized", "%", "Today", "Weight")
    rows: list[list[Cell | str]] = [
        [
            each.symbol, each.name, sheet.count(each.quantity), sheet.number(each.average, 4),
            sheet.quoted(each.price.price if each.price else None), each.price.date if each.price else say("no price"),
            sheet.money(each.value), sheet.gained(each.unrealized, up), sheet.percent(each.unrealized_pct, up),
            sheet.gained(each.today, up), sheet.plain_percent(each.weight),
        ]
        for each in held
    ]  # fmt: skip
    return drawn + sheet.table([say(head) for head in heads], rows, left=2)


def _rules(found: "Account", voice: Voice) -> str:
    """Return the risk rules with the account's numbers against them: green, amber from four fifths on, red beyond."""
    from ia.organs.ledger import guard

    say = voice.say
    limits = guard.configured()
    rows: list[list[Cell | str]] = []

    def row(name: str, value: Decimal | None, limit: Decimal, what: str, *, loss: bool) -> None:
        if value is None:
            state, kind = say("not known"), "soft"
        elif value > limit or (loss and value == limit):  # as the guard compares
            state, kind = say("beyond"), "red"
        elif value * 5 > limit * 4:
            state, kind = say("near"), "amber"
        else:
            state, kind = say("within"), "green"
        number = "" if value is None else guard.percent(value, limit)
        rows.append([name, what, number, f"{limit:f}%", Cell(state, f"state {kind}")])

    lost: Decimal | None
    for purse in found.purses.values():
        lost = None
        if purse.today is not None and purse.equity is not None and purse.equity - purse.today > 0:
            lost = max(-purse.today / (purse.equity - purse.today) * 100, Decimal(0))
        row(say("loss of the day: warning"), lost, limits.day_warning_pct, purse.currency, loss=True)
        row(say("loss of the day: nothing is bought"), lost, limits.day_stop_pct, purse.currency, loss=True)
    for each in found.positions:
        named = f"{each.symbol} {each.name}".strip()
        equity = found.purses[each.currency].equity
        part = each.value * 100 / equity if each.value is not None and equity else None
        row(say("size of a position"), part, limits.position_pct, named, loss=False)
        lost = None
        if each.unrealized is not None and each.cost:
            lost = max(-each.unrealized * 100 / each.cost, Decimal(0))
        row(say("loss of a position: stop"), lost, limits.stop_loss_pct, named, loss=True)
    if not rows:
        return ""
    heads = [say(head) for head in ("Rule", "Of", "Now", "Limit", "State")]
    return sheet.section(say("Risk rules"), sheet.table(heads, rows, left=2))


def _profits(books: "Books", found: "Account", voice: Voice) -> str:
    from ia.organs.ledger import profit

    say, up = voice.say, color(found.purses)
    prices = {each.symbol: each.price for each in found.positions if each.price is not None}
    rows = profit.rows(books, prices)
    if not rows:
        return ""
    heads = ("Symbol", "Name", "Realized", "Unrealized", "Dividends", "Fees", "Profit", "% of what was bought")
    cells: list[list[Cell | str]] = []
    for row in rows:
        cells.append(
            [
                row.symbol, row.name, sheet.gained(row.realized, up), sheet.gained(row.unrealized, up),
                sheet.money(row.dividends), sheet.money(row.fees), sheet.gained(row.profit, up),
                sheet.percent(row.rate, up),
            ]
        )  # fmt: skip
    for total in profit.totals(rows).values():
        cells.append(
            [
                say("all in {currency}", currency=total.currency), "", sheet.gained(total.realized, up),
                sheet.gained(total.unrealized, up), sheet.money(total.dividends), sheet.money(total.fees),
                sheet.gained(total.profit, up), sheet.percent(total.rate, up),
            ]
        )  # fmt: skip
    return sheet.section(say("Profit by security"), sheet.table([say(head) for head in heads], cells, left=2))
