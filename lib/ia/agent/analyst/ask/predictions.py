"""Predictions of the owner, "I think CATL will be above 200 by June": what is believed, and up to which day."""

import re
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.mentions import LONGEST, Mention, find_mentions, strip_mentions
from ia.domain.speech.deadlines import find_deadline
from ia.kernel.patterns import pattern
from ia.organs.memory.beliefs import ABOVE, BEATS, BELOW, DOWN, LAGS, REACHES, UP, BeliefCheck

_OPENING = pattern(
    r"^\W*(?:(?:请|帮我)?(?:记住|记下)?\W*)?(?:我们?)?(?:个人)?(?:现在|一直|还是|就|也|坚定地?)?"
    r"(?:相信|坚信|信奉|认为|觉得|预计|预测|估计|判断|看好|赌|押)[，,:：\s]*"
    r"|^\W*(?:please\s+)?(?:remember\s+that\s+)?(?:(?:i|we)(?:['’]m| am| still| really| also| do| firmly)*\s+)?"
    r"(?:think|believe|expect|reckon|predict|guess|bet|convinced|sure|confident)\b(?:\s+that\b)?[,:\s]*"
    r"|^\W*my (?:belief|prediction|forecast|bet)(?:\s+is)?(?:\s+that\b)?[,:\s]*"
    r"|^\W*我的?(?:信念|预测|判断)(?:是)?[，,:：\s]*",
    re.I,
)
_CONVICTION = pattern(r"[相坚]信|信奉|\bbeliev|\bbelief|\bconvinced|信念", re.I)
_OWN_CONVICTION = pattern(
    r"我们?(?:个人)?(?:一直|还是|就|也|坚定地?)?(?:[相坚]信|信奉)(?!你|我)"
    r"|我的信念(?:是|[:：])|\b(?:i|we)\b.{0,20}\b(?:believe|convinced)\b(?!\s+(?:you|me)\b)|\bmy belief(?:\s+is\b|:)",
    re.I,
)
"""Words with which a conviction is the owner's own, whatever its reason."""
_HELD = pattern(r"信奉(?=[^信奉]{0,4}$)|\bbelieve\W+in\b", re.I)
"""What is said of a belief itself: without it the rest is no sentence."""
_REASON = pattern(r"[，,；;。.]?\s*(?:因为|原因是|理由是|\bbecause\b|\bsince\b)[:：]?\s*", re.I)
_QUESTION = pattern(
    r"[?？]|[吗呢么]\W*$|多少|什么|哪|怎么|如何|是否|会不会|能不能|谁"
    r"|^\W*(?:do|does|did|will|what|which|how|why|when|should|would|could|can|is|are|was|were|who)\b",
    re.I,
)
_NUMBER = r"\$?\s*(\d[\d,]*(?:\.\d+)?)(?!\s*[%％\d]|\s*(?:倍|日线|天|个|年|月|号|日|周|days?|weeks?|months?))"
_LEVELS = (
    (
        ABOVE,
        pattern(
            rf"(?:高于|站上|突破|涨破|升破|超过|涨过|不低于|涨到|涨至|升到)\s*{_NUMBER}|{_NUMBER}\s*元?以上"
            r"|\b(?:above|over|beyond|at least|(?:more|higher) than|exceeds?|ris(?:es?|ing) to|climbs? to|up to)\s+"
            rf"{_NUMBER}",
            re.I,
        ),
    ),
    (
        BELOW,
        pattern(
            rf"(?:低于|跌破|跌穿|不高于|不超过|跌到|跌至|降到|回落到|回到)\s*{_NUMBER}|{_NUMBER}\s*元?以下"
            rf"|\b(?:below|under|beneath|(?:less|lower) than|falls? to|drops? to|down to)\s+{_NUMBER}",
            re.I,
        ),
    ),
    (
        REACHES,
        pattern(
            rf"(?:到达?|达到|摸到|看到|值)\s*{_NUMBER}"
            rf"|\b(?:reach(?:es)?|hits?|touch(?:es)?|gets? to|goes? to|at|see)\s+{_NUMBER}",
            re.I,
        ),
    ),
)
_BEATS = pattern(r"跑赢|强于|超过|好于|\b(?:beats?|outperforms?|does? better than|do better than)\b", re.I)
_LAGS = pattern(r"跑输|弱于|\b(?:lags?|underperforms?|does? worse than|do worse than|trails?)\b", re.I)
_MOVES = (
    (UP, pattern(r"上?涨|翻倍|\b(?:ris(?:es?|ing)|gains?|climbs?|(?:be|go|goes) up|up|doubles?)\b", re.I)),
    (DOWN, pattern(r"下?跌|\b(?:falls?|falling|drops?|declines?|loses?|(?:be|go|goes) down|down)\b", re.I)),
)
_PERCENT = pattern(r"(\d+(?:\.\d+)?)\s*[%％]", re.I)
_DOUBLES = pattern(r"翻倍|\bdoubles?\b", re.I)
_UNCHECKED = pattern(
    r"不会|不可能|不太|难以|没法|\b(?:not|won['’]?t|never|unlikely|cannot|can['’]?t)\b"
    r"|如果|只要|除非|若|的话|\b(?:if|unless|once|provided|assuming)\b"
    r"|[销产]量|营收|收入|利润|盈利|业绩|毛利|市[盈净]率|估值|市值|分红|股息|成交|份额|产能|装机|订单|增速|每股|净值|评级"
    r"|\b(?:sales|revenues?|profits?|earnings|margins?|p/?e|p/?b|eps|roe|valuations?|market cap\w*|dividends?|yields?"
    r"|volumes?|turnover|share of|market share|orders?|output|deliveries|growth|ratings?)\b",
    re.I,
)
"""Words with which a sentence says something else of a price, or speaks of another figure."""
_AT_DATE = pattern(
    r"高于|低于|以[上下]|\b(?:be|stays?|remains?|closes?|trades?|stands?)\s+(?:still\s+)?(?:above|below|over|under|at)\b",
    re.I,
)
"""Words of a state: that of the last day counts, where no word says "by then"."""


