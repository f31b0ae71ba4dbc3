"""Sending: stored first, delivered at most once, nothing lost; channels by address; secrets that nobody sees."""

import contextlib
import email
import email.policy
import json
import os
import random
import re
import signal
import socketserver
import subprocess
import sys
import threading
import time

import pytest

from ia.kernel import audit, config, links
from ia.kernel.errors import BadData, ConfigError, NotFound, TryLater, Unavailable, UsageError
from ia.kernel.workspace import Workspace
from ia.organs.channels import apprised, inbox, known, sending
from ia.organs.channels import telegram as bot
from ia.organs.channels.conformance import closed_port, serving
from ia.organs.channels.parts import parts

TOKEN = "123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"
TAKEN = b'{"ok": true, "result": {}}'


@pytest.fixture
def service():
    with serving() as running:
        yield running


@pytest.fixture
def phone(service, ws):
    """A channel `phone` whose service is on the loopback."""
    ws.write("config.yaml", f"channels:\n  phone: json://127.0.0.1:{service.server_port}/\n")
    return service


def texts(service):
    return [json.loads(request.body)["message"] for request in service.asked]


def kinds(ws):
    return [(event.kind, event.subject) for event in reversed(audit.events(ws.db, kind="message"))]


# sending


def test_the_inbox_takes_what_has_no_other_way(ws):
    (notice,) = sending.send(ws, "收盘了", title="复盘")
    assert (notice.channel, notice.state, notice.title, notice.text) == ("cli", "sent", "复盘", "收盘了")
    assert [each.text for each in inbox.taken(ws)] == ["收盘了"]
    assert not inbox.taken(ws) and not inbox.maybe(ws)
    assert kinds(ws) == [("message.sent", "cli")]


@pytest.mark.process
def test_a_message_goes_to_every_channel_that_is_meant(ws, phone, monkeypatch):
    assert [each.channel for each in sending.send(ws, "a", to="phone")] == ["phone"]
    assert [each.channel for each in sending.send(ws, "b", to="phone, me,cli")] == ["phone", "cli"]
    monkeypatch.setenv("IA_MESSAGING_DEFAULT", "phone,cli")
    assert [(each.channel, each.state) for each in sending.send(ws, "c")] == [("phone", "sent"), ("cli", "sent")]
    assert texts(phone) == ["a", "b", "c"]
    assert [each.text for each in inbox.unread(ws)] == ["b", "c"]


def test_an_unknown_channel_is_named_beside_the_known_ones(ws, phone):
    with pytest.raises(NotFound) as failure:
        sending.send(ws, "x", to="phone,pager")
    assert failure.value.params["known"] == "me, cli, phone"
    assert not texts(phone) and not inbox.listed(ws, 9)


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x1b", "x" * (sending.MAX_TEXT + 1)])
def test_what_is_no_message(ws, text):
    with pytest.raises(BadData):
        sending.send(ws, text)


def test_a_key_is_sent_once(ws, phone):
    first = sending.send(ws, "one", to="phone,cli", key="run-7")
    again = sending.send(ws, "two", to="phone,cli", key="run-7")
    assert again == first
    assert sending.send(ws, "one", to="phone", key="run-8") != first
    assert sending.send(ws, "one", to="phone") != first
    assert texts(phone) == ["one", "one", "one"]


@pytest.mark.process
def test_one_key_from_many_processes_is_sent_once(ws, phone, home):
    code = "from ia.organs.channels import sending; from ia.kernel.workspace import Workspace; sending.send(Workspace(), 'x', to='phone', key='k')"
    ws.db.execute("SELECT 1")
    runs = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(6)]
    assert [run.wait(60) for run in runs] == [0] * 6
    assert texts(phone) == ["x"]


def test_what_fails_lies_in_the_inbox_and_is_told_without_the_address(ws, home):
    port = closed_port()
    ws.write("config.yaml", f"channels:\n  phone: json://127.0.0.1:{port}/TOPSECRET\n")
    told = []
    (notice,) = sending.send(ws, "盈利预警", to="phone", notify=told.append)
    assert (notice.state, notice.error) == ("failed", "json: no connection (connection refused)")
    assert isinstance(told[0].params["reason"], TryLater)
    assert [each.text for each in inbox.taken(ws)] == ["盈利预警"] and not inbox.taken(ws)
    everything = f"{told[0]} {notice} {audit.events(ws.db)}"
    assert kinds(ws) == [("message.failed", "phone")]
    assert "TOPSECRET" not in everything and str(port) not in everything


