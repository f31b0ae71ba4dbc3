"""`ia event`: statuses, the prompt, the turn, and the ready tasks of the invest profile from end to end."""

import json

import pytest

from support.markets.hosts import Hosts, Market

DAY = "2024-06-14"


@pytest.fixture
def hosts(monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DAY}T15:00:30+08:00")
    monkeypatch.setenv("IA_LANG", "zh")
    with Hosts(Market(symbols=60, start="2024-05-06", days=29, events=0)) as server:
        server.use(monkeypatch)
        yield server


def test_without_a_market_it_is_66_and_says_what_to_type(ia, hosts):
    run = ia("event", "daily-review")
    assert (run.returncode, run.stdout) == (66, "") and "ia sync" in run.stderr


@pytest.mark.parametrize(("now", "told"), [("2024-06-15T16:00+08:00", "2024-06-15"), (f"{DAY}T14:59+08:00", "15:00")])
def test_without_a_close_nothing_is_done(ia, hosts, now, told):
    run = ia("event", "daily-review", env={"IA_NOW": now})
    assert (run.returncode, run.stdout) == (1, "") and told in run.stderr and "--force" in run.stderr
    assert not [url for url in hosts.asked if url]


def test_a_day(ia, hosts, home):
    assert ia("sync", "daily").returncode == 0
    assert ia("trade", "deposit", "100000", "--date", "2024-06-03").returncode == 0
    asked = len(hosts.asked)
    shown = ia("event", "daily-review", "--print")
    assert shown.stdout.startswith(f"【时间】{DAY} 15:00:30\n【事件】每日复盘\n【今日盈亏】")
    assert not (home / "notebook").exists() and ia("session", "list").returncode == 1
    told = json.loads(ia("event", "daily-review", "--print", "--json").stdout)
    assert (told["day"], told["stale"], told["event"]) == (DAY, False, "每日复盘")
    data = [line for line in told["prompt"].splitlines() if line not in shown.stdout.splitlines()]
    assert len(data) == 1 and data[0].startswith('【数值】{"day": '), "people see no line of data"
    done = json.loads(ia("event", "top-gainers", "-n", "20", "--json").stdout)
    assert done["session"] == "daily" and f"notebook/reports/gainers/{DAY}.md" in done["artifacts"]
    run = ia("event", "daily-review", "-s", "mine", "-m", "ia-offline")
    assert run.returncode == 0 and run.stdout.startswith(f"**每日复盘 {DAY} 15:00（北京时间）**")
    assert (home / f"notebook/reports/daily/{DAY}.md").is_file()
    assert {line.split("\t")[0] for line in ia("session", "list").stdout.splitlines()[1:]} == {"daily", "mine"}
    assert len(hosts.asked) == asked, "events read the store and ask nobody"
    english = ia("event", "daily-review", env={"IA_LANG": "en"})
    assert english.stdout.startswith(f"**Daily review, {DAY} 15:00 (China)**")
    assert "What to do" in english.stdout and ia("event", "daily-review", "-m", "nonsense").returncode == 69


def test_another_day_than_the_stored_one_is_reported(ia, hosts):
    ia("sync", "daily")
    run = ia("event", "daily-review", "--force", env={"IA_NOW": "2024-06-16T12:00+08:00"})
    assert run.returncode == 0 and f"> 行情只到 {DAY}" in run.stdout


def test_the_three_jobs_of_the_profile(ia, hosts, home, crontab):
    """Proposed, approved, due: each brings the market first, and its report is where it belongs."""
    approved = {"IA_NOW": f"{DAY}T09:00+08:00"}
    assert ia("init", env=approved).returncode == 0
    rows = json.loads(ia("pending", "--json", env=approved).stdout)
    assert [row["path"] for row in rows] == [
        f"tasks/{name}.md"
        for name in ("monthly-review", "weekly-review", "workday-gainers", "workday-review", "workday-sync")
    ]
    hosts.market.at(DAY, "09:00:00")
    for number in "345":
        run = ia("task", "approve", number, "--yes", env=approved)
        assert run.returncode == 0, run.stderr
    assert crontab.read_text().count("task due workday") == 3
    hosts.market.at(DAY)
    for name, moment, report in (
        ("workday-review", "15:00:05", f"daily/{DAY}.md"), ("workday-gainers", "15:05:05", f"gainers/{DAY}.md"),
        ("workday-sync", "16:30:05", f"sync/{DAY}.md"),
    ):  # fmt: skip
        run = ia("task", "due", name, env={"IA_NOW": f"{DAY}T{moment}+08:00"})
        assert run.returncode == 0, run.stderr
        assert (home / "notebook/reports" / report).is_file(), run.stderr
        (done,) = json.loads(ia("task", "history", name, "--json", env={"IA_NOW": f"{DAY}T17:00+08:00"}).stdout)
        assert done["state"] == "done" and done["report"] == f"notebook/reports/{report}", done
    review = (home / f"notebook/reports/daily/{DAY}.md").read_text(encoding="utf-8")
    assert f"每日复盘 {DAY}" in review and "行情只到" not in review, "today's figures, since they were brought first"
    assert hosts.count("clist") >= 1


def test_a_market_that_is_away_fails_the_run_and_reviews_nothing(ia, hosts, home):
    morning = {"IA_NOW": f"{DAY}T09:00+08:00"}
    ia("init", env=morning)
    ia("task", "approve", "4", "--yes", env=morning)
    hosts.fail("ban", "")
    run = ia("task", "due", "workday-review", env={"IA_NOW": f"{DAY}T15:00:05+08:00"})
    (row,) = json.loads(ia("task", "history", "workday-review", "--json").stdout)
    assert row["state"] != "done" and not (home / "notebook/reports/daily").exists(), (row, run.stderr)


def test_that_prices_are_simulated_is_reported_once(ia):
    env = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:00+08:00"}
    assert ia("sync", "daily", env=env).returncode == 0
    told = ia("event", "daily-review", env=env).stderr.splitlines()
    assert any("simulated" in line for line in told) and len(told) == len(set(told))
