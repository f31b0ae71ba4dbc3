"""Usage: reserved before, settled after, never a cap passed, never a float summed."""

import json
import threading
from datetime import timedelta
from decimal import Decimal

import pytest

from ia.kernel import clock, config
from ia.kernel.errors import ConfigError, Refused, UsageError
from ia.kernel.workspace import Workspace
from ia.organs import spending
from ia.organs.spending import RESERVE, Meter

MODEL = "gpt-4.1"


@pytest.fixture
def setting(ws):
    """Set settings in config.yaml: setting(**{"turn.max_tokens": 5000})."""

    def write(**values):
        text = ws.read("config.yaml") or ""
        for name, value in values.items():
            text = config.edit_config_text(text, name, str(value))
        ws.write("config.yaml", text)

    return write


@pytest.fixture
def priced(setting):
    """2 and 8 for a million tokens of gpt-4.1."""
    setting(**{f"prices.{MODEL}.input": 2, f"prices.{MODEL}.output": 8})
    return setting


def call(meter, sent, got):
    meter.reserve_call(sent)
    meter.settle_call(sent, got)


def shift(ws, moment):
    """Let everything so far have happened at another real time."""
    ws.db.execute("UPDATE usage SET wall = ?", (clock.utc_stamp(moment),))


def state(ws):
    return ws.db.execute("SELECT state, input_tokens, output_tokens FROM usage ORDER BY id").fetchall()


# prices


@pytest.mark.parametrize("model", ["gpt-4.1", "anthropic/claude-3.5", "ollama/qwen3:8b", "a.b.c.d.e.f", "模型"])
def test_a_model_of_any_name_has_a_price(setting, model):
    assert spending.model_price(model) is None
    setting(**{f"prices.{model}.input": "0.15", f"prices.{model}.output": "0.6", "prices.currency": "CNY"})
    assert spending.model_price(model) == (Decimal("0.15"), Decimal("0.6"), "CNY")


def test_prices_by_hand_and_by_command_are_one(ws, home, setting):
    ws.write("config.yaml", "prices: # mine\n  gpt-4.1:\n    input: 3\n    output: 9\n")
    setting(**{"prices.gpt-4.1.input": 2})
    assert (home / "config.yaml").read_text() == "prices: # mine\n  gpt-4.1:\n    input: 2.0\n    output: 9\n"
    assert spending.model_price("gpt-4.1") == (2, 9, "USD")
    setting(**{"prices.gpt-4.1.input": "", "prices.gpt-4.1.output": ""})
    assert spending.model_price("gpt-4.1") is None


def test_half_a_price_is_reported(setting):
    setting(**{"prices.m.output": 2})
    with pytest.raises(ConfigError, match="the price of m has no input"):
        spending.model_price("m")


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "much", "1e12"])
def test_a_price_is_a_number_of_zero_or_more(value):
    with pytest.raises(UsageError, match="price"):
        config.edit_config_text("", "prices.m.input", value)
    assert "input: 0.0" in config.edit_config_text("", "prices.m.input", "0")


@pytest.mark.parametrize("name", ["prices.input", "prices.m", "prices.m.inputs", "prices", "prices..input.x"])
def test_what_is_no_price_is_no_setting(name):
    with pytest.raises(UsageError, match="no such setting"):
        config.edit_config_text("", name, "1")


def test_a_number_of_tokens_is_no_secret(setting):
    setting(**{"turn.max_tokens": 5000})
    assert config.get_setting("turn.max_tokens") == 5000 and config.redact_value("turn.max_tokens", 5000) == "5000"
    assert config.is_secret_key("market.tushare.token")


def test_costs_are_exact(priced, ws):
    meter = Meter(ws, MODEL, command="turn")
    for _ in range(10):
        call(meter, 1, 0)  # 0.000002 each, which no float sums exactly
    assert spending.usage_rows(ws)[0].cost == Decimal("0.00002")
    assert meter.total_usage() == {"input": 10, "output": 0, "cost": 0.00002, "currency": "USD", "calls": 10}


