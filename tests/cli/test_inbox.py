"""ia inbox: unread messages first, two lines a message at a terminal, whole text on demand."""

import json

import pytest

from support.terminal import on_terminal

LONG = "a long message about many things which certainly does not fit into eighty columns, " * 3


@pytest.fixture
def sent(ia):
    for argv in (("--title", "观察", "产能利用率下降\n第二行"), (LONG.strip(),), ("short",)):
        assert ia("send", *argv).returncode == 0


def ids(done):
    return [row["id"] for row in json.loads(done.stdout)]


def test_unread_messages_come_first_and_reading_marks_them(ia, sent):
    assert ids(ia("inbox", "--json")) == [3, 2, 1]
    done = ia("inbox", "3")
    assert (done.returncode, done.stdout) == (0, "short\n")
    assert ids(ia("inbox", "--json")) == [2, 1, 3] and ids(ia("inbox", "--unread", "--json")) == [2, 1]
    assert ia("inbox", "read", "2").returncode == 0 and ids(ia("inbox", "--unread", "--json")) == [1]
    assert ia("inbox", "read", "all").returncode == 0
    done = ia("inbox", "--unread")
    assert done.returncode == 1 and ids(ia("inbox", "--all", "--json")) == [3, 2, 1]
    assert [row["unread"] for row in map(json.loads, ia("inbox", "--jsonl").stdout.splitlines())] == [False] * 3
    assert len(ia("send", "--list", "--jsonl").stdout.splitlines()) == 3


def test_at_a_terminal_a_message_takes_two_lines_of_whole_words(ia, sent):
    shown = on_terminal("inbox")
    lines = [line.replace("\x1b[1m", "").replace("\x1b[0m", "") for line in shown.splitlines()[1:] if line.strip()]
    assert len(lines) == 5 and all(len(line) <= 80 for line in lines), shown
    assert lines[0].startswith("* 3 ") and lines[1].startswith("* 2 ") and lines[3].startswith("* 1 ")
    assert (
        lines[2].startswith("    ")
        and lines[2].endswith(" …")
        and lines[2].split()[-2].strip(",") in LONG.replace(",", "")
    )
    assert lines[4] == "    产能利用率下降 第二行"
    assert "message of" not in shown  # the list tells what would be told after a command
    assert ids(ia("inbox", "--unread", "--json")) == [3, 2, 1]


def test_the_whole_text_is_shown_with_its_lines(ia, sent):
    done = ia("inbox", "show", "1")
    assert "产能利用率下降" in done.stdout and "第二行" in done.stdout and "观察" in done.stdout


@pytest.mark.parametrize(
    ("argv", "status"),
    [(("show", "9"), 66), (("read", "x"), 2), (("show", "x"), 2), (("--unread", "show", "1"), 2), (("nosuch",), 2)],
)
def test_what_is_not_there_is_said_in_a_line(ia, argv, status):
    done = ia("inbox", *argv)
    assert done.returncode == status and done.stderr.startswith("ia: ") and not done.stdout


def test_the_list_pushes_nothing_after_it_and_counts_the_rest(ia):
    for number in range(26):
        assert ia("send", f"message number {number}").returncode == 0
    shown = on_terminal("inbox")
    assert "message of" not in shown and "6 more unread messages" in shown, shown
    shown = on_terminal("note", "list")
    assert "message" not in shown


def test_an_empty_inbox_is_a_no(ia):
    assert ia("inbox").returncode == 1


def test_what_is_later_than_now_is_not_there(ia, sent):
    assert ia("--now", "2020-01-01", "inbox").returncode == 1
    assert ia("--now", "2020-01-01", "inbox", "show", "1").returncode == 66


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        ("any messages?", ["3 unread", "short"]),
        ("有新消息吗", ["3 条未读消息", "short"]),
        ("我设了哪些提醒", ["还没有提醒"]),
        ("do I have any price alerts?", ["no alerts yet"]),
    ],
)
def test_the_analyst_knows_messages_and_alerts(ia, sent, question, facts):
    done = ia("turn", question, "-m", "ia-offline")
    assert [fact for fact in facts if fact not in done.stdout] == [], done.stdout


def test_a_table_in_a_message_is_drawn_at_a_terminal_and_plain_in_a_pipe(ia):
    text = "**Review**\n> a remark\nResult +1\n| held | value |\n| --- | ---: |\n| CATL | 80 |\n- to do\nnote: x.md"
    assert ia("send", "--title", "review", text).returncode == 0
    shown = on_terminal("inbox", "show", "1")
    assert "|" not in shown and "──" in shown and "CATL" in shown, shown
    assert "\nResult +1" in shown.replace("\r", "") and "\nnote: x.md" in shown.replace("\r", "")
    assert ia("inbox", "show", "1").stdout == f"**review**\n\n{text}\n"
    row = json.loads(ia("inbox", "--json").stdout)[0]
    assert row["text"] == text
    assert "Result +1 " in ia("inbox").stdout and "Review" not in ia("inbox").stdout
    assert "    Result +1 " in on_terminal("inbox")
