"""The whole journal and account: how trades went, what day was worst, what a sale or a move would come to."""

import re
from collections.abc import Callable
from datetime import timedelta

from ia.agent.analyst.ask.amounts import Size, find_currencies, find_market_currencies, find_size
from ia.agent.analyst.ask.facts import FactQuestion, condition_words
from ia.agent.analyst.ask.mentions import LONGEST, Mention, strip_mentions
from ia.agent.analyst.ask.supposed_moves import read_supposed
from ia.agent.analyst.ask.time_spans import blank_spans
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs import risk_rules
from ia.agent.analyst.jobs.daily import positions_of, weight_of
from ia.agent.analyst.jobs.facts import (
    account_facts,
    holding_facts,
    performance_facts,
    portfolio_risk,
    result_facts,
    supposed_moves,
    wording,
)
from ia.agent.analyst.jobs.facts.held import (
    is_whole_known,
    load_held,
    load_status,
    load_weights,
    name_position,
    say_lots,
    say_part,
    say_weight,
)
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
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
_BETA = pattern(r"贝塔|\bbeta\b|β", re.I)
_MARKET = pattern(r"大盘|市场|股市|指数|\bmarket\b|\bindex\b", re.I)


def answer_what_if_all(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the account is worth where every share moves by so many per cent."""
    speak, words = desk.speak, strip_mentions(asked.words)
    found, half = _PERCENT.search(words), _HALF.search(words)
    size = parse_count(found["n"].casefold()) if found else 50.0 if half else None
    read = read_supposed(asked.words)
    if read is not None and (_BETA.search(words) or size is None or len(read.moves) > 1):
        factor = read.moves[0][1].factor
        if _BETA.search(words) and len(read.moves) == 1 and factor is not None:
            return (yield from portfolio_risk.answer_index_move(desk, asked, "", factor - 1))
        return (yield from supposed_moves.answer_moves(desk, asked))
    if size is None:
        return reply_of_lines(speak("By how many per cent, or to which price?"))
    rest = words if found is None else words[: found.start()] + words[found.end() :]
    if unread := condition_words(rest):
        return wording.ask_back(desk, tuple(unread))
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    move, lines, changes = (size if _UP.search(words) else -size) / 100, list[str](), dict[str, float]()
    only = find_market_currencies(words)
    for currency, book in wording.objects_of(status, "currencies").items():
        if only and currency not in only:
            continue
        if book.get("equity") is None or not book.get("positions_value"):
            continue
        change = float(book["positions_value"]) * move
        changes[currency] = change
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
    if len(lines) > 1 or only:
        lines = [*supposed_moves.say_worth(desk, status, changes), *lines]
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


def read_order(words: str) -> tuple[Size | None, float | None, bool, list[str]]:
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
    size, price, half, unread = read_order(_AVERAGE.sub(" ", strip_mentions(asked.words)))
    if unread:
        return wording.ask_back(desk, tuple(unread))
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    lines, books = [], wording.objects_of(status, "currencies")
    held = {
        code: {**each, "cash": books.get(str(each.get("currency")), {}).get("cash")}
        for code, each in wording.objects_of(status, "positions").items()
    }
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


_AVERAGE = pattern(r"平均|均价|\b(?:average|avg|mean)\b", re.I)
"""Names the cost that is asked for, and no condition."""
_LEFT = pattern(r"剩(?!下?的(?!现金|钱|多少))|\b(?:left|remain\w*)\b", re.I)


def answer_sale_net(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a sale would bring after its fees: the money, in another currency where one is named, the profit."""
    speak, costs = desk.speak, (yield from _load_sale_costs(desk, asked))
    target, rates = next(iter(find_currencies(strip_mentions(asked.words))), ""), dict[str, Json | None]()
    for own in {wording.CURRENCIES.get(mention.symbol.market, "") for mention in asked.securities} - {"", target}:
        if target:
            rates[own] = yield from wording.load_rate(desk, own, target)

    def say(mention: Mention, position: Json, wish: float | None, price: float, half: bool) -> list[str]:
        size, cost = float(position["size"]), float(position["cost"])
        head, currency = wording.head_of(desk, mention), str(position.get("currency") or "")
        shares = wish or (size / 2 if half else size)
        given: Json = {"name": head, "shares": number(shares, "shares"), "size": number(size, "shares")}
        if shares > size:
            return [speak("{name}: you hold {size} shares, not {shares}.", **given)]
        fees = costs.get(mention.code)
        net = shares * price - (fees or 0)
        given |= {
            "price": number(price, "price", speak),
            "proceeds": _say_amount(desk, shares * price, currency),
            "net": _say_amount(desk, net, currency),
            "fees": _say_amount(desk, fees or 0, currency),
            "profit": _say_amount(desk, net - shares * cost / size, currency, signed=True),
            "before": _say_amount(desk, shares * (price - cost / size), currency, signed=True),
            "cost": _say_amount(desk, shares * cost / size, currency),
            "mark": wording.simulated_mark(desk, position.get("simulated")),
        }
        lines = (
            [
                speak("{name}: {shares} of {size} shares at {price} bring **{net}** after fees and taxes, **{profit}**"
                      " against their cost of {cost}.{mark}", **given),
                speak("{proceeds} before {fees} of fees and taxes, {before} against the cost.", **given),
            ]
            if fees is not None
            else [
                speak("{name}: {shares} of {size} shares at {price} bring **{proceeds}**, **{profit}** against their"
                      " cost of {cost}, before the fees of selling.{mark}", **given)
            ]
        )  # fmt: skip
        if currency in rates:
            rate = rates[currency]
            lines.append(
                wording.say_converted(desk, net, rate)
                if rate is not None
                else wording.foreign_currency(desk, asked.words, [mention])
            )
        if _LEFT.search(asked.words):
            lines.append(
                speak(
                    "Left: **{rest}** shares worth {value}; cash {cash} instead of {now}.",
                    rest=number(size - shares, "shares"),
                    value=_say_amount(desk, (size - shares) * price, currency),
                    cash=_say_amount(desk, float(position["cash"]) + net, currency),
                    now=wording.say_exact(desk, position["cash"]),
                )
                if position.get("cash") is not None
                else speak(
                    "Left: **{rest}** shares worth {value}.",
                    rest=number(size - shares, "shares"),
                    value=_say_amount(desk, (size - shares) * price, currency),
                )
            )
        if shares > float(position.get("sellable") or 0):
            lines.append(
                speak("Today only {free} of them may be sold (T+1).",
                      free=number(float(position.get("sellable") or 0), "shares"))
            )  # fmt: skip
        return lines

    return (yield from _suppose(desk, asked, say))


def _load_sale_costs(desk: ToolDesk, asked: FactQuestion) -> Work[dict[str, float]]:
    """Return the fees and taxes of the sale that a question supposes, by security; nothing where they are not known."""
    size, price, half, _ = read_order(strip_mentions(asked.words))
    status = yield from desk.one("account.status")
    held, costs = wording.objects_of(status, "positions"), dict[str, float]()
    for mention in asked.securities[:3]:
        own = float(held.get(mention.code, {}).get("size") or 0)
        shares = (size.shares_of(mention.symbol) if size else own / 2 if half else own) or 0
        if not 0 < shares <= own or shares != int(shares):
            continue
        given: Json = {"symbol": mention.code, "action": "sell", "quantity": int(shares)}
        check = yield from desk.one("risk.check", **given, **({"price": price} if price else {}))
        fees = wording.figure_of(check.value, "fees") if check.ok and isinstance(check.value, dict) else None
        if fees is not None:
            costs[mention.code] = fees
    return costs


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
    """Answer how closed trades went: how many with a profit, the best and the worst, and how long they were held."""
    loaded = yield from performance_facts.load_performance(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    result, label = loaded
    speak, lines, count = desk.speak, [], 0
    for currency, account in wording.objects_of(result, "currencies").items():
        trades = account.get("trades")
        if not isinstance(trades, dict) or not trades.get("trades"):
            continue
        count += int(trades["trades"])
        lines += _say_trades(desk, currency, trades, asked)
    if not lines:
        return reply_of_lines(
            speak("No sale is in the journal, so there is nothing to measure: what is held counts as open.")
        )
    lines.append(
        speak("Closed trades are matched first in, first out, after all fees, without dividends{days}.",
              days=speak(" ({days})", days=label) if label else "")
    )  # fmt: skip
    if count < FEW_DAYS:
        lines.append(speak("Few trades: that says little yet."))
    return reply_of_lines(*lines)


def _say_trades(desk: ToolDesk, currency: str, trades: Json, asked: FactQuestion) -> list[str]:
    """Return how the closed trades of a currency went; what the question asks for comes first."""
    speak, field = desk.speak, asked.facts[0].field
    wins = speak(
        "**{rate}%** of the closed trades brought a profit: {won} of {count} ({currency}).",
        rate=f"{float(trades['win_rate_frac']) * 100:.1f}",
        won=trades.get("won"),
        count=trades.get("trades"),
        currency=currency,
    )
    held = speak("They were held {days} calendar days on average.", days=f"{float(trades['holding_days']):.1f}")
    money = speak(
        "A trade brought {mean} on average; profits over losses {factor}.",
        mean=_say_amount(desk, float(trades["expectancy"]), currency, signed=True),
        factor="–" if trades.get("profit_factor") is None else f"{float(trades['profit_factor']):.2f}",
    )
    first = say_trip(desk, trades["best"])
    if trades.get("trades") == 1:
        best = [speak("The only closed trade: {trade}", trade=first)]
    else:
        best = [speak("Best: {trade}", trade=first), speak("Worst: {trade}", trade=say_trip(desk, trades["worst"]))]
    if _WORST.search(asked.words) and not _BEST.search(asked.words):
        best.reverse()
    if field == "period":
        return [held, wins, money, *best]
    if field == "money":
        return [money, wins, *best, held]
    return [*best, wins, money, held] if field == "best" else [wins, *best, money, held]


def say_trip(desk: ToolDesk, trip: Json) -> str:
    """Return a purchase and its sale in a line."""
    return desk.speak(
        "{name} **{profit}** ({rate}), {shares} shares, {opened} – {closed}",
        name=name_position(desk, str(trip.get("symbol")), trip),
        profit=_say_amount(desk, float(trip["profit"]), str(trip.get("currency") or ""), signed=True),
        rate=wording.say_percent(float(trip["profit"]) / float(trip["cost"]) * 100 if trip.get("cost") else None),
        shares=number(float(trip.get("quantity") or 0), "shares"),
        opened=trip.get("opened"),
        closed=trip.get("closed"),
    )


_ONE_TRADE = pattern(
    r"[买卖]|最近|最后|上[一次]|[这那]笔|\b(?:last|latest|newest|recent|that|this|buy|bought|purchase|sell|sold|sale)\b",
    re.I,
)
"""Words that mean one trade, not all in a security."""
_IN_ALL = pattern(r"一共|总共|累计|合计|买卖|\b(?:in all|in total|altogether|so far|all my)\b", re.I)
"""Words that mean all trades in a security."""


def answer_last_fees(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what was paid in fees and taxes on the last trade; on all trades in a security where none is meant."""
    loaded = yield from _load_journal(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    rows = account_facts.one_side(loaded[0], asked.words)
    speak = desk.speak
    named = {mention.code for mention in asked.securities}
    rows = [row for row in rows if not named or row.get("symbol") in named]
    if size := find_size(strip_mentions(asked.words)):
        shares = {each.code: size.shares_of(each.symbol) for each in asked.securities}
        rows = [row for row in rows if float(row.get("quantity") or 0) == shares.get(str(row.get("symbol")))]
    if not rows:
        return reply_of_lines(speak("The journal has no such trade."))
    row = rows[-1]
    every = len(named) == 1 and (bool(_IN_ALL.search(asked.words)) or not _ONE_TRADE.search(asked.words))
    sums = {
        key: sum(float(each.get(key) or 0) for each in (rows if every else [row]))
        for key in ("fees", "commission", "stamp", "transfer", "other")
    }
    parts = [
        speak("{name} {amount}", name=name, amount=wording.say_exact(desk, sums[key]))
        for key, name in (
            ("commission", speak("commission")), ("stamp", speak("stamp duty")),
            ("transfer", speak("transfer fee")), ("other", speak("other fees")),
        )
        if sums[key]
    ]  # fmt: skip
    given = {
        "fees": _say_amount(desk, sums["fees"], str(row.get("currency") or "")),
        "name": name_position(desk, str(row.get("symbol")), row),
    }
    if every and len(rows) > 1:
        first = speak("**{fees}** of fees and taxes on {name}, in {count} trades.", count=len(rows), **given)
    else:
        trade = account_facts.say_trade(desk, {**row, "reason": ""})
        first = speak("**{fees}** of fees and taxes on {name}, {trade}.", trade=trade, **given)
    return reply_of_lines(first, *([speak("Of it: {parts}.", parts=speak.join_clauses(parts))] if parts else []))


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
    return reply_of_lines(
        speak(PluralText("**Reason** of {count} security:", "**Reasons** of {count} securities:"), count=len(bought)),
        *lines,
    )


def answer_sizes(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares of each security are held."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    speak, (status, held) = desk.speak, loaded
    lines = [
        speak(
            "- {name}: **{shares}** shares{lots}, average cost {cost}, worth {value}",
            name=name_position(desk, symbol, each),
            shares=number(float(each["size"]), "shares"),
            lots=say_lots(desk, asked.words, symbol, float(each["size"])),
            cost=number(each.get("avg_price"), "price", speak),
            value=wording.say_exact(desk, each.get("value"), currency=str(each.get("currency") or "")),
        )
        for symbol, each in held[:SHOWN]
    ]
    if len(held) > SHOWN:
        lines.append(speak("… and {count} more: `ia account`", count=len(held) - SHOWN))
    head = speak(
        PluralText("**{count} position**{mark}", "**{count} positions**{mark}"),
        count=len(held),
        mark=wording.simulated_mark(desk, status.get("simulated")),
    )
    return reply_of_lines(head, *lines)


def _say_own(desk: ToolDesk, status: DeskResult, currency: str) -> list[str]:
    """Return the positions of one currency, a line each."""
    own = [(symbol, each) for symbol, each in positions_of(status) if each.get("currency") == currency]
    return [
        desk.speak(
            "- {name}: {value} ({date}), {weight}%, {profit} ({rate})",
            name=name_position(desk, symbol, each),
            value=wording.say_exact(desk, each.get("value"), currency=currency),
            date=each.get("price_date"),
            weight="–" if each.get("weight_pct") is None else f"{float(each['weight_pct']):.2f}",
            profit=wording.say_exact(desk, each.get("unrealized_pnl"), signed=True),
            rate=wording.say_percent(each.get("unrealized_pct")),
        )
        for symbol, each in own[:SHOWN]
    ]


_CASH = pattern(r"现金|\bcash\b", re.I)
_SHARE = pattern(r"占|比例|百分|几成|\b(?:share|part|per ?cent\w*|fraction|proportion)\b|%", re.I)
_SHARES_WORTH = pattern(
    r"市值|\b(?:value|worth)\b.{0,30}\b(?:stocks|shares|holdings|positions)\b"
    r"|\b(?:stocks|shares|holdings|positions)\b.{0,20}\b(?:value|worth)\b",
    re.I,
)
"""What a question for the account of one currency asks for first."""


def answer_currency(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the account of one currency: equity, cash, profit, and each position with its weight."""
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    speak, books = desk.speak, wording.objects_of(status, "currencies")
    named, markets = find_currencies(asked.words), find_market_currencies(asked.words)
    if len(named) == 1 and markets and named[0] not in markets and set(markets) <= set(books):
        return (yield from performance_facts.answer_markets(desk, status, books, markets, named[0]))
    wanted = list(dict.fromkeys(named + markets))
    lines = []
    for currency in wanted:
        book = books.get(currency)
        if book is None:
            lines.append(speak("The ledger has no {currency} account.", currency=currency))
            continue
        if book.get("equity") is None:
            lines.append(
                speak(
                    "**{value}** in positions of the {currency} account, profit in all {profit}; its cash or a price is"
                    " not known.{mark}",
                    value=wording.say_exact(desk, book.get("positions_value"), currency=currency),
                    currency=currency,
                    profit=wording.say_exact(desk, book.get("total_pnl"), signed=True),
                    mark=wording.simulated_mark(desk, status.get("simulated")),
                )
            )
            lines += _say_own(desk, status, currency)
            continue
        equity, value = float(book["equity"]), float(book.get("positions_value") or 0)
        if _CASH.search(asked.words) and equity and _SHARE.search(asked.words):
            lines.append(
                speak("**{cash}%** of the {currency} account is cash, {share}% is invested", currency=currency,
                      cash=f"{float(book['cash']) / equity * 100:.2f}", share=f"{value / equity * 100:.2f}")
            )  # fmt: skip
        elif _CASH.search(asked.words):
            lines.append(
                speak("**{amount}** in cash, {share}% of the {currency} account.", currency=currency,
                      amount=_say_amount(desk, float(book["cash"]), currency),
                      share=f"{float(book['cash']) / equity * 100 if equity else 0:.2f}")
            )  # fmt: skip
        elif _SHARES_WORTH.search(asked.words):
            lines.append(speak("**{amount}** in positions.", amount=_say_amount(desk, value, currency)))
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
        lines += _say_own(desk, status, currency) if len(wanted) == 1 else []
    if len(books) > 1:
        lines.append(speak("Each currency stands by itself here; “net worth” has all of them in one."))
    return reply_of_lines(*lines)


def answer_over_weight(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which positions are above a weight that is named."""
    bound = _PERCENT.search(asked.words)
    least = parse_count(bound["n"].casefold()) if bound else None
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    speak, whole = desk.speak, is_whole_known(status)
    rows = [
        (float(weight_of(each)), f"{name_position(desk, symbol, each)} {say_part(desk, each, whole=whole)}")
        for symbol, each in positions_of(status)
        if weight_of(each) is not None
    ]
    if least is None or not rows:
        return reply_of_lines(speak("Nothing is held.") if not rows else speak("Above how many per cent?"))
    rows.sort(reverse=True)
    found = [row for row in rows if row[0] > least]
    told = [part for _, part in (found or rows[:1])[:SHOWN]]
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
    held, lines, books = positions_of(status), [], wording.objects_of(status, "currencies")
    whole = is_whole_known(status)
    for currency in [""] if whole else books:
        own = sorted(
            (
                (float(weight_of(each)), name_position(desk, symbol, each))
                for symbol, each in held
                if (whole or each.get("currency") == currency) and weight_of(each) is not None
            ),
            reverse=True,
        )
        if own:
            given: Json = {
                "count": len(own),
                "name": own[0][1],
                "weight": f"{own[0][0]:.2f}",
                "sum": f"{sum(weight for weight, _ in own[:3]):.2f}",
                "all": f"{sum(weight for weight, _ in own):.2f}",
            }
            lines.append(
                speak(
                    "{count} positions; the largest, {name}, is **{weight}%** of the whole account, the three largest"
                    " **{sum}%**, all {all}%.",
                    **given,
                )
                if whole
                else speak(
                    "{currency}: {count} positions; the largest, {name}, is **{weight}%** of the {currency} account,"
                    " the three largest **{sum}%**, all {all}%.",
                    currency=currency,
                    **given,
                )
            )
    if not lines:
        return reply_of_lines(speak("Nothing is held."))
    lines[0] += wording.simulated_mark(desk, status.get("simulated"))
    above = [
        name_position(desk, s, each) for s, each in held if limit and float(each.get("limit_weight_pct") or 0) > limit
    ]
    if above:
        lines.append(speak("Above your limit of {limit}%: {names}.", limit=f"{limit:g}", names=speak.join_items(above)))
    elif limit:
        lines.append(speak("None is above your limit of {limit}%.", limit=f"{limit:g}"))
    return reply_of_lines(*lines)


_BEST = pattern(r"赚|涨|最好|盈利|成功|\b(?:best|made|gain\w*|earn\w*|up|profit\w*)\b", re.I)
_WORST = pattern(r"亏|跌|最差|惨|失败|\b(?:worst|los[et]|losing|down|fell|drop\w*)\b", re.I)


def answer_extreme_day(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which day the account gained or lost most: by its return, whatever was paid in that day."""
    loaded = yield from performance_facts.load_performance(desk, asked, by="day")
    if isinstance(loaded, Reply):
        return loaded
    result, _ = loaded
    speak, lines = desk.speak, []
    wants = [(True, _BEST.search(asked.words)), (False, _WORST.search(asked.words))]
    sides = [best for best, found in wants if found] or [True, False]
    for name, account in performance_facts.accounts_of(desk, result):
        risk: Json = account.get("risk") or {}
        for best in sides:
            extreme = risk.get("best_day" if best else "worst_day")
            if isinstance(extreme, dict):
                days = wording.rows_of(account.get("periods"))
                row = next((each for each in days if each.get("last") == extreme.get("day")), {})
                lines.append(_say_extreme(desk, name, extreme, best=best, money=wording.say_exact(
                    desk, row["result"], signed=True, currency=str(account.get("currency")))
                    if row.get("result") is not None else ""))  # fmt: skip
    if not lines:
        return reply_of_lines(speak("On none of those days did the account change."))
    lines[0] += wording.simulated_mark(desk, result.get("simulated"))
    spans = [account for _, account in performance_facts.accounts_of(desk, result)]
    scope: Json = {
        "count": max(int((each.get("risk") or {}).get("returns") or 0) for each in spans),
        "first": min(str(each.get("first")) for each in spans),
        "last": max(str(each.get("last")) for each in spans),
    }
    return reply_of_lines(*lines, speak("Looked at: {count} sessions, {first} – {last}.", **scope))


def _say_extreme(desk: ToolDesk, name: str, extreme: Json, *, best: bool, money: str = "") -> str:
    rate = performance_facts.say_fraction(extreme.get("frac"))
    rate = desk.speak("{rate} ({money})", rate=rate, money=money) if money else rate
    given: Json = {"name": name, "day": extreme.get("day"), "rate": rate}
    gained = float(extreme.get("frac") or 0) > 0
    if best:
        return (
            desk.speak("Best day ({name}): **{day}**, {rate}.", **given)
            if gained
            else desk.speak("{name}: on no day was there a gain; least was lost on {day}: {rate}.", **given)
        )
    return (
        desk.speak("{name}: on no day was there a loss; least was gained on {day}: {rate}.", **given)
        if gained
        else desk.speak("Worst day ({name}): **{day}**, {rate}.", **given)
    )


def answer_risk_stats(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how much the account swings: volatility, ratios, drawdown, and beta to the index of its market."""
    loaded = yield from performance_facts.load_performance(desk, asked, benchmark=wording.CALENDARS["CN"])
    if isinstance(loaded, Reply):
        return loaded
    result, _ = loaded
    speak, lines = desk.speak, []
    for name, account in performance_facts.accounts_of(desk, result, asked.words):
        risk: Json = account.get("risk") or {}
        lines.append(_say_risk(desk, name, str(account.get("currency")), risk))
    lines[0] += wording.simulated_mark(desk, result.get("simulated"))
    if _VALUE_AT_RISK.search(asked.words):
        told = [
            f"{name} {performance_facts.say_fraction(risk['var95_frac'])}"
            for name, account in performance_facts.accounts_of(desk, result, asked.words)
            if (risk := account.get("risk") or {}).get("var95_frac") is not None
        ]
        lines.append(
            speak("Value at risk (5% of the days were worse than this, historical): {figures}.",
                  figures=speak.join_clauses(told) or "–")
        )  # fmt: skip
    return reply_of_lines(*lines)


_VALUE_AT_RISK = pattern(r"风险价值|在险价值|\bvalue[- ]at[- ]risk\b|\bvar\b", re.I)


def _say_risk(desk: ToolDesk, name: str, currency: str, risk: Json) -> str:
    """Return the figures of risk of an account in a line; why there is none, where there is none."""
    speak, count = desk.speak, int(risk.get("returns") or 0)
    if risk.get("volatility_ann_frac") is None:
        reason = performance_facts.say_reason(risk, "volatility_ann_frac")
        return speak("{name}: not told ({reason}).", name=name, reason=reason or "–")
    swing = f"{float(risk['volatility_ann_frac']) * 100:.2f}"
    told = [speak("volatility **{value}%** a year ({days} days)", value=swing, days=risk.get("sessions_a_year") or "–")]
    ratios = (
        (speak("Sharpe ratio {value} (no interest deducted)", value=_say_ratio(risk, "sharpe")), "sharpe"),
        (speak("Sortino ratio {value}", value=_say_ratio(risk, "sortino")), "sortino"),
        (speak("Calmar ratio {value}", value=_say_ratio(risk, "calmar")), "calmar"),
    )
    told += [text for text, key in ratios if risk.get(key) is not None]
    if isinstance(worst := risk.get("worst_day"), dict):
        told.append(speak("worst day {value}", value=performance_facts.say_fraction(worst.get("frac"))))
    if isinstance(down := risk.get("max_drawdown"), dict):
        told.append(speak("largest drawdown {value}", value=performance_facts.say_fraction(down.get("frac"))))
    if currency == "CNY" and risk.get("beta") is not None:
        told.append(speak("beta {value} to the CSI 300", value=_say_ratio(risk, "beta")))
    return speak("{name}, {count} days: {figures}.", name=name, count=count, figures=speak.join_clauses(told))


def _say_ratio(risk: Json, key: str) -> str:
    return "–" if risk.get(key) is None else f"{float(risk[key]):.2f}"


def answer_year_dividends(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the shares that are held paid in the last twelve months: an amount of the past, no forecast."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    named = {mention.code for mention in asked.securities}
    speak, held = desk.speak, [pair for pair in loaded[1] if not named or pair[0] in named]
    words = blank_spans(strip_mentions(asked.words), asked.spans)
    size = find_size(words) if len(named) == 1 else None
    if left := re.findall(r"\d[\d,.]*", words[: size.at[0]] + words[size.at[1] :] if size else words):
        return wording.ask_back(desk, tuple(left))
    if size is not None and (shares := size.shares_of(asked.securities[0].symbol)):
        mention = asked.securities[0]  # held or not
        own = {"currency": wording.CURRENCIES.get(mention.symbol.market, ""), "name": mention.name}
        held = [(mention.code, {**own, **(held[0][1] if held else {}), "size": shares})]
    since = f"{desk.request.moment.date() - timedelta(days=365)}"
    looked = yield from desk.run(*(DeskCall("market.actions", {"symbol": symbol}) for symbol, _ in held))
    sums: dict[str, float] = {}
    lines, none, unknown, simulated = [], [], [], False
    for (symbol, each), found in zip(held, looked, strict=True):
        if found.failure is not None:
            unknown.append(name_position(desk, symbol, each))
            continue
        simulated = simulated or bool(found.get("simulated"))
        rows = [row for row in wording.rows_of(found, "actions") if row.get("cash") and str(row.get("date")) > since]
        cash = sum(float(row["cash"]) for row in rows)
        currency, amount = str(each.get("currency") or ""), cash * float(each["size"])
        if not amount:
            none.append(name_position(desk, symbol, each))
        else:
            sums[currency] = sums.get(currency, 0.0) + amount
            lines.append(
                speak("- {name}: {cash} a share × {shares} = {amount}", name=name_position(desk, symbol, each),
                      cash=f"{cash:.10g}", shares=number(float(each["size"]), "shares"),
                      amount=_say_amount(desk, amount, currency))
            )  # fmt: skip
    told = speak.join_clauses([_say_amount(desk, value, currency) for currency, value in sums.items()])
    head = (
        speak("**{sums}** before tax: the dividends of the last 12 months on so many shares.{mark}",
              sums=told, mark=wording.simulated_mark(desk, simulated))
        if sums and size is not None
        else speak("**{sums}** before tax: the dividends of the last 12 months on the shares that you hold now.{mark}",
                   sums=told, mark=wording.simulated_mark(desk, simulated))
        if sums
        else speak("In the last 12 months nothing that you hold now paid a dividend.{mark}",
                   mark=wording.simulated_mark(desk, simulated))
    )  # fmt: skip
    if none:
        lines.append(speak("None in that time: {names}.", names=speak.join_items(none)))
    if unknown:
        lines.append(speak("Dividends unknown: {names}.", names=speak.join_items(unknown)))
    converted = yield from _convert_sums(desk, asked, sums)
    return reply_of_lines(head, *converted, *lines[:SHOWN], speak("What comes next is not known; I give no forecast."))


def _convert_sums(desk: ToolDesk, asked: FactQuestion, sums: dict[str, float]) -> Work[list[str]]:
    """Return sums of several currencies as one in the currency that is asked for; [] where none is, or none is needed.

    sums  amounts by currency
    """
    base = next(iter(find_currencies(asked.words)), "")
    if not base or not set(sums) - {base}:
        return []
    total = sums.get(base, 0.0)
    for currency in sorted(set(sums) - {base}):
        rate = yield from wording.load_rate(desk, currency, base)
        if rate is None:
            return [wording.foreign_currency(desk, asked.words, asked.securities)]
        total += sums[currency] * float(rate["rate"])
    return [desk.speak("Together **{total}** at today's rates.", total=_say_amount(desk, total, base))]


def answer_followed(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which trades were entered against the rules."""
    loaded = yield from _load_journal(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    speak, (rows, _) = desk.speak, loaded
    if not rows:
        return reply_of_lines(speak("The journal has no such trade."))
    against = [row for row in rows if row.get("breaches") or row.get("override")]
    given: Json = {"count": len(against), "all": len(rows), "first": rows[0]["date"], "last": rows[-1]["date"]}
    if not against:
        return reply_of_lines(speak("None of {all} trades ({first} – {last}) went against a rule.", **given))
    return reply_of_lines(
        speak(
            PluralText(
                "**{count}** of {all} trade ({first} – {last}) went against a rule:",
                "**{count}** of {all} trades ({first} – {last}) went against a rule:",
                by="all",
            ),
            **given,
        ),
        *(
            f"- {name_position(desk, str(row.get('symbol')), row)}{speak(': ')}{account_facts.say_trade(desk, row)}"
            for row in against[-SHOWN:]
        ),
    )


def answer_may_buy(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the rules allow a purchase now."""
    span, today = wording.other_day(asked, desk.request.day), desk.request.moment.date()
    ahead = (span.first - today).days if span is not None and span.first is not None else 0
    if span is not None and not 0 < ahead <= _NEXT_DAYS:
        return reply_of_lines(desk.speak("Your rules I check as of now, not for “{time}”.", time=span.said))
    size, named = find_size(strip_mentions(asked.words[:LONGEST])), asked.securities[:3]
    quantity = size.shares_of(named[0].symbol) if size and named else None
    _, price, _, unread = read_order(strip_mentions(asked.words[:LONGEST]))
    if unread:
        return wording.ask_back(desk, tuple(unread))
    enough = (yield from _say_enough(desk, named[0], quantity, price)) if _ENOUGH.search(asked.words) and named else []
    rules = yield from risk_rules.check_buy(
        desk, *(m.code for m in named), quantity=quantity, price=price if len(named) == 1 else None
    )
    lines = [*enough, *rules]
    if not lines:
        lines = [desk.speak("No risk rules are in force yet: they begin with the first entry of the ledger.")]
    elif span is not None:
        lines.append(desk.speak("That is as of now; prices of “{time}” are not known: check again before you buy.",
                                time=span.said))  # fmt: skip
    return reply_of_lines(*lines)


_ENOUGH = pattern(
    r"(?:钱|现金|资金|余额)[^，,。]{0,6}够|够[^，,。]{0,4}(?:钱|现金|资金)|买得起|够(?:不够)?(?:再)?买"
    r"|\benough (?:money|cash)\b|\bafford\b",
    re.I,
)
"""Words that ask whether the cash suffices for a purchase."""


def _say_enough(desk: ToolDesk, mention: Mention, quantity: float | None, price: float | None) -> Work[list[str]]:
    """Return whether the cash there is suffices for a purchase with its fees; nothing where that is not known."""
    if not quantity or quantity != int(quantity):
        return []
    given: Json = {"symbol": mention.code, "action": "buy", "quantity": int(quantity)}
    check = yield from desk.one("risk.check", **given, **({"price": price} if price else {}))
    row: Json = check.value if check.ok and isinstance(check.value, dict) else {}
    amount, fees, after = (wording.figure_of(row, key) for key in ("amount", "fees", "cash_after"))
    if amount is None or fees is None or after is None:
        return []
    currency = str(row.get("currency") or "")
    told: Json = {
        "name": wording.head_of(desk, mention),
        "shares": number(quantity, "shares"),
        "price": number(wording.figure_of(row, "price"), "price", desk.speak),
        "needed": wording.say_exact(desk, amount + fees, currency=currency),
        "cash": wording.say_exact(desk, after + amount + fees, currency=currency),
        "mark": wording.simulated_mark(desk, row.get("simulated")),
    }
    if after >= 0:
        return [desk.speak("{name}: **enough**: {shares} at {price} take {needed} with fees, and the cash is"
                           " {cash}.{mark}", **told)]  # fmt: skip
    return [desk.speak("{name}: **not enough**: {shares} at {price} take {needed} with fees, and the cash is"
                       " {cash}.{mark}", **told)]  # fmt: skip


_NEXT_DAYS = 4
"""Days ahead for which the rules are checked as of now: tomorrow, or Monday."""


def answer_sell_or_hold(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer a question for a sale with what is known: the position, its reason, and the stop."""
    speak = desk.speak
    stop = yield from holding_facts.answer_own_stop(desk, asked)
    lines = []
    status = yield from desk.one("account.status")
    held = wording.objects_of(status, "positions")
    weights = yield from load_weights(desk, status)
    for mention in asked.securities[:2]:
        position, head = held.get(mention.code), wording.head_of(desk, mention)
        if position is None:
            continue
        lines.append(
            speak(
                "{name}: you hold {shares} shares, {profit} ({rate}) at {price}, {weight}.",
                name=head,
                shares=number(float(position["size"]), "shares"),
                profit=wording.say_exact(
                    desk, position.get("unrealized_pnl"), signed=True, currency=str(position.get("currency") or "")
                ),
                rate=wording.say_percent(position.get("unrealized_pct")),
                price=number(position.get("current_price"), "price", speak),
                weight=say_weight(desk, mention.code, position, weights),
            )
        )
        rows = yield from desk.one("trade.list", symbol=mention.code, limit=LIMIT)
        bought = [row for row in account_facts.entries_within(rows.value, []) if row.get("kind") == "buy"]
        if bought:
            told = [account_facts.say_trade(desk, row) for row in bought[:SHOWN]]
            if len(bought) > SHOWN:
                told.append(
                    speak("{count} more: `ia trade list {symbol}`", count=len(bought) - SHOWN, symbol=mention.code)
                )
            lines.append(
                speak(
                    PluralText("Your purchase: {trades}.", "Your {count} purchases: {trades}."),
                    count=len(bought),
                    trades=speak.join_clauses(told),
                )
            )
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
