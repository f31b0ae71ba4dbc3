"""When a wish is to be carried out: its rhythm (every Friday, each trading day) and its times of day, as a schedule.

Words that could say a time but belong to the job (对比 9:30 的价格, the weekly chart) stay there: a time counts where it
stands beside the rhythm, or alone in the place of one. Two rhythms, two times or an impossible one are asked back.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ia.errors import BadData
from ia.schedule import phrases
from ia.schedule.phrases import EN_NUMBER, GONE, MONTHS, ZH_NUMBER, Said, minutes, number, weekday

_AT = "say which one: 每周五16:00复盘本周, every Friday at 16:00 review my week"
_HOW_OFTEN = "say how often: 每周五16:00复盘本周, every Friday at 16:00 review my week"
_ONCE = "a task repeats: say how often, such as 每周五16:00 or every Friday at 16:00"
_LAST = "the 28th is in every month: 每月28号; or choose another day"
DEFAULT = (16, 0)
"""The time of day where a wish names a day only: after China's close."""
_PARTS = {
    "凌晨": (2, 0), "清晨": (6, 30), "早": (8, 30), "上午": (9, 0), "中午": (12, 0), "下午": (15, 0), "傍晚": (18, 0),
    "晚": (20, 0), "夜": (22, 0), "半夜": (0, 0), "午夜": (0, 0),
    "morning": (8, 30), "noon": (12, 0), "afternoon": (15, 0), "evening": (20, 0), "night": (22, 0), "midnight": (0, 0),
}  # fmt: skip
_LATE = ("下午", "傍晚", "晚", "夜")
OPENS = {"CN": 570, "HK": 570, "US": 570}
CLOSES = {"CN": 900, "HK": 960, "US": 960}
"""Minutes after midnight at which the regular session begins and ends, in the exchange's own time."""

_DAYPART = r"(?:凌晨|清晨|早上|早晨|清早|一早|早|上午|中午|下午|傍晚|晚上|夜里|夜晚|半夜|午夜|晚)"
_ZH_TIME = (
    rf"(?P<part>{_DAYPART})?\s*(?:的)?(?:(?P<dh>\d{{1,2}}):(?P<dm>\d\d)(?![\d:])"
    rf"|(?P<h>{ZH_NUMBER})\s*(?:点钟?|时(?![候间段期代]))(?!位|数|评)(?:(?P<half>半)|(?P<q>[一三])刻|(?P<m>{ZH_NUMBER})分?(?!钟)|整(?![理个合体改治]))?)"
)
_EN_TIME = (
    r"(?:(?P<ehalf>half past|quarter past|quarter to)\s+(?P<ph>\d{1,2}|[a-z]+)"
    r"|(?P<edh>\d{1,2}):(?P<edm>\d\d)(?![\d:%])\s*(?P<ap1>[ap]\.?m\b\.?)?|(?P<eh>\d{1,2})\s*(?P<ap2>[ap]\.?m\b\.?)"
    r"|(?P<oh>\d{1,2}|[a-z]+) o'?clock|(?P<word>noon|midnight)\b)"
)
_BARE = r"(?:at |@ ?)(?P<bare>\d{1,2})(?![\d:.%]|\s*[ap]\.?m\b)"
_TIME = re.compile(rf"\b(?:at |@ ?)?{_EN_TIME}|\b{_BARE}|(?:\bat |@ ?|在|于)?{_ZH_TIME}", re.I)
_NEXT = re.compile(r"\s*(?P<sep>,|、|，|和|与|及|以及|跟|and at\b|and\b|&|或者?|还是|or\b|到|至|-|–|~|—|to\b|until\b|till\b)\s*", re.I)
_MORE = re.compile(r"(?P<bare>\d{1,2})(?![\d:.%]|\s*(?:%|个|只|条|分|天|次|minutes?|hours?|days?|times|stocks?|items?|percent))", re.I)


class Time(NamedTuple):
    """A time of day and where it stands."""

    start: int
    end: int
    hour: int
    minute: int
    said: str


@dataclass
class Times:
    """Times that are said in one breath: 9 and 15, 9:30 or 10:00, from 9 to 17."""

    found: list[Time]
    joined: str = ""

    @property
    def start(self) -> int:
        """Where they begin."""
        return self.found[0].start

    @property
    def end(self) -> int:
        """Where they end."""
        return self.found[-1].end


@dataclass
class Rhythm:
    """How often: three cron fields (day of month, month, weekday), or every so many minutes.

    sure    it can only be meant so: 每周五, not the bare 每周 or weekly of `the weekly chart`
    count   times of day that it asks for (twice a day)
    """

    start: int
    end: int
    days: str = "* * *"
    period: str = "daily"
    sure: bool = True
    trading: bool = False
    every: int = 0
    count: int = 0


