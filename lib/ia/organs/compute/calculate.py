"""One way in for every caller: lint the source, take the lane that fits, return the value as plain data."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ia.kernel.errors import Notify, Refused, drop_message
from ia.organs.compute.prefix_check import PrefixTable, find_first_change, prefix_lengths
from ia.organs.compute.sandbox import (
    DEFAULT_TIMEOUT,
    ComputeResult,
    Sandbox,
    needs_pandas,
    refuse_change,
    timeout_error,
)
from ia.organs.compute.worker_protocol import FILENAME, MAX_BITS
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.compute.array_lane import Plan


def calculate_expression(
    source: str,
    bars: Callable[[], Bars],
    *,
    origin: str = FILENAME,
    trusted: bool = False,
    timeout: float = DEFAULT_TIMEOUT,
    isolation: str = "require",
    strict: bool = False,
    notify: Notify = drop_message,
) -> ComputeResult:
    """Return the value of an expression or a few lines over the bars that `bars()` reads.

    An expression of coreutils, operators and numbers is evaluated on arrays in this process, anything else in a sandbox
    that loads while `bars()` reads. `origin` names the source in messages. Look-ahead by its form is told to `notify`,
    or raises Refused with `strict`, which also tries shorter ranges (`ia.organs.compute.prefix_check`). Raises what
    `Sandbox.value` raises, and what `bars()` raises.
    """
    plan = None
    if not needs_pandas(source):
        from ia.organs.compute import array_backend

        array_backend.choose_arrays(source)
        from ia.organs.compute.array_lane import compile_array

        plan = compile_array(source)
    if plan is not None:
        _check_look_ahead(source, origin, strict, notify)
        read = bars()
        lengths = prefix_lengths(len(read.date)) if strict else []
        deadline = time.monotonic() + timeout
        try:
            value = replace(_convert_lane_result(plan.run(read, deadline), read), as_of=read.date[-1])
            found = _compare_prefixes(plan, value, read, lengths, deadline)
        except Exception:  # whatever it is, the full lane says it properly
            if time.monotonic() >= deadline:
                raise timeout_error(timeout) from None
            with Sandbox(source, origin) as sandbox:
                return sandbox.compute_value(
                    read, trusted=trusted, timeout=timeout, isolation=isolation, notify=notify, cuts=lengths
                )
        if lengths:
            refuse_change(*found, notify)
        return value
    with Sandbox(source, origin) as sandbox:
        sandbox.check_source()
        _check_look_ahead(source, origin, strict, notify)
        read = bars()
        lengths = prefix_lengths(len(read.date)) if strict else []
        return sandbox.compute_value(
            read, trusted=trusted, timeout=timeout, isolation=isolation, notify=notify, cuts=lengths
        )


def _check_look_ahead(source: str, origin: str, strict: bool, notify: Notify) -> None:
    from ia.organs.compute.lint import find_look_ahead

    findings = find_look_ahead(source, origin)
    for finding in findings:
        notify(finding.message)
    if strict and findings:
        raise Refused("the expression uses look-ahead", hint="omit --strict to evaluate it anyway")


def _compare_prefixes(
    plan: "Plan", value: ComputeResult, bars: Bars, lengths: list[int], deadline: float
) -> tuple[str | None, int | None]:
    """Return what `first_change` finds for a plan of the array lane; (None, None) for a single value."""
    whole = _to_table(value)
    if whole is None or not lengths:
        return None, None

    def evaluate_prefix(size: int) -> PrefixTable | None:
        part = bars.slice_bars(0, size)
        return _to_table(_convert_lane_result(plan.run(part, deadline), part))

    return find_first_change(whole, bars.date, evaluate_prefix, lengths)


def _to_table(value: ComputeResult) -> PrefixTable | None:
    if value.type not in ("series", "frame"):
        return None
    columns = [value.value] if value.type == "series" else value.value
    return PrefixTable(value.labels or [], columns, value.columns or [])


def _convert_lane_result(value: object, bars: Bars) -> ComputeResult:
    from ia.organs.compute import array_lane

    assert isinstance(value, array_lane.LaneResult)
    if value.kind == "scalar":
        if isinstance(value.value, int) and value.value.bit_length() > MAX_BITS:
            raise array_lane.Doubt
        kind = "boolean" if isinstance(value.value, bool) else "scalar"
        return ComputeResult(type=kind, value=value.value)
    columns = [array.tolist() for array in value.arrays]
    if value.kind == "series":
        return ComputeResult(
            type="series",
            value=columns[0],
            name=value.names[0],
            labels=bars.date,
            label_name="date",
            columns=None,
            dated=True,
        )
    return ComputeResult(
        type="frame",
        value=columns,
        name=None,
        labels=bars.date,
        label_name="date",
        columns=[str(name) for name in value.names],
        dated=True,
    )
