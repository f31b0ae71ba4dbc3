"""Short names of the owner's securities: 平安 for the one that was traded, "Three Gorges" for its English name."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from ia.agent.analyst.ask.mentions import LONGEST, find_mentions, strip_mentions
from ia.agent.analyst.voice import count_han
from ia.domain.instruments.symbols import Symbol, bundled_symbols, english_names
from ia.kernel.patterns import pattern

_GENERIC = pattern(
    r"中国|银行|证券|保险|电力|科技|股份|集团|控股|汽车|能源|医药|国际|实业|发展|工业|电子|生物|材料|时代|动力|重工|建筑|石油|石化"
    r"|移动|电信|联通|信托|地产|黄金|航空|机场|高速|港口|环境|环保|食品|乳业|酒业|药业|制药|医疗|软件|信息|通信|光电|智能|世纪|先锋"
    r"|上海|北京|深圳|广东|江苏|浙江|山东|四川|贵州|云南|福建|天津|重庆|海南|湖南|湖北|河南|河北|东方|南方|华夏|国泰|华泰|指数|中证"
    r"|南京|成都|杭州|宁波|厦门|青岛|洛阳|泸州|长春|长安|长城|山西|陕西|美国|北方|公司|基金|技术|建设|高新|高铁|生态|电源|电器|体育|财富"
    r"|娱乐|办公|精密|核电|铝业|锂业|矿业|煤业|钼业|水泥|玻璃|啤酒|铁路|铁建|船舶|轮船|港务|通讯|眼科|阳光|美丽|可口|可乐|光能|绿能|工商|交通|民生"
    r"|联合|恒生|贡酒|智家|味业|创新|成长|价值|红利|资源|传媒|互联|网络|旅游|免税|贸易|物流|电气|机械|化学|化工|钢铁|有色|稀土|农业|文化|教育|消费|健康|未来"
)
"""Parts of Chinese names that are words of their own."""
_ORDINARY = pattern(
    r"advanced|agricultural|aircraft|airport|america|american|auto|automobile|bank|beijing|biological"
    r"|biologics|bond|brewery|brokerage|business|capital|cement|chemical|china|communications|construction"
    r"|corporation|development|developments|devices|digital|dividend|duty|earth|eastern|education|electric"
    r"|electronics|energy|entertainment|environment|equipment|excellent|finance|financial|first|food|foods"
    r"|foodstuff|free|fund|future|general|gold|great|group|guangdong|health|heavy|high|holding|holdings"
    r"|home|hong|hope|hospital|house|huge|index|industrial|industries|insurance|international|internet|king"
    r"|kong|land|life|liquor|lithium|luck|machinery|machines|material|materials|media|medical|medicine"
    r"|merchants|metals|micro|mining|mobile|motor|motors|national|network|nuclear|office|offshore|oilfield"
    r"|online|optical|pacific|petroleum|pharma|pharmaceutical|pharmaceuticals|photovoltaic|platforms|port"
    r"|postal|power|precision|properties|property|railway|rare|renewables|resources|savings|science"
    r"|securities|semiconductor|shanghai|shares|shenzhen|shipping|silver|smart|software|solar|south|speed"
    r"|sports|star|state|steel|sun|tech|technologies|technology|telecom|three|tourism|tracker|trade"
    r"|treasury|trust|union|united|universal|vision|wall|water|wind|world|year"
)
"""Words of English names that are words of their own."""
_AFTER = r"(?![a-z])"
_HAN_RUN = pattern(r"[\u4e00-\u9fff]{2,}")
_LONG_WORD = pattern(r"[a-z]{4,}")
_WORD = pattern(r"[a-z]+")
_FOUR = 4


def may_name_own(text: str) -> bool:
    """Return True if a text has, besides the securities that it names, a short name of some security.

    >>> [may_name_own(text) for text in ("平安我卖飞了没", "when does three gorges go ex-dividend", "今天大盘怎么样")]
    [True, True, False]
    """
    rest = strip_mentions(text[:LONGEST]).casefold()
    shorts, words = _known_shorts()
    runs: list[str] = _HAN_RUN.findall(rest)
    if any(run[at : at + 2] in shorts for run in runs for at in range(len(run) - 1)):
        return True
    return not words.isdisjoint(_LONG_WORD.findall(rest))


def find_own_names(text: str, own: Iterable[Symbol]) -> list[tuple[str, Symbol]]:
    """Return the short names of securities in a text, each of one security alone among those of the owner.

    own  the securities that are held, were traded or are watched

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> own = [from_canonical(code) for code in ("601318.SH", "600900.SH", "600036.SH", "600905.SH")]
    >>> [(said, each.code) for said, each in find_own_names("平安我卖飞了没，长电呢", own)]
    [('平安', '601318'), ('长电', '600900')]
    >>> [(said, each.code) for said, each in find_own_names("is Three Gorges above what the bank pays", own)]
    [('Three Gorges', '600905')]
    """
    rest = strip_mentions(text[:LONGEST])
    meant: dict[str, set[Symbol]] = {}
    for symbol in own:
        for short in _short_names(symbol):
            meant.setdefault(short, set()).add(symbol)
    found: list[tuple[str, Symbol]] = []
    for short in sorted(meant, key=len, reverse=True):
        form = rf"(?<![a-z]){re.escape(short)}{_AFTER}" if short.isascii() else re.escape(short)
        match = re.search(form, rest, re.I)
        if match and len(meant[short]) == 1 and not any(short in said.casefold() for said, _ in found):
            named = {each.said.casefold() for each in find_mentions(text)}
            if not any(short in each for each in named):
                found.append((match[0], next(iter(meant[short]))))
    return found


@cache
def _known_shorts() -> tuple[frozenset[str], frozenset[str]]:
    """Return the first two characters of short Chinese names, and the words of short English ones."""
    every = [short for symbol in bundled_symbols() if symbol.kind == "stock" for short in _short_names(symbol)]
    han = frozenset(short[:2] for short in every if not short.isascii())
    return han, frozenset(word for short in every if short.isascii() for word in short.split() if len(word) > 3)


def _short_names(symbol: Symbol) -> Iterator[str]:
    """Yield how a security may be called in short, in lower case."""
    name = symbol.name or ""
    if len(name) == _FOUR and count_han(name) == _FOUR:
        yield from (part for part in (name[:2], name[2:]) if not _GENERIC.fullmatch(part))
        yield name[0] + name[2]
    words = _WORD.findall(english_names().get(symbol.canonical, "").casefold())
    if len(words) > 1:
        for begin in range(len(words)):
            for end in range(begin + 1, len(words) + 1):
                part = words[begin:end]
                telling = [word for word in part if len(word) > 3 and not _ORDINARY.fullmatch(word)]
                first = not begin or (_ORDINARY.fullmatch(words[0]) and begin == 1)
                if telling and len(part) < len(words) and (len(part) > 1 or (first and len(part[0]) > 5)):
                    yield " ".join(part)
    if words and len(words) < 3 and len(words[-1]) > 4 and not _ORDINARY.fullmatch(words[-1]):
        yield f"{words[-1]}s"
