"""Trades of the owner that bound a stretch of time for something else: "Moutai since I sold CATL"."""

import re
from dataclasses import replace

from ia.agent.analyst.ask import intent
from ia.agent.analyst.ask.follow_times import put_since
from ia.agent.analyst.ask.mentions import LONGEST, Mention, find_mentions
from ia.agent.analyst.ask.own_names import find_own_names, may_name_own
from ia.agent.analyst.ask.plain_words import fold_characters
from ia.agent.analyst.ask.time_spans import DAY, find_time_spans
from ia.agent.analyst.ask.unknown_names import find_ambiguous_name, find_candidates
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.journal_rows import load_trades, purchases_of_held
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.kernel.patterns import pattern

_HINT = pattern(r"\b(?:since|after|from|between)\b.{0,16}\b(?:i|we|my|our)\b|[买卖清].{0,12}(?:后|来|至今|之间)", re.I)
_SINCE = (
    r"\b(?:since|after|from)\s+(?:the (?:day|time) )?(?:"
    r"(?:i|we) (?P<which>first |last )?(?P<side>bought|purchased|sold)(?: (?:my|the|all|some|of|last|first))*\s+{x}"
    r"(?: shares?)?"
    r"|(?:my|our) (?P<nth>first |last )?(?:{x}(?:'s|’s)? (?P<did>purchase|sale)|(?P<act>purchase|sale) of {x}))"
    r"|(?:自从?|从)?我?(?P<zhwhich>第一次|首次|最后一次)?(?P<zhside>买入?|买进|卖出?|卖掉|清仓)了?{x}(?:之后|以后|以来|至今|后)"
)
_BETWEEN = (
    r"\bbetween (?:my|our|the) (?:two |both )?(?:{x}(?:'s|’s)? )?(?P<sides>purchases|buys|sales)(?: of (?:{x}|it))?"
    r"|我?(?:两次|这两次)(?P<zhsides>买入?|卖出?)(?:{x})?之?间"
)
_SOLD = pattern(r"sold|sale|卖|清", re.I)
_OF_ACCOUNT = pattern(
    r"账户|组合|我(?:一共|总共)?[赚亏]|\b(?:account|portfolio|net worth|equity|cash|dividends?|market|index)\b"
    r"|\b(?:have|did) i (?:made?|make|lose|lost|earn\w*)\b|\bmy (?:profit|return|result)s?\b",
    re.I,
)
"""What a question is about that names but the security of the trade."""


_OWN_TRADE = pattern(
    r"卖(?:掉|出|了)的|[买卖](?:入|出|掉|进|了)(?:之?[后前]|以[后前来]|那天|当天|的时候)|(?:我|咱).{0,16}(?:赚|亏|盈|买|卖|持有|拿着|成本|仓|套|拿了|拿过)|(?:赚|亏|盈|买|卖|持有|成本|仓).{0,16}我"
    r"|\b(?:i|my|we|our)\b.{0,40}\b(?:make|made|lose|lost|earn\w*|gain\w*|profit|loss|bought|buy|sold|sell|sale|kept|keep|hold|held"
    r"|own|owned|cost|paid|pay|position|shares|trade[ds]?|purchases?)\b",
    re.I,
)
"""A question about a trade or a holding of the owner's own."""


_WISHED = pattern(
    r"\b(?:should|can|could|may|shall|would) (?:i|we)\b|\bi(?:'d| would)? (?:want|like|plan)\b"
    r"|我?(?:该|能|可以|想|要(?!是))\S{0,3}[买卖]",
    re.I,
)
_GAINED = pattern(
    r"(?P<who>[^\s，,我]{2,12}?)(?:(?:这|那)[只个支](?:股票?|票)?(?:一共|总共|到底)?(?P<both>[赚亏])了?多少钱?"
    r"|(?:(?:这|那)[只个支](?:股票?|票)?)?(?:一共|总共|到底)?(?P<verb>[赚亏])钱了?(?:没有?|吗|么))\W*"
)
"""Whether a share gained: of one that the owner traded, the owner's result."""


