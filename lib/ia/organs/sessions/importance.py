"""How much a message matters, by rule: a trade that was made is 1, a judgment on the market's main line is 2.

`ia session mark` corrects it.
"""

from ia.domain.speech.reports import is_reported


def importance_of(text: str) -> int:
    """Return 2 where a text judges what the market's main line is, 1 where it says that a trade was made, else 0."""
    if is_reported(text, "main_line_judged"):
        return 2
    return int(is_reported(text, "traded", "recorded", "traded_lately"))
