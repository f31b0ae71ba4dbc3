"""An alert as a task: the pipeline that its runs carry out holds the security, the condition and the last day."""

import re
import shlex
from dataclasses import dataclass
from datetime import date

from ia.faculties.schedule.model import ME, TaskDesign
from ia.kernel.errors import BadData, NotFound

COMMAND = ("ia", "alert", "check")
SCHEDULE = "close+30m"
"""When an alert looks: after the close of its exchange, when sources have the day's bar."""


@dataclass(frozen=True)
class Alert:
    """What is watched.

    symbol       canonical: 300750.SZ
    condition    an expression of `ia compute` over the daily bars
    until        last session that is looked at, YYYY-MM-DD; "" for no end
    """

    symbol: str
    condition: str
    until: str = ""

    @property
    def pipeline(self) -> str:
        """Return the command that a run carries out."""
        more = ["--until", self.until] if self.until else []
        return shlex.join([*COMMAND, *more, "--", self.symbol, self.condition])


def design_alert(alert: Alert, *, note: str = "", notify: tuple[str, ...] = (ME,)) -> TaskDesign:
    """Return the task that carries out an alert, under a name made from its security."""
    from ia.domain.instruments.symbols import from_canonical

    symbol = from_canonical(alert.symbol)
    return TaskDesign(
        name=f"alert-{symbol.code.lower()}",
        schedule=SCHEDULE,
        calendar=symbol.market,
        run=alert.pipeline,
        because=note,
        notify=notify,
        retries=2,
        retry_after=60,
    )


def find_alert(design: TaskDesign) -> Alert | None:
    """Return the alert that a task carries out; None for any other task.

    >>> find_alert(design_alert(Alert("300750.SZ", "close < 80")))
    Alert(symbol='300750.SZ', condition='close < 80', until='')
    """
    if not design.run.startswith(" ".join(COMMAND)):
        return None
    try:
        words = shlex.split(design.run)
    except ValueError:
        return None
    until = ""
    rest = words[len(COMMAND) :]
    if rest[:1] == ["--until"]:
        until, rest = (rest[1] if len(rest) > 1 else ""), rest[2:]
    if rest[:1] == ["--"]:
        rest = rest[1:]
    return Alert(rest[0], rest[1], until) if len(rest) == 2 else None


def require_alert(design: TaskDesign) -> Alert:
    """Return the alert that a task carries out.

    Raises:
        NotFound: another kind of task.
    """
    found = find_alert(design)
    if found is None:
        raise NotFound("task {name} is not an alert", name=design.name, hint="`ia alert list` shows all alerts")
    return found


def parse_until(text: str, today: str) -> str:
    """Return the last day that a text means, YYYY-MM-DD; a day without a year is the next one of that name.

    Raises:
        UsageError: no date.
        BadData: it has passed.
    """
    from ia.kernel import dateforms

    reference = date.fromisoformat(today)
    day = dateforms.parse_day(text, reference, option="--until", last=True)
    for year in (reference.year, reference.year + 1):
        if day < today and re.match(r"\s*\d{1,2}\D", text):
            day = dateforms.parse_day(text, date(year, 12, 31), option="--until", last=True)
    if day < today:
        raise BadData("--until {day}: this day has passed", day=day, hint="give today or a later day")
    return day
