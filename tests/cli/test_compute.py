"""ia compute: what it prints, what it reads, and how it says no."""

import contextlib
import json
import os
import subprocess

import pytest

from support.program import installed

CSV = """date,open,high,low,close,volume
2024-01-15,10.5,11.5,10,11,100
2024-01-16,11,12,10.5,11.5,200
2024-01-17,11.5,12.5,11,12.25,300
2024-01-18,12.25,13,12,12.5,400
"""
BARS = "ia: standard input, 2024-01-18: 4 bars\n"
"""What stderr says of CSV."""

PRINTED = {
    # one expression a form: the array lane and the sandbox print alike
    "close": "12.5\n",
    "volume": "400\n",
    "close.mean()": "11.8125\n",
    "close > open": "true\n",
    "bool(close.iloc[-1] < 3)": "false\n",
    "sma(close, 2)": "12.375\n",
    "len(df)": "4\n",
    "'收盘 %.2f' % close.iloc[-1]": "收盘 12.50\n",
    "df": "open\t12.25\nhigh\t13.0\nlow\t12.0\nclose\t12.5\nvolume\t400\n",
    "df[['close']].assign(up=close > open)": "close\t12.5\nup\ttrue\n",
    "{'last': close.iloc[-1], 'n': len(df), 'none': None}": '{"last": 12.5, "n": 4, "none": null}\n',
    "[1, 'a', close.shift(1).iloc[0]]": '[1, "a", null]\n',
    "date": "2024-01-18\n",
    "close.idxmax()": "2024-01-18\n",
    "close.shift(9).iloc[-1]": "nan\n",
    "x = close * 2\nx.iloc[-1]": "25.0\n",
    "result = 7": "7\n",
    # a series that is one row prints as a row
    "df.iloc[-1]": "open\t12.25\nhigh\t13.0\nlow\t12.0\nclose\t12.5\nvolume\t400.0\n",
    "df[['close', 'open']].mean()": "close\t11.8125\nopen\t11.3125\n",
    "pd.concat([close, close], axis=1)": "close\t12.5\nclose\t12.5\n",
    # inside a dict or list a series of dates is its last value
    "{'ma': sma(close, 2), 'df': df[['close']], 'n': 1}": '{"ma": 12.375, "df": {"close": 12.5}, "n": 1}\n',
    "{'years': close.groupby(date.dt.year).max(), 'none': close.iloc[:0]}": '{"years": {"2024": 12.5}, "none": null}\n',
    # what is not there
    "None": "null\n",
    "close.iloc[:0]": "null\n",
    "df[['close']].iloc[:0]": "close\tnull\n",
}


@pytest.mark.share(3)
@pytest.mark.parametrize("source", PRINTED)
def test_what_a_value_prints(ia, source):
    run = ia("compute", source, input=CSV)
    assert (run.stdout, run.stderr) == (PRINTED[source], BARS)
    assert run.returncode == (1 if run.stdout == "false\n" else 0)


def test_series_prints_dates_and_values_with_gaps_empty(ia):
    run = ia("compute", "close.shift(1)", "--series", input=CSV)
    assert run.stdout == "date,value\n2024-01-15,\n2024-01-16,11.0\n2024-01-17,11.5\n2024-01-18,12.25\n"


@pytest.mark.parametrize("source", ["sma(close, 2)", "close.rolling(2).mean()"])
def test_both_lanes_print_a_series_alike(ia, source):
    assert ia("compute", source, "--series", input=CSV).stdout == (
        "date,value\n2024-01-15,\n2024-01-16,11.25\n2024-01-17,11.875\n2024-01-18,12.375\n"
    )


def test_a_frame_of_bars_goes_on_as_canonical_csv(ia):
    assert ia("compute", "df", "--csv", input=CSV).stdout.splitlines() == [
        "date,open,high,low,close,volume",
        "2024-01-15,10.5,11.5,10.0,11.0,100",
        "2024-01-16,11.0,12.0,10.5,11.5,200",
        "2024-01-17,11.5,12.5,11.0,12.25,300",
        "2024-01-18,12.25,13.0,12.0,12.5,400",
    ]
    weekly = (
        "df.resample('W-FRI').agg({'volume': 'sum', 'close': 'last', 'open': 'first', 'high': 'max', 'low': 'min'})"
    )
    once = ia("compute", weekly, "--csv", input=CSV).stdout
    assert once == "date,open,high,low,close,volume\n2024-01-19,10.5,13.0,10.0,12.5,1000\n"
    assert ia("compute", "close", input=once).stdout == "12.5\n"


