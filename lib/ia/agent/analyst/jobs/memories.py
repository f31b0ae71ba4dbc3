"""What to remember and what was remembered: watch list, beliefs, preferences, notes, and questions about them."""

import re
from collections.abc import Callable
from difflib import get_close_matches

from ia.agent.analyst.ask import facts
from ia.agent.analyst.ask.facts import WATCH_WORDS
from ia.agent.analyst.ask.industry_words import blank_wide_groups
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import LONGEST, Mention, english, find_mentions, find_other_companies
from ia.agent.analyst.ask.plan_words import find_planned_conditions
from ia.agent.analyst.ask.told_trades import TO_NOTE
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.stated_view import SPACED_NAME, states_judgment
from ia.agent.analyst.evidence.tool_answers import display_name
from ia.agent.analyst.jobs import own_notes
from ia.agent.analyst.jobs.facts import answer_question, group_facts, session_facts, wording
from ia.agent.analyst.jobs.filing import observation, observe, topic_names
from ia.agent.analyst.jobs.small_talk import describe_doubt
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.voice import EN
from ia.domain.instruments.groups import group_name
from ia.kernel.errors import PluralText
from ia.kernel.patterns import pattern

_FILES = (
    ("tracking", r"关注|跟踪|自选|watch ?list|\btrack|\bwatch|\bfollow", "The watch list"),
    ("beliefs", r"信念|相信|\bbelie", "The beliefs"),
    ("preferences", r"偏好|喜欢|习惯|\bprefer", "The preferences"),
    ("soul", r"灵魂|(?<![a-z])soul(?![a-z])", "The soul"),
)
_WROTE = r"怎么看|看法|说过|写过|think|said|wrote"
_REASON = pattern(r"[，,；;。.]?\s*(?:因为|原因是|理由是|\bbecause\b|\bsince\b)[:：]?\s*", re.I)

_WHY = pattern(r"(?:[，,;；。]\s*|\s)(?:理由|原因)(?:是|为|[:：])\s*(.+)|\bmy reason (?:is|being)\s+(.+)", re.I | re.S)
_ASKED = pattern(r"问过?你|\bask(?:ed)?\b", re.I)
_REMEMBER = pattern(
    r"^\W*(?:请|帮我|please\s+)?(?:记住|remember)\b(?:\s+that\b)?[，,\s]*|^\W*(?:请|帮我)?记住[，,\s]*", re.I
)

_BELIEF = pattern(r"^\W*(请|帮我)?\S{0,6}信念|\bbelief\b", re.I)


