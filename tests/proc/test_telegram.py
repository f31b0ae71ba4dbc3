"""`ia listen telegram` as a process against a Bot API server on loopback."""

import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ia.kernel import audit, proposals, untrusted
from ia.organs import sessions
from support.program import installed
from support.servers.bot_api import (
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
    Failure,
    too_many,
)
from support.servers.openai import HANG, Reply, error


def stop(process, number=signal.SIGTERM):
    started = time.monotonic()
    process.send_signal(number)
    status = process.wait(60)
    assert time.monotonic() - started < 20, "it ends soon"
    return status


def end(process, seconds=30):
    """Wait for a listener to end by itself; return (status, what it told)."""
    return process.wait(seconds), process.log()


def echo(request):
    asked = re.search(r"【(?:用户问题|Question)】(.*)", request.asked)
    return Reply(f"答：{asked[1].strip()}")


def states(home):
    """How far the messages have come."""
    with contextlib.closing(sqlite3.connect(home / ".ia" / "ia.db")) as db:
        return [state for (state,) in db.execute("SELECT state FROM received ORDER BY id")]


INTERRUPTED = "I was interrupted"


def test_a_conversation_in_chinese_and_english(bot, listener, brain, ws):
    brain(always=echo)
    process = listener()
    bot.say(OWNER, "你好")
    assert bot.sent_to(OWNER, 1) == ["答：你好"]
    bot.say(OWNER, "how is it going?")
    assert bot.sent_to(OWNER, 2)[1] == "答：how is it going?"
    assert bot.made("sendChatAction")
    assert {"command": "approve"}.items() <= json.loads(bot.made("setMyCommands")[0]["commands"])[4].items()
    assert stop(process) == 0
    kept = sessions.load_history(ws, f"telegram-{OWNER}")
    assert [m.role for m in kept] == ["user", "assistant"] * 2
    assert kept[0].origins == (f"telegram {OWNER}",)
    assert [e.kind for e in audit.events(ws.db, kind="message")] == ["message.received"] * 2


def test_the_embedded_analyst_answers_without_a_model(bot, listener):
    bot.say(OWNER, "帮我看看宁德时代最近怎么样")
    assert end(listener("--once", IA_LANG="zh"))[0] == 0
    told = "\n".join(bot.sent_to(OWNER))
    assert "模拟" in told
    assert bot.waiting == 0, "what was answered is acknowledged"


def test_two_chats_are_answered_side_by_side_and_each_in_its_order(bot, listener, brain):
    go = threading.Event()
    brain(
        always=lambda request: (
            Reply("慢", until=go)
            if "慢" in request.asked.split("问题】")[-1].split("Question】")[-1]
            else echo(request)
        )
    )
    process = listener()
    bot.say(OWNER, "慢一点")
    bot.say(OWNER, "第二句")
    bot.say(FRIEND, "hello")
    assert bot.sent_to(FRIEND, 1) == ["答：hello"]
    assert bot.sent_to(OWNER, 1, 0.3) == []
    go.set()
    assert bot.sent_to(OWNER, 2) == ["慢", "答：第二句"]
    assert stop(process) == 0


def test_thirty_messages_at_once_are_answered_in_order(bot, listener, brain):
    brain(always=echo)
    for number in range(30):
        bot.say(OWNER, f"问{number}")
    process = listener()
    assert bot.sent_to(OWNER, 30, 60) == [f"答：问{number}" for number in range(30)]
    assert stop(process) == 0


def test_who_sends_too_fast_is_warned_once(bot, listener, brain):
    brain(always=echo)
    for number in range(35):
        bot.say(OWNER, f"问{number}")
    assert end(listener("--once"), 60)[0] == 0
    told = bot.sent_to(OWNER)
    assert told[:30] == [f"答：问{number}" for number in range(30)]
    assert len(told) == 31
    assert "too fast" in told[30]


def test_a_stranger_gets_no_answer_and_the_terminal_says_how_to_let_them_in(bot, listener, brain, ws):
    brain()
    for _ in range(3):
        bot.say(STRANGER, "批准 1")
    bot.say(STRANGER, None, chat={"id": OWNER, "type": "private"})  # a chat that is not its sender's
    status, told = end(listener("--once"))
    assert status == 0
    assert bot.sent == []
    assert told.count(f"user {STRANGER} is not allowed and gets no answer") == 1
    refused = audit.events(ws.db, kind="message.refused")
    assert [event.subject for event in refused] == [f"telegram {STRANGER}"]
    assert ws.db.execute("SELECT count(*) FROM received").fetchone() == (0,)
    assert bot.waiting == 0


