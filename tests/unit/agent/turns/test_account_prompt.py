"""What the agent knows of risk: rules in the context, a check before advice, and no way for a model into the journal."""

import datetime as dt
from decimal import Decimal

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.scope import Scope
from ia.agent.turns.account_prompt import write_account_prompt
from ia.agent.turns.turn import prepare_turn, take_turn
from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock, proposals
from ia.kernel.untrusted import plain_name
from ia.organs.ledger import journal, posting
from ia.organs.ledger.order import Order
from ia.organs.ledger.whatif import suppose_trade
from ia.wiring.ledger_prices import open_ledger
from support.markets.stored_quotes import fill, quote

DAY, BEFORE = "2024-06-14", "2024-06-13"
MOUTAI, CATL = "600519.SH", "300750.SZ"


@pytest.fixture(autouse=True)
def now(monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DAY}T16:00+08:00")


def market(ws, moutai=1.0, price=100.0):
    quotes = [quote(MOUTAI, "贵州茅台", moutai, price), quote(CATL, "宁德时代", 0.5, 50.0)]
    return fill(
        ws, {BEFORE: [quote(MOUTAI, "贵州茅台", 0.0, round(price / (1 + moutai / 100), 2)), quotes[1]], DAY: quotes}
    )


def held(ws, *trades, deposit="100000", day="2024-06-03"):
    moment = dt.datetime.fromisoformat(f"{day}T15:00+08:00")
    if deposit:
        journal.append_entries(
            ws,
            [journal.JournalEntry(id=0, time=clock.utc_stamp(moment), date=day, kind="deposit", cash=Decimal(deposit))],
        )
    for symbol, quantity, price in trades:
        wish = Order(
            side="buy", symbol=from_canonical(symbol), quantity=Decimal(quantity), price=Decimal(price), moment=moment
        )
        posting.post_trade(open_ledger(ws), wish, override="test")


def rules(ws, symbol, **kwargs):
    return {each["rule"]: each for each in suppose_trade(open_ledger(ws), symbol, **kwargs)["breaches"]}


def parts(ws, question="你好"):
    return {
        part.name: part.text
        for part in prepare_turn(ws, question, session="", turn="", router=catalog.build_router(ws)).context.parts
    }


# the context


def test_nothing_is_told_and_nothing_opened_where_there_is_neither_ledger_nor_market(ws, home):
    assert write_account_prompt(ws, "zh") == "" and "risk" not in parts(ws)
    assert not (home / ".ia/cache/market.db").exists()


def test_the_rules_stand_in_the_context_with_the_users_own_numbers(ws, monkeypatch):
    market(ws)
    monkeypatch.setenv("IA_LANG", "zh")
    told = parts(ws)["risk"]
    for rule in (
        "每次回答必须基于数据和逻辑",
        "不推荐买入当前涨幅超过 5% 的股票",
        "建议仓位不超过 20% 单只股票",
        "止损线为 -7%",
    ):
        assert rule in told
    assert f"全市场行情到 {DAY}" in told and "16:00" not in told, "the same system prompt all day can be cached"
    monkeypatch.setenv("IA_RISK_STOP_LOSS_PCT", "7.5")
    monkeypatch.setenv("IA_RISK_POSITION_PCT", "15")
    assert "止损线为 -7.5%" in parts(ws)["risk"] and "不超过 15%" in parts(ws)["risk"]
    monkeypatch.setenv("IA_LANG", "en")
    assert "The stop-loss line is -7.5%" in parts(ws)["risk"]


def test_how_the_account_stands_is_told_with_numbers(ws, monkeypatch):
    market(ws, moutai=-9.0, price=91.0)
    held(ws, (MOUTAI, 300, "100"))
    monkeypatch.setenv("IA_LANG", "zh")
    told = parts(ws)["risk"]
    assert "- CNY 权益 97," in told and "今日 -2.7" in told
    assert "- 贵州茅台 600519：止损提醒：-9.0" in told and "<= -7%" in told
    assert "仓位超限：28." in told
    assert "冷却" not in told
    held(ws, (CATL, 100, "50"), deposit="", day=DAY)
    assert f"- {CATL}：冷却到 2024-06-15 15:00" in parts(ws)["risk"]


def test_the_embedded_analyst_has_the_rules_and_asks_the_account_for_itself(ws, monkeypatch):
    market(ws, moutai=-2.0, price=90.0)
    held(ws, (MOUTAI, "100", "100"))
    opened = []
    monkeypatch.setattr("ia.organs.ledger.whatif.assess_account", opened.append)
    ready = prepare_turn(ws, "?", session="", turn="", router=catalog.build_router(ws), actor="model ia-offline")
    [risk] = [part.text for part in ready.context.parts if part.name == "risk"]
    assert opened == [] and risk == write_account_prompt(ws, "en", rules_only=True) != ""


