"""tasks.propose: the alarm. A design that a person reads and approves; nothing is scheduled before that."""

import contextlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from ia.agent.tools import gate, writes
from ia.agent.tools.registry import CONFIRM, tool
from ia.agent.tools.scope import Scope
from ia.kernel.errors import BadData, UsageError

if TYPE_CHECKING:
    from ia.faculties.schedule.model import Design
    from ia.kernel.proposals import Proposal

NEXT = 5
"""Run times that are told beforehand."""
KIND = "task"
_TEXTS = ("schedule", "prompt", "run", "zone", "calendar", "inputs", "produces", "because")
_JOB = ("schedule", "zone", "calendar", "prompt", "run")
_POLICY = ("produces", "notify", "silent", "retries", "retry_after", "missed", "timeout")


@tool("tasks.propose", CONFIRM)
def propose(
    scope: Scope,
    name: Annotated[str, "short name: weekly-review"],
    schedule: Annotated[
        str,
        "five cron fields (`0 16 * * 5`); `every 90m` (m, h, d); `close+30m` after a close, `close+30m fri`;"
        " or `on file PATTERN`, `on message WORDS`, `on webhook NAME`",
    ],
    prompt: Annotated[str, "what is asked each time; `/review` at its start names a skill"] = "",
    run: Annotated[str, "instead of a prompt, ia commands: `ia ohlcv 600519 | ia compute 'rsi(close, 14)'`"] = "",
    zone: Annotated[str, "Asia/Shanghai; default: the exchange's, else the user's"] = "",
    calendar: Annotated[Literal["", "CN", "HK", "US"], "only on trading days of this exchange"] = "",
    inputs: Annotated[str, "what it reads, in words"] = "",
    produces: Annotated[str, "note that keeps the result: reports/weekly/DATE.md"] = "",
    notify: Annotated[list[str] | None, "channels that are told; default: me, the user; [] nobody"] = None,
    silent: Annotated[bool, "tell only of failures"] = False,
    retries: Annotated[int, "of a failed run"] = 1,
    retry_after: Annotated[int, "minutes between them"] = 60,
    missed: Annotated[Literal["once", "skip"], "slots while the machine slept: made up for once, or left out"] = "once",
    timeout: Annotated[int, "minutes"] = 30,
    because: Annotated[str, "why the user wants it"] = "",
) -> dict[str, Any]:
    """Propose a task that runs by itself at certain times or events. The user reads the design and decides. Returns
    the schedule in words and the next run times: tell the user both, with the number of the proposal."""
    given = {
        "name": name, "schedule": schedule, "prompt": prompt, "run": run, "zone": zone, "calendar": calendar,
        "inputs": inputs, "produces": produces, "notify": notify, "silent": silent, "retries": retries,
        "retry_after": retry_after, "missed": missed, "timeout": timeout, "because": because,
    }  # fmt: skip
    return told(scope, kept(scope, apart(scope, designed(scope, given))))


class Kept(NamedTuple):
    """A design that waits for a person: its number, and whether it was there before. Its name may be another."""

    number: int
    design: "Design"
    known: bool = False


def designed(scope: Scope, given: dict[str, Any]) -> "Design":
    """Return the design that a model's arguments come to, if the gate lets it be proposed.

    raises  Refused (the gate); UsageError, BadData for arguments that make no task.
    """
    from ia.faculties.schedule.model import ME, Design

    gate.way(scope, "tasks", confirm=True)
    texts: dict[str, Any] = {key: " ".join(writes.clean(scope, given.get(key) or "").split()) for key in _TEXTS}
    if not texts["schedule"]:
        raise UsageError("a task needs a schedule, and a prompt or a run")
    plain = {key: given[key] for key in ("silent", "retries", "retry_after", "missed", "timeout") if key in given}
    names = given.get("notify")
    channels = (ME,) if names is None else tuple(dict.fromkeys(writes.clean(scope, each).strip() for each in names))
    design = Design(slug_of(writes.clean(scope, given.get("name") or "")), notify=channels, **texts, **plain)
    return settled(in_form(design))


