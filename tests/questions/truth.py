"""What a right answer to an everyday question has in it, computed from the files and tables that commands print."""

import csv
import io
import json
import math
import os
import re
import statistics
import subprocess
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from ia.kernel.workspace import Workspace
from support.program import program

LINES = 12
SCALES = {"万亿": 1e12, "亿": 1e8, "万": 1e4, "tn": 1e12, "bn": 1e9, "m": 1e6, "k": 1e3}
AMOUNTS = re.compile(r"(\d[\d,]*(?:\.(\d+))?) ?(万亿|亿|万|tn\b|bn\b|m\b|k\b)?")


def load_questions(name):
    """Return the questions of a file, each with its facts."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if line.strip() and not line.startswith("#")]


@contextmanager
def used_workspace(folder, lang, now, watched):
    """Settings for a workspace in a folder, with a synced market and a watch list, for as long as it lasts."""
    with pytest.MonkeyPatch.context() as patch:
        settings = {"IA_HOME": "home", "XDG_STATE_HOME": "state"}
        for name, value in {name: str(folder / value) for name, value in settings.items()}.items():
            patch.setenv(name, value)
        for name, value in {"IA_MARKET_ADAPTER": "demo", "IA_NOW": now, "IA_LANG": lang}.items():
            patch.setenv(name, value)
        run("init")
        run("sync")
        for symbol in watched:
            run("memory", "track", symbol)
        yield Workspace(str(folder / "home"))


def run(*args):
    done = subprocess.run([*program(), *args], capture_output=True, text=True, env=os.environ, timeout=120)
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


@cache
def traded(code, date, column="close"):
    """Return a price of a day as it was traded, not adjusted."""
    rows = csv.DictReader(io.StringIO(run("ohlcv", code, "--adjust", "none", "--start", date, "--end", date)))
    return float(next(rows)[column])


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


def daily_move(code, count):
    """Return the mean size of the last daily changes of the close, in percent."""
    return statistics.fmean(abs(b["close"] / a["close"] * 100 - 100) for a, b in pairwise(bars(code)[-count - 1 :]))


def drawdown(code, first):
    worst, peak = 0.0, 0.0
    for row in bars(code):
        if row["date"] >= first:
            peak = max(peak, row["close"])
            worst = min(worst, row["close"] / peak * 100 - 100)
    return worst


def moves_in(code, first, last="9999"):
    """Return the days of a stretch with their changes in percent, smallest change first."""
    pairs = [(b["date"], b["close"] / a["close"] * 100 - 100) for a, b in pairwise(bars(code))]
    return sorted((pair for pair in pairs if first <= pair[0] <= last), key=lambda pair: pair[1])


def best_month(code, year):
    """Return the last day of the best month of a year, and its change in percent."""
    ends = {row["date"][:7]: row for row in bars(code)}
    pairs = [(b["date"], b["close"] / a["close"] * 100 - 100) for a, b in pairwise(ends.values())]
    return max((pair for pair in pairs if pair[0].startswith(year)), key=lambda pair: pair[1])


def last_above(code, level):
    return [row for row in bars(code) if row["close"] > level][-1]


def last_below(code, level):
    return [row for row in bars(code) if row["low"] < level][-1]


def last_below_mean(code, count):
    """Return the last day on which the close was below the mean of so many closes."""
    closes = [row["close"] for row in bars(code)]
    below = [at for at in range(count, len(closes) + 1) if closes[at - 1] < statistics.fmean(closes[at - count : at])]
    return bars(code)[below[-1] - 1]["date"]


def streak(code):
    closes = [row["close"] for row in bars(code)]
    rises = [b > a for a, b in pairwise(closes)][::-1]
    return next(at for at, rise in enumerate(rises) if rise != rises[0])


def returns(code, count):
    return [b["close"] / a["close"] - 1 for a, b in pairwise(bars(code)[-count:])]


def correlation(one, other, count):
    """Return the correlation of the last daily returns on days on which both were traded."""
    closes = [{each["date"]: each["close"] for each in bars(code)} for code in (one, other)]
    days = sorted(closes[0].keys() & closes[1].keys())[-count - 1 :]
    moves = [[each[b] / each[a] - 1 for a, b in pairwise(days)] for each in closes]
    return statistics.correlation(*moves)


def beta(one, other, count):
    return statistics.linear_regression(returns(other, count), returns(one, count)).slope


def sharpe(code, count):
    found = returns(code, count + 1)
    return statistics.fmean(found) / statistics.stdev(found) * math.sqrt(243)  # sessions a year in China


def rate(currency, day="2024-03-15"):
    """Return the exchange rate of a day in yuan, as `ia market rates` prints it."""
    rows = list(csv.DictReader(io.StringIO(run("market", "rates", currency, "--date", day)), delimiter="\t"))
    return rows[0]["rate"]


def quote(code, field):
    return document("quote", code)[0][field]


def news(code, day):
    """Return the title of the newest item about a security up to the end of a day."""
    return next(row["title"] for row in document("news", code) if row["time"][:10] <= day)


def report(code, field):
    return document("fundamentals", code)[0][field]


def better(one, other, field):
    return document("quote", max(one, other, key=lambda code: quote(code, field)))[0]["name"]


def valuation(code, field):
    """Return a figure of a stock as `ia screen` prints it."""
    rows = document("screen", "price > 0 or price <= 0", "--columns", f"symbol,{field}")
    return next(row[field] for row in rows if row["symbol"].startswith(code))


def stored_valuation(code, field):
    """Return a figure of the stored valuation, which a suspended stock has, too."""
    return json.loads(run("tool", "call", "market.valuation", json.dumps({"symbol": code})))["figures"][field]


def price_over(code, figure):
    """Return the newest close of a share over a figure a share of its newest report, in the currency of both."""
    report = document("fundamentals", code)[0]
    return float(quote(code, "price")) / float(report[figure])


def higher(one, other, field):
    return quote(max(one, other, key=lambda code: valuation(code, field)), "name")


def lower(one, other, field):
    return quote(min(one, other, key=lambda code: valuation(code, field)), "name")


def named_sector(name):
    return next(row for row in document("market", "sectors") if row["name"] == name)


def setting(key):
    return run("config", "get", key).strip()


def account(field, currency="CNY"):
    return document("account")["currencies"][currency][field]


def in_yuan(field, *currencies):
    """Return what a figure of the accounts of some currencies comes to in yuan, each at the stored rate."""
    rates = {"CNY": 1.0} | {each: float(rate(each)) for each in currencies if each != "CNY"}
    return sum(round(account(field, each) * rates[each], 2) for each in currencies)


@cache
def account_at(day, field):
    """Return a figure of the account as it was in the evening of a day."""
    found = json.loads(run("--now", f"{day}T20:00+08:00", "account", "--json"))
    return found["currencies"]["CNY"][field]


def gained(first, last):
    """Return what the account made from the evening of one day to that of another."""
    return account_at(last, "total_pnl") - account_at(first, "total_pnl")


def stop_level(symbol, percent=7):
    return position(symbol, "cost") * (1 - percent / 100) / position(symbol, "size")


def lots(amount, symbol):
    """Return how many shares an amount of money buys, in lots of 100."""
    return int(amount / position(symbol, "current_price") / 100) * 100


def room(symbol, percent=20):
    """Return how much more of a security the position limit lets the account buy."""
    return account("equity") * percent / 100 - position(symbol, "value")


def position(symbol, field):
    if field == "profit":
        return next(row["profit"] for row in document("profit")["positions"] if row["symbol"] == symbol)
    return document("account")["positions"][symbol][field]


def sale(code, field):
    """Return a figure of the newest sale of a security."""
    return json.loads(run("tool", "call", "account.history", json.dumps({"symbol": code})))[0][field]


def traded_by(meets):
    """Return the purchases and sales of the journal that meet a condition."""
    every = [row for row in document("trade", "list") if row["kind"] in ("buy", "sell")]
    return [row for row in every if meets(row)]


def sale_net(symbol, quantity):
    """Return what a sale at the newest close brings after fees and taxes, as `risk.check` works it out."""
    given = {"symbol": symbol, "action": "sell", "quantity": quantity}
    found = json.loads(run("tool", "call", "risk.check", json.dumps(given)))
    return found["amount"] - found["fees"]


def daily_gains():
    """Return what the holdings of now would have gained on each of the last 250 days of the mainland, in yuan."""
    days = [row["date"] for row in bars("000300")][-251:]
    sums = [0.0] * 250
    for symbol, each in document("account")["positions"].items():
        known = [(row["date"], float(row["close"])) for row in bars(symbol)]
        closes = [max(row for row in known if row[0] <= day)[1] for day in days]
        worth = each["value"] * (1.0 if each["currency"] == "CNY" else float(rate(each["currency"])))
        sums = [sums[at] + worth * (closes[at + 1] / closes[at] - 1) for at in range(250)]
    return sums


def cash_in_all():
    return document("account")["total"]["cash"]


def of_all_held(field):
    """Return a P/E or P/B of all holdings of an account in one currency: their value over what belongs to it."""
    held = [(each["value"], quote(code, field)) for code, each in document("account")["positions"].items()]
    return sum(value for value, _ in held) / sum(value / ratio for value, ratio in held)


def mean_of_held(field):
    return statistics.fmean(quote(code, field) for code in document("account")["positions"])


def performance(currency="CNY"):
    """Return the account's performance in CNY, as `ia profit --stats` prints it."""
    return document("profit", "--by", "month", "--stats")["currencies"][currency]


