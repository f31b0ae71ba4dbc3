"""Short answers: a single figure, who I am, what I cannot know."""

import re

from ia.agent.analyst import reply
from ia.agent.analyst.desk import Call, Desk, Work
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.research import named, valued
from ia.agent.analyst.voice import number
from ia.errors import IaError
from ia.ohlcv.identity import resolve

_WORLD = re.compile(
    r"新闻|消息面|公告|财报|业绩|营收|净利|分红|PE|PB|ROE|市盈率|市净率|估值|行业|板块|宏观|利率|降息|加息|政策"
    r"|为什么|明天|会涨|会跌|目标价|谁"
    r"|news|earnings|revenue|profit|dividend|valuation|sector|industry|macro|interest rate|policy|why|tomorrow"
    r"|will .* (rise|fall)|target price|who",
    re.I,
)


def figure(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Return just the figures that were asked for, of each security named, with their dates."""
    speak, lines, points = desk.speak, [], []
    for mention in wanted.securities[:3]:
        bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1)
        if not bars.ok:
            lines.append(reply.no_prices(desk, mention.said, "missing" if bars.missing else bars.error))
            continue
        args = {"symbol": mention.code} if desk.stranger else {}
        results = yield from desk.run(
            *(Call("compute.run", {"code": code, **args}) for code, _, _, _ in wanted.figures)
        )
        told = []
        for (_code, zh, en, unit), result in zip(wanted.figures, results, strict=True):
            value, date = valued(result)
            shown = (
                speak("算不出（K 线不够）", "not to be had (too few bars)")
                if result.ok
                else result.error or speak("没有计算工具", "no tool for it")
            )
            told.append(
                f"{speak(zh, en)} {number(value, unit, speak) if value is not None else shown}"
                + (f" ({date})" if date else "")
            )
        mark = speak("（模拟行情）", " (simulated prices)") if bars.get("simulated") else ""
        lines.append(f"**{named(desk, mention)}** {mention.code}{mark}{speak('：', ': ')}{speak.listed(told)}")
        points.append(lines[-1])
    return Reply(lines, points or lines)


def why(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Answer why with what the note of today says for and against; it was written with the view."""
    speak, mention = desk.speak, wanted.securities[0]
    path = f"research/{mention.name.replace('/', '-')}/{desk.request.day}.md"
    result = yield from desk.one("notebook.read", path=path)
    parts = re.split(r"^## ", str(result.value), flags=re.M) if result.ok else []
    kept = [part for part in parts if re.match(r"支持与反对|For and against|反面证据|Against it", part)]
    if not kept:
        return reply.of(
            speak(
                "今天还没有{n}的研究笔记，没有依据可说；先问“看看{n}”。",
                "There is no note on {n} of today to give grounds from; first ask how {n} looks.",
                n=named(desk, mention),
            )
        )
    head = speak("依据在 `notebook/{p}`：", "The grounds are in `notebook/{p}`:", p=path)
    lines = [line for part in kept for line in (f"**{part.splitlines()[0]}**", *part.strip().splitlines()[1:], "")]
    return Reply([head, "", *lines], [line for line in lines if line.startswith("- ")], (f"notebook/{path}",))


def which(desk: Desk, wanted: Intent) -> Reply:
    """Ask for the security that a skill needs."""
    speak = desk.speak
    need = speak("两只证券", "two securities") if wanted.skill == "compare" else speak("一只证券", "a security")
    told = (
        speak("“{w}”里没有我认得的证券。", '"{w}" names no security that I know. ', w=wanted.words)
        if wanted.words
        else ""
    )
    return reply.of(
        told
        + speak(
            "/{s} 需要{n}：写代码或全名，例如 `/{s} 600519`。",
            "/{s} needs {n}: write the code or the full name, as in `/{s} 600519`.",
            s=wanted.skill,
            n=need,
        )
    )


def said(desk: Desk, wanted: Intent) -> Reply:
    """Return the answer to what needs no tool: a greeting, a question for help, or what is beyond rules."""
    speak = desk.speak
    if wanted.kind == "greet":
        return reply.of(speak("你好。", "Hello. ") + _able(desk))
    if wanted.kind == "consent":
        return reply.of(
            speak(
                "批准是你的事，我碰不到：`ia pending` 看等你决定的提案，`ia approve 编号` 执行，`ia reject 编号`"
                " 放弃。",
                "Approving is yours to do, out of my reach: `ia pending` shows what waits, `ia approve NUMBER`"
                " carries it out,"
                " `ia reject NUMBER` drops it.",
            )
        )
    if wanted.kind == "doubtful":
        return reply.of(reply.no_prices(desk, wanted.words, _doubt(wanted.words)))
    if wanted.kind == "help":
        return reply.of(
            speak(
                "我是 ia 内置的规则分析员（ia-offline），没有用语言模型。",
                "I am the rule-based analyst of ia (ia-offline), without a language model.",
            ),
            _able(desk),
            *_examples(desk),
        )
    if _WORLD.search(wanted.words):
        return reply.of(
            speak(
                "这个问题要靠行情以外的知识（新闻、财报、宏观或判断），我没有来源，不编。",
                "This needs more than prices (news, accounts, the economy, judgement), for which I have no source,"
                " and I do not invent.",
            ),
            speak(
                "给我一只证券，我能用价格和成交量回答；要开放式的讨论，请设一个模型：`ia config set model …`。",
                "Name a security and I can answer from prices and volume; for open questions set a model: `ia config"
                " set model …`.",
            ),
            *_examples(desk),
        )
    return reply.of(
        speak(
            "这句话我没有读懂：我按规则工作，没有认出证券，也没有认出要做的事。",
            "I could not read this: I work by rules, and recognised neither a security nor a task in it.",
        ),
        *_examples(desk),
    )


def _doubt(said: str) -> str:
    """Return why a text means no security, or which it could mean."""
    try:
        return f"no such security as {resolve(said)} in my rules"
    except IaError as exc:
        return str(exc)


def _able(desk: Desk) -> str:
    return desk.speak(
        "我能看行情、算指标、核对规则、写研究笔记、记住和找回你说过的话、复盘、扫描关注列表、起草定时任务。",
        "I can look at prices, compute, check rules, write research notes, remember and find what you said, review,"
        " scan the"
        " watch list, and draft scheduled tasks.",
    )


def _examples(desk: Desk) -> list[str]:
    speak = desk.speak
    examples = speak(
        "帮我看看宁德时代最近怎么样|贵州茅台的 RSI 是多少|对比 比亚迪 和 宁德时代|关注 600519：等回踩 200"
        " 日线|我之前怎么看宁德时代|复盘本周|扫描关注列表|每周五收盘后帮我复盘本周",
        "How does CATL look lately?|What is the RSI of 600519?|Compare BYD and CATL: 002594 vs 300750|Track 600519:"
        " wait for the 200-day average"
        "|What did I say about CATL?|Review this week|Scan my watch list|Every Friday after the close, review the week",
    )
    return [speak("可以这样说：", "You can say:"), *(f"- {example}" for example in examples.split("|"))]
