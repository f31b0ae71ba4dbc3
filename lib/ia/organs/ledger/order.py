"""From what a person types to an entry of the journal: numbers read exactly, the moment of the exchange, the fees."""

import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import NamedTuple

from ia.domain.instruments.boards import currency
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.fees import Fees, cents, fees
from ia.kernel import clock, config, dateforms
from ia.kernel.errors import ConfigError, Message, NotFound, UsageError
from ia.organs.ledger.account import Price
from ia.organs.ledger.journal import BUY, SELL, SUBSCRIBE, Entry

MOST = Decimal("1e12")
"""Above this no amount, price or quantity is believed: a slip of the key, or an attack."""
PLACES = 8
CURRENCIES = ("CNY", "HKD", "USD")
_UNITS = {"万": 10_000, "亿": 100_000_000}
_is_number = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|[+-]?\.[0-9]+", re.ASCII).fullmatch


class Order(NamedTuple):
    """A trade that somebody wants journalled. `price` None: the latest that is stored.

    moment  when, aware; day: the exchange's date of it
    fees    those that are known (of a statement) by name; the others are computed
    """

    side: str
    symbol: Symbol
    quantity: Decimal
    price: Decimal
    moment: datetime
    fees: dict[str, Decimal] = {}  # noqa: RUF012  (never changed)
    reason: str = ""
    session: str = ""
    actor: str = "user"
    origin: str = ""

    @property
    def day(self) -> str:
        """The exchange's date, YYYY-MM-DD."""
        return day_of(self.symbol, self.moment)


def to_decimal(price: float) -> Decimal:
    """Return the decimal number that a stored price was: the shortest that reads as this float.

    >>> to_decimal(10.1), to_decimal(1500.0)
    (Decimal('10.1'), Decimal('1500'))
    """
    return Decimal(repr(float(price)).removesuffix(".0"))


def number(text: str, what: str, *, places: int = PLACES, zero: bool = False, negative: bool = False) -> Decimal:
    """Return a number that a person or a file wrote: ASCII digits, thousands separators allowed, no exponent, `10万`.

    raises  UsageError for what is none, is zero or negative where that makes no sense, is too large or too fine.
    """
    bare = text.strip()
    plain, unit = bare, 1
    if bare[-1:] in _UNITS:
        plain, unit = bare[:-1].rstrip(), _UNITS[bare[-1]]
    if len(bare) > 40 or not _is_number(plain):
        raise UsageError("{what}: {text!r} is not a number", what=Message(what), text=bare[:40])
    value = Decimal(plain.replace(",", "")) * unit
    if value < 0 and not negative:
        raise UsageError("{what}: {text} is less than zero", what=Message(what), text=bare)
    if not value and not zero:
        raise UsageError("{what}: {text} is nothing", what=Message(what), text=bare)
    if abs(value) >= MOST:
        raise UsageError("{what}: {text} is too large to be true", what=Message(what), text=bare)
    value = value.normalize()
    if -int(value.as_tuple().exponent) > places:
        raise UsageError("{what}: {text} has more than {places} decimals", what=Message(what), text=bare, places=places)
    return value if int(value.as_tuple().exponent) <= 0 else value.quantize(Decimal(1))


def shares(text: str, symbol: Symbol) -> Decimal:
    """Return a quantity: whole shares on the mainland and in Hong Kong, down to a millionth in the US.

    raises  UsageError.
    """
    what = "the quantity"
    value = number(text, what, places=6)
    if symbol.market != "US" and value != value.to_integral_value():
        raise UsageError("{what}: {text} is no whole number of shares", what=Message(what), text=text.strip())
    return value


def moment_of(text: str | None, symbol: Symbol | None = None) -> datetime:
    """Return when a trade was: a day (then its close, today now()), or a moment, without an offset in exchange time.

    raises  UsageError for what is no time, or later than now().
    """
    now = clock.now()
    if text is None:
        return now
    zone, market = (clock.zone(symbol.market), symbol.market) if symbol else (clock.CHINA, "CN")
    bare = text.strip()
    try:
        here = now.astimezone(zone)
        found = dateforms.read_moment(bare, here)
        if isinstance(found, dateforms.Span):
            if found.first != found.last:
                hint = "write the day, such as {day}"
                raise UsageError("{text} is not one day", text=bare, hint=hint, day=found.first)
            if found.first == here.date() and here.time() < clock.CLOSE[market]:
                return now
            found = datetime.combine(found.first, clock.CLOSE[market], zone)
        if found is None or not 1980 <= found.year < 9000:
            raise ValueError
        moment = found if found.tzinfo else found.replace(tzinfo=zone)
    except (ValueError, OverflowError):
        raise UsageError("{text!r} is not a time", hint=dateforms.TIMES, text=bare[: dateforms.LONGEST]) from None
    if moment > now:
        raise UsageError("{text} is in the future", text=bare, hint="a trade is entered once it was made")
    return moment


def day_of(symbol: Symbol | None, moment: datetime) -> str:
    """Return the exchange's date of a moment."""
    return moment.astimezone(clock.zone(symbol.market) if symbol else clock.CHINA).date().isoformat()


