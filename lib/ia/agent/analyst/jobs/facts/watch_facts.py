"""The watch list: its securities with their prices, put in an order, and its groups."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import read_place
from ia.agent.analyst.ask.facts import BY_INDEX, FactQuestion, industry_forms, market_table
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.time_spans import DAY, RANGE, SESSIONS, SINCE, TimeSpan
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name, read_value
from ia.agent.analyst.jobs.facts import group_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import SpanBars, load_spans
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 50
MOST_LISTED, MOST_TOLD = 20, 8
ROSE = pattern(r"涨|走强|反弹|\b(?:up|ris\w+|rose|gain\w*|rall\w+|higher|green)\b", re.I)
FELL = pattern(r"跌|走弱|下挫|跳水|\b(?:down|f[ae]ll\w*|drop\w*|los[et]\w*|lower|red|crash\w*|sell[- ]?off)\b", re.I)
_WHICH = pattern(
    r"(?:哪些|哪几|什么|几|多少|所有|各)个?(?:自选)?分?组|分组(?:有|列)"
    r"|\b(?:which|what|list|show|all|how many)\b.{0,16}\bgroups\b",
    re.I,
)
_RANKED = pattern(
    r"最|哪(?!些|几)|排|[涨跌]|\b(?:best|worst|highest|lowest|largest|biggest|smallest|cheapest|most|least"
    r"|which|rank|top|rose|fell)\b",
    re.I,
)


_NOT_HELD = pattern(
    r"没有?(?:持仓|持有|买)|未持有|不在持仓"
    r"|\b(?:not|never|don['’]?t|haven['’]?t) (?:i )?(?:yet )?(?:hold|held|own|owned|bought|have)\b"
    r"|\bnot (?:yet )?(?:in my (?:portfolio|holdings))\b|\bhave (?:i )?not bought\b",
    re.I,
)
"""Of the watch list, only those are asked for that the owner does not hold."""


class _Watched(NamedTuple):
    """The newest bars of what is watched, or of a group of it, by code, and the codes without one."""

    rows: list[tuple[str, Json]]
    missing: list[str]


def _load_watched(desk: ToolDesk, asked: FactQuestion, group: str) -> Work[_Watched | Reply]:
    """Return what is watched, or held where that is meant; why it cannot be read otherwise."""
    held = asked.facts[0].field == "held"
    found = yield from desk.one("market.observe", of="held" if held else "watch")
    own, only = set[str](), asked.facts[0].field == "owned"
    if not held and (only or _NOT_HELD.search(asked.words)):
        status = yield from desk.one("account.status")
        if status.failure is not None:
            return wording.unreadable(desk, desk.speak("the ledger"), status.failure)
        own = set(wording.objects_of(status, "positions"))
    if found.failure is not None and found.failure.code == "nothing-watched":
        return _Watched([], [])
    if found.failure is not None:
        what = desk.speak("your positions") if held else desk.speak("the watch list")
        return wording.unreadable(desk, what, found.failure)
    bars = wording.objects_of(found, "bars")
    rows = [row for row in bars.items() if (row[0] in own) == only]
    missing = [symbol for symbol in wording.names_of(found.get("symbols"))
               if symbol not in bars and (symbol in own) == only]  # fmt: skip
    if only and not rows and not missing:
        return reply_of_lines(desk.speak("You hold none of what you watch."))
    if own and not rows and not missing:
        return reply_of_lines(desk.speak("You hold all that you watch."))
    if group:
        codes = yield from group_facts.list_codes(desk, group)
        rows = [row for row in rows if row[0] in codes]
        missing = [symbol for symbol in missing if symbol in codes]
    return _Watched(rows, missing)


def _of_group(
    desk: ToolDesk, asked: FactQuestion, answer: Callable[[ToolDesk, FactQuestion, _Watched], Work[Reply]]
) -> Work[Reply]:
    """Return an answer about the watch list, or about the group of it that a question names, which is said first."""
    held = asked.facts[0].field == "held"
    group = "" if held else (yield from group_facts.find_group(desk, asked.words))
    watched = yield from _load_watched(desk, asked, group)
    done = watched if isinstance(watched, Reply) else (yield from answer(desk, asked, watched))
    if not group:
        return done
    told = desk.speak("Of the group **{group}**:", group=group)
    return done._replace(lines=[told, *done.lines], points=[told, *done.points])


def answer_watch(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what is on the watch list, with the newest close and change of each; or what is held and not on it."""
    if asked.facts[0].field == "unwatched":
        return (yield from _list_unwatched(desk))
    return (yield from _of_group(desk, asked, _list_watched))


