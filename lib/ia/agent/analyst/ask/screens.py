"""Which screen a question means: words become the columns, bounds, industries, order and size of it."""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from ia.agent.analyst.ask.idea_words import load_rows
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import pattern

SHOWN = 8


class ScreenColumn(NamedTuple):
    """A column of a screen: the words for it, its name there, its unit, and whether its bounds are per cent.

    falls   whether the words name the size of a fall: what is above a bound is below its negative
    rises   whether they name the size of a rise: a fall is none
    """

    words: str
    name: str
    unit: str
    percent: bool = False
    falls: bool = False
    rises: bool = False


COMPANY_FIGURES = {
    "pe": "pe", "pe_ttm": "pe_ttm", "pb": "pb", "roe": "roe_pct", "dividend_yield": "dividend_yield_pct",
    "revenue_yoy": "revenue_yoy_pct", "profit_yoy": "profit_yoy_pct", "gross_margin": "gross_margin_pct",
    "net_margin": "net_margin_pct", "debt_ratio": "debt_ratio_pct",
}  # fmt: skip
"""Figures that are known of companies abroad as well, and need no currency: the column, and the field of tools."""


_SANK_ZH, _GAIN_ZH = "(?:下滑|下降|减少|负增长|降幅|跌幅)(?:了|的)?", "(?:(?:归母)?净?利润|净利(?![率润])|业绩|盈利)"
_SALES = r"\b(?:revenues?|sales)(?: (?:is|are|was|were|has|have|had|that|which|been))*"
_GAIN = r"\b(?:net )?(?:profits?|earnings|net income)(?: (?:is|are|was|were|has|have|had|that|which|been))*"
_GREW = r"(?:growth(?: rates?)?|gr[eo]w\w*|up|risen|rising|rises?|rose|increas\w+)\b(?: (?:by|at|of))*"
_SANK = r"(?:down|f[ae]ll\w*|drop\w*|declin\w+|shr[iau]nk\w*|decreas\w+)\b(?: (?:by|of))*"
_GROWING = r"\b(?:grow(?:ing|n|s)?|grew|increas(?:e|ed|es|ing)|growth (?:in|of))(?: (?:their|its|the))*"

