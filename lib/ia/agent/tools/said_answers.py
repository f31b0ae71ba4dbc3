"""Whether an answer that a model gives to a form follows from what the user said.

A value counts if the user's own messages hold it: its words, its numbers, the title of a choice. It also counts if the
model named it and the user only said yes. Yes or no counts if the user said so of that very field, or in answer to one
question about it. What does not follow stays open, and the form asks the user.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

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
_SO = pattern(r"\W*(?:有|要|会|it is|i do|i am)的?\W*", re.I)
_NO = pattern(
    r"\W*(?:no|nope|nah|not really|it is not|it isn't|不|不对|否|没有?的?|不用|不要|不会|并?不是的?)"
    r"(?:[\s,，]*(?:thanks|thank you|谢谢))?\W*",
    re.I,
)
_DENIES = pattern(r"不|没|无|非|否|未|\b(?:no|not|never|without|non|false)\b|n['’]t\b", re.I)
_NO_DENIAL = pattern(r"不错|不少|不仅|不但|没问题|没错|毫?无疑问?|非常|\b(?:not only|no doubt|no problem)\b", re.I)
_UNSURE = pattern(
    r"[?？]|吗|是否|是不是|有没有|要不要|如果|要是|可能|也许|大概|不知道|不清楚|不确定|"
    r"^\W*(?:is|are|was|do|does|did|should|can|could|if|when)\b|"
    r"\b(?:whether|maybe|perhaps|might|may|unsure|not sure|don't know)\b",
    re.I,
)
_OR, _AND = pattern(r"\bor\b|还是|或", re.I), pattern(r"\band\b|和|与|并且|以及|[,，、]", re.I)
_CLAUSE = pattern(r"[^,，;；、.。!！?？\n]+[?？]?")
_SENTENCE = pattern(r"[^.。!！?？\n]+[.。!！?？]*")
_NUMBER = pattern(r"\d+(?:\.\d+)?|[零〇一二两三四五六七八九十百千]+")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = {0: r"今天|今日|\btoday\b", -1: r"昨天|昨日|\byesterday\b", 1: r"明天|\btomorrow\b"}
_PM = pattern(r"下午|晚上?|夜|傍晚|中午|\bp\.?m\b|evening|afternoon|night|noon", re.I)
_NOON, _MIDNIGHT = pattern(r"中午|正午|\bnoon\b", re.I), pattern(r"午夜|半夜|零点|\bmidnight\b", re.I)
_HALF, _QUARTER = pattern(r"半|half", re.I), pattern(r"刻|quarter", re.I)


def unsaid_answers(scope: Scope, form: Form, values: Json) -> list[str]:
    """Return the slots whose values do not follow from the user's words. A value that is kept already does."""
    words, known = gather_words(scope), load_slots(scope)
    exchanges = gather_exchanges(scope)
    fields = {form.slot(field): field for field in form.fields}
    return [
        slot
        for slot, value in values.items()
        if known.get(slot) != value and not follows(fields[slot], value, words, exchanges)
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


class Exchange(NamedTuple):
    """A message of the user, and the reply of the model that it answers, "" for none."""

    asked: str
    said: str


def gather_exchanges(scope: Scope) -> list[Exchange]:
    """Return what the user said in the session, message by message, the newest last."""
    found: list[Exchange] = []
    asked = ""
    history = sessions.load_history(scope.ws, scope.session) if scope.session else []
    for each in history:
        if each.role == "assistant":
            asked = each.content
        elif each.role == "user":
            if not each.origins:
                found.append(Exchange(asked, extract_question(each.content)))
            asked = ""
    if scope.asked and (not found or asked or found[-1].said != scope.asked):
        found.append(Exchange(asked, scope.asked))
    return found


def follows(field: FormField, value: Any, words: str, exchanges: Sequence[Exchange] = ()) -> bool:
    """Return True if the user's words hold a value of a field.

    exchanges  the words message by message; a yes or a no counts by what it answers
    """
    if value == field.default:
        return True
    if isinstance(value, bool):
        return _read_switch(field, exchanges or [Exchange("", words)]) is value
    if isinstance(value, list):
        return all(follows(field, each, words) for each in value)
    low = normalize_text(words)
    if field.kind in ("choice", "choices"):
        titles = next(([const, own, english] for const, own, english in field.choices if const == value), [str(value)])
        return any(_holds(low, title) for title in titles if title)
    if isinstance(value, int | float):
        return float(value) in _numbers(low)
    reader = {"date": _holds_date, "time": _holds_time, "date-time": _holds_moment}.get(field.format)
    return reader(low, str(value)) if reader else _holds(low, str(value))


def _read_switch(field: FormField, exchanges: Sequence[Exchange]) -> bool | None:
    """Return what the user said last of a field that is yes or no; None for nothing, or nothing that is clear."""
    names = [each for each in (field.texts.get("title", ""), field.texts.get("title_en", "")) if each.strip("?？ ")]
    last = None
    for asked, said in exchanges:
        clauses = [clause for clause in _CLAUSE.findall(said) if _is_named(names, clause)]
        if clauses:
            told = {None if _UNSURE.search(clause) else _affirms(names, clause) for clause in clauses}
            last = told.pop() if len(told) == 1 else None
        elif (answer := _read_reply(names, asked, said)) is not None:
            last = answer
    return last


def _read_reply(names: Sequence[str], asked: str, said: str) -> bool | None:
    """Return what a yes or a no means for a field; None where the model asked nothing about it, or several things."""
    head = re.split(r"[,，。.!！;；\n]", said.strip(), maxsplit=1)[0]
    yes, no = _YES.fullmatch(head) or _SO.fullmatch(head), _NO.fullmatch(head)
    questions = [each for each in _SENTENCE.findall(asked) if re.search(r"[?？]", each)]
    about = [clause for clause in _CLAUSE.findall(asked) if _is_named(names, clause)]
    if not (yes or no) or len(questions) != 1 or len(about) != 1 or _OR.search(questions[0]):
        return None
    named = _affirms(names, about[0])
    if yes:
        return named
    is_alone = _is_named(names, questions[0]) and not _AND.search(questions[0])
    return False if named and is_alone else None


def _affirms(names: Sequence[str], clause: str) -> bool | None:
    """Return False if a clause denies what it names, True if it does not; None where it does so twice."""
    rest = normalize_text(clause)
    for name in (normalize_text(each).strip("?？ ") for each in names):
        spaced = re.escape(name) if name.isascii() else r"\s*".join(map(re.escape, name.replace(" ", "")))
        rest = re.sub(spaced, " ", rest)
    denials = _DENIES.findall(_NO_DENIAL.sub(" ", rest))
    return None if len(denials) > 1 else not denials


def _is_named(names: Sequence[str], text: str) -> bool:
    low = normalize_text(text)
    return any(_holds(low, name.strip("?？ ")) for name in names)


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
