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
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from telegram import error

from ia.kernel import audit, clock, config, files
from ia.kernel.errors import ConfigError, IaError, Message, Notify, Refused, TryLater, Unavailable
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.channels.splitting import split_message
from ia.organs.channels.telegram_channel import LIMIT, api_base, count_units
from ia.reach.bridges import bot_messages, message_store
from ia.reach.bridges.bot_api import TOKEN_REFUSED, Bot, retry_delay, silence_loggers
from ia.reach.bridges.chat import RATE, Conversation, Door, Incoming
from ia.reach.bridges.chat_approval import Approving, ListenerVoice
from ia.reach.bridges.chat_commands import COMMANDS
from ia.reach.bridges.chat_forms import BUTTONS, decode_part
from ia.reach.bridges.chat_service import PAUSES, Serving
from ia.reach.bridges.message_store import Item

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


def load_settings() -> Settings:
    """Return the settings of the bridge, checked.

    raises  ConfigError where the token or the owner is missing, or one of them is not what it should be.
    """
    token, owner = _load_token(), config.get_setting("telegram.owner")
    users = config.get_setting_words("telegram.users")
    for name, word in (*(("telegram.users", word) for word in users), ("telegram.owner", str(owner or "1"))):
        if not re.fullmatch(r"[1-9][0-9]{0,19}", word):
            raise ConfigError("{name}: {word!r} is not a user id (a number)", name=name, word=word[:40])
    if not owner:
        raise ConfigError(
            "telegram.owner is not set, so nobody can write to the bot",
            hint="send your bot a message, find your user ID with `ia listen telegram --who`, then run `ia config "
            "set telegram.owner NUMBER`",
        )
    return Settings(
        token=token,
        api=api_base(),
        owner=str(owner),
        users=frozenset(users),
        codes=str(config.get_setting("telegram.codes")),
    )


def _load_token() -> str:
    token = config.get_setting("telegram.token")
    if not token:
        raise ConfigError(
            "the bot token (telegram.token) is not set",
            hint="get one from @BotFather, then run `ia config secret TELEGRAM_TOKEN`",
        )
    if not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]+", token):
        raise ConfigError("telegram.token must be a bot token", hint="copy it from @BotFather: 123456:ABC-…")
    return str(token)


def run_listener(
    ws: Workspace, voice: ListenerVoice, answering: list[str], *, once: bool = False, notify: Notify
) -> int:
    """Answer what comes in until a signal ends it, or with `once` what waits; return the signal, 0 without one.

    answering   words of the program that takes one turn; see turning

    raises  Refused inside a task's run; ConfigError (settings); Unavailable (the token is refused); TryLater where
            another program listens already, or with `once` the Bot API cannot be reached.
    """
    if config.run_number() is not None:
        raise Refused("a scheduled task cannot start a listener")
    chosen = load_settings()
    silence_loggers()
    with _hold_listener_lock(ws):
        return asyncio.run(_TelegramListener(ws, chosen, voice, answering, once, notify).run_until_stopped())


def list_senders() -> list[Json]:
    """Return who has written to the bot and waits for an answer: number, name as they give it, time (UTC) of the last.

    Nothing is acknowledged: a listener hears all of it later.
    raises  as listen().
    """
    token = _load_token()
    silence_loggers()

    async def poll_once() -> list[Json]:
        bot = Bot(token, api_base())
        try:
            return await bot.poll_updates(0, 0)
        except TOKEN_REFUSED:
            raise _token_refused_error() from None
        except Exception:  # whatever answers there, it is no Bot API
            raise _unreachable_error() from None
        finally:
            await bot.close()

    found: dict[str, Json] = {}
    for update in asyncio.run(poll_once()):
        message = update.get("message")
        sent = bot_messages.parse_sender(message) if isinstance(message, dict) else None
        if isinstance(message, dict) and sent is not None and sent.private:
            given = bot_messages.clean_text(message["from"].get("first_name"))
            name = "".join(char if char.isprintable() else " " for char in given)
            at = clock.utc_stamp(datetime.fromtimestamp(sent.at, clock.UTC))
            found[sent.user] = {"id": int(sent.user), "name": " ".join(name.split())[:60], "time": at}
    return list(found.values())


def _token_refused_error() -> Unavailable:
    return Unavailable(
        "Telegram rejected the token", hint="compare the token with the one from @BotFather, and check telegram.api"
    )


def _unreachable_error() -> TryLater:
    return TryLater("cannot reach the Bot API", hint="check the network and the address in telegram.api")


@contextlib.contextmanager
def _hold_listener_lock(ws: Workspace) -> Any:
    """Hold the place of the one listener of a workspace."""
    path = os.path.join(ws.root, ".ia", "telegram.lock")
    files.make_private_parent(path)
    with files.hold_lock(
        path, follow=False, busy=TryLater("another `ia listen telegram` is running for this workspace")
    ):
        yield


