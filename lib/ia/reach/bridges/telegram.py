"""`ia listen telegram`: a bot that hears by long polling and answers those on the list.

Each update is kept in ia.db before the next poll acknowledges it; Serving has it answered, and Conversation says what
is said. Only private chats are heard, and of those only whoever is on the list.
"""

import asyncio
import contextlib
import json
import os
import re
import signal
import sqlite3
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from telegram import error

from ia.kernel import audit, clock, config, files
from ia.kernel.errors import ConfigError, IaError, Message, Notify, Refused, TryLater, Unavailable
from ia.kernel.workspace import Workspace
from ia.organs.channels.parts import parts
from ia.organs.channels.telegram import LIMIT, api, units
from ia.reach.bridges import answers, bot_messages
from ia.reach.bridges.answers import Item
from ia.reach.bridges.approving import Approving, Voice
from ia.reach.bridges.bot_api import TOKEN_REFUSED, Bot, quiet, seconds
from ia.reach.bridges.chat import RATE, Conversation, Door, Incoming
from ia.reach.bridges.commands import COMMANDS
from ia.reach.bridges.serving import PAUSES, Serving

CHANNEL = "telegram"
POLL = 30  # seconds that one poll waits for something to come
GRACE = 1.0
"""Seconds that an answer under way has left when the listener is told to end."""
CONFLICTS = 3
"""Polls in a row that another program took away, before we leave the bot to it."""
TRIES_ONCE = 3
T = TypeVar("T")


class Settings(NamedTuple):
    """What `telegram.*` says."""

    token: str
    api: str
    owner: str
    users: frozenset[str]
    codes: str


def settings() -> Settings:
    """Return the settings of the bridge, checked.

    raises  ConfigError where the token or the owner is missing, or one of them is not what it should be.
    """
    token, owner = _token(), config.get("telegram.owner")
    users = config.listed("telegram.users")
    for name, word in (*(("telegram.users", word) for word in users), ("telegram.owner", str(owner or "1"))):
        if not re.fullmatch(r"[1-9][0-9]{0,19}", word):
            raise ConfigError("{name}: {word!r} is not a user id (a number)", name=name, word=word[:40])
    if not owner:
        raise ConfigError(
            "nobody may write to the bot: telegram.owner is not set",
            hint="write to your bot, read your number with `ia listen telegram --who`, then"
            " `ia config set telegram.owner NUMBER`",
        )
    return Settings(token, api(), str(owner), frozenset(users), str(config.get("telegram.codes")))


def _token() -> str:
    token = config.get("telegram.token")
    if not token:
        raise ConfigError(
            "no token of a bot: telegram.token is not set",
            hint="@BotFather gives one; then `ia config secret TELEGRAM_TOKEN`",
        )
    if not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]+", token):
        raise ConfigError("telegram.token is not the token of a bot", hint="@BotFather gives it: 123456:ABC-…")
    return str(token)


def listen(ws: Workspace, voice: Voice, answering: list[str], *, once: bool = False, notify: Notify) -> int:
    """Answer what comes in until a signal ends it, or with `once` what waits; return the signal, 0 without one.

    answering   words of the program that takes one turn; see turning

    raises  Refused inside a task's run; ConfigError (settings); Unavailable (the token is refused); TryLater where
            another program listens already, or with `once` the Bot API cannot be reached.
    """
    if config.run() is not None:
        raise Refused("a scheduled task cannot start a listener")
    chosen = settings()
    quiet()
    with _alone(ws):
        return asyncio.run(_Listener(ws, chosen, voice, answering, once, notify).run())


