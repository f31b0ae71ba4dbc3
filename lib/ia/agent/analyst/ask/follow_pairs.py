"""Questions about those that were asked about one after the other: which has more of it, their mean, what lies between.

"Moutai P/E", "and Wuliangye?", "which is higher?" asks what "which has the higher P/E, Moutai or Wuliangye" asks.
"""

import re
from datetime import date
from functools import cache
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import find_currencies
from ia.agent.analyst.ask.follow_words import ELSEWHERE, LONGEST, OWNER, blank_mentions, drop_lead, is_chinese
from ia.agent.analyst.ask.idea_words import load_rows
from ia.agent.analyst.ask.mentions import Mention, find_mentions
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, TimeSpan, blank_spans, find_time_spans
from ia.kernel.patterns import compile_pattern, pattern

_FIGURES = (
    r"(?:营收|净?利润|收入)(?:同比)?(?:增[速长]|增长率?)|市[盈净销]率|股息率|总?市值|换手率|成交[量额]"
    r"|净资产收益率|毛利率|净利率"
    r"|负债率|营业?收入?|净?利润|波动率?|最大回撤|回撤"
    r"|(?<![a-z])(?:dividend yield|market cap\w*|(?:gross|net) margin|(?:revenue|(?:net )?profit|earnings) growth"
    r"|net profit|revenue|price[ -]to[ -](?:book|earnings|sales)|p/?[ebs](?: ratio)?|return on equity|roe|eps"
    r"|volatil\w+|(?:max(?:imum)? )?draw-?down|turnover(?: rate)?|volume|debt ratio)(?![a-z])"
)
"""Figures of one security that another one has, too; indicators are in ideas.tsv."""


@cache
def _figure_form() -> re.Pattern[str]:
    indicators = [forms for head, forms in load_rows("ideas.tsv") if _INDICATOR.fullmatch(head)]
    return compile_pattern(rf"{_FIGURES}|(?<![a-z])(?:{'|'.join(indicators)})(?![a-z])", re.I)