class When(NamedTuple):
    """What a wish says of when: a schedule, the exchange whose days count, and the schedule's zone."""

    schedule: str
    calendar: str
    zone: str


def read(said: Said, zone: str) -> When:
    """Return when a wish is to be carried out, and take that out of it.

    zone    the user's own, IANA
    raises  BadData, asking back, where that is not said, or could be two things.
    """
    spoken = phrases.zone(said)
    exchange = phrases.market(said)
    _impossible(said)
    close = _close(said)
    within = said.take(_SESSION)
    rhythm = _rhythm(said)
    if rhythm is None and not close and not within:
        raise _missing(said)
    times = _times(said, rhythm)
    trading = bool(close or within or (rhythm and rhythm.trading))
    if trading:
        exchange = exchange or "CN"
        said.take(_MARKET_WORD)
    calendar = exchange if trading and not (rhythm and rhythm.days.split()[0] != "*") else ""
    schedule = _schedule(said, rhythm, times, close, bool(within), exchange)
    home = spoken or (phrases.EXCHANGE_ZONE[exchange] if trading else zone)
    if spoken and schedule.startswith("close"):
        home = phrases.EXCHANGE_ZONE[exchange]
    return When(schedule, calendar, home)


# the exchange's session

_OFFSET = rf"(?P<n>半|{ZH_NUMBER})\s*个?(?P<half>半)?(?P<u>小时|钟头|分钟?)"
_EN_OFFSET = rf"(?P<en>half an|{EN_NUMBER})[ -]?(?P<eu>hours?|h|minutes?|mins?|m)\b"
_PLACE = r"(?:US|U\.S\.|HK|hong kong|new york|wall street|nasdaq|nyse|shanghai|shenzhen|china|chinese|american|a-share)"
_CLOSE = re.compile(
    rf"(?:收盘|收市|闭市)(?:(?:之|以)?(?P<side>[后前])\s*的?(?:{_OFFSET})?|(?P<late>{_OFFSET.replace('<n>', '<n2>').replace('<half>', '<half2>').replace('<u>', '<u2>')})(?P<side2>[后前])"
    rf"|(?![价点位线数行涨跌成])(?:时|的时候)?)|(?<!开)盘(?P<side3>后)(?!数据|行情|交易|涨|跌)(?:{_OFFSET.replace('<n>', '<n3>').replace('<half>', '<half3>').replace('<u>', '<u3>')})?"
    rf"|(?:{_EN_OFFSET}\s+)?\b(?P<eside>after|before|at|past)\s+(?:(?:each|every|the)\s+)?(?:{_PLACE}\s+)?(?:market(?:'?s)?\s+|day's\s+)?(?:close|closing bell)s?\b(?!\s*(?:price|above|below|of the position))"
    rf"|\b(?:when|once|as soon as|after)\s+(?:the\s+)?(?:{_PLACE}\s+)?markets?\s+(?:has\s+|have\s+)?close[sd]?\b|\bpost-?market\b",
    re.I,
)  # fmt: skip
_OPEN = re.compile(
    rf"(?<![开收])盘(?P<side3>前)(?!数据|行情|交易|涨|跌)(?:{_OFFSET.replace('<n>', '<n3>').replace('<half>', '<half3>').replace('<u>', '<u3>')})?"
    rf"|(?:开盘|开市)(?:(?:之|以)?(?P<side>[后前])\s*的?(?:{_OFFSET})?|(?![价点位线数行涨跌])(?:时|的时候)?)"
    rf"|(?:{_EN_OFFSET}\s+)?\b(?P<eside>after|before|at|past)\s+(?:(?:each|every|the)\s+)?(?:{_PLACE}\s+)?(?:market(?:'?s)?\s+)?(?:open|opening|opening bell)s?\b(?!\s*(?:price|above|below|position))"
    rf"|\b(?:when|once)\s+(?:the\s+)?(?:{_PLACE}\s+)?markets?\s+opens?\b|\bpre-?market\b",
    re.I,
)  # fmt: skip
_SESSION = re.compile(
    r"(?:在)?(?:盘中|交易时间内?|交易时段内?|开市期间|交易期间)"
    r"|\b(?:during|in|within)\s+(?:the\s+)?(?:\w+\s+)?(?:trading|market)\s+(?:hours|session)\b|\bwhile the (?:\w+ )?market is open\b",
    re.I,
)
_MARKET_WORD = re.compile(r"(?:美股|港股|[Aa]股|沪深)(?:的)?(?=\x00)", re.I)


