"""Questions that go on with the one before: "and last month?", "那市净率呢", "工行呢". They are read as whole ones."""

import re
from datetime import date, timedelta

from ia.agent.analyst.ask.follow_steps import find_next_step, is_chinese, name_same
from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.ask.several import find_term
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, TimeSpan, blank_spans, find_time_spans
from ia.domain.speech.acts import performs_act
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

LONGEST = 40
"""Characters of the longest question that can go on with another one."""
_LEAD = pattern(
    r"^\W*(?:(?:and|so|then|ok(?:ay)?|also|but|now)\b[, ]*)*(?:(?:what|how) about\b|(?:and|then|also)\b"
    r"|now (?=[\w ]{2,24}['’]s\W*$))"
    r"|^那么?|^还有|^然后",
    re.I,
)
_TAIL = pattern(r"呢\W*$|\bthen\W*$", re.I)
_THEM = pattern(
    r"[它他她]们|[它他她]俩|这俩|那俩|两者|二者|[这那]?两[只个家支]"
    r"|\b(?:them|they|both|those|these(?: two)?|their|the two)\b",
    re.I,
)
_ITS = pattern(r"\b(?:its|it)\b|[它他她]的?|该股", re.I)
_NOTHING = pattern(
    r"(?:['’]s\b|\b(?:on|in|at|for|of|the|is|was|it|and|its|over)\b|就看|只看|光看|单看|[的是在呢那\W_])*", re.I
)
_NOW = pattern(r"(?:现在|目前|当前|眼下|此刻|\b(?:right )?now\b|\bcurrently\b)", re.I)
_AGAINST = pattern(r"(?:比|跟|和|与|较|\bcompared (?:to|with)\b|\bversus\b|\bvs\.?|\bthan\b|相比|比较|呢)", re.I)
_EXTENT_OF = pattern(r"(?:的时候)?(?:[涨跌]|[多少高低])了?(?:多少|几)?(?:个?点|钱|[个只])?(?:吗|没有?)?\W*$")
_WHICH = pattern(
    r"^\W*(?:哪|谁|最|第一|which|who"
    r"|(?:by |with )?(?:the )?(?:highest|lowest|best|worst|biggest|largest|smallest|cheapest|priciest|dearest|most"
    r"|least)\b)",
    re.I,
)
_LIST = pattern(r"(?:我的?)?(?:自选股?|关注列表|持仓股?)|\bmy (?:watch ?list|holdings|positions)\b", re.I)
_VOLUME = pattern(r"成交量|\bvolume\b", re.I)
_PRICE = pattern(
    r"价|收盘|收(?=了?(?:多少|在|于|几))|多少点|多少钱|涨|跌|点位"
    r"|\b(?:price|close[ds]?|level|up|down|r[io]se|fell|fall)\b",
    re.I,
)
_ELSEWHERE = pattern(
    r"大盘|市场|股市|两市|沪市|深市|[Aa]股|港股|美股|指数|行业|板块|概念|赛道|[\u4e00-\u9fff]股(?!价|息|本|东|票"
    r"|份|权|数)"
    r"|哪些|几[只家]|涨停的|跌停的|涨幅榜|跌幅榜|龙虎榜|主线|交易日|开市|开盘吗|放假|休市"
    r"|我|咱|账户|持仓|仓位|组合|现金|任务|自选|关注|北向|融资融券|解禁"
    r"|\b(?:i|my|me|mine|we|our|markets?|stocks|account|portfolio|holdings?|positions?|cash|tasks?|watch ?list"
    r"|sectors?"
    r"|industr\w+|index|indices|you|your|gainers|losers|holidays?)\b",
    re.I,
)
"""Words of something else than a security: the market, an industry, the owner's account, ia itself."""
_MEANT = pattern(r"什么|解释|意思|\bwhat(?:'s| is| are| does)\b|\bexplain\b|\bmean", re.I)
_COMPARED = pattern(
    r"比|较|哪[个只家]|谁"
    r"|\b(?:compar\w*|versus|vs\.?|against|(?:stack|measure)s? up|side by side|next to"
    r"|than)(?=\W|$)",
    re.I,
)
"""What a comparison with one more security has in it."""
_COMPARING = pattern(
    r"(?:怎么样|怎样|如何|比较|相比|对比|比|较|起来|一下|一比|看看|现在|结果|哪一?[个只家]|谁|更|值得|强|好|差|和"
    r"|与|跟|同|那|它|这只|也|再|请|帮我|的话|会|呢|吧|吗"
    r"|\b(?:and|so|then|now|ok(?:ay)?|but|please|can|could|you|let'?s|me|i|want|to|how|what|if|about|does|do|did"
    r"|is|are|it|its|that|this"
    r"|one|stock|share|the|a|in|comparison|compar(?:e[ds]?|ing)|with|against|versus|vs|(?:stack|measure)s?|up|look"
    r"|side|by|next|put|set"
    r"|(?:better|worse|stronger|weaker)(?= than)|than)\b|\W|_)*",
    re.I,
)
"""Words of which a comparison with one more security consists: "compare it with CATL", "和宁德时代比呢"."""
_MEASURE = pattern(
    r"市[盈净销]率|市值|股息|分红|[涨跌]|收盘|开盘|价|成交|换手|营收|收入|利润|毛利|净利|增[长速]|负债|现金流|波动"
    r"|回撤|振幅"
    r"|(?<![a-z])(?:p/?e|p/?b|roe|eps|price|close[ds]?|volume|turnover|dividend|yield|revenue|profit\w*"
    r"|margin|debt|growth"
    r"|volatil\w*|draw-?down|r[io]se|f[ae]ll|market cap\w*|earn\w*)(?![a-z])",
    re.I,
)
"""A figure, of which one more security has one too."""
_OF_VIEW = (
    (
        r"(?:那|那么|现在|请问|我|还)*(?:(?:可以|可不可以|能|能不能|能否|应该|应不应该|该不该|该|要不要|要|值得"
        r"|值不值得|适合|是否)+(?:现在|再)?"
        r"(?:买入|买进|买|入手|建仓|上车)|买不买|(?:现在)?买(?:入)?(?:合适|划算))(?:吗|么|呢|了|它|还是不买)*",
        r"(?:and |so |then |but |ok(?:ay)? )*(?:(?:is|would|was) (?:it|that|this"
        r"|the stock) (?:now )?(?:be )?(?:still )?(?:a |worth )(?:good )?(?:buy(?:ing)?|purchase)"
        r"|(?:should|can|could|would|may|shall) (?:i|we|you) (?:now )?buy(?: (?:it|some|this|now|any))*"
        r"|worth buying|(?:is it )?a buy|buy or (?:not|wait|pass)|buy it)(?: now| or not| then)*",
        "{name}可以买吗", "is {name} a buy?",
    ),
    (
        r"(?:那|那么|现在|请问|我|还)*(?:(?:可以|最多|能|应该|该|大概|建议)*买(?:入)?(?:多少|几)(?:股|手|钱)?"
        r"|(?:多少股|几手|多少手)|仓位多大|买多大(?:仓位)?)(?:合适|好|比较好|呢|吗|啊)*",
        r"(?:and |so |then |but |ok(?:ay)? )*how (?:many|much)(?: of (?:it"
        r"|them))?(?: shares?)?(?: of it)?(?: (?:should|can|could|may|would|do|shall) (?:i|we|you) (?:buy|get|take"
        r"|purchase))?(?: of it| then| at most)*",
        "{name}买多少股", "how many shares of {name} should I buy?",
    ),
    (
        r"(?:那|那么)*(?:(?:在)?(?:什么|哪些|怎样的?)(?:情况|条件|事情?|东西|因素)?(?:下|之下)?|(?:发生)?什么|怎样"
        r"|如何|什么时候)(?:才)?(?:你)?(?:会|能|才会|可以|可能)?(?:让|使|令)?(?:你|您)?(?:会|才会)?"
        r"(?:改变|推翻|修正|动摇|放弃)(?:你|您)?(?:的|这个|对它的)*(?:看法|观点|判断|想法|结论|主意)?(?:呢|吗)?",
        r"(?:and |so |then |but |ok(?:ay)? )*(?:what|when|which (?:things|events)) (?:would|could|will|might|can"
        r"|should)(?: you)? (?:make you |have to happen to )?(?:change|alter|revise|overturn|invalidate)"
        r"(?: (?:your|the|this|that|its))* ?(?:mind|view|opinion|judge?ment|verdict|it)?(?: (?:about|of|on) it)?"
        r"|what changes (?:your|the) (?:mind|view)|what would prove you wrong",
        "什么会改变对{name}的看法", "what would change your view of {name}?",
    ),
)  # fmt: skip
"""Questions that are asked after a view, in Chinese and English, and the same as whole ones."""
_VIEWS = tuple((pattern(rf"\W*(?:{zh}|{en})\W*", re.I), zh_whole, en_whole) for zh, en, zh_whole, en_whole in _OF_VIEW)
_PERIOD_BEFORE = pattern(
    r"(?:in |for |during )?the (?P<en>year|month) (?:before|prior)(?: that)?"
    r"|(?:(?:再|再往)(?:前|上)(?:一|1)?|(?:前|上)(?:一|1))个?(?P<zh>年|月)(?:的|度)?",
    re.I,
)
"""The year, or the month, before the one that was spoken of."""
_WHICH_ONE = pattern(r"^\W*(?:哪一?[个只家支]|谁|which(?! (?:stock|share|sector|day|month|year|industr))|who)", re.I)
_BARE = 24
"""Characters of a question that is but the name of a figure."""


