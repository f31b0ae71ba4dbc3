"""What somebody says beside a question, of themselves: "coffee in hand", "my wife asks", "I can't remember".

It is set aside only where the question is complete by itself, and nothing in it may bound what is asked: no security,
time, number, exception or word of the subject that the question does not say itself.
"""

import re
from datetime import date
from itertools import pairwise

from ia.agent.analyst.ask import ideas, own_words
from ia.agent.analyst.ask.facts import industry_forms
from ia.agent.analyst.ask.mentions import LONGEST, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import find_time_spans
from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import pattern

_ASKING = (
    r"(?:what|how|which|when|who|whose|where|why|is|are|am|was|were|do|does|did|has|have|had|can|could|would"
    r"|will|should"
    r"|any|by how|at what|at which|on what|on which|in what|in which|for which|since when|show|give|tell|list|name"
    r"|remind|explain|compare|check|look up|find|read|say|put|run|convert)\b"
)
_CUTS = pattern(
    rf"(?:[.?!…;:](?:\s+|\Z)|\s[-–—]+\s|\n+|,\s+(?:(?:but|so|and|then)\s+)?(?={_ASKING})"
    r"|,\s+(?=(?:i|i'm|i've|i'd|my|we|he|she|people|everyone|it's been|don't)\b(?! (?:mean|hold|own|have|had)\b)))",
    re.I,
)
"""Where one part of an English message ends."""
_CUTS_ZH = pattern(r"[，。！？；…,!?;~～]+\s*|\s{1,}(?=[\u4e00-\u9fff])|\n+")
_ASKS = pattern(
    rf"\A\W*(?:(?:but|so|and|then|now|also|well|ok(?:ay)?|please|just|quickly)\b[, ]*)*{_ASKING}|[?？]\s*\Z"
    r"|\b(?:what|which|how (?:much|many|far|long|big)|whether)\b"
    r"|多少|几|哪|谁|什么|怎么|如何|为[何啥]|啥|咋|是否|是不是|有没有|能不能|会不会|该不该|要不要|还是|吗\W*\Z|[没不]\W*\Z"
    r"|([\u4e00-\u9fff])(?<![对好行])[没不]\1|\A\W*(?:请|你|快|先|再|就|麻烦|劳驾|能不能|可以|直接)*(?:帮|给我|替我|看看?|查(?!账)|列|报|说|算"
    r"|讲)(?!.*[吧了]\W*\Z)",
    re.I,
)
"""A part that asks for something."""
_PERSON = (
    r"(?:i|i'm|i've|i'd|i'll|you'll|you'd|you're|you (?:may|might|will)|we|we're|we've|he|she|they|people"
    r"|some(?:one|body)|every(?:one|body)|no(?:body| one)"
    r"|(?:my|the|our) (?:\w+[- ])?(?:wife|husband|partner|son|daughter|kids?|boss|friends?|accountant"
    r"|colleagues?|broker"
    r"|brother|sister|dad|mum|mom|father|mother|neighbou?r|cousin|uncle|aunt|family|doctor|hands?|eyes|memory|head"
    r"|phone|train|bus|bank|advis[eo]r|brother-in-law|sister-in-law|father-in-law|mother-in-law|tax adviser|barber))"
)
_PERSONAL = pattern(
    r"\A\W*(?:(?:so|well|right|ok(?:ay)?|hi|hello|hey|and|but|now|look|listen|sorry|honestly|also|actually|yes"
    r"|no)\b[,.! ]+)*"
    rf"(?:{_PERSON}\b|it(?:'s| is) (?:probably|been|late|early|silly|stupid|nothing|a (?:silly|stupid|dumb|simple))\b"
    r"|this (?:is|may be|might be|sounds) (?:probably |a )*(?:silly|stupid|dumb|basic|obvious|simple)\b"
    r"|(?:that's|there's) (?:what|why|been|no hurry|no rush)\b|just (?:curious|wondering|checking|out of|back"
    r"|off|woke|in)\b"
    r"|(?:still|back|out of|off|between|on (?:my|the) (?:way|phone|train|bus|road|plane)|in a (?:hurry|rush|meeting)"
    r"|short (?:on|of) time|no (?:time|rush|hurry|idea|clue)|not (?:sure|urgent)|running late|half asleep|tired)\b"
    r"|(?:can't|cannot|don't|couldn't) (?:remember|recall|sleep|laugh|judge|worry|hurry|rush|shout"
    r"|get me wrong|be cross)\b"
    r"|(?:forgot(?:ten)?|forget|excuse|forgive|pardon|bear with|humou?r|silly me|(?:a )?(?:dumb|silly|stupid"
    r"|quick) (?:one|question))\b"
    r"|long (?:day|week|night|shift|story)\b|(?:coffee|tea|lunch|breakfast|dinner|homework|night shift)\b"
    r"|(?:having|been|doing|thinking|planning|trying|filling|preparing|wondering|looking|waiting|sitting|about to)\b"
    r"|(?:before|while|as|since|now that|after) (?:i|we|the kids|my)\b|for (?:my|the) (?:records?|diary|taxes"
    r"|books?)\b"
    r"|(?:last|final|another|one more|next) (?:one|question|thing)\b)"
    r"|\A\W*(?:我|咱|俺|老[婆公伴妈爸]|媳妇|孩子|儿子|女儿|同事|朋友|领导|老板|亲戚|邻居|客户|爸|妈|家里|店里|公司里|单位"
    r"|刚|在(?:地铁|车|路|外|火车|飞机|公司|家|单位|店|开会|上班|排队|医院)|别笑|别嫌|别催|随便|随口|睡不着|心里|记性|眼睛|手机|忙|开会|上班|下班|加班|吃饭|没空|没时间|没看"
    r"|没顾上|忘|记不|想不起来"
    r"|搞不|不好意思|打扰|急|在线等|老了|最近太忙|今天太忙|才|终于|好久没|一直没|闲着|无聊|好奇|有点[慌怕急担紧])",
    re.I,
)
"""How somebody begins to speak of themselves and their people."""
_UNSURE = pattern(
    r"\b(?:can(?:'t|not) (?:remember|recall)|(?:don't|do not|never|didn't) (?:remember|recall|know|understand|look)"
    r"|forg[eo]t|forgotten|lost track|no idea|not sure|mix(?:ed|ing)? .{0,12}up|confus\w+|unsure|no clue"
    r"|thinking (?:of|about)|considering|tempted to|wondering|nervous|worried|worry(?:ing)?|bother\w*)\b"
    r"|忘|记不|不记得|想不起来|搞不清|分不清|没底|不确定|没注意|没留意|不清楚|糊涂|犹豫|纠结|在想|考虑",
    re.I,
)
"""Says that somebody does not know something, or thinks about it: what it is then is asked, and bounds nothing."""
_BOUNDS = pattern(
    r"\b(?:only|except\w*|without|besides|unless|if|whether|exclud\w+|ignor\w+|leav\w+|skip\w*|count(?:ed"
    r"|ing)?|apart|instead"
    r"|rather than|other than|suppos\w+|assum\w+|imagin\w+|prefer\w*|second|third|half|each|per|until|till"
    r"|mean(?!ing)"
    r"|want|include|including|please|meant(?! to)|live|living|based|resident|citizen\w*|abroad)\b"
    r"|只(?!是)|就[想要看]|除|不算|不含|不要|不用|别算|别管|如果|假[如设]|要是|的话|单独|光|另外|包括|按|折|每",
    re.I,
)
_SAYERS = (
    r"(?:the (?:news|papers?|radio|tv|internet)|(?:my|our|the|a|an|some|one) (?:[\w-]+ ){0,3}?[\w-]+"
    r"|some(?:one|body)|people|everyone|they|he|she|i)(?: (?:at|in|from|on) (?:the|my|our) \w+)?"
)
_CLAIM = pattern(
    rf"\A\W*(?:(?:so|well|ok(?:ay)?|hi|hello|now)\b[,.! ]+)*(?:i(?:['’]m| am) told|according to (?:my|the|a"
    rf"|some) [\w -]{{2,30}}?,"
    rf"|{_SAYERS} (?:just |always |now |keeps? |kept |has |have )*"
    r"(?:says?|said|saying|claims?|claimed|told me|tells me|telling me|thinks?|believes?|swears|swore|insists?"
    r"|insisted"
    r"|reckons?|is (?:sure|convinced|certain)|heard|hear|was told|read|read somewhere|read in the paper|saw))"
    r"(?: (?:today|yesterday|this morning|last night|at work|at dinner|on the radio|on tv|somewhere))?(?: that)? "
    r"(?P<claim>[^?]{6,120}?)(?:[.,;:!?…]+|\s[-–—]+)\s*(?:(?:and|so|but)\b )?"
    r"(?:(?:is|was|isn't|can) (?:that|it|this|he|she|they)(?: really| actually| even| be)? (?:so|true|right"
    r"|correct|the case|accurate)"
    r"|(?:are|were) they (?:right|correct)|true or (?:false|not)|(?:true|right|correct|really)(?=\?)"
    r"|(?:has|have|did|does|do|is|was|are|were) (?:it|they|he|she)(?=\W*\Z))\W*\Z",
    re.I,
)
_CLAIM_ZH = pattern(
    r"\A(?:听说|据说|听人说|有人说|人家说|网上说|新闻说|都说|大家都?说|(?:我?(?:同事|朋友|老[婆公爸妈板]|爸|妈|儿子|女儿|领导|邻居|亲戚|舅舅|姐夫|哥们|群里|他们|媳妇)"
    r"(?:今天|刚才?|昨天|一直)?(?:跟我)?[说讲]))(?:是)?[，,：: ]?(?P<claim>[^，,。？?]{4,40})[，,。；;！!]?\s*"
    r"(?:这?是真的(?:吗|么|假的)|真的(?:吗|么|假的)|真有?这?[么]?回?事吗|是不是真的|真假|(?:说得|这话)?对[吗不](?:对)?|是吗|有这[回]?事[吗儿没]*|是这样吗?|没错吧"
    r"|属实吗?)\W*\Z"
)
"""What somebody else says, and whether that is so."""
_LEAD = pattern(
    r"\A\W*(?:(?:so|well|ok(?:ay)?|hi|hello|and|but)\b[,.! ]+)*"
    r"(?:before (?!\w+day\b)[^?.\d%]{3,60}?,? i(?:'d| would)?(?: just| really)? (?:want|need|like|have|wanted)"
    r" to (?:know|see|check|find out|be sure)"
    rf"|{_SAYERS} (?:just |has |have |keeps? )*(?:asked|asking|asks|wants to know|wanted to know|wonders"
    rf"|is wondering)(?: me)?"
    r"(?: (?:at|over|during) (?:dinner|lunch|breakfast|work|the \w+)| today| yesterday| this morning| last night)?)"
    r"[,:]? (?:about |of )?(?:(?P<if>if )|(?=(?:whether|what|how|which|who|when|where|why|at what|the|my)\b))",
    re.I,
)
"""When or by whom something is asked, before what is asked: "before the market opens I want to know what"."""
_OPENING = pattern(
    r"\A(?:\W*(?:for what it['’]s worth|funny thing|here['’]s the thing|to be honest|(?:just )?between (?:us"
    r"|you and me)|hang on|hold on|fingers crossed|touch wood|before i forget|while i (?:remember|think of it)"
    r"|by the by|anyway|right then|phew|wow|gosh|quick (?:sanity )?check"
    r"|correct me if i['’]m wrong|if i (?:remember|recall) (?:right|rightly|correctly)|if memory serves(?: me)?"
    r"|unless i['’]m (?:mistaken|wrong)|is it just me,? or|no need (?:for|to) [^,.:;?]{2,40}"
    r"|just the (?:number|figure|date|name|answer|facts)(?: please)?|silly question"
    r"|maybe (?:it['’]s )?a silly question)"
    r"[,.:;!…-]*\s+(?:(?:but|and|so)\b )?)+"
    r"|\A\W*(?:[哎唉诶嗨哟][，,！!]*|我这(?:手气|运气|记性|脑子|眼光)|懒得(?:翻|找|查|看)了?|别的(?:先|都)?不(?:说|管|问|谈)|说句实话|说实话|跟你打听(?:个事"
    r"|一下)?|打听(?:个事|一下)|(?:我)?记得没错的话|没记错的话|不瞒你说"
    r"|闲话少说|长话短说|说正事)[，,：: ]*(?:就(?:说|问|看))?",
    re.I,
)
"""How one begins to speak, which says nothing of what is asked."""
_DO_YOU_KNOW = pattern(
    r"[.?!]\s*(?:do you (?:know|happen to know|remember)|any idea|can you (?:tell|help|say|check|look)(?: me)?"
    r"|could you (?:tell|help|say|check|look)(?: me| it up| that up)?|what (?:do|should) i (?:say|tell (?:him"
    r"|her|them)))\W*\Z",
    re.I,
)
_HEARSAY = pattern(
    rf"\A\W*{_SAYERS} (?:just |always |now |keeps? |kept |has |have |is |are |was |were )*"
    r"(?:says?|said|saying|claims?|claimed|rav(?:es?|ing)|going on|goes on|talks?|talking|talked|mentions?|mentioned"
    r"|recommends?|recommended|swears?|writes?|wrote|brags?|bragging|complains?|complaining)\b",
    re.I,
)
"""Tells what others say of the matter."""
_MEANT_TO = pattern(
    r"\b(?:was|were) going to\b|\bmean(?:t|ing) to\b|\bwanted to\b|\bpromised\b|想看没看|本来想|一直想", re.I
)
"""Says when somebody meant to ask, which is no time of what is asked."""
_TRADES = frozenset(
    ("BUY", "BUYING", "SELL", "HOLD", "OWN", "TRADE", "STOCK", "ALL", "EACH", "MORE", "FIRST", "EXCEPT")
)
_HARMLESS = frozenset(
    (
        "IDLE", "ME", "KEEP", "NOT", "UP", "DOWN", "FAILED", "PUBLISH", "FAR", "WANTED", "JUMPY", "MONEY",
        "HASBEEN", "DAY", "SINCE", "OPEN", "ADDX", "NOTE", "UNKNOWN", "WHERE", "THERE", "ACTIVE", "TELLME", "LOOKED",
        "TIME", "WEEK", "CAN", "WILL", "SAID", "WHY", "WHEN", "STILL", "YET", "LONG", "LIST", "RUN", "EVER", "COMING",
        "SHOULD", "GOODLEVEL", "NEXT", "IT", "DO", "STX", "MODEL", "HAPPEN", "GOT", "OFF", "WHICH", "REST",
        "TRIGGER", "SEARCH"
    )
)  # fmt: skip
"""Ideas whose words are said of anything, too."""
_SPELL = pattern(
    r"\b(?:a|one|two|three|five|ten|thirty|\d+) (?:minutes?|mins?|seconds?|secs?|hours?)\b|\b(?:the )?(?:whole"
    r"|entire|all) (?=day|week|month)"
    r"|\b(?:bought|sold) (?:it|them) (?:once|twice|three times|several times|in parts)\b|\bhalf (?:asleep"
    r"|awake|blind|an hour)\b|\bmy own\b|\b(?:back )?(?:from|on|off on|after) (?:a |my |our )?(?:holidays?"
    r"|vacation|leave|course|trip)\b"
    r"|\btax (?:return|form|adviser|office|man)\b|\b(?:form|letter|meeting|call|appointment) (?:for|from|with"
    r"|at|to) the bank\b"
    r"|\bbetween (?:two |my |our )?(?:meetings|patients|classes|lessons|calls)\b|\blost my (?:spreadsheet"
    r"|notebook|notes|phone|records?|papers?)\b"
    r"|(?:两|几|五|十)(?:分钟|秒)|记性|加班",
    re.I,
)
_AHEAD = pattern(
    r"\b(?:(?:this|at the|over the|next) weekend|tonight|tomorrow|this (?:morning|evening|afternoon)|last night)\b"
    r"|周报|最近(?:太|一直|都|总|实在)?忙|昨晚|今晚|明天|早上|刚才",
    re.I,
)
"""When somebody means to think about it, or was busy."""
_POINTS = pattern(r"\b(?:it|its|they|them|their|that|this|those|these|he|she|there)\b|它|这|那|其", re.I)
"""What may point at something in an aside."""


