"""Many turns at once, each a real process: nothing is lost, a pair stays a pair, nobody meets a locked database."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from ia.kernel import store
from ia.kernel.errors import Refused, TryLater
from ia.kernel.workspace import Workspace
from ia.organs import sessions, spending

TURNS = 4
TALK = textwrap.dedent(
    """
    import sys, time
    from ia.organs import sessions, spending
    from ia.kernel.workspace import Workspace

    session, who, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
    ws = Workspace()
    for i in range(turns):
        turn = f"{who}-{i}"
        with sessions.hold_session(ws, session, 60):
            sessions.add_message(ws, session, "user", f"question {turn}", turn=turn)
            meter = spending.Meter(ws, "some/model", command="turn", session=session, turn=turn)
            meter.reserve_call(100)
            time.sleep(0.002)
            meter.settle_call(100, 20)
            sessions.add_message(ws, session, "assistant", f"answer {turn}", turn=turn)
    """
)
HOLD = textwrap.dedent(
    """
    import sys, time
    from ia.organs import sessions
    from ia.kernel.workspace import Workspace

    with sessions.hold_session(Workspace(), sys.argv[1], 30):
        print("held", flush=True)
        time.sleep(float(sys.argv[2]))
    """
)


def start(script, *args):
    return subprocess.Popen(
        [sys.executable, "-c", script, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(processes):
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize("present", ["nothing", "version 1"])
def test_twenty_in_sessions_of_their_own_and_five_in_one(home, present):
    if present == "version 1":  # all of them find a database that is to be migrated
        store.connect(str(home), store.Schema("ia.db", True, store.PRECIOUS.steps[:1])).close()
    processes = [start(TALK, f"own-{n}", f"p{n}", str(TURNS)) for n in range(20)]
    processes += [start(TALK, "shared", f"s{n}", str(TURNS)) for n in range(5)]
    finished(processes)

    ws = Workspace()
    for n in range(20):
        told = [message.content for message in sessions.load_history(ws, f"own-{n}")]
        assert told == [f"{kind} p{n}-{i}" for i in range(TURNS) for kind in ("question", "answer")]
    told = [(message.role, message.turn) for message in sessions.load_history(ws, "shared")]
    assert len(told) == 2 * 5 * TURNS
    for asked, answered in zip(told[::2], told[1::2], strict=True):
        assert (asked[0], answered[0]) == ("user", "assistant") and asked[1] == answered[1]
    assert {turn for _, turn in told} == {f"s{n}-{i}" for n in range(5) for i in range(TURNS)}
    assert len(sessions.list_sessions(ws)) == 21
    (day,) = spending.usage_rows(ws, "model")
    assert (day.calls, day.input_tokens, day.output_tokens) == (25 * TURNS, 100 * 25 * TURNS, 20 * 25 * TURNS)
    assert len(os.listdir(home / ".ia" / "queue")) <= 1  # the desk of the shared one, where two left at the same moment
    assert ws.db.execute("SELECT count(*) FROM usage WHERE state <> 'done'").fetchone() == (0,)
    ws.close()


def test_without_the_queue_pairs_would_interleave(home):
    """What makes the test above worth something."""
    open_ = TALK.replace("sessions.hold_session(ws, session, 60)", "contextlib.nullcontext()").replace(
        "import sys", "import contextlib, sys"
    )
    finished([start(open_, "shared", f"s{n}", "20") for n in range(5)])
    ws = Workspace()
    turns = [message.turn for message in sessions.load_history(ws, "shared")]
    assert len(turns) == 200
    assert any(a != b for a, b in zip(turns[::2], turns[1::2], strict=True))
    ws.close()


def test_who_waits_too_long_is_told_to_try_later(ws):
    holder = start(HOLD, "s", "30")
    assert holder.stdout.readline() == "held\n"
    began = time.monotonic()
    with pytest.raises(TryLater, match="another turn is running in session"), sessions.hold_session(ws, "s", 0.3):
        pass
    assert 0.3 <= time.monotonic() - began < 5
    with sessions.hold_session(ws, "another", 0):
        pass
    holder.kill()
    holder.communicate()


def test_a_killed_holder_releases_and_leaves_nothing_behind(ws, home):
    holder = start(HOLD, "s", "30")
    assert holder.stdout.readline() == "held\n"
    waiting = start(HOLD, "s", "0")
    time.sleep(0.3)
    assert waiting.poll() is None
    os.kill(holder.pid, signal.SIGKILL)
    out, errors = waiting.communicate(timeout=90)
    assert (waiting.returncode, out, errors) == (0, "held\n", "")
    with sessions.hold_session(ws, "s", 0):
        pass
    assert os.listdir(home / ".ia" / "queue") == []
    holder.communicate()


def test_a_killed_waiter_is_passed_over(ws):
    with sessions.hold_session(ws, "s", 0):
        waiting = start(HOLD, "s", "0")
        time.sleep(0.5)
        waiting.kill()
        waiting.communicate()
    with sessions.hold_session(ws, "s", 5):
        pass


def test_first_come_first_served(ws):
    order = []

    def wait(n):
        mine = Workspace()
        with sessions.hold_session(mine, "s", 30):
            order.append(n)
            time.sleep(0.01)

    with sessions.hold_session(ws, "s", 0):
        threads = []
        for n in range(8):
            threads.append(threading.Thread(target=wait, args=(n,)))
            threads[-1].start()
            time.sleep(0.05)
    for thread in threads:
        thread.join()
    assert order == list(range(8))


def test_where_nothing_may_be_written_it_is_refused(home):
    home.mkdir(exist_ok=True)
    (home / ".ia").mkdir()
    (home / ".ia" / "queue").write_text("")  # root may write everywhere but not into a file
    with pytest.raises(TryLater, match="queue: Not a directory"), sessions.hold_session(Workspace(), "s", 0):
        pass
    if os.geteuid() != 0:
        (home / ".ia" / "queue").unlink()
        (home / ".ia").chmod(0o500)
        with pytest.raises(Refused, match="ermission"), sessions.hold_session(Workspace(), "s", 0):
            pass


def test_a_child_that_was_forked_meanwhile_does_not_hold_the_session(ws):
    with sessions.hold_session(ws, "s", 0):
        child = os.fork()
        if child == 0:
            time.sleep(5)
            os._exit(0)
    try:
        with sessions.hold_session(ws, "s", 1):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_one_at_a_time(home, tmp_path):
    """A counter that is read and written without a lock of its own loses no count."""
    counter = tmp_path / "count"
    counter.write_text("0")
    script = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from ia.organs import sessions
        from ia.kernel.workspace import Workspace

        counter, ws = Path(sys.argv[1]), Workspace()
        for _ in range(100):
            with sessions.hold_session(ws, "s", 60):
                counter.write_text(str(int(counter.read_text()) + 1))
        """
    )
    finished([start(script, str(counter)) for _ in range(6)])
    assert counter.read_text() == "600"


def test_commands_that_run_at_once_share_a_cap(home):
    """Ten processes, a cap for four calls: exactly four are let through, whoever comes first."""
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("turn:\n  max_tokens_day: 4400\n")
    script = textwrap.dedent(
        """
        import sys, time
        from ia.organs import spending
        from ia.kernel.errors import Refused
        from ia.kernel.workspace import Workspace

        meter = spending.Meter(Workspace(), "some/model", command="turn")
        try:
            meter.reserve_call(100)
        except Refused:
            print("refused")
            sys.exit()
        time.sleep(3)
        meter.settle_call(100, 1000)
        print("done")
        """
    )
    Workspace().db.close()
    told = [process.communicate(timeout=60) for process in [start(script) for _ in range(10)]]
    assert sorted(out for out, _ in told) == ["done\n"] * 4 + ["refused\n"] * 6, told
    conn = sqlite3.connect(home / ".ia" / "ia.db")
    assert conn.execute("SELECT sum(input_tokens + output_tokens) FROM usage").fetchone() == (4400,)
    conn.close()
