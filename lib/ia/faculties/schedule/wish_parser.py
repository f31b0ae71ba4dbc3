"""A wish in Chinese or English becomes a design, by rules: 每周五收盘后帮我复盘; every day at 9 scan my list.

Each rule takes out of the wish what it understood; what is left is what is to be done. What is not said is as in
Design.
"""

import re
from shlex import quote
from typing import NamedTuple

from ia.faculties.schedule.model import TaskDesign
from ia.faculties.schedule.rhythm import format_span
from ia.faculties.schedule.schedule_forms import (
    CloseSchedule,
    CycleSchedule,
    IntervalSchedule,
    OnceSchedule,
    OrdinalSchedule,
    ScheduleEvent,
    TimedForm,
    parse_parts,
    parse_schedule,
)
from ia.faculties.schedule.unread_words import check_all_read
from ia.faculties.schedule.wish_text import EN_NUMBER, ZH_NUMBER, Wish, parse_minutes, parse_number
from ia.faculties.schedule.wish_timing import WishTiming, take_when
from ia.kernel.errors import BadData, Message
from ia.kernel.jsontypes import Json

MAX_WISH = 8000
_CJK = re.compile(r"[\u3400-\u9fff]")


class WishReading(NamedTuple):
    """The design that a wish comes to, and what was taken for granted."""

    design: TaskDesign
    remarks: tuple[Message, ...]


def parse_wish(text: str, *, zone: str) -> TaskDesign:
    """Return the design that a wish comes to, as `read_wish` does, without the remarks."""
    return read_wish(text, zone=zone).design


def read_wish(text: str, *, zone: str) -> WishReading:
    """Return the design that a wish comes to; its job stands in `prompt`, or in `run` where it is a pipeline.

    zone    the user's own (IANA), for a time that names no other and belongs to no exchange
    raises  BadData, asking back with what to type, where it says no time, two, an impossible one, or nothing to do.

    >>> wish, remarks = read_wish("每周五收盘后，帮我复盘本周的观察和判断。", zone="Europe/Berlin")
    >>> wish.schedule, wish.zone, wish.calendar, wish.prompt, wish.name
    ('0 16 * * 5', 'Asia/Shanghai', 'CN', '复盘本周的观察和判断', 'weekly-review')
    >>> wish, remarks = read_wish("every trading day at 9:15 am scan my list, retry twice after 10 minutes", zone="UTC")
    >>> wish.schedule, wish.calendar, wish.prompt, wish.retries, wish.retry_after
    ('15 9 * * 1-5', 'CN', 'scan my list', 2, 10)
    """
    if len(text) > MAX_WISH:
        raise BadData(
            "the request is longer than {limit} characters",
            limit=MAX_WISH,
            hint="shorten it, or put the job into a skill",
        )
    said = Wish(text)
    event = _take_event(said)
    policies = _take_policies(said)
    when = WishTiming(event, "", "") if event else take_when(said, zone)
    if event:
        check_all_read(said, has_time=True)
    run = _take_pipeline(said)
    job = "" if run else _take_job(said)
    if event.startswith("on news ") and not run and (not re.search(r"\w", job) or _TELL_ME.fullmatch(job)):
        run, job = f"ia news {event.split()[2]} --send", ""
    if not run and (not re.search(r"\w", job) or (not event and _NOTHING_SAID.fullmatch(job))):
        raise BadData(
            "the job is missing",
            hint="add it after the time: every Friday at 16:00 review my week",
        )
    kind, name, note = _job_kind(job), suggest_name(when.schedule, job or run), suggest_note(when.schedule, job)
    if reminder := _REMINDER.fullmatch(job):
        if _CONDITIONAL.match(reminder["zh"] or reminder["en"]):
            raise BadData(
                "a reminder is a text that is sent at its time; it looks at no condition: {words}",
                words=reminder["zh"] or reminder["en"],
                hint="for a price, an alert: `ia alert 300750 'close < 80'`",
            )
        run, job = _reminder_pipeline(reminder, policies), ""
    elif _SYNC.fullmatch(job):
        run, job, name, note = "ia sync", "", suggest_name(when.schedule, "ia sync"), ""
    design = TaskDesign(
        name=name,
        schedule=when.schedule,
        prompt=job,
        run=run,
        zone=when.zone,
        calendar=when.calendar,
        inputs=_job_inputs(kind, job),
        **{"produces": note, **policies},
    )
    return WishReading(design, when.remarks)


def parse_timing(text: str, *, zone: str) -> WishTiming:
    """Return when, of words that say only that: 每周五收盘后, every Monday at 9.

    raises  BadData where they are no time.
    """
    said = Wish(text)
    event = _take_event(said)
    return WishTiming(event, "", "") if event else take_when(said, zone)


