"""Words of a wish that mean a time and were not understood: they are asked back, and never guessed.

What is to be done may speak of times too (对比 9:30 的价格, the weekly chart, 准备下周一的会). Such words belong to the
job where they qualify a noun, or stand behind its verb while the wish has said its own time.
"""

import re
from typing import NamedTuple

from ia.faculties.schedule.rhythm import EDAY, D, W
from ia.faculties.schedule.times_of_day import DAYPART
from ia.faculties.schedule.wish_text import EN_NUMBER, GONE, QUOTED, ZH_NUMBER, Wish
from ia.kernel.errors import BadData
from ia.kernel.patterns import pattern

_UNITS = r"(?:days?|weeks?|months?|quarters?|years?|hours?|minutes?|mornings?|evenings?|nights?|afternoons?)"
_EN_KIND = rf"(?:trading days?|business days?|working days?|workdays?|weekdays?|weekends?|days?|{EDAY}s?)"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_CLOCK = (
    rf"(?<![\d.:])(?:[01]?\d|2[0-4]):[0-5]\d(?![\d:%])|(?<![\d.])(?:[01]?\d|2[0-4]|[零一二两三四五六七八九十]{{1,3}})\s*(?:点钟|点半|点整"
    rf"|点(?!位|数|评|击|个|以上|以下|附近|左右|关口|开外)|时(?=提醒|开|[,，]|\Z))(?:{ZH_NUMBER}分?|[一三1 3]刻)?"
    r"|\b\d{1,2}(?:[.:]\d\d)?\s*[ap]\.?m\b|\b(?:\d{1,2}|[a-z]+)\s+o'?clock\b|\b(?:half|quarter)\s+(?:past|to)\b|\b(?:noon|midnight)\b"
    r"|(?:\bat|@)\s*\d{1,2}(?:[.:h]\d\d)?(?![\d%.,]|\s*(?:%|percent|yuan|dollars?|usd|元|块))|(?:\bat|@)\s*(?:[01]\d|2[0-3]|[1-9])[0-5]\d\b"
)
_DAYPARTS = (
    rf"(?:(?![早晚](?!上|晨)){DAYPART}|(?<={GONE})\s*(?:和|与|及|、)?\s*[早晚](?!上|晨|间))(?!盘|报|餐|评|线"
    rf"|市|[的]?(?:新闻|行情))|午休|下班前|下班后?|上班前?|睡前|饭[前后]|起床后?|\b(?:morning|afternoon|evening|night)s?\b"
)
_DAYS = (
    rf"{W}\s*{D}|(?<![一-龥])周末|周末|(?<!非)工作日|(?<![个上下前后本近])交易日(?!记|志|历)|节假日|节日|假日|假期|(?<!\d)\d+号(?![仓楼线股机池])"
    rf"|\b{EDAY}s?\b(?!')|\bweekends?\b|\bweekdays?\b|\b(?:trading|business|working|market) days?\b|\bholidays?\b"
)
_EVERY = (
    rf"每\s*(?:个|逢|隔|间隔)?\s*(?:{ZH_NUMBER}\s*个?)?半?(?:天|日|晚|早|周|星期|礼拜|月|季|年|小时|分钟|上午|下午|中午|交易|工作)"
    rf"|(?:间)?隔\s*(?:{ZH_NUMBER}\s*个?)?(?:天|日|周|星期|礼拜|月|年)|天天|整点"
    r"|(?<![一第上下这那每])(?:[两二三四五六七八九十]|(?<!\d)(?:[2-9]|1\d))\s*[次遍回](?!合)"
    r"|\b(?:twice|(?:two|three|four|five|[2-9]|1\d) times)\b(?! as)"
    rf"|\b(?:every|each)\s+(?:other\s+|second\s+|{EN_NUMBER}[ -])?(?:{_UNITS}|{_EN_KIND}|{_MONTH})\b"
    rf"|\b(?:every|each)\s+\d"
    r"|\b(?:once|twice|\w+ times)\s+(?:a|per)\s+(?:day|week|month|hour)\b|\b(?:bi-?weekly|fortnightly|hourly|nightly)\b"
    r"|\b(?:on|past)\s+the\s+hour\b"
)
_ADJECTIVES = r"\b(?:daily|weekly|monthly|quarterly|yearly|annually)\b"
_ORDINALS = (
    rf"(?:第\s*{ZH_NUMBER}|倒数第\s*{ZH_NUMBER}|首|最后[一1]?)\s*个?\s*(?:交易日|工作日|{W}|周|星期|天|日|月(?!线))|(?<![本上这])(?:月[底末初]|季[末初]|年[底末初]|周[初末])"
    rf"|\b(?:first|second|third|fourth|fifth|last|final|\d+(?:st|nd|rd|th))\s+(?:{_EN_KIND})(?!')\b"
    r"|\b(?:end|beginning|start|middle)\s+of\s+(?:the|every|each|this|next)\s+(?:day|week|month|quarter|year)\b"
    r"|\b(?:month|quarter|year|week)[- ]end\b|\bthe\s+\d{1,2}(?:st|nd|rd|th)\b"
    rf"|(?:第\s*{ZH_NUMBER}|倒数第\s*{ZH_NUMBER}|首|最后[一1]?)\s*个?\s*(?={GONE})"
    rf"|\b(?:first|second|third|fourth|fifth|last|final)(?=\s*{GONE}|\s+of\s+(?:each|every|the)\b)"
)
_DATES = (
    rf"大后天|后天|明天|明日|明早|明晚|今晚|今早|今天|今日|(?:下下|下|这)个?{W}(?![一二三四五六日天]?的)|{ZH_NUMBER}月{ZH_NUMBER}[日号]"
    rf"|\b(?:tomorrow|tonight|today)\b|\bnext\s+(?:week|month|{EDAY})\b|\b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\b|\b20\d\d-\d\d-\d\d\b"
    rf"|(?:未来|接下来|今后|往后)的?\s*{ZH_NUMBER}\s*个?(?:天|日|周|星期|交易日|月|年)|再过\s*{ZH_NUMBER}\s*个?(?:分钟|小时)"
    rf"|(?<={GONE})\s*过\s*{ZH_NUMBER}\s*个?(?:分钟|小时)|{ZH_NUMBER}\s*个?(?:分钟|小时|钟头|天|周)(?:以|之)?后|半(?:个)?小时后|\bin\s+{EN_NUMBER}\s+(?:minutes?|hours?|days?|weeks?)\b"
)
_EXCEPT = (
    r"除了|除开|除去|除外|除非|除(?=周|星期|节)|以外|之外|不含|不包括|不包含|(?<![一-龥])跳过|避开"
    r"|\b(?:except(?:ing)?|excluding|other than|apart from|unless|otherwise)\b"
    rf"|\b(?:never|not|no|but|skip(?:ping)?)\s+(?:on\s+|in\s+|at\s+|before\s+|after\s+|during\s+)?(?:the\s+)?(?:{EDAY}s?|weekends?|holidays?|{_UNITS})\b"
)
_BOUNDS = (
    rf"[从自]\s*(?:{W}|明天|后天|今天|下|本|这|{ZH_NUMBER}月|\d{{4}})[^,，]{{0,12}}?(?:起|开始)|(?:明天|后天|今天|下周[一二三四五六日天]?|下个?月|{ZH_NUMBER}[日号])(?:起|开始)"
    rf"|逢\s*(?:{W}|周|{ZH_NUMBER})|[^\s,，。{GONE}]{{1,6}}(?:季|期间|期|时期|时候|时段|当天|那天|前后|以内|之内)的?\s*(?={GONE})"
    rf"|(?<={GONE})\s*(?:之?前|以前|之?后|以后|之?内|以内|ish\b|-ish\b)|(?<={GONE})\s*[^\s,，。{GONE}]{{1,5}}时(?!间|代|候|段|机|刻|报)"
    rf"|直到|为止|连续\s*[\d一二两三四五六七八九十]+\s*个?(?=天|日|周|星期|交易日|月|{GONE})|(?:只|仅)(?:提醒|运行|跑|执行)?\s*[\d一二两三四五六七八九十]+次"
    rf"|\b(?:starting|beginning|effective)\s+(?:from\s+|on\s+|in\s+)?(?:next|tomorrow|today|monday|{EDAY}|{_MONTH}|the|\d)"
    rf"|\b(?:until|till|through)\s+(?:the\s+)?(?:end|next|tomorrow|{EDAY}|{_MONTH}|christmas|new year|summer|spring|\d)"
    rf"|\bfor\s+{EN_NUMBER}\s+(?:days?|weeks?|months?|years?)\s*(?=\Z|[,.;{GONE}])"
    rf"|\bfor\s+the\s+next\s+(?:{EN_NUMBER}\s+)?(?:days?|weeks?|months?)\b|\bfrom\s+(?:next|tomorrow|{EDAY})\b"
)
_BELL_ZH, _SEASON = "(?:开盘|收盘|开市|收市|盘前|盘后|盘中)", r"(?:winter|summer|spring|autumn|fall)"
_SHORT_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*"
_PARTS = (
    rf"{_BELL_ZH}\s*(?:和|与|及|、|或)\s*(?={GONE})|(?<={GONE})\s*(?:和|与|及|、|或)\s*{_BELL_ZH}"
    rf"|\b(?:open|close)\s+(?:and|or)\s*(?={GONE})|(?<={GONE})\s*(?:and|or)\s+(?:\w+\s+){{0,4}}(?:open|close)\b"
    rf"|(?<={GONE})\s*[^\s,，。{GONE}]{{1,6}}(?:那天|当天|这天|期间)|[冬夏]令时|\b{_SEASON} time\b|\b(?:in"
    rf"|during)\s+{_SEASON}\b"
    rf"|(?:本|这个?|下个?)(?:月|季度?|年)\s*(?={GONE})|{ZH_NUMBER}月(?:份|底|初)?\s*(?={GONE})"
    rf"|\b(?:in|during)\s+{_SHORT_MONTH}\b|(?<={GONE})\s*{_MONTH}\b|\bonly\s+(?:in|during|on|if|when)\b"
    rf"|(?<={GONE})\s*(?:and\s+)?(?:a\s+half\b|(?:half\s+an?|{EN_NUMBER})\s+(?:hours?|minutes?|mins?)\b)"
    rf"|(?<={GONE})\s*[又零]?{ZH_NUMBER}\s*个?(?:分钟|小时)"
    rf"|每?隔\s*{ZH_NUMBER}?\s*个?\s*(?={GONE})|(?<={GONE})\s*\d{{1,2}}(?=[早晚])|[早晚]上?\s*\d{{1,2}}(?![\d:个只年月日条元块点时])"
)
"""A second bell, a season or a month, the rest of a length of time: parts of a schedule of which one was read."""
_WHAT_ELSE = re.compile(
    r"\bST\b|股|基金|板块|行业|银行|行情外|stocks?\b|funds?\b|symbols?\b|sectors?\b|shares?\b|[036]\d{5}|\b[A-Z]{2,5}\b"
)


