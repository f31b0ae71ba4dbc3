"""`ia listen webhook` as a process: what is signed is kept, told and run; nothing of it is lost, nothing runs twice."""

import os
import re
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

import pytest

from ia.faculties.taskbook import approved_tasks, run_store
from ia.reach.tasks import decisions
from support.program import installed
from support.servers.webhooks import SECRET, Listener, approved, github, kept, standard, until


@pytest.fixture
def build(ws):
    """An approved task that listens to `build`, and does next to nothing."""
    return approved(ws, "build", "on webhook build")


def settled(ws, count=1):
    """Wait until so many runs are over and return all of them."""
    until(lambda: len([run for run in run_store.select_runs(ws, "1 ORDER BY id") if run.state == "done"]) >= count, 60)
    return run_store.select_runs(ws, "1 ORDER BY id")


# a signed event


def test_a_signed_event_is_kept_told_and_run(ws, build):
    with Listener() as listener:
        answer = listener.post("build", '{"status": "done", "名": "值"}', id="msg_1")
        assert (answer.status, answer.document) == (202, {"status": "accepted", "id": "msg_1"})
        (run,) = settled(ws)
        assert (run.name, run.slot, run.why, run.attempt) == ("build", "webhook msg_1", "webhook", 1)
        assert ws.read(run.report)
        event = {"name": "build", "id": "msg_1", "sender": "127.0.0.1", "content": '{"status": "done", "名": "值"}'}
        assert listener.events == [event]
        assert kept(ws) == [("msg_1", event["content"])]
        (notice,) = ws.db.execute("SELECT run, channel, state FROM notices").fetchall()
        assert notice[0] == run.id
        kinds = [kind for (kind,) in ws.db.execute("SELECT kind FROM events ORDER BY id")]
        assert [kind for kind in kinds if kind in ("webhook.received", "task.run", "task.done")] == [
            "webhook.received", "task.run", "task.done",
        ]  # fmt: skip
        assert listener.end()[0] == 0


def test_the_form_of_github(ws, build):
    body = b'{"action": "completed"}'
    with Listener(form="github") as listener:
        assert listener.ask("POST", "/build", body, standard(body)).status == 401
        assert "signature form: GitHub" in listener.errors
        answer = listener.ask("POST", "/build", body, github(body, delivery="72d3162e-cc78-11e3"))
        assert (answer.status, answer.document["id"]) == (202, "72d3162e-cc78-11e3")
        assert listener.ask("POST", "/build", body, github(body, delivery="72d3162e-cc78-11e3")).status == 200
        digest = listener.ask("POST", "/build", body, github(body))
        assert digest.status == 202 and len(digest.document["id"]) == 64
        assert listener.ask("POST", "/build", body, github(body)).status == 200


def test_the_same_id_is_received_once_whatever_it_says(ws, build):
    with Listener() as listener:
        assert listener.post("build", "one", id="a").status == 202
        for content in ("one", "two"):
            again = listener.post("build", content, id="a")
            assert (again.status, again.document) == (200, {"status": "already received", "id": "a"})
        settled(ws)
        assert listener.post("build", "one", id="a").status == 200
    with Listener() as listener:
        assert listener.post("build", "one", id="a").status == 200
    assert len(settled(ws)) == 1 and kept(ws) == [("a", "one")]


def test_what_was_sent_to_one_name_is_not_taken_for_another_and_each_task_has_its_own_run(ws):
    approved(ws, "one", "on webhook build")
    approved(ws, "two", "on webhook build")
    approved(ws, "three", "on webhook deploy")
    with Listener() as listener:
        assert [listener.post(name, "x", id="a").status for name in ("build", "deploy", "build")] == [202, 200, 200]
    with Listener(form="github") as listener:
        body = b"{}"
        assert [listener.ask("POST", f"/{name}", body, github(body)).status
                for name in ("deploy", "build")] == [202, 200]  # fmt: skip
        assert sorted(run.name for run in settled(ws, 3)) == ["one", "three", "two"]