def parse_rhythm(text: str, *, zone: str) -> WishTiming | None:
    """Return when, of words for a rhythm that may leave out `every`: 周日晚上八点, Sunday 8pm; None for others."""
    for said in (text, f"每{text}", f"every {text}", re.sub(r"^on\s+", "every ", text)):
        try:
            timing = parse_timing(said, zone=zone)
        except BadData:
            continue
        if not timing.schedule.startswith("at "):
            return timing
    return None


def detect_language(text: str) -> str:
    """Return the language that a wish is written in: `zh` or `en`."""
    return "zh" if _CJK.search(text) else "en"


# what happens

_LOOK_BACK = 6
"""Characters before the beginning of a path in which an earlier beginning is looked for."""


def _begin_path(first: str, second: str, further: str) -> str:
    """Return a pattern for the first character of a path that no earlier character of the same word can begin.

    What is found from the later one would be found from the earlier one, too. To look from each character of a long
    word takes the square of its length.

    first, second, further  what its first and second characters may be, and those behind them
    """
    gaps = ["", *(second + further * count for count in range(_LOOK_BACK - 1))]
    return "".join(f"(?<!{first}{gap})" for gap in gaps) + first


_IN_PATH = r"[^\s,，。;；:：'\"“”]"
_PATH_ZH = _begin_path("[A-Za-z0-9_.*]", _IN_PATH, _IN_PATH) + _IN_PATH
_FOLDER_ZH = _begin_path("[A-Za-z0-9_]", r"[\w./-]", r"[\w.-]") + r"[\w.-]*(?:/[\w.*-]+)*"

_EVENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "webhook",
        re.compile(
            r"(?:当|每当|每次|一旦)?(?:收到|接到|有)\s*(?:名为|名叫"
            r"|叫)?\s*webhook\s*[`“\"'「]?(?P<zh>[A-Za-z0-9][\w.-]*)[`”\"'」]?\s*(?:的?时候|的?时|后|就"
            r"|被调用)*"
            r"|\b(?:when(?:ever)?|if|once|on|each time)\s+(?:the\s+"
            r"|a\s+)?webhook\s+[`\"']?(?P<en>[\w.-]+)[`\"']?(?:\s+(?:arrives|fires|comes in|is (?:called"
            r"|received|triggered)))?"
            r"|\b(?:when(?:ever)?|if|once|on|each time)\s+(?:the\s+"
            r"|a\s+)?[`\"']?(?P<en2>[\w.-]+)[`\"']?\s+webhook(?:\s+(?:arrives|fires|comes in|is (?:called"
            r"|received|triggered)))?",
            re.I | re.A,
        ),
    ),
    (
        "message",
        re.compile(
            r"(?:当|每当|每次|一旦|只要|如果|若)?(?:有人|群里|别人|谁|消息里?|聊天里?"
            r"|我)(?:有人)?(?:的消息)?(?:里)?(?:说到|提到|说起|提起|聊到|讲到|出现|包含|提及)了?\s*"
            r"(?P<zh>“[^”]+”|「[^」]+」|\"[^\"]+\"|[^,，。\s\x00]+?)\s*(?:的?时候|的?时(?!代|间)|就|的话|之后|后|(?=[,，]))"
            r"|(?:当|每当|每次|一旦|只要|如果|若)?(?:我)?(?:收到|有|来了?)(?:了|任何|一条)*(?:内容)?(?:里|中)?(?:包含|含有?|带有?|提到|写着|关于)\s*"
            r"(?P<zh2>“[^”]+”|「[^」]+」|\"[^\"]+\"|[^,，。\s\x00]+?)\s*的(?:消息|信息|留言|聊天)\s*(?:的?时候|的?时(?!代|间)|之后|以后|后|就|的话)*"
            r"|\b(?:when(?:ever)?|if|each time|once)\s+(?:i (?:get|receive)\s+|there is\s+)?"
            r"a(?:ny)? message\s+(?:that\s+)?"
            r"(?:with|containing|contains|about|mentioning|saying|has)\s+(?P<en2>\"[^\"]+\"|“[^”]+”|[^,\x00]+?)\s*"
            r"(?:\s(?:arrives|comes(?: in)?))?\s*[,:]"
            r"|\b(?:when(?:ever)?|if|each time|once)\s+(?:some(?:one|body)|any(?:one|body)|a message|i"
            r"|people)\s+(?:mentions?|says?|contains?|writes?|talks? about)\s+"
            r"(?P<en>\"[^\"]+\"|“[^”]+”|[^,\x00]+?)\s*(?:,|:|(?=\b(?:then|tell|remind|send|write|note|look"
            r"|show|research|analy[sz]e|check|give|run|scan|review|let)\b))",
            re.I,
        ),
    ),
    (
        "news",
        re.compile(
            r"(?:当|每当|每次|一旦|只要|如果|若)?(?P<zh>[^,，。;；\s\x00]{1,30}?)\s*(?:一|又|再)?(?:有|出|发布|披露|来)(?:了|任何|什么|出)*"
            r"(?:最新|新)?的?(?:(?P<zh_kind>公告)|新闻|消息|资讯|动态)(?:了|发布|出来)*"
            r"(?:的?时候?(?!间)|之后|以后|后|就|的话|(?=[,，]|告诉|通知|提醒|用))+[,，]?"
            r"|(?:当|每当|每次|一旦|只要|如果|若)?(?:有|出现|来)了?(?P<zh2>[^,，。;；\s\x00]{1,30}?)的(?:最新|新)?(?:(?P<zh2_kind>公告)|新闻|消息|资讯)"
            r"(?:的?时候?(?!间)|之后|以后|后|就|的话|(?=[,，]|告诉|通知|提醒))+[,，]?"
            r"|\b(?:when(?:ever)?|if|once|each time|every time|as soon as)\s+(?:there(?:'s|’s| is| are)\s+)?"
            r"(?:an?\s+|any\s+|some\s+)?(?:new\s+|fresh\s+)?(?:(?P<en_kind>announcements?|filings?)|news|headlines?)\s+"
            r"(?:on|about|of|from|for|by)\s+(?P<en>[^,\x00]+?)(?:\s+(?:comes?(?: out| in)?|appears?|is published))?"
            r"\s*(?:[,:]|(?=\s(?:then|tell|notify|remind|let|send|ping|alert)\b)|(?=\s*\.?\s*\Z))"
            r"|\b(?:when(?:ever)?|if|once|each time|every time|as soon as)\s+(?P<en2>[^,\x00]+?)\s+"
            r"(?:has|have|publish(?:es)?|releases?|makes?|posts?|issues?|files?)\s+(?:an?\s+|any\s+)?(?:new\s+)?"
            r"(?:(?P<en2_kind>announcements?|filings?)|news|headlines?)"
            r"\s*(?:[,:]|(?=\s(?:then|tell|notify|remind|let|send|ping|alert)\b)|(?=\s*\.?\s*\Z))",
            re.I,
        ),
    ),
    (
        "file",
        re.compile(
            rf"(?:当|每当|每次|一旦|只要|如果|若)?\s*(?P<zh>{_PATH_ZH}*?(?:\.\w{{1,5}}"
            r"|/\*{0,2}[\w.*]*))\s*(?:这个)?(?:文件夹?|目录)?\s*[里中]?\s*(?:一|被|有了?|发生了?)*"
            r"(?:变化|变动|改动|更新|修改|改变|变了|变更|改了|新文件|新增|变)(?:了|过)?\s*(?:的?时候|的?时"
            r"|之后|以?后|就|的话)*"
            rf"|(?:当|每当|每次|一旦|只要|如果|若)?\s*(?P<zh2>{_FOLDER_ZH})/?\s*(?:这个)?(?:文件夹|目录)?\s*"
            r"(?:下面?|里面?|中|内)?\s*(?:有|出现|多了?|来了?|新增|加了?|放入|收到)(?:了)?\s*(?:一个|一份|任何)?新?的?(?:文件|笔记|东西)"
            r"\s*(?:的?时候|的?时|之后|以?后|就|的话|(?=,))"
            r"|\b(?:when(?:ever)?|if|once|each time|every time"
            r"|as soon as)\s+(?:there is\s+|i (?:add|drop|put)\s+)?(?:a|any)?\s*(?:new\s+)?"
            r"(?:file|note)s?\s+(?:(?:is|are)\s+)?(?:appears?|arrives?"
            r"|comes?|lands?|added|created|shows? up)?\s*(?:in|into|under|to)\s+"
            r"[`\"']?(?P<en3>[A-Za-z0-9_][\w.-]*(?:/[\w.*-]+)*)/?[`\"']?(?=[\s,]|\Z)"
            r"|\b(?:when(?:ever)?|if|once|each time|every time|as soon as)\s+(?:(?:the|a"
            r"|any)\s+file\s+(?:in\s+)?)?[`\"']?(?P<en>[\w.*][^\s,`\"']*[./*][^\s,`\"']*)[`\"']?\s+(?:is\s+"
            r"|has\s+|was\s+|gets\s+)?(?:been\s+)?"
            r"(?:changes|changed?|updated?|updates|modified|edited|written)\b"
            r"|\bon (?:any )?changes? (?:to|of|in)\s+[`\"']?(?P<en2>[\w.*][^\s,`\"']*[./*][^\s,`\"']*)[`\"']?",
            re.I,
        ),
    ),
)