def test_a_refusal_is_told_from_a_failure(ws, phone):
    phone.status = 403
    told = []
    sending.send(ws, "x", to="phone", notify=told.append)
    assert isinstance(told[0].params["reason"], Unavailable) and "403" in str(told[0])
    assert sending.deliver_pending(ws) == [] and len(phone.asked) == 1  # a failure is final: it may have arrived


def test_a_service_that_hangs_is_given_up(ws, phone, monkeypatch):
    monkeypatch.setattr(apprised, "READ", 0.3)
    phone.silent.set()
    began = time.monotonic()
    (notice,) = sending.send(ws, "x", to="phone")
    assert notice.state == "failed" and time.monotonic() - began < 5


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
        (notice,) = sending.send(ws, "x", to="phone", notify=told.append)
        assert time.monotonic() - began < 5
        done.set()
        dripping.join()
    assert notice.state == "failed" and "may have arrived" in notice.error
    assert isinstance(told[0].params["reason"], TryLater)
    for thread in threading.enumerate():
        if thread.daemon and thread is not threading.current_thread():
            thread.join(5)


def test_control_characters_go_and_the_rest_stays(ws, phone):
    said = "a\x1b[31mred\x07\x9b2K\r\nb\tc\ud800 \u202e <b>*x*</b> [l](http://a.b) 🙂"
    sending.send(ws, said, to="phone", title="t\n\x1bx")
    assert texts(phone) == ["a[31mred2K\nb\tc \u202e <b>*x*</b> [l](http://a.b) 🙂"]
    assert json.loads(phone.asked[0].body)["title"] == "t x"


