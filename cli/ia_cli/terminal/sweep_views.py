"""How a sweep, a walk forward and the worth of a result after all trials are printed."""

from typing import TYPE_CHECKING

import click

from ia.faculties.lab.selection_sentences import describe_deflation
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia_cli.terminal.text import lang, say

if TYPE_CHECKING:
    from ia.faculties.lab.run_folders import SavedRun

SHADES = "▁▂▃▄▅▆▇█"


def print_sweep(run: "SavedRun") -> None:
    """Print the map of a sweep, then what its best variant is worth after all that was tried."""
    figures = run.figures
    head = say(
        "{universe}, {first} to {last}",
        universe=run.settings.get("universe", ""),
        first=figures["first"],
        last=figures["last"],
    )
    if figures.get("simulated"):
        head += " · " + say("SIMULATED PRICES")
    lines = [head, *map_lines(figures["map"]), *_spread_lines(figures)]
    if best := figures["best"]:
        told = ", ".join(f"{name}={value}" for name, value in best["point"].items())
        lines.append(
            say(
                "Highest: {point}, Sharpe {sharpe}, return {total}, drawdown {fall}, {trades} trades.",
                point=told,
                sharpe=_ratio(best["sharpe"]),
                total=_pct(best["return_frac"]),
                fall=_pct(best["max_drawdown_frac"], "{:.1f}%"),
                trades=best["trades"],
            )
        )
        lines += describe_deflation(figures["selection"], figures["trials"], Voice(lang()))
    lines += _search_lines(figures["search"])
    lines.append(say("Saved: {path}", path=f"runs/{run.id}/"))
    click.echo("\n".join(lines))


def map_lines(found: Json) -> list[str]:
    """Return a map of Sharpe ratios as lines: a shade and the number in each cell."""
    known = [value for row in found["values"] for value in row if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)

    def cell(value: float | None) -> str:
        if value is None:
            return "–"
        at = int((value - low) / (high - low) * (len(SHADES) - 1) + 0.5) if high > low else 3
        return f"{SHADES[at]} {value:.2f}"

    rows = [[cell(value) for value in row] for row in found["values"]]
    title = say("Sharpe ratio by {names}", names=" × ".join(filter(None, (found["row"], found["column"]))))
    if found["folded"]:
        title += " " + say("(median over {names})", names=", ".join(found["folded"]))
    corner = f"{found['row']}\\{found['column']}" if found["row"] else found["column"]
    table = [[corner, *found["columns"]], *([name, *row] for name, row in zip(found["rows"], rows, strict=True))]
    width = max(len(each) for line in table for each in line[1:])
    first = max(len(line[0]) for line in table)
    return [title, *(line[0].ljust(first) + "".join(f"  {each:>{width}}" for each in line[1:]) for line in table)]


def _spread_lines(figures: Json) -> list[str]:
    lines = [
        say(
            "{count} variants: Sharpe {low} to {high}, median {median}; {gained} gained.",
            count=figures["variants"],
            low=_ratio(figures["sharpe_lowest"]),
            high=_ratio(figures["sharpe_highest"]),
            median=_ratio(figures["sharpe_median"]),
            gained=_pct(figures["gained_frac"], "{:.0f}%"),
        )
    ]
    if figures["hold"] and figures["above_hold_frac"] is not None:
        lines.append(
            say(
                "{part} of them earned more than holding ({total}).",
                part=_pct(figures["above_hold_frac"], "{:.0f}%"),
                total=_pct(figures["hold"]["return_frac"]),
            )
        )
    if found := figures.get("benchmark"):
        lines.append(
            say(
                "{part} of them earned more than {name} ({total}).",
                part=_pct(found["above_frac"], "{:.0f}%"),
                name=found["name"],
                total=_pct(found["return_frac"]),
            )
        )
    return lines


def _search_lines(found: Json) -> list[str]:
    lines = []
    told = [f"{_pct(value, '{:.0f}%')} ({splits})" for splits, value in found["pbo_frac"].items() if value is not None]
    if told:
        lines.append(
            say(
                "Probability of overfitting: {parts} (blocks); near 50% or above the choice says nothing.",
                parts=", ".join(told),
            )
        )
    zero, hold = found["spa_p_zero"]["consistent"], found.get("spa_p_hold", {}).get("consistent")
    if zero is not None:
        lines.append(say("P that the best is chance, against earning nothing: {value} (SPA).", value=f"{zero:.3f}"))
    if hold is not None:
        lines.append(say("P that the best is chance, against holding: {value} (SPA).", value=f"{hold:.3f}"))
    return lines


def walk_lines(found: Json) -> list[str]:
    """Return the steps of a walk forward as lines, and what hindsight would have chosen."""
    lines = [say("Walk forward: parameters chosen in training only; the result joins the tests.")]
    heads = [say("test"), say("values"), say("Sharpe in training"), say("Sharpe in test"), say("return")]
    rows = [
        [
            f"{step['test_first']} – {step['test_last']}",
            ", ".join(f"{name}={value}" for name, value in step["point"].items()) if step["point"] else "–",
            _ratio(step["train_sharpe"]),
            _ratio(step["test_sharpe"]),
            _pct(step["test_return_frac"]),
        ]
        for step in found["steps"]
    ]
    from ia.kernel.text_width import display_width

    table = [heads, *rows]
    widths = [max(display_width(line[at]) for line in table) for at in range(len(heads))]
    for line in table:
        cells = [each + " " * (widths[at] - display_width(each)) for at, each in enumerate(line)]
        lines.append("  ".join(cells).rstrip())
    if found["hindsight_point"]:
        told = ", ".join(f"{name}={value}" for name, value in found["hindsight_point"].items())
        lines.append(
            say(
                "Mean Sharpe in training {train}; in hindsight {point} had {best} over all days.",
                train=_ratio(found["train_sharpe_mean"]),
                point=told,
                best=_ratio(found["hindsight_sharpe"]),
            )
        )
    return lines


def _pct(value: float | None, form: str = "{:+.1f}%") -> str:
    return "–" if value is None else form.format(value * 100)


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
