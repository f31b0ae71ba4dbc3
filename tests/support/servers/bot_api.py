"""A Telegram Bot API server on loopback that speaks the real protocol, and all that can go wrong on the way.

    with BotServer() as server:
        server.use(monkeypatch)                     # telegram.api and telegram.token are now this server's
        server.say(OWNER, "你好")                    # a private message of the user OWNER
        server.sent_to(OWNER, 1)                    # waits for an answer and returns the texts sent so far

As the real one does, it takes form and JSON bodies, keeps an update until a later offset acknowledges it, holds a poll
open until something comes, ends the older of two polls with 409, and refuses texts that are empty or too long.
`plan(method, failure, …)` makes the next calls of a method fail; a function sees the call and returns one or None.
"""

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote

from support.program import program

TOKEN = "7001001:AAE-of_the_bot_on_loopback_0123456789"
OWNER, FRIEND, STRANGER = 41, 42, 66
NAMES = {OWNER: "Wei", FRIEND: "Ann", STRANGER: "Mallory"}


@dataclass
class Failure:
    """An answer that is no success.

    html    a body that is no JSON
    after   the method is carried out all the same, and only the answer is lost
    cut     the connection is closed without an answer
    hang    seconds before anything is answered
    """

    status: int = 500
    description: str = "Internal Server Error"
    parameters: dict[str, Any] | None = None
    html: str = ""
    after: bool = False
    cut: bool = False
    hang: float = 0.0


UNAUTHORIZED = Failure(401, "Unauthorized")
BLOCKED = Failure(403, "Forbidden: bot was blocked by the user")
WEBHOOK = Failure(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete it")
CONFLICT = Failure(
    409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
)
GATEWAY = Failure(502, html="<html><body><h1>502 Bad Gateway</h1></body></html>")
GARBAGE = Failure(200, html="{this is no JSON")
CUT = Failure(cut=True)
LOST = Failure(cut=True, after=True)


def too_many(seconds: int) -> Failure:
    """Return what Telegram says to who is too fast."""
    return Failure(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})


@dataclass
class Call:
    """A call of a method as it came."""

    method: str
    arguments: dict[str, Any]
    at: float = field(default_factory=time.monotonic)


Plan = Failure | Callable[[Call], "Failure | None"]


