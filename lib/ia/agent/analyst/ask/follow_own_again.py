"""Questions about the owner's money that go on: why that was, which of them are watched, another number of shares."""

import re
from collections.abc import Sequence
from datetime import date

from ia.agent.analyst.ask.amounts import find_currencies, find_market_currencies
from ia.agent.analyst.ask.follow_words import OWNER, blank_mentions, is_chinese
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import UNREAD, blank_spans, find_time_spans
from ia.kernel.patterns import pattern

_WHY = pattern(
    r"\W*(?:and )?(?:why|what for|for what reason|what was the reason"
    r"|(?:what|which) (?:reasons?|grounds?) did i (?:give|write(?: down)?|note(?: down)?|have|put(?: down)?))"
    r"(?: (?:was|is|did) (?:that|it|i(?: do (?:that|it))?))?"
    r"(?: (?:again|though|then))?\W*"
    r"|\W*(?:那|当时|我)*(?:为(?:什么|啥|何)|什么(?:理由|原因)|(?:理由|原因)(?:是(?:什么|啥))?)(?:买的?|卖的?|呢|啊|来着)*\W*"
    r"|\W*(?:那|当时|我)*(?:写|记|给)(?:的|了|下|过)*(?:的是)?(?:什么|啥|哪些)(?:理由|原因)\W*"
    r"|\W*(?:那|当时|我)*(?:写|记|给)(?:的|下的)(?:理由|原因)(?:是(?:什么|啥))?\W*",
    re.I,
)
_BOUGHT = pattern(r"买|建仓|加仓|\b(?:buy|bought|purchase[ds]?|add(?:ed)?|get into|got into)\b", re.I)
_SOLD = pattern(r"卖|清仓|减仓|\b(?:sell|sold|sales?|trim\w*)\b", re.I)
_WISHED = pattern(r"\b(?:can|could|should|may|might|would|will)\b|能|可以|该|要不要|想", re.I)
"""A trade that is not made yet."""
_LAST = pattern(
    r"最近一[笔次]|上一?[笔次]|最后一[笔次]|最[大小]的?一?笔|第一笔"
    r"|\b(?:last|latest|newest|most recent|first|largest|biggest|smallest) (?:trade|purchase|sale)\b",
    re.I,
)
_WATCHED = pattern(
    r"\W*(?:(?:are|is) )?(?:any|which|some)(?: of (?:them|those|these))?(?: (?:ones?|are|is))* (?:on|in|from) my"
    r" (?:watch ?list|list)\W*"
    r"|\W*(?:那|这|其中|里面|当中)*(?:有没有|有)?我?的?自选(?:股|里)?的?(?:股票)?(?:有)?(?:吗|么|没有?|哪些|呢)*\W*",
    re.I,
)
LISTED = pattern(
    r"(?P<en>\b(?:which|what|list|show|any)(?: (?:me|all|the))* (?:stocks|shares|names|companies))\b"
    r"|(?:哪些|有哪些|哪几[只个支]|列)",
    re.I,
)
"""A list of stocks of the market."""
_OTHER_SIZE = pattern(
    r"\W*(?:(?:and|then|so) )*(?:what|how) (?:if|about)(?: (?:i (?:buy|bought|sell|sold)|it (?:is|was|were)|with))?"
    r" (?P<en>\d[\d,]*)(?: (?:shares|more|instead|of them|then))*\W*"
    r"|\W*(?:那|要是|如果|换成|改成)*(?P<zh>\d[\d,]*)股(?:呢|的话|行吗|可以吗)*\W*",
    re.I,
)
_SUPPOSED = pattern(r"如果|要是|假如|再?[买卖]|\b(?:if|would|could|can|buy(?:ing)?|sell(?:ing)?)\b", re.I)
_NUMBER = pattern(r"(?<![\d.,])\d[\d,]*(?![\d.,]*\d|\s*[%％])")
_OVER_LIMIT = pattern(
    r"\W*(?:is|was) (?:that|it|this) (?:over|above|within|under|inside|beyond)"
    r" (?:my|the) (?:limit|cap|rules?|maximum)\W*"
    r"|\W*(?:那|这|它|现在|有没有|是不是|会不会)*超(?:没超|不超|过|出|了|标|仓|限)*(?:我)?(?:自己)?(?:[定设]的?|的)?"
    r"(?:那条)?(?:线|上限|限额|规矩|规则|仓位?)*(?:了)?(?:吗|没有?|么)*\W*",
    re.I,
)
_SHARE = pattern(r"占|仓位|比例|比重|\b(?:share|part|weight|much|percent\w*|position|big)\b", re.I)
_SORTED = pattern(
    r"\W*(?:按|照|以)*(?:赚|亏|盈亏|盈利|收益)的?(?:了)?(?:的)?(?:多少|高低|大小|金额)?(?:给我)?(?:来)?排(?:个|一下|一?排|列)?序?(?:一下|吧|呢)?\W*"
    r"|\W*(?:sort|rank|order)(?: (?:them|it|that|those))?(?: by (?:profit|gain|result|return))\W*",
    re.I,
)