def drop_asides(text: str, today: date) -> str:
    """Return a message without what is said beside its questions; as it was where nothing is, or it may matter.

    >>> day = date(2024, 3, 15)
    >>> drop_asides("Right, coffee in hand. How did the market do this week?", day)
    'How did the market do this week?'
    >>> drop_asides("What's my average cost on CATL? I bought it twice and can't remember how it worked out.", day)
    "What's my average cost on CATL?"
    >>> drop_asides("I missed the whole week. Give me the close of CATL from Monday to today.", day)
    'Give me the close of CATL from Monday to today.'
    >>> drop_asides("我昨晚加班没看盘，腾讯昨天收多少", day)
    '腾讯昨天收多少'
    >>> drop_asides("I only count yuan. How much cash do I have?", day)
    'I only count yuan. How much cash do I have?'
    >>> drop_asides("I was away in May. How did CATL do?", day)
    'I was away in May. How did CATL do?'
    """
    if len(text) > LONGEST:
        return text
    whole, text = text, _OPENING.sub("", text)
    if (asked := ask_tag(_ask_claim(text))) != text:
        return asked
    text = _DO_YOU_KNOW.sub("?", _LEAD.sub(lambda found: "whether " if found["if"] else "", text))
    parts = _split(text)
    asks = [_ASKS.search(part) is not None for part in parts]
    if not any(asks):
        return whole if text == whole else _name_topic(text, whole)
    rest = _name_topic("".join(part for part, asked in zip(parts, asks, strict=True) if asked), whole)
    left = [asked or not _is_aside(part, rest, today) for part, asked in zip(parts, asks, strict=True)]
    if all(left):
        return whole if text == whole else _name_topic(text, whole)
    kept = "".join(part for part, stays in zip(parts, left, strict=True) if stays)
    kept = _name_topic(kept, whole)
    return re.sub(r"\A\W*(?:(?:but|so|and|then|但是?|所以|那么?)\b[, ]*)?", "", kept).strip(" ,，;；:：-–—")


