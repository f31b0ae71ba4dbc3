"""One way in for every caller: lint the source, take the lane that fits, return the value as plain data."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ia.kernel.errors import Notify, Refused, silent
from ia.organs.compute.host import DEFAULT_TIMEOUT, Result, Sandbox, late, needs_pandas, refuse_change
from ia.organs.compute.prefixes import Table, cuts, first_change
from ia.organs.compute.wire import FILENAME, MAX_BITS
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.compute.lane import Plan


def calculate(
    source: str,
    bars: Callable[[], Bars],
    *,
    origin: str = FILENAME,
    trusted: bool = False,
    timeout: float = DEFAULT_TIMEOUT,
    isolation: str = "require",
    strict: bool = False,
    notify: Notify = silent,
) -> Result:
    """Return the value of an expression or a few lines over the bars that `bars()` reads.

    An expression of coreutils, operators and numbers is evaluated on arrays in this process, anything else in a sandbox
    that loads while `bars()` reads. `origin` names the source in messages. Look-ahead by its form is told to `notify`,
    or raises Refused with `strict`, which also tries shorter ranges (`ia.organs.compute.prefixes`). Raises what
    `Sandbox.value` raises, and what `bars()` raises.
    """
    plan = None
    if not needs_pandas(source):
        from ia.organs.compute import arrays

        arrays.choose(source)
        from ia.organs.compute.lane import compile_array

        plan = compile_array(source)
    if plan is not None:
        _look_ahead(source, origin, strict, notify)
        read = bars()
        lengths = cuts(len(read.date)) if strict else []
        deadline = time.monotonic() + timeout
        try:
            value = _from_lane(plan.run(read, deadline), read)._replace(as_of=read.date[-1])
            found = _compared(plan, value, read, lengths, deadline)
        except Exception:  # whatever it is, the full lane says it properly
            if time.monotonic() >= deadline:
                raise late(timeout) from None
            with Sandbox(source, origin) as sandbox:
                return sandbox.value(
                    read, trusted=trusted, timeout=timeout, isolation=isolation, notify=notify, cuts=lengths
                )
        if lengths:
            refuse_change(*found, notify)
        return value
    with Sandbox(source, origin) as sandbox:
        sandbox.check()
        _look_ahead(source, origin, strict, notify)
        read = bars()
        lengths = cuts(len(read.date)) if strict else []
        return sandbox.value(read, trusted=trusted, timeout=timeout, isolation=isolation, notify=notify, cuts=lengths)


def _look_ahead(source: str, origin: str, strict: bool, notify: Notify) -> None:
    from ia.organs.compute.lint import look_ahead

    findings = look_ahead(source, origin)
    for finding in findings:
        notify(finding.message)
    if strict and findings:
        raise Refused("the expression looks ahead", hint="leave --strict out to compute it all the same")


def _compared(
    plan: "Plan", value: Result, bars: Bars, lengths: list[int], deadline: float
) -> tuple[str | None, int | None]:
    """Return what `first_change` finds for a plan of the array lane; (None, None) for a single value."""
    whole = _table(value)
    if whole is None or not lengths:
        return None, None

    def shorter(size: int) -> Table | None:
        part = bars.part(0, size)
        return _table(_from_lane(plan.run(part, deadline), part))

    return first_change(whole, bars.date, shorter, lengths)


def _table(value: Result) -> Table | None:
    if value.type not in ("series", "frame"):
        return None
    columns = [value.value] if value.type == "series" else value.value
    return Table(value.labels or [], columns, value.columns or [])


def _from_lane(value: object, bars: Bars) -> Result:
    from ia.organs.compute import lane

    assert isinstance(value, lane.Result)
    if value.kind == "scalar":
        if isinstance(value.value, int) and value.value.bit_length() > MAX_BITS:
            raise lane.Doubt
        kind = "boolean" if isinstance(value.value, bool) else "scalar"
        return Result(kind, value.value)
    columns = [array.tolist() for array in value.arrays]
    if value.kind == "series":
        return Result("series", columns[0], value.names[0], bars.date, "date", None, True)
    return Result("frame", columns, None, bars.date, "date", [str(name) for name in value.names], True)
