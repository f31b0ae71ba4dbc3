"""Questions of the owner's about "it", and about the first or another place of a ranking before."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_ends import BARE_PLACE, place_in
from ia.agent.analyst.ask.follow_on import find_subject, read_before
from ia.agent.analyst.ask.follow_words import BARE, LONGEST, is_chinese
from ia.agent.analyst.ask.idea_words import find_name
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.ask.time_spans import find_time_spans
from ia.kernel.patterns import pattern

_OF_IT = tuple(
    (pattern(form, re.I), whole)
    for form, whole in (
        (r"^\W*(?:and |so )?how (?:many|much)(?: shares)?(?: of (?:it|them))?(?: do)? i (?:still |now |currently )?"
         r"(?P<did>own|hold|have)(?: now| left| still)*\W*$",
         "how many shares of {name} do I {did}?"),
        (r"^\W*(?:and |so |but )?do i (?:actually )?(?P<did>own|hold|have)(?: (?:it|any|some|them|any of it))*\W*$",
         "do I {did} {name}?"),
        (r"^\W*(?:那|那么)?我(?:现在|手里|还)*(?P<did>持有|买了|有)(?:没有?|它|过|着)*(?:吗|么|没有?|(?<=有没有)(?:持仓|持有|仓位|拿着?)(?:它|吗|呢)*)\W*$",
         "我{did}{name}吗"),
        (r"^\W*(?:and |so |but )?why did i (?:get (?:out|rid)|exit|dump|bail)"
         r"(?: (?:of|out|it|them|that))*(?P<did>)\W*$",
         "why did I sell {name}?"),
        (r"^\W*(?:and |so |but )?(?:what|where)(?:'s| is) it(?P<did>)(?: at| trading(?: at)?)?(?: right)? now\W*$",
         "price of {name} now"),
        (r"^\W*(?:and |so |but )?why did i (?P<did>buy|sell)(?: (?:it|them))?\W*$", "why did I {did} {name}?"),
        (r"^\W*(?:and |so |then |ok(?:ay)? |but )*"
         r"(?P<did>should i (?:sell|keep|hold)|(?:is it )?time to sell|do i sell)"
         r"(?: (?:it|them|now|then))*\W*$", "should I sell {name}?"),
        (r"^\W*(?:那|那么|所以|现在|我)*(?P<did>(?:要不要|该不该|应不应该|应该|需不需要|是不是该|要|该)(?:现在)?卖)"
         r"(?:掉|出|了)?(?:它|吗|么|呢|吧)*\W*$",
         "{name}要不要卖"),
        (r"^\W*(?:那|那么|那我|我)?(?:要是|如果|假如|假设)我?(?:当时|当初)?没有?(?P<did>卖)(?:掉|出|了)?[，,]?"
         r"(?:到)?(?:现在|今天)?(?:能|会|可以|该)*(?:多|少|再)?(?:赚|亏|值|有).*$",
         "如果我没卖{name}现在会多赚多少"),
        (r"^\W*(?:那|那么|后来)?我?(?:当时|当初|后来)?为(?:什么|何|啥)(?:会|要|又|还)*(?P<did>买|卖)(?:入|出|了|掉|的|进)*"
         r"(?:它|这只|呢|一部分|一半|一些)?\W*$",
         "我为什么{did}{name}"),
        (r"^\W*(?:any |the |what is the )?(?:latest |newest |recent )?news (?:on|about|of|for) (?:it|them)\W*$",
         "news on {name}"),
        (r"^\W*(?P<did>remind me to (?:check|look at|review|sell|buy|watch)) (?:it|them)(?P<rest>\b.*)$",
         "{did} {name}{rest}"),
        (r"^\W*(?:那|那么)?我(?:现在|还)?(?:持?有)(?:它)?(?:多少|几)(?P<did>[股手])\W*$", "我持有多少{did}{name}"),
        (r"^\W*(?:那|那么)?我(?:当时|当初)?为(?:什么|何)(?P<did>买|卖)(?:入|出|了)*(?:它|这只)\W*$",
         "我为什么{did}{name}"),
        (r"^\W*(?:and |so |what about |how about )*"
         r"since i (?P<did>first |last )?(?:bought|purchased|got)(?: (?:it|them))?\W*$",
         "how much did {name} change since I {did}bought {name}"),
        (r"^\W*(?:那|那么)?(?:从|自)?我(?P<did>)买(?:入|了|的)*(?:它)?(?:之后|以后|以来|后)(?:呢|到现在呢?|怎么样)\W*$",
         "{name}我买入以来涨了多少"),
        (r"^\W*(?:那|那么)?(?:从|自)?我?(?P<did>第一次|最后一次|首次)?买入?(?:它)?(?:以来|之后|至今|到现在)(?:呢|涨了多少)?\W*$",
         "{name}我{did}买入以来涨了多少"),
        (r"^\W*(?:它|这只)的?(?:有什么)?最?新?(?:的)?(?:消息|新闻|公告)\W*$", "{name}的新闻"),
        (r"^(?P<did>\W*(?:(?:明天|后天|今晚|下周|周[一二三四五])[^它]{0,8})?提醒我(?:去)?"
         r"(?:看看?|检查|卖|买|关注)一?下?)(?:它|这只)\W*$",
         "{did}{name}"),
    )
)  # fmt: skip
"""Questions and wishes of the owner's about the one security that was spoken of, which only a pronoun names."""
_OFF_LIST = pattern(
    r"^\W*(?:(?:no|oh|actually|ok(?:ay)?|sorry|never ?mind|on second thought|and|then|please)\b[,. ]*)*"
    r"(?:take|remove|drop|delete) (?:it|that)(?: one)?(?: (?:off|out|from|of|again|the|my|list|please))*\W*$"
    r"|^\W*(?:(?:算了|不了|不对|还是)[，, ]*)*(?:再|又|还是|把它|给我)*"
    r"(?:去掉|拿掉|删掉|删了|移除|移出|撤掉|拿下来|取消)(?:它|吧|了|关注)*\W*$",
    re.I,
)
_PUT_ON = pattern(
    r"\W*(?:(?:and|then|also|now|please|ok(?:ay)?)\b[, ]*)*(?:add|put in) (?P<en>.+?)"
    r"(?: (?:too|to it|as well|please|also))*\W*"
    r"|\W*(?:那|再|帮我|给我|也|请|把)*(?:加上?|添加|加个|加一个|加入)(?P<zh>[^，,。]{2,12}?)(?:吧|进去|进来)*\W*",
    re.I,
)
_ON_LIST = pattern(r"自选|关注|\bwatch|\btrack|\bfollow", re.I)
"""A wish to put a security on the watch list, and one to take it off again."""
_ALERTS = pattern(
    r"提醒|预警|通知我|告诉我|\balert|\b(?:tell|remind|warn) me (?:when|if|once)|\bnotify|\blet me know", re.I
)
_OF_ALERTS = pattern(
    r"\W*(?:and |then |please )*(?:(?:delete|remove|drop|cancel) the (?P<en>.{2,24}?) one"
    r"|which(?: one)? is (?P<near>nearest|closest|next)(?: to (?:firing|coming true))?)\W*"
    r"|\W*(?:那|请|帮我)*(?:(?:删掉?|删除|取消|去掉)(?P<zh>.{2,12}?)的(?:那个|那条)?|哪[一]?个(?:离得?)?(?P<zh_near>最近|最接近))\W*",
    re.I,
)
"""Of the alerts that were listed: which is nearest, and one that is to go."""
_NEW_LEVEL = pattern(
    r"\W*(?:(?:and|no|actually|ok(?:ay)?|please|sorry|rather|better|then)\b[, ]*)*"
    r"(?:change|raise|lower|set|move|make|bump|adjust|put) (?:it|that|(?:the|that) (?:level|price|alert))"
    r" (?:up |down )?(?:to |at )?[$¥]?(?P<en>\d[\d,]*(?:\.\d+)?)(?: (?:yuan|dollars|instead|please))*\W*"
    r"|\W*(?:不对|还是|那|再|算了|[，, ])*(?:把它)?(?:改成|改为|改到|调到|调成|换成)"
    r"(?P<zh>\d+(?:\.\d+)?)(?:元|块)?(?:吧)?\W*",
    re.I,
)
"""Another level for an alert that was wished for just now."""
_PRONOUN = pattern(r"它|这只|\b(?:it|them)\b", re.I)
_OVER_TIME = pattern(
    r"\b(?:highest|lowest|high|low|average|volume|draw-?down|volatil\w*|range|best|worst|biggest|largest|news"
    r"|dividends?)\b",
    re.I,
)
"""Figures of a stretch of time, which another stretch is wanted of."""


