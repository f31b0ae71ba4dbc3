"""How much a message matters, by rule: a trade that was made is 1, a judgement on the market's main line is 2.

The rules judge clause by clause, and rather miss than invent: a question, a plan, an advice, a condition, a negation or
somebody else's trade (northbound money, funds, a shareholder) counts as talk. A person corrects with `ia session mark`.
"""

import re

_SENTENCE = re.compile(r"[^。！!?？;；\n]+[。！!?？;；\n]?")
_CLAUSE = re.compile(
    r"[，,、]|(?<=\d)\.(?=\s)|(?<=[a-z)])\.(?:\s|$)|\b(?:and|but|so|then|because)\b|但是?|不过|所以|因为", re.I
)
_QUESTION = re.compile(
    r"[?？]|吗\s*$|呢\s*$|么\s*$|是否|是不是|有没有|要不要|该不该|能不能|可不可以|怎么|如何|为什么|为何|多少|什么|哪[些个只里]?|谁"
    r"|^\W*(?:did|do|does|should|shall|would|could|can|may|is|are|was|were|has|have|what|which|why|when|where|how|who)\b",
    re.I,
)
_CONDITION = re.compile(
    r"如果|假如|假设|要是|万一|一旦|倘若|若|除非|只要|\b(?:if|unless|once|suppose|assuming|whenever)\b", re.I
)
_IDIOM = re.compile(r"不得不|不小心|不慎|毫不犹豫|没忍住|忍不住|不久前|前不久|没多想|果断")
_UNREAL = re.compile(
    r"没|未|(?<![刚特])别|勿|不|无法|拒绝|避免|取消|撤单|(?<![理联梦思构])想(?!集团)|打算|计划|准备|考虑|(?<![主重])要"
    r"|建议|推荐|可以|可考虑|可在|可于|应该|应当|应|(?<![因应活])该(?!股|公司|票|板块|基金)|(?<![机社大年都])会(?!议|计)|将|拟|等待|等到?|希望|目标"
    r"|适合|适宜|宜(?!家|宾)|不妨|需要?|必须|务必|能|只能|敢|是否|何时|明天|后天|下周|下月|下次|策略|信号|规则|条件|模拟|回测|假|挂单|委托买|委托卖"
    r"|\b(?:not|never|no|n[o']t|didn't|don't|haven't|hasn't|wouldn't|couldn't|should|would|could|might|may|will|plan|want|going\s+to|about\s+to|almost|nearly"
    r"|consider|recommend|suggest|backtest|simulat\w+|wish\w*|if)\b|n't\b|n’t\b",
    re.I,
)
_OTHERS = re.compile(
    r"北向|南向|资金|主力|机构|基金|外资|内资|股东|高管|董事|公司|集团|游资|散户|大家|别人|朋友|同事|巴菲特|段永平|社保|国家队|汇金|险资|私募|公募"
    r"|券商|席位|融资|市场|投资者|客户|用户|他|她|它|你|谁|人们|有人"
)
_ACTION = (
    r"(?:买入|买进|买回|卖出|卖掉|卖光|抛售|抛掉|加仓|减仓|清仓|建仓|补仓|平仓|开仓|止损|止盈|割肉|抄底|满仓|全仓|定投)"
)
_SIZE = r"\d[\d,.]*\s*(?:万|千|百)?\s*(?:股|手|份|张|shares?\b)"
_DONE = (
    re.compile(rf"(?P<act>{_ACTION}|买|卖)\s*(?:入|出|进|掉|回|完|光)?了(?!吧|的话|会|就会|怎|解|结|断)"),
    re.compile(rf"(?:已经?|刚刚?|刚才|昨[天日]|昨晚|今[天早日]|上午|下午|早盘|尾盘|盘中|上周|上个?月|前天|于?\d+月\d+日).{{0,16}}?(?P<act>{_ACTION})(?!信号|点|价|机会|时机|建议|区间|窗口|条件|规则|策略|线|位|的)"),
    re.compile(rf"(?P<act>{_ACTION}).{{0,24}}?{_SIZE}"),
    re.compile(rf"{_SIZE}.{{0,12}}?(?:被|全部|都)?(?P<act>{_ACTION})"),
    re.compile(rf"(?P<act>[加减清建补平]了(?:一半|部分|些|点|\d成|半)?仓|止了[损盈]|割了肉|抄了底)"),
    re.compile(r"(?P<act>(?:已|全部|部分|均已?)成交)(?!量|额|金额|价|活跃|清淡)"),
)  # fmt: skip
_DONE_EN = (
    re.compile(
        r"\b(?:i|we)(?:['’](?:ve|d)|\s+have|\s+had)?(?:\s+(?:just|already|also|then|finally|today|yesterday|recently|since))*"
        r"\s+(?:bought|sold|purchased|trimmed|shorted|covered|added\s+to|(?:closed|exited|opened|doubled)\b.{0,30}\bposition)\b",
        re.I,
    ),
    re.compile(r"^\W*(?:(?:just|already|today|yesterday|recorded|logged|done|filled|executed|trade|on\s+[\w-]+)\b\W*)*(?:bought|sold|purchased)\b(?!\s+by\b)", re.I),
    re.compile(r"\b(?:recorded|logged|filled|executed)\b.{0,30}\b(?:buy|sell|purchase|sale)\b", re.I),
    re.compile(r"\b(?:buy|sell|purchase|sale|order)\b.{0,40}\b(?:recorded|logged|filled|executed)\b", re.I),
    re.compile(r"\d\s*shares\b.{0,30}\b(?:were|was|have\s+been)\s+(?:bought|sold|purchased)\b", re.I),
)  # fmt: skip
_LINE = r"(?<!故事)(?<!剧情)(?<!任务)(?<!论文)(?<!文章)(?<!小说)(?<!游戏)(?<!课程)(?<!学习)主线(?!任务|剧情|故事)"
_MAIN_LINE = (
    re.compile(
        rf"{_LINE}(?:判断|方向|板块|题材|行情|逻辑)?(?:[^，,。]{{0,12}}?)(?:是|为|在|属于|切换|转向|转移|轮动|回到|集中|围绕|聚焦|延续|持续"
        r"|未变|没有?变|不变|明确|清晰|确立|扩散|走强|走弱|退潮|结束|确认|[：:]\s*\S)"
    ),
    re.compile(rf"(?:是|为|成为|成了|作为|属于|构成|视为|定为|算|列为)[^，,。]{{0,14}}?{_LINE}(?!的?(?:选择|候选)?[吗呢])"),
    re.compile(
        r"\bmain\s*-?\s*line\b[^,.]{0,30}?(?:\b(?:is|are|remains?|stays?|has|shifts?|shifted|rotat\w+|moves?|moved|runs?|continues?|centres|centers)\b|:\s*\S)", re.I
    ),
    re.compile(r"\b(?:is|are|remains?|stays?|became|becomes|has\s+become)\b[^,.]{0,30}?\bmain\s*-?\s*line\b", re.I),
)  # fmt: skip
_NO_LINE = re.compile(
    rf"(?:不是|并非|不算|算不上|没有?|无|非|缺乏|缺少|看不[出清]|未见|谈不上)[^，,。]{{0,8}}?主线|主线[^，,。]{{0,6}}?(?:不明|不清|未明|不是|并非|尚未|难|缺)"
    r"|\b(?:no|not|n't|without|lacks?)\b[^,.]{0,20}?\bmain\s*-?\s*line|\bmain\s*-?\s*line\b[^,.]{0,20}?\b(?:not|unclear|no)\b|n't\b", re.I
)  # fmt: skip
_REQUEST = re.compile(
    r"^\W*(?:请|帮|麻烦|给我|告诉|看看|看一下|分析|筛选|扫描|查|找|说说|讲讲|列出|总结|解释|what|tell|find|show|list|explain|please)",
    re.I,
)


def importance_of(text: str) -> int:
    """Return 2 where a text judges what the market's main line is, 1 where it says that a trade was made, else 0."""
    traded = False
    for sentence in _SENTENCE.findall(text):
        conditional = False
        for clause in _CLAUSE.split(sentence):
            conditional = conditional or bool(_CONDITION.search(clause))
            if conditional or _QUESTION.search(clause):
                continue
            if _judges_main_line(clause):
                return 2
            traded = traded or _trades(clause)
    return int(traded)


def _judges_main_line(clause: str) -> bool:
    if _NO_LINE.search(clause) or _REQUEST.search(clause):
        return False
    return any(pattern.search(clause) for pattern in _MAIN_LINE)


def _trades(clause: str) -> bool:
    told = _IDIOM.sub("", clause)
    for pattern in _DONE:
        for found in pattern.finditer(told):
            before = told[: found.start("act")]
            own = before.rpartition("我")[1] == "我"
            if not _UNREAL.search(before) and (own or not _OTHERS.search(before)):
                return True
    return any(pattern.search(told) and not _UNREAL.search(told) for pattern in _DONE_EN)
