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
from ia.kernel.patterns import pattern

MARK = "<!-- ia-view: "
_DATA = pattern(rf"^{re.escape(MARK)}(\{{.*\}}) -->$", re.M)
_LEANS = {"up": 1, "down": -1, "open": 0}
_SIDES = {"for": 1, "against": -1}


@dataclass(frozen=True, kw_only=True)
class StatedView:
    """What a text says of a security.

    lean     1 up, -1 down, 0 open; None where the text does not tell
    ends_if  what would end the view: ("<", 80.1), a close below that; None where it names nothing
    kinds    kinds of evidence for (1) and against (-1)
    close    the close at which it was written
    horizon  trading days within which it is to come true; None where it names none
    """

    lean: int | None = None
    confidence: str = ""
    ends_if: tuple[str, float] | None = None
    kinds: tuple[tuple[str, int], ...] = ()
    close: float | None = None
    simulated: bool = False
    horizon: int | None = None

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
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _price(value: float | None) -> str:
    return number(value, "price").replace(",", "")


# Words: what a person wrote, and what ia wrote before it left data lines. Nothing that ia writes today is read here.

_CLOSE = pattern(r"(?:收盘|close)\s*([\d,]+(?:\.\d+)?)")
_VOID = pattern(r"(?:失效|void if)[^|\n]*?(?:收盘|close)\s*([<>])\s*([\d,]+(?:\.\d+)?)")
_OPEN = pattern(
    r"方向不明|互相抵消|没有一类读数|中性"
    r"|\bmixed\b|too little for a direction|no clear direction|no kind of reading|neutral",
    re.I,
)
_UP = pattern(r"偏多|看多|看涨|看好|leans up|bullish|constructive", re.I)
_DOWN = pattern(r"偏空|看空|看跌|谨慎|leans down|bearish|cautious", re.I)


# The form that a review recommends: “300750，20 个交易日内跑赢沪深 300，六成把握；跌破 172 作废”.
_WITHIN = pattern(r"(\d{1,3})\s*个?(?:交易)?[日天]之?内|\bwithin (\d{1,3}) (?:trading )?(?:days|sessions)\b", re.I)
_RISES = pattern(r"跑赢|上涨|\b(?:beats?|outperforms?|rises?)\b", re.I)
_FALLS = pattern(r"跑输|下跌|\b(?:lags?|underperforms?|falls?)\b", re.I)
_VOID_BELOW = pattern(r"(?:跌破|低于)\s*([\d,]+(?:\.\d+)?)\s*(?:则|就|即)?作废|\bvoid below ([\d,]+(?:\.\d+)?)", re.I)
_VOID_ABOVE = pattern(
    r"(?:升破|涨破|突破|站上|高于)\s*([\d,]+(?:\.\d+)?)\s*(?:则|就|即)?作废|\bvoid above ([\d,]+(?:\.\d+)?)", re.I
)


def read_words(text: str) -> StatedView:
    """Return the view that the words of a text state, as far as they do.

    >>> read_words("宁德时代 收盘 50 | 证据偏多 | 失效 收盘<48 | 支持：趋势、动量；反对：价格位置").kinds
    (('trend', 1), ('momentum', 1), ('position', -1))
    >>> view = read_words("300750，20 个交易日内跑赢沪深 300，六成把握；跌破 172 作废")
    >>> view.lean, view.horizon, view.ends_if
    (1, 20, ('<', 172.0))
    """
    close, void = _CLOSE.search(text), _VOID.search(text)
    within = _WITHIN.search(text)
    up, down = bool(_UP.search(text)), bool(_DOWN.search(text))
    if within and not up and not down:
        up, down = bool(_RISES.search(text)), bool(_FALLS.search(text))
    return StatedView(
        lean=0 if _OPEN.search(text) else None if up == down else 1 if up else -1,
        ends_if=(void[1], _figure(void[2])) if void else _read_level(text),
        kinds=_kinds_of(text),
        close=_figure(close[1]) if close else None,
        horizon=int(within[1] or within[2]) or None if within else None,
    )


def _read_level(text: str) -> tuple[str, float] | None:
    """Return the level below or above which a judgment is void, in the form that a review recommends."""
    for operator, level in (("<", _VOID_BELOW), (">", _VOID_ABOVE)):
        if found := level.search(text):
            return operator, _figure(found[1] or found[2])
    return None


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