def _take_event(said: Wish) -> str:
    """Return `on file …` where a wish waits for something to happen, and take it out; "" where it does not."""
    for kind, pattern in _EVENTS:
        found = said.take_match(pattern, quoted=True)
        if found:
            groups = [group for group, value in found.groupdict().items() if value is not None]
            start, stop = next(found.span(group) for group in groups if not group.endswith("_kind"))
            what = said.text[start:stop].strip("`“”\"'「」 ").rstrip(".")
            if kind == "news":
                only = any(group.endswith("_kind") for group in groups)
                return f"on news {_find_company(what)}" + (" announcement" if only else "")
            if kind == "file" and not re.search(r"[.*][^/]*\Z", what):
                what = f"{what.rstrip('/')}/*.md"
            return f"on {kind} {what}"
    return ""


def _find_company(text: str) -> str:
    """Return the canonical code of the one security that a text names.

    raises  BadData, asking back, where it names none, or could be several.
    """
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import IaError

    try:
        return resolve_security(text.removeprefix("the ").removesuffix("的"), traded=True, spelled=False).canonical
    except IaError as exc:
        raise BadData(
            "news of which company? {reason}", reason=exc, hint="name one, for example 贵州茅台 or 600519"
        ) from None


_TELL_ME = re.compile(
    r"(?:请|帮我|就|则|马上|立即|立刻|及时|都|要)*(?:告诉|通知|提醒|告知|叫|发消息给|推送给|发给)(?:一下|一声)?我(?:一下|一声)?[。.!！]?"
    r"|(?:please\s+)?(?:then\s+)?(?:(?:tell|notify|alert|ping|inform|message|remind)\s+me(?:\s+about\s+it)?"
    r"|let\s+me\s+know|send\s+(?:it|them)?\s*(?:to\s+)?me(?:\s+(?:it|them))?)[.!]?",
    re.I,
)
"""A job that is only to be told what happened."""


# how it runs: quietly, again, where the result goes

