"""Answering what comes in over a chat service: one conversation in its order, several side by side.

Each answer is worked out in a thread with a connection of its own to the databases; the loop of the service goes on
meanwhile. How far each message has come stands in ia.db (see answers), so that a process may end at any point.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any, Protocol

from ia import config
from ia.bridges import answers
from ia.bridges.answers import AGAIN, ANSWERED, FAILED, NEW, READY, SENDING, WORKING, Item
from ia.bridges.approving import Voice
from ia.bridges.chat import Incoming
from ia.errors import Message, Notify
from ia.workspace import Workspace

AT_ONCE = 4
"""Conversations that are answered side by side."""
BUSY_AGAIN = 4.5
"""Seconds between two signs of life while an answer is worked out."""
PATIENCE = 30.0
"""Seconds beyond `turn.deadline` after which an answer is given up."""
PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds between tries to reach a service that cannot be reached."""

THREAD = "an answer"


class NotSent(Exception):
    """A text surely did not leave. `after`: seconds to wait, as the service says."""

    def __init__(self, after: float | None = None) -> None:
        super().__init__()
        self.after = after


class PerhapsSent(Exception):
    """A text may have arrived or not."""


class Unwanted(Exception):
    """A text will never arrive: the reader has blocked the sender, or the service refuses the text."""


class Service(Protocol):
    """What a listener needs of a chat service."""

    channel: str

    def chat(self, item: Item) -> str:
        """Return the conversation that a kept message belongs to."""

    async def incoming(self, item: Item) -> Incoming:
        """Return a kept message as a conversation understands it."""

    def parts(self, text: str) -> tuple[str, ...]:
        """Return a text in pieces that the service takes."""

    async def send(self, chat: str, text: str) -> None:
        """Send one piece. raises  NotSent, PerhapsSent, Unwanted."""

    async def busy(self, chat: str) -> None:
        """Show that an answer is being worked out; raises nothing."""


class Serving:
    """Everything that is being answered."""

    def __init__(
        self, ws: Workspace, service: Service, answer: Callable[[Workspace, Incoming], str], voice: Voice,
        notify: Notify,
    ) -> None:  # fmt: skip
        self.ws, self.service, self.answer, self.voice, self.notify = ws, service, answer, voice, notify
        self.stopping = asyncio.Event()
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._last: dict[str, asyncio.Task[None]] = {}
        self._open: set[asyncio.Task[None]] = set()
        self._working: dict[int, Item] = {}

    def take_up(self) -> None:
        """Go on with what an earlier process left unanswered."""
        for item in answers.unanswered(self.ws, self.service.channel):
            if item.state in (SENDING, AGAIN):
                item = answers.move(self.ws, item, READY, (self._interrupted(),))
            self.put(item)

    def put(self, item: Item) -> None:
        """Have a message answered, after those of its conversation that came before."""
        chat = self.service.chat(item)
        task = asyncio.get_running_loop().create_task(self._in_turn(self._last.get(chat), chat, item))
        self._last[chat] = task
        self._open.add(task)
        task.add_done_callback(lambda done: self._done(chat, done))

    def _done(self, chat: str, task: "asyncio.Task[None]") -> None:
        self._open.discard(task)
        if self._last.get(chat) is task:
            del self._last[chat]

    async def idle(self) -> None:
        """Wait until everything is answered, or `stopping` is set."""
        stop = asyncio.ensure_future(self.stopping.wait())
        while self._open and not stop.done():
            await asyncio.wait({*self._open, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()

    async def close(self, seconds: float) -> int:
        """Let what is under way end within so many seconds; return how many threads work on for a later start."""
        self.stopping.set()
        if self._open:
            await asyncio.wait(self._open, timeout=seconds)
        left = list(self._working.values())
        for task in list(self._open):
            task.cancel()
        if self._open:
            await asyncio.gather(*self._open, return_exceptions=True)
        for item in left:
            answers.move(self.ws, item, NEW)
        return sum(thread.name == THREAD for thread in threading.enumerate())

    async def _in_turn(self, before: "asyncio.Task[None] | None", chat: str, item: Item) -> None:
        if before is not None:
            await asyncio.wait({before})
        if self.stopping.is_set():
            return
        try:
            if item.state != READY:
                item = await self._worked_out(chat, item)
            await self._sent(chat, item)
        except Exception as exc:  # ia.db cannot be written: the message stays as it is, for the next start
            self.notify(Message("internal error: {kind}: {what}", kind=type(exc).__name__, what=str(exc)[:300]))

    async def _worked_out(self, chat: str, item: Item) -> Item:
        async with self._slots:
            if self.stopping.is_set():
                raise asyncio.CancelledError
            item = answers.move(self.ws, item, AGAIN if item.state in (WORKING, AGAIN) else WORKING)
            signs = asyncio.ensure_future(self._signs_of_life(chat))
            self._working[item.id] = item
            try:
                text = await self._thought(await self.service.incoming(item))
            finally:
                del self._working[item.id]
                signs.cancel()
        return answers.move(self.ws, item, READY, self.service.parts(text))

    async def _thought(self, message: Incoming) -> str:
        """Return the answer to a message, worked out in a thread that nobody has to wait for."""

        def work() -> str:
            ws = Workspace(self.ws.root)
            try:
                return self.answer(ws, message)
            finally:
                ws.close()

        seconds = float(config.get("turn.deadline")) + PATIENCE
        try:
            return await asyncio.wait_for(_in_thread(work), seconds)
        except asyncio.TimeoutError:  # noqa: UP041  (another class before Python 3.11)
            return self.voice.say(Message("the turn took longer than {seconds:g} s", seconds=seconds))

    async def _signs_of_life(self, chat: str) -> None:
        while True:
            await self.service.busy(chat)
            await asyncio.sleep(BUSY_AGAIN)

    async def _sent(self, chat: str, item: Item) -> None:
        """Send what is left of an answer, each piece once; tries go on until the service is reached or we stop."""
        tries = 0
        while item.parts:
            item = answers.move(self.ws, item, SENDING, item.parts)
            try:
                await self.service.send(chat, item.parts[0])
                item, tries = item._replace(parts=item.parts[1:]), 0
            except NotSent as exc:
                item = answers.move(self.ws, item, READY, item.parts)
                pause = PAUSES[min(tries, len(PAUSES) - 1)] if exc.after is None else exc.after
                tries += 1
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self.stopping.wait(), pause)
                if self.stopping.is_set():
                    return
            except PerhapsSent:
                if item.parts == (self._interrupted(),):
                    answers.move(self.ws, item, FAILED)
                    return
                item = answers.move(self.ws, item, READY, (self._interrupted(),))
            except Unwanted:
                self.notify(Message("{channel}: an answer was refused for good", channel=self.service.channel))
                answers.move(self.ws, item, FAILED)
                return
        answers.move(self.ws, item, ANSWERED)

    def _interrupted(self) -> str:
        return self.voice.say(
            Message("I was interrupted while I answered. If no whole answer stands above, please ask again.")
        )


async def _in_thread(work: Callable[[], str]) -> str:
    """Return what a function returns, run in a daemon thread: the process need not wait for it to end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[str] = loop.create_future()

    def settle(set_: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            set_(value)

    def run() -> None:
        try:
            told: tuple[Callable[[Any], None], Any] = (future.set_result, work())
        except BaseException as exc:
            told = (future.set_exception, exc)
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, *told)

    threading.Thread(target=run, name=THREAD, daemon=True).start()
    return await future
