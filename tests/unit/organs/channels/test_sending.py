"""Sending: stored first, delivered at most once, nothing lost; channels by address; secrets that nobody sees."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from ia.kernel import audit
from ia.kernel.errors import BadData, ConfigError, NotFound, TryLater, Unavailable
from ia.organs.channels import apprise_channel, inbox, sending
from ia.organs.channels.conformance import find_closed_port
from support.messages import kinds, texts

# sending


def test_the_inbox_takes_what_has_no_other_way(ws):
    (notice,) = sending.send_message(ws, "收盘了", title="复盘")
    assert (notice.channel, notice.state, notice.title, notice.text) == ("cli", "sent", "复盘", "收盘了")
    assert [each.text for each in inbox.take_unread(ws)] == ["收盘了"]
    assert not inbox.take_unread(ws) and not inbox.may_have_unread(ws)
    assert kinds(ws) == [("message.sent", "cli")]


@pytest.mark.process
def test_a_message_goes_to_every_channel_that_is_meant(ws, phone, monkeypatch):
    assert [each.channel for each in sending.send_message(ws, "a", to="phone")] == ["phone"]
    assert [each.channel for each in sending.send_message(ws, "b", to="phone, me,cli")] == ["phone", "cli"]
    monkeypatch.setenv("IA_MESSAGING_DEFAULT", "phone,cli")
    assert [(each.channel, each.state) for each in sending.send_message(ws, "c")] == [
        ("phone", "sent"),
        ("cli", "sent"),
    ]
    assert texts(phone) == ["a", "b", "c"]
    assert [each.text for each in inbox.unread_notices(ws)] == ["b", "c"]


def test_an_unknown_channel_is_named_beside_the_known_ones(ws, phone):
    with pytest.raises(NotFound) as failure:
        sending.send_message(ws, "x", to="phone,pager")
    assert failure.value.params["known"] == "me, cli, phone"
    assert not texts(phone) and not inbox.list_notices(ws, 9)


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x1b", "x" * (sending.MAX_TEXT + 1)])
def test_a_message_without_text_is_refused(ws, text):
    with pytest.raises(BadData):
        sending.send_message(ws, text)


def test_a_key_is_sent_once(ws, phone):
    first = sending.send_message(ws, "one", to="phone,cli", key="run-7")
    again = sending.send_message(ws, "two", to="phone,cli", key="run-7")
    assert again == first
    assert sending.send_message(ws, "one", to="phone", key="run-8") != first
    assert sending.send_message(ws, "one", to="phone") != first
    assert texts(phone) == ["one", "one", "one"]


@pytest.mark.process
def test_one_key_from_many_processes_is_sent_once(ws, phone, home):
    code = "from ia.organs.channels import sending; from ia.kernel.workspace import Workspace; sending.send_message(Workspace(), 'x', to='phone', key='k')"
    ws.db.execute("SELECT 1")
    runs = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(6)]
    assert [run.wait(60) for run in runs] == [0] * 6
    assert texts(phone) == ["x"]


def test_what_fails_lies_in_the_inbox_and_is_reported_without_the_address(ws, home):
    port = find_closed_port()
    ws.write("config.yaml", f"channels:\n  phone: json://127.0.0.1:{port}/TOPSECRET\n")
    told = []
    (notice,) = sending.send_message(ws, "盈利预警", to="phone", notify=told.append)
    assert (notice.state, notice.error) == ("failed", "json: connection failed (connection refused)")
    assert isinstance(told[0].params["reason"], TryLater)
    assert [each.text for each in inbox.take_unread(ws)] == ["盈利预警"] and not inbox.take_unread(ws)
    everything = f"{told[0]} {notice} {audit.events(ws.db)}"
    assert kinds(ws) == [("message.failed", "phone")]
    assert "TOPSECRET" not in everything and str(port) not in everything


def test_a_refusal_is_told_from_a_failure(ws, phone):
    phone.status = 403
    told = []
    sending.send_message(ws, "x", to="phone", notify=told.append)
    assert isinstance(told[0].params["reason"], Unavailable) and "403" in str(told[0])
    assert sending.deliver_pending(ws) == [] and len(phone.asked) == 1  # a failure is final: it may have arrived


def test_a_service_that_hangs_is_given_up(ws, phone, monkeypatch):
    monkeypatch.setattr(apprise_channel, "READ", 0.3)
    phone.silent.set()
    began = time.monotonic()
    (notice,) = sending.send_message(ws, "x", to="phone")
    assert notice.state == "failed" and time.monotonic() - began < 30


def test_a_service_that_drips_is_given_up_too(ws, monkeypatch):
    """Each byte comes before the socket's time is over; the whole never does."""
    import socket

    monkeypatch.setattr(sending, "TIMEOUT", 0.7)
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip():
            client, _ = server.accept()
            with client, contextlib.suppress(OSError):
                client.sendall(b"HTTP/1.1 200 OK\r\n")
                while not done.wait(0.1):
                    client.sendall(b"X-A: b\r\n")

        dripping = threading.Thread(target=drip)
        dripping.start()
        ws.write("config.yaml", f"channels:\n  phone: json://127.0.0.1:{server.getsockname()[1]}/\n")
        told = []
        began = time.monotonic()
        (notice,) = sending.send_message(ws, "x", to="phone", notify=told.append)
        assert time.monotonic() - began < 30
        done.set()
        dripping.join()
    assert notice.state == "failed" and "may have arrived" in notice.error
    assert isinstance(told[0].params["reason"], TryLater)
    for thread in threading.enumerate():
        if thread.daemon and thread is not threading.current_thread():
            thread.join(5)


