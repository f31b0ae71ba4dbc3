"""A self-report of 16 types: 32 paired items of our own, eight for each axis. It is not the MBTI®.

Each answer is 1 (wholly the first sentence) to 5 (wholly the second). An axis is scored in per cent towards its first
pole; within five points of the middle the letter is X, undecided.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from ia.kernel.errors import BadData, Refused
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json

AXES = ("EI", "SN", "TF", "JP")
LOWEST, HIGHEST = 1, 5
UNDECIDED = 5.0
"""Points on either side of 50 within which an axis has no letter."""
NO_LETTER = "X"
"""What stands in a type for an axis that is undecided."""


class AxisScore(NamedTuple):
    """An axis: per cent towards its first pole, and its letter."""

    axis: str
    percent: float
    letter: str


@cache
def _load_data() -> Json:
    text = files("ia.faculties.life").joinpath("types16.yaml").read_text(encoding="utf-8")
    return load_yaml(text, "types16.yaml")  # type: ignore[no-any-return]


def report_title(lang: str) -> str:
    """Return what the report is called."""
    return Voice(lang)("16 types, a self-report, not the MBTI®")


def score_answers(answers: Any) -> list[AxisScore]:
    """Return the four axes.

    raises  BadData for an answer that is none; Refused while answers are missing.
    """
    known = {item["id"]: item for item in _load_data()["items"]}
    given = _read_answers(answers, list(known))
    missing = [item for item in known if item not in given]
    if missing:
        raise Refused(
            "{count} of {of} answers are missing: {items}",
            code="answers-missing",
            count=len(missing),
            of=len(known),
            items=", ".join(missing),
        )
    found = []
    for axis in AXES:
        own = [item for item in known.values() if item["axis"] == axis]
        towards = [
            (given[item["id"]] - LOWEST if item.get("reversed") else HIGHEST - given[item["id"]]) for item in own
        ]
        percent = 100 * sum(towards) / (len(own) * (HIGHEST - LOWEST))
        letter = NO_LETTER if abs(percent - 50) < UNDECIDED else axis[0] if percent > 50 else axis[1]
        found.append(AxisScore(axis, percent, letter))
    return found


def _read_answers(answers: Any, known: list[str]) -> dict[str, int]:
    """Return item -> answer; values may be numbers or their digits, as forms give them."""
    if isinstance(answers, list):
        if len(answers) > len(known):
            raise BadData("{count} answers for {of} items", count=len(answers), of=len(known))
        answers = dict(zip(known, answers, strict=False))
    if not isinstance(answers, Mapping):
        raise BadData("the answers are neither a list nor an object of items")
    found = {}
    for item, value in answers.items():
        if item not in known:
            raise BadData("{item}: no such item", item=str(item)[:40])
        if value is None or value == "":
            continue
        if isinstance(value, bool) or str(value) not in map(str, range(LOWEST, HIGHEST + 1)):
            raise BadData("{item}: {value!r} is not a whole number from 1 to 5", item=item, value=str(value)[:40])
        found[item] = int(value)
    return found


def describe_result(axes: list[AxisScore], lang: str) -> Json:
    """Return the result as a person reads it."""
    key = "en" if lang == "en" else "zh"
    poles = _load_data()["poles"]
    voice = Voice(lang)
    rows = [
        {
            "axis": f"{poles[axis.axis[0]][key]} – {poles[axis.axis[1]][key]}",
            "percent": round(axis.percent, 1),
            "letter": axis.letter,
            "reading": voice("undecided")
            if axis.letter == NO_LETTER
            else poles[axis.letter]["en_text" if key == "en" else "zh_text"],
        }
        for axis in axes
    ]
    notes = [voice("a self-report for reflection: it measures preferences of the day, neither ability nor health")]
    if any(axis.letter == NO_LETTER for axis in axes):
        notes.append(voice("X: within five points of the middle, undecided"))
    return {"title": report_title(lang), "type": "".join(axis.letter for axis in axes), "axes": rows, "notes": notes}
