"""Questions that go on about the same security: the view of it, the holding, the share, another figure, the task."""

import re

from ia.agent.analyst.ask.follow_words import LONGEST, MEASURE, NOTHING, NOW, OWNER, find_named, is_chinese
from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.several import find_term
from ia.domain.speech.acts import performs_act
from ia.kernel.patterns import pattern

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
_ADVICE = pattern(r"\b(?:should|can|could|may|shall|would) (?:i|we)\b|(?:帮|给|替)我|我(?=.{0,4}[该能要可])", re.I)
"""Words that speak of the owner and ask for a view all the same."""


def ask_after_view(text: str, last: str) -> str:
    """Return a question that is asked after a view of one security, as a whole one; "" for another.

    >>> ask_after_view("how many shares?", "research Moutai"), ask_after_view("可以买吗", "研究一下茅台")
    ('how many shares of Moutai should I buy?', '茅台可以买吗')
    """
    if len(text) > LONGEST * 2:
        return ""
    form = next((form for form in _VIEWS if form[0].fullmatch(text)), None)
    named = find_named(last) if form is not None else []
    if form is None or len(named) != 1 or OWNER.search(strip_mentions(_ADVICE.sub("", last))):
        return ""
    return (form[1] if is_chinese(text) else form[2]).format(name=named[0].said)


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


_APPROVE = pattern(
    r"\W*(?:(?:and|then|now|ok(?:ay)?|please|so|go ahead and)\b[, ]*)*approve (?:it|that|this|them)(?: (?:then"
    r"|now|please|for me))*\W*"
    r"|\W*(?:那就?|就|请|帮我|好的?|行|[，, ])*(?:把?它|这个)?(?:给)?(?:批准?|审批|通过)(?:了|它|一?下"
    r"|掉)*(?:吧|好了|啦)?\W*",
    re.I,
)
_TASKS = pattern(
    r"任务|复盘|同步|提案|审批|批|\b(?:tasks?|review|sync|proposals?|approv\w+|pending|waiting|daily|weekly|monthly)\b",
    re.I,
)


_TASK_NAMED = pattern(
    r"(?P<zh>[日周月]报|[日周月]度?复盘|每[日天周月]复盘|(?:每[日天])?同步|扫描)"
    r"|\b(?P<en>(?:daily|weekly|monthly) (?:review|sync|report|gainers|scan)|sync)\b",
    re.I,
)
_DOES = pattern(
    r"\W*(?:(?:and|ok(?:ay)?|so|but)\b[, ]*)*(?:what (?:does )?(?:it|that) (?:exactly )?do(?:es)?(?: exactly)?"
    r"|what(?:'s| is) (?:it|that) for)\W*"
    r"|\W*(?:那|它|这个?|这个任务)*(?:是)?(?:干什么|干啥|干嘛|做什么|做啥|有什么用)(?:用)?(?:的)?\W*",
    re.I,
)
_IS_THERE = pattern(
    r"\W*(?:and |but )?(?:(?:is|does) )?(?:it|that|one)(?: is)? (?:already|exists?)(?: (?:there|exist|set up|on))?\W*"
    r"|\W*(?:是不是)?(?:已经|现在)?有了(?:吗|么|没有?)\W*",
    re.I,
)
_RUNNING = pattern(
    r"\W*(?:那|现在|其中)*(?:有)?(?:哪[个些几]+)(?:任务)?(?:是)?(?:正?在|还在|已经?|被)*(?:跑|运行|生效|批准)(?:着|的|了|过)*\W*"
    r"|\W*(?:and )?which (?:ones? |of (?:them|these|those) )?(?:is|are) (?:already |now )?(?:running"
    r"|approved|active|live|in force)\W*",
    re.I,
)