class _Bell(NamedTuple):
    """Beside which end of the session, and how many minutes after it (before it: less than 0; None: not said)."""

    end: str
    offset: int | None
    start: int
    stop: int


def _close(said: Said) -> _Bell | None:
    for end, pattern in (("close", _CLOSE), ("open", _OPEN)):
        found = said.take(pattern)
        if found is None:
            continue
        got = found.groupdict()
        amount, unit = (got.get(key) or got.get(key + "2") or got.get(key + "3") for key in ("n", "u"))
        side = got.get("side") or got.get("side2") or got.get("side3") or (got.get("eside") or "").casefold()
        offset = None
        if amount and unit:
            offset = minutes(amount, unit) + (minutes("半", unit) if got.get("half") or got.get("half2") or got.get("half3") else 0)
        elif got.get("en"):
            offset = minutes(got["en"], got["eu"])
        before = side in ("前", "before") or found[0].casefold().startswith("pre")
        if before:
            offset = -(30 if offset is None else offset)
        elif side == "at" or found[0].casefold().endswith(("时", "时候")):
            offset = 0 if offset is None else offset
        return _Bell(end, offset, *found.span())
    return None


# times of day


def _times(said: Said, rhythm: Rhythm | None) -> Times | None:
    """Return the times of day that are meant, and take them out."""
    groups = _groups(said)
    beside = [group for group in groups if rhythm and _beside(said, group, rhythm)]
    if rhythm is not None:
        alone = [group for group in groups if _alone(said, group)]
    else:
        alone = [group for group in groups if group.start == 0 or GONE in said.plain[max(group.start - 2, 0) : group.start]]
    meant = beside or alone
    if len(meant) > 1:
        raise BadData("two times of day are named: {one} and {other}", one=meant[0].found[0].said,
                      other=meant[1].found[0].said, hint=_AT)  # fmt: skip
    if meant:
        lead = _LEAD.search(said.plain[: meant[0].start])
        said.drop(lead.start() if lead else meant[0].start, meant[0].end)
        return meant[0]
    return None


_LEAD = re.compile(r"(?:\b(?:from|between)\s+|[从由]\s*)\Z", re.I)


def _groups(said: Said) -> list[Times]:
    groups: list[Times] = []
    at = 0
    while found := _TIME.search(said.plain, at):
        group = Times([_time(found)])
        at = found.end()
        while (more := _NEXT.match(said.plain, at)) and (
            next_ := _TIME.match(said.plain, more.end()) or _MORE.match(said.plain, more.end())
        ):
            sep = more["sep"].casefold()
            if sep == "," and next_.re is _MORE:
                break
            kind = "or" if sep in ("或", "或者", "还是", "or") else "to" if sep in ("到", "至", "-", "–", "~", "—", "to", "until", "till") else "and"  # noqa: E501
            group.joined = kind if group.joined in ("", kind) else "or"
            group.found.append(_time(next_, group.found[-1]))
            at = next_.end()
        groups.append(group)
    return groups


def _time(found: re.Match[str], before: Time | None = None) -> Time:
    got = {key: value for key, value in found.groupdict().items() if value is not None}
    part = got.get("part", "")
    text = got.get("h") or got.get("dh") or got.get("edh") or got.get("eh") or got.get("oh") or got.get("ph") or got.get("bare")
    if word := got.get("word"):
        hour, minute = _PARTS[word.casefold()]
    else:
        try:
            hour = number(text or "")
        except KeyError:
            raise _no_time(found[0]) from None
        minute = number(got.get("m") or got.get("dm") or got.get("edm") or "0")
        minute = 30 if got.get("half") else {"一": 15, "三": 45}[got["q"]] if "q" in got else minute
    if past := (got.get("ehalf") or "").casefold():
        minute = 30 if past.startswith("half") else 15
        hour, minute = (hour - 1, 45) if past.endswith("to") else (hour, minute)
    meridiem = (got.get("ap1") or got.get("ap2") or "").casefold()[:1]
    late = part.startswith(_LATE) or meridiem == "p" or (part == "中午" and hour < 6)
    if late and hour == 12 and part.startswith(("晚", "夜")):
        hour = 0
    elif late and hour < 12:
        hour += 12
    elif hour == 12 and (meridiem == "a" or part in ("凌晨", "半夜", "午夜")):
        hour = 0
    contrary = (meridiem and not 1 <= number(text or "0") <= 12) or (part in ("凌晨", "清晨", "早上", "上午", "早") and hour > 12)
    if hour > 23 or minute > 59 or hour < 0 or contrary:
        raise _no_time(found[0])
    return Time(found.start(), found.end(), hour, minute, found[0].strip())