COLUMNS = (
    ScreenColumn(r"动态市盈率|\bdynamic p/?e(?![a-z])", "pe", "ratio"),
    ScreenColumn(
        r"(?:滚动)?市盈率(?:\s*[(（]?ttm[)）]?)?|(?:\b(?:ttm|trailing) )?(?<![a-z])p/?e(?:s|[ _-]?ratios?)?"
        r"(?:[ _]?[(（]?ttm[)）]?)?(?![a-z])|\bprice[- ]to[- ]earnings(?: ratios?)?\b"
        r"|(?<=times )(?:their |its |trailing )*(?:earnings|profits?)\b",
        "pe_ttm",
        "ratio",
    ),
    ScreenColumn(
        r"市净率|(?<![a-z])p/?b(?:[ _-]?ratios?)?(?![a-z])|\bprice[- ]to[- ]book(?: (?:ratios?|values?))?\b"
        r"|(?<=times )(?:their |its )?book(?: value)?\b",
        "pb",
        "ratio",
    ),
    ScreenColumn(r"净资产(?:收益|回报)率|(?<![a-z])roe(?![a-z])|\breturns? on equity\b", "roe", "percent_plain", True),
    ScreenColumn(r"流通市值|\bfloat cap\w*", "float_cap", "money"),
    ScreenColumn(
        r"总?市值|\bmarket[- ]?cap(?:itali[sz]ation)?|\bmarket values?\b|\bcapitali[sz]ation\b", "market_cap", "money"
    ),
    ScreenColumn(r"换手率?|\bturnover(?: rate)?", "turnover", "percent_plain", True),
    ScreenColumn(r"成交额|成交金额|\btraded value|\bamount traded|\bvalue traded", "amount", "money"),
    ScreenColumn(r"振幅|\bamplitude", "amplitude", "percent_plain", True),
    ScreenColumn(r"净利率|\b(?:net|(?:net )?profit) margins?", "net_margin", "percent_plain", True),
    ScreenColumn(r"毛利率?|\b(?:gross )?margins?", "gross_margin", "percent_plain", True),
    ScreenColumn(r"(?:资产)?负债率?|\bdebt(?: ratios?)?\b", "debt_ratio", "percent_plain", True),
    ScreenColumn(rf"(?:营收|收入)(?:同比)?{_SANK_ZH}|{_SALES} {_SANK}", "revenue_yoy", "percent", True, True),
    ScreenColumn(rf"{_GAIN_ZH}(?:同比)?{_SANK_ZH}|{_GAIN} {_SANK}", "profit_yoy", "percent", True, True),
    ScreenColumn(
        rf"(?:营收|收入)(?:的|同比)*(?:(?:增[长速]|增幅|增加)率?|(?<=同比))|{_SALES} {_GREW}|{_GROWING} {_SALES}",
        "revenue_yoy",
        "percent",
        True,
    ),
    ScreenColumn(
        rf"{_GAIN_ZH}(?:的|同比)*(?:(?:增[长速]|增幅|增加)率?|(?<=同比))|{_GAIN} {_GREW}|{_GROWING} {_GAIN}",
        "profit_yoy",
        "percent",
        True,
    ),
    ScreenColumn(r"营收|营业?总?收入|\brevenues?\b", "revenue", "money"),
    ScreenColumn(r"(?:归母)?净利润|\bnet (?:profits?|income)\b", "profit", "money"),
    ScreenColumn(
        r"股息率?|分红率|\bdividend yields?|\bdividends?|\byield(?:s|ing)?\b", "dividend_yield", "percent_plain", True
    ),
    ScreenColumn(r"每股收益|(?<![a-z])eps(?![a-z])", "eps", "ratio"),
    ScreenColumn(r"股价|价格|\b(?:share )?prices?", "price", "price"),
    ScreenColumn(r"(?<![a-z])change_ytd", "change_ytd", "percent", True),
    ScreenColumn(r"(?<!涨)跌幅|下跌|(?<!涨)跌了?|\b(?:fell|fallen|lost|dropped|down)", "change", "percent", True, True),
    ScreenColumn(r"涨跌幅|\b(?:daily )?changes?", "change", "percent", True),
    ScreenColumn(r"涨幅|上涨|涨了?|\b(?:rose|risen|gained|up)\b", "change", "percent", True, rises=True),
)
_SIGNS = (
    ("<=", r"不超过|不高于|不大于|至多|最多|<=|≤|\bat most\b|\bno more than\b|\bup to\b"),
    (">=", r"不低于|不少于|不小于|至少|>=|≥|\bat least\b|\bno less than\b"),
    ("<", r"低于|小于|不到|少于|不足|<|\bbelow\b|\bunder\b|\b(?:is |are )?(?:less|lower|smaller|cheaper) than\b"),
    (
        ">",
        r"高于|大于|超过?|多于|>|\babove\b|\bover\b|\b(?:is |are )?(?:more|higher|greater|larger) than\b"
        r"|\bexceeding\b|\bby more than\b|\b(?:faster|quicker) than\b",
    ),
)
_AFTER = (
    ("<", r"(?:及|或)?以下|之下|\bor (?:less|lower|below)\b"),
    ("<=", r"(?:以|之)内|\b(?:max(?:imum)?|tops|at (?:the )?most)\b"),
    (
        ">=",
        r"(?:及|或)?以上|之上|\bor (?:more|higher|above|better|over)\b|\b(?:min(?:imum)?|at (?:the )?least|plus)\b|\+",
    ),
)
_LINK = (
    r"(?:\s|是|为|在|的|率|还|也|仍|却|又|同时|同样|都|均|能|要|得|有|达到?"
    r"|\b(?:is|are|of|a|the|by|that|was|at|still|also|has|to be|being)\b)*"
)
_NUMBER = rf"(?P<n>-?{COUNT})\s*(?P<unit>%|倍|元|块钱?|亿元?|万元?|billion\b|bn\b|million\b|times\b|yuan\b|rmb\b)?"
_RANGE = (
    rf"(?:between |from |从|介于)?(?P<low>{COUNT})\s*(?:%|倍)?\s*(?:到|至|-|~|～|–|and|to)\s*(?P<high>{COUNT})"
    r"\s*(?:%|倍)?(?:之间)?"
)
_LOWEST = pattern(
    r"最(?:低|小|少|慢)|\b(?:lowest|smallest|least|thinnest|slowest)\b|[从由](?:低到高|小到大|少到多)", re.I
)
_HIGHEST = pattern(
    r"最(?:高|大|多|快|猛)|\b(?:highest|largest|biggest|most|greatest|fastest|quickest|fattest|juiciest|richest)\b"
    r"|[从由](?:高到低|大到小|多到少)",
    re.I,
)
_ORDERED_BY = r"(?:按照?|根据|以|\b(?:by|sorted by|ranked by|ordered by|in order of))\s*(?:the\s+)?"
"""What stands before the column of an order whose direction is left open."""
_LISTED = ("pe_ttm", "pe", "pb", "debt_ratio")
"""Columns of which the lowest comes first where the direction is left open."""
_CHEAP = pattern(
    r"(?:最|更|比较)?便宜的?|(?:低估值|估值[较最比]?低)的?|(?:被)?低估的?|价值(?=股)|\b(?:cheap(?:est)?"
    r"|under-?valued|inexpensive)\b"
    r"|\bvalue (?=stocks?\b|shares\b|names\b)",
    re.I,
)
_DEAR = pattern(r"最贵的?|(?:高估值|估值[较最比]?高)的?|\b(?:most expensive|priciest|dearest)\b", re.I)
_SIZE = pattern(r"\b(?:largest|biggest|smallest)\b|(?:规模|体量)?最[大小]的?", re.I)
_SMALLEST = pattern(r"smallest|最小", re.I)
_RICH = pattern(
    r"高股息率?的?|高分红的?|红利(?=股)|\bdividend (?=stocks?\b|shares\b|payers?\b|names\b)"
    r"|\bhigh(?:est)?[- ](?:dividends?|yield(?:ing)?)(?: yields?)?\b",
    re.I,
)
_LOW_PRICED = pattern(r"低价(?=股)|最低价(?=股)|\bpenny (?=stocks?\b|shares\b)|\blow(?:est)?[- ]priced\b", re.I)
_HIGH_PRICED = pattern(r"高价(?=股)|\bhigh(?:est)?[- ]priced\b", re.I)
_ACTIVE = pattern(
    r"(?:成交|交易)最?活跃的?|成交最多的?|\bmost (?:active(?:ly traded)?|(?:heavily )?traded)\b"
    r"|\b(?:active|actively traded)(?= (?:stocks|shares))",
    re.I,
)
_PROFITABLE = pattern(
    r"(?:最|更)?(?:能)?(?:赚钱|挣钱)最?多?的?|\bmost profitable\b|\b(?:earn|make)s? (?:the )?most(?: money)?\b", re.I
)
_GROWTH = pattern(
    r"成长(?=股)|高(?:成长|增长)性?的?|(?:增长|成长|增速)(?:得)?最快的?"
    r"|\b(?:(?:high|fast|strong)[- ])?growth (?=stocks?\b|shares\b|companies\b|names\b)"
    r"|\b(?:fastest|quickest)[- ]growing\b|\bgr[eo]w\w* (?:the )?(?:fastest|most)\b",
    re.I,
)
_COUNTED = pattern(
    rf"(?P<lead>前|头)?(?P<n>{COUNT})\s*(?:只|家|个|支)|(?P<first>前)(?P<k>{COUNT})(?:名|大|位)?"
    rf"|\b(?:(?P<top>top|first)|the) (?!an?\b)(?P<m>{COUNT})\b"
    rf"|(?<=which )(?!a[- ])(?P<w>{COUNT})\b|(?<=the )(?P<x>{COUNT})(?= of (?:the )?)"
    rf"|\b(?P<s>{COUNT}) (?=(?:mainland |a-)?(?:stocks|shares|companies|banks|largest|biggest|smallest"
    rf"|cheapest|highest|lowest)\b)",
    re.I,
)
_MEAN = pattern(r"平均值?的?|均值|中位数?|\b(?:average|mean|median)\b(?: of)?", re.I)
_BELOW_BOOK = pattern(
    r"破净的?|(?:股价)?(?:跌破|低于|小于)(?:每股)?净资产(?!收益)的?"
    r"|(?:\btrad\w+ )?\b(?:below|under) (?:its |their )?book(?: value)?\b",
    re.I,
)
_ONE = pattern(
    r"哪[一]?[只家个支]|谁(?!们)|是哪|\bwhich (?:\w+ )?(?:stock|share|company|bank|insurer|broker)\b(?!s)"
    r"|\bwhich (?!stocks|shares|companies|banks)\w+ (?:is|has)\b",
    re.I,
)
_NOT = pattern(
    r"(?:除(?:了|去|开)?|不含|不包括|不包含|不算|不要|不是|排除|剔除|去掉|抛开|非"
    r"|\b(?:except|except for|excluding|other than|without|apart from|outside(?: of)?|besides"
    r"|leaving out|not counting"
    r"|not including|that are not|not|no)|\bnon-?)"
    r"\s*(?:the\s+|in\s+)?\Z",
    re.I,
)
_JOINED = pattern(r"\s*(?:、|和|与|及|以及|或者?|跟|还有|\band\b|\bor\b|\bnor\b|&|,(?:\s*and\b)?)\s*(?:the\s+)?", re.I)
"""What joins industries: all are wanted, or all are left out."""
_BUT = pattern(
    r"(?:股|板块|行业|类)?(?:股票)?(?:(?:以外|之外|外)(?:的)?|的?(?:都|就|先)?(?:不要|除外|不算|剔除|排除|去掉|不考虑)(?:掉|了)?)"
)
_OUTSIDE = pattern(r"以外|之外|不要|除外|不算|剔除|排除|去掉|不考虑")
_SUFFIX = (
    r"(?:业|(?:这个?|那个?)行业|类?股(?![息价东本权])(?:票)?|板块|行业|概念股?"
    r"|\s+(?:stocks?|shares?|companies|sector|industry))?"
)
_ST = pattern(r"(?:非|不含|剔除|排除|除了|\b(?:not|no|non|without|excluding)[- ])\s*\*?st股?", re.I)
_BOARDS = (
    ("chinext", pattern(r"创业板|\bchinext\b", re.I)),
    ("star", pattern(r"科创板|\bstar(?: market| board)\b", re.I)),
    ("bse", pattern(r"北交所", re.I)),
    ("main", pattern(r"主板|\bmain[- ]board\b", re.I)),
)
_FILLERS = pattern(
    r"(?:是|分别是)?哪[几两二三四五六七八九十\d]+[只家个支]|谁|大家|(?:个|的)?股(?:票)?(?:里面|里|当中|中)的?"
    r"|(?:里面|当中|之中)|是谁|是哪(?:一?只|家|个)?|哪一?[只家个支些]|的?股票|有哪些|哪些|有没有|有几[只家个]"
    r"|多少(?:[只家个]|(?=股票|个股|公司)|(?=\W*\Z))"
    r"|它们的?|其中的?|剩下的?|其余的?|不过|还是|仍然?|依然|却|又|还(?=有|在|能|要|\s)|分别(?:是)?(?:多少)?|也|既(?!然)"
    r"|\b(?:mainland|domestic|onshore|in the store|stored|store|yet|still|too|both|offers?|offering"
    r"|earns?|earning|boasts?|carr(?:y|ies|ying)"
    r"|sports?|sporting|enjoys?|shows?|left over|remain(?:s|ing)?|only|just|the rest|board|universe|then|here|w)\b"
    r"|[挑选]?出?几[只家个支]|[挑选](?=几|出|一)|帮我|给我|给(?=\s|\Z)|替我|为我|我想(?:要|看|找"
    r"|知道)?|想(?:要|看|找)|可以"
    r"|属于|比一?比|比较|对比|请|找一?[下些]?出?|筛选?出?|选出|列出|一下|排个?名次?|排个?序|排列|排在"
    r"|排一?下|排|看看|个股|公司"
    r"|股票|的股?|股|是什么|什么|是|有|现在|目前|今天|当前"
    r"|谢谢你?|多谢|谢啦|谢了|麻烦你?|你好|都|而且|但是?|并且|且|同时|以及|按|里|A股|a股|市场上?|全市场|沪深"
    r"|两市|以外|之外|吗|么|呢|[并和与,，。？?！!、；;：:()（）&\s]"
    r"|\bhow many (?:stocks?|shares|companies)\b|\bhow many\b"
    r"|\b(?:find|list|rank|sort|compare|screen|show|see|search|look|looking|want|like|belong(?:s|ing)?(?: to)?"
    r"|pick|a few|several|i|i'm|can|could|you|together|who|whom"
    r"|me|which|what|who|are|the|all|with|stocks?|shares?|compan(?:y|ies)|names"
    r"|have|has|had|a|an|of"
    r"|by|and|in|for|is|there|any|top|now|today|that|whose|on|among|at|market|ones?|some|did|do|does"
    r"|it|its|their|right"
    r"|currently|give|get|us|please|pls|plz|thanks|thank you|cheers|hi|hello|hey"
    r"|everything|anything|something|every|each|all|but|whole|entire|out there"
    r"|pays?|paying|trad(?:e|es|ing)|names?|ranked|sorted|order(?:ed)?|chinese|a-shares?)\b|[-.'’\"“”]",
    re.I,
)


