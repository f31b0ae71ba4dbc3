"""A trade that the owner reports becomes a proposed entry of the journal; nothing is entered before it is approved."""

from collections.abc import Callable
from datetime import date

from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.told_trades import ToldTrade, parse_payment, parse_trades
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs import risk_rules
from ia.agent.analyst.jobs.facts import account_facts, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.i18n import mark_text

_BUY, _SELL = "buy", "sell"
_UNQUOTED = str.maketrans(dict.fromkeys('"`$\\', "'"))
"""What ends a quotation in a shell, or runs something in it."""
_FAR = 1.7
"""A sum that is so many times away from every price of a day is not a price."""
_NO_PRICE = 10
"""What is so many times the price of a day is no price, whatever the words say."""


def propose_entry(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Propose the entry of a trade that was made, or ask for what is missing."""
    speak, today = desk.speak, desk.request.moment.date()
    if not wanted.securities:
        yield from ()
        return reply_of_lines(
            speak("Which security was it? Nothing is journalled. Write its full name or its code, such as 600519.")
        )
    trades = parse_trades(wanted.words, wanted.securities, today)
    if len(trades) > 1:
        yield from ()
        commands = [f"- `{_command(desk, each, today)}`" for each in trades]
        return reply_of_lines(
            speak("These are several trades; nothing is journalled. Tell them one at a time, or enter them:"), *commands
        )
    trade = trades[0]
    bar = yield from _find_bar(desk, trade, today)
    trade = _settle_total(trade, bar)
    if trade.unread or trade.price is None or not (trade.shares or trade.part):
        return reply_of_lines(*_ask_missing(desk, trade, today))
    if (closed := _closed_day(desk, trade, bar, today)) is not None:
        return reply_of_lines(*closed)
    warned = _warn_of_price(desk, trade, bar)
    if trade.day != today:
        return reply_of_lines(
            speak(
                "A trade of another day you enter yourself; nothing is journalled yet: `{command}`",
                command=_command(desk, trade, today),
            ),
            *warned,
        )
    if trade.part and trade.part != "all":
        return reply_of_lines(
            speak("A part of what you hold you enter yourself: `{command}`", command=_command(desk, trade, today)),
            *warned,
        )
    made = yield from desk.one("trade.execute", **_order(trade))
    return reply_of_lines(*_say_outcome(desk, trade, made, today), *warned)


def _order(trade: ToldTrade) -> dict[str, object]:
    """Return the arguments of the proposal."""
    side = _SELL if trade.selling else _BUY
    size = {"action": "close"} if trade.part else {"action": side, "quantity": trade.shares}
    told = {"symbol": trade.mention.code, "order_type": "limit", "price": trade.price, "reason": trade.reason}
    told |= {} if trade.bare else {"made": True}
    return {**size, **told}


def _find_bar(desk: ToolDesk, trade: ToldTrade, today: date) -> Work[DeskResult | None]:
    """Return the newest bar up to the day of a trade, unadjusted; None where no day is known or none is to be had."""
    if trade.day is None:
        return None
    found = yield from desk.one("market.ohlcv", symbol=trade.mention.code, end=f"{trade.day}", tail=1, adjust="none")
    return found if found.ok and wording.bars_of(found) else None


def _settle_total(trade: ToldTrade, bar: DeskResult | None) -> ToldTrade:
    """Return a trade whose `for 2,500` is the price of one share, or of all: whichever is near the price of then.

    What was told as a price but is a sum by the prices of that day counts as the sum.
    """
    said = trade.total if trade.total is not None else trade.price
    if said is None:
        return trade
    rows = wording.bars_of(bar) if bar is not None else []
    if rows and trade.shares:
        near = [
            price
            for price in (said, said / trade.shares)
            if float(rows[-1][3]) / _FAR < price < float(rows[-1][2]) * _FAR
        ]
        if len(near) == 1:
            return ToldTrade(**{**trade.__dict__, "price": float(f"{near[0]:.6g}"), "total": None})
    if trade.total is None and not (rows and said > float(rows[-1][2]) * _NO_PRICE):
        return trade
    return ToldTrade(**{**trade.__dict__, "unread": (*trade.unread, f"{said:.10g}"), "total": None, "price": None})


def _command(desk: ToolDesk, trade: ToldTrade, today: date) -> str:
    """Return the command that enters a trade, with words in the place of what is missing."""
    speak = desk.speak
    size = trade.part or (speak("SHARES") if trade.shares is None else f"{trade.shares:.10g}")
    price = speak("PRICE") if trade.price is None else _price(trade.price)
    line = f"ia trade {_SELL if trade.selling else _BUY} {trade.mention.code} {size} {price}"
    if trade.day != today:
        line += f" --date {trade.day or 'YYYY-MM-DD'}"
    reason = trade.reason.translate(_UNQUOTED)
    return line + (f' --because "{reason}"' if reason else "")


def _price(value: float) -> str:
    """Return a price with its cents: 25.30."""
    return f"{value:.2f}" if round(value, 2) == value else f"{value:.10g}"


def _ask_missing(desk: ToolDesk, trade: ToldTrade, today: date) -> list[str]:
    """Return what a report leaves open, and the command that enters the trade."""
    speak = desk.speak
    missing = [speak("how many shares")] * (not (trade.shares or trade.part))
    missing += [speak("the price of a share")] * (trade.price is None)
    head = wording.head_of(desk, trade.mention)
    lines = []
    if trade.unread:
        words = speak.join_items([speak('"{word}"', word=word.strip()) for word in trade.unread])
        lines.append(speak("{name}: I did not understand {words}, so nothing is journalled.", name=head, words=words))
    elif trade.amount:
        lines.append(
            speak(
                "{name}: {amount} is an amount; the journal needs the shares and their price. Nothing is journalled.",
                name=head,
                amount=f"{trade.amount:,.10g}",
            )
        )
    else:
        told = speak.join_items(missing)
        lines.append(
            speak("{name}: {missing} did not come out of that, so nothing is journalled.", name=head, missing=told)
        )
    return [
        *lines,
        speak(
            'Say it as "I bought 100 {security} at 78.5", or enter it: `{command}`',
            security=trade.mention.said,
            command=_command(desk, trade, today),
        ),
    ]


def _closed_day(desk: ToolDesk, trade: ToldTrade, bar: DeskResult | None, today: date) -> list[str] | None:
    """Return the question for the day where the one that was told had no session; None where it may have had one."""
    if trade.day is None:
        return [
            desk.speak("On which day? Nothing is journalled yet: `{command}`", command=_command(desk, trade, today))
        ]
    rows = wording.bars_of(bar) if bar is not None else []
    newest = rows[-1][0] if rows else ""
    weekend = trade.day.weekday() > 4
    if not weekend and (trade.day == today or not newest or newest == f"{trade.day}"):
        return None
    last = ToldTrade(**{**trade.__dict__, "day": date.fromisoformat(newest)}) if newest else trade
    return [
        desk.speak(
            "{name} was not traded on {day} ({weekday}): which day was it? Nothing is journalled yet.",
            name=wording.head_of(desk, trade.mention),
            day=trade.day,
            weekday=desk.speak(_WEEKDAYS[trade.day.weekday()]),
        ),
        *(
            [
                desk.speak(
                    "If it was the session before, {day}: `{command}`", day=newest, command=_command(desk, last, today)
                )
            ]
            if newest
            else []
        ),
    ]


_WEEKDAYS = (
    mark_text("Monday"), mark_text("Tuesday"), mark_text("Wednesday"), mark_text("Thursday"), mark_text("Friday"),
    mark_text("Saturday"), mark_text("Sunday"),
)  # fmt: skip


def _warn_of_price(desk: ToolDesk, trade: ToldTrade, bar: DeskResult | None) -> list[str]:
    """Return a warning where the price is outside of what was paid on that day."""
    rows = wording.bars_of(bar) if bar is not None else []
    if not rows or rows[-1][0] != f"{trade.day}" or trade.price is None or bar is None:
        return []
    high, low = float(rows[-1][2]), float(rows[-1][3])
    if low <= trade.price <= high:
        return []
    return [
        desk.speak(
            "Check the price: on {day} it was between {low} and {high}, and {price} is not.{mark}",
            day=trade.day,
            low=_price(low),
            high=_price(high),
            price=_price(trade.price),
            mark=wording.simulated_mark(desk, bar.get("simulated")),
        )
    ]


def _say_outcome(desk: ToolDesk, trade: ToldTrade, made: DeskResult, today: date) -> list[str]:
    speak, command = desk.speak, _command(desk, trade, today)
    if made.failure is not None:
        return [
            speak("Not journalled: {error}", error=describe_failure(speak, made.failure)),
            speak("Enter it yourself: `{command}`", command=command),
        ]
    if made.get("status") == "rejected":
        refused = speak("Not journalled: {error}", error=risk_rules.describe_rejection(desk, made))
        if risk_rules.is_more_than_held(made):
            return [
                refused,
                speak("`ia trade sell` refuses it, too: enter the purchase that the journal lacks, or correct the"
                      " number (`ia trade list {code}` shows what is entered).", code=trade.mention.code),
            ]  # fmt: skip
        return [refused, speak("It has happened? Then: `{command}`", command=command)]
    order = made.get("order")
    shares = trade.shares or (order.get("quantity") if isinstance(order, dict) else None) or 0
    given = {
        "name": wording.head_of(desk, trade.mention), "shares": f"{shares:,.10g}", "price": _price(trade.price or 0)
    }  # fmt: skip
    told = (
        speak("{name}: sold {shares} at {price}, proposed for the journal.", **given)
        if trade.selling
        else speak("{name}: bought {shares} at {price}, proposed for the journal.", **given)
    )
    return [
        told + (speak(" Reason: {reason}.", reason=trade.reason) if trade.reason else ""),
        speak("`ia approve {number}` enters it, `ia reject {number}` drops it.", number=made.get("order_id")),
        *([speak("ia places no orders: approve it once the trade is done.")] if trade.bare else []),
    ]


def hint_payment(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Name the command that enters money which was brought in, taken out or received."""
    speak, today = desk.speak, desk.request.moment.date()
    told = parse_payment(wanted.words, today)
    yield from ()
    if told is None:
        return reply_of_lines(speak("Nothing is entered: how much money was it?"))
    amount = speak("AMOUNT") if told.amount is None else f"{told.amount:.10g}"
    symbol = f" {wanted.securities[0].code}" if wanted.securities else f" {speak('SYMBOL')}"
    command = f"ia trade {told.kind}{symbol if told.kind == 'dividend' else ''} {amount}"
    command += f" --currency {told.currency}" if told.currency != "CNY" and told.kind != "dividend" else ""
    command += f" --date {told.day or 'YYYY-MM-DD'}" if told.day != today else ""
    lines = [
        speak("On which day? Nothing is entered yet: `{command}`", command=command)
        if told.day is None
        else speak("Money you enter yourself; nothing is entered yet: `{command}`", command=command)
    ]
    if told.kind == "dividend":
        lines.append(
            speak("Dividends that are in the market data count by themselves; one that you enter replaces that one.")
        )
    return reply_of_lines(*lines)


def deny_trade(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Say that a trade which was not made is not entered, and the newest of its side that the journal has."""
    speak, lines = desk.speak, list[str]()
    for mention in wanted.securities[:1]:
        lines += yield from _newest_entry(desk, mention, wanted.words)
    return reply_of_lines(speak("Then there is nothing to enter: the journal stays as it is."), *lines)


def _newest_entry(desk: ToolDesk, mention: Mention, words: str) -> Work[list[str]]:
    speak = desk.speak
    (result,) = yield from desk.run(DeskCall("trade.list", {"symbol": mention.code, "limit": 20}))
    listed = [row for row in wording.rows_of(result.value) if row.get("kind") in (_BUY, _SELL)]
    rows = account_facts.one_side(listed, words)
    name = wording.head_of(desk, mention)
    if not rows:
        return [speak("{name}: the journal has no such trade.", name=name)] if result.ok else []
    return [
        speak(
            "{name}: the newest such trade in the journal: {trade}. All: `ia trade list {symbol}`",
            name=name,
            trade=account_facts.say_trade(desk, rows[0]),
            symbol=mention.code,
        )
    ]


KINDS: dict[str, Callable[[ToolDesk, Intent], Work[Reply]]] = {
    "traded": propose_entry,
    "paid": hint_payment,
    "not_traded": deny_trade,
}
