"""The book: what a person approved runs, and nothing else; as of --now; and the crontab follows."""

import os

import pytest

from ia.faculties.taskbook import approved_tasks
from ia.kernel import audit, config, proposals
from ia.kernel.errors import BadData, NotFound, Refused, Unavailable
from ia.reach.tasks import decisions

USAGE = "---\nschedule: 0 16 * * 5\nzone: Asia/Shanghai\nrun: ia usage\n---\n每周五。\n"
BY = "user with --yes"


def drafted(ws, name="weekly", text=USAGE):
    ws.write(f"tasks/{name}.md", text)
    return name


def at(monkeypatch, time):
    monkeypatch.setenv("IA_NOW", time + "+08:00")


def states(ws):
    return {each.name: each.state for each in approved_tasks.list_tasks(ws)}


def test_a_file_is_no_task_until_it_is_approved(ws, crontab):
    drafted(ws)
    assert (
        states(ws) == {"weekly": "unapproved"}
        and approved_tasks.list_approved(ws) == []
        and approved_tasks.crontab_entries(ws) == []
    )
    task = decisions.approve_task(ws, "weekly", by=BY)
    assert (task.name, task.text, task.state, task.by, task.since) == ("weekly", USAGE, "approved", BY, task.approved)
    assert task.design.run == "ia usage" and states(ws) == {"weekly": "approved"}
    assert b"task due weekly" in crontab.read_bytes()
    assert [event.data["by"] for event in audit.find_events(ws.db, "task.approved", "weekly")] == [BY]


def test_a_proposal_becomes_file_book_and_crontab_at_once(ws, crontab):
    number = proposals.propose(ws, "task", "tasks/weekly.md", USAGE, actor="model x").id
    (line,) = approved_tasks.list_tasks(ws)
    assert (line.state, line.proposal, line.design.run) == ("proposed", number, "ia usage")
    assert decisions.approve_task(ws, number, by=BY).text == ws.read("tasks/weekly.md") == USAGE
    assert proposals.get_proposal(ws, number).state == "approved" and b"task due weekly" in crontab.read_bytes()
    with pytest.raises(Refused, match="is already decided"):
        decisions.approve_task(ws, number, by=BY)


def test_a_proposal_can_be_called_by_its_name(ws):
    proposals.propose(ws, "task", "tasks/weekly.md", USAGE)
    assert decisions.approve_task(ws, "weekly", by=BY).text == USAGE
    assert proposals.pending_proposals(ws) == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("no front matter", BadData),
        (USAGE.replace("ia usage", "rm -rf /"), BadData),
        (USAGE.replace("ia usage", "ia approve 1"), Refused),
        (USAGE.replace("0 16 * * 5", "61 16 * * 5"), BadData),
        (USAGE.replace("Asia/Shanghai", "Asia/Nowhere"), BadData),
        (USAGE.replace("run:", "prompt: x\nrun:"), BadData),
    ],
)
def test_what_is_no_task_is_not_approved(ws, text, error):
    number = proposals.propose(ws, "task", "tasks/weekly.md", text).id
    with pytest.raises(error):
        decisions.approve_task(ws, number, by=BY)
    assert proposals.get_proposal(ws, number).state == "pending" and ws.read("tasks/weekly.md") is None
    assert [each.problem is not None for each in approved_tasks.list_tasks(ws)] == [
        True
    ] and approved_tasks.list_approved(ws) == []


def test_only_a_person_decides(ws, monkeypatch):
    drafted(ws)
    decisions.approve_task(ws, "weekly", by=BY)
    monkeypatch.setenv("IA_RUN", "1")
    for act in (lambda: decisions.approve_task(ws, "weekly", by=BY), lambda: decisions.pause_task(ws, "weekly"), lambda: decisions.resume_task(ws, "weekly"), lambda: decisions.remove_task(ws, "weekly")):  # fmt: skip
        with pytest.raises(Refused, match="a task's run cannot take this decision"):
            act()


