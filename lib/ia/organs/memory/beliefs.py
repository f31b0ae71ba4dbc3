"""Beliefs with a date: what a line of beliefs.md says beside its words, and what a check of prices looks like.

A line ends with what is known of it: `- BYD recovers (2024-03-15, by 2024-06-30: 002594.SZ >= 120; right 2024-05-02)`:
the day it was written, the day it is due, the check that prices decide, and the owner's own verdict. All of it may be
missing, as in files written before. `by`: to reach a price once until then is enough; `on`: the close of that day
decides.
"""

from datetime import date
from typing import NamedTuple

from ia.kernel.errors import BadData
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.memory import change_rules

ABOVE, BELOW, UP, DOWN, BEATS, LAGS, REACHES = ">=", "<=", "up", "down", "beats", "lags", "reaches"
"""What a check says of a close. REACHES leaves open from which side; a stored check is never of it."""
RIGHT, WRONG = "right", "wrong"

_DAY = r"\d{4}-\d\d-\d\d"
_DATED = pattern(
    rf"\s*\((?:(?:(?P<filed>{_DAY}), )?(?P<way>by|on) (?P<due>{_DAY})(?:: (?P<check>[^;()]+?))?)?(?:;? ?\b"
    rf"(?P<verdict>right|wrong) (?P<judged>{_DAY}))?\)\s*$"
)
_CHECK = pattern(
    r"(?P<symbol>\S.*?)\s*(?:(?P<sign>>=|<=|=>|=<|[<>≥≤]|\breaches\b)\s*(?P<level>\d[\d,]*(?:\.\d+)?)"
    r"|\b(?P<way>up|down)\b(?:\s*(?P<pct>\d+(?:\.\d+)?)\s*%)?|\b(?P<than>beats|lags)\s+(?P<against>\S.*?))\s*"
)
_SIGNS = {">": ABOVE, "≥": ABOVE, "=>": ABOVE, "<": BELOW, "≤": BELOW, "=<": BELOW}


class BeliefCheck(NamedTuple):
    """What prices decide: a security, what it does, and the price, the change or the index that it is held against."""

    symbol: str
    says: str
    level: float | None = None
    change_pct: float | None = None
    against: str = ""

    def __str__(self) -> str:
        if self.level is not None:
            return f"{self.symbol} {self.says} {self.level:.10g}"
        if self.against:
            return f"{self.symbol} {self.says} {self.against}"
        return f"{self.symbol} {self.says}" + ("" if self.change_pct is None else f" {self.change_pct:.10g}%")


class DueDate(NamedTuple):
    """When a belief is due, and what decides it; without a check the owner does. `once`: `by` that day, not `on` it."""

    day: str
    once: bool = True
    check: BeliefCheck | None = None


class Belief(NamedTuple):
    """A line of beliefs.md. `filed` is the day it was written; `verdict` the owner's own, given on the day `judged`."""

    text: str
    filed: str = ""
    due: DueDate | None = None
    verdict: str = ""
    judged: str = ""

    @property
    def line(self) -> str:
        """The line of the file; parse_belief() reads it back."""
        told = []
        if self.due is not None:
            check = f": {self.due.check}" if self.due.check else ""
            filed = f"{self.filed}, " if self.filed else ""
            told.append(f"{filed}{'by' if self.due.once else 'on'} {self.due.day}{check}")
        if self.verdict:
            told.append(f"{self.verdict} {self.judged}")
        return f"- {self.text}" + (f" ({'; '.join(told)})" if told else "")


def parse_check(text: str) -> BeliefCheck:
    """Return the check that a text means; its securities stand as they were written.

    Raises:
        BadData: it is none.

    >>> str(parse_check("300750.SZ > 200")), str(parse_check("BYD up 10 %")), parse_check("CATL beats CSI 300")[-1]
    ('300750.SZ >= 200', 'BYD up 10%', 'CSI 300')
    """
    found = _CHECK.fullmatch(text.strip())
    if found is None:
        raise BadData(
            "{text}: no check that prices decide",
            text=text.strip(),
            hint="write '300750 >= 200', '300750 <= 150', '300750 up 10%', '300750 down' or '300750 beats 000300.SH'",
        )
    says = found["sign"] or found["way"] or found["than"]
    return BeliefCheck(
        symbol=found["symbol"],
        says=_SIGNS.get(says, says),
        level=float(found["level"].replace(",", "")) if found["level"] else None,
        change_pct=float(found["pct"]) if found["pct"] else None,
        against=found["against"] or "",
    )


def parse_belief(line: str) -> Belief:
    """Return the belief of a line. A check that cannot be read is none: the owner decides.

    >>> parse_belief("- Value works").line, parse_belief("* It falls (by 2024-06-30; wrong 2024-07-01)").verdict
    ('- Value works', 'wrong')
    >>> belief = parse_belief("- BYD recovers (2024-03-15, on 2024-06-28: 002594.SZ >= 120)")
    >>> belief.due.day, belief.due.once, belief.due.check.level
    ('2024-06-28', False, 120.0)
    """
    text = line.strip().lstrip("-*").strip()
    found = _DATED.search(text)
    if found is None or not all(_is_day(found[name]) for name in ("filed", "due", "judged")):
        return Belief(text)
    if not (found["due"] or found["verdict"]):
        return Belief(text)
    due = None
    if found["due"]:
        try:
            check = parse_check(found["check"]) if found["check"] else None
        except BadData:
            check = None
        due = DueDate(found["due"], found["way"] == "by", check)
    return Belief(
        text=text[: found.start()],
        filed=found["filed"] or "",
        due=due,
        verdict=found["verdict"] or "",
        judged=found["judged"] or "",
    )


def list_beliefs(ws: Workspace) -> list[Belief]:
    """Return the beliefs, in the order of the file."""
    lines = (ws.read(change_rules.BELIEFS) or "").splitlines()
    return [parse_belief(line) for line in lines if line.lstrip().startswith(("-", "*"))]


def _is_day(text: str | None) -> bool:
    """Return True for a day of the calendar, and for none."""
    try:
        return text is None or bool(date.fromisoformat(text))
    except ValueError:
        return False
