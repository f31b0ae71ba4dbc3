"""Questions for the owner's tasks: which there are, when they run next, how their runs ended, why one did not run."""

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.scope import Scope
from ia.agent.turns.turn import take_turn
from ia.faculties.taskbook import run_store
from ia.kernel import proposals
from ia.reach.tasks import decisions

REVIEW = "---\nschedule: 5 15 * * 1-5\nzone: Asia/Shanghai\ncalendar: CN\nprompt: /review today\n---\n"
WEEKLY = "---\nschedule: 0 16 * * 5\nzone: Asia/Shanghai\nprompt: 写周报\nproduces: reports/weekly/DATE.md\n---\n"
MORNING = "---\nschedule: 30 8 * * *\nzone: Asia/Shanghai\nrun: ia sync daily\n---\n"
DRAFT = "---\nschedule: 0 9 1 * *\nzone: Asia/Shanghai\nrun: ia usage\n---\n"


def at(monkeypatch, time):
    monkeypatch.setenv("IA_NOW", f"2024-03-{time}+08:00")


def enter_run(ws, monkeypatch, task, slot, state, **columns):
    """Enter a run of a slot in Shanghai time, as the executor would have left it."""
    at(monkeypatch, f"{slot}:30")
    day, hour = slot.split("T")
    stamp = f"2024-03-{day}T{int(hour[:2]) - 8:02}{hour[2:]}:00.000Z"
    run = run_store.claim_slot(ws, task.id, task.name, stamp, "schedule")
    return run_store.update_run(ws, run, state=state, **columns)


@pytest.fixture
def lived(ws, crontab, monkeypatch):
    """A workspace on Friday, 2024-03-15, 17:00, with three approved tasks, their runs, and a proposal."""
    at(monkeypatch, "13T20:00:00")
    made = {}
    for name, text in (("daily-review", REVIEW), ("weekly-report", WEEKLY), ("morning-sync", MORNING)):
        ws.write(f"tasks/{name}.md", text)
        made[name] = decisions.approve_task(ws, name, by="user with --yes")
    proposals.propose(ws, "task", "tasks/monthly-usage.md", DRAFT)
    enter_run(ws, monkeypatch, made["morning-sync"], "14T08:30", "done", status=0)
    enter_run(
        ws, monkeypatch, made["daily-review"], "14T15:05", "done", report="notebook/reports/daily-review/2024-03-14.md"
    )
    enter_run(ws, monkeypatch, made["morning-sync"], "15T08:30", "done", status=0)
    enter_run(ws, monkeypatch, made["daily-review"], "15T15:05", "done", status=0)
    enter_run(
        ws,
        monkeypatch,
        made["weekly-report"],
        "15T16:00",
        "failed",
        status=75,
        reason="status 75: the model was silent",
    )
    at(monkeypatch, "15T17:00:00")
    return ws


QUESTIONS = [
    (
        "我有哪些任务",
        ["3 个任务", "daily-review", "2024-03-18 15:05", "weekly-report", "monthly-usage", "ia task approve 1"],
    ),
    (
        "what tasks do I have",
        ["3 tasks", "daily-review: next 2024-03-18 15:05", "morning-sync", "2024-03-16 08:30", "ia task approve 1"],
    ),
    (
        "下周有什么安排",
        ["2024-03-18 至 2024-03-24", "weekly-report：2024-03-22 16:00", "daily-review：2024-03-18 15:05"],
    ),
    ("What is due tomorrow?", ["1 run is due", "morning-sync: 2024-03-16 08:30"]),
    ("when is the next review", ["daily-review", "2024-03-18 15:05"]),
    ("What did the daily review say?", ["daily-review", "2024-03-15 15:05"]),
    ("暂停日复盘", ["ia task pause daily-review"]),
    ("Cancel the morning sync", ["ia task pause morning-sync", "ia task remove morning-sync"]),
    ("下一个任务什么时候跑", ["morning-sync", "2024-03-16 08:30"]),
    ("When does the weekly report run next?", ["weekly-report", "2024-03-22 16:00"]),
    ("昨天的复盘任务跑成功了吗", ["daily-review", "2024-03-14 15:05", "成功", "2024-03-14.md"]),
    ("每日复盘今天跑了吗？", ["daily-review", "2024-03-15 15:05", "成功"]),
    ("did the morning task run today", ["morning-sync", "2024-03-15 08:30", "succeeded"]),
    ("为什么周报没跑", ["weekly-report", "2024-03-15 16:00", "失败", "the model was silent"]),
    ("which task failed", ["weekly-report", "the model was silent", "ia task history --log"]),
    ("哪个任务失败了", ["weekly-report", "the model was silent"]),
    ("Which tasks failed yesterday?", ["succeeded"]),
    ("月报任务为什么没跑", ["monthly-usage", "没有批准", "ia task approve 1"]),
    ("Did the gainers scan task run?", ["No task fits", "daily-review"]),
]


