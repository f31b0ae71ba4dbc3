"""Questions that go on with a word of one kind in the place of another: market, currency, board, task, opposite."""

import re
from datetime import date

from ia.agent.analyst.ask.amounts import find_currencies
from ia.agent.analyst.ask.follow_words import blank_mentions, is_chinese
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import blank_spans, find_time_spans
from ia.kernel.patterns import pattern

_KINDS = tuple(
    pattern(words, re.I)
    for words in (
        r"港股|美股|[Aa]股|沪深",
        r"\b(?:hong kong|hk|us|u\.s\.|american|new york|china|chinese|mainland|a-?shares?|shanghai|shenzhen)\b"
        r"(?! dollars?)",
        r"人民币|美[元金]|港[币元]",
        r"\b(?:hkd|(?:hong kong|hk) dollars?|usd|(?:us )?dollars?|yuan|rmb|cny|renminbi)\b",
        r"(?:沪深)?主板|创业板(?!指)|科创板|北交所",
        r"\b(?:main board|chinext|star(?: market| board)?|beijing(?: exchange)?)\b",
        r"日报|周报|月报|[日周月]复盘|每[日天周月]复盘|(?:每[日天周月])?同步",
        r"\b(?:daily|weekly|monthly)(?: (?:review|report))?\b",
        r"清明节?|五一|劳动节|端午节?|中秋节?|国庆节?|十一|春节|元旦|圣诞节?|复活节",
        r"\b(?:qingming|(?:the )?labou?r day|(?:the )?dragon boat(?: festival)?|(?:the )?mid-autumn(?: festival)?"
        r"|national day|(?:the )?spring festival|chinese new year|new year(?:'?s(?: day)?)?|christmas|easter)\b",
        r"北向|南向",
        r"\b(?:north|south)-?bound\b",
    )
)
"""Words of one kind, one of which may take the place of another in a question that goes on."""
_HOME = pattern(r"人民币|yuan|rmb|cny|renminbi", re.I)
_OPPOSITES = pattern(
    r"strongest weakest|rise fall|gainers losers|winners losers|rose fell|rising falling|up down|bought sold|buys sells"
    r"|purchases sales|buy sell|most least|cheapest dearest|cheapest priciest|gained lost|above below"
    r"|limit-up limit-down|newest oldest|highest lowest|best worst|biggest smallest"
    r"|最强 最弱|涨停 跌停|涨得最 跌得最|涨最 跌最|涨幅 跌幅|上涨 下跌|涨 跌|买 卖|赚得最 亏得最|赚 亏"
    r"|最贵 最便宜|最强 最差"
)
"""Words that turn a question round, each with its opposite."""
_SESSIONS = pattern(
    r"交易日|开市|休市|开盘|假期|节假|放假|休[几多]|放[几多]|闭市|印花税|手续费"
    r"|\b(?:open|closed?|closes|holidays?|sessions?|trading (?:days?|hours)|stamp duty)\b"
)
"""What each market has of its own."""
_AROUND = pattern(
    r"(?:(?:that|is it|what) (?:of|for|in|on|at)|is|are|for|in|on|of|the|what about|how about|only|just|as well|too"
    r"|也|是|的|那|在|光|只看?|就看|和?跟?与?比|[换改][成为做]?|改看)+(?![a-z])\s*"
    r"|\s*(?:的话|也?[放休]不?[放休]?假?[吗么]|[放休]几天|账户|市场|也?开(?:市|盘|门)?[吗么]?|也?(?:正常|照常|一样)(?:开市|开盘)?吗?|的|那个|一样吗?"
    r"|是?多少|合计|总共|呢|那几天"
    r"|那天|休不休|开不开|休市吗|放假吗"
    r"|\b(?:ones?|stocks?|shares?|market|account|exchange|then|too|also|as well|task|as well as|closed|open))+",
    re.I,
)
"""What may stand around a word of a kind."""


_HK_MONEY = pattern(r"\b(?:hong kong|hk) dollars?", re.I)


