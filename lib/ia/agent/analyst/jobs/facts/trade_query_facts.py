"""The owner's trades by any mixture of conditions: listed, counted, summed or in an order."""

from collections import Counter
from collections.abc import Callable
from datetime import date
from itertools import pairwise

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.trade_queries import Bound, TradeQuery
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs.facts import result_facts, wording
from ia.agent.analyst.jobs.facts.account_facts import say_trade
from ia.agent.analyst.jobs.facts.held import name_position
from ia.agent.analyst.jobs.facts.journal_rows import LIMIT, trades_of
from ia.agent.analyst.jobs.facts.together import rates_of, say_sum
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json

SHOWN, DAYS, NAMES = 8, 20, 12
_MONEY = ("amount", "net", "fees", "commission", "stamp", "profit", "loss")
"""Figures that are compared in one currency; a price stands in its own."""
_NAMES = {
    "fees": mark_text("fees"),
    "commission": mark_text("commission"),
    "stamp": mark_text("stamp duty"),
    "profit": mark_text("realized profit"),
    "loss": mark_text("loss"),
    "net": mark_text("after fees"),
}
_Value = Callable[[Json], float | None]


def answer_trade_query(desk: ToolDesk, query: TradeQuery) -> Work[Reply | None]:
    """Answer a question for trades; None where what it asks of them cannot be told."""
    speak, said = desk.speak, query.said
    asked = FactQuestion(facts=(), securities=query.only, words=query.words, spans=query.spans, unread=())
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return None
    listed, status = yield from desk.run(DeskCall("trade.list", {"limit": LIMIT}), DeskCall("account.status", {}))
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    if len(wording.rows_of(listed.value)) >= LIMIT:
        return reply_of_lines(speak("The journal is too long for that here: `ia trade list --json` has each trade."))
    every = trades_of(listed)
    _match_sales(every)
    if {"profit", "loss"} & {said.get("field"), *(each.of for each in query.bounds)}:
        yield from _load_results(desk, every)
    total = status.get("total") if status.ok else None
    base, rates = rates_of(total)
    held = wording.objects_of(status, "positions")
    only = {each.code for each in query.only}
    whole = [row for row in every if not query.sides or row["kind"] in query.sides or "both" in query.sides]
    if said.get("each") == "first":
        whole = _first_of_each(every)
    rows = [
        row for row in whole
        if result_facts.is_within(row, days)
        and (not only or row["symbol"] in only)
        and (not query.currencies or row["currency"] in query.currencies)
        and row["symbol"] not in query.without and row["currency"] not in query.without
        and (said.get("reason") is None or bool(row.get("reason")) == (said["reason"] == "with"))
    ]  # fmt: skip
    if "kept" in said:
        rows = [row for row in rows if row["kind"] == "buy" and _is_left(row, held) == (said["kept"] == "held")]
    if query.about:
        rows = [row for row in rows if _fold_text(query.about) in _fold_text(str(row.get("reason") or ""))]
    if "now" in said:
        return (yield from _answer_now(desk, query, rows, held))
    if query.times != (0, 0) and not only:  # of a named security all are told
        least, most = query.times
        counts = Counter(str(row["symbol"]) for row in rows)
        rows = [
            row
            for row in rows
            if least <= counts[str(row["symbol"])] and (not most or counts[str(row["symbol"])] <= most)
        ]
    for bound in query.bounds:
        if all(_value_of(row, bound.of) is None for row in rows):
            return None
        into = bound.currency or base
        codes = {into, *(str(row["currency"]) for row in rows)}
        if bound.of in _MONEY and not codes <= set(rates):
            return reply_of_lines(speak("A price or an exchange rate is missing, so I do not compare them."))
        rows = [row for row in rows if _is_within(row, bound, rates, into)]
    if not rows:
        return _say_none(desk, query, whole)
    return _say_rows(desk, query, rows, whole, days, total)


