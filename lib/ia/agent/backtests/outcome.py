"""What came of a run: `result.json`, `equity.csv`, `orders.csv` and `trades.csv` of its folder."""

import os
from collections.abc import Iterable, Sequence
from datetime import date
from math import sqrt

from ia.agent.backtests import comparators
from ia.agent.backtests.cutoffs import split_sessions
from ia.agent.backtests.live import RunState
from ia.domain.performance import ratios
from ia.domain.performance.drawdowns import max_drawdown
from ia.domain.performance.figures import Figure
from ia.domain.performance.round_trips import measure_trades
from ia.faculties.lab.order_files import describe_fill
from ia.faculties.lab.run_folders import to_csv
from ia.faculties.lab.tickets import Fill, Unfilled
from ia.kernel.errors import Message
from ia.kernel.files import replace_file
from ia.kernel.i18n import Voice, mark_text
from ia.kernel.jsontypes import Json
from ia.organs.ledger.performance import find_round_trips

RESULT = "result.json"
DONE, STOPPED, RUNNING = "done", "stopped", "running"
_TOP = ("return_frac", "cagr_frac", "volatility_ann_frac", "sharpe", "max_drawdown_frac")
"""Figures of the last part, which is the headline: none spans the cutoff of the model."""
ORDER_COLUMNS = (
    "order", "given", "symbol", "side", "type", "quantity", "trigger", "status", "reason", "ended", "filled", "price",
    "fees", "dividend_tax", "why",
)  # fmt: skip
MAY_HAVE_READ = mark_text("the model may have read this")
NO_TRADE = Message("the run made no trade")
ONE_SECURITY = Message("with one security, there is nothing to draw")


def write_outcome(folder: str, state: RunState, document: Json) -> None:
    """Write the files of a run's outcome."""
    text = _to_json(document)
    replace_file(os.path.join(folder, "equity.csv"), _equity_csv(state), durable=False)
    replace_file(os.path.join(folder, "orders.csv"), _orders_csv(state), durable=False)
    replace_file(os.path.join(folder, "trades.csv"), _trades_csv(state), durable=False)
    replace_file(os.path.join(folder, RESULT), text, durable=False)


def describe_stop(state: RunState, reason: str) -> Json:
    """Return the result of a run that has not come to its end; without a reason it is under way."""
    return {
        "kind": "agent",
        "status": STOPPED if reason else RUNNING,
        "simulated": state.market.simulated,
        "sessions": len(state.sessions),
        "of": len(state.market.sessions),
        "reason": reason,
        "usage": _usage(state),
    }


def describe_outcome(state: RunState) -> Json:
    """Return the result of a run that was lived to its end."""
    settings, sessions = state.settings, state.market.sessions
    speak = Voice(settings.lang)
    held = comparators.buy_and_hold(state.market, state.account.start_cash, settings.terms())
    even = comparators.equal_weight(state.market, float(state.account.start_cash))
    own = [float(equity) for _, _, equity in state.account.equity]
    parts = split_sessions(settings.model, settings.cutoff, sessions)
    random = _random_returns(state, parts)
    described = [
        _describe_part(state, part, own, (held.equity, even), random[at] if random else None, speak)
        for at, part in enumerate(parts)
    ]
    trips = find_round_trips(state.account.portfolio.books)
    trades = measure_trades(trips)
    whole_missing = _reason_without_random(state)
    headline = described[-1]
    return {
        "kind": "agent",
        "status": DONE,
        "model": settings.model,
        "simulated": state.market.simulated,
        "masked": settings.mask,
        "mask": {name: each.symbol.canonical for name, each in state.market.securities.items()}
        if settings.mask
        else None,
        "identification": state.identification,
        "sessions": len(sessions),
        "start": sessions[0],
        "end": sessions[-1],
        "first": headline["start"],
        "last": headline["end"],
        **{name: headline[name] for name in _TOP},
        "cash": float(state.account.start_cash),
        "equity": own[-1],
        "currency": state.account.portfolio.currency,
        "percentile_pct": headline["random_agents"]["percentile_pct"],
        "note": headline["note"],
        "parts": described,
        "cutoff": settings.cutoff or None,
        "runs": 1,
        "random_agents": {
            "count": comparators.AGENTS if random else 0,
            "reason": speak.say(whole_missing) if whole_missing else None,
        },
        "buy_and_hold_missing": held.missing,
        "trades": {
            "closed": trades.trades,
            "won": trades.won,
            "lost": trades.lost,
            "win_rate_frac": _round(trades.win_rate.value),
            "profit_factor": _round(trades.profit_factor.value),
            "expectancy": _round(trades.expectancy.value, 2),
            "holding_days": _round(trades.holding_days.value, 2),
        },
        "orders": {
            "given": len(state.account.given),
            "filled": len({fill.order for fill in state.account.exchange.fills}),
            "refused_by_guard": state.account.refusals,
            "not_filled": _count_reasons(state.account.exchange.unfilled),
        },
        "usage": _usage(state),
    }