def find_other_market(core: str, last: str) -> str:
    """Return the last question for another market, currency, board or task; "" where it named none, or several.

    >>> find_other_market("美股", "我的港股赚了多少人民币"), find_other_market("港股", "下个交易日是哪天")
    ('我的美股赚了多少人民币', '港股下个交易日是哪天')
    >>> find_other_market("the weekly one", "when does the daily review run")
    'when does the weekly review run'
    >>> find_other_market("美股", "茅台多少钱")
    ''
    """
    if re.match(r"(?:那|再)*[换折]", core) and _MONEY.search(core):
        return ""  # into another currency, which is no other question
    wanted = re.match(r"in\b", core, re.I) is not None
    core = _trim(core)
    bare = blank_mentions(last)
    for words in _KINDS:
        if words.fullmatch(core) is None:
            continue
        said = list(words.finditer(bare))
        if len(said) == 2 and not wanted and _HOME.fullmatch(said[1][0]) and not _HOME.fullmatch(core):
            said = said[:1]  # USD in yuan
        if len(said) == 1 and said[0][0].casefold() != core.casefold():
            end = said[0][0][len(said[0][0].split()[0]) :] if " " not in core and core.isascii() else ""
            keeps = end if core.isascii() and words.fullmatch(core + end) else ""
            return last[: said[0].start()] + _HK_MONEY.sub("HKD", core) + keeps + last[said[0].end() :]
        if not said and words in _KINDS[:2] and _SESSIONS.search(bare):
            return f"{core}{last}" if is_chinese(core) else f"{last.strip(' ?')} in {core}"
    return ""


def _trim(core: str) -> str:
    """Return a text without what may stand around a word of a kind."""
    text = core.strip(" ?？。.,，")
    begin, ends = _AROUND.match(text), [each for each in _AROUND.finditer(text) if each.end() == len(text)]
    low = begin.end() if begin and begin.end() < len(text) else 0
    high = ends[0].start() if ends and ends[0].start() > low else len(text)
    cut = text[low:high].strip()
    return cut if cut == text else _trim(cut)


_DAYS_TOO = pattern(
    r"\A(?:on )?how many (?:days |sessions |of them )?(?:did (?:it|they) |has it |was it |it )?"
    r"(?P<way>rise|fall|up|down)"
    r"(?: on)?\Z",
    re.I,
)


def turn_round(core: str, last: str) -> str:
    """Return the last question for the opposite of a word of it; "" where none is asked for.

    >>> turn_round("the weakest", "which industry was strongest today"), turn_round("光卖的", "我买了几次")
    ('which industry was weakest today', '我卖了几次')
    >>> turn_round("跌停的", "今天涨停的有多少家")
    '今天跌停的有多少家'
    """
    core = _DAYS_TOO.sub(lambda found: found["way"], core)
    bare, trimmed = blank_mentions(last), _trim(core).casefold()
    asked = {trimmed, re.sub("(?<=最)[多猛好惨狠]$", "", trimmed)}
    for pair in map(str.split, _OPPOSITES.pattern.split("|")):
        for word, other in (pair, pair[::-1]):
            said = list(re.finditer(rf"(?<![a-z]){other}(?![a-z])", bare, re.I)) if word in asked else []
            if len(said) == 1 and not re.search(rf"(?<![a-z]){word}(?![a-z])", bare, re.I):
                return last[: said[0].start()] + word + last[said[0].end() :]
    return ""


_NARROWER = pattern(
    r"(?:(?:and|but|ok(?:ay)?|now)\b[, ]*)*(?:only|just|without|excluding|except|leave out|not counting)\b"
    r"|(?:那|那么)?(?:只看|只要|只算|光看|就看|除了|除去|去掉|不算|不含|不要)",
    re.I,
)
_WITHIN = pattern(
    r"(?:(?:and|but|ok(?:ay)?|now)\b[, ]*)*(?:only|just) (?P<where>(?:in|among|within) (?:the )?[a-z]+(?: [a-z]+)?)",
    re.I,
)
"""A part by its industry, which follows the list plainly."""
_LISTED = pattern(
    r"涨幅|跌幅|涨得|跌得|选出|筛|哪些|有几|多少[家只]|持仓|持有|自选|排[名行]|前[十\d三五]|最[高低大小贵]"
    r"|\b(?:top|rank|highest|lowest|cheapest|gainers|losers|stocks|shares|companies|banks|holdings?|positions?"
    r"|own|hold|watch ?list|list)\b",
    re.I,
)
"""Questions whose answer is a list, of which a part may be wanted."""
_AMONG = pattern(r"(?:那|那么)?(?:这|那)?(?:其中|里面|当中|这里面|这些里面?)的?")
_GROUP = pattern(r"[\u4e00-\u9fff]{2,4}?股(?=里|中|$|[^价息票市])|[\u4e00-\u9fff]{2,4}(?:板块|行业)")
_BOUND = pattern(r"低于|高于|超过|小于|大于|以上|以下|不到")
_ASKED_LIST = pattern(
    r"^(?:那|请|帮我)*(?:有没有|有哪些|哪些|找(?:一?下|出)?)|的?(?:股票|公司|股)?(?:有)?(?:哪些|哪几[只家]"
    r"|多少[只家]|几[只家]|吗|么|没有)?\W*$"
)


