"""Questions in a workspace with a synced market and a ledger, where the risk rules allow the purchase."""

import pytest

QUESTIONS = [
    "How is CATL doing?",
    "帮我看看宁德时代最近怎么样",
    "600519怎么样",
    "/compare 300750 002594",
    "对比宁德时代和比亚迪",
    "Buy 100 shares of CATL at 88",
    "我应该买多少股比亚迪",
    "扫描关注列表",
    "How is the market today?",
    "今天大盘怎么样",
    "How is AAPL doing?",
]


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    return tmp_path_factory.mktemp("lived") / "ia-home"


@pytest.fixture
def settings(monkeypatch, lived):
    monkeypatch.setenv("IA_HOME", str(lived))
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")


@pytest.fixture
def synced(settings, lived, ia):
    """A workspace after init, sync and a deposit."""
    if not (lived / "soul.md").exists():
        for words in (["init"], ["sync"], ["trade", "deposit", "1000000", "--date", "2024-01-02"]):
            done = ia(*words)
            assert done.returncode == 0, done.stderr
    return lived


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.share(2)
def test_a_question_is_answered(synced, ia, question):
    done = ia("turn", question)
    assert done.returncode == 0, done.stderr
    said = (done.stderr + done.stdout).replace("not checked: cash in USD is unknown", "")  # no dollars came in
    assert [
        mark for mark in ("internal error", "内部出错", "error in ia", "not checked", "没有核对") if mark in said
    ] == []


@pytest.mark.parametrize(
    ("question", "limits"),
    [
        ("招商银行能买吗", ["你的规则允许买入", "限 5%", "限 20%", "限 -8%"]),
        ("Should I buy 600036 now?", ["Your rules allow a purchase", "limit 5%", "limit 20%", "limit -8%"]),
    ],
)
def test_an_allowed_purchase_names_the_limits(synced, ia, question, limits):
    reply = ia("turn", question).stdout
    assert [limit for limit in limits if limit not in reply] == []


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "How is CATL doing?",
            "Against 2024-03-15: the evidence leans up now and had no clear direction then; what changed: ",
        ),
        ("帮我看看宁德时代", "与 2024-03-15 相比：结论由“方向不明”变为“偏多”；变了的证据："),
    ],
)
def test_a_later_look_is_compared_with_the_last_one(synced, ia, monkeypatch, question, told):
    assert ia("turn", question).returncode == 0
    monkeypatch.setenv("IA_NOW", "2024-03-20T16:00+08:00")
    assert ia("turn", question).returncode == 0
    [note] = (synced / "notebook" / "research").glob("*/2024-03-20*.md")
    assert told in note.read_text(encoding="utf-8")
