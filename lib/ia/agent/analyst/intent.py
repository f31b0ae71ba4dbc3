"""What a message wants, read by rules: nothing in it that is data is looked at."""

import re
from typing import NamedTuple

from ia.agent.analyst.figures import Asked, asked
from ia.agent.analyst.mentions import LONGEST, Mention, bare, found, near
from ia.agent.analyst.request import Request
from ia.agent.analyst.voice import ZH
from ia.sessions import importance_of

_COMMAND = re.compile(r"/([\w][\w-]*)(?:\s+(.*))?\Z", re.S)
_RULES: tuple[tuple[str, str], ...] = (
    ("schedule", r"(每(个)?(天|日|晚|早|周|星期|月|季|个?交易日|逢|隔|半?小时"
                 r"|(\d+|[两三四五六七八九十]+)个?(半)?(分钟|小时))|工作日)\S{0,16}.{0,24}?(复盘|回顾|扫描|筛|分析"
                 r"|研究|看|提醒|汇总|总结|报告|检查|发)"
                 r"|\b(every|each) (\d+ (minute|hour|day)s|hour|quarter|day|week|month|friday|monday|tuesday"
                 r"|wednesday|thursday|weekday|trading day|evening|morning)"
                 r"|\b(daily|weekly|monthly)\b.{0,40}\b(review|scan|report|summary|check)|\bremind me|\bschedule\b"),
    ("praise", r"(分析|写|做|干|说)得(真|很|非常)?(好|不错|棒)|保持(这|这样|下去)|继续保持|well done|good (job|work"
               r"|analysis)|great (job|work|analysis)|keep (it|this) up"),
    ("coach", r"你(最近|总是|总|老是|老|一直|又|太|对.{1,12}太|对.{1,16}(总是|一直)|应该|不该|忽略|低估|高估)|(以后"
              r"|今后|下次|从现在起).{0,20}(要|先|别|不要|多|少|应)"
              r"|\byou (always|never|keep|tend|often|should|underestimat\w+|overestimat\w+|are too|were too"
              r"|ignore\w*)\b|\bfrom now on\b|\bnext time\b"),
    ("scan", r"扫描|扫一遍|扫一下|筛选|筛一遍|过一遍|(关注|自选).{0,6}(机会|破位|看一遍|异动)|\bscan\b|\bscreen\b"
             r"|go over (my|the) (watch|track)"),
    ("asked_memory", r"(我|我们|你)?(之前|以前|上次|过去|曾经|原来).{0,10}(怎么看|怎么说|说过|写过|看法|判断|记录"
                     r"|观点|研究过)"
                     r"|(我|你).{0,6}(关注|跟踪|自选).{0,8}(什么|哪些|谁|列表)|(我的|你的)(信念|关注|自选|偏好|笔记"
                     r"|观察)|(关注列表|自选股?)(里)?(有|是)(什么|哪些)"
                     r"|你(相信|记得)|写过(什么|哪些)|记得.{0,20}[吗么？?]|what (did|have) (i|we|you) (say|said"
                     r"|write|written|think|thought|note|noted)"
                     r"|what (do|am) i (track|watch|follow)|\bmy (beliefs?|watch ?list|notes?|preferences"
                     r"|observations?)\b|what do you (believe|remember)"),
    ("untrack", r"(取消|不再|停止|别再|不用再?)(关注|跟踪|追踪|盯)|移出(自选|关注)|从(自选|关注).{0,4}(删|移|去)"
                r"|\buntrack|stop (tracking|watching|following)|off (my|the) watch ?list"),
    ("track", r"加(入|到)(自选|关注)|(开始|帮我|请)?(关注|跟踪|追踪|盯着|盯住|盯一下)|\b(track|watch|follow)\b"
              r"|keep an eye on|(to|on) (my|the) watch ?list"),
    ("prefer", r"我(的)?(更)?(偏好|喜欢|习惯|不喜欢|倾向|风险(偏好|承受))|记住我|\bi (prefer|like|dislike"
               r"|would rather)\b"),
    ("note", r"(记下|记一下|记录一?下?|记一笔|写下|做个?笔记|存一?下|保存)(来)?[:：，,\s]|^记[:：]|\b(note|write"
             r"|jot) (this |it )?down\b|^note[:：]|\btake a note\b"),
    ("note", r"我?(今天|刚刚?|昨天)?(?<!超)(买入|卖出|买|卖|加仓|减仓|清仓|建仓)了|^i (just )?(bought|sold)\b"),
    ("believe", r"^(请|帮我)?(记住|(写|加|记|存|添加)(下|入|上)?(一?条|一?个)?(新的?)?信念)[:：，,\s]"
                r"|^(请)?(新)?信念[:：]"
                r"|^(please )?remember\b(?! me\b)"
                r"|^(please )?(write|add|keep|note)( down)? (a|this|one|the) belief\b|^belief:"),
    ("order", r"(帮我|替我|给我|帮忙|请)(再|先|马上|立即|立刻|直接)?(把)?\s*"
              r"(下单|买入?|卖出?|卖掉|买进|建仓|加仓|减仓|清仓|平仓|开仓)"
              r"(?!条件|信号|点|理由|时机|什么|哪)|^(市价|限价|马上|立即)?\s*(买入|卖出|卖掉|买进|加仓|减仓|清仓|平仓|建仓|买|卖)\s*\d"
              r"|^(市价|限价|马上|立即)?\s*(买入|卖出|清仓|平仓)\s*[，。!！]*$|下个?单(?!元)"
              r"|^(please |can you |could you |now )?(buy|sell|short|liquidate) (me |all |my |\d|some )"
              r"|^(please )?(buy|sell)\s*(now|at \S+)?\W*$|place (an|the|a \w+) order"),
    ("review", r"复盘|回顾|反思|周报|月报|总结(一下)?(本|这|上)(周|月|季)|\breview\b|retrospective|post-?mortem"),
    ("holdings", r"(我(们)?的?|目前的?|现在的?|当前的?|今天的?|账户的?)(持仓|仓位|账户|盈亏|收益|浮盈|浮亏)"
                 r"|^(看看|看一下|查一下|查看|显示)?(持仓|账户|仓位|盈亏)(情况|怎么样|如何|表现|盈亏|有哪些|多少)?\W*$"
                 r"|我(现在|目前)?(持有|拿着|手里有|手上有)(了|的)?(什么|哪些|多少|几)"
                 r"|(我|^)(今天|今年|现在|一共|总共|这个?月|这周){0,2}(赚|亏|盈利|亏损)了?多少|(今日|今天|总|累计)盈亏"
                 r"|\bmy (positions?|holdings?|portfolio|account|p ?& ?l|pnl|profits?|loss(es)?|gains?)\b"
                 r"|how much (did|have) i (ma[kd]e|los[et]|earn(ed)?|gain(ed)?)|what (do|am) i (hold(ing)?|own)\b"),
    ("mainline", r"主线[^，,。]{0,6}(什么|哪|谁|怎么样|如何|[?？吗呢])|(什么|哪些?|哪个|有没有)[^，,。]{0,4}主线"
                 r"|(看看|说说|分析|判断)[^，,。]{0,8}主线|^(今天|今日|当前|市场|的)*主线\W*$"
                 r"|(热点|风口)(板块|题材)?(是|在|有)(什么|哪)|(什么|哪些?)(是)?(热点|风口)"
                 r"|(什么|哪些?|哪个)(板块|行业|概念|题材).{0,8}(强|涨|热|领)"
                 r"|领涨(的)?(板块|行业|概念)|(板块|行业|概念)(涨幅|排行|轮动)|涨幅榜|涨(得|幅)?最(多|好|高|大)"
                 r"|(多少|几)(只|家)?涨停"
                 r"|\bmain (line|theme)s?\b|\b(top|biggest) gainers\b|\bleading (sectors?|industries|themes?)\b"
                 r"|which (sectors?|industries|stocks?) (lead|led|rose|gained|are (hot|strong))"
                 r"|\bhot (sectors?|themes?)\b"),
    ("consent", r"^(好的?[，, ]*)?(确认|同意|批准|可以执行|就这么办|ok)(执行|吧|了)?\W*$|^(yes[, ]*)?(approved?"
                r"|confirm(ed)?|go ahead)\W*$|(批准|approve)\s*(提案|proposal)?\s*#?\d+"),
    ("compare", r"对比|比较|哪个(更)?(好|强)|相比|\bcompare\b|\bversus\b|\bvs\.?(?=\W|$)"),
    ("help", r"^(帮助|help|你(是谁|会什么|能做什么|能干什么|有什么功能)|怎么用|what can you do|who are you"
             r"|how do i use)\W*$|你(能|会|可以)(做|干)(些)?什么|what can you do"),
    ("greet", r"^(你好|您好|嗨|哈喽|早|早上好|下午好|晚上好|hi|hello|hey|good (morning|afternoon|evening))\W*$"),
)  # fmt: skip
RULES = tuple((name, re.compile(words, re.I)) for name, words in _RULES)

