"""Facts of the owner's account: cash, profit, positions, trades and their reasons."""

import re
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import TOGETHER, find_accounts, find_currencies, find_market_currencies, read_place
from ia.agent.analyst.ask.facts import FactQuestion, condition_words, security_table
from ia.agent.analyst.ask.mentions import LONGEST, Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import EVER, FUTURE, TimeSpan
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import read_value, recall_hits
from ia.agent.analyst.jobs.daily import positions_of, weight_of
from ia.agent.analyst.jobs.facts import held as held_now
from ia.agent.analyst.jobs.facts import result_facts, together, wording
from ia.agent.analyst.jobs.facts.held import is_whole_known, load_held, load_weights, say_lots, say_part, say_weight
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 8
LIMIT = 200
"""Entries that the tools of the ledger return at most."""
_BOUGHT, _SOLD = "buy", "sell"


def _is_empty(status: DeskResult) -> bool:
    return not positions_of(status) and not status.get("currencies")


_BOOK_KEYS = {"cash": "cash", "equity": "equity", "today_pnl": "today_pnl", "total_pnl": "total_pnl",
              "max_drawdown": "max_drawdown", "realized": "realized_pnl", "unrealized": "unrealized_pnl",
              "dividends": "dividends", "fees": "fees", "invested": "invested",
              "positions_value": "positions_value"}  # fmt: skip


_OF_ALL_TIME = ("invested", "fees", "dividends", "realized")
"""Fields that are sums over all of the journal: a day of prices says nothing of them."""