def who() -> list[dict[str, Any]]:
    """Return who has written to the bot and waits for an answer: number, name as they give it, time (UTC) of the last.

    Nothing is acknowledged: a listener hears all of it later.
    raises  as listen().
    """
    token = _token()
    quiet()

    async def ask() -> list[dict[str, Any]]:
        bot = Bot(token, api())
        try:
            return await bot.updates(0, 0)
        except TOKEN_REFUSED:
            raise _refused() from None
        except Exception:  # whatever answers there, it is no Bot API
            raise _unreachable() from None
        finally:
            await bot.close()

    found: dict[str, dict[str, Any]] = {}
    for update in asyncio.run(ask()):
        message = update.get("message")
        sent = bot_messages.sender(message) if isinstance(message, dict) else None
        if isinstance(message, dict) and sent is not None and sent.private:
            given = bot_messages.clean(message["from"].get("first_name"))
            name = "".join(char if char.isprintable() else " " for char in given)
            at = clock.stamp(datetime.fromtimestamp(sent.at, clock.UTC))
            found[sent.user] = {"id": int(sent.user), "name": " ".join(name.split())[:60], "time": at}
    return list(found.values())


def _refused() -> Unavailable:
    return Unavailable("Telegram refuses the token", hint="@BotFather shows it; is telegram.api the right address?")


def _unreachable() -> TryLater:
    return TryLater("the Bot API cannot be reached", hint="is there a network? telegram.api is its address")


@contextlib.contextmanager
def _alone(ws: Workspace) -> Any:
    """Hold the place of the one listener of a workspace."""
    path = os.path.join(ws.root, ".ia", "telegram.lock")
    files.make_own(path)
    with files.hold_lock(path, follow=False, busy=TryLater("another `ia listen telegram` serves this workspace")):
        yield


