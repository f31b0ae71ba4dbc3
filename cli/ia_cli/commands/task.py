"""`ia task`: what ia does by itself, once a person has approved it."""

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message, NotFound
from ia_cli.commands.task_propose import propose
from ia_cli.terminal.alarm_notice import complain_of_alarm
from ia_cli.terminal.group import Group
from ia_cli.terminal.lists import listed
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, harmless, notify
from ia_cli.terminal.task_view import about, approved, awaited, history_row, shown
from ia_cli.terminal.text import say
from ia_cli.terminal.wide_tables import emit_brief

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks.runs import Run

LIST = ("name", "state", "when", "next", "last", "status")
MAX_LOG = 1_000_000  # bytes
HISTORY = ("run", "time", "slot", "state", "why", "attempt", "status", "report", "said")


@click.group(cls=Group, example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task list")
def task() -> None:
    """Propose, approve, run and remove tasks: what ia does by itself.

    A task is a file tasks/NAME.md: when, what is asked or run, where the result goes. It runs once you have approved
    it, from your own crontab; what runs is the text that you approved, also if the file is edited later. A file that
    is deleted does not run.
    """


task.add_command(propose)


@task.command("list", example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List the tasks: approved ones, files that wait for approval, and proposals. Status 1 where there are none.

    state is approved, paused, edited (the approved text runs, not the file), deleted (does not run), unapproved or
    proposed; status is that of the last run. Where slots passed without a run, the state adds overdue, and stderr says
    which slots, and why: no interpreter, a moved workspace, no cron.
    """
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import book

    ws = Workspace()
    people = not (as_json or as_jsonl)
    passed, why = complain_of_alarm(ws)
    rows = []
    for each in book.listed(ws):
        row = about(ws, each, people=people, short=sys.stdout.isatty())
        if people and each.name in passed:
            row["state"] += say(", overdue")
        slots = passed.get(each.name, [])
        rows.append(row if people else {**row, "overdue": slots, "alarm": why if slots else None})
    empty = NotFound("no tasks yet", hint="`ia task propose '每周五收盘后，帮我复盘'` makes a draft")
    emit = partial(emit_brief, heads=dict(zip(LIST, LIST, strict=True)), spare=("last", "status"), free={"when": 20})
    listed(ctx, rows, LIST, empty, as_json=as_json, as_jsonl=as_jsonl, emit=emit)


@task.command(example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task show w")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show a task: its text, when it runs next, how its last runs ended, and the environment that was kept."""
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import book

    ws = Workspace()
    name = book.name_of(name)
    if name.isdecimal() and all(each.name != name for each in book.listed(ws)):
        name = next((each.name for each in book.listed(ws) if each.proposal == int(name)), name)
    found = next((each for each in book.listed(ws) if each.name == name), None)
    if found is None:
        raise NotFound("{name}: no such task", name=name, hint="`ia task list` shows them")
    if as_json:
        emit_json(about(ws, found, people=False, whole=True))
    else:
        emit_text(shown(ws, found))


@task.command(example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes")
@click.argument("which", metavar="ID|NAME")
@click.option("--yes", is_flag=True, help="Do not ask; typed by you, it is your consent.")
@json_option
def approve(which: str, yes: bool, as_json: bool) -> None:
    """Approve a task: the proposal ID, or the file tasks/NAME.md as it stands.

    Shows what would run and when, of a changed task what differs, and asks at the terminal. Without a terminal it is
    refused, unless --yes is given. The task then stands in your crontab. Where ia's marks in it are damaged, nothing is
    approved (78); where it cannot be written, the approval stands, and the status tells why (69, 75 or 78).
    """
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    approved(ws, which, yes=yes, as_json=as_json)


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes; ia task pause w"
)
@click.argument("name")
def pause(name: str) -> None:
    """Pause a task: it stays approved but does not run."""
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import decisions

    done = decisions.pause(Workspace(), name, notify=notify)
    notify(Message("task {name} rests; `ia task resume {name}` wakes it", name=done.name))


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes; ia task resume w"
)
@click.argument("name")
def resume(name: str) -> None:
    """Resume a paused task. Runs missed during the pause are not made up."""
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import decisions

    ws = Workspace()
    done = decisions.resume(ws, name, notify=notify)
    notify(Message("task {name} runs again, next at {time}", name=done.name, time=_next(ws, done.name)))


def _next(ws: "Workspace", name: str) -> str:
    from ia.reach.tasks import book

    found = next(each for each in book.listed(ws) if each.name == name)
    return str(about(ws, found, people=True)["next"] or "-")


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes; ia task remove w"
)
@click.argument("name")
def remove(name: str) -> None:
    """Remove a task, its file and its crontab entry; what ran stays in the history."""
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import book, decisions

    ws = Workspace()
    filed = ws.read(f"tasks/{book.name_of(name)}.md") is not None
    done = decisions.remove(ws, name, notify=notify)
    if filed:
        notify(Message("task {name} is removed; `ia memory undo tasks/{name}.md` brings its file back", name=done))
    else:
        notify(Message("task {name} is removed", name=done))


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes; ia task run w"
)
@click.argument("name")
@click.option("--again", is_flag=True, help="Run it once more, though its slot is done.")
@json_option
def run(name: str, again: bool, as_json: bool) -> None:
    """Run an approved task now and print the path of its report.

    Runs the slots that are due; if there are none, the last slot, unless it is done already (--again runs it once
    more). The status is that of the run; 75: the task is running already.
    """
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import running

    _end_on_sigterm()
    ws = Workspace()
    with awaited():
        done = running.run_now(ws, name, again=again, notify=notify)
    if as_json:
        emit_json(history_row(done, people=False))
    elif done.state == "done":
        sys.stdout.write(f"{done.report or done.summary or ''}\n")
    click.get_current_context().exit(status_of(done))