def _list_unwatched(desk: ToolDesk) -> Work[Reply]:
    """Return what is held and not on the watch list."""
    status, listed = yield from desk.run(DeskCall("account.status", {}), DeskCall("watch.list", {}))
    if failed := status.failure or listed.failure:
        what = desk.speak("the ledger") if status.failure else desk.speak("the watch list")
        return wording.unreadable(desk, what, failed)
    watched = {str(row.get("symbol")) for row in wording.rows_of(listed, "items")}
    held = wording.objects_of(status, "positions")
    rest = [wording.security_name(desk, code, row.get("name")) for code, row in held.items() if code not in watched]
    if not rest:
        return reply_of_lines(desk.speak("You watch all that you hold."))
    return reply_of_lines(*(f"- {name}" for name in rest[:MOST_LISTED]))


def _list_watched(desk: ToolDesk, asked: FactQuestion, watched: _Watched) -> Work[Reply]:
    speak, (rows, missing) = desk.speak, watched
    if not rows and not missing:
        return reply_of_lines(speak('Nothing is watched: "track 600519" puts a security on the list.'))
    rows, refused = yield from _changes_then(desk, asked, rows)
    if refused:
        return refused
    if moved := (yield from _answer_moves(desk, asked, rows)):
        return moved
    rows.sort(key=lambda row: -(row[1].get("change_pct") or 0))
    left_out = {mention.code: mention for mention in asked.securities}
    before = []
    if _HOW_MANY.search(asked.words):
        before = [
            speak(
                PluralText(
                    "**{count} security** is on the watch list:", "**{count} securities** are on the watch list:"
                ),
                count=len(rows) + len(missing),
            )
        ]
    elif asked.facts[0].field == "owned":
        form = PluralText("You hold **{count}** of what you watch.", "You hold **{count}** of what you watch.")
        before = [speak(form, count=len(rows) + len(missing))]
    elif _NOT_HELD.search(asked.words):
        form = PluralText("**{count}** watched security is not held.", "**{count}** watched securities are not held.")
        before = [speak(form, count=len(rows) + len(missing))]
    elif left_out:
        names = speak.join_items([display_name(desk, mention) for mention in left_out.values()])
        before = [speak("Without {names}:", names=names)]
        rows = [row for row in rows if row[0] not in left_out]
        missing = [symbol for symbol in missing if symbol not in left_out]
    changes = [change for _, bar in rows if (change := wording.figure_of(bar, "change_pct")) is not None]
    before += [none] if (none := _say_none(desk, asked, changes)) else []
    before += _say_whole(desk, changes) if asked.spans or _FARED.search(asked.words) else []
    lines = before + [_watch_line(desk, symbol, bar) for symbol, bar in rows[:10]]
    if len(rows) > 10:
        lines.append(speak("… {count} more: `ia quote --universe watch`", count=len(rows) - 10))
    if missing:
        lines.append(speak("No stored price: {names} (`ia ohlcv CODE` fetches it).", names=speak.join_items(missing)))
    if _AND_GROUPS.search(asked.words):
        groups = yield from group_facts.load_groups(desk)
        head = PluralText("**{count} group** on the watch list:", "**{count} groups** on the watch list:")
        lines.append(f"{speak(head, count=len(groups))} {speak.join_items(groups)}")
    return reply_of_lines(*lines)


