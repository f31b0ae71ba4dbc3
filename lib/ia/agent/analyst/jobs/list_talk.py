"""Talk about lists: what was just taken off the watch list, and where a security stands in the list of an answer."""

import re
from dataclasses import replace

from ia.agent.analyst.ask import intent
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.desk import ToolDesk
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.kernel.patterns import pattern

_LEAVE = pattern(
    r"\W*(?:(?:no|actually|wait|sorry|oh|hm+|on second thought)\b[,.!]?\s*)*(?:please )?(?:leave|keep) (?:it|them|that)"
    r"(?: there| on| on (?:it|the list)| as (?:it|they) (?:is|was|are|were))?(?:$|[.,;!]\s*)(?:but |and )?"
    r"|\W*(?:算了|不|等等|不对|哦|呃|[，,。.\s])*(?:还是)?(?:留着|留下|别删|先别删|不删了?|别去掉|不要删)(?:它"
    r"|吧|了)*(?:$|[，,。；;]\s*)",
    re.I,
)
"""Words that take back a wish to take something off the watch list."""


def take_back(desk: ToolDesk) -> Reply | None:
    """Say how what the message before took off the watch list comes back, and leave what is asked besides.

    None where nothing is taken back, or something is left to be answered.
    """
    request = desk.request
    found = _LEAVE.match(request.question) if request.before and request.is_words_only else None
    if found is None or request.sections:
        return None
    before = replace(request, question=request.before[-1], before=request.before[:-1], listed=request.listed[:-1])
    if intent.read_acts(before).kind != "untrack":
        return None
    told = desk.speak(
        "If it was just taken off the list, `ia memory undo tracking` puts it back with group and reason."
    )
    rest = request.question[found.end() :].strip()
    if not rest:
        return reply.reply_of_lines(told)
    desk.last_lines.append(told)
    desk.request = replace(request, question=rest, before=[], listed=[])
    return None


_IN_LIST = pattern(
    r"\W*(?:那|那么)?\ue000(?:在不在|在|有没有在|是不是在|是否在|在没在)(?:这|那)?(?:个)?(?:里面?|里头|其中"
    r"|上面|名单里?|列表里?|榜上)(?:吗|么|没有?)*\W*"
    r"|\W*(?:and |so )?is \ue000 (?:in (?:there|it|them|that list|the list)|among (?:them|these|those)"
    r"|one of (?:them|these|those)"
    r"|on (?:it|the list|that list)|there)\W*",
    re.I,
)
_PLACE_OF = pattern(
    r"\W*(?:那|那么)?\ue000(?:排|是|在|位列|排名|排在)*(?:第几|老几|多少名|几名)(?:名|位)?(?:呢)?\W*"
    r"|\W*(?:and |so )?(?:where|what place|what rank|what number|which place) (?:is|does) \ue000(?: (?:rank"
    r"|come|stand|in (?:it|them|there)))*\W*",
    re.I,
)


def _asks_place(text: str) -> bool:
    bare = strip_mentions(text, "\ue000")
    return bool(_PLACE_OF.fullmatch(bare) or _IN_LIST.fullmatch(bare))


def tell_place(desk: ToolDesk) -> Reply | None:
    """Say whether, or at which place, the list of the answer before names a security; None for any other message."""
    request = desk.request
    if not request.before or not request.is_words_only or request.sections:
        return None
    said = list(zip(request.before, request.listed, strict=False))
    while said and _asks_place(said[-1][0]):
        said.pop()  # it asked of the same list
    named = find_mentions(request.question)
    if not said or len(named) != 1 or find_mentions(said[-1][0]):
        return None
    codes = said[-1][1]
    if len(codes) < _FEWEST:
        return None
    bare = strip_mentions(request.question, "\ue000")
    placed = _PLACE_OF.fullmatch(bare)
    if placed is None and _IN_LIST.fullmatch(bare) is None:
        return None
    name = wording.head_of(desk, named[0])
    if named[0].code not in codes:
        return reply.reply_of_lines(
            desk.speak("**No**, {name} is not among the {count} that the answer before names.", name=name,
                       count=len(codes))
        )  # fmt: skip
    place = codes.index(named[0].code) + 1
    told = (
        desk.speak("{name} is number **{place}** of the {count} that the answer before names.", name=name, place=place,
                   count=len(codes))
        if placed
        else desk.speak("**Yes**, {name} is number {place} of the {count} that the answer before names.", name=name,
                        place=place, count=len(codes))
    )  # fmt: skip
    return reply.reply_of_lines(told)


_FEWEST = 2
"""Securities of which an answer is a list."""