def _describe_part(
    state: RunState,
    part: tuple[str, int, int],
    own: Sequence[float],
    others: tuple[Sequence[float], Sequence[float]],
    random: list[float] | None,
    speak: Voice,
) -> Json:
    name, begin, end = part
    days = state.market.sessions[begin:end]
    start = float(state.account.start_cash)
    before, *series = [own[begin - 1] if begin else start, *own[begin:end]]
    market = next(iter(state.market.securities.values())).symbol.market
    a_year = ratios.SESSIONS_A_YEAR[market]
    values = [before, *series]
    returns = [after / earlier - 1 for earlier, after in zip(values, series, strict=False)]
    total = values[-1] / before - 1
    growth = ratios.annual_growth(total, date.fromisoformat(days[0]), date.fromisoformat(days[-1]))
    drawdown = max_drawdown([days[0], *days], values)
    sharpe = ratios.sharpe_ratio(returns, a_year)
    reasons: Json = {}

    def figure(key: str, found: Figure, places: int = 6) -> float | None:
        if found.value is None and found.reason is not None:
            reasons[key] = speak.say(found.reason)
        return _round(found.value, places)

    described: Json = {
        "part": name,
        "note": speak(MAY_HAVE_READ) if name == "before" else None,
        "start": days[0],
        "end": days[-1],
        "sessions": len(days),
        "return_frac": _round(total),
        "cagr_frac": figure("cagr_frac", growth),
        "volatility_ann_frac": figure("volatility_ann_frac", ratios.volatility(returns, a_year)),
        "sharpe": figure("sharpe", sharpe, 4),
        "sharpe_standard_error": _sharpe_error(sharpe.value, len(days) / a_year),
        "max_drawdown_frac": _round(drawdown.frac),
        "sessions_a_year": a_year,
        "buy_and_hold": {"return_frac": _part_return(others[0], begin, end, start)},
        "equal_weight": {"return_frac": _part_return(others[1], begin, end, start)},
        "random_agents": _rank(total, random),
    }
    return described | ({"reasons": reasons} if reasons else {})


def _part_return(curve: Sequence[float], begin: int, end: int, start: float) -> float | None:
    return _round(curve[end - 1] / (curve[begin - 1] if begin else start) - 1)


def _sharpe_error(sharpe: float | None, years: float) -> float | None:
    """Return the standard error of a yearly Sharpe ratio: sqrt((1 + S²/2) / years)."""
    return None if sharpe is None or years <= 0 else round(sqrt((1 + sharpe * sharpe / 2) / years), 2)


def _random_returns(state: RunState, parts: Sequence[tuple[str, int, int]]) -> list[list[float]] | None:
    """Return the returns of the random agents in each part of the run; None where there are none."""
    if _reason_without_random(state) is not None:
        return None
    trades = comparators.list_trade_sizes(state.account)
    start = float(state.account.start_cash)
    marks = [end - 1 for _, _, end in parts]
    curves = comparators.run_random_agents(
        state.market, trades, start, state.settings.terms(), seed=state.settings.seed, marks=marks
    )
    return [[curve[at] / (curve[at - 1] if at else start) - 1 for curve in curves] for at in range(len(parts))]


