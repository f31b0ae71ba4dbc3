"""Facts that are computed from closes: correlation, beta, Sharpe ratio, against an index; stop, size and levels."""

import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import UNIT, Size, find_size
from ia.agent.analyst.ask.facts import FactQuestion, security_table
from ia.agent.analyst.ask.figures import stretch_of
from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE, RANGE, SESSIONS, SINCE, TimeSpan
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import read_value
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import date_facts, wording
from ia.agent.analyst.jobs.facts.bar_rows import SpanBars, load_span, load_spans, rows_of, stale_note
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.performance.ratios import SESSIONS_A_YEAR, sharpe_ratio
from ia.domain.rules.lots import find_lot
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

YEAR = 250
"""Sessions of a year."""
_LAST_YEAR = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=YEAR)
_LAST_SESSION = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=1)
FEW = 20
"""Returns below which no relation is computed."""
INDEX_OF = {"CN": "000300.SH", "HK": "HSI.HK", "US": "SPY.US"}
"""Market -> the security that stands for it."""
ATR_STOP = 2


class Closes(NamedTuple):
    """The closes of a security: date -> close, as total returns (qfq); last: the date of its newest bar.

    missed  the sessions after it, which have no bar
    """

    by_date: dict[str, float]
    simulated: bool
    last: str
    missed: tuple[str, ...]


def _load_closes(desk: ToolDesk, mentions: Sequence[Mention], span: TimeSpan | None) -> Work[list[Closes | DeskResult]]:
    """Return the closes of a stretch of time, of a year where none is named; the result that failed where none came."""
    loaded = yield from load_spans(desk, mentions, span or _LAST_YEAR)
    return [
        each
        if isinstance(each, DeskResult)
        else Closes({row.date: row.close for row in each.with_base}, each.simulated, each.last, each.missed)
        for each in loaded
    ]


def _returns(one: Closes, other: Closes) -> tuple[list[str], list[float], list[float]]:
    """Return the days that both traded on, and the daily returns of each between them."""
    days = sorted(one.by_date.keys() & other.by_date.keys())
    pairs = list(pairwise(days))
    return (
        days,
        [one.by_date[b] / one.by_date[a] - 1 for a, b in pairs],
        [other.by_date[b] / other.by_date[a] - 1 for a, b in pairs],
    )


_JOINED = pattern(r"和|与|跟|、|谁|哪[个只]|\b(?:and|with|between|versus|vs|which)\b", re.I)
_MARKET = pattern(r"大盘|指数|市场|基准|\b(?:market|index|benchmark)\b", re.I)


def _named_index(asked: FactQuestion, mention: Mention) -> Mention | None:
    """Return the second security of a question, else the index of the first one's market."""
    if len(asked.securities) > 1:
        return asked.securities[1]
    found = find_mentions(INDEX_OF.get(mention.symbol.market, ""))
    return found[0] if found else None


