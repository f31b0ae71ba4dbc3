"""`ia indicator` as the manual has it: given these bars, this command prints that."""

import json

import pytest

CLOSES = [10, 11, 12, 11, 13, 14, 13, 15, 16, 15, 17, 18, 17, 19, 20, 19]


@pytest.fixture
def csv(tmp_path):
    """Sixteen bars in canonical CSV."""
    lines = [f"2024-01-{i + 1:02d},{c},{c + 1},{c - 1},{c},{1000 + i}" for i, c in enumerate(CLOSES)]
    path = tmp_path / "bars.csv"
    path.write_text("date,open,high,low,close,volume\n" + "\n".join(lines) + "\n")
    return path


def test_list_is_a_table_of_names_categories_and_parameters(ia):
    done = ia("indicator", "list")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "name\tcategory\tparams\tdescription"
    assert "RSI\tmomentum\tperiod=14\tRelative Strength Index, 0-100 range" in lines
    assert "MACD\ttrend\tfast=12 slow=26 signal=9\t" in done.stdout


def test_list_as_json_and_by_category(ia):
    rows = json.loads(ia("indicator", "list", "--json").stdout)
    assert {row["category"] for row in rows} == {"trend", "momentum", "volatility", "statistics", "volume"}
    assert {
        "name": "OBV",
        "category": "volume",
        "alias": "obv",
        "params": [],
        "description": "On-balance volume",
    } in rows
    volume = ia("indicator", "list", "--category", "volume", "--jsonl").stdout.splitlines()
    assert [json.loads(line)["name"] for line in volume] == ["OBV", "MFI", "AD", "ChaikinOscillator"]
    done = ia("indicator", "list", "--category", "magic")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ia: magic: unknown category\nhint: choose one of trend, momentum")


def test_list_of_the_functions_of_expressions(ia):
    lines = ia("indicator", "list", "--functions").stdout.splitlines()
    assert lines[0] == "call\tdescription"
    assert "rsi(x, n=14)\tWilder's relative strength index, 0 .. 100" in "\n".join(lines)
    assert any(line.startswith("macd(x, fast=12, slow=26, signal=9) -> macd, signal, histogram\t") for line in lines)
    assert "下穿" in ia("--lang", "zh", "indicator", "list", "--functions").stdout
    assert ia("indicator", "list", "--functions", "--category", "trend").returncode == 2


def test_describe(ia):
    done = ia("indicator", "describe", "rsi")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert told["name"] == "RSI"
    assert told["params"] == {"period": {"type": "int", "default": 14, "range": [2, 200]}}


def test_calc_of_one_result(ia, csv):
    done = ia("indicator", "calc", "Momentum", "--param", "period=3", input=csv.read_text())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == '{"value": 2.0, "prev": 2.0, "date": "2024-01-16"}\n'


def test_calc_of_several_results(ia, csv):
    done = ia("indicator", "calc", "bbands", str(csv), "-p", "period=4", "-p", "std=1")
    assert json.loads(done.stdout) == {
        "upper": pytest.approx(18.75 + 1.0897247358851685), "middle": 18.75,
        "lower": pytest.approx(18.75 - 1.0897247358851685),
        "prev": {"upper": pytest.approx(18.5 + 1.118033988749895), "middle": 18.5,
                 "lower": pytest.approx(18.5 - 1.118033988749895)},
        "date": "2024-01-16",
    }  # fmt: skip


def test_too_few_bars_are_null_and_told(ia, csv):
    done = ia("indicator", "calc", "SMA", str(csv))
    assert done.returncode == 0
    assert done.stdout == '{"value": null, "prev": null, "date": "2024-01-16"}\n'
    assert done.stderr == "ia: SMA: 16 bars are too few to compute a value\n"


def test_nothing_after_now_is_seen(ia, csv):
    def at(now):
        done = ia("--now", now, "indicator", "calc", "mom", "-p", "period=1", str(csv))
        return json.loads(done.stdout)

    assert at("2024-01-10T15:00+08:00") == {"value": -1.0, "prev": 1.0, "date": "2024-01-10"}
    assert at("2024-01-10T14:59+08:00") == {"value": 1.0, "prev": 2.0, "date": "2024-01-09"}
    assert at("2020-01-01") == {"value": None, "prev": None, "date": None}


@pytest.mark.parametrize(
    "args, status, message",
    [
        (["calc", "RSO"], 66, "ia: RSO: no such indicator\nhint: did you mean RSI"),
        (["describe", "nonsense!"], 66, "ia: nonsense!: no such indicator\nhint: see `ia indicator list`"),
        (["calc", "RSI", "-p", "period"], 2, "ia: --param period: write it as KEY=VALUE"),
        (["calc", "RSI", "-p", "period=abc"], 2, "ia: RSI: period must be a number, not abc"),
        (["calc", "RSI", "-p", "length=3"], 2, "ia: RSI: unknown parameter length\nhint: available: period"),
        (["calc", "OBV", "-p", "n=3"], 2, "ia: OBV has no parameters"),
        (["calc", "RSI", "missing.csv"], 66, "ia: missing.csv: no such file"),
        (["calc", "RSI", "--symbol", "600519", "x.csv"], 2, "ia: give --symbol or FILE, not both"),
    ],
)
def test_what_is_wrong_is_one_line_and_its_status(ia, args, status, message):
    done = ia("indicator", *args, input="")
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(message)
    assert "Traceback" not in done.stderr


def test_broken_csv_names_the_line(ia, csv):
    broken = csv.read_text().replace("2024-01-03,12,", "2024-01-03,12x,")
    done = ia("indicator", "calc", "RSI", input=broken)
    assert (done.returncode, done.stdout) == (65, "")
    assert done.stderr.startswith("ia: <stdin>:4: ")


def test_chinese(ia, csv):
    done = ia("--lang", "zh", "indicator", "describe", "RSI")
    assert json.loads(done.stdout)["description"] == "相对强弱指数，范围 0-100"
    done = ia("--lang", "zh", "indicator", "calc", "SMA", str(csv))
    assert done.stderr == "ia: SMA：只有 16 根 K 线，算不出数值\n"
    assert json.loads(done.stdout)["value"] is None


@pytest.mark.parametrize("name, numpy", [("RSI", False), ("CCI", True)])
def test_no_pandas_and_numpy_only_where_it_pays(csv, name, numpy):
    import subprocess
    import sys

    code = (
        "import sys\n"
        "from ia_cli.main import run_command_line\n"
        f"assert run_command_line(['indicator', 'calc', {name!r}, {str(csv)!r}]) == 0\n"
        f"assert ('numpy' in sys.modules) is {numpy}\n"
        "assert not {'pandas', 'akshare', 'llm', 'rich', 'sqlite_utils'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
