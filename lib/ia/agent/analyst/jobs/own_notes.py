"""What the owner wrote: found by every name of a security, by words, by the day, or listed newest first."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from ia.agent.analyst.ask.facts import industry_forms
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import EVER, FUTURE, UNREAD, TimeSpan, find_time_spans
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence import past_views
from ia.agent.analyst.evidence.stated_view import MARK
from ia.agent.analyst.evidence.tool_answers import closes_of, display_name, recall_hits
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.domain.instruments.symbols import bundled_names, english_names
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

ALL_DAYS = "9999"
"""A day after all others: nothing is too new to be told of."""
RECALLED, SHOWN = 20, 8
"""Hits of a search that are looked through; and passages that an answer has."""
WHOLE = 600
"""Characters of the owner's text up to which it is told whole."""
NAMES = 6
"""Names of a security that are searched for."""
_FILLER = pattern(
    r"我们?|你们?|给?自己|出来|什么价|多少钱|原则|规矩|担心|顾虑|东西|打算|计划|准备|什么时候|何时|哪一?天|几号|啥时候|上回|为什么|为啥|关注|跟踪|自选|改变|变化|怎么变|理由|原因|之前|以前|上次|最近|过去|曾经|原来|怎么看|怎么说|怎么想|说过|写过|记过|看法|判断|记录|观点|研究过?|什么|哪些|关于"
    r"|有关|来着|笔记|日志|日记|信念|观察|教训|经验|想法|看看|给我看|帮我|查找?|搜索?|找|列出|显示|全部|所有|里面?|内容|中"
    r"|对|的|吗|么|呢|是|了|过|都|还|有|写|记得?|说|提到?|想|看|请问|请|告诉|一下|条|篇|[？?，。,.!！]"
    r"|\b(?:what|which|when|where|did|have|has|do|does|was|were|is|are|any|i|we|you|my|mine|our|me|say|said|write|written|wrote|mention(?:ed)?|think"
    r"|thought|believed?|beliefs?|note[sd]?|journal|diary|observations?|my|views?|opinions?|takes?|minds?|thinking|thesis|plans?|worr(?:y|ies)|concerns?|fears?|principles?|change[ds]?|and|or|how|your|just|ever|track|watch|follow|why|ask(?:ed)?|stocks?|about|on|of|for|in|from|to|with|the|a|an|all|before"
    r"|earlier|last|time|remember|tell|show|search|find|look|up|through|list|open|read|please|down|memory|memories|keep|kept"
    r"|take|most|recent|recently|latest|lately|newest|anything|something|everything|according|got|at)\b",
    re.I,
)

_GENITIVE = pattern(r"(?<!\w)['’]s\b|(?<=\b[Ii])['’](?:d|ll|ve)\b")
"""What is left of a name's genitive once the name is taken out."""
_LEVEL = pattern(
    r"我[^，,。]{0,8}(?:说|写|记|定)过?的[^，,。]{0,8}(?:价|点位|位置)"
    r"|\b(?:price|level)s? (?:that )?i (?:noted|said|wrote|set|named|gave)\b"
    r"|\bmy (?:noted )?(?:add|buy|exit|sell)[- ](?:price|level)\b",
    re.I,
)
"""A question for the price that the owner wrote down, and what such a note says."""
OWN_TARGET = pattern(
    r"(?:我|自己)[^，,。]{0,8}目标|目标[价位][^，,。]{0,8}我|\b(?:my|our)\b.{0,20}\b(?:target|price target)s?\b"
    r"|\b(?:target|price target)s?\b.{0,24}\b(?:i|we|my)\b|\b(?:did|do|have) i\b.{0,30}\btargets?\b",
    re.I,
)
"""A question for the target price of the owner's own."""
_AIM = r"\d+(?:\.\d+)?)(?![\d.]*\s*(?:%|％|[日天周月年股手成倍]|days?\b|weeks?\b|shares?\b))"
_LEVEL_TOLD = pattern(
    r"(?:跌到|跌至|跌破|回到|回落到|低于|\b(?:below|under)\b|\b(?:falls?|drops?|dips?|down) to\b)\s*(?P<below>"
    + _AIM
    + r"|(?:涨到|涨至|涨过|升到|突破|站上|高于|\b(?:above|over)\b|\b(?:rises?|climbs?|up) to\b)\s*(?P<above>"
    + _AIM
    + r"|(?<![\d.])(?P<under>\d+(?:\.\d+)?)(?:元|块|港元|美元)?(?:以下|之下)"
    + r"|(?<![\d.])(?P<beyond>\d+(?:\.\d+)?)(?:元|块|港元|美元)?(?:以上|之上)",
    re.I,
)
_CHANGED = pattern(r"变|改|\bchange", re.I)
_MACHINE_VIEW = pattern(r"你|\byour\b", re.I)
"""Words of a question whether a view changed, and whose view it asks for."""
_WROTE = pattern(
    r"我(?:自己)?.{0,6}(?:写|记|说|提到?)[过了的]?"
    r"|\b(?:i|we) (?:\w+ )?(?:wrote|written|write|noted?|said|say|jotted)\b|\bmy (?:own )?(?:notes?|words|writing)\b",
    re.I,
)
"""Words of a question for what the owner wrote, not for all that is stored."""
_JOURNAL = pattern(r"日志|日记|\bjournal\b|\bdiary\b", re.I)
_BELIEFS = pattern(r"信念|\bbeliefs?\b|\bbelieve\b", re.I)
_MACHINE = ("notebook/reports/", "memory/reflections/", "memory/MEMORY", "memory/tracking", "memory/soul")
_REFLECTIONS = "memory/reflections/"
"""Where changes of memory are told in the owner's words."""
MOST_BELIEFS = 8
"""Beliefs that are shown whole where none of them has the words that were asked for."""
_DATA_LINE = "<!-- ia-"
"""How the data line begins that is below what ia wrote itself."""
_DAY = pattern(r"\d{4}-\d\d-\d\d")