_GROWN_WORDS = r"(?:profits?|earnings|income|revenues?|sales|turnover)"


@cache
def _load_rewordings() -> list[tuple[re.Pattern[str], str]]:
    """Return the ways of writing in a screen, and the words that its columns and bounds know."""
    return [
        (pattern(form.replace("COUNT", COUNT).replace("GROWN", _GROWN_WORDS), re.I), word)
        for form, word in load_rows("screen_words.tsv")
    ]


_NO_STOCKS = r"(?:anything|everything|any(?:one)?|all|those|the|ones?|stocks?|shares?|companies|names)"
_NOT_BOUND = pattern(
    r"(?:(?:先|把|我|想|要|请|帮我)*(?:剔除|排除|去掉|刨除|刨去|除去|除开|除了|不要|不想要|不含|不包括"
    r"|筛掉|过滤掉?|撇开)(?:掉)?(?:那些|所有)?"
    r"|(?:\b(?:if|when) (?:i|we|you) )?\b(?:exclud(?:e|es|ing)|leav(?:e|ing) (?:out|aside)|rul(?:e"
    r"|ing) out|skip(?:ping)?"
    r"|ignor(?:e|ing)|drop(?:ping)?|filter(?:ing)? out|throw(?:ing)? out|without|except(?: for)?|but not|not|no)"
    rf"(?: (?:{_NO_STOCKS}|with|at|that|which|whose|has|have|having|of|an?))*)\s*\Z",
    re.I,
)
"""What stands before a bound that is not to be met."""
_BOUND_OUT = pattern(
    r"\s*(?:的)?(?:股票|公司|股|那些)?(?:都|就|全|通通|先)*(?:不要|除外|剔除|排除|去掉|不算|不考虑"
    r"|不看|筛掉|过滤掉?|pass)(?:掉|了)?"
    r"|\s*(?:are |is )?(?:excluded|left out|out of the question)\b",
    re.I,
)
"""What stands behind it."""
_SHOWN_TOO = (
    r"(?:(?:和|与|及|以及|还有|[,，、]|\band\b|\bwith\b|\bplus\b|&)\s*)+(?:附上|带上|列出|告诉我"
    r"|\b(?:also|show|tell me|give|list|what(?: is| are)?)\b|\s)*"
    r"(?:它们的?|他们的?|其|各自的?|各家的?|对应的?|\b(?:their|its|the|each one's"
    r"|each)\b)\s*(?:respective |current |现在的?)?"
)
"""What stands before a figure that is to be told of those found."""