class _Listener:
    """One listener: polls, keeps, hands over. It is the Service of its Serving."""

    channel = CHANNEL

    def __init__(
        self, ws: Workspace, chosen: Settings, voice: Voice, answering: list[str], once: bool, notify: Notify
    ) -> None:
        self.answering = answering
        self.ws, self.voice, self.once, self.notify = ws, voice, once, notify
        self.bot = Bot(chosen.token, chosen.api)
        self.door = Door(CHANNEL, chosen.owner, chosen.users, notify)
        approving = Approving(
            voice, aside=notify if chosen.codes == "terminal" else None, stays=not once, notify=notify
        )  # fmt: skip
        self.conversation = Conversation(CHANNEL, chosen.owner, voice, approving, notify=notify)
        self.offset, self.signal, self.me = 0, 0, ""
        self.groups: set[str] = set()
        self.unreachable = False

    # what Serving needs

    def chat(self, item: Item) -> str:
        """Return the chat, which in private is the sender's number."""
        return item.sender

    async def incoming(self, item: Item) -> Incoming:
        """Return a kept message, with the text of its file."""
        message = json.loads(item.content)
        file = bot_messages.document(message)
        text = await self.bot.file(file[0]) if file else None
        return bot_messages.incoming(message, CHANNEL, (file[1], text) if file and text is not None else None)

    def parts(self, text: str) -> tuple[str, ...]:
        """Return a text in pieces of 4096 UTF-16 units."""
        return tuple(parts(text, LIMIT, units)) if text else ()

    async def send(self, chat: str, text: str) -> None:
        """Send one piece."""
        await self.bot.send(chat, text)

    async def busy(self, chat: str) -> None:
        """Show that somebody is writing."""
        await self.bot.typing(chat)

    # listening

    async def run(self) -> int:
        """Listen until a signal comes, or with `once` until nothing waits."""
        self.serving = Serving(self.ws, self, self.conversation, self.answering)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop, number)
        try:
            await self._listening()
            if self.once:
                await self.serving.idle()
        finally:
            await self.serving.close(GRACE)
            await self.bot.close()
        return self.signal

    def _stop(self, number: int) -> None:
        self.signal = number
        self.serving.stopping.set()

    async def _listening(self) -> None:
        me = await self._reached(self.bot.begin)
        if me is None:
            return
        self.me = me
        self.serving.take_up(self.door.lists)
        await self._until_stop(self.bot.menu([(name, self.voice.say(about)) for name, about in COMMANDS.items()]))
        if not self.once:
            self.notify(Message("telegram: listening; Ctrl-C ends it"))
        while not self.serving.stopping.is_set():
            updates = await self._reached(lambda: self.bot.updates(self.offset, 0 if self.once else POLL))
            for update in updates or ():
                try:
                    self._took(update)
                except (IaError, sqlite3.Error) as exc:  # it is not acknowledged, and comes again
                    if self.once:
                        raise
                    self.notify(Message("telegram: a message cannot be kept yet: {reason}", reason=str(exc)[:200]))
                    await self._until_stop(asyncio.sleep(PAUSES[2]))
                    break
                self.offset = update["update_id"] + 1
            if self.once and not updates:
                return

    async def _until_stop(self, work: Awaitable[T]) -> T | None:
        """Return what comes of it; None where we are told to stop before."""
        task, stop = asyncio.ensure_future(work), asyncio.ensure_future(self.serving.stopping.wait())
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if task.done():
            return task.result()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await task
        return None

    async def _reached(self, call: Callable[[], Awaitable[T]]) -> T | None:
        """Return what a call of the Bot API brings, tried until it does; None where we are told to stop.

        raises  Unavailable, ConfigError, TryLater: trying again would not help.
        """
        tries = conflicts = 0
        while True:
            try:
                found = await self._until_stop(call())
            except TOKEN_REFUSED:
                raise _refused() from None
            except error.Conflict as exc:
                conflicts += 1
                if "webhook" in str(exc).lower():
                    raise ConfigError(
                        "the bot sends its messages to a webhook", hint="take that away (deleteWebhook), then listen"
                    ) from None
                if conflicts >= CONFLICTS:
                    raise TryLater(
                        "another program reads the messages of this bot", hint="end it, then listen"
                    ) from None
                pause = PAUSES[conflicts - 1]
            except error.RetryAfter as exc:
                pause = seconds(exc)
            except (IaError, sqlite3.Error):
                raise
            except Exception:  # no connection; or whatever answers there is no Bot API
                pause = PAUSES[min(tries, len(PAUSES) - 1)]
                tries += 1
                if self.once and tries >= TRIES_ONCE:
                    raise _unreachable() from None
                if not self.unreachable and tries > 1:
                    self.unreachable = True
                    self.notify(Message("telegram: the Bot API cannot be reached; trying again"))
            else:
                if self.unreachable and found is not None:
                    self.unreachable = False
                    self.notify(Message("telegram: the Bot API is reached again"))
                return found
            await self._until_stop(asyncio.sleep(pause))
            if self.serving.stopping.is_set():
                return None

    def _took(self, update: dict[str, Any]) -> None:
        """Keep a message and have it answered, if it is from somebody who may write.

        raises  IaError, sqlite3.Error where it cannot be kept.
        """
        message = update.get("message")
        if not isinstance(message, dict) or (sent := bot_messages.sender(message)) is None:
            return
        if not sent.private:
            if sent.chat not in self.groups and len(self.groups) < 20:
                self.groups.add(sent.chat)
                self.notify(Message("telegram: chat {chat} is not a private one; it is not heard", chat=sent.chat))
            return
        if not self.door.admits(self.ws, sent.user):
            return
        pace = self.door.hurried(sent.user, sent.at)
        if pace == "drop":
            return
        item = answers.keep(
            self.ws,
            CHANNEL,
            f"{self.me}:{update['update_id']}:{message.get('message_id')}",
            sent.user,
            json.dumps(message),
        )
        if item is None:
            return
        audit.record(self.ws.db, "message.received", f"{CHANNEL} {sent.user}", CHANNEL, update=update["update_id"])
        if pace:
            told = Message(
                "that is too fast: I read {count} messages a minute. What came since was not read.", count=RATE
            )
            item = answers.move(self.ws, item, answers.READY, (self.voice.say(told),))
        self.serving.put(item)
