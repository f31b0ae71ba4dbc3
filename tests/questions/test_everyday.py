"""Everyday questions to the embedded analyst, in a workspace that is lived in; figures are computed here once more."""

import hashlib
from pathlib import Path

import pytest

from ia.agent.turns.turn import take_turn
from questions.paraphrases import SEED, paraphrase
from questions.truth import bars, document, load_questions, problems, run, used_workspace

NOW = "2024-03-15T16:00:00+08:00"
FILES = (
    "everyday.tsv", "exceptions.tsv", "reviewer.tsv", "prices.tsv", "scans.tsv", "days.tsv", "figures.tsv", "portfolio.tsv",
    "jobs.tsv", "silent.tsv", "market.tsv", "evening.tsv", "owner.tsv", "daily_talk.tsv", "screens.tsv",
    "plain_words.tsv", "settings.tsv",
    "talk_zh.tsv", "spoken.tsv", "abroad.tsv", "weekly_talk.tsv", "conditions.tsv", "owner_lists.tsv",
)  # fmt: skip
SHARE = 40
"""`make test` asks one in so many questions of each file; `make soak` asks them all."""
SAMPLE = 8
"""Paraphrases that `make test` asks; `make soak` asks two of every question."""
pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A workspace with a synced market, a watch list, trades and a note."""
    with used_workspace(tmp_path_factory.mktemp("everyday"), "zh", NOW, ("600519", "300750", "002594")) as used:
        run("trade", "deposit", "500000", "--date", "2024-01-02")
        run("trade", "buy", "600036", "1000", "30", "--date", "2024-02-01", "--because", "低估值+高股息")
        run("trade", "buy", "600519", "100", "700", "--date", "2024-02-05")
        sale = ("trade", "sell", "600036", "300", "31", "--date", "2024-03-04")
        run(*sale, "--override", "--because", "减仓")
        run("note", "research/贵州茅台/2024-03-08", "批价企稳，渠道库存下降")
        yield used
        for found in (bars, document):
            found.cache_clear()


def find_problems(ws, question, facts):
    return problems(question, facts, take_turn(ws, question, model="ia-offline").reply)


@pytest.mark.parametrize("name", FILES)
def test_a_share_of_the_everyday_questions_is_answered_rightly(home, name):
    """Every fortieth question of each file, so that no kind is left out; the others are asked by `make soak`."""
    asked = load_questions(name)
    assert len(asked) > 10
    wrong = [line for question, facts in asked[::SHARE] for line in find_problems(home, question, facts)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", FILES)
def test_all_everyday_questions_are_answered_rightly(home, name):
    wrong = [line for question, facts in load_questions(name) for line in find_problems(home, question, facts)]
    assert not wrong, "\n".join(wrong)


def paraphrases():
    """Return two paraphrases of each question with its facts."""
    asked = [line for name in FILES for line in load_questions(name)]
    return [(text, facts) for question, facts in asked for text in paraphrase(question, 2)]


def test_a_sample_of_paraphrases_is_answered_alike(home):
    """The sample is chosen by each question itself, so that a new row changes one of them at most."""
    asked = sorted(paraphrases(), key=lambda line: hashlib.sha256(f"{SEED} {line[0]}".encode()).digest())[:SAMPLE]
    wrong = [line for question, facts in asked for line in find_problems(home, question, facts)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_all_paraphrases_are_answered_alike(home):
    asked = paraphrases()
    assert len(asked) > 360
    wrong = [line for question, facts in asked for line in find_problems(home, question, facts)]
    assert not wrong, "\n".join(wrong)


def test_paraphrases_are_many_and_the_same_each_time():
    asked = paraphrases()
    assert asked == paraphrases()
    assert len({text for text, _ in asked}) > 360


NO_WISHES = (
    "怎么把比亚迪加入自选", "请问怎么把五粮液加入自选", "五粮液什么时候加到自选的", "五粮液加进自选了没", "是谁把五粮液加到自选的",
    "有没有必要把五粮液加入自选", "怎么从自选里移除宁德时代", "每天复盘是几点运行", "我每天几点收到复盘", "周报是周几发",
    "每周几发周报", "怎么取消每日复盘", "怎么设置茅台跌破700的提醒", "我是什么时候批准每日看自选股任务的", "How do I set up a daily review?",
)  # fmt: skip
"""Questions about how or when something is done, or was."""


def test_questions_how_or_when_something_is_done_change_no_file(home):
    def files():
        kept = (path for name in ("memory", "tasks", "notebook") for path in Path(home.root, name).rglob("*.md"))
        return {path: path.read_bytes() for path in kept if path.name != "MEMORY.md"}

    before, waiting = files(), run("pending", "--json")
    for question in NO_WISHES:
        take_turn(home, question, model="ia-offline")
        assert files() == before, question
    assert run("pending", "--json") == waiting


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.soak)])
def test_wishes_are_understood_or_asked_back(home, every):
    """The last test: wishes change the watch list."""
    asked = load_questions("wishes.tsv")[::every]
    wrong = [line for question, facts in asked for line in find_problems(home, question, facts)]
    assert not wrong, "\n".join(wrong)