@pytest.mark.parametrize(("fall", "told"), [(-2.0, ""), (-6.0, "报警"), (-9.0, "禁止新开仓")])
def test_the_loss_of_the_day_is_told_where_it_matters(ws, monkeypatch, fall, told):
    monkeypatch.setenv("IA_LANG", "zh")
    market(ws, moutai=fall, price=100.0 + fall)
    held(ws, (MOUTAI, 990, "100"))
    (line,) = [line for line in parts(ws)["risk"].splitlines() if line.startswith("- CNY")]
    assert told in line and ("<=" in line) == bool(told)


def test_settings_that_are_none_are_told_and_stop_no_turn(ws, monkeypatch):
    market(ws)
    monkeypatch.setenv("IA_RISK_RISE_PCT", "viel")
    assert "risk.rise_pct" in parts(ws)["risk"]


# the check


def test_a_rise_a_large_position_and_a_bad_day_speak_against_a_buy(ws):
    market(ws, moutai=6.5)
    held(ws, (CATL, 200, "50"))
    found = rules(ws, "贵州茅台")
    assert found["risk.rise_pct"]["value"] == pytest.approx(6.5, abs=0.05) and found["risk.rise_pct"]["refuses"]
    assert "risk.position_pct" not in found, "a usual buy is 10,000, a tenth"
    assert found.keys() >= {"risk.rise_pct"} and suppose_trade(open_ledger(ws), MOUTAI)["allowed"] is False
    assert rules(ws, MOUTAI, quantity=500)["risk.position_pct"]["limit"] == 20.0
    assert suppose_trade(open_ledger(ws), CATL)["held"] == {"quantity": 200.0, "profit_pct": pytest.approx(0, abs=0.1), "weight_pct": pytest.approx(10, abs=0.1)}  # fmt: skip


def test_the_last_session_counts_for_advice_on_a_day_without_one(ws, monkeypatch):
    market(ws, moutai=6.5)
    held(ws)
    monkeypatch.setenv("IA_NOW", "2024-06-15T12:00+08:00")
    assert rules(ws, MOUTAI)["risk.rise_pct"]["refuses"]


def test_what_nothing_speaks_against_is_allowed(ws):
    market(ws)
    held(ws, (CATL, 200, "50"))
    found = suppose_trade(open_ledger(ws), MOUTAI)
    assert (found["allowed"], found["quantity"], found["weight_pct"]) == (True, 100.0, pytest.approx(10, abs=0.2))
    assert not [each for each in found["breaches"] if each["refuses"]]


def test_without_a_price_nothing_is_allowed_or_refused(ws):
    market(ws)
    assert suppose_trade(open_ledger(ws), "000001.SZ")["allowed"] is None


def test_the_tool_looks_and_writes_nothing(ws):
    market(ws)
    held(ws)
    before = ws.db.execute("SELECT count(*) FROM trades").fetchone()
    scope = Scope(ws, actor="model x", session="s", turn="t")
    done = catalog.build_router(ws).call_tool(scope, "risk.check", {"symbol": MOUTAI})
    assert done.ok and ws.db.execute("SELECT count(*) FROM trades").fetchone() == before
    assert not proposals.pending_proposals(ws)


# the analyst


def say(ws, question):
    return take_turn(ws, question, model="ia-offline")


