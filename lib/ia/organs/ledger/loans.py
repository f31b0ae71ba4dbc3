"""Money that is out: lent by reverse repo, or paid for a new issue before it arrives. It stays part of the equity.

A repayment names its loan by the code, else by the name, else it is of any. What of it is the principal is told, or it
is the loan that it fits: all of one, else of the oldest ones together, else a part in whole thousands, the unit of the
exchanges. The rest is interest.
"""

import re
from decimal import Decimal
from typing import NamedTuple

from ia.kernel.errors import Refused
from ia.organs.ledger.journal import PREPAY, ZERO, JournalEntry

MOST_INTEREST = Decimal("0.06")
"""More than the longest reverse repo (182 days) ever earned, as a part of the principal."""
MOST_FEE = Decimal("0.001")
"""More than any broker takes for lending: 0.03 % of the principal for half a year."""
UNIT = Decimal(1000)
_issue = re.compile(r"(?:转债|发债|配债|申购|中签|配号|转|\s)+$")


class Loan(NamedTuple):
    """What is left of money that went out: `lend` or `prepay`, for which security, how much."""

    kind: str
    symbol: str
    name: str
    amount: Decimal


def issuer_stem(name: str) -> str:
    """Return the name of an issuer without what tells subscription and security apart.

    >>> issuer_stem("强联发债"), issuer_stem("强联转债"), issuer_stem("浦发转债")
    ('强联', '强联', '浦发')
    """
    return _issue.sub("", name.strip())


def loan_principal(money: Decimal, amount: Decimal | None, quantity: Decimal | None, *, lent: bool) -> Decimal | None:
    """Return the principal that a row of a statement tells, with its fee or its interest in `money`; None where none.

    amount, quantity  of the row; brokers count in yuan, in hundreds, or in thousands

    >>> loan_principal(Decimal("10000.51"), Decimal("10000.51"), Decimal(100), lent=False)
    Decimal('10000')
    """
    most = MOST_FEE if lent else MOST_INTEREST
    told = [amount or ZERO, *((quantity or ZERO) * unit for unit in (100, 1000, 1))]
    told += [money // UNIT * UNIT] if lent else []
    for principal in map(abs, told):
        if principal and principal <= money <= principal * (1 + most) and not principal % UNIT:
            return principal.quantize(Decimal(1))
    return None


def repay_loans(loans: list[Loan], entry: JournalEntry, lenient: bool) -> Decimal:
    """Take from the loans what an entry paid back, and return that principal.

    raises  Refused where so much is not out; with `lenient` only what is out is taken.
    """
    assert entry.cash is not None
    meant = _matching_loans(loans, entry)
    principal = entry.quantity if entry.quantity is not None else _match_principal(meant, entry.cash)
    if principal is not None and principal > sum((each.amount for each in meant), ZERO):
        meant = list(loans)
    out = sum((each.amount for each in meant), ZERO)
    if principal is None or principal > out:
        if not lenient:
            raise Refused(
                "a repayment of {amount} {currency} on {date} exceeds the {out} lent",
                date=entry.date,
                amount=entry.cash,
                currency=entry.currency,
                out=out,
                hint="enter the loan first: `ia trade lend AMOUNT --date DAY`",
            )
        principal = min(principal or entry.cash, out)
    _reduce_loans(loans, meant, principal)
    return principal


def settle_prepayment(loans: list[Loan], entry: JournalEntry, cost: Decimal) -> Decimal:
    """Take from the loans what was paid in advance for a new issue that arrives, and return it."""
    paid = [each for each in loans if each.kind == PREPAY]
    own = [each for each in paid if each.symbol == entry.symbol]
    own = own or [each for each in paid if entry.name and issuer_stem(each.name) == issuer_stem(entry.name)]
    own = own or [each for each in paid if each.amount == cost][:1]
    taken = min(cost, sum((each.amount for each in own), ZERO))
    _reduce_loans(loans, own, taken)
    return taken


def _matching_loans(loans: list[Loan], entry: JournalEntry) -> list[Loan]:
    """Return the loans that a repayment can be of."""
    own = [each for each in loans if entry.symbol and each.symbol == entry.symbol]
    own = own or [each for each in loans if entry.name and issuer_stem(each.name) == issuer_stem(entry.name)]
    return own or list(loans)


def _match_principal(loans: list[Loan], money: Decimal) -> Decimal | None:
    """Return the principal of which so much money is the repayment, the nearest below it; None where none fits."""
    sums = [each.amount for each in loans]
    sums += [sum(sums[: at + 1], ZERO) for at in range(len(sums))]
    fitting = [each for each in sums if each <= money <= each * (1 + MOST_INTEREST)]
    part = money // UNIT * UNIT
    if not fitting and part and part <= sum((each.amount for each in loans), ZERO):
        return part
    return max(fitting, default=None)


def _reduce_loans(loans: list[Loan], meant: list[Loan], principal: Decimal) -> None:
    """Make loans smaller by a principal: one of exactly that amount, else the oldest first."""
    exact = next((each for each in meant if each.amount == principal), None)
    for each in meant if exact is None else [exact]:
        taken = min(each.amount, principal)
        at = loans.index(each)
        loans[at : at + 1] = [each._replace(amount=each.amount - taken)] if taken < each.amount else []
        principal -= taken
        if not principal:
            return
