"""Short answers: a single figure, who I am, what I cannot know."""

import re
from collections.abc import Sequence

from ia.agent.analyst.ask.figures import Asked, Figure, figures_at
from ia.agent.analyst.ask.follow_asides import asks_why
from ia.agent.analyst.ask.idea_words import find_name
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.leftover_words import find_unread_words
from ia.agent.analyst.ask.mentions import Mention, english, find_abbreviated, find_near_name
from ia.agent.analyst.ask.near_questions import find_offered
from ia.agent.analyst.ask.plain_words import fold_characters, simplify_question
from ia.agent.analyst.ask.unknown_names import find_subject_word
from ia.agent.analyst.desk import DeskCall, DeskResult, Failure, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name, read_value
from ia.agent.analyst.failures import NO_BARS, describe_failure
from ia.agent.analyst.jobs import grounds, live_price
from ia.agent.analyst.jobs.filing import research_folders
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.say import note, reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.voice import ZH, number
from ia.domain.instruments.symbols import AmbiguousName, Symbol, resolve_security
from ia.kernel.errors import IaError
from ia.kernel.patterns import pattern
from ia.organs.sessions import importance_of

MOST_OFFERED = 5
"""Securities between which an answer asks to choose."""

_WORLD = pattern(
    r"天气|气温|下雨|下雪|新闻|消息面|公告|宏观|利率|降息|加息|政策|为什么|明天|会涨|会跌|目标价"
    r"|\bweather\b|\bnews\b|\bmacro|interest rate|\bpolicy|\bwhy\b|\btomorrow\b|\bwill .* (?:rise|fall)|target price",
    re.I,
)


_THANKS = pattern(
    r"\W*(?:好的?[,， ]*)?(?:谢谢|多谢|感谢|谢啦|谢了|辛苦了?)(?:你|您|啦|了)?\W*"
    r"|\W*(?:ok,? |great,? )?(?:many )?(?:thanks?|thank you|thx|cheers)"
    r"(?: a lot| so much| very much)?\W*",
    re.I,
)


_LAST_CHANGE = "roc(close, 1)"
"""The change over the last bar: of a day, a week or a month."""


