"""A message that asks for several things, one after the other: its parts, each to be read as a question of its own."""

import re
from datetime import date
from itertools import pairwise

from ia.agent.analyst.ask.follow_days import names_that_day, points_at_day
from ia.agent.analyst.ask.follow_steps import find_other_market
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import UNREAD, blank_spans, find_time_spans
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

LONGEST, MOST = 300, 4
"""Characters of a message that is read so, and parts of it."""
_END = pattern(
    r"[?？!！;；。\n]+|，|,(?!\d|\s(?:19|20)\d\d\b)|(?<=[吗呢])(?=\S)|(?<=\S)(?=再给个|顺便)"
    r"|(?<=[少几吗呢样谁])(?=还有)"
    r"|,?\s+(?:and|also|plus)\s+(?=(?:also |then )?(?:what|how|when|which|who|whose|why|is|are|did|does|do|was|were"
    r"|has|have|its|my|the percent\w* (?:distance|difference))\b)",
)
_LINK = pattern(r"^(?:\s|再给个|再|另外|还有|以及|然后|顺便|同时|和|and\b|also\b|then\b|plus\b)+")
_BOUND = pattern_by_letters(
    r"^\W*(?:占|如果|要是|假如|假设|若(?!羽)|万一|除了|除去|除|不算|不含|因为|既然|虽然|按照?|扣(?=[除了掉完])"
    r"|当(?!升|天|日)|自从?|只|比起|比(?=[昨去上前]|\s)|跟|相比|带|附上?|叠加|加上|加(?=\d)|配|从我"
    r"|(?:if|when|suppose|supposing|assuming|since|because|except|excluding|apart|unless|as|than"
    r"|compared|versus|vs|but|without|with|risking"
    r"|for|between)\b(?! (?:is|are|was|were|did|do|does|will)\b))",
)
_POLITE = pattern(
    r"(?:\s|请问一?下?|请教|麻烦(?:你|帮我)?|帮我?|看一?看|查一?下|一下|你好|您好|谢谢你?|多谢|劳驾"
    r"|哈喽|嗨|告诉我|我想知道|想问问?"
    r"|\b(?:hi|hey|hello|please|pls|thanks|thank you|quick question|tell me|ia|cheers)\b|[\W_])*",
)
_EMPTY = pattern(
    r"(?:\s|从|到|在|是|的|了|有|都|各|分别|又|呢|吗|啊|呀|那|[重大多]到什么程度|什么时候的事"
    r"|哪[天日只个些一]?|什么(?:时候|时间|日子)?|多少钱?|几[天个只]?"
    r"|怎么样|如何|为什么|为啥|谁|出现|日子|哪一?次|相?差|差距"
    r"|[高低贵便宜多少大小](?=多少)|除的?[权息]|大概|大约"
    r"|\b(?:per share|who is|who'?s|ahead|by|on|at|in|from|to|of|as|is|was|are|were|it|that|the|what|when|which|day"
    r"|date|report|how|much|many|why|who|(?<=how )(?:big|large)(?: (?:a )?(?:chunk|share|part|slice|weight))?)\b"
    r"|[\W_])*",
)
_ASKS = pattern(
    r"多少|几|哪|谁|什么|怎么|如何|为[何啥]|啥|是否|是不是|有没有|能不能|会不会|该不该|要不要|还是|吗|呢|[?？]"
    r"|([\u4e00-\u9fff])(?<![对好行])[没不]\1|[亏赚涨跌到了着]没\W*$|[来回过了]没有\W*$|(?:别|不要|不用|甭)(?:算|列|看|说|管|提|报)"
    r"|\b(?:what|how|when|which|who|whose|why|is|are|did|does|do|was|were|has|have|should|can)\b",
)