_IN_YUAN = pattern(
    r"\W*(?:那|这|也就是|大概|合计)*(?:值|折合?成?|换成|合成?)?(?:人民币(?:是)?多少(?:钱)?|多少人民币)\W*"
    r"|\W*(?:and |so )?(?:(?:what|how much) (?:is|are|would) (?:that|it|they|those|these)(?: be)?(?: worth)? )?"
    r"in (?:yuan|rmb|cny|renminbi)(?:,? (?:that is|then|please|pls|i mean))*\W*",
    re.I,
)
"""What was just told, wanted in yuan."""
_WHOSE_DAY = pattern(r"\W*(?:那|那么)*(?P<who>[\w.&]{2,12}?)的?(?:是|在|呢)?(?:哪一?天|几号|什么时候)\W*")
_EVENT = pattern(r"财报|年报|季报|中报|半年报|分红|除权|股东大会")
"""What has a day, of several companies."""


_SIZE = pattern(r"(?:多少|几)[股手]|市值|值多少|\bhow many\b|\bworth\b|\bvalue\b", re.I)
"""Asks for the size or the value of a holding, not for what it brought."""
_OWN_RESULT = pattern(
    r"\W*(?:那|那么)*我(?:现在)?(?:手里|拿着|持有|买)的(?:那些|部分)?(?:呢|现在)?(?:是)?"
    r"(?:亏|赚|盈亏)(?:了)?(?:多少|几个点)(?:钱)?\W*"
    r"|\W*(?:那)?(?:换成|折合?成?|按|算成)人民币我?(?:是)?(?:一共)?(?:赚|亏)了?多少(?:钱)?\W*"
    r"|\W*(?:and |so )?how much (?:am i|have i|i am|i'm) (?:up|down|made|lost)(?: on mine| with mine)\W*",
    re.I,
)
"""What the owner's own holding of it brought."""
_GAINED = pattern(r"[赚亏]钱?了")
_NET = pattern(
    r"\W*(?:那)?扣(?:掉|完|除|了)?(?:手续费|费用|佣金)(?:之?后)?(?:的话)?(?:净?[赚亏]?了?多少(?:钱)?|呢)*\W*"
)
"""Asks for a result after its fees."""
_WORTH = pattern(
    r"\W*(?:and |so )?what(?:['’]?s| is| are) (?:it|they|that) worth(?: now| today| at the moment)?\W*", re.I
)
_MONEY = {"USD": "美元", "HKD": "港币"}
_TIMES_BOUGHT = pattern(
    r"\W*(?:那|我|当时|当初|一共|总共|都|是)*分?(?:买|加仓|建仓)(?:过|了|入)*(?:几|多少)[次笔回](?:，什么价)?(?:买的)?\W*"
    r"|\W*(?:and |so )?(?:how many times|how often) did i (?:buy|add)(?: (?:it|them|to it))?\W*",
    re.I,
)
"""How often one was bought, where it was named before."""


def _ask_in_yuan(last: str, named: Sequence[Mention], *, chinese: bool) -> str:
    """Return the question what a holding or the cash of a currency is worth in yuan; "" for anything else."""
    if len(named) == 1 and _SIZE.search(blank_mentions(last)):
        return f"我的{named[0].said}值多少人民币" if chinese else f"what are my {named[0].said} shares worth in yuan"
    currencies = [code for code in find_currencies(last) if code != "CNY"]
    if named or len(currencies) != 1:
        return ""
    return (
        f"我的{_MONEY.get(currencies[0], currencies[0])}现金折合人民币多少"
        if chinese
        else f"what is my {currencies[0]} cash in yuan"
    )


