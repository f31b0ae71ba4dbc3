"""Short answers: a single figure, who I am, what I cannot know."""

import re

from ia.agent.analyst import reply
from ia.agent.analyst.desk import Call, Desk, Failure, Result, Work
from ia.agent.analyst.figures import Figure
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.mentions import near
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.research import named, valued
from ia.agent.analyst.voice import ZH, number
from ia.domain.instruments.symbols import resolve
from ia.kernel.errors import IaError
from ia.organs.sessions import importance_of

_WORLD = re.compile(
    r"新闻|消息面|公告|财报|业绩|营收|净利|分红|PE|PB|ROE|市盈率|市净率|估值|行业|板块|宏观|利率|降息|加息|政策"
    r"|为什么|明天|会涨|会跌|目标价|谁"
    r"|news|earnings|revenue|profit|dividend|valuation|sector|industry|macro|interest rate|policy|why|tomorrow"
    r"|will .* (rise|fall)|target price|who",
    re.I,
)


def figure(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Return just the figures that were asked for, of each security named, with their dates and over their bars."""
    speak, lines, points = desk.speak, [], []
    asked, piped = wanted.asked, desk.request.bars
    own = str(piped.get("symbol") or "")
    from_pipe = bool(piped) and (not wanted.securities or [m.code for m in wanted.securities] == [own])
    ignored = [speak(zh, en) for zh, en in asked.ignored]
    period, end = asked.period, asked.end
    if from_pipe and period != (piped.get("period") or "daily"):
        ignored += [_period(desk, period)] if period != "daily" else []
        period = str(piped.get("period") or "daily")
    if desk.stranger and period != "daily":
        ignored, period = [*ignored, _period(desk, period)], "daily"
    sides = [None] if from_pipe else wanted.securities[:3]
    for mention in sides if asked.figures else []:
        if mention is None:
            title = " ".join(filter(None, (str(piped.get("name") or ""), own if own != "stdin" else "")))
            head, simulated = f"**{title or speak('管道数据', 'piped bars')}**", bool(piped.get("simulated"))
        else:
            far = {"period": period} if period != "daily" else {}
            bars = yield from desk.one(
                "market.ohlcv", symbol=mention.code, tail=1, **far, **({"end": end} if end else {})
            )
            if not bars.ok:
                lines.append(reply.no_prices(desk, mention.said, bars.failure or reply.NO_BARS))
                continue
            head, simulated = f"**{named(desk, mention)}** {mention.code}", bool(bars.get("simulated"))
        args = {"symbol": mention.code} if desk.stranger and mention and not end else {}
        results = yield from desk.run(*(Call("compute.run", {"code": code, **args}) for code, *_ in asked.figures))
        told = [_told(desk, item, result) for item, result in zip(asked.figures, results, strict=True)]
        mark = speak("（模拟行情）", " (simulated prices)") if simulated else ""
        bar = speak("（{period}）", " ({period})", period=_period(desk, period)) if period != "daily" else ""
        lines.append(f"{head}{bar}{mark}{speak('：', ': ')}{speak.listed(told)}")
        lines += [_heat(desk, [valued(result)[0] for result in results])] if asked.overbought else []
        points.append(lines[-1])
    if any("date" in code and unit == "price" for code, _, _, unit in asked.figures) and points and not from_pipe:
        lines.append(speak("过去的价格是前复权价。", "Past prices are adjusted (qfq)."))
    if ignored:
        lines.append(
            speak(
                "没有算：{ignored}（我只有日、周、月线的价格和成交量）。",
                "I ignored: {ignored} (there are daily, weekly and monthly prices and volume only).",
                ignored=speak.joined(ignored),
            )
        )
    return Reply(lines, points or lines)


@part("一个数字", "one figure", in_text)
def _told(desk: Desk, item: Figure, result: Result) -> str:
    _, zh, en, unit = item
    speak = desk.speak
    value, date = valued(result)
    if value is not None:
        return f"{speak(zh, en)} {number(value, unit, speak)}" + (f" ({date})" if date else "")
    if result.missing:
        why = speak("没有计算工具", "no tool for it")
    elif result.failure is None or "iloc" in item[0] or "date" in item[0]:
        why = speak("算不出（这段时间没有或不够 K 线）", "not to be had (no or too few bars then)")
    else:
        why = reply.describe_failure(speak, result.failure)
    return f"{speak(zh, en)} {why}"


def _period(desk: Desk, period: str) -> str:
    names = {"daily": ("日线", "daily bars"), "weekly": ("周线", "weekly bars"), "monthly": ("月线", "monthly bars")}
    return desk.speak(*names[period])


@part("超买超卖的判断", "whether it is overbought", in_text)
def _heat(desk: Desk, values: list[float | None]) -> str:
    """Return whether a security is overbought: by its RSI above 70 or below 30, and by where it is in its bands."""
    speak = desk.speak
    strength, place = [*values, None, None][:2]
    if strength is None:
        return speak("K 线不够，说不了超买还是超卖。", "Too few bars to say.")
    outside = place is not None and (place > 100 or place < 0)
    if strength >= 70:
        return speak("是超买（RSI ≥ 70）", "Yes: overbought (RSI at or above 70)") + (
            speak("，而且在布林上轨之外。", ", and above the upper band.")
            if place is not None and place > 100
            else speak("。", ".")
        )
    if strength <= 30:
        return speak("是超卖（RSI ≤ 30）", "Oversold (RSI at or below 30)") + (
            speak("，而且在布林下轨之外。", ", and below the lower band.")
            if place is not None and place < 0
            else speak("。", ".")
        )
    return speak(
        "既不超买也不超卖（RSI 在 30 与 70 之间）", "Neither overbought nor oversold (RSI between 30 and 70)"
    ) + (speak("，但价格在布林带之外。", ", though the price is outside its bands.") if outside else speak("。", "."))


def why(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Answer why with what the note of today says for and against; it was written with the view."""
    speak, mention = desk.speak, wanted.securities[0]
    path = f"research/{mention.name.replace('/', '-')}/{desk.request.day}.md"
    result = yield from desk.one("notebook.read", path=path)
    sections = re.split(r"^## ", str(result.value), flags=re.M) if result.ok else []
    kept = [text for text in sections if re.match(r"支持与反对|For and against|反面证据|Against it", text)]
    if not kept:
        return reply.of(
            speak(
                "今天还没有{name}的研究笔记，没有依据可说；先问“看看{name}”。",
                "There is no note on {name} of today to give grounds from; first ask how {name} looks.",
                name=named(desk, mention),
            )
        )
    head = speak("依据在 `notebook/{path}`：", "The grounds are in `notebook/{path}`:", path=path)
    lines = [line for section in kept for line in _grounds(desk, section)]
    return Reply([head, "", *lines], [line for line in lines if line.startswith("- ")], (f"notebook/{path}",))


@part("一段依据", "one part of the grounds", in_list)
def _grounds(desk: Desk, section: str) -> list[str]:
    """Return a section of a note in lines."""
    return [f"**{section.splitlines()[0]}**", *section.strip().splitlines()[1:], ""]


def which(desk: Desk, wanted: Intent) -> Reply:
    """Ask for the security that a skill needs."""
    speak = desk.speak
    need = speak("两只证券", "two securities") if wanted.skill == "compare" else speak("一只证券", "a security")
    told = (
        speak("“{words}”里没有我认得的证券。", '"{words}" names no security that I know. ', words=wanted.words)
        if wanted.words
        else ""
    )
    return reply.of(
        told
        + speak(
            "/{skill} 需要{need}：写代码或全名，例如 `/{skill} 600519`。",
            "/{skill} needs {need}: write the code or the full name, as in `/{skill} 600519`.",
            skill=wanted.skill,
            need=need,
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
    if wanted.kind == "statement":
        return reply.of(
            speak(
                "知道了，这是你的判断：它留在这个会话里（重要，不会先被裁掉），没有写进记忆。",
                "Noted as your judgment: it stays in this session (important, so it is not the first to be pruned),"
                " and is not in the memory.",
            )
            if importance_of(wanted.words) == 2
            else speak(
                "知道了，这是一笔交易：它留在这个会话里，没有写进记忆。",
                "Noted as a trade: it stays in this session, and is not in the memory.",
            ),
            speak(
                "要长期留下：“记住：{words}，因为……”（信念），或“记下：{words}”（当天的笔记）。",
                'To keep it: "remember: {words}, because …" (a belief), or "note: {words}" (today\'s note).',
                words=" ".join(wanted.words.split()).strip("。.!！")[:80],
            ),
        )
    if wanted.kind == "unknown" and desk.request.wants_json:
        return reply.of(
            speak(
                "规则做不了这个任务，语言模型可以（`ia config set model …`）。",
                "Rules cannot do this; a language model can (`ia config set model …`).",
            )
        )
    if wanted.kind == "unknown" and desk.request.data and not desk.request.bars:
        return reply.of(
            speak(
                "规则读不懂文章，附来的文字我没有读；要读它，请设一个语言模型：`ia config set model …`。",
                "Rules do not read prose: the text that came along was not read. A language model does:"
                " `ia config set model …`.",
            ),
            *(
                [
                    speak(
                        "你的问题里提到{names}：要看行情，就说“看看{first}”。",
                        'Your question names {names}: for its prices, say "look at {first}".',
                        names=speak.joined([f"{named(desk, m)} {m.code}" for m in wanted.securities]),
                        first=wanted.securities[0].said,
                    )
                ]
                if wanted.securities
                else []
            ),
        )
    if wanted.kind == "doubtful":
        return reply.of(_doubt(desk, wanted.words))
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
                "This needs more than prices (news, accounts, the economy, judgment), for which I have no source,"
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
            "I could not read this: I work by rules, and recognized neither a security nor a task in it.",
        ),
        *_examples(desk),
    )


def _doubt(desk: Desk, said: str) -> str:
    """Return, in the reader's language, why a text means no security, or which it could mean."""
    speak, like = desk.speak, ""
    if not said:
        return speak("哪一只证券？例如“贵州茅台的 RSI 是多少”。", 'Of which security? For example "RSI of 600519".')
    try:
        symbol = resolve(said)
        unknown = "不在我认得的证券里" if speak.lang == ZH else f"no such security as {symbol} in my rules"
        return reply.no_prices(desk, said, Failure(unknown, "unknown-symbol"))
    except IaError as exc:
        if several := exc.params.get("candidates"):
            return speak(
                "“{security}”可能是好几只证券：{candidates}。请写代码，例如 {example}。",
                '"{security}" could be several securities: {candidates}. Write the code, such as {example}.',
                security=said, candidates=several, example=exc.params.get("first") or "600519.SH",
            )  # fmt: skip
        like = str(exc.params.get("near") or "")
    like = like or ", ".join(map(str, near(said)[1]))
    if like:
        return speak(
            "没有叫“{security}”的证券。你是说 {candidate} 吗？",
            'No security is called "{security}". Did you mean {candidate}?',
            security=said,
            candidate=like,
        )
    if said.isdigit():
        return speak(
            "没有找到 {security}：没有这个代码的股票、基金或指数。请核对，例如 600519、00700.HK、AAPL。",
            "{security}: no stock, fund or index has such a code. Check it: 600519, 00700.HK, AAPL.", security=said,
        )  # fmt: skip
    return speak(
        "我不认得“{security}”。请写代码，例如 600519、00700.HK、AAPL。",
        'I know no security "{security}". Write its code: 600519, 00700.HK, AAPL.', security=said,
    )  # fmt: skip


def _elsewhere(desk: Desk) -> bool:
    """Whether the workspace is for something else than investing: it has skills, and none researches."""
    names = [name for name, _ in desk.request.skills]
    return bool(names) and "research" not in names


def _able(desk: Desk) -> str:
    speak, own = desk.speak, desk.request.skills
    told = speak.joined([f"/{name}" for name, _ in own])
    if _elsewhere(desk):
        return speak(
            "这个工作区的技能是 {skills}；规则能做它们查记忆和笔记的步骤，写作和判断要语言模型（`ia config set model"
            " …`）。"
            "我还能看行情、算指标、记住和找回你说过的话。",
            "The skills here are {skills}; rules do those of their steps that look up memory and notes, writing and"
            " judgment need a language model (`ia config set model …`). I can also look at prices, compute,"
            " remember and find what you said.",
            skills=told,
        )
    return speak(
        "我能看行情、算指标、核对规则、看持仓和市场主线、写研究笔记、记住和找回你说过的话、复盘、扫描关注列表、起草定时任务。",
        "I can look at prices, your account and the market, compute, check rules, write research notes, remember and"
        " find what you said, review, scan the watch list, and draft scheduled tasks.",
    ) + (speak("技能：{skills}。", " Skills: {skills}.", skills=told) if own else "")


def _examples(desk: Desk) -> list[str]:
    speak = desk.speak
    if _elsewhere(desk):
        return [
            speak("这里的技能：", "The skills here:"),
            *(f"- /{name}{speak('：', ': ')}{about}" for name, about in desk.request.skills),
        ]
    examples = speak(
        "帮我看看宁德时代最近怎么样|贵州茅台的 RSI 是多少|我的持仓怎么样|今天市场主线是什么|对比 比亚迪 和 宁德时代"
        "|关注 600519：等回踩 200 日线|我之前怎么看宁德时代|复盘本周|扫描关注列表|每周五收盘后帮我复盘本周",
        "How does CATL look lately?|What is the RSI of 600519?|How are my positions doing?|What is the market's main"
        " line today?|Compare BYD and CATL: 002594 vs 300750|Track 600519: wait for the 200-day average"
        "|What did I say about CATL?|Review this week|Scan my watch list|Every Friday after the close, review the week",
    )
    return [speak("可以这样说：", "You can say:"), *(f"- {example}" for example in examples.split("|"))]