class Bound(NamedTuple):
    """A condition: a column, how it compares, the value as a screen writes it, and as a person does."""

    column: ScreenColumn
    sign: str
    value: str
    said: str

    @property
    def number(self) -> float:
        """The value as a number; per cent of a bound in per cent."""
        return float(self.value.removesuffix("%"))


_ALWAYS = "traded or not traded"
"""What every stock meets, so that a figure beside it is shown and limits nothing."""


def show_figures(names: Iterable[str]) -> str:
    """Return a condition that every stock meets, and that has these columns shown.

    >>> show_figures(["pb"])
    '(pb > 0 or traded or not traded)'
    """
    return " and ".join(f"({name} > 0 or {_ALWAYS})" for name in names)


class ScreenWish(NamedTuple):
    """What a screen has to meet, its columns, what orders it, how many rows, and what was not understood.

    one     whether the question is for one security. ordered: whether it names an order
    listed  whether it asks for nothing but the stocks of an industry or a board
    mean    whether it asks for the mean of a figure over those that meet the screen
    board   of which board; "" of any. st: whether shares under special treatment are left out
    """

    bounds: tuple[Bound, ...]
    columns: tuple[ScreenColumn, ...]
    sort: str
    ascending: bool
    limit: int
    one: bool
    mean: bool
    ordered: bool
    listed: bool
    industries: tuple[str, ...]
    excluded: tuple[str, ...]
    board: str
    st: bool
    rest: str

    @property
    def whole(self) -> bool:
        """Whether all of the question was understood, and it asks for something."""
        return not self.rest and bool(self.bounds or self.sort)

    def expression(self, of: str = "", among: Iterable[str] = ()) -> str:
        """Return the condition as a screen reads it.

        of      the column that a P/E is taken from
        among   codes: only these securities are looked at; none: all
        """
        parts = [f"symbol in ({', '.join(among)})"] if among else []
        for name in dict.fromkeys([*(b.column.name for b in self.bounds if "<" in b.sign), *self._priced_order]):
            if name in ("pe", "pe_ttm", "pb"):
                parts.append(f"{name} > 0")
        parts += [f"{bound.column.name} {bound.sign} {bound.value}" for bound in self.bounds]
        if len(self.industries) == 1:
            parts.append(f"industry = {self.industries[0]}")
        elif self.industries:
            parts.append(f"industry in ({', '.join(self.industries)})")
        parts += [f"industry != {name}" for name in self.excluded]
        parts += [f"board = {self.board}"] if self.board else []
        parts += ["not st"] if self.st else []
        if not parts:
            parts = [f"({self.sort} > 0 or {self.sort} <= 0)"]
        read = {self.sort, *(bound.column.name for bound in self.bounds)}
        shown = [each.name for each in self.columns if self.sort and each.name not in read]
        parts += [show_figures(shown)] if shown else []
        text = " and ".join(parts)
        return re.sub(r"\bpe_ttm\b", of, text) if of else text

    @property
    def _priced_order(self) -> list[str]:
        return [self.sort] if self.sort and (self.ascending or self.mean) else []


