"""Whether an answer that a model gives to a form follows from what the user said.

A value counts if the user's own messages hold it: its words, its numbers, the title of a choice. It also counts if the
model named it and the user only said yes. What does not follow stays open, and the form asks the user.
"""

import re
from datetime import date, datetime, timedelta
from typing import Any

from ia.agent.tools.scope import Scope
from ia.agent.tools.slots import load_slots
from ia.domain.speech.numerals import parse_count
from ia.faculties.skills.forms import Form, FormField
from ia.kernel import clock
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.organs import sessions
from ia.organs.recall.terms import normalize_text
from ia.organs.sessions.questions import extract_question

_YES = pattern(
    r"\W*(?:yes|yeah|yep|correct|right|exactly|that's right|ok(?:ay)?|sure|是的?|对的?|没错|正确|好的?|嗯|可以)"
    r"(?:[\s,，]*(?:please|it is|that is right|对|没错))?\W*",
    re.I,
)
_SWITCH = pattern(r"是|否|对|不|没|有|\b(?:yes|no|not|don't|true|false)\b", re.I)
_NUMBER = pattern(r"\d+(?:\.\d+)?|[零〇一二两三四五六七八九十百千]+")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = {0: r"今天|今日|\btoday\b", -1: r"昨天|昨日|\byesterday\b", 1: r"明天|\btomorrow\b"}
_PM = pattern(r"下午|晚上?|夜|傍晚|中午|\bp\.?m\b|evening|afternoon|night|noon", re.I)
_NOON, _MIDNIGHT = pattern(r"中午|正午|\bnoon\b", re.I), pattern(r"午夜|半夜|零点|\bmidnight\b", re.I)
_HALF, _QUARTER = pattern(r"半|half", re.I), pattern(r"刻|quarter", re.I)


def unsaid_answers(scope: Scope, form: Form, values: Json) -> list[str]:
    """Return the slots whose values do not follow from the user's words. A value that is kept already does."""
    words, known = gather_words(scope), load_slots(scope)
    fields = {form.slot(field): field for field in form.fields}
    return [
        slot for slot, value in values.items() if known.get(slot) != value and not follows(fields[slot], value, words)
    ]


def gather_words(scope: Scope) -> str:
    """Return what the user said in the session; after a bare yes, also what the model asked just before."""
    told = [scope.asked]
    if scope.session:
        history = [each for each in sessions.load_history(scope.ws, scope.session) if not each.origins]
        told += [extract_question(each.content) for each in history if each.role == "user"]
        replies = [each.content for each in history if each.role == "assistant"]
        if replies and _YES.fullmatch(scope.asked):
            told.append(replies[-1])
    return "\n".join(each for each in told if each)


def follows(field: FormField, value: Any, words: str) -> bool:
    """Return True if the user's words hold a value of a field."""
    if value == field.default:
        return True
    if isinstance(value, list):
        return all(follows(field, each, words) for each in value)
    low = normalize_text(words)
    if field.kind in ("choice", "choices"):
        titles = next(([const, own, english] for const, own, english in field.choices if const == value), [str(value)])
        return any(_holds(low, title) for title in titles if title)
    if isinstance(value, bool):
        names = [field.texts.get("title", ""), field.texts.get("title_en", "")]
        return bool(_SWITCH.search(low)) or any(_holds(low, name) for name in names if name)
    if isinstance(value, int | float):
        return float(value) in _numbers(low)
    reader = {"date": _holds_date, "time": _holds_time, "date-time": _holds_moment}.get(field.format)
    return reader(low, str(value)) if reader else _holds(low, str(value))


def _holds(low: str, words: str) -> bool:
    """Return True if a folded text holds words: Latin ones whole, spaces aside."""
    wanted = normalize_text(words).strip()
    if wanted.isascii():
        inner = r"\s+".join(map(re.escape, wanted.split()))
        return re.search(rf"(?<![a-z0-9]){inner}(?![a-z0-9])", low) is not None
    return "".join(wanted.split()) in "".join(low.split())


def _numbers(low: str) -> set[float]:
    found: set[float] = set()
    for match in _NUMBER.findall(low):
        number = parse_count(match)
        found |= {float(number)} if number is not None else set()
    return found


def _holds_date(low: str, value: str) -> bool:
    """Return True if a text names a day: its parts in any order, its digits in a row, or today."""
    day = date.fromisoformat(value)
    today = date.fromisoformat(clock.today())
    for shift, words in _DAYS.items():
        if day == today + timedelta(days=shift) and re.search(words, low):
            return True
    if f"{day:%Y%m%d}" in low:
        return True
    numbers = _numbers(low)
    month = float(day.month) in numbers or re.search(rf"\b{_MONTHS[day.month - 1]}[a-z]*\b", low) is not None
    ordinal = re.search(rf"(?<!\d){day.day}(?:st|nd|rd|th)\b", low) is not None
    return bool({float(day.year), float(day.year % 100)} & numbers) and month and (float(day.day) in numbers or ordinal)


def _holds_time(low: str, value: str) -> bool:
    hour, minute = (int(part) for part in value.split(":")[:2])
    if (hour, minute) == (12, 0) and _NOON.search(low):
        return True
    if (hour, minute) == (0, 0) and _MIDNIGHT.search(low):
        return True
    numbers = _numbers(low)
    named = float(hour) in numbers or (hour >= 12 and float(hour % 12) in numbers and _PM.search(low) is not None)
    spelled = {0: True, 30: bool(_HALF.search(low)), 15: bool(_QUARTER.search(low)), 45: bool(_QUARTER.search(low))}
    return named and (spelled.get(minute, False) or float(minute) in numbers)


def _holds_moment(low: str, value: str) -> bool:
    moment = datetime.fromisoformat(value)
    return _holds_date(low, moment.date().isoformat()) and _holds_time(low, f"{moment:%H:%M}")
