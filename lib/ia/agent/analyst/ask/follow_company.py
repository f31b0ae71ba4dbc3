"""What goes on about the figures or the dividends of a company that the question before named."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_words import OWNER, find_named, is_chinese
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import RANGE, UNREAD, blank_spans, find_time_spans
from ia.kernel.patterns import pattern

_FIGURE = pattern(
    r"(?:净资产收益率|(?<![a-z])(?:roe|eps|p/?[ebs])(?![a-z])|每股(?:收益|净资产)|市[盈净销]率|毛利率?|净利率|净?利润(?!率)|营业收入|营收"
    r"|(?:资产)?负债率?|(?:自由|经营)?(?:性|活动)?现金流|总?市值|股息率|存货|商誉|应收账款|研发费用|总资产)"
    r"|\b(?:return on equity|(?:gross |net |profit )?margins?|revenues?|sales|net income|(?:net )?(?:profits?|earnings)"
    r"|(?:operating |free )?cash ?flows?|fcf|debt ratio|market (?:cap|value)|dividend yield|payout ratio|inventory"
    r"|goodwill|receivables|book value per share|total assets|p/?[ebs](?: ratio)?|roe|eps)\b",
    re.I,
)
"""A figure of a company."""
_MEANT = {
    "profit": "net profit", "profits": "net profit", "earnings": "net profit", "利润": "净利润", "现金流": "经营现金流",
    "cash flow": "operating cash flow", "cash flows": "operating cash flow", "cashflow": "operating cash flow",
    "负债": "资产负债率", "sales": "revenue",
}  # fmt: skip
"""Figures in short, behind another figure of a company."""
_MULTIPLES = {
    "每股净资产": ("市净率", "P/B"), "book value per share": ("市净率", "P/B"), "每股收益": ("市盈率", "P/E"),
    "eps": ("市盈率", "P/E"),
}  # fmt: skip
"""What the price is held against, and the name of that."""
_ALONE = pattern(
    r"\W*(?:(?:and|so|what about|how about|what (?:was|is|were)|how (?:much|high|big) (?:was|is)"
    r"|what did (?:it|that|they|the last one|that one|the last report|the last) say (?:about|on|of))\b[, ]*)*"
    r"(?:the |its |their |那么?|它的?|其)*@(?:"
    r"(?: in| of| from)? (?:the )?(?:last|latest|newest|most recent) (?:time(?: (?:round|around|out))?|report|results)"
    r"|又?(?:是|有)?多少|呢|[怎咋]么?样|如何)*\W*",
    re.I,
)
"""A figure that stands alone for @, or of the last report: that is the newest anyway."""
_WAS = pattern(
    r"\W*(?:and |so )?(?:how|what|how (?:much|high)) (?:was|were) (?:it|that|they)(?: back)?(?: in)?\W*", re.I
)
"""Asks of a figure at a time that is named besides."""
_COMPARED = pattern(
    r"\W*(?:(?:and|so)\b[, ]*)?(?:is (?:it|that) )?(?:any )?(?:better|worse|higher|lower|more|less|bigger|smaller)"
    r"(?: or (?:better|worse|higher|lower|more|less|bigger|smaller))?(?: than)? @?(?:['’]s)?(?: #| one)?\W*"
    r"|\W*(?:那|这)?(?:比|跟|和|与)@(?:的#?)?(?:相?比)?(?:是|呢|要|更)*(?:高|低|好|差|大|小|多|少)?(?:还是(?:高|低|好|差|大|小|多|少))?(?:吗|呢)*\W*",
    re.I,
)
"""Holds the figure before against that of another company @."""
_LOWER = pattern(r"^(?!.*(?:高|大|多|better|higher|more|bigger)).*(?:低|小|少|lower|less|smaller)", re.I)
_RANK = pattern(
    r"\W*(?:那|那么|它|又|能|大概)*在?(?P<zh>(?:全部?|整个)?(?:[Aa]股|市场|行业|同行|同业|板块|银行股?|白酒股?))?(?:里面?|中|内|当中)?(?:能)?"
    r"排(?:名|在)?(?:第几|多少|老几|什么位置)(?:位|名)?(?:呢|啊)?\W*"
    r"|\W*(?:那|那么)?(?:在|跟|和)(?:行业|同行|同业|板块)(?:里面?|中|内)?(?:比)?(?:呢|怎么样|如何|算高吗|高不高|高吗|低吗|什么水平)+\W*"
    r"|\W*(?:and )?(?:(?:where|how) does (?:it|that|this) rank|what rank is (?:it|that))"
    r"(?: (?:in|among|within) (?:its|the) (?:industry|sector|peers)"
    r"|(?P<whole> (?:in|among|within|of) (?:the (?:whole )?market|all (?:the )?(?:a-)?(?:shares|stocks))))?\W*",
    re.I,
)
"""Asks for the place of the figure before in an industry or among all A-shares."""
_REPORT = pattern(r"财报|年报|季报|业绩|\b(?:reports?|results)\b", re.I)
_DIVIDEND = pattern(r"分红|派息|股息|除权|除息|每股分|\b(?:dividends?|payouts?|ex[- ]?d(?:ate|iv\w*))\b", re.I)
_DEALS = pattern(r"买|卖|加仓|成本|\b(?:buy|bought|sell|sold|worth|cost)\b", re.I)
_SHARES = pattern(r"(?P<n>\d[\d,]*)\s*(?:股|shares?\b)", re.I)
_MINE = pattern(
    r"手[里上]的?(?:股数|股票|那些|这些)|我的?(?:股数|那些|这些|持仓)|按我|到手|分到我|我(?:一共|一年)?(?:能|可以|会|要)?(?:拿|收|得|分)(?:到|多少)"
    r"|\b(?:on|for|with|from) (?:all )?(?:my|mine|what i (?:own|hold|have))\b"
    r"|\b(?:do|would|will|should|could) i (?:get|receive)\b",
    re.I,
)
_PER_SHARE = pattern(
    r"\W*(?:那|那么)?(?:每股|一股)(?:分|派|能分)?(?:红|息|了)?(?:多少|几)(?:钱|块|元)?(?:呢)?\W*"
    r"|\W*(?:and )?(?:how much|what)(?: is (?:it|that)| was (?:it|that))? (?:per|a|each|for each) share\W*",
    re.I,
)
_YEAR_BEFORE = pattern(
    r"\W*(?:那|那么)?(?:前年|上一年|前一年|再(?:上|前)一年|之前(?:的?(?:一年|几年))?|往年)(?:呢|多少|分了多少)*\W*"
    r"|\W*(?:and |what about |how about )*(?:in )?(?:the )?(?:year|one|ones|years) before(?: that| it)?\W*",
    re.I,
)
_OVER_YEARS = pattern(
    r"\W*(?:那|那么)?(?:前|过去|这|近|最近|往)(?:几|些)?年(?:里|来)?(?:呢|怎么样|如何|是多少|变化)*\W*|\W*(?:那|那么)?(?:历年|各年)的?呢?\W*"
    r"|\W*(?:and |what about |how about )*(?:(?:in|over) )?(?:the )?"
    r"(?:years before(?: that)?|(?:previous|earlier|other) years|(?:past|last) few years|years)\W*"
    r"|\W*(?:and )?(?:was|is) (?:it|that) (?:any )?(?:better|worse|higher|lower|more|less|up|down)(?: or \w+)?"
    r" (?:than|from|on) (?:in )?(?:the )?(?:year before|previous year|last year|the one before)\W*"
    r"|\W*(?:那|那么)?比(?:上年|去年|前一?年|上一年)(?:是|要)?(?:好|多|高|涨|强|少|低|差)了?(?:还是[多高好少低差]了?)?(?:吗|没有?|呢)*\W*",
    re.I,
)
"""Asks for the figure before in the years before, or whether it is above that of the year before."""
_PRICED = pattern(
    r".*(?:股价|价格).{0,6}(?:几|多少)倍.*|.*\bprice\b.{0,30}\b(?:above|below|times|premium|discount)\b.*"
    r"|.*\b(?:above|below|times|premium|discount)\b.{0,40}\bprice\b.*",
    re.I,
)
"""Holds the price against the book value or the earnings of a share."""
_AFFORDED = pattern(
    r".*(?:利润|赚的?钱?|盈利).{0,3}够.{0,3}分.*|.*够不够分.*|.*\b(?:can|could) (?:it|they) afford (?:it|that|to)\b.*"
    r"|.*\bcovered by (?:its |the )?(?:profits?|earnings)\b.*",
    re.I,
)
"""Asks whether the profit is enough for the dividends before."""
_GOT = pattern(
    r"\W*(?:那|那么)?我(?:收|拿|领)到了?(?:多少|吗|没有?).*"
    r"|\W*(?:and )?how much (?:of (?:it|that) )?did i (?:get|receive)\W*",
    re.I,
)


def ask_of_company(text: str, last: str, today: date) -> str:
    """Return a question that goes on about the company of the one before as a whole one; "" for another.

    >>> day = date(2024, 3, 15)
    >>> ask_of_company("and profit?", "Apple revenue in 2022", day), ask_of_company("经营现金流呢", "比亚迪负债率", day)
    ('net profit of Apple in 2022', '比亚迪经营现金流')
    >>> ask_of_company("how much is that on my 200 shares", "Does Tencent pay a dividend", day)
    'annual dividends of my 200 shares of Tencent'
    >>> ask_of_company("better or worse than CATL's margin", "BYD net margin", day)
    'which has the higher net margin, BYD or CATL'
    """
    named = find_named(last)
    if len(named) != 1 or named[0].symbol.kind != "stock":
        return ""
    who, chinese = named[0].said, is_chinese(text)
    if _DIVIDEND.search(last) and not find_mentions(text):
        return _ask_dividend(text, who, chinese=chinese)
    figure = _FIGURE.search(strip_mentions(last)) or _REPORT.search(strip_mentions(last))
    if figure is None or OWNER.search(strip_mentions(last)) or OWNER.search(strip_mentions(text)):
        return ""
    return _ask_figure(text, last, who, figure[0], today)


_OTHER_END = pattern(
    r"\W*(?:又|那|那么|然后)*(?:哪一?[家只个支]|谁)(?:公司|股票)?的?最(?P<end>[高低大小多少])(?:的)?(?:呢)?\W*"
)
_END = pattern(r"最[高低大小多少]")


def turn_ranking(text: str, last: str) -> str:
    """Return the last question, a ranking by a figure of companies, for its other end; "" for another.

    >>> turn_ranking("哪家最低", "持仓里哪家公司毛利率最高"), turn_ranking("哪家最低", "茅台毛利率")
    ('持仓里哪家公司毛利率最低', '')
    """
    found = _OTHER_END.fullmatch(text)
    if found is None or len(_END.findall(last)) != 1 or not _FIGURE.search(last) or find_named(last):
        return ""
    return _END.sub(f"最{found['end']}", last)


def _ask_dividend(text: str, who: str, *, chinese: bool) -> str:
    """Return what goes on about the dividends of a company."""
    size = _SHARES.search(text)
    if not _DEALS.search(text) and (size or _MINE.search(text)):
        number = size["n"].replace(",", "") if size else ""
        if chinese:
            return f"我的{number}股{who}一年能收多少分红" if number else f"我的{who}一年能收多少分红"
        return f"annual dividends of my {number} shares of {who}" if number else f"annual dividends of my {who}"
    if _GOT.fullmatch(text):
        return f"我收到过{who}的分红吗" if chinese else f"have I received any dividends from {who}"
    if _AFFORDED.fullmatch(text):
        return f"{who}分红比例" if chinese else f"payout ratio of {who}"
    if _PER_SHARE.fullmatch(text):
        return f"{who}每股分红多少" if chinese else f"dividends of {who}"
    if _YEAR_BEFORE.fullmatch(text):
        return f"{who}历年分红" if chinese else f"dividend history of {who}"
    return ""


def _ask_figure(text: str, last: str, who: str, old: str, today: date) -> str:
    """Return what goes on about a figure of a company: another one, the same at another time or of another company."""
    mentions, said = find_mentions(text), _FIGURE.search(strip_mentions(text))
    chinese = is_chinese(text)
    if len(mentions) == 1 and mentions[0].said != who:
        bare = text.replace(mentions[0].said, "@", 1)
        bare = bare.replace(said[0], "#", 1) if said and (said[0] in old or old in said[0]) else bare
        if _REPORT.fullmatch(old) or not _COMPARED.fullmatch(bare):
            return ""
        other = mentions[0].said
        if _LOWER.search(text):
            return f"{who}和{other}哪个{old}更低" if chinese else f"which has the lower {old}, {who} or {other}"
        return f"{who}和{other}哪个{old}更高" if chinese else f"which has the higher {old}, {who} or {other}"
    if mentions:
        return ""
    if (rank := _RANK.fullmatch(text)) and not _REPORT.fullmatch(old):
        group = rank["zh"] or "行业"
        whole = " of all A-shares" if rank["whole"] else ""
        return f"{who}{old}在{group}里排第几" if chinese else f"where does {who} rank in its industry by {old}{whole}"
    if not _REPORT.fullmatch(old) and _OVER_YEARS.fullmatch(text):
        return f"{who}历年{old}" if chinese else f"yearly course of {old} of {who}"
    if (multiple := _MULTIPLES.get(old.casefold())) and _PRICED.fullmatch(text):
        return f"{who}{multiple[0]}" if chinese else f"{multiple[1]} of {who}"
    spans = [span for span in find_time_spans(text, today) if span.kind != UNREAD]
    if len(spans) == 1 and not _REPORT.fullmatch(old) and _WAS.fullmatch(blank_spans(text, spans)):
        return f"{old} of {who} {spans[0].said}"
    if said is None or spans or not _ALONE.fullmatch(text.replace(said[0], "@", 1)):
        return ""
    new = _MEANT.get(said[0].casefold(), said[0])
    times = [span.said for span in find_time_spans(strip_mentions(last), today) if span.kind == RANGE]
    if len(times) > 1:
        return ""
    if chinese:
        return f"{who}{times[0] if times else ''}{new}"
    return f"{new} of {who}{f' {times[0]}' if times else ''}"
