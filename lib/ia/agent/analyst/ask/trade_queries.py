"""Questions that list, count, sum or order the owner's trades, by any mixture of conditions.

What other tables do not read is read here, word by word: each has to name a condition, what is wanted, or nothing.
"""

import re
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache

from ia.agent.analyst.ask.amounts import CURRENCY_WORDS, MARKET_WORDS
from ia.agent.analyst.ask.idea_words import MARK, fold_case, load_rows
from ia.agent.analyst.ask.mentions import LONGEST, Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import FUTURE, UNREAD, TimeSpan, find_time_spans
from ia.agent.analyst.voice import count_han
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import compile_pattern, pattern
from ia.kernel.word_patterns import split_alternatives

_TIME = "\ufffb"
"""Stands for a stretch of time."""
_MARKET_CURRENCIES = tuple(code for code, _ in MARKET_WORDS)


@dataclass(frozen=True, kw_only=True)
class Bound:
    """What a figure of a trade is held against: at least `least`, at most `most`; `strict` without the bound itself."""

    of: str
    least: float | None = None
    most: float | None = None
    strict: bool = False
    currency: str = ""


@dataclass(frozen=True, kw_only=True)
class TradeQuery:
    """A question for trades of the owner.

    words, spans   the text and its stretches of time
    only           the securities that are meant; () for all
    without        codes of securities, and currencies, that are left out
    currencies     those of the markets that are meant; () for all
    sides          "buy" and "sell" as they are named; () for both
    said           values of the other slots: want, field, order, sort, reason, kept, each
    bounds         what figures of a trade are held against
    about          what the reason of a trade has to say
    count          how many of an order are meant: the three largest; 0 for one, or for all of a list
    times          how often a security was traded, at least and at most; 0 for no such bound
    owner          whether the words say that they are the owner's
    """

    words: str
    spans: tuple[TimeSpan, ...] = ()
    only: tuple[Mention, ...] = ()
    without: tuple[str, ...] = ()
    currencies: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()
    said: dict[str, str] = field(default_factory=dict)
    about: str = ""
    count: int = 0
    times: tuple[int, int] = (0, 0)
    owner: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether it names trades, and those of the owner."""
        return bool(self.sides) and (
            self.owner or bool({"kept", "each"} & set(self.said)) or self.said.get("field") == "feerate"
        )

    @property
    def has_condition(self) -> bool:
        """Whether it names a condition that only this reading of a question knows."""
        said = self.said
        days = said.get("want") == "days" and not self.only and "order" not in said
        days = days or said.get("want") in ("ago", "gap")
        bounds = any(each.of != "amount" for each in self.bounds)
        rated = said.get("field") == "feerate" and bool(
            {"order", "sort", "want"} & set(said) or self.only or self.spans
        )
        named = bool({"each", "kept", "now"} & set(said)) or rated
        return bool(days or self.without or self.times != (0, 0) or bounds or named)


_OWNER = pattern(
    r"(?<![a-z])(?:i|my|mine|i've|trades|purchases|journal|(?:any|which) (?:trade|purchase|sale)s?)(?![a-z])"
    r"|我|[几哪每那][一些几]?[笔次]|[买卖][得的]最|交易|买入|卖出|买过|卖过"
)
_COUNTS_SHARES = pattern(r"how many (?:of (?:my|the|those) )?(?:shares|of)|(?:多少|几)股")
_NAMES_OWNER = pattern(r"(?<![a-z])(?:i|my|mine|i've)(?![a-z])|我|[笔次过]")
_STANDS = pattern(
    r"reasons?\b.{0,30}\b(?:still|no longer|stop\w*)\b.{0,6}\b(?:hold|stand|valid|true|appl)"
    r"|(?:理由|逻辑)[^，,。]{0,6}(?:成立|还在|失效)"
)
"""Whether a reason is still true is asked, and not which shares are still held."""
_LEFT_OUT = (
    r"(?:except(?: for)?|excluding|exclude|other than|apart from|besides|without|leaving out|but not|not counting|not"
    r"|除了?|除去|除开|不含|不算|不包括|去掉|排除|刨去)\s*(?:the |my |any |ones? |those |in |of |on |买|卖|交易|的)*"
)
_FIELDS = (
    ("fees", r"fees?(?: and taxes)?|charges|(?:交易)?手续费|费用"),
    ("commission", r"commissions?|佣金"),
    ("stamp", r"stamp (?:duty|tax)|印花税"),
    ("price", r"(?:share |unit )?prices?|(?:成交|买入|卖出)?(?:单价|价格|价位|价)|每股"),
    ("profit", r"(?:realised |realized )?(?:profits?|gains?)|盈利|利润|赚了?"),
    ("loss", r"loss(?:es)?|lost|亏损?了?"),
    ("quantity", r"shares|股数|数量"),
    ("amount", r"amounts?|values?|worth|(?:成交|交易|买入|卖出)?(?:金额|总额|额)|cost(?:ing|s)?|花了?"),
)
_MORE = (
    r"over|above|more than|greater than|larger than|bigger than|higher than|exceed(?:s|ed|ing)?|at least|no less than"
    r"|from|超过了?|大于|高于|多于|不低于|不少于|至少"
)
_LESS = (
    r"under|below|less than|smaller than|lower than|fewer than|at most|no more than|up to|不超过|不高于|不多于|至多"
    r"|最多|低于|小于|少于|不到|不足"
)
_UNITS = (
    r"(?:人民币|美[元金]|港[元币纸]|元|块钱?|股|手|shares?|lots?|%|per ?cent|(?:us |hk |hong kong )?dollars?"
    r"|yuan|rmb|cny|usd|hkd|bucks?)"
)
_ANY_FIELD = "|".join(form for _, form in _FIELDS)
_LINK = r"(?:were|was|is|are|of|at|in|had|have|has|came to|come to|for|的|是|在|为|都|有|得)"


@cache
def _load_bounds() -> re.Pattern[str]:
    number = rf"[$¥]?\s*(?P<n>{COUNT})\s*(?P<k>k(?![a-z]))?"

    def name_number(letter: str) -> str:
        return number.replace("<n>", f"<{letter}>").replace("<k>", f"<k{letter}>")

    return compile_pattern(
        rf"(?:(?P<f1>{_ANY_FIELD})\s*)?(?P<link>(?:{_LINK}\s*)*)"
        rf"(?:(?:(?P<more>{_MORE})|(?P<less>{_LESS}))\s*{number}\s*(?P<unit>{_UNITS})?"
        rf"|(?:between|在|介于)?\s*{name_number('a')}\s*(?P<ua>{_UNITS})?"
        rf"\s*(?:and|to|到|至|-|和)\s*{name_number('b')}\s*(?P<ub>{_UNITS})?(?:之间)?"
        rf"|{name_number('z')}\s*(?P<uz>{_UNITS})?\s*"
        r"(?:(?P<up>以上|or more|and (?:up|above|over)|and more|upwards?)"
        r"|(?P<down>以下|以内|or less|and (?:below|under))))"
        rf"(?:\s*(?:in|of|的|each)?\s*(?P<f2>{_ANY_FIELD}))?"
    )


@cache
def _load_words() -> list[tuple[str, str, re.Pattern[str]]]:
    """Return the rows of the table: the slot, its value, and the expression."""
    rows = []
    for name, forms in load_rows("trade_query_words.tsv"):
        slot, _, value = name.partition("=")
        parts = split_alternatives(forms)
        latin = "|".join(each for each in parts if not count_han(each))
        han = "|".join(sorted((each for each in parts if count_han(each)), key=len, reverse=True))
        both = [rf"(?<![a-z'])(?:{latin})(?![a-z'])"] if latin else []
        rows.append((slot, value, compile_pattern("|".join([*both, *([han] if han else [])]))))
    return rows


_ABOUT = pattern(
    r"(?:reasons?|because) (?:that )?(?:mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|say(?:s|ing)?|said|was|is|were|of"
    r"|include[sd]?) [\"'“]?(?P<en>[a-z][a-z -]{1,30}?)[\"'”]?(?=\W*$)"
    r"|(?:理由|原因)(?:里面?|中)?(?:写了?|提到|包含|含有?|是|为|有|说)(?:的是|了|着)?[“\"]?(?P<zh>[^”\"的，。？?\s是有]{2,12})[”\"]?(?:的|了)?"
)
_NARROWS = pattern(
    r"^\W*(?:and |but |now |so )*(?:only|just|of (?:them|those|these)|which of (?:them|those|these)|those|these)\b"
    r"|^\W*(?:那|其中|里面|这里面|只看|只要|只列|光看|单看)"
)
"""Words that narrow the list before."""
_POINTING = pattern(
    r"(?<![a-z])(?:of (?:them|those|these)|those|these|them|and|only|just|now)(?![a-z])"
    r"|其中|里面|这些|那些|只看|只要|只列|光看|单看|那"
)


def read_query(words: str, today: date) -> TradeQuery | None:
    """Return the question for trades that a text is; None where a word of it is not read.

    >>> day = date(2024, 3, 15)
    >>> read_query("which of my trades had fees above 10", day).bounds
    (Bound(of='fees', least=10.0, most=None, strict=True, currency=''),)
    >>> read_query("除了茅台我还卖过什么", day).without, read_query("除了茅台我还吃过什么", day)
    (('600519.SH',), None)
    """
    if len(words) > LONGEST or MARK in words or _TIME in words or _STANDS.search(words):
        return None
    plain, text = strip_mentions(words), fold_case(strip_mentions(words, MARK))
    spans = find_time_spans(plain, today)
    if len(text) != len(plain) or any(span.kind in (FUTURE, UNREAD) for span in spans):
        return None
    for span in reversed(spans):
        text = text[: span.at[0]] + _TIME + " " * (span.at[1] - span.at[0] - 1) + text[span.at[1] :]
    query = TradeQuery(words=words, spans=tuple(spans), owner=_OWNER.search(text) is not None)
    text, query = _take_about(text, query)
    text, left_out = _take_left_out(text, words)
    text, times = _take_times(text)
    text, bounds = _take_bounds(text)
    text, count = _take_count(text)
    if left_out is None or bounds is None:
        return None
    text, currencies = _take_currencies(text)
    text, sides, said = _take_words(text)
    text = _DATED.sub(" ", text)
    if said is None or any(char.isalnum() for char in _POINTING.sub(" ", text).replace(MARK, " ")):
        return None
    if said.get("kept") == "held" and _COUNTS_SHARES.search(fold_case(plain)):
        return None  # how many shares are held, not how many were traded
    if said.get("want") == "days" and set(sides) == {"both"} and not _NAMES_OWNER.search(fold_case(plain)):
        return None  # "on which days is there trading" is asked of the market
    named = tuple(each for each in find_mentions(words) if each.code not in left_out)
    if any(each.symbol.kind == "index" for each in named):
        return None
    return replace(
        query,
        only=named,
        without=tuple(left_out),
        currencies=tuple(currencies),
        said=said,
        bounds=bounds,
        sides=tuple(sides),
        times=times,
        count=count,
    )


_DATED = pattern(
    rf"(?:\b(?:after|since|before|until|till|by|during|from)\b\s*)?{_TIME}\s*(?:以后|之后|以前|之前|以来|起|后|前)?"
)
_ONES = pattern(r"\b(?:stocks?|shares?|market|dollars?|ones?|part|side)\b")


def _take_currencies(text: str) -> tuple[str, list[str]]:
    """Return a text without the markets and currencies that it names, and the currencies of those."""
    currencies = []
    for code, form in (*MARKET_WORDS, *((code, form) for code, form in CURRENCY_WORDS if code in _MARKET_CURRENCIES)):
        if form.search(text):
            currencies.append(code)
            text = form.sub(" ", text)
    return _ONES.sub(" ", text) if currencies else text, list(dict.fromkeys(currencies))


def _take_words(text: str) -> tuple[str, list[str], dict[str, str] | None]:
    """Return a text without the words of the table, the sides that it names and the other slots; None if they clash."""
    said, sides = dict[str, str](), list[str]()
    for slot, value, form in _load_words():
        if slot != "idle" and form.search(text):
            if slot == "side":
                sides.append(value)
            elif said.setdefault(slot, value) != value and value != "sum":
                return text, [], None
        text = form.sub(" ", text)
    sides = list(dict.fromkeys(sides))
    if said.pop("spent", "") and said.setdefault("field", "amount") == "amount":
        said.setdefault("want", "sum")
    if "each" in said and "sell" in sides:
        return text, [], None
    if "each" in said:
        sides = ["buy"]
    if said.get("field") == "feerate" and not sides:
        sides = ["both"]
    both = {"buy", "sell"} <= set(sides)
    if both and said.get("field") and not {"order", "sort"} & set(said):
        said.setdefault("want", "sum")
    return text, sides, said


def continue_query(words: str, before: str, today: date) -> TradeQuery | None:
    """Return the question for trades that goes on with the one before it; None where they are none.

    >>> day = date(2024, 3, 15)
    >>> continue_query("only the sales", "show my trades of january", day).sides
    ('sell',)
    """
    old, new = read_query(before, today), read_query(words, today)
    if old is None or new is None or not old.is_whole or (new.is_whole and not _NARROWS.search(fold_case(words))):
        return None
    if not (
        new.spans
        or new.only
        or new.without
        or new.currencies
        or new.sides
        or new.bounds
        or new.said
        or new.about
        or new.count
    ):
        return None
    kept = {key: value for key, value in old.said.items() if key not in ("order", "sort") or not new.said}
    return TradeQuery(
        words=new.words if new.spans else old.words,
        spans=new.spans or old.spans,
        only=new.only or old.only,
        without=(*old.without, *new.without),
        currencies=new.currencies or old.currencies,
        sides=new.sides or old.sides,
        bounds=(*old.bounds, *new.bounds),
        said={**kept, **new.said},
        about=new.about or old.about,
        count=new.count or (old.count if not new.said else 0),
        times=new.times if new.times != (0, 0) else old.times,
        owner=True,
    )


def _take_about(text: str, query: TradeQuery) -> tuple[str, TradeQuery]:
    found = _ABOUT.search(text)
    if found is None:
        return text, query
    about = (found["en"] or found["zh"]).strip()
    if about in ("what", "why", "which", "什么", "哪些", "啥"):
        return text, query
    return text[: found.start()] + " " + text[found.end() :], replace(query, about=about)


_TIMES = pattern(
    r"(?<![a-z])(?:(?P<more>more than once|several times|repeatedly|many times|twice or more|at least twice"
    r"|more than one time)|(?P<two>twice|two times|a second time)|(?P<once>(?:only |just )?once))(?![a-z])"
    rf"|(?:(?:more than|at least) )?(?P<en>{COUNT}) times(?P<up> or more)?"
    rf"|(?P<zh>{COUNT})[次回](?P<above>以上|及以上|或更多)?|(?P<many>多次|好几次|反复|不止一次)"
)
_NTH_TIME = pattern(r"(?:第|上|前|最后|最近|最早|[几哪每])一?\Z|how (?:many )?\Z")


def _take_times(text: str) -> tuple[str, tuple[int, int]]:
    """Return a text without how often a security was traded, and that: at least and at most so many times."""
    found = _TIMES.search(text)
    if found is None or _NTH_TIME.search(text[: found.start()]):
        return text, (0, 0)
    rest = text[: found.start()] + " " + text[found.end() :]
    if found["once"]:
        return rest, (1, 1)
    if found["more"] or found["many"] or found["two"]:
        return rest, (2, 0)
    number = int(parse_count((found["en"] or found["zh"]).strip()) or 0)
    if number < 1:
        return text, (0, 0)
    over = found[0].startswith("more than")
    return rest, (number + over, 0)


_RANKS = (
    r"(?:largest|biggest|highest|greatest|dearest|costliest|priciest|most expensive|smallest|lowest|cheapest|tiniest"
    r"|last|latest|newest|most recent|first|earliest|oldest)"
)


@cache
def _load_count() -> re.Pattern[str]:
    return compile_pattern(
        rf"(?P<en>{COUNT}) (?={_RANKS}\b)|(?<![a-z]){_RANKS} (?P<after>{COUNT})(?![a-z])|\btop (?P<top>{COUNT})\b"
        rf"|最(?:大|高|多|贵|小|低|少|便宜|近|后|新|早|先)的?(?:那)?(?P<zh>{COUNT})(?=[笔次个])|前(?P<front>{COUNT})(?=[大笔次])"
    )


def _take_count(text: str) -> tuple[str, int]:
    """Return a text without the number of an order, and that; 0 without one."""
    found = _load_count().search(text)
    said = next((each for each in found.groups() if each), "") if found else ""
    number = parse_count(said.strip()) if said else None
    if found is None or number is None or number < 2 or number != int(number):
        return text, 0
    at = text.index(said, found.start())
    put = " largest " if found["top"] else "最大" if found["front"] else ""
    begin = found.start() if put else at
    end = found.end() if put else at + len(said)
    return text[:begin] + (put or " ") + text[end:], int(number)


@cache
def _load_left_out() -> re.Pattern[str]:
    marks = "|".join([MARK, *(f"(?:{form.pattern})" for _, form in MARKET_WORDS)])
    return compile_pattern(
        rf"{_LEFT_OUT}(?P<what>(?:{marks})(?:(?:\s*(?:,|、|and|和|与|or)\s*)(?:{marks}))*)\s*"
        r"(?:以外|之外|外)?的?(?:\s*(?:ones?|stocks?|shares?|trades?|股票))?",
        re.I,
    )


def _take_left_out(text: str, words: str) -> tuple[str, list[str] | None]:
    """Return a text without what it leaves out, and those codes and currencies; None where those are not read."""
    found = _load_left_out().search(text)
    if found is None:
        return text, []
    places = [at for at, char in enumerate(text) if char == MARK]
    named = find_mentions(words)
    if len(places) != len(named):
        return text, None
    out = [named[number].code for number, at in enumerate(places) if found.start() <= at < found.end()]
    out += [code for code, each in MARKET_WORDS if each.search(found[0])]
    return text[: found.start()] + " " * (found.end() - found.start()) + text[found.end() :], out


def _take_bounds(text: str) -> tuple[str, tuple[Bound, ...] | None]:
    """Return a text without the figures that trades are held against, and those; None where one is not read."""
    bounds = []
    for found in reversed(list(_load_bounds().finditer(text))):
        bound = _read_bound(found, text[: found.start()])
        if bound is None:
            return text, None
        bounds.append(bound)
        text = text[: found.start()] + " " + text[found.end() :]
    return text, tuple(reversed(bounds))


_DEALT = pattern(r"(?:bought|sold|buy|sell|买[入进]?|卖[出掉]?)\s*\Z")


_NOT_STRICT = pattern(
    r"at least|no less than|from|不低于|不少于|至少|at most|no more than|up to|不超过|不高于|不多于|至多|最多"
)
"""Comparisons that the bound itself meets."""


def _read_bound(found: re.Match[str], before: str) -> Bound | None:
    unit = found["unit"] or found["ua"] or found["ub"] or found["uz"] or ""
    said = found["f1"] or found["f2"] or ""
    of = next((name for name, form in _FIELDS if re.fullmatch(form, said)), "") if said else ""
    if unit in ("股", "share", "shares") and of in ("", "quantity"):
        of = "quantity"
    elif unit in ("手", "lot", "lots", "%") or unit.startswith("per"):
        return None
    if not of and _DEALT.search(before) and not unit:
        of = "price" if re.search(r"at|在", found["link"]) else "amount" if "for" in found["link"] else ""
        if not of:
            return None
    currency = next((code for code, form in CURRENCY_WORDS if form.search(unit)), "")

    def count(name: str, thousands: str) -> float | None:
        value = parse_count(found[name]) if found[name] else None
        return value * 1000 if value is not None and found[thousands] else value

    of = of or "amount"
    if found["a"]:
        least, most = count("a", "ka"), count("b", "kb")
        if least is None or most is None or (of == "amount" and most < 32 and not unit):
            return None
        return Bound(of=of, least=least, most=most, currency=currency)
    value = count("n", "k") if found["n"] else count("z", "kz")
    if value is None:
        return None
    op = found["more"] or found["less"] or ""
    strict = bool(op) and not _NOT_STRICT.fullmatch(op)
    if found["more"] or found["up"]:
        return Bound(of=of, least=value, strict=strict, currency=currency)
    return Bound(of=of, most=value, strict=strict, currency=currency)
