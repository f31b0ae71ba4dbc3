"""`ia alert`: tell me once when a condition on a security comes true."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound, Refused, UsageError
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, escape_controls, notify, tell_hint
from ia_cli.terminal.text import lang, say, tr

if TYPE_CHECKING:
    from ia.faculties.alerts.definition import Alert
    from ia.faculties.alerts.sessions import SessionState
    from ia.kernel.workspace import Workspace
    from ia.organs.ohlcv.history import RawHistory

HEADS = {"session": "trading day"}
"""What stands above a column for people, where that is not its name."""
COLUMNS = ("name", "symbol", "security", "condition", "state", "session", "holds", "close", "crossed", "until", "note")


@click.group(cls=CommandGroup, fallback="set", example="ia alert 300750 'close < 80' --yes; ia alert list")
def alert() -> None:
    """Tell you once when a condition on a security comes true.

    ia looks after each close of the security's exchange. It sends one message on the first session on which the
    condition is true and was false the session before. It sends the next one after the condition was false again. It
    says nothing else. Sessions that were missed are made up for on the next run. A day without a bar (a suspension)
    does not count.

    A price in a condition means the prices of the day on which you approve the alert: after a split, bonus issue or
    dividend, ia compares later prices as if it had not happened, and the message says so. No ex-date sets off an alert.

    An alert is a task: you approve it, `ia task list` shows it, and cron runs it. The prices are those of `ia ohlcv`:
    daily, adjusted as of each session.
    """


@alert.command(name="set", example="ia alert 300750 'close < 80' --note 'add a third' --yes")
@click.argument("symbol")
@click.argument("condition", nargs=-1, required=True, metavar="CONDITION")
@click.option("--until", metavar="DATE", help="Last session to look at (default: no end).")
@click.option("--note", metavar="TEXT", default="", help="Text to repeat in the message, such as what you want to do.")
@click.option(
    "--notify",
    "channels",
    metavar="CHANNEL",
    multiple=True,
    help="Recipient: me or a channel. Repeatable (default: me).",
)
@click.option("--yes", is_flag=True, help="Skip the confirmation; typing this option is your consent.")
@json_option
def set_(
    symbol: str,
    condition: tuple[str, ...],
    until: str | None,
    note: str,
    channels: tuple[str, ...],
    yes: bool,
    as_json: bool,
) -> None:
    """Set an alert: shows it, asks at the terminal, and adds it to your tasks.

    CONDITION is an expression of `ia compute` that is true or false, such as 'rsi(close, 14) < 30', or a price in
    plain words: '< 80', 'below 80', 'above 100', 跌破80, 涨到100. If the condition is already true, ia says so and
    waits for the next crossing.

    Without a terminal and without --yes, the alert is a proposal: `ia task approve ID` sets it. Status 65 for a
    condition that does not parse or is neither true nor false, 77 for one that looks ahead.
    """
    from ia.agent.tools.builtin import alerts as drafting
    from ia.agent.tools.scope import Scope
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    draft = drafting.draft_alert(ws, symbol, " ".join(condition), until=until or "", notify=notify)
    scope = Scope(ws, actor="user", asked="", notify=notify)
    design = drafting.complete_alert(draft.alert, note=note, channels=channels)
    known = drafting.find_known(ws, draft.alert)
    if known is not None:
        notify(Message("this alert is set already: {name}", name=known["name"]))
        _finish(known, known["name"], as_json)
        return
    made = drafting.keep_design(scope, design)
    _show_draft(draft.alert, draft.history, draft.state, made.design, note)
    approved = _decide(ws, made.number, yes)
    row = _row_of(ws, made.design.name)
    _finish(
        {**row, "proposal": None if approved else made.number},
        made.design.path if approved else str(made.number),
        as_json,
    )


def _show_draft(
    alert: "Alert", history: "RawHistory | None", state: "SessionState | None", design: Any, note: str
) -> None:
    """Say on stderr what is to be set: security, condition, when ia looks, and how it stands."""
    from ia.faculties.alerts import messages
    from ia.faculties.schedule.describe import describe_design

    label = messages.security_label(history, lang()) if history else alert.symbol
    lines = [say("{security}: {condition}", security=label, condition=alert.condition)]
    lines.append(say("looks: {when}", when=describe_design(design, lang())))
    if alert.until:
        lines.append(say("until: {day}", day=alert.until))
    if note:
        lines.append(say("note: {note}", note=note))
    if history and state:
        told = "now true: {day}, close {close}" if state.holds else "now false: {day}, close {close}"
        lines.append(say(told, day=state.session, close=messages.format_close(history, state.close)))
    for line in lines:
        click.echo("  " + escape_controls(line), err=True)


def _decide(ws: "Workspace", number: int, yes: bool) -> bool:
    """Ask at the terminal and set the alert; return False where there is no terminal to ask at."""
    from ia.kernel import config, proposals
    from ia.reach.tasks import decisions
    from ia_cli.terminal.confirmation import ask_consent

    if not yes:
        try:
            agreed = config.run_number() is None and ask_consent(say("Set this alert?"))
        except Refused:
            tell_hint("no terminal to ask at: `ia task approve {number}` sets the alert", number=number)
            return False
        if not agreed:
            proposals.reject(ws, number, by="user at a terminal")
            raise Refused("the alert was not set")
    decisions.approve_task(ws, number, by="user with --yes" if yes else "user at a terminal", notify=notify)
    return True


def _row_of(ws: "Workspace", name: str) -> dict[str, Any]:
    from ia.faculties.taskbook import alert_list

    return alert_list.describe_alert(ws, *alert_list.find_one(ws, name))


def _finish(row: dict[str, Any], line: str, as_json: bool) -> None:
    if as_json:
        emit_json(row)
    else:
        sys.stdout.write(f"{line}\n")


@alert.command(name="list", example="ia alert 300750 'close < 80' --yes; ia alert list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List the alerts: condition, state, and how it stood on the last session. Status 1 if there are none.

    state is approved, paused, proposed (waits for your approval), finished (its last day is over), edited or deleted.
    crossed is the last session whose crossing ia told you of; crossings, in JSON, are all of them.
    """
    from functools import partial

    from ia.faculties.taskbook import alert_list
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.wide_tables import emit_wide_rows

    ws = Workspace()
    rows = [alert_list.describe_alert(ws, each, alert) for each, alert in alert_list.list_alerts(ws)]
    people = sys.stdout.isatty() and not (as_json or as_jsonl)
    if people:
        rows = [
            {**row, "state": tr(row["state"]), "holds": _yes_no(row["holds"]), "session": (row["session"] or "")[5:]}
            for row in rows
        ]
    columns = COLUMNS if not (as_json or as_jsonl) else (*COLUMNS, "proposal", "crossings")
    empty = NotFound("no alerts yet", hint="set one with `ia alert SYMBOL 'close < 80'`")
    emit = partial(
        emit_wide_rows,
        heads={column: column for column in COLUMNS} | {"session": "day"},
        spare=("crossed", "until", "note", "symbol", "security", "close"),
        free={"condition": 16, "note": 16, "security": 8},
    )
    emit_list(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl, emit=emit)


