"""How backtests are printed: the answer first, then what it is measured against, then trades and orders."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from ia.kernel.i18n import Voice, mark_text
from ia.kernel.jsontypes import Json
from ia_cli.terminal.output import Row, emit_lines, emit_rows, format_value, shorten_digest
from ia_cli.terminal.text import lang, say, tr
from ia_cli.terminal.wide_tables import emit_wide_rows

LIST_COLUMNS = (
    "id", "created", "universe", "rules", "first", "last", "return_frac", "cagr_frac", "max_drawdown_frac",
    "simulated",
)  # fmt: skip
LIST_HEADS = {
    "id": "id", "created": "created", "universe": "tested on", "rules": "rules", "first": "first day",
    "last": "last day", "return_frac": "return%", "cagr_frac": "a year%", "max_drawdown_frac": "drawdown%",
    "simulated": "simulated",
}  # fmt: skip
_LIST_SPARE = ("simulated", "created", "cagr_frac", "first", "last")
_DIFFERENCE_NAMES = {
    "return_frac": mark_text("return %"), "cagr_frac": mark_text("return % a year"),
    "max_drawdown_frac": mark_text("maximum drawdown %"), "volatility_ann_frac": mark_text("volatility % a year"),
    "sharpe": mark_text("Sharpe ratio"), "exposure_frac": mark_text("invested %"),
    "turnover_ann": mark_text("turnover a year"), "fees": mark_text("fees"), "equity": mark_text("equity after"),
}  # fmt: skip
"""Figures of `ia backtest diff`, as a terminal names them."""
_SIGNED = ("return_frac", "cagr_frac")


REASONS = {
    "cash": mark_text("not enough cash"),
    "below a lot": mark_text("less than one lot"),
    "lot": mark_text("quantity does not fit the lots"),
    "shares": mark_text("shares not held or not sellable yet"),
    "price limit": mark_text("at the price limit"),
    "price": mark_text("price outside the limits"),
    "suspended": mark_text("no trading"),
    "delisted": mark_text("delisted"),
    "volume": mark_text("above the volume cap"),
    "not reached": mark_text("price not reached"),
    "cancel": mark_text("cancelled"),
    "oco": mark_text("the other exit was filled"),
    "end": mark_text("open at the end"),
    "window_end": mark_text("sold at the end of a test"),
}
"""Why an order was not filled, by the word of orders.csv."""


def write_table(target: str | None, text: Callable[[], str]) -> None:
    """Write a CSV text to a file or, for `-`, to standard output; nothing for None."""
    from ia.kernel import files

    if target == "-":
        sys.stdout.write(text())
    elif target:
        import os

        files.replace_file(os.path.abspath(target), text())


def emit_runs(rows: Sequence[Row], *, as_json: bool = False, as_jsonl: bool = False) -> None:
    """Write the rows of `list_runs`; on a terminal with days for times and percents for fractions."""
    if sys.stdout.isatty() and not (as_json or as_jsonl):
        rows = [
            {
                **row,
                "created": row["created"][:10],
                "simulated": tr("yes") if row["simulated"] else "",
                **{name: format_percent(row[name], name in _SIGNED) for name in row if name.endswith("_frac")},
            }
            for row in rows
        ]
    emit_wide_rows(
        rows,
        LIST_COLUMNS,
        LIST_HEADS,
        spare=_LIST_SPARE,
        free={"rules": 20, "universe": 10},
        as_json=as_json,
        as_jsonl=as_jsonl,
    )


def print_backtest(run: Any, ws: Any = None) -> None:
    """Print the figures of a saved run; with a workspace also what they are worth after all that was tried."""
    from ia.faculties.lab.each_sentences import describe_each
    from ia.faculties.lab.selection_sentences import describe_selection
    from ia.kernel.i18n import Voice
    from ia_cli.terminal import sweep_views
    from ia_cli.terminal.text import lang

    figures, settings = run.figures, run.settings
    if "map" in figures:
        sweep_views.print_sweep(run)
        return
    if figures.get("each"):
        lines = [*describe_each(figures, Voice(lang())), *_order_lines(figures)]
    else:
        lines = [
            *_answer_lines(figures),
            *_comparison_lines(figures),
            *_risk_lines(figures),
            *_trade_lines(figures),
            *_order_lines(figures),
        ]
    if worth := measure_worth(ws, run).get("selection"):
        lines += describe_selection(worth, Voice(lang()))
    if "walk_forward" in figures:
        lines += sweep_views.walk_lines(figures["walk_forward"])
    lines += _warning_lines(figures)
    lines.append(say("Saved: {path}", path=f"runs/{run.id}/"))
    head = say(
        "{universe}, {first} to {last}",
        universe=_shorten_universe(settings),
        first=figures["first"],
        last=figures["last"],
    )
    if figures.get("simulated"):
        head += " · " + say("SIMULATED PRICES")
    emit_lines([head, *lines])


def measure_worth(ws: Any, run: Any) -> Json:
    """Return `selection`: what a run is worth after all trials of its family; what a sweep has saved stays."""
    from ia.faculties.lab.selection_figures import measure_run

    if run.figures.get("selection"):
        return {"selection": run.figures["selection"]}
    if ws is None or "map" in run.figures or run.settings.get("kind") != "rules":
        return {}
    return {"selection": measure_run(ws, run, lambda each: say(each.template, **each.params))}


def _shorten_universe(settings: Json) -> str:
    text = str(settings.get("universe", ""))
    return text if len(text) <= 60 else text[:57] + "…"


def _answer_lines(figures: Json) -> list[str]:
    return [
        say(
            "Return {total}, {growth} a year; largest drawdown {fall}. {cash} became {equity} {currency}.",
            total=_pct(figures["return_frac"]),
            growth=_pct(figures["cagr_frac"]),
            fall=_size(figures["max_drawdown_frac"]),
            cash=_money(figures["cash"]),
            equity=_money(figures["equity"]),
            currency=figures["currency"] or say("(no currency)"),
        )
    ]


def _comparison_lines(figures: Json) -> list[str]:
    lines = []
    for key, each in figures.get("compare", {}).items():
        if each.get("return_frac") is None:
            continue
        name = {
            "buy_and_hold": say("Buy and hold {name}", name=_name_security(each["name"])),
            "equal_weight": say("Equal weight of {count} securities", count=each["name"]),
        }.get(key) or say("Benchmark {name}", name=_name_security(each["name"]))
        lines.append(
            say(
                "{name}: {total}, {growth} a year; drawdown {fall}; the strategy did {excess} points.",
                name=name + ("" if each["total_return"] else say(" (without dividends)")),
                total=_pct(each["return_frac"]),
                growth=_pct(each["cagr_frac"]),
                fall=_size(each["max_drawdown_frac"]),
                excess=f"{each['excess_frac'] * 100:+.1f}",
            )
        )
    return lines


def _name_security(told: str) -> str:
    """Return a code with its name, in English where that is known and the reader's language."""
    from ia.domain.instruments.symbols import security_name

    code, _, name = told.partition(" ")
    return f"{code} {security_name(code, name, lang())}".strip()


