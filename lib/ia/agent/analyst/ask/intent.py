"""What a message wants, read by rules: nothing in it that is data is looked at."""

import re
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.figures import Asked, figures_at, find_figures
from ia.agent.analyst.ask.follow_on import complete_question, find_subject
from ia.agent.analyst.ask.follow_words import is_bare
from ia.agent.analyst.ask.mentions import (
    LONGEST,
    Mention,
    find_mentions,
    find_near_name,
    find_short_names,
    strip_mentions,
)
from ia.agent.analyst.ask.plain_words import fold_characters, simplify_question
from ia.agent.analyst.ask.remarks import is_remark
from ia.agent.analyst.ask.request import UserRequest
from ia.agent.analyst.ask.time_spans import RANGE, SESSIONS, SINCE, find_time_spans
from ia.agent.analyst.ask.told_trades import TO_NOTE, fold_numbers, is_told, mend_verbs, parse_payment, tells_size
from ia.agent.analyst.ask.unknown_names import find_ambiguous_name, find_unknown_subject, find_unknown_watched
from ia.agent.analyst.tables import SHIPPED, Tables
from ia.agent.tools.consent import own_words
from ia.domain.speech.acts import performs_act
from ia.domain.speech.table import MENTION, has_form, way_of
from ia.kernel.patterns import pattern
from ia.organs.sessions import importance_of

_COMMAND = pattern(r"/([\w][\w-]*)(?:\s+(.*))?\Z", re.S)
_KINDS = (
    "alert", "task_change", "schedule", "praise", "coach", "forget", "untrack", "untrack_list", "track", "track_list",
    "scan", "asked_memory", "prefer", "note", "own_view", "traded", "believe", "order", "order_when", "review",
    "holdings", "mainline", "consent", "compare", "help", "greet",
)  # fmt: skip
"""The acts (`ia.domain.speech`) that a message is looked through for; the first is what it wants."""

_HOW_MUCH = pattern(r"多少|几|是什么水平|报多少|[?？吗]|what|how (much|high|low)|tell me|show|给我|查", re.I)
_QUANTITY = pattern(
    r"多少|几[天次只个年月倍股手块]|哪[天年月日]|多久|[涨跌]停|创新[高低]|破发|几号|什么时候"
    r"|\bhow (?:many|much|often|long)\b|^\W*when\b|\bdid i\b",
    re.I,
)
"""A question for one fact, which no research answers."""
_PRICED = pattern(r"\W*(?!what|how|the\b|is\b)([A-Za-z][\w&'. -]{1,30}?)\s+(?:price|close|quote|rate)\W*$", re.I)
_WIDER = pattern(
    r"怎么样|怎么看|如何|分析|研究|值得|走势|前景|看看|机会|风险大|analy[sz]e|research|outlook|worth|look (at|into)"
    r"|think of",
    re.I,
)
_PROSE = pattern(
    r"(这|那|该|上面|上述|以上|附带?|下面)(封|篇|个|条|份|段|则|些)?(的)?(邮件|文章|新闻|文件|文本|内容|公告|研报|帖子|消息|信|数据|文字)"
    r"|说了?(些)?什么|讲了?(些)?什么|写了?(些)?什么|摘要|概括|翻译|\bsummar|\btranslate"
    r"|\b(this|that|the|these) (e?mail|article|news|file|text|letter|report|post|message|document|announcement)\b"
    r"|what does (it|this|that) say",
    re.I,
)
_IT = pattern(r"它|这只|这个(股|票|标的)|该股|\bit\b|\bits\b|\bthis (stock|one)\b", re.I)

_SPACES = pattern(r"[ \t]+")