def _yes_no(holds: bool | None) -> str:
    return "" if holds is None else tr("true") if holds else tr("false")


@alert.command(example="ia alert 300750 'close < 80' --yes; ia alert show 300750")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show an alert, its next runs and what it told. NAME is its name, or a security with one alert."""
    from ia.faculties.taskbook import alert_list
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.task_view import next_run_times

    ws = Workspace()
    each, found = alert_list.find_one(ws, name)
    row = {**alert_list.describe_alert(ws, each, found), "next": next_run_times(each, 3)}
    if as_json:
        emit_json(row)
        return
    from ia_cli.terminal.task_view import format_local_time

    row |= {"state": tr(row["state"]), "holds": _yes_no(row["holds"])}
    row["crossings"] = ", ".join(row["crossings"])
    row["next"] = ", ".join(format_local_time(stamp) or "" for stamp in row["next"])
    emit_text("".join(f"{tr(HEADS.get(key, key))}\t{value}\n" for key, value in row.items() if value not in (None, "")))


@alert.command(example="ia alert 300750 'close < 80' --yes; ia alert remove 300750")
@click.argument("name")
def remove(name: str) -> None:
    """Remove an alert; what it told stays in the inbox."""
    from ia.faculties.taskbook import alert_list
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import decisions

    ws = Workspace()
    done = decisions.remove_task(ws, alert_list.find_one(ws, name)[0].name, notify=notify)
    notify(Message("alert {name} is removed", name=done))


@alert.command(example="ia alert 300750 'close < 80' --yes; ia alert pause 300750")
@click.argument("name")
def pause(name: str) -> None:
    """Pause an alert."""
    from ia.faculties.taskbook import alert_list
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import decisions

    ws = Workspace()
    done = decisions.pause_task(ws, alert_list.find_one(ws, name)[0].name, notify=notify)
    notify(Message("alert {name} is paused; resume it with `ia alert resume {name}`", name=done.name))


@alert.command(example="ia alert 300750 'close < 80' --yes; ia alert resume 300750")
@click.argument("name")
def resume(name: str) -> None:
    """Resume a paused alert. Crossings during the pause are not told."""
    from ia.faculties.taskbook import alert_list
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import decisions

    ws = Workspace()
    done = decisions.resume_task(ws, alert_list.find_one(ws, name)[0].name, notify=notify)
    notify(Message("alert {name} is resumed", name=done.name))


@alert.command(example="ia alert check 300750 'close > 10'")
@click.argument("symbol")
@click.argument("condition")
@click.option("--until", metavar="DATE", help="Last session to look at (default: no end).")
@click.pass_context
def check(ctx: click.Context, symbol: str, condition: str, until: str | None) -> None:
    """Print whether a condition is true on the last session. Status 1 if it is not. Runs of alerts call this.

    In the run of an alert, ia looks at each session since the last run and tells the crossings.
    """
    from ia.faculties.alerts import messages, sessions
    from ia.faculties.alerts.conditions import read_condition
    from ia.faculties.alerts.definition import Alert
    from ia.kernel import config
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    watched = Alert(symbol, condition, until or "")
    if config.run_number() is not None:
        from ia.reach.tasks import alerts

        look, titles = alerts.carry_out_alert(ws, watched, lang=lang(), notify=notify)
        for crossing, title in zip(look.crossings, titles, strict=True):
            sys.stdout.write(
                f"{title}\t{crossing.at.session}\t{messages.format_close(look.history, crossing.at.close)}\n"
            )
        ctx.exit(0 if titles else 1)
    if until is not None:
        raise UsageError("--until needs the run of an alert", hint="set it with `ia alert {symbol} …`", symbol=symbol)
    history, state = sessions.look_at_present(ws, Alert(symbol, read_condition(condition).expression), notify)
    close = messages.format_close(history, state.close)
    sys.stdout.write(f"{state.session}\t{'true' if state.holds else 'false'}\t{close}\n")
    ctx.exit(0 if state.holds else 1)