_QUIET = re.compile(
    r"(?:安静|静默|悄悄)(?:地)?(?:运行|执行|进行|地)?|不要?打扰我?|别打扰我?|勿扰|只写文件(?:就行|即可)?"
    r"|(?:不用|不要|不必|别|无需)(?:通知|告诉|发消息给?)我?"
    r"|(?:只|仅)?(?:在)?(?:失败|异常|出错|报错)(?:了|时)?(?:的时候)?才(?:通知|告诉|提醒|打扰|说|讲)我?|除非(?:失败|异常|出错|报错)了?"
    r"|只(?:在)?(?:失败|异常|出错)(?:了|时)?(?:的时候)?(?:通知|告诉|提醒)我?"
    r"|\bonly (?:tell|notify|message|bother|alert) me (?:when|if) (?:it|something|the task|this) (?:fails?"
    r"|goes wrong|breaks)"
    r"|\b(?:tell|notify) me only (?:when|if) (?:it|something) (?:fails?|goes wrong)|\b(?:silently|quietly)\b"
    r"|\b(?:without (?:telling|notifying|bothering) me|(?:don'?t|do not) (?:tell|notify|bother"
    r"|disturb) me|no notifications?)\b(?:,?\s+unless (?:it|something|the task|this) (?:fails?|breaks|goes wrong))?",
    re.I,
)
_NO_RETRY = re.compile(
    r"(?:失败了?)?(?:也|就)?(?:不要?|别|不用|无需)(?:再)?重试|\b(?:no retr(?:y|ies)|(?:don'?t|do not"
    r"|never) retry)\b(?: (?:it|on failure))?",
    re.I,
)
_WAIT_ZH = rf"(?P<w>半|{ZH_NUMBER})\s*个?(?P<wh>半)?(?P<wu>小时|钟头|分钟?)"
_WAIT_EN = rf"(?P<ew>half an|{EN_NUMBER})[ -]?(?P<eu>hours?|h|minutes?|mins?|m)\b"
_COUNT_EN = rf"(?:(?P<ec>once|twice|{EN_NUMBER} times?|(?:up to )?\d+ times)\b)"
_RETRY = re.compile(
    rf"(?:如果|要是|万一)?(?:失败|出错)(?:了|后|之后|时|的话|就)*\s*[,，]?\s*(?:等|过|隔|每隔|延迟"
    rf"|间隔)?\s*(?:{_WAIT_ZH})?(?:后|之后)?\s*[,，]?(?:再|就)?(?:重试|再试"
    rf"|重跑)\s*(?:(?P<c>{ZH_NUMBER})[次遍])?"
    rf"(?:\s*[,，]?\s*(?:每次)?(?:间隔|相隔|隔)\s*{_WAIT_ZH.replace('<w', '<x')})?"
    rf"|(?:最多)?重试\s*(?P<c2>{ZH_NUMBER})[次遍](?:\s*[,，]?\s*(?:每次)?(?:间隔"
    rf"|相隔|隔)\s*{_WAIT_ZH.replace('<w', '<v')})?"
    rf"|\b(?:if it fails,?\s*"
    rf"|on failure,?\s*)?(?:then\s+)?(?:wait\s+{_WAIT_EN.replace('<e', '<g')}\s*,?\s*(?:and|then)\s+)?(?:retry"
    rf"|try again)\b(?:\s+it)?(?:\s+{_COUNT_EN})?(?:,?\s+(?:after|in|every)\s+{_WAIT_EN}"
    rf"|,?\s+{_WAIT_EN.replace('<e', '<f')}\s+apart)?(?:\s+{_COUNT_EN.replace('<ec', '<fc')})?(?:\s+(?:if it fails"
    rf"|on failure))?",
    re.I,
)
_THEN_TOLD = re.compile(
    r"(?:如果|要是|若)?\s*(?:再|还|仍|又|依)?(?:然|是|旧)?(?:再)?\s*(?:失败|出错|不行|不成)(?:了|的话)?\s*[,，]?\s*(?:就|则|再|请|便)?(?:马上|立即)?"
    r"(?:通知|告诉|提醒|告知|发消息给)我?(?:一声)?(?=\s*(?:[,，。.;；!！\x00]|\Z))"
    r"|\b(?:and\s+)?(?:then|if it (?:still )?fails(?: again| twice)?,?(?: then)?)\s+(?:tell|notify|alert|message) me"
    r"(?=\s*(?:[,.;!\x00]|\Z))",
    re.I,
)
_SKIP = re.compile(
    r"(?:如果)?(?:错过|没赶上|漏)(?:了|掉)?(?:的)?(?:话)?\s*[,，]?\s*(?:就)?(?:算了|跳过|不(?:用|要"
    r"|必)?补\w?|拉倒)|不(?:用|要|必)补(?:跑|做|上)"
    r"|\bskip (?:it )?(?:if|when) (?:it (?:is|was) )?missed\b|\bif (?:it (?:is"
    r"|was) )?missed,? skip(?: it)?\b|\b(?:don'?t|do not|no) catch(?:ing)?[ -]up\b",
    re.I,
)
_CATCH_UP = re.compile(
    r"(?:如果)?错过(?:了|的)?(?:话)?\s*[,，]?\s*(?:就|要|也)*补(?:上|跑|做)?(?:一次)?"
    r"|\b(?:if missed,? )?catch up(?: (?:once|later))?\b",
    re.I,
)
_TIMEOUT = re.compile(
    rf"(?:最多|至多|不超过)(?:运行|跑|执行|用)?\s*{_WAIT_ZH}(?:超时)?|超时(?:时间)?(?:为|是"
    rf"|设为)?\s*{_WAIT_ZH.replace('<w', '<x')}"
    rf"|\b(?:time ?out(?: of| after)?|at most|give up after|no longer than|for at most)\s+{_WAIT_EN}(?! apart)",
    re.I,
)
_CHANNELS = {
    "telegram": r"telegram|电报|\bTG\b", "email": r"e-?mail|邮件|邮箱", "wecom": r"企业微信|wecom",
    "wechat": r"微信|wechat", "dingtalk": r"钉钉|dingtalk", "feishu": r"飞书|feishu", "lark": r"\blark\b",
    "slack": r"slack", "discord": r"discord",
    "sms": r"短信|\bsms\b", "bark": r"\bbark\b", "ntfy": r"\bntfy\b", "matrix": r"\bmatrix\b", "cli": r"命令行|\bcli\b",
}  # fmt: skip
_CHANNEL = "(?:" + "|".join(_CHANNELS.values()) + ")"
_TOLD = re.compile(
    rf"(?:并|然后|再|并且)?\s*(?:把)?(?:结果|摘要|报告|它)?\s*(?:用|通过|以)?\s*(?:(?:发送?|推送|通知|推|传"
    rf"|告诉我?|提醒我?)\s*(?:一份|一封)?(?:摘要|结果|消息)?\s*(?:到|至|给|去)?\s*(?:我的?"
    rf"|我们)?的?\s*(?P<a>{_CHANNEL}(?:\s*(?:和|、|,|，|与|及)\s*{_CHANNEL})*)(?:\s*给我|上|里|群)?"
    rf"|(?<=[用过])\s*(?P<b>{_CHANNEL}(?:\s*(?:和|、|,|，|与|及)\s*{_CHANNEL})*)\s*(?:发送?给我|通知我?"
    rf"|告诉我|推送给我|提醒我|发送?))"
    rf"|\b(?:and\s+)?(?:send|notify|message|tell|post|push|deliver"
    rf"|(?<!daily )(?<!weekly )(?<!monthly )(?<!my )(?<!the )report|forward)\s+(?:(?:me|it|that|this"
    rf"|the (?:result|summary|report)s?|a summary)\s+)*(?:to\s+me\s+)?(?:to|on|via|by|through|over|in"
    rf"|with)\s+(?:my\s+)?(?P<c>{_CHANNEL}(?:\s*(?:,|and)\s*{_CHANNEL})*)\b"
    rf"|(?<=report|review|digest)\s+(?:to|on|via|by|through|over)\s+(?:my\s+)?(?P<e>{_CHANNEL})\b"
    rf"|\b(?:and\s+)?(?P<d>e-?mail|slack|telegram) (?:me|it to me)(?:\s+(?:the\s+)?(?:result|summary)s?)?\b",
    re.I,
)
_KEPT = re.compile(
    r"(?:并|然后)?(?:把)?(?:结果|报告|产物|产出|输出|笔记|它)?(?:都)?(?:写|存|保存|放|记录?)(?:到|入|进|在"
    r"|为)\s*(?P<zh>[A-Za-z0-9_.][^\s,，。;；'\"“”]*/[^\s,，。;；'\"“”]+|[\w-]+\.md)\s*(?:里|中|文件|下)?"
    r"|\b(?:and\s+)?(?:save|write|put|keep|store)\s+(?:(?:it|them|the (?:result|report|summary|note"
    r"|answer)s?|that|this)\s+)?(?:to|into|in|under|as)\s+[`\"']?(?P<en>[\w.-]+/[^\s,`\"']+"
    r"|[\w-]+\.md)[`\"']?",
    re.I,
)


