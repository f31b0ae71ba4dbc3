"""Questions that go on with another security: in the place of the one before, beside it, or held against it."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_words import ITS, LONGEST, MEASURE, blank_mentions, find_named, is_chinese
from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, FUTURE, UNREAD, TimeSpan, blank_spans, find_time_spans
from ia.kernel.patterns import pattern

_COMPARED = pattern(
    r"比|较|哪[个只家]|谁"
    r"|\b(?:compar\w*|versus|vs\.?|and with|against|(?:stack|measure)s? up|side by side|next to"
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
_BETTER = pattern(
    r"\b(?:did|has|have|was|done|performed|rose|fell|gained|lost)\b.{0,20}\b(?:better|worse|best|worst|more"
    r"|less|most|least)\b"
    r"|(?:谁|哪一?[个只家支])(?:的)?(?:表现|涨|跌)?(?:更|比较)?(?:强|好|差|弱|多|少|涨得|跌得)",
    re.I,
)
"""Asks which of two did better or worse."""


def ask_better(text: str, last: str, today: date) -> str:
    """Return which of two did better, over the time of the question before; "" for another text, or one with a time.

    >>> ask_better("which of CATL and BYD did better", "CATL and BYD this year", date(2024, 3, 15))
    'which of CATL and BYD did better this year'
    """
    named = find_mentions(text)
    if len(named) < 2 or len(text) > LONGEST * 3 or _BETTER.search(text) is None:
        return ""
    if not {each.code for each in named} <= {each.code for each in find_mentions(last)}:
        return ""
    spans = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD]
    if len(spans) != 1 or find_time_spans(blank_mentions(text), today):
        return ""
    said = spans[0].said
    return f"{said}{text}" if is_chinese(said) else f"{text.strip(' ?')} {said}"


_AGAINST_NAMED = pattern(
    r"\W*(?:那|那么)*(?:比|跟|和|与)[^，,。]{1,12}?(?:相?比)?[，,]?(?:是|要)?(?P<side>高|低|大|小|多|少|贵"
    r"|便宜)还是(?:更)?"
    r"(?:高|低|大|小|多|少|贵|便宜)[呢啊一点些]*\W*"
    r"|\W*(?:那|那么)*(?:跟|和|与|同|比起?)[^，,。]{1,12}?(?:相?比(?:较|起来)?)?[，,]?(?:哪一?[个只家]|谁)(?:更|比较)?"
    r"(?P<zh>贵|便宜|高|低|大|小)(?:一?[些点])?[呢啊吗]*\W*"
    r"|\W*(?:那|那么|它)*比[^，,。]{1,12}?(?:还|要|更)*(?P<than>高|低|大|小|多|少|贵|便宜)(?:一?[些点])?(?:吗"
    r"|么|没有?|不)+\W*"
    r"|\W*(?:and |so )?(?:(?:is (?:it|that|this)|which (?:one )?is) )?"
    r"(?:any )?(?P<en>cheaper|more expensive|higher|lower|bigger|larger|smaller|more|less),?"
    r" (?:than|compared (?:with|to)|against|vs\.?)(?: that of)? .{2,40}"
    r"|\W*(?:and |so |but )?(?:is|are) .{2,30}? (?:any )?(?P<en_bare>cheaper|more expensive)(?: then)?\W*"
    r"|\W*(?:那|那么)?[^，,。比]{2,8}?(?:(?:是不是|会不会)?更(?P<zh_more>便宜|贵)|(?P<zh_bit>便宜|贵)一?[些点])[吗么]?\W*",
    re.I,
)


def hold_against(text: str, last: str) -> str:
    """Return a question that holds another security against the one that was spoken of; "" for another text.

    >>> hold_against("跟迈瑞比哪个便宜", "恒瑞市盈率多少"), hold_against("跟五粮液比哪个高", "茅台市盈率")
    ('恒瑞和迈瑞哪个更便宜', '茅台和五粮液哪个市盈率更高')
    >>> hold_against("Is Wuliangye cheaper?", "What is the P/E of Moutai?")
    'which is cheaper, Moutai or Wuliangye'
    """
    found, named = _AGAINST_NAMED.fullmatch(text), find_named(last)
    if found is None or len(named) != 1 or len(others := find_mentions(text)) != 1 or others[0].code == named[0].code:
        return ""
    measure = MEASURE.search(strip_mentions(last))
    chinese = found["zh"] or found["side"] or found["than"] or found["zh_more"] or found["zh_bit"]
    more = chinese or (found["en"] or found["en_bare"]).casefold()
    more = {"bigger": "higher", "larger": "higher", "more": "higher", "smaller": "lower", "less": "lower"}.get(
        more, more
    )
    priced = more in ("贵", "便宜", "cheaper", "more expensive")
    if (priced and found["than"]) or not (priced or measure):
        return ""
    if chinese:
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


def name_index(text: str, step: str) -> str:
    """Return a question that goes on with an index alone by the code of that index."""
    code = next((code for words, code in _INDICES if words.fullmatch(step)), "")
    return text.replace(step, code, 1) if code and step != text else text


_RISK = pattern(
    r"最大回撤|回撤|波动率|夏普比率?|\b(?:max(?:imum)? )?draw-?downs?\b|\bvolatility\b|\bsharpe(?: ratio)?\b", re.I
)
"""Figures that an account has as well as a security or an index."""


def ask_measure_of(mentions: list[Mention], last: str, today: date) -> str:
    """Return the figure by which several were compared, asked of another one; "" where there is none.

    >>> ask_measure_of(find_mentions("茅台"), "招行和平安银行哪个市盈率低", date(2024, 3, 15))
    '茅台市盈率'
    """
    bare = strip_mentions(last)
    found = MEASURE.search(bare)
    if len(mentions) == 1 and not find_named(last) and (risk := _RISK.search(bare)):
        times = " ".join(span.said for span in find_time_spans(bare, today) if span.kind != UNREAD)
        if is_chinese(last):
            return f"{mentions[0].said}{times}{risk[0]}"
        return f"{risk[0]} of {mentions[0].said} {times}".strip()
    if not mentions or found is None or len(find_named(last)) < 2:
        return ""
    if not is_chinese(last):
        return f"{found[0]} of {' and '.join(each.said for each in mentions)}"
    times = "".join(span.said for span in find_time_spans(bare, today) if span.kind != UNREAD)
    return f"{'、'.join(each.said for each in mentions)}{times}{found[0]}"


def set_beside(text: str, last: str, today: date) -> str:
    """Return a question that sets one more security beside those before, as a whole one; "" for another.

    >>> set_beside("compare it with CATL", "How is BYD doing?", date(2024, 3, 15))
    'compare BYD and CATL'
    >>> set_beside("和宁德时代比呢", "比亚迪市盈率", date(2024, 3, 15))
    '比亚迪、宁德时代市盈率'
    """
    if len(text) > LONGEST * 2 or not (more := find_mentions(text)):
        return ""
    bare = strip_mentions(text)
    spans = [span for span in find_time_spans(bare, today) if span.kind != UNREAD]
    rest = blank_spans(bare, spans)
    named = [each for each in find_named(last) if each.code not in {other.code for other in more}]
    if (
        not named
        or not (_COMPARED.search(rest) or _DID_BETTER.fullmatch(rest))
        or (len(more) > 1 and not ITS.search(rest))
    ):
        return ""
    if held := _hold_over_time(rest, last, [*named, *more], spans, today):
        return held
    if _COMPARING.fullmatch(rest) is None:
        return _name_first(text, named)
    names, chinese = [each.said for each in (*named, *more)], is_chinese(text)
    of_time = _MOVES.search(strip_mentions(last)) and find_time_spans(blank_mentions(last), today)
    if of_time and not spans and not _HOLDS_AGAINST.search(strip_mentions(last)):
        joined = _JOINED.sub("\ue000", strip_mentions(last, "\ue000"))
        if joined.count("\ue000") == 1:
            return joined.replace("\ue000", ("、" if is_chinese(joined) else " and ").join(names))
    if len(named) == 1 and MEASURE.search(strip_mentions(last)) and len(find_mentions(last)) == 1:
        joined = "、".join(names) if is_chinese(strip_mentions(last)) else " and ".join(names)
        return strip_mentions(last, "\ue000").replace("\ue000", joined, 1).replace("\ue000", "")
    times = " ".join(span.said for span in spans)
    return f"比较{times}{'和'.join(names)}" if chinese else f"compare {' and '.join(names)} {times}".strip()


_DID_BETTER = pattern(
    r"\W*(?:(?:and|so|but|was|did|is|has|it|that|this|do|done|perform\w*)\b\W*)*(?:better|worse|more"
    r"|less) than\W*(?:the\W*)?"
    r"|\W*(?:那|它|有没有|有)*(?:跑[赢过输]|[强好]过|比)\W*(?:[大]?盘|指数)?(?:[强好]|涨得[多好]|没有?|了|吗|么)*\W*",
    re.I,
)
"""Asks whether a security did better than another one, over the time that was spoken of."""
_MOVES = pattern(
    r"[涨跌]|表现|走势|怎么样|\b(?:do|did|done|doing|change[ds]?|r[io]se|f[ae]ll|up|down|gain\w*|los[et]"
    r"|move[ds]?|perform\w*)\b",
    re.I,
)


def _hold_over_time(rest: str, last: str, pair: list[Mention], spans: list[TimeSpan], today: date) -> str:
    """Return which of two did better over the time of the question before; "" for another question.

    >>> pair = [*find_mentions("BYD"), *find_mentions("CATL")]
    >>> _hold_over_time("better than  ?", "how did BYD do in January", pair, [], date(2024, 3, 15))
    'which did better in january, BYD or CATL'
    """
    old = [span for span in find_time_spans(blank_mentions(last), today) if span.kind != UNREAD]
    times = spans or old
    if len(pair) != 2 or len(times) != 1 or not _DID_BETTER.fullmatch(rest) or not _MOVES.search(strip_mentions(last)):
        return ""
    if is_chinese(times[0].said) or is_chinese(rest):
        return f"{times[0].said}{pair[0].said}和{pair[1].said}谁涨得多"
    return f"which did better {times[0].said}, {pair[0].said} or {pair[1].said}"


def _name_first(text: str, named: list[Mention]) -> str:
    """Return a comparison that leaves out its first security, or calls it `it`, with its name; "" for another one."""
    if len(named) != 1:
        return ""
    if re.match("(?:那|那么)?比\ue000", strip_mentions(text, "\ue000")):
        return named[0].said + re.sub(r"^那么?", "", text)
    if ITS.search(text) and re.search(r"比|\bthan\b", text):
        return ITS.sub(named[0].said, text, count=1)
    return ""


_BEATS = pattern(r"跑[赢输]|战胜|\b(?:beat(?:en)?|outperform\w*|underperform\w*)\b", re.I)
"""One security is held against another, of which a question that goes on names one of the two anew."""


_JOINED = pattern(r"\ue000(?:\s*(?:,|、|，|&|和|与|跟|及|and)*\s*\ue000)+")
"""Several securities in a row."""
_HOLDS_AGAINST = pattern(
    r"比|哪一?[个只家支]|谁|加起来|合计|一共"
    r"|\b(?:which|who|than|compar\w*|versus|vs\.?|better|together|in total|correlat\w*)\b",
    re.I,
)
"""What is asked of several at once, and not of each."""


def replace_parts(last: str, named: list[Mention], mentions: list[Mention], times: list[str], today: date) -> str:
    """Return the last question with other securities and another time; "" where it is not clear what they replace."""
    whole = last
    if mentions:
        new = ("、" if is_chinese(last) else " and ").join(each.said for each in mentions)
        if len(named) > 1 and not _HOLDS_AGAINST.search(strip_mentions(last)):
            joined = _JOINED.sub("\ue000", strip_mentions(last, "\ue000"))
            if joined.count("\ue000") == 1:
                last, named = joined.replace("\ue000", named[0].said, 1), named[:1]
                whole = last
        if not named and ITS.search(last):
            whole = ITS.sub(new, last, count=1)
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
    old: list[TimeSpan] = find_time_spans(blank_mentions(whole), today)
    times = [_date_bare_day(said, old) for said in times]
    for span in reversed(old):
        whole = whole[: span.at[0]] + "\ue001" + whole[span.at[1] :]
    new = " ".join(times)
    if old:
        return whole.replace("\ue001", new, 1).replace("\ue001", "").strip()
    return f"{new}{whole}" if is_chinese(whole) else f"{whole.strip(' ?')} {new}"


_BARE_DAY = pattern(r"(?:on )?(?:the )?(?P<n>\d{1,2})(?:st|nd|rd|th)?|(?P<zh>\d{1,2})[号日]", re.I)


def _date_bare_day(said: str, old: list[TimeSpan]) -> str:
    """Return a day of no month with the month of the day that was spoken of: "the 5th" after "on April 4".

    >>> _date_bare_day("the 5th", find_time_spans("on April 4", date(2024, 3, 15)))
    '2024-04-05'
    """
    found = _BARE_DAY.fullmatch(said.strip())
    first = old[0].first if len(old) == 1 else None
    day = int(found["n"] or found["zh"]) if found else 0
    if first is None or not 0 < day < 32 or (old[0].kind != DAY and old[0].kind != FUTURE):
        return said
    return f"{first.year}-{first.month:02d}-{day:02d}"
