"""What a symbol's page tells of the past: its line against the index, its valuation day by day, its dividends."""

from ia.domain.instruments import symbols
from ia.faculties.pictures import comparison_chart, report_parts, shapes
from ia.faculties.pictures.chart import ChartLine
from ia.faculties.pictures.chart_source import DRAWN, ChartOrigin
from ia.faculties.pictures.report_parts import SheetCell
from ia.faculties.pictures.scale import format_number
from ia.kernel.errors import IaError, PluralText
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace

LEAST_DAYS = 5
"""Stored days from which on a valuation is drawn."""
SHOWN = 20


def render_against_index(ws: Workspace, origin: ChartOrigin, voice: Voice) -> str:
    """Return the closes of a year beside those of the index of the market; only what is stored is read of it."""
    from ia.domain.instruments.symbols import symbol_of_kind
    from ia.wiring.comparison import INDEX_OF, CompareRequest, Side, load_side

    say, index = voice, INDEX_OF.get(origin.market, "")
    if not origin.symbol or not index or index == origin.symbol or (origin.period or "daily") != "daily":
        return ""
    title = say("Against the index")
    try:
        other = load_side(ws, index, CompareRequest((), stale=True))
        own = Side(
            symbol=symbol_of_kind(origin.symbol),
            name=origin.name,
            bars=origin.bars,
            source=origin.adapter,
            simulated=origin.simulated,
        )
        start = comparison_chart.window_start((own, other), DRAWN)
        drawn = comparison_chart.build_comparison((own, other), start, voice)
    except IaError:
        missing = say("no prices of {symbol} are stored; run `ia ohlcv {symbol}`", symbol=index)
        return report_parts.render_section(title, report_parts.render_paragraph(missing))
    lines = [
        ChartLine(symbols.security_name(side.symbol.canonical, side.name, voice.lang) or line.label, line.values)
        for side, line in zip((own, other), drawn.overlays, strict=True)
    ]
    ends = [value for line in lines if (value := line.values[-1]) is not None]
    told = " · ".join(f"{line.label} {value:.2f}" for line, value in zip(lines, ends, strict=False))
    picture = report_parts.render_picture(
        lambda width: shapes.draw_curves(drawn.bars.date, lines, title, told, lang=voice.lang, width=width)
    )
    return report_parts.render_section(title, picture, report_parts.render_paragraph(f"{drawn.unit} · {told}"))


def render_valuation_history(ws: Workspace, origin: ChartOrigin, voice: Voice) -> str:
    """Return P/E and P/B of the stored days as lines, and where the newest stand among them."""
    from ia.organs.market import valuation

    say = voice
    try:
        dates, multiples = valuation.load_multiples(ws, origin.symbol)
    except IaError:
        return ""
    title = say("Valuation history")
    if len(dates) < LEAST_DAYS:
        told = say(
            PluralText(
                "the valuation of {count} day is stored; ia sync keeps one a session",
                "the valuations of {count} days are stored; ia sync keeps one a session",
            ),
            count=len(dates),
        )
        return report_parts.render_section(title, report_parts.render_paragraph(told))
    parts = []
    for name, label in (("pe_ttm", say("P/E (TTM)")), ("pb", "P/B")):
        values = multiples[name]
        known = sorted(value for value in values if value is not None)
        if len(known) < LEAST_DAYS:
            continue
        told = say(
            "{label}: lowest {low}, median {middle}, highest {high}",
            label=label,
            low=f"{known[0]:.2f}",
            middle=f"{known[len(known) // 2]:.2f}",
            high=f"{known[-1]:.2f}",
        )
        parts.append(
            report_parts.render_picture(
                lambda width, values=values, label=label, told=told: shapes.draw_curves(  # type: ignore[misc]
                    dates, [ChartLine(label, values)], label, told, height=170, width=width
                )
            )
            + report_parts.render_paragraph(told)
        )
    return report_parts.render_section(title, *parts) if parts else ""


def render_dividends(origin: ChartOrigin, voice: Voice) -> str:
    """Return the corporate actions as a table, newest first."""
    say = voice
    if not origin.actions:
        return ""
    heads = [say(head) for head in ("Ex-date", "Cash a share", "New shares a share", "Rights a share", "Split")]
    rows: list[list[SheetCell | str]] = [
        [
            act.date,
            format_number(act.cash) if act.cash else "",
            format_number(act.bonus) if act.bonus else "",
            format_number(act.rights) if act.rights else "",
            f"1:{format_number(act.split)}" if act.split != 1 else "",
        ]
        for act in sorted(origin.actions, reverse=True)
    ]
    note = ""
    if len(rows) > SHOWN:
        note = report_parts.render_paragraph(say("newest {count} of {all}", count=SHOWN, all=len(rows)))
    table = report_parts.render_table(heads, rows[:SHOWN])
    return report_parts.render_section(
        say("Dividends and splits"), table, note, report_parts.render_paragraph(say("cash before tax"))
    )