def find_own_words(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Answer what the owner wrote: of a security, of a subject, of a day; without any of them the newest."""
    plain = strip_mentions(wanted.words)
    spans = find_time_spans(plain, desk.request.moment.date())
    for each in spans:
        plain = plain[: each.at[0]] + " " * (each.at[1] - each.at[0]) + plain[each.at[1] :]
    unread = [each.said for each in spans if each.kind in (UNREAD, FUTURE)]
    if unread or len(spans) > 1:
        yield from ()
        return wording.ask_back(desk, tuple(unread or [each.said for each in spans[1:]]))
    span = spans[0] if spans else None
    topics = [word for word in _FILLER.sub(" ", _GENITIVE.sub(" ", plain)).split() if len(word) > 1 or word.isdigit()]
    if _PLAYBOOK.search(wanted.words):
        return (yield from _quote_playbook(desk, [word for word in topics if not _PLAYBOOK.search(word)]))
    if wanted.securities and (wish := _PRICE_WISH.search(wanted.words)):
        return (yield from quote_wish(desk, wanted.securities[0], wish[0], spans=spans))
    if wanted.securities and OWN_TARGET.search(wanted.words):
        return (yield from quote_target(desk, wanted.securities[0], spans=spans))
    if wanted.securities and _LEVEL.search(wanted.words):
        return (yield from compare_level(desk, wanted.securities[0], wanted.words))
    if wanted.securities:
        changed = _CHANGED.search(wanted.words)
        by = None if changed is None else not _MACHINE_VIEW.search(wanted.words)
        if len(wanted.securities) == 2 and by is None and not topics:
            one = yield from _of_security(desk, wanted.securities[0], topics, span)
            other = yield from _of_security(desk, wanted.securities[1], topics, span)
            return Reply(one.lines + other.lines, one.points + other.points, [*one.evidence, *other.evidence])
        return (yield from _of_security(desk, wanted.securities[0], topics, span, by))
    if topics:
        beliefs, own = bool(_BELIEFS.search(wanted.words)), bool(_WROTE.search(wanted.words))
        found = yield from _of_subject(desk, topics, span, beliefs=beliefs, own=own)
        if found.understood or not _LEARNED.search(desk.request.question):
            return found
        learned = yield from list_notes(desk, wanted.words, span, only=OBSERVATIONS)
        return reply.reply_of_lines(*found.lines, *learned.lines)
    observed = _OBSERVED.search(wanted.words) and not _NOTED.search(wanted.words)
    return (yield from list_notes(desk, wanted.words, span, only=OBSERVATIONS if observed else None))


_OBSERVED, _NOTED = (
    pattern(r"观察|教训|经验|\bobservations?\b", re.I),
    pattern(r"笔记|日[志记]|\b(?:notes?|journal)\b", re.I),
)
_LEARNED = pattern(r"教训|\blessons?\b", re.I)
OBSERVATIONS = pattern(r"(?:notebook|memory)/observations?/")
"""Where observations are, in which the owner keeps what was learned."""


def _names_asked(desk: ToolDesk, mention: Mention) -> tuple[str, ...]:
    """Return what a security is called, the short name that the question has for it first."""
    short = desk.short_names.get(mention.code)
    return tuple(dict.fromkeys((short, *names_of(mention)))) if short else names_of(mention)


def names_of(mention: Mention) -> tuple[str, ...]:
    """Return what a security is called: as the owner says, its name, English name, code and nicknames.

    >>> from ia.agent.analyst.ask.mentions import find_mentions
    >>> names_of(find_mentions("Tesla")[0])[:4]
    ('Tesla', '特斯拉', 'TSLA.US', 'TSLA')
    """
    symbol = mention.symbol
    folded = next((names for each, names in bundled_names() if each.canonical == symbol.canonical), ())
    found = [
        mention.said,
        mention.name,
        symbol.canonical,
        symbol.code,
        english_names().get(symbol.canonical, ""),
        *folded,
    ]
    kept: dict[str, str] = {}
    for name in found:
        if len(name) > 1:
            kept.setdefault(name.casefold(), name)
    return tuple(kept.values())


def _spellings(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names as they may stand in a text: in small letters, in capitals, and as a title."""
    return tuple(dict.fromkeys(form for name in names for form in (name, name.lower(), name.upper(), name.title())))


def _within(hit: Json, span: TimeSpan | None) -> bool:
    """Return True if a passage is of the time that was asked for."""
    if span is None or span.last is None or span.kind == EVER:
        return True
    first = span.first or span.last - timedelta(days=round(span.sessions * 7 / 5))
    if first == span.last and _ABOUT_THEN.search(span.said):
        first = first - timedelta(days=_AROUND)
        return (day := _day_of(hit)) is not None and f"{first}" <= day <= f"{span.last + timedelta(days=_AROUND)}"
    return (day := _day_of(hit)) is not None and f"{first}" <= day <= f"{span.last}"


def _day_of(hit: Json) -> str | None:
    """Return the day of a passage: of its path, else its date."""
    dated = _DAY.search(str(hit.get("source"))) or _DAY.search(str(hit.get("date") or ""))
    return dated[0] if dated else None


_ABOUT_THEN = pattern(r"[月年]?[初底末]|\b(?:end|beginning|start|early|late|mid|middle)\b", re.I)
_AROUND = 4
"""Days around the end or the beginning of a month within which a note is of then."""


def _unreachable(desk: ToolDesk, found: DeskResult) -> Reply:
    speak = desk.speak
    assert found.failure is not None
    why = speak("there is no tool to search the memory") if found.missing else describe_failure(speak, found.failure)
    return reply.reply_of_lines(speak("It cannot be looked up: {reason}.", reason=why))


def _all_beliefs(desk: ToolDesk) -> Work[list[str]]:
    """Return the owner's beliefs as they stand in memory, the newest last; [] where there are none, or too many."""
    found = yield from desk.one("memory.beliefs")
    lines = [f"- {row['belief']}" for row in wording.rows_of(found, "beliefs")] if found.ok else []
    return lines if len(lines) <= MOST_BELIEFS else []


def _of_subject(
    desk: ToolDesk, topics: list[str], span: TimeSpan | None, *, beliefs: bool, own: bool = False
) -> Work[Reply]:
    """Answer what memory and notes hold about words, the owner's first; of beliefs alone where they are asked for.

    own    only what the owner wrote is asked for: what ia wrote is counted, not shown
    """
    speak, said, hits = desk.speak, topics, list[Json]()
    for topics in (said, *(yield from _widen(desk, said))):
        found = yield from desk.one("memory.recall", query=" ".join(topics), limit=RECALLED)
        if found.failure is not None:
            return _unreachable(desk, found)
        hits = [
            entry
            for hit in recall_hits(found.value)
            if hit.get("kind") != "question" and _within(hit, span)
            for entry in past_views.split_entries(hit)
            if entry is hit or _tells_of(str(entry["content"]), topics)
        ]
        if hits:
            break
    query = " ".join(topics if hits else said)
    if beliefs:
        hits = [hit for hit in hits if hit.get("kind") == "belief"] or hits
    written = [hit for hit in hits if hit.get("author") == "owner"][:SHOWN]
    others = [
        hit
        for hit in hits
        if hit.get("author") != "owner" and not (written and str(hit.get("source")).startswith(_REFLECTIONS))
    ]
    if not hits:
        every = (yield from _all_beliefs(desk)) if beliefs else []
        nothing = speak('Nothing about "{query}" was found in memory or notes.', query=query)
        told = reply.reply_of_lines(nothing, *([speak("All beliefs (`memory/beliefs.md`):"), *every] if every else []))
        return told._replace(understood=beliefs)  # it may have asked for something else
    if own and not written:
        return reply.reply_of_lines(
            speak('You wrote nothing about "{query}".', query=query), *_say_left_out(desk, query, len(others))
        )
    lines = [f"- {_format_passage(desk, hit, topics)}" for hit in written]
    machine = [] if own else [f"- {_format_passage(desk, hit, topics)}" for hit in others[: SHOWN - len(lines)]]
    head = (
        speak('You wrote about "{query}":', query=query)
        if written and (own or machine)
        else speak('About "{query}", memory and notes hold:', query=query)
    )
    between = [speak("Not by you:")] if written and machine else []
    after = _say_left_out(desk, query, len(others)) if own else []
    sources = [str(hit["source"]) for hit in (written if own else [*written, *others])[:SHOWN]]
    return Reply([head, *lines, *between, *machine, *after], [*lines, *machine], sources)


_WEAK = pattern(r"(?:re-?)?(?:buy|sell)(?:ing)?|add(?:ing)?|again|more|back|[再又]?[买卖]|加仓|再", re.I)
"""Words of a subject without which it still is one."""


def _widen(desk: ToolDesk, topics: list[str]) -> Work[list[list[str]]]:
    """Return what else is searched for where nothing has all the words: other words for an industry, too."""
    content = [topic for topic in topics if not _WEAK.fullmatch(topic)]
    found = [content] if content and content != topics else []
    if content:
        yield from desk.load_tables("facts_market")
        whole = " ".join(content)
        forms = industry_forms(whole, (), desk.tables)
        plain = _FILLER.sub(" ", _GENITIVE.sub(" ", strip_mentions(desk.request.question)))
        said = [word.removesuffix("股") for word in plain.split() if len(word) > 1]  # as the owner calls it
        found += [said] if said and said != content else []
        names = [name for form, name in forms if form.fullmatch(whole)]
        found += [[short] for name in names if (short := _INDUSTRY_END.sub("", name)) not in content]
    return found


_INDUSTRY_END = pattern(r"(?:设备|行业|概念|服务|制造|及元件|元件)\Z")


def _say_left_out(desk: ToolDesk, query: str, count: int) -> list[str]:
    """Return how many passages that the owner did not write are left out."""
    if not count:
        return []
    told = PluralText(
        "Not shown: {count} passage that you did not write; `ia recall {query}` lists it.",
        "Not shown: {count} passages that you did not write; `ia recall {query}` lists them.",
    )
    return [desk.speak(told, count=count, query=query)]


_DID_WRITE = pattern(
    r"^\W*(?:did|have|had) i (?:ever |already )?(?:write|written|note|noted|jot)"
    r"|(?:我|有没有|是否|是不是)[^，,。]{0,6}(?:写|记)[过了下][^，,。]*(?:吗|没有?|么)\W*$|(?:我)?有没有(?:写|记)过",
    re.I,
)
_OWN_NOTE = pattern(r"notebook/(?!reports/)")
"""Asks whether the owner wrote of a security; and where that would be."""


def _of_security(
    desk: ToolDesk, mention: Mention, topics: list[str], span: TimeSpan | None, by: bool | None = None
) -> Work[Reply]:
    """Answer what memory and notes hold on a security, by whatever name: the owner's words first, newest first.

    by   only the owner's views (True) or a machine's (False), oldest first, to see whether they changed
    """
    speak = desk.speak
    names = _names_asked(desk, mention)
    calls = [DeskCall("memory.recall", {"query": name, "limit": RECALLED}) for name in names[:NAMES]]
    calls += [DeskCall("market.ohlcv", {"symbol": mention.code, "tail": 120})]
    *searches, bars = yield from desk.run(*calls)
    if all(found.failure is not None for found in searches):
        return _unreachable(desk, searches[0])
    hits: dict[str, Json] = {}
    for hit in [hit for found in searches if found.ok for hit in recall_hits(found.value)]:
        if hit.get("kind") != "question" and _within(hit, span):
            hits.setdefault(str(hit["source"]), hit)
    chosen = yield from _drop_other_trades(desk, mention, list(hits.values()))
    forms = _spellings(names)
    yield from past_views.read_whole(desk, chosen, forms, ALL_DAYS)
    sources: list[str] = []
    lines = _about(desk, forms, chosen, bars if bars.ok else None, sources, by)
    if not lines and by is None:
        named = [hit for hit in chosen if any(form in f"{hit.get('source')} {hit.get('content')}" for form in forms)]
        lines, sources = (
            [f"- {_format_passage(desk, hit, topics)}" for hit in named],
            [str(hit["source"]) for hit in named],
        )
    if not lines and by is not None:
        kept = "No view of yours on {name} is kept." if by else "No view of mine on {name} is kept."
        return reply.reply_of_lines(speak(kept, name=display_name(desk, mention)))
    if not lines and mention.symbol.kind == "etf" and mention.said not in (mention.name, mention.symbol.code):
        return (yield from _of_subject(desk, [mention.said], span, beliefs=False, own=True))
    if not lines:
        name = display_name(desk, mention)
        return reply.reply_of_lines(
            speak("Memory and notes hold nothing on {name} of “{time}”.", name=name, time=span.said)
            if span
            else speak("Memory and notes hold nothing on {name}.", name=name)
        )
    if topics:
        lines.sort(key=lambda line: not _tells_of(line, topics))
    other = [topic for topic in topics if not any(_tells_of(line, [topic]) for line in lines)]
    beside = yield from _of_subject(desk, other, span, beliefs=False) if other else _say_nothing()
    simulated = bool(bars.ok and bars.get("simulated"))
    head = speak(
        "On {name} there is (your own words first, newest first){simulated}:"
        if by is None
        else "Your views on {name}, oldest first{simulated}:"
        if by
        else "My views on {name}, oldest first{simulated}:",
        name=display_name(desk, mention),
        simulated=speak("; prices are simulated") if simulated else "",
    )
    room = SHOWN - len(beside.lines[:4])
    more = [speak("… {count} more: `ia recall {name}`", count=len(lines) - room, name=mention.said)]
    told = [*lines[:room], *(more if len(lines) > room else []), *beside.lines[:4]]
    none = []
    if not span and _DID_WRITE.search(desk.request.question) and not any(map(_OWN_NOTE.match, sources)):
        none = [speak("You wrote no note on {name}; `ia note list` lists the notes.", name=display_name(desk, mention))]
    return Reply([*none, head, *told], told, sources[:SHOWN])


def _drop_other_trades(desk: ToolDesk, mention: Mention, hits: list[Json]) -> Work[list[Json]]:
    """Return hits without the trades of other securities, whose reason names this one."""
    if not any(hit.get("kind") == "trade" for hit in hits) or not desk.has("trade.list"):
        return hits
    listed = yield from desk.one("trade.list", symbol=mention.code, limit=RECALLED * 10)
    own = {f"trades/{row.get('id')}" for row in wording.rows_of(listed.value)}
    return [hit for hit in hits if hit.get("kind") != "trade" or hit.get("source") in own]


_PLAYBOOK = pattern(r"手册|\bplaybook\b|(?<![a-z])playbook", re.I)
PLAYBOOK = "notes/playbook.md"
"""The note of the owner's rules of trading, which comes along in each turn."""


def _quote_playbook(desk: ToolDesk, topics: list[str]) -> Work[Reply]:
    """Answer with the lines of the owner's playbook that tell of the topics; without topics with its first ones."""
    speak = desk.speak
    found = yield from desk.one("notebook.read", path=PLAYBOOK)
    if found.failure is not None:
        return reply.reply_of_lines(speak("There is no playbook yet: `ia note {path} TEXT` begins it.", path=PLAYBOOK))
    rows = [line for line in str(found.value).splitlines() if line.strip() and not line.startswith(_DATA_LINE)]
    stop = any(_STOP.search(topic) or topic.casefold() in ("stops", "stop") for topic in topics)
    stems = _stems(topics)
    told = [line for line in rows if not topics or _tells_of(line, stems) or (stop and _STOP.search(line))]
    if not told:
        return reply.reply_of_lines(
            speak("`notebook/{path}` says nothing of {topics}.", path=PLAYBOOK, topics=speak.join_items(topics))
        )
    more = [speak("… more: `ia note read {path}`", path=PLAYBOOK)] if len(told) > SHOWN else []
    return reply.reply_of_lines(f"`notebook/{PLAYBOOK}`{speak(': ')}", *told[:SHOWN], *more)


_PRICE_WISH = pattern(
    r"(?:什么价|多少钱|哪个价|几块|到多少|什么价位)[^，,。]{0,6}(?:买|卖|加|减|清|进|出)|(?:买入|买进|入手|卖出)价"
    r"|\b(?:what|which) price (?:did|do) i\b.{0,48}\b(?:buy|sell|add|trim|exit|get (?:in|out))\b",
    re.I,
)
"""A question for the price at which the owner meant to trade."""
_PRICE = pattern(r"价|多少钱|几块|点位|位置|到多少|\b(?:price|level)s?\b", re.I)
_BUYING_WISH = pattern(r"[买加进]|\b(?:buy|add|get in)\b", re.I)
_BUYING = pattern(r"[买进]|加仓|建仓|\b(?:buy|add|entry|enter)\b", re.I)
_NO_PRICE, _OF_PRICE = mark_text("your notes name no such price."), mark_text("you wrote of a price:")
_SELLING = pattern(r"卖|目标|止盈|减仓|清仓|\b(?:sell|targets?|trim|exit|take profits?)\b", re.I)


def quote_target(
    desk: ToolDesk, mention: Mention, *, stop: bool = False, spans: Sequence[TimeSpan] = ()
) -> Work[Reply]:
    """Answer with what the owner's notes say of a target price or a stop, word for word, beside the last close.

    spans  when the notes were written; any time where there is none
    """
    none = (
        mark_text("your notes name no stop.")
        if stop
        else mark_text("your notes name no target price, and I give none.")
    )
    wrote = mark_text("you wrote of a stop:") if stop else mark_text("you wrote of a target price:")
    form, levels = (_STOP, (_STOP_AT, _TARGET_AT)) if stop else (_TARGET, (_TARGET_AT, _STOP_AT))
    return (yield from _quote_price(desk, mention, form, none, wrote, levels, spans))


_TARGET_AT = pattern(
    r"(?:目标(?:价位?|位)?|\btarget(?: price)?)[^\d，,。.;；]{0,24}?[$¥]?(?P<n>\d[\d,]*(?:\.\d+)?)"
    r"(?![\d.,]*(?:\d|\s*(?:%|％|倍|年|月)))",
    re.I,
)
"""A target price in a note."""


def quote_wish(desk: ToolDesk, mention: Mention, words: str, *, spans: Sequence[TimeSpan] = ()) -> Work[Reply]:
    """Answer with what the owner's notes say of a purchase or a sale that is meant, and how far its price is.

    spans  when the notes were written; any time where there is none
    """
    form = _BUYING if _BUYING_WISH.search(strip_mentions(words)) else _SELLING
    if _PRICE.search(words):
        return (yield from _quote_price(desk, mention, form, _NO_PRICE, spans=spans))
    if form is _BUYING:
        none, wrote = mark_text("your notes say nothing of buying it."), mark_text("you wrote of buying:")
    else:
        none, wrote = mark_text("your notes say nothing of selling it."), mark_text("you wrote of selling:")
    return (yield from _quote_price(desk, mention, form, none, wrote, spans=spans))


def _quote_price(
    desk: ToolDesk,
    mention: Mention,
    form: re.Pattern[str],
    none: str,
    wrote: str = _OF_PRICE,
    levels: tuple[re.Pattern[str], ...] = (),
    spans: Sequence[TimeSpan] = (),
) -> Work[Reply]:
    """Answer with what the owner's notes say in words of a form, beside the last close, and how far that is from it.

    spans   when the notes were written
    levels  find the prices in notes of targets and stops; a distance is told where the notes name just one

    Of a purchase or a sale that is meant it is said first.
    """
    speak, name, names = desk.speak, wording.head_of(desk, mention), _names_asked(desk, mention)
    *searches, bars = yield from desk.run(
        *(DeskCall("memory.recall", {"query": each, "limit": RECALLED}) for each in names[:NAMES]),
        DeskCall("market.ohlcv", {"symbol": mention.code, "tail": 1}),
    )
    hits = {str(hit["source"]): hit for found in searches if found.ok for hit in recall_hits(found.value)}
    own = [hit for hit in hits.values() if hit.get("author") == "owner" and hit.get("kind") != "question"]
    planned = form in (_BUYING, _SELLING)
    own = [hit for hit in own if not (planned and str(hit["source"]).startswith("trades/"))]
    own = yield from _drop_other_trades(desk, mention, own)
    views = past_views.find_views(own, _spellings(names), [], ALL_DAYS, speak)
    spans = [each for each in spans if not each.first == each.last == desk.request.moment.date()]
    if len(spans) > 1 or any(each.first is None or each.last is None for each in spans):
        return wording.ask_back(desk, tuple(each.said for each in spans))
    told = [item for item in views if form.search(item.said)]
    for span in spans:
        told = [item for item in told if f"{span.first}" <= item.date <= f"{span.last}"]
        if not told:
            return reply.reply_of_lines(
                speak("{name}: your notes of “{time}” say nothing of it.", name=name, time=span.said)
            )
    closes = closes_of(bars.value) if bars.ok else []
    mark = wording.simulated_mark(desk, bool(bars.get("simulated")))
    last = [speak("The close of {day} is {price}.", day=day, price=f"{price:.2f}") + mark for day, price in closes[-1:]]
    if not told:
        return reply.reply_of_lines(f"{name}{speak(': ')}{speak(none)}")
    quotes = _quote_views(desk, told)
    for named in levels if closes else ():
        prices = {next(filter(None, at.groups())) for item in told for at in named.finditer(item.said)}
        if len(prices) == 1:
            last.append(_say_gap(desk, float(prices.pop().replace(",", "")), closes[-1][1], stop=named is _STOP_AT))
    meant = {level for item in told for level in _find_levels(item.said, form)} if planned else set[float]()
    others = {each.code for item in told for each in find_mentions(item.said)} - {mention.code}
    if len(meant) == 1 and closes and not others:
        (level,), (day, close) = meant, closes[-1]
        given: Json = {"name": name, "level": f"{level:g}", "change": wording.say_percent((level / close - 1) * 100)}
        head = speak("{name}: your price is **{level}**, **{change}** from the close of {day}, {close}.{mark}", **given,
                     day=day, close=f"{close:.2f}", mark=mark)  # fmt: skip
        return reply.reply_of_lines(head, *quotes)
    return reply.reply_of_lines(f"{name}{speak(': ')}{speak(wrote)}", *quotes, *last)


def _say_gap(desk: ToolDesk, level: float, close: float, *, stop: bool) -> str:
    """Return how far a close is from a target price or a stop that a note names."""
    gap: Json = {"target": f"{level:,g}", "rate": wording.say_percent((level / close - 1) * 100),
                 "gap": f"{level - close:+,.2f}"}  # fmt: skip
    if stop:
        return desk.speak("From that close to the stop of {target}: **{rate}** ({gap}).", **gap)
    return desk.speak("From that close to {target}: **{rate}** ({gap}).", **gap)


def _find_levels(text: str, form: re.Pattern[str]) -> list[float]:
    """Return the prices that the clauses of a text name which have words of a form.

    >>> _find_levels("出口增长40%，80以下想买。120以上再卖", _BUYING), _find_levels("目标价820，止损640。", _TARGET)
    ([80.0], [820.0])
    """
    found = [_LEVEL_SAID.finditer(clause) for clause in _CLAUSE.split(text) if form.search(clause)]
    return [float(next(filter(None, match.groups()))) for matches in found for match in matches]


def find_noted_prices(text: str) -> dict[str, list[float]]:
    """Return the prices that a note names: targets, stops, and levels to buy or to sell at.

    >>> find_noted_prices("Target price for Moutai is 820, stop at 640. I would buy below 600, sell below 35%.")
    {'target': [820.0], 'stop': [640.0], 'buy': [600.0]}
    """
    found = {
        "target": [match["n"] for match in _TARGET_AT.finditer(text)],
        "stop": [next(filter(None, match.groups())) for match in _STOP_AT.finditer(text)],
    }
    prices = {kind: [float(said.replace(",", "")) for said in told] for kind, told in found.items()}
    prices["buy"] = _find_levels(text, _BUYING)
    prices["sell"] = [each for each in _find_levels(text, _SELLING) if each not in (*prices["target"], *prices["stop"])]
    return {kind: list(dict.fromkeys(told)) for kind, told in prices.items() if told}


def find_sale_words(text: str) -> str:
    """Return the clause of a note that says what a sale waits for; "" for none, and for what was sold.

    >>> find_sale_words("Margins hold. What would make me sell: market share below 35%.")
    'What would make me sell: market share below 35%'
    """
    clauses = [clause.strip() for clause in _CLAUSE.split(text)]
    return next((each for each in clauses if _SALE.search(each) and not _SOLD.search(each)), "")


_SALE = pattern(r"卖|减仓|清仓|\b(?:sell|trim|exit)\b", re.I)
_SOLD = pattern(r"[卖减清]仓?[了过]|分[两几]次卖|\bsold\b|\bnext time\b", re.I)


_CLAUSE = pattern(r"[，,。；;！!？?\n]|\.(?!\d)| / ")
_LEVEL_SAID = pattern(
    r"(?<![\d.])(\d+(?:\.\d+)?)(?:元|块|港元|美元)?(?:以下|之下|以上|之上|左右|附近)"
    r"|(?:跌到|跌至|跌破|回到|回落到|低于|涨到|涨至|涨过|突破|站上|高于|目标价?位?(?:是|为|看|到|在)?"
    r"|\b(?:below|under|above|over|at|around|to|is|of)\b|\btargets?(?: price)?)\s*(" + _AIM,
    re.I,
)
"""A price in a clause of a note."""


def find_noted_stop(desk: ToolDesk, mention: Mention) -> Work[tuple[float, str, str] | None]:
    """Return the stop that the owner's newest note of it names: the price, the day and the path; None without one."""
    names = _names_asked(desk, mention)
    searches = yield from desk.run(
        *(DeskCall("memory.recall", {"query": each, "limit": RECALLED}) for each in names[:NAMES])
    )
    hits = {str(hit["source"]): hit for found in searches if found.ok for hit in recall_hits(found.value)}
    own = [hit for hit in hits.values() if hit.get("author") == "owner" and hit.get("kind") != "question"]
    own = yield from _drop_other_trades(desk, mention, own)
    views = past_views.find_views(own, _spellings(names), [], ALL_DAYS, desk.speak)
    told = [(item, level) for item in views if (level := _STOP_AT.search(item.said))]
    if not told:
        return None
    item, level = max(told, key=lambda pair: str(pair[0].date))
    said = next(text for text in level.groups() if text)
    return float(said.replace(",", "")), str(item.date), str(item.source)


_STOP_AT = pattern(
    r"(?:止损(?:价|位|线|点)?|\bstop(?:[- ]?loss)?(?: price| level)?)[\s:：]*"
    r"(?:设|放|定|挂|改|调|是|在|到|于|为|成|is|was|set|placed|moved|raised|goes|at|to|of|below)*"
    r"(?:\s+(?:at|to|of|below|is))?[\s:：]*(?:hk|us)?[$¥]?(\d[\d,]*(?:\.\d+)?)"
    r"(?![\d.,]*(?:\d|\s*(?:%|％|per ?cent|个?点|日|天|月|days?|true ranges?|倍?真实波幅)))"
    r"|(?<![\d.-])(\d[\d,]*(?:\.\d+)?)\s*(?:元|块)?\s*(?:就|则|处)?止损",
    re.I,
)
"""A stop with its price in a note."""


_STOP = pattern(r"止损|跌破.{0,8}[就要]?(?:卖|走|出|清)|\bstop(?:[- ]?loss)?\b", re.I)
NOTED = pattern(r"我(?:写|记|定)(?:下|过)?的|写过|笔记|\b(?:i wrote|i noted|wrote down|in my notes?)\b", re.I)
"""What the owner wrote is asked for, and not what the rules say."""
_TARGET = pattern(r"目标|\btargets?\b", re.I)


def asks_for_noted_target(words: str) -> bool:
    """Return whether a target price is asked for that may stand in the notes: nobody else's is.

    >>> [asks_for_noted_target(text) for text in ("target price of CATL", "what is your target", "茅台目标价")]
    [True, False, True]
    """
    return _TARGET.search(words) is not None and not _OTHERS.search(words)


_OTHERS = pattern(r"你|机构|券商|分析师|\b(?:your?|analysts?|brokers?|consensus|street)\b", re.I)


_OTHER_PRICE = pattern(
    r"(?:批发?|出厂|零售|终端|原油|[油金铜铝锂煤钢运糖粮房电气])价|份额|销量|产能|利率|汇率"
    r"|\b(?:wholesale|retail|factory|oil|gold|copper|lithium|coal|steel|freight|commodity)\b|\bmarket share\b",
    re.I,
)
"""What a note names a level of that is no price of the share."""


def compare_level(desk: ToolDesk, mention: Mention, words: str) -> Work[Reply]:
    """Answer whether the price has reached the level that the owner wrote down, where the notes name just one.

    words   of the question: the target, the stop, or a price to trade at
    """
    speak, name = desk.speak, wording.head_of(desk, mention)
    names = _names_asked(desk, mention)
    *searches, bars = yield from desk.run(
        *(DeskCall("memory.recall", {"query": each, "limit": RECALLED}) for each in names[:NAMES]),
        DeskCall("market.ohlcv", {"symbol": mention.code, "tail": 120}),
    )
    hits = {str(hit["source"]): hit for found in searches if found.ok for hit in recall_hits(found.value)}
    told_by = [hit for hit in hits.values() if hit.get("kind") not in ("question", "trade")]
    own = [hit for hit in told_by if hit.get("author") == "owner"]
    views = past_views.find_views(own, _spellings(names), [], ALL_DAYS, speak)
    form = _STOP_AT if _STOP.search(words) else _TARGET_AT if _TARGET.search(words) else _LEVEL_TOLD
    told = [
        (item, level)
        for item in views
        for level in form.finditer(item.said)
        if not _OTHER_PRICE.search(_CLAUSE.split(item.said[: level.start()])[-1])
        and (not _SALE_PRICE.search(words) or find_sale_words(item.said))
    ]
    if form is _LEVEL_TOLD and len(told) > 1:  # a price to trade at: buy below 700, wholesale price below 2400
        told = [(item, level) for item, level in told if _is_planned(item.said, level.start())] or told
    if not told and any(_TARGET.search(item.said) for item in views):
        return (yield from quote_target(desk, mention))
    if not told:
        meant = [item for item in views if find_sale_words(item.said) or _find_levels(item.said, _BUYING)]
        return reply.reply_of_lines(
            speak("{name}: your notes name no price to wait for.", name=name), *_quote_views(desk, meant)
        )
    quotes = _quote_views(desk, [item for item, _ in told])
    closes = closes_of(bars.value) if bars.ok else []
    if len(told) > 1 or not closes:
        head = speak("{name}: your notes name these prices, and I cannot tell which one you mean:", name=name)
        last = [speak("The close of {day} is {price}.", day=day, price=f"{price:.2f}") for day, price in closes[-1:]]
        return reply.reply_of_lines(head, *quotes, *last)
    item, level = told[0]
    said = next(filter(None, level.groups()))
    below = bool(level["below"] or level["under"]) if form is _LEVEL_TOLD else form is _STOP_AT
    aim = float(said.replace(",", ""))
    day, close = closes[-1]
    reached = close <= aim if below else close >= aim
    since = [each for each, price in closes if each >= item.date and (price <= aim if below else price >= aim)]
    given: Json = {"name": name, "close": f"{close:.2f}", "day": day, "level": said,
                   "change": wording.say_percent((aim / close - 1) * 100)}  # fmt: skip
    if reached:
        line = speak("{name}: **yes**: the close of {day}, {close}, has reached your {level}", **given)
    elif since:
        line = speak(
            "{name}: not now: {close} on {day}; a close reached your {level} on {first}", first=since[0], **given
        )
    else:
        line = speak("{name}: **no**: the close of {day} is {close}, your level is {level} ({change})", **given)
    return reply.reply_of_lines(line + wording.simulated_mark(desk, bool(bars.get("simulated"))), *quotes)


_SALE_PRICE = pattern(r"\bselling price\b|卖出价", re.I)


def _quote_views(desk: ToolDesk, views: list[past_views.PastView]) -> list[str]:
    """Return the notes that views come from, each once."""
    return [
        desk.speak("- {day} `{path}`: {words}", day=item.date, path=item.source, words=past_views.cut_text(item.said))
        for item in list(dict.fromkeys(views))[:SHOWN]
    ]


def _is_planned(text: str, at: int) -> bool:
    """Return True if the clause at a place of a text is about trading, or a target or a stop.

    >>> text = "I would buy below 700. Wholesale price below 2400."
    >>> [_is_planned(text, text.index(each)) for each in ("below 700", "below 2400")]
    [True, False]
    """
    cuts = [0, *(cut.start() for cut in _CLAUSE.finditer(text)), len(text)]
    begin = max(cut for cut in cuts if cut <= at)
    clause = text[begin : min(cut for cut in cuts if cut > at)]
    return any(form.search(clause) for form in (_BUYING, _SELLING, _STOP, _TARGET))


def _say_nothing() -> Work[Reply]:
    yield from ()
    return Reply([], [])


@part("what was said before", in_list)
def _about(
    desk: ToolDesk,
    names: tuple[str, ...],
    hits: list[Json],
    priced: DeskResult | None,
    sources: list[str],
    by: bool | None = None,
) -> list[str]:
    """Return what was said of a security in lines, with what came of it; add the files to `sources`."""
    closes = closes_of(priced.value) if priced else []
    told = past_views.find_views(hits, names, closes, ALL_DAYS, desk.speak)
    if by is not None:
        told = sorted((item for item in told if item.own is by and item.date), key=lambda item: item.date)
    lines = [f"- {past_views.describe_view(item, desk.speak)}" for item in told]
    sources += [item.source for item in told]
    return lines


def _stems(topics: list[str]) -> list[str]:
    return [topic.casefold()[: max(4, len(topic) - 3)] if topic.isascii() else topic for topic in topics]


def _tells_of(text: str, topics: list[str]) -> bool:
    return any(stem in text.casefold() for stem in _stems(topics))


def _own_text(content: str, topics: list[str]) -> str:
    """Return what the owner wrote in a passage without headings: all of it, of a long one what tells of the topics."""
    rows = [line.strip().lstrip("-*> ").strip() for line in content.splitlines()]
    said = [re.sub(r"^\[\d\d:\d\d\] ", "", row) for row in rows if row and not row.startswith(("#", "|", "---", "<"))]
    if sum(map(len, said)) > WHOLE:
        said = [row for row in said if _tells_of(row, topics)] or said
    whole = " / ".join(said)
    return whole if len(whole) <= WHOLE else past_views.cut_text(whole, WHOLE)


@part("one of the passages found", in_text)
def _format_passage(desk: ToolDesk, hit: Json, topics: list[str]) -> str:
    """Return a passage of the memory as a line: what of it holds the words that are asked for."""
    content = str(hit.get("content") or "")
    if hit.get("author") == "owner" and (told := _own_text(content, topics)):
        day = f"{hit['date']} " if hit.get("date") else ""
        return f"{day}`{hit['source']}`{desk.speak(': ')}{told}"
    telling = [line for line in content.splitlines() if _tells_of(line, topics)]
    gist = past_views.find_gist("\n".join(telling)) if telling else past_views.find_gist(content)
    day = f"{hit['date']} " if hit.get("date") else ""
    return f"{day}`{hit['source']}`{desk.speak(': ')}{gist}"


LOOKED_AT = 40
"""Texts that are read to tell those of the owner from what the analyst wrote."""


def _bound_month(span: TimeSpan | None, words: str) -> TimeSpan | None:
    """Return a time with its end where notes "from February" are meant: those of that month, not those since then."""
    if span is not None and span.first is not None and _FROM_DAY.fullmatch(span.said.strip()):
        return span if _ONWARDS.search(words) else replace(span, last=span.first)
    if span is None or span.first is None or span.first.day > 1 or not _FROM_MONTH.fullmatch(span.said.strip()):
        return span
    if _ONWARDS.search(words):
        return span
    after = (span.first + timedelta(days=31)).replace(day=1)
    return replace(span, last=after - timedelta(days=1))


_FROM_MONTH = pattern(r"from [a-z]+", re.I)
_FROM_DAY = pattern(r"from (?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? [a-z]+|[a-z]+ \d{1,2}(?:st|nd|rd|th)?)", re.I)
_ONWARDS = pattern(r"\bfrom [\w ]{3,16} (?:on|onwards?|to|till|until)\b|\bsince\b", re.I)


def list_notes(
    desk: ToolDesk, words: str, span: TimeSpan | None, *, only: re.Pattern[str] | None = None
) -> Work[Reply]:
    """List what the owner wrote, newest first: of a time, of the journal alone, or all; `only`: paths of this form."""
    speak, span = desk.speak, _bound_month(span, words)
    notes, memories = yield from desk.run(DeskCall("notebook.list", {}), DeskCall("memory.list", {}))
    noted = [row for row in wording.rows_of(notes, "notes") if row.get("author") != "ia"]
    rows = _list_days(noted, desk) + _list_days(wording.rows_of(memories.value), desk)
    begun = "memory/journal/" if _JOURNAL.search(words) else ""
    kept = [
        (day, path, title)
        for day, path, title in sorted(rows, reverse=True)
        if path.startswith(begun)
        and not path.startswith(_MACHINE)
        and (only is None or only.search(path))
        and _within({"source": path, "date": day}, span)
    ]
    shown = kept[:LOOKED_AT]
    texts = yield from desk.run(*(_read_call(path) for _, path, _ in shown))
    lines = [
        f"- {day} `{path}`{speak(': ')}{gist}"
        for (day, path, title), text in zip(shown, texts, strict=True)
        if (gist := _own_gist(text, title))
    ]
    if not lines:
        when = span.said if span else ""
        return reply.reply_of_lines(
            speak("Nothing was written “{time}”, as far as notes, observations and journal tell.", time=when)
            if when
            else speak("There are no notes yet: `ia note PATH TEXT` writes one, or say “note: …”.")
        )
    count = len(lines)
    head = speak(
        PluralText("You wrote {count} text, newest first:", "You wrote {count} texts, newest first:"), count=count
    )
    more = [speak("… more: `ia note list`, `ia memory list`")] if len(kept) > len(shown) or count > SHOWN else []
    return Reply([head, *lines[:SHOWN], *more], lines[:SHOWN], [path for _, path, _ in shown][:SHOWN])


def notes_within(desk: ToolDesk, listed: DeskResult, first: str, last: str) -> list[tuple[str, str, str]]:
    """Return the day, path and headline of the owner's notes of a stretch of days that a list has, oldest first."""
    rows = [row for row in wording.rows_of(listed, "notes") if row.get("author") != "ia"]
    found = [row for row in sorted(_list_days(rows, desk)) if first <= row[0] <= last]
    return [row for row in found if not row[1].startswith(_MACHINE)][-RECALLED:]


def words_of(notes: list[tuple[str, str, str]], texts: list[DeskResult]) -> list[tuple[str, str, str]]:
    """Return the day, the words and the path of notes that were read; not of what the analyst wrote."""
    pairs = zip(notes, texts, strict=True)
    return [(day, words, path) for (day, path, title), text in pairs if (words := _own_gist(text, title))]


def _list_days(rows: list[Json], desk: ToolDesk) -> list[tuple[str, str, str]]:
    """Return the day, path and headline of files; the day in the path counts, else that of the last change."""
    found = []
    for row in rows:
        path = str(row.get("path") or "")
        dated = _DAY.search(path)
        found.append(
            (dated[0] if dated else _local_day(str(row.get("time") or ""), desk), path, str(row.get("title") or ""))
        )
    return found


def _local_day(stamp: str, desk: ToolDesk) -> str:
    try:
        moment = datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    except ValueError:
        return ""
    zone = desk.request.moment.tzinfo
    return f"{(moment.astimezone(zone) if moment.tzinfo else moment).date()}"


def _read_call(path: str) -> DeskCall:
    return DeskCall("notebook.read" if path.startswith("notebook/") else "memory.read", {"path": path})


def _own_gist(text: DeskResult, title: str) -> str:
    """Return the line of a file that says most; "" for what the analyst wrote, and for empty files."""
    content = str(text.value) if text.ok else title
    if MARK in content or not content.strip():
        return ""
    rows = content.splitlines()
    after = [*rows[1:], ""]
    own = [row for row, then in zip(rows, after, strict=True) if not then.startswith(_DATA_LINE)]
    lines = [line.replace("**", "").strip().lstrip("-*> ").strip() for line in own]
    told = [
        re.sub(r"^\[\d\d:\d\d\] ", "", line) for line in lines if line and not line.startswith(("#", "|", "---", "<"))
    ]
    return past_views.cut_text(" / ".join(told[:2])) if told else ""


def answer_is_watched(desk: ToolDesk, securities: list[Mention]) -> Work[Reply]:
    """Answer whether securities are on the watch list."""
    speak = desk.speak
    result = yield from desk.one("watch.list")
    if result.missing:
        return reply.reply_of_lines(speak("There is no tool here to read the memory."))
    lines = []
    for mention in securities:
        known = next((row for row in wording.rows_of(result, "items") if row.get("symbol") == mention.code), None)
        name = wording.head_of(desk, mention)
        line = wording.say_watched(desk, known) if known else ""
        lines.append(
            speak("{name}: yes, on the watch list: “{line}” (`memory/tracking.md`).", name=name, line=line)
            if known
            else speak(
                '{name}: not on the watch list; "track {security}" puts it there.', name=name, security=mention.said
            )
        )
    return reply.reply_of_lines(*lines)


def asks_beliefs(words: str) -> bool:
    """Return True if words ask for all beliefs, not for those about something."""
    rest = _FILLER.sub(" ", words).split()
    return bool(_BELIEFS.search(words)) and not rest
