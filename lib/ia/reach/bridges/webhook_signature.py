"""Who signed a webhook: HMAC-SHA256 over its body, in one of the two forms that senders use.

Standard Webhooks (https://www.standardwebhooks.com): the headers webhook-id, webhook-timestamp and webhook-signature,
which covers `ID.TIMESTAMP.BODY`. GitHub: X-Hub-Signature-256, which covers the body alone; neither its delivery number
nor a time is signed, so whoever can read the traffic can send it again.

A secret is good for one form: a signature of the one form over a body is one of the other form over another body, so
that with a secret for both an event that is used up could be sent again.
"""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping

from ia.kernel.errors import ConfigError

TOLERANCE = 300
"""Seconds that a signed timestamp may lie before or after the present."""
SHORTEST = 16
"""Bytes that a secret has at least: a shorter one can be found by trying."""
HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature", "x-hub-signature-256", "x-github-delivery")
"""The headers that are read here, in small letters."""
MAX_SIGNATURES = 20
STANDARD, GITHUB = "standard", "github"
_PREFIX = "whsec_"
_ID = re.compile(r"[!-\-/-~]{1,200}")
"""What may be an id: printable ASCII without the full stop, which ends it in what is signed."""
_TIMESTAMP = re.compile(r"[0-9]{1,12}")
_HEX = re.compile(r"sha256=([0-9A-Fa-f]{64})")


def form_of(secret: str, chosen: str | None = None) -> str:
    """Return the form that a secret signs: the one that the setting chooses, else by how the secret begins."""
    return chosen or (STANDARD if secret.startswith(_PREFIX) else GITHUB)


def check_secret(secret: str) -> None:
    """Refuse a secret that protects nothing.

    raises  ConfigError.
    """
    if len(_decode_secret(secret)) < SHORTEST:
        raise ConfigError(
            "webhook.secret must have at least {shortest} bytes",
            shortest=SHORTEST,
            hint="create one with `openssl rand -hex 32`",
        )


def may_be_signed(headers: Mapping[str, str], at: float, form: str) -> bool:
    """Whether headers (names in small letters) may belong to a signed body: nothing else is worth reading.

    at  the present, seconds since the epoch
    """
    if form == STANDARD:
        timestamp = headers.get("webhook-timestamp", "")
        fresh = _TIMESTAMP.fullmatch(timestamp) is not None and abs(at - int(timestamp)) <= TOLERANCE
        signed = "webhook-signature" in headers
        return signed and fresh and _ID.fullmatch(headers.get("webhook-id", "")) is not None
    return _HEX.fullmatch(headers.get("x-hub-signature-256", "")) is not None


def verify_signature(headers: Mapping[str, str], body: bytes, secret: str, at: float, form: str) -> str | None:
    """Return the id of a body that was signed with the secret in this form; None for any other.

    Compares in constant time.

    Standard Webhooks takes a secret that begins with `whsec_` for base64, as its senders do; GitHub's key is the secret
    as it is written, and its id X-GitHub-Delivery, which is not signed, else the SHA-256 of the body.
    """
    if not may_be_signed(headers, at, form):
        return None
    if form == STANDARD:
        id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
        wanted = _sign_standard(_decode_secret(secret), id, timestamp, body)
        given = headers["webhook-signature"].split()[:MAX_SIGNATURES]
        matches = [hmac.compare_digest(wanted, signature.encode("latin-1", "replace")) for signature in given]
        return id if any(matches) else None
    wanted = hmac.new(secret.encode("utf-8", "surrogateescape"), body, hashlib.sha256).hexdigest().encode()
    if not hmac.compare_digest(wanted, headers["x-hub-signature-256"][7:].lower().encode()):
        return None
    delivery = headers.get("x-github-delivery", "")
    return delivery if _ID.fullmatch(delivery) else hashlib.sha256(body).hexdigest()


def _sign_standard(key: bytes, id: str, timestamp: str, body: bytes) -> bytes:
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return b"v1," + base64.b64encode(digest)


def _decode_secret(secret: str) -> bytes:
    if not secret.startswith(_PREFIX):
        return secret.encode("utf-8", "surrogateescape")
    try:
        return base64.b64decode(secret[len(_PREFIX) :], validate=True)
    except binascii.Error:
        raise ConfigError("webhook.secret begins with whsec_, but the rest is not valid base64") from None
