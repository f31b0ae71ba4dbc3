"""What questions about the whole market cost, as processes, on the store that bench_market.py leaves (--keep FOLDER).

python tests/bench/bench_reading.py FOLDER [ROUNDS]
"""

import sqlite3
import sys
from pathlib import Path

from floors import PYTHON, Case, environment, measure, table

BASE = "import click, sqlite3"


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
    ]


def main() -> None:
    folder = Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    db = sqlite3.connect(folder / ".ia" / "cache" / "market.db")
    day = db.execute("SELECT max(date) FROM days WHERE whole = 1").fetchone()[0]
    db.close()
    env = {**environment(folder), "IA_MARKET_ADAPTER": "akshare", "IA_NOW": f"{day}T16:00:00+08:00"}
    found = cases(day)
    table(found, measure(found, rounds, env))


if __name__ == "__main__":
    main()
