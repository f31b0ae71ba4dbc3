"""What an alert waits for: an expression of `ia compute`, or a price in plain words (`< 80`, `跌破80`, `below 80`)."""

import math
import re
from typing import NamedTuple

from ia.domain.speech.numerals import parse_count
from ia.kernel.errors import BadData, Message, Refused
from ia.kernel.i18n import mark_text
from ia.kernel.patterns import pattern
from ia.organs.compute.sandbox import ComputeResult
from ia.organs.ohlcv.canonical import Bars

MAX_CONDITION = 500
"""Characters of an expression: a person reads and approves it."""
SAMPLE = 600
"""Made-up bars on which a condition is tried before it is proposed."""

_NUMBER = r"(?P<number>\d[\d,]*(?:\.\d+)?|[零〇一二两三四五六七八九十百千万]+)"
_UNIT = r"(?:\s*(?:点|元|块钱?|港元|美元|rmb|cny|hkd|usd|yuan|dollars?|bucks))?"
_SUBJECT = (
    r"(?:(?:它|其)?的?(?:收盘价?|股价|价格|最新价|现价)\s*"
    r"|(?:(?:its|the)\s+)?(?:clos(?:e|ing)(?:\s+price)?|share\s+price|stock\s+price|price|it)\s+(?:is\s+)?)?"
)
_FORMS: tuple[tuple[str, str], ...] = (
    ("<", r"跌破|跌超过?|跌过|掉破|跌穿|击穿|失守|低于|小于|少于|下破|跌到(?=\S+以下)|跌至(?=\S+以下)|低过|不足"),
    (">", r"突破|升破|涨破|涨超过?|涨过|站上|站稳|高于|大于|超过|升穿|上破|冲破|高过|涨到(?=\S+以上)|涨至(?=\S+以上)"),
    (
        "<=",
        r"跌到|跌回到?|掉到|掉回|跌至|降到|降至|回落到|回落至|回调到|回调至|回到(?=\S+以下)|下跌到|不高于|不超过|至多|最多",
    ),
    (">=", r"涨到|涨回到?|升回到?|站回|涨至|升到|升至|上涨到|反弹到|反弹至|冲到|不低于|至少|达到(?=\S+以上)"),
    (
        "<",
        r"(?:clos(?:e|es|ing)|falls?|drops?|goes?|go|gets?|dips?|sinks?|trades?|is|breaks?)?\s*(?:back\s+)?"
        r"(?:below|under|beneath|lower\s+than|less\s+than|down\s+through)",
    ),
    (
        ">",
        r"(?:clos(?:e|es|ing)|rises?|climbs?|goes?|go|gets?|jumps?|trades?|is|breaks?|moves?)?\s*(?:back\s+)?"
        r"(?:above|over|through|higher\s+than|more\s+than|greater\s+than|beyond|past)|exceeds?|tops",
    ),
    ("<=", r"(?:falls?|drops?|declines?|dips?|goes?|comes?|sinks?)\s+(?:back\s+)?(?:down\s+)?to|at\s+most"),
    (">=", r"(?:rises?|climbs?|goes?|jumps?|gains?|rallies)\s+(?:back\s+)?(?:up\s+)?to|at\s+least"),
)
_SHORTENED = pattern(r"(.*(?P<unit>[百千万]))(?P<digit>[一二两三四五六七八九])")
_TENTHS = {"百": 10, "千": 100, "万": 1000}
_SIGNS = {
    "<": "<",
    ">": ">",
    "<=": "<=",
    ">=": ">=",
    "≤": "<=",
    "≥": ">=",
    "＜": "<",
    "＞": ">",
    "=<": "<=",
    "=>": ">=",
}
_SIGNED = pattern(rf"{_SUBJECT}(?P<sign><=|>=|=<|=>|[<>≤≥＜＞])\s*[$¥￥]?\s*{_NUMBER}{_UNIT}", re.I)
_BELOW_ABOVE = pattern(
    rf"{_SUBJECT}(?:在|到)?\s*{_NUMBER}{_UNIT}\s*(?:(?P<below>以下|之下|下方)|(?P<above>以上|之上|上方))", re.I
)
_AT = pattern(
    rf"{_SUBJECT}(?:破|[回来上下摸去]到了?|到了?|达到|至|碰到|触及|crosses|breaks|hits?|reach(?:es)?|touch(?:es)?|at|gets?\s+to|[=＝]{{1,2}}|is)?\s*[$¥￥]?\s*{_NUMBER}{_UNIT}",
    re.I,
)
_WORDS = tuple(
    (sign, pattern(rf"{_SUBJECT}(?:{words})了?\s*[$¥￥]?\s*{_NUMBER}{_UNIT}(?:以[上下]|之[上下])?", re.I))
    for sign, words in _FORMS
)
_FLOOR = pattern(r"(?:close|low)\s*<=?\s*\d+(?:\.\d+)?")
NO_SIDE = "price-without-side"
"""Code of the error of a price that may be reached from below and from above."""
HINT = mark_text("write an expression such as 'close < 80' or 'rsi(close, 14) < 30', or `below 80`, `above 100`")


class Condition(NamedTuple):
    """What is waited for: an expression of `ia compute`."""

    expression: str


