"""What of a wish for an alert stands beside the name of its security; and a wish to change an alert that there is."""

import re

from ia.agent.analyst.ask.mentions import strip_mentions
from ia.faculties.alerts.conditions import NO_SIDE, find_price_condition, read_condition
from ia.faculties.alerts.wishes import AlertWish
from ia.kernel.errors import BadData
from ia.kernel.patterns import pattern

_NAME = "\0"
_CHANGE = pattern(
    r"(?:提醒|预警)(?:的)?(?:价格?|价位|线|条件|点位)?[^，,。\d]{0,4}[，,]?(?:从\s*[\d.,]+\s*(?:元|块)?)?"
    r"(?:提高|降低|上调|下调|调高|调低|抬高|改|调|换|设|移|挪|抬|降|升|提)(?:到|成|为|至)?\s*(?P<zh>.+)"
    r"|\b(?:change|move|raise|lower|make|update|adjust|shift|switch|reset|bring|set(?= (?:my|the)\b))\b"
    r".{0,60}?\balerts?\b(?:.{0,60}?\b(?:to|at|fires?|triggers?|goes off)\b)?\s+(?P<en>[^,]+)",
    re.I | re.S,
)
_ASKED = pattern(r"\W*(?:who|when|why|where|which|did|have|has|was|were)\b", re.I)
"""Words that begin a question for an alert that there is."""
_END = pattern(
    r"(?:[\s。.!！吧了]+|[，,;]\s*(?:我)?(?:之前|刚才|刚刚|当时)?(?:写|打|设|弄|搞|填)错"
    r"|,? (?:i )?(?:typed|set|wrote) it wrong)+\Z"
)
_COMPARISON = pattern(r"\s*(?P<what>[^<>=&|~!]+?)\s*(?P<sign><=?|>=?)\s*(?P<level>\d+(?:\.\d+)?)\s*")


def find_unread(wish: AlertWish) -> str:
    """Return the words beside the name of the security, which the wish compares with nothing; "" without a name.

    >>> from ia.faculties.alerts.wishes import read_alert_wish
    >>> find_unread(read_alert_wish("茅台的波动率低于20提醒我"))
    '的波动率'
    """
    words = strip_mentions(wish.security or wish.before, _NAME)
    if _NAME not in words:
        return ""
    return words.replace(_NAME, " ").strip() if wish.security else words.rpartition(_NAME)[2]


def find_change(words: str) -> str:
    """Return to what a message wishes to change an alert, in its words; "" where it wishes no such thing.

    >>> find_change("change the alert on Moutai to 780."), find_change("把茅台的提醒从760改成跌破 780")
    ('780', '跌破 780')
    """
    found = None if _ASKED.match(words) else _CHANGE.search(words)
    return _END.sub("", found["zh"] or found["en"]).strip() if found else ""


def change_condition(condition: str, said: str) -> str:
    """Return the condition of an alert that is changed to what was said; "" where that is no condition.

    A number alone takes the place of the number of the old condition.

    >>> change_condition("close < 760", "780"), change_condition("close < 760", "above 800"), change_condition("a", "8")
    ('close < 780', 'close > 800', '')

    condition  "": none that there is, and a number alone counts as a price
    """
    found = find_price_condition(said)
    if found is not None:
        return found.expression
    old = _COMPARISON.fullmatch(condition)
    try:
        read_condition(said)
    except BadData as exc:
        if exc.code == NO_SIDE and old is not None:
            return f"{old['what']} {old['sign']} {exc.params['price']}"
        if exc.code == NO_SIDE and not condition:
            return str(exc.params["price"])
    return ""


def compare_parts(condition: str) -> tuple[str, str, float] | None:
    """Return what a condition compares, its sign and the number; None for a condition of another form.

    >>> compare_parts("rsi(close, 14) < 30"), compare_parts("crossover(close, sma(close, 20))")
    (('rsi(close, 14)', '<', 30.0), None)
    """
    found = _COMPARISON.fullmatch(condition)
    return (found["what"], found["sign"], float(found["level"])) if found else None