def name_own_securities(desk: ToolDesk) -> Work[None]:
    """Put the codes of the owner's securities in the places of their short names, and of names that may mean several.

    A name that may mean several is that of the one that was traded or is watched, but not in a wish to buy.
    """
    request = desk.request
    if not request.is_words_only or not desk.has("account.profit"):
        return
    words = request.question[:LONGEST]
    if gained := _GAINED.fullmatch(fold_characters(words)):
        profit = yield from desk.one("account.profit")
        held = {str(row.get("symbol")) for row in wording.rows_of(profit, "positions")}
        shorts = find_own_names(gained["who"], [from_canonical(code) for code in held])
        meant = {each.code for each in find_mentions(gained["who"])} | {each.canonical for _, each in shorts}
        if len(meant) == 1 and meant <= held:
            words = f"{gained['who']}我{gained['both'] or gained['verb']}了多少"
            desk.request = request = replace(request, question=words)
    said = find_ambiguous_name(words) if _OWN_TRADE.search(_WISHED.sub(" ", words)) else ""
    if not (said or any(may_name_own(each) for each in (*request.before[-4:], words))):
        return
    wanted = intent.read_acts(request)
    if wanted.kind not in (*intent.ANSWERABLE, "doubtful") and not intent.may_ask_tasks(wanted):
        return
    own = yield from _load_own(desk)
    known_name = any(said in each.said for each in find_mentions(words))
    codes = [code for code in find_candidates(said) if code in {each.canonical for each in own}]
    if said and not known_name and len(codes) == 1:
        desk.short_names[codes[0]] = said
        desk.request = request = replace(request, question=request.question.replace(said, codes[0]))
    named = [_put_codes(desk, each, own) for each in (*request.before, request.question)]
    desk.request = replace(request, before=named[:-1], question=named[-1])


def _load_own(desk: ToolDesk) -> Work[list[Symbol]]:
    """Return the securities that were ever traded or are watched."""
    profit = yield from desk.one("account.profit")
    watched = yield from desk.one("watch.list")
    rows = [*wording.rows_of(profit, "positions"), *wording.rows_of(watched, "items")]
    codes = dict.fromkeys(str(row["symbol"]) for row in rows if row.get("symbol"))
    return [from_canonical(code) for code in codes]


def _put_codes(desk: ToolDesk, text: str, own: list[Symbol]) -> str:
    """Return a text with the codes of securities in the places of their short names."""
    if _WISHED.search(text):
        return text
    folded = fold_characters(text)
    for said, symbol in find_own_names(folded, own):
        desk.short_names[symbol.canonical] = said
        text = folded = folded.replace(said, symbol.canonical)
    return text


def read_own_trades(desk: ToolDesk) -> Work[Reply | None]:
    """Put the dates of the owner's trades in a question in which they bound a stretch of time for something else.

    Returns what is said where the journal has no such trade, or several; None where the question can be answered.
    """
    request = desk.request
    if not request.is_words_only:
        return None
    if said := (yield from _put_watched(desk)):
        return said
    request = desk.request
    if _HAPPENED.search(request.question[:LONGEST]) or len(find_mentions(request.question[:LONGEST])) > 1:
        said = yield from _put_that_day(desk)
        if said or desk.request is not request:
            return said
    if not _HINT.search(request.question[:LONGEST]):
        return None
    words = request.question
    mentions = [each for each in find_mentions(words) if each.symbol.kind != "index"]
    if len(mentions) == 1 and _EXTREME.search(words):
        named = re.search(_SINCE.replace("{x}", re.escape(mentions[0].said)), words, re.I)
        if own := _SINCE_IT.search(words) or named:
            return (yield from _put_start(desk, mentions[0], own))
    if len(mentions) == 1 and not _OF_ACCOUNT.search(words) and _CHANGE.search(words):
        own = re.search(_SINCE.replace("{x}", re.escape(mentions[0].said)), words, re.I) or _SINCE_IT.search(words)
        if own and any(own[name] for name in ("which", "nth", "zhwhich")):
            return (yield from _put_start(desk, mentions[0], own))
    for mention in mentions:
        others = [each for each in find_mentions(words) if each.code != mention.code]
        found = re.search(_SINCE.replace("{x}", re.escape(mention.said)), words, re.I)
        rest = f"{words[: found.start()]} {words[found.end() :]}" if found else ""
        if found and (others or _OF_ACCOUNT.search(rest)):
            return (yield from _put_since(desk, mention, found))
        named = re.search(_BETWEEN.replace("{x}", re.escape(mention.said)), words, re.I)
        if named and (mention.said in named[0] or not others):
            return (yield from _put_between(desk, mention, named))
    return None


