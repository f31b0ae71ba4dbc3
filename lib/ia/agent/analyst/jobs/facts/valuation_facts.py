"""How securities are valued: P/E, P/B, ROE, dividend yield; their place in their past and industry; comparisons."""

import math
import operator
import re
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion, FactSpec, industry_forms
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.screens import COLUMNS, ScreenColumn, parse_bounds
from ia.agent.analyst.ask.time_spans import EVER, FUTURE
from ia.agent.analyst.desk import DeskCall, DeskResult, Failure, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 5
"""Securities that one answer is about."""
_YEAR = 250
"""Sessions of a year."""
LEAST_DAYS = 250
"""Stored days below which a multiple has no rank in its own past."""
COMPARES = pattern(
    r"哪[一]?[只个家支]|谁|更|[比较].{0,12}[高低贵便大小多少好差]|[高低大小]于|最|相差|差(?:多少|几|距|额|值)|倍"
    r"|\b(?:which|who|than|or|cheaper|pricier|higher|lower|larger|smaller|bigger|better|more|less|faster|slower|cheapest|highest|lowest|vs|difference|differ|gap|times)\b",
    re.I,
)
"""Words that want securities held against each other."""
_LOW = pattern(
    r"[更最较]?(?:低|小|少|便宜|差|慢)(?!估)|低估|\b(?:lower|lowest|smaller|smallest|cheap(?:er|est)?|less|least|slower|slowest|worse|worst|under-?valued)\b",
    re.I,
)
_HIGH = pattern(
    r"[更最较]?(?:高|大|多|贵|好|快)|高估|\b(?:higher|highest|larger|largest|bigger|biggest|faster|fastest|more|most|better|best|expensive|pricier|over-?valued)\b",
    re.I,
)
_YES_OR_NO = pattern(
    r"[吗么][?？]?\W*$|是不是|是否|\b(?:is|are|does|do|has|have)\b.{0,60}\bthan\b|比.{1,14}[高低贵便大小多少].{0,3}[吗么?？]",
    re.I,
)
_HOW_FAR = pattern(r"\bhow (?:much|many|far)\b|\bwhich\b|哪|谁", re.I)
_PAST = pattern(
    r"分位|历史|自己的?过去|自身|(?:比|跟|和|与|较|相对)(?:它?自己|以前|过去|往年|从前)"
    r"|percentile|history|historical|\b(?:its|own|the) past\b|\bever\b",
    re.I,
)
_PLACE = pattern(r"高不高|高吗|低吗|低不低|算[高低]|偏[高低]|high\b|low\b", re.I)

LEAST_PEERS = 5
"""Shares of an industry, it among them, below which a place in it says nothing."""


MEAN = pattern(r"平均(?:值|数|下来)?|均值|\b(?:average|mean|avg)\b", re.I)
"""Asks for the mean of a figure of several securities."""
_PLAIN = pattern(r"[-+]?[\d,.]+(?P<percent>%?)")
"""A number that is told without a unit."""


class Compared(NamedTuple):
    """A figure of a security, as it is and as it is said. currency: of an amount; "" for other figures."""

    mention: Mention
    value: float | None
    said: str
    currency: str = ""


def say_comparison(desk: ToolDesk, asked: FactQuestion | Intent, name: str, sides: Sequence[Compared]) -> list[str]:
    """Return which of several securities has more or less of a figure: the answer to a question that compares them.

    [] where the question does not compare, or a figure is not known of two of them.
    """
    speak, known = desk.speak, [side for side in sides if side.value is not None]
    if len(sides) > 1 and MEAN.search(asked.words):
        return _say_mean(desk, name, sides)
    if len(sides) < 2 or not COMPARES.search(asked.words):
        return []
    if len(known) < 2:
        return [speak("They cannot be compared: {name} is not known of each.", name=name)]
    if len({side.currency for side in known}) > 1:
        return [speak("They cannot be compared: {name} is in different currencies.", name=name)]
    words = _GAP_WORDS.sub(" ", asked.words)
    down = bool(_LOW.search(words)) and not re.search(
        r"最[高贵大多]|更[高贵大多]|比.{1,8}[高贵大多]|highest|higher|pricier", words, re.I
    )
    gap = _say_gap(desk, known) or _say_times(desk, asked, known)
    return [_say_first(desk, asked, name, known, down=down, unknown=len(sides) - len(known)) + gap]