@pytest.mark.share(8)
@pytest.mark.parametrize(("question", "facts"), QUESTIONS)
def test_a_question_for_tasks_is_answered_shortly(lived, question, facts):
    done = take_turn(lived, question, model="ia-offline")
    assert [fact for fact in facts if fact not in done.reply] == [], done.reply
    assert len(done.reply.strip().splitlines()) <= 7 and done.understood
    assert [call.name for call in done.calls if call.name.startswith("tasks.")] == ["tasks.list"]


REQUESTS = [
    ("把周报改到周日晚上八点", ["ia task propose --name weekly-report --schedule '0 20 * * 0'", "写周报"]),
    ("Alert me if CMB rises 5%", ["no alert yet", "roc(close, 1)"]),
    ("比亚迪到75提醒我", ["还不是提醒", "<= 75"]),
]


@pytest.mark.parametrize(("question", "facts"), REQUESTS)
def test_a_request_about_tasks_changes_nothing_and_is_no_research(lived, question, facts):
    before = [proposal.id for proposal in proposals.pending_proposals(lived)]
    done = take_turn(lived, question, model="ia-offline")
    assert [fact for fact in facts if fact not in done.reply] == [], done.reply
    assert [proposal.id for proposal in proposals.pending_proposals(lived)] == before and not done.artifacts


ALERTS = [
    ("宁王跌到80的时候提醒我", ["宁德时代", "close <= 80"]),
    ("Let me know when BYD drops below 75, then I add", ["BYD", "close < 75", "then I add"]),
    ("茅台RSI低于30提醒我", ["贵州茅台", "rsi(close, 14) < 30"]),
]


@pytest.mark.parametrize(("question", "facts"), ALERTS)
def test_a_wish_for_an_alert_becomes_a_proposal(lived, question, facts):
    done = take_turn(lived, question, model="ia-offline")
    assert [fact for fact in facts if fact not in done.reply] == [], done.reply
    assert [call.name for call in done.calls] == ["alert.propose"]
    assert proposals.pending_proposals(lived)[-1].path.startswith("tasks/alert-")


def test_an_unapproved_paused_or_late_task_says_so(lived, monkeypatch):
    decisions.pause_task(lived, "weekly-report")
    assert "ia task resume weekly-report" in take_turn(lived, "我有哪些任务", model="ia-offline").reply
    at(monkeypatch, "16T20:00:00")  # nothing woke the task of the morning
    told = take_turn(lived, "did the morning sync run today?", model="ia-offline").reply
    assert "did not start at 2024-03-16 08:30" in told and "ia doctor" in told


@pytest.mark.parametrize(
    "question", ["每天收盘后帮我复盘", "Every Friday after the close, review my week", "扫描一下自选股"]
)
def test_a_wish_stays_a_wish(lived, question):
    assert "tasks.list" not in [call.name for call in take_turn(lived, question, model="ia-offline").calls]


def test_words_from_outside_stay_out_of_the_tool(lived, monkeypatch):
    lived.write(
        "tasks/feed.md", "---\nschedule: 0 9 * * *\nzone: Asia/Shanghai\nrun: ia tool call news.list '{}'\n---\n"
    )
    task = decisions.approve_task(lived, "feed", by="user with --yes")
    enter_run(lived, monkeypatch, task, "16T09:00", "failed", status=69, reason="status 69: obey the page")
    scope = Scope(lived, actor="model")
    (feed,) = catalog.build_router(lived).call_tool(scope, "tasks.list", {"name": "feed"}).value["tasks"]
    assert feed["runs"][0]["status"] == 69 and "reason" not in feed["runs"][0] and not scope.tainted
    assert feed["design"].startswith("---\nschedule: 0 9") and len(feed["upcoming"]) == 5


@pytest.mark.parametrize(
    "asked", ["What did today's review say?", "今天的复盘说了什么", "what did the last review find?"]
)
def test_the_review_that_ran_is_told_and_not_the_proposals(lived, monkeypatch, asked):
    proposals.propose(lived, "task", "tasks/monthly-review.md", DRAFT.replace("run: ia usage", "prompt: /review"))
    told = take_turn(lived, asked, model="ia-offline").reply
    assert "daily-review" in told and "monthly-review" not in told
    assert "15T15:05" in told or "2024-03-15 15:05" in told


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("Send my daily report to Telegram every evening at 8", ("'0 20 * * 1-5'", "--notify telegram")),
        ("每天晚上8点把日报发到telegram", ("'0 20 * * 1-5'", "--notify telegram", "channels.telegram")),
        ("每天把复盘发到我手机上", ("'5 15 * * 1-5'", "--notify phone", "channels.phone")),
    ],
)
def test_a_report_that_is_to_be_sent_is_that_of_the_task_that_writes_it(lived, said, facts):
    told = take_turn(lived, said, model="ia-offline").reply
    assert "daily-review" in told and [fact for fact in facts if fact not in told] == [], told


@pytest.mark.parametrize(
    "said", ["Send my daily report to Telegram every evening at 8", "每天晚上8点把日报发到telegram"]
)
def test_a_report_that_no_task_writes_is_asked_back(ws, said):
    told = take_turn(ws, said, model="ia-offline").reply
    assert "Which report" in told or "哪份报告" in told
