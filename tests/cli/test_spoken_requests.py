"""Everyday requests as they are spoken in Chinese: pointing at what was said, correcting it, taking it back."""

import pytest

DEMO = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T18:00+08:00", "IA_LANG": "zh"}


@pytest.fixture
def say(ia, begin):
    """Say one thing after the other in a session; return the answers."""
    begin(
        DEMO,
        ("init",),
        ("sync",),
        ("trade", "deposit", "500000", "--date", "2024-01-02"),
        ("trade", "buy", "300750", "300", "76", "--date", "2024-01-08"),
        ("trade", "buy", "600036", "500", "24.66", "--date", "2024-03-13"),
        ("watch", "add", "600519", "002594"),
        ("turn", "茅台市盈率"),
    )

    def say_all(*messages):
        return [ia("turn", "-s", "one", message, env=DEMO).stdout for message in messages]

    return say_all


def test_all_alerts_are_named_with_the_command_for_each(say, ia):
    ia("alert", "600519", "close < 700", env=DEMO)
    ia("alert", "300750", "close < 70", env=DEMO)
    ia("approve", "7", "--yes", env=DEMO)
    (answer,) = say("清空所有提醒")
    assert "ia reject 6" in answer and "ia task remove alert-300750" in answer
    assert "什么都没有改" in answer


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("把刚才那笔改成200股", "ia trade correct 3 --quantity 200"),
        ("把刚才那笔改成 200 股", "ia trade correct 3 --quantity 200"),
        ("上一笔的价格改成24.6", "ia trade correct 3 --price 24.6"),
        ("把刚才那笔改成200", "股数还是价格"),
    ],
)
def test_the_last_entry_is_corrected_by_a_command(say, ia, said, words):
    before = ia("trade", "list", env=DEMO).stdout
    assert words in say(said)[0]
    assert ia("trade", "list", env=DEMO).stdout == before


def test_a_trade_that_waits_is_named_first(say):
    answer = say("我买了100股招行，价格23.6", "把刚才那笔改成200股")[1]
    assert "ia reject 6" in answer


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        (("我关注的哪只今天跌得最多", "它现在多少钱"), "贵州茅台** 600519.SH"),
        (("银行股里股息率最高的三只", "它市值多少"), "工商银行"),
        (("宁德时代现价", "刚才那个跌破75提醒我"), "close < 75"),
        (("茅台和五粮液哪个市盈率低", "两个比一下"), "贵州茅台 对比 五粮液"),
        (("茅台市盈率", "你刚才说得太长了"), "回答要短"),
        (("我关注的下周谁要出财报",), "比亚迪"),
        (("谁改过关注列表",), "ia log --kind memory"),
        (("茅台数据哪来的",), "日线来自 **demo**"),
        (("港股通明天开吗",), "2024-03-16 港股通不开放"),
        (("港股通4月1日开吗",), "香港不是交易日"),
        (("沪市深市各成交多少",), "没有分别保存沪市和深市"),
        (("解禁",), "解禁日"),
        (("今天要不要操作",), "开市"),
        (("下次分红能拿多少钱",), "没有已公告而未到的分红"),
        (("创业板今年跑赢沪深300了吗",), "**创业板指** 399006.SZ 跑输 **沪深300**"),
        (("茅台现在多少钱一股",), "收盘价 749.61"),
        (("我一共存了多少钱进去",), "500,000.00 CNY"),
        (("我1月8号买的宁德时代怎么样了",), "以 76.00 买入的 300 股"),
        (("我3月13号买招行是因为什么",), "没有记理由"),
        (("再买1000股茅台会怎么样",), "仓位超限"),
        (("哪只离止损最近",), "止损价是平均成本减 7%"),
    ],
)
@pytest.mark.share(3)
def test_what_is_spoken_is_understood(say, messages, words):
    assert words in say(*messages)[-1]


def test_kinds_of_proposals_and_notes_are_chinese(say, home):
    say("怎么看宁德时代")
    note = (home / "notebook/research/宁德时代/2024-03-15.md").read_text(encoding="utf-8")
    assert "来源 demo，日线，前复权" in note and "qfq" not in note
    assert "1：任务 `tasks/" in say("有什么待批准的")[0]


def test_an_index_is_compared_up_to_the_last_day_where_one_holding_is_suspended(say, ia):
    """The demo market suspends 601318 on 2024-03-14 and 2024-03-15."""
    ia("trade", "buy", "601318", "200", "73.37", "--date", "2024-03-12", env=DEMO)
    bars = dict(line.split(",")[::4][:2] for line in ia("ohlcv", "000300", env=DEMO).stdout.splitlines()[1:])
    change = float(bars["2024-03-15"]) / float(bars["2024-02-29"]) * 100 - 100
    (answer,) = say("我这个月赚了多少")
    assert f"沪深300 000300.SH {change:+.2f}%" in answer
    assert "中国平安 601318.SH 2024-03-13" in answer


def test_positions_abroad_are_told_in_yuan(say, ia):
    ia("trade", "buy", "00700", "100", "404.93", "--date", "2024-01-24", env=DEMO)
    ia("sync", env=DEMO)
    (answer,) = say("我的港股值多少人民币")
    assert "43,536.00 HKD" in answer and "CNY" in answer


def test_the_dates_of_what_is_watched_leave_out_what_is_held(say):
    assert "招商银行" not in say("我关注的下周谁要出财报")[0]
