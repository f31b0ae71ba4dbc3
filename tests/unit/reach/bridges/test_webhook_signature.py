"""Signatures of webhooks: the vectors of both forms' own documents, and whatever else may come."""

import base64
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.kernel.errors import ConfigError
from ia.reach.bridges import webhook_signature

KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
AT = 1614265330
STANDARD = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(AT),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
BODY = b'{"test": 2432232314}'
GITHUB_SECRET = "It's a Secret to Everybody"
GITHUB = {"x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}
HELLO = b"Hello, World!"


def verified(headers=STANDARD, body=BODY, secret=KEY, at=AT, form=None):
    """Verify in the form that the headers have, else in the one that is named."""
    form = form or (webhook_signature.GITHUB if "x-hub-signature-256" in headers else webhook_signature.STANDARD)
    return webhook_signature.verify_signature(headers, body, secret, at, form)


def signed(key, id, timestamp, body):
    """A signature of our own making, from the standard library alone."""
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return {"webhook-id": id, "webhook-timestamp": str(timestamp),
            "webhook-signature": "v1," + base64.b64encode(digest).decode()}  # fmt: skip


def test_the_vector_of_standard_webhooks():
    assert verified() == "msg_p5jXN8AQM9LWM0D4loKWxJek"


def test_the_vector_of_github():
    digest = hashlib.sha256(HELLO).hexdigest()
    assert verified(GITHUB, HELLO, GITHUB_SECRET, 0) == digest
    assert verified({**GITHUB, "x-github-delivery": "72d3162e-cc78"}, HELLO, GITHUB_SECRET, 0) == "72d3162e-cc78"
    assert verified(
        {"x-hub-signature-256": GITHUB["x-hub-signature-256"].upper().replace("SHA", "sha")}, HELLO, GITHUB_SECRET
    )


@pytest.mark.parametrize("late", [-300, -299, 0, 299, 300])
def test_a_timestamp_within_five_minutes(late):
    assert verified(at=AT + late)


@pytest.mark.parametrize("late", [-86400, -301, 301, 3600, 10**9])
def test_a_stale_or_future_timestamp(late):
    assert verified(at=AT + late) is None


def test_another_body_id_timestamp_or_secret():
    assert verified(body=BODY + b" ") is None
    assert verified({**STANDARD, "webhook-id": "msg_other"}) is None
    assert verified({**STANDARD, "webhook-timestamp": str(AT + 1)}) is None
    assert verified(secret="whsec_" + base64.b64encode(b"x" * 24).decode()) is None
    assert verified(GITHUB, HELLO + b"!", GITHUB_SECRET) is None
    assert verified(GITHUB, HELLO, GITHUB_SECRET + "!") is None


def test_one_of_several_signatures_is_enough():
    good = STANDARD["webhook-signature"]
    for several in (f"v1,AAAA {good}", f"{good} v1,AAAA", f"v1a,xyz v2,{good[3:]} {good}"):
        assert verified({**STANDARD, "webhook-signature": several})
    assert verified({**STANDARD, "webhook-signature": " ".join(["v1,AAAA"] * 1000 + [good])}) is None


GOOD = STANDARD["webhook-signature"]


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "v1",
        "v1,",
        GOOD[3:],
        "v2," + GOOD[3:],
        "V1," + GOOD[3:],
        GOOD + "=",
        GOOD[:-1],
        "v1,\xff\u4e2d",
        "\x00",
        GOOD.lower(),
    ],
)
def test_a_signature_that_is_none(signature):
    assert verified({**STANDARD, "webhook-signature": signature}) is None


@pytest.mark.parametrize("missing", list(STANDARD))
def test_a_header_that_is_missing(missing):
    headers = {name: value for name, value in STANDARD.items() if name != missing}
    assert verified(headers) is None
    assert not webhook_signature.may_be_signed(headers, AT, webhook_signature.STANDARD)


@pytest.mark.parametrize(
    "timestamp", ["", "now", "-1", f"{AT}.0", f" {AT}", f"+{AT}", "٠١٢٣", "1" * 13, f"{AT}\n", "1e9"]
)
def test_a_timestamp_that_is_none(timestamp):
    key = b"0" * 24
    headers = signed(key, "a", timestamp, BODY)
    assert verified(headers, secret="whsec_" + base64.b64encode(key).decode()) is None


@pytest.mark.parametrize("id", ["", "a.b", "a b", "a\n", "\u4e2d", "x" * 201, "a\x00"])
def test_an_id_that_is_none(id):
    """The full stop ends the id in what is signed: with one in it the same signature would fit another timestamp."""
    key = b"0" * 24
    assert verified(signed(key, id, AT, BODY), secret="whsec_" + base64.b64encode(key).decode()) is None


