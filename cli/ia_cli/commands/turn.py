"""`ia turn`, `ia context`: one question, with everything that ia is and knows; and what would be sent."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.input import stdin_is_idle
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, emit_text, notify
from ia_cli.terminal.turn_output import choose_session

if TYPE_CHECKING:
    from ia.agent.tools.scope import ScopeMarket
    from ia.agent.turns.context import Context, Data
    from ia.agent.turns.task_prompt import TaskPrompt
    from ia.kernel.workspace import Workspace

MAX_DATA = 2_000_000  # bytes


@click.command(cls=Command, example='IA_MARKET_ADAPTER=demo ia turn "帮我看看宁德时代最近怎么样"')
@click.argument("message", nargs=-1, required=True, metavar="MESSAGE…")
@click.option("-s", "--session", metavar="ID", default="", help="Session to continue (default: a new one).")
@click.option("-c", "--continue", "again", is_flag=True, help="Continue the session of the last question.")
@click.option("-m", "--model", metavar="MODEL", help="Model to use: any that `llm models` lists, or ia-offline.")
@json_option
def turn(message: tuple[str, ...], session: str, again: bool, model: str | None, as_json: bool) -> None:
    """Ask a question. ia looks up data, calculates, remembers and answers.

    The reply is Markdown and streams to standard output: as it is into a pipe, rendered and wrapped at a terminal
    (without colors if NO_COLOR is set). ia passes standard input along as data, never as instructions; if it is
    canonical OHLCV, ia computes on it. A shell loop that reads its questions from standard input gives each turn none
    of its own: `while read -r q; do ia turn "$q" < /dev/null; done < questions.txt`. /NAME runs a skill. Changes that
    only you may make (soul, preferences, tasks, skills, sending messages) become proposals: `ia pending`. Without a
    model (`ia config set model …`), the embedded analyst answers by rules. "Why?" alone is about the last answer, as
    with -c.

    Any model of the `llm` library can answer once its key is set (`llm keys set …`). ia does not make a call that
    would exceed a cap (turn.max_cost, turn.max_cost_day, turn.max_cost_month; likewise turn.max_tokens); see `ia
    usage`. turn.timeout limits a model's silence, turn.deadline the whole turn, and turn.max_steps the rounds of tool
    calls.

    The JSON fields are turn, session, model, reply, tools (name, args, ok, ms), artifacts (paths written), pending
    (proposal numbers), usage, cut (null, or why the reply is incomplete: length, filter), basis (what the reply rests
    on: rules, knowledge, research, data, model), understood, offers (after a question that the embedded analyst did not
    understand, up to three near it that it can answer) and sources (pages of the web that it cites). If the model's
    length limit cuts an answer, ia prints the answer, says so on standard error and exits with status 0. A stream that
    stops without an end gives status 75.

    Status 69: unknown model, missing key or rejected request. Status 75: the model was silent or busy. Both also apply
    if prices that the answer needed were refused (69) or temporarily unavailable (75); in a task, status 66 if the
    source does not have them. Status 77: a cap, or a disabled skill. Status 124: the deadline. ia keeps what the tools
    did until then, and the session can continue.
    """
    from ia.agent.turns.turn import take_turn
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.turn_output import refuse_missing_prices, stream_turn, tell_pending

    ws = Workspace()
    session = choose_session(ws, session, again) or _find_session_of_why(ws, " ".join(message))
    data, market = _read_piped(ws)
    if not ws.exists() and sys.stderr.isatty():
        notify(Message("{home} was no workspace before; ia makes one there (`ia init` adds a profile)", home=ws.root))
    done = stream_turn(
        lambda write: take_turn(
            ws, " ".join(message), session=session, model=model, data=data, market=market, notify=notify, write=write
        ),
        as_json=as_json,
    )
    if as_json:
        emit_json(done.as_document())
    else:
        tell_pending(done, " ".join(message))
    refuse_missing_prices(done)


@click.command(cls=Command, example='ia context "帮我看看宁德时代最近怎么样"')
@click.argument("message", nargs=-1, metavar="[MESSAGE…]")
@click.option("-s", "--session", metavar="ID", default="", help="Session whose messages to include.")
@click.option("-c", "--continue", "again", is_flag=True, help="Include the messages of the last question's session.")
@click.option("--task", "name", metavar="NAME", help="Show the turn of the next run of this task; takes no MESSAGE.")
@json_option
def context(message: tuple[str, ...], session: str, again: bool, name: str | None, as_json: bool) -> None:
    """Print exactly what a turn would send, with the size of each part.

    Sizes are token estimates. ia sends nothing and writes nothing.

    --task shows what a run of a task with a prompt gets: its prompt, its whole design, the files that its inputs
    name, and what recall finds for its subject. It works for drafts too: read it before you approve a task. For a
    task that waits for an event, pipe the event's content in.
    """
    from ia.agent.tools import catalog
    from ia.agent.turns.turn import prepare_turn
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    session = choose_session(ws, session, again)
    data, market = _read_piped(ws)
    router = catalog.build_router(ws)
    words, task = (" ".join(message), None) if name is None else _read_task(ws, name, message)
    ready = prepare_turn(
        ws, words, session=session, turn="", router=router, data=data, market=market, notify=notify, task=task
    )
    if as_json:
        emit_json(_context_document(ready.context))
    else:
        emit_text(_format_context(ready.context))


def _find_session_of_why(ws: "Workspace", message: str) -> str:
    """Return the session of the last question where a message is a bare "why?"; "" otherwise."""
    from ia.agent.analyst.ask.follow_asides import asks_why
    from ia.kernel.errors import NotFound
    from ia.organs import sessions

    if not asks_why(message):
        return ""
    try:
        return sessions.find_last_session(ws)
    except NotFound:
        return ""


def _read_task(ws: "Workspace", name: str, message: tuple[str, ...]) -> "tuple[str, TaskPrompt]":
    """Return what the next run of a task asks, and what it is given besides."""
    from ia.agent.turns.task_prompt import write_task_prompt
    from ia.kernel import config
    from ia.reach.tasks.reporting import preview_turn

    if message:
        raise UsageError(
            "--task takes no MESSAGE", hint="the task brings its own: `ia context --task {name}`", name=name
        )
    asked = preview_turn(ws, name)
    return asked.message, write_task_prompt(ws, asked.design, asked.text, config.locale_lang(), notify)


def _read_piped(ws: "Workspace") -> "tuple[tuple[Data, ...], ScopeMarket | None]":
    """Return what came on standard input: OHLCV as bars to compute on, anything else as data from outside."""
    from ia.agent.turns.context import Data
    from ia.kernel.errors import BadData

    if stdin_is_idle():
        return (), None
    raw = _read_stdin()
    if not raw.strip():
        return (), None
    if len(raw) > MAX_DATA:
        raise BadData("standard input is larger than {limit} bytes", limit=MAX_DATA)
    if raw.lstrip(b"\xef\xbb\xbf").startswith(b"date,open,high,low,close,volume"):
        return _parse_bars(ws, raw)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise BadData(
            "{name}: not valid UTF-8 (byte {at}); convert it to UTF-8", name="<stdin>", at=exc.start
        ) from None
    return (Data("stdin", text),), None


def _read_stdin() -> bytes:
    """Read standard input to its end. One that stays open and silent is told of, and given up after a while."""
    import os
    import select

    from ia.kernel import config
    from ia.kernel.errors import TryLater

    fd, chunks, size, waited, patience = sys.stdin.fileno(), [], 0, 0.0, float(config.get_setting("turn.timeout"))
    while size <= MAX_DATA:
        if not select.select([fd], [], [], 2.0)[0]:
            waited += 2.0
            if waited == 2.0:
                notify(Message("waiting for standard input; add `< /dev/null` if there is none"))
            if waited >= patience:
                raise TryLater("no data on standard input for {seconds:g} s", seconds=patience)
            continue
        chunk = os.read(fd, 1 << 16)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
        waited = 0.0
    return b"".join(chunks)


def _parse_bars(ws: "Workspace", raw: bytes) -> "tuple[tuple[Data, ...], ScopeMarket | None]":
    import io
    import json

    from ia.agent.tools.builtin.market import describe_bars
    from ia.agent.tools.scope import ScopeMarket
    from ia.agent.turns.context import Data
    from ia.kernel import clock
    from ia.kernel.errors import BadData
    from ia.organs.ohlcv import provenance
    from ia.organs.ohlcv.canonical import read_bars

    bars = read_bars(io.BytesIO(raw), "<stdin>", notify=notify)
    if clock.is_simulated():
        from ia.organs.ohlcv.history import visible_bars

        bars = visible_bars(bars)
    if not bars.date:
        raise BadData("no bars to compute with")
    known = provenance.find_origins(ws, raw)
    origin: dict[str, Any] = known[0].data if known else {}
    market = ScopeMarket(
        str(origin.get("symbol") or "stdin"),
        str(origin.get("name") or ""),
        bars,
        bool(origin.get("simulated")),
        str(origin.get("period") or "daily"),
        str(origin.get("adjust") or "none"),
        str(origin.get("adapter") or "stdin"),
        whole=False,
    )
    return (Data("stdin", "OHLCV " + json.dumps(describe_bars(market), ensure_ascii=False), trusted=True),), market


def _context_document(sent: "Context") -> dict[str, Any]:
    return {
        "tokens": sent.tokens,
        "parts": [part._asdict() for part in sent.parts],
        "system": sent.system,
        "messages": [{"role": role, "content": text} for role, text in sent.build_messages()],
        "tools": sent.tool_schemas(),
        "untrusted": sent.origins,
    }


def _format_context(sent: "Context") -> str:
    """Return the context as people read it: a ruler with the size before each part."""
    import json

    from ia.organs.sessions import estimate_tokens

    out = []
    for part in sent.parts:
        cut = f", {part.cut} lines cut" if part.cut else ""
        out.append(f"--- system: {part.name} ({part.tokens} tokens{cut})\n=== {part.name} ===\n{part.text}\n")
    for role, text in sent.build_messages():
        out.append(f"--- {role} ({estimate_tokens(text)} tokens)\n{text}\n")
    told = [json.dumps(schema, ensure_ascii=False) for schema in sent.tool_schemas()]
    out.append(f"--- tools ({sum(map(estimate_tokens, told))} tokens)\n" + "\n".join(told) + "\n")
    out.append(f"--- in all {sent.tokens} tokens\n")
    return "\n".join(out)