def _answer_now(desk: ToolDesk, query: TradeQuery, rows: list[Json], held: dict[str, Json]) -> Work[Reply | None]:
    """Answer which purchases are at a loss or in profit at the price now; None of sales, which have a result."""
    if any(row["kind"] != "buy" for row in rows) or query.bounds or {"order", "field"} & set(query.said):
        return None
    if query.said.get("want") not in (None, "names", "count") or not rows:
        return None
    from ia.agent.analyst.jobs.facts import own_trade_facts

    return (yield from own_trade_facts.say_purchases_now(desk, rows, held, only=query.said["now"]))


def _fold_text(text: str) -> str:
    return text.casefold().replace("-", " ").strip()


def _first_of_each(rows: list[Json]) -> list[Json]:
    """Return the purchases that opened a position: before each of them none of its shares was held."""
    first, size = list[Json](), dict[str, float]()
    for row in rows:
        symbol, count = str(row["symbol"]), float(row.get("quantity") or 0)
        if row["kind"] == "buy" and size.get(symbol, 0.0) <= 0:
            first.append(row)
        size[symbol] = size.get(symbol, 0.0) + (count if row["kind"] == "buy" else -count)
    return first


def _match_sales(rows: list[Json]) -> None:
    """Put into each purchase how many of its shares are left, where sales take the oldest first."""
    bought = dict[str, list[Json]]()
    for row in rows:
        count = float(row.get("quantity") or 0)
        if row["kind"] == "buy":
            row["left"] = count
            bought.setdefault(str(row["symbol"]), []).append(row)
            continue
        for each in bought.get(str(row["symbol"]), ()):
            taken = min(count, float(each["left"]))
            each["left"] = float(each["left"]) - taken
            count -= taken


def _load_results(desk: ToolDesk, rows: list[Json]) -> Work[None]:
    """Put into each sale what it realized, where that is known."""
    closed = yield from desk.one("account.history", limit=LIMIT)
    for row in rows:
        same = [
            each["realized"]
            for each in (wording.rows_of(closed.value) if closed.ok else ())
            if row["kind"] == "sell"
            and all(each.get(key) == row.get(key) for key in ("symbol", "date", "quantity", "price"))
        ]
        row["realized"] = same[0] if len(same) == 1 else None


def _is_left(row: Json, held: dict[str, Json]) -> bool:
    return row["symbol"] in held and float(row["left"] or 0) > 0


def _value_of(row: Json, of: str) -> float | None:
    """Return a figure of a trade; None where it has none."""
    if of == "amount":
        return float(row.get("amount") or float(row["quantity"]) * float(row["price"]))
    if of == "net":
        fees = float(row.get("fees") or 0)
        return (_value_of(row, "amount") or 0) + (fees if row["kind"] == "buy" else -fees)
    if of == "feerate":
        return float(row.get("fees") or 0) / float(row["quantity"]) / float(row["price"]) * 100
    if of in ("profit", "loss"):
        realized = row.get("realized")
        if realized is None:
            return None
        return float(realized) if of == "profit" else -float(realized)
    value = row.get(of)
    return None if value is None else float(value)


def _is_within(row: Json, bound: Bound, rates: dict[str, float], into: str) -> bool:
    value = _value_of(row, bound.of)
    if value is None:
        return False
    if bound.of in _MONEY:
        value *= rates[str(row["currency"])] / rates[into]
    if bound.least is not None and (value < bound.least or (bound.strict and value == bound.least)):
        return False
    return bound.most is None or not (value > bound.most or (bound.strict and value == bound.most))


def _say_none(desk: ToolDesk, query: TradeQuery, whole: list[Json]) -> Reply:
    """Return that no trade meets the conditions; where a reason is looked for, which ones there are."""
    speak = desk.speak
    lines = [speak("**None** of your {count} trades in the journal meets that.", count=len(whole))]
    reasons = list(dict.fromkeys(str(row["reason"]) for row in whole if row.get("reason")))
    if query.about and reasons:
        lines.append(speak("Reasons that are noted: {reasons}.", reasons=speak.join_items(reasons[:NAMES])))
    return reply_of_lines(*lines)