# how a clause begins that only says when: it is no job, and a job does not begin so

_UNIT_ZH = rf"{ZH_NUMBER}\s*个?(?:天|日|周|星期|礼拜|月|季度|年|交易日|工作日|小时|分钟)"
_SEASON_ZH = (
    "财报季|[春暑寒]假|[春夏秋冬][天季]|春节|国庆节?|中秋节?|五一|元旦|清明节?|端午节?|圣诞节?|感恩节|长假|放假"
    "|出差|休假"
)
_WHEN_ZH = (
    rf"(?:{W}\s*{D}|周末|[月季年][初底末]|{ZH_NUMBER}月(?:{ZH_NUMBER}[日号])?|{ZH_NUMBER}[日号](?!线|均)|节假日|假期"
    rf"|(?<!一)交易日|工作日|明天|后天|下个?(?:{W}|月|季度|年)|明年|{_SEASON_ZH}|(?:[早午晚中]饭|午休|下班|上班|睡觉|起床){_UNIT_ZH}?"
    rf"|{_UNIT_ZH})"
)
_LEAD_ZH = pattern(
    rf"[\s这那个的在是]*(?:但是?|不过|并且?|而且?|就|请)*\s*"
    rf"(?:(?:从|自|直?到|截[至止]|除(?:了|去|开)?|只[有在]?|仅[有在]?|别在?|不要在?|不在|限于)[\s这那个的在]*{_WHEN_ZH}"
    rf"|{_WHEN_ZH}\s*(?:期间|时期|前后|以?前|之前|以?后|之后|以?内|之内|里面?|中(?!午)|起|开始|为止|不要?|别|除外|才|的?时候|那[天周])"
    rf"|(?:{_WHEN_ZH}[\s和与及、或]*)+\Z)"
)
_UNIT_EN = r"(?:days?|weeks?|months?|quarters?|years?|hours?|minutes?|sessions?)"
_FULL_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_NAMED_EN = (
    rf"(?:{EDAY}s?|{_FULL_MONTH}|(?:jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec)|weekends?|weekdays?|holidays?"
    r"|tomorrow|tonight|noon|midnight|lunch(?:time)?|breakfast|dinner|work|bed(?:time)?|christmas|easter|thanksgiving"
    r"|new year|summer|winter|spring|autumn|earnings season|vacations?|market hours|the (?:open|close|session|bell)"
    r"|20\d\d|\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.]\d\d|\d{1,2}\s*[ap]\.?m|(?:trading|business|working) days?)"
    r"(?![\w-]|['’]s\b)"
)
_AROUND_EN = (
    r"(?:(?:on|in|at|by|of|the|a|an|this|next|coming|following|last|first|second|third|late|early|mid|end|start|beginning"
    r"|middle|rest|remainder|whole|entire|and|or|from|for|with|it'?s|it is|when|if|i'?m|i am|away|my|until|till)\s+"
    r"|\d{1,2}\s+)"
)
_COUNTED_EN = rf"(?:(?:the\s+)?(?:next|coming|first|following)\s+)?(?:{EN_NUMBER}\s+(?:more\s+)?){_UNIT_EN}"
_RELATIVE_EN = rf"(?:this|next|coming|the)\s+(?:{_UNIT_EN})"
_LIMIT_EN = (
    r"(?:before|after|until|till|during|since|while|unless|except(?:ing)?|excluding|only|not|never"
    r"|(?:as|so) long as|provided|starting|beginning|commencing|effective|as (?:of|from)|within|through(?:out)?"
    r"|no (?:later|earlier|sooner) than|up to)"
)
_VERB_EN = (
    r"(?:tell|show|send|give|scan|review|check|list|remind|run|write|report|summari[sz]e|compare|look|export|sync)"
)
_LEAD_EN = pattern(
    rf"\s*(?:(?:and|but|or|also|then|please)\s+)*"
    rf"(?:{_LIMIT_EN}\b(?:\s+[\w'’-]+){{0,4}}"
    rf"|(?:from|in|on|by|at|for)\s+{_AROUND_EN}{{0,4}}{_NAMED_EN}(?:\s+(?:onwards?|on|forward|only)\b)?"
    rf"|(?:for|in|over)\s+{_COUNTED_EN}\b|(?:from|in|by)\s+{_RELATIVE_EN}\b|for\s+the\s+(?:rest|remainder|whole|entire)\b(?:\s+of\s+\w+(?:\s+\w+)?)?"
    rf"|{_AROUND_EN}{{0,3}}{_NAMED_EN}(?:\s+{_AROUND_EN}{{0,3}}{_NAMED_EN})*\s*(?:only\s*)?\Z"
    rf"|this\s+{_UNIT_EN}\s+(?:only\s+)?(?={_VERB_EN}\b)"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_FULL_MONTH}\b|{_FULL_MONTH}\s+\d{{1,2}}\b"
    rf"|\d{{1,2}}\s+in\s+the\s+(?:morning|afternoon|evening))",
    re.I,
)
_TRAIL_EN = pattern(
    r"\b(?:but|and|or)?\s*\b"
    rf"(?:{_LIMIT_EN.replace('before|after|', '').replace('since|while|', '')}\s+{_AROUND_EN}{{0,5}}"
    rf"(?:{_NAMED_EN}|today\b(?!['’]s)|{_UNIT_EN}\b(?!['’]s))"
    rf"|from\s+{_AROUND_EN}{{0,4}}{_NAMED_EN}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?:onwards?|on|forward)\b)",
    re.I,
)
"""A limit on when at the end of a job: scan my list, but not this Friday."""
_CLAUSE = pattern(rf"[^,，。;；!！{GONE}]+")


