"""Amounts that a text names: how many shares or lots, and in which currency."""

import re
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import pattern

UNIT = (
    r"(?:元|块钱?|人民币|美[元金]|刀|港[元币纸]|[¥￥]"
    r"|(?<![a-z])(?:yuan|rmb|cny|renminbi|usd|hkd|(?:us |hk |hong kong )?dollars?|bucks?)\b)"
)
"""A regular expression of the units of money, in small letters."""
CURRENCY_WORDS = (
    ("HKD", pattern(r"港[元币纸]|(?<![a-z])(?:hk(?:d\b|\$)|(?:hk|hong kong) dollars?\b)", re.I)),
    ("USD", pattern(r"美[元金]|刀(?!具)|(?<!hk)\$|(?<![a-z])(?:usd|bucks?|(?<!hk )(?<!kong )dollars?)\b", re.I)),
    ("EUR", pattern(r"欧元|€|(?<![a-z])eur(?:os?)?\b", re.I)),
    ("GBP", pattern(r"英镑|£|(?<![a-z])(?:gbp|pounds?|sterling)\b", re.I)),
    ("JPY", pattern(r"日[元圆币]|(?<![a-z])(?:jpy|yen)\b", re.I)),
    ("CNY", pattern(r"人民币|软妹币|[¥￥]|(?<![a-z])(?:yuan|rmb|cny|renminbi)\b", re.I)),
)
_COLLOQUIAL = pattern(r"(?<![美港欧日])元|块")
"""Yuan where nothing else is said; of a share abroad also its own money."""
MARKET_WORDS = (
    ("HKD", pattern(r"港股|香港|\b(?:hk|hong kong)\b", re.I)),
    (
        "USD",
        pattern(
            r"美股|美国|\bu\.s\.|\bamerican\b|(?-i:\bUS\b)"
            r"|\b(?:in|on) (?:the )?(?:us|usa|united states|states|america)\b"
            r"|\bus (?:stock|share|position|holding|market|account|name|trade)s?\b",
            re.I,
        ),
    ),
    ("CNY", pattern(r"[Aa]股|沪深(?!\s*(?:300|三百))|\b(?:chinese|a[- ]shares?|mainland)\b", re.I)),
)
"""Markets by the currency in which their shares are traded."""
_SHARES = pattern(
    rf"(?P<n>{COUNT})\s*(?P<unit>more\b|股(?![价息本东票份权])|手(?!续)|shares?\b|lots?\b)"
    r"|(?:\b(?:sell(?:ing)?|sold|buy(?:ing)?|bought|add(?:ed|ing)?|afford)\b|卖[出掉]?|买[入进]?|[加补建]仓)\s*(?P<m>\d[\d,]*)"
    rf"(?![\d.,]*\s*(?:[%％万亿成股手]|per ?cent|shares?\b|lots?\b|{UNIT}|[a-z]?\d))",
    re.I,
)
_LOT = 100
"""Shares of a lot (手) of the mainland's exchanges."""


class Size(NamedTuple):
    """A number of shares or of lots, and where it stands in the text."""

    number: float
    in_lots: bool
    at: tuple[int, int]

    def shares_of(self, symbol: Symbol) -> float | None:
        """Return how many shares it is of a security; None where its lot is not known.

        >>> from ia.domain.instruments.symbols import resolve_security
        >>> moutai, tencent = resolve_security("600519"), resolve_security("00700")
        >>> find_size("买3手").shares_of(moutai), find_size("2 lots").shares_of(tencent)
        (300.0, None)
        """
        if not self.in_lots:
            return self.number
        return self.number * _LOT if symbol.market == "CN" else None


def find_size(text: str) -> Size | None:
    """Return the number of shares or lots that a text names; None where it names none.

    >>> find_size("卖出两百股"), find_size("if I buy 1,000 at 30").number, find_size("买5万元"), find_size("一股一块")
    (Size(number=200.0, in_lots=False, at=(2, 5)), 1000.0, None, Size(number=1.0, in_lots=False, at=(0, 2)))
    """
    found = _SHARES.search(text)
    count = parse_count((found["n"] or found["m"]).casefold()) if found else None
    if found is None or count is None:
        return None
    return Size(count, (found["unit"] or "").casefold() in ("手", "lot", "lots"), found.span())


