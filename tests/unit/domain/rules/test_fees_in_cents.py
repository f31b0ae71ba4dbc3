"""Fees in whole cents are those in decimal numbers, whatever the market, the day and the broker."""

import random
from decimal import Decimal

from ia.domain.instruments.symbols import from_canonical
from ia.domain.rules.fees import fee_rates
from ia.kernel.errors import NotFound

UNITS = 10_000
NAMES = ("600519.SH", "000001.SZ", "300750.SZ", "920002.BJ", "510300.SH", "AAPL.US", "00700.HK")


def test_fees_in_cents_are_the_fees() -> None:
    chance, seen = random.Random(1), set()
    for _ in range(6_000):
        symbol = from_canonical(chance.choice(NAMES))
        day = f"{chance.randint(2000, 2026)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        side = chance.choice(("buy", "sell"))
        pct, least = (Decimal(chance.choice(texts)) for texts in (("0", "0.025", "0.0085"), ("0", "5", "0.995")))
        price, quantity = chance.randint(1, 10 ** chance.randint(3, 7)), chance.randint(1, 10 ** chance.randint(1, 7))
        try:
            rates = fee_rates(symbol, day, side)
        except NotFound:
            continue
        charge = rates.charge_in_cents(UNITS, pct, least)
        if charge is not None:
            seen.add((symbol.market, side))
            fees = rates.charge(Decimal(price) / UNITS, Decimal(quantity), pct, least)
            assert [int(each * 100) for each in fees] == [*charge(price, quantity)], (
                symbol,
                day,
                side,
                price,
                quantity,
            )
    assert seen == {(market, side) for market in ("CN", "US") for side in ("buy", "sell")}