_COMMON = frozenset(
    ("this", "that", "with", "from", "what", "when", "your", "have", "about", "into", "they", "them", "then")
)
_WHY = pattern(
    r"^(?!.*(?:买|卖|\b(?:bought|buy|sold|sell)\b))"
    r"(?:(?:为什么|为啥|凭什么|理由|依据|怎么得出)|.*(?:依据|理由)是什么|why\b|.*on what grounds)",
    re.I,
)
"""The grounds of an answer are asked, and not those of a trade."""
_ABOUT = pattern(
    r"(?:看看|看一下|看下|看|分析一下|分析|研究一下|研究|说说|聊聊)\s*(?P<zh>[^\s，,。？?！!的]{2,8}?)\s*(?:这只|最近"
    r"|近期|近况|现在|怎么样|如何|的|走势|值得|能买|能不能|行情|股票|$)"
    r"|\b(?:analy[sz]e|research|look at|look into|about|how is|how does"
    r"|how about)\s+(?P<en>[A-Z][\w.&' -]{1,30}?)(?:\s+(?:look|doing|do|lately|stock|shares|now)\b|$)"
)  # fmt: skip


_OWN_DEAL = pattern(
    r"我.{0,12}[买卖]|[买卖清]了|^\W*(?:买入|卖出)|为(?:什么|何|啥)[买卖]|加仓了|减仓了|\b(?:i|we) (?:bought|sold)\b",
    re.I,
)
"""What is done to a security that is therefore certain to be named."""
_UNTOLD = ("", "prefer", "track", "untrack", "coach", "note", "traded", "order", "believe", "holdings")
"""Kinds of messages that may tell of a trade or of money all the same."""
_DEAL_ASKED = pattern(
    r"^\W*(?:the |my )?(?:profits?|gain|loss|result|fees?|tax)\b|"
    r"^\W*(?:please |pls |kindly )?(?:show|list|give|tell)(?: me| us)?\b.{0,24}\b(?:i|we)\b(?: \w+)?"
    r" (?:bought|sold|traded)\b|"
    r"^\W*(?:hv|have|did) (?:i|we)\b|"
    r"^\W*(?:and |the |my )*(?:last|latest|first|biggest|largest|most recent|newest)"
    r" (?:thing|stock|share|one|trade|deal)s? (?:that )?(?:i|we)\b|"
    r"^\W*(?:i |we |我)?(?:just |have )?(?:sold|bought|[买卖]了?)[^:：]{1,40}[:：]\s*"
    r"(?:which|what|how|when|did|哪|什么|多少|怎么|几)"
    r"|,\s*(?:so |and |then |but )*(?:where|how|what|when|which|why)\b.{0,12}"
    r"\b(?:do|does|did|is|am|are|would|will|can|should) (?:i|we|my|it|that)\b",
    re.I,
)
"""A trade that only names what is asked about it: sold CATL: which of my sales lost more."""
_CLAUSE_ASKS = pattern(
    r"(?:^|[-–—,.:;?]|\b(?:and|but|so))\s*(?:and |but |so |then |well )?(?:at |for |on )?"
    r"(?:how (?:much|many|is|are|far|long|did|do)|what(?:'s)?|when|which|why|where|who|is|are|am|was|were|did|do|does"
    r"|has|have i|can|could|should|would)\b"
    r"|多少|几[只股次天手笔]|有没有|是不是|怎么样|什么|为啥|哪[天只个笔次里]|吗|[了过]没有?(?=\W*$)|还是",
    re.I,
)
"""A clause that asks: with a trade that is not told whole beside it, the trade says of what."""
_QUESTION_END = pattern(r"[?？]\s*\Z")
"""A message that ends as a question is no note, unless it says that it is one."""
_TO_DO = pattern(r"帮我|替我|给我|请|帮忙|限价|市价|挂单|马上|立[即刻]|记[一下录]|\bnote\b|\bremember\b", re.I)
_STUDY = pattern(r"\s*(?:please\s+)?(?:research|study)\s+[A-Z\d]", re.I)
_EACH = pattern(r"\d[\d.]*\s*(?:yuan|dollars?|usd|cny|rmb|hkd|bucks)?\s+(?:each|apiece)\b", re.I)
"""A price of each share, which is no rhythm: at 215 dollars each last night."""
ANSWERABLE = ("", "holdings", "mainline", "compare", "help", "review", "asked_memory")
"""Acts that a question for facts may look like."""
_READ_PLAIN = ("scan", "untrack", "forget")
"""Acts of which no word is kept."""
SETTING = ("coach", "prefer")
"""Acts that a wish to change a risk rule may look like: it is a setting, and no lesson for the analyst."""
_TO_BE_DONE = ("schedule", "alert", "review")
"""Acts that are read anywhere in a message; a question how or when one is done does not perform it."""
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
    if written.kind not in (*ANSWERABLE, *_READ_PLAIN):
        return written
    whole = fold_characters(request.question)
    if request.before and request.is_words_only:
        whole = complete_question(whole, request.before, request.moment.date())
    plain = simplify_question(whole)
    read = _read_acts_of(request, plain) if plain != request.question else written
    return read if read.kind in (*ANSWERABLE, *_READ_PLAIN, "schedule", "alert", "task_change") else written


