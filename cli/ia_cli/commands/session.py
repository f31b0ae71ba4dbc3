"""`ia session`: what was said, session by session."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound, PluralText
from ia_cli.terminal.group import Command, CommandGroup
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import json_option, limit_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, notify
from ia_cli.terminal.text import tr
from ia_cli.terminal.wide_tables import emit_wide_rows

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace
    from ia.organs.sessions import Session
    from ia.organs.sessions.transcript import SessionMessage

PLOT = (
    "mkdir -p garden; echo 'Sow.' > garden/SKILL.md; "
    "echo 'forms: {plot: {properties: {date: {type: string, format: date}}}}' > garden/forms.yaml; "
    "ia skill install garden; ia approve 1 --yes; ia session fill s plot date=2024-03-15"
)
"""An example of a form: a skill that asks for a date."""
SOP = "sop: {phases: [{id: P1}, {id: P2, needs: [plot.date]}]}"
STEPS = PLOT.replace(
    "ia skill install", f"mkdir garden/knowledge; echo '{SOP}' > garden/knowledge/sop.yaml; ia skill install"
)
"""An example of a procedure: its second phase needs the date."""
SHOWN = 30
"""Sessions that a terminal lists where no number is given."""
WAIT = 10.0  # seconds for a turn that is under way in the session


@click.group(cls=CommandGroup, example="ia turn -s maotai '看看贵州茅台'; ia session list")
def session() -> None:
    """List, show, title, prune and delete sessions, and fill in forms.

    `ia turn -s ID` continues the session ID, `ia turn -c` the last one; a title does in place of an ID. Sessions share
    nothing with each other. ia no longer sends pruned or deleted messages to a model, but keeps them in the database.
    """


@session.command("list", cls=Command, example="ia turn -s maotai '看看贵州茅台'; ia session list 茅台")
@click.argument("words", nargs=-1, metavar="[WORDS…]")
@limit_option("Maximum number of sessions (default: all; at a terminal 30).")
@rows_options
@click.pass_context
def list_(ctx: click.Context, words: tuple[str, ...], limit: int | None, as_json: bool, as_jsonl: bool) -> None:
    """List sessions, most recently active first; with WORDS, those whose title and questions contain all of them.

    title is what you called the session, or its first question. JSON also has the summary of the pruned messages.
    Status 1 if there are none.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    listed = sessions.list_sessions(ws)
    if words:
        holding = sessions.find_sessions_by_words(ws, " ".join(words))
        listed = [found for found in listed if found.id in holding]
    if limit is None and sys.stdout.isatty() and not (as_json or as_jsonl):
        limit = SHOWN
        if len(listed) > limit:
            notify(
                Message(
                    "the newest {shown} of {count} sessions; `-n {count}` shows all", shown=limit, count=len(listed)
                )
            )
    rows = [_session_row(found, people=not (as_json or as_jsonl)) for found in listed[:limit]]
    empty = NotFound("no sessions yet", hint="start one with `ia turn -s ID MESSAGE`")
    if words:
        empty = NotFound("no session with these words", hint="`ia recall` also searches notes and memory")
    columns = ("id", "last_active", "created", "messages", "tokens", "title")
    heads = {name: name for name in ("id", "title", "last_active", "messages", "tokens")}
    emit = partial(emit_wide_rows, heads=heads, spare=("tokens",), free={"title": 28})
    emit_list(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl, emit=emit)


