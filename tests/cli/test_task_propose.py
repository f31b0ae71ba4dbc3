"""`ia task propose`: a wish or fields in, a draft and a number out; nothing runs, nothing is written."""

import json

import pytest

from ia.faculties.schedule.design import parse_design
from ia.kernel import proposals
from support.servers.openai import MODEL, Reply

NOW = "2024-03-15T16:00:00+08:00"
FRIDAYS = ["2024-03-22T16:00+08:00", "2024-03-29T16:00+08:00", "2024-04-12T16:00+08:00", "2024-04-19T16:00+08:00",
           "2024-04-26T16:00+08:00"]  # fmt: skip


@pytest.fixture(autouse=True)
def at(monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    monkeypatch.setenv("TZ", "Europe/Berlin")


def waiting(ws):
    return [(each.id, each.path, parse_design(each.after, each.path[6:-3])) for each in proposals.pending_proposals(ws)]


def test_a_wish_is_drafted_by_rules_and_nothing_else_happens(ia, ws, home, crontab):
    run = ia("task", "propose", "每周五收盘后，帮我复盘本周的观察和判断。", "-m", "ia-offline")
    assert (run.returncode, run.stdout) == (0, "1\n"), run.stderr
    ((number, path, design),) = waiting(ws)
    assert (number, path, design.prompt) == (1, "tasks/weekly-review.md", "复盘本周的观察和判断")
    assert (design.schedule, design.zone, design.calendar) == ("0 16 * * 5", "Asia/Shanghai", "CN")
    for told in ("tasks/weekly-review.md", "Every Friday at 16:00", "2024-03-22 16:00 Fri (09:00 local time)", "2024-04-12",
                 "notebook/reports/weekly/DATE.md", "run `ia task approve 1`"):  # fmt: skip
        assert told in run.stderr
    assert "2024-04-05" not in run.stderr, "a holiday"
    assert not (home / "tasks").exists() and not crontab.exists()
    chinese = ia("--lang", "zh", "task", "propose", "每周五收盘后，帮我复盘本周的观察和判断。")
    assert chinese.stdout == "1\n" and "已有内容相同的提案：1" in chinese.stderr and "每周五 16:00" in chinese.stderr
    assert len(waiting(ws)) == 1


def test_fields_need_no_words_and_no_model(ia, ws):
    run = ia("task", "propose", "--cron", "0 16 * * 1-5", "--run", "ia ohlcv 600519 | ia compute 'rsi(close, 14)'",
             "--calendar", "CN", "--notify", "telegram", "--notify", "me", "--silent", "--retries", "3", "--retry-after", "1h",
             "--missed", "skip", "--timeout", "5", "--because", "RSI", "--produces", "reports/rsi/DATE.md", "--json")  # fmt: skip
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert (told["proposal"], told["path"]) == (1, "tasks/daily-ohlcv.md")
    assert told["next"][:2] == ["2024-03-18T16:00+08:00", "2024-03-19T16:00+08:00"]
    assert told["design"] == {
        "name": "daily-ohlcv", "schedule": "0 16 * * 1-5", "prompt": "", "zone": "Asia/Shanghai", "calendar": "CN",
        "run": "ia ohlcv 600519 | ia compute 'rsi(close, 14)'", "inputs": "", "produces": "reports/rsi/DATE.md",
        "notify": ["telegram", "me"], "silent": True, "retries": 3, "retry_after": 60, "missed": "skip", "timeout": 5,
        "because": "RSI",
    }  # fmt: skip
    assert "telegram: unknown channel; add it with" in run.stderr
    ((_, _, design),) = waiting(ws)
    assert design.run == told["design"]["run"] and design.notify == ("telegram", "me")


@pytest.mark.parametrize(
    ("words", "schedule", "name"),
    [
        (["--every", "90m", "--prompt", "看新闻"], "every 90m", "every-90m-看新闻"),
        (["--after-close", "30m fri", "--calendar", "US", "look at AAPL"], "close+30m fri", "weekly-aapl"),
        (["--on", "file:notebook/inbox.md", "sort it"], "on file notebook/inbox.md", "on-file-inbox"),
        (["--on", "webhook:deploy", "sort it", "--name", "ship-it"], "on webhook deploy", "ship-it"),
        (["--cron", "@daily", "复盘", "--zone", "UTC"], "@daily", "daily-review"),
        (["每天9点看新闻", "--zone", "America/New_York", "--name", "news"], "0 9 * * *", "news"),
        (["每天9点看新闻", "--run", "ia usage"], "0 9 * * *", "daily-usage"),
        (["每天9点看新闻", "--notify", "nobody"], "0 9 * * *", "每日-看新闻"),
    ],
)
def test_options_say_when_and_override_what_was_read(ia, ws, words, schedule, name):
    run = ia("task", "propose", *words, "--json", env={"IA_MODEL": "ia-offline"})
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert (told["design"]["schedule"], told["design"]["name"]) == (schedule, name)
    ((_, _, design),) = waiting(ws)
    assert design.schedule == schedule and bool(design.prompt) != bool(design.run)
    if "nobody" in words:
        assert design.notify == ()


def test_the_zone_is_the_users_own_where_nothing_says_another(ia, ws):
    assert ia("task", "propose", "--cron", "0 9 * * 1", "复盘").returncode == 0
    assert waiting(ws)[0][2].zone == "Europe/Berlin"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ([], 2), (["明天9点提醒我"], 65), (["帮我复盘"], 65), (["每天25点复盘"], 65), (["不要每天提醒我"], 65),
        (["--cron", "99 * * * *", "x"], 65), (["--cron", "0 9 * * 1"], 2), (["--cron", "@daily", "--every", "2h", "x"], 2),
        (["--cron", "@daily", "--prompt", "x", "--run", "ia usage"], 2), (["--cron", "@daily", "x", "--run", "ia usage"], 2),
        (["--cron", "@daily", "--run", "rm -rf /"], 65), (["--cron", "@daily", "--run", "ia approve 1"], 77),
        (["--cron", "@daily", "x", "--zone", "Mars/Base"], 65), (["--cron", "@daily", "x", "--produces", "../x.md"], 65),
        (["--cron", "@daily", "x", "--retry-after", "soon"], 2), (["--on", "inbox", "x"], 2), (["--every", "0m", "x"], 65),
        (["--cron", "@daily", "x", "--name", "///"], 2), (["--on", "file:/etc/passwd", "x"], 65),
    ],
)  # fmt: skip
def test_an_invalid_task_is_reported_in_a_line(ia, ws, words, status):
    for lang in ("en", "zh"):
        run = ia("--lang", lang, "task", "propose", *words, "-m", "ia-offline")
        assert (run.returncode, run.stdout) == (status, ""), run.stderr
        assert run.stderr.startswith("ia: ") and "Traceback" not in run.stderr
    assert not proposals.pending_proposals(ws)