def _read_acts_of(request: UserRequest, text: str) -> Intent:
    command = _COMMAND.match(text)
    words = (command[2] or "").strip() if command else text
    securities = find_mentions(words)
    if not securities and _IT.search(words[:LONGEST]):
        securities = _last_named(request)
    if not securities and _OWN_DEAL.search(folded := fold_characters(words[:LONGEST])):
        securities = find_mentions(folded) or find_short_names(folded)
    if command:
        return Intent("skill", securities, words, command[1].lower())
    if request.skill:
        return Intent("skill", securities, words, request.skill)
    plain = strip_mentions(words)
    kind = _kind_of(words[:LONGEST], plain, securities)
    told = kind in _UNTOLD and not _TO_SHOW.match(words)
    if told or (kind == "schedule" and _EACH.search(words)):
        kind = _told_kind(words[:LONGEST], plain, securities, request.moment.date(), kind)
    if not kind and securities and is_remark(words[:LONGEST], plain):
        kind = "own_view"
    if kind in ("note", "traded") and _DEAL_ASKED.search(words[:LONGEST]):
        kind = ""
    if kind == "note" and _QUESTION_END.search(words) and not has_form(own_words(words[:LONGEST]), "as_note"):
        kind = ""
    if kind == "traded" and _CLAUSE_ASKS.search(plain) and not is_told(words, securities, request.moment.date()):
        kind = ""
    first = Intent(kind, securities, words)
    if (
        kind in ("", "asked_memory")
        and not securities
        and may_ask_facts(request, first)
        and (unknown := find_unknown_watched(words))
    ):
        return Intent("doubtful", [], unknown)
    return first


def may_ask_facts(request: UserRequest, first: Intent) -> bool:
    """Return True if a message may ask for facts.

    It may not where data came along, a form is to be filled, it is a command, it names a study, or the workspace is not
    about investing.
    """
    skills = [name for name, _ in request.skills]
    elsewhere = bool(skills) and "research" not in skills
    return not (request.bars or request.data or request.form or first.skill or elsewhere or _STUDY.match(first.words))


def carried_securities(request: UserRequest, wanted: Intent) -> list[Mention]:
    """Return the securities of the questions before that one goes on about, which is but a figure; [] for another."""
    if wanted.securities or wanted.kind or not request.before or not is_bare(request.question):
        return []
    return _last_named(request)


_DAYS = pattern(
    r"(?:收盘|价|走势|涨跌).{0,8}(?:每|各|逐)|每(?:一)?(?:[天日]|个?交易日)的?(?:收盘|价|走势|涨跌)|\b(?:close|price)s?\b.{0,12}\b(?:each|every)\b",
    re.I,
)
_TO_SEND = pattern(
    r"提醒|[发推]|通知|汇报|告诉|给我(?![列排算看])|报告|任务|定时|写|\b(?:remind|send|tell|alert|notify|report|email|message|task|write)\b"
    r"|\d[点:：]|\bat (?:\d|noon|midnight)",
    re.I,
)


