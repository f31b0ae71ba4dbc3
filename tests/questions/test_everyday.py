"""Everyday questions to the embedded analyst, in a workspace that is lived in; figures are computed here once more."""

import csv
import io
import json
import math
import os
import re
import statistics
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from ia.agent.turns.turn import take_turn
from ia.kernel.workspace import Workspace
from support.program import installed

NOW = "2024-03-15T16:00:00+08:00"
QUESTIONS = Path(__file__).parent
LINES = 12
WIDTH = 80
pytestmark = pytest.mark.process


def load_questions(name):
    lines = (QUESTIONS / name).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if line.strip() and not line.startswith("#")]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A workspace with a synced market, a watch list and trades."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("everyday")
        settings = {"IA_HOME": str(folder / "home"), "IA_MARKET_ADAPTER": "demo", "IA_NOW": NOW, "IA_LANG": "zh"}
        for name, value in {**settings, "XDG_STATE_HOME": str(folder / "state")}.items():
            patch.setenv(name, value)
        run("init")
        run("sync")
        for symbol in ("600519", "300750", "002594"):
            run("memory", "track", symbol)
        run("trade", "deposit", "500000", "--date", "2024-01-02")
        run("trade", "buy", "600036", "1000", "30", "--date", "2024-02-01", "--because", "低估值+高股息")
        run("trade", "buy", "600519", "100", "700", "--date", "2024-02-05")
        sale = ("trade", "sell", "600036", "300", "31", "--date", "2024-03-04")
        run(*sale, "--override", "--because", "减仓")
        yield Workspace(str(folder / "home"))
        for found in (bars, document):
            found.cache_clear()


def run(*args):
    done = subprocess.run([*installed(), *args], capture_output=True, text=True, env=os.environ, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def bars(code):
    """Return the daily bars of a security, as `ia ohlcv` prints them."""
    rows = list(csv.DictReader(io.StringIO(run("ohlcv", code))))
    return [{key: value if key == "date" else float(value) for key, value in row.items()} for row in rows]


@cache
def document(*args):
    """Return what a command prints as JSON."""
    return json.loads(run(*args, "--json"))


def bar(code, date):
    return next(row for row in bars(code) if row["date"] == date)


def close(code, date):
    return bar(code, date)["close"]


def change(code, first, last):
    return close(code, last) / close(code, first) * 100 - 100


def highest(code, count=0):
    return max(bars(code)[-count:], key=lambda row: row["high"])


def lowest(code, count=0):
    return min(bars(code)[-count:], key=lambda row: row["low"])


def mean(code, count):
    return statistics.fmean(row["close"] for row in bars(code)[-count:])


def drawdown(code, first):
    worst, peak = 0.0, 0.0
    for row in bars(code):
        if row["date"] >= first:
            peak = max(peak, row["close"])
            worst = min(worst, row["close"] / peak * 100 - 100)
    return worst


def streak(code):
    closes = [row["close"] for row in bars(code)]
    rises = [b > a for a, b in pairwise(closes)][::-1]
    return next(at for at, rise in enumerate(rises) if rise != rises[0])


def returns(code, count):
    return [b["close"] / a["close"] - 1 for a, b in pairwise(bars(code)[-count:])]


def correlation(one, other, count):
    return statistics.correlation(returns(one, count), returns(other, count))


def beta(one, other, count):
    return statistics.linear_regression(returns(other, count), returns(one, count)).slope


def sharpe(code, count):
    found = returns(code, count)
    return statistics.fmean(found) / statistics.stdev(found) * math.sqrt(250)


def quote(code, field):
    return document("quote", code)[0][field]


def report(code, field):
    return document("fundamentals", code)[0][field]


def account(field):
    return document("account")["currencies"]["CNY"][field]


def position(symbol, field):
    if field == "profit":
        return next(row["profit"] for row in document("profit")["positions"] if row["symbol"] == symbol)
    return document("account")["positions"][symbol][field]


def market(field):
    summary = document("market", "summary")
    return summary[field] if field in summary else summary["boards"][0][field]


def gainer(field):
    return document("market", "gainers")[0][field]


def sector(field):
    return document("market", "sectors")[0][field]


def northbound(field):
    return next(row[field] for row in document("market", "northbound") if row["channel"] == "north")


def screen(expr, sort="", count=0):
    rows = document("screen", expr, *(("--sort", sort) if sort else ()))
    return " & ".join(row["symbol"] for row in (rows[:count] if count else rows))


def price(value):
    return f"{value:,.2f}"


number = price


def plain(value):
    return f"{value:.2f}"


def money(value):
    return f"{value:,.2f}"


def percent(value):
    return f"{value:+.1f}%" if abs(value) >= 0.05 else "0.0%"


def percent2(value):
    return f"{value:+.2f}%"


def compute(found):
    return str(eval(found[1]))


def expected(facts):
    """Return the facts of a line, computed."""
    filled = re.sub(r"\{(.+?)\}", compute, facts)
    return filled.split(" & ")


def answer(ws, question):
    return take_turn(ws, question, model="ia-offline")


def problems(ws, question, facts):
    """Return what is wrong with the answer to a question."""
    reply = answer(ws, question).reply
    wrong = [f"{fact!r} is missing" for fact in expected(facts) if facts != "?" and fact not in reply]
    if facts == "?" and re.search(r"\d+\.\d\d", reply):
        wrong = ["a number where none can be known"]
    if len([line for line in reply.splitlines() if line.strip()]) > LINES:
        wrong.append(f"more than {LINES} lines")
    return [f"{question}: {', '.join(wrong)}\n{reply}"] if wrong else []


@pytest.mark.parametrize("name", ["everyday.tsv"])
def test_everyday_questions_are_answered_rightly(home, name):
    asked = load_questions(name)
    assert len(asked) > 75
    wrong = [line for question, facts in asked for line in problems(home, question, facts)]
    assert not wrong, "\n".join(wrong)