def test_the_smallest_price_is_counted(setting, ws):
    setting(**{"prices.m.input": "0.0000001", "prices.m.output": "0"})
    call(Meter(ws, "m", command="turn"), 1, 1)
    assert spending.usage_rows(ws)[0].cost == Decimal("1E-12")  # rounded up


# the meter


def test_a_call_is_reserved_and_settled(priced, ws):
    meter = Meter(ws, MODEL, command="turn", session="s", turn="t", actor="task")
    meter.reserve_call(300)
    assert state(ws) == [("reserved", 300, RESERVE)]
    assert spending.usage_rows(ws) == []  # what is only reserved has not been used
    meter.settle_call(310, 40)
    assert state(ws) == [("done", 310, 40)]
    row = ws.db.execute("SELECT command, session, turn, model, actor, estimated, cost_pico FROM usage").fetchone()
    assert row == ("turn", "s", "t", MODEL, "task", 0, (310 * 2 + 40 * 8) * 10**6)


def test_a_failed_call_is_released(ws):
    meter = Meter(ws, MODEL, command="turn")
    meter.reserve_call(300)
    meter.release_call()
    meter.release_call()
    assert state(ws) == [] and meter.total_usage()["calls"] == 0
    meter.reserve_call(1)
    meter.reserve_call(2)  # tried again without a word: still one call
    meter.settle_call(None, None)
    assert state(ws) == [("done", 2, RESERVE)]


@pytest.mark.parametrize(
    ("told", "streamed", "entered"),
    [
        ((None, None), 0, (300, RESERVE)),
        ((None, None), 70, (300, 70)),
        ((320, None), 70, (320, 70)),
        ((None, 5), 70, (300, 5)),
    ],
)
def test_what_the_model_does_not_tell_is_estimated(ws, told, streamed, entered):
    meter = Meter(ws, MODEL, command="turn")
    meter.reserve_call(300)
    meter.exceeds_cap(streamed)
    meter.settle_call(*told)
    assert state(ws) == [("done", *entered)]
    assert spending.usage_rows(ws)[0].estimated == 1


def test_a_model_without_a_price(ws, setting):
    meter = Meter(ws, "unheard/of", command="turn")
    assert meter.unpriced
    call(meter, 1000, 1000)  # no cap in money counts it
    assert meter.total_usage()["cost"] is None
    (row,) = spending.usage_rows(ws)
    assert (row.cost, row.unpriced, row.calls) == (None, 1, 1)
    setting(**{"turn.max_tokens_day": 100})
    with pytest.raises(Refused, match=r"turn\.max_tokens_day: 2000 of 100 tokens"):
        Meter(ws, "unheard/of", command="turn").reserve_call(1)


def test_the_embedded_analyst_costs_nothing_and_meets_no_cap(ws, setting):
    setting(**{"turn.max_tokens": 10, "turn.max_tokens_day": 10})
    meter = Meter(ws, "ia-offline", command="turn")
    assert not meter.unpriced
    meter.reserve_call(5_000)
    assert not meter.exceeds_cap(10**6)
    meter.settle_call(5_000, 700)
    assert meter.total_usage() == {"input": 5_000, "output": 700, "cost": 0.0, "currency": "USD", "calls": 1}
    assert spending.remaining_caps(ws)["turn.max_tokens_day"].spent == 0
    Meter(ws, MODEL, command="turn").reserve_call(5)


def test_the_calls_of_a_turn_are_one_command(ws, setting):
    setting(**{"turn.max_tokens": 1000})
    turn, sub = Meter(ws, "a", command="turn", turn="t"), Meter(ws, "b", command="fork", turn="t")
    call(turn, 300, 100)
    call(sub, 300, 100)
    assert (
        turn.total_usage()
        == sub.total_usage()
        == {"input": 600, "output": 200, "cost": None, "currency": "USD", "calls": 2}
    )
    with pytest.raises(Refused, match=r"turn\.max_tokens: 800 of 1000 tokens"):
        turn.reserve_call(200)
    Meter(ws, "a", command="turn", turn="another").reserve_call(999)


# caps


CAPPED = [(cap, kind) for cap in spending.CAPS for kind in ("at once", "in steps")]


