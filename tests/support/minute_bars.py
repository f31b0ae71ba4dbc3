"""Ragged minute bars of an invented market, and its files as canonical CSV."""

from importlib.util import find_spec

import numpy as np
import pytest

NEEDS_CLUSTER = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("distributed", "obstore", "blosc2")),
    reason="needs the extra `cluster`: pip install '.[cluster]'",
)
DAYS = ("2023-12-27", "2023-12-28", "2023-12-29", "2024-01-02", "2024-01-03", "2024-01-31", "2024-02-01", "2024-02-02")
MINUTES = tuple(f"{hour:02}:{minute:02}:00" for hour in (9, 10, 14) for minute in range(0, 60, 3))
NOW = "2024-02-02T16:30:00+08:00"


def invent_minutes(count, seed=7):
    """Yield symbols with lines of canonical CSV: with gaps, young, gone, in cents, in thousandths, and in odd numbers."""
    times = [f"{day}T{minute}" for day in DAYS for minute in MINUTES]
    for number in range(count):
        made = np.random.default_rng([seed, number])
        digits = (2, 2, 3, 2, 7)[number % 5]
        close = (20 * np.exp(np.cumsum(made.normal(0, 0.004, len(times))))).round(digits)
        opening = (close * made.normal(1, 0.002, len(times))).round(digits)
        high, low = np.maximum(opening, close) * 1.001, np.minimum(opening, close) * 0.999
        volume = made.integers(0, 5000, len(times)) * (100 if number % 4 else 1)
        kept = made.random(len(times)) > (0, 0.1, 0.6)[number % 3]
        kept[: (0, 0, 0, 0, 170, 300, 478)[number % 7]] = False  # young
        if number % 11 == 10:
            kept[200:] = False  # gone
        rows = zip(times, opening, high.round(digits), low.round(digits), close, volume, kept, strict=True)
        lines = [",".join(map(str, row[:-1])) for row in rows if row[-1]]
        yield f"{600000 + number}.SH", lines


def write_minutes(folder, count, **settings):
    """Write a file for each symbol; return the folder as text."""
    folder.mkdir(exist_ok=True)
    for symbol, lines in invent_minutes(count, **settings):
        text = "\n".join(["date,open,high,low,close,volume", *lines, ""])
        (folder / f"{symbol}.csv").write_text(text)
    return str(folder)
