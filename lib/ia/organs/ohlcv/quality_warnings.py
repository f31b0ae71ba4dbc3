"""What in bars is probably wrong: volume in another unit, adjustments spliced together, bars without trades.

These are doubts, told and never acted upon; only the unit of the volume is, where the header of a known source says it.
"""

from collections.abc import Sequence

from ia.kernel.errors import Message, Notify, PluralText
from ia.organs.ohlcv.canonical import Bars, line_error, quote_input
from ia.organs.ohlcv.csv_headers import Header, parse_name
from ia.organs.ohlcv.number_cells import parse_quantity

_SCALES = {"": 1, "股": 1, "shares": 1, "手": 100, "lots": 100, "千股": 1000, "万股": 10_000, "万手": 1_000_000}
_SCALES |= {"share": 1, "百股": 100, "亿股": 100_000_000}
_SAMPLE = 20
_JUMP = 1.5
# No single share has traded this much (in yuan or dollars) day after day; whole indices have.
_MOST_TRADED = 1e11
# A share in which less money than this changes hands on a usual day is a rare one.
_LEAST_TRADED = 5e6


def volume_scale(
    header: Header,
    columns: dict[str, int],
    rows: list[list[str]],
    lots: bool | None,
    source: str,
    notify: Notify,
) -> int:
    """Return the number of shares that a unit of the volume column stands for, and say so where it is not 1.

    In this order: what the user says, the unit in the name of the column, the source that the header gives away
    (Eastmoney and Tushare count lots of 100), else shares. An amount column that contradicts is heard: it settles the
    unit of a frame that looks like Eastmoney's (Hong Kong has the same header and shares), and is reported elsewhere.
    """
    column = columns["volume"]
    if lots is not None:
        return 100 if lots else 1
    name = quote_input(header.cells[column].strip())
    if unit := header.column_unit(column):
        if unit not in _SCALES:
            template = "{source}:{line}: the unit of {field} is unknown: {text}"
            hint = "give `--shares` or `--lots`"
            raise line_error((source, header.line), template, field="volume", text=name, hint=hint)
        return _SCALES[unit]
    amount = columns.get("amount")
    seen = None if amount is None else _detect_unit(rows, columns["close"], column, amount)
    if _is_in_lots(header, column):
        if seen == 1:
            template = (
                "{source}: column {name} counts shares, as the amounts show (if it counts lots of 100, add `--lots`)"
            )
            notify(Message(template, source=source, name=name))
            return 1
        template = (
            "{source}: column {name} counts lots of 100; converted to shares (if it counts shares, add `--shares`)"
        )
        notify(Message(template, source=source, name=name))
        return 100
    if seen == 100:
        template = (
            "{source}: column {name} is read as shares, but the amounts look like lots of 100 (if so, add `--lots`)"
        )
        notify(Message(template, source=source, name=name))
    return 1


def _is_in_lots(header: Header, column: int) -> bool:
    bare = parse_name(header.cells[column]).bare
    eastmoney = header.has_columns("振幅") or header.has_columns("股票代码", "换手率")
    tushare = header.has_columns("tscode") or header.has_columns("tradedate") or header.has_columns("pctchg")
    return (bare == "成交量" and eastmoney) or (bare == "vol" and tushare) or bare == "总手"


def _detect_unit(rows: list[list[str]], close: int, volume: int, amount: int) -> int | None:
    """Return 1 or 100 where amount / (volume x close) says so at one end of the file and the other does not contradict.

    Both ends, because adjusted prices are true at one of them only.
    """
    ends = {_detect_unit_in(part, close, volume, amount) for part in (rows[:_SAMPLE], rows[-_SAMPLE:])} - {None}
    return ends.pop() if len(ends) == 1 else None


def _detect_unit_in(rows: list[list[str]], close: int, volume: int, amount: int) -> int | None:
    ratios = []
    for cells in rows:
        try:
            traded = parse_quantity(cells[volume]).to_float() * parse_quantity(cells[close]).to_float()
            paid = parse_quantity(cells[amount]).to_float()
        except ValueError:
            continue
        if traded > 0 and paid > 0:
            ratios.append(paid / traded)
    if not ratios:
        return None
    middle = sorted(ratios)[len(ratios) // 2]
    return next((unit for unit in (1, 100) if unit / 2 < middle < unit * 2), None)


def is_volume_unit_known(header: Header, columns: dict[str, int], lots: bool | None) -> bool:
    """Return True if something says what the volume column holds: the user, a unit, a known source, the amounts."""
    column = columns["volume"]
    if lots is not None or "amount" in columns or header.column_unit(column) or _is_in_lots(header, column):
        return True
    return header.has_columns("adjclose") or bool(parse_name(header.cells[column]).bare in ("成交股数", "shares"))


def warn_of_money(bars: Bars, source: str, notify: Notify) -> None:
    """Tell of a volume that nothing explains and that could as well be the money that changed hands."""
    if not bars.volume or _median_traded_amount(bars) > _MOST_TRADED:  # told of elsewhere
        return
    usual = sorted(bars.volume[-250:])[len(bars.volume[-250:]) // 2]
    if usual >= _LEAST_TRADED:
        template = (
            "{source}: {field} (usually {amount}) is read as shares but may be money; no unit or amount column decides "
            "it (if it counts shares, add `--shares`)"
        )
        notify(Message(template, source=source, field="volume", amount=f"{usual:.2g}"))


def _median_traded_amount(bars: Bars) -> float:
    traded = sorted(v * c for v, c in zip(bars.volume[-250:], bars.close[-250:], strict=True))
    return traded[len(traded) // 2] if traded else 0.0


def warn_of_doubts(bars: Bars, lines: Sequence[int], source: str, notify: Notify) -> None:
    """Tell of prices that jump over night as no market does, and of single bars without any trade."""
    jumps = [
        i
        for i in range(1, len(bars.date))
        if not 1 / _JUMP < bars.open[i] / bars.close[i - 1] < _JUMP
        and not 1 / _JUMP < bars.close[i] / bars.close[i - 1] < _JUMP
    ]
    if jumps:
        i = max(jumps, key=lambda i: abs(bars.close[i] / bars.close[i - 1] - 1))
        change = f"{(bars.close[i] / bars.close[i - 1] - 1) * 100:+.1f} %"
        template: str = PluralText(
            "{source}:{line}: {field} changes by {change} on {date} ({count} such jump): a split, mixed "
            "adjustments in the file, or bad data",
            "{source}:{line}: {field} changes by {change} on {date} ({count} such jumps): a split, mixed "
            "adjustments in the file, or bad data",
        )
        fields = {"line": lines[i], "field": "close", "change": change, "date": bars.date[i], "count": len(jumps)}
        notify(Message(template, source=source, **fields))
    if (usual := _median_traded_amount(bars)) > _MOST_TRADED:
        template = (
            "{source}: {field} x close is usually {amount}, too much for one share; perhaps an index, or the volume is "
            "an amount of money"
        )
        notify(Message(template, source=source, field="volume", amount=f"{usual:.2g}"))
    still = [i for i, v in enumerate(bars.volume) if v == 0 and bars.high[i] == bars.low[i]]
    if still and 2 * len(still) < len(bars.date):
        template = PluralText(
            "{source}:{line}: {field} is 0 and all prices are equal ({count} such bar), perhaps without trading",
            "{source}:{line}: {field} is 0 and all prices are equal ({count} such bars), perhaps without trading",
        )
        notify(Message(template, source=source, line=lines[still[0]], field="volume", count=len(still)))