def _no_time(said: str) -> Exception:
    return BadData("{said} is no time of day", said=said.strip(), hint="hours go from 0 to 23: 8:30, 16:00, 下午4点, 4 pm")


_LINK = re.compile(rf"(?:[\s{GONE},，的在于]|\bat\b|\bfrom\b|\bbetween\b|\bof\b|\bthe\b|\bon\b|{_DAYPART}|\bin the\b|morning|evening|afternoon|night|time)*", re.I)  # noqa: E501


def _beside(said: Said, group: Times, rhythm: Rhythm) -> bool:
    """Whether nothing but a link stands between times and the rhythm."""
    between = said.near(rhythm.end, group.start) if group.start >= rhythm.end else said.near(group.end, rhythm.start)
    after = said.near(group.end, group.end + 2)
    return _LINK.fullmatch(between) is not None and not re.match(r"的[^\x00]", after)


def _alone(said: Said, group: Times) -> bool:
    """Whether times stand where a clause could end or begin, so that they may be meant though the rhythm is away."""
    before, after = said.near(max(group.start - 1, 0), group.start), said.near(group.end, group.end + 2)
    begins = group.start == 0 or before in ",，。;；、" + GONE or group.found[0].said.casefold().startswith(("at ", "@", "在", "于"))
    ends = not after.strip() or after[0] in ",，。.;；" + GONE or begins
    return begins and ends and not re.match(r"\s*(?:的|price|level|bar|open|close)", after, re.I)


# rhythms

_W = r"(?:周|星期|礼拜)"
_D1 = r"[一二三四五六日天](?![次份篇回遍期点时刻]|个(?!股)|[条只](?!\w))"
_D = rf"(?:{_D1}|[1-7](?![\d:次份篇回遍点时号]))"
_JOIN = r"(?:\s*(?:、|,|，|和|与|及|以及|跟|或)\s*)"
_EDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_EDAYS = rf"{_EDAY}s?(?:(?:\s*(?:,|and|&|or|/)\s*(?:and\s+)?|\s+)(?:on\s+)?{_EDAY}s?\b)*"
_NTH = r"(?P<nth>\d{1,2})(?:st|nd|rd|th)?(?:\s*(?:,|and|&)\s*(?:the\s+)?(?P<nth2>\d{1,2})(?:st|nd|rd|th)?)?"
_MONTH = r"(?P<mon>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_BEFORE_NOUN = r"(?=的|(?:涨|跌|成交|收益|价格|销量|变化|变动|数据|回报|走势|K线|线|图|报(?!告)))"

_Made = Callable[[re.Match[str]], "Rhythm"]
_RULES: list[tuple[re.Pattern[str], _Made]] = []


def _rule(words: str) -> Callable[[_Made], _Made]:
    def keep(function: _Made) -> _Made:
        _RULES.append((re.compile(words, re.I), function))
        return function

    return keep


def _rhythm(said: Said) -> Rhythm | None:
    """Return how often, and take it out: the one that is sure, else the first that could be meant."""
    made: list[Rhythm] = []
    plain = said.plain
    for pattern, make in _RULES:
        for match in pattern.finditer(plain):
            rhythm = make(match)
            if re.match(_BEFORE_NOUN, plain[match.end() :]):
                rhythm.sure = False
            made.append(rhythm)
            plain = plain[: match.start()] + GONE * (match.end() - match.start()) + plain[match.end() :]
    made.sort(key=lambda each: (not each.sure, each.start))
    if not made:
        return None
    first = made[0]
    for other in made[1:]:
        if first.sure and not first.count and other.sure and (other.days, other.every) == (first.days, first.every):
            continue
        if other.count or first.count:  # twice a day … every day
            day, count = (first, other) if other.count else (other, first)
            if (day.sure or count.sure) and count.period == day.period:
                said.drop(count.start, count.end)
                day.count, first = count.count, day
                continue
        if first.every != other.every and "* * *" in (first.days, other.days) and first.every < 1440 > other.every:
            said.drop(other.start, other.end)
            first.days = first.days if first.days != "* * *" else other.days
            first.every, first.trading = first.every or other.every, first.trading or other.trading
            continue
        if first.sure and other.sure:
            a, b = said.text[first.start : first.end].strip(), said.text[other.start : other.end].strip()
            raise BadData("two rhythms are named: {one} and {other}", one=a, other=b,
                          hint="make two tasks of it, one after the other")  # fmt: skip
    said.drop(first.start, first.end)
    if first.every >= 1440 and (day := _WEEKDAY_NEXT.match(said.plain, first.end)):
        raise BadData("every so many days and {day} do not go together", day=day[0].strip(),
                      hint="say 每周五, every Friday; or every 14 days without a weekday")  # fmt: skip
    return first