def test_a_name_that_nobody_listens_to_is_an_event_and_is_taken_once_somebody_does(ws, build):
    with Listener() as listener:
        for name in ("deploy", "Build", "build2", "a%20b"):
            assert listener.post(name, "x", id=f"id-{len(name)}").status == 404
        unknown = [
            subject
            for (subject,) in ws.db.execute("SELECT subject FROM events WHERE kind = 'webhook.unknown' ORDER BY id")
        ]
        assert unknown == ["deploy", "Build", "build2", "a b"]
        approved(ws, "deploy", "on webhook deploy")
        assert listener.post("deploy", "x", id="id-6").status == 202
        decisions.pause_task(ws, "deploy")
        assert listener.post("deploy", "x", id="id-7").status == 404
        decisions.resume_task(ws, "deploy")
        assert listener.post("deploy", "x", id="id-7").status == 202
        until(lambda: len(listener.events) == 2)  # printed after the answer
    assert listener.events == [
        {"name": "deploy", "id": id, "sender": "127.0.0.1", "content": "x"} for id in ("id-6", "id-7")
    ]


def test_no_task_but_an_approved_one_listens(ws):
    from ia.faculties.schedule.design import format_design
    from ia.faculties.schedule.model import TaskDesign
    from ia.kernel import proposals

    design = TaskDesign(name="sly", schedule="on webhook sly", run="ia log -n 1")
    ws.write(design.path, format_design(design))
    proposals.propose(ws, approved_tasks.KIND, "tasks/new.md", format_design(TaskDesign(name="new", schedule="on webhook new", run="ia log")),
                      because="x", actor="model")  # fmt: skip
    with Listener() as listener:
        assert [listener.post(name, "x").status for name in ("sly", "new")] == [404, 404]
    assert kept(ws) == []


@pytest.mark.parametrize("path", ["/build?x=1", "/%62uild", "/build?"])
def test_ways_to_write_a_name(ws, build, path):
    with Listener() as listener:
        assert listener.ask("POST", path, b"x", standard(b"x")).status == 202


def test_an_empty_and_a_chinese_body(ws, build):
    with Listener() as listener:
        assert listener.post("build", "", id="a").status == 202
        assert listener.post("build", "贵州茅台\n\t\x00\u202e", id="b").status == 202
    assert [content for _, content in kept(ws)] == ["", "贵州茅台\n\t\x00\u202e"]


def test_health(ws, build):
    with Listener() as listener:
        assert listener.ask("GET", "/healthz")[:2] == (200, {"status": "ok"})


# how it ends


def test_sigterm_ends_it_within_a_second_and_so_does_ctrl_c(ws, build):
    for how, expected in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
        with Listener() as listener, listener.connect() as idle:
            status, seconds = listener.end(how)
            assert status == expected and seconds < 1
            assert idle.recv(1) == b""


def test_a_run_that_is_under_way_is_kept_for_the_next_listener(ws):
    approved(
        ws, "long", "on webhook long", run="ia compute 'sum(i % 7 for i in range(10**9))' --timeout 60 --symbol 600519"
    )
    with Listener() as listener:
        assert listener.post("long", "x").status == 202
        (run,) = until(lambda: [r for r in run_store.select_runs(ws, "1") if r.data.get("group")])
        status, seconds = listener.end()
        assert status == 0 and seconds < 1.5
    until(lambda: not alive(run.data["group"]))
    (run,) = run_store.select_runs(ws, "1")
    assert run.state in run_store.OPEN
    decisions.remove_task(ws, "long")


def alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_killed_after_the_answer_it_is_run_after_the_next_start(ws, build):
    with Listener(ia=installed()) as listener:
        for number in range(5):
            assert listener.post("build", f"event {number}", id=f"id-{number}").status == 202
        listener.process.kill()
        listener.process.wait()
    assert [key for key, _ in kept(ws)] == [f"id-{number}" for number in range(5)]
    with Listener(ia=installed()) as listener:
        assert [run.slot for run in settled(ws, 5)] == [f"webhook id-{number}" for number in range(5)]
        assert listener.post("build", "event 0", id="id-0").status == 200
        assert listener.events == []
    found = settled(ws, 5)
    assert [run.attempt for run in found] == [1 if run.state == "done" else 0 for run in found]


def test_what_no_listener_came_back_for_is_due(ws, build, ia):
    with Listener(ia=installed()) as listener:
        listener.post("build", "x", id="a")
        listener.process.kill()
        listener.process.wait()
    assert ia("task", "due").returncode == 0
    assert until(lambda: [run.state for run in run_store.select_runs(ws, "1")] == ["done"], 20)


