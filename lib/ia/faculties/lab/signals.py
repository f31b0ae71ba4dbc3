"""Expressions of `ia compute` as signals: a value for every bar of a security, from the bars up to it.

What compares the securities of a day (xrank) comes in as further columns: `ia.faculties.lab.signal_sections`.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from ia.faculties.lab.expression_names import check_names
from ia.kernel import config
from ia.kernel.errors import BadData, Refused
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ia.faculties.lab.cross_sections import CrossSection
    from ia.organs.compute.block_lane import BlockPlan, Kept
    from ia.organs.compute.functions import Value

    F = NDArray[np.float64]
    B = NDArray[np.bool_]

ALL_COLUMNS = ("open", "high", "low", "close", "volume")


@lru_cache(maxsize=256)
def compile_signal(source: str, option: str) -> "SignalExpression":
    """Return an expression, checked once. Raises as `SignalExpression`."""
    return SignalExpression(source, option)


class SignalBars:
    """Bars of several securities, and what has been worked out of them: expressions share equal calls.

    many    the bars of each. added: for each the columns of the sections of expressions, by name
    kept    values of calls, of all of them; `kept_alone` those of the only one
    """

    def __init__(self, many: Sequence[Bars], added: "Sequence[Mapping[str, F]]" = ()) -> None:
        self.many, self.added = many, added
        self.kept: Kept = {}
        self.kept_alone: dict[str, Value] = {}
        self._matrices: dict[str, F] = {}

    @cached_property
    def lengths(self) -> "NDArray[np.intp]":
        """How many bars each has."""
        import numpy as np

        return np.array([len(bars.date) for bars in self.many])

    def matrix(self, name: str) -> "F":
        """Return a column of all of them, [rows, securities], the first bar on top, NaN below the last."""
        import numpy as np

        found = self._matrices.get(name)
        if found is None:
            lengths = self.lengths
            found = self._matrices[name] = np.empty((int(lengths.max()), len(self.many)))
            for column, bars in enumerate(self.many):
                values = getattr(bars, name) if name in ALL_COLUMNS else self.added[column][name]
                found[: lengths[column], column] = values
                found[lengths[column] :, column] = np.nan
        return found


class SignalExpression:
    """One expression over the bars of one security after another.

    source     the expression
    option     the option that it is given with, for messages
    sandboxed  whether it is outside the array lane, so that each security takes a sandbox
    sections   what of it compares the securities of a day, and what each compares
    """

    sections: "tuple[tuple[CrossSection, SignalExpression], ...]" = ()

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
        self._body, plain = self._find_sections(source)
        check_names(plain, option)
        settle_on_numpy()
        if ahead := find_look_ahead(plain, option):
            raise Refused("{reason}", reason=ahead[0].message, hint="a signal may use the bars up to its day only")
        self._plan = compile_array(plain)
        if self._plan is None:
            from ia.organs.compute.policy import compile_source

            compile_source(plain, option)
        if self.sections and any(each.sandboxed for each in (self, *(argument for _, argument in self.sections))):
            raise BadData(
                "{expression}: what compares securities goes with the functions of ia-compute(1) only",
                expression=source,
            )

    def _find_sections(self, source: str) -> tuple[ast.expr | None, str]:
        """Return an expression with names for its sections, None without one, and its source with a column for them."""
        if "x" not in source:
            return None, source
        from ia.faculties.lab.cross_sections import find_sections, substitute_sections

        body, sections = find_sections(source)
        self.sections = tuple((each, SignalExpression(each.argument, self.option)) for each in sections)
        if nested := next((each for each, argument in self.sections if argument.sections), None):
            raise BadData(
                "{option}: {expression} compares what compares securities already; that works in `ia scan` only",
                option=self.option,
                expression=nested.name,
            )
        return body, source if body is None else substitute_sections(body, sections, "close")

    @property
    def sandboxed(self) -> bool:
        return self._plan is None

    @property
    def gives_truth(self) -> bool:
        """Whether it gives true or false, as far as its form tells."""
        from ia.organs.compute.block_lane import BlockPlan

        try:
            return self._plan is not None and BlockPlan(self._plan.body).gives_truth()
        except Exception:  # whatever it is, evaluating it says it properly
            return False

    @property
    def bars_back(self) -> int | None:
        """How many bars before its own a value depends on; None where that is not known: of what is sandboxed."""
        from ia.organs.compute.look_back import count_bars_back

        if self._plan is None:
            return None
        return count_bars_back(self._plan) + max((argument.bars_back or 0 for _, argument in self.sections), default=0)

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

    def truths_of(self, several: "SignalBars") -> "list[B]":
        """Return the truths of several securities, each as `truths` gives them. Raises as `truths`."""
        return [self._require_truths(values) for values in self._values_of(several)]

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

    def numbers_of(self, several: "SignalBars") -> "list[F]":
        """Return the numbers of several securities, each as `numbers` gives them. Raises as `numbers`."""
        return [self._require_numbers(values) for values in self._values_of(several)]

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

    def _values_of(self, several: "SignalBars") -> Iterable[Any]:
        """Return what `_values` gives for each of several securities: at once where the array lane can."""
        many = several.many
        if len(many) == 1 and not self.sections:
            return [self._values(many[0], several.kept_alone)]
        if many and (block := self._block_values(several)) is not None:
            return [block[: len(bars.date), column] for column, bars in enumerate(many)]
        return [None] * len(many) if self.sections else map(self._values, many)

    def _block_values(self, several: "SignalBars") -> Any:
        """Return the values of several securities as columns, the first bar on top; None where there is a doubt."""
        if self._plan is None:
            return None
        try:
            plan, parts = self._block_plan
            block = {name: several.matrix(name) for name in plan.series}
            if parts:
                return plan.narrow_every_row(parts, block, several.lengths, None, several.kept)
            return plan.every_row(block, several.lengths, several.kept)
        except Exception:  # whatever it is, one security after the other says it properly
            return None

    @cached_property
    def _block_plan(self) -> "tuple[BlockPlan, Sequence[BlockPlan]]":
        """The plan for several securities, and the conditions that must all be true, where it is more than one."""
        from ia.organs.compute.block_lane import BlockPlan

        assert self._plan is not None
        plan = BlockPlan(self._body or self._plan.body, [each.name for each, _ in self.sections])
        parts = plan.split_conditions()
        return plan, parts if len(parts) > 1 and plan.gives_truth() else ()

    def _values(self, bars: Bars, kept: "dict[str, Value] | None" = None) -> Any:
        """Return an array as long as the bars, or None for anything else."""
        if self._plan is not None:
            try:
                result = self._plan.run(bars, kept=kept)
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
