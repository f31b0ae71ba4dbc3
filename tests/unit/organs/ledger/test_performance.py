"""Returns of random histories against an oracle that knows nothing of how they are found.

The oracle walks every calendar day with fractions: cash, shares, the last close, the rate of the day. Money-weighted
returns come from a search over a grid. Prices, rates and entries are real rows of the store and the journal.
"""

import json
import random
from bisect import bisect_right
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.organs import marketdb
from ia.organs.ledger import journal
from ia.organs.ledger.performance import PerformanceRequest, measure_performance
from ia.organs.ledger.performance_documents import performance_document
from ia.wiring.ledger_prices import open_ledger
from support.journals import entry, half_up
from unit.domain.performance.test_internal_rate import roots_on_a_grid

BEGIN, END = date(2023, 3, 1), date(2023, 12, 29)
INDEX = "000300.SH"
SECURITIES = {"600000.SH": "CNY", "000333.SZ": "CNY", "00700.HK": "HKD", "AAPL.US": "USD", "MSFT.US": "USD"}
CLOSED = {
    "CN": {date(2023, 10, n) for n in range(1, 9)} | {date(2023, 5, 1), date(2023, 5, 2), date(2023, 5, 3)},
    "US": {date(2023, 7, 4), date(2023, 9, 4), date(2023, 11, 23), date(2023, 12, 25)},
    "HK": {date(2023, 10, 2), date(2023, 10, 23), date(2023, 12, 25), date(2023, 12, 26)},
}
MARKET = {"CNY": "CN", "HKD": "HK", "USD": "US"}


def calendar(market):
    days = (BEGIN + timedelta(n) for n in range((END - BEGIN).days + 1))
    return [day for day in days if day.weekday() < 5 and day not in CLOSED[market]]


