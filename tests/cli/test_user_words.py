"""Plans with prices, a chart with a verdict, and words of failures, in the language of the reader."""

import json

import pytest

EN = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T18:00+08:00", "IA_LANG": "en"}
ZH = {**EN, "IA_LANG": "zh"}


@pytest.fixture
def lived(begin):
    begin(
        EN,
        ("init",),
        ("sync",),
        ("trade", "deposit", "500000", "--date", "2024-01-02"),
        ("trade", "buy", "600036", "500", "24.66", "--date", "2024-03-15"),
    )


@pytest.mark.parametrize(
    ("env", "plan", "commands"),
    [
        (EN, "my plan: add CATL at 75", ["ia alert 300750 'close <= 75'"]),
        (EN, "my plan: sell half of BYD above 90, stop at 72", ["ia alert 002594 'close >= 90'", "'close <= 72'"]),
        (ZH, "我的计划：宁德时代75加仓", ["ia alert 300750 'close <= 75'"]),
        (ZH, "我的计划：比亚迪跌到75加仓，涨到95减仓", ["ia alert 002594 'close <= 75'", "'close >= 95'"]),
        (ZH, "我的计划：比亚迪涨10%就卖", []),
    ],
)
def test_a_plan_is_filed_and_its_alerts_are_offered(lived, ia, env, plan, commands):
    answer = ia("turn", plan, env=env).stdout
    assert "memory/observations/2024-03-15" in answer
    assert [line for line in answer.splitlines() if "ia alert" in line] == [
        line for line, command in zip(answer.splitlines()[1:], commands, strict=False) if command in line
    ]
    assert answer.count("ia alert") == len(commands)
    assert json.loads(ia("alert", "list", "--json", env=env).stdout or "[]") == []


@pytest.mark.parametrize(
    ("env", "question", "verdict"),
    [
        (EN, "Show me Moutai's chart and your verdict", "evidence"),
        (EN, "your view on Moutai, with a chart", "evidence"),
        (ZH, "给我看茅台的图和你的判断", "证据"),
        (ZH, "说说你对茅台的看法，再画K线", "证据"),
    ],
)
def test_a_chart_and_a_verdict_are_both_answered(lived, ia, env, question, verdict):
    answer = ia("turn", question, env=env).stdout
    assert "`ia chart 600519.SH`" in answer and verdict in answer.splitlines()[0]
    assert len(answer.splitlines()) <= 12


def test_names_are_those_of_the_reader(lived, ia):
    english = (
        ia("quote", "mautai", env=EN).stderr + ia("quote", "bank", env=EN).stderr + ia("ohlcv", "000063", env=EN).stderr
    )
    assert "did you mean 600519.SH Kweichow Moutai?" in english and not any(
        "\u4e00" <= c <= "\u9fff" for c in english
    ), english
    assert "600519.SH 贵州茅台" in ia("quote", "mautai", env=ZH).stderr


@pytest.mark.parametrize(("env", "question"), [(EN, "close of Moutai"), (ZH, "茅台收盘价")])
def test_a_source_that_cannot_be_reached_is_told_in_one_language(ia, env, question):
    offline = {**env, "IA_MARKET_ADAPTER": "akshare", "HTTPS_PROXY": "http://127.0.0.1:9", "IA_NOW": ""}
    done = ia("turn", question, env=offline)
    assert done.returncode == 75
    if env is EN:
        assert "贵州茅台" not in done.stdout + done.stderr and "Kweichow Moutai" in done.stderr
    else:
        assert "no host answered" not in done.stderr and "没有主机能应答" in done.stderr


def test_what_cannot_be_corrected_says_what_can(lived, ia):
    run = ia("trade", "correct", "1", "--price", "5", env=EN)
    assert run.returncode == 2 and "--price does not apply" in run.stderr and "--amount, --date" in run.stderr
    assert "--price 不适用于“转入”记录" in ia("trade", "correct", "1", "--price", "5", env=ZH).stderr


def test_a_check_tells_reasons_without_ids(lived, ia):
    told = ia("check", "buy", "600036", "100", env=ZH).stderr
    assert "未满足：冷却期" in told and "cooling" not in told and "stop" not in told


def test_a_trade_that_was_made_is_no_pending_order(lived, ia):
    ia("turn", "I bought 100 shares of BYD today at 79.5", env=EN)
    assert json.loads(ia("pending", "--json", env=EN).stdout)[-1]["kind"] == "trade"
    assert json.loads(ia("account", "--json", env=EN).stdout)["pending_orders"] == []


def test_recall_says_where_nothing_has_all_words(lived, ia):
    ia("note", "a", "net interest margin is falling", env=EN)
    run = ia("recall", "margin safety", env=EN)
    assert run.returncode == 0 and "nothing has all of these words" in run.stderr
    ia("note", "b", "a margin of safety first", env=EN)
    run = ia("recall", "margin safety", "--json", env=EN)
    assert [row["source"] for row in json.loads(run.stdout)] == ["notebook/b.md"] and not run.stderr


@pytest.mark.parametrize(("env", "question"), [(EN, "how far is it to the moon and my cash"), (ZH, "月球有多远")])
def test_questions_near_an_unread_one_are_a_field(lived, ia, env, question):
    done = json.loads(ia("turn", question, "--json", env=env).stdout)
    assert done["understood"] is False and done["offers"]
    assert all(offer in done["reply"] for offer in done["offers"])
    assert json.loads(ia("turn", "close of Moutai", "--json", env=env).stdout)["offers"] == []
