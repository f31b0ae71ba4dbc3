"""What questions about the whole market cost, as processes, on the store that bench_market.py leaves (--keep FOLDER).

python tests/bench/bench_reading.py FOLDER [ROUNDS]

A FOLDER whose journal is empty gets one: HOLDINGS securities in TRADES trades over the last year, by `ia trade import`.
"""

import csv
import io
import sqlite3
import subprocess
import sys
from pathlib import Path

from floors import PYTHON, Case, environment, measure, table

BASE = "import click, sqlite3"
HOLDINGS, TRADES = 20, 300


def cases(day: str) -> list[Case]:
    """The commands that issue 5 limits, and others beside them."""
    return [
        Case(BASE, f"{PYTHON} -c '{BASE}'"),
        Case("ia market gainers", "ia market gainers", BASE, 3),
        Case("ia screen '0 < pe < 30 and roe > 1'", "ia screen '0 < pe < 30 and roe > 1' -n 50", BASE, 3),
        Case("ia quote, by code", "ia quote 600519.SH", BASE, 3),
        Case("ia quote, by name", "ia quote 贵州茅台", BASE, 3),
        Case("ia market summary", "ia market summary", BASE, 3),
        Case("ia market sectors --kind concept", "ia market sectors --kind concept", BASE, 3),
        Case("ia market mainline", "ia market mainline || test $? = 1", BASE, 3),
        Case("the same, a day earlier", f"ia --now {day}T09:00+08:00 market gainers", BASE, 3),
        Case("ia account", "ia account", BASE, 3),
        Case("ia account --json", "ia account --json", BASE, 3),
        Case("ia profit --json", "ia profit --json", BASE, 3),
        Case("ia trade list", "ia trade list", BASE, 3),
    ]


def journal(db: sqlite3.Connection) -> str:
    """Return a journal as `ia trade export` writes it: each day one buys 200 shares at the close, or sells half."""
    days = [day for (day,) in db.execute("SELECT date FROM days ORDER BY date DESC LIMIT ?", (TRADES,))]
    days.reverse()
    query = (
        "SELECT symbol, close FROM daily WHERE date = ? AND symbol GLOB '60*' AND close < 60 ORDER BY symbol LIMIT ?"
    )
    held = [symbol for symbol, _ in db.execute(query, (days[0], HOLDINGS))]
    close = "SELECT close FROM daily WHERE date = ? AND symbol = ?"
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["date", "time", "kind", "code", "currency", "quantity", "price", "amount"])
    rows.writerow([days[0], f"{days[0]}T01:00:00.000Z", "deposit", "", "CNY", "", "", "10000000.00"])
    for number, day in enumerate(days):
        symbol, (price,) = held[number % HOLDINGS], db.execute(close, (day, held[number % HOLDINGS])).fetchone()
        kind, count = ("sell", 100) if number // HOLDINGS % 3 == 2 else ("buy", 200)
        rows.writerow([day, f"{day}T02:00:00.000Z", kind, symbol, "CNY", count, f"{price:.2f}", f"{price * count:.2f}"])
    return text.getvalue()


def main() -> None:
    folder = Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    db = sqlite3.connect(folder / ".ia" / "cache" / "market.db")
    day = db.execute("SELECT max(date) FROM days WHERE whole = 1").fetchone()[0]
    history = journal(db)
    db.close()
    env = {**environment(folder), "IA_MARKET_ADAPTER": "akshare", "IA_NOW": f"{day}T16:00:00+08:00"}
    if subprocess.run(["ia", "trade", "list"], env=env, capture_output=True).returncode == 1:
        subprocess.run(
            ["ia", "trade", "import", "-"], input=history, text=True, env=env, check=True, capture_output=True
        )
    found = cases(day)
    table(found, measure(found, rounds, env))


if __name__ == "__main__":
    main()
