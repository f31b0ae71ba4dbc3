"""Messages that point at a day or a stretch which the answer before found: "and the volume that day?"."""

import calendar
import re
from datetime import date, timedelta

from ia.agent.analyst.ask.follow_words import OWNER, blank_mentions, drop_lead, is_chinese
from ia.agent.analyst.ask.listed_subjects import find_codes
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.time_spans import UNREAD, find_time_spans
from ia.kernel.patterns import pattern

_LONGEST, _FRIDAY = 90, 4
_ANY_DAY = date(2100, 1, 1)
_DAY = pattern(
    r"\b(?:(?:on|of) )?(?:that|the same|this same) (?:very |same |particular )?(?:trading )?(?:day|date|session)\b"
    r"|(?:在)?(?:那一?天|当天|当日|那日|同一天|那个交易日)"
)
_STRETCH = pattern(
    r"\b(?:over|in|during|for|within|across|through) (?:that|this|the same) (?:very |whole |same )?"
    r"(?P<en>run|streak|stretch|slide|spell|period|(?:losing|winning) (?:run|streak)|rally|draw-?down|month|week)\b"
    r"|(?:在)?(?P<zhs>同一?个?月)(?:份|里|内)?"
    r"|(?:在)?(?:那|这)(?:一?(?P<zh>段|波|轮)(?:时间|期间|日子|行情|下跌|上涨|连涨|连跌|跌势|涨势)?|(?:几"
    r"|些)(?:个交易日|天)"
    r"|一?个?(?P<zhm>月)|一?(?P<zhw>周|个星期))(?:里|中|内|期间)?"
)
_SAME = pattern(r"同一?[个天日周月段]|\b(?:that|the) same\b")
"""The day or the stretch that was found, of another security."""
_MOVED = pattern(
    r"\W*(?:(?:and|so|then)\b[, ]*)*(?:by )?how much (?:did (?:it|they|the (?:stock|shares?))|was it) "
    r"(?:drop|fall|lose|sink|rise|gain|climb|go|went|down|up|move|change)(?: (?:up|down|by|in total|altogether))*\W*"
    r"|\W*(?:它)?(?:一共|总共|累计|合计|总的)*[涨跌][了幅]?(?:度|是|有)*(?:一共|总共|累计|合计)*(?:多少|几个?点"
    r"|百分之几)?(?:个点)?\W*"
)
"""How much something moved over a stretch, which the answer told with it."""
_BACK = pattern(
    r"\W*(?:(?:and|so|then)\b[, ]*)*(?:how long|how many (?:days|sessions|weeks)) (?:did|has|had) "
    r"(?:it|that|the (?:stock|share|price)s?) (?:take|taken|need|needed)(?: (?:it|them))?(?: until it was| to be| to)? "
    r"(?:get back|recover|come back|climb back|bounce back|make (?:it|that) (?:good|up)|make up for it|back)\b.{0,50}"
    r"|\W*(?:(?:and|so|then)\b[, ]*)*(?:when was it back|when did it (?:recover|get back|come back))\b.{0,40}"
    r"|\W*(?:那|后来|之后|它|一共)*(?:用了?|花了?|过了?)?(?:多久|多长时间|几天|多少天|几个交易日"
    r"|多少个交易日)(?:之?后|才)*"
    r"(?:涨|收|补|爬|回)[^，,。]{0,10}\W*"
)
"""How long a fall took to be made good."""
_SINCE = pattern(
    r"\W*(?:(?:and|so|then)\b[, ]*)*(?:how far|how much) (?:is|has|are|have)"
    r" (?:it|we|they|the (?:price|index|share|stock))"
    r" ?(?:now |today )?(?:(?:from|above|below|off|up|down|moved|changed|gone|risen|fallen|gained"
    r"|lost)\b ?)*(?:on |from )?"
    r"(?:that|then|there|it)?(?: (?:level|close|price|day))?(?: since(?: then| that day)?)?(?: (?:now|today))?\W*"
    r"|\W*(?:(?:and|so|then)\b[, ]*)*what (?:has|did) (?:it|the (?:price|index|share|stock)) (?:lost|lose|gained"
    r"|gain|done|do) since(?: then| that day)?\W*"
    r"|\W*从?那(?:天|时候?|次)?(?:以后|之后|以来|起|后)?(?:到现在|至今)?(?:一共|总共)?"
    r"(?:已经|又)?[涨跌]了?(?P<after>多少|几个点)\W*"
    r"|\W*(?:那|从那|从那天|那时)*(?:到|跟|和|比|离)?(?:现在|今天|目前)(?:又|已经|相比|比)*(?:相?差|涨|跌|变)[了到]*"
    r"(?P<zh>多少|几)(?P<points>个?点)?(?:钱)?\W*"
)
"""How far a price is today from that of a day before."""
_PRICE = pattern(
    r"[涨跌]|收盘?|开盘|股价|最[高低]|成交量|\b(?:clos\w+|open\w*|price|high|low|volume|r[io]se|f[ae]ll|up|down)\b"
)
"""What is asked of the day of a trade of the owner's."""
_NEXT = pattern(
    r"(?:\b(?:and|but|so)\b[, ]*)*(?:did|has|was) (?:it|they|that|the (?:index|share|stock|price)s?)"
    r" (?:get (?:it |that |some )?back|recover|come back|bounce(?: back)?|rebound|make (?:it|that) good|rise|fall"
    r"|go (?:up|down)|up|down)(?: again)?(?: on)? (?:the )?"
    r"(?:day after|next day|following (?:day|session)|next session)"
    r"|(?:\b(?:and|but|so)\b[, ]*)*how much (?:of (?:that|it|this|the (?:fall|drop|loss)) )?(?:did|was) (?:it"
    r"|they|the (?:stock|share|price)s?)"
    r" (?:(?:get|win|make|earn|gain|claw)(?: (?:it|that))? back|recover(?:ed)?|make good|make up|rebound"
    r"|bounce back|rise|fall|move|change)"
    r"(?: on)? (?:the )?(?:day after|next day|following (?:day|session)|next session)"
    r"|(?:那|它)*(?:第二天|次日|隔天|转天|后一天)(?:又|就|它)*(?:收复|补|弹|涨|追|收)(?:回来?)?了?(?:多少"
    r"|几个点)(?:回来)?"
    r"|(?:那|它)*(?:第二天|次日|隔天|转天|后一天)(?:又|就|有没有|是|还)*(?:[涨跌弹收补](?:回来?|了|上来)?|反弹"
    r"|怎么样|如何|走势)"
    r"(?:了|多少|没有?|吗|还是跌了?|回来)*"
)
"""What came on the day after the one that was found."""
_CLOSE = pattern(r"收|价|点|\b(?:clos\w+|price|level|stand|stood|was)\b", re.I)
_ITS = pattern(r"\bits\b", re.I)
_FALL = pattern(
    r"跌|回撤|最[差惨]|\b(?:fall|fell|fallen|drops?|dropped|worst|loss(?:es)?|losing|declines?|draw-?down)\b"
)
_DATE = r"\d{4}-\d\d-\d\d"
_FROM_TO = pattern(rf"({_DATE})\s*(?:to|–|至|-)\s*({_DATE})")
_BOUND = pattern(rf"since the close of {_DATE}|{_DATE} 收盘以来|the first on {_DATE}|第一次是 {_DATE}")
_ONE = pattern(_DATE)


