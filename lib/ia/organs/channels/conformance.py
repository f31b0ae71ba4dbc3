"""What every channel must keep, as a class of tests for pytest.

A package that ships a channel subclasses `ChannelConformance` in its own tests, says how the channel is made when its
service answers on this machine, and what a request of it holds, and inherits the tests::

    class TestMine(ChannelConformance):
        secret = "s3cret"

        def channel(self, port):
            return Mine(f"mine://127.0.0.1:{port}/s3cret")

        def said(self, request):
            return json.loads(request.body)["text"]
"""

import contextlib
import http.server
import re
import socket
import threading
from collections.abc import Iterator
from typing import NamedTuple

from ia.kernel.errors import TryLater, Unavailable
from ia.organs.channels.channel_registry import Channel, Unsent

LONG = "\n\n".join(f"{number}. 产能利用率下降，毛利率承压 🙂 " + "x" * 150 for number in range(300))
MARKUP = "<b>*bold*</b> _x_ [a](http://b.example) `c` & < > \\ %s {0} ${HOME} #1 :smile: 600519.SH @everyone"


class ServiceRequest(NamedTuple):
    """What the service was asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class FakeService(http.server.ThreadingHTTPServer):
    """A service on the loopback: it keeps each request in `asked`, and answers with its status, headers and body."""

    daemon_threads = True

    def __init__(self, status: int = 200, body: bytes = b"{}", headers: dict[str, str] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.body, self.headers = status, body, headers or {}
        self.first: list[int] = []
        """Statuses of the next requests, before `status` comes into force."""
        self.asked: list[ServiceRequest] = []
        self.silent = threading.Event()
        """Set: takes requests and never answers, until `shutdown`."""
        self.released = threading.Event()


class _Handler(http.server.BaseHTTPRequestHandler):
    server: FakeService

    def _answer_request(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.server.asked.append(
            ServiceRequest(self.command, self.path, dict(self.headers.items()), self.rfile.read(length))
        )
        if self.server.silent.is_set():
            self.server.released.wait(60)
            return
        with contextlib.suppress(OSError):
            self.send_response(self.server.first.pop(0) if self.server.first else self.server.status)
            for name, value in self.server.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(self.server.body)))
            self.end_headers()
            self.wfile.write(self.server.body)

    do_GET = do_POST = do_PUT = _answer_request

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def run_service(status: int = 200, body: bytes = b"{}", headers: dict[str, str] | None = None) -> Iterator[FakeService]:
    """Run a service until the block ends."""
    service = FakeService(status, body, headers)
    thread = threading.Thread(target=service.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.released.set()
        service.shutdown()
        thread.join()
        service.server_close()


def find_closed_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class ChannelConformance:
    """Tests of one channel.

    secret   what of its address nobody may read in a message; "" where it holds none
    taken    the body with which the service says that it took a message
    """

    secret = ""
    taken = b"{}"

    def channel(self, port: int) -> Channel:
        """Return a new channel whose service answers on this port of the loopback."""
        raise NotImplementedError

    def message_text(self, request: ServiceRequest) -> str:
        """Return what a request says to the user, title and text, in one string."""
        raise NotImplementedError

    def sending_failure(self, channel: Channel) -> TryLater | Unavailable:
        """Return how sending fails."""
        try:
            channel.send("秘密的正文", "title")
        except (TryLater, Unavailable) as exc:
            assert not self.secret or self.secret not in f"{exc} {exc.hint or ''} {exc.params}"
            assert "秘密的正文" not in str(exc)
            return exc
        raise AssertionError("sent")

    def test_making_one_sends_nothing(self) -> None:
        with run_service(body=self.taken) as service:
            self.channel(service.server_port)
            assert not service.asked

    def test_a_text_arrives_once_with_its_title(self) -> None:
        with run_service(body=self.taken) as service:
            self.channel(service.server_port).send("产能利用率下降\n\n第二段 🙂", "观察")
            (request,) = service.asked
            assert "观察" in self.message_text(request) and "产能利用率下降\n\n第二段 🙂" in self.message_text(request)

    def test_markup_stays_text_and_nobody_is_called(self) -> None:
        with run_service(body=self.taken) as service:
            self.channel(service.server_port).send(MARKUP)
            (request,) = service.asked
            assert self.message_text(request).replace("\u200b", "") == MARKUP

    def test_a_long_text_arrives_whole_and_in_order(self) -> None:
        with run_service(body=self.taken) as service:
            self.channel(service.server_port).send(LONG)
            told = "".join(map(self.message_text, service.asked))
            assert re.sub(r"\s", "", told) == re.sub(r"\s", "", LONG)

    def test_what_may_pass_is_told_from_what_will_not(self) -> None:
        for status, kind in (
            (400, Unavailable),
            (401, Unavailable),
            (403, Unavailable),
            (404, Unavailable),
            (429, TryLater),
            (500, TryLater),
            (502, TryLater),
            (503, TryLater),
        ):
            with run_service(status, b"<html>nothing that one could read") as service:
                assert isinstance(self.sending_failure(self.channel(service.server_port)), kind), status

    def test_without_a_connection_nothing_was_sent(self) -> None:
        assert isinstance(self.sending_failure(self.channel(find_closed_port())), Unsent)

    def test_no_redirection_is_followed(self) -> None:
        with run_service(body=self.taken) as elsewhere:
            for status in (301, 302, 303, 307, 308):
                to = f"http://localhost:{elsewhere.server_port}/"
                with run_service(status, headers={"Location": to}) as service:
                    self.sending_failure(self.channel(service.server_port))
                    assert service.asked
            assert not elsewhere.asked