class Prediction(NamedTuple):
    """What a message predicts: the belief in the owner's words, its reason, its day, and the check of prices in words.

    check  "" where prices do not decide it
    """

    belief: str
    reason: str
    day: str
    once: bool
    check: str


def states_belief(words: str) -> bool:
    """Return True if a message states what its writer believes, and asks nothing.

    >>> states_belief("I think CATL will be above 200 by June"), states_belief("what do I think about CATL")
    (True, False)
    """
    head = words[:LONGEST]
    return bool(_OPENING.match(head)) and not _QUESTION.search(_REASON.split(head, maxsplit=1)[0])


def read_conviction(words: str) -> tuple[str, str] | None:
    """Return a belief without a date, and its reason ("" where none is said); None for a mere opinion.

    >>> read_conviction("我相信高股息策略长期有效，因为复盘了十年数据"), read_conviction("I think value works")
    (('高股息策略长期有效', '复盘了十年数据'), None)
    >>> read_conviction("我的信念：不在财报前三天买入"), read_conviction("我信奉价值投资"), read_conviction("相信我")
    (('不在财报前三天买入', ''), ('信奉价值投资', ''), None)
    """
    said, *reason = _REASON.split(" ".join(words[:LONGEST].split()), maxsplit=1)
    opening = _OPENING.match(said)
    if opening is None or not _CONVICTION.search(opening[0]):
        return None
    why = reason[0].strip(" 。.!！") if reason else ""
    if not why and not _OWN_CONVICTION.match(said.lstrip(" ，,。")):
        return None
    at = opening.end()
    if held := _HELD.search(said[: at + 3]):
        at = held.start()
    belief = said[at:].strip(" 。.!！，,")
    return (belief, why) if len(belief) > 1 else None


def read_prediction(words: str, today: date) -> Prediction | None:
    """Return the prediction of a text; None where it names no day ahead.

    >>> day = date(2024, 3, 15)
    >>> read_prediction("I think CATL will be above 200 by June", day)[2:]
    ('2024-06-30', True, '300750.SZ >= 200')
    >>> read_prediction("我相信招行年底前会到 40，因为息差见底", day)
    Prediction(belief='招行年底前会到 40', reason='息差见底', day='2024-12-31', once=True, check='600036.SH reaches 40')
    >>> read_prediction("BYD beats the CSI 300 next month", day)[2:]
    ('2024-04-30', False, '002594.SZ beats 000300.SH')
    >>> read_prediction("Sales of BYD recover by June", day).check, read_prediction("Value works", day)
    ('', None)
    """
    said = " ".join(words[:LONGEST].split())
    said, *reason = _REASON.split(said, maxsplit=1)
    belief = _OPENING.sub("", said, count=1).strip(" 。.!！，,")
    deadline = find_deadline(strip_mentions(belief), today)
    if deadline is None or not belief:
        return None
    begin, end = deadline.at
    rest = f"{strip_mentions(belief)[:begin]} {strip_mentions(belief)[end:]}"
    check = _read_check(rest, find_mentions(belief))
    once = check is None or (check.change_pct is not None and deadline.once)
    if check is not None and check.level is not None:
        once = deadline.once or not _AT_DATE.search(rest)
    why = reason[0].strip(" 。.!！") if reason else ""
    return Prediction(belief, why, deadline.day.isoformat(), once, str(check) if check else "")


def _read_check(rest: str, securities: list[Mention]) -> BeliefCheck | None:
    """Return what prices decide of a prediction; None where its words say more, less or the contrary of it."""
    if not securities or len(securities) > 2 or _UNCHECKED.search(rest):
        return None
    symbol = securities[0].code
    if len(securities) == 2:
        beats, lags = bool(_BEATS.search(rest)), bool(_LAGS.search(rest))
        return None if beats == lags else BeliefCheck(symbol, BEATS if beats else LAGS, against=securities[1].code)
    for says, form in _LEVELS:
        if found := form.search(rest):
            price = next(filter(None, found.groups()))
            return BeliefCheck(symbol, says, level=float(price.replace(",", "")))
    ways = [says for says, form in _MOVES if form.search(rest)]
    if len(ways) != 1:
        return None
    moved = _PERCENT.search(rest)
    change = 100.0 if _DOUBLES.search(rest) else float(moved[1]) if moved else None
    return BeliefCheck(symbol, ways[0], change_pct=change)