def names_that_day(text: str) -> bool:
    """Return True if a text has words for a day that was spoken of."""
    return _DAY.search(text.casefold()) is not None


def points_at_day(text: str) -> bool:
    """Return True if a text asks of a day which only the answer before it tells.

    >>> points_at_day("what was the close that day"), points_at_day("那天是3月4日吗"), points_at_day("收盘价")
    (True, False, False)
    """
    return names_that_day(text) and not find_time_spans(_DAY.sub(" ", text.casefold()), _ANY_DAY)


def point_at_told(text: str, before: str, answer: str, today: date) -> str:
    """Return a message with the day or the stretch that it points at in its place; as it is where that is not certain.

    before  the message before, and `answer` what was said to it

    >>> day, worst = date(2024, 3, 15), "**CATL**: largest fall -5.60%, 2024-01-17 (from 80.21 to 75.72)"
    >>> point_at_told("and how many shares changed hands that day", "CATL's worst day this year", worst, day)
    'how many shares changed hands of CATL on 2024-01-17'
    >>> run = "the longest fall is **5** sessions in a row, 2023-02-15 to 2023-02-21, -7.99% together"
    >>> point_at_told("how much did it drop over that run", "longest losing streak of Wuliangye", run, day)
    'longest losing streak of Wuliangye'
    """
    low = text.casefold()
    if not _may_point(text, before, answer):
        return text
    if asked := _ask_next_day(text, before, answer, today):
        return asked
    back = _BACK.fullmatch(low)
    since = _SINCE.fullmatch(low) if _CLOSE.search(before) else None
    points_at = back or since or _DAY.search(low) or _STRETCH.search(low)
    other = find_mentions(text) if _SAME.search(low) else []
    if (
        points_at is None
        or (find_mentions(text) and len(other) != 1)
        or any(span.kind != UNREAD for span in find_time_spans(_DAY.sub(" ", low), today))
    ):
        return text
    told, (days, stretches) = is_chinese(text), _find_told(answer)
    named = find_mentions(before)
    codes = find_codes(answer.strip().split("\n", 1)[0])
    who = "" if other else named[0].said if len(named) == 1 else codes[0] if len(codes) == 1 and not named else ""
    if back:
        if not _FALL.search(before.casefold()) or not (day := _single_of(days)):
            return text
        if told:
            return f"{_before_time(who)}{day}的下跌多久收复"
        return f"how long did {who or 'it'} take to recover from its drop on {day}"
    day = _single_of(days)
    if since:
        if not (day and who) or day >= f"{today}":
            return text
        return (
            f"{_before_time(who)}{day}以来涨跌多少{since['points'] or ''}"
            if told
            else f"how much did {who} change since {day}"
        )
    if _DAY.search(low):
        return _put(text, points_at, day if told else f"on {day}", who) if day else text
    if len(stretches) != 1:
        return text
    rest = low[: points_at.start()] + low[points_at.end() :]
    begin, end = stretches[0]
    if _MOVED.fullmatch(rest):
        return before
    if points_at["zhm"] or points_at["zhs"] or points_at["en"] == "month":
        first = date.fromisoformat(begin)
        if begin[:7] != end[:7]:
            return text
        month = f"{first.year}年{first.month}月" if told else f"in {calendar.month_name[first.month]} {first.year}"
        return _put(text, points_at, month, who)
    return _put(text, points_at, f"{begin}到{end}" if told else f"from {begin} to {end}", who)