def test_sending_is_real_whatever_now_says(ws, phone, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T15:00+08:00")
    (notice,) = sending.send(ws, "x", to="phone")
    assert texts(phone) == ["x"]
    assert notice.time == "2024-03-15T07:00:00.000Z" and notice.wall > "2026"
    assert inbox.listed(ws, 9) == [notice]
    sending.send(ws, "y")
    monkeypatch.setenv("IA_NOW", "2024-03-14")
    assert not inbox.listed(ws, 9) and not inbox.taken(ws) and inbox.maybe(ws)


def test_a_long_text_goes_out_whole(ws, service, monkeypatch):
    monkeypatch.setattr(apprised, "PACE", 0.0)
    ws.write("config.yaml", f"channels:\n  phone: ntfy://127.0.0.1:{service.server_port}/topic\n")
    said = "\n\n".join(f"第 {number} 段 " + "字" * random.Random(number).randrange(400) for number in range(60))
    sending.send(ws, said, to="phone", title="周报")
    assert len(service.asked) > 3
    assert "".join("".join(texts(service)).split()) == "".join(said.split())


# without a network


def test_what_could_not_leave_is_kept_where_a_key_promises_once(ws, service, home):
    where = "channels:\n  phone: json://127.0.0.1:{}/\n"
    ws.write("config.yaml", where.format(closed_port()))
    told = []
    (notice,) = sending.send(ws, "x", to="phone", key="run-1", notify=told.append)
    assert notice.state == "pending" and "tried again" in str(told[0])
    assert sending.deliver_pending(ws)[0].state == "pending"
    assert [each.text for each in inbox.taken(ws)] == ["x"]  # told at once; the channel follows
    ws.write("config.yaml", where.format(service.server_port))
    assert [each.state for each in sending.deliver_pending(ws)] == ["sent"]
    assert sending.deliver_pending(ws) == [] and texts(service) == ["x"] and not inbox.taken(ws)
    assert kinds(ws) == [("message.sent", "phone")]


def test_a_channel_without_a_network_is_tried_once_in_a_pass(ws, service):
    ws.write(
        "config.yaml",
        f"channels:\n  a: json://127.0.0.1:{closed_port()}/\n  b: ntfy://127.0.0.1:{service.server_port}/t\n",
    )
    for number in range(4):
        sending.send(ws, f"{number}", to="a", key=f"{number}")
    ws.db.execute("UPDATE notices SET channel = 'b', error = '' WHERE text = '3'")
    told = []
    assert [each.state for each in sending.deliver_pending(ws, notify=told.append)] == ["pending"] * 3 + ["sent"]
    assert len(told) == 1 and texts(service) == ["3"]


def test_it_is_given_up_after_a_day(ws):
    ws.write("config.yaml", f"channels:\n  phone: json://127.0.0.1:{closed_port()}/\n")
    sending.send(ws, "x", to="phone", key="run-1")
    ws.db.execute("UPDATE notices SET wall = '2024-01-01T00:00:00.000Z'")
    assert [each.state for each in sending.deliver_pending(ws)] == ["failed"]
    assert sending.deliver_pending(ws) == [] and kinds(ws) == [("message.failed", "phone")]


def test_what_may_have_arrived_is_not_tried_again(ws, phone, monkeypatch):
    monkeypatch.setattr(apprised, "READ", 0.3)
    phone.silent.set()
    assert sending.send(ws, "x", to="phone", key="a")[0].state == "failed"
    phone.silent.clear()
    for status in (500, 502, 503, 400):
        phone.status = status
        assert sending.send(ws, "x", to="phone", key=f"s{status}")[0].state == "failed"
    phone.status = 429
    assert sending.send(ws, "x", to="phone", key="later")[0].state == "pending"


def test_of_two_receivers_one_may_have_got_it(ws, service):
    ws.write(
        "config.yaml", f"channels:\n  phone: ntfy://127.0.0.1:{service.server_port}/one/two?retry=3&redirect=yes\n"
    )
    service.first = [200]
    service.status = 429
    assert sending.send(ws, "x", to="phone", key="k")[0].state == "failed"
    assert len(service.asked) == 2


# inside a run


def test_inside_a_run_it_is_staged_until_the_run_is_done(ws, phone, monkeypatch):
    monkeypatch.setenv("IA_RUN", "5")
    (first,) = sending.send(ws, "x", to="phone")
    assert (first.state, first.run) == ("staged", 5) and not phone.asked
    assert sending.send(ws, "x", to="phone") == [first]  # a second attempt says the same
    monkeypatch.delenv("IA_RUN")
    assert sending.deliver_pending(ws) == [] and not phone.asked
    assert [each.state for each in sending.release(ws, 5)] == ["sent"]
    sending.release(ws, 5)
    monkeypatch.setenv("IA_RUN", "5")
    assert sending.send(ws, "x", to="phone")[0].state == "sent"
    assert texts(phone) == ["x"]
    monkeypatch.setenv("IA_RUN", "6")  # another slot
    sending.send(ws, "x", to="phone")
    assert sending.discard(ws, 6) == 1 and sending.discard(ws, 5) == 0
    sending.release(ws, 6)
    assert texts(phone) == ["x"]


def test_what_a_run_staged_after_reading_outside_says_so(ws, phone, monkeypatch):
    monkeypatch.setenv("IA_RUN", "5")
    sending.send(ws, "see https://evil.example/leak", to="phone", title="at evil.example")
    sending.send(ws, "见 evil.example/x", to="cli", origins=["stdin"])
    monkeypatch.delenv("IA_RUN")
    sending.release(ws, 5, origins=["telegram 42"], lang="zh")
    piped, known_one = inbox.listed(ws, 9)[::-1]
    assert piped.text == "【读过外部文本（telegram 42）之后写的】\nsee https[:]//evil[.]example/leak"
    assert (piped.title, piped.origins, piped.state) == ("at evil[.]example", "telegram 42", "sent")
    assert (known_one.text, known_one.origins) == ("见 evil[.]example/x", "stdin")
    assert "evil.example" not in phone.asked[0].body.decode()
    sending.release(ws, 5, origins=["telegram 42"], lang="zh")
    assert len(phone.asked) == 1 and inbox.listed(ws, 9)[::-1] == [piped, known_one]


# crashes

CRASH = """
import os, sys
from ia.organs.channels import known, sending
from ia.kernel.workspace import Workspace
stage = sys.argv[1]
if stage == "stored":
    sending._delivered = lambda *_: os.kill(os.getpid(), 9)
elif stage == "sent":
    sending._ended = lambda *_: os.kill(os.getpid(), 9)
sending.send(Workspace(), "x", to="phone", key="k")
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
    assert "may have arrived" in str(told[0]) and "may have arrived" in inbox.taken(ws)[0].error
    assert sending.send(ws, "x", to="phone", key="k")[0].state == "unsure"
    assert texts(phone) == ["x"]


@pytest.mark.process
def test_who_is_sending_is_not_taken_for_dead(ws, phone):
    phone.silent.set()
    run = subprocess.Popen([sys.executable, "-c", CRASH, "none"])
    deadline = time.monotonic() + 30
    while not phone.asked and time.monotonic() < deadline:
        time.sleep(0.02)
    assert sending.deliver_pending(ws) == []
    assert [each.state for each in inbox.listed(ws, 9)] == ["sending"]
    phone.silent.clear()
    phone.released.set()
    run.wait(30)
    assert inbox.listed(ws, 9)[0].state == "failed"  # the connection was closed without an answer
    assert len(phone.asked) == 1


@pytest.mark.process
def test_ctrl_c_while_sending_leaves_it_unsure(ws, phone):
    phone.silent.set()
    run = subprocess.Popen([sys.executable, "-c", CRASH, "none"], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not phone.asked and time.monotonic() < deadline:
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    assert run.wait(10) != 0
    assert inbox.unread(ws)[0].state == "unsure"


@pytest.mark.process
def test_killed_at_random_moments_it_never_arrives_twice(ws, phone):
    """kill -9 while six messages are being sent: each arrives at most once, and what did not is made up for or told."""
    code = """
from ia.organs.channels import sending
from ia.kernel.workspace import Workspace
ws = Workspace()
print(flush=True)
for number in range(6):
    sending.send(ws, f"{number}", to="phone", key=f"k{number}")
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
            sending.send(ws, f"{number}", to="phone", key=f"k{number}")
        arrived = texts(phone)
        assert len(arrived) == len(set(arrived))
        states = {each.text: each.state for each in inbox.listed(ws, 9)}
        assert set(states) == set("012345") and set(states.values()) <= {"sent", "unsure"}
        assert {text for text, state in states.items() if state == "sent"} <= set(arrived)


# e-mail


class Post(socketserver.StreamRequestHandler):
    """As much of SMTP as takes a message."""

    def handle(self):
        self.reply("220 here")
        for raw in self.rfile:
            word = raw.split()[0].upper()
            if word == b"DATA":
                self.reply("354 go on")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.mails.append(
                    b"".join(line.removeprefix(b".") if line.startswith(b"..") else line for line in lines)
                )
            self.reply("250 ok" if word != b"QUIT" else "221 bye")
            if word == b"QUIT":
                return

    def reply(self, line):
        self.wfile.write(line.encode() + b"\r\n")


def test_a_mail_is_text_whatever_it_looks_like(ws):
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Post) as server:
        server.mails = []
        serving_thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        serving_thread.start()
        port = server.server_address[1]
        ws.write(
            "config.yaml",
            f"channels:\n  mail: 'mailto://127.0.0.1:{port}?mode=insecure&from=ia@example.com&to=me@example.com'\n",
        )
        (notice,) = sending.send(
            ws, "第一行 <b>x</b> & <script>y</script>\n.\n第二段", to="mail", title="周报\r\nBcc: all@evil.example"
        )
        server.shutdown()
        serving_thread.join()
    assert notice.state == "sent", notice.error
    (raw,) = server.mails
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    assert mail["Subject"] == "周报 Bcc: all@evil.example" and mail["Bcc"] is None and "me@example.com" in mail["To"]
    assert mail.get_body(("html",)) is None
    assert mail.get_body(("plain",)).get_content().splitlines() == [
        "第一行 <b>x</b> & <script>y</script>",
        ".",
        "第二段",
    ]