def _find_limits(plain: str) -> list[tuple[int, int]]:
    """Return the stretches that limit when a job is done: where a clause begins, or in English behind the job.

    >>> [text[a:b] for text in ("from July on, show the news",) for a, b in _find_limits(text)]
    ['from July on']
    """
    found = {each.span() for each in _TRAIL_EN.finditer(plain)}
    led = False
    for clause in _CLAUSE.finditer(plain):
        lead = _LEAD_ZH.match(clause[0]) or _LEAD_EN.match(clause[0])
        limited = lead is not None and (not led or _BARE_LIMIT.match(clause[0]) is None)
        if lead is not None and limited:
            found.add((clause.start() + lead.start(), clause.start() + lead.end()))
        led = led or (lead is None and bool(re.search(rf"[\w{QUOTED}]", _FILLER.sub("", clause[0]))))
    return sorted(found)


_BARE_LIMIT = pattern(
    rf"\s*(?:(?:and|but|or|also|then|please)\s+)*{_LIMIT_EN}\b(?!.*(?:{_NAMED_EN}|\b{_UNIT_EN}\b))", re.I
)
"""A limit that names no time, which behind a job is a part of it: …, not the market."""


class _Kind(NamedTuple):
    """Words of one kind, and what lets them stay in the job.

    of_things     an exception that names securities
    qualifies     they qualify a noun: 下周一的会, Friday's trades
    of_noun       a noun before them does: news of today, 上周五
    behind_verb   they stand behind the verb of the job
    needs_time    the same, once the wish has said its own time
    adjective     a noun follows: the weekly chart
    """

    words: re.Pattern[str]
    qualifies: bool = True
    of_noun: bool = False
    of_things: bool = False
    adjective: bool = False
    behind_verb: bool = False
    needs_time: bool = False


