"""The view that a text states: the data line that a research leaves below its words, and a reader of words without one.

A data line is a Markdown comment with a JSON object: `<!-- ia-view: {"lean": "up", …} -->`.
"""

import json
import re
from dataclasses import dataclass

from ia.agent.analyst.evidence.readings import readings_at
from ia.agent.analyst.evidence.verdict import LEVELS, describe_lean, describe_level
from ia.agent.analyst.tables import SHIPPED, Tables
from ia.agent.analyst.voice import AnswerVoice, number
from ia.domain.speech.aims import Aim
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import pattern

MARK = "<!-- ia-view: "
_DATA = pattern(rf"^{re.escape(MARK)}(\{{.*\}}) -->$", re.M)
_DAY = pattern(r"\d{4}-\d\d-\d\d")
SPACED_NAME = pattern(r"(?<=[\u4e00-\u9fff]) (?=\d)")
"""The space of 沪深 300, without which it is a name."""
_LEANS = {"up": 1, "down": -1, "open": 0}
_SIDES = {"for": 1, "against": -1}


@dataclass(frozen=True, kw_only=True)
class StatedView:
    """What a text says of a security.

    lean     1 up, -1 down, 0 open; None where the text does not tell
    ends_if  what would end the view: ("<", 80.1), a close below that; None where it names nothing
    kinds    kinds of evidence for (1) and against (-1)
    close    the close at which it was written
    as_of    the day of that close; "" where the text does not tell
    horizon  trading days within which it is to come true; None where it names none
    aim      the price or change that is to be reached; None where it names but a direction
    odds     the probability that it states, from 0 to 1
    """

    lean: int | None = None
    confidence: str = ""
    ends_if: tuple[str, float] | None = None
    kinds: tuple[tuple[str, int], ...] = ()
    close: float | None = None
    simulated: bool = False
    horizon: int | None = None
    aim: Aim | None = None
    odds: float | None = None
    as_of: str = ""

    def parts(self, speak: AnswerVoice) -> list[str]:
        """Return close, lean, confidence and what ends the view, in clauses."""
        made = speak(" (simulated)") if self.simulated else ""
        told = [
            speak("close {close}{simulated}", close=_price(self.close), simulated=made),
            describe_lean(self.lean or 0, dict(self.kinds), speak),
            speak("confidence {confidence}", confidence=describe_level(self.confidence, speak)),
        ]
        if self.ends_if is not None:
            operator, level = self.ends_if[0], _price(self.ends_if[1])
            told.append(speak("void if close {operator} {level}", operator=operator, level=level))
        return told

    def verdict(self, speak: AnswerVoice) -> str:
        """Return the lean and the confidence, in a clause."""
        return speak(", ").join(self.parts(speak)[1:3])

    def end(self, speak: AnswerVoice) -> str:
        """Return the close that would end the view, in a clause; "" where it names none."""
        if self.ends_if is None:
            return ""
        return speak("close {operator} {level}", operator=self.ends_if[0], level=_price(self.ends_if[1]))

    def brief(self, speak: AnswerVoice) -> str:
        """Return the view in a line."""
        return speak(", ").join(self.parts(speak))

    @property
    def data_line(self) -> str:
        """The view as a data line; parse_view() reads it back."""
        data: dict[str, object] = {"lean": next(word for word, sign in _LEANS.items() if sign == (self.lean or 0))}
        data |= {"confidence": self.confidence, "close": self.close}
        data |= {"as_of": self.as_of} if self.as_of else {}
        data |= {"void_if_close": list(self.ends_if)} if self.ends_if else {}
        data |= {side: [kind for kind, value in self.kinds if value == sign] for side, sign in _SIDES.items()}
        data |= {"simulated": True} if self.simulated else {}
        return f"{MARK}{json.dumps(data)} -->"


