"""How much a message matters, by rule: a trade that was made is 1, a judgement on the market's main line is 2.

The rules judge clause by clause, and rather miss than invent: a question, a plan, an advice, a condition, a negation
and somebody else's trade (northbound money, funds, a shareholder) are talk. `ia session mark` corrects them.
"""

import re

MAX_CLAUSE = 200
"""Characters of a clause that are judged: what is longer is no clause, and the patterns are not linear."""
_SENTENCE = re.compile(r"[^。！!?？;；\n]+[。！!?？;；]?")
_CLAUSE = re.compile(r"[，,、]|(?<=[a-z)])\.(?:\s|$)|\b(?:and|but|so|then|because)\b|但是?|不过|所以|因为", re.I)
_HEADING = re.compile(r"^\s*#|[：:]\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.、)）])")

_QUESTION = re.compile(
    r"""[?？] | [吗呢么]\s*$ | 是否|有没有|可不可以|(\w)不\1|怎么|如何|为什么|为何|多少|什么|哪|谁
    | ^\W*(?:did|do|does|should|shall|would|could|can|may|is|are|was|were|has|have|what|which|why|when|where|how|who)\b
    """,
    re.I | re.X,
)
_CONDITION = re.compile(
    r"""如果|假如|假设|要是|万一|一旦|倘若|若|除非|只要|回测|模拟盘|分[两二三四几]步
    | \b(?:if|unless|once|suppose|assuming|whenever)\b""",
    re.I | re.X,
)
_REQUEST = re.compile(
    r"""^\W*(?:请|帮|麻烦|给我|告诉|看看|看一下|分析|筛选|扫描|查|找|说说|讲讲|列出|总结|解释
    |tell|find|show|list|explain|please)""",
    re.I | re.X,
)

# Negations and plans that are none: they are taken out before anything is judged.
_IDIOM = re.compile(r"不得不|不小心|不慎|毫不犹豫|没忍住|忍不住|不久前|前不久|没多想|果断")
# Before the verb, these say that it was not done: negation, wish, advice, ability, future. The look-arounds spare words
# that only contain them: 理想, 联想, 主要, 该股, 机会, 会议, 新能源.
_UNREAL = re.compile(
    r"""没|未|(?<!特)别|勿|不|无法|拒绝|避免|取消|撤单 | (?<![理联梦思构])想(?!集团)|打算|计划|准备|考虑|(?<![主重])要
    | 建议|推荐|(?<![认许])可(?!转债|靠|是)|应该|应当|(?<![因反供])应|(?<![因应活])该(?!股|公司|票|板块|基金)
    | (?<![机社大年都])会(?!议|计)|将|拟|等待|等到?|希望|目标|适合|适宜|(?<!便)宜(?!家|宾)|不妨
    | 需要?|必须|务必|(?<![新智性功产节职])能(?!源)|敢
    | 何时|明天|后天|下周|下月|下次|策略|信号|规则|条件|模拟|回测|挂单|委托买|委托卖
    | \b(?:not|never|no|should|would|could|might|may|will|plan|want|going\s+to|about\s+to|almost|nearly|consider
      |recommend|suggest|wish\w*|backtest\w*|simulat\w+)\b | n['’]t\b
    """,
    re.I | re.X,
)
# Behind the verb, these say that it is weighed, not told.
_WEIGHED = re.compile(r"可以|可考虑|考虑|为宜|合适|[更较最]好|不错|即可|就行")
# Before the verb and after any 我, these say that somebody else did it.
_OTHERS = re.compile(
    r"""北向|南向|资金|主力|机构|基金|外资|内资|股东|高管|董事|公司|集团|游资|散户|大家|别人|朋友|同事|巴菲特|段永平|社保
    | 国家队|汇金|险资|私募|公募|券商|席位|融资|市场|投资者|客户|用户|他|她|它|你|人们|有人""",
    re.X,
)