_KINDS = (
    _Kind(re.compile(_EXCEPT, re.I), qualifies=False, of_things=True),
    _Kind(re.compile(_BOUNDS, re.I), qualifies=False),
    _Kind(re.compile(_PARTS, re.I), qualifies=False),
    _Kind(re.compile(_CLOCK, re.I), of_noun=True, behind_verb=True, needs_time=True),
    _Kind(re.compile(_EVERY, re.I)),
    _Kind(re.compile(_ORDINALS, re.I)),
    _Kind(re.compile(_DAYS, re.I), of_noun=True),
    _Kind(re.compile(_DATES, re.I), of_noun=True, behind_verb=True),
    _Kind(re.compile(_DAYPARTS, re.I), of_noun=True, behind_verb=True, needs_time=True, adjective=True),
    _Kind(re.compile(_ADJECTIVES, re.I), behind_verb=True, adjective=True),
)
_FILLER = re.compile(
    rf"(?:{DAYPART}|到了?|等到?|当|请|帮我|麻烦|给我|替我|我|要|都|就|也|再|还|并且?|和|与|及|以及|然后|同时|另外|但是?|不过|而且?|在|于|的|每次|到|从"
    r"|\b(?:please|and|then|also|again|but|at|on|in|the|by|from|to|a|an|me|or|with)\b|[\s()（）:：、&])+",
    re.I,
)
_JOINED = re.compile(
    r"(?:和|与|及|以及|或者?|还有|加上|,|、|\band|\bor|\balso|\bagain|&)\s*(?:在|再|\bat\b|\bonce more\b)?\s*\Z", re.I
)
_OF_NOUN_BEFORE = re.compile(
    rf"(?:\b(?:for|of|about|since|versus|vs\.?|than|last|previous|past|prior|this|against)\s+(?:the\s+|next\s+|{_MONTH}\s+)*|(?<![早晚])上个?|本|这个?|前一?个?|近)\Z",
    re.I,
)
_OF_NOUN_AFTER = re.compile(r"\s*(?:的(?!时候|时(?!间)|话)|'s\b|’s\b)", re.I)
_NOUN_NEXT = re.compile(
    r"\s+(?!(?:at|on|in|by|and|or|but|before|after|except|from|to|until|every|each|please|then)\b)[A-Za-z]{3,}|\s*(?:K?线|图|报|的)",
    re.I,
)