_ON_DAYS = pattern(
    r"\W*(?:please )?on the (?:first|last) (?:(?:trading|business|working) )?day of (?:the|each|every) (?:month|quarter"
    r"|week|year)\b[^?]*\b(?:show|send|tell|give|review|summari[sz]e|report|scan|update|run)\b",
    re.I,
)
"""A wish that begins with the days on which it is to be done."""
_TO_DO_REGULARLY = pattern(
    r"复盘|回顾|总结|汇总|扫描|检查|更新|同步|跟踪|盯"
    r"|\b(?:reviews?|summar\w+|scans?|checks?|updates?|sync\w*|track|watch|look at|run)\b",
    re.I,
)
"""Work that a schedule may be about, though a time that has been is named: every Friday, review last week."""


def asks_days(wanted: Intent, today: date) -> bool:
    """Return True if a message with the words of a schedule is a question about days that have been."""
    words = wanted.words[:LONGEST]
    if wanted.kind != "schedule" or _TO_SEND.search(words) or begins_with_days(words):
        return False
    past = any(span.kind in (RANGE, SINCE, SESSIONS) for span in find_time_spans(strip_mentions(words), today))
    if wanted.securities and _DAYS.search(words):
        return past
    own = own_words(words)
    asked = has_form(own, "question_form") and not has_form(own, "asking")
    return (past or asked) and not _TO_DO_REGULARLY.search(words)


def begins_with_days(text: str) -> bool:
    """Return True if a message is a wish that begins with the days on which it is to be done."""
    return _ON_DAYS.match(text[:LONGEST]) is not None


def may_ask_tasks(wanted: Intent) -> bool:
    """Return True if a message with the act of a wish is a question, and so may ask for a task that there is."""
    words = wanted.words[:LONGEST]
    asks = has_form(words, "question_form") or _NAMES_TASKS.match(words)
    return wanted.kind in _TASKS and bool(asks) and not is_news_wish(words)


_NAMES_TASKS = pattern(
    r"\W*(?:(?:which|what|list|show|me|all|my|the) )*(?:tasks|jobs)\b|\W*(?:我的|所有|全部)*任务", re.I
)
"""Begins with tasks that there are: "tasks every Friday"."""


def is_news_wish(text: str) -> bool:
    """Return True if a message wishes to be told of news that are yet to come: a task, though it begins with `when`."""
    return has_form(text[:LONGEST], "news_wish")


_MORE = pattern(
    r"[和与跟、,，]|(?:谁|哪一?[只个家支])(?:的)?|(?:更|比较)?[高低大小](?:一?[些点])?(?=\W*$)|的(?=\W*$)"
    r"|\b(?:which|who)(?: (?:one|stock|share))?(?: of)?\b|\b(?:has|have|with)(?: got)?(?= (?:the|a)\b)"
    r"|\b(?:the )?(?:higher|lower)\b|\b(?:or|and|has|have|is)\b",
    re.I,
)
"""Words that ask which of several has more or less of a figure."""
_EVENT = pattern(
    r"(?<=\w )(?<!and )(?:when|while|(?:on )?the day(?: that)?|at the time(?: that)?)"
    r"(?= (?!was\b|were\b|is\b|did\b|it\b|they\b|each\b|both\b)\w)|那一?[天日]|(?<!什么)(?<!啥)时候",
    re.I,
)
"""What happened to one of several securities as the time of a figure of another: its day is not looked up."""


def asks_figures(request: UserRequest, first: Intent) -> bool:
    """Return True if the figures that a message names decide what it wants."""
    return first.kind in ("", "compare") or (bool(request.bars) and first.kind == "scan")


