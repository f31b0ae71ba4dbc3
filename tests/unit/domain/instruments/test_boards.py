"""One table of codes answers for kind, board, step of prices and the SQL of the market's tables."""

import sqlite3

import pytest

from ia.domain.instruments.boards import Board, find_board, is_b_share, tick_size
from ia.domain.instruments.codes import MAINLAND
from ia.domain.instruments.symbols import Symbol, bundled_symbols, from_canonical, symbol_of_kind
from ia.organs.market.screen_columns import BOARD, BOARDS

STOCKS = [
    f"{prefix.ljust(6, digit)}.{codes.exchange}"
    for codes in MAINLAND
    if codes.kind == "stock"
    for prefix in codes.prefixes
    for digit in "059"
    if not (codes.exchange == "BJ" and prefix + digit == "889")  # subscriptions of Beijing
]


def board_by_sql(code):
    db = sqlite3.connect(":memory:")
    return db.execute(f"SELECT {BOARD} FROM (SELECT ? AS symbol) s", (code,)).fetchone()[0]


@pytest.mark.parametrize("code", STOCKS)
def test_sql_and_python_know_the_same_boards(code):
    symbol = from_canonical(code)
    assert symbol.kind == "stock"
    assert board_by_sql(code) == find_board(symbol).name.partition(".")[0]


def test_each_board_has_a_name_for_people():
    assert {board_by_sql(code) for code in STOCKS} == set(BOARDS)


def test_sql_and_python_agree_on_the_bundled_stocks():
    stocks = [symbol for symbol in bundled_symbols() if symbol.market == "CN" and symbol.kind == "stock"]
    assert len(stocks) > 50
    assert all(board_by_sql(one.canonical) == find_board(one).name.partition(".")[0] for one in stocks)


@pytest.mark.parametrize(
    ("code", "foreign"),
    [("900901.SH", True), ("200002.SZ", True), ("600519.SH", False), ("000002.SZ", False), ("00700.HK", False)],
)
def test_b_shares(code, foreign):
    assert is_b_share(from_canonical(code)) is foreign


@pytest.mark.parametrize(
    ("code", "step"),
    [
        ("600519.SH", 0.01),
        ("430047.BJ", 0.01),
        ("200002.SZ", 0.01),
        ("900901.SH", 0.001),
        ("510300.SH", 0.001),
        ("159915.SZ", 0.001),
        ("113050.SH", 0.001),
        ("000300.SH", None),
        ("204001.SH", None),
        ("00700.HK", None),
        ("AAPL.US", None),
    ],
)
def test_steps_of_prices(code, step):
    assert tick_size(from_canonical(code)) == step


def test_a_stock_of_a_range_that_nobody_knows_is_taken_for_the_main_board_but_not_surely():
    symbol = symbol_of_kind("999999.SH")
    assert symbol == Symbol("999999", "CN", "SH", "stock")
    assert find_board(symbol) == Board("main", ("main", "A"), sure=False)
    assert tick_size(symbol) == 0.01
    assert symbol_of_kind("600519.SH", "etf") == from_canonical("600519.SH")