_INDICATOR = pattern(r"FIGURE\S*=[A-Z]{3,}~[A-Z]{3,}")
"""The head of a row whose figure has the same short name in both languages."""
_MOVED = pattern(
    r"[涨跌]|表现|走势|怎么样|如何"
    r"|\b(?:do|did|done|doing|change[ds]?|r[io]se|risen|f[ae]ll|fallen|go|gone|went|up|down|gain\w*|lo[st]\w*|drop\w*"
    r"|move[ds]?|perform\w*|return\w*)\b",
    re.I,
)
"""A question how a price moved."""
_FELL = pattern(r"跌|\b(?:f[ae]ll|fallen|lo[st]\w*|drop\w*|down)\b", re.I)
_PRICED = pattern(
    r"价|收盘|收(?=了?(?:多少|在|于|几))|多少[点钱]|点位|\b(?:price[ds]?|close[ds]?|level|quote|trad\w+|stand|stood)\b",
    re.I,
)
_GAINED = pattern(r"[赚亏挣]|盈亏|\b(?:made?|make|earn\w*|profits?|los[st]|gain\w*|up|down)\b", re.I)
_WHO = pattern(
    r"(?:which|who|what)(?:['’]s)?(?: (?:one|stock|share|company|index))?"
    r"(?: of (?:them|the two|the three|those|these|both)(?: two| three)?)?(?P<rest>(?: [\w/%'’-]+)*)",
    re.I,
)
_MORE = pattern(
    r"\b(?:more|less|most|least|better|worse|best|worst|(?:high|low|bigg|larg|small|strong|weak|fast|slow|risk"
    r"|safe|cheap"
    r"|dear|pric|great|clos|near)i?e?(?:r|st)|(?:more|less) expensive)\b",
    re.I,
)
_LESS = pattern(r"\b(?:less|least|worse|worst|(?:low|small|weak|slow|cheap)e(?:r|st))\b|[低小少差弱慢]|便宜", re.I)
_MORE_ALONE = pattern(
    r"\b(?:and|so|then|one|ones|is|was|has|had|did|does|do|the|a|it|now|today|at|right|moment|more|less|most|least"
    r"|much|better|best|worse|worst|(?:very |clearly |still )?(?:high|low|bigg|larg|small|strong|weak|fast|slow|risk"
    r"|safe|cheap|dear|pric|great|clos|near|steep|stead)i?e?(?:r|st)|expensive|good|value|figures?|number|ratio|of|them|two|both|me|than|other)\b"
    r"|[更最比较高低大小多少贵好差强弱快慢猛狠惨近远些点一的呢啊是了得]|便宜|安全|厉害|划算|哪|个|只|家|支|谁|它们|两|者",
    re.I,
)
"""Words of a question which of several has more that name nothing that is compared."""
_JUDGES = pattern(r"\b(?:better|best|worse|worst|stronge?r?\w*|weake?r?\w*)\b|[好差强弱]", re.I)
"""More of some figures is better, and of others worse."""
_GOOD = pattern(
    r"股息|净资产收益|[毛净]利|利润|营|增[速长]"
    r"|(?<![a-z])(?:yield|roe|return on equity|margin|profit|revenue|growth|earnings|eps)",
    re.I,
)
_RISKY = pattern(r"\b(?:riski|safe)(?:er|est)\b|风险|安全|稳", re.I)
_WHO_ZH = pattern(
    r"(?:那|那么|这|它们)?(?:两|俩|二|三)?(?:个|者|只)?(?:里|中|之间)?(?P<of>[^，,。]{0,10}?)(?:哪一?[个只家支]"
    r"|谁)(?P<more>[^，,。]{0,10}?)"
    r"(?:一?[些点])?(?:呢|啊)?"
)
_MORE_ZH = pattern(r"[更最]|比较|[高低大小多少贵好差强弱快慢猛狠惨近远]|便宜|安全|厉害|划算")
_MEAN = pattern(
    r"(?:what(?:['’]s| is| was)? |the )*(?:average|mean)"
    r"(?: (?:of|for|over) (?:them|the two|the three|those|these|both|all)(?: two| three)?(?: of them)?)?(?: of them)?"
    r"|(?:the two |both |those |them )+on average"
    r"|(?:那|它们|他们|这|两|俩|三|几|[个只家者]|的)*平均(?:值|数|下来|一下)?(?:的话)?(?:是|有)?(?:多少|几个点)?",
    re.I,
)
_BETWEEN = pattern(
    r"(?:(?:so|and|by|that'?s|which is|what(?:['’]s| is| was)?|how|the|a)\s)*"
    r"(?:how (?:much|many|far)(?: in)?(?: per ?cent(?:age)?| points?|%)?(?: (?:is|was|of a) (?:that|it|this"
    r"|the (?:difference|change|move|rise|gain|drop|fall|increase)))?"
    r"(?: (?:change|difference|rise|move|gain|drop|fall))?"
    r"|how much (?:has|did|is) (?:it|that|the (?:price|stock|share|index|rate))(?: (?:been|gone|go|moved?|changed?"
    r"|r[io]sen?|f[ae]ll(?:en)?|up|down|gain(?:ed)?|los[et]|drop(?:ped)?|differ|in between|since|since then|then"
    r"|in total|by now))+"
    r"|(?:per ?cent(?:age)?|%) (?:is|was) (?:that|it|the (?:change|difference))|(?:in|as an?) (?:per ?cent(?:age)?|%)"
    r"|(?:per ?cent(?:age)? |% )?(?:change|difference|move|rise|gain|drop|fall|increase)"
    r"(?: (?:between them|in between|(?:between|from|over) (?:the|those|these) two"
    r"(?: (?:days|dates|closes|prices))?))?)"
    r"(?: (?:in|as an?) (?:per ?cent(?:age)?|%)(?: terms)?)?(?: (?:then|now))?"
    r"|(?:那|这|两者|中间|之间|期间|一共|总共|现在|它|相|又)*(?:差|变|[涨跌])(?:动|化)?(?:了|出)?(?:多少"
    r"|百分之(?:几|多少)|几个?(?:百分)?点)(?:个?(?:百分)?点|钱)?"
    r"|(?:那|这)*(?:是|算)?(?:百分之(?:几|多少)|几个?(?:百分)?点)|(?:那|这)*(?:变化|涨跌幅?|涨幅|跌幅|差距"
    r"|差额)(?:是|有)?(?:多少|多大)",
    re.I,
)
"""How far it is from the one value to the other."""
_WHICH_TIME = pattern(
    r"(?:so |and )?(?:which|what)(?: (?:month|week|year|quarter|one))?(?: of (?:them|the two))? (?:was|is|did|went)"
    r"(?: (?:the|it))? (?:better|worse)(?: (?:one|month|week|year))?(?: for me)?"
    r"|(?:so |and )?which (?:one|of (?:them|the two)) (?:was|is)(?: the)? (?:best|worst)(?: for me)?"
    r"|(?:那)?哪一?个?(?:月|周|星期|年|季度)(?:的|收益|表现|赚得|做得|更|比较|成绩)*(?:好|差|多|少|强|高"
    r"|低)(?:一?[些点])?",
    re.I,
)
_OWN_RESULT = pattern(
    r"收益|盈亏|[赚亏]|表现|业绩|\b(?:portfolio|account|made?|make|earn\w*|los[et]|return|do|did|perform\w*)\b", re.I
)
_TWO_ONLY = pattern(r"\b(?:two|both)\b|[两俩二]", re.I)
_FILLERS = pattern(
    r"\b(?:and|so|then|ok|what|how|is|was|are|were|the|of|on|for|at|in|a|about|its|it|please|me|show|tell|now"
    r"|today|much|many)\b"
    r"|['’]s\b|[的是呢了]|多少|几|现在|今天|请|帮我|看看|\W",
    re.I,
)
_SAYS = pattern(r"(?<![a-z])p/?[ebs]\b|[涨跌]|\b(?:r[io]se|f[ae]ll|gained|pays?|yields?|grew|grow\w*)\b", re.I)
"""Names what is compared, beside the figures."""
_OF_THEM = pattern(r" of (?:them|the two|the three|those|these|both)(?: two| three)?", re.I)
_ME = pattern(r"我|\bme\b", re.I)
_SIDES = ("便宜", "贵", "快", "慢", "大", "小", "低", "少", "差", "弱")
_MONEY = {"USD": "美元", "HKD": "港币"}
_MOST = 5
"""Securities that are held against each other."""