def _say_rows(
    desk: ToolDesk, query: TradeQuery, rows: list[Json], whole: list[Json], days: list[result_facts.Days], total: object
) -> Reply | None:
    """Return the answer for the trades that were found, oldest first."""
    speak, said = desk.speak, query.said
    want, order, of = said.get("want", ""), said.get("order", ""), said.get("field", "")
    if of in _MONEY and not (want or order or query.bounds or "sort" in said):
        want = "sum"
    base, rates = rates_of(total)
    several = len({row["currency"] for row in rows}) > 1
    bounded = next((each.of for each in query.bounds if each.of != "amount"), "")
    shown = of or bounded
    if shown in ("profit", "loss"):
        rows = [row for row in rows if row.get("realized") is not None]
        if not rows:
            return None
    notes = list[str]()
    if (
        any(each.of in _MONEY for each in query.bounds) or (order in ("max", "min") and of in ("", *_MONEY))
    ) and several:
        into = next((each.currency for each in query.bounds if each.currency), base)
        notes.append(speak("Compared in {base} at today's rates.", base=into))
    if "group" in said and (order or want == "names"):
        return _say_grouped(desk, query, rows, rates)
    listed = _in_order(query, rows, rates, several=several)
    if listed is None:
        return None
    if want == "gap":
        return _say_gap(desk, (listed if order in ("first", "last") else rows[::-1])[: max(query.count, 2)])
    if query.count and order:
        listed = rows = listed[: query.count]
        order = ""
    desk.ranked.extend(str(row["symbol"]) for row in listed[:1] if order in ("max", "min", "first", "last"))
    told = [_say_row(desk, row, shown, kept="kept" in said) for row in listed]
    more = [speak("… {count} more: `ia trade list`", count=len(told) - SHOWN)] if len(told) > SHOWN else []
    shown_rows = [f"- {each}" for each in told[:SHOWN]]
    if order in ("max", "min", "first", "last"):
        if want == "average":
            return None
        if want == "ago":
            return reply_of_lines(_say_ago(desk, listed[0], told[0]))
        behind = [speak("Then: {trade}", trade=each) for each in told[1:3]] if order in ("max", "min") else []
        return reply_of_lines(f"**{told[0]}**", *behind, *notes)
    if want == "ago":
        return reply_of_lines(
            *(f"- {_say_ago(desk, row, each)}" for row, each in zip(listed[:SHOWN], told, strict=False)), *more
        )
    if want in ("sum", "average") and of != "feerate":
        sums = _say_sums(desk, rows, of or "amount", total, average=want == "average")
        return reply_of_lines(*sums, *shown_rows, *more, *notes)
    return reply_of_lines(_say_head(desk, query, rows, whole, days), *shown_rows, *more, *notes)


def _say_head(
    desk: ToolDesk, query: TradeQuery, rows: list[Json], whole: list[Json], days: list[result_facts.Days]
) -> str:
    """Return what stands above a list of trades: how many they are, their days, or their securities."""
    speak, want = desk.speak, query.said.get("want", "")
    when = speak(" ({days})", days=speak.join_items([each.label for each in days])) if days else ""
    if want == "days":
        dates = list(dict.fromkeys(str(row["date"]) for row in rows))
        return speak(
            PluralText("**{count} day**{when}: {days}", "**{count} days**{when}: {days}", by="count"),
            count=len(dates), when=when, days=speak.join_items(dates[-DAYS:]),
        )  # fmt: skip
    if want == "names":
        names = list(dict.fromkeys(name_position(desk, str(row["symbol"]), row) for row in rows))
        return speak(
            PluralText("**{count} security**{when}: {names}", "**{count} securities**{when}: {names}", by="count"),
            count=len(names), when=when, names=speak.join_items(names[:NAMES]),
        )  # fmt: skip
    return _say_count(desk, query, rows, whole, when)


