"""What of a wish for an alert stands beside the name of its security."""

from ia.agent.analyst.ask.mentions import strip_mentions
from ia.faculties.alerts.wishes import AlertWish

_NAME = "\0"


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