def parse_wish(words: str, industries: Iterable[tuple[re.Pattern[str], str]] = ()) -> ScreenWish:
    """Return the screen that a question means. `industries`: the words of each, and its name.

    >>> wish = parse_wish("PE低于10的银行股有哪些", [(re.compile("银行"), "银行")])
    >>> wish.expression(), wish.rest
    ('pe_ttm > 0 and pe_ttm < 10 and industry = 银行', '')
    >>> wish = parse_wish("市值最大的五只股票")
    >>> wish.sort, wish.ascending, wish.limit, wish.rest
    ('market_cap', False, 5, '')
    >>> parse_wish("Stocks with ROE above 20 and PE below 30").expression()
    'pe_ttm > 0 and roe > 20% and pe_ttm < 30'
    >>> parse_wish("今天跌幅超过1%的股票").expression()
    'change < -1%'
    >>> parse_wish("跌幅小于1%的股票").expression(), parse_wish("跌幅最小的股票").expression()
    ('change > -1% and change < 0%', 'change < 0%')
    >>> parse_wish("市值前10的股票").limit, parse_wish("top 3 by dividend yield").limit
    (10, 3)
    """
    for form, word in _load_rewordings():
        words = form.sub(word, words)
    rest, mean = _cut(_MEAN, words)
    rest, told = _take_shown(rest)
    rest, group = take_group(rest, industries)
    rest, below_book = _cut(_BELOW_BOOK, rest)
    rest, bounds = _take_bounds(rest)
    bounds += [Bound(_BOOKED, "<", "1", "1")] if below_book else []
    rest, kinds = _take_kinds(rest)
    rest = _drop_named_again(rest, bounds)
    bounds += [bound for bound in kinds if bound.column not in {each.column for each in bounds}]
    counted = _COUNTED.search(rest)
    rest = _COUNTED.sub(" ", rest, count=1)
    leading = bool(counted and (counted["lead"] or counted["first"] or counted["top"]))
    rest, columns, sort, ascending = _take_order(rest, leading=leading)
    if not sort and not bounds and (group.industries or mean):
        rest, columns = _take_named(rest)
        sort = columns[0].name if columns else ""
        ascending = sort in _LISTED
    rest, growing = _cut(_GROWTH, rest)
    if growing:
        columns = [*columns, _GROWN]
        sort, ascending = (sort, ascending) if sort else (_GROWN.name, False)
    ordered = bool(sort)
    if ordered and columns[0].name == "change" and (edge := _edge(columns[0])) not in bounds:
        bounds += [edge] if edge else []
    if not sort and bounds:
        first = bounds[0]
        sort, ascending = first.column.name, "<" in first.sign
    said = next((counted[name] for name in "nkmswx" if counted[name]), "") if counted else ""
    count = int(parse_count(said.casefold()) or SHOWN) if said else SHOWN
    grouped = bool(group.industries or group.board)
    listed = grouped and not (bounds or sort or mean or LEVELS.search(rest)) and names_stocks(words)
    if listed:
        columns, sort, ascending = [_WORTH, _MOVED], _WORTH.name, False
    one = bool(_ONE.search(rest)) and not counted
    columns = [*columns, *told]
    shown = tuple(dict.fromkeys([*(bound.column for bound in bounds), *columns]))
    rest = _FILLERS.sub(" ", rest).strip()
    return ScreenWish(
        tuple(bounds),
        shown,
        sort,
        ascending,
        count,
        one,
        bool(mean),
        ordered,
        listed,
        group.industries,
        group.excluded,
        group.board,
        group.st,
        rest,
    )


STOCKS = pattern(
    r"股(?![价指市息东本])|公司|谁|哪[一]?[只家些几]|有[几多][少]?[只家]"
    r"|\b(?:stocks?|shares?|compan(?:y|ies)|names|banks|insurers|brokers|who|which|anything|any|list)\b",
    re.I,
)
"""Words for stocks that are looked for."""
_GROUP_ONLY = pattern(r"(?:板块|行业|概念)(?!.{0,4}(?:股票|个股|公司|[的里]股))|\b(?:sector|industry)\b", re.I)
_NAMED_STOCKS = pattern(r"股票|个股|公司|\b(?:stocks|shares|companies|names)\b", re.I)
LEVELS = pattern(r"(?:高|低|\bhigh\b|\blow\b)", re.I)


def names_stocks(words: str) -> bool:
    """Return True if a text looks for stocks; an industry as such is none.

    >>> names_stocks("liquor stocks"), names_stocks("the liquor sector"), names_stocks("stocks in the liquor sector")
    (True, False, True)
    """
    return bool(STOCKS.search(words)) and (not _GROUP_ONLY.search(words) or bool(_NAMED_STOCKS.search(words)))