_CHANGE = pattern(
    r"涨|跌|\b(?:chang\w*|up|down|ris\w+|rose|fall\w*|fell|gain\w*|move[ds]?|moving|done|did|doing)\b", re.I
)
_SINCE_IT = pattern(
    r"\b(?:since|after|from) (?:the (?:day|time) )?(?:(?:i|we) (?P<which>first |last )?(?P<side>bought|purchased|sold)"
    r"(?: (?:it|them|this|mine))?|(?:my|our) (?P<nth>first |last )?(?P<act>purchase|sale)(?: of it)?)"
    r"|(?:自从?|从)?我?(?P<zhwhich>第一次|首次|最后一次)?(?P<zhside>买入?|买进|建仓|卖出?|卖掉|清仓)了?(?:它|这只)?(?:之后|以后|以来|至今|到现在|后)",
    re.I,
)
"""A trade of the security itself that is asked about."""
_EXTREME = pattern(
    r"最[高低]|最[大多]?(?:回撤|跌幅|涨幅)|回撤|高点|低点|新[高低]|[涨跌]得?最|\b(?:highest|lowest|high|low|peak|top|bottom|trough|draw-?down)\b"
    r"|\b(?:biggest|largest|worst|best|steepest|sharpest) (?:(?:one|single)[- ]day |daily )?"
    r"(?:day|drop|fall|loss|decline|rise|gain|jump)s?\b",
    re.I,
)


def _put_start(desk: ToolDesk, mention: Mention, found: re.Match[str]) -> Work[Reply | None]:
    """Put the day from which on an extreme is asked for: of what is held now, the first purchase."""
    said = {"side": "", "act": "", "zhside": "", "did": ""} | found.groupdict()
    side = next(filter(None, (said[name] for name in ("side", "act", "zhside", "did"))))
    which = next(filter(None, (found[name] for name in ("which", "nth", "zhwhich"))), "").strip().casefold()
    sold = bool(_SOLD.search(side))
    rows, _ = yield from load_trades(desk, mention)
    days = sorted({str(row["date"]) for row in rows if row.get("kind") == ("sell" if sold else "buy")})
    if not days:
        return _say_days(desk, mention, days, sold=sold)
    held = [str(row["date"]) for row in purchases_of_held(rows)]
    last = which in ("last", "最后一次") or (sold and not which)
    first = held[0] if held and not sold and not which else days[0]
    day = days[-1] if last else first
    if len(days) > 1 and not which:
        told = desk.speak.join_items([each for each in days if each != day])
        desk.last_lines.append(
            desk.speak("Counted from your last sale, {day}; other sales: {days}.", day=day, days=told)
            if sold
            else desk.speak("Counted from your first purchase, {day}; other purchases: {days}.", day=day, days=told)
        )
    _put_day(desk, mention, found, day)
    return None


def _put_day(desk: ToolDesk, mention: Mention, found: re.Match[str], day: str) -> None:
    """Put a day since which a question asks in the place of an event, whose words may have the security's name."""
    words, (begin, end) = desk.request.question, found.span()
    if mention.said in found[0]:
        begin, words = begin + len(mention.said), f"{words[:begin]}{mention.said}{words[begin:]}"
        end += len(mention.said)
    desk.request = replace(desk.request, question=put_since(words, (begin, end), day))


_WATCHED_SINCE = (
    r"\b(?:since|after|from when) (?:the (?:day|time) )?(?:(?:it|i|we)(?: (?:was|have|has|had|first))*"
    r" (?:put|added|went|got|placed|came|joined|started)"
    r"(?: (?:it|watching it|following it|tracking it))?(?: (?:onto|on|into|in|to)\b)*(?: (?:my|the) watch ?list)?"
    r"|(?:it|i) (?:joined|entered) (?:my|the) watch ?list|i (?:started|began) (?:watching|following|tracking)(?: it)?"
    r"|being (?:put|added) (?:on|onto|to) (?:my|the) watch ?list)"
    r"|(?:自从?|从)?(?:我)?(?:把它)?(?:被)?(?:加入|加进|加到|加|放进|放入|放到|进入|进|列入|关注)了?(?:{x})?(?:我的?)?(?:自选股?(?:列表)?|关注列表|列表)?(?:之后|以后|以来|至今|到现在|后)"
)
_WATCH_WORDS = pattern(r"自选|关注|\bwatch|\bfollowing\b|\btracking\b", re.I)