class _Asked(NamedTuple):
    """A question for one thing of one security or of several, or of none.

    frame   the question without its securities and its times
    """

    whole: str
    named: list[Mention]
    spans: list[TimeSpan]
    frame: str

    @property
    def times(self) -> str:
        """The times that it names, as they were said."""
        return " ".join(span.said for span in self.spans)


def _read(whole: str, today: date) -> _Asked:
    named = list({each.code: each for each in find_mentions(whole)}.values())
    bare = blank_mentions(whole)
    spans = [span for span in find_time_spans(bare, today) if span.kind != UNREAD]
    figure = _figure_form().search(bare)
    frame = figure[0].casefold() if figure else _FILLERS.sub("", blank_spans(bare, spans)).casefold()
    return _Asked(whole, named, spans, frame)


def _find_several(asked: list[_Asked]) -> list[_Asked]:
    """Return the questions that asked the same of one security each, one after the other, the newest last."""
    last, found = asked[-1], asked[-1:]
    for each in reversed(asked[:-1]):
        if each.whole == found[0].whole:
            continue
        if len(each.named) != 1 or each.named[0].code in {one.named[0].code for one in found}:
            break
        if each.frame != last.frame or each.times != last.times:
            break
        found.insert(0, each)
    return found[-_MOST:]


