"""What a signal compares: the securities of a run that have a bar on a day, as `ia scan` compares its own."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ia.faculties.lab.run_types import RunMarket
from ia.faculties.lab.signals import SignalBars
from ia.kernel.errors import BadData

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ia.faculties.lab.cross_sections import CrossSection
    from ia.faculties.lab.signals import SignalExpression

    F = NDArray[np.float64]

BLOCK = 256


def compare_securities(signals: "Iterable[SignalExpression | None]", market: RunMarket) -> "dict[str, dict[str, F]]":
    """Return what the sections of signals come to on each bar: columns by their name, by symbol.

    A day's values are those of the bars up to it, so nothing looks ahead.

    Raises:
        BadData: there is one security only, its industry is not known, or what is compared is no number.
    """
    given = [signal for signal in signals if signal]
    sections = {section: argument for signal in given for section, argument in signal.sections}
    found: dict[str, dict[str, F]] = {name: {} for name in market.signal_bars}
    if not sections:
        return found
    if len(found) < 2:
        for signal in given:
            refuse_sections(signal)
    import numpy as np

    from ia.faculties.lab.cross_sections import group_days

    rows = {day: row for row, day in enumerate(market.trading_days)}
    places = {
        name: np.array([rows[day] for day in bars.date], dtype=np.intp) for name, bars in market.signal_bars.items()
    }
    names = list(found)
    for section, argument in sections.items():
        _require_numbers(section, argument, market)
        values = np.full((len(rows), len(names)), np.nan)
        for start in range(0, len(names), BLOCK):
            some = names[start : start + BLOCK]
            columns = argument.numbers_of(SignalBars([market.signal_bars[name] for name in some]))
            for column, (name, numbers) in enumerate(zip(some, columns, strict=True), start):
                values[places[name], column] = numbers
        industries = market.industries(market.trading_days) if section.by_industry and market.industries else None
        for begin, end, groups in group_days(industries, len(rows), names):
            for row in range(begin, end):
                values[row] = section.compare_day(values[row], groups)
        for column, name in enumerate(names):
            found[name][section.name] = values[places[name], column]
    return found


def refuse_sections(signal: "SignalExpression") -> None:
    """Raise BadData for a signal that compares securities, where each is alone."""
    for section, _ in signal.sections:
        raise BadData(
            "{option}: {function} compares securities, and here each is alone",
            option=signal.option,
            function=section.function,
            hint="give several securities or --in, without --each",
        )


def _require_numbers(section: "CrossSection", argument: "SignalExpression", market: RunMarket) -> None:
    if section.by_industry and market.industries is None:
        raise BadData(
            "{option}: industries are known of the synced market only",
            option=argument.option,
            hint="give the securities with --in, or leave out `industry`",
        )
    if argument.gives_truth:
        raise BadData(
            "{expression} gives true or false, and no number that could be compared",
            expression=argument.source,
            hint="for example xrank(roc(close, 20)) > 0.9",
        )
