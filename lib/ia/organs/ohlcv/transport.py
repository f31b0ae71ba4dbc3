"""How a request leaves this machine: politely, with time-outs and a size limit, and with errors that a person can read.

Inside `governed()` every request of `requests`, akshare's own included, passes here. What can go wrong is told apart:
the host has shut us out (Banned), it cannot be reached or does not answer (NoNetwork), it answers something else than
it used to (ShapeChanged), or it does not have the symbol (NotFound, raised by who asked). A request may carry a token
and an answer becomes a price, so that nothing is sent on to another site because a host says so.

What a relay answers (ia.organs.ohlcv.relay) is judged, limited and reported under the host that it stands for. One on
this machine is asked without a pause.
"""

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from ia.kernel import clock, config
from ia.kernel.errors import IaError, TryLater, Unavailable
from ia.organs.ohlcv import relay as relays
from ia.organs.ohlcv.governor import Banned, Governor

if TYPE_CHECKING:
    from requests import PreparedRequest, Response
    from tenacity import RetryCallState

MAX_BYTES = 40_000_000
TRIES = 3
HOPS = 5
LONGEST = 90.0
"""Seconds for all that one `governed()` asks for, waiting included, in time-outs of the setting (6 of them at 15 s)."""
_ELSEWHERE = "try again later, or try another data source with --adapter"
_BAN_STATUS = {403, 418, 429, 456, 514}
_is_captcha = re.compile("captcha|geetest|验证码|滑动验证|安全验证|访问过于频繁", re.I).search


class NoNetwork(TryLater):
    """A host that cannot be reached, does not answer in time, or says that it is out of order."""

    code = "host-unavailable"
    short = "timeout"


class Unreachable(NoNetwork):
    """No connection at all: mostly this machine has no network, so that trying for long is of no use."""

    code = "unreachable"
    short = "no connection"


class ShapeChanged(Unavailable):
    """An answer that is not what this source used to send."""

    code = "shape-changed"


class HttpAnswer(NamedTuple):
    """One response as it came, for checks that the caller of a library function cannot make on its result."""

    host: str
    status: int
    body: bytes


Seen = Callable[[HttpAnswer], None]
_patched = threading.RLock()


@contextlib.contextmanager
def govern_requests(
    seen: Seen | None = None, *, timeout: float | None = None, governor: Governor | None = None
) -> Iterator[None]:
    """Let every request of `requests` in this block pass the governor.

    seen     is called with each answer, and may raise.
    timeout  seconds without a byte, `market.timeout` by default; the whole block gets six times that.
    """
    from requests.adapters import HTTPAdapter

    patience = float(config.get_setting("market.timeout")) if timeout is None else timeout
    relay = relays.configured_relay()
    governor = governor or Governor(unhurried=bool(relay and relay.here))
    gate = _Gate(governor, patience, time.monotonic() + min(LONGEST, 6 * patience), seen)
    with _patched:
        original = HTTPAdapter.send

        def send(self: HTTPAdapter, request: "PreparedRequest", *args: object, **kwargs: object) -> "Response":
            if relay is None:
                return gate.send_with_retry(lambda **kw: original(self, request, **{**kwargs, **kw}), request)
            return gate.send_with_retry(
                lambda **kw: relay.forward_request(partial(original, self), request, {**kwargs, **kw}), request
            )

        HTTPAdapter.send = send  # type: ignore[method-assign]
        try:
            yield
        finally:
            HTTPAdapter.send = original  # type: ignore[method-assign]


def get_text(url: str, params: dict[str, str] | None = None, *, headers: dict[str, str] | None = None) -> str:
    """Return the text of a URL, UTF-8 or GB18030, in a `governed()` block."""
    import requests

    return _fetch_text(lambda: requests.get(url, params=params, headers=headers, timeout=LONGEST), url)


def post_json(url: str, payload: Mapping[str, object], what: str) -> object:
    """Return the JSON that a URL answers to a JSON body; ShapeChanged, naming `what`, where it is none."""
    import requests

    return parse_json(_fetch_text(lambda: requests.post(url, json=payload, timeout=LONGEST), url), what)


def post_form(url: str, fields: Mapping[str, str]) -> str:
    """Return the text that a URL answers to a form, UTF-8 or GB18030, in a `govern_requests()` block."""
    import requests

    return _fetch_text(lambda: requests.post(url, data=dict(fields), timeout=LONGEST), url)


def parse_json(text: str | bytes, what: str) -> object:
    """Return what a text of JSON says; ShapeChanged, naming `what`, where it is none or nested without end."""
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise shape_error(what, "not JSON") from None