_GAP_WORDS = pattern(r"相?差(?:了|别|距|值|额|异)?(?=多|几|\W*$)|多少")
"""Words for a difference, which say of none that it is low."""
_HOW_FAR_APART = pattern(
    r"倍|差|[高低多少大小贵](?:出|了)?(?:多少|几)|\b(?:times|difference|differ\w*|gap|how much (?:more|less|higher"
    r"|lower|bigger|larger|smaller|cheaper)|by how much|how many times|multiple)\b",
    re.I,
)


def _say_times(desk: ToolDesk, asked: FactQuestion | Intent, known: list[Compared]) -> str:
    """Return how many times one figure is the other, and the difference, where that is asked of two figures."""
    values = [side.value or 0 for side in known]
    if len(known) != 2 or min(values) <= 0 or not _HOW_FAR_APART.search(asked.words):
        return ""
    one, other = values
    given = {
        "name": display_name(desk, known[0].mention), "rest": display_name(desk, known[1].mention),
        "times": f"{one / other:.2f}", "gap": wording.say_money(desk, abs(one - other)) + known[0].currency,
    }  # fmt: skip
    return desk.speak(" {name} has {times} times that of {rest}; difference: {gap}.", **given)


def _say_gap(desk: ToolDesk, known: list[Compared]) -> str:
    """Return how far two percentages are apart; "" for other figures."""
    said = [_PLAIN.fullmatch(side.said) for side in known]
    if len(known) != 2 or not all(each and each["percent"] for each in said):
        return ""
    gap = abs((known[0].value or 0) - (known[1].value or 0))
    told = abs(float(known[0].said.rstrip("%")) - float(known[1].said.rstrip("%")))
    return desk.speak(" Difference: {gap} percentage points.", gap=f"{gap:.2f}") if abs(gap - told) < 0.1 else ""


def _say_mean(desk: ToolDesk, name: str, sides: Sequence[Compared]) -> list[str]:
    """Return the mean of a figure of several securities, each counted alike; that there is none where one lacks it."""
    values = [side.value for side in sides if side.value is not None]
    if len(values) < len(sides) or not all(map(_PLAIN.fullmatch, (side.said for side in sides))):
        return [desk.speak("The average of {figure} is not computed here.", figure=name)]
    unit = "%" if all(side.said.endswith("%") for side in sides) else ""
    mean = f"{math.fsum(values) / len(values):,.2f}{unit}"
    return [desk.speak("**{mean}** is the average {figure}, each counted alike.", mean=mean, figure=name)]


def _say_first(
    desk: ToolDesk, asked: FactQuestion | Intent, name: str, known: list[Compared], *, down: bool, unknown: int
) -> str:
    """Return which is first by a figure."""
    speak = desk.speak
    order = sorted(known, key=lambda side: (side.value or 0) * (1 if down else -1))
    first, second = order[0], order[1]
    names = {"name": display_name(desk, first.mention), "figure": name, "value": first.said}
    if first.value == second.value:
        return speak("{figure} is the same: {value}.", **names)
    yes = ""
    asks = _YES_OR_NO.search(asked.words) and not _HOW_FAR.search(asked.words)
    if asks and len(known) == 2 and not unknown and (down or _HIGH.search(asked.words)):
        yes = speak("Yes: ") if first.mention == asked.securities[0] else speak("No: ")
    rest = speak.join_items([f"{display_name(desk, side.mention)} {side.said}" for side in order[1:]])
    if len(known) == 2 and down:
        return yes + speak("**{name}** has the lower {figure}: {value} against {rest}.", rest=rest, **names)
    if len(known) == 2:
        return yes + speak("**{name}** has the higher {figure}: {value} against {rest}.", rest=rest, **names)
    if down:
        return speak("**{name}** has the lowest {figure}: {value}; then {rest}.", rest=rest, **names)
    return speak("**{name}** has the highest {figure}: {value}; then {rest}.", rest=rest, **names)


