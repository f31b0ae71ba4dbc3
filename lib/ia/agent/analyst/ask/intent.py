"""What a message wants, read by rules: nothing in it that is data is looked at."""

import re
from typing import NamedTuple

from ia.agent.analyst.ask.figures import Asked, figures_at, find_figures
from ia.agent.analyst.ask.mentions import LONGEST, Mention, find_mentions, find_near_name, strip_mentions
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.ask.request import UserRequest
from ia.agent.analyst.tables import SHIPPED, Tables
from ia.agent.tools.consent import own_words
from ia.domain.speech.acts import performs_act
from ia.domain.speech.table import MENTION, SENTENCE, has_form, way_of
from ia.organs.sessions import importance_of

_COMMAND = re.compile(r"/([\w][\w-]*)(?:\s+(.*))?\Z", re.S)
_KINDS = (
    "schedule", "praise", "coach", "scan", "asked_memory", "untrack", "track", "prefer", "note", "traded", "believe",
    "order", "review", "holdings", "mainline", "consent", "compare", "help", "greet",
)  # fmt: skip
"""The acts (`ia.domain.speech`) that a message is looked through for; the first is what it wants."""

_HOW_MUCH = re.compile(r"多少|几|是什么水平|报多少|[?？吗]|what|how (much|high|low)|tell me|show|给我|查", re.I)
_QUANTITY = re.compile(
    r"多少|几[天次只个年月倍股手块]|哪[天年月日]|多久|[涨跌]停|创新[高低]|破发|几号|什么时候"
    r"|\bhow (?:many|much|often|long)\b|^\W*when\b|\bdid i\b",
    re.I,
)
"""A question for one fact, which no research answers."""
_PRICED = re.compile(r"\W*(?!what|how|the\b|is\b)([A-Za-z][\w&'. -]{1,30}?)\s+(?:price|close|quote|rate)\W*$", re.I)
_WIDER = re.compile(
    r"怎么样|怎么看|如何|分析|研究|值得|走势|前景|看看|机会|风险大|analy[sz]e|research|outlook|worth|look (at|into)"
    r"|think of",
    re.I,
)
_PROSE = re.compile(
    r"(这|那|该|上面|上述|以上|附带?|下面)(封|篇|个|条|份|段|则|些)?(的)?(邮件|文章|新闻|文件|文本|内容|公告|研报|帖子|消息|信|数据|文字)"
    r"|说了?(些)?什么|讲了?(些)?什么|写了?(些)?什么|摘要|概括|翻译|\bsummar|\btranslate"
    r"|\b(this|that|the|these) (e?mail|article|news|file|text|letter|report|post|message|document|announcement)\b"
    r"|what does (it|this|that) say",
    re.I,
)
_IT = re.compile(r"它|这只|这个(股|票|标的)|该股|\bit\b|\bits\b|\bthis (stock|one)\b", re.I)


_COMMON = frozenset(
    ("this", "that", "with", "from", "what", "when", "your", "have", "about", "into", "they", "them", "then")
)
_WHY = re.compile(r"^(为什么|为啥|凭什么|理由|依据|怎么得出)|(依据|理由)是什么|^why\b|on what grounds", re.I)
_ABOUT = re.compile(
    r"(?:看看|看一下|看下|看|分析一下|分析|研究一下|研究|说说|聊聊)\s*(?P<zh>[^\s，,。？?！!的]{2,8}?)\s*(?:这只|最近"
    r"|近期|近况|现在|怎么样|如何|的|走势|值得|能买|能不能|行情|股票|$)"
    r"|\b(?:analy[sz]e|research|look at|look into|about|how is|how does"
    r"|how about)\s+(?P<en>[A-Z][\w.&' -]{1,30}?)(?:\s+(?:look|doing|do|lately|stock|shares|now)\b|$)"
)  # fmt: skip


_STUDY = re.compile(r"\s*(?:please\s+)?(?:research|study)\s+[A-Z\d]", re.I)
ANSWERABLE = ("", "holdings", "mainline", "compare", "help", "review", "asked_memory")
"""Acts that a question for facts may look like."""
_TASKS = ("schedule", "scan")
"""Acts that a question for a task's runs may look like: 每日复盘跑了吗."""