def _ask_of_task(text: str, last: str) -> str:
    """Return what the task that was spoken of does, whether it is there, or which ones run; "" for another text.

    >>> _ask_of_task("ok what it does exactly", "I want a task for the monthly review")
    'what does the monthly review task do'
    """
    if _RUNNING.fullmatch(text) and re.search(r"任务|\btasks?\b", last, re.I):
        return "有哪些任务" if is_chinese(text) else "which tasks are there"
    named = _TASK_NAMED.search(last)
    if named and _DOES.fullmatch(text):
        return f"{named['zh']}任务是干什么的" if named["zh"] else f"what does the {named['en']} task do"
    if named and _IS_THERE.fullmatch(text):
        return f"{named['zh']}任务还在吗" if named["zh"] else f"is the {named['en']} task set up"
    return ""


def change_again(text: str, last: str) -> str:
    """Return a wish to change the task that was spoken of, which is not named again; "" for another text.

    >>> change_again("再恢复吧", "暂停daily-reminder"), change_again("resume it", "pause the daily review")
    ('恢复daily-reminder', 'resume the daily review')
    """
    if _TASKS.search(last) and (asked := _ask_of_task(text, last)):
        return asked
    if _APPROVE.fullmatch(text) and _TASKS.search(last):
        return "有哪些任务等我批准" if is_chinese(text) else "which tasks are waiting for my approval"
    found = _CHANGE_AGAIN.fullmatch(text)
    if found is None or not performs_act(last, "task_change"):
        return ""
    rest = _TASK_VERB.sub("", last).strip()
    return f"{found['zh']}{rest}" if found["zh"] else f"{found['en']} {rest}"


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
    r"(?:and |so )*(?:what|where|how(?: (?:much|far))?) (?:has|have|did|is) (?:it|they|the (?:stock|share|price))"
    r"(?: (?:done|do|gone|go|moved?|been|fared?|gained?|risen|fallen|lost|made|up|down|changed))*"
    r" since(?: then| that| the sale)?"
    r"|(?:那|那么|后来|卖完|卖掉|卖了|买完|买了|之|以|此|从那|它|又|一共|现在)*"
    r"(?:后来|之后|以后|以来|此后|至今|到了?现在|到了?今天)(?:它|又|一共|再|还)*"
    r"(?:[涨跌]了?(?:没有?|吗|多少|几个点|百分之几|还是[涨跌]了?)|走势|表现|怎么样)+(?:钱|呢)?",
    re.I,
)
"""Asks how the price went on after the day that was spoken of."""
_FOR_IT = pattern(
    r"(?:(?:and|so|ok)[, ]+)*(?:what(?:'s|s| is| was)?|how much is) (?:it|that)(?: now| today)?"
    r" (?:for|of|at|with) (?P<en>.+)"
    r"|what(?:['’]s| is) (?P<of>.{2,30}?)['’]s"
    r"|(?:那|那么)?(?P<zh>.+?)(?:的|现在)*(?:是|有)?(?:多少|几|呢)+",
    re.I,
)
"""Asks for another figure of the same security, in `en` or `zh`."""


_OWN_LEVEL = pattern(r"(?:止损|止盈|目标|成本)(?:价位?|位|线)?(?:是?多少)?")
"""A price of the owner's own."""
_ON_COST = pattern(
    r"(?:and )?(?:on|at|against|by|based on|from) (?:my|what i) (?:average |own |purchase "
    r"|buy(?:ing)? )?(?:cost|price|paid|basis)(?: (?:basis|price))?"
    r"|(?:那|要是|如果)*[按照用](?:我)?(?:自己)?的?(?:\d+(?:\.\d+)?[块元]钱?的?)?(?:买入)?(?:成本"
    r"|买入?价)价?(?:来?算|看)?(?:的话|是|有|是多少|多少|呢)*",
    re.I,
)
"""Asks for a yield on what the owner paid."""


