"""ia chart and ia report: what they read, where the picture goes, and how they say no."""

import json
import os
import pty
import re
import subprocess
import xml.etree.ElementTree as ET

import pytest

from support.program import all_of, program

HEADER = "date,open,high,low,close,volume\n"
CSV = HEADER + "".join(
    f"2024-{m:02d}-{d:02d},{10 + m},{12 + m},{9 + m},{11 + m - d % 2 * 2},{100 * d}\n"
    for m in range(1, 7)
    for d in range(1, 29)
)


def lines(run):
    assert run.returncode == 0, run.stderr
    return run.stdout.split("\n")[:-1]


def test_a_pipe_gives_plain_text_of_80_by_24(ia):
    shown = lines(ia("chart", input=CSV))
    assert len(shown) == 24
    assert max(map(len, shown)) <= 80
    assert "\x1b" not in "".join(shown)
    assert "2024-06-28" in shown[0]
    assert "MA5" in shown[1]
    assert re.search("[║┃]", "".join(shown))


def test_columns_and_lines_change_that_and_options_win(ia):
    shown = lines(ia("chart", input=CSV, env={"COLUMNS": "120", "LINES": "40"}))
    assert (len(shown), max(map(len, shown)) > 80) == (40, True)
    shown = lines(ia("chart", "--width", "60", "--height", "16", input=CSV, env={"COLUMNS": "120"}))
    assert (len(shown), max(map(len, shown)) <= 60) == (16, True)


def test_a_locale_without_unicode_gets_ascii(ia):
    run = ia("chart", "--panes", "rsi", input=CSV, env={"PYTHONIOENCODING": "ascii"})
    assert "".join(lines(run)).isascii()