def _name_topic(rest: str, text: str) -> str:
    """Return the questions of a message with the one security that is named beside them, where they point at it.

    >>> _name_topic("What's its P/E?", "My neighbour keeps going on about BYD. What's its P/E?")
    "What's BYD's P/E?"
    """
    named = {each.symbol: each.said for each in find_mentions(text)}
    if not named and (groups := _GROUP_PRONOUN.search(rest)):
        said = next((found[0] for form, _ in industry_forms(text) if (found := form.search(text))), "")
        return (
            f"{rest[: groups.start()]}{said} stocks{rest[groups.end() :]}" if said and not find_mentions(rest) else rest
        )
    if len(named) != 1 or find_mentions(rest):
        return rest
    said = next(iter(named.values()))
    if _FIGURE_ZH.match(rest):
        return said + rest
    if not _PRONOUN.search(rest) and (found := _OF_WHICH.search(rest)):
        return f"{rest[: found.end()]} of {said}{rest[found.end() :]}"
    return _PRONOUN.sub(lambda found: said + {"its": "'s", "it's": " is"}.get(found[0].casefold(), ""), rest, count=1)


_GROUP_PRONOUN = pattern(r"\bthey\b", re.I)
_PRONOUN = pattern(r"\b(?:it's|its|it)\b(?! (?:true|so|right|correct|worth it|safe|time)\b)", re.I)
_OF_WHICH = pattern(
    r"\bhow many shares\b(?! of\b)|\b(?:the|current|latest) (?:price|dividend|yield|margin)(?=\W*\Z)",
    re.I,
)
"""Shares or a figure, of which it is not said whose."""
_FIGURE_ZH = pattern(
    r"\A\W*(?:它的?|的)?(?:市[盈净销]率|股息率|毛利率|净利率|负债率|营收|净利润|市值|收盘|股价|现价|今天|昨天|今年|这[周月]|财报|分红)"
)