def answer_account(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with a figure of the account, one for each currency."""
    speak, spec = desk.speak, asked.facts[0]
    name = wording.fact_name(desk, spec)
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    if _is_empty(status):
        return wording.say_empty(desk)
    span = wording.other_day(asked, desk.request.day)
    if span is not None and spec.field in result_facts.DATED and span.kind != EVER:
        return (yield from result_facts.answer_dated(desk, asked, span))
    if spec.field in ("today_pnl", "total_pnl"):
        return (yield from result_facts.answer_result(desk, asked))
    if span is not None and span.kind != EVER:
        return reply_of_lines(
            speak("{name}: the ledger tells it for today and in all, not yet for “{time}”.", name=name, time=span.said)
        )
    if spec.field == "count":
        held = positions_of(status)
        told = [wording.security_name(desk, symbol, position.get("name")) for symbol, position in held]
        return reply_of_lines(
            speak(
                PluralText("**{count}** security is held: {names}.", "**{count}** securities are held: {names}."),
                count=len(held),
                names=speak.join_items(told),
            )
            if held
            else speak("Nothing is held.")
        )
    books = wording.objects_of(status, "currencies")
    if named := set(find_accounts(asked.words)) & set(books):
        books = {currency: book for currency, book in books.items() if currency in named}
    if spec.field == "invested" and (only := set(find_currencies(asked.words)) & set(books)):
        books = {currency: book for currency, book in books.items() if currency in only}
    if spec.field == "invested":
        from ia.agent.analyst.jobs.facts import both_ways

        if both := (yield from both_ways.load_both_ways(desk, set(books))):
            return reply_of_lines(*both)
    told = [_say_book(desk, spec.field, currency, book, asked.words) for currency, book in books.items()]
    days = {str(book.get("day") or "") for book in books.values()} - {""}
    if len(days) > 1 and spec.field not in _OF_ALL_TIME:
        told = [
            each + speak(" ({date})", date=book.get("day") or "–")
            for each, book in zip(told, books.values(), strict=True)
        ]
    when = speak(" ({date})", date=max(days)) if len(days) == 1 and spec.field not in _OF_ALL_TIME else ""
    mark = wording.simulated_mark(desk, status.get("simulated"))
    lines = [f"**{name}** {speak.join_clauses(told)}{when}{mark}"]
    if spec.field in ("equity", "positions_value", "unrealized") and status.get("unpriced"):
        lines.append(
            speak(
                "Not counted (no price): {names}.",
                names=speak.join_items(wording.names_of(status.get("unpriced"))),
            )
        )
    if spec.field in _SUMMED and len(books) > 1 and (whole := _sum_books(desk, spec.field, books, status.get("total"))):
        lines.append(whole)
    if spec.field == "cash" and not named and _IN_ONE.search(asked.words) and len(books) > 1:
        return _add_sum(desk, asked, status.get("total"), lines)
    return reply_of_lines(*lines)


_SUMMED = ("unrealized", "realized", "positions_value")
"""Figures of which the sum of all currencies is told, too."""


def _sum_books(desk: ToolDesk, field: str, books: dict[str, Json], total: object) -> str:
    """Return what a figure of several currencies comes to in one; "" where one of them or a rate is not known."""
    base, rates = together.rates_of(total)
    values = {code: wording.figure_of(book, _BOOK_KEYS[field]) for code, book in books.items()}
    if any(value is None or code not in rates for code, value in values.items()):
        return ""
    whole = sum(round((value or 0) * rates[code], 2) for code, value in values.items())
    return desk.speak(
        "In {currency} together: **{amount}**, at the stored rates.", currency=base,
        amount=wording.say_exact(desk, whole, signed=field != "positions_value", currency=base),
    )  # fmt: skip


_IN_ONE = pattern(
    r"折|换算|合计|总计|一共|总共|人民币|\bin (?:all|total|yuan|rmb|cny)\b|\baltogether\b|\bconvert\w*\b|\btotal\b",
    re.I,
)
"""Words that ask for the sum of all currencies."""


def _add_sum(desk: ToolDesk, asked: FactQuestion, total: object, lines: list[str]) -> Reply:
    """Return the cash of each currency below what all of it comes to in one."""
    if not isinstance(total, dict) or total.get("cash") is None:
        return reply_of_lines(*lines)
    base = str(total.get("currency"))
    if others := [code for code in find_currencies(asked.words) if code != base]:
        return wording.ask_back(desk, tuple(others))
    head = desk.speak("**{amount}** in all.", amount=wording.say_exact(desk, total["cash"], currency=base))
    return reply_of_lines(head, *lines, *wording.say_rates(desk, total))


_RATED = pattern(r"占|百分|比例|\b(?:per ?cent\w*|share|%)", re.I)


def asks_share(words: str) -> bool:
    """Return True if a question is for a part of the money paid in."""
    return bool(_RATED.search(words))


def _say_book(desk: ToolDesk, field: str, currency: str, book: Json, words: str = "") -> str:
    value = book.get(_BOOK_KEYS.get(field, "cash"))
    if value is None:
        return desk.speak("unknown ({currency})", currency=currency)
    if field == "fees" and _RATED.search(words) and float(book.get("invested") or 0):
        told = wording.say_exact(desk, value, currency=currency)
        rate = float(value) / float(book["invested"]) * 100
        return told + desk.speak(" ({rate}% of the {paid} paid in)", rate=f"{rate:.3f}",
                                 paid=wording.say_exact(desk, book["invested"]))  # fmt: skip
    if field == "cash_share":
        share = (
            float(book["cash"]) / float(book["equity"]) * 100
            if book.get("equity") and book.get("cash") is not None
            else None
        )
        return desk.speak("unknown ({currency})", currency=currency) if share is None else f"{share:.2f}% ({currency})"
    if field == "max_drawdown":
        return f"{-float(value) * 100 or 0.0:.2f}% ({currency})"
    signed = field in ("today_pnl", "total_pnl", "realized", "unrealized")
    return wording.say_exact(desk, value, signed=signed, currency=currency)


_WHICH_SALE = pattern(r"哪一?[次笔]|\b(?:which|what) (?:of (?:my|the) .{0,24})?(?:sales?|time)\b", re.I)
"""One of several sales is meant, not what they brought together."""
_TODAY = pattern(r"今[天日]|\btoday\b", re.I)


def answer_position(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with what is held of a security: shares, cost, value, weight and profit."""
    speak, lines, field = desk.speak, [], asked.facts[0].field
    span = wording.other_day(asked, desk.request.day)
    if field in ("profit", "realized") and _WHICH_SALE.search(asked.words):
        return (yield from _list_results(desk, asked, []))
    if field == "profit" and span is None:  # what today brought, and not all of it since the purchase
        span = next((each for each in asked.spans if _TODAY.search(each.said)), None)
    if span is not None and span.kind != EVER and field in ("profit", "size", "unrealized"):
        return (yield from result_facts.answer_named(desk, asked.securities[:SHOWN], span))
    status, profit = yield from desk.run(DeskCall("account.status", {}), DeskCall("account.profit", {}))
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    if span is not None and span.kind != EVER and field == "realized":
        return (yield from answer_sales_of(desk, asked, span))
    if span is not None and span.kind != EVER:
        return reply_of_lines(
            speak("The ledger tells what you hold and have gained now, not for “{time}”.", time=span.said)
        )
    held = dict(positions_of(status))
    if {spec.field for spec in asked.facts} == {"realized"} and all(each.code in held for each in asked.securities):
        return (yield from _answer_sold(desk, asked))
    weights = yield from load_weights(desk, status)
    gains = {str(row.get("symbol")): row for row in wording.rows_of(profit, "positions")}
    for mention in _order_by_profit(asked, gains):
        position, gain = held.get(mention.code), gains.get(mention.code)
        head = wording.head_of(desk, mention)
        if position is None:
            lines.append(_say_gone(desk, head, gain))
        else:
            lots = say_lots(desk, asked.words, mention.code, float(position.get("size") or 0))
            fields = tuple(dict.fromkeys(spec.field for spec in asked.facts))
            lines.append(_say_position(desk, head, fields, (mention.code, position), gain, weights, lots))
            if others := [each for each in find_currencies(asked.words) if each != position.get("currency")]:
                lines.append(
                    (
                        yield from _convert_value(
                            desk, position, others[0], _gain_of(field, position, gain), cost=field == "avg_price"
                        )
                    )
                )
    if len(asked.securities) > 1 and TOGETHER.search(asked.words):
        codes, total = dict.fromkeys(each.code for each in asked.securities), status.get("total")
        lines[:0] = (
            together.say_profit_together(desk, [gains[code] for code in codes if code in gains], total)
            if field == "profit"
            else together.say_together(desk, {code: held[code] for code in codes if code in held}, weights, total)
        )
    return reply_of_lines(*lines)


def _gain_of(field: str, position: Json, gain: Json | None) -> Json | None:
    """Return the gain that is converted: all of it, or what is unrealized; None where the value is meant."""
    return gain if field == "profit" else {"profit": position.get("unrealized_pnl")} if field == "unrealized" else None


_WHICH_MORE = pattern(r"哪一?[只个家支]|谁|\bwhich\b", re.I)
_LOSES = pattern(r"亏|跌|套|\b(?:lost|los(?:es|ing|e)|worse|worst|down)\b", re.I)


def _order_by_profit(asked: FactQuestion, gains: dict[str, Json]) -> list[Mention]:
    """Return the securities of a question, by what they brought where it asks which one brought or lost more."""
    named = list(asked.securities[:SHOWN])
    if asked.facts[0].field not in ("profit", "unrealized") or not _WHICH_MORE.search(asked.words):
        return named
    if len({str(gains.get(each.code, {}).get("currency")) for each in named}) > 1:
        return named
    sign = 1 if _LOSES.search(asked.words) else -1
    return sorted(named, key=lambda each: sign * float(gains.get(each.code, {}).get("profit") or 0))


def answer_sales_of(desk: ToolDesk, asked: FactQuestion, span: TimeSpan) -> Work[Reply]:
    """Answer what sales within some days realized, after fees; that there was none, where none is in the journal."""
    speak, lines = desk.speak, list[str]()
    span = result_facts.widen_part(span)
    days = yield from result_facts.read_account_days(desk, span)
    if days is None or span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    for mention in asked.securities[:SHOWN]:
        sales = yield from desk.one("account.history", symbol=mention.code, limit=LIMIT)
        if sales.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), sales.failure)
        rows = [row for row in wording.rows_of(sales.value) if f"{days.first}" <= str(row["date"]) <= f"{days.last}"]
        given: Json = {"name": wording.head_of(desk, mention), "days": days.label}
        if not rows:
            lines.append(speak("{name}: the journal has no sale ({days}), so nothing was realized.", **given))
            continue
        lines += _say_realized(desk, wording.head_of(desk, mention), rows, days.label)
    return reply_of_lines(*lines)


