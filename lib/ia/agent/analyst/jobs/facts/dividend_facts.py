"""The dividends of shares year by year: whether they rose each year, whether one was lower, and their sum."""

import re
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import Any

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import EVER, RANGE, SESSIONS, SINCE
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 3
"""Securities that one answer is about."""
SHOWN = 10
"""Years of an answer."""
_YEARS = pattern(
    rf"(?:近|最近|过去|这|前|连续)\s*(?P<zh>{COUNT})\s*年|\b(?:last|past|previous|over|for) (?P<en>{COUNT}) years\b",
    re.I,
)
_LAST_YEAR = pattern(
    r"(?:比|较|than|in|the|of)*\s*(?:今年|去年|上一?年|前一年|往年|this year|last year"
    r"|(?:the )?(?:year before|previous year)|a year (?:ago|earlier|before)|last time|more than|less than)('s)?",
    re.I,
)
"""Times of a question that holds the newest dividends against those before."""
_LOWERED = pattern(
    r"减|降|下[降调滑]|少|停|断|\b(?:cut|lower\w*|reduc\w*|fell|fall\w*|drop\w*|skip\w*|miss\w*|stop\w*)\b", re.I
)
_PAID_EACH = pattern(
    r"(?:每年|年年|历年)[^，,。涨增升减降]{0,6}(?:分红|派息)"
    r"|\b(?:pays?|paid|paying) (?:a |its |out )?(?:dividends?)?.{0,10}\b(?:every|each) year\b",
    re.I,
)
_IN_A_ROW = pattern(r"连续?(?:着|几|多少)|\b(?:in a row|running|streak|consecutive\w*|how many years)\b", re.I)
_SUM = pattern(r"总共|一共|合计|累计|总计|加起来|\b(?:total|altogether|in all|add(?:ed)? up|sum)\b|\bhow much\b", re.I)


