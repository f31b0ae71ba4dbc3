"""Statements by Sina: items by title, in whatever order and wording a company's template has them."""

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import NotFound
from ia.organs.market.sources.sina_statements import parse_statements
from ia.organs.ohlcv.transport import ShapeChanged

MAOTAI = from_canonical("600519.SH")


def answer(*titles, currency="CNY", published="20240403", period="20231231"):
    """Return an answer of one period with these (title, value) items."""
    rows = [{"item_field": "X", "item_title": title, "item_value": value} for title, value in titles]
    report = {"rType": "合并期末", "rCurrency": currency, "publish_date": published, "data": rows}
    return {"result": {"data": {"report_list": {period: report}}}}


def only(statement, *titles, **more):
    (found,) = parse_statements(answer(*titles, **more), MAOTAI, statement)
    return found


@pytest.mark.parametrize("paid", ["所支付的现金", "支付的现金"])
@pytest.mark.parametrize("word", ["和", "及"])
def test_capital_expenditure_under_each_of_its_names(word, paid):
    told = only("cashflow", (f"购建固定资产、无形资产{word}其他长期资产{paid}", "2619762143.61"))
    assert told.items == {"capital_expenditure": 2619762143.61}
    assert (told.period, told.published, told.currency) == ("2023-12-31", "2024-04-03", "CNY")


def test_the_first_value_counts_and_gaps_are_no_zero():
    told = only(
        "cashflow", ("经营活动产生的现金流量净额", None), ("经营活动产生的现金流量净额", "66593247721.09"),
        ("经营活动产生的现金流量净额", "1.00"), ("投资活动产生的现金流量净额", "--"), ("别的", "x"),
    )  # fmt: skip
    assert told.items == {"operating_cash_flow": 66593247721.09}


def test_a_bank_has_its_own_titles():
    assert only("income", ("营业收入", "33912300"), ("归属于母公司股东的净利润", "1")).items == {
        "revenue": 33912300.0,
        "profit": 1.0,
    }
    assert only("income", ("营业收入", "1"), ("营业总收入", "2")).items == {"revenue": 2.0}
    told = only("balance", ("现金及存放中央银行款项", "5"), ("所有者权益（或股东权益）合计", "7"))
    assert told.items == {"cash": 5.0, "equity": 7.0}


def test_a_date_of_publication_within_the_period_is_none():
    assert only("balance", ("资产总计", "1"), published="20231201").published is None
    assert only("balance", ("资产总计", "1"), published="").published is None


@pytest.mark.parametrize("tree", [
    {"result": {"data": None}}, {"result": {"data": []}}, {"result": {"data": {"report_list": {}}}},
])  # fmt: skip
def test_nothing_is_not_found(tree):
    with pytest.raises(NotFound):
        parse_statements(tree, MAOTAI, "income")


@pytest.mark.parametrize("tree", [
    None, [], {"result": 1}, {"result": {"data": {"report_list": [1]}}}, answer(("别的", "1")),
    {"result": {"data": {"report_list": {f"20{year}1231": {} for year in range(10, 20)}}}},
    {"result": {"data": {"report_list": {f"2023{day}": {"rCurrency": "USD", "data": []} for day in ("0331", "0630", "0930", "1231")}}}},
    {"result": {"data": {"report_list": {f"20{year}1231": {"data": [{"item_title": "净利润", "item_value": "many"}]}
                                         for year in range(10, 20)}}}},
])  # fmt: skip
def test_another_shape_is_refused(tree):
    with pytest.raises(ShapeChanged):
        parse_statements(tree, MAOTAI, "income")
