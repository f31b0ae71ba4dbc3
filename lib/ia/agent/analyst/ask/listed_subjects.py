"""Words that point at a security of an answer: "it", "the second one", "the other", "compare the two"."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from ia.agent.analyst.ask.mentions import find_mentions
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.errors import IaError
from ia.kernel.patterns import pattern

_CODE = pattern(r"(?<![\w.])(?:\d{6}\.(?:SH|SZ|BJ)|\d{5}\.HK|[A-Z][A-Z.-]*\.US)(?![\w])")
LONGEST = 90
"""Characters of the longest message whose pronouns are read."""
RECENT = 4
"""Answers back in which a list is looked for."""
_ORDINALS = (
    ("first|1st|top one|former|no. ?1|number (?:one|1)|#1", "第[一1]|头[一1]|前者"),
    ("second|2nd|runner-up|no. ?2|number (?:two|2)|#2", "第[二2]|后者"),
    ("third|3rd|no. ?3|number (?:three|3)|#3", "第[三3]|老三"),
    ("fourth|4th|no. ?4|number (?:four|4)|#4", "第[四4]|老四"),
    ("fifth|5th|no. ?5|number (?:five|5)|#5", "第[五5]|老五"),
)
_NOUNS = (
    r"(?:of (?!them)|month|week|quarter|half|day|year|time|trade|purchase|buy|sale|best|biggest|largest|worst|highest"
    r"|lowest|most|gainers?|losers?|\d|two|three|five|ten|industr\w+|sectors?|risers?|fallers?)"
)
"""What is counted besides securities: the first trade, the second half."""
_THING = r"(?:one|stock|share|company|name|holding|position|of them)"
_NTH = tuple(
    pattern(
        rf"\b(?:the (?:{english})(?: {_THING})?|(?:{english}) {_THING})(?='s\b|\W*$|[ ,?](?!{_NOUNS}))"
        rf"|(?<=\band )(?:{english})(?=\W*$)|(?:{chinese})(?:只|个|支|家|名)?(?:股票|股)?"
        r"(?=的|呢|怎|值|现|今|昨|为|市|股|是|\W*$)",
        re.I,
    )
    for english, chinese in (_ORDINALS)
)
_FIRST_OF = pattern(
    r"\W*(?:and |so |then )*(?:(?:what|when|how|why|where|which|is|does|did|will|should|can)\b[^,.?]{0,24}?\b)?"
    r"the (?:first|second|third|fourth|fifth|last|other) (?:one|ones|of them)\b"
    r"|\W*(?:那|那么)?(?:第[一二三四五]个|最后一个|另一个)(?=的|呢|是|什么|怎|为|\W*$)",
    re.I,
)
"""One of several things of the answer before, of which nothing is known here if they are no securities."""
_LAST = pattern(r"\bthe (?:last|bottom) one\b|\bthe latter\b|最后(?:一)?[只个支家]", re.I)
_OTHER = pattern(r"\bthe other(?: (?:one|stock|share|company))?(?='s\b|\W|$)(?!s)|另(?:外)?(?:一)?[只个支家]", re.I)
_PAIR = pattern(
    r"\b(?:the|those|these|them) two\b(?! (?:best|worst|weeks|months|days))|\bboth(?: of them)?\b|\bthe pair\b"
    r"|(?:这|那)?两(?:者|[只个支家])|它们俩?|这俩|那俩",
    re.I,
)
_WHICH_OF_TWO = pattern(
    r"^\W*(?:(?:and|so|then)\b[, ]*)?(?:which|who)(?: one)?(?: of (?:them|the two))?"
    r" (?:is|was|has|had|did|pays?|paid|trades?|grew|rose|fell|gained|lost|made|earned|moved)\b.{0,30}\b(?:more"
    r"|less|better|worse"
    r"|(?:cheap|high|low|strong|weak|large|small|bigg|dear|pric|fast|slow|safe|risk)\w*er)\b.{0,24}$"
    r"|^(?:那)?(?:今年|这个?[周月]|上个?[周月])?(?:哪一?[个只家]|谁)(?:的.{1,6})?(?:更|比较"
    r"|(?:[涨跌赚亏增]长?得?)(?=[多少快慢好])).{1,8}$",
    re.I,
)
"""Which of two is more: of the two that were asked about one after the other."""
_OF_THOSE = pattern(
    r"(?<=\bwhich )(?:one )?of (?:those|them|these|the (?:three|four|five))\b(?! two)"
    r"|(?<=yields )of (?:those|them|these)(?=\W*$)|(?<=ratios )of (?:those|them|these)(?=\W*$)"
    r"|(?<=(?i:p/e) )of (?:those|them|these)(?=\W*$)|(?<=(?i:p/b) )of (?:those|them|these)(?=\W*$)"
    r"|^(?:那|那么)?(?:(?:这|那)(?:些|几[只个家支])(?:股票?)?)(?:里面?|当?中|里头)?的?(?=.*(?:哪"
    r"|谁|最))",
    re.I,
)
"""All of those that the answer before names."""
_AMONG = pattern(
    r"^(?:那|那么)?(?:这|那)?些?(?:里面|其中|当中|里头)的?(?=.*(?:谁|哪|最))"
    r"|^(?:那|那么)?(?:里面|其中|当中|里头)?(?=有(?:没有)?我(?:持有|拿|买))"
)
_COUNTED = pattern(r"前[\d三五十]+|前?[\d两二三四五六七八九十]+[大只家个支名](?!月|交易日|星期|行业|板块|概念)")
"""A list of so many: its answer has all of them."""
_RANKED_OWN = pattern(r"我|持仓|持有|\bmy\b|\bi (?:own|hold|have|bought)\b", re.I)
_RANK = pattern(
    r"[赚亏盈](?:钱|损|利)?得?的?最|最[赚亏]|\b(?:lost|made|earned|gained|losing|loser|winner|los[et]|profit\w*"
    r"|gain|loss)\b.{0,20}\b(?:most|least)\b|\b(?:most|least|biggest|largest|best|worst)\b.{0,30}\b(?:profit\w*"
    r"|gain\w*|loss\w*|loser|winner|lost|made|earned)\b",
    re.I,
)
"""A ranking of the owner's results, which are told by currency."""
_NAMED_LIST = pattern(r"自选|关注|持仓|持有|\b(?:watch ?list|holdings?|positions?|i (?:own|hold))\b", re.I)
"""Lists of the owner's, which go on under their name."""
MOST_LISTED = 10
"""Securities of an answer that one question can be about together."""
_IT = pattern(
    r"\b(?:(?<=buy )|(?<=bought )|(?<=sell )|(?<=sold ))that(?=\W*$)|\bthat(?= (?:bring|pay|give|earn|yield)s? me\b)"
    r"|\b(?:it|its|it's)\b(?! (?:a |the )?(?:time|holiday|open|possible|true|worth it|right|ok|okay|monday|weekend))"
    r"|\b(?:that|this)(?: (?:one|stock|share|company|name))(?!\w)|\bthe (?:stock|share|company)\b"
    r"|它|这(?:只|个|支|家)(?:股票?)?(?=的|呢|怎|值|现|今|昨|为|市|股|贵|便宜|$)|该股",
    re.I,
)
_AMONG_ALL = pattern(r"\brank\w*\b.{0,30}\b(?:sectors|industries)\b", re.I)
"""Asks for the place of an industry."""
_NO_SUBJECT = pattern(
    r"\bis it (?:a |an )?(?:time|holiday|trading day|open|possible|true|too late|ok|okay|monday|friday)\b"
    r"|\bwhat (?:day|time|date) is it\b|\bit (?:is|was) (?:the|a) (?:weekend|holiday)\b|\bit (?:seems|looks like)\b"
    r"|\b(?:make|made|do|did|put|set|send|repeat|say|write|undo|cancel|delete|stop)"
    r" it(?! (?:at|for|on)\b)\b(?=\W*$)",
    re.I,
)
_THEM = pattern(
    r"(?:(?<=buy )|(?<=bought )|(?<=sell )|(?<=sold )|(?<=hold )|(?<=held )|(?<=own ))them\b|它们|他们", re.I
)
_WHOLE_LIST = pattern(r"\ball\b|\bany\b|全|都", re.I)
_MOST_NAMED = 4
"""Securities of an answer that "them" means one by one."""
_SMALL = pattern(r"\b(?:smallest|lightest|tiniest)\b|最[小轻少]", re.I)
"""Asks for the end of a list that begins with the largest."""
_OF_ONE = pattern(
    r"\b(?:which|who)\b.{0,60}\b(?:most|least|best|worst|more|less|\w+er|\w+est)\b|哪一?[只个支家]|谁", re.I
)
_TWO = 2
_LIST = pattern(r"哪[些几]|有什么|列|股票|股\W*$|\b(?:stocks|shares|companies|which|list|banks)\b", re.I)
"""A question for a list."""
_LAST_DEAL = pattern(
    r"\b(?:last|latest|newest|most recent) (?:trade|deal|order|purchase|sale|buy)\b|(?:最近|最后|上)的?一?[笔次]", re.I
)
_FEES = pattern(r"\b(?:fees?|commissions?|stamp duty|tax(?:es)?)\b|手续费|佣金|费用|印花税|税费", re.I)
_ONE_OF = pattern(
    r"\b(?:which\b.{0,60}?\b(?:is|was|has|had|did|fell|rose|lost|made|gained|cost)"
    r"|who(?:'s| is| was)?|what(?:'s| is| was))\b"
    r"|\b(?:best|worst|biggest|largest|smallest|highest|lowest|cheapest|riskiest|safest|top|strongest"
    r"|weakest|most|least)\b"
    r"|哪[一]?[只个支家]|谁|最",
    re.I,
)
_MANY = pattern(
    r"\b(?:gainers|losers|top \d+|\d+ (?:best|worst|largest|biggest)|which (?:stocks|shares|are)"
    r"|(?<!watch )(?<!my )list|all)\b|哪些|几[只个]",
    re.I,
)


