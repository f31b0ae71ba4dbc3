"""Figures of the account and the calendar that an item compares: `weight_pct <= 20`, `report > 5`."""

import operator
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from ia.kernel import clock
from ia.kernel.errors import BadData
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.organs.ledger.desk import LedgerDesk
    from ia.organs.ledger.whatif import AccountStanding

TRADE_FIGURES = ("cash_after", "weight_pct", "held", "profit_pct", "alerts", "floor_alerts")
"""Figures of the account with the trade that is asked about: cash and weight after it; what is held of the security,
its profit in per cent, how many alerts are set on it, and how many of them come true at a close below a price."""
ACCOUNT_FIGURES = ("positions", "largest_pct", "cash_pct", "day_pct", "stops", *TRADE_FIGURES)
"""positions counts the trade, where there is one; largest_pct: weight of the largest position; stops: positions that
have lost as much as the stop-loss rule allows."""
DATE_FIGURES = {"report": "report", "ex_date": "ex-dividend", "lock_up": "lock-up", "bar": ""}
"""Days from today to the next date of a kind; bar: days since the last bar."""
RISK_RULES = {
    "all": ("risk.", "account.", "exchange.", "price"),
    "position": ("risk.position_pct",),
    "daily-loss": ("risk.day_stop_pct",),
    "cooling": ("risk.cooling_hours",),
    "rise": ("risk.rise_pct",),
    "cash": ("account.cash",),
    "exchange": ("exchange.",),
}
"""Names of risk items -> the beginnings of the guard's rules that each covers."""
AHEAD = timedelta(days=120)
"""How far the calendar is looked at."""
_COMPARISON = pattern(r"([a-z_]+)\s*(<=|>=|==|<|>)\s*(-?\d{1,12}(?:\.\d{1,6})?)\s*%?")
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}


class Comparison(NamedTuple):
    """A figure, a sign and a bound."""

    figure: str
    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        """Return whether a value meets it."""
        return _SIGNS[self.sign](value, self.bound)

    @property
    def limit(self) -> str:
        """What must hold, as text: `<= 20`."""
        return f"{self.sign} {self.bound:.10g}"


def parse_comparison(key: str, text: str) -> Comparison:
    """Return the comparison of an item `account` or `dates`. raises  BadData.

    >>> parse_comparison("account", "weight_pct <= 20").limit
    '<= 20'
    """
    names = ACCOUNT_FIGURES if key == "account" else tuple(DATE_FIGURES)
    found = _COMPARISON.fullmatch(text)
    if found is None:
        raise BadData("{text!r} is not a comparison such as `{name} <= 20`", text=text[:80], name=names[0])
    if found[1] not in names:
        raise BadData("{name!r} is no figure of {key}: {names}", name=found[1], key=key, names=", ".join(names))
    return Comparison(found[1], found[2], float(found[3]))


def find_risk_rules(name: str) -> tuple[str, ...]:
    """Return the beginnings of the guard's rules that a risk item covers. raises  BadData."""
    if name not in RISK_RULES:
        raise BadData("{name!r} is no risk rule: {names}", name=name[:40], names=", ".join(RISK_RULES))
    return RISK_RULES[name]


def needs_trade(kind: str, test: str) -> bool:
    """Return True if an item compares a figure that there is only with a trade."""
    return kind == "account" and parse_comparison(kind, test).figure in TRADE_FIGURES


def load_dates(ws: Workspace, symbol: str, last_bar: str) -> dict[str, float | None]:
    """Return the days to the next date of each kind; inf where none is stored but dates were synced, else None."""
    from ia.organs.market.coming_dates import CalendarSpan, load_calendar, load_known_until

    today = clock.today("CN")
    until = (date.fromisoformat(today) + AHEAD).isoformat()
    rows = load_calendar(ws, [symbol], CalendarSpan(today, until))
    synced = any(load_known_until(ws, [symbol]).values())
    found: dict[str, float | None] = {}
    for name, kind in DATE_FIGURES.items():
        if name == "bar":
            found[name] = float(_days_between(last_bar[:10], today)) if last_bar else None
            continue
        coming = [row["date"] for row in rows if row["kind"] == kind and row["status"] != "published"]
        found[name] = float(_days_between(today, min(coming))) if coming else float("inf") if synced else None
    return found


def _days_between(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def _whole_shares(desk: "LedgerDesk", standing: "AccountStanding") -> tuple[Decimal | None, Decimal | None]:
    """Return the gain of the last day and the cash, in per cent of the account: currencies are added up in one."""
    from ia.organs.ledger.net_worth import convert_money, load_net_worth

    account = standing.account
    if purse := account.purse:
        share = purse.cash / purse.equity * 100 if purse.cash is not None and purse.equity else None
        return next(iter(standing.day_pct.values())) if len(standing.day_pct) == 1 else None, share
    worth = load_net_worth(desk, account)
    if not worth.equity:
        return None, None
    rates = {each.currency: each for each in worth.rates}
    gained: Decimal | None = Decimal(0)
    for currency, each in account.purses.items():
        if gained is not None and (currency == worth.base or currency in rates):
            part = each.today if currency == worth.base else convert_money(each.today, rates[currency])
            gained = None if part is None else gained + part
    start = None if gained is None else worth.equity - gained
    day = gained * 100 / start if gained is not None and start else None
    return day, None if worth.cash is None else worth.cash / worth.equity * 100


def load_account(ws: Workspace, supposed: Json | None) -> dict[str, float | None]:
    """Return the figures of the account, with the supposed trade (`suppose_trade`) where there is one."""
    from ia.organs.ledger.whatif import assess_account
    from ia.wiring.ledger_prices import open_ledger

    desk = open_ledger(ws)
    standing = assess_account(desk)
    account = standing.account
    weights = [each.weight if each.limit_weight is None else each.limit_weight for each in account.positions]
    known = [float(each) for each in weights if each is not None]
    day, share = _whole_shares(desk, standing)
    found: dict[str, float | None] = {
        "positions": float(len(account.positions)),
        "largest_pct": None if len(known) < len(weights) else max(known, default=0.0),
        "cash_pct": None if share is None else round(float(share), 2),
        "day_pct": None if day is None else round(float(day), 2),
        "stops": None
        if account.unpriced
        else float(sum(each.rule == "risk.stop_loss_pct" for each in standing.warnings)),
    }
    if supposed is None:
        return found
    held, after = supposed["held"] or {}, supposed.get("quantity_after")
    if after is not None:
        others = sum(each.symbol != supposed["symbol"] for each in account.positions)
        found["positions"] = float(others + (after > 0))
    return found | {
        "cash_after": supposed.get("cash_after"),
        "weight_pct": supposed.get("weight_pct"),
        "held": float(held.get("quantity") or 0),
        "profit_pct": held.get("profit_pct"),
        **_count_alerts(ws, supposed["symbol"]),
    }


def _count_alerts(ws: Workspace, symbol: str) -> dict[str, float]:
    from ia.faculties.taskbook import alert_list

    own = [alert for each, alert in alert_list.list_alerts(ws) if alert.symbol == symbol and each.state == "approved"]
    floors = [alert for alert in own if alert_list.is_floor(alert)]
    return {"alerts": float(len(own)), "floor_alerts": float(len(floors))}