_MEANT = pattern(
    r"什么(?:是|叫)|何为|何谓|是什么(?:意思)?\W*\Z|是?什么意思|怎么理解"
    r"|\bwhat (?:is|are|'s)(?: an?)? (?!the\b|my\b|its\b|our\b)|\bwhat (?:does|do)\b|\bmeans?\b"
    r"|\b(?:can|could) you explain\b|^\W*explain\b|\blike i(?:'?m| am) five\b|解释一?下",
    re.I,
)
_MINE = pattern(r"我的(?=是?多少|呢|怎么样|如何|高|低|大|小)|\b(?:what is|how (?:big|high|much|low) is) mine\b", re.I)
_ITS = pattern(r"\bwhat is (?:it|that) (?:for|of)\b", re.I)
_LEFT_OUT = pattern(r"(?:的|股)?(?:都|就|先)?(?:不要|除外|不算|别算|剔除|排除|去掉|不考虑)(?:了|掉)?\W*$")
"""A part that only leaves out some of what the part before asks for."""
_THEIR_INDUSTRIES = pattern(r"(?:分别|都|各自?)(?:是|属于|在)(?:什么|哪些|哪个|哪几个|啥)(?:行业|板块)(?:的)?\W*")
"""A part that asks for the industries of those that the part before lists."""
_FIGURE_ALONE = pattern(
    r"^(?:它的?|其)?(?:每股收益|每股盈利|市盈率|市净率|股息率|毛利率|净利率|负债率|净利润|营收|roe|eps|pe|pb)(?:是|有)?(?:多少|几)",
    re.I,
)
"""A figure of a company, which a part asks of the security that the part before names."""
_TILL = pattern(
    r"^(?:它的?)?(?:公司)?账上(?:的|还|又)?(?:有|趴着)?(?:多少)?(?:现金|钱)"
    r"|^(?:and )?how much cash\b(?! (?:do|have|did) (?:i|we)\b)",
    re.I,
)
"""The cash of a company, behind a question about it."""
_THEIRS = pattern(r"^what (?:about )?(?P<who>[^?]{2,24}?)['’]s (?:is|one is)\W*$", re.I)
"""Whose figure is asked for, where a part only ends with it: "what Moutai's is"."""
_WHOSE = pattern(
    r"(?<=\w)(?P<en>['’]s|(?<=s)['’])(?= (?:now |currently |still )?"
    r"(?:under|below|above|over|at|high|low|lower|higher|more|less|big|good)\b)"
    r"|(?<=[\u4e00-\u9fffA-Z])的(?=(?:现在|目前|是否|是不是)?(?:低于|高于|超过|大于|小于|不到|[高低大小])(?!点|价))",
    re.I,
)
"""Whose figure is judged, where the figure itself stands before: "is CMB's under 1"."""


def split_message(text: str) -> list[str]:
    """Return the parts of a message, two or more; [] where it is one, or a part depends on another as a condition.

    >>> split_message("茅台和沪深300的相关系数，再给个贝塔")
    ['茅台和沪深300的相关系数', '贝塔']
    >>> split_message("What is BYD's P/E and when is its next report?")
    ["What is BYD's P/E", 'when is its next report']
    >>> split_message("招商银行跑赢沪深300了吗，今年")
    []
    >>> split_message("RSI of CATL and the P/E of BYD"), split_message("宁德时代的RSI和比亚迪的市盈率")
    (['RSI of CATL', 'P/E of BYD'], ['宁德时代的RSI', '比亚迪的市盈率'])
    >>> split_message("RSI of BYD, CATL and 600519")
    []
    >>> split_message("如果茅台跌到700，我亏多少"), split_message("请问，茅台今天多少钱？")
    ([], [])
    """
    if len(text) > LONGEST or text.startswith("/"):
        return []
    low = text.casefold()
    if len(low) != len(text):
        return []
    if pair := _split_figures(text):
        return pair
    if _is_screen(text):
        return []
    ends = [0, *(at for match in _END.finditer(low) for at in match.span()), len(text)]
    parts = [text[begin:end].strip() for begin, end in zip(ends[::2], ends[1::2], strict=True)]
    parts = [part for part in parts if _POLITE.fullmatch(part.casefold()) is None]
    parts = [text_of.strip() for part in parts if (text_of := part[_lead(part) :]).strip()]
    parts = _name_lists(_name_groups(_name_markets(_name_owner(_name_since(_join_times(parts))))))
    narrowed = any(_ONLY.search(part) and not _ASKS.search(part.casefold()) for part in parts[1:])
    bound = (
        narrowed
        or any(_LEFT_OUT.search(part) for part in parts)
        or any(_THEIR_INDUSTRIES.fullmatch(part) for part in parts[1:])
        or any(points_at_day(part) for part in parts[1:])
        or any(_BOUND.search(part.casefold()) for part in parts)
        or _is_list(parts, low)
    )
    return parts if 2 <= len(parts) <= MOST and not bound else []


