"""A scripted OpenAI-compatible server on loopback: what a test's model says, and all that can go wrong on the way.

    with Server(Reply(calls=[("market_ohlcv", {"symbol": "300750"})]), Reply("看过了。")) as server:
        server.use(monkeypatch, tmp_path)          # model `scripted` of `llm` is now this server
        ia("turn", "看看宁德时代", "-m", "scripted")
        server.requests[1].messages[-1]            # what the model was told of the tool's result

Each request takes the next reply of the script; a function in its place sees the request and returns one. A request
after the end of the script is answered with status 418, so that no test passes by accident.
"""

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODEL = "scripted"
KEY = "sk-of-the-scripted-server"


@dataclass
class Reply:
    """One answer of the model.

    calls   (tool name, arguments) of a reply; arguments that are a string go out as they are, JSON or not
    usage   (prompt tokens, completion tokens), None: the server tells none
    pause   seconds before each piece of the stream
    until   an event to wait for before the last piece
    cut     close the connection after so many pieces; stall: say nothing more after so many
    end     the finish_reason; "" ends the stream without one, without usage and without [DONE]
    """

    text: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    usage: tuple[int, int] | None = (11, 7)
    pause: float = 0.0
    until: threading.Event | None = None
    cut: int | None = None
    stall: int | None = None
    garbage: bool = False
    empty: bool = False
    end: str | None = None

    def deltas(self) -> list[dict[str, Any]]:
        """Return the pieces of the stream: words, then calls whose arguments come in three parts each, mixed."""
        words = [self.text[at : at + 4] for at in range(0, len(self.text), 4)]
        out: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": word} for word in words)]
        parts = []
        for index, (name, arguments) in enumerate(self.calls):
            told = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
            third = len(told) // 3 + 1
            head = {
                "index": index,
                "id": f"call_{index}",
                "type": "function",
                "function": {"name": name, "arguments": ""},
            }
            rest = [
                {"index": index, "function": {"arguments": told[at : at + third]}} for at in range(0, len(told), third)
            ]
            parts.append([head, *rest])
        for at in range(max(map(len, parts), default=0)):
            out += [{"tool_calls": [part[at]]} for part in parts if at < len(part)]
        return out

    def whole(self) -> dict[str, Any]:
        """Return the message of a reply that is not streamed."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        if self.calls:
            message["tool_calls"] = [
                {"id": f"call_{index}", "type": "function", "function": {
                    "name": name,
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
                }}
                for index, (name, arguments) in enumerate(self.calls)
            ]  # fmt: skip
        return message


@dataclass
class Failure:
    """An answer that is no reply: a status, with JSON or something else, or none at all (`hang`)."""

    status: int = 500
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False


def error(status: int, code: str, **headers: str) -> Failure:
    """Return a failure as OpenAI words it."""
    body = {"error": {"message": f"scripted {code}", "type": "scripted", "param": None, "code": code}}
    return Failure(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


UNAUTHORISED = error(401, "invalid_api_key")
FORBIDDEN = error(403, "country_not_supported")
NO_MODEL = error(404, "model_not_found")
TOO_LONG = error(400, "context_length_exceeded")
TOO_MANY = error(429, "rate_limit_exceeded", Retry_After="0")
BROKEN = error(500, "server_error")
GATEWAY = Failure(502, "<html><body>Bad gateway</body></html>")
HANG = Failure(hang=True)

Step = Reply | Failure | Callable[["Request"], "Reply | Failure"]


@dataclass
class Request:
    """What the server was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]

    @property
    def system(self) -> str:
        """The system prompt."""
        return "\n".join(str(m["content"]) for m in self.messages if m["role"] in ("system", "developer"))

    @property
    def asked(self) -> str:
        """The newest message of the user."""
        return next(str(m["content"]) for m in reversed(self.messages) if m["role"] == "user")

    @property
    def results(self) -> list[str]:
        """What came of the tools that the last reply called."""
        out = []
        for message in reversed(self.messages):
            if message["role"] != "tool":
                break
            out.insert(0, str(message["content"]))
        return out

    @property
    def tools(self) -> list[str]:
        """The names of the tools on offer."""
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]


