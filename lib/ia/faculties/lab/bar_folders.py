"""Where packed bars are: a folder, or a bucket of an S3 server, by obstore.

Credentials, region and endpoint come from the environment alone (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL …).
"""

import os
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from ia.kernel.errors import IaError, NotFound, Refused, TryLater, UsageError
from ia.kernel.extras import load_extra

_CLIENT = {"allow_http": True, "connect_timeout": "3s", "timeout": "30s"}
_RETRY = {
    "max_retries": 2,
    "retry_timeout": timedelta(seconds=10),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=1), "base": 2},
}


_VARIABLES = "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for your own server, AWS_ENDPOINT_URL"


class ObjectMissing(Exception):
    """There is no such object."""


class BarFolder:
    """The objects below a URL."""

    def __init__(self, url: str, *, create: bool = False) -> None:
        """Open a folder, or s3://BUCKET/PREFIX.

        Raises:
            UsageError: it is neither.
            NotFound: there is no such folder, and it is not to be created.
            ConfigError: the extra `cluster` is not installed.
        """
        self.remote = url.startswith("s3://")
        self._obstore, store = load_extra("cluster", "obstore"), load_extra("cluster", "obstore.store")
        if self.remote:
            self.url = url.rstrip("/")
            try:
                self._store: Any = store.from_url(self.url, client_options=_CLIENT, retry_config=_RETRY)
            except Exception:  # of several classes: the URL, or a variable of the environment
                raise UsageError("{url}: no bucket; write s3://BUCKET/FOLDER", url=url) from None
            return
        if "://" in url:
            raise UsageError("{url}: packed bars are in a folder or at s3://BUCKET/FOLDER", url=url)
        self.url = os.path.abspath(os.path.expanduser(url))
        if os.path.exists(self.url) and not os.path.isdir(self.url):
            raise UsageError("{url} is a file; give a folder, or s3://BUCKET/FOLDER", url=self.url)
        if not create and not os.path.isdir(self.url):
            raise NotFound("{url}: no such folder", url=self.url)
        try:
            if create:
                os.makedirs(self.url, exist_ok=True)
            if not os.access(self.url, os.R_OK | os.X_OK | (os.W_OK if create else 0)):
                raise PermissionError
            self._store = store.LocalStore(self.url)
        except Exception as error:  # of several classes
            raise self._translate(error) from None

    def get(self, path: str) -> bytes:
        """Return an object. raises  ObjectMissing; Refused without permission; TryLater."""
        try:
            return bytes(self._obstore.get(self._store, path).bytes())
        except FileNotFoundError:
            raise ObjectMissing(path) from None
        except Exception as error:  # of several classes
            raise self._translate(error) from None

    def put(self, path: str, data: bytes) -> None:
        """Write an object, at once. raises  NotFound for a bucket that is not there; Refused; TryLater."""
        try:
            self._obstore.put(self._store, path, data)
        except FileNotFoundError:
            raise NotFound("{url}: no such bucket", url=self.url) from None
        except Exception as error:  # of several classes
            raise self._translate(error) from None

    def remove(self, paths: Iterable[str]) -> None:
        """Remove objects that may be gone already. raises  Refused; TryLater."""
        for path in paths:
            try:
                self._obstore.delete(self._store, path)
            except FileNotFoundError:
                pass
            except Exception as error:  # of several classes
                raise self._translate(error) from None

    def _translate(self, error: Exception) -> IaError:
        exceptions = load_extra("cluster", "obstore.exceptions")
        if isinstance(error, (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError, PermissionError)):
            return Refused("{url}: no permission", url=self.url, hint=_VARIABLES if self.remote else None)
        return TryLater(
            "{url} cannot be reached: {reason}",
            url=self.url,
            reason=first_line(error),
            hint=_VARIABLES if self.remote else None,
        )


def first_line(error: BaseException) -> str:
    """Return the first line of what a package says of its failure."""
    return (str(error).splitlines() or [""])[0]