_WEEKDAY_NEXT = re.compile(rf"[\s,，的]*(?:在|on\s+)?(?:{_W}\s*{_D}|{_EDAY}s?\b)", re.I)


def _spaced(found: re.Match[str], size: int) -> Rhythm:
    return Rhythm(*found.span(), every=size)


@_rule(rf"(?:每|间)?隔\s*(?P<n>一|两|二|{ZH_NUMBER})?\s*个?(?P<u>天|日|周|星期|礼拜)")
def _alternate(found: re.Match[str]) -> Rhythm:
    count = number(found["n"] or "1")
    if count > 1:
        raise BadData("{said} could be two things", said=found[0], hint="write 每2天 or 每3天, every 2 days or every 3 days")
    return _spaced(found, 2 * minutes("1", found["u"]))


@_rule(rf"每\s*隔?\s*(?:(?P<n>半|{ZH_NUMBER})\s*个?(?P<half>半)?|(?=[小分钟]))(?P<u>分钟|小时|钟头|天|日|周(?!{_D})|星期(?!{_D})|礼拜(?!{_D}))(?![内前后])")
def _interval_zh(found: re.Match[str]) -> Rhythm:
    size = minutes(found["n"] or "1", found["u"]) + (minutes("半", found["u"]) if found["half"] else 0)
    return _spaced(found, size)


@_rule(rf"\bevery\s+(?:(?P<n>half an?|{EN_NUMBER})[ -]?)?(?P<u>minutes?|mins?|hours?|hrs?|h\b|m\b|(?<=\d)d\b)(?!\w)|\b(?P<word>hourly)\b")
def _interval_en(found: re.Match[str]) -> Rhythm:
    return _spaced(found, 60 if found["word"] else minutes(found["n"] or "1", found["u"]))


@_rule(rf"\bevery\s+(?P<n>{EN_NUMBER})[ -]?(?P<u>days?|weeks?)\b|\b(?P<word>bi-?weekly|fortnightly|every fortnight)\b|(?P<zh>双周)(?!报)")
def _long_interval(found: re.Match[str]) -> Rhythm:
    size = 14 * 1440 if not found["n"] else minutes(found["n"], found["u"])
    return _spaced(found, size)


@_rule(rf"(?:每个?)?{_W}\s*(?P<a>{_D})\s*(?:到|至|-|–|~|—)\s*{_W}?\s*(?P<b>{_D})|\b(?:every\s+|each\s+|from\s+|on\s+)?(?P<ea>{_EDAY})s?\s*(?:-|–|to|through|thru)\s*(?P<eb>{_EDAY})s?\b")
def _from_to(found: re.Match[str]) -> Rhythm:
    first, last = weekday(found["a"] or found["ea"]), weekday(found["b"] or found["eb"])
    last = 7 if last == 0 else last
    days = f"{first}-{last}" if first <= last else ",".join(str(n) for n in range(7) if n >= first or n <= last)
    return Rhythm(*found.span(), days=f"* * {'*' if days in ('1-7', '0-6') else days}")


@_rule(rf"(?:每\s*个?逢?|逢)\s*{_W}\s*(?P<d>{_D}(?:{_D1}|{_JOIN}?(?:每个?)?{_W}\s*{_D}|{_JOIN}{_D})*)")
def _weekdays_zh(found: re.Match[str]) -> Rhythm:
    return _on(found, re.findall(r"[一二三四五六日天1-7]", found["d"]))


@_rule(rf"\b(?:every|each|weekly\s+on|once a week on|(?:once )?per week on)\s+(?:single\s+)?(?P<d>{_EDAYS})(?!\w)|\b(?:on\s+)?(?P<p>{_EDAY}s(?:\s*(?:,|and|&)\s*(?:and\s+)?{_EDAY}s)*)\b")
def _weekdays_en(found: re.Match[str]) -> Rhythm:
    return _on(found, re.findall(_EDAY, found["d"] or found["p"], re.I))


def _on(found: re.Match[str], names: list[str]) -> Rhythm:
    days = sorted({weekday(name) for name in names})
    return Rhythm(*found.span(), days=f"* * {','.join(map(str, days))}", period="weekly")


@_rule(r"每(?:个)?周末|\b(?:every|each|on)\s+weekends?\b|\bweekends\b")
def _weekend(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), days="* * 0,6", period="weekly")


