"""`ia news`: the simulated items, providers of other people, and what goes wrong."""

import json

import pytest

NOW = "2024-03-15T16:30+08:00"


@pytest.fixture
def market(monkeypatch, ia):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", NOW)
    assert ia("init", "--yes").returncode == 0


def rows(done):
    return json.loads(done.stdout)


@pytest.fixture
def wire(home, ia, tmp_path):
    """Put a provider `wire` in the place of the shipped one; its answer is the JSON in a file."""

    def put(value, status=0):
        assert ia("provider", "remove", "news").returncode in (0, 66)
        folder = home / ".claude" / "providers" / "wire"
        folder.mkdir(parents=True, exist_ok=True)
        (tmp_path / "answer.json").write_text(value if isinstance(value, str) else json.dumps(value))
        (folder / "PROVIDER.md").write_text(
            f"---\nname: wire\ndescription: x\ncommand: [/bin/sh, -c, 'cat {tmp_path}/answer.json; exit {status}']\n"
            "tools:\n  - name: news.items\n    description: x\n    parameters: {type: object, properties: {symbol:"
            " {type: string}}}\n---\n"
        )

    return put


def test_simulated_items_say_so_and_are_seen_from_their_time_on(ia, market):
    done = ia("news", "600519", "宁德时代", "--json", "-n", "50")
    assert done.returncode == 0 and "simulated news: demo invented" in done.stderr
    told = rows(done)
    assert {row["symbol"] for row in told} == {"600519.SH", "300750.SZ"}
    assert all("(simulated)" in row["title"] and row["simulated"] and row["time"].endswith("+08:00") for row in told)
    assert [row["known"] for row in told] == sorted((row["known"] for row in told), reverse=True)
    assert max(row["time"] for row in told) <= "2024-03-15T16:30"
    assert rows(ia("news", "600519", "300750", "--json", "-n", "50")) == told
    earlier = rows(ia("--now", "2024-01-20", "news", "600519", "300750", "--json", "-n", "99"))
    assert max(row["time"] for row in earlier) <= "2024-01-20T23:59:59"
    assert {row["id"] for row in told if row["time"] < "2024-01-20"} <= {row["id"] for row in earlier}


def test_choices(ia, market):
    since = rows(ia("news", "300750", "--since", "2024-03-01", "--json"))
    assert since and all(row["time"] >= "2024-03-01" for row in since)
    assert {row["kind"] for row in rows(ia("news", "300750", "--kind", "news", "--json"))} == {"news"}
    assert len(ia("news", "300750", "-n", "2", "--jsonl").stdout.splitlines()) == 2
    assert ia("news", "300750", "--since", "tomorrow").returncode == 2
    assert ia("news").returncode == 2
    assert ia("news", "600519", "--universe", "watch").returncode == 2
    assert ia("news", "--universe", "held").returncode == 66
    assert ia("memory", "track", "300750").returncode == 0
    assert {row["symbol"] for row in rows(ia("news", "--universe", "watch", "--json"))} == {"300750.SZ"}


def test_what_no_source_covers_is_said(ia, market):
    done = ia("news", "SPY")
    assert (done.returncode, done.stdout) == (66, "") and "SPY.US: no source of news" in done.stderr
    both = ia("news", "SPY", "600519", "--json")
    assert both.returncode == 0 and rows(both) and "SPY.US: no source of news" in both.stderr


def test_without_its_provider_what_is_stored_stays_readable(ia, market):
    before = rows(ia("news", "600519", "--json"))
    assert ia("provider", "remove", "news").returncode == 0
    after = ia("--now", "2024-03-16T16:30+08:00", "news", "600519", "--json")
    assert after.returncode == 0 and rows(after) == before and "no provider of news" in after.stderr
    none = ia("news", "000001")
    assert none.returncode == 66 and "`ia init` brings one" in none.stderr


def test_a_provider_of_somebody_else(ia, market, wire):
    good = {"id": "1", "kind": "announcement", "time": "2024-03-15T09:00:00+08:00", "title": "A\nB https://x.example"}
    ahead = {**good, "id": "2", "time": "2100-01-01T00:00:00+08:00"}
    wire({"source": "wire", "items": [good, ahead, 5]})
    done = ia("news", "AAPL", "--json")
    assert done.returncode == 0
    (told,) = rows(done)
    assert (told["title"], told["source"], told["simulated"]) == ("A B https[:]//x[.]example", "wire", False)
    assert "skipped 1 item dated in the future" in done.stderr and "skipped 1 malformed item" in done.stderr


@pytest.mark.parametrize(("answer", "status", "expected"), [
    ("[]", 0, 65), ("not json", 0, 65), ('{"items": [1, 2, 3, 4, 5]}', 0, 65), ("", 75, 75), ("", 69, 69), ("", 3, 69),
])  # fmt: skip
def test_failures_keep_their_class(ia, market, wire, answer, status, expected):
    wire(answer, status)
    done = ia("news", "600519")
    assert (done.returncode, done.stdout) == (expected, "")
    assert done.stderr.count("\n") <= 2 and "wire" in done.stderr and "Traceback" not in done.stderr


def test_a_model_reads_titles_between_marks_and_is_tainted(ws, market):
    from ia.agent.tools.builtin.company_news import list_news
    from ia.agent.tools.gate import RULES
    from ia.agent.tools.scope import Scope

    model = Scope(ws, actor="model x")
    told = list_news(model, ["300750"], limit=3)
    assert model.origins == ["news"] and len(told["items"]) == 3
    assert all(each["text"].startswith("<<data ") and "title" not in each for each in told["items"])
    rules = Scope(ws, actor=RULES)
    assert all("(simulated)" in each["title"] for each in list_news(rules, ["300750"])["items"]) and rules.tainted
