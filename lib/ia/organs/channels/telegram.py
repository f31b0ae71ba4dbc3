"""Telegram as a channel: `telegram:CHAT`, over the Bot API's sendMessage. The token is `telegram.token`."""

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from ia.kernel import config
from ia.kernel.errors import ConfigError, TryLater, Unavailable
from ia.organs.channels.known import Unsent, cut_off, unreached
from ia.organs.channels.parts import parts

LIMIT = 4096  # UTF-16 units in one message
TIMEOUT = 15.0  # seconds without a byte
PATIENCE = 10  # seconds that we wait where Telegram asks for them
MAX_ANSWER = 1_000_000  # bytes


class Telegram:
    """A chat with the user's bot: `telegram:123456`, `telegram:-100123…` (a group) or `telegram:@channel`."""

    def __init__(self, address: str) -> None:
        chat = address.partition(":")[2].strip()
        if not re.fullmatch(r"-?[0-9]{1,20}|@[A-Za-z0-9_]{4,40}", chat):
            raise ConfigError("the telegram address is not complete", hint="telegram:CHAT, a number or @name")
        token = config.get("telegram.token")
        if not token:
            raise ConfigError("telegram.token is not set", hint="`ia config secret TELEGRAM_TOKEN`")
        if not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]+", token):
            raise ConfigError("telegram.token is not a bot's token", hint="@BotFather gives one: 123456:ABC…")
        self._chat: int | str = chat if chat.startswith("@") else int(chat)
        self._secret = token.partition(":")[2]
        self._url = f"{api()}/bot{token}/sendMessage"
        self._opener = urllib.request.build_opener(_Stay)

    def send(self, text: str, title: str = "") -> None:
        """Deliver a text as it is: without markup, without previews of links, in parts of 4096 UTF-16 units.

        raises  TryLater, Unavailable.
        """
        pieces = parts(f"{title}\n\n{text}" if title else text, LIMIT, units)
        for number, part in enumerate(pieces):
            body = {"chat_id": self._chat, "text": part, "link_preview_options": {"is_disabled": True}}
            try:
                self._deliver(body)
            except (TryLater, Unavailable) as exc:
                raise cut_off(exc, number, len(pieces)) from None

    def _deliver(self, body: dict[str, Any]) -> None:
        code, answer = self._asked(body)
        wait = _wait(answer)
        if code == 429 and 0 < wait <= PATIENCE:  # it was not taken, so asking again repeats nothing
            time.sleep(wait)
            code, answer = self._asked(body)
        if code != 200 or answer.get("ok") is not True:
            raise _failure(code, answer, self._secret)

    def _asked(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the answer of one request.

        raises  TryLater where there is none.
        """
        request = urllib.request.Request(
            self._url, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
        )
        try:
            try:
                with self._opener.open(request, timeout=TIMEOUT) as response:
                    return response.status, _read(response)
            except urllib.error.HTTPError as refusal:
                with refusal:
                    return refusal.code, _read(refusal)
        except urllib.error.URLError as exc:  # before the request was out
            raise unreached("telegram", f"{type(exc.reason).__name__} {exc.reason}") from None
        except (OSError, http.client.HTTPException):
            raise TryLater("{scheme}: no answer; it may have arrived", scheme="telegram") from None


def api() -> str:
    """Return where the Bot API answers.

    raises  ConfigError where the token would go over the network in the clear.
    """
    base = str(config.get("telegram.api")).rstrip("/")
    if not re.fullmatch(r"[!-~]+", base) or set(base) & set("@?#\\") or not _encrypted(base):
        raise ConfigError("telegram.api is not an https address", hint="the default is https://api.telegram.org")
    return base


def _encrypted(base: str) -> bool:
    """Whether what goes to an address can be read by its host alone."""
    try:
        parts = urlsplit(base)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    literal = parts.netloc.startswith("[")
    if not host or not re.fullmatch(
        r"\[[0-9a-f:.]+\](:\d+)?" if literal else r"[a-z0-9._-]+(:\d+)?", parts.netloc, re.I
    ):
        return False  # some Pythons read `[::1].evil` as ::1, and then connect elsewhere
    return parts.scheme == "https" or (parts.scheme == "http" and host in ("127.0.0.1", "localhost", "::1"))


def units(text: str) -> int:
    """Return the length of a text as Telegram counts it: UTF-16 units."""
    return len(text) + sum(char > "\uffff" for char in text)


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the token stands in the address."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _read(response: Any) -> dict[str, Any]:
    try:
        answer = json.loads(response.read(MAX_ANSWER))
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _wait(answer: dict[str, Any]) -> int:
    parameters = answer.get("parameters")
    wait = parameters.get("retry_after") if isinstance(parameters, dict) else None
    return wait if isinstance(wait, int) else 0


def _failure(code: int, answer: dict[str, Any], secret: str) -> TryLater | Unavailable:
    """Return what a refusal means.

    Its description is Telegram's own, short text. One that repeats the path is not told: the token stands in it.
    """
    kind = Unsent if code == 429 else TryLater if code >= 500 or code in (408, 425) else Unavailable
    told = str(answer.get("description") or "").split(": ")[-1]
    if secret in told or "/bot" in told.lower():
        told = ""
    said = " ".join("".join(c for c in told if c.isprintable()).split())[:120]
    if said:
        return kind("{scheme}: HTTP status {status} ({reason})", scheme="telegram", status=code, reason=said)
    return kind("{scheme}: HTTP status {status}", scheme="telegram", status=code)
