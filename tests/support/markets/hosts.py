"""A made-up mainland market behind a relay: what Eastmoney, Sina and Tencent would send of it, and how they fail.

In a test, in-process or for processes that it starts:

    with Hosts(Market(symbols=300, start="2024-05-06", days=30)) as hosts:
        hosts.use(monkeypatch)                      # IA_MARKET_RELAY, IA_MARKET_ADAPTER=akshare; IA_NOW is yours
        hosts.market.at("2024-06-14")               # the market's clock; `at(day, "10:30:00")` is in the session
        hosts.fail("ban", "clist", after=3)         # the fourth request for a snapshot page is cut off, and all later
        hosts.count("clist"), hosts.asked           # what was asked: "host/path?query"

By hand: `PYTHONPATH=tests python -m support.markets.hosts --port 8000 --symbols 5500 --days 30`, then `IA_MARKET_RELAY=http://127.0.0.1:8000`;
`curl -d '' '127.0.0.1:8000/_/at?day=2024-06-14'` and `…/_/fail?mode=ban&part=clist&after=3` work from outside.
"""

import argparse
import contextlib
import copy
import functools
import gzip
import http.server
import json
import socket
import sys
import threading
import time
from collections import Counter
from urllib.parse import parse_qs, unquote, urlsplit

from support.markets.host_answers import answer
from support.markets.simulated import Market, codes, trading_days

__all__ = ["DAY", "MODES", "Hosts", "Market", "codes", "past_day", "trading_days"]

DAY = "2024-06-14"


class Hosts(http.server.ThreadingHTTPServer):
    """The relay: a server on the loopback that ends with its `with` block. `url` is what IA_MARKET_RELAY wants."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, market, port=0):
        super().__init__(("127.0.0.1", port), _Handler)
        self.market, self.asked, self.faults, self.lock = market, [], [], threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *failure):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """Say nothing of clients that went away; they are meant to."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def use(self, monkeypatch):
        """Send all requests of this process, and of those it starts, here. The time-out is short."""
        monkeypatch.setenv("IA_MARKET_RELAY", self.url)
        monkeypatch.setenv("IA_MARKET_ADAPTER", "akshare")
        monkeypatch.setenv("IA_MARKET_TIMEOUT", "2")

    def fail(self, mode, part="", after=0, times=None):
        """Fail requests whose "host/path?query" has `part` in it: all after the first `after`, or `times` of them."""
        assert mode in MODES, f"{mode}: one of {', '.join(MODES)}"
        with self.lock:
            self.faults.append([mode, part, after, times])

    def say(self, part, body, status=200, headers=None):
        """Answer requests with `part` in their "host/path?query" with this body, whatever the market is."""
        with self.lock:
            self.faults.append([_says(status, body, headers), part, 0, None])

    def heal(self):
        """Forget all failures and sayings."""
        with self.lock:
            self.faults.clear()

    def count(self, part=""):
        """How many requests had `part` in their "host/path?query"."""
        return sum(part in url for url in self.asked)

    def paths(self):
        """How many requests each "host/path" had."""
        return Counter(url.partition("?")[0] for url in self.asked)

    def due(self, url):
        """The failure of this request, or None."""
        with self.lock:
            self.asked.append(url)
            for fault in self.faults:
                mode, part, after, times = fault
                if part not in url:
                    continue
                if after > 0:
                    fault[2] -= 1
                elif times is None or times > 0:
                    fault[3] = None if times is None else times - 1
                    return mode
            return None


@contextlib.contextmanager
def past_day(monkeypatch):
    """Hosts of 250 stocks and 6 funds over 30 days, the last of which, DAY, is the present."""
    with Hosts(Market(250, "2024-05-06", 30, etfs=6)) as hosts:
        hosts.use(monkeypatch)
        hosts.market.at(DAY)
        monkeypatch.setenv("IA_NOW", f"{DAY}T16:00+08:00")
        yield hosts


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        parts = urlsplit(self.path)
        host, _, path = parts.path.lstrip("/").partition("/")
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        if host == "_":
            return self.control(path, query)
        mode = self.server.due(f"{host}/{path}?{unquote(parts.query)}")
        fault = mode if callable(mode) else MODES.get(mode)
        if fault in (None, _reshape):
            body = self.made(mode, host, "/" + path, query)
            return self.send(404, "<html>404 Not Found</html>") if body is None else self.send(200, body)
        return fault(self)

    do_POST = do_GET

    def made(self, mode, host, path, query):
        market = self.server.market
        if mode == "stale":
            market = copy.copy(market)
            market.at([day for day in market.days if day < market.today][-1])
        body = answer(market, host, path, query)
        return _reshape(body, mode) if mode else body

    def control(self, path, query):
        market = self.server.market
        if path == "at":
            market.at(query["day"], query.get("clock", "15:00:00"))
        elif path == "fail":
            times = int(query["times"]) if "times" in query else None
            self.server.fail(query["mode"], query.get("part", ""), int(query.get("after", 0)), times)
        elif path == "heal":
            self.server.heal()
        return self.send(200, {"day": market.day, "clock": market.clock, "paths": self.server.paths()})

    def send(self, status, body, headers=None):
        data = json.dumps(body, ensure_ascii=False).encode() if isinstance(body, dict | list) else body
        data = data.encode() if isinstance(data, str) else data
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(data)
        except OSError:
            self.close_connection = True

    def log_message(self, *args):
        pass


