"""A person's month with `ia`: life.txt played on a market, with questions, syncs and tasks on every trading day.

`live(place, market)` builds it and returns the record of every command; `Life` is what a test starts from.
"""

import dataclasses
import functools
import itertools
import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

from lived import checks
from support.forked_commands import Ran, Server
from support.program import REPO

HERE = Path(__file__).parent
MONTH = 22
"""The days of trading in life.txt."""
STATEMENT = "date,symbol,side,price,quantity\n{day8},600887,buy,25.5,100\n{day9},600887,sell,26.1,100\n"
KEPT = frozenset({"statement.csv", "crontab", "table"})
"""Files that lie beside the workspace from the beginning."""


@dataclasses.dataclass(frozen=True)
class Market:
    """Where prices come from, when the month begins, how many questions are asked in it, after how many days each the
    evening is looked at, and the days with a sync, a question and due tasks: all of them where `routine` is empty."""

    name: str
    begin: date
    questions: int
    days: int = MONTH
    evenings: int = 1
    routine: tuple[int, ...] = ()

    def working_days(self) -> list[date]:
        """Return the days of trading that have the routine."""
        days = trading_days(self.begin, self.days)
        return [day for n, day in enumerate(days, 1) if not self.routine or n in self.routine]


@dataclasses.dataclass(frozen=True)
class Step:
    """One command of the script: day, time, words, the statuses that it may end in, and standard input."""

    day: date
    time: str
    words: tuple[str, ...]
    allowed: tuple[int, ...] = (0,)
    input: str = ""
    lang: str = "en"


@dataclasses.dataclass(frozen=True)
class Entry:
    """A step as it went, for the record. Checks of the workspace are entries without words."""

    step: str
    problems: list[str]
    cpu: float = 0.0
    out: str = ""
    err: str = ""


DEMO = Market("demo", date(2024, 3, 4), 10, evenings=7, routine=(1, 2, 3, 4, 5, 6, 10, 20, 21, 22))
"""The routine of a first week, of the day before a weekend, and again from the end of a month on; the script is whole."""
CSV = Market("csv", date(2026, 6, 15), 30)
ORDINARY = (0, 66, 69, 75, 77)
"""What a message may end in: answered, an unknown skill, prices that no source has or not now, a disabled skill."""


class Life:
    """A person: a workspace, a desk to work at, a crontab, and the settings of the market."""

    def __init__(self, place: Path, market: str, prices: Path | None) -> None:
        self.place, self.home, self.desk = place, place / "home", place / "person"
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(self.desk), "LANG": "C.UTF-8", "XDG_STATE_HOME": str(place / "state"),
            "XDG_CACHE_HOME": str(place / "cache"),
            "IA_HOME": str(self.home), "IA_CRONTAB": str(place / "crontab"), "IA_MARKET_ADAPTER": market, "PYTHONWARNINGS": "ignore",
        }  # fmt: skip
        if prices is not None:
            self.env["IA_MARKET_CSV_DIR"] = str(prices)

    def at(self, day: date | str, time: str, lang: str = "en") -> dict[str, str]:
        """Return the environment of a moment."""
        return {**self.env, "IA_NOW": f"{day}T{time}+08:00", "IA_LANG": lang}

    def begin(self, statement: str) -> None:
        """Lay out what is there before the first command."""
        self.desk.mkdir(parents=True)
        (self.desk / "statement.csv").write_text(statement)
        shutil.copy(REPO / "tests" / "support" / "fake_crontab", self.place / "crontab")

    def crontab(self) -> str:
        """Return the person's crontab."""
        table = self.place / "table"
        return table.read_text() if table.exists() else ""


def move(life: Life, before: Path) -> None:
    """Let the crontab of a copied life speak of the copy."""
    table = life.place / "table"
    if table.exists():
        table.write_text(table.read_text().replace(str(before), str(life.place)))


def trading_days(begin: date, count: int) -> list[date]:
    """Return the first days of trading in Shanghai from a date on."""
    from ia.faculties.schedule import exchange

    return exchange.session_days("CN", begin, begin + timedelta(days=2 * count + 20))[:count]


def questions() -> list[str]:
    """Return the sentences of questions.txt."""
    return _lines("questions.txt")


def language(sentence: str) -> str:
    """Return the language that a person types a sentence in."""
    return "zh" if re.search(r"[\u4e00-\u9fff]", sentence) else "en"


@functools.cache
def steps(market: Market) -> list[Step]:
    """Return the steps of a month, or of longer, in the order of time."""
    days = trading_days(market.begin, market.days)
    found = [*_script(days), *_habits(days[MONTH:])]
    asked = list(itertools.islice(itertools.cycle(questions()), market.questions))
    working = market.working_days()
    for n, day in enumerate(working):
        lang = "en" if n % 2 else "zh"
        found += [
            Step(day, "15:10", ("sync",), (0,), lang=lang),
            Step(day, "16:30", ("task", "due"), (0,), lang=lang),
        ]
        for at, sentence in enumerate(asked[n :: len(working)]):
            session = ("-s", "日常") if at % 3 == 0 else ()
            found.append(
                Step(day, f"15:{50 + at % 10}", ("turn", sentence, *session), ORDINARY, lang=language(sentence))
            )
    return sorted(found, key=lambda step: (step.day, step.time))


