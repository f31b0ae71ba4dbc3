"""How often: every Friday, each trading day, on the 1st and 15th, every 90 minutes; and what cron cannot be told."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ia.faculties.schedule.times_of_day import DAYPART
from ia.faculties.schedule.wish_text import (
    EN_NUMBER,
    GONE,
    MONTHS,
    ZH_NUMBER,
    Wish,
    parse_minutes,
    parse_number,
    parse_weekday,
)
from ia.kernel.errors import BadData

_HOW_OFTEN = "say how often: every Friday at 16:00 review my week"
_HAPPENS = (
    "for an event, use `--on news:SYMBOL`, `--on message:WORDS`, `--on file:notebook/inbox/*.md` or `--on webhook:NAME`"
    ", with the job"
)
_LAST = "use the last day of the month, the 28th, which every month has, or choose another day"


@dataclass
class Rhythm:
    """How often: three cron fields (day of month, month, weekday), every so many minutes, or days that are counted.

    sure      it can only be meant so: 每周五, not the bare 每周 or weekly of `the weekly chart`
    assumed   it leaves the day open (每周), which is then a Friday, or the first of the month
    count     times of day that it asks for (twice a day)
    part      the part of the day that it names (every evening)
    minute    of every hour: the minute of the hour that it names; else -1
    counted   days as a schedule names them, without a time: `last trading day of month`
    weeks     every so many weeks, on `weekdays`
    """

    start: int
    end: int
    days: str = "* * *"
    period: str = "daily"
    sure: bool = True
    trading: bool = False
    every: int = 0
    count: int = 0
    part: str = ""
    minute: int = -1
    counted: tuple[str, ...] = ()
    weeks: int = 0
    weekdays: tuple[int, ...] = ()
    assumed: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """Return what two rhythms have in common that say the same."""
        return self.days, self.every, self.minute, self.counted, self.weeks, self.weekdays

    @property
    def is_counted(self) -> bool:
        """Whether its days are counted within a period, or from a date."""
        return bool(self.counted or self.weeks)


W = r"(?:周|星期|礼拜)"
D1 = r"[一二三四五六日天](?![次份篇回遍期点时刻]|个(?!股)|[条只](?!\w))"
D = rf"(?:{D1}|[1-7](?![\d:次份篇回遍点时号]))"
JOIN = r"(?:\s*(?:、|,|，|和|与|及|以及|跟|或)\s*)"
EDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
EDAYS = (
    rf"{EDAY}s?(?:(?:\s*(?:,|and|&|or|/)\s*(?:and\s+)?(?:(?:on|every|each)\s+)?|\s+(?:(?:every|each)\s+)?)"
    rf"{EDAY}s?\b)*"
)
NTH = r"\d{1,2}(?:st|nd|rd|th)?(?:\s*(?:,|and|&)\s*(?:and\s+)?(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?)*"
NTH_SURE = NTH.replace("(?:st|nd|rd|th)?", "(?:st|nd|rd|th)")
MONTH = r"(?P<mon>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_BEFORE_NOUN = r"(?=的|(?:涨|跌|成交|收益|价格|销量|变化|变动|数据|回报|走势|K线|线|图|报(?!告)))"

Maker = Callable[[re.Match[str]], "Rhythm"]
Rule = tuple[re.Pattern[str], Maker]
_RULES: list[Rule] = []


def _register_rule(words: str) -> Callable[[Maker], Maker]:
    def register(function: Maker) -> Maker:
        _RULES.append((re.compile(words, re.I), function))
        return function

    return register


def take_rhythm(said: Wish, rules: Iterable[Rule] = ()) -> Rhythm | None:
    """Return how often, and take it out: the one that is sure, else the first that could be meant.

    rules  to be tried before those of this file
    raises  BadData where a wish says two rhythms, or an impossible one.
    """
    made = _find_rhythms(said, [*rules, *_RULES])
    if not made:
        return None
    first = made[0]
    for other in made[1:]:
        if first.sure and not first.count and other.sure and other.key == first.key:
            said.repeated.append((other.start, other.end))
            first.part = first.part or other.part
            continue
        if other.count or first.count:  # twice a day … every day
            day, count = (first, other) if other.count else (other, first)
            if (day.sure or count.sure) and count.period == day.period:
                said.drop_span(count.start, count.end)
                day.count, first = count.count, day
                continue
        if first.every != other.every and "* * *" in (first.days, other.days) and first.every < 1440 > other.every:
            said.drop_span(other.start, other.end)
            first.days = first.days if first.days != "* * *" else other.days
            first.every, first.trading = first.every or other.every, first.trading or other.trading
            first.minute = max(first.minute, other.minute)
            continue
        if _is_narrower(first, other) or _is_narrower(other, first):  # 周一到周五每天
            said.drop_span(other.start, other.end)
            first.days = first.days if first.days != "* * *" else other.days
            first.trading = first.trading or other.trading
            first.part = first.part or other.part
            continue
        if first.sure and other.sure:
            a, b = said.text[first.start : first.end].strip(), said.text[other.start : other.end].strip()
            raise BadData(
                "two schedules given: {one} and {other}",
                one=a,
                other=b,
                hint="create two tasks, one at a time",
            )
    said.drop_span(first.start, first.end)
    if first.every >= 1440 and (name := _WEEKDAY_NEXT.match(said.plain, first.end)):
        raise BadData(
            "an interval in days cannot be combined with {day}",
            day=name[0].strip(),
            hint="say every Friday, or every 14 days without a weekday",
        )
    return first


def _is_narrower(a: Rhythm, b: Rhythm) -> bool:
    """Whether one says on which of the days that the other calls each: 周一到周五, of 每天."""
    plain = not (a.every or b.every or a.is_counted or b.is_counted)
    return a.period == b.period == "daily" and plain and a.days != "* * *" == b.days and a.sure


def _find_rhythms(said: Wish, rules: Iterable[Rule]) -> list[Rhythm]:
    """Return all rhythms that a wish names, those that are sure first."""
    made: list[Rhythm] = []
    plain = said.plain
    for pattern, make in rules:
        for match in pattern.finditer(plain):
            each = make(match)
            if re.match(_BEFORE_NOUN, plain[match.end() :]):
                each.sure = False
            made.append(each)
            plain = plain[: match.start()] + GONE * (match.end() - match.start()) + plain[match.end() :]
    made.sort(key=lambda each: (not each.sure, each.start))
    return made


_WEEKDAY_NEXT = re.compile(rf"[\s,，的]*(?:在|on\s+)?(?:{W}\s*{D}|{EDAY}s?\b)", re.I)


def _interval_rhythm(found: re.Match[str], size: int) -> Rhythm:
    return Rhythm(*found.span(), every=size)


@_register_rule(
    rf"\b(?:every\s+(?:single\s+)?hour|hourly|each\s+hour),?\s+(?P<full>on the hour|o'clock)\b"
    rf"|\bevery\s+full\s+(?P<full2>hour)\b|\bat\s+the\s+(?P<full3>top)\s+of\s+(?:every|each|the)\s+hour\b"
    rf"|\b(?:at\s+)?(?P<m>\d{{1,2}}|half|quarter|{EN_NUMBER})(?:\s+minutes?)?\s+past\s+(?:every|each)\s+hour\b"
    r"|\b(?:every|each)\s+hour,?\s+at\s+(?:minute\s+|:)(?P<m2>\d{1,2})(?:\s+past(?:\s+the\s+hour)?)?(?![\d:.])"
    rf"|\b(?:every|each)\s+hour,?\s+at\s+(?P<m5>\d{{1,2}}|half|(?:a\s+)?quarter|{EN_NUMBER})(?:\s+minutes?)?\s+past(?:\s+the\s+hour)?\b"
    r"(?!\s+\d|\s+(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)"
    rf"|每\s*(?:个|逢)?\s*(?:小时的?)?(?P<full4>整点)|(?<!每)逢(?P<full5>整点)"
    rf"|每\s*个?小时的?(?:第\s*(?P<m3>{ZH_NUMBER})\s*分钟?|(?P<m4>{ZH_NUMBER})\s*分(?!钟))"
)
def _parse_hourly(found: re.Match[str]) -> Rhythm:
    text = next((found[key] for key in ("m", "m2", "m3", "m4", "m5") if found[key]), "0").casefold()
    minute = {"half": 30, "quarter": 15, "a quarter": 15}.get(text)
    minute = parse_number(text) if minute is None else minute
    if minute > 59:
        raise BadData("no hour has a minute {minute}", minute=minute, hint="minutes range from 0 to 59")
    return Rhythm(*found.span(), every=60, minute=minute)


@_register_rule(rf"(?:每|间)?隔\s*(?P<n>一|两|二|{ZH_NUMBER})?\s*个?(?P<u>天|日|周|星期|礼拜)")
def _parse_alternate(found: re.Match[str]) -> Rhythm:
    count = parse_number(found["n"] or "1")
    if count > 1:
        raise BadData("{said} is ambiguous", said=found[0], hint="write every 2 days or every 3 days")
    return _interval_rhythm(found, 2 * parse_minutes("1", found["u"]))


@_register_rule(
    rf"每\s*隔?\s*(?:(?P<n>半|{ZH_NUMBER})\s*个?(?P<half>半)?|(?=[小分钟]))(?P<u>分钟|小时|钟头|天|日"
    rf"|周(?!{D})|星期(?!{D})|礼拜(?!{D}))(?![内前后])"
)
def _parse_interval_zh(found: re.Match[str]) -> Rhythm:
    size = parse_minutes(found["n"] or "1", found["u"]) + (parse_minutes("半", found["u"]) if found["half"] else 0)
    return _interval_rhythm(found, size)


@_register_rule(
    rf"\bevery\s+(?:(?P<n>half(?: an?)?|{EN_NUMBER})[ -]?)?(?P<u>minutes?|mins?|hours?|hrs?|h\b|m\b"
    rf"|(?<=\d)d\b)(?!\w)|\b(?P<word>hourly)\b"
)
def _parse_interval_en(found: re.Match[str]) -> Rhythm:
    return _interval_rhythm(found, 60 if found["word"] else parse_minutes(found["n"] or "1", found["u"]))


@_register_rule(
    rf"\bevery\s+(?P<n>{EN_NUMBER})[ -]?(?P<u>days?|weeks?)\b|\b(?P<word>bi-?weekly|fortnightly"
    rf"|every fortnight)\b|(?P<zh>双周)(?!报)"
)
def _parse_long_interval(found: re.Match[str]) -> Rhythm:
    size = 14 * 1440 if not found["n"] else parse_minutes(found["n"], found["u"])
    return _interval_rhythm(found, size)


@_register_rule(
    rf"(?:每个?)?(?<![上下本这]){W}\s*(?P<a>{D})\s*(?:到|至|-|–|~|—)\s*{W}?\s*(?P<b>{D})|\b(?:every\s+|each\s+|from\s+"
    rf"|on\s+)?(?P<ea>{EDAY})s?\s*(?:-|–|to|through|thru)\s*(?P<eb>{EDAY})s?\b"
)
def _parse_weekday_range(found: re.Match[str]) -> Rhythm:
    first, last = parse_weekday(found["a"] or found["ea"]), parse_weekday(found["b"] or found["eb"])
    last = 7 if last == 0 else last
    days = f"{first}-{last}" if first <= last else ",".join(str(n) for n in range(7) if n >= first or n <= last)
    return Rhythm(*found.span(), days=f"* * {'*' if days in ('1-7', '0-6') else days}")


@_register_rule(rf"(?:每\s*个?逢?|逢)\s*{W}\s*(?P<d>{D}(?:{D1}|{JOIN}?(?:每个?)?{W}\s*{D}|{JOIN}{D})*)")
def _parse_weekdays_zh(found: re.Match[str]) -> Rhythm:
    return _weekday_rhythm(found, re.findall(r"[一二三四五六日天1-7]", found["d"]))


@_register_rule(
    rf"\b(?:every|each|weekly\s+on|once a week on|(?:once )?per week on)\s+(?:single\s+)?(?P<d>{EDAYS})(?!\w)"
    rf"|\b(?:on\s+)?(?P<p>{EDAY}s(?:\s*(?:,|and|&)\s*(?:and\s+)?{EDAY}s)*)\b"
    rf"|\b(?:on\s+)?(?P<p2>{EDAY}(?:\s*(?:,|and|&)\s*(?:and\s+)?{EDAY})*)(?=\s+(?:mornings|afternoons|evenings|nights)\b)"
)
def _parse_weekdays_en(found: re.Match[str]) -> Rhythm:
    return _weekday_rhythm(found, re.findall(EDAY, found["d"] or found["p"] or found["p2"], re.I))


def _weekday_rhythm(found: re.Match[str], names: list[str]) -> Rhythm:
    return Rhythm(*found.span(), days=f"* * {','.join(map(str, weekday_numbers(names)))}", period="weekly")


def weekday_numbers(names: Iterable[str]) -> list[int]:
    """Return weekdays as cron counts them, ascending, each once."""
    return sorted({parse_weekday(name) for name in names})


@_register_rule(r"(?:每(?:个|逢)?|逢)周末|\b(?:every|each|on)\s+weekends?\b|\bweekends\b")
def _parse_weekend(found: re.Match[str]) -> Rhythm:
    if not found[0].casefold().endswith("s"):
        hint = "say every Sunday, or every Saturday and Sunday"
        raise BadData("{said}: on Saturday, on Sunday, or on both?", said=found[0].strip(), hint=hint)
    return Rhythm(*found.span(), days="* * 0,6", period="weekly")


@_register_rule(
    r"(?:每(?:个|逢)?\s*)?(?:(?:美股|港股|[Aa]股|沪深|中国|美国|香港)的?\s*)?交易日(?!记|志|历)|\b(?:on\s+)?(?:every|each"
    r"|on)?\s*(?:(?:US|HK|Chinese?|hong kong)\s+)?(?:trading|market)\s+days?\b"
)
def _parse_trading_days(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), days="* * 1-5", trading=True)


@_register_rule(r"(?:每(?:个)?\s*)?工作日|\b(?:(?:every|each|on)\s+)?(?:weekdays?|(?:working|work|business) ?days?)\b")
def _parse_workdays(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), days="* * 1-5")


_ZH_DAY = rf"{ZH_NUMBER}\s*[号日](?![期线均])"


@_register_rule(
    rf"每(?:个)?月\s*的?(?P<n>(?:{ZH_NUMBER}\s*[号日]?{JOIN}(?:每月)?)*{_ZH_DAY})|每(?:个)?月(?P<first>月?初|第一天)(?!的?第|的?首)"
)
def _parse_month_days_zh(found: re.Match[str]) -> Rhythm:
    numbers = re.findall(rf"{ZH_NUMBER}(?=\s*(?:[号日]|{JOIN}))", found["n"] or "")
    return _month_day_rhythm(found, [1] if found["first"] else [parse_number(text) for text in numbers])


@_register_rule(
    rf"\b(?:(?:every|each)\s+month|monthly),?\s+on\s+(?:the\s+)?(?P<a>{NTH})\b"
    rf"|\b(?:on\s+)?(?:the\s+)?(?P<b>{NTH})\s+(?:day\s+)?(?:of\s+)?(?:every|each|the)\s+month\b"
    rf"|\b(?:on\s+)?the\s+(?P<first>first)(?:\s+day)?\s+of\s+(?:every|each|the)\s+month\b"
    rf"|\b(?:on\s+)?(?:every|each)\s+(?P<c>{NTH_SURE})(?:\s+of\s+the\s+month)?(?!\s+(?:{EDAY}|trading|business|working|week|day|month|quarter|year|time|hour))\b"
)
def _parse_month_days_en(found: re.Match[str]) -> Rhythm:
    text = found["a"] or found["b"] or found["c"] or ""
    return _month_day_rhythm(found, [1] if found["first"] else [int(day) for day in re.findall(r"\d+", text)])


def _month_day_rhythm(found: re.Match[str], days: list[int]) -> Rhythm:
    for day in days:
        if not 1 <= day <= 31:
            raise BadData("no month has a day {day}", day=day, hint=_LAST)
        if day > 28:
            raise BadData("not every month has a day {day}", day=day, hint=_LAST)
    return Rhythm(*found.span(), days=f"{','.join(map(str, sorted(set(days))))} * *", period="monthly")


@_register_rule(
    r"每(?:个)?季度?初?|每(?P<n>两|二|三|四|六|2|3|4|6)个月|\b(?:every|each)\s+(?:quarter|(?P<en>two|three"
    r"|four|six|2|3|4|6|other)\s+months?)\b|\b(?P<ly>quarterly)\b"
)
def _parse_quarterly(found: re.Match[str]) -> Rhythm:
    step = parse_number(found["n"] or found["en"] or "3")
    months = ",".join(str(month) for month in range(1, 13, step))
    return Rhythm(*found.span(), days=f"1 {months} *", period="quarterly", sure=not found["ly"], assumed=True)


@_register_rule(
    rf"每半年|\bevery (?:half year|half a year|six months)\b|\b(?:semi-?annually|half-?yearly)\b"
    rf"|每年\s*(?:的)?(?:(?P<m>{ZH_NUMBER})月\s*(?:(?P<d>{ZH_NUMBER})[日号])?)?|\b(?:every"
    rf"|each)\s+year(?:,?\s+on\s+(?:the\s+)?(?:{MONTH}\s+(?P<ed>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"|(?P<ed3>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH.replace('mon', 'mon3')}))?\b"
    rf"|\b(?:on\s+)?(?:every|each)\s+(?P<ed4>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH.replace('mon', 'mon4')}\b"
    rf"|\b(?:on\s+)?(?:every|each)\s+{MONTH.replace('mon', 'mon2')}\s+(?P<ed2>\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"|\b(?P<ly>yearly"
    rf"|annually)\b"
)
def _parse_yearly(found: re.Match[str]) -> Rhythm:
    if "半年" in found[0] or re.search("half|six|semi", found[0], re.I):
        return Rhythm(*found.span(), days="1 1,7 *", period="yearly", assumed=True)
    named = next((found[key] for key in ("mon", "mon2", "mon3", "mon4") if found[key]), "")
    month = parse_number(found["m"]) if found["m"] else MONTHS.index((named or "jan").casefold()) + 1
    day = parse_number(next((found[key] for key in ("d", "ed", "ed2", "ed3", "ed4") if found[key]), "1"))
    longest = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not 1 <= month <= 12 or not 1 <= day <= longest[month - 1]:
        raise BadData(
            "{said}: not every year has this day",
            said=found[0].strip(),
            hint="choose another day: every year on March 1",
        )
    open_ = not (found["d"] if found["m"] else named)
    return Rhythm(*found.span(), days=f"{day} {month} *", period="yearly", sure=not found["ly"], assumed=open_)


_PER = {"d天日": ("* * *", "daily"), "w周": ("* * 5", "weekly"), "m月": ("1 * *", "monthly")}


@_register_rule(
    rf"(?P<n>once|twice|{EN_NUMBER}(?=\s+times))(?:\s+times)?\s+(?:a|per|each|every)\s+(?P<u>day|week|month)\b"
    rf"|每(?P<zu>[天日周月])(?P<zn>{ZH_NUMBER})[次遍回]"
)
def _parse_count(found: re.Match[str]) -> Rhythm:
    unit = (found["u"] or found["zu"]).casefold()
    times = parse_number(found["n"] or found["zn"])
    days, period = next(told for units, told in _PER.items() if unit[0] in units)
    return Rhythm(*found.span(), days=days, period=period, count=times)


@_register_rule(
    rf"每\s*(?:一?天|日|一日)(?!线|均|报)(?:的(?={DAYPART}))?|天天|每(?={DAYPART})|每个(?={DAYPART})"
    rf"|\b(?:every|each)\s+(?:single\s+)?day\b(?!')|\b(?:every|each)\s+(?P<part>morning|evening|night|afternoon|noon)\b"
    rf"|\b(?P<nightly>nightly)\b"
)
def _parse_daily(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), part="night" if found["nightly"] else (found["part"] or "").casefold())


@_register_rule(rf"每(?:个|一)?{W}|\b(?:every|each)\s+week\b|(?P<ly>\bweekly\b)")
def _parse_weekly(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), days="* * 5", period="weekly", sure=False, assumed=True)


@_register_rule(r"每(?:个|一)?月(?!线|报)|\b(?:every|each)\s+month\b|(?P<ly>\bmonthly\b)")
def _parse_monthly(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), days="1 * *", period="monthly", sure=False, assumed=True)


@_register_rule(r"\bdaily\b")
def _parse_daily_en(found: re.Match[str]) -> Rhythm:
    return Rhythm(*found.span(), sure=False)


def format_span(size: int) -> str:
    """Return minutes as a schedule writes them: 90m, 2h, 14d."""
    return next(f"{size // unit}{sign}" for unit, sign in ((1440, "d"), (60, "h"), (1, "m")) if size % unit == 0)


# what is no rhythm

_PARITY = re.compile(rf"单双{W}|(?<![一-龥])单{W}(?!期)", re.I)
_NOT = re.compile(
    r"(?:不要|别|不用|不必|无需|停止|取消|关掉|不再|别再|不需要|停掉|删掉|暂停)(?:再|了)?(?:给我|帮我"
    r"|替我)?(?:在)?\s*(?:每|逢|定时|自动|提醒)"
    r"|\b(?:don'?t|do not|never|stop|no longer|cancel|pause|no need to)\s+(?:\w+\s+){0,6}?(?:every|each"
    r"|daily|weekly|monthly|remind)",
    re.I,
)
_HAPPENING = re.compile(
    r"收到|有新|变了|变化|改动|消息|文件|webhook|一旦|\b(?:when(?:ever)?|if|once|as soon as)\b", re.I
)


def refuse_impossible(said: Wish) -> None:
    """Raise where a wish asks for no task at all, or for weeks that nobody counts alike."""
    if found := _PARITY.search(said.plain):
        raise BadData(
            "{said} is ambiguous",
            said=said.text[slice(*found.span())].strip(),
            hint="say every other Friday; the draft shows in which weeks it runs",
        )
    found = _NOT.search(said.plain)
    if found and not re.search(r"每|\bevery\b|\beach\b", said.plain[: found.start()], re.I):
        raise BadData(
            "this text does not request a task", hint="to end a task, use `ia task pause NAME` or `ia task remove NAME`"
        )


def missing_schedule_error(said: Wish) -> Exception:
    """Return the error for a wish that does not say when."""
    return BadData("the schedule is missing", hint=_HAPPENS if _HAPPENING.search(said.plain) else _HOW_OFTEN)