def test_groups_channels_and_what_is_no_message_are_not_heard(bot, listener, brain):
    brain()
    group = {"id": -100123, "type": "supergroup", "title": "all"}
    for _ in range(2):
        bot.say(OWNER, "看看茅台", chat=group)
    bot.say(OWNER, "看看茅台", chat=group, sender_chat=group)
    bot.update(message={"chat": group, "text": "no sender"})
    bot.update(message={"chat": "?", "text": 5})
    bot.update(message="nonsense", anyway=True)
    bot.update(edited_message={"from": {"id": OWNER}, "text": "x"}, anyway=True)
    status, told = end(listener("--once"))
    assert status == 0
    assert bot.sent == []
    assert told.count("is not private; ia ignores it") == 1
    assert bot.waiting == 0


# crashes


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.share(2)
def test_killed_while_it_works_the_answer_comes_after_the_restart(bot, listener, brain, monkeypatch, lang):
    monkeypatch.setenv("IA_LANG", lang)
    go = threading.Event()
    server = brain(always=lambda request: echo(request) if go.is_set() else Reply("迟", until=go))
    process = listener(ia=installed())
    bot.say(OWNER, "一")
    bot.say(OWNER, "二")
    assert bot.until(lambda: server.requests)
    process.kill()
    process.wait()
    go.set()
    process = listener(ia=installed())
    assert bot.sent_to(OWNER, 2) == ["答：一", "答：二"]
    assert stop(process) == 0
    assert bot.sent_to(OWNER, 3, 0.5) == ["答：一", "答：二"]


def test_killed_twice_over_the_same_message_it_says_so_and_goes_on(bot, listener, brain, ws):
    held = threading.Event()
    server = brain(always=lambda request: Reply("迟", until=held) if "一" in request.asked else echo(request))
    bot.say(OWNER, "一")
    for times in (1, 2):
        process = listener(ia=installed())
        assert bot.until(lambda times=times: len(server.requests) == times)
        process.kill()
        process.wait()
    held.set()
    bot.say(OWNER, "二")
    process = listener(ia=installed())
    told = bot.sent_to(OWNER, 2)
    assert told[0].startswith(INTERRUPTED)
    assert told[1] == "答：二"
    assert stop(process) == 0