def _take_policies(said: Wish) -> Json:
    """Return the fields that say how a task runs, as far as the wish does, and take them out."""
    found: Json = {}
    if kept := said.take_match(_KEPT):
        path = said.text[slice(*kept.span("zh" if kept["zh"] else "en"))].rstrip(".").removeprefix("notebook/")
        path = re.sub(r"YYYY-?MM-?DD|日期", "DATE", path)
        folder = not path.endswith(".md") and not re.search("DATE|TIME", path)
        found["produces"] = f"{path.rstrip('/')}/DATE.md" if folder else path
    while said.take_match(_QUIET):
        found["silent"] = True
    if said.take_match(_NO_RETRY):
        found["retries"] = 0
    elif again := said.take_match(_RETRY):
        count = again["c"] or again["c2"] or re.sub(r"up to|times?", "", again["ec"] or again["fc"] or "1", flags=re.I)
        found["retries"] = parse_number(count)
        if wait := _length_minutes(again):
            found["retry_after"] = wait
    while said.take_match(_THEN_TOLD):
        pass
    if said.take_match(_SKIP):
        found["missed"] = "skip"
    elif said.take_match(_CATCH_UP):
        found["missed"] = "once"
    if limit := said.take_match(_TIMEOUT):
        found["timeout"] = _length_minutes(limit)
    if told := said.take_match(_TOLD):
        words = next(value for value in told.groupdict().values() if value)
        named = [name for name, form in _CHANNELS.items() if re.search(form, words, re.I)]
        found["notify"] = tuple(name for name in named if not (name == "wechat" and "企业微信" in words))
    return found


def find_channels(text: str) -> list[str]:
    """Return the kinds of channels that a text names: telegram, email."""
    named = [name for name, form in _CHANNELS.items() if name != "cli" and re.search(form, text, re.I)]
    return [name for name in named if not (name == "wechat" and "企业微信" in text)]


def _length_minutes(found: re.Match[str]) -> int:
    """Return the minutes that a pattern's amount and unit are, whichever of its branches matched; 0 for none."""
    got = found.groupdict()
    for key in ("w", "x", "v", "ew", "fw", "gw"):
        amount, unit = got.get(key), got.get(f"{key}u" if len(key) == 1 else f"{key[0]}u")
        if amount and unit:
            return parse_minutes(amount, unit) + (parse_minutes("半", unit) if got.get(f"{key}h") else 0)
    return 0


# what is to be done

_RUN = re.compile(r"(?:运行|执行|跑|\brun\b|\bexecute\b)?\s*`(?P<run>\s*ia [^`]+)`\s*(?:这条命令|命令)?", re.I)
_PREFIX = re.compile(
    r"^(?:请|帮我|麻烦|给我|替我)*(?:再)?(?:设置?|建立?|安排|创建|新建|加|添加|做|定)(?:一)?(?:个|条"
    r"|项)?(?:定时|自动|每\w)?(?:的)?任务\s*[:：,，]?"
    r"|^(?:please\s+)?(?:can you\s+)?(?:set\s+up|create|add|make|schedule)\s+(?:a\s+"
    r"|an\s+)?(?:new\s+)?(?:task|job|reminder)\s*(?:that|to|for|which|:)?\s+",
    re.I,
)


