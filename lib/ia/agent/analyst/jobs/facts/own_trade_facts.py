"""Prices at the owner's own trades: what a security stood at on that day, and how it went on after each sale."""

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import closes_of
from ia.agent.analyst.jobs.facts import market_days, result_facts, wording
from ia.agent.analyst.jobs.facts.account_facts import say_trade
from ia.agent.analyst.jobs.facts.held import load_held, name_position
from ia.agent.analyst.jobs.facts.journal_rows import LIMIT, load_trades, trades_of
from ia.agent.analyst.jobs.facts.share_changes import load_share_changes
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 4
SALES = 8
_BOUGHT = pattern(r"买|建仓|加仓|入手|\b(?:buy|bought|purchas\w*)\b", re.I)
_FIRST = pattern(r"第一次|首次|最早|最初|\bfirst\b", re.I)
_LAST = pattern(r"最后一次|最近一次|上一?次|\blast\b", re.I)
_THAT_DAY = pattern(r"那一?[天日时]|当[天日时]|那个时候|(?:on )?(?:that|the same) day", re.I)
"""Words that point at the day of the trade."""
_SOLD = pattern(r"卖|清仓|减仓|\b(?:sell|sold|sale)\b", re.I)


def answer_traded_price(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer at what price the owner traded a security, its close of that day, and its price now."""
    speak, lines = desk.speak, list[str]()
    if unread := tuple(word for word in asked.unread if not _THAT_DAY.fullmatch(word)):
        return wording.ask_back(desk, unread)
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    words = strip_mentions(asked.words)
    kinds = [kind for form, kind in ((_BOUGHT, "buy"), (_SOLD, "sell")) if form.search(words)]
    for mention in asked.securities[:2]:
        rows, result = yield from load_trades(desk, mention)
        if result.failure is not None:
            return wording.unreadable(desk, speak("the journal"), result.failure)
        rows = [row for row in rows if result_facts.is_within(row, days)]
        rows = [row for row in rows if row.get("kind") in kinds]
        rows = rows[:1] if _FIRST.search(words) else rows[-1:] if _LAST.search(words) else rows
        lines += yield from _say_prices(desk, mention, rows, words)
    return reply_of_lines(*lines)


_WEEKDAY = pattern(r"(?:星期|礼拜|周)几|\b(?:weekday|day of the week)\b", re.I)


def _weeks_before(day: str) -> str:
    """Return a day early enough for the session before a day to lie between, whatever holidays there are."""
    return f"{date.fromisoformat(day) - timedelta(days=21)}"


def _change_of(found: DeskResult, day: str) -> str:
    """Return how a price moved on a day, in brackets; "" where that is not known."""
    closes = closes_of(found.value) if found.ok else []
    if len(closes) < 2 or closes[-1][0] != day:
        return ""
    return f" ({wording.say_percent(closes[-1][1] / closes[-2][1] * 100 - 100)})"


def _say_prices(desk: ToolDesk, mention: Mention, rows: list[Json], words: str) -> Work[list[str]]:
    """Return the price of each trade with the close of its day, the newest first, and the price now."""
    speak, head = desk.speak, wording.head_of(desk, mention)
    if not rows:
        return [speak("{name}: the journal has no such trade.", name=head)]
    shown = rows[::-1][:SHOWN]
    dates = list(dict.fromkeys(str(row["date"]) for row in shown))
    *found, newest = yield from desk.run(
        *(
            DeskCall("market.ohlcv", {"symbol": mention.code, "start": day, "end": day, "adjust": "none"})
            for day in dates
        ),
        *(
            DeskCall("market.ohlcv", {"symbol": mention.code, "start": _weeks_before(day), "end": day, "adjust": "qfq"})
            for day in dates
        ),
        DeskCall("market.ohlcv", {"symbol": mention.code, "tail": 1, "adjust": "none"}),
    )
    looked, moved = found[: len(dates)], found[len(dates) :]
    changes = {day: _change_of(each, day) for day, each in zip(dates, moved, strict=True)}
    closes = {
        day: dict(closes_of(each.value)).get(day) if each.ok else None for day, each in zip(dates, looked, strict=True)
    }
    told = []
    for row in shown:
        close = closes[str(row["date"])]
        trade = say_trade(desk, row)
        if _WEEKDAY.search(words):
            day = market_days.WEEKDAYS[date.fromisoformat(str(row["date"])).weekday()]
            trade = speak("{weekday}, {trade}", weekday=speak(day), trade=trade)
        told.append(
            speak("**{trade}**; no bar of that day is stored", trade=trade)
            if close is None
            else speak(
                "**{trade}**; it closed at {close} that day{change}",
                trade=trade,
                close=number(close, "price", speak),
                change=changes[str(row["date"])],
            )
        )
    lines = [f"{head}{speak(': ')}{told[0]}"] if len(told) == 1 else [head, *(f"- {each}" for each in told)]
    if len(rows) > SHOWN:
        lines.append(speak("{count} more: `ia trade list {symbol}`", count=len(rows) - SHOWN, symbol=mention.code))
    if now := (closes_of(newest.value) if newest.ok else []):
        lines.append(
            speak("Now {price} ({date}). Prices as traded, not adjusted.{mark}",
                  price=number(now[-1][1], "price", speak), date=now[-1][0],
                  mark=wording.simulated_mark(desk, newest.get("simulated")))
        )  # fmt: skip
    return lines


class _Sale(NamedTuple):
    """One sale: how it is told, and what its shares would be worth more today; None where that is not known."""

    told: str
    more: float | None
    currency: str


_COUNT_SOLD = pattern(r"(?<![\d.,])(?P<n>\d[\d,]*)(?=\s*(?:股|shares?\b|[a-z ]))", re.I)
"""How many shares the sale that is meant was of."""


def answer_after_sale(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how the price has moved since each sale, and what the shares sold would be worth more: no advice."""
    speak, today = desk.speak, desk.request.moment.date()
    asked = replace(asked, spans=tuple(each for each in asked.spans if each.kind != DAY or each.first != today))
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    named = [mention.code for mention in asked.securities]
    symbols = [{"symbol": code, "limit": LIMIT} for code in named]
    looked = yield from desk.run(
        *(DeskCall("trade.list", args) for args in symbols or [{"limit": LIMIT}]),
        DeskCall("account.status", {}),
    )
    *listed, status = looked
    if failed := next((each.failure for each in listed if each.failure is not None), None):
        return wording.unreadable(desk, speak("the journal"), failed)
    sold = [row for each in listed for row in trades_of(each) if row.get("kind") == "sell"]
    sold = [row for row in sold if result_facts.is_within(row, days)]
    meant = _COUNT_SOLD.search(strip_mentions(asked.words))
    if unread := tuple(word for word in asked.unread if meant is None or word != meant["n"]):
        return wording.ask_back(desk, unread)
    if meant is not None and sold:
        count = float(meant["n"].replace(",", ""))
        sold = [row for row in sold if float(row["quantity"]) == count]
        if not sold:
            return reply_of_lines(
                speak("{name}: the journal has no sale of {shares} shares.", shares=number(count, "shares"),
                      name=speak.join_items([wording.head_of(desk, each) for each in asked.securities]) or "–")
            )  # fmt: skip
    known = {str(row["symbol"]) for row in sold}
    lines = [
        speak("{name}: the journal has no sale of it.", name=wording.head_of(desk, mention))
        for mention in asked.securities
        if mention.code not in known
    ]
    if not sold:
        return reply_of_lines(*(lines or [speak("The journal has no sale.")]))
    shown = sorted(sold, key=lambda row: str(row["date"]), reverse=True)[:SALES]
    held = wording.objects_of(status, "positions")
    prices = yield from _load_prices(desk, list(dict.fromkeys(str(row["symbol"]) for row in shown)))
    factors = {}
    for symbol in prices:
        size = float(held.get(symbol, {}).get("size") or 0)
        factors[symbol] = (yield from load_share_changes(desk, symbol, size)).factor_since
    alone = len(shown) == 1
    sales = [
        _say_sale(desk, row, prices[str(row["symbol"])], factors[str(row["symbol"])](str(row["date"])), alone=alone)
        for row in shown
    ]
    if alone:
        return reply_of_lines(*lines, sales[0].told)
    mark = wording.simulated_mark(desk, any(each.get("simulated") for each in prices.values()))
    up = sum(1 for each in sales if each.more is not None and each.more > 0)
    lines.append(
        speak(PluralText("**{up} of {count} sale** stands below the price now; fees aside.{mark}",
                         "**{up} of {count} sales** stand below the price now; fees aside.{mark}", by="count"),
              up=up, count=len(sales), mark=mark)
    )  # fmt: skip
    lines += [f"- {each.told}" for each in sales]
    if len(sold) > SALES:
        lines.append(speak("The newest {count} of {all} sales.", count=SALES, all=len(sold)))
    return reply_of_lines(*lines)


_WORST_FIRST = pattern(r"\bworst first\b|最差在前", re.I)


def answer_purchases_now(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how each purchase stands against the price now, the best or worst first; of days or securities named."""
    speak = desk.speak
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    named = {mention.code for mention in asked.securities}
    listed, status = yield from desk.run(DeskCall("trade.list", {"limit": LIMIT}), DeskCall("account.status", {}))
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    rows = [row for row in trades_of(listed) if row.get("kind") == "buy" and result_facts.is_within(row, days)]
    rows = [row for row in rows if not named or row["symbol"] in named]
    if not rows:
        return reply_of_lines(speak("The journal has no such trade."))
    if len(wording.rows_of(listed.value)) >= LIMIT:
        desk.last_lines.append(speak("Only the newest {count} entries of the journal are read.", count=LIMIT))
    held, worst = wording.objects_of(status, "positions"), _WORST_FIRST.search(asked.words) is not None
    return (yield from say_purchases_now(desk, rows, held, worst_first=worst))


def say_purchases_now(
    desk: ToolDesk, rows: list[Json], held: dict[str, Json], *, only: str = "", worst_first: bool = False
) -> Work[Reply]:
    """Return how purchases stand against the price now, the best first unless the worst is wanted so.

    only  "profit" or "loss": those alone, the furthest first
    """
    speak = desk.speak
    prices = yield from _load_prices(desk, list(dict.fromkeys(str(row["symbol"]) for row in rows)))
    told = list[tuple[float, str]]()
    for row in rows:
        symbol, newest = str(row["symbol"]), prices[str(row["symbol"])]
        size = float(held.get(symbol, {}).get("size") or 0)
        factor = (yield from load_share_changes(desk, symbol, size)).factor_since(str(row["date"]))
        name = f"- {name_position(desk, symbol, row)}{speak(': ')}{say_trade(desk, {**row, 'reason': ''})}"
        if factor is None or newest["price"] is None:
            told.append((float("-inf"), speak("{trade}; the change since is not known", trade=name)))
            continue
        then, price = float(row["price"]) / factor, float(newest["price"])
        gain = wording.say_exact(desk, (price - then) * float(row["quantity"]) * factor, signed=True,
                                 currency=str(row.get("currency") or ""))  # fmt: skip
        line = speak(
            "{trade}; now {price} ({date}): **{change}**, {gain}",
            trade=name,
            date=newest["day"],
            gain=gain,
            change=wording.say_percent(price / then * 100 - 100),
            price=number(price, "price", speak),
        )
        told.append((price / then, line if size else line + speak(" (sold since)")))
    sign = 1 if only == "loss" or worst_first else -1
    told.sort(key=lambda each: sign * each[0] if each[0] > float("-inf") else float("inf"))
    whole, mark = told, wording.simulated_mark(desk, any(each.get("simulated") for each in prices.values()))
    if only:
        told = [each for each in told if (each[0] > 1 if only == "profit" else 0 < each[0] < 1)]
    losing = speak(
        PluralText(
            "**{count} of {all} purchase** is at a loss at the price now; fees aside.{mark}",
            "**{count} of {all} purchases** are at a loss at the price now; fees aside.{mark}",
            by="all",
        ),
        count=len(told),
        all=len(whole),
        mark=mark,
    )
    head = (
        losing
        if only == "loss"
        else speak(
            PluralText(
                "**{up} of {count} purchase** is in profit at the price now; fees aside.{mark}",
                "**{up} of {count} purchases** are in profit at the price now; fees aside.{mark}",
                by="count",
            ),
            up=sum(rate > 1 for rate, _ in whole),
            count=len(whole),
            mark=mark,
        )
    )
    more = [speak("… {count} more: `ia trade list`", count=len(told) - SALES)] if len(told) > SALES else []
    return reply_of_lines(head, *(line for _, line in told[:SALES]), *more)


def _load_prices(desk: ToolDesk, symbols: list[str]) -> Work[dict[str, Json]]:
    """Return the newest price of each security, with its day; neither where there is none."""
    found = yield from desk.run(
        *(DeskCall("market.ohlcv", {"symbol": each, "tail": 1, "adjust": "none"}) for each in symbols)
    )
    prices: dict[str, Json] = {}
    for symbol, bars in zip(symbols, found, strict=True):
        closes = closes_of(bars.value) if bars.ok else []
        day, price = closes[-1] if closes else ("", None)
        prices[symbol] = {"day": day, "price": price, "simulated": bool(bars.get("simulated"))}
    return prices


def _say_sale(desk: ToolDesk, row: Json, newest: Json, factor: float | None, *, alone: bool) -> _Sale:
    """Return how the price has moved since a sale, and what its shares would be worth more.

    factor  what one share sold would have become; None where that is not known
    """
    speak, currency = desk.speak, str(row.get("currency") or "")
    code, trade = str(row["symbol"]), say_trade(desk, row)
    name = wording.head_of(desk, Mention(symbol_of_kind(code), code)) if alone else name_position(desk, code, row)
    if newest["price"] is None:
        return _Sale(speak("{name}: {trade}; no price of it is stored.", name=name, trade=trade), None, currency)
    if factor is None:
        told = speak("{name}: {trade}; bonus shares or splits came between, so the change since is not known.",
                     name=name, trade=trade)  # fmt: skip
        return _Sale(told, None, currency)
    shares, then, price = float(row["quantity"]) * factor, float(row["price"]) / factor, float(newest["price"])
    more = (price - then) * shares
    given: Json = {
        "name": name,
        "change": wording.say_percent(price / then * 100 - 100),
        "trade": trade,
        "price": number(price, "price", speak),
        "date": newest["day"],
        "amount": wording.say_exact(desk, abs(more), currency=currency),
        "worth": wording.say_exact(desk, price * shares, currency=currency),
        "mark": wording.simulated_mark(desk, newest["simulated"]),
    }
    if alone and more > 0:
        told = speak("{name}: **{change}** since the sale ({trade}); now {price} ({date}). Kept, these shares would be"
                     " worth {worth}, {amount} more, fees aside.{mark}", **given)  # fmt: skip
    elif alone:
        told = speak("{name}: **{change}** since the sale ({trade}); now {price} ({date}). Kept, these shares would"
                     " be worth {worth}, {amount} less, fees aside.{mark}", **given)  # fmt: skip
    elif more > 0:
        told = speak("{name}: {trade}; now {price} ({date}), **{change}**: kept, {amount} more", **given)
    else:
        told = speak("{name}: {trade}; now {price} ({date}), **{change}**: kept, {amount} less", **given)
    return _Sale(told, more, currency)


def answer_held_since(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which holding rose or fell most against what was paid for it: all of them in their order, in percent."""
    speak, worst = desk.speak, asked.facts[0].field == "worst"
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    known = [pair for pair in held if pair[1].get("unrealized_pct") is not None]
    order = sorted(known, key=lambda pair: float(pair[1]["unrealized_pct"]), reverse=not worst)
    if not order:
        return reply_of_lines(speak("No price is known of what is held."))
    desk.ranked.append(order[0][0])
    told = [
        speak("{name} {change} ({money}): cost {cost}, now {price} ({date})",
              name=name_position(desk, symbol, each) if at else f"**{name_position(desk, symbol, each)}**",
              change=wording.say_percent(each["unrealized_pct"]),
              money=wording.say_exact(desk, each.get("unrealized_pnl"), signed=True,
                                      currency=str(each.get("currency") or "")),
              cost=number(each.get("avg_price"), "price", speak),
              price=number(float(each["current_price"]), "price", speak), date=each.get("price_date"))
        for at, (symbol, each) in enumerate(order[:SALES])
    ]  # fmt: skip
    rest = [name_position(desk, symbol, each) for symbol, each in held if each.get("unrealized_pct") is None]
    return reply_of_lines(
        f"{told[0]}{wording.simulated_mark(desk, status.get('simulated'))}",
        *(f"- {each}" for each in told[1:]),
        *([speak("Not known of: {names}.", names=speak.join_items(rest))] if rest else []),
        speak("Against the average cost of each, fees included."),
    )


ANSWERS = {
    "traded_price": answer_traded_price,
    "after_sale": answer_after_sale,
    "held_since": answer_held_since,
    "purchases_now": answer_purchases_now,
}
