"""A reply that is not whole says so; what a model says never steers the terminal; a reply has an end."""

import json
import os
import pty
import signal
import subprocess
import time

import pytest

from ia.organs import sessions
from support.program import all_of, installed
from support.servers.openai import HANG, Reply

EVIL = "\x1b]0;owned\x07before\x1b[2Jafter\x9b31m\r\x7f."


def last(ws, session="s"):
    return sessions.load_history(ws, session)[-1].content


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("end, said", [("length", "the model's length limit"), ("content_filter", "filter stopped it")])
def test_an_answer_that_was_cut_says_so(ia, brain, ws, end, said, stream):
    brain(always=Reply("half an ans", end=end), can_stream=stream)
    done = ia("turn", "x", "-s", "s")
    assert done.returncode == 0 and done.stdout == "half an ans\n"
    assert [line for line in done.stderr.splitlines() if said in line] == [done.stderr.splitlines()[-1]]
    assert said in last(ws) and last(ws).startswith("half an ans")
    document = json.loads(ia("turn", "x", "--json").stdout)
    assert document["cut"] == {"length": "length"}.get(end, "filter") and document["reply"] == "half an ans"


def test_a_whole_answer_says_nothing(ia, brain, ws):
    brain(always=Reply("whole"))
    assert json.loads(ia("turn", "x", "-s", "s", "--json").stdout)["cut"] is None
    assert last(ws) == "whole"


def test_a_stream_that_stops_without_an_end_is_tried_later(ia, brain, ws):
    server = brain(Reply("half an ans", end=""), Reply("whole"))
    done = ia("turn", "x", "-s", "s")
    assert done.returncode == 75 and "ended before it was complete" in done.stderr
    assert done.stdout == "half an ans\n"
    assert "[" in last(ws) and "ended before it was complete" in last(ws)
    assert len(server.requests) == 1
    assert ia("turn", "again", "-s", "s").stdout == "whole\n"


def test_calls_of_a_stream_that_stops_are_not_made_but_asked_for_again(ia, brain, ws):
    call = ("notebook_write", {"path": "scratch/x.md", "content": "x"})
    server = brain(Reply(calls=[call], end=""), Reply("nothing was done"))
    done = ia("turn", "x")
    assert done.returncode == 0 and done.stdout == "nothing was done\n"
    assert len(server.requests) == 2 and not server.requests[1].results
    assert ws.read("notebook/scratch/x.md") is None


def test_escape_sequences_reach_neither_pipe_session_nor_note(ia, brain, ws):
    call = ("notebook_write", {"path": "scratch/x.md", "content": EVIL})
    brain(Reply(calls=[call]), Reply(EVIL))
    done = ia("turn", "write a note", "-s", "s")
    assert done.returncode == 0
    for text in (done.stdout, last(ws), ws.read("notebook/scratch/x.md")):
        assert "before" in text and "after" in text
        assert all(c.isprintable() or c in "\n\t" for c in text), ascii(text)


def test_escape_sequences_do_not_reach_a_terminal(brain, tmp_path):
    brain(Reply(EVIL))
    master, slave = pty.openpty()
    process = subprocess.Popen([*installed(), "turn", "x"], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    shown = all_of(master)
    process.wait()
    os.close(master)
    assert b"before" in shown and b"\x1b" not in shown and b"\x07" not in shown and b"\x9b" not in shown


def test_an_answer_has_a_limit(ia, brain, ws):
    brain(Reply("x" * 3_000_000), can_stream=False)
    done = ia("turn", "x", "-s", "s")
    assert done.returncode == 69 and "exceeded 2000000 bytes" in done.stderr
    assert len(last(ws)) < 2_100_000


def test_two_interrupts_at_once_leave_no_traceback(brain, ws):
    server = brain(HANG)
    process = subprocess.Popen(
        [*installed(), "turn", "x", "-s", "s"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 90
    while not server.requests and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    time.sleep(0.03)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=90)
    assert process.returncode == 130
    assert b"Traceback" not in said and b"Exception ignored" not in said, said.decode()
    assert "interrupted" in last(ws)
