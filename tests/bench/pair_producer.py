"""The floor of a pipe, first half: bars from SQLite as CSV, nothing else."""

import csv
import sqlite3
import sys

out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["date", "open", "high", "low", "close", "volume"])
sql = "SELECT date, open, high, low, close, volume FROM bars WHERE symbol = ? ORDER BY date"
out.writerows(sqlite3.connect(sys.argv[1]).execute(sql, (sys.argv[2],)))
