"""The client of an embeddings endpoint as OpenAI-compatible services have it: POST URL/embeddings.

Nothing that comes back is trusted: vectors are put in the order of their `index`, counted, and checked for dimension
and finite numbers. A key goes to the configured address only; redirects are not followed.
"""

import base64
import http.client
import json
import math
import struct
import time
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ia.kernel import config
from ia.kernel.digest import sha256
from ia.kernel.errors import ConfigError, TryLater, Unavailable

BATCH = 64
SECONDS, QUERY_SECONDS = 20.0, 6.0
"""Patience for texts, and for a question that somebody waits for."""
RETRIES = 2
LONGEST_WAIT = 20.0
MAX_REPLY = 64_000_000
MAX_TEXT = 8_000
"""Characters of a text that are embedded."""
MAX_DIMENSIONS = 20_000


class EmbeddingSpace(NamedTuple):
    """The settings embedding.*: what vectors are made with. weight: what a vector counts beside words, 0 to 1."""

    url: str
    model: str
    dimensions: int
    query_prefix: str
    document_prefix: str
    weight: float

    @property
    def key(self) -> str:
        """What tells vectors of one space from another's: they cannot be compared."""
        told = json.dumps([self.model, self.dimensions, self.query_prefix, self.document_prefix])
        return sha256(told.encode()).hexdigest()[:16]


def load_space() -> EmbeddingSpace | None:
    """Return the configured space; None where no endpoint is set.

    raises  ConfigError for an address or a weight that is none, or where the model is missing.
    """
    url = str(config.get_setting("embedding.url") or "").rstrip("/")
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("embedding.url: {url!r} is not an http address", url=url[:80])
    model = str(config.get_setting("embedding.model") or "")
    if not model:
        raise ConfigError("embedding.model is not set", hint="ia config set embedding.model NAME")
    weight = float(config.get_setting("embedding.weight"))
    if not 0 <= weight <= 1:
        raise ConfigError("embedding.weight: {weight:g} is not between 0 and 1", weight=weight)
    return EmbeddingSpace(
        url=url,
        model=model,
        dimensions=int(config.get_setting("embedding.dimensions") or 0),
        query_prefix=str(config.get_setting("embedding.query_prefix") or ""),
        document_prefix=str(config.get_setting("embedding.document_prefix") or ""),
        weight=weight,
    )


def embed_query(space: EmbeddingSpace, text: str) -> list[float]:
    """Return the vector of a question, of length 1. raises  as embed_texts()."""
    return _embed_batch(space, [space.query_prefix + text[:MAX_TEXT]], QUERY_SECONDS, 0)[0][0]


def embed_texts(space: EmbeddingSpace, texts: Sequence[str]) -> tuple[list[list[float]], int]:
    """Return the vectors of at most BATCH texts, of length 1, in their order, and the tokens that the service counted.

    raises  TryLater for a service that is down or busy, Unavailable for one that refuses or answers malformed vectors.
    """
    return _embed_batch(space, [space.document_prefix + text[:MAX_TEXT] for text in texts], SECONDS, RETRIES)


def _embed_batch(
    space: EmbeddingSpace, texts: Sequence[str], seconds: float, retries: int
) -> tuple[list[list[float]], int]:
    body: dict[str, object] = {"model": space.model, "input": list(texts), "encoding_format": "float"}
    if space.dimensions:
        body["dimensions"] = space.dimensions
    for attempt in range(retries + 1):
        try:
            reply = _post(space, body, seconds)
            break
        except _Busy as exc:
            if attempt == retries or exc.wait > LONGEST_WAIT:
                raise
            time.sleep(exc.wait if exc.wait >= 0 else 0.5 * 2.0**attempt)
    return _read_reply(space, reply, len(texts))


class _Busy(TryLater):
    """A failure that may pass; wait: seconds that the service asks for, -1 for none."""

    wait = -1.0


def _post(space: EmbeddingSpace, body: dict[str, object], seconds: float) -> Any:
    parts = urlsplit(space.url)
    make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    headers = {"content-type": "application/json", "accept": "application/json", "user-agent": "ia"}
    key = config.get_setting("embedding.api_key")
    if key:
        headers["authorization"] = f"Bearer {key}"
    try:
        connection = make(parts.hostname or "", parts.port, timeout=seconds)
        try:
            connection.request("POST", f"{parts.path}/embeddings", json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            data = answer.read(MAX_REPLY + 1)
        finally:
            connection.close()
    except TimeoutError:
        raise _Busy(
            "embeddings: no answer of {host} within {seconds:g} s", host=parts.hostname, seconds=seconds
        ) from None
    except (OSError, http.client.HTTPException, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or type(exc).__name__
        raise _Busy("embeddings: cannot reach {host}: {reason}", host=parts.hostname, reason=reason) from None
    if answer.status == 429 or answer.status >= 500:
        busy = _Busy("embeddings: {host} answers {status}", host=parts.hostname, status=answer.status)
        asked = answer.headers.get("retry-after", "")
        busy.wait = float(asked) if asked.replace(".", "", 1).isdigit() else -1.0
        raise busy
    if answer.status != 200:
        raise Unavailable("embeddings: {host} answers {status}", host=parts.hostname, status=answer.status)
    try:
        if len(data) > MAX_REPLY:
            raise ValueError
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Unavailable("embeddings: the answer of {host} is unreadable", host=parts.hostname) from None


def _read_reply(space: EmbeddingSpace, reply: Any, count: int) -> tuple[list[list[float]], int]:
    """Return the vectors of a reply in the order of the texts; raises Unavailable for anything odd."""
    host = urlsplit(space.url).hostname
    rows = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(rows, list) or len(rows) != count:
        told = len(rows) if isinstance(rows, list) else 0
        raise Unavailable("embeddings: {host} sent {told} vectors for {count} texts", host=host, told=told, count=count)
    found: dict[int, list[float]] = {}
    for row in rows:
        number = row.get("index") if isinstance(row, dict) else None
        if type(number) is not int or not 0 <= number < count or number in found:
            raise Unavailable("embeddings: the answer of {host} is unreadable", host=host)
        found[number] = _read_vector(row.get("embedding"), host)
    lengths = {len(vector) for vector in found.values()}
    if len(lengths) != 1 or (space.dimensions and lengths != {space.dimensions}):
        raise Unavailable("embeddings: {host} sent vectors of another dimension", host=host)
    usage = reply.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else 0
    return [found[number] for number in range(count)], tokens if type(tokens) is int and tokens > 0 else 0


def _read_vector(told: Any, host: str | None) -> list[float]:
    """Return a vector of length 1 from numbers, or from base64 of little-endian float32."""
    try:
        if isinstance(told, str):
            data = base64.b64decode(told, validate=True)
            numbers = list(struct.unpack(f"<{len(data) // 4}f", data))
        else:
            numbers = [float(each) for each in told]
        size = math.sqrt(sum(each * each for each in numbers))
        if not 0 < len(numbers) <= MAX_DIMENSIONS or not math.isfinite(size) or size == 0:
            raise ValueError
        return [each / size for each in numbers]
    except (ValueError, TypeError, OverflowError, struct.error):
        raise Unavailable("embeddings: a vector of {host} has numbers that are none", host=host) from None