class ResolvedWords(NamedTuple):
    """Messages whose pronouns are replaced by codes, and the codes that the last one may mean, where that is open.

    counted  whether it surely means one of them: "the fourth", not "it"
    """

    texts: list[str]
    open_codes: tuple[str, ...]
    counted: bool


def find_codes(answer: str) -> tuple[str, ...]:
    """Return the codes of the securities that an answer names, in its order, without indices.

    >>> find_codes("**Apple AAPL.US +3%**; then CMB 600036.SH; CSI 300 000300.SH; AAPL.US")
    ('AAPL.US', '600036.SH')
    """
    found = []
    for code in dict.fromkeys(_CODE.findall(answer)):
        try:
            if symbol_of_kind(code).kind != "index":
                found.append(code)
        except IaError:
            continue
    return tuple(found)


def resolve_words(texts: Sequence[str], listed: Sequence[tuple[str, ...]]) -> ResolvedWords:
    """Return messages with the securities that they point at; the newest message is the last.

    listed  the codes that the answer to each of them but the last names

    >>> asked = ["which of my holdings is riskiest?", "and the second one?"]
    >>> resolve_words(asked, [("00700.HK", "600519.SH")]).texts[-1]
    'and 600519.SH?'
    >>> resolve_words(["PE of 300750", "and 002594?", "which is cheaper?"], [("300750.SZ",), ("002594.SZ",)]).texts[-1]
    '300750.SZ and 002594.SZ: which is cheaper?'
    >>> resolve_words(["list my holdings", "how is it valued?"], [("00700.HK", "600519.SH")]).open_codes
    ('00700.HK', '600519.SH')
    """
    resolved: list[str] = []
    lists: list[tuple[str, ...]] = []
    still_open: tuple[str, ...] = ()
    for text, codes in zip_longest(texts, listed, fillvalue=()):
        told, still_open = _resolve(str(text), resolved, lists)
        resolved.append(told)
        lists.append(tuple(codes))
    last = resolved[-1]
    counted = bool(still_open) and any(form.search(last) for form in (*_NTH, _OTHER, _PAIR))
    counted = counted or (len(resolved) > 1 and _FIRST_OF.match(last) is not None and not find_mentions(last))
    return ResolvedWords(resolved, still_open, counted)


