"""What the account made of a stretch of days: against sums done by hand, with money that came in between."""

from datetime import date
from decimal import Decimal

import pytest

from ia.agent.tools.builtin import account as tools
from ia.kernel.errors import UsageError
from ia.organs.ledger import posting
from ia.organs.ledger.period import measure_period
from unit.organs.ledger.test_account import bought, deposited, desk, stored  # noqa: F401

MONDAY, FRIDAY = date(2024, 6, 17), date(2024, 6, 21)


def days(*numbers):
    return [date(2024, 6, number) for number in numbers]


@pytest.fixture
def week(ws, desk):  # noqa: F811
    """100,000 on Monday, 1,000 shares at 10; 50,000 more on Wednesday; closes 10, 10, 11, 12, 9."""
    stored(ws, "600000.SH", (10.0, 10.0, 11.0, 12.0, 9.0))
    deposited(desk, "100000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    deposited(desk, "50000", "2024-06-19")
    return desk


def test_the_days_before_the_first_entry_count_as_nothing(week):
    fees = week.books().holdings["600000.SH"].fees
    [found], *_ = measure_period(week, MONDAY, FRIDAY)
    assert (found.before, found.flows, found.result) == (0, 150000, -1000 - fees)
    assert found.after == 150000 - 1000 - fees
    base = Decimal(100000)
    days = [(base, base - fees), (base - fees, base - fees), (base - fees + 50000, base - fees + 51000)]
    days += [(base - fees + 51000, base - fees + 52000), (base - fees + 52000, base - fees + 49000)]
    linked = Decimal(1)
    for start, end in days:
        linked *= end / start
    assert found.result_pct == round((linked - 1) * 100, 4)


def test_a_stretch_in_the_middle(week):
    before = Decimal(100000) - week.books().holdings["600000.SH"].fees
    [found], *_ = measure_period(week, *days(19, 20))
    assert (found.before, found.after, found.flows, found.result) == (before, before + 52000, 50000, 2000)
    assert found.result_pct == round(Decimal(2000) / (before + 50000) * 100, 4)


def test_without_flows_it_is_the_plain_change(week):
    [found], *_ = measure_period(week, *days(20, 21))
    assert found.result == -2000 and found.flows == 0
    assert found.result_pct == round(Decimal(-2000) / (found.before or 1) * 100, 4)


def test_days_before_the_first_money_do_not_dilute_the_rate(week):
    [found], *_ = measure_period(week, date(2024, 6, 1), FRIDAY)
    [whole], *_ = measure_period(week, MONDAY, FRIDAY)
    assert found.begin == MONDAY and found.result_pct == whole.result_pct


def test_each_security_tells_what_it_brought(week):
    _, [found], *_ = measure_period(week, *days(19, 20))
    assert (found.symbol, found.quantity, found.result) == ("600000.SH", 1000, 2000)
    _, [whole], *_ = measure_period(week, MONDAY, FRIDAY)
    assert whole.result == -1000 - week.books().holdings["600000.SH"].fees


def test_cash_and_positions_of_an_earlier_day(week):
    [found], *_ = measure_period(week, *days(18, 18))
    fees = week.books().holdings["600000.SH"].fees
    assert (found.cash, found.value) == (90000 - fees, 10000)


def test_where_no_money_was_told_there_is_a_result_and_no_rate(ws, desk):  # noqa: F811
    stored(ws, "600000.SH", (10.0, 10.0, 11.0, 12.0, 9.0))
    bought(desk, "600000", "1000", "10", "2024-06-17")
    [found], *_ = measure_period(desk, *days(18, 20))
    assert (found.before, found.result, found.result_pct) == (None, 2000, None)


def test_money_that_was_taken_out_is_no_loss(week):
    posting.post_cash(week, posting.cash_entry("withdraw", Decimal(20000), "CNY", "2024-06-20"))
    [found], *_ = measure_period(week, *days(20, 20))
    assert (found.flows, found.result) == (-20000, 1000)


def test_an_empty_ledger_has_no_results(desk):  # noqa: F811
    assert measure_period(desk, MONDAY, FRIDAY) == ([], [], False, None, ())


@pytest.mark.parametrize("text", ["", "yesterday", "2024-06-31", "20240617x"])
def test_a_day_that_is_none(text):
    with pytest.raises(UsageError):
        tools._read_day(text)


def test_the_date_of_an_entry_decides_its_week_wherever_it_was_then(desk):  # noqa: F811
    """A Monday morning in Shanghai is Sunday evening in New York."""
    posting.post_cash(desk, posting.cash_entry("deposit", Decimal(20000), "USD", "2024-06-17 08:40"))
    posting.post_cash(desk, posting.cash_entry("deposit", Decimal(5000), "USD", "2024-06-18"))
    [found], *_ = measure_period(desk, MONDAY, FRIDAY)
    assert (found.flows, found.before, found.begin) == (25000, 0, MONDAY)
    [second], *_ = measure_period(desk, *days(18, 21))
    assert (second.flows, second.before) == (5000, 20000)
