"""A review: what was said in a period, word for word, what the market did since, and what to do otherwise."""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from typing import Any, NamedTuple

from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import EVER, FUTURE, UNREAD, TimeSpan, find_time_spans
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence import past_views
from ia.agent.analyst.evidence.readings import labels_at
from ia.agent.analyst.evidence.stated_view import MARK, SPACED_NAME, StatedView, parse_view, read_words
from ia.agent.analyst.evidence.tool_answers import closes_of, display_name, read_value
from ia.agent.analyst.jobs import belief_lines, own_notes, results, risk_rules
from ia.agent.analyst.jobs.facts import result_facts, wording
from ia.agent.analyst.jobs.skill_loading import load_skill
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.tables import SHIPPED, Tables
from ia.agent.analyst.voice import AnswerVoice, number
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.patterns import pattern

MOST, SHOWN, WORDS = 20, 3, 2
"""Observations that are judged; judgments, and words of the owner, that are told."""
_DAY = pattern(r"\d{4}-\d\d-\d\d")
_STAMP = pattern(r"^\[(\d\d:\d\d)\]\s*")

_ISO_WEEK = pattern(r"(\d{4})-?W(\d{1,2})", re.I)
_ISO_QUARTER = pattern(r"(\d{4})-?Q([1-4])(?!\d)", re.I)
_COUNTED_DAYS = pattern(rf"(?:最近|过去|近|\b(?:last|past)\b)\s*({COUNT})\s*(?:天|日|days?\b)", re.I)
_WEEK_WORD = pattern(r"周|星期|礼拜|week", re.I)
_CLOSE = pattern(
    r"收盘|盘后|\b(?:after|at) the close\b|\bclosing review\b|\bend[- ]of[- ](?:the[- ])?day\b|\beod\b", re.I
)
_RANGE = "range"
"""The name of a period that is no day, week or month of the calendar."""

DUE = 20
"""Trading days after which a view is settled that names no horizon."""
BACK = timedelta(days=190)
"""How long before a period judgments are looked for that are settled in it."""
_OWN_LINE = "<!-- ia-"
"""How the data line of an observation of ia's own begins; without a view there is nothing to judge in it."""


class ReviewPeriod(NamedTuple):
    """A stretch of days, both ends included; `name` is its folder below reports/, `label` the reflection's file."""

    first: str
    last: str
    name: str
    label: str


class ReviewedView(NamedTuple):
    """One observation: its day and path, the line as it stands, the security it is about, and the view it states.

    `data`: the view is data, so that nobody has to read the line for it. `against`: what it is to do better or worse
    than, of a judgment with a horizon that names an index.
    """

    day: str
    source: str
    line: str
    mention: Mention | None
    view: StatedView
    data: bool = False
    against: Mention | None = None

    @property
    def lean(self) -> int | None:
        """Which way it leant; None where it does not tell."""
        return self.view.lean


class ReviewOutcome(NamedTuple):
    """What came of an observation: the change since in percent, and the sentence about its own condition.

    Of a judgment with a horizon, it is the change up to there; against an index, the change less that of the index.
    `right`: whether what it said has come about up to there; None where there is nothing to tell by. `due`: the day on
    which it is settled; "" before. `ended`: the day on which its own condition came true.
    """

    said: ReviewedView
    since: float | None
    void: bool | None
    days: int
    right: bool | None = None
    due: str = ""
    ended: str = ""

    def is_of(self, period: ReviewPeriod) -> bool:
        """Return True if it was written in a period, or ended or was settled in it; what has ended is not settled."""
        days = (self.said.day, self.ended or self.due)
        return any(period.first <= day <= period.last for day in days)