def _reason_without_random(state: RunState) -> Message | None:
    if not state.account.exchange.fills:
        return NO_TRADE
    return ONE_SECURITY if len(state.market.securities) < 2 else None


def _rank(total: float, random: list[float] | None) -> Json:
    """Return where a return stands among those of random agents: the per cent of them that it beats."""
    if random is None:
        return {"percentile_pct": None, "median_return_frac": None}
    below = sum(each < total - 1e-12 for each in random)
    equal = sum(abs(each - total) <= 1e-12 for each in random)
    return {
        "percentile_pct": round(100 * (below + equal / 2) / len(random), 1),
        "median_return_frac": _round(ratios.quantile(random, 0.5)),
        "p05_return_frac": _round(ratios.quantile(random, 0.05)),
        "p95_return_frac": _round(ratios.quantile(random, 0.95)),
    }


def _usage(state: RunState) -> Json:
    return {
        "calls": state.calls,
        "input": state.input_tokens,
        "output": state.output_tokens,
        "cost": state.cost,
        "currency": state.settings.price.get("currency"),
        "turns_cut": state.cut,
    }


def _count_reasons(rows: Iterable[Unfilled]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        key = f"{row.status}: {row.reason}"
        counts[key] = counts.get(key, 0) + 1
    return dict(sorted(counts.items()))


def _round(value: float | None, places: int = 6) -> float | None:
    return None if value is None else round(value, places) + 0.0


def _equity_csv(state: RunState) -> str:
    account, count = state.account, len(state.account.equity)
    columns: list[Sequence[object]] = [[day, f"{equity:.2f}", f"{cash:.2f}"] for day, cash, equity in account.equity]
    if count == len(state.market.sessions):
        held = comparators.buy_and_hold(state.market, account.start_cash, state.settings.terms()).equity
        even = comparators.equal_weight(state.market, float(account.start_cash))
    else:
        held, even = [], []
    rows = [
        [*row, f"{held[at]:.2f}" if held else "", f"{even[at]:.2f}" if even else ""] for at, row in enumerate(columns)
    ]
    return to_csv(["date", "equity", "cash", "buy_and_hold", "equal_weight"], rows)


def _orders_csv(state: RunState) -> str:
    account = state.account
    fills: dict[str, list[Fill]] = {}
    for fill in account.exchange.fills:
        fills.setdefault(fill.order, []).append(fill)
    ended = {row.order: row for row in account.exchange.unfilled}
    rows: list[Sequence[object]] = []
    for order in account.given:
        done, rest = fills.get(str(order.number), []), ended.get(str(order.number))
        filled = sum(fill.quantity for fill in done)
        told = describe_fill(done[0]) if done else {}
        status = ("filled" if filled == order.quantity else "partial") if done else rest.status if rest else "open"
        rows.append(
            [
                order.number,
                order.day,
                _real_symbol(state, order.symbol),
                order.action,
                order.kind,
                f"{order.quantity:f}",
                "" if order.price is None else f"{order.price:f}",
                status,
                rest.reason if rest else "",
                told.get("date") or (rest.date if rest else "") or "",
                f"{filled:f}",
                told.get("price", ""),
                f"{sum(fill.fees.total for fill in done):.2f}" if done else "",
                f"{sum(fill.dividend_tax for fill in done):.2f}" if done else "",
                order.reason,
            ]
        )
    return to_csv(ORDER_COLUMNS, rows)


def _trades_csv(state: RunState) -> str:
    rows = [
        [
            _real_symbol(state, t.symbol),
            f"{t.quantity:g}",
            t.opened,
            t.closed,
            f"{t.cost:.2f}",
            f"{t.proceeds:.2f}",
            f"{t.profit:.2f}",
            t.days,
        ]
        for t in find_round_trips(state.account.portfolio.books)
    ]
    return to_csv(["symbol", "quantity", "opened", "closed", "cost", "proceeds", "profit", "days"], rows)


def _real_symbol(state: RunState, name: str) -> str:
    return state.market.securities[name].symbol.canonical


def _to_json(document: Json) -> str:
    import json

    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
