"""The whole journal and account: how trades went, what day was worst, what a sale or a move would come to."""

import re
import statistics
from collections import deque
from collections.abc import Callable
from datetime import date, timedelta
from itertools import pairwise

from ia.agent.analyst.ask.amounts import Size, find_currencies, find_market_currencies, find_size
from ia.agent.analyst.ask.facts import FactQuestion, condition_words
from ia.agent.analyst.ask.mentions import LONGEST, Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import EVER, FUTURE
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.past_views import closes_of
from ia.agent.analyst.jobs import risk_rules
from ia.agent.analyst.jobs.daily import positions_of
from ia.agent.analyst.jobs.facts import account_facts, holding_facts, result_facts, wording
from ia.agent.analyst.jobs.facts.held import load_held, load_status, name_position
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 9
LIMIT = 200
MOST_DAYS = 60
"""Sessions of the account that are looked at one by one."""
FEW_DAYS = 20
"""Below so many days a figure of risk says little."""
SESSIONS_A_YEAR = 250
_Held = list[tuple[str, Json]]


def _say_amount(desk: ToolDesk, value: float, currency: str, *, signed: bool = False) -> str:
    return wording.say_exact(desk, value, signed=signed, currency=currency)


_PERCENT = pattern(rf"(?P<n>{COUNT})\s*(?:%|％|个?百?分?点|per ?cent)", re.I)
_UP = pattern(r"涨|翻|\b(?:ris\w+|rose|gain\w*|up|rall\w+|climb\w*|doubl\w+)\b", re.I)
_HALF = pattern(r"一半|腰斩|\bhal(?:f|ves|ved)\b", re.I)
_MARKET = pattern(r"大盘|市场|股市|指数|\bmarket\b|\bindex\b", re.I)


