"""`ia listen telegram` as a process against a Bot API server on loopback."""

import os
import re
import signal
import subprocess
import time

import pytest

from bot_api_server import (
    BLOCKED,
    CONFLICT,
    CUT,
    FRIEND,
    GARBAGE,
    GATEWAY,
    LOST,
    OWNER,
    STRANGER,
    TOKEN,
    UNAUTHORIZED,
    WEBHOOK,
    BotServer,
    too_many,
)
from conftest import installed
from ia import audit, proposals, sessions
from openai_server import Reply


@pytest.fixture
def bot(monkeypatch, home):
    with BotServer() as server:
        server.use(monkeypatch, users=str(FRIEND))
        monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
        yield server


@pytest.fixture
def listener(tmp_path, bot):
    """Start listeners: listener("--once"), and end what is left of them with the test."""
    running = []

    def start(*words, env=None):
        log = open(tmp_path / f"listener-{len(running)}.log", "w+")  # noqa: SIM115
        process = subprocess.Popen(
            [*installed(), "listen", "telegram", *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env={**os.environ, **(env or {})}, cwd=tmp_path,
        )  # fmt: skip
        process.log = lambda: (tmp_path / log.name).read_text()
        running.append((process, log))
        return process

    yield start
    for process, log in running:
        process.kill()
        process.wait()
        log.seek(0)
        told = log.read()
        log.close()
        assert TOKEN.split(":")[1] not in told
        assert "Traceback" not in told


def stop(process, number=signal.SIGTERM):
    process.send_signal(number)
    return process.wait(10)


def echo(request):
    asked = re.search(r"【用户问题】(.*)", request.asked)
    return Reply(f"答：{asked[1].strip()}")


def test_a_conversation_in_chinese_and_english(bot, listener, brain, ws):
    brain(always=echo)
    process = listener()
    bot.say(OWNER, "你好")
    assert bot.sent_to(OWNER, 1) == ["答：你好"]
    bot.say(OWNER, "how is it going?")
    assert bot.sent_to(OWNER, 2)[1] == "答：how is it going?"
    assert bot.made("sendChatAction")
    assert bot.made("setMyCommands")
    assert stop(process) == 0
    assert [m.role for m in sessions.history(ws, f"telegram-{OWNER}")] == ["user", "assistant"] * 2
    assert sessions.history(ws, f"telegram-{OWNER}")[0].origins == (f"telegram {OWNER}",)
