"""Talk about lists: what was just taken off the watch list, and where a security stands in the list of an answer."""

import re
from dataclasses import replace

from ia.agent.analyst.ask import intent
from ia.agent.analyst.ask.follow_own_again import LISTED
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import held, wording
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.voice import count_han
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


_PUT_THERE = pattern(
    r"\W*(?:ok(?:ay)?|yes|then|so|and|please|now|well)?[ ,]*(?:please )?(?:put|add|stick|place|include)"
    r" (?P<en>it|them|that|that one)"
    r"(?: (?:there|in there|on there|on it|to it|in it|on|in)(?: (?:as well|too|then))?)?(?: please)?\W*"
    r"|\W*(?:那|就|请|帮我|好的?|给我)*(?:把?(?P<zh>它们?|这只|那只|这个)?(?:也|就)?(?:加|放|添)"
    r"(?:一?下|上去?|进去?|到里面|到那里|到那儿|到名单里?)(?:吧)?)\W*",
    re.I,
)
_LISTS = pattern(r"watch ?list|\bwatch(?:ing|ed)?\b|自选|关注", re.I)
_NEAR = 2
"""Messages before in which the list that is meant may be named."""


def name_place(desk: ToolDesk) -> Reply | None:
    """Put the watch list, of which the message before spoke, in the place of "there"; ask back where none did."""
    request = desk.request
    found = _PUT_THERE.fullmatch(request.question) if request.before and request.is_words_only else None
    if found is None or request.sections:
        return None
    if any(_LISTS.search(said) for said in request.before[-_NEAR:]):
        who = found["en"] or found["zh"] or ("它" if count_han(request.question) else "it")
        asked = f"把{who}加到自选" if count_han(request.question) else f"add {who} to my watch list"
        desk.request = replace(request, question=asked)
        return None
    return reply.reply_of_lines(
        desk.speak("Where to? Say for example “add {name} to my watch list”; nothing was done.",
                   name=(request.listed[-1:] and request.listed[-1][:1] and request.listed[-1][0]) or "600519")
    )._replace(understood=False)  # fmt: skip


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
_MINE_AMONG = pattern(
    r"\W*(?:and |so )?(?:are |is |do i (?:own|hold|have|watch) )?(?:any|some|which|one)(?: ones?)?"
    r" of (?:those|them|these)(?: stocks| shares| names)?(?: are| is)?"
    r"(?: (?:already )?(?:on|in) my (?:watch ?list|list|favourites)"
    r"| (?:on|in) my (?:portfolio|account|book)| mine| (?:that )?i (?:own|hold|have|watch)"
    r"| do i (?:already )?(?:own|hold|have|watch))?\W*"
    r"|\W*(?:and |now |so |but )?(?:only|just) (?:the )?(?:ones|those|stocks|names|shares)?(?: that| which)? ?i"
    r" (?:currently |already |actually )?(?:own|hold|have|watch)(?: please)?\W*"
    r"|\W*(?:and |so |but )?do i (?:currently |already )?(?:own|hold|have|watch) any(?: of (?:those|them|these|it))?\W*"
    r"|\W*(?:那|那么)*(?:只看|只要|光看|只留|就看)?我(?:自己|现在|目前)?(?:有没有|都?有|是否)?(?:(?<=有没有)(?=\W*$)|持有|持仓|拿着|买了?|关注|自选)(?:着)?(?:的|了的|中的|里的|哪[些几][只个]?|其中哪[些几]?[只个]?)?(?:股票?)?(?:吗|么|呢|没有?)*\W*"
    r"|\W*(?:那|那么)*(?:这|那)?(?:里面|其中|当中|些)?(?:里)?(?:有没有|有|哪些|哪[几]?[只个]|是不是有)(?:是|在)?我(?:的)?"
    r"(?:自选|关注|持有|持仓|手里|买)(?:股|列表)?(?:里|中)?(?:的|了的|过的)?(?:股票|票)?(?:吗|么|没有?|呢)*\W*",
    re.I,
)
_IN_TOLD = pattern(r"这里面?|\b(?:of|among) (?:those|these|them)\b", re.I)
"""Those that the answer named are meant, and no other list."""
_WATCH_SAID = pattern(r"watch|list|favourites|自选|关注", re.I)
_OWN_SAID = pattern(r"own|hold|have|portfolio|account|book|mine|持|手里|买|有没有\W*$", re.I)


