"""Conditions on the market: parsed into SQL with bound values, compared with a plain reading of the same words."""

import random
import re

import pytest

from ia.kernel.errors import BadData, UsageError
from ia.kernel.errors import fill_template as filled
from ia.organs.market.screen import screen_stocks
from ia.organs.market.screen_columns import BY_NAME, COLUMNS, find_column
from ia.organs.market.screen_conditions import parse_condition
from support.markets.stored_quotes import fill, insert, quote

DAY = "2024-03-15"


@pytest.fixture
def small(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DAY}T16:00:00+08:00")
    fill(ws, {DAY: [
        quote("600519.SH", "贵州茅台", 1.5, 1700.0, pe=30.0, pb=8.5, roe_pct=99.0, market_cap=2.1e12, industry="白酒", concepts="白酒;高股息"),
        quote("600036.SH", "招商银行", -0.5, 32.0, pe=5.5, pb=0.9, roe_pct=99.0, market_cap=8e11, industry="银行", concepts="高股息"),
        quote("000001.SZ", "平安银行", 0.0, 10.4, pe=4.2, pb=0.5, roe_pct=99.0, market_cap=2e11, industry="银行", concepts=None),
        quote("300750.SZ", "宁德时代", 5.2, 190.0, pe=18.0, pb=4.0, roe_pct=99.0, market_cap=8.3e11, industry="电池", concepts="锂电池;储能;5G概念;10亿俱乐部"),
        quote("000982.SZ", "*ST中绒", -4.9, 0.8, pe=None, pb=3.0, roe_pct=99.0, market_cap=3e9, industry="纺织", concepts=None),
        quote("688981.SH", "中芯国际", 2.0, 45.0, pe=80.0, pb=2.5, roe_pct=99.0, market_cap=3.6e11, industry=None, concepts="3D打印"),
        quote("510300.SH", "沪深300ETF", 0.3, 3.6, pe=None, pb=None, market_cap=1e11, kind="etf", listed=None),
    ]})  # fmt: skip
    maotai = {"symbol": "600519.SH"}
    insert(
        ws, "fundamentals",
        {**maotai, "period": "2021-09-30", "published": "2021-10-23", "revenue": 75.0},
        {**maotai, "period": "2021-12-31", "published": "2022-03-31", "revenue": 106.0},
        {**maotai, "period": "2022-09-30", "published": "2022-10-17", "revenue": 88.0, "profit": 35.0, "eps": 35.0},
        {**maotai, "period": "2022-12-31", "published": "2023-03-31", "revenue": 127.0, "profit": 50.0, "eps": 50.0},
        {**maotai, "period": "2023-09-30", "published": "2023-10-21", "revenue": 100.0, "profit": 42.0, "eps": 42.0, "roe_pct": 24.0},
        {**maotai, "period": "2023-12-31", "published": "2024-04-03", "revenue_yoy_pct": 20.0, "eps": 59.0},
        {"symbol": "600036.SH", "period": "2022-12-31", "published": None, "roe_pct": 15.0},
        {"symbol": "600036.SH", "period": "2023-12-31", "published": None, "revenue_yoy_pct": -1.6},
        {"symbol": "000001.SZ", "period": "2022-12-31", "published": None, "roe_pct": 11.0},
        {"symbol": "300750.SZ", "period": "2022-12-31", "published": None, "roe_pct": 22.0},
        {"symbol": "688981.SH", "period": "2022-12-31", "published": None, "roe_pct": 4.0},
        {"symbol": "000982.SZ", "period": "2022-12-31", "published": None, "roe_pct": -30.0, "revenue_yoy_pct": -9.0},
    )  # fmt: skip
    return ws