TOGETHER = pattern(
    r"加(?:起来|在?一起|一块儿?)|合(?:计|起来|在一起|一起)|一共|总共|总计|之和|总和"
    r"|\b(?:together|combined|in (?:all|total)|altogether|added up|sum|total)\b",
    re.I,
)
"""Words that ask for one sum of several."""


def find_currencies(text: str, *, colloquial: bool = False) -> list[str]:
    """Return the currencies that a text names; with `colloquial`, yuan where it names but 元 or 块.

    >>> find_currencies("5 Hong Kong dollars"), find_currencies("三万块"), find_currencies("三万块", colloquial=True)
    (['HKD'], [], ['CNY'])
    """
    named = [code for code, form in CURRENCY_WORDS if form.search(text)]
    return named or (["CNY"] if colloquial and _COLLOQUIAL.search(text) else [])


def find_market_currencies(text: str) -> list[str]:
    """Return the currencies of the markets that a text names.

    >>> find_market_currencies("我的美股"), find_market_currencies("tell us about A-shares")
    (['USD'], ['CNY'])
    """
    return [code for code, form in MARKET_WORDS if form.search(text)]


_ACCOUNT = r"(?:账[户上本]|帐户|户头|(?:denominated )?(?:accounts?|books?|pots?|purses?)\b)"
"""A regular expression of what holds the money of one currency."""


def find_accounts(text: str) -> list[str]:
    """Return the currencies of which a text names the account, by the currency or by its market.

    >>> find_accounts("my HKD account"), find_accounts("the account in dollars"), find_accounts("人民币账户")
    (['HKD'], ['USD'], ['CNY'])
    >>> find_accounts("my account by day of the US stocks account")
    ['USD']
    >>> find_accounts("my account in all, told in Hong Kong"), find_accounts("how much is my US stock")
    ([], [])
    """
    found = []
    for code, form in (*CURRENCY_WORDS, *MARKET_WORDS):
        said = any(
            re.match(rf"(?:的|[\s-]|(?:stocks?|shares?)\b)*{_ACCOUNT}", text[each.end() :], re.I)
            or re.search(rf"{_ACCOUNT} in\s\Z", text[: each.start()], re.I)
            for each in form.finditer(text)
        )
        found += [code] if said and code not in found else []
    return found


def find_market_words(text: str) -> tuple[str, ...]:
    """Return the words with which a text names markets.

    >>> find_market_words("tell us about Hong Kong and A-shares")
    ('Hong Kong', 'A-shares')
    """
    return tuple(match[0] for _, form in MARKET_WORDS if (match := form.search(text)))


_PLACE = pattern(
    r"第(?P<n>[二三四])(?=[大小多少重高低好差贵便赚亏惨牛强])"
    r"|\b(?P<en>second|2nd|third|3rd|fourth|4th)[- ]"
    r"(?=(?:biggest|largest|smallest|heaviest|best|worst|most|least|highest|lowest|cheapest|riskiest)\b)",
    re.I,
)
_BESIDES_FIRST = pattern(
    r"最[大小高低重好差多少贵赚亏惨牛强][^，,。？?]{0,10}(?:和|以及|还有|跟|与|、)\Z"
    r"|\b(?:biggest|largest|smallest|heaviest|best|worst|highest|lowest)\b[^,.?]{0,24}(?:\band|&|\+)(?: the| my)? \Z",
    re.I,
)
"""The first is asked for, and a later place besides it."""
_PLACES = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}


def read_place(text: str) -> int:
    """Return which place of an order a question asks about, from 1.

    >>> read_place("my second largest holding"), read_place("第三大持仓"), read_place("the largest and second largest")
    (2, 3, 1)
    """
    found = _PLACE.search(text)
    if found is None or _BESIDES_FIRST.search(text[: found.start()]):
        return 1
    return _PLACES[found["en"].casefold()] if found["en"] else int(parse_count(found["n"]) or 1)