_FARED = pattern(
    r"怎么样|咋样|如何|怎样|表现|整体|总体|平均|几涨几跌|行情|\b(?:how(?:'s|s| is| are| did| has| have)(?! many| much)"
    r"|perform\w*|doing|fared?|average|mean)\b",
    re.I,
)
"""Asks how the list did as a whole."""
_MEAN = pattern(r"平均|均值|\b(?:average|mean|on average)\b", re.I)
_WORSE = pattern(
    r"跑输|不如|弱于|\b(?:underperform\w*|lag(?:s|ged|ging)?|trail(?:s|ed|ing)?|(?:did|doing|done) worse than|behind"
    r"|worse than)\b",
    re.I,
)
"""Those are asked for that did worse than an index."""


def _say_whole(desk: ToolDesk, changes: list[float]) -> list[str]:
    """Return how a list did as a whole: how many of it rose and fell, and the mean of the changes."""
    if len(changes) < 2:
        return []
    given: Json = {"up": sum(each > 0 for each in changes), "down": sum(each < 0 for each in changes),
                   "mean": wording.say_percent(sum(changes) / len(changes))}  # fmt: skip
    return [desk.speak("**{up} up, {down} down**; on average **{mean}**, each counted alike.", **given)]


def _answer_moves(desk: ToolDesk, asked: FactQuestion, rows: list[tuple[str, Json]]) -> Work[Reply | None]:
    """Answer which of a list rose or fell, or did better than an index; None where neither is asked for."""
    values = [(float(bar["change_pct"]), symbol) for symbol, bar in rows if bar.get("change_pct") is not None]
    bars_of = dict(rows)
    if values and asked.facts[0].id in BY_INDEX:
        return (yield from _say_beaten(desk, asked, values, bars_of, worse=bool(_WORSE.search(asked.words))))
    side = _ON_SIDE.search(asked.words)
    if not values or side is None or _EITHER_WAY.search(asked.words):
        return None
    said = _say_side(desk, asked, values, bars_of, falls=_is_fall(side))
    return reply_of_lines(*said.lines, *_say_not_traded(desk, asked, bars_of))


def _say_beaten(
    desk: ToolDesk, asked: FactQuestion, values: list[tuple[float, str]], bars_of: dict[str, Json], *, worse: bool
) -> Work[Reply]:
    """Return which securities of a list did better, or worse, than an index: the CSI 300 where none is named."""
    speak = desk.speak
    named = [each for each in asked.securities if each.symbol.kind == "index"] or find_mentions("000300.SH")[:1]
    newest = max(str(bars_of[symbol].get("date"))[:10] for _, symbol in values)
    today = TimeSpan(kind=DAY, said=newest, at=(0, 0), first=date.fromisoformat(desk.request.day))
    span = asked.spans[0] if asked.spans else today
    loaded = (yield from load_spans(desk, named, span))[0]
    if len(named) > 1 or len(asked.spans) > 1 or not isinstance(loaded, SpanBars) or not loaded.rows or not loaded.base:
        return wording.ask_back(desk, tuple(each.said for each in asked.securities) or (asked.words,))
    index = loaded.rows[-1].close / loaded.base.close * 100 - 100
    found = sorted(((v, s) for v, s in values if (v < index if worse else v > index)), reverse=not worse)
    given: Json = {"count": len(found), "all": len(values), "index": display_name(desk, named[0]), "days": span.said,
                   "change": wording.say_percent(index),
                   "mark": wording.simulated_mark(desk, loaded.simulated)}  # fmt: skip
    head = (
        speak("**{count} of {all}** did worse than {index} ({change}, {days}).{mark}", **given)
        if worse
        else speak("**{count} of {all}** did better than {index} ({change}, {days}).{mark}", **given)
    )
    names = [(wording.security_name(desk, s, bars_of[s].get("name")), wording.say_percent(v)) for v, s in found]
    whole = _say_whole(desk, [value for value, _ in values])
    return reply_of_lines(head, *(f"- {name} **{change}**" for name, change in names), *whole)