def tell_mine(desk: ToolDesk) -> Work[Reply | None]:
    """Say which securities of the answer before the owner holds or watches; None for any other message."""
    request = desk.request
    found = _MINE_AMONG.fullmatch(request.question) if request.before and request.is_words_only else None
    if found is None or request.sections:
        return None
    if LISTED.search(request.before[-1]) and not _IN_TOLD.search(request.question):
        return None  # a list is asked for again, of what is the owner's: it may have named only the first of many
    codes = list(zip(request.before, request.listed, strict=False))[-1][1]
    watched = _WATCH_SAID.search(request.question) is not None
    if not codes or watched == (_OWN_SAID.search(_WATCH_SAID.sub(" ", request.question)) is not None):
        return None
    result = yield from desk.one("watch.list" if watched else "account.status")
    if result.failure is not None:
        return None
    own = {str(row.get("symbol")) for row in wording.rows_of(result, "items")}
    own = own if watched else set(wording.objects_of(result, "positions"))
    mine = [code for code in codes if code in own]
    weights = {} if watched else (yield from held.load_weights(desk, result))
    names = desk.speak.join_items(
        [
            f"**{wording.security_name(desk, code, '')}**" + (f" {weights[code]:.2f}%" if code in weights else "")
            for code in mine
        ]
    )
    if not mine and watched:
        told = desk.speak(
            "**None** of the {count} that the answer before names is on the watch list.", count=len(codes)
        )
    elif not mine:
        told = desk.speak("You hold **none** of the {count} that the answer before names.", count=len(codes))
    elif watched:
        told = desk.speak("On the watch list: {names} ({part} of the {count} that the answer before names).",
                          names=names, part=len(mine), count=len(codes))  # fmt: skip
    else:
        told = desk.speak("You hold: {names} ({part} of the {count} that the answer before names).",
                          names=names, part=len(mine), count=len(codes))  # fmt: skip
    return reply.reply_of_lines(told)


_MOVERS = pattern(
    r"[涨跌]幅[榜最前]|[涨跌]得最|领[涨跌]|\b(?:gainers?|losers?|decliners|risers|fallers|winners"
    r"|(?:rose|fell|gained|lost) (?:the )?most)\b",
    re.I,
)
"""A question for the largest moves, of which a part is looked up among those that were named."""
_PART_OF = pattern(
    r"\W*(?:(?:and|so|but) )*(?:of|among|from) (?:those|these|them|the list),? (?:which|what|how many|who|any)"
    r"(?: ones?| stocks)?(?: (?:is|are|have|has|with))* (?P<en>.{3,60}?)\W*"
    r"|\W*(?:(?:and|so|but) )*(?:which|how many|any|are any|do any)(?: ones?| stocks)? of (?:those|these|them)"
    r"(?: (?:is|are|have|has|with))* (?P<en2>.{3,60}?)\W*"
    r"|\W*(?:那|那么)?(?:这|那)?(?:其中|里面|当中|它们|这些)(?:里面?|中)?的?(?:股票)?(?:有)?(?:哪[些几][只个]?|谁|几只|有没有)?(?:是|属于)?"
    r"(?P<zh>[^，,。]{2,20}?)(?:的)?(?:有)?(?:有哪些|有几只|是哪些|哪些|吗|呢)*\W*",
    re.I,
)


def tell_part(desk: ToolDesk) -> Work[Reply | None]:
    """Say which of the largest moves that the answer before names meet a condition; None for any other message."""
    request = desk.request
    found = _PART_OF.fullmatch(request.question) if request.before and request.is_words_only else None
    if found is None or request.sections or len(request.listed) < len(request.before):
        return None
    codes = [code for code in request.listed[-1] if code.endswith((".SH", ".SZ", ".BJ"))]
    if len(codes) < _FEWEST or len(codes) < len(request.listed[-1]) or not _MOVERS.search(request.before[-1]):
        return None
    from ia.agent.analyst.jobs.facts import screen_facts

    return (yield from screen_facts.answer_part(desk, codes, found["en"] or found["en2"] or found["zh"]))