def _is_screen(text: str) -> bool:
    """Return True if a text as a whole looks for stocks that meet conditions: its parts are these conditions.

    >>> _is_screen("A-shares with P/E < 10, yield > 5%, how many"), _is_screen("banks below book, and how did they do")
    (True, False)
    """
    if not (_BOUNDED.search(text) or _SHOWN_TOO.search(text)) or find_mentions(text) or len(_COUNTS.findall(text)) > 1:
        return False
    from ia.agent.analyst.ask.facts import industry_forms
    from ia.agent.analyst.ask.screens import parse_wish

    wish = parse_wish(text, industry_forms(text))
    return wish.whole and (bool(wish.bounds) or len(wish.columns) > 1) and not wish.mean


_COUNTS = pattern(r"\bhow many\b|[几多][少]?[只家个支](?!股)", re.I)
_SHOWN_TOO = pattern(r"[，,].{2,10}(?:分别|各(?:自)?)(?:是|为|有)?多少|, (?:and )?what (?:is|are) (?:their|its) ", re.I)
_BOUNDED = pattern(r"\d.*[，,;；]|[，,;；].*\d")
_SENTENCE = pattern(r"[?？!！;；。\n]+\s*|(?<=[a-z\d)])\.\s+(?=\S)", re.I)
_TURN = pattern(
    r"，|,(?!\d)\s*|(?<=[吗呢])(?=\S)|(?<=\S)(?=再给个|顺便)|(?<=[少几吗呢样谁])(?=还有)"
    r"|,?\s+(?:and|also|plus|but)\s+(?=(?:also |then )?(?:what|how|when|which|who|whose|why|where|is|are|did|does|do"
    r"|was|were|has|have|its|their|my|(?:by|at|on|in|for|from|since) (?:what|which|how)"
    r"|the (?:percent\w*|distance|difference|realized|unrealized|average|total|return|gain|loss|fees?|price|same))\b)",
    re.I,
)
"""Where one question of a sentence may end and the next begin."""


def split_in_turn(text: str) -> list[str]:
    """Return the questions of a message that may be put one after the other; [] where it is one.

    >>> split_in_turn("按现在的股价来算，长江电力的股息率有多少？和招商银行比哪个高一些？")
    ['按现在的股价来算，长江电力的股息率有多少', '和招商银行比哪个高一些']
    >>> split_in_turn("How many shares of BYD did I sell, at what price, and what did the fees come to?")
    ['How many shares of BYD did I sell', 'at what price', 'what did the fees come to']
    >>> split_in_turn("If Moutai falls to 700, what do I lose?")
    []
    """
    if len(text) > LONGEST or text.startswith("/") or _is_screen(text):
        return []
    parts: list[str] = []
    for sentence in _SENTENCE.split(text):
        said = [part.strip(" ,，") for part in _TURN.split(sentence)]
        said = [part for part in said if part and _POLITE.fullmatch(part.casefold()) is None]
        if any(_BOUND.search(part.casefold()) or _LEFT_OUT.search(part) or _ONLY.search(part) for part in said):
            said = [sentence.strip()]
        joined: list[str] = []
        for part in _name_since(_join_times(said)):
            if joined and not _ASKS.search(part.casefold()) and not _FIGURE_PART.search(part):
                joined[-1] = f"{joined[-1]}{', ' if part.isascii() else '，'}{part}"
            else:
                joined.append(part if part.startswith("和") else part[_lead(part) :].strip() or part)
        parts += joined
    parts = _name_lists(parts)
    return parts if 2 <= len(parts) <= MOST else []


def points_back(text: str) -> bool:
    """Return True if a later part of a message asks of a day which only the answer to an earlier one tells.

    >>> points_back("CATL's worst day this year and how much volume was there that day?"), points_back("当天收盘价")
    (True, False)
    """
    return names_that_day(text) and any(points_at_day(part) for part in split_in_turn(text)[1:])


_FIGURE_PART = pattern(
    r"\b(?:its|their|the) (?:percent\w*|distance|difference|realized|unrealized|average|max\w*|total|return|gain|loss"
    r"|fees?|price|\w+ (?:drawdown|volatility|margin|yield|ratio))\b|最大回撤|波动率|收益率|离|距",
    re.I,
)
"""A part that names a figure, and so asks for it."""


_FIGURES = pattern(
    r"^\W*(?:(?:show|tell|give) me |what(?:'s| is| are) |帮我|看看|查查|查一下|告诉我)*(?:the )?"
    r"(?P<one>(?P<a>[a-z0-9/ -]{2,24}) of @|@'s (?P<b>[a-z0-9/ -]{2,24})|@的(?P<c>[^和与、，,]{2,8}))"
    r"(?: and |[，,]?(?:和|与|跟|、|以及|还有))(?:the )?"
    r"(?P<other>(?P<d>[a-z0-9/ -]{2,24}) of @|@'s (?P<e>[a-z0-9/ -]{2,24})|@的(?P<f>[^和与、，,]{2,8}?))"
    r"(?:(?:各|分别)?(?:是|有)?多少|呢)?\W*$",
    re.I,
)
"""A figure of one security and a figure of another; @ stands for a security."""


