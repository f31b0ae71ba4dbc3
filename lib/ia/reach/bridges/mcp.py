"""An MCP server on standard input and output: the tools of ia for any client that speaks the protocol.

The protocol lives in a thread of its own. Tools run in the main thread, one after the other: there a time limit can
interrupt them, and the connections to the databases belong to it. A client is a stranger who says nothing of what the
user asked for, and hands on what it has read elsewhere: its words are outside text from the first one, so that what it
writes is marked as untrusted, and whatever needs the user's word becomes a proposal.
"""

import asyncio
import concurrent.futures
import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ia import __version__
from ia.agent.tools import catalog
from ia.agent.tools.registry import READ, Tool
from ia.agent.tools.router import MAX_RESULT, Router, ToolOutcome
from ia.agent.tools.scope import Scope
from ia.kernel import faults
from ia.kernel.errors import Refused
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.reach.bridges import client_cards, client_forms

if TYPE_CHECKING:
    from mcp import types

INSTRUCTIONS = (
    "ia is a personal investment research assistant; these are its organs. market_ohlcv fetches prices, compute_run and"
    " indicator_calc then work on them without being given them; market_observe shows what is held and watched,"
    " market_valuation and market_actions what a share costs and has paid, tasks_list what runs by itself. What needs"
    " the user's consent is not done: it becomes a proposal, and the result says so. Tell the user its number. Prices"
    " marked simulated are invented: say so."
)
ORIGIN = "mcp client"
"""Where the words of a client come from, as notes and proposals say it."""
WINDOW = 3600.0
"""Seconds of a connection that count as one turn: how many subagents it may run, and for how many tokens."""
UNTRUSTED = (
    " What you say may come from anywhere: your notes are kept as untrusted until the user accepts them, and what the"
    " user wrote stays as it is."
)
SUBAGENTS = "subagents.run"
OPEN = (
    SUBAGENTS, "messaging.send", "skills.install", "skills.check", "compute.run", "indicator.calc", "risk.check",
    "check.run",
)  # fmt: skip
"""Tools beside market.* that reach further than the workspace: they fetch, send or ask a model."""
DEPTH = 200
"""How far the protocol's parser follows nested brackets; it drops a line that goes on, and the client would wait."""
SETTLING = 0.2
"""Seconds without a call after which the end of the input is the end of the conversation."""


class _Call(NamedTuple):
    name: str
    arguments: Json
    outcome: "concurrent.futures.Future[ToolOutcome]"


class _Cancelled(BaseException):
    """The client no longer wants the answer to the call that is being made."""


class _McpDesk:
    """Where the two threads meet: calls that wait for the main thread."""

    def __init__(self) -> None:
        self.waiting: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self.open = 0
        self.failure: BaseException | None = None
        self.outbound: Any = None
        self._running: _Call | None = None
        self._unwanted: _Call | None = None

    def run_call(self, call: _Call, router: Router, scope: Scope) -> None:
        """Make a call, in the main thread; one that its client cancels meanwhile is ended, with all that it started."""
        before = scope.market
        try:
            self._running = call
            self.raise_if_cancelled()
            outcome = _make_call(router, scope, call)
            self._running = None
        except _Cancelled:
            self._running, scope.market = None, before
            outcome = ToolOutcome(call.name, None, Refused("{tool}: cancelled by the client", tool=call.name[:80]), 0)
        call.outcome.set_result(outcome)

    def cancel_call(self, call: _Call) -> None:
        """End a call that the main thread is making; one that still waits is not begun. From any thread."""
        self._unwanted = call
        if call is self._running:
            main = threading.main_thread().ident
            assert main is not None
            signal.pthread_kill(main, signal.SIGUSR1)

    def raise_if_cancelled(self, *_: object) -> None:
        """Raise _Cancelled in the main thread where the call that it is making is not wanted any more."""
        if self._running is not None and self._running is self._unwanted:
            self._unwanted = None
            raise _Cancelled

    async def refuse_request(self, line: str) -> None:
        """Answer a request that is nested too deeply; where its number cannot be read either, without it."""
        from mcp import types
        from mcp.shared.message import SessionMessage

        number = None
        with contextlib.suppress(ValueError, RecursionError, AttributeError):
            number = json.loads(line).get("id")
        error = types.ErrorData(code=types.PARSE_ERROR, message="the request is not JSON, or is nested too deeply")
        known = number if isinstance(number, int | str) else None
        await self.outbound.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=known, error=error)))

    async def request_call(self, name: str, arguments: Json) -> ToolOutcome:
        """Have a call made, and wait for what comes of it."""
        call = _Call(name, arguments, concurrent.futures.Future())
        self.open += 1
        try:
            self.waiting.put(call)
            return await asyncio.wrap_future(call.outcome)
        except asyncio.CancelledError:
            self.cancel_call(call)
            raise
        finally:
            self.open -= 1


def serve_tools(ws: Workspace, allowed: tuple[str, ...] | None = None, *, trusted: bool = False) -> None:
    """Serve the tools that `allowed` lets through (names and patterns, None: all), until the client leaves.

    trusted  the user answers for what the client says: its words are not outside text.

    Standard output belongs to the protocol meanwhile; whatever else would be written there goes to standard error.
    """
    router = catalog.build_router(ws)
    scope = Scope(ws, actor="mcp", allowed=allowed, connection=True)
    if not trusted:
        scope.taint(ORIGIN)
        scope.own = ORIGIN
    scope.fork = _make_client_fork(scope, router)
    desk = _McpDesk()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGUSR1, desk.raise_if_cancelled)
    threading.Thread(target=_run_protocol, args=(desk, router, scope), name="mcp", daemon=True).start()
    while (call := desk.waiting.get()) is not None:
        if call.outcome.set_running_or_notify_cancel():
            desk.run_call(call, router, scope)
    if desk.failure is not None:
        raise desk.failure


