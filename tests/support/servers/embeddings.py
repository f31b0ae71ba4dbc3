"""An embeddings service for tests: POST /v1/embeddings as OpenAI-compatible services answer it.

A vector is made of hashed words and pairs of characters; words of one line of SYNONYMS count as one word. The name of
the model says how it misbehaves: busy (429 once), broken (500), short, odd (an index twice), nan, zero, small (another
dimension), base64, turned (in reverse order), text (no JSON), mute (no answer).
"""

import base64
import contextlib
import hashlib
import json
import math
import re
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SYNONYMS = (
    "茅台 贵州茅台 白酒龙头 moutai", "止损 割肉 离场 stop-loss", "回撤 亏损幅度 drawdown", "宁德时代 电池龙头 catl",
    "分红 派息 现金红利 dividend", "套牢 被套 深套", "增持 回购 买入自家股票 buyback",
)  # fmt: skip
TOKENS = {word: f"#{number}" for number, line in enumerate(SYNONYMS) for word in line.split()}


def embed(text, size=256):
    """Return the vector of a text, of length 1."""
    low, tokens = text.lower(), []
    for word in sorted(TOKENS, key=len, reverse=True):
        if word in low:
            tokens += [TOKENS[word]] * 4
            low = low.replace(word, " ")
    for run in re.findall(r"[\u3400-\u9fff]+|[a-z0-9]+", low):
        tokens += ([run[at : at + 2] for at in range(len(run) - 1)] or [run]) if run[0] > "\u3000" else [run]
    out = [0.0] * size
    for token in tokens:
        digest = hashlib.sha256(token.encode()).digest()
        out[int.from_bytes(digest[:4], "big") % size] += 1.0 if digest[4] & 1 else -1.0
    length = math.sqrt(sum(each * each for each in out)) or 1.0
    return [each / length for each in out]


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def _reply(self, status, body, headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for key, value in (("content-length", str(len(data))), *headers):
            self.send_header(key, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(data)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append((self.path, dict(self.headers), asked))
        model, texts = asked["model"], asked["input"]
        if model == "busy" and len(self.server.asked) == 1:
            return self._reply(429, {"error": {"message": "slow down"}}, [("retry-after", "0")])
        if model == "broken":
            return self._reply(500, {"error": {"message": "boom"}})
        if model == "away":
            return self._reply(302, {}, [("location", "http://127.0.0.1:1/")])
        if model == "text":
            return self._reply(200, b"<html>")
        if model == "mute":
            time.sleep(1.0)
        rows = [embed(text, 128 if model == "small" else 256) for text in texts]
        rows = {"short": rows[:-1], "nan": [[None] * 256 for _ in rows], "zero": [[0.0] * 256 for _ in rows]}.get(
            model, rows
        )
        if model == "base64":
            rows = [base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode() for row in rows]
        data = [{"index": 0 if model == "odd" else at, "embedding": row} for at, row in enumerate(rows)]
        if model == "turned":
            data.reverse()
        return self._reply(200, {"data": data, "model": model, "usage": {"total_tokens": sum(map(len, texts))}})


@contextlib.contextmanager
def embeddings_service():
    """Serve until the block ends; `url` is the address up to /v1, `asked` the requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.asked, server.url = [], f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