def answer_dividend_years(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how the dividends of a share developed from year to year, by the year of their ex-dates."""
    speak, lines, said = desk.speak, [], _YEARS.search(asked.words)
    against = asked.facts[0].field == "against"
    if against:
        others = [*asked.unread, *(span.said for span in asked.spans)]
        if unread := tuple(word for word in others if not _LAST_YEAR.fullmatch(word.strip())):
            return wording.ask_back(desk, unread)
        asked = replace(asked, unread=(), spans=())
    if unread := tuple(word for word in asked.unread if said is None or word.strip() not in said[0]):
        return wording.ask_back(desk, unread)
    for mention in asked.securities[:MOST]:
        found = yield from desk.one("market.actions", symbol=mention.code)
        head = wording.head_of(desk, mention) + speak(": ")
        if found.failure is not None:
            lines += [head + line for line in wording.unreadable(desk, speak("its dividends"), found.failure).lines]
            continue
        years = _sum_years(wording.rows_of(found, "actions"))
        if against:
            lines.append(head + _say_against(desk, mention, years, found))
            continue
        first, last, unread = _asked_years(asked, int(desk.request.day[:4]) - 1)
        if unread:
            return wording.ask_back(desk, unread)
        told = [(year, cash) for year, cash in years if first <= year <= last]
        lines += _say_years(desk, asked, mention, head, told, found)
    return reply_of_lines(*lines)


def _sum_years(rows: list[Json]) -> list[tuple[int, float]]:
    """Return the cash a share of each year, oldest first, made comparable over bonus issues and splits.

    A year without a dividend between two others counts as one of 0.
    """
    sums: dict[int, float] = {}
    scale = 1.0
    for row in sorted(rows, key=lambda row: str(row.get("date")), reverse=True):  # newest first: later splits count
        year = int(str(row["date"])[:4])
        sums[year] = sums.get(year, 0.0) + float(row.get("cash") or 0.0) / scale
        scale *= 1 + float(row.get("bonus") or 0.0)
        scale *= float(row.get("split") or 1.0)
    paid = [year for year, cash in sums.items() if cash]
    return [(year, sums.get(year, 0.0)) for year in range(min(paid), max(paid) + 1)] if paid else []


def _say_against(desk: ToolDesk, mention: Mention, years: list[tuple[int, float]], found: DeskResult) -> str:
    """Return the dividends of the newest year that has any against those of the year before it."""
    speak, now = desk.speak, int(desk.request.day[:4])
    if len(years) < 2:
        return speak("dividends of fewer than two years are stored, so there is nothing to compare.")
    (old_year, old), (year, new) = years[-2:]
    unit = "" if mention.symbol.market == "CN" else f" {wording.CURRENCIES.get(mention.symbol.market, '')}"
    given: dict[str, Any] = {
        "year": year, "new": f"{new:.4g}{unit}", "before": old_year, "old": f"{old:.4g}{unit}",
        "change": wording.say_percent((new / old - 1) * 100) if old else "–",
        "mark": wording.simulated_mark(desk, found.get("simulated")),
    }  # fmt: skip
    if abs(new - old) <= 1e-9:
        told = speak("**the same**: {new} in cash a share in {year}, {old} in {before}{mark}.", **given)
    elif new > old:
        told = speak("**more**: {new} in cash a share in {year}, {old} in {before} ({change}){mark}.", **given)
    else:
        told = speak("**less**: {new} in cash a share in {year}, {old} in {before} ({change}){mark}.", **given)
    if year < now:
        told += " " * (speak.lang == "en") + speak("Of {now} no ex-date is stored yet.", now=now)
    return told


def _asked_years(asked: FactQuestion, last_year: int) -> tuple[int, int, tuple[str, ...]]:
    """Return the years that a question is about, those that are over, and what of its times is not read."""
    if said := _YEARS.search(asked.words):
        count = int(parse_count((said["zh"] or said["en"]).casefold()) or SHOWN)
        return last_year - count, last_year, ()  # the first year is held against the one before
    spans = [span for span in asked.spans if span.kind != EVER]
    if not spans:
        return 0, last_year, ()
    span = spans[0]
    if len(spans) > 1 or span.kind not in (RANGE, SINCE, SESSIONS) or span.first is None or span.last is None:
        return 0, 0, tuple(each.said for each in spans)
    last = min(span.last.year, last_year)
    return min(span.first.year, last - 1), last, ()  # a year alone is held against the one before


def _say_years(
    desk: ToolDesk, asked: FactQuestion, mention: Mention, head: str, years: list[tuple[int, float]], found: DeskResult
) -> list[str]:
    """Return whether the dividend of each year was above that of the year before, in which it was not, and the sum."""
    speak = desk.speak
    if len(years) < 2:
        return [head + speak("dividends of fewer than two years are stored, so there is nothing to compare.")]
    pairs = list(pairwise(years))
    lower = [str(year) for (_, old), (year, new) in pairs if new < old - 1e-9]
    same = [str(year) for (_, old), (year, new) in pairs if abs(new - old) <= 1e-9]
    given: dict[str, Any] = {
        "first": years[0][0], "last": years[-1][0], "lower": speak.join_items(lower), "same": speak.join_items(same),
        "count": len(pairs), "raised": len(pairs) - len(lower) - len(same),
        "mark": wording.simulated_mark(desk, found.get("simulated")),
    }  # fmt: skip
    if _PAID_EACH.search(asked.words):
        none = [str(year) for year, cash in years if not cash]
        verdict = (
            speak("**None was paid** in {none} ({first} to {last}){mark}.", none=speak.join_items(none), **given)
            if none
            else speak("**Paid every year** from {first} to {last}{mark}.", **given)
        )
    elif _LOWERED.search(asked.words):
        verdict = (
            speak("**Lower than the year before** in {lower} ({first} to {last}){mark}.", **given)
            if lower
            else speak("**Never lower** than the year before ({first} to {last}){mark}.", **given)
        )
    elif not lower and not same:
        verdict = speak("**Raised every year** from {first} to {last}{mark}.", **given)
    else:
        verdict = speak(
            "**Not raised every year**: in {raised} of {count} years from {first} to {last}{mark}.", **given
        )
        verdict += speak(" Lower in {lower}.", **given) if lower else ""
        verdict += speak(" The same in {same}.", **given) if same else ""
    if _IN_A_ROW.search(asked.words):
        rises = list(takewhile(lambda pair: pair[1][1] > pair[0][1] + 1e-9, reversed(pairs)))
        many = PluralText("**{count} year in a row** up to {last}. ", "**{count} years in a row** up to {last}. ")
        verdict = speak(many, **{**given, "count": len(rises)}) + verdict
    unit = "" if mention.symbol.market == "CN" else f" {wording.CURRENCIES.get(mention.symbol.market, '')}"
    each = speak.join_items([f"{year} {cash:g}{unit}" for year, cash in reversed(years[-SHOWN:])])
    total = sum(cash for _, cash in years)
    lines = [head + verdict, speak("Cash a share by the year of its ex-date: {each}", each=each)]
    if _SUM.search(asked.words):
        lines.append(speak("In all **{cash}** in cash a share.", cash=f"{total:.4g}{unit}"))
    return lines
