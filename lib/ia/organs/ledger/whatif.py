"""How the account stands now, and what the guard says of a trade to come. Nothing is entered."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import Literal, NamedTuple

from ia.domain.instruments.boards import trading_currency as currency_of
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.fees import round_to_cents
from ia.domain.rules.lots import WHOLE_SHARES, find_lot, round_to_lots, size_by_loss
from ia.kernel import clock
from ia.kernel.errors import Message, UsageError
from ia.kernel.jsontypes import Json
from ia.organs.ledger import dividend_tax, guard, journal, order
from ia.organs.ledger.account import Account, LastPrice, Position
from ia.organs.ledger.booking import Books
from ia.organs.ledger.desk import LedgerDesk, make_checked
from ia.organs.ledger.guard import Breach, CheckedOrder, RiskLimits

LAST_BUYS = 10
USUAL_FRAC = Decimal("0.1")
"""So much of the account a usual buy is, where none was made yet."""


class LargestTrade(NamedTuple):
    """How many shares may be traded, in whole lots, and what binds: position limit, cash, or what is held."""

    quantity: Decimal
    bound: str


class AccountStanding(NamedTuple):
    """How the account stands at now(): None for what is not known. day_pct: gain of the day, per cent of its start."""

    account: Account
    limits: RiskLimits
    warnings: list[Breach]
    day_pct: dict[str, Decimal | None]
    cooling: list[tuple[str, str]]


def assess_account(desk: LedgerDesk) -> AccountStanding:
    """Return how the account stands, by the ledger and the latest stored prices."""
    limits = guard.load_limits()
    books = desk.books()
    account = desk.account(books=books, curve=False)
    return AccountStanding(
        account=account,
        limits=limits,
        warnings=desk.account_warnings(account),
        day_pct=_daily_results(account),
        cooling=_list_cooldowns(books, limits),
    )


def _daily_results(account: Account) -> dict[str, Decimal | None]:
    found: dict[str, Decimal | None] = {}
    for currency, purse in account.purses.items():
        start = purse.equity - purse.today if purse.equity is not None and purse.today is not None else None
        found[currency] = (purse.today or Decimal(0)) * 100 / start if start else None
    return found


def _list_cooldowns(books: Books, limits: RiskLimits) -> list[tuple[str, str]]:
    """Return (symbol, until when in exchange time) of what was traded within the hours of cooling."""
    now, wait = clock.now(), timedelta(hours=float(limits.cooling_hours))
    found = []
    for symbol, holding in books.holdings.items():
        if holding.last:
            until = datetime.fromisoformat(holding.last.replace("Z", "+00:00")) + wait
            if now < until:
                found.append((symbol, until.astimezone(clock.CHINA).strftime("%Y-%m-%d %H:%M")))
    return sorted(found)


class AllowedLoss(NamedTuple):
    """What a buy may lose: per cent of the equity, where it is sold at the stop; None: that of risk.stop_loss_pct."""

    percent: Decimal
    stop: Decimal | None = None


def suppose_trade(
    desk: LedgerDesk,
    text: str,
    *,
    action: Literal["buy", "sell"] = "buy",
    quantity: Decimal | int | None = None,
    price: Decimal | float | None = None,
    loss: AllowedLoss | None = None,
    translate: Callable[[Message], str] = str,
) -> Json:
    """Return what the rules say of a trade at now(), as plain data; nothing is entered anywhere.

    `allowed` is True where every rule was checked and none refuses, None where something could not be judged
    (`unknown`), else False. `allowed_quantity` is how many shares the rules would let pass at that price.

    quantity  shares; None: all that may be sold; of a buy as much as the last buys in this currency were, else a tenth
              of the account, else one lot; no more than may be bought, where anything may
    price     None: the latest that is stored
    loss      what a buy may lose at its stop: `size` is then the most that this, the rules and the cash allow, with
              `size_by`, and the quantity where none is given
    translate turns a message of the guard into text
    raises    NotFound, UsageError for the security.
    """
    symbol = desk.resolve_symbol(text)
    last = desk.market.latest_prices([symbol]).get(symbol.canonical)
    at = price if isinstance(price, Decimal) else order.to_decimal(price) if price else last.price if last else None
    books = desk.books()
    account = desk.account(books=books, curve=False)
    limits = guard.load_limits()
    held = next((each for each in account.positions if each.symbol == symbol.canonical), None)
    told: Json = {
        "symbol": symbol.canonical,
        "name": symbol.name,
        "action": action,
        "price": None if at is None else float(at),
        "price_given": price is not None,
        "date": last.date if last else None,
        "simulated": bool(last and last.simulated),
        "change_pct": _daily_change(last),
        **_account_facts(account, limits, held, currency_of(symbol)),
        "break_even": None if held is None else float(_break_even(symbol, held)),
        "cooling_until": dict(_list_cooldowns(books, limits)).get(symbol.canonical),
        "warnings": [_breach_data(breach, translate) for breach in desk.account_warnings(account)],
    }
    if at is None:
        no_price = Message("{symbol}: no price is stored and none was given", symbol=symbol.canonical)
        return {
            **told,
            "quantity": None if quantity is None else float(quantity),
            "breaches": [],
            "allowed": None,
            "unknown": [{"rule": "price", "message": translate(no_price)}],
        }
    trial = _Trial(desk, symbol, action, at, limits)
    most = trial.find_largest(account, held)
    sized = None if loss is None else trial.size_by_loss(account, loss, most)
    usual = trial.usual_quantity(account, held, most) if sized is None or not sized["size"] else Decimal(sized["size"])
    size = Decimal(quantity) if quantity else usual
    asked, breaches = trial.check(size)
    if action == "buy" and (rise := _late_rise(told["change_pct"], breaches, limits)):
        breaches.insert(0, rise)
    found = [_breach_data(breach, translate) for breach in breaches]
    unknown = [breach for breach in breaches if breach.unchecked]
    unknown += [] if any(breach.rule == "risk.position_pct" for breach in unknown) else _unknown_money(trial, action)
    refused = any(each["refuses"] for each in found)
    return {
        **told,
        "breaches": found,
        "unknown": [{"rule": breach.rule, "message": translate(breach.message)} for breach in unknown],
        "allowed": False if refused else None if unknown else True,
        "asked": bool(quantity),
        "most": None if most is None else float(most.quantity),
        "most_by": None if most is None else most.bound,
        "allowed_quantity": None if unknown and not refused else _allowed_quantity(found, size, most),
        **(sized or {}),
        **_trade_figures(trial, asked),
        **({"dividend_tax": trial.dividend_tax(size)} if action == "sell" else {}),
    }


def _late_rise(change: float | None, breaches: list[Breach], limits: RiskLimits) -> Breach | None:
    """Return the breach of the last session's rise: the guard judges the day of the order, advice the last session."""
    if change is None or change <= limits.rise_pct or "risk.rise_pct" in {breach.rule for breach in breaches}:
        return None
    rise = Decimal(str(change))
    message = guard.rise_message(rise, limits.rise_pct)
    return Breach(rule="risk.rise_pct", value=rise, limit=limits.rise_pct, message=message)


