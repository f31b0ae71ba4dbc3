"""The results of rules on each of many securities alone, in sentences."""

from collections.abc import Sequence

from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json


def describe_each(figures: Json, voice: Voice, names: dict[str, str] | None = None) -> list[str]:
    """Return how the returns of a run of `--each` are spread. `names`: what to call securities, by symbol."""
    say, spread, hold = voice, figures["returns"], figures["hold"]
    lines = [
        say(
            "Each of {count} securities alone, with {cash} {currency} each: median return {median}, mean {mean};"
            " {gained} gained, {traded} traded at all.",
            count=figures["securities"],
            cash=f"{figures['cash']:,.0f}",
            currency=figures["currency"],
            median=_percent(spread["median"]),
            mean=_percent(spread["mean"]),
            gained=_percent(figures["gained_frac"], "{:.0f}%"),
            traded=figures["traded"],
        ),
        say(
            "Half of the returns lie between {low} and {high}, nine in ten between {lowest} and {highest}; median of"
            " the largest drawdowns {fall}.",
            low=_percent(spread["p25"]),
            high=_percent(spread["p75"]),
            lowest=_percent(spread["p5"]),
            highest=_percent(spread["p95"]),
            fall=_percent(figures["drawdowns"]["median"], "{:.1f}%"),
        ),
    ]
    if hold:
        lines.append(
            say(
                "Holding: median {median}, mean {mean}; the rules did better on {part} of the securities.",
                median=_percent(hold["median"]),
                mean=_percent(hold["mean"]),
                part=_percent(figures["beat_hold_frac"], "{:.0f}%"),
            )
        )
    return [
        *lines,
        say("Highest: {rows}.", rows=_list_rows(figures["best"], voice, names or {})),
        say("Lowest: {rows}.", rows=_list_rows(figures["worst"], voice, names or {})),
        say("The highest of many are largely luck: choose no security by them."),
    ]


def _list_rows(rows: Sequence[Json], voice: Voice, names: dict[str, str]) -> str:
    told = (f"{names.get(row['symbol'], row['symbol'])} {_percent(row['return_frac'])}" for row in rows)
    return voice(", ", context="enumeration").join(told)


def _percent(value: float, form: str = "{:+.1f}%") -> str:
    return form.format(value * 100)
