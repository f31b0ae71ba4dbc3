"""The calls of the Telegram Bot API that a listener makes, and what can go wrong with each.

Nothing of what the library says is passed on, since it may hold the address of a call, and that holds the token.
"""

import asyncio
import contextlib
import logging
import warnings
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import httpx
import telegram
from telegram import error
from telegram.request import HTTPXRequest

from ia.kernel.errors import ConfigError
from ia.kernel.jsontypes import Json
from ia.reach.bridges import bot_messages
from ia.reach.bridges.chat_service import NotSent, PerhapsSent, Unwanted

TOKEN_REFUSED = (error.InvalidToken, error.EndPointNotFound)
_UNSENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol", "ProxyError")
"""What httpx raises before anything of a request has left."""
_LOST = ("httpx.", "Unknown", "Gateway Time")
"""How the library's messages begin where nobody said what became of a request."""


FILE_TIME = 20.0
"""Seconds for a whole file, however slowly it comes."""


class Bot:
    """The calls of the Bot API that we make, with what goes wrong in three kinds. See serving.Service."""

    def __init__(self, token: str, api: str) -> None:
        self._files = f"{api}/file/bot{token}"
        try:
            calls = HTTPXRequest(connection_pool_size=16, read_timeout=20, connect_timeout=10, pool_timeout=20)
            polls = HTTPXRequest(connection_pool_size=2, connect_timeout=10)
        except (RuntimeError, ValueError):  # ALL_PROXY and its likes, read by httpx
            raise ConfigError(
                "cannot use the proxy set in the environment",
                hint="set an http:// proxy in HTTPS_PROXY; for socks5://, install httpx[socks]",
            ) from None
        self._requests = (calls, polls)
        self._bot = telegram.Bot(
            token, base_url=f"{api}/bot", base_file_url=f"{api}/file/bot", request=calls, get_updates_request=polls
        )

    async def connect(self) -> str:
        """Return the bot's number; makes the connections.

        raises  TelegramError.
        """
        await self._bot.initialize()
        return str(self._bot.id)

    async def close(self) -> None:
        """Close the connections."""
        for request in self._requests:
            with contextlib.suppress(Exception):
                await request.shutdown()

    async def poll_updates(self, offset: int, wait: int) -> list[Json]:
        """Return what came since; waits so many seconds for something to come.

        raises  TelegramError, and TypeError for what is no list of updates.
        """
        found: Any = await self._bot.do_api_request(
            "getUpdates",
            {"offset": offset, "timeout": wait, "allowed_updates": ["message", "callback_query"]},
            read_timeout=wait + 15,
        )
        if not isinstance(found, list) or not all(
            isinstance(u, dict) and type(u.get("update_id")) is int for u in found
        ):
            raise TypeError("no list of updates")
        return found

    async def set_menu(self, commands: list[tuple[str, str]]) -> None:
        """Tell Telegram what to offer; that it cannot is no matter."""
        with contextlib.suppress(Exception):
            await self._bot.set_my_commands(commands)

    async def download_text(self, id: str) -> str | None:
        """Return the text of a file; None where it cannot be had, or is no text."""
        try:
            found = await self._bot.do_api_request("getFile", {"file_id": id})
            raw = b""
            address = f"{self._files}/{quote(str(found['file_path']))}"
            async with (
                asyncio.timeout(FILE_TIME),
                httpx.AsyncClient() as client,
                client.stream("GET", address) as answer,
            ):
                answer.raise_for_status()
                async for piece in answer.aiter_bytes():
                    raw += piece
                    if len(raw) > bot_messages.MAX_FILE:
                        return None
            return raw.decode("utf-8-sig")
        except Exception:
            return None

    async def send_message(self, chat: str, text: str, buttons: Sequence[tuple[str, str]] = ()) -> None:
        """Send one message: nothing in it is markup, and no link shows a preview, which its server would learn of.

        buttons  (title, what it sends back), one a row
        """
        rows = [[telegram.InlineKeyboardButton(title, callback_data=data)] for title, data in buttons]
        try:
            await self._bot.send_message(
                int(chat),
                text,
                link_preview_options=telegram.LinkPreviewOptions(is_disabled=True),
                reply_markup=telegram.InlineKeyboardMarkup(rows) if rows else None,
            )
        except error.RetryAfter as exc:
            raise NotSent(retry_delay(exc)) from None
        except (error.BadRequest, error.Forbidden, error.ChatMigrated):
            raise Unwanted from None
        except (error.InvalidToken, error.Conflict):
            raise NotSent from None
        except (error.TimedOut, error.NetworkError) as exc:
            if type(exc.__cause__).__name__ in _UNSENT:
                raise NotSent from None
            if isinstance(exc, error.TimedOut) or str(exc).startswith(_LOST):
                raise PerhapsSent from None
            raise NotSent from None  # the server said that it failed
        except Exception:  # it was answered, but by nothing that we understand
            raise PerhapsSent from None

    async def stop_waiting(self, query: str) -> None:
        """Tell Telegram that a pressed button was taken."""
        with contextlib.suppress(Exception):
            await self._bot.answer_callback_query(query)

    async def show_typing(self, chat: str) -> None:
        """Show that somebody is writing."""
        with contextlib.suppress(Exception):
            await self._bot.send_chat_action(int(chat), telegram.constants.ChatAction.TYPING)


def retry_delay(exc: error.RetryAfter) -> float:
    """Return how long the server asks us to wait; an hour at most."""
    told = exc.retry_after
    wait = told.total_seconds() if isinstance(told, timedelta) else told
    return min(max(float(wait), 1.0), 3600.0) if isinstance(wait, int | float) else 1.0


def silence_loggers() -> None:
    """Keep the libraries' own logs and warnings, which hold addresses and bodies, away from the terminal."""
    for name in ("telegram", "httpx", "httpcore"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    warnings.filterwarnings("ignore", category=UserWarning, module="telegram|ia.reach.bridges")