def _say_none(desk: ToolDesk, asked: FactQuestion, changes: list[float]) -> str:
    """Return that none of a list rose, or that none fell, where a question asks for those; "" otherwise."""
    rose, fell = bool(ROSE.search(asked.words)), bool(FELL.search(asked.words))
    if rose == fell or not changes:
        return ""
    if rose and max(changes) <= 0:
        return desk.speak("None of them rose:")
    return desk.speak("None of them fell:") if fell and min(changes) >= 0 else ""


_AND_GROUPS = pattern(
    r"[，,、和].{0,4}(?:几|哪些|哪几|多少)个?(?:分?组|分组)|\b(?:and|,) (?:how many|which) groups\b", re.I
)
_HOW_MANY = pattern(r"[几多少][只个支家]|\bhow many\b", re.I)


def _changes_then(
    desk: ToolDesk, asked: FactQuestion, rows: list[tuple[str, Json]]
) -> Work[tuple[list[tuple[str, Json]], Reply | None]]:
    """Return the securities of a list with their close and change of the day or stretch that a question names."""
    newest = max((str(bar.get("date")) for _, bar in rows), default="")
    span = wording.other_day(asked, newest) if rows else None
    if span is None:
        return rows, None
    codes = [symbol for symbol, _ in rows[:MOST_LISTED]]
    if len(asked.spans) > 1 or span.kind not in (DAY, RANGE, SINCE, SESSIONS) or len(codes) < len(rows):
        return rows, wording.refuse_time(desk, desk.speak("the watch list"), span, newest)
    mentions = [mention for code in codes for mention in find_mentions(code)[:1]]
    loaded = yield from load_spans(desk, mentions, span)
    bars = dict(rows)
    told: list[tuple[str, Json]] = []
    for mention, found in zip(mentions, loaded, strict=True):
        if isinstance(found, SpanBars) and found.rows and found.base is not None:
            end, change = found.rows[-1], found.rows[-1].close / found.base.close * 100 - 100
            begin = found.base.date
            when = end.date if span.kind == DAY else desk.speak("{first} to {last}", first=begin, last=end.date)
            if span.kind == SESSIONS:
                when = desk.speak("{count} sessions to {last}", count=len(found.rows), last=end.date)
            told.append((mention.code, {**bars[mention.code], "close": end.close, "change_pct": change, "date": when}))
    if not told:
        return rows, wording.refuse_time(desk, desk.speak("the watch list"), span, newest)
    return told, None


def _watch_line(desk: ToolDesk, symbol: str, bar: Json) -> str:
    mark = wording.simulated_mark(desk, bar.get("simulated"))
    close = f"{number(bar['close'], 'price', desk.speak)} " if bar.get("close") is not None else ""
    name, change = wording.security_name(desk, symbol, bar.get("name")), wording.say_percent(bar.get("change_pct"))
    return f"- {name} {close}{change} ({bar.get('date')}){mark}"


_AMOUNTS = ("market_cap", "float_cap", "amount")


def _in_yuan(desk: ToolDesk, quotes: dict[str, Json], field: str) -> Work[dict[str, Json]]:
    """Return quotes with an amount in yuan, so that those of several currencies can be held against each other."""
    told, rates = [], {"CNY": 1.0, "": 1.0}
    for currency in sorted({str(row["currency"]) for row in quotes.values() if row.get("currency")} - {"CNY"}):
        if rate := (yield from wording.load_rate(desk, currency, "CNY")):
            rates[currency] = float(rate["rate"])
            told.append(wording.say_rates(desk, {"rates": [rate | {"currency": currency, "base": "CNY"}]})[0])
    known = {code: row for code, row in quotes.items() if str(row.get("currency") or "") in rates}
    if told:
        desk.last_lines.append(desk.speak("All in CNY: {rates}.", rates=desk.speak.join_items(told)))
    return {
        code: row | {field: None if row.get(field) is None else row[field] * rates[str(row.get("currency") or "")]}
        for code, row in known.items()
    }


