"""How the answers of tools are taken: numbers, hits, and the names of what was asked about."""

from typing import Any

from ia.agent.analyst.ask.mentions import Mention, english
from ia.agent.analyst.desk import DeskResult, ToolDesk
from ia.agent.analyst.voice import ZH
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_PRICE = pattern(r"\d+(\.\d+)?")
_DATE = pattern(r"\d{4}-\d\d-\d\d")


def display_name(desk: ToolDesk, mention: Mention) -> str:
    """Return a security as the reader knows it."""
    if desk.speak.lang == ZH:
        return mention.name
    is_code = mention.said[:1].isdigit() or mention.said == mention.code
    return english(mention.symbol) if is_code or not mention.said.isascii() else mention.said


def read_value(result: DeskResult) -> tuple[float | None, str]:
    """Return the number (1 and 0 for true and false) and the date of a computation; (None, "") where there is none."""
    value = result.get("value") if isinstance(result.value, dict) else result.value
    if not isinstance(value, int | float) or value != value or abs(value) == float("inf"):
        return None, ""
    return float(value), str(result.get("date") or "")


def recall_hits(value: Any) -> list[Json]:
    """Return the hits of a recall: source, date, content."""
    hits = value
    if isinstance(value, dict):
        hits = next((value[name] for name in ("hits", "found", "results") if isinstance(value.get(name), list)), [])
    return [hit for hit in hits if isinstance(hit, dict) and hit.get("source")] if isinstance(hits, list) else []


def closes_of(shown: Any) -> list[tuple[str, float]]:
    """Return (date, close) of the bars that `market.ohlcv` showed, oldest first."""
    found = []
    bars = shown.get("bars") if isinstance(shown, dict) else None
    for line in bars if isinstance(bars, list) else []:
        day, *cells = str(line).split(",")
        if len(cells) == 5 and _DATE.fullmatch(day) and _PRICE.fullmatch(cells[3]):
            found.append((day, float(cells[3])))
    return found