def _split_figures(text: str) -> list[str]:
    """Return the two questions of a message for a figure of one security and one of another; [] for any other.

    A time in one of them may be meant for both: such a message stays whole, as does one figure of two securities.

    >>> _split_figures("宁德时代的市盈率和比亚迪的市盈率"), _split_figures("昨天茅台的收盘价和五粮液的市盈率")
    ([], [])
    """
    named = find_mentions(text)
    if len(named) != 2 or "@" in text:
        return []
    plain = text
    for mention in named:
        plain = plain.replace(mention.said, "@", 1)
    found = _FIGURES.match(plain)
    if found is None:
        return []
    one, other = ({found[each] for each in names} - {None} for names in ("abc", "def"))
    if one == other:
        return []
    said = sorted((each.said for each in named), key=text.find)
    return [found["one"].replace("@", said[0]), found["other"].replace("@", said[1])]


def _name_markets(parts: list[str]) -> list[str]:
    """Return the parts of a message, a market or a currency alone as the question before it for that one.

    >>> _name_markets(["下个交易日是哪天", "港股呢"])
    ['下个交易日是哪天', '港股下个交易日是哪天']
    """
    whole = parts[:1]
    for part in parts[1:]:
        if _ONLY.search(part):
            whole.append(part)
            continue
        whole.append(find_other_market(part.strip(" ?？").removesuffix("呢"), whole[-1]) or part)
    return whole


_WHICH_OF_THEM = pattern(
    r"^(?:又|那|那么)*(?:哪一?[家只个支]|谁)|^(?:which|who)(?: one| ones)?\b(?= (?:is|has|have|pays?"
    r"|yields?|grew|earns?|costs?|trades?|did|was|rose|fell|held|got|lost|gained))",
    re.I,
)
_FIGURE_FIRST = pattern(
    r"^(?:又|那|那么)*(?:它们?的?)?(?=(?:平均)?(?:市盈|市净|股息|毛利|净利|负债|营收|利润|市值|roe"
    r"|pe\b|pb\b).{0,8}(?:最|多少))"
    r"|^(?:what(?: is|'s| are) )?(?:its|their|the) (?=(?:average|mean) )",
    re.I,
)
"""Beginnings of a part that asks for those of a group which the part before names."""
_MOVED_MOST = pattern(r"(?:其中)?[涨跌]得?最.{1,3}?的?(?:又)?(?:是)?(?:哪一?[只家个支]|谁)\W*$")
"""A part that asks which of a group rose or fell most, over the time of the part before."""
_NO_GROUP = pattern(
    r"我|持仓|自选|大盘|市场|A股|指数|板块|行业|\b(?:my|i|market|sectors?|industr\w+|holdings?|index"
    r"|watch\w*|overall)\b",
    re.I,
)


_OWN_LIST = pattern(r"(?:我的?)?(?:自选股?|关注列表|持仓)|\bmy (?:watch ?list|holdings|positions)\b", re.I)
_COUNT_ALONE = pattern(
    r"(?:[上下]?[涨跌]|红|绿)了?的?(?:有|是)?(?:几|多少)[只个支家]\W*$|(?:有)?(?:几|多少)[只个支家](?:是)?(?:[上下]?[涨跌]|红|绿)了?的?\W*$"
    r"|how many (?:of them )?(?:rose|fell|went (?:up|down)|were (?:up|down)|are (?:up|down)|dropped|gained"
    r"|declined)\W*$",
    re.I,
)
"""A part that counts those of the owner's list which the part before counted the other way."""


def _name_lists(parts: list[str]) -> list[str]:
    """Return the parts of a message, those that count the owner's list the other way with that list and its time.

    >>> _name_lists(["今天自选股里涨的有几只", "跌的有几只"])
    ['今天自选股里涨的有几只', '自选股里今天跌的有几只']
    """
    named = parts[:1]
    for part in parts[1:]:
        if (listed := _OWN_LIST.search(named[-1])) and _COUNT_ALONE.match(part):
            time = " ".join(span.said for span in find_time_spans(named[-1], _ANY_DAY) if span.kind != UNREAD)
            english = f"{part.strip(' ?')} on {listed[0]} {time}".strip()
            named.append(english if part.isascii() else f"{listed[0]}里{time}{part}")
        else:
            named.append(part)
    return named


