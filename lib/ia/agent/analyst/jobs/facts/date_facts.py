"""Facts of dates to come, and of news: what is known of each, from which source; nothing is judged by it."""

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import FUTURE, RANGE
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.held import load_held
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import NotFound, PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.organs.market.coming_dates import describe_date

MOST = 4
"""So many securities are answered for."""
SHOWN = 12
HELD, WATCHED = "held", "watch"
"""The field of a fact that is about what is held without what is only watched, or the other way round."""
NEWS = 5
AROUND = 5
"""Days before a move from which items are shown with it."""
READ = 40
"""Items that are looked through for those around a move."""
AHEAD = 400
"""Days in which the next date of a security is looked for."""
USUAL = 30
"""Days that are shown where a question names no time."""
_COUNTS = {"一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "十": 10, "半": 0}
_NUMBERED = pattern(
    r"(?:未来|接下来|今后|往后|后面?)的?\s*(\d{1,3}|[一两二三四五六七十])?\s*个?(天|日|周|星期|月)"
    r"|\b(?:next|coming|following)\s+(\d{1,3}|two|three|four)?\s*(days?|weeks?|months?)\b",
    re.I,
)
_ENGLISH_COUNTS = {"two": 2, "three": 3, "four": 4}
_NEXT_WEEK = pattern(r"下个?(?:周|星期)|\bnext week\b", re.I)
_THIS_WEEK = pattern(r"[本这]个?(?:周|星期)|\bthis week\b", re.I)
_NEXT_MONTH = pattern(r"下个?月|\bnext month\b", re.I)
_THIS_MONTH = pattern(r"[本这]个?月|\bthis month\b", re.I)
_KINDS = (
    ("report", pattern(r"财报|年报|季报|中报|业绩|披露|\b(?:earnings|results|reports?|reporting)\b", re.I)),
    ("ex-dividend", pattern(r"分红|派息|除权|除息|股息|\b(?:dividends?|ex-?dates?|ex-dividend)\b", re.I)),
    ("lock-up", pattern(r"解禁|限售|\block-?ups?\b", re.I)),
    ("closed", pattern(r"休市|放假|假期|\b(?:holidays?|closed)\b", re.I)),
)


_NAMES = {
    "report": mark_text("report date"),
    "ex-dividend": mark_text("ex-date"),
    "lock-up": mark_text("lock-up expiry"),
    "closed": mark_text("closed day"),
}
_ANNOUNCED = pattern(r"公告|\b(?:announcements?|announced?|filings?)\b", re.I)
_NEWS = pattern(r"新闻|消息|\b(?:news|headlines?)\b", re.I)
"""Words for announcements alone, and for news, of which announcements are a kind."""


class Window(NamedTuple):
    """The days that a question means, and its words for them; "" where it names none."""

    first: date
    last: date
    said: str


_HELD_ALONE = pattern(r"持仓|持有|手[里上]的?(?:股|票)|\b(?:holdings?|positions?|portfolio|i (?:own|hold))\b", re.I)
_WATCHED_TOO = pattern(r"自选|关注|\bwatch\w*|\btrack\w*|\bfollow\w*", re.I)


def _keep_held(asked: FactQuestion) -> FactQuestion:
    """Return a question for dates with the field of what is held, where its words say so and name no watch list."""
    first, words = asked.facts[0], asked.words
    if first.field in (HELD, WATCHED) or _WATCHED_TOO.search(words) or not _HELD_ALONE.search(words):
        return asked
    return replace(asked, facts=(first._replace(field=HELD), *asked.facts[1:]))


def answer_dates(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which dates are ahead: of the securities that are named, else of what is held and watched."""
    speak, asked = desk.speak, _keep_held(asked)
    window = find_window(asked, date.fromisoformat(desk.request.day))
    if unread := tuple(word for word in asked.unread if word not in window.said):
        return wording.ask_back(desk, unread)
    kinds = [kind for kind, words in _KINDS if words.search(asked.words)]
    days = (window.last - window.first).days if window.said or not asked.securities else AHEAD
    held = _is_of_holdings(asked)
    if held and not window.said:
        days = AHEAD
    args: Json = {"since": f"{window.first}", "days": days}
    if asked.securities:
        args["symbols"] = [mention.code for mention in asked.securities[:MOST]]
    elif asked.facts[0].field == WATCHED:
        watched = yield from desk.one("market.observe", of="watch")
        args["symbols"] = wording.names_of(watched.get("symbols"))
        if not args["symbols"]:
            return reply_of_lines(speak('Nothing is watched: "track 600519" puts a security on the list.'))
    elif held:
        status = yield from load_held(desk, replace(asked, spans=()))
        if isinstance(status, Reply):
            return status
        args["symbols"] = [symbol for symbol, _ in status[1]]
    if len(kinds) == 1:
        args["kind"] = kinds[0]
    found = yield from desk.one("market.calendar", **args)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    rows = [row for row in wording.rows_of(found, "dates") if not kinds or row["kind"] in kinds]
    if (asked.securities or held) and not kinds:
        rows = [row for row in rows if row["kind"] != "closed"]
    if held and not window.said:
        rows = _keep_next(rows)
    span = {"since": found.get("since"), "until": found.get("until")}
    whose = _say_whose(desk, asked, found, held=held)
    if rows:
        lines = [
            speak("**{since} to {until}**, {whose}:", whose=whose, **span) + simulated_dates_mark(desk, found),
            *(f"- {_say_row(desk, row)}" for row in rows[:SHOWN]),
        ]
        if len(rows) > SHOWN:
            lines.append(speak("`ia calendar --since {since} --until {until}` lists all {count}.", count=len(rows),
                               **span))  # fmt: skip
    else:
        what = speak(_NAMES[kinds[0]]) if len(kinds) == 1 else speak("report or dividend date")
        text = "On {since} no {what} is known, {whose}." if span["since"] == span["until"] else (
            "From {since} to {until} no {what} is known, {whose}."
        )  # fmt: skip
        lines = [speak(text, what=what, whose=whose, **span)]
    return reply_of_lines(*lines, *say_missing_dates(desk, found))


def _keep_next(rows: list[Json]) -> list[Json]:
    """Return the next date of each kind of each security; of a report that is not published yet."""
    kept: dict[tuple[str, str], Json] = {}
    for row in rows:
        if row["status"] != "published":
            kept.setdefault((str(row["symbol"]), str(row["kind"])), row)
    return list(kept.values())


_OWNED = pattern(
    r"持仓|持股|持有的|手[里上头]的?|我(?:自己)?(?:拿着|买了?)的"
    r"|\b(?:i|we) (?:currently |actually |already )?(?:own|hold|have bought)\b"
    r"|\b(?:my|our) (?:\w+ )?(?:holdings?|positions?|portfolio)\b"
    r"|\bwhat i[''’]?(?: own|ve bought| hold)\b",
    re.I,
)
_WATCHING = pattern(r"自选|关注|\bwatch\w*|\bfollow\w*|\btrack\w*", re.I)


def _is_of_holdings(asked: FactQuestion) -> bool:
    """Return True if dates of what is held are asked for, without what is only watched."""
    if asked.securities or asked.facts[0].field == WATCHED:
        return False
    return asked.facts[0].field == HELD or (
        _OWNED.search(asked.words) is not None and _WATCHING.search(asked.words) is None
    )


def _say_whose(desk: ToolDesk, asked: FactQuestion, found: DeskResult, *, held: bool) -> str:
    speak = desk.speak
    if asked.securities:
        return speak.join_items([wording.short_name(desk, mention) for mention in asked.securities[:MOST]])
    if held:
        return speak("of what you hold")
    if asked.facts[0].field == WATCHED:
        return speak("of what you watch")
    if not found.get("symbols"):
        return speak("nothing is held or watched (`ia watch add 600519` adds a security)")
    return speak("of what you hold and watch")


def _say_row(desk: ToolDesk, row: Json) -> str:
    speak = desk.speak
    told = speak.say(describe_date(row))
    if row["kind"] == "closed":
        return f"{row['date']} {told}"
    name = wording.name_alone(desk, str(row["symbol"]), row["name"])
    return speak("{date} {name} {symbol}: {told}", date=row["date"], name=name, symbol=row["symbol"], told=told)


def simulated_dates_mark(desk: ToolDesk, found: DeskResult) -> str:
    """Return the remark that dates are invented; "" for real ones."""
    return desk.speak(" (simulated dates)") if found.get("simulated") else ""


def say_missing_dates(desk: ToolDesk, found: DeskResult) -> list[str]:
    """Return which securities no source covers, and of which a source failed."""
    speak = desk.speak
    uncovered, failed = _split_missing(desk, found)
    lines = []
    if uncovered:
        lines.append(
            speak(
                "No source has coming dates of {symbols}; there is one for mainland stocks and Hong Kong ex-dates.",
                symbols=uncovered,
            )
        )
    if failed:
        lines.append(speak("The dates of {symbols} could not be fetched now.", symbols=failed))
    return lines


def _split_missing(desk: ToolDesk, found: DeskResult) -> tuple[str, str]:
    """Return the securities that no source covers, and those of which a source failed."""
    rows = wording.rows_of(found, "missing")
    uncovered = [str(row["symbol"]) for row in rows if row["status"] == NotFound.status]
    failed = [str(row["symbol"]) for row in rows if row["status"] != NotFound.status]
    return desk.speak.join_items(uncovered), desk.speak.join_items(failed)


def find_window(asked: FactQuestion, today: date) -> Window:
    """Return the days that a question means; USUAL days from today on where it names none."""
    words = asked.words
    named = asked.spans[0] if asked.spans else None
    if named is not None and named.kind == FUTURE and named.first is not None and named.last is not None:
        return Window(named.first, named.last, named.said)
    if match := _NUMBERED.search(words):
        count = match[1] or match[3] or ""
        unit = (match[2] or match[4]).lower()
        number = int(count) if count.isdigit() else _COUNTS.get(count) or _ENGLISH_COUNTS.get(count.lower(), 1)
        size = 7 if unit[0] in "周星w" else 30 if unit[0] in "月m" else 1
        if count or size > 1:
            if not count and _NEXT_WEEK.search(match[0]):
                return _next_week(today, match[0])
            if not (not count and _NEXT_MONTH.search(match[0])):
                return Window(today, today + timedelta(days=number * size), match[0])
    if match := _NEXT_WEEK.search(words):
        return _next_week(today, match[0])
    if match := _THIS_WEEK.search(words):
        return Window(today, today + timedelta(days=6 - today.weekday()), match[0])
    if match := _NEXT_MONTH.search(words):
        first = _next_month(today)
        return Window(first, _next_month(first) - timedelta(days=1), match[0])
    if match := _THIS_MONTH.search(words):
        return Window(today, _next_month(today) - timedelta(days=1), match[0])
    span = asked.spans[0] if asked.spans else None
    if span is None or span.first is None or span.last is None:
        said = span.said if span is not None and span.kind == FUTURE else ""
        return Window(today, today + timedelta(days=USUAL), said)
    first, last = span.first, span.last
    if span.kind == RANGE and last < today and not re.search(r"\d{4}|[去前上]|\b(?:last|ago|past)\b", span.said, re.I):
        first, last = (_add_year(first), _add_year(last))
    return Window(first, last, span.said)


def _next_week(today: date, said: str) -> Window:
    monday = today + timedelta(days=7 - today.weekday())
    return Window(monday, monday + timedelta(days=6), said)


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def _add_year(day: date) -> date:
    return day.replace(year=day.year + 1) if (day.month, day.day) != (2, 29) else date(day.year + 1, 2, 28)


def find_next_dates(desk: ToolDesk, mention: Mention, kind: str) -> Work[tuple[list[str], bool]]:
    """Return the sentences about the next date of a kind of a security, and whether one is known."""
    speak = desk.speak
    found = yield from desk.one("market.calendar", symbols=[mention.code], days=AHEAD, kind=kind)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure).lines, False
    rows = [row for row in wording.rows_of(found, "dates") if row["status"] != "published"]
    if not rows:
        return say_missing_dates(desk, found), False
    told = speak("{date} ({told}; source {source})", date=rows[0]["date"], told=speak.say(describe_date(rows[0])),
                 source=rows[0]["source"])  # fmt: skip
    return [told + simulated_dates_mark(desk, found)], True


def say_days_to(desk: ToolDesk, mention: Mention, kind: str) -> Work[list[str]]:
    """Return how many days it is until the next date of a kind of a security; nothing where none is known."""
    found = yield from desk.one("market.calendar", symbols=[mention.code], days=AHEAD, kind=kind)
    rows = [row for row in wording.rows_of(found, "dates") if row["status"] != "published"] if found.ok else []
    if not rows:
        return []
    days = (date.fromisoformat(str(rows[0]["date"])) - date.fromisoformat(desk.request.day)).days
    return [
        desk.speak(
            PluralText("{name}: **{count} day** until then.", "{name}: **{count} days** until then."), count=days,
            name=wording.short_name(desk, mention),
        )
    ]  # fmt: skip


def answer_news(desk: ToolDesk, asked: FactQuestion, of: list[str] | None = None) -> Work[Reply]:
    """Name the newest items about securities with time and publisher; nothing is judged by them.

    of    the codes, where they are not those of the question
    """
    speak = desk.speak
    symbols = of or [mention.code for mention in asked.securities[:MOST]]
    if asked.facts[0].field == HELD:
        status = yield from load_held(desk, replace(asked, spans=()))
        if isinstance(status, Reply):
            return status
        symbols = [symbol for symbol, _ in status[1]]
    args: Json = {"symbols": symbols} if symbols else {}
    plain = strip_mentions(asked.words)
    announced = bool(_ANNOUNCED.search(plain)) and not _NEWS.search(plain)
    if announced:
        args["kind"] = "announcement"
    span = asked.spans[0] if asked.spans else None
    if span is not None and span.first is not None and span.first <= date.fromisoformat(desk.request.day):
        args["since"] = f"{span.first}"
    found = yield from desk.one("market.news", limit=NEWS * max(1, len(symbols[:MOST])), **args)
    if found.failure is not None:
        if found.failure.code == "nothing-watched":
            return reply_of_lines(speak('Nothing is held or watched; ask about one share: "any news on CATL?"'))
        return wording.unreadable(desk, speak("the news"), found.failure)
    rows = wording.rows_of(found, "items")
    if span is not None and span.last is not None:
        rows = [row for row in rows if str(row["time"])[:10] <= f"{span.last}"]
    lines = []
    if rows:
        mark = speak(" (simulated news)") if found.get("simulated") else ""
        lines.append(
            speak("**Announcements, newest first**{mark}:", mark=mark)
            if announced
            else speak("**News, newest first**{mark}:", mark=mark)
        )
        lines += [f"- {_say_item(desk, row)}" for row in rows[: NEWS * max(1, len(asked.securities))]]
        lines.append(
            speak(
                "These are titles of others, as they were told. I judge nothing by them and do not know if they hold."
            )
        )
    else:
        since = args.get("since")
        whose = speak.join_items([wording.short_name(desk, mention) for mention in asked.securities[:MOST]])
        whose = whose or (speak("what you hold") if asked.facts[0].field == HELD else speak("what you hold and watch"))
        lines += _say_no_items(desk, whose, str(since or ""), announced=announced)
    return reply_of_lines(*lines, *_say_missing_news(desk, found))


def _say_no_items(desk: ToolDesk, whose: str, since: str, *, announced: bool) -> list[str]:
    """Return that no item is known, of the kind that was asked for."""
    given: Json = {"whose": whose, "since": since}
    if announced:
        return [
            desk.speak("No announcement about {whose} since {since} is known.", **given)
            if since
            else desk.speak("No announcement about {whose} is known.", **given)
        ]
    return [
        desk.speak("No item about {whose} since {since} is known.", **given)
        if since
        else desk.speak("No item about {whose} is known.", **given)
    ]


def list_items(desk: ToolDesk, mention: Mention, first: str, last: str) -> Work[list[str]]:
    """Return the stored items about a security around days on which it moved, newest first; none is judged."""
    speak = desk.speak
    begin = date.fromisoformat(first) - timedelta(days=AROUND)
    end = min(date.fromisoformat(last) + timedelta(days=1), date.fromisoformat(desk.request.day))
    found = yield from desk.one("market.news", symbols=[mention.code], since=f"{begin}", limit=READ)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the news"), found.failure).lines
    rows = [row for row in wording.rows_of(found, "items") if str(row["time"])[:10] <= f"{end}"]
    given: Json = {"first": begin, "last": end, "mark": speak(" (simulated news)") if found.get("simulated") else ""}
    if not rows:
        missing = _say_missing_news(desk, found)
        return missing or [speak("No item about it from {first} to {last} is stored.", **given)]
    shown = [speak("Items from {first} to {last}, as they were told{mark}:", **given)]
    shown += [f"- {_say_item(desk, row)}" for row in rows[:NEWS]]
    if len(rows) > NEWS:
        shown.append(speak("… {count} more: `ia news {symbol}`", count=len(rows) - NEWS, symbol=mention.code))
    return [*shown, speak("I judge nothing by them and do not know if they hold.")]


def _say_item(desk: ToolDesk, row: Json) -> str:
    time = str(row["time"])
    moment = f"{time[:10]} {time[11:16]}".strip()
    name = wording.name_alone(desk, str(row["symbol"]), row["name"])
    kind = desk.speak("announcement") if row["kind"] == "announcement" else desk.speak("news")
    publisher = row.get("publisher") or row["source"]
    return f"{moment} {name} [{kind}] {row.get('title', '')} ({publisher})"


def _say_missing_news(desk: ToolDesk, found: DeskResult) -> list[str]:
    speak, lines = desk.speak, []
    uncovered, failed = _split_missing(desk, found)
    if uncovered:
        lines.append(speak("No source has news of {symbols}; there is one for stocks.", symbols=uncovered))
    if failed:
        lines.append(speak("The news of {symbols} could not be fetched now.", symbols=failed))
    return lines


def answer_watch_news(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what is new on the watch list: how each did, and the newest items about them."""
    from ia.agent.analyst.jobs.facts import watch_facts

    watched = yield from desk.one("market.observe", of="watch")
    symbols = wording.names_of(watched.get("symbols")) if watched.failure is None else []
    listed = yield from watch_facts.answer_watch(desk, asked)
    if not symbols:
        return listed
    items = yield from answer_news(desk, asked, symbols)
    command = desk.speak("`ia news` fetches and lists the news of what you hold and watch.")
    return reply_of_lines(*listed.lines, *items.lines, command)


ANSWERS = {"dates": answer_dates, "news": answer_news, "watch_news": answer_watch_news}