def test_control_characters_go_and_the_rest_stays(ws, phone):
    said = "a\x1b[31mred\x07\x9b2K\r\nb\tc\ud800 \u202e <b>x</b> 🙂"
    sending.send_message(ws, said, to="phone", title="t\n\x1bx")
    assert texts(phone) == ["a[31mred2K\nb\tc \u202e <b>x</b> 🙂"]
    assert json.loads(phone.asked[0].body)["title"] == "t x"


def test_a_channel_gets_markdown_as_plain_lines_and_the_inbox_keeps_it(ws, phone):
    said = "**Gain of the day** +718.00\n\n| position | weight |\n| --- | ---: |\n| `600519.SH` | 14.97% |\n- [report](http://a.b)"
    (notice,) = sending.send_message(ws, said, to="phone")
    assert texts(phone) == ["Gain of the day +718.00\n\nposition · weight\n600519.SH · 14.97%\n- report (http://a.b)"]
    assert notice.text == said


def test_sending_is_real_whatever_now_says(ws, phone, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T15:00+08:00")
    (notice,) = sending.send_message(ws, "x", to="phone")
    assert texts(phone) == ["x"]
    assert notice.time == "2024-03-15T07:00:00.000Z" and notice.wall > "2026"
    assert inbox.list_notices(ws, 9) == [notice]
    sending.send_message(ws, "y")
    monkeypatch.setenv("IA_NOW", "2024-03-14")
    assert not inbox.list_notices(ws, 9) and not inbox.take_unread(ws) and inbox.may_have_unread(ws)


def test_a_long_text_goes_out_whole(ws, service, monkeypatch):
    monkeypatch.setattr(apprise_channel, "PACE", 0.0)
    ws.write("config.yaml", f"channels:\n  phone: ntfy://127.0.0.1:{service.server_port}/topic\n")
    said = "\n\n".join(f"第 {number} 段 " + "字" * random.Random(number).randrange(400) for number in range(60))
    sending.send_message(ws, said, to="phone", title="周报")
    assert len(service.asked) > 3
    assert "".join("".join(texts(service)).split()) == "".join(said.split())


# without a network


def test_what_could_not_leave_is_kept_where_a_key_promises_once(ws, service, home):
    where = "channels:\n  phone: json://127.0.0.1:{}/\n"
    ws.write("config.yaml", where.format(find_closed_port()))
    told = []
    (notice,) = sending.send_message(ws, "x", to="phone", key="run-1", notify=told.append)
    assert notice.state == "pending" and "ia will retry" in str(told[0])
    assert sending.deliver_pending(ws)[0].state == "pending"
    assert [each.text for each in inbox.take_unread(ws)] == ["x"]  # told at once; the channel follows
    ws.write("config.yaml", where.format(service.server_port))
    assert [each.state for each in sending.deliver_pending(ws)] == ["sent"]
    assert sending.deliver_pending(ws) == [] and texts(service) == ["x"] and not inbox.take_unread(ws)
    assert kinds(ws) == [("message.sent", "phone")]


def test_a_channel_without_a_network_is_tried_once_in_a_pass(ws, service):
    ws.write(
        "config.yaml",
        f"channels:\n  a: json://127.0.0.1:{find_closed_port()}/\n  b: ntfy://127.0.0.1:{service.server_port}/t\n",
    )
    for number in range(4):
        sending.send_message(ws, f"{number}", to="a", key=f"{number}")
    ws.db.execute("UPDATE notices SET channel = 'b', error = '' WHERE text = '3'")
    told = []
    assert [each.state for each in sending.deliver_pending(ws, notify=told.append)] == ["pending"] * 3 + ["sent"]
    assert len(told) == 1 and texts(service) == ["3"]


def test_it_is_given_up_after_a_day(ws):
    ws.write("config.yaml", f"channels:\n  phone: json://127.0.0.1:{find_closed_port()}/\n")
    sending.send_message(ws, "x", to="phone", key="run-1")
    ws.db.execute("UPDATE notices SET wall = '2024-01-01T00:00:00.000Z'")
    assert [each.state for each in sending.deliver_pending(ws)] == ["failed"]
    assert sending.deliver_pending(ws) == [] and kinds(ws) == [("message.failed", "phone")]


def test_what_may_have_arrived_is_not_tried_again(ws, phone, monkeypatch):
    monkeypatch.setattr(apprise_channel, "READ", 0.3)
    phone.silent.set()
    assert sending.send_message(ws, "x", to="phone", key="a")[0].state == "failed"
    phone.silent.clear()
    for status in (500, 502, 503, 400):
        phone.status = status
        assert sending.send_message(ws, "x", to="phone", key=f"s{status}")[0].state == "failed"
    phone.status = 429
    assert sending.send_message(ws, "x", to="phone", key="later")[0].state == "pending"


def test_of_two_receivers_one_may_have_got_it(ws, service):
    ws.write(
        "config.yaml", f"channels:\n  phone: ntfy://127.0.0.1:{service.server_port}/one/two?retry=3&redirect=yes\n"
    )
    service.first = [200]
    service.status = 429
    assert sending.send_message(ws, "x", to="phone", key="k")[0].state == "failed"
    assert len(service.asked) == 2


# inside a run


def test_inside_a_run_it_is_staged_until_the_run_is_done(ws, phone, monkeypatch):
    monkeypatch.setenv("IA_RUN", "5")
    (first,) = sending.send_message(ws, "x", to="phone")
    assert (first.state, first.run) == ("staged", 5) and not phone.asked
    assert sending.send_message(ws, "x", to="phone") == [first]  # a second attempt says the same
    monkeypatch.delenv("IA_RUN")
    assert sending.deliver_pending(ws) == [] and not phone.asked
    assert [each.state for each in sending.release_staged(ws, 5)] == ["sent"]
    sending.release_staged(ws, 5)
    monkeypatch.setenv("IA_RUN", "5")
    assert sending.send_message(ws, "x", to="phone")[0].state == "sent"
    assert texts(phone) == ["x"]
    monkeypatch.setenv("IA_RUN", "6")  # another slot
    sending.send_message(ws, "x", to="phone")
    assert sending.discard_unsent(ws, 6) == 1 and sending.discard_unsent(ws, 5) == 0
    sending.release_staged(ws, 6)
    assert texts(phone) == ["x"]


def test_what_a_run_staged_after_reading_outside_says_so(ws, phone, monkeypatch):
    monkeypatch.setenv("IA_RUN", "5")
    sending.send_message(ws, "see https://evil.example/leak", to="phone", title="at evil.example")
    sending.send_message(ws, "见 evil.example/x", to="cli", origins=["stdin"])
    monkeypatch.delenv("IA_RUN")
    sending.release_staged(ws, 5, origins=["telegram 42"], lang="zh")
    piped, known_one = inbox.list_notices(ws, 9)[::-1]
    assert piped.text == "【读过外部文本（telegram 42）之后写的】\nsee https[:]//evil[.]example/leak"
    assert (piped.title, piped.origins, piped.state) == ("at evil[.]example", "telegram 42", "sent")
    assert (known_one.text, known_one.origins) == ("见 evil[.]example/x", "stdin")
    assert "evil.example" not in phone.asked[0].body.decode()
    sending.release_staged(ws, 5, origins=["telegram 42"], lang="zh")
    assert len(phone.asked) == 1 and inbox.list_notices(ws, 9)[::-1] == [piped, known_one]


# crashes

CRASH = """
import os, sys
from ia.organs.channels import channel_registry, sending
from ia.kernel.workspace import Workspace
stage = sys.argv[1]
if stage == "stored":
    sending._deliver_notice = lambda *_: os.kill(os.getpid(), 9)
elif stage == "sent":
    sending._finish_notice = lambda *_: os.kill(os.getpid(), 9)
sending.send_message(Workspace(), "x", to="phone", key="k")
"""


def test_a_crash_before_the_delivery_is_made_up_for(ws, phone):
    assert subprocess.run([sys.executable, "-c", CRASH, "stored"]).returncode == -9
    assert not phone.asked
    (notice,) = sending.deliver_pending(ws)
    assert notice.state == "sent" and texts(phone) == ["x"]
    assert sending.deliver_pending(ws) == []


@pytest.mark.process
def test_a_crash_in_the_delivery_is_told_and_not_repeated(ws, phone):
    assert subprocess.run([sys.executable, "-c", CRASH, "sent"]).returncode == -9
    assert texts(phone) == ["x"]
    told = []
    (notice,) = sending.deliver_pending(ws, notify=told.append)
    assert notice.state == "unsure" and sending.deliver_pending(ws) == []
    assert "may have arrived" in str(told[0]) and "may have arrived" in inbox.take_unread(ws)[0].error
    assert sending.send_message(ws, "x", to="phone", key="k")[0].state == "unsure"
    assert texts(phone) == ["x"]


@pytest.mark.process
def test_who_is_sending_is_not_taken_for_dead(ws, phone):
    phone.silent.set()
    run = subprocess.Popen([sys.executable, "-c", CRASH, "none"])
    deadline = time.monotonic() + 90
    while not phone.asked and time.monotonic() < deadline:
        time.sleep(0.02)
    assert sending.deliver_pending(ws) == []
    assert [each.state for each in inbox.list_notices(ws, 9)] == ["sending"]
    phone.silent.clear()
    phone.released.set()
    run.wait(30)
    assert inbox.list_notices(ws, 9)[0].state == "failed"  # the connection was closed without an answer
    assert len(phone.asked) == 1


@pytest.mark.process
def test_ctrl_c_while_sending_leaves_it_unsure(ws, phone):
    phone.silent.set()
    run = subprocess.Popen([sys.executable, "-c", CRASH, "none"], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 90
    while not phone.asked and time.monotonic() < deadline:
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    assert run.wait(10) != 0
    assert inbox.unread_notices(ws)[0].state == "unsure"


@pytest.mark.process
def test_killed_at_random_moments_it_never_arrives_twice(ws, phone):
    """kill -9 while six messages are being sent: each arrives at most once, and what did not is made up for or told."""
    code = """
from ia.organs.channels import sending
from ia.kernel.workspace import Workspace
ws = Workspace()
print(flush=True)
for number in range(6):
    sending.send_message(ws, f"{number}", to="phone", key=f"k{number}")
"""
    dice = random.Random(4)
    for _ in range(12):
        ws.db.execute("DELETE FROM notices")
        phone.asked.clear()
        run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        run.stdout.readline()
        time.sleep(dice.random() * 0.6)
        run.kill()
        run.wait()
        run.stdout.close()
        sending.deliver_pending(ws)
        for number in range(6):
            sending.send_message(ws, f"{number}", to="phone", key=f"k{number}")
        arrived = texts(phone)
        assert len(arrived) == len(set(arrived))
        states = {each.text: each.state for each in inbox.list_notices(ws, 9)}
        assert set(states) == set("012345") and set(states.values()) <= {"sent", "unsure"}
        assert {text for text, state in states.items() if state == "sent"} <= set(arrived)


@pytest.mark.parametrize("name", ["sending", "unread"])
def test_no_link_is_followed(ws, home, tmp_path, name):
    (home / ".ia").mkdir()
    os.symlink(tmp_path / "victim", home / ".ia" / name)
    with contextlib.suppress(ConfigError):
        sending.send_message(ws, "x")
    assert not (tmp_path / "victim").exists()