def ask_of_both(text: str, wholes: list[str], today: date) -> str:
    """Return a question about the securities, or the times, that questions before asked of in turn; "" for another.

    wholes  the questions before as whole ones

    >>> day = date(2024, 3, 15)
    >>> ask_of_both("which is higher", ["Moutai P/E", "Wuliangye P/E"], day)
    'which has the higher P/E, Moutai or Wuliangye'
    >>> ask_of_both("哪家快", ["工行营收增速", "招行营收增速"], day), ask_of_both("哪个贵", ["工行营收增速"], day)
    ('工行和招行哪家营收增速更快', '')
    >>> ask_of_both("which fell more this month", ["hang seng yesterday", "tencent yesterday"], day)
    'which fell more this month, hang seng or tencent'
    >>> ask_of_both("the same two for Wuliangye", ["Moutai P/E", "Moutai ROE"], day)
    'P/E and ROE of Wuliangye'
    >>> ask_of_both("which has the higher P/E, it or SMIC", ["Cambricon P/E"], day)
    'which has the higher P/E, Cambricon or SMIC'
    >>> ask_of_both("how many percent is that", ["BYD price", "BYD price on 2024-03-01"], day)
    'how much did BYD change since 2024-03-01'
    >>> ask_of_both("did Tencent beat it", ["how much did the hang seng change this year"], day)
    'which did better this year, hang seng or Tencent'
    >>> ask_of_both("and the average of the two", ["P/E of Moutai", "P/E of Wuliangye"], day)
    'average P/E of Moutai and Wuliangye'
    """
    if not wholes or len(text) > LONGEST * 2 or text.startswith("/"):
        return ""
    asked = [_read(whole, today) for whole in wholes]
    if find_mentions(text):
        against = _ask_moved_against(text, asked[-1])
        return against or _ask_figures_of(text, asked) or _name_other(text, asked[-1])
    if _PUBLISHED.fullmatch(text) and _figure_form().search(blank_mentions(asked[-1].whole)):
        return asked[-1].whole  # its answer tells when
    core = drop_lead(text)
    core = re.sub(r"^(?:(?:and|so|then|ok(?:ay)?|but)\b[, ]*)+|^那么?", "", core, flags=re.I).strip()
    if between := _ask_between(core, asked, today):
        return between
    if later := _ask_which_time(core, asked):
        return later
    last = asked[-1]
    several = _find_several(asked) if len(last.named) == 1 else []
    named = last.named if len(last.named) > 1 else [each.named[0] for each in several]
    if _TWO_ONLY.search(core) and not last.named[1:]:
        named = named[-2:]
    if len(named) > 1 and _MEAN.fullmatch(core):
        return _ask_mean(last, named, chinese=is_chinese(text))
    return _ask_which(core, asked, named, today)


_AGAINST = pattern(
    r"\W*(?:(?:and|so|but|now)\b[, ]*)*(?:(?:has|have|did|does|is|was|what about|how about) )?(?:my |the )?@"
    r"(?:['’]s)?[,?]? *(?:(?:been |done |do |did |was |is )*(?:any )?(?:better|worse)(?: or (?:better|worse))?"
    r"(?: than (?:that|it|the index))?|(?:beat(?:en)?|outperform(?:ed)?|underperform(?:ed)?) (?:it|that|the index))"
    r"(?:,? (?:over|in|during|for|across) (?:the|that) (?:same )?(?:dates?|period|time|stretch|days|weeks|year|month))?"
    r"\W*"
    r"|\W*(?:那|那么|同期|同一(?:段)?时间|我的)*@(?:呢)?[，,]?(?:同期|同一(?:段)?时间)?(?:的)?(?:表现|走势)?"
    r"(?:有没有|是不是|是)?(?:比它|比(?:这个)?指数|跑赢了?它?|跑赢(?:了)?(?:这个)?指数|强过它|更)(?:还|要|更)*"
    r"(?:[好强差弱])?(?:一?些|一?点)?(?:还是更?[好强差弱])?(?:了)?(?:没有?|吗|么|呢)*\W*"
    r"|\W*(?:那|那么)?@(?:是不是|是否|有没有|有)?(?:也)?(?P<zh>[涨跌])得?(?:有|没有)?比(?:它|这个?|指数"
    r"|大盘)(?:还|更|要)*[多少](?:一?些|一?点)?(?:了)?(?:吗|么|呢)?\W*"
    r"|\W*(?:(?:and|so|but)\b[, ]*)*(?:did|has|is) @ (?P<en>r[io]sen?|gain(?:ed)?|up|f[ae]ll(?:en)?|los[et]|down"
    r"|drop(?:ped)?)"
    r" (?:even )?(?:more|less|further)(?: than (?:it|that|the index))?\W*",
    re.I,
)
"""Asks whether one did better than what was asked about before; @ stands for it."""


def _ask_moved_against(text: str, last: _Asked) -> str:
    """Return which of two did better over the time of the question before; "" for another question."""
    named = list({each.code: each for each in find_mentions(text)}.values())
    if len(named) != 1 or len(last.named) != 1 or len(last.spans) > 1 or OWNER.search(last.whole):
        return ""
    (one,), (other,) = last.named, named
    moved = _MOVED.search(blank_mentions(last.whole)) and _figure_form().search(blank_mentions(last.whole)) is None
    found = _AGAINST.fullmatch(text.replace(other.said, "@", 1))
    if one.code == other.code or not moved or found is None:
        return ""
    if way := found["zh"] or found["en"]:
        falls, times = _FELL.search(way), last.times or ("今天" if found["zh"] else "today")
        if found["zh"]:
            return f"{one.said}和{other.said}{times}谁{way}得多"
        return f"which {'fell' if falls else 'rose'} more {times}, {one.said} or {other.said}"
    if is_chinese(text):
        return f"{one.said}和{other.said}{last.times or '今天'}谁表现好"
    return f"which did better {last.times or 'today'}, {one.said} or {other.said}"


