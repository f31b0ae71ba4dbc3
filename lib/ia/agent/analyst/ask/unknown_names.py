"""Names in a question that mean no security known here: beside one that is known, or where one is expected."""

import re
from itertools import pairwise

from ia.agent.analyst.ask.mentions import LONGEST, Mention, find_near_name
from ia.domain.instruments.symbols import AmbiguousName, not_tickers, resolve_security
from ia.kernel.errors import IaError
from ia.kernel.patterns import pattern

_MARK = "\ue000"
_NOT_NAMES = pattern(
    r"一下|一比|起来|而言|大盘|指数|行业|板块|市场|同行|同业|自己|它|他|她|我|你|咱|这|那|昨|前[天一]|今|上[周个月证]|去年|明|平均|均|[几\d]"
    r"|其[他它余]|别的|现[在价]|目前|当前|最[高低大新近]|成交|市[盈净值场]|价格?|股价|收盘|开盘|涨|跌|风险|哪|谁|什么|怎么|分析"
    r"|沪深|上证|深证|中证|科创|创业板?|恒生|基准|账户|组合|持仓|历史|预期|估值|业绩|财报|分红|支撑|压力|阻力|止损|仓位|成本"
    r"|换手|振幅|净利|营收|毛利|负债|股息|买|卖|加仓|减仓"
    r"|国债|债券|黄金|白银|原油|现金|银行股|白酒股|是否|有没|为|如何|多少|近|年|月|周|日"
)
_END = pattern(
    r"今|昨|前天|去年|最近|近|过去|本[周月年]|上[周个]|的|之间|相关|谁|哪|比|对比|走势|怎|表现|涨|跌|现|市[盈净值]|成交|波动"
    r"|贝塔|相比|到底|更|都|有|在|是|能|会|要|一起|一样|每|股价|价|收|年|月|这|那|如何|吗|呢|和|与|跟|、|[\d\W_]|[A-Za-z]"
)
_JOIN_ZH = r"(?:和|与|跟|、|及|以及|还是|或者?|同|对比|比)"
_AFTER_ZH = pattern(rf"{_MARK}\s*{_JOIN_ZH}\s*(?P<w>[\u4e00-\u9fff]{{2,}})")
_BEFORE_ZH = pattern(rf"(?:^|[，,。？?\s、和与跟]|{_MARK})(?P<w>[\u4e00-\u9fff]{{2,5}}?)\s*{_JOIN_ZH}\s*{_MARK}")
_NAME_EN = r"(?P<w>[A-Z][A-Za-z&]{2,}(?: [A-Z][A-Za-z&]+)*)"
_AFTER_EN = pattern(rf"{_MARK}(?:'s)?,?\s+(?:and|or|vs\.?|versus|with|than|against|to)\s+{_NAME_EN}")
_BEFORE_EN = pattern(rf"(?:^|\s){_NAME_EN}(?:'s)?,?\s+(?:and|or|vs\.?|versus|with|than|against|to)\s+{_MARK}")
_LIST_EN = pattern(rf"{_MARK},\s+{_NAME_EN}(?=,|\s+and\b|\s+or\b)")
_PLAIN_EN = frozenset(
    ("what", "which", "how", "is", "are", "was", "did", "does", "compare", "correlation", "beta", "show", "the",
     "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march",
     "april",
     "may", "june", "july", "august", "september", "october", "november", "december", "relative", "has", "have", "had",
     "between",
     "sharpe", "index", "market", "christmas", "easter", "and", "both", "china", "hong", "kong", "today")
)  # fmt: skip
_SUBJECT = pattern(
    r"^(?P<w>[\u4e00-\u9fff]{2,5}?)(?=现价|今|昨|前天|去年|最近|近|过去|本[周月年]|上[周个]|股价|价格|收盘|开盘|[涨跌]|的|市[盈净值]|多少|怎"
    r"|如何"
    r"|成交|换手|支撑|目标价|分红|[A-Za-z]|报|现在|贵|便宜|值得)",
    re.I,
)
_FIRM = pattern(
    r"^(?P<w>[\u4e00-\u9fff]{2,6}?(?:科技|股份|集团|电子|微电子|医药|制药|药业|银行|证券|能源|电气|电力|控股|实业|生物|材料|汽车"
    r"|软件|信息|通信|光电|半导体|智能|机器人|食品|酒业|地产|置业|传媒|航空|钢铁|化工|机械|重工|船舶|矿业|环保|网络)(?:有限)?(?:公司)?)"
    r"(?=今|昨|现|的|股价|收盘|多少|怎|最近|涨|跌)"
)
"""A name that ends as firms' names do."""


def find_subject_word(text: str) -> str:
    """Return the word with which a Chinese question begins, where a figure is asked of it; "" for none.

    >>> find_subject_word("长电今天涨了吗"), find_subject_word("谢谢")
    ('长电', '')
    """
    found = _SUBJECT.match(text.strip())
    return found["w"] if found else ""