_VAGUE = pattern(r"(?P<word>高|低|\bhigh|\blow|\bstrong|\bweak|\bgood|\bdecent|\bsolid)[- ]?(?:的)?", re.I)


def find_vague(rest: str) -> str:
    """Return what of the rest of a screen is a figure said to be high or low, without a number; "" where none is.

    >>> find_vague("high ROE"), find_vague("with weather")
    ('high ROE', '')
    """
    for column in COLUMNS:
        if found := re.search(rf"(?:{_VAGUE.pattern})(?:{column.words})|(?:{column.words})[高低](?!于|过)", rest, re.I):
            return found[0].strip()
    return ""


def strip_fillers(words: str) -> str:
    """Return a text without the words that change nothing of a screen."""
    return _FILLERS.sub(" ", words).strip()


class Group(NamedTuple):
    """Stocks that a question limits itself to: of industries, of a board, without those under special treatment."""

    industries: tuple[str, ...]
    excluded: tuple[str, ...]
    board: str
    st: bool

    @property
    def expression(self) -> str:
        """The condition as a screen reads it; "" for all stocks."""
        if not (self.industries or self.excluded or self.board or self.st):
            return ""
        return parse_wish("")._replace(**self._asdict()).expression()


def take_group(words: str, industries: Iterable[tuple[re.Pattern[str], str]] = ()) -> tuple[str, Group]:
    """Return a question without the group of stocks that it names, and that group.

    >>> rest, group = take_group("科创板里跌得最多的银行股", [(re.compile("银行"), "银行")])
    >>> group.expression
    'industry = 银行 and board = star'
    """
    rest, st = _cut(_ST, words)
    rest, chosen, excluded = _take_industries(rest, industries)
    board = ""
    for name, form in _BOARDS:
        rest, found = _cut(form, rest)
        board = name if found else board
    return rest, Group(tuple(chosen), tuple(excluded), board, bool(st))


