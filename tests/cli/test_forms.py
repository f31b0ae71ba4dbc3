"""`ia session fill` and `slots`: a form at a terminal, from a file, from words."""

import json
import time

import pytest

from support.program import program
from support.skill_library import FORMS, write_skill
from support.terminal import Terminal


@pytest.fixture
def garden(home):
    write_skill(home, "garden", {"forms.yaml": FORMS})


SLOTS = {"plot.date": "2024-03-15", "plot.bed": "south", "plot.size": 10.0, "plot.tools": ["spade"]}


def read_slots(ia, session="s"):
    return {row["slot"]: row["value"] for row in json.loads(ia("session", "slots", session, "--json").stdout)}


def test_words_and_files_fill_the_same_slots(ia, garden, tmp_path):
    (tmp_path / "answers.json").write_text('{"date": "2024-03-15", "bed": 2, "size": 10, "tools": ["spade"]}')
    (tmp_path / "answers.yaml").write_text("date: 2024-03-15\nbed: south\nsize: 10\ntools: spade\n")
    ways = {
        "a": (["date=2024年3月15日", "bed=南面", "size=10", "tools=1"], None),
        "b": (["--answers", "answers.json"], None),
        "c": (["--answers", "answers.yaml", "bed=south"], None),
        "d": (["--answers", "-"], (tmp_path / "answers.json").read_text()),
    }
    for session, (words, piped) in ways.items():
        done = ia("session", "fill", session, "plot", *words, input=piped)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "The plot: sown on 15 March 2024, Bed south side, Area 10.0, Tools spade\n"
        assert read_slots(ia, session) == SLOTS


def test_what_is_missing_is_listed_with_status_77(ia, garden):
    done = ia("session", "fill", "s", "plot", "size=3")
    assert done.returncode == 77
    assert done.stderr.splitlines() == [
        "ia: form plot lacks date, bed", "hint: give each as FIELD=VALUE, or a file with --answers",
    ]  # fmt: skip
    assert ia("session", "slots", "s").returncode == 1
    done = ia("session", "fill", "s", "plot", "date=2024-03-15", "bed=1")
    assert done.returncode == 0
    done = ia("session", "fill", "s", "plot", "size=30")  # the others are filled already
    assert done.returncode == 0
    assert read_slots(ia) == {"plot.date": "2024-03-15", "plot.bed": "north", "plot.size": 30.0}


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["plots"], 66, "plots: no such form"), (["plot", "date"], 2, "'date' is not FIELD=VALUE"),
        (["plot", "colour=red"], 66, "form plot has no field colour"),
        (["plot", "date=soon"], 65, "Sowing date: 'soon' is not a date as YYYY-MM-DD"),
        (["plot", "--answers", "gone.json"], 66, "gone.json: no such file"),
        (["plot", "--answers", "bad.json"], 65, "bad.json"),
    ],
)  # fmt: skip
def test_bad_answers_end_in_one_line(ia, garden, tmp_path, words, status, said):
    (tmp_path / "bad.json").write_text('["date"]')
    done = ia("session", "fill", "s", *words)
    assert done.returncode == status, done.stderr
    assert said in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr
    assert ia("session", "slots", "s").returncode == 1


@pytest.mark.process
def test_a_terminal_asks_field_by_field(ia, garden):
    with Terminal([*program(), "session", "fill", "s", "plot"]) as terminal:
        terminal.wait_for("Sowing date:")
        terminal.send("?\r")
        terminal.wait_for("the day on which you sow (a date as YYYY-MM-DD)")
        terminal.send("soon\r")
        terminal.wait_for("is not a date as YYYY-MM-DD")
        terminal.send("2024-03-15\r")
        terminal.wait_for("2. south side")
        terminal.send("\r")
        terminal.wait_for("an answer is needed")
        terminal.send("2\r")
        terminal.wait_for("Area (optional) [10.0]:")
        terminal.send("\r")
        terminal.wait_for("Tools (optional):")
        terminal.send("1\r")
        terminal.wait_for("Sunny (optional):")
        terminal.send("\r")
        assert terminal.wait_for_end() == 0
    assert read_slots(ia) == SLOTS


@pytest.mark.process
def test_a_form_that_is_left_half_way_fills_nothing(ia, garden):
    with Terminal([*program(), "session", "fill", "s", "plot"]) as terminal:
        terminal.wait_for("Sowing date:")
        terminal.send("2024-03-15\r")
        terminal.wait_for("Bed: ")
        time.sleep(0.3)  # a signal that comes as readline begins to wait is seen at the next key only
        terminal.send("\x03")
        assert terminal.wait_for_end() in (1, 130)
    assert ia("session", "slots", "s").returncode == 1
