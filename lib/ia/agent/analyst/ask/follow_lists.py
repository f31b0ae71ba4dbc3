"""Questions that go on with a list: sorted otherwise, the part that meets a condition, which of them."""

import re
from datetime import date

from ia.agent.analyst.ask.facts import industry_forms
from ia.agent.analyst.ask.follow_words import blank_mentions, is_chinese
from ia.agent.analyst.ask.mentions import Mention, find_mentions
from ia.agent.analyst.ask.screens import COLUMNS
from ia.agent.analyst.ask.time_spans import UNREAD, find_time_spans
from ia.kernel.patterns import pattern

_WATCH = pattern(
    r"自选|关注列表|关注名单|关注的|\bwatch ?list\b|\b(?:i|i'm|i am) (?:watch|follow|track)(?:ing)?\b|\bwatched\b", re.I
)
_HELD = pattern(
    r"持仓|持有|仓位|\b(?:(?:do|what|which).{0,8} i (?:own|hold)|my (?:holdings?|positions?|portfolio|stocks"
    r"|shares))\b",
    re.I,
)
_SORT = pattern(
    r"(?:那|再|给我|帮我|把它们?)*(?:按照?|根据|以)(?P<zh>[^，,。]{1,12}?)(?:从[高大好]到[低小差]"
    r"|从[低小差]到[高大好](?=\W*$))?"
    r"(?:来)?(?:(?<=从[高大好]到[低小差])|(?<=从[低小差]到[高大好])|排(?:一?[下个]|序|名|列)*|排个序)(?:吧|看看|给我)*"
    r"|(?:(?:can|could) you |please |now |and |then )*(?:sort|rank|order|list)(?: (?:it|them|these|those|that"
    r"|the list))?"
    r"(?: (?:again|now))? by (?:the |their )?(?P<en>[\w/ '’-]{1,30}?)(?: please| instead)*",
    re.I,
)
_WHICH_OF = pattern(
    r"(?:and |so )*(?:which|what|how many)(?: ones?| stocks| shares)? of (?:them|these|those)(?P<en> (?:is|are"
    r"|was|were|has|have|did|rose"
    r"|fell|gained|lost|went)\b.{2,60})"
    r"|(?:那|那么)?(?:其中|里面|里头|当中|这里面|这些)的?(?P<zh>(?:有)?(?:哪|谁|几|多少)[^，,。]{2,20})",
    re.I,
)


def ask_of_list(core: str, last: str) -> str:
    """Return a question about the owner's list that was spoken of: sorted by something, or which of it; "" for another.

    >>> ask_of_list("按本周涨幅排一下", "自选股有哪些"), ask_of_list("sort it by P/E", "show watch list")
    ('自选股按本周涨幅排序', 'rank my watch list by P/E')
    >>> ask_of_list("which of them are down today", "show watch list")
    'which stocks on my watch list are down today'
    """
    bare = blank_mentions(last)
    watched = _WATCH.search(bare) is not None
    if watched == (_HELD.search(bare) is not None):
        return ""
    if found := _SORT.fullmatch(core):
        if found["zh"]:
            return f"{'自选股' if watched else '我的持仓'}按{found['zh']}排序"
        return f"rank my {'watch list' if watched else 'holdings'} by {found['en']}"
    if (found := _WHICH_OF.fullmatch(core)) and watched:
        if found["zh"]:
            return f"自选股里{found['zh']}"
        return f"which stocks on my watch list{found['en']}"
    return ""


