"""Answering what comes in over a chat service: one conversation in its order, several side by side.

Each turn is a process, and a command runs in a thread with a connection of its own to the databases: the loop of the
service goes on meanwhile. How far each message has come stands in ia.db (see answers): a process may end at any point.
"""

import asyncio
import contextlib
import sqlite3
import subprocess
import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from ia.kernel import config, faults
from ia.kernel.errors import IaError, Message
from ia.kernel.workspace import Workspace
from ia.reach.bridges import message_store
from ia.reach.bridges.chat import WRONG, Conversation, Incoming
from ia.reach.bridges.chat_forms import BUTTONS
from ia.reach.bridges.message_store import AGAIN, ANSWERED, FAILED, READY, SENDING, WORKING, Item
from ia.reach.bridges.turn_workers import Turning

AT_ONCE = 4
"""Conversations that are answered side by side."""
BUSY_AGAIN = 4.5
"""Seconds between two signs of life while an answer is worked out."""
PATIENCE = 30.0
"""Seconds beyond `turn.deadline` after which an answer is given up."""
PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds between tries to reach a service that cannot be reached."""

T = TypeVar("T")


class NotSent(Exception):
    """A text surely did not leave. `after`: seconds to wait, as the service says."""

    def __init__(self, after: float | None = None) -> None:
        super().__init__()
        self.after = after


class PerhapsSent(Exception):
    """A text may have arrived or not."""


class Unwanted(Exception):
    """A text will never arrive: the reader has blocked the sender, or the service refuses the text."""


class BridgeService(Protocol):
    """What a listener needs of a chat service."""

    channel: str

    def chat_id(self, item: Item) -> str:
        """Return the conversation that a kept message belongs to."""

    async def load_incoming(self, item: Item) -> Incoming:
        """Return a kept message as a conversation understands it."""

    def split_text(self, text: str) -> tuple[str, ...]:
        """Return a text in pieces that the service takes."""

    async def send_part(self, chat: str, text: str) -> None:
        """Send one piece. raises  NotSent, PerhapsSent, Unwanted."""

    async def show_busy(self, chat: str) -> None:
        """Show that an answer is being worked out; raises nothing."""


class Serving:
    """Everything that is being answered. `answering`: words of a program that takes turns, see turning."""

    def __init__(self, ws: Workspace, service: BridgeService, conversation: Conversation, answering: list[str]) -> None:
        self.ws, self.service, self.conversation, self.turning = ws, service, conversation, Turning(answering)
        self.voice, self.notify = conversation.voice, conversation.notify
        self.stopping = asyncio.Event()
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._last: dict[str, asyncio.Task[None]] = {}
        self._open: set[asyncio.Task[None]] = set()
        self._runs: list[subprocess.Popen[bytes]] = []

    def resume_unanswered(self, welcome: Callable[[str], bool]) -> None:
        """Go on with what an earlier process left unanswered, but for senders who are not welcome any more."""
        for item in message_store.list_unanswered(self.ws, self.service.channel):
            if not welcome(item.sender):
                message_store.set_message_state(self.ws, item, FAILED)
                continue
            if item.state in (SENDING, AGAIN):
                item = message_store.set_message_state(self.ws, item, READY, (self._interrupted_text(),))
            self.enqueue_message(item)

    def enqueue_message(self, item: Item) -> None:
        """Have a message answered, after those of its conversation that came before."""
        chat = self.service.chat_id(item)
        task = asyncio.get_running_loop().create_task(self._answer_in_order(self._last.get(chat), chat, item))
        self._last[chat] = task
        self._open.add(task)
        task.add_done_callback(lambda done: self._forget_task(chat, done))

    def _forget_task(self, chat: str, task: "asyncio.Task[None]") -> None:
        self._open.discard(task)
        if self._last.get(chat) is task:
            del self._last[chat]

    async def wait_until_idle(self) -> None:
        """Wait until everything is answered and the tasks that were woken have run, or `stopping` is set."""
        stop = asyncio.ensure_future(self.stopping.wait())
        while self._open and not stop.done():
            await asyncio.wait({*self._open, stop}, return_when=asyncio.FIRST_COMPLETED)
        while any(run.poll() is None for run in self._runs) and not stop.done():
            await asyncio.wait({stop}, timeout=0.1)
        stop.cancel()

    async def close(self, seconds: float) -> None:
        """Let what is under way end within so many seconds, and keep the rest for a later start."""
        self.stopping.set()
        if self._open:
            await asyncio.wait(self._open, timeout=seconds)
        for task in list(self._open):
            task.cancel()
        if self._open:
            await asyncio.gather(*self._open, return_exceptions=True)
        await self.turning.close()

    async def _answer_in_order(self, before: "asyncio.Task[None] | None", chat: str, item: Item) -> None:
        if before is not None:
            await asyncio.wait({before})
        if self.stopping.is_set():
            return
        if item.state != READY:
            item = await self._prepare_answer(chat, item)
        await self._send_answer(chat, item)

    async def _set_state(self, item: Item, state: str, parts: tuple[str, ...] = ()) -> Item:
        """Put a message into a state, tried until ia.db takes it; cancels where we are told to stop before."""
        told = False
        while True:
            try:
                return message_store.set_message_state(self.ws, item, state, parts)
            except IaError as exc:
                if not told:
                    self.notify(Message(exc.template, **exc.params))
                told = True
            await self._wait_or_stop(PAUSES[2])
            if self.stopping.is_set():
                raise asyncio.CancelledError

    async def _wait_or_stop(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)

    async def _prepare_answer(self, chat: str, item: Item) -> Item:
        async with self._slots:
            if self.stopping.is_set():
                raise asyncio.CancelledError
            item = await self._set_state(item, AGAIN if item.state in (WORKING, AGAIN) else WORKING)
            signs = asyncio.ensure_future(self._keep_showing_busy(chat))
            try:
                text = await self._compute_answer(item, await self.service.load_incoming(item))
            finally:
                signs.cancel()
        return await self._set_state(item, READY, self.service.split_text(text))

    async def _compute_answer(self, item: Item, message: Incoming) -> str:
        """Return the answer to a message: a command's at once, else a turn's."""

        def run_command() -> str | Incoming | None:
            ws = Workspace(self.ws.root)
            try:
                if not self.conversation.is_form_answer(ws, message):  # which may be private
                    self._wake_tasks(ws, item, message)
                return self.conversation.run_command(ws, message)
            finally:
                ws.close()

        seconds = 0.0
        try:
            seconds = float(config.get_setting("turn.deadline")) + PATIENCE
            told = await _run_in_thread(run_command)
            if not isinstance(told, str):
                asked = message if told is None else told
                job = {**self.conversation.make_job(asked), "once": f"{self.service.channel} {item.key}"}
                told = await self.turning.answer_job(job, seconds)
        except asyncio.TimeoutError:  # noqa: UP041  (another class before Python 3.11)
            told = self.voice.say(Message("the turn timed out after {seconds:g} s", seconds=seconds))
        except IaError as exc:  # settings that were broken meanwhile
            self.notify(Message(exc.template, **exc.params))
            told = self.voice.say(WRONG)
        except (ValueError, KeyError, TypeError, RuntimeError, OSError, sqlite3.Error) as exc:
            faults.record(self.ws.db, "chat", "an answer", exc)
            self.notify(Message("internal error in {what}; `ia log --kind fault` has the details", what="an answer"))
            told = self.voice.say(WRONG)
        words, mark, buttons = told.partition(BUTTONS)
        return "\n\n".join(filter(None, [words.strip(), *map(self.voice.say, message.unread)])) + mark + buttons

    def _wake_tasks(self, ws: Workspace, item: Item, message: Incoming) -> None:
        """Run the tasks that wait for words of a message, beside its answer. A message wakes each task once."""
        if not message.text or message.text.startswith("/"):
            return
        from ia.reach.tasks import child_processes, events

        channel = self.service.channel
        sender = f"{channel} {message.sender}"
        try:
            woken = events.record_event(ws, events.MESSAGE, message.text, f"{channel} {item.key}", message.text, sender)
        except IaError as exc:
            self.notify(Message(exc.template, **exc.params))
            return
        self._runs = [run for run in self._runs if run.poll() is None]
        for task in woken:
            words = [*child_processes.ia_command(), "--home", self.ws.root, "task", "due", task.name]
            self._runs.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True))

    async def _keep_showing_busy(self, chat: str) -> None:
        while True:
            await self.service.show_busy(chat)
            await asyncio.sleep(BUSY_AGAIN)

    async def _send_answer(self, chat: str, item: Item) -> None:
        """Send what is left of an answer, each piece once; tries go on until the service is reached or we stop."""
        tries = 0
        while item.parts:
            item = await self._set_state(item, SENDING, item.parts)
            try:
                await self.service.send_part(chat, item.parts[0])
                item, tries = item._replace(parts=item.parts[1:]), 0
            except NotSent as exc:
                item = await self._set_state(item, READY, item.parts)
                pause = PAUSES[min(tries, len(PAUSES) - 1)] if exc.after is None else exc.after
                tries += 1
                await self._wait_or_stop(pause)
                if self.stopping.is_set():
                    return
            except PerhapsSent:
                if item.parts == (self._interrupted_text(),):
                    await self._set_state(item, FAILED)
                    return
                item = await self._set_state(item, READY, (self._interrupted_text(),))
            except Unwanted:
                self.notify(
                    Message("{channel}: the service rejected an answer permanently", channel=self.service.channel)
                )
                await self._set_state(item, FAILED)
                return
        await self._set_state(item, ANSWERED)

    def _interrupted_text(self) -> str:
        return self.voice.say(
            Message("I was interrupted while answering. If there is no complete answer above, please ask again.")
        )


async def _run_in_thread(work: Callable[[], T]) -> T:
    """Return what a function returns, run in a daemon thread: the process need not wait for it to end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle_future(set_: Callable[[object], None], value: object) -> None:
        if not future.done():
            set_(value)

    def run_work() -> None:
        try:
            told: tuple[Callable[[Any], None], Any] = (future.set_result, work())
        except BaseException as exc:
            told = (future.set_exception, exc)
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle_future, *told)

    threading.Thread(target=run_work, daemon=True).start()
    return await future
