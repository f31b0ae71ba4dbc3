"""Facts of a security that the store holds: quotes, reports, valuation, dividends; and what nobody can know."""

from typing import Any

from ia.agent.analyst.ask.facts import FactQuestion, FactSpec
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import FUTURE, RANGE, TimeSpan
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json

MOST = 4
"""Securities that one answer is about."""
_PERIODS = 20


def answer_quote(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with figures of the stored quote and of the newest report."""
    speak, lines = desk.speak, []
    mentions = asked.securities[:MOST]
    quoted = [spec for spec in asked.facts if spec.answer == "quote"]
    reported = [spec for spec in asked.facts if spec.answer == "report"]
    quotes = yield from _load_quotes(desk, mentions) if quoted else _nothing()
    if quotes is not None and quotes.failure is not None:
        return wording.unreadable(desk, speak("the stored quotes"), quotes.failure)
    for mention in mentions:
        told: list[str] = []
        if quotes is not None:
            told.append(_say_quote(desk, asked, quoted, _row_of(quotes, mention), quotes))
        if reported:
            result = yield from desk.one("market.fundamentals", symbol=mention.code, periods=_PERIODS)
            told.append(_say_report(desk, asked, reported, result))
        lines.append(f"{wording.head_of(desk, mention)}{speak(': ')}{speak.join_clauses(told)}")
    return reply_of_lines(*lines)


def _nothing() -> Work[None]:
    yield from ()
    return None


def _load_quotes(desk: ToolDesk, mentions: tuple[Mention, ...]) -> Work[DeskResult]:
    return (yield from desk.one("market.quote", symbols=[mention.code for mention in mentions]))


def _row_of(quotes: DeskResult, mention: Mention) -> Json | None:
    rows = wording.rows_of(quotes, "quotes")
    return next((row for row in rows if row.get("symbol") == mention.code), None)


def _say_quote(desk: ToolDesk, asked: FactQuestion, specs: list[FactSpec], row: Json | None, quotes: DeskResult) -> str:
    """Return the figures of a stored quote, with its day; why not where there is none, or of another day."""
    speak = desk.speak
    if row is None:
        return speak("no quote is stored (`ia sync daily` fetches those of the mainland)")
    day = str(row.get("date") or "")
    if span := wording.other_day(asked, day):
        return speak("only the figures of {day} are stored, not those of “{time}”", day=day, time=span.said)
    known = [
        f"{wording.fact_name(desk, spec)} {wording.say_value(desk, row.get(spec.field), spec.unit)}" for spec in specs
    ]
    unknown = [wording.fact_name(desk, spec) for spec in specs if row.get(spec.field) is None]
    tail = speak(" (the source gives no {names})", names=speak.join_items(unknown)) if unknown else ""
    mark = wording.simulated_mark(desk, row.get("simulated"))
    return f"{speak.join_items(known)}{speak(' ({date})', date=day)}{mark}{tail}"


def _say_report(desk: ToolDesk, asked: FactQuestion, specs: list[FactSpec], result: DeskResult) -> str:
    """Return the figures of the report that a question means, with its period and when it was published."""
    speak = desk.speak
    rows = wording.rows_of(result, "reports") if result.ok else []
    if not rows:
        return speak("no report is stored (`ia sync fundamentals` fetches them)")
    span = asked.spans[0] if asked.spans else None
    row = _report_of(rows, span)
    if row is None:
        said = span.said if span else ""
        newest = rows[0].get("period")
        return speak("no report of “{time}” is stored; the newest is that of {period}", time=said, period=newest)
    known = [
        f"{wording.fact_name(desk, spec)} {wording.say_value(desk, row.get(spec.field), spec.unit)}" for spec in specs
    ]
    basis = str(row.get("basis") or "")
    told = speak(
        " (report of {period}, published {published}{basis})",
        period=row.get("period"),
        published=row.get("published") or "–",
        basis=_basis(desk, row, basis),
    )
    return speak.join_items(known) + told + wording.simulated_mark(desk, row.get("simulated"))


def _basis(desk: ToolDesk, row: Json, basis: str) -> str:
    """Return over which time a report's figures run: since the beginning of the year, or twelve months."""
    if basis == "ttm":
        return desk.speak(", trailing twelve months")
    if str(row.get("period") or "").endswith("12-31"):
        return desk.speak(", the whole year")
    return desk.speak(", since the beginning of the year")


def _report_of(rows: list[Json], span: TimeSpan | None) -> Json | None:
    """Return the report of the period that ends with a span; the newest without a span, None where there is none."""
    if span is None:
        return rows[0]
    if span.kind == RANGE and span.last is not None:
        return next((row for row in rows if str(row.get("period")) == f"{span.last}"), None)
    return None


def answer_valuation(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how a share is valued: P/E, P/B, ROE, and its place in its industry."""
    speak, lines = desk.speak, []
    mentions = asked.securities[:MOST]
    quotes = yield from _load_quotes(desk, mentions)
    if quotes.failure is not None:
        return wording.unreadable(desk, speak("the stored quotes"), quotes.failure)
    for mention in mentions:
        row = _row_of(quotes, mention)
        head = wording.head_of(desk, mention)
        if row is None:
            lines.append(
                head + speak(": ") + speak("no quote is stored (`ia sync daily` fetches those of the mainland)")
            )
            continue
        day = str(row.get("date") or "")
        if span := wording.other_day(asked, day):
            lines.append(
                head
                + speak(": ")
                + speak("only the figures of {day} are stored, not those of “{time}”", day=day, time=span.said)
            )
            continue
        industry = str(row.get("industry") or "")
        peers = (
            (
                yield from desk.one(
                    "market.screen", expr=f"industry = {industry} and pe > 0", sort="pe", limit=100, ascending=True
                )
            )
            if industry
            else None
        )
        lines.append(
            f"{head}{speak(': ')}"
            + speak(
                "P/E {pe}, P/B {pb}, ROE {roe} ({date}){mark}.",
                pe=wording.say_value(desk, row.get("pe"), "ratio"),
                pb=wording.say_value(desk, row.get("pb"), "ratio"),
                roe=wording.say_value(desk, row.get("roe_pct"), "percent_plain"),
                date=day,
                mark=wording.simulated_mark(desk, row.get("simulated")),
            )
        )
        if place := _say_place(desk, mention, industry, peers):
            lines.append(place)
    if len(mentions) == 1:
        lines.append(
            speak("Whether that is too much is a judgment: a high P/E wants growth, a low one may be a warning.")
        )
    return reply_of_lines(*lines)


def _say_place(desk: ToolDesk, mention: Mention, industry: str, peers: DeskResult | None) -> str:
    """Return which place a share's P/E has among those of its industry; "" where that is not known."""
    rows = peers.get("stocks") if peers is not None and peers.ok else None
    if not isinstance(rows, list) or len(rows) < 2 or peers is None or peers.get("met") != len(rows):
        return ""
    order = [str(row.get("symbol")) for row in rows if isinstance(row, dict)]
    if mention.code not in order:
        return ""
    values = sorted(float(row["pe"]) for row in rows if isinstance(row.get("pe"), int | float))
    middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    return desk.speak(
        "In {industry} its P/E is number {place} of {count} from the cheapest; the median is {median}.",
        industry=wording.industry_name(desk, industry),
        place=order.index(mention.code) + 1,
        count=len(order),
        median=f"{middle:,.2f}",
    )


def answer_actions(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the dividends, bonus shares and rights issues that are stored."""
    speak, lines = desk.speak, []
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
            rows = [row for row in rows if f"{span.first}" <= str(row["date"]) <= f"{span.last}"]
        if not rows:
            lines.append(f"{head}{speak(': ')}" + speak("no dividend, bonus or rights issue of that time is stored."))
            continue
        told = [speak("{date} {action}", date=row["date"], action=_say_action(desk, row)) for row in rows[:3]]
        more = speak("; {count} are stored in all", count=len(rows)) if len(rows) > 3 else ""
        mark = wording.simulated_mark(desk, result.get("simulated"))
        lines.append(
            f"{head}{speak(': ')}"
            + speak("ex-dates, newest first: {told}{more}", told=speak.join_clauses(told), more=more)
            + mark
        )
    if not asked.spans or asked.spans[0].kind == FUTURE:
        lines.append(speak("The next ex-date is not known here: the company's announcement tells it."))
    return reply_of_lines(*lines)


def _say_action(desk: ToolDesk, row: Json) -> str:
    speak, told = desk.speak, []
    if row.get("cash"):
        told.append(speak("{cash} in cash a share", cash=f"{row['cash']:g}"))
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


def answer_report_dates(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer when a company last reported; when it will is not known here."""
    speak, lines = desk.speak, []
    for mention in asked.securities[:MOST]:
        result = yield from desk.one("market.fundamentals", symbol=mention.code, periods=5)
        rows = wording.rows_of(result, "reports") if result.ok else []
        head = wording.head_of(desk, mention)
        if not rows:
            lines.append(f"{head}{speak(': ')}" + speak("no report is stored (`ia sync fundamentals` fetches them)"))
            continue
        lines.append(
            f"{head}{speak(': ')}"
            + speak(
                "the newest report is that of {period}, published {published}.",
                period=rows[0].get("period"),
                published=rows[0].get("published") or "–",
            )
        )
        if hint := _say_last_year(desk, rows):
            lines.append(hint)
    lines.append(speak("The date of the next one is not known here; exchanges publish the appointments."))
    return reply_of_lines(*lines)


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
    """Say that nobody can know it, and what there is instead."""
    yield from ()
    speak, mention = desk.speak, asked.securities[0]
    name = wording.head_of(desk, mention)
    if asked.facts[0].field == "target_price":
        said = speak("{name}: I give no target prices.", name=name)
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
    "valuation": answer_valuation,
    "actions": answer_actions,
    "report_dates": answer_report_dates,
    "refuse": answer_unknowable,
}
