"""`ia task`: what ia does by itself, once a person has approved it."""

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message, NotFound
from ia_cli.commands.task_propose import propose
from ia_cli.terminal.alarm_notice import complain_of_alarm
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import json_option, limit_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, escape_controls, notify
from ia_cli.terminal.task_view import (
    approve_task,
    format_local_time,
    format_task,
    history_row,
    task_row,
    tell_when_slow,
)
from ia_cli.terminal.text import say
from ia_cli.terminal.wide_tables import emit_wide_rows

if TYPE_CHECKING:
    from ia.faculties.taskbook.run_store import TaskRun
    from ia.kernel.workspace import Workspace

LIST = ("name", "state", "when", "next", "last", "status")
MAX_LOG = 1_000_000  # bytes
HISTORY = ("run", "time", "slot", "state", "why", "attempt", "status", "report", "said")


@click.group(cls=CommandGroup, example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task list")
def task() -> None:
    """Propose, approve, run and remove tasks: work that ia does by itself.

    A task is a file tasks/NAME.md with a schedule, a prompt or pipeline, and the destination of the result. Once you
    approve it, it runs from your own crontab. ia runs the approved text, even if the file is edited later. A task
    whose file is deleted does not run.
    """


task.add_command(propose)


@task.command("list", example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task list")
@limit_option("Maximum number of tasks (default: all).")
@rows_options
@click.pass_context
def list_(ctx: click.Context, limit: int | None, as_json: bool, as_jsonl: bool) -> None:
    """List approved, unapproved and proposed tasks. Status 1 if there are none.

    state is approved, paused, edited (the approved text runs, not the file), deleted (does not run), finished (its
    last moment is over), unapproved or proposed. status is the exit status of the last run. If slots passed without
    a run, state adds overdue, and stderr gives the slots and the reason: no interpreter, a moved workspace or no
    cron.
    """
    from ia.faculties.taskbook import approved_tasks
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    people, person = not (as_json or as_jsonl), sys.stdout.isatty()
    passed, why = complain_of_alarm(ws)
    rows = []
    for each in approved_tasks.list_tasks(ws)[:limit]:
        row = task_row(ws, each, people=people, short=person, codes=not person)
        if people and each.name in passed:
            row["state"] += say(", overdue") if person else ", overdue"
        slots = passed.get(each.name, [])
        rows.append(row if people else {**row, "overdue": slots, "alarm": why if slots else None})
    empty = NotFound("no tasks yet", hint="draft one with `ia task propose '每周五收盘后，帮我复盘'`")
    emit = partial(
        emit_wide_rows,
        heads=dict(zip(LIST, LIST, strict=True)),
        spare=("last", "status"),
        free={"when": 20, "next": 16, "state": 8},
    )
    emit_list(ctx, rows, LIST, empty, as_json=as_json, as_jsonl=as_jsonl, emit=emit)


@task.command(example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task show w")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show a task: text, next runs, results of the last runs, saved environment."""
    from ia.faculties.taskbook import approved_tasks
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    name = approved_tasks.name_of(name)
    if name.isdecimal() and all(each.name != name for each in approved_tasks.list_tasks(ws)):
        name = next((each.name for each in approved_tasks.list_tasks(ws) if each.proposal == int(name)), name)
    found = next((each for each in approved_tasks.list_tasks(ws) if each.name == name), None)
    if found is None:
        raise NotFound("{name}: no such task", name=name, hint="`ia task list` shows all tasks")
    if as_json:
        emit_json(task_row(ws, found, people=False, whole=True))
    else:
        emit_text(format_task(ws, found))


@task.command(example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes")
@click.argument("which", metavar="ID|NAME")
@click.option("--yes", is_flag=True, help="Skip the confirmation; typing this option is your consent.")
@json_option
def approve(which: str, yes: bool, as_json: bool) -> None:
    """Approve a task: a proposal ID, or the current text of tasks/NAME.md.

    Shows what would run and when, for a changed task also the differences, and then asks at the terminal. Without a
    terminal, approval needs --yes. ia then writes the task to your crontab. If ia's markers in the crontab are
    damaged, nothing is approved (78). If the crontab cannot be written, the approval stays valid and the status says
    why (69, 75 or 78).
    """
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    approve_task(ws, which, yes=yes, as_json=as_json)


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes; ia task pause w"
)
@click.argument("name")
def pause(name: str) -> None:
    """Pause a task: it stays approved but does not run."""
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import decisions

    done = decisions.pause_task(Workspace(), name, notify=notify)
    notify(Message("task {name} is paused; resume it with `ia task resume {name}`", name=done.name))


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes; ia task resume w"
)
@click.argument("name")
def resume(name: str) -> None:
    """Resume a paused task. Runs missed during the pause are not made up."""
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import decisions

    ws = Workspace()
    done = decisions.resume_task(ws, name, notify=notify)
    if done.design.schedule.startswith("on "):
        notify(Message("task {name} is resumed", name=done.name))
    else:
        notify(
            Message("task {name} is resumed; next run at {time}", name=done.name, time=_next_run_time(ws, done.name))
        )


def _next_run_time(ws: "Workspace", name: str) -> str:
    from ia.faculties.taskbook import approved_tasks

    found = next(each for each in approved_tasks.list_tasks(ws) if each.name == name)
    return str(task_row(ws, found, people=True)["next"] or "-")


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes; ia task remove w"
)
@click.argument("name")
def remove(name: str) -> None:
    """Remove a task, its file and its crontab entry; the run history stays."""
    from ia.faculties.taskbook import approved_tasks
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import decisions

    ws = Workspace()
    filed = ws.read(f"tasks/{approved_tasks.name_of(name)}.md") is not None
    done = decisions.remove_task(ws, name, notify=notify)
    if filed:
        notify(Message("task {name} is removed; restore its file with `ia memory undo tasks/{name}.md`", name=done))
    else:
        notify(Message("task {name} is removed", name=done))


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes; ia task run w"
)
@click.argument("name")
@click.option("--again", is_flag=True, help="Run the last slot again even if it is done.")
@json_option
def run(name: str, again: bool, as_json: bool) -> None:
    """Run an approved task now and print the path of its report.

    Runs the slots that are due. If none is due, runs the last slot, unless it is done already (--again runs it once
    more). The exit status is that of the run; 75 if the task is already running or the run will be retried.
    """
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import executor

    _end_on_sigterm()
    ws = Workspace()
    with tell_when_slow():
        done = executor.run_now(ws, name, again=again, notify=notify)
    if as_json:
        emit_json(history_row(done, people=False))
    elif done.state == "done":
        sys.stdout.write(f"{done.report or done.summary or ''}\n")
    click.get_current_context().exit(status_of(done))


