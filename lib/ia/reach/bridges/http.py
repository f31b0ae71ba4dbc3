"""Just enough HTTP/1.1 to be told things: one request a connection, small, soon, and with a length.

Whatever is odd in a request is refused, not guessed at. What a refusal says is the same for everybody.
"""

import asyncio
import contextlib
import json
import re
from email.utils import formatdate
from typing import NamedTuple

MAX_HEAD = 16_384
"""Bytes of the request line and all headers."""
MAX_BODY = 256_000
"""Bytes of a body."""
LINGER = 1.0
"""Seconds for which a client that is still sending is listened to, so that it gets to read why it was refused."""

_REQUEST = re.compile(r"([A-Z]{1,20}) ([!-~]{1,2000}) HTTP/1\.([01])")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t -~\x80-\xff]*")
_LENGTH = re.compile(r"[0-9]{1,12}")
_ONCE = {"content-length", "transfer-encoding", "host", "expect"}

REASONS = {
    200: "OK", 202: "Accepted", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 411: "Length Required", 413: "Content Too Large", 417: "Expectation Failed",
    429: "Too Many Requests", 431: "Request Header Fields Too Large", 503: "Service Unavailable",
}  # fmt: skip


class Head(NamedTuple):
    """What stands before a body. The names of the headers are in small letters, their values Latin-1."""

    method: str
    path: str
    headers: dict[str, str]


class WebhookReply(Exception):
    """What a client is told; raised where nothing more is to be known of its request."""

    def __init__(
        self, status: int, told: str = "", /, *, headers: tuple[tuple[str, str], ...] = (), **more: str
    ) -> None:
        super().__init__(status)
        self.status = status
        self.document = {"status": told or REASONS[status].lower(), **more}
        self.headers = headers

    def encode_response(self) -> bytes:
        """Return it as it goes over the wire: nothing in it tells what program answers."""
        body = json.dumps(self.document, ensure_ascii=True).encode() + b"\n"
        fields = (
            ("Date", formatdate(usegmt=True)),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
            *self.headers,
        )
        lines = [f"HTTP/1.1 {self.status} {REASONS[self.status]}", *(f"{name}: {value}" for name, value in fields)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


async def read_head(reader: asyncio.StreamReader, once: tuple[str, ...] = ()) -> Head:
    """Return what a request begins with. `once`: headers that may not be given twice, in small letters.

    raises  Answer 400 for what is no such request, 431 for a long one; EOFError where nothing came.
    """
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise WebhookReply(431) from None
    except asyncio.IncompleteReadError as exc:
        if not exc.partial:
            raise EOFError from None
        raise WebhookReply(400) from None
    first, *lines = raw[:-4].decode("latin-1").split("\r\n")
    request = _REQUEST.fullmatch(first)
    if request is None:
        raise WebhookReply(400)
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or _NAME.fullmatch(name) is None or _VALUE.fullmatch(value) is None:
            raise WebhookReply(400)
        name = name.lower()
        if name in headers and (name in _ONCE or name in once):
            raise WebhookReply(400)
        headers.setdefault(name, value.strip(" \t"))
    if request[3] == "1" and "host" not in headers:
        raise WebhookReply(400)
    return Head(request[1], request[2], headers)


def body_length(headers: dict[str, str]) -> int:
    """Return how many bytes the body has.

    raises  Answer 411 where it is not told, also for a chunked one; 400 for no number; 413 for more than MAX_BODY.
    """
    if "transfer-encoding" in headers or "content-length" not in headers:
        raise WebhookReply(411)
    told = headers["content-length"]
    if _LENGTH.fullmatch(told) is None:
        raise WebhookReply(413 if told.isascii() and told.isdigit() else 400)
    if int(told) > MAX_BODY:
        raise WebhookReply(413)
    return int(told)


async def read_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, headers: dict[str, str]) -> bytes:
    """Return the body, having told a client that waits for it to go on.

    raises  as length(); Answer 417; Answer 400 for a body that ends too soon.
    """
    size = body_length(headers)
    if expected := headers.get("expect"):
        if expected.lower() != "100-continue":
            raise WebhookReply(417)
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError:
        raise WebhookReply(400) from None


async def send_answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: WebhookReply, *, linger: bool
) -> None:
    """Send an answer. `linger`: the client may be sending still.

    A connection that is closed with unread bytes in it is reset, and the answer may be lost: they are read away.
    """
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(LINGER):
            writer.write(answer.encode_response())
            await writer.drain()
            if linger:
                writer.write_eof()
                while await reader.read(65_536):
                    pass
