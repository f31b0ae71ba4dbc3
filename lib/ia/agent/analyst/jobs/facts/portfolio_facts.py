"""Facts of all positions: which rose or fell, which trade was the first, and whether a position is too big."""

import re
from dataclasses import replace
from datetime import date
from itertools import pairwise

from ia.agent.analyst.ask.facts import FactQuestion, condition_words
from ia.agent.analyst.ask.mentions import Mention, find_mentions
from ia.agent.analyst.ask.time_spans import FUTURE, SESSIONS, TimeSpan, blank_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.daily import positions_of
from ia.agent.analyst.jobs.facts import account_facts, group_facts, holding_facts, journal_rows, result_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import SpanBars
from ia.agent.analyst.jobs.facts.extreme_facts import each_security, say_price, span_of
from ia.agent.analyst.jobs.facts.held import name_position
from ia.agent.analyst.jobs.facts.result_facts import Days
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_DOWN = pattern(r"跌|下跌|\b(?:f[ae]ll\w*|drop\w*|down|lost|declin\w+|lower)\b", re.I)


def answer_moved(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which of the positions rose, or fell, in price: today, or over the days that are named."""
    speak = desk.speak
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = positions_of(status)
    if not held:
        return reply_of_lines(speak("Nothing is held."))
    if len(asked.spans) > 1:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans[1:]))
    today = date.fromisoformat(desk.request.day)
    days = (yield from result_facts.read_account_days(desk, asked.spans[0])) if asked.spans else Days(today, today, "")
    if days is None:
        return wording.ask_back(desk, (asked.spans[0].said,))
    changes = yield from result_facts.price_changes(desk, [symbol for symbol, _ in held], days)
    down = bool(_DOWN.search(asked.words))
    names = {symbol: name_position(desk, symbol, each) for symbol, each in held}
    moved = sorted((change, symbol) for symbol, change in changes.items() if (change < 0 if down else change > 0))
    if not down:
        moved.reverse()
    when = days.label or desk.request.day
    given: Json = {"count": len(moved), "all": len(changes), "days": when,
                   "mark": wording.simulated_mark(desk, status.get("simulated"))}  # fmt: skip
    head = (
        speak(
            PluralText(
                "**{count}** of {all} position fell in price ({days}).{mark}",
                "**{count}** of {all} positions fell in price ({days}).{mark}",
                by="all",
            ),
            **given,
        )
        if down
        else speak(
            PluralText(
                "**{count}** of {all} position rose in price ({days}).{mark}",
                "**{count}** of {all} positions rose in price ({days}).{mark}",
                by="all",
            ),
            **given,
        )
    )
    lines = [f"- {names[symbol]} **{wording.say_percent(change)}**" for change, symbol in moved]
    if unknown := [names[symbol] for symbol, _ in held if symbol not in changes]:
        lines.append(speak("No close of these days: {names}.", names=speak.join_items(unknown)))
    return reply_of_lines(head, *lines)


_BOUND = pattern(
    rf"(?:超过?|大于|多于|高于|不止|more than|over|above|at least|by|至少)*\s*(?P<n>{COUNT})\s*(?:%|％|per ?cent|个点)"
    r"(?:以上|or more)?",
    re.I,
)


def answer_moved_by(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which of the positions rose, or fell, in price by so many per cent or more over some days."""
    speak, bound = desk.speak, _BOUND.search(asked.words)
    rest = blank_spans(asked.words, asked.spans)
    if bound is not None:
        rest = rest.replace(bound[0], " ", 1)
    if (unread := condition_words(rest)) or bound is None or len(asked.spans) != 1:
        return wording.ask_back(desk, tuple(unread) or tuple(span.said for span in asked.spans))
    loaded = yield from _load_changes(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held, changes, label = loaded
    down, least = bool(_DOWN.search(asked.words)), parse_count(bound["n"].casefold()) or 0.0
    sign = -1 if down else 1
    moved = [(symbol, change) for symbol, change in changes if sign * change >= least][::sign]
    given: Json = {"count": len(moved), "all": len(changes), "bound": f"{least:g}", "days": label,
                   "mark": wording.simulated_mark(desk, status.get("simulated"))}  # fmt: skip
    head = (
        speak("**{count}** of {all} fell by {bound}% or more in price ({days}).{mark}", **given)
        if down
        else speak("**{count}** of {all} rose by {bound}% or more in price ({days}).{mark}", **given)
    )
    lines = [f"- {held[symbol]} **{wording.say_percent(change)}**" for symbol, change in moved]
    return reply_of_lines(head, *lines, *_say_unknown(desk, held, changes))


def answer_strongest(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a security rose, or fell, most of what is held over the days that are named, with its place."""
    speak, down = desk.speak, bool(_WEAKEST.search(asked.words))
    if len(asked.spans) != 1 or len(asked.securities) != 1:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    loaded = yield from _load_changes(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held, changes, label = loaded
    mention = asked.securities[0]
    order = changes[::-1] if down else changes
    place = next((at for at, (symbol, _) in enumerate(order, 1) if symbol == mention.code), 0)
    if mention.code not in held:
        return reply_of_lines(speak("{name}: you hold none.", name=wording.head_of(desk, mention)))
    if not place:
        return reply_of_lines(*_say_unknown(desk, held, changes))
    told = speak.join_clauses([f"{held[symbol]} {wording.say_percent(change)}" for symbol, change in order])
    given: Json = {"name": wording.head_of(desk, mention), "place": place, "all": len(order), "days": label,
                   "change": wording.say_percent(dict(order)[mention.code]),
                   "mark": wording.simulated_mark(desk, status.get("simulated"))}  # fmt: skip
    head = (
        speak("**Yes**: {name} is first of {all} by its price: {change} ({days}).{mark}", **given)
        if place == 1
        else speak("**No**: {name} is number {place} of {all} by its price: {change} ({days}).{mark}", **given)
    )
    return reply_of_lines(head, speak("In order: {names}.", names=told), *_say_unknown(desk, held, changes))


_WEAKEST = pattern(r"最[弱差]|跌得?最|\b(?:weakest|worst|fell|dropped|lost|down)\b", re.I)


def _load_changes(
    desk: ToolDesk, asked: FactQuestion
) -> Work[tuple[DeskResult, dict[str, str], list[tuple[str, float]], str] | Reply]:
    """Return the account, the names of what is held, the change in price of each, the best first, and the days."""
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, desk.speak("the ledger"), status.failure)
    held = {symbol: name_position(desk, symbol, each) for symbol, each in positions_of(status)}
    if not held:
        return reply_of_lines(desk.speak("Nothing is held."))
    days = yield from result_facts.read_account_days(desk, asked.spans[0])
    if days is None:
        return wording.ask_back(desk, (asked.spans[0].said,))
    found = yield from result_facts.price_changes(desk, list(held), days)
    changes = sorted(found.items(), key=lambda row: -row[1])
    return status, held, changes, days.label or desk.request.day


def _say_unknown(desk: ToolDesk, held: dict[str, str], changes: list[tuple[str, float]]) -> list[str]:
    known = dict(changes)
    unknown = [name for symbol, name in held.items() if symbol not in known]
    return [desk.speak("No close of these days: {names}.", names=desk.speak.join_items(unknown))] if unknown else []


def answer_first_trade(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which trade was the first, of a security or of all."""
    speak = desk.speak
    kind = "sell" if re.search(r"卖|\b(?:sell|sold|sale)\b", asked.words, re.I) else (
        "buy" if re.search(r"买|\b(?:buy|bought|purchase)", asked.words, re.I) else "")  # fmt: skip
    args: list[Json] = [{"symbol": each.code} for each in asked.securities[:1]] or [{}]
    result = yield from desk.one("trade.list", limit=holding_facts.LIMIT, **args[0])
    if result.failure is not None:
        return wording.unreadable(desk, speak("the journal"), result.failure)
    if len(wording.rows_of(result.value)) >= holding_facts.LIMIT:
        return reply_of_lines(
            speak("The journal has more than {count} entries, so I do not see the first: `ia trade list` does.",
                  count=holding_facts.LIMIT - 1)
        )  # fmt: skip
    rows = [row for row in journal_rows.trades_of(result) if kind in ("", row.get("kind"))]
    if not rows:
        return reply_of_lines(speak("The journal has no such trade."))
    first = [row for row in rows if row.get("date") == rows[0].get("date")]
    told = [
        f"{name_position(desk, str(row.get('symbol')), row)}{speak(': ')}**{account_facts.say_trade(desk, row)}**"
        for row in first[: account_facts.SHOWN]
    ]
    lead = speak(PluralText("{count} trade on the first day:", "{count} trades on the first day:"), count=len(told))
    return reply_of_lines(*([lead, *(f"- {each}" for each in told)] if told[1:] else told))


def answer_too_big(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a position is above the position limit."""
    speak, limit, lines = desk.speak, desk.request.limits.get("position_pct"), list[str]()
    if limit is None:
        return reply_of_lines(speak("No risk rules are in force yet: they begin with the first entry of the ledger."))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held, books = wording.objects_of(status, "positions"), wording.objects_of(status, "currencies")
    for mention in asked.securities[: account_facts.SHOWN]:
        weight = wording.figure_of(held.get(mention.code), "limit_weight_pct")
        if weight is None:
            lines.append(speak("{name}: you hold none now, or its weight is not known.",
                               name=wording.head_of(desk, mention)))  # fmt: skip
            continue
        given: Json = {"name": wording.head_of(desk, mention), "weight": f"{weight:.2f}", "limit": f"{limit:g}",
                       "account": wording.name_account(desk, books, held[mention.code].get("currency")),
                       "mark": wording.simulated_mark(desk, status.get("simulated"))}  # fmt: skip
        lines.append(
            speak("{name}: **above your limit**: {weight}% of {account}, at most {limit}%.{mark}", **given)
            if weight > limit
            else speak("{name}: **within your limit**: {weight}% of {account}, at most {limit}%: {room} points are"
                       " left.{mark}", room=f"{limit - weight:.2f}", **given)
        )  # fmt: skip
    return reply_of_lines(*lines)


def answer_watch_list(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what is on the watch list and why, as it is written there; of a group, where one is named."""
    speak, group = desk.speak, (yield from group_facts.find_group(desk, asked.words))
    result = yield from desk.one("watch.list", **({"group": group} if group else {}))
    if result.failure is not None:
        return wording.unreadable(desk, speak("the watch list"), result.failure)
    told = [f"- {wording.say_watched(desk, row)}" for row in wording.rows_of(result, "items")]
    if not told:
        return reply_of_lines(speak("The watch list is empty; `ia watch add 600519 --because WHY` fills it."))
    head = speak("Of the group **{group}**:", group=group) if group else ""
    return reply_of_lines(head or speak("The watch list (`memory/tracking.md`):"), *told)


NEWEST = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=1)
HELD, CLOSES = 10, 5
"""Holdings whose closes are told, and closes of each."""


def answer_held_closes(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer the closes of what is held, of the day or the days that are named, else of the newest."""
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, desk.speak("the ledger"), status.failure)
    rows = wording.objects_of(status, "positions")
    held = [mention for code in rows for mention in find_mentions(code)]
    if not held:
        return reply_of_lines(desk.speak("Nothing is held."))
    span = span_of(asked, NEWEST)
    if span is None or span.kind == FUTURE:
        return wording.ask_back(desk, tuple(each.said for each in asked.spans))

    def say(mention: Mention, found: SpanBars) -> list[str]:
        closes = [
            desk.speak("{date} {close} ({change})", date=row.date[5:], close=say_price(desk, row.close),
                       change=number(row.close / before.close * 100 - 100, "percent", desk.speak))
            for before, row in pairwise(found.with_base)
        ]  # fmt: skip
        name = wording.security_name(desk, mention.code, rows[mention.code].get("name"))
        mark = wording.simulated_mark(desk, found.simulated)
        return [f"{name}{mark}{desk.speak(': ')}{desk.speak.join_items(closes[-CLOSES:])}"]

    return (yield from each_security(desk, replace(asked, securities=tuple(held)), span, say, adjust="none", most=HELD))


ANSWERS = {
    "held_closes": answer_held_closes,
    "moved": answer_moved,
    "moved_by": answer_moved_by,
    "strongest": answer_strongest,
    "first_trade": answer_first_trade,
    "too_big": answer_too_big,
    "watch_list": answer_watch_list,
}