def _ask_claim(text: str) -> str:
    """Return a message that asks whether what somebody says is so as the question whether it is; others as they were.

    >>> _ask_claim("My brother-in-law says Moutai fell more than 3% today. Is that true?")
    'did Moutai fall more than 3% today?'
    >>> _ask_claim("听说茅台今天跌了3%，真的吗"), _ask_claim("He says hello")
    ('茅台今天跌了3%吗', 'He says hello')
    """
    if found := _CLAIM.match(text):
        claim = found["claim"].strip()
        return f"{_invert(claim, _BEEN, _DONE, _PRESENT) or f'Is it true that {claim}'}?"
    found = _CLAIM_ZH.match(text)
    return f"{found['claim'].rstrip('了啦')}{'了' if found['claim'][-1] in '了啦' else ''}吗" if found else text


def _find_ideas(text: str) -> set[str]:
    return ideas.find_named_ideas(text) | own_words.find_named_ideas(text)


def _split(text: str) -> list[str]:
    """Return the parts of a message, with the signs between them."""
    cuts = (_CUTS_ZH if count_han(text) else _CUTS).finditer(text)
    ends = [0, *(found.end() for found in cuts), len(text)]
    return [text[begin:end] for begin, end in pairwise(ends) if text[begin:end].strip()]