def _may_point(text: str, before: str, answer: str) -> bool:
    """Return True if a message may point into an answer; of the owner's trades only at the price of their one day."""
    if not answer or len(text) > _LONGEST or OWNER.search(text):
        return False
    low = text.casefold()
    own = OWNER.search(blank_mentions(before)) is not None
    return not own or bool(_DAY.search(low) and _PRICE.search(low) and _tells_one_day(answer))


def _ask_next_day(text: str, before: str, answer: str, today: date) -> str:
    """Return a question for the day after the one that an answer found; "" for another."""
    named, day = find_mentions(before), _single_of(_find_told(answer)[0])
    if not _NEXT.fullmatch(text.casefold().strip(" ?？")) or not day or len(named) != 1:
        return ""
    after = date.fromisoformat(day) + timedelta(days=1)
    after += timedelta(days=7 - after.weekday() if after.weekday() > _FRIDAY else 0)
    if after > today:
        return ""
    said = named[0].said
    return f"{_before_time(said)}{after}涨跌多少" if is_chinese(text) else f"how much did {said} change on {after}"


def _put(text: str, found: re.Match[str], time: str, who: str) -> str:
    """Return a message with a time in the place of what points at it, and with the security that was spoken of."""
    if not who:
        return f"{text[: found.start()]}{time}{text[found.end() :]}"
    if is_chinese(text):
        return f"{_before_time(who)}{time}{drop_lead(text[: found.start()] + text[found.end() :])}"
    rest = f"{drop_lead(text[: found.start()])} {text[found.end() :].strip(' ?')}".strip()
    owned = _ITS.sub(f"{who}'s", rest, count=1)
    return f"{owned if owned != rest else f'{rest} of {who}'} {time}"


def _before_time(name: str) -> str:
    """Return a name to stand before a date: its digits are no part of that."""
    return f"{name} " if name[-1:].isalnum() and name[-1:].isascii() else name


def _tells_one_day(answer: str) -> bool:
    return len(set(_ONE.findall(answer))) == 1


def _single_of(days: list[str]) -> str:
    return days[0] if len(days) == 1 else ""


def _find_told(answer: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the days, and the stretches, that the first line of an answer found: those outside of brackets first."""
    line = next((each for each in answer.splitlines() if each.strip()), "")
    plain = re.sub(r"[(（][^()（）]*[)）]", " ", line)
    stretches = _FROM_TO.findall(plain)
    for said in (plain, line):
        bare = _FROM_TO.sub(" ", _BOUND.sub(" ", said))
        if days := list(dict.fromkeys(_ONE.findall(bare))):
            return days, stretches
    return [], stretches
