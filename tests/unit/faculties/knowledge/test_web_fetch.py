"""Fetching a document: private addresses are refused at every step, sizes and kinds are told."""

import http.server
import threading

import pytest

from ia.faculties.knowledge import web_fetch
from ia.faculties.knowledge.web_fetch import fetch_document, is_public
from ia.kernel.errors import BadData, NotFound, Refused, TryLater, Unavailable

ANSWERS = {}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        status, headers, body = ANSWERS.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "::1", "fe80::1", "::ffff:10.0.0.1", "0.0.0.0", "100.64.0.1", "224.0.0.1", "x"],
)  # fmt: skip
def test_private_addresses_are_not_public(address):
    assert not is_public(address)


def test_public_addresses_are(server):
    assert is_public("93.184.216.34") and is_public("2606:2800:220:1::1")
    for url in (server, "http://localhost/x", "http://[::1]/", "http://2130706433/", "http://0x7f.1/"):
        with pytest.raises((Refused, Unavailable)):
            fetch_document(url)
    for url, error in (("ftp://example.com/", Refused), ("http://u:p@example.com/", Refused), ("http:///x", BadData)):
        with pytest.raises(error):
            fetch_document(url)


def test_redirects_are_checked_again(server):
    ANSWERS["/to-private"] = (302, {"Location": "http://10.0.0.1/secret"}, b"")
    ANSWERS["/to-file"] = (302, {"Location": "file:///etc/passwd"}, b"")
    ANSWERS["/loop"] = (302, {"Location": "/loop"}, b"")
    ANSWERS["/page"] = (302, {"Location": "/page.html"}, b"")
    ANSWERS["/page.html"] = (200, {"Content-Type": "text/html; charset=gbk"}, "<p>止损".encode("gbk"))
    here = {"127.0.0.1"}.__contains__
    for path in ("/to-private", "/to-file"):
        with pytest.raises(Refused):
            fetch_document(server + path, allow=here)
    with pytest.raises(Unavailable):
        fetch_document(server + "/loop", allow=here)
    found = fetch_document(server + "/page", allow=here)
    assert (found.name, found.charset, found.url) == ("page.html", "gbk", server + "/page.html")


def test_failures_and_limits(server, monkeypatch):
    here = {"127.0.0.1"}.__contains__
    ANSWERS["/busy"] = (503, {}, b"")
    ANSWERS["/no"] = (403, {}, b"")
    ANSWERS["/large"] = (200, {"Content-Type": "application/pdf"}, b"x" * 3000)
    for path, error in (("/none", NotFound), ("/busy", TryLater), ("/no", Unavailable)):
        with pytest.raises(error):
            fetch_document(server + path, allow=here)
    assert fetch_document(server + "/large", allow=here).name == "large.pdf"
    monkeypatch.setattr(web_fetch, "MAX_BYTES", 2000)
    with pytest.raises(BadData):
        fetch_document(server + "/large", allow=here)
