"""A task's design as a person reads it before deciding: when, what, what comes of it, and what if it fails."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from ia_cli.terminal.output import harmless
from ia_cli.terminal.text import lang, say, tr

if TYPE_CHECKING:
    from ia.faculties.schedule.model import Design

_DAYS = {
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "zh": ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
}


def document(design: "Design") -> dict[str, Any]:
    """Return a design as plain data: its fields, its schedule in words, its next run times (ISO)."""
    from dataclasses import asdict

    from ia.agent.tools.builtin.tasks import upcoming
    from ia.faculties.schedule.describe import described

    coming = upcoming(design)
    remarks = [told] if (told := remark(design, coming)) else []
    return {"design": asdict(design), "described": described(design, lang()), "next": coming, "remarks": remarks}


def rows(design: "Design") -> list[tuple[str, str]]:
    """Return a design as (what, how) for a person, in the user's language; of times more than one line each."""
    from ia.faculties.schedule.describe import described
    from ia.faculties.schedule.design import produced

    told = [
        (tr("when"), f"{described(design, lang())}\n{design.schedule}"),
        (tr("next times"), "\n".join(_moment(text) for text in document(design)["next"])),
        (tr("note"), remark(design, document(design)["next"])),
        (tr("asks"), design.prompt),
        (tr("runs"), design.run),
        (tr("input"), design.inputs),
        (tr("keeps"), produced(design)),
        (tr("tells"), _told(design)),
        (tr("if it fails"), _failure(design)),
        (tr("if missed"), tr("made up for once") if design.missed == "once" else tr("left out")),
        (tr("because"), design.because),
    ]
    return [(what, how) for what, how in told if how.strip()]


def remark(design: "Design", times: list[str]) -> str:
    """Return what there is to say of a design's next times (ISO): that their holidays are not known; "" for nothing."""
    from ia.faculties.schedule import slots

    found = slots.unknown(design, [datetime.fromisoformat(text) for text in times])
    return say(found.template, **found.params) if found else ""


def lines(design: "Design") -> list[str]:
    """Return the rows as lines of text, the first word of each padded to a column."""
    from ia_cli.terminal.wrap import columns as width

    told = rows(design)
    column = max(width(what) for what, _ in told) + 2
    out = []
    for what, how in told:
        first, *more = how.split("\n")
        out.append("  " + what + " " * (column - width(what)) + first)
        out += [" " * (column + 2) + line for line in more]
    return out


def show(design: "Design") -> None:
    """Print a design on stderr: a panel on a terminal, else lines."""
    import sys

    import click

    if not sys.stderr.isatty():
        for line in [design.path, *lines(design)]:
            click.echo(harmless(line), err=True)
        return
    from rich.box import ROUNDED
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    from ia.kernel import config

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="" if config.env("NO_COLOR") else "bold")
    table.add_column(overflow="fold")
    for what, how in rows(design):
        table.add_row(Text(harmless(what)), Text(harmless(how)))
    Console(stderr=True).print(Panel(table, title=Text(harmless(design.path)), box=ROUNDED, expand=False))


def _moment(text: str) -> str:
    """Return a run time with its weekday, and the same in the user's own zone where that is another."""
    from ia.faculties.schedule import zones

    moment = datetime.fromisoformat(text)
    here = moment.astimezone(zones.own())
    told = f"{moment:%Y-%m-%d %H:%M} {_day(moment)}"
    return (
        told
        if here.utcoffset() == moment.utcoffset()
        else say("{time} ({here} here)", time=told, here=_short(here, moment))
    )


def _short(here: datetime, moment: datetime) -> str:
    return f"{here:%H:%M}" if here.date() == moment.date() else f"{here:%m-%d %H:%M} {_day(here)}"


def _day(moment: datetime) -> str:
    return _DAYS[lang()][moment.weekday()]


def _told(design: "Design") -> str:
    names = ", ".join(tr("you") if name == "me" else name for name in design.notify)
    if not names:
        return tr("nobody")
    return say("{names}, only of failures", names=names) if design.silent else names


def _failure(design: "Design") -> str:
    if not design.retries:
        return tr("no retry; you are notified")
    return say(
        "retried {count}×, {minutes} minutes later; then you are told", count=design.retries, minutes=design.retry_after
    )
