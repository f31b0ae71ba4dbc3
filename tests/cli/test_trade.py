"""`ia trade`, `ia account`, `ia profit` as a person and a script use them."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.program import program

FREE = {
    "IA_RISK_POSITION_PCT": "100",
    "IA_RISK_COOLING_HOURS": "0",
    "IA_RISK_DAY_STOP_PCT": "100",
    "IA_RISK_RISE_PCT": "100",
}


@pytest.fixture
def prices(tmp_path, monkeypatch):
    """Write bars for a symbol as the csv adapter has them: prices("600519", ("2024-01-15", 1650.0), …)."""
    folder = tmp_path / "prices"
    folder.mkdir()
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(folder))

    def write(code, *closes):
        lines = [f"{day},{close},{close},{close},{close},1000" for day, close in closes]
        (folder / f"{code}.csv").write_text("date,open,high,low,close,volume\n" + "\n".join(lines) + "\n")

    return write


def ok(run):
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_worked_cases_through_the_command(ia, shared, tmp_path, prices):
    cases = json.loads((shared / "ledger" / "cases.json").read_text())["cases"]
    for number, case in enumerate(cases):
        env = {**FREE, "IA_HOME": str(tmp_path / f"case{number}"), "IA_LANG": "en"}
        os.mkdir(env["IA_HOME"])
        events = sorted(
            [*((t["date"], 1, t) for t in case["trades"]), *((a["date"], 0, a) for a in case["actions"])],
            key=lambda e: e[:2],
        )
        for day, _, event in events:
            if "action" in event:
                out = ok(ia("trade", event["action"], event["ticker"], str(event["quantity"]), "--price", event["price"],
                            "--date", day, "--json", env=env))  # fmt: skip
                made = json.loads(out)
                told = [made[name] for name in ("amount", "commission", "transfer", "stamp")]
                assert told == [float(event[name]) for name in ("amount", "commission", "transfer", "stamp")]
                if event["action"] == "sell":
                    assert made["realized"] == float(event["realised_average"])
            elif "cash" in event:
                ok(ia("trade", "dividend", event["ticker"], "--per-share", event["cash"], "--date", day, env=env))
            else:
                ok(ia("trade", "bonus", event["ticker"], event["bonus"], "--date", day, env=env))
        sales = [each["realised_fifo"] for each in case["trades"] if each["action"] == "sell"]
        rows = json.loads(ok(ia("trade", "list", "--json", env={**env, "IA_LEDGER_METHOD": "fifo"})))
        assert [each["realized"] for each in rows if each["kind"] == "sell"] == list(map(float, sales))
        assert all(each["realized"] is None for each in rows if each["kind"] != "sell")
        ticker = case["trades"][0]["ticker"]
        prices(ticker, (events[0][0], case["last_price"]))
        expect = case["expect"]
        for method in ("average", "fifo"):
            found = json.loads(ok(ia("profit", "--method", method, "--json", env=env)))
            (row,) = found["positions"]
            assert row["size"] == expect["quantity"]
            assert row["cost"] == float(expect[f"cost_{method}"]), case["name"]
            assert row["realized"] == float(expect[f"realised_{method}"]), case["name"]
            assert row["dividends"] == float(expect["dividends"])
            if method == "average":
                assert row["unrealized"] == float(expect["unrealised_average"])
                whole = (
                    float(expect["realised_average"]) + float(expect["unrealised_average"]) + float(expect["dividends"])
                )
                assert found["total_profit"] == pytest.approx(whole, abs=1e-9)


def test_buy_and_hold_is_the_formula_of_the_schema_up_to_fees(ia, prices):
    prices("600519", ("2024-01-15", 1650.0), ("2024-01-16", 1700.0))
    env = {"IA_NOW": "2024-01-16T16:00+08:00"}
    ok(ia("trade", "buy", "600519", "100", "1650", "--date", "2024-01-15", env=env))
    found = json.loads(ok(ia("profit", "--json", env=env)))
    assert (found["total_profit"], found["total_profit_rate"]) == (4957.10, 3.0)
    assert {k: found["positions"][0][k] for k in ("ticker", "profit", "profit_rate")} == {
        "ticker": "600519", "profit": 4957.1, "profit_rate": 3.0,
    }  # fmt: skip


def test_the_account_has_the_schema_of_a_models_tool(ia, prices):
    prices("600519", ("2024-01-12", 1640.0), ("2024-01-15", 1650.0), ("2024-01-16", 1600.0), ("2024-01-17", 1700.0))
    env = {"IA_NOW": "2024-01-17T16:00+08:00", "IA_LANG": "en"}
    ok(ia("trade", "deposit", "1000000", "--date", "2024-01-02", env=env))
    ok(ia("trade", "buy", "贵州茅台", "100", "1650", "--date", "2024-01-15", "--because", "便宜", env=env))
    run = ia("account", "--json", env=env)
    found = json.loads(ok(run))
    assert list(found)[:7] == [
        "cash", "equity", "positions", "pending_orders", "today_pnl", "total_pnl", "max_drawdown",
    ]  # fmt: skip
    assert (found["cash"], found["equity"]) == (834957.10, 1004957.10)
    assert (found["today_pnl"], found["total_pnl"], found["pending_orders"]) == (10000.0, 4957.1, [])
    held = found["positions"]["600519.SH"]
    assert [held[name] for name in ("size", "avg_price", "current_price", "unrealized_pnl", "weight_pct", "sellable")] == [
        100, 1650.429, 1700.0, 4957.1, 16.92, 100,
    ]  # fmt: skip
    assert found["max_drawdown"] == pytest.approx(1 - 994957.1 / 1000000, abs=1e-4)
    assert json.loads(ok(ia("tool", "call", "account.status", "{}", env=env))) == found
    before = json.loads(ok(ia("account", "--json", env={**env, "IA_NOW": "2024-01-16T16:00+08:00"})))
    assert (before["equity"], before["today_pnl"]) == (994957.1, -5000.0)
    nothing = json.loads(ok(ia("account", "--json", env={**env, "IA_NOW": "2024-01-14"})))
    assert (nothing["equity"], nothing["positions"]) == (1000000.0, {})


def test_what_is_not_known_is_null_and_said(ia):
    ok(ia("trade", "buy", "600519", "100", "1650", "--date", "2024-01-15"))
    run = ia("account", "--json")
    found = json.loads(ok(run))
    assert found["equity"] is found["cash"] is found["today_pnl"] is found["total_pnl"] is found["max_drawdown"] is None
    assert found["positions"]["600519.SH"]["current_price"] is None
    assert found["unpriced"] == ["600519.SH"]
    assert "no stored price of 600519.SH" in run.stderr
    run = ia("trade", "buy", "600519", "100")
    assert run.returncode == 2
    assert "--price PRICE" in run.stderr


def test_simulated_prices_say_so(ia):
    env = {"IA_MARKET_ADAPTER": "demo"}
    ok(ia("trade", "buy", "600519", "100", "1650", "--date", "2024-01-15", env=env))
    run = ia("profit", "--json", env=env)
    found = json.loads(ok(run))
    assert found["simulated"] is found["positions"][0]["simulated"] is True
    assert "the prices are simulated" in run.stderr
    run = ia("trade", "buy", "600036", "100", "--json", env=env)
    assert "simulated" in json.loads(ok(run))["origin"]


def test_a_buy_that_breaks_a_rule_is_entered_with_a_warning_and_the_rule(ia):
    env = {"IA_LANG": "zh"}
    ok(ia("trade", "deposit", "500000", "--date", "2024-01-02", env=env))
    args = ("trade", "buy", "600519", "100", "1650", "--date", "2024-01-15", "--json")
    run = ia(*args, env=env)
    told = json.loads(ok(run))
    assert "33% > 20%" in run.stderr and told["override"] is None
    assert [(each["rule"], each["limit"]) for each in told["breaches"]] == [("risk.position_pct", "20")]
    assert ia(*args, "--override", env=env).returncode == 2
    told = json.loads(ok(ia(*args, "--override", "--because", "看好", env=env)))
    assert (told["override"]["by"], told["override"]["because"]) == ("user", "看好")
    assert (
        "risk.cooling_hours"
        in [each["rule"] for each in told["override"]["breaches"]]
        == [each["rule"] for each in told["breaches"]]
    )
    events = ok(ia("log", "--json", env=env))
    assert "trade.buy" in events and "看好" in events


def test_two_purchases_and_a_sale_of_one_day_are_facts(ia):
    ok(ia("trade", "deposit", "1000000", "--date", "2024-01-02"))
    for quantity in ("100", "200"):
        ok(ia("trade", "buy", "600036", quantity, "30", "--date", "2024-01-15"))
    run = ia("trade", "sell", "600036", "300", "31", "--date", "2024-01-15")
    assert run.returncode == 0 and "T+1: 600036.SH: sale of 300 > 0 sellable that day" in run.stderr
    assert ia("trade", "sell", "600036", "100", "31", "--date", "2024-01-16").returncode == 77
    old, same, sale = json.loads(ok(ia("trade", "list", "--json")))[1:]
    assert [old["breaches"], same["breaches"][0]["rule"], sale["breaches"][0]["rule"]] == [
        [], "risk.cooling_hours", "exchange.t1"
    ]  # fmt: skip


def test_of_sales_at_once_no_more_are_entered_than_was_held(ia, home):
    ok(ia("trade", "buy", "600519", "100", "1500", "--date", "2024-01-15"))
    command = [*program(), "trade", "sell", "600519", "100", "1600", "--date", "2024-01-17"]

    def sell(_):
        return subprocess.run(command, capture_output=True).returncode

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(sell, range(4))) == [0, 77, 77, 77]


def test_nothing_is_traded_inside_a_tasks_run(ia):
    for words in (("buy", "600519", "100", "1650"), ("deposit", "100"), ("void", "1", "--because", "x")):
        assert ia("trade", *words, env={"IA_RUN": "1"}).returncode == 77
    ia("trade", "list", env={"IA_RUN": "1"})
    assert ia("account", env={"IA_RUN": "1"}).returncode == 0


def test_a_correction_and_a_void_are_new_entries(ia):
    env = {**FREE}
    ok(ia("trade", "buy", "600519", "100", "1650", "--date", "2024-01-15", "--because", "ROE>20", env=env))
    made = json.loads(ok(ia("trade", "correct", "1", "--price", "1655", "--because", "看错一行", "--json", env=env)))
    assert (made["id"], made["corrects"], made["price"], made["commission"]) == (2, 1, 1655, 41.38)
    assert (made["reason"], made["correction"]) == ("ROE>20", "看错一行")
    assert "ROE>20" in ok(ia("trade", "list", env=env)) and "看错一行" in ok(ia("trade", "list", "--all", env=env))
    assert ia("trade", "correct", "1", "--price", "1600", env=env).returncode == 2
    rows = json.loads(ok(ia("trade", "list", "--all", "--json", env=env)))
    assert [(row["id"], row["replaced_by"]) for row in rows] == [(1, 2), (2, None)]
    ok(ia("trade", "sell", "600519", "100", "1700", "--date", "2024-01-20", env=env))
    run = ia("trade", "void", "2", "--because", "没有成交", env=env)
    assert run.returncode == 77 and "0 held on 2024-01-20; cannot sell 100" in run.stderr
    run = ia("trade", "correct", "2", "--quantity", "50", env=env)
    assert run.returncode == 77
    ok(ia("trade", "void", "3", "--because", "没有成交", env=env))
    ok(ia("trade", "void", "2", "--because", "没有成交", env=env))
    assert ia("trade", "list", env=env).returncode == 1
    assert json.loads(ok(ia("profit", "--json", env=env)))["total_profit"] == 0


def test_close_sells_all_and_more_than_all_is_refused(ia):
    env = FREE
    ok(ia("trade", "buy", "600519", "300", "1650", "--date", "2024-01-15", env=env))
    assert ia("trade", "sell", "600519", "400", "1700", "--date", "2024-01-17", env=env).returncode == 77
    made = json.loads(ok(ia("trade", "close", "600519", "--price", "1700", "--date", "2024-01-17", "--json", env=env)))
    assert made["quantity"] == 300
    assert ia("trade", "close", "600519", "--price", "1700", "--date", "2024-01-18", env=env).returncode == 66


def test_a_session_has_its_own_profit(ia, prices):
    prices("600519", ("2024-01-15", 1700.0))
    ok(ia("trade", "buy", "600519", "100", "1650", "--date", "2024-01-15", "-s", "a", env=FREE))
    ok(ia("trade", "buy", "600519", "100", "1600", "--date", "2024-01-15", "-s", "b", env=FREE))
    a, b = (json.loads(ok(ia("profit", "-s", name, "--json"))) for name in "ab")
    assert (a["total_profit"], b["total_profit"]) == (4957.1, 9958.4)
    assert json.loads(ok(ia("profit", "--json")))["total_profit"] == pytest.approx(4957.1 + 9958.4)
    run = ia("trade", "sell", "600519", "200", "1700", "--date", "2024-01-17", "-s", "b", env=FREE)
    assert run.returncode == 0
    run = ia("profit", "-s", "b", "--json")
    assert json.loads(ok(run))["positions"][0]["size"] == 0
    assert "100 of the shares sold by entry 3 were not bought in this session" in run.stderr


def test_currencies_are_never_added_up(ia):
    for symbol, quantity, price in (("600519", "100", "1650"), ("00700.HK", "100", "290"), ("AAPL", "10", "185.5")):
        ok(ia("trade", "buy", symbol, quantity, price, "--date", "2024-01-16", env=FREE))
    found = json.loads(ok(ia("account", "--json")))
    assert set(found["currencies"]) == {"CNY", "HKD", "USD"}
    assert found["equity"] is None
    assert json.loads(ok(ia("profit", "--json")))["total_profit"] is None


BAD = [
    "NaN",
    "inf",
    "-inf",
    "1e400",
    "-100",
    "0",
    "",
    " ",
    "１００",
    "٣",
    "0x10",
    "1_000",
    "99999999999999999999",
    "100.5",
    "1;DROP TABLE trades",
    "9" * 5000,
]


@pytest.mark.parametrize("text", BAD)
def test_invalid_quantities_are_refused_in_one_line(ia, text):
    run = ia("trade", "buy", "--price", "10", "--date", "2024-01-15", "--", "600519", text)
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr and len(run.stderr.splitlines()) <= 3
    assert ia("trade", "list").returncode == 1


@pytest.mark.parametrize("text", ["NaN", "1e400", "-1", "0", "1.123456789", "abc", "1e12", "１０"])
def test_invalid_prices_are_refused_in_one_line(ia, text):
    run = ia("trade", "buy", "--date", "2024-01-15", "--", "600519", "100", text)
    assert run.returncode == 2, run.stderr


@pytest.mark.parametrize("text", ["2099-01-01", "2024-13-01", "someday", "2024-01-15T25:00", "0001-01-01", "20240230"])
def test_invalid_and_future_times_are_refused(ia, text):
    assert ia("trade", "buy", "600519", "100", "1650", "--date", text).returncode == 2


def test_a_reason_is_only_text(ia):
    reason = "x'); DROP TABLE trades; -- \x1b[31m\n第二行"
    ok(ia("trade", "buy", "600519", "100", "1650", "--date", "2024-01-15", "--because", reason))
    assert json.loads(ok(ia("trade", "list", "--json")))[0]["reason"] == reason
    assert len(ok(ia("trade", "list")).splitlines()) == 2


def test_a_trade_that_a_model_proposes_waits_for_a_person(ia):
    env = {**FREE, "IA_RISK_POSITION_PCT": "20", "IA_LANG": "zh"}
    ok(ia("trade", "deposit", "1000000", "--date", "2024-01-02", env=env))
    wish = {
        "action": "buy",
        "symbol": "600519",
        "quantity": 300,
        "price": 1650,
        "order_type": "limit",
        "reason": "批准我",
    }
    told = json.loads(ok(ia("tool", "call", "trade.execute", json.dumps(wish), env=env)))
    assert told["status"] == "rejected" and "> 20%" in told["reason"]
    told = json.loads(ok(ia("tool", "call", "trade.execute", json.dumps({**wish, "quantity": 100}), env=env)))
    assert told["status"] == "submitted"
    assert json.loads(ok(ia("account", "--json", env=env)))["pending_orders"][0]["order_id"] == told["order_id"]
    assert ia("trade", "list", "600519", env=env).returncode == 1  # nothing is journalled
    assert ia("approve", told["order_id"], env=env).returncode == 77  # no terminal
    run = ia("approve", told["order_id"], "--yes", env=env)
    assert "600519.SH" in ok(run) and "不会向任何地方下单" in run.stderr
    (made,) = json.loads(ok(ia("trade", "list", "600519", "--json", env=env)))
    assert (made["quantity"], made["price"], made["reason"]) == (100, 1650, "批准我")
    assert made["origin"] == f"proposal {told['order_id']}"
    assert ia("approve", told["order_id"], "--yes", env=env).returncode == 77
    assert json.loads(ok(ia("tool", "call", "trade.list", "{}", env=env)))[0]["symbol"] == "600519.SH"


def test_an_approval_asks_the_guard_again_and_its_hint_can_be_typed(ia):
    ok(ia("trade", "deposit", "1000000", "--date", "2024-01-02"))
    wish = {"action": "buy", "symbol": "600519", "quantity": 100, "price": 1650, "order_type": "limit"}
    number = json.loads(ok(ia("tool", "call", "trade.execute", json.dumps(wish))))["order_id"]
    ok(ia("trade", "withdraw", "500000", "--date", "2024-01-03"))
    run = ia("approve", number, "--yes")
    assert run.returncode == 77 and "position limit: 33% > 20%" in run.stderr
    assert f"`ia trade buy 600519.SH 100 1650 --because WHY`, then `ia reject {number}`" in run.stderr


def test_a_trade_that_was_made_keeps_its_day_however_late_it_is_approved(ia):
    told_at, later = {"IA_NOW": "2024-01-15T16:30:00+08:00"}, {"IA_NOW": "2024-01-17T10:00:00+08:00"}
    ok(ia("trade", "deposit", "1000000", "--date", "2024-01-02"))
    wish = {"action": "buy", "symbol": "600519", "quantity": 100, "price": 1650, "order_type": "limit"}
    for extra, day in (({"made": True, "reason": "a"}, "2024-01-15"), ({"reason": "b"}, "2024-01-17")):
        run = ia("tool", "call", "trade.execute", json.dumps({**wish, **extra}), env={**FREE, **told_at})
        number = json.loads(ok(run))["order_id"]
        ok(ia("approve", number, "--yes", env={**FREE, **later}))
        (entry,) = (
            row
            for row in json.loads(ok(ia("trade", "list", "600519", "--json", env={**FREE, **later})))
            if row["origin"] == f"proposal {number}"
        )
        assert entry["date"] == day


def test_an_import_can_be_tried_first_and_entered_once(ia, tmp_path):
    bill = tmp_path / "bill.txt"
    bill.write_bytes(
        '成交日期\t证券代码\t证券名称\t操作\t成交数量\t成交均价\t手续费\n20240115\t="600519"\t贵州茅台\t买入\t100\t1650\t5\n'.encode(
            "gbk"
        )
    )
    run = ia("trade", "import", str(bill), "--dry-run")
    assert "would enter: 1;" in run.stderr and len(ok(run).splitlines()) == 1
    assert ia("trade", "list").returncode == 1
    assert json.loads(ok(ia("trade", "import", str(bill), "--json")))["entries"][0]["fees"] == 5
    assert json.loads(ok(ia("trade", "import", str(bill), "--json"))) == {
        "entries": [], "known": 1, "dry_run": False, "passed": [], "unread": [],
    }  # fmt: skip
    bill.write_text(
        "成交日期,证券代码,操作,成交数量,成交均价\n20240116,600519,买入,100,1650\n20240117,600519,买进什么,x,1\n"
    )
    run = ia("trade", "import", str(bill))
    assert run.returncode == 65 and ":3:" in run.stderr
    assert ia("trade", "import", str(tmp_path / "none")).returncode == 66


def test_what_goes_into_a_pipe_is_the_same_in_every_language_but_for_names(ia, tmp_path):
    def told(lang):
        env = {"IA_HOME": str(tmp_path / lang), "IA_LANG": lang, **FREE}
        os.mkdir(env["IA_HOME"])
        said = [
            ia("trade", "deposit", "100000", "--date", "2024-01-02", env=env),
            ia("trade", "buy", "600000", "100", "10", "--date", "2024-01-15", env=env),
            ia("trade", "correct", "2", "--price", "11", env=env),
            ia("trade", "dividend", "600000", "3.21", "--date", "2024-02-15", env=env),
            ia("trade", "list", env=env),
            ia("account", env=env),
            ia("profit", env=env),
        ]
        return [ok(each) for each in said]

    zh, en = told("zh"), told("en")
    assert [each.replace("浦发银行", "SPD Bank") for each in zh] == en


def test_what_is_said_twice_is_refused_and_what_is_said_is_taken(ia):
    run = ia("trade", "buy", "600519", "100", "1650", "--price", "1700", "--date", "2024-01-15")
    assert run.returncode == 2 and "two prices given: 1650 and 1700" in run.stderr
    made = json.loads(ok(ia("trade", "buy", "00700.HK", "100", "300", "--date", "2024-01-15", "--commission", "50",
                            "--stamp", "30", "--transfer", "0", "--json")))  # fmt: skip
    assert made["fees"] == 50 + 30 + made["other"] and made["other"] > 3  # the levies of the exchange stay
    made = json.loads(ok(ia("trade", "correct", "1", "--other", "12.34", "--json", env=FREE)))
    assert (made["commission"], made["other"]) == (50, 12.34)
    made = json.loads(ok(ia("trade", "correct", "2", "--quantity", "200", "--json", env=FREE)))
    assert (made["commission"], made["stamp"], made["other"]) == (50, 60, 12.34)  # the rules' own is made anew
    old = ("trade", "buy", "600000", "100", "10", "--date", "1995-01-16", "--commission", "5", "--stamp", "1")
    assert ia(*old).returncode == 66
    assert json.loads(ok(ia(*old, "--transfer", "0.1", "--json")))["fees"] == 6.1  # older than the rules


def test_a_voided_entry_is_not_corrected_by_its_void(ia):
    ok(ia("trade", "deposit", "100"))
    ok(ia("trade", "void", "1", "--because", "x"))
    run = ia("trade", "correct", "1", "--amount", "5")
    assert (
        run.returncode == 2 and "entry 1 was voided by entry 2" in run.stderr and "enter the trade again" in run.stderr
    )


def test_the_account_by_either_method(ia):
    for day, price in (("2024-01-15", "10"), ("2024-02-15", "20")):
        ok(ia("trade", "buy", "600000", "100", price, "--date", day, env=FREE))
    ok(ia("trade", "sell", "600000", "100", "20", "--date", "2024-03-15", env=FREE))
    costs = [
        json.loads(ok(ia("account", "--json", *method)))["positions"]["600000.SH"]["cost"]
        for method in ((), ("--method", "average"), ("--method", "fifo"))
    ]
    assert costs == [1505.01, 1505.01, 2005.02]


def test_more_taken_out_than_there_was_is_reported(ia):
    ok(ia("trade", "deposit", "1000", "--date", "2024-01-02"))
    assert "the amount exceeds your cash" not in ia("trade", "withdraw", "1000", "--date", "2024-01-03").stderr
    run = ia("trade", "withdraw", "500", "--date", "2024-01-04")
    assert run.returncode == 0 and "the CNY balance is now -500.00" in run.stderr


def test_a_sale_that_is_no_lot_names_no_rest_where_there_is_none(ia):
    ok(ia("trade", "buy", "600000", "200", "10", "--date", "2024-01-15"))
    run = ia("trade", "sell", "600000", "30", "10", "--date", "2024-01-17")
    assert (
        run.returncode == 0
        and "odd lot" not in run.stderr
        and "sales must be multiples of 100; 30 is not" in run.stderr
    )


def test_money_is_written_to_the_cent_and_a_price_as_it_is(ia, prices):
    prices("600000", ("2024-01-15", 12.0))
    ok(ia("trade", "buy", "600000", "100", "10", "--date", "2024-01-15", env=FREE))
    header, row, total = (line.split("\t") for line in ok(ia("profit")).splitlines())
    told = dict(zip(header, row, strict=True))
    assert (told["realized"], told["dividends"], told["fees"]) == ("0.00", "0.00", "5.01")
    assert (told["current_price"], told["cost"], told["unrealized"]) == ("12", "1005.01", "194.99")
    assert dict(zip(header, total, strict=True))["realized"] == "0.00"


def test_a_minute_before_the_end_of_cooling_is_not_the_end(ia):
    ok(ia("trade", "buy", "600036", "100", "30", "--date", "2024-03-04"))
    run = ia("trade", "buy", "600036", "100", "30", "--date", "2024-03-05T14:59")
    assert "warning: cooldown: 23.9 h since the last trade < 24 h" in run.stderr
    ok(ia("trade", "void", "2", "--because", "x"))
    run = ia("trade", "buy", "600036", "100", "30", "--date", "2024-03-05T15:00")
    assert run.returncode == 0 and "cooldown" not in run.stderr


def test_a_source_that_cannot_be_read_is_reported_once_and_nothing_else_fails(ia, prices, tmp_path, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-11-22T12:00+08:00")  # the sessions since the price are counted below
    prices("600000", ("2024-01-15", 12.0))
    args = ("trade", "buy", "600000", "100", "10", "--date", "2024-01-15")
    ok(ia(*args, env=FREE))
    folder = tmp_path / "prices"
    for env, words in (
        ({"IA_MARKET_ADAPTER": "nonsense"}, "nonsense: unknown market adapter"),
        ({"IA_MARKET_CSV_DIR": str(tmp_path / "none")}, "is not a folder"),
    ):
        run = ia("account", "--json", env=env)
        assert json.loads(ok(run))["unpriced"] == ["600000.SH"]
        assert run.stderr.count(words) == 1, run.stderr
    (folder / "600000.actions.csv").write_text("date,cash\n2024-01-16,abc\n")
    run = ia("account", "--json")
    assert ok(run) and run.stderr.count("600000.actions.csv") == 1
    (folder / "600000.actions.csv").unlink()
    run = ia("account", "--json")
    assert json.loads(ok(run))["unpriced"] == []
    assert run.stderr == "ia: 600000.SH: the price is from 2024-01-15, 688 trading days old\n"


def test_an_import_with_a_row_that_is_not_understood_is_never_status_0(ia, tmp_path):
    bill = tmp_path / "bill.csv"
    bill.write_text(
        "成交日期,证券代码,操作,成交价格,成交数量\n20240115,600519,买入,1650,100\n20240116,600519,神秘,1,1\n20240117,1,?,1,1\n"
    )
    run = ia("trade", "import", str(bill), env=FREE)
    assert run.returncode == 65 and run.stdout == "" and "1 more row is invalid, on line 4" in run.stderr
    assert ia("trade", "list").returncode == 1
    run = ia("trade", "import", str(bill), "--partial", env=FREE)
    assert run.returncode == 65 and len(run.stdout.splitlines()) == 1
    assert "bill.csv:3: unknown type of transaction '神秘'" in run.stderr and "bill.csv:4: " in run.stderr
    assert len(json.loads(ok(ia("trade", "list", "--json")))) == 1


def test_lent_money_and_a_convertible_bond_by_hand(ia):
    env = {**FREE, "IA_NOW": "2024-01-05T16:00+08:00"}
    ok(ia("trade", "deposit", "100000", "--date", "2024-01-02", env=env))
    ok(ia("trade", "lend", "10000", "--code", "204001", "--commission", "0.1", "--date", "2024-01-03", env=env))
    made = json.loads(ok(ia("trade", "buy", "113050.SH", "20", "105.123", "--date", "2024-01-03", "--json", env=env)))
    assert (made["amount"], made["stamp"], made["transfer"]) == (2102.46, 0, 0)
    ok(ia("trade", "sell", "113050.SH", "20", "106", "--date", "2024-01-03T15:00", env=env))  # on the same day
    assert ia("trade", "check", "113050.SH", "15", "105", env=env).returncode == 77  # lots of ten
    found = json.loads(ok(ia("account", "--json", env=env)))
    assert (found["lent"], found["equity"] - found["cash"]) == (10000, 10000)
    assert "lent" in ok(ia("account", env=env))
    ok(ia("trade", "repaid", "10000.51", "--date", "2024-01-04", env=env))
    assert json.loads(ok(ia("account", "--json", env=env)))["lent"] == 0
    for words in (("buy", "204001", "1", "1"), ("buy", "787123", "500", "10"), ("lend", "5", "--code", "600519")):
        run = ia("trade", *words, env={**env, "IA_LANG": "en"})
        assert run.returncode == 2 and ("hint: " in run.stderr or words[0] == "lend")
    assert ia("trade", "repaid", "5", env=env).returncode == 77


def test_the_name_settles_a_code_that_an_index_shares(ia, tmp_path):
    bill = tmp_path / "s.csv"
    head = "date,symbol,name,side,price,quantity\n"
    for name in ("平安银行", ""):
        bill.write_text(f"{head}20240115,000001,{name},买入,9.3,100\n")
        made = json.loads(ok(ia("trade", "import", str(bill), "--dry-run", "--json")))["entries"]
        assert [each["symbol"] for each in made] == ["000001.SZ"]
    bill.write_text(f"{head}20240115,000001,上证指数,买入,9.3,100\n")
    run = ia("trade", "import", str(bill), "--dry-run")
    assert run.returncode == 65 and "is an index and cannot be traded" in run.stderr


def test_a_purchase_in_new_york_in_the_morning_of_shanghai_says_its_day(ia):
    env = {**FREE, "IA_LANG": "en", "IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-06T09:00:00+08:00"}
    ok(ia("trade", "deposit", "5000", "--currency", "USD", env=env))
    run = ia("trade", "buy", "AAPL", "10", "216", env=env)
    assert "2024-03-05" in ok(run) and "dated 2024-03-05, the day at the exchange" in run.stderr
    later = {**env, "IA_NOW": "2024-03-15T18:00:00+08:00"}
    (usd,) = json.loads(ok(ia("profit", "--since", "2024-03-04", "--json", env=later)))["currencies"].values()
    assert usd["begin"] == "2024-03-05" and usd["twr_frac"] is not None