def ask_among(core: str, last: str) -> str:
    """Return a question about one of an industry that was spoken of, with its name; "" for any other.

    >>> ask_among("里面市盈率最低的是哪家", "银行股里股息率超过5%的有哪些")
    '银行股里股息率超过5%的股票里市盈率最低的是哪家'
    """
    found, group = _AMONG.match(core), _GROUP.search(last)
    if found is None:
        return ""
    if group is not None and re.search("[哪这那周月年]|什么", group[0]):
        group = None
    if _BOUND.search(last):
        return f"{_ASKED_LIST.sub('', last).strip(' ?？')}的股票里{core[found.end() :]}"
    return f"{group[0]}里{core[found.end() :]}" if group else ""


_ONLY = pattern(r"只|光|就|only|just", re.I)
_HELD = pattern(r"持仓|持有|仓位|\b(?:own|hold|holdings?|positions?|portfolio)\b", re.I)


def narrow(core: str, last: str) -> str:
    """Return the last question for a part of its list, as a whole one; "" where none is asked for.

    >>> narrow("only the ones above 10 billion", "top 5 gainers today")
    'top 5 gainers today, only the ones above 10 billion'
    >>> narrow("只看A股", "我的持仓"), narrow("only the hong kong ones", "what do I own")
    ('我的A股持仓', 'my hong kong positions')
    """
    found = _NARROWER.match(core)
    if found is None or _LISTED.search(blank_mentions(last)) is None or ("我" in core and _LISTED.search(core)):
        return ""
    market = _trim(core[found.end() :])
    if _ONLY.search(found[0]) and _HELD.search(last) and any(words.fullmatch(market) for words in _KINDS[:2]):
        return f"我的{market}持仓" if is_chinese(market) else f"my {market} positions"
    if within := _WITHIN.fullmatch(core):
        return f"{last.strip(' ?？。.')} {within['where']}"
    joined = "，" if is_chinese(last) else ", "
    part = re.sub(r"(?: (?:too|also|as well|please))+$", "", core.strip(" ?？"))
    if _ONLY.match(found[0]) and any(words.fullmatch(market) for words in _KINDS):
        part = market  # of a board, which a list of stocks reads plainly
    return f"{last.strip(' ?？。.')}{joined}{part}"


_SAME = pattern(
    r"\W*(?:and |so |then |now |ok(?:ay)? )*(?:do )?(?:the )?same(?: thing| question| again)?"
    r" (?:for|with|about|of|on) (?P<en>.+?)(?: please)?\W*"
    r"|(?:那|那么)?(?:同样|一样)的?(?:问题|指标)?(?:再)?(?:问|查|看|算)?(?:一下|一遍|看)?(?P<zh>.+?)的?\W*"
    r"|(?:那|那么)?(?P<too>.+?)也(?:同样|一样|照样)?(?:来一[个遍下]|(?:[查看算报说讲比]|要|给我)(?:一下|一遍|看"
    r"|下)?|是?多少)\W*",
    re.I,
)


def name_same(text: str, today: date) -> str:
    """Return what "same for Apple" asks for: the security or the time; "" for any other text.

    >>> name_same("same for Apple", date(2024, 3, 15)), name_same("苹果也查一下", date(2024, 3, 15))
    ('Apple', '苹果')
    """
    found = _SAME.fullmatch(text)
    said = (found["en"] or found["zh"] or found["too"] or "").strip() if found else ""
    if not said:
        return ""
    bare = strip_mentions(said)
    spans = find_time_spans(bare, today)
    left = re.sub(r"(?:\b(?:and|the|in|on|for)\b|[和与、的]|\W)+", "", blank_spans(bare, spans))
    of_kind = any(words.fullmatch(_trim(said)) for words in _KINDS)
    return said if of_kind or (not left and (spans or find_mentions(said))) else ""


_IN_MONEY = pattern(
    r"(?:(?:and )?(?:what|how much) (?:is|was) (?:it|that) )?in (?:chinese )?"
    r"(?P<en>yuan|rmb|cny|renminbi|us dollars|usd|hkd|(?:hk|hong kong) dollars|dollars)"
    r"|(?:换算?成?|折合?成?|折算成?|用|按|合|是)?(?:多少)?(?P<zh>人民币|美[元金]|港[币元])(?:计价?|算|来算)?"
    r"(?:是|合|等于)?(?:多少)?(?:钱)?",
    re.I,
)
_MONEY = pattern(
    r"人民币|美[元金]|港[币元]|\b(?:yuan|rmb|cny|renminbi|us dollars?|usd|hkd|(?:hk|hong kong) dollars?|dollars?)\b",
    re.I,
)


