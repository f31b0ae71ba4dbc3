"""The floor of a pipe, second half: CSV to numpy, Wilder's RSI of 14."""

import csv
import sys

import numpy as np

close = np.array([float(row["close"]) for row in csv.DictReader(sys.stdin)])
change = np.diff(close)
up, down = np.maximum(change, 0.0), np.maximum(-change, 0.0)
a, b = up[:14].mean(), down[:14].mean()
for x, y in zip(up[14:].tolist(), down[14:].tolist(), strict=True):
    a, b = (a * 13 + x) / 14, (b * 13 + y) / 14
print(100 * a / (a + b))