def _answer_sold(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what all sales of securities realized that are still held in part."""
    speak, lines = desk.speak, list[str]()
    for mention in asked.securities[:SHOWN]:
        sales = yield from desk.one("account.history", symbol=mention.code, limit=LIMIT)
        if sales.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), sales.failure)
        rows, head = wording.rows_of(sales.value), wording.head_of(desk, mention)
        dates = sorted({str(row["date"]) for row in rows})
        lines += (
            _say_realized(desk, head, rows, " – ".join(dict.fromkeys((dates[0], dates[-1]))))
            if rows
            else [speak("{name}: nothing was sold, so nothing is realized.", name=head)]
        )
    return reply_of_lines(*lines)


def _say_realized(desk: ToolDesk, name: str, rows: list[Json], days: str) -> list[str]:
    """Return what sales of a security realized, and what each of them brought after its fees."""
    speak, currency = desk.speak, str(rows[0].get("currency") or "")
    total = wording.say_exact(desk, sum(float(row["realized"]) for row in rows), signed=True, currency=currency)
    lines = [
        speak("{name}: realized **{total}** ({rate}) after fees by selling {shares} shares ({days})",
              name=name, total=total, rate=_rate_of_sales(rows), days=days,
              shares=number(float(sum(row["quantity"] for row in rows)), "shares"))
    ]  # fmt: skip
    for row in rows[:_TOLD]:
        fees = float(row.get("fees") or 0)
        net = float(row["quantity"]) * float(row["price"]) - fees
        lines.append(
            speak("- {trade}: {net} after {fees} of fees and taxes",
                  trade=say_trade(desk, {**row, "kind": _SOLD, "reason": ""}), fees=wording.say_exact(desk, fees),
                  net=wording.say_exact(desk, net, currency=currency))
        )  # fmt: skip
    return lines


_TOLD = 3
"""Sales that are told one by one."""


def _rate_of_sales(rows: list[Json]) -> str:
    """Return what some sales realized in per cent of what their shares had cost, fees included."""
    realized = sum(float(row["realized"]) for row in rows)
    net = sum(float(row["quantity"]) * float(row["price"]) - float(row.get("fees") or 0) for row in rows)
    return wording.say_percent(realized / (net - realized) * 100) if net > realized else "–"


def answer_sales(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the sales of some days realized after fees, a line for each security."""
    speak, span = desk.speak, result_facts.widen_part(asked.spans[0])
    days = yield from result_facts.read_account_days(desk, span)
    if days is None or span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    sales = yield from desk.one("account.history", limit=LIMIT)
    if sales.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), sales.failure)
    rows = [row for row in wording.rows_of(sales.value) if f"{days.first}" <= str(row["date"]) <= f"{days.last}"]
    if not rows:
        return reply_of_lines(speak("The journal has no sale ({days}), so nothing was realized.", days=days.label))
    lines = []
    for symbol in dict.fromkeys(str(row["symbol"]) for row in rows):
        own = [row for row in rows if row["symbol"] == symbol]
        lines += _say_realized(desk, wording.security_name(desk, symbol, own[0].get("name")), own, days.label)
    return reply_of_lines(*lines)