def check_all_read(said: Wish, *, has_time: bool) -> None:
    """Raise BadData with the words that mean a time and that no rule has taken out of a wish.

    has_time  the wish has said its own time of day, or needs none
    """
    unread = sorted(
        found.span()
        for kind in _KINDS
        for found in kind.words.finditer(said.plain)
        if not _belongs_to_job(said.plain, *found.span(), kind, has_time)
        and not any(start <= found.start() < end for start, end in said.repeated)
    )
    limits = [span for span in _find_limits(said.plain) if not any(span[0] < b and a < span[1] for a, b in unread)]
    unread = sorted({*unread, *limits})
    if not unread:
        return
    merged: list[tuple[int, int]] = []
    for start, end in unread:
        if merged and said.text[merged[-1][1] : max(start, merged[-1][1])].strip() == "":
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    words = [said.text[start:end].strip() for start, end in merged]
    if any(_BEGINS_OR_ENDS.search(word) for word in words):
        raise BadData(
            "did not understand {words} as part of the schedule",
            words=", ".join(f"“{word}”" for word in words[:3]),
            hint="leave out the first or last day: a task runs from its approval until `ia task pause NAME`",
        )
    raise BadData(
        "did not understand {words} as part of the schedule",
        words=", ".join(f"“{word}”" for word in words[:3]),
        hint="say it another way, or give the schedule (`--cron`) and the job separately; quote words that belong"
        " to the job",
    )


