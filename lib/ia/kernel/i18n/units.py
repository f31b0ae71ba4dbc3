"""Units of large numbers: Chinese counts in steps of ten thousand, so that they are no translation of each other."""

LARGE_UNITS = {
    "en": ((1e12, "tn"), (1e9, "bn"), (1e6, "m"), (1e3, "k")),
    "zh": ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
}
"""Language -> sizes with their names, the largest first."""