def risk(field, currency="CNY"):
    return performance(currency)["risk"][field]


def drawdown_of(currency="CNY"):
    return risk("max_drawdown", currency)


def risk_of_trades(field):
    return money(performance()["trades"][field])


def dividend_of(code):
    """Return the dividends a share of the last twelve months."""
    rows = json.loads(run("tool", "call", "market.actions", json.dumps({"symbol": code})))["actions"]
    return sum(row["cash"] for row in rows if row.get("cash") and row["date"] > "2023-03-16")


def share_of(industry):
    rows = json.loads(run("tool", "call", "account.allocation", json.dumps({"by": "industry"})))["shares"]
    return next(row["weight_pct"] for row in rows if row["name"] == industry)


def market(field):
    summary = document("market", "summary")
    return summary[field] if field in summary else summary["boards"][0][field]


def gainer(field):
    return document("market", "gainers")[0][field]


def sector(field):
    return document("market", "sectors")[0][field]


def northbound(field):
    return next(row[field] for row in document("market", "northbound") if row["channel"] == "north")


def statement(kind, code, item):
    """Return an item of the newest financial statement: of twelve months, of a balance sheet at its end."""
    found = json.loads(run("tool", "call", f"financial.{kind}", json.dumps({"symbol": code})))
    return (found["reports"][0] if kind == "balance" else found["twelve_months"])[item]