class _TelegramListener:
    """One listener: polls, keeps, hands over. It is the Service of its Serving."""

    channel = CHANNEL

    def __init__(
        self, ws: Workspace, chosen: Settings, voice: ListenerVoice, answering: list[str], once: bool, notify: Notify
    ) -> None:
        self.answering = answering
        self.ws, self.voice, self.once, self.notify = ws, voice, once, notify
        self.bot = Bot(chosen.token, chosen.api)
        self.door = Door(CHANNEL, chosen.owner, chosen.users, notify)
        approving = Approving(
            voice, aside=notify if chosen.codes == "terminal" else None, stays=not once, notify=notify
        )
        self.conversation = Conversation(CHANNEL, chosen.owner, voice, approving, notify=notify)
        self.offset, self.signal, self.me = 0, 0, ""
        self.groups: set[str] = set()
        self.unreachable = False

    # what Serving needs

    def chat_id(self, item: Item) -> str:
        """Return the chat, which in private is the sender's number."""
        return item.sender

    async def load_incoming(self, item: Item) -> Incoming:
        """Return a kept message, with the text of its file."""
        message = json.loads(item.content)
        file = bot_messages.find_document(message)
        text = await self.bot.download_text(file[0]) if file else None
        return bot_messages.parse_message(message, CHANNEL, (file[1], text) if file and text is not None else None)

    def split_text(self, text: str) -> tuple[str, ...]:
        """Return a text in pieces of 4096 UTF-16 units; a message with buttons is one, the last."""
        words, mark, buttons = text.partition(BUTTONS)
        parts = tuple(split_message(words, LIMIT, count_units)) if words else ()
        return (*parts, mark + buttons) if mark else parts

    async def send_part(self, chat: str, text: str) -> None:
        """Send one piece."""
        message = decode_part(text)
        await self.bot.send_message(chat, message.text, message.buttons)

    async def show_busy(self, chat: str) -> None:
        """Show that somebody is writing."""
        await self.bot.show_typing(chat)

    # listening

    async def run_until_stopped(self) -> int:
        """Listen until a signal comes, or with `once` until nothing waits."""
        self.serving = Serving(self.ws, self, self.conversation, self.answering)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop_on_signal, number)
        try:
            await self._poll_messages()
            if self.once:
                await self.serving.wait_until_idle()
        finally:
            await self.serving.close(GRACE)
            await self.bot.close()
        return self.signal

    def _stop_on_signal(self, number: int) -> None:
        self.signal = number
        self.serving.stopping.set()

    async def _poll_messages(self) -> None:
        me = await self._call_until_reached(self.bot.connect)
        if me is None:
            return
        self.me = me
        self.serving.resume_unanswered(self.door.is_listed)
        await self._await_or_stop(
            self.bot.set_menu([(name, self.voice.say(about)) for name, about in COMMANDS.items()])
        )
        if not self.once:
            self.notify(Message("telegram: listening; press Ctrl-C to stop"))
        while not self.serving.stopping.is_set():
            updates = await self._call_until_reached(
                lambda: self.bot.poll_updates(self.offset, 0 if self.once else POLL)
            )
            for update in updates or ():
                try:
                    self._handle_update(update)
                except (IaError, sqlite3.Error) as exc:  # it is not acknowledged, and comes again
                    if self.once:
                        raise
                    self.notify(
                        Message("telegram: cannot store a message: {reason}; ia will retry", reason=str(exc)[:200])
                    )
                    await self._await_or_stop(asyncio.sleep(PAUSES[2]))
                    break
                self.offset = update["update_id"] + 1
            if self.once and not updates:
                return

    async def _await_or_stop(self, work: Awaitable[T]) -> T | None:
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

    async def _call_until_reached(self, call: Callable[[], Awaitable[T]]) -> T | None:
        """Return what a call of the Bot API brings, tried until it does; None where we are told to stop.

        raises  Unavailable, ConfigError, TryLater: trying again would not help.
        """
        tries = conflicts = 0
        while True:
            try:
                found = await self._await_or_stop(call())
            except TOKEN_REFUSED:
                raise _token_refused_error() from None
            except error.Conflict as exc:
                conflicts += 1
                if "webhook" in str(exc).lower():
                    raise ConfigError(
                        "the bot already sends its messages to a webhook",
                        hint="remove the webhook (deleteWebhook), then start again",
                    ) from None
                if conflicts >= CONFLICTS:
                    raise TryLater(
                        "another program is reading this bot's messages", hint="stop it, then start again"
                    ) from None
                pause = PAUSES[conflicts - 1]
            except error.RetryAfter as exc:
                pause = retry_delay(exc)
            except (IaError, sqlite3.Error):
                raise
            except Exception:  # no connection; or whatever answers there is no Bot API
                pause = PAUSES[min(tries, len(PAUSES) - 1)]
                tries += 1
                if self.once and tries >= TRIES_ONCE:
                    raise _unreachable_error() from None
                if not self.unreachable and tries > 1:
                    self.unreachable = True
                    self.notify(Message("telegram: cannot reach the Bot API; retrying"))
            else:
                if self.unreachable and found is not None:
                    self.unreachable = False
                    self.notify(Message("telegram: reconnected to the Bot API"))
                return found
            await self._await_or_stop(asyncio.sleep(pause))
            if self.serving.stopping.is_set():
                return None

    def _handle_update(self, update: Mapping[str, object]) -> None:
        """Keep a message and have it answered, if it is from somebody who may write.

        raises  IaError, sqlite3.Error where it cannot be kept.
        """
        message = update.get("message")
        if isinstance(query := update.get("callback_query"), dict):
            message = bot_messages.read_button(query, clock.wall_time().timestamp())
            self._answering = asyncio.get_running_loop().create_task(self.bot.stop_waiting(str(query.get("id"))))
        if not isinstance(message, dict) or (sent := bot_messages.parse_sender(message)) is None:
            return
        if not sent.private:
            if sent.chat not in self.groups and len(self.groups) < 20:
                self.groups.add(sent.chat)
                self.notify(Message("telegram: chat {chat} is not private; ia ignores it", chat=sent.chat))
            return
        if not self.door.admits(self.ws, sent.user):
            return
        pace = self.door.check_pace(sent.user, sent.at)
        if pace == "drop":
            return
        item = message_store.store_message(
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
                "You are sending too fast: I read {count} messages a minute. I did not read the later ones.", count=RATE
            )
            item = message_store.set_message_state(self.ws, item, message_store.READY, (self.voice.say(told),))
        self.serving.enqueue_message(item)