def is_bare(question: str) -> bool:
    """Return True if a question may be but a figure of the security that was spoken of: "市净率", "dividend yield"."""
    return len(question) <= _BARE and not _MEANT.search(question) and not _ELSEWHERE.search(question)


def find_subject(before: list[str], today: date) -> list[Mention]:
    """Return the securities that the questions before were about at last; [] where that was something else.

    >>> day = date(2024, 3, 15)
    >>> [each.code for each in find_subject(["茅台市盈率", "市净率"], day)]
    ['600519.SH']
    >>> find_subject(["茅台", "大盘今天涨了吗"], day)
    []
    """
    return _named_in(_read_before(before, today)[0])


def _named_in(text: str) -> list[Mention]:
    """Return what a question is about: an index beside the owner's account is only what that is measured by."""
    named = find_mentions(text)
    if _ELSEWHERE.search(strip_mentions(text)) and any(each.symbol.kind == "index" for each in named):
        return [each for each in named if each.symbol.kind != "index"]
    return named


_WHY = (
    r"why(?: so(?: (?:few|many|little|much))?| is that| not| did it (?:fail|pass)| (?:only )?\d[\d,]*(?: shares)?)?"
    r"|how (?:so|come)|what for"
    r"|为(?:什么|啥)(?:(?:置信度|把握|信心)(?:这么|很|比较)?[低高]|(?:是|这么|才|只(?:有|能买)?)?(?:[少多]|\d[\d,]*股?)"
    r"|(?:没有?|不)(?:通过|过|能买|行|可以))?"
    r"|凭什么|怎么说|何以见得|(?:理由|依据|原因)(?:是什么|呢)?"
)
_ASKS_WHY = pattern(rf"\W*(?:(?:but|and|so|ok(?:ay)?)\b[, ]*)?(?:{_WHY})(?:呢|吗|啊)?\W*", re.I)
_ASIDE = pattern(
    r"\W*(?:(?:but|and|so|ok(?:ay)?)\b[, ]*)?"
    rf"(?:{_WHY}|(?:many )?thanks?(?: you)?(?: a lot)?|thank you|great|谢谢你?|多谢|好的?)"
    r"(?:呢|吗|啊)?\W*",
    re.I,
)
"""What says nothing of what the next question is about."""
_TONGUE = (
    ("en", r"(?:in|into) english|用?(?:英文|英语)(?:回答|说|讲|回复|写)?(?:一遍|一下|吧)?"),
    ("zh", r"(?:in|into) (?:chinese|mandarin)|用?(?:中文|汉语|普通话)(?:回答|说|讲|回复|写)?(?:一遍|一下|吧)?"),
)
_SAY = (
    r"(?:(?:can|could|would) you |please |and |now |请|再|麻烦|能不能|可以)*"
    r"(?:(?:say|write|repeat|give|answer|tell me|translate)\b(?: (?:it|that|this|me|the same))* ?)?"
)
_POLITE = r"(?:[, ]*(?:please|thanks?|吗|好吗))?\W*"
_WISHES = tuple(
    (
        lang,
        pattern_by_letters(rf"(?P<rest>.*?)[\s,，、;；。.?？!！—–-]*(?<![a-z]){_SAY}(?:{form}){_POLITE}", re.I | re.S),
    )
    for lang, form in _TONGUE
)


def split_language_wish(text: str) -> tuple[str, str]:
    """Return a message without the language in which it wants its answer, and that language; "" where it wants none.

    >>> split_language_wish("in English please"), split_language_wish("茅台现价多少，用英文回答")
    (('', 'en'), ('茅台现价多少', 'en'))
    >>> split_language_wish("How is BYD?"), split_language_wish("What is CATL's price? Answer in Chinese.")
    (('How is BYD?', ''), ("What is CATL's price", 'zh'))
    """
    for lang, form in _WISHES:
        if len(text) <= LONGEST * 4 and (found := form.fullmatch(text)):
            return found["rest"].strip(), lang
    return text, ""


_CHOICE = pattern(
    r"\W*(?:i mean |take |just )?(?:the )?(?:"
    r"((?:first|1st|former)(?: one)?|第[一1](?:只|个|家|支|项)?|(?:number )?1|前者)"
    r"|((?:second|2nd|latter)(?: one)?|第[二2](?:只|个|家|支|项)?|(?:number )?2|后者)"
    r"|((?:third|3rd)(?: one)?|第[三3](?:只|个|家|支|项)?|(?:number )?3)"
    r"|((?:fourth|4th)(?: one)?|第[四4](?:只|个|家|支|项)?|(?:number )?4)"
    r")(?:的|吧)?\W*",
    re.I,
)


def read_ordinal(text: str) -> int | None:
    """Return which of several a message chooses, from 0; None where it chooses none.

    >>> read_ordinal("the second one"), read_ordinal("第一只"), read_ordinal("BYD")
    (1, 0, None)
    """
    found = _CHOICE.fullmatch(text)
    return found.lastindex - 1 if found and found.lastindex else None


def asks_why(text: str) -> bool:
    """Return True if a message asks for the grounds of the answer before it, and for nothing else.

    >>> asks_why("Why?"), asks_why("为什么这么少？"), asks_why("为什么没通过"), asks_why("why did CMB fall?")
    (True, True, True, False)
    """
    return _ASKS_WHY.fullmatch(text) is not None


def drop_asides(before: list[str]) -> list[str]:
    """Return the questions before without thanks, "why?" and wishes for a language: they name no subject."""
    return [said for said in before if not _ASIDE.fullmatch(said) and split_language_wish(said)[0]]


