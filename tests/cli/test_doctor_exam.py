"""`ia doctor --model`: the price before anything is asked, consent, the score, and what a cap leaves of it."""

import json

import pytest

from support.exam_recordings import load_recording, replay
from support.servers.openai import Reply
from support.terminal import on_terminal


@pytest.fixture(autouse=True)
def isolation(monkeypatch):
    monkeypatch.setenv("IA_COMPUTE_ISOLATION", "prefer")


def test_without_a_terminal_the_price_is_told_and_nothing_is_asked(ia, brain):
    server = brain(always=Reply("42"))
    done = ia("doctor", "--model", "scripted")
    assert (done.returncode, done.stdout, server.requests) == (77, "", [])
    assert "60 questions" in done.stderr and "estimated price: " in done.stderr and "USD" in done.stderr
    assert "turn.max_cost leaves 1 USD" in done.stderr and "IA_TURN_MAX_COST=" in done.stderr
    assert "approval needs a terminal" in done.stderr
    assert json.loads(ia("usage", "--json").stdout)["rows"] == []


def test_at_a_terminal_the_owner_is_asked(brain):
    server = brain(always=Reply("42"))
    shown = on_terminal("doctor", "--model", "scripted", columns=200)
    assert "Ask scripted 60 questions? [y/N]" in shown and "the exam was not started" in shown
    assert server.requests == []


@pytest.mark.soak
def test_a_model_without_a_price_says_so(ia, brain, monkeypatch):
    brain(always=Reply("42"))
    monkeypatch.delenv("IA_PRICES_SCRIPTED_INPUT")
    monkeypatch.delenv("IA_PRICES_SCRIPTED_OUTPUT")
    done = ia("doctor", "-m", "scripted")
    assert done.returncode == 77 and "the price of scripted is unknown" in done.stderr
    assert "prices.scripted.input" in done.stderr and "turn.max_tokens leaves 500000 tokens" in done.stderr


@pytest.mark.soak
def test_a_cap_ends_the_exam_with_a_partial_score(ia, brain, monkeypatch):
    monkeypatch.setenv("IA_TURN_MAX_TOKENS", "36000")
    brain(always=Reply("贵州茅台收于 800.95 元。", usage=(9000, 100)))
    done = ia("doctor", "--model", "scripted", "--yes")
    assert done.returncode == 77 and "partial score: 57 questions were not asked" in done.stderr
    assert "turn.max_tokens" in done.stderr
    groups, failed = done.stdout.split("\n\n")
    assert groups.splitlines() == ["group\tright\tasked", "prices\t1\t3", "all\t1\t3"]
    assert failed.splitlines()[1].split("\t") == ["change-of-a-day", "-3.0104%", "贵州茅台收于 800.95 元。"]
    [row] = json.loads(ia("usage", "--by", "model", "--json").stdout)["rows"]
    assert (row["model"], row["calls"], row["input_tokens"]) == ("scripted", 3, 27_000)


@pytest.mark.soak
def test_json_holds_what_was_asked_before_a_cap_ended_it(ia, brain, monkeypatch):
    """Of the model of the settings; `make soak` asks it all sixty, and reads the table."""
    monkeypatch.setenv("IA_TURN_MAX_TOKENS", "36000")
    brain(always=Reply("贵州茅台收于 800.95 元。", usage=(9000, 100)))
    done = ia("doctor", "--model", "--yes", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 77 and (told["model"], told["complete"]) == ("scripted", False)
    assert (told["right"], told["asked"], told["total"]) == (1, 3, 60) and told["stopped"]
    first = told["questions"][0]
    assert first["expected"] == ["800.95"] and first["problems"] == []
    assert told["usage"]["calls"] == sum(each["usage"]["calls"] for each in told["questions"]) == 3


@pytest.mark.soak
def test_the_setting_model_is_asked_and_json_holds_all(ia, brain, monkeypatch):
    monkeypatch.setenv("IA_TURN_MAX_TOKENS", "60000")
    brain(always=replay(load_recording("perfect")))
    done = ia("doctor", "--model", "--yes", "--json", timeout=280)
    told = json.loads(done.stdout)
    assert (told["model"], told["right"], told["asked"], told["total"], told["complete"]) == (
        "scripted",
        60,
        60,
        60,
        True,
    )
    assert done.returncode == 0 and told["stopped"] is None
    first = told["questions"][0]
    assert first["calls"][0]["name"] == "market.ohlcv" and first["expected"] == ["800.95"] and first["problems"] == []
    assert told["usage"]["calls"] == sum(each["usage"]["calls"] for each in told["questions"]) > 100


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_the_embedded_analyst_is_tested_for_nothing(ia):
    """Sixty turns; five of them are in tests/unit/reach/exam/test_sitting.py."""
    done = ia("doctor", "--model", "ia-offline", "--json", timeout=280)
    told = json.loads(done.stdout)
    assert done.returncode == 1 and "ia-offline costs nothing" in done.stderr
    assert told["total"] == 60 and told["complete"] and 30 <= told["right"] < 60
    assert told["usage"]["cost"] == told["estimate"]["cost"] == 0


@pytest.mark.parametrize("words", [("--yes",), ("--mend", "--model", "x")])
def test_words_that_do_not_go_together_are_refused(ia, words):
    assert ia("doctor", *words).returncode == 2


def test_a_model_that_there_is_not_is_told_at_once(ia, brain):
    brain()
    assert ia("doctor", "--model", "nobody", "--yes").returncode == 69
