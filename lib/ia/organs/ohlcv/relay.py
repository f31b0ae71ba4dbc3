"""`market.relay`: a server of the user's own that is asked instead of all hosts, as RELAY/HOST/PATH?Q."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ia.kernel import config
from ia.kernel.errors import ConfigError

if TYPE_CHECKING:
    from requests import PreparedRequest, Response


class Relay(NamedTuple):
    """A server that is asked instead of the hosts: where its URLs begin, and whether it is on this machine."""

    start: str
    here: bool

    def forward_request(
        self, original: Callable[..., "Response"], request: "PreparedRequest", kwargs: Mapping[str, object]
    ) -> "Response":
        """Send a copy of the request to the relay; the response reads as if the host itself had answered."""
        from requests.utils import get_environ_proxies

        parts = urlsplit(request.url or "")
        sent = request.copy()
        sent.url = f"{self.start}/{parts.netloc}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")
        proxies = {} if self.here else get_environ_proxies(self.start)
        response = original(sent, **{**kwargs, "proxies": proxies})
        response.url, response.request = request.url or "", request
        return response


def configured_relay() -> Relay | None:
    """Return the relay of the setting; ConfigError where that is no plain URL, or http to another machine."""
    text = str(config.get_setting("market.relay") or "").rstrip("/")
    if not text:
        return None
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment or not text.isascii() or not text.isprintable() or " " in text:
        raise ConfigError("market.relay: {text!r} is not a valid URL", hint="write http://HOST:PORT", text=text[:80])
    here = _is_this_machine(parts.hostname or "")
    if parts.scheme == "http" and not here:  # a token and prices would cross a network in the clear
        raise ConfigError(
            "market.relay: {host} is another machine, which requires https://",
            hint="write https://{host}",
            host=parts.netloc,
        )
    return Relay(text, here)


def _is_this_machine(host: str) -> bool:
    """Whether a host is this machine, by its name or address alone: nothing is looked up."""
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"