_OF_SIZE = frozenset({"risk.position_pct", "account.cash", "exchange.lot", "exchange.held", "exchange.t1"})
"""Rules that another quantity may keep."""
_OF_RECORD = ("exchange.closed", "exchange.day_range")
"""What speaks against a trade that is said to have happened, not against one to come."""


def _allowed_quantity(breaches: list[Json], size: Decimal, most: LargestTrade | None) -> float | None:
    """Return how many shares the rules let pass: none where another rule than those of the size refuses."""
    refusing = {str(each["rule"]) for each in breaches if each["refuses"]}
    if not refusing <= _OF_SIZE:
        return 0.0
    if most is None:
        return None if refusing else float(size)
    return float(most.quantity)


def _unknown_money(trial: "_Trial", action: str) -> list[Breach]:
    """Return that cash cannot be checked, where it is unknown."""
    state = trial.state
    if action == "sell" or state.cash is not None:
        return []
    message = Message(
        "cash in {currency} is unknown; enter it with `ia trade deposit` or set ledger.capital", currency=state.currency
    )
    return [Breach(rule="account.cash", value=None, limit=None, message=message, refuses=False, unchecked=True)]


def _trade_figures(trial: "_Trial", asked: CheckedOrder) -> Json:
    """Return what a trade costs or brings, and what it leaves: money to the cent, weight in per cent."""
    amount, cash = round_to_cents(asked.quantity * asked.price), trial.state.cash
    paid = amount + asked.fees if asked.action == "buy" else asked.fees - amount
    before = trial.state.positions.get(asked.symbol.canonical)
    change = asked.quantity if asked.action == "buy" else -asked.quantity
    share = guard.position_share(replace(asked, quantity=change), trial.state)
    return {
        "quantity": float(asked.quantity),
        "amount": float(amount),
        "fees": float(asked.fees),
        "cash": _to_float(cash),
        "cash_after": None if cash is None else float(round_to_cents(cash - paid)),
        "equity": _to_float(trial.state.equity),
        "whole_equity": _to_float(trial.state.whole),
        "quantity_after": float((before.quantity if before else Decimal(0)) + change),
        "weight_pct": None if share is None else _round_float(max(share, Decimal(0))),
    }