def _cut(handler):
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def _half(handler):
    handler.send(200, b'{"rc":0,"data":{"total":5500,"diff":[{"f2":3.69,"f3":10.1')


def _torn(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.wfile.write(b'{"rc":0,"data":')
    _cut(handler)


def _hang(handler):
    time.sleep(5)
    handler.close_connection = True


def _drip(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    try:
        for _ in range(300):
            handler.wfile.write(b" ")
            time.sleep(0.1)
    except OSError:
        pass
    handler.close_connection = True


def _slow(handler):
    time.sleep(0.3)
    parts = urlsplit(handler.path)
    host, _, path = parts.path.lstrip("/").partition("/")
    query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    handler.send(200, answer(handler.server.market, host, "/" + path, query))


@functools.cache
def _squeezed(layers, size):
    data = b"[" * size
    for _ in range(layers):
        data = gzip.compress(data, 1 if len(data) > 10**8 else 9)
    return data


def _bomb(handler):
    handler.send(200, _squeezed(1, 200_000_000), {"Content-Encoding": "gzip"})


def _bombs(handler):
    handler.send(200, _squeezed(3, 300_000_000), {"Content-Encoding": "gzip, gzip, gzip"})


def _says(status, body, headers=None):
    return lambda handler: handler.send(status, body, headers)


_PRICES = ("f2", "f15", "f16", "f17", "f18")
_OPTIONAL = ("f26", "f37", "f100", "f103", "f115", "f124")
_TEXTS = ("trade", "high", "low", "open", "settlement")


def _reshape(body, mode):
    """The good answer bent: columns one place on, negative prices, other names, shares for lots, optional fields "-"."""
    rows = body.get("data") and body["data"].get("diff") if isinstance(body, dict) else body
    if not isinstance(rows, list):
        return body
    for row in rows:
        keys = [key for key in row if key not in ("f12", "f13", "f14", "symbol", "code", "name")]
        if mode == "shifted":
            row.update(zip(keys, [row[key] for key in keys[1:]] + [1.0], strict=True))
        elif mode == "negative":
            row.update({key: -row[key] for key in _PRICES if isinstance(row.get(key), float)})
            row.update({key: f"-{row[key]}" for key in _TEXTS if isinstance(row.get(key), str)})
        elif mode == "bare":
            row.update({key: "-" for key in _OPTIONAL if key in row})
        elif mode == "renamed":
            for key in keys:
                row[f"g{key}"] = row.pop(key)
        elif mode == "lots":
            row.update({key: row[key] * 100 for key in ("f5", "volume") if isinstance(row.get(key), int)})
    return body


MODES = {
    "ban": _cut,
    "403": _says(403, "<html>forbidden</html>"),
    "429": _says(429, "slow down", {"Retry-After": "60"}),
    "502": _says(502, "<html>502 Bad Gateway</html>"),
    "captcha": _says(200, "<html><body>请输入验证码</body></html>"),
    "html": _says(200, "<html><body>Service moved</body></html>"),
    "empty": _says(200, ""),
    "null": _says(200, {"rc": 102, "rt": 6, "svr": 1, "lt": 1, "full": 0, "dlmkts": "", "data": None, "result": None}),
    "none": _says(200, {"rc": 0, "data": {"total": 0, "diff": [], "klines": []}, "result": None}),
    "busy": _says(200, {"success": False, "message": "系统繁忙", "code": 9701, "result": None}),
    "half": _half,
    "torn": _torn,
    "hang": _hang,
    "drip": _drip,
    "slow": _slow,
    "elsewhere": _says(302, "", {"Location": "http://attacker.invalid/"}),
    "big": _says(200, b"[" + b"1," * 21_000_000 + b"1]"),
    "deep": _says(200, b"[" * 200_000),
    "bomb": _bomb,
    "bombs": _bombs,
    "stale": _reshape,
    "bare": _reshape,
    "shifted": _reshape,
    "negative": _reshape,
    "renamed": _reshape,
    "lots": _reshape,
}
"""How a request fails: by its connection, by status and body, or by a good answer that is bent."""


def main():
    parser = argparse.ArgumentParser(description="serve a made-up market as a relay (IA_MARKET_RELAY)")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--symbols", type=int, default=500)
    parser.add_argument("--etfs", type=int, default=0)
    parser.add_argument("--start", default="2024-01-02")
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at", help="the market's day; the last one by default")
    parser.add_argument("--fail", action="append", default=[], metavar="MODE[:PART[:AFTER]]")
    args = parser.parse_args()
    market = Market(args.symbols, args.start, args.days, args.seed, etfs=args.etfs)
    if args.at:
        market.at(args.at)
    with Hosts(market, args.port) as hosts:
        for text in args.fail:
            mode, part, after = (*text.split(":"), "", "")[:3]
            hosts.fail(mode, part, int(after or 0))
        print(hosts.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