def codes(ws, text, **options):
    return [row["symbol"][:6] for row in screen_stocks(ws, text, **{"sort": "symbol", **options}).rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pe < 15", "000001 600036"),
        ("pe < 15 and roe > 12", "600036"),
        ("roe>12 AND pe<15", "600036"),
        ("pe < 5 or pe > 50", "000001 688981"),
        ("not pe < 15", "300750 600519 688981"),
        ("not (pe < 15 or pe > 50)", "300750 600519"),
        ("10 < pe < 31", "300750 600519"),
        ("31 > pe >= 18", "300750 600519"),
        ("pe between 4 and 6", "000001 600036"),
        ("pe not between 4 and 31", "688981"),
        ("change > 2%", "300750"),
        ("change_pct >= 2", "300750 688981"),
        ("price / prev_close - 1 > 4%", "300750"),
        ("price / prev_close - 1 > 0.04", "300750"),
        ("cap > 5000亿", "300750 600036 600519"),
        ("market_cap > 500 bn", "300750 600036 600519"),
        ("总市值 > 1万亿", "600519"),
        ("pe * pb < 5", "000001 600036"),
        ("(pe + 1) * 2 < 11", "000001"),
        ("-pe > -5", "000001"),
        ("industry == 银行", "000001 600036"),
        ("industry != 银行", "000982 300750 600519"),
        ("industry in (银行, 白酒)", "000001 600036 600519"),
        ("industry not in (银行, '白酒')", "000982 300750"),
        ("name ~ 银行", "000001 600036"),
        ("name !~ 银行 and pe < 31", "300750 600519"),
        ("concept == 高股息", "600036 600519"),
        ("concepts ~ 电池", "300750"),
        ("concept == 电池", ""),
        ("st", "000982"),
        ("not st and pb > 3", "300750 600519"),
        ("非st 且 pb > 3", "300750 600519"),
        ("非ST且市净率大于3", "300750 600519"),
        ("市盈率<15且净资产收益率>12", "600036"),
        ("市盈率 小于 15 或者 名称 包含 茅台", "000001 600036 600519"),
        ("市盈率介于4与6", None),
        ("（市盈率＜１５）且（行业＝银行）", "000001 600036"),
        ("board == 科创板", "688981"),
        ("board in (chinext, STAR)", "300750 688981"),
        ("exchange == SZ and pe > 0", "000001 300750"),
        ("symbol == 600519", "600519"),
        ("symbol in (600519.SH, 000001)", "000001 600519"),
        ("listed < 2011-01-01 and pe > 50", "688981"),
        ("listed > 2011-01-01", ""),
        ("kind == etf", "510300"),
        ("revenue_yoy > 0", "600519"),
        ("revenue_yoy > 19", ""),
        ("营收同比 < 0", "000982"),
        ("roe < 0", "000982"),
        ("换手率 > 1 and 成交额 >= 1000万", "000001 000982 300750 600036 600519 688981"),
        ("pe / (pb - pb) > 0", ""),
        ("市值 > 5000亿元 且 价格 < 1700元 且 市盈率 < 20倍", "300750 600036"), ("volume == 100万股 and pe > 50", "688981"),
        ("concept in (5G概念, 3D打印)", "300750 688981"), ("concept == 10亿俱乐部且pe<20", "300750"), ("name ~ 300 and kind == etf", "510300"),
    ],
)  # fmt: skip
def test_what_a_condition_means(small, text, expected):
    if expected is None:
        with pytest.raises(BadData):
            codes(small, text)
    else:
        assert codes(small, text) == expected.split()


def test_a_report_counts_from_its_publication_and_without_one_from_the_legal_deadline(small, monkeypatch):
    assert codes(small, "eps > 58") == []
    assert codes(small, "eps == 57") == ["600519"]  # 42 + 50 - 35
    assert "600036" not in codes(small, "营收同比 < 0")  # the report of 2023 has to be out by 2024-04-30
    monkeypatch.setenv("IA_NOW", "2024-04-29T16:00:00+08:00")
    assert codes(small, "eps > 58") == ["600519"]
    assert "600036" not in codes(small, "营收同比 < 0")
    monkeypatch.setenv("IA_NOW", "2024-04-30T16:00:00+08:00")
    assert "600036" in codes(small, "营收同比 < 0")


