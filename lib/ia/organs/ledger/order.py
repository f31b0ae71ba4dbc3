"""From what a person types to an entry of the journal: numbers read exactly, the moment of the exchange, the fees."""

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from decimal import Decimal
from typing import NamedTuple

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.fees import Fees, round_to_cents, trade_fees
from ia.kernel import clock, config, dateforms
from ia.kernel.errors import ConfigError, Message, NotFound, UsageError
from ia.organs.ledger.account import LastPrice
from ia.organs.ledger.journal import BUY, SELL, SUBSCRIBE, JournalEntry

MOST = Decimal("1e12")
"""Above this no amount, price or quantity is believed: a slip of the key, or an attack."""
PLACES = 8
CURRENCIES = ("CNY", "HKD", "USD")
_UNITS = {"万": 10_000, "亿": 100_000_000}
_is_number = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|[+-]?\.[0-9]+", re.ASCII).fullmatch


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """A trade that somebody wants journalled. `price` None: the latest that is stored.

    moment  when, aware; day: the exchange's date of it
    fees    those that are known (of a statement) by name; the others are computed
    """

    side: str
    symbol: Symbol
    quantity: Decimal
    price: Decimal
    moment: datetime
    fees: dict[str, Decimal] = field(default_factory=dict)
    reason: str = ""
    session: str = ""
    actor: str = "user"
    origin: str = ""

    @property
    def day(self) -> str:
        """The exchange's date, YYYY-MM-DD."""
        return exchange_date(self.symbol, self.moment)


def to_decimal(price: float) -> Decimal:
    """Return the decimal number that a stored price was: the shortest that reads as this float.

    >>> to_decimal(10.1), to_decimal(1500.0)
    (Decimal('10.1'), Decimal('1500'))
    """
    return Decimal(repr(float(price)).removesuffix(".0"))


def parse_number(text: str, what: str, *, places: int = PLACES, zero: bool = False, negative: bool = False) -> Decimal:
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
        raise UsageError("{what}: {text} is negative", what=Message(what), text=bare)
    if not value and not zero:
        raise UsageError("{what}: {text} is zero, which is not allowed", what=Message(what), text=bare)
    if abs(value) >= MOST:
        raise UsageError("{what}: {text} is implausibly large", what=Message(what), text=bare)
    value = value.normalize()
    if -int(value.as_tuple().exponent) > places:
        raise UsageError(
            "{what}: {text} has more than {places} decimal places", what=Message(what), text=bare, places=places
        )
    return value if int(value.as_tuple().exponent) <= 0 else value.quantize(Decimal(1))


def parse_shares(text: str, symbol: Symbol) -> Decimal:
    """Return a quantity: whole shares on the mainland and in Hong Kong, down to a millionth in the US.

    raises  UsageError.
    """
    what = "the quantity"
    value = parse_number(text, what, places=6)
    if symbol.market != "US" and value != value.to_integral_value():
        raise UsageError("{what}: {text} is not a whole number of shares", what=Message(what), text=text.strip())
    return value


def parse_trade_time(text: str | None, symbol: Symbol | None = None) -> datetime:
    """Return when a trade was: a day (then its close, today now()), or a moment, without an offset in exchange time.

    raises  UsageError for what is no time, or later than now().
    """
    now = clock.now()
    if text is None:
        return now
    zone, market = (clock.exchange_zone(symbol.market), symbol.market) if symbol else (clock.CHINA, "CN")
    bare = text.strip()
    try:
        here = now.astimezone(zone)
        found = dateforms.read_moment(bare, here)
        if isinstance(found, dateforms.DateSpan):
            if found.first != found.last:
                hint = "give a full date, such as {day}"
                raise UsageError("{text} is a period, not a single day", text=bare, hint=hint, day=found.first)
            if found.first == here.date() and here.time() < clock.CLOSE[market]:
                return now
            found = datetime.combine(found.first, clock.CLOSE[market], zone)
        if found is None or not 1980 <= found.year < 9000:
            raise ValueError
        moment = found if found.tzinfo else found.replace(tzinfo=zone)
    except (ValueError, OverflowError):
        raise UsageError("{text!r} is not a valid time", hint=dateforms.TIMES, text=bare[: dateforms.LONGEST]) from None
    if moment > now:
        raise UsageError("{text} is in the future", text=bare, hint="enter a trade only after it is executed")
    return moment


def exchange_date(symbol: Symbol | None, moment: datetime) -> str:
    """Return the exchange's date of a moment."""
    return moment.astimezone(clock.exchange_zone(symbol.market) if symbol else clock.CHINA).date().isoformat()