def told(scope: Scope, made: Kept) -> dict[str, Any]:
    """Return what a model is told of a design: its number, schedule in words and next run times."""
    from ia.faculties.schedule.describe import described
    from ia.faculties.schedule.design import produced

    design, number = made.design, made.number
    others = beside(scope, design)
    return {
        **writes.describe_proposal(number, design.path, known=made.known), "schedule": design.schedule,
        "described": described(design, language(design)), "next": upcoming(design), "keeps": produced(design),
        **({"beside": others} if others else {}),
        **({"kept in the same note": same} if (same := sharing(scope, design)) else {}),
        **({"no such channel yet": lacking} if (lacking := unknown(design)) else {}),
    }  # fmt: skip


def slug_of(name: str) -> str:
    """Return a task's name as a file's; task-600519 of one in digits, which would pass for a proposal's number.

    raises  UsageError for one without letters or digits, or too long.
    """
    slug = re.sub(r"[^\w]+", "-", name).strip("-_").lower()
    if not slug or len(slug) > 60:
        raise UsageError("{name!r} is not a name for a task", name=name[:80], hint="a short one: weekly-review")
    return f"task-{slug}" if slug.isdecimal() else slug


def in_form(design: "Design") -> "Design":
    """Return a design whose schedule has a form; one in words (每周五收盘后) is read by rules.

    raises  BadData.
    """
    from ia.faculties.schedule import words, zones
    from ia.faculties.schedule.forms import form

    try:
        form(design.schedule)
        return design
    except BadData:
        meant = re.match(r"(?:@|on |close)", design.schedule)
        if meant or not re.search(r"[\u3400-\u9fff]|[A-Za-z]{4}", design.schedule):
            raise
        when = words.timing(design.schedule, zone=design.zone or zones.own().key)
    return replace(
        design, schedule=when.schedule, zone=design.zone or when.zone, calendar=design.calendar or when.calendar
    )


def settled(design: "Design") -> "Design":
    """Return a design with what it leaves open written out: the zone, and the exchange whose close it waits for.

    raises  BadData for a design that does not hold.
    """
    from ia.faculties.schedule import phrases, zones
    from ia.faculties.schedule.design import check
    from ia.faculties.schedule.exchange import ZONES
    from ia.faculties.schedule.forms import Close, Event, form

    what = form(design.schedule)
    if isinstance(what, Event):
        design = replace(design, zone="", calendar="")
    else:
        calendar = design.calendar or ("CN" if isinstance(what, Close) else "")
        zone = phrases.zone_named(design.zone) or ZONES.get(calendar, "") or zones.own().key
        design = replace(design, calendar=calendar, zone=zone)
    check(design)
    return design


def kept(scope: Scope, design: "Design", lang: str = "", *, named: bool = False) -> Kept:
    """Propose a design that is settled. One that waits already and says the same is not made again.

    The name of another file or proposal is not taken: weekly-review-2.
    named   a person chose the name: where it is that of a file, this is a change of that task
    raises  what writes.proposed() raises.
    """
    from ia.faculties.schedule.design import written

    with scope.ws.lock():
        same = waiting(scope, design)
        changes = named and design.path in scope.ws.paths("tasks")
        if same is not None and not (changes and same.design.path != design.path):
            if same.number not in scope.pending:
                scope.pending.append(same.number)
            return same
        design = design if named else free(scope, design)
        text = written(design, lang or language(design))
        made = writes.proposed(scope, KIND, design.path, text, design.because)
    return Kept(made["proposal"], design)


def language(design: "Design") -> str:
    """Return the language that a design's file is written in: that of its own words."""
    from ia.faculties.schedule import words

    return words.language(design.prompt + design.because)


def upcoming(design: "Design") -> list[str]:
    """Return the next run times, were it approved now: ISO in the design's zone; none for an event."""
    from ia.faculties.schedule import slots
    from ia.kernel import clock

    return [slot.isoformat(timespec="minutes") for slot in slots.upcoming(design, clock.now(), NEXT)]