class Server:
    """The server, from `with` to its end. `always` answers when the script is over. `spoke`: the latest first word."""

    def __init__(self, *script: Step, always: Step | None = None) -> None:
        self.script: list[Step] = list(script)
        self.always = always
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self.spoke = 0.0
        self._turn = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"server_script": self}))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> "Server":
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def next(self, request: Request) -> Reply | Failure:
        """Record a request and return what the script has for it."""
        with self._turn:
            self.requests.append(request)
            step = self.script.pop(0) if self.script else self.always
        if step is None:
            return error(418, "the_script_is_over")
        return step(request) if callable(step) else step

    def use(self, monkeypatch: Any, folder: Path, **model: Any) -> None:
        """Make this server the model MODEL of `llm`, with a key of its own, and let no setting from outside in."""
        for name in list(os.environ):
            if name.lower().endswith("_proxy") or name.startswith(("OPENAI_", "LLM_")):
                monkeypatch.delenv(name)
        monkeypatch.setenv("LLM_USER_PATH", str(folder / "llm"))
        write_user_path(folder / "llm", self.url, **model)


def write_user_path(user: Path, url: str, **model: Any) -> None:
    """Write llm's configuration: the model MODEL at this address, with its key. A field that is None is left out."""
    user.mkdir(exist_ok=True)
    spec = {
        "model_id": MODEL, "model_name": MODEL, "api_base": url, "api_key_name": MODEL, "supports_tools": True, **model,
    }  # fmt: skip
    listed = {name: value for name, value in spec.items() if value is not None}
    (user / "extra-openai-models.yaml").write_text(json.dumps([listed]), encoding="utf-8")  # JSON is YAML
    (user / "keys.json").write_text(json.dumps({MODEL: KEY}), encoding="utf-8")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_script: Server

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:  # the client went away, as it may
            self.close_connection = True

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request(self.path, dict(self.headers.items()), body, time.monotonic())
        reply = self.server_script.next(request)
        if isinstance(reply, Failure):
            if reply.hang:
                self.server_script.closing.wait(60)
                self.close_connection = True
                return
            self._send(reply.status, reply.body, reply.headers)
        elif body.get("stream"):
            self._stream(reply, body)
        else:
            self._whole(reply, body)

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        raw = (body if isinstance(body, str) else json.dumps(body)).encode()
        kind = "text/html" if isinstance(body, str) else "application/json"
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(raw)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def _whole(self, reply: Reply, body: dict[str, Any]) -> None:
        if reply.garbage:
            return self._send(200, "{this is no JSON")
        end = reply.end or ("tool_calls" if reply.calls else "stop")
        choice = {"index": 0, "finish_reason": end, "message": reply.whole()}
        told = {
            "id": "c", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [] if reply.empty else [choice],
        }  # fmt: skip
        return self._send(200, told | ({"usage": _usage(reply.usage)} if reply.usage else {}))

    def _stream(self, reply: Reply, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        deltas = reply.deltas()
        for at, delta in enumerate(deltas):
            if reply.cut == at:
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            if reply.stall == at:
                self.server_script.closing.wait(60)
                self.close_connection = True
                return
            if reply.garbage and at == 1:
                self._event("{this is no JSON")
            if reply.until is not None and at == len(deltas) - 1:
                reply.until.wait(30)
            if reply.pause:
                self.server_script.closing.wait(reply.pause)
            if at == 1:
                self.server_script.spoke = time.monotonic()
            choices = [] if reply.empty else [{"index": 0, "delta": delta, "finish_reason": None}]
            self._event({**base, "choices": choices})
        if reply.end == "":
            self.wfile.write(b"0\r\n\r\n")
            return
        if not reply.empty:
            end = reply.end or ("tool_calls" if reply.calls else "stop")
            self._event({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]})
        if reply.usage and (body.get("stream_options") or {}).get("include_usage"):
            self._event({**base, "choices": [], "usage": _usage(reply.usage)})
        self._event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, what: Any) -> None:
        raw = f"data: {what if isinstance(what, str) else json.dumps(what)}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
        self.wfile.flush()


def _usage(counts: tuple[int, int]) -> dict[str, int]:
    prompt, completion = counts
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