def on_a_terminal(argv, **env):
    """Run ia on a pseudo-terminal of 90 x 30 and return what it wrote."""
    import fcntl
    import struct
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 90, 0, 0))
    told = {name: value for name, value in os.environ.items() if name not in ("LINES", "COLUMNS")}
    run = subprocess.Popen(
        [*program(), *argv], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE, env={**told, **env}
    )
    os.close(slave)
    out = all_of(master)
    os.close(master)
    assert run.wait(60) == 0, run.stderr.read()
    run.stderr.close()
    return out.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colors_and_is_filled(tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    shown = on_a_terminal(["chart", str(tmp_path / "x.csv"), "--up", "red"])
    assert "\x1b[0;31m" in shown
    assert "\x1b[0;32m" in shown
    assert shown.count("\n") == 29  # a line is left for the prompt
    plain = on_a_terminal(["chart", str(tmp_path / "x.csv")], NO_COLOR="1")
    assert "\x1b" not in plain


def test_a_title_cannot_repaint_the_terminal(tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    shown = on_a_terminal(["chart", str(tmp_path / "x.csv"), "--title", "a\x1b[2J\x07\u202eb"], NO_COLOR="1")
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_panes_that_do_not_fit_are_reported(ia):
    run = ia("chart", "--panes", "rsi,macd,kdj,cci", input=CSV)
    assert len(lines(run)) == 24
    assert re.search(r"[123] of 4 panes fit into 24 lines", run.stderr)
    assert ia("chart", "--panes", "rsi,macd,kdj,cci", "--height", "50", input=CSV).stderr == ""


def test_a_file_names_the_picture_and_its_footer_says_what_is_shown(ia, tmp_path):
    (tmp_path / "my prices.csv").write_text(CSV)
    assert lines(ia("chart", "my prices.csv"))[0].startswith("my prices ")
    text = _drawn(ia, tmp_path, "my prices.csv", "--last", "30").read_text()
    assert "30 bars 2024-" in text and "168 bars" not in text
    assert ">1 bar of 2024-06-28" in _drawn(ia, tmp_path, "my prices.csv", "--last", "1").read_text()


def test_bundled_bars_are_told_and_nothing_is_claimed_of_foreign_prices(ia, tmp_path):
    made = ia("ohlcv", "-", input=CSV.replace("date,open", "Date,Open", 1)).stdout
    shown = lines(ia("chart", "--last", "120", input=made))
    assert shown[1].endswith("  2 bars per column · daily")
    (tmp_path / "x.csv").write_text(made)
    text = _drawn(ia, tmp_path, "x.csv", "--last", "150", "--width", "400").read_text()
    assert re.search(r">150 bars [^<]* · 2 bars per column · daily<", text)
    assert "adjusted" not in text + str(shown)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_csv_of_somebody_else_is_told_the_way_in(ia, tmp_path, lang):
    (tmp_path / "it's.csv").write_text(CSV.replace("date,open", "Date,Open", 1))
    run = ia("--lang", lang, "chart", "it's.csv")
    assert run.returncode == 65
    hint = re.search("`(.*)`", run.stderr)[1]
    assert hint == """ia ohlcv - < 'it'"'"'s.csv' | ia chart"""
    assert "`ia ohlcv - | ia chart`" in ia("--lang", lang, "chart", input="Date,Open\n").stderr


def test_the_setting_decides_over_the_colors(ia, tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    env = {"IA_PICTURES_UP": "blue"}
    text = ia("chart", "x.csv", "-o", "x.svg", env=env) and (tmp_path / "x.svg").read_text()
    assert 'class="blue"' in text and 'class="w-orange' not in text and 'class="wick w-orange"' in text
    assert 'class="red"' in _drawn(ia, tmp_path, "x.csv", "--up", "red").read_text()


def test_a_file_that_is_not_there(ia):
    run = ia("chart", "none.csv")
    assert (run.returncode, run.stdout) == (66, "")
    assert "none.csv: no such file" in run.stderr


def test_what_ia_wrote_is_known_through_the_pipe(ia):
    csv = ia("ohlcv", "600519", "--adapter", "demo").stdout
    shown = lines(ia("chart", input=csv))
    assert shown[0].startswith("600519.SH Kweichow Moutai [simulated prices]")
    run = ia("--lang", "zh", "chart", input=csv)
    assert "[模拟行情]" in run.stdout
    own = lines(ia("chart", "600519", "--adapter", "demo"))
    assert own == shown


def test_now_hides_what_comes_later(ia):
    shown = lines(ia("--now", "2024-03-05T18:00", "chart", input=CSV))
    assert "2024-03-05" in shown[0]


def test_a_file_a_window_and_no_bars(ia, tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    path = str(tmp_path / "x.csv")
    assert "2024-02-28" in lines(ia("chart", path, "--end", "2024-02-28"))[0]
    svg = ET.parse(_drawn(ia, tmp_path, path, "--start", "2024-05-01", "--last", "3"))
    assert "2024-06-26" in svg.getroot()[1].text
    run = ia("chart", path, "--start", "2030-01-01")
    assert (run.returncode, run.stdout) == (66, "")
    assert "2024-01-01 to 2024-06-28" in run.stderr
    assert ia("chart", input=HEADER).returncode == 65


def _drawn(ia, tmp_path, *argv, name="x.svg"):
    run = ia("chart", *argv, "-o", str(tmp_path / name))
    assert (run.returncode, run.stdout) == (0, f"{tmp_path / name}\n"), run.stderr
    return tmp_path / name


@pytest.mark.parametrize("kind", ["svg", "html", "png"])
def test_each_format_says_what_it_is(ia, tmp_path, kind):
    if kind == "png":
        pytest.importorskip("resvg_py")
    (tmp_path / "x.csv").write_text(CSV)
    run = ia("chart", str(tmp_path / "x.csv"), "-o", str(tmp_path / f"x.{kind}"), "--panes", "rsi,macd", "--log")
    if kind == "png" and run.returncode == 78:
        pytest.skip("no font is installed here")
    assert run.returncode == 0, run.stderr
    data = (tmp_path / f"x.{kind}").read_bytes()
    assert data.startswith({"svg": b"<svg xmlns", "html": b"<!doctype html>", "png": b"\x89PNG"}[kind])
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".x")] == []


def test_the_same_bars_give_the_same_bytes(ia, tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    made = [_drawn(ia, tmp_path, str(tmp_path / "x.csv"), name=name).read_bytes() for name in ("a.svg", "b.svg")]
    assert made[0] == made[1]
    pages = [
        ia("--now", "2024-07-01", "chart", str(tmp_path / "x.csv"), "-o", str(tmp_path / name))
        for name in ("a.html", "b.html")
    ]
    assert [page.returncode for page in pages] == [0, 0]
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


NO = {
    "a suffix that is none": (("-o", "x.gif"), 2, "svg, png, html"),
    "no suffix": (("-o", "x"), 2, "svg, png, html"),
    "no folder": (("-o", "none/x.svg"), 66, "none"),
    "a date that is none": (("--start", "soon"), 2, "soon"),
    "an indicator that is none": (("--panes", "rsy"), 66, "rsi"),
    "an expression that does not parse": (("--indicator", "close >"), 65, ""),
    "one that is refused": (("--indicator", "__import__('os')"), 77, ""),
    "what is no series": (("--indicator", "'a text'"), 65, "series"),
    "an adapter for bytes": (("--adapter", "demo"), 2, "SYMBOL"),
}  # fmt: skip


@pytest.mark.parametrize("what", NO)
def test_how_it_says_no(ia, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    argv, status, words = NO[what]
    run = ia("chart", *argv, input=CSV)
    assert (run.returncode, run.stdout) == (status, "")
    assert words in run.stderr
    assert "Traceback" not in run.stderr
    assert not [each for each in tmp_path.iterdir() if each.name.startswith((".", "x"))]


BAD = {
    "nothing": "",
    "not canonical": "a,b\n1,2\n",
    "a price of nought": HEADER + "2024-01-02,0,1,1,1,5\n",
    "infinite": HEADER + "2024-01-02,inf,inf,inf,inf,5\n",
    "a script for a date": HEADER + "<script>alert(1)</script>,1,1,1,1,5\n",
    "too few": HEADER + "2024-01-02,1\n",
    "two of a day": HEADER + "2024-01-02,1,1,1,1,5\n" * 2,
    "nul": HEADER + "2024-01-02,1,1,1,1,5\x00\n",
}


@pytest.mark.parametrize("what", BAD)
def test_bad_bars_are_refused_with_their_line(ia, what, tmp_path):
    run = ia("chart", "-o", str(tmp_path / "x.svg"), input=BAD[what])
    assert (run.returncode, run.stdout) == (65, "")
    assert "<stdin>" in run.stderr
    assert not (tmp_path / "x.svg").exists()


@pytest.mark.parametrize("price", ["0.0000001", "7", "99999999999999"])
def test_odd_prices_are_drawn(ia, tmp_path, price):
    csv = HEADER + "".join(
        f"2024-01-{d:02d},{price},{price},{price},{price},{9223372036854775807 if d == 5 else 0}\n" for d in range(1, 9)
    )
    (tmp_path / "x.csv").write_text(csv)
    for more in ((), ("--log",), ("--last", "1")):
        ET.parse(_drawn(ia, tmp_path, str(tmp_path / "x.csv"), *more))
        assert len(lines(ia("chart", *more, input=csv))) == 24


def test_a_failed_write_leaves_the_old_picture(ia, tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    (tmp_path / "x.svg").write_text("old")
    run = ia("chart", str(tmp_path / "x.csv"), "-o", str(tmp_path / "x.svg"), "--indicator", "close >")
    assert run.returncode == 65
    assert (tmp_path / "x.svg").read_text() == "old"


def test_indicators_see_the_bars_before_the_window(ia, tmp_path):
    """A 20-day average of the last 5 bars is there from the first of them on."""
    (tmp_path / "x.csv").write_text(CSV)
    page = _drawn(
        ia, tmp_path, str(tmp_path / "x.csv"), "--indicator", "sma(close, 20)", "--last", "5", name="x.html"
    ).read_text()
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[1])
    values = data["over"][0]["v"]
    assert (data["from"], data["to"]) == (163, 168)
    assert values[18] is None
    assert None not in values[19:]
    closes = data["c"]
    assert values[-1] == pytest.approx(sum(closes[-20:]) / 20, rel=1e-6)


def test_trades_are_marked_and_can_be_left_out(ia, tmp_path):
    ia("trade", "deposit", "1000000", "--date", "2024-01-02")
    bought = ia(
        "trade", "buy", "600519", "100", "--price", "100", "--date", "2024-03-05", "--override", "--because", "a test"
    )
    assert bought.returncode == 0, bought.stderr
    more = ("--date", "2024-03-05", "--override", "--because", "a test")
    assert ia("trade", "buy", "600519", "200", "100.01", *more).returncode == 0
    argv = ("600519", "--adapter", "demo", "--start", "2024-02-01", "--end", "2024-04-30")
    svg = _drawn(ia, tmp_path, *argv).read_text()
    assert 'data-side="buy"' in svg
    assert "buy 300 @ 100.01 in 2 trades" in svg  # 100.0067: what was dealt on a day stands at one arrow
    assert svg.count('class="trade"') == 1
    assert 'data-side="buy"' not in _drawn(ia, tmp_path, *argv, "--no-trades").read_text()
    assert "▲" in ia("chart", *argv, "--height", "30").stdout
    earlier = ia("--now", "2024-03-01", "chart", "600519", "--adapter", "demo", "-o", str(tmp_path / "e.svg"))
    assert earlier.returncode == 0, earlier.stderr
    assert 'data-side="buy"' not in (tmp_path / "e.svg").read_text()


def test_without_the_extra_png_says_what_to_install(ia, tmp_path):
    (tmp_path / "resvg_py.py").write_text("raise ImportError\n")
    run = ia("chart", "-o", str(tmp_path / "x.png"), input=CSV, env={"PYTHONPATH": str(tmp_path)})
    assert (run.returncode, run.stdout) == (78, "")
    assert "pip install '.[pictures]'" in run.stderr
    assert not (tmp_path / "x.png").exists()


PROBE = """
import json, sys
from ia_cli.main import main
try: main()
except SystemExit: pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def test_a_chart_in_the_terminal_loads_nothing_heavy(ws, tmp_path):
    import sys

    ws.write("notebook/x.md", "x\n")  # there is a workspace
    (tmp_path / "x.csv").write_text(CSV)
    for argv in (["chart", str(tmp_path / "x.csv")], ["chart", str(tmp_path / "x.csv"), "-o", str(tmp_path / "x.svg")]):
        run = subprocess.run([sys.executable, "-c", PROBE, *argv], capture_output=True, text=True, check=True)
        loaded = set(json.loads(run.stderr.splitlines()[-1]))
        assert not loaded & {
            "numpy",
            "pandas",
            "rich",
            "requests",
            "akshare",
            "llm",
            "sqlite_utils",
            "resvg_py",
            "plotext",
        }


# reports


def test_a_report_goes_into_a_pipe_or_an_html_file(ia, tmp_path):
    run = ia("report", "account")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("<!doctype html>")
    assert ia("report", "account", "-o", str(tmp_path / "x.svg")).returncode == 2
    assert ia("report", "account", "--adapter", "demo").returncode == 2


def test_reports_of_what_is_not_there(ia):
    run = ia("report", "market")
    assert (run.returncode, run.stdout) == (66, "")
    assert "ia sync daily" in run.stderr
    assert ia("report", "nosuchcompany", env={"IA_MARKET_ADAPTER": "demo"}).returncode == 66
    assert ia("report").returncode == 2


def test_a_report_of_a_symbol_says_what_is_missing(ia):
    page = ia("report", "600519", "--adapter", "demo").stdout
    for words in (
        "no quote stored",
        "no published reports stored",
        "no trades in this security in the ledger",
        "no notes about this security",
    ):
        assert words in page
    assert "simulated prices: 600519.SH is invented by demo" in page


def test_days_without_bars_are_not_there(ia):
    env = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T10:00+08:00"}  # before the close
    for option, day in (("--start", "2024-03-15"), ("--end", "2010-01-01")):
        run = ia("chart", "600519", option, day, env=env)
        assert (run.returncode, run.stdout) == (66, "") and "no bars in this period" in run.stderr
    assert "2024-01-15 to 2024-01-15" in ia("chart", "--start", "2030-01-01", input=ONE).stderr


ONE = "date,open,high,low,close,volume\n2024-01-15,1,1,1,1,1\n"
