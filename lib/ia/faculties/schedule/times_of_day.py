"""Times of day as people say them: 早上8点半, 16:30, half past nine, at 9 and 15, from 9 to 17."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from ia.faculties.schedule.wish_text import GONE, ZH_NUMBER, Wish, parse_number
from ia.kernel.errors import BadData

_PARTS = {
    "下班后": (18, 0), "上班前": (8, 30), "睡前": (22, 0), "after work": (18, 0), "before work": (8, 30),
    "before bed": (22, 0),
    "凌晨": (2, 0), "清晨": (6, 30), "早": (8, 30), "上午": (9, 0), "中午": (12, 0), "下午": (15, 0), "傍晚": (18, 0),
    "晚": (20, 0), "夜": (22, 0), "半夜": (0, 0), "午夜": (0, 0),
    "morning": (8, 30), "noon": (12, 0), "afternoon": (15, 0), "evening": (20, 0), "night": (22, 0), "midnight": (0, 0),
}  # fmt: skip
_LATE = ("下午", "傍晚", "晚", "夜")

DAYPART = r"(?:凌晨|清晨|早上|早晨|清早|一早|早|上午|中午|下午|傍晚|晚上|夜里|夜晚|半夜|午夜|晚)"
_TIME_PART = rf"(?:午休(?:时间|时候|时)?|午间|午后|大?清早|{DAYPART})"
_ZH_TIME = (
    rf"(?P<part>{_TIME_PART})?\s*(?:的)?(?:(?P<dh>\d{{1,2}}):(?P<dm>\d\d)(?![\d:])"
    rf"|(?P<h>{ZH_NUMBER})\s*(?:点钟?|时(?![候间段期代]))(?!位|数|评)(?:(?P<half>半)|(?P<q>[一三13])\s*刻"
    rf"|(?P<m>{ZH_NUMBER})分?(?!钟)|整(?![理个合体改治]))?)"
)
_EN_TIME = (
    r"(?:(?P<ehalf>half past|(?:a )?quarter past|(?:a )?quarter to)\s+(?P<ph>\d{1,2}"
    r"|[a-z]+)(?:\s*(?P<ap3>[ap]\.?m\b\.?))?"
    r"|(?P<rel>five|ten|twenty|twenty-five|\d{1,2}) (?:minutes? )?(?P<side>past|to|before) (?P<rh>\d{1,2}|[a-z]+)"
    r"(?:\s*(?P<ap4>[ap]\.?m\b\.?)|\s*o'?clock)(?<!\dm)"
    r"|(?P<edh>\d{1,2})(?::|\.(?=\d\d\s*[ap]\.?m\b))(?P<edm>\d\d)(?![\d:%])\s*(?P<ap1>[ap]\.?m\b\.?)?"
    r"|(?P<eh>\d{1,2})\s*(?P<ap2>[ap]\.?m\b\.?)|(?P<ch>[01]\d|2[0-3])(?P<cm>[0-5]\d)\s*(?:h\b|hrs?\b|hours\b)"
    r"|(?P<oh>\d{1,2}|[a-z]+) o'?clock(?:\s*(?P<ap5>[ap]\.?m\b\.?))?|(?P<word>noon|midnight)\b)"
)
_BARE = (
    r"(?:at |@ ?|(?<=from )(?=\d+\s*(?:to|-|–|until|till)\s*\d)|(?<=between )(?=\d+\s*(?:and|-|–)\s*\d))"
    r"(?:(?P<bh>[01]\d|2[0-3])(?P<bm>[0-5]\d)(?!\d|[.,]\d|\s*(?:%|percent|yuan|dollars?|元|块|股|点))"
    r"|(?P<fh>[01]?\d|2[0-3])[.h](?P<fm>[0-5]\d)(?!\d|\s*(?:%|percent|yuan|dollars?|元|块|or\b))"
    r"|(?P<bare>\d{1,2})(?![\d:%]|\.\d|h\d|\s*(?:%|percent|yuan|dollars?|元|块|[ap]\.?m\b)))"
)
_COMPACT = rf"(?<={GONE})\s*(?P<zh4>[01]\d|2[0-3])(?P<zm4>[0-5]\d)(?![\d.%]|\s*(?:年|元|块|点|只|个|股|家|%))"
"""24 hours without a colon, right behind the rhythm: 每天1730."""
_TIME = re.compile(rf"\b(?:at |@ ?)?{_EN_TIME}|(?<!\w){_BARE}|(?:\bat |@ ?|在|于)?{_ZH_TIME}|{_COMPACT}", re.I)
_HOURS = ("h", "dh", "edh", "eh", "oh", "ph", "rh", "ch", "bh", "fh", "zh4", "bare")
_MINUTES = ("m", "dm", "edm", "cm", "bm", "fm", "zm4")
_NEXT = re.compile(
    r"\s*(?P<sep>,|、|，|和|与|及|以及|跟|and at\b|and\b|&|或者?|还是|or\b|到|至|-|–|~|—|to\b|until\b"
    r"|till\b)\s*",
    re.I,
)
_JOINS = {"or": ("或", "或者", "还是", "or"), "to": ("到", "至", "-", "–", "~", "—", "to", "until", "till")}
_MORE = re.compile(
    r"(?P<bare>\d{1,2})(?![\d:.%]|\s*(?:%|个|只|条|分|天|次|minutes?|hours?|days?|times|stocks?|items?"
    r"|percent))",
    re.I,
)


class TimeOfDay(NamedTuple):
    """A time of day and where it stands.

    sure  it can only be meant so; 3点 or half past two may be either half of the day
    """

    start: int
    end: int
    hour: int
    minute: int
    said: str
    sure: bool = True


@dataclass
class TimesOfDay:
    """Times that are said in one breath: 9 and 15, 9:30 or 10:00, from 9 to 17."""

    found: list[TimeOfDay]
    joined: str = ""

    @property
    def start(self) -> int:
        """Where they begin."""
        return self.found[0].start

    @property
    def end(self) -> int:
        """Where they end."""
        return self.found[-1].end


def find_times(said: Wish) -> list[TimesOfDay]:
    """Return the times of day that a wish names, those that belong together in one group."""
    said_times: list[TimesOfDay] = []
    at = 0
    while found := _TIME.search(said.plain, at):
        if _is_price(said.plain, found):
            at = found.end()
            continue
        group = TimesOfDay([_parse_time(found)])
        at = found.end()
        while (more := _NEXT.match(said.plain, at)) and (
            next_ := _TIME.match(said.plain, more.end()) or _MORE.match(said.plain, more.end())
        ):
            sep = more["sep"].casefold()
            if sep == "," and next_.re is _MORE:
                break
            kind = next((kind for kind, words in _JOINS.items() if sep in words), "and")
            group.joined = kind if group.joined in ("", kind) else "or"
            group.found.append(_parse_time(next_, group.found[-1]))
            at = next_.end()
        said_times.append(group)
    return said_times


_TRADED = re.compile(
    r"\b(?:buy|sell|short|cover|stop|limit|order|price|bid|ask|trade[sd]?|close[sd]?|open(?:ed|s)?)\s+\Z", re.I
)
_CLAUSE_START = re.compile(rf"(?:\A|[{GONE},，;；.。(（])\s*\Z")


def _is_price(plain: str, found: re.Match[str]) -> bool:
    """Whether `at 9.25` or `at 12` may be a price: behind a word of trading, or a decimal inside a clause."""
    got, before = found.groupdict(), plain[: found.start()]
    if not any(got.get(key) for key in ("bare", "bh", "fh")):
        return False
    return _TRADED.search(before) is not None or bool(got.get("fh") and not _CLAUSE_START.search(before))


def _parse_time(found: re.Match[str], before: TimeOfDay | None = None) -> TimeOfDay:
    got = {key: value for key, value in found.groupdict().items() if value is not None}
    part = got.get("part", "")
    text = next((got[key] for key in _HOURS if key in got), "")
    if word := got.get("word"):
        hour, minute = _PARTS[word.casefold()]
    else:
        try:
            hour = parse_number(text)
        except KeyError:
            raise _invalid_time_error(found[0]) from None
        minute = parse_number(next((got[key] for key in _MINUTES if key in got), "0"))
        minute = 30 if got.get("half") else {"一": 15, "1": 15, "三": 45, "3": 45}[got["q"]] if "q" in got else minute
    if past := (got.get("ehalf") or "").casefold():
        minute = 30 if past.startswith("half") else 15
        hour, minute = (hour - 1, 45) if past.endswith("to") else (hour, minute)
    if "rel" in got:
        minute = parse_number(got["rel"])
        hour, minute = (hour, minute) if got["side"].casefold() == "past" else (hour - 1, 60 - minute)
    meridiem = next((got[key] for key in ("ap1", "ap2", "ap3", "ap4", "ap5") if key in got), "").casefold()[:1]
    noon = part.startswith(("中午", "午休", "午间"))
    late = part.startswith((*_LATE, "午后")) or meridiem == "p" or (noon and hour < 6)
    if late and hour == 12 and part.startswith(("晚", "夜")):
        hour = 0
    elif late and hour < 12:
        hour += 12
    elif hour == 12 and (meridiem == "a" or part in ("凌晨", "半夜", "午夜")):
        hour = 0
    early = part in ("凌晨", "清晨", "早上", "早晨", "清早", "大清早", "一早", "上午", "早") and hour > 12
    contrary = early or (meridiem and not 1 <= parse_number(text) <= 12)
    if hour > 23 or minute > 59 or hour < 0 or contrary:
        raise _invalid_time_error(found[0])
    sure = bool(part or meridiem or word) or not 1 <= hour <= 6 or (text.startswith("0") and len(text) == 2)
    said = found[0].strip()
    return TimeOfDay(start=found.start(), end=found.end(), hour=hour, minute=minute, said=said, sure=sure)


def _invalid_time_error(said: str) -> Exception:
    return BadData(
        "{said} is not a valid time of day", said=said.strip(), hint="hours range from 0 to 23: 8:30, 16:00, 4 pm"
    )


_BESIDE = re.compile(
    rf"(?<={GONE})\s*(?:的|in the )?(?P<p>下班(?:以|之)?后|上班前|睡前|{DAYPART}(?![盘报餐])"
    rf"|(?:after|before) work\b|before bed\b|morning|noon|afternoon|evening|night)(?:上|里|晨)?",
    re.I,
)


def find_daypart(said: Wish, named: str = "") -> tuple[int, int] | None:
    """Return the hour of a part of the day that stands beside what was taken out: 每天早上, every evening.

    named   one that the rhythm has taken already
    """
    found = None if named else said.take_match(_BESIDE)
    name = named or (re.sub("[以之]后", "后", " ".join(found["p"].casefold().split())) if found else "")
    return next((hour for part, hour in _PARTS.items() if name.startswith(part)), None) if name else None


_AFTER = re.compile(
    rf"(?<={GONE})\s*,?\s*(?:(?:in the|at)\s+(?P<en>morning|afternoon|evening|night)\b|(?P<zh>{DAYPART})(?={GONE}))",
    re.I,
)
_MERIDIEM = re.compile(r"[ap]\.?m\b|凌晨|早|上午|中午|下午|傍晚|晚|夜", re.I)


def shift_to_daypart(said: Wish, times: TimesOfDay, named: str) -> TimesOfDay:
    """Return times in the part of the day that is named beside them: at 8 in the evening, every evening at 8."""
    found = None if named else said.take_match(_AFTER)
    name = named or ((found["en"] or found["zh"]).casefold() if found else "")
    if not name.startswith((*_LATE, "afternoon", "evening", "night")):
        return TimesOfDay([time._replace(sure=time.sure or bool(name)) for time in times.found], times.joined)
    first = 6 if name.startswith(("night", "夜", "晚")) else 1
    late = [
        time._replace(sure=True, hour=time.hour + 12)
        if first <= time.hour < 12 and not _MERIDIEM.search(time.said)
        else time._replace(sure=True)
        for time in times.found
    ]
    return TimesOfDay(late, times.joined)
