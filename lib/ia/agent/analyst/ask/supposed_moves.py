"""Moves of prices and exchange rates that a question supposes, each with what moves."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import CURRENCY_WORDS
from ia.agent.analyst.ask.follow_words import drop_lead
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.voice import count_han
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.patterns import pattern

_MARK = "\ufffc"
_DOWN = (
    r"(?:[再又还暴大狂猛下齐]{0,2}(?:跌|贬值?|挫|回落|回撤|缩水|走弱|亏)"
    r"|\b(?:f[ae]lls?|fallen|falling|drop(?:s|ped|ping)?|declin\w+|lo(?:se|ses|st|sing)|crash\w*|plung\w+|sinks?"
    r"|slides?|tumbl\w+|weaken\w*|depreciat\w+|goes down|go down|going down|went down|(?:is|are|were|was) down"
    r"|comes? down|dips?|slips?|down)\b)"
)
_UP = (
    r"(?:[再又还暴大狂猛上齐]{0,2}(?:涨|升值?|反弹|走强)"
    r"|\b(?:ris(?:e|es|ing)|rose|gain(?:s|ed|ing)?|rall\w+|climb\w*|goes up|go up|going up|went up"
    r"|(?:is|are|were|was) up|jumps?|strengthen\w*|appreciat\w+|increas\w+|recovers?|up)\b)"
)
_FALL = r"drops?|falls?|declines?|loss|crash|correction|dip|slump|devaluation|depreciation"
_RISE = r"rises?|gains?|rally|jump|appreciation|rebound"
_MOVE = pattern(
    rf"(?:(?P<down>{_DOWN})|(?P<up>{_UP})|(?P<at>(?:去|回|来)?到|回到|\b(?:reach\w*|hits?|to|at)\b))"
    r"(?:\s*(?:over|again|further|back|sharply|by|another|a further|an additional|about|around)\b|大?约|[了个掉去])*"
    r"\s*(?P<to>[到至回]|(?:down |up |back )?(?:to|at)\b)?\s*(?:[$¥]|hk\$)?\s*"
    rf"(?:(?P<half>一半|a?\s?half\b|in half\b|半)|(?P<frac>十分之一|五分之一|四分之一|三分之一"
    rf"|(?:a|one) (?:tenth|fifth|quarter|third)\b)|百分之(?P<of>{COUNT})|(?P<n>{COUNT})\s*"
    r"(?P<pct>%|％|per ?cent\b|pct\b|个?百分点|个?点)?(?P<tenth>成)?"
    r"\s*(?P<unit>元|块钱?|港[币元]|美元|人民币|(?:hk )?dollars?\b|yuan\b|hkd\b|usd\b|cny\b|rmb\b)?)"
    rf"|(?P<m>{COUNT})\s*(?:%|％|per ?cent|pct|个点)\s*的?\s*"
    rf"(?:(?P<fall>(?:{_FALL})\b|下?跌幅?|回调|贬值)|(?P<rise>(?:{_RISE})\b|上?涨幅?|升值))"
    r"|(?P<halves>腰斩|\bhal(?:f|ve)s?\b|\bhalved\b)|(?P<doubles>翻[一]?[倍番]|\bdoubl(?:e|es|ed)\b)"
    r"|(?P<zero>归零|变成零|退市|\b(?:goes|went|go|falls?) to (?:zero|nothing|0)\b|\bworthless\b|\bbankrupt\b)"
    r"|(?P<limit_down>跌停|\blimit[- ]down\b)|(?P<limit_up>涨停|\blimit[- ]up\b)",
    re.I,
)
_IF = pattern(r"如果|要是|假如|假设|假定|倘若|万一|若是?|一旦|\b(?:if|when|suppos\w+|assum\w+|should|imagine)\b", re.I)
_ALL = pattern(
    r"(?:所有|全部|每只|整个|全体)的?(?:股票|持仓|持股|仓位|组合|账户)?|(?:我的?)?(?:持仓|股票|持股|组合)"
    r"(?=(?:都|全|一?齐|整体|再)*[跌涨])|大盘|股市|整个市场|市场(?=整体|都|再|大|暴|下|全|[跌涨])|全线"
    r"|\b(?:everything|all (?:of )?(?:my |the )?(?:stocks?|shares|holdings|positions|of (?:it|them))"
    r"|every (?:stock|share|holding|position)|(?:the )?(?:whole |entire |stock )?market"
    r"|my (?:stocks|shares|holdings|positions))\b",
    re.I,
)
_REST = pattern(
    r"其他的?(?:股票|持仓)?|其余的?(?:股票|持仓)?|剩下的?(?:股票|持仓)?|别的(?:股票|持仓)?"
    r"|\b(?:everything else|all (?:the )?(?:others?|rest)|the (?:others?|rest)(?: of (?:my|the) \w+)?|others)\b",
    re.I,
)
_MARKETS = (
    ("HKD", pattern(r"港股|\b(?:hong kong|hk) (?:stocks?|shares?|market|holdings?|positions?)", re.I)),
    ("USD", pattern(r"美股|\b(?:american|(?-i:US)|us|u\.s\.) (?:stocks?|shares?|market|holdings?|positions?)", re.I)),
    ("CNY", pattern(r"[Aa]股|\ba[- ]shares?|\b(?:chinese|mainland) (?:stocks?|shares?|market|holdings?)", re.I)),
)
_FOREIGN = pattern(r"外币|外汇|\bforeign (?:currenc(?:y|ies)|money)\b", re.I)
_AGAINST = pattern(r"(?:兑|对|\b(?:against|versus|vs\.?|to|relative to)\b)\s*(?:the )?\Z", re.I)
_WHOSE = pattern(r"\b(?:us|u\.s\.|american|chinese) \Z", re.I)
"""The country of a currency."""
_OF = pattern(r"\s*(?:in|of|for|on)\s+(?:the |my )?(?:price of |shares of |value of )?\Z", re.I)


_FRACTIONS = (
    (pattern(r"十分之一|tenth", re.I), 10.0), (pattern(r"五分之一|fifth", re.I), 20.0),
    (pattern(r"四分之一|quarter", re.I), 25.0), (pattern(r"三分之一|third", re.I), 100 / 3),
)  # fmt: skip
Groups = Sequence[tuple[re.Pattern[str], str]]
"""The words for industries, and the name of each."""


class Subject(NamedTuple):
    """What moves, and where it stands: "security", "industry", "market", "currency" with its name, "all" or "rest"."""

    kind: str
    key: str
    at: tuple[int, int]


class Move(NamedTuple):
    """A move: by a factor, to a price, or to a limit of the day: -1 down, 1 up."""

    factor: float | None
    target: float | None
    limit: int
    at: tuple[int, int]


class Supposed(NamedTuple):
    """Moves that are supposed, each with what moves, and what else the words say.

    against  the currency against which another one moves; "" for that of the account
    """

    moves: tuple[tuple[Subject, Move], ...]
    against: str
    rest: str


def read_supposed(words: str, groups: Groups = ()) -> Supposed | None:
    """Return the moves that words suppose; None where it is not certain what moves.

    >>> read = read_supposed("if Tencent drops 20% and Apple gains 10% what do I have")
    >>> [(subject.key, move.factor) for subject, move in read.moves]
    [('00700.HK', 0.8), ('AAPL.US', 1.1)]
    >>> [(s.kind, s.key, m.factor) for s, m in read_supposed("如果美元贬值5%").moves]
    [('currency', 'USD', 0.95)]
    """
    named, text = find_mentions(words), strip_mentions(words, _MARK)
    moves = [each for found in _MOVE.finditer(text) if (each := _read_move(found)) is not None]
    subjects = _find_subjects(text, [each.code for each in named], [move.at for move in moves], groups)
    if subjects is None or not moves:
        return None
    against = next((each.key for each in subjects if each.kind == "against"), "")
    places, taken, told = [each for each in subjects if each.kind != "against"], list[Subject](), []
    begin = 0
    for at, move in enumerate(moves):
        conditions = [found.end() for found in _IF.finditer(text, begin, move.at[0])]
        first = conditions[-1] if conditions else begin
        own = [each for each in places if first <= each.at[0] < move.at[0]]
        end = moves[at + 1].at[0] if at + 1 < len(moves) else len(text)
        own = own or [each for each in places if move.at[1] <= each.at[0] < end and
                      _OF.search(text[move.at[1] : each.at[0]])][:1]  # fmt: skip
        if not own:
            return None
        told += [(each, move) for each in own]
        taken += own
        begin = move.at[1]
    if len({(each.kind, each.key) for each, _ in told}) < len(told):
        return None  # one of them is said to move twice
    used = [
        *(move.at for move in moves),
        *(each.at for each in taken),
        *(s.at for s in subjects if s.kind == "against"),
    ]
    rest = text
    for a, b in used:
        rest = rest[:a] + " " * (b - a) + rest[b:]
    return Supposed(tuple(told), against, rest.replace(_MARK, " "))


def _read_move(found: re.Match[str]) -> Move | None:
    """Return the move that was found; None for a number that is none."""
    at = found.span()
    if found["zero"] or found["halves"] or found["doubles"]:
        return Move(0.0 if found["zero"] else 0.5 if found["halves"] else 2.0, None, 0, at)
    if found["limit_down"] or found["limit_up"]:
        return Move(None, None, -1 if found["limit_down"] else 1, at)
    if found["m"]:
        size = parse_count(found["m"].casefold())
        return None if size is None else Move(1 + (size if found["rise"] else -size) / 100, None, 0, at)
    if found["half"]:
        return None if found["at"] else Move(1.5 if found["up"] else 0.5, None, 0, at)
    if found["frac"]:
        part = next(value for form, value in _FRACTIONS if form.search(found["frac"]))
        known = not (found["at"] or found["to"])
        return Move(1 + (part if found["up"] else -part) / 100, None, 0, at) if known else None
    size = parse_count((found["of"] or found["n"]).casefold())
    if size is None:
        return None
    share = size * 10 if found["tenth"] else size if found["pct"] or found["of"] else None
    if found["at"] or found["to"]:
        return None if share is not None else Move(None, size, 0, at)
    return None if share is None else Move(1 + (share if found["up"] else -share) / 100, None, 0, at)


def _find_subjects(
    text: str, codes: list[str], moves: list[tuple[int, int]], groups: Groups = ()
) -> list[Subject] | None:
    """Return what a text names that may move, in its order; None where a security is named twice."""
    marks = [found.start() for found in re.finditer(_MARK, text)]
    if len(marks) != len(codes):
        return None
    found = [Subject("security", code, (at, at + 1)) for at, code in zip(marks, codes, strict=True)]
    forms = [("rest", "", _REST), *(("market", key, form) for key, form in _MARKETS), ("all", "", _ALL),
             *(("industry", name, form) for form, name in groups),
             *(("currency", key, form) for key, form in CURRENCY_WORDS), ("currency", "*", _FOREIGN)]  # fmt: skip
    taken = list(moves)
    for kind, key, form in forms:
        for match in form.finditer(text):
            if any(match.start() < end and begin < match.end() for begin, end in taken):
                continue
            taken.append(match.span())
            whose = _WHOSE.search(text[: match.start()]) if kind == "currency" else None
            begin = whose.start() if whose else match.start()
            behind = _AGAINST.search(text[:begin]) if kind == "currency" else None
            place = (behind.start() if behind else begin, match.end())
            found.append(Subject("against" if behind else kind, key, place))
    starts = [each.at[0] for each in found if each.kind != "all"]
    every = [each for each in found if each.kind == "all" and each.at[1] in starts]  # 所有A股: those alone
    return sorted((each for each in found if each not in every), key=lambda each: each.at)


_OF_MINE = pattern(
    r"\A(?!.*(?:[跌涨升贬亏赚少]了|今[天年日]|昨天|上个?[周月]|本[周月]|这个?[周月]|最近|以来|去年))(?=.*(?:多少|几|剩))"
    r".*(?:我|账户|总资产|一共|总共)"
)
"""Asks what a move comes to without saying that it is supposed."""
_ALSO = pattern(r"也|同时|再加上|还有|一起|\b(?:also|too|as well|on top|at the same time|besides)\b", re.I)
_END = pattern(r"(?:呢|的话|会?怎么?样|怎么办|又如何)*[?？。.!！\s]*\Z")
_LEAD_ON = pattern(
    r"\A\W*(?:那么?|再|还有|\b(?:and|what about|how about|so|but|or|ok(?:ay)?|then|what if|if)\b[, ]*)*", re.I
)

_ARTICLE = pattern(r"(?<![a-z])the \Z", re.I)


def suppose_again(text: str, last: str) -> str:
    """Return the supposition before with other moves, or one more, as a message says; "" for another message.

    >>> suppose_again("那美元也贬5%呢", "如果港币贬值5%")
    '如果港币贬值5%，美元也贬5%'
    >>> suppose_again("and if the yuan rises 3%?", "if the dollar falls 5% what do I lose")
    'if the yuan rises 3% what do I lose'
    >>> suppose_again("and the Hong Kong dollar?", "if the dollar falls 5% what do I lose")
    'if the Hong Kong dollar falls 5% what do I lose'
    """
    if (
        len(text) > _SHORT
        or not (_IF.search(last) or _OF_MINE.search(last))
        or not _MOVE.search(strip_mentions(last, _MARK))
    ):
        return ""
    before = read_supposed(last)
    if before is None:
        return ""
    core = _END.sub("", _LEAD_ON.sub("", drop_lead(text), count=1), count=1).strip(" ,，")
    old, marked = strip_mentions(last, _MARK), strip_mentions(core, _MARK)
    names = [each.said for each in find_mentions(last)]
    now = [each.said for each in find_mentions(core)]
    first = min(min(subject.at[0], move.at[0]) for subject, move in before.moves)
    end = max(max(subject.at[1], move.at[1]) for subject, move in before.moves)
    end = len(old[:end].rstrip())
    new = read_supposed(core)
    if new is not None and _ALSO.search(new.rest):
        between = "，" if count_han(core) else " and "
        return _name(old[:end], names) + between + core + _name(old[end:], names[old[:end].count(_MARK) :])
    if new is not None:
        return _name(_ARTICLE.sub("", old[:first]), names) + core + _name(old[end:], names[old[:end].count(_MARK) :])
    if len({move.at for _, move in before.moves}) != 1:
        return ""
    move = before.moves[0][1].at
    after = _name(old[move[1] :], names[old[: move[1]].count(_MARK) :])
    bare = [found for found in _MOVE.finditer(marked) if _read_move(found) is not None]
    subjects = _find_subjects(marked, [each.code for each in find_mentions(core)], [each.span() for each in bare])
    said = marked
    for each in sorted((*(subject.at for subject in subjects or ()), *(each.span() for each in bare)), reverse=True):
        said = said[: each[0]] + " " + said[each[1] :]
    also, said = bool(_ALSO.search(said)), _ALSO.sub(" ", said)
    amount = _AMOUNT.search(said)
    if subjects is None or _BARE.sub(" ", said[: amount.start()] + said[amount.end() :] if amount else said).strip():
        return ""
    if len(bare) > 1 or len(subjects) > 1 or (bare and amount):
        return ""
    moved = bare[0][0] if bare else old[move[0] : move[1]]
    if amount:
        if not _AMOUNT.search(moved):
            return ""
        moved = _AMOUNT.sub(lambda _: amount[0], moved, count=1)
    if not subjects:
        return _name(old[: move[0]], names) + moved + after if (bare or amount) and not also else ""
    (subject,) = subjects
    put = now[0] if subject.kind == "security" else marked[subject.at[0] : subject.at[1]]
    if also and not amount:
        own = max(each.at[1] for each, _ in before.moves)
        between = "和" if count_han(last) else " and "
        return _name(old[:own], names) + between + put + _name(old[own:], names[old[:own].count(_MARK) :])
    if subject.kind == "security" and not amount and all(each.kind == "security" for each, _ in before.moves):
        return ""  # another security in its place: read by what puts names in the place of names
    return _name(old[:first], names) + put + ("" if count_han(put) else " ") + moved + after


_AMOUNT = pattern(rf"{COUNT}\s*(?:%|％|per ?cent\b|个?百?分?点|成)", re.I)
_BARE = pattern(r"[\s,，.?？!！、的那呢要会]+|\b(?:the|a|it|they|that|by|if|what|would|be|with)\b|如果|要是|它", re.I)
"""Words of a message that change nothing of the supposition before."""
_SHORT = 80


def _name(text: str, names: list[str]) -> str:
    """Return a text with its securities named again, in their order."""
    for name in names:
        text = text.replace(_MARK, name, 1)
    return text
