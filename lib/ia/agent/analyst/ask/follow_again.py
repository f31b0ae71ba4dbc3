"""Questions that look at the answer before from another side: when that was, at what price, by how much, after fees."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_own_again import ask_of_trades, ask_own_again
from ia.agent.analyst.ask.follow_words import OWNER, blank_mentions, find_named, is_chinese
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import UNREAD, find_time_spans
from ia.kernel.patterns import pattern

_WHEN = pattern(
    r"(?:on )?(?:when|(?:what|which) (?:day|date))(?: exactly)?(?: (?:was|is|did) (?:that|it|this|i(?= (?:wr|no|do"
    r"|bu|se))|they)"
    r"(?: (?:happen|occur|paid?|written|write(?: (?:it|that|this))?|note(?:d)? (?:it|that)|reached|hit|set|on|again"
    r"|bought|sold|do (?:it|that)))?)?"
    r"|when did (?:that|the|this|it) (?:draw-?down )?(?:bottom(?: out)?|trough|begin|start|end|(?:reach|hit) its low)"
    r"|(?:(?:那|这)?(?:次|个)?(?:最大)?回撤)?(?:是|在)?(?:什么时候|哪天)(?:见底|到底|触底|开始|结束|最深)的?"
    r"|(?:那|那是|是|在|具体)*(?:哪一?[天日]|(?:什么|啥)时[候间]|几月几[号日]|几号|何时)"
    r"(?:的事?|[写买卖发记派分]的|发生的|达到的?|到的|创的|出现的?|发放的?)*",
    re.I,
)
_DATED = pattern(
    r"回撤|最[高低]|[高低]点|新[高低]|[涨跌]得?最|分红|派息|股息|除权|笔记|记过|写过|理由|(?<!我)[买卖](?!.*[赚亏盈])"
    r"|\b(?:draw-?down|highest|lowest|high|low|peak|bottom|best|worst|biggest|largest|smallest"
    r"|dividends?|notes?|noted|wrote|write"
    r"|bought|sold|buy|sell|purchase[ds]?)\b",
    re.I,
)
"""Questions whose answers have a day in them."""
_EARNED = pattern(r"[赚亏盈]|收益|成本|\b(?:made?|make|earn\w*|profit\w*|los[st]|gain\w*|return|rank|yield)\b", re.I)
"""A question about results or costs."""
_AT_WHAT = pattern(
    r"(?:at |for )?(?:what|which) prices?(?: (?:was|did) (?:that|it|i)(?: (?:pay|buy|sell)(?: (?:it|at|for))*)?)?"
    r"|for how much|how much did i get(?: (?:for it|then|each|per share))?|how much did i pay (?:each|per share)"
    r"|(?:那|是|当时|用|每[次笔]|分别|都|[买卖]了?)*(?:多少钱|什么价[格钱位]?|啥价[格钱位]?|几块钱?)(?:[买卖]入?出?的?|成交的?|一股)*"
    r"|(?:那|是)*(?:(?:当时|分别|各自?|成交|买入|卖出|每[次笔])的?)+价[格钱位]?(?:是|都)*(?:多少|什么)?"
    r"|(?:那|成交)*价[格钱位]?(?:分别|各自?|都)是?(?:多少|什么)?",
    re.I,
)
"""Asks at what price the trade before was made."""
_TRADED = pattern(r"[买卖](?!多|几|点)|建仓|清仓|加仓|减仓|\b(?:bought|sold|buy|sell|purchase[ds]?)\b", re.I)
"""A question about trades."""
_MADE = pattern(r"[买卖][的了过]")
"""A trade that was made: it is the owner's."""
_BY_HOW_MUCH = pattern(
    r"(?:by )?how (?:much|far)(?: (?:above|below|over|under|up|down|more|less|higher|lower))?(?: (?:is|was"
    r"|did) (?:it|that)"
    r"(?: (?:rise|fall|go(?: (?:up|down))?|gain|lose|drop|move|now))?)?|by how (?:much|many percent)"
    r"|(?:那|还|它|现在|离它)*(?:差|高|低|超|离|距|[涨跌]|多|少)(?:了|出)?(?:多少|多远|几个?点|百分之几)(?:个?点|钱)?",
    re.I,
)
"""Asks how large the move or the distance before is."""
_SIDE = pattern(
    r"[均年季]线|半年线|\d+日线|站[上在稳]|跌破|\baverage\b|\b(?:ma|line)\b|\d+[- ]?d(?:ay)?\b.*\b(?:above"
    r"|below)\b",
    re.I,
)
"""A question about the side of an average, or of a level."""
_MOVED = pattern(
    r"[涨跌]了?[吗没么]|[涨跌]没[涨跌]?|[涨跌]了没|是[涨跌]|有没有[涨跌]"
    r"|\b(?:go(?:ne)?|went|is|was|close[d]?|finish\w*|end\w*) (?:it )?(?:up|down)\b|\b(?:rise|fall|drop)\b",
    re.I,
)
"""Asks whether a price rose or fell."""
_WHAT = pattern(
    r"what (?:was|is) (?:it|that)(?: (?:for|again))?|what did i (?:buy|sell|trade)(?: then)?"
    r"|how many (?:trades|times|of them|days|stocks|shares) (?:is|was|were|are) (?:that|it|those|they)"
    r"|(?:那|是|当时|都|分别|具体|各)*[买卖][的了]?都?是?些?(?:什么|啥|哪几?[只个支]|哪些)(?:股票|票)?",
    re.I,
)
"""Asks what was traded, or how many there were."""
_LAST_TRADE = pattern(r"交易|[买卖]|胜率|\b(?:trades?|traded|bought|sold|buy|sell|win rate)\b", re.I)
"""A question about trades, or how often they gained."""
_AFTER_FEES = pattern(
    r"(?:(?:and|what) )*(?:after|less|minus|net of|without|including|with) (?:the |all |my )?(?:fees|costs"
    r"|commissions?|charges)"
    r"(?: (?:and|or) tax(?:es)?)?"
    r"|(?:那|要是|如果)*(?:扣(?:掉|完|除|了)?|除去|去掉|减掉|算上)(?:手续费|费用|佣金"
    r"|成本费用)(?:之?后)?(?:的话|净?[赚亏]?(?:了)?(?:多少)?)*",
    re.I,
)
"""Asks for the result before with fees taken off."""
_IN_PERCENT = pattern(
    r"(?:(?:and|so|what|is|was|that|it)\b[, ]*)*(?:what's (?:that|it) )?"
    r"(?:in|as an?|how (?:much|many)(?: in)?) (?:per ?cent(?:age)?|%)(?: terms)?"
    r"|(?:and )?what per ?cent(?:age)? (?:is|was) (?:that|it)"
    r"|(?:那|是|换成|算成|按|也就是|[赚亏]了?)*(?:百分之(?:多少|几)|百分比(?:是?多少)?|几个(?:百分)?点)",
    re.I,
)
"""Asks for the rate of a result: the answer before has it."""
_HIGH = pattern(
    r"(?:is|was) (?:it|that|this) (?:a )?(?:bit )?(?P<en>high|low|expensive|cheap|dear|much)"
    r"(?: (?:for (?:it|them|this stock|the (?:stock|company))|historically|by its own standards|(?:for|in"
    r"|against|vs|compared (?:to|with)) its"
    r" (?:own )?history|compared (?:to|with) (?:its )?(?:past|before)))?"
    r"|(?:那|这|现在|目前)*(?:(?:在|和|跟)?(?:它)?(?:自己)?(?:的)?历史上?(?:比)?)?(?:来说|来看|里)?(?:算|是|偏"
    r"|属于)*(?P<zh>高|低|贵|便宜)"
    r"(?:不[高低贵]|还是[低高])?(?:的|估|吗|么|不|没|啊)+",
    re.I,
)
_VALUED = pattern(r"市[盈净销]率|估值|(?<![a-z])(?:p/?[ebs]|price[ -]to[ -](?:book|earnings|sales))(?![a-z])", re.I)
_TOTAL = pattern(
    r"(?:(?:how much|what) (?:is|was|did|does) (?:that|it|all that|all this|they|this)(?: all)? (?:cost|come to"
    r"|add up to|make)"
    r"(?: (?:me|in (?:all|total)|altogether|together))*"
    r"|what(?:'s|s| is| does) (?:that|it|they) (?:all )?(?:add up to|come to|in total)|(?:how much )?(?:(?:is"
    r"|was) (?:it|that) )?(?:in (?:all|total)|the total|altogether|all together)|altogether|all together|in sum)"
    r"|(?:那|这些|它们)*(?:一共|总共|合计|加起来|总计)(?:花了?|买了|卖了|用了|[亏赚]了?|是|值|要)*(?:多少)?(?:钱)?",
    re.I,
)
_LISTED_TRADES = pattern(
    r"买了?(?:什么|啥|哪些|过)|卖了?(?:什么|啥|哪些)|\b(?:did i|i) (?:buy|sell|bought|sold)\b|\b(?:purchases|sales)\b",
    re.I,
)


