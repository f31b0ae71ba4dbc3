"""The hosts of the market adapters on the loopback: real sockets, recorded shapes, and every way in which they fail.

Only the outermost edge is replaced: `HTTPAdapter.send` connects to 127.0.0.1 instead of the host in the URL.
"""

import http.server
import json
import socket
import threading
import time
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit, urlunsplit

from requests.adapters import HTTPAdapter


class Hosts(http.server.ThreadingHTTPServer):
    """A server for all hosts. `routes` maps the start of "host/path" to an answer; `asked` lists what was asked."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.routes = {}
        self.asked = []

    def route(self, start, answer):
        self.routes[start] = answer

    def count(self, part):
        return sum(part in url for url in self.asked)


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = self.path.lstrip("/")
        self.server.asked.append(url)
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length) if length else b""
        starts = [start for start in self.server.routes if url.startswith(start)]
        answer = self.server.routes[max(starts, key=len)] if starts else missing
        if callable(answer):
            query = {name: values[0] for name, values in parse_qs(urlsplit(url).query, keep_blank_values=True).items()}
            answer = answer(self, query)
        if answer is not None:
            send(self, *answer) if isinstance(answer, tuple) else send(self, 200, answer)

    do_POST = do_GET

    def log_message(self, *args):
        pass


def send(handler, status, body, headers=None):
    data = json.dumps(body, ensure_ascii=False).encode() if isinstance(body, dict | list) else body
    data = data.encode() if isinstance(data, str) else data
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(data)))
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)


def missing(handler, query):
    return 404, "<html>404 Not Found</html>"


def closes(handler, query):
    """Eastmoney's ban: the connection is closed without a byte."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def hangs(handler, query):
    time.sleep(2)
    handler.close_connection = True


def rate_limited(handler, query):
    return 429, "slow down", {"Retry-After": "60"}


def captcha(handler, query):
    return 200, "<html><body>请输入验证码</body></html>"


def html(handler, query):
    return 200, "<html><body>Service moved</body></html>"


@contextmanager
def loopback(monkeypatch):
    """Serve all hosts here while the block runs; yields the server to give routes to."""
    server = Hosts()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    port, original = server.server_address[1], HTTPAdapter.send

    def send_here(self, request, **kwargs):
        request = request.copy()  # a second try starts from the real URL
        parts = urlsplit(request.url)
        request.url = urlunsplit(("http", f"127.0.0.1:{port}", f"/{parts.hostname}{parts.path}", parts.query, ""))
        return original(self, request, **kwargs)

    monkeypatch.setattr(HTTPAdapter, "send", send_here)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    try:
        yield server
    finally:
        monkeypatch.setattr(HTTPAdapter, "send", original)
        server.shutdown()
        server.server_close()
