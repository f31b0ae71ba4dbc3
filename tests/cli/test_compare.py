"""ia compare, as a process on the simulated market."""

import json

import pytest


@pytest.fixture
def market(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:30:00+08:00")
    return ws


def test_json_rows_and_pictures_say_the_same(ia, market, tmp_path):
    told = json.loads(ia("compare", "300750", "002594", "--json").stdout)
    one, other = told["securities"]
    assert (one["symbol"], one["currency"], one["beta_to"]) == ("300750.SZ", "CNY", "000300.SH")
    quoted = ia("compute", "roc(close, 60)", "--symbol", "300750")
    assert float(quoted.stdout) == pytest.approx(one["return_60d_pct"], rel=1e-9)
    head, *lines = ia("compare", "300750", "002594").stdout.splitlines()
    row = dict(zip(head.split("\t"), lines[1].split("\t"), strict=True))
    assert float(row["volatility_ann_pct"]) == other["volatility_ann_pct"]
    assert float(row["correlation_300750.SZ"]) == told["correlations"][0]["correlation"]
    drawn = ia("compare", "300750", "002594", "--days", "60", "--chart").stdout
    assert "300750.SZ" in drawn
    assert "002594.SZ" in drawn
    for kind in ("svg", "html"):
        path = tmp_path / f"c.{kind}"
        run = ia("compare", "300750", "002594", "--since", "2024-01-02", "-o", str(path))
        assert run.stdout == f"{path}\n"
        assert "= 100" in path.read_text()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("300750",), 2, "two different securities"),
        (("300750", "300750"), 2, "two different securities"),
        (("300750", "nosuchname"), 66, "nosuchname"),
        (("300750", "002594", "--since", "2025-01-01"), 2, "future"),
        (("300750", "002594", "--since", "1y", "--days", "5"), 2, "not both"),
        (("300750", "002594", "--since", "2024-03-05", "--until", "2024-03-01"), 2, "after"),
        (("300750", "002594", "-o", "x.gif"), 2, "unknown picture format"),
        (("300750", "002594", "--json", "--chart"), 2, "leave out"),
    ],
)
def test_bad_input_is_one_line(ia, market, words, status, said):
    run = ia("compare", *words)
    assert (run.returncode, run.stdout) == (status, "")
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_currencies_are_named_and_missing_valuations_told(ia, market):
    run = ia("--lang", "zh", "compare", "300750", "AAPL", "HSI")
    assert run.returncode == 0
    assert "币种不同（CNY, USD, HKD）" in run.stderr
    assert "HSI.HK：没有估值" in run.stderr
