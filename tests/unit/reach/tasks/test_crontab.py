"""The crontab: our block stands between its marks, every other byte is the user's; what differs is told and mended."""

import os
import random
import re
import shlex
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ia.faculties.taskbook import approved_tasks
from ia.kernel import audit
from ia.kernel.errors import ConfigError, TryLater, Unavailable
from ia.kernel.workspace import Workspace
from ia.reach import doctor
from ia.reach.tasks import crontab, crontab_file, crontab_lines, decisions

USAGE = "---\nschedule: 0 16 * * 5\nzone: Asia/Shanghai\nrun: ia usage\n---\n每周五。\n"
FOREIGN = (
    b"",
    b"MAILTO=me@example.com\n0 5 * * * backup\n",
    b"#0 5 * * *\told\n\n\n  SHELL = /bin/fish\r\n* * * * * x\r\n",
    "# Überblick 每日\n".encode("latin-1", "replace") + b"\xe9\xff\x00\x01 nul\n",
    b"0 5 * * * no line feed",
    b"\n",
    b"# >>> ia >>>\n# >>> ia: relative >>>\n# <<< other <<<\n",
    b"@reboot a\\%b\n\r\x0b\x0c\n",
)


def lines_of(*words):
    return [f"1 2 * * * {word}" for word in words]


@pytest.fixture
def task(ws):
    """One approved task, `weekly`, in a crontab that was the user's before."""
    subprocess.run([crontab_file.crontab_program(), "-"], input=FOREIGN[1], check=True)
    ws.write("tasks/weekly.md", USAGE)
    return decisions.approve_task(ws, "weekly", by="user with --yes")


# the block


@pytest.mark.parametrize("foreign", FOREIGN)
def test_no_byte_of_the_users_changes_and_taking_the_block_out_restores_all(foreign):
    once = crontab.splice_block(foreign, "/home/me/ia", lines_of("a"))
    assert once.startswith(foreign) and b"\n1 2 * * * a\n" in once and once.endswith(b"# <<< ia: /home/me/ia <<<\n")
    twice = crontab.splice_block(once, "/home/me/ia", lines_of("b", "c"))
    assert b"* a\n" not in twice and twice.count(b">>> ia: /home/me/ia >>>") == 1
    assert crontab.splice_block(twice, "/home/me/ia", lines_of("b", "c")) == twice
    restored = foreign + b"\n" * foreign.endswith(b"feed")  # cron takes no job without one
    assert crontab.splice_block(twice, "/home/me/ia", []) == restored
    assert crontab.splice_block(foreign, "/home/me/ia", []) == foreign


def test_what_others_add_around_the_block_stays_where_it_is():
    old = (
        b"0 1 * * * first"
        + crontab.splice_block(b"0 1 * * * first", "/h", lines_of("a"))[15:]
        + b"0 2 * * * second\r\n"
    )
    new = crontab.splice_block(old, "/h", lines_of("b"))
    assert new == old.replace(b"* a\n", b"* b\n")
    assert crontab.splice_block(new, "/h", []) == b"0 1 * * * first\n0 2 * * * second\r\n"


def test_each_workspace_has_its_own_block():
    homes = ["/h", "/h/ia", "/h >>>", "/家 里/ia", "/h\udcff"]
    full = FOREIGN[1]
    for home in homes:
        full = crontab.splice_block(full, home, lines_of(f"in{homes.index(home)}"))
    changed = crontab.splice_block(full, "/h/ia", lines_of("other"))
    assert changed == full.replace(b"* in1\n", b"* other\n")
    for home in random.Random(1).sample(homes, len(homes)):
        full = crontab.splice_block(full, home, [])
    assert full == FOREIGN[1]


