"""One way in for every caller: lint the source, take the lane that fits, return the value as plain data."""

import time
from collections.abc import Callable

from ia.compute.host import DEFAULT_TIMEOUT, Result, Sandbox, late, needs_pandas
from ia.compute.wire import FILENAME, MAX_BITS
from ia.errors import Notify, Refused, silent
from ia.ohlcv.canonical import Bars


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
    that loads while `bars()` reads. `origin` names the source in messages. Look-ahead is told to `notify`, or raises
    Refused with `strict`. Raises what `Sandbox.value` raises, and what `bars()` raises.
    """
    plan = None
    if not needs_pandas(source):
        from ia.compute import arrays

        arrays.choose(source)
        from ia.compute.lane import compile_array

        plan = compile_array(source)
    if plan is not None:
        _look_ahead(source, origin, strict, notify)
        read = bars()
        deadline = time.monotonic() + timeout
        try:
            return _from_lane(plan.run(read, deadline), read)._replace(as_of=read.date[-1])
        except Exception:  # whatever it is, the full lane says it properly
            if time.monotonic() >= deadline:
                raise late(timeout) from None
            with Sandbox(source, origin) as sandbox:
                return sandbox.value(read, trusted=trusted, timeout=timeout, isolation=isolation, notify=notify)
    with Sandbox(source, origin) as sandbox:
        sandbox.check()
        _look_ahead(source, origin, strict, notify)
        read = bars()
        return sandbox.value(read, trusted=trusted, timeout=timeout, isolation=isolation, notify=notify)


def _look_ahead(source: str, origin: str, strict: bool, notify: Notify) -> None:
    from ia.compute.lint import look_ahead

    findings = look_ahead(source, origin)
    for finding in findings:
        notify(finding.message)
    if strict and findings:
        raise Refused("the expression looks ahead", hint="leave --strict out to compute it all the same")


def _from_lane(value: object, bars: Bars) -> Result:
    from ia.compute import lane

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