def answer_relation(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer correlation, beta, Sharpe ratio, or how a security did against an index or another one."""
    speak, mention, wanted = desk.speak, asked.securities[0], asked.facts[0].field
    span = asked.spans[0] if asked.spans else None
    if span is not None and span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    if span is not None and span.kind not in (SESSIONS, RANGE, SINCE):
        return reply_of_lines(
            speak("Over which time? Give a stretch, such as “this year” or “the last 120 days”.")
        )._replace(understood=False)
    if wanted == "sharpe":
        lines = list[str]()
        loaded = yield from _load_closes(desk, asked.securities, span)
        for each, own in zip(asked.securities, loaded, strict=True):
            if isinstance(own, DeskResult):
                lines.append(reply.describe_no_prices(desk, each.said, own.failure or NO_BARS))
            else:
                lines += _say_sharpe(desk, each, own).lines
        return reply_of_lines(*lines)
    if len(asked.securities) > 2 and wanted == "correlation":
        return (yield from _answer_related(desk, wanted, asked.securities, span))
    if len(asked.securities) > 2:
        return reply_of_lines(speak("That I compute for two at a time: name the two."))
    index = _named_index(asked, mention)
    plain = strip_mentions(asked.words)
    if len(asked.securities) == 1 and _JOINED.search(plain) and not _MARKET.search(plain):
        index = None
    if index is None or index.code == mention.code:
        return reply_of_lines(speak("With which security or index? Name it, such as 000300.SH."))
    if wanted in ("correlation", "beta"):
        return (yield from _answer_related(desk, wanted, [mention, index], span))
    own, other = yield from _load_closes(desk, [mention, index], span)
    if isinstance(own, DeskResult):
        return reply_of_lines(reply.describe_no_prices(desk, mention.said, own.failure or NO_BARS))
    if isinstance(other, DeskResult):
        return reply_of_lines(reply.describe_no_prices(desk, index.said, other.failure or NO_BARS))
    told = _say_relative(desk, (mention, index), own, other)
    notes = [stale_note(desk, each, closes.last, closes.missed) for each, closes in ((mention, own), (index, other))]
    return reply_of_lines(*told.lines, *filter(None, notes))


def _say_winner(desk: ToolDesk, rise: float, base: float, *, name: str, other: str) -> str:
    if rise > base:
        return desk.speak("{name} did better than {other}.", name=name, other=other)
    if rise < base:
        return desk.speak("{name} did worse than {other}.", name=name, other=other)
    return desk.speak("{name} did as well as {other}.", name=name, other=other)


def _too_few(desk: ToolDesk, count: int) -> Reply:
    return reply_of_lines(desk.speak("Only {count} common daily returns: too few to say.", count=count))


def _say_sharpe(desk: ToolDesk, mention: Mention, own: Closes) -> Reply:
    speak = desk.speak
    days, returns, _ = _returns(own, own)
    if len(returns) < FEW:
        return _too_few(desk, len(returns))
    sessions = SESSIONS_A_YEAR[mention.symbol.market]
    ratio = sharpe_ratio(returns, sessions).value
    if ratio is None:
        return _too_few(desk, 0)
    return reply_of_lines(
        speak(
            "{name}: Sharpe ratio {value} ({first} to {last}, {count} daily returns, a year of {sessions} sessions,"
            " risk-free rate taken as 0){mark}",
            name=wording.head_of(desk, mention),
            value=f"{ratio:.2f}",
            sessions=sessions,
            first=days[0],
            last=days[-1],
            count=len(returns),
            mark=wording.simulated_mark(desk, own.simulated),
        )
    )


def _say_relative(desk: ToolDesk, pair: tuple[Mention, Mention], own: Closes, other: Closes) -> Reply:
    days, one, _ = _returns(own, other)
    if not one:
        return _too_few(desk, 0)
    rise, base = (each.by_date[days[-1]] / each.by_date[days[0]] * 100 - 100 for each in (own, other))
    return reply_of_lines(
        _say_winner(desk, rise, base, name=wording.head_of(desk, pair[0]), other=wording.head_of(desk, pair[1])),
        desk.speak(
            "{rise} against {base}, {gap} percentage points (closes of {first} and {last}){mark}",
            rise=wording.say_percent(rise),
            base=wording.say_percent(base),
            gap=f"{rise - base:+.2f}",
            first=days[0],
            last=days[-1],
            mark=wording.simulated_mark(desk, own.simulated or other.simulated),
        ),
    )


def _answer_related(desk: ToolDesk, wanted: str, mentions: Sequence[Mention], span: TimeSpan | None) -> Work[Reply]:
    """Answer the correlation of each pair, or the beta of the first to the second, as `ia compare` has them."""
    speak = desk.speak
    found = yield from desk.one("market.compare", symbols=[each.code for each in mentions], **compare_window(span))
    newest = yield from load_spans(desk, mentions, _LAST_SESSION)
    for mention, each in zip(mentions, newest, strict=True):
        if isinstance(each, DeskResult):
            return reply_of_lines(reply.describe_no_prices(desk, mention.said, each.failure or NO_BARS))
    if not found.ok:
        return reply_of_lines(reply.describe_no_prices(desk, mentions[0].said, found.failure or NO_BARS))
    names = {each.code: wording.head_of(desk, each) for each in mentions}
    mark = wording.simulated_mark(desk, found.get("simulated"))
    lines = []
    for pair in wording.rows_of(found, "correlations"):
        value = pair.get("beta" if wanted == "beta" else "correlation")
        given: Json = {
            "name": names.get(str(pair["one"]), pair["one"]),
            "other": names.get(str(pair["other"]), pair["other"]),
            "first": pair.get("first"),
            "last": pair.get("last"),
            "count": pair["returns"],
            "mark": mark,
        }
        if value is None:
            lines += _too_few(desk, int(pair["returns"])).lines
        elif wanted == "beta":
            lines.append(
                speak(
                    "{name}: beta {value} to {other} ({first} to {last}, {count} daily returns){mark}",
                    value=f"{value:.2f}",
                    **given,
                )
            )
        else:
            lines.append(
                speak(
                    "{name} and {other}: correlation {value} of the daily returns ({first} to {last}, {count} of"
                    " them){mark}",
                    value=f"{value:.2f}",
                    **given,
                )
            )
    for mention, each in zip(mentions, newest, strict=True):
        if isinstance(each, SpanBars) and (note := stale_note(desk, mention, each.last, each.missed)):
            lines.append(note)
    return reply_of_lines(*lines)


def compare_window(span: TimeSpan | None) -> Json:
    """Return the arguments of market.compare for a stretch of time: returns that end in it."""
    if span is None:
        return {}
    if span.kind == SESSIONS:
        return {"days": max(span.sessions, 2)}
    first = span.first
    if first is not None and span.kind == SINCE:  # since a day's close
        first += timedelta(days=1)
    return {"since": f"{first}", **({"until": f"{span.last}"} if span.last is not None else {})}


def _measure(desk: ToolDesk, mention: Mention, codes: tuple[str, ...]) -> Work[tuple[list[float | None], DeskResult]]:
    """Return figures over all bars of a security, and what was fetched."""
    bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1)
    if not bars.ok:
        return [], bars
    results = yield from desk.run(*(DeskCall("compute.run", {"code": code}) for code in codes))
    return [read_value(result)[0] for result in results], bars


def _codes(desk: ToolDesk, *names: str) -> tuple[str, ...]:
    """Return the expressions of the table by their names."""
    known = security_table(desk.tables).expressions
    return tuple(known[name].code if name in known else "close" for name in names)


def answer_stop(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer where a stop can be: two average true ranges below the price, and where the own risk rule has it."""
    speak, mention = desk.speak, asked.securities[0]
    named = _MULTIPLE.search(strip_mentions(asked.words))
    times = (parse_count(named["n"].casefold()) if named else None) or ATR_STOP
    unread = tuple(word for word in asked.unread if named is None or word not in f"{named[0]} below under")
    if unread:
        return wording.ask_back(desk, unread)
    values, bars = yield from _measure(desk, mention, ("close", *_codes(desk, "typical_move", "recent_low")))
    if not bars.ok:
        return reply_of_lines(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
    close, atr, low = values
    if close is None or atr is None:
        return reply_of_lines(speak("{name}: too few bars for a stop.", name=wording.head_of(desk, mention)))
    status = yield from desk.one("account.status")
    position = wording.objects_of(status, "positions").get(mention.code)
    limit = desk.request.limits.get("stop_loss_pct")
    given: Json = {
        "name": wording.head_of(desk, mention),
        "times": f"{times:g}",
        "stop": number(close - times * atr, "price", speak),
        "move": number(atr, "price", speak),
        "close": number(close, "price", speak),
        "date": bars.get("last"),
        "pct": wording.say_percent(-times * atr / close * 100),
        "mark": wording.simulated_mark(desk, bars.get("simulated")),
    }
    told = [
        speak("{name}: **{stop}** is {times} true ranges ({move}, the average of 14 sessions) below the"
              " close of {close} ({date}), {pct} away.{mark}",
              **given)
        if named
        else speak("{name}: {stop} is twice the usual move ({move} a day) below the close of {close} ({date}), {pct}"
                   " away.{mark}", **given)
    ]  # fmt: skip
    if low is not None:
        told.append(speak("The low of the last 20 sessions is {low}.", low=number(low, "price", speak)))
    if isinstance(position, dict) and position.get("avg_price") and limit:
        cost = float(position["avg_price"])
        level = cost * (1 - limit / 100)
        told.append(
            speak(
                "{name}: your rule (stop at a loss of {limit}%) is reached at **{level}**: your average cost is"
                " {cost}.",
                name=wording.head_of(desk, mention),
                limit=f"{limit:g}",
                level=number(level, "price", speak),
                cost=number(cost, "price", speak),
            )
        )
        if named is None:
            told.insert(0, told.pop())  # the level of the own rule goes first, whatever the words
        elif _FROM_COST.search(strip_mentions(asked.words)):
            below = {"stop": number(cost - times * atr, "price", speak), "cost": number(cost, "price", speak)}
            told.insert(
                0,
                speak("{name}: **{stop}** is {times} true ranges ({move}) below your average cost of {cost}.",
                      **{**given, **below}),
            )  # fmt: skip
        if close <= level:
            told.append(speak("**The price is below that of your rule already.**"))
    elif limit:
        told.append(
            speak("Your rule stops at a loss of {limit}% of the cost; you hold none of it.", limit=f"{limit:g}")
        )
    if named is None:
        from ia.agent.analyst.jobs import own_notes

        noted = yield from own_notes.find_noted_stop(desk, mention)
        if noted is not None:
            stop, day, path = noted
            told.insert(
                0,
                speak("{name}: the stop that you noted is **{stop}** (`{path}`, {day}).",
                      name=wording.head_of(desk, mention), stop=number(stop, "price", speak), path=path, day=day),
            )  # fmt: skip
    return reply_of_lines(*told)


_FROM_COST = pattern(r"成本|买入?价|\b(?:cost|entry|purchase price|what i paid|bought at)\b", re.I)
_MULTIPLE = pattern(
    r"(?P<n>\d+(?:\.\d+)?|[一两二三四五半]|one|two|three)\s*(?:倍的?|x|×|\*|times(?: the)?)?\s*"
    r"(?:true ranges?|真实波幅|atrs?)",
    re.I,
)
"""So many average true ranges."""


def answer_levels(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which highs, lows and averages lie above and below the price."""
    speak, mention = desk.speak, asked.securities[0]
    named = [("close", ""), *((each.code, speak.fill(each.name)) for each in security_table(desk.tables).levels)]
    values, bars = yield from _measure(desk, mention, tuple(code for code, _ in named))
    if not bars.ok:
        return reply_of_lines(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
    close = values[0]
    if close is None:
        return reply_of_lines(speak("{name}: too few bars.", name=wording.head_of(desk, mention)))
    levels: dict[float, list[str]] = {}
    for value, (_, name) in zip(values[1:], named[1:], strict=True):
        if value is not None:
            levels.setdefault(round(value, 2), []).append(name)
    below = sorted((level for level in levels if level < close), reverse=True)[:3]
    above = sorted(level for level in levels if level > close)[:3]

    def tell(found: list[float]) -> str:
        return speak.join_clauses(
            [
                speak("{level} ({names})", level=number(level, "price", speak), names=speak.join_items(levels[level]))
                for level in found
            ]
        ) or speak("none within a year")

    return reply_of_lines(
        speak(
            "{name}: close {close} ({date}).{mark}",
            name=wording.head_of(desk, mention),
            close=number(close, "price", speak),
            date=bars.get("last"),
            mark=wording.simulated_mark(desk, bars.get("simulated")),
        ),
        speak("Support below: {levels}.", levels=tell(below)),
        speak("Resistance above: {levels}.", levels=tell(above)),
    )


_RISE = pattern(r"涨|拉升|走强|\b(?:ris|rose|up|jump|surg|rall|gain)", re.I)


_CLAIMED = pattern(r"(?P<n>\d+(?:\.\d+)?)\s*(?:%|％|per ?cent)", re.I)
_CHECKED = pattern(r"\bis it true\b|是真的吗|真的.{0,12}吗|是不是真的", re.I)


def answer_premise(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer why a security moved: first whether it did, then that its cause is not known here."""
    speak, mention = desk.speak, asked.securities[0]
    span = asked.spans[0] if asked.spans else None
    given: dict[str, str] = {}
    tail = 2
    if span is not None and span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    if span is not None and span.kind == SESSIONS:
        tail = min(span.sessions + 1, YEAR)
    elif span is not None and span.last is not None and f"{span.last}" != desk.request.day:
        given["end"] = f"{span.last}"
    elif span is not None and span.kind == DAY and span.first is None:
        tail = span.sessions + 2
    bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=min(tail, 120), **given)
    rows = rows_of(bars)
    if span is not None and span.kind in (RANGE, SINCE, SESSIONS):
        found = yield from load_span(desk, mention, span)
        if isinstance(found, DeskResult):
            return reply_of_lines(reply.describe_no_prices(desk, mention.said, found.failure or NO_BARS))
        if found.base is None:
            return reply_of_lines(speak("“{time}” begins before the bars that I can look at here.", time=span.said))
        rows = found.with_base
    if not bars.ok or len(rows) < 2:
        return reply_of_lines(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
    if span is not None and span.kind == DAY and span.first is None:
        rows = rows[:2]
    first, last = rows[0], rows[-1]
    change = last.close / first.close * 100 - 100
    rose, said = change > 0, bool(_RISE.search(asked.words))
    fact = speak(
        "{name}: {change}, from {start} ({first}) to {close} ({last}){mark}.",
        name=wording.head_of(desk, mention),
        change=wording.say_percent(change),
        start=number(first.close, "price", speak),
        first=first.date,
        close=number(last.close, "price", speak),
        last=last.date,
        mark=wording.simulated_mark(desk, bars.get("simulated")),
    )
    lines = [fact]
    claimed = _CLAIMED.search(strip_mentions(asked.words))
    checks = _CHECKED.search(asked.words)
    if change and rose != said:
        lines.insert(0, speak("It did not fall: it rose.") if rose else speak("It did not rise: it fell."))
    elif claimed and abs(abs(change) - float(claimed["n"])) > max(0.5, float(claimed["n"]) / 10):
        lines.insert(0, speak("Not by {said}%: by {change}.", said=claimed["n"], change=wording.say_percent(change)))
    elif checks:
        lines.insert(0, speak("Yes."))
    if checks:
        return reply_of_lines(*lines)
    lines.append(speak("The cause I do not know."))
    news = yield from date_facts.list_items(desk, mention, rows[1].date, last.date)
    return reply_of_lines(*lines, *news)


_AVERAGE = pattern(
    r"(?P<n>\d{1,3})\s*-?\s*(?:日|天|day|session)|ma\s*(?P<m>\d{1,3})|(?P<half>半年线)|(?P<year>年线)", re.I
)


def answer_against_average(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the close is above or below an average."""
    speak, lines = desk.speak, []
    found = list(_AVERAGE.finditer(asked.words))
    if not found:
        return reply_of_lines(speak("Above or below which average? For example the 60-day average."))
    sizes = list(
        dict.fromkeys(250 if each["year"] else 120 if each["half"] else int(each["n"] or each["m"]) for each in found)
    )
    if wrong := [size for size in sizes if not 1 < size <= 500]:
        said = f"{wrong[0]}"
        return reply_of_lines(
            speak("That I answer for the newest close and averages of 2 to 500 days, not for “{said}”.", said=said)
        )
    if asked.spans:
        if len(sizes) > 1:
            return wording.ask_back(desk, (found[1][0],))
        from ia.agent.analyst.jobs.facts import past_technicals

        return (yield from past_technicals.answer_average_then(desk, asked, sizes[0]))
    for mention, size in [(each, size) for each in asked.securities[:3] for size in sizes[:MOST_AVERAGES]]:
        mean_code = _codes(desk, "average")[0].replace("{size}", f"{size}")
        values, bars = yield from _measure(
            desk, mention, ("close", mean_code, f"close.iloc[-2] - ({mean_code}).iloc[-2]")
        )
        if not bars.ok:
            lines.append(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
            continue
        close, mean, before = values
        if close is None or mean is None:
            lines.append(speak("{name}: too few bars.", name=wording.head_of(desk, mention)))
            continue
        mark = wording.simulated_mark(desk, bars.get("simulated"))
        lines.append(wording.say_against_average(desk, mention, size, (close, mean), str(bars.get("last")), mark))
        if before is not None and (before > 0) != (close > mean):
            lines.append(speak("It crossed it with this bar."))
    return reply_of_lines(*lines)


MOST_AVERAGES = 4
"""Averages of one answer."""
TREND = (20, 60, 200)
"""Sessions of the averages that tell a trend."""


def answer_trend(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a security is in an uptrend: its close against the averages, and the order of these."""
    speak, lines, down = desk.speak, [], bool(_DOWNTREND.search(asked.words))
    if asked.spans and (span := wording.other_day(asked, desk.request.day)):
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    means = tuple(_codes(desk, "average")[0].replace("{size}", f"{size}") for size in TREND)
    for mention in asked.securities[:3]:
        values, bars = yield from _measure(desk, mention, ("close", *means))
        if not bars.ok:
            lines.append(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
            continue
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            lines.append(speak("{name}: too few bars.", name=wording.head_of(desk, mention)))
            continue
        close, short, middle, long = known
        up, sinks = close > long and short > middle, close < long and short < middle
        given: Json = {"name": wording.head_of(desk, mention), "date": bars.get("last"),
                       "mark": wording.simulated_mark(desk, bars.get("simulated"))}  # fmt: skip
        lines.append(
            speak("{name}: **yes, an uptrend** ({date}){mark}.", **given) if up and not down
            else speak("{name}: **yes, a downtrend** ({date}){mark}.", **given) if sinks and down
            else speak("{name}: **no, an uptrend** ({date}){mark}.", **given) if up
            else speak("{name}: **no, a downtrend** ({date}){mark}.", **given) if sinks
            else speak("{name}: **neither an uptrend nor a downtrend** ({date}){mark}.", **given)
        )  # fmt: skip
        gaps = [
            speak("{size} days {mean} ({gap})", size=size, mean=number(mean, "price", speak),
                  gap=wording.say_percent(close / mean * 100 - 100))
            for size, mean in zip(TREND, known[1:], strict=True)
        ]  # fmt: skip
        lines.append(
            speak("Close {close}; averages, and the close against them: {gaps}.",
                  close=number(close, "price", speak), gaps=speak.join_clauses(gaps))
        )  # fmt: skip
    lines.append(
        speak(
            "Uptrend: the close above the 200-day average and the 20-day average above the 60-day one;"
            " downtrend: both below."
        )
    )
    return reply_of_lines(*lines)


_DOWNTREND = pattern(r"空头排列|(?:下降|下跌|下行)(?:趋势|通道)|\bdown[- ]?trend", re.I)


_LONGEST = pattern(r"最[多长久]|\b(?:longest|most|record)\b", re.I)


def answer_streak(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer for how many sessions in a row a security rose or fell."""
    speak, lines = desk.speak, []
    if asked.spans or _LONGEST.search(asked.words):
        from ia.agent.analyst.jobs.facts import past_technicals

        return (yield from past_technicals.answer_longest_streak(desk, asked))
    mentions = asked.securities[:3]
    for mention, own in zip(mentions, (yield from _load_closes(desk, mentions, None)), strict=True):
        if isinstance(own, DeskResult):
            lines.append(reply.describe_no_prices(desk, mention.said, own.failure or NO_BARS))
            continue
        closes = [own.by_date[day] for day in sorted(own.by_date)]
        signs = [(b > a) - (b < a) for a, b in pairwise(closes)]
        count = next((at for at, sign in enumerate(reversed(signs)) if sign != signs[-1]), len(signs)) if signs else 0
        given: Json = {
            "name": wording.head_of(desk, mention),
            "count": count,
            "change": wording.say_percent(closes[-1] / closes[-1 - count] * 100 - 100) if count else "–",
            "first": sorted(own.by_date)[-count] if count else "–",
            "date": max(own.by_date),
            "mark": wording.simulated_mark(desk, own.simulated),
        }
        if not signs or not signs[-1]:
            lines.append(speak("{name}: unchanged on {date}{mark}.", **given))
        elif signs[-1] > 0:
            lines.append(
                speak("{name}: up {count} sessions in a row, {first} to {date}, {change} together{mark}.", **given)
                if count > 1
                else speak("{name}: up on {date}, {change}; not on the session before{mark}.", **given)
            )
        else:
            lines.append(
                speak("{name}: down {count} sessions in a row, {first} to {date}, {change} together{mark}.", **given)
                if count > 1
                else speak("{name}: down on {date}, {change}; not on the session before{mark}.", **given)
            )
    return reply_of_lines(*lines)


_BOUND = pattern(
    rf"(?:超过?|大于|高于|不止|over|more than|above|by)\s*(?P<n>{COUNT})\s*(?:%|％|个?百分?点|per ?cent|$)"
    rf"|(?P<m>{COUNT})\s*(?:%|％|个?百分?点|per ?cent)\s*(?:以上|or more)",
    re.I,
)
_UP = pattern(r"涨|阳|\b(?:ris|rose|up\b|gain|positive|green|higher|advanc)", re.I)
_FALL = pattern(r"跌|阴|\b(?:f[ae]ll|drop|down|los[et]|declin|lower\b|negative|red)", re.I)


_DIRECTED = pattern(
    r"[涨跌阳阴红绿连]"
    r"|\b(?:ris\w*|rose|up|gain\w*|positive|green|higher|advanc\w*|f[ae]ll\w*|drop\w*|down|los\w+|declin\w*|negative|red|lower"
    r"|win\w*|won|climb\w*|jump\w*|streak|in a row|running|straight|plus|minus|profit|went|moved?)\b",
    re.I,
)
"""Days are counted by which way the price went."""


def answer_day_count(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on how many days of a stretch of time a security rose or fell, by more than a bound where one is named."""
    speak, lines = desk.speak, []
    plain = strip_mentions(asked.words)
    bound = _BOUND.search(plain)
    unread = tuple(
        said for said in asked.unread if (bound is None or said not in bound[0]) and not _SHARE.fullmatch(said)
    )
    if unread or len(asked.spans) > 1:
        return wording.ask_back(desk, unread or (asked.spans[1].said,))
    if bound is None and not _DIRECTED.search(plain):
        return wording.ask_back(desk, (plain.strip(" ?？"),))
    if not asked.spans and bound is None:
        return (yield from answer_streak(desk, asked))
    span = asked.spans[0] if asked.spans else None
    if span is None or span.kind not in (SESSIONS, RANGE, SINCE, EVER):
        return reply_of_lines(
            speak("Over which time? Give a stretch, such as “this year” or “the last 120 days”.")
        )._replace(understood=False)
    least = (parse_count((bound["n"] or bound["m"]).casefold()) or 0) if bound else 0
    falls = bool(_FALL.search(plain))
    both = falls and not least and bool(_UP.search(plain))
    either = bool(least) and (falls == bool(_UP.search(plain)))
    where = stretch_of(span).where
    beyond = f"(roc(close, 1) < {-least:g})" if falls else f"(roc(close, 1) > {least:g})"
    if either:
        beyond = f"(roc(close, 1).abs() > {least:g})"
    for mention in asked.securities[:3]:
        rises = f"(roc(close, 1) > 0)[{where}].sum()"
        codes = (f"{beyond}[{where}].sum()", f"close[{where}].count()", rises)
        values, bars = yield from _measure(desk, mention, codes if both else codes[:2])
        if not bars.ok:
            lines.append(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
            continue
        count, days = values[:2]
        if count is None or not days:
            lines.append(speak("{name}: too few bars.", name=wording.head_of(desk, mention)))
            continue
        given: Json = {
            "name": wording.head_of(desk, mention),
            "count": int(count),
            "days": int(days),
            "bound": f"{least:g}",
            "time": span.said if span.first is None else f"{span.first} – {span.last}",
            "mark": wording.simulated_mark(desk, bars.get("simulated")),
        }
        if both:
            lines.append(
                speak(
                    "{name}: up on **{ups}**, down on **{count}** of {days} sessions ({time}){mark}",
                    ups=int(values[2] or 0),
                    **given,
                )
            )
        elif either:
            moved = "{name}: moved by more than {bound}%, up or down, on **{count}** of {days} sessions ({time}){mark}"
            lines.append(speak(moved, **given))
        elif falls and least:
            lines.append(
                speak("{name}: down by more than {bound}% on **{count}** of {days} sessions ({time}){mark}", **given)
            )
        elif falls:
            lines.append(speak("{name}: down on **{count}** of {days} sessions ({time}){mark}", **given))
        elif least:
            lines.append(
                speak("{name}: up by more than {bound}% on **{count}** of {days} sessions ({time}){mark}", **given)
            )
        else:
            lines.append(speak("{name}: up on **{count}** of {days} sessions ({time}){mark}", **given))
        lines += [] if both else _say_share(desk, plain, count / days)
        listed = _WHICH_DAYS.search(plain) is not None and not both
        if listed or days <= _FEW_DAYS:
            found = yield from load_span(desk, mention, span)
            way = (-1 if falls else 1) if listed else 0
            lines += _name_days(desk, found, way, least, either=listed and either)
    return reply_of_lines(*lines)


def _say_share(desk: ToolDesk, plain: str, share: float) -> list[str]:
    """Return which part of the sessions days are, where a question asks for that."""
    asked = _SHARE.search(plain) is not None
    return [desk.speak("That is **{share}%** of the sessions.", share=f"{share * 100:.1f}")] if asked else []


_SHARE = pattern(
    r"占比|比例|百分之几|几成|概率|\bwhat percent\b|\b(?:percent(?:age)?|share) of (?:the )?(?:days|sessions)\b"
    r"|\b(?:proportion|fraction)\b",
    re.I,
)
_WHICH_DAYS = pattern(r"哪(?:几|些)[天日]|\b(?:which|what) (?:\w+ )?(?:days|sessions)\b", re.I)
_MOST_DAYS = 10
"""Days that an answer names."""
_FEW_DAYS = 6
"""Days of a stretch that are so few that each is told: a week."""


def _name_days(
    desk: ToolDesk, found: SpanBars | DeskResult, way: int = 0, least: float = 0, *, either: bool = False
) -> list[str]:
    """Return the newest days of a stretch that rose or fell by more than a bound, with their changes.

    With neither a way nor a bound, each day of it.
    """
    if isinstance(found, DeskResult):
        return []
    moves = [(b.date, b.close / a.close * 100 - 100) for a, b in pairwise(found.with_base)]
    every = not way and not either
    days = [(day, move) for day, move in moves if every or (abs(move) if either else move * way) > least]
    shown = desk.speak.join_items([f"{day} {move:+.2f}%" for day, move in days[-_MOST_DAYS:]])
    if len(days) > _MOST_DAYS:
        return [desk.speak("The last of them: {listed}.", listed=shown)]
    return [shown] if days else []


_MONEY = pattern(rf"(?P<n>{COUNT})\s*(?:{UNIT}|(?=.{{0,8}}(?:能|可以)))", re.I)


_BARE = pattern(r"(?<![\d.,])\d[\d,]*(?![\d.,]*\s*(?:%|％|k\b|w\b|万|千|亿))")


def names_money(words: str) -> bool:
    """Return True if words name an amount of money for the fees of a trade, and no number of shares.

    >>> names_money("fees to buy for 5,000 yuan"), names_money("fees to buy 100 shares at 20 yuan")
    (True, False)
    """
    named = _MONEY.search(words) and _FEES.search(words) and not _AT_PRICE.search(words)
    return find_size(words) is None and bool(named)


_WEIGHT_AFTER = pattern(r"占(?:比|多少|到?几成)|比重|权重|\b(?:weight|(?:share|part|percent(?:age)?) of my)\b", re.I)
"""What part of the account a purchase would be."""


def answer_order_cost(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a number of shares costs at the newest price, or how many an amount of money buys."""
    if not asked.securities:
        return wording.ask_back(desk, (desk.request.question,))
    speak, mention = desk.speak, asked.securities[0]
    if any(span.first is not None and f"{span.first}" < desk.request.day for span in asked.spans):
        from ia.agent.analyst.jobs.facts import ledger_facts

        return (yield from ledger_facts.answer_last_fees(desk, asked))
    plain = strip_mentions(asked.words)
    if _WEIGHT_AFTER.search(plain):
        from ia.agent.analyst.jobs.facts import size_facts

        return (yield from size_facts.answer_size(desk, asked))
    size, money = find_size(plain), _MONEY.search(plain)
    if size is None and money is None and len(bare := list(_BARE.finditer(plain))) == 1:  # 200 Moutai
        size = Size(float(bare[0][0].replace(",", "")), False, bare[0].span())
    values, bars = yield from _measure(desk, mention, ("close",))
    if not bars.ok:
        return reply_of_lines(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
    close = values[0]
    amount = parse_count(money["n"].casefold()) if money and not size else None
    currency = {"CN": "CNY", "HK": "HKD", "US": "USD"}.get(mention.symbol.market, "")
    given: Json = {
        "name": wording.head_of(desk, mention),
        "close": number(close, "price", speak),
        "date": bars.get("last"),
        "mark": wording.simulated_mark(desk, bars.get("simulated")),
    }
    if close and size:
        shares = size.shares_of(mention.symbol)
        if shares is None:
            return reply_of_lines(wording.say_lot_unknown(desk, mention))
        if _FEES.search(plain):
            return (yield from _answer_fees(desk, mention, shares, "sell" if _SOLD.search(plain) else "buy", plain))
        return reply_of_lines(
            speak(
                "{name}: {shares} shares are {amount} at {close} ({date}), without fees{mark}.",
                shares=f"{shares:,g}", amount=wording.say_money(desk, shares * close, currency=currency), **given,
            )
        )  # fmt: skip
    if close and amount:
        rule = find_lot(mention.symbol, str(bars.get("last")))
        if rule is None and mention.symbol.market == "HK":
            return reply_of_lines(wording.say_lot_unknown(desk, mention))
        lot = int(rule.step) if rule else 1
        shares = int(amount / close / lot) * lot
        if shares and _FEES.search(plain):
            lines = list[str]()
            for action, said in (("buy", _BOUGHT.search(plain)), ("sell", _SOLD.search(plain))):
                if said or (action == "buy" and not _SOLD.search(plain)):
                    told = yield from _answer_fees(desk, mention, shares, action, plain)
                    lines += [line for line in told.lines if line not in lines]
            return reply_of_lines(*lines)
        return reply_of_lines(
            speak(
                "{name}: {amount} buy {shares} shares ({spent}) at {close} ({date}), in lots of {lot}, without"
                " fees{mark}.",
                amount=wording.say_money(desk, amount, currency=currency), shares=f"{shares:,}",
                spent=wording.say_money(desk, shares * close, currency=currency), lot=lot, **given,
            )
        )  # fmt: skip
    return reply_of_lines(speak("{name}: how many shares, or for how much money?", **given))


_FEES = pattern(r"费|佣金|印花税|\b(?:fees?|commissions?|costs? to trade|stamp duty|charges?)\b", re.I)
_SOLD = pattern(r"卖|\bs(?:ell|elling|ale|old)\b", re.I)
_AT_PRICE = pattern(r"\bat \d|@|(?:元|块)(?:的?价|一股|每股|时)|每股", re.I)
"""Money that is the price of a share."""
_SAID_PRICE = pattern(
    r"(?:\bat|@) ?(?P<n>\d[\d,]*(?:\.\d+)?)|(?P<m>\d+(?:\.\d+)?)(?:元|块)(?:的?价|一股|每股|时)", re.I
)
"""The price of a share that a question supposes."""
_BOUGHT = pattern(r"买|\b(?:buy\w*|bought|purchas\w*)\b", re.I)


_TOTAL = pattern(
    r"要?花多少|一共(?:要|得)?多少钱|总共(?:要|得)?多少钱|连(?:上)?(?:手续费|费用)|含(?:手续)?费|加上?(?:手续费|费用)|到手|能拿"
    r"|\b(?:including|included|with) (?:the )?fees\b|\bfees included\b|\ball in\b|\bafter fees\b|\bin total\b",
    re.I,
)
"""Words that ask for the amount with its fees, not for the fees alone."""


def _answer_fees(desk: ToolDesk, mention: Mention, shares: float, action: str, words: str) -> Work[Reply]:
    """Answer what the fees of a trade would be at the newest price."""
    speak = desk.speak
    said = _SAID_PRICE.search(words)
    price = {"price": float((said["n"] or said["m"]).replace(",", ""))} if said else {}
    check = yield from desk.one("risk.check", symbol=mention.code, quantity=int(shares), action=action, **price)
    if check.failure is not None or check.get("fees") is None:
        return wording.unreadable(desk, speak("the fees"), check.failure or NO_BARS)
    currency = str(check.get("currency") or "")
    given: Json = {
        "name": wording.head_of(desk, mention),
        "shares": f"{int(shares):,}",
        "fees": wording.say_money(desk, check.get("fees"), currency=currency),
        "amount": wording.say_money(desk, check.get("amount"), currency=currency),
        "close": number(check.get("price"), "price", speak),
        "date": speak("supposed") if said else check.get("date"),
        "mark": wording.simulated_mark(desk, check.get("simulated")),
    }
    amount = wording.figure_of(check.value, "amount") if isinstance(check.value, dict) else None
    if amount is not None and _TOTAL.search(words):
        net = amount + float(check.get("fees")) * (-1 if action == "sell" else 1)
        told_net = wording.say_exact(desk, net, currency=currency)
        return reply_of_lines(
            speak("{name}: **{net}** for the sale of {shares} shares after fees of {fees} ({amount} at {close},"
                  " {date}){mark}.", net=told_net, **given) if action == "sell"
            else speak("{name}: **{net}** for {shares} shares with fees of {fees} ({amount} at {close}, {date}){mark}.",
                       net=told_net, **given)
        )  # fmt: skip
    told = (
        speak("{name}: fees of **{fees}** to sell {shares} shares ({amount} at {close}, {date}){mark}.", **given)
        if action == "sell"
        else speak("{name}: fees of **{fees}** to buy {shares} shares ({amount} at {close}, {date}){mark}.", **given)
    )
    rules = yield from desk.one("trade.rules", market=mention.symbol.market)
    agreed = rules.get("commission") if rules.ok else None
    unknown = isinstance(agreed, dict) and not agreed.get("known")
    return reply_of_lines(
        told,
        *(
            [speak("Your commission in this market is not set; ia uses `ledger.commission_pct`. Set yours with"
                   " `ia config set ledger.commission_{market} …`.", market=mention.symbol.market.lower())]
            if unknown and mention.symbol.market != "CN"
            else []
        ),
    )  # fmt: skip


ANSWERS = {
    "premise": answer_premise,
    "relation": answer_relation,
    "streak": answer_streak,
    "trend": answer_trend,
    "day_count": answer_day_count,
    "against_average": answer_against_average,
    "order_cost": answer_order_cost,
    "stop": answer_stop,
    "levels": answer_levels,
}
