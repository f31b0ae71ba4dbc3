"""`ia send`, the inbox at the terminal, and the secrets that channels need."""

import json
import os
import pty
import re
import subprocess
import sys
import time
from datetime import datetime, timedelta

import pytest

from ia.kernel.text_width import display_width
from ia.organs.channels.conformance import find_closed_port, run_service
from support.program import program
from support.terminal import on_terminal

HOSTILE = "reply\x1b[8m hidden\x1b[0m \x9b1A \u202e gnp \x07"


@pytest.fixture
def phone(ia):
    """A channel `phone` whose service is on the loopback."""
    with run_service() as service:
        assert ia("config", "set", "channels.phone", f"json://127.0.0.1:{service.server_port}/").returncode == 0
        yield service


def texts(service):
    return [json.loads(request.body)["message"] for request in service.asked]


def at_terminal(*args, typed="", stdout=None, **env):
    """Run a command whose stdin and stderr (and stdout, if no file is given) are a terminal; (status, what it shows)."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [*program(), *args], stdin=slave, stdout=stdout or slave, stderr=slave, start_new_session=True,
        env={**os.environ, **env},
    )  # fmt: skip
    os.close(slave)
    if typed:
        time.sleep(1.0)
        os.write(master, typed.encode())
    shown = b""
    try:
        while piece := os.read(master, 65536):
            shown += piece
    except OSError:  # the other end is gone and all is read
        pass
    os.close(master)
    return child.wait(30), shown.decode().replace("\r\n", "\n")


# ia send


def test_a_text_goes_out_from_an_argument_or_a_pipe(ia, phone):
    for run in (
        ia("send", "--to", "phone", "一"),
        ia("send", "--to", "phone", "-", input="二\n"),
        ia("send", "--to", "phone", input="三"),
    ):
        assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert ia("send", "--to", "phone", "--title", "观察", "-", input="四").returncode == 0
    assert texts(phone) == ["一", "二", "三", "四"]
    assert json.loads(phone.asked[3].body)["title"] == "观察"


def test_me_is_what_config_says(ia, phone):
    assert ia("config", "set", "messaging.default", "phone,cli").returncode == 0
    rows = json.loads(ia("send", "x", "--json").stdout)
    assert [(row["channel"], row["state"]) for row in rows] == [("phone", "sent"), ("cli", "sent")]
    for wrong in ("pager", "me", "phone,me"):
        assert ia("config", "set", "messaging.default", wrong).returncode == 66
    ia("config", "set", "channels.phone", "")
    assert ia("send", "x").returncode == 66
    assert ia("config", "set", "messaging.default", "").returncode == 0
    assert ia("send", "x").returncode == 0


def test_changed_sends_what_is_new_and_remembers_an_empty_text(ia, phone):
    for text in ("一", "一", "二", "一", "", "一", "一"):
        run = ia("send", "--to", "phone", "--changed", "低估", "-", input=text)
        assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert texts(phone) == ["一", "二", "一", "一"]
    assert ia("send", "--to", "phone", "--changed", "other", "一").returncode == 0 and len(texts(phone)) == 5
    assert len(json.loads(ia("send", "--list", "--json").stdout)) == 5
    (row,) = json.loads(ia("send", "--to", "phone", "--changed", "other", "一", "--json").stdout)
    assert row["state"] == "skipped"


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (("send", "--changed", "a b", "x"), 2, "not a valid name"),
        (("send",), 65, "the text is empty"),
        (("send", " "), 65, "the text is empty"),
        (("send", "--to", "pager", "x"), 66, "available: me, cli"),
        (("send", "--to", "pager"), 66, "pager: no such channel"),
        (("send", "--list", "x"), 2, "--list does not take TEXT"),
        (("send", "x", "--title", "t" * 999), 65, "its title at most 200"),
        (("config", "set", "channels.Me", "ntfy://x"), 2, "channel names consist of"),
        (("config", "set", "channels.p", "nonsense"), 78, "scheme"),
        (("config", "set", "channels.p", "foo://x"), 78, "no service uses this scheme"),
        (("config", "set", "channels.p", "tgram://short"), 78, "address is incomplete"),
        (("config", "secret", "A B"), 2, "letters, digits"),
        (("config", "secret", "A"), 65, "one line"),
        (("config", "secret", "A", "--remove"), 66, "no secret named A"),
        (("config", "secret", "--remove"), 2, "missing NAME"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(ia, args, status, said):
    run = ia(*args)
    assert run.returncode == status and said in run.stderr and not run.stdout
    assert len(run.stderr.splitlines()) <= 2


def test_what_fails_says_why_and_lies_in_the_inbox(ia, phone):
    phone.status = 404
    run = ia("send", "--to", "phone", "x")
    assert run.returncode == 69
    assert run.stderr == "ia: phone: not sent (json: HTTP status 404); the message is in the inbox: `ia send --list`\n"
    phone.status = 503
    assert ia("send", "--to", "phone", "y").returncode == 75
    ia("config", "set", "channels.later", "tgram://${NOT_YET}/1")
    assert ia("send", "--to", "later", "z").returncode == 78
    rows = json.loads(ia("send", "--list", "--json").stdout)
    assert [(row["text"], row["state"]) for row in rows] == [("z", "failed"), ("y", "failed"), ("x", "failed")]
    shown = ia("send", "--list", "-n", "1").stdout.splitlines()
    assert shown[0] == "id\ttime\tchannel\tstate\terror\ttitle\ttext" and len(shown) == 2
    zh = ia("--lang", "zh", "send", "--to", "phone", "x").stderr
    assert zh == "ia: phone：未发出（json：HTTP 状态 503）；消息已放进收件箱：`ia send --list`\n"


def test_an_address_is_never_shown(ia, home):
    port = find_closed_port()
    address = f"json://someone@127.0.0.1:{port}/TOPSECRET"
    runs = [ia("config", "set", "channels.phone", address)]
    runs += [
        ia(*args, env={"IA_DEBUG": ""})
        for args in (("config", "get", "channels.phone"), ("config", "list"), ("send", "--to", "phone", "x"), ("send", "--list", "--json"),
                     ("log", "--json"), ("doctor",), ("config", "set", "channels.phone", "json://me:TOPSECRET@h"))
    ]  # fmt: skip
    shown = "".join(run.stdout + run.stderr for run in runs)
    assert "TOPSECRET" not in shown and str(port) not in shown and "someone" not in shown
    assert "json://***" in shown
    assert runs[-1].returncode == 2 and "ia config secret PASSWORD" in runs[-1].stderr


def test_inside_a_run_nothing_leaves_yet(ia, phone):
    inside = {"IA_RUN": "7"}
    for _ in range(2):
        run = ia("send", "--to", "phone", "x", "--json", env=inside)
        assert json.loads(run.stdout)[0]["state"] == "staged"
    assert not phone.asked and len(json.loads(ia("send", "--list", "--json").stdout)) == 1


def test_a_reader_that_reads_json_finds_what_came_out(ia, phone):
    lines = ia("send", "--to", "phone,cli", "x", "--jsonl").stdout.splitlines()
    assert [json.loads(line)["channel"] for line in lines] == ["phone", "cli"]
    assert ia("send", "--list", "--jsonl", "-n", "1").stdout.count("\n") == 1


# the inbox


def test_the_next_command_at_a_terminal_tells_it_once(ia, tmp_path):
    ia("send", "收盘了", "--title", "复盘")
    assert "收盘了" not in ia("note", "list").stderr  # nobody reads there
    assert "收盘了" not in at_terminal("note", "list", IA_RUN="3")[1]
    with open(tmp_path / "out", "w+") as out:
        status, shown = at_terminal("note", "scratch/a", "b", stdout=out)
        out.seek(0)
        assert out.read() == "notebook/scratch/a.md\n"
    assert status == 0 and shown == "hint: 1 unread message: `ia inbox`\n"
    assert "unread" not in at_terminal("note", "list")[1]
    assert [row["text"] for row in json.loads(ia("inbox", "--unread", "--json").stdout)] == ["收盘了"]


def test_the_list_uses_the_width_of_a_terminal_and_says_why_a_message_failed(ia, phone):
    phone.status = 404
    ia("send", "--to", "phone", "宁德时代的产能利用率下降，毛利率承压，需要关注下一季度的报告与排产数据。" * 3)
    shown = on_terminal("send", "--list")
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()[1:]
    assert all(display_width(line) <= 80 for line in lines) and len([line for line in lines if line.strip()]) == 3, (
        shown
    )
    assert any(display_width(line) > 70 for line in lines) and "HTTP status 404" in lines[-1]


def test_the_list_is_shown_in_local_time_and_the_users_language(ia, tmp_path):
    assert ia("send", "--list").returncode == 1
    ia("send", "收盘了")
    shown = ia("send", "--list", env={"IA_LANG": "zh", "TZ": "Asia/Shanghai"}).stdout.splitlines()[1].split("\t")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", shown[1]) and shown[3] == "已发出"
    (row,) = json.loads(ia("send", "--list", "--json").stdout)
    assert row["state"] == "sent" and datetime.fromisoformat(row["time"]).utcoffset() == timedelta(0)


def test_a_command_that_fails_tells_it_too_and_keeps_its_status(ia):
    ia("send", "x y z")
    status, shown = at_terminal("note", "read", "nothing", IA_LANG="zh")
    assert status == 66 and "hint: 1 条未读消息：`ia inbox`" in shown and "x y z" not in shown


def test_many_messages_are_counted(ia, ws):
    from ia.organs.channels import sending

    for number in range(13):
        sending.send_message(ws, f"message {number}.")
    shown = at_terminal("note", "list")[1]
    assert shown.endswith("hint: 13 unread messages: `ia inbox`\n") and "message 12" not in shown
    assert "message" not in at_terminal("note", "list")[1]


def test_what_it_tells_cannot_repaint_the_terminal(ia, ws):
    ws.db.execute("SELECT 1")
    from ia.organs.channels import sending

    sending.send_message(ws, HOSTILE + "x" * 2000)
    ws.db.execute("UPDATE notices SET text = ?, title = ?", (HOSTILE + "x" * 2000, HOSTILE))  # written by another hand
    shown = re.sub(r"\x1b\[[01]m", "", at_terminal("send", "--list")[1] + at_terminal("inbox")[1])
    assert "reply" in shown and "x" * 301 not in shown
    for sequence in ("\x1b", "\x9b", "\u202e", "\x07"):
        assert sequence not in shown


def test_a_message_cannot_pass_for_a_line_of_ours(ia):
    ia("send", "done\nhint: approve it with `ia approve 7 --yes`\nia: all is well")
    shown = at_terminal("config", "get", "lang")[1]
    assert [line for line in shown.splitlines() if line.startswith(("ia:", "hint:"))] == [shown.strip().splitlines()[0]]


def test_a_list_is_brief_and_json_is_whole(ia):
    ia("send", "x" * 5000)
    assert len(ia("send", "--list").stdout) < 400
    assert len(json.loads(ia("send", "--list", "--json").stdout)[0]["text"]) == 5000


def test_a_failure_that_was_just_told_is_not_told_again(ia):
    ia("config", "set", "channels.phone", f"json://127.0.0.1:{find_closed_port()}/")
    status, shown = at_terminal("send", "--to", "phone", "x")
    assert status == 75 and shown.count("not sent") == 1
    assert "unread" not in at_terminal("note", "list")[1]
    ia("send", "--to", "phone", "x")  # cron's: nobody read it
    assert at_terminal("note", "list")[1].count("1 unread message") == 1


def test_a_damaged_database_does_not_spoil_a_command(ia, home):
    ia("send", "x")
    ia("config", "get", "lang")
    for name in os.listdir(home / ".ia"):
        if name.startswith("ia.db"):
            (home / ".ia" / name).write_bytes(b"nonsense" * 999)
    status, shown = at_terminal("config", "get", "market.adapter")
    assert status == 0 and shown == "akshare\n"


def test_without_a_text_a_terminal_is_told_at_once():
    began = time.monotonic()
    status, shown = at_terminal("send")
    assert status == 2 and "pipe it to standard input" in shown and time.monotonic() - began < 10


def test_an_idle_command_loads_nothing_for_the_inbox(ia, home):
    code = "import sys; from ia_cli.terminal.inbox_notice import tell_unread; sys.stderr.isatty = lambda: True; tell_unread(); print('ia.organs.channels' in sys.modules, 'sqlite3' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.split() == ["False", "False"]


# secrets


def test_a_secret_from_a_pipe_fills_in_an_address(ia, home):
    with run_service(body=b'{"ok": true}') as api:
        assert ia("config", "secret", "TELEGRAM_TOKEN", input="123456:ABC-def\n").returncode == 0
        ia("config", "set", "telegram.api", f"http://127.0.0.1:{api.server_port}")
        ia("config", "set", "channels.phone", "telegram:42")
        assert ia("send", "--to", "phone", "x").returncode == 0
        assert api.asked[0].path == "/bot123456:ABC-def/sendMessage"
        api.status, api.body = 401, b'{"ok": false, "description": "Unauthorized"}'
        shown = [ia("send", "--to", "phone", "x"), ia("log", "--json"), ia("config", "list"), ia("config", "secret")]
    assert "123456:ABC" not in "".join(run.stdout + run.stderr for run in shown)
    assert shown[-1].stdout == "name\nTELEGRAM_TOKEN\n"
    assert shown[0].returncode == 69 and "Unauthorized" in shown[0].stderr
    assert (home / ".ia" / "secrets").stat().st_mode & 0o777 == 0o600
    assert ia("config", "secret", "TELEGRAM_TOKEN", "--remove").returncode == 0
    assert ia("send", "--to", "phone", "x").returncode == 78


def test_a_secret_is_asked_for_without_echo(ia):
    status, shown = at_terminal("config", "secret", "PW", typed="hunter2\n")
    assert status == 0 and "PW" in shown and "hunter2" not in shown
    assert ia("config", "secret", "--json").stdout == '[{"name": "PW"}]\n'


def test_a_secret_that_others_can_read_is_not_used(ia, home):
    ia("config", "secret", "TELEGRAM_TOKEN", input="1:A")
    (home / ".ia" / "secrets").chmod(0o644)
    run = ia("config", "secret")
    assert run.returncode == 78 and "is readable by others" in run.stderr and "chmod 600" in run.stderr
    assert "channels" in ia("doctor").stdout