def test_a_signature_fits_no_other_split_of_what_was_signed():
    key = b"0123456789abcdef"
    headers = signed(key, "a", AT, f"{AT}.rest".encode())
    assert verified(headers, f"{AT}.rest".encode(), key.decode()) == "a"
    assert verified({**headers, "webhook-id": f"a.{AT}"}, b"rest", key.decode()) is None


@pytest.mark.parametrize("value", ["", "sha1=" + "0" * 40, "sha256=", "sha256=" + "0" * 63, "sha256=" + "0" * 65, "0" * 64,
                                   "sha256=" + "g" * 64, "sha256= " + "0" * 64])  # fmt: skip
def test_github_signatures_that_are_none(value):
    assert verified({"x-hub-signature-256": value}, HELLO, GITHUB_SECRET) is None


def test_a_bad_standard_signature_is_not_saved_by_another_form():
    both = {**STANDARD, "webhook-signature": "v1,AAAA", **GITHUB}
    assert verified(both, HELLO, GITHUB_SECRET, form=webhook_signature.STANDARD) is None


@pytest.mark.parametrize(
    ("secret", "chosen", "form"),
    [
        (KEY, None, "standard"),
        (GITHUB_SECRET, None, "github"),
        (KEY, "github", "github"),
        (GITHUB_SECRET, "standard", "standard"),
    ],
)
def test_a_secret_is_good_for_one_form(secret, chosen, form):
    assert webhook_signature.form_of(secret, chosen) == form


@pytest.mark.parametrize("key", ["0123456789abcdef", "a secret of the tests, 0123456789"])
def test_an_event_of_one_form_is_none_of_the_other(key):
    """HMAC over ID.TIMESTAMP.BODY is GitHub's signature of a body that reads so: it would come back for ever."""
    headers = signed(key.encode(), "msg_1", AT - 86400, b"{}")
    raw = f"msg_1.{AT - 86400}.{{}}".encode()
    again = {"x-hub-signature-256": "sha256=" + base64.b64decode(headers["webhook-signature"][3:]).hex()}
    for delivery in ("again-1", "again-2"):
        replayed = {**again, "x-github-delivery": delivery}
        assert webhook_signature.verify_signature(replayed, raw, key, AT, webhook_signature.STANDARD) is None
        assert (
            webhook_signature.verify_signature({**headers, **replayed}, raw, key, AT, webhook_signature.STANDARD)
            is None
        )
    hub = hmac.new(key.encode(), f"x.{AT}.y".encode(), hashlib.sha256).digest()
    forged = {
        "webhook-id": "x",
        "webhook-timestamp": str(AT),
        "webhook-signature": "v1," + base64.b64encode(hub).decode(),
    }
    assert webhook_signature.verify_signature(forged, b"y", key, AT, webhook_signature.GITHUB) is None


def test_a_delivery_that_is_no_id_is_not_taken_for_one():
    for delivery in ("", "a b", "\u4e2d", "x" * 300, "a\r\nb"):
        assert (
            verified({**GITHUB, "x-github-delivery": delivery}, HELLO, GITHUB_SECRET)
            == hashlib.sha256(HELLO).hexdigest()
        )


def test_a_secret_that_is_not_prefixed_is_taken_as_it_is_written():
    key = "0123456789abcdef"
    assert verified(signed(key.encode(), "a", AT, BODY), secret=key) == "a"
    assert verified(signed(base64.b64decode(key), "a", AT, BODY), secret=key) is None


@pytest.mark.parametrize(
    "secret", ["", "short", "x" * 15, "whsec_", "whsec_AAAA", "whsec_!!!!", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS"]
)
def test_secrets_that_protect_nothing(secret):
    with pytest.raises(ConfigError) as failure:
        webhook_signature.check_secret(secret)
    assert len(secret) < 8 or secret[6:] not in str(failure.value)


def test_secrets_that_do():
    webhook_signature.check_secret("x" * 16)
    webhook_signature.check_secret(KEY)
    webhook_signature.check_secret("\udcff" * 16)  # bytes of an environment that are no UTF-8
    assert verified(GITHUB, HELLO, "\udcff" * 16) is None


@given(st.dictionaries(st.sampled_from(webhook_signature.HEADERS), st.text(max_size=60)), st.binary(max_size=60))
def test_nothing_random_is_signed(headers, body):
    assert verified(headers, body, form=webhook_signature.STANDARD) is None
    assert verified(headers, body, form=webhook_signature.GITHUB) is None


@given(st.binary(min_size=16, max_size=64), st.binary(max_size=2000), st.integers(0, 10**11))
def test_what_is_signed_is_verified_and_nothing_near_it(key, body, timestamp):
    secret = "whsec_" + base64.b64encode(key).decode()
    headers = signed(key, "evt_1", timestamp, body)
    assert verified(headers, body, secret, timestamp) == "evt_1"
    assert verified(headers, body + b"\0", secret, timestamp) is None
    assert verified(headers, body, "whsec_" + base64.b64encode(key + b"1").decode(), timestamp) is None
