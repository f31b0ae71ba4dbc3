"""A backtest from a request to its folder: prices are loaded, rules are run, figures are set beside yardsticks."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import Symbol, from_canonical, resolve_security
from ia.domain.performance.ratios import SESSIONS_A_YEAR, bars_a_year
from ia.faculties.lab import run_folders, selection_figures, trials
from ia.faculties.lab.exchange import Terms
from ia.faculties.lab.rule_runs import compile_rules, run_rules
from ia.faculties.lab.run_figures import (
    Yardstick,
    benchmark_yardstick,
    figures_document,
    hold_yardsticks,
    simple_returns,
)
from ia.faculties.lab.run_market import UNKNOWN, build_market, load_named_market, load_universe_market
from ia.faculties.lab.run_types import EQUAL, PositionSize, RuleSettings, RunMarket, RunResult
from ia.faculties.lab.securities import Security
from ia.kernel import clock, dateforms
from ia.kernel.digest import sha256
from ia.kernel.errors import BadData, Message, NotFound, Notify, Simulated, UsageError, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.ledger.order import load_commission, parse_number
from ia.organs.ohlcv.calendar import list_sessions
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.faculties.lab.lookahead_check import CheckResult

SIZE_HELP = "20%, 1000 shares, 50000 (money), equal"
_is_size = re.compile(r"([0-9.,]+)\s*(%|shares?|股)?").fullmatch


@dataclass(frozen=True, kw_only=True)
class BacktestRequest:
    """What is asked for: rules, and the securities by code or name, by universe, or as bars.

    bars       canonical bars that are given; `symbol` is whose market rules hold for them, None for none; `simulated`
               whether a data source invented them
    where      condition of `ia screen` that those of the universe must meet on the day that the run begins
    benchmark  a code or name; "" for the usual index of the market, "none" for none
    check      seed of a look-ahead check; None for no check
    strategy   name and source of a strategy file, instead of entry and exit
    """

    settings: RuleSettings
    symbols: tuple[str, ...] = ()
    universe: str = ""
    where: str = ""
    bars: Bars | None = None
    symbol: str | None = None
    simulated: bool = False
    benchmark: str = ""
    check: int | None = None
    strategy: tuple[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Backtest:
    """A run, its prices and figures, and its folder; None where it was not saved."""

    result: RunResult
    market: RunMarket
    settings: Json
    figures: Json
    saved: run_folders.SavedRun | None
    check: "CheckResult | None" = None


def run_backtest(
    ws: Workspace,
    request: BacktestRequest,
    *,
    save: bool = True,
    notify: Notify = drop_message,
    show: Callable[[int, int], None] = lambda done, total: None,
) -> Backtest:
    """Run rules over past prices and save what came of it under `runs/`.

    raises  what `run_rules`, `load_named_market` and `load_universe_market` raise; OSError of a disk that is full.
    """
    strategy = request.strategy
    if strategy is None:
        compile_rules(request.settings)
    else:
        from ia.organs.compute.strategy_process import compile_strategy

        compile_strategy(strategy[1], strategy[0])
    market = load_market(ws, request, notify)
    settings = replace(request.settings, terms=settle_terms(request, market))

    def run(world: RunMarket) -> RunResult:
        if strategy is None:
            return run_rules(settings, world, show=show)
        from ia.faculties.lab.strategy_runs import run_strategy

        return run_strategy(strategy[1], strategy[0], settings, world)

    result = run(market)
    unknown = [each.symbol for each in market.securities.values()] == [UNKNOWN]
    for name, day in () if unknown else result.fees_assumed.items():
        notify(Message("the table of fees of {market} begins on {day}; earlier trades pay those", market=name, day=day))
    yardsticks = hold_yardsticks(result, market)
    if found := load_benchmark(ws, request.benchmark, result, market):
        yardsticks["benchmark"] = found
    figures = figures_document(result, yardsticks)
    if unknown:
        figures["currency"] = ""  # nobody said in which money the bars are
    told: Json = {
        "kind": "strategy" if strategy else "rules",
        **({"strategy": strategy[0], "strategy_sha256": sha256(strategy[1].encode()).hexdigest()} if strategy else {}),
        "universe": name_universe(request, market),
        **run_folders.settings_document(settings),
        "benchmark": yardsticks["benchmark"].name if "benchmark" in yardsticks else "none",
        **run_folders.describe_inputs(market),
    }
    checked = None
    if request.check is not None:
        from ia.faculties.lab.lookahead_check import check_run, describe_check

        checked = check_run(result, market, run, request.check)
        for each in describe_check(checked):
            notify(each)
    saved = run_folders.save_run(ws, told, result, figures, yardsticks) if save else None
    if saved:
        keys = selection_figures.find_family(told)
        trials.record_trials(
            ws, [selection_figures.make_trial(keys, saved.id, result.days, simple_returns(result.equity))]
        )
    return Backtest(result=result, market=market, settings=told, figures=figures, saved=saved, check=checked)


def load_market(ws: Workspace, request: BacktestRequest, notify: Notify = drop_message) -> RunMarket:
    """Return the prices that a request names.

    raises  UsageError for securities of several currencies.
    """
    universe = _universe_symbols(ws, request, notify) if request.universe else None
    _require_one_currency(map(from_canonical, universe or ()))
    market = _load_prices(ws, request, universe, notify)
    _require_one_currency(each.symbol for each in market.securities.values())
    return market


def _require_one_currency(symbols: Iterable[Symbol]) -> None:
    groups: dict[str, list[str]] = {}
    for symbol in symbols:
        groups.setdefault(trading_currency(symbol), []).append(symbol.canonical)
    if len(groups) > 1:
        raise UsageError(
            "one account cannot trade in {currencies}; give the securities of one currency",
            currencies=", ".join(sorted(groups)),
            hint="for example `ia backtest run {symbols}`",
            symbols=" ".join(max(groups.values(), key=len)[:5]) + " …",
        )


def _load_prices(
    ws: Workspace, request: BacktestRequest, universe: tuple[str, ...] | None, notify: Notify
) -> RunMarket:
    if request.bars is not None:
        if request.bars.date and len(request.bars.date[-1]) > len("2024-03-15"):
            raise BadData(
                "the bars of standard input have a time of day: {time}",
                time=request.bars.date[-1],
                hint="give one bar a day, or weekly or monthly ones",
            )
        symbol = resolve_security(request.symbol, ()) if request.symbol else UNKNOWN
        if symbol != UNKNOWN and bars_a_year(request.bars.date, symbol.market) != SESSIONS_A_YEAR[symbol.market]:
            raise UsageError(
                "--symbol applies the rules of a trading day, and these bars are longer than a day",
                hint="leave out --symbol",
            )
        notify(
            Message("the bars of standard input are traded by the rules of {symbol}", symbol=symbol.canonical)
            if request.symbol
            else Message(
                "the bars of standard input are traded without market rules: no price limits, no lots, no T+1, no"
                " stamp duty; --symbol applies the rules of a security"
            )
        )
        if request.simulated:
            notify(Simulated("simulated prices: a simulated market generated this data"))
        return build_market([Security(symbol=symbol, bars=request.bars)], simulated=request.simulated)
    if request.universe:
        return load_universe_market(ws, universe, notify)
    return load_named_market(ws, request.symbols, notify)


def name_universe(request: BacktestRequest, market: RunMarket) -> str:
    """Return what a run trades: the universe, the securities, or bars of unknown origin by their digest."""
    if request.universe:
        return request.universe + (f" where {request.where}" if request.where else "")
    if list(market.securities) == [UNKNOWN.canonical]:
        return f"CSV-{run_folders.digest_bars(market, UNKNOWN.canonical)[:8]}"
    return " ".join(market.securities)


def _universe_symbols(ws: Workspace, request: BacktestRequest, notify: Notify) -> tuple[str, ...] | None:
    """Return the securities of a universe that meet the condition on the last trading day up to the first of the run.

    Whoever chose by a later day would trade what he could not know.
    """
    from ia.faculties.lab.technical_screen import select_universe

    if not request.where:
        return select_universe(ws, request.universe)
    since = request.settings.since
    if not since:
        raise UsageError(
            "--where needs --since: the condition is that of the day on which the run begins",
            hint="for example `--since 2020-01-01`",
        )
    day = (list_sessions("CN", (date.fromisoformat(since) - timedelta(days=30)).isoformat(), since) or [since])[-1]
    chosen = select_universe(ws, request.universe, request.where, on=day, notify=notify)
    if not chosen:
        raise NotFound("no security meets {condition} on {day}", condition=request.where, day=day)
    notify(Message("{count} securities met {condition} on {day}", count=len(chosen), condition=request.where, day=day))
    return chosen


def settle_terms(request: BacktestRequest, market: RunMarket) -> Terms:
    """Return the terms of the run: where no commission is given, the one of the settings for the market."""
    terms = request.settings.terms
    symbols = [each.symbol for each in market.securities.values()]
    if symbols == [UNKNOWN]:
        return replace(terms, us_fees=False)
    if terms.commission_pct or terms.commission_min or (request.bars is not None and not request.symbol):
        return terms
    agreed = load_commission(symbols[0].market)
    return replace(terms, commission_pct=agreed.pct, commission_min=agreed.least)


_INDICES = {"CN": "000300.SH", "HK": "HSI.HK", "US": "SPX.US"}


def load_benchmark(ws: Workspace, text: str, result: RunResult, market: RunMarket) -> Yardstick | None:
    """Return the closes of a benchmark on the days of a run: the one named, else the index of the market if stored.

    raises  NotFound where no prices are stored of the one named.
    """
    from ia.wiring.ledger_prices import StoredPrices

    symbols = [each.symbol for each in market.securities.values()]
    if text == "none" or (not text and symbols == [UNKNOWN]):
        return None
    symbol: Symbol = resolve_security(text or _INDICES[symbols[0].market], ())
    found = StoredPrices(ws, drop_message).load_benchmark(symbol, result.days[0])
    if not found.days or found.days[0] > result.days[-1]:
        if text:
            raise NotFound(
                "no prices of {symbol} are stored in these days",
                symbol=str(symbol),
                hint="fetch them with `ia ohlcv {canonical}`",
                canonical=symbol.canonical,
            )
        return None
    return benchmark_yardstick(str(symbol), result.days, found.days, found.closes, found.total)


def read_settings(given: Mapping[str, Any], *, one: bool) -> RuleSettings:
    """Return the settings of rules as a person or a model writes them.

    given  the fields of RuleSettings as texts, `size` as `parse_size` reads it, `stop` and `target` in per cent,
           `commission` and `volume_cap` (`none` for none) in per cent; what is missing or empty has its default
    one    whether one security is traded: by default with the whole equity, else in equal parts

    raises  UsageError.
    """

    def text(name: str) -> str:
        value = given.get(name)
        return "" if value is None else str(value).strip()

    today = date.fromisoformat(clock.today())
    since, until, cap = text("since"), text("until"), text("volume_cap") or "10"
    since = since and dateforms.parse_day(since, today, option="--since")
    until = until and dateforms.parse_day(until, today, option="--until", last=True)
    if since > str(today):
        raise UsageError("{option}: {date} is in the future", option="--since", date=since)
    if until and since > until:
        raise UsageError("--since {since} is after --until {until}", since=since, until=until)
    rebalance = text("rebalance")
    if rebalance not in ("", "daily", "weekly", "monthly"):
        raise UsageError("--rebalance {text}: use daily, weekly or monthly", text=rebalance)
    cash = parse_number(text("cash") or "100000", "--cash")
    if cash < Decimal("0.01"):
        raise UsageError("--cash {text}: give at least 0.01", text=text("cash"))
    usual = PositionSize("percent", Decimal(100)) if one else EQUAL
    return RuleSettings(
        entry=text("entry"),
        exit=text("exit"),
        rank=text("rank"),
        cash=cash,
        size=parse_size(text("size")) if text("size") else usual,
        since=since,
        until=until,
        stop_pct=parse_percent(text("stop"), "--stop", most=Decimal(100)),
        target_pct=parse_percent(text("target"), "--target"),
        max_positions=given.get("max_positions"),
        rebalance=rebalance,  # type: ignore[arg-type]
        terms=Terms(
            commission_pct=parse_percent(text("commission"), "--commission", zero=True) or Decimal(0),
            commission_min=Decimal(0),
            volume_cap_pct=None if cap == "none" else parse_percent(cap, "--volume-cap"),
        ),
    )


def parse_size(text: str) -> PositionSize:
    """Return the size of a position: `20%` of the equity, `1000 shares`, `50000` (money), `equal`.

    >>> parse_size("20%"), parse_size("1000 shares").kind
    (PositionSize(kind='percent', amount=Decimal('20')), 'shares')

    raises  UsageError.
    """
    word = text.strip().lower()
    if word in ("equal", "等权"):
        return PositionSize("equal")
    found = _is_size(word)
    if found is None:
        raise UsageError("--size {text!r}: unknown size", text=text, hint="give one of: " + SIZE_HELP)
    amount = parse_number(found[1], "--size")
    if found[2] == "%":
        if amount > 100:
            raise UsageError("--size {text}: at most 100% of the equity", text=text)
        return PositionSize("percent", amount)
    return PositionSize("shares" if found[2] else "money", amount)


def parse_percent(text: str, option: str, *, most: Decimal | None = None, zero: bool = False) -> Decimal | None:
    """Return a percentage above 0, with or without its sign; None for an empty text. raises UsageError."""
    if not text:
        return None
    number = parse_number(text.removesuffix("%").strip(), option, zero=zero)
    if most is not None and number >= most:
        raise UsageError("{option} {text}: give a percentage below {most}", option=option, text=text, most=f"{most:f}")
    return number
