"""What a result is worth after all that was tried, in sentences."""

from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json


def describe_selection(found: Json, voice: Voice) -> list[str]:
    """Return what the result of a run is worth, given its place among all variants that were tried."""
    say, lines = voice, list[str]()
    if found.get("place"):
        lines.append(
            say(
                "This is the {place} variant tried with these rules and securities (of {count}).",
                place=ordinal(found["place"]) if voice.lang == "en" else found["place"],
                count=found["trials"],
            )
        )
    return lines + describe_deflation(found, found["trials"], voice)


def describe_deflation(found: Json, tried: int, voice: Voice) -> list[str]:
    """Return the deflated Sharpe ratio and the intervals as lines."""
    say, lines = voice, list[str]()
    if found["dsr_frac"] is None:
        lines.append(say("No deflated Sharpe ratio: {reason}.", reason=found["reasons"].get("dsr_frac", "")))
        return lines
    if tried > 1:
        lines.append(
            say(
                "After {count} trials chance alone is expected to reach a Sharpe of {chance};"
                " the probability of a real one (deflated) is {dsr}.",
                count=tried,
                chance=_ratio(found["chance_sharpe"]),
                dsr=_pct(found["dsr_frac"], "{:.1f}%"),
            )
        )
    else:
        lines.append(
            say(
                "Probability that the true Sharpe is above 0: {psr}.",
                psr=_pct(found["psr_frac"], "{:.1f}%"),
            )
        )
    low, high = found["sharpe_ci95"]
    growth_low, growth_high = found["cagr_ci95_frac"]
    if low is not None:
        lines.append(
            say(
                "95% interval: Sharpe {low} to {high}, return a year {growth_low} to {growth_high}"
                " (bootstrap, blocks of {block} days, {draws} draws, seed {seed}).",
                low=_ratio(low),
                high=_ratio(high),
                growth_low=_pct(growth_low),
                growth_high=_pct(growth_high),
                block=found["bootstrap"]["block"],
                draws=found["bootstrap"]["draws"],
                seed=found["bootstrap"]["seed"],
            )
        )
    return lines


def ordinal(number: int) -> str:
    """Return an English ordinal.

    >>> ordinal(37), ordinal(1), ordinal(12), ordinal(122)
    ('37th', '1st', '12th', '122nd')
    """
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _pct(value: float | None, form: str = "{:+.1f}%") -> str:
    return "–" if value is None else form.format(value * 100)


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