def _is_aside(part: str, rest: str, today: date) -> bool:
    """Return True if a part of a message is said of its author, and bounds nothing of the rest."""
    if not (_PERSONAL.search(part) or _HEARSAY.search(part)):
        return False
    plain = _SPELL.sub(" ", _AHEAD.sub(" ", strip_mentions(part)))
    if _BOUNDS.search(plain) or re.search(r"\d", plain):
        return False
    if {each.symbol for each in find_mentions(part)} - {each.symbol for each in find_mentions(rest)}:
        return False
    if find_time_spans(plain, today) and not _MEANT_TO.search(part) and not find_time_spans(rest, today):
        return False
    if _HEARSAY.search(part) and find_mentions(rest):
        return True
    said = _find_ideas(plain) - _HARMLESS - _find_ideas(rest)
    return said <= _TRADES if _UNSURE.search(part) else not said


_TAG = pattern(
    r"\A\W*(?:(?:so|and|but|well)\b,? )*(?P<said>[^?.!]{6,100}?),? (?P<aux>is|are|was|were|do|does|did|have"
    r"|has|had|will|can)"
    r"(?P<no>n['’]t)? (?P<who>i|it|they|we|he|she|there|that)\W*\Z",
    re.I,
)
"""A statement that is turned into a question at its end: "I sold it, didn't I?"."""
_PAST = {
    "sold": "sell", "bought": "buy", "fell": "fall", "rose": "rise", "lost": "lose", "made": "make", "paid": "pay",
    "wrote": "write", "said": "say", "set": "set", "closed": "close", "dropped": "drop", "gained": "gain", "went": "go",
    "beat": "beat", "hit": "hit", "noted": "note", "got": "get", "cost": "cost",
}  # fmt: skip
_DONE = pattern(rf" (?P<verb>{'|'.join(_PAST)})\b", re.I)
_PRESENT = pattern(
    r" (?P<verb>(?:hold|own|pay|have|trade|yield|cost|need|run|owe|look|go|sell|buy|make|earn)s?|has)\b", re.I
)
_BEEN = pattern(
    r"(?P<verb>(?<=\w )(?:is|are|was|were|has|have|had|will|can)|'(?:s|ve|re|ll))(?P<no>n't| not"
    r"| never)?\b(?= )",
    re.I,
)


