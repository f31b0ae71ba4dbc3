"""`ia backtest run --grid`, `--train`, `ia backtest report`, and the place of a run among all trials."""

import json
import re

import pytest

CROSS = (
    "--entry", "crossover(sma(close, {n}), sma(close, {m}))", "--exit", "crossunder(sma(close, {n}), sma(close, {m}))",
)  # fmt: skip


@pytest.fixture(autouse=True)
def demo(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")


def grid(ia, *more, values=("n=5,10", "m=20:40:20")):
    words = [word for text in values for word in ("--grid", text)]
    return ia("backtest", "run", "600519", *CROSS, *words, "--since", "2021-01-01", *more)


def test_every_variant_of_a_family_counts_and_show_says_which(ia):
    words = ("backtest", "run", "600519", "--since", "2021-01-01", "--entry")
    first = json.loads(ia(*words, "rsi(close, 14) < 30", "--json").stdout)["selection"]
    assert (first["place"], first["trials"]) == (1, 1)
    assert first["dsr_frac"] == first["psr_frac"]
    for limit in range(25, 30):
        ia(*words, f"rsi(close, 14)<{limit}")
    again = json.loads(ia(*words, "rsi(close, 14) < 30", "--json").stdout)["selection"]
    assert (again["place"], again["trials"]) == (1, 6)
    assert again["dsr_frac"] < first["dsr_frac"]
    last = ia(*words, "rsi(close, 21) < 28")
    assert "7th variant tried with these rules and securities (of 7)" in last.stdout
    shown = ia("backtest", "show", re.search(r"runs/(\w+)/", last.stdout)[1])
    assert "7th variant" in shown.stdout
    other = json.loads(ia(*words, "rsi(open, 14) < 30", "--json").stdout)["selection"]
    assert (other["place"], other["trials"]) == (1, 1)


def test_a_grid_ends_in_a_map_and_the_deflated_figure(ia):
    done = grid(ia)
    assert "n\\m" in done.stdout and "4 variants: Sharpe" in done.stdout
    assert "After 4 trials chance alone" in done.stdout and "Probability of overfitting" in done.stdout
    found = json.loads(grid(ia, "--json").stdout)
    assert found["variants"] == found["trials"] == 4  # the same again is no new trial
    assert found["map"]["rows"] == ["5", "10"] and found["map"]["columns"] == ["20", "40"]
    assert set(found["search"]["pbo_frac"]) == {"8", "10", "16"}
    assert found["selection"]["bootstrap"] == {"block": 20, "draws": 2000, "seed": 1}
    one = json.loads(
        ia("backtest", "run", "600519", "--since", "2021-01-01", "--entry", "crossover(sma(close,5),sma(close,20))",
           "--exit", "crossunder(sma(close,5),sma(close,20))", "--json").stdout
    )  # fmt: skip
    assert one["selection"]["trials"] == 5  # other spaces are another text of the same family
    assert one["sharpe"] == pytest.approx(found["map"]["values"][0][0])
    assert "–" not in ia("backtest", "list").stdout


def test_a_walk_forward_joins_its_tests(ia):
    done = grid(ia, "--train", "1y", "--test", "6m", "--embargo", "5d", "--json")
    found = json.loads(done.stdout)
    steps = found["walk_forward"]["steps"]
    assert found["first"] == steps[0]["test_first"] and found["last"] == steps[-1]["test_last"] == "2024-03-15"
    product = 1.0
    for step in steps:
        product *= 1 + step["test_return_frac"]
    assert found["return_frac"] == pytest.approx(product - 1, abs=1e-6)
    shown = ia("backtest", "show")
    assert "Walk forward" in shown.stdout and steps[0]["test_first"] in shown.stdout
    assert "Probability that the true Sharpe is above 0" in shown.stdout and "trials chance" not in shown.stdout
    default = json.loads(grid(ia, "--train", "1y", "--json").stdout)
    assert default["settings"]["walk_forward"]["embargo"] == 40  # crossover of sma(close, 40)


@pytest.mark.soak
def test_maps_and_pages_are_written(ia, tmp_path):
    for kind in ("svg", "png", "html"):
        path = tmp_path / f"map.{kind}"
        assert grid(ia, "-o", str(path)).stdout == f"{path}\n"
        assert path.stat().st_size > 2000
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    grid(ia, "--train", "1y")
    walk = ia("backtest", "report").stdout
    assert "Walk forward" in walk and "SIMULATED PRICES" in walk
    ia(
        "backtest",
        "run",
        "600519",
        "--entry",
        "rsi(close, 14) < 40",
        "--exit",
        "rsi(close, 14) > 60",
        "--since",
        "2021-01-01",
    )
    page = ia("backtest", "report", "last", env={"IA_LANG": "zh"}).stdout
    assert "模拟行情" in page and "收缩夏普比率" in page and "买入持有" in page and 'class="chart"' in page
    assert "定义" in page and "script-src 'sha256-" in page


@pytest.mark.parametrize(
    "words",
    [
        ("--train", "1y"),
        ("--grid", "n=5,10"),
        ("--grid", "n=5,10", "--grid", "m=x"),
        ("--grid", "n=5,10", "--grid", "m=20", "--test", "6m"),
        ("--grid", "n=5,10", "--grid", "m=20", "--train", "soon"),
        ("--grid", "n=5,10", "--grid", "m=20", "--train", "50y"),
        ("--grid", "n=5,10", "--grid", "m=20", "--train", "1y", "--test", "6m", "--step", "3m"),
        ("--grid", "n=5,10", "--grid", "m=20", "--equity", "-"),
        ("--grid", "n=5,10", "--grid", "m=20", "-o", "map.gif"),
        ("-o", "map.svg"),
    ],
)
def test_what_does_not_fit_is_one_line_and_status_2(ia, words):
    done = ia("backtest", "run", "600519", *CROSS, *words)
    assert (done.returncode, done.stdout) == (2, "") and "Traceback" not in done.stderr


def test_bars_of_standard_input_can_be_swept(ia):
    csv = ia("ohlcv", "600519", "--start", "2021-01-01").stdout
    words = (
        "backtest",
        "run",
        "--entry",
        "close > sma(close, {n})",
        "--exit",
        "close < sma(close, {n})",
        "--grid",
        "n=5,20",
    )
    assert json.loads(ia(*words, "--json", input=csv).stdout)["variants"] == 2


def test_reports_without_a_run(ia):
    done = ia("backtest", "report")
    assert done.returncode == 66 and "no backtest has been run" in done.stderr
