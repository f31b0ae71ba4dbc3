"""Facts of the market of the day, the watch list, trading days and terms."""

import contextlib
import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from ia.agent.analyst.ask.facts import FactQuestion, market_table
from ia.agent.analyst.ask.time_spans import DAY, FUTURE, TimeSpan
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.study import read_value
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.tables import Entry, Table
from ia.agent.analyst.voice import number
from ia.domain.instruments.indices import MAIN_INDICES
from ia.kernel.i18n import mark_text, mark_texts
from ia.kernel.jsontypes import Json

SHOWN = 5
MOST = 50
HALF_YEAR = 183
NAMED_INDICES = 4
"""So many of the main indices a summary names."""


def _stored_day(desk: ToolDesk, asked: FactQuestion, result: DeskResult, what: str) -> Reply | None:
    """Return why a result does not answer a question: unreadable, or of another day; None where it does."""
    if result.failure is not None:
        return wording.unreadable(desk, what, result.failure)
    day = wording.result_day(result)
    span = wording.other_day(asked, day)
    return wording.refuse_time(desk, what, span, day) if span else None


def answer_summary(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how the market is: index levels, how many rose and fell, what was traded, best and worst industries."""
    speak, wanted = desk.speak, asked.facts[0].field
    found = yield from desk.one("market.summary")
    what = wording.fact_name(desk, asked.facts[0])
    if not wanted and found.failure is not None and found.failure.code == "market-not-stored":
        levels = yield from _index_levels(desk, "")
        return reply_of_lines(*levels, *wording.unreadable(desk, what, found.failure).lines)
    if refused := _stored_day(desk, asked, found, what):
        return refused
    boards = wording.rows_of(found, "boards")
    whole: Json = boards[0] if boards else {}
    day, mark = wording.result_day(found), wording.simulated_mark(desk, found.get("simulated"))
    if wanted == "limits":
        line = speak(
            "**{up} limit-up, {down} limit-down** ({date}){mark}",
            up=_say_count(whole.get("limit_up")), down=_say_count(whole.get("limit_down")), date=day, mark=mark,
        )  # fmt: skip
        return reply_of_lines(line)
    if wanted == "amount":
        line = speak(
            "**{amount} yuan** were traded ({date}){mark}",
            amount=wording.say_money(desk, found.get("amount")),
            date=day,
            mark=mark,
        )
        return reply_of_lines(line, *_amount_change(desk, found))
    state = speak(
        "**{up} up, {down} down**, {flat} flat; median {median} ({date}){mark}",
        up=whole.get("up"), down=whole.get("down"), flat=whole.get("flat"),
        median=wording.say_percent(whole.get("median_pct")), date=day, mark=mark,
    )  # fmt: skip
    if wanted == "breadth":
        return reply_of_lines(state)
    lines = [state, *(yield from _index_levels(desk, day))]
    lines.append(
        speak(
            "Limit-up {up}, limit-down {down}; {amount} yuan traded.",
            up=_say_count(whole.get("limit_up")),
            down=_say_count(whole.get("limit_down")),
            amount=wording.say_money(desk, found.get("amount")),
        )
    )
    lines += _amount_change(desk, found)
    sectors = yield from desk.one("market.sectors", limit=3)
    if sectors.ok:
        lines += _sector_lines(desk, sectors, 3)
    return reply_of_lines(*lines)


def _say_count(value: Any) -> str:
    return "–" if value is None else str(value)


def _amount_change(desk: ToolDesk, found: DeskResult) -> list[str]:
    change = found.get("amount_vs_last_pct")
    return (
        [desk.speak("Against the session before: {change}.", change=wording.say_percent(change))]
        if change is not None
        else []
    )


def _index_levels(desk: ToolDesk, day: str) -> Work[list[str]]:
    """Return the levels of the main indices on a day, in a line."""
    codes, until = MAIN_INDICES[:NAMED_INDICES], {"end": day} if day else {}
    results = yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": code, "tail": 2, **until}) for code in codes))
    told = []
    for code, result in zip(codes, results, strict=True):
        rows = wording.bars_of(result)
        if len(rows) == 2 and rows[-1][0] == (day or rows[-1][0]):
            close, before = float(rows[-1][4]), float(rows[-2][4])
            told.append(
                f"{_index_name(desk, code, result)} {close:,.2f} ({wording.say_percent(close / before * 100 - 100)})"
            )
    return [desk.speak.join_clauses(told)] if told else []


def _index_name(desk: ToolDesk, code: str, result: DeskResult) -> str:
    return wording.security_name(desk, code, result.get("name")).removesuffix(f" {code}")


def answer_gainers(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which stocks rose or fell most."""
    speak, losers = desk.speak, asked.facts[0].field == "losers"
    found = yield from desk.one("market.gainers", limit=SHOWN, losers=losers)
    if refused := _stored_day(desk, asked, found, wording.fact_name(desk, asked.facts[0])):
        return refused
    rows = wording.rows_of(found, "stocks")
    date_ = speak("{name} ({date}){mark}", name=wording.fact_name(desk, asked.facts[0]), date=wording.result_day(found),
                  mark=wording.simulated_mark(desk, found.get("simulated")))  # fmt: skip
    lines = [
        f"{at}. {wording.security_name(desk, row['symbol'], row['name'])} {wording.say_percent(row.get('change_pct'))}"
        + (f" {wording.industry_name(desk, str(row['industry']))}" if row.get("industry") else "")
        for at, row in enumerate(rows, 1)
    ]
    return reply_of_lines(f"**{date_}**", *lines or [speak("None.")])


def answer_sectors(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which industries or concepts are strongest and weakest."""
    kind = asked.facts[0].field
    found = yield from desk.one("market.sectors", kind=kind, limit=MOST)
    name = wording.fact_name(desk, asked.facts[0])
    if refused := _stored_day(desk, asked, found, name):
        return refused
    groups = {str(row.get("name")): row for key in ("best", "worst") for row in wording.rows_of(found, key)}
    english = {each.name for each in market_table(desk.tables).industries if each.words.search(asked.words)}
    named = max((group for group in groups if group in asked.words or group in english), key=len, default="")
    if named:
        return reply_of_lines(_say_group(desk, groups[named], found))
    if (word := _GROUP.search(asked.words)) and not _ANY_GROUP.search(asked.words):
        return reply_of_lines(
            desk.speak(
                "No group “{word}” is stored. There are: {names}.",
                word=word["zh"] or word["en"],
                names=desk.speak.join_items([wording.industry_name(desk, group) for group in list(groups)[:12]]),
            )
        )
    mark = wording.simulated_mark(desk, found.get("simulated"))
    head = desk.speak("{name} ({date}){mark}", name=name, date=wording.result_day(found), mark=mark)
    return reply_of_lines(f"**{head}**", *_sector_lines(desk, found, SHOWN))


_GROUP = re.compile(
    r"(?P<zh>[^\s，,的]{2,6}?)(?:板块|行业)(?=今|现|最|怎|表|涨|跌|如)"
    r"|\b(?:is|are|did) the (?P<en>[a-z ]{2,20}?) (?:sector|industry)\b",
    re.I,
)
_ANY_GROUP = re.compile(
    r"(?:哪|什么|最|热门|领[涨跌])[^，,]{0,4}(?:板块|行业|概念)|\b(?:which|what|best|worst|strong|weak)", re.I
)


def _say_group(desk: ToolDesk, row: Json, found: DeskResult) -> str:
    """Return how one industry or concept did."""
    return desk.speak(
        "**{name}** {change} ({date}){mark}: {up} up, {down} down; best {leader} {leader_change}",
        name=wording.industry_name(desk, str(row.get("name"))),
        change=wording.say_percent(row.get("change_pct")),
        date=wording.result_day(found),
        mark=wording.simulated_mark(desk, found.get("simulated")),
        up=row.get("up"),
        down=row.get("down"),
        leader=wording.security_name(desk, str(row.get("leader") or "–"), row.get("leader_name")),
        leader_change=wording.say_percent(row.get("leader_pct")),
    )


def _sector_lines(desk: ToolDesk, found: DeskResult, count: int) -> list[str]:
    """Return the best and the worst groups, a line each."""
    speak, lines = desk.speak, []
    for key, head in (("best", speak("Strongest")), ("worst", speak("Weakest"))):
        rows = wording.rows_of(found, key)[:count]
        told = [
            f"{wording.industry_name(desk, str(row['name']))} {wording.say_percent(row.get('change_pct'))}"
            for row in rows
        ]
        if told:
            lines.append(f"{head}{speak(': ')}{speak.join_items(told)}")
    return lines


def answer_northbound(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what was traded north-bound on the newest stored day, or on the one that is named."""
    speak = desk.speak
    found = yield from desk.one("market.northbound", days=20)
    if found.failure is not None:
        return wording.unreadable(desk, wording.fact_name(desk, asked.facts[0]), found.failure)
    rows = [row for row in found.get("rows") or [] if isinstance(row, dict) and row.get("channel") == "north"]
    span = asked.spans[0] if asked.spans else None
    if span is not None:
        if span.kind != DAY or span.first is None:
            return reply_of_lines(speak("North-bound trading is told by the day: name one."))
        rows = [row for row in rows if str(row.get("date")) == f"{span.first}"]
    if not rows:
        return reply_of_lines(
            speak("North-bound trading of that day is not stored; the newest is of {date}.", date=found.get("date"))
        )
    row, mark = rows[0], wording.simulated_mark(desk, found.get("simulated"))
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
    return reply_of_lines(
        speak(
            "**{name}** {told} ({date}){mark}",
            name=wording.fact_name(desk, asked.facts[0]),
            told=told,
            date=row.get("date"),
            mark=mark,
        )
    )


def answer_lhb(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which stocks are on the dragon and tiger list."""
    speak = desk.speak
    span = asked.spans[0] if asked.spans else None
    wanted = (
        {"date": f"{span.first}"}
        if span and span.kind == DAY and span.first and f"{span.first}" != desk.request.day
        else {}
    )
    found = yield from desk.one("market.lhb", **wanted)
    if found.failure is not None:
        return wording.unreadable(desk, wording.fact_name(desk, asked.facts[0]), found.failure)
    rows = wording.rows_of(found, "rows")
    head = speak("{name} ({date}){mark}", name=wording.fact_name(desk, asked.facts[0]), date=found.get("date"),
                 mark=wording.simulated_mark(desk, found.get("simulated")))  # fmt: skip
    lines = [
        speak(
            "{stock} {change}, net {net} yuan: {reason}",
            stock=wording.security_name(desk, str(row.get("symbol")), row.get("name")),
            change=wording.say_percent(row.get("change_pct")),
            net=wording.say_money(desk, row.get("net"), signed=True),
            reason=row.get("reason") or "–",
        )
        for row in rows[:SHOWN]
    ]
    return reply_of_lines(f"**{head}**", *(f"- {line}" for line in lines or [speak("None.")]))


_HOLIDAY = re.compile(
    r"春节|国庆|元旦|五一|劳动节|端午|中秋|清明|圣诞|感恩节|holidays?\b|new year|christmas|thanksgiving|golden week",
    re.I,
)
_MARKETS = {
    "US": re.compile(r"美股|纽约|纳斯达克|\b(?:us|u\.s\.|american|new york|nyse|nasdaq)\b", re.I),
    "HK": re.compile(r"港股|香港|港交所|\bhong kong\b|\bhk\b", re.I),
}
_PLACES = {"CN": mark_text("Shanghai and Shenzhen"), "HK": mark_text("Hong Kong"), "US": mark_text("New York")}


def _coming_day(span: TimeSpan, today: date) -> date:
    """Return the day that is meant: without a year, the one of the last half year or the next."""
    day = span.first or today
    if span.kind != DAY or not re.search(r"\d", span.said) or re.search(r"\d{4}|[去前]年|前|ago", span.said):
        return day
    with contextlib.suppress(ValueError):
        while (today - day).days > HALF_YEAR:
            day = day.replace(year=day.year + 1)
    return day


def answer_calendar(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a day is a trading day of a market, and which ones are next."""
    speak = desk.speak
    if holiday := _HOLIDAY.search(asked.words):
        return reply_of_lines(speak("Ask for a date: I do not read “{holiday}” as one.", holiday=holiday[0]))
    market = next((code for code, words in _MARKETS.items() if words.search(asked.words)), "CN")
    place = speak(_PLACES[market])
    span = asked.spans[0] if asked.spans else None
    today = date.fromisoformat(desk.request.day)
    day = _coming_day(span, today) if span is not None and span.first is not None else today
    if span is not None and span.first is None and span.kind == FUTURE:
        day = (
            date.fromisoformat(desk.request.day) + timedelta(days=7)
            if "周" in span.said or "week" in span.said
            else day
        )
    found = yield from desk.one("calendar.trading", date=f"{day}", market=market, n=3)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    open_ = found.get("is_trading_day")
    told = (
        speak("**{date} is a trading day** ({place}).", date=day, place=place)
        if open_
        else speak("**{date} is no trading day** ({place}).", date=day, place=place)
        if open_ is not None
        else speak(
            "Whether {date} is a trading day is not known: known until {until}.",
            date=day,
            until=found.get("known_until"),
        )
    )
    nearest = wording.names_of(found.get("next"))
    return reply_of_lines(
        told,
        *([speak("The next ones: {days}.", days=speak.join_items([str(each) for each in nearest]))] if nearest else []),
    )


def _load_watched(desk: ToolDesk, asked: FactQuestion) -> Work[tuple[list[tuple[str, Json]], list[str], Reply | None]]:
    """Return the newest bars of what is watched, the codes without one, and why there are none."""
    found = yield from desk.one("market.observe", of="watch")
    if found.failure is not None:
        return [], [], wording.unreadable(desk, desk.speak("the watch list"), found.failure)
    rows = list(wording.objects_of(found, "bars").items())
    missing = [symbol for symbol in wording.names_of(found.get("symbols")) if symbol not in dict(rows)]
    return rows, missing, None


def answer_watch(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what is on the watch list, with the newest close and change of each."""
    speak = desk.speak
    rows, missing, refused = yield from _load_watched(desk, asked)
    if refused:
        return refused
    if not rows and not missing:
        return reply_of_lines(speak('Nothing is watched: "track 600519" puts a security on the list.'))
    newest = max((str(bar.get("date")) for _, bar in rows), default="")
    if rows and (span := wording.other_day(asked, newest)):
        return wording.refuse_time(desk, speak("the watch list"), span, newest)
    rows.sort(key=lambda row: -(row[1].get("change_pct") or 0))
    lines = [_watch_line(desk, symbol, bar) for symbol, bar in rows[:10]]
    if len(rows) > 10:
        lines.append(speak("… {count} more: `ia quote --universe watch`", count=len(rows) - 10))
    if missing:
        lines.append(speak("No stored price: {names} (`ia ohlcv CODE` fetches it).", names=speak.join_items(missing)))
    return reply_of_lines(*lines)


def _watch_line(desk: ToolDesk, symbol: str, bar: Json) -> str:
    mark = wording.simulated_mark(desk, bar.get("simulated"))
    close = number(bar.get("close"), "price", desk.speak)
    name, change = wording.security_name(desk, symbol, bar.get("name")), wording.say_percent(bar.get("change_pct"))
    return f"- {name} {close} {change} ({bar.get('date')}){mark}"


_LOW = re.compile(
    r"最低|最小|最少|最便宜|跌.{0,3}最|最差|最弱|\b(?:lowest|smallest|cheapest|least|worst|weakest|fell|lost)\b",
    re.I,
)


def answer_watch_rank(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which of the watch list has the highest or lowest of a figure, or did best or worst."""
    speak = desk.speak
    rows, missing, refused = yield from _load_watched(desk, asked)
    if refused:
        return refused
    if not rows:
        return (yield from answer_watch(desk, asked))
    newest = max(str(bar.get("date")) for _, bar in rows)
    if span := wording.other_day(asked, newest):
        return wording.refuse_time(desk, speak("the watch list"), span, newest)
    wanted = next((each for each in market_table(desk.tables).ranks if each.words.search(asked.words)), None)
    values: list[tuple[float, str]] = []
    if wanted is None:
        if not re.search(
            r"涨|跌|表现|强|弱|好|差|rose|fell|gain|los|best|worst|strong|weak|perform|up|down", asked.words, re.I
        ):
            return reply_of_lines(speak("By which figure? For example P/E or the change of the day."))
        values = [(float(bar["change_pct"]), symbol) for symbol, bar in rows if bar.get("change_pct") is not None]
        name, unit = speak("change of the day"), "percent"
    elif wanted.code:
        symbols = [symbol for symbol, _ in rows[:20]]
        yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": symbol, "tail": 1}) for symbol in symbols))
        results = yield from desk.run(
            *(DeskCall("compute.run", {"code": wanted.code, "symbol": symbol}) for symbol in symbols)
        )
        found_values = [(read_value(result)[0], symbol) for symbol, result in zip(symbols, results, strict=True)]
        values = [(value, symbol) for value, symbol in found_values if value is not None]
        name, unit = speak.fill(wanted.name), wanted.unit
    else:
        quotes = yield from desk.one("market.quote", symbols=[symbol for symbol, _ in rows][:MOST])
        found = {row["symbol"]: row for row in wording.rows_of(quotes, "quotes")}
        values = [
            (float(found[s][wanted.field]), s) for s, _ in rows if s in found and found[s].get(wanted.field) is not None
        ]
        name, unit = speak.fill(wanted.name), wanted.unit
    if not values:
        return reply_of_lines(speak("That figure is not stored of any of them."))
    bars_of = dict(rows)
    values.sort(reverse=not _LOW.search(asked.words))
    told = [
        f"{wording.security_name(desk, symbol, bars_of[symbol].get('name'))} {wording.say_value(desk, value, unit)}"
        for value, symbol in values
    ]
    mark = wording.simulated_mark(desk, any(bar.get("simulated") for _, bar in rows))
    lines = [f"**{told[0]}** ({name}, {newest}){mark}"]
    if len(told) > 1:
        lines.append(speak("Then: {rest}.", rest=speak.join_clauses(told[1:5])))
    unknown = [*missing, *(symbol for symbol, _ in rows if symbol not in [each for _, each in values])]
    if unknown:
        lines.append(speak("Not known of: {names}.", names=speak.join_items(unknown)))
    return reply_of_lines(*lines)


_WEEKDAYS = mark_texts("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def answer_today(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which day it is."""
    yield from ()
    moment = desk.request.moment
    return reply_of_lines(
        desk.speak(
            "Today is {date}, {weekday}.", date=f"{moment:%Y-%m-%d}", weekday=desk.speak(_WEEKDAYS[moment.weekday()])
        )
    )


def answer_pending(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which proposals wait for the owner."""
    speak = desk.speak
    found = yield from desk.one("proposals.list")
    if found.failure is not None:
        return wording.unreadable(desk, speak("the proposals"), found.failure)
    rows = wording.rows_of(found, "proposals")
    if not rows:
        return reply_of_lines(speak("Nothing waits for your approval."))
    lines = [f"- {row['proposal']}: {row['kind']} `{row['path']}`" for row in rows[:8]]
    more = [speak("… {count} more: `ia pending`", count=len(rows) - 8)] if len(rows) > 8 else []
    return reply_of_lines(
        speak("**{count} proposals wait for you.**", count=len(rows)),
        *lines,
        *more,
        speak("`ia pending NUMBER` shows one, `ia approve NUMBER` carries it out."),
    )


class Term:
    """A term of the glossary: its words, and what it means in Chinese and in English."""

    def __init__(self, entry: Entry) -> None:
        self.words = entry.pattern("words")
        self.name = entry.pair("name", needed=True)
        self.text = entry.pair("text", needed=True)


def build_terms(table: Table) -> list[Term]:
    """Return the terms of a glossary."""
    return list(table.entries("entries", Term))


def explain_terms(desk: ToolDesk, words: str) -> Work[Reply | None]:
    """Return what the terms in a text mean; None where the glossary has none of them."""
    speak = desk.speak
    yield from desk.load_tables("glossary")
    found = [term for term in desk.tables.build("research", "glossary", build_terms) if term.words.search(words)]
    if not found:
        return None
    return reply_of_lines(*(f"**{speak.fill(term.name)}**{speak(': ')}{speak.fill(term.text)}" for term in found[:3]))


def answer_term(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a term means: from the glossary, else from the description of an indicator."""
    speak = desk.speak
    if known := (yield from explain_terms(desk, asked.words)):
        return known
    for word in re.findall(r"[A-Za-z][A-Za-z0-9]{1,20}", asked.words):
        result = yield from desk.one("indicator.describe", name=word)
        if result.ok and isinstance(result.value, dict) and result.get("description"):
            return reply_of_lines(f"**{result.get('name')}**{speak(': ')}{result.get('description')}")
    return reply_of_lines(
        speak("I have no entry for that in the glossary, and I do not invent one."),
        speak("Terms stand in the skill research (`knowledge/glossary.yaml`); indicators: `ia indicator list`."),
    )


ANSWERS: dict[str, Callable[[ToolDesk, FactQuestion], Any]] = {
    "summary": answer_summary,
    "gainers": answer_gainers,
    "sectors": answer_sectors,
    "northbound": answer_northbound,
    "lhb": answer_lhb,
    "calendar": answer_calendar,
    "watch": answer_watch,
    "watch_rank": answer_watch_rank,
    "term": answer_term,
    "today": answer_today,
    "pending": answer_pending,
}
