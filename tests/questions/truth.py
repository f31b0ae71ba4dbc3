"""What a right answer to an everyday question has in it, computed from the files and tables that commands print."""

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

from support.program import installed

LINES = 12
SCALES = {"万亿": 1e12, "亿": 1e8, "万": 1e4, "tn": 1e12, "bn": 1e9, "m": 1e6, "k": 1e3}
AMOUNTS = re.compile(r"(\d[\d,]*(?:\.(\d+))?) ?(万亿|亿|万|tn\b|bn\b|m\b|k\b)?")


def load_questions(name):
    """Return the questions of a file, each with its facts."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if line.strip() and not line.startswith("#")]


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


def days_between(code, first, last="9999"):
    return [row for row in bars(code) if first <= row["date"] <= last]


def highest_in(code, first, last="9999"):
    return max(days_between(code, first, last), key=lambda row: row["high"])


def lowest_in(code, first, last="9999"):
    return min(days_between(code, first, last), key=lambda row: row["low"])


def count_days(code, first, above, last="9999"):
    """Return on how many days the close rose by more than so many percent."""
    rises = [b["close"] / a["close"] * 100 - 100 for a, b in pairwise(bars(code)) if first <= b["date"] <= last]
    return sum(rise > above for rise in rises)


def lowest(code, count=0):
    return min(bars(code)[-count:], key=lambda row: row["low"])


def mean(code, count):
    return statistics.fmean(row["close"] for row in bars(code)[-count:])


def mean_in(code, first, last="9999"):
    return statistics.fmean(row["close"] for row in days_between(code, first, last))


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


def better(one, other, field):
    return document("quote", max(one, other, key=lambda code: quote(code, field)))[0]["name"]


def setting(key):
    return run("config", "get", key).strip()


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


def screen(expr, sort="", count=0, order="--desc"):
    rows = document("screen", expr, *(("--sort", sort, order) if sort else ()))
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
    """Return the alternatives of a line: lists of facts, computed."""
    filled = re.sub(r"\{(.+?)\}", compute, facts)
    return [one.split(" & ") for one in filled.split(" | ")]


def has_amount(reply, value):
    """Return True if a number of the reply, as it is rounded there, is this one; three digits are needed at least."""
    for text, decimals, unit in AMOUNTS.findall(reply):
        scale = SCALES.get(unit, 1)
        shown, step = float(text.replace(",", "")) * scale, scale / 10 ** len(decimals)
        digits = len(re.sub(r"\D", "", text).lstrip("0"))
        if abs(shown - abs(value)) <= step * 0.501 and (digits > 2 or shown == abs(value)):
            return True
    return False


def has_fact(reply, fact):
    if fact.startswith("≈"):
        return has_amount(reply, float(fact[1:]))
    return fact.lower() in reply.lower()


def problems(question, facts, reply):
    """Return what is wrong with the reply to a question."""
    wrong = []
    if facts == "?":
        wrong += ["a number where none can be known"] * bool(re.search(r"\d+\.\d\d", reply))
    else:
        missing = [[fact for fact in one if not has_fact(reply, fact)] for one in expected(facts)]
        wrong += [f"{fact!r} is missing" for fact in min(missing, key=len)]
    if len([line for line in reply.splitlines() if line.strip()]) > LINES:
        wrong.append(f"more than {LINES} lines")
    return [f"{question}: {', '.join(wrong)}\n{reply}"] if wrong else []
