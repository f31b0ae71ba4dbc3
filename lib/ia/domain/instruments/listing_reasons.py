"""Why an exchange publishes the trading of a stock (the dragon and tiger list): its reasons in English."""

import os
import re
from functools import cache

from ia.kernel.patterns import pattern


@cache
def _load_reasons() -> list[tuple[re.Pattern[str], str]]:
    with open(os.path.join(os.path.dirname(__file__), "listing_reasons.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").partition("\t") for line in file]
    return [(pattern(words), english) for words, _, english in rows[1:]]


def listing_reason(reason: str, lang: str) -> str:
    """Return a reason of the exchange as a reader knows it: in English where it is one of the known ones.

    >>> listing_reason("日跌幅偏离值达7%的证券", "en"), listing_reason("日跌幅偏离值达7%的证券", "zh")
    ('fell 7% more than its index', '日跌幅偏离值达7%的证券')
    >>> listing_reason("连续三个交易日内，涨幅偏离值累计达到20%的证券", "en")
    'rose 20% more than its index within three sessions'
    """
    if lang != "en":
        return reason
    for words, english in _load_reasons():
        if found := words.search(reason):
            return english.format(*found.groups())
    return reason