def _take_pipeline(said: Wish) -> str:
    """Return the `ia` commands that stand in backticks, and take them out; "" where there are none."""
    found = said.take_match(_RUN, quoted=True)
    return " ".join(said.text[slice(*found.span("run"))].split()) if found else ""


def _take_job(said: Wish) -> str:
    said.take_match(_PREFIX)
    job = _SET_UP.sub("", _BEFORE_SKILL.sub("", said.remaining_text()))
    return _strip_told(job)


_TOLD_ME = re.compile(
    r"(?:please\s+|then\s+)*(?:(?:send|text|message|e-?mail|ping|push|notify|alert|update|brief|tell|inform)\s+me\s+"
    r"(?:(?:with|of|about|on)\s+)?|let\s+me\s+know\s+(?:about\s+)?|give\s+me\s+(?:an?\s+)?"
    r"|i(?:['’]d|\s+would)\s+like\s+(?:to\s+(?:know|see|have|get)\s+)?|i\s+want\s+(?:to\s+(?:know|see|have|get)\s+)?)"
    r"(?=\w)(?!(?:it|them|this|that|if|when|whether)\b)"
    r"|(?:请|就|再|并)*(?:告诉|通知|告知|提示)我(?:一下|一声)?[:：,，]?(?=[^\s。!！]{2})"
    r"|(?:请|就|再|并)*(?:推送|发送|播报|汇报|报一下|给我发|发(?![现生布行展动起改票电]))(?:给我)?(?:一[份条个下])?(?=[^\s。!！]{2})"
    r"|一[份条个](?=[^\s。!！]{2})",
    re.I,
)
_TO_ME = re.compile(r"(?:把|将)?(?P<what>[^,，。;；]{2,}?)都?(?:发送?|推送?|告诉|汇报|报|送)?给我[。.]?", re.I)


def _strip_told(job: str) -> str:
    """Return a job without the words that wish to be told its result, which every task tells: tell me, 发给我.

    >>> _strip_told("Ping me with the day's top five gainers"), _strip_told("把涨幅前十发给我"), _strip_told("tell me")
    ("the day's top five gainers", '涨幅前十', 'tell me')
    """
    found = _TO_ME.fullmatch(job)
    bare = found["what"] if found and "提醒" not in found["what"] else job
    lead = _TOLD_ME.match(bare)
    return bare[lead.end() :] if lead else bare


_SET_UP = re.compile(
    r"^(?:set\s+up|schedule|create|add|make|start)\s+(?:a|an|my|the)\s+(?=(?:\w+\s+)?(?:review|scan|report|summary|digest)\b)",
    re.I,
)


_BEFORE_SKILL = re.compile(
    r"^(?:运行|执行|调用|使用|用|跑|\b(?:run|execute|use|do)\b)\s*(?:一下|技能|the skill)?\s*(?=/[\w-]+)", re.I
)


_NOTHING_SAID = re.compile(r"(?:请|帮我)?(?:提醒|叫|通知)(?:一下)?我(?:一下|一声)?|(?:please\s+)?remind\s+me", re.I)
"""A reminder of nothing."""
_REMINDER = re.compile(
    r"(?:提醒|叫)(?:一下)?我(?:一下|一声)?(?:要|去|记得)?[:：,，\s]*(?P<zh>[^\s-].*)"
    r"|remind me\s+(?:(?:on|at|by|in|the|of)\s*[,:]?\s*)*(?:to\s+|that\s+|of\s+|about\s+|:\s*)?(?P<en>[^\s-].*)",
    re.I,
)


_CONDITIONAL = re.compile(
    r"(?:while|if|when(?:ever)?|once|as long as|so long as|unless|until|in case)\b"
    r"|(?:如果|要是|假如|只要|一旦|万一|除非|每当)|[^，,]{0,12}(?:是不是|有没有|是否)[^，,]{0,4}[低高涨跌突破超]",
    re.I,
)
"""A reminder that is to be told only if something is so."""
_SYNC = re.compile(
    r"(?:请|帮我)?(?:同步|更新|刷新|拉取)(?:一下|一次)?(?:全市场|市场|今天|当日|最新)?的?(?:行情|数据|股价|价格)(?:数据)?"
    r"|(?:please\s+)?(?:sync|update|refresh|fetch)(?:\s+(?:the|my|all))?(?:\s+market)?(?:\s+(?:data|prices?|quotes?))?",
    re.I,
)
"""What a program does, and no answer: `ia sync`."""


def _reminder_pipeline(reminder: re.Match[str], policies: Json) -> str:
    """Return the pipeline that says a reminder. What is said is the result, so only a failure is told besides."""
    to = ",".join(policies.pop("notify", ()))
    policies["silent"] = True
    return " ".join(["ia send", *(["--to", to] if to else []), quote(reminder["zh"] or reminder["en"])])