_LOSERS = pattern(
    r"(?:哪|几)[几些]?[只个支].{0,6}[亏赚盈]|[亏赚盈]利?的.{0,3}(?:哪|几)|[亏赚]着?的(?:有)?(?:哪|几)"
    r"|\b(?:which|what)\b.{0,30}\b(?:losing|at a loss|in the red|under ?water|in profit|making money"
    r"|in the (?:green|black))\b",
    re.I,
)
"""Lists of the holdings at a loss or in profit: their answers say what those come to together."""


_ADDED = pattern(
    r"(?:since )?when (?:did i (?:add|put) (?:it|that)(?: (?:there|on|in|to it|on it))?|(?:has it been"
    r"|was it (?:added|put)|is it) (?:there|on(?: it)?|in it)?)"
    r"|(?:那|是|当时)*(?:什么|啥)时候(?:加|放|列)(?:进|到|入|上)?(?:去|来)?的",
    re.I,
)
_ON_LIST = pattern(r"自选|关注|\b(?:watch ?list|list|watch(?:ing|ed)?)\b", re.I)


def ask_again(core: str, last: str, today: date) -> str:
    """Return a question for another side of the answer before, as a whole one; "" for another.

    core  the question without its lead: "and", "那"

    >>> day = date(2024, 3, 15)
    >>> ask_again("when was that", "highest close of BYD this year", day), ask_again("哪天", "茅台今年最高收盘价", day)
    ('highest close of BYD this year', '茅台今年最高收盘价')
    >>> ask_again("by how much", "is CATL above its 200-day average", day), ask_again("涨了多少", "美的今天涨了吗", day)
    ('is CATL above its 200-day average', '美的今天涨跌多少')
    >>> ask_again("is that high for it", "pe of Wuliangye", day), ask_again("历史上算高吗", "招行pe", day)
    ("is Wuliangye's pe high", '招行pe高吗')
    >>> ask_again("what did all that cost", "what did I buy in February", day)
    'how much did I spend on purchases in february'
    >>> ask_again("in percent", "how much have I made on Apple", day), ask_again("都买了啥", "二月我一共买了几次", day)
    ('how much have I made on Apple', '二月我一共买了几次')
    """
    bare, chinese, named = strip_mentions(last), is_chinese(core), find_named(last)
    if own := ask_own_again(core, last, named) or ("" if named else ask_of_trades(core, last, today)):
        return own
    pointed = find_mentions(core)
    if len(pointed) == 1 and pointed[0].code in (named[0].code if named else pointed[0].said, pointed[0].said):
        core = strip_mentions(core, "" if chinese else "it")
    traded = _TRADED.search(bare) is not None
    if _WHEN.fullmatch(core) and _DATED.search(bare) and not _EARNED.search(bare):
        return last if traded or not (_TRADED.search(core) or _OF_OWN.search(bare)) else ""
    if (fees := _FEES.fullmatch(core)) and OWNER.search(bare) and (_LAST_TRADE.search(bare) or named):
        return _ask_fees(fees[0], last, today)
    if _AT_WHAT.fullmatch(core) and (OWNER.search(bare) or _MADE.search(bare)) and traded and not _EARNED.search(bare):
        return last
    if _WHAT.fullmatch(core) and not named and _LAST_TRADE.search(bare) and OWNER.search(bare):
        return last
    if _ADDED.fullmatch(core) and len(named) == 1 and _ON_LIST.search(bare):
        return f"{named[0].said}什么时候加到自选的" if chinese else f"since when is {named[0].said} on my watch list"
    if _BY_HOW_MUCH.fullmatch(core):
        return _ask_extent(last, bare, today)
    if _IN_PERCENT.fullmatch(core) and _EARNED.search(bare) and OWNER.search(bare):
        return last
    if _AFTER_FEES.fullmatch(core) and _EARNED.search(bare) and OWNER.search(bare):
        return last
    if (found := _HIGH.fullmatch(core)) and (measure := _VALUED.search(bare)) and len(named) == 1:
        if chinese:
            return f"{named[0].said}{measure[0]}{found['zh']}吗"
        side = "low" if found["en"] and found["en"].casefold() in ("low", "cheap") else "high"
        return f"is {named[0].said}'s {measure[0]} {side}"
    if _TOTAL.fullmatch(core) and _LOSERS.search(last):
        return last
    if not named and _TOTAL.fullmatch(core) and (trades := _LISTED_TRADES.search(last)):
        return _ask_total(last, trades[0], today)
    return ""