_SCREENED = pattern(
    r"[选筛排]|[有是]哪[些几]|(?:[高低大小]于|超过|不到|以[上下])[^，,。]{1,8}的(?:股票|公司)|最[高低大小贵便多少]|前[十\d三五]|低估|高股息|哪[些几][只家]?|列"
    r"|\b(?:highest|lowest|largest|biggest|cheap\w*|rank\w*|list|stocks|shares|companies|banks|show me|find|top)\b",
    re.I,
)
_SORTED = pattern(
    r"最|前[\d一二三四五十]|排|\b(?:highest|lowest|largest|biggest|cheap\w*|top|rank\w*|sort\w*"
    r"|by)\b",
    re.I,
)
_BOUND_ZH = (
    r"(?:大于|超过|高于|低于|小于|不低于|不高于|不超过|不到|过)?\s*-?[\d.一二两三四五六七八九十百千]+\s*"
    r"(?:%|倍|[千百]?亿|万亿?|元|块)?(?:以上|以下|以内)?"
)
_ADD = pattern(
    r"(?:那|再|还|并且?|同时|请|帮我)*(?:要求?|加上?|限定|满足|加个|加一?个|叠加)+(?:条件"
    r"|限制)?[:：]?(?:一?个)?(?P<zh>[^，,。]{2,10}?"
    rf"{_BOUND_ZH})(?:的)?(?:条件|限制|要求)?(?:呢|吧)?"
    r"|(?:and |but |also |then |now |add |plus |only |just |those |the ones |ones |with |which |that |have "
    r"|has |having |a |an )+"
    r"(?P<en>[a-z/ ]{2,24} (?:above|below|over|under|at least|at most|less than|more than) [\d.]+ ?(?:%|percent"
    r"|billion|bn|million"
    r"|times)?)(?: (?:too|as well|please|also))*",
    re.I,
)
_OF_COLUMN = pattern(
    r"(?:and |but |ok |then |now |only |just )*(?:the )?(?:ones?|those|these)(?: (?:that are|which are|with))?"
    r" (?P<en>(?:above|below|over|under|at least|at most) [\d.]+ ?(?:%|percent|billion|bn|million|times)?)(?: please)?"
    r"|(?:那|只看|只要|就看|就要|留下)*(?P<zh>(?:大于|超过|高于|低于|小于|不到)[\d.]+(?:%|倍|亿)?|[\d.]+(?:%|倍"
    r"|亿)?(?:以上|以下))的",
    re.I,
)
_BIG = pattern(
    r"(?:and |but |ok |then |now |only |just )*(?:the )?(?:big|large|bigger|larger)(?: ones| companies"
    r"| names)?,? ?(?:the ones |those )?"
    r"(?P<en>(?:over|above|more than|at least) [\d.]+ ?(?:billion|bn))(?: please)?",
    re.I,
)
_WITHOUT = pattern(
    r"(?:那|再|请|把)*(?:去掉|剔除|除去|排除|不要|去除|筛掉)(?P<zh>[^，,。]{2,12}?)(?P<side>以下"
    r"|以上)的?(?:股票|公司)?(?:呢|吧|去掉|剔除)?",
)


def add_condition(core: str, last: str) -> str:
    """Return the last question, a list of stocks, with one more condition; "" where none is added.

    >>> add_condition("再加个股息率3%以上的条件", "低估值银行筛一下")
    '低估值银行筛一下，股息率3%以上'
    >>> add_condition("only the ones above 3%", "rank banks by dividend yield")
    'rank banks by dividend yield, dividend yield above 3%'
    >>> add_condition("去掉市值五百亿以下的", "银行股里PB低于1的有哪些")
    '银行股里PB低于1的有哪些，市值五百亿以上'
    >>> add_condition("with ROE above 10%", "cheap banks")
    'cheap banks, ROE above 10%'
    """
    bare = blank_mentions(last)
    if _SCREENED.search(bare) is None or _WATCH.search(bare) or _HELD.search(bare):
        return ""
    joined = "，" if is_chinese(last) else ", "
    whole = last.strip(" ?？。.")
    if (found := _SORT.fullmatch(core)) and not _SORTED.search(bare) and _find_column(found["zh"] or found["en"] or ""):
        order = re.search(r"从.到.", core)
        return (
            f"{whole}，按{found['zh']}{order[0] if order else '排序'}" if found["zh"] else f"{whole}, by {found['en']}"
        )
    if (found := _RANK_OF.fullmatch(core)) and not _SORTED.search(bare) and _find_column(found["zh"]):
        return f"{whole}，按{found['zh']}{'从高到低' if found['side'] in '高大多' else '从低到高'}"
    if found := _BIG.fullmatch(core):
        return f"{whole}, market cap {found['en']}"
    if found := _WITHOUT.fullmatch(core):
        return f"{whole}{joined}{found['zh']}{'以上' if found['side'] == '以下' else '以下'}"
    if (found := _OF_COLUMN.fullmatch(core)) and (column := _find_column(bare)):
        return f"{whole}{joined}{column}{found['zh'] or ' ' + found['en']}"
    found = _ADD.fullmatch(core)
    said = (found["zh"] or found["en"] or "").strip() if found else ""
    return f"{whole}{joined}{said}" if said and _find_column(said) else ""


