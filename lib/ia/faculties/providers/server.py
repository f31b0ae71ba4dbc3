"""A provider that speaks MCP: its server is a process of ours, started at the first call and ended with us.

The protocol is the official package's. It runs in an event loop in a thread of its own, so that whoever calls waits no
longer than he wants to.
"""

import asyncio
import atexit
import concurrent.futures
import contextlib
import json
import logging
import threading
from typing import TYPE_CHECKING, Any

from ia.faculties.providers.command import last_complaint
from ia.faculties.providers.server_http import HttpPipes
from ia.faculties.providers.server_pipes import FAREWELL, ServerPipes
from ia.faculties.providers.start_command import ProcessStart, scrub_secrets
from ia.kernel.errors import BadData, ConfigError, IaError, NoAnswer, Unavailable
from ia.kernel.jsontypes import Json

if TYPE_CHECKING:
    from mcp import Client

START = 30.0
"""Seconds that a server may take until it answers to being greeted."""
MAX_TOOLS = 500
CLOSED = -32000
"""The protocol's code for a connection that ended."""


class ToolServer:
    """A server of a provider. Making one starts nothing; the first question does."""

    def __init__(self, name: str, start: ProcessStart, pipes: ServerPipes | HttpPipes | None = None) -> None:
        """pipes  how messages go to the server; default: those of a process of ours."""
        self.name = name
        self._start = start
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._ready: concurrent.futures.Future[Client] = concurrent.futures.Future()
        self._pipes = pipes or ServerPipes(start)
        self._over = False

    @property
    def alive(self) -> bool:
        """Whether it can be asked: not started yet, or started and still there."""
        return not self._over

    def list_tools(self, seconds: float) -> list[Json]:
        """Return what the server lists: name, description, schema, read_only.

        raises  NoAnswer for a time limit that ran out; ConfigError where it cannot be started; Unavailable.
        """

        async def request_tools(client: "Client") -> list[Json]:
            found: list[Json] = []
            cursor = None
            while len(found) < MAX_TOOLS:
                page = await client.list_tools(cursor=cursor)
                for tool in page.tools:
                    hints = tool.annotations
                    found.append(
                        {
                            "name": tool.name,
                            "description": tool.description or "",
                            "schema": tool.input_schema,
                            "read_only": bool(hints and hints.read_only_hint),
                        }
                    )
                cursor = page.next_cursor
                if not cursor:
                    break
            return found[:MAX_TOOLS]

        listed: list[Json] = scrub_secrets(
            self._send_request(request_tools, "tools/list", seconds), self._start.secrets
        )
        return listed

    def call_tool(self, tool: str, own: str, arguments: Json, seconds: float) -> Any:
        """Return what a tool of the server returns: structured content, else its text, as JSON where it is.

        tool    its name as the caller knows it; `own` as the server does
        raises  as tools(); Unavailable for what the server calls an error.
        """

        async def request_call(client: "Client") -> Any:
            return await client.call_tool(own, arguments)

        result = self._send_request(request_call, tool, seconds)
        value = scrub_secrets(_result_value(result), self._start.secrets)
        if result.is_error:
            told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            raise Unavailable(
                "{tool} of provider {provider} failed: {quoted}",
                code="provider-failed",
                tool=tool,
                provider=self.name,
                quoted=last_complaint(told.encode("utf-8", "replace"), ()),
            )
        return value

    def close(self) -> None:
        """End the server and wait for it."""
        with self._guard:
            self._over = True
            loop, thread = self._loop, self._thread
        if not self._ready.done():  # it does not even greet: nothing to be polite about
            self._pipes.kill()
        if loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                loop.call_soon_threadsafe(self._stop.set)
        if thread is not None and thread is not threading.current_thread():
            thread.join(4 * FAREWELL + 1)
        self._pipes.kill()

    def _send_request(self, ask: Any, what: str, seconds: float) -> Any:
        """Ask in the loop's thread and wait. A server that did not answer in time is ended: it may be stuck."""
        ready = self._start_thread()
        future: concurrent.futures.Future[Any] | None = None
        try:
            client = ready.result(START)
            assert self._loop is not None
            future = asyncio.run_coroutine_threadsafe(ask(client), self._loop)
            return future.result(seconds)
        except concurrent.futures.TimeoutError:
            self.close()
            limit = seconds if future else START
            raise NoAnswer(
                "{tool} of provider {provider} timed out after {seconds:g} s: {quoted}"
                if self._pipes.diagnostic_text()
                else "{tool} of provider {provider} timed out after {seconds:g} s",
                tool=what,
                provider=self.name,
                seconds=limit,
                quoted=self._pipes.diagnostic_text(),
            ) from None
        except concurrent.futures.CancelledError:
            raise self._gone_error(what) from None
        except IaError:
            raise
        except Exception as exc:
            raise self._translate_error(what, exc) from None
        except BaseException:  # Ctrl-C, or the caller's own time limit
            if future is not None:
                future.cancel()
            raise

    def _start_thread(self) -> "concurrent.futures.Future[Client]":
        with self._guard:
            if self._over:
                raise self._gone_error("tools/list")
            if self._thread is None:
                atexit.register(self.close)
                self._thread = threading.Thread(target=self._run_loop, name=f"mcp {self.name}", daemon=True)
                self._thread.start()
            return self._ready

    def _run_loop(self) -> None:
        logging.getLogger("mcp").addHandler(logging.NullHandler())
        logging.getLogger("mcp").propagate = False
        try:
            asyncio.run(self._hold_connection())
        except BaseException as exc:
            if not self._ready.done():
                self._ready.set_exception(_root_cause(exc))
        finally:
            self._over = True
            atexit.unregister(self.close)

    async def _hold_connection(self) -> None:
        """Hold the connection until it is to end, or the server ends it."""
        from mcp import Client, Implementation

        from ia import __version__

        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        about = Implementation(name="ia", version=__version__)
        async with Client(self._pipes.open_streams(self._stop.set), client_info=about, cache=None) as client:
            self._ready.set_result(client)
            await self._stop.wait()
            self._over = True

    def _gone_error(self, what: str) -> IaError:
        told = self._pipes.diagnostic_text()
        return Unavailable(
            "{tool}: the server of provider {provider} exited: {quoted}"
            if told
            else "{tool}: the server of provider {provider} exited",
            code="provider-ended",
            tool=what,
            provider=self.name,
            quoted=told,
        )

    def _translate_error(self, what: str, exc: BaseException) -> IaError:
        """Return what an error of the protocol or of the start means to the caller."""
        if isinstance(exc, OSError) and not self._pipes.started:
            return ConfigError(
                "cannot start {tool} of provider {provider}: {reason}",
                tool=what,
                provider=self.name,
                reason=exc.strerror or str(exc),
            )
        if self._over or getattr(exc, "code", None) == CLOSED:
            self.close()
            return self._gone_error(what)
        told = last_complaint(str(exc).encode("utf-8", "replace"), self._start.secrets)
        return BadData(
            "{tool} of provider {provider} failed: {quoted}",
            code="provider-failed",
            tool=what,
            provider=self.name,
            quoted=told,
        )


def _result_value(result: Any) -> Any:
    """Return a result's structured content, else its text, parsed where it is one JSON document."""
    if isinstance(result.structured_content, dict):
        return result.structured_content
    parts = [block.text if block.type == "text" else _describe_block(block) for block in result.content]
    text = "\n".join(parts)
    if len(parts) == 1 and text[:1] in ("{", "["):
        with contextlib.suppress(ValueError, RecursionError):
            return json.loads(text)
    return text


def _describe_block(block: Any) -> str:
    """Return what is told of a part that is no text: its kind, and the name, type and address that it has."""
    held = getattr(block, "resource", block)
    about = (getattr(held, name, None) for name in ("name", "mime_type", "uri"))
    words = [block.type, *(" ".join(str(each).split())[:300] for each in about if each)]
    text = getattr(held, "text", None)
    return f"[{' '.join(words)}]" + (f"\n{text}" if isinstance(text, str) else "")


def _root_cause(exc: BaseException) -> BaseException:
    """Return what is at the bottom of a group of errors."""
    while isinstance(exc, BaseExceptionGroup) and exc.exceptions:
        exc = exc.exceptions[0]
    return exc