def _read_before(before: list[str], today: date) -> tuple[str, list[Mention]]:
    """Return the last of some questions as a whole one, and the securities that they named, the newest last."""
    whole = ""
    recent: dict[str, Mention] = {}
    for said in drop_asides(before)[-6:]:
        done = _complete(said, whole, list(recent.values()), today)
        if done == said and is_bare(said) and not find_mentions(said):
            done = _attach(_named_in(whole), said)
        whole = simplify_question(done)
        for each in find_mentions(whole):
            recent.pop(each.code, None)
            recent[each.code] = each
    return whole, list(recent.values())


def complete_question(question: str, before: list[str], today: date) -> str:
    """Return a question as a whole one: with the security, the time or the figure that it takes from those before it.

    >>> day = date(2024, 3, 15)
    >>> complete_question("and last month?", ["BYD price"], day)
    'BYD price last month'
    >>> complete_question("工行呢", ["平安银行市净率"], day)
    '工行市净率'
    >>> complete_question("How about on 1 March?", ["BYD price", "and last month?"], day)
    'BYD price on 1 March'
    >>> complete_question("那它们去年涨跌呢", ["茅台和五粮液谁贵"], day)
    '茅台、五粮液去年涨跌'
    """
    whole, recent = _read_before(before, today)
    done = _complete(question, whole, recent, today)
    plain = simplify_question(question)
    if done == question and whole and plain != question:
        again = f"{plain}呢" if question.rstrip("?？ 。").endswith("呢") else plain
        said = _complete(again, whole, recent, today)
        done = question if said == again else said
    return _better_then(done, whole, today) or done