def get_json(url: str, params: dict[str, str], what: str) -> object:
    """Return the JSON behind a URL, bare or assigned to a variable; ShapeChanged, naming `what`, where it is none."""
    return parse_loose_json(get_text(url, params), what)


def parse_loose_json(text: str, what: str) -> Any:
    """Return the JSON value in a text such as `var x={…};` or `cb([…])`. It is parsed, never evaluated."""
    import json

    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0:
        raise shape_error(what, "not JSON")
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        raise shape_error(what, "not JSON") from None


def shape_error(what: str, reason: str) -> ShapeChanged:
    """Return the error for an answer of another shape than `what`, a function or report, is known to have."""
    return ShapeChanged(
        "{what}: the response has an unexpected format: {reason}",
        hint="try another data source with --adapter, or a newer akshare that supports the new format",
        what=what,
        reason=reason,
    )


def _fetch_text(ask: Callable[[], "Response"], url: str) -> str:
    """Return the text of an answer; what `requests` itself cannot make sense of is a changed shape too."""
    import requests

    try:
        return _decode_body(ask().content)
    except (requests.RequestException, ValueError) as exc:
        raise translate_error(exc, urlsplit(url).hostname or "?") from None


def _decode_body(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("gb18030", "replace")


class _Gate:
    """What stands between a request and the network in one `governed()` block."""

    def __init__(self, governor: Governor, timeout: float, deadline: float, seen: Seen | None) -> None:
        self.governor, self.timeout, self.deadline, self.seen = governor, timeout, deadline, seen
        self.hops = 0

    def send_with_retry(self, original: Callable[..., "Response"], request: "PreparedRequest") -> "Response":
        """Send with back-off: what did not reach the host is tried again, a ban never."""
        import tenacity

        # Nothing of the environment but the proxy goes along: requests takes passwords from ~/.netrc unasked.
        request.headers.pop("Authorization", None)
        url = request.url or ""
        host = urlsplit(url).hostname or "?"
        pause = min(0.5, self.timeout / 10)
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(NoNetwork),
            stop=self._has_tried_enough,
            wait=tenacity.wait_exponential(multiplier=pause, max=8.0) + tenacity.wait_random(0, pause),
            reraise=True,
        )
        response: Response = retrying(self._send_once, original, host)
        if response.is_redirect:
            if _is_captcha(response.headers["Location"]):
                raise self.governor.record_ban(host, "captcha")
            self._check_redirect(request.method or "", url, response.headers["Location"])
        else:
            self.hops = 0
            if self.seen:
                self.seen(HttpAnswer(host, response.status_code, response.content))
        return response

    def _send_once(self, original: Callable[..., "Response"], host: str) -> "Response":
        left = self._seconds_left()
        if left <= 0:
            raise _timeout_error(host)
        number = self.governor.acquire(host, patience=left)
        try:
            response = self._receive_response(original, host)
            self._check_response(response, host)
        except NoNetwork as exc:
            status = exc.params.get("status")
            self.governor.record_failure(host, f"HTTP {status}" if status else exc.short)
            raise
        finally:
            self.governor.release(number)
        return response

    def _receive_response(self, original: Callable[..., "Response"], host: str) -> "Response":
        import requests
        import urllib3

        seconds = max(0.1, min(self.timeout, self._seconds_left()))
        try:
            response = original(stream=True, timeout=(seconds, seconds))
            self._read_body(response, host)
            return response
        except (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError):
            raise _timeout_error(host) from None
        except (requests.ConnectionError, urllib3.exceptions.HTTPError, ConnectionError) as exc:
            if _is_cut_off(exc):
                raise self.governor.record_ban(host, "connection closed") from None
            raise (_timeout_error(host) if self._seconds_left() <= 0 else _unreachable_error(host)) from None
        except OSError:  # requests' own errors are such, too
            raise _unreachable_error(host) from None

    def _read_body(self, response: "Response", host: str) -> None:
        """Read the body now, within size and time, so that nothing behind us can wait for it without end."""
        import urllib3

        if not isinstance(response.raw, urllib3.BaseHTTPResponse):  # an adapter of somebody's own: not from a socket
            response._content = response.content or b""
            return
        parts, size = [], 0
        # read1 returns what has come; a reader of whole chunks would wait for a server that drips
        read = getattr(response.raw, "read1", None) or response.raw.read
        while chunk := read(65536, decode_content=True):
            size += len(chunk)
            parts.append(chunk)
            if size > MAX_BYTES or self._seconds_left() <= 0:
                response.close()
                if size > MAX_BYTES:
                    raise shape_error(host, f"more than {MAX_BYTES} bytes")
                raise _timeout_error(host)
        response._content = b"".join(parts)
        response._content_consumed = True  # type: ignore[attr-defined]

    def _check_response(self, response: "Response", host: str) -> None:
        """Tell a ban, an outage and a good answer apart by status and body."""
        status = response.status_code
        if status in _BAN_STATUS:
            raise self.governor.record_ban(host, f"HTTP {status}", _retry_seconds(response))
        start = _decode_body(response.content[:20_000]).lstrip()
        if start.startswith("<") and _is_captcha(start):
            raise self.governor.record_ban(host, "captcha")
        if status >= 500:
            raise NoNetwork("{host} returned a server error: HTTP {status}", hint=_ELSEWHERE, host=host, status=status)
        if status < 400:
            self.governor.record_success(host)

    def _check_redirect(self, method: str, url: str, location: str) -> None:
        """Raise ShapeChanged unless a redirect stays within its site: GET only, never from https to http.

        `requests` would follow it anywhere and take the body of a POST, token and all, along.
        """
        self.hops += 1
        if method == "GET" and self.hops <= HOPS and self._is_same_site(url, location):
            return
        raise ShapeChanged(
            "{host} redirects the request to {target}, which ia does not follow",
            hint="try another data source with --adapter; `ia doctor` shows the state of each host",
            host=urlsplit(url).hostname or "?",
            target=one_line(location),
        )

    def _is_same_site(self, url: str, location: str) -> bool:
        # What parsers read differently is not followed: ours would check one host and the next one ask another.
        if not location.isascii() or not location.isprintable() or set(location) & set("\\@ "):
            return False
        try:
            here, there = urlsplit(url), urlsplit(urljoin(url, location))
            ports = {here.port, there.port} - {None, 80, 443}
        except ValueError:
            return False
        if there.scheme not in ("http", "https") or (here.scheme, there.scheme) == ("https", "http"):
            return False
        if ports and here.port != there.port:
            return False
        return self.governor.site_of(here.hostname or "") == self.governor.site_of(there.hostname or "?")

    def _has_tried_enough(self, state: "RetryCallState") -> bool:
        """Whether a request was tried often enough: twice where there is no connection, else TRIES times."""
        failed = state.outcome.exception() if state.outcome else None
        return self._seconds_left() <= 0 or state.attempt_number >= (2 if isinstance(failed, Unreachable) else TRIES)

    def _seconds_left(self) -> float:
        return self.deadline - time.monotonic()