def waiting(scope: Scope, design: "Design") -> Kept | None:
    """Return the proposal that waits and says the same, whatever it is called.

    The same is: schedule and job, and of how it runs what the design asks for.
    """
    from ia.faculties.schedule.model import Design

    plain = Design("", "")
    for proposal, other in designs(scope):
        if all(getattr(other, field) == getattr(design, field) for field in _JOB) and all(
            getattr(design, field) in (getattr(plain, field), getattr(other, field)) for field in _POLICY
        ):
            return Kept(proposal.id, other, known=True)
    return None


def unknown(design: "Design") -> list[str]:
    """Return the channels that a design names and nobody has set up: what it says would stay in the inbox."""
    from ia.kernel.errors import NotFound
    from ia.organs.channels import known

    lacking = []
    for name in design.notify:
        try:
            known.meant(name)
        except NotFound:
            lacking.append(name)
    return lacking


def beside(scope: Scope, design: "Design") -> list[str]:
    """Return the paths of other tasks at the very same times, files and proposals: perhaps one of them is enough."""
    when = ("schedule", "zone", "calendar")
    same = {each.path for each in _all(scope) if all(getattr(each, field) == getattr(design, field) for field in when)}
    return sorted(same - {design.path})


def sharing(scope: Scope, design: "Design", *, named: bool = True) -> list[str]:
    """Return the paths of other tasks, files and proposals, that keep their result in the same note.

    named   its name is its own; else it gets another where that is taken
    """
    from ia.faculties.schedule.design import produced

    found, note = set(), produced(design)
    for each in _all(scope):
        with contextlib.suppress(BadData):
            found |= {each.path} if produced(each) == note else set()
    return sorted(found - {design.path} if named else found)


def apart(scope: Scope, design: "Design", *, named: bool = False) -> "Design":
    """Return a design whose note is of its own name, where another task has the one that rules choose for its kind."""
    from ia.faculties.schedule import words

    usual = design.produces and design.produces == words.note_of(design.schedule, design.prompt or design.run)
    return replace(design, produces="") if usual and sharing(scope, design, named=named) else design


def _all(scope: Scope) -> "list[Design]":
    """Return the designs that wait, and those of the files in tasks/."""
    from ia.faculties.schedule.design import parsed
    from ia.kernel.errors import IaError

    found = [other for _, other in designs(scope)]
    for path in scope.ws.paths("tasks"):
        with contextlib.suppress(IaError):
            found.append(parsed(scope.ws.read(path) or "", path.rpartition("/")[2].removesuffix(".md")))
    return found


def a_day(design: "Design") -> int:
    """Return how often a task runs on a day that it runs on; 0 for an event."""
    from ia.faculties.schedule.forms import Cron, Every, form

    what = form(design.schedule)
    if isinstance(what, Every):
        return max(1440 // what.minutes, 1)
    return len(what.times) if isinstance(what, Cron) else 0


def designs(scope: Scope) -> "list[tuple[Proposal, Design]]":
    """Return the task proposals that wait, each with what it says."""
    from ia.faculties.schedule.design import parsed
    from ia.kernel import proposals

    found = []
    for proposal in proposals.pending(scope.ws):
        if proposal.kind == KIND:
            try:
                found.append((proposal, parsed(proposal.after, proposal.path.rpartition("/")[2].removesuffix(".md"))))
            except BadData:
                continue
    return found


def free(scope: Scope, design: "Design") -> "Design":
    """Return a design under a name that neither a file nor a waiting proposal has: weekly-review, weekly-review-2 …"""
    from ia.kernel import proposals

    taken = {proposal.path for proposal in proposals.pending(scope.ws) if proposal.kind == KIND}
    taken |= set(scope.ws.paths("tasks"))
    stem = re.sub(r"-\d{1,3}\Z", "", design.name)[:55] if design.path in taken else design.name
    number, name = 1, design.name
    while f"tasks/{name}.md" in taken:
        number += 1
        name = f"{stem}-{number}"
    return replace(design, name=name)