def ask_tag(text: str) -> str:
    """Return a statement that is asked at its end as the question that it is; any other text as it was.

    >>> ask_tag("I sold Ping An at a profit, didn't I?"), ask_tag("The market was down today, wasn't it?")
    ('did I sell Ping An at a profit?', 'was The market down today?')
    >>> ask_tag("I've never sold any Tencent, have I?"), ask_tag("Tencent pays a dividend, doesn't it?")
    ('have I ever sold any Tencent?', 'does Tencent pay a dividend?')
    >>> ask_tag("I sold 100 shares, tell them")
    'I sold 100 shares, tell them'
    """
    found = _TAG.match(text)
    if found is None:
        return text
    said, aux = found["said"].replace("’", "'"), found["aux"].casefold()
    verbs = {"do": _PRESENT, "does": _PRESENT, "did": _DONE}.get(aux, _BEEN)
    return f"{asked}?" if (asked := _invert(said, verbs)) else text


def _invert(said: str, *verbs: re.Pattern[str]) -> str:
    """Return a statement as a question, by its first verb of some kinds; "" where it has none of them.

    >>> _invert("Moutai pays no dividend", _PRESENT), _invert("he saw it", _DONE)
    ('does Moutai pay no dividend', '')
    """
    found = min(
        (match for form in verbs if (match := form.search(said, 1))), key=lambda each: each.start("verb"), default=None
    )
    if found is None:
        return ""
    who, verb, rest = said[: found.start("verb")].strip(), found["verb"].casefold(), said[found.end() :]
    if found.re.pattern == _BEEN.pattern:
        aux = {"'s": "is", "'ve": "have", "'re": "are", "'ll": "will"}.get(verb, verb)
        never = found["no"] and aux in ("have", "has")
        return f"{aux} {who}{' ever' if never else ''}{rest}"
    if verb in _PAST:
        return f"did {who} {_PAST[verb]}{rest}"
    singular = verb == "has" or (verb.endswith("s") and verb != "is")
    base = "have" if verb == "has" else verb.removesuffix("s")
    return f"{'does' if singular else 'do'} {who} {base}{rest}"