class Intent(NamedTuple):
    """What is wanted: a kind, the securities named, the words, and of a command its name."""

    kind: str
    securities: list[Mention]
    words: str
    skill: str = ""
    asked: Asked = Asked()


def read_intent(request: UserRequest, tables: Tables = SHIPPED) -> Intent:
    """Return what a request wants. Securities that it leaves out with `it` are those of the message before."""
    first = read_acts(request)
    return read_figures(request, first, tables) if asks_figures(request, first) else first


def read_acts(request: UserRequest) -> Intent:
    """Return what a request wants as far as its command or its act says it; kind "" where they do not.

    What is only to be answered is read in plain words; what is to be kept or done, as it was written.
    """
    written = _read_acts_of(request, request.question)
    if written.kind not in ANSWERABLE:
        return written
    plain = simplify_question(request.question)
    read = _read_acts_of(request, plain) if plain != request.question else written
    return read if read.kind in ANSWERABLE else written


def _read_acts_of(request: UserRequest, text: str) -> Intent:
    command = _COMMAND.match(text)
    words = (command[2] or "").strip() if command else text
    securities = find_mentions(words)
    if not securities and _IT.search(words[:LONGEST]):
        securities = _last_named(request)
    if command:
        return Intent("skill", securities, words, command[1].lower())
    if request.skill:
        return Intent("skill", securities, words, request.skill)
    return Intent(_kind_of(words[:LONGEST], strip_mentions(words), securities), securities, words)


def may_ask_facts(request: UserRequest, first: Intent) -> bool:
    """Return True if a message may ask for facts.

    It may not where data came along, a form is to be filled, it is a command, it names a study, or the workspace is not
    about investing.
    """
    skills = [name for name, _ in request.skills]
    elsewhere = bool(skills) and "research" not in skills
    return not (request.bars or request.data or request.form or first.skill or elsewhere or _STUDY.match(first.words))


def may_ask_tasks(wanted: Intent) -> bool:
    """Return True if a message with the act of a wish is a question, and so may ask for a task that there is."""
    return wanted.kind in _TASKS and has_form(wanted.words[:LONGEST], "question_form")


def asks_figures(request: UserRequest, first: Intent) -> bool:
    """Return True if the figures that a message names decide what it wants."""
    return first.kind in ("", "compare") or (bool(request.bars) and first.kind == "scan")


def read_figures(request: UserRequest, first: Intent, tables: Tables = SHIPPED) -> Intent:
    """Return what a request wants whose act leaves it open: a figure, a research, a comparison, or nothing known."""
    words, securities, kind = first.words, first.securities, first.kind
    plain, figures = strip_mentions(words), figures_at(tables)
    wanted = find_figures(_remove_codes(words[:LONGEST], securities), request.moment.date(), tables, request.speak)
    exact = bool(wanted.figures or wanted.ignored)
    if request.bars:
        alone = exact and not _WIDER.search(plain)
        return Intent("figure" if alone else "piped", securities, words, "", wanted)
    if not kind and _WHY.search(plain) and (named := securities or _last_named(request)):
        return Intent("why", named, words)
    if len(securities) > 1:
        kind = "figure" if exact and _HOW_MUCH.search(plain) and kind == "" else "compare"
    elif securities:
        alone = exact and bool(_HOW_MUCH.search(plain) or len(plain) < 40 or wanted.period != "daily")
        kind = "figure" if alone and not _WIDER.search(figures.look.sub("", plain, count=1)) else "research"
    if kind == "research" and _QUANTITY.search(plain) and not _WIDER.search(plain):
        return Intent("vague", securities, words, "", wanted)
    if kind in ("", "research") and (skill := _skill_for(request, plain, sure=bool(kind))):
        return Intent("skill", securities, words, skill)
    if request.data and kind in ("", "research", "compare") and _PROSE.search(plain):
        return Intent("unknown", securities, words)
    if kind:
        return Intent(kind, securities, words, "", wanted)
    return _read_open(request, words, plain, wanted)