def review(desk: ToolDesk, words: str) -> Work[Reply]:
    """Review the period that the words name (the last seven days without), keep the report and the reflection."""
    speak, today = desk.speak, desk.request.moment.date()
    period, unread = find_period(strip_mentions(words), today)
    if unread:
        return wording.ask_back(desk, unread)
    if period.first == period.last < f"{today}":  # a weekend or a holiday: the session before it
        day = yield from result_facts.last_session(desk, date.fromisoformat(period.first))
        period = period._replace(first=f"{day}", last=f"{day}")
    yield from desk.load_tables("readings", "labels", "view")
    yield from load_skill(desk, "review", words)
    calls = results.period_calls(desk, period.first, period.last)
    listed, beliefs, tracking, noted, alerts, *account = yield from desk.run(
        DeskCall("memory.list", {}),
        belief_lines.beliefs_call(),
        DeskCall("memory.read", {"path": "tracking"}),
        DeskCall("notebook.list", {}),
        DeskCall("alert.list", {}),
        *calls,
    )
    of_account = {call.tool: result for call, result in zip(calls, account, strict=True)}
    if not listed.ok:
        return reply.reply_of_lines(speak("There is no tool to read the memory: no review is possible."))
    files = _within(listed.value, period)
    earlier = _observed_before(listed.value, period)
    notes = own_notes.notes_within(desk, noted, period.first, period.last) if noted.ok else []
    texts = yield from desk.run(
        *(DeskCall("memory.read", {"path": path}) for path in files),
        *(DeskCall("notebook.read", {"path": path}) for _, path, _ in notes),
        *(DeskCall("memory.read", {"path": path}) for path in earlier),
    )
    read = {path: str(text.value) for path, text in zip(files, texts, strict=False) if text.ok}
    said = [
        item for path, text in read.items() if "/observations/" in path for item in lines_of(path, text, desk.tables)
    ]
    waiting = [
        item
        for path, text in zip(earlier, texts[len(files) + len(notes) :], strict=True)
        if text.ok
        for item in lines_of(path, str(text.value), desk.tables)
        if item.mention and (item.lean or item.view.ends_if)
    ]
    outcomes, simulated = yield from _since(desk, [*_last_of_each(waiting)[-MOST:], *said[-MOST:]])
    outcomes = [item for item in outcomes if item.is_of(period)]
    outcomes, casual = _part_casual(_each_once(outcomes), _followed_codes(of_account.get("account.period"), tracking))
    own = _journal_lines(read) + [(item.day, item.line, item.source) for item in said if not item.data]
    own = list(dict.fromkeys(own))
    own += own_notes.words_of(notes, texts[len(files) : len(files) + len(notes)])
    money: list[str] = []
    gains: list[str] = []
    trades: list[str] = []
    if result := of_account.get("account.period"):
        whole = results.whole_lines(desk, result)
        money = [*whole, *(yield from results.result_lines(desk, result, period.first, period.last))]
        gains = results.gain_lines(desk, result)
    if entries := of_account.get("trade.list"):
        trades = results.trade_lines(desk, entries, period.first, period.last, result.get("total") if result else None)
    first = [*money, *gains, *trades]
    losing = yield from risk_rules.account_warnings(desk)
    lesson = _lesson(desk, outcomes)
    reflections = [path for path in files if "/reflections/" in path]
    ended = [*_alerts(desk, alerts, period), *_conditions(desk, outcomes)]
    judged = [*_judgments(desk, outcomes, simulated), *_say_casual(desk, casual)]
    believed = belief_lines.review_beliefs(desk, beliefs, period.first, period.last)
    believed = [speak("- Beliefs:"), *(f"  {line}" for line in believed)] if believed else []
    after = [*ended, *judged, *believed]
    report = partial(_report, desk, period, [*first, *after], outcomes, sorted(own), reflections, tracking)
    known = any(lesson in read.get(path, "") for path in reflections)
    kept = yield from _file_review(desk, period, report, losing, lesson if outcomes and not known else "")
    last = [*judged, *believed[: SHOWN + 1], *(_risks(desk, losing) if losing else [])]
    room = reply.ROOM - 3 - len(last) - len(kept) - len(money) - len(trades)
    (few, written, over), cut = reply.shorten_parts([gains, _own_words(desk, own), ended], room)
    parts = [money, few, trades, written, over]
    head = speak("{title}: in short, the report has all of it", title=_headline(desk, period)) if cut else ""
    told = [head or _headline(desk, period), *(line for lines in parts for line in lines), *last]
    told = reply.append_lines(told, lesson) if lesson else told
    return Reply(reply.append_lines(told, *kept), [*told], [_row(desk, item) for item in outcomes], signed=True)


