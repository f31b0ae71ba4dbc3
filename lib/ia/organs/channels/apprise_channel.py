"""Apprise as a channel: one library, a hundred services.

Its log is read for the reason of a failure, and goes nowhere: it may name what an address holds.
"""

import logging
import re
import warnings
from contextvars import ContextVar
from typing import Any

from ia.kernel.errors import ConfigError, TryLater, Unavailable
from ia.organs.channels.channel_registry import Unsent, connection_failure, partial_failure, scheme_of
from ia.organs.channels.splitting import split_message

CONNECT, READ = 5.0, 10.0  # seconds
PACE = 1.0
"""Seconds between two parts of a long text; Apprise would wait longer."""
_LIMITS = {"ntfy": 3000, "ntfys": 3000}
"""Bytes of one message, where it is less than Apprise says: a longer one becomes a file to be downloaded."""
_NEVER_LEFT = re.compile(
    r"NewConnectionError|ConnectTimeout|NameResolutionError|Failed to establish|ProxyError|Connection refused"
    r"|Network is unreachable|No route to host|Name or service not known|name resolution"
)
_CALLS = re.compile(r"@(?=(?:everyone|here|channel|all)\b)", re.I)


class Apprised:
    """A channel of any service that Apprise knows."""

    def __init__(self, address: str) -> None:
        self.scheme = scheme_of(address)
        with warnings.catch_warnings(), _listening() as lines:
            warnings.simplefilter("ignore")  # what libraries of other services say while they are loaded
            import apprise

            asset = apprise.AppriseAsset(
                app_id="ia",
                app_desc="ia",
                http_redirects=False,
                storage_mode="memory",
                service_timeout=0,  # its way of waiting leaves threads that the end of the process waits for
            )
            try:
                service: Any = apprise.Apprise.instantiate(address, asset=asset)
            except Exception:  # a plugin that stumbles over an odd address; its words may hold a secret
                service = None
        if not service:
            unknown = any(line.startswith(("Unparseable URL", "Unsupported URL")) for line in lines)
            raise ConfigError(
                "{scheme}: no service uses this scheme" if unknown else "the {scheme} address is incomplete",
                scheme=self.scheme,
                hint="address formats of all services: https://appriseit.com/services/",
            )
        service.redirects, service.retry = False, 0  # whatever the address says: a repeated message is no repair
        service.overflow_mode = apprise.OverflowMode.SPLIT
        service.socket_connect_timeout, service.socket_read_timeout = CONNECT, READ
        service.request_rate_per_sec = min(service.request_rate_per_sec, PACE)
        self._apprise = apprise.Apprise(asset=asset)
        self._apprise.add(service)

    @property
    def private(self) -> bool:
        """Whether the address holds what Apprise does not show: a token, a password."""
        service = self._apprise[0]
        return bool(service.url(privacy=True) != service.url(privacy=False))

    def send(self, text: str, title: str = "") -> None:
        """Deliver a text as text, whatever markup it looks like, in parts of what the service takes.

        Calls nobody (`@everyone`) by name.

        raises  TryLater, Unavailable.
        """
        import apprise

        body, heading = (_CALLS.sub("@\u200b", words) for words in (text, title))
        room = int(_LIMITS.get(self.scheme, self._apprise[0].body_maxlen)) - _count_bytes(heading) - 8
        pieces = split_message(body, max(room, 60), _count_bytes)
        for number, piece in enumerate(pieces):
            with _listening() as lines:
                try:
                    done = self._apprise.notify(
                        body=piece, title="" if number else heading, body_format=apprise.NotifyFormat.TEXT
                    )
                except Exception:
                    raise Unavailable("the channel's code failed") from None
            if not done:
                raise partial_failure(
                    _explain_failure(self.scheme, lines, alone=len(self._apprise[0]) == 1), number, len(pieces)
                )


def _count_bytes(text: str) -> int:
    """Return the length of a text as UTF-8: Apprise counts characters, some services (WeCom, ntfy) count bytes."""
    return len(text.encode(errors="replace"))


def _explain_failure(scheme: str, lines: list[str], *, alone: bool) -> TryLater | Unavailable:
    """Return what Apprise's log says went wrong, without its words: they may name what the address holds.

    alone   the address has one receiver: where it has more, another one may have got the message
    """
    code = next((int(found[1]) for line in lines if (found := re.search(r"\berror=(\d{3})\b", line))), None)
    if code is not None:
        kind = Unsent if code == 429 and alone else TryLater if code >= 500 or code in (408, 425) else Unavailable
        return kind("{scheme}: HTTP status {status}", scheme=scheme, status=code)
    if alone and any(map(_NEVER_LEFT.search, lines)):
        return connection_failure(scheme, " ".join(filter(_NEVER_LEFT.search, lines)))
    if any("onnection" in line for line in lines):
        return TryLater("{scheme}: no response; the message may have arrived", scheme=scheme)
    return Unavailable("{scheme}: the service rejected the message", scheme=scheme)


_heard: ContextVar[list[str] | None] = ContextVar("_heard", default=None)


class _LogListener(logging.Handler):
    """Takes what Apprise logs, instead of everybody else."""

    def emit(self, record: logging.LogRecord) -> None:
        lines = _heard.get()
        if lines is not None:
            lines.append(record.getMessage()[:500])


_LISTENER = _LogListener()


class _listening:
    """Collects what Apprise logs in this context; from the first use on, nobody else hears it."""

    def __enter__(self) -> list[str]:
        logger = logging.getLogger("apprise")
        logger.handlers, logger.propagate = [_LISTENER], False
        logger.setLevel(logging.DEBUG)  # only there it says whether a connection was made
        lines: list[str] = []
        self._before = _heard.set(lines)
        return lines

    def __exit__(self, *_: object) -> None:
        _heard.reset(self._before)
