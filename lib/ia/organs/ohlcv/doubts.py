"""What in bars is probably wrong: volume in another unit, adjustments spliced together, bars without trades.

These are doubts, told and never acted upon; only the unit of the volume is, where the header of a known source says it.
"""

from collections.abc import Sequence

from ia.kernel.errors import Message, Notify
from ia.organs.ohlcv.canonical import Bars, bad_line, shown
from ia.organs.ohlcv.cells import quantity
from ia.organs.ohlcv.headers import Header, name_of

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
    name = shown(header.cells[column].strip())
    if unit := header.unit(column):
        if unit not in _SCALES:
            template = "{source}:{line}: the unit of {field} is unknown: {text}"
            hint = "`--shares` or `--lots` tells"
            raise bad_line((source, header.line), template, field="volume", text=name, hint=hint)
        return _SCALES[unit]
    amount = columns.get("amount")
    seen = None if amount is None else _unit_seen(rows, columns["close"], column, amount)
    if _counts_lots(header, column):
        if seen == 1:
            template = "{source}: column {name} holds shares, as the amounts show (`--lots` if it counts lots of 100)"
            notify(Message(template, source=source, name=name))
            return 1
        template = "{source}: column {name} counts lots of 100, written here as shares (`--shares` if it holds shares)"
        notify(Message(template, source=source, name=name))
        return 100
    if seen == 100:
        template = "{source}: column {name} is taken as shares, but the amounts look like lots of 100 (`--lots`)"
        notify(Message(template, source=source, name=name))
    return 1


def _counts_lots(header: Header, column: int) -> bool:
    bare = name_of(header.cells[column]).bare
    eastmoney = header.has("振幅") or header.has("股票代码", "换手率")
    tushare = header.has("tscode") or header.has("tradedate") or header.has("pctchg")
    return (bare == "成交量" and eastmoney) or (bare == "vol" and tushare) or bare == "总手"


def _unit_seen(rows: list[list[str]], close: int, volume: int, amount: int) -> int | None:
    """Return 1 or 100 where amount / (volume x close) says so at one end of the file and the other does not contradict.

    Both ends, because adjusted prices are true at one of them only.
    """
    ends = {_unit_of(part, close, volume, amount) for part in (rows[:_SAMPLE], rows[-_SAMPLE:])} - {None}
    return ends.pop() if len(ends) == 1 else None


def _unit_of(rows: list[list[str]], close: int, volume: int, amount: int) -> int | None:
    ratios = []
    for cells in rows:
        try:
            traded = quantity(cells[volume]).value() * quantity(cells[close]).value()
            paid = quantity(cells[amount]).value()
        except ValueError:
            continue
        if traded > 0 and paid > 0:
            ratios.append(paid / traded)
    if not ratios:
        return None
    middle = sorted(ratios)[len(ratios) // 2]
    return next((unit for unit in (1, 100) if unit / 2 < middle < unit * 2), None)


def volume_unit_is_told(header: Header, columns: dict[str, int], lots: bool | None) -> bool:
    """Return True if something says what the volume column holds: the user, a unit, a known source, the amounts."""
    column = columns["volume"]
    if lots is not None or "amount" in columns or header.unit(column) or _counts_lots(header, column):
        return True
    return header.has("adjclose") or bool(name_of(header.cells[column]).bare in ("成交股数", "shares"))


def tell_money_doubt(bars: Bars, source: str, notify: Notify) -> None:
    """Tell of a volume that nothing explains and that could as well be the money that changed hands."""
    if not bars.volume or _usually_traded(bars) > _MOST_TRADED:  # told of elsewhere
        return
    usual = sorted(bars.volume[-250:])[len(bars.volume[-250:]) // 2]
    if usual >= _LEAST_TRADED:
        template = (
            "{source}: {field}, usually {amount}, is taken as shares, but would fit an amount of money as well: "
            "no unit and no amount column tells (`--shares` if it counts shares)"
        )
        notify(Message(template, source=source, field="volume", amount=f"{usual:.2g}"))


def _usually_traded(bars: Bars) -> float:
    traded = sorted(v * c for v, c in zip(bars.volume[-250:], bars.close[-250:], strict=True))
    return traded[len(traded) // 2] if traded else 0.0


def tell_doubts(bars: Bars, lines: Sequence[int], source: str, notify: Notify) -> None:
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
        template = (
            "{source}:{line}: {field} changes by {change} on {date} ({count} such jump(s)): "
            "a split, a change of adjustment within the file, or bad data"
        )
        fields = {"line": lines[i], "field": "close", "change": change, "date": bars.date[i], "count": len(jumps)}
        notify(Message(template, source=source, **fields))
    if (usual := _usually_traded(bars)) > _MOST_TRADED:
        template = (
            "{source}: {field} x close is usually {amount}: "
            "too much for one share, so it is an index, or the volume is an amount of money"
        )
        notify(Message(template, source=source, field="volume", amount=f"{usual:.2g}"))
    still = [i for i, v in enumerate(bars.volume) if v == 0 and bars.high[i] == bars.low[i]]
    if still and 2 * len(still) < len(bars.date):
        template = "{source}:{line}: {field} is 0 and the price one and the same ({count} such bar(s)): no trading?"
        notify(Message(template, source=source, line=lines[still[0]], field="volume", count=len(still)))
