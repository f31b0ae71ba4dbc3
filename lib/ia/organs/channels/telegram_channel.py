"""Telegram as a channel: `telegram:CHAT`, over the Bot API's sendMessage. The token is `telegram.token`."""

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ia.kernel import config
from ia.kernel.errors import ConfigError, TryLater, Unavailable
from ia.kernel.jsontypes import Json
from ia.organs.channels.channel_registry import Unsent, connection_failure, partial_failure
from ia.organs.channels.splitting import split_message

LIMIT = 4096  # UTF-16 units in one message
TIMEOUT = 15.0  # seconds without a byte
PATIENCE = 10  # seconds that we wait where Telegram asks for them
MAX_ANSWER = 1_000_000  # bytes


class Telegram:
    """A chat with the user's bot: `telegram:123456`, `telegram:-100123…` (a group) or `telegram:@channel`."""

    def __init__(self, address: str) -> None:
        chat = address.partition(":")[2].strip()
        if not re.fullmatch(r"-?[0-9]{1,20}|@[A-Za-z0-9_]{4,40}", chat):
            raise ConfigError("the telegram address is incomplete", hint="write telegram:CHAT with a number or @name")
        token = config.get_setting("telegram.token")
        if not token:
            raise ConfigError("telegram.token is not set", hint="set it with `ia config secret TELEGRAM_TOKEN`")
        if not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]+", token):
            raise ConfigError(
                "telegram.token is not a valid bot token", hint="get one from @BotFather; it looks like 123456:ABC…"
            )
        self._chat: int | str = chat if chat.startswith("@") else int(chat)
        self._secret = token.partition(":")[2]
        self._url = f"{api_base()}/bot{token}/sendMessage"
        self._opener = urllib.request.build_opener(_Stay)

    def send(self, text: str, title: str = "") -> None:
        """Deliver a text as it is: without markup, without previews of links, in parts of 4096 UTF-16 units.

        raises  TryLater, Unavailable.
        """
        pieces = split_message(f"{title}\n\n{text}" if title else text, LIMIT, count_units)
        for number, part in enumerate(pieces):
            body = {"chat_id": self._chat, "text": part, "link_preview_options": {"is_disabled": True}}
            try:
                self._deliver(body)
            except (TryLater, Unavailable) as exc:
                raise partial_failure(exc, number, len(pieces)) from None

    def _deliver(self, body: Mapping[str, object]) -> None:
        code, answer = self._request_answer(body)
        wait = _retry_seconds(answer)
        if code == 429 and 0 < wait <= PATIENCE:  # it was not taken, so asking again repeats nothing
            time.sleep(wait)
            code, answer = self._request_answer(body)
        if code != 200 or answer.get("ok") is not True:
            raise _explain_refusal(code, answer, self._secret)

    def _request_answer(self, body: Mapping[str, object]) -> tuple[int, Json]:
        """Return the status and the answer of one request.

        raises  TryLater where there is none.
        """
        request = urllib.request.Request(
            self._url, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
        )
        try:
            try:
                with self._opener.open(request, timeout=TIMEOUT) as response:
                    return response.status, _read_answer(response)
            except urllib.error.HTTPError as refusal:
                with refusal:
                    return refusal.code, _read_answer(refusal)
        except urllib.error.URLError as exc:  # before the request was out
            raise connection_failure("telegram", f"{type(exc.reason).__name__} {exc.reason}") from None
        except (OSError, http.client.HTTPException):
            raise TryLater("{scheme}: no response; the message may have arrived", scheme="telegram") from None


def api_base() -> str:
    """Return where the Bot API answers.

    raises  ConfigError where the token would go over the network in the clear.
    """
    base = str(config.get_setting("telegram.api")).rstrip("/")
    if not re.fullmatch(r"[!-~]+", base) or set(base) & set("@?#\\") or not _is_encrypted(base):
        raise ConfigError(
            "telegram.api is not an https address",
            hint="use an https:// address; the default is https://api.telegram.org",
        )
    return base


def _is_encrypted(base: str) -> bool:
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


def count_units(text: str) -> int:
    """Return the length of a text as Telegram counts it: UTF-16 units."""
    return len(text) + sum(char > "\uffff" for char in text)


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the token stands in the address."""

    def redirect_request(self, *_: object) -> None:
        return None


def _read_answer(response: Any) -> Json:
    try:
        answer = json.loads(response.read(MAX_ANSWER))
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _retry_seconds(answer: Mapping[str, object]) -> int:
    parameters = answer.get("parameters")
    wait = parameters.get("retry_after") if isinstance(parameters, dict) else None
    return wait if isinstance(wait, int) else 0


def _explain_refusal(code: int, answer: Mapping[str, object], secret: str) -> TryLater | Unavailable:
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