def test_any_bytes_and_any_order_of_changes():
    rng = random.Random(7)
    pieces = [b"a", b"\n", b"\r\n", b"\0", b"\xff", b"# >>> ia: /x", b" >>>", b"%", b"\t", "每".encode(), b"# <<< "]
    for _ in range(3000):
        foreign = b"".join(rng.choices(pieces, k=rng.randrange(12)))
        text, homes = foreign, ["/a", "/b"]
        if foreign and not foreign.endswith(b"\n"):
            homes = homes[:1]  # the line feed that ends a line for two blocks stays until the last is gone
        for _ in range(rng.randrange(6)):
            text = crontab.splice_block(text, rng.choice(homes), lines_of(*rng.choices("xyz", k=rng.randrange(3))))
            assert text.startswith(foreign)
        for home in homes:
            text = crontab.splice_block(text, home, [])
        assert text == foreign or (
            text == foreign + b"\n" and not crontab._may_lack_line_feed(foreign.split(b"\n")[-1])
        )


def test_an_editor_that_wrote_other_line_ends_is_understood():
    block = crontab.splice_block(b"0 5 * * * x\n", "/h", lines_of("a")).replace(b"\n", b"\r\n")
    assert crontab.splice_block(block, "/h", lines_of("a")) == b"0 5 * * * x\r\n" + crontab.splice_block(
        b"", "/h", lines_of("a")
    )
    assert crontab.splice_block(block, "/h", []) == b"0 5 * * * x\r\n"


BLOCK = crontab.splice_block(b"", "/h", lines_of("a"))
BEGIN, END = b"# >>> ia: /h >>>\n", b"# <<< ia: /h <<<\n"


@pytest.mark.parametrize(
    "damaged",
    [
        BLOCK.replace(END, b""), BLOCK.replace(BEGIN, b""), BLOCK + BLOCK, END + BEGIN, BEGIN + BLOCK, BLOCK + END,
        BEGIN + crontab.splice_block(b"", "/other", lines_of("b")) + END,
    ],
)  # fmt: skip
def test_damaged_marks_are_left_alone_and_told(damaged):
    for lines in ([], lines_of("b")):
        with pytest.raises(ConfigError, match="damaged") as caught:
            crontab.splice_block(damaged, "/h", lines)
        assert "doctor --mend" in caught.value.hint and caught.value.status == 78
    assert crontab.splice_block(crontab.splice_block(damaged, "/mine", lines_of("x")), "/mine", []) == damaged


# the lines

CRUEL = '/家 里/it\'s/"q"/100%/a\\%b/\\\\/$HOME/`x`/!x/#c/&;|<>(){}[]*?~^=/é'