_SECTORS = pattern(r"板块|行业|\b(?:sectors?|industr(?:y|ies))\b", re.I)


def _name_groups(parts: list[str]) -> list[str]:
    """Return the parts of a message, those for the first of a group that the part before named with that group.

    >>> _name_groups(["哪家银行市净率最低", "哪家股息率最高"])
    ['哪家银行市净率最低', '银行股里哪家股息率最高']
    >>> _name_groups(["which is the cheapest bank by P/B", "which pays the highest yield"])
    ['which is the cheapest bank by P/B', 'which bank pays the highest yield']
    """
    from ia.agent.analyst.ask.facts import industry_forms

    named = parts[:1]
    for part in parts[1:]:
        before = named[-1]
        asked_of = find_mentions(before)
        till = _TILL.search(part) and not _NO_GROUP.search(before)
        if len(asked_of) == 1 and (till or _FIGURE_ALONE.search(part)) and not find_mentions(part):
            said = asked_of[0].said
            named.append(f"cash on hand of {said}" if till and part.isascii() else f"{said}{part}")
            continue
        own = find_mentions(before) or _NO_GROUP.search(_SECTORS.sub(" ", before))
        if not own and _SECTORS.search(before) and _WHICH_OF_THEM.search(part) and not _NO_GROUP.search(part):
            named.append(_WHICH_OF_THEM.sub("which sector" if before.isascii() else "哪个板块", part, count=1))
            continue
        forms = [] if own else industry_forms(before)
        said = next((found[0] for form, _ in forms if (found := form.search(before))), "")
        free = bool(said) and not (_NO_GROUP.search(part) or find_mentions(part) or industry_forms(part))
        if not free:
            named.append(part)
        elif which := _WHICH_OF_THEM.search(part):
            whose = f"which {said.removesuffix('s')}" if said.isascii() else f"{said}股里{which[0]}"
            named.append(_WHICH_OF_THEM.sub(whose, part, count=1))
        elif _MOVED_MOST.match(part):
            time = "".join(span.said for span in find_time_spans(before, _ANY_DAY) if span.kind != UNREAD)
            named.append(f"{said}股里{time}{part}")
        elif _FIGURE_FIRST.search(part):
            rest = _FIGURE_FIRST.sub("", part, count=1)
            named.append(f"{rest.rstrip(' ?？')} of {said} stocks" if said.isascii() else f"{said}股{rest}")
        else:
            named.append(part)
    return named


_ONLY = pattern(r"^\W*[只仅就][看算要]?|\bonly\b", re.I)
"""A part that narrows the question before it, and asks nothing."""
_TRADED = pattern(r"我[^，,。]{0,10}[买持]")
_PRICE = pattern(r"(?:是|花了?)?(?:什么价格?|什么价位|多少钱|几块钱?)(?:买的?|的|一股)*\W*")
_AVERAGE = pattern(r"^(?:平均|买入)?(?:均价|平均价|成本)")


def _name_owner(parts: list[str]) -> list[str]:
    """Return the parts of a message, those for the average price of what the owner bought as questions of the owner's.

    >>> _name_owner(["宁德时代我买了几次", "均价多少"])
    ['宁德时代我买了几次', '我的均价多少']
    >>> _name_owner(["宁德时代我是几号买的", "什么价"])
    ['宁德时代我是几号买的', '我什么价买的']
    """
    named = parts[:1]
    for before, part in pairwise(parts):
        bought = _TRADED.search(before) is not None
        price = bought and _PRICE.fullmatch(part)
        named.append("我什么价买的" if price else f"我的{part}" if bought and _AVERAGE.match(part) else part)
    return named


_ANY_DAY = date(2100, 1, 1)
_IDLE = pattern(r"(?:[的呢吗以来内里]|\W)*")