_TWO_FIGURES = pattern(
    r"(?:那|那么|换|换成|再|看|看看|给我|和|改成|轮到|如果|要是|是|同样|一样|[，,、的呢]|\s)*"
    r"(?:这|那|上面|刚才|前面|同样)的?(?:两|俩|2)个?(?:数字?|数据|指标|比率|值|项)?(?:又|都|各|分别|呢|是|为"
    r"|怎么样|如何|多少|[，,？?\s])*"
    r"|(?:\b(?:and|so|now|then|what|how|about|are|is|give|show|tell|me|the|for|of|with|at|do|please|it)\b|['’]s\b"
    r"|[,.?]|\s)*"
    r"\b(?:(?:the )?same|these|those|both|the)(?: two)?(?: (?:figures|numbers|ratios|values|metrics|things))?\b"
    r"(?:\b(?:and|so|now|then|what|how|about|are|is|the|for|of|with|at|please)\b|[,.?]|\s)*",
    re.I,
)
"""Asks for the two figures that were asked for in turn."""
_TWO_SAID = pattern(r"两|俩|2|\b(?:two|both|figures|numbers|ratios|values|metrics)\b", re.I)
_ENGLISH_IT = pattern(
    r"(?P<or>\b(?:or|and|than|to|versus|vs\.?|,) )it\b|\bit(?P<lead>(?:,| or| and| versus| vs\.?) )", re.I
)
_CHINESE_IT = pattern(r"它(?=[和与跟比还])|(?<=[和与跟比])它")
_PUBLISHED = pattern(
    r"(?:(?:and|so|but) )?(?:when|on (?:what|which) (?:day|date)) (?:did|was|has|were|is)"
    r" (?:that|it|this|those|they)(?: (?:report|one|figure|number|result)s?)?"
    r" (?:come out|came out|been published|published|released|appear|out|made public|disclosed|filed|announced)\W*"
    r"|(?:那|这|它)*(?:份|个|期)?(?:数据?|数字|财报|报告|报表)?(?:是)?(?:什么时候|哪一?天|几号|何时"
    r"|啥时候)(?:公布|发布|披露|出来?|发)(?:的|了)?\W*",
    re.I,
)
"""Asks when the report of the figure before came out."""


def _ask_figures_of(text: str, asked: list[_Asked]) -> str:
    """Return the last two figures that were asked of one security in turn, of another one; "" for another question."""
    named, bare = find_mentions(text), blank_mentions(text)
    if len({each.code for each in named}) != 1 or not _TWO_FIGURES.fullmatch(bare) or not _TWO_SAID.search(bare):
        return ""
    figures = list[str]()
    for each in asked:
        of = (
            _figure_form().findall(blank_mentions(each.whole))
            if len(each.named) == 1 and not OWNER.search(each.whole)
            else []
        )
        figures += [found for found in of if found not in figures]
    if len(figures) < len("ab") or len({each.named[0].code for each in asked[-2:] if each.named}) > 1:
        return ""
    one, other = figures[-2:]
    said = named[0].said
    return f"{said}的{one}和{other}" if is_chinese(text) else f"{one} and {other} of {said}"


def _name_other(text: str, last: _Asked) -> str:
    """Return a question that holds "it" against another with the one name that was spoken of; "" where it has none."""
    codes = {each.code for each in find_mentions(text)}
    if len(last.named) != 1 or last.named[0].code in codes:
        return ""
    said = last.named[0].said
    done = _ENGLISH_IT.sub(lambda found: f"{found['or'] or ''}{said}{found['lead'] or ''}", text)
    return done if done != text else _CHINESE_IT.sub(said, text) if _CHINESE_IT.search(text) else ""


def _ask_mean(last: _Asked, named: list[Mention], *, chinese: bool) -> str:
    figure, names = _figure_form().search(blank_mentions(last.whole)), [each.said for each in named]
    if figure is None and (OWNER.search(last.whole) or not _MOVED.search(last.whole) or not last.spans):
        return ""
    if chinese:
        joined = "和".join(names)
        return f"{joined}平均{figure[0]}" if figure else f"{joined}{last.times}平均涨多少"
    joined = " and ".join(names)
    return f"average {figure[0]} of {joined}" if figure else f"how much did {joined} rise on average {last.times}"