def name_pronoun(question: str, before: list[str], today: date) -> str:
    """Return a question of the owner's about "it" with the name of the one security that was spoken of at last.

    >>> day = date(2024, 3, 15)
    >>> name_pronoun("why did I buy it?", ["How is CATL doing?", "how many of them do I own?"], day)
    'why did I buy CATL?'
    >>> name_pronoun("明天提醒我看看它", ["茅台怎么样"], day)
    '明天提醒我看看茅台'
    >>> name_pronoun("make it 680", ["alert me when Moutai falls below 700"], day)
    'change my alert on Moutai to 680'
    """
    level = _NEW_LEVEL.fullmatch(question)
    if level and before and _ALERTS.search(before[-1]):
        of = find_mentions(simplify_question(before[-1]))
        to = "把{name}的提醒改成{level}" if level["zh"] else "change my alert on {name} to {level}"
        return to.format(name=of[0].said, level=level["zh"] or level["en"]) if len(of) == 1 else question
    if before and _ALERTS.search(before[-1]) and (told := _OF_ALERTS.fullmatch(question)):
        if told["near"] or told["zh_near"]:
            return "我的哪个提醒离触发最近" if is_chinese(question) else "which alert is closest to firing"
        whose = told["zh"] or told["en"]
        if find_mentions(whose) and not strip_mentions(whose).strip():
            return f"删掉{whose}的提醒" if is_chinese(question) else f"delete my {whose} alert"
    found = next(((match, whole) for form, whole in _OF_IT if (match := form.match(question))), None)
    if found is None and before and _OFF_LIST.match(question) and _ON_LIST.search(before[-1]):
        put = find_mentions(simplify_question(before[-1]))
        off = "把{name}移出自选" if is_chinese(question) else "take {name} off my watch list"
        return off.format(name=put[0].said) if len(put) == 1 else question
    if found is None and before and _ON_LIST.search(before[-1]) and (added := _PUT_ON.fullmatch(question)):
        named = find_mentions(added["en"] or added["zh"])
        if named and not strip_mentions(added["en"] or added["zh"]).strip(" 、,，和and"):
            said = added["en"] or added["zh"]
            return f"把{said}加入自选" if is_chinese(question) else f"add {said} to my watch list"
    if found is None or not before:
        return question
    if not _PRONOUN.search(question) and len(find_subject(before, today)) != 1:
        return question
    said = [mentions for each in before[-4:] if (mentions := find_mentions(simplify_question(each)))]
    parts = found[0].groupdict()
    of_time = "since I" in found[1] and not parts.get("did") and _OVER_TIME.search(before[-1]) is not None
    if not said or len(said[-1]) != 1 or of_time:
        return question
    return found[1].format(name=said[-1][0].said, did=parts.get("did") or "", rest=parts.get("rest") or "")