def _last_of_each(said: list[ReviewedView]) -> list[ReviewedView]:
    """Return the judgments with a horizon, and of other views the last one of each security."""
    kept = {
        item.line if item.view.horizon is not None else item.mention.code if item.mention else "": item for item in said
    }
    return sorted(kept.values(), key=lambda item: item.day)


def settled_judgments(desk: ToolDesk) -> Work[list[str]]:
    """Return the judgments with a horizon that was reached, newest last, and how good their odds were."""
    yield from desk.load_tables("readings", "labels", "view")
    listed = yield from desk.one("memory.list")
    paths = _observed_before(listed.value, _recent_days(1, desk.request.moment.date())) if listed.ok else []
    texts = yield from desk.run(*(DeskCall("memory.read", {"path": path}) for path in paths))
    said = [
        item
        for path, text in zip(paths, texts, strict=True)
        if text.ok
        for item in lines_of(path, str(text.value), desk.tables)
        if item.lean and item.view.horizon is not None
    ]
    outcomes, simulated = yield from _since(desk, said[-MOST:])
    due = [item for item in outcomes if item.due]
    return _judgments(desk, due, simulated) if due else []


def _each_once(outcomes: list[ReviewOutcome]) -> list[ReviewOutcome]:
    """Return one outcome a security and day: the last view with a side, else the last view."""
    kept: dict[tuple[str, str], ReviewOutcome] = {}
    for item in outcomes:
        named = item.said.mention is not None and item.said.view.horizon is None
        key = (item.said.day, item.said.mention.code if named and item.said.mention else item.said.line)
        if key not in kept or item.said.lean or not kept[key].said.lean:
            kept[key] = item
    return list(kept.values())


def _followed_codes(result: DeskResult | None, tracking: DeskResult) -> set[str] | None:
    """Return the securities that were held in a period or are watched; None where no tool tells of any."""
    if not tracking.ok and (result is None or not result.ok):
        return None
    held = wording.objects_of(result, "positions") if result else {}
    return {*held, *(mention.code for mention in _watched_securities(tracking))}


def _watched_securities(tracking: DeskResult) -> list[Mention]:
    """Return the securities of the watch list, in its order."""
    lines = [line for line in str(tracking.value or "").splitlines() if line.lstrip().startswith("-")]
    return [found[0] for line in lines if tracking.ok and (found := find_mentions(line))]


def _part_casual(
    outcomes: list[ReviewOutcome], followed: set[str] | None
) -> tuple[list[ReviewOutcome], list[ReviewOutcome]]:
    """Return the outcomes that a review is about, and those of answers on securities that nobody follows.

    Whatever the owner wrote down counts, and so does a judgment with a horizon.
    """
    about: list[ReviewOutcome] = []
    casual: list[ReviewOutcome] = []
    for item in outcomes:
        said = item.said
        meant = followed is None or (said.mention is not None and said.mention.code in followed)
        (about if meant or not said.data or said.view.horizon is not None else casual).append(item)
    return about, casual


def _say_casual(desk: ToolDesk, casual: list[ReviewOutcome]) -> list[str]:
    """Return how many answers are left out, as they are about securities that are neither held nor watched."""
    if not casual:
        return []
    more = PluralText(
        "- Not reviewed: {count} answer on securities that you neither hold nor watch",
        "- Not reviewed: {count} answers on securities that you neither hold nor watch",
    )
    return [desk.speak(more, count=len(casual))]


