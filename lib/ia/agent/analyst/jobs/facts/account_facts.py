"""Facts of the owner's account: cash, profit, positions, trades and their reasons."""

from datetime import timedelta

from ia.agent.analyst.ask.facts import FactQuestion, security_table
from ia.agent.analyst.ask.time_spans import DAY, TimeSpan
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.study import read_value
from ia.agent.analyst.jobs import results
from ia.agent.analyst.jobs.daily import positions_of
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.jsontypes import Json

SHOWN = 8
LIMIT = 200
"""Entries that the tools of the ledger return at most."""
_BOUGHT, _SOLD = "buy", "sell"


def _is_empty(status: DeskResult) -> bool:
    return not positions_of(status) and not status.get("currencies")


def _say_empty(desk: ToolDesk) -> Reply:
    speak = desk.speak
    return reply_of_lines(
        speak("The ledger is empty: nothing was entered yet."),
        speak(
            "`ia trade deposit AMOUNT` enters money, `ia trade buy SYMBOL QUANTITY PRICE` a purchase, `ia trade import"
            " FILE` reads a broker's statement."
        ),
    )


_BOOK_KEYS = {"cash": "cash", "equity": "equity", "today_pnl": "today_pnl", "total_pnl": "total_pnl",
              "max_drawdown": "max_drawdown", "realized": "realized_pnl", "unrealized": "unrealized_pnl",
              "dividends": "dividends", "fees": "fees", "invested": "invested",
              "positions_value": "positions_value"}  # fmt: skip


