"""Beliefs with a date are settled by stored prices: each outcome is what the closes give by hand."""

import pytest

from ia.kernel.errors import BadData, NotFound, UsageError
from ia.organs.memory import change_rules, writing
from ia.organs.memory.beliefs import list_beliefs
from ia.organs.ohlcv.history import BarsRequest, load_history
from ia.wiring.belief_outcomes import count_states, judge_beliefs, plan_due, select_beliefs

FILED, LATER = "2024-03-15T16:30:00+08:00", "2024-07-01T18:00:00+08:00"


@pytest.fixture
def demo(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", FILED)
    return ws


@pytest.fixture
def keep(demo):
    def add(text, day, check="", *, once=True):
        writing.add_belief(demo, text, because="a test", due=plan_due(demo, day, once=once, check=check))

    return add


def bars_of(ws, symbol, adjust="none"):
    bars = load_history(ws, BarsRequest(symbol=symbol, adjust=adjust)).bars
    return dict(zip(bars.date, bars.close, strict=True))


def test_a_level_is_reached_on_the_first_close_that_does_and_not_before(demo, keep, monkeypatch):
    monkeypatch.setenv("IA_NOW", LATER)
    closes = {day: close for day, close in bars_of(demo, "300750").items() if "2024-03-15" < day <= "2024-06-28"}
    top = max(closes.values())
    first = next(day for day, close in closes.items() if close == top)
    monkeypatch.setenv("IA_NOW", FILED)
    keep("reaches its top", "2024-06-28", f"300750 >= {top}")
    keep("more than its top", "2024-06-28", f"300750 >= {top + 0.01}")
    last = closes["2024-06-28"]
    keep("closes as it does", "2024-06-28", f"CATL <= {last}", once=False)
    keep("closes lower", "2024-06-28", f"CATL <= {last - 0.01}", once=False)
    assert [each.state for each in judge_beliefs(demo)] == ["open"] * 4
    monkeypatch.setenv("IA_NOW", f"{first}T14:00:00+08:00")
    assert judge_beliefs(demo)[0].state == "open"
    monkeypatch.setenv("IA_NOW", f"{first}T18:00:00+08:00")
    reached = judge_beliefs(demo)[0]
    assert (reached.state, reached.day, reached.close, reached.by) == ("right", first, top, "market")
    monkeypatch.setenv("IA_NOW", "2024-06-28T10:00:00+08:00")
    assert [each.state for each in judge_beliefs(demo)][1:] == ["open"] * 3
    monkeypatch.setenv("IA_NOW", LATER)
    judged = judge_beliefs(demo)
    assert [each.state for each in judged] == ["right", "wrong", "right", "wrong"]
    assert [each.day for each in judged] == [first, "2024-06-28", "2024-06-28", "2024-06-28"]
    assert count_states(judged) == {"right": 2, "wrong": 2, "open": 0, "due": 0, "undated": 0}
    assert all(each.simulated for each in judged)


@pytest.mark.parametrize(
    ("symbol", "index"), [("600519", "000300.SH"), ("002594", "000300.SH"), ("600036", "000300.SH")]
)
def test_a_direction_and_an_index_are_settled_with_dividends(demo, keep, monkeypatch, symbol, index):
    keep("rises", "2024-06-28", f"{symbol} up")
    keep("falls", "2024-06-28", f"{symbol} down")
    keep("beats", "2024-06-28", f"{symbol} beats {index}")
    keep("lags", "2024-06-28", f"{symbol} lags {index}")
    monkeypatch.setenv("IA_NOW", LATER)
    own, beside = (bars_of(demo, each, "qfq") for each in (symbol, index))
    moved = (own["2024-06-28"] / own["2024-03-15"] - 1) * 100
    ahead = moved - (beside["2024-06-28"] / beside["2024-03-15"] - 1) * 100
    judged = judge_beliefs(demo)
    assert [each.state == "right" for each in judged] == [moved > 0, moved < 0, ahead > 0, ahead < 0]
    assert {each.state for each in judged} == {"right", "wrong"}
    assert judged[0].change == pytest.approx(moved, abs=0.02) and judged[2].change == pytest.approx(ahead, abs=0.02)


def test_a_change_is_reached_within_the_time(demo, keep, monkeypatch):
    monkeypatch.setenv("IA_NOW", LATER)
    own = bars_of(demo, "300750", "qfq")
    base = own["2024-03-15"]
    moves = [(close / base - 1) * 100 for day, close in own.items() if "2024-03-15" < day <= "2024-06-28"]
    monkeypatch.setenv("IA_NOW", FILED)
    top, low = max(moves), -min(moves)
    keep("up", "2024-06-28", f"300750 up {max(top, 0.2) - 0.1:.2f}%")
    keep("further up", "2024-06-28", f"300750 up {max(top, 0) + 0.1:.2f}%")
    keep("further down", "2024-06-28", f"300750 down {max(low, 0) + 0.1:.2f}%")
    monkeypatch.setenv("IA_NOW", LATER)
    assert [each.state for each in judge_beliefs(demo)] == ["right" if top > 0.1 else "wrong", "wrong", "wrong"]


def test_a_level_is_of_the_shares_that_there_were(demo, monkeypatch):
    from ia.domain.instruments.symbols import from_canonical
    from ia.domain.speech.aims import Aim
    from ia.organs.memory.beliefs import Belief
    from ia.organs.ohlcv.adjustment import Action
    from ia.wiring.belief_outcomes import _is_reached, _Series

    closes = [("2024-03-15", 100.0), ("2024-06-28", 60.0)]
    halved = _Series(from_canonical("300750.SZ"), closes, [Action("2024-05-01", split=2.0)], False)
    whole = halved._replace(actions=[])
    aim, belief = Aim(above=True, level=110.0, once=True), Belief("rises", "2024-03-15")
    assert _is_reached(aim, belief, halved, 100.0, closes[1:]) and not _is_reached(
        aim, belief, whole, 100.0, closes[1:]
    )


def test_what_prices_do_not_decide_waits_for_the_owner(demo, keep, monkeypatch):
    keep("the policy loosens", "2024-04-30")
    monkeypatch.setenv("IA_NOW", "2024-04-29T18:00:00+08:00")
    assert judge_beliefs(demo)[0].state == "open"
    monkeypatch.setenv("IA_NOW", "2024-04-30T09:00:00+08:00")
    (due,) = select_beliefs(judge_beliefs(demo), due=True)
    assert (due.state, due.by, due.why) == ("due", "", "")
    paths = writing.judge_belief(demo, "policy", right=False, because="nothing came")
    assert paths[-1] == change_rules.BELIEFS
    judged = judge_beliefs(demo)[0]
    assert (judged.state, judged.by, judged.decided) == ("wrong", "owner", "2024-04-30")
    assert "because: nothing came" in demo.read("memory/reflections/2024-04.md")


def test_a_price_that_is_not_stored_decides_nothing(demo, keep, monkeypatch):
    keep("rises", "2024-06-28", "300750 up")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "akshare")
    assert [(each.state, each.why) for each in judge_beliefs(demo)] == [("open", "no-price")]
    monkeypatch.setenv("IA_NOW", LATER)
    (due,) = judge_beliefs(demo)
    assert (due.state, due.why) == ("due", "no-price")