def _risk_lines(figures: Json) -> list[str]:
    return [
        say(
            "Volatility {vol} a year, Sharpe {sharpe}, Sortino {sortino} ({sessions} sessions a year); invested"
            " {exposure}; turnover {turnover} a year.",
            vol=_size(figures["volatility_ann_frac"]),
            sharpe=_ratio(figures["sharpe"]),
            sortino=_ratio(figures["sortino"]),
            sessions=figures["sessions_a_year"],
            exposure=_pct(figures["exposure_frac"], "{:.0f}%"),
            turnover=_ratio(figures["turnover_ann"]),
        )
    ]


def _trade_lines(figures: Json) -> list[str]:
    trades = figures["trades"]
    return [
        say(
            "Trades: {closed} closed, {won} won ({rate}), profit factor {factor}, {days} days held on average;"
            " {open} open. Fees {fees}, dividend tax {tax}.",
            closed=trades["closed"],
            won=trades["won"],
            rate=_pct(trades["win_rate_frac"], "{:.0f}%"),
            factor=_ratio(trades["profit_factor"]),
            days="–" if trades["holding_days"] is None else f"{trades['holding_days']:.0f}",
            open=figures["open_positions"],
            fees=_money(figures["fees"]),
            tax=_money(figures["dividend_tax"]),
        )
    ]