@pytest.mark.parametrize(("cap", "kind"), CAPPED)
def test_no_cap_is_passed(ws, priced, cap, kind):
    """A million tokens of input and output cost 2 and 8: with 1,000 sent, 0.01 leaves room for 1,000 of output."""
    priced(**{cap: "0.01" if "cost" in cap else 2_000})
    meter = Meter(ws, MODEL, command="turn", turn="t")
    meter.reserve_call(1_000)
    if kind == "at once":
        assert not meter.exceeds_cap(1_000) and meter.exceeds_cap(1_001)
    else:
        assert next(n for n in range(0, 1_200, 7) if meter.exceeds_cap(n)) == 1_001
    meter.settle_call(1_000, 1_000)
    spent = spending.usage_rows(ws)[0]
    assert spent.cost == Decimal("0.01") and spent.input_tokens + spent.output_tokens == 2_000
    with pytest.raises(Refused) as refused:
        meter.reserve_call(1)
    assert refused.value.params["cap"] == cap
    assert str(refused.value).endswith(
        "0.01 of 0.01 USD already used" if "cost" in cap else "2000 of 2000 tokens already used"
    )
    assert "ia usage" in refused.value.hint
    assert state(ws) == [("done", 1_000, 1_000)]  # what is refused reserves nothing


def test_a_long_answer_extends_its_reservation(ws, setting):
    setting(**{"turn.max_tokens_day": 10_000})
    one, other = Meter(ws, "a", command="turn"), Meter(ws, "b", command="turn")
    one.reserve_call(1_000)
    other.reserve_call(1_000)
    assert not one.exceeds_cap(3_000)
    assert state(ws) == [("reserved", 1_000, 4_000), ("reserved", 1_000, 1_000)]
    assert not other.exceeds_cap(4_000)  # 1,000 + 4,000 of one leave 5,000: its own input and 4,000
    assert other.exceeds_cap(4_001) and not one.exceeds_cap(4_000) and one.exceeds_cap(4_001)
    one.settle_call(1_000, 4_000)
    other.settle_call(1_000, 4_000)
    assert spending.remaining_caps(ws)["turn.max_tokens_day"].left == 0


def test_while_streaming_the_database_is_asked_rarely(ws, setting):
    setting(**{"turn.max_tokens_day": 10**6})
    meter = Meter(ws, "a", command="turn")
    meter.reserve_call(10)
    asked = []
    ws.db.set_trace_callback(lambda sql: asked.append(sql) if sql.startswith("BEGIN") else None)
    for n in range(10_000):
        assert not meter.exceeds_cap(n)
    assert len(asked) < 10_000 // RESERVE + 1


def test_little_room_reserves_little(ws, setting):
    setting(**{"turn.max_tokens_day": 150})
    meter = Meter(ws, "a", command="turn")
    meter.reserve_call(100)
    assert state(ws) == [("reserved", 100, 50)]
    with pytest.raises(Refused):
        Meter(ws, "b", command="turn").reserve_call(1)
    meter.release_call()
    with pytest.raises(Refused):
        meter.reserve_call(150)  # not one token of an answer would fit


def test_a_free_output_does_not_divide_by_zero(ws, setting):
    setting(**{"prices.m.input": 1, "prices.m.output": 0, "turn.max_cost": "0.001"})
    meter = Meter(ws, "m", command="turn")
    meter.reserve_call(1_000)
    assert not meter.exceeds_cap(10**6)
    meter.settle_call(1_000, 10**6)
    with pytest.raises(Refused):
        meter.reserve_call(1)


def test_a_reservation_that_was_left_behind_stops_counting(ws, setting):
    setting(**{"turn.max_tokens_day": 1_500})
    Meter(ws, "a", command="turn").reserve_call(100)
    other = Meter(ws, "b", command="turn")
    with pytest.raises(Refused):
        other.reserve_call(500)
    shift(ws, clock.wall_time() - timedelta(minutes=16))
    other.reserve_call(500)