_POINTS = pattern(
    r"(?:它|第一(?:名|只|个)?|排第一的?|(?:刚才)?[这那]只(?:股票|票)?)(?!们)(?P<of>的?)"
    r"|\b(?:its|it|that one|the first one|the top one)\b(?! (?:up|down|all|worth|a|ok|possible|true|better)\b)",
    re.I,
)
_RANKS = pattern(
    r"最|前[\d一二三四五六七八九十]|第一|龙头|[涨跌]幅榜|\b(?:number one|strongest|weakest|highest|lowest"
    r"|largest|smallest|biggest|best|worst|most"
    r"|least|top|cheapest|losers?|gainers?)\b",
    re.I,
)


_BARE_OWN = pattern(
    r"\W*(?:那|我|当时|当初|是)*(?:(?:什么|啥)时候|哪一?天|几号|为(?:什么|啥|何)|多少钱|几块钱?"
    r"|什么价[格位]?)(?:买|卖|建仓)"
    r"(?:入|进|出|掉|下)?(?:的|了)?(?:它)?\W*"
    r"|\W*(?:那|我|现在|一共|总共|还)*(?:有|持有|拿了?|买了)(?:多少|几)[股手]\W*"
    r"|\W*(?:那|我|现在)*(?:有没有持仓|有持仓吗|持有吗|有没有拿|有没有买)\W*"
    r"|\W*(?:那|它|我|的)*成本价?(?:是|要)?(?:多少)?(?:钱)?\W*"
    r"|\W*(?:那|它|我|现在|目前|一共|总共|到现在)*(?:是)?(?:赚|亏|浮盈|浮亏|盈利|亏损)(?:了)?(?:多少|几)(?:钱|个点)?\W*"
    r"|\W*(?:那|它)*占(?:了|我)*(?:(?:总|全部|整个)?(?:资产|账户|仓位|组合)的?)?(?:比例|比重|几成|百分之几|多少)\W*"
    r"|\W*(?:那|它)*(?:现价|现在(?:的)?(?:股价|价格|收盘价)?)(?:是)?(?:多少)(?:钱)?\W*"
)
"""A question about a holding that names none: it is the first of the ranking before."""
_BARE_FIGURE = pattern(rf"\W*(?:那|的)*(?:{find_name('of a share')})(?:是|有)?(?:多少|几倍?)\W*", re.I)
"""A figure of a security that is named nowhere: of the first of the ranking before."""
_IN_SECTOR = pattern(
    r"(?:那|这)?(?:里面|其中|里头|当中)的?(?=.*(?:谁|哪|最|龙头))|(?:这|那|该)个?(?:板块|行业)(?:里面?"
    r"|中)?的?(?=.*(?:谁|哪|最|龙头))"
    r"|(?i:(?:and |so )?(?:(?:what|which|show me|list)(?: are)? )?(?:the )?(?:stocks|shares|companies"
    r"|names) (?:are |is )?"
    r"(?:inside|in (?:it|there|that one|that sector|that industry))[, ]*)"
)
_SECTOR_RANK = pattern(
    r"(?:板块|行业).{0,6}(?:[涨跌]幅榜|排行|排名|最[强好弱差猛惨火]|[领]?[涨跌]得?最|领[涨跌])"
    r"|最[强好弱差猛惨火]的?(?:是)?(?:哪个)?(?:板块|行业)|[涨跌]得?最[多猛狠凶厉害]{1,2}的(?:板块|行业)"
    r"|(?i:\b(?:strongest|weakest|best|worst|top|number one|leading)\b.{0,16}\b(?:sector|industry)\b"
    r"|\b(?:sector|industry)\b.{0,20}\b(?:strongest|weakest|best|worst|number one|most)\b)"
)