_COUNTS = pattern(r"[天次]数|\b(?:days|sessions|times)\b", re.I)
"""Which has more days of something: they are counted, and not what was asked before."""


def _ask_which(core: str, asked: list[_Asked], named: list[Mention], today: date) -> str:
    """Return which of several has more of what was asked, or of what the question itself names; "" for another."""
    zh, en = _WHO_ZH.fullmatch(core), _WHO.fullmatch(core)
    rest = f"{zh['of']} {zh['more']}" if zh else en["rest"] if en else ""
    if ELSEWHERE.search(_ME.sub(" ", core)) or not (_MORE_ZH if zh else _MORE).search(rest):
        return ""
    if _COUNTS.search(rest):
        return _ask_counted(core, rest, asked[-1], named, today)
    spans = [span for span in find_time_spans(rest, today) if span.kind != UNREAD]
    bare = blank_spans(rest, spans)
    says = (_figure_form().search(bare) or _SAYS.search(bare)) is not None
    named = named if len(named) > 1 else _find_two(asked) if says or _ME.search(rest) else []
    if len(named) < 2:
        return ""
    joint = ("和", "、") if zh else (" or ", ", ")
    which = _Which(
        core, rest, joint[len(named) > len("ab")].join(each.said for each in named),
        " ".join(span.said for span in spans), says,
    )  # fmt: skip
    return _put(which, asked[-1])


def _ask_counted(core: str, rest: str, last: _Asked, named: list[Mention], today: date) -> str:
    """Return which of several had more days on which it rose, or fell, over the time of the question before."""
    times = " ".join(span.said for span in find_time_spans(rest, today) if span.kind != UNREAD) or last.times
    days = _DAYS_OF.search(rest)
    if len(named) < 2 or not times or days is None or OWNER.search(last.whole):
        return ""
    falls = _FELL_DAYS.search(days[0])
    less = re.search(r"少|\b(?:fewer|fewest|less|least)\b", rest, re.I)
    if is_chinese(core):
        joined = "和".join(each.said for each in named)
        return f"{joined}{times}哪个{'下跌' if falls else '上涨'}的天数{'少' if less else '多'}"
    joined = " or ".join(each.said for each in named)
    return f"which had {'fewer' if less else 'more'} {'losing' if falls else 'winning'} days {times}, {joined}"


_DAYS_OF = pattern(
    r"(?:上?涨|下?跌|红|绿|阳|阴)[了的]*(?:天数?|日子)|\b(?:up|down|winning|losing|rising|falling|red|green"
    r"|negative|positive) days\b",
    re.I,
)
_FELL_DAYS = pattern(r"跌|绿|阴|\b(?:down|losing|falling|red|negative)\b", re.I)


def _find_two(asked: list[_Asked]) -> list[Mention]:
    """Return the two that were asked about last, one by one, whatever was asked of each."""
    singles = [each.named[0] for each in asked if len(each.named) == 1]
    others = [each for each in singles if each.code != singles[-1].code]
    return [others[-1], singles[-1]] if others and len(asked[-1].named) == 1 else []


class _Which(NamedTuple):
    """A question which of several has more.

    core    the question without its lead
    rest    what it says beside "which"
    joined  the names of those several
    times   the times that it names
    says    whether it names itself what is compared
    """

    core: str
    rest: str
    joined: str
    times: str
    says: bool


def _put(which: _Which, last: _Asked) -> str:
    """Return a question which of several has more as a whole one, of what the last question asked."""
    before, chinese, rest = blank_mentions(last.whole), is_chinese(which.core), which.rest
    own = OWNER.search(before) is not None
    if not which.says and (_ME.search(rest) or (own and _GAINED.search(before))):
        return _ask_own(chinese, rest, which.joined)
    if risk := _RISKY.search(rest):
        small = "小" if re.search("小|低|安全|稳", rest) else "大"
        return f"{which.joined}哪个风险{small}" if chinese else f"which is {risk[0]}, {which.joined}"
    figure = _figure_form().search(before)
    if not which.says and (told := _MORE_ALONE.sub(" ", _OF_THEM.sub(" ", f" {rest} "))).strip(" ,.?"):
        whole = _OF_THEM.sub(" ", f" {rest} ").strip()
        return f"{which.joined}{which.core}" if chinese or not told.isascii() else f"which {whole}, {which.joined}"
    if which.says or (not figure and not own and (_MOVED.search(before) or (not last.frame and last.spans))):
        return _ask_moved(which, which.times or last.times, before)
    figure = figure or _PRICED.search(before)
    if figure is None or own or (_JUDGES.search(rest) and not _GOOD.search(figure[0])):
        return ""
    if chinese:
        more = next((word for word in _SIDES if word in rest), "高")
        return f"{which.joined}哪家{figure[0]}更{'低' if more in '少差弱' else more}"
    return f"which has the {'lower' if _LESS.search(rest) else 'higher'} {figure[0]}, {which.joined}"


