"""Orders over bars as one JSON document: read, run on the exchange, and written in the same shape.

A document holds `config` (cash, positions, terms), `bars` by symbol as [date, open, high, low, close, volume],
`prev_close`, `actions`, `calendar` and `orders`; the answer holds `fills`, `unfilled`, and `cash` and `equity` by day.
`ia backtest orders --help` has all keys.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ia.domain.instruments.symbols import from_canonical
from ia.domain.rules.fees import round_to_cents
from ia.faculties.lab.exchange import Exchange, Terms
from ia.faculties.lab.portfolio import Portfolio
from ia.faculties.lab.securities import Delisting, Security
from ia.faculties.lab.tickets import Cancellation, ExitTicket, Fill, Ticket, Unfilled
from ia.kernel.errors import BadData, IaError
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars, is_date

ZERO = Decimal(0)


def run_order_document(document: Json) -> Json:
    """Return what became of a document's orders: fills, the rest with reasons, cash and equity by day.

    raises  BadData for a document that does not hold together, naming the part and its place.
    """
    reader = _DocumentReader(document)
    securities = reader.securities()
    orders = reader.orders(securities)
    days = reader.trading_days(securities)
    portfolio = Portfolio(securities, reader.number("cash", reader.config, ZERO), reader.positions(securities))
    exchange = Exchange(securities, days, reader.terms(), portfolio)
    cash: dict[str, str] = {}
    equity: dict[str, str] = {}
    waiting = sorted(orders, key=lambda order: order.after)
    for day in days:
        waiting = _submit(exchange, waiting, day)
        exchange.run_day(day)
        cash[day] = format_money(portfolio.cash)
        equity[day] = format_money(total_equity(portfolio, securities, day))
    _submit(exchange, waiting, "9999")
    exchange.close()
    return {
        "fills": [describe_fill(fill) for fill in exchange.fills],
        "unfilled": [describe_unfilled(each) for each in sorted(exchange.unfilled, key=_by_number)],
        "cash": cash,
        "equity": equity,
    }


def total_equity(portfolio: Portfolio, securities: Mapping[str, Security], day: str) -> Decimal:
    """Return cash and holdings at the close of a day; a security without any price yet counts nothing."""
    worth = (quantity * (securities[name].value_on(day) or ZERO) for name, quantity in portfolio.holdings())
    return round_to_cents(sum(worth, portfolio.cash))


def describe_fill(fill: Fill) -> Json:
    """Return a fill as JSON; fees that are nothing are left out, but for the commission."""
    row: Json = {
        "order": _order_id(fill.order),
        "date": fill.date,
        "symbol": fill.symbol,
        "side": fill.side,
        "quantity": f"{fill.quantity:f}",
        "price": _format_price(fill.price),
        "commission": format_money(fill.fees.commission),
    }
    parts = {
        "stamp": fill.fees.stamp,
        "transfer": fill.fees.transfer,
        "other": fill.fees.other,
        "dividend_tax": fill.dividend_tax,
    }
    return row | {name: format_money(money) for name, money in parts.items() if money}


def describe_unfilled(each: Unfilled) -> Json:
    """Return what was not filled as JSON."""
    row: Json = {"order": _order_id(each.order), "status": each.status, "reason": each.reason}
    if each.date is not None:
        row["date"] = each.date
    if each.left is not None:
        row["left"] = f"{each.left:f}"
    return row


def format_money(money: Decimal) -> str:
    """Return money to the cent."""
    return f"{round_to_cents(money):f}"


def _format_price(price: Decimal) -> str:
    places = -int(price.as_tuple().exponent)
    return f"{price:.{max(places, 2)}f}"


def _order_id(name: str) -> int | str:
    return int(name) if name.isdigit() else name


def _by_number(each: Unfilled) -> tuple[int, str]:
    number, _, rest = each.order.partition(".")
    return int(number), rest


def _submit(exchange: Exchange, waiting: Iterable[Ticket | Cancellation], before: str) -> list[Ticket | Cancellation]:
    """Give the exchange what was ordered before a day; return the rest."""
    rest = []
    for order in waiting:
        if order.after >= before:
            rest.append(order)
        elif isinstance(order, Cancellation):
            exchange.cancel(order)
        else:
            exchange.submit(order)
    return rest


class _DocumentReader:
    """Reads a document part by part; what is wrong is told with its place."""

    def __init__(self, document: Json) -> None:
        self._document = document
        self.config = self._part("config", dict)

    def securities(self) -> dict[str, Security]:
        """Return the securities that have bars."""
        found = {}
        closes = self._part("prev_close", dict)
        for name, rows in self._part("bars", dict).items():
            try:
                symbol = from_canonical(str(name))
            except (IaError, ValueError):
                raise BadData("bars: {symbol!r} is not a symbol such as 600519.SH", symbol=name) from None
            found[symbol.canonical] = Security(
                symbol=symbol,
                bars=self._bars(name, rows),
                actions=tuple(self._actions(name)),
                prev_close=self.number(name, closes, None),
                st=bool(self._of("st", name)),
                listed=self._of("listed", name) or None,
                delisting=self._delisting(name),
            )
        if not found:
            raise BadData("the document has no bars")
        return found

    def positions(self, securities: Mapping[str, Security]) -> dict[str, Decimal]:
        """Return the shares that the account begins with."""
        held = self.config.get("positions") or {}
        if not isinstance(held, dict):
            raise BadData("config.positions must be an object of symbols and shares")
        for name in held:
            if name not in securities:
                raise BadData("config.positions: {symbol} has no bars", symbol=name)
        return {name: self.number(name, held, ZERO) for name in held}

    def terms(self) -> Terms:
        """Return the terms of the broker."""
        cap = self.config.get("volume_cap_pct")
        return Terms(
            commission_pct=self.number("commission_pct", self.config, ZERO),
            commission_min=self.number("commission_min", self.config, ZERO),
            volume_cap_pct=None if cap is None else self.number("volume_cap_pct", self.config, ZERO),
            us_fees=bool(self.config.get("us_fees")),
        )

    def trading_days(self, securities: Mapping[str, Security]) -> list[str]:
        """Return the trading days: the document's, else the days on which any security has a bar."""
        given = self._document.get("calendar")
        if given is None:
            return sorted({day for each in securities.values() for day in each.bars.date})
        if not isinstance(given, list) or not all(isinstance(day, str) and is_date(day) for day in given):
            raise BadData("calendar must be a list of dates (YYYY-MM-DD)")
        return sorted(given)

    def orders(self, securities: Mapping[str, Security]) -> list[Ticket | Cancellation]:
        """Return the orders in their order."""
        given = self._part("orders", list)
        return [self._order(place, row, securities) for place, row in enumerate(given)]

    def number(self, name: str, part: Mapping[str, Any], default: Any) -> Any:
        """Return a decimal number of a part."""
        text = part.get(name)
        if text is None:
            return default
        try:
            found = Decimal(str(text))
        except InvalidOperation:
            found = Decimal("NaN")
        if not found.is_finite():
            raise BadData("{name}: {text!r} is not a number", name=name, text=str(text))
        return found

    def _part(self, name: str, kind: type) -> Any:
        found = self._document.get(name)
        if found is None:
            return kind()
        if not isinstance(found, kind):
            raise BadData("{name} must be an object" if kind is dict else "{name} must be a list", name=name)
        return found

    def _of(self, key: str, name: str) -> Any:
        """Return a value of the configuration that holds for all securities, or for each by name."""
        found = self.config.get(key)
        return found.get(name) if isinstance(found, dict) else found

    def _delisting(self, name: str) -> Delisting | None:
        found = self._of("delisted", name)
        if not found:
            return None
        if not isinstance(found, dict) or not is_date(str(found.get("after"))):
            raise BadData("config.delisted of {symbol}: `after` must be a date (YYYY-MM-DD)", symbol=name)
        if found.get("worth", "zero") not in ("zero", "last"):
            raise BadData("config.delisted of {symbol}: `worth` must be zero or last", symbol=name)
        return Delisting(found["after"], found.get("worth") == "last")

    def _bars(self, name: str, rows: Any) -> Bars:
        columns: list[list[Any]] = [[], [], [], [], [], []]
        for place, row in enumerate(rows):
            try:
                day, *prices, volume = row
                values = [day, *(float(price) for price in prices), int(volume)]
            except (TypeError, ValueError):
                values = []
            if len(values) != len(columns) or not is_date(str(values[0])) or not all(x > 0 for x in values[1:5]):
                raise BadData(
                    "bars of {symbol}, row {row}: not [date, open, high, low, close, volume]",
                    symbol=name,
                    row=place + 1,
                )
            if columns[0] and values[0] <= columns[0][-1]:
                raise BadData("bars of {symbol}, row {row}: the dates must ascend", symbol=name, row=place + 1)
            for column, value in zip(columns, values, strict=True):
                column.append(value)
        return Bars(*columns)

    def _actions(self, name: str) -> Iterable[Action]:
        for row in self._part("actions", list):
            if not isinstance(row, dict) or not is_date(str(row.get("date"))):
                raise BadData("actions: each needs a symbol and a `date` (YYYY-MM-DD)")
            if row.get("symbol") == name:
                yield Action(
                    str(row["date"]),
                    cash=float(self.number("cash", row, 0)),
                    bonus=float(self.number("bonus", row, 0)),
                    split=float(self.number("split", row, 1)),
                )

    def _order(self, place: int, row: Any, securities: Mapping[str, Security]) -> Ticket | Cancellation:
        if not isinstance(row, dict) or not is_date(str(row.get("after"))):
            raise BadData("order {place}: `after` must be a date (YYYY-MM-DD)", place=place)
        if "cancel" in row:
            if not isinstance(row["cancel"], int):
                raise BadData("order {place}: `cancel` must be the number of an order", place=place)
            return Cancellation(row["cancel"], row["after"])
        if row.get("symbol") not in securities:
            raise BadData("order {place}: {symbol} has no bars", place=place, symbol=str(row.get("symbol")))
        for key, allowed, default in _CHOICES:
            if row.get(key, default) not in allowed:
                raise BadData(
                    "order {place}: `{key}` must be one of {allowed}", place=place, key=key, allowed=", ".join(allowed)
                )
        kind = row.get("type", "market")
        quantity, value, price = (self._amount(name, row, place) for name in ("quantity", "value", "price"))
        if (quantity is None) == (value is None):
            raise BadData("order {place}: give either `quantity` or `value`", place=place)
        if (price is None) != (kind == "market"):
            raise BadData("order {place}: limit and stop orders need a `price`, market orders have none", place=place)
        return Ticket(
            number=place,
            symbol=row["symbol"],
            side=row["side"],
            after=row["after"],
            kind=kind,
            quantity=quantity,
            value=value,
            price=price,
            validity=row.get("valid", "day"),
            group=str(row.get("oco") or ""),
            attached=tuple(self._exits(row.get("attached") or (), place)),
        )

    def _exits(self, rows: Any, place: int) -> Iterable[ExitTicket]:
        for row in rows:
            price = self._amount("price", row, place) if isinstance(row, dict) else None
            if price is None or row.get("type") not in ("limit", "stop"):
                raise BadData("order {place}: an attached exit needs `type` (limit or stop) and `price`", place=place)
            yield ExitTicket(kind=row["type"], price=price)

    def _amount(self, name: str, row: Mapping[str, Any], place: int) -> Decimal | None:
        found: Decimal | None = self.number(name, row, None)
        if found is not None and found <= 0:
            raise BadData("order {place}: `{key}` must be above 0", place=place, key=name)
        return found


_CHOICES = (
    ("side", ("buy", "sell"), None),
    ("type", ("market", "limit", "stop"), "market"),
    ("valid", ("day", "gtc"), "day"),
)
"""Key of an order, what it may be, and what it is where it is not given."""
