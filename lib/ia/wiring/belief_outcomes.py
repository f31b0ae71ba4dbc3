"""Beliefs → prices: what has become of each belief by its date. Only stored prices count; no source is contacted.

A price is compared as it was traded; where shares were split or given since the belief was written, the level is
converted. A rise, a fall and a comparison with an index include dividends. The close of the day on which a belief was
written, or the last before, is its beginning, as of a judgment; what counts comes after it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol, from_canonical, resolve_security
from ia.domain.speech.aims import Aim
from ia.kernel import clock
from ia.kernel.dateforms import read_days
from ia.kernel.errors import IaError, NotFound, UsageError
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.memory.beliefs import (
    ABOVE,
    BEATS,
    BELOW,
    REACHES,
    RIGHT,
    UP,
    WRONG,
    Belief,
    BeliefCheck,
    DueDate,
    list_beliefs,
    parse_check,
)
from ia.organs.ohlcv.adjustment import Action, adjustment_factors
from ia.organs.ohlcv.calendar import list_sessions

OPEN, DUE, UNDATED = "open", "due", "undated"
"""Not due yet; due, and the owner decides; without a date."""
STATES = (RIGHT, WRONG, OPEN, DUE, UNDATED)
OWNER, MARKET = "owner", "market"


class JudgedBelief(NamedTuple):
    """A belief and what has become of it.

    by       who decided: OWNER or MARKET; "" where nobody did
    day      the day of the close that decided, or of the newest that counts so far; `close` as it was traded
    change   since the beginning in per cent, dividends included; against an index what is beyond that of the index
    why      why prices cannot decide a belief that is due: `no-price`, or "" where it has no check
    """

    belief: Belief
    state: str
    by: str = ""
    day: str = ""
    close: float | None = None
    change: float | None = None
    why: str = ""
    simulated: bool = False

    @property
    def decided(self) -> str:
        """The day on which it turned out; "" before."""
        return self.belief.judged if self.by == OWNER else self.day if self.by == MARKET else ""

    def document(self) -> Json:
        """Return it as JSON."""
        belief, due = self.belief, self.belief.due
        check = due.check if due else None
        return {
            "belief": belief.text,
            "filed": belief.filed or None,
            "due": due.day if due else None,
            "once": due.once if due else None,
            "check": str(check) if check else None,
            "symbol": check.symbol if check else None,
            "says": check.says if check else None,
            "level": check.level if check else None,
            "change_pct": check.change_pct if check else None,
            "against": check.against or None if check else None,
            "state": self.state,
            "by": self.by or None,
            "decided": self.decided or None,
            "close": self.close,
            "close_date": self.day or None,
            "moved_pct": None if self.change is None else round(self.change, 2),
            "why": self.why or None,
            "simulated": self.simulated,
        }


class _Series(NamedTuple):
    """The closes of a security that may be seen, as traded, with its actions."""

    symbol: Symbol
    closes: list[tuple[str, float]]
    actions: list[Action]
    simulated: bool

    def until(self, day: str) -> list[tuple[str, float]]:
        return [row for row in self.closes if row[0] <= day]

    def change(self, since: str, day: str) -> float | None:
        """Return the change between two days in per cent, dividends included."""
        rows = self.until(day)
        base = sum(each <= since for each, _ in rows) - 1
        if base < 0 or base + 1 >= len(rows):
            return None
        rows = rows[base:]
        closes = [close for _, close in rows]
        factors = adjustment_factors([each for each, _ in rows], closes, self.actions)
        return (closes[-1] * factors[-1] / closes[0] - 1) * 100

    def shares_since(self, since: str, day: str) -> float:
        """Return how many shares one of `since` has become by a day."""
        made = 1.0
        for act in self.actions:
            if since < act.date <= day:
                made *= (1 + act.bonus) * act.split
        return made


def plan_due(ws: Workspace, day: str, *, once: bool = True, check: str = "") -> DueDate:
    """Return when a belief is due and what decides it, as a person or a model says it.

    Raises:
        UsageError: the day is no date or has been, or it is missing.
        BadData: no check, or one that REACHES a price without a stored close to tell from which side.
        NotFound: a security that is unknown.
    """
    today, asked = clock.today(), parse_check(check) if check.strip() else None
    span = read_days(day, clock.now().date()) if day.strip() else None
    if not day.strip():
        raise UsageError("a check needs its date", hint="add --by DATE or --on DATE")
    if span is None:
        raise UsageError("{text!r} is not a date", text=day.strip()[:40], hint="write YYYY-MM-DD")
    last = span.last.isoformat()
    if last <= today:
        raise UsageError("{day} is not in the future", day=last, hint="a belief is due later than today")
    return DueDate(last, once, _resolve_check(ws, asked) if asked else None)


def _resolve_check(ws: Workspace, check: BeliefCheck) -> BeliefCheck:
    symbol = resolve_security(check.symbol).canonical
    against = resolve_security(check.against).canonical if check.against else ""
    says = check.says
    if says == REACHES:
        series = _load_series(ws, {symbol: clock.today()}).get(symbol)
        if series is None or not series.closes or check.level is None:
            raise NotFound(
                "{symbol}: no price is stored",
                symbol=symbol,
                hint="`ia sync` fetches prices; or write >= or <= in place of reaches",
            )
        says = ABOVE if check.level >= series.closes[-1][1] else BELOW
    return check._replace(symbol=symbol, against=against, says=says)


def judge_beliefs(ws: Workspace) -> list[JudgedBelief]:
    """Return the beliefs with what has become of each by now(), in the order of the file."""
    beliefs = list_beliefs(ws)
    spans: dict[str, str] = {}
    for belief in beliefs:
        check = belief.due.check if belief.due and belief.filed and not belief.verdict else None
        for name in filter(None, (check.symbol, check.against) if check else ()):
            spans[name] = min(spans.get(name, "9999"), belief.filed)
    stored = _load_series(ws, spans)
    return [_judge(belief, stored) for belief in beliefs]


def _load_series(ws: Workspace, spans: dict[str, str]) -> dict[str, _Series]:
    """Return what is stored of each security, from the last close up to its day on."""
    if not spans:
        return {}
    from ia.organs import marketdb
    from ia.organs.market.quotes_for_ledger import PriceFeeds

    symbols = []
    for name in spans:
        try:
            symbols.append(from_canonical(name))
        except (IaError, ValueError):  # written by hand
            continue
    feeds = PriceFeeds(ws, marketdb.connect(ws)).find_feeds(symbols)
    found = {}
    for name, feed in feeds.items():
        closes = feed.closes(_next_day(spans[name]))
        found[name] = _Series(feed.symbol, closes, feed.actions(), feed.simulated)
    return found


def _next_day(day: str) -> str:
    from datetime import date, timedelta

    return f"{date.fromisoformat(day) + timedelta(days=1)}"


def _judge(belief: Belief, stored: dict[str, _Series]) -> JudgedBelief:
    due = belief.due
    if belief.verdict:
        return JudgedBelief(belief=belief, state=belief.verdict, by=OWNER)
    if due is None:
        return JudgedBelief(belief=belief, state=UNDATED)
    late = due.day <= clock.today()
    if due.check is None or not belief.filed:
        return JudgedBelief(belief=belief, state=DUE if late else OPEN)
    series, index = stored.get(due.check.symbol), stored.get(due.check.against)
    if series is None or (due.check.against and index is None):
        return JudgedBelief(belief=belief, state=DUE if late else OPEN, why="no-price")
    return _settle(belief, due, due.check, series, index)


def _settle(belief: Belief, due: DueDate, check: BeliefCheck, series: _Series, index: _Series | None) -> JudgedBelief:
    """Return what stored closes decide of a check up to its date."""
    rows = series.until(due.day)
    after = [row for row in rows if row[0] > belief.filed]
    if not after:
        return JudgedBelief(
            belief=belief, state=DUE if _is_seen(series.symbol.market, due.day) else OPEN, why="no-price"
        )
    aim = _aim_of(check, once=due.once)
    base = next((close for day, close in reversed(rows) if day <= belief.filed), after[0][1])
    if aim is not None and due.once:
        for at, (day, close) in enumerate(after):
            if _is_reached(aim, belief, series, base, after[: at + 1]):
                return _outcome(belief, RIGHT, day, close, series, index)
    day, close = after[-1]
    if not _is_seen(series.symbol.market, due.day):
        return _outcome(belief, OPEN, day, close, series, index)
    if any(_is_missing(each, due.day) for each in (series, index) if each is not None):
        return _outcome(belief, DUE, day, close, series, index)._replace(why="no-price")
    outcome = _outcome(belief, WRONG, day, close, series, index)
    if aim is not None:
        right = _is_reached(aim, belief, series, base, after)
    elif outcome.change is None:
        return outcome._replace(state=DUE, by="", why="no-price")
    else:
        right = outcome.change > 0 if check.says in (UP, BEATS) else outcome.change < 0
    return outcome._replace(state=RIGHT if right else WRONG)


def _aim_of(check: BeliefCheck, *, once: bool) -> Aim | None:
    """Return the price or the change that a check names; None for a mere direction."""
    if check.level is None and check.change_pct is None:
        return None
    return Aim(check.says in (ABOVE, UP), check.level, check.change_pct, once)


def _is_reached(aim: Aim, belief: Belief, series: _Series, base: float, closes: Sequence[tuple[str, float]]) -> bool:
    """Return True if the last of some closes brings an aim about, as of the shares of the day it was written."""
    day, close = closes[-1]
    if aim.level is None:
        moved = series.change(belief.filed, day)
        return moved is not None and aim.is_reached(100.0, [100.0 + moved])
    return aim.is_reached(base, [close * series.shares_since(belief.filed, day)])


def _outcome(
    belief: Belief, state: str, day: str, close: float, series: _Series, index: _Series | None
) -> JudgedBelief:
    moved = series.change(belief.filed, day)
    if index is not None:
        beside = index.change(belief.filed, day)
        moved = None if moved is None or beside is None else moved - beside
    simulated = series.simulated or (index is not None and index.simulated)
    by = MARKET if state in (RIGHT, WRONG) else ""
    return JudgedBelief(belief=belief, state=state, by=by, day=day, close=close, change=moved, simulated=simulated)


def _is_seen(market: str, day: str) -> bool:
    """Return True if the last session up to a day is over."""
    return day <= clock.last_visible_date(market)


def _is_missing(series: _Series, day: str) -> bool:
    """Return True if the close of the last session up to a day is not stored."""
    rows = series.until(day)
    return not rows or bool(list_sessions(series.symbol.market, rows[-1][0], day))


def count_states(judged: Sequence[JudgedBelief]) -> dict[str, int]:
    """Return how many beliefs are in each state: the score."""
    return {state: sum(each.state == state for each in judged) for state in STATES}


def select_beliefs(judged: Sequence[JudgedBelief], *, about: str = "", due: bool = False) -> list[JudgedBelief]:
    """Return those that are about a security or a word, or that are due and wait for the owner."""
    chosen = [each for each in judged if not due or each.state == DUE]
    if not about.strip():
        return chosen
    names = {about.strip().casefold()}
    try:
        symbol = resolve_security(about, spelled=False)
        names |= {each.casefold() for each in (symbol.canonical, symbol.code, symbol.name) if each}
    except IaError:
        pass
    return [each for each in chosen if any(name in each.belief.line.casefold() for name in names)]