def build_entry(order: Order) -> JournalEntry:
    """Return the entry that an order makes, its fees those that are known, and the others by the rules of its day.

    raises  NotFound where the rules do not reach back so far; ConfigError for a commission that is none.
    """
    cost = _complete_fees(order)
    amount = round_to_cents(order.price * order.quantity)
    if amount >= MOST:
        raise UsageError("{what}: {text} is implausibly large", what=Message("the amount"), text=format(amount, "f"))
    return JournalEntry(
        id=0,
        time=clock.utc_stamp(order.moment),
        date=order.day,
        kind=order.side,
        symbol=order.symbol.canonical,
        name=order.symbol.name,
        currency=trading_currency(order.symbol),
        price=order.price,
        quantity=order.quantity,
        cash=amount,
        ratio=None,
        commission=cost.commission,
        stamp=cost.stamp,
        transfer=cost.transfer,
        other=cost.other,
        reason=order.reason,
        session=order.session,
        actor=order.actor,
        origin=order.origin,
    )


def _complete_fees(order: Order) -> Fees:
    """Return the fees: those that are known, the others by the rules; none of a subscription that tells none."""
    nothing = Decimal(0)
    known = {name: order.fees[name] for name in Fees._fields if name in order.fees}
    if order.side == SUBSCRIBE or len(known) == len(Fees._fields):
        return Fees(*(known.get(name, nothing) for name in Fees._fields))
    assert order.side in (BUY, SELL)
    agreed = load_commission(order.symbol.market)
    try:
        computed = trade_fees(
            order.symbol,
            order.day,
            "buy" if order.side == BUY else "sell",
            order.price,
            order.quantity,
            commission_pct=agreed.pct,
            commission_min=agreed.least,
        )
        if agreed.per_share:
            computed = computed._replace(
                commission=round_to_cents(max(agreed.per_share * order.quantity, agreed.least))
            )
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


def load_commission(market: str) -> Commission:
    """Return the commission of a market (CN, HK, US): the setting of its own, else the general one.

    raises  ConfigError.
    """
    name, nothing = f"ledger.commission_{market.lower()}", Decimal(0)
    text = config.get_setting(name)
    if text is None:
        return Commission(
            load_setting("ledger.commission_pct"), nothing, load_setting("ledger.commission_min"), market == "CN"
        )
    found = _is_commission(str(text).strip())
    try:
        if found is None:
            raise UsageError("")
        told = {key: parse_number(value, name, zero=True) for key, value in found.groupdict().items() if value}
    except UsageError:
        raise ConfigError(
            "{name}: {value!r} is not a valid commission",
            name=name,
            value=text,
            hint="write `0.03% min 3`, `0.0049/share min 0.99` or a fixed amount such as `1.99`",
        ) from None
    least = told.get("flat", told.get("least", nothing))
    return Commission(told.get("pct", nothing), told.get("share", nothing), least, True)


def load_setting(name: str) -> Decimal:
    """Return a setting that is a number, not negative.

    raises  ConfigError.
    """
    text = str(config.get_setting(name))
    try:
        return parse_number(text, name, zero=True)
    except UsageError:
        raise ConfigError("{name}: {value!r} is not a number", name=name, value=text) from None


def load_capital() -> tuple[Decimal, str] | None:
    """Return the money of `ledger.capital` and its currency (CNY where it says none); None where it is not set.

    raises  ConfigError.
    """
    text = config.get_setting("ledger.capital")
    if text is None:
        return None
    amount, _, unit = str(text).strip().partition(" ")
    try:
        return parse_number(amount, "ledger.capital"), parse_currency(unit or "CNY")
    except UsageError:
        raise ConfigError(
            "ledger.capital: {value!r} is not an amount of money; write it like `100000 CNY`", value=text
        ) from None


def parse_currency(text: str) -> str:
    """Return a currency's code.

    raises  UsageError.
    """
    code = text.strip().upper()
    code = {"RMB": "CNY", "人民币": "CNY", "港币": "HKD", "港元": "HKD", "美元": "USD"}.get(code, code)
    if code not in CURRENCIES:
        raise UsageError(
            "{text}: unsupported currency; the ledger supports {known}", text=text[:20], known=", ".join(CURRENCIES)
        )
    return code


def price_order(wish: Order, price: LastPrice) -> Order:
    """Return an order at a stored price; its origin tells of which day and source that is, and if it is made up."""
    told = f"price of {price.date}, {price.source}{' (simulated)' if price.simulated else ''}"
    return replace(wish, price=price.price, origin="; ".join(filter(None, [wish.origin, told])))


def day_start(day: str, market: str = "CN") -> str:
    """Return the UTC stamp of the first moment of a day at the exchange."""
    return clock.utc_stamp(datetime.combine(date.fromisoformat(day), time(0), clock.exchange_zone(market)))


def day_end(day: str, market: str = "CN") -> datetime:
    """Return the last second of a day at the exchange."""
    return datetime.combine(date.fromisoformat(day), time(23, 59, 59), clock.exchange_zone(market))