def _say_ago(desk: ToolDesk, row: Json, told: str) -> str:
    """Return a trade with how many days ago it was."""
    days = (desk.request.moment.date() - date.fromisoformat(str(row["date"]))).days
    return desk.speak(
        PluralText("**{count} day ago**: {trade}", "**{count} days ago**: {trade}"), count=days, trade=told
    )


def _say_gap(desk: ToolDesk, rows: list[Json]) -> Reply | None:
    """Return how many days lie between trades that follow each other."""
    if len(rows) < 2:
        return None
    dates = sorted(date.fromisoformat(str(row["date"])) for row in rows)
    gaps = [(after - before).days for before, after in pairwise(dates)]
    speak = desk.speak
    head = speak(PluralText("**{count} day** between them", "**{count} days** between them"), count=gaps[0])
    if len(gaps) > 1:
        head = speak("Days between them: **{days}**", days=speak.join_items([str(gap) for gap in gaps]))
    return reply_of_lines(head, *(f"- {_say_row(desk, row, '', kept=False)}" for row in rows[:SHOWN]))


def _say_grouped(desk: ToolDesk, query: TradeQuery, rows: list[Json], rates: dict[str, float]) -> Reply | None:
    """Return securities by what their trades come to, the largest first, with how many those are."""
    speak, groups = desk.speak, dict[str, list[Json]]()
    for row in rows:
        groups.setdefault(str(row["symbol"]), []).append(row)
    if query.said.get("field") not in (None, "amount", "fees") or any(
        str(row["currency"]) not in rates for row in rows
    ):
        return None
    of = query.said.get("field") or "amount"

    def worth(own: list[Json]) -> float:
        return sum((_value_of(row, of) or 0) * rates[str(row["currency"])] for row in own)

    ordered = sorted(groups.items(), key=lambda each: worth(each[1]), reverse=query.said.get("order") != "min")
    desk.ranked.append(ordered[0][0])
    lines = []
    for symbol, own in ordered[:SHOWN]:
        money = wording.say_exact(desk, sum(_value_of(row, of) or 0 for row in own), currency=str(own[0]["currency"]))
        name = name_position(desk, symbol, own[0])
        lines.append(speak(PluralText("{name}: {money}, {count} trade", "{name}: {money}, {count} trades"),
                           name=name, money=money, count=len(own)))  # fmt: skip
    most = max(len(own) for own in groups.values())
    often = [name_position(desk, symbol, own[0]) for symbol, own in groups.items() if len(own) == most]
    if most > 1:
        lines.append(speak("Most often: {names}, {count} trades.", names=speak.join_items(often), count=most))
    return reply_of_lines(f"**{lines[0]}**", *lines[1:])


def _in_order(query: TradeQuery, rows: list[Json], rates: dict[str, float], *, several: bool) -> list[Json] | None:
    """Return trades in the order that is asked for, the newest first without one; None where it is not known."""
    order, of = query.said.get("order", ""), query.said.get("field", "")
    if order in ("old", "first"):
        return rows
    if order in ("max", "min") or "sort" in query.said:
        if not order and not of:
            return rows
        of = of or "amount"
        if several and of in _MONEY and any(str(row["currency"]) not in rates for row in rows):
            return None
        values = [(_value_of(row, of), row) for row in rows]
        known = [
            (value * (rates[str(row["currency"])] if several and of in _MONEY else 1), row)
            for value, row in values
            if value is not None
        ]
        known.sort(key=lambda each: each[0], reverse=order != "min")
        return [row for _, row in known] or None
    return rows[::-1]


