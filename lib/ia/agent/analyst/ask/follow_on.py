"""Questions that go on with the one before: "and last month?", "那市净率呢", "工行呢". They are read as whole ones."""

import re
from datetime import date

from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.ask.time_spans import UNREAD, TimeSpan, blank_spans, find_time_spans
from ia.kernel.patterns import pattern

LONGEST = 40
"""Characters of the longest question that can go on with another one."""
_LEAD = pattern(
    r"^\W*(?:(?:and|so|then|ok(?:ay)?|also|but|now)\b[, ]*)*(?:(?:what|how) about\b|(?:and|then|also)\b)"
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
_NOTHING = pattern(r"(?:['’]s\b|\b(?:on|in|at|for|of|the|is|was|it|and|its|over)\b|[的是在呢那\W_])*", re.I)
_NOW = pattern(r"(?:现在|目前|当前|眼下|此刻|\b(?:right )?now\b|\bcurrently\b)", re.I)
_AGAINST = pattern(r"(?:比|跟|和|与|较|\bcompared (?:to|with)\b|\bversus\b|\bvs\.?|\bthan\b|相比|比较|呢)", re.I)
_WHICH = pattern(r"^\W*(?:哪|谁|最|第一|which|who)", re.I)
_LIST = pattern(r"(?:我的?)?(?:自选股?|关注列表|持仓股?)|\bmy (?:watch ?list|holdings|positions)\b", re.I)
_VOLUME = pattern(r"成交量|\bvolume\b", re.I)
_PRICE = pattern(r"价|收盘|涨|跌|点位|\b(?:price|close[ds]?|level|up|down|r[io]se|fell|fall)\b", re.I)
_ELSEWHERE = pattern(
    r"大盘|市场|股市|两市|沪市|深市|[Aa]股|港股|美股|指数|行业|板块|概念|赛道|[\u4e00-\u9fff]股(?!价|息|本|东|票|份|权|数)"
    r"|哪些|几[只家]|涨停的|跌停的|涨幅榜|跌幅榜|龙虎榜|主线|交易日|开市|开盘吗|放假|休市"
    r"|我|咱|账户|持仓|仓位|组合|现金|任务|自选|关注|北向|融资融券|解禁"
    r"|\b(?:i|my|me|mine|we|our|markets?|stocks|account|portfolio|holdings?|positions?|cash|tasks?|watch ?list|sectors?"
    r"|industr\w+|index|indices|you|your|gainers|losers|holidays?)\b",
    re.I,
)
"""Words of something else than a security: the market, an industry, the owner's account, ia itself."""
_MEANT = pattern(r"什么|解释|意思|\bwhat(?:'s| is| are| does)\b|\bexplain\b|\bmean", re.I)
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


_ASIDE = pattern(
    r"\W*(?:(?:but|and|so|ok(?:ay)?)\b[, ]*)?"
    r"(?:why(?: so| is that| not)?|how (?:so|come)|what for|为什么|为啥|凭什么|怎么说|何以见得"
    r"|(?:理由|依据|原因)(?:是什么|呢)?|(?:many )?thanks?(?: you)?(?: a lot)?|thank you|great|谢谢你?|多谢|好的?)"
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
    (lang, pattern(rf"(?P<rest>.*?)[\s,，、;；。.?？!！—–-]*(?<![a-z]){_SAY}(?:{form}){_POLITE}", re.I | re.S))
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
    return _complete(question, whole, recent, today)


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


def _complete(text: str, last: str, recent: list[Mention], today: date) -> str:
    led, tailed = _LEAD.search(text), _TAIL.search(text)
    if not last or len(text) > LONGEST or text.startswith("/"):
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
        return _replace(last, named, mentions, said, today) or text
    if (led or tailed) and named and not mentions and _NOTHING.fullmatch(_NOW.sub(" ", rest)):
        return _without_times(last, today)
    if (
        said
        and not mentions
        and len(named) == 1
        and _AGAINST.search(rest)
        and _NOTHING.fullmatch(_AGAINST.sub("", rest))
    ):
        return _compare(named[0], last, said[0], today) or text
    if not mentions and _WHICH.search(core) and not _ELSEWHERE.search(core) and (listed := _LIST.search(last)):
        times = "" if said else " ".join(last[span.at[0] : span.at[1]] for span in find_time_spans(last, today))
        return f"{listed[0]}里{times}{core}" if _is_chinese(core) else f"{core} on {listed[0]} {times}"
    if mentions or _ELSEWHERE.search(core):
        return text
    them = bool(_THEM.search(core))
    if them and len(named) < 2:
        named = recent[-2:]
    if not named or not (led or tailed or them) or (them and len(named) < 2):
        return text
    names = named if them or len(named) > 1 else named[:1]
    return _attach(names, _ITS.sub(" ", _THEM.sub(" ", core)).strip())


def _attach(named: list[Mention], asked: str) -> str:
    """Return a question with the securities that it is about."""
    if not named:
        return asked
    names = [each.said for each in named]
    return "、".join(names) + asked if _is_chinese(asked) else f"{asked} of {' and '.join(names)}"


def _is_chinese(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff]", text) is not None


def _without_times(whole: str, today: date) -> str:
    """Return a question without its times: it is then about now."""
    return re.sub(r"\s+", " ", blank_spans(whole, find_time_spans(_blank_mentions(whole), today))).strip()


def _compare(named: Mention, last: str, time: str, today: date) -> str:
    """Return a question that compares now with a time, in the volume or the price asked for before; "" for another."""
    chinese = _is_chinese(time)
    if _VOLUME.search(last):
        return f"{named.said}成交量 比{time}多吗" if chinese else f"is the volume of {named.said} more than {time}"
    if _PRICE.search(last):
        return f"{named.said}{time}以来涨跌" if chinese else f"how much did {named.said} change since {time}"
    return ""


def _replace(last: str, named: list[Mention], mentions: list[Mention], times: list[str], today: date) -> str:
    """Return the last question with other securities and another time; "" where it is not clear what they replace."""
    whole = last
    if mentions:
        new = ("、" if _is_chinese(last) else " and ").join(each.said for each in mentions)
        if not named and _ITS.search(last):
            whole = _ITS.sub(new, last, count=1)
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
    return f"{new}{whole}" if _is_chinese(whole) else f"{whole.strip(' ?')} {new}"


def _blank_mentions(text: str) -> str:
    """Return a text of the same length without the securities that it names."""
    for each in find_mentions(text):
        text = text.replace(each.said, " " * len(each.said))
    return text
