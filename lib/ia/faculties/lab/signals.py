"""Expressions of `ia compute` as signals: a value for every bar of a security, from the bars up to it."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ia.faculties.lab.expression_names import check_names
from ia.kernel import config
from ia.kernel.errors import BadData, Refused
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F = NDArray[np.float64]
    B = NDArray[np.bool_]

ALL_COLUMNS = ("open", "high", "low", "close", "volume")


@lru_cache(maxsize=256)
def compile_signal(source: str, option: str) -> "SignalExpression":
    """Return an expression, checked once. Raises as `SignalExpression`."""
    return SignalExpression(source, option)


class SignalExpression:
    """One expression over the bars of one security after another.

    source     the expression
    option     the option that it is given with, for messages
    sandboxed  whether it is outside the array lane, so that each security takes a sandbox
    """

    def __init__(self, source: str, option: str) -> None:
        """Check that it parses and does not look ahead.

        Raises:
            BadData: it is empty, or does not parse.
            Refused: it looks ahead by its form, or the policy of `ia compute` forbids it.
        """
        from ia.organs.compute.array_backend import settle_on_numpy
        from ia.organs.compute.array_lane import compile_array
        from ia.organs.compute.lint import find_look_ahead

        if not source.strip():
            raise BadData("{option}: the expression is empty", option=option, hint="for example 'rsi(close, 14) < 30'")
        self.source, self.option = source, option
        check_names(source, option)
        settle_on_numpy()
        if ahead := find_look_ahead(source, option):
            raise Refused("{reason}", reason=ahead[0].message, hint="a signal may use the bars up to its day only")
        self._plan = compile_array(source)
        if self._plan is None:
            from ia.organs.compute.policy import compile_source

            compile_source(source, option)

    @property
    def sandboxed(self) -> bool:
        return self._plan is None

    @property
    def bars_back(self) -> int | None:
        """How many bars before its own a value depends on; None where that is not known: of what is sandboxed."""
        from ia.organs.compute.look_back import count_bars_back

        return None if self._plan is None else count_bars_back(self._plan)

    @property
    def columns(self) -> Iterable[str]:
        """The columns of the bars that are read."""
        return ALL_COLUMNS if self._plan is None else self._plan.series

    def truths(self, bars: Bars) -> "B":
        """Return for each bar whether the expression is true; a missing value is not.

        Raises:
            BadData: it gives no truth value for each bar, or raises an error.
        """
        return self._require_truths(self._values(bars))

    def truths_of(self, many: Sequence[Bars]) -> "list[B]":
        """Return the truths of several securities, each as `truths` gives them. Raises as `truths`."""
        return [self._require_truths(values) for values in self._values_of(many)]

    def _require_truths(self, values: Any) -> "B":
        import numpy as np

        if values is None or values.dtype != np.bool_:
            raise BadData(
                "{option}: {expression} does not give true or false for each bar",
                option=self.option,
                expression=self.source,
                hint="write a comparison or a crossing: 'close > sma(close, 20)'",
            )
        truths: B = values
        return truths

    def numbers(self, bars: Bars) -> "F":
        """Return the value of each bar, NaN where it is missing.

        Raises:
            BadData: it gives no number for each bar, or raises an error.
        """
        return self._require_numbers(self._values(bars))

    def numbers_of(self, many: Sequence[Bars]) -> "list[F]":
        """Return the numbers of several securities, each as `numbers` gives them. Raises as `numbers`."""
        return [self._require_numbers(values) for values in self._values_of(many)]

    def _require_numbers(self, values: Any) -> "F":
        import numpy as np

        if values is None or values.dtype == object:
            raise BadData(
                "{option}: {expression} does not give a number for each bar",
                option=self.option,
                expression=self.source,
                hint="for example 'roc(close, 60)'",
            )
        return np.asarray(values, dtype=np.float64)

    def _values_of(self, many: Sequence[Bars]) -> Iterable[Any]:
        """Return what `_values` gives for each of several securities: at once where the array lane can."""
        if len(many) > 1 and (block := self._block_values(many)) is not None:
            return [block[: len(bars.date), column] for column, bars in enumerate(many)]
        return map(self._values, many)

    def _block_values(self, many: Sequence[Bars]) -> Any:
        """Return the values of several securities as columns, the first bar on top; None where there is a doubt."""
        import numpy as np

        from ia.organs.compute.block_lane import BlockPlan

        if self._plan is None:
            return None
        lengths = np.array([len(bars.date) for bars in many])
        try:
            plan = BlockPlan(self._plan.body)
            block = {}
            for name in plan.series:
                matrix = np.empty((int(lengths.max()), len(many)))
                for column, bars in enumerate(many):
                    matrix[: lengths[column], column] = getattr(bars, name)
                    matrix[lengths[column] :, column] = np.nan
                block[name] = matrix
            parts = plan.split_conditions()
            if len(parts) > 1 and plan.gives_truth():
                return plan.narrow_every_row(parts, block, lengths, None)
            return plan.every_row(block, lengths)
        except Exception:  # whatever it is, one security after the other says it properly
            return None

    def _values(self, bars: Bars) -> Any:
        """Return an array as long as the bars, or None for anything else."""
        if self._plan is not None:
            try:
                result = self._plan.run(bars)
            except Exception:  # whatever it is, the full lane says it properly
                pass
            else:
                return result.arrays[0] if result.kind == "series" else None
        return self._sandboxed_values(bars)

    def _sandboxed_values(self, bars: Bars) -> Any:
        import numpy as np

        from ia.organs.compute.calculate import calculate_expression

        columns: list[Any] = [*bars]
        plain = Bars._make([column if isinstance(column, list) else column.tolist() for column in columns])
        result = calculate_expression(
            self.source,
            lambda: plain,
            origin=self.option,
            timeout=float(config.get_setting("compute.timeout")),
            isolation=str(config.get_setting("compute.isolation")),
        )
        if result.type != "series" or result.row:
            return None
        known = dict(zip(result.labels or (), result.value, strict=True))
        column = [known.get(day) for day in plain.date]
        found = [each for each in column if each is not None]
        if all(isinstance(each, bool) for each in found):
            return np.array([bool(each) for each in column])
        if all(isinstance(each, int | float) for each in found):
            return np.array([np.nan if each is None else each for each in column], dtype=np.float64)
        return None