def test_a_day_that_is_asked_for_knows_no_report_of_later(small, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-05-06T16:00:00+08:00")
    assert codes(small, "eps > 58") == ["600519"] and "600036" in codes(small, "营收同比 < 0")
    assert codes(small, "eps > 58", on=DAY) == [] and codes(small, "eps == 57", on=DAY) == ["600519"]
    assert "600036" not in codes(small, "营收同比 < 0", on=DAY)


def test_figures_are_of_twelve_months_and_tell_the_report_they_are_of(small, monkeypatch):
    asked = ["symbol", "report", "period", "basis", "roe", "eps", "revenue", "revenue_yoy"]
    rows = {row.pop("symbol"): row for row in screen_stocks(small, "price > 0", columns=asked).rows}
    assert rows["600519.SH"] == {
        "report": "2023-09-30", "period": "2023-09-30", "basis": "ttm", "eps": 57.0, "revenue": 139.0,
        "roe_pct": pytest.approx(57 / (42 / 24), abs=1e-4),  # over the equity that 42 are 24 % of
        "revenue_yoy_pct": pytest.approx(139 / (88 + 106 - 75) * 100 - 100, abs=1e-4),
    }  # fmt: skip
    assert [rows["600036.SH"][name] for name in ("report", "basis", "roe_pct")] == ["2022-12-31", "annual", 15.0]
    monkeypatch.setenv("IA_NOW", "2024-05-06T16:00:00+08:00")
    (row,) = screen_stocks(small, "name ~ 茅台", columns=asked).rows
    assert (row["report"], row["basis"], row["eps"]) == ("2023-12-31", "annual", 59.0)


def test_missing_values_match_nothing_and_are_counted(small):
    told = []
    for text in ("pe < 1000", "not pe < 1000", "pe != 5"):
        found = screen_stocks(small, text, notify=told.append)
        assert "000982.SZ" not in [row["symbol"] for row in found.rows]
        assert found.unknown == 1
    assert [str(message) for message in told] == ["skipped 1 security: a value that the condition needs is missing"] * 3
    assert screen_stocks(small, "pe < 1000 or price < 1").unknown == 0  # true whatever its pe is


@pytest.mark.parametrize(
    ("text", "at", "why"),
    [
        ("", None, "empty"), ("   ", None, "empty"),
        ("pee < 3", 1, "unknown column 'pee'"),
        ("pe < 15; drop table snapshots", 8, "';' is not valid here"),
        ("pe < 1 -- and roe", 11, "unexpected 'and'"),
        ("pe <", 5, "the condition is incomplete"), ("pe", 3, "comparison is missing"), ("pe < 3 4", 8, "unexpected '4'"),
        ("(pe < 3", 8, r"'\)' is missing"), ("pe < 3)", 7, r"unexpected '\)'"),
        ("name ~ 'x", 8, "closing quotation mark is missing"), ("'x' == name", 1, "the left side must be a column"),
        ("industry < 3", 10, "industry is text"), ("pe == 银行", 7, "unknown column '银行'"),
        ("pe ~ 3", 4, "is not text"), ("pe < 5%", 6, "is not a percentage"), ("st == 1", 4, "is a yes/no column"),
        ("listed > 2020", 10, "must be compared with a date"), ("pe > 2020-01-01", 6, "must be compared with a number"),
        ("pe between 3", 13, "'and' is missing"), ("pe in 3", 7, r"'\(' is missing"), ("pe in ()", 8, r"unexpected '\)'"),
        ("pe < 1e999", 6, "too large"), ("pe + name < 3", 6, "is not a number"), ("name", 5, "is text"),
        ("not", 4, "the condition is incomplete"), ("and pe < 3", 1, "unexpected 'and'"), ("pe < 3 and", 11, "the condition is incomplete"),
        ("listed < 2024-02-30", 10, "'2024-02-30' is not a valid date"), ("name ~ '\udcff'", 9, "is not valid here"),
        ("`pe` < 3", 1, "is not valid here"), ("pe < ?", 6, "is not valid here"), ("pe < :p0", 6, "is not valid here"),
        ("pe < (select 1)", 7, "unknown column 'select'"), ("(" * 60 + "pe" + ")" * 60 + " < 3", None, "too deeply"),
        ("not " * 60 + "pe < 3", None, "too deeply"), ("-" * 60 + "pe < 3", None, "too deeply"),
        ("|".join(["pe<1"] * 201), None, "more than 200 values; use fewer"), ("pe < 1 " * 400, None, "longer than"),
    ],
)  # fmt: skip
def test_an_invalid_condition_is_refused_with_its_place(text, at, why):
    with pytest.raises(BadData, match=why) as caught:
        parse_condition(text)
    if at is not None:
        assert caught.value.params["at"] == at or str(caught.value).endswith("empty")


def test_unknown_columns_bring_the_near_ones(small):
    with pytest.raises(BadData) as caught:
        parse_condition("turnovr > 3")
    assert "turnover" in filled(caught.value.hint, caught.value.params)
    with pytest.raises(UsageError) as wrong:
        screen_stocks(small, "pe < 3", sort="markt_cap")
    assert "market_cap" in filled(wrong.value.hint, wrong.value.params)
    with pytest.raises(UsageError):
        screen_stocks(small, "pe < 3", columns=["pe", "1; drop table daily"])


@pytest.mark.parametrize(
    "text",
    [
        "+".join(["pe"] * 150) + " > 1", "pe > 1" + "+1" * 190, "1" + "*1" * 190 + " < pe", "not " * 15 + "pe > 1",
        "(" * 15 + "pe" + ")" * 15 + " > 1", "(" * 15 + "pe > 1" + ")" * 15, "-" * 15 + "pe > 1", "pe * (1 + " * 15 + "1" + ")" * 15 + " > 3",
        "1 - (2 * (" * 7 + "pe" + "))" * 7 + " > 3", "|".join(["pe<1"] * 190), "1 < " + " < ".join(["pe"] * 150),
        "not (" * 4 + "pe > 1 and -" + "(1 - (" * 3 + "pe" + "))" * 3 + " > 1" + ")" * 4, "name in (" + ",".join(["x"] * 190) + ")",
        "not (pe < 1 or (pe > 2 and " * 5 + "st" + "))" * 5,
    ],
)  # fmt: skip
def test_the_largest_conditions_are_not_too_large_for_the_database(small, text):
    assert len(text) <= 2000
    codes(small, text)


def test_sums_and_products_go_from_left_to_right(small):
    assert codes(small, "10 - 5 - 3 == 2 and pe > 50") == ["688981"]
    assert codes(small, "100 / 10 / 5 == 2 and 2 + 3 * 4 - 1 == 13 and pe > 50") == ["688981"]
    assert codes(
        small, "10 - (5 - 3) == 8 and 5% + 5% == 10% and 1 + 5% == 1.05 and 5% + 5% + 1 == 1.1 and pe > 50"
    ) == ["688981"]


INJECTIONS = [
    "name == \"x' OR '1'='1\"", "name ~ '%'", "name ~ \"'; DROP TABLE snapshots; --\"", "industry in ('x) OR 1=1 --')",
    "name == 'x\" UNION SELECT 1'", "concept == ';'", "symbol == \"600519' OR 1=1\"", "name ~ ':source'",
]  # fmt: skip


@pytest.mark.parametrize("text", INJECTIONS)
def test_what_looks_like_sql_is_a_text_that_nothing_is_named(small, text):
    assert codes(small, text) == []
    assert len(codes(small, "price > 0")) == 6


def test_no_word_of_a_condition_reaches_the_sql():
    allowed = set(re.findall(r"\w+", " ".join(column.sql for column in COLUMNS))) | {
        "AND", "OR", "NOT", "BETWEEN", "instr", "lower", "substr", "length", "1", "3", "0", "100",
    }  # fmt: skip
    for text in [*INJECTIONS, "pe < 7 and name ~ drop", "industry in (银行, 白酒) or 1234.5 < cap"]:
        assert set(re.findall(r"\w+", re.sub(r":p\d+", "", parse_condition(text).sql))) <= allowed


def test_sorting_limits_and_columns(small):
    assert codes(small, "pe > 0", sort=None) == ["600519", "300750", "600036", "688981", "000001"]
    assert codes(small, "price > 0", sort="pe", descending=False)[:2] == ["000001", "600036"]
    assert codes(small, "price > 0", sort="pe")[-1] == "000982"  # what has none comes last either way
    assert codes(small, "price > 0", sort="pe", descending=False)[-1] == "000982"
    found = screen_stocks(small, "pe > 0", limit=2)
    assert (len(found.rows), found.met) == (2, 5)
    assert found.columns == ("symbol", "name", "date", "price", "change_pct", "pe", "market_cap", "industry")
    assert screen_stocks(small, "roe > 0").columns[5:8] == ("roe_pct", "report", "basis")
    rows = screen_stocks(small, "st", columns=["代码", "st", "roe"]).rows
    assert rows == [{"symbol": "000982.SZ", "st": True, "roe_pct": -30.0}]


def test_every_column_can_be_asked_for_and_every_name_means_one(small):
    names = [name for column in COLUMNS for name in (column.name, *column.also)]
    assert len(BY_NAME) >= len(names) - len(COLUMNS)
    for column in COLUMNS:
        for name in (column.name, *column.also):
            assert find_column(name) is column, name
    asked = screen_stocks(small, "price > 0", columns=[column.name for column in COLUMNS])
    assert all(set(row) == {column.name for column in COLUMNS} for row in asked.rows)
    assert "净资产收益率" in BY_NAME


def test_special_treatment_is_what_the_rules_take_for_it(ws, monkeypatch):
    from ia.domain.instruments.special import is_st

    monkeypatch.setenv("IA_NOW", f"{DAY}T16:00:00+08:00")
    names = ["*ST康得", "ST 天业", "ST天业", "S佳通", "SST华新", "S*ST聚友", "XD*ST华", "DRST中", "XRST中", "XD贵州茅", "TEST", "贵州茅台", "STAR科技",
             "SMIC", "S上石化", "DR招商", "中ST", "国药一致", "N新股", "XDS佳通", "s小写"]  # fmt: skip
    fill(ws, {DAY: [quote(f"60{n:04d}.SH", name) for n, name in enumerate(names)]})
    found = {row["name"] for row in screen_stocks(ws, "st", columns=["name"]).rows}
    assert found == {name for name in names if is_st(name)} - {"s小写"}


# Against a plain reading: random conditions, evaluated by Python with three truth values.

ROW = ("pe", "pb", "price", "change_pct", "roe_pct")


def random_condition(rng, depth=0):
    """Return (text, function of a row -> True, False or None)."""
    pick = rng.random()
    if depth < 3 and pick < 0.5:
        kind = rng.choice(("and", "or", "not"))
        if kind == "not":
            text, inner = random_condition(rng, depth + 1)
            return f"not ({text})", lambda row: None if inner(row) is None else not inner(row)
        a, left = random_condition(rng, depth + 1)
        b, right = random_condition(rng, depth + 1)
        word = rng.choice({"and": ("and", "且", "&&"), "or": ("or", "或", "||")}[kind])

        def joined(row):
            values = (left(row), right(row))
            if kind == "and":
                return False if False in values else None if None in values else True
            return True if True in values else None if None in values else False

        return f"({a}) {word} ({b})", joined
    column, number = rng.choice(ROW), rng.choice((-5, 0, 0.9, 4.2, 11, 15, 30, 1700))
    other = rng.choice(ROW)
    sign, compare = rng.choice(
        (
            ("<", lambda a, b: a < b),
            (">=", lambda a, b: a >= b),
            ("!=", lambda a, b: a != b),
            ("==", lambda a, b: a == b),
        )
    )
    if rng.random() < 0.5:
        return f"{column} {sign} {number}", lambda row: None if row[column] is None else compare(row[column], number)

    def of_sum(row):
        if row[column] is None or row[other] is None:
            return None
        return compare(row[column] + 2 * row[other], number)

    return f"{column} + 2 * {other} {sign} {number}", of_sum


def test_random_conditions_mean_what_a_plain_reading_says(small):
    rows = screen_stocks(small, "price > 0", columns=["symbol", *ROW], sort="symbol").rows
    for seed in range(300):
        text, meaning = random_condition(random.Random(seed))
        found = screen_stocks(small, text, columns=["symbol"], sort="symbol")
        assert [row["symbol"] for row in found.rows] == [row["symbol"] for row in rows if meaning(row) is True], text
        assert found.unknown == sum(meaning(row) is None for row in rows), text


def test_what_is_looked_up_for_a_column_is_looked_up_once_however_often_it_is_named(small):
    assert "SELECT" not in parse_condition("roe / roe / roe > eps + eps").sql
    assert codes(small, f"{'+'.join(['roe'] * 99)} < -1") == ["000982"]