def test_a_turn_whose_listener_is_gone_ends_without_a_traceback():
    child = subprocess.Popen(
        [sys.executable, "-c", "from ia.reach.bridges.turn_workers import serve_jobs; serve_jobs(lambda job: 'late')"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    child.stdout.close()
    child.stdin.write(b"{}\n")
    child.stdin.flush()
    assert child.wait(30) == 128 + signal.SIGTERM
    child.stdin.close()
    assert child.stderr.read() == b""
    child.stderr.close()


@pytest.mark.parametrize("arrived", [True, False])
def test_killed_while_it_sends_nothing_is_sent_twice(bot, listener, brain, arrived):
    brain(always=echo)
    process = listener(ia=installed())

    def kill(_call):
        process.kill()
        process.wait()
        return LOST if arrived else CUT

    bot.plan("sendMessage", kill)
    bot.say(OWNER, "一")
    assert bot.until(lambda: process.poll() is not None)
    process = listener(ia=installed())
    bot.say(OWNER, "二")
    expected = [*(["答：一"] if arrived else []), INTERRUPTED, "答：二"]
    told = bot.sent_to(OWNER, len(expected))
    assert [text[: len(INTERRUPTED)] if text.startswith(INTERRUPTED) else text for text in told] == expected
    assert stop(process) == 0


def test_killed_before_it_acknowledged_nothing_is_lost_or_answered_twice(bot, listener, brain, home):
    brain(always=echo)
    process = listener(ia=installed())

    def kill(_call):  # the poll that would acknowledge
        bot.until(lambda: states(home) == ["answered"])
        process.kill()
        process.wait()
        return CUT

    assert bot.until(lambda: bot.made("getUpdates"))
    bot.plan("getUpdates", kill)
    bot.say(OWNER, "一")
    assert bot.until(lambda: process.poll() is not None)
    assert bot.waiting == 1
    assert end(listener("--once", ia=installed()))[0] == 0
    assert bot.sent_to(OWNER, 2, 0.3) == ["答：一"]
    assert bot.waiting == 0


@pytest.mark.slow
@pytest.mark.parametrize("kills", [4, pytest.param(12, marks=pytest.mark.soak)])
def test_killed_at_any_moment_there_is_one_answer_or_a_word_about_it(bot, listener, brain, kills):
    """Every message is answered once, or its reader is told; none twice."""
    brain(always=echo)
    chance = random.Random(4)
    for number in range(kills):
        process = listener(ia=installed())
        bot.say(OWNER, f"第{number}句")
        time.sleep(chance.uniform(0.3, 1.6))
        process.kill()
        process.wait()
    assert end(listener("--once", ia=installed()), 60)[0] == 0
    told = bot.sent_to(OWNER)
    answers = [text for text in told if text.startswith("答")]
    lost = [text for text in told if text.startswith(INTERRUPTED)]
    assert len(answers) == len(set(answers))
    assert len(set(answers)) + len(lost) >= kills
    assert bot.waiting == 0


# what goes wrong on the way


@pytest.mark.slow
def test_what_fails_on_the_way_is_tried_again(bot, listener, brain):
    brain(always=echo)
    bot.plan("getMe", CUT, GATEWAY)
    bot.plan("getUpdates", GARBAGE, too_many(1), Failure(200, html='{"ok": true, "result": [{"x": 1}]}'))
    bot.plan("sendMessage", too_many(1), GATEWAY, Failure())
    bot.plan("setMyCommands", Failure())
    bot.plan("sendChatAction", CUT)
    process = listener()
    bot.say(OWNER, "还好吗")
    assert bot.sent_to(OWNER, 1, 60) == ["答：还好吗"]
    assert stop(process) == 0
    assert bot.sent_to(OWNER, 2, 0.2) == ["答：还好吗"]
    told = process.log()
    assert told.count("cannot reach the Bot API") == told.count("reconnected to the Bot API") >= 1


@pytest.mark.parametrize("failure", [LOST, CUT, GARBAGE, Failure(504, html="<h1>504 Gateway Time-out</h1>")])
@pytest.mark.share(2)
def test_an_answer_that_may_have_arrived_is_not_sent_again(bot, listener, brain, failure):
    brain(always=echo)
    bot.plan("sendMessage", failure)
    bot.say(OWNER, "一")
    assert end(listener("--once"))[0] == 0
    told = bot.sent_to(OWNER)
    assert told.count("答：一") == (failure is LOST)
    assert told[-1].startswith(INTERRUPTED)


def test_a_reader_who_blocked_the_bot_is_left_alone(bot, listener, brain):
    brain(always=echo)
    bot.plan("sendMessage", BLOCKED)
    bot.say(OWNER, "一")
    bot.say(OWNER, "二")
    status, told = end(listener("--once"))
    assert status == 0
    assert bot.sent_to(OWNER) == ["答：二"]
    assert "rejected an answer permanently" in told


@pytest.mark.parametrize("words", [(), ("--once",), ("--who",)])
def test_a_token_that_is_refused_is_status_69(bot, listener, monkeypatch, words):
    monkeypatch.setenv("TELEGRAM_TOKEN", TOKEN + "x")
    status, told = end(listener(*words))
    assert status == 69
    assert told.startswith("ia: Telegram rejected the token\nhint:")


def test_a_token_that_is_withdrawn_while_it_listens_is_status_69(bot, listener):
    bot.plan("getUpdates", UNAUTHORIZED)
    assert end(listener())[0] == 69


def test_another_program_that_reads_the_bots_messages_is_status_75(bot, listener):
    bot.plan("getUpdates", *[CONFLICT] * 3)
    status, told = end(listener())
    assert status == 75
    assert "another program is reading this bot's messages" in told


def test_a_poll_that_was_taken_away_once_is_no_matter(bot, listener, brain):
    brain(always=echo)
    bot.plan("getUpdates", CONFLICT)
    bot.say(OWNER, "一")
    assert end(listener("--once"))[0] == 0
    assert bot.sent_to(OWNER) == ["答：一"]


def test_a_webhook_is_status_78_and_a_second_listener_75(bot, listener):
    bot.plan("getUpdates", WEBHOOK)
    status, told = end(listener())
    assert status == 78
    assert "deleteWebhook" in told
    first = listener()
    assert bot.until(lambda: len(bot.made("getUpdates")) > 1)
    status, told = end(listener())
    assert status == 75
    assert "another `ia listen telegram`" in told
    assert stop(first) == 0


def test_once_without_a_server_is_status_75(bot, listener, monkeypatch):
    monkeypatch.setenv("IA_TELEGRAM_API", "http://127.0.0.1:9")
    status, told = end(listener("--once"))
    assert status == 75
    assert "cannot reach the Bot API" in told


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("TELEGRAM_TOKEN", "", "the bot token (telegram.token) is not set"),
        ("TELEGRAM_TOKEN", "../../x", "must be a bot token"),
        ("IA_TELEGRAM_OWNER", "", "telegram.owner is not set"),
        ("IA_TELEGRAM_OWNER", "@wei", "is not a user id"),
        ("IA_TELEGRAM_USERS", "42, ann", "is not a user id"),
        ("IA_TELEGRAM_API", "http://api.telegram.org", "https"),
    ],
)
def test_settings_that_will_not_do_are_status_78(bot, listener, monkeypatch, variable, value, said):
    monkeypatch.setenv(variable, value)
    status, told = end(listener("--once"))
    assert status == 78
    assert said in told
    assert "hint:" in told or "user id" in told
    assert bot.calls == []