def stored_figures(desk: ToolDesk, field: str, symbols: list[str]) -> Work[list[tuple[float, str]]]:
    """Return a stored figure of each security that has it: of its quote, or of its valuation."""
    found: dict[str, Json] = {}
    if field == "dividend_yield_pct":
        results = yield from desk.run(
            *(DeskCall("market.valuation", {"symbol": each}) for each in symbols[:MOST_LISTED])
        )
        for symbol, result in zip(symbols, results, strict=False):
            figures = result.get("figures") if result.ok else None
            found[symbol] = figures if isinstance(figures, dict) else {}
    else:
        quotes = yield from desk.one("market.quote", symbols=symbols[:MOST])
        found = {str(row["symbol"]): row for row in wording.rows_of(quotes, "quotes")}
        if field in _AMOUNTS:
            found = yield from _in_yuan(desk, found, field)
    values = [(value, each) for each in symbols if (value := wording.figure_of(found.get(each), field)) is not None]
    return [(value, each) for value, each in values if value > 0 or field not in ("pe", "pe_ttm", "pb")]


LOWEST = pattern(
    r"最低|最小|最少|最便宜|跌.{0,3}最|最差|最弱|最惨|[从由][低小少差弱跌便][^，,。]{0,2}[到往至][高大多好强涨贵]|升序"
    r"|\bfrom (?:the )?(?:low|small|cheap|worst|bottom)\w* to (?:the )?(?:high|larg|big|dear|best|top)\w*|\bascending\b"
    r"|\b(?:lowest|smallest|cheapest|least|worst|weakest|fell|fall\w*|drop\w*|declin\w+|down|lost|losers?"
    r"|losing|safest|calmest)\b",
    re.I,
)
_EITHER_WAY = pattern(
    r"涨(?!跌).{0,3}跌|涨跌[^，,。]{0,4}最[大多猛狠]|跌.{0,3}涨|波动"
    r"|\bmovers?\b|\bmoved\b|\b(?:up|rose|gained|green)\b.*\b(?:down|fell|lost|red)\b|\bgainers and losers\b"
    r"|\b(?:down|fell|lost|red)\b.*\b(?:up|rose|gained|green)\b",
    re.I,
)
"""The largest changes of either sign are asked for."""


_ON_SIDE = pattern(
    r"[涨跌红绿](?:了)?的?(?:都)?(?:有|是)?(?:哪些|[哪多]?[几少][只个支家]|谁)(?=\W*$)"
    r"|(?<=哪些)[^，,。最]{0,10}?[涨跌红绿](?:的|了)?(?=\W*$)"
    r"|(?<=[几少][只个支家])[^，,。最]{0,6}?[涨跌红绿](?:的|了)?(?=\W*$)"
    r"|(?<=有谁)[^，,。最]{0,10}?[涨跌红绿](?:的|了)?(?=\W*$)|[涨跌红绿](?:了)?的有"
    r"|\A(?!.*\b(?:\w+est|most|best|worst|least|top|first|by|than|how much)\b).*\b(?:which|what"
    r"|how many|list|any|who)\b.*\b(?:rose|risen|gain(?:ed|ing)|rising|up|green|climb(?:ed|ing)"
    r"|(?P<falls>fell|fallen|falling|drop(?:ped|ping)|lost|losing|down|red|declin(?:ed|ing)))\b",
    re.I,
)
"""Those are asked for that rose, or fell, and not the first of them."""


def _is_fall(side: re.Match[str]) -> bool:
    return bool(side["falls"]) or side[0].strip("的了有").endswith(("跌", "绿")) or side[0][:1] in ("跌", "绿")


def _say_side(
    desk: ToolDesk, asked: FactQuestion, values: list[tuple[float, str]], bars_of: dict[str, Json], *, falls: bool
) -> Reply:
    """Return which securities rose, or fell, the largest moves first."""
    speak = desk.speak
    found = sorted(((value, s) for value, s in values if (value < 0 if falls else value > 0)), reverse=not falls)
    days = asked.spans[0].said.strip() if asked.spans else max(str(bars_of[s].get("date")) for _, s in values)
    mark = wording.simulated_mark(desk, any(bars_of[s].get("simulated") for _, s in values))
    given: Json = {"count": len(found), "all": len(values), "days": days, "mark": mark}
    head = (
        speak("**{count} of {all}** fell ({days}).{mark}", **given)
        if falls
        else speak("**{count} of {all}** rose ({days}).{mark}", **given)
    )
    return reply_of_lines(
        head,
        *(f"- {wording.security_name(desk, s, bars_of[s].get('name'))} **{wording.say_percent(v)}**" for v, s in found),
    )