def asked_memory(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Answer a question about the memory with what stands there, word for word, and where."""
    if _ASKED.search(wanted.words):
        words = wanted.securities[0].said if wanted.securities else ""
        return (yield from session_facts.tell_sessions(desk, {"words": words}))
    for path, words, title in _FILES:
        if not re.search(words, wanted.words, re.I) or re.search(_WROTE, wanted.words, re.I):
            continue
        if path == "tracking" and (asked := (yield from _find_part_of_list(desk, wanted))):
            return (yield from answer_question(desk, asked))
        if path == "tracking" and wanted.securities:
            return (yield from own_notes.answer_is_watched(desk, wanted.securities))
        if not wanted.securities and (path != "beliefs" or own_notes.asks_beliefs(wanted.words)):
            return (yield from _file(desk, path, desk.speak(title), wanted.words))
    return (yield from own_notes.find_own_words(desk, wanted))


_LEFT_OUT = pattern(
    r"没|不在|除|\bnot\b|n't\b|\b(?:without|except|excluding|minus|other than|never|apart from)\b", re.I
)
"""Words of a question for the watch list that leave something of it out."""


_MOVED = pattern(
    r"[涨跌]|表现|平均|跑[赢输]|相比|\b(?:how (?:did|has|have|is|are)|done|perform\w*|beat\w*|against|versus|average"
    r"|mean|gain\w*|lost|rose|fell)\b",
    re.I,
)
"""Words of a question how the watch list did."""


def _find_part_of_list(desk: ToolDesk, wanted: Intent) -> Work[facts.FactQuestion | None]:
    """Return the question for a part of the watch list, what is not on it, or how it did; None where all is meant."""
    if not _LEFT_OUT.search(wanted.words) and not _MOVED.search(wanted.words):
        return None
    yield from desk.load_tables(*facts.tables_for(wanted.securities))
    asked = facts.find_question(wanted.words, wanted.securities, desk.request.moment.date(), desk.tables)
    read = asked is not None and asked.answer in ("watch", "watch_rank") and not (asked.unread or asked.left)
    return asked if read else None


def forget(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Say that nothing is deleted by a message, and which commands do it."""
    yield from ()
    speak = desk.speak
    return reply.reply_of_lines(
        speak("Nothing was deleted: only you delete what you wrote, with a command."),
        speak(
            "`ia note list` shows the notes, `ia note remove PATH` removes one, `ia memory undo PATH` brings it back."
        ),
    )


_SOUL_LINES = 10
"""Lines of the soul that an answer quotes."""


def _file_of(page: str) -> str:
    return "soul.md" if page == "soul" else f"memory/{page}.md"


def _file(desk: ToolDesk, path: str, title: str, words: str) -> Work[Reply]:
    speak = desk.speak
    group = (yield from group_facts.find_group(desk, words)) if path == "tracking" else ""
    if path == "tracking":
        result = yield from desk.one("watch.list", **({"group": group} if group else {}))
        entries = [f"- {wording.say_watched(desk, row)}" for row in wording.rows_of(result, "items")]
    else:
        result = yield from desk.one("memory.read", path=path)
        text = str(result.value) if result.ok else ""
        entries = [line.strip() for line in text.splitlines() if line.lstrip().startswith(("-", "*"))]
        if path == "soul":
            entries = [line.strip() for line in text.splitlines() if line.strip(" #-")][:_SOUL_LINES]
    if entries:
        head = (
            speak("The group **{group}** of the watch list:", group=group)
            if group
            else speak("{title} (`{file}`):", title=title, file=_file_of(path))
        )
        return Reply([head, *entries], entries, [_file_of(path)])
    if result.missing:
        return reply.reply_of_lines(speak("There is no tool here to read the memory."))
    return reply.reply_of_lines(
        speak(
            "{title}: nothing there yet (`{file}`).",
            title=title,
            file=_file_of(path),
        )
    )


def track(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Add securities or a topic to the watch list."""
    words, group = _take_group(wanted.words)
    why = _LEADING.sub("", _after(words) or _find_reason(words) or _find_remark(words))
    if unknown := [each for each in wanted.securities if not each.symbol.name and each.said.isalpha()]:
        hint = desk.speak("if it is a US ticker, write `ia watch add {symbol}`; `ia memory track` takes topics",
                          symbol=unknown[0].code)  # fmt: skip
        said = desk.speak("{text}: ia knows no security of this name or code", text=unknown[0].said)
        return reply.reply_of_lines(
            desk.speak("Nothing was added: {reason}.", reason=desk.speak.join_clauses([said, hint]))
        )
    items = [(display_name(desk, mention), mention.code) for mention in wanted.securities] or [
        (_quote_text(wanted.words),) * 2
    ]
    if group and (near := (yield from _find_near_group(desk, group))):
        return reply.reply_of_lines(
            desk.speak(
                "There is a group “{near}” already, so nothing was added: `ia watch add {codes} --group {near}` uses"
                " it, `--group {group}` makes a new one.",
                near=near,
                group=group,
                codes=" ".join(code for _, code in items),
            )
        )
    place = {"group": group} if group else {}
    results = yield from desk.run(
        *(DeskCall("memory.track", {"symbol": code, "why": why, **place}) for _, code in items)
    )
    done = desk.speak("On the watch list, group {group}", group=group) if group else desk.speak("On the watch list")
    told = _each(desk, items, results, done, why)
    others = [describe_doubt(desk, name) for name in find_other_companies(wanted.words)]
    return told._replace(lines=reply.append_lines(told.lines, *others))


def _find_near_group(desk: ToolDesk, group: str) -> Work[str]:
    """Return the group of the watch list that a new one seems to repeat: of the same industry, or spelled alike."""
    listed = yield from desk.one("watch.list")
    groups = [str(name) for name in listed.get("groups") or [] if name] if listed.ok else []
    if group.casefold() in (each.casefold() for each in groups):
        return ""
    yield from desk.load_tables("facts_market")

    def industry_of(group: str) -> str:
        name = blank_wide_groups(f"{group} {group_name(group, EN)}")
        forms = facts.industry_forms(name, (), desk.tables)
        return next((found for form, found in forms if form.search(name)), "")

    meant = industry_of(group)
    alike = [each for each in groups if meant and industry_of(each) == meant]
    alike += [each for each in groups if each.casefold() in group.casefold() or group.casefold() in each.casefold()]
    alike += get_close_matches(group, groups, 1, 0.8)
    return alike[0] if alike else ""


_GROUP = pattern(
    r"[，,]?\s*(?:(?:放|归)|(?:放|加|归|移|分|挪|搬|转|调|换|改)?(?:到|在|进|入"
    r"|去))?\s*(?:(?P<zh>[^\s，,。：:“”\"「」的到在进入]{1,12}?)"
    r"(?:分?组|分组)(?:里面?|中|下)?(?=$|[\s，,。；;])"
    r"|(?:分组|组别)(?:是|为|[:：])?\s*[“\"「]?(?P<zh2>[^\s，,。；;”\"」]{1,12})[”\"」]?)"
    r"|[,，]?\s*\b(?:in|into|to|under|as part of)\s+(?:the\s+|a\s+|my\s+)?(?:group\s+(?:called\s+|named\s+)?"
    r"[\"“]?(?P<en>[\w\u3400-\u9fff-]+(?:\s+(?!because|since|for|as\b|and|with)[\w-]+)?)[\"”]?"
    r"|[\"“]?(?P<en2>(?!my\b|the\b)[\w\u3400-\u9fff-]+)[\"”]?\s+group)\b"
    r"|[,，;]\s*(?:the\s+)?[\"“]?(?P<en5>(?!my\b|the\b|same\b)[\w\u3400-\u9fff-]+)[\"”]?\s+group\b"
    r"(?=\W*$|\s*[,，;]|\s+because\b)"
    r"|[,，;]\s*group[:：]?\s+[\"“]?(?P<en3>[\w\u3400-\u9fff-]+)[\"”]?"
    r"|\s+under\s+(?:the\s+)?(?:group\s+)?[\"“]?(?P<en4>[\w\u3400-\u9fff-]+)[\"”]?(?:\s+group)?"
    r"(?=\W*$|\s*[,，;]|\s+because\b)"
    r"|(?:放|归|移|分|挪)(?:到|在|进|入|为)(?P<zh3>(?!自选|关注)[^\s，,。：:]{1,8}?)类?(?=\W*$|[\s，,。；;])",
    re.I,
)
_BECAUSE = pattern(
    r"(?:因为|由于|理由是?|原因是?)[:：]?\s*(?P<zh>[^。]+)"
    r"|\b(?:because(?: of)?|since|due to|reason:?|as (?=i\b|it\b|its\b|the\b))\s*(?P<en>.+)",
    re.I | re.S,
)


_LEADING = pattern(r"^(?:因为|由于|because(?: of)?|since)\s*", re.I)


def _take_group(words: str) -> tuple[str, str]:
    """Return a wish for the watch list without the group that it names, and that group.

    >>> _take_group("add BYD to my watch list in group battery because of sales")
    ('add BYD to my watch list because of sales', 'battery')
    >>> _take_group("把比亚迪加入自选，放到电池组")
    ('把比亚迪加入自选', '电池')
    >>> _take_group("put Midea under appliances"), _take_group("把美的归到家电")
    (('put Midea', 'appliances'), ('把美的', '家电'))
    """
    found = _GROUP.search(words)
    if found is None:
        return words, ""
    name = next(value for value in found.groups() if value)
    return f"{words[: found.start()]}{words[found.end() :]}".strip(), name.strip()


def _find_reason(words: str) -> str:
    """Return the reason that a wish gives with a word for it; "" for none."""
    found = _BECAUSE.search(words)
    return " ".join((found["zh"] or found["en"]).split()).strip(" .。!！") if found else ""


_COURTESY = pattern(
    r"^\W*(?:for me|please|pls|thanks?(?: you)?|thank you|ok(?:ay)?|will you|would you|if you can|too|as well|now|today"
    r"|谢谢?你?|多谢|麻烦你?|拜托|好吗|好的?|可以吗|行吗|吧|帮我|一下|今天|现在)?\W*$",
    re.I,
)
_NEXT_WISH = pattern(
    r"^\W*(?:and|then|also|but|not|put|add|in|into|to|under|tell|show|remind|alert|what|how|when|which|is|does"
    r"|然后|再|并|顺便|同时|还有|也|但|不|别|放|加|归|提醒|告诉|看看|分析)",
    re.I,
)


def _find_remark(words: str) -> str:
    """Return what a wish for the watch list says behind a comma: the reason, with no word for it; "" for none.

    >>> _find_remark("Please keep an eye on Wuliangye, I like its cash flow"), _find_remark("帮我盯着五粮液，现金流好")
    ('I like its cash flow', '现金流好')
    >>> _find_remark("Follow CATL, BYD and Midea, please"), _find_remark("Follow CATL, then tell me its price")
    ('', '')
    """
    clauses = re.split(r"[，,;；。]\s*|\.\s+|\s+[-–—]+\s+", words.strip(" .。!！"))
    told = [clause.strip() for clause in clauses[1:] if not _COURTESY.match(clause)]
    if (
        not told
        or any(find_mentions(clause) or _NEXT_WISH.match(clause) for clause in told)
        or re.search(r"[?？]", words)
    ):
        return ""
    why = ", ".join(told) if told[0].isascii() else "，".join(told)
    return why if len(why.split()) > 1 or (len(why) > 2 and not why.isascii()) else ""


def untrack(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Take securities, or a topic, off the watch list; of a group or an industry name those, and the command."""
    if not wanted.securities and not _QUOTED.search(wanted.words):
        return (yield from _name_untracked(desk, wanted.words))
    items = [(display_name(desk, mention), mention.code) for mention in wanted.securities] or [
        (_quote_text(wanted.words),) * 2
    ]
    results = yield from desk.run(*(DeskCall("memory.untrack", {"symbol": code}) for _, code in items))
    return _each(desk, items, results, desk.speak("Off the watch list"), "")


_QUOTED = pattern(r"[:：]\s*\S|「|“|\"")
_ALL = pattern(
    r"清空|(?:所有|全部)的?(?:股票|自选股?|证券)?(?:都)?(?:删|移|去|清|\W*$)"
    r"|\b(?:everything|all of (?:it|them)|clear|empty)\b",
    re.I,
)


def _name_untracked(desk: ToolDesk, words: str) -> Work[Reply]:
    """Name what of the watch list is of the group or industry that a wish names, and the command that removes it."""
    speak, listed = desk.speak, (yield from desk.one("watch.list"))
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the watch list"), listed.failure)
    items = [row for row in wording.rows_of(listed, "items") if row.get("symbol")]
    groups = [str(name) for name in listed.get("groups") or [] if name and str(name).casefold() in words.casefold()]
    yield from desk.load_tables("facts_market")
    forms = facts.industry_forms(WATCH_WORDS.sub(" ", words), (), desk.tables)
    wanted = {name for form, name in forms if form.search(words)}
    quoted = yield from desk.one("market.quote", symbols=[str(row["symbol"]) for row in items])
    industries = {str(row.get("symbol")): str(row.get("industry") or "") for row in wording.rows_of(quoted, "quotes")}
    every = bool(_ALL.search(words)) and not groups and not wanted
    chosen = [
        row for row in items if every or row.get("group") in groups or industries.get(str(row["symbol"])) in wanted
    ]
    if not chosen:
        known = speak.join_items([str(name) for name in listed.get("groups") or [] if name]) or "–"
        return reply.reply_of_lines(
            speak("Nothing was removed: I find none on the watch list that this means. Name the securities, or a group"
                  " ({groups}).", groups=known)
        )  # fmt: skip
    names = [wording.security_name(desk, str(row["symbol"]), row.get("name")) for row in chosen]
    head = speak(
        PluralText(
            "**{count}** on the watch list is meant: {names}.", "**{count}** on the watch list are meant: {names}."
        ),
        count=len(chosen),
        names=speak.join_items(names[:12]),
    )
    codes = " ".join(str(row["symbol"]) for row in chosen)
    return reply.reply_of_lines(
        head, speak("Nothing is removed yet: `{command}` does it.", command=f"ia watch remove {codes}")
    )


def _each(desk: ToolDesk, items: list[tuple[str, str]], results: list[DeskResult], done: str, why: str) -> Reply:
    speak, lines = desk.speak, []
    for (name, code), result in zip(items, results, strict=True):
        shown = name if name == code else f"{name} {code}" if code.split(".")[0] != name else code
        if result.ok and result.get("proposal") is None:
            lines.append(f"{done}{speak(': ')}{shown}" + (speak(" ({reason})", reason=why) if why else ""))
        elif result.failure is not None and result.failure.code == "not-tracked":
            lines.append(speak("Nothing changed: {name} is not on the watch list.", name=shown))
        elif not result.ok:
            lines.append(reply.describe_not_kept(desk, result, shown))
    return reply.reply_of_lines(*lines, *reply.describe_proposals(desk, results))


def note(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Write down what the user says: of one security as an observation, else in the day's scratch note."""
    speak = desk.speak
    head = TO_NOTE.match(wanted.words)
    text = " ".join(wanted.words[head.end() if head else 0 :].split())
    if aside := _ASIDE_QUESTION.search(text):
        text = text[: aside.start()].strip()
        desk.last_lines.append(
            speak("Not kept, for it is a question: “{question}”. Ask it by itself.", question=aside["q"])
        )
    if not text:
        yield from ()
        return reply.reply_of_lines(
            speak(
                "Note what? For example: “note: three days of outflows”.",
            )
        )
    if len(text) > LONGEST:
        yield from ()
        return reply.reply_of_lines(
            speak("That is {count} characters: a note in a message has at most {most}, so nothing is kept.",
                  count=f"{len(text):,}", most=f"{LONGEST:,}"),
            speak("From a file: `ia note write NAME < FILE`."),
        )  # fmt: skip
    named = find_mentions(head[0] if head else "") or find_mentions(SPACED_NAME.sub("", text)) or wanted.securities
    if mention := _subject_of(text, named):
        topic = topic_names(desk, mention.name, english(mention.symbol))[0]
        before = yield from desk.one("memory.read", path=observation(desk, topic))
        result = (yield from desk.run(observe(desk, topic, text, str(before.value) if before.ok else "")))[0]
        return reply.reply_of_lines(
            *reply.describe_paths(desk, (result, speak("observation", context="kept"))),
            *_offer_alerts(desk, mention, text),
        )
    line = f"- [{desk.request.moment:%H:%M}] {text}"
    result = yield from desk.one("notebook.append", path=f"scratch/{desk.request.day}.md", content=line)
    return reply.reply_of_lines(*reply.describe_paths(desk, (result, speak("note", context="kept"))))


_ASIDE_QUESTION = pattern(
    r"[。；;.!！]\s*(?:另外|还有|顺便(?:问一?下?)?|对了|再问一?下?|also|by the way"
    r"|btw)[，,:： ]*(?P<q>[^。]{2,60}[?？])\s*$",
    re.I,
)
"""A question behind what is to be kept."""


def _offer_alerts(desk: ToolDesk, mention: Mention, text: str) -> list[str]:
    """Offer the alerts that a plan with prices calls for; setting one is the owner's."""
    if mention.symbol.kind == "index":
        return []
    return [
        desk.speak(
            "To be told when the close gets there: `{command}`", command=f"ia alert {mention.symbol.code} '{condition}'"
        )
        for condition in find_planned_conditions(text)
    ]


def file_answer(desk: ToolDesk, path: str, answer: Reply) -> Work[Reply]:
    """Append an answer to a note; one that nothing was understood of, or that did more than answer, is not kept."""
    speak = desk.speak
    if not answer.understood or desk.proposals or desk.written:
        return answer._replace(lines=[*answer.lines, "", speak("Nothing was written to {path}.", path=path)])
    text = "\n".join([f"- [{desk.request.moment:%Y-%m-%d %H:%M}] {answer.lines[0]}", *answer.lines[1:]])
    result = yield from desk.one("notebook.append", path=path, content=text)
    kept = reply.describe_paths(desk, (result, speak("note", context="kept")))
    return answer._replace(lines=[*answer.lines, "", *kept], points=[*answer.points, *kept])


def _subject_of(text: str, securities: list[Mention]) -> Mention | None:
    """Return the one security that words are about; a judgment may name an index beside it."""
    if len(securities) == 1:
        return securities[0]
    if len(securities) == 2 and securities[1].symbol.kind == "index" and states_judgment(text):
        return securities[0]
    return None


def offer_note(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Offer to keep what the owner says of an own view, which is no question."""
    yield from ()
    speak, words = desk.speak, " ".join(wanted.words.split()).strip(" 。.!！")[:200]
    return reply.reply_of_lines(
        speak("That reads as your own view, not as a question; nothing is kept yet."),
        speak('To keep it as an observation: "note: {words}".', words=words),
    )


def believe(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Keep what the user wants remembered: a belief with its reason."""
    speak = desk.speak
    text = _after(wanted.words) or _REMEMBER.sub("", wanted.words).strip() or wanted.words
    text = text[:1].upper() + text[1:]
    belief, *reason = _REASON.split(text, maxsplit=1)
    if not (reason and reason[0].strip()) and _BELIEF.search(wanted.words):
        yield from ()
        return reply.reply_of_lines(
            speak(
                'A belief is kept with its reason: why "{belief}"? Say: "Remember: {belief}, because …".',
                belief=belief.strip(" .。"),
            )
        )
    why = reason[0].strip() if reason else speak("you told me to remember it on {day}", day=desk.request.day)
    result = yield from desk.one("memory.believe", text=belief.strip(), because=why)
    lines = reply.describe_paths(desk, (result, speak("belief", context="kept")))
    return reply.reply_of_lines(
        speak(
            "Belief: {belief} (because: {reason})",
            belief=belief.strip(),
            reason=why,
        ),
        *lines,
    )


_AS_PREFERENCE = pattern(
    r"[，,。;；\s]*(?:请|帮我)?(?:把?(?:这|上面|以上|它)[^，,。]{0,6})?"
    r"(?:记成|记为|记作|作为|当作|存成|算作|设为|保存为)我?的?(?:一[条个])?偏好\W*$"
    r"|[,;.\s]*(?:and )?(?:please )?(?:keep|save|record|store|note|remember) (?:this|it|that)"
    r" as (?:a |my )preference\W*$",
    re.I,
)
"""The wish to keep what stands before it as a preference."""


def prefer(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Propose a preference in the user's own words."""
    speak = desk.speak
    text = _AS_PREFERENCE.sub("", wanted.words).strip(" ，,。.;；") or wanted.words
    result = yield from desk.one(
        "memory.prefer", text=text, because=speak("you said so on {day}", day=desk.request.day)
    )
    lines = reply.describe_proposals(desk, [result]) or [
        reply.describe_not_kept(desk, result, speak("the preference", context="kept"))
    ]
    return reply.reply_of_lines(speak("A preference changes only with your consent."), *lines)


def _after(words: str) -> str:
    """Return what follows the first colon, or the reason after a comma: the words to keep."""
    if reason := _WHY.search(words):
        return " ".join((reason[1] or reason[2]).split())
    found = re.search(r"[:：](?!\s*(?:add\b|put\b|加))\s*(.+)", words, re.S) or re.search(
        r"[，,]\s*((?:等|因为|如果|若|关注点|wait|because|if|until|for).+)", words, re.S | re.I
    )
    return " ".join(found[1].split()) if found else ""


def _quote_text(words: str) -> str:
    found = re.search(r"[「“\"](.+?)[」”\"]", words) or re.search(r"[:：]\s*(.+)", words)
    return found[1].strip() if found else words


KINDS: dict[str, Callable[[ToolDesk, Intent], Work[Reply]]] = {
    "asked_memory": asked_memory,
    "forget": forget,
    "track": track,
    "untrack": untrack,
    "note": note,
    "own_view": offer_note,
    "believe": believe,
    "prefer": prefer,
}