@_rule(r"(?:每(?:个|逢)?\s*)?(?:(?:美股|港股|[Aa]股|沪深|中国|美国|香港)的?\s*)?交易日|\b(?:on\s+)?(?:every|each|on)?\s*(?:(?:US|HK|Chinese?|hong kong)\s+)?(?:trading|market)\s+days?\b")
def _trading(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), days="* * 1-5", trading=True)


@_rule(r"(?:每(?:个)?\s*)?工作日|\b(?:(?:every|each|on)\s+)?(?:weekdays?|(?:working|work|business) ?days?)\b")
def _workdays(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), days="* * 1-5")


@_rule(rf"每(?:个)?月\s*的?(?P<n>{ZH_NUMBER})\s*[号日]?(?:{_JOIN}(?P<n2>{ZH_NUMBER}))?\s*[号日](?!期)|每(?:个)?月(?P<first>月?初|第一天)")
def _monthly_zh(found: re.Match[str]) -> Rhythm:
    days = [1] if found["first"] else [number(text) for text in (found["n"], found["n2"]) if text]
    return _in_month(found, days)


@_rule(rf"\b(?:(?:every|each)\s+month|monthly)\s+on\s+(?:the\s+)?{_NTH}\b|\b(?:on\s+)?(?:the\s+)?{_NTH.replace('nth', 'mth')}\s+(?:day\s+)?(?:of\s+)?(?:every|each|the)\s+month\b|\b(?:on\s+)?the\s+(?P<first>first)(?:\s+day)?\s+of\s+(?:every|each|the)\s+month\b")
def _monthly_en(found: re.Match[str]) -> Rhythm:
    texts = (found["nth"], found["nth2"], found["mth"], found["mth2"])
    return _in_month(found, [1] if found["first"] else [int(text) for text in texts if text])


def _in_month(found: re.Match[str], days: list[int]) -> Rhythm:
    for day in days:
        if not 1 <= day <= 31:
            raise BadData("there is no day {day} in a month", day=day, hint=_LAST)
        if day > 28:
            raise BadData("not every month has a day {day}", day=day, hint=_LAST)
    return Rhythm(*found.span(), days=f"{','.join(map(str, sorted(set(days))))} * *", period="monthly")


@_rule(rf"每(?:个)?季度?初?|每(?P<n>两|二|三|四|六|2|3|4|6)个月|\b(?:every|each)\s+(?:quarter|(?P<en>two|three|four|six|2|3|4|6|other)\s+months?)\b|\b(?P<ly>quarterly)\b")
def _quarterly(found: re.Match[str]) -> Rhythm:
    step = number(found["n"] or found["en"] or "3")
    months = ",".join(str(month) for month in range(1, 13, step))
    return Rhythm(*found.span(), days=f"1 {months} *", period="quarterly" if step == 3 else "monthly", sure=not found["ly"])


@_rule(rf"每半年|\bevery (?:half year|half a year|six months)\b|每年\s*(?:的)?(?:(?P<m>{ZH_NUMBER})月\s*(?:(?P<d>{ZH_NUMBER})[日号])?)?|\b(?:every|each)\s+year(?:\s+on\s+(?:the\s+)?(?:{_MONTH}\s+(?P<ed>\d{{1,2}})(?:st|nd|rd|th)?))?\b|\b(?P<ly>yearly|annually)\b")
def _yearly(found: re.Match[str]) -> Rhythm:
    if "半年" in found[0] or re.search("half|six", found[0]):
        return Rhythm(*found.span(), days="1 1,7 *", period="yearly")
    month = number(found["m"]) if found["m"] else MONTHS.index(found["mon"].casefold()) + 1 if found["mon"] else 1
    day = number(found["d"] or found["ed"] or "1")
    longest = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not 1 <= month <= 12 or not 1 <= day <= longest[month - 1]:
        raise BadData("{said}: there is no such day in every year", said=found[0].strip(), hint="choose another day: 每年3月1日, every year on March 1")
    return Rhythm(*found.span(), days=f"{day} {month} *", period="yearly", sure=not found["ly"])


@_rule(rf"(?P<n>once|twice|{EN_NUMBER}(?=\s+times))(?:\s+times)?\s+(?:a|per|each|every)\s+(?P<u>day|week|month)\b|每(?P<zu>[天日周月])(?P<zn>{ZH_NUMBER})[次遍回]")
def _count(found: re.Match[str]) -> Rhythm:
    unit = (found["u"] or found["zu"]).casefold()
    times = number(found["n"] or found["zn"])
    days, period = {"d": ("* * *", "daily"), "w": ("* * 5", "weekly"), "m": ("1 * *", "monthly"), "天": ("* * *", "daily"),
                    "日": ("* * *", "daily"), "周": ("* * 5", "weekly"), "月": ("1 * *", "monthly")}[unit[0]]  # fmt: skip
    return Rhythm(*found.span(), days=days, period=period, count=times)