def fcf_yield(code):
    return statement("cashflow", code, "free_cash_flow") / quote(code, "market_cap") * 100


def mean_of(expr, field):
    """Return the mean of a figure over the stocks that meet a condition."""
    rows = document("screen", expr, "--columns", f"symbol,{field}")
    return statistics.fmean(row[field] for row in rows)


def screen(expr, sort="", count=0, order="--desc"):
    rows = document("screen", expr, *(("--sort", sort, order) if sort else ()))
    return " & ".join(row["symbol"] for row in (rows[:count] if count else rows))


def wilder_rsi(code, count=14, last="9999"):
    """The RSI as Wilder has it, from the closes up to a day."""
    closes = [float(each["close"]) for each in bars(code) if each["date"] <= last]
    moves = [after - before for before, after in pairwise(closes)]
    up = sum(max(move, 0) for move in moves[:count]) / count
    down = sum(max(-move, 0) for move in moves[:count]) / count
    for move in moves[count:]:
        up = (up * (count - 1) + max(move, 0)) / count
        down = (down * (count - 1) + max(-move, 0)) / count
    return 100 - 100 / (1 + up / down)


def days_of_rsi(code, first, meets):
    """Return the days since one on which the RSI met a condition."""
    days = [row["date"] for row in bars(code) if row["date"] >= first]
    return [day for day in days if meets(wilder_rsi(code, last=day))]


def ema(values, count):
    """Return the exponential average at each value, from the first one on."""
    found = [values[0]]
    for value in values[1:]:
        found.append(found[-1] + (value - found[-1]) * 2 / (count + 1))
    return found


def macd(code):
    """Return the MACD line (12, 26) and its signal (9)."""
    closes = [row["close"] for row in bars(code)]
    line = [one - other for one, other in zip(ema(closes, 12), ema(closes, 26), strict=True)]
    return line[-1], ema(line, 9)[-1]