_KINDS = (
    ("reminder", r"提醒|\bremind"),
    ("review", r"复盘|覆盘|回顾|回顧|反思|\breview|retrospective|post-?mortem"),
    ("report", r"周报|月报|日报|报告|总结|总結|汇总|\breport|\bsummar|\bdigest|\brecap"),
    ("scan", r"扫描|掃描|扫一|筛|异动|\bscan|\bscreen"),
    ("check", r"检查|核对|\bcheck"),
)


def _job_kind(job: str) -> str:
    plain = Wish(job).whole
    return next((name for name, words in _KINDS if re.search(words, plain, re.I)), "")


def suggest_name(schedule: str, job: str) -> str:
    """Return a short name for a schedule and a job (a prompt or a pipeline): weekly-review, daily-aapl, on-file-inbox.

    raises  BadData where the schedule has no form.
    """
    what, period, kind = parse_schedule(schedule), schedule_period(schedule), _job_kind(job)
    if isinstance(what, ScheduleEvent):
        stem = what.what.rpartition("/")[2].partition(".")[0] if what.kind in ("file", "news") else what.what
        stem = stem.strip("*") or what.what.rpartition("/")[0].strip("*/").rpartition("/")[2]
        about = re.sub(r"[^\w]+", "-", stem).strip("-_").casefold()[:30]
        return f"{period}-{about}" if about else period
    if job.startswith("ia "):
        command = re.match(r"ia\s+([A-Za-z][\w-]*)", job, re.A)
        return f"{period}-{command[1].casefold()}" if command else f"{period}-task"
    token = re.search(r"(?<![\w/])(\$?[A-Z]{2,6}|\d{5,6})(?![\w/])", job)
    if kind in ("", "check") and token:
        return f"{period}-{token[0].strip('$').casefold()}"
    if not kind and (first := re.match(r"[^\w/]*([^\W_]*[\u3400-\u9fff][^\W_]*)", job)):
        return f"{_ZH_PERIODS.get(period, period)}-{first[1].casefold()[:12]}"
    return f"{period}-{kind or 'task'}"


_ZH_PERIODS = {
    "once": "单次",
    "hourly": "每小时",
    "daily": "每日",
    "weekly": "每周",
    "monthly": "每月",
    "quarterly": "每季",
    "yearly": "每年",
}


def schedule_period(schedule: str) -> str:
    """Return the rhythm of a schedule as a word: daily, weekly, monthly, quarterly, yearly, hourly, every-2h, on-file.

    raises  BadData where it has no form.
    """
    what = parse_schedule(schedule)
    if isinstance(what, ScheduleEvent):
        return f"on-{what.kind}"
    periods = list(dict.fromkeys(map(_form_period, parse_parts(schedule))))
    return periods[0] if len(periods) == 1 else "daily"


def _form_period(what: TimedForm) -> str:
    if isinstance(what, OnceSchedule):
        return "once"
    if isinstance(what, IntervalSchedule):
        plain = {60: "hourly", 1440: "daily", 7 * 1440: "weekly"}
        return plain.get(what.minutes) or f"every-{format_span(what.minutes)}"
    if isinstance(what, CycleSchedule):
        return f"every-{what.number}{what.unit[0]}"
    if isinstance(what, OrdinalSchedule):
        return _month_period(len(what.months)) if len(what.months) < 12 else f"{what.period}ly"
    if isinstance(what, CloseSchedule):
        return "daily" if len(what.weekdays) > 4 else "weekly"
    if len(what.months) < 12:
        return _month_period(len(what.months))
    if len(what.days) < 28:
        return "monthly"
    if len(what.times) > 4:
        return "hourly"
    return "daily" if len(what.weekdays) > 4 else "weekly"


def _month_period(count: int) -> str:
    """Return the rhythm of what comes in so many months of a year."""
    return {1: "yearly", 2: "half-yearly", 4: "quarterly"}.get(count, "monthly")


def suggest_note(schedule: str, job: str) -> str:
    """Return where the result of a job is kept; "" for the folder of the task's own name."""
    kind, period = _job_kind(job), schedule_period(schedule)
    if kind in ("review", "report") and period in ("daily", "weekly", "monthly", "quarterly", "yearly"):
        return f"reports/{period}/DATE.md"
    return "reports/scan/DATE.md" if kind == "scan" else ""


def _job_inputs(kind: str, job: str) -> str:
    chinese = bool(_CJK.search(job))
    if kind == "review":
        period = "memory/observations/ 本期条目" if chinese else "memory/observations/ of the period"
        return f"{period}, memory/tracking.md, memory/beliefs.md"
    return "memory/tracking.md" if kind == "scan" else ""
