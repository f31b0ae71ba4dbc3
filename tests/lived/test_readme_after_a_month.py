"""The README's session, and ten more questions, in a workspace that has lived for a month."""

import os
import subprocess
from pathlib import Path

import pytest

from lived.checks import BUGS, problems
from lived.life import ORDINARY, language
from support.program import REPO, program
from support.transcripts import steps_of

pytestmark = [
    pytest.mark.process,
    pytest.mark.timeout(1800),
    pytest.mark.parametrize("month", ["demo"], indirect=True),
]

QUESTIONS = [
    "Which of my shares weighs most?",
    "招商银行离200日线多远",
    "What did I write about CATL?",
    "我的账户今天亏了还是赚了",
    "Compare Moutai and Wuliangye over the last year",
    "半导体板块今天怎么样",
    "Is it too late to buy BYD?",
    "我上个月的判断对了几条",
    "What is the ATR of 600519?",
    "以后每周一早上八点提醒我看一遍持仓",
]


@pytest.mark.soak
@pytest.mark.parametrize("name", ["README.md", pytest.param("README.zh-CN.md", marks=pytest.mark.soak)])
def test_the_session_of_the_readme_breaks_nothing(lived, name):
    """What it prints depends on the month, whether it breaks does not. A command may find its work done already."""
    lang = "zh" if "zh" in name else "en"
    env = {**os.environ, **lived.life.at(lived.day, "20:00", lang)}
    env["PATH"] = f"{Path(program()[0]).parent}:{os.environ['PATH']}"
    broken = []
    for command, _ in steps_of(REPO / name):
        if command.startswith("export ") or "gpt-5-mini" in command:
            continue
        done = subprocess.run(
            ["bash", "-c", command], env=env, cwd=lived.life.desk, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=120,
        )  # fmt: skip
        if done.returncode in (70, 124, 139) or BUGS.search(done.stdout + done.stderr):
            broken.append((command, done.returncode, done.stderr[-300:]))
    assert broken == []


@pytest.mark.parametrize(
    "question", [pytest.param(q, marks=[pytest.mark.soak] * (at % 2)) for at, q in enumerate(QUESTIONS)]
)
def test_ten_more_questions_are_answered(lived, question):
    ran = lived.run("turn", question, lang=language(question))
    assert problems(ran, ORDINARY) == [], ran.err[-500:]
