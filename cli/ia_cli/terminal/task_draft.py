"""A task's design as a person reads it before deciding: when, what, what comes of it, and what if it fails."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from ia.kernel.errors import PluralText
from ia_cli.terminal.output import escape_controls
from ia_cli.terminal.text import lang, say, tr

if TYPE_CHECKING:
    from ia.faculties.schedule.model import TaskDesign

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def design_document(design: "TaskDesign") -> dict[str, Any]:
    """Return a design as plain data: its fields, its schedule in words, its next run times (ISO)."""
    from dataclasses import asdict

    from ia.agent.tools.builtin.tasks import next_run_times
    from ia.faculties.schedule.describe import describe_design

    coming = next_run_times(design)
    remarks = [told] if (told := holiday_remark(design, coming)) else []
    return {"design": asdict(design), "described": describe_design(design, lang()), "next": coming, "remarks": remarks}


def design_rows(design: "TaskDesign") -> list[tuple[str, str]]:
    """Return a design as (what, how) for a person, in the user's language; of times more than one line each."""
    from ia.faculties.alerts.definition import find_alert
    from ia.faculties.schedule.describe import describe_design
    from ia.faculties.schedule.design import output_path

    told = [
        (tr("when"), f"{describe_design(design, lang())}\n{design.schedule}"),
        (tr("next runs"), "\n".join(_format_run_time(text) for text in design_document(design)["next"])),
        (tr("note"), holiday_remark(design, design_document(design)["next"])),
        (tr("prompt"), design.prompt),
        (tr("runs"), design.run),
        (tr("input"), design.inputs),
        (tr("keeps"), "" if find_alert(design) or _is_reminder(design) else output_path(design)),
        (tr("notifies"), _notified_names(design)),
        (tr("on failure"), _format_retries(design)),
        (tr("if missed"), tr("run once afterwards") if design.missed == "once" else tr("left out")),
        (tr("because"), design.because),
    ]
    return [(what, how) for what, how in told if how.strip()]


def holiday_remark(design: "TaskDesign", times: list[str]) -> str:
    """Return what there is to say of a design's next times (ISO): that their holidays are not known; "" for nothing."""
    from ia.faculties.schedule import slots

    found = slots.unknown_holidays_message(design, [datetime.fromisoformat(text) for text in times])
    return say(found.template, **found.params) if found else ""


def design_lines(design: "TaskDesign") -> list[str]:
    """Return the rows as lines of text, the first word of each padded to a column."""
    from ia.kernel.text_width import display_width as width

    told = design_rows(design)
    column = max(width(what) for what, _ in told) + 2
    out = []
    for what, how in told:
        first, *more = how.split("\n")
        out.append("  " + what + " " * (column - width(what)) + first)
        out += [" " * (column + 2) + line for line in more]
    return out


def print_design(design: "TaskDesign") -> None:
    """Print a design on stderr: a panel on a terminal, else lines."""
    import sys

    import click

    if not sys.stderr.isatty():
        for line in [design.path, *design_lines(design)]:
            click.echo(escape_controls(line), err=True)
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
    for what, how in design_rows(design):
        table.add_row(Text(escape_controls(what)), Text(escape_controls(how)))
    Console(stderr=True).print(Panel(table, title=Text(escape_controls(design.path)), box=ROUNDED, expand=False))


def _format_run_time(text: str) -> str:
    """Return a run time with its weekday, and the same in the user's own zone where that is another."""
    from ia.faculties.schedule import zones

    moment = datetime.fromisoformat(text)
    here = moment.astimezone(zones.wish_zone())
    told = f"{moment:%Y-%m-%d %H:%M} {_weekday_name(moment)}"
    return (
        told
        if here.utcoffset() == moment.utcoffset()
        else say("{time} ({here} local time)", time=told, here=_format_local_short(here, moment))
    )


def _format_local_short(here: datetime, moment: datetime) -> str:
    return f"{here:%H:%M}" if here.date() == moment.date() else f"{here:%m-%d %H:%M} {_weekday_name(here)}"


def _weekday_name(moment: datetime) -> str:
    return tr(_DAYS[moment.weekday()])


def _notified_names(design: "TaskDesign") -> str:
    names = ", ".join(tr("you") if name == "me" else name for name in design.notify)
    if not names:
        return tr("nobody")
    return say("{names}, only on failure", names=names) if design.silent and not _is_reminder(design) else names


def _is_reminder(design: "TaskDesign") -> bool:
    """Whether all that a task does is to send a text: it writes no note, and the text itself is the notice."""
    return design.run.startswith("ia send ")


def _format_retries(design: "TaskDesign") -> str:
    if not design.retries:
        return tr("no retry; you are notified")
    return say(
        PluralText(
            "retried up to {count}×, {minutes} minute apart; then you are notified",
            "retried up to {count}×, {minutes} minutes apart; then you are notified",
            by="minutes",
        ),
        count=design.retries,
        minutes=design.retry_after,
    )
