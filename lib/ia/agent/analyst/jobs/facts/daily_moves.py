"""How much a security moves on an average day; and a question for a profit that is the owner's or the company's."""

import re
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from ia.agent.analyst.ask.facts import HOLDING, FactQuestion, quote_facts
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, FUTURE, SESSIONS, YEAR, TimeSpan
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import account_facts, security_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import SpanBars, period_of
from ia.agent.analyst.jobs.facts.extreme_facts import each_security, head, say_price
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.patterns import pattern

USUAL = 20
"""Sessions whose moves are averaged where the question names none."""


def answer_daily_move(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer the mean absolute change of the closes from day to day, over 20 sessions or the time that is named."""
    speak = desk.speak
    asked = replace(asked, spans=tuple(each for each in asked.spans if (each.kind, each.sessions) != (SESSIONS, 1)))
    counted = None if asked.spans else _COUNTED.search(strip_mentions(asked.words))
    size = int(counted["n"]) if counted else USUAL
    span = asked.spans[0] if asked.spans else TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=size)
    if len(asked.spans) > 1 or span.kind in (DAY, FUTURE):
        return wording.ask_back(desk, tuple(each.said for each in asked.spans))
    read = counted[0] if counted else ""
    unread = tuple(word for word in asked.unread if word not in read and not _AVERAGE.fullmatch(word))
    if unread or not 1 < size <= YEAR * 4:
        return wording.ask_back(desk, unread or (read,))

    ranges = _RANGE.search(strip_mentions(asked.words)) is not None

    def say(mention: Mention, found: SpanBars) -> list[str]:
        rows = found.with_base
        if ranges and len(rows) > 1:
            return [head(desk, mention, found) + _say_range(desk, found)]
        moves = [(b.close / a.close * 100 - 100, b.date) for a, b in pairwise(rows)]
        if not moves:
            return [head(desk, mention, found) + speak("too few bars.")]
        up, down = max(moves), min(moves)
        mean = fmean(abs(move) for move, _ in moves)
        return [
            head(desk, mention, found)
            + speak(
                PluralText(
                    "**{mean}** a day on average, up or down: the mean size of {count} daily change ({period}).",
                    "**{mean}** a day on average, up or down: the mean size of {count} daily changes ({period}).",
                ),
                mean=f"{mean:.2f}%", count=len(moves), period=period_of(found.rows),
            ),
            speak(
                "At the close of {price} that is {move} a share; best day {best} ({on}), worst {worst} ({when}).",
                price=say_price(desk, rows[-1].close), move=say_price(desk, rows[-1].close * mean / 100),
                best=wording.say_percent(up[0]), on=up[1], worst=wording.say_percent(down[0]), when=down[1],
            ),
        ]  # fmt: skip

    told = yield from each_security(desk, asked, span, say)
    more = (
        []
        if asked.spans or counted
        else [speak("Over 20 sessions, as no time was named; “over 60 days” asks for another.")]
    )
    return reply_of_lines(*told.lines, *more)


def _say_range(desk: ToolDesk, found: SpanBars) -> str:
    """Return the mean range of the days, from low to high, of the close before."""
    sizes = [((b.high - b.low) / a.close * 100, b.date) for a, b in pairwise(found.with_base)]
    return desk.speak(
        PluralText(
            "range of a day **{mean}** on average, from low to high in per cent of the close before ({count} session,"
            " {period}); widest {most} ({on}), narrowest {least} ({when}).",
            "range of a day **{mean}** on average, from low to high in per cent of the close before ({count} sessions,"
            " {period}); widest {most} ({on}), narrowest {least} ({when}).",
        ),
        mean=f"{fmean(size for size, _ in sizes):.2f}%", count=len(sizes), period=period_of(found.rows),
        most=f"{max(sizes)[0]:.2f}%", on=max(sizes)[1], least=f"{min(sizes)[0]:.2f}%", when=min(sizes)[1],
    )  # fmt: skip


_RANGE = pattern(r"振幅|\b(?:ranges?|amplitudes?)\b", re.I)
_AVERAGE = pattern(r"平均|均值|日均|日平均|振幅|average|mean|typical|daily|day|ranges?|amplitudes?", re.I)
_COUNTED = pattern(r"(?P<n>\d{1,3})[- ]?(?:个?交易日|[日天]|(?:trading )?days?\b|sessions?\b)", re.I)


def answer_held_or_company(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a share brought that is or was held, and name the other; else the profit of the company.

    Of one that was sold no day is told, but what it brought in all.
    """
    speak, fact = desk.speak, asked.facts[0]
    found = yield from desk.one("account.status" if asked.spans else "account.profit")
    rows = wording.rows_of(found, "positions") if found.ok and not asked.spans else []
    held = {str(row.get("symbol")) for row in rows} if rows else set(wording.objects_of(found, "positions"))
    own = tuple(mention for mention in asked.securities if mention.code in held)
    said_own = _OWN.search(strip_mentions(asked.words)) is not None
    if len(own) != len(asked.securities) and not said_own and _IN_ALL.search(asked.words):
        sales = yield from desk.one("account.history", symbol=asked.securities[0].code)
        own = asked.securities if len(asked.securities) == 1 and wording.rows_of(sales.value) else own
    if len(own) != len(asked.securities) and not said_own:
        company = next(each for each in quote_facts(desk.tables) if each.id == "net_profit")
        return (yield from security_facts.ANSWERS["report"](desk, replace(asked, facts=(company,))))
    mine = fact._replace(of=HOLDING, answer="position", field="profit", alone=True)
    told = yield from account_facts.ANSWERS["position"](desk, replace(asked, facts=(mine,)))
    if said_own:
        return told
    name = desk.short_names.get(asked.securities[0].code, asked.securities[0].said)
    return told._replace(
        lines=[*told.lines, speak("That is your own result; of the company ask “net profit of {name}”.", name=name)]
    )


_OWN = pattern(r"我|\bme\b", re.I)
_IN_ALL = pattern(r"一共|总共|当时|当初|那[次笔波]|最[后终]", re.I)
"""Words of what a position brought that is sold: of a company one asks for a year."""


ANSWERS = {"daily_move": answer_daily_move, "held_or_company": answer_held_or_company}