def _goes_on(said: str) -> bool:
    """Return True if a message pointed at the first of a ranking before it."""
    bare = _BARE_OWN.fullmatch(said) or _BARE_FIGURE.fullmatch(said)
    return bool(bare or _POINTS.search(said) or _IN_SECTOR.match(said))


def points_into(question: str, last: str) -> bool:
    """Return True if a bare question is about the first of a ranking of holdings or of the watch list.

    >>> points_into("赚了多少", "哪只持仓今天跌得最多"), points_into("赚了多少", "我的交易")
    (True, False)
    """
    bare = _BARE_OWN.fullmatch(question) or _BARE_FIGURE.fullmatch(question)
    return bool(bare and _RANKS.search(last) and _OF_STOCKS.search(last)) and not find_mentions(last)


_OF_STOCKS = pattern(r"持仓|持股|股票|自选|关注|\b(?:holdings?|positions?|stocks?|watch)\b", re.I)


def find_ranking(question: str, before: list[str], today: date) -> str:
    """Return the question before for a ranking, to the first of which a question points; "" for any other question.

    >>> find_ranking("它的市盈率呢", ["持仓里哪只涨得最多"], date(2024, 3, 15))
    '持仓股里涨幅最大的股票'
    >>> find_ranking("它的市盈率呢", ["茅台今年最高价"], date(2024, 3, 15))
    ''
    """
    pointed = _POINTS.search(question) or _BARE_OWN.fullmatch(question) or _BARE_FIGURE.fullmatch(question)
    inside = _IN_SECTOR.match(question)
    if (
        len(question) > LONGEST * (2 if inside else 1)
        or not before
        or not (pointed or inside)
        or find_mentions(question)
    ):
        return ""
    while len(before) > 1 and _goes_on(before[-1]):
        before = before[:-1]  # it pointed at the same ranking
    last = read_before(before, today)[0]
    if inside and _SECTOR_RANK.search(last):
        return last
    if pointed is None:
        return ""
    return last if _RANKS.search(last) and not find_mentions(last) else ""