def _is_cut_off(exc: BaseException) -> bool:
    """Whether the other end closed the connection, by the chain of exceptions under it: how Eastmoney bans."""
    from http.client import RemoteDisconnected

    seen: list[BaseException] = [exc]
    for error in seen:
        if isinstance(error, RemoteDisconnected | ConnectionResetError | ConnectionAbortedError | BrokenPipeError):
            return True
        below = (error.__cause__, error.__context__, getattr(error, "reason", None), *error.args)
        seen += [e for e in below if isinstance(e, BaseException) and not any(e is known for known in seen)]
    return False


def _retry_seconds(response: "Response") -> float | None:
    """Return the seconds that a Retry-After header asks for, given as seconds or as a date."""
    text = response.headers.get("Retry-After", "").strip()
    if not text:
        return None
    if text.isascii() and text.isdecimal():
        return float(text)
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, (parsedate_to_datetime(text) - clock.wall_time()).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def one_line(text: object, most: int = 120) -> str:
    """Return what a host says, fit for a message: on one line, so that it cannot write a line of its own, and short."""
    try:
        return " ".join(str(text).split())[:most]
    except (RecursionError, ValueError):  # nested or long without end
        return f"({type(text).__name__})"


def _unreachable_error(host: str) -> Unreachable:
    return Unreachable(
        "cannot reach {host}", hint="check the network, or try another data source with --adapter", host=host
    )


def _timeout_error(host: str) -> NoNetwork:
    return NoNetwork("{host} did not answer in time", hint=_ELSEWHERE, host=host)


def translate_error(exc: BaseException, what: str) -> IaError:
    """Return the error for what a library function raised on an answer that it could not read."""
    if isinstance(exc, IaError):
        return exc
    if isinstance(exc, RecursionError) or type(exc).__name__ == "JSONDecodeError":
        return shape_error(what, "not JSON")
    if isinstance(exc, KeyError):
        return shape_error(what, f"no field {exc}")
    return shape_error(what, f"{type(exc).__name__}: {one_line(exc)}")


__all__ = [
    "Banned",
    "HttpAnswer",
    "NoNetwork",
    "ShapeChanged",
    "get_json",
    "get_text",
    "govern_requests",
    "one_line",
    "parse_json",
    "parse_loose_json",
    "post_json",
    "shape_error",
    "translate_error",
]