def _join_times(parts: list[str]) -> list[str]:
    """Return the parts of a message, those that are but a time, a name or a currency joined to the one before."""
    joined: list[str] = []
    for part in parts:
        if len(joined) == 1 and (scope := _SCOPE.fullmatch(joined[0])):
            joined[0] += part if scope["zh"] else f", {part}"
            continue
        if joined and _SECTORS.search(joined[-1] + part) and _PLACE.fullmatch(part.casefold()):
            joined[-1] += f", {part}" if part.isascii() else f"，{part}"
            continue
        spans = [span for span in find_time_spans(part, _ANY_DAY) if span.kind != UNREAD]
        if joined and spans and _IDLE.fullmatch(blank_spans(part, spans)):
            joined[-1] = f"{joined[-1]}，{part}"
        elif joined and _QUALIFIES.fullmatch(part.casefold()):
            joined[-1] = f"{joined[-1]} {part}" if part.isascii() else f"{joined[-1]}，{part}"
        elif joined and find_mentions(joined[-1]) and _is_name(part):
            joined[-1] = f"{joined[-1]}, {part}"
        else:
            joined.append(part)
    return joined


def _name_since(parts: list[str]) -> list[str]:
    """Return the parts of a message, a move up to now as that since the day which the part before names.

    >>> _name_since(["茅台3月1日收盘多少", "到现在跌了多少"])
    ['茅台3月1日收盘多少', '3月1日到现在跌了多少']
    >>> _name_since(["BYD's close on March 1", "how much is it up since"])
    ["BYD's close on March 1", 'how much is it up since march 1']
    """
    named = parts[:1]
    for part in parts[1:]:
        spans = find_time_spans(named[-1], _ANY_DAY)
        since = _SINCE_THEN.search(part)
        one_day = len(spans) == 1 and spans[0].first is not None and spans[0].first == spans[0].last
        if since and one_day and not find_time_spans(_SINCE_THEN.sub(" ", part), _ANY_DAY):
            day = _ON.sub("", spans[0].said)
            put = f"since {day}" if since["en"] else f"{day}到现在"
            part = f"{part[: since.start()]}{put}{part[since.end() :]}"
        named.append(part)
    return named


_ON = pattern(r"^(?:on|at|in) (?:the )?", re.I)
_SINCE_THEN = pattern(
    r"^(?:那|它|股价)*(?:从那(?:天|时候?)(?:起|开始)?)?[到至](?:现在|今天|目前|今)(?:为止)?(?:又|一共|总共|已经)*(?=[涨跌变升降])"
    r"|\b(?P<en>since)(?: then| that day)?(?=\W*\Z)"
)
"""Since the day that was spoken of."""

_SCOPE = pattern(
    r"(?P<zh>(?:在|从)?我?的?(?:自选|关注|持仓|持有|手[里上])[^，,。?？]{0,6}?(?:里面?|里头|中|当中))"
    r"|(?:of|among|out of|from|in) (?:all )?(?:of )?(?:the |my )?[^,?]{0,24}?(?:watch ?list|holdings|positions"
    r"|portfolio|i (?:watch|follow|track|own|hold))",
    re.I,
)
"""A part that only says of which list the next one asks."""
_PLACE = pattern(
    r"[^，,。最]{0,12}?(?:排(?:名|在)?)(?:第几|老几|多少名|第几名|第几位)(?:了|呢)?"
    r"|(?:and )?(?:where|how|(?:what|which) place) (?:does|did|do|is) (?:it|that|this|they)"
    r" (?:rank|stand|place|come|take|get)\b.{0,40}"
)
"""A part that asks for the place of the industry of the part before."""
_QUALIFIES = pattern(
    r"\W*(?:(?:all )?in (?:total|all|yuan|rmb|cny|renminbi|hkd|usd|dollars|hong kong dollars|us dollars)"
    r"|all (?:currencies|of it) (?:converted|included)|all together|altogether|combined"
    r"|(?:都|全部|全|外币也?)?折(?:合|算)?(?:成|进去|进来)?(?:人民币|进去|进来)*|(?:一共|总共|合计|加起来)(?:是|有)?(?:多少钱?)?"
    r"|(?:现在|已经|这|那)?(?:算不算|算|是不是|是否|有没有|到没到|到)*(?:了)?超[买卖](?:区间?|状态)?(?:了|没有?|吗|么|还是超[买卖])*"
    r"|(?:is (?:it|that) |does that count as |so |or )?(?:over(?:bought|sold)|too hot|too cold)"
    r"(?: (?:or )?(?:over(?:bought|sold)|too cold|too hot|not|yet|now|already|neither))*"
    r"|(?:and )?(?:(?:was it )?(?:up or down|which way|golden or death(?: cross)?|bullish or bearish)(?: was it)?)"
    r"|(?:是)?(?:金叉还是死叉|死叉还是金叉|多头还是空头|偏多还是偏空))\W*"
)
"""A part of a message that only says how the one before is meant: its sum, or whether it is an extreme."""


