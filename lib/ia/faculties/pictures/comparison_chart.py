"""The closes of several securities as lines, each 100 at the first session that all of them have."""

from collections.abc import Sequence

from ia.domain.instruments.boards import trading_currency
from ia.faculties.pictures.chart import ENGLISH, Chart, ChartLine, Values, up_color
from ia.kernel.errors import NotFound
from ia.kernel.i18n import Voice
from ia.organs.ohlcv.canonical import Bars
from ia.wiring.comparison import Side

BASE = 100.0


def build_comparison(series: Sequence[Side], since: str, voice: Voice, *, title: str | None = None) -> Chart:
    """Return the chart of the closes from the first common session on or after `since`.

    On a day on which one did not trade its line goes on level; after its newest bar it ends.
    raises  NotFound where there is no common session.
    """
    closes = [dict(zip(each.bars.date, each.bars.close, strict=True)) for each in series]
    common = sorted(date for date in set.intersection(*map(set, closes)) if date >= since)
    if not common:
        raise NotFound(
            "{symbols} have no common session in this period",
            symbols=", ".join(each.symbol.canonical for each in series),
        )
    first = common[0]
    dates = sorted(date for date in set().union(*closes) if date >= first)
    lines = tuple(
        ChartLine(_line_label(each, voice), _rebase(own, dates)) for each, own in zip(series, closes, strict=True)
    )
    drawn = [value if value is not None else BASE for value in lines[0].values]
    return Chart(
        Bars(dates, drawn, drawn, drawn, drawn, [0] * len(dates)),
        title=" · ".join(line.label for line in lines) if title is None else title,
        overlays=lines,
        up=up_color(series[0].symbol.market, voice.lang),
        volume=False,
        candles=False,
        unit=voice("{date} = 100", date=first),
        source=_describe(series, first, voice),
        source_en=_describe(series, first, ENGLISH),
        warning=voice("simulated prices") if any(each.simulated for each in series) else "",
        voice=voice,
    )


def _line_label(each: Side, voice: Voice) -> str:
    """Return how a line is called: its name for Chinese readers, its code for the others; short, for a legend."""
    return each.name if voice.lang == "zh" and each.name else each.symbol.canonical


def _rebase(own: dict[str, float], dates: Sequence[str]) -> Values:
    """Return the closes against the first, 100; a day without a bar has the value before it, up to the newest bar."""
    base, newest = own[dates[0]], max(own)
    found: Values = []
    value = BASE
    for date in dates:
        if date in own:
            value = own[date] / base * BASE
        found.append(value if date <= newest else None)
    return found


def _describe(series: Sequence[Side], first: str, voice: Voice) -> str:
    """Return the line that tells what is drawn: base, currencies, source."""
    currencies = dict.fromkeys(trading_currency(each.symbol) for each in series)
    sources = dict.fromkeys(each.source for each in series if each.source)
    parts = [voice("closes, forward-adjusted (qfq), {date} = 100", date=first)]
    if len(currencies) > 1:
        parts.append(voice("each in its own currency ({currencies})", currencies=", ".join(currencies)))
    if sources:
        parts.append(voice("source {where}", where=", ".join(sources)))
    return " · ".join(parts)


def window_start(series: Sequence[Side], count: int) -> str:
    """Return the date of the close with which the last `count` common sessions begin; "" where there are fewer."""
    common = sorted(set.intersection(*(set(each.bars.date) for each in series)))
    return common[-count - 1] if len(common) > count else ""
