"""ia memory, from the outside."""

import json

import pytest


def test_each_kind_goes_to_its_file(ia, home):
    now = {"IA_NOW": "2024-03-15T14:30"}
    assert ia("memory", "log", "RSI 降至 28", env=now).stdout == "memory/journal/2024-03-15.md\n"
    assert ia("memory", "track", "600519", "等估值", env=now).stdout == "memory/tracking.md\n"
    assert (
        ia("memory", "observe", "白酒", input="批价企稳", env=now).stdout == "memory/observations/2024-03-15-白酒.md\n"
    )
    assert ia("memory", "reflect", "追高两次", "--period", "W11", env=now).stdout == "memory/reflections/2024-W11.md\n"
    run = ia("memory", "believe", "周期股要等催化剂", "--because", "三次买早了", env=now)
    assert run.stdout == "memory/reflections/2024-03.md\nmemory/beliefs.md\n"
    assert ia("memory", "read", "tracking", env=now).stdout == (
        "# Tracking\n\n- 600519.SH Kweichow Moutai: 等估值 (2024-03-15)\n"
    )
    assert ia("memory", "track", "600519", "--remove", env=now).returncode == 0
    assert "600519" not in (home / "memory/tracking.md").read_text()
    paths = [row["path"] for row in json.loads(ia("memory", "list", "--json").stdout)]
    assert "memory/journal/2024-03-15.md" in paths and paths == sorted(paths)
    assert "memory/journal/2024-03-15.md" in ia("memory", "read").stdout
    assert ia("memory", "read", "tracking", env={"IA_NOW": "2024-03-14"}).returncode == 66


def test_a_preference_is_a_proposal(ia, home):
    run = ia("memory", "prefer", "先给结论")
    assert run.returncode == 0 and run.stdout == "1\n" and "ia approve 1" in run.stderr
    assert json.loads(ia("memory", "write", "preferences", "x", "--json").stdout) == {
        "proposal": 2, "path": "memory/preferences.md",
    }  # fmt: skip
    assert ia("memory", "write", "soul.md", "x").stdout == "3\n"
    assert not (home / "memory/preferences.md").exists() and not (home / "soul.md").exists()


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (("believe", "x"), 2),
        (("believe", "x", "--because", " "), 2),
        (("believe", "x", "--because", "y", "--replaces", "z"), 66),
        (("write", "beliefs", "x"), 2),
        (("write", "../soul.md", "x"), 77),
        (("write", "MEMORY.md", "x"), 77),
        (("write", "x"), 77),
        (("write", "observations/x"), 65),
        (("read", "nothing"), 66),
        (("track", "x", "--remove"), 66),
        (("track", "x", "y", "--remove"), 2),
        (("reflect", "x", "--period", "../y"), 2),
        (("undo",), 66),
        (("undo", "tracking"), 66),
        (("history",), 1),
        (("list",), 1),
    ],
)
def test_statuses(ia, argv, status):
    run = ia("memory", *argv, input="")
    assert run.returncode == status, run.stderr


def test_history_and_undo(ia, home):
    for text in ("one", "two", "three"):
        ia("memory", "write", "observations/x", text)
    rows = json.loads(ia("memory", "history", "observations/x", "--json").stdout)
    assert [row["change"] for row in rows] == ["changed", "changed", "made"]
    for text in ("two\n", "one\n"):
        assert ia("memory", "undo", "observations/x").stdout == "memory/observations/x.md\n"
        assert (home / "memory/observations/x.md").read_text() == text
    assert ia("memory", "undo").returncode == 0
    assert ia("memory", "read", "observations/x").returncode == 66


def test_the_past_does_not_wipe_today(ia, home):
    ia("memory", "track", "储能")
    ia("memory", "believe", "today", "--because", "x")
    ia("note", "a", "today")
    past = {"IA_NOW": "2024-01-01"}
    for argv in (
        ("memory", "track", "Z"),
        ("memory", "believe", "Z", "--because", "y"),
        ("note", "write", "a", "Z"),
        ("note", "append", "a", "Z"),
    ):
        run = ia(*argv, env=past)
        assert run.returncode == 77 and run.stdout == "" and "after --now" in run.stderr and "hint: " in run.stderr
    assert "储能" in (home / "memory/tracking.md").read_text() and (home / "notebook/a.md").read_text() == "today\n"
    assert not (home / "memory/reflections/2024-01.md").exists()
    assert ia("note", "b", "Z", env=past).stderr == ""
    assert "notebook/b.md" in (home / "memory/MEMORY.md").read_text()
    for text in ("one", "two"):
        assert ia("memory", "log", text, env=past).returncode == 0
        assert text in ia("memory", "read", "journal/2024-01-01", env=past).stdout


def test_a_security_stands_there_once(ia):
    for name in ("600519", "贵州茅台", "sh600519"):
        assert ia("memory", "track", name).returncode == 0
    assert ia("memory", "read", "tracking").stdout.count("- ") == 1
    assert ia("memory", "track", "茅台", "--remove").returncode == 0
    assert "600519" not in ia("memory", "read", "tracking").stdout


def test_every_write_tells_its_paths_as_json(ia):
    for argv in (
        ("write", "observations/x", "y"),
        ("track", "储能"),
        ("observe", "x", "y"),
        ("reflect", "x"),
        ("log", "x"),
        ("believe", "x", "--because", "y"),
        ("undo", "tracking"),
    ):
        run = ia("memory", *argv, "--json")
        assert run.returncode == 0 and all(p.startswith("memory/") for p in json.loads(run.stdout)["paths"]), argv