_AMOUNT = pattern(
    r"(?:那|换成|要是|如果是?|\b(?:what about|how about|if it were)\b)?\s*(?P<n>\d[\d,.]*\s?[万千百亿]?)(?:的话)?", re.I
)
_IN_CURRENCY = pattern(
    r"(?P<n>\d[\d,.]*\s?[万千百亿]?)\s*(?=人民币|美[元金刀]|港[币元]|块|(?:yuan|rmb|cny|usd|hkd|us dollars?|dollars?"
    r"|hk dollars?|hong kong dollars?|bucks)\b)",
    re.I,
)


_SOURCE = pattern(
    r"(?:那|换成|要是|如果是?|和|\b(?:and|what about|how about)\b)*\s*(?:the )?(?P<n>\d[\d,.]*\s?[万千百亿]?)?\s*"
    r"(?P<money>港[币元]|美[元金刀]|(?:(?:hong kong|hk|us) )?dollars?|hkd|usd)(?:的话)?",
    re.I,
)
"""Names the money that is changed, and how much of it: "那1万港币"."""


def change_source(core: str, last: str) -> str:
    """Return the last question, what some money is in another currency, for other money; "" for another.

    >>> change_source("1万港币", "1美元现在换多少人民币"), change_source("the hong kong dollar", "the dollar in yuan")
    ('1万港币现在换多少人民币', 'the hong kong dollar in yuan')
    """
    found, money = _SOURCE.fullmatch(core.strip(" ?？")), list(_MONEY.finditer(last))
    if found is None or len(money) != 2 or find_mentions(last):
        return ""
    wanted = find_currencies(found["money"])
    if wanted in (find_currencies(money[0][0]), find_currencies(money[1][0])):
        return ""
    begin = money[0].start()
    if (said := _IN_CURRENCY.search(last)) and said.end() == begin:
        begin = said.start() if found["n"] else begin
    amount = found["n"].strip() + ("" if is_chinese(last) else " ") if found["n"] else ""
    return f"{last[:begin]}{amount}{found['money']}{last[money[0].end() :]}"


def change_amount(core: str, last: str) -> str:
    """Return the last question, what an amount of money is in another currency, for another amount; "" for another.

    >>> change_amount("5000", "how much is 1000 USD in yuan"), change_amount("5000", "1000美元是多少人民币")
    ('how much is 5000 USD in yuan', '5000美元是多少人民币')
    """
    found, said = _AMOUNT.fullmatch(core.strip(" ?？")), list(_IN_CURRENCY.finditer(last))
    if found is None or len(said) != 1 or len(find_currencies(last)) != 2 or find_mentions(last):
        return ""
    rest = last[said[0].end("n") :]
    return (
        last[: said[0].start("n")]
        + found["n"].strip()
        + (f" {rest}" if rest[:1].isascii() and rest[:1] != " " else rest)
    )


def change_currency(core: str, last: str) -> str:
    """Return the last question for another currency; "" where none is asked for, or it names one already."""
    found = _IN_MONEY.fullmatch(core)
    if found is None:
        return ""
    if find_currencies(strip_mentions(last)):
        return _change_target(found["zh"] or found["en"], last)
    if is_chinese(last):
        names = {"USD": "美元", "HKD": "港币", "CNY": "人民币"}
        said = found["zh"] or names.get(next(iter(find_currencies(found["en"])), ""), "")
        asked = re.sub(r"(?:现在)?(?:是)?(?:多少钱?|几[块元])?(?:呢|吗)?\W*$", "", last)
        return f"{asked}折合{said}" if said else ""
    english = {"美": "us dollars", "港": "HKD", "人": "yuan"}
    wanted = _HK_MONEY.sub("HKD", found["en"]) if found["en"] else english[found["zh"][0]]
    return f"{last.strip(' ?.')} in {wanted}"


def _change_target(wanted: str, last: str) -> str:
    """Return the last question for another currency in the place of the one that it wanted; "" where that is not clear.

    >>> _change_target("美元", "1万港币是多少人民币"), _change_target("usd", "1000 hkd in yuan")
    ('1万港币是多少美元', '1000 hkd in usd')
    """
    said = list(_MONEY.finditer(last))
    if re.search(r"\bcash\b|现金", last) and not re.search(
        r"\bin \w+\W*$|(?:折合?|换)成?\S{2,3}(?:是?多少)?\W*$", last
    ):
        return ""  # the cash of one currency, worth so much in another one
    if not said or any(find_currencies(each[0]) == find_currencies(wanted) for each in said):
        return ""
    if len(said) > 2 or (len(said) == 1 and re.search(r"\d\s*[万亿]?\s*$", last[: said[0].start()])):
        return ""
    return last[: said[-1].start()] + wanted + last[said[-1].end() :]