def test_another_frame_prints_csv_with_its_header(ia):
    run = ia("compute", "pd.DataFrame({'a,b': close, 'c': ['x\"y'] * 4}).tail(1)", "--csv", input=CSV)
    assert run.stdout == 'date,"a,b",c\n2024-01-18,12.5,"x""y"\n'


@pytest.mark.parametrize(
    "source, expected",
    [
        ("sma(close, 2)", {"type": "series", "name": "SMA_2", "value": 12.375, "date": "2024-01-18"}),
        ("close.rolling(9).mean()", {"type": "series", "name": "close", "value": None, "date": "2024-01-18"}),
        ("close.max()", {"type": "scalar", "name": None, "value": 12.5, "date": "2024-01-18"}),
        ("df[['close']]", {"type": "frame", "name": None, "value": {"close": 12.5}, "date": "2024-01-18"}),
        (
            "df[['close']].iloc[-1]",
            {"type": "series", "name": "2024-01-18", "value": {"close": 12.5}, "date": "2024-01-18"},
        ),
        ("close.iloc[:0]", {"type": "series", "name": "close", "value": None, "date": "2024-01-18"}),
        ("{'a': [1]}", {"type": "structure", "name": None, "value": {"a": [1]}, "date": "2024-01-18"}),
        ("close.iloc[:2]", {"type": "series", "name": "close", "value": 11.5, "date": "2024-01-16"}),
    ],
)
def test_json_has_type_name_value_and_date(ia, source, expected):
    assert json.loads(ia("compute", source, "--json", input=CSV).stdout) == expected


SAYS_NO = {
    "close.mean(": (65, "<expression>:1: "),
    "x = 1\n1 / 0": (65, "<expression>:2: division by zero"),
    "clsoe": (65, "<expression>:1: unknown name clsoe\nhint: did you mean close"),
    "RSI(close)": (65, "<expression>:1: unknown name RSI\nhint: did you mean rsi?"),
    "close.meen()": (65, "<expression>:1: Series has no meen\nhint: did you mean"),
    "df['vwap']": (65, "<expression>:1: unknown column or key 'vwap'"),
    "ta.rsi(close, lenght=3)": (65, "<expression>:1: ta.rsi has no argument lenght; available: close, length"),
    "ta.rsii(close)": (65, "<expression>:1: ta has no rsii\nhint: did you mean rsi"),
    "ta.ma('smaa', close)": (65, "<expression>:1: unknown moving average 'smaa'"),
    "ta.atr(high, low, close, 2, 'evil')": (65, "<expression>:1: unknown moving average 'evil'"),
    "ta.sma(close, 50)": (65, "<expression>:1: ta.sma returned no result: too few rows"),
    "close.rolling(3)": (65, "the value is a Rolling; end the expression with"),
    "close.mean": (65, "the value is a function; call it with ()"),
    "x = 1": (65, "the last line has no value; end with an expression, or assign a value to result"),
    "print(1)": (65, "<expression>:1: unknown name print\nhint: ia prints the value of the last line automatically"),
    "": (65, "the expression is empty"),
    "import os": (
        77,
        "<expression>:1: `import` is not allowed in expressions\nhint: remove the import; pd, np, ta and math are already available",
    ),
    "close.to_csv('x')": (77, "<expression>:1: Series.to_csv is not available in expressions"),
    "pd.read_csv('/etc/passwd')": (77, "<expression>:1: pd.read_csv is not available in expressions"),
    "().__class__": (77, "<expression>:1: names that begin with an underscore are not allowed: __class__"),
    "*".join(["1000000000000"] * 400): (77, "the expression is nested too deeply; simplify it"),
    "10**6000": (65, "an integer of more than one thousand digits"),
    "[[0]] * 3300000": (65, "the value has more than 200000 elements; return fewer"),
    'pd.Timestamp("no" + "w")': (77, "reads this machine's clock"),
    'pd.to_datetime(["".join(["n", "ow"])]).max()': (77, "'now' reads this machine's clock"),
    'pd.date_range(end="%s" % "today", periods=1)[0]': (77, "'today' reads this machine's clock"),
    'f = pd.Timestamp\nf("x".join(["", ""]).replace("x", " Now"))': (77, "reads this machine's clock"),
    "df['closd\x1b[31mX'] = 1\ndf.closdX": (65, "hint: did you mean"),
    "x = '\udce9'": (65, "<expression>:1: the text is not valid UTF-8"),
    "np.zeros(10**9)": (77, "the expression needs more memory than the sandbox has (1 GB)"),
}