_OF_IT = tuple(
    (pattern(form, re.I), whole)
    for form, whole in (
        (r"^\W*(?:and |so )?how (?:many|much)(?: shares)?(?: of (?:it|them))? do i (?P<did>own|hold|have)\W*$",
         "how many shares of {name} do I {did}?"),
        (r"^\W*(?:and |so |but )?do i (?:actually )?(?P<did>own|hold|have)(?: (?:it|any|some|them|any of it))*\W*$",
         "do I {did} {name}?"),
        (r"^\W*(?:那|那么)?我(?:现在|手里|还)*(?P<did>持有|买了|有)(?:没有?|它|过|着)*(?:吗|么|没有?)\W*$",
         "我{did}{name}吗"),
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
_ON_LIST = pattern(r"自选|关注|\bwatch|\btrack|\bfollow", re.I)
"""A wish to put a security on the watch list, and one to take it off again."""
_PRONOUN = pattern(r"它|这只|\b(?:it|them)\b", re.I)


def name_pronoun(question: str, before: list[str], today: date) -> str:
    """Return a question of the owner's about "it" with the name of the one security that was spoken of at last.

    >>> day = date(2024, 3, 15)
    >>> name_pronoun("why did I buy it?", ["How is CATL doing?", "how many of them do I own?"], day)
    'why did I buy CATL?'
    >>> name_pronoun("明天提醒我看看它", ["茅台怎么样"], day)
    '明天提醒我看看茅台'
    """
    found = next(((match, whole) for form, whole in _OF_IT if (match := form.match(question))), None)
    if found is None and before and _OFF_LIST.match(question) and _ON_LIST.search(before[-1]):
        put = find_mentions(simplify_question(before[-1]))
        off = "把{name}移出自选" if is_chinese(question) else "take {name} off my watch list"
        return off.format(name=put[0].said) if len(put) == 1 else question
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


_OVER_TIME = pattern(
    r"\b(?:highest|lowest|high|low|average|volume|draw-?down|volatil\w*|range|best|worst|biggest|largest|news|dividends?)\b",
    re.I,
)
"""Figures of a stretch of time, which another stretch is wanted of."""
_POINTS = pattern(
    r"(?:它|第一(?:名|只|个)?|排第一的?|(?:刚才)?[这那]只(?:股票|票)?)(?!们)(?P<of>的?)"
    r"|\b(?:its|it|that one|the first one|the top one)\b(?! (?:up|down|all|worth|a|ok|possible|true|better)\b)",
    re.I,
)
_RANKS = pattern(
    r"最|前[\d一二三四五六七八九十]|第一|龙头|[涨跌]幅榜|\b(?:highest|lowest|largest|smallest|biggest|best|worst|most"
    r"|least|top|cheapest|losers?|gainers?)\b",
    re.I,
)


def find_ranking(question: str, before: list[str], today: date) -> str:
    """Return the question before for a ranking, to the first of which a question points; "" for any other question.

    >>> find_ranking("它的市盈率呢", ["持仓里哪只涨得最多"], date(2024, 3, 15))
    '持仓里哪只涨得最多'
    >>> find_ranking("它的市盈率呢", ["茅台今年最高价"], date(2024, 3, 15))
    ''
    """
    if len(question) > LONGEST or not before or not _POINTS.search(question) or find_mentions(question):
        return ""
    last = _read_before(before, today)[0]
    return last if _RANKS.search(last) and not find_mentions(last) else ""


def put_in_place(question: str, code: str) -> str:
    """Return a question with a code in the place of the pronoun.

    >>> put_in_place("它的市盈率呢", "600519.SH"), put_in_place("what is its PE", "AAPL.US")
    ('600519.SH的市盈率呢', "what is AAPL.US's PE")
    """
    found = _POINTS.search(question)
    if found is None:
        return question
    end = "'s" if found[0].lower() == "its" else found["of"] or ""
    return f"{question[: found.start()]}{code}{end}{question[found.end() :]}"


def names_subject(text: str) -> bool:
    """Return True if a question names what it is about, other than a security: the market, an industry, the account."""
    return _ELSEWHERE.search(text) is not None


_OWNER = pattern(r"我(?:的|们)?|咱们?|\b(?:i|my|me|mine|we|our)\b", re.I)


def names_owner_alone(text: str) -> bool:
    """Return True if a text speaks of its owner and names nothing of theirs: "how much have I made", not "my cash".

    >>> names_owner_alone("我赚了多少"), names_owner_alone("我的现金有多少"), names_owner_alone("它的市盈率")
    (True, False, False)
    """
    return _OWNER.search(text) is not None and not names_subject(_OWNER.sub(" ", text))


_AMEND = pattern(
    r"^\W*(?:(?:不对|不是|错了|搞错了?|说错了?|弄错了?|哦不|(?:我|刚才|我刚才)说错了?|更正一?下?)[，,。!！ ]*)?"
    r"(?:我(?:刚才?|其实)?(?:想?问|说|指|要问|想说|看)的?(?:是|的是)|我的意思是|是说|应该(?:是|问)|那?(?:换成|改成|换做|换|改为|改问)|是)"
    r"\s*(?P<core>[^，,。]+?)(?:的|吧|呢)?\W*$"
)
"""What amends the question before: another security, or another time, is meant."""
_NTH = pattern(
    r"^\W*(?:那|那么)?(?:(?P<first>前者|第[一1](?:只|个|家|支))|(?P<second>后者|第[二2](?:只|个|家|支))"
    r"|(?P<third>第[三3](?:只|个|家|支)))的?(?P<rest>\S.*)$"
)
"""One of several that the question before named, in its order."""
_BOTH = pattern(
    r"^\W*(?:那|那么|把|就)?(?:它们|这|那)?(?:两个|两只|两者|俩|二者)?(?:放一起)?"
    r"(?:对?比(?:一下|一比|较一?下|较|比看)|对比|比一?下)(?:看看|看|吧|呢)?\W*$"
)
_BAR_SIZE = pattern(r"^\W*那?(?P<size>[日周月])(?:线|[kK]线?)(?:的|级别的?|呢)*\W*$")
_HOW_MUCH_MOVED = pattern(r"^\W*那?(?:一共|总共)?[涨跌赚亏]了?(?:多少|几个?点)(?:钱|呢)?\W*$")
_IN_A_ROW = pattern(r"连续?(?:上|下)?[涨跌]了?(?:几|多少)")
_RANKED_ONE = pattern(r"谁|哪一?[只个家支]")


_BARE_PLACE = pattern(
    r"^\W*(?:那|那么)?(?:排)?第(?P<n>[二三四2-4])(?:大|名|位|高|多|重|个|只)?(?:的)?"
    r"(?:呢|是谁|是哪[只个]|是什么|股票|持仓|[?？])*\W*$"
)
_FIRST = pattern(
    r"前(?:[二两三四五六七八九十]|\d+)(?=大)|最(?=[大重赚亏惨好差牛强多])|第[一二三四](?=[大重赚亏惨好差牛强多])"
)
_OWN_RANKING = pattern(r"持仓|仓位|持有|重仓|我|赚|亏")


def ask_place(question: str, before: list[str], today: date) -> str:
    """Return the question before for another place of its ranking of holdings; "" where none is asked for.

    >>> ask_place("那第二大的呢", ["我最大的持仓是哪只"], date(2024, 3, 15))
    '我第二大的持仓是哪只'
    """
    if len(question) > _BARE or not before or not _BARE_PLACE.match(question):
        return ""
    return _place_in(question, _read_before(before, today)[0])


def _place_in(text: str, last: str) -> str:
    """Return the last question for the place that a text names; "" where it is no ranking, or the text names none.

    >>> _place_in("第三的呢", "我的前三大持仓是哪些"), _place_in("第二呢", "茅台和五粮液谁贵")
    ('我的第三大持仓是哪些', '')
    """
    found = _BARE_PLACE.match(text)
    if found is None or not _OWN_RANKING.search(last) or find_mentions(last) or len(_FIRST.findall(last)) != 1:
        return ""
    place = found["n"].translate(str.maketrans("234", "二三四"))
    return _FIRST.sub(f"第{place}", last)


def _amend(text: str, last: str, recent: list[Mention], today: date) -> str:
    """Return what amends the question before, or picks of it, in words that go on with it; other texts as they are.

    >>> day = date(2024, 3, 15)
    >>> _amend("不对，我问的是茅台", "五粮液市盈率", [], day), _amend("我说的是3月份", "茅台上个月涨跌", [], day)
    ('茅台呢', '3月份呢')
    >>> _amend("前者的市净率", "招行和平安银行谁贵", [], day), _amend("周线的", "茅台MACD", [], day)
    ('招行市净率', '茅台周线MACD')
    """
    named = _named_in(last)
    if placed := _place_in(text, last):
        return placed
    if found := _AMEND.match(text):
        bare = strip_mentions(found["core"])
        spans = [span for span in find_time_spans(bare, today) if span.kind != UNREAD]
        if (spans or find_mentions(found["core"])) and _NOTHING.fullmatch(blank_spans(bare, spans)):
            return f"{found['core'].strip()}呢"
    if (found := _NTH.match(text)) and found.lastgroup:
        at = next(n for n, name in enumerate(("first", "second", "third")) if found[name])
        if len(named) > 1 and at < len(named):
            return named[at].said + found["rest"].strip()
    if _BOTH.match(text) and len(recent) > 1:
        names = [each.said for each in recent[-2:]]
        if _MEASURE.search(strip_mentions(last)) and len(find_mentions(last)) == 1:
            return strip_mentions(last, "\ue000").replace("\ue000", "、".join(names), 1).replace("\ue000", "")
        return f"比较{'和'.join(names)}"
    if (found := _BAR_SIZE.match(text)) and len(named) == 1:
        plain = re.sub(r"[日周月](?:线|[kK]线?)", "", strip_mentions(last, "\ue000"), count=1)
        return plain.replace("\ue000", f"{named[0].said}{found['size']}线", 1).replace("\ue000", "")
    if _HOW_MUCH_MOVED.match(text) and (_RANKED_ONE.search(last) or _IN_A_ROW.search(last)):
        return last
    return text


def _complete(text: str, last: str, recent: list[Mention], today: date) -> str:
    if not last or text.startswith("/"):
        return text
    if done := _change_again(text, last) or _against_another(text, last):
        return done
    if len(text) <= LONGEST and (same := name_same(text, today)):
        text = f"{same}呢" if is_chinese(same) else f"and {same}?"
    if is_chinese(text) and len(text) <= LONGEST:
        amended = _amend(text, last, recent, today)
        if amended != text and not amended.endswith("呢"):
            return amended
        text = amended
    return _go_on(text, last, recent, today)


_BETTER = pattern(
    r"\b(?:did|has|have|was|done|performed|rose|fell|gained|lost)\b.{0,20}\b(?:better|worse|best|worst|more|less|most|least)\b"
    r"|(?:谁|哪一?[个只家支])(?:的)?(?:表现|涨|跌)?(?:更|比较)?(?:强|好|差|弱|多|少|涨得|跌得)",
    re.I,
)
"""Asks which of two did better or worse."""


def _better_then(text: str, last: str, today: date) -> str:
    """Return which of two did better, over the time of the question before; "" for another text, or one with a time.

    >>> _better_then("which of CATL and BYD did better", "CATL and BYD this year", date(2024, 3, 15))
    'which of CATL and BYD did better this year'
    """
    named = find_mentions(text)
    if len(named) < 2 or len(text) > LONGEST * 3 or _BETTER.search(text) is None:
        return ""
    if not {each.code for each in named} <= {each.code for each in find_mentions(last)}:
        return ""
    spans = [span for span in find_time_spans(_blank_mentions(last), today) if span.kind != UNREAD]
    if len(spans) != 1 or find_time_spans(_blank_mentions(text), today):
        return ""
    said = spans[0].said
    return f"{said}{text}" if is_chinese(said) else f"{text.strip(' ?')} {said}"


_TASK_VERB = pattern(
    r"取消|停止|停掉|停用|关掉|暂停|先停(?:一[停下])?|停一[停下]|恢复|重启|启用"
    r"|\b(?:pause|resume|unpause|stop|cancel|disable|enable)\b",
    re.I,
)
_CHANGE_AGAIN = pattern(
    r"\W*(?:那就?|那么|现在|再|又|还是)*(?:[把将]?它|[把将]?这个(?:任务)?)?(?P<zh>恢复|暂停|启用|停用|取消)"
    r"(?:它|这个(?:任务)?|运行)?(?:吧|了|一下)*\W*"
    r"|\W*(?:(?:and|then|now|ok|okay),? )*(?P<en>resume|pause|enable|disable|cancel)(?: (?:it|that|this))?"
    r"(?: (?:again|now|please))*\W*",
    re.I,
)


def _change_again(text: str, last: str) -> str:
    """Return a wish to change the task that was spoken of, which is not named again; "" for another text.

    >>> _change_again("再恢复吧", "暂停daily-reminder"), _change_again("resume it", "pause the daily review")
    ('恢复daily-reminder', 'resume the daily review')
    """
    found = _CHANGE_AGAIN.fullmatch(text)
    if found is None or not performs_act(last, "task_change"):
        return ""
    rest = _TASK_VERB.sub("", last).strip()
    return f"{found['zh']}{rest}" if found["zh"] else f"{found['en']} {rest}"


_AGAINST_NAMED = pattern(
    r"\W*(?:那|那么)*(?:比|跟|和|与)[^，,。]{1,12}?(?:相?比)?[，,]?(?:是|要)?(?P<side>高|低|大|小|多|少|贵|便宜)还是(?:更)?"
    r"(?:高|低|大|小|多|少|贵|便宜)[呢啊一点些]*\W*"
    r"|\W*(?:那|那么)*(?:跟|和|与|同|比起?)[^，,。]{1,12}?(?:相?比(?:较|起来)?)?[，,]?(?:哪一?[个只家]|谁)(?:更|比较)?"
    r"(?P<zh>贵|便宜|高|低|大|小)(?:一?[些点])?[呢啊吗]*\W*"
    r"|\W*(?:and |so )?(?:is (?:it|that|this)|which (?:one )?is) (?P<en>cheaper|more expensive|higher|lower),?"
    r" (?:than|compared (?:with|to)|against|vs\.?)(?: that of)? .{2,40}",
    re.I,
)


def _against_another(text: str, last: str) -> str:
    """Return a question that holds another security against the one that was spoken of; "" for another text.

    >>> _against_another("跟迈瑞比哪个便宜", "恒瑞市盈率多少"), _against_another("跟五粮液比哪个高", "茅台市盈率")
    ('恒瑞和迈瑞哪个更便宜', '茅台和五粮液哪个市盈率更高')
    """
    found, named = _AGAINST_NAMED.fullmatch(text), _named_in(last)
    if found is None or len(named) != 1 or len(others := find_mentions(text)) != 1 or others[0].code == named[0].code:
        return ""
    more, measure = found["zh"] or found["side"] or found["en"].casefold(), _MEASURE.search(strip_mentions(last))
    priced = more in ("贵", "便宜", "cheaper", "more expensive")
    if not priced and measure is None:
        return ""
    if not found["en"]:
        return f"{named[0].said}和{others[0].said}哪个{'' if priced or not measure else measure[0]}更{more}"
    what = "is" if priced or not measure else f"has the {more} {measure[0]}"
    return f"which {what}{f' {more}' if priced else ''}, {named[0].said} or {others[0].said}"


_INDICES = (
    (pattern(r"标普"), "SPX.US"),
    (pattern(r"上证|沪指|沪市|(?:the )?shanghai(?: one)?", re.I), "000001.SH"),
    (pattern(r"深证|深成|深市|(?:the )?shenzhen(?: one)?", re.I), "399001.SZ"),
    (pattern(r"创业板|(?:the )?chinext", re.I), "399006.SZ"),
    (pattern(r"科创板|(?:the )?star(?: 50| board| market)?", re.I), "000688.SH"),
)
"""Names by which indices are called where a question goes on (标普呢), and their codes."""


def _name_index(text: str, step: str) -> str:
    """Return a question that goes on with an index alone by the code of that index."""
    code = next((code for words, code in _INDICES if words.fullmatch(step)), "")
    return text.replace(step, code, 1) if code and step != text else text


def _go_on(text: str, last: str, recent: list[Mention], today: date) -> str:
    """Return a text that goes on with the question before as a whole one."""
    led, tailed = _LEAD.search(text), _TAIL.search(text)
    step = _TAIL.sub("", _LEAD.sub("", text, count=1)).strip(" ,，。?？!！")
    text = _name_index(text, step)
    if after := (
        _after_view(text, last)
        or find_next_step(step, last, today)
        or _from_there(text, last, today)
        or _set_beside(text, last, today)
        or _period_before(text, last, today)
        or _other_extreme(text, last)
        or _other_place(text, last)
        or _other_average(text, last)
        or _about_spoken(step, last, _named_in(last))
    ):
        return after
    if len(text) > LONGEST:
        return text
    core = _TAIL.sub("", _LEAD.sub("", text, count=1)).strip(" ,，。?？!！") if led or tailed else text
    mentions = find_mentions(core)
    bare = strip_mentions(core)
    spans = [span for span in find_time_spans(bare, today) if span.kind != UNREAD]
    said = [bare[span.at[0] : span.at[1]].strip() for span in spans]
    rest = blank_spans(bare, spans)
    named = _named_in(last)
    if _NOTHING.fullmatch(rest) is not None:
        if not (led or tailed) and not (said and not mentions):
            return text
        if not mentions and not said:
            return text
        return _replace(last, named, mentions, said, today) or _measure_of(mentions, last, today) or text
    if (led or tailed) and named and not mentions and _NOTHING.fullmatch(_NOW.sub(" ", rest)):
        return _without_times(last, today)
    if (
        said
        and not mentions
        and len(named) == 1
        and _AGAINST.search(rest)
        and _NOTHING.fullmatch(_EXTENT_OF.sub("", _AGAINST.sub("", rest)))
    ):
        return _compare(named[0], last, said[0], today) or text
    if (
        not mentions
        and (_WHICH.search(core) or ((led or tailed) and _SUPERLATIVE.search(core)))
        and not _ELSEWHERE.search(core)
        and (listed := _LIST.search(last))
    ):
        times = "" if said else " ".join(last[span.at[0] : span.at[1]] for span in find_time_spans(last, today))
        return f"{listed[0]}里{times}{core}" if is_chinese(core) else f"{core} on {listed[0]} {times}"
    if own := _own_question(core, last, named):
        return own
    if mentions or _ELSEWHERE.search(core):
        return text
    if more := _after_figure(core, last, named, recent) or (_of_that_day(core, last, named, today) if tailed else ""):
        return more
    them = bool(_THEM.search(core))
    if them and len(named) < 2:
        named = recent[-2:]
    if len(named) > 1 and _WHICH_ONE.search(core):
        them = True
    if not named or not (led or tailed or them) or (them and len(named) < 2):
        return text
    names = named if them or len(named) > 1 else named[:1]
    return _attach(names, _ITS.sub(" ", _THEM.sub(" ", core)).strip(" ?？"))


_LINE = pattern(
    r"(?:(?:is|and|so|ok|now) )*(?:(?:it|the (?:price|stock|share)) )?(?:still )?(?P<side>above|below|over|under)"
    r"(?: or (?:above|below|over|under))? (?:its |the |that )?"
    r"(?P<n>\d+)[- ]?(?:day|d)s?(?: (?:moving )?(?:average|line|ma|mean))?",
    re.I,
)
"""Asks on which side of an average over `n` days the price is."""
_SHARE_OF = pattern(
    r"(?:and |so )*(?:as |in )?(?:a |what )?(?:percent(?:age)?|share|fraction|part|%|proportion)(?: is (?:it|that))? of"
    r" (?:everything|(?:the|my) (?:whole|total|account|portfolio|money|assets|net worth)(?: account| portfolio)?"
    r"|it all|all)"
    r"|(?:那|那么)?(?:这|它)?占(?:我)?的?(?:总资产|账户|全部|组合|总仓位|仓位|总额)的?(?:多少|几成|百分之几|比例)",
    re.I,
)
"""Asks for a share of the whole account."""
_SINCE_THEN = pattern(
    r"(?:and |so )*(?:what|how|where) (?:has|have|did|is) (?:it|they|the (?:stock|share|price))"
    r"(?: (?:done|do|gone|go|moved?|been|fared?))* since(?: then| that| the sale)?"
    r"|(?:那|那么|后来|卖完|卖掉|卖了|买完|买了|之|以|此|从那|它|又|一共|现在)*"
    r"(?:后来|之后|以后|以来|此后|至今|到了?现在|到了?今天)(?:它|又|一共|再|还)*"
    r"(?:[涨跌]了?(?:没有?|吗|多少|几个点|百分之几|还是[涨跌]了?)|走势|表现|怎么样)+(?:钱|呢)?",
    re.I,
)
"""Asks how the price went on after the day that was spoken of."""
_FOR_IT = pattern(
    r"(?:(?:and|so|ok)[, ]+)*(?:what(?:'s|s| is| was)?|how much is) (?:it|that)(?: now| today)?"
    r" (?:for|of|at|with) (?P<en>.+)"
    r"|(?:那|那么)?(?P<zh>.+?)(?:的|现在)*(?:是|有)?(?:多少|几|呢)+",
    re.I,
)
"""Asks for another figure of the same security, in `en` or `zh`."""


def _about_spoken(core: str, last: str, named: list[Mention]) -> str:
    """Return a question for a line, or the share, of the security that was spoken of, or for a term explained before.

    >>> _about_spoken("above or below its 60 day line", "RSI of CATL", find_mentions("CATL"))
    'is CATL above its 60-day average'
    >>> _about_spoken("what's it for CMB", "what is P/B", []), _about_spoken("招行的是多少", "什么叫市净率", [])
    ('P/B of CMB', '招行市净率')
    """
    stocks = [each for each in named if each.symbol.kind != "index"]
    if len(core) > LONGEST * 2:
        return ""
    if len(stocks) == 1 and (found := _LINE.fullmatch(core)):
        side = "above" if found["side"].casefold() in ("above", "over") else "below"
        return f"is {stocks[0].said} {side} its {found['n']}-day average"
    if len(stocks) == 1 and _SHARE_OF.fullmatch(core):
        name = stocks[0].said
        return f"我的{name}占总资产多少" if is_chinese(core) else f"what percent of my account is {name}"
    if (
        len(stocks) == 1
        and _SINCE_THEN.fullmatch(core)
        and (trade := re.search("卖|清仓|sold|sell|买|建仓|bought|buy", last))
    ):
        whose, sold = stocks[0].said, trade[0] in ("卖", "清仓", "sold", "sell")
        if is_chinese(core):
            return f"{whose}我{'卖出' if sold else '买入'}之后涨了多少"
        return f"how much has {whose} risen since I {'sold' if sold else 'bought'} it"
    term = find_term(last) if not named else ""
    of_term = _FOR_IT.fullmatch(core) if term else None
    if of_term is None:
        return ""
    asked = _NOW.sub("", of_term["en"] or of_term["zh"]).strip()
    if not find_mentions(asked) or _NOTHING.fullmatch(strip_mentions(asked)) is None:
        return ""
    return f"{term} of {asked}" if term.isascii() and not is_chinese(asked) else f"{asked.removesuffix('的')}{term}"


_OF_BAR = pattern(r"(?:那天|当天|那时)?的?(?:开盘|收盘|最高|最低|成交)[价量额]?(?:是?多少)?")
"""What one bar has; of the day that was spoken of."""


def _of_that_day(core: str, last: str, named: list[Mention], today: date) -> str:
    """Return a question for what the bar of the day before has: "收盘呢" after "茅台3月7号涨了吗"; "" for another."""
    days = [span for span in find_time_spans(_blank_mentions(last), today) if span.kind != UNREAD]
    if len(named) != 1 or len(days) != 1 or days[0].kind != DAY or _OF_BAR.fullmatch(core) is None:
        return ""
    return f"{named[0].said}{days[0].said}{core}"


_HELD = pattern(r"我|成本|浮[盈亏]|持有|持仓|仓位|[买卖]了|加仓|减仓|\b(?:i|my|mine|cost)\b", re.I)
_OF_HOLDING = pattern(
    r"\W*(?:那|那么|现在|目前|到现在|一共|总共|今天|还|再|要|得|需要|它|这只)*"
    r"(?:[赚亏]了?(?:多少|几个?点|没有?)?(?:钱)?|(?:是)?[赚亏](?:了)?还是[赚亏]了?|浮[盈亏](?:多少)?|(?:涨|跌)?(?:到)?(?:多少|几个点)?(?:才能?)?(?:回本|解套)"
    r"|(?:值|市值)(?:多少)?(?:钱)?|占(?:我)?(?:的)?(?:总?资产|账户|组合|仓位|持仓)?(?:的)?(?:比)?(?:多少|几成|百分之几)|仓位(?:多少|多重)?|成本(?:价)?(?:多少)?|离?止损(?:价|线|还有)?(?:多少|多远)?|(?:什么时候|哪天|几号|为什么)[买卖]的?"
    r"|平均(?:下来)?(?:成本)?(?:是|要)?多少(?:钱|元)?(?:一股|每股)?|(?:有)?(?:多少|几)[股手]|[买卖]了?(?:几|多少)[次笔股手]|持有多久|拿了多久)(?:了|呢|吗|的)*\W*"
)
"""A question about a holding that names none: it is the one that was spoken of."""
_SIDE = pattern(
    r"\W*(?:那|那么|现在|现价|股价|价格|收盘价?|收|是|它|今天)*在?(?:它|这条?线?|均?线|那)?的?"
    r"(?:上面|下面|上方|下方|之上|之下|上|下)(?:方|面)?(?:还是(?:上面|下面|上方|下方|之上|之下)|吗|么|呢)+\W*"
)
_AVERAGE = pattern(r"(?:\d{1,3}|半?年)[日天]?均?线|(?<![a-z])ma\d{1,3}|\d{1,3}[日天]?ma(?![a-z])", re.I)
_ON_YEAR = pattern(r"\W*(?:那|那么)*(?:同比|环比|增[长速]|增幅)(?:变化|增长|多少|呢|怎么样|如何)*\W*")
_EXTENT = pattern(
    r"\W*(?:那|那么|这)*(?:两|俩|二)?(?:者|个|只)?(?:谁|哪一?[个只家支])(?:的)?"
    r"(?P<more>更?(?:高|低|大|小|多|少|贵|便宜|好|强|弱|超[买卖])(?:一?[些点])?)(?:的|了|呢)*\W*"
)
_LATIN = pattern(r"(?<![a-z])[a-z]{2,5}(?![a-z])", re.I)


def _own_question(core: str, last: str, named: list[Mention]) -> str:
    """Return a question about the holding that was spoken of, which is not named again; "" for another.

    >>> _own_question("现在亏多少钱", "招行我成本多少", find_mentions("招行"))
    '我的招行现在亏多少钱'
    """
    stocks = [each for each in named if each.symbol.kind != "index"]
    if len(stocks) != 1 or not _HELD.search(strip_mentions(last)) or _OF_HOLDING.fullmatch(core) is None:
        return ""
    return f"我的{stocks[0].said}{core}"


def _after_figure(core: str, last: str, named: list[Mention], recent: list[Mention]) -> str:
    """Return a question that goes on about the figure before: on which side, on the year, which one has more.

    >>> pair = find_mentions("平安银行和招行")
    >>> _after_figure("现价在上面吗", "招行20日均线多少", pair[1:], pair)
    '招行现价在20日均线上面吗'
    >>> _after_figure("哪个更低", "招行pe", pair[1:], pair)
    '平安银行和招行哪个pe更低'
    """
    bare = strip_mentions(last)
    if len(named) == 1 and _SIDE.fullmatch(core) and (line := _AVERAGE.search(bare)):
        side = re.search(r"上|下", core)
        return f"{named[0].said}现价在{line[0]}{side[0] if side else '上'}面吗"
    found = _MEASURE.search(bare)
    if len(named) == 1 and found and _ON_YEAR.fullmatch(core) and re.search(r"营收|收入|利润|净利", found[0]):
        return f"{named[0].said}{'净利润' if found[0] in ('利润', '净利') else found[0]}{core}"
    which = _EXTENT.fullmatch(core)
    found = found or _LATIN.search(bare)
    if which is None or len(recent) < 2 or found is None:
        return ""
    pair = named if len(named) > 1 else recent[-2:]
    more = re.sub("超[买卖]", lambda said: "高" if said[0].endswith("买") else "低", which["more"])
    return f"{'和'.join(each.said for each in pair)}哪个{found[0]}{more if more.startswith('更') else '更' + more}"


def _measure_of(mentions: list[Mention], last: str, today: date) -> str:
    """Return the figure by which several were compared, asked of another one; "" where there is none.

    >>> _measure_of(find_mentions("茅台"), "招行和平安银行哪个市盈率低", date(2024, 3, 15))
    '茅台市盈率'
    """
    bare = strip_mentions(last)
    found = _MEASURE.search(bare)
    if not mentions or found is None or len(_named_in(last)) < 2 or not is_chinese(found[0]):
        return ""
    times = "".join(span.said for span in find_time_spans(bare, today) if span.kind != UNREAD)
    return f"{'、'.join(each.said for each in mentions)}{times}{found[0]}"


def _after_view(text: str, last: str) -> str:
    """Return a question that is asked after a view of one security, as a whole one; "" for another.

    >>> _after_view("how many shares?", "research Moutai"), _after_view("可以买吗", "研究一下茅台")
    ('how many shares of Moutai should I buy?', '茅台可以买吗')
    """
    if len(text) > LONGEST * 2:
        return ""
    form = next((form for form in _VIEWS if form[0].fullmatch(text)), None)
    named = _named_in(last) if form is not None else []
    if form is None or len(named) != 1 or _OWNER.search(strip_mentions(_ADVICE.sub("", last))):
        return ""
    return (form[1] if is_chinese(text) else form[2]).format(name=named[0].said)


_THERE = pattern(
    r"(?:那|那么|现在的?|目前的?|今天的?|现价|股价|价格|收盘价?|它)*[比离距跟和与较]?(?:现价|现在|今天)?(?:它|这个?价?|那个?价?|那时|当时|那天|那里|这里|此)?"
    r"(?:的|又|还|要|有|相[比差]|已经?|离|距)*(?:[低高差跌涨远]|[低高跌涨]了)(?:了)?(?:多少|几个?点|百分之几|多远|几成)(?:个?点|钱)?(?:呢|了)?"
    r"|(?:and |so |then )*how (?:far|much) (?:(?:above|below|under|over|off|away) )?(?:from )?(?:it |that |there )?"
    r"(?:is|are) (?:it|we|the (?:price|stock|share)s?)"
    r"(?: (?:now|today))?(?: (?:above|below|from|off|under|over|away from) (?:it|that|there))?(?: (?:now|today))?",
    re.I,
)
"""How far a price is from the one that was spoken of: 现价比它低多少."""
_OF_EXTREME = pattern(r"最[高低]|[高低]点|新[高低]|\b(?:high|low|highest|lowest|peak|top|bottom)\b", re.I)
_ASKED_HOW_MUCH = pattern(
    r"(?:是|在|有|为)*(?:多少|几|哪|什么)(?:块|元|钱|时候|一?天)*(?:呢|的)?\W*$|[?？]"
    r"|^\W*(?:what(?:'s| is| was| were)|when was)\s+(?:the )?",
    re.I,
)


def _from_there(text: str, last: str, today: date) -> str:
    """Return how far the price is from an extreme or from the price of a day that was spoken of; "" for another.

    >>> _from_there("现价比它低多少", "茅台250日最高价是多少", date(2024, 3, 15))
    '茅台250日最高价和现在差多少'
    >>> _from_there("现在涨了多少", "茅台3月1日收盘价", date(2024, 3, 15))
    '茅台3月1日到现在涨跌多少'
    """
    named = _named_in(last)
    if len(text) > LONGEST * 2 or len(named) != 1 or _THERE.fullmatch(text.strip(" ?？。,，")) is None:
        return ""
    core = _ASKED_HOW_MUCH.sub("", last).strip(" ?？")
    bare = _blank_mentions(core)
    if _OF_EXTREME.search(bare):
        return f"{core}和现在差多少" if is_chinese(last) else f"how far is it now from {core}"
    days = [span for span in find_time_spans(bare, today) if span.kind == DAY and span.first and span.first < today]
    if len(days) != 1 or not _PRICE.search(bare):
        return ""
    return (
        f"{named[0].said}{days[0].said}到现在涨跌多少"
        if is_chinese(last)
        else f"{named[0].said} change since {days[0].said}"
    )


_ADVICE = pattern(r"\b(?:should|can|could|may|shall|would) (?:i|we)\b|(?:帮|给|替)我|我(?=.{0,4}[该能要可])", re.I)
"""Words that speak of the owner and ask for a view all the same."""


def _set_beside(text: str, last: str, today: date) -> str:
    """Return a question that sets one more security beside those before, as a whole one; "" for another.

    >>> _set_beside("compare it with CATL", "How is BYD doing?", date(2024, 3, 15))
    'compare BYD and CATL'
    >>> _set_beside("和宁德时代比呢", "比亚迪市盈率", date(2024, 3, 15))
    '比亚迪、宁德时代市盈率'
    """
    if len(text) > LONGEST * 2 or not (more := find_mentions(text)):
        return ""
    bare = strip_mentions(text)
    spans = [span for span in find_time_spans(bare, today) if span.kind != UNREAD]
    rest = blank_spans(bare, spans)
    named = [each for each in _named_in(last) if each.code not in {other.code for other in more}]
    if not named or not _COMPARED.search(rest) or (len(more) > 1 and not _ITS.search(rest)):
        return ""
    if _COMPARING.fullmatch(rest) is None:
        return _name_first(text, named)
    names, chinese = [each.said for each in (*named, *more)], is_chinese(text)
    if len(named) == 1 and _MEASURE.search(strip_mentions(last)) and len(find_mentions(last)) == 1:
        joined = "、".join(names) if is_chinese(strip_mentions(last)) else " and ".join(names)
        return strip_mentions(last, "\ue000").replace("\ue000", joined, 1).replace("\ue000", "")
    times = " ".join(span.said for span in spans)
    return f"比较{times}{'和'.join(names)}" if chinese else f"compare {' and '.join(names)} {times}".strip()


def _name_first(text: str, named: list[Mention]) -> str:
    """Return a comparison that leaves out its first security, or calls it `it`, with its name; "" for another one."""
    if len(named) != 1:
        return ""
    if re.match("(?:那|那么)?比\ue000", strip_mentions(text, "\ue000")):
        return named[0].said + re.sub(r"^那么?", "", text)
    if _ITS.search(text) and re.search(r"比|\bthan\b", text):
        return _ITS.sub(named[0].said, text, count=1)
    return ""


def _period_before(text: str, last: str, today: date) -> str:
    """Return the last question for the year or the month before its own; "" where none is asked for.

    >>> _period_before("and the year before?", "profit of CATL last year", date(2024, 3, 15))
    'profit of CATL in 2022'
    """
    core = _TAIL.sub("", _LEAD.sub("", text, count=1)).strip(" ,，。?？!！")
    found = _PERIOD_BEFORE.fullmatch(core)
    spans = [span for span in find_time_spans(_blank_mentions(last), today) if span.kind != UNREAD and span.first]
    if found is None or len(spans) != 1 or (first := spans[0].first) is None:
        return ""
    if (found["en"] or found["zh"]).lower() in ("year", "年"):
        time = f"{first.year - 1}年" if is_chinese(last) else f"in {first.year - 1}"
    else:
        day = first.replace(day=1) - timedelta(days=1)
        time = f"{day.year}年{day.month}月" if is_chinese(last) else f"in {day:%B} {day.year}"
    at = spans[0].at
    return f"{last[: at[0]]}{time}{last[at[1] :]}"


_OPPOSITE_EXTREMES = pattern(
    r"highest lowest|largest smallest|biggest smallest|best worst|最高 最低|最大 最小|最多 最少|最好 最差"
)
_EXTREME = pattern(
    r"\W*(?:是|的|在)*(?:(?:what|when) (?:was|is) |on |the )*"
    r"(?P<word>highest|lowest|largest|smallest|biggest|best|worst|最[高低大小多少好差])"
    r"(?: (?:one|close|price|closing price)|的?(?:那[天次])?(?:收盘)?价?(?:格)?)?(?:是(?:多少|哪天|几)?)?\W*",
    re.I,
)


def _other_extreme(text: str, last: str) -> str:
    """Return the last question for its other extreme, as a whole one; "" where none is asked for.

    >>> _other_extreme("and the lowest?", "highest close of BYD"), _other_extreme("那最低呢", "茅台最高收盘价")
    ('lowest close of BYD', '茅台最低收盘价')
    """
    found = _EXTREME.fullmatch(_TAIL.sub("", _LEAD.sub("", text, count=1)).strip(" ,，。?？!！"))
    if found is None:
        return ""
    word = found["word"].casefold()
    for pair in map(str.split, _OPPOSITE_EXTREMES.pattern.split("|")):
        other = next((each for each in pair if word in pair and each != word), "")
        if other and (said := re.search(other if not other.isascii() else rf"\b{other}\b", last, re.I)):
            return last[: said.start()] + word + last[said.end() :]
    return ""


_PLACE = pattern(
    r"\W*(?:(?:what|which)(?: is|'s)? )?(?:the )?(?P<en>(?:second|third|fourth|2nd|3rd|4th)[- ]"
    r"(?P<word>biggest|largest|smallest|heaviest|best|worst|highest|lowest|cheapest|riskiest))"
    r"(?: (?:one|holding|position|stock))?\W*"
    r"|\W*(?P<zh>第[二三四](?P<of>[大小高低多少重好差贵]))的?(?:是|那)?(?:哪|一)?(?:只|个)?\W*",
    re.I,
)
_SUPERLATIVE = pattern(
    r"\b(?:biggest|largest|smallest|heaviest|best|worst|highest|lowest|cheapest|riskiest)\b|最[大小高低多少重好差贵]",
    re.I,
)


def _other_place(text: str, last: str) -> str:
    """Return the last question for another place of its order, as a whole one; "" where none is asked for.

    >>> _other_place("and the second biggest?", "what is my biggest position")
    'what is my second biggest position'
    >>> _other_place("第二大的呢", "我最大的持仓是哪只")
    '我第二大的持仓是哪只'
    """
    found = _PLACE.fullmatch(_TAIL.sub("", _LEAD.sub("", text, count=1)).strip(" ,，。?？!！"))
    said = list(_SUPERLATIVE.finditer(last))
    if found is None or len(said) != 1:
        return ""
    own = said[0][0].casefold()
    if found["zh"]:
        same = own.endswith(found["of"])
    else:
        same = {own, found["word"].casefold()} <= {"biggest", "largest"} or own == found["word"].casefold()
    if not same:
        return ""
    return last[: said[0].start()] + (found["en"] or found["zh"]) + last[said[0].end() :]


_SIZE = pattern(r"(?P<n>\d+)(?=[- ]?days?\b|[日天](?:均?线|均价))", re.I)
_ITS_AVERAGE = pattern(
    r"(?:its |the |their )?(?P<n>\d+)(?:[- ]?days?(?: (?:moving )?(?:average|one))?|[日天](?:均?线|均价))?"
    r"(?: (?:one|average))?",
    re.I,
)
_ON_WHICH_SIDE = pattern(
    r"(?:is |does )?(?:the )?(?:price|close|it|stock|share)(?: (?:is|trad\w+|now|currently))*"
    r" (?P<side>above|below|over|under) (?:it|that|this)"
    r"(?: (?:now|right now|today))?",
    re.I,
)


def _other_average(text: str, last: str) -> str:
    """Return the last question for another average, or on which side of it the price is; "" where neither is asked.

    >>> _other_average("and its 50 day?", "is Moutai above its 200-day average")
    'is Moutai above its 50-day average'
    >>> _other_average("is the price above it?", "What is the 60-day average of BYD")
    'is BYD above its 60-day average'
    """
    said, named = _SIZE.search(last), _named_in(last)
    if said is None or len(_SIZE.findall(last)) != 1:
        return ""
    core = _TAIL.sub("", _LEAD.sub("", text, count=1)).strip(" ,，。?？!！")
    if _LEAD.search(text) and (found := _ITS_AVERAGE.fullmatch(core)):
        return last[: said.start()] + found["n"] + last[said.end() :]
    if len(named) == 1 and not is_chinese(text) and (found := _ON_WHICH_SIDE.fullmatch(core)):
        return f"is {named[0].said} {found['side']} its {said['n']}-day average"
    return ""


def _attach(named: list[Mention], asked: str) -> str:
    """Return a question with the securities that it is about."""
    if not named:
        return asked
    names = [each.said for each in named]
    return "、".join(names) + asked if is_chinese(asked) else f"{asked} of {' and '.join(names)}"


def _without_times(whole: str, today: date) -> str:
    """Return a question without its times: it is then about now."""
    return re.sub(r"\s+", " ", blank_spans(whole, find_time_spans(_blank_mentions(whole), today))).strip()


def _compare(named: Mention, last: str, time: str, today: date) -> str:
    """Return a question that compares now with a time, in the volume or the price asked for before; "" for another."""
    chinese = is_chinese(time)
    if _VOLUME.search(last):
        return f"{named.said}成交量 比{time}多吗" if chinese else f"is the volume of {named.said} more than {time}"
    if _PRICE.search(last):
        return f"{named.said}{time}以来涨跌" if chinese else f"how much did {named.said} change since {time}"
    return ""


def _replace(last: str, named: list[Mention], mentions: list[Mention], times: list[str], today: date) -> str:
    """Return the last question with other securities and another time; "" where it is not clear what they replace."""
    whole = last
    if mentions:
        new = ("、" if is_chinese(last) else " and ").join(each.said for each in mentions)
        if not named and _ITS.search(last):
            whole = _ITS.sub(new, last, count=1)
        elif len(mentions) == 1 and len(named) == 2 and _BEATS.search(last):
            of_kind = [each for each in named if (each.symbol.kind == "index") == (mentions[0].symbol.kind == "index")]
            whole = last.replace((of_kind or named)[0].said, new, 1)
        elif len(named) != 1 or len(find_mentions(last)) != 1:
            return ""
        else:
            whole = strip_mentions(last, "\ue000").replace("\ue000", new, 1).replace("\ue000", "")
            whole = re.sub(r"[(（]\s*[)）]", "", whole)
    if not times:
        return whole
    old: list[TimeSpan] = find_time_spans(_blank_mentions(whole), today)
    for span in reversed(old):
        whole = whole[: span.at[0]] + "\ue001" + whole[span.at[1] :]
    new = " ".join(times)
    if old:
        return whole.replace("\ue001", new, 1).replace("\ue001", "").strip()
    return f"{new}{whole}" if is_chinese(whole) else f"{whole.strip(' ?')} {new}"


_BEATS = pattern(r"跑[赢输]|战胜|\b(?:beat(?:en)?|outperform\w*|underperform\w*)\b", re.I)
"""One security is held against another, of which a question that goes on names one of the two anew."""


def _blank_mentions(text: str) -> str:
    """Return a text of the same length without the securities that it names."""
    for each in find_mentions(text):
        text = text.replace(each.said, " " * len(each.said))
    return text