_HOW_MUCH = re.compile(r"多少|几|是什么水平|报多少|[?？吗]|what|how (much|high|low)|tell me|show|给我|查", re.I)
_WIDER = re.compile(
    r"怎么样|怎么看|如何|分析|研究|值得|走势|前景|看看|机会|风险大|analy[sz]e|research|outlook|worth|look (at|into)"
    r"|think of",
    re.I,
)
_LOOK = re.compile(r"看看(?=.*(是多少|\(|（|MACD|RSI|线|价))|看看|\blook (at|into)\b|show me", re.I)
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
_MARKET = re.compile(
    r"(大盘|A股|股市|市场)(最近|近期|现在|今天)?(怎么样|如何|走势|怎么看|环境)|how('s| is) the market|the market look",
    re.I,
)
_WHY = re.compile(r"^(为什么|为啥|凭什么|理由|依据|怎么得出)|(依据|理由)是什么|^why\b|on what grounds", re.I)
_ABOUT = re.compile(
    r"(?:看看|看一下|看下|看|分析一下|分析|研究一下|研究|说说|聊聊)\s*(?P<zh>[^\s，,。？?！!的]{2,8}?)\s*(?:这只|最近"
    r"|近期|近况|现在|怎么样|如何|的|走势|值得|能买|能不能|行情|股票|$)"
    r"|\b(?:analy[sz]e|research|look at|look into|about|how is|how does"
    r"|how about)\s+(?P<en>[A-Z][\w.&' -]{1,30}?)(?:\s+(?:look|doing|do|lately|stock|shares|now)\b|$)"
)  # fmt: skip


