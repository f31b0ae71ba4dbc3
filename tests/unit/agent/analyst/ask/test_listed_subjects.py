"""Words that point at a security of the answer before."""

import pytest

from ia.agent.analyst.ask.listed_subjects import find_codes, resolve_words

RANKED = ("00700.HK", "600519.SH", "300750.SZ")


@pytest.mark.parametrize(
    ("before", "listed", "text", "expected"),
    [
        ("which of my holdings is riskiest?", RANKED, "and the second one?", "and 600519.SH?"),
        ("top gainers today", RANKED, "tell me about the third", "tell me about 300750.SZ"),
        ("my biggest position?", RANKED, "is it expensive?", "is 00700.HK expensive?"),
        ("my biggest position?", RANKED, "what's its P/E?", "what's 00700.HK's P/E?"),
        ("which watch list stock did best this week?", RANKED, "how is it valued?", "how is 00700.HK valued?"),
        ("my two holdings", RANKED[:2], "compare the two", "compare 00700.HK and 600519.SH"),
        ("compare Apple and Microsoft", ("AAPL.US", "MSFT.US"), "how is the second doing?", "how is MSFT.US doing?"),
        ("我持仓里谁最危险", RANKED, "第二只的市盈率", "600519.SH的市盈率"),
        ("涨幅榜第一是谁", RANKED, "它贵吗", "00700.HK贵吗"),
        ("top gainers today", RANKED, "who led the second half?", "who led the second half?"),
        ("my biggest position?", RANKED, "is it a holiday on Monday?", "is it a holiday on Monday?"),
        ("CATL price", ("300750.SZ",), "is it cheap?", "is it cheap?"),
        ("my biggest position?", RANKED, "is it dearer than CATL?", "is it dearer than CATL?"),
    ],
)
def test_a_pointer_is_replaced_by_the_security_that_it_means(before, listed, text, expected):
    assert resolve_words([before, text], [listed]).texts[-1] == expected


@pytest.mark.parametrize(
    ("text", "counted"), [("how is it valued?", False), ("and the other one?", True), ("the fifth one?", True)]
)
def test_a_pointer_at_one_of_several_is_open(text, counted):
    said = resolve_words(["list my holdings", text], [RANKED])
    assert said == ([*said.texts[:1], text], RANKED, counted)


def test_what_goes_on_takes_the_security_that_was_chosen():
    said = resolve_words(
        ["top gainers today", "how is the second one doing?", "and the other one?"], [RANKED[:2], RANKED[1:2]]
    )
    assert said.texts == ["top gainers today", "how is 600519.SH doing?", "and 00700.HK?"]


def test_indices_are_no_choice():
    assert find_codes("CMB 600036.SH +3%, CSI 300 000300.SH -1%; AAPL.US") == ("600036.SH", "AAPL.US")