_BEGINS_OR_ENDS = pattern(
    r"[从自].*[起始]|开始|直?到|截[至止]|为止|起\Z|\b(?:until|till|through|starting|beginning|commencing|effective|onwards?|forward|from)\b"
    r"|\bon\Z",
    re.I,
)


def _belongs_to_job(plain: str, start: int, end: int, kind: _Kind, has_time: bool) -> bool:
    """Whether words are about what is to be done."""
    before, after = plain[:start], plain[end:]
    if not kind.qualifies:
        return kind.of_things and _is_exception_of_things(before, after)
    if _OF_NOUN_AFTER.match(after) or (kind.of_noun and _OF_NOUN_BEFORE.search(before)):
        return True
    clause = re.split(rf"[,，。;；!！{GONE}]", before)[-1]
    led = bool(re.search(rf"[\w{QUOTED}]", _FILLER.sub("", clause)))
    joined = _JOINED.search(before) is not None
    if kind.behind_verb and led and not joined and (has_time or not kind.needs_time):
        return True
    return kind.adjective and not (joined and not led) and _NOUN_NEXT.match(after) is not None


def _is_exception_of_things(before: str, after: str) -> bool:
    """Whether an exception leaves out securities, not days."""
    clause = re.split(rf"[,，。;；{GONE}]", after)[0] + " " + re.split(rf"[,，。;；{GONE}]", before)[-1]
    return _WHAT_ELSE.search(clause) is not None