def test_killed_at_any_moment_nothing_acknowledged_is_lost_and_nothing_runs_twice(ws, build):
    """kill -9 while events come in, six times: what was answered with 202 is there, and what is there once."""
    acknowledged, number = set(), 0
    for cycle in range(6):
        with Listener(ia=installed()) as listener:

            def send(id, listener=listener):
                try:
                    if listener.post("build", id, id=id).status in (200, 202):
                        acknowledged.add(id)
                except (OSError, ValueError, HTTPException):
                    pass  # it was killed

            with ThreadPoolExecutor(8) as pool:
                waiting = [pool.submit(send, f"id-{number + at}") for at in range(40)]
                number += 20  # the second half is sent again
                time.sleep(0.02 + cycle * 0.03)
                listener.process.kill()
                for each in waiting:
                    each.result()
    there = [content for _, content in kept(ws)]
    assert acknowledged <= set(there) and len(there) == len(set(there))
    slots = [slot for (slot,) in ws.db.execute("SELECT slot FROM runs")]
    assert sorted(slots) == sorted(f"webhook {id}" for id in there)


def test_once_ends_when_the_first_event_was_handled(ws, build):
    with Listener("--once") as listener:
        assert listener.post("deploy", "x").status == 404
        assert listener.ask("POST", "/build", b"x").status == 401
        assert listener.post("build", "x", id="a").status == 202
        assert listener.process.wait(30) == 0
        assert [run.state for run in run_store.select_runs(ws, "1")] == ["done"]
        listener.end()
        assert [event["id"] for event in listener.events] == ["a"]


