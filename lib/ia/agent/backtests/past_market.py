"""The market of a run: raw bars for fills, adjusted bars for the model, none later than the session it lives in."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.lots import find_lot
from ia.faculties.lab.run_market import load_status
from ia.faculties.lab.securities import Security
from ia.kernel.digest import sha256
from ia.kernel.errors import BadData, Message, NotFound, Notify, UsageError, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.untrusted import plain_name
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.adjustment import adjust_bars
from ia.organs.ohlcv.canonical import Bars, bar_lines
from ia.organs.ohlcv.history import load_raw_history

YOUNG_DAYS = 60
"""A security whose first bar is so close before a run, or in it, counts as listed on that day."""
_DAY = pattern(r"\b\d{4}-\d\d-\d\d\b")


@dataclass
class PastMarket:
    """Securities by the name that the model knows them under: their canonical symbol, or in a masked run a code.

    sessions    days of the run on which any of the securities traded
    titles      what each is called besides
    shift_days  how many days the model's dates differ from the real ones
    """

    securities: dict[str, Security]
    sessions: list[str]
    titles: dict[str, str] = field(default_factory=dict)
    simulated: bool = False
    shift_days: int = 0
    _adjusted: dict[tuple[str, int], Bars] = field(default_factory=dict)

    def bars_as_of(self, name: str, day: str) -> Bars:
        """Return the bars that `ia --now DAY ohlcv SYMBOL` prints after the close: to a day, adjusted as known then."""
        security = self.securities[name]
        dates = security.bars.date
        end = bisect_right(dates, day)
        if not end:
            return security.bars.slice_bars(0, 0)
        known = bisect_right([action.date for action in security.actions], dates[end - 1])
        kept = self._adjusted.get((name, known))
        if kept is None:  # as long as no further action is known, the past looks the same
            later = security.actions[known].date if known < len(security.actions) else "9999"
            seen = security.bars.slice_bars(0, bisect_left(dates, later))
            kept = adjust_bars(seen, security.actions[:known], "qfq", float(security.tick))
            self._adjusted[name, known] = kept
        return kept.slice_bars(0, end)

    def find_name(self, text: str) -> str:
        """Return the name of a security that was called by its symbol, its code or its title.

        raises  NotFound for one that is not part of the run.
        """
        asked = text.strip()
        for name in self.securities:
            if asked.upper() in (name.upper(), name.split(".")[0].upper()) or (asked and asked == self.titles[name]):
                return name
        raise NotFound(
            "{symbol} is not part of this run",
            symbol=asked[:40],
            hint="the securities of this run: {known}",
            known=", ".join(self.securities),
        )

    def describe_security(self, name: str, day: str) -> Json:
        """Return what the prompt tells of a security: title, lot, number of bars seen."""
        security = self.securities[name]
        lot = find_lot(security.symbol, day)
        return {
            "title": self.titles[name],
            "lot": int(lot.step) if lot else 1,
            "least": int(lot.least) if lot else 1,
            "rows": bisect_right(security.bars.date, day),
        }

    def show_day(self, day: str) -> str:
        """Return a date as the model knows it."""
        return day if not self.shift_days else _shift_day(day, self.shift_days)

    def show_bars(self, bars: Bars) -> Bars:
        """Return bars with the dates that the model knows."""
        return bars if not self.shift_days else bars._replace(date=[self.show_day(day) for day in bars.date])

    def show_text(self, text: str) -> str:
        """Return a sentence of ia with the names and dates that the model knows."""
        for name, security in self.securities.items():
            if security.symbol.canonical != name:
                text = text.replace(security.symbol.canonical, name)
        return _DAY.sub(lambda found: self.show_day(found[0]), text) if self.shift_days else text

    def bar_digests(self, last: str) -> dict[str, str]:
        """Return a digest of all that a run can see of each security: its bars to the last day, and its actions."""
        return {name: digest_security(each, last) for name, each in self.securities.items()}


def digest_security(security: Security, last: str) -> str:
    """Return a digest of a security's bars and actions to a day."""
    found = sha256()
    if days := sorted(day for day in security.st_days if day <= last):
        found.update(repr(days).encode())
    for line in bar_lines(security.bars.between_dates(None, last)):
        found.update(line.encode())
    for action in security.actions:
        if action.date <= last:
            found.update(repr(tuple(action)).encode())
    return found.hexdigest()[:16]


def load_market(
    ws: Workspace, symbols: Iterable[Symbol], first: str, last: str, notify: Notify = drop_message
) -> PastMarket:
    """Return the market of a run from the stored bars, or from the data source where none are stored.

    raises  what `load_raw_history` raises; BadData where no security has bars in the span.
    """
    securities: dict[str, Security] = {}
    titles: dict[str, str] = {}
    simulated, missing = False, list[str]()
    absent: NotFound | None = None
    for symbol in symbols:
        try:
            history = load_raw_history(ws, symbol.canonical, notify)
        except NotFound as exc:  # a list may name what the source lacks
            absent = exc
            missing.append(symbol.canonical)
            continue
        bars = history.bars.between_dates(None, last)
        if not bars.date or bars.date[-1] < first:
            missing.append(symbol.canonical)
            continue
        name = history.symbol.canonical
        status = load_status(ws, history.series.adapter, [name], bars)
        young = bars.date[0] > _shift_day(first, -YOUNG_DAYS)
        securities[name] = Security(
            symbol=history.symbol,
            bars=bars,
            actions=tuple(sorted((each for each in history.actions if each.date <= last), key=lambda each: each.date)),
            listed=status.listed.get(name, bars.date[0] if young else None),
            st_days=status.st.get(name, frozenset()),
        )
        titles[name] = plain_name(history.series.name or history.symbol.name or "")
        simulated = simulated or bool(history.series.simulated)
    if absent is not None and not securities:
        raise absent
    if missing:
        notify(
            Message(
                "no bars from {first} to {last}, left out: {symbols}",
                symbols=", ".join(missing),
                first=first,
                last=last,
            )
        )
    if not securities:
        raise BadData("no security has bars from {first} to {last}", first=first, last=last)
    markets = {each.symbol.market for each in securities.values()}
    if len(markets) > 1:
        raise UsageError("give securities of one market, not of {markets}", markets=", ".join(sorted(markets)))
    return PastMarket(securities, list_run_sessions(securities, first, last), titles, simulated)


def list_run_sessions(securities: Mapping[str, Security], first: str, last: str) -> list[str]:
    """Return the days from one to another on which any security traded."""
    return sorted({day for each in securities.values() for day in each.bars.between_dates(first, last).date})


def _shift_day(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