def _ask_own(chinese: bool, rest: str, joined: str) -> str:
    less = _LESS.search(rest) is not None or re.search(r"亏|\blost\b", rest) is not None
    if chinese:
        return f"{joined}我哪个{'亏' if less else '赚'}得多"
    return f"which {'lost' if less else 'made'} me more, {joined}"


def _ask_moved(which: _Which, times: str, before: str) -> str:
    """Return which of several moved more over a time, or has more of what the question itself names."""
    chinese, rest = is_chinese(which.core), which.rest
    moves = re.search(r"[涨跌]|\b(?:r[io]se|f[ae]ll|gained)\b", rest, re.I)
    if not chinese and which.says and (which.times or not moves):
        return f"{_OF_THEM.sub('', which.core)}, {which.joined}"
    if which.says and not moves:
        return f"{which.joined}{re.sub('^(?:这|那)?(?:两|俩|二|三)(?:个|者|只|家)?', '', which.core)}"
    if not times:
        return ""
    worse = _FELL.search(rest if which.says else before)
    if not which.says and not re.search("多|more|most", rest):
        worse = _LESS.search(rest)
    if chinese:
        return f"{which.joined}{times}谁{'跌' if worse else '涨'}得多"
    if which.says:
        return f"which {'fell' if worse else 'rose'} more {times}, {which.joined}"
    return f"which did {'worse' if worse else 'better'} {times}, {which.joined}"


def _ask_between(core: str, asked: list[_Asked], today: date) -> str:
    """Return how much a price or a rate changed between the two times that were asked about; "" for another."""
    if len(asked) < 2 or _BETWEEN.fullmatch(core) is None:
        return ""
    last = asked[-1]
    first = next((each for each in reversed(asked[:-1]) if each.whole != last.whole), None)
    if first is None or first.frame != last.frame or OWNER.search(last.whole):
        return ""
    if [each.code for each in first.named] != [each.code for each in last.named] or len(last.named) > 1:
        return ""
    days = sorted(filter(None, (_day_of(each, today) for each in (first, last))))
    if len(days) != 2 or days[0] == days[1]:
        return ""
    chinese = is_chinese(core)
    if not last.named:
        codes = [code for code in find_currencies(last.whole) if code != "CNY"]
        if len(codes) != 1 or days[1] != today:
            return ""
        if chinese:
            return f"{_MONEY.get(codes[0], codes[0])}兑人民币自{days[0]}以来涨跌"
        return f"how much did {codes[0]} change in yuan since {days[0]}"
    if _PRICED.search(blank_mentions(last.whole)) is None and last.frame:
        return ""
    name = last.named[0].said
    if days[1] == today:
        return f"{name}{days[0]}到现在涨跌多少" if chinese else f"how much did {name} change since {days[0]}"
    if chinese:
        return f"{name}{days[0]}到{days[1]}涨跌多少"
    return f"how much did {name} change from {days[0]} to {days[1]}"


def _day_of(asked: _Asked, today: date) -> date | None:
    """Return the one day that a question is about: today where it names none."""
    if not asked.spans:
        return today
    return asked.spans[0].first if len(asked.spans) == 1 and asked.spans[0].kind == DAY else None


def _ask_which_time(core: str, asked: list[_Asked]) -> str:
    """Return in which of the two times that were asked about the owner's account did better; "" for another."""
    if len(asked) < 2 or _WHICH_TIME.fullmatch(core) is None:
        return ""
    first, last = asked[-2], asked[-1]
    own = OWNER.search(last.whole) and _OWN_RESULT.search(last.whole) and not first.named and not last.named
    if not own or not first.times or not last.times or first.times == last.times:
        return ""
    if is_chinese(core):
        return f"我{first.times}和{last.times}哪个月收益好"
    return f"which was better for my portfolio, {first.times} or {last.times}"