def test_what_the_person_saw_is_what_is_approved(ws):
    drafted(ws)
    with pytest.raises(Refused, match="while you were reading"):
        decisions.approve_task(ws, "weekly", by=BY, expect=USAGE + "more")
    assert approved_tasks.list_approved(ws) == []


def test_approved_again_is_no_new_task_and_a_changed_text_replaces_the_old(ws, monkeypatch):
    at(monkeypatch, "2024-03-15T10:00:00")
    drafted(ws)
    first = decisions.approve_task(ws, "weekly", by=BY)
    at(monkeypatch, "2024-03-16T10:00:00")
    assert decisions.approve_task(ws, "weekly", by=BY) == first
    changed = USAGE.replace("ia usage", "ia usage --json")
    ws.write("tasks/weekly.md", changed)
    assert states(ws) == {"weekly": "edited"}
    assert approved_tasks.get_task(ws, "weekly").text == USAGE, "what was approved runs, not what stands in the file"
    assert approved_tasks.find_text_to_approve(ws, "weekly")[1:3] == (USAGE, changed)
    second = decisions.approve_task(ws, "weekly", by=BY)
    assert (second.id > first.id, second.text, second.since > first.since) == (True, changed, True)
    assert states(ws) == {"weekly": "approved"} and len(approved_tasks.list_approved(ws)) == 1


def test_a_deleted_file_does_not_run(ws, home, crontab):
    drafted(ws)
    decisions.approve_task(ws, "weekly", by=BY)
    os.unlink(home / "tasks" / "weekly.md")
    assert (
        states(ws) == {"weekly": "deleted"}
        and approved_tasks.list_runnable(ws) == []
        and approved_tasks.crontab_entries(ws) == []
    )


@pytest.mark.process
def test_pause_resume_remove(ws, monkeypatch, crontab):
    at(monkeypatch, "2024-03-15T10:00:00")
    drafted(ws)
    decisions.approve_task(ws, "weekly", by=BY)
    at(monkeypatch, "2024-03-15T11:00:00")
    assert decisions.pause_task(ws, "weekly").state == "paused"
    assert approved_tasks.crontab_entries(ws) == [] and crontab_text(crontab).count("task due") == 0
    at(monkeypatch, "2024-03-20T11:00:00")
    resumed = decisions.resume_task(ws, "weekly")
    assert (resumed.state, resumed.since) == ("approved", "2024-03-20T03:00:00.000Z")
    assert "task due weekly" in crontab_text(crontab)
    at(monkeypatch, "2024-03-21T11:00:00")
    assert decisions.remove_task(ws, "tasks/weekly.md") == "weekly"
    assert (
        approved_tasks.list_tasks(ws) == []
        and ws.read("tasks/weekly.md") is None
        and "weekly" not in crontab_text(crontab)
    )
    assert [e.kind for e in reversed(audit.events(ws.db, kind="task", subject="weekly"))] == [
        "task.approved", "task.paused", "task.resumed", "task.removed",
    ]  # fmt: skip
    ws.undo("tasks/weekly.md")
    assert states(ws) == {"weekly": "unapproved"}


def crontab_text(crontab):
    return crontab.read_text() if crontab.exists() else ""


@pytest.mark.process
def test_everything_is_as_it_was_at_now(ws, monkeypatch):
    at(monkeypatch, "2024-03-15T10:00:00")
    drafted(ws)
    decisions.approve_task(ws, "weekly", by=BY)
    at(monkeypatch, "2024-03-16T10:00:00")
    decisions.pause_task(ws, "weekly")
    at(monkeypatch, "2024-03-17T10:00:00")
    decisions.resume_task(ws, "weekly")
    ws.write("tasks/weekly.md", USAGE + "x")
    decisions.approve_task(ws, "weekly", by=BY)
    at(monkeypatch, "2024-03-18T10:00:00")
    decisions.remove_task(ws, "weekly")
    seen = []
    for day in (14, 15, 16, 17, 18):
        at(monkeypatch, f"2024-03-{day}T12:00:00")
        seen.append([(task.state, task.text == USAGE) for task in approved_tasks.list_approved(ws)])
    assert seen == [[], [("approved", True)], [("paused", True)], [("approved", False)], []]
    at(monkeypatch, "2024-03-14T12:00:00")
    with pytest.raises(NotFound):
        approved_tasks.get_task(ws, "weekly")