def parse_view(text: str, tables: Tables = SHIPPED) -> StatedView | None:
    """Return the view of the last data line of a text; None without one, or where it is malformed."""
    lines = _DATA.findall(text)
    if not lines:
        return None
    known = readings_at(tables).kinds
    try:
        data = json.loads(lines[-1])
        if data.get("lean") not in _LEANS or data.get("confidence") not in LEVELS:
            return None
        ends = data.get("void_if_close")
        return StatedView(
            lean=_LEANS[data["lean"]],
            confidence=data["confidence"],
            ends_if=(str(ends[0]), float(ends[1])) if ends and ends[0] in ("<", ">") else None,
            kinds=tuple((kind, sign) for side, sign in _SIDES.items() for kind in data.get(side, []) if kind in known),
            close=None if data.get("close") is None else float(data["close"]),
            simulated=data.get("simulated") is True,
            as_of=str(data["as_of"]) if _DAY.fullmatch(str(data.get("as_of"))) else "",
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _price(value: float | None) -> str:
    return number(value, "price").replace(",", "")


# Words: what a person wrote, and what ia wrote before it left data lines. Nothing that ia writes today is read here.

_CLOSE = pattern(r"(?:收盘|close)\s*([\d,]+(?:\.\d+)?)")
_VOID = pattern(r"(?:失效|\bvoid(?: if)?)[^|\n]*?(?:收盘|close)\s*([<>])\s*([\d,]+(?:\.\d+)?)")
_OPEN = pattern(
    r"方向不明|互相抵消|没有一类读数|中性"
    r"|\bmixed\b|too little for a direction|no clear direction|no kind of reading|neutral",
    re.I,
)
_UP = pattern(r"偏多|看多|看涨|看好|leans up|bullish|constructive", re.I)
_DOWN = pattern(r"偏空|看空|看跌|谨慎|leans down|bearish|cautious", re.I)


# The forms in which a judgment can be scored: “300750，20 个交易日内跑赢沪深 300，六成把握；跌破 172 作废”.
_SPAN = rf"({COUNT})\s*(?:个)?(?:交易日|[日天])"
_SPAN_EN = rf"({COUNT})\s*(?:trading\s+)?(?:days?|sessions?)\b"
_WITHIN = pattern(
    rf"{_SPAN}(?:之?内|以内|里)?|\b(?:with)?in (?:the next )?{_SPAN_EN}|\bover (?:the next )?{_SPAN_EN}", re.I
)
_RISES = pattern(r"跑赢|上涨|[会要]涨|涨(?=\s*(?:[\d到至过]|超过))|\b(?:beats?|outperforms?|ris(?:es?|ing)|up)\b", re.I)
_FALLS = pattern(
    r"跑输|下跌|[会要]跌|跌(?=\s*(?:[\d到至]|超过))|\b(?:lags?|underperforms?|falls?|falling|down)\b", re.I
)
_LEVEL = r"([\d,]+(?:\.\d+)?)(?!\s*[%％\d])"
_AIMS = (
    (True, True, pattern(rf"涨[到至]\s*{_LEVEL}|\b(?:rises?|climbs?) to {_LEVEL}", re.I)),
    (False, True, pattern(rf"跌[到至]\s*{_LEVEL}|\b(?:falls?|drops?) to {_LEVEL}", re.I)),
    (True, False, pattern(rf"(?:高于|站上|突破|涨破|升破)\s*{_LEVEL}|\b(?:above|over) {_LEVEL}", re.I)),
    (False, False, pattern(rf"(?:低于|跌破)\s*{_LEVEL}|\b(?:below|under) {_LEVEL}", re.I)),
)
"""The price that a judgment names: whether it is to be above it, whether to reach it once is enough, how it is said."""
_MOVE = pattern(
    r"[涨跌](?:幅)?(?:超过|过)?\s*([\d.]+)\s*[%％]|\b(?:rises?|falls?|gains?|loses?) (?:more than )?([\d.]+)\s*%", re.I
)
_ENDED = r"\s*(?:元)?\s*(?:则|就|即)?(?:作废|失效)"
_VOID_EN = r"\bvoid (?:if )?(?:(?:it )?closes? )?"
_VOID_BELOW = pattern(
    rf"(?:跌破|低于)\s*([\d,]+(?:\.\d+)?){_ENDED}|{_VOID_EN}(?:below|under|<)\s*([\d,]+(?:\.\d+)?)", re.I
)
_VOID_ABOVE = pattern(
    rf"(?:升破|涨破|突破|站上|高于)\s*([\d,]+(?:\.\d+)?){_ENDED}|{_VOID_EN}(?:above|over|>)\s*([\d,]+(?:\.\d+)?)",
    re.I,
)
_BELIEVED = r"(?:把握|概率|可能|胜算|信心)"
_ODDS = pattern(
    rf"({COUNT})\s*成的?{_BELIEVED}|(?:{_BELIEVED}|置信度)[是为约：:]?\s*(?:([\d.]+)\s*[%％]|({COUNT})\s*成)"
    rf"|([\d.]+)\s*[%％]\s*(?:的?{_BELIEVED}|confident|confidence|likely|odds|sure|chance)"
    r"|\b(?:confidence|odds|probability|chance)(?: of| is|:)?\s*([\d.]+)\s*%|,\s*([\d.]+)\s*%\s*(?:[;；.。]|$)",
    re.I,
)
_SURENESS = pattern(r"把握|置信|概率|\bconfiden", re.I)


def read_words(text: str) -> StatedView:
    """Return the view that the words of a text state, as far as they do.

    >>> read_words("宁德时代 收盘 50 | 证据偏多 | 失效 收盘<48 | 支持：趋势、动量；反对：价格位置").kinds
    (('trend', 1), ('momentum', 1), ('position', -1))
    >>> view = read_words("300750，20 个交易日内跑赢沪深 300，六成把握；跌破 172 作废")
    >>> view.lean, view.horizon, view.ends_if
    (1, 20, ('<', 172.0))
    """
    ends, rest = _read_end(text)
    close, within = _CLOSE.search(rest), _WITHIN.search(rest)
    up, down = bool(_UP.search(rest)), bool(_DOWN.search(rest))
    horizon = int(parse_count(next(filter(None, within.groups()))) or 0) if within else 0
    aim = _read_aim(rest, within) if within and horizon else None
    if horizon and not up and not down:
        up, down = bool(_RISES.search(rest)), bool(_FALLS.search(rest))
        if up == down and aim is not None:
            up, down = aim.above, not aim.above
    return StatedView(
        lean=0 if _OPEN.search(rest) else None if up == down else 1 if up else -1,
        ends_if=ends,
        kinds=_kinds_of(text),
        close=_figure(close[1]) if close else None,
        horizon=horizon or None,
        aim=aim,
        odds=_read_odds(rest) if horizon else None,
    )


def states_judgment(text: str) -> bool:
    """Return True if words are a judgment that can be scored: a direction, a horizon, and odds or what ends it.

    >>> states_judgment("300750，20 个交易日内跑赢沪深 300，六成把握"), states_judgment("300750 20日涨跌幅")
    (True, False)
    """
    view = read_words(text)
    return bool(view.lean and view.horizon and (view.odds is not None or view.ends_if or _SURENESS.search(text)))


def _read_end(text: str) -> tuple[tuple[str, float] | None, str]:
    """Return the close that ends a judgment, and the words without the clause that names it."""
    if found := _VOID.search(text):
        return (found[1], _figure(found[2])), text[: found.start()] + text[found.end() :]
    for operator, level in (("<", _VOID_BELOW), (">", _VOID_ABOVE)):
        if found := level.search(text):
            return (operator, _figure(found[1] or found[2])), text[: found.start()] + text[found.end() :]
    return None, text


_INSIDE = pattern(r"[内里]$|^within\b", re.I)


def _read_aim(text: str, within: re.Match[str]) -> Aim | None:
    """Return the price or the change that a judgment is to reach; None for a mere direction."""
    inside = bool(_INSIDE.search(within[0]))
    text = f"{text[: within.start()]} {text[within.end() :]}"
    for above, once, form in _AIMS:
        if found := form.search(text):
            return Aim(above=above, level=_figure(found[1] or found[2]), once=once or inside)
    if found := _MOVE.search(text):
        return Aim(above=not _FALLS.search(text), change_pct=float(found[1] or found[2]))
    return None


def _read_odds(text: str) -> float | None:
    """Return the probability that a judgment states, from 0 to 1; None without one.

    >>> [_read_odds(text) for text in ("六成把握", "置信度70%", "60% confident", "把握：高")]
    [0.6, 0.7, 0.6, None]
    """
    found = _ODDS.search(text)
    if found is None:
        return None
    tenths, percent, after, *others = found.groups()
    if said := tenths or after:
        value = (parse_count(said) or 0.0) / 10
    else:
        value = float(next(filter(None, (percent, *others)))) / 100
    return value if 0 < value < 1 else None


def brief_words(line: str) -> str:
    """Return an observation of this analyst's without what is said beside: close, lean, confidence, what ends it.

    >>> brief_words("宁德时代 收盘 82.54 | 证据偏空 | 置信度低 | 失效 收盘>87.50 | 支持：–"), brief_words("看好")
    ('收盘 82.54，证据偏空，置信度低，失效 收盘>87.50', '看好')
    """
    parts = line.split(" | ")
    if len(parts) < 3:
        return line
    close = re.search(r"(收盘|close) .*", parts[0])
    comma = "，" if "收盘" in line else ", "
    return comma.join([close[0] if close else parts[0], *parts[1:4]])


def _kinds_of(text: str) -> tuple[tuple[str, int], ...]:
    found = []
    for sign, label in ((1, r"支持：|\bfor: "), (-1, r"反对：|\bagainst: ")):
        told = re.search(rf"(?:{label})([^；;|\n]*)", text)
        names = re.split(r"[、,]", told[1]) if told else []
        kinds = {name: kind for kind, pair in readings_at().kinds.items() for name in pair} if names else {}
        found += [(kinds[name.strip()], sign) for name in names if name.strip() in kinds]
    return tuple(found)


def _figure(text: str) -> float:
    return float(text.replace(",", ""))
