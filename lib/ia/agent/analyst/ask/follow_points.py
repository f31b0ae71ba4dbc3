"""Questions that point at what the answer before told: that report, that sale, the same stretch of time, the rest."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_words import OWNER, blank_mentions, is_chinese
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, find_time_spans
from ia.kernel.patterns import pattern

_SAME_SPAN = pattern(
    r"[,，]? ?\b(?:over|in|for|during|within) (?:the|that|this) (?:very )?same (?:period|time|stretch|span|window)"
    r"(?: of time)?\b|[,，]? ?\bover that (?:period|time|stretch|span|window)\b|[,，]?(?:在"
    r"|的)?(?:同一段|那一?段|这一?段|同样的?一?段|同期)"
    r"(?:时间|期间|时期)?(?:里|内)?(?=\W*$|[的它那最，,])",
    re.I,
)
"""The time that was spoken of."""
_SOLD = pattern(r"卖|清仓|减仓|\b(?:sell|sold|sales?)\b", re.I)
_BOUGHT = pattern(r"买|建仓|加仓|持有|拿了|拿着|\b(?:buy|bought|purchase[ds]?|held|hold|own|have)\b", re.I)
_FILED = pattern(
    r"营业?收入?|利润|毛利|净利|负债|报告|财报|年报|季报|每股收益|净资产"
    r"|\b(?:revenue|profit|earnings|margin|debt|report|roe|eps|cash flow)\b",
    re.I,
)
"""What a company reports."""
_CAME_OUT = pattern(
    r"when (?:did|was) (?:that|it|this|the report)(?: report)? (?:come out|published|released|reported|out|appear)"
    r"|(?:那|这|它)*(?:份|个)?(?:报告|财报|数据|数字)?(?:是)?(?:什么时候|哪一?天|几号)(?:出来?|公布"
    r"|发布|披露|发|出炉)的?"
)
_DAYS_SINCE = pattern(
    r"how (?:many days|long) (?:ago )?(?:is|was|has) (?:that|it)(?: (?:been|ago|now|by now))*"
    r"|(?:那|到现在|至今|距今|离现在|已经)*(?:有|过了?|过去|是)?(?:多少|几)天(?:了|前)?(?:的事)?"
)
_UP_SINCE = pattern(
    r"(?:is|has|did) (?:it|that|the (?:stock|share|price)s?)(?: (?:been|gone|go))? (?:up|down|higher"
    r"|lower|risen|fallen)"
    r"(?: or (?:up|down|higher|lower|risen|fallen))? since(?: then| that(?: day)?)?"
    r"|(?:那|它)*(?:从)?(?:那时候?|那天|那以?后|之后|以后|当时)?(?:到现在|至今|以来)(?:是)?(?:涨"
    r"|跌)(?:了)?(?:还是跌了?|吗|没有?|多少)"
)
_GOT = pattern(
    r"how much (?:money |cash )?did (?:i|that|it|they) (?:get|receive|bring in|fetch|bring)(?: (?:for|from|out of)"
    r" (?:it|that|them|those))?"
    r"|(?:那|一共|总共|我)*(?:卖了?|拿到?|收回?|回款|到手|得)(?:了)?(?:多少)钱?(?:钱)?"
)
_WHY_SOLD = pattern(
    r"why did i (?P<did>sell|buy)(?: (?:it|them|that|those))?|(?:那|我)*为(?:什么|啥)(?P<zh>卖|买)(?:的|掉|出|它)*"
)
_REST = pattern(
    r"(?:那|那么)?(?:剩下|余下|剩余|还剩|手里剩)的?(?:那些|那部分|部分|股票|股份)?(?:现在|目前"
    r"|还)*(?!多少(?:现金|钱))(?P<zh>[^，,。]{2,10}?)"
    r"|(?:how much (?:is|are)|what(?:'s| is| are)) (?:the rest|the remaining (?:ones|shares)"
    r"|the ones i (?:still )?(?:have|hold|kept)"
    r"|what(?:'s| is) left)(?: of (?:it|them))? (?P<en>up|down|worth|making|losing)(?: now)?"
    r"|(?:what is|how much is) my (?:gain|profit|loss) on (?P<on>the rest|what(?:'s| is) left"
    r"|the remaining (?:ones|shares)"
    r"|the ones i (?:still )?(?:have|hold|kept))(?: now)?"
)
_LEFT_WORTH = pattern(
    r"(?:what(?:'s| is| are)|how much is) (?:what(?:'s| is) )?left(?: of (?:it|them))? worth(?: now| today)?"
    r"|(?:那|现在|目前|它|一共)*(?:还)?值(?:多少)(?P<money>港[币元]|美[元金]|人民币|钱)?"
)
_BUY_PRICE = pattern(
    r"(?:那|我|当时|当初)*买[进入]?的?(?:时候|时)(?:是)?(?:什么|多少|啥)(?:价格?|价位|钱)"
    r"|(?:and )?(?:at )?what (?:price )?did i (?:pay|get in at)(?: (?:for it|at))?"
    r"|(?P<alone>(?:是)?(?:什么|啥)价(?:格|位)?(?:成交)?的?|(?:at )?(?:what|which) price)"
)
_SALE_FEES = pattern(
    r"(?:那|我)?(?P<zh>卖|买)?(?:的|掉的|出的|入的)?(?:那一?[笔次])?的?(?:手续费|费用|税费)(?:一共"
    r"|总共)?(?:花|交|付)?(?:了)?(?:是|有)?(?:多少)?(?:钱)?"
    r"|(?:what|how much)(?: did| were| was)? (?:the|my) (?:fees?|commission|costs?)(?: (?:come to"
    r"|amount to|cost(?: me)?|on it|on that"
    r"|for it|for that|be|in total))*"
)
_OWN_PERCENT = pattern(
    r"(?:那|我|现在|目前|到现在|一共)*(?:是)?浮[亏盈](?:了)?(?:多少|几个?点|百分之几|几个百分点)(?:钱|了)?"
)
_MEAN_DAYS = pattern(
    r"(?P<n>\d+)[- ](?:trading )?(?:days?|sessions?)\b(?=.{0,30}\baverage)"
    r"|\baverage\b.{0,40}?\b(?P<m>\d+) (?:trading )?(?:days|sessions)\b"
    r"|(?P<zh>\d+)[日天](?:均?线|平均)|近(?P<near>\d+)[个]?(?:交易)?[日天].{0,4}平均"
)
_FROM_MEAN = pattern(
    r"(?:is|does) (?:it|the (?:price|close|stock|share))(?: (?:now|currently|trad\w+|today|standing|close))*"
    r" (?:above|below|over|under)(?: or (?:above|below|over|under))? (?:that|it)(?: (?:now|today|average|line))?"
    r"|how far (?:is|from it is|above or below) .{2,30}?|(?:the )?(?:percent\w* )?(?:distance|difference) .{2,40}?"
    r"|(?:那|现在|现价|股价|收盘价?|离|比|它|这个?|那个?|均?线|在|还|有|的)*(?:高于|低于|之上|之下"
    r"|上面|下面|高|低|差|远)"
    r"(?:还是(?:低于|之下|下面|低|上面|高))?(?:了)?(?:它|这个|多少|百分之几|几个?点|多远|吗)*"
)
_ALERT = pattern(r"提醒|预警|\balerts?\b", re.I)
_FROM_ALERT = pattern(
    r"how far (?:is|are|away is|from (?:it|that|there) is) .{2,40}|(?:现在|现价|目前|已经|它|离|距|还|那|触发)*"
    r"(?:触发(?:了)?(?:没有?|吗|过没有?)|(?:差|有|离)(?:多少|多远|百分之几|几个?点))(?:触发)?"
)
_WRITTEN_WHY = pattern(
    r"(?:那|我)*(?:当时|当初)?(?:写|记|填|留)(?:下|的|了)*(?:是)?(?:什么|啥)?(?:理由|原因)(?:是)?(?:什么|啥)?"
    r"|what (?:was|is) the reason(?: i)? (?:i )?(?:wrote|gave|noted)(?: down)?(?: (?:then|for it|at the time))?"
)
_LOST_PERCENT = pattern(
    r"(?:那|我|现在|目前|到现在|一共)*(?:是)?(?:浮|盈)?(?:亏|赚)(?:了)?(?:百分之(?:几|多少)|多少个?百分点)"
)
_DRAWDOWN = pattern(r"回撤|\bdraw-?down\b", re.I)
_ITS_ENDS = pattern(
    r"when did (?:that|the|this|it)(?: drawdown)? (?:bottom(?: out)?|end|start|begin|happen|occur"
    r"|reach (?:its )?(?:low|bottom))"
    r"|when was (?:that|the|its) (?:bottom|trough|low|peak|start)"
    r"|(?:那|这)?(?:次|个|段)?(?:回撤)?(?:是)?(?:从哪一?天到哪一?天|(?:什么时候|哪一?天)(?:见底|到底"
    r"|开始|结束|发生)的?|(?:最低点|谷底)是?(?:在)?(?:哪一?天|什么时候))"
)
_VOLUME = pattern(r"成交量|\bvolume\b", re.I)
_BEST_MONTH = pattern(
    r"(?:and |so )?(?:which|what)(?: was the)? (?P<best>best |worst )?month(?: (?:of all|this year))?"
    r"(?: was| is| did)?(?: the| it)?(?: (?P<end>best|worst))?(?: of all)?"
    r"|(?:那)?(?:哪一?个月)(?:最|收益最|赚得最|表现最)(?P<zh>好|差|多|少)的?"
)
_RESULT = pattern(r"账户|收益|赚|亏|\b(?:account|portfolio|did i|return|make|made|earn|do)\b", re.I)
_CURRENCY = pattern(r"人民币|港[币元]|美[元金]|\b(?:cny|hkd|usd|yuan|rmb|hong kong dollar|us dollar|dollar)\b", re.I)
_I_HAVE = pattern(
    r"(?:那|那么)?我(?:现在)?(?:有没有|有|是不是有)(?:它的?)?(?:持仓|持有|仓位|买|拿着)(?:它|了|过)?(?:吗|么|没有?)?"
    r"|(?:and )?do i (?:own|hold|have) (?:it|any|that one)(?: already| now)?"
)


def carry_time(text: str, last: str, today: date) -> str:
    """Return a question with the time of the one before in the place of "the same period"; "" where it has none.

    >>> day = date(2024, 3, 15)
    >>> carry_time("and its maximum drawdown over the same period", "beta of BYD over the past year", day)
    'and its maximum drawdown over the past year'
    >>> carry_time("最大回撤呢，同一段", "腾讯近20日涨跌", day)
    '近20日最大回撤呢'
    """
    found = _SAME_SPAN.search(text)
    spans = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD]
    if found is None or len(spans) != 1:
        return ""
    said = last[spans[0].at[0] : spans[0].at[1]]
    if is_chinese(text):
        return f"{said}{text[: found.start()]}{text[found.end() :]}".strip()
    return f"{text[: found.start()].rstrip()} {said}{text[found.end() :]}"


def ask_pointed(core: str, last: str, named: list[Mention], today: date) -> str:
    """Return a question that points at what the answer before told, as a whole one; "" for another.

    core   the question without its lead
    named  the securities of the question before

    >>> from ia.agent.analyst.ask.mentions import find_mentions
    >>> day = date(2024, 3, 15)
    >>> ask_pointed("when did that come out", "nvidia's revenue in its last report", find_mentions("nvidia"), day)
    'when did nvidia publish its last report'
    >>> ask_pointed("剩下的那些现在浮盈多少", "英伟达我卖出过几股", find_mentions("英伟达"), day)
    '我的英伟达浮动盈亏多少'
    >>> ask_pointed("how much did i get for it", "what did I sell in February", [], day)
    'how much did my sales bring in in february'
    """
    bare, chinese = blank_mentions(last), is_chinese(core)
    low = core.casefold().strip(" ?？。.!！")
    spans = [span for span in find_time_spans(bare, today) if span.kind != UNREAD]
    own = OWNER.search(bare) is not None
    if _DRAWDOWN.search(bare) and _ITS_ENDS.fullmatch(low):
        return last
    if not named:
        return _ask_of_sales(low, last, spans[0].said if len(spans) == 1 else "", own=own)
    if len(named) != 1 or named[0].symbol.kind == "index":
        return ""
    name = named[0].said
    if _CAME_OUT.fullmatch(low) and _FILED.search(bare) and not own:
        if any(span.kind == DAY or (span.first and span.first.year < today.year - 1) for span in spans):
            return ""  # an older report
        return f"{name}最新财报是什么时候发布的" if chinese else f"when did {name} publish its last report"
    if _ALERT.search(bare) and _FROM_ALERT.fullmatch(low):
        return f"{name}离提醒还有多远" if chinese else f"how far is {name} from my alert"
    if (mean := _MEAN_DAYS.search(bare.casefold())) and not _VOLUME.search(bare) and _FROM_MEAN.fullmatch(low):
        days = next(filter(None, mean.groups()))
        return f"{name}站上{days}日线了吗" if chinese else f"is {name} above its {days}-day average"
    if _I_HAVE.fullmatch(low):
        return f"我持有{name}吗" if chinese else f"do I own {name}"
    return _ask_of_own(low, name, bare, chinese=chinese) if own or _SOLD.search(bare) or _BOUGHT.search(bare) else ""


def _ask_of_sales(low: str, last: str, time: str, *, own: bool) -> str:
    """Return what goes on with the owner's trades or results of a time, none of which was named."""
    chinese = is_chinese(low)
    if not own:
        return ""
    if _GOT.fullmatch(low) and _SOLD.search(last):
        return f"我{time}的卖出一共回款多少" if chinese else f"how much did my sales bring in {time}".strip()
    found = _WHY_SOLD.fullmatch(low)
    if found and time:
        sold = (found["did"] or found["zh"]) in ("sell", "卖")
        return last if (_SOLD if sold else _BOUGHT).search(last) else ""
    if (month := _BEST_MONTH.fullmatch(low)) and _RESULT.search(last):
        worst = (month["best"] or month["end"] or month["zh"] or "").strip() in ("worst", "差", "少")
        money = _CURRENCY.search(last)
        if chinese:
            whose = f"我的{money[0]}账户" if money else "我"
            return f"{whose}哪个月收益最{'差' if worst else '好'}"
        which = "worst" if worst else "best"
        return f"{which} month of my {money[0]} account" if money else f"which month was my {which}"
    return ""