def _resolve(text: str, before: list[str], lists: list[tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
    """Return a message with the securities that it points at, and between which it leaves the choice open."""
    if not before or len(text) > LONGEST or text.startswith("/") or find_mentions(text):
        return text, ()
    listed = _newest_list(before, lists)
    for at, form in enumerate(_NTH):
        if listed and form.search(text):
            return (form.sub(listed[at], text, count=1), ()) if at < len(listed) else (text, listed)
    if listed and _LAST.search(text):
        return _LAST.sub(listed[-1], text, count=1), ()
    one = _subject(before, lists)
    if _OTHER.search(text):
        others = [code for code in listed or _recent_codes(before) if code != one]
        return (_OTHER.sub(others[0], text, count=1), ()) if one and len(others) == 1 else (text, tuple(others))
    if named := _name_several(text, before, lists, listed):
        return named, ()
    if _PAIR.search(text) and not find_mentions(before[-1]):
        joint = "、" if "\u4e00" <= text[:1] <= "\u9fff" else " and "
        return (_PAIR.sub(joint.join(listed), text, count=1), ()) if len(listed) == 2 else (text, listed)
    if (
        _WHICH_OF_TWO.search(text)
        and len(lists[-1]) == _TWO
        and not find_mentions(before[-1])
        and _LIST.search(before[-1])
    ):
        joint, stop = ("、", "，") if "\u4e00" <= text[:1] <= "\u9fff" else (" and ", ": ")
        return joint.join(lists[-1]) + stop + text, ()
    if _WHICH_OF_TWO.search(text) and len(lists[-1]) == 1 and len(recent := _recent_codes(before)) > 1:
        joint, stop = ("、", "，") if "\u4e00" <= text[:1] <= "\u9fff" else (" and ", ": ")
        return joint.join(reversed(recent[:2])) + stop + text, ()
    two = tuple(each.code for each in find_mentions(before[-1]) if each.symbol.kind != "index")
    if _IT.search(text) and not _NO_SUBJECT.search(text) and len(two) > 1 and _OF_ONE.search(before[-1]):
        return text, two  # the one that the answer found
    if not _IT.search(text) or _NO_SUBJECT.search(text) or find_mentions(before[-1]) or _AMONG_ALL.search(text):
        return text, ()
    if _RANKED_OWN.search(before[-1]) and _RANK.search(before[-1]) and len(lists[-1]) > 1:
        return text, ()  # several currencies have each their first: the ranking is asked for again
    if _LAST_DEAL.search(before[-1]) and _FEES.search(text):
        return text, ()  # what the trade cost, and not the security
    if one:
        told = _IT.sub(lambda found: one + ("'s" if found[0].casefold() == "its" else ""), text, count=1)
        return re.sub(rf"({re.escape(one)})(?=[a-z])", r"\1 ", told, flags=re.I), ()  # 它pb
    return text, lists[-1] if len(lists[-1]) > 1 else ()


_INDUSTRIES = pattern(
    r"^(?:那|它们|他们|这些|这几[只个家支])?(?:都|分别|各自?)?(?:是|属于|在)(?:什么|哪些|哪个|哪几个|啥)(?:行业|板块)(?:的|里的)?(?:呢)?\W*$"
    r"|^(?:and )?(?:which|what) (?:industry|industries|sectors?) (?:are|do) (?:they|those|these)"
    r"(?: all)?(?: belong to| belong in| in| from)?\W*$",
    re.I,
)
"""Asks for the industries of those that the answer before lists."""
_THEY = pattern(
    r"\b(?:they|those|these)\b(?=(?: all| each)? (?:do|done|doing|fare[d]?|performed?|perform|move[d]?|trade[d]?)\b)",
    re.I,
)
_OF_INDUSTRIES = pattern(r"行业|板块|\b(?:sectors?|industr\w+)\b", re.I)


_THAT_MEET = pattern(
    r"^(?:and )?(?:(?:which|what|how many)(?: ones?)? of (?:those|them|these)"
    r"|of (?:those|them|these),? (?:which|what|how many))"
    r"(?: ones?)? (?:have|has|also have) (?=(?:an? )?[^,.?]{2,24}? (?:below|above|under|over|less than|more than) \d)",
    re.I,
)
"""Asks which stocks of a list meet one more condition."""
_WATCH_LIST = pattern(r"\W*(?:(?:show|list|what is)(?: me)? )?(?:on )?(?:my |the )?watch ?list\W*\Z", re.I)
"""Asks for the watch list, and for nothing of it."""
_MEETS = pattern(
    r"\A(?!.*\b(?:top|first|\w+est|best|worst|most|least)\b).*\b(?:stocks|shares|companies)\b"
    r".{0,60}\b(?:below|above|under|over|less than|more than) \d",
    re.I,
)
"""Asks which stocks meet a condition on a figure."""


def _name_several(text: str, before: list[str], lists: list[tuple[str, ...]], listed: tuple[str, ...]) -> str:
    """Return a message with all securities of a list in the place of the words for them; "" where none are meant."""
    if _INDUSTRIES.search(text) and listed == lists[-1] and 1 < len(listed) <= MOST_LISTED:
        if "\u4e00" <= text[:1] <= "\u9fff":
            return f"{'、'.join(listed)}属于什么行业"
        return f"industry of {', '.join(listed[:-1])} and {listed[-1]}"
    whose = _RANKED_OWN.search(before[-1]) or _OF_INDUSTRIES.search(before[-1])
    if _THEY.search(text) and listed == lists[-1] and 1 < len(listed) <= _MOST_NAMED and not whose:
        return _THEY.sub(f"{', '.join(listed[:-1])} and {listed[-1]}", text, count=1)
    if _AMONG.match(text) and _COUNTED.search(before[-1]) and 1 < len(lists[-1]) <= MOST_LISTED:
        return _AMONG.sub("、".join(lists[-1]), text, count=1)
    if (met := _THAT_MEET.match(text)) and _WATCH_LIST.match(before[-1]):
        return f"stocks on my watch list with {text[met.end() :]}"
    if met and _MEETS.search(before[-1]) and not _RANKED_OWN.search(before[-1]):
        return f"{before[-1].strip(' ?.')} and {text[met.end() :]}"
    if _OF_THOSE.search(text) and 1 < len(listed) <= MOST_LISTED and not _NAMED_LIST.search(before[-1]):
        if "\u4e00" <= text[:1] <= "\u9fff":
            return _OF_THOSE.sub("、".join(listed), text, count=1)
        return _OF_THOSE.sub(f"of {', '.join(listed[:-1])} and {listed[-1]}", text, count=1)
    if _THEM.search(text) and 1 < len(listed) <= _MOST_NAMED and listed == lists[-1] and not _WHOLE_LIST.search(text):
        joint = "、" if "\u4e00" <= text[:1] <= "\u9fff" else " and "
        return _THEM.sub(joint.join(listed), text, count=1)
    return ""


def _newest_list(before: list[str], lists: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the securities of the last answer that names several, or of the last question that does."""
    for said, codes in zip(before[: -RECENT - 1 : -1], lists[: -RECENT - 1 : -1], strict=True):
        named = tuple(each.code for each in find_mentions(said) if each.symbol.kind != "index")
        if len(named) > 1:
            return named
        if len(codes) > 1 and not named:
            return codes
    return ()


def _recent_codes(before: list[str]) -> list[str]:
    """Return the securities that the last messages named one by one, the newest first."""
    named = [[each.code for each in find_mentions(said) if each.symbol.kind != "index"] for said in before[:-4:-1]]
    return list(dict.fromkeys(codes[0] for codes in named if len(codes) == 1))


def _subject(before: list[str], lists: list[tuple[str, ...]]) -> str:
    """Return the one security that the message before was about: named there, or the one singled out by its answer."""
    named = [each.code for each in find_mentions(before[-1]) if each.symbol.kind != "index"]
    if named:
        return named[0] if len(named) == 1 else ""
    codes = lists[-1]
    if len(codes) == 1:
        return codes[0]
    if codes and _ONE_OF.search(before[-1]) and not (_MANY.search(before[-1]) or _SMALL.search(before[-1])):
        return codes[0]
    return ""