_OWN_SIDE = pattern(
    r"(?<!多)[赚亏]|超过|\b(?:in (?:the )?(?:red|black|green|profit)|at a loss"
    r"|under ?water|above|below|over|under|up|down|ahead)\b",
    re.I,
)
"""Asks whether something of the owner's is above or below what it cost, or a limit."""
_RED = pattern(r"\bin (?:the )?(?:red|black|green|profit)\b|\bat a loss\b|亏着|赚着", re.I)
_WHETHER = pattern(r"^\W*(?:is|are|am|was|were|did|do|does|has|have)\b|[吗么]\W*$|没有?\W*$|是[赚亏]", re.I)


def _ask_extent(last: str, bare: str, today: date) -> str:
    """Return how far the price is from a line, or how much it moved, where the question before asks whether."""
    if _SIDE.search(bare):
        return last
    named = find_named(last)
    if _WHETHER.search(last) and _OWN_SIDE.search(bare) and (OWNER.search(bare) or _RED.search(bare)):
        return last
    if len(named) != 1 or not _MOVED.search(bare) or OWNER.search(bare):
        return ""
    spans = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD]
    said = " ".join(span.said for span in spans)
    if is_chinese(last):
        return f"{named[0].said}{said or '今天'}涨跌多少"
    return f"how much did {named[0].said} change {said or 'today'}"