def _order_lines(figures: Json) -> list[str]:
    orders = figures["orders"]
    ends = [f"{say(REASONS.get(reason, reason))} {count}" for reason, count in orders["reasons"].items()]
    voice = Voice(lang())
    told = voice(", ", context="enumeration").join(ends)
    line = say("Orders: {given} given, {filled} filled", given=orders["given"], filled=orders["filled"])
    return [say("; ").join(filter(None, (line, told))) + say(".")]


def _warning_lines(figures: Json) -> list[str]:
    from ia.faculties.lab.run_sentences import describe_st_days

    lines = []
    if figures.get("ended_early"):
        lines.append(
            say(
                "{count} of {all} securities ended before the last day; {part} of the last equity is in them.",
                count=figures["ended_early"],
                all=figures["securities"],
                part=_pct(figures["ended_early_equity_frac"]),
            )
        )
    return [*lines, *describe_st_days(figures, Voice(lang()))]


def print_differences(found: Json) -> None:
    """Print what differs between two runs."""
    runs = found["runs"]
    columns = ("what", "a", "b")
    person = sys.stdout.isatty()
    rows = [
        dict(
            zip(
                columns, (name, *(shorten_digest(format_value(each)) if person else each for each in pair)), strict=True
            )
        )
        for name, pair in found["settings"].items()
        if not isinstance(pair[0] or pair[1], dict)
    ]
    for name, pair in found["figures"].items():
        cells = [_difference_cell(name, each, person=person) for each in pair]
        rows.append(dict(zip(columns, (tr(_DIFFERENCE_NAMES[name]) if person else name, *cells), strict=True)))
    if person:
        heads = dict(zip(columns, ("", *runs), strict=True))
        emit_wide_rows(rows, columns, heads, free=dict.fromkeys(columns[1:], 14))
    else:
        emit_rows([{"what": "id", "a": runs[0], "b": runs[1]}, *rows], columns)
    if found["orders_part"]:
        click.echo(say("Orders part on {day}.", day=found["orders_part"]["day"]))
    else:
        click.echo(say("The orders are the same."))
    if found.get("decisions_part"):
        click.echo(say("Decisions part on {day}.", day=found["decisions_part"]["day"]))
        for run, orders in zip(found["runs"], found["decisions_part"]["orders"], strict=True):
            told = [f"{order['action']} {order['quantity'] or ''} {order['symbol']}" for order in orders or []]
            click.echo("\t".join([run, "; ".join(told) or "–"]))
    for line in found.get("playbook", ()):
        click.echo(line)


def _difference_cell(name: str, value: float | None, *, person: bool) -> str:
    if value is None:
        return ""
    if not person:
        return f"{value:.6g}"
    return format_percent(value, name in _SIGNED) if name.endswith("_frac") else f"{value:,.2f}"


def format_percent(value: float | None, signed: bool = False) -> str:
    """Return a fraction in percent for a cell of a table.

    >>> format_percent(0.1234, signed=True), format_percent(-0.2), format_percent(None)
    ('+12.3', '-20.0', '')
    """
    return "" if value is None else f"{round(value * 100, 1) + 0.0:{'+' if signed else ''}.1f}"


def _pct(value: float | None, form: str = "{:+.1f}%") -> str:
    return "–" if value is None else form.format(value * 100)


def _size(value: float | None) -> str:
    """Return a volatility, or a drawdown, which is negative; neither has a plus sign."""
    return "–" if value is None else f"{format_percent(value)}%"


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _money(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.2f}"