class _Trial:
    """A trade of one security at one price, tried with several quantities on the account as it is."""

    def __init__(
        self, desk: LedgerDesk, symbol: Symbol, action: Literal["buy", "sell"], price: Decimal, limits: RiskLimits
    ) -> None:
        self._desk, self._symbol, self._action, self._price, self._limits = desk, symbol, action, price, limits
        self._moment = clock.now()
        rule = find_lot(symbol, order.exchange_date(symbol, self._moment))
        self._lot = rule or WHOLE_SHARES
        self.state = desk.guard_state(self._order(self._lot.least))

    def _order(self, count: Decimal) -> order.Order:
        return order.Order(
            side=self._action, symbol=self._symbol, quantity=count, price=self._price, moment=self._moment
        )

    def check(self, count: Decimal) -> tuple[CheckedOrder, list[Breach]]:
        """Return the trade of a quantity, and what speaks against it."""
        asked = make_checked(self._order(count))
        found = guard.check_order(asked, self.state, self._limits)
        return asked, [breach for breach in found if breach.rule not in _OF_RECORD]

    def dividend_tax(self, count: Decimal) -> float | None:
        """Return about how much dividend tax a sale makes due; None off the mainland, or of more than is held."""
        before = self.state.positions.get(self._symbol.canonical)
        if self._symbol.market != "CN" or before is None or before.quantity < count:
            return None
        entries = journal.effective_entries(self._desk.ws.db, symbol=self._symbol.canonical)
        sale = order.build_entry(self._order(count))._replace(id=max((each.id for each in entries), default=0) + 1)
        actions = self._desk.missing_actions(entries)
        return float(dividend_tax.estimate_dividend_tax([*entries, sale], actions, sale))

    def usual_quantity(self, account: Account, held: Position | None, most: LargestTrade | None) -> Decimal:
        """Return how many shares are meant where none are named."""
        if self._action == "sell":
            return (most and most.quantity) or (held and held.quantity) or self._lot.least
        size = self._usual_purchase(account)
        return size if most is None else min(size, max(most.quantity, self._lot.least))

    def _usual_purchase(self, account: Account) -> Decimal:
        """Return how many shares a usual buy is, in whole lots and at least one."""
        from statistics import median

        currency = currency_of(self._symbol)
        entries = journal.effective_entries(self._desk.ws.db)
        bought = [each.cash for each in entries if each.kind == journal.BUY and each.currency == currency]
        amounts = [cash for cash in bought[-LAST_BUYS:] if cash]
        purse = account.purses.get(currency)
        money = median(amounts) if amounts else purse.equity * USUAL_FRAC if purse and purse.equity else Decimal(0)
        return max(money / self._price // self._lot.step * self._lot.step, self._lot.least)

    def find_largest(self, account: Account, held: Position | None) -> LargestTrade | None:
        """Return how much may be traded by position limit and cash, or of what is held.

        None where the account or a price is not known.
        """
        if self._action == "sell":
            return LargestTrade(held.sellable if held is not None else Decimal(0), "held")
        purse = account.purses.get(currency_of(self._symbol))
        if purse is None or purse.equity is None or purse.cash is None or (held is not None and held.value is None):
            return None
        room = self._limits.position_pct * (purse.basis or purse.equity) / 100 - (
            held.value or Decimal(0) if held else Decimal(0)
        )
        count, bound = min((self._in_lots(room), "position"), (self._in_lots(purse.cash), "cash"))
        if bound == "cash" and count:
            count = self._in_lots(purse.cash - self.check(count)[0].fees)
            while not self._broken(count + self._lot.step):
                count += self._lot.step
        while count and (broken := self._broken(count)):  # fees make cash and account smaller
            count, bound = count - self._lot.step, "cash" if broken == {"account.cash"} else bound
            count = count if count >= self._lot.least else Decimal(0)
        return LargestTrade(count, bound)

    def size_by_loss(self, account: Account, loss: AllowedLoss, most: LargestTrade | None) -> Json:
        """Return how many shares lose no more than is allowed where they are sold at the stop, fees aside.

        raises  UsageError for a stop that is not below the price.
        """
        stop = self._price * (1 - self._limits.stop_loss_pct / 100) if loss.stop is None else loss.stop
        if not 0 <= stop < self._price:
            raise UsageError(
                "the stop {stop} is not below the price {price}", stop=f"{stop:f}", price=f"{self._price:f}"
            )
        told: Json = {"risk_pct": float(loss.percent), "stop": float(round(stop, 4)), "size": None, "size_by": None}
        purse = account.purses.get(currency_of(self._symbol))
        if purse is None or purse.equity is None:
            return {**told, "risk_quantity": None}
        allowed = (purse.basis or purse.equity) * loss.percent / 100
        count = size_by_loss(allowed, self._price, stop, self._lot)
        told |= {"risk_quantity": float(count), "risk_amount": float(round_to_cents(count * (self._price - stop)))}
        if most is None:
            return told
        size, bound = min((count, "loss"), (most.quantity, most.bound))
        return {**told, "size": float(size), "size_by": bound}

    def _in_lots(self, money: Decimal) -> Decimal:
        return round_to_lots(money / self._price, self._lot)

    def _broken(self, count: Decimal) -> set[str]:
        found = {breach.rule for breach in self.check(count)[1] if breach.refuses}
        return found & {"risk.position_pct", "account.cash"}


def _account_facts(account: Account, limits: RiskLimits, held: Position | None, currency: str) -> Json:
    """Return what a buy meets: the limits, the result of the day in its currency, and what is held of the security."""
    purse = account.purses.get(currency)
    return {
        "currency": currency,
        "day": purse.day if purse else None,
        "limits": guard.limits_document(limits),
        "held": None
        if held is None
        else {
            "quantity": float(held.quantity),
            "profit_pct": _to_float(held.unrealized_pct),
            "weight_pct": _to_float(held.weight if held.limit_weight is None else held.limit_weight),
        },
        "day_pct": {name: _round_float(value) for name, value in _daily_results(account).items()},
        "equity_known": any(purse.equity is not None for purse in account.purses.values()),
    }


def _break_even(symbol: Symbol, held: Position) -> Decimal:
    """Return the price, in cents, at which the sale of all that is held brings back its cost and the fees."""
    cent, price = Decimal("0.01"), held.average
    for _ in range(3):  # fees grow with the price, by far less
        sale = order.Order(side="sell", symbol=symbol, quantity=held.quantity, price=price, moment=clock.now())
        price = ((held.cost + order.build_entry(sale).fees) / held.quantity).quantize(cent, ROUND_CEILING)
    return price


def _daily_change(last: LastPrice | None) -> float | None:
    if last is None or not last.previous:
        return None
    return round(float((last.price / last.previous - 1) * 100), 2)


def _breach_data(breach: Breach, translate: Callable[[Message], str]) -> Json:
    return {
        "rule": breach.rule,
        "value": _round_float(breach.value),
        "limit": _round_float(breach.limit),
        "refuses": breach.refuses,
        "message": translate(breach.message),
    }


def _to_float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def _round_float(value: Decimal | None) -> float | None:
    return None if value is None else round(float(value), 2)