_OF_OWN = pattern(r"持仓|持有|手里|\b(?:holdings?|positions?|i own|i hold|my stocks)\b", re.I)
"""A ranking of what is held: its answer has no day."""
_FEES = pattern(
    r"(?:(?:一共|总共)?(?:交了)?(?:手续费|费用|佣金)(?:一共|总共|合计|花了|交了|是)*(?:多少)?(?:钱)?"
    r"|(?:what|how much)(?: (?:were|was|are|did i pay in))? (?:the |my |in )?fees(?: (?:for|on|of) (?:those"
    r"|that|them|these))?"
    r"|(?:the |my )?fees(?: (?:for|on|of) (?:those|that|them|these|it))?)",
    re.I,
)


def _ask_fees(said: str, last: str, today: date) -> str:
    """Return what the fees were over the time of the trades before; "" where those name no one time."""
    spans, named = (
        [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD],
        find_named(last),
    )
    if len(named) == 1 and not spans:
        return f"{named[0].said}手续费交了多少" if is_chinese(said) else f"what did I pay in fees on {named[0].said}"
    if len(spans) != 1 or named:
        return ""
    return f"{spans[0].said}手续费一共多少" if is_chinese(said) else f"fees {spans[0].said}"


def _ask_total(last: str, trades: str, today: date) -> str:
    """Return what the purchases or the sales that were listed come to."""
    spans = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD]
    said = " ".join(span.said for span in spans)
    sold = re.search("卖|sell|sold|sales", trades, re.I)
    if is_chinese(last):
        return f"我{said}{'卖出一共收到多少钱' if sold else '买股票一共花了多少钱'}"
    return f"how much did I {'get from sales' if sold else 'spend on purchases'} {said}".strip()