class Intent(NamedTuple):
    """What is wanted: a kind, the securities named, the words, and of a command its name."""

    kind: str
    securities: list[Mention]
    words: str
    skill: str = ""
    asked: Asked = Asked()


def read(request: Request) -> Intent:
    """Return what a request wants. Securities that it leaves out with `it` are those of the message before."""
    text = request.question
    command = _COMMAND.match(text)
    words = (command[2] or "").strip() if command else text
    securities = found(words)
    if not securities and _IT.search(words[:LONGEST]):
        securities = _last_named(request)
    if command:
        return Intent("skill", securities, words, command[1].lower())
    active = re.match(r"# /([\w-]+)", request.parts.get("skill", ""))
    if active:
        return Intent("skill", securities, words, active[1])
    plain = bare(words)
    kind = next((name for name, pattern in RULES if pattern.search(plain) and _fits(name, securities, plain)), "")
    wanted = asked(_apart(words[:LONGEST], securities), request.moment.date())
    exact = bool(wanted.figures or wanted.ignored)
    if request.bars and kind in ("", "compare", "scan"):
        alone = exact and not _WIDER.search(plain)
        return Intent("figure" if alone else "piped", securities, words, "", wanted)
    if not kind and not securities and _MARKET.search(plain):
        return Intent("research", found("沪深300" if request.speak.lang == ZH else "SPY"), words)
    if not kind and _WHY.search(plain) and (named := securities or _last_named(request)):
        return Intent("why", named, words)
    if kind in ("", "compare") and len(securities) > 1:
        kind = "figure" if exact and _HOW_MUCH.search(plain) and kind == "" else "compare"
    elif kind in ("", "compare") and securities:
        alone = exact and bool(_HOW_MUCH.search(plain) or len(plain) < 40 or wanted.period != "daily")
        kind = "figure" if alone and not _WIDER.search(_LOOK.sub("", plain, count=1)) else "research"
    if (kind == "" or kind == "research") and (skill := _skill_for(request, plain, sure=bool(kind))):
        return Intent("skill", securities, words, skill)
    if request.data and not request.bars and kind in ("", "research", "compare") and _PROSE.search(plain):
        return Intent("unknown", securities, words)
    if not kind and not securities and exact and _HOW_MUCH.search(plain):
        if named := _last_named(request):
            return Intent("figure", named, words, "", wanted)
        if wanted.figures:
            return Intent("doubtful", [], _subject(plain), "", wanted)
    if not kind and not securities and importance_of(words[:LONGEST]):
        return Intent("statement", [], words)
    if not kind and not securities and (said := _doubtful(words[:LONGEST])):
        return Intent("doubtful", [], said, "", wanted)
    if not kind and not securities and (said := near(plain)[0]):
        return Intent("doubtful", [], said, "", wanted)
    return Intent(kind or "unknown", securities, words, "", wanted)


