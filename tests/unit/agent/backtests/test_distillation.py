"""What recurs in several runs becomes a proposal."""

import os

import pytest

from ia.agent.backtests.distillation import find_recurring_lines, propose_lines
from ia.agent.backtests.live import first_texts
from ia.agent.backtests.run_settings import RunSettings
from ia.kernel.errors import UsageError

GIVEN = "Buy oversold shares at the lower band."


@pytest.fixture
def runs(home):
    lessons = {
        "a-1": ["- [2024-02] after three losses pause a day", "- banks follow the index", GIVEN],
        "a-2": ["* after 3 losses, pause a day", "- sell before holidays", GIVEN],
        "a-3": ["1. 连亏三笔后应暂停一天", "- after three losses pause for a day", GIVEN],
    }
    for name, lines in lessons.items():
        folder = home / "runs" / name
        (folder / "notes").mkdir(parents=True)
        settings = RunSettings(created="x", model="m", symbols=[], start="2024-01-02", end="2024-02-01", cash="1",
                               lang="en", strategy=GIVEN)  # fmt: skip
        (folder / "run.yaml").write_text(settings.to_yaml(), encoding="utf-8")
        (folder / "playbook.md").write_text("# Playbook\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
        (folder / "notes" / "position_X.md").write_text("held for a very long time\n", encoding="utf-8")
    return list(lessons)


def test_lines_that_say_the_same_are_counted_once_a_run(ws, runs):
    (line,) = find_recurring_lines(ws, [*runs, "a-1"])
    assert (line.text, line.runs, line.of) == ("after three losses pause a day", 3, 3)


def test_a_proposal_and_no_silent_write(ws, runs, home):
    made = propose_lines(ws, find_recurring_lines(ws, runs), "en")
    assert made.path == "notebook/notes/playbook.md"
    assert made.after == "# Playbook\n\n## From backtests\n- after three losses pause a day (3 of 3 runs)\n"
    assert not os.path.exists(home / made.path)


def test_one_run_shows_nothing(ws, runs):
    with pytest.raises(UsageError):
        find_recurring_lines(ws, ["a-1", "a-1"])


def test_a_replay_is_no_second_witness(ws, runs, home):
    for name in ("a-1", "a-2"):
        (home / "runs" / name / "calls.jsonl").write_text('{"setup": 1}\n', encoding="utf-8")
    with pytest.raises(UsageError):
        find_recurring_lines(ws, ["a-1", "a-2"])
    (line,) = find_recurring_lines(ws, runs)
    assert (line.runs, line.of, line.names) == (2, 2, ("a-1", "a-3"))


def test_the_text_that_a_run_without_a_strategy_begins_with_is_not_learned(ws, home):
    for name in ("b-1", "b-2"):
        settings = RunSettings(created="x", model=name, symbols=[], start="2024-01-02", end="2024-02-01", cash="1",
                               lang="en")  # fmt: skip
        (home / "runs" / name).mkdir(parents=True)
        (home / "runs" / name / "run.yaml").write_text(settings.to_yaml(), encoding="utf-8")
        (home / "runs" / name / "playbook.md").write_text(first_texts(settings)["playbook.md"], encoding="utf-8")
    assert find_recurring_lines(ws, ["b-1", "b-2"]) == []
