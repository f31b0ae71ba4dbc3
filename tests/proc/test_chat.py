"""`ia chat` at a terminal: lines, words of the chat, what ends a turn and what ends the chat."""

import os
import stat

import pytest

from ia.kernel import proposals
from ia.kernel.workspace import Workspace
from ia.organs import sessions
from support.program import installed
from support.servers.openai import HANG, Failure, Reply
from support.terminal import Terminal

PROMPT = "ia> "


@pytest.fixture
def chat():
    """Start a chat, and wait for its first prompt."""
    opened = []

    def start(*words, before=()):
        terminal = Terminal([*installed(), *before, "chat", *words])
        opened.append(terminal)
        terminal.wait_for(PROMPT)
        return terminal

    yield start
    for terminal in opened:
        terminal.__exit__()


def ask(terminal, line):
    """Type a line, and return what is shown up to the next prompt."""
    terminal.send(line + "\r")
    return terminal.wait_for("\n" + PROMPT)


def test_lines_are_turns_of_one_session(chat, brain, ws, tmp_path):
    brain(Reply("first answer"), Reply("second answer"), Reply("third answer"))
    terminal = chat("-s", "mine")
    assert "first answer" in ask(terminal, "first question")
    terminal.send("\r")
    terminal.wait_for(PROMPT)
    terminal.send("\x1b[200~second\rquestion\x1b[201~")
    terminal.wait_for("question")
    assert "second answer" in ask(terminal, "")
    assert "new session" in ask(terminal, "/new")
    assert "third answer" in ask(terminal, "third question")
    terminal.send("\x04")
    assert terminal.wait_for_end() == 0
    asked = [m.content for m in sessions.load_history(ws, "mine") if m.role == "user"]
    assert len(asked) == 2 and asked[0].endswith("first question") and asked[1].endswith("second\nquestion")
    assert len(sessions.list_sessions(ws)) == 2
    history = tmp_path / "state" / "ia" / "chat_history"
    assert history.read_text().splitlines() == ["first question", "second question", "/new", "third question"]
    assert stat.S_IMODE(os.stat(history).st_mode) == 0o600


def test_the_words_of_the_chat(chat, ws):
    number = proposals.propose(ws, "preferences", "memory/preferences.md", "- short\n").id
    second = proposals.propose(ws, "soul", "soul.md", "# Me\n").id
    terminal = chat()
    assert "/approve N" in ask(terminal, "/help")
    told = ask(terminal, "/aprove 1")
    assert "no such command: /aprove" in told and "did you mean /approve?" in told
    assert "no sessions yet" in ask(terminal, "/sessions")
    terminal.send("/app\t")
    terminal.wait_for("/approve ")
    terminal.send(f"{number}\r")
    terminal.wait_for("[y/N] ")
    assert "not approved" in ask(terminal, "n")
    assert proposals.get_proposal(Workspace(), number).state == "pending"
    terminal.send(f"ia approve {number}\r")
    terminal.wait_for("[y/N] ")
    assert "memory/preferences.md" in ask(terminal, "y")
    assert proposals.get_proposal(Workspace(), number).state == "approved"
    assert "rejected" in ask(terminal, f"/reject {second} too short")
    assert "no pending proposals" in ask(terminal, "/pending")
    assert "is not a proposal number" in ask(terminal, "/approve x")
    terminal.send("/退出\r")
    assert terminal.wait_for_end() == 0
    assert sessions.list_sessions(ws) == []  # none of it was a question


def test_a_session_gets_a_title_and_a_change_is_undone(chat, brain, ws):
    brain(Reply("first answer"))
    terminal = chat("-s", "mine")
    assert "no question yet" in ask(terminal, "/title Moutai")
    ask(terminal, "first question")
    assert "session mine: Moutai wholesale" in ask(terminal, "/title Moutai wholesale")
    assert "Moutai wholesale" in ask(terminal, "/sessions")
    assert "session mine: Moutai wholesale" in ask(terminal, "/sessions moutai WHOLESALE")
    ws.write("notebook/a.md", "one\n")
    ws.write("notebook/a.md", "two\n")
    terminal.send("/undo\r")
    assert "+one" in terminal.wait_for("[y/N] ")
    assert "is unchanged" in ask(terminal, "n") and Workspace().read("notebook/a.md") == "two\n"
    terminal.send("/撤销 notebook/a\r")
    terminal.wait_for("[y/N] ")
    assert "undone: notebook/a.md" in ask(terminal, "y") and Workspace().read("notebook/a.md") == "one\n"
    terminal.send("\x04")
    assert terminal.wait_for_end() == 0


def test_a_failure_or_ctrl_c_ends_the_turn_and_not_the_chat(chat, brain, ws):
    server = brain(Failure(401), HANG, Reply("at last"))
    terminal = chat("-s", "s")
    told = ask(terminal, "first")
    assert "ia: " in told and "Traceback" not in told
    asked = len(server.requests)
    terminal.send("second\r")
    while len(server.requests) == asked:
        terminal.read(0.05)
    terminal.send("\x03")
    assert "interrupted; the chat goes on" in terminal.wait_for("\n" + PROMPT)
    terminal.read(1.1)  # a second Ctrl-C within a second changes nothing
    terminal.send("dropped\x03")
    terminal.wait_for(PROMPT)
    assert "at last" in ask(terminal, "third")
    terminal.send("quit\r")
    assert terminal.wait_for_end() == 0
    said = [m.content for m in sessions.load_history(ws, "s")]
    assert len(said) == 6 and "interrupted" in said[3] and said[5] == "at last"


def test_a_chat_needs_a_terminal(ia):
    run = ia("chat", input="How is CATL doing?\n")
    assert (run.returncode, run.stdout) == (2, "")
    assert "needs a terminal" in run.stderr and "ia turn -s ID" in run.stderr