class BotServer:
    """The server, from `with` to its end."""

    def __init__(self, token: str = TOKEN) -> None:
        self.token = token
        self.calls: list[Call] = []
        self.sent: list[tuple[int, str]] = []
        self.files: dict[str, bytes] = {}
        self.closing = False
        self._updates: list[dict[str, Any]] = []
        self._plans: dict[str, list[Plan]] = {}
        self._next, self._messages, self._poll = 500_000_001, 0, 0
        self._state = threading.Condition()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"bot": self}))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> "BotServer":
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._state:
            self.closing = True
            self._state.notify_all()
        self._http.shutdown()
        self._http.server_close()

    def use(self, monkeypatch: Any, owner: int | None = OWNER, users: str = "") -> None:
        """Make this server the Bot API of ia, with its token in the environment."""
        monkeypatch.setenv("TELEGRAM_TOKEN", self.token)
        monkeypatch.setenv("IA_TELEGRAM_API", self.url)
        if owner is not None:
            monkeypatch.setenv("IA_TELEGRAM_OWNER", str(owner))
        if users:
            monkeypatch.setenv("IA_TELEGRAM_USERS", users)
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.delenv(name, raising=False)

    # what people and tests do

    def say(self, user: int, text: str | None = None, **fields: Any) -> int:
        """Let a user write to the bot in private; return the update's number. `fields` go into the message."""
        message: dict[str, Any] = {
            "from": {"id": user, "is_bot": False, "first_name": NAMES.get(user, "Somebody"), "language_code": "en"},
            "chat": {"id": user, "type": "private", "first_name": NAMES.get(user, "Somebody")},
        }  # fmt: skip
        if text is not None:
            message["text"] = text
            if text.startswith("/"):
                size = len(text.split()[0])
                message["entities"] = [{"offset": 0, "length": size, "type": "bot_command"}]
        return self.update(message={**message, **fields})

    def press(self, user: int, data: str) -> int:
        """Let a user press a button of the bot's."""
        chat = {"id": user, "type": "private", "first_name": NAMES.get(user, "Somebody")}
        who = {"id": user, "is_bot": False, "first_name": NAMES.get(user, "Somebody")}
        message = {"message_id": 1, "date": int(time.time()), "chat": chat}
        return self.update(
            callback_query={"id": str(self._next), "from": who, "message": message, "chat_instance": "1", "data": data}
        )

    def buttons(self) -> dict[str, str]:
        """Return title -> data of the buttons of the message that was sent last."""
        markup = self.made("sendMessage")[-1].get("reply_markup") or "{}"
        rows = (json.loads(markup) if isinstance(markup, str) else markup).get("inline_keyboard", [])
        return {each["text"]: each["callback_data"] for row in rows for each in row}

    def update(self, **kinds: Any) -> int:
        """Put any update into the queue; a message gets its number and date."""
        with self._state:
            number = self._next
            self._next += 1
            if isinstance(kinds.get("message"), dict):
                self._messages += 1
                kinds["message"] = {"message_id": self._messages, "date": int(time.time()), **kinds["message"]}
            self._updates.append({"update_id": number, **kinds})
            self._state.notify_all()
            return number

    def plan(self, method: str, *plans: Plan) -> None:
        """Let the next calls of a method fail in this order."""
        with self._state:
            self._plans.setdefault(method, []).extend(plans)

    def sent_to(self, user: int, count: int = 1, seconds: float = 90.0) -> list[str]:
        """Return the texts that were sent to a user, once there are so many; what there is when time is up."""
        deadline = time.monotonic() + seconds
        with self._state:
            while True:
                texts = [text for chat, text in self.sent if chat == user]
                left = deadline - time.monotonic()
                if len(texts) >= count or left <= 0:
                    return texts
                self._state.wait(left)

    def until(self, done: Callable[[], Any], seconds: float = 90.0) -> bool:
        """Wait until something is true of this server; return whether it became so."""
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def made(self, method: str) -> list[dict[str, Any]]:
        """Return the arguments of the calls of a method."""
        return [call.arguments for call in list(self.calls) if call.method == method]

    @property
    def waiting(self) -> int:
        """How many updates are not acknowledged."""
        with self._state:
            return len(self._updates)

    # what the API does

    def answer(self, token: str, method: str, arguments: dict[str, Any]) -> Any:
        """Return the result of a method, or a Failure."""
        call = Call(method, arguments)
        with self._state:
            self.calls.append(call)
            waiting = self._plans.get(method)
            plan = waiting.pop(0) if waiting else None
        failure = plan(call) if callable(plan) else plan
        if failure is not None and not failure.after:
            return failure
        if token != self.token:
            return UNAUTHORIZED
        handler = getattr(self, f"_{method}", None)
        if handler is None:
            return Failure(404, "Not Found")
        result = handler(arguments)
        return failure or result

    def _getMe(self, _: dict[str, Any]) -> Any:
        number = int(self.token.split(":")[0])
        return {"id": number, "is_bot": True, "first_name": "ia", "username": "ia_loopback_bot",
                "can_join_groups": True, "can_read_all_group_messages": False, "supports_inline_queries": False}  # fmt: skip

    def _getUpdates(self, arguments: dict[str, Any]) -> Any:
        offset, wait = int(arguments.get("offset") or 0), float(arguments.get("timeout") or 0)
        limit = int(arguments.get("limit") or 100)
        allowed = arguments.get("allowed_updates")
        allowed = json.loads(allowed) if isinstance(allowed, str) else allowed
        deadline = time.monotonic() + wait
        with self._state:
            self._poll += 1
            mine = self._poll
            self._state.notify_all()
            if offset > 0:
                self._updates = [update for update in self._updates if update["update_id"] >= offset]
            while True:
                if self._poll != mine:
                    return CONFLICT
                found = [u for u in self._updates if not allowed or set(u) & set(allowed) or u.get("anyway")]
                left = deadline - time.monotonic()
                if found or left <= 0 or self.closing:
                    return [{k: v for k, v in update.items() if k != "anyway"} for update in found[:limit]]
                self._state.wait(left)

    def _sendMessage(self, arguments: dict[str, Any]) -> Any:
        text, chat = str(arguments.get("text") or ""), int(arguments.get("chat_id") or 0)
        if not text.strip():
            return Failure(400, "Bad Request: message text is empty")
        if len(text.encode("utf-16-le")) // 2 > 4096:
            return Failure(400, "Bad Request: message is too long")
        markup = arguments.get("reply_markup") or "{}"
        rows = (json.loads(markup) if isinstance(markup, str) else markup).get("inline_keyboard", [])
        if any(not 1 <= len(each["callback_data"].encode()) <= 64 or not each["text"] for row in rows for each in row):
            return Failure(400, "Bad Request: BUTTON_DATA_INVALID")
        if "parse_mode" in arguments:
            return Failure(400, "Bad Request: can't parse entities")
        with self._state:
            self._messages += 1
            self.sent.append((chat, text))
            self._state.notify_all()
            return {"message_id": self._messages, "date": int(time.time()), "text": text,
                    "chat": {"id": chat, "type": "private"}, "from": self._getMe({})}  # fmt: skip

    def _answerCallbackQuery(self, _: dict[str, Any]) -> Any:
        return True

    def _sendChatAction(self, _: dict[str, Any]) -> Any:
        return True

    def _setMyCommands(self, arguments: dict[str, Any]) -> Any:
        commands = json.loads(arguments["commands"])
        good = all(c["command"].islower() and 1 <= len(c["description"]) <= 256 for c in commands)
        return True if good else Failure(400, "Bad Request: BOT_COMMAND_INVALID")

    def _getFile(self, arguments: dict[str, Any]) -> Any:
        name = str(arguments.get("file_id"))
        if name not in self.files:
            return Failure(400, "Bad Request: invalid file_id")
        size = len(self.files[name])
        return {"file_id": name, "file_unique_id": name, "file_size": size, "file_path": f"documents/{name}"}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bot: BotServer

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, ValueError):  # the client went away, as it may
            self.close_connection = True

    def do_GET(self) -> None:
        kind, _, rest = self.path.removeprefix("/").partition("/")
        if kind == "file":
            token, _, path = rest.removeprefix("bot").partition("/")
            content = self.bot.files.get(unquote(path).removeprefix("documents/"))
            if unquote(token) == self.bot.token and content is not None:
                return self._send(200, content, "application/octet-stream")
            return self._told(Failure(404, "Not Found"))
        return self._called({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "json" in self.headers.get("Content-Type", ""):
            arguments = json.loads(raw or b"{}")
        else:
            arguments = {name: values[0] for name, values in parse_qs(raw.decode(), keep_blank_values=True).items()}
        self._called(arguments)

    def _called(self, arguments: dict[str, Any]) -> None:
        token, _, method = unquote(self.path).removeprefix("/bot").partition("/")
        self._told(self.bot.answer(token, method, arguments))

    def _told(self, result: Any) -> None:
        if not isinstance(result, Failure):
            return self._send(200, json.dumps({"ok": True, "result": result}).encode(), "application/json")
        if result.hang:
            self.bot.until(lambda: self.bot.closing, result.hang)
        if result.cut:
            self.close_connection = True
            return None
        if result.html:
            return self._send(result.status, result.html.encode(), "text/html")
        body: dict[str, Any] = {"ok": False, "error_code": result.status, "description": result.description}
        if result.parameters:
            body["parameters"] = result.parameters
        return self._send(result.status, json.dumps(body).encode(), "application/json")

    def _send(self, status: int, raw: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@contextlib.contextmanager
def listeners(folder):
    """Yield what starts `ia listen telegram WORDS` in a folder, and end what is left of it; its log is `.log()`.

    The token stands in nothing that a listener says, nor a traceback.
    """
    running = []

    def start(*words, ia=None, **env):
        path = folder / f"listener-{len(running)}.log"
        with path.open("w") as log:
            process = subprocess.Popen(
                [*(ia or program()), "listen", "telegram", *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, **env}, cwd=folder,
            )  # fmt: skip
        process.log = path.read_text
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()
        told = process.log()
        assert TOKEN.split(":")[1] not in told
        assert "Traceback" not in told