def say_verdict(desk: ToolDesk, asked: FactQuestion, name: str, spec: FactSpec, sides: Sequence[Compared]) -> list[str]:
    """Return for each security whether a figure is within the bound that a question sets; [] where it sets none."""
    speak, lines = desk.speak, []
    for bound in parse_bounds(strip_mentions(asked.words))[1]:
        column = {"pe": "pe_ttm"}.get(bound.column.name, bound.column.name)
        if column != {"pe": "pe_ttm"}.get(spec.field, spec.field or spec.id).removesuffix("_pct"):
            continue
        for side in sides:
            if side.value is None:
                continue
            holds = _HOLDS[bound.sign](side.value, bound.number)
            given = {"name": display_name(desk, side.mention), "figure": name, "value": side.said, "bound": bound.said}
            if bound.sign in ("<", "<="):
                lines.append(
                    speak("**Yes**, {figure} of {name} is {value}: below {bound}.", **given) if holds
                    else speak("**No**, {figure} of {name} is {value}: not below {bound}.", **given)
                )  # fmt: skip
            else:
                lines.append(
                    speak("**Yes**, {figure} of {name} is {value}: above {bound}.", **given) if holds
                    else speak("**No**, {figure} of {name} is {value}: not above {bound}.", **given)
                )  # fmt: skip
    return lines


_HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def answer_valuation(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how shares are valued: which is cheaper, P/E, P/B, ROE, and the place in their past and industry."""
    speak, lines = desk.speak, []
    mentions = asked.securities[:MOST]
    calls = [DeskCall("market.valuation", {"symbol": mention.code}) for mention in mentions]
    found = yield from desk.run(*calls)
    sides: list[tuple[Mention, DeskResult]] = list(zip(mentions, found, strict=True))
    for mention, result in sides:
        said, stop = refuse_valuation(desk, asked, mention, result)
        lines += [f"{wording.head_of(desk, mention)}{speak(': ')}{said}"] if stop else [
            f"{wording.head_of(desk, mention)}{speak(': ')}{say_figures(desk, result)}"
        ]  # fmt: skip
        if stop and mention.symbol.market != "CN" and len(mentions) == 1:
            lines = yield from say_unstored(desk, mention)
    told = [(mention, result) for mention, result in sides if not refuse_valuation(desk, asked, mention, result)[1]]
    if len(mentions) > 1:
        first = []
        by_book, by_earnings = bool(_BY_BOOK.search(asked.words)), bool(_BY_EARNINGS.search(asked.words))
        for key in ("pe_ttm", "pb") if by_book and by_earnings else ("pb",) if by_book else ("pe_ttm",):
            compared = [
                Compared(mention, _figure(result, key), wording.say_value(desk, _figure(result, key), "ratio"))
                for mention, result in told
            ]
            name = speak("P/B") if key == "pb" else speak("P/E (TTM)")
            first += _say_cheapest(desk, asked, compared, name) if len(told) == len(mentions) else []
        return reply_of_lines(*first, *lines)
    if told:
        mention, result = told[0]
        places = yield from _places(desk, mention, result)
        lines += places or [speak("Too few days and peers are stored to say whether that is high.")]
        if _PAST.search(asked.words):
            lines += _say_past(desk, result)
        elif not _PLACE.search(asked.words):
            lines.append(
                speak("Whether that is too much is a judgment: a high P/E wants growth, a low one may be a warning.")
            )
    return reply_of_lines(*lines)


def say_unstored(desk: ToolDesk, mention: Mention) -> Work[list[str]]:
    """Return that no fundamentals of a security are stored, and what its stored prices tell."""
    speak, head = desk.speak, wording.head_of(desk, mention)
    none = speak("it is no company, so it has no reports and no valuation here.")
    if mention.symbol.kind == "stock":
        none = speak("its reports are not known here, so there is no valuation.")
    result = yield from desk.one("market.ohlcv", symbol=mention.code, tail=_YEAR)
    rows = wording.bars_of(result)
    if len(rows) < 2:
        return [f"{head}{speak(': ')}{none}"]
    closes = [float(row[4]) for row in rows]
    currency = "" if mention.symbol.kind == "index" else f" {wording.CURRENCIES.get(mention.symbol.market, '')}"
    prices = speak(
        "What there is: close {close}{currency} ({date}){mark}, {change} since {first}, between {low} and {high}.",
        close=number(closes[-1], "price", speak), currency=currency, date=rows[-1][0],
        mark=wording.simulated_mark(desk, result.get("simulated")),
        change=wording.say_percent(closes[-1] / closes[0] * 100 - 100), first=rows[0][0],
        low=number(min(float(row[3]) for row in rows), "price", speak),
        high=number(max(float(row[2]) for row in rows), "price", speak),
    )  # fmt: skip
    return [f"{head}{speak(': ')}{none}", prices]


_BY_EARNINGS = pattern(r"市盈率|(?<![a-z])p/?e(?![a-z])|price[- ]to[- ]earnings", re.I)
_BY_BOOK = pattern(r"市净率|(?<![a-z])p/?b(?![a-z])|price[- ]to[- ]book|\bbook value\b", re.I)


def _say_cheapest(desk: ToolDesk, asked: FactQuestion, sides: list[Compared], name: str) -> list[str]:
    """Return which of several is cheapest by its P/E, or its P/B; a share that loses money has no P/E."""
    speak, known = desk.speak, [side for side in sides if side.value is not None and side.value > 0]
    if len(known) < 2:
        return [speak("By P/E they cannot be compared: it is not known of each (a loss has none).")]
    dear = bool(
        re.search(r"(?<!不)贵|高估|估值.{0,2}高|\b(?:expensive|pricier|over-?valued|higher)\b", asked.words, re.I)
    )
    return [_say_first(desk, asked, name, known, down=not dear, unknown=len(sides) - len(known))]


def refuse_valuation(desk: ToolDesk, asked: FactQuestion, mention: Mention, result: DeskResult) -> tuple[str, bool]:
    """Return why there is no valuation, and True; "" and False where there is one."""
    speak = desk.speak
    if mention.symbol.kind != "stock":
        return speak("it is no company, so it has no reports and no valuation here."), True
    if result.failure is not None:
        return say_no_valuation(desk, mention, result.failure), True
    day = wording.result_day(result)
    if any(span.kind != EVER for span in asked.spans) and (span := wording.other_day(asked, day)):
        return speak("only the figures of {day} are stored, not those of “{time}”", day=day, time=span.said), True
    if all(_figure(result, key) is None for key in ("pe_ttm", "pb", "roe_pct")):
        return speak("no valuation is stored: the data source tells none."), True
    return "", False


def say_no_valuation(desk: ToolDesk, mention: Mention, failure: Failure) -> str:
    """Return why a security has no valuation: it was not synced, or its reports could not be had."""
    speak = desk.speak
    if mention.symbol.market == "CN":
        return speak("no valuation is stored (`ia sync daily` fetches those of mainland stocks).")
    reason = describe_failure(speak, failure)
    if mention.symbol.market == "HK":
        return speak("no report of this Hong Kong company could be had: {reason}", reason=reason)
    return speak("no report of this US company could be had: {reason}", reason=reason)


def _figure(result: DeskResult, key: str) -> float | None:
    return wording.figure_of(result.get("figures"), key)


def say_figures(desk: ToolDesk, result: DeskResult) -> str:
    """Return P/E, P/B and ROE with the day of the prices and the report."""
    speak = desk.speak
    told = speak(
        "P/E (TTM) {pe}, P/B {pb} ({date}), ROE {roe}",
        pe=wording.say_value(desk, _figure(result, "pe_ttm"), "ratio"),
        pb=wording.say_value(desk, _figure(result, "pb"), "ratio"),
        roe=wording.say_value(desk, _figure(result, "roe_pct"), "percent_plain"),
        date=wording.result_day(result),
    )
    told += wording.say_report(desk, result.value)
    if result.get("reported") != result.get("currency"):
        told += speak("; it reports in {reported}, converted to {currency} at the rate of the day",
                      reported=result.get("reported"), currency=result.get("currency"))  # fmt: skip
    return told + wording.simulated_mark(desk, result.get("simulated"))


def _places(desk: ToolDesk, mention: Mention, result: DeskResult) -> Work[list[str]]:
    """Return the places of P/E and P/B in its industry, and of the P/E in its own past where enough is stored."""
    speak, industry = desk.speak, str(result.get("industry") or "")
    lines: list[str] = []
    if industry:
        found = yield from desk.run(
            *(
                DeskCall(
                    "market.screen",
                    {"expr": f"industry = {industry} and {key} > 0", "sort": key, "limit": 100, "ascending": True},
                )
                for key in _PLACED
            )
        )
        told = (_say_place(desk, mention, industry, key, peers) for key, peers in zip(_PLACED, found, strict=True))
        lines += dict.fromkeys(filter(None, told))
    past = _rank_of(result, "history")
    if past.get("rank_pct") is not None:
        lines.append(
            speak(
                "In its own {count} stored days since {first} it is higher than in {rank}% of them; median {median}.",
                count=past.get("others"),
                first=past.get("first"),
                rank=f"{past['rank_pct']:g}",
                median=wording.say_value(desk, past.get("median"), "ratio"),
            )
        )
    return lines


_PLACED = {"pe_ttm": mark_text("P/E ratio"), "pb": mark_text("P/B ratio")}
"""Multiples whose place in the industry is told."""


def _rank_of(result: DeskResult, place: str) -> Json:
    ranks = result.get(place)
    found = ranks.get("pe_ttm") if isinstance(ranks, dict) else None
    return found if isinstance(found, dict) else {}


def _say_past(desk: ToolDesk, result: DeskResult) -> list[str]:
    """Return why a P/E has no percentile in its own past; [] where it has one."""
    past = _rank_of(result, "history")
    if past.get("rank_pct") is not None:
        return []
    lines = []
    if past.get("others") and past.get("median") is not None:
        lines.append(
            desk.speak(
                "The median of the {count} stored days since {first} is {median}.",
                count=past["others"],
                first=past.get("first"),
                median=wording.say_value(desk, past["median"], "ratio"),
            )
        )
    return [
        *lines,
        desk.speak(
            "No percentile of its own past: that takes {least} stored days with a P/E, {count} are stored.",
            least=LEAST_DAYS,
            count=past.get("others") or 0,
        ),
    ]


def _say_place(desk: ToolDesk, mention: Mention, industry: str, key: str, peers: DeskResult) -> str:
    """Return which place a share's multiple has among those of its industry; "" where that is not known."""
    rows = wording.rows_of(peers, "stocks") if peers.ok else []
    if not peers.ok or peers.get("met") != len(rows):
        return ""
    given: Json = {"industry": wording.industry_name(desk, industry), "count": len(rows)}
    order = [str(row.get("symbol")) for row in rows]
    if order in ([], [mention.code]):
        return desk.speak("No other stock of {industry} is stored: it has no median and no rank there.", **given)
    if len(rows) < LEAST_PEERS:  # said once
        return (
            desk.speak("Only {count} of {industry} have a P/E: too few for a rank.", **given) if key == "pe_ttm" else ""
        )
    if mention.code not in order:
        return ""
    values = sorted(value for row in rows if (value := wording.figure_of(row, key)) is not None)
    middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    return desk.speak(
        "In {industry} its {figure} is number {place} of {count} from the cheapest; the median is {median}.",
        figure=desk.speak(_PLACED[key]),
        place=order.index(mention.code) + 1,
        median=f"{middle:,.2f}",
        **given,
    )


def ask_of_one(desk: ToolDesk, asked: FactQuestion) -> Reply | None:
    """Ask back about the mean of a figure of one security: over which days it would be is not read; None for another.

    The mean of several securities is that of their figures.
    """
    mean = MEAN.search(asked.words) if len(asked.securities) == 1 else None
    return wording.ask_back(desk, (mean[0],)) if mean else None


def answer_yield(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a share paid in the year up to its last price, per cent of it."""
    if unclear := ask_of_one(desk, asked):
        return unclear
    speak, lines = desk.speak, []
    mentions = asked.securities[:MOST]
    results = yield from desk.run(*(DeskCall("market.valuation", {"symbol": mention.code}) for mention in mentions))
    sides = []
    for mention, result in zip(mentions, results, strict=True):
        told = yield from _say_yield(desk, asked, mention, result)
        lines.append(f"{wording.head_of(desk, mention)}{speak(': ')}{told}")
        value = _figure(result, "dividend_yield_pct") if result.ok else None
        sides.append(Compared(mention, value, wording.say_value(desk, value, "percent_plain")))
    name = speak("dividend yield")
    first = say_comparison(desk, asked, name, sides) + say_verdict(desk, asked, name, asked.facts[0], sides)
    return reply_of_lines(*first, *lines)


def _say_yield(desk: ToolDesk, asked: FactQuestion, mention: Mention, result: DeskResult) -> Work[str]:
    """Return the dividend yield of a share with what was paid, or why there is none."""
    speak = desk.speak
    if asked.spans and asked.spans[0].kind == FUTURE:
        return speak("nobody knows that of “{time}”; I give no forecast.", time=asked.spans[0].said)
    if result.failure is not None:
        return say_no_valuation(desk, mention, result.failure)
    value, day = _figure(result, "dividend_yield_pct"), wording.result_day(result)
    if span := wording.other_day(asked, day):
        return speak("only the figures of {day} are stored, not those of “{time}”", day=day, time=span.said)
    if value is None:
        return speak("its dividends are not known here, so no yield can be computed ({date}).", date=day)
    mark = wording.simulated_mark(desk, result.get("simulated"))
    actions = yield from desk.one("market.actions", symbol=mention.code)
    since = f"{int(day[:4]) - 1}{day[4:]}"
    paid = [row for row in wording.rows_of(actions, "actions") if row.get("cash") and since < str(row["date"]) <= day]
    told = speak(
        "dividend yield **{value}** ({date}, the last twelve months before tax){mark}",
        value=f"{value:.2f}%",
        date=day,
        mark=mark,
    )
    unit = wording.foreign_unit(result, "cash")
    if _ON_COST.search(asked.words):
        told = yield from _say_yield_on_cost(desk, mention, told, sum(float(row["cash"]) for row in paid))
    each = [
        speak("{date} {cash} a share", date=row["date"], cash=f"{row['cash']:g}") if not unit
        else speak("{date} {cash}{currency} a share", date=row["date"], cash=f"{row['cash']:g}", currency=unit)
        for row in paid[:4]
    ]  # fmt: skip
    return told + (speak("; paid: {each}", each=speak.join_items(each)) if each else speak("; none was paid"))


_ON_COST = pattern(
    r"成本|买入价|买入均价|我买的?(?:时候)?的?价"
    r"|\byield[- ]on[- ]cost\b"
    r"|\b(?:on|at) (?:my |what |the )?(?:(?:own|average|original) )?"
    r"(?:cost|purchase price|buying price|entry price|price i paid|i (?:have )?paid)\b",
    re.I,
)
"""Dividends are held against what was paid, and not against the price."""


def _say_yield_on_cost(desk: ToolDesk, mention: Mention, told: str, cash: float) -> Work[str]:
    """Return what a share paid in a year per cent of its average cost, and then the yield on its price."""
    status = yield from desk.one("account.status")
    held = wording.objects_of(status, "positions").get(mention.code) if status.ok else None
    cost = wording.figure_of(held, "avg_price") if held is not None else None
    if not cost:
        return desk.speak("you hold none, so there is no yield on your cost; {told}", told=told)
    given = {"value": f"{cash / cost * 100:.2f}%", "cost": number(cost, "price", desk.speak)}
    return desk.speak("**{value} on your average cost of {cost}**", **given) + desk.speak("; ") + told.replace("**", "")


def answer_peer_rank(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which place a share has in its industry by a figure that is named."""
    speak, lines = desk.speak, []
    words = strip_mentions(asked.words)
    column = next((each for each in COLUMNS if each.name in PEER_FIGURES and re.search(each.words, words, re.I)), None)
    beyond = re.sub(column.words, " ", words, flags=re.I) if column is not None else ""
    if second := next((found for each in COLUMNS if (found := re.search(each.words, beyond, re.I))), None):
        return wording.ask_back(desk, (second[0],))

    def say(value: float | None) -> str:
        unit = "ratio" if column is None else column.unit
        return wording.say_value(desk, value, "percent_plain" if unit == "percent" else unit)

    if column is None:
        return reply_of_lines(
            speak("By which figure: P/E, P/B, dividend yield, ROE, growth or market capitalization?")
        )._replace(understood=False)
    for mention in asked.securities[:MOST]:
        valued = yield from desk.one("market.valuation", symbol=mention.code)
        head = wording.head_of(desk, mention) + speak(": ")
        if valued.failure is not None:
            lines.append(head + say_no_valuation(desk, mention, valued.failure))
            continue
        day, industry = wording.result_day(valued), str(valued.get("industry") or "")
        if span := wording.other_day(asked, day):
            return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, day)
        name = speak(PEER_FIGURES[column.name])
        if not industry:
            lines.append(head + speak("its industry is not known here, so it has no rank."))
            continue
        whole = _OF_ALL.search(words) is not None
        own = industry_forms(words, (industry,), desk.tables)
        if own and all(each != industry for _, each in own):
            lines.append(head + speak("its industry is {industry}.", industry=wording.industry_name(desk, industry)))
            continue
        low = column.name in _FROM_LOWEST
        floor = f" and {column.name} > 0" if low else ""
        expr = f"{column.name} > {0 if low else -1e18:g}" if whole else f"industry = {industry}{floor}"
        peers = yield from desk.one("market.screen", expr=expr, sort=column.name, limit=_MOST_RANKED, ascending=low)
        rows = [row for row in wording.rows_of(peers, "stocks") if column_of(row, column) is not None]
        order = [str(row.get("symbol")) for row in rows]
        if not peers.ok or mention.code not in order:
            lines.append(head + speak("its {figure} is not known here, so it has no rank.", figure=name))
            continue
        at = order.index(mention.code)
        given: Json = {
            "figure": name, "count": int(peers.get("met") or len(rows)), "place": at + 1,
            "industry": speak("A-shares") if whole else wording.industry_name(desk, industry),
            "value": say(column_of(rows[at], column)),
            "date": day, "mark": wording.simulated_mark(desk, valued.get("simulated")),
        }  # fmt: skip
        lowest = "{figure} {value}, **number {place} of {count}** in {industry} from the lowest ({date}){mark}."
        highest = "{figure} {value}, **number {place} of {count}** in {industry} from the highest ({date}){mark}."
        if len(rows) == 1:
            alone = speak("No other stock of {industry} is stored: it has no median and no rank there.", **given)
            lines += [head + speak("{figure} {value} ({date}){mark}", **given), alone]
            continue
        lines.append(head + speak(lowest if low else highest, **given))
        told = [
            f"{wording.security_name(desk, str(row.get('symbol')), row.get('name'))}"
            f" {say(column_of(row, column))}"
            for row in rows[:3]
        ]  # fmt: skip
        lines.append(speak("At the top: {told}.", told=speak.join_clauses(told)))
        if given["count"] == len(rows):
            every = [value for row in rows if (value := column_of(row, column)) is not None]
            lines.append(speak("Mean of the {count}: {mean}; median: {median}.", count=len(every),
                               mean=say(statistics.fmean(every)), median=say(statistics.median(every))))  # fmt: skip
    return reply_of_lines(*lines)


def answer_peers(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which other shares are in the industry of one, the largest first."""
    speak, lines = desk.speak, []
    if asked.unread or asked.spans:
        return wording.ask_back(desk, asked.unread or tuple(span.said for span in asked.spans))
    for mention in asked.securities[:MOST]:
        valued = yield from desk.one("market.valuation", symbol=mention.code)
        head = wording.head_of(desk, mention) + speak(": ")
        industry = str(valued.get("industry") or "") if valued.ok else ""
        if not industry:
            lines.append(head + speak("its industry is not known here."))
            continue
        found = yield from desk.one("market.screen", expr=f"industry = {industry}", sort="market_cap", limit=MOST_PEERS)
        given: Json = {"industry": wording.industry_name(desk, industry)}
        rows = [row for row in wording.rows_of(found, "stocks") if row.get("symbol") != mention.code]
        if not rows:
            lines.append(head + speak("its industry is {industry}; no other share of it is stored.", **given))
            continue
        count = int(found.get("met") or 0) - 1
        many = PluralText(
            "its industry is {industry}, with **{count} other** share, the largest first ({date}){mark}:",
            "its industry is {industry}, with **{count} other** shares, the largest first ({date}){mark}:",
        )
        given |= {"date": wording.result_day(found), "mark": wording.simulated_mark(desk, found.get("simulated"))}
        lines.append(head + speak(many, count=count, **given))
        lines += [
            f"- {wording.security_name(desk, str(row.get('symbol')), row.get('name'))}"
            f" {wording.say_money(desk, row.get('market_cap'))}"
            for row in rows
        ]
        if count > len(rows):
            lines.append(speak("… and {count} more.", count=count - len(rows)))
    return reply_of_lines(*lines)


MOST_PEERS = 10
"""Shares of an industry that an answer names, with the one that is asked about."""
_MOST_RANKED = 100
"""Shares that a place is looked for among."""
_OF_ALL = pattern(
    r"(?:全|整个|所有)?[Aa]股|全?市场|两市|沪深"
    r"|\b(?:(?:whole|entire) market|the market|all (?:a-)?(?:shares|stocks))\b",
    re.I,
)
"""Asks for the place among all A-shares."""
PEER_FIGURES = {
    "pe_ttm": mark_text("P/E ratio"),
    "pb": mark_text("P/B ratio"),
    "dividend_yield": mark_text("dividend yield"),
    "roe": mark_text("ROE"),
    "revenue_yoy": mark_text("revenue, year on year"),
    "profit_yoy": mark_text("profit, year on year"),
    "gross_margin": mark_text("gross margin"),
    "net_margin": mark_text("net margin"),
    "revenue": mark_text("revenue"),
    "profit": mark_text("net profit"),
    "debt_ratio": mark_text("debt ratio"),
    "market_cap": mark_text("market capitalization"),
}
"""Figures by which a share has a place in its industry."""
_FROM_LOWEST = ("pe_ttm", "pb", "debt_ratio")


def column_of(row: Json, column: ScreenColumn) -> float | None:
    """Return the figure of a column of a screen, by either of its names."""
    return wording.figure_of(row, column.name if column.name in row else f"{column.name}_pct")


ANSWERS = {
    "valuation": answer_valuation,
    "dividend_yield": answer_yield,
    "peer_rank": answer_peer_rank,
    "peers": answer_peers,
}
