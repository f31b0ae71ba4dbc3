"""What a reply rests on, its sources of the web, and sentences without one."""

import sys
from pathlib import Path

import pytest

from ia.agent.tools.scope import CitedPassage, Scope, ToolCall
from ia.agent.turns.basis import find_basis
from ia.agent.turns.citations import check_citations, find_unsourced
from ia.faculties import profiles
from ia.faculties.web_sources import WebSource
from support.scripted_model import MODEL, Said, scripted

WEB = [
    CitedPassage("W1", "The duty was halved to 0.05 per cent; turnover rose 37.4 per cent."),
    CitedPassage("Rules, p. 3", "Never risk more than 2 per cent; 612 trades show it."),
]
SERVER = Path(__file__).parents[3] / "support" / "servers" / "web_search.py"


def test_levels_in_the_order_of_trust(ws):
    scope = Scope(ws, passages=list(WEB), sources=[WebSource("https://a.example.com", "A", "2024-01-01", "")])
    assert find_basis(scope, "Hello.").levels == ["model"]
    assert find_basis(scope, "It was halved [W1].").levels == ["research"]
    scope.ruled.append("research")
    scope.calls.append(ToolCall("market.ohlcv", {}, True, 1))
    found = find_basis(scope, "Never more than 2 per cent [Rules, p. 3], and it was halved [w1].")
    assert found.levels == ["rules", "knowledge", "research", "data"]
    assert found.sources == [
        {"citation": "W1", "title": "A", "published": "2024-01-01", "url": "https://a.example.com"}
    ]


@pytest.mark.parametrize(
    ("reply", "count"),
    [
        ("Turnover rose 37.4 per cent.", 1),
        ("Turnover rose 37.4 per cent [W1].", 0),
        ("Turnover rose 37.4 per cent. [W1]", 0),
        ("It fell. Turnover rose 37.4 per cent, they say. More follows [W1].", 1),
        ("I know nothing of 12.3 per cent.", 0),
        ("612 trades show it.", 0),
    ],
)
def test_figures_of_the_web_need_a_source(reply, count):
    assert len(find_unsourced(reply, WEB, ["what about duty?"])) == count
    assert not find_unsourced(reply, WEB, ["RSI 37.4"])


def test_citations_of_the_web_are_checked():
    def marks(reply):
        return [str(each) for each in check_citations(reply, WEB)]

    assert not marks("Turnover rose 37.4 per cent [W1].")
    assert "[W7] is not among" in marks("Turnover rose 37.4 per cent [W7].")[0]
    assert "39.4 does not stand" in marks("Turnover rose 39.4 per cent [W1].")[0]
    assert not marks("Duty 0.05, at most 2 per cent [W1, Rules, p. 3]"), "several in one bracket"


@pytest.fixture
def web(home, monkeypatch):
    monkeypatch.setenv("IA_WEB_SERVER", f"{sys.executable} {SERVER}")
    monkeypatch.setenv("IA_WEB_SEARCH", "find query=q")
    folder = home / ".claude" / "providers" / "web"
    folder.mkdir(parents=True)
    text = Path(profiles.shipped_folder(), "invest/.claude/providers/web/PROVIDER.en.md").read_text(encoding="utf-8")
    (folder / "PROVIDER.md").write_text(text, encoding="utf-8")


def take(ws, reply, question="what is kelly sizing?"):
    from ia.agent.turns.turn import take_turn

    def answer(asked):
        return Said(reply) if asked.results else Said(calls=[("web_search", {"query": "kelly sizing"})])

    with scripted(answer):
        return take_turn(ws, question, model=MODEL)


def test_a_turn_names_its_sources_and_what_it_rests_on(ws, web):
    done = take(ws, "Bet the edge divided by the odds [W1].")
    assert "[W1] Kelly sizing explained, 2024-03-01, https://quant.example.com/kelly" in done.reply
    assert done.reply.rstrip().endswith("[Rests on: research on the web]")
    document = done.as_document()
    assert document["basis"] == ["research"] and [each["citation"] for each in document["sources"]] == ["W1"]


def test_a_turn_that_searched_and_cites_nothing_says_so(ws, web):
    done = take(ws, "The rate is 4.2 per cent.")
    assert "no source of it is cited" in done.reply and "No source behind" in done.reply
    assert done.as_document()["basis"] == ["model"]


def test_small_talk_rests_on_the_model_without_a_remark(ws):
    from ia.agent.turns.turn import take_turn

    with scripted(lambda _: Said("Hello!")):
        done = take_turn(ws, "hi", model=MODEL)
    assert done.reply.strip() == "Hello!" and done.basis == ["model"]
