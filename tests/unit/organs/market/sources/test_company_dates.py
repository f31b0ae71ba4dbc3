"""Eastmoney's dates of a company: rows as its data center sends them, and from when on each is known."""

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.organs.market.sources import company_dates
from ia.organs.market.sources.company_dates import APPOINTED, BONUS, LOCKED
from ia.organs.ohlcv.transport import ShapeChanged

MAOTAI = from_canonical("600519.SH")


def bonus(**more):
    row = {
        "SECURITY_CODE": "600519", "EX_DIVIDEND_DATE": "2024-06-19 00:00:00", "PRETAX_BONUS_RMB": 308.76,
        "BONUS_IT_RATIO": None, "REPORT_DATE": "2023-12-31 00:00:00", "NOTICE_DATE": "2024-06-13 00:00:00",
    }  # fmt: skip
    return {**row, **more}


def appointed(**more):
    row = {
        "SECURITY_CODE": "600519", "REPORT_DATE": "2024-06-30 00:00:00", "FIRST_APPOINT_DATE": "2024-08-09 00:00:00",
        "FIRST_CHANGE_DATE": None, "SECOND_CHANGE_DATE": None, "THIRD_CHANGE_DATE": None, "ACTUAL_PUBLISH_DATE": None,
        "EITIME": "2024-06-28 18:00:00",
    }  # fmt: skip
    return {**row, **more}


def parse(report, *rows):
    return company_dates.parse_events(list(rows), MAOTAI, report)


def test_a_dividend_is_told_for_one_share():
    [found] = parse(BONUS, bonus(BONUS_IT_RATIO=4))
    assert (found.date, found.cash, found.bonus, found.known) == ("2024-06-19", 30.876, 0.4, "2024-06-13")
    assert parse(BONUS, bonus(EX_DIVIDEND_DATE=None)) == []
    [late] = parse(BONUS, bonus(NOTICE_DATE="2024-07-01 00:00:00"))
    assert late.known is None


@pytest.mark.parametrize(("more", "day", "known"), [
    ({}, "2024-08-09", "2024-06-28"),
    ({"FIRST_CHANGE_DATE": "2024-08-20 00:00:00"}, "2024-08-20", None),
    ({"ACTUAL_PUBLISH_DATE": "2024-08-09 00:00:00"}, "2024-08-09", "2024-06-28"),
    ({"ACTUAL_PUBLISH_DATE": "2024-08-08 00:00:00"}, "2024-08-08", "2024-08-08"),
])  # fmt: skip
def test_an_appointment_is_known_from_its_entry_and_a_moved_one_is_not(more, day, known):
    [found] = parse(APPOINTED, appointed(**more))
    assert (found.kind, found.period, found.date, found.known) == ("report", "2024-06-30", day, known)


def test_a_lock_up_counts_shares_and_tells_no_day_of_announcement():
    [found] = parse(LOCKED, {
        "SECURITY_CODE": "600519", "FREE_DATE": "2024-09-02 00:00:00", "CURRENT_FREE_SHARES": 12.5,
        "FREE_SHARES_TYPE": "定向增发机构配售股份",
    })  # fmt: skip
    assert (found.date, found.shares, found.known, found.label) == ("2024-09-02", 125000, None, "定向增发机构配售股份")


def test_another_form_is_refused():
    with pytest.raises(ShapeChanged):
        parse(APPOINTED, *(appointed(FIRST_APPOINT_DATE="soon") for _ in range(5)))
    with pytest.raises(ShapeChanged):
        parse(BONUS, *({"SECURITY_CODE": "600519"} for _ in range(5)))
