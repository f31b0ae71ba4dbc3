"""Fetch a document from a public web server: its address is checked at every step, its size and time are limited.

A host is looked up once, and the connection goes to the address that was checked; so a name cannot lead elsewhere in
between. No proxy is used. Private addresses are refused but for those that the owner allows.
"""

import http.client
import ipaddress
import os
import re
import socket
import ssl
import time
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from ia.kernel import config
from ia.kernel.errors import BadData, IaError, NotFound, Refused, TryLater, Unavailable

MAX_BYTES = 40_000_000
SECONDS = 20.0
TOTAL_SECONDS = 120.0
HOPS = 5
NETWORKS = "web.private_networks"
"""The setting with private networks whose pages may be fetched."""
_KINDS = {
    "application/pdf": ".pdf",
    "application/epub+zip": ".epub",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
}


class Fetched(NamedTuple):
    """A document as a server sent it: where it was found at last, bytes, a file name and the charset of its header."""

    url: str
    data: bytes
    name: str
    charset: str


def is_url(text: str) -> bool:
    """Return True for what begins as an address: `https://…`, also of a protocol that is not supported."""
    return bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://", text))


def is_public(address: str) -> bool:
    """Return True for an address of the public internet."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_global and not found.is_multicast


def is_allowed(address: str) -> bool:
    """Return True for a public address, and for one of the networks that the owner allows (`web.private_networks`)."""
    if is_public(address):
        return True
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
        networks = [ipaddress.ip_network(word) for word in config.get_setting_words(NETWORKS)]
    except ValueError:
        return False
    return any(found in network for network in networks)


def numeric_address(host: str) -> str:
    """Return the address that a host is, in any of its spellings (`127.1`, `0x7f000001`, `[::1]`); "" for a name."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    if not re.fullmatch(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){0,3}", host, re.I):
        return ""
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return "0.0.0.0"


def require_allowed_host(url: str) -> None:
    """Look a host up; raises Refused for a private address, BadData, Unavailable."""
    _, host, port = _split(url)
    _resolve(host, port, is_allowed, url)


def fetch_document(url: str, *, allow: Callable[[str], bool] = is_allowed) -> Fetched:
    """Return what a server sends for an address; redirects are followed and checked alike.

    allow   whether an address may be connected to
    raises  Refused for a private address or another protocol; NotFound, Unavailable, TryLater, BadData (too large).
    """
    deadline = time.monotonic() + TOTAL_SECONDS
    for _ in range(HOPS + 1):
        answer, location = _request(url, allow, deadline)
        if answer is not None:
            return answer
        url = urljoin(url, location)
    raise Unavailable("{url}: too many redirects", url=url[:200])


def _request(url: str, allow: Callable[[str], bool], deadline: float) -> tuple[Fetched | None, str]:
    """Return the document, or None and where the server sends us."""
    parts, host, port = _split(url)
    connection = _connect(parts.scheme, host, port, allow, url)
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        path = path.encode("utf-8").decode("latin-1") if path.isascii() else _quote(path)
        connection.request("GET", path, headers={"User-Agent": "ia-knowledge", "Accept": "*/*"})
        response = connection.getresponse()
        if response.status in (301, 302, 303, 307, 308):
            return None, response.getheader("Location") or ""
        _check_status(response.status, url)
        return _read_answer(response, url, deadline), ""
    except (OSError, http.client.HTTPException) as exc:
        raise _explain(exc, host) from None
    finally:
        connection.close()


def _split(url: str) -> tuple[SplitResult, str, int]:
    """Return the parts of an address, its host and its port; raises Refused, BadData."""
    if not url.lower().startswith(("http://", "https://")):
        raise Refused("{url}: only http and https addresses are supported", url=url[:200])
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        host = ""
    if not host or not url.isprintable() or set(url) & set("\\ "):
        raise BadData("{url}: not a valid address", url=url[:200])
    if parts.username or parts.password:
        raise Refused("{url}: an address with a password is not supported", url=f"{parts.scheme}://{host}")
    return parts, host, port


def _resolve(host: str, port: int, allow: Callable[[str], bool], url: str) -> str:
    """Return an address of a host, all of whose addresses are allowed; raises Unavailable, Refused."""
    try:
        found = [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise Unavailable("{url}: no such host", url=url[:200]) from None
    if not found or not all(map(allow, found)):
        raise Refused("{url}: the host is in a private network", url=url[:200])
    return found[0]


def _quote(path: str) -> str:
    from urllib.parse import quote

    return quote(path, safe="/?&=%:+,;@!$'()*~-._")


def _connect(scheme: str, host: str, port: int, allow: Callable[[str], bool], url: str) -> http.client.HTTPConnection:
    address = _resolve(host, port, allow, url)
    try:
        plain = socket.create_connection((address, port), timeout=SECONDS)
        plain.settimeout(SECONDS)
        if scheme == "https":
            context = ssl.create_default_context()
            plain = context.wrap_socket(plain, server_hostname=host)
    except (OSError, UnicodeError) as exc:
        raise _explain(exc, host) from None
    connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
    connection.sock = plain
    return connection


def _explain(exc: Exception, host: str) -> IaError:
    if isinstance(exc, ssl.SSLCertVerificationError):
        return Unavailable("{host}: the certificate is not valid", host=host)
    if isinstance(exc, TimeoutError):
        return TryLater("{host} did not answer within {seconds} s", host=host, seconds=f"{SECONDS:g}")
    return TryLater("{host} cannot be reached", host=host)


def _check_status(status: int, url: str) -> None:
    if status in (404, 410):
        raise NotFound("{url}: the server has no such page", url=url[:200])
    if status == 429 or status >= 500:
        raise TryLater("{url}: the server answered HTTP {status}", url=url[:200], status=status)
    if status != 200:
        raise Unavailable("{url}: the server answered HTTP {status}", url=url[:200], status=status)


def _read_answer(response: http.client.HTTPResponse, url: str, deadline: float) -> Fetched:
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(1 << 16):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BYTES:
            raise BadData("{url}: larger than {limit} MB", url=url[:200], limit=MAX_BYTES // 1_000_000)
        if time.monotonic() > deadline:
            raise TryLater(
                "{url}: the download took longer than {seconds} s", url=url[:200], seconds=int(TOTAL_SECONDS)
            )
    kind = (response.headers.get_content_type() or "").lower()
    charset = response.headers.get_content_charset() or ""
    return Fetched(url, b"".join(pieces), _file_name(url, kind), charset)


def _file_name(url: str, kind: str) -> str:
    """Return a file name for an address: the last part of its path, with the ending of what was sent."""
    parts = urlsplit(url)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    stem, suffix = os.path.splitext(last)
    ending = _KINDS.get(kind, "")
    if not ending or (suffix.lower() in (".md", ".markdown") and kind == "text/plain"):
        return last or parts.hostname or "page"
    return (
        f"{stem if suffix.lower() in _KINDS.values() or len(suffix) < 6 else last}{ending}"
        if last
        else (f"{parts.hostname or 'page'}{ending}")
    )