def _say_not_traded(desk: ToolDesk, asked: FactQuestion, bars_of: dict[str, Json]) -> list[str]:
    """Return which securities have no bar of the day that is asked for; none where a past time is asked for."""
    if asked.spans and wording.other_day(asked, desk.request.day):
        return []
    newest = desk.request.day if asked.spans else max(str(bar.get("date")) for bar in bars_of.values())
    late = [
        f"{wording.security_name(desk, symbol, bar.get('name'))}" + desk.speak(" ({date})", date=bar.get("date"))
        for symbol, bar in bars_of.items()
        if str(bar.get("date")) < newest
    ]
    return (
        [desk.speak("No bar of {day} yet; the last: {names}.", day=newest, names=desk.speak.join_items(late))]
        if late
        else []
    )


def _sort_values(values: list[tuple[float, str]], words: str, *, by_change: bool, from_high: bool) -> None:
    """Put values in the order that words ask for: the highest first, the lowest, or the largest move of either sign."""
    if from_high:
        values.sort(reverse=bool(_NEAREST.search(words)))
    elif by_change and _EITHER_WAY.search(words):
        values.sort(key=lambda row: -abs(row[0]))
    else:
        values.sort(reverse=not LOWEST.search(words))


def _compute_values(desk: ToolDesk, code: str, symbols: list[str]) -> Work[list[tuple[float, str]]]:
    """Return the value of an expression over the bars of each security that has one."""
    yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": symbol, "tail": 1}) for symbol in symbols))
    results = yield from desk.run(*(DeskCall("compute.run", {"code": code, "symbol": symbol}) for symbol in symbols))
    found = [(read_value(result)[0], symbol) for symbol, result in zip(symbols, results, strict=True)]
    return [(value, symbol) for value, symbol in found if value is not None]


_MOST = pattern(
    r"最|更|排|\b(?:most|least|first|last|highest|lowest|rank\w*|sort\w*|order\w*|\w+est|more|less)\b", re.I
)