class World:
    """A made-up history: closes, suspensions, rates and what was entered; all of it follows from the seed."""

    def __init__(self, seed):
        dice = self.dice = random.Random(seed)
        self.days = {}
        self.closes = {symbol: self._walk(MARKET[currency], 60) for symbol, currency in SECURITIES.items()}
        self.closes[INDEX] = self._walk("CN", 3600)
        for symbol in dice.sample(list(SECURITIES), 2):  # suspended for a while
            days = sorted(self.closes[symbol])
            at = dice.randint(20, len(days) - 30)
            for day in days[at : at + dice.randint(3, 15)]:
                del self.closes[symbol][day]
        self.rates = {
            currency: {day: Fraction(base + dice.randint(-3000, 3000), 10000) for day in calendar("CN")}
            for currency, base in (("USD", 70000), ("HKD", 9000))
        }
        self.entries = []
        cash, held = {}, {}
        currencies = dice.sample(["CNY", "USD", "HKD"], dice.randint(1, 3))
        for currency in currencies:
            day = BEGIN + timedelta(dice.randint(0, 30))
            cash[currency] = Fraction(0)
            self._pay(cash, "deposit", currency, day, dice.randint(20000, 300000))
            for _ in range(dice.randint(4, 14)):
                day += timedelta(dice.randint(0, 25))
                if day > END - timedelta(1):
                    break
                self._step(cash, held, currency, day)
            if dice.random() < 0.2 and day < END - timedelta(30):  # all is taken out, and some comes back
                self._leave(cash, held, currency, day)
        self.entries.sort(key=lambda each: each[0])

    def _walk(self, market, price):
        cents, rows = price * 100, {}
        for day in calendar(market):
            cents = max(100, cents + round(cents * self.dice.gauss(0.0003, 0.015)))
            rows[day] = Fraction(cents, 100)
        return rows

    def _pay(self, cash, kind, currency, day, amount):
        self.entries.append((day, kind, currency, "", 0, Fraction(amount), Fraction(0)))
        cash[currency] += amount if kind == "deposit" else -amount

    def _trade(self, cash, held, kind, symbol, day, quantity):
        last = self.close(symbol, day)
        amount, fees = half_up(last * quantity), Fraction(self.dice.randint(500, 3000), 100)
        self.entries.append((day, kind, SECURITIES[symbol], symbol, quantity, last, fees))
        cash[SECURITIES[symbol]] += (-amount if kind == "buy" else amount) - fees
        held[symbol] = held.get(symbol, 0) + (quantity if kind == "buy" else -quantity)

    def _step(self, cash, held, currency, day):
        dice = self.dice
        own = [symbol for symbol, of in SECURITIES.items() if of == currency]
        what = dice.choice(["deposit", "withdraw", "buy", "buy", "buy", "sell", "twice"])
        if what == "deposit":
            self._pay(cash, what, currency, day, dice.randint(1000, 100000))
        elif what == "twice":  # several flows on a day
            self._pay(cash, "deposit", currency, day, dice.randint(1000, 20000))
            self._pay(cash, "deposit", currency, day, dice.randint(1000, 20000))
        elif what == "withdraw" and cash[currency] > 5000:
            self._pay(cash, what, currency, day, int(cash[currency] / dice.randint(2, 5)))
        elif day in self.closes[own[0]]:
            symbol = dice.choice(own)
            if self.close(symbol, day) is None:
                return
            if what == "buy" and cash[currency] > 4000:
                most = int((cash[currency] - 100) / self.close(symbol, day))
                self._trade(cash, held, "buy", symbol, day, max(1, most // dice.randint(2, 4)))
            elif what == "sell" and held.get(symbol):
                self._trade(cash, held, "sell", symbol, day, dice.randint(1, held[symbol]))

    def _leave(self, cash, held, currency, day):
        day = next(each for each in calendar("CN") if each > day and all(each in self.closes[s] for s in SECURITIES))
        for symbol, quantity in list(held.items()):
            if SECURITIES[symbol] == currency and quantity:
                self._trade(cash, held, "sell", symbol, day, quantity)
        self.entries.append((day + timedelta(1), "withdraw", currency, "", 0, cash[currency], Fraction(0)))
        cash[currency] = Fraction(0)
        self._pay(cash, "deposit", currency, day + timedelta(9), 50000)

    def close(self, symbol, day):
        days = self.days.get(symbol) or self.days.setdefault(symbol, sorted(self.closes[symbol]))
        at = bisect_right(days, day)
        return self.closes[symbol][days[at - 1]] if at else None

    def store(self, ws):
        """Write closes, rates and entries where ia has them."""
        db = marketdb.connect(ws)
        db.execute("INSERT INTO sources (id, name, simulated) VALUES (1, 'akshare', 0)")
        for symbol, rows in self.closes.items():
            for day, close in rows.items():
                bar = (symbol, day.isoformat(), *[float(close)] * 4)
                db.execute("INSERT INTO bars VALUES ('akshare', ?, ?, ?, ?, ?, ?, 100)", bar)
            db.execute(
                "INSERT INTO series (adapter, symbol, name, host, note, simulated, fetched, fresh_until, first, last)"
                " VALUES ('akshare', ?, '', '', '', 0, '2023-01-01T00:00:00.000Z', '', ?, ?)",
                (symbol, min(rows).isoformat(), max(rows).isoformat()),
            )
        for currency, rows in self.rates.items():
            for day, rate in rows.items():
                row = (1, currency, day.isoformat(), float(rate), "safe.gov.cn")
                db.execute("INSERT INTO rates VALUES (?, ?, ?, ?, ?)", row)
        db.commit()
        db.close()
        rows = []
        for day, kind, currency, symbol, quantity, amount, fees in self.entries:
            stamp = f"{day.isoformat()}T{'21' if currency == 'USD' else '08'}:15:00.000Z"
            fields = {"cash": str(as_text(amount))}
            if symbol:
                fields = {"quantity": str(quantity), "price": as_text(amount), "fees": as_text(fees)}
                fields["cash"] = as_text(half_up(amount * quantity))
            made = entry(kind, day.isoformat(), symbol, currency=currency, **fields)
            rows.append(made._replace(time=stamp))
        done = journal.append_entries(ws, rows)
        wrong = rows[0]._replace(cash=Decimal("12345.67"), kind="deposit", symbol="", price=None, quantity=None)
        (slip,) = journal.append_entries(ws, [wrong])  # entered by mistake, and voided
        journal.append_entries(ws, [wrong._replace(kind="void", corrects=slip.id, cash=None)])
        assert len(done) == len(rows)

    def equity(self, currency, upto):
        """Return (day, equity at its end, flow on it) for every calendar day: a walk with fractions."""
        cash, held, rows, by_day = Fraction(0), {}, [], {}
        for each in self.entries:
            by_day.setdefault(each[0], []).append(each)
        day = BEGIN
        while day <= upto:
            flow = Fraction(0)
            for _, kind, money, symbol, quantity, amount, fees in by_day.get(day, ()):
                if money != currency:
                    continue
                if kind in ("deposit", "withdraw"):
                    flow += amount if kind == "deposit" else -amount
                    cash += amount if kind == "deposit" else -amount
                else:
                    sign = 1 if kind == "buy" else -1
                    cash -= sign * half_up(amount * quantity) + fees
                    held[symbol] = held.get(symbol, 0) + sign * quantity
            worth = sum((half_up(self.close(s, day) * n) for s, n in held.items() if n), Fraction(0))
            rows.append((day, cash + worth, flow))
            day += timedelta(1)
        return rows

    def converted(self, base, upto):
        """Return the same for all currencies together, at the last rate up to each day."""
        total = {}
        for currency in {money for _, _, money, *_ in self.entries}:
            for day, value, flow in self.equity(currency, upto):
                rate = self.rate(currency, day) / self.rate(base, day) if value or flow else Fraction(0)
                had = total.get(day, (Fraction(0), Fraction(0)))
                total[day] = (had[0] + value * rate, had[1] + flow * rate)
        return [(day, *total[day]) for day in sorted(total)]

    def rate(self, currency, day):
        if currency == "CNY":
            return Fraction(1)
        days = self.days.get(currency) or self.days.setdefault(currency, sorted(self.rates[currency]))
        return self.rates[currency][days[bisect_right(days, day) - 1]]


def as_text(number):
    return str(Decimal(number.numerator) / Decimal(number.denominator))


def time_weighted(rows, first, last):
    """Return the linked return of the days from first to last; None where a day begins with nothing and ends with some."""
    product, before = Fraction(1), Fraction(0)
    for day, value, flow in rows:
        if first <= day <= last and (before + flow or value):
            if flow < 0 < before and (not value or before + flow <= 0):
                product *= (value - flow) / before  # emptied: what was taken out had been there until then
            elif before + flow <= 0:
                return None
            else:
                product *= value / (before + flow)
        before = value
    return float(product - 1)


def money_weighted(rows, first, last):
    """Return the yearly rate of the payments of a span, or None where there is not exactly one on the grid."""
    before = next((value for day, value, _ in reversed(rows) if day < first), Fraction(0))
    payments = [(first - timedelta(1), float(-before))] if before else []
    payments += [(day, float(-flow)) for day, _, flow in rows if first <= day <= last and flow]
    payments.append((last, float(next(value for day, value, _ in reversed(rows) if day <= last))))
    roots = roots_on_a_grid(payments) if any(amount for _, amount in payments) else []
    return roots[0] if len(roots) == 1 else None


def change(closes, first, last):
    before = [closes[day] for day in sorted(closes) if day < first]
    until = [closes[day] for day in sorted(closes) if first <= day <= last]
    return float(until[-1] / before[-1] - 1) if before and until else None


def check(account, rows, closes):
    """Compare what is told of an account, whole and by period, with the walk."""
    for told in (account.whole, *account.periods):
        first, last = date.fromisoformat(told.first), date.fromisoformat(told.last)
        expected = time_weighted(rows, first, last)
        if told.twr.value is None:
            assert expected is None or not any(value for day, value, _ in rows if first <= day <= last), told
        else:
            assert told.twr.value == pytest.approx(expected, abs=1e-9)
        if told.xirr.value is not None and abs(told.xirr.value) < 1e6:
            rate = money_weighted(rows, first, last)
            if rate is not None:
                assert told.xirr.value == pytest.approx(rate, rel=1e-9, abs=1e-9)
        begin = date.fromisoformat(told.begin)
        if told.benchmark is not None and told.benchmark.value is not None:
            assert told.benchmark.value == pytest.approx(change(closes, begin, last), abs=1e-12)
            if told.twr.value is not None:
                assert told.excess.value == pytest.approx(expected - change(closes, begin, last), abs=1e-9)
        end = next(value for day, value, _ in reversed(rows) if day <= last)
        assert told.after == pytest.approx(float(end), rel=1e-12, abs=1e-6)


@pytest.mark.parametrize("seed", [*range(16), *(pytest.param(n, marks=pytest.mark.soak) for n in range(16, 200))])
@pytest.mark.share(4)
def test_returns_are_those_of_a_walk_over_all_days(ws, monkeypatch, seed):
    world = World(seed)
    moment = END if seed % 3 else date(2023, 8, 31)  # a third of them under an earlier --now
    monkeypatch.setenv("IA_NOW", f"{moment + timedelta(1)}T08:00+08:00")  # New York has closed, Shanghai not opened
    monkeypatch.setenv("IA_MARKET_ADAPTER", "akshare")
    world.store(ws)
    upto = moment
    base = ("CNY", "USD")[seed % 5 == 4]
    dice = random.Random(seed + 1000)
    first = "" if seed % 4 else (BEGIN + timedelta(dice.randint(40, 90))).isoformat()
    request = PerformanceRequest(
        first=first, last=upto.isoformat(), by=("month", "year")[seed % 2], benchmark=from_canonical(INDEX), base=base
    )
    report = measure_performance(open_ledger(ws), request)
    for currency, account in report.currencies.items():
        check(account, world.equity(currency, upto), world.closes[INDEX])
    if report.total is not None:
        check(report.total, world.converted(base, upto), world.closes[INDEX])
    document = json.dumps(performance_document(report, curve=True), allow_nan=False)
    assert "Infinity" not in document