def ask_own_again(core: str, last: str, named: Sequence[Mention]) -> str:
    """Return a question that goes on about own money, as a whole one; "" for another.

    >>> from ia.agent.analyst.ask.mentions import find_mentions
    >>> ask_own_again("Why?", "When did I buy CATL?", find_mentions("CATL"))
    'why did I buy CATL'
    >>> ask_own_again("any of them on my watch list", "which stocks rose", [])
    'which stocks on my watch list rose'
    >>> ask_own_again("what if 300", "Would buying 100 more CATL be within the rules?", find_mentions("CATL"))
    'Would buying 300 more CATL be within the rules?'
    """
    bare, chinese = blank_mentions(last), is_chinese(core)
    if (whose := _WHOSE_DAY.fullmatch(core)) and (event := _EVENT.search(bare)):
        return f"{whose['who']}{event[0]}是哪天"
    if _IN_YUAN.fullmatch(core) and OWNER.search(bare):
        return _ask_in_yuan(last, named, chinese=chinese)
    if len(named) == 1 and (_OWN_RESULT.fullmatch(core) or (_NET.fullmatch(core) and _GAINED.search(bare))):
        money = "人民币" if "人民币" in core else ""
        return f"我{named[0].said}赚了多少{money}" if chinese else f"how much have I made on {named[0].said}"
    if len(named) == 1 and OWNER.search(bare) and _WORTH.fullmatch(core):
        return f"what is my {named[0].said} worth now"
    if _TIMES_BOUGHT.fullmatch(core) and len(named) == 1:
        return f"{named[0].said}我买了几次" if chinese else f"how many times did I buy {named[0].said}"
    if _WHY.fullmatch(core) and OWNER.search(bare) and not _WISHED.search(bare):
        if not named:
            return last if _LAST.search(last) else ""
        bought, sold = _BOUGHT.search(bare), _SOLD.search(bare)
        if len(named) != 1 or bool(bought) == bool(sold):
            return ""
        name = named[0].said
        if chinese:
            return f"我为什么{'买' if bought else '卖'}{name}"
        return f"why did I {'buy' if bought else 'sell'} {name}"
    if (
        "停" not in last
        and _WATCHED.fullmatch(core)
        and not named
        and not OWNER.search(bare)
        and (listed := LISTED.search(last))
    ):
        if listed["en"]:
            return f"{last[: listed.end('en')]} on my watch list{last[listed.end('en') :]}"
        return f"自选里{last}" if is_chinese(last) else ""
    if (found := _OTHER_SIZE.fullmatch(core)) and len(named) == 1 and _SUPPOSED.search(bare):
        numbers = list(_NUMBER.finditer(bare))
        said = found["en"] or found["zh"]
        return last[: numbers[0].start()] + said + last[numbers[0].end() :] if len(numbers) == 1 else ""
    if _OVER_LIMIT.fullmatch(core) and len(named) == 1 and _SHARE.search(bare):
        return f"{named[0].said}超仓了吗" if chinese else f"is my {named[0].said} position too big"
    if _SORTED.fullmatch(core) and OWNER.search(bare) and not named:
        return "各持仓盈亏从高到低" if chinese else "profit of each holding"
    return ""


