"""What was said before about a security, and what has happened since."""

import re
from typing import Any, NamedTuple

from ia.agent.analyst.readings import KINDS
from ia.agent.analyst.voice import Voice, number

_CLOSE = re.compile(r"(?:收盘|close)\s*([\d,]+(?:\.\d+)?)")
_VOID = re.compile(r"(?:失效|void if)[^|\n]*?(?:收盘|close)\s*([<>])\s*([\d,]+(?:\.\d+)?)")
_STAMP = re.compile(r"^\[\d\d:\d\d\] ")
_OPEN = re.compile(
    r"方向不明|互相抵消|没有一类读数|中性"
    r"|\bmixed\b|too little for a direction|no clear direction|no kind of reading|neutral",
    re.I,
)
_PRICE = re.compile(r"\d+(\.\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Before(NamedTuple):
    """An earlier text: its path and date, the line that says most, the return since in percent, whether the condition
    that it named as its own end came true (None: it named none), its lean and its kinds of evidence.
    """

    source: str
    date: str
    said: str
    since: float | None
    void: bool | None = None
    lean: int | None = None
    kinds: tuple[tuple[str, int], ...] = ()
    untrusted: bool = False


def rows_of(shown: dict[str, Any]) -> int:
    """Return how many bars `market.ohlcv` fetched."""
    rows = shown.get("rows")
    return rows if isinstance(rows, int) else 0


def closes_of(shown: Any) -> list[tuple[str, float]]:
    """Return (date, close) of the bars that `market.ohlcv` showed, oldest first."""
    found = []
    bars = shown.get("bars") if isinstance(shown, dict) else None
    for line in bars if isinstance(bars, list) else []:
        day, *cells = str(line).split(",")
        if len(cells) == 5 and _DATE.fullmatch(day) and _PRICE.fullmatch(cells[3]):
            found.append((day, float(cells[3])))
    return found


def of(hits: list[dict[str, Any]], names: tuple[str, ...], closes: list[tuple[str, float]], today: str) -> list[Before]:
    """Return what notes said before `today`, newest first, one a day; closes are (date, close), oldest first."""
    found: list[Before] = []
    for hit in hits:
        content = str(hit.get("content") or "")
        source = str(hit["source"])
        dated = _DATE.search(source)
        date = dated[0] if dated else str(hit.get("date") or "")
        if date < today and any(name and (name in content or name in source) for name in names):
            since, void = _since(content, date, closes)
            found.append(
                Before(
                    source, date, gist(content), since, void, lean_of(content), kinds_of(content), "<<data " in content
                )
            )
    best: dict[str, Before] = {}
    for before in sorted(
        found, key=lambda b: (b.date, _own(b.source, names), "observations" in b.source), reverse=True
    ):
        best.setdefault(before.date, before)
    return list(best.values())


def _own(source: str, names: tuple[str, ...]) -> bool:
    """Whether a file is about this security alone."""
    stem = source.rsplit("/", 1)[-1].removesuffix(".md")
    return any(name and stem[11:] == name.lower() for name in names) or any(
        f"/{name}/" in source for name in names if name
    )


def brief(line: str) -> str:
    """Return an observation of this analyst's without what is said beside: close, lean, confidence, what ends it.

    >>> brief("宁德时代（300750.SZ） 收盘 82.54 | 证据偏空 | 置信度低 | 失效 收盘>87.50 | 支持：–"), brief("看好")
    ('收盘 82.54，证据偏空，置信度低，失效 收盘>87.50', '看好')
    """
    parts = line.split(" | ")
    if len(parts) < 3:
        return line
    close = re.search(r"(收盘|close) .*", parts[0])
    comma = "，" if "收盘" in line else ", "
    return comma.join([close[0] if close else parts[0], *parts[1:4]])


def gist(content: str) -> str:
    """Return the line of a passage that says most: a conclusion, else the first that is no heading or table."""
    lines = [_STAMP.sub("", line.strip().lstrip("-*> ").strip()) for line in content.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("#", "|", "---", "untrusted:", "<<"))]
    for line in lines:
        if re.search(r"置信度|confidence|收盘 |close ", line):
            return cut(brief(line), 160)
    return cut(lines[0]) if lines else cut(" ".join(content.split()))


def told(before: Before, speak: Voice) -> str:
    """Return an earlier text as a line with its source, and what came of it."""
    line = speak(
        "{date}：{said}（`{source}`）",
        "{date}: {said} (`{source}`)",
        date=before.date or "?",
        said=before.said,
        source=before.source,
    )
    line += speak("（来源未确认）", " (untrusted)") if before.untrusted else ""
    after = []
    if before.since is not None:
        after.append(speak("此后价格 {change}", "the price since: {change}", change=number(before.since, "percent")))
    if before.void is not None:
        after.append(ended(before.void, speak))
    return line + (speak("——", " — ") + speak.listed(after) if after else "")


def lean_of(text: str) -> int | None:
    """Return which way a text leans: 1, -1, 0 for open; None where it does not tell."""
    if _OPEN.search(text):
        return 0
    up = re.search(r"偏多|看多|看涨|看好|leans up|bullish|constructive", text, re.I)
    down = re.search(r"偏空|看空|看跌|谨慎|leans down|bearish|cautious", text, re.I)
    return None if bool(up) == bool(down) else 1 if up else -1


def kinds_of(text: str) -> tuple[tuple[str, int], ...]:
    """Return the kinds of evidence that an observation named for and against.

    >>> kinds_of("x | 支持：趋势、动量；反对：价格位置"), kinds_of("for: trend; against: –")
    ((('trend', 1), ('momentum', 1), ('position', -1)), (('trend', 1),))
    """
    kinds = {name: kind for kind, names in KINDS.items() for name in names}
    found = []
    for sign, label in ((1, r"支持：|\bfor: "), (-1, r"反对：|\bagainst: ")):
        told = re.search(rf"(?:{label})([^；;|\n]*)", text)
        found += (
            [(kinds[name.strip()], sign) for name in re.split(r"[、,]", told[1]) if name.strip() in kinds]
            if told
            else []
        )
    return tuple(found)


def _since(content: str, date: str, closes: list[tuple[str, float]]) -> tuple[float | None, bool | None]:
    """Return the change since a date in percent, and whether the condition that the text named came true."""
    after = [close for day, close in closes if day > date]
    then = [close for day, close in closes if day <= date]
    if not after or not then:
        return None, None
    return (after[-1] / then[-1] - 1) * 100, voided(content, date, closes)


def voided(content: str, date: str, closes: list[tuple[str, float]]) -> bool | None:
    """Return whether the condition that a text named as its own end came true; None where it named none."""
    after = [close for day, close in closes if day > date]
    then = [close for day, close in closes if day <= date]
    stated, void = _CLOSE.search(content), _VOID.search(content)
    if not void or not after or not then:
        return None
    factor = then[-1] / float(stated[1].replace(",", "")) if stated else 1.0  # prices were adjusted since
    level = float(void[2].replace(",", "")) * factor
    return any(close < level if void[1] == "<" else close > level for close in after)


def ended(void: bool, speak: Voice) -> str:
    """Return whether a view's own condition came true, in a clause."""
    if void:
        return speak("当时写的失效条件已触发", "the condition that it named as its end has come true")
    return speak("当时写的失效条件没有触发", "the condition that it named as its end has not come true")


def cut(text: str, length: int = 110) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
