"""What an industry costs: the mean of its P/E, P/B and dividend yield, and those of its companies."""

from ia.agent.analyst.ask.facts import FactQuestion, asks_sector_value, industry_forms
from ia.agent.analyst.ask.screens import show_figures
from ia.agent.analyst.ask.time_spans import blank_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.screen_facts import load_industries
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.organs.market.screen_columns import column_title

_FIGURES = (("pe_ttm", "ratio"), ("pb", "ratio"), ("dividend_yield", "percent_plain"))
_SHOWN, _MOST = 5, 100


def answer_sector_value(desk: ToolDesk, asked: FactQuestion) -> Work[Reply | None]:
    """Answer what the industries of a question cost; None where it names none that is stored, or asks for more."""
    words = blank_spans(asked.words, asked.spans)
    if not asks_sector_value(words, industry_forms(words, (), desk.tables)):
        return None
    stored = yield from load_industries(desk)
    named = dict.fromkeys(name for _, name in industry_forms(words, stored, desk.tables) if name in stored)
    lines = list[str]()
    for name in named:
        lines += yield from _say_industry(desk, asked, name)
    if not lines:
        return None
    return reply_of_lines(
        *lines,
        desk.speak("Whether that is too much is a judgment: a high P/E wants growth, a low one may be a warning."),
    )


def _figure(row: Json, column: str) -> float | None:
    value = wording.figure_of(row, column)
    return wording.figure_of(row, f"{column}_pct") if value is None else value


def _say_industry(desk: ToolDesk, asked: FactQuestion, name: str) -> Work[list[str]]:
    """Return the means of an industry, and the figures of its largest companies; [] where none is stored."""
    speak = desk.speak
    found = yield from desk.one(
        "market.screen",
        expr=f"industry = {name} and {show_figures(each for each, _ in _FIGURES)}",
        sort="market_cap",
        limit=_MOST,
    )
    rows = wording.rows_of(found, "stocks")
    day, mark = wording.result_day(found), wording.simulated_mark(desk, found.get("simulated"))
    if not rows or wording.other_day(asked, day):
        return []
    told = []
    for column, unit in _FIGURES:
        values = [_figure(row, column) for row in rows]
        known = [value for value in values if value is not None and (value > 0 or column == "dividend_yield")]
        if known:
            mean = wording.say_value(desk, sum(known) / len(known), unit)
            told.append(speak("{column} {mean}", column=speak(column_title(column)), mean=mean))
    head = speak(
        "**{industry}**, mean of {count}: **{figures}** ({date}){mark}",
        industry=wording.industry_name(desk, name), count=len(rows), figures=speak.join_items(told), date=day,
        mark=mark,
    )  # fmt: skip
    lines = [head]
    for row in rows[:_SHOWN]:
        cells = [
            f"{speak(column_title(column))} {wording.say_value(desk, value, unit)}"
            for column, unit in _FIGURES
            if (value := _figure(row, column)) is not None
        ]
        lines.append(
            f"- {wording.security_name(desk, str(row.get('symbol')), row.get('name'))} {speak.join_items(cells)}"
        )
    if len(rows) > _SHOWN:
        lines.append(speak("… and {count} more.", count=len(rows) - _SHOWN))
    return lines
