"""`ia turn`, `ia context`: one question, with everything that ia is and knows; and what would be sent."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message
from ia_cli.terminal.group import Command
from ia_cli.terminal.input import stdin_is_idle
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, emit_text, notify

if TYPE_CHECKING:
    from ia.agent.tools.scope import Market
    from ia.agent.turns.context import Data
    from ia.kernel.workspace import Workspace

MAX_DATA = 2_000_000  # bytes


@click.command(cls=Command, example='IA_MARKET_ADAPTER=demo ia turn "帮我看看宁德时代最近怎么样"')
@click.argument("message", nargs=-1, required=True, metavar="MESSAGE…")
@click.option("-s", "--session", metavar="ID", default="", help="Go on with this session; without it a new one begins.")
@click.option("-m", "--model", metavar="MODEL", help="Ask this model; any that `llm models` lists, or ia-offline.")
@json_option
def turn(message: tuple[str, ...], session: str, model: str | None, as_json: bool) -> None:
    """Ask, and let ia look, calculate, remember and answer.

    The reply streams to standard output. Standard input comes along as data, never as instructions; canonical OHLCV on
    it is what gets computed on. /NAME runs a skill. What only you may do (soul, preferences, tasks, skills, sending) is
    proposed: `ia pending`. Without a model (`ia config set model …`) the embedded analyst answers, which works by
    rules.

    Any model of the `llm` library answers, once `llm keys set …` has its key. A call that would pass a cap
    (turn.max_cost, turn.max_cost_day, turn.max_cost_month; turn.max_tokens and its likes) is not made; see `ia
    usage`. turn.timeout bounds a model's silence, turn.deadline the whole turn, turn.max_steps its rounds of tool
    calls.

    JSON is turn, session, model, reply, tools (name, args, ok, ms), artifacts (paths that were written), pending
    (numbers of proposals), usage, cut (null, or why the reply is not whole: length, filter). An answer that is cut at
    the model's limit is printed with a line on standard error, and status 0; a stream that stops without an end is 75.

    Status 69: no such model, no key, or it refused; 75: it was silent or busy; 69 and 75 also where the prices that
    the answer needed were refused, or could not be had for now; 77: a cap, or a skill that is disabled; 124: the
    deadline. What the tools did until then is kept, and the session can go on.
    """
    from ia.agent.turns.turn import take
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.turn_output import refuse_lacking, spoken, tell_pending

    ws = Workspace()
    data, market = _piped(ws)
    done = spoken(
        lambda write: take(
            ws, " ".join(message), session=session, model=model, data=data, market=market, notify=notify, write=write
        ),
        as_json=as_json,
    )
    if as_json:
        emit_json(done.document())
    else:
        tell_pending(done)
    refuse_lacking(done)


@click.command(cls=Command, example='ia context "帮我看看宁德时代最近怎么样"')
@click.argument("message", nargs=-1, metavar="[MESSAGE…]")
@click.option("-s", "--session", metavar="ID", default="", help="The session whose messages come along.")
@json_option
def context(message: tuple[str, ...], session: str, as_json: bool) -> None:
    """Print exactly what a turn would send, with the size of each part.

    Sizes are estimated tokens. Nothing is sent and nothing is written.
    """
    from ia.agent.tools import catalog
    from ia.agent.turns.turn import prepare
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    data, market = _piped(ws)
    router = catalog.router(ws)
    ready = prepare(
        ws, " ".join(message), session=session, turn="", router=router, data=data, market=market, notify=notify
    )
    if as_json:
        emit_json(_document(ready.context))
    else:
        emit_text(_shown(ready.context))


def _piped(ws: "Workspace") -> "tuple[tuple[Data, ...], Market | None]":
    """Return what came on standard input: OHLCV as bars to compute on, anything else as data from outside."""
    from ia.agent.turns.context import Data
    from ia.kernel.errors import BadData

    if stdin_is_idle():
        return (), None
    raw = _read()
    if not raw.strip():
        return (), None
    if len(raw) > MAX_DATA:
        raise BadData("standard input is larger than {limit} bytes", limit=MAX_DATA)
    if raw.lstrip(b"\xef\xbb\xbf").startswith(b"date,open,high,low,close,volume"):
        return _bars(ws, raw)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise BadData("{name}: not UTF-8 text (byte {at})", name="<stdin>", at=exc.start) from None
    return (Data("stdin", text),), None


def _read() -> bytes:
    """Read standard input to its end. One that stays open and silent is told of, and given up after a while."""
    import os
    import select

    from ia.kernel import config
    from ia.kernel.errors import TryLater

    fd, chunks, size, waited, patience = sys.stdin.fileno(), [], 0, 0.0, float(config.get("turn.timeout"))
    while size <= MAX_DATA:
        if not select.select([fd], [], [], 2.0)[0]:
            waited += 2.0
            if waited == 2.0:
                notify(Message("waiting for standard input; `< /dev/null` does without it"))
            if waited >= patience:
                raise TryLater("nothing came on standard input for {seconds:g} s", seconds=patience)
            continue
        chunk = os.read(fd, 1 << 16)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
        waited = 0.0
    return b"".join(chunks)


def _bars(ws: "Workspace", raw: bytes) -> "tuple[tuple[Data, ...], Market | None]":
    import io
    import json

    from ia.agent.tools.builtin.market import shown
    from ia.agent.tools.scope import Market
    from ia.agent.turns.context import Data
    from ia.kernel import clock
    from ia.kernel.errors import BadData
    from ia.organs.ohlcv import provenance
    from ia.organs.ohlcv.canonical import read_bars

    bars = read_bars(io.BytesIO(raw), "<stdin>", notify=notify)
    if clock.simulated():
        from ia.organs.ohlcv.history import visible

        bars = visible(bars)
    if not bars.date:
        raise BadData("no bars to compute on")
    known = provenance.find(ws, raw)
    origin: dict[str, Any] = known[0].data if known else {}
    market = Market(
        str(origin.get("symbol") or "stdin"), str(origin.get("name") or ""), bars, bool(origin.get("simulated")),
        str(origin.get("period") or "daily"), str(origin.get("adjust") or "none"),
        str(origin.get("adapter") or "stdin"), whole=False,
    )  # fmt: skip
    return (Data("stdin", "OHLCV " + json.dumps(shown(market), ensure_ascii=False), trusted=True),), market


def _document(sent: Any) -> dict[str, Any]:
    return {
        "tokens": sent.tokens,
        "parts": [part._asdict() for part in sent.parts],
        "system": sent.system,
        "messages": [{"role": role, "content": text} for role, text in sent.spoken()],
        "tools": sent.schemas(),
        "untrusted": sent.origins,
    }


def _shown(sent: Any) -> str:
    """Return the context as people read it: a ruler with the size before each part."""
    import json

    from ia.organs.sessions import tokens

    out = []
    for part in sent.parts:
        cut = f", {part.cut} lines cut" if part.cut else ""
        out.append(f"--- system: {part.name} ({part.tokens} tokens{cut})\n=== {part.name} ===\n{part.text}\n")
    for role, text in sent.spoken():
        out.append(f"--- {role} ({tokens(text)} tokens)\n{text}\n")
    told = [json.dumps(schema, ensure_ascii=False) for schema in sent.schemas()]
    out.append(f"--- tools ({sum(map(tokens, told))} tokens)\n" + "\n".join(told) + "\n")
    out.append(f"--- in all {sent.tokens} tokens\n")
    return "\n".join(out)
