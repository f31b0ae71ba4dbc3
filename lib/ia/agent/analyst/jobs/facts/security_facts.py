"""Facts of a security that the store holds: quotes, reports, valuation, dividends; and what nobody can know."""

import dataclasses
import re
from datetime import date
from typing import Any

from ia.agent.analyst.ask.amounts import find_currencies
from ia.agent.analyst.ask.facts import FactQuestion, FactSpec
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import DAY, FUTURE, RANGE, TimeSpan
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import date_facts, market_days, part_year_facts, wording
from ia.agent.analyst.jobs.facts.valuation_facts import (
    Compared,
    ask_of_one,
    say_comparison,
    say_no_valuation,
    say_verdict,
)
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 8
"""Securities that one answer is about."""
_PERIODS = 20


def answer_quote(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with figures of the stored quote, of the newest report, and the dividend yield, of several securities."""
    if unclear := ask_of_one(desk, asked):
        return unclear
    speak, lines = desk.speak, []
    mentions = asked.securities[:MOST]
    asked = _of_reports(asked)
    quoted = [spec for spec in asked.facts if spec.answer == "quote"]
    reported = [spec for spec in asked.facts if spec.answer == "report"]
    paid = [spec for spec in asked.facts if spec.answer == "dividend_yield"]
    if (stretch := part_year_facts.find_stretch(asked)) is not None:
        told_part = yield from part_year_facts.answer_part_year(desk, asked, stretch)
        if told_part is not None:
            return told_part
    numbers = not any(spec.field in _IN_WORDS for spec in quoted)
    if quoted and numbers and not reported and not paid and _past_days(asked):
        return (yield from _answer_then(desk, asked, quoted))
    quotes = yield from _load_quotes(desk, mentions) if quoted else _nothing()
    if quotes is not None and quotes.failure is not None:
        return wording.unreadable(desk, speak("the stored quotes"), quotes.failure)
    sides: dict[str, list[Compared]] = {spec.id: [] for spec in asked.facts}
    for mention in mentions:
        told: list[str] = []
        converted: list[str] = []
        if quotes is not None:
            row = _row_of(quotes, mention)
            told.append(_say_quote(desk, asked, quoted, row))
            converted = yield from _convert_money(desk, asked, mention, quoted, row)
            for spec in quoted:
                sides[spec.id].append(_side_of(desk, asked, spec, mention, row))
        if reported:
            result = yield from desk.one("market.fundamentals", symbol=mention.code, periods=_PERIODS)
            rows = wording.rows_of(result, "reports") if result.ok else []
            report = _meant_report(asked, rows)
            told.append(_say_report(desk, asked, mention, reported, result))
            for spec in reported:
                sides[spec.id].append(_side_of(desk, asked, spec, mention, report))
        if paid:
            value, said = yield from _load_yield(desk, asked, mention)
            told.append(said)
            sides[paid[0].id].append(Compared(mention, value, wording.say_value(desk, value, "percent_plain")))
        lines += [f"{wording.head_of(desk, mention)}{speak(': ')}{speak.join_clauses(told)}", *converted]
    first = [
        line
        for spec in asked.facts
        for line in say_comparison(desk, asked, _compared_name(desk, spec), sides[spec.id])
        + say_verdict(desk, asked, _compared_name(desk, spec), spec, sides[spec.id])
    ]
    return reply_of_lines(*first, *lines)


def _of_reports(asked: FactQuestion) -> FactQuestion:
    """Return a question with the return on equity of a report that is named as a figure of reports."""
    timed = any(span.kind == RANGE for span in asked.spans) or _SEVERAL.search(asked.words) is not None
    if not (timed or find_named_end(asked.words) or _ANNUAL.search(asked.words)):
        return asked
    facts = [spec._replace(answer="report") if spec.field == "roe_pct" else spec for spec in asked.facts]
    return dataclasses.replace(asked, facts=tuple(facts))


_IN_WORDS = ("industry", "concepts", "listed")
"""Columns of quotes that are no figures: those of past days are not stored."""
_THEN = pattern(
    r"(?:比|较|和|跟|与|相比).{0,10}(?:昨|前[天一]|上[个一周月]|\d).{0,16}"
    r"|\b(?:than|versus|vs\.?|compared (?:to|with)|from|against)\b",
    re.I,
)
"""Words that hold the newest day against another one."""


def _past_days(asked: FactQuestion) -> bool:
    """Return True if a question is for figures of a quote on one day that is named, or against it."""
    return bool(asked.spans) and all(span.kind == DAY for span in asked.spans) and len(asked.spans) < 3


def _answer_then(desk: ToolDesk, asked: FactQuestion, specs: list[FactSpec]) -> Work[Reply]:
    """Answer with figures of quotes on a past day, or of the newest day against it."""
    speak, lines, before = desk.speak, [], []
    several = len(asked.spans) > 1 or _THEN.search(asked.words) is not None
    for mention in asked.securities[:MOST]:
        head = wording.head_of(desk, mention)
        rows: list[Json] = []
        given: tuple[tuple[TimeSpan, ...], ...] = tuple((span,) for span in asked.spans)
        for spans in ((), *given) if several and len(asked.spans) == 1 else given:
            names = [spec.field for spec in specs]
            names += ["pe_ttm"] if "pe" in names else []
            wide = " or ".join(f"{name} > 1e18" for name in names)
            found, said, refused = yield from market_days.load_asked_day(
                desk, dataclasses.replace(asked, spans=spans), "market.screen", mention.name,
                expr=f"symbol = {mention.code} or {wide}", limit=1,
            )  # fmt: skip
            if refused:
                return refused
            before += [line for line in said if line not in before]
            rows += [
                {**row, "date": wording.result_day(found), "simulated": found.get("simulated")}
                for row in wording.rows_of(found, "stocks")
                if row.get("symbol") == mention.code
            ]
        if not rows:
            lines.append(f"{head}{speak(': ')}" + speak("no quote of that day is stored."))
            continue
        for row in sorted(rows, key=lambda row: str(row["date"]), reverse=True):
            lines.append(f"{head}{speak(': ')}{_say_quote(desk, None, specs, row)}")
        lines[-len(rows) : -len(rows)] = _say_move(desk, specs[0], rows) if len(specs) == 1 and len(rows) == 2 else []
    return reply_of_lines(*before, *lines)


def _say_move(desk: ToolDesk, spec: FactSpec, rows: list[Json]) -> list[str]:
    """Return whether a figure is higher or lower than it was."""
    speak = desk.speak
    field = "pe_ttm" if spec.field == "pe" else spec.field
    old, new = (wording.figure_of(row, field) for row in sorted(rows, key=lambda row: str(row["date"])))
    if old is None or new is None:
        return []
    given = {"name": _compared_name(desk, spec), "new": wording.say_value(desk, new, spec.unit),
             "old": wording.say_value(desk, old, spec.unit)}  # fmt: skip
    if new == old:
        return [speak("**The same**: {name} {new}.", **given)]
    return [
        speak("**Higher**: {name} {new}, before {old}.", **given)
        if new > old
        else speak("**Lower**: {name} {new}, before {old}.", **given)
    ]


def _load_yield(desk: ToolDesk, asked: FactQuestion, mention: Mention) -> Work[tuple[float | None, str]]:
    """Return the dividend yield of a share, and how it is said."""
    speak = desk.speak
    result = yield from desk.one("market.valuation", symbol=mention.code)
    day = wording.result_day(result)
    if result.failure is not None:
        return None, say_no_valuation(desk, mention, result.failure)
    if span := wording.other_day(asked, day):
        return None, speak("only the figures of {day} are stored, not those of “{time}”", day=day, time=span.said)
    value = wording.figure_of(result.get("figures"), "dividend_yield_pct")
    if value is None:
        return None, speak("its dividends are not known here, so no yield can be computed ({date}).", date=day)
    return value, speak("dividend yield {value} ({date}, twelve months)", value=f"{value:.2f}%", date=day)


def _compared_name(desk: ToolDesk, spec: FactSpec) -> str:
    return desk.speak("P/E (TTM)") if spec.field == "pe" else wording.fact_name(desk, spec)


def _side_of(desk: ToolDesk, asked: FactQuestion, spec: FactSpec, mention: Mention, row: Json | None) -> Compared:
    """Return the figure by which securities are compared; of a P/E the one of the last four quarters, no loss."""
    priced = spec.field in ("pe", "pe_ttm", "pb")
    value = wording.figure_of(row, "pe_ttm" if spec.field == "pe" else spec.field)
    if row is not None and spec.answer == "quote" and wording.other_day(asked, str(row.get("date") or "")):
        value = None
    if priced and value is not None and value <= 0:
        value = None
    unit = wording.foreign_unit(row, wording.spec_unit(spec))
    return Compared(mention, value, wording.say_value(desk, value, spec.unit) + unit, unit)


def _nothing() -> Work[None]:
    yield from ()
    return None


_VALUED = ("pe_ttm", "pb", "market_cap")
"""Figures of a quote that the store has of a suspended share, too, at its last price."""


def _load_quotes(desk: ToolDesk, mentions: tuple[Mention, ...]) -> Work[DeskResult]:
    """Return the quotes of securities; a quote without valuation, as of a suspended share, with the stored one.

    `valued` is then the day of these figures.
    """
    found = yield from desk.one("market.quote", symbols=[mention.code for mention in mentions])
    bare = [
        row for row in wording.rows_of(found, "quotes")
        if (row.get("roe_pct") is None or not any(row.get(name) is not None for name in _VALUED))
        and str(row["symbol"]).endswith(_HOME)
    ]  # fmt: skip
    valued = yield from desk.run(*(DeskCall("market.valuation", {"symbol": row["symbol"]}) for row in bare))
    for row, result in zip(bare, valued, strict=True):
        figures = result.get("figures") if result.ok else None
        known = {name: figures[name] for name in _VALUED if figures.get(name) is not None} if figures else {}
        row.update(known | ({"valued": result.get("date")} if known else {}))
        if figures and row.get("roe_pct") is None and figures.get("roe_pct") is not None:
            row.update({name: result.get(name) for name in ("report", "basis")} | {"roe_pct": figures["roe_pct"]})
    return found


_HOME = (".SH", ".SZ", ".BJ")


def _row_of(quotes: DeskResult, mention: Mention) -> Json | None:
    rows = wording.rows_of(quotes, "quotes")
    return next((row for row in rows if row.get("symbol") == mention.code), None)


def _say_quote(desk: ToolDesk, asked: FactQuestion | None, specs: list[FactSpec], row: Json | None) -> str:
    """Return the figures of a stored quote, with its day; why not where there is none, or of another day than asked."""
    speak = desk.speak
    if row is None:
        return speak("no quote is stored (`ia sync daily` fetches those of the mainland)")
    of_value = all(spec.field in (*_VALUED, "pe") for spec in specs)
    day = str((row.get("valued") if of_value else None) or row.get("date") or "")
    if asked is not None and (span := wording.other_day(asked, day)):
        return speak("only the figures of {day} are stored, not those of “{time}”", day=day, time=span.said)
    if asked is not None and of_value and (every := _SEVERAL.search(asked.words)):
        return speak("only the figures of {day} are stored, not those of “{time}”", day=day, time=every[0].strip())
    unknown = [wording.fact_name(desk, spec) for spec in specs if not _has_field(row, spec)]
    if len(unknown) == len(specs):
        return speak("the source gives no {names} ({date})", names=speak.join_items(unknown), date=day)
    specs = [spec for spec in specs if _has_field(row, spec)]
    if of_value and row.get("valued"):
        day = speak("{day}, at the price of {priced}", day=day, priced=row.get("date"))
    priced = [spec for spec in specs if spec.field != "roe_pct"]
    known = [_say_field(desk, spec, row) for spec in priced]
    told = f"{speak.join_items(known)}{speak(' ({date})', date=day)}" if known else ""
    earned = [_say_field(desk, spec, row) + wording.say_report(desk, row) for spec in specs if spec not in priced]
    tail = speak(" (the source gives no {names})", names=speak.join_items(unknown)) if unknown else ""
    mark = wording.simulated_mark(desk, row.get("simulated"))
    return f"{speak.join_items([*([told] if told else []), *earned])}{mark}{tail}"


def _convert_money(
    desk: ToolDesk, asked: FactQuestion, mention: Mention, specs: list[FactSpec], row: Json | None
) -> Work[list[str]]:
    """Return the amounts of a quote in the other currency that was asked for, at the stored rate; of each one."""
    own, amounts = wording.CURRENCIES.get(mention.symbol.market, ""), [spec for spec in specs if spec.unit == "money"]
    other = next((each for each in find_currencies(asked.words) if each != own), "")
    values = [float(row[spec.field]) for spec in amounts if row.get(spec.field) is not None] if row else []
    if not other or not values:
        return []
    rate = yield from wording.load_rate(desk, own, other)
    if rate is None:
        return [wording.foreign_currency(desk, asked.words, [mention])]
    shown = wording.rate_params(desk, rate)
    return [
        desk.speak(
            "Worth **{amount}** at {rate} ({date}, {source}).",
            amount=f"{wording.say_value(desk, value * float(rate['rate']), 'money')} {other}",
            rate=shown["rate"],
            date=shown["date"],
            source=shown["source"],
        )
        for value in values
    ]


def _has_field(row: Json, spec: FactSpec) -> bool:
    return row.get(spec.field) is not None or (spec.field == "pe" and row.get("pe_ttm") is not None)


def _say_field(desk: ToolDesk, spec: FactSpec, row: Json) -> str:
    """Return a figure of a quote with its name; of a P/E both, that of four quarters and the dynamic one."""
    if spec.field == "pe" and row.get("pe_ttm") is not None:
        told = desk.speak("P/E (TTM) {value}", value=wording.say_value(desk, row["pe_ttm"], spec.unit))
        if row.get("pe") is None:
            return told
        return told + desk.speak(", dynamic {value}", value=wording.say_value(desk, row["pe"], spec.unit))
    name = desk.speak("dynamic P/E") if spec.field == "pe" else wording.fact_name(desk, spec)
    unit = wording.foreign_unit(row, wording.spec_unit(spec))
    return f"{name} {wording.say_value(desk, row.get(spec.field), spec.unit)}{unit}"


def _say_report(
    desk: ToolDesk, asked: FactQuestion, mention: Mention, specs: list[FactSpec], result: DeskResult
) -> str:
    """Return the figures of the report that a question means, with its period and when it was published."""
    speak = desk.speak
    rows = wording.rows_of(result, "reports") if result.ok else []
    if result.failure is not None and mention.symbol.market != "CN":
        return say_no_valuation(desk, mention, result.failure)
    if not rows:
        return speak("no report is stored (`ia sync fundamentals` fetches them)")
    several, fewer = _asked_periods(desk, asked.words, rows)
    if several:
        return _say_periods(desk, specs, several) + wording.simulated_mark(desk, several[0].get("simulated")) + fewer
    span = asked.spans[0] if asked.spans else None
    row = _meant_report(asked, rows)
    if len(asked.spans) > 1 or (asked.spans and _AND_NEWEST.search(asked.words)):
        each = [(report_of(rows, span), span) for span in asked.spans]
        each += [(rows[0], asked.spans[0])] if _AND_NEWEST.search(asked.words) else []
        found = sorted((row for row, _ in each if row), key=lambda row: str(row["period"]), reverse=True)
        if len(found) == len(each):
            return _say_periods(desk, specs, found) + wording.simulated_mark(desk, found[0].get("simulated"))
        row, span = next(pair for pair in each if pair[0] is None)
    if row is not None and span is not None and _AGAINST_THEN.search(asked.words):
        older = [each for each in rows if each.get("basis") == "annual" and str(each["period"]) < str(row["period"])]
        other = [rows[0]] if row is not rows[0] else older[:1]
        if other:
            both = sorted((row, *other), key=lambda each: str(each["period"]), reverse=True)
            return _say_periods(desk, specs, both) + wording.simulated_mark(desk, row.get("simulated"))
    if row is None:
        said = span.said if span else ""
        newest = rows[0].get("period")
        none = speak("no report of “{time}” is stored; the newest is that of {period}", time=said, period=newest)
        return speak.join_clauses([none, _say_row(desk, asked, specs, rows[0])])
    return _say_row(desk, asked, specs, row)


_AGAINST_THEN = pattern(
    r"[比跟和与较](?:去年|前年|上年|上一年|前一年)|\b(?:than|versus|vs\.?|compared (?:to|with)|against)\b", re.I
)
"""Holds the newest figure against that of a time."""
_ON_YEAR = pattern(
    r"同比|[比跟和与较](?:去年|前年|上年|上一年|前一年)[^，,。]{0,2}(?:比|是|[涨增多少高])|是(?:涨|增|升|多|高)(?:了)?还是"
    r"|\b(?:year[- ]on[- ]year|on the year|yoy|up or down"
    r"|(?:than|with|to|against|from) (?:the |in the )?(?:(?:year|one) before|previous year))\b",
    re.I,
)


def _say_row(desk: ToolDesk, asked: FactQuestion, specs: list[FactSpec], row: Json) -> str:
    """Return the figures of a report, with its period and when it was published; their growth where it is asked."""
    speak = desk.speak
    known = [
        f"{wording.fact_name(desk, spec)} {wording.say_value(desk, row.get(spec.field), spec.unit)}"
        + wording.foreign_unit(row, wording.spec_unit(spec))
        + (
            speak(", {growth} on the year", growth=wording.say_percent(row[f"{spec.field}_yoy_pct"]))
            if _ON_YEAR.search(asked.words) and row.get(f"{spec.field}_yoy_pct") is not None
            else ""
        )
        for spec in specs
    ]
    ends = all(spec.field in _AT_END for spec in specs)
    told = speak(
        " (report of {period}, published {published}{basis})",
        period=row.get("period"),
        published=row.get("published") or "–",
        basis=speak(", at its end") if ends else wording.say_basis(desk, row, str(row.get("period") or "")),
    )
    return speak.join_items(known) + told + wording.simulated_mark(desk, row.get("simulated"))


_SEVERAL = pattern(
    rf"(?:近|最近|过去|前|这)的?\s*(?P<zh>几|{COUNT})\s*(?:个|份|期)?(?P<unit>年报|财报|季报|报告|年度?|季度?|期|份)"
    r"|(?P<all>历年|每年|逐年|各年|每一年|每份年报|历次年报)|(?P<every>每期|每份|逐期|各期|历次|每个?季度?|逐季)"
    rf"|\b(?:last|past|recent|previous|latest|newest|stored) (?:(?P<en>few|several|{COUNT}) )?"
    r"(?P<units>(?:annual|yearly|full[- ]year) (?:reports|results|figures|accounts|numbers)"
    r"|(?:financial |fiscal |business )?years"
    r"|quarters|quarterly (?:reports|results)|reports|periods|results)\b"
    r"|\b(?P<all_en>(?:by|per|each|every) (?:(?:financial |fiscal )?year|annual report)|year by year|annually)\b"
    r"|\b(?P<every_en>(?:by|per|each|every) (?:report|quarter|period)|quarter by quarter|report by report)\b",
    re.I,
)
_FEW = 4
_MOST_PERIODS = 8
_OF_YEARS = pattern(r"年(?!期)|year|annual", re.I)


def _asked_periods(desk: ToolDesk, words: str, rows: list[Json]) -> tuple[list[Json], str]:
    """Return the reports of the years or periods that a question wants, newest first, and that fewer are stored.

    Before those of whole years stands the newest report, of the twelve months up to it; [] where one report is wanted.
    """
    found = _SEVERAL.search(words)
    if found is None:
        return [], ""
    said = found["zh"] or found["en"] or ""
    every = found["all"] or found["every"] or found["all_en"] or found["every_en"]
    count = _MOST_PERIODS if every else min(int(parse_count(said.casefold()) or _FEW), _MOST_PERIODS)
    if _OF_YEARS.search(every or found["unit"] or found["units"]) is None:
        chosen, kind = rows[:count], desk.speak("reports")
    else:
        chosen, kind = [row for row in rows if row.get("basis") == "annual"][:count], desk.speak("annual reports")
    few = len(chosen) < count and (said or every)
    told = desk.speak("; {count} {kind} are stored", count=len(chosen), kind=kind) if few else ""
    newest = rows[:1] if chosen and chosen[0] is not rows[0] else []
    return [*newest, *chosen], told


def _say_periods(desk: ToolDesk, specs: list[FactSpec], rows: list[Json]) -> str:
    """Return figures of several reports; each is of twelve months or of the end of its period."""
    speak, told = desk.speak, []
    for spec in specs:
        each = [
            speak("{period} {value}", period=row.get("period"),
                  value=wording.say_value(desk, row.get(spec.field), spec.unit)
                  + wording.foreign_unit(row, wording.spec_unit(spec)) + _growth_of(spec, row))
            for row in rows
        ]  # fmt: skip
        told.append(speak("{name}: {each}", name=wording.fact_name(desk, spec), each=speak.join_items(each)))
    span = speak(" (each of twelve months)") if any(spec.field not in _AT_END for spec in specs) else ""
    return speak.join_clauses(told) + span


def _growth_of(spec: FactSpec, row: Json) -> str:
    """Return the growth on the year of a figure of a report, in brackets; "" where it is not known."""
    growth = row.get(f"{spec.field}_yoy_pct")
    return "" if growth is None else f" ({wording.say_percent(growth)})"


_AT_END = ("debt_ratio_pct", "bvps")
"""Figures of the last day of a report's period, not of a stretch of time."""


_AND_NEWEST = pattern(
    r"(?:和|与|跟|对比|比)[^，,。]{0,4}(?:最新|最近)(?:一?[期季]|的)?"
    r"|\b(?:and|vs\.?|versus|against|compared (?:to|with)) (?:in |that of )?(?:the )?"
    r"(?:latest|newest|last|most recent|current) (?:quarter|report|figures?|one|twelve months)\b"
    r"|\b(?:and|vs\.?|versus) now\b",
    re.I,
)
"""The newest report is asked for besides that of a time."""
_ANNUAL = pattern(
    r"(?<!半)年报|年度报告|\b(?:annual|full[- ]year|yearly) (?:reports?|figures?|results?|numbers?|accounts)\b", re.I
)


def _meant_report(asked: FactQuestion, rows: list[Json]) -> Json | None:
    """Return the report that a question means: of the time that it names, of the last whole year, or the newest."""
    if not asked.spans and _ANNUAL.search(asked.words):
        return next((row for row in rows if row.get("basis") == "annual"), None)
    if not asked.spans and (ends := find_named_end(asked.words)):
        return next((row for row in rows if str(row.get("period")).endswith(ends)), None)
    return report_of(rows, asked.spans[0] if asked.spans else None) if rows else None


def report_of(rows: list[Json], span: TimeSpan | None) -> Json | None:
    """Return the report of the period that ends with a span; the newest without a span, None where there is none."""
    if span is None:
        return rows[0]
    if span.kind == RANGE and span.last is not None:
        return next((row for row in rows if str(row.get("period")) == f"{span.last}"), None)
    return None


_WILL_SPLIT = pattern(r"(?:会|将|还要?)[^，,。]{0,6}(?:拆股|拆细|送股|送转)|\bwill\b.{0,40}\bsplit\b", re.I)


def answer_actions(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the dividends, bonus shares and rights issues that are stored."""
    speak, lines, notes = desk.speak, [], list[str]()
    counted = _COUNTED.search(asked.words)
    most = int(parse_count((counted["n"] or counted["n_en"]).casefold()) or 3) if counted else 3
    read = {*(counted[0].split() if counted else ()), *_HOW_OFTEN.findall(asked.words)}
    abroad = any(mention.symbol.market == "US" for mention in asked.securities)
    unread = tuple(word for word in asked.unread if not any(word.strip() in each for each in read))
    if unread := (*unread, *(_FISCAL.findall(asked.words) if abroad else ())):
        return wording.ask_back(desk, unread)
    for mention in asked.securities[:MOST]:
        result = yield from desk.one("market.actions", symbol=mention.code)
        head = wording.head_of(desk, mention)
        if result.failure is not None:
            lines += [
                f"{head}{speak(': ')}{line}"
                for line in wording.unreadable(desk, speak("its dividends"), result.failure).lines
            ]
            continue
        rows = wording.rows_of(result, "actions")
        if asked.spans and asked.spans[0].kind != FUTURE:
            span = asked.spans[0]
            if span.first is None or span.last is None:
                lines.append(
                    f"{head}{speak(': ')}" + speak("give the time as a date or a year: “{time}”", time=span.said)
                )
                continue
            ends = [(each.first, each.last) for each in asked.spans if each.first and each.last]
            begin, end = min(first for first, _ in ends), max(last for _, last in ends)  # "in 2023 and 2022"
            first, last = _ex_dates_within(asked, begin, end)
            notes = _say_business_year(desk, dataclasses.replace(span, first=begin, last=end), first, last)
            rows = [row for row in rows if f"{first}" <= str(row["date"]) <= f"{last}"]
        if _WILL_SPLIT.search(asked.words):
            rows = [row for row in rows if row.get("bonus") or row.get("split") not in (None, 0, 1)]
            if not rows:
                lines.append(f"{head}{speak(': ')}" + speak("no split and no bonus issue is stored."))
                continue
        if not rows:
            lines.append(f"{head}{speak(': ')}" + speak("no dividend, bonus or rights issue of that time is stored."))
            continue
        if mention.symbol.market != "CN" and _DIVIDEND.search(asked.words) and not any(map(_pays, rows)):
            lines.append(f"{head}{speak(': ')}" + speak("no dividend of that time is known; splits alone."))
        mark = wording.simulated_mark(desk, result.get("simulated"))
        if _HOW_OFTEN.search(asked.words) and _DIVIDEND.search(asked.words):
            paid = [row for row in rows if _pays(row)]
            many = PluralText("**{count} dividend** is stored", "**{count} dividends** are stored")
            lines.append(
                f"{head}{speak(': ')}{speak(many, count=len(paid))}"
                + (speak(", since {first}", first=paid[-1]["date"]) if paid else "")
                + mark
            )
            mark = ""
        if counted:
            rows = [row for row in rows if _pays(row)] or rows
        summed = bool(asked.spans) and _SUM.search(asked.words) is not None
        most = max(most, _MOST_SUMMED) if summed or asked.spans else most
        told = [
            speak("{date} {action}", date=row["date"], action=_say_action(desk, mention, row)) for row in rows[:most]
        ]
        more = speak("; {count} are stored in all", count=len(rows)) if len(rows) > most else ""
        lines.append(
            f"{head}{speak(': ')}"
            + speak("ex-dates, newest first: {told}{more}", told=speak.join_clauses(told), more=more)
            + mark
        )
        if summed and len(rows) > 1:
            lines.append(_say_sum(desk, mention, rows))
    if _WILL_SPLIT.search(asked.words):
        lines.insert(0, speak("I give no forecasts: whether another split comes, only the company announces."))
    if (
        not _LAST_ONE.search(asked.words)
        and not _WILL_SPLIT.search(asked.words)
        and (not asked.spans or asked.spans[0].kind == FUTURE)
    ):
        nexts = yield from _say_next_dates(desk, asked, "ex-dividend")
        lines = nexts + lines if _ASKS_WHEN.search(asked.words) else lines + nexts
    return reply_of_lines(*lines, *notes)


def _ex_dates_within(asked: FactQuestion, first: date, last: date) -> tuple[date, date]:
    """Return the days between which dividends of a time go ex; those of a business year do so from September on."""
    if not _FISCAL.search(asked.words) or (last - first).days < SHORTEST_YEAR:
        return first, last
    return first.replace(month=9), date(first.year + 1, 8, 31)


def _say_business_year(desk: ToolDesk, span: TimeSpan, first: date, last: date) -> list[str]:
    """Return between which ex-dates the dividends of a business year were looked for; [] for any other time."""
    if span.first is None or (first, last) == (span.first, span.last):
        return []
    return [
        desk.speak("The store has ex-dates, not the year a dividend is of: those from {first} to {last} count to"
                   " {year}.", first=f"{first}", last=f"{last}", year=span.first.year)
    ]  # fmt: skip


SHORTEST_YEAR = 300
"""Days of a stretch that counts as a year."""
_FISCAL = pattern(r"年度(?!化)|年年?报|财年|会计年|\b(?:fiscal|fy ?\d+|financial year)\b", re.I)
"""The year that a dividend is of, not the one in which it is paid."""
_MOST_SUMMED = 12
_SUM = pattern(
    r"[总一]共|合计|累计|总计|共(?=分|派)|加起来|\b(?:total|altogether|in all|in sum|combined"
    r"|added up)\b|\bhow much\b",
    re.I,
)


def _say_sum(desk: ToolDesk, mention: Mention, rows: list[Json]) -> str:
    """Return what dividends come to a share; bonus issues and splits between them change what a share is."""
    cash = sum(float(row.get("cash") or 0) for row in rows)
    currency = "" if mention.symbol.market == "CN" else f" {wording.CURRENCIES.get(mention.symbol.market, '')}"
    told = desk.speak("In all **{cash}** in cash a share.", cash=f"{cash:.4g}{currency}")
    changed = any(row.get("bonus") or row.get("split") not in (None, 0, 1) for row in rows)
    return told + (desk.speak(" Bonus issues and splits of that time are not counted.") if changed else "")


_COUNTED = pattern(
    rf"(?:最近|近|过去|上|前)的?\s*(?P<n>{COUNT})\s*次"
    rf"|\b(?:last|latest|past|newest|previous|recent) (?P<n_en>{COUNT})\b(?! (?:years?|months?))",
    re.I,
)
_HOW_OFTEN = pattern(r"几次|多少次|几回|\bhow (?:many(?: times)?|often)\b", re.I)
_LAST_ONE = pattern(r"上[一]?次|最近一次|\b(?:last|latest|previous)(?: time| dividend| payment| ex-?date)?\b", re.I)
_DIVIDEND = pattern(r"分红|派息|股息|派现|\bdividends?\b", re.I)
_ASKS_WHEN = pattern(r"什么时候|何时|哪[天日]|几号|下[一个次]|接下来|\b(?:when|next|upcoming|coming)\b", re.I)


def _say_next_dates(desk: ToolDesk, asked: FactQuestion, kind: str) -> Work[list[str]]:
    """Return the next ex-date, or the next report, of each security; that none is known where none is."""
    speak, lines = desk.speak, []
    for mention in asked.securities[:MOST]:
        told, known = yield from date_facts.find_next_dates(desk, mention, kind)
        name = wording.short_name(desk, mention)
        if not known:
            lines.append(
                speak("{name}: no coming ex-date is known; the company's announcement tells it.", name=name)
                if kind == "ex-dividend"
                else speak("{name}: the date of the next report is not known.", name=name)
            )
            lines += told
        elif kind == "ex-dividend":
            lines.append(speak("**{name}: next ex-date {told}**", name=name, told=told[0]))
        else:
            lines.append(speak("**{name}: next report {told}**", name=name, told=told[0]))
    return lines


def _pays(row: Json) -> bool:
    """Whether an action is a dividend, or may be one: of some only the effect on prices is told."""
    return bool(row.get("cash") or row.get("factor"))


def _say_action(desk: ToolDesk, mention: Mention, row: Json) -> str:
    speak, told = desk.speak, []
    if row.get("cash"):
        cash = f"{row['cash']:g}"
        told.append(
            speak("{cash} in cash a share", cash=cash) if mention.symbol.market == "CN"
            else speak("{cash} {currency} in cash a share", cash=cash,
                       currency=wording.CURRENCIES.get(mention.symbol.market))
        )  # fmt: skip
    elif row.get("factor"):
        told.append(speak("a dividend or split whose amount the source does not tell"))
    if row.get("bonus"):
        told.append(speak("{bonus} bonus shares a share", bonus=f"{row['bonus']:g}"))
    if row.get("rights"):
        told.append(
            speak(
                "{rights} rights a share at {price}",
                rights=f"{row['rights']:g}",
                price=f"{row.get('rights_price') or 0:g}",
            )
        )
    if row.get("split") and row["split"] != 1:
        told.append(speak("split 1 : {ratio}", ratio=f"{row['split']:g}"))
    return speak.join_items(told) or "–"


_DAYS_TO = pattern(r"几天|多少天|\bdays\b|\bhow long\b", re.I)
"""Words that ask how long it is until a date."""


_LAST_REPORT = pattern(r"上[一]?[次期]|最近一[次期]|\b(?:last|latest|most recent(?:ly)?|newest)\b(?! year)", re.I)
_NEXT_REPORT = pattern(r"下[一]?[次期]|\b(?:next|coming|upcoming|will)\b", re.I)


def answer_report_dates(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer when a company will report, as far as it is known, and when it last did."""
    speak = desk.speak
    lines = yield from _say_next_dates(desk, asked, "report")
    newest_first = _LAST_REPORT.search(asked.words) and not _NEXT_REPORT.search(asked.words)
    for mention in asked.securities[:MOST]:
        if _DAYS_TO.search(asked.words):
            lines += yield from date_facts.say_days_to(desk, mention, "report")
        result = yield from desk.one("market.fundamentals", symbol=mention.code, periods=5)
        rows = wording.rows_of(result, "reports") if result.ok else []
        head = wording.head_of(desk, mention)
        if not rows:
            none = speak("no report is stored (`ia sync fundamentals` fetches them)")
            if result.failure is not None and mention.symbol.market != "CN":
                none = say_no_valuation(desk, mention, result.failure)
            lines.append(f"{head}{speak(': ')}{none}")
            continue
        newest = f"{head}{speak(': ')}" + speak(
            "the newest report is that of {period}, published {published}.",
            period=rows[0].get("period"),
            published=rows[0].get("published") or "–",
        )
        ends = next((ends for ends, words in _QUARTERS if words.search(asked.words)), "")
        if asked.facts[0].field == "out" and ends:
            lines.insert(0, _say_out(desk, head, ends, rows))
            continue
        period = str(rows[0].get("period") or "")
        if newest_first or (ends and period.endswith(ends)):
            lines.insert(0, newest)
        elif ends and mention.symbol.market == "CN" and (other := _say_later(desk, head, ends, rows)):
            lines[:0] = [other]
            lines.append(newest)
        else:
            lines.append(newest)
        if hint := _say_last_year(desk, rows):
            lines.append(hint)
    return reply_of_lines(*lines)


def find_named_end(words: str) -> str:
    """Return the end of the period of a report that is named by it, as month and day; "" for any other.

    >>> find_named_end("五粮液中报的ROE"), find_named_end("the ROE of ICBC")
    ('06-30', '')
    """
    return next((ends for ends, form in _QUARTERS[:3] if form.search(words)), "")


_ENDS = ("03-31", "06-30", "09-30", "12-31")
_QUARTERS = (
    ("03-31", pattern(r"一季[报度]|\b(?:q1|first[- ]quarter)\b", re.I)),
    ("06-30", pattern(r"中报|半年报|\b(?:q2|second[- ]quarter|half[- ]year(?:ly)?|interim)\b", re.I)),
    ("09-30", pattern(r"三季[报度]|\b(?:q3|third[- ]quarter)\b", re.I)),
    ("12-31", pattern(r"(?<!半)年报|四季[报度]|\b(?:annual|full[- ]year|q4|fourth[- ]quarter)\b", re.I)),
)
"""The ends of the periods that reports of mainland companies are of, and the words for them."""


def _say_out(desk: ToolDesk, head: str, ends: str, rows: list[Any]) -> str:
    """Return whether the newest report that may be of a period is out: the one that is due next is not."""
    speak, newest = desk.speak, str(rows[0].get("period") or "")
    found = next((row for row in rows if str(row.get("period") or "").endswith(ends)), None)
    due = newest[5:] in _ENDS and _ENDS.index(ends) == (_ENDS.index(newest[5:]) + 1) % len(_ENDS)
    if due or found is None:
        year = int(newest[:4]) + (ends <= newest[5:])
        return speak("{name}: **not yet**, no report of {period} is stored; the newest is that of {newest}, published"
                     " {published}.", name=head, period=f"{year}-{ends}", newest=newest,
                     published=rows[0].get("published") or "–")  # fmt: skip
    return speak("{name}: **yes**, the report of {period} was published {published}.", name=head,
                 period=found["period"], published=found.get("published") or "–")  # fmt: skip


def _say_later(desk: ToolDesk, head: str, ends: str, rows: list[Any]) -> str:
    """Return that no date of a report after the next one is known, and when the last such came out; "" for the next."""
    newest = str(rows[0].get("period") or "")
    if newest[5:] not in _ENDS or _ENDS.index(ends) == (_ENDS.index(newest[5:]) + 1) % len(_ENDS):
        return ""
    period = f"{int(newest[:4]) + (ends <= newest[5:])}-{ends}"
    before = next((row for row in rows if str(row.get("period") or "").endswith(ends) and row.get("published")), None)
    told = (
        desk.speak("; that of {before} came out on {published}", before=before["period"], published=before["published"])
        if before
        else ""
    )
    return desk.speak("{name}: **no date of the report of {period} is known yet**{before}.", name=head, period=period,
                      before=told)  # fmt: skip


def _say_last_year(desk: ToolDesk, rows: list[Any]) -> str:
    """Return when the report of the same period came out a year before the one that is due next; "" unknown."""
    order = ("03-31", "06-30", "09-30", "12-31")
    newest = str(rows[0].get("period") or "")
    if newest[5:] not in order:
        return ""
    year, at = int(newest[:4]), order.index(newest[5:])
    next_period = f"{year + (at == 3)}-{order[(at + 1) % 4]}"
    before = f"{int(next_period[:4]) - 1}{next_period[4:]}"
    found = next((row for row in rows if row.get("period") == before and row.get("published")), None)
    if found is None:
        return ""
    return desk.speak(
        "Next is that of {period}; the one of {before} came out on {published}.",
        period=next_period,
        before=before,
        published=found["published"],
    )


def answer_unknowable(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Say that nobody can know it, and what there is instead; the owner's own target price is in the notes."""
    speak, mention = desk.speak, asked.securities[0]
    if asked.facts[0].field == "target_price":
        from ia.agent.analyst.jobs import own_notes

        if own_notes.asks_for_noted_target(asked.words):
            return (yield from own_notes.quote_target(desk, mention))
    name = wording.head_of(desk, mention)
    if asked.facts[0].field == "no_source":
        return reply_of_lines(
            speak("{name}: I have no source for policy, opinions, products or sales figures, and I do not invent.",
                  name=name),
            speak('What there is: prices, valuation, reports, dividends and news, such as "any news on {security}?".',
                  security=mention.said),
        )  # fmt: skip
    if asked.facts[0].field == "no_figure":
        return reply_of_lines(
            speak("{name}: that figure is not stored here, and I do not invent one.", name=name),
            speak("What there is: revenue, profit, margins, ROE, EPS, debt ratio, cash flow and dividends."),
        )
    if asked.facts[0].field == "target_price":
        said = speak("{name}: I give no target prices.", name=name)
    elif asked.facts[0].field == "issue_price":
        return reply_of_lines(speak("{name}: its issue price is not stored here; the prospectus tells it.", name=name))
    else:
        said = speak("{name}: whether it will rise or fall I do not know, and I give no forecasts.", name=name)
    more = speak(
        'What speaks for and against it, and the levels that would change that: "look at {security}". Its valuation:'
        ' "is {security} expensive?"',
        security=mention.said,
    )
    return reply_of_lines(said, more)


ANSWERS = {
    "quote": answer_quote,
    "report": answer_quote,
    "actions": answer_actions,
    "report_dates": answer_report_dates,
    "refuse": answer_unknowable,
}
