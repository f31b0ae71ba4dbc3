"""The review of a week: what came due in it comes first, and what cannot be judged yet is left out."""

from types import SimpleNamespace

import pytest

from ia.agent.analyst.desk import DeskResult
from ia.agent.analyst.jobs import results
from ia.agent.analyst.voice import AnswerVoice
from ia.agent.turns.turn import take_turn
from ia.faculties import profiles


@pytest.fixture
def ask(ws, monkeypatch):
    """Ask the embedded analyst at a moment, in a workspace of the profile invest on the simulated market."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-01T09:00+08:00")
    profiles.use_profile(ws, profiles.find_profile("invest"))

    def say(message, now):
        monkeypatch.setenv("IA_NOW", now)
        return take_turn(ws, message, model="ia-offline").reply

    return say


def test_a_view_without_a_later_price_is_left_out_until_there_is_one(ask):
    ask("记下：300750，20 个交易日内跑赢沪深 300，六成把握；跌破 72 作废", "2024-03-15T16:00+08:00")
    told = ask("复盘本周", "2024-03-15T16:30+08:00")
    assert told.startswith("**复盘 2024-03-11") and "判断：" not in told and "下一步" not in told
    assert "宁德时代 03-15" in ask("复盘 2024-03-11 至 2024-03-22", "2024-03-22T16:30+08:00")


def test_a_belief_that_came_due_in_the_week_stands_in_its_review(ask):
    ask("我相信宁德时代3月14日前会到 300", "2024-03-01T16:00+08:00")
    told = ask("复盘本周", "2024-03-15T16:30+08:00")
    assert "信念" in told and "前会到 300" in told
    assert "前会到 300" not in ask("复盘本周", "2024-03-22T16:30+08:00")


def test_a_review_that_is_asked_leaves_the_report_that_is_there(ask, ws):
    ask("记下：300750，5 个交易日内跑赢沪深 300，六成把握；跌破 72 作废", "2024-03-05T16:00+08:00")
    ws.write("notebook/reports/weekly/2024-03-15.md", "# of the task\n", actor="ia")
    ask("复盘本周", "2024-03-15T16:30+08:00")
    ask("复盘本周", "2024-03-15T16:40+08:00")
    assert ws.read("notebook/reports/weekly/2024-03-15.md") == "# of the task\n"
    assert (ws.read("notebook/reports/weekly/2024-03-15-asked.md") or "").startswith("# 复盘 2024-03-11")
    reflections = ws.read("memory/reflections/2024-W11.md") or ""
    assert reflections.count("- 下一步") == 1, reflections


def test_only_what_is_held_or_watched_is_reviewed_one_by_one(ask, ws):
    ws.write("memory/tracking.md", "# Tracking\n\n- 300750.SZ 宁德时代 (2024-03-01)\n")
    ask("帮我看看宁德时代最近怎么样", "2024-03-12T16:00+08:00")
    ask("帮我看看贵州茅台最近怎么样", "2024-03-12T16:00+08:00")
    told = ask("复盘本周", "2024-03-15T16:30+08:00")
    assert "未列入复盘：1 条问答" in told
    report = ws.read("notebook/reports/weekly/2024-03-15.md") or ""
    assert "| 宁德时代 |" in report and "| 贵州茅台 |" not in report


def test_a_condition_of_an_earlier_week_is_named_in_the_week_in_which_it_came_true(ask, ws):
    ws.write("memory/tracking.md", "# Tracking\n\n- 002594.SZ 比亚迪 (2024-03-01)\n")
    ask("帮我看看比亚迪最近怎么样", "2024-03-15T16:00+08:00")
    came_true = "比亚迪：2024-03-15 写下的条件已经触发"  # the first close below it is that of 20 March
    assert came_true in ask("复盘本周", "2024-03-22T16:30+08:00")
    for later in ("2024-03-29", "2024-04-12", "2024-05-10"):  # not again, and not where it would have been settled
        assert "比亚迪" not in ask("复盘本周", f"{later}T16:30+08:00")


def test_a_view_before_the_open_counts_from_the_close_that_it_quotes(ask, ws):
    ws.write("memory/tracking.md", "# Tracking\n\n- 300750.SZ 宁德时代 (2024-03-01)\n")
    ask("帮我看看宁德时代最近怎么样", "2024-03-12T09:00+08:00")  # void below 84.95; the close of the 14th is 82.51
    assert "当时写的失效条件已触发" in ask("我之前怎么看宁德时代", "2024-03-14T18:00+08:00")
    assert "宁德时代：2024-03-12 写下的条件已经触发" in ask("复盘本周", "2024-03-15T16:30+08:00")


def test_larger_trades_are_found_by_the_rate_and_a_sale_is_never_hidden():
    from types import SimpleNamespace

    from ia.agent.analyst.desk import DeskResult
    from ia.agent.analyst.jobs import results
    from ia.agent.analyst.voice import AnswerVoice

    def row(kind, symbol, quantity, price, currency):
        made = {"kind": kind, "symbol": symbol, "quantity": quantity, "price": price, "currency": currency}
        return made | {"date": "2024-03-06", "name": symbol}

    listed = DeskResult(
        [
            row("sell", "600036.SH", 300, 26.2, "CNY"),
            row("buy", "002594.SZ", 100, 80.5, "CNY"),
            row("buy", "AAPL.US", 10, 215.0, "USD"),
            row("buy", "600519.SH", 100, 789.0, "CNY"),
        ]
    )
    total = {"currency": "CNY", "rates": [{"currency": "USD", "rate": 6.7}]}
    desk = SimpleNamespace(speak=AnswerVoice("en"))
    told = "\n".join(results.trade_lines(desk, listed, "2024-03-04", "2024-03-08", total))
    assert all(each in told for each in ("sold", "AAPL", "600519")) and "002594" not in told
    assert told.endswith("- 1 more trade: `ia trade list`")


def test_a_total_is_not_told_where_a_currency_has_no_price_of_the_days():
    desk = SimpleNamespace(speak=AnswerVoice("en"))
    books = {"CNY": {"begin": "2024-04-01", "price_date": "2024-03-15"}, "HKD": {"begin": "2024-04-01"}}
    total = {"currency": "CNY", "result": 0.0, "twr_frac": 0.0, "equity_after": 1.0}

    def told(currencies):
        return results.whole_lines(desk, DeskResult({"total": total, "currencies": currencies}))

    assert told(books) == ["All in CNY: not known (the newest prices in CNY are of 2024-03-15)"]
    assert "not known" not in told({"CNY": {**books["CNY"], "price_date": "2024-04-26"}})[0]