def answer_what_if_all(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the account is worth where every share moves by so many per cent."""
    speak, words = desk.speak, strip_mentions(asked.words)
    found, half = _PERCENT.search(words), _HALF.search(words)
    size = parse_count(found["n"].casefold()) if found else 50.0 if half else None
    if size is None:
        return reply_of_lines(speak("By how many per cent, or to which price?"))
    rest = words if found is None else words[: found.start()] + words[found.end() :]
    if unread := condition_words(rest):
        return wording.ask_back(desk, tuple(unread))
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    move, lines = (size if _UP.search(words) else -size) / 100, []
    for currency, book in wording.objects_of(status, "currencies").items():
        if book.get("equity") is None or not book.get("positions_value"):
            continue
        change = float(book["positions_value"]) * move
        lines.append(
            speak(
                "{currency}: **{change}**, the account then stands at **{equity}** ({rate}); positions {value}, cash"
                " {cash}.{mark}",
                currency=currency,
                change=_say_amount(desk, change, currency, signed=True),
                equity=_say_amount(desk, float(book["equity"]) + change, currency),
                rate=wording.say_percent(change / float(book["equity"]) * 100),
                value=wording.say_exact(desk, book["positions_value"]),
                cash=wording.say_exact(desk, book.get("cash")),
                mark=wording.simulated_mark(desk, status.get("simulated")),
            )
        )
    if not lines:
        return reply_of_lines(speak("Nothing is held."))
    if _MARKET.search(words):
        lines.append(
            speak("Every share moves by {move} here: how much more or less than the market each moves is not counted.",
                  move=wording.say_percent(move * 100))
        )  # fmt: skip
    return reply_of_lines(*lines)


_AT = pattern(
    r"(?:[以按到回至在]|\bat\b|@|\bto\b)\s*[$¥]?(?P<n>\d[\d,]*(?:\.\d+)?)(?!\d|\s*(?:%|股|手|shares?))"
    r"|(?P<m>\d[\d,]*(?:\.\d+)?)\s*(?:元|块|yuan\b|dollars?\b)",
    re.I,
)


def _read_order(words: str) -> tuple[Size | None, float | None, bool, list[str]]:
    """Return the shares, the price, whether a half is meant, and what of a supposed trade was not understood."""
    price = None
    if (size := find_size(words)) is not None:
        words = words[: size.at[0]] + " " + words[size.at[1] :]
    if (at := _AT.search(words)) is not None:
        price = float((at["n"] or at["m"]).replace(",", ""))
        words = words[: at.start()] + " " + words[at.end() :]
    return size, price, bool(_HALF.search(words)), condition_words(words)


def _suppose(
    desk: ToolDesk,
    asked: FactQuestion,
    say: Callable[[Mention, Json, float | None, float, bool], list[str]],
) -> Work[Reply]:
    """Return what is said of a supposed trade in each named security that is held."""
    size, price, half, unread = _read_order(strip_mentions(asked.words))
    if unread:
        return wording.ask_back(desk, tuple(unread))
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    lines, held = [], wording.objects_of(status, "positions")
    for mention in asked.securities[:3]:
        position, head = held.get(mention.code), wording.head_of(desk, mention)
        if position is None:
            lines.append(desk.speak("{name}: you hold none.", name=head))
        elif price is None and position.get("current_price") is None:
            lines.append(desk.speak("{name}: no price of it is stored.", name=head))
        elif size is not None and size.shares_of(mention.symbol) is None:
            lines.append(wording.say_lot_unknown(desk, mention))
        else:
            shares = size.shares_of(mention.symbol) if size else None
            lines += say(mention, position, shares, price or float(position["current_price"]), half)
    return reply_of_lines(*lines)


def answer_sale_net(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a sale would bring: the money, and the profit against the cost."""
    speak = desk.speak

    def say(mention: Mention, position: Json, wish: float | None, price: float, half: bool) -> list[str]:
        size, cost = float(position["size"]), float(position["cost"])
        head, currency = wording.head_of(desk, mention), str(position.get("currency") or "")
        shares = wish or (size / 2 if half else size)
        given: Json = {"name": head, "shares": number(shares, "shares"), "size": number(size, "shares")}
        if shares > size:
            return [speak("{name}: you hold {size} shares, not {shares}.", **given)]
        lines = [
            speak(
                "{name}: {shares} of {size} shares at {price} bring **{proceeds}**, **{profit}** against their cost of"
                " {cost}, before the fees of selling.{mark}",
                price=number(price, "price", speak),
                proceeds=_say_amount(desk, shares * price, currency),
                profit=_say_amount(desk, shares * (price - cost / size), currency, signed=True),
                cost=_say_amount(desk, shares * cost / size, currency),
                mark=wording.simulated_mark(desk, position.get("simulated")),
                **given,
            )
        ]
        if shares > float(position.get("sellable") or 0):
            lines.append(
                speak("Today only {free} of them may be sold (T+1).",
                      free=number(float(position.get("sellable") or 0), "shares"))
            )  # fmt: skip
        return lines

    return (yield from _suppose(desk, asked, say))


def answer_average_in(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the average cost becomes with another purchase."""
    speak = desk.speak

    def say(mention: Mention, position: Json, wish: float | None, price: float, half: bool) -> list[str]:
        head, size, cost = wording.head_of(desk, mention), float(position["size"]), float(position["cost"])
        if not wish:
            return [speak("{name}: how many shares would you buy?", name=head)]
        return [
            speak(
                "{name}: with {shares} shares more at {price} the average cost goes from {old} to **{new}** for"
                " {total} shares, before the fees of buying.",
                name=head,
                shares=number(wish, "shares"),
                price=number(price, "price", speak),
                old=number(cost / size, "price", speak),
                new=number((cost + wish * price) / (size + wish), "price", speak),
                total=number(size + wish, "shares"),
            )
        ]

    return (yield from _suppose(desk, asked, say))


def _load_journal(desk: ToolDesk, asked: FactQuestion) -> Work[tuple[list[Json], list[result_facts.Days]] | Reply]:
    """Return the purchases and sales of the times that are named, oldest first; the reply where they cannot be told."""
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    result = yield from desk.one("trade.list", limit=LIMIT)
    if result.failure is not None:
        return wording.unreadable(desk, desk.speak("the journal"), result.failure)
    return account_facts.entries_within(result.value, days)[::-1], days


def answer_trade_stats(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how the sales went: how many with a profit, the best and the worst, and how long they were held."""
    loaded = yield from _load_journal(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    rows, days = loaded
    speak = desk.speak
    history = yield from desk.one("account.history", limit=LIMIT)
    if history.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), history.failure)
    sales = [
        row
        for row in wording.rows_of(history.value)
        if row.get("realized") is not None
        and (not days or any(f"{d.first}" <= str(row.get("date")) <= f"{d.last}" for d in days))
    ]
    if not sales:
        return reply_of_lines(
            speak("No sale is in the journal, so there is nothing to measure: what is held counts as open.")
        )
    won = [row for row in sales if float(row["realized"]) > 0]
    lines = [
        speak("**{rate}%** of the sales brought a profit: {won} of {count}, fees included.",
              rate=f"{len(won) / len(sales) * 100:.1f}", won=len(won), count=len(sales))
    ]  # fmt: skip
    for currency in dict.fromkeys(str(row.get("currency")) for row in sales):
        own = sorted((row for row in sales if row.get("currency") == currency), key=lambda row: float(row["realized"]))
        lines.append(speak("Best: {sale}", sale=_say_sale(desk, own[-1])))
        if len(own) > 1:
            lines.append(speak("Worst: {sale}", sale=_say_sale(desk, own[0])))
    whole = rows
    if days:
        result = yield from desk.one("trade.list", limit=LIMIT)
        whole = account_facts.entries_within(result.value, [])[::-1]
    held = _holding_days(whole, {row.get("id") for row in sales})
    if held:
        weight = sum(shares for shares, _ in held)
        average = sum(shares * length for shares, length in held) / weight
        lines.append(
            speak("Shares sold were held {days} days on average (calendar days, first in, first out).",
                  days=f"{average:.1f}")
        )  # fmt: skip
    first = lines.pop() if asked.facts[0].field == "period" and held else None
    if asked.facts[0].field == "best":
        lines = [*lines[1:], lines[0]]
    if len(sales) < FEW_DAYS:
        lines.append(speak("Few sales: that says little yet."))
    return reply_of_lines(*([first] if first else []), *lines)


def _say_sale(desk: ToolDesk, row: Json) -> str:
    return desk.speak(
        "{name} **{realized}** ({rate}), {date} sold {shares} at {price}",
        name=name_position(desk, str(row.get("symbol")), row),
        realized=_say_amount(desk, float(row["realized"]), str(row.get("currency") or ""), signed=True),
        rate=wording.say_percent(float(row["realized"]) / float(row["cost"]) * 100 if row.get("cost") else None),
        date=row.get("date"),
        shares=number(float(row.get("quantity") or 0), "shares"),
        price=number(row.get("price"), "price", desk.speak),
    )


def _holding_days(rows: list[Json], sold: set[object]) -> list[tuple[float, int]]:
    """Return of the sales the shares and the days between purchase and sale, first in, first out."""
    open_: dict[str, deque[list[object]]] = {}
    found: list[tuple[float, int]] = []
    for row in rows:
        lots = open_.setdefault(str(row.get("symbol")), deque())
        day, rest = date.fromisoformat(str(row["date"])), float(row.get("quantity") or 0)
        if row.get("kind") == "buy":
            lots.append([day, rest])
            continue
        while rest > 0 and lots:
            begun, left = lots[0]
            taken = min(rest, float(str(left)))
            if row.get("id") in sold and isinstance(begun, date):
                found.append((taken, (day - begun).days))
            rest -= taken
            lots[0][1] = float(str(left)) - taken
            if not lots[0][1]:
                lots.popleft()
    return found


def answer_last_fees(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what was paid in fees and taxes on the last trade."""
    loaded = yield from _load_journal(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    rows = account_facts.one_side(loaded[0], asked.words)
    speak = desk.speak
    named = {mention.code for mention in asked.securities}
    rows = [row for row in rows if not named or row.get("symbol") in named]
    if not rows:
        return reply_of_lines(speak("The journal has no such trade."))
    row = rows[-1]
    parts = [
        speak("{name} {amount}", name=name, amount=wording.say_exact(desk, row[key]))
        for key, name in (
            ("commission", speak("commission")), ("stamp", speak("stamp duty")),
            ("transfer", speak("transfer fee")), ("other", speak("other fees")),
        )
        if row.get(key)
    ]  # fmt: skip
    return reply_of_lines(
        speak(
            "**{fees}** of fees and taxes on {name}, {trade}.",
            fees=_say_amount(desk, float(row.get("fees") or 0), str(row.get("currency") or "")),
            name=name_position(desk, str(row.get("symbol")), row),
            trade=account_facts.say_trade(desk, {**row, "reason": ""}),
        ),
        *([speak("Of it: {parts}.", parts=speak.join_clauses(parts))] if parts else []),
    )


def answer_reasons(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer why each security that is held was bought: the newest reason in the journal."""
    loaded = yield from _load_journal(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    rows, days = loaded
    speak = desk.speak
    status = yield from desk.one("account.status")
    held = dict(positions_of(status))
    bought: dict[str, Json] = {}
    for row in rows:
        symbol = str(row.get("symbol"))
        if row.get("kind") == "buy" and (symbol in held or days) and (row.get("reason") or symbol not in bought):
            bought[symbol] = row
    if not bought:
        return reply_of_lines(speak("Nothing is held."))
    lines = [
        f"- {name_position(desk, symbol, row)}{speak(': ')}{account_facts.say_trade(desk, row)}"
        + ("" if row.get("reason") else speak(", no reason noted"))
        for symbol, row in list(bought.items())[:SHOWN]
    ]
    if len(bought) > SHOWN:
        lines.append(speak("… and {count} more: `ia trade list`", count=len(bought) - SHOWN))
    return reply_of_lines(speak("**Reasons** of {count} securities:", count=len(bought)), *lines)


def answer_sizes(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares of each security are held."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    speak, (status, held) = desk.speak, loaded
    lines = [
        speak(
            "- {name}: **{shares}** shares, average cost {cost}, worth {value}",
            name=name_position(desk, symbol, each),
            shares=number(float(each["size"]), "shares"),
            cost=number(each.get("avg_price"), "price", speak),
            value=wording.say_exact(desk, each.get("value"), currency=str(each.get("currency") or "")),
        )
        for symbol, each in held[:SHOWN]
    ]
    if len(held) > SHOWN:
        lines.append(speak("… and {count} more: `ia account`", count=len(held) - SHOWN))
    return reply_of_lines(speak("**{count} positions**{mark}", count=len(held),
                                mark=wording.simulated_mark(desk, status.get("simulated"))), *lines)  # fmt: skip


def answer_currency(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the account of one currency: equity, cash, profit, and each position with its weight."""
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    speak, books = desk.speak, wording.objects_of(status, "currencies")
    wanted = list(dict.fromkeys(find_currencies(asked.words) + find_market_currencies(asked.words)))
    lines = []
    for currency in wanted:
        book = books.get(currency)
        if book is None or book.get("equity") is None:
            lines.append(speak("The ledger has no {currency} account.", currency=currency))
            continue
        equity, value = float(book["equity"]), float(book.get("positions_value") or 0)
        lines.append(
            speak(
                "**{equity}** in the {currency} account: {cash} in cash, {value} in positions ({share}%), profit in all"
                " {profit}.{mark}",
                equity=_say_amount(desk, equity, currency),
                currency=currency,
                cash=wording.say_exact(desk, book.get("cash")),
                value=wording.say_exact(desk, value),
                share=f"{value / equity * 100 if equity else 0:.2f}",
                profit=wording.say_exact(desk, book.get("total_pnl"), signed=True),
                mark=wording.simulated_mark(desk, status.get("simulated")),
            )
        )
        own = [(symbol, each) for symbol, each in positions_of(status) if each.get("currency") == currency]
        lines += [
            speak(
                "- {name}: {value}, {weight}%, {profit} ({rate})",
                name=name_position(desk, symbol, each),
                value=wording.say_exact(desk, each.get("value")),
                weight="–" if each.get("weight_pct") is None else f"{float(each['weight_pct']):.2f}",
                profit=wording.say_exact(desk, each.get("unrealized_pnl"), signed=True),
                rate=wording.say_percent(each.get("unrealized_pct")),
            )
            for symbol, each in own[:SHOWN]
        ]
    if len(books) > 1:
        lines.append(speak("I have no exchange rates, so I do not convert: each currency stands by itself."))
    return reply_of_lines(*lines)


def answer_over_weight(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which positions are above a weight that is named."""
    bound = _PERCENT.search(asked.words)
    least = parse_count(bound["n"].casefold()) if bound else None
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    speak, rows = desk.speak, []
    for symbol, each in positions_of(status):
        if each.get("weight_pct") is not None:
            rows.append((float(each["weight_pct"]), name_position(desk, symbol, each), str(each.get("currency"))))
    if least is None or not rows:
        return reply_of_lines(speak("Nothing is held.") if not rows else speak("Above how many per cent?"))
    rows.sort(reverse=True)
    found = [row for row in rows if row[0] > least]
    told = [
        speak("{name} {weight}% of the {currency} account", name=name, weight=f"{weight:.2f}", currency=currency)
        for weight, name, currency in (found or rows[:1])[:SHOWN]
    ]
    given: Json = {
        "bound": f"{least:g}",
        "count": len(found),
        "names": speak.join_clauses(told),
        "mark": wording.simulated_mark(desk, status.get("simulated")),
    }
    return reply_of_lines(
        speak("**Yes**, {count} above {bound}%: {names}.{mark}", **given)
        if found
        else speak("**None** is above {bound}%; the largest: {names}.{mark}", **given)
    )


def answer_concentration(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how concentrated the account is: the largest positions of each currency, against the limit."""
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    speak, limit = desk.speak, desk.request.limits.get("position_pct")
    held, lines = positions_of(status), []
    for currency in wording.objects_of(status, "currencies"):
        own = sorted(
            (
                (float(each["weight_pct"]), name_position(desk, symbol, each))
                for symbol, each in held
                if each.get("currency") == currency and each.get("weight_pct") is not None
            ),
            reverse=True,
        )
        if own:
            lines.append(
                speak(
                    "{currency}: {count} positions; the largest, {name}, is **{weight}%** of the account, the three"
                    " largest **{sum}%**, all {all}%.",
                    currency=currency,
                    count=len(own),
                    name=own[0][1],
                    weight=f"{own[0][0]:.2f}",
                    sum=f"{sum(weight for weight, _ in own[:3]):.2f}",
                    all=f"{sum(weight for weight, _ in own):.2f}",
                )
            )
    if not lines:
        return reply_of_lines(speak("Nothing is held."))
    lines[0] += wording.simulated_mark(desk, status.get("simulated"))
    above = [name_position(desk, s, each) for s, each in held if limit and float(each.get("weight_pct") or 0) > limit]
    if above:
        lines.append(speak("Above your limit of {limit}%: {names}.", limit=f"{limit:g}", names=speak.join_items(above)))
    elif limit:
        lines.append(speak("None is above your limit of {limit}%.", limit=f"{limit:g}"))
    return reply_of_lines(*lines)


def _load_days(desk: ToolDesk, asked: FactQuestion) -> Work[tuple[list[tuple[str, DeskResult]], bool] | Reply]:
    """Return what the account made on each session of the time that is named, and whether earlier ones are left out."""
    speak, today = desk.speak, desk.request.moment.date()
    first = yield from result_facts.first_entry(desk)
    if first is None:
        return wording.say_empty(desk)
    last = today
    for span in asked.spans[:1]:
        if span.kind == FUTURE:
            return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
        days = None if span.kind == EVER else (yield from result_facts.read_days(desk, span))
        if days is None and span.kind != EVER:
            return wording.ask_back(desk, (span.said,))
        if days is not None:
            first, last = max(first, days.first), days.last
    bars = yield from desk.one("market.ohlcv", symbol=result_facts.CALENDAR, tail=250)
    sessions = [day for day, _ in (closes_of(bars.value) if bars.ok else []) if f"{first}" <= day <= f"{last}"]
    kept = sessions[-MOST_DAYS:]
    if not kept:
        return reply_of_lines(speak("No session of that time is known."))
    looked = yield from desk.run(*(DeskCall("account.period", {"first": day, "last": day}) for day in kept))
    return list(zip(kept, looked, strict=True)), len(kept) < len(sessions)


_BEST = pattern(r"赚|涨|最好|盈利|\b(?:best|made|gain\w*|earn\w*|up|profit\w*)\b", re.I)
_WORST = pattern(r"亏|跌|最差|惨|\b(?:worst|los[et]|losing|down|fell|drop\w*)\b", re.I)


def answer_extreme_day(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which day the account gained or lost most."""
    loaded = yield from _load_days(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    speak, (days, cut) = desk.speak, loaded
    wants = [(True, _BEST.search(asked.words)), (False, _WORST.search(asked.words))]
    sides = [best for best, found in wants if found] or [True, False]
    rows: dict[str, list[tuple[float, str, float | None]]] = {}
    for day, period in days:
        for currency, book in wording.objects_of(period, "currencies").items():
            if book.get("result") is not None and float(book["result"]):
                rate = None if book.get("result_pct") is None else float(book["result_pct"])
                rows.setdefault(currency, []).append((float(book["result"]), day, rate))
    lines = []
    for currency, found in rows.items():
        for best in sides:
            value, day, rate = (max if best else min)(found)
            given: Json = {
                "day": day,
                "amount": _say_amount(desk, value, currency, signed=True),
                "rate": wording.say_percent(rate),
            }
            if (value > 0) != best:
                lines.append(
                    speak("{currency}: on no day was there a gain; least was lost on {day}: {amount}.",
                          currency=currency, **given)
                    if best
                    else speak("{currency}: on no day was there a loss; least was gained on {day}: {amount}.",
                               currency=currency, **given)
                )  # fmt: skip
                continue
            lines.append(
                speak("Best day: **{day}**, {amount} ({rate}).", **given)
                if best
                else speak("Worst day: **{day}**, {amount} ({rate}).", **given)
            )
    if not lines:
        return reply_of_lines(speak("On none of those days did the account change."))
    lines[0] += wording.simulated_mark(desk, any(period.get("simulated") for _, period in days))
    scope: Json = {"count": len(days), "first": days[0][0], "last": days[-1][0]}
    lines.append(
        speak("Looked at: the last {count} sessions, {first} – {last}; earlier ones are left out.", **scope)
        if cut
        else speak("Looked at: {count} sessions, {first} – {last}.", **scope)
    )
    return reply_of_lines(*lines)


def answer_risk_stats(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how much the account swings: volatility, Sharpe ratio, worst day, and beta, from its days."""
    loaded = yield from _load_days(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    speak, (days, cut) = desk.speak, loaded
    closes = yield from desk.one("market.ohlcv", symbol=result_facts.CALENDAR, tail=250)
    shown = closes_of(closes.value) if closes.ok else []
    moved = {day: (close / before - 1) * 100 for (_, before), (day, close) in pairwise(shown)}
    lines = []
    for currency in dict.fromkeys(c for _, period in days for c in wording.objects_of(period, "currencies")):
        series = []
        for day, period in days:
            book = wording.objects_of(period, "currencies").get(currency, {})
            if float(book.get("equity_before") or 0) and book.get("result_pct") is not None:
                series.append((day, float(book["result_pct"])))
        if len(series) < 2 or not any(rate for _, rate in series):
            continue
        rates = [rate for _, rate in series]
        swing = statistics.stdev(rates) * SESSIONS_A_YEAR**0.5
        sharpe = statistics.mean(rates) * SESSIONS_A_YEAR / swing if swing else None
        told = [speak("volatility **{value}%** a year", value=f"{swing:.2f}")]
        if sharpe is not None:
            told.append(speak("Sharpe ratio {value} (no interest deducted)", value=f"{sharpe:.2f}"))
        told.append(speak("worst day {value}", value=wording.say_percent(min(rates))))
        if currency == "CNY":
            told += _against_index(desk, series, moved)
        line = speak("{currency}, {count} days: {figures}.", currency=currency, count=len(rates),
                     figures=speak.join_clauses(told))  # fmt: skip
        if len(rates) < FEW_DAYS:
            line += speak(" **Too few days**: these figures say little yet.")
        lines.append(line)
    if not lines:
        return reply_of_lines(speak("The account has too few days with positions to measure its swings."))
    lines[0] += wording.simulated_mark(desk, any(period.get("simulated") for _, period in days))
    if _VALUE_AT_RISK.search(asked.words):
        lines.append(speak("A value at risk I do not compute; these are the figures that I have."))
    if cut:
        lines.append(speak("Only the last {count} sessions count.", count=len(days)))
    return reply_of_lines(*lines)


_VALUE_AT_RISK = pattern(r"风险价值|在险价值|\bvalue[- ]at[- ]risk\b|\bvar\b", re.I)


def _against_index(desk: ToolDesk, series: list[tuple[str, float]], moved: dict[str, float]) -> list[str]:
    """Return the swings of the index over the same days, and how much the account moves with it."""
    pairs = [(rate, moved[day]) for day, rate in series if day in moved]
    if len(pairs) < 2:
        return []
    own, index = [rate for rate, _ in pairs], [move for _, move in pairs]
    told = [
        desk.speak("CSI 300 {value}% over the same days",
                   value=f"{statistics.stdev(index) * SESSIONS_A_YEAR**0.5:.2f}")
    ]  # fmt: skip
    spread = statistics.variance(index)
    if spread:
        told.append(desk.speak("beta {value}", value=f"{statistics.covariance(own, index) / spread:.2f}"))
    return told


def answer_year_dividends(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the shares that are held paid in the last twelve months: an amount of the past, no forecast."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    speak, held = desk.speak, loaded[1]
    since = f"{desk.request.moment.date() - timedelta(days=365)}"
    looked = yield from desk.run(*(DeskCall("market.actions", {"symbol": symbol}) for symbol, _ in held))
    sums: dict[str, float] = {}
    lines, unknown, simulated = [], [], False
    for (symbol, each), found in zip(held, looked, strict=True):
        if found.failure is not None:
            unknown.append(name_position(desk, symbol, each))
            continue
        simulated = simulated or bool(found.get("simulated"))
        rows = [row for row in wording.rows_of(found, "actions") if row.get("cash") and str(row.get("date")) > since]
        cash = sum(float(row["cash"]) for row in rows)
        currency, amount = str(each.get("currency") or ""), cash * float(each["size"])
        if amount:
            sums[currency] = sums.get(currency, 0.0) + amount
            lines.append(
                speak("- {name}: {cash} a share × {shares} = {amount}", name=name_position(desk, symbol, each),
                      cash=f"{cash:.10g}", shares=number(float(each["size"]), "shares"),
                      amount=_say_amount(desk, amount, currency))
            )  # fmt: skip
    told = speak.join_clauses([_say_amount(desk, value, currency) for currency, value in sums.items()])
    head = (
        speak("**{sums}** before tax: the dividends of the last 12 months on the shares that you hold now.{mark}",
              sums=told, mark=wording.simulated_mark(desk, simulated))
        if sums
        else speak("In the last 12 months nothing that you hold now paid a dividend.{mark}",
                   mark=wording.simulated_mark(desk, simulated))
    )  # fmt: skip
    if unknown:
        lines.append(speak("Dividends unknown: {names}.", names=speak.join_items(unknown)))
    return reply_of_lines(head, *lines[:SHOWN], speak("What comes next is not known; I give no forecast."))


def answer_followed(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which trades were entered against the rules."""
    loaded = yield from _load_journal(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    speak, (rows, _) = desk.speak, loaded
    if not rows:
        return reply_of_lines(speak("The journal has no such trade."))
    against = [row for row in rows if row.get("override")]
    given: Json = {"count": len(against), "all": len(rows), "first": rows[0]["date"], "last": rows[-1]["date"]}
    if not against:
        return reply_of_lines(speak("None of {all} trades ({first} – {last}) went against a rule.", **given))
    return reply_of_lines(
        speak("**{count}** of {all} trades ({first} – {last}) went against a rule:", **given),
        *(
            f"- {name_position(desk, str(row.get('symbol')), row)}{speak(': ')}{account_facts.say_trade(desk, row)}"
            for row in against[-SHOWN:]
        ),
    )


def answer_may_buy(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the rules allow a purchase now."""
    if span := wording.other_day(asked, desk.request.day):
        return reply_of_lines(desk.speak("Your rules I check as of now, not for “{time}”.", time=span.said))
    size, named = find_size(strip_mentions(asked.words[:LONGEST])), asked.securities[:3]
    quantity = size.shares_of(named[0].symbol) if size and named else None
    lines = yield from risk_rules.check_buy(desk, *(m.code for m in named), quantity=quantity)
    if not lines:
        lines = [desk.speak("No risk rules are in force yet: they begin with the first entry of the ledger.")]
    return reply_of_lines(*lines)


def answer_sell_or_hold(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer a question for a sale with what is known: the position, its reason, and the stop."""
    speak = desk.speak
    stop = yield from holding_facts.answer_own_stop(desk, asked)
    lines = []
    status = yield from desk.one("account.status")
    held = wording.objects_of(status, "positions")
    for mention in asked.securities[:2]:
        position, head = held.get(mention.code), wording.head_of(desk, mention)
        if position is None:
            continue
        lines.append(
            speak(
                "{name}: you hold {shares} shares, {profit} ({rate}) at {price}, {weight}% of the account.",
                name=head,
                shares=number(float(position["size"]), "shares"),
                profit=wording.say_exact(
                    desk, position.get("unrealized_pnl"), signed=True, currency=str(position.get("currency") or "")
                ),
                rate=wording.say_percent(position.get("unrealized_pct")),
                price=number(position.get("current_price"), "price", speak),
                weight="–" if position.get("weight_pct") is None else f"{float(position['weight_pct']):.2f}",
            )
        )
        rows = yield from desk.one("trade.list", symbol=mention.code, limit=LIMIT)
        bought = [row for row in account_facts.entries_within(rows.value, []) if row.get("kind") == "buy"]
        if bought:
            lines.append(speak("Your purchase: {trade}.", trade=account_facts.say_trade(desk, bought[0])))
    view = speak.join_items([mention.said for mention in asked.securities[:1]])
    return reply_of_lines(
        *stop.lines, *lines, speak("For the evidence ask “look at {name}”. Whether to sell you decide.", name=view)
    )


ANSWERS = {
    "what_if_all": answer_what_if_all,
    "sale_net": answer_sale_net,
    "average_in": answer_average_in,
    "trade_stats": answer_trade_stats,
    "last_fees": answer_last_fees,
    "reasons": answer_reasons,
    "sizes": answer_sizes,
    "currency": answer_currency,
    "over_weight": answer_over_weight,
    "concentration": answer_concentration,
    "account_days": answer_extreme_day,
    "risk_stats": answer_risk_stats,
    "year_dividends": answer_year_dividends,
    "followed": answer_followed,
    "may_buy": answer_may_buy,
    "sell_or_hold": answer_sell_or_hold,
}