_VERB = r"(?:买入|买进|买回|卖出|卖掉|卖光|抛售|抛掉|加仓|减仓|清仓|建仓|补仓|平仓|开仓|止损|止盈|割肉|抄底|满仓|全仓)"
_SIZE = r"(?:\d[\d,.]*\s*[百千万]?\s*(?:股|手|份|张|shares?\b)|一半|半仓|[一二三四五六七八九\d]成)"
_PAST = r"(?:已经?|刚刚?|刚才|昨[天日晚]|今[天早日]|[上下]午|早盘|尾盘|盘中|上周|上个?月|前天|\d+月\d+日)"
_NOUN = r"(?!信号|点|价|机会|时机|建议|区间|窗口|条件|规则|策略|线|位|的)"
# What says that it was done; the second group is in the form of a record, which an order and a plan have too.
_DONE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<verb>{_VERB}|(?<!超)买|(?<![超买热外专])卖)[入出进掉回完光]?了(?!吧|的话|会|就会|怎|解|结|断)",
        rf"{_PAST}.{{0,16}}?(?P<verb>{_VERB}){_NOUN}",
        rf"{_PAST}.{{0,12}}?(?P<verb>[买卖]).{{0,12}}?{_SIZE}",
        rf"(?P<verb>[买卖])的\s*{_SIZE}",
        r"(?P<verb>[加减清建补平]了(?:一半|部分|些|点|\d成|半)?仓|止了[损盈]|割了肉|抄了底)",
        r"(?P<verb>(?:已|全部|部分)成交)(?!量|额|金额|价|活跃|清淡)",
    )
)
_RECORDED = tuple(
    re.compile(pattern)
    for pattern in (rf"(?P<verb>{_VERB}).{{0,24}}?{_SIZE}", rf"{_SIZE}.{{0,12}}?(?P<verb>{_VERB}){_NOUN}")
)
_TRIGGER = re.compile(r"跌破|突破|站[上稳]|回[调踩落]|反弹|[涨跌]到|触及|逢[高低]|分批|每|平均|后$|时$")
_DONE_EN = tuple(
    re.compile(pattern, re.I | re.X)
    for pattern in (
        r"""\b(?:i|we)(?:['’](?:ve|d)|\s+have|\s+had)?
        (?:\s+(?:just|already|also|then|finally|today|yesterday|recently|since))*\s+
        (?:bought|sold|purchased|trimmed|shorted|covered|added\s+to|(?:closed|exited|opened|doubled)\b.{0,30}\bposition)\b""",
        r"""^\W*(?:(?:just|already|today|yesterday|recorded|logged|done|filled|executed|trade)\b\W*)*
        (?:bought|sold|purchased|added\s+\d+)\b(?!\s+by\b)""",
        r"\b(?:recorded|logged|filled|executed)\b.{0,30}\b(?:buy|sell|purchase|sale)\b",
        r"\b(?:buy|sell|purchase|sale|order)\b.{0,40}\b(?:recorded|logged|filled|executed)\b",
        r"\d\s*shares\b.{0,30}\b(?:were|was|have\s+been)\s+(?:bought|sold|purchased)\b",
    )
)

_LINE = r"(?<!故事)(?<!剧情)(?<!任务)(?<!论文)(?<!文章)(?<!小说)(?<!游戏)(?<!课程)(?<!学习)主线(?!任务|剧情|故事)"
_LINE_EN = r"\b(?:main\s*-?\s*line|(?:main|leading|dominant)\s+themes?)\b"
_JUDGED = tuple(
    re.compile(pattern, re.I | re.X)
    for pattern in (
        rf"""{_LINE}[^，,。]{{0,14}}?(?:是|为|在|属于|切换|转向|转移|轮动|回到|集中|围绕|聚焦|延续|持续|未变|没有?变|不变
        |明确|清晰|确立|扩散|走强|走弱|退潮|结束|确认|[：:]\s*\S)""",
        rf"(?:是|为|成为|成了|作为|属于|构成|视为|定为|算|列为)[^，,。]{{0,14}}?{_LINE}",
        rf"""{_LINE_EN}[^,.]{{0,30}}?(?:\b(?:is|are|remains?|stays?|has|shift\w*|rotat\w+|move[sd]?|runs?|continues?)\b
        |:\s*\S)""",
        rf"\b(?:is|are|remains?|stays?|became|becomes|has\s+become)\b[^,.]{{0,30}}?{_LINE_EN}",
    )
)
_NO_LINE = re.compile(
    rf"""(?:等|待|知道|不知|跟踪|寻找)[^，,。]{{0,6}}?主线
    | (?:不是|并非|不算|算不上|没有?|无|非|缺乏|缺少|看不[出清]|未见|谈不上)[^，,。]{{0,8}}?主线
    | 主线[^，,。]{{0,6}}?(?:不明|不清|未明|不是|并非|尚未|难|缺)
    | (?:\b(?:no|not|without|lacks?)\b|n['’]t\b)[^,.]{{0,20}}?{_LINE_EN}
    | {_LINE_EN}[^,.]{{0,20}}?(?:\b(?:not|unclear|no)\b|n['’]t\b)
    """,
    re.I | re.X,
)


def importance_of(text: str) -> int:
    """Return 2 where a text judges what the market's main line is, 1 where it says that a trade was made, else 0."""
    traded = False
    planned = False  # below a heading such as `Plan:` a list tells what is to be, not what was
    for line in text.splitlines():
        if _HEADING.search(line):
            planned = bool(_UNREAL.search(line) or _CONDITION.search(line))
        elif not _ITEM.match(line):
            planned = planned and not line.strip()
        if planned:
            continue
        for clause in _claims(line):
            if _judges_main_line(clause):
                return 2
            traded = traded or _trades(clause)
    return int(traded)


def _claims(line: str) -> list[str]:
    """Return the clauses of a line that say what is: no questions, and nothing behind a condition."""
    found = []
    for sentence in _SENTENCE.findall(line):
        for clause in _CLAUSE.split(sentence):
            if _CONDITION.search(clause):
                break
            if not _QUESTION.search(clause):
                found.append(clause[:MAX_CLAUSE])
    return found


def _judges_main_line(clause: str) -> bool:
    if _NO_LINE.search(clause) or _REQUEST.search(clause):
        return False
    return any(pattern.search(clause) for pattern in _JUDGED)


def _trades(clause: str) -> bool:
    told = _IDIOM.sub("", clause)
    for pattern in (*_DONE, *_RECORDED):
        for found in pattern.finditer(told):
            before, behind = told[: found.start("verb")], told[found.end("verb") :]
            mine = before.rpartition("我")[2]
            unsure = _WEIGHED.search(behind) or (pattern in _RECORDED and _TRIGGER.search(before))
            if not (unsure or _UNREAL.search(before) or _OTHERS.search(mine)):
                return True
    return any(pattern.search(told) for pattern in _DONE_EN) and not _UNREAL.search(told)