def test_a_reader_that_leaves_ends_it_silently(ws, build):
    read, write = os.pipe()
    process = subprocess.Popen(
        [*installed(), "listen", "webhook", "--port", "0"], env={**os.environ, "IA_WEBHOOK_SECRET": SECRET, "IA_WEBHOOK_FORM": "standard"},
        stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(write)
    os.close(read)
    with process:
        port = int(re.search(r":(\d+)$", process.stderr.readline())[1])
        body = b"x"
        with socket.create_connection(("127.0.0.1", port)) as connection:
            head = "".join(f"{name}: {value}\r\n" for name, value in standard(body).items())
            connection.sendall(f"POST /build HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n{head}\r\n".encode() + body)
            assert b" 202 " in connection.recv(1000)
        assert process.wait(10) == 141
        assert "Traceback" not in process.stderr.read()
    assert len(kept(ws)) == 1


def test_a_reader_that_is_slow_holds_up_nobody(ws, build):
    process = subprocess.Popen(
        [*installed(), "listen", "webhook", "--port", "0"], env={**os.environ, "IA_WEBHOOK_SECRET": SECRET, "IA_WEBHOOK_FORM": "standard"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        listener = Listener.__new__(Listener)
        listener.host, listener.port = "127.0.0.1", int(re.search(r":(\d+)$", process.stderr.readline())[1])
        for _ in range(4):
            assert listener.post("build", "x" * 60_000).status == 202  # more than a pipe holds
        process.terminate()
        began = time.monotonic()
        assert process.wait(60) == 0 and time.monotonic() - began < 20


# what it needs to start


def test_without_a_secret_it_does_not_start(ia, ws):
    run = ia("listen", "webhook", "--port", "0")
    assert run.returncode == 78
    assert "ia config secret IA_WEBHOOK_SECRET" in run.stderr and "Traceback" not in run.stderr


@pytest.mark.parametrize("secret", ["short", "whsec_AAAA", "whsec_not base64 at all"])
def test_a_secret_that_protects_nothing_is_refused_and_not_shown(ia, secret):
    run = ia("listen", "webhook", "--port", "0", env={"IA_WEBHOOK_SECRET": secret})
    assert run.returncode == 78
    assert secret.removeprefix("whsec_") not in run.stderr.replace("shorter", "")


def test_a_port_that_is_taken(ia):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        run = ia("listen", "webhook", "--port", port, env={"IA_WEBHOOK_SECRET": SECRET})
    assert run.returncode == 75 and port in run.stderr


@pytest.mark.parametrize(("args", "status"), [
    (("--port", "-1"), 2), (("--port", "65536"), 2), (("--port", "http"), 2), (("--host", "no.such.host.invalid"), 2),
    (("--host", "203.0.113.77"), 2),
])  # fmt: skip
def test_places_that_cannot_be_listened_at(ia, args, status):
    run = ia("listen", "webhook", "--port", "0", *args, env={"IA_WEBHOOK_SECRET": SECRET})
    assert run.returncode == status and "Traceback" not in run.stderr
    assert len(run.stderr.splitlines()) <= 3


def test_the_port_of_the_settings(ia, ws, build):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert ia("config", "set", "webhook.port", str(port)).returncode == 0
    process = subprocess.Popen([*installed(), "listen", "webhook"], env={**os.environ, "IA_WEBHOOK_SECRET": SECRET, "IA_WEBHOOK_FORM": "standard"},
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
    with process:
        assert process.stderr.readline() == f"ia: listening on http://127.0.0.1:{port}\n"
        process.terminate()


def test_beyond_loopback_it_warns(ws, build):
    with Listener("--host", "0.0.0.0") as listener:
        assert "is reachable from outside" in listener.errors
    with Listener() as listener:
        assert "reachable" not in listener.errors


def test_ipv6(ws, build):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with Listener("--host", "::1") as listener:
        assert listener.post("build", "x").status == 202
        assert "http://[::1]:" in listener.errors and "reachable" not in listener.errors
        until(lambda: listener.events)
        assert listener.events[0]["sender"] == "::1"


def test_a_workspace_that_cannot_be_written(ia, home):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    home.mkdir(exist_ok=True)
    home.chmod(0o500)
    assert ia("listen", "webhook", "--port", "0", env={"IA_WEBHOOK_SECRET": SECRET}).returncode == 77


def test_inside_a_run_nobody_listens(ia):
    assert ia("listen", "webhook", "--port", "0", env={"IA_WEBHOOK_SECRET": SECRET, "IA_RUN": "7"}).returncode == 77


def test_in_chinese(ia):
    run = ia("--lang", "zh", "listen", "webhook", "--port", "0")
    assert run.returncode == 78 and "只接受带签名的请求" in run.stderr


# many


def test_two_hundred_at_once_are_each_received_once(ws, build):
    with Listener() as listener:
        gate = threading.Barrier(200)

        def send(number):
            gate.wait()
            began = time.monotonic()
            return listener.post("build", f"event {number}", id=f"id-{number}").status, time.monotonic() - began

        with ThreadPoolExecutor(200) as pool:
            answers = list(pool.map(send, range(200)))
        assert {status for status, _ in answers} == {202}
        assert max(seconds for _, seconds in answers) < 10
        assert len(until(lambda: len(listener.events) == 200 and listener.events)) == 200
        listener.end()  # and the rest of the runs waits
    assert sorted(kept(ws)) == sorted((f"id-{number}", f"event {number}") for number in range(200))
    assert sorted(slot for (slot,) in ws.db.execute("SELECT slot FROM runs")) == sorted(
        f"webhook id-{n}" for n in range(200)
    )


def test_too_many_that_wait_are_not_taken_and_told_to_come_again(ws, build):
    from ia.reach.bridges.deliveries import MAX_WAITING, Delivery, keep_deliveries

    with run_store.hold_task(ws, "build"):  # it is busy
        waiting = [Delivery("build", f"early-{number}", "127.0.0.1", "x") for number in range(MAX_WAITING)]
        assert set(keep_deliveries(ws, waiting)) == {"accepted"}
        with Listener() as listener:
            answer = listener.post("build", "x", id="late")
            assert answer.status == 429 and int(answer.headers["Retry-After"]) > 0
            assert listener.post("build", "x", id="early-3").status == 200
            assert listener.post("other", "x", id="late").status == 404
    assert len(kept(ws)) == MAX_WAITING


def test_a_database_that_is_held_is_reported_as_such_and_nothing_is_lost(ws, build):
    with Listener() as listener:
        listener.post("build", "x", id="first")
        settled(ws)
        ws.db.execute("BEGIN IMMEDIATE")
        try:
            with ThreadPoolExecutor(4) as pool:
                waiting = [pool.submit(listener.post, "build", "x", id=f"id-{n}") for n in range(4)]
                statuses = sorted(each.result().status for each in waiting)
        finally:
            ws.db.rollback()
        assert set(statuses) == {503}
        assert listener.post("build", "x", id="id-1").status == 202
    assert [key for key, _ in kept(ws)] == ["first", "id-1"]


def test_two_listeners_share_a_workspace(ws, build):
    with Listener() as one, Listener() as two:
        with ThreadPoolExecutor(8) as pool:
            statuses = list(
                pool.map(lambda n: (one, two)[n % 2].post("build", "x", id=f"id-{n // 2}").status, range(40))
            )
        assert sorted(statuses) == [200] * 20 + [202] * 20
        assert len(one.events) + len(two.events) <= 20
        assert len(settled(ws, 20)) == 20
    assert len(kept(ws)) == 20