@pytest.mark.share(3)
@pytest.mark.parametrize("source", SAYS_NO)
def test_how_it_says_no(ia, source):
    status, text = SAYS_NO[source]
    run = ia("compute", source, input=CSV)
    assert run.returncode == status, run.stderr
    assert run.stdout == ""
    assert run.stderr.startswith("ia: ") and text in run.stderr
    assert "Traceback" not in run.stderr and "Error" not in run.stderr and "\x1b" not in run.stderr


def test_columns_that_no_bar_can_hold_print_as_csv_of_their_own(ia):
    huge = 'df["close"] = pd.Series([10**400] * len(df), index=df.index)\ndf'
    run = ia("compute", huge, "--csv", input=CSV)
    assert run.returncode == 0 and run.stdout.startswith(
        "date,open,high,low,close,volume\n2024-01-15,10.5,11.5,10.0,1000"
    )
    minus = ia("compute", "df['volume'] = -5\ndf", "--csv", input=CSV).stdout
    assert minus.splitlines()[1] == "2024-01-15,10.5,11.5,10.0,11.0,-5"
    assert ia("compute", "close", input=minus).returncode == 65


def test_too_slow_is_124(ia):
    run = ia("compute", "while True:\n    pass", "--timeout", "0.5", input=CSV)
    assert run.returncode == 124
    assert run.stderr == BARS + "ia: the expression ran longer than 0.5 s\nhint: raise the limit with --timeout\n"


def test_look_ahead_is_warned_of_and_refused_with_strict(ia):
    warning = "ia: <expression>:1: close.shift(-1) looks ahead: it moves later values to earlier bars\n"
    run = ia("compute", "close.shift(-1).iloc[0]", input=CSV)
    assert (run.returncode, run.stdout, run.stderr) == (0, "11.5\n", warning + BARS)
    run = ia("compute", "close.shift(-1).iloc[0]", "--strict", input=CSV)
    assert (run.returncode, run.stdout) == (77, "")
    assert run.stderr.startswith(warning + "ia: the expression uses look-ahead\n")
    assert ia("compute", "sma(close, 2)", "--strict", input=CSV).returncode == 0


def test_a_file_of_code(ia, tmp_path):
    (tmp_path / "cross.py").write_text("fast = sma(close, 2)\r\nfast > close.shift(1)\n")
    run = ia("compute", "-f", "cross.py", input=CSV)
    assert (run.returncode, run.stdout, run.stderr) == (0, "true\n", BARS)
    (tmp_path / "broken.py").write_text("x = 1\ny = x +\n")
    run = ia("compute", "-f", "broken.py", input=CSV)
    assert run.returncode == 65
    assert run.stderr.startswith("ia: broken.py:2: ")
    assert ia("compute", "-f", "missing.py", input=CSV).returncode == 66


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["1", "-f", "x.py"],
        ["1", "--csv", "--json"],
        ["1", "--timeout", "0"],
        ["1", "--timeout", "inf"],
        ["1", "--timeout", "nan"],
        ["1", "--timeout", "1e12"],
        ["1", "--timeout", "-1"],
    ],
)
def test_wrong_words_are_status_2(ia, args):
    assert ia("compute", *args, input=CSV).returncode == 2


@pytest.mark.parametrize("source", ["rsi(close, 14)", "close.mean()"])
def test_input_that_is_no_canonical_csv_is_65_with_its_line(ia, source):
    run = ia("compute", source, input=CSV.replace("2024-01-17,11.5", "2024-01-17,x"))
    assert run.returncode == 65 and run.stderr.startswith("ia: <stdin>:4: ")
    assert ia("compute", source, input="").returncode == 65
    assert ia("compute", source, input="date,open,high,low,close,volume\n").returncode == 65


@pytest.mark.parametrize("source", ["close", "close.iloc[-1]"])
def test_piped_bars_after_now_are_not_there(ia, source):
    assert ia("--now", "2024-01-17T15:00+08:00", "compute", source, input=CSV).stdout == "12.25\n"
    assert ia("--now", "2024-01-17T14:59+08:00", "compute", source, input=CSV).stdout == "11.5\n"
    run = ia("--now", "2020-01-01", "compute", source, input=CSV)
    assert (run.returncode, run.stdout, run.stderr) == (65, "", "ia: no bars to compute with\n")