def _cut(form: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return a text without the first fit of a form, and that fit."""
    found = form.search(text)
    return (text[: found.start()] + " " + text[found.end() :], found[0]) if found else (text, "")


def _take_industries(text: str, industries: Iterable[tuple[re.Pattern[str], str]]) -> tuple[str, list[str], list[str]]:
    """Return a text without the industries that it names, those that are wanted, and those that are not."""
    rest, placed = text, list[tuple[int, int, str]]()
    for at, (form, name) in enumerate(known := list(industries)):
        again = at > 0 and form is known[at - 1][0]  # a word for several industries is that of each
        found = re.compile(f"(?:{form.pattern}){_SUFFIX}", re.I).search(text if again else rest)
        if found is not None:
            placed.append((*found.span(), name))
            rest = rest[: found.start()] + " " * len(found[0]) + rest[found.end() :]
    chosen, excluded = list[str](), list[str]()
    chains: list[list[tuple[int, int, str]]] = []
    for each in sorted(placed):
        joined = chains and _JOINED.fullmatch(text[chains[-1][-1][1] : each[0]])
        chains[-1].append(each) if joined else chains.append([each])
    for chain in chains:
        begin, end, names = chain[0][0], chain[-1][1], [name for _, _, name in chain]
        negated, but = _NOT.search(text[:begin]), _BUT.match(text, end)
        if negated is None and (but is None or _OUTSIDE.search(but[0]) is None):
            chosen += names
            continue
        lead, until = negated.start() if negated else begin, but.end() if but else end
        rest = rest[:lead] + " " * (until - lead) + rest[until:]
        excluded += names
    chosen = [name for name in chosen if name not in excluded]
    return rest, list(dict.fromkeys(chosen)), list(dict.fromkeys(excluded))


_HIGH_SAID, _LOW_SAID = (
    r"(?:\b(?:high|good|decent|strong|solid)[- ]|高)(?:的)?",
    r"(?:\b(?:low|small|modest)[- ]|低)(?:的)?",
)


def _drop_named_again(text: str, bounds: Iterable[Bound]) -> str:
    """Return a text without what it says of a figure that it bounds besides: "low P/E names, P/E under 15"."""
    for bound in bounds:
        side = _LOW_SAID if "<" in bound.sign else _HIGH_SAID
        text = re.sub(rf"{side}(?:{bound.column.words})", " ", text, flags=re.I)
        if bound.column.name in _VALUED and "<" in bound.sign:
            text = _CHEAP.sub(" ", text)
    return text


def _take_shown(text: str) -> tuple[str, list[ScreenColumn]]:
    """Return a text without the figures that are only to be told of what is found, and those: "and their P/E"."""
    told = list[ScreenColumn]()
    for column in COLUMNS:
        while found := re.search(rf"{_SHOWN_TOO}(?:{column.words})(?!\s*[<>≤≥\d])", text, re.I):
            if found.start() == 0 or re.match(
                rf"(?:{_LINK})(?:{'|'.join(form for _, form in _SIGNS)})", text[found.end() :], re.I
            ):
                break
            told.append(column)
            text = f"{text[: found.start()]} {text[found.end() :]}"
    return text, told


def parse_bounds(text: str) -> tuple[str, list[Bound]]:
    """Return a text without the bounds that it sets on figures, and those.

    >>> [(bound.column.name, bound.sign, bound.number) for bound in parse_bounds("PE低于25了吗")[1]]
    [('pe_ttm', '<', 25.0)]
    """
    return _take_bounds(text)


def _take_bounds(text: str) -> tuple[str, list[Bound]]:
    """Return a text without the bounds that it sets, and those in their order."""
    placed: list[tuple[int, list[Bound]]] = []
    for column in COLUMNS:
        while found := _find_bound(column, text):
            at, end, bounds = found
            out, behind = _NOT_BOUND.search(text[:at]), _BOUND_OUT.match(text, end)
            if len(bounds) == 1 and (out or behind):
                bounds = [bounds[0]._replace(sign=_INVERSE[bounds[0].sign])]
                at, end = out.start() if out else at, behind.end() if behind else end
            placed.append((at, bounds))
            text = text[:at] + " " * (end - at) + text[end:]
    if placed and (moved := _MOVED_TODAY.search(text)):
        edge = _edge(_FELL if moved["fell"] or moved["down"] else _ROSE)
        placed.append((moved.start(), [edge] if edge else []))
        text = text[: moved.start()] + " " * len(moved[0]) + text[moved.end() :]
    return text, [bound for _, bounds in sorted(placed, key=lambda each: each[0]) for bound in bounds]


_ROSE, _FELL = (next(c for c in COLUMNS if c.name == "change" and getattr(c, side)) for side in ("rises", "falls"))
_MOVED_TODAY = pattern(
    r"(?:今天|今日|当天|当日)?(?:是|又)?(?:收)?(?:上?涨(?![停幅跌])|红|(?P<fell>下?跌(?![停幅])|绿))(?:了的?|的)"
    r"|\b(?:that |which )?(?:are|were|is|went|closed|finished|have gone) (?:(?:up|higher)|(?P<down>down|lower))"
    r"(?: today)?(?=\W*$|,| and\b| with\b)",
    re.I,
)
"""A rise or a fall of the day without a size, beside bounds that have one."""


def _find_bound(column: ScreenColumn, text: str) -> tuple[int, int, list[Bound]] | None:
    """Return where a text bounds a column, and how; None where it does not."""
    if not re.search(column.words, text, re.I):  # most are not named, and their forms take long to compile
        return None
    head = rf"(?:{column.words}){_LINK}"
    if found := re.search(head + _RANGE, text, re.I):
        return found.start(), found.end(), [
            *_bound(column, ">=", found["low"], ""), *_bound(column, "<=", found["high"], "")
        ]  # fmt: skip
    for sign, bound in _SIGNS:
        if found := re.search(rf"{head}(?:{bound})\s*{_NUMBER}", text, re.I):
            return found.start(), found.end(), _bound(column, sign, found["n"], found["unit"] or "")
        if found := re.search(rf"(?:{bound})\s*{_NUMBER}\s*(?:的|in |of |a )?(?:{column.words})", text, re.I):
            return found.start(), found.end(), _bound(column, sign, found["n"], found["unit"] or "")
    for sign, bound in _AFTER:
        if found := re.search(rf"{head}{_NUMBER}\s*(?:{bound})", text, re.I):
            return found.start(), found.end(), _bound(column, sign, found["n"], found["unit"] or "")
    return None


class _Kind(NamedTuple):
    """Words for a kind of stocks, and the bound that they mean; `said` is its value in words, "" for a sum of money."""

    words: re.Pattern[str]
    column: ScreenColumn
    sign: str
    value: str
    said: str


def _column(name: str) -> ScreenColumn:
    """Return the column of a name whose sign is as it is stored."""
    return next(each for each in COLUMNS if each.name == name and not (each.falls or each.rises))


_KINDS = tuple(
    _Kind(pattern(words, re.I), _column(name), sign, value, said)
    for words, name, sign, value, said in (
        (r"大盘(?=股)", "market_cap", ">=", "50000000000", ""),
        (r"中盘(?=股)", "market_cap", ">=", "10000000000", ""),
        (r"中盘(?=股)", "market_cap", "<", "50000000000", ""),
        (r"小盘(?=股)", "market_cap", "<", "10000000000", ""),
        (r"\b(?:large|big|mega)[- ]caps?\b", "market_cap", ">=", "50000000000", ""),
        (r"\bmid[- ]?caps?\b", "market_cap", ">=", "10000000000", ""),
        (r"\bmid[- ]?caps?\b", "market_cap", "<", "50000000000", ""),
        (r"\b(?:small|micro)[- ]caps?\b", "market_cap", "<", "10000000000", ""),
        (
            r"亏损的?|亏钱的?|不(?:赚钱|盈利)的?|没有?(?:盈利|利润)的?|\b(?:loss|money)[- ](?:making|losing)\b"
            r"|\bunprofitable\b"
            r"|\b(?:los(?:e|es|ing)|lost) money\b|\b(?:mak(?:e|es|ing)|made) (?:a )?loss(?:es)?\b|\bnot profitable\b",
            "eps",
            "<",
            "0",
            "0",
        ),
        (
            r"盈利的|(?<![最更能])赚钱的|(?<!most )(?<!not )\bprofitable\b"
            r"|\b(?:mak(?:e|es|ing)|made|earn(?:s|ing)?) (?:a profit|money)\b",
            "eps",
            ">",
            "0",
            "0",
        ),
        (
            rf"{_GAIN_ZH}(?:同比)?(?:在)?(?:增长|增加|上升)的|\b(?:rising|growing|increasing|higher) {_GAIN}",
            "profit_yoy",
            ">",
            "0%",
            "0%",
        ),
        (
            rf"{_GAIN_ZH}(?:同比)?(?:在)?{_SANK_ZH}|\b(?:falling|shrinking|declining|lower) {_GAIN}",
            "profit_yoy",
            "<",
            "0%",
            "0%",
        ),
        (
            rf"(?:营收|收入)(?:同比)?(?:在)?(?:增长|增加|上升)的|\b(?:rising|growing|increasing|higher) {_SALES}",
            "revenue_yoy",
            ">",
            "0%",
            "0%",
        ),
        (
            rf"(?:营收|收入)(?:同比)?(?:在)?{_SANK_ZH}|\b(?:falling|shrinking|declining|lower) {_SALES}",
            "revenue_yoy",
            "<",
            "0%",
            "0%",
        ),
    )
)
"""Kinds of stocks without a number; the answer states the bound that each is taken for."""


def _take_kinds(text: str) -> tuple[str, list[Bound]]:
    """Return a text without the kinds of stocks that it names, and their bounds.

    >>> rest, bounds = _take_kinds("loss-making large caps")
    >>> [(each.column.name, each.sign, each.said) for each in bounds]
    [('market_cap', '>=', ''), ('eps', '<', '0')]
    """
    bounds, rest = [], text
    for kind in _KINDS:
        if kind.words.search(text):
            bounds.append(Bound(kind.column, kind.sign, kind.value, kind.said))
            rest = kind.words.sub(" ", rest)
    return rest, bounds


_INVERSE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}
"""What is met where a bound is not."""
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _bound(column: ScreenColumn, sign: str, said: str, unit: str) -> list[Bound]:
    """Return the bound of a column; none where its number cannot be read."""
    value = parse_count(said.casefold().removeprefix("-"))
    if value is None:
        return []
    value = -value if said.startswith("-") else value
    if column.falls:
        sign, value = _TURNED[sign], -value or 0.0
    if unit == "%" or column.percent:
        edge = _edge(column)
        open_ = edge is not None and sign[0] != edge.sign
        return [Bound(column, sign, f"{value:g}%", f"{value:g}%"), *([edge] if open_ and edge else [])]
    scale = {"亿": 1e8, "亿元": 1e8, "万": 1e4, "万元": 1e4, "billion": 1e9, "bn": 1e9, "million": 1e6}
    said = f"{value:g}" if said.isascii() else said
    scaled = value * scale.get(unit.casefold(), 1)
    told = f"{scaled:.0f}" if scaled == int(scaled) else f"{scaled:.6g}"
    return [Bound(column, sign, told, f"{said}{' ' if unit.isascii() and unit else ''}{unit}")]


def _edge(column: ScreenColumn) -> Bound | None:
    """Return the bound at zero of a fall or a rise; None of a change that may be either."""
    if not column.falls and not column.rises:
        return None
    return Bound(column, "<" if column.falls else ">", "0%", "0%")


def _take_named(text: str) -> tuple[str, list[ScreenColumn]]:
    """Return a text without the first column of a company's figures that it names, and that column."""
    for column in COLUMNS:
        if column.name != "change" and (found := re.search(column.words, text, re.I)):
            return f"{text[: found.start()]} {text[found.end() :]}", [column]
    return text, []


_WORTH = next(column for column in COLUMNS if column.name == "market_cap")
_PRICED = next(column for column in COLUMNS if column.name == "pe_ttm")
_BOOKED = next(column for column in COLUMNS if column.name == "pb")
_PAID = next(column for column in COLUMNS if column.name == "dividend_yield")
_COST = next(column for column in COLUMNS if column.name == "price")
_TRADED = next(column for column in COLUMNS if column.name == "amount")
_EARNED = next(column for column in COLUMNS if column.name == "profit")
_GROWN = _column("revenue_yoy")
_MOVED = _column("change")
_VALUED = ("pe_ttm", "pe", "pb", "price")
"""Columns by which a stock may be cheap."""
_RANKED = (
    (_RICH, _PAID, False),
    (_LOW_PRICED, _COST, True),
    (_HIGH_PRICED, _COST, False),
    (_ACTIVE, _TRADED, False),
    (_PROFITABLE, _EARNED, False),
    (_CHEAP, _PRICED, True),
    (_DEAR, _PRICED, False),
)
"""Words of an order, its column, and whether its least comes first."""


def _take_order(text: str, *, leading: bool) -> tuple[str, list[ScreenColumn], str, bool]:
    """Return a text without the words of an order, the columns that they name, and the order.

    leading    whether it asks for the first so many
    """
    for form, column, up in _RANKED:
        cut, found = _cut(form, text)
        if found:
            named = next((each for each in COLUMNS if each.name in _VALUED and re.search(each.words, cut, re.I)), None)
            if named is not None and form in (_CHEAP, _DEAR):
                column, cut = named, re.sub(rf"(?:{_ORDERED_BY})?(?:{named.words})", " ", cut, count=1, flags=re.I)
            return _HIGHEST.sub(" ", _LOWEST.sub(" ", cut)), [column], column.name, up
    low, high = _LOWEST.search(text), _HIGHEST.search(text)
    for column in COLUMNS:
        near = re.search(
            rf"(?P<by>{_ORDERED_BY})?(?P<low>低|\blow[- ])?(?P<high>(?<!最)高|\bhigh[- ])?(?:{column.words})",
            text,
            re.I,
        )
        if near is None or not (low or high or leading or near["by"] or near["low"] or near["high"]):
            continue
        rest = f"{text[: near.start()]} {text[near.end() :]}"
        open_ = not (low or high or leading or near["low"] or near["high"])
        up = (open_ and column.name in _LISTED) or bool(low or near["low"]) != column.falls
        return _HIGHEST.sub(" ", _LOWEST.sub(" ", rest)), [column], column.name, up
    cut, size = _cut(_SIZE, text)
    if size or leading:
        return cut, [_WORTH], _WORTH.name, bool(_SMALLEST.search(size))
    return text, [], "", False