def entry_of(order: Order) -> Entry:
    """Return the entry that an order makes, its fees those that are known, and the others by the rules of its day.

    raises  NotFound where the rules do not reach back so far; ConfigError for a commission that is none.
    """
    cost = _fees(order)
    amount = cents(order.price * order.quantity)
    if amount >= MOST:
        raise UsageError("{what}: {text} is too large to be true", what=Message("the amount"), text=format(amount, "f"))
    return Entry(
        0, clock.stamp(order.moment), order.day, order.side, order.symbol.canonical, order.symbol.name,
        currency(order.symbol), order.price, order.quantity, amount, None, cost.commission, cost.stamp, cost.transfer,
        cost.other, order.reason, order.session, order.actor, order.origin,
    )  # fmt: skip


def _fees(order: Order) -> Fees:
    """Return the fees: those that are known, the others by the rules; none of a subscription that tells none."""
    nothing = Decimal(0)
    known = {name: order.fees[name] for name in Fees._fields if name in order.fees}
    if order.side == SUBSCRIBE or len(known) == len(Fees._fields):
        return Fees(*(known.get(name, nothing) for name in Fees._fields))
    assert order.side in (BUY, SELL)
    agreed = commission(order.symbol.market)
    try:
        computed = fees(
            order.symbol, order.day, "buy" if order.side == BUY else "sell", order.price, order.quantity,
            commission_pct=agreed.pct, commission_min=agreed.least,
        )  # fmt: skip
        if agreed.per_share:
            computed = computed._replace(commission=cents(max(agreed.per_share * order.quantity, agreed.least)))
    except NotFound:
        if known.keys() != {"commission", "stamp", "transfer"}:
            raise
        computed = Fees(nothing, nothing, nothing, nothing)
    return computed._replace(**known)


class Commission(NamedTuple):
    """What a broker takes for a trade: per cent of the amount, or money a share; and the least.

    known   whether it was set for this market, and is not that of the mainland
    """

    pct: Decimal
    per_share: Decimal
    least: Decimal
    known: bool


_is_commission = re.compile(
    r"(?:(?P<pct>[0-9.]+)\s*%|(?P<share>[0-9.]+)\s*/\s*share|(?P<flat>[0-9.]+))(?:\s+min\s+(?P<least>[0-9.]+))?",
    re.ASCII,
).fullmatch


def commission(market: str) -> Commission:
    """Return the commission of a market (CN, HK, US): the setting of its own, else the general one.

    raises  ConfigError.
    """
    name, nothing = f"ledger.commission_{market.lower()}", Decimal(0)
    text = config.get(name)
    if text is None:
        return Commission(setting("ledger.commission_pct"), nothing, setting("ledger.commission_min"), market == "CN")
    found = _is_commission(str(text).strip())
    try:
        if found is None:
            raise UsageError("")
        told = {key: number(value, name, zero=True) for key, value in found.groupdict().items() if value}
    except UsageError:
        raise ConfigError(
            "{name}: {value!r} is no commission", name=name, value=text,
            hint="write `0.03% min 3`, `0.0049/share min 0.99` or, for a fixed sum, `1.99`",
        ) from None  # fmt: skip
    least = told.get("flat", told.get("least", nothing))
    return Commission(told.get("pct", nothing), told.get("share", nothing), least, True)


def setting(name: str) -> Decimal:
    """Return a setting that is a number, not negative.

    raises  ConfigError.
    """
    text = str(config.get(name))
    try:
        return number(text, name, zero=True)
    except UsageError:
        raise ConfigError("{name}: {value!r} is not a number", name=name, value=text) from None


def capital() -> tuple[Decimal, str] | None:
    """Return the money of `ledger.capital` and its currency (CNY where it says none); None where it is not set.

    raises  ConfigError.
    """
    text = config.get("ledger.capital")
    if text is None:
        return None
    amount, _, unit = str(text).strip().partition(" ")
    try:
        return number(amount, "ledger.capital"), money_of(unit or "CNY")
    except UsageError:
        raise ConfigError("ledger.capital: {value!r} is no money, such as `100000 CNY`", value=text) from None


def money_of(text: str) -> str:
    """Return a currency's code.

    raises  UsageError.
    """
    code = text.strip().upper()
    code = {"RMB": "CNY", "人民币": "CNY", "港币": "HKD", "港元": "HKD", "美元": "USD"}.get(code, code)
    if code not in CURRENCIES:
        raise UsageError("{text}: the ledger keeps {known}", text=text[:20], known=", ".join(CURRENCIES))
    return code


def priced(wish: Order, price: Price) -> Order:
    """Return an order at a stored price; its origin tells of which day and source that is, and if it is made up."""
    told = f"price of {price.date}, {price.source}{' (simulated)' if price.simulated else ''}"
    return wish._replace(price=price.price, origin="; ".join(filter(None, [wish.origin, told])))


def at_open(day: str, market: str = "CN") -> str:
    """Return the UTC stamp of the first moment of a day at the exchange."""
    return clock.stamp(datetime.combine(date.fromisoformat(day), time(0), clock.zone(market)))


def day_end(day: str, market: str = "CN") -> datetime:
    """Return the last second of a day at the exchange."""
    return datetime.combine(date.fromisoformat(day), time(23, 59, 59), clock.zone(market))