def _put_watched(desk: ToolDesk) -> Work[Reply | None]:
    """Put the day on which a security went onto the watch list in the place of that event: up since I watch it."""
    request = desk.request
    words = request.question[:LONGEST]
    mentions = [each for each in find_mentions(words) if each.symbol.kind != "index"]
    if len(mentions) != 1 or not _WATCH_WORDS.search(words):
        return None
    found = re.search(_WATCHED_SINCE.replace("{x}", re.escape(mentions[0].said)), words, re.I)
    if found is None or not _WATCH_WORDS.search(found[0]):
        return None
    listed = yield from desk.one("watch.list")
    if listed.failure is not None:
        return wording.unreadable(desk, desk.speak("the watch list"), listed.failure)
    row = next((each for each in wording.rows_of(listed, "items") if each.get("symbol") == mentions[0].code), None)
    name = wording.head_of(desk, mentions[0])
    if row is None:
        return reply_of_lines(desk.speak("{name} is not on the watch list.", name=name))
    if not row.get("since"):
        told = desk.speak("{name} is on the watch list; since when is not written there.", name=name)
        return reply_of_lines(told)
    desk.last_lines.append(desk.speak("On the watch list since {day}.", day=row["since"]))
    _put_day(desk, mentions[0], found, str(row["since"]))
    return None


_RATE = pattern(r"汇率|\b(?:exchange|fx|dollar|usd|hkd) rate\b", re.I)
_PAIRS = {"US": "USD/CNY rate", "HK": "HKD/CNY rate"}
_HAPPEN = pattern(r"\bhappen\w*|发生", re.I)
_HAPPENED = pattern(
    r"\bhappen\w*|发生|汇率|\b(?:exchange|fx|dollar|usd|hkd) rate\b|最高|最低|开盘|成交[量额]|[涨跌]"
    r"|\b(?:highs?|lows?|highest|lowest|open(?:ed|ing)?|range|up|down|green|red|volume|ris\w+|rose|fall\w*|fell)\b",
    re.I,
)
"""What may be asked of the day of a trade, beside its price."""
_THAT_DAY = (
    r"\b(?:on )?the (?:same )?day (?:that |when |of )?(?:(?:i|we) (?P<side>bought|sold|purchased)"
    r"|(?:my|the)(?= (?:first |second |third |last )?(?:purchase|sale)\b))(?: (?:my|the|all|of)\b)*"
    r"(?: (?P<nth>first|second|third|last)\b)?"
    r"(?: (?:lot|batch|tranche|(?P<act>purchase|sale)|bit|part|shares?)\b(?: of)?)?"
    r"(?: (?:{x}|it|them|mine)(?!\w))?(?: shares)?(?: the (?P<time>first|second|third|last) time)?"
    r"|我?(?P<zhnth>第一次|首次|第二次|第三次|最后一次)?(?P<zh>[买卖])(?:入|出|掉|进|了)*(?:{x}|它)?的?(?:那一?天|当天)"
)
_ITS_DAY = pattern(r"^[，,]\s*(?:它|的|当天|那天|当日)+")
_NTH = {
    "first": 0, "second": 1, "third": 2, "last": -1, "第一次": 0, "首次": 0, "第二次": 1, "第三次": 2, "最后一次": -1,
}  # fmt: skip