_TRADES = pattern(r"[买卖]|交易|建仓|清仓|\b(?:trades?|traded|bought|sold|buy|sell|purchases?|sales?)\b", re.I)
_EARNED_MOST = pattern(
    r"\W*(?:那|其中|里面|这些|这里面|当中)*哪一?[笔个次](?:交易|卖出|买入)?(?:最|更)?[赚挣](?:得|的|了)?(?:最|更)?(?:多|钱)?的?一?[些点]?\W*"
    r"|\W*(?:and |so )?which (?:one|of (?:them|these|those|the \w+)|trade|sale|purchase)s?"
    r" (?:has |have )?(?:made|earned|gained|brought)(?: me)?(?: in)?(?: the)? (?:more|most)(?: money| profit)?\W*"
    r"|\W*(?:and |so )?which (?:one|of (?:them|these|those)|trade|sale|purchase)"
    r" (?:was|is) (?:the )?(?:more|most) profitable(?: one)?\W*",
    re.I,
)
"""Asks which of the trades that were listed brought most."""
_LARGEST = pattern(
    r"\W*(?:那|其中|里面|这些|这里面|当中)*哪一?[笔个次](?:交易|卖出|买入)?的?(?:金额|成交额)?(?:是)?最(?P<zh>[大小])的?\W*"
    r"|\W*(?:那|其中|里面|这些|这里面|当中)*最(?P<one>[大小])的?(?:那|一|是)*(?:哪一?)?笔(?:是哪一?笔|是什么)?\W*"
    r"|\W*(?:and |so )?(?:which(?: (?:one|of (?:them|these|those)|trade|sale|purchase))?|what)? ?(?:was |is )?"
    r"(?:the )?(?P<en>largest|biggest|smallest)(?: (?:one|trade|sale|purchase|of (?:them|these|those)))?\W*",
    re.I,
)
"""Asks for the largest or the smallest of the trades that were listed."""
_WHY_FIRST = pattern(
    r"\W*(?:那|其中|我)*第一[笔次](?:交易|买入|卖出)?我?(?:是|当时)*"
    r"(?:为(?:什么|啥|何)|什么(?:理由|原因)|(?:理由|原因)(?:是(?:什么|啥))?)[买卖]?的?\W*"
)
_NARROWED = pattern(
    r"\d|以[上下]|超过|除|[没不还]|理由|北向|南向|外资|主力|资金|机构|大家|别人"
    r"|\b(?:people|they|funds?|investors|north-?bound|above|below|over|under|except|without|not|still|more|less|than|reasons?)\b",
    re.I,
)
"""A list of fewer trades than those of a side, a market and a time, or of trades of others."""
_MARKETS = {"HKD": ("HK stocks", "港股"), "USD": ("US stocks", "美股"), "CNY": ("A-shares", "A股")}


def ask_of_trades(core: str, last: str, today: date) -> str:
    """Return a question for one of the trades that were listed: the largest, the best, why the first; "" for another.

    >>> day = date(2024, 3, 15)
    >>> ask_of_trades("which one was the largest?", "List my trades in January", day)
    'my largest trade in january'
    >>> ask_of_trades("哪笔赚得多", "看看我的卖出记录", day), ask_of_trades("第一笔为什么买", "二月买了什么", day)
    ('哪些交易赚了钱或亏了钱', '我二月第一笔买入')
    >>> ask_of_trades("which one was the largest?", "sectors today", day)
    ''
    """
    best, largest, first = _EARNED_MOST.fullmatch(core), _LARGEST.fullmatch(core), _WHY_FIRST.fullmatch(core)
    if not (best or largest or first) or not _TRADES.search(last) or _WISHED.search(last):
        return ""
    spans = [span for span in find_time_spans(last, today) if span.kind != UNREAD]
    if len(spans) > 1 or _NARROWED.search(blank_spans(last, spans)):
        return ""
    markets = list(dict.fromkeys([*find_market_currencies(last), *find_currencies(last)]))
    if len(markets) > 1 or (markets and best):
        return ""
    market = _MARKETS[markets[0]][is_chinese(core)] if markets else ""
    time = spans[0].said if spans else ""
    bought, sold = _BOUGHT.search(last), _SOLD.search(last)
    side = 0 if bool(bought) == bool(sold) else 1 if bought else 2
    if best:
        if side == 1:
            return f"我{time}买入对现价" if is_chinese(core) else f"my purchases against the price now {time}".strip()
        return (
            f"{time}哪些交易赚了钱或亏了钱" if is_chinese(core) else f"which trades made or lost money {time}".strip()
        )
    if is_chinese(core):
        what = ("交易", "买入", "卖出")[side]
        size = f"最{largest['zh'] or largest['one']}的一笔" if largest else "第一笔"
        return f"我{time}{market}{size}{what}"
    what = ("trade", "purchase", "sale")[side]
    of_market = f" of {market}" if market else ""
    return f"my {largest['en'].lower()} {what}{of_market} {time}".strip() if largest else ""