def _is_name(part: str) -> bool:
    """Return True if a part of a message is but one more security of those before it: RSI of BYD, CATL and Moutai."""
    return bool(find_mentions(part)) and _JOINED.fullmatch(strip_mentions(part).casefold()) is not None


_JOINED = pattern(r"(?:\s|[、,，.?？]|\b(?:and|or)\b|和|与|跟|及)*")

_GOES_ON = pattern(r"[?？!！;；。\n].*\S")


def _is_list(parts: list[str], low: str) -> bool:
    """Return True if parts are what one question lists of one time: "open, high and low on June 7"."""
    if _GOES_ON.search(low):
        return False
    timed = sum(bool(find_time_spans(part, _ANY_DAY)) for part in parts)
    items = [part for part in parts[1:] if _ITEM.fullmatch(part.casefold())]
    return timed == 1 and bool(items)


_ITEM = pattern(
    r"(?:the |its )?(?:(?:highest|lowest|opening|closing|high|low|open|close|volume|change)(?: price)?)(?: and .*)?"
    r"|(?:的)?(?:开盘|收盘|最高|最低|成交)[价量额]?(?:和.*)?|涨跌幅?(?:和.*)?"
)
"""A part of a list of what one bar has."""


def find_term(part: str) -> str:
    """Return the term whose meaning a part of a message asks for; "" where it asks for none.

    >>> find_term("什么是最大回撤"), find_term("What does beta mean"), find_term("茅台多少钱")
    ('最大回撤', 'beta', '')
    """
    if not _MEANT.search(part) or find_mentions(part):
        return ""
    return _MEANT.sub("", part).strip(" ?？")


def ask_term(part: str, term: str) -> str:
    """Return a part of a message as a question for a term that the part before it named.

    >>> ask_term("我的是多少", "最大回撤"), ask_term("招商银行的呢", "市盈率"), ask_term("what is it for BYD", "beta")
    ('我的最大回撤是多少', '招商银行的市盈率', 'what is the beta of BYD')
    >>> ask_term("is CMB's under 1", "p/b"), ask_term("招商银行的低于1吗", "市净率")
    ("is CMB's p/b under 1", '招商银行的市净率低于1吗')
    """
    if _MINE.search(part):
        return _MINE.sub(f"what is my {term}" if term.isascii() else f"我的{term}", part)
    if theirs := _THEIRS.search(part):
        return f"what is {theirs['who']}'s {term}"
    if _WHOSE.search(part):
        return _WHOSE.sub(lambda found: f"{found[0]} {term}" if term.isascii() else f"{found[0]}{term}", part)
    if _ITS.search(part):
        return _ITS.sub(f"what is the {term} of", part)
    core = part.strip(" ?？").removesuffix("呢")
    return f"{core} {term}" if term.isascii() else f"{core}{term}"


def judges_term(part: str) -> bool:
    """Return True if a part of a message is of a figure that it does not name: "is CMB's under 1", "what is mine"."""
    return any(form.search(part) for form in (_WHOSE, _MINE, _THEIRS))


def asks_more(part: str) -> bool:
    """Return True if a part of a message asks for something, and not merely when, which or how much.

    >>> asks_more("从哪天到哪天"), asks_more("哪天最多"), asks_more("我有点担心")
    (False, True, False)
    """
    low = part.casefold()
    return bool(_ASKS.search(low)) and not is_only_when_or_how_much(part)


_BOUNDS = pattern(
    r"\d|除了?(?![权息])|不[算含包]|每股|按|只[看算要]|如果|要是|[上下]午|中午|早上|晚上|开盘"
    r"|\b(?:except|excluding|without|only|per|if|before|after|unless)\b"
)


def bounds_more(part: str) -> bool:
    """Return True if a part of a message that asks for nothing may change what the part before asks for.

    >>> bounds_more("那200股"), bounds_more("上周二的"), bounds_more("我有点担心"), bounds_more("excluding fees")
    (True, True, False, True)
    """
    return _BOUNDS.search(part.casefold()) is not None or bool(find_time_spans(part, _ANY_DAY))