def _find_column(words: str) -> str:
    """Return the words of the one column of a screen that a text names; "" where it names none, or several."""
    said = [match[0] for column in COLUMNS if (match := re.search(column.words, words, re.I))]
    return said[0] if len(set(said)) == 1 else ""


_AROUND_GROUP = pattern(
    r"^(?:那|那么|只看|只要|只留|光看|就看|换成|改成|the |for |in |only |just )+"
    r"|(?:板块|行业|股|类|的| sector| industry"
    r"| stocks| ones| shares)+$",
    re.I,
)


PLACE_AMONG = pattern(
    r"(?:那|它|又)*(?:跟|和|与|在)?(?:所有|全部|其他|别的|各个?|整个)?(?:的)?(?:行业|板块)?(?:里面?|中|当中|之中|相?比)?(?:能)?"
    r"(?:排(?:名|在)?)(?:第几|老几|多少名|第几名|第几位|如何|怎么样)(?:名|位|呢)?"
    r"|(?:and |so )*(?:where|how|(?:which|what) (?:place|rank|position)) (?:does|did|do|is) (?:it|that|this|the sector"
    r"|the industry) (?:rank|stand|place|come|take|get)(?: in)?(?: (?:among|amongst|of|against|versus|vs|compared (?:to"
    r"|with)) (?:all |the |other |all the |the other )*(?:sectors|industries|others|rest)?)?",
    re.I,
)
"""Asks which place the industry that was spoken of has among all."""


def rank_industry(core: str, last: str, today: date) -> str:
    """Return for which place the industry that was spoken of is asked, over its time; "" for another question.

    >>> rank_industry("在行业里排第几", "白酒今年怎么样", date(2024, 3, 15))
    '白酒板块今年涨跌幅排第几'
    """
    bare = blank_mentions(last)
    if not PLACE_AMONG.fullmatch(core.strip()) or find_mentions(last):
        return ""
    said = {match[0]: match for form, _ in industry_forms(bare) if (match := form.search(bare))}
    if len(said) != 1:
        return ""
    (name,) = said
    spans = [span.said for span in find_time_spans(bare, today) if span.kind != UNREAD]
    if not is_chinese(core):
        return f"how did {name} rank among the industries {' '.join(spans) or 'today'}"
    return f"{name.removesuffix('板块').removesuffix('股')}板块{''.join(spans) or '今天'}涨跌幅排第几"


_LEADS = pattern(
    r"(?:那|是)*(?:谁|哪一?[只个支家])(?:在)?领(?P<zh>[涨跌])|领(?P<zh2>[涨跌])的(?:是|有)?(?:谁|哪[只个些几])"
    r"|(?:who|which(?: one| stock)?)(?: is|'s) (?:leading|(?:the )?(?:leader|strongest|best))",
    re.I,
)


def name_leader(core: str, last: str, today: date) -> str:
    """Return which stock of the industry that was spoken of rose or fell most over its time; "" for another question.

    >>> name_leader("谁领涨", "白酒板块近一个月涨跌", date(2024, 3, 15))
    '白酒股里近一个月涨得最多的是谁'
    """
    found, bare = _LEADS.fullmatch(core), blank_mentions(last)
    said = {match[0]: match for form, _ in industry_forms(bare) if (match := form.search(bare))} if found else {}
    if found is None or len(said) != 1 or find_mentions(last):
        return ""
    spans = [span.said for span in find_time_spans(bare, today) if span.kind != UNREAD]
    (name,) = said
    if not is_chinese(core):
        return f"which {name} stock rose most {' '.join(spans) or 'today'}"
    way = found["zh"] or found["zh2"]
    return f"{name.removesuffix('板块').removesuffix('股')}股里{''.join(spans) or '今天'}{way}得最多的是谁"


