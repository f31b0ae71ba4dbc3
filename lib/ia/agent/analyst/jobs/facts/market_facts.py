"""Facts of the market of the day, the watch list, trading days and terms."""

import dataclasses
import math
import re
from collections.abc import Callable
from datetime import date
from typing import Any

from ia.agent.analyst.ask.facts import MEANING, FactQuestion, industry_forms
from ia.agent.analyst.ask.industry_words import find_wide_group
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.leftover_words import find_leftovers, without_gaps
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.screens import Group, take_group
from ia.agent.analyst.ask.time_spans import DAY, RANGE, SESSIONS, SINCE, TimeSpan, blank_spans
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import market_days, screen_facts, sector_values, watch_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import load_spans, period_of
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.tables import Entry, Table
from ia.domain.instruments.indices import MAIN_INDICES
from ia.domain.instruments.listing_reasons import listing_reason
from ia.domain.instruments.symbols import from_canonical, symbol_of_kind
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 5
MOST = 50
MOST_LISTED = 20
FEW_STOCKS = 1000
"""Fewer stocks than this are not the market of the mainland, which has more than five thousand."""
MOST_SUMMED = 23
"""Sessions over which what was traded is added up, at most."""
MOST_LISTS = 10
"""Sessions whose dragon and tiger lists one answer looks at, at most."""
MOST_NAMED = 10
"""Industries of one question."""
NAMED_INDICES = 4
"""So many of the main indices a summary names."""


_BOTH = pattern(
    r"[沪两]深(?!300)两?市?|[两二]市|两个?(?:市场|交易所)"
    r"|\bshanghai (?:and|plus|&) shenzhen\b|\b(?:both|(?:the )?two) (?:exchanges|markets|bourses)\b",
    re.I,
)
"""The exchanges of Shanghai and Shenzhen together, without Beijing's."""
_BY_EXCHANGE = pattern(r"沪市|深市|上交所|深交所|各自?|分别|\b(?:shanghai|shenzhen|each)\b", re.I)


def _sum_both(summary: Json) -> float | None:
    """Return what was traded in Shanghai and Shenzhen together; None where that is not known."""
    boards = {str(row.get("board")): row.get("amount") for row in summary.get("boards") or ()}
    whole, beijing = summary.get("amount"), boards.get("bse", 0.0)
    return None if whole is None or beijing is None else float(whole) - float(beijing)


def _say_board_amounts(desk: ToolDesk, boards: list[Json]) -> list[str]:
    """Return what was traded by board: what is stored does not tell exchanges apart."""
    speak = desk.speak
    told = [
        f"{speak(screen_facts.BOARDS[str(row['board'])])} {wording.say_money(desk, row['amount'])}"
        for row in boards
        if row.get("amount") is not None and str(row.get("board")) in screen_facts.BOARDS
    ]
    lines = [speak("Shanghai and Shenzhen alone are not stored, only all of it.")]
    return [*lines, speak("By board: {parts}.", parts=speak.join_items(told))] if told else lines


def _say_amount(desk: ToolDesk, asked: FactQuestion, found: DeskResult, day: str, mark: str) -> list[str]:
    """Return what was traded on a day, in all or in Shanghai and Shenzhen alone."""
    speak, amount = desk.speak, found.get("amount")
    both = _sum_both(found.value) if _BOTH.search(asked.words) and isinstance(found.value, dict) else None
    told = {"all": wording.say_money(desk, amount), "date": day, "mark": mark}
    if both is not None:
        return [
            speak(
                "**{both} yuan** were traded in Shanghai and Shenzhen ({date}); {all} with Beijing's exchange.{mark}",
                both=wording.say_money(desk, both),
                **told,
            )
        ]
    line = speak("**{amount} yuan** were traded ({date}){mark}", amount=told["all"], date=day, mark=mark)
    boards = wording.rows_of(found, "boards")
    parts = _say_board_amounts(desk, boards[1:]) if _BY_EXCHANGE.search(asked.words) else []
    return [line, *parts, *_amount_change(desk, found)]


_PARTS = pattern(
    r"比例|占比|占|百分|几成|比率|比重|\b(?:percent\w*|per cent|share|proportion|fraction|ratio|part)\b", re.I
)


def _say_parts(desk: ToolDesk, asked: FactQuestion, whole: Json) -> list[str]:
    """Return how large a part of all stocks rose and fell, where that is asked for."""
    count = sum(int(whole.get(side) or 0) for side in ("up", "down", "flat"))
    if not count or not _PARTS.search(asked.words):
        return []
    up, down = (f"{int(whole.get(side) or 0) / count:.1%}" for side in ("up", "down"))
    return [desk.speak("That is **{up}** up and **{down}** down of {count}.", up=up, down=down, count=count)]


_WEIGHTED = pattern(r"加权|中位|\b(?:weighted|median)\b", re.I)


def _say_weighted(desk: ToolDesk, asked: FactQuestion, whole: Json, day: str, mark: str) -> list[str]:
    """Return the median and the weighted change of all stocks, where these are asked for."""
    if not _WEIGHTED.search(asked.words) or whole.get("weighted_pct") is None:
        return []
    median, weighted = (wording.say_percent(whole.get(key)) for key in ("median_pct", "weighted_pct"))
    return [
        desk.speak("All stocks: median **{median}**, weighted by market value **{weighted}** ({date}){mark}",
                   median=median, weighted=weighted, date=day, mark=mark)
    ]  # fmt: skip


