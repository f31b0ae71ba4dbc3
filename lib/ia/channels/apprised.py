"""Apprise as a channel: one library, a hundred services. Its own log is read for the reason, and goes nowhere."""

import logging
import re
from typing import Any

from ia.channels.known import scheme_of
from ia.channels.parts import parts
from ia.errors import ConfigError, TryLater, Unavailable

CONNECT, READ = 5.0, 10.0  # seconds


class Apprised:
    """A channel of any service that Apprise knows."""

    def __init__(self, address: str) -> None:
        import apprise

        self.scheme = scheme_of(address)
        with _Log() as log:
            asset = apprise.AppriseAsset(
                app_id="ia", app_desc="ia", http_redirects=False, plugin_paths=[], secure_logging=True,
                storage_mode="memory",
            )  # fmt: skip
            try:
                self._service: Any = apprise.Apprise.instantiate(address, asset=asset)
            except Exception:  # a plugin that stumbles over an odd address; its words may hold a secret
                self._service = None
        if not self._service:
            unknown = any("schema" in line.lower() for line in log.lines)
            raise ConfigError(
                "{scheme}: no service of this scheme is known" if unknown else "the {scheme} address is not complete",
                scheme=self.scheme, hint="the addresses of all services: https://appriseit.com/services/",
            )  # fmt: skip
        self._service.socket_connect_timeout = min(self._service.socket_connect_timeout, CONNECT)
        self._service.socket_read_timeout = min(max(self._service.socket_read_timeout, READ), READ)

    def send(self, text: str, title: str = "") -> None:
        """Deliver a text, in parts of what the service takes.

        raises  TryLater, Unavailable.
        """
        import apprise

        room = max(int(self._service.body_maxlen) - len(title) - 8, 60)
        pieces = parts(text, room)
        for number, piece in enumerate(pieces, 1):
            with _Log() as log:
                try:
                    done = self._service.notify(
                        body=piece, title=title if number == 1 else "", body_format=apprise.NotifyFormat.TEXT
                    )
                except Exception as exc:
                    done, log.lines[:] = False, [type(exc).__name__]
            if not done:
                raise _failure(self.scheme, log.lines, number, len(pieces))


def _failure(scheme: str, lines: list[str], number: int, count: int) -> TryLater | Unavailable:
    code = next((int(found[1]) for line in lines if (found := re.search(r"error=(\d{3})\b", line))), None)
    if code is None:
        return TryLater("{scheme}: no connection", scheme=scheme)
    kind = TryLater if code >= 500 or code in (408, 425, 429) else Unavailable
    return kind("{scheme}: HTTP status {code}", scheme=scheme, code=code)


class _Log(logging.Handler):
    """Takes what Apprise logs instead of everybody else, while it is in use."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage()[:500])

    def __enter__(self) -> "_Log":
        logger = logging.getLogger("apprise")
        self._before = logger.propagate, logger.level, logger.handlers[:]
        logger.propagate, logger.handlers = False, [self]
        logger.setLevel(logging.WARNING)
        return self

    def __exit__(self, *_: object) -> None:
        logger = logging.getLogger("apprise")
        logger.propagate, logger.handlers = self._before[0], self._before[2]
        logger.setLevel(self._before[1])
