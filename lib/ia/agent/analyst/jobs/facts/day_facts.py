"""A day as a whole, with what its owner did; this week against the last; a part of the account in money."""

import re
from datetime import timedelta

from ia.agent.analyst.ask.amounts import find_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.leftover_words import find_leftovers
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, RANGE, TimeSpan, blank_spans
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs import own_notes
from ia.agent.analyst.jobs.facts import result_facts, wording
from ia.agent.analyst.jobs.facts.account_facts import say_trade
from ia.agent.analyst.jobs.facts.bar_rows import BarRow, SpanBars, load_spans, period_of
from ia.agent.analyst.jobs.facts.held import name_position
from ia.agent.analyst.jobs.facts.journal_rows import LIMIT
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.instruments.indices import MAIN_INDICES
from ia.domain.instruments.symbols import symbol_of_kind
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

INDICES, SHOWN = 4, 3


def answer_day_story(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what happened on a day: the market, what the owner traded and wrote, and the alerts that came true."""
    speak, span = desk.speak, asked.spans[0] if len(asked.spans) == 1 else None
    if span is None or span.kind != DAY or asked.times:
        return wording.ask_back(desk, asked.times or tuple(each.said for each in asked.spans))
    named = tuple(Mention(symbol_of_kind(code), code) for code in MAIN_INDICES[:INDICES])
    loaded = yield from load_spans(desk, named, span)
    told, day, simulated = [], f"{span.first}" if span.first else "", False
    for mention, found in zip(named, loaded, strict=True):
        if not isinstance(found, DeskResult) and found.rows and found.base is not None:
            day, simulated = found.rows[-1].date, simulated or found.simulated
            change = wording.say_percent(found.rows[-1].close / found.base.close * 100 - 100)
            told.append(f"{wording.short_name(desk, mention)} **{change}**")
    if not day:
        return wording.ask_back(desk, (span.said,))
    mark = wording.simulated_mark(desk, simulated)
    lines = [
        f"**{day}**{speak(': ')}{speak.join_clauses(told)}{mark}"
        if told
        else speak("**{day}**: no index has a bar of that day (closed, or not stored).", day=day)
    ]
    if told:
        lines += yield from _say_breadth(desk, day)
    lines += yield from _say_own_day(desk, day)
    return reply_of_lines(*lines)


def _say_breadth(desk: ToolDesk, day: str) -> Work[list[str]]:
    """Return how many stocks rose and fell on a day, where it is stored."""
    found = yield from desk.one("market.summary", date=day)
    boards = wording.rows_of(found, "boards") if found.ok and wording.result_day(found) == day else []
    if not boards:
        return [desk.speak("How many stocks rose and fell that day is not stored.")]
    return [
        desk.speak("{up} stocks up, {down} down; median {median}.", up=boards[0].get("up"), down=boards[0].get("down"),
                   median=wording.say_percent(boards[0].get("median_pct")))
    ]  # fmt: skip


def _say_own_day(desk: ToolDesk, day: str) -> Work[list[str]]:
    """Return what the owner traded and wrote on a day, the alerts that came true; that there is none."""
    speak = desk.speak
    trades, notes, alerts = yield from desk.run(
        DeskCall("trade.list", {"limit": LIMIT}), DeskCall("notebook.list", {}),
        DeskCall("alert.list", {}),
    )  # fmt: skip
    rows = [row for row in wording.rows_of(trades.value) if row.get("date") == day] if trades.ok else []
    traded = [row for row in rows if row.get("kind") in ("buy", "sell")]
    written = own_notes.notes_within(desk, notes, day, day) if notes.ok else []
    told = (
        [row for row in wording.rows_of(alerts, "alerts") if day in (row.get("crossings") or [])] if alerts.ok else []
    )
    lines, none = [], []
    if traded:
        lines += [
            f"- {name_position(desk, str(row['symbol']), row)}{speak(': ')}{say_trade(desk, row)}"
            for row in traded[:SHOWN]
        ]
        if len(traded) > SHOWN:
            lines.append(speak("{count} more: `ia trade list`", count=len(traded) - SHOWN))
    else:
        none.append(speak("no trade"))
    if written:
        lines.append(
            speak("You wrote: {paths}.", paths=speak.join_items([f"`{path}`" for _, path, _ in written[:SHOWN]]))
        )
    else:
        none.append(speak("no note"))
    if told:
        names = [
            f"{wording.name_alone(desk, str(row['symbol']), row.get('security'))} `{row['condition']}`"
            for row in told[:SHOWN]
        ]
        lines.append(speak("Alerts that came true: {names}.", names=speak.join_items(names)))
    else:
        none.append(speak("no alert"))
    if none:
        lines.append(speak("Of your own that day: {none}.", none=speak.join_items(none)))
    return lines


_UNITS = (
    ("week", pattern(r"周|星期|礼拜|\bweek", re.I)),
    ("month", pattern(r"月|\bmonth", re.I)),
    ("year", pattern(r"年|\byear", re.I)),
)
_PAIR = pattern(
    r"(?:本|这个?|今)(?:周|星期|礼拜|月|年)(?:的?(?:表现|涨跌|走势|行情))?"
    r"(?:比|跟|和|与|对比|相比|较|vs\.?)(?:起)?(?:上个?|去)(?:周|星期|礼拜|月|年)(?:相比|比较|比|对比)?"
    r"|\bthis (?:week|month|year)(?:['’]s)?\b.{0,24}?\b(?:vs\.?|versus|against|compared? (?:to|with)|than|and)\s+"
    r"(?:the )?last"
    r"(?: (?:week|month|year)(?:['’]s)?)?\b",
    re.I,
)
"""This week against the last."""
_READ = pattern(
    r"大盘|市场|股市|[Aa]股|指数|比|相比|对比|较|起来|\b(?:the )?(?:stock )?markets?\b|\bcompar\w+|\bperform\w*"
    r"|\b(?:better|worse|stronger|weaker)\b|更?[好差强弱]",
    re.I,
)


_READ_OWN = pattern(
    rf"{_READ.pattern}|我的?|账户|组合|盈亏|收益|[赚亏]了?|\b(?:my|me|account|portfolio|profit|result|made?|earn\w*)\b",
    re.I,
)


def answer_period_against(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how securities, or the main indices, did this week, month or year, against the one before."""
    speak, plain = desk.speak, strip_mentions(asked.words)
    pair = _PAIR.search(plain)
    unit = next((name for name, form in _UNITS if pair and form.search(pair[0])), "")
    if pair is None or not unit:
        return wording.ask_back(desk, tuple(each.said for each in asked.spans))
    form = _READ_OWN if asked.facts[0].field == "account" else _READ
    rest = form.sub(" ", blank_spans(plain[: pair.start()] + " " * len(pair[0]) + plain[pair.end() :], ()))
    if left := find_leftovers(rest, "move"):
        return wording.ask_back(desk, left)
    today = desk.request.moment.date()
    begin = today - timedelta(days=today.weekday()) if unit == "week" else today.replace(day=1)
    begin = begin.replace(month=1) if unit == "year" else begin
    end = begin - timedelta(days=1)
    before = begin - timedelta(days=7) if unit == "week" else end.replace(day=1)
    before = before.replace(month=1) if unit == "year" else before
    now, then = (
        TimeSpan(kind=RANGE, said="", at=(0, 0), first=first, last=last, days=True)
        for first, last in ((begin, today), (before, end))
    )
    if asked.facts[0].field == "account":
        return (yield from _answer_account(desk, now, then))
    named = asked.securities[:4] or tuple(Mention(symbol_of_kind(code), code) for code in MAIN_INDICES[:INDICES])
    newer = yield from load_spans(desk, named, now)
    older = yield from load_spans(desk, named, then)
    lines = [_say_both(desk, *each) for each in zip(named, newer, older, strict=True)]
    return reply_of_lines(*lines, speak("Changes of the close, each from the last close before its first day."))


def _answer_account(desk: ToolDesk, now: TimeSpan, then: TimeSpan) -> Work[Reply]:
    """Return what the account brought in a stretch and in the one before it."""
    lines = []
    for span in (now, then):
        lines += (yield from result_facts.answer_over(desk, span)).lines[:6]
    return reply_of_lines(*lines)


def _say_both(desk: ToolDesk, mention: Mention, now: SpanBars | DeskResult, then: SpanBars | DeskResult) -> str:
    """Return the change of a stretch and of the one before it, and their difference."""
    if isinstance(now, DeskResult) or isinstance(then, DeskResult):
        failure = next((each.failure for each in (now, then) if isinstance(each, DeskResult)), None)
        return reply.describe_no_prices(desk, mention.said, failure or NO_BARS)
    name = wording.head_of(desk, mention)
    if not (now.rows and then.rows and now.base and then.base):
        return desk.speak("{name}: not both stretches have prices; the newest is of {last}.", name=name, last=now.last)
    one, other = _change(now.rows, now.base), _change(then.rows, then.base)
    given: Json = {
        "name": name, "now": wording.say_percent(one), "then": wording.say_percent(other), "first": period_of(now.rows),
        "second": period_of(then.rows), "gap": f"{abs(one - other):.2f}",
        "mark": wording.simulated_mark(desk, now.simulated),
    }  # fmt: skip
    return (
        desk.speak("{name}: **{now}** ({first}) after {then} ({second}): {gap} points better{mark}", **given)
        if one >= other
        else desk.speak("{name}: **{now}** ({first}) after {then} ({second}): {gap} points worse{mark}", **given)
    )


def _change(rows: list[BarRow], base: BarRow) -> float:
    return rows[-1].close / base.close * 100 - 100


_PERCENT = pattern(rf"(?P<n>{COUNT})\s*(?:%|％|per ?cent)|百分之(?P<zh>{COUNT})", re.I)
_CASH = pattern(r"现金|\bcash\b", re.I)


def answer_part_of_account(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what so many per cent of the whole account, or of the cash, are in money."""
    speak, found = desk.speak, _PERCENT.search(asked.words)
    part = parse_count((found["n"] or found["zh"]).casefold()) if found else None
    if found is None or part is None or len(_PERCENT.findall(asked.words)) > 1:
        return reply_of_lines(speak("How many per cent? For example “what is 5% of my portfolio”."))
    if asked.spans and (span := wording.other_day(asked, desk.request.day)):
        return wording.ask_back(desk, (span.said,))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    books, total = wording.objects_of(status, "currencies"), status.get("total")
    key = "cash" if _CASH.search(asked.words) else "equity"
    whole = total if isinstance(total, dict) and len(books) > 1 and total.get(key) is not None else None
    base = str((whole or {}).get("currency") or next(iter(books), ""))
    amount = float(whole[key]) if whole else float(books[base].get(key) or 0) if len(books) == 1 else None
    if amount is None:
        told = [
            wording.say_exact(desk, float(book.get(key) or 0) * part / 100, currency=code)
            for code, book in books.items()
        ]
        return reply_of_lines(speak("{part}% by currency: {told}.", part=f"{part:g}", told=speak.join_clauses(told)))
    given: Json = {
        "part": f"{part:g}", "money": wording.say_exact(desk, amount * part / 100, currency=base),
        "all": wording.say_exact(desk, amount, currency=base),
        "mark": wording.simulated_mark(desk, status.get("simulated")),
    }  # fmt: skip
    more = []
    if wanted := next((each for each in find_currencies(asked.words) if each != base), ""):
        rate = yield from wording.load_rate(desk, base, wanted)
        if rate is None:
            return reply_of_lines(speak("I have no exchange rate from {base} to {wanted}.", base=base, wanted=wanted))
        more = [wording.say_converted(desk, amount * part / 100, rate)]
    return reply_of_lines(
        *more,
        speak("**{money}**: {part}% of {all} in cash.{mark}", **given)
        if key == "cash"
        else speak("**{money}**: {part}% of {all}, cash included.{mark}", **given),
    )


ANSWERS = {
    "day_story": answer_day_story,
    "period_against": answer_period_against,
    "part_of_account": answer_part_of_account,
}