@session.command(cls=Command, example="ia turn -s maotai '看看贵州茅台'; ia session show maotai --json")
@click.argument("id", metavar="ID")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1_000_000),
    help="Maximum number of messages, the newest ones (default: all).",
)
@click.option("--summary", is_flag=True, help="Print the summary of the pruned messages instead.")
@rows_options
@click.pass_context
def show(ctx: click.Context, id: str, limit: int | None, summary: bool, as_json: bool, as_jsonl: bool) -> None:
    """Print unpruned messages, oldest first. Status 1 if there are none.

    importance is 0 for talk, 1 for an executed trade, 2 for a judgment on the market's main line. ia never prunes
    messages above 0. origins names the sources of text that the user did not write.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    found = _find_session(ws, id)
    if summary:
        if as_json or as_jsonl:
            emit_json({"id": found.id, "summary": found.summary})
        elif found.summary:
            emit_text(found.summary + "\n")
        ctx.exit(0 if found.summary else 1)
    history = sessions.load_history(ws, found.id)[-limit if limit else 0 :]
    if history and sys.stdout.isatty() and not (as_json or as_jsonl):
        _print_messages(history)
        return
    rows = []
    for message in history:
        row = {**message._asdict(), "time": message.created, "origins": list(message.origins)}
        del row["created"], row["deleted"], row["session"]
        rows.append(row)
    empty = NotFound("{id}: no messages", id=found.id)
    columns = ("id", "time", "role", "importance", "content")
    emit_list(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl, seconds=True)


def _print_messages(history: "list[SessionMessage]") -> None:
    """Print each message below a line that says which, when and by whom, over the whole width of the terminal."""
    from datetime import datetime

    from ia.kernel import config
    from ia.kernel.workspace import to_local
    from ia_cli.terminal.markdown import MarkdownStream

    bold = ("", "") if config.env("NO_COLOR") else ("\x1b[1m", "\x1b[0m")
    for at, message in enumerate(history):
        when = f"{to_local(datetime.fromisoformat(message.created)):%Y-%m-%d %H:%M}"
        mark = "  " + "*" * message.importance if message.importance else ""
        who = {"user": tr("you"), "assistant": "ia"}.get(message.role, message.role)
        sys.stdout.write(("\n" if at else "") + f"{bold[0]}{message.id}  {when}  {who}{mark}{bold[1]}\n")
        stream = MarkdownStream()
        (stream.write if message.role == "assistant" else stream.write_plain)(message.content)
        stream.close()


@session.command(cls=Command, example="ia turn -s maotai '看看贵州茅台'; ia session prune maotai --tokens 2000")
@click.argument("id", metavar="ID")
@click.option(
    "--tokens",
    "limit",
    metavar="TOKENS",
    type=click.IntRange(0, 1_000_000_000),
    default=80_000,
    show_default=True,
    help="Maximum number of tokens to keep.",
)
@json_option
def prune(id: str, limit: int, as_json: bool) -> None:
    """Prune a session's oldest talk to fit --tokens; `ia turn` does so automatically.

    ia prunes a question together with its answers and adds one line to the summary. Trades, main-line judgments and
    the newest exchange stay.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    id = _find_session(ws, id).id
    with sessions.hold_session(ws, id, WAIT):
        dropped = sessions.prune_session(ws, id, limit)
        found = sessions.find_session(ws, id)
    if as_json:
        emit_json({"dropped": dropped, **_session_row(found, people=False)})
    else:
        notify(
            Message(
                PluralText(
                    "pruned {dropped} message of session {id}; {messages} with about {tokens} tokens remain",
                    "pruned {dropped} messages of session {id}; {messages} with about {tokens} tokens remain",
                    by="dropped",
                ),
                dropped=dropped,
                id=found.id,
                messages=found.messages,
                tokens=found.tokens,
            )
        )


@session.command(cls=Command, example="ia turn -s maotai '看看贵州茅台'; ia session delete maotai")
@click.argument("id", metavar="ID")
@json_option
def delete(id: str, as_json: bool) -> None:
    """Delete a session and print its name; a new one of that name starts empty."""
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    found = _find_session(ws, id)
    with sessions.hold_session(ws, found.id, WAIT):
        sessions.delete_session(ws, found.id)
    if as_json:
        emit_json(_session_row(found, people=False))
    else:
        click.echo(found.id)


@session.command(cls=Command, example="ia turn -s maotai '看看贵州茅台'; ia session title maotai 茅台的批价")
@click.argument("id", metavar="ID")
@click.argument("words", nargs=-1, metavar="[TITLE]")
@json_option
def title(id: str, words: tuple[str, ...], as_json: bool) -> None:
    """Give a session a title and print it; without TITLE, the first question is its title again.

    A title is one line of up to 60 characters. `ia turn -s TITLE` continues the session.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    id = _find_session(ws, id).id
    sessions.title_session(ws, id, " ".join(words))
    found = sessions.find_session(ws, id)
    if as_json:
        emit_json(_session_row(found, people=False))
    else:
        emit_text(found.title + "\n")


@session.command(cls=Command, example="ia turn -s maotai '今天买入了 100 股'; ia session mark 1 1")
@click.argument("number", type=click.IntRange(1), metavar="MESSAGE")
@click.argument("importance", type=click.IntRange(0, 2), metavar="IMPORTANCE")
def mark(number: int, importance: int) -> None:
    """Set the importance of a message: 0 talk, 1 trade, 2 main-line judgment.

    MESSAGE is its number in `ia session show`.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    sessions.mark_message(Workspace(), number, importance)