def answer_watch_rank(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which of the watch list has the highest or lowest of a figure, or did best or worst."""
    if asked.facts[0].field == "held" and (industries := industry_forms(asked.words, (), desk.tables)):
        form, name = industries[0]
        found = form.search(asked.words)
        return wording.ask_back(desk, (found[0] if found else name,))  # all that is held is ranked
    return (yield from _of_group(desk, asked, _rank_watched))


_FROM_HIGH = "from_high"
_NEAREST = pattern(r"最近|接近|\b(?:nearest|closest|close to)\b", re.I)
_YEARLONG = pattern(r"52|fifty|12|twelve|year|一?年|250", re.I)
"""The stretch of which the high is told anyway."""
_OF_MEAN = pattern(r"[高低大小多少]于|均(?=线)|超过|above|below|than|\bmoving\b|\bdays?\b|日均|天均", re.I)
"""Says that something is held against a mean, or measured by one of prices."""
_OF_WHOLE = pattern(r"(?:组合|账户)的?(?![里中内])|\b(?:of|for) my (?:portfolio|account)\W*$", re.I)
"""A figure of all that is held, as one."""


def _say_no_whole(desk: ToolDesk, asked: FactQuestion, *, ranked: bool) -> list[str]:
    """Return that all holdings together have no figure, where it is asked for."""
    if not ranked or not _OF_WHOLE.search(asked.words) or _MOST.search(asked.words):
        return []
    return [desk.speak("All holdings together have no such figure here; one by one:")]


def _say_mean(desk: ToolDesk, asked: FactQuestion, values: list[tuple[float, str]], name: str, unit: str) -> list[str]:
    """Return the mean of a figure over a list, where that is asked for."""
    if not _MEAN.search(asked.words) or _OF_MEAN.search(asked.words):
        return []
    mean = wording.say_value(desk, sum(value for value, _ in values) / len(values), unit)
    return [desk.speak("Mean of the {count}: **{mean}** ({name}).", count=len(values), mean=mean, name=name)]


def _rank_watched(desk: ToolDesk, asked: FactQuestion, watched: _Watched) -> Work[Reply]:
    speak, (rows, missing) = desk.speak, watched
    left_out = {each.code for each in asked.securities if each.symbol.kind != "index"}
    rows = [row for row in rows if row[0] not in left_out]
    if not rows:
        nothing = reply_of_lines(speak("You hold nothing of which a price is stored."))
        return nothing if asked.facts[0].field == "held" else (yield from _list_watched(desk, asked, watched))
    wanted = next((each for each in market_table(desk.tables).ranks if each.words.search(asked.words)), None)
    values: list[tuple[float, str]] = []
    newest = max(str(bar.get("date")) for _, bar in rows)
    from_high = wanted is not None and wanted.id == _FROM_HIGH
    if from_high:
        asked = replace(asked, spans=tuple(each for each in asked.spans if not _YEARLONG.search(each.said)))
    if wanted is not None and (span := wording.other_day(asked, newest)):
        return wording.refuse_time(desk, speak("the watch list"), span, newest)
    if wanted is None:
        if not re.search(
            r"涨|跌|惨|猛|表现|强|弱|好|差|收益|回报|return|change|rose|fell|gain|los|best|worst|strong|weak"
            r"|perform|top|mov|up|down|drop|declin|climb",
            asked.words,
            re.I,
        ):
            if asked.facts[0].field != "held" and not _MOST.search(asked.words):
                return (yield from _list_watched(desk, asked, watched))
            return reply_of_lines(speak("By which figure? For example P/E or the change of the day."))._replace(
                understood=False
            )
        rows, refused = yield from _changes_then(desk, asked, rows)
        if refused:
            return refused
        values = [(float(bar["change_pct"]), symbol) for symbol, bar in rows if bar.get("change_pct") is not None]
        newest = str(max(rows, key=lambda row: str(row[1].get("date")))[1].get("date"))
        name, unit = speak("change") if asked.spans else speak("change of the day"), "percent"
    elif wanted.code:
        values = yield from _compute_values(desk, wanted.code, [symbol for symbol, _ in rows[:MOST_LISTED]])
        name, unit = speak.fill(wanted.name), wanted.unit
    else:
        values = yield from stored_figures(desk, wanted.field, [symbol for symbol, _ in rows])
        name, unit = speak.fill(wanted.name), wanted.unit
    if not values:
        return reply_of_lines(speak("That figure is not stored of any of them."))
    bars_of = dict(rows)
    if wanted is None and (moved := (yield from _answer_moves(desk, asked, rows))):
        return moved
    _sort_values(values, asked.words, by_change=wanted is None, from_high=from_high)
    ordered = values
    if (place := read_place(asked.words)) > len(values):
        return reply_of_lines(speak("There is no number {place} among {count}.", place=place, count=len(values)))
    values = values[place - 1 :]
    newest = str(bars_of[values[0][1]].get("date")) if wanted is None or wanted.code else newest
    others = {
        s: str(bar.get("date")) for s, bar in rows if (wanted is None or wanted.code) and str(bar.get("date")) != newest
    }
    desk.ranked += [values[0][1]]
    told = [
        f"{wording.security_name(desk, symbol, bars_of[symbol].get('name'))} "
        + (wording.say_percent(value) if wanted is None else wording.say_value(desk, value, unit))
        + (speak(" ({date})", date=others[symbol]) if symbol in others else "")
        for value, symbol in values
    ]
    mark = wording.simulated_mark(desk, any(bar.get("simulated") for _, bar in rows))
    lines = [*_say_mean(desk, asked, values, name, unit), f"**{told[0]}** ({name}, {newest}){mark}"]
    if wanted is None and (none := _say_none(desk, asked, [value for value, _ in values])):
        lines.insert(0, none)
    lines = [*_say_no_whole(desk, asked, ranked=wanted is not None), *lines]
    if len(told) > 1:
        more = [speak("{count} more (`ia watch list`)", count=len(told) - MOST_TOLD)] if len(told) > MOST_TOLD else []
        lines.append(speak("Then: {rest}.", rest=speak.join_clauses([*told[1:MOST_TOLD], *more])))
    unknown = [*missing, *(symbol for symbol, _ in rows if symbol not in [each for _, each in ordered])]
    if unknown:
        lines.append(speak("Not known of: {names}.", names=speak.join_items(unknown)))
    return reply_of_lines(*lines)


def answer_group(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what is in a group of the watch list, which groups there are, or in which one a security is."""
    speak = desk.speak
    groups = yield from group_facts.load_groups(desk)
    if not groups:
        return reply_of_lines(speak("The watch list has no groups: `ia watch add SYMBOL --group NAME` makes one."))
    members = {}
    for group in groups:
        members[group] = yield from group_facts.list_codes(desk, group)
    if asked.securities:
        return reply_of_lines(
            *(
                speak("{name} is in the group **{group}**.", name=wording.head_of(desk, mention),
                      group=speak.join_items(own))
                if (own := [group for group, codes in members.items() if mention.code in codes])
                else speak("{name} is in no group of the watch list.", name=wording.head_of(desk, mention))
                for mention in asked.securities
            )
        )  # fmt: skip
    if _UNGROUPED.search(asked.words):
        return (yield from _list_ungrouped(desk, {code for codes in members.values() for code in codes}))
    named = yield from group_facts.find_group(desk, asked.words)
    if named:
        ranked = _RANKED.search(group_facts.name_form(named).sub(" ", asked.words.casefold()))
        answer = answer_watch_rank if ranked else answer_watch
        done = yield from answer(desk, asked)
        if named not in [name for _, name in industry_forms(named, (), desk.tables)]:
            return done
        other = speak("{name} is an industry, too: ask “how is the sector {name} today”.", name=named)
        return done._replace(lines=[*done.lines, other], points=[*done.points, other])
    told = [
        speak("- {group}: {names}", group=group,
              names=speak.join_items([wording.name_alone(desk, code, None) for code in codes]))
        for group, codes in members.items()
    ]  # fmt: skip
    if _WHICH.search(asked.words):
        head = PluralText("**{count} group** on the watch list:", "**{count} groups** on the watch list:")
        return reply_of_lines(speak(head, count=len(groups)), *told)
    return reply_of_lines(speak("The watch list has no such group; it has these:"), *told)


_UNGROUPED = pattern(
    r"(?:没有?|未|不在)(?:任何|放进?|归到?|分到?|进|加入?)*(?:哪个|什么)?(?:分?组|归类|分类)"
    r"|\b(?:no|without(?: an?)?|not in (?:an?|any)|outside (?:any|the)|aren't in (?:an?|any)) groups?\b|\bungrouped\b",
    re.I,
)
"""Words for what of the watch list is in no group."""


def _list_ungrouped(desk: ToolDesk, grouped: set[str]) -> Work[Reply]:
    """Return what of the watch list is in none of its groups."""
    speak, listed = desk.speak, (yield from desk.one("watch.list"))
    rows = [row for row in wording.rows_of(listed, "items") if row.get("symbol") not in grouped]
    if not rows:
        return reply_of_lines(speak("**Everything** on the watch list is in a group."))
    names = [wording.security_name(desk, str(row["symbol"]), None) for row in rows]
    head = PluralText("**{count} security** of the watch list is in no group:",
                      "**{count} securities** of the watch list are in no group:")  # fmt: skip
    return reply_of_lines(speak(head, count=len(rows)), *(f"- {name}" for name in names))


ANSWERS = {
    "watch": answer_watch,
    "watch_rank": answer_watch_rank,
    "watch_group": answer_group,
}
