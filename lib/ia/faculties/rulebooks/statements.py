"""What a sentence states: its numbers, its direction, and what it denies; Chinese and English.

Two sentences are compared by these, never by their wording: `百分之八` is 8 %, and `不得买入` denies what `可以买入`
allows.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from unicodedata import normalize

from ia.domain.speech.numerals import parse_count
from ia.kernel.patterns import pattern

_HAN_NUMBER = "零〇一二两三四五六七八九十百千万"
_MEASURES = frozenset("日天周月年笔次倍成个手股元点分秒时根只家层块%")
"""Units that always stand behind a number. Another character may begin a word: 三角."""
_NUMBER = pattern(
    rf"百分之(?P<share>[{_HAN_NUMBER}半点.\d]+)|千分之(?P<mille>[{_HAN_NUMBER}点.\d]+)"
    rf"|(?<![a-z\d.])(?:[a-z]{{2,}})?(?P<digits>\d[\d,]*(?:\.\d+)?)(?P<scale>\s?[万亿])?(?P<of>\s?(?:%|per\s?cent|percent))?"
    r"|(?P<half>一半|减半|半数|\bhalf\b|\bhalve[sd]?\b)"
    rf"|(?P<han>[{_HAN_NUMBER}]+(?:点[{_HAN_NUMBER}]+)?)"
    r"|\b(?P<word>two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|ninety|hundred|twice|double|third|quarter)\b"
)
_WORDS = {"twice": 2.0, "double": 2.0, "third": 1 / 3, "quarter": 0.25, "fifty": 50.0}
_UNIT = pattern(r"[\s-]*([\u3400-\u9fff%]|[a-z]+)")

_AT_MOST = "不超过 不高于 不大于 不多于 不得超过 不应超过 不可超过 至多 最多"
_AT_LEAST = "不低于 不少于 不小于 不得低于 不应低于 不可低于 至少 最少"
_LESS = "低于 小于 少于 不足 不满 不到 未满 未达 跌破 以下 以内 之内"
_MORE = "超过 高于 大于 多于 达到 突破 涨破 超出 以上"
_AT_MOST_EN = r"at most|no more than|not more than|not exceed\w*|never exceed\w*|up to"
_AT_LEAST_EN = r"at least|no less than|not less than|no fewer than"
_LESS_EN = r"less than|fewer than|below|under|lower than|smaller than"
_MORE_EN = r"more than|above|exceed\w*|greater than|higher than|larger than|over"
_COMPARISONS = pattern(
    rf"(?P<down>{'|'.join(_AT_MOST.split())}|{_AT_MOST_EN})|(?P<up>{'|'.join(_AT_LEAST.split())}|{_AT_LEAST_EN})"
    rf"|(?P<less>{'|'.join(_LESS.split())}|\b(?:{_LESS_EN})\b)|(?P<more>{'|'.join(_MORE.split())}|\b(?:{_MORE_EN})\b)"
)

_NO_DENIAL = pattern(
    "不仅|不但|不过|不论|不管|无论|非常|除非|未来|是非|莫非|无非|并非|不同|不断|否则|not only|nothing but"
)
"""Words with a character of denial that deny nothing (并非 is read anew below)."""
DENIALS = "不未无非没勿莫别"
"""Characters that deny, alone or as parts of words."""
_DENIAL = pattern(
    r"不|未|无|没有?|勿|莫|别(?=再|去|买|卖|碰)|非|禁止|严禁|切忌|忌|避免|并非"
    r"|\b(?:not|no|never|none|neither|nor|without|cannot|avoid|refrain|forbidden|prohibited)\b|n['’]t\b"
)
_CLAUSE = pattern(
    r"[，。；：！？,;:!?\n（）()]|\.(?=\s|$)|、(?=[若如凡])|\b(?:but|then|and then)\b|而(?=不)|则|就(?!是)|才"
)
_NEAR = pattern(r"[\u3400-\u9fff]{0,4}|\s*[a-z]*")
_PIECE = pattern(r"[\u3400-\u9fff]+|[a-z]+")
_EMPTY = frozenset(
    """
    the a an to of in on at is are be it its this that when if then for by with and or as from any all must should may
    can could will would do does shall only one
    """.split()  # noqa: SIM905
)
_EMPTY_PAIRS = frozenset(
    """
    可以 应当 应该 必须 需要 不得 不宜 不可 不能 不要 不应 以上 以下 一律 之后 之前 之时 时候 如果 情况 的情 况下 的时
    得论 是否 超过 达到 低于 高于
    """.split()  # noqa: SIM905
)
OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pair in """
    买/卖 买进/卖出 加仓/减仓 做多/做空 上移/下移 上调/下调 放量/缩量 升高/降低 提高/降低 增加/减少 暂停/继续
    开仓/平仓 进场/离场 入场/离场 吉/凶 宜/忌 早于/晚于
    buy/sell long/short raise/lower increase/decrease enter/exit open/close before/after add/reduce strong/weak
    always/never continue/stop
    """.split()  # noqa: SIM905
)
"""Words of which one says the contrary of the other."""


class NumberIn(NamedTuple):
    """A number of a text: its value (8 % is 0.08), what follows it, and how it is written.

    vague  it may be part of a word: 三角
    """

    value: float
    unit: str
    vague: bool
    said: str


def fold(text: str) -> str:
    """Return a text in one case, full-width and half-width forms the same."""
    return normalize("NFKC", text).casefold()


def numbers_of(text: str) -> list[NumberIn]:
    """Return the numbers of a text, in words and in digits.

    >>> [(each.value, each.unit) for each in numbers_of("跌破二十日均线，亏 8%，放大 1.5 倍，减到一半，百分之零点五")]
    [(20.0, '日'), (0.08, '%'), (1.5, '倍'), (0.5, '%'), (0.005, '%')]
    """
    folded = fold(text)
    found = []
    for match in _NUMBER.finditer(folded):
        after = _UNIT.match(folded, match.end())
        unit = after[1] if after else ""
        value: float | None = None
        vague = False
        if match["share"] or match["mille"]:
            value = _decimal(match["share"] or match["mille"])
            value = None if value is None else value / (100 if match["share"] else 1000)
            unit = "%"
        elif match["digits"]:
            value = float(match["digits"].replace(",", "")) * {"万": 1e4, "亿": 1e8}.get(
                (match["scale"] or "").strip(), 1
            )
            if match["of"]:
                value, unit = value / 100, "%"
        elif match["half"]:
            value, unit = 0.5, "%"
        elif match["word"]:
            value = _WORDS.get(match["word"]) or parse_count(match["word"])
            vague = True
        elif match["han"]:
            value = _decimal(match["han"])
            vague = len(match["han"]) == 1 and (unit not in _MEASURES or match["han"] == "一")
            if vague and not unit:  # 有其二。
                unit = folded[max(match.start() - 1, 0) : match.start()]
            if unit == "成" and value is not None:
                value, unit = value / 10, "%"
        if value is not None:
            found.append(NumberIn(round(value, 6), unit, vague, match[0].strip()))
    return found


def _decimal(text: str) -> float | None:
    """Return 零点五 or 十五 or 1.5 as a number; None for what is none."""
    whole, _, part = text.replace("点", ".").partition(".")
    left = parse_count(whole)
    if left is None or not part:
        return left if not part else None
    digits = "".join(str(int(parse_count(char) or 0)) for char in part)
    return left + float(f"0.{digits}")


def foreign_numbers(said: str, source: str) -> list[str]:
    """Return the numbers that one text says and its source does not, each with another unit counting as another.

    A number that may be part of a word (三者) counts only where the source has another number before the same word.
    """
    known = numbers_of(source)
    values = {each.value for each in known}
    by_unit: dict[str, set[float]] = {}
    for each in known:
        by_unit.setdefault(each.unit, set()).add(each.value)
    out: list[str] = []
    for each in numbers_of(said):
        beside = by_unit.get(each.unit, set())
        if each.vague:
            foreign = bool(beside) and bool(each.unit) and each.value not in beside
        else:
            foreign = each.value not in values or (bool(each.unit) and bool(beside) and each.value not in beside)
        if foreign and each.said not in out:
            out.append(each.said)
    return out


def count_denials(text: str) -> int:
    """Return how often a text denies something."""
    return len(_DENIAL.findall(_NO_DENIAL.sub(" ", fold(text))))


def contradictions(said: str, source: str, *, near: bool = False) -> list[str]:
    """Return the words by which one text says the contrary of its source: denied there and affirmed here, or reversed.

    near    only what stands right behind a denial is denied: of a condition, which may name what an order forbids

    >>> contradictions("可以买入", "当日跌幅超过百分之八时，不得买入"), contradictions("宜合伙", "不宜独自经营，宜合伙")
    (['买入'], [])
    """
    affirmed, denied = _claims(said, near)
    source_affirmed, source_denied = _claims(source, near)
    found = sorted((affirmed - denied) & (source_denied - source_affirmed))
    found += sorted((denied - affirmed) & (source_affirmed - source_denied))
    ways, source_ways = _directions(said), _directions(source)
    if ways and source_ways and not ways & source_ways:
        found.append("/".join(sorted(ways)))
    elif _limits(said) - _limits(source) and _limits(source) - _limits(said):
        found.append("/".join(sorted(_limits(said) - _limits(source))))
    found += _reversed_words(fold(said), fold(source))
    return list(dict.fromkeys(found))


def is_contrary(said: str, other: str) -> bool:
    """Return True if two statements about one thing cannot both be followed."""
    return bool(contradictions(said, other))


def _claims(text: str, near: bool) -> tuple[set[str], set[str]]:
    """Return the words (pairs of Chinese characters) that a text affirms, and those that it denies."""
    affirmed: set[str] = set()
    denied: set[str] = set()
    folded = _COMPARISONS.sub("，", _NO_DENIAL.sub("，", fold(text)))
    for clause in _CLAUSE.split(folded):
        if not clause:
            continue
        mark = _DENIAL.search(clause)
        before, after = (clause[: mark.start()], clause[mark.end() :]) if mark else (clause, "")
        affirmed |= set(_words_of(before))
        denied |= set(_words_of(_NEAR.match(after)[0] if near else after))  # type: ignore[index]
    return affirmed, denied


def _words_of(text: str) -> Iterable[str]:
    for piece in _PIECE.findall(text):
        if piece.isascii():
            if len(piece) > 2 and piece not in _EMPTY:
                yield _stem(piece)
        else:
            for at in range(len(piece) - 1):
                pair = piece[at : at + 2]
                if pair not in _EMPTY_PAIRS and not set(pair) & set(
                    _HAN_NUMBER + "的了是在和与或及之其者以为于把也都又再且时"
                ):
                    yield pair


def words_of(text: str) -> set[str]:
    """Return the telling words of a text: Chinese by pairs of characters, English by their stems; numbers too."""
    folded = fold(text)
    return {*_words_of(folded), *(f"{each.value:g}" for each in numbers_of(text) if not each.vague)}


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ies", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: len(word) - len(ending)]
    return word


def _directions(text: str) -> set[str]:
    """Return which way the comparisons of a text look: >, <."""
    found = set()
    for match in _COMPARISONS.finditer(fold(text)):
        found.add("<" if match["down"] or match["less"] else ">")
    return found


def _limits(text: str) -> set[str]:
    """Return the comparisons of a text."""
    names = {"down": "≤", "up": "≥", "less": "<", "more": ">"}
    return {names[match.lastgroup or ""] for match in _COMPARISONS.finditer(fold(text))}


def _reversed_words(said: str, source: str) -> list[str]:
    """Return the words of which a text has one and its source only the contrary."""
    found = []
    for pair in OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if _has(said, one) and not _has(said, other) and _has(source, other) and not _has(source, one):
                found.append(one)
    return found


def _has(text: str, word: str) -> bool:
    return re.search(rf"\b{word}\w{{0,3}}\b", text) is not None if word.isascii() else word in text
