"""The pipes to an MCP server: its process, and the streams of messages that the protocol's client reads and writes.

They are laid here and not by the protocol's package, since what the process gets to see of the environment, how much
of its output is listened to, and how it ends are ours to say.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ia.faculties.providers.command import last_complaint
from ia.faculties.providers.start_command import ProcessStart

if TYPE_CHECKING:
    from anyio.abc import Process

FAREWELL = 1.0
"""Seconds that a server may take to end after its input is closed, and again after SIGTERM."""
MAX_LINE = 8_000_000
MAX_SAID = 4000


class ServerPipes:
    """A server's process, from open() to its end.

    started   whether there was a process at all
    """

    def __init__(self, start: ProcessStart) -> None:
        self.started = False
        self._start = start
        self._process: Process | None = None
        self._stray = ""
        self._said = bytearray()

    def diagnostic_text(self) -> str:
        """Return what the server said where it should not have, else the end of what it complained of."""
        return self._stray or last_complaint(bytes(self._said), self._start.secrets)

    def kill(self) -> None:
        """Kill the process and its children, if it is there."""
        self._signal_group(signal.SIGKILL)

    @contextlib.asynccontextmanager
    async def open_streams(self, ended: Callable[[], None]) -> AsyncIterator[Any]:
        """Start the process and yield (messages from it, messages to it); leaving ends it.

        ended   called when nothing more can come from it
        """
        import anyio
        from mcp.shared.message import SessionMessage

        self._process = process = await anyio.open_process(
            self._start.argv,
            cwd=self._start.folder,
            env=self._start.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.started = True
        heard, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outbound, told = anyio.create_memory_object_stream[SessionMessage](0)
        complained = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(_run_until_closed, lambda: self._read_messages(process, heard), ended)
            group.start_soon(_run_until_closed, lambda: _write_message(process, told), lambda: None)
            group.start_soon(_run_until_closed, lambda: self._collect_complaints(process), complained.set)
            try:
                yield inbound, outbound
            finally:
                with anyio.CancelScope(shield=True):
                    await self._end_process(process)
                    with anyio.move_on_after(FAREWELL):  # its last words
                        await complained.wait()
                    self._process = None
                    await process.aclose()
                    for stream in (heard, inbound, outbound, told):
                        await stream.aclose()
                group.cancel_scope.cancel()

    async def _read_messages(self, process: "Process", heard: Any) -> None:
        assert process.stdout
        async with heard:
            async for line in _read_lines(process.stdout):
                message = self._parse_message(line)
                if message is not None:
                    await heard.send(message)

    async def _collect_complaints(self, process: "Process") -> None:
        assert process.stderr
        async for data in process.stderr:
            self._said = (self._said + data)[-MAX_SAID:]

    def _parse_message(self, line: bytes) -> object:
        """Return a line as the protocol's message; one that is none is remembered for when something goes wrong."""
        from mcp import types
        from mcp.shared.message import SessionMessage

        try:
            return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError:
            self._stray = self._stray or last_complaint(line[:400], self._start.secrets)
            return None

    async def _end_process(self, process: "Process") -> None:
        """Let a process end: its input is closed, then it is asked to, then what is left of its group is killed."""
        import anyio

        with contextlib.suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            if process.stdin:
                await process.stdin.aclose()
        for order in (None, signal.SIGTERM):
            if order is not None:
                self._signal_group(order)
            with anyio.move_on_after(FAREWELL):
                while process.returncode is None:
                    await anyio.sleep(0.01)
                break
        self.kill()
        with anyio.move_on_after(FAREWELL):
            await process.wait()

    def _signal_group(self, number: int) -> None:
        process = self._process
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)


async def _run_until_closed(work: Callable[[], Awaitable[None]], then: Callable[[], None]) -> None:
    """Work until a pipe or a stream is closed, by whomever."""
    import anyio

    try:
        await work()
    except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        pass
    finally:
        then()


async def _write_message(process: "Process", told: Any) -> None:
    assert process.stdin
    async with told:
        async for item in told:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.stdin.send(text.encode() + b"\n")


async def _read_lines(stream: Any) -> AsyncIterator[bytes]:
    """Yield lines; a server that writes MAX_LINE bytes without an end of line is not heard any further."""
    buffer = bytearray()
    async for data in stream:
        buffer += data
        if b"\n" in data:
            *lines, buffer = buffer.split(b"\n")
            for line in lines:
                if line.strip():
                    yield bytes(line)
        if len(buffer) > MAX_LINE:
            return
