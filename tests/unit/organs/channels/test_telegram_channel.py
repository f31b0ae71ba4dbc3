"""Messages through Telegram: plain text, its refusals and its limits."""

import json
import time

import pytest

from ia.kernel import audit
from ia.kernel.errors import ConfigError, TryLater, Unavailable
from ia.organs.channels import channel_registry, sending
from ia.organs.channels import telegram_channel as bot
from ia.organs.channels.conformance import find_closed_port, run_service
from support.messages import TAKEN, TOKEN


@pytest.fixture
def chat(monkeypatch, ws):
    with run_service(body=TAKEN) as running:
        monkeypatch.setenv("TELEGRAM_TOKEN", TOKEN)
        monkeypatch.setenv("IA_TELEGRAM_API", f"http://127.0.0.1:{running.server_port}/")
        ws.write("config.yaml", "channels:\n  phone: telegram:-100123\n")
        yield running


def test_telegram_gets_plain_text_without_previews(ws, chat):
    (notice,) = sending.send_message(ws, "**x** <b> http://a.b", to="phone", title="T")
    assert notice.state == "sent"
    (request,) = chat.asked
    assert request.path == f"/bot{TOKEN}/sendMessage"
    assert json.loads(request.body) == {
        "chat_id": -100123, "text": "T\n\nx <b> http://a.b", "link_preview_options": {"is_disabled": True},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("status", "answer", "kind", "told"),
    [
        (403, {"ok": False, "description": "Forbidden: bot was blocked by the user"}, Unavailable, "blocked by the user"),
        (400, {"ok": False, "description": "Bad Request: chat not found\x1b[2J" + "x" * 999}, Unavailable, "chat not found"),
        (401, {"ok": False, "description": "Unauthorized"}, Unavailable, "401"),
        (429, {"ok": False, "parameters": {"retry_after": 3600}}, TryLater, "429"),
        (500, [], TryLater, "500"),
        (200, {"ok": False}, Unavailable, "200"),
    ],
)  # fmt: skip
def test_what_telegram_refuses_is_reported_in_its_words(ws, chat, status, answer, kind, told):
    chat.status, chat.body = status, json.dumps(answer).encode()
    with pytest.raises(kind) as failure:
        channel_registry.open_channel("telegram:7").send("x")
    assert told in str(failure.value) and "\x1b" not in str(failure.value) and len(str(failure.value)) < 250
    assert TOKEN not in str(failure.value)
    assert len(chat.asked) == 1
    assert isinstance(failure.value, channel_registry.Unsent) == (status == 429)


def test_an_answer_that_repeats_the_token_is_not_told(ws, chat):
    secret = TOKEN.partition(":")[2]
    for said in (f"no route for /bot{TOKEN}/sendMessage", f"x {secret}", f"Bad: {TOKEN}", f"/BOT{TOKEN[:20]}"):
        chat.status, chat.body = 502, json.dumps({"ok": False, "description": said}).encode()
        (notice,) = sending.send_message(ws, "x", to="phone")
        assert notice.error == "telegram: HTTP status 502"
    assert secret not in str(audit.events(ws.db))


def test_a_long_text_that_is_cut_off_says_where(ws, chat):
    chat.first, chat.status = [200, 200, 200], 429
    (notice,) = sending.send_message(ws, "字" * 40_000, to="phone", key="k")
    assert notice.state == "failed"  # it is not tried again: the beginning has arrived
    assert notice.error == "telegram: HTTP status 429; 3 of 10 parts arrived"
    assert len(chat.asked) == 4


def test_telegram_cannot_be_reached(chat, monkeypatch):
    monkeypatch.setenv("IA_TELEGRAM_API", f"http://127.0.0.1:{find_closed_port()}")
    with pytest.raises(channel_registry.Unsent, match="connection refused"):
        channel_registry.open_channel("telegram:7").send("x")
    monkeypatch.setenv("IA_TELEGRAM_API", "https://nowhere.invalid")
    with pytest.raises(channel_registry.Unsent, match="host not found"):
        channel_registry.open_channel("telegram:7").send("x")


def test_telegram_is_asked_again_when_it_says_so(chat):
    chat.body, chat.first = b'{"ok": true, "parameters": {"retry_after": 1}}', [429]
    began = time.monotonic()
    channel_registry.open_channel("telegram:7").send("x")
    assert len(chat.asked) == 2 and time.monotonic() - began >= 1


def test_telegram_hangs(chat, monkeypatch):
    monkeypatch.setattr(bot, "TIMEOUT", 0.3)
    chat.silent.set()
    with pytest.raises(TryLater, match="may have arrived"):
        channel_registry.open_channel("telegram:7").send("x")


@pytest.mark.parametrize(
    "address", ["telegram:", "telegram:x", "telegram://7", "telegram:7/../x", "telegram:@a b", "telegram:7?x"]
)
def test_an_invalid_chat_is_refused(chat, address):
    with pytest.raises(ConfigError, match="address is incomplete"):
        channel_registry.open_channel(address)


def test_the_token_never_travels_in_the_clear(chat, monkeypatch):
    for api in (
        "http://api.telegram.org",
        "http://127.0.0.1.evil.example",
        "ftp://x",
        "http://127.0.0.1@evil.example",
        "",
        "https://api.telegram.org@evil.example",
        "https://x y",
        "https://a?b",
        "https://a#b",
        "https://evil\\@api.telegram.org",
        "http://localhost:1@evil/",
        "http://localhost.evil/",
        "https://:443",
        "https://a:port",
        "file:///etc",
    ):
        monkeypatch.setenv("IA_TELEGRAM_API", api or "http://")
        with pytest.raises(ConfigError, match="https"):
            channel_registry.open_channel("telegram:7")
    monkeypatch.delenv("TELEGRAM_TOKEN")
    with pytest.raises(ConfigError, match="not set"):
        channel_registry.open_channel("telegram:7")