def _read_open(request: UserRequest, words: str, plain: str, wanted: Asked) -> Intent:
    """Return what a message wants that names neither a security nor a kind of work."""
    if (wanted.figures or wanted.ignored) and (_HOW_MUCH.search(plain) or _subject(plain)):
        if named := _last_named(request):
            return Intent("figure", named, words, "", wanted)
        if wanted.figures:
            return Intent("doubtful", [], _subject(plain), "", wanted)
    if importance_of(words[:LONGEST]):
        return Intent("statement", [], words)
    if said := _doubtful(words[:LONGEST]) or find_near_name(plain)[0]:
        return Intent("doubtful", [], said, "", wanted)
    return Intent("unknown", [], words, "", wanted)


def _kind_of(words: str, plain: str, securities: list[Mention]) -> str:
    """Return the first kind that fits; "" where none does.

    What the gate opens an area for is read as the gate does, but a schedule: whoever drafts the task asks back where
    the wish is a question or negated.
    """
    own = own_words(words)
    for act in _KINDS:
        mentioned = way_of(act) in (MENTION, SENTENCE)
        done = has_form(plain, act) if mentioned else performs_act(own, act)
        if done and _fits(act, securities, plain):
            return "note" if act == "traded" and not securities else act
    return ""


def _subject(words: str) -> str:
    """Return what a figure is asked of: what stands before `的`, or between `of` and the end; "" where nothing does."""
    found = re.match(r"\s*(?:请问|查一下|告诉我)?([^\s的，,。？?\d]{2,8}?)(?:现在|今天|最近)?的", words) or re.search(
        r"\bof ([A-Za-z][\w.&' -]{1,30}?)\W*$", words
    )
    found = found or _PRICED.match(words)
    return found[1].strip() if found else ""


def _remove_codes(words: str, securities: list[Mention]) -> str:
    """Return a text without the securities' codes: no number of theirs is a parameter or a year."""
    for mention in securities:
        words = words.replace(mention.said, " ")
    return words


def _skill_for(request: UserRequest, words: str, *, sure: bool) -> str:
    """Return the skill that a message means; "" where it means none, or several.

    It is named in the message, or (not `sure` of anything else) its description shares at least two words with it.
    """
    own = [each for each in request.skills if each[0] not in ("research", "compare", "scan", "review")]
    named: list[str] = [
        name for name, _ in own if re.search(rf"(?<![a-z0-9-]){re.escape(name)}(?![a-z0-9-])", words, re.I)
    ]
    if named or sure:
        return named[0] if len(named) == 1 else ""
    shared = sorted(((len(_terms(words) & _terms(about)), name) for name, about in own), reverse=True)
    if not shared or shared[0][0] < 2 or (len(shared) > 1 and shared[0][0] == shared[1][0]):
        return ""
    return str(shared[0][1])


def _terms(text: str) -> set[str]:
    """Return the Latin words of a text and the pairs of its Chinese characters."""
    wide = re.findall(r"[\u3400-\u9fff]+", text)
    pairs = {run[at : at + 2] for run in wide for at in range(len(run) - 1)}
    return pairs | {word for word in re.findall(r"[a-z]{4,}", text.casefold()) if word not in _COMMON}


def _last_named(request: UserRequest) -> list[Mention]:
    return next((named for said in reversed(request.before) if (named := find_mentions(said))), [])


def _doubtful(words: str) -> str:
    """Return what stands where a security is expected, though none is known by it; "" where nothing does."""
    code = re.search(r"(?<![\d.])\d{6}(?![\d.])", words)
    if code:
        return code[0]
    found = _ABOUT.search(words.strip(" ？?。.!！"))
    return (found["zh"] or found["en"] or "").strip() if found else ""


def _fits(kind: str, securities: list[Mention], words: str) -> bool:
    """Return True if a rule that matched may count.

    A watch list needs something to put there, a comparison two securities, and a main line is the market's.
    """
    if kind in ("track", "untrack"):
        return bool(securities) or bool(re.search(r"[:：]\s*\S|「|“|\"", words))
    if kind == "mainline":
        return not securities
    return kind != "compare" or len(securities) > 1
