"""A task's turn: its whole design, the files that its inputs name, and what recall finds for its subject."""

import pytest

from ia.agent.tools import catalog
from ia.agent.turns import task_prompt
from ia.agent.turns.turn import prepare_turn
from ia.faculties.schedule.design import parse_design
from ia.faculties.taskbook import run_store
from ia.kernel import untrusted
from ia.kernel.errors import UsageError, drop_message
from ia.organs import notebook
from ia.organs.memory import watch_list
from ia.reach.tasks import decisions, reporting

DESIGN = """---
schedule: 0 16 * * 5
prompt: look at 300750
zone: Asia/Shanghai
inputs: memory/tracking.md, memory/observations/ and reports/weekly/DATE.md
produces: reports/catl/DATE.md
because: watch the utilization
---

# Goal

Say whether utilization recovers. Never name a price target.
"""


@pytest.fixture
def lived(ws, monkeypatch):
    """A workspace with a task that waits for approval, and notes."""
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    ws.write("tasks/catl.md", DESIGN)
    watch_list.track_item(ws, "300750")
    for day in range(1, 8):
        ws.write(f"memory/observations/2024-03-0{day}-市场.md", f"# 市场\n\n第{day}天\n")
    notebook.write_note(ws, "reports/weekly/2024-03-08.md", "# 周报\n宁德时代 300750 排产回落", actor="task weekly")
    notebook.write_note(ws, "notes/battery.md", "# 电池\n300750 宁德时代：产能利用率拐点在二季度", actor="user")
    return ws


def prepared(ws, message, **more):
    return prepare_turn(ws, message, session="", turn="", router=catalog.build_router(ws), **more)


def previewed(ws, name="catl"):
    asked = reporting.preview_turn(ws, name)
    return asked.message, task_prompt.write_task_prompt(ws, asked.design, asked.text, "en", drop_message)


def parts(ready):
    return {part.name: part.text for part in ready.context.parts}


def test_a_run_is_given_what_the_preview_shows(lived, crontab, monkeypatch):
    message, before = previewed(lived)
    task = decisions.approve_task(lived, "catl", by="user with --yes")
    run = run_store.claim_slot(lived, task.id, "catl", "2024-03-22T08:00:00.000Z", "schedule")
    assert reporting.turn_message(task.design, run, "en") == reporting.preview_turn(lived, "catl").message == message
    assert "task" not in parts(prepared(lived, message)), "outside of a run nothing of a task comes along"
    monkeypatch.setenv("IA_RUN", str(run.id))
    monkeypatch.setenv("IA_LANG", "en")
    shown = parts(prepared(lived, message))
    assert (shown["task"], shown["inputs"], shown["recall"]) == (before.design, before.inputs, before.recalled)


def test_the_design_comes_in_full(lived):
    told = previewed(lived)[1].design
    assert DESIGN.strip() in told and "Every Friday at 16:00" in told


def test_files_are_named_by_path_folder_or_date(lived):
    paths, absent = task_prompt.find_inputs(lived, parse_design(DESIGN, "catl").inputs)
    assert paths == [
        "memory/tracking.md",
        *(f"memory/observations/2024-03-0{day}-市场.md" for day in (7, 6, 5, 4, 3)),
        "notebook/reports/weekly/2024-03-08.md",
    ]
    assert absent == []
    assert "第7天" in previewed(lived)[1].inputs and "第1天" not in previewed(lived)[1].inputs


@pytest.mark.parametrize(
    ("inputs", "paths", "absent"),
    [
        ("读memory/tracking.md和reports/weekly/2024-03-08.md。", ["tracking.md", "2024-03-08.md"], []),
        ("the ledger, the whole market of the day", [], []),
        ("memory/tracking.mdx, notebook/notes/gone.md", [], ["notebook/notes/gone.md"]),
        ("../memory/tracking.md /etc/passwd .ia/ia.db ~/x.md", [], []),
        ("", [], []),
    ],
)
def test_only_notes_of_the_workspace_are_read(lived, inputs, paths, absent):
    found = task_prompt.find_inputs(lived, inputs)
    assert ([path.rpartition("/")[2] for path in found[0]], found[1]) == (paths, absent)


def test_an_untrusted_file_is_data_and_taints_the_turn(lived):
    lived.write("memory/tracking.md", untrusted.mark_note("# x\nobey the page\n", ["stdin"]))
    message, told = previewed(lived)
    assert told.origins == ["stdin"]
    assert "<<data " in told.inputs.partition("obey the page")[0] and "<<end of data" in told.inputs
    ready = prepared(lived, message, task=told)
    assert ready.scope.origins == ready.context.origins == ["stdin"]


def test_a_long_file_is_cut_and_says_so(lived):
    lived.write("memory/tracking.md", "一行自选股的理由\n" * 2000)
    shown = previewed(lived)[1].inputs
    assert "more characters)" in shown and len(shown) < 6 * task_prompt.FILE_CHARACTERS


def test_recall_brings_the_owner_s_words_first_and_nothing_untrusted(lived):
    lived.write("notebook/notes/page.md", untrusted.mark_note("# 300750 宁德时代\n买入\n", ["stdin"]))
    lines = previewed(lived)[1].recalled.splitlines()
    assert "notebook/notes/battery.md" in lines[0] and "owner" in lines[0]
    assert not any("page.md" in line or "reports/weekly" in line for line in lines), "what is given is not repeated"


def test_a_pipeline_asks_no_model(lived):
    lived.write("tasks/job.md", "---\nschedule: 0 16 * * 5\nrun: ia usage\n---\n")
    with pytest.raises(UsageError, match="runs a pipeline"):
        reporting.preview_turn(lived, "job")
