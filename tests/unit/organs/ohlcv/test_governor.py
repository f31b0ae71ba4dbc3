"""Politeness over real processes and sockets: limits shared by all, bans respected, and failures told apart."""

import gzip
import http.server
import io
import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from contextlib import closing, contextmanager, suppress
from email.utils import formatdate
from itertools import pairwise

import pytest
import requests

from ia.kernel.errors import ConfigError, TryLater, Unavailable
from ia.organs.ohlcv import transport
from ia.organs.ohlcv.governor import FIRST_PAUSE, LIMITS, LONGEST_PAUSE, Banned, Governor, Limit
from ia.organs.ohlcv.transport import NoNetwork, ShapeChanged, get_json, get_text, govern_requests

HOST = "push2his.eastmoney.com"


class Time:
    """A clock that stands still until somebody sleeps."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock():
    return Time()


@pytest.fixture
def governor(tmp_path, clock):
    return Governor(str(tmp_path / "hosts.db"), clock, clock.sleep)


# limits


def test_a_burst_then_one_a_second(governor, clock):
    started, moments = clock.now, []
    for _ in range(10):
        governor.release(governor.acquire(HOST))
        moments.append(clock.now - started)
    assert moments[2] < 0.01
    assert all(0.7 <= b - a <= 1.3 for a, b in pairwise(moments[2:]))
    assert 6.99 <= moments[-1] <= 9


def test_never_more_than_the_published_ban_limits(governor, clock):
    moments = []
    for _ in range(150):
        governor.release(governor.acquire(HOST, patience=1e6))
        moments.append(clock.now)
    for i, moment in enumerate(moments):
        assert sum(moment <= other < moment + 1 for other in moments[i:]) <= 4
        assert sum(moment <= other < moment + 59.9 for other in moments[i:]) <= 60


def test_two_at_once_and_a_dead_process_does_not_hold_its_place(governor, clock):
    governor.acquire(HOST)
    governor.acquire(HOST)
    with pytest.raises(TryLater):
        governor.acquire(HOST, patience=5)
    clock.now += 200
    governor.acquire(HOST, patience=5)


def test_all_hosts_of_a_site_share_its_limit_and_another_site_has_its_own(governor, clock):
    for host in ("push2.eastmoney.com", "63.push2his.eastmoney.com", "datacenter-web.eastmoney.com"):
        governor.release(governor.acquire(host))
    before = clock.now
    governor.release(governor.acquire("finance.sina.com.cn"))
    assert clock.now == before
    governor.release(governor.acquire("push2.eastmoney.com"))
    assert clock.now > before


def test_the_limits_stay_well_below_what_gets_banned():
    eastmoney = LIMITS["eastmoney.com"]
    assert eastmoney.per_second + eastmoney.burst < 5
    assert eastmoney.at_once < 10
    assert eastmoney.per_minute < 200


@pytest.mark.process
def test_processes_share_one_governor(tmp_path):
    """Eight processes that each ask five times get through one gate of 20 a second with a burst of 2."""
    code = (
        "import sys, time; from ia.organs.ohlcv.governor import Governor, Limit\n"
        "g = Governor(sys.argv[1], limits={'x.test': Limit(20.0, 2.0, 2, 1000)})\n"
        "for _ in range(5):\n"
        "    n = g.acquire('x.test'); a = time.time(); time.sleep(0.02); print(a, time.time(), flush=True); g.release(n)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "h.db")], stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    spans = [tuple(map(float, line.split())) for p in running for line in p.communicate(timeout=60)[0].splitlines()]
    assert all(p.returncode == 0 for p in running)
    moments = sorted(start for start, _ in spans)
    assert len(moments) == 40
    assert all(sum(a <= moment < b for a, b in spans) <= 2 for moment in moments)
    assert moments[-1] - moments[0] >= (40 - 2) / 20.0 - 0.1
    for moment in moments:
        assert sum(moment <= other < moment + 0.5 for other in moments) <= 2 + 10 + 2


@pytest.mark.process
def test_processes_share_what_runs_at_once(tmp_path):
    """Six processes that each hold four requests for 50 ms never hold more than two at once, and use both places."""
    code = (
        "import sys, time; from ia.organs.ohlcv.governor import Governor, Limit\n"
        "g = Governor(sys.argv[1], limits={'x.test': Limit(1000.0, 1000.0, 2, 10_000)})\n"
        "for _ in range(4):\n"
        "    n = g.acquire('x.test'); a = time.time(); time.sleep(0.05); print(a, time.time(), flush=True); g.release(n)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "h.db")], stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    spans = [tuple(map(float, line.split())) for p in running for line in p.communicate(timeout=60)[0].splitlines()]
    assert len(spans) == 24
    assert max(sum(a <= moment < b for a, b in spans) for moment, _ in spans) == 2


# the circuit breaker


@pytest.mark.process
def test_a_ban_doubles_up_to_a_day_and_a_good_answer_closes_it(governor, clock):
    pauses = []
    for _ in range(9):
        governor.release(governor.acquire(HOST))
        error = governor.record_ban(HOST, "HTTP 403")
        assert isinstance(error, Banned)
        assert error.status == 75
        started = clock.now
        with pytest.raises(Banned, match=HOST):
            governor.acquire(HOST)
        state = governor.site_states()["eastmoney.com"]
        assert state.open_until in str(error)
        while True:
            try:
                governor.release(governor.acquire(HOST))
                break
            except Banned:
                clock.now += FIRST_PAUSE / 10
        pauses.append(clock.now - started)
    assert pauses[:3] == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE]
    assert pauses[-1] == LONGEST_PAUSE
    governor.record_success(HOST)
    assert governor.site_states()["eastmoney.com"].open_until == ""
    governor.record_ban(HOST, "again")
    clock.now += FIRST_PAUSE + 1
    governor.acquire(HOST)


def test_bans_seen_by_requests_under_way_together_count_once(governor, clock):
    governor.record_ban(HOST, "connection closed")
    governor.record_ban("push2.eastmoney.com", "connection closed")
    clock.now += FIRST_PAUSE + 1
    assert governor.acquire(HOST) is not None


def test_after_a_ban_one_at_a_time(governor, clock):
    governor.record_ban(HOST, "HTTP 429", 30)
    clock.now += 31
    governor.acquire(HOST)
    with pytest.raises(TryLater):
        governor.acquire(HOST, patience=3)


def test_retry_after_is_kept_but_not_for_ever(governor, clock):
    governor.record_ban(HOST, "HTTP 429", 120)
    clock.now += 119
    with pytest.raises(Banned):
        governor.acquire(HOST)
    clock.now += 2
    governor.release(governor.acquire(HOST))
    governor.record_ban(HOST, "HTTP 429", 1e12)
    clock.now += LONGEST_PAUSE + 1
    governor.acquire(HOST)


def test_a_clock_that_was_set_back_bans_nobody_for_ever(governor, clock):
    governor.record_ban(HOST, "x")
    clock.now -= 10 * 365 * 86400
    with pytest.raises(Banned):
        governor.acquire(HOST)
    clock.now += LONGEST_PAUSE + 1
    governor.acquire(HOST)


def test_a_damaged_state_file_is_begun_anew_and_one_that_cannot_be_is_said(tmp_path, clock):
    path = tmp_path / "hosts.db"
    path.write_bytes(b"not a database" * 100)
    Governor(str(path), clock, clock.sleep).acquire(HOST)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError):
        Governor(str(tmp_path / "file" / "hosts.db"), clock, clock.sleep).acquire(HOST)


SOUND = {"name": "qq.com", "tokens": 3.0, "filled": 0.0, "open_until": 0.0, "trips": 0, "reason": "", "probes": 0}
PUT = "INSERT OR REPLACE INTO site VALUES (:name, :tokens, :filled, :open_until, :trips, :reason, :probes)"


@pytest.mark.parametrize(
    "spoil",
    [
        {"tokens": "x"}, {"tokens": -1e300}, {"filled": 1e300}, {"filled": b"x"}, {"open_until": float("inf")},
        {"open_until": "abc"}, {"trips": 2**62}, {"trips": -5, "open_until": 1.0}, {"trips": "x"},
        {"reason": b"\xff\x1b", "open_until": 4e9}, {"name": b"\xff"},
        "CREATE TRIGGER t BEFORE INSERT ON request BEGIN SELECT RAISE(ABORT, 'boo'); END",
        "CREATE TRIGGER t BEFORE INSERT ON site BEGIN SELECT RAISE(ABORT, 'boo'); END", "CREATE VIEW v AS SELECT 1",
        "DROP INDEX request_site", "DROP TABLE request", "ALTER TABLE site RENAME COLUMN trips TO falls",
        "INSERT INTO request VALUES (1, 'qq.com', 'abc', 1)",
    ],
    ids=str,
)  # fmt: skip
def test_a_state_file_that_is_not_sound_never_stops_anybody(tmp_path, clock, spoil):
    for use in (
        lambda g: g.acquire("qq.com"), lambda g: g.record_success("qq.com"), lambda g: g.record_ban("qq.com", "x"),
        lambda g: g.release(1), lambda g: g.site_states(),
    ):  # fmt: skip
        (tmp_path / "hosts.db").unlink(missing_ok=True)
        governor = Governor(str(tmp_path / "hosts.db"), clock, clock.sleep)
        governor.release(0)
        with sqlite3.connect(governor.path) as db:
            db.execute(spoil) if isinstance(spoil, str) else db.execute(PUT, SOUND | spoil)
        db.close()
        for call in (use, lambda g: g.acquire("qq.com")):
            with suppress(TryLater):
                call(governor)
        clock.now += LONGEST_PAUSE + 1
        governor.release(governor.acquire("qq.com"))
        assert governor.record_ban("qq.com", "a sign").status == 75
        assert governor.site_states()["qq.com"].reason == "a sign"


def test_asking_how_hosts_stand_makes_no_file(tmp_path):
    path = tmp_path / "state" / "hosts.db"
    assert Governor(str(path)).site_states() == {}
    assert not path.parent.exists()


# the transport, over real sockets


@contextmanager
def serving(answer):
    """A server on the loopback that calls answer(handler) for each request; yields its port."""
    hits = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            hits.append((self.path, dict(self.headers)))
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer(self)

        do_POST = do_GET

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.hits = hits
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def reply(status=200, body="{}", **headers):
    data = body if isinstance(body, bytes) else body.encode()

    def answer(handler):
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


QUICK = {"127.0.0.1": Limit(1000.0, 100.0, 10, 1000), "localhost": Limit(1000.0, 100.0, 10, 1000)}


@pytest.fixture
def gate(tmp_path):
    return Governor(str(tmp_path / "loopback.db"), limits=QUICK)


def ask(server, gate, timeout=1.0, path="/"):
    with govern_requests(timeout=timeout, governor=gate):
        return get_json(f"http://127.0.0.1:{server.server_address[1]}{path}", {}, "stock_zh_a_hist")


def test_a_good_answer(gate):
    with serving(reply(body='{"data": [1]}')) as server:
        assert ask(server, gate) == {"data": [1]}
    assert gate.site_states()["127.0.0.1"].last_minute == 1


def close_the_connection(handler):
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def reset_the_connection(handler):
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    os.close(handler.connection.detach())
    handler.close_connection = True
    handler.wfile = handler.rfile = io.BytesIO()


@pytest.mark.parametrize(
    "answer",
    [
        close_the_connection, reset_the_connection,
        reply(403), reply(418), reply(429), reply(456),
        reply(200, "<html><title>安全验证</title>请完成验证码</html>"),
        reply(200, '<!doctype html><div class="geetest_panel"></div>'),
        reply(302, Location="/captcha?from=rows"),
    ],
    ids=["closed", "reset", "403", "418", "429", "456", "captcha", "geetest", "sent to a captcha"],
)  # fmt: skip
def test_a_ban_is_told_and_the_host_is_then_left_alone(gate, answer):
    with serving(answer) as server:
        with pytest.raises(Banned, match="may have banned ia; no requests until"):
            ask(server, gate)
        asked = len(server.hits)
        assert asked == 1
        with pytest.raises(Banned):
            ask(server, gate)
        assert len(server.hits) == asked
    assert gate.site_states()["127.0.0.1"].open_until


@pytest.mark.parametrize(
    "written", [str, lambda seconds: formatdate(time.time() + seconds, usegmt=True)], ids=["seconds", "date"]
)
def test_retry_after_as_seconds_and_as_a_date(gate, written):
    wait = written(90)
    with serving(reply(429, Retry_After=wait)) as server, pytest.raises(Banned):
        ask(server, gate)
    until = time.strptime(gate.site_states()["127.0.0.1"].open_until[:16], "%Y-%m-%d %H:%M")
    assert 0 < time.mktime(until) - time.time() < 120


def test_a_server_that_hangs(gate):
    with serving(lambda handler: time.sleep(3)) as server:
        started = time.monotonic()
        with pytest.raises(NoNetwork, match="in time"):
            ask(server, gate, timeout=0.2)
        assert time.monotonic() - started < 8  # three times three seconds otherwise
        assert len(server.hits) == 3
    assert gate.site_states()["127.0.0.1"].open_until == ""


def test_a_server_that_drips_for_ever_is_stopped_by_the_total_time(gate):
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b" " * 500)
            handler.wfile.flush()
            time.sleep(0.05)

    with serving(drip) as server:
        started = time.monotonic()
        with pytest.raises((NoNetwork, Banned)):
            ask(server, gate, timeout=0.2)
        assert time.monotonic() - started < 4.5  # what it drips takes five


def redirecting(location, status=307):
    """Send everything on to `location`, `{port}` in it filled in, but answer what arrives at /rows and /thief."""

    def answer(handler):
        if handler.path in ("/rows", "/thief"):
            reply(200, '{"taken": 1}')(handler)
        else:
            reply(status, Location=location.format(port=handler.server.server_address[1]))(handler)

    return answer


FOREIGN = [
    "http://localhost:{port}/thief", "http://127.0.0.1:1/thief", "//localhost:{port}/thief", "file:///etc/passwd",
    "ftp://127.0.0.1/thief", "http://[::1", "http://localhost:{port}\\@127.0.0.1:{port}/thief", "http://a..b/\x7f",
    "http://127.0.0.1@localhost:{port}/thief", "http://127.0.0.1:99999/thief", "/\u00b2",
]  # fmt: skip


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("location", FOREIGN)
def test_a_redirect_to_elsewhere_is_not_followed(gate, location, status):
    with serving(redirecting(location, status)) as server, pytest.raises(ShapeChanged, match="does not follow"):
        ask(server, gate)
    assert [path for path, _ in server.hits] == ["/"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_post_is_never_sent_on(gate, status):
    with (
        serving(redirecting("/thief", status)) as server,
        govern_requests(timeout=1, governor=gate),
        pytest.raises(ShapeChanged, match="does not follow"),
    ):
        transport.post_json(f"http://127.0.0.1:{server.server_address[1]}/", {"token": "x"}, "api")
    assert len(server.hits) == 1


def test_a_redirect_within_the_site_is_followed_and_each_hop_is_counted(gate):
    with serving(redirecting("/rows", 302)) as server:
        assert ask(server, gate) == {"taken": 1}
    assert gate.site_states()["127.0.0.1"].last_minute == 2


def test_a_redirect_in_circles_ends(gate):
    with serving(redirecting("/again")) as server, pytest.raises(ShapeChanged, match="does not follow"):
        ask(server, gate)
    assert len(server.hits) == transport.HOPS + 1


@pytest.mark.parametrize(
    "url, location, same",
    [
        ("https://a.eastmoney.com/x", "https://b.eastmoney.com/y", True), ("http://a.qq.com/", "https://a.qq.com/", True),
        ("https://a.qq.com/", "http://a.qq.com/", False), ("https://a.qq.com/", "https://qq.com.evil.com/", False),
        ("https://finance.sina.com.cn/", "https://a.com.cn/", False), ("https://a.qq.com/", "//a.qq.com:8443/", False),
    ],
)  # fmt: skip
def test_what_is_one_site(governor, url, location, same):
    assert transport._Gate(governor, 1.0, 0.0, None)._is_same_site(url, location) is same


@pytest.mark.parametrize("wait", ["\xb2", "9" * 400, "-5", "soon", "Mon, 01 Jan 0001 00:00:00 +2400"])
def test_a_senseless_retry_after_is_still_a_ban(gate, wait):
    with serving(reply(429, Retry_After=wait)) as server, pytest.raises(Banned):
        ask(server, gate)


def test_an_answer_nested_without_end_is_no_json(gate):
    with serving(reply(body="[" * 200_000)) as server:
        with pytest.raises(ShapeChanged, match="not JSON"):
            ask(server, gate)
        with pytest.raises(ShapeChanged, match="not JSON"), govern_requests(timeout=1, governor=gate):
            transport.post_json(f"http://127.0.0.1:{server.server_address[1]}/", {}, "api")


def test_an_outage_is_tried_again(gate):
    answers = iter([reply(502, "<html>bad gateway</html>"), reply(200, '{"ok": 1}')])
    with serving(lambda handler: next(answers)(handler)) as server:
        assert ask(server, gate) == {"ok": 1}
        assert len(server.hits) == 2


def test_no_network_at_all(gate):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
    with pytest.raises(NoNetwork), govern_requests(timeout=0.3, governor=gate):
        get_text(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize("body", ["<html>moved</html>", "", "null", "not json", '{"data": '])
def test_an_answer_of_another_shape(gate, body):
    with serving(reply(body=body)) as server, pytest.raises(ShapeChanged, match="stock_zh_a_hist") as caught:
        ask(server, gate)
    assert caught.value.status == 69
    assert isinstance(caught.value, Unavailable)


def chunked(body, encoding):
    def answer(handler):
        handler.protocol_version = "HTTP/1.1"
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.send_header("Connection", "close")
        if encoding:
            handler.send_header("Content-Encoding", encoding)
        handler.end_headers()
        for start in range(0, len(body), 1000):
            part = body[start : start + 1000]
            handler.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            handler.wfile.flush()
        handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = True

    return answer


def test_compressed_and_chunked_answers_come_out_whole(gate):
    rows = {"data": [f"2024-01-{n % 28 + 1:02d},{n}" for n in range(20_000)]}
    plain = json.dumps(rows).encode()
    packed = gzip.compress(plain)
    for answer in (
        chunked(plain, ""), chunked(packed, "gzip"), chunked(zlib.compress(plain), "deflate"),
        reply(body=packed, Content_Encoding="gzip"),
    ):  # fmt: skip
        with serving(answer) as server:
            assert ask(server, gate) == rows


def test_a_small_answer_that_unpacks_without_end_is_stopped(gate, monkeypatch):
    monkeypatch.setattr(transport, "MAX_BYTES", 1_000_000)
    bomb = gzip.compress(b"[" + b" " * 50_000_000 + b"]")
    with serving(reply(body=bomb, Content_Encoding="gzip")) as server, pytest.raises(ShapeChanged, match="bytes"):
        ask(server, gate, timeout=5)


def test_an_answer_that_breaks_off_is_not_taken_for_whole(gate):
    def broken(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"data": [1, 2, 3]}')

    with serving(broken) as server, pytest.raises(NoNetwork):
        ask(server, gate)


def test_an_answer_without_end(gate, monkeypatch):
    monkeypatch.setattr(transport, "MAX_BYTES", 100_000)
    with serving(reply(body=b"[" + b" " * 300_000 + b"]")) as server, pytest.raises(ShapeChanged, match="bytes"):
        ask(server, gate)


def test_no_password_of_the_environment_goes_along(gate, tmp_path, monkeypatch):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password hunter2\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with serving(reply()) as server:
        ask(server, gate)
        assert not any("authorization" in (name.lower() for name in headers) for _, headers in server.hits)


def test_every_request_of_the_library_passes_and_none_outside_does(gate):
    with serving(reply(403)) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        with govern_requests(timeout=1, governor=gate), pytest.raises(Banned), requests.Session() as session:
            session.get(url)
        assert requests.get(url, timeout=5).status_code == 403


def test_the_block_cleans_up_after_itself():
    before = requests.adapters.HTTPAdapter.send
    with pytest.raises(ZeroDivisionError), govern_requests():
        raise ZeroDivisionError
    assert requests.adapters.HTTPAdapter.send is before


@pytest.mark.parametrize(
    "text, value",
    [('{"a": 1}', {"a": 1}), ('var x={"a":1}\n/* notes */', {"a": 1}), ("/*<script>*/ cb([1,2]);", [1, 2]), ("=([{}]);", [{}])],
)  # fmt: skip
def test_json_behind_a_variable(text, value):
    assert transport.parse_loose_json(text, "x") == value


def test_code_in_an_answer_is_never_run(tmp_path):
    path = tmp_path / "pwned"
    text = f'var sh600519hfq={{"data": __import__("os").system("touch {path}")}}'
    with pytest.raises(ShapeChanged):
        transport.parse_loose_json(text, "factors")
    assert not path.exists()
    with pytest.raises(ShapeChanged):
        transport.parse_loose_json("[" * 100_000, "deep")


def test_the_result_is_what_was_sent(gate):
    with serving(reply(body=json.dumps({"name": "贵州茅台"}, ensure_ascii=False).encode("gb18030"))) as server:
        assert ask(server, gate) == {"name": "贵州茅台"}


PROBING = """
import sys
from ia.organs.ohlcv.governor import Banned, Governor
governor = Governor(sys.argv[1])
try:
    number = governor.acquire("push2his.eastmoney.com")