def drafted(**fields):
    return Reply(
        calls=[("tasks_propose", {"name": "weekly", "schedule": "0 16 * * 5", "prompt": "复盘本周", **fields})]
    )


def test_a_model_drafts_in_one_turn_that_can_do_nothing_else(ia, ws, brain):
    server = brain(
        Reply(calls=[("notebook_write", {"path": "x", "content": "x"}), ("soul_propose", {"add": "x", "because": "x"})]),
        drafted(calendar="CN"), Reply("设计稿好了。"),
    )  # fmt: skip
    run = ia("task", "propose", "每周五收盘后帮我复盘", "--json")
    assert run.returncode == 0, run.stderr
    offered = {tool["function"]["name"] for tool in server.requests[0].body["tools"]}
    assert "tasks_propose" in offered and all(name.startswith(("tasks_", "calendar")) for name in offered)
    assert "每周五收盘后帮我复盘" in json.dumps(server.requests[0].body, ensure_ascii=False)
    told = json.loads(run.stdout)
    assert (told["design"]["zone"], told["next"]) == ("Asia/Shanghai", FRIDAYS)
    (proposal,) = proposals.pending_proposals(ws)
    assert (proposal.kind, proposal.path, proposal.actor) == ("task", "tasks/weekly.md", f"model {MODEL}")
    assert proposal.origin.turn and ws.list_paths("notebook") == []


def test_a_model_is_told_what_is_wrong_and_options_have_the_last_word(ia, ws, brain):
    server = brain(drafted(schedule="0 99 * * 5"), drafted(zone="Mars/Base"), drafted(), Reply("好了。"))
    run = ia("task", "propose", "每周五收盘后帮我复盘", "--zone", "Asia/Tokyo", "--retries", "4")
    assert (run.returncode, run.stdout) == (0, "1\n"), run.stderr
    assert "0 99 * * 5" in " ".join(server.requests[1].results) and "Mars/Base" in " ".join(server.requests[2].results)
    ((_, _, design),) = waiting(ws)
    assert (design.zone, design.retries, design.schedule) == ("Asia/Tokyo", 4, "0 16 * * 5")


def test_a_model_that_drafts_nothing_is_quoted(ia, ws, brain):
    brain(Reply("你想几点？"))
    run = ia("task", "propose", "每周五帮我复盘")
    assert (run.returncode, run.stdout) == (65, "")
    assert "did not draft a task: 你想几点？" in run.stderr and not proposals.pending_proposals(ws)


def test_the_draft_stands_above_the_diff(ia):
    ia("task", "propose", "--cron", "0 16 * * 5", "--calendar", "CN", "复盘")
    shown = ia("pending", "1").stdout
    assert shown.index("2024-03-22 16:00 Fri") < shown.index("+schedule: 0 16 * * 5")
    told = json.loads(ia("pending", "1", "--json").stdout)
    assert told["next"] == FRIDAYS and told["design"]["prompt"] == "复盘" and told["described"]


