"""From what happened on the account of a run to its result: equity, cash and exposure at each close."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ia.domain.performance.round_trips import RoundTrip
from ia.faculties.lab.order_rows import OrderRow
from ia.faculties.lab.run_types import RuleSettings, RunMarket, RunResult, SignalTable
from ia.faculties.lab.securities import Security
from ia.faculties.lab.tickets import Fill

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F = NDArray[np.float64]

Step = tuple[int, Decimal, Mapping[str, Decimal]]
"""From which day on there was how much cash, and how many shares were held of each security."""
FEW_DAYS = 8
"""Of so few days each is looked up for itself."""
EARLY = timedelta(days=31)
"""Bars that end so long before the last day of a run ended early."""


@dataclass(frozen=True, kw_only=True)
class RunAccount:
    """What happened on the account of a run; fields as in `RunResult`. The first step is of day 0."""

    currency: str
    steps: Sequence[Step]
    orders: tuple[OrderRow, ...]
    fills: tuple[Fill, ...]
    trips: tuple[RoundTrip, ...]
    open_trips: tuple[RoundTrip, ...]
    fees_assumed: Mapping[str, str]


def assemble_result(settings: RuleSettings, market: RunMarket, table: SignalTable, account: RunAccount) -> RunResult:
    """Return the result of a run."""
    import numpy as np

    days, steps = table.days, account.steps
    cash: F = spread_steps([float(money) for _, money, _ in steps], steps, len(days))
    worth = _measure_worth(steps, days, market.securities)
    equity = np.round(cash + worth, 2)
    result = RunResult(
        settings=settings,
        currency=account.currency,
        days=days,
        equity=tuple(equity.tolist()),
        cash=tuple(cash.tolist()),
        positions=tuple(spread_steps([len(held) for _, _, held in steps], steps, len(days)).tolist()),
        exposure=tuple(measure_exposure(worth, equity).tolist()),
        orders=account.orders,
        fills=account.fills,
        trips=account.trips,
        open_trips=account.open_trips,
        looked=int(table.traded.any(axis=0).sum()),
        ended_early=tuple(_find_early_ends(market.securities, days[-1])),
        st_unknown=_count_st_unknown(market, days),
        fees_assumed=account.fees_assumed,
        simulated=market.simulated,
    )
    vars(result)["columns"] = equity, cash  # made already
    return result


def spread_steps(values: Sequence[float], steps: Sequence[Step], count: int) -> "NDArray[Any]":
    """Return the value of each of `count` days, from a value for each step."""
    import numpy as np

    begins = [place for place, _, _ in steps]
    return np.repeat(np.array(values), np.diff([*begins, count]))


def measure_exposure(worth: "F", equity: "F") -> "F":
    """Return the part of the equity that was invested at each close."""
    import numpy as np

    part: F = np.divide(worth, equity, out=np.zeros_like(worth), where=equity > 0)
    return part.round(6)


def _measure_worth(steps: Sequence[Step], calendar: Sequence[str], securities: Mapping[str, Security]) -> "F":
    """Return what the holdings were worth at each close."""
    import numpy as np

    days, total = list(calendar), np.zeros(len(calendar))
    if len(securities) == 1:
        return _measure_single(steps, days, *securities.items())
    ends = [*(place for place, _, _ in steps[1:]), len(days)]
    spans: dict[str, list[tuple[int, int, Decimal]]] = {}
    for (begin, _, held), end in zip(steps, ends, strict=True):
        for name, shares in held.items():
            known, first = spans.setdefault(name, []), begin
            if known and known[-1][1:] == (begin, shares):
                first = known.pop()[0]
            known.append((first, end, shares))
    for name in sorted(spans):
        closes = securities[name].columns.close
        for begin, end, shares in spans[name]:
            total[begin:end] += float(shares) * closing_values(securities[name], closes, days[begin:end])
    return np.round(total, 2)


def _measure_single(steps: Sequence[Step], days: list[str], item: tuple[str, Security]) -> "F":
    """Return what the holding of the only security was worth at each close."""
    import numpy as np

    name, security = item
    shares: F = spread_steps([float(held.get(name, 0)) for _, _, held in steps], steps, len(days))
    total, held_days = np.zeros(len(days)), np.nonzero(shares)[0]
    if len(held_days):
        begin, end = int(held_days[0]), int(held_days[-1]) + 1
        closes = security.columns.close
        total[begin:end] = shares[begin:end] * closing_values(security, closes, days[begin:end])
    return np.round(total, 2)


def closing_values(security: Security, closes: "F", days: list[str]) -> "F":
    """Return what a share is worth at the close of some days in a row; where there is no bar by the actions since."""
    import numpy as np

    dates = security.bars.date
    place = bisect_left(dates, days[0])
    if dates[place : place + len(days)] == days:
        return closes[place : place + len(days)]
    if security.delisting is not None or len(days) < FEW_DAYS:
        return np.array([float(security.value_on(day) or 0) for day in days])
    at = find_last_rows(dates, days)
    values = closes[np.maximum(at, 0)]
    missing = set(np.nonzero(at < 0)[0].tolist())
    for action in security.actions:  # without a bar since, the last close counts after the action
        begin = bisect_left(days, action.date)
        until = bisect_left(dates, action.date)
        missing.update(range(begin, bisect_left(days, dates[until]) if until < len(dates) else len(days)))
    for row in missing:
        values[row] = float(security.value_on(days[row]) or 0)
    return values


def find_last_rows(dates: Sequence[str], days: list[str]) -> "NDArray[np.intp]":
    """Return the row of the last date up to each day; -1 before the first."""
    import numpy as np

    begin, end = bisect_left(dates, days[0]), bisect_right(dates, days[-1])
    if dates[begin:end] == days:
        return np.arange(begin, end)
    rows = np.full(len(days), begin - 1, dtype=np.intp)
    places = {day: at for at, day in enumerate(days)}
    for row in range(begin, end):
        at = places.get(dates[row])
        rows[bisect_left(days, dates[row]) if at is None else at] = row
    return np.maximum.accumulate(rows)


def _count_st_unknown(market: RunMarket, days: Sequence[str]) -> int:
    stocks = any(each.symbol.market == "CN" and each.symbol.kind == "stock" for each in market.securities.values())
    return len(set(days) - market.st_told) if stocks else 0


def _find_early_ends(securities: Mapping[str, Security], last: str) -> Iterable[str]:
    limit = (date.fromisoformat(last) - EARLY).isoformat()
    for name, security in securities.items():
        dates = security.bars.date
        if dates and dates[-1] < limit:
            yield name