_RANK_OF = pattern(
    r"(?:那|其中|里面)*(?:哪一?[只个支家]|谁)?的?(?P<zh>[^，,。最]{2,8}?)最(?P<side>[高低大小多少])的?(?:是)?(?:哪一?[只个支家]|谁)?"
)


def change_industry(core: str, last: str) -> str:
    """Return the last question for another industry, or for one where it named none; "" where none is asked for.

    >>> change_industry("银行", "白酒股今天涨了吗"), change_industry("liquor", "how did banks do today")
    ('银行股今天涨了吗', 'how did liquor do today')
    >>> change_industry("银行", "股息率最高的股票")
    '银行股里股息率最高的股票'
    """
    name = _AROUND_GROUP.sub("", core.strip()).strip()
    if len(name) < _SHORTEST or not any(form.fullmatch(name) for form, _ in industry_forms(name)):
        return ""
    bare = blank_mentions(last)
    said = [match for form, _ in industry_forms(bare) if (match := form.search(bare))]
    if len(said) == 1:
        return last[: said[0].start()] + name + last[said[0].end() :]
    if said or _SCREENED.search(bare) is None or _WATCH.search(bare) or _HELD.search(bare):
        return ""
    return f"{name}股里{last}" if is_chinese(last) else f"{last.strip(' ?.')} in {name}"


_MOST_OF = pattern(
    r"(?:市[盈净销]率|股息率?|总?市值|ROE|净资产收益率|毛利率|换手率|成交额|P[EB]|涨得?|跌得?)(?:是|又)?最[高低大小多少狠惨好](?:的)?"
    r"(?:是)?(?:谁|哪一?[只个家支])?",
    re.I,
)
"""A ranking that names nothing of what is ranked."""
_PLACE = pattern(r"\A(?P<place>[\u4e00-\u9fff]{2,8}?(?:里面|里头|当中|里|中))(?=[^，,。]*最)")


def rank_again(core: str, last: str, text: str) -> str:
    """Return another ranking of the stocks that the last question ranked; "" where a text asks for none.

    >>> rank_again("市盈率最低的", "银行股里股息率最高的是谁", "市盈率最低的呢")
    '银行股里市盈率最低的'
    >>> rank_again("市盈率最低的", "股息率最高的股票", "市盈率最低的呢")
    ''
    """
    if not text.rstrip("?？ 。").endswith("呢") or not _MOST_OF.fullmatch(core.strip()):
        return ""
    found = _PLACE.match(last)
    return f"{found['place']}{core.strip()}" if found else ""


_SHORTEST = 2
"""Characters of the shortest name of an industry."""


_RANKED = pattern(
    r"最|前[\d一二三四五十]|[筛选排]|\b(?:highest|lowest|largest|biggest|cheap\w*|rank\w*|list|top|with|which)\b", re.I
)
_OF_GROUP = pattern(
    r"板块|行业|怎么样|如何|[涨跌]|表现|走势|\b(?:sector|industry|do|doing|did|perform\w*|up|down|r[io]se"
    r"|f[ae]ll)\b",
    re.I,
)


def ask_move_of(mentions: list[Mention], last: str, today: date) -> str:
    """Return how much some securities moved, after a question how an industry did; "" for another question before.

    >>> ask_move_of(find_mentions("中信证券"), "证券板块今天怎么样", date(2024, 3, 15))
    '中信证券今天涨跌多少'
    """
    bare = blank_mentions(last)
    forms = industry_forms(bare)
    if not mentions or find_mentions(last) or _RANKED.search(bare) or not _OF_GROUP.search(bare):
        return ""
    if not any(form.search(bare) for form, _ in forms):
        return ""
    said = " ".join(span.said for span in find_time_spans(bare, today) if span.kind != UNREAD)
    if is_chinese(last):
        return f"{'、'.join(each.said for each in mentions)}{said or '今天'}涨跌多少"
    return f"how much did {' and '.join(each.said for each in mentions)} change {said or 'today'}"