def _ask_of_own(low: str, name: str, bare: str, *, chinese: bool) -> str:
    """Return what goes on with the owner's trades of one security."""
    sold, bought = _SOLD.search(bare), _BOUGHT.search(bare)
    if found := _REST.fullmatch(low):
        if found["zh"]:
            return f"我的{name}{'浮动盈亏多少' if re.search('[赚亏盈]', found['zh']) else found['zh']}"
        return f"what is my {name} worth now" if found["en"] == "worth" else f"my unrealized profit on {name}"
    if found := _LEFT_WORTH.fullmatch(low):
        return f"我的{name}值多少{found['money'] or '钱'}" if chinese else f"what is my {name} worth now"
    if (found := _BUY_PRICE.fullmatch(low)) and not (found["alone"] and bool(sold) == bool(bought)):
        sale = found["alone"] and sold
        if chinese:
            return f"{name}我什么价{'卖' if sale else '买'}的"
        return f"at what price did I {'sell' if sale else 'buy'} {name}"
    if (found := _SALE_FEES.fullmatch(low)) and (found["zh"] or bool(sold) != bool(bought)):
        sale = found["zh"] == "卖" if found["zh"] else bool(sold)
        if chinese:
            return f"{'卖' if sale else '买'}{name}那次手续费多少"
        return f"what did I pay in fees when I {'sold' if sale else 'bought'} {name}"
    if _OWN_PERCENT.fullmatch(low):
        return f"我的{name}浮动盈亏多少"
    if _WRITTEN_WHY.fullmatch(low) and bool(sold) != bool(bought):
        if chinese:
            return f"我为什么{'卖' if sold else '买'}{name}"
        return f"why did I {'sell' if sold else 'buy'} {name}"
    if _LOST_PERCENT.fullmatch(low):
        return f"我的{name}{'亏' if '亏' in low else '赚'}了多少"
    if sold or not bought:
        return ""
    if _DAYS_SINCE.fullmatch(low):
        return f"{name}我拿了多久" if chinese else f"how long have I held {name}"
    if _UP_SINCE.fullmatch(low):
        return f"{name}从我买进到现在涨了多少" if chinese else f"how much has {name} risen since I bought it"
    return ""