@_rule(rf"每\s*(?:一?天|日|一日)(?!线|均|报)(?:的(?={_DAYPART}))?|天天|每(?={_DAYPART})|每个(?={_DAYPART})|\b(?:every|each)\s+(?:single\s+)?day\b(?!')|\b(?:every|each)\s+(?=morning|evening|night|afternoon|noon)|\bnightly\b")
def _daily(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span())


@_rule(rf"每(?:个|一)?{_W}|\b(?:every|each)\s+week\b|(?P<ly>\bweekly\b)")
def _weekly(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), days="* * 5", period="weekly", sure=False)


@_rule(r"每(?:个|一)?月(?!线|报)|\b(?:every|each)\s+month\b|(?P<ly>\bmonthly\b)")
def _monthly(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), days="1 * *", period="monthly", sure=False)


@_rule(r"\bdaily\b")
def _daily_en(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), sure=False)


# what cannot be said to cron

_NTH_ZH = r"(?:每(?:个)?(?:月|季度?|年)的?)(?:最后(?:一|1)?(?:天|日|个(?:交易日|工作日|周\w|星期\w))|底|末|月底|月末|(?:首个|第[一二三四1-4]个?)(?:交易日|工作日|(?:周|星期|礼拜)\w))"  # noqa: E501
_NEVER = re.compile(
    rf"{_NTH_ZH}|(?<![本上下这个])月[底末](?:之前)?|季末|年底|年末|每周最后一?个?交易日"
    r"|\b(?:the\s+)?(?:last|end|final)\s+(?:(?:trading|working|business|week)?\s*day\s+)?of\s+(?:the|every|each)\s+(?:month|quarter|year)\b"
    r"|\bmonth[- ]end\b|\bthe\s+(?:first|second|third|fourth|last)\s+(?:trading day|business day|working day|\w+day)\s+(?:of|in)\s+(?:the|every|each)\s+(?:month|quarter)\b"
    r"|\b(?:last|first|second|third)\s+(?:trading day|business day|\w+day)\s+of\s+(?:every|each|the)\s+month\b",
    re.I,
)  # fmt: skip
_NOT = re.compile(
    r"(?:不要|别|不用|不必|无需|停止|取消|关掉|不再|别再|不需要|停掉|删掉|暂停)(?:再|了)?(?:给我|帮我|替我)?(?:在)?\s*(?:每|逢|定时|自动|提醒)"
    r"|\b(?:don'?t|do not|never|stop|no longer|cancel|pause|no need to)\s+(?:\w+\s+){0,6}?(?:every|each|daily|weekly|monthly|remind)",
    re.I,
)
_ONE_OFF = re.compile(
    r"明天|后天|今天|今晚|明早|明晚|下个?(?:周|星期|礼拜)[一二三四五六日天]|这(?:周|星期)[一二三四五六日天]"
    r"|(?:过)?(?:半|\d+|[一二两三四五六七八九十]+)个?(?:分钟|小时|天)[后以]后?|(?:周|星期|礼拜)[一二三四五六日天]"
    rf"|\btomorrow\b|\btonight\b|\btoday\b|\b(?:next|this|on)\s+{_EDAY}\b|\bin\s+\w+\s+(?:minutes?|hours?|days?)\b"
    rf"|\b20\d\d-\d\d-\d\d\b|\d{{1,2}}月\d{{1,2}}[日号]|\bon\s+{_MONTH}\s+\d",
    re.I,
)


def _impossible(said: Said) -> None:
    """Raise where a wish asks for what a schedule cannot say, or for no task at all."""
    if found := _NEVER.search(said.plain):
        raise BadData("{said} is no rhythm that cron knows", said=said.text[slice(*found.span())].strip(), hint=_LAST)
    found = _NOT.search(said.plain)
    if found and not re.search(r"每|\bevery\b|\beach\b", said.plain[: found.start()], re.I):
        raise BadData("this asks for no task", hint="`ia task pause NAME` or `ia task remove NAME` end one")


def _missing(said: Said) -> Exception:
    if found := _ONE_OFF.search(said.plain):
        return BadData("{said} is once", said=said.text[slice(*found.span())].strip(), hint=_ONCE)
    return BadData("when is not said", hint=_HOW_OFTEN)


# putting it together