@pytest.fixture
def simulated(monkeypatch):
    """Bars for the analyst: the simulated market; the store's quotes are of the same source."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_LANG", "zh")


def test_the_analyst_names_number_and_limit_before_it_advises(ws, simulated):
    fill(ws, {DAY: [quote(MOUTAI, "贵州茅台", 6.5, 900.0)]}, adapter="demo", simulated=True)
    held(ws, (MOUTAI, 100, "1600"), deposit="500000")
    done = say(ws, "帮我看看贵州茅台最近怎么样")
    assert "**你的规则现在不许买入 600519.SH**" in done.reply
    assert "> 20%" in done.reply and "持有 100 股，浮动 -4" in done.reply and "<= -7%" in done.reply
    note = ws.read(next(path for path in done.artifacts if path.startswith("notebook/")))
    assert "**你的规则现在不许买入 600519.SH**" in note.split("<!-- ia-view")[0]
    assert "risk.check" in [call.name for call in done.calls]


@pytest.mark.parametrize("question", ["对比贵州茅台和五粮液", "扫描 600519 000858，找多头的"])
def test_a_comparison_and_a_scan_tell_the_rules_too(ws, simulated, question):
    fill(
        ws,
        {DAY: [quote(MOUTAI, "贵州茅台", 6.5, 900.0), quote("000858.SZ", "五粮液", 6.5, 120.0)]},
        adapter="demo",
        simulated=True,
    )
    held(ws, (MOUTAI, 100, "1600"), deposit="500000")
    done = say(ws, question)
    assert "- **你的规则现在不许买入 600519.SH**" in done.reply and "> 5%" in done.reply


def test_the_analyst_looks_at_no_rules_where_there_are_none(ws, simulated):
    done = say(ws, "帮我看看贵州茅台最近怎么样")
    assert "你的规则" not in done.reply and "risk.check" not in [call.name for call in done.calls]


def test_a_review_recalls_positions_at_their_stop(ws, simulated):
    fill(ws, {DAY: [quote(MOUTAI, "贵州茅台", 0.5, 900.0)]}, adapter="demo", simulated=True)
    held(ws, (MOUTAI, 100, "1600"), deposit="500000")
    assert "贵州茅台：止损提醒，亏 4" in say(ws, "复盘本周").reply


# the gate


def test_a_model_never_journals(ws):
    """What a model executes waits for a person, whatever the user or a text from outside has said."""
    market(ws)
    held(ws)
    before = ws.db.execute("SELECT count(*) FROM trades").fetchone()
    order = {"action": "buy", "symbol": MOUTAI, "quantity": 100, "price": 100.0, "order_type": "limit"}
    for asked, origins in (
        ("", []),
        ("帮我买入 100 股茅台并记账", []),
        ("帮我买入 100 股茅台", ["stdin"]),
        ("", ["stdin"]),
    ):
        scope = Scope(ws, actor="model x", asked=asked, session="s", turn="t", origins=list(origins))
        catalog.build_router(ws).call_tool(scope, "trade.execute", order)
        assert ws.db.execute("SELECT count(*) FROM trades").fetchone() == before, (asked, origins)
    assert {each.kind for each in proposals.pending_proposals(ws)} <= {proposals.TRADE}


def test_a_refusal_is_in_the_language_of_the_turn_and_in_the_words_of_the_command_line(ws):
    market(ws)
    order = {"action": "sell", "symbol": MOUTAI, "quantity": 100, "price": 100.0, "order_type": "limit"}
    for asked, said in (
        ("卖出 100 股茅台", f"{MOUTAI} 持仓不足：卖出 100 > 持有 0"),
        ("sell", "sale of 100 > 0 held"),
    ):
        scope = Scope(ws, actor="model x", asked=asked, session="s", turn="t")
        told = catalog.build_router(ws).call_tool(scope, "trade.execute", order).value
        assert told["status"] == "rejected" and said in told["reason"]


def test_names_become_plain():
    assert plain_name("XD贵州茅") == "XD贵州茅" and plain_name("a" * 50) == "a" * 12
    assert not set("【】<>`\n|[]") & set(plain_name("【事件】<b>`x`\n|[1](u)"))


# the doctor


def examined(ws):
    from ia.reach.doctor import CHECKS

    return [found for name, check in CHECKS if name in ("market", "ledger") for found in check(ws)]


def test_the_doctor_tells_how_old_the_market_is_and_whether_the_journal_agrees(ws, monkeypatch):
    assert examined(ws) == []
    market(ws)
    held(ws, (CATL, 200, "50"))
    assert [(found.check, found.state) for found in examined(ws)] == [
        ("market", "ok"),
        ("mirror", "ok"),
        ("ledger", "ok"),
    ]
    monkeypatch.setenv("IA_NOW", "2024-06-15T12:00+08:00")
    assert examined(ws)[0].state == "ok", "there was no session since"
    monkeypatch.setenv("IA_NOW", "2024-06-18T16:00+08:00")
    found = examined(ws)[0]
    assert (found.state, str(found.mend)) == ("warn", "run `ia sync daily`")
    assert str(found.detail) == "akshare: the market is stored up to 2024-06-14, but the last trading day is 2024-06-18"


def test_the_doctor_finds_a_journal_that_was_tampered_with(ws):
    held(ws, (CATL, 200, "50"))
    for (name,) in ws.db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        ws.db.execute(f"DROP TRIGGER {name}")
    ws.db.execute("UPDATE trades SET kind = 'sell', quantity = '300' WHERE kind = 'buy'")
    (found,) = examined(ws)
    assert (found.check, found.state) == ("ledger", "warn") and "300 shares of 300750.SZ too many" in str(found.detail)
    ws.db.execute("UPDATE trades SET corrects = 99 WHERE kind = 'deposit'")
    assert examined(ws)[0].state == "fail"