def test_piped_intraday_bars_are_cut_by_their_own_time(ia):
    bars = CSV.splitlines()[0] + "".join(f"\n2024-01-15T10:0{m}:00,1,1,1,1.{m},100" for m in range(6)) + "\n"
    assert ia("--now", "2024-01-15T10:03+08:00", "compute", "close", input=bars).stdout == "1.3\n"
    assert ia("--now", "2024-01-15T10:03+08:00", "compute", "len(df)", input=bars).stdout == "4\n"


def test_bars_that_contradict_themselves_are_an_error_with_strict(ia):
    odd = CSV.replace("12.5,11,12.25", "12.5,11.7,12.25")
    run = ia("compute", "close", input=odd)
    assert (run.returncode, run.stdout) == (0, "12.5\n") and "<stdin>:4: low" in run.stderr
    run = ia("compute", "close", "--strict", input=odd)
    assert (run.returncode, run.stdout) == (65, "") and run.stderr.startswith("ia: <stdin>:4: low")


def test_a_dash_in_front_stands_behind_two(ia):
    assert ia("compute", "--", "-close", input=CSV).stdout == "-12.5\n"
    assert ia("compute", "--", "-close.mean()", input=CSV).stdout == "-11.8125\n"


@pytest.mark.parametrize("source, status", [("1 +", 65), ("import os", 77)])
def test_what_cannot_run_is_told_before_prices_are_fetched(ia, source, status):
    run = ia("compute", source, "--symbol", "600519", env={"IA_MARKET_ADAPTER": "demo"})
    assert (run.returncode, run.stdout) == (status, "")
    assert run.stderr.startswith("ia: <expression>:1: ") and "simulated" not in run.stderr


def test_what_the_session_looked_at_last_is_for_a_terminal(ia, tmp_path):
    demo = {"IA_MARKET_ADAPTER": "demo", "IA_SESSION": "test", "NO_COLOR": "1", "TERM": "xterm"}
    shown = ia("ohlcv", "600519", "--start", "2024-01-01", env=demo).stdout
    for source in ("close", "close.mean()"):
        run = ia("compute", source, env=demo)
        assert (run.returncode, run.stdout) == (2, "")
        assert run.stderr.startswith("ia: no prices to compute with\nhint: pipe prices in: ")
    day, *_, last, _ = shown.splitlines()[-1].split(",")
    seen, status = at_terminal(["compute", "close"], {**os.environ, **demo}, tmp_path)
    assert status == 0 and f"{float(last)}\r\n" in seen
    assert f"ia: 600519.SH {day} (daily, qfq): {len(shown.splitlines()) - 1} bars" in seen
    assert at_terminal(["compute", "close < 0"], {**os.environ, **demo}, tmp_path)[1] == 1
    assert at_terminal(["compute", "close"], {**os.environ, **demo, "IA_SESSION": "other"}, tmp_path)[1] == 2


def at_terminal(args, env, folder):
    """Return what `ia` writes to a terminal that it was started at, and its status."""
    import pty

    read, write = pty.openpty()
    with subprocess.Popen(
        [*installed(), *args], stdin=write, stdout=write, stderr=write, env=env, cwd=folder
    ) as process:
        os.close(write)
        seen = b""
        with contextlib.suppress(OSError):
            while piece := os.read(read, 4096):
                seen += piece
    os.close(read)
    return seen.decode(), process.returncode


