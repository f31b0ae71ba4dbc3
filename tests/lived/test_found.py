"""A month-old workspace as a person may leave it: moved, cleaned, edited, looked at from another day."""

import shutil

import pytest

from lived.checks import problems
from lived.life import ORDINARY

pytestmark = [pytest.mark.process, pytest.mark.timeout(1800)]

LOOKS = [
    ("turn", "How is CATL doing?"),
    ("turn", "我的持仓怎么样"),
    ("turn", "之前怎么看宁德时代？"),
    ("turn", "/scan"),
    ("turn", "/review"),
    ("event", "daily-review", "--force"),
    ("account", "--json"),
    ("profit", "--json"),
    ("report", "account"),
    ("note", "list", "--json"),
    ("memory", "read"),
    ("recall", "宁德时代", "--json"),
    ("task", "list", "--json"),
    ("task", "due"),
    ("context", "--json"),
    ("doctor", "--json"),
]


def remove(*names):
    def change(home):
        for name in names:
            path = home / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    return change


def spoil(name, text):
    def change(home):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text)

    return change


def widen(home):
    for n in range(300):
        path = home / "notebook" / "research" / f"股票{n}" / "2024-03-01.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# 股票{n}\n\n宁德时代和茅台的第 {n} 条笔记\n", encoding="utf-8")


def all_of(*changes):
    def change(home):
        for each in changes:
            each(home)

    return change


CHANGES = {
    "as it is": lambda home: None,
    "without the cache": remove(".ia/cache"),
    "without memory": remove("memory"),
    "without the notebook": remove("notebook"),
    "without a soul": remove("soul.md"),
    "without skills and providers": remove(".claude"),
    "without task files": remove("tasks"),
    "without settings": remove("config.yaml"),
    "without any text": remove("memory", "notebook", "soul.md", "config.yaml", "tasks", ".claude"),
    "with an empty soul and a note without end": all_of(
        spoil("soul.md", b""), spoil("notebook/scratch/long.md", "宁德时代 ".encode() * 200_000)
    ),
    "with texts that are none": all_of(
        spoil("soul.md", "# 我是谁".encode("gbk")),
        spoil("memory/beliefs.md", bytes(range(256))),
        spoil("memory/tracking.md", "- 300750\r\n- 600519 茅台\r-\r\n\x00".encode()),
        spoil("notebook/scratch/binary.md", b"\xff\xfe\x00\x00# x"),
    ),
    "with signs in the watch list": spoil("memory/tracking.md", b"- {symbol}: %s {0}\n- [x](y) | z\n- 600519.SH:\n"),
    "with files that are no YAML": all_of(
        spoil(".claude/skills/nothing/SKILL.md", b"---\n---\n"),
        spoil(".claude/skills/broken/SKILL.md", b"---\nname: [\n---\n"),
        spoil(".claude/providers/broken/PROVIDER.md", b"---\ncommand: {\n---\n"),
        spoil("tasks/broken.md", b"---\nschedule: [\n---\n"),
    ),
    "with three hundred notes more": widen,
}  # fmt: skip


TOGETHER = {
    "without texts and cache": [
        "without any text", "without the cache", "with an empty soul and a note without end",
    ],
    "spoiled": [
        "with texts that are none", "with signs in the watch list", "with files that are no YAML", "without settings",
        "with three hundred notes more",
    ],
}  # fmt: skip
"""What `make test` looks at; each change by itself is for `make soak`."""
ALONE = [pytest.param([name], id=f"alone {name}", marks=pytest.mark.soak) for name in CHANGES]


@pytest.mark.parametrize("month", ["demo"], indirect=True)
@pytest.mark.parametrize("names", [*(pytest.param(names, id=name) for name, names in TOGETHER.items()), *ALONE])
def test_every_look_is_answered(own, names):
    for name in names:
        CHANGES[name](own.life.home)
    found = []
    for words in LOOKS:
        ran = own.run(*words)
        found += [(words, problem, ran.err[-400:]) for problem in problems(ran, (0, 1, 65, 66, 77, 78))]
    assert found == []


MOMENTS = {
    "a year before": ("2023-02-01", "10:00"),
    "the second day of the month": ("", "09:31"),
    "midnight": ("", "00:00"),
    "a weekend": ("2024-03-30", "12:00"),
    "a holiday": ("2024-04-04", "15:30"),
    "half a year later": ("2026-11-20", "16:00"),
    "beyond the calendar": ("2031-01-02", "16:00"),
    "the year 1999": ("1999-12-31", "23:59"),
}


SOAKED = (
    "a year before",
    "the second day of the month",
    "midnight",
    "a weekend",
    "a holiday",
    "half a year later",
    "beyond the calendar",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak) if name in SOAKED else name for name in MOMENTS]
)
def test_every_look_is_answered_at_another_moment(own, name):
    day, time = MOMENTS[name]
    day = day or str(own.market.begin.replace(day=own.market.begin.day + 1))
    found = []
    for words in [
        *LOOKS,
        ("sync",),
        ("turn", "今天大盘怎么样"),
        ("market", "summary"),
        ("task", "history"),
        ("usage",),
    ]:
        ran = own.server.run(*words, env=own.life.at(day, time), cwd=own.life.desk)
        found += [(words, problem, ran.err[-400:]) for problem in problems(ran, (1, *ORDINARY))]
    assert found == []