_MOVED = pattern(
    r"\W*(?:and |so )?(?:by )?how much (?:did |has |is |was )?(?:it|that one|the first one) (?:r[io]se|risen"
    r"|gain(?:ed)?|f[ae]ll|fallen"
    r"|dropp?(?:ed)?|lost|lose|up|down|do|did|changed?|moved?)(?: today)?\W*",
    re.I,
)
"""Asks how much the first of a ranking of industries moved."""


def put_in_place(question: str, code: str, ranking: str = "", today: date | None = None) -> str:
    """Return a question with a code, or the name of an industry, in the place of the pronoun.

    ranking  the question that the pronoun points into, and the day of today, for its time

    >>> put_in_place("它的市盈率呢", "600519.SH"), put_in_place("what is its PE", "AAPL.US")
    ('600519.SH的市盈率呢', "what is AAPL.US's PE")
    >>> put_in_place("什么时候买的", "600519.SH"), put_in_place("里面涨得最多的是谁", "白酒")
    ('600519.SH我什么时候买的', '白酒里涨得最多的是谁')
    """
    if inside := _IN_SECTOR.match(question):
        rest = question[inside.end() :]
        return f"{code} stocks, {rest}".strip(" ,") if inside[0].isascii() else f"{code}里{rest}"
    if "." not in code and _MOVED.fullmatch(question):
        spans = find_time_spans(ranking, today) if today else []
        return f"how did {code} do {' '.join(span.said for span in spans) or 'today'}"
    found = _POINTS.search(question)
    if found is None and _BARE_FIGURE.fullmatch(question):
        return f"{code}{re.sub('^(?:那|的)+', '', question)}"
    if found is None:
        bare = re.sub("^(?:那|我|它)+", "", question)
        said = f"{code}占我账户多少" if bare.startswith("占") else f"{code}我{bare}"
        return said if _BARE_OWN.fullmatch(question) else question
    end = "'s" if found[0].lower() == "its" else found["of"] or ""
    return f"{question[: found.start()]}{code}{end}{question[found.end() :]}"


def ask_place(question: str, before: list[str], today: date) -> str:
    """Return the question before for another place of its ranking of holdings; "" where none is asked for.

    >>> ask_place("那第二大的呢", ["我最大的持仓是哪只"], date(2024, 3, 15))
    '我第二大的持仓是哪只'
    """
    if len(question) > BARE or not before or not BARE_PLACE.match(question):
        return ""
    return place_in(question, read_before(before, today)[0])
