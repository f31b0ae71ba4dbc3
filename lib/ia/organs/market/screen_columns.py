"""The columns that a condition on the market may name: where each is read, its unit, and how people call it.

The SQL of a column reads one row of `snapshots s` with `securities c` beside it, and knows :date and :today; figures of
companies are those of `ia.organs.market.trailing`. Nothing that a person writes ever becomes part of it.
"""

from typing import NamedTuple

from ia.domain.instruments.codes import MAINLAND
from ia.domain.instruments.special import EX_DAY_MARKS, HAN, ST_MARKS
from ia.kernel.i18n import mark_text
from ia.organs.market import dividends, trailing

NUMBER, TEXT, DATE, FLAG = "number", "text", "date", "flag"
PCT, MONEY, PRICE, SHARES, TIMES = "%", "money", "price", "shares", "×"


class ScreenColumn(NamedTuple):
    """One column: name in the output, SQL, type, unit, and other names that it is known by.

    years   of reports before the newest one that the SQL looks at; None where it looks at no report
    """

    name: str
    sql: str
    type: str = NUMBER
    unit: str = ""
    also: tuple[str, ...] = ()
    years: int | None = None


BOARDS = {"main": "主板", "chinext": "创业板", "star": "科创板", "bse": "北交所", "b": "B股"}


def _board_sql() -> str:
    """Return the SQL of a stock's board, from the codes of the exchanges.

    Bounds instead of LIKE: it is worked out for each stock of the market.
    """
    cases = [
        f"WHEN s.symbol >= '{prefix}' AND s.symbol < '{prefix[:-1]}{chr(ord(prefix[-1]) + 1)}'"
        f" AND substr(s.symbol, -3) = '.{codes.exchange}' THEN '{codes.board.partition('.')[0]}'"
        for codes in MAINLAND
        if codes.kind == "stock"
        for prefix in codes.prefixes
    ]
    return f"CASE {' '.join(cases)} ELSE 'main' END"


def _special_treatment_sql() -> str:
    """Return the SQL of whether the name of the day says special treatment; letters within a name do not.

    The first letter is looked at before anything else: it rules out nearly all names.
    """
    first = sorted({mark[0] for mark in (*ST_MARKS, *EX_DAY_MARKS)})
    ex_day = ", ".join(f"'{mark}'" for mark in EX_DAY_MARKS)
    bare = f"CASE WHEN substr(s.name, 1, 2) IN ({ex_day}) THEN substr(s.name, 3) ELSE s.name END"
    forms = [*(mark.replace("*", "[*]") for mark in ST_MARKS), f"S{HAN}"]
    marked = " OR ".join(f"{bare} GLOB '{form}*'" for form in forms)
    early = f"s.name < '{chr(ord(first[-1]) + 1)}' AND substr(s.name, 1, 1) IN ({', '.join(map(repr, first))})"
    return f"({early} AND ({marked}))"


def _report_column(name: str, unit: str, *also: str, type_: str = NUMBER) -> ScreenColumn:
    """Return the column of a figure of companies."""
    figure = trailing.FIGURES[name]
    return ScreenColumn(name=name, sql=figure.sql, type=type_, unit=unit, also=also, years=figure.years)


BOARD, ST = _board_sql(), _special_treatment_sql()


def _as_of_sql(name: str) -> str:
    """Return the SQL of what was told of a security by :date: what stands there now, or what did before it changed.

    For the newest day there is nothing to look for, and that is asked once.
    """
    before = "FROM former f WHERE f.source = c.source AND f.symbol = c.symbol AND f.until > :date"
    return (
        f"CASE WHEN NOT EXISTS (SELECT 1 FROM former WHERE until > :date) OR NOT EXISTS (SELECT 1 {before})"
        f" THEN c.{name} ELSE (SELECT f.{name} {before} ORDER BY f.until LIMIT 1) END"
    )


LISTED, INDUSTRY, CONCEPTS = map(_as_of_sql, ("listed", "industry", "concepts"))