def read_figures(request: UserRequest, first: Intent, tables: Tables = SHIPPED) -> Intent:
    """Return what a request wants whose act leaves it open: a figure, a research, a comparison, or nothing known."""
    words, securities, kind = first.words, first.securities, first.kind
    plain, figures = strip_mentions(words), figures_at(tables)
    wanted = find_figures(plain, request.moment.date(), tables, request.speak)
    if len(securities) > 1 and (event := _EVENT.search(words)):
        wanted = wanted._replace(unread=(*wanted.unread, event[0].strip()))
    exact = bool(wanted.figures or wanted.ignored)
    if request.bars:
        alone = exact and not _WIDER.search(plain)
        return Intent("figure" if alone else "piped", securities, words, "", wanted)
    if not kind and _WHY.search(plain) and (named := securities or _last_named(request)):
        return Intent("why", named, words)
    if len(securities) > 1 and exact and (rest := _MORE.sub(" ", plain)) != plain:
        ranked = find_figures(rest, request.moment.date(), tables, request.speak)
        if len(ranked.figures) == 1 and not (ranked.left or ranked.unread or ranked.future):
            return Intent("figure", securities, words, "", ranked)
    if len(securities) > 1:
        bare = bool(wanted.figures) and not wanted.left and not _WIDER.search(plain)  # price of CATL and BYD
        kind = "figure" if exact and kind == "" and (bare or _HOW_MUCH.search(plain)) else "compare"
    elif securities:
        bare = not wanted.left or len(plain) < 40
        alone = exact and bool(_HOW_MUCH.search(plain) or bare or wanted.period != "daily")
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
    if unknown := find_unknown_subject(plain):
        return Intent("doubtful", [], unknown, "", wanted)
    if (wanted.figures or wanted.ignored) and (_HOW_MUCH.search(plain) or _subject(plain)):
        if is_bare(words) and (named := _last_named(request)):
            return Intent("figure", named, words, "", wanted)
        if wanted.figures:
            return Intent("doubtful", [], _subject(plain), "", wanted)
    if importance_of(words[:LONGEST]) and not _TO_SHOW.match(words):
        return Intent("statement", [], words)
    if said := _doubtful(words[:LONGEST]) or find_ambiguous_name(plain) or find_near_name(plain)[0]:
        return Intent("doubtful", [], said, "", wanted)
    return Intent("unknown", [], words, "", wanted)


def _kind_of(words: str, plain: str, securities: list[Mention]) -> str:
    """Return the first kind that fits; "" where none does.

    What the gate opens an area for is read as the gate does, but a schedule: whoever drafts the task asks back where
    the wish is a question or negated.
    """
    words, plain = _SPACES.sub(" ", words), _SPACES.sub(" ", plain)
    own = own_words(words)
    if has_form(own, "as_preference"):
        return "prefer"
    if has_form(own, "as_note"):
        return "note"
    if has_form(own, "as_order"):
        return "order"
    for act in _KINDS:
        mentioned = way_of(act) == MENTION or act in ("schedule", "alert")
        if mentioned and act in _TO_BE_DONE and has_form(own, "asks_about"):
            continue
        if act == "traded" and _TO_SHOW.match(words):
            continue
        done = has_form(plain, act) if mentioned else performs_act(own, act)
        if done and _fits(act, securities, plain):
            return "note" if act == "traded" and not securities else act.removesuffix("_list").removesuffix("_when")
    return ""


_TO_SHOW = pattern(r"\W*(?:please |now |just )?(?:show|list|give me|display|print|summari[sz]e|recap|name)\b", re.I)
"""Begins as a wish to see what was traded, which tells of no trade."""


