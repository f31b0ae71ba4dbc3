"""`make bench`: what the commands cost, as ratios to floors measured in the same run. Nothing here gates anything."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from floors import PYTHON, SCRIPTS, Case, environment, measure, table

REPO = Path(__file__).parent.parent.parent
BASE = "import click, sqlite3, csv"
SHORT = "import click, sqlite3"
LEDGER = "IA_HOME=$IA_HOME/ledger IA_NOW=2024-03-15T16:30+08:00"
"""A workspace of its own with two years of trades, on a day whose prices are stored."""
OLD = "IA_HOME=$IA_HOME/ledger IA_NOW=2024-03-22T16:30+08:00"
"""The same workspace a week later: five sessions are missing."""
START = "2016-07-01"  # about 2,500 bars up to today


def commands(home: Path) -> list[Case]:
    """The commands that must start at once, and the pipes."""
    market = home / ".ia" / "cache" / "market.db"
    pair = f"{PYTHON} {SCRIPTS}/pair_producer.py {market} 600519.SH | {PYTHON} {SCRIPTS}/pair_consumer.py"
    prices = f"ia ohlcv 600519 --start {START}"
    return [
        Case("python -c pass", f"{PYTHON} -c pass"),
        Case("click hello --help", f"{PYTHON} {SCRIPTS}/hello.py --help"),
        Case("import click, sqlite3, csv", f"{PYTHON} -c '{BASE}'"),
        Case(SHORT, f"{PYTHON} -c '{SHORT}'"),
        Case("import pandas", f"{PYTHON} -c 'import pandas'"),
        Case("sqlite3+csv | numpy", pair),
        Case("ia --help", "ia --help", "click hello --help", 1.3),
        Case("ia ohlcv --help", "ia ohlcv --help", "click hello --help", 1.3),
        Case("ia note (write)", "ia note scratch/bench $RANDOM", BASE, 1.6),
        Case("ia note read", "ia note read scratch/bench", BASE, 2),
        Case("ia recall", "ia recall 动能", BASE, 2),
        Case("ia memory observe", "ia memory observe 宁德时代 $RANDOM", BASE, 2),
        Case("ia memory list", "ia memory list", BASE, 2),
        Case("ia ohlcv (cached)", prices, BASE, 1.6),
        Case("ia send, to the inbox", "ia send $RANDOM", BASE, 2),
        Case("ia inbox", "ia inbox", BASE, 3),
        Case("ia account", f"{LEDGER} ia account", SHORT, 3),
        Case("ia profit --by month", f"{LEDGER} ia profit --by month --benchmark 000300.SH", SHORT, 3),
        Case("ia watch list", f"{LEDGER} ia watch list", SHORT, 3),
        Case("ia account, old prices", f"{OLD} ia account", SHORT, 3),
        Case("ia profit --by month, old prices", f"{OLD} ia profit --by month --benchmark 000300.SH", SHORT, 3),
        Case("ia watch list, old prices", f"{OLD} ia watch list", SHORT, 3),
        Case("ia inbox, old prices", f"{OLD} ia inbox", SHORT, 3),
        Case("ia task due, nothing due", "ia task due", BASE, 3),
        Case("ia check buy", f"{LEDGER} ia check buy 600519 || test $? = 1", "import pandas", 3),
        Case(
            "ia ohlcv | ia compute 'ta.rsi(close,14)'",
            f"{prices} | ia compute 'ta.rsi(close,14)'",
            "import pandas",
            1.3,
        ),
        Case(
            "ia ohlcv | ia compute 'rsi(close,14)'",
            f"{prices} | ia compute 'rsi(close,14)'",
            "sqlite3+csv | numpy",
            1.5,
        ),
        Case(
            "the same, of the pandas lane",
            f"{prices} | ia compute 'rsi(close,14)'",
            "ia ohlcv | ia compute 'ta.rsi(close,14)'",
            0.334,
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parts = ["commands", "recall", "turn", "knowledge", "market", "lab", "cluster"]
    parser.add_argument("--only", choices=parts, help="one part only")
    options = parser.parse_args()
    if options.only in (None, "commands"):
        home = Path(tempfile.mkdtemp(prefix="ia-bench-"))
        try:
            env = environment(home)
            table_of = shutil.copy(REPO / "tests" / "support" / "fake_crontab", home / "crontab")
            env["IA_CRONTAB"] = str(table_of)  # never the machine's own
            for command in (
                "ia ohlcv 600519",
                "ia note scratch/first 动能衰减",
                "ia recall 动能",
                "ia task propose --name weekly --cron '0 16 * * 5' --calendar CN --run 'ia usage'",
                "ia task approve weekly --yes",
                "ia task due",
                f"export {LEDGER}; ia init; ia trade deposit 500000 --date 2022-01-04; ia sync;"
                " ia trade deposit 20000 --currency USD --date 2022-01-04; ia ohlcv AAPL; ia sync rates;"
                " for code in 600519 300750 600036 000333 AAPL; do ia trade buy $code 100 --date 2022-03-01 --override"
                " --because bench; done; for code in 600519 000001 00700.HK AAPL; do ia watch add $code; done; ia send bench",
            ):
                subprocess.run(["bash", "-c", command], env=env, check=True, capture_output=True)
            cases = commands(home)
            table(cases, measure(cases, options.rounds, env))
        finally:
            shutil.rmtree(home)
    if options.only in (None, "recall"):
        print()
        sys.stdout.flush()
        subprocess.run([PYTHON, str(SCRIPTS / "bench_recall.py")], check=True)
    if options.only in (None, "turn"):
        print()
        sys.stdout.flush()
        subprocess.run([PYTHON, str(SCRIPTS / "bench_turn.py"), str(options.rounds)], check=True)
    if options.only in (None, "knowledge"):
        print()
        sys.stdout.flush()
        subprocess.run([PYTHON, str(SCRIPTS / "bench_knowledge.py")], check=True)
    if options.only == "cluster":  # it takes some minutes, and the extra `cluster`
        subprocess.run([PYTHON, str(SCRIPTS / "bench_cluster.py")], check=True)
    if options.only == "market":  # it takes some minutes and 3.5 GB
        with tempfile.TemporaryDirectory(prefix="ia-bench-market-") as folder:
            subprocess.run([PYTHON, str(SCRIPTS / "bench_market.py"), "--keep", folder], check=True)
            print()
            sys.stdout.flush()
            subprocess.run([PYTHON, str(SCRIPTS / "bench_reading.py"), folder, str(options.rounds)], check=True)
            print()
            sys.stdout.flush()
            subprocess.run([PYTHON, str(SCRIPTS / "bench_sync.py"), folder], check=True)
    if options.only == "lab":  # it takes some minutes and 8 GB
        subprocess.run([PYTHON, str(SCRIPTS / "bench_lab.py")], check=True)


if __name__ == "__main__":
    main()
