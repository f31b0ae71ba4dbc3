"""Trades and payments that the owner tells in words: which security, how much, at which price, on which day, and why.

Whatever number of the words is not understood is returned, too: whoever books asks back instead of dropping it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from math import prod
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import UNIT, find_currencies
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.plain_words import fold_characters
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, TimeSpan, find_time_spans
from ia.domain.instruments.boards import trading_currency
from ia.domain.rules.lots import find_lot
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

_SOLD = (
    r"卖|减(?:了.{0,3})?仓|清(?:了.{0,3})?仓|平(?:了.{0,3})?仓|清[掉了]|抛|割(?:了)?肉|出(?:掉|了)"
    r"|\b(?:sold|trimmed|closed|exited|dumped|unloaded|offloaded)\b"
)
_BOUGHT = (
    r"买|加(?:了.{0,3})?仓|建(?:了.{0,3})?仓|补(?:了.{0,3})?仓|开(?:了.{0,3})?仓|抄(?:了)?底|入手|[进加补]了"
    r"|\b(?:bought|purchased|added|picked up|scooped up)\b"
)
_VERB = pattern(rf"(?P<sold>{_SOLD})|(?P<bought>{_BOUGHT})", re.I)
_TIME_WORD = (
    r"(?:the |last |this |yesterday|today|monday|tuesday|wednesday|thursday|friday|january|february|march|april|may"
    r"|june|july|august|september|october|november|december|then\b|\d)"
)
_BECAUSE = pattern(
    r"(?:因为|由于|鉴于|考虑到|出于|理由是?|原因是?|\bbecause(?: of)?\b|\bdue to\b|\bgiven(?: that)?\b|\bseeing that\b"
    rf"|(?<=[\d\w])[,;]?\s+\b(?:since|as)\b(?=\s+(?!{_TIME_WORD})\w+\s+\w))\s*[:：]?\s*(?P<why>.+)$",
    re.I | re.S,
)
_MARK = r"[\ue000-\uf8ff]"
"""What stands in for a security."""
_NUMBER = r"(?<![\d.])(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?![\d%％]|\.\d|\s?[万亿千百])"
_EACH = r"(?:每股|一股|/\s*股|\beach\b|\bapiece\b|\b(?:a|per) share\b|/\s*share\b)"
_ALL = pattern(
    r"全部|全都|全(?=[卖抛清])|都(?=[卖抛清])|清(?:了.{0,2})?仓|平(?:了.{0,2})?仓|清[掉了]|一股不[留剩]"
    r"|\ball(?: of)?(?: my| the)?\b|\b(?:entire|whole)\b|\b(?:closed|exited)\b",
    re.I,
)

_HALF = pattern(r"一半|半仓|\bhalf\b(?: of)?(?: my| the)?", re.I)
_SHARES = pattern(rf"(?P<n>{COUNT})\s*(?P<unit>股|手|份|张|shares?\b|lots?\b|units?\b)", re.I)
_BARE = pattern(
    rf"(?:买[入进回了]*|卖[出掉了]*|仓了?|\bbought|\bsold|\bpurchased|\btrimmed|\badded|\bpicked up)\s*(?P<n>{_NUMBER})"
    rf"(?!\s*(?:{UNIT}|[万亿]|%))"
    rf"|(?<![@$¥￥\d.,])(?<!at )(?P<m>{_NUMBER})\s*(?:of\s+)?(?={_MARK})",
    re.I,
)
_PRICES = tuple(
    pattern(form, re.I)
    for form in (
        rf"(?:成交价|成本价?|均价|单价|价格?|\bprice\b)\s*(?:是|为|在|of|was|[:：])?\s*[¥$￥]?(?P<at>{_NUMBER})\s*{UNIT}?",
        rf"(?:{_EACH})\s*[¥$￥]?(?P<at>{_NUMBER})\s*{UNIT}?",
        rf"(?:\bat\s+|\bfor\s+|@\s*)?[¥$￥]?(?P<at>{_NUMBER})\s*{UNIT}?\s*{_EACH}",
        rf"(?:[以按在]|\bat\b|@)\s*[¥$￥]?(?P<at>{_NUMBER})\s*{UNIT}?",
    )
)
_MONEY = pattern(rf"[¥$￥]?(?P<at>{_NUMBER})\s*{UNIT}", re.I)
_AMOUNT = pattern(
    rf"[¥$￥]?(?P<at>{_NUMBER})\s*{UNIT}?\s*(?:的(?=\s*{_MARK})|\b(?:worth )?of\b|\bworth\b)|[¥$￥](?P<sum>{_NUMBER})",
    re.I,
)
_TOTAL = pattern(rf"(?:\bfor|花了?|一共|总共|合计|\bin all|\btotal(?: of)?)\s*[¥$￥]?(?P<at>{_NUMBER})\s*{UNIT}?", re.I)
_VAGUE = pattern(r"大约|大概|约|左右|上下|差不多|\babout\b|\baround\b|\broughly\b|~", re.I)
_ENTER_IT = pattern(
    r"[，,。；;]?\s*(?:请|麻烦)?(?:你)?(?:帮我|给我|替我)?(?:记一下账?|记下来?|记个?账|记录(?:一下|下来)?|登记(?:一下)?|入个?账)"
    r"(?=\W|$)|[,.;]?\s*\b(?:please |pls )?(?:record|log|journal|note|enter) (?:it|this|that)\b(?: down| please)?",
    re.I,
)
"""The wish to have a trade entered: no part of it, and no reason."""
TO_NOTE = pattern_by_letters(
    r"^\W*(?:请|帮我|麻烦|please\s+)*(?:"
    r"(?:记下来?|记一下|记一笔|记录一?下?|写下来?|做个?笔记|存一?下|保存)(?:一?[条个]?(?:判断|观察|笔记))?[:：，,\s]+"
    r"|(?:(?:给|为|替|在|对|关于|把)[^，,。:：?？]{1,20}?)?(?:里|上|再|也|顺便)*(?:加|记|写|做|添|留|补)(?:下|上|录)?(?:一?[条个笔])?"
    r"(?:笔记|备注|备忘)[:：，,\s]+"
    r"|记(?:一?[条个](?:判断|观察|笔记))?[:：]\s*"
    r"|(?:把[这下]一?[条个面]?)?(?:作为|记为|记成|存为|当作)[^，,。？?:：]{0,12}(?:观察|笔记)[^，,。？?:：]{0,8}[:：]\s*"
    r"|(?:keep|record|file|log|write|save|store|note) (?:this|it|that|the following)\b[^:：?？]{0,16}"
    r"\b(?:observation|note|fact)\b[^:：?？]{0,40}[:：]\s*"
    r"|(?:再|替我|给我)*(?:记|写|加|存)(?:下|录|上)?(?:一?[条个笔]|下)(?:新的?)?(?:观点|看法|想法|笔记|观察|备忘|判断|心得)?[:：]\s*"
    r"|(?:add|make|write|take|keep|save)(?: me)? (?:an?|another|this|the|one)(?: new)? "
    r"(?:note|observation)\b[^:：?？]{0,40}[:：]\s*"
    r"|(?:add|make|write|leave|put|attach) (?:an?|another|this) (?:note|remark|comment|memo) (?:to|on|for|about) "
    r"[^:：?？]{1,40}[:：]\s*"
    r"|(?:add|append|write)(?: this)? (?:to|in|into) (?:my|the) [^:：?？]{0,40}"
    r"\b(?:notes?|observations?)\b[^:：?？]{0,20}[:：]\s*"
    r"|(?:note(?: down)?|(?:write|jot) (?:it )?down|make a note) that\s+|记下(?![来了过的])(?=[\u3400-\u9fff])"
    r"|(?:take a note|note|(?:write|jot) (?:this |it |that )?down)\s*[:：,]\s*"
    r"|(?:这笔)?(?:交易|操作|买卖|成交)(?:帮我|给我)?(?:记一?下|记录一?下|登记一?下|入个?账|记个?账)[:：，,\s]+)"
    r"|(?<=今天|昨天|刚才|前天)的(?:这笔)?(?:交易|操作|买卖|成交)(?:帮我|给我)?(?:记一?下|记录一?下|登记一?下|入个?账|记个?账)[:：，,\s]+",
    re.I,
)
"""The request to keep what follows; everything else is kept as it was said."""
_FEES = pattern(r"手续费|佣金|印花税|\bfees?\b|\bcommissions?\b", re.I)
_CLAUSE = pattern(r"[，；;。！!\n]|,(?!\d{3}(?!\d))|(?<![\d.])\.(?=\s|$)|(?<=\d)\.(?=\s|$)")
_TAIL = pattern(
    r"\s*(?P<why>(?:to|as|since|after|on|given|amid|for)\s+[^\d\W].{3,}|[\u4e00-\u9fff]{2,}.*)", re.I | re.S
)
_EMPTY = pattern(r"(?:了|的|呢|吧|啊|哦|把|我|股票?|刚才?|刚刚|已经?|今天|全部?|都|一共|成交|完成|掉|出去|钱|现价)+")
_DAY_PART = pattern(
    r"早盘|尾盘|盘[前中后]|午盘|午间|中午|午后|\b(?:this )?(?:morning|afternoon|evening|noon|intraday)\b|\bin the\b",
    re.I,
)
_SMALL = "one two three four five six seven eight nine ten"
_WORDS = {word: value for value, word in enumerate(_SMALL.split(), 1)} | {"a": 1, "an": 1}


@dataclass(frozen=True, kw_only=True)
class ToldTrade:
    """A trade that was told; what the words leave open is None.

    part     `all` or `50%` of what is held, instead of shares
    total    a sum that may be the price of all shares; amount: one that certainly is
    bare     whether the words may also be an order: 卖出 100 股
    unread   what of it was not understood
    """

    mention: Mention
    selling: bool
    shares: float | None = None
    part: str = ""
    price: float | None = None
    total: float | None = None
    amount: float | None = None
    reason: str = ""
    day: date | None = None
    bare: bool = False
    unread: tuple[str, ...] = ()


class ToldPayment(NamedTuple):
    """Money that was brought in, taken out or received; amount None where the words leave it open."""

    kind: str
    amount: float | None
    currency: str
    day: date | None


def fold_numbers(text: str) -> str:
    """Return a text with the numbers of money and of quantities in digits.

    >>> fold_numbers("按25块3毛卖了一千股"), fold_numbers("五万块，7块8"), fold_numbers("two hundred shares for 20k")
    ('按25.3元卖了1000股', '50000元，7.8元', '200 shares for 20000')
    """
    said = fold_characters(text)
    said = _SCALED_WORD.sub(
        lambda m: _format_number(float(_WORDS.get(m[1].lower(), 0) or m[1]) * _SCALES[m[2].lower()]), said
    )
    said = _COUNTED_HAN.sub(_count, _SCALED_HAN.sub(_scale, said))
    said = _YUAN_PARTS.sub(lambda m: f"{m[1]}.{_digit(m[2])}{_digit(m[3] or '')}元", said)
    return _YUAN.sub("元", _DIMES.sub(lambda m: f"0.{m[1]}{m[2] or ''}元", said))


_SCALES = {"hundred": 100.0, "thousand": 1000.0, "million": 1e6, "k": 1000.0}
_SCALED_WORD = pattern(rf"\b({'|'.join(_WORDS)}|\d+(?:\.\d+)?)\s*(hundred|thousand|million|k\b)(?: and)?", re.I)
"""Two hundred, 20k."""
_SCALED_HAN = pattern(r"(?<![\d.])(\d[\d,]*(?:\.\d+)?)\s*([万亿千百]+)(?![科向达度方]|分(?!红))")
_COUNTED_HAN = pattern(
    r"[〇零一二两三四五六七八九十百千万]{2,}(?!三|科|向|达)|[一二两三四五六七八九十](?=\s*[块元毛角股手份张])"
)
_YUAN_PARTS = pattern(
    r"(\d[\d,]*)\s*[块元]\s*([\d一二三四五六七八九])\s*[毛角]?\s*([\d一二三四五六七八九])?分?(?![\d股手份张.%])"
)
"""25块3毛, 7块8."""
_DIMES = pattern(r"(?<![\d.块元])(\d)[毛角](\d)?分?")
_YUAN = pattern(r"块钱?")


_ZH_SCALES = {"百": 100.0, "千": 1000.0, "万": 1e4, "亿": 1e8}


def _scale(match: re.Match[str]) -> str:
    """Return the digits of a number with Chinese units behind it: 5万, 3千万."""
    return _format_number(float(match[1].replace(",", "")) * prod(_ZH_SCALES[unit] for unit in match[2]))


def _format_number(value: float) -> str:
    return f"{value:.10g}"


def _digit(text: str) -> str:
    return text if not text or text.isdigit() else _format_number(parse_count(text) or 0)


def _count(match: re.Match[str]) -> str:
    value = parse_count("".join(match[0].replace(",", "").split()))
    return match[0] if value is None else _format_number(value)


def mend_verbs(text: str) -> str:
    """Return a text with the English verbs of a trade written rightly, where a number follows them.

    >>> mend_verbs("I bouhgt 100 shares of ICBC"), mend_verbs("I thought 100 shares")
    ('I bought 100 shares of ICBC', 'I thought 100 shares')
    """

    def mend(match: re.Match[str]) -> str:
        from difflib import get_close_matches

        near = get_close_matches(match[1].lower(), ("bought", "purchased", "sold"), 1, 0.75)
        right = ("about", "thought", "fought", "sought", "told", "hold", "gold", "cold", "bold", "solid", "fold")
        return near[0] if near and match[1].lower() not in right else match[1]

    return re.sub(r"\b([A-Za-z]{4,10})(?=\s+\d)", mend, text)


_ASKS_WHY = pattern(
    r"[\s,，;；.。:：]*(?:\b(?:and |but )?(?:why(?: (?:was|is|did) (?:that|it|i)(?: do (?:that|it|so))?)?|how come"
    r"|for (?:what|which) reason|what was (?:the|my) reason)"
    r"|(?:这|那|我)?(?:是|又)?(?:为什么|为啥|为何|什么原因|什么理由)(?:呢)?)"
    r"\W*\Z",
    re.I,
)
"""The end of a message that asks for the reason of a trade, and gives none."""


def is_told(words: str, securities: list[Mention], today: date) -> bool:
    """Return True if words have what an entry needs: a verb of a trade, how much, and at which price.

    One that asks why asks of a trade that was entered, unless it is a wish to enter it.
    """
    folded = fold_characters(words)
    if _ASKS_WHY.search(words) and not (TO_NOTE.search(folded) or _ENTER_IT.search(folded)):
        return False
    if not securities or not _VERB.search(mend_verbs(fold_characters(words))):
        return False
    return any(
        (each.shares or each.part or each.amount) and (each.price or each.total or each.amount)
        for each in parse_trades(words, securities, today)
    )


def tells_size(words: str) -> bool:
    """Return True if words tell of a trade and name a quantity or a price, in whatever security."""
    said = mend_verbs(fold_numbers(words))
    return bool(_VERB.search(said) and re.search(_NUMBER, said))


def parse_trades(words: str, securities: list[Mention], today: date) -> list[ToldTrade]:
    """Return the trades that words tell of: several where several securities or both verbs are in them."""
    folded = TO_NOTE.sub("", _ASKS_WHY.sub("", fold_characters(words)), count=1)
    for at, mention in enumerate(securities):
        folded = folded.replace(mention.said, f" {chr(0xE000 + at)} ")
    said = mend_verbs(fold_numbers(_ENTER_IT.sub(" ", folded)))
    why = _BECAUSE.search(said)
    told = said[: why.start()] if why else said
    reason = why["why"].strip(" 。.!！") if why else ""
    told, trailing = _cut_reason(told)
    pieces = _split_trades(told, len(securities))
    made = []
    for piece in pieces:
        verb = _VERB.search(piece) or _VERB.search(told)
        mark = re.search(_MARK, piece)
        mention = securities[ord(mark[0]) - 0xE000] if mark else securities[0]
        selling = bool(verb and verb["sold"])
        given = _restore(reason or trailing, securities) if len(pieces) == 1 else ""
        made.append(_Reader(piece, mention, today).read(selling, given))
    return made


def _restore(text: str, securities: list[Mention]) -> str:
    """Return a reason with the names of the securities in it."""
    for at, mention in enumerate(securities):
        text = re.sub(rf" ?{chr(0xE000 + at)} ?", mention.said, text)
    return " ".join(text.split()).strip(" ，,。.；;!！")


def _cut_reason(told: str) -> tuple[str, str]:
    """Return what tells of the trade, and the clauses behind it: they have no number that is a price or a size."""
    begins = [0, *(match.end() for match in _CLAUSE.finditer(told))]
    clauses = [told[a:b] for a, b in zip(begins, [*begins[1:], len(told)], strict=True)]
    last = max((at for at, clause in enumerate(clauses) if _tells(clause, first=not at)), default=0)
    return "".join(clauses[: last + 1]), "".join(clauses[last + 1 :])


def _tells(clause: str, *, first: bool) -> bool:
    if first or re.search(_MARK, clause):
        return bool(_VERB.search(clause) or re.search(_NUMBER, clause)) or first
    rest = re.sub(rf"{_NUMBER}\s*(?:[%％倍xX]|日(?=.?线)|天|年|个月|周|times\b|days?\b|years?\b)", " ", clause)
    return bool(re.search(_NUMBER, rest) or (_SHARES.search(clause) and _VERB.search(clause)))


def _split_trades(told: str, securities: int) -> list[str]:
    """Return the pieces of a text that tell of one trade each."""
    verbs = list(_VERB.finditer(told))
    kinds = {match.lastgroup for match in verbs}
    marks = [match.start() for match in re.finditer(_MARK, told)]
    if len(kinds) > 1 and len(verbs) > 1:
        at = next(match.start() for match in verbs if match.lastgroup != verbs[0].lastgroup)
        joint = max((m.end() for m in re.finditer(r"\band\b|[，,；;]|并|又|然后|\bthen\b", told[:at])), default=at)
        return [told[:joint], told[joint:]]
    if securities > 1 and len(marks) > 1:
        joints = [m.end() for m in re.finditer(r"\band\b|[，、；;]|,(?!\d{3})|[和与及]|\bplus\b", told)]
        cuts = [max((j for j in joints if a < j <= b), default=b) for a, b in pairwise(marks)]
        edges = [0, *cuts, len(told)]
        return [told[a:b] for a, b in pairwise(edges)]
    return [told]


class _Reader:
    """Reads one trade: each number that is understood is taken out of the text."""

    def __init__(self, text: str, mention: Mention, today: date) -> None:
        self.rest, self.mention, self.unread = text, mention, list[str]()
        spoken = re.sub(r"今[早晨](?!上)", "今天", text)
        if len(spoken) == len(text):
            self.rest = spoken
        self.days, self.end = _read_days(self, today), 0

    def take(self, form: re.Pattern[str], *, final: bool = True) -> re.Match[str] | None:
        """Return the first place of a form, blanked out of the text."""
        found = form.search(self.rest)
        if found is not None:
            self.rest = self.rest[: found.start()] + " " * len(found[0]) + self.rest[found.end() :]
            self.end = max(self.end, found.end()) if final else self.end
        return found

    def read(self, selling: bool, reason: str) -> ToldTrade:
        bare = not re.search(r"了|过|\b(?:bought|sold|purchased|added|trimmed|closed|exited|picked)\b", self.rest, re.I)
        each = self._number(_PRICES[:3])
        shares, part = self._read_size(selling)
        price = each or self._number(_PRICES[3:])
        amount = total = None
        if price is None:
            amount = self._number((_AMOUNT,)) if shares is None and not part else None
            total = None if amount else self._number((_TOTAL,))
            if total and shares is None and not part:
                amount, total = total, None
        if price is None and amount is None and total is None:
            price = self._number((_MONEY,)) or self._lone_number()
        self._check_currency()
        if vague := _VAGUE.search(self.rest):
            self.unread.append(vague[0])
        self.unread += re.findall(rf"{_NUMBER}[%％]?|\d[\d.,]*[%％]?", self.rest)
        if fee := _FEES.search(self.rest):
            self.unread.append(fee[0])
        return ToldTrade(
            mention=self.mention, selling=selling, shares=shares, part=part, price=price, total=total, amount=amount,
            reason=reason or self._tail(), day=self.days, bare=bare, unread=tuple(dict.fromkeys(self.unread)),
        )  # fmt: skip

    def _number(self, forms: Sequence[re.Pattern[str]]) -> float | None:
        for form in forms:
            if found := self.take(form):
                said = next(text for text in found.groups() if text)
                self.money = found[0]
                return float(said.replace(",", ""))
        return None

    money = ""

    def _lone_number(self) -> float | None:
        """Return the one number that is left where it ends a clause: `，785`."""
        left = re.findall(_NUMBER, self.rest)
        ends = pattern(rf"[¥$￥]?(?P<at>{_NUMBER})\s*(?=[，,。；;!！\s]|(?:的|了)?\s*[买卖]|$)")
        return self._number((ends,)) if len(left) == 1 else None

    def _read_size(self, selling: bool) -> tuple[float | None, str]:
        """Return shares, or the part of what is held; lots are counted in shares where they are known."""
        size = self.take(_SHARES) or self.take(_BARE)
        if size is None:
            if selling and self.take(_ALL):
                return None, "all"
            return None, "50%" if selling and self.take(_HALF) else ""
        groups = size.groupdict()
        count = parse_count((groups.get("n") or groups.get("m") or "").casefold())
        unit = (groups.get("unit") or "").casefold()
        if unit and unit in ("手", "lot", "lots") and count:
            each = self._lot()
            if each is None:
                self.unread.append(size[0].strip())
                return None, ""
            count *= each
        return count, ""

    def _lot(self) -> float | None:
        """Return how many shares a lot is; None where it is not known, or where it is no fixed number."""
        symbol = self.mention.symbol
        rule = find_lot(symbol, "2024-01-02") if symbol.market == "CN" else None
        return float(rule.step) if rule is not None and rule.step == rule.least else None

    def _check_currency(self) -> None:
        """Take a price in another currency than that of the security for not understood."""
        told = next(iter(find_currencies(self.money)), "")
        if told and told != trading_currency(self.mention.symbol):
            self.unread.append(self.money.strip())

    def _tail(self) -> str:
        """Return what stands behind the last number that was read: a reason that has no word for it."""
        found = _TAIL.match(re.sub(_MARK, "", self.rest[self.end :]).lstrip(" ，,"))
        why = found["why"].strip(" 。.!！") if found else ""
        return "" if not why or _EMPTY.fullmatch(why) or _VERB.match(why) else why


def _read_days(reader: _Reader, today: date) -> date | None:
    """Return the day that is named, today without one; what else of times is in the text counts as not understood."""
    spans = find_time_spans(reader.rest, today)
    days: list[TimeSpan] = []
    for span in spans:
        if span.kind == UNREAD and _DAY_PART.search(span.said) and not re.search(r"\d", span.said):
            reader.rest = _blank(reader.rest, span)
        elif span.kind == DAY:
            days.append(span)
            reader.rest = _blank(reader.rest, span)
        else:
            reader.unread.append(span.said)
            reader.rest = _blank(reader.rest, span)
    named = list(dict.fromkeys(span.first for span in days))
    if len(named) > 1:
        reader.unread += [span.said for span in days[1:]]
    return named[0] if named else today


def _blank(text: str, span: TimeSpan) -> str:
    return text[: span.at[0]] + " " * (span.at[1] - span.at[0]) + text[span.at[1] :]


_PAID: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, pattern(form, re.I))
    for kind, form in (
        ("dividend", r"(?:收到|到账|拿到|派了?|发了?).{0,16}(?:分红|股息|红利)|(?:分红|股息|红利).{0,8}(?:到账|收到)"
                     r"|\b(?:received|got|was paid)\b.{0,40}\bdividends?\b"
                     r"|\bdividends?\b.{0,30}\b(?:arrived|received|paid)\b"),
        ("interest", r"(?:收到|到账|拿到).{0,8}利息|利息.{0,6}(?:到账|收到)|\b(?:received|got)\b.{0,30}\binterest\b"),
        ("withdraw", r"(?:转出|取出|提取|提现|出金|转走|取走|提走|取了|提了)"
                     r"|从(?!.{0,3}银行).{0,6}(?:账户|账上).{0,10}(?:转(?![入进])|取|提)"
                     r"|\bi(?:['’]ve| have| just)* (?:withdrew|withdrawn|took|took out|transferred out|moved out)\b"
                     r"(?!.{0,30}\bprofits?\b)|^\W*(?:please\s+)?(?:withdraw|take out)\s+[$¥]?\s?\d"),
        ("deposit", r"(?:转入|转进|存入|存进|存了|入金|充值|充了|汇入|打入|投入了|追加了)"
                    r"|(?:转|汇|打|放|加)了?.{0,14}(?:到|进|入|至|在).{0,4}(?:账户|账上|账里|券商|证券|股市)"
                    r"|(?:往|向|给).{0,6}(?:账户|账上|账里|券商|证券)(?:里|上)?(?:转|汇|打|存|加)"
                    r"|\bi(?:['’]ve| have| just| also)* (?:deposited|put in|paid in|wired|topped up)\b"
                    r"|^\W*(?:please\s+)?(?:deposit|pay in)\s+[$¥]?\s?\d"
                    r"|\bi(?:['’]ve| have| just| also)* (?:added|transferred|put|paid|moved)\b.{0,30}"
                    r"\b(?:to|into|in)\b.{0,10}\b(?:account|broker\w*|portfolio)\b"),
    )
)  # fmt: skip
_OF_MONEY = pattern(
    rf"{UNIT}|[¥$￥]|\d\s*[万亿千]|[一二两三四五六七八九十]+[万亿千]|\d\s*(?:k|grand)\b"
    r"|钱|资金|现金|本金|入金|出金|充值|提现|账户|账上|分红|股息|红利|利息"
    r"|\b(?:account|cash|money|funds?|capital|dividends?|interest|deposited|withdrew|withdrawn)\b",
    re.I,
)
_COUNTED = pattern(rf"{_NUMBER}\s*(?:[个次条只件项遍张份]|股(?!息)|手(?!续)|shares?\b|times\b|questions?\b)", re.I)


_ASKED = pattern(
    r"还[剩有]多少|剩了?多少|还[剩有]吗|\bhow much\b|\bwhat (?:is|remains)\b|\bis (?:any|some|it|that|all)\b", re.I
)
"""What became of the money is asked for."""


def parse_payment(words: str, today: date) -> ToldPayment | None:
    """Return the money that words tell of; None where they tell of none. Its day is None where it has to be asked for.

    >>> parse_payment("我转入了五万块", date(2024, 3, 4)).amount, parse_payment("我转入了多少", date(2024, 3, 4))
    (50000.0, None)
    >>> parse_payment("我提了3个问题", date(2024, 3, 4)), parse_payment("上周我转入了5万元", date(2024, 3, 4)).day
    (None, None)
    >>> parse_payment("I put in 200k HKD. how much of that is left", date(2024, 3, 4))
    """
    said = fold_numbers(words)
    spans = find_time_spans(said, today)
    bare = said
    for span in spans:
        bare = _blank(bare, span)
    found = list(re.finditer(_NUMBER, bare))
    if not re.search(r"\d", bare) or not _OF_MONEY.search(words) or _COUNTED.search(bare) or _ASKED.search(bare):
        return None
    kind = next((name for name, form in _PAID if form.search(bare)), "")
    if not kind:
        return None
    currency = next(iter(find_currencies(bare)), "CNY")
    timed = [span for span in spans if not (span.kind == UNREAD and _DAY_PART.search(span.said))]
    days = {span.first if span.kind == DAY else None for span in timed} or {today}
    amount = float(found[0][0].replace(",", "")) if len(found) == 1 else None
    return ToldPayment(kind=kind, amount=amount, currency=currency, day=days.pop() if len(days) == 1 else None)