def test_people_read_the_offset_of_now_and_programs_utc(ia, home):
    now = {"IA_NOW": "2024-03-15T16:00+08:00", "TZ": "UTC"}
    ia("note", "a", "x", env=now)
    ia("memory", "believe", "x", "--because", "y", env=now)
    (home / "memory/MEMORY.md").unlink()
    ia("note", "b", "x", env=now)
    times = [line[2:18] for line in (home / "memory/MEMORY.md").read_text().splitlines() if line.startswith("- ")]
    assert times == ["2024-03-15 16:00"] * 4
    for argv in (("memory", "history"), ("memory", "list"), ("note", "list")):
        times = {row["time"] for row in json.loads(ia(*argv, "--json", env=now).stdout) if "MEMORY" not in row["path"]}
        assert times == {"2024-03-15T08:00:00.000Z"}
        assert "\t2024-03-15 16:00" in ia(*argv, env=now).stdout


def test_a_name_and_several_securities_are_tracked_and_none_becomes_a_reason(ia, home):
    def listed():
        return [line for line in (home / "memory/tracking.md").read_text().splitlines() if line.startswith("- ")]

    env = {"IA_NOW": "2024-03-15T16:00+08:00"}
    assert ia("memory", "track", "CATL", env=env).returncode == 0
    assert ia("memory", "track", "600519", "002594", "AAPL", "wait for 20 PE", env=env).returncode == 0
    assert ia("memory", "track", "601398,600036", env=env).returncode == 0
    assert listed() == [
        "- 300750.SZ CATL (2024-03-15)",
        *(f"- {name}: wait for 20 PE (2024-03-15)" for name in ("600519.SH Kweichow Moutai", "002594.SZ BYD", "AAPL.US Apple")),
        "- 601398.SH ICBC (2024-03-15)", "- 600036.SH China Merchants Bank (2024-03-15)",
    ]  # fmt: skip
    for words in (("储能", "300750"), ("300750", "two", "words"), ("NDSD",), ("300750", "等", "600519")):
        run = ia("memory", "track", *words, env={**env, "IA_LANG": "en"})
        assert run.returncode == 2 and run.stderr.startswith("ia: ") and len(listed()) == 6
    assert ia("memory", "track", "600519", "002594", "AAPL", "--remove", env=env).returncode == 0
    assert len(listed()) == 3


def test_a_belief_with_a_date_is_read_listed_settled_and_judged(ia, home):
    then = {"IA_NOW": "2024-03-15T16:30+08:00", "IA_MARKET_ADAPTER": "demo"}
    late = {"IA_NOW": "2024-07-02T16:30+08:00", "IA_MARKET_ADAPTER": "demo"}
    run = ia("memory", "believe", "I think CATL will be above 20000 by June", "--because", "orders", env=then)
    assert run.returncode == 0 and "due 2024-06-30; prices decide: 300750.SZ >= 20000" in run.stderr
    run = ia("memory", "believe", "Rates fall", "--because", "inflation", "--by", "2024-06-28", env=then)
    assert run.returncode == 0 and run.stderr == ""
    ia("memory", "believe", "Cash flow counts", "--because", "ten years", env=then)
    assert (home / "memory/beliefs.md").read_text().splitlines()[2:] == [
        "- I think CATL will be above 20000 by June (2024-03-15, by 2024-06-30: 300750.SZ >= 20000)",
        "- Rates fall (2024-03-15, by 2024-06-28)",
        "- Cash flow counts",
    ]
    assert ia("memory", "beliefs", "--due", env=then).returncode == 1
    told = json.loads(ia("memory", "beliefs", "--json", env=late).stdout)
    assert [row["state"] for row in told["beliefs"]] == ["wrong", "due", "undated"]
    assert told["score"] == {"right": 0, "wrong": 1, "open": 0, "due": 1, "undated": 1}
    assert (told["beliefs"][0]["close_date"], told["beliefs"][0]["by"]) == ("2024-06-28", "market")
    run = ia("memory", "beliefs", env=late)
    assert "score: 0 right, 1 wrong, 0 open, 1 for you to decide, 1 undated" in run.stderr
    assert ia("memory", "judge", "Rates", "right", env=late).returncode == 0
    told = json.loads(ia("memory", "beliefs", "Rates", "--json", env=late).stdout)
    assert [row["state"] for row in told["beliefs"]] == ["right"] and told["score"]["right"] == 1
    context = ia("context", "hello", env=late).stdout
    assert "(score: 1 right, 1 wrong, 0 open, 0 due)" in context


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--test", "300750 > 5"), 2),
        (("--by", "2024-06-28", "--on", "2024-06-28"), 2),
        (("--by", "2024-01-01"), 2),
        (("--by", "2024-06-28", "--test", "nonsense"), 65),
        (("--by", "2024-06-28", "--test", "nosuchcompany up"), 66),
    ],
)
def test_dates_of_beliefs_that_are_none(ia, home, options, status):
    run = ia("memory", "believe", "x", "--because", "y", *options, env={"IA_NOW": "2024-03-15T16:30+08:00"})
    assert (run.returncode, run.stdout) == (status, "") and run.stderr.startswith("ia: ")
    assert not (home / "memory/beliefs.md").exists()