def by_cron(line):
    """What Debian's cron hands to the shell, after its source: `%` ends, a backslash before `%` or itself goes."""
    out, escaping = "", False
    for letter in line:
        if escaping:
            out, escaping = (out[:-1] + letter if letter in "%\\" else out + letter), False
        elif letter == "%":
            return out
        else:
            out, escaping = out + letter, letter == "\\"
    return out


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh", "fish", "csh", "tcsh", "ksh"])
def test_every_shell_reads_a_line_as_it_is_meant(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    program = tmp_path / "it's 100% ia"
    program.write_text(f'#!{sys.executable}\nimport sys\nprint("\\0".join(sys.argv[1:]), end="")\n', encoding="utf-8")
    program.chmod(0o755)
    for home, name in (("/home/me/ia", "weekly"), (CRUEL, "复盘 %self"), ("/a\\", "=x"), ("/%%\\%\\\\%", "%")):
        (line, *_) = crontab_lines.build_lines(home, [(name, ["0 16 * * 5"])], [str(program)])
        fields = line.split(None, 5)
        done = subprocess.run(
            [shutil.which(shell), "-c", by_cron(fields[5])],
            capture_output=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        )
        assert done.stdout.decode().split("\0") == ["--home", home, "task", "due", name, "--log"], done.stderr
        assert crontab_lines.split_line(line) == (
            "0 16 * * 5",
            [str(program)],
            ["--home", home, "task", "due", name, "--log"],
        )


def test_a_percent_sign_is_escaped_once():
    assert crontab_lines.escape_command("date +%F") == "date +\\%F"
    for text in ("%", "\\%", "\\\\%", "%%", "a\\b", "\\\\", "x\\", "\\\\\\%\\"):
        assert by_cron(crontab_lines.escape_command(text)) == text


@pytest.mark.parametrize("path", ["/a\nb", "/a\rb", "/a\x00b", "/a\x1bb", ""])
def test_what_no_crontab_can_hold_is_refused(path):
    with pytest.raises(ConfigError):
        crontab_lines.build_lines(path, [("x", ["* * * * *"])])


def test_a_command_longer_than_crons_limit_is_refused():
    home = "/" + "h" * 400
    crontab_lines.build_lines(home, [("x", ["* * * * *"])], ["/usr/bin/ia"])
    with pytest.raises(ConfigError, match="998") as caught:
        crontab_lines.build_lines("/" + "每" * 330, [("x", ["* * * * *"])], ["/usr/bin/ia"])
    assert "shorter" in caught.value.hint


def test_two_lines_catch_up_and_only_while_there_are_tasks():
    assert crontab_lines.build_lines("/h", []) == []
    told = crontab_lines.build_lines("/h", [("a", ["1 2 * * *", "1 3 * * *"]), ("on-file", [])], ["/ia"])
    assert [line.split(" /ia ")[0] for line in told][:3] == ["1 2 * * *", "1 3 * * *", "@reboot"]
    assert re.match(r"[1-9]\d? \* \* \* \* /ia --home /h task due --log$", told[3]) and len(told) == 4
    minutes = {crontab_lines.build_lines(f"/h{n}", [("a", [])], ["/ia"])[-1].split()[0] for n in range(300)}
    assert len(minutes) > 50 and "0" not in minutes


# reading and writing


def test_a_user_without_a_crontab_and_one_with_an_empty_one(crontab):
    from ia.reach.tasks import crontab as ours

    assert ours.read_crontab() == b""
    crontab.write_bytes(b"\xff\0")
    assert ours.read_crontab() == b"\xff\0"


def test_approve_and_remove_leave_the_table_as_it_was(ws, task, crontab):
    told = crontab.read_bytes()
    assert told.startswith(FOREIGN[1]) and told.count(b" task due weekly --log\n") >= 1 and b"@reboot" in told
    decisions.remove_task(ws, "weekly")
    assert crontab.read_bytes() == FOREIGN[1]


def test_where_there_was_no_crontab_there_is_none_afterwards(ws, crontab):
    ws.write("tasks/weekly.md", USAGE)
    decisions.approve_task(ws, "weekly", by="x")
    assert crontab.exists()
    decisions.remove_task(ws, "weekly")
    assert not crontab.exists()


def test_a_second_sync_changes_nothing(ws, task, crontab):
    from ia.reach.tasks import crontab as ours

    before = os.stat(crontab)
    assert not ours.sync_block(ws)
    assert os.stat(crontab) == before


def test_the_crontab_lives_in_the_real_time(ws, task, crontab, monkeypatch):
    from ia.reach.tasks import crontab as ours

    told = crontab.read_bytes()
    monkeypatch.setenv("IA_NOW", "2001-01-01")
    assert approved_tasks.list_approved(ws) == [] and not ours.sync_block(ws) and ours.find_drift(ws) == []
    assert crontab.read_bytes() == told and os.environ["IA_NOW"] == "2001-01-01"


@pytest.mark.process
def test_without_a_crontab_program_the_user_learns_what_to_do(ws, monkeypatch, tmp_path):
    monkeypatch.setenv("IA_CRONTAB", str(tmp_path / "nothing"))
    assert not crontab.sync_block(ws)
    ws.write("tasks/weekly.md", USAGE)
    with pytest.raises(Unavailable) as caught:
        decisions.approve_task(ws, "weekly", by="x")
    assert caught.value.status == 69 and "install cron" in caught.value.hint
    (found,) = [each for each in doctor.run_checks(ws) if each.check == "cron"]
    assert found.state == "warn" and "install cron" in str(found.mend)


def program_that(tmp_path, monkeypatch, body):
    program = tmp_path / "bin" / f"ct-{os.urandom(5).hex()}"
    program.parent.mkdir(exist_ok=True)
    program.write_text("#!/bin/sh\n" + body, encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("IA_CRONTAB", str(program))


def test_a_crontab_that_refuses_says_why(ws, monkeypatch, tmp_path):
    program_that(tmp_path, monkeypatch, 'echo "You (me) are not allowed to use this program" >&2; exit 1\n')
    with pytest.raises(Unavailable, match="not allowed"):
        crontab.read_crontab()
    program_that(tmp_path, monkeypatch, '[ "$1" = -l ] && exit 0; cat >/dev/null; echo "bad minute" >&2; exit 1\n')
    with pytest.raises(ConfigError, match="bad minute"):
        crontab_file.replace_crontab(b"", b"x\n", time.monotonic() + 5)


HANGS = {
    "-l": ("exec sleep 1000", "crontab -l did not finish"),
    "-l, a child holds its output": ('[ "$1" = -l ] && { sleep 1000 & exit 0; }', "crontab -l did not finish"),
    "-": ('[ "$1" = -l ] && exit 0; exec sleep 1000', "crontab - did not finish"),
    "- with its input read": ('[ "$1" = -l ] && exit 0; cat >/dev/null; exec sleep 1000', "crontab - did not finish"),
    "-l without end": ('[ "$1" = -l ] && exec yes', "crontab -l has more than 4000000 bytes"),
    "- talks without end": ('[ "$1" = -l ] && exit 0; exec yes >&2', "did not finish|more than 4000000 bytes"),
}


@pytest.mark.parametrize("body, told", HANGS.values(), ids=HANGS)
def test_a_crontab_that_does_not_end_is_ended(ws, monkeypatch, tmp_path, body, told):
    monkeypatch.setattr(crontab_file, "ANSWER", 0.7)
    program_that(tmp_path, monkeypatch, body + "\n")
    ws.write("tasks/weekly.md", USAGE)
    began, used = time.monotonic(), time.process_time()
    with pytest.raises(Unavailable, match=f"is approved, but ia could not write its crontab entry: .*({told})"):
        decisions.approve_task(ws, "weekly", by="user with --yes")
    assert time.monotonic() - began < 6 and time.process_time() - used < 2
    assert not running_programs(crontab_file.crontab_program())


def running_programs(program):
    """The commands of processes that were started by a program's path, or that it left behind: sleep, yes."""
    found = []
    for process in filter(str.isdecimal, os.listdir("/proc")):
        try:
            environment = Path(f"/proc/{process}/environ").read_bytes()
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if f"IA_CRONTAB={program}".encode() in environment and state != "Z" and int(process) != os.getpid():
            found.append(process)
    return found


def test_removing_a_table_ends_too(monkeypatch, tmp_path):
    monkeypatch.setattr(crontab_file, "ANSWER", 0.5)
    program_that(tmp_path, monkeypatch, '[ "$1" = -l ] && echo x && exit 0; exec sleep 1000\n')
    with pytest.raises(Unavailable, match=r"crontab -r did not finish within 0\.5 s"):
        crontab_file.replace_crontab(b"x\n", b"", time.monotonic() + 5)


@pytest.mark.process
def test_a_crontab_that_drops_comments_gets_our_lines_once_and_not_for_good(ws, monkeypatch, tmp_path):
    kept = tmp_path / "kept"
    kept.write_bytes(b"0 5 * * * mine\n")
    body = f'if [ "$1" = -l ]; then cat {kept}; else grep -v "^#" > {kept}.new; mv {kept}.new {kept}; fi\n'
    program_that(tmp_path, monkeypatch, body)
    ws.write("tasks/weekly.md", USAGE)
    began = time.monotonic()
    with pytest.raises(ConfigError, match="removes comments"):
        decisions.approve_task(ws, "weekly", by="user with --yes")
    assert kept.read_bytes() == b"0 5 * * * mine\n" and time.monotonic() - began < 15


def test_a_table_that_changed_is_not_replaced(crontab):
    crontab.write_bytes(b"newer\n")
    crontab_file.replace_crontab(b"older\n", b"ours\n", time.monotonic() + 5)
    assert crontab.read_bytes() == b"newer\n"
    crontab_file.replace_crontab(b"older\n", b"", time.monotonic() + 5)
    assert crontab.read_bytes() == b"newer\n"
    assert len(os.listdir(crontab.parent)) == 2, "no temporary file is left"


def test_a_table_of_any_size_goes_through(crontab):
    old = b"# \xff\0 comment\n" * 30_000
    crontab.write_bytes(old)
    crontab_file.replace_crontab(old, old + b"1 2 * * * x\n", time.monotonic() + 20)
    assert crontab.read_bytes() == old + b"1 2 * * * x\n"


@pytest.mark.process
def test_another_ia_that_writes_is_waited_for(ws, task, crontab, monkeypatch):
    import fcntl

    from ia.reach.tasks import crontab as ours

    crontab.write_bytes(b"")
    with open(os.path.join(os.environ["XDG_STATE_HOME"], "ia", "crontab.lock"), "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with monkeypatch.context() as short, pytest.raises(TryLater):
            short.setattr(crontab_file, "PATIENCE", 0.3)
            ours.sync_block(ws)
    assert ours.sync_block(ws)


@pytest.mark.process
def test_many_of_a_users_workspaces_at_once(tmp_path, crontab):
    from ia.reach.tasks import crontab as ours

    crontab.write_bytes(FOREIGN[1])
    workspaces = [Workspace(str(tmp_path / f"home {n}")) for n in range(4)]
    for ws in workspaces:
        os.mkdir(ws.root)
        ws.write("tasks/weekly.md", USAGE)
        decisions.approve_task(ws, "weekly", by="x")
        ws.close()
    crontab.write_bytes(FOREIGN[1])
    threads = [
        threading.Thread(target=lambda n=n: ours.sync_block(Workspace(str(tmp_path / f"home {n}")))) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = crontab.read_bytes()
    assert all(b"# >>> ia: %b >>>\n" % os.fsencode(ws.root) in told for ws in workspaces)
    for ws in workspaces:
        told = ours.splice_block(told, ws.root, [])
    assert told == FOREIGN[1]


# drift and mending


def found(ws, check="crontab"):
    """What the doctor finds of cron; the other checks take a second."""
    return [(each.state, str(each.detail)) for each in dict(doctor.CHECKS)["cron"](ws) if each.check == check]


@pytest.mark.process
def test_what_differs_is_told_and_mended(ws, task, crontab):
    good = crontab.read_bytes()
    assert found(ws) == [("ok", "the crontab contains 1 task")]
    first = next(line for line in good.split(b"\n") if b"due weekly" in line)
    for bad, word in (
        (FOREIGN[1], "no lines for this workspace"),
        (good.replace(first + b"\n", b""), "1 of 3 lines is missing from the crontab"),
        (good.replace(first, b"#" + first), "1 of 3 lines is missing from the crontab"),
        (good.replace(first, first.replace(b"16", b"17", 1) if b"16" in first else first.replace(b"8", b"9", 1)), "1 line that belongs to no task"),
        (good.replace(first, first + b"\n* * * * * rm -rf x"), "1 line that belongs to no task"),
        (good.replace(sys.executable.encode(), b"/gone/python").replace(crontab_lines.own_program()[0].encode(), b"/gone/ia"), "/gone/"),
    ):  # fmt: skip
        assert bad != good
        crontab.write_bytes(bad)
        assert any(state == "fail" and word in text for state, text in found(ws)), (word, found(ws))
        assert crontab.read_bytes() == bad
        said = []
        doctor.mend_problems(ws, said.append)
        assert [str(each) for each in said] == ["crontab: repaired"] and crontab.read_bytes() == good
        assert found(ws) == [("ok", "the crontab contains 1 task")]
    assert len(audit.find_events(ws.db, "crontab.mended", "")) == 6
    doctor.mend_problems(ws, said.append)
    assert len(said) == 1


FOREIGN_JOB = b"0 5 * * * /usr/bin/backup\n"


def damages(good):
    """Ways in which the block of a table may be damaged, with the foreign lines that must survive the mending."""
    begin, end = (next(row for row in good.split(b"\n") if row.startswith(mark)) for mark in (b"# >>>", b"# <<<"))
    job = next(row for row in good.split(b"\n") if b"due weekly" in row)
    return (
        (good.rstrip(b"\n") + FOREIGN_JOB, FOREIGN[1] + FOREIGN_JOB),  # appended behind a mark without a line feed
        (good * 2, FOREIGN[1] * 2),
        (good.replace(begin + b"\n", b""), FOREIGN[1]),
        (good.replace(end + b"\n", FOREIGN_JOB), FOREIGN[1] + FOREIGN_JOB),
        (good.replace(end, begin), FOREIGN[1]),
        (good.replace(begin, b"#").replace(end, b"#"), FOREIGN[1]),
        (good + FOREIGN_JOB + job + b"\n", FOREIGN[1] + FOREIGN_JOB),
    )


@pytest.mark.process
@pytest.mark.parametrize("number", range(7))
def test_damaged_marks_are_mended_on_request_and_no_foreign_line_is_lost(ws, task, crontab, number):
    from ia.reach.tasks import crontab as ours

    bad, foreign = damages(crontab.read_bytes())[number]
    crontab.write_bytes(bad)
    assert any(state == "fail" for state, _ in found(ws))
    doctor.mend_problems(ws, lambda _: None)
    rest = ours.splice_block(crontab.read_bytes(), ws.root, [])
    assert [row for row in rest.split(b"\n") if row not in (b"", b"#") and b"writes these lines" not in row] == [
        row for row in foreign.split(b"\n") if row
    ]
    assert found(ws) == [("ok", "the crontab contains 1 task")] and crontab.read_bytes().endswith(b"\n")
    assert doctor.mend_problems(ws, pytest.fail) is None


@pytest.mark.process
@pytest.mark.parametrize("act", ["approve", "pause", "resume", "remove"])
def test_damaged_marks_end_in_one_line_and_change_nothing(ws, ia, task, crontab, act):
    bad = crontab.read_bytes().rstrip(b"\n") + FOREIGN_JOB
    if act == "resume":
        ia("task", "pause", "weekly")
    crontab.write_bytes(bad)
    before = (ia("task", "list", "--json").stdout, ws.read("tasks/weekly.md"))
    ws.write("tasks/weekly.md", USAGE + "\n") if act == "approve" else None
    run = ia("task", act, "weekly", *(["--yes"] if act == "approve" else []))
    told = [line for line in run.stderr.splitlines() if line.startswith(("ia: ", "hint: "))]
    assert run.returncode == 78 and run.stdout == ""
    assert told[-2:] == [
        f"ia: the markers around ia's lines in the crontab are damaged ({ws.root})",
        f"hint: repair them with `ia --home {ws.root} doctor --mend`; other lines stay unchanged",
    ]
    assert crontab.read_bytes() == bad
    ws.write("tasks/weekly.md", USAGE) if act == "approve" else None
    assert (ia("task", "list", "--json").stdout, ws.read("tasks/weekly.md")) == before


def test_a_job_without_a_line_feed_gets_one_for_good(ws, crontab):
    """Cron refuses a table whose last job has none, so it could not be given back."""
    from ia.reach.tasks import crontab as ours

    once = ours.splice_block(b"0 5 * * * job", "/h", lines_of("a"))
    assert once.startswith(b"0 5 * * * job\n# >>> ia: /h >>>\n")
    assert ours.splice_block(once, "/h", []) == b"0 5 * * * job\n"
    former = once.replace(b"ia: /h >>>", b"ia: /h >>> (no line feed before)")
    assert ours.splice_block(former, "/h", []) == b"0 5 * * * job\n"


def test_a_mark_that_lost_its_line_feed_gets_it_back(ws, task, crontab):
    from ia.reach.tasks import crontab as ours

    good = crontab.read_bytes()
    crontab.write_bytes(good[:-1])
    assert ours.sync_block(ws) and crontab.read_bytes() == good
    assert ours.splice_block(good[:-1], "/other", lines_of("x")).startswith(good + b"# >>> ia: /other >>>\n")


@pytest.mark.parametrize("command", ["approve", "pause", "remove"])
def test_a_carriage_return_that_crontab_shows_as_two_letters_is_refused(ws, task, crontab, command):
    """Debian's `crontab -l` shows a carriage return as backslash and r: what is written back would have these."""
    table_before = crontab.read_bytes() + b"5 4 * * * /bin/true\\r\n"
    crontab.write_bytes(table_before)
    with pytest.raises(ConfigError, match=r"line .* ends in a carriage return"):
        if command == "approve":
            ws.write("tasks/other.md", USAGE)
            decisions.approve_task(ws, "other", by="test")
        else:
            getattr(decisions, f"{command}_task")(ws, "weekly")
    assert crontab.read_bytes() == table_before
    assert [(each.name, each.state) for each in approved_tasks.list_approved(ws)] == [("weekly", "approved")]


@pytest.mark.process
def test_a_block_of_a_workspace_that_is_gone(ws, task, crontab, tmp_path):
    from ia.reach.tasks import crontab as ours

    gone = str(tmp_path / "gone")
    with_gone = ours.splice_block(crontab.read_bytes(), gone, lines_of("x"))
    crontab.write_bytes(with_gone)
    assert ("warn", f"the crontab has tasks of {gone}, which does not exist") in found(ws)
    doctor.mend_problems(ws, lambda _: None)
    assert crontab.read_bytes() == with_gone, "it may be on a disk that is not mounted"
    doctor.mend_problems(Workspace(gone), lambda _: None)
    assert gone.encode() not in crontab.read_bytes() and not os.path.exists(gone)


def test_the_command_that_mends_a_gone_workspace_can_be_typed(ws, task, crontab, tmp_path):
    from ia.reach.tasks import crontab as ours

    gone = str(tmp_path / "gone; touch 'x y'")
    crontab.write_bytes(ours.splice_block(crontab.read_bytes(), gone, lines_of("x")))
    ((_, mend),) = ours.find_oddities(ws)
    assert shlex.split(str(mend).split("`")[1]) == ["ia", "--home", gone, "doctor", "--mend"]


@pytest.mark.process
def test_a_zone_of_the_users_above_our_lines_is_reported(ws, task, crontab):
    crontab.write_bytes(b"CRON_TZ=America/New_York\n" + crontab.read_bytes())
    assert any(state == "warn" and "CRON_TZ" in text for state, text in found(ws))
    crontab.write_bytes(crontab.read_bytes().partition(b"\n")[2] + b"CRON_TZ=America/New_York\n")
    assert not any("CRON_TZ" in text for _, text in found(ws))


@pytest.mark.process
def test_files_that_are_no_longer_what_was_approved(ws, task):
    ws.write("tasks/weekly.md", USAGE.replace("16", "17"))
    assert any("was edited" in text for _, text in found(ws, "task"))
    ws.remove("tasks/weekly.md")
    assert any("the file of task weekly is missing" in text for _, text in found(ws, "task"))


def test_the_command_mends_only_on_request(ia, ws, task, crontab):
    good = crontab.read_bytes()
    ia("doctor", "--mend")  # the lines of this test name its own program, the command's name the command
    told = crontab.read_bytes()
    crontab.write_bytes(FOREIGN[1])
    looked = ia("doctor")
    assert looked.returncode == 1 and "no lines for this workspace" in looked.stdout
    assert crontab.read_bytes() == FOREIGN[1] != good
    mended = ia("doctor", "--mend", "--json")
    assert mended.returncode == 0, mended.stdout
    assert "crontab: repaired" in mended.stderr and crontab.read_bytes() == told
    assert "crontab：已修复" in (crontab.write_bytes(FOREIGN[1]), ia("--lang", "zh", "doctor", "--mend"))[1].stderr
