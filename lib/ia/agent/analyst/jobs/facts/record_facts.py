"""What the ledger records as a whole: since when, what was closed, what was turned over, what a sale of all costs."""

import re
from datetime import date

from ia.agent.analyst.ask.amounts import Size, find_currencies, find_market_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import EVER
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import account_facts, result_facts, together, wording
from ia.agent.analyst.jobs.facts.held import load_held, name_position
from ia.agent.analyst.jobs.facts.ledger_facts import read_order
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 8
LIMIT = account_facts.LIMIT


def answer_started(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer since when the ledger has entries: the first money, the first trade, and how long ago that was."""
    speak, today = desk.speak, desk.request.moment.date()
    first = yield from result_facts.first_entry(desk)
    listed = yield from desk.one("trade.list", limit=LIMIT)
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    rows = wording.rows_of(listed.value)
    if first is None and not rows:
        return wording.say_empty(desk)
    trades = account_facts.entries_within(rows, [])
    days = [date.fromisoformat(str(row["date"])) for row in trades[-1:]] if len(rows) < LIMIT else []
    begun = min([*([first] if first else []), *days]) if first or days else None
    if begun is None:
        return reply_of_lines(speak("Only the newest {count} entries of the journal are read.", count=LIMIT))
    lines = [
        speak(PluralText("**{day}**: the first entry of the ledger, {count} day ago.",
                         "**{day}**: the first entry of the ledger, {count} days ago."),
              day=f"{begun}", count=(today - begun).days)
    ]  # fmt: skip
    if days:
        name = name_position(desk, str(trades[-1].get("symbol")), trades[-1])
        lines.append(
            speak("The first trade: {name}: {trade}.", name=name, trade=account_facts.say_trade(desk, trades[-1]))
        )
    return reply_of_lines(*lines)


def load_closed(desk: ToolDesk, days: list[result_facts.Days]) -> Work[list[tuple[str, Json]] | Reply]:
    """Return the positions sold whole, the last sold first, each with the day of its last sale ("" where unknown).

    days  only those last sold within them; [] for all. The reply where the ledger cannot be read.
    """
    profit, sales = yield from desk.run(DeskCall("account.profit", {}), DeskCall("account.history", {"limit": LIMIT}))
    for found in (profit, sales):
        if found.failure is not None:
            return wording.unreadable(desk, desk.speak("the ledger"), found.failure)
    last: dict[str, str] = {}
    for row in wording.rows_of(sales.value):
        last.setdefault(str(row["symbol"]), str(row["date"]))
    closed = [
        (last.get(str(row["symbol"]), ""), row)
        for row in wording.rows_of(profit, "positions")
        if not float(row.get("size") or 0) and float(row.get("bought") or 0)
    ]
    if days:
        closed = [(day, row) for day, row in closed if day and result_facts.is_within({"date": day}, days)]
    return sorted(closed, key=lambda each: each[0], reverse=True)


def answer_closed(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which securities were sold whole and are not held now: since when, and what they brought."""
    speak = desk.speak
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    closed = yield from load_closed(desk, days)
    if isinstance(closed, Reply):
        return closed
    label = speak(" ({days})", days=speak.join_items([each.label for each in days])) if days else ""
    if not closed:
        return reply_of_lines(speak("No position was closed{when}: what was bought is still held.", when=label))
    head = speak(PluralText("**{count} position was closed**{when}, not held now:",
                            "**{count} positions were closed**{when}, not held now:"),
                 count=len(closed), when=label)  # fmt: skip
    lines = [
        speak("- {name}: last sale {day}, result **{money}**",
              name=wording.security_name(desk, str(row["symbol"]), row.get("name")), day=day or "–",
              money=wording.say_exact(desk, row.get("profit"), signed=True, currency=str(row.get("currency") or "")))
        for day, row in closed[:SHOWN]
    ]  # fmt: skip
    more = [speak("… {count} more: `ia profit`", count=len(closed) - SHOWN)] if len(closed) > SHOWN else []
    return reply_of_lines(head, *lines, *more)


def answer_turnover(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what was bought and sold over a time, and that against the mean net worth at the ends of its months."""
    speak = desk.speak
    if len(asked.spans) > 1:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans[1:]))
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    stretch = {"first": f"{days[0].first}", "last": f"{days[0].last}"} if days else {}
    listed, worth = yield from desk.run(
        DeskCall("trade.list", {"limit": LIMIT}), DeskCall("account.performance", {"by": "month", **stretch})
    )
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    if len(wording.rows_of(listed.value)) >= LIMIT:
        return reply_of_lines(speak("Only the newest {count} entries of the journal are read.", count=LIMIT))
    only = tuple(dict.fromkeys(find_currencies(asked.words) + find_market_currencies(asked.words)))
    sums: dict[str, dict[str, float]] = {}
    for row in account_facts.entries_within(listed.value, days):
        amount = float(row.get("amount") or float(row["quantity"]) * float(row["price"]))
        book = sums.setdefault(str(row.get("currency")), {"buy": 0.0, "sell": 0.0})
        book[str(row["kind"])] += amount
    label = speak(" ({days})", days=days[0].label) if days else ""
    lines = [
        _say_turnover(desk, currency, book, worth, label)
        for currency, book in sums.items()
        if not only or currency in only
    ]
    if not lines:
        return reply_of_lines(speak("No such trade is in the journal{when}.", when=label))
    return reply_of_lines(*lines, speak("Purchases and sales together, without fees."))


def _say_turnover(desk: ToolDesk, currency: str, book: dict[str, float], worth: DeskResult, label: str) -> str:
    speak = desk.speak
    total = book["buy"] + book["sell"]
    line = speak(
        "{currency}: **{total}** turned over{when}: bought {bought}, sold {sold}",
        currency=currency, total=wording.say_exact(desk, total, currency=currency), when=label,
        bought=wording.say_exact(desk, book["buy"]), sold=wording.say_exact(desk, book["sell"]),
    )  # fmt: skip
    own = wording.objects_of(worth, "currencies").get(currency, {}) if worth.ok else {}
    ends = [wording.figure_of(row, "equity_after") for row in wording.rows_of(own.get("periods"))]
    known = [end for end in ends if end is not None]
    if not known or len(known) < len(ends) or sum(known) <= 0:
        return line + speak("; against the net worth it cannot be told")
    mean = sum(known) / len(known)
    return line + speak(
        "; **{rate}%** of the mean net worth at the ends of the months ({mean})",
        rate=f"{total / mean * 100:.1f}", mean=wording.say_exact(desk, mean),
    )  # fmt: skip


def answer_sell_all(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the fees and taxes of a sale of all that is held are, by currency."""
    speak = desk.speak
    found = yield from load_held(desk, asked)
    if isinstance(found, Reply):
        return found
    status, held = found
    checks = yield from desk.run(*(_sale_of(symbol, row) for symbol, row in held))
    sums: dict[str, tuple[float, float]] = {}
    unknown = []
    for (symbol, row), check in zip(held, checks, strict=True):
        told: Json = check.value if check.ok and isinstance(check.value, dict) else {}
        fees, amount = wording.figure_of(told, "fees"), wording.figure_of(told, "amount")
        if fees is None or amount is None:
            unknown.append(name_position(desk, symbol, row))
            continue
        money = sums.get(str(row.get("currency")), (0.0, 0.0))
        sums[str(row.get("currency"))] = (money[0] + fees, money[1] + amount)
    lines = [
        speak("{currency}: **{fees}** of fees and taxes for a sale of all at {amount}, {net} after.{mark}",
              currency=currency, fees=wording.say_exact(desk, fees, currency=currency),
              amount=wording.say_exact(desk, amount), net=wording.say_exact(desk, amount - fees),
              mark=wording.simulated_mark(desk, status.get("simulated")))
        for currency, (fees, amount) in sums.items()
    ]  # fmt: skip
    if unknown:
        lines.append(speak("Not counted (no price): {names}.", names=speak.join_items(unknown)))
    else:
        after = {code: amount - fees for code, (fees, amount) in sums.items()}
        left = _say_cash_after(desk, status, after)
        lines = [*left, *lines] if _CASH.search(asked.words) else [*lines, *left]
    return reply_of_lines(*lines, *_say_taxes(desk, held, checks))


_CASH = pattern(r"现金|\bcash\b", re.I)


def _say_cash_after(desk: ToolDesk, status: DeskResult, sold: dict[str, float]) -> list[str]:
    """Return what cash there is after sales that bring so much of each currency, and what it comes to in one."""
    books = wording.objects_of(status, "currencies")
    cash = {code: float(book.get("cash") or 0) + sold.get(code, 0.0) for code, book in books.items()}
    told = together.say_sum(desk, cash, status.get("total"))
    return [
        desk.speak("Cash then: {cash}.{mark}", cash=told, mark=wording.simulated_mark(desk, status.get("simulated")))
    ]


def _sale_of(symbol: str, row: Json) -> DeskCall:
    return DeskCall("risk.check", {"symbol": symbol, "action": "sell", "quantity": int(float(row["size"]))})


def _say_taxes(desk: ToolDesk, held: list[tuple[str, Json]], checks: list[DeskResult]) -> list[str]:
    """Return the dividend tax that the sales make due, in a line; [] where it is nothing or none is mainland."""
    taxes = [wording.figure_of(check.value, "dividend_tax") for check in checks if check.ok]
    total = sum(tax for tax in taxes if tax)
    if not total:
        return []
    return [desk.speak("Dividend tax besides, about {tax} (`ia trade dividend` enters it once it is taken).",
                       tax=wording.say_exact(desk, total, currency="CNY"))]  # fmt: skip


def answer_dividend_tax(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which dividend tax a sale makes due now, by how long each share was held: of mainland shares alone."""
    speak = desk.speak
    if asked.spans:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    size, _, half, unread = read_order(strip_mentions(asked.words))
    if unread or half:
        return wording.ask_back(desk, tuple(unread) or (speak("half"),))
    found = yield from load_held(desk, asked)
    if isinstance(found, Reply):
        return found
    held = dict(found[1])
    mainland = [code for code in held if symbol_of_kind(code).market == "CN"]
    mentions = list(asked.securities) or [each for code in mainland for each in find_mentions(code)]
    if not mentions:
        return reply_of_lines(speak("You hold no mainland share: dividends of others are taxed when they are paid."))
    lines = []
    for mention in mentions[:SHOWN]:
        lines.append((yield from _say_tax(desk, mention, held.get(mention.code), size)))
    rules = yield from desk.one("trade.rules", market="CN")
    rates = {str(row.get("rule")): row for row in wording.rows_of(rules, "rules")} if rules.ok else {}
    names = ("dividend_tax_month", "dividend_tax_year", "dividend_tax_longer")
    if all(name in rates for name in names) and any(each.symbol.market == "CN" for each in mentions):
        month, year, longer = (rates[name]["value"] for name in names)
        lines.append(
            speak("dividend tax **{month}%** if held for a month or less, **{year}%** for up to a year, **{longer}%**"
                  " for longer", month=month, year=year, longer=longer)
        )  # fmt: skip
    return reply_of_lines(*lines)


def _say_tax(desk: ToolDesk, mention: Mention, row: Json | None, size: Size | None) -> Work[str]:
    """Return the dividend tax of a sale of one security."""
    speak, name = desk.speak, wording.head_of(desk, mention)
    if row is None or not float(row.get("size") or 0):
        return speak("{name}: you hold none.", name=name)
    if mention.symbol.market != "CN":
        return speak("{name}: a sale makes no dividend tax due: it is taken when a dividend is paid.", name=name)
    shares = size.shares_of(mention.symbol) if size else float(row["size"])
    if shares is None or shares > float(row["size"]):
        return speak("{name}: you hold {shares} shares; for how many is it?", name=name,
                     shares=number(float(row["size"]), "shares"))  # fmt: skip
    check = yield from desk.one("risk.check", symbol=mention.code, action="sell", quantity=int(shares))
    tax = wording.figure_of(check.value, "dividend_tax") if check.ok else None
    if tax is None:
        return speak("{name}: the dividend tax cannot be told from the ledger.", name=name)
    given: Json = {"name": name, "shares": number(float(shares), "shares")}
    if not tax:
        return speak("{name}: **0 CNY** of dividend tax for a sale of {shares} shares now: no dividend since they were"
                     " bought is taxed.", **given)  # fmt: skip
    return speak("{name}: about **{tax}** of dividend tax for a sale of {shares} shares now, the oldest first.",
                 tax=wording.say_exact(desk, tax, currency="CNY"), **given)  # fmt: skip


def answer_market_shares(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares of the stocks of one market are held."""
    speak = desk.speak
    only = tuple(dict.fromkeys(find_market_currencies(asked.words)))
    if len(only) != 1:
        return wording.ask_back(desk, (asked.words.strip(),))
    found = yield from load_held(desk, asked)
    if isinstance(found, Reply):
        return found
    rows = [(symbol, row) for symbol, row in found[1] if row.get("currency") == only[0]]
    if not rows:
        return reply_of_lines(speak("You hold no stock in {currency}.", currency=only[0]))
    total = sum(float(row["size"]) for _, row in rows)
    head = speak(PluralText("**{count} stock** in {currency}, **{shares} shares**:",
                            "**{count} stocks** in {currency}, **{shares} shares**:"),
                 shares=number(total, "shares"), count=len(rows), currency=only[0])  # fmt: skip
    lines = [f"- {name_position(desk, symbol, row)}{speak(': ')}{number(float(row['size']), 'shares')}"
             for symbol, row in rows[:SHOWN]]  # fmt: skip
    return reply_of_lines(head, *lines)


def answer_each_sale(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what each sale of a security brought, the one that lost or made more first."""
    speak, lines = desk.speak, []
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    gained = _GAINED.search(asked.words) is not None and _LOST.search(asked.words) is None
    for mention in asked.securities[:2]:
        found = yield from desk.one("account.history", symbol=mention.code, limit=LIMIT)
        if found.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), found.failure)
        rows = [row for row in wording.rows_of(found.value) if result_facts.is_within(row, days)]
        rows.sort(key=lambda row: float(row["realized"]), reverse=gained)
        name = wording.head_of(desk, mention)
        if not rows:
            lines.append(speak("{name}: the journal has no such trade.", name=name))
            continue
        lines.append(speak(PluralText("{name}: {count} sale, after fees:", "{name}: {count} sales, after fees:"),
                           name=name, count=len(rows)))  # fmt: skip
        lines += [
            speak("{place}. {date}: {shares} at {price}, **{money}**", place=at, date=row["date"],
                  shares=number(float(row["quantity"]), "shares"), price=number(row.get("price"), "price", speak),
                  money=wording.say_exact(desk, row["realized"], signed=True, currency=str(row.get("currency") or "")))
            for at, row in enumerate(rows[:SHOWN], 1)
        ]  # fmt: skip
    return reply_of_lines(*lines)


_GAINED = pattern(r"赚|划算|值|\b(?:ma[dk]e|earned|gained|better|best)\b", re.I)
_LOST = pattern(r"亏|\b(?:los[et]|lost|worse|worst)\b", re.I)


def answer_profit_parts(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a security brought in all: realized, unrealized and dividends."""
    speak, lines = desk.speak, []
    if any(span.kind != EVER for span in asked.spans):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    for mention in asked.securities[:3]:
        found = yield from desk.one("account.profit", symbol=mention.code)
        if found.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), found.failure)
        row = next((row for row in wording.rows_of(found, "positions") if row.get("symbol") == mention.code), None)
        name = wording.head_of(desk, mention)
        if row is None or row.get("profit") is None:
            lines.append(speak("{name}: the journal has no such trade.", name=name) if row is None
                         else speak("{name}: the profit is not known, for want of a price.", name=name))  # fmt: skip
            continue
        currency = str(row.get("currency") or "")
        lines.append(
            speak("{name}: **{profit}** in all: realized {realized}, unrealized {unrealized}, dividends {dividends}"
                  " before tax.{mark}",
                  name=name, profit=wording.say_exact(desk, row["profit"], signed=True, currency=currency),
                  realized=wording.say_exact(desk, row.get("realized"), signed=True),
                  unrealized=wording.say_exact(desk, row.get("unrealized"), signed=True),
                  dividends=wording.say_exact(desk, row.get("dividends")),
                  mark=wording.simulated_mark(desk, found.get("simulated")))
        )  # fmt: skip
    return reply_of_lines(*lines)


ANSWERS = {
    "each_sale": answer_each_sale,
    "profit_parts": answer_profit_parts,
    "started": answer_started,
    "closed_positions": answer_closed,
    "turnover": answer_turnover,
    "sell_all": answer_sell_all,
    "dividend_tax": answer_dividend_tax,
    "market_shares": answer_market_shares,
}