def answer_share_of_stocks(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which part of the value of all that is held a security is; cash is not counted."""
    speak, lines = desk.speak, []
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = dict(positions_of(status))
    weights = yield from load_weights(desk, status)
    if len({each.get("currency") for each in held.values()}) < 2:
        weights = {symbol: float(each["value"]) for symbol, each in held.items() if each.get("value") is not None}
    for mention in asked.securities[:SHOWN]:
        head = wording.head_of(desk, mention)
        if mention.code not in held:
            lines.append(speak("{name}: you hold none now, so it is 0% of your shares.", name=head))
        elif set(weights) != set(held):
            lines.append(
                speak("{name}: not every holding has a price and a rate, so its part is not known.", name=head)
            )
        else:
            part = weights[mention.code] / sum(weights.values()) * 100
            lines.append(
                speak("{name}: **{part}%** of the value of all shares held, cash not counted.{mark}", name=head,
                      part=f"{part:.2f}", mark=wording.simulated_mark(desk, status.get("simulated")))
            )  # fmt: skip
    return reply_of_lines(*lines)


def answer_costs(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what each holding cost a share, on average."""
    speak = desk.speak
    found = yield from load_held(desk, asked)
    if isinstance(found, Reply):
        return found
    return reply_of_lines(
        speak("Average cost a share, fees included:"),
        *(
            f"- {wording.security_name(desk, symbol, each.get('name'))}{speak(': ')}"
            f"**{wording.say_exact(desk, each.get('avg_price'), currency=str(each.get('currency') or ''))}**"
            for symbol, each in found[1]
        ),
    )


def _convert_value(
    desk: ToolDesk, position: Json, currency: str, gain: Json | None = None, *, cost: bool = False
) -> Work[str]:
    """Return what a position is worth, or made, in another currency, where a rate is stored."""
    rate = yield from wording.load_rate(desk, str(position.get("currency")), currency)
    amount = position.get("avg_price") if cost else gain.get("profit") if gain else position.get("value")
    if rate is None or amount is None:
        return say_other_currency(desk, currency)
    shown = wording.rate_params(desk, rate)
    given: Json = {
        "amount": wording.say_exact(desk, float(amount) * float(rate["rate"]), signed=bool(gain), currency=currency),
        "rate": shown["rate"],
        "date": shown["date"],
        "source": shown["source"],
    }
    if cost:
        whole = wording.say_exact(desk, float(position.get("cost") or 0) * float(rate["rate"]), currency=currency)
        return desk.speak("The average cost is **{amount}**, **{whole}** in all, at today's rate of {rate} ({date},"
                          " {source}).", whole=whole, **given)  # fmt: skip
    if gain:
        return desk.speak("The profit is **{amount}** at today's rate of {rate} ({date}, {source}).", **given)
    return desk.speak("Worth **{amount}** at {rate} ({date}, {source}).", **given)


def say_other_currency(desk: ToolDesk, currency: str) -> str:
    """Return the command that gives the account in a currency of which no rate is at hand."""
    return desk.speak(
        "In {currency}, at the exchange rate of the day: `ia account --base {currency}`; the base currency is the"
        " setting `ledger.base`.",
        currency=currency,
    )


def _say_gone(desk: ToolDesk, head: str, gain: Json | None) -> str:
    """Return that nothing of a security is held, and what it brought once."""
    if gain is None:
        return desk.speak("{name}: you hold none, and the ledger has no trade in it.", name=head)
    return desk.speak(
        "{name}: you hold none now; it brought {profit} in all.",
        name=head,
        profit=wording.say_money(desk, gain.get("profit"), signed=True, currency=str(gain.get("currency") or ""))
        + (f" ({wording.say_percent(gain['profit_rate'])})" if gain.get("profit_rate") is not None else ""),
    )


def _say_position(
    desk: ToolDesk,
    head: str,
    fields: tuple[str, ...],
    held: tuple[str, Json],
    gain: Json | None,
    weights: dict[str, float],
    lots: str = "",
) -> str:
    position = held[1]
    speak, currency = desk.speak, str(position.get("currency") or "")
    profit = gain.get("profit") if gain else position.get("unrealized_pnl")
    rate = gain.get("profit_rate") if gain else position.get("unrealized_pct")
    told = {
        "size": speak("{shares} shares", shares=number(float(position["size"]), "shares")) + lots,
        "avg_price": speak("average cost {cost}", cost=number(position.get("avg_price"), "price", speak)),
        "value": speak(
            "worth {value} at {price} ({date})",
            value=wording.say_money(desk, position.get("value"), currency=currency),
            price=number(position.get("current_price"), "price", speak),
            date=position.get("price_date") or "–",
        ),
        "weight_pct": say_weight(desk, *held, weights),
        "profit": speak(
            "profit {profit} ({rate})",
            profit=wording.say_money(desk, profit, signed=True, currency=currency),
            rate=wording.say_percent(rate),
        )
        + _say_parts(desk, gain),
    }
    if "unrealized" in fields:
        told["unrealized"] = speak(
            "unrealized {profit} ({rate})",
            profit=wording.say_money(desk, position.get("unrealized_pnl"), signed=True, currency=currency),
            rate=wording.say_percent(position.get("unrealized_pct")),
        )
    if "realized" in fields:
        realized = gain.get("realized") if gain else None
        told["realized"] = speak(
            "realized {profit}", profit=wording.say_money(desk, realized, signed=True, currency=currency)
        )
    first = speak.join_clauses([told.pop(field) for field in fields])
    mark = wording.simulated_mark(desk, position.get("simulated"))
    return (
        speak("{name}: {first}", name=head, first=f"**{first}**")
        + speak("; ")
        + speak.join_clauses(list(told.values()))
        + mark
    )


def _say_parts(desk: ToolDesk, gain: Json | None) -> str:
    """Return of what a profit consists, where it is not all unrealized."""
    if gain is None or not (gain.get("realized") or gain.get("dividends")):
        return ""
    return desk.speak(
        " [realized {realized}, unrealized {unrealized}, dividends {dividends}]",
        realized=wording.say_money(desk, gain.get("realized"), signed=True),
        unrealized=wording.say_money(desk, gain.get("unrealized"), signed=True),
        dividends=wording.say_money(desk, gain.get("dividends"), signed=True),
    )


_SHARES = pattern(r"\d[\d,]*")
"""How many shares the trade that is meant was of."""


def answer_trades(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer when and why a security was bought and sold: from the journal, and from what was noted."""
    speak, lines = desk.speak, []
    counts = [word for word in asked.unread if _SHARES.fullmatch(word)]
    if len(counts) > 1 or len(asked.unread) > len(counts):
        return wording.ask_back(desk, asked.unread)
    shares = float(counts[0].replace(",", "")) if counts else None
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    for mention in asked.securities[:3]:
        result = yield from desk.one("trade.list", symbol=mention.code, limit=LIMIT)
        if result.failure is not None:
            return wording.unreadable(desk, speak("the journal"), result.failure)
        wanted = asked.facts[0].field
        rows = one_side(entries_within(result.value, days), asked.words)
        if wanted == "held":
            rows = [row for row in rows if row.get("kind") == _BOUGHT]
        rows = [row for row in rows if shares is None or float(row.get("quantity") or 0) == shares]
        head = wording.head_of(desk, mention)
        if not rows:
            lines.append(speak("{name}: the journal has no such trade.", name=head))
            continue
        chosen = [row for row in rows if row.get("reason")] if wanted else rows
        if wanted and not chosen:
            newest = rows[0]
            lines.append(
                speak(
                    PluralText(
                        "{name}: the journal has {count} trade in it, of {date}, and no reason was noted.",
                        "{name}: the journal has {count} trades in it, the newest of {date}, and no reason was noted.",
                    ),
                    name=head,
                    count=len(rows),
                    date=newest.get("date"),
                )
            )
        lines += [f"{head}{speak(': ')}{say_trade(desk, row)}" for row in chosen[:SHOWN]]
        if len(chosen) > SHOWN:
            lines.append(
                speak("… {count} more: `ia trade list {symbol}`", count=len(chosen) - SHOWN, symbol=mention.code)
            )
        if wanted:
            lines += yield from quote_notes(desk, mention)
    return reply_of_lines(*lines)


def answer_traded_shares(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares of a security were bought or sold, and how many are left."""
    speak, lines = desk.speak, []
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    status = yield from desk.one("account.status")
    held = dict(positions_of(status)) if status.ok else {}
    for mention in asked.securities[:3]:
        result = yield from desk.one("trade.list", symbol=mention.code, limit=LIMIT)
        if result.failure is not None:
            return wording.unreadable(desk, speak("the journal"), result.failure)
        rows, head = one_side(entries_within(result.value, days), asked.words), wording.head_of(desk, mention)
        left = float((held.get(mention.code) or {}).get("size") or 0)
        sides = []
        for kind, text in ((_BOUGHT, "bought **{shares}** shares"), (_SOLD, "sold **{shares}** shares")):
            own = [float(row.get("quantity") or 0) for row in rows if row.get("kind") == kind]
            if own or named_side(asked.words) == kind:
                sides.append(speak(text, shares=number(sum(own), "shares")))
        told = speak.join_items(sides) if sides else speak("no trade of it is in the journal")
        lines.append(head + speak(": ") + speak("{told}; you hold {left} now.", told=told, left=number(left, "shares")))
        lines += [f"- {say_trade(desk, row)}" for row in rows[:SHOWN]]
        if len(rows) > SHOWN:
            lines.append(
                speak("… {count} more: `ia trade list {symbol}`", count=len(rows) - SHOWN, symbol=mention.code)
            )
    return reply_of_lines(*lines)


NOTES, QUOTED = 2, 100
"""Notes that are quoted beside the reason of a trade, and characters of each."""


def quote_notes(desk: ToolDesk, mention: Mention) -> Work[list[str]]:
    """Return what the owner wrote about a security, the best of it first."""
    found = yield from desk.one("memory.recall", query=mention.name or mention.said, limit=10)
    told = []
    for hit in recall_hits(found.value) if found.ok else ():
        if hit.get("author") == "owner" and hit.get("kind") not in ("trade", "question", "tracking", "journal"):
            text = " ".join(str(hit.get("content") or "").split())
            text = text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"
            told.append(desk.speak("- noted on {date}: {text} (`{path}`)", date=hit.get("date"), text=text,
                                   path=hit.get("source")))  # fmt: skip
    return told[:NOTES]


def load_trades(desk: ToolDesk, asked: FactQuestion) -> Work[list[Json] | Reply]:
    """Return the trades of the time and the side that a question names, the newest first.

    The answer instead where the time cannot be told, the journal cannot be read or is longer than what is read of it.
    """
    speak, days = desk.speak, (yield from result_facts.trade_days(desk, asked))
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    listed = yield from desk.one("trade.list", limit=LIMIT)
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    if len(wording.rows_of(listed.value)) >= LIMIT:
        return reply_of_lines(speak("Only the newest {count} entries of the journal are read.", count=LIMIT))
    return one_side(entries_within(listed.value, days), asked.words)


def entries_within(rows: object, days: list[result_facts.Days]) -> list[Json]:
    """Return the entries of purchases and sales, newest first, within any of the stretches of days; all without one."""
    listed = rows if isinstance(rows, list) else []
    kept = [row for row in listed if isinstance(row, dict) and row.get("kind") in (_BOUGHT, _SOLD)]
    return [row for row in kept if result_facts.is_within(row, days)]


def one_side(rows: list[Json], words: str) -> list[Json]:
    """Return the purchases where only buying is named, the sales where only selling is; else all."""
    side = named_side(words)
    return [row for row in rows if row.get("kind") == side] if side else rows


def named_side(words: str) -> str:
    """Return the side of trades that alone is named; "" where none is, or both are."""
    words = re.sub(r"买卖", " ", words)
    sides = {
        _BOUGHT: re.search(
            r"买|建仓|加仓|\b(?:buys?|buying|bought|purchas(?:e[sd]?|ing)|(?<!since i )opened|added)\b", words, re.I
        ),
        _SOLD: re.search(r"卖|减仓|清仓|\b(?:sells?|selling|sold|sales?|closed)\b", words, re.I),
    }
    named = [side for side, found in sides.items() if found]
    return named[0] if len(named) == 1 else ""


def say_trade(desk: ToolDesk, row: Json) -> str:
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


_LEFT_OUT = pattern(
    r"(?:除了?|除去|不含|不包括|不算|排除|\b(?:except|excluding|other than|without|apart from)\b)[^，,。？?]{0,18}",
    re.I,
)
_EMPTY_WORDS = pattern(r"以外|之外|几[笔次]|\bhow many\b", re.I)


def _blank_left_out(words: str) -> str:
    """Return a text without the markets that it leaves out."""
    return _LEFT_OUT.sub(lambda found: " " if find_market_currencies(found[0]) else found[0], words)


def _of_markets(rows: list[Json], words: str) -> list[Json]:
    """Return the trades of the markets that are named, without those that are left out."""
    only = find_market_currencies(_blank_left_out(words)) or find_currencies(_blank_left_out(words))
    out = (
        [] if _blank_left_out(words) == words else [code for code in find_market_currencies(words) if code not in only]
    )
    return [row for row in rows if row.get("currency") not in out and (not only or out or row.get("currency") in only)]


def answer_trades_made(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which trades were made, the newest or those of the times, the side and the markets that are named."""
    speak = desk.speak
    newest = _NEWEST.search(asked.words)
    said = _blank_left_out(_blank_times(asked))
    if unread := condition_words(_EMPTY_WORDS.sub(" ", said.replace(newest[0], " ") if newest else said)):
        return wording.ask_back(desk, tuple(unread))
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    if asked.facts[0].field == "results":
        return (yield from _list_results(desk, asked, days))
    result = yield from desk.one("trade.list", limit=LIMIT)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the journal"), result.failure)
    rows = _of_markets(one_side(entries_within(result.value, days), asked.words), asked.words)
    rows = yield from held_now.keep_held(desk, rows[:1] if asked.facts[0].field == "last" else rows, asked.words)
    time, side = speak.join_items([each.label for each in days]), named_side(asked.words)
    if not rows:
        said = speak.join_items([span.said for span in asked.spans])
        if not days:
            return reply_of_lines(speak("The journal has no such trade."))
        none = {
            _BOUGHT: speak("No purchase is in the journal for “{time}”.", time=said),
            _SOLD: speak("No sale is in the journal for “{time}”.", time=said),
        }
        return reply_of_lines(none.get(side, speak("No trade is in the journal for “{time}”.", time=said)))
    if asked.facts[0].field == "last":
        name = wording.security_name(desk, str(rows[0].get("symbol")), rows[0].get("name"))
        return reply_of_lines(f"{name}{speak(': ')}**{say_trade(desk, rows[0])}**")
    count = int(parse_count(newest["zh"] or newest["en"]) or 0) if newest else 0
    told = [
        f"- {wording.security_name(desk, str(row.get('symbol')), row.get('name'))}{speak(': ')}{say_trade(desk, row)}"
        for row in rows
    ]
    shown = told[: min(count, SHOWN) or (SHOWN if days else 5)]
    more = (
        []
        if 0 < count <= SHOWN
        else [speak("… {count} more: `ia trade list`", count=len(told) - len(shown))]
        if len(told) > len(shown)
        else []
    )
    if len(wording.rows_of(result.value)) >= LIMIT:
        more.append(speak("Only the newest {count} entries of the journal are read.", count=LIMIT))
    head, counts = _count_trades(desk, rows, side, time), list[str]()
    if len(days) > 1:
        each_time = [
            f"{each.label}{speak(': ')}{sum(result_facts.is_within(row, [each]) for row in rows)}" for each in days
        ]
        counts = [speak.join_clauses(each_time)]
    return reply_of_lines(head, *counts, *shown, *more)


_NEWEST = pattern(
    rf"(?:最近|最后|近|最新)的?(?P<zh>{COUNT})[笔次](?=交易|买|卖)"
    rf"|\b(?:last|latest|newest|most recent|recent) (?P<en>{COUNT}) (?=trades|transactions|purchases|sales|deals|buys)",
    re.I,
)
"""So many of the newest entries."""
_AT_GAIN = pattern(r"赚|盈利|\b(?:won|winners?|winning|gain\w*|profit\w*|made)\b", re.I)
_AT_LOSS = pattern(r"亏|赔|\b(?:los\w*|lost|unprofitable|losers?|red)\b", re.I)


def _list_results(desk: ToolDesk, asked: FactQuestion, days: list[result_facts.Days]) -> Work[Reply]:
    """Answer which sales lost, or made, money after fees; a purchase has no result until it is sold."""
    speak, losing = desk.speak, _AT_LOSS.search(asked.words) is not None
    found = yield from desk.one("account.history", limit=LIMIT)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), found.failure)
    named = {mention.code for mention in asked.securities}
    rows = [
        row
        for row in wording.rows_of(found.value)
        if (not named or row["symbol"] in named) and result_facts.is_within(row, days)
    ]
    both = losing and _AT_GAIN.search(asked.words) is not None
    kept = [row for row in rows if (both or (float(row["realized"]) < 0) == losing) and float(row["realized"])]
    kept.sort(key=lambda row: float(row["realized"]), reverse=both or not losing)
    time = speak.join_items([each.label for each in days])
    label = speak(" ({days})", days=time) if time else ""
    count: Json = {"count": len(kept), "all": len(rows), "days": label}
    head = (
        speak(
            "**{won}** of {all} sales made money after fees, **{lost}** lost money{days}.",
            all=len(rows),
            days=label,
            won=sum(float(row["realized"]) > 0 for row in rows),
            lost=sum(float(row["realized"]) < 0 for row in rows),
        )
        if both
        else speak("**{count}** of {all} sales lost money after fees{days}.", **count)
        if losing
        else speak("**{count}** of {all} sales made money after fees{days}.", **count)
    )
    told = [
        speak("- {name}: sold {shares} on {date}, **{realized}** ({rate})", rate=_rate_of_sales([row]),
              name=wording.security_name(desk, str(row["symbol"]), row.get("name")), date=row["date"],
              shares=number(float(row["quantity"]), "shares"),
              realized=wording.say_exact(desk, float(row["realized"]), signed=True,
                                         currency=str(row.get("currency") or "")))
        for row in kept[:SHOWN]
    ]  # fmt: skip
    more = [speak("… {count} more: `ia profit`", count=len(kept) - SHOWN)] if len(kept) > SHOWN else []
    if len(kept) > 1:
        sums = together.sum_by_currency(kept, "realized")
        parts = [wording.say_exact(desk, value, signed=True, currency=code) for code, value in sums.items()]
        head += speak(" Together: {gain}.", gain=f"**{speak.join_items(parts)}**")
    held = speak("What is still held has no such result yet: “which of my holdings are at a loss” lists it.")
    return reply_of_lines(head, *told, *more, held)


def _count_trades(desk: ToolDesk, rows: list[Json], side: str, time: str) -> str:
    """Return how many trades there are; of what was asked for by its side, nothing of the other one."""
    speak, bought = desk.speak, sum(row.get("kind") == _BOUGHT for row in rows)
    given: Json = {"count": len(rows), "time": time, "bought": bought, "sold": len(rows) - bought}
    if side == _BOUGHT:
        dated = PluralText("**{count} purchase** ({time})", "**{count} purchases** ({time})")
        whole = PluralText("**{count} purchase in all**:", "**{count} purchases in all**; the newest:")
    elif side == _SOLD:
        dated = PluralText("**{count} sale** ({time})", "**{count} sales** ({time})")
        whole = PluralText("**{count} sale in all**:", "**{count} sales in all**; the newest:")
    else:
        dated = PluralText(
            "**{count} trade** ({time}): {bought} bought, {sold} sold",
            "**{count} trades** ({time}): {bought} bought, {sold} sold",
        )
        whole = PluralText(
            "**{count} trade in all**: {bought} bought, {sold} sold:",
            "**{count} trades in all**: {bought} bought, {sold} sold; the newest:",
        )
    return speak(dated if time else whole, **given)


def _blank_times(asked: FactQuestion) -> str:
    """Return the words of a question without its securities and times."""
    plain = strip_mentions(asked.words[:LONGEST])
    for span in asked.spans:
        plain = plain[: span.at[0]] + " " * (span.at[1] - span.at[0]) + plain[span.at[1] :]
    return plain


_RANKED = {
    "best": ("profit", False), "worst": ("profit", True), "weight_pct": ("weight_pct", False),
    "smallest": ("weight_pct", True),
}  # fmt: skip
_LEAST = pattern(r"最[小少低轻稳]|\b(?:smallest|least|lightest|lowest|calmest|tiniest)\b", re.I)
"""The other end of an order."""


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
    if span is not None and span.kind != EVER and wanted in ("best", "worst"):
        return (yield from result_facts.answer_rank_period(desk, asked, span))
    if span is not None and span.kind != EVER:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    order = "smallest" if wanted == "weight_pct" and _LEAST.search(asked.words) else wanted
    if wanted in ("best", "worst") and asked.spans and _BY_PRICE.search(asked.words):
        return (yield from result_facts.answer_rank_period(desk, asked, asked.spans[0]))
    if wanted == "volatility":
        whole = is_whole_known(status)
        place = read_place(asked.words)
        return (
            yield from _rank_risk(
                desk,
                held,
                by_itself=bool(_SWINGS.search(asked.words)),
                whole=whole,
                place=place,
                least=bool(_LEAST.search(asked.words)),
            )
        )
    gains = {str(row.get("symbol")): row for row in wording.rows_of(profit, "positions")}
    today = bool(asked.spans) and span is None
    if wanted == "weight_pct" and (only := find_currencies(asked.words) + find_market_currencies(asked.words)):
        held = [row for row in held if row[1].get("currency") in only]
        if not held:
            return reply_of_lines(speak("You hold nothing in {currency}.", currency=speak.join_items(only)))
    if wanted == "weight_pct":
        whole = is_whole_known(status)
        ranks = [_rank_weight(desk, symbol, each, whole=whole) for symbol, each in held]
    else:
        rate = not today and _IN_PERCENT.search(asked.words) is not None
        ranks = [_rank_holding(desk, today, symbol, each, gains.get(symbol), in_percent=rate) for symbol, each in held]
        if not (today or _HELD_ONLY.search(asked.words) or _SELLING.search(asked.words)):
            own = dict(held)
            closed = [(symbol, row) for symbol, row in gains.items() if symbol not in own]
            ranks += [
                _rank_holding(desk, False, symbol, row, row, closed=True, in_percent=rate) for symbol, row in closed
            ]
    lines, none = list[str](), list[str]()
    ranks, base = _value_in_one(ranks, status.get("total") if wanted != "weight_pct" else None)
    for currency in dict.fromkeys(row.currency for row in ranks if row is not None):
        rows = [row for row in ranks if row is not None and row.currency == currency]
        several = len({row.currency for row in ranks if row is not None}) > 1
        first = _find_first(order, rows, read_place(asked.words))
        desk.ranked += first
        told = lines if first else none  # what has no loss, or no profit, comes last
        told += _say_rank(desk, order, rows, several=several, place=read_place(asked.words))
    lines += none
    if not lines:
        return reply_of_lines(speak("No price is known of what is held."))
    lines[0] += wording.simulated_mark(desk, status.get("simulated"))
    lines += [speak("Compared in {base} at today's rates.", base=base)] if base else []
    if _SELLING.search(asked.words):
        lines += _say_stop(desk, wanted, ranks, dict(held))
    return reply_of_lines(*lines)


_HELD_ONLY = pattern(
    r"持仓|持有|持股|仓位|手[里上头]|拿着|现在|目前"
    r"|\b(?:holdings?|positions?|hold|own|portfolio|now|currently|account)\b",
    re.I,
)
"""What is held is asked for, and not what was closed."""
_BY_PRICE = pattern(r"涨|跌|表现|\b(?:ris\w+|rose|f[ae]ll\w*|drop\w*|up|down|perform\w*|mover?s?)\b", re.I)
_IN_PERCENT = pattern(
    r"按?百分比|按比例|按收益率|\b(?:in|by) (?:percent|per cent|percentage)\b|\bpercentage[- ]?wise\b", re.I
)
_SWINGS = pattern(r"波动|\bvolatil\w+|\bswings?\b", re.I)
_SELLING = pattern(
    r"(?:要不要|该不该|应该|是否).{0,4}(?:卖|清|割|减)|\b(?:should|shall) i (?:sell|dump|cut|trim)\b", re.I
)


class _Rank(NamedTuple):
    """A holding in an order: its figure, and how it is told."""

    value: float
    symbol: str
    name: str
    told: str
    currency: str


def _value_in_one(ranks: list[_Rank | None], total: object) -> tuple[list[_Rank | None], str]:
    """Return holdings with their figures in the base currency, and that currency; as they are, and "", without rates.

    What is of one currency stays as it is, too.
    """
    base, rates = together.rates_of(total)
    found = {row.currency for row in ranks if row is not None}
    if len(found) < _SEVERAL or not found <= set(rates):
        return ranks, ""
    return [row and row._replace(value=row.value * rates[row.currency], currency="") for row in ranks], base


_SEVERAL = 2


def _rank_weight(desk: ToolDesk, symbol: str, position: Json, *, whole: bool) -> _Rank | None:
    """Return the weight by which a holding is ranked; None where it is not known."""
    weight = weight_of(position)
    if weight is None:
        return None
    name = wording.security_name(desk, symbol, position.get("name"))
    currency = "" if whole else str(position.get("currency") or "")
    told = say_part(desk, position, whole=whole)
    if position.get("value") is not None:
        worth = wording.say_exact(desk, position["value"], currency=str(position.get("currency") or ""))
        told += desk.speak(" ({rate})", rate=worth)
    return _Rank(float(weight), symbol, name, told, currency)


def _rank_holding(
    desk: ToolDesk,
    today: bool,
    symbol: str,
    position: Json,
    gain: Json | None,
    *,
    closed: bool = False,
    in_percent: bool = False,
) -> _Rank | None:
    """Return the profit by which a holding is ranked, in percent over all currencies; None where it is not known."""
    name, currency = wording.security_name(desk, symbol, position.get("name")), str(position.get("currency") or "")
    gain = gain or {}
    value = position.get("today_pnl") if today else gain.get("profit", position.get("unrealized_pnl"))
    rate = None if today else gain.get("profit_rate", position.get("unrealized_pct"))
    if value is None or (in_percent and rate is None):
        return None
    told = wording.say_money(desk, value, signed=True, currency=currency)
    if in_percent and rate is not None:
        value, currency, told = rate, "", f"{wording.say_percent(rate)} ({told})"
    else:
        told += f" ({wording.say_percent(rate)})" if rate is not None else ""
    if closed:
        told += desk.speak(" (sold)")
    if today and position.get("price_date"):
        told += desk.speak(" ({date})", date=position["price_date"])
    return _Rank(float(value), symbol, name, told, currency)


def _find_first(wanted: str, rows: list[_Rank], place: int) -> list[str]:
    """Return the code of the holding at a place of an order; [] where there is none, or none in profit or at a loss."""
    rows = sorted(rows, key=lambda row: row.value, reverse=not _RANKED[wanted][1])
    if wanted in ("best", "worst"):
        rows = [row for row in rows if row.value != 0 and (row.value > 0) == (wanted == "best")]
    return [row.symbol for row in rows[place - 1 : place]]


def _say_rank(desk: ToolDesk, wanted: str, rows: list[_Rank], *, several: bool, place: int = 1) -> list[str]:
    """Return one of a currency's holdings, and those of its kind that follow: no gains after the worst loss.

    place  which of them in the order, from 1
    """
    if not rows:
        return []
    speak = desk.speak
    rows = sorted(rows, key=lambda row: row.value, reverse=not _RANKED[wanted][1])
    if place > len(rows):
        return [speak("There is no number {place}: {count} are held.", place=place, count=len(rows))]
    rows = rows[place - 1 :]
    first = f"**{rows[0].name}**{speak(': ')}{rows[0].told}"
    rest = rows[1:4]
    if wanted == "best" and rows[0].value <= 0:
        first = speak("None is in profit; least is lost with {name}.", name=first)
    elif wanted == "worst" and rows[0].value >= 0:
        first = speak("None is at a loss; least is gained with {name}.", name=first)
    elif wanted in ("best", "worst"):
        rest = [row for row in rest if (row.value > 0) == (wanted == "best")]
    lines = [speak("{currency}: {line}", currency=rows[0].currency, line=first) if several else first]
    if rest:
        lines.append(speak("Then: {rest}.", rest=speak.join_clauses([f"{row.name} {row.told}" for row in rest])))
    return lines


def _say_stop(desk: ToolDesk, wanted: str, ranks: list[_Rank | None], held: dict[str, Json]) -> list[str]:
    """Return what the stop rule says of the holding that is asked about; whether to sell stays the owner's."""
    stop, known = desk.request.limits.get("stop_loss_pct"), [row for row in ranks if row is not None]
    if stop is None or not known:
        return []
    first = (min if _RANKED[wanted][1] else max)(known, key=lambda row: row.value)
    rate = held[first.symbol].get("unrealized_pct")
    if rate is None:
        return []
    given = {"name": first.name, "stop": f"{stop:g}", "rate": wording.say_percent(rate)}
    if float(rate) <= -stop:
        return [
            desk.speak("Your stop of -{stop}% is reached by {name} ({rate}): sell, or write down why not.", **given)
        ]
    return [desk.speak("Your stop of -{stop}% is not reached by {name} ({rate}); you decide.", **given)]


def _rank_risk(
    desk: ToolDesk, held: list[tuple[str, Json]], *, by_itself: bool, whole: bool, place: int = 1, least: bool = False
) -> Work[Reply]:
    """Return what is held by its volatility, or by what a bad day of it costs the account: volatility times weight."""
    speak, rows, simulated = desk.speak, [], False
    asked = held[:SHOWN]
    bars = yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": symbol, "tail": 1}) for symbol, _ in asked))
    code = security_table(desk.tables).expressions["volatility"].code
    results = yield from desk.run(*(DeskCall("compute.run", {"code": code, "symbol": symbol}) for symbol, _ in asked))
    for (symbol, position), fetched, result in zip(asked, bars, results, strict=True):
        simulated = simulated or bool(fetched.get("simulated"))
        swing, weight = read_value(result)[0], weight_of(position)
        if swing is not None and weight is not None:
            name, part = (
                wording.security_name(desk, symbol, position.get("name")),
                say_part(desk, position, whole=whole),
            )
            rows.append((swing if by_itself else swing * float(weight), name, swing, part, symbol))
    if not rows:
        return reply_of_lines(speak("No volatility can be computed of what is held."))
    rows.sort(reverse=not least)
    if place > len(rows):
        return reply_of_lines(speak("There is no number {place}: {count} are held.", place=place, count=len(rows)))
    rows = rows[place - 1 :]
    told = [
        speak(
            "{name}: volatility {swing}% a year (60 days), {part}",
            name=name,
            swing=f"{swing:.1f}",
            part=part,
        )
        for _, name, swing, part, _ in rows
    ]
    desk.ranked.append(rows[0][-1])
    lines = [f"**{told[0]}**{wording.simulated_mark(desk, simulated)}", *(f"- {line}" for line in told[1:SHOWN])]
    if not whole and len({position.get("currency") for _, position in asked}) > 1:
        lines.append(
            speak("Each weight is of the account in the security's own currency; there is no rate to add them.")
        )
    wildest = max(rows, key=lambda row: row[2])
    if wildest is not rows[0] and not least:
        lines.append(speak("By itself {name} moves most.", name=wildest[1]))
    if not by_itself:
        lines.append(speak("Ordered by volatility times weight: what a bad day costs the account."))
    if left := [wording.security_name(desk, symbol, each.get("name")) for symbol, each in held[SHOWN:]]:
        lines.append(speak("Not computed: {names}. Ask for them by themselves.", names=speak.join_items(left)))
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
    if asked.facts[0].field == "reason":
        from ia.agent.analyst.jobs.facts import size_facts

        return size_facts.explain_limit(desk, asked)
    if unread := [word for word in asked.unread if word not in asked.times]:
        return wording.ask_back(desk, tuple(unread))
    limited = {
        "position_pct": speak("a single position: at most {limit}% of the account", limit=given.get("position_pct")),
        "rise_pct": speak("no purchase of what is up more than {limit}% on the day", limit=given.get("rise_pct")),
        "day_warning_pct": speak("warning at a loss of {limit}% on the day", limit=given.get("day_warning_pct")),
        "day_stop_pct": speak("no purchase after a loss of {limit}% on the day", limit=given.get("day_stop_pct")),
        "stop_loss_pct": speak("stop at a loss of {limit}% of the cost", limit=given.get("stop_loss_pct")),
        "cooling_hours": speak("{limit} hours between two trades of one security", limit=given.get("cooling_hours")),
    }
    told = {name: text for name, text in limited.items() if given.get(name)}
    meant = [name for name in told if (form := _OF_RULE.get(name)) is not None and form.search(asked.words)]
    head = f"**{wording.fact_name(desk, asked.facts[0])}**"
    return reply_of_lines(
        *([f"**{told[name]}**" for name in meant] or [head]),
        *(f"- {line}" for name, line in told.items() if name not in meant),
        speak("`ia config list` has the settings `risk.*`."),
    )


_OF_RULE = {
    "position_pct": pattern(r"仓位|单只|单个|持仓|\b(?:position|single|cap|concentration|weight)\b", re.I),
    "rise_pct": pattern(r"追[高涨]|涨幅|[单当一][日天]涨|\b(?:chas(?:e|ing)|rises?|rose|risen|rally)\b", re.I),
    "day_warning_pct": pattern(r"(?:单日|当[天日]|一天)(?!涨)|\b(?:daily|day|warning)\b", re.I),
    "day_stop_pct": pattern(r"(?:单日|当[天日]|一天)(?!涨)|停止买入|不再买|\b(?:daily|day)\b", re.I),
    "stop_loss_pct": pattern(r"止损|\bstop\b", re.I),
    "cooling_hours": pattern(r"冷却|冷静|间隔|\bcool\w*\b", re.I),
}
"""Words for each of the risk rules: the one that is meant is told first."""


ANSWERS = {
    "limits": answer_limits,
    "sales": answer_sales,
    "share_of_stocks": answer_share_of_stocks,
    "costs": answer_costs,
    "account": answer_account,
    "position": answer_position,
    "traded_shares": answer_traded_shares,
    "trades": answer_trades,
    "trades_made": answer_trades_made,
    "holdings_rank": answer_holdings_rank,
}