@session.command(cls=Command, example=f"{PLOT}; ia session slots s")
@click.argument("id", metavar="ID")
@rows_options
@click.pass_context
def slots(ctx: click.Context, id: str, as_json: bool, as_jsonl: bool) -> None:
    """List what forms have filled in: slot and value. Status 1 if there is nothing.

    Slots belong to the session: models are told of them in words in each of its turns.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    found = sessions.load_slots(ws, sessions.resolve_session(ws, id))
    rows = [{"slot": name, "value": value} for name, value in found.items()]
    empty = NotFound("{id}: no slots are filled", id=id)
    emit_list(ctx, rows, ("slot", "value"), empty, as_json=as_json, as_jsonl=as_jsonl)


@session.command(
    cls=Command,
    example=f"{STEPS}; ia turn -s s /garden; ia session phases s",
)
@click.argument("id", metavar="ID")
@rows_options
@click.pass_context
def phases(ctx: click.Context, id: str, as_json: bool, as_jsonl: bool) -> None:
    """List where the procedures of skills stand: phase, what is missing, what is there. Status 1 if there are none.

    missing names slots (`birth.place`, asked by a form) and outputs (`chart`, produced by a tool). JSON also has the
    slots that a skill needs.
    """
    from ia.agent.tools.phases import list_states
    from ia.agent.tools.scope import Scope
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    name = sessions.resolve_session(ws, id)
    known = [*sessions.list_active_skills(ws, name), *sessions.load_outputs(ws, name)]
    states = list_states(Scope(ws, session=name), list(dict.fromkeys(known)))
    rows = [state.as_document() for state in states]
    if not (as_json or as_jsonl):
        rows = [{**row, "missing": ", ".join(row["missing"]), "outputs": ", ".join(row["outputs"])} for row in rows]
    empty = NotFound("{id}: no skill with phases", id=id)
    emit_list(ctx, rows, ("skill", "phase", "missing", "outputs"), empty, as_json=as_json, as_jsonl=as_jsonl)


@session.command(cls=Command, example=PLOT)
@click.argument("id", metavar="ID")
@click.argument("form", metavar="FORM")
@click.argument("given", nargs=-1, metavar="[FIELD=VALUE…]")
@click.option("--answers", metavar="FILE", help="JSON or YAML file of `field: value`; - for standard input.")
@click.option("--mine", is_flag=True, help="The answers are about you, in place of earlier ones, in every session.")
@json_option
def fill(id: str, form: str, given: tuple[str, ...], answers: str | None, mine: bool, as_json: bool) -> None:
    """Fill in a form of a skill; its answers fill slots of the session ID.

    At a terminal, ia asks for each field that is not given: type a value, the number of a choice, ? for an
    explanation, or nothing for the default. Without a terminal, required fields that are missing end with status 77.
    Either all answers are kept or none. `ia skill show NAME --json` lists the forms of a skill.

    The first answers to a lasting form (`birth`) are about you and hold in every session; later ones hold in theirs,
    unless you give --mine. `ia session forget FORM` empties them.
    """
    from ia.agent.tools import slots as tool_slots
    from ia.agent.tools.scope import Scope
    from ia.faculties.skills import forms
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions
    from ia_cli.terminal.form_prompts import ask_fields, read_given

    ws = Workspace()
    name = sessions.resolve_session(ws, id)
    found = forms.find_form(ws, form, sessions.list_active_skills(ws, name))
    scope = Scope(ws, session=name, notify=notify)
    values = tool_slots.read_answers(found, read_given(given, answers), scope.lang)
    values |= ask_fields(found, {**sessions.load_slots(ws, name), **values}, set(values), from_stdin=answers == "-")
    tool_slots.keep_answers(scope, found, values, replace=mine)
    filled = sessions.load_slots(ws, name)
    if as_json:
        emit_json({"session": name, **tool_slots.describe_form(found, filled, scope.lang)})
    else:
        emit_text(forms.narrate_form(found, filled, scope.lang) + "\n")


@session.command(cls=Command, example=f"{PLOT}; ia session forget plot || echo nothing was kept")
@click.argument("form", metavar="FORM")
@click.pass_context
def forget(ctx: click.Context, form: str) -> None:
    """Forget what a lasting form knows about you, in every session. Status 1 if there is nothing.

    Sessions keep the answers that were given in them; `ia session delete ID` ends those.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs import sessions

    ws = Workspace()
    known = [name for name in sessions.load_user_slots(ws) if name.partition(".")[0] == form]
    if not known:
        notify(Message("{form}: nothing is kept about you", form=form[:80]))
        ctx.exit(1)
    sessions.keep_user_slots(ws, dict.fromkeys(known))
    notify(Message("forgot {slots}", slots=", ".join(known)))


def _find_session(ws: "Workspace", text: str) -> "Session":
    """Return a session by its id or title; raises NotFound, and UsageError for what is neither."""
    from ia.organs import sessions

    return sessions.find_session(ws, sessions.resolve_session(ws, text))


def _session_row(found: "Session", *, people: bool) -> dict[str, Any]:
    row = found._asdict()
    if people:
        from datetime import datetime

        from ia.kernel.workspace import to_local

        for name in ("created", "last_active"):
            row[name] = to_local(datetime.fromisoformat(row[name])).strftime("%Y-%m-%d %H:%M")
    return row