def test_another_day_and_another_month(ws, setting):
    setting(**{"turn.max_tokens_day": 1_000, "turn.max_tokens_month": 2_500})
    call(Meter(ws, "a", command="turn"), 500, 500)
    with pytest.raises(Refused, match="max_tokens_day"):
        Meter(ws, "a", command="turn").reserve_call(1)
    month = clock.wall_time().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    last = month - timedelta(seconds=1)
    shift(ws, last)
    assert [spending.remaining_caps(ws)[f"turn.max_tokens_{scope}"].spent for scope in ("day", "month")] == [0, 0]
    call(Meter(ws, "a", command="turn"), 500, 400)
    shift(ws, month)
    assert spending.remaining_caps(ws)["turn.max_tokens_month"].spent == 1_900


def test_the_day_is_that_of_the_users_zone(ws, setting, monkeypatch):
    import time

    setting(**{"turn.max_tokens_day": 1_000})
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        call(Meter(ws, "a", command="turn"), 500, 500)
        midnight = clock.wall_time().replace(hour=0, minute=0, second=0, microsecond=0)
        shift(ws, midnight)
        assert spending.remaining_caps(ws)["turn.max_tokens_day"].spent == 1_000
        shift(ws, midnight - timedelta(seconds=1))
        assert spending.remaining_caps(ws)["turn.max_tokens_day"].spent == 0
        ws.db.execute("UPDATE usage SET time = ?", (clock.utc_stamp(clock.parse_moment("2024-03-15T23:30:00+08:00")),))
        assert spending.usage_rows(ws)[0].key == "2024-03-15"
        ws.db.execute("UPDATE usage SET time = ?", (clock.utc_stamp(clock.parse_moment("2024-03-16T00:30:00+08:00")),))
        assert spending.usage_rows(ws)[0].key == "2024-03-16"
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


def test_caps_guard_real_money_also_under_now(ws, setting, monkeypatch):
    setting(**{"turn.max_tokens_day": 1_000})
    for day in ("11", "12"):
        monkeypatch.setenv("IA_NOW", f"2024-03-{day}T10:00:00+08:00")
        call(Meter(ws, "a", command="turn"), 250, 250)
    monkeypatch.setenv("IA_NOW", "2024-03-13T10:00:00+08:00")
    with pytest.raises(Refused, match="1000 of 1000"):
        Meter(ws, "a", command="turn").reserve_call(1)
    assert [row.key for row in spending.usage_rows(ws)] == ["2024-03-12", "2024-03-11"]
    monkeypatch.setenv("IA_NOW", "2024-03-11T23:00:00+08:00")
    assert [row.key for row in spending.usage_rows(ws)] == ["2024-03-11"]


def test_another_currency_is_counted_apart(ws, priced):
    call(Meter(ws, MODEL, command="turn"), 10**5, 0)
    priced(**{"prices.currency": "CNY"})
    call(Meter(ws, MODEL, command="turn"), 10**5, 0)
    assert spending.remaining_caps(ws)["turn.max_cost_day"] == (5, Decimal("0.2"), Decimal("4.8"), "CNY")
    assert {(row.currency, row.cost) for row in spending.usage_rows(ws)} == {
        ("USD", Decimal("0.2")),
        ("CNY", Decimal("0.2")),
    }


def test_threads_share_a_cap(ws, setting):
    setting(**{"turn.max_tokens": 8_000})
    refused = []

    def work():
        mine = Workspace()
        meter = Meter(mine, "a", command="fork", turn="t")
        try:
            meter.reserve_call(600)
            meter.settle_call(600, 1_000)
        except Refused:
            refused.append(1)
        mine.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = Meter(ws, "a", command="turn", turn="t").total_usage()
    assert (total["calls"], len(refused), total["input"] + total["output"]) == (5, 3, 8_000)


# lists