except Banned:
    print("left alone")
else:
    governor.release(number)
    print("tried")
    if sys.argv[2] == "good":
        governor.record_success("push2his.eastmoney.com")
    elif sys.argv[2] == "bad":
        governor.record_ban("push2his.eastmoney.com", "connection closed")
    try:
        governor.acquire("push2his.eastmoney.com")
        print("and again")
    except Banned:
        pass
"""


def probing(path, answer):
    run = subprocess.run([sys.executable, "-c", PROBING, str(path), answer], capture_output=True, text=True, check=True)
    return run.stdout.split("\n")[:-1]


def half_way(path, reason="connection closed", retry_after=None):
    governor = Governor(str(path))
    governor.release(governor.acquire(HOST))
    governor.record_success(HOST)
    governor.record_ban(HOST, reason, retry_after)
    with pytest.raises(Banned):
        governor.acquire(HOST)


@pytest.mark.process
def test_after_an_end_half_way_three_later_processes_may_try_one_request_each(tmp_path):
    half_way(tmp_path / "hosts.db")
    tries = [probing(tmp_path / "hosts.db", "bad") for _ in range(5)]
    assert tries == [["tried"]] * 3 + [["left alone"]] * 2


@pytest.mark.process
def test_a_good_answer_to_a_probe_opens_the_site(tmp_path):
    half_way(tmp_path / "hosts.db")
    assert probing(tmp_path / "hosts.db", "good") == ["tried", "and again"]
    assert probing(tmp_path / "hosts.db", "none") == ["tried", "and again"]


def test_a_pause_that_a_host_asks_for_is_kept(tmp_path):
    half_way(tmp_path / "hosts.db", "HTTP 429", 600.0)
    assert probing(tmp_path / "hosts.db", "good") == ["left alone"]


def test_a_site_that_shuts_its_door_at_once_is_left_alone_by_all(tmp_path):
    Governor(str(tmp_path / "hosts.db")).record_ban(HOST, "connection closed")
    assert probing(tmp_path / "hosts.db", "good") == ["left alone"]


# failures for `ia doctor`


def test_the_last_failure_of_a_site_is_known_until_it_answers(governor):
    governor.release(governor.acquire(HOST))
    assert governor.site_states()["eastmoney.com"].failed_at == ""
    governor.record_failure(HOST, "no connection")
    state = governor.site_states()["eastmoney.com"]
    assert state.failure == "no connection"
    assert state.failed_at.startswith("20")
    governor.record_success(HOST)
    assert governor.site_states()["eastmoney.com"].failed_at == ""


def test_a_state_file_of_before_keeps_its_bans(tmp_path, clock):
    path = str(tmp_path / "hosts.db")
    old = Governor(path, clock, clock.sleep)
    old.release(old.acquire(HOST))
    old.record_ban(HOST, "HTTP 403")
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE failure")
    state = Governor(path, clock, clock.sleep).site_states()["eastmoney.com"]
    assert (state.reason, state.failure) == ("HTTP 403", "")
