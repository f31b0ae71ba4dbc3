"""Questions in a workspace with shares of three markets, a sold position, groups, notes, alerts and tasks."""

import shutil
from pathlib import Path

import pytest

from ia.agent import analyst
from ia.agent.turns.turn import take_turn
from questions.truth import bars, document, load_questions, problems, run, used_workspace

NOW = "2024-03-15T16:00:00+08:00"
FILES = ("lived_in.tsv", "own_things.tsv", "own_trades.tsv", "own_days.tsv", "loose_words.tsv", "steps.tsv")
SHARE = 24
"""`make test` asks one in so many questions of each file; `make soak` asks them all."""
GOES_ON = " || "
"""Between the questions of one session; the facts are those of the last one."""
pytestmark = pytest.mark.process
TRADES = (
    "buy 600036 1000 30 --date 2024-02-01 --because high-dividend",
    "buy 600519 100 700 --date 2024-02-05 --because wholesale-price",
    "sell 600036 300 31 --date 2024-03-04 --override --because trim",
    "buy 601318 500 40 --date 2024-01-10",
    "buy 601318 300 41 --date 2024-01-24",
    "sell 601318 800 42 --date 2024-02-20 --because target-reached",
    "buy 00700.HK 200 280 --date 2024-01-15",
    "buy AAPL 30 180 --date 2024-01-16",
    "buy 300750 200 150 --date 2024-01-22",
    "buy 300750 100 160 --date 2024-03-01",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A workspace that is lived in."""
    folder = tmp_path_factory.mktemp("lived-in")
    with pytest.MonkeyPatch.context() as patch, used_workspace(folder, "en", NOW, ("AAPL", "00700.HK")) as used:
        patch.setenv(
            "IA_CRONTAB",
            str(shutil.copy(Path(__file__).parent.parent / "support" / "fake_crontab", folder / "crontab")),
        )
        run("watch", "add", "002594", "--group", "ev")
        run("watch", "add", "300750", "--group", "batteries", "--because", "below 150")
        run("watch", "add", "600519", "000858", "--group", "liquor")
        for payment in ("500000", "20000 --currency USD", "200000 --currency HKD"):
            run("trade", "deposit", *payment.split(), "--date", "2024-01-02")
        for trade in TRADES:
            run("trade", *trade.split())
        run(
            "note",
            "research/moutai/2024-03-08",
            "Wholesale price firm. My target price for Moutai is 820, stop at 640.",
        )
        run("note", "research/catl/2024-02-28", "CATL: margins hold. Compare with BYD, whose exports rise.")
        for symbol, condition in (("600519", "close < 760"), ("300750", "close > 150")):
            run("alert", symbol, condition)
        for number in ("4", "5", "6"):
            run("task", "approve", number, "--yes")
        yield used
        for found in (bars, document):
            found.cache_clear()


def find_problems(home, question, facts):
    session, reply = "", ""
    for each in question.split(GOES_ON):
        turn = take_turn(home, each, session=session, model="ia-offline")
        session, reply = turn.session, turn.reply
    return problems(question, facts, reply)


@pytest.mark.parametrize("name", FILES)
def test_a_share_of_the_questions_of_a_lived_in_workspace_is_answered_rightly(home, name):
    asked = load_questions(name)
    assert len(asked) > 15
    wrong = [line for question, facts in asked[::SHARE] for line in find_problems(home, question, facts)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", FILES)
def test_all_questions_of_a_lived_in_workspace_are_answered_rightly(home, name):
    wrong = [line for question, facts in load_questions(name) for line in find_problems(home, question, facts)]
    assert not wrong, "\n".join(wrong)


SAMPLES = {
    "who": ("China Merchants Bank", "招商银行"), "whos": ("Moutai and CATL", "茅台、宁德时代"),
    "figure": ("P/E", "市盈率"), "time": ("this month", "这个月"), "times": ("in January and February", "1月和2月"),
    "number": ("300", "300"), "percent": ("5%", "5%"), "market": ("HK stocks", "港股"), "industry": ("banks", "银行"),
    "currency": ("USD", "美元"), "index": ("CSI 300", "沪深300"), "task": ("daily review", "每日复盘"),
    "into": ("CNY", "人民币"), "board": ("STAR", "创业板"), "holiday": ("Qingming", "清明"), "topn": ("three", "前三"),
    "report": ("annual report", "年报"), "term": ("ATR", "ATR"), "clock": ("15:00", "15:00"),
    "deal": ("biggest purchase", "最大的一笔买入"), "purse": ("USD", "美元"),
}  # fmt: skip
OTHERS = (
    {"figure": ("volume", "成交量")},
    {"figure": ("net profit", "净利润"), "time": ("in 2023", "2023年")},
    {"figure": ("RSI", "RSI"), "number": ("30", "30")},
    {"figure": ("close", "收盘价"), "time": ("yesterday", "昨天"), "number": ("20", "20")},
    {"who": ("Apple", "苹果"), "time": ("since Monday", "周一以来")},
    {"figure": ("MACD", "MACD"), "market": ("A shares", "A股"), "time": ("last month", "上个月")},
    {"term": ("STAR board", "科创板"), "time": ("today", "今天")},
    {"term": ("ST stocks", "ST股")},
)
"""Samples that fit what the first ones do not; each is tried with the others as they are."""
SHIPPED = Path(analyst.__file__).parent / "ask"


def known_questions(table, chinese):
    """Return the known questions of a table, each with the samples for what it leaves open."""
    rows = [line.split("\t") for line in (SHIPPED / table).read_text(encoding="utf-8").splitlines()]
    forms = [row[1 + chinese] for row in rows if len(row) == len(("ideas", "english", "chinese"))]
    filled = [{slot: said[chinese] for slot, said in (SAMPLES | other).items()} for other in ({}, *OTHERS)]
    return {form: list(dict.fromkeys(form.format_map(samples) for samples in filled)) for form in forms if form}


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("chinese", [False, True], ids=["en", "zh"])
@pytest.mark.parametrize("table", ["idea_questions.tsv", "own_questions.tsv"])
def test_rules_read_what_ideas_may_ask(home, table, chinese):
    def is_read(question):
        turn = take_turn(home, question, session="", model="ia-offline")
        return turn.understood and not turn.offers

    asked = known_questions(table, chinese)
    assert len(asked) > 100
    wrong = [form for form, questions in asked.items() if not any(map(is_read, questions))]
    assert not wrong, "\n".join(wrong)
