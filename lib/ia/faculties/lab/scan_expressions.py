"""An expression of a scan, taken apart: what the array lane evaluates, what the sandbox does, what compares a day."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ia.faculties.lab.cross_sections import CrossSection, Industries, find_sections, group_days, substitute_sections
from ia.faculties.lab.expression_names import check_names
from ia.faculties.lab.market_values import MarketExpression, NoSeries
from ia.kernel import config
from ia.kernel.errors import BadData, IaError, Message, Notify, PluralText, Refused, TimedOut, UsageError
from ia.organs.compute.array_lane import Plan, compile_array
from ia.organs.compute.block_lane import Several, list_conditions
from ia.organs.compute.lint import find_look_ahead
from ia.organs.compute.policy import compile_source
from ia.organs.compute.sandbox import SandboxSeries
from ia.organs.market.mirror.symbol_bars import iterate_bars
from ia.organs.market.mirror.symbol_blocks import BlockReader, Places
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.compute.sandbox import ComputeResult

MOST_SANDBOXED = 20_000
"""Securities for which an expression may be evaluated in the sandbox."""
SANDBOX_MS = 6
"""Milliseconds that a security takes there, with ten years of bars."""
_NOTICED = 200
_ALL_COLUMNS = ("open", "high", "low", "close", "volume")


@dataclass(kw_only=True)
class ScanMarket:
    """The market that a scan sees, and what is worked out of it once.

    universe    places of the securities of the scan
    newest      the row of each one's newest bar
    industries  as `ia.organs.market.industry_history.load_industries` gives them for the days from a row on
    show        is told how many of how many securities the sandbox has done
    """

    reader: BlockReader
    universe: Places
    newest: Places
    industries: Callable[[int], Industries]
    notify: Notify
    show: Callable[[int, int], None]
    added: dict[str, int] = field(default_factory=dict)

    def symbols_at(self, places: Places) -> list[str]:
        return [self.reader.mirror.symbols[place] for place in places.tolist()]

    def add_section(self, section: CrossSection, argument: "ScanExpression", first: int) -> None:
        """Add what a section comes to on the days from one on as a column of the reader."""
        if self.added.get(section.name, self.reader.height) <= first:
            return
        days, width = self.reader.height - first, len(self.reader.mirror.symbols)
        places = self.universe[self.newest >= first]
        values = np.full((days, len(places)), np.nan)
        if len(places):
            values = argument.newest_numbers(self, places)[None] if days == 1 else argument.numbers(self, places, first)
        out = np.full((days, width), np.nan)
        industries = self.industries(first) if section.by_industry else None
        for begin, end, groups in group_days(industries, days, self.symbols_at(places)):
            for row in range(begin, end):
                out[row, places] = section.compare_day(values[row], groups)
        self.reader.add_column(section.name, first, out)
        self.added[section.name] = first


class ScanExpression:
    """One expression over the securities of a market.

    sandboxed  the part of it that needs the sandbox; "" for none
    """

    def __init__(self, source: str) -> None:
        """Check that it parses and does not look ahead.

        Raises:
            BadData: it is empty, does not parse, names what bars do not have, or gives several values.
            Refused: it looks ahead by its form, or the policy of `ia compute` forbids it.
        """
        from ia.organs.compute import array_backend

        if not source.strip():
            raise BadData("the expression is empty", hint="for example `ia scan 'rsi(close, 14) < 30'`")
        self.source = source
        body, sections = find_sections(source)
        plain = source if body is None else substitute_sections(body, sections, "close")
        check_names(plain, source)
        array_backend.settle_on_numpy()
        if ahead := find_look_ahead(plain):
            raise Refused(
                "{reason}", reason=ahead[0].message, hint="a scan sees the bars up to the day, and none later"
            )
        self._sections = [(each, ScanExpression(each.argument)) for each in sections]
        try:
            self._lane, sandboxed = _split_lanes(source if body is None else body, sections)
        except RecursionError:
            raise Refused("the expression is nested too deeply; simplify it") from None
        self.sandboxed: str = next((each.sandboxed for _, each in self._sections if each.sandboxed), sandboxed)
        self._sandboxed = sandboxed
        self._plain = plain
        if self.sandboxed:
            compile_source(plain)
        self._alone = compile_array(source) if body is None else None
        self._blocks = self._prepare_blocks()
        self.failures = 0
        self.failure: IaError | None = None
        self._sandbox: dict[str, SandboxSeries] = {}

    @property
    def whole_number(self) -> bool:
        """Whether its values are whole numbers."""
        return not self._sandboxed and self._blocks is not None and self._blocks.whole_number

    @property
    def sections(self) -> "list[tuple[CrossSection, ScanExpression]]":
        """What of it compares securities, and what each compares."""
        return self._sections

    @property
    def of_day(self) -> bool:
        """Whether only the newest value of what compares securities counts."""
        return self._blocks is not None and self._blocks.of_day

    @property
    def plain(self) -> str:
        """Its source, with the close in the place of what compares securities."""
        return self._plain

    @property
    def truth(self) -> bool:
        """Whether it gives true or false, as far as its form tells."""
        return self._blocks is not None and self._blocks.truth

    def _prepare_blocks(self) -> MarketExpression | None:
        if self._lane is None:
            return None
        try:
            return MarketExpression(self._lane, [each.name for each, _ in self._sections])
        except Several:
            raise self._not_single() from None
        except Exception:  # whatever it is, a single security says it properly
            return None

    # the securities of the market

    def newest_values(self, market: ScanMarket, places: Places) -> list[Any]:
        """Return the newest value of each security: a bool, a number, or None where it is missing.

        Raises:
            BadData: it raises an error on all bars, or gives no single value.
            UsageError: it needs the sandbox for too many securities.
        """
        if self._blocks is not None:
            values = self._evaluate_blocks(market, places, None)
            if values is not None:
                if not self._sandboxed:
                    return plain_values(values, self.whole_number)
                met = np.flatnonzero(values)
                found: list[Any] = [False] * len(places)
                for at, value in zip(met.tolist(), self._newest_in_sandbox(market, places[met]), strict=True):
                    found[at] = value
                return found
        self._refuse_sections(market, places)
        return self._newest_in_sandbox(market, places)

    def daily_values(self, market: ScanMarket, places: Places, first: int) -> NDArray[Any]:
        """Return the value of each bar from a day on, [days, securities], NaN or False where it is missing.

        Raises as `newest_values`.
        """
        if self._blocks is not None:
            values = self._evaluate_blocks(market, places, first)
            if values is not None:
                if self._sandboxed:
                    met = np.flatnonzero(values.any(axis=0))
                    values[:, met] &= self._daily_in_sandbox(market, places[met], first, need_truth=True)
                return values
        self._refuse_sections(market, places)
        return self._daily_in_sandbox(market, places, first)

    def newest_numbers(self, market: ScanMarket, places: Places) -> NDArray[np.float64]:
        """Return the newest value of each security as a number, NaN where it is missing. raises  as `newest_values`."""
        values = self.newest_values(market, places)
        if any(isinstance(value, bool) for value in values):
            raise self.not_number()
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    def numbers(self, market: ScanMarket, places: Places, first: int) -> NDArray[np.float64]:
        """Return the value of each bar from a day on as a number. raises  as `newest_values`."""
        values = self.daily_values(market, places, first)
        if values.dtype == np.bool_:
            raise self.not_number()
        return np.asarray(values, dtype=np.float64)

    def _evaluate_blocks(self, market: ScanMarket, places: Places, first: int | None) -> NDArray[Any] | None:
        """Return what the array lane gives for the newest bar or the days from one on; None where it has doubts."""
        assert self._blocks is not None
        begin = market.reader.height - 1 if first is None else first
        for section, argument in self._sections:
            market.add_section(section, argument, begin if self._blocks.of_day else 0)
        try:
            if first is None:
                return self._blocks.newest_values(market.reader, places)
            return self._blocks.daily_values(market.reader, places, first)
        except NoSeries:
            raise self._no_series() from None
        except Exception:  # whatever it is, the full lane says it properly
            return None

    def _refuse_sections(self, market: ScanMarket, places: Places) -> None:
        """Say what is wrong with an expression that compares securities and cannot be evaluated."""
        if not (self._sections and len(places)):
            return
        bars = next(bars for _, bars in self._load_bars(market, places[:1]))
        self._evaluate_alone(self._plain, bars, 1, market.notify)
        raise self.failure or BadData("{expression} cannot be evaluated", expression=self.source)

    # a security at a time

    def newest_value(self, bars: Bars, notify: Notify) -> Any:
        """Return the newest value for a security by itself; None for what compares securities. raises  BadData."""
        if self._sections:
            return None
        if self._alone is not None:
            try:
                return _newest_of_lane(self._alone.run(bars))
            except Several:
                raise self._not_single() from None
            except Exception:  # as above
                pass
        result = self._evaluate_alone(self.source, bars, 1, notify)
        return None if result is None else self._newest_result(result)

    def daily_value(self, bars: Bars, first: int, notify: Notify) -> NDArray[Any]:
        """Return the values of a security from one of its bars on, NaN or False where missing. raises  BadData."""
        count = len(bars.date) - first
        if self._sections:
            return np.full(count, np.nan)
        if self._alone is not None:
            try:
                found = self._alone.run(bars)
            except Exception:  # as above
                pass
            else:
                if found.kind == "frame":
                    raise self._not_single()
                if found.kind == "scalar":
                    raise self._no_series()
                return np.asarray(found.arrays[0][first:])
        result = self._evaluate_alone(self.source, bars, count, notify)
        return np.full(count, np.nan) if result is None else self._daily_result(result, bars.date[first:])

    def _newest_in_sandbox(self, market: ScanMarket, places: Places) -> list[Any]:
        self._check_cost(market, len(places))
        source = self._sandboxed if self._blocks is not None and self._sandboxed else self.source
        found: list[Any] = [None] * len(places)
        for at, bars in self._load_bars(market, places):
            if source == self.source:
                found[at] = self.newest_value(bars, market.notify)
            elif result := self._evaluate_alone(source, bars, 1, market.notify):
                dated = result.labels == bars.date[-1:] if result.type == "series" else True
                value = self._newest_result(result)
                if not isinstance(value, bool):
                    raise self._not_truth(source)
                found[at] = value and dated
        if not (places.size and self.failures == len(places) and self.failure):
            return found
        raise self.failure

    def _daily_in_sandbox(
        self, market: ScanMarket, places: Places, first: int, *, need_truth: bool = False
    ) -> NDArray[Any]:
        self._check_cost(market, len(places))
        source = self._sandboxed if need_truth else self.source
        days = market.reader.mirror.dates[first:]
        rows = {day: at for at, day in enumerate(days)}
        found = np.full((len(days), len(places)), np.nan)
        truth: bool | None = None
        for at, bars in self._load_bars(market, places):
            begin = next((place for place, day in enumerate(bars.date) if day >= days[0]), len(bars.date))
            if begin == len(bars.date):
                continue
            if need_truth:
                result = self._evaluate_alone(source, bars, len(bars.date) - begin, market.notify)
                values = np.zeros(0) if result is None else self._daily_result(result, bars.date[begin:])
            else:
                values = self.daily_value(bars, begin, market.notify)
            if len(values):
                truth = (truth is not False) and values.dtype == np.bool_
                found[[rows[day] for day in bars.date[begin:]], at] = values
        if places.size and self.failures == len(places) and self.failure:
            raise self.failure
        if truth is False and need_truth:
            raise self._not_truth(source)
        return found == 1 if truth or need_truth else found

    def _load_bars(self, market: ScanMarket, places: Places) -> Iterator[tuple[int, Bars]]:
        """Yield the place in the list and the bars of each security."""
        at = {symbol: place for place, symbol in enumerate(market.symbols_at(places))}
        for done, (symbol, bars) in enumerate(iterate_bars(market.reader.mirror, at, _ALL_COLUMNS), 1):
            yield at[symbol], bars
            market.show(done, len(places))

    def _check_cost(self, market: ScanMarket, count: int) -> None:
        if count > MOST_SANDBOXED:
            raise UsageError(
                "{expression!r} needs the sandbox, which is too slow for {count} securities",
                expression=self._sandboxed or self.source,
                count=count,
                hint="use the functions of ia-compute(1), or narrow it with --in or --where",
            )
        if count > _NOTICED and self._sandboxed:
            market.notify(
                Message(
                    PluralText(
                        "evaluating {expression!r} in the sandbox for {count} security, in about {seconds} s",
                        "evaluating {expression!r} in the sandbox for {count} securities, in about {seconds} s",
                    ),
                    expression=self._sandboxed,
                    count=count,
                    seconds=max(round(count * SANDBOX_MS / 1000), 1),
                )
            )

    def _evaluate_alone(self, source: str, bars: Bars, newest: int, notify: Notify) -> "ComputeResult | None":
        """Return what the sandbox gives; None where the expression raises an error on these bars."""
        sandbox = self._sandbox.get(source)
        if sandbox is None:
            sandbox = self._sandbox[source] = SandboxSeries(source)
        try:
            return sandbox.compute_newest(
                bars,
                newest,
                timeout=float(config.get_setting("compute.timeout")),
                isolation=str(config.get_setting("compute.isolation")),
                notify=notify,
            )
        except TimedOut as error:
            error.hint = "raise the limit with `ia config set compute.timeout 60`"
            raise
        except BadData as error:
            self.failures += 1
            self.failure = self.failure or error
            if self.failures == 1 and self._sandboxed:
                raise
            return None

    def close(self) -> None:
        """End the processes that it started."""
        for each in self._sandbox.values():
            each.end()
        self._sandbox.clear()
        for _, argument in self._sections:
            argument.close()

    def _newest_result(self, result: "ComputeResult") -> Any:
        value = result.value
        if result.type == "series" and not result.row:
            value = value[-1] if value else None
        elif result.type not in ("boolean", "scalar"):
            raise self._not_single(text=result.type in ("text", "date", "none"))
        return None if value is None or value != value else value

    def _daily_result(self, result: "ComputeResult", dates: Sequence[str]) -> NDArray[Any]:
        if result.type in ("boolean", "scalar"):
            raise self._no_series()
        if result.type != "series" or result.row:
            raise self._not_single()
        known = dict(zip(result.labels or (), result.value, strict=True))
        column = [known.get(day) for day in dates]
        if all(isinstance(value, bool) or value is None for value in column):
            return np.array([value is True for value in column])
        if not all(isinstance(value, int | float) or value is None for value in column):
            raise self._not_single()
        return np.array([np.nan if value is None else value for value in column], dtype=np.float64)

    # what is wrong

    def _not_single(self, *, text: bool = False) -> BadData:
        if text:
            return BadData(
                "{expression} gives no number, nor true or false",
                expression=self.source,
                hint="for example 'rsi(close, 14) < 30'",
            )
        return BadData(
            "{expression} gives several values",
            expression=self.source,
            hint="name one of them: macd(close)['histogram'] > 0",
        )

    def not_number(self) -> BadData:
        """Return the error for truth values where numbers are compared."""
        return BadData(
            "{expression} gives true or false, and no number that could be compared",
            expression=self.source,
            hint="for example xrank(roc(close, 20)) > 0.9",
        )

    def _not_truth(self, source: str) -> BadData:
        return BadData("{expression} does not give true or false", expression=source)

    def _no_series(self) -> BadData:
        return BadData(
            "{expression} gives one value for a security, and none for each bar",
            expression=self.source,
            hint="omit --since, or leave out latest() and prev()",
        )


def _split_lanes(source: "str | ast.expr", sections: Sequence[CrossSection]) -> tuple[ast.expr | None, str]:
    """Return what the array lane evaluates, and what the sandbox has to; of conditions each goes where it can.

    raises  BadData for what needs the sandbox and compares securities
    """
    if isinstance(source, str):
        if plan := compile_array(source):
            return plan.body, ""
        try:
            body = ast.parse(source.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None, source
    else:
        body = source
    conditions = list_conditions(body)
    quick = [_compile_part(each, sections) for each in conditions]
    lane = [each for each, met in zip(conditions, quick, strict=True) if met]
    rest = [each for each, met in zip(conditions, quick, strict=True) if not met]
    names = {each.name for each in sections}
    for each in rest:
        if any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(each)):
            raise BadData(
                "{expression}: what compares securities goes with the functions of ia-compute(1) only",
                expression=ast.unparse(each),
                hint="join it to other conditions with &, each in brackets",
            )
    if not rest:
        return body, ""
    if not lane or not all(_is_truth(each, sections) for each in lane):
        return None, source if isinstance(source, str) else ast.unparse(source)
    return _join_conditions(lane), ast.unparse(_join_conditions(rest))


def _join_conditions(conditions: Sequence[ast.expr]) -> ast.expr:
    joined = conditions[0]
    for each in conditions[1:]:
        joined = ast.BinOp(left=joined, op=ast.BitAnd(), right=each)
    return joined


def _compile_part(body: ast.expr, sections: Sequence[CrossSection]) -> Plan | None:
    return compile_array(substitute_sections(body, list(sections), "close"))


def _is_truth(body: ast.expr, sections: Sequence[CrossSection]) -> bool:
    try:
        return MarketExpression(body, [each.name for each in sections]).truth
    except Exception:  # by its form it is none
        return False


def _newest_of_lane(result: Any) -> Any:
    """Return the newest value of what the array lane gives; None for a missing one."""
    if result.kind == "frame":
        raise Several
    value = result.value if result.kind == "scalar" else result.arrays[0][-1].item()
    return None if value != value else value


def plain_values(values: NDArray[Any], whole: bool) -> list[Any]:
    """Return values as a list, None for what is missing; `whole` numbers as such."""
    found: list[Any] = values.tolist()
    if values.dtype == np.bool_:
        return found
    found = [None if value != value else value for value in found]
    return [None if value is None else int(value) for value in found] if whole else found