def test_a_crontab_that_cannot_be_written_does_not_undo_the_approval(ws, monkeypatch, tmp_path):
    drafted(ws)
    monkeypatch.setenv("IA_CRONTAB", str(tmp_path / "nowhere"))
    with pytest.raises(Unavailable, match="is approved, but") as told:
        decisions.approve_task(ws, "weekly", by=BY)
    assert told.value.hint and states(ws) == {"weekly": "approved"}


def test_the_environment_is_kept_without_secrets(ws, monkeypatch):
    for name, value in {
        "TZ": "Asia/Tokyo", "LC_ALL": "zh_CN.UTF-8", "IA_MODEL": "m", "IA_MARKET_TUSHARE_TOKEN": "geheim",
        "OPENAI_API_KEY": "geheim", "HTTPS_PROXY": "http://u:geheim@p", "IA_DEBUG": "1", "IA_SESSION": "s",
        "IA_LANG": "zh",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    drafted(ws, text=USAGE.replace("zone: Asia/Shanghai\n", ""))
    task = decisions.approve_task(ws, "weekly", by=BY)
    kept = task.environment
    assert (kept["TZ"], kept["LC_ALL"], kept["IA_MODEL"], kept["IA_LANG"]) == ("Asia/Tokyo", "zh_CN.UTF-8", "m", "zh")
    assert kept["PATH"] == os.environ["PATH"] and kept["HOME"] == os.environ["HOME"]
    assert "geheim" not in str(kept) and not {"IA_DEBUG", "IA_SESSION", "IA_HOME", "IA_NOW", "IA_RUN"} & set(kept)
    assert task.design.zone == "Asia/Tokyo", "cron knows no TZ: the user's own zone is that of the approval"
    monkeypatch.setenv("IA_MODEL", "other")
    again = decisions.approve_task(ws, "weekly", by=BY)
    assert (again.id, again.since, again.environment["IA_MODEL"]) == (task.id, task.since, "other")


def test_a_text_that_can_no_longer_be_read_stays_and_is_reported(ws):
    drafted(ws)
    decisions.approve_task(ws, "weekly", by=BY)
    ws.db.execute("UPDATE tasks SET text = '---\nschedule: nonsense\nrun: ia usage\n---\n'")
    (line,) = approved_tasks.list_tasks(ws)
    assert line.problem is not None and approved_tasks.crontab_entries(ws) == []


@pytest.mark.parametrize("name", ["../x", "a/b", ".x", "", "x\ny"])
def test_invalid_names(ws, name):
    with pytest.raises((NotFound, Refused, BadData)):
        decisions.approve_task(ws, name, by=BY)
    with pytest.raises((NotFound, Refused, BadData)):
        approved_tasks.get_task(ws, name)
    assert config.run_number() is None


@pytest.mark.parametrize("told", ["UTC", ":America/New_York", "/usr/share/zoneinfo/Asia/Tokyo"])
def test_the_zone_that_was_shown_is_the_one_that_runs(ws, monkeypatch, told):
    monkeypatch.setenv("TZ", told)
    drafted(ws, "zoned", USAGE.replace("zone: Asia/Shanghai\n", ""))
    shown = approved_tasks.parse_valid_design(
        ws.read("tasks/zoned.md"), "zoned", approved_tasks.current_environment()["TZ"]
    ).zone
    decisions.approve_task(ws, "zoned", by=BY)
    monkeypatch.delenv("TZ")
    assert (
        approved_tasks.get_task(ws, "zoned").design.zone
        == shown
        == told.lstrip(":").removeprefix("/usr/share/zoneinfo/")
    )


def test_a_workspace_from_elsewhere_brings_no_variable_along(ws):
    decisions.approve_task(ws, drafted(ws, "job"), by=BY)
    ws.db.execute("""UPDATE tasks SET environment = '{"PYTHONPATH": "/x", "IA_NOW": "2020-01-01", "LANG": "C"}'""")
    assert approved_tasks.get_task(ws, "job").environment == {"LANG": "C"}


def test_a_number_is_no_name(ws):
    """`ia task approve 4` means the fourth proposal, and nothing else."""
    ws.write("tasks/4.md", USAGE)
    with pytest.raises(BadData, match="4 would be read as a proposal number"):
        decisions.approve_task(ws, "tasks/4.md", by="user with --yes")


def test_a_deleted_file_comes_back_by_approving_and_a_removed_one_by_undoing(ws, home):
    from ia.organs.memory import changes

    ws.write("tasks/weekly.md", USAGE)
    decisions.approve_task(ws, "weekly", by="user with --yes")
    (home / "tasks" / "weekly.md").unlink()
    assert decisions.approve_task(ws, "weekly", by="user with --yes").text == USAGE == ws.read("tasks/weekly.md")
    decisions.remove_task(ws, "weekly")
    assert changes.undo_change(ws, "tasks/weekly.md") == ["tasks/weekly.md"] and states(ws) == {"weekly": "unapproved"}


def test_of_what_is_only_proposed_it_is_told_what_to_do(ws):
    number = proposals.propose(ws, "task", "tasks/weekly.md", USAGE, because="x", actor="z").id
    with pytest.raises(Refused) as approve:
        approved_tasks.get_task(ws, "weekly")
    with pytest.raises(NotFound) as reject:
        decisions.remove_task(ws, "weekly")
    assert approve.value.status == 77 and "ia task approve" in approve.value.hint
    assert reject.value.params["number"] == number and "ia reject" in reject.value.hint


def test_what_is_approved_in_the_past_has_missed_nothing_in_the_present(ws, monkeypatch):
    from ia.faculties.taskbook import run_store
    from ia.reach.tasks import executor

    at(monkeypatch, "2024-03-15T10:00")
    ws.write("tasks/weekly.md", USAGE)
    task = decisions.approve_task(ws, "weekly", by=BY)
    assert approved_tasks.active_since(ws, task) == "2024-03-15T02:00:00.000Z", (
        "with --now the slots since then are due"
    )
    monkeypatch.delenv("IA_NOW")
    assert (
        approved_tasks.active_since(ws, task) > "2026"
        and executor.run_due(ws) == []
        and run_store.list_runs(ws, "weekly") == []
    )


def test_an_edited_file_that_is_wrong_is_edited_and_the_reason_is_reported(ws, home):
    ws.write("tasks/weekly.md", USAGE)
    decisions.approve_task(ws, "weekly", by=BY)
    for wrong in (b"nonsense", b"\xff\xfe"):
        (home / "tasks" / "weekly.md").write_bytes(wrong)
        (line,) = approved_tasks.list_tasks(ws)
        assert line.state == "edited" and line.problem is not None and line.design is not None


def test_a_file_that_was_edited_later_is_there_before(ws, home, monkeypatch):
    at(monkeypatch, "2024-03-15T10:00")
    ws.write("tasks/weekly.md", USAGE)
    decisions.approve_task(ws, "weekly", by=BY)
    (home / "tasks" / "weekly.md").write_text(USAGE + "more\n")
    at(monkeypatch, "2024-03-15T11:00")
    assert states(ws) == {"weekly": "edited"}