def find_unknown_names(text: str, mentions: list[Mention]) -> list[str]:
    """Return the names beside securities that a question names, which mean none that is known.

    >>> from ia.agent.analyst.ask.mentions import find_mentions
    >>> find_unknown_names("宁王和平安相关性", find_mentions("宁王和平安相关性"))
    ['平安']
    >>> find_unknown_names("宁王和大盘的相关性", find_mentions("宁王和大盘的相关性"))
    []
    """
    marked = text[:LONGEST]
    for mention in sorted(mentions, key=lambda each: -len(each.said)):
        marked = marked.replace(mention.said, _MARK)
    found = []
    for form in (_AFTER_ZH, _BEFORE_ZH):
        for match in form.finditer(marked):
            word = match["w"]
            end = _END.search(word)
            name = word[: end.start()] if end and form is _AFTER_ZH else word
            if not _NOT_NAMES.match(word) and 2 <= len(name) <= 6 and not _NOT_NAMES.search(name):
                found.append(name)
    for form in (_AFTER_EN, _BEFORE_EN, _LIST_EN):
        for match in form.finditer(marked):
            words = [word for word in match["w"].split() if word.casefold() not in _PLAIN_EN]
            if words and words[0].upper() not in not_tickers():
                found.append(" ".join(words))
    return list(dict.fromkeys(found))


def find_unknown_subject(text: str) -> str:
    """Return the name that a question begins with where it could mean securities; "" elsewhere.

    >>> [find_unknown_subject(text) for text in ("平安现价", "比亚笛昨天收盘价", "大盘今天怎样", "星辰科技多少钱")]
    ['平安', '比亚笛', '', '星辰科技']
    """
    firm = _FIRM.match(text.strip())
    if firm is not None and not _NOT_NAMES.search(firm["w"]):
        return firm["w"]
    match = _SUBJECT.match(text.strip())
    if match is None or _NOT_NAMES.match(match["w"]):
        return ""
    name = match["w"]
    try:
        resolve_security(name, spelled=False)
    except IaError as exc:
        if exc.params.get("candidates"):
            return name
        return name if find_near_name(name)[1] else ""
    return name


_TO_WATCH = pattern(
    r"\b(?:add|put|include|place)\s+(?P<en>[^,.;:!?]{2,40}?)\s+(?:to|on|onto|in|into)\s+(?:my|the|our)\s+watch\s?-?list\b"
    r"|把\s*(?P<zh>[^\s，,。？?]{2,12}?)\s*(?:也|都)?(?:加入|加到|加进|添加到|放进|放到|放入|列入|纳入)(?:我的?)?(?:自选|关注|观察)"
    r"|(?:自选股?|关注列表|关注名单)(?:里|中)?(?:再|也)?(?:加上|加入|添加|加)(?:一[个只下])?\s*(?P<zh2>[^\s，,。？?]{2,12})",
    re.I,
)
_NOT_ONE = pattern(
    r"它|他|她|这|那|我|全部|所有|一[只个些]|哪|什么|[和与跟、]|\b(?:it|this|that|these|those|them|all|and|or|some|any|one|everything|what|which"
    r"|stocks?|shares?)\b",
    re.I,
)


def find_unknown_watched(text: str) -> str:
    """Return what is to be put on the watch list in a text that names no known security; "" where nothing is.

    >>> [find_unknown_watched(text) for text in ("Put Ping An on my watch list", "把平安加入自选", "my watch list")]
    ['Ping An', '平安', '']
    """
    match = _TO_WATCH.search(text[:LONGEST])
    if match is None:
        return ""
    name = str(match["en"] or match["zh"] or match["zh2"]).strip()
    return "" if _NOT_ONE.search(name) else name


_FEW = 5
"""Words of an English sentence in which one word may be part of a name: more of them are about something else."""
_SHORT = 12
"""Characters of a Chinese sentence that is likely to name but a security."""
_WORDS = pattern(r"[A-Za-z][A-Za-z&]*(?:['’][a-z]+)?")
_RUNS = pattern(r"[\u4e00-\u9fff]{2,}")
_MOST_MEANT = 3
"""Securities that a part of a name may mean: of more it is no name, but a word such as bank."""


def find_ambiguous_name(text: str) -> str:
    """Return the longest stretch of a text that is part of the names of two or three securities; "" where none is.

    >>> [find_ambiguous_name(text) for text in ("How is Ping An doing?", "平安怎么样", "Which bank is best?")]
    ['Ping An', '平安', '']
    >>> find_ambiguous_name("what'd i pay for apple"), find_ambiguous_name("Ping An's P/E")
    ('', 'Ping An')
    """
    words = [re.sub(r"['’]s\Z", "", each) for each in _WORDS.findall(text[:200])]
    long = [(first, second) for first, second in pairwise(words) if min(len(first), len(second)) > 1]
    pairs = [pair for first, second in long if (pair := f"{first} {second}") in text]
    singles = [
        word
        for word in words
        if len(words) <= _FEW and word[0].isupper() and len(word) > 3 and word.casefold() not in _PLAIN_EN
    ]
    runs: list[str] = _RUNS.findall(text) if len(text) <= _SHORT else []
    parts = [run[at : at + size] for size in (4, 3, 2) for run in runs for at in range(len(run) - size + 1)]
    for said in (*pairs, *singles, *(part for part in parts if not _NOT_NAMES.search(part))):
        try:
            resolve_security(said, spelled=False, suggest=False)
        except AmbiguousName as exc:
            if len(exc.codes) <= _MOST_MEANT:
                return said
        except IaError:
            continue
    return ""


def find_candidates(said: str) -> tuple[str, ...]:
    """Return the codes of the securities that an ambiguous name could mean; () where it is none.

    >>> find_candidates("Ping An"), find_candidates("Moutai")
    (('000001.SZ', '601318.SH', '02318.HK'), ())
    """
    try:
        resolve_security(said, spelled=False, suggest=False)
    except AmbiguousName as exc:
        return exc.codes
    except IaError:
        return ()
    return ()