def test_a_proxy_that_cannot_be_used_is_status_78(bot, listener):
    status, told = end(listener("--once", ALL_PROXY="socks5://user:word@127.0.0.1:9"))
    assert status == 78
    assert "proxy" in told and "word" not in told


@pytest.mark.soak
def test_a_database_that_is_held_only_delays(bot, listener, brain, home, ws):
    brain(always=echo)
    process = listener()
    bot.say(OWNER, "一")
    assert bot.sent_to(OWNER, 1)
    with contextlib.closing(sqlite3.connect(home / ".ia" / "ia.db", isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        bot.say(OWNER, "二")
        assert bot.until(lambda: "cannot store a message" in process.log())
        assert bot.waiting == 1
        db.execute("ROLLBACK")
    assert bot.sent_to(OWNER, 2) == ["答：一", "答：二"]
    assert stop(process) == 0


# the end


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_ends_soon_and_what_is_under_way_is_answered_at_the_next_start(bot, listener, brain, number, status):
    go = threading.Event()
    server = brain(always=lambda request: echo(request) if go.is_set() else Reply("迟", until=go))
    process = listener()
    bot.say(OWNER, "一")
    bot.say(OWNER, "二")
    assert bot.until(lambda: server.requests)
    assert stop(process, number) == status
    assert bot.sent == []
    go.set()
    assert end(listener("--once"))[0] == 0
    assert bot.sent_to(OWNER) == ["答：一", "答：二"]


def test_it_ends_while_nothing_can_be_reached(bot, listener, monkeypatch):
    monkeypatch.setenv("IA_TELEGRAM_API", "http://127.0.0.1:9")
    process = listener()
    assert bot.until(lambda: "cannot reach the Bot API" in process.log())
    assert stop(process) == 0


def test_no_process_outlives_a_listener_that_was_killed(bot, listener, brain, home):
    go = threading.Event()
    server = brain(always=Reply("迟", until=go))
    process = listener(ia=installed())
    bot.say(OWNER, "一")
    assert bot.until(lambda: server.requests)
    left = children(process)
    assert left
    process.kill()
    process.wait()
    assert bot.until(lambda: not any(os.path.exists(f"/proc/{child}/exe") for child in left), 5)
    go.set()


def children(process):
    """The processes that a listener has begun."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == process.pid:
                found.append(int(stat.parent.name))
    return found


def test_a_turn_whose_process_dies_is_one_line_and_the_next_goes_on(bot, listener, brain):
    go = threading.Event()
    server = brain(always=lambda request: Reply("迟", until=go) if "一" in request.asked else echo(request))
    process = listener(ia=installed())
    bot.say(OWNER, "一")
    bot.say(OWNER, "二")
    assert bot.until(lambda: server.requests)
    for child in children(process):
        os.kill(child, signal.SIGKILL)
    told = bot.sent_to(OWNER, 2)
    assert told[0].startswith("an error occurred")
    assert told[1] == "答：二"
    go.set()
    assert stop(process) == 0


def test_a_turn_that_takes_too_long_is_one_line(bot, listener, brain, monkeypatch):
    brain(HANG, always=echo)
    monkeypatch.setenv("IA_TURN_DEADLINE", "2")
    process = listener()
    bot.say(OWNER, "一")
    assert "2 s" in bot.sent_to(OWNER, 1)[0]
    bot.say(OWNER, "二")
    assert bot.sent_to(OWNER, 2)[1] == "答：二"
    assert stop(process) == 0


def test_who_was_taken_off_the_list_is_not_answered_later(bot, listener, brain, monkeypatch):
    go = threading.Event()
    server = brain(always=lambda request: echo(request) if go.is_set() else Reply("迟", until=go))
    process = listener()
    bot.say(FRIEND, "hello")
    assert bot.until(lambda: server.requests)
    assert stop(process) == 0
    go.set()
    monkeypatch.delenv("IA_TELEGRAM_USERS")
    assert end(listener("--once"))[0] == 0
    assert bot.sent == []


# tasks


def test_a_message_wakes_the_tasks_that_wait_for_its_words(bot, listener, brain, ws):
    from ia.faculties.schedule.design import format_design
    from ia.faculties.schedule.model import TaskDesign
    from ia.faculties.taskbook import run_store
    from ia.reach.tasks import decisions

    brain(always=echo)
    for name, words in (("look", "on message 复盘 本周"), ("other", "on message 买入")):
        ws.write(f"tasks/{name}.md", format_design(TaskDesign(name, words, run="ia usage", notify=()), "en"))
        decisions.approve_task(ws, name, by="a test")
    bot.say(FRIEND, "本周该复盘了")
    bot.say(STRANGER, "本周该复盘了")
    bot.say(OWNER, "本周该复盘了", forward_origin={"type": "hidden_user", "sender_user_name": "x", "date": 1})
    assert end(listener("--once"), 60)[0] == 0
    assert bot.sent_to(FRIEND) == ["答：本周该复盘了"]
    (run,) = run_store.list_runs(ws, "look")
    assert (run.state, run.why) == ("done", "message")
    assert run_store.list_runs(ws, "other") == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_task_that_is_approved_in_the_chat_stands_in_the_crontab(bot, listener, ws, crontab, monkeypatch, lang):
    from ia.faculties.schedule.design import format_design
    from ia.faculties.schedule.model import TaskDesign

    monkeypatch.setenv("IA_LANG", lang)
    text = format_design(TaskDesign("friday-review", "30 15 * * 5", prompt="复盘本周", zone="Asia/Shanghai"), lang)
    number = proposals.propose(ws, "task", "tasks/friday-review.md", text).id
    process = listener()
    bot.say(OWNER, f"/approve {number}")
    shown = "\n".join(bot.sent_to(OWNER, 1))
    assert "15:30" in shown and "复盘本周" in shown and {"en": "next runs", "zh": "周五"}[lang] in shown
    assert not crontab.exists(), "nothing is done before the code"
    (code,) = re.findall(rf"/approve {number} (\d{{6}})", shown)
    bot.say(OWNER, f"/approve {number} {code}")
    assert "tasks/friday-review.md" in bot.sent_to(OWNER, 2)[1]
    assert "task due friday-review" in crontab.read_text()
    assert ws.read("tasks/friday-review.md") == text
    assert stop(process) == 0


# what goes wrong meanwhile


def test_settings_that_break_while_it_listens_are_answered_and_it_goes_on(bot, listener, brain, home):
    brain(always=echo)
    process = listener()
    bot.say(OWNER, "一")
    assert bot.sent_to(OWNER, 1) == ["答：一"]
    (home / "config.yaml").write_text("a: [\n")
    bot.say(OWNER, "二")
    assert bot.sent_to(OWNER, 2)[1].startswith("an error occurred")
    (home / "config.yaml").write_text("")
    bot.say(OWNER, "三")
    assert bot.sent_to(OWNER, 3)[2] == "答：三"
    assert stop(process) == 0


def test_an_idle_process_that_died_costs_no_message(bot, listener, brain):
    brain(always=echo)
    process = listener(ia=installed())
    bot.say(OWNER, "一")
    assert bot.sent_to(OWNER, 1)
    assert children(process)
    for child in children(process):
        os.kill(child, signal.SIGKILL)
    time.sleep(0.2)
    bot.say(OWNER, "二")
    assert bot.sent_to(OWNER, 2)[1] == "答：二"
    assert stop(process) == 0


# what is said


def test_a_long_answer_becomes_a_note_that_is_marked(bot, listener, brain, ws):
    text = "结论先行：观望。\n\n" + "\n".join(f"第 {n} 点，量能没有放大，均线粘合，等待方向选择。" for n in range(120))
    brain(Reply(text))
    bot.say(OWNER, "写一份长的")
    bot.say(OWNER, "/notes 1")
    assert end(listener("--once"))[0] == 0
    told = bot.sent_to(OWNER)
    assert told[0].startswith("结论先行：观望。")
    assert len(told[0]) < 900
    (path,) = re.findall(r"notebook/scratch/telegram/[\d-]+\.md", told[0])
    kept = ws.read(path)
    assert untrusted.origin_of(kept) == f"telegram {OWNER}"
    assert text in kept
    assert text.splitlines()[-1] in told[-1], "the chat shows all of it"
    assert proposals.pending_proposals(ws) == []


def test_long_texts_are_cut_by_utf_16_units(bot, listener, ws):
    ws.write("notebook/scratch/emoji.md", "📈" * 5000 + "\n" + "x " * 500)
    bot.say(OWNER, "/notes 1")
    assert end(listener("--once"))[0] == 0
    told = bot.sent_to(OWNER)
    assert len(told) > 2
    assert "".join(told).count("📈") == 5000


def test_a_failing_turn_is_one_line(bot, listener, brain, home, tmp_path):
    brain(error(401, "invalid_api_key"), Reply(""), Reply(empty=True))
    for words in ("一", "二"):
        bot.say(OWNER, words)
    assert end(listener("--once"))[0] == 0
    told = bot.sent_to(OWNER)
    assert len(told) == 2
    for text in told:
        assert "\n" not in text
        assert str(home) not in text and str(tmp_path) not in text


def test_a_text_file_is_read_as_data_and_the_rest_is_declined_kindly(bot, listener, brain):
    server = brain(always=Reply("好"))
    bot.files["f1"] = "收入 1200 万".encode()
    bot.files["f2"] = b"\xff\xfe\x00"
    about = {"file_unique_id": "u", "file_size": 20, "mime_type": "text/plain"}
    bot.say(OWNER, None, caption="总结一下", document={"file_id": "f1", "file_name": "报告.txt", **about})
    bot.say(OWNER, None, document={"file_id": "f2", "file_name": "b.txt", **about})
    bot.say(OWNER, None, document={"file_id": "f3", "file_name": "big.csv", **about, "file_size": 10**7})
    bot.say(OWNER, None, photo=[{"file_id": "p", "width": 1, "height": 1}])
    bot.say(OWNER, None, caption="这是什么形态？", photo=[{"file_id": "p", "width": 1, "height": 1}])
    bot.say(OWNER, None, voice={"file_id": "v", "duration": 3})
    bot.say(OWNER, None, dice={"emoji": "🎲", "value": 3})
    assert end(listener("--once"))[0] == 0
    told = bot.sent_to(OWNER)
    assert len(server.requests) == 2
    assert "【Question】总结一下" in server.requests[0].asked
    assert "收入 1200 万" in server.requests[0].asked.split("【External data】")[1]
    assert "from telegram 41 file" in server.requests[0].asked
    assert told[0] == "好"
    assert "text files" in told[1] and "text files" in told[2]
    assert "pictures" in told[3]
    assert told[4].startswith("好\n\n") and "pictures" in told[4]
    assert "recordings" in told[5]
    assert "this kind of message" in told[6]


def test_who_tells_numbers_and_leaves_the_messages_alone(bot, ia, monkeypatch, brain, listener):
    brain(always=echo)
    monkeypatch.delenv("IA_TELEGRAM_OWNER")
    bot.say(OWNER, "第一句")
    told = ia("listen", "telegram", "--who")
    assert told.returncode == 0
    assert told.stdout.splitlines()[0] == "id\tname\ttime"
    assert told.stdout.splitlines()[1].startswith("41\tWei\t20")
    monkeypatch.setenv("IA_TELEGRAM_OWNER", str(OWNER))
    assert end(listener("--once"))[0] == 0
    assert bot.sent_to(OWNER) == ["答：第一句"]


def test_the_token_stands_nowhere(bot, listener, brain, home):
    brain(always=echo)
    bot.plan("getUpdates", CUT, GARBAGE)
    bot.plan("sendMessage", Failure(404, "Not Found"), LOST)
    bot.say(OWNER, "一")
    process = listener(IA_DEBUG="1")
    bot.sent_to(OWNER, 2)
    assert stop(process) == 0
    for path in home.rglob("*"):
        if path.is_file():
            assert TOKEN.split(":")[1].encode() not in path.read_bytes(), path


def test_a_form_is_asked_question_by_question_and_survives_a_restart(bot, listener, home, ws):
    """Each answer is heard by another process; the answers fill slots, and the question is answered at the end."""
    from ia.faculties import profiles

    profiles.use_profile(ws, profiles.find_profile("life"))

    def hear(count):
        assert end(listener("--once", IA_LANG="en"))[0] == 0
        return bot.sent_to(OWNER, count)[count - 1]

    bot.say(OWNER, "/bazi what about my work?")
    assert hear(2) == "Birth data 1/7: Date of birth"
    assert [*bot.buttons()] == ["Cancel"]
    old = bot.buttons()["Cancel"]
    bot.say(OWNER, "soon")
    assert hear(3).startswith("Date of birth: 'soon' is not a date")
    assert hear(4) == "Birth data 1/7: Date of birth"
    bot.say(OWNER, "1990-05-15")
    assert hear(5) == "Birth data 2/7: Time of birth (empty if unknown)"
    skipped = bot.buttons()["Skip"]
    bot.press(OWNER, skipped)
    assert hear(6) == "Birth data 3/7: Place of birth (city)"
    bot.press(OWNER, skipped)  # a button of an earlier question
    assert hear(7) == "This button has expired."
    bot.say(OWNER, "Beijing")
    assert hear(8) == "Birth data 4/7: Sex (for luck decades)"
    assert [*bot.buttons()] == ["female", "male", "Skip", "Cancel"]
    assert all(len(data.encode()) <= 64 and data.startswith("f:") for data in bot.buttons().values())
    bot.press(OWNER, bot.buttons()["female"])
    for count in (9, 10, 11):
        assert hear(count).startswith(f"Birth data {count - 4}/7: ")
        bot.press(OWNER, bot.buttons()["Skip"])
    assert hear(12) == "Birth data: born on 15 May 1990, in Beijing, female"
    assert sessions.load_slots(ws, f"telegram-{OWNER}") == {}, "a draft until it is sent"
    send = bot.buttons()["Send"]
    bot.press(OWNER, send)
    assert "Four pillars" in hear(13)
    assert sessions.load_slots(ws, f"telegram-{OWNER}")["birth.sex"] == "f"
    for data in (send, old, "f:00000000:0:1", "x"):
        bot.press(OWNER, data)
    assert hear(17) == "This button has expired."
    assert len(bot.made("answerCallbackQuery")) >= 6
    trail = json.dumps([event.data for event in audit.events(ws.db, limit=200)], ensure_ascii=False)
    assert "1990" not in trail
    assert set(states(home)) == {"answered"}


def test_a_form_can_be_canceled(bot, listener, ws):
    from ia.faculties import profiles

    profiles.use_profile(ws, profiles.find_profile("life"))
    bot.say(OWNER, "/bazi 工作怎么样？")
    assert end(listener("--once", IA_LANG="zh"))[0] == 0
    assert bot.sent_to(OWNER, 2)[1] == "出生信息 1/7: 出生日期"
    bot.press(OWNER, bot.buttons()["取消"])
    bot.say(OWNER, "/help")
    assert end(listener("--once", IA_LANG="zh"))[0] == 0
    assert bot.sent_to(OWNER, 3)[2] == "表单已关闭，没有保留任何回答。"
    assert sessions.load_slots(ws, f"telegram-{OWNER}") == {}