@task.command(example="ia task due")
@click.argument("name", required=False, default=None)
@click.option("--cron-log", "to_log", is_flag=True, help="Write messages to .ia/tasks/cron.log instead of stderr.")
def due(name: str | None, to_log: bool) -> None:
    """Run the tasks that are due. cron calls this; it prints nothing if no task is due.

    With NAME, only that task. Missed slots are made up as their task says, failed runs are retried, and runs that a
    crash interrupted start again.
    """
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import running

    _end_on_sigterm()
    ws = Workspace()
    if to_log:
        _into_log(ws)
    with awaited():
        made = running.due(ws, name, notify)
    for done in made:
        told = history_row(done, people=True)
        said = "\t".join(str(told.get(column) or "-") for column in ("time", "task", "slot", "state", "report"))
        click.echo(harmless(said), err=True)


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes;"
    " ia task run w; ia task history w"
)
@click.argument("name", required=False, default=None)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1_000_000), default=20, show_default=True, help="The newest so many."
)
@click.option("--log", "number", type=click.IntRange(1), metavar="RUN", help="Print what a run's processes said.")
@rows_options
@click.pass_context
def history(
    ctx: click.Context, name: str | None, limit: int, number: int | None, as_json: bool, as_jsonl: bool
) -> None:
    """List the runs of a task (or of all), newest first. Status 1 where there are none.

    slot is the time that a run was for. state is running, done, failed, missed (left out) or waiting.
    """
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import book, runs

    ws = Workspace()
    if number is not None:
        runs.get(ws, number)
        emit_text(runs.log_of(ws, number))
        return
    people = not (as_json or as_jsonl)
    rows = [history_row(each, people=people) for each in runs.history(ws, book.name_of(name) if name else None, limit)]
    empty = NotFound("nothing has run yet", hint="`ia task list` shows when it will")
    heads, spare = dict(zip(HISTORY, HISTORY, strict=True)), ("attempt", "why", "time", "status", "run")
    emit = partial(emit_brief, heads=heads, spare=spare, free={"report": 20, "said": 20})
    listed(ctx, rows, HISTORY, empty, as_json=as_json, as_jsonl=as_jsonl, emit=emit)


def status_of(done: "Run") -> int:
    """Return the status that a run by hand ends with: its own, 75 where it will be tried again, or is busy."""
    if done.state == "done":
        return done.status or 0
    return 75 if done.retry_at or done.state == "running" else done.status or 70


def _end_on_sigterm() -> None:
    """A run that is told to end ends its processes; the next wake-up takes it up again."""
    import signal

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def _into_log(ws: "Workspace") -> None:
    """Let what this process says from here on go into a log that does not grow for ever."""
    import contextlib
    import os

    from ia.kernel import files

    if not ws.exists():  # moved, or its disk is not mounted: cron tells
        raise NotFound("there is no workspace {home}", home=ws.root, hint="moved? there: `ia doctor --mend`")
    path = os.path.join(ws.root, ".ia", "tasks", "cron.log")
    files.make_own(path)
    with contextlib.suppress(OSError):
        if os.path.getsize(path) > MAX_LOG:
            files.move(path, path + ".1")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    os.close(fd)