def macd_crosses(code, first="", up=None):
    """Return the days since one on which the MACD line crossed its signal, one way where that is said."""
    closes = [row["close"] for row in bars(code)]
    line = [one - other for one, other in zip(ema(closes, 12), ema(closes, 26), strict=True)]
    over = [one > other for one, other in zip(line, ema(line, 9), strict=True)]
    crossed = [at for at in range(1, len(over)) if over[at] != over[at - 1] and up in (None, over[at])]
    return [bars(code)[at]["date"] for at in crossed if bars(code)[at]["date"] >= first]


def band(code, count=20):
    """Return the lower band, the mean and the upper band of the last closes, two standard deviations apart."""
    closes = [row["close"] for row in bars(code)[-count:]]
    middle, width = statistics.fmean(closes), 2 * statistics.pstdev(closes)
    return middle - width, middle, middle + width


def above_mean(code, count):
    """Whether the last close is above the mean of the last closes."""
    closes = [float(each["close"]) for each in bars(code)[-count:]]
    return len(closes) == count and closes[-1] > sum(closes) / count


def crossed_mean(code, count):
    """Whether the last close, unlike the one before, is above the mean of the last closes."""
    closes = [each["close"] for each in bars(code)]
    before = statistics.fmean(closes[-count - 1 : -1])
    return closes[-2] <= before and above_mean(code, count)


def side_of_mean(code, count):
    """Return since when the close has been on its side of the mean of so many closes, and how many sessions that is."""
    closes = [row["close"] for row in bars(code)]
    sides = [closes[at - 1] > statistics.fmean(closes[at - count : at]) for at in range(count, len(closes) + 1)]
    sessions = next(at for at in range(1, len(sides)) if sides[-at - 1] != sides[-1])
    return {"since": bars(code)[-sessions]["date"], "sessions": sessions}


def last_cross(code, one, other):
    """Return the last day on which the mean of so many closes changed sides with the mean of others."""
    closes = [each["close"] for each in bars(code)]
    over = [
        statistics.fmean(closes[at - one : at]) > statistics.fmean(closes[at - other : at])
        for at in range(max(one, other), len(closes) + 1)
    ]
    changed = [at for at in range(1, len(over)) if over[at] != over[at - 1]]
    return bars(code)[changed[-1] + max(one, other) - 1]["date"]


def longest_fall(code, first):
    """Return the length of the longest run of falls since a day."""
    best = run = 0
    for a, b in pairwise(bars(code)):
        run = run + 1 if b["date"] >= first and b["close"] < a["close"] else 0
        best = max(best, run)
    return best


def rose_each(code, count):
    """Whether each of the last closes is above the one before."""
    return all(b["close"] > a["close"] for a, b in pairwise(bars(code)[-count - 1 :]))


def scanned(meets, where="price > 0"):
    """How an answer begins that counts the stocks with a bar of the day that meet a condition."""
    day = bars("600519")[-1]["date"]
    codes = run("screen", where, "--codes").split()
    found = [code for code in codes if bars(code)[-1]["date"] == day and meets(code)]
    return f"**{len(found)} " if found else "符合"


def scanned_between(sessions, meets, skipped=0):
    """How an answer begins that counts the stocks that met a condition in some sessions, but for the newest few."""
    days = [each["date"] for each in bars("600519")]
    days = days[len(days) - sessions - skipped : len(days) - skipped]
    found = [code for code in run("screen", "price > 0", "--codes").split() if _met_between(code, days, meets)]
    return f"**{len(found)} " if found else "符合"


def _met_between(code, days, meets):
    listed = bars(code)
    closes = [float(each["close"]) for each in listed]
    return any(each["date"] in days and meets(closes[: at + 1]) for at, each in enumerate(listed))


def crossed_above(count):
    """Return whether the last of some closes crossed above their mean."""

    def meets(closes):
        if len(closes) <= count:
            return False
        now, before = statistics.fmean(closes[-count:]), statistics.fmean(closes[-count - 1 : -1])
        return closes[-1] > now and closes[-2] <= before

    return meets


def price(value):
    return f"{value:,.2f}"


number = price


def whole(value):
    return f"{value:,}"


def plain(value):
    return f"{value:.2f}"


def plain1(value):
    return f"{value:.1f}"


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
