"""Two securities, or two stretches of time, against each other: shares for a share, one bought instead of another."""

import math
import re
from dataclasses import replace
from datetime import date, timedelta

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.leftover_words import find_leftovers
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import FUTURE, SINCE, blank_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import result_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import SpanBars, load_span, load_spans
from ia.agent.analyst.jobs.facts.extreme_facts import MOST, NEWEST, each_security, head
from ia.agent.analyst.jobs.facts.journal_rows import load_trades
from ia.agent.analyst.jobs.facts.share_changes import load_share_changes
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_MANY = pattern(r"(?:几|多少)\s*股|\bhow many\b", re.I)
_ONE = pattern(r"[一1]\s*股|\b(?:one|a|1|a single)\b", re.I)


def answer_share_ratio(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares of one security a share of another is worth, at the newest closes."""
    speak, plain = desk.speak, strip_mentions(asked.words)
    many, one = _MANY.search(plain), _ONE.search(plain)
    if len(asked.securities) != 2 or many is None or one is None:
        return wording.ask_back(desk, tuple(each.said for each in asked.securities[2:]) or (asked.words,))
    if asked.spans and (span := wording.other_day(asked, desk.request.day)):
        return wording.ask_back(desk, (span.said,))
    worth, unit = asked.securities if one.start() < many.start() else asked.securities[::-1]
    loaded = yield from load_spans(desk, [worth, unit], NEWEST, adjust="none")
    for mention, found in zip((worth, unit), loaded, strict=True):
        if isinstance(found, DeskResult) or not found.rows:
            failure = found.failure if isinstance(found, DeskResult) else None
            return reply_of_lines(reply.describe_no_prices(desk, mention.said, failure or NO_BARS))
    first, second = (found for found in loaded if isinstance(found, SpanBars))
    own, other = (wording.CURRENCIES.get(each.symbol.market, "") for each in (worth, unit))
    factor, told = 1.0, ""
    if own != other:
        rate = yield from wording.load_rate(desk, own, other)
        if rate is None:
            return reply_of_lines(speak("No exchange rate of {currency} in {base} is stored: `ia sync rates`.",
                                        currency=own, base=other))  # fmt: skip
        factor = float(rate["rate"])
        shown = wording.rate_params(desk, rate)
        told = speak("1 {currency} = {rate} {base} ({date}, {source}).", currency=own, base=other,
                     rate=shown["rate"], date=shown["date"], source=shown["source"])  # fmt: skip
    given: Json = {
        "name": wording.head_of(desk, worth), "other": wording.head_of(desk, unit),
        "count": f"{first.rows[-1].close * factor / second.rows[-1].close:,.2f}",
        "price": f"{number(first.rows[-1].close, 'price', speak)} {own}", "day": first.rows[-1].date,
        "unit": f"{number(second.rows[-1].close, 'price', speak)} {other}", "date": second.rows[-1].date,
        "mark": wording.simulated_mark(desk, first.simulated or second.simulated),
    }  # fmt: skip
    line = speak("One share of {name} is worth **{count} shares** of {other}: {price} ({day}) against {unit} ({date})"
                 ".{mark}", **given)  # fmt: skip
    return reply_of_lines(line, *([told] if told else []))


_NOT = pattern(r"不是|而非|(?:没有?|不)买|代替|instead of|rather than|(?:and )?not\b", re.I)


_MONEY = pattern(r"的(?:那些|那笔)?[钱资]|\bmoney\b", re.I)
"""The money of purchases, put into another security: of those named first."""


def answer_bought_instead(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the money of purchases would be worth now in another security, beside what those are worth."""
    speak, mentions = desk.speak, asked.securities
    denied, money = _NOT.search(asked.words), _MONEY.search(asked.words)
    places = {each.code: asked.words.find(each.said) for each in mentions}
    if len(mentions) != 2 or (denied is None and money is None):
        return wording.ask_back(desk, tuple(each.said for each in mentions[2:]) or (asked.words,))
    after = [each for each in mentions if denied is not None and places[each.code] > denied.start()]
    ordered = sorted(after or mentions, key=lambda each: places[each.code])
    real = ordered[0] if after or denied is None else mentions[1]
    other = next(each for each in mentions if each is not real)
    days = yield from result_facts.trade_days(desk, asked)
    if days is None or asked.unread:
        return wording.ask_back(desk, asked.unread or tuple(span.said for span in asked.spans))
    rows, listed = yield from load_trades(desk, real)
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    bought = [row for row in rows if row.get("kind") == "buy"]
    chosen = [row for row in bought if result_facts.is_within(row, days)]
    if not chosen:
        dates = speak.join_items([str(row["date"]) for row in bought[-3:]]) or "–"
        return reply_of_lines(
            speak("{name}: the journal has no purchase{when}. Purchases of it: {dates}.", dates=dates,
                  name=wording.head_of(desk, real), when=speak(" ({days})", days=days[0].label) if days else "")
        )  # fmt: skip
    if wording.CURRENCIES.get(real.symbol.market) != wording.CURRENCIES.get(other.symbol.market):
        return reply_of_lines(speak("They trade in two currencies: the money of one is not compared with the other."))
    first = min(str(row["date"]) for row in chosen)
    since = replace(NEWEST, kind=SINCE, first=date.fromisoformat(first), sessions=0)
    theirs = yield from load_span(desk, other, since)
    newest = yield from load_span(desk, real, NEWEST, adjust="none")
    for mention, found in ((real, newest), (other, theirs)):
        if isinstance(found, DeskResult) or not found.rows:
            failure = found.failure if isinstance(found, DeskResult) else None
            return reply_of_lines(reply.describe_no_prices(desk, mention.said, failure or NO_BARS))
    if isinstance(theirs, DeskResult) or isinstance(newest, DeskResult):
        return wording.unreadable(desk, speak("the journal"), listed.failure or NO_BARS)
    status = yield from desk.one("account.status")
    held = wording.objects_of(status, "positions").get(real.code, {})
    changes = yield from load_share_changes(desk, real.code, float(held.get("size") or 0))
    closes = {each.date: each.close for each in theirs.with_base}
    paid = worth = instead = 0.0
    for row in chosen:
        amount, day = float(row["quantity"]) * float(row["price"]), str(row["date"])
        factor = changes.factor_since(day)
        if factor is None:
            return reply_of_lines(speak("The change since is not known: bonus shares or splits came between."))
        if day not in closes:
            return reply_of_lines(
                speak("{name}: no price of {day} is stored.", name=wording.head_of(desk, other), day=day)
            )
        paid += amount
        worth += float(row["quantity"]) * factor * newest.rows[-1].close
        instead += amount * theirs.rows[-1].close / closes[day]
    currency = str(chosen[0].get("currency") or "")
    gap = instead - worth
    given: Json = {
        "other": wording.head_of(desk, other), "name": wording.head_of(desk, real),
        "paid": wording.say_exact(desk, paid, currency=currency),
        "days": speak.join_items([str(row["date"]) for row in chosen]),
        "instead": wording.say_exact(desk, instead, currency=currency),
        "rate": wording.say_percent(instead / paid * 100 - 100),
        "worth": wording.say_exact(desk, worth, currency=currency),
        "own": wording.say_percent(worth / paid * 100 - 100),
        "gap": wording.say_exact(desk, abs(gap), currency=currency),
        "mark": wording.simulated_mark(desk, theirs.simulated), "last": theirs.rows[-1].date,
    }  # fmt: skip
    return reply_of_lines(
        speak("**{gap} more** with {other} in place of {name}, held until now ({last}).{mark}", **given)
        if gap > 0
        else speak("**{gap} less** with {other} in place of {name}, held until now ({last}).{mark}", **given),
        speak("{paid} ({days}): {instead} ({rate}) in {other} at the close of the day, {worth} ({own}) in {name}; fees"
              " and lots aside.", **given),
    )  # fmt: skip


_AVERAGE = pattern(
    r"平均(?:[涨跌]幅|涨跌幅?|收益率?)?|\b(?:on average|average (?:change|return|gain|rise|fall|performance)|mean)\b",
    re.I,
)


def answer_mean_move(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer the mean of the changes of several securities over one time, and each of them."""
    speak, span = desk.speak, asked.spans[0]
    plain = blank_spans(strip_mentions(asked.words), asked.spans)
    left = find_leftovers(plain, "move", [_AVERAGE])
    if len(asked.spans) > 1 or left or asked.times or span.kind == FUTURE:
        return wording.ask_back(desk, left or asked.times or (asked.spans[-1].said,))
    if span.days:
        span = replace(span, kind=SINCE)
    loaded = yield from load_spans(desk, asked.securities, span)
    told: list[str] = []
    moves: list[float] = []
    simulated: object = None
    for mention, found in zip(asked.securities, loaded, strict=True):
        if isinstance(found, DeskResult) or not found.rows or found.base is None:
            failure = found.failure if isinstance(found, DeskResult) else None
            return reply_of_lines(reply.describe_no_prices(desk, mention.said, failure or NO_BARS))
        moves.append(found.rows[-1].close / found.base.close * 100 - 100)
        simulated = simulated or found.simulated
        told.append(
            speak("- {name} **{change}** ({first} to {last})", name=wording.head_of(desk, mention),
                  change=wording.say_percent(moves[-1]), first=found.base.date, last=found.rows[-1].date)
        )  # fmt: skip
    mean = wording.say_percent(math.fsum(moves) / len(moves))
    return reply_of_lines(
        speak("**{change}** on average, each counted alike.{mark}", change=mean,
              mark=wording.simulated_mark(desk, simulated)),
        *told,
    )  # fmt: skip


def answer_volume_stretches(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the volume of one stretch of days, such as this week, is above that of another, or its average."""
    speak, lines = desk.speak, list[str]()
    averaged = _DAILY.search(strip_mentions(asked.words)) is not None
    unread = tuple(said for said in asked.unread if not _COMPARING.fullmatch(said))
    if unread or (len(asked.spans) == 1 and not _AVERAGE.search(strip_mentions(asked.words))):
        return wording.ask_back(desk, unread or (asked.spans[0].said,))
    if len(asked.spans) == 1:
        return (yield from _answer_volume_against_before(desk, asked))
    for mention in asked.securities[:MOST]:
        pair = []
        for span in asked.spans:
            found = yield from load_span(desk, mention, span)
            if isinstance(found, DeskResult) or not found.rows:
                failure = found.failure if isinstance(found, DeskResult) else None
                return reply_of_lines(reply.describe_no_prices(desk, mention.said, failure or NO_BARS))
            pair.append(found)
        new, old = sorted(pair, key=lambda found: found.rows[-1].date, reverse=True)
        sums = [math.fsum(row.volume for row in found.rows) for found in (new, old)]
        counts = [len(found.rows) for found in (new, old)]
        given: Json = {
            "gap": f"{abs(sums[0] / sums[1] - 1) * 100:.1f}%", "volume": number(sums[0], "ratio", speak),
            "first": new.rows[0].date, "last": new.rows[-1].date, "other": number(sums[1], "ratio", speak),
            "begin": old.rows[0].date, "end": old.rows[-1].date,
        }  # fmt: skip
        lines.append(
            head(desk, mention, new)
            + (
                speak("**more**, by {gap}: {volume} shares ({first} to {last}), {other} ({begin} to {end}).", **given)
                if sums[0] > sums[1]
                else speak("**less**, by {gap}: {volume} shares ({first} to {last}), {other} ({begin} to {end}).",
                           **given)
            )
        )  # fmt: skip
        if counts[0] != counts[1] or averaged:
            means = [total / count for total, count in zip(sums, counts, strict=True)]
            lines.insert(
                len(lines) - 1 if averaged else len(lines),
                speak("A session: {mean} over {count} sessions, {base} over {other} ({change}).", count=counts[0],
                      mean=number(means[0], "ratio", speak), base=number(means[1], "ratio", speak), other=counts[1],
                      change=wording.say_percent((means[0] / means[1] - 1) * 100))
            )  # fmt: skip
    return reply_of_lines(*lines)


_COMPARING = pattern(r"比|平均|average|(?:more|less) than|above|below|高于|低于|超过", re.I)
_AVERAGE = pattern(
    r"平均|均量|平时|平常|往常|\b(?:average|normal|usual(?:ly)?|unusual(?:ly)?|mean|ordinary|typical)\b", re.I
)
_DAILY = pattern(r"日均|平均|每天|\b(?:average|avg|daily|per day|a day)\b", re.I)
"""The volume of a session is asked for, not that of all."""
BEFORE = 20
"""Sessions before a stretch whose average volume its own is held against."""


def _answer_volume_against_before(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the volume a session of a stretch is above that of the sessions before it."""
    speak, span = desk.speak, asked.spans[0]
    first = span.first or desk.request.moment.date()
    longer = replace(span, first=first - timedelta(days=BEFORE * 2 + 20))

    def say(mention: Mention, found: SpanBars) -> list[str]:
        rows = [row for row in found.rows if row.date >= f"{first}"]
        before = [row for row in found.rows if row.date < f"{first}"][-BEFORE:]
        if not rows or not before:
            return [head(desk, mention, found) + speak("too few bars.")]
        mean = math.fsum(row.volume for row in rows) / len(rows)
        base = math.fsum(row.volume for row in before) / len(before)
        given: Json = {
            "volume": number(mean, "ratio", speak), "first": rows[0].date, "last": rows[-1].date, "count": len(rows),
            "gap": f"{abs(mean / base - 1) * 100:.1f}%", "base": number(base, "ratio", speak), "other": len(before),
        }  # fmt: skip
        told = (
            speak("average volume {volume} shares over {count} sessions ({first} to {last}), {gap} above that of the"
                  " {other} sessions before ({base}).", **given)
            if mean > base
            else speak("average volume {volume} shares over {count} sessions ({first} to {last}), {gap} below that of"
                       " the {other} sessions before ({base}).", **given)
        )  # fmt: skip
        return [head(desk, mention, found) + told]

    return (yield from each_security(desk, asked, longer, say))


ANSWERS = {
    "share_ratio": answer_share_ratio,
    "bought_instead": answer_bought_instead,
    "mean_move": answer_mean_move,
}