def read_condition(text: str) -> Condition:
    """Return the condition that a text means: a plain form of a price, or an expression as it stands.

    Raises:
        BadData: empty, too long, or a price without a direction (`到75`, `at 200`).

    >>> [read_condition(text).expression for text in ("< 80", "跌破80", "below 80", "涨到 1,700 元", "close < 80")]
    ['close < 80', 'close < 80', 'close < 80', 'close >= 1700', 'close < 80']
    """
    said = " ".join(text.split()).strip(" 。.，,!！")
    if not said:
        raise BadData("the condition is missing", hint=HINT)
    if len(said) > MAX_CONDITION:
        raise BadData("the condition is longer than {limit} characters", limit=MAX_CONDITION, hint=HINT)
    found = find_price_condition(said)
    if found is not None:
        return found
    if at := _AT.fullmatch(said):
        raise BadData(
            "{text}: from which side?",
            code=NO_SIDE,
            text=said,
            price=_format_number(at["number"]),
            hint="write '<= {price}' for a fall to it, or '>= {price}' for a rise to it",
        )
    return Condition(said)


def is_floor(condition: Condition) -> bool:
    """Return whether a condition comes true at a close below a price, as a stop does.

    >>> [is_floor(Condition(text)) for text in ("close < 80", "close > 80", "low <= 79.5", "rsi(close, 14) < 30")]
    [True, False, True, False]
    """
    return _FLOOR.fullmatch(condition.expression.strip()) is not None


def find_price_condition(said: str) -> Condition | None:
    """Return the condition of a plain form (`跌破80`, `above 100`); None for any other text."""
    if signed := _SIGNED.fullmatch(said):
        return _compare_close(_SIGNS[signed["sign"]], signed["number"])
    if placed := _BELOW_ABOVE.fullmatch(said):
        return _compare_close("<" if placed["below"] else ">", placed["number"])
    for sign, form in _WORDS:
        if found := form.fullmatch(said):
            return _compare_close(sign, found["number"])
    return None


def _compare_close(sign: str, number: str) -> Condition:
    return Condition(f"close {sign} {_format_number(number)}")


def _format_number(text: str) -> str:
    value = parse_count(text)
    if short := _SHORTENED.fullmatch(text):  # 一千五 is 1500
        value = (parse_count(short[1]) or 0) + (parse_count(short["digit"]) or 0) * _TENTHS[short["unit"]]
    if value is None:
        raise BadData("{text!r} is not a price", text=text, hint=HINT)
    return f"{value:.10g}"


def check_condition(condition: Condition) -> None:
    """Try a condition on made-up bars: no source is contacted.

    Raises:
        BadData: does not parse, raises an error, or gives no boolean.
        Refused: looks ahead, or the policy of `ia compute` forbids it.
    """
    from ia.organs.compute.calculate import calculate_expression
    from ia.organs.compute.indicators import example_call

    said: list[Message] = []
    try:
        result = calculate_expression(condition.expression, _sample_bars, strict=True, notify=said.append)
    except BadData as error:
        if not error.hint:
            call = example_call(condition.expression)
            error.hint = "for example `{example}`" if call else HINT
            if re.search(r"\b(?:and|or|not)\b", condition.expression):
                error.hint = "combine conditions with & | ~, each in brackets: (close < 80) & (volume > 1e6)"
            error.params["example"] = call or ""
        raise
    except Refused:
        if said:  # what looks ahead, and why
            raise Refused(
                "{reason}", reason=said[0], hint="an alert sees the bars up to a session, and none later"
            ) from None
        raise
    if not _is_boolean(result):
        raise BadData(
            "{condition} is neither true nor false",
            condition=condition.expression,
            hint="compare it: {condition} < 80" if result.type in ("scalar", "series") else HINT,
        )


def _is_boolean(result: ComputeResult) -> bool:
    """Whether a result is a boolean, or a series of nothing else (missing values apart)."""
    if result.type == "boolean":
        return True
    if result.type != "series" or result.row or not result.value:
        return False
    cells = [cell for cell in result.value if not (cell is None or cell != cell)]
    return bool(cells) and all(isinstance(cell, bool) for cell in cells)


def holds_on(condition: Condition, bars: Bars) -> bool:
    """Return whether a condition is true on the last of the bars; a missing value is no yes.

    Raises:
        BadData: raises an error on these bars, or gives no boolean.
    """
    from ia.kernel import config
    from ia.organs.compute.calculate import calculate_expression

    result = calculate_expression(
        condition.expression,
        lambda: bars,
        timeout=float(config.get_setting("compute.timeout")),
        isolation=str(config.get_setting("compute.isolation")),
    )
    last = result.value[-1] if result.type == "series" and result.value and not result.row else result.value
    if result.type in ("boolean", "series") and (isinstance(last, bool) or last is None or last != last):
        return last is True
    raise BadData("{condition} is neither true nor false", condition=condition.expression)


def _sample_bars() -> Bars:
    """Return bars that rise and fall around 100, on consecutive days: every comparison has something to compare."""
    from datetime import date, timedelta

    first = date(2000, 1, 3)
    days = [(first + timedelta(days=n)).isoformat() for n in range(SAMPLE)]
    closes = [round(100 + 20 * math.sin(n / 9) + 7 * math.sin(n / 2.3) + n / 60, 2) for n in range(SAMPLE)]
    opens = [closes[0], *closes[:-1]]
    highs = [round(max(pair) + 0.5, 2) for pair in zip(opens, closes, strict=True)]
    lows = [round(min(pair) - 0.5, 2) for pair in zip(opens, closes, strict=True)]
    volumes = [1_000_000 + 137 * (n % 61) * 100 for n in range(SAMPLE)]
    return Bars(days, opens, highs, lows, closes, volumes)