def ask_about_spoken(core: str, last: str, named: list[Mention]) -> str:
    """Return a question for a line, or the share, of the security that was spoken of, or for a term explained before.

    >>> ask_about_spoken("above or below its 60 day line", "RSI of CATL", find_mentions("CATL"))
    'is CATL above its 60-day average'
    >>> ask_about_spoken("what's it for CMB", "what is P/B", []), ask_about_spoken("招行的是多少", "什么叫市净率", [])
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
    if len(stocks) == 1 and _OWN_LEVEL.fullmatch(core) and OWNER.search(last):
        return f"{stocks[0].said}我的{core}是多少"
    if len(stocks) == 1 and _ON_COST.fullmatch(core) and re.search(r"股息|\bdividend|\byield", last, re.I):
        return (
            f"{stocks[0].said}按我的成本股息率多少"
            if is_chinese(core)
            else f"dividend yield of {stocks[0].said} on my cost"
        )
    term = find_term(last) if not named else ""
    of_term = _FOR_IT.fullmatch(core) if term else None
    if of_term is None:
        return ""
    asked = NOW.sub("", of_term["en"] or of_term["of"] or of_term["zh"]).strip()
    if not find_mentions(asked) or NOTHING.fullmatch(strip_mentions(asked)) is None:
        return ""
    return f"{term} of {asked}" if term.isascii() and not is_chinese(asked) else f"{asked.removesuffix('的')}{term}"


_HELD = pattern(r"我|成本|浮[盈亏]|持有|持仓|仓位|[买卖]了|加仓|减仓|\b(?:i|my|mine|cost)\b", re.I)
_OF_HOLDING = pattern(
    r"\W*(?:那|那么|现在|目前|到现在|一共|总共|今天|还|再|要|得|需要|它|这只)*"
    r"(?:[赚亏]了?(?:多少|几个?点|没有?)?(?:钱)?|(?:是)?[赚亏](?:了)?还是[赚亏]了?|浮[盈亏](?:多少)?|(?:涨"
    r"|跌)?(?:到)?(?:多少|几个点)?(?:才能?)?(?:回本|解套)"
    r"|(?:值|市值)(?:多少)?(?:钱)?|占(?:我)?(?:的)?(?:总?资产|账户|组合|仓位|持仓)?(?:的)?(?:比)?(?:多少|几成"
    r"|百分之几)|仓位(?:多少|多重)?|成本(?:价)?(?:多少)?|离?止损(?:价|线|还有)?(?:多少|多远)?|(?:什么时候|哪天"
    r"|几号|为什么)[买卖]的?"
    r"|平均(?:下来)?(?:成本)?(?:是|要)?多少(?:钱|元)?(?:一股|每股)?|(?:有)?(?:多少|几)[股手]|[买卖]了?(?:几"
    r"|多少)[次笔股手]|持有多久|拿了多久)(?:了|呢|吗|的)*\W*"
)
"""A question about a holding that names none: it is the one that was spoken of."""


_SPENT = pattern(
    r"\W*(?:那|那么|我|一共|总共|当时)*花了?(?:我)?(?:多少)(?:钱)?(?:买的?)?\W*"
    r"|\W*(?:and |so )?how much did (?:i spend|(?:that|it) cost(?: me)?)(?: on (?:it|that))?(?: in (?:all|total))?\W*",
    re.I,
)
"""Asks what was paid for the holding that was spoken of."""
_ALERT = pattern(r"提醒|预警|\balerts?\b", re.I)
_OF_ALERT = pattern(
    r"\W*(?:那|那么)?\ue000(?:的)?(?:那|这)(?:个|条)(?:提醒|预警)?(?P<zh>[^，,。]*?)\W*"
    r"|\W*(?:and |so |but )?(?:did|has|is|was) (?:the )?\ue000(?: one| alert)?"
    r" (?:already |ever )?(?:fired?|trigger(?:ed)?|gone off|go off|met|true)(?: (?:yet|already|today))*\W*",
    re.I,
)


_HAVE_ONE = pattern(
    r"(?:and |so )?(?:do i|have i|is there)(?: already| got| have| set)*(?: already)? (?:an? |any "
    r"|one)(?: one)?(?: already)? (?:on|for)"
    r" \ue000(?: already| yet)*"
    r"|\ue000(?:的)?(?:我)?(?:已经)?(?:有没有|有|设了?|设过)(?:一个|一条)?(?:提醒|预警)?(?:了)?(?:吗|么|没有?)?",
    re.I,
)
_NEAREST = pattern(
    r"(?:which|what)(?: one)? is (?:the )?(?:nearest|closest)(?: (?:to (?:firing|triggering|it)|now))?"
    r"|[离距](?:着)?(?:触发|成立)?最近的?(?:是)?(?:哪[个条只]|谁)?|(?:哪[个条]|谁)(?:最)?(?:快"
    r"|接近)(?:要)?(?:触发|成立)?了?",
    re.I,
)
_WAITING = pattern(
    r"(?:其中|那)*(?:有)?哪[些几]?[个条]?(?:还)?(?:在)?等(?:着)?我?(?:的)?(?:批准|审批)的?"
    r"|which (?:ones? |of (?:them|these|those) )?(?:is|are) (?:still )?(?:waiting|pending)(?: for (?:my )?approval)?",
    re.I,
)
_TO_SAID = pattern(
    r"(?:is|has) (?:the )?(?:price|it)(?: (?:now|already))? (?:below|above|at|under|over|near|reached"
    r"|hit)(?: (?:now|already))?"
    r" (?:what|the (?:price|level) (?:that )?)?\s*i (?:said|wrote|noted|want(?:ed)?)(?: (?:in (?:it|the note)"
    r"|there|now|yet))*"
    r"|(?:那|现在|现价|股价|它)*(?:到|够到?|跌到|低于)(?:了)?(?:没有?)?我(?:说|写|记|想买)的?(?:那个)?(?:价位"
    r"|价格|价|位置)?(?:了)?(?:吗|么|没有?)*",
    re.I,
)
_OF_NOTE = pattern(r"笔记|记过|写过|写了?什么|说过|\b(?:notes?|wr(?:ote|itten|ite)|say|said)\b", re.I)

_NOTES_OF = pattern(
    r"^(?!.*\b(?:how many|count)\b).*\b(?:notes? (?:\w+ ){0,2}?(?:mention|about|on|in|from|since|for"
    r"|with|contain|that|of)|(?:mention|about|on|in) .*\bnotes?\b|did i (?:write|note))"
    r"|^(?!.*(?:多少|几)).*(?:[哪关提月周年天].*(?:笔记|记过|写过|记了|写了)|(?:笔记|记过|写过|记了|写了).*[哪关提月周年])",
    re.I,
)
"""Asks for the notes of a topic or a time, which are listed with their days, newest first."""
_TRADES_IN = pattern(
    r"^\W*(?:(?:what|which|list|show)(?: (?:me|are|were))* )?(?:all )?(?:my )?"
    r"(?:trades|purchases|sales|buys|sells|(?:what|which shares) did i (?:buy|sell|trade))"
    r" (?:in|from|since|of|this|last) "
    r"|^\W*我?[^，,。]{0,6}[月周年]的?(?:交易|买卖)(?:记录)?(?:有哪些)?\W*$",
    re.I,
)
"""Asks for the trades of a time, which are listed with their days, newest first."""
_WRITES = pattern(
    r"^\W*(?:please |and )*(?:note\b(?!s)|write|jot|record|add|save)"
    r"|^\W*(?:请|帮我|给我|再)*(?:[记写加存](?![过了的]))|[:：]",
    re.I,
)
"""A wish to write, which must not be done twice."""
_IN_TIME = pattern(r"\d|[月周年]|\b(?:in|from|since|last|this) \w+(?=\W*$)", re.I)
_RISK_RULES = pattern(
    r"[单仓][^，,。]{0,4}上限|止损(?:规则|线|比例)|风控|\b(?:position|single[- ]position) (?:limit|cap|size)\b"
    r"|\b(?:stop[- ]?loss|stop|risk) (?:rules?|limits?)\b",
    re.I,
)
_OTHER_RULE = pattern(
    r"(?:(?:what(?:'s| is) )?(?:the |my )?)?(?:(?P<stop>stop[- ]?loss|stop)(?: rule| limit)?"
    r"|(?:single[- ])?position (?:limit|cap))"
    r"|(?:我的)?(?:(?P<stop_zh>止损)(?:规则|线|比例)?|(?:单票|单只|仓位)上限)(?:是|有)?(?:多少|几个点|呢)*",
    re.I,
)
"""Asks for the stop rule or the limit of a position."""
_RUNS = pattern(r"任务|运行|要跑|会跑|\b(?:runs?|tasks?|due|scheduled?)\b", re.I)
_AT_TIME = pattern(
    r"(?:at )?(?:what|which) (?:time|hour)s?(?: (?:is|are) (?:that|it|they|those))?"
    r"|(?:都|分别|是|在)*(?:几点钟?|什么时间|什么时候)(?:跑|运行|开始|执行)?",
    re.I,
)
_COUNTED = pattern(
    r"待办|待批|等我|任务|提醒|\b(?:pending|proposals?|waiting|tasks?|alerts?|approval)\b(?!.*\bwhen\b)", re.I
)
_ASKS_LIST = pattern(
    r"哪|什么|有没有|^\W*我的|待办|待批|\b(?:what|which|list|show|pending)\b|^\W*(?:all )?my\b",
    re.I,
)
_WISHES = pattern(
    r"提醒我|通知我|[建设加删停改][了个成置立除止为]|帮我|每[天日周月个]"
    r"|\b(?:me (?:if|when|at)|set|create|add|make|approve|remove|cancel"
    r"|delete|pause|resume|stop|start|every|each|want)\b",
    re.I,
)
"""Words of a list that was asked for, and of a wish, which must not be done twice."""
_IN_ALL = pattern(
    r"(?:那|现在)*(?:一共|总共|共)(?:有)?(?:几|多少)[个项条]?|(?:那|有)?(?:几|多少)[个项条]"
    r"|how many(?: (?:is|are) (?:that|there|they|those))?(?: (?:in (?:all|total)|altogether))?",
    re.I,
)

_LATEST_WRITTEN = pattern(
    r"(?:and |so )*(?:when|on (?:what|which) (?:day|date)) (?:was|is) (?:the|my) (?:latest|newest|last|most recent)"
    r"(?: (?:one|note|of (?:them|these|those)))*(?: (?:written|from|dated|noted))?"
    r"|(?:and |so )*when did i write the (?:latest|newest|last|most recent)(?: (?:one|note|of (?:them|these|those)))?"
    r"|(?:那|其中)*(?:最近|最新|最后|最晚)的?(?:那)?(?:一)?[条篇个笔]?(?:笔记|交易)?是?(?:在)?(?:什么时候|哪一?天|何时|几号)(?:写|记)?(?:下)?的?",
    re.I,
)
_THERE_NOW = pattern(
    r"(?:and |so )*(?:is|has) (?:it|that|the price|the condition) (?:there|true|met|reached|triggered|been met"
    r"|reached it)(?: (?:now|yet|already))*"
    r"|(?:那|现在|目前|已经|它|条件)*(?:到|成立|触发|满足|达到)(?:了)?(?:吗|么|没有?)+",
    re.I,
)


def ask_latest_note(core: str, last: str) -> str:
    """Return the question for some notes once more, whose list has the newest one first with its day; "" for another.

    >>> ask_latest_note("when is the last one from", "notes in February")
    'notes in February'
    """
    if _LATEST_WRITTEN.fullmatch(core) is None or _WRITES.search(last):
        return ""
    if _TRADES_IN.search(last):
        return last
    if _NOTES_OF.search(last) is None:
        return ""
    return last if len(find_named(last)) != 1 or _IN_TIME.search(last) else ""


def ask_of_record(core: str, last: str) -> str:
    """Return a question about the alerts, or about the price in the note, that was spoken of; "" for another.

    >>> ask_of_record("do I have already one on Moutai", "how to make an alert")
    'is there an alert on Moutai'
    >>> ask_of_record("which one is nearest", "my alerts")
    'which of my alerts is nearest'
    >>> ask_of_record("现价到我说的价位了没", "比亚迪的笔记")
    '比亚迪到我想买的价位了吗'
    >>> ask_of_record("When was the latest one written", "which of my notes mention BYD")
    'day that I wrote my note on BYD'
    >>> ask_of_record("现在到了吗", "茅台的提醒条件是什么")
    '茅台的提醒现在成立吗'
    """
    about = find_named(last)
    if _RISK_RULES.search(last) and not about and (rule := _OTHER_RULE.fullmatch(core)):
        if is_chinese(core):
            return "我的止损规则" if rule["stop_zh"] else "我的仓位上限"
        return "what is my stop loss rule" if rule["stop"] else "what is my position limit"
    listed = (_AT_TIME.fullmatch(core) and _RUNS.search(last)) or (_IN_ALL.fullmatch(core) and _COUNTED.search(last))
    if listed and _ASKS_LIST.search(last) and not _WISHES.search(last):
        return last
    if len(about) == 1 and _ALERT.search(last) and _THERE_NOW.fullmatch(core):
        return f"{about[0].said}的提醒现在成立吗" if is_chinese(core) else f"is my alert on {about[0].said} true now"
    if len(about) == 1 and _OF_NOTE.search(last) and _LATEST_WRITTEN.fullmatch(core):
        return f"{about[0].said}笔记的写作日期" if is_chinese(core) else f"day that I wrote my note on {about[0].said}"
    if _ALERT.search(last):
        named = find_mentions(core)
        if len(named) == 1 and _HAVE_ONE.fullmatch(strip_mentions(core, "\ue000")):
            return f"{named[0].said}有提醒吗" if is_chinese(core) else f"is there an alert on {named[0].said}"
        if _WAITING.fullmatch(core):
            return "哪些提醒等我批准" if is_chinese(core) else "which of my alerts are waiting for approval"
        if _NEAREST.fullmatch(core):
            return "哪个提醒最接近触发" if is_chinese(core) else "which of my alerts is nearest"
    if len(about) == 1 and _OF_NOTE.search(last) and _TO_SAID.fullmatch(core):
        return f"{about[0].said}到我想买的价位了吗"
    return ""


def ask_alert_of(text: str, last: str) -> str:
    """Return a question for the alert of one security, after one for the alerts; "" for another.

    >>> ask_alert_of("茅台那个触发了吗", "我的提醒有哪些"), ask_alert_of("did the Moutai one fire", "my alerts")
    ('茅台的提醒触发了吗', 'has the Moutai alert triggered')
    """
    named = find_mentions(text)
    if len(named) != 1 or not _ALERT.search(last):
        return ""
    found = _OF_ALERT.fullmatch(strip_mentions(text, "\ue000"))
    if found is None:
        return ""
    return f"{named[0].said}的提醒{found['zh']}" if is_chinese(found[0]) else f"has the {named[0].said} alert triggered"


def ask_own_holding(core: str, last: str, named: list[Mention]) -> str:
    """Return a question about the holding that was spoken of, which is not named again; "" for another.

    >>> ask_own_holding("现在亏多少钱", "招行我成本多少", find_mentions("招行"))
    '我的招行现在亏多少钱'
    """
    stocks = [each for each in named if each.symbol.kind != "index"]
    if len(stocks) == 1 and _SPENT.fullmatch(core) and re.search(r"[买花]|建仓|\b(?:buy|bought)\b", last, re.I):
        name = stocks[0].said
        return f"我买{name}一共花了多少钱" if is_chinese(core) else f"how much did I spend on {name} in all"
    if len(stocks) != 1 or not _HELD.search(strip_mentions(last)) or _OF_HOLDING.fullmatch(core) is None:
        return ""
    return f"我的{stocks[0].said}{core}"


_SIDE = pattern(
    r"\W*(?:那|那么|现在|现价|股价|价格|收盘价?|收|是|它|今天)*在?(?:它|这条?线?|均?线|那)?的?"
    r"(?:上面|下面|上方|下方|之上|之下|上|下)(?:方|面)?(?:还是(?:上面|下面|上方|下方|之上|之下)|吗|么|呢)+\W*"
)
_AVERAGE = pattern(r"(?:\d{1,3}|半?年)[日天]?均?线|(?<![a-z])ma\d{1,3}|\d{1,3}[日天]?ma(?![a-z])", re.I)
_ON_YEAR = pattern(r"\W*(?:那|那么)*(?:同比|环比|增[长速]|增幅)(?:变化|增长|多少|呢|怎么样|如何)*\W*")
_GREW = pattern(
    r"\W*(?:and |so )?(?:(?:by )?how (?:much|fast) (?:did|has) |did |has |is )(?:it|that|this|they)"
    r" (?:grow(?:n|ing)?|increased?|gone up|go up|risen|rise|changed?)"
    r"(?: (?:on|over|from) (?:the|last) year| year on year)?\W*",
    re.I,
)
_REPORTED = pattern(r"\b(?:revenue|net profit)\b", re.I)
_EXTENT = pattern(
    r"\W*(?:那|那么|这)*(?:两|俩|二)?(?:者|个|只)?(?:谁|哪一?[个只家支])(?:的)?"
    r"(?P<more>更?(?:高|低|大|小|多|少|贵|便宜|好|强|弱|超[买卖])(?:一?[些点])?)(?:的|了|呢)*\W*"
)
_LATIN = pattern(r"(?<![a-z])[a-z]{2,5}(?![a-z])", re.I)


def ask_after_figure(core: str, last: str, named: list[Mention], recent: list[Mention]) -> str:
    """Return a question that goes on about the figure before: on which side, on the year, which one has more.

    >>> pair = find_mentions("平安银行和招行")
    >>> ask_after_figure("现价在上面吗", "招行20日均线多少", pair[1:], pair)
    '招行站上20日均线了吗'
    >>> ask_after_figure("哪个更低", "招行pe", pair[1:], pair)
    '平安银行和招行哪个pe更低'
    """
    bare = strip_mentions(last)
    if len(named) == 1 and _SIDE.fullmatch(core) and (line := _AVERAGE.search(bare)):
        side = re.search(r"上|下", core)
        return f"{named[0].said}{'跌破' if side and side[0] == '下' else '站上'}{line[0]}了吗"
    found = MEASURE.search(bare)
    if len(named) == 1 and found and _ON_YEAR.fullmatch(core) and re.search(r"营收|收入|利润|净利", found[0]):
        return f"{named[0].said}{'净利润' if found[0] in ('利润', '净利') else found[0]}{core}"
    if len(named) == 1 and found and _GREW.fullmatch(core) and (grown := _REPORTED.search(bare)):
        return f"{named[0].said} {grown[0].casefold()} growth"
    which = _EXTENT.fullmatch(core)
    found = found or _LATIN.search(bare)
    if which is None or len(recent) < 2 or found is None:
        return ""
    pair = named if len(named) > 1 else recent[-2:]
    more = re.sub("超[买卖]", lambda said: "高" if said[0].endswith("买") else "低", which["more"])
    return f"{'和'.join(each.said for each in pair)}哪个{found[0]}{more if more.startswith('更') else '更' + more}"