def test_usage_is_grouped(ws, priced, monkeypatch):
    for day, model, session in (
        ("02-01", MODEL, "x"),
        ("03-11", MODEL, "y"),
        ("03-12", "m", "x"),
        ("03-12", MODEL, ""),
    ):
        monkeypatch.setenv("IA_NOW", f"2024-{day}T10:00:00+08:00")
        call(Meter(ws, model, command="turn", session=session), 100, 10)

    def keys(by, **kwargs):
        return [
            (row.key, row.calls, row.input_tokens, row.output_tokens) for row in spending.usage_rows(ws, by, **kwargs)
        ]

    assert keys("day") == [("2024-03-12", 2, 200, 20), ("2024-03-11", 1, 100, 10), ("2024-02-01", 1, 100, 10)]
    assert keys("month") == [("2024-03", 3, 300, 30), ("2024-02", 1, 100, 10)]
    assert keys("model") == [(MODEL, 3, 300, 30), ("m", 1, 100, 10)]
    assert keys("session") == [("x", 2, 200, 20), ("", 1, 100, 10), ("y", 1, 100, 10)]
    assert keys("day", since="2024-03-11T16:00:00.000Z") == [("2024-03-12", 2, 200, 20)]
    mixed = spending.usage_rows(ws)[0]
    assert (mixed.cost, mixed.unpriced) == (Decimal("0.00028"), 1)
    with pytest.raises(UsageError):
        spending.usage_rows(ws, "hour; DROP TABLE usage")


def test_nothing_yet(ws):
    assert spending.usage_rows(ws) == []
    left = spending.remaining_caps(ws)
    assert set(left) == {"turn.max_cost", "turn.max_cost_day", "turn.max_cost_month"}
    assert left["turn.max_cost_day"] == (5, 0, 5, "USD")
    assert Meter(ws, "a", command="turn").total_usage()["calls"] == 0
    json.dumps(Meter(ws, "a", command="turn").total_usage())


@pytest.mark.parametrize(
    ("amount", "text"), [("0", "0"), ("1E-12", "0.000000000001"), ("2.50", "2.5"), ("100", "100"), ("1E+3", "1000")]
)
def test_amounts_are_written_plainly(amount, text):
    assert spending.format_amount(Decimal(amount)) == text


def test_a_reservation_of_a_killed_process_counts_no_more(priced, ws, monkeypatch):
    import os

    monkeypatch.setenv("IA_TURN_MAX_TOKENS_DAY", "5000")
    ws.db.execute("SELECT 1")
    child = os.fork()
    if child == 0:
        try:
            from ia.kernel.workspace import Workspace

            spending.Meter(Workspace(ws.root), "m", command="c").reserve_call(3_000)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert [kind for kind, *_ in state(ws)] == ["reserved"]
    assert spending.remaining_caps(ws)["turn.max_tokens_day"].left == 5_000
    meter = spending.Meter(ws, "m", command="c")
    meter.reserve_call(3_500)
    assert state(ws) == [("reserved", 3_500, RESERVE)]


def test_a_reservation_of_another_machine_counts_until_it_is_stale(priced, ws, monkeypatch):
    monkeypatch.setenv("IA_TURN_MAX_TOKENS_DAY", "5000")
    spending.Meter(ws, "m", command="c").reserve_call(1_000)
    ws.db.execute("UPDATE usage SET owner = 'elsewhere:1:1'")
    assert spending.remaining_caps(ws)["turn.max_tokens_day"].left == 5_000 - 1_000 - RESERVE


def test_a_reservation_of_a_process_that_runs_counts(priced, ws, monkeypatch):
    monkeypatch.setenv("IA_TURN_MAX_TOKENS_DAY", "5000")
    spending.Meter(ws, "m", command="c").reserve_call(1_000)
    assert spending.remaining_caps(ws)["turn.max_tokens_day"].left == 5_000 - 1_000 - RESERVE


def test_a_meter_tells_what_is_left_for_its_command(ws, priced):
    priced(**{"turn.max_tokens": 5000, "turn.max_cost_day": 1})
    call(Meter(ws, MODEL, command="turn"), 1000, 0)
    meter = Meter(ws, MODEL, command="turn")
    call(meter, 2000, 100)
    left = meter.remaining_caps()
    assert left["turn.max_tokens"].left == 2900
    assert left["turn.max_cost_day"].spent == Decimal("0.0068")
    assert Meter(ws, spending.LOCAL, command="turn").remaining_caps() == {}


def test_calls_may_be_listed_at_another_moment(ws, monkeypatch):
    moment = clock.now()
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    call(Meter(ws, MODEL, command="turn", moment=moment), 1, 1)
    assert ws.db.execute("SELECT time FROM usage").fetchone()[0] == clock.utc_stamp(moment)