@pytest.mark.share(3)
@pytest.mark.parametrize(
    "source, answer, status",
    [
        ("close.iloc[-1] > 12", "true", 0),
        ("close.iloc[-1] > 13", "false", 1),
        ("close > open", "true", 0),
        ("close < open", "false", 1),
        ("sma(close, 2) < 3", "false", 1),
        ("bool(close.iloc[-1] > 13)", "false", 1),
        ("np.bool_(False)", "false", 1),
        ("pd.Series([True, False, True, None], index=close.index)", "null", 1),
        ("pd.Series([None] * 4, index=close.index)", "null", 0),
        ("close.iloc[:0] > 1", "null", 0),
        ("close * 0", "0.0", 0),
        ("0", "0", 0),
        ("None", "null", 0),
        ("{'a': close < open}", '{"a": false}', 0),
        ("df.iloc[-1] < 0", None, 0),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"], ["--series"]])
def test_a_condition_that_does_not_hold_ends_in_1(ia, source, answer, status, form):
    run = ia("compute", source, *form, input=CSV)
    assert run.returncode == status, run.stderr
    if not form and answer is not None:
        assert run.stdout == answer + "\n"


def test_stderr_names_the_symbol_and_the_last_bar(ia):
    demo = {"IA_MARKET_ADAPTER": "demo"}
    whole = ia("ohlcv", "600519", "--start", "2024-01-01", "--end", "2024-02-01", "--adjust", "none", env=demo).stdout
    told = [ia("compute", source, input=whole).stderr for source in ("close", "close.mean()")]
    assert told == ["ia: 600519.SH 2024-02-01 (daily, none): 23 bars\n"] * 2
    part = "".join(whole.splitlines(keepends=True)[:5])
    assert ia("compute", "close", input=part).stderr == "ia: standard input, 2024-01-05: 4 bars\n"
    assert (
        "ia: 600519.SH 2024-03-15 (daily, qfq): "
        in ia("--now", "2024-03-15T16:00+08:00", "compute", "close", "--symbol", "600519", env=demo).stderr
    )
    zh = ia("compute", "close", input=CSV, env={"IA_LANG": "zh"}).stderr
    assert zh == "ia: 标准输入，2024-01-18：4 根 K 线\n"


def test_what_stdin_is_does_not_depend_on_the_workspace(ia, tmp_path):
    (tmp_path / "empty").mkdir()
    for home in (tmp_path / "empty", tmp_path / "damaged"):
        if home.name == "damaged":
            (home / ".ia").mkdir(parents=True)
            (home / ".ia/ia.db").write_bytes(b"no database" * 500)
        run = ia("compute", "close", input=CSV, env={"IA_HOME": str(home)})
        assert (run.returncode, run.stdout) == (0, "12.5\n")
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_symbol_wins_and_standard_input_is_not_read(ia):
    run = ia("compute", "len(df)", "--symbol", "600519", input=CSV, env={"IA_MARKET_ADAPTER": "demo"})
    assert run.returncode == 0
    assert int(run.stdout) > 1000
    assert ia("compute", "close", "--symbol", "nosuchthing", input=CSV).returncode == 66


@pytest.mark.share(3)
@pytest.mark.parametrize(
    "source, chinese",
    [
        ("import os", "ia: <expression>:1：表达式里不能用 `import`"),
        ("pd.read_csv('x')", "ia: <expression>:1：表达式里没有 pd.read_csv"),
        ("close.meen()", "ia: <expression>:1：Series 没有 meen"),
        ("clsoe", "ia: <expression>:1：没有 clsoe 这个名字"),
        ("1 / 0", "ia: <expression>:1：除以零"),
        ("sma(close, 0)", "<expression>:1：sma：n 必须在 1 和 100000 之间，不能是 0"),
        ("sma(close)", "<expression>:1：sma：缺少 n"),
        ("sma('x', 5)", "<expression>:1：sma：x 必须是序列，不能是 str"),
        ("sma(close, close)", "<expression>:1：sma：n 必须是整数，不能是 序列"),
        ("rsi(close, foo=1)", "<expression>:1：rsi 没有参数 foo；可用 x, n"),
        ("rsi(close, 1, 2)", "<expression>:1：rsi 的参数太多（3 个），只有 2 个：x, n"),
        ("exec('1')", "<expression>:1：表达式里不能用 exec()"),
        ("x = [1]\nx[0].a += 1", "<expression>:2："),
        ("1 +", "ia: <expression>:1：语法错误\n"),
        ("(1", "ia: <expression>:1：'(' 没有闭合\n"),
        ("sma(close，5)", "ia: <expression>:1：不能用字符 '，'（U+FF0C）"),
        ("'abc", "ia: <expression>:1：字符串的引号没有闭合\n"),
        ("assert 1 == 2, 'x'\n1", "<expression>:1：断言不成立：x"),
        ("close.shift(-1).rolling(3)", "close.shift(-1) 有前视：把后面的值带到前面的 K 线"),
    ],
)
def test_it_speaks_chinese(ia, source, chinese):
    assert chinese in ia("compute", source, input=CSV, env={"IA_LANG": "zh"}).stderr


def test_every_sentence_that_the_guards_raise_is_agreed_upon():
    import ast
    from pathlib import Path

    from ia.organs.compute import functions, worker_protocol

    kinds = {"Told", "Denied", "NoResult", "Unprintable", "Misfit"}
    raised = set()
    for module in ("coreutils", "encode", "evaluate", "facade", "functions", "namespaces"):
        for node in ast.walk(ast.parse(Path(worker_protocol.__file__).with_name(f"{module}.py").read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds:
                assert not isinstance(node.args[0], ast.JoinedStr)
                raised.update([node.args[0].value] if isinstance(node.args[0], ast.Constant) else [])
    assert len(raised) > 30
    assert not (raised | {functions.MUST_BE, functions.CHOOSE}) - worker_protocol.SENTENCES