@task.command(example="ia task due")
@click.argument("name", required=False, default=None)
@click.option("--cron-log", "to_log", is_flag=True, help="Write messages to .ia/tasks/cron.log instead of stderr.")
def due(name: str | None, to_log: bool) -> None:
    """Run the tasks that are due; cron calls this. Prints nothing if no task is due.

    With NAME, runs that task, and before it what is due and syncs the prices that it reads. ia makes up missed slots
    as the task specifies, retries failed runs and restarts runs that a crash interrupted.
    """
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import executor

    _end_on_sigterm()
    ws = Workspace()
    if to_log:
        _redirect_to_log(ws)
    with tell_when_slow():
        made = executor.run_due(ws, name, notify)
    for done in made:
        told = {**history_row(done, people=True), "time": format_local_time(done.started)}
        said = "\t".join(str(told.get(column) or "-") for column in ("time", "task", "slot", "state", "report"))
        click.echo(escape_controls(said), err=True)


@task.command(
    example="ia task propose --name w --cron '0 16 * * 5' --run 'ia usage'; ia task approve w --yes;"
    " ia task run w; ia task history w"
)
@click.argument("name", required=False, default=None)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1_000_000),
    default=20,
    show_default=True,
    help="Maximum number of runs, newest first.",
)
@click.option(
    "--log",
    "number",
    type=click.IntRange(1),
    metavar="RUN",
    help="Print the output of the processes of run number RUN.",
)
@rows_options
@click.pass_context
def history(
    ctx: click.Context, name: str | None, limit: int, number: int | None, as_json: bool, as_jsonl: bool
) -> None:
    """List runs of one task or all, newest first. Status 1 if there are none.

    slot is the time at which the run was due. state is running, done, failed, missed (skipped) or waiting.
    """
    from ia.faculties.taskbook import approved_tasks, run_store
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    if number is not None:
        run_store.get_run(ws, number)
        emit_text(run_store.read_log(ws, number))
        return
    people = not (as_json or as_jsonl)
    rows = [
        history_row(each, people=people, codes=not sys.stdout.isatty())
        for each in run_store.list_runs(ws, approved_tasks.name_of(name) if name else None, limit)
    ]
    empty = NotFound("no runs yet", hint="`ia task list` shows the next run times")
    heads, spare = dict(zip(HISTORY, HISTORY, strict=True)), ("attempt", "why", "time", "status", "run")
    emit = partial(emit_wide_rows, heads=heads, spare=spare, free={"report": 20, "said": 20})
    emit_list(ctx, rows, HISTORY, empty, as_json=as_json, as_jsonl=as_jsonl, emit=emit)


def status_of(done: "TaskRun") -> int:
    """Return the status that a run by hand ends with: its own, 75 where it will be tried again, or is busy."""
    if done.state == "done":
        return done.status or 0
    return 75 if done.retry_at or done.state == "running" else done.status or 70


def _end_on_sigterm() -> None:
    """A run that is told to end ends its processes; the next wake-up takes it up again."""
    import signal

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def _redirect_to_log(ws: "Workspace") -> None:
    """Let what this process says from here on go into a log that does not grow for ever."""
    import contextlib
    import os

    from ia.kernel import files

    if not ws.exists():  # moved, or its disk is not mounted: cron tells
        raise NotFound(
            "workspace {home} does not exist",
            home=ws.root,
            hint="if you moved it, run `ia doctor --mend` in the new place",
        )
    path = os.path.join(ws.root, ".ia", "tasks", "cron.log")
    files.make_private_parent(path)
    with contextlib.suppress(OSError):
        if os.path.getsize(path) > MAX_LOG:
            files.move_path(path, path + ".1")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    os.close(fd)