def _put_that_day(desk: ToolDesk) -> Work[Reply | None]:
    """Put the date of the one trade whose day is asked about: what happened the day I sold CATL."""
    words = desk.request.question
    mentions = [each for each in find_mentions(words) if each.symbol.kind != "index"]
    for mention in mentions:
        found = re.search(_THAT_DAY.replace("{x}", re.escape(mention.said)), words, re.I)
        if found is None or not (len(mentions) == 1 or mention.said in found[0]):
            continue
        sold = bool(_SOLD.search(found["side"] or found["act"] or found["zh"] or ""))
        days = yield from _load_dates(desk, mention, sold=sold)
        if nth := (found["nth"] or found["time"] or found["zhnth"] or "").casefold():
            days = days[_NTH[nth] :][:1]
        if len(days) != 1:
            return _say_days(desk, mention, days, sold=sold)
        if _RATE.search(words):
            pair = _PAIRS.get(mention.symbol.market, "")
            if pair:
                desk.request = replace(desk.request, question=f"{pair} {days[0]}")
            return None
        told_by_day = len(mentions) > 1 or _HAPPEN.search(words) is not None
        rest = words[: found.start()] + words[found.end() :]
        name = "" if told_by_day or mention.said in rest else f" {mention.said}"
        put = days[0] if found["zh"] else f"on {days[0]}"
        head, tail = words[: found.start()].rstrip(), words[found.end() :].lstrip()
        named_too = [f"{span.first}" for span in find_time_spans(head, desk.request.moment.date()) if span.kind == DAY]
        if named_too == [days[0]]:  # the day is named beside it: 2月5日我买茅台那天
            put, head = "", head.rstrip(" ,，")
        tail = _ITS_DAY.sub("", tail) if found["zh"] else tail
        question = f"{head}{name} {put} {tail}"
        desk.request = replace(desk.request, question=re.sub(r" (?=[,?.]|$)", "", question).strip())
        return None
    return None


def _load_dates(desk: ToolDesk, mention: Mention, *, sold: bool) -> Work[list[str]]:
    """Return the days on which the owner bought, or sold, a security."""
    listed = yield from desk.one("trade.list", symbol=mention.code, limit=200)
    kind = "sell" if sold else "buy"
    return sorted({str(row["date"]) for row in wording.rows_of(listed.value) if row.get("kind") == kind})


def _put_since(desk: ToolDesk, mention: Mention, found: re.Match[str]) -> Work[Reply | None]:
    said = next(filter(None, (found[name] for name in ("side", "did", "act", "zhside"))))
    which = next(filter(None, (found[name] for name in ("which", "nth", "zhwhich"))), "").strip()
    days = yield from _load_dates(desk, mention, sold=bool(_SOLD.search(said)))
    if which:
        days = days[:1] if which.casefold() in ("first", "第一次", "首次") else days[-1:]
    if len(days) != 1:
        return _say_days(desk, mention, days, sold=bool(_SOLD.search(said)))
    words = desk.request.question
    question = f"{words[: found.start()]} since {days[0]} {words[found.end() :]}".strip()
    desk.request = replace(desk.request, question=question)
    return None


def _put_between(desk: ToolDesk, mention: Mention, found: re.Match[str]) -> Work[Reply | None]:
    sold = bool(_SOLD.search(found["sides"] or found["zhsides"]))
    days = yield from _load_dates(desk, mention, sold=sold)
    if len(days) != 2:
        return _say_days(desk, mention, days, sold=sold)
    words = desk.request.question
    left = f"{words[: found.start()]} from {days[0]} to {days[1]} {words[found.end() :]}"
    if not [each for each in find_mentions(left) if each.symbol.kind != "index"]:  # the dates have taken its name
        left = f"{mention.said} {left}"
    desk.request = replace(desk.request, question=left)
    return None


def _say_days(desk: ToolDesk, mention: Mention, days: list[str], *, sold: bool) -> Reply:
    """Return that a trade is not in the journal, or its days, one of which has to be meant."""
    speak, name = desk.speak, wording.head_of(desk, mention)
    if not days:
        none = (
            speak("{name}: the journal has no sale of it.", name=name)
            if sold
            else speak("{name}: the journal has no purchase of it.", name=name)
        )
        return reply_of_lines(none)
    told = speak.join_items(days)
    return reply_of_lines(
        speak("{name}: you sold it on {days}. Write the date that you mean.", name=name, days=told)
        if sold
        else speak("{name}: you bought it on {days}. Write the date that you mean.", name=name, days=told)
    )._replace(understood=False)