_MOVED = pattern(r"[涨跌]|\b(?:r[io]se|risen|f[ae]ll|fallen|up|down)\b")
_ENDS_OF = pattern(r"最[惨差糟好]的?(?:那)?(?:一?天|一?个?月|一?周)|\b(?:best|worst) (?:day|week|month)\b")
_AIM = pattern(r"目标价|止损价|\btarget|\bstop\b")
_FAR = pattern(
    r"(?:现在)?(?:离|距离?)?(?:它|目标)?(?:还)?(?:差|有)多少|how far (?:away )?(?:is it|am i|are we)(?: now)?"
)
"""How far it is to a price of the owner's own, which is told with it."""
_GAINED = pattern(
    r"(?:又|那天|当天)?[涨跌赚亏]了?多少钱?|(?:and )?(?:by )?how much (?:did i (?:lose|make)|was it|was lost)"
    r"|(?:and )?(?:what|how (?:big|large|much|bad)) (?:was|is) (?:the|that|its) (?:gain|rise|loss|drop|fall|move"
    r"|change)"
)
"""What the best or the worst day brought, which is told with it."""
_FROM_EXTREME = pattern(r"[高低]点|最[高低]|\b(?:high|low|peak|top|bottom)\b")
_DAY_OF_IT = pattern(
    r"(?:那个?|这个?)?(?:最?[高低]点|最[高低]价?|顶|底)?(?:是|在|出现)*(?:哪一?天|什么时候|几号)(?:的|到的|出现的)?"
    r"|(?:and )?(?:when|on which day) was (?:that|it|this|the)(?: (?:high|low|peak|top|bottom))?"
)
_OPENED = pattern(r"[高低平]开")
_OPEN_AT = pattern(r"(?:是)?开(?:盘价?)?(?:在|是)?(?:多少|几)(?:钱|块)?")
"""What is told with how far a price is from its high, and with how it opened."""
_LEVEL = pattern(
    r"(?:收|站|涨|跌|突|破|高于|低于|超过|上面|下面)[^，,。]{0,4}\d"
    r"|\b(?:above|below|over|under|past|beyond|to) [$¥]?\d[\d,.]*\b"
)
_FIRST_OR_LAST = pattern(
    r"(?:那|这|是)*(?:第一次|最早|首次|上一?次|最近一次|最后一次)(?:是|在)*(?:什么时候|啥时候|哪一?天|几号|何时)"
    r"|(?:and )?(?:when|on which day)(?: was (?:it|that)| was the| did it)? ?(?:first|last)(?: time)?"
)
"""When a level was reached, which is told with whether it was."""
_DEALT = pattern(r"[买卖](?:出|入|了|进|掉)|\b(?:bought|sold|buy|sell)\b")
_AT_WHAT = pattern(r"(?:是|各|当时|用的?)*(?:什么|啥)价(?:位|格|钱)?(?:[买卖][出入进掉]?的)?|at (?:what|which) prices?")
"""The price of a trade, which is told with it."""
_RESULT = pattern(r"[赚亏盈]|\b(?:profit|loss|made?|make|lost|gain\w*)\b")
_BY_HOW_MUCH = pattern(r"(?:又|一共|总共)?[涨跌]了?(?:多少|几个?点|百分之几)(?:个?点)?|(?:多少|几)个?点|by how much")


def repeats_move(before: str, part: str) -> bool:
    """Return True if a part asks by how much something moved, of which the part before asked whether it did.

    >>> repeats_move("比亚迪今年以来涨了还是跌了", "跌了多少"), repeats_move("茅台多少钱", "涨了多少")
    (True, False)
    """
    low, said = before.casefold(), part.strip(" ?？。").casefold()
    return bool(
        (_MOVED.search(low) and _BY_HOW_MUCH.fullmatch(said))
        or (_ENDS_OF.search(low) and _GAINED.fullmatch(said))
        or (_AIM.search(low) and _FAR.fullmatch(said))
        or (_LEVEL.search(low) and _FIRST_OR_LAST.fullmatch(said))
        or (_FROM_EXTREME.search(low) and _DAY_OF_IT.fullmatch(said))
        or (_OPENED.search(low) and _OPEN_AT.fullmatch(said))
        or (_DEALT.search(low) and _AT_WHAT.fullmatch(said) and not _RESULT.search(low))
    )


def is_only_when_or_how_much(part: str) -> bool:
    """Return True if a part of a message asks when, which or how much of what the part before it asked for.

    >>> [is_only_when_or_how_much(part) for part in ("how much?", "哪天", "how much is it worth")]
    [True, True, False]
    """
    return _EMPTY.fullmatch(part.casefold()) is not None


def _lead(part: str) -> int:
    """Return where a part begins after the words that link it to the one before."""
    match = _LINK.match(part.casefold())
    return match.end() if match else 0
