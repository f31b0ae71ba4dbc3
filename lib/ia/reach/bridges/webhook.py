"""`ia listen webhook`: signed HTTP requests become events of tasks.

One event loop reads requests, one thread keeps what was signed (many at once, in one transaction) before it is
acknowledged, and one process after another runs what was kept; a client that is slow, silent or hostile holds up none
of them. Nothing in a body is interpreted: it is data for a run.
"""

import asyncio
import concurrent.futures
import contextlib
import errno
import os
import queue
import signal
import socket
import subprocess
import threading
import time
import urllib.parse
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ia.kernel import clock, config, store
from ia.kernel.errors import IaError, Message, Notify, PluralText, Refused, TryLater, UsageError, drop_message
from ia.kernel.workspace import Workspace
from ia.reach.bridges import deliveries, http, webhook_signature
from ia.reach.bridges.deliveries import Delivery
from ia.reach.bridges.http import Head, WebhookReply

PATIENCE = 10.0
"""Seconds that a client may take for a whole request."""
MAX_OPEN = 256
"""Connections at the same time. Beyond that, one that has been waited for gives way."""
GRACE = 1.0
"""Seconds that a connection is waited for in any case."""
AGAIN = 30.0
"""Seconds until what a busy task left waiting is looked at again."""
BUSY = 2000
"""Milliseconds for which a held database is waited for: a sender would rather hear that it should come again."""
FAREWELL = 0.4
"""Seconds for what is under way when the listener ends: answers, then the run."""
QUIET = 60.0
"""Seconds between two lines about requests that were refused."""
MAX_NAME = 100

ANSWERS: dict[str, tuple[int, tuple[tuple[str, str], ...]]] = {
    deliveries.ACCEPTED: (202, ()),
    deliveries.REPEATED: (200, ()),
    deliveries.UNKNOWN: (404, ()),
    deliveries.FULL: (429, (("Retry-After", "60"),)),
    deliveries.LOST: (503, (("Retry-After", "10"),)),
}


T = TypeVar("T")
Told = Callable[[Delivery], None]


class Listening(NamedTuple):
    """How to listen.

    port     0: any that is free
    secret   what senders sign with
    form     how they do: signing.STANDARD or GITHUB
    due      the command that runs what is due of the task whose name is added to it
    once     end after the first accepted event has been handled
    """

    host: str
    port: int
    secret: str
    due: Sequence[str]
    once: bool = False
    form: str = webhook_signature.STANDARD


def serve_webhook(
    ws: Workspace,
    how: Listening,
    *,
    ready: Callable[[str], None],
    accepted: Told,
    notify: Notify = drop_message,
) -> None:
    """Listen until SIGTERM, or with `once` until the first accepted event has been handled.

    ready     is called with the address when requests are taken
    accepted  is called with every event that was taken, in a thread of its own; what it raises ends the listening
    raises    KeyboardInterrupt for Ctrl-C; ConfigError for a secret that protects nothing; Refused inside a task's run,
              for a workspace that cannot be written, a port that needs rights; TryLater where the port is taken;
              UsageError for no such host.
    """
    if config.run_number() is not None:
        raise Refused("a task's run cannot start another task")
    webhook_signature.check_secret(how.secret)
    with concurrent.futures.ThreadPoolExecutor(1, "keeper") as keeper:
        if not keeper.submit(_open_database, ws).result():
            raise Refused("{path}: permission denied", path=ws.root)
        server = _Server(ws, keeper, how, accepted, notify)
        asyncio.run(server.serve_requests(ready))
        keeper.submit(ws.close)
    if server.failure is not None:
        raise server.failure


def _open_database(ws: Workspace) -> bool:
    """Open the database in the thread that is to use it; whether it can be written to."""
    ws.db.execute(f"PRAGMA busy_timeout = {BUSY}")
    return store.is_writable(ws.db)


