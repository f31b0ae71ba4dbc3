"""kill -9 at random moments of `ia task approve|pause|resume|remove`: the table is whole, and what is behind is mended.

Another program appends its job in the classic way, `(crontab -l; echo …) | crontab -`, after each kill.
"""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from ia.reach.tasks import crontab, decisions
from support.program import installed

TASK = "---\nschedule: {minute} 16 * * 5\nzone: Asia/Shanghai\nrun: ia usage\n---\n"
FIRST = b'MAILTO=""\n#0 5 * * *\told\n\n17 3 * * *\ttrue # \xe9\n'
APPEND = '("$0" -l 2>/dev/null; echo "{line}") | "$0" -'


class Attacker:
    """A workspace with a task, commands that change it and are killed, and an editor that appends jobs."""

    def __init__(self, ws, seed):
        self.ws, self.rng, self.program = ws, random.Random(seed), os.environ["IA_CRONTAB"]
        self.kills = self.behind = self.appended = 0
        self.usual = 1.0
        self.foreign = FIRST
        subprocess.run([self.program, "-"], input=FIRST, check=True)
        ws.write("tasks/weekly.md", TASK.format(minute=0))
        decisions.approve_task(ws, "weekly", by="test")

    def command(self):
        choice = self.rng.choice(["pause", "resume", "approve"])
        if choice == "approve":
            self.ws.write("tasks/weekly.md", TASK.format(minute=self.rng.randrange(60)))
        return [*installed(), "task", choice, "weekly", *(["--yes"] if choice == "approve" else [])]

    def kill_one(self):
        """Start a command, kill its whole group at a random moment of the usual length; return if it was at work."""
        process = subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        began = time.monotonic()
        try:
            process.wait(self.usual * self.rng.uniform(0.4, 1.0))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.kills += 1
            return True
        self.usual = time.monotonic() - began
        return False

    def append(self):
        line = f"0 5 * * * /usr/bin/backup {self.appended}"
        self.appended += 1
        self.foreign += line.encode() + b"\n"
        return ["sh", "-c", APPEND.format(line=line), self.program]

    def check(self):
        told = crontab.read_crontab()
        assert told.endswith(b"\n")
        assert crontab.splice_block(told, self.ws.root, []) == self.foreign
        self.behind += bool(crontab.find_drift(self.ws))

    def round(self):
        killed = self.kill_one()
        time.sleep(0.02)  # what it had told the crontab program takes effect
        self.check()
        subprocess.run(self.append(), check=True)
        self.check()
        if killed and self.rng.random() < 0.3:
            told = subprocess.run([*installed(), "doctor", "--mend"], capture_output=True, timeout=60)
            assert b"Traceback" not in told.stderr
        else:
            crontab.sync_block(self.ws)  # what every change of a task does, and each wake-up of all tasks
        assert crontab.find_drift(self.ws) == []
        self.check()


def attack(ws, record_property, kills, seed):
    attacker = Attacker(ws, seed)
    while attacker.kills < kills:
        attacker.round()
    record_property("kills", attacker.kills)
    record_property("crontab behind the book after the kill", attacker.behind)
    print(f"{attacker.kills} kills, {attacker.behind} times behind, {attacker.appended} jobs appended")


def test_a_kill_leaves_a_whole_table_and_the_next_command_mends_what_is_behind(ws, record_property):
    attack(ws, record_property, 6, 1)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(3))
def test_many_kills(ws, record_property, seed):
    attack(ws, record_property, 60, seed)


def test_a_writer_whose_ia_was_killed_installs_nothing_and_ends(ws, tmp_path):
    """Killed before the end of the table is told, `crontab -` waits; the alarm ends it."""
    program = os.environ["IA_CRONTAB"]
    subprocess.run([program, "-"], input=FIRST, check=True)
    code = (
        "import os, time\nfrom ia.reach.tasks import crontab_file as table\n"
        "table.PATIENCE, table.ANSWER = 2.0, 0.5\n"
        "table._wait_until_calm = lambda *_: (print('ready', flush=True), time.sleep(60))\n"
        "table.replace_crontab(table.read_crontab(), b'# new\\n', time.monotonic() + 20)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout.readline() == b"ready\n"
        os.killpg(process.pid, signal.SIGKILL)
    name = os.path.basename(program).encode()[:15]

    def writers():
        found = []
        for number in filter(str.isdecimal, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/stat", "rb") as file:
                    told = file.read()
            except OSError:
                continue
            if told.partition(b"(")[2].startswith(name + b")") and b") Z" not in told:
                found.append(number)
        return found

    until = time.monotonic() + 60
    while writers() and time.monotonic() < until:
        assert crontab.read_crontab() == FIRST
        time.sleep(0.3)
    assert not writers() and crontab.read_crontab() == FIRST
