"""`ia calendar` and `ia sync calendar`: the simulated dates, what was known when, and what no source covers."""

import json

import pytest


@pytest.fixture
def market(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:30+08:00")


def rows(done):
    return json.loads(done.stdout)


def test_dates_say_that_they_are_simulated(ia, market):
    done = ia("calendar", "600519", "宁德时代", "--json")
    assert done.returncode == 0 and "simulated dates: demo invented" in done.stderr
    told = rows(done)
    assert [(row["date"], row["symbol"], row["kind"], row["status"]) for row in told] == [
        ("2024-03-17", "600519.SH", "report", "expected"), ("2024-03-28", "300750.SZ", "report", "expected"),
        ("2024-04-04", "CN", "closed", None),
    ]  # fmt: skip
    assert told[0]["text"] == "annual report 2023, expected" and told[0]["fetched"]
    assert told[2]["until"] == "2024-04-05" and not told[2]["simulated"]
    lines = ia("calendar", "600519", "宁德时代").stdout.splitlines()
    assert lines[0].split("\t") == ["date", "symbol", "name", "kind", "text", "source", "fetched"]


def test_an_ex_date_is_seen_only_after_its_announcement(ia, market):
    span = ("calendar", "600519", "--kind", "ex-dividend", "--json", "--since", "2024-01-01", "--until", "2024-12-31")
    assert ia(*span).returncode == 1
    later = rows(ia("--now", "2024-12-31T16:00+08:00", *span))
    [day] = [row["date"] for row in later]
    known = later[0]["known"]
    assert known[:10] < day and later[0]["currency"] == "CNY"
    assert ia("--now", known, *span).returncode == 0
    assert ia("--now", known.replace(known[11:19], "15:59:58"), *span).returncode == 1


def test_a_published_report_stands_on_its_day(ia, market):
    assert ia("sync").returncode == 0
    told = rows(ia("--now", "2024-04-30T16:00+08:00", "calendar", "600519", "--since", "2024-03-01", "--json"))
    reports = [(row["date"], row["period"], row["status"]) for row in told if row["kind"] == "report"]
    assert reports[0] == ("2024-03-17", "2023-12-31", "unconfirmed"), "the store ends before it"
    assert ia("--now", "2024-04-30T16:00+08:00", "sync", "fundamentals").returncode == 0
    told = rows(ia("--now", "2024-04-30T16:00+08:00", "calendar", "600519", "--since", "2024-03-01", "--json"))
    reports = [(row["date"], row["period"], row["status"]) for row in told if row["kind"] == "report"]
    assert reports[0] == ("2024-03-17", "2023-12-31", "published")
    assert len(reports) == len({period for _, period, _ in reports})


def test_what_no_source_covers_is_named(ia, market):
    done = ia("calendar", "SPY", "02800.HK", "600519", "--days", "10", "--json")
    assert done.returncode == 0 and "no source of coming dates for SPY.US, 02800.HK" in done.stderr
    none = ia("calendar", "SPY", "--days", "3")
    assert none.returncode == 1 and "no dates known from 2024-03-15 to 2024-03-18" in none.stderr
    assert {row["symbol"] for row in rows(ia("calendar", "SPY", "--days", "100", "--json"))} == {"CN", "US"}


def test_the_default_is_what_is_held_and_watched(ia, market):
    empty = ia("calendar", "--days", "3")
    assert empty.returncode == 1 and "nothing is held or watched" in empty.stderr
    assert ia("watch", "add", "600036").returncode == 0
    assert [row["symbol"] for row in rows(ia("calendar", "--days", "10", "--json"))] == ["600036.SH"]
    synced = ia("sync", "calendar", "--json")
    [job] = json.loads(synced.stdout)["jobs"]
    assert (job["job"], job["day"]) == ("calendar", "2024-03-20")
    assert [row["symbol"] for row in rows(ia("calendar", "--stored", "--days", "10", "--json"))] == ["600036.SH"]


def test_closed_days_are_told_as_far_as_they_were_known(ia, market):
    done = ia("calendar", "600519", "--until", "2025-03", "--kind", "closed", "--json")
    assert {row["date"][:4] for row in rows(done)} == {"2024"}
    assert "CN: closed days after 2024-12-31 are not known yet" in done.stderr
    abroad = rows(ia("calendar", "AAPL", "--since", "2025-01-01", "--until", "2025-01-31", "--json"))
    assert [row["date"] for row in abroad] == ["2025-01-01", "2025-01-20"], "a day of mourning is known on the day"


@pytest.mark.parametrize("words", [
    ("--days", "5", "--until", "2024-05-01"), ("--since", "2024-05-01", "--until", "2024-04-01"), ("--until", "soon"),
    ("--refresh", "--stored"), ("600519", "--universe", "watch"),
])  # fmt: skip
def test_wrong_words(ia, market, words):
    assert ia("calendar", *words).returncode == 2


def test_the_tool_tells_the_same(ws, market):
    from ia.agent.tools.builtin.company_calendar import list_dates
    from ia.agent.tools.scope import Scope

    told = list_dates(Scope(ws, actor="model x"), ["600519", "SPY"], days=30)
    assert [row["date"] for row in told["dates"] if row["symbol"] == "600519.SH"] == ["2024-03-17"]
    assert told["simulated"] and [row["symbol"] for row in told["missing"]] == ["SPY.US"]
    assert all("label" not in row for row in told["dates"])