def _make_client_fork(scope: Scope, router: Router) -> Callable[..., object]:
    """Return the function by which a client runs subagents; those of one WINDOW count as those of one turn."""
    began, parent = 0.0, scope
    run: Callable[..., Any] | None = None

    def fork_subagent(**task: object) -> object:
        nonlocal began, parent, run
        from ia.agent.turns.subagents import make_manual_fork

        if run is None or time.monotonic() - began >= WINDOW:
            began, parent = time.monotonic(), replace(scope)
            run = make_manual_fork(parent, router)
        parent.allowed, parent.market = scope.allowed, scope.market
        return run(**task)

    return fork_subagent


def _make_call(router: Router, scope: Scope, call: _Call) -> ToolOutcome:
    try:
        return router.call_tool(scope, call.name, call.arguments)
    except Exception as exc:  # of the audit trail itself: it must not end the conversation
        return ToolOutcome(call.name, None, faults.explain_exception(exc, call.name[:80]), 0)


def _run_protocol(desk: _McpDesk, router: Router, scope: Scope) -> None:
    try:
        asyncio.run(_serve_client(desk, router, scope))
    except BaseException as exc:
        desk.failure = exc
    finally:
        desk.waiting.put(None)


async def _serve_client(desk: _McpDesk, router: Router, scope: Scope) -> None:
    from mcp import types
    from mcp.server.lowlevel import NotificationOptions, Server
    from mcp.server.stdio import stdio_server
    from mcp.shared.exceptions import MCPError

    async def list_tools(ctx: Any, _params: object) -> "types.ListToolsResult":
        pages = client_cards.can_show_pages(ctx)
        return types.ListToolsResult(tools=[_describe_tool(tool, pages=pages) for tool in router.offered_tools(scope)])

    async def list_resources(_ctx: object, _params: object) -> "types.ListResourcesResult":
        return types.ListResourcesResult(resources=client_cards.list_pages(router.offered_tools(scope), scope))

    async def read_resource(_ctx: object, params: "types.ReadResourceRequestParams") -> "types.ReadResourceResult":
        page = client_cards.read_page(str(params.uri), scope)
        if page is None:
            raise MCPError(types.INVALID_PARAMS, f"{str(params.uri)[:200]}: no such resource")
        return page

    async def call_tool(
        ctx: Any, params: "types.CallToolRequestParams"
    ) -> "types.CallToolResult | types.InputRequiredResult":
        before = scope.active
        outcome = await client_forms.call_with_forms(ctx, params, desk.request_call, scope)
        if scope.active != before:
            await ctx.session.send_tool_list_changed()
        if not isinstance(outcome, ToolOutcome):
            return outcome
        return _format_result(outcome, client_cards.result_metadata(outcome, scope))

    server: Server[Any] = Server(
        "ia",
        version=__version__,
        instructions=INSTRUCTIONS + (UNTRUSTED if scope.tainted else ""),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )
    server.extensions[client_cards.EXTENSION] = {}
    async with stdio_server(stdin=_read_lines(desk)) as (inbound, outbound):  # type: ignore[arg-type]
        desk.outbound = outbound
        await server.run(
            inbound, outbound, server.create_initialization_options(NotificationOptions(tools_changed=True))
        )


async def _read_lines(desk: _McpDesk) -> AsyncIterator[str]:
    """Yield what the client writes. Its end is told when all is answered, so that `ia mcp < requests` answers."""
    import anyio

    # A reader of its own: at its end the interpreter waits for sys.stdin, which this thread may be blocked in.
    text = open(os.dup(sys.stdin.fileno()), encoding="utf-8", errors="replace")  # noqa: SIM115
    async for line in anyio.wrap_file(text):
        if line.count("[") + line.count("{") > DEPTH and not _can_be_parsed(line):
            await desk.refuse_request(line)
        else:
            yield line
    quiet = 0.0
    while quiet < SETTLING:
        await anyio.sleep(0.02)
        quiet = 0.0 if desk.open else quiet + 0.02


def _can_be_parsed(line: str) -> bool:
    from mcp import types

    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return False
    return True


def _describe_tool(tool: Tool, *, pages: bool) -> "types.Tool":
    from mcp import types

    return types.Tool(
        name=tool.wire_name,
        title=tool.name,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            title=tool.name,
            read_only_hint=tool.risk == READ and tool.name != SUBAGENTS,
            destructive_hint=False,
            open_world_hint=tool.outside or tool.organ == "market" or tool.name in OPEN,
        ),
        _meta=client_cards.card_metadata(tool) if pages else None,
    )


def _format_result(outcome: ToolOutcome, metadata: Json | None) -> "types.CallToolResult":
    """Return an outcome as the protocol has it; an object comes along as such, unless it was cut for being long."""
    from mcp import types

    text = outcome.format_text()
    whole = outcome.ok and isinstance(outcome.value, dict) and len(text) <= MAX_RESULT
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=outcome.value if whole else None,
        is_error=not outcome.ok,
        _meta=metadata,
    )