_THEY = pattern(r"它们|这[些几](?:只|个)?(?:股票)?|\b(?:their|they)\b", re.I)
_LIST_BEFORE = pattern(
    r"前[一二三四五六七八九十\d]|[只家个]股票|股票|公司|\b(?:stocks|shares|companies|top|largest|biggest|highest|lowest|banks)\b",
    re.I,
)
_MOST_NAMED = 10
_WHY = pattern(r"为(?:什么|何|啥)|怎么会|原因|\b(?:why|because|reason|cause)\b", re.I)
"""Asks for what is told of one security at a time."""
_GROUP_OF = pattern(
    r"\W*它们?的?(?:所属)?(?:行业|板块)(?:是什么|是啥|呢)?\W*|\W*它们的?(?:都|分别)?(?:属于|是)(?:什么|哪个|哪些)(?:行业|板块)的?\W*"
)

_OWN = pattern(r"我|自选|持仓|\b(?:i|my|watch ?list)\b", re.I)


def name_all(desk: ToolDesk) -> None:
    """Put all that a list of the market named into the place of "they" in a question that goes on with it."""
    request = desk.request
    said = request.question
    if not request.before or not request.is_words_only or request.sections or len(request.listed) < len(request.before):
        return
    codes, before = request.listed[-1], request.before[-1]
    found = _THEY.search(said)
    if found is None or not _FEWEST < len(codes) <= _MOST_NAMED or find_mentions(said) or find_mentions(before):
        return
    if (
        _OWN.search(f"{said} {before}")
        or _WHY.search(said)
        or not (_MOVERS.search(before) or _LIST_BEFORE.search(before))
    ):
        return
    chinese = count_han(said) > 0
    names = "、".join(codes) if chinese else f"{', '.join(codes[:-1])} and {codes[-1]}"
    if _GROUP_OF.fullmatch(said):
        told = f"{names}属于什么行业"
    elif chinese or found[0].casefold() == "they":
        told = said[: found.start()] + names + said[found.end() :]
    else:
        told = f"{said[: found.start()]}{said[found.end() :].strip(' ?.')} of {names}".replace("  ", " ")
    desk.request = replace(request, question=told, before=[], listed=[])


_ASKED = pattern(
    r"\W*(?:我们?|咱们?)(?:什么时候|何时|哪一?天|几号|有没有|之前|以前|曾经?|是不是|是否|上次|最近|在)*"
    r"(?:问|聊|谈|讨论|提)(?:起|到)?过(?:你)?(?:关于)?(?!多少|几|什么|啥|哪|第)(?P<zh>[^，,。；;？?！!]{2,12}?)"
    r"(?:的(?:问题|事情?)|吗|么|没有?|呢)*\W*"
    r"|\W*(?:when did|did|have|when have) (?:i|we) (?:ever |last |already )?(?:ask|asked|talk|talked|discuss|discussed)"
    r"(?: you)?(?: (?:about|of))? (?P<en>(?!what|how|which|anything\b)[^,.;?!]{2,40}?)(?: before)?\W*",
    re.I,
)
_OF_NOTES = pattern(r"笔记|日记|理由|\b(?:notes?|diary|reasons?)\b", re.I)


def tell_asked(desk: ToolDesk) -> Work[Reply | None]:
    """Name the earlier sessions in which something was asked about; None for any other message."""
    request = desk.request
    found = _ASKED.fullmatch(request.question) if request.is_words_only and not request.sections else None
    if found is None:
        return None
    topic = (found["zh"] or found["en"]).strip()
    if _OF_NOTES.search(topic):
        return None
    from ia.agent.analyst.jobs.facts import session_facts

    return (yield from session_facts.tell_sessions(desk, {"words": topic}))