def test_a_reached_price_is_above_or_below_by_the_last_close(demo):
    close = bars_of(demo, "300750")["2024-03-15"]
    assert plan_due(demo, "2024-06-28", check=f"CATL reaches {close + 5:g}").check.says == ">="
    assert plan_due(demo, "2024-06-28", check=f"CATL reaches {close - 5:g}").check.says == "<="


@pytest.mark.parametrize(
    ("day", "check", "error"),
    [
        ("", "300750 > 5", UsageError),
        ("soon", "", UsageError),
        ("2024-03-15", "", UsageError),
        ("2024-06-28", "300750 > ", BadData),
        ("2024-06-28", "it goes well", BadData),
        ("2024-06-28", "nosuchcompany > 5", NotFound),
    ],
)
def test_dates_and_checks_that_are_none(demo, day, check, error):
    with pytest.raises(error):
        plan_due(demo, day, check=check)


def test_a_file_of_before_and_lines_by_hand_are_read(demo):
    text = (
        "# Beliefs\n\n- Cash flow counts\n* Old form (2024-01-02)\n- By hand (by 2024-02-01)\n"
        "- No such day (by 2024-02-31)\n- No check (2024-01-02, by 2024-02-01: whatever it is)\n"
        "- No start (by 2024-02-01: 300750.SZ >= 1)\n- Strange (2024-01-02, by 2024-02-01: NOSUCH >= 1)\n"
    )
    demo.write(change_rules.BELIEFS, text)
    assert [each.state for each in judge_beliefs(demo)] == ["undated", "undated", "due", "undated", "due", "due", "due"]
    assert [each.text for each in list_beliefs(demo)][1] == "Old form (2024-01-02)"


def test_beliefs_are_found_by_security_and_by_word(demo, keep):
    keep("a recovery comes", "2024-06-28", "002594 >= 300")
    keep("something else", "2024-06-28")
    for about in ("BYD", "比亚迪", "002594", "recovery"):
        assert [each.belief.text for each in select_beliefs(judge_beliefs(demo), about=about)] == ["a recovery comes"]
