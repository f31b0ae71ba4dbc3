"""Whether an answer, and what the turn left in the workspace, passes the checks of a question.

An answer that lists numbers until one of them is right fails: of the numbers that could be taken for the one that is
asked for only a few others may stand beside it, and the same holds for dates and for securities.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ia.kernel.errors import IaError, Message
from ia.kernel.jsontypes import Json
from ia.kernel.proposals import Proposal
from ia.reach.exam.expected import ExpectedAnswer
from ia.reach.exam.figures import CalendarDay, Figure, find_dates, find_figures, is_rounding_of, plain_text

TOLERANCE = 0.002
"""How far off a number may be, as a fraction of it; a rounded one (1.2 for 1.23) may be further."""
RIVALS = 4
"""Other numbers between half and twice the right one that an answer may hold; other dates, too."""
MOST_FIGURES = 24
"""Numbers of the kind of the right one that an answer may hold in all."""

Names = Mapping[str, tuple[str, ...]]
"""Symbol → what a security is called."""


@dataclass
class ExamOutcome:
    """What a turn left: its answer, the proposals that it made, and the texts of the files that it changed."""

    answer: str
    proposals: list[Proposal] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)


def find_problems(expected: ExpectedAnswer, outcome: ExamOutcome, names: Names) -> list[Message]:
    """Return what is wrong with an answer, check by check; [] for a right one."""
    text = plain_text(outcome.answer)
    found: list[Message] = []
    for check in expected.checks:
        kind = check["kind"]
        if kind in _OF_ANSWER:
            problem = _OF_ANSWER[kind](check, text)
        elif kind == "securities":
            problem = _check_securities(check, text, names, plain_text(expected.question.ask))
        else:
            problem = _OF_WORKSPACE[kind](check, outcome)
        found += [problem] if problem else []
    return found


def describe_check(check: Json) -> Message:
    """Return what a check expects, for a person."""
    kind = check["kind"]
    if kind == "number":
        shown = f"{float(check['value']):,.4f}".rstrip("0").rstrip(".") + ("%" if check.get("percent") else "")
        return Message("{number}", number=shown)
    if kind == "date":
        return Message("{date}", date=check["value"])
    if kind == "securities":
        return Message("these securities and no others: {symbols}", symbols=", ".join(_expected_symbols(check)))
    if kind == "proposal":
        return Message("a proposal ({kind})", kind=check["proposal"]["kind"])
    if kind == "no_proposal":
        return Message("no proposal ({kind})", kind=check["no_proposal"])
    if kind == "file":
        return Message("a text in {path}", path=check["file"]["path"])
    words = ", ".join(_plain_words(check["patterns"])[:6])
    if kind == "avoids":
        return Message("nothing like: {words}", words=words)
    return Message("words like: {words}", words=words)


def _plain_words(patterns: list[str]) -> list[str]:
    """Return what of patterns a person can read: alternatives without signs; else the patterns."""
    words = [re.sub(r"\\b|\\(?=\W)|^\(|\)$", "", word) for each in patterns for word in each.split("|")]
    return [word for word in words if re.fullmatch(r"[\w .-]+", word)] or patterns


def _check_number(check: Json, text: str) -> Message | None:
    number, percent = float(check["value"]), bool(check.get("percent"))
    figures = [figure for figure in find_figures(text) if percent or not figure.percent]
    right = [figure for figure in figures if _is_number(figure, number, check)]
    if not right:
        return Message("the number is missing")
    values = {round(figure.value, 6) for figure in figures} - {round(figure.value, 6) for figure in right}
    rivals = [value for value in values if abs(number) / 2 <= value <= abs(number) * 2]
    if len(rivals) > RIVALS or len(values) > MOST_FIGURES:
        return Message("too many other numbers: {count}", count=max(len(rivals), len(values)))
    return None


def _is_number(figure: Figure, number: float, check: Json) -> bool:
    if not is_rounding_of(figure, number, float(check.get("tolerance", TOLERANCE))):
        return False
    if not check.get("signed"):
        return True
    return figure.sign == (-1 if number < 0 else 1) or (figure.sign is None and number >= 0)


def _check_date(check: Json, text: str) -> Message | None:
    year, month, day = map(int, str(check["value"])[:10].split("-"))
    dates = set(find_dates(text)[0])
    right = {CalendarDay(year, month, day), CalendarDay(0, month, day)}
    if not dates & right:
        return Message("the date is missing")
    return Message("too many other dates: {count}", count=len(dates - right)) if len(dates - right) > RIVALS else None


def _check_words(check: Json, text: str) -> Message | None:
    return None if _holds_any(check["patterns"], text) else Message("none of the words is there")


def _check_avoided(check: Json, text: str) -> Message | None:
    found = next((match[0] for each in check["patterns"] if (match := re.search(each, text, re.I))), None)
    return None if found is None else Message("it says: {text}", text=found[:60])


def _check_securities(check: Json, text: str, names: Names, question: str) -> Message | None:
    meant, said, asked = set(_expected_symbols(check)), find_securities(text, names), find_securities(question, names)
    if missing := meant - said:
        return Message("missing: {symbols}", symbols=", ".join(sorted(missing)))
    if len(more := said - meant - asked) > check.get("others", 0):
        return Message("these are wrong: {symbols}", symbols=", ".join(sorted(more)))
    return None


def find_securities(text: str, names: Names) -> set[str]:
    """Return the symbols of the securities that a text names by code or name, the longest name first."""
    known = sorted(
        ((word, symbol) for symbol, words in names.items() for word in words), key=lambda pair: -len(pair[0])
    )
    found = set()
    for word, symbol in known:
        edge = r"(?<![A-Za-z0-9]){}(?![A-Za-z0-9])" if word.isascii() else "{}"
        text, count = re.subn(edge.format(re.escape(word)), " ", text, flags=re.I)
        found |= {symbol} if count else set()
    return found


def _expected_symbols(check: Json) -> list[str]:
    return [check["value"]] if isinstance(check["value"], str) else list(check["value"])


def _check_proposal(check: Json, outcome: ExamOutcome) -> Message | None:
    wanted = check["proposal"]
    made = [each for each in outcome.proposals if each.kind == wanted["kind"]]
    if not made:
        return Message("no such proposal was made")
    if not any(_is_wanted(each, wanted, check["patterns"]) for each in made):
        return Message("the proposal is another: {text}", text=" ".join(made[-1].after.split())[:160])
    return None


def _is_wanted(proposal: Proposal, wanted: Json, patterns: list[str]) -> bool:
    import json

    if not _holds_all(patterns, proposal.after):
        return False
    if fields := wanted.get("fields"):
        order = json.loads(proposal.after)
        return all(_is_equal(order.get(name), value) for name, value in fields.items())
    return "next" not in wanted or wanted["next"] == _next_run(proposal)


def _is_equal(found: object, value: object) -> bool:
    return str(found) == str(value) or (
        isinstance(value, int) and re.fullmatch(rf"{value}(\.0*)?", str(found)) is not None
    )


def _next_run(proposal: Proposal) -> str:
    """Return when a proposed task would run first; "" for one that cannot be read."""
    from ia.faculties.schedule import slots
    from ia.faculties.schedule.design import parse_design
    from ia.kernel import clock

    try:
        design = parse_design(proposal.after, proposal.path.rpartition("/")[2].removesuffix(".md"))
        return str(slots.next_slots(design, clock.now(), 1)[0].astimezone(clock.CHINA).isoformat(timespec="minutes"))
    except (IaError, IndexError):
        return ""


def _check_no_proposal(check: Json, outcome: ExamOutcome) -> Message | None:
    made = [each for each in outcome.proposals if each.kind == check["no_proposal"]]
    return Message("proposal {number} was made", number=made[0].id) if made else None


def _check_file(check: Json, outcome: ExamOutcome) -> Message | None:
    texts = [text for path, text in outcome.files.items() if fnmatchcase(path, check["file"]["path"])]
    if not texts:
        return Message("nothing was written there")
    lacks = check["file"].get("lacks", [])
    if not any(_holds_all(check["patterns"], text) and not _holds_any(lacks, text) for text in texts):
        return Message("the text that was written lacks what was asked for")
    return None


def _holds_all(patterns: list[str], text: str) -> bool:
    return all(re.search(each, plain_text(text), re.I) for each in patterns)


def _holds_any(patterns: list[str], text: str) -> bool:
    return any(re.search(each, text, re.I) for each in patterns)


_OF_ANSWER: dict[str, Callable[[Json, str], Message | None]] = {
    "number": _check_number,
    "date": _check_date,
    "says": _check_words,
    "avoids": _check_avoided,
}
_OF_WORKSPACE: dict[str, Callable[[Json, ExamOutcome], Message | None]] = {
    "proposal": _check_proposal,
    "no_proposal": _check_no_proposal,
    "file": _check_file,
}
