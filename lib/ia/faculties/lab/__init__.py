"""The lab: what orders would have come to on past bars, by the rules of the exchange, to the cent.

The rules of a day (fees, price limits, lots, settlement, dividend tax) are those of `ia.domain.rules`, holdings and
cash those of `ia.organs.ledger`: the lab owns no second copy.
"""