def _schedule(
    said: Said, rhythm: Rhythm | None, times: Times | None, bell: _Bell | None, within: bool, exchange: str
) -> str:  # fmt: skip
    days = rhythm.days if rhythm else "* * 1-5" if bell or within else "* * *"
    if (bell or (rhythm and rhythm.trading) or within) and days == "* * *":
        days = "* * 1-5"
    if within or (rhythm and rhythm.every):
        return _spread(rhythm, days, times, within, exchange)
    if rhythm and rhythm.count > 1 and (times is None or len(times.found) != rhythm.count):
        raise BadData(
            "{count} times: when?", count=rhythm.count,
            hint="name them: 每天9点和15点, 每周二和周五, at 9 and 15, every Tuesday and Friday",
        )  # fmt: skip
    if times is not None:
        return _at(times, days)
    if bell is not None:
        return _rung(bell, rhythm, days, exchange)
    hour, minute = _part(said) or DEFAULT
    return f"{minute} {hour} {days}"


def _at(times: Times, days: str) -> str:
    """Return cron fields for one time, or for several with the same minutes."""
    first = times.found[0]
    if times.joined in ("or", "to"):
        raise BadData("two times of day are named: {one} and {other}", one=first.said, other=times.found[1].said, hint=_AT)
    if len({time.minute for time in times.found}) > 1:
        raise BadData(
            "one task runs at the same minute of each hour: {one} and {other} are two", one=first.said,
            other=times.found[1].said, hint="make two tasks of it, one after the other",
        )  # fmt: skip
    hours = ",".join(str(hour) for hour in sorted({time.hour for time in times.found}))
    return f"{first.minute} {hours} {days}"


def _rung(bell: _Bell, rhythm: Rhythm | None, days: str, exchange: str) -> str:
    """Return the schedule of so long after or before the close, or around a bell whose hour is known."""
    week = days.split()[2]
    plain = days.startswith("* * ")
    if bell.end == "close":
        weekly = rhythm is not None and rhythm.period == "weekly"
        if bell.offset is None and (weekly or not plain):
            return _clock(CLOSES[exchange] + 60, days)
        if plain:
            names = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
            only = "" if week in ("*", "1-5") else " " + ",".join(names[int(day)] for day in _days(week))
            return f"close{30 if bell.offset is None else bell.offset:+d}m{only}"
    end = CLOSES[exchange] if bell.end == "close" else OPENS[exchange]
    return _clock(end + (bell.offset if bell.offset is not None else 30), days)


def _days(week: str) -> list[int]:
    days: list[int] = []
    for part in week.split(","):
        first, _, last = part.partition("-")
        days += range(int(first), int(last or first) + 1)
    return days


def _clock(minute: int, days: str) -> str:
    return f"{minute % 60} {minute // 60} {days}"


def _spread(rhythm: Rhythm | None, days: str, times: Times | None, within: bool, exchange: str) -> str:
    """Return `every …`, or cron fields where it is only between two hours or on some days."""
    size = rhythm.every if rhythm and rhythm.every else 60
    window = None
    if within:
        window = (OPENS[exchange] // 60, (CLOSES[exchange] - 1) // 60)
        days = "* * 1-5"
    elif times is not None:
        if times.joined != "to":
            raise BadData("an interval has no time of day: {said}", said=times.found[0].said,
                          hint="say from when to when: 9点到17点每小时, every hour from 9 to 17")  # fmt: skip
        first, last = times.found[0], times.found[-1]
        window = (first.hour, last.hour if size >= 60 or last.minute else last.hour - 1)
    if window is None and days == "* * *":
        return f"every {span_of(size)}"
    if size >= 1440 or (size > 60 and size % 60) or (size < 60 and 60 % size) or (window and window[0] > window[1]):
        raise BadData("every {size} minutes does not fit into those hours", size=size, hint="such as 每15分钟, every 30 minutes, every 2 hours")
    hours = f"{window[0]}-{window[1]}" if window else "*"
    if size < 60:
        return f"*/{size} {hours} {days}"
    return f"0 {hours if size == 60 else f'{hours}/{size // 60}'} {days}"


def span_of(size: int) -> str:
    """Return minutes as a schedule writes them: 90m, 2h, 14d."""
    return next(f"{size // unit}{sign}" for unit, sign in ((1440, "d"), (60, "h"), (1, "m")) if size % unit == 0)


def _part(said: Said) -> tuple[int, int] | None:
    """Return the hour of a part of the day that stands beside what was taken out: 每天早上, every evening."""
    pattern = re.compile(rf"(?<={GONE})\s*(?:的|in the )?(?P<p>{_DAYPART}|morning|noon|afternoon|evening|night)(?:上|里|晨)?", re.I)
    found = said.take(pattern)
    if found is None:
        return None
    name = found["p"].casefold()
    return next((hour for part, hour in _PARTS.items() if name.startswith(part)), None)
