"""North-bound trading: of a day, over a stretch, by channel, on the days past a bound, and in a row."""

import re
from dataclasses import replace
from itertools import groupby
from typing import Any

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE, RANGE, SESSIONS, SINCE, TimeSpan
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import market_days, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST_NORTHBOUND = 60
MOST_LISTED = 20
_WHICH_DAY = pattern(r"哪一?天|几号|单日|最[大多]|which day|what day|\b(?:biggest|largest)\b", re.I)
_IN_A_ROW = pattern(r"连续|连着|连买|连卖|连跌|连涨|\b(?:streak|in a row|running|straight|consecutive)\b", re.I)


def answer_northbound(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what was traded north-bound on the newest stored day, on the one that is named, or over a stretch."""
    name = wording.fact_name(desk, asked.facts[0])
    found = yield from desk.one("market.northbound", days=MOST_NORTHBOUND)
    if found.failure is not None:
        return wording.unreadable(desk, name, found.failure)
    if held := _BEFORE_IT.search(asked.words):
        return (yield from _answer_against(desk, asked, held[0], found))
    last = None if asked.spans else _LAST_WAY.search(asked.words)
    if last:
        return _say_last_way(desk, asked, found, out=bool(last["out"] or last["out_en"]))
    return (yield from _answer_traded(desk, asked, found))


def _answer_traded(desk: ToolDesk, asked: FactQuestion, found: DeskResult) -> Work[Reply]:
    """Answer what was traded on a day, or over a stretch of days."""
    speak, name = desk.speak, wording.fact_name(desk, asked.facts[0])
    if market_days.are_two_days(asked):
        return (yield from market_days.answer_both_days(desk, asked, answer_northbound))
    asked = replace(
        asked, spans=tuple(span for span in asked.spans if span.said in blank_numbers(asked.words).casefold())
    )
    rows = [row for row in wording.rows_of(found, "rows") if row.get("channel") == "north"]
    newest = str(rows[0].get("date")) if rows else ""
    span = asked.spans[0] if asked.spans else None
    if len(asked.spans) == 2 and FUTURE not in {each.kind for each in asked.spans}:
        return (yield from market_days.answer_both_days(desk, asked, answer_northbound))
    if span is not None and (len(asked.spans) > 1 or span.kind == FUTURE):
        return wording.refuse_time(desk, name, asked.spans[-1], newest)
    before: list[str] = []
    if span is not None:
        rows, before = yield from _northbound_rows(desk, rows, span)
    elif _IN_A_ROW.search(asked.words) and not _RUN_OF.search(asked.words):
        return _say_northbound_run(desk, rows, found)
    elif not (_WHICH_DAY.search(asked.words) or _RUN_OF.search(asked.words) or _BOUND.search(asked.words)):
        rows = rows[:1]
    if not rows:
        return reply_of_lines(
            speak("North-bound trading of “{time}” is not stored; the newest is of {date}.",
                  time=span.said if span else "", date=newest)
        )  # fmt: skip
    if lines := _say_past_bound(desk, asked.words, rows, found) or _say_longest_run(desk, asked.words, rows, found):
        return reply_of_lines(*before, *lines)
    row, mark = _total_northbound(rows), wording.simulated_mark(desk, found.get("simulated"))
    if row.get("net") is None:
        told = speak(
            "net buying is no longer published (since August 2024); {amount} yuan were traded",
            amount=wording.say_money(desk, row.get("turnover")),
        )
    else:
        told = speak(
            "net {net} yuan; bought {buy}, sold {sell}",
            net=wording.say_money(desk, row["net"], signed=True),
            buy=wording.say_money(desk, row.get("buy")),
            sell=wording.say_money(desk, row.get("sell")),
        )
    dates = [str(each.get("date")) for each in rows]
    when = dates[0] if len(dates) == 1 else speak("{first} to {last}, {count} days", first=dates[-1], last=dates[0],
                                                  count=len(dates))  # fmt: skip
    lines = [speak("**{name}** {told} ({date}){mark}", name=name, told=told, date=when, mark=mark)]
    if re.search(
        r"停止|不再|停了|停更|公布|披露|\b(?:stop\w*|still|publish\w*|disclos\w*|no longer)\b", asked.words, re.I
    ):
        lines.insert(0, _say_until(desk, found))
    if _BY_CHANNEL.search(asked.words):
        lines += _say_channels(desk, found, dates)
    if wording.EACH_DAY.search(asked.words) and len(rows) > 1:
        net = all(each.get("net") is not None for each in rows)
        lines += [
            f"- {each.get('date')} {wording.say_money(desk, each.get('net' if net else 'turnover'), signed=net)}"
            for each in rows[:MOST_LISTED]
        ]
    if _WHICH_DAY.search(asked.words):
        lines += _say_most(desk, rows, falls=_asks_sold(asked.words))
    return reply_of_lines(*before, *lines)


_BEFORE_IT = pattern(r"比(?:它)?前一?(?:天|日|个?交易日)|\b(?:than|versus|against) the (?:day|session) before\b", re.I)


def _answer_against(desk: ToolDesk, asked: FactQuestion, said: str, found: DeskResult) -> Work[Reply]:
    """Answer what was traded on a day against the day before it, where one day is named."""
    speak, name = desk.speak, wording.fact_name(desk, asked.facts[0])
    spans = [span for span in asked.spans if span.said not in said.casefold()]
    if len(spans) != 1 or spans[0].kind != DAY:
        return wording.ask_back(desk, (said,))
    rows = [row for row in wording.rows_of(found, "rows") if row.get("channel") == "north"]
    ours, before = yield from _northbound_rows(desk, rows, spans[0])
    older = [row for row in rows if ours and str(row.get("date")) < str(ours[0].get("date"))]
    if len(ours) != 1 or not older or ours[0].get("net") is None or older[0].get("net") is None:
        return wording.ask_back(desk, (said,))
    new, old = float(ours[0]["net"]), float(older[0]["net"])
    told = speak(
        "**{name}**: net {net} yuan on {date}, {old} on {day}: {change} against the day before{mark}",
        name=name,
        net=wording.say_money(desk, new, signed=True),
        date=ours[0].get("date"),
        old=wording.say_money(desk, old, signed=True),
        day=older[0].get("date"),
        change=wording.say_money(desk, new - old, signed=True),
        mark=wording.simulated_mark(desk, found.get("simulated")),
    )
    return reply_of_lines(*before, told)


_LAST_WAY = pattern(
    r"(?:上一?次|上一?回|最近一次|最后一次|前一次)(?:是)?(?:哪天|什么时候)?(?:净)?(?:(?P<out>流出|卖出)|流入|买入)"
    r"|\b(?:last|most recent(?:ly)?|latest)\b.{0,16}?\b(?:(?P<out_en>out|outflows?|sold|sell\w*|leave|left)|in|inflows?"
    r"|bought|buy\w*)\b",
    re.I,
)
"""The newest day of one way is asked for."""


def _say_last_way(desk: ToolDesk, asked: FactQuestion, found: DeskResult, *, out: bool) -> Reply:
    """Return on which stored day money from the north last flowed out, or in, and how much."""
    speak, name = desk.speak, wording.fact_name(desk, asked.facts[0])
    rows = [row for row in wording.rows_of(found, "rows") if row.get("channel") == "north"]
    known = [row for row in rows if wording.figure_of(row, "net") is not None]
    fits = [row for row in known if ((wording.figure_of(row, "net") or 0) < 0) == out]
    if not known or not fits:
        return reply_of_lines(speak("None of the stored days is one of them ({count} looked at).", count=len(known)))
    row, mark = fits[0], wording.simulated_mark(desk, found.get("simulated"))
    net = wording.say_money(desk, row["net"], signed=True)
    told = speak("**{name}**: last on **{date}**, net {net} yuan{mark}", name=name, date=row.get("date"), net=net,
                 mark=mark)  # fmt: skip
    return reply_of_lines(told)


_BY_CHANNEL = pattern(
    r"沪股通|深股通|分开|分别|各自?|渠道|\b(?:shanghai|shenzhen|each|channels?|separately|split|apart)\b", re.I
)
_CHANNELS = (("shanghai", "Shanghai Connect"), ("shenzhen", "Shenzhen Connect"))


def _say_channels(desk: ToolDesk, found: DeskResult, dates: list[str]) -> list[str]:
    """Return what was traded on some days through Shanghai and through Shenzhen."""
    speak, lines = desk.speak, list[str]()
    for channel, name in _CHANNELS:
        rows = [
            row for row in wording.rows_of(found, "rows") if row.get("channel") == channel and row.get("date") in dates
        ]
        total = _total_northbound(rows)
        if len(rows) != len(dates) or total.get("net") is None:
            return [speak("By channel it is not stored for all of these days.")]
        net = wording.say_money(desk, total["net"], signed=True)
        lines.append(
            speak("- {name}: net {net} yuan; bought {buy}, sold {sell}", name=speak(name), net=net,
                  buy=wording.say_money(desk, total.get("buy")), sell=wording.say_money(desk, total.get("sell")))
        )  # fmt: skip
    return lines


_BOUND = pattern(
    rf"(?:超过?|大于|高于|破|过|不止|达到?)\s*(?P<zh>{COUNT}|百亿|千亿)\s*(?P<unit>亿|万)?"
    rf"|\b(?:over|above|more than|at least|exceed\w*)\s+(?P<en>{COUNT})\s*(?P<en_unit>billion|bn|million|m)\b",
    re.I,
)
_UNITS = {"亿": 1e8, "万": 1e4, "billion": 1e9, "bn": 1e9, "million": 1e6, "m": 1e6}
_HUNDREDS = {"百亿": 1e10, "千亿": 1e11}
_OUT = pattern(r"卖|流出|s[eo]l[dl]|out ?flow|\bout\b", re.I)


def _say_past_bound(desk: ToolDesk, words: str, rows: list[Json], found: DeskResult) -> list[str]:
    """Return the days on which the net was beyond an amount; [] where the words name none."""
    match = _BOUND.search(words)
    if match is None:
        return []
    said = (match["zh"] or match["en"]).casefold()
    unit = _UNITS[(match["unit"] or match["en_unit"]).casefold()] if match["unit"] or match["en_unit"] else 1.0
    amount = _HUNDREDS.get(said) or (parse_count(said) or 0.0) * unit
    falls = _OUT.search(words) is not None
    known = [(value, str(row.get("date"))) for row in rows if (value := wording.figure_of(row, "net")) is not None]
    past = [(value, day) for value, day in known if (-value if falls else value) > amount]
    given: dict[str, Any] = {
        "amount": wording.say_money(desk, amount), "count": len(past), "days": len(known),
        "first": known[-1][1] if known else "", "last": known[0][1] if known else "",
        "mark": wording.simulated_mark(desk, found.get("simulated")),
    }  # fmt: skip
    speak = desk.speak
    if not known:
        return [speak("Net buying of the newest day is not known.")]
    if falls:
        bound = PluralText(
            "North-bound net selling above {amount} yuan on **{count} day** of {days} ({first} to {last}){mark}.",
            "North-bound net selling above {amount} yuan on **{count} days** of {days} ({first} to {last}){mark}.",
        )
    else:
        bound = PluralText(
            "North-bound net buying above {amount} yuan on **{count} day** of {days} ({first} to {last}){mark}.",
            "North-bound net buying above {amount} yuan on **{count} days** of {days} ({first} to {last}){mark}.",
        )
    told = [f"- {day} {wording.say_money(desk, value, signed=True)}" for value, day in past[:MOST_LISTED]]
    more = [] if past else [*_say_most(desk, rows, falls=falls), speak("Days before that are not looked at.")]
    return [speak(bound, **given), *told, *more]


_RUN_OF = pattern(
    rf"(?:连续|连着?)(?P<zh>{COUNT})(?:个)?(?:天|日|交易日)"
    rf"|\b(?P<en>{COUNT}) (?:days?|sessions?) (?:in a row|running|straight)"
    rf"|\b(?P<en2>{COUNT}) (?:consecutive|straight) (?:days?|sessions?)",
    re.I,
)


def blank_numbers(words: str) -> str:
    """Return a question without the amounts and the counts of days that an answer about north-bound trading reads."""
    return _RUN_OF.sub(" ", _BOUND.sub(" ", words))


def _real_times(asked: FactQuestion) -> tuple[TimeSpan, ...]:
    """Return the times of a question without counts of days in a row, and without "ever" beside another one."""
    rest = blank_numbers(asked.words).casefold()
    real = tuple(span for span in asked.spans if span.said in rest)
    return tuple(span for span in real if span.kind != EVER) or real


def _say_longest_run(desk: ToolDesk, words: str, rows: list[Json], found: DeskResult) -> list[str]:
    """Return whether the net was of one sign on so many days in a row, and when; [] where the words do not ask it."""
    match = _RUN_OF.search(words)
    count = int(parse_count((match["zh"] or match["en"] or match["en2"]).casefold()) or 0) if match else 0
    if not count:
        return []
    falls, speak = _OUT.search(words) is not None, desk.speak
    signs = [(wording.figure_of(row, "net"), str(row.get("date"))) for row in reversed(rows)]
    if any(net is None for net, _ in signs):
        return [speak("Net buying is not known of each of these days.")]
    runs = [list(run) for same, run in groupby(signs, key=lambda each: ((each[0] or 0.0) > 0) != falls) if same]
    long = [run for run in runs if len(run) >= count]
    longest = max(runs, key=len, default=[])
    given: dict[str, Any] = {
        "count": count, "first": signs[0][1], "last": signs[-1][1], "most": len(longest),
        "times": speak.join_items([speak("{first} to {last}", first=run[0][1], last=run[-1][1]) for run in long]),
        "mark": wording.simulated_mark(desk, found.get("simulated")),
    }  # fmt: skip
    if long:
        return [
            speak("**Yes**: north-bound net selling on at least {count} days in a row: {times}{mark}.", **given)
            if falls
            else speak("**Yes**: north-bound net buying on at least {count} days in a row: {times}{mark}.", **given)
        ]
    return [
        speak("**No**: north-bound net selling on at most {most} days in a row from {first} to {last}{mark}.", **given)
        if falls
        else speak("**No**: north-bound net buying on at most {most} days in a row from {first} to {last}{mark}.",
                   **given)
    ]  # fmt: skip


def _say_northbound_run(desk: ToolDesk, rows: list[Json], found: DeskResult) -> Reply:
    """Return on how many days in a row up to the newest one the net was of one sign."""
    nets = [wording.figure_of(row, "net") for row in rows]
    first = nets[0] if nets else None
    if first is None:
        return reply_of_lines(desk.speak("Net buying of the newest day is not known."))
    run = next((at for at, net in enumerate(nets) if net is None or (net > 0) != (first > 0)), len(nets))
    given: dict[str, Any] = {"count": run, "first": str(rows[run - 1].get("date")), "last": str(rows[0].get("date")),
             "mark": wording.simulated_mark(desk, found.get("simulated")),
             "sum": wording.say_money(desk, sum(net or 0.0 for net in nets[:run]), signed=True)}  # fmt: skip
    bought = PluralText(
        "North-bound net buying on **{count} day** in a row ({first} to {last}), {sum} yuan together{mark}.",
        "North-bound net buying on **{count} days** in a row ({first} to {last}), {sum} yuan together{mark}.",
    )
    sold = PluralText(
        "North-bound net selling on **{count} day** in a row ({first} to {last}), {sum} yuan together{mark}.",
        "North-bound net selling on **{count} days** in a row ({first} to {last}), {sum} yuan together{mark}.",
    )
    lines = [desk.speak(bought if first > 0 else sold, **given)]
    if run == len(nets):
        lines.append(desk.speak("More days are not stored, so the run may be longer."))
    return reply_of_lines(*lines)


def _say_until(desk: ToolDesk, found: DeskResult) -> str:
    """Return up to which day the net buying is known here."""
    rows = [row for row in wording.rows_of(found, "rows") if row.get("channel") == "north"]
    known = [str(row.get("date")) for row in rows if row.get("net") is not None]
    newest = str(rows[0].get("date"))
    if known and max(known) == newest:
        return desk.speak("Net buying is published up to the newest stored day, {date}.", date=newest)
    if known:
        return desk.speak("Net buying was published until {date}; since then only what was traded.", date=max(known))
    return desk.speak("Net buying is no longer published (since August 2024); what was traded is, up to {date}.",
                      date=newest)  # fmt: skip


_SIDES = pattern(r"(?P<sold>卖|流出|s[eo]l[dl]|outflow)|买|流入|b(?:uy|ought)|inflow", re.I)


def _asks_sold(words: str) -> bool:
    """Return True if the side that is named last is that of the sales: "buying or selling, the largest inflow"."""
    *_, last = [None, *_SIDES.finditer(words)]
    return last is not None and last["sold"] is not None


def _say_most(desk: ToolDesk, rows: list[Json], *, falls: bool) -> list[str]:
    """Return the day with the largest net buying, or selling."""
    known = [(value, str(row.get("date"))) for row in rows if (value := wording.figure_of(row, "net")) is not None]
    if not known:
        return []
    value, day = min(known) if falls else max(known)
    net = wording.say_money(desk, value, signed=True)
    if falls:
        return [desk.speak("Lowest net: {net} on {date}.", net=net, date=day)]
    return [desk.speak("Highest net: {net} on {date}.", net=net, date=day)]


def _northbound_rows(desk: ToolDesk, rows: list[Json], span: TimeSpan) -> Work[tuple[list[Json], list[str]]]:
    """Return the rows of a day or of a stretch of days, none where not all of it is stored, and what to say first."""
    if span.kind == SESSIONS or (span.kind == DAY and span.first is None):
        if span.kind == DAY:
            return rows[span.sessions : span.sessions + 1], []
        return (rows[: span.sessions] if span.sessions <= len(rows) else []), []
    first, last = f"{span.first}", f"{span.last}"
    if span.kind == DAY:
        same = [row for row in rows if str(row.get("date")) == first]
        older = [row for row in rows if str(row.get("date")) < first]
        if same or not older:
            return same, []
        calendar = yield from desk.one("calendar.trading", date=first, n=1)
        previous = wording.names_of(calendar.get("previous"))
        if calendar.get("is_trading_day") is False and previous and older[0].get("date") == previous[-1]:
            return older[:1], [desk.speak("{date} was no trading day; the session before it:", date=first)]
        if first == desk.request.day:
            return older[:1], [desk.speak("That of today ({date}) is not there yet; the newest:", date=first)]
        return [], []
    chosen = [row for row in rows if first <= str(row.get("date")) <= last and str(row.get("date")) != (
        first if span.kind == SINCE else "")]  # fmt: skip
    whole = bool(rows) and str(rows[-1].get("date")) <= first
    return (chosen if span.kind in (RANGE, SINCE) and whole else []), []


def _total_northbound(rows: list[Json]) -> Json:
    """Return the sums over some days; None of what is not known of each."""
    total: Json = {}
    for key in ("net", "buy", "sell", "turnover"):
        values = [wording.figure_of(row, key) for row in rows]
        known = [value for value in values if value is not None]
        total[key] = sum(known) if len(known) == len(values) else None
    return total