def answer_account(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with a figure of the account, one for each currency."""
    speak, spec = desk.speak, asked.facts[0]
    name = wording.fact_name(desk, spec)
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    if _is_empty(status):
        return _say_empty(desk)
    if refused := (yield from _other_time(desk, asked, name)):
        return refused
    if spec.field == "count":
        held = positions_of(status)
        told = [wording.security_name(desk, symbol, position.get("name")) for symbol, position in held]
        return reply_of_lines(
            speak("**{count}** securities are held: {names}.", count=len(held), names=speak.join_items(told))
            if held
            else speak("Nothing is held.")
        )
    books = wording.objects_of(status, "currencies")
    told = [_say_book(desk, spec.field, currency, book) for currency, book in books.items()]
    day = max((str(book.get("day") or "") for book in books.values()), default="")
    mark = wording.simulated_mark(desk, status.get("simulated"))
    lines = [f"**{name}** {speak.join_clauses(told)}{speak(' ({date})', date=day) if day else ''}{mark}"]
    if spec.field in ("equity", "positions_value", "today_pnl", "total_pnl", "unrealized") and status.get("unpriced"):
        lines.append(
            speak(
                "Not counted, for want of a price: {names}.",
                names=speak.join_items(wording.names_of(status.get("unpriced"))),
            )
        )
    if spec.field == "total_pnl":
        lines += _say_parts(desk, books)
    return reply_of_lines(*lines)


def _say_book(desk: ToolDesk, field: str, currency: str, book: Json) -> str:
    value = book.get(_BOOK_KEYS.get(field, "cash"))
    if value is None:
        return desk.speak("unknown ({currency})", currency=currency)
    if field == "cash_share":
        share = (
            float(book["cash"]) / float(book["equity"]) * 100
            if book.get("equity") and book.get("cash") is not None
            else None
        )
        return desk.speak("unknown ({currency})", currency=currency) if share is None else f"{share:.2f}% ({currency})"
    if field == "max_drawdown":
        return f"{-float(value) * 100:.2f}% ({currency})"
    signed = field in ("today_pnl", "total_pnl", "realized", "unrealized")
    return wording.say_money(desk, value, signed=signed, currency=currency)


def _say_parts(desk: ToolDesk, books: dict[str, Json]) -> list[str]:
    """Return of what a profit consists, a line a currency."""
    speak = desk.speak
    return [
        speak(
            "{currency}: realized {realized}, unrealized {unrealized}, dividends {dividends}; {rate} of the {invested}"
            " paid in.",
            currency=currency,
            realized=wording.say_money(desk, book.get("realized_pnl"), signed=True),
            unrealized=wording.say_money(desk, book.get("unrealized_pnl"), signed=True),
            dividends=wording.say_money(desk, book.get("dividends")),
            rate=wording.say_percent(float(book["total_pnl"]) / float(book["invested"]) * 100),
            invested=wording.say_money(desk, book["invested"]),
        )
        for currency, book in books.items()
        if book.get("invested") and book.get("total_pnl") is not None
    ]


def _other_time(desk: ToolDesk, asked: FactQuestion, name: str) -> Work[Reply | None]:
    """Return what the ledger says of a stretch of time, or that it cannot; None where the question is for now."""
    yield from ()
    spec = asked.facts[0]
    span = wording.other_day(asked, desk.request.day)
    if span is None:
        return None
    if spec.field in ("realized", "fees") and span.first is not None:
        return (yield from _sum_over(desk, asked, span, name))
    if spec.field in ("total_pnl", "today_pnl") and span.first is not None and desk.has("account.period"):
        days = (f"{span.first}", f"{span.last or desk.request.day}")
        yield from desk.load_tables("view")
        period = yield from desk.one("account.period", first=days[0], last=days[1])
        lines = yield from results.result_lines(desk, period, *days)
        heading = span.said + desk.speak(": ")
        return reply_of_lines(*(heading + line for line in lines)) if lines else _say_empty(desk)
    return reply_of_lines(
        desk.speak("{name}: the ledger tells it for today and in all, not yet for “{time}”.", name=name, time=span.said)
    )


def _sum_over(desk: ToolDesk, asked: FactQuestion, span: TimeSpan, name: str) -> Work[Reply]:
    """Return fees or realized profit of a stretch of time, summed over the entries in it."""
    speak, field = desk.speak, asked.facts[0].field
    tool = "trade.list" if field == "fees" else "account.history"
    result = yield from desk.one(tool, limit=LIMIT)
    rows = result.value if result.ok and isinstance(result.value, list) else None
    if rows is None:
        return wording.unreadable(desk, speak("the ledger"), result.failure) if result.failure else _say_empty(desk)
    if len(rows) >= LIMIT:
        return reply_of_lines(speak("There are too many entries to sum here: see `ia trade list`."))
    within = [row for row in rows if f"{span.first}" <= str(row.get("date"))[:10] <= f"{span.last}"]
    key = "fees" if field == "fees" else "realized"
    sums: dict[str, float] = {}
    for row in within:
        sums[str(row.get("currency") or "")] = sums.get(str(row.get("currency") or ""), 0.0) + float(row.get(key) or 0)
    told = [
        wording.say_money(desk, round(total, 2), signed=field != "fees", currency=cur) for cur, total in sums.items()
    ]
    return reply_of_lines(
        speak(
            "**{name}** {told} ({first} to {last}, {count} entries)",
            name=name,
            told=speak.join_clauses(told) or "0",
            first=span.first,
            last=span.last,
            count=len(within),
        )
    )


def answer_position(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with what is held of a security: shares, cost, value, weight and profit."""
    speak, lines, field = desk.speak, [], asked.facts[0].field
    status, profit = yield from desk.run(DeskCall("account.status", {}), DeskCall("account.profit", {}))
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    if span := wording.other_day(asked, desk.request.day):
        return reply_of_lines(
            speak("The ledger tells what you hold and have gained now, not for “{time}”.", time=span.said)
        )
    held = dict(positions_of(status))
    gains = {str(row.get("symbol")): row for row in wording.rows_of(profit, "positions")}
    for mention in asked.securities[:SHOWN]:
        position, gain = held.get(mention.code), gains.get(mention.code)
        head = wording.head_of(desk, mention)
        if position is None:
            lines.append(_say_gone(desk, head, gain))
        else:
            lines.append(_say_position(desk, head, field, position, gain))
    return reply_of_lines(*lines)


def _say_gone(desk: ToolDesk, head: str, gain: Json | None) -> str:
    """Return that nothing of a security is held, and what it brought once."""
    if gain is None:
        return desk.speak("{name}: you hold none, and the ledger has no trade in it.", name=head)
    return desk.speak(
        "{name}: you hold none now; it brought {profit} in all.",
        name=head,
        profit=wording.say_money(desk, gain.get("profit"), signed=True, currency=str(gain.get("currency") or "")),
    )


def _say_position(desk: ToolDesk, head: str, field: str, position: Json, gain: Json | None) -> str:
    speak, currency = desk.speak, str(position.get("currency") or "")
    profit = gain.get("profit") if gain else position.get("unrealized_pnl")
    rate = gain.get("profit_rate") if gain else position.get("unrealized_pct")
    told = {
        "size": speak("{shares} shares", shares=number(float(position["size"]), "shares")),
        "avg_price": speak("average cost {cost}", cost=number(position.get("avg_price"), "price", speak)),
        "value": speak(
            "worth {value} at {price} ({date})",
            value=wording.say_money(desk, position.get("value"), currency=currency),
            price=number(position.get("current_price"), "price", speak),
            date=position.get("price_date") or "–",
        ),
        "weight_pct": speak(
            "{weight} of the {currency} account",
            weight="–" if position.get("weight_pct") is None else f"{float(position['weight_pct']):.2f}%",
            currency=currency,
        ),
        "profit": speak(
            "profit {profit} ({rate})",
            profit=wording.say_money(desk, profit, signed=True, currency=currency),
            rate=wording.say_percent(rate),
        ),
    }
    if field == "realized":
        realized = gain.get("realized") if gain else None
        told[field] = speak(
            "realized {profit}", profit=wording.say_money(desk, realized, signed=True, currency=currency)
        )
    first = told.pop(field)
    mark = wording.simulated_mark(desk, position.get("simulated"))
    return (
        speak("{name}: {first}", name=head, first=f"**{first}**")
        + speak("; ")
        + speak.join_clauses(list(told.values()))
        + mark
    )


def answer_trades(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer when and why a security was bought and sold: from the journal, and from what was noted."""
    speak, lines = desk.speak, []
    for mention in asked.securities[:3]:
        result = yield from desk.one("trade.list", symbol=mention.code, limit=100)
        if result.failure is not None:
            return wording.unreadable(desk, speak("the journal"), result.failure)
        rows = _within(result.value, asked)
        head = wording.head_of(desk, mention)
        if not rows:
            lines.append(speak("{name}: the journal has no such trade.", name=head))
            continue
        wanted = asked.facts[0].field
        chosen = [row for row in rows if row.get("reason")] if wanted == "reason" else rows
        if wanted == "reason" and not chosen:
            newest = rows[0]
            lines.append(
                speak(
                    "{name}: the journal has {count} trades in it, the newest of {date}, and no reason was noted.",
                    name=head,
                    count=len(rows),
                    date=newest.get("date"),
                )
            )
        lines += [f"{head}{speak(': ')}{_say_trade(desk, row)}" for row in chosen[:SHOWN]]
        if len(chosen) > SHOWN:
            lines.append(
                speak("… {count} more: `ia trade list {symbol}`", count=len(chosen) - SHOWN, symbol=mention.code)
            )
    return reply_of_lines(*lines)


def _within(rows: object, asked: FactQuestion) -> list[Json]:
    """Return the entries of purchases and sales, newest first, within the first stretch of time that is named."""
    span = asked.spans[0] if asked.spans else None
    kept = (
        [row for row in rows if isinstance(row, dict) and row.get("kind") in (_BOUGHT, _SOLD)]
        if isinstance(rows, list)
        else []
    )
    if span is None or span.last is None:
        return kept
    first = span.first or span.last - timedelta(days=round(span.sessions * 7 / 5))
    return [row for row in kept if f"{first}" <= str(row["date"]) <= f"{span.last}"]


def _say_trade(desk: ToolDesk, row: Json) -> str:
    """Return an entry of the journal in a line."""
    speak = desk.speak
    given: Json = {
        "date": row.get("date"),
        "shares": number(float(row.get("quantity") or 0), "shares"),
        "price": number(row.get("price"), "price", speak),
    }
    told = (
        speak("{date} bought {shares} at {price}", **given)
        if row.get("kind") == _BOUGHT
        else speak("{date} sold {shares} at {price}", **given)
    )
    return told + (speak(', because "{reason}"', reason=row["reason"]) if row.get("reason") else "")


def answer_trades_made(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which trades were made, the newest or those of a stretch of time."""
    speak = desk.speak
    result = yield from desk.one("trade.list", limit=200)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the journal"), result.failure)
    rows = _within(result.value, asked)
    time = asked.spans[0] if asked.spans else None
    if not rows:
        return reply_of_lines(
            speak("No trade is in the journal for “{time}”.", time=time.said)
            if time
            else speak("The journal has no trade.")
        )
    head = (
        speak("**{count} trades** ({time})", count=len(rows), time=_say_span(time))
        if time
        else speak("**{count} trades in all**, the newest:", count=len(rows))
    )
    told = [
        f"- {wording.security_name(desk, str(row.get('symbol')), row.get('name'))}{speak(': ')}{_say_trade(desk, row)}"
        for row in rows
    ]
    shown = told[: SHOWN if time else 5]
    more = [speak("… {count} more: `ia trade list`", count=len(told) - len(shown))] if len(told) > len(shown) else []
    return reply_of_lines(head, *shown, *more)


def _say_span(span: TimeSpan) -> str:
    if span.kind == DAY or span.first is None:
        return f"{span.first or span.said}"
    return f"{span.first} – {span.last}"


_RANKED = {"best": ("profit", False), "worst": ("profit", True), "weight_pct": ("weight_pct", False)}


def answer_holdings_rank(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which holding is the largest, the riskiest, or has brought or lost most."""
    speak, wanted = desk.speak, asked.facts[0].field
    status, profit = yield from desk.run(DeskCall("account.status", {}), DeskCall("account.profit", {}))
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = positions_of(status)
    if not held:
        return reply_of_lines(speak("Nothing is held."))
    span = wording.other_day(asked, desk.request.day)
    today = bool(asked.spans) and span is None
    if span is not None:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    gains = {str(row.get("symbol")): row for row in wording.rows_of(profit, "positions")}
    if wanted == "volatility":
        return (yield from _rank_risk(desk, held))
    rows: list[tuple[float, str, str]] = []
    for symbol, position in held:
        name = wording.security_name(desk, symbol, position.get("name"))
        if wanted == "weight_pct":
            if position.get("weight_pct") is not None:
                rows.append((float(position["weight_pct"]), name, f"{float(position['weight_pct']):.2f}%"))
            continue
        gain = gains.get(symbol) or {}
        value = position.get("today_pnl") if today else gain.get("profit", position.get("unrealized_pnl"))
        rate = None if today else gain.get("profit_rate", position.get("unrealized_pct"))
        if value is not None:
            told = wording.say_money(desk, value, signed=True, currency=str(position.get("currency") or ""))
            rows.append((float(value), name, told + (f" ({wording.say_percent(rate)})" if rate is not None else "")))
    rows.sort(key=lambda row: row[0], reverse=not _RANKED[wanted][1])
    if not rows:
        return reply_of_lines(speak("No price is known of what is held."))
    mark = wording.simulated_mark(desk, status.get("simulated"))
    lines = [f"**{rows[0][1]}**{speak(': ')}{rows[0][2]}{mark}"]
    if wanted == "best" and rows[0][0] <= 0:
        lines = [speak("None is in profit; least is lost with {name}.", name=lines[0])]
    if wanted == "worst" and rows[0][0] >= 0:
        lines = [speak("None is at a loss; least is gained with {name}.", name=lines[0])]
    if len(rows) > 1:
        lines.append(speak("Then: {rest}.", rest=speak.join_clauses([f"{name} {told}" for _, name, told in rows[1:4]])))
    return reply_of_lines(*lines)


def _rank_risk(desk: ToolDesk, held: list[tuple[str, Json]]) -> Work[Reply]:
    """Return what is held by what a bad day of it would cost the account: weight times volatility."""
    speak, rows, simulated = desk.speak, [], False
    asked = held[:SHOWN]
    bars = yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": symbol, "tail": 1}) for symbol, _ in asked))
    code = security_table(desk.tables).expressions["volatility"].code
    results = yield from desk.run(*(DeskCall("compute.run", {"code": code, "symbol": symbol}) for symbol, _ in asked))
    for (symbol, position), fetched, result in zip(asked, bars, results, strict=True):
        simulated = simulated or bool(fetched.get("simulated"))
        swing, weight = read_value(result)[0], wording.figure_of(position, "weight_pct")
        if swing is not None and weight is not None:
            rows.append((swing * weight, wording.security_name(desk, symbol, position.get("name")), swing, weight))
    if not rows:
        return reply_of_lines(speak("No volatility can be computed of what is held."))
    rows.sort(reverse=True)
    told = [
        speak(
            "{name}: volatility {swing}% a year (60 days), {weight}% of the account",
            name=name,
            swing=f"{swing:.1f}",
            weight=f"{weight:.2f}",
        )
        for _, name, swing, weight in rows
    ]
    lines = [f"**{told[0]}**{wording.simulated_mark(desk, simulated)}", *(f"- {line}" for line in told[1:4])]
    wildest = max(rows, key=lambda row: row[2])
    if wildest is not rows[0]:
        lines.append(speak("By itself {name} moves most.", name=wildest[1]))
    lines.append(speak("Ordered by volatility times weight: what a bad day costs the account."))
    return reply_of_lines(*lines)


def answer_account_index(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Say what can be said of the account against an index: its gain, and the index since the first entry."""
    speak = desk.speak
    status, entries = yield from desk.run(DeskCall("account.status", {}), DeskCall("trade.list", {"limit": LIMIT}))
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    book = wording.objects_of(status, "currencies").get("CNY")
    rows = entries.value if entries.ok and isinstance(entries.value, list) else []
    if not isinstance(book, dict) or not rows or len(rows) >= LIMIT or not book.get("invested"):
        return (
            _say_empty(desk) if _is_empty(status) else reply_of_lines(speak("This cannot be computed from the ledger."))
        )
    if asked.spans:
        return reply_of_lines(
            speak("The ledger tells the gain in all, not yet that of “{time}”.", time=asked.spans[0].said)
        )
    flows = [row for row in rows if row.get("kind") in ("deposit", "withdraw") and row.get("currency") == "CNY"]
    first = min(str(row["date"]) for row in flows) if flows else min(str(row["date"]) for row in rows)
    index = yield from desk.one("market.ohlcv", symbol="000300.SH", start=first, tail=250)
    bars = wording.bars_of(index)
    gain = float(book["total_pnl"]) / float(book["invested"]) * 100 if book.get("total_pnl") is not None else None
    mark = wording.simulated_mark(desk, status.get("simulated"))
    lines = [
        speak(
            "Your CNY account: {gain} of what was paid in, since {first}.{mark}",
            gain=wording.say_percent(gain),
            first=first,
            mark=mark,
        )
    ]
    if bars and int(index.get("rows") or 0) <= len(bars):
        rise = float(bars[-1][4]) / float(bars[0][4]) * 100 - 100
        lines.append(
            speak(
                "CSI 300 (000300.SH): {rise} (closes of {first} and {last}).",
                rise=wording.say_percent(rise),
                first=bars[0][0],
                last=bars[-1][0],
            )
        )
        if gain is not None and len({str(row["date"]) for row in flows}) <= 1:
            lines.insert(
                0,
                speak("You are ahead of the CSI 300 by {gap} percentage points.", gap=f"{gain - rise:.2f}")
                if gain > rise
                else speak("You are behind the CSI 300 by {gap} percentage points.", gap=f"{rise - gain:.2f}"),
            )
        else:
            lines.append(speak("Money came or went in between, so the two are no fair comparison."))
    return reply_of_lines(*lines)


def answer_limits(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which risk rules are in force."""
    yield from ()
    limits = desk.request.limits
    if not limits:
        return reply_of_lines(
            desk.speak("No risk rules are in force yet: they begin with the first entry of the ledger.")
        )
    speak, given = desk.speak, {key: f"{value:g}" for key, value in limits.items()}
    told = []
    if limit := given.get("position_pct"):
        told.append(speak("a single position: at most {limit}% of the account", limit=limit))
    if limit := given.get("rise_pct"):
        told.append(speak("no purchase of what is up more than {limit}% on the day", limit=limit))
    if limit := given.get("day_warning_pct"):
        told.append(speak("warning at a loss of {limit}% on the day", limit=limit))
    if limit := given.get("day_stop_pct"):
        told.append(speak("no purchase after a loss of {limit}% on the day", limit=limit))
    if limit := given.get("stop_loss_pct"):
        told.append(speak("stop at a loss of {limit}% of the cost", limit=limit))
    if limit := given.get("cooling_hours"):
        told.append(speak("{limit} hours between two trades of one security", limit=limit))
    return reply_of_lines(
        f"**{wording.fact_name(desk, asked.facts[0])}**",
        *(f"- {line}" for line in told),
        desk.speak("`ia config list` has the settings `risk.*`."),
    )


ANSWERS = {
    "limits": answer_limits,
    "account": answer_account,
    "account_index": answer_account_index,
    "position": answer_position,
    "trades": answer_trades,
    "trades_made": answer_trades_made,
    "holdings_rank": answer_holdings_rank,
}