def _journal_lines(read: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return the day, the words and the path of each entry of the journal."""
    return [
        ((_DAY.search(path) or [""])[0], _STAMP.sub("", line).strip(), path)
        for path, text in read.items()
        if "/journal/" in path
        for line in text.splitlines()
        if _STAMP.match(line)
    ]


def _own_words(desk: ToolDesk, own: list[tuple[str, str, str]]) -> list[str]:
    """Return the newest of what the owner wrote in a period, and how much more there is."""
    speak = desk.speak
    lines = [
        speak("- Your words of {day}: “{words}”", day=day, words=past_views.cut_text(words, 60))
        for day, words, _ in sorted(own)[-WORDS:]
    ]
    if rest := len(own) - len(lines):
        lines[-1] += speak(" ({count} more in the report)", count=rest)
    return lines


@part("the report and the reflection", in_list)
def _file_review(
    desk: ToolDesk, period: ReviewPeriod, make_report: Callable[[], list[str]], losing: list[str], lesson: str
) -> Work[list[str]]:
    """Write the report and, of a lesson, the reflection; return where they are, in lines.

    A question leaves a report that is there as it is: a task may have written it. Its own stands beside it.
    """
    report = make_report()
    report[-1:-1] = [*_risks(desk, losing), ""] if losing else []
    path = desk.request.place or _report_path(period)
    if not desk.request.place:
        there = yield from desk.one("notebook.read", path=path)
        path = path.replace(".md", "-asked.md") if there.ok else path
    calls = [DeskCall("notebook.write", {"path": path, "content": "\n".join(report) + "\n"})]
    calls += [_reflection(desk, period, lesson)] if lesson else []
    results = yield from desk.run(*calls)
    names = (desk.speak("report", context="review"), desk.speak("reflection", context="kept"))
    return reply.describe_paths(desk, *zip(results, names, strict=False))


def _risks(desk: ToolDesk, losing: list[str]) -> list[str]:
    speak = desk.speak
    rest = [speak("{count} more: `ia account`", count=len(losing) - SHOWN)] if len(losing) > SHOWN else []
    told = speak.join_clauses([*losing[:SHOWN], *rest])
    return [speak("- **Risk rules**: {told}", told=told)]


def find_period(words: str, today: date) -> tuple[ReviewPeriod, tuple[str, ...]]:
    """Return the period that words name, and the words of time that name no single period up to now.

    >>> day = date(2024, 3, 15)
    >>> find_period("复盘本周", day)[0][:3], find_period("review last month", day)[0][:2]
    (('2024-03-11', '2024-03-15', 'weekly'), ('2024-02-01', '2024-02-29'))
    >>> find_period("review tomorrow", date(2024, 3, 15))[1]
    ('tomorrow',)
    """
    week, quarter = _ISO_WEEK.search(words), _ISO_QUARTER.search(words)
    words = _ISO_QUARTER.sub(lambda found: f" Q{found[2]} {found[1]} ", words) if quarter else words
    days = _COUNTED_DAYS.search(words)
    spans = find_time_spans(_ISO_WEEK.sub(" ", words), today)
    unread = tuple(span.said for span in spans if span.kind in (UNREAD, FUTURE, EVER) or span.last is None)
    if not unread and len(spans) + bool(week) > 1:
        unread = tuple(span.said for span in spans)
    monday = today - timedelta(days=today.weekday())
    if week and not spans:
        if not 1 <= int(week[2]) <= date(int(week[1]), 12, 28).isocalendar().week:
            return _recent_days(7, today), (week[0],)
        monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
        if monday > today:
            return _recent_days(7, today), (week[0],)
        return _weekly(monday, min(monday + timedelta(days=6), today)), unread
    if days and len(spans) == 1 and (count := parse_count(days[1])) and count == int(count):
        return _recent_days(int(count), today), ()
    if unread:
        return _recent_days(7, today), unread
    if spans:
        return _of_span(spans[0], today), ()
    if re.search(r"月报|每月|这个月|\bmonth", words, re.I):
        return _monthly(today.year, today.month, today), ()
    if re.search(r"\bdaily\b|日报|每日|每天", words, re.I):
        return ReviewPeriod(today.isoformat(), today.isoformat(), "daily", ""), ()
    if re.search(r"周|星期|week", words, re.I):
        return _weekly(monday, today), ()
    if _CLOSE.search(words):
        return ReviewPeriod(today.isoformat(), today.isoformat(), "daily", ""), ()
    return _recent_days(7, today), ()


def _of_span(span: TimeSpan, today: date) -> ReviewPeriod:
    """Return the period of a stretch of time: a week, a month or a day where it is one, else a range."""
    last = min(span.last or today, today)
    first = span.first or last - timedelta(days=round(span.sessions * 7 / 5) - 1)
    if first == last:
        return ReviewPeriod(f"{first}", f"{last}", "daily" if last == today else _RANGE, "")
    if _WEEK_WORD.search(span.said) and first.weekday() == 0 and last in (first + timedelta(days=6), today):
        return _weekly(first, last)
    month = _monthly(first.year, first.month, today)
    return month if month[:2] == (f"{first}", f"{last}") else ReviewPeriod(f"{first}", f"{last}", _RANGE, "")


def _recent_days(days: int, today: date) -> ReviewPeriod:
    return ReviewPeriod(f"{today - timedelta(days=days - 1)}", f"{today}", _RANGE, "")


def _report_path(period: ReviewPeriod) -> str:
    """Return the file of a period's report: two periods share none."""
    days = f"{period.first}_{period.last}" if period.name == _RANGE else period.last
    return f"reports/{period.name}/{days}.md"


def _weekly(monday: date, last: date) -> ReviewPeriod:
    return ReviewPeriod(monday.isoformat(), last.isoformat(), "weekly", f"W{monday.isocalendar().week:02d}")


def _monthly(year: int, month: int, today: date) -> ReviewPeriod:
    last = date(year, month, monthrange(year, month)[1])
    return ReviewPeriod(date(year, month, 1).isoformat(), min(last, today).isoformat(), "monthly", f"{month:02d}")


def _within(listed: Any, period: ReviewPeriod) -> list[str]:
    """Return the paths of observations and journal of a period, by day, and the reflections of its time."""
    rows = listed if isinstance(listed, list) else []
    paths = [str(row.get("path") or "") for row in rows if isinstance(row, dict)]
    kinds = ("/observations/", "/journal/")
    dated = [(day[0], path) for path in paths if any(kind in path for kind in kinds) and (day := _DAY.search(path))]
    kept = [path for day, path in sorted(dated) if period.first <= day <= period.last]
    year = period.last[:4]
    return kept[-MOST:] + [path for path in paths if f"/reflections/{year}" in path][-2:]


def _observed_before(listed: Any, period: ReviewPeriod) -> list[str]:
    """Return the paths of the newest observations before a period: their judgments may be settled in it."""
    rows = listed if isinstance(listed, list) else []
    begin = f"{date.fromisoformat(period.first) - BACK}"
    paths = [str(row.get("path") or "") for row in rows if isinstance(row, dict)]
    dated = sorted((day[0], path) for path in paths if "/observations/" in path and (day := _DAY.search(path)))
    return [path for day, path in dated if begin <= day < period.first][-2 * MOST :]


def lines_of(path: str, text: str, tables: Tables = SHIPPED) -> list[ReviewedView]:
    """Return the observations of a file: its stamped lines, else its lines of text."""
    day = (_DAY.search(path) or [""])[0]
    title = next((line.lstrip("# ") for line in text.splitlines() if line.startswith("#")), "")
    lines = text.splitlines()
    stamped = [at for at, line in enumerate(lines) if _STAMP.match(line)]
    plain = [
        at
        for at, line in enumerate(lines)
        if line.strip() and not line.startswith(("#", "---", "untrusted:", "<<", MARK))
    ]
    out = []
    for at in stamped or plain[:3]:
        said = _STAMP.sub("", lines[at]).strip()
        about = find_mentions(SPACED_NAME.sub("", said)) or find_mentions(title)
        data = parse_view(lines[at + 1], tables) if at + 1 < len(lines) else None
        if data is None and at + 1 < len(lines) and lines[at + 1].startswith(_OWN_LINE):
            continue
        view = data or read_words(said)
        named = len(about) == 1 or (view.horizon is not None and len(about) == 2)
        against = about[1] if named and len(about) == 2 else None
        out.append(ReviewedView(day, path, said, about[0] if named else None, view, data is not None, against))
    return out


def _since(desk: ToolDesk, said: list[ReviewedView]) -> Work[tuple[list[ReviewOutcome], bool]]:
    """Return what the market did since each observation: fetched once a security, computed on its bars."""
    named = [each for item in said for each in (item.mention, item.against) if each]
    mentions = list({each.code: each for each in named}.values())[:MOST]
    bars = yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": m.code, "tail": 200}) for m in mentions))
    closes = {m.code: closes_of(result.value) for m, result in zip(mentions, bars, strict=True) if result.ok}
    bases = [past_views.find_base(s.view, s.day, closes.get(s.mention.code, [])) if s.mention else s.day for s in said]
    counts = [
        sum(1 for day, _ in closes.get(item.mention.code, []) if day > base) if item.mention else 0
        for item, base in zip(said, bases, strict=True)
    ]
    codes = {
        at: item.mention.code
        for at, item in enumerate(said)
        if item.mention and counts[at] and item.view.horizon is None
    }
    asked = sorted(codes, key=lambda at: codes[at])
    since = labels_at(desk.tables).since
    results = yield from desk.run(
        *(
            DeskCall("compute.run", {"code": since.replace("{bars}", str(counts[at])), "symbol": codes[at]})
            for at in asked
        )
    )
    moved = {at: read_value(result)[0] for at, result in zip(asked, results, strict=True)}
    outcomes = []
    for at, item in enumerate(said):
        base = bases[at]
        until = partial(_closes_of, closes, item, base)
        ended = past_views.find_end(item.view, base, until(item.mention)) if item.mention else None
        change = moved.get(at)
        if item.mention and item.view.horizon is not None:
            change = past_views.change_since(base, until(item.mention))
            index = past_views.change_since(base, until(item.against)) if item.against else 0.0
            change = None if change is None or index is None else change - index
        days = min(counts[at], item.view.horizon or counts[at])
        reached = until(item.mention) if item.mention else []
        after = [day for day, _ in reached if day > base]
        settled = item.view.horizon or DUE
        due = after[settled - 1] if len(after) >= settled else ""
        void, right = None if ended is None else bool(ended), _is_right(item, base, change, reached)
        outcomes.append(ReviewOutcome(item, change, void, days, right, due, ended or ""))
    return outcomes, any(result.ok and bool(result.get("simulated")) for result in bars)


def _is_right(item: ReviewedView, base: str, change: float | None, closes: list[tuple[str, float]]) -> bool | None:
    """Return whether what an observation said has come about by the last of some closes."""
    if change is None or not item.lean:
        return None
    aim = item.view.aim
    if aim is None or item.against is not None:
        return change * item.lean > 0
    then = [close for day, close in closes if day <= base]
    after = [close for day, close in closes if day > base]
    return aim.is_reached(then[-1], after) if then and after else None


def _closes_of(
    closes: dict[str, list[tuple[str, float]]], item: ReviewedView, base: str, mention: Mention
) -> list[tuple[str, float]]:
    """Return the closes of a security up to the horizon of a judgment: what comes later decides nothing."""
    return past_views.closes_within(closes.get(mention.code, []), base, item.view.horizon)


def _judge_observation(item: ReviewOutcome, speak: AnswerVoice) -> str:
    """Return what can be said of an observation now."""
    if item.said.mention is None or item.said.lean is None:
        return speak("not to be judged: no security or no direction")
    if item.since is None:
        return speak("open: no bar since")
    if item.void:
        return speak("void: its own condition came true")
    if item.said.lean == 0:
        return speak("took no side")
    if item.due:
        return speak("right") if item.right else speak("wrong")
    return speak("with it so far, not due") if item.right else speak("against it so far, not due")


@part("one observation", in_text)
def _row(desk: ToolDesk, item: ReviewOutcome) -> str:
    speak = desk.speak
    cells = [
        item.said.day,
        display_name(desk, item.said.mention) if item.said.mention else "–",
        _say_change(desk, item),
        str(item.days),
        _judge_observation(item, speak),
        f"`{item.said.source}`",
    ]
    return "| " + " | ".join(cells) + " |"


def _say_change(desk: ToolDesk, item: ReviewOutcome) -> str:
    """Return the change since an observation; of a judgment against an index the change beyond the index's."""
    change = number(item.since, "percent")
    if item.said.against is None or item.since is None:
        return change
    return desk.speak("{change} against {index}", change=change, index=display_name(desk, item.said.against))


def _headline(desk: ToolDesk, period: ReviewPeriod) -> str:
    return desk.speak("**Review {first} to {last}**", first=period.first, last=period.last)


def _alerts(desk: ToolDesk, alerts: DeskResult, period: ReviewPeriod) -> list[str]:
    """Return the alerts that came true in a period, each with its days, the newest of them last."""
    told = []
    for row in wording.rows_of(alerts, "alerts"):
        days = [day for day in row["crossings"] if period.first <= day <= period.last]
        if days:
            name = wording.name_alone(desk, str(row["symbol"]), row.get("security"))
            line = desk.speak(
                "- Alert of {days}: {name} `{condition}`",
                days=desk.speak.join_items(days), name=name, condition=row["condition"],
            )  # fmt: skip
            told.append((days[-1], line))
    return [line for _, line in sorted(told)]


def _conditions(desk: ToolDesk, outcomes: list[ReviewOutcome]) -> list[str]:
    """Return the conditions that views named as their end and that came true: of each security the newest."""
    told: dict[str, str] = {}
    for item in reversed(outcomes):
        if item.void and item.said.mention:
            name = display_name(desk, item.said.mention)
            said = item.said.view.end(desk.speak) or past_views.cut_text(item.said.line, 80)
            line = "- {name}: the condition of {day} came true ({said})."
            told.setdefault(name, desk.speak(line, name=name, day=item.said.day, said=said))
    return list(told.values())


def _judgments(desk: ToolDesk, outcomes: list[ReviewOutcome], simulated: bool) -> list[str]:
    """Return what became of the views that took a side, each once, and how many took none."""
    speak = desk.speak
    if not outcomes:
        return [
            speak(
                "There is nothing to judge in this period. A judgment that can be scored names security, direction,"
                " horizon, odds, reason"
                " and what would end it, as in: “300750 beats the CSI 300 within 20 days, 60 %; void below 172.”",
            ),
        ]
    sided = [item for item in outcomes if item.said.lean and item.said.mention and not item.void]
    if sided and all(item.since is None for item in outcomes):
        return []
    sided = sorted((item for item in sided if item.since is not None), key=lambda item: bool(item.due))
    told = [
        speak(
            "{name} {day} {judged} ({since})",
            name=display_name(desk, item.said.mention),
            day=item.said.day[5:],
            judged=_judge_observation(item, speak),
            since=_say_change(desk, item),
        )
        for item in sided[-SHOWN:]
        if item.said.mention
    ]
    if not told:
        mute = PluralText(
            "{count} observation, and none took a side that still holds",
            "{count} observations, and none took a side that still holds",
        )
        told.append(speak(mute, count=len(outcomes)))
    elif rest := len(outcomes) - len(told):
        told.append(speak("{count} more in the report", count=rest))
    mark = speak(" (simulated prices)") if simulated else ""
    lines = [speak("- Judgments: {told}{mark}", told=speak.join_clauses(told), mark=mark)]
    return lines + _say_odds(desk, outcomes)


def _say_odds(desk: ToolDesk, outcomes: list[ReviewOutcome]) -> list[str]:
    """Return how good the stated probabilities of settled judgments were; none where none was stated."""
    settled = [
        (item.said.view.odds, item.right)
        for item in outcomes
        if item.due and not item.void and item.right is not None and item.said.view.odds is not None
    ]
    if not settled:
        return []
    score = sum((odds - right) ** 2 for odds, right in settled) / len(settled)
    return [
        desk.speak(
            PluralText(
                "- Stated odds of {count} settled judgment: Brier score {score} (0 is perfect, 0.25 a coin toss).",
                "- Stated odds of {count} settled judgments: Brier score {score} (0 is perfect, 0.25 a coin toss).",
            ),
            count=len(settled),
            score=f"{score:.2f}",
        )
    ]


def _table(desk: ToolDesk, outcomes: list[ReviewOutcome]) -> list[str]:
    head = desk.speak("| date | security | since | days | now | where |")
    return [head, "| --- | --- | ---: | ---: | --- | --- |", *(_row(desk, item) for item in outcomes)]


@part("the next step", in_text)
def _lesson(desk: ToolDesk, outcomes: list[ReviewOutcome]) -> str:
    """Return the one rule to act on next, from what went wrong; nothing is concluded from few cases."""
    speak = desk.speak
    scored = [item for item in outcomes if item.since is not None and item.said.lean]
    wrong = [item for item in scored if item.right is False]
    mute = [item for item in outcomes if item.said.lean is None]
    void = [item for item in outcomes if item.void]
    if void:
        names = speak.join_items(
            list(dict.fromkeys(display_name(desk, item.said.mention) for item in void if item.said.mention))
        )
        return speak(
            "Next: the condition named for {names} has come true; research it again before holding a view.",
            names=names,
        )
    if len(scored) >= 3 and len(wrong) * 2 > len(scored):
        return speak(
            "Next: {wrong} of {count} stand against the market so far; write the counter-evidence with each"
            " judgment for a week and see whether one cause is behind it (too few to change a belief).",
            wrong=len(wrong),
            count=len(scored),
        )
    if len(mute) * 2 > len(outcomes) and outcomes:
        return speak(
            "Next: most observations name neither a direction nor what would end them, and cannot be judged; write"
            " “leans up/down” and “void if close < …”.",
        )
    if scored:
        return speak(
            PluralText(
                "Next: {right} of {count} is with the market; too few to conclude. Judge each when it is due.",
                "Next: {right} of {count} are with the market; too few to conclude. Judge each when it is due.",
                by="right",
            ),
            count=len(scored),
            right=len(scored) - len(wrong),
        )
    if any(item.said.lean is not None for item in outcomes):
        return ""  # too early to judge any of them
    return speak(
        "Next: write thoughts as observations that can be judged, so that there is something to review.",
    )


def _reflection(desk: ToolDesk, period: ReviewPeriod, lesson: str) -> DeskCall:
    speak = desk.speak
    text = speak(
        "## {day} Review ({first} to {last})",
        day=desk.request.day,
        first=period.first,
        last=period.last,
    )
    return DeskCall(
        "memory.reflect", {"content": f"{text}\n\n- {lesson}\n", **({"period": period.label} if period.label else {})}
    )


def _report(
    desk: ToolDesk,
    period: ReviewPeriod,
    first: list[str],
    outcomes: list[ReviewOutcome],
    own: list[tuple[str, str, str]],
    reflections: list[str],
    tracking: DeskResult,
) -> list[str]:
    speak = desk.speak
    title = speak("# Review {first} to {last}", first=period.first, last=period.last)
    out = [title, "", *first]
    if outcomes:
        out += ["", f"## {speak('Every observation')}", "", *_table(desk, outcomes)]
    if own:
        out += ["", f"## {speak('In your words')}", ""]
    out += [f"- {day}{speak(': ')}{words} (`{path}`)" for day, words, path in own]
    out += ["", f"## {speak('Terms')}", ""]
    out.append(
        speak(
            "- Since: from the close at which it was written to the last close, adjusted; of a judgment with a horizon,"
            " to its last session, and against an index what is beyond the index's own change. Due at the horizon,"
            " else after 20 trading days, and not scored before.",
        )
    )
    seen = {item.said.mention.code for item in outcomes if item.said.mention}
    unseen = [f"- {display_name(desk, each)}" for each in _watched_securities(tracking) if each.code not in seen]
    if unseen:
        out += ["", f"## {speak('Watched, but not observed in this period')}", "", *unseen[:20]]
    if reflections:
        out += [
            "",
            f"## {speak('Reflections of the time')}",
            "",
            *(f"- `{path}`" for path in reflections),
        ]
    if lesson := _lesson(desk, outcomes).removeprefix(speak("Next: ")):
        out += ["", f"## {speak('Next')}", "", lesson[0].upper() + lesson[1:]]
    return [*out, "", reply.by_rules(speak)]