COLUMNS = (
    ScreenColumn("symbol", "s.symbol", TEXT, also=("code", "代码", "证券代码", "股票代码")),
    ScreenColumn("name", "s.name", TEXT, also=("名称", "股票名称", "简称")),
    ScreenColumn("date", "s.date", DATE, also=("日期",)),
    ScreenColumn("price", "s.price", NUMBER, PRICE, ("close", "最新价", "现价", "价格", "股价", "收盘价", "收盘")),
    ScreenColumn("prev_close", "s.prev_close", NUMBER, PRICE, ("昨收", "昨收价")),
    ScreenColumn("open", "s.open", NUMBER, PRICE, ("今开", "开盘", "开盘价")),
    ScreenColumn("high", "s.high", NUMBER, PRICE, ("最高", "最高价")),
    ScreenColumn("low", "s.low", NUMBER, PRICE, ("最低", "最低价")),
    ScreenColumn("change_pct", "s.change_pct", NUMBER, PCT, ("change", "涨跌幅", "涨幅")),
    ScreenColumn("change_amount", "s.change", NUMBER, PRICE, ("涨跌额",)),
    ScreenColumn("volume", "s.volume * 1.0", NUMBER, SHARES, ("成交量",)),
    ScreenColumn("amount", "s.amount", NUMBER, MONEY, ("成交额", "成交金额")),
    ScreenColumn("amplitude_pct", "s.amplitude_pct", NUMBER, PCT, ("振幅",)),
    ScreenColumn("turnover_pct", "s.turnover_pct", NUMBER, PCT, ("换手率", "换手")),
    ScreenColumn("volume_ratio", "s.volume_ratio", NUMBER, TIMES, ("量比",)),
    ScreenColumn("pe", "s.pe", NUMBER, TIMES, ("市盈率", "动态市盈率", "市盈率动态")),
    ScreenColumn("pe_ttm", "s.pe_ttm", NUMBER, TIMES, ("滚动市盈率", "市盈率ttm")),
    ScreenColumn("pb", "s.pb", NUMBER, TIMES, ("市净率",)),
    ScreenColumn("market_cap", "s.market_cap", NUMBER, MONEY, ("cap", "总市值", "市值")),
    ScreenColumn("float_cap", "s.float_cap", NUMBER, MONEY, ("流通市值",)),
    ScreenColumn("change_60d_pct", "s.change_60d_pct", NUMBER, PCT, ("60日涨跌幅", "六十日涨跌幅")),
    ScreenColumn("change_ytd_pct", "s.change_ytd_pct", NUMBER, PCT, ("年初至今涨跌幅", "年初至今")),
    ScreenColumn("dividend_yield_pct", dividends.YIELD, NUMBER, PCT, ("股息率", "分红率")),
    _report_column("roe_pct", PCT, "净资产收益率"),
    ScreenColumn("period", "r.period", DATE, also=("报告期",), years=0),
    ScreenColumn("report", "r.period", DATE, also=("财报日期", "财报期"), years=0),
    _report_column("basis", "", "口径", type_=TEXT),
    _report_column("eps", PRICE, "每股收益"),
    _report_column("bvps", PRICE, "每股净资产"),
    _report_column("cash_flow_ps", PRICE, "每股经营现金流", "每股现金流"),
    _report_column("revenue", MONEY, "营业收入", "营业总收入", "营收"),
    _report_column("revenue_yoy_pct", PCT, "营收增长率", "营收同比", "营收增长"),
    _report_column("profit", MONEY, "净利润", "归母净利润"),
    _report_column("profit_yoy_pct", PCT, "净利润增长率", "净利润同比", "净利润增长"),
    _report_column("gross_margin_pct", PCT, "毛利率"),
    _report_column("net_margin_pct", PCT, "净利率"),
    _report_column("debt_ratio_pct", PCT, "资产负债率", "负债率"),
    ScreenColumn("industry", INDUSTRY, TEXT, also=("sector", "行业", "板块")),
    ScreenColumn("concepts", CONCEPTS, TEXT, also=("concept", "概念")),
    ScreenColumn("board", BOARD, TEXT, also=("上市板", "市场板块")),
    ScreenColumn("exchange", "substr(s.symbol, -2)", TEXT, also=("交易所",)),
    ScreenColumn("kind", "coalesce(c.kind, 'stock')", TEXT, also=("种类",)),
    ScreenColumn("listed", LISTED, DATE, also=("上市日期", "上市时间", "上市日")),
    ScreenColumn("st", ST, FLAG),
    ScreenColumn("traded", "(coalesce(s.volume, 0) > 0)", FLAG, also=("有成交",)),
)  # fmt: skip

TITLES = {
    "price": mark_text("latest price"),
    "change_pct": mark_text("daily change"),
    "change_amount": mark_text("change in price"),
    "amount": mark_text("amount traded"),
    "amplitude_pct": mark_text("daily range"),
    "turnover_pct": mark_text("turnover rate"),
    "volume_ratio": mark_text("volume ratio"),
    "pe": mark_text("P/E ratio"),
    "pe_ttm": mark_text("P/E ratio (TTM)"),
    "pb": mark_text("P/B ratio"),
    "market_cap": mark_text("market cap"),
    "float_cap": mark_text("free-float cap"),
    "change_60d_pct": mark_text("change in 60 days"),
    "change_ytd_pct": mark_text("change this year"),
    "dividend_yield_pct": mark_text("dividend yield"),
    "roe_pct": mark_text("ROE"),
    "eps": mark_text("earnings per share"),
    "bvps": mark_text("book value per share"),
    "cash_flow_ps": mark_text("operating cash flow per share"),
    "revenue": mark_text("revenue"),
    "revenue_yoy_pct": mark_text("revenue growth"),
    "profit": mark_text("net profit"),
    "profit_yoy_pct": mark_text("net profit growth"),
    "gross_margin_pct": mark_text("gross margin"),
    "net_margin_pct": mark_text("net margin"),
    "debt_ratio_pct": mark_text("debt ratio"),
}
"""What columns of figures are called in an answer, as texts to be translated."""


def normalize_name(name: str) -> str:
    """Return a name of a column as it is compared: case, `-`, spaces and a missing `_pct` do not count."""
    return name.casefold().replace("-", "_").replace(" ", "").removesuffix("_pct")


BY_NAME = {normalize_name(name): column for column in COLUMNS for name in (column.name, *column.also)}


def find_column(name: str) -> ScreenColumn | None:
    """Return the column of this name, in English or Chinese; None where there is none."""
    return BY_NAME.get(normalize_name(name))


def column_title(name: str) -> str:
    """Return what a column is called in an answer, in English; its name where it has no other.

    >>> column_title("pe"), column_title("净资产收益率"), column_title("industry")
    ('P/E ratio', 'ROE', 'industry')
    """
    column = find_column(name)
    return name if column is None else TITLES.get(column.name, column.name)


def similar_names(name: str) -> str:
    """Return the names that are most like one that no column has, as a comma list; "" where none is."""
    from difflib import get_close_matches

    names = {normalize_name(other): other for column in COLUMNS for other in (column.name, *column.also)}
    close = get_close_matches(normalize_name(name), names, 3, 0.75)
    return ", ".join(dict.fromkeys(names[other] for other in close))