def test_a_ready_design_and_a_wish_of_ones_own(ia, ws):
    ia("--lang", "zh", "init")
    same = ia("task", "propose", "--cron", "0 16 * * 5", "--calendar", "CN", "--prompt", "/review 本周")
    assert same.stdout == "2\n" and "an identical proposal already exists: 2" in same.stderr
    other = ia("task", "propose", "每周五收盘后，帮我复盘", "-m", "ia-offline")
    assert other.stdout == "6\n" and "this task runs at the same time as tasks/weekly-review.md" in other.stderr
    _, ready, *_, wish = [path for _, path, _ in waiting(ws)]
    assert (ready, wish) == ("tasks/weekly-review.md", "tasks/weekly-review-2.md")


def test_the_name_of_a_task_that_there_is_makes_a_change_of_it(ia, ws):
    first = ia("task", "propose", "--cron", "0 9 * * *", "/review 本周", "--name", "old")
    assert first.returncode == 0 and ia("task", "approve", "1", "--yes").returncode == 0, first.stderr
    run = ia("task", "propose", "--cron", "0 10 * * *", "/review 本周", "--name", "old")
    assert (
        run.stdout == "2\n" and "tasks/old.md already exists; approving this proposal replaces that task" in run.stderr
    )
    assert "-schedule: 0 9 * * *" in run.stderr and "+schedule: 0 10 * * *" in run.stderr
    assert [path for _, path, _ in waiting(ws)] == ["tasks/old.md"]
    assert ia("task", "approve", "2", "--yes").returncode == 0
    (task,) = json.loads(ia("task", "list", "--json").stdout)
    assert task["name"] == "old" and "schedule: 0 10 * * *" in ws.read("tasks/old.md")


@pytest.mark.parametrize("name", ["../x", "Ship It", "600519", "a/b"])
def test_a_name_that_one_gives_is_taken_as_it_is_or_refused(ia, ws, name):
    run = ia("task", "propose", "--cron", "@daily", "复盘", "--name", name)
    assert (run.returncode, run.stdout) == (2, "") and "is not a valid task name" in run.stderr
    assert not proposals.pending_proposals(ws)


def test_the_pipeline_is_checked_before_anything_is_made_of_it(ia, ws):
    run = ia("task", "propose", "--cron", "@daily", "--run", "ia usage; rm -rf /")
    assert run.returncode == 65 and "weekly-usage" not in run.stderr and "daily-usage" not in run.stderr
    assert "name" not in run.stderr and not proposals.pending_proposals(ws)


def test_two_tasks_do_not_keep_their_results_in_one_note(ia, ws):
    ia("task", "propose", "每周五16:00复盘")
    other = ia("task", "propose", "每周一9:00复盘", "--json")
    assert json.loads(other.stdout)["design"]["produces"] == ""
    assert "notebook/reports/weekly-review-2/DATE.md" in other.stderr and "same note" not in other.stderr
    same = ia("task", "propose", "每周二9:00复盘", "--produces", "reports/weekly/DATE.md")
    assert "the result goes to the same note as tasks/weekly-review.md" in same.stderr


@pytest.mark.parametrize(
    ("words", "understood"),
    [("每天9点整理收件箱", False), ("每天9点复盘", True), ("每天9点 /review 本周", True), ("每天9点看看 600519", True),
     ("每天9点提醒我吃药", True), ("every day at 9 water the plants", False)],
)  # fmt: skip
def test_a_job_that_no_rule_understands_is_told_where_there_is_no_model(ia, ws, words, understood):
    run = ia("task", "propose", words)
    assert run.returncode == 0 and ("ia cannot interpret this job" not in run.stderr) == understood, run.stderr


def test_many_runs_a_day_are_counted(ia, ws):
    assert "runs 288 times a day" in ia("task", "propose", "每5分钟看看 600519").stderr
    assert "runs 1440 times a day" in ia("task", "propose", "--cron", "* * * * *", "看看 600519").stderr
    assert "times a day" not in ia("task", "propose", "--cron", "*/5 * * * *", "--run", "ia usage").stderr


def test_zones_as_people_write_them(ia, ws):
    for told, zone in (("asia/shanghai", "Asia/Shanghai"), ("北京", "Asia/Shanghai"), ("UTC+8", "Asia/Shanghai"),
                       ("UTC-3", "Etc/GMT+3"), ("Tokyo", "Asia/Tokyo")):  # fmt: skip
        run = ia("task", "propose", "--cron", f"{len(told)} 9 * * *", "复盘", "--zone", told, "--json")
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout)["design"]["zone"] == zone


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("ia screen 'pe < 5' --symbols && ia send 'cheap'", True),
        ("ia screen 'pe < 5' --symbols | ia send -", True),
        ("ia ohlcv 300750 | ia compute 'close < 80' && ia send below", True),
        ("ia screen 'pe < 5' --symbols && ia send --changed cheap 'cheap'", False),
        ("ia ohlcv 300750 | ia compute 'close' | ia send -", False),
        ("ia sync daily && ia send 'synced'", False),
    ],
)
def test_a_message_that_repeats_while_its_condition_holds_is_told(ia, ws, run, said):
    words = ("task", "propose", "--name", "cheap", "--after-close", "5m", "--run", run)
    told = ia(*words).stderr
    assert ("ia send --changed cheap" in told.replace(run, "")) is said
    zh = ia("--lang", "zh", *words).stderr
    assert ("条件成立期间" in zh) is said