def _script(days: list[date]) -> Iterator[Step]:
    """Yield the steps of life.txt."""
    day, lang = days[0], "zh"
    for line in _lines("life.txt"):
        if head := re.fullmatch(r"== (\d+)(?:\+(\d+))?", line):
            day = days[int(head[1]) - 1] + timedelta(days=int(head[2] or 0))
            lang = "zh" if int(head[1]) % 2 else "en"
        else:
            yield _step(line, days, day, lang)


def _habits(days: list[date]) -> Iterator[Step]:
    """Yield three steps of habits.txt for each day."""
    lines = itertools.cycle(_lines("habits.txt"))
    for n, day in enumerate(days):
        for _ in range(3):
            yield _step(next(lines), days, day, "en" if n % 2 else "zh")


def _step(line: str, days: list[date], day: date, lang: str) -> Step:
    """Return the step that a line of a script says."""
    names = {"today": str(day), **{f"day{n}": str(each) for n, each in enumerate(days, 1)}}
    line = re.sub(r"\{(day\d+|today)\}", lambda m: names[m[1]], line)
    found = re.fullmatch(r"(\d\d:\d\d) (?:\[([\d|]+)\] )?(.*?)(?: << (.*))?", line)
    assert found is not None, line
    time, status, command, given = found.groups()
    allowed = tuple(int(each) for each in (status or "0").split("|"))
    return Step(day, time, tuple(shlex.split(command)), allowed, (given or "").replace("\\n", "\n"), lang)


def _lines(name: str) -> list[str]:
    """Return the lines of a file of this folder that say something."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def live(server: Server, life: Life, market: Market) -> list[Entry]:
    """Play a month and return the record of it."""
    days = trading_days(market.begin, market.days)
    life.begin(re.sub(r"\{day(\d+)\}", lambda m: str(days[int(m[1]) - 1]), STATEMENT))
    record: list[Entry] = []
    script = steps(market)
    for step, following in zip(script, [*script[1:], None], strict=True):
        record.append(take(server, life, step))
        seen = (days.index(step.day) if step.day in days else 0) % market.evenings == 0
        if following is None or (following.day != step.day and seen):
            record.append(Entry(f"{step.day} the end of the day", evening(server, life, step.day)))
    return record


def take(server: Server, life: Life, step: Step) -> Entry:
    """Take one step."""
    named = f"{step.day} {step.time} {shlex.join(step.words)}"
    if step.words[0] == "!decide":
        return decide(server, life, step)
    if step.words[0].startswith("!"):
        _edit(life.home / step.words[1], step.words[0], step.input)
        _date(life.home / step.words[1], step)
        return Entry(named, [])
    ran = server.run(*step.words, env=life.at(step.day, step.time, step.lang), cwd=life.desk, input=step.input)
    return Entry(named, checks.problems(ran, step.allowed), ran.cpu, ran.out, ran.err)


def decide(server: Server, life: Life, step: Step) -> Entry:
    """Approve the newest proposal that is no task on even days, and reject it on odd ones."""
    env = life.at(step.day, step.time, step.lang)
    listed = server.run("pending", "--json", env=env, cwd=life.desk)
    waiting = [each["id"] for each in json.loads(listed.out or "[]") if each["kind"] != "task"]
    if not waiting:
        return Entry(f"{step.day} {step.time} !decide", ["no proposal waits"])
    words = ("approve", str(waiting[-1]), "--yes") if step.day.day % 2 == 0 else ("reject", str(waiting[-1]))
    ran = server.run(*words, env=env, cwd=life.desk)
    return Entry(f"{step.day} {step.time} {shlex.join(words)}", checks.problems(ran), ran.cpu, ran.out, ran.err)


def _edit(path: Path, how: str, text: str) -> None:
    if how == "!remove":
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a" if how == "!append" else "w", encoding="utf-8") as file:
            file.write(text)


def _date(path: Path, step: Step) -> None:
    """Let a file have the time of its step: what was changed after --now is not seen, and not overwritten."""
    moment = datetime.fromisoformat(f"{step.day}T{step.time}+08:00").timestamp()
    while not path.exists():
        path = path.parent
    os.utime(path, (moment, moment))


def evening(server: Server, life: Life, day: date) -> list[str]:
    """Return what is wrong at the end of a day: with the account, the workspace, the crontab, the files outside."""

    def run(*words: str, allowed: tuple[int, ...] = (0,)) -> Ran:
        ran = server.run(*words, env=life.at(day, "23:00"), cwd=life.desk)
        found.extend(f"{words}: {problem}" for problem in checks.problems(ran, allowed))
        return ran

    found: list[str] = []
    account, tasks, index = run("account", "--json"), run("task", "list", "--json"), run("memory", "read")
    found += run("log", "--kind", "fault", "--jsonl", allowed=(0, 1)).out.splitlines()
    if found:
        return found
    approved = [each["name"] for each in json.loads(tasks.out) if each["state"] in ("approved", "edited")]
    written = {words[words.index("-o") + 1] for words in (s.words for s in steps(DEMO)) if "-o" in words}
    return [
        *checks.account_problems(json.loads(account.out)),
        *checks.workspace_problems(life.home, index.out),
        *checks.crontab_problems(life.crontab(), approved),
        *checks.outside_problems(life.desk, KEPT | written),
    ]
