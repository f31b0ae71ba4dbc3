"""ia backtest, from the outside."""

import json

DOCUMENT = {
    "config": {"cash": "10000", "commission_pct": "0.025", "commission_min": "5"},
    "bars": {
        "600000.SH": [["2024-03-04", 9.9, 10.1, 9.8, 10, 1000000], ["2024-03-05", 10.1, 10.2, 10, 10.15, 1000000]]
    },
    "orders": [{"after": "2024-03-04", "symbol": "600000.SH", "side": "buy", "value": "10000"}],
}


def test_orders_of_a_file_and_of_standard_input(ia, tmp_path):
    file = tmp_path / "orders.json"
    file.write_text(json.dumps(DOCUMENT))
    run = ia("backtest", "orders", str(file))
    assert (run.returncode, run.stderr) == (0, "")
    found = json.loads(run.stdout)
    assert found["fills"][0] == {
        "order": 0, "date": "2024-03-05", "symbol": "600000.SH", "side": "buy", "quantity": "900", "price": "10.10",
        "commission": "5.00", "transfer": "0.09",
    }  # fmt: skip
    assert found["cash"]["2024-03-05"] == "904.91"
    assert ia("backtest", "orders", "-", input=file.read_text()).stdout == run.stdout


def test_a_file_of_cases_and_bad_input(ia, tmp_path):
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"cases": [{"id": "A", **DOCUMENT}]}))
    assert json.loads(ia("backtest", "orders", str(file), "--case", "A").stdout)["fills"]
    assert ia("backtest", "orders", str(file)).returncode == 2
    assert ia("backtest", "orders", str(file), "--case", "B").returncode == 66
    assert ia("backtest", "orders", str(tmp_path / "none.json")).returncode == 66
    for text in ("{", "[]", '{"bars": 1}', "[" * 100_000):
        run = ia("backtest", "orders", "-", input=text)
        assert run.returncode == 65, text
        assert len(run.stderr.splitlines()) == 1