def _say_count(desk: ToolDesk, query: TradeQuery, rows: list[Json], whole: list[Json], when: str) -> str:
    """Return how many trades were found; of how many, where a condition leaves some out."""
    speak = desk.speak
    given: Json = {"count": len(rows), "all": len(whole), "when": when}
    side = query.sides[0] if len(query.sides) == 1 else ""
    if len(rows) == len(whole):
        return (
            speak(PluralText("**{count} purchase**{when}", "**{count} purchases**{when}", by="count"), **given)
            if side == "buy"
            else speak(PluralText("**{count} sale**{when}", "**{count} sales**{when}", by="count"), **given)
            if side == "sell"
            else speak(PluralText("**{count} trade**{when}", "**{count} trades**{when}", by="count"), **given)
        )
    return (
        speak("**{count}** of {all} purchases{when}", **given)
        if side == "buy"
        else speak("**{count}** of {all} sales{when}", **given)
        if side == "sell"
        else speak("**{count}** of {all} trades{when}", **given)
    )


def _say_sums(desk: ToolDesk, rows: list[Json], of: str, total: object, *, average: bool) -> list[str]:
    """Return what a figure of trades comes to in all or on average, purchases and sales apart."""
    speak, lines = desk.speak, list[str]()
    for side in ("buy", "sell"):
        own = [row for row in rows if row["kind"] == side and _value_of(row, of) is not None]
        if not own:
            continue
        if of == "quantity":
            count = sum(float(row["quantity"]) for row in own)
            text = f"**{number(count / len(own) if average else count, 'shares')}**"
        else:
            sums, counts = dict[str, float](), dict[str, int]()
            for row in own:
                code = str(row["currency"])
                sums[code] = sums.get(code, 0.0) + float(_value_of(row, of) or 0)
                counts[code] = counts.get(code, 0) + 1
            if average or of == "price":
                sums = {code: value / counts[code] for code, value in sums.items()}
                parts = [wording.say_exact(desk, value, currency=code) for code, value in sums.items()]
                text = f"**{speak.join_items(parts)}**"
            else:
                text = say_sum(desk, dict(sorted(sums.items())), total, signed=of == "profit")
        given: Json = {"value": text, "count": len(own), "what": speak(_NAMES[of]) + " " if of in _NAMES else ""}
        if average or of == "price":
            lines.append(
                speak(PluralText("{what}{value} on average: {count} purchase",
                                 "{what}{value} on average: {count} purchases", by="count"), **given)
                if side == "buy"
                else speak(PluralText("{what}{value} on average: {count} sale",
                                      "{what}{value} on average: {count} sales", by="count"), **given)
            )  # fmt: skip
            continue
        lines.append(
            speak(PluralText("{what}{value}: {count} purchase", "{what}{value}: {count} purchases", by="count"),
                  **given)
            if side == "buy"
            else speak(PluralText("{what}{value}: {count} sale", "{what}{value}: {count} sales", by="count"), **given)
        )  # fmt: skip
    return lines


def _say_row(desk: ToolDesk, row: Json, of: str, *, kept: bool) -> str:
    """Return a trade with its security, and the figure that is asked for."""
    speak, currency = desk.speak, str(row.get("currency") or "")
    given: Json = {"name": name_position(desk, str(row["symbol"]), row), "trade": say_trade(desk, row)}
    if kept and row["kind"] == "buy" and 0 < float(row["left"] or 0) < float(row["quantity"]):
        return speak("{name}: {trade}; {left} of it left", left=number(float(row["left"]), "shares"), **given)
    if of in ("", "price", "quantity"):
        return speak("{name}: {trade}", **given)
    if of == "feerate":
        return speak("{name}: {trade}, fees {rate}%", rate=f"{_value_of(row, of) or 0:.3f}", **given)
    value = wording.say_exact(desk, _value_of(row, of), currency=currency, signed=of == "profit")
    if of == "amount":
        return speak("{name}: {trade}, {amount}", amount=value, **given)
    return speak("{name}: {trade}, {what} {value}", what=speak(_NAMES[of]), value=value, **given)
