"""An S3 server on loopback: buckets in memory, requests signed by version 4, as the real one checks them.

    with S3Server("bars") as server:
        server.use(monkeypatch)                     # AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID … are now this server's
        server.buckets["bars"]["a/b"] == b"…"

`server.deny.add("PUT")` refuses a method with 403 AccessDenied; `server.gets` lists the objects that were read.
"""

import hashlib
import hmac
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlsplit

KEY, SECRET, REGION = "AKIAONLOOPBACK", "secret/of+loopback", "us-east-1"


class S3Server:
    def __init__(self, *buckets):
        self.buckets = {name: {} for name in buckets}
        self.deny, self.gets = set(), []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def environment(self):
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": REGION,
            "NO_PROXY": "127.0.0.1",
        }

    def use(self, monkeypatch):
        for name, value in self.environment().items():
            monkeypatch.setenv(name, value)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: S3Server

    def log_message(self, *_):
        pass

    def _serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        bucket, _, key = unquote(urlsplit(self.path).path).lstrip("/").partition("/")
        if not self._is_signed(body):
            return self._answer(403, "SignatureDoesNotMatch")
        if self.command in self.owner.deny:
            return self._answer(403, "AccessDenied")
        if bucket not in self.owner.buckets:
            return self._answer(404, "NoSuchBucket")
        objects = self.owner.buckets[bucket]
        if self.command == "PUT":
            objects[key] = body
            return self._send(200, b"", hashlib.md5(body).hexdigest())
        if self.command == "DELETE":
            objects.pop(key, None)
            return self._send(204, b"")
        if key not in objects:
            return self._answer(404, "NoSuchKey")
        self.owner.gets.append(key)
        return self._send(200, objects[key], hashlib.md5(objects[key]).hexdigest())

    do_GET = do_HEAD = do_PUT = do_DELETE = _serve

    def _answer(self, status, code):
        self._send(status, f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode())

    def _send(self, status, body, tag=""):
        self.send_response(status)
        if tag:
            self.send_header("ETag", f'"{tag}"')
            self.send_header("Last-Modified", "Fri, 15 Mar 2024 08:30:00 GMT")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _is_signed(self, body):
        """Return whether the request carries the signature (version 4) that its content and the secret give."""
        method, _, told = self.headers.get("Authorization", "").partition(" ")
        parts = dict(part.strip().split("=", 1) for part in told.split(",") if "=" in part)
        if method != "AWS4-HMAC-SHA256" or not parts.get("Credential", "").startswith(f"{KEY}/"):
            return False
        scope = parts["Credential"].split("/", 1)[1]
        address = urlsplit(self.path)
        query = "&".join(
            f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}"
            for name, value in sorted(parse_qsl(address.query, keep_blank_values=True))
        )
        names = parts["SignedHeaders"].split(";")
        headers = "".join(f"{name}:{' '.join(self.headers[name].split())}\n" for name in names)
        digest = self.headers["x-amz-content-sha256"]
        if digest not in ("UNSIGNED-PAYLOAD", hashlib.sha256(body).hexdigest()):
            return False
        request = "\n".join([self.command, address.path, query, headers, ";".join(names), digest])
        text = "\n".join([method, self.headers["x-amz-date"], scope, hashlib.sha256(request.encode()).hexdigest()])
        key = b"AWS4" + SECRET.encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return hmac.compare_digest(hmac.new(key, text.encode(), hashlib.sha256).hexdigest(), parts["Signature"])