class _Server:
    def __init__(
        self, ws: Workspace, keeper: concurrent.futures.Executor, how: Listening, accepted: Told, notify: Notify
    ) -> None:
        self.failure: BaseException | None = None
        self._ws, self._keeper = ws, keeper
        self._how, self._accepted, self._notify = how, accepted, notify
        self._open: dict[asyncio.Task[None], float] = {}  # connections that may give way, the oldest first; since when
        self._answering: set[asyncio.Task[None]] = set()  # those that sent an event
        self._coming: list[tuple[Delivery, asyncio.Future[str]]] = []
        self._came, self._kept, self._over = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._told: queue.SimpleQueue[Delivery | None] = queue.SimpleQueue()
        self._refused, self._complained = 0, -QUIET

    async def serve_requests(self, ready: Callable[[str], None]) -> None:
        """Listen until it is over, and end what was begun."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._report_connection_error)
        server = await self._bind_socket()
        loop.add_signal_handler(signal.SIGTERM, self._over.set)
        loop.add_signal_handler(signal.SIGINT, self._end_with_failure, KeyboardInterrupt())
        teller = threading.Thread(target=self._announce_accepted, args=(loop,), name="told", daemon=True)
        teller.start()
        works = [asyncio.create_task(self._run_watched(work)) for work in (self._keep_deliveries(), self._run_tasks())]
        for listening in server.sockets:
            ready(_format_address(listening.getsockname()))
        await self._over.wait()
        server.close()
        for task in self._open:
            task.cancel()
        if self._answering:
            await asyncio.wait(self._answering, timeout=FAREWELL)
        for task in works:
            task.cancel()
        await asyncio.gather(*works, return_exceptions=True)
        self._told.put(None)
        await asyncio.to_thread(teller.join, FAREWELL)

    async def _bind_socket(self) -> asyncio.Server:
        host, port = self._how.host, self._how.port
        try:
            return await asyncio.start_server(self._handle_connection, host, port, limit=http.MAX_HEAD, backlog=512)
        except socket.gaierror:
            raise UsageError("{host}: host not found", host=host) from None
        except PermissionError:
            raise Refused("port {port} requires root privileges", port=port, hint="choose a port above 1023") from None
        except OSError as exc:
            kind = TryLater if exc.errno == errno.EADDRINUSE else UsageError
            raise kind(
                "cannot listen on {host}, port {port}: {reason}",
                host=host,
                port=port,
                reason=os.strerror(exc.errno or 0),
                hint="`--port 0` chooses a free port",
            ) from None

    def _report_connection_error(self, _loop: asyncio.AbstractEventLoop, context: Mapping[str, object]) -> None:
        """Tell what went wrong with a connection, or with taking one: it must not end the others."""
        cause = context.get("exception")
        self._notify(
            Message("webhook: {error}", error=f"{context['message']}: {cause}" if cause else context["message"])
        )

    def _end_with_failure(self, failure: BaseException) -> None:
        self.failure = self.failure or failure
        self._over.set()

    async def _run_watched(self, work: Coroutine[object, object, None]) -> None:
        """Do a work; a bug in it ends the listener, which must not take what it does not keep or handle."""
        try:
            await work
        except Exception as exc:
            self._end_with_failure(exc)

    # a connection

    async def _handle_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        try:
            try:
                self._make_room()
                self._open[task] = time.monotonic()
                event = await self._read_delivery(reader, writer)
                del self._open[task]
                self._answering.add(task)
                answer = await self._answer_delivery(event)
            except WebhookReply as refusal:
                answer = refusal
            await http.send_answer(reader, writer, answer, linger=task in self._open)
        except (asyncio.CancelledError, EOFError, OSError):  # it had to give way; nobody is there any more
            pass
        finally:
            self._open.pop(task, None)
            self._answering.discard(task)
            writer.close()

    async def _read_delivery(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Delivery:
        """Return a signed event. Raises the Answer to anything else."""
        peer = _peer_address(writer)
        try:
            async with asyncio.timeout(PATIENCE):
                head = await http.read_head(reader, webhook_signature.HEADERS)
                self._admit_request(head, peer)
                body = await http.read_body(reader, writer, head.headers)
        except TimeoutError:
            raise WebhookReply(408) from None
        id = webhook_signature.verify_signature(
            head.headers, body, self._how.secret, clock.wall_time().timestamp(), self._how.form
        )
        if id is None:
            raise self._refuse_unsigned(peer)
        name = _parse_name(head.path)
        if not name:
            raise WebhookReply(404)
        try:
            return Delivery(name, id, peer, body.decode())
        except UnicodeDecodeError:
            raise WebhookReply(400, "the text is not valid UTF-8") from None

    def _make_room(self) -> None:
        """Let the oldest connection give way that has been waited for. Raises Answer 503 where there is none."""
        if len(self._open) + len(self._answering) < MAX_OPEN:
            return
        oldest = next(iter(self._open), None)
        if oldest is None or time.monotonic() - self._open[oldest] < GRACE:
            raise WebhookReply(503, headers=ANSWERS[deliveries.LOST][1])
        del self._open[oldest]
        oldest.cancel()

    def _admit_request(self, head: Head, peer: str) -> None:
        """Raise the Answer to a request whose body need not be read."""
        if head.method == "GET" and head.path.partition("?")[0] == "/healthz":
            raise WebhookReply(200)
        if head.method != "POST":
            raise WebhookReply(405, headers=(("Allow", "POST"),))
        http.body_length(head.headers)
        if not webhook_signature.may_be_signed(head.headers, clock.wall_time().timestamp(), self._how.form):
            raise self._refuse_unsigned(peer)

    def _refuse_unsigned(self, peer: str) -> WebhookReply:
        """Return the Answer to what is not signed, and say now and then how much of it there is."""
        self._refused += 1
        if time.monotonic() - self._complained >= QUIET:
            self._complained = time.monotonic()
            self._notify(
                Message(
                    PluralText(
                        "{count} request had no valid signature, from {peer}",
                        "{count} requests had no valid signature, the last from {peer}",
                    ),
                    count=self._refused,
                    peer=peer,
                )
            )
        return WebhookReply(401)

    async def _answer_delivery(self, event: Delivery) -> WebhookReply:
        """Have an event kept, and return what its sender is told. Waits until it is on the disk."""
        became: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._coming.append((event, became))
        self._came.set()
        status, headers = ANSWERS[await became]
        told = became.result() if status < 300 else ""
        return WebhookReply(status, told, headers=headers, **({"id": event.id} if told else {}))

    # the works

    async def _keep_deliveries(self) -> None:
        """Keep what came in, all that came during the last write in one go."""
        while True:
            await self._came.wait()
            self._came.clear()
            batch, self._coming = self._coming, []
            try:
                found = await self._run_in_keeper(deliveries.keep_deliveries, [event for event, _ in batch])
            except IaError as exc:
                self._notify(Message("webhook: {error}", error=exc))
                found = [deliveries.LOST] * len(batch)
            for (event, became), result in zip(batch, found, strict=True):
                if not became.done():  # else the sender has gone
                    became.set_result(result)
                if result == deliveries.ACCEPTED:
                    self._told.put(event)
                    self._kept.set()

    async def _run_tasks(self) -> None:
        """Run what waits, one task after another; first of all what an earlier listener left."""
        fresh = False
        while True:
            self._kept.clear()
            for task in await self._run_in_keeper(deliveries.unfinished_tasks):
                await self._run_task(task)
            left = await self._run_in_keeper(
                deliveries.unfinished_tasks
            )  # its task is busy elsewhere, or its process was killed
            if fresh and not left and self._how.once:
                self._over.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(AGAIN if left else None):
                    await self._kept.wait()
                    fresh = True

    async def _run_task(self, task: str) -> None:
        """Run what is due of a task, in a process that ends with the listener."""
        process = await asyncio.create_subprocess_exec(
            *self._how.due, task, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
        )
        try:
            await process.wait()
        finally:
            if process.returncode is None:  # it ends what it began, and leaves the rest to the next listener
                with contextlib.suppress(ProcessLookupError, PermissionError, TimeoutError):
                    os.killpg(process.pid, signal.SIGTERM)
                    async with asyncio.timeout(FAREWELL):
                        await process.wait()

    async def _run_in_keeper(self, work: Callable[..., T], *given: object) -> T:
        """Have the keeper do a work: the only thread that uses the database."""
        return await asyncio.get_running_loop().run_in_executor(self._keeper, work, self._ws, *given)

    def _announce_accepted(self, loop: asyncio.AbstractEventLoop) -> None:
        """Tell of accepted events, in a thread: whoever reads them may be slow, and must hold up nobody else."""
        while (event := self._told.get()) is not None:
            try:
                self._accepted(event)
            except BaseException as exc:
                loop.call_soon_threadsafe(self._end_with_failure, exc)
                return


def _parse_name(path: str) -> str:
    """Return the NAME of `/NAME`, and nothing for any other path."""
    name = urllib.parse.unquote(path.partition("?")[0][1:])
    odd = not path.startswith("/") or "/" in name or "\ufffd" in name or not name.isprintable() or len(name) > MAX_NAME
    return "" if odd else name


def _peer_address(writer: asyncio.StreamWriter) -> str:
    """Return the address of the other end."""
    peer = writer.get_extra_info("peername")
    return str(peer[0]) if peer else "unknown"


def _format_address(name: tuple[Any, ...]) -> str:
    host = f"[{name[0]}]" if ":" in name[0] else name[0]
    return f"http://{host}:{name[1]}"
