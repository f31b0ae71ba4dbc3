"""Every channel passes one suite; the suite is the one that other packages use."""

import json
import re
from html import unescape
from importlib.metadata import entry_points
from urllib.parse import parse_qs

import pytest

from ia.organs.channels import apprise_channel
from ia.organs.channels.apprise_channel import Apprised
from ia.organs.channels.channel_registry import APPRISE, BUILT_IN, GROUP
from ia.organs.channels.conformance import ChannelConformance
from ia.organs.channels.telegram_channel import Telegram

TOKEN = "123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"
BOT_API = b'{"ok": true, "result": {"message_id": 1, "date": 0, "chat": {"id": 7, "type": "private"}}}'


class TestTelegram(ChannelConformance):
    secret = TOKEN
    taken = BOT_API

    @pytest.fixture(autouse=True)
    def token(self, monkeypatch):
        monkeypatch.setenv("TELEGRAM_TOKEN", TOKEN)
        self.monkeypatch = monkeypatch

    def channel(self, port):
        self.monkeypatch.setenv("IA_TELEGRAM_API", f"http://127.0.0.1:{port}")
        return Telegram("telegram:7")

    def message_text(self, request):
        assert (request.method, request.path) == ("POST", f"/bot{TOKEN}/sendMessage")
        body = json.loads(request.body)
        assert body["chat_id"] == 7 and "parse_mode" not in body
        assert len(body["text"].encode("utf-16-le")) // 2 <= 4096
        return body["text"]


class TestJson(ChannelConformance):
    secret = "pa55word"

    def channel(self, port):
        return Apprised(f"json://me:{self.secret}@127.0.0.1:{port}/inbox")

    def message_text(self, request):
        assert request.headers["Authorization"].startswith("Basic ")
        body = json.loads(request.body)
        return "\n".join(filter(None, (body["title"], body["message"])))


class TestForm(ChannelConformance):
    def channel(self, port):
        return Apprised(f"form://127.0.0.1:{port}/inbox")

    def message_text(self, request):
        body = parse_qs(request.body.decode(), keep_blank_values=True)
        return "\n".join(filter(None, (body["title"][0], body["message"][0])))


class TestXml(ChannelConformance):
    def channel(self, port):
        return Apprised(f"xml://127.0.0.1:{port}/inbox")

    def message_text(self, request):
        body = request.body.decode()
        found = (re.search(rf"<{tag}>(.*?)</{tag}>", body, re.S) for tag in ("Subject", "Message"))
        return "\n".join(unescape(each[1]) for each in found if each and each[1])


class TestNtfy(ChannelConformance):
    """A service with a limit (7800) that a long text passes."""

    secret = "topic-nobody-knows"

    @pytest.fixture(autouse=True)
    def at_once(self, monkeypatch):
        monkeypatch.setattr(apprise_channel, "PACE", 0.0)

    def channel(self, port):
        return Apprised(f"ntfy://127.0.0.1:{port}/{self.secret}")

    def message_text(self, request):
        body = json.loads(request.body)
        assert len(body["message"]) <= 7800
        return "\n".join(filter(None, (body.get("title"), body["message"])))


class TestMattermost(ChannelConformance):
    """A service whose text is Markdown, and whose token stands in the path."""

    secret = "3ccdd113474722377935511fc85d3dd4"

    def channel(self, port):
        return Apprised(f"mmost://127.0.0.1:{port}/{self.secret}")

    def message_text(self, request):
        assert request.path == f"/hooks/{self.secret}"
        text = json.loads(request.body)["text"]
        assert len(text) <= 4000
        return text


def test_built_in_schemes_and_entry_points_agree():
    installed = {point.name: point.value for point in entry_points(group=GROUP) if point.value.startswith("ia.")}
    if not installed:
        pytest.skip("ia is not installed from this checkout: it has no entry points yet")
    assert installed == {**BUILT_IN, "apprise": APPRISE}