def answer_figure(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Return just the figures that were asked for, of each security named, with their dates and over their bars."""
    speak, asked = desk.speak, wanted.asked
    if asked.future:
        return reply.reply_of_lines(speak("I give no forecasts, so nothing for “{time}”.", time=asked.future))
    if asked.unread or (asked.left and asked.figures):
        from ia.agent.analyst.jobs.facts.wording import ask_back

        return ask_back(desk, asked.unread or asked.left)
    if asked.ignored and any(code == _LAST_CHANGE for code, *_ in asked.figures):
        from ia.agent.analyst.jobs.facts.wording import ask_back

        return ask_back(desk, asked.ignored)
    if name := {"weekly": speak("change of the week"), "monthly": speak("change of the month")}.get(asked.period):
        asked = asked._replace(
            figures=tuple((code, name if code == _LAST_CHANGE else old, unit) for code, old, unit in asked.figures)
        )
    lines, points, period = [], [], asked.period
    piped = desk.request.bars
    own = str(piped.get("symbol") or "")
    from_pipe = bool(piped) and (not wanted.securities or [m.code for m in wanted.securities] == [own])
    ignored = list(asked.ignored)
    if from_pipe and period != (piped.get("period") or "daily"):
        ignored += [_period(desk, period)] if period != "daily" else []
        period = str(piped.get("period") or "daily")
    if desk.stranger and period != "daily":
        ignored, period = [*ignored, _period(desk, period)], "daily"
    sides = [None] if from_pipe else wanted.securities[:3]
    times = (asked, *(each._replace(period=asked.period) for each in asked.others))
    ranked: list[float | None] = []
    for mention, each in [(side, each) for side in sides for each in times] if asked.figures else []:
        if mention is None:
            told = yield from _figures_of_pipe(desk, each, own)
        else:
            told = yield from _figures_of_security(desk, each, mention, period, ranked)
        lines += told
        points += told[:1]
    if len(ranked) == len(sides) > 1 and len(asked.figures) == 1:
        lines = [*_say_higher(desk, wanted, ranked), *lines]
    if points and not from_pipe and any(map(_tells_adjusted, times)):
        mixed = any(each.day is not None and code in _TRADED for each in times for code, *_ in each.figures)
        lines.append(
            speak("Prices of a day are as they were traded, other past prices are adjusted (qfq).")
            if mixed
            else speak("Past prices are adjusted (qfq).")
        )
    if any(unit == "price" for *_, unit in asked.figures) and not from_pipe:
        from ia.agent.analyst.jobs.facts import wording

        if len(sides) == 1:
            converted = yield from _convert_prices(desk, wanted)
            lines += converted
        else:
            lines += filter(None, [wording.foreign_currency(desk, wanted.words, wanted.securities[:3])])
    if ignored:
        lines.append(
            speak(
                "I ignored: {ignored} (prices are daily, weekly or monthly; figures of companies are in `ia quote`).",
                ignored=speak.join_items(ignored),
            )
        )
    return Reply(lines, points or lines, understood=not ignored)


def _convert_prices(desk: ToolDesk, wanted: Intent) -> Work[list[str]]:
    """Return the last close of the security in the other currency that a question names."""
    from ia.agent.analyst.ask.amounts import find_currencies
    from ia.agent.analyst.evidence.tool_answers import closes_of
    from ia.agent.analyst.jobs.facts import wording

    mention = wanted.securities[0]
    if not find_currencies(wanted.words):
        return []
    if any(code != "close" for code, _, unit in wanted.asked.figures if unit == "price"):
        return [line for line in [wording.foreign_currency(desk, wanted.words, [mention])] if line]
    given = {"end": f"{day.first}"} if (day := wanted.asked.day) is not None and day.first else {}
    bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1, adjust="none", **given)
    closes = closes_of(bars.value) if bars.ok else []
    if not closes:
        return []
    on, price = closes[-1]
    line = yield from wording.convert_price(desk, wanted.words, mention, price, on if given else "")
    return [line] if line else []


_TRADED = ("open", "high", "low", "close")
"""Expressions that are prices of one day."""


def _tells_adjusted(asked: Asked) -> bool:
    """Return True if figures are prices of a stretch of time, or computed as of a past day: of adjusted bars."""
    past = asked.day is not None
    return any(
        unit == "price" and (_over_time(code) or (past and code not in _TRADED)) for code, _, unit in asked.figures
    )


def _over_time(code: str) -> bool:
    """Return True if an expression is of a stretch of time."""
    return "date >" in code or "iloc" in code


def _figures_of_pipe(desk: ToolDesk, asked: Asked, own: str) -> Work[list[str]]:
    """Return the figures of the bars that were piped in, in lines."""
    speak, piped, day = desk.speak, desk.request.bars, asked.day
    codes = [code for code, *_ in asked.figures]
    if day is not None and day.first is not None:
        codes = [f'({code})[date <= "{day.first}"]' for code in codes]
    elif day is not None:
        codes = [f"({code}).iloc[: -{day.sessions}]" for code in codes]
    results = yield from desk.run(*(DeskCall("compute.run", {"code": code}) for code in codes))
    title = " ".join(filter(None, (str(piped.get("name") or ""), own if own != "stdin" else "")))
    return _say_figures(
        desk, asked, f"**{title or speak('piped bars')}**", results, simulated=bool(piped.get("simulated"))
    )


def _say_higher(desk: ToolDesk, wanted: Intent, values: list[float | None]) -> list[str]:
    """Return which of several securities has the higher or the lower figure, where a question asks for that."""
    from ia.agent.analyst.jobs.facts.valuation_facts import Compared, say_comparison

    _, name, unit = wanted.asked.figures[0]
    sides = [
        Compared(mention, value, number(value, unit, desk.speak))
        for mention, value in zip(wanted.securities, values, strict=False)
    ]
    return say_comparison(desk, wanted, name, sides)


def _figures_of_security(
    desk: ToolDesk, asked: Asked, mention: Mention, period: str, values: list[float | None]
) -> Work[list[str]]:
    """Return the figures of a security, in lines; as they were on a day, where one is meant.

    values  takes the first of them as a number
    """
    speak, day = desk.speak, asked.day
    given: dict[str, str] = {"period": period} if period != "daily" else {}
    if day is not None and day.first is None:
        newest = yield from desk.one("market.ohlcv", symbol=mention.code, tail=day.sessions + 1, **given)
        rows = [str(line).split(",")[0] for line in newest.get("bars") or []][1:] if newest.ok else []
        if newest.ok and len(rows) <= day.sessions:
            return [reply.describe_no_prices(desk, mention.said, NO_BARS)]
        begun = (
            bool(rows) and not given and rows[-1] < desk.request.day
        )  # today has no bar yet, and counts all the same
        given |= {"end": rows[begun]} if rows else {}
    elif day is not None and f"{day.first}" != desk.request.day:
        given["end"] = f"{day.first}"
    args = {"symbol": mention.code} if desk.stranger and "end" not in given else {}
    past = [code in _TRADED and "end" in given for code, *_ in asked.figures]
    results: dict[int, DeskResult] = {}
    for raw in sorted(
        set(past)
    ):  # the price of a past day is that which was traded, other figures are of adjusted bars
        adjust = {"adjust": "none"} if raw else {}
        bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1, **given, **adjust)
        if not bars.ok:
            return [reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS)]
        places = [at for at, each in enumerate(past) if each == raw]
        found = yield from desk.run(*(DeskCall("compute.run", {"code": asked.figures[at][0], **args}) for at in places))
        results |= dict(zip(places, found, strict=True))
    values.append(read_value(results[0])[0] if results else None)
    head = f"**{display_name(desk, mention)}** {mention.code}"
    bar = speak(" ({period})", period=_period(desk, period)) if period != "daily" else ""
    from ia.agent.analyst.jobs.facts import bar_rows, wording

    last = str(bars.get("last") or "")
    upto = asked.upto if asked.upto and last < asked.upto else ""
    shown = asked._replace(figures=tuple((code, name.replace(upto, last) if upto else name, unit)
                                         for code, name, unit in asked.figures))  # fmt: skip
    abroad = mention.symbol.market != "CN" and mention.symbol.kind != "index"
    lines = _say_figures(
        desk, shown, head + bar, [results[at] for at in sorted(results)], simulated=bool(bars.get("simulated")),
        currency=wording.CURRENCIES.get(mention.symbol.market, "") if abroad else "",
    )  # fmt: skip
    if day is not None and day.first is not None and period == "daily" and last and last != f"{day.first}":
        told = (
            wording.closed_day(desk, mention, day.first, last)
            if f"{day.first}" == desk.request.day
            else speak(
                "{day} has no bar (closed or suspended); the last one before is that of {last}.",
                day=day.first,
                last=last,
            )
        )
        lines.insert(0, told)
    elif period == "daily" and "end" not in given:
        missed = yield from bar_rows.find_missed(desk, mention, last)
        lines += filter(None, [bar_rows.stale_note(desk, mention, last, missed)])
    if period == "daily" and live_price.wants_live_price(desk, asked, mention):
        told, known = yield from live_price.say_live_price(desk, head, mention)
        lines = [told, *lines] if known else [*lines, told]
    return lines


def _say_figures(
    desk: ToolDesk, asked: Asked, head: str, results: list[DeskResult], *, simulated: bool, currency: str = ""
) -> list[str]:
    """Return the figures of one security in a line, and whether it is at an extreme where that was asked."""
    speak = desk.speak
    told = [_format_figure(desk, item, result, currency) for item, result in zip(asked.figures, results, strict=True)]
    mark = speak(" (simulated prices)") if simulated else ""
    lines = [f"{head}{mark}{speak(': ')}{speak.join_clauses(told)}"]
    strength = [at for at, (code, *_) in enumerate(asked.figures) if find_name("strength") in code]
    if not asked.extremes or len(strength) != 1:
        return lines
    place = [at for at, (_, name, _) in enumerate(asked.figures) if re.search(find_name("place"), name)]
    return [*lines, _describe_extreme(desk, [read_value(results[at])[0] for at in (*strength, *place)])]


@part("one figure", in_text)
def _format_figure(desk: ToolDesk, item: Figure, result: DeskResult, currency: str = "") -> str:
    _, name, unit = item
    speak = desk.speak
    value, date = read_value(result)
    if value is not None:
        told = f"{name} {number(value, unit, speak)}" + (f" {currency}" if currency and unit == "price" else "")
        return told + (f" ({date})" if date and (item[0].endswith("]") or not _over_time(item[0])) else "")
    if result.missing:
        why = speak("no tool for it")
    elif result.failure is None or "iloc" in item[0] or "date" in item[0]:
        why = speak("not to be had (no or too few bars then)")
    else:
        why = describe_failure(speak, result.failure)
    return f"{name} {why}"


def _period(desk: ToolDesk, period: str) -> str:
    names = {"daily": "daily bars", "weekly": "weekly bars", "monthly": "monthly bars"}
    return desk.speak(names[period])


@part("whether it is at an extreme", in_text)
def _describe_extreme(desk: ToolDesk, values: list[float | None]) -> str:
    """Return whether a security stands at an extreme, by its strength and by its place in a band."""
    known = figures_at(desk.tables).extremes
    strength, place = [*values, None, None][:2]
    if strength is None:
        return desk.speak.fill(known.sentences["too_few"])
    state = "above" if strength >= known.high else "below" if strength <= known.low else "between"
    high, low = place is not None and place > known.outside_high, place is not None and place < known.outside_low
    outside = {"above": high, "below": low, "between": high or low}[state]
    return desk.speak.fill(known.sentences[f"{state}_outside" if outside else state])


def explain_why(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Answer why with what the note of today says for and against; it was written with the view."""
    speak, mention = desk.speak, wanted.securities[0]
    path, kept = yield from read_note_parts(desk, mention, note.GROUNDS)
    if not kept:
        return reply.reply_of_lines(
            speak(
                "The reasons are the figures of the answer before. There is no note on {name} of today with more; ask"
                " how {name} looks.",
                name=display_name(desk, mention),
            )
        )._replace(understood=asks_why(desk.request.question))
    head = speak("The grounds are in `notebook/{path}`:", path=path)
    lines = [line for section in kept for line in _grounds(desk, section)]
    passage = yield from grounds.find_passage(desk, "verdict")
    quoted = [grounds.quote_passage(desk, passage)] if passage else []
    points = [line for line in lines if line.startswith("- ")]
    return Reply([head, "", *lines, *quoted], points, (f"notebook/{path}",))


def read_note_parts(desk: ToolDesk, mention: Mention, fields: set[str]) -> Work[tuple[str, list[str]]]:
    """Return where the note of today on a security lies, and the sections of it that tell some fields."""
    names = research_folders(desk, [(mention.name, english(mention.symbol))])
    for name in names:
        path = f"research/{name}/{desk.request.day}.md"
        result = yield from desk.one("notebook.read", path=path)
        if result.ok:
            break
    sections = re.split(r"^## ", str(result.value), flags=re.M) if result.ok else []
    yield from desk.load_tables(templates=("note",))
    headings = note.headings_with(desk.tables, fields)
    return path, [text for text in sections if text.partition("\n")[0].strip() in headings]


@part("one part of the grounds", in_list)
def _grounds(desk: ToolDesk, section: str) -> list[str]:
    """Return a section of a note in lines."""
    return [f"**{section.splitlines()[0]}**", *section.strip().splitlines()[1:], ""]


def ask_security(desk: ToolDesk, wanted: Intent) -> Reply:
    """Ask for the security that a skill needs."""
    speak = desk.speak
    need = speak("two securities") if wanted.skill == "compare" else speak("a security")
    told = speak('"{words}" names no security that I know. ', words=wanted.words) if wanted.words else ""
    return reply.reply_of_lines(
        told
        + speak(
            "/{skill} needs {need}: write the code or the full name, as in `/{skill} 600519`.",
            skill=wanted.skill,
            need=need,
        )
    )


_MODEL = pattern(r"模型|\b(?:model|llm|chatgpt|gpt|claude)", re.I)


def answer_plainly(desk: ToolDesk, wanted: Intent) -> Reply:
    """Return the answer to what needs no tool: a greeting, a question for help, or what is beyond rules."""
    speak = desk.speak
    if wanted.kind == "greet":
        return reply.reply_of_lines(speak("Hello. ") + _describe_abilities(desk))
    if wanted.kind == "help" and _MODEL.search(wanted.words):
        return reply.reply_of_lines(
            speak("No language model: I am the embedded analyst, ia-offline, and answer by rules."
                  " `ia config set model …` chooses a model.")
        )  # fmt: skip
    if wanted.kind == "consent":
        return reply.reply_of_lines(
            speak(
                "Approving is yours to do, out of my reach: `ia pending` shows what waits, `ia approve NUMBER`"
                " carries it out,"
                " `ia reject NUMBER` drops it.",
            )
        )
    if wanted.kind == "statement":
        return reply.reply_of_lines(
            speak(
                "Noted as your judgment: it stays in this session (important, so it is not the first to be pruned),"
                " and is not in the memory.",
            )
            if importance_of(wanted.words) == 2
            else speak(
                "Noted as a trade: it stays in this session, and is not in the memory.",
            ),
            speak(
                'To keep it: "remember: {words}, because …" (a belief), or "note: {words}" (today\'s note).',
                words=" ".join(wanted.words.split()).strip("。.!！")[:80],
            ),
        )
    if wanted.kind == "unknown" and _THANKS.fullmatch(desk.request.question):
        return reply.reply_of_lines(speak("You are welcome."))
    if wanted.kind == "unknown" and desk.request.wants_json:
        return reply.reply_of_lines(
            speak(
                "Rules cannot do this; a language model can (`ia config set model …`).",
            )
        )
    if wanted.kind == "unknown" and desk.request.data and not desk.request.bars:
        return reply.reply_of_lines(
            speak(
                "Rules do not read prose: the text that came along was not read. A language model does:"
                " `ia config set model …`.",
            ),
            *(
                [
                    speak(
                        'Your question names {names}: for its prices, say "look at {first}".',
                        names=speak.join_items([f"{display_name(desk, m)} {m.code}" for m in wanted.securities]),
                        first=wanted.securities[0].said,
                    )
                ]
                if wanted.securities
                else []
            ),
        )
    if wanted.kind == "vague":
        return reply.reply_of_lines(
            speak(
                "What of {name} do you want to know? “{words}” I could not read, so I do not answer with something"
                " else.",
                name=speak.join_items([display_name(desk, mention) for mention in wanted.securities[:3]]),
                words=wanted.words[:80],
            )
        )._replace(unread=(desk.request.question,))
    if wanted.kind == "doubtful":
        return reply.reply_of_lines(describe_doubt(desk, wanted.words))
    if wanted.kind == "help":
        return reply.reply_of_lines(
            speak(
                "I am the rule-based analyst of ia (ia-offline), without a language model.",
            ),
            _describe_abilities(desk),
            *_examples(desk),
        )
    if find_abbreviated(alone := wanted.words.strip(" ?？。!！")):
        return reply.reply_of_lines(describe_doubt(desk, alone))
    if _WORLD.search(wanted.words):
        return reply.reply_of_lines(
            speak(
                "This needs more than prices (news, accounts, the economy, judgment), for which I have no source,"
                " and I do not invent.",
            ),
            speak(
                "Name a security and I can answer from prices and volume; for open questions set a model: `ia config"
                " set model …`.",
            ),
            *_few_examples(desk),
        )
    unread = find_unread_words(simplify_question(wanted.words), "", ())
    asked = desk.request.question
    return reply.reply_of_lines(
        speak(
            "I did not understand {words}, and found neither a security nor anything to look up.",
            words=speak.join_items([speak('"{word}"', word=word) for word in desk.quote_typed(unread)]),
        )
        if unread
        else speak("I did not understand that: it names neither a security nor anything to look up."),
        *([] if find_offered(desk.request, asked) else _few_examples(desk)),
    )._replace(unread=(asked,))


def ask_which(desk: ToolDesk, names: list[str]) -> Reply:
    """Ask back for the securities that names beside a known one mean."""
    return reply.reply_of_lines(*(describe_doubt(desk, name) for name in names))._replace(understood=False)


_MOST_SHOWN = 12
"""Securities that an ambiguous name could mean which an answer lists."""


def ask_which_of(desk: ToolDesk, codes: Sequence[str]) -> Reply:
    """Ask back which of several securities a pronoun means."""
    from ia.agent.analyst.jobs.facts import wording

    if not codes:
        line = desk.speak("Which one do you mean? Write its name: what the answer before lists I do not count off.")
        return reply.reply_of_lines(line)._replace(understood=False)
    names = [wording.name_alone(desk, code, "") for code in codes[:MOST_OFFERED]]
    line = desk.speak("Which one do you mean: {names}?", names=desk.speak.join_items(names))
    return reply.reply_of_lines(line)._replace(understood=False)


def ask_which_time(desk: ToolDesk) -> Reply:
    """Ask back which day or month is meant, where the answer before found several."""
    line = desk.speak("Which day or month do you mean? Name it: those that the answer before found I do not carry on.")
    return reply.reply_of_lines(line)._replace(understood=False)


def describe_doubt(desk: ToolDesk, said: str) -> str:
    """Return, in the reader's language, why a text means no security, or which it could mean."""
    speak, like = desk.speak, ""
    if said.casefold() not in desk.said.casefold() and fold_characters(said) not in fold_characters(desk.said):
        return speak.fill(figures_at(desk.tables).which)  # what only rules made of it
    if not said and find_abbreviated(begun := find_subject_word(desk.request.question)):
        said = begun
    if not said:
        return speak.fill(figures_at(desk.tables).which)
    try:
        symbol = resolve_security(said)
        unknown = speak("no such security as {symbol} in my rules", symbol=symbol)
        return reply.describe_no_prices(desk, said, Failure(unknown, "unknown-symbol"))
    except AmbiguousName as exc:
        several = [resolve_security(code) for code in exc.codes[:_MOST_SHOWN]]
        named = [_name_near(desk, each) for each in several]
        return speak(
            '"{security}" could be several securities: {candidates}. Write the code, such as {example}.',
            security=said,
            candidates=speak.join_items([*named, *(["…"] if len(exc.codes) > _MOST_SHOWN else [])]),
            example=exc.codes[0],
        )
    except IaError as exc:
        like = str(exc.params.get("near") or "")
    near = find_near_name(said)[1] or find_abbreviated(said)
    like = ", ".join(_name_near(desk, symbol) for symbol in near) if near else like
    if like:
        return speak(
            'No security is called "{security}". Did you mean {candidate}?',
            security=said,
            candidate=like,
        )
    if said.isdigit():
        return speak(
            "{security}: no stock, fund or index has such a code. Check it: 600519, 00700, AAPL.", security=said,
        )  # fmt: skip
    return speak(
        'I know no security "{security}". Write its code: 600519, 00700, AAPL.', security=said,
    )  # fmt: skip


def _name_near(desk: ToolDesk, symbol: Symbol) -> str:
    """Return a security that may be meant, as the reader knows it, with its code."""
    name = english(symbol) if desk.speak.lang != ZH else symbol.name
    return " ".join(dict.fromkeys((name or symbol.canonical, symbol.canonical)))


def _elsewhere(desk: ToolDesk) -> bool:
    """Whether the workspace is for something else than investing: it has skills, and none researches."""
    names = [name for name, _ in desk.request.skills]
    return bool(names) and "research" not in names


def _describe_abilities(desk: ToolDesk) -> str:
    speak, own = desk.speak, desk.request.skills
    told = speak.join_items([f"/{name}" for name, _ in own])
    if _elsewhere(desk):
        return speak(
            "The skills here are {skills}; rules do those of their steps that look up memory and notes, writing and"
            " judgment need a language model (`ia config set model …`). I can also look at prices, compute,"
            " remember and find what you said.",
            skills=told,
        )
    return speak(
        "I can look at prices, your account and the market, compute, check rules, write research notes, remember and"
        " find what you said, review, scan the watch list, and draft scheduled tasks.",
    ) + (speak(" Skills: {skills}.", skills=told) if own else "")


def _few_examples(desk: ToolDesk) -> list[str]:
    """Return a few examples in a line, and where there are more: after an answer that is none."""
    speak = desk.speak
    if _elsewhere(desk):
        return _examples(desk)
    known = figures_at(desk.tables).examples[0 if speak.lang == ZH else 1]
    told = speak.join_items([speak('"{word}"', word=each) for each in known[:3]])
    return [speak('You can say: {examples}; "help" shows more.', examples=told)]


def _examples(desk: ToolDesk) -> list[str]:
    speak = desk.speak
    if _elsewhere(desk):
        return [
            speak("The skills here:"),
            *(f"- /{name}{speak(': ')}{about}" for name, about in desk.request.skills),
        ]
    examples = figures_at(desk.tables).examples[0 if speak.lang == ZH else 1]
    return [speak("You can say:"), *(f"- {example}" for example in examples)]