def answer_summary(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how the market is: index levels, how many rose and fell, what was traded, best and worst industries."""
    speak, wanted = desk.speak, asked.facts[0].field
    what = wording.fact_name(desk, asked.facts[0])
    if abroad := [
        codes for form, codes in zip(screen_facts.ABROAD, _INDICES_ABROAD, strict=True) if form.search(asked.words)
    ]:
        return (yield from _answer_markets(desk, asked, abroad))
    over = (yield from _answer_over(desk, asked)) if len(asked.spans) == 1 else None
    if over:
        return over
    if wanted != "amount" and market_days.are_two_days(asked):
        return (yield from market_days.answer_both_days(desk, asked, answer_summary))
    against = len(asked.spans) == 1 and _AGAINST.search(asked.words) is not None
    if wanted == "amount" and asked.spans and (against or len(asked.spans) > 1 or asked.spans[0].kind != DAY):
        return (yield from _answer_amounts(desk, asked))
    found, before, refused = yield from market_days.load_asked_day(desk, asked, "market.summary", what)
    if not wanted and found.failure is not None and found.failure.code == "market-not-stored":
        levels = yield from _index_levels(desk, "")
        return reply_of_lines(*levels, *wording.unreadable(desk, what, found.failure).lines)
    if refused:
        return refused
    boards = wording.rows_of(found, "boards")
    whole: Json = boards[0] if boards else {}
    day, mark = wording.result_day(found), wording.simulated_mark(desk, found.get("simulated"))
    if 0 < int(whole.get("count") or 0) < FEW_STOCKS and not found.get("simulated"):
        before.append(speak("Only {count} stocks are stored here: this is not the whole market.", count=whole["count"]))
    amount = found.get("amount")
    limits = _say_limits(desk, whole)
    if wanted == "limits":
        down = _LIMIT_DOWN.search(asked.words) and not _LIMIT_UP.search(asked.words)
        if not limits or (down and whole.get("limit_down") is None):
            return reply_of_lines(*before, speak("Which were at their limit is not known of {date}.", date=day))
        names = yield from _limit_names(desk, asked, day, whole)
        return reply_of_lines(*before, speak("**{limits}** ({date}){mark}", limits=limits, date=day, mark=mark), *names)
    if wanted == "amount":
        if amount is None:
            return reply_of_lines(*before, speak("What was traded is not known of every stock ({date}).", date=day))
        return reply_of_lines(*before, *_say_amount(desk, asked, found, f"{day}", mark))
    state = speak(
        "**{up} up, {down} down**, {flat} flat; median {median} ({date}){mark}",
        up=whole.get("up"), down=whole.get("down"), flat=whole.get("flat"),
        median=wording.say_percent(whole.get("median_pct")), date=day, mark=mark,
    )  # fmt: skip
    before += _say_weighted(desk, asked, whole, f"{day}", mark)
    if wanted == "breadth":
        return reply_of_lines(*before, state, *_say_parts(desk, asked, whole))
    if wanted == "no_forecast":
        before.insert(
            0, speak("Where the market goes from here nobody knows, and I give no forecast. The market as it is:")
        )
    premise = [] if wanted == "no_forecast" else _say_direction(desk, asked, whole)
    levels = _say_indices(desk, found) or (yield from _index_levels(desk, day))
    lines = [*before, *premise, state, *levels]
    told = [
        *([limits] if limits else []),
        *([speak("{amount} yuan traded", amount=wording.say_money(desk, amount))] if amount else []),
    ]
    lines += [speak("{told}.", told=speak.join_clauses(told))] if told else []
    lines += _amount_change(desk, found)
    if not premise:
        sectors = yield from desk.one("market.sectors", limit=3, date=day)
        lines += _sector_lines(desk, sectors, 3) if sectors.ok and wording.result_day(sectors) == day else []
    return reply_of_lines(*lines)


def _answer_over(desk: ToolDesk, asked: FactQuestion) -> Work[Reply | None]:
    """Answer how the market, or its breadth, was over a stretch of days; None for another time."""
    if not asked.facts[0].field:
        return (yield from _answer_stretch(desk, asked.spans[0]))
    return (yield from _answer_breadths(desk, asked)) if asked.facts[0].field == "breadth" else None


def _answer_markets(desk: ToolDesk, asked: FactQuestion, abroad: list[tuple[str, ...]]) -> Work[Reply]:
    """Answer how the markets did that are named, of which some are not stored whole: the mainland first."""
    told, found = list[str](), True
    if screen_facts.A_SHARES.search(asked.words):
        words = asked.words
        for form in screen_facts.ABROAD:
            words = form.sub(" ", words)
        told += (yield from answer_summary(desk, dataclasses.replace(asked, words=words))).lines[:_OF_HOME]
    if asked.facts[0].field:
        told.append(desk.speak("Only A-shares are counted; of that market its indices alone are known:"))
    for codes in abroad:
        indices = yield from _answer_abroad(desk, asked, codes)
        told, found = [*told, *indices.lines], found and indices.understood
    return reply_of_lines(*told)._replace(understood=found)


_OF_HOME = 2
"""Lines about the mainland beside other markets."""
_DAYS_TOLD = 7


def _answer_stretch(desk: ToolDesk, span: TimeSpan) -> Work[Reply | None]:
    """Answer how the market did over a stretch of days: what the indices did, and each of its days that is stored.

    None for a time that is no such stretch, or one without bars of an index.
    """
    speak, codes = desk.speak, MAIN_INDICES[:NAMED_INDICES]
    if span.kind not in (RANGE, SINCE, SESSIONS):
        return None
    loaded = yield from load_spans(desk, [Mention(symbol_of_kind(code), code) for code in codes], span)
    told, days, simulated = [], "", False
    for code, found in zip(codes, loaded, strict=True):
        if isinstance(found, DeskResult) or not found.rows or found.base is None:
            continue
        change, days = found.rows[-1].close / found.base.close * 100 - 100, period_of(found.rows)
        simulated = simulated or found.simulated
        told.append(f"{_index_name(desk, code, {})} **{wording.say_percent(change)}**")
    if not told:
        return None
    lines = [speak("{days}: {told}{mark}", days=days, told=speak.join_clauses(told),
                   mark=wording.simulated_mark(desk, simulated))]  # fmt: skip
    sessions = yield from market_days.sessions_within(desk, span, _DAYS_TOLD)
    asked = sessions or []
    results = yield from desk.run(*(DeskCall("market.summary", {"date": day}) for day in asked))
    missing = []
    for day, result in zip(asked, results, strict=True):
        boards = wording.rows_of(result, "boards") if result.ok and wording.result_day(result) == day else []
        if not boards:
            missing.append(day)
            continue
        lines.append(
            speak("- {date}: {up} up, {down} down; median {median}", date=day, up=boards[0].get("up"),
                  down=boards[0].get("down"), median=wording.say_percent(boards[0].get("median_pct")))
        )  # fmt: skip
    if missing:
        lines.append(speak("Of {days} only the indices are stored.", days=speak.join_items(missing)))
    return reply_of_lines(*lines)


def _answer_breadths(desk: ToolDesk, asked: FactQuestion) -> Work[Reply | None]:
    """Answer on how many days of a stretch more stocks rose than fell; None for a time that is no such stretch."""
    speak, span = desk.speak, asked.spans[0]
    if span.kind not in (RANGE, SINCE, SESSIONS):
        return None
    days = yield from market_days.sessions_within(desk, span, MOST_SUMMED + 1)
    if not days:
        return None
    results = yield from desk.run(*(DeskCall("market.summary", {"date": day}) for day in days))
    counts, lost, simulated = list[tuple[str, int, int]](), list[str](), False
    for day, result in zip(days, results, strict=True):
        boards = wording.rows_of(result, "boards") if result.ok and wording.result_day(result) == day else []
        if boards and boards[0].get("up") is not None:
            counts.append((day, int(boards[0]["up"]), int(boards[0].get("down") or 0)))
            simulated = simulated or bool(result.get("simulated"))
        else:
            lost.append(day)
    if not counts:
        return None
    rises, falls = (sum((up > down, up < down)[side] for _, up, down in counts) for side in (0, 1))
    best, worst = max(counts, key=lambda row: row[1] - row[2]), min(counts, key=lambda row: row[1] - row[2])
    mark = wording.simulated_mark(desk, simulated)
    lines = [
        speak("More rose than fell on **{rises}** of {count} sessions, more fell than rose on **{falls}** ({first} to"
              " {last}){mark}", rises=rises, falls=falls, count=len(counts), first=counts[0][0], last=counts[-1][0],
              mark=mark),
        speak("Most rose on {best}: {up} up, {down} down.", best=best[0], up=best[1], down=best[2]),
        speak("Most fell on {worst}: {up} up, {down} down.", worst=worst[0], up=worst[1], down=worst[2]),
    ]  # fmt: skip
    if lost:
        lines.append(speak("Not stored of: {days}.", days=speak.join_items(lost)))
    return reply_of_lines(*lines)


_AGAINST = pattern(
    r"比(?!例|较|重)|相比|较(?=昨|前|上)|对比|\b(?:than|versus|vs\.?|compared (?:to|with)|against)\b", re.I
)
"""Words that hold what was traded against that of another day."""


def answer_stored(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many stocks the store has of the newest day."""
    speak = desk.speak
    found = yield from desk.one("market.summary")
    if found.failure is not None:
        return wording.unreadable(desk, wording.fact_name(desk, asked.facts[0]), found.failure)
    boards = wording.rows_of(found, "boards")
    told = [
        f"{speak(screen_facts.BOARDS[row['board']])} {row['count']}"
        for row in boards
        if row.get("count") and row["board"] in screen_facts.BOARDS
    ]
    return reply_of_lines(
        speak("**{count} stocks** of the mainland are stored of {date}{mark}: {boards}.",
              count=boards[0]["count"] if boards else 0, date=wording.result_day(found),
              boards=speak.join_items(told), mark=wording.simulated_mark(desk, found.get("simulated"))),
        speak("Shares of Hong Kong and the US are stored one by one, as they are watched or held: `ia sync hk`,"
              " `ia sync us`."),
    )  # fmt: skip


def _answer_amounts(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what was traded over a stretch of days, or on two days, the one against the other."""
    speak, what = desk.speak, wording.fact_name(desk, asked.facts[0])
    spans = list({(each.kind, each.first, each.last, each.sessions): each for each in asked.spans}.values())
    if len(spans) == 1 and _AGAINST.search(asked.words):
        last = wording.result_day((yield from desk.one("market.summary")))
        day = date.fromisoformat(last or desk.request.day)
        spans.append(TimeSpan(kind=DAY, said=last, at=(0, 0), first=day, last=day))
    rows: list[Json] = []
    for span in spans[:2]:
        days = yield from market_days.sessions_within(desk, span, MOST_SUMMED + 1)
        if not days or len(spans) > 2 or (len(spans) == 2 and len(days) > 1):
            newest = yield from desk.one("market.summary")
            return wording.refuse_time(desk, what, span, wording.result_day(newest))
        results = yield from desk.run(*(DeskCall("market.summary", {"date": day}) for day in days))
        rows += [result.value for result in results if result.ok and result.get("amount") is not None]
        lost = [day for day, result in zip(days, results, strict=True) if not result.ok or result.get("amount") is None]
        if lost and len(spans) == 2:
            return (yield from _say_one_amount(desk, what, spans, lost[0]))
        if lost:
            return reply_of_lines(
                speak("{what}: not stored of {days}, so none can be told.", what=what, days=speak.join_items(lost[:5]))
            )
    mark = wording.simulated_mark(desk, rows[0].get("simulated"))
    both = [_sum_both(row) for row in rows] if _BOTH.search(asked.words) else []
    amounts = [amount for amount in both if amount is not None]
    amounts = amounts if len(amounts) == len(rows) else [float(row["amount"]) for row in rows]
    each = [(str(row["date"]), amount) for row, amount in zip(rows, amounts, strict=True)]
    if len(spans) == 2:
        (old_day, old), (new_day, new) = sorted(each)
        given = {"new": wording.say_money(desk, new), "old": wording.say_money(desk, old), "day": new_day,
                 "before": old_day, "change": wording.say_percent((new / old - 1) * 100), "mark": mark}  # fmt: skip
        return reply_of_lines(
            speak("**More**: {new} yuan on {day}, {old} on {before} ({change}){mark}", **given)
            if new > old
            else speak("**Less**: {new} yuan on {day}, {old} on {before} ({change}){mark}", **given)
        )
    total = sum(value for _, value in each)
    most = max(each, key=lambda row: row[1])
    return reply_of_lines(
        speak("**{amount} yuan** were traded in {count} sessions ({first} to {last}){mark}",
              amount=wording.say_money(desk, total), count=len(each), first=each[0][0], last=each[-1][0], mark=mark),
        speak("A day {mean} on average; most on {day}: {most}.", mean=wording.say_money(desk, total / len(each)),
              day=most[0], most=wording.say_money(desk, most[1])),
    )  # fmt: skip


def _say_one_amount(desk: ToolDesk, what: str, spans: list[TimeSpan], lost: str) -> Work[Reply]:
    """Answer what was traded on the one of two days of which it is known."""
    speak, known = desk.speak, [f"{span.first}" for span in spans if f"{span.first}" != lost]
    missing = speak("{what}: not stored of {days}, so none can be told.", what=what, days=lost)
    found = yield from desk.one("market.summary", date=known[0] if known else lost)
    if not found.ok or found.get("amount") is None or wording.result_day(found) == lost:
        return reply_of_lines(missing)
    return reply_of_lines(
        speak("**{amount} yuan** were traded ({date}){mark}", amount=wording.say_money(desk, found.get("amount")),
              date=wording.result_day(found), mark=wording.simulated_mark(desk, found.get("simulated"))),
        speak("Of {day} it is not stored, so the two cannot be compared.", day=lost),
    )  # fmt: skip


def answer_market_extreme(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which day the market rose or fell most: by the first of the main indices."""
    from ia.agent.analyst.jobs.facts import extreme_facts

    index = Mention(from_canonical(MAIN_INDICES[0]), MAIN_INDICES[0])
    return (yield from extreme_facts.answer_extreme_day(desk, dataclasses.replace(asked, securities=(index,))))


def answer_level(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer at which level indices, or at which price securities, closed, with the change of the day."""
    span = asked.spans[0] if asked.spans else None
    if len({each.said for each in asked.spans}) > 1 or (span is not None and (span.kind != DAY or span.first is None)):
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), asked.spans[-1], desk.request.day)
    lines = []
    for mention in asked.securities[:SHOWN]:
        until: Json = {"end": f"{span.first}"} if span is not None else {}
        result = yield from desk.one("market.ohlcv", symbol=mention.code, tail=2, **until)
        rows = wording.bars_of(result)
        if len(rows) < 2:
            lines.append(desk.speak("{name}: no prices are to be had.", name=wording.head_of(desk, mention)))
            continue
        close, before = float(rows[-1][4]), float(rows[-2][4])
        lines.append(
            desk.speak(
                "{name} **{close}** {change} ({date}){mark}",
                name=wording.head_of(desk, mention),
                close=f"{close:,.2f}",
                change=wording.say_percent(close / before * 100 - 100),
                date=rows[-1][0],
                mark=wording.simulated_mark(desk, result.get("simulated")),
            )
        )
    return reply_of_lines(*lines)


def answer_mainline(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the main line of the newest day is, as `ia turn` does in any other wording."""
    from ia.agent.analyst.jobs import positions

    return (yield from positions.KINDS["mainline"](desk, Intent("mainline", [], asked.words)))


def answer_decline(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Say what I do not answer, and what there is instead."""
    speak, field = desk.speak, asked.facts[0].field
    if field == "bottom":
        spec = asked.facts[0]._replace(field="no_forecast")
        return (yield from answer_summary(desk, dataclasses.replace(asked, facts=(spec,), spans=())))
    if field == "sector_value" and (told := (yield from sector_values.answer_sector_value(desk, asked))):
        return told
    if field == "recommend":
        return reply_of_lines(
            speak("I recommend no security, and no gain is sure."),
            speak('I can find stocks that meet your conditions: "stocks with a P/E below 15 and ROE above 15".'),
        )
    if field == "figure_then":
        return reply_of_lines(
            speak("Valuations are told of the newest day only, so of the day of a trade I have none."),
            speak("Its price I can tell: “at what price did I buy it”."),
        )
    if field == "beats_index":
        return reply_of_lines(
            speak("Whether it will do better than the index nobody knows; I give no forecast."),
            speak("What it did I can tell: “how did banks do this year”."),
        )
    if field == "not_screened":
        return reply_of_lines(
            speak("That figure is not stored for all stocks, so I cannot screen by it."),
            speak("A screen reads P/E, P/B, ROE, dividend yield, market cap, margins, debt ratio, growth of sales and"
                  " profit, price, change and turnover."),
        )  # fmt: skip
    if field == "sector_value":
        return reply_of_lines(
            speak("Industries are ranked by their change only, not by what they cost."),
            speak("Of one industry I can tell the mean: “average P/E of banks”."),
        )
    if field == "no_data":
        return reply_of_lines(
            speak("Such prices are not stored here: there are shares, funds and indices only."),
            speak("A fund that follows it may be: ask for its code, such as 518880 (gold)."),
        )
    if field == "no_flows":
        return reply_of_lines(
            speak("I have no source for money flows by sector or by share, and I do not invent."),
            speak("What there is: “which sectors rose most today”, “what was the northbound flow”."),
        )
    if field == "no_rates":
        return reply_of_lines(
            speak("I have no source for interest rates, bond yields and deposits, and I do not invent."),
            speak("What your own account returned: “how much have I made this year”."),
        )
    return reply_of_lines(
        speak("I have no source for policy or the economy, and I do not invent."),
        speak("What there is: prices, valuation, reports, dividends, news of companies, and the market of each day."),
    )


def _limit_names(desk: ToolDesk, asked: FactQuestion, day: str, whole: Json) -> Work[list[str]]:
    """Return which stocks are at their limit, where a question wants their names and few enough are."""
    if not re.search(r"哪些|哪几|有谁|名单|有(?:没有)?[涨跌]停|which|list|what stocks", asked.words, re.I):
        return []
    lines = []
    for losers, key, word in ((False, "limit_up", "涨停|limit[- ]?up"), (True, "limit_down", "跌停|limit[- ]?down")):
        count = whole.get(key)
        if not count or not re.search(word, asked.words, re.I):
            continue
        found = yield from desk.one("market.gainers", limit=min(int(count), SHOWN), losers=losers, date=day)
        rows = wording.rows_of(found, "stocks") if found.ok and int(count) <= SHOWN else []
        lines += [_stock_line(desk, row) for row in rows]
        if not rows:
            option = " --losers" if losers else ""
            lines.append(desk.speak("`ia market gainers{option} -n {count}` lists them.", option=option, count=count))
    return lines


_ASKED_WHY = pattern(r"为什么|为何|怎么.{0,4}[涨跌]|原因|\bwhy\b", re.I)


def _say_direction(desk: ToolDesk, asked: FactQuestion, whole: Json) -> list[str]:
    """Return whether the market went the way that a question says or asks; [] where it names no way, or both."""
    speak, up, down = desk.speak, bool(watch_facts.ROSE.search(asked.words)), bool(watch_facts.FELL.search(asked.words))
    median = wording.figure_of(whole, "median_pct")
    if up == down or median is None:
        return []
    rose, fell = whole.get("up") or 0, whole.get("down") or 0
    if (median > 0) != (rose > fell) or not median:
        return [speak("Neither clearly up nor down:")]
    if (median > 0) == up:
        why = [speak("Why, I have no source for; this is what it did:")] if _ASKED_WHY.search(asked.words) else []
        return why or [speak("Yes, most stocks rose:") if up else speak("Yes, most stocks fell:")]
    if _ASKED_WHY.search(asked.words):
        return [speak("It did not rise, most stocks fell:") if up else speak("It did not fall, most stocks rose:")]
    return [speak("No, most stocks fell:") if up else speak("No, most stocks rose:")]


_INDICES_ABROAD = (("SPX.US", "IXIC.US", "DJI.US"), ("HSI.HK", "HSTECH.HK"))
"""The indices of the markets of which nothing else is told: American and Hong Kong."""


def _answer_abroad(desk: ToolDesk, asked: FactQuestion, codes: tuple[str, ...]) -> Work[Reply]:
    """Answer how a market did that is not stored whole: the last change of its indices, each with its day."""
    speak = desk.speak
    span = asked.spans[0] if asked.spans else None
    overnight = re.search(r"隔夜|昨[晚夜]|\b(?:overnight|last night)\b", asked.words, re.I)
    until: Json = {}
    if span is not None and not overnight:
        if span.kind != DAY or span.first is None or len(asked.spans) > 1:
            from ia.agent.analyst.jobs.facts import period_facts

            index = Mention(from_canonical(codes[0]), _index_name(desk, codes[0], {}))
            return (yield from period_facts.answer_move(desk, dataclasses.replace(asked, securities=(index,))))
        until = {"end": f"{span.first}"}
    results = yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": code, "tail": 2, **until}) for code in codes))
    told, simulated = [], False
    for code, result in zip(codes, results, strict=True):
        rows = wording.bars_of(result)
        if len(rows) == 2:
            close, before = float(rows[-1][4]), float(rows[-2][4])
            simulated = simulated or bool(result.get("simulated"))
            change = wording.say_percent(close / before * 100 - 100)
            told.append(f"**{_index_name(desk, code, result)}** {close:,.2f} {change} ({rows[-1][0]})")
    if not told:
        said = speak(
            "No prices of its indices are to be had here; `ia ohlcv {code}` asks the source for them.", code=codes[0]
        )
        return reply_of_lines(said)
    return reply_of_lines(speak.join_clauses(told) + wording.simulated_mark(desk, simulated))


_LIMIT_DOWN = pattern(r"跌停|\blimit[- ]downs?\b", re.I)
_LIMIT_UP = pattern(r"涨停|\blimit[- ]ups?\b", re.I)


def _say_limits(desk: ToolDesk, whole: Json) -> str:
    """Return how many stocks were at their upper and lower limit, as far as that is known."""
    up, down = whole.get("limit_up"), whole.get("limit_down")
    if up is None and down is not None:
        return desk.speak.join_items([desk.speak("{count} limit-down", count=down), desk.speak("limit-ups not known")])
    told = [desk.speak("{count} limit-up", count=up)] if up is not None else []
    return desk.speak.join_items([*told, *([desk.speak("{count} limit-down", count=down)] if down is not None else [])])


def _amount_change(desk: ToolDesk, found: DeskResult) -> list[str]:
    change = found.get("amount_vs_last_pct")
    return (
        [desk.speak("Traded value against the session before: {change}.", change=wording.say_percent(change))]
        if change is not None
        else []
    )


def _index_levels(desk: ToolDesk, day: str) -> Work[list[str]]:
    """Return the levels of the main indices on a day, in a line; the others are not asked for where the first fails."""
    codes, until = MAIN_INDICES[:NAMED_INDICES], {"end": day} if day else {}
    calls = [DeskCall("market.ohlcv", {"symbol": code, "tail": 2, **until}) for code in codes]
    results = yield from desk.run(calls[0])
    if not results[0].ok:
        return []
    results += yield from desk.run(*calls[1:])
    told = []
    for code, result in zip(codes, results, strict=True):
        rows = wording.bars_of(result)
        if len(rows) == 2 and rows[-1][0] == (day or rows[-1][0]):
            close, before = float(rows[-1][4]), float(rows[-2][4])
            told.append(
                f"{_index_name(desk, code, result)} {close:,.2f} ({wording.say_percent(close / before * 100 - 100)})"
            )
    return [desk.speak.join_clauses(told)] if told else []


def _say_indices(desk: ToolDesk, found: DeskResult) -> list[str]:
    """Return the levels of the main indices that came with a day, in a line; [] where they are not stored."""
    told = [
        f"{_index_name(desk, str(row['symbol']), row)} {row['close']:,.2f} ({wording.say_percent(row['change_pct'])})"
        for row in wording.rows_of(found.get("indices"))[:NAMED_INDICES]
    ]
    return [desk.speak.join_clauses(told)] if told else []


def _index_name(desk: ToolDesk, code: str, result: DeskResult | Json) -> str:
    return wording.security_name(desk, code, result.get("name")).removesuffix(f" {code}")


_INDICES = pattern(r"\b(?:which|what|best|worst) ind(?:ex|ices|exes)\b|(?:哪|那)一?[个只些]指数", re.I)


def answer_gainers(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which stocks rose or fell most on a day, or over a stretch of days; both where both are asked for."""
    unranked = (_INDICES, *screen_facts.ABROAD)
    if found := next(filter(None, (form.search(asked.words) for form in unranked)), None):
        return wording.ask_back(desk, (found[0],))  # A-shares are ranked
    counted = _COUNTED.search(asked.words)
    said = next(filter(None, counted.groups()), "") if counted else ""
    count = min(max(int(parse_count(said.casefold()) or SHOWN), 1), MOST_LISTED) if said else SHOWN
    stored = yield from screen_facts.load_industries(desk)
    rest, group = take_group(blank_spans(asked.words, asked.spans), industry_forms(asked.words, stored, desk.tables))
    if unknown := screen_facts.refuse_unknown(desk, group, stored):
        return unknown
    if left := find_leftovers(rest, "gainers", [_COUNTED, without_gaps(asked.facts[0].words)]):
        return wording.ask_back(desk, left)
    field = asked.facts[0].field
    sides = (False, True) if field == "both" else (field == "losers",)
    if _WITHIN.search(asked.words) and group.industries and len(sides) == 1:
        return (yield from _count_within(desk, asked, group, count, losers=sides[0]))
    told: list[str] = []
    remarks: list[str] = []
    for losers in sides:
        before, lines, refused = yield from _ranked_stocks(desk, asked, group, count, losers=losers)
        if refused:
            return refused
        remarks += [line for line in before if line not in remarks]
        told += lines
    return reply_of_lines(*remarks, *told)


_WITHIN = pattern(
    r"前[\d一二三四五十两]+(?:名|只|位)?(?:里|中|当中|之中|的股票里)|其中"
    r"|\b(?:of|among|in) the (?:top|first|worst|best|biggest)? ?\w+ (?:gainers|losers|risers|fallers)\b",
    re.I,
)
"""Says that of the first so many those of an industry are meant."""


def _count_within(desk: ToolDesk, asked: FactQuestion, group: Group, count: int, *, losers: bool) -> Work[Reply]:
    """Answer which of the largest rises or falls are of an industry."""
    speak = desk.speak
    name = speak("losers") if losers else speak("gainers")
    found, before, refused = yield from market_days.load_asked_stretch(
        desk, asked, "market.gainers", name, limit=count, losers=losers
    )
    if refused:
        return refused
    rows = wording.rows_of(found, "stocks")
    own = [row for row in rows if row.get("industry") in group.industries]
    head = speak("**{own} of the {count}** ({name}, {date}): {group}{mark}", own=len(own), count=len(rows), name=name,
                 date=market_days.say_stretch(desk, found), group=screen_facts.name_group(desk, group),
                 mark=wording.simulated_mark(desk, found.get("simulated")))  # fmt: skip
    return reply_of_lines(*before, head, *(_stock_line(desk, row) for row in own))


def _ranked_stocks(
    desk: ToolDesk, asked: FactQuestion, group: Group, count: int, *, losers: bool
) -> Work[tuple[list[str], list[str], Reply | None]]:
    """Return what to say before a list, the list of the largest rises or falls, and the answer where there is none."""
    speak = desk.speak
    name = speak("losers") if losers else speak("gainers")
    where: Json = {"where": group.expression} if group.expression else {}
    found, before, refused = yield from market_days.load_asked_stretch(
        desk, asked, "market.gainers", name, limit=count, losers=losers, **where
    )
    if refused:
        return [], [], refused
    of = screen_facts.name_group(desk, group)
    what = f"{name}{speak(': ')}{of}" if of else name
    head = speak("{name} ({date}){mark}", name=what, date=market_days.say_stretch(desk, found),
                 mark=wording.simulated_mark(desk, found.get("simulated")))  # fmt: skip
    rows = wording.rows_of(found, "stocks")
    desk.ranked += [str(row.get("symbol")) for row in rows[:1]]
    lines = [f"{at}. {_stock_line(desk, row).removeprefix('- ')}" for at, row in enumerate(rows, 1)]
    if not rows:
        lines = yield from _say_nearest(desk, asked, name, where, losers=losers)
    if 0 < int(found.get("count") or FEW_STOCKS) < FEW_STOCKS and not found.get("simulated"):
        few = speak("Only {count} stocks are stored here: this is not the whole market.", count=found.get("count"))
        before = [*before, few]
    return before, [f"**{head}**", *lines], None


_NEAREST = 3


def _say_nearest(desk: ToolDesk, asked: FactQuestion, name: str, where: Json, *, losers: bool) -> Work[list[str]]:
    """Return that no stock rose, or fell, and which ones came nearest to it."""
    speak = desk.speak
    found, _, _ = yield from market_days.load_asked_stretch(
        desk, asked, "market.gainers", name, limit=screen_facts.ALL, losers=not losers, **where
    )
    every = wording.rows_of(found, "stocks")
    if not every or len(every) >= screen_facts.ALL:
        return [speak("None.")]
    rows = every[-_NEAREST:][::-1]
    desk.ranked.append(str(rows[0].get("symbol")))
    head = speak("None fell. The smallest rises:") if losers else speak("None rose. The smallest falls:")
    return [head, *(f"{at}. {_stock_line(desk, row).removeprefix('- ')}" for at, row in enumerate(rows, 1))]


_COUNTED = pattern(
    rf"前({COUNT})(?![天日个周月年])|({COUNT})\s*(?:只|家|支|大)|\b(?:top|the|first) ({COUNT})\b"
    rf"|\b({COUNT}) (?:stocks|shares|gainers|losers|best|worst|biggest|top)\b",
    re.I,
)


def _stock_line(desk: ToolDesk, row: Json) -> str:
    """Return a stock of a list with its change and its industry."""
    industry = f" {wording.industry_name(desk, str(row['industry']))}" if row.get("industry") else ""
    name = wording.security_name(desk, str(row.get("symbol")), row.get("name"))
    return f"- {name} {wording.say_percent(row.get('change_pct'))}{industry}"


def answer_sectors(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which industries or concepts are strongest and weakest, or how the one did that is named."""
    kind, name = asked.facts[0].field, wording.fact_name(desk, asked.facts[0])
    words = blank_spans(asked.words, asked.spans)
    bound = _BOUND.search(words)
    words = _BOUND.sub(" ", words)
    if (row := _ROW.search(asked.words)) and all(span.said in row[0].casefold() for span in asked.spans):
        return (yield from _answer_rows(desk, row, kind, name))
    if run := _RUN.search(asked.words):
        return wording.ask_back(desk, (run[0],))
    unread = (_UNREAD_OF_GROUPS, *screen_facts.ABROAD)
    counted = _COUNTED_GROUPS.sub(" ", words)
    if left := [found[0] for form in unread for found in form.finditer(counted)]:
        return wording.ask_back(desk, tuple(left))
    found, before, refused = yield from market_days.load_asked_stretch(
        desk, asked, "market.sectors", name, kind=kind, limit=MOST
    )
    if refused:
        return refused
    groups = {str(row.get("name")): row for key in ("best", "worst") for row in wording.rows_of(found, key)}
    if not groups:
        return reply_of_lines(*before, desk.speak("No industries or concepts are stored of that day."))
    if bound:
        return reply_of_lines(*before, *_say_beyond(desk, groups, found, bound))
    named = [group for _, group in industry_forms(words, groups, desk.tables)] if kind == "industry" else []
    named = named or [group for group in sorted(groups, key=len, reverse=True) if group in words]
    if known := [group for group in dict.fromkeys(named) if group in groups][:MOST_NAMED]:
        wide = find_wide_group(words)
        told = [desk.speak("“{word}” is several industries here:", word=wide)] if wide else []
        told += [_say_group(desk, groups[group], found) for group in known]
        told += [_say_place(desk, group, groups) for group in known] if _PLACED.search(asked.words) else []
        told += [
            desk.speak("No group “{word}” is stored for that time.", word=wording.industry_name(desk, group))
            for group in _find_missing(desk, words, groups, known)
        ]
        return reply_of_lines(*before, *told)
    word = _GROUP.search(words)
    if named or (word and not _ANY_GROUP.search(asked.words)):
        said = wording.industry_name(desk, named[0]) if named else (word["zh"] or word["en"] if word else "")
        return reply_of_lines(
            desk.speak(
                "No group “{word}” is stored. There are: {names}.",
                word=said,
                names=desk.speak.join_items([wording.industry_name(desk, group) for group in list(groups)[:12]]),
            )
        )
    if (all_up := _ALL.search(words)) and not _BEST.search(words) and not watch_facts.LOWEST.search(words):
        return reply_of_lines(
            *before, *_say_all(desk, groups, found, up=bool(all_up["up"] or all_up["grew"] or all_up["rose"]))
        )
    if _WHAT_THERE_IS.search(words):
        names = desk.speak.join_items([wording.industry_name(desk, group) for group in groups])
        return reply_of_lines(*before, desk.speak("**{count} {name}**: {names}.", count=len(groups),
                                                  name=name, names=names))  # fmt: skip
    said = _COUNTED_GROUPS.search(words)
    count = min(int(parse_count((said["zh"] or said["en"]).casefold()) or SHOWN), MOST_LISTED) if said else SHOWN
    mark = wording.simulated_mark(desk, found.get("simulated"))
    head = desk.speak("{name} ({date}){mark}", name=name, date=market_days.say_stretch(desk, found), mark=mark)
    first = _find_first(desk, found, words)
    desk.ranked += [wording.industry_name(desk, str(row["name"])) for row in first]
    before += [_say_group(desk, row, found) for row in first if row.get("leader") and said is None]
    return reply_of_lines(*before, f"**{head}**", *_sector_lines(desk, found, count, words), *_say_measure(desk, found))


_ROW = pattern(
    rf"(?:连续?|一连)(?:上|下)?(?P<way>[涨跌])[了过]?(?P<zh>{COUNT})个?(?:交易日|[天日])"
    rf"|连续?(?P<zh2>{COUNT})个?(?:交易日|[天日])(?:都|在|上|下)*(?P<way2>[涨跌])"
    rf"|\b(?P<way_en>r[io]se|risen|rising|up|gain\w*|f[ae]ll|fallen|falling|down|lost|losing|dropp\w*)\b"
    rf"(?: for)?(?: the last)? (?P<en>{COUNT}) (?:straight |consecutive )?(?:days|sessions)"
    rf"(?: in a row| running| straight| on end| in succession)?",
    re.I,
)
"""So many sessions in a row, all of one way."""
_RUN = pattern(
    r"连续|[一二两三四五六七八九十\d]连[涨跌阳阴]|连[涨跌]|\b(?:in a row|running|straight|consecutive)\b", re.I
)


def _answer_rows(desk: ToolDesk, said: re.Match[str], kind: str, name: str) -> Work[Reply]:
    """Answer which industries or concepts rose, or fell, on each of the last sessions."""
    speak, count = desk.speak, int(parse_count((said["zh"] or said["zh2"] or said["en"]).casefold()) or 0)
    way = said["way"] or said["way2"] or said["way_en"]
    up = way == "涨" or re.match("r|up|gain", way, re.I) is not None
    newest = wording.result_day((yield from desk.one("market.sectors", kind=kind, limit=1)))
    if not 1 < count <= _MOST_IN_A_ROW or not newest:
        return wording.ask_back(desk, (said[0],))
    span = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=count)
    days = yield from market_days.sessions_within(desk, span, count + 5)
    results = yield from desk.run(
        *(DeskCall("market.sectors", {"date": day, "kind": kind, "limit": MOST}) for day in days or ())
    )
    held: dict[str, list[float]] = {}
    for day, result in zip(days or (), results, strict=True):
        if not result.ok or wording.result_day(result) != day:
            return reply_of_lines(speak("{what}: not stored of {days}, so none can be told.", what=name, days=day))
        rows = {str(row.get("name")): row for key in ("best", "worst") for row in wording.rows_of(result, key)}
        for group, row in rows.items():
            held.setdefault(group, []).append(float(row.get("change_pct") or 0))
    held = {group: moves for group, moves in held.items() if len(moves) == len(results)}
    found = {
        group: (math.prod(1 + each / 100 for each in moves) - 1) * 100
        for group, moves in held.items()
        if all(each > 0 if up else each < 0 for each in moves)
    }
    mark = wording.simulated_mark(desk, any(result.get("simulated") for result in results))
    given: Json = {"count": len(found), "all": len(held), "days": count, "date": newest, "mark": mark}
    head = (
        speak("**{count} of {all}** rose on each of the last {days} sessions (to {date}){mark}", **given)
        if up
        else speak("**{count} of {all}** fell on each of the last {days} sessions (to {date}){mark}", **given)
    )
    told = [
        f"{wording.industry_name(desk, group)} {wording.say_percent(found[group])}"
        for group in sorted(found, key=found.__getitem__, reverse=up)[:MOST_LISTED]
    ]
    return reply_of_lines(head, *([speak.join_items(told)] if told else []))


_MOST_IN_A_ROW = 10
"""Sessions in a row that are looked at."""
_WHAT_THERE_IS = pattern(
    r"\A\W*(?:(?:一共|总共|都|分别|A股|市场上?|里面?)*有(?:哪些|什么|哪几个)(?:行业|板块|概念)(?:分类)?"
    r"|(?:全部|所有)?(?:行业|板块|概念)(?:分类|板块)?(?:一共|总共|都|分别)*(?:有(?:哪些|什么|哪几个)|列表|清单))\W*\Z"
    r"|\A\W*(?:which|what) (?:sectors|industries|concepts|themes) are there\W*\Z",
    re.I,
)
"""Asks for the names of all industries or concepts."""
_PLACED = pattern(r"第几|排名|排行|排(?:在|老)|名次|位置|几名|\b(?:rank\w*|place[ds]?|position|come in)\b", re.I)
"""Asks which place an industry has among all."""


def _say_place(desk: ToolDesk, group: str, groups: dict[str, Json]) -> str:
    """Return which place an industry has among all that are stored, the strongest being the first."""
    changes = {name: wording.figure_of(row, "change_pct") for name, row in groups.items()}
    own, known = changes[group], [value for value in changes.values() if value is not None]
    if own is None:
        return desk.speak("The place of {name} is not known.", name=wording.industry_name(desk, group))
    place = 1 + sum(value > own for value in known)
    return desk.speak("{name}: **number {place} of {count}** industries, the strongest first.",
                      name=wording.industry_name(desk, group), place=place, count=len(known))  # fmt: skip


def _find_missing(desk: ToolDesk, words: str, groups: dict[str, Json], known: list[str]) -> list[str]:
    """Return the industries that a question names besides those that are known, in other words than theirs."""
    placed = [(form.search(words), group) for form, group in industry_forms(words, groups, desk.tables)]
    taken = [match.span() for match, group in placed if match and group in known]
    return list(
        dict.fromkeys(
            group
            for match, group in placed
            if match and group not in known and all(match.end() <= a or b <= match.start() for a, b in taken)
        )
    )


_ALL = pattern(
    r"哪些.{0,10}(?:(?P<up>上涨|涨|红)|(?P<down>下跌|跌|绿))"
    r"|(?:(?P<grew>上涨|涨)|下跌|跌)了?的?(?:行业|板块|概念).{0,4}(?:哪些|哪几)"
    r"|\b(?:which|what) (?:sectors|industries|concepts|themes)\b.{0,24}"
    r"\b(?:(?P<rose>up|rose|risen|rising|gain\w*|positive|green|higher)"
    r"|(?P<fell>down|fell|fallen|falling|lost|negative|red|lower))\b",
    re.I,
)
_COUNTED_GROUPS = pattern(
    rf"(?P<zh>{COUNT})\s*(?:个|大)(?:板块|行业|概念|题材)"
    rf"|\b(?P<en>{COUNT}) (?:\w+ ){{0,2}}(?:sectors|industries|concepts|themes)\b",
    re.I,
)
_UNREAD_OF_GROUPS = pattern(
    r"\d[\d.]*|除了?|以外|不含|市值|市[盈净]率|股息率|净利|毛利|营收"
    r"|(?<![a-z])(?:roe|p/?e|p/?b)(?![a-z])|\bmarket caps?\b|\bdividend yields?\b|[上本这]?(?:周|个?月|季度?|年)(?!期)"
    r"|\b(?:weeks?|months?|quarters?|years?|except|excluding|without)\b",
    re.I,
)
"""A number, a time or an exception that no reader has taken from a question about industries or concepts."""
_BEST = pattern(r"最[好强多高大猛]|领涨|榜|\b(?:best|strongest|most|top|leading|number one)\b", re.I)


def _say_all(desk: ToolDesk, groups: dict[str, Json], found: DeskResult, *, up: bool) -> list[str]:
    """Return all groups that rose, or all that fell, each with its change."""
    speak = desk.speak
    known = [
        (value, name) for name, row in groups.items() if (value := wording.figure_of(row, "change_pct")) is not None
    ]
    moved = sorted(((value, name) for value, name in known if (value > 0 if up else value < 0)), reverse=up)
    given: dict[str, Any] = {
        "count": len(moved),
        "all": found.get("count") or len(known),
        "date": market_days.say_stretch(desk, found),
        "mark": wording.simulated_mark(desk, found.get("simulated")),
    }
    head = (
        speak("**{count} of {all} rose** ({date}){mark}", **given)
        if up
        else speak("**{count} of {all} fell** ({date}){mark}", **given)
    )
    told = [f"{wording.industry_name(desk, name)} {wording.say_percent(value)}" for value, name in moved[:MOST_LISTED]]
    more = [speak("… and {count} more.", count=len(moved) - MOST_LISTED)] if len(moved) > MOST_LISTED else []
    return [head, *([speak.join_items(told)] if told else []), *more, *_say_measure(desk, found)]


_BOUND = pattern(
    r"(?:上?涨|(?P<falls>下?跌))(?:幅|了)?(?:超过?|大于|高于|多于|在)?(?P<n>\d+(?:\.\d+)?) ?(?:%|％|个点)(?:以上)?"
    r"|\b(?:up|rose|risen|gained|climbed|(?P<fell>down|fell|fallen|lost|dropped))(?: by)?"
    r" (?:more than|over|above|at least) (?P<m>\d+(?:\.\d+)?) ?(?:%|percent)",
    re.I,
)
"""By how much industries have to have risen or fallen."""


def _say_beyond(desk: ToolDesk, groups: dict[str, Json], found: DeskResult, bound: re.Match[str]) -> list[str]:
    """Return the groups that rose, or fell, by more than so much."""
    falls, least = bool(bound["falls"] or bound["fell"]), float(bound["n"] or bound["m"])
    known = [(value, name) for name, row in groups.items()
             if (value := wording.figure_of(row, "change_pct")) is not None]  # fmt: skip
    moved = sorted(((v, n) for v, n in known if (v < -least if falls else v > least)), reverse=not falls)
    given: dict[str, Any] = {
        "count": len(moved),
        "all": len(known),
        "least": f"{least:g}",
        "date": market_days.say_stretch(desk, found),
        "mark": wording.simulated_mark(desk, found.get("simulated")),
    }
    head = (
        desk.speak("**{count} of {all} industries** fell by more than {least}% ({date}){mark}", **given)
        if falls
        else desk.speak("**{count} of {all} industries** rose by more than {least}% ({date}){mark}", **given)
    )
    told = [f"{wording.industry_name(desk, name)} {wording.say_percent(value)}" for value, name in moved[:MOST_LISTED]]
    return [head, *([desk.speak.join_items(told)] if told else []), *_say_measure(desk, found)]


def _say_measure(desk: ToolDesk, found: DeskResult) -> list[str]:
    """Return how the change of a group over a stretch of days is made."""
    return [desk.speak("Mean change of the shares of each.")] if found.get("since_close_of") else []


_GROUP = pattern(
    r"(?P<zh>[^\s，,的]{2,6}?)(?:板块|行业)(?=\s*(?:今|现|最|怎|表|涨|跌|如))"
    r"|\b(?:is|are|did) the (?P<en>[a-z ]{2,20}?) (?:sector|industry)\b",
    re.I,
)
_ANY_GROUP = pattern(
    r"(?:哪|什么|最|热门|领[涨跌])[^，,]{0,4}(?:板块|行业|概念)|\b(?:which|what|best|worst|strong|weak)", re.I
)


def _say_group(desk: ToolDesk, row: Json, found: DeskResult) -> str:
    """Return how one industry or concept did."""
    return desk.speak(
        "**{name}** {change} ({date}){mark}: {up} up, {down} down; best {leader} {leader_change}",
        name=wording.industry_name(desk, str(row.get("name"))),
        change=wording.say_percent(row.get("change_pct")),
        date=market_days.say_stretch(desk, found),
        mark=wording.simulated_mark(desk, found.get("simulated")),
        up=row.get("up"),
        down=row.get("down"),
        leader=wording.security_name(desk, str(row.get("leader") or "–"), row.get("leader_name")),
        leader_change=wording.say_percent(row.get("leader_pct")),
    )


_MOST = pattern(r"最[多大猛]|\bmost\b", re.I)


def _find_first(desk: ToolDesk, found: DeskResult, words: str) -> list[Json]:
    """Return the one group that a question asks for, the strongest or the weakest; [] where it asks for both."""
    weakest = bool(watch_facts.LOWEST.search(words) or watch_facts.FELL.search(words))
    strongest = bool(watch_facts.ROSE.search(words) or _BEST.search(_MOST.sub("", words) if weakest else words))
    best, worst = wording.rows_of(found, "best"), wording.rows_of(found, "worst")
    rows = [*worst, *best[::-1]] if weakest else best
    return rows[:1] if weakest != strongest else []


def _sector_lines(desk: ToolDesk, found: DeskResult, count: int, words: str = "") -> list[str]:
    """Return the best and the worst groups, a line each; the one first that a question asks for."""
    speak = desk.speak
    best, worst = wording.rows_of(found, "best"), wording.rows_of(found, "worst")
    last = [*best, *worst[::-1]][::-1]
    fell = bool(best) and (wording.figure_of(best[0], "change_pct") or 0) < 0
    chosen = [
        (speak("Fell least") if fell else speak("Strongest"), best[:count]),
        (speak("Weakest"), last[: min(count, len(last) - count)]),
    ]
    if watch_facts.LOWEST.search(words) or watch_facts.FELL.search(words):
        rising = watch_facts.ROSE.search(words) or _BEST.search(_MOST.sub("", words))
        chosen = [(speak("Weakest"), last[:count])] if not rising else chosen
    lines = []
    for head, rows in chosen:
        told = [
            f"{wording.industry_name(desk, str(row['name']))} {wording.say_percent(row.get('change_pct'))}"
            for row in rows
        ]
        if told:
            lines.append(f"{head}{speak(': ')}{speak.join_items(told)}")
    return lines


def answer_lhb(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which stocks are on the dragon and tiger list: the newest, that of a day, or those of several."""
    speak, name = desk.speak, wording.fact_name(desk, asked.facts[0])
    if not asked.spans:
        found = yield from desk.one("market.lhb")
        if found.failure is not None:
            return wording.unreadable(desk, name, found.failure)
        return reply_of_lines(*_say_list(desk, name, found))
    span = asked.spans[0]
    days = yield from market_days.sessions_within(desk, span, MOST_LISTS + 1)
    if len(asked.spans) > 1 or days is None or len(days) > MOST_LISTS:
        newest = yield from desk.one("market.lhb")
        return wording.refuse_time(desk, name, asked.spans[-1], str(newest.get("date") or "–"))
    results = yield from desk.run(*(DeskCall("market.lhb", {"date": day}) for day in days))
    lists = [result for result in results if result.ok]
    if lists and len(days) == 1:
        return reply_of_lines(*_say_list(desk, name, lists[0]))
    if lists:
        rows = [{**row, "date": each.get("date")} for each in lists for row in wording.rows_of(each, "rows")]
        head = speak("{name}, {first} to {last}: {count} entries, on {days}{mark}", name=name, first=days[0],
                     last=days[-1], count=len(rows), mark=wording.simulated_mark(desk, lists[0].get("simulated")),
                     days=speak.join_items([str(each.get("date")) for each in lists]))  # fmt: skip
        more = [speak("… and {count} more.", count=len(rows) - MOST_ENTRIES)] if len(rows) > MOST_ENTRIES else []
        lines = [f"- {row['date']} {_say_entry(desk, row)}" for row in rows[:MOST_ENTRIES]]
        return reply_of_lines(f"**{head}**", *lines, *more)
    newest = yield from desk.one("market.lhb")
    none = speak("{name}: no stock is on a stored list of “{time}”.", name=name, time=span.said)
    return reply_of_lines(none, *([speak("The newest list:"), *_say_list(desk, name, newest)] if newest.ok else []))


MOST_ENTRIES = 9
"""Entries of the lists of several days that one answer shows."""


def _say_list(desk: ToolDesk, name: str, found: DeskResult) -> list[str]:
    """Return a dragon and tiger list with its day."""
    speak, rows = desk.speak, wording.rows_of(found, "rows")
    mark = wording.simulated_mark(desk, found.get("simulated"))
    head = speak("{name} ({date}){mark}", name=name, date=found.get("date"), mark=mark)
    more = [speak("… and {count} more.", count=len(rows) - SHOWN)] if len(rows) > SHOWN else []
    return [f"**{head}**", *(f"- {_say_entry(desk, row)}" for row in rows[:SHOWN]), *more]


def _say_entry(desk: ToolDesk, row: Json) -> str:
    """Return an entry of a dragon and tiger list."""
    return desk.speak(
        "{stock} {change}, net {net} yuan: {reason}",
        stock=wording.security_name(desk, str(row.get("symbol")), row.get("name")),
        change=wording.say_percent(row.get("change_pct")),
        net=wording.say_money(desk, row.get("net"), signed=True),
        reason=listing_reason(str(row.get("reason") or "–"), desk.speak.lang),
    )


def answer_today(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which day it is."""
    yield from ()
    moment = desk.request.moment
    weekday = desk.speak(market_days.WEEKDAYS[moment.weekday()])
    return reply_of_lines(desk.speak("Today is {date}, {weekday}.", date=f"{moment:%Y-%m-%d}", weekday=weekday))


def answer_pending(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which proposals wait for the owner."""
    speak = desk.speak
    found = yield from desk.one("proposals.list")
    if found.failure is not None:
        return wording.unreadable(desk, speak("the proposals"), found.failure)
    rows = wording.rows_of(found, "proposals")
    if not rows:
        return reply_of_lines(speak("Nothing waits for your approval."))
    shown = 8 if len(rows) <= 8 else 4
    lines = [
        f"- {row['proposal']}{speak(': ')}{wording.say_proposed(desk, row)} `{row['path']}`" for row in rows[:shown]
    ]
    more = [speak("… {count} more: `ia pending`", count=len(rows) - shown)] if len(rows) > shown else []
    return reply_of_lines(
        speak(
            PluralText("**{count} proposal waits for you.**", "**{count} proposals wait for you.**"), count=len(rows)
        ),
        *lines,
        *more,
        speak("`ia pending NUMBER` shows one, `ia approve NUMBER` carries it out."),
    )


class Term:
    """A term of the glossary: its words, and what it means in Chinese and in English."""

    def __init__(self, entry: Entry) -> None:
        self.words = entry.pattern("words")
        self.name = entry.pair("name", needed=True)
        self.text = entry.pair("text", needed=True)


def build_terms(table: Table) -> list[Term]:
    """Return the terms of a glossary."""
    return list(table.entries("entries", Term))


def load_terms(desk: ToolDesk) -> Work[list[Term]]:
    """Return the terms of both glossaries."""
    yield from desk.load_tables(*GLOSSARIES)
    return [term for name in GLOSSARIES for term in desk.tables.build("research", name, build_terms)]


GLOSSARIES = ("glossary", "glossary_more")


_AROUND_TERM = pattern(
    r"的|是|有|和|与|跟|之间|区别|不同|差别|差异|多少|什么|请问|现在|今天|最新|目前|一般|意思|指标|股票|怎么|呢|吗|指"
    r"|\b(?:whats?|is|are|the|an?|s|please|now|today|current|of|for|how|much|does|mean|me|tell|about|ratios?|in"
    r"|on|vs|versus|between|or|differences?|different|from|compared"
    r"|stocks?|shares?|term|word|and)\b|[^\w\u3400-\u9fff]",
    re.I,
)


def explain_terms(desk: ToolDesk, words: str, *, meaning: bool = False) -> Work[Reply | None]:
    """Return what the terms in a text mean; None where the glossary has none of them.

    meaning    whether the text asks for a meaning. One that does not may name nothing but terms: what else it names is
               a security that is not known, and no term explains it.
    """
    speak = desk.speak
    found = [term for term in (yield from load_terms(desk)) if term.words.search(words)]
    if not found:
        return None
    rest = words
    for term in found:
        rest = term.words.sub(" ", rest)
    if not meaning and (left := " ".join(_AROUND_TERM.sub(" ", rest).split())):
        from ia.agent.analyst.jobs.small_talk import describe_doubt

        yield from desk.load_tables("figures")
        short = len(left) <= LONGEST_NAME and len(left.split()) <= 3
        return (reply_of_lines(describe_doubt(desk, left)) if short else wording.ask_back(desk, (left,)))._replace(
            understood=False
        )
    best = [term for term in found if not any(covers(other, term, words) for other in found)]
    return reply_of_lines(*(f"**{speak.fill(term.name)}**{speak(': ')}{speak.fill(term.text)}" for term in best[:3]))


def explain_named(desk: ToolDesk, said: str) -> Work[Reply | None]:
    """Return what a term means that a text is, as a whole; None where neither glossary nor indicators have it."""
    speak = desk.speak
    low, terms = _fold_name(said), (yield from load_terms(desk))
    named = [term for term in terms if low in {_fold_name(part) for name in term.name for part in _NAMES.split(name)}]
    if not named:
        found = [
            term
            for term in terms
            if term.words.search(said) and not _AROUND_TERM.sub("", term.words.sub("", said)).strip()
        ]
        named = [term for term in found if not any(covers(other, term, said) for other in found)]
    if named:
        return reply_of_lines(
            *(f"**{speak.fill(each.name)}**{speak(': ')}{speak.fill(each.text)}" for each in named[:2])
        )
    if not _INDICATOR.fullmatch(said):
        return None
    result = yield from desk.one("indicator.describe", name=re.sub(r"[\s-]", "", said))
    if result.ok and isinstance(result.value, dict) and result.get("description"):
        return reply_of_lines(f"**{result.get('name')}**{speak(': ')}{result.get('description')}")
    return None


_NAMES = pattern(r"[（(）)、,，]")
"""What stands between the names of a term."""
_INDICATOR = pattern(r"[A-Za-z][A-Za-z0-9 %-]{1,20}")


def _fold_name(name: str) -> str:
    return re.sub(r"[\s-]", "", name.casefold()).removesuffix("s")


LONGEST_NAME = 24
"""Characters of what may be the name of a security."""


def covers(other: Term, term: Term, words: str) -> bool:
    """Return True if the words of a term stand within those of another."""
    mine, its = term.words.search(words), other.words.search(words)
    if mine is None or its is None or other is term:
        return False
    return (
        its.start() <= mine.start() and mine.end() <= its.end() and its.end() - its.start() > mine.end() - mine.start()
    )


def answer_term(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a term means: from the glossary, else from the description of an indicator."""
    speak = desk.speak
    if known := (yield from explain_terms(desk, asked.words, meaning=asked.facts[0].field == MEANING)):
        return known
    for word in re.findall(r"[A-Za-z][A-Za-z0-9]{1,20}", asked.words):
        result = yield from desk.one("indicator.describe", name=word)
        if result.ok and isinstance(result.value, dict) and result.get("description"):
            return reply_of_lines(f"**{result.get('name')}**{speak(': ')}{result.get('description')}")
    return reply_of_lines(
        speak("I have no entry for that in the glossary, and I do not invent one."),
        speak("Terms stand in the skill research (`knowledge/glossary.yaml`); indicators: `ia indicator list`."),
    )._replace(understood=False)


ANSWERS: dict[str, Callable[[ToolDesk, FactQuestion], Any]] = {
    "summary": answer_summary,
    "stored": answer_stored,
    "gainers": answer_gainers,
    "sectors": answer_sectors,
    "level": answer_level,
    "market_extreme": answer_market_extreme,
    "mainline": answer_mainline,
    "decline": answer_decline,
    "lhb": answer_lhb,
    "term": answer_term,
    "today": answer_today,
    "pending": answer_pending,
}