def _told_kind(words: str, plain: str, securities: list[Mention], today: date, kind: str) -> str:
    """Return `traded`, `not_traded` or `paid` where the owner tells of a trade or of money, else the kind as it is."""
    own = own_words(plain)
    said = mend_verbs(fold_numbers(own))
    if kind == "order" or any(has_form(own, form) for form in ("question_form", "condition")):
        return kind
    asks = has_form(own, "reported_question")
    if not kind and not asks and has_form(own, "not_traded"):
        return "not_traded"
    if kind in ("", "holdings") and not asks and has_form(own, "money_moved") and parse_payment(words, today):
        return "paid"
    kept = TO_NOTE.sub("", said, count=1)
    done = kept != said and any(performs_act(kept, act) for act in ("traded", "recorded"))
    if done and is_told(words, securities, today):
        return "traded"
    if kind == "note" and (securities or _TO_DO.search(words) or not tells_size(own)):
        return kind
    if kind == "note":
        return "traded" if performs_act(own, "traded") else kind
    done = performs_act(said, "traded") or (not _TO_DO.search(words) and performs_act(said, "recorded"))
    return "traded" if done and is_told(words, securities, today) else kind


def _subject(words: str) -> str:
    """Return what a figure is asked of: what stands before `的`, or between `of` and the end; "" where nothing does."""
    found = re.match(r"\s*(?:请问|查一下|告诉我)?([^\s的，,。？?\d]{2,8}?)(?:现在|今天|最近)?的", words) or re.search(
        r"\bof ([A-Za-z][\w.&' -]{1,30}?)\W*$", words
    )
    found = found or _PRICED.match(words)
    return found[1].strip() if found else ""


def _skill_for(request: UserRequest, words: str, *, sure: bool) -> str:
    """Return the skill that a message means; "" where it means none, or several.

    It is named in the message, or (not `sure` of anything else) its description shares at least two words with it.
    """
    own = [
        each
        for each in request.skills
        if each[0] not in ("research", "compare", "scan", "review", "backtest", "report")
    ]
    named: list[str] = [
        name for name, _ in own if re.search(rf"(?<![a-z0-9-]){re.escape(name)}(?![a-z0-9-])", words, re.I)
    ]
    if named or sure:
        return named[0] if len(named) == 1 else ""
    shared = sorted(((len(text_terms(words) & text_terms(about)), name) for name, about in own), reverse=True)
    if not shared or shared[0][0] < 2 or (len(shared) > 1 and shared[0][0] == shared[1][0]):
        return ""
    return str(shared[0][1])


def text_terms(text: str) -> set[str]:
    """Return the Latin words of a text and the pairs of its Chinese characters."""
    wide = re.findall(r"[\u3400-\u9fff]+", text)
    pairs = {run[at : at + 2] for run in wide for at in range(len(run) - 1)}
    return pairs | {word for word in re.findall(r"[a-z]{4,}", text.casefold()) if word not in _COMMON}


def _last_named(request: UserRequest) -> list[Mention]:
    return find_subject(request.before, request.moment.date())


def _doubtful(words: str) -> str:
    """Return what stands where a security is expected, though none is known by it; "" where nothing does."""
    code = re.search(r"(?<![\d.])\d{6}(?![\d.])", words)
    if code:
        return code[0]
    found = _ABOUT.search(words.strip(" ？?。.!！"))
    return (found["zh"] or found["en"] or "").strip() if found else ""


_OF_TRADES = pattern(
    r"第\s*[\d零一二两三四五六七八九十百]+\s*[笔号条]|买|卖|交易|成交|账本|\b(?:trad(?:e|es|ing)|purchase|sale|bought|sold|ledger)\b",
    re.I,
)
_OF_NOTES = pattern(r"笔记|日记|日志|信念|\b(?:notes?|diary|beliefs?|observations?)\b", re.I)


def _fits(kind: str, securities: list[Mention], words: str) -> bool:
    """Return True if a rule that matched may count.

    A watch list needs something to put there (what is taken off may be a group), a comparison two securities, and a
    main line is the market's.
    """
    if kind in ("track", "untrack", "track_list"):
        return bool(securities) or bool(re.search(r"[:：]\s*\S|「|“|\"", words))
    if kind == "forget":
        return not _OF_TRADES.search(words) or bool(_OF_NOTES.search(words))
    if kind == "mainline":
        return not securities
    return kind != "compare" or len(securities) > 1