def _subject(words: str) -> str:
    """Return what a figure is asked of: what stands before `的`, or between `of` and the end; "" where nothing does."""
    found = re.match(r"\s*(?:请问|查一下|告诉我)?([^\s的，,。？?\d]{2,8}?)(?:现在|今天|最近)?的", words) or re.search(
        r"\bof ([A-Za-z][\w.&' -]{1,30}?)\W*$", words
    )
    return found[1].strip() if found else ""


def _apart(words: str, securities: list[Mention]) -> str:
    """Return a text without the securities' codes: no number of theirs is a parameter or a year."""
    for mention in securities:
        words = words.replace(mention.said, " ")
    return words


def _skill_for(request: Request, words: str, *, sure: bool) -> str:
    """Return the skill that a message means: one named in it, or (not `sure` of anything else) whose description shares
    at least two of its words; "" where it means none, or several.
    """
    listed = re.findall(r"^([a-z0-9\u3400-\u9fff-]+): (.*)$", request.parts.get("skills", ""), re.M)
    own = [(name, about) for name, about in listed if name not in ("research", "compare", "scan", "review")]
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


def _last_named(request: Request) -> list[Mention]:
    return next((named for said in reversed(request.before) if (named := found(said))), [])


def _doubtful(words: str) -> str:
    """Return what stands where a security is expected, though none is known by it; "" where nothing does."""
    code = re.search(r"(?<![\d.])\d{6}(?![\d.])", words)
    if code:
        return code[0]
    found = _ABOUT.search(words.strip(" ？?。.!！"))
    return (found["zh"] or found["en"] or "").strip() if found else ""


def _fits(kind: str, securities: list[Mention], words: str) -> bool:
    """Whether a rule that matched may count: a watch list needs something to put there, a comparison two,
    and a main line is the market's."""
    if kind in ("track", "untrack"):
        return bool(securities) or bool(re.search(r"[:：]\s*\S|「|“|\"", words))
    if kind == "mainline":
        return not securities
    return kind != "compare" or len(securities) > 1