# Telegram


@pytest.fixture
def chat(monkeypatch, ws):
    with serving(body=TAKEN) as running:
        monkeypatch.setenv("TELEGRAM_TOKEN", TOKEN)
        monkeypatch.setenv("IA_TELEGRAM_API", f"http://127.0.0.1:{running.server_port}/")
        ws.write("config.yaml", "channels:\n  phone: telegram:-100123\n")
        yield running


def test_telegram_gets_plain_text_without_previews(ws, chat):
    (notice,) = sending.send(ws, "*x* <b> http://a.b", to="phone", title="T")
    assert notice.state == "sent"
    (request,) = chat.asked
    assert request.path == f"/bot{TOKEN}/sendMessage"
    assert json.loads(request.body) == {
        "chat_id": -100123, "text": "T\n\n*x* <b> http://a.b", "link_preview_options": {"is_disabled": True},
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
def test_what_telegram_refuses_is_told_in_its_words(ws, chat, status, answer, kind, told):
    chat.status, chat.body = status, json.dumps(answer).encode()
    with pytest.raises(kind) as failure:
        known.opened("telegram:7").send("x")
    assert told in str(failure.value) and "\x1b" not in str(failure.value) and len(str(failure.value)) < 250
    assert TOKEN not in str(failure.value)
    assert len(chat.asked) == 1
    assert isinstance(failure.value, known.Unsent) == (status == 429)


def test_an_answer_that_repeats_the_token_is_not_told(ws, chat):
    secret = TOKEN.partition(":")[2]
    for said in (f"no route for /bot{TOKEN}/sendMessage", f"x {secret}", f"Bad: {TOKEN}", f"/BOT{TOKEN[:20]}"):
        chat.status, chat.body = 502, json.dumps({"ok": False, "description": said}).encode()
        (notice,) = sending.send(ws, "x", to="phone")
        assert notice.error == "telegram: HTTP status 502"
    assert secret not in str(audit.events(ws.db))


def test_a_long_text_that_is_cut_off_says_where(ws, chat):
    chat.first, chat.status = [200, 200, 200], 429
    (notice,) = sending.send(ws, "字" * 40_000, to="phone", key="k")
    assert notice.state == "failed"  # it is not tried again: the beginning has arrived
    assert notice.error == "telegram: HTTP status 429; 3 of 10 parts arrived"
    assert len(chat.asked) == 4


def test_telegram_cannot_be_reached(chat, monkeypatch):
    monkeypatch.setenv("IA_TELEGRAM_API", f"http://127.0.0.1:{closed_port()}")
    with pytest.raises(known.Unsent, match="connection refused"):
        known.opened("telegram:7").send("x")
    monkeypatch.setenv("IA_TELEGRAM_API", "https://nowhere.invalid")
    with pytest.raises(known.Unsent, match="no such host"):
        known.opened("telegram:7").send("x")


def test_telegram_is_asked_again_when_it_says_so(chat):
    chat.body, chat.first = b'{"ok": true, "parameters": {"retry_after": 1}}', [429]
    began = time.monotonic()
    known.opened("telegram:7").send("x")
    assert len(chat.asked) == 2 and time.monotonic() - began >= 1


def test_telegram_hangs(chat, monkeypatch):
    monkeypatch.setattr(bot, "TIMEOUT", 0.3)
    chat.silent.set()
    with pytest.raises(TryLater, match="may have arrived"):
        known.opened("telegram:7").send("x")


@pytest.mark.parametrize(
    "address", ["telegram:", "telegram:x", "telegram://7", "telegram:7/../x", "telegram:@a b", "telegram:7?x"]
)
def test_what_is_no_chat(chat, address):
    with pytest.raises(ConfigError, match="not complete"):
        known.opened(address)


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
            known.opened("telegram:7")
    monkeypatch.delenv("TELEGRAM_TOKEN")
    with pytest.raises(ConfigError, match="not set"):
        known.opened("telegram:7")


# what was written after reading text from outside


LINKS = [
    "https://evil.com/a", "evil.com", "c2VjcmV0.evil.com", "evil.com./leak", "evil.xn--p1ai/leak", "пример.рф/leak",
    "例子.中国/leak", "1.2.3.4/leak", "evil.com#leak", "evil.com%2Fleak", "evil.com\\leak", "evil。com/leak",
    "例子。中国/leak", "evil．com/leak", "evil.com:443/x", "tg:resolve?domain=evil&text=leak", "mailto:x@evil.com?body=x",
    "mailto:?to=x", "//evil.com/x", "www.evil.com", "evil.c0m/leak", "notebook/a.md/evil.com", "notebook/x.evil.md",
    "600519.SH/leak", "600519.SH.evil.com", "evil.md", "उदाहरण.भारत/x",
]  # fmt: skip


@pytest.mark.parametrize("link", LINKS)
def test_no_link_is_left(link):
    told = links.unlinked(link)
    assert told != link
    assert told.replace("[.]", ".").replace("[:]", ":").replace("。 ", "。") == link.replace("．", ".")
    assert not re.search(r"[^\W\d_][.．][^\W\d_]|\d\.\d+\.|[a-z]:[/a-z?]|[a-z中]。[a-z中]", told), told


@pytest.mark.parametrize(
    "text",
    [
        "PE 3.14，涨 12.5%，3.14亿；600519.SH 收 1680.5，00700.HK。", "见 notebook/research/宁德/2026-11-22.md。",
        "SH.600519 v1.2 2026.11.22 e.g. U.S. Ends. Begins… 跌了。AI 说：看好", "PE:12/行业 15:30 RSI:28 note: x",
    ],
)  # fmt: skip
def test_figures_codes_and_paths_stay(text):
    assert links.unlinked(text) == text


# parts


@pytest.mark.parametrize("size", [len, bot.units, lambda text: len(text.encode())])
def test_parts_hold_everything_and_no_more_than_fits(size):
    dice = random.Random(1)
    for _ in range(200):
        text = "".join(
            dice.choice(["字", "a", " ", "\n", "\n\n", "🙂", "word "]) for _ in range(dice.randrange(1, 900))
        )
        limit = dice.randrange(8, 200)
        found = parts(text, limit, size)
        assert all(size(part) <= limit for part in found)
        assert "".join("".join(found).split()) == "".join(text.split())


def test_parts_end_where_a_paragraph_does():
    assert parts("one two\n\nthree four\n\nfive", 22) == ["one two\n\nthree four", "five"]
    assert parts("one two three", 9) == ["one two", "three"]
    assert parts("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert parts("short", 10) == ["short"]


# channels and their addresses


def test_channels_are_what_config_says(ws, monkeypatch):
    assert known.names() == ["cli"] and known.default() == ["cli"] and known.problems() == []
    ws.write(
        "config.yaml",
        "channels:\n  phone: ntfy://x\n  team: mailto://a@b.example\nmessaging:\n  default: [phone, cli]\n",
    )
    assert known.names() == ["cli", "phone", "team"] and known.meant("me") == ["phone", "cli"]
    monkeypatch.setenv("IA_CHANNELS_PAGER", "ntfy://y")
    assert known.meant("pager") == ["pager"] and known.address("pager") == "ntfy://y"


def test_problems_are_told_without_the_address(ws):
    ws.write(
        "config.yaml",
        "channels:\n  a: foo://TOPSECRET\n  b: 'tgram://${NO_SUCH}/1'\n  c: tgram://TOPSECRET\n  d: TOPSECRET\n  e: ntfy://x\n  f: telegram:7\n"
        "messaging:\n  default: gone\n",
    )
    told = [str(problem) for problem in known.problems()]
    assert [line.partition(":")[0] for line in told] == ["a", "b", "c", "d", "f", "messaging.default"]
    assert "no service of this scheme" in told[0] and "NO_SUCH" in told[1] and "not complete" in told[2]
    assert "TOPSECRET" not in str(told)


SECRET = [
    "tgram://123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0/12", "mailto://u:pw@gmail.com", "json://u:p%40@h/",
    "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", "gotify://127.0.0.1/abcdef", "bark://127.0.0.1/key",
    "json://h/?token=abc", "json://h/?+X-Api-Key=abc", "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", "pover://user@token",
    "json://h/0123456789abcdef0123456789abcdef",
]  # fmt: skip
PLAIN = [
    "json://127.0.0.1:8080", "json://me@example.com/inbox/messages", "ntfy://my-topic", "ntfy://ntfy.example.com/alerts",
    "mailto://me@example.com", "telegram:123456789", "tgram://${TG_TOKEN}/123456789", "form://[::1]:80/",
    "mailto://u:${PASSWORD}@gmail.com", "slack://${A}/${B}/${C}", "${PHONE}", "json://h/?token=${TOKEN}",
    "json://a-long-name-of-a-host.example-company.com/", "xml://h/2024/reports",
]  # fmt: skip


@pytest.mark.parametrize("address", SECRET)
def test_a_secret_written_out_is_refused(address):
    with pytest.raises(UsageError, match="does not belong into") as failure:
        known.check("phone", address)
    assert address not in str(failure.value.params) + str(failure.value)


@pytest.mark.parametrize("address", PLAIN)
def test_a_plain_address_and_references_are_taken(address, monkeypatch):
    monkeypatch.setenv("TELEGRAM_TOKEN", TOKEN)
    if not address.startswith("${"):
        known.check("phone", address)
    assert "***" in config.shown("channels.phone", address)
    assert address not in config.shown("channels.phone", address)


def test_a_password_with_odd_characters_reaches_the_service(ws, service, monkeypatch):
    import base64

    password = "p@ss/w:rd?#%é"
    monkeypatch.setenv("PW", password)
    ws.write("config.yaml", f"channels:\n  phone: 'json://me:${{PW}}@127.0.0.1:{service.server_port}/a'\n")
    assert sending.send(ws, "x", to="phone")[0].state == "sent"
    scheme, _, credentials = service.asked[0].headers["Authorization"].partition(" ")
    assert scheme == "Basic" and service.asked[0].path == "/a"
    decoded = base64.b64decode(credentials)
    assert decoded in (f"me:{password}".encode(), f"me:{password}".encode("latin-1"))


def test_names_of_channels(ws):
    for name in (
        "channels.Phone",
        "channels.cli",
        "channels.me",
        "channels.a b",
        "channels.",
        "channels.a.b",
        "channels.-a",
    ):
        with pytest.raises(UsageError):
            config.known(name)
    config.known("channels.my_phone-2")


# secrets


def test_secrets_are_kept_for_their_owner_alone(ws, home):
    ws.write("config.yaml", "telegram:\n  token: '${BOT}'\n")
    with pytest.raises(ConfigError, match="BOT"):
        config.get("telegram.token")
    assert config.keep_secret("BOT", TOKEN) and not config.keep_secret("BOT", TOKEN)
    assert config.get("telegram.token") == TOKEN
    path = home / ".ia" / "secrets"
    assert path.stat().st_mode & 0o777 == 0o600
    assert not [name for name in os.listdir(path.parent) if name.startswith("secrets.")]
    path.chmod(0o640)
    with pytest.raises(ConfigError, match="can be read by others"):
        config.get("telegram.token")
    with pytest.raises(ConfigError):
        config.keep_secret("OTHER", "x")
    path.chmod(0o600)
    assert config.keep_secret("BOT", None) and not config.secrets()


def test_the_environment_goes_before_what_is_kept(monkeypatch):
    config.keep_secret("TELEGRAM_TOKEN", "kept")
    assert config.get("telegram.token") == "kept"
    monkeypatch.setenv("TELEGRAM_TOKEN", "here")
    assert config.get("telegram.token") == "here"


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"a": 1}', "\xff", '{"a": {}}', "[" * 9999])
def test_a_damaged_file_of_secrets_is_told(home, content):
    (home / ".ia").mkdir(parents=True)
    file = home / ".ia" / "secrets"
    file.write_bytes(content.encode("latin-1"))
    file.chmod(0o600)
    with pytest.raises(ConfigError, match="damaged"):
        config.secrets()


def test_secrets_that_would_lock_themselves_out_are_refused(home):
    for number in range(60):
        try:
            config.keep_secret(f"S{number}", "x" * 4000)
        except ConfigError as exc:
            assert "no room" in str(exc)
            break
    else:
        raise AssertionError("no end")
    assert len(config.secrets()) == number
    config.keep_secret("S0", None)
    config.keep_secret("LAST", "y")
    assert config.secrets()["LAST"] == "y"


def test_no_secret_is_kept_where_others_may_write(ws, home):
    (home / ".ia").mkdir(parents=True, exist_ok=True)
    (home / ".ia").chmod(0o777)
    with pytest.raises(ConfigError, match="written by others"):
        config.keep_secret("TOKEN", "abc")
    assert not (home / ".ia" / "secrets").exists()


def test_a_run_has_no_secret_of_listeners_and_channels(ws, monkeypatch):
    ws.write(
        "config.yaml", "webhook: {secret: '${MYHOOK}'}\nchannels: {p: 'json://x/${PHONE}', q: 'x://${TUSHARE_TOKEN}'}\n"
    )
    names = ("MYHOOK", "PHONE", "IA_WEBHOOK_SECRET", "TELEGRAM_TOKEN", "TUSHARE_TOKEN", "OPENAI_API_KEY")
    for name in names:
        monkeypatch.setenv(name, "s")
    kept = config.for_runs({"IA_RUN": "1"})
    assert [name for name in names if name in kept] == ["TUSHARE_TOKEN", "OPENAI_API_KEY"] and kept["IA_RUN"] == "1"
    assert config.env("MYHOOK") == "s"
    ws.write("config.yaml", "webhook: [")
    assert "TELEGRAM_TOKEN" not in config.for_runs({})


@pytest.mark.parametrize("name", ["sending", "unread"])
def test_no_link_is_followed(ws, home, tmp_path, name):
    (home / ".ia").mkdir()
    os.symlink(tmp_path / "victim", home / ".ia" / name)
    with contextlib.suppress(ConfigError):
        sending.send(ws, "x")
    assert not (tmp_path / "victim").exists()


def test_a_link_is_no_file_of_secrets(home, tmp_path):
    (home / ".ia").mkdir(parents=True)
    (tmp_path / "else").write_text("{}")
    (home / ".ia" / "secrets").symlink_to(tmp_path / "else")
    with pytest.raises(ConfigError):
        config.secrets()


@pytest.mark.parametrize("name", ["", "a b", "1A", "A-B", "../x", "Ä", "A" * 99])
def test_names_of_secrets(name):
    with pytest.raises(UsageError):
        config.keep_secret(name, "x")


# the inbox


def test_two_terminals_are_told_of_each_message_once(ws):
    for number in range(20):
        sending.send(ws, f"{number}")
    told, lock = [], threading.Lock()

    def terminal():
        mine = Workspace()
        for _ in range(10):
            with contextlib.suppress(TryLater):
                found = inbox.taken(mine)
                with lock:
                    told.extend(each.text for each in found)
        mine.close()

    readers = [threading.Thread(target=terminal) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(20, 40):
        sending.send(ws, f"{number}")
    for reader in readers:
        reader.join()
    told += [each.text for each in inbox.taken(ws)]
    assert sorted(told, key=int) == [str(number) for number in range(40)]
    assert not inbox.maybe(ws)


def test_the_mark_comes_back_where_a_crash_lost_it(ws, home):
    sending.send(ws, "x")
    (home / ".ia" / inbox.MARKER).unlink()
    sending.deliver_pending(ws)
    assert inbox.maybe(ws)


# channels of other packages


def test_a_scheme_of_another_package_is_found_and_what_breaks_in_it_says_nothing(ws, tmp_path, monkeypatch):
    (tmp_path / "pager.py").write_text(
        "class Pager:\n"
        "    def __init__(self, address):\n        self.address = address\n"
        "    def send(self, text, title=''):\n"
        "        if 'broken' in text:\n            raise RuntimeError(self.address)\n"
        "        with open(self.address.partition(':')[2], 'a') as file:\n            file.write(f'{title}|{text}')\n"
    )
    info = tmp_path / "pager-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pager\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[ia.channels]\npager = pager:Pager\ngone = nowhere:X\ntelegram = pager:Pager\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    ws.write("config.yaml", f"channels:\n  p: pager:{tmp_path}/out\n  g: gone:x\n  t: telegram:7\n")
    assert sending.send(ws, "x", to="p", title="T")[0].state == "sent"
    assert (tmp_path / "out").read_text() == "T|x"
    assert sending.send(ws, "broken", to="p")[0].error == "the channel's own program failed"
    assert [str(problem).split(": ")[0] for problem in known.problems()] == ["g", "t"]
    monkeypatch.setenv("TELEGRAM_TOKEN", TOKEN)
    assert type(known.opened("telegram:7")) is bot.Telegram  # ours cannot be taken over
