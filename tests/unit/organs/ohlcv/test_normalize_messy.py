"""What becomes of each file in the wild: how many bars and what is said, or why not. The list is the specification."""

import gzip

import pytest

from ia.kernel.errors import BadData, NotFound
from ia.organs.ohlcv.canonical import bar_lines, read_bars
from ia.organs.ohlcv.normalize import normalize_csv

LOTS = "column {} is read as shares, but the amounts look like lots of 100 (if so, add `--lots`)"
IN_LOTS = "column {} counts lots of 100; converted to shares (if it counts shares, add `--shares`)"
VOLUME = "'volume'"

# file of messy/derived_ohlcv -> what is said besides the unit of the volume; all give the rows of _clean.csv
SAME_ROWS = {
    "_clean": [],
    "utf8_bom": [],
    "gbk_chinese_header": [],
    "crlf": [],
    "tab_separated": [],
    "thousands_quoted": [],
    "date_compact_yyyymmdd": [],
    "date_slash_nopad": [],
    "date_tz_offset": [],
    "descending": [],
    "duplicate_identical_rows": ["dropped 2 duplicate rows (first: line 8)"],
    "repeated_header_midfile": ["skipped 1 repeated header line (line 11)"],
    "upper_case_spaces_in_header": [],
    "stock_code_leading_zero": [],
    "scientific_notation": [],
}

# file of messy -> the refusal
REFUSED = {
    "derived_ohlcv/negative_volume.csv": "6: volume is negative: '-24925'",
    "derived_ohlcv/null_byte.csv": "5: 'date' contains a NUL byte",
    "derived_ohlcv/ragged_short_row.csv": "6: 'close' is missing: 4 cells for 7 columns",
    "tesla_quoted_commas.csv": "2: date is not a date: '11:34'",
    "csvkit/test_latin1.csv": "3: the encoding is not UTF-8, UTF-16 or GB18030 (byte 0xa9)",
    "frictionless/latin1.csv": "3: the encoding is not UTF-8, UTF-16 or GB18030 (byte 0xa9)",
    "frictionless/table-infer-iso-8859-7.csv": "2: the encoding is not UTF-8, UTF-16 or GB18030 (byte 0xcb)",
    "messytables/spanish_chars.csv": "1: the encoding is not UTF-8, UTF-16 or GB18030 (byte 0xf3)",
    "frictionless/empty.csv": "1: empty input",
}

SPLICED = {
    "000670": (901, 4, "93: close changes by +488.4 % on 2022-08-22 (1 such jump)"),
    "002594": (911, 4, "550: close changes by -67.8 % on 2024-07-29 (2 such jumps)"),
    "603195": (911, 2, "274: close changes by -56.3 % on 2023-06-08 (3 such jumps)"),
    "605117": (911, 2, "262: close changes by -61.6 % on 2023-05-23 (2 such jumps)"),
}

# file -> bars, first and last date, last close, last volume
MARKETS = {
    "us/AAPL_yahoo_2004_2018.csv": (3379, "2004-08-19", "2018-01-19", 178.460007, 31269600),
    "us/GOOG_backtestingpy_2004_2013.csv": (2148, "2004-08-19", "2013-03-01", 806.19, 2175400),
    "us/SPY_D_1999_2020_pandas_ta.csv": (5241, "1999-11-01", "2020-08-28", 350.58, 48588940),
    "us/SPY_yahoo_2008_2017.csv": (2519, "2007-12-31", "2017-12-29", 266.859985, 96007400),
    "us/EURUSD_hourly_backtestingpy.csv": (5000, "2017-04-19T09:00:00", "2018-02-07T15:00:00", 1.22904, 6143),
    "us/minute/SP500_1min_20191105_08.csv": (1563, "2019-11-05T09:30:00", "2019-11-08T15:59:00", 3092.91, 0),
    "ashare/sina_qfq_2020_2026/600519.csv": (1579, "2020-01-02", "2026-07-10", 1204.98, 5221255),
    "ashare/sina_qfq_2020_2026/600585.csv": (1594, "2020-01-02", "2026-07-31", 18.56, 33549608),
    "ashare/tushare_raw_2012_2022/600519.csv": (2447, "2012-04-05", "2022-04-29", 1828.38, 3488527),
    "ashare/tushare_raw_2012_2022/600000.csv": (2416, "2012-04-05", "2022-04-29", 8.03, 44512846),
    "api_fixtures/stock_zh_a_hist_600519/expected.csv": (120, "2023-12-25", "2024-06-26", 1489.22, 2957000),
}
MONEY = (
    "volume (usually {}) is read as shares but may be money; "
    "no unit or amount column decides it (if it counts shares, add `--shares`)"
)
SAID = {
    "us/SPY_D_1999_2020_pandas_ta.csv": [MONEY.format("7.3e+07")],
    "ashare/sina_qfq_2020_2026/600585.csv": [MONEY.format("3.1e+07")],
    "us/SPY_yahoo_2008_2017.csv": ["low is between open and close (2 rows)"],
    "us/minute/SP500_1min_20191105_08.csv": ["reading dates such as 11/5/2019 9:30 as 2019-11-05"],
    "ashare/tushare_raw_2012_2022/600519.csv": [IN_LOTS.format("'vol'")],
    "ashare/tushare_raw_2012_2022/600000.csv": [IN_LOTS.format("'vol'")],
    "api_fixtures/stock_zh_a_hist_600519/expected.csv": [IN_LOTS.format("'成交量'")],
}

# file with many symbols, the one selected -> bars, what is said; None where the file is refused in these words
SEVERAL = {
    ("us/ticker_demo_raw_adj_split_div_2015_2017.csv", "aapl"): (753, ["of other symbols"]),
    ("ashare/em_daily_qfq_20210104_20240626.csv.gz", "600519"): (842, [IN_LOTS.format("'成交量'"), "of other symbols"]),
    ("ashare/unadjusted_desc_dup_20190425_20230404.csv.gz", "000001"): (
        None,
        "2: volume is not a number of shares; it may be an amount of money: '817726526.95'",
    ),
    ("us/sp500_yahoo_20160104_20190520.csv.gz", "AAPL"): (850, ["of other symbols"]),
    ("ashare/unadjusted_desc_dup_20190425_20230404.csv.gz", "600519"): (
        957,
        ["volume x close is usually 8.5e+12, too much for one share", "dropped 10 duplicate rows"],
    ),
    ("ashare/baostock_daily_qfq_20150105_20200824.csv.gz", "sz.000858"): (
        1315,
        ["dropped 60 days without trading", "rows of other symbols"],
    ),
}
"""The larger files stand at odd places, which are for `make soak`."""


def content(shared, name):
    data = (shared / name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


def outcome(data, name, **options):
    said: list[str] = []
    bars = normalize_csv(data, name, notify=lambda message: said.append(str(message)), **options)
    assert all(text.startswith((f"{name}: ", f"{name}:")) for text in said)
    return bars, [text.removeprefix(f"{name}: ") for text in said]


def refusal(data, name, **options):
    with pytest.raises(BadData) as caught:
        normalize_csv(data, name, **options)
    return str(caught.value).removeprefix(f"{name}:")


@pytest.mark.parametrize("name", SAME_ROWS)
def test_the_same_rows_however_they_are_written(shared, name):
    clean = (shared / "messy/derived_ohlcv/_clean.csv").read_text().splitlines()[1:]
    bars, said = outcome(content(shared, f"messy/derived_ohlcv/{name}.csv"), name)
    written = [line.rstrip("\n") for line in bar_lines(bars)][1:]
    assert written == [line.rpartition(",")[0] for line in clean]
    column = {"gbk_chinese_header": "'成交量'", "upper_case_spaces_in_header": "'VOLUME'"}.get(name, VOLUME)
    assert said == [LOTS.format(column), *SAME_ROWS[name]]


def test_rows_with_gaps_are_dropped_and_counted(shared):
    clean, _ = outcome(content(shared, "messy/derived_ohlcv/_clean.csv"), "clean")
    bars, said = outcome(content(shared, "messy/derived_ohlcv/missing_values_dash.csv"), "f")
    assert [day for day in clean.date if day not in bars.date] == ["2024-05-06", "2024-05-10"]
    assert said[1:] == [
        "dropped 1 row without price (line 5)",
        "dropped 1 row without volume (line 9)",
    ]


def test_units_are_read_and_said_to_be_rounded(shared):
    bars, said = outcome(content(shared, "messy/derived_ohlcv/cn_units_wan_yi.csv"), "f")
    assert bars.volume[:2] == [31000, 41300]
    assert said[1:] == ["f:2: the data source rounded volume to its unit (40 rows)"]


def test_a_high_below_the_close_is_told_and_strictly_refused(shared):
    data = content(shared, "messy/derived_ohlcv/high_lt_low.csv")
    assert outcome(data, "f")[1][1:] == ["f:6: high is between open and close (1 row)"]
    assert refusal(data, "f", strict=True) == "6: high is between open and close"


def test_a_header_alone_is_no_bars(shared):
    bars, said = outcome(content(shared, "messy/derived_ohlcv/header_only.csv"), "f")
    assert (bars.date, said) == ([], [])


@pytest.mark.parametrize("name", REFUSED)
def test_refused(shared, name):
    assert refusal(content(shared, f"messy/{name}"), name) == REFUSED[name]


def test_every_derived_file_has_its_expectation(shared):
    import json

    listed = json.loads((shared / "messy/derived_ohlcv/_index.json").read_text())["files"]
    here = {name.removeprefix("derived_ohlcv/").removesuffix(".csv") for name in REFUSED} | set(SAME_ROWS)
    assert set(listed) - here == {"missing_values_dash", "cn_units_wan_yi", "high_lt_low", "header_only"}


@pytest.mark.parametrize("folder", ["csv-spectrum", "csvkit", "frictionless", "messytables"])
def test_invalid_market_data_is_refused_in_one_line(shared, folder):
    files = [file for file in sorted((shared / "messy" / folder).iterdir()) if file.is_file()]
    assert len(files) > 5
    for file in files:
        message = refusal(file.read_bytes(), file.name)
        if f"{folder}/{file.name}" not in REFUSED:
            assert message.startswith("1: no line contains the column names date, open, high, low, close, volume; ")
        assert "\n" not in message and len(message) < 300


@pytest.mark.parametrize("symbol", SPLICED)
def test_spliced_adjustments_are_doubted(shared, symbol):
    count, still, jump = SPLICED[symbol]
    bars, said = outcome(content(shared, f"messy/spliced_adjustment/{symbol}.csv"), "f")
    assert len(bars.date) == count
    assert said[0] == "several columns give volume ('volume / volume.1'); using the first"
    assert said[1] == (f"f:802: volume is not a whole number of shares: '5.877471754111438e-39' ({still} rows rounded)")
    assert said[2].startswith(f"f:{jump}: a split, mixed adjustments in the file, or bad data")
    assert said[3:] == [f"f:802: volume is 0 and all prices are equal ({still} such bars), perhaps without trading"]


@pytest.mark.parametrize("name", MARKETS)
def test_market_files(shared, name):
    count, first, last, close, volume = MARKETS[name]
    bars, said = outcome(content(shared, name), name)
    assert (len(bars.date), bars.date[0], bars.date[-1]) == (count, first, last)
    assert (bars.close[-1], bars.volume[-1]) == (close, volume)
    assert [text.rpartition(": ")[2] if text.startswith(name) else text for text in said] == SAID.get(name, [])


@pytest.mark.process
@pytest.mark.parametrize(("name", "symbol"), SEVERAL)
@pytest.mark.share(2)
def test_one_of_several_symbols(shared, name, symbol):
    data = content(shared, name)
    count, notices = SEVERAL[name, symbol]
    assert " symbols in one file: " in refusal(data, name)
    if count is None:
        assert refusal(data, name, symbol=symbol) == notices
        return
    bars, said = outcome(data, name, symbol=symbol)
    assert len(bars.date) == count
    for text in notices:
        assert any(text in line for line in said), said
    with pytest.raises(NotFound, match="has no rows of ABSENT"):
        normalize_csv(data, name, symbol="ABSENT")


@pytest.mark.parametrize(("symbol", "price"), [("600111", -0.56), ("600276", -0.33), ("600519", -111.41)])
def test_prices_that_subtraction_made_negative_are_refused(shared, symbol, price):
    data = content(shared, f"ashare/em_qfq_fullhist_negative/{symbol}.csv")
    assert refusal(data, "f") == f"2: open must be above 0: {price}"


def test_all_that_is_written_is_canonical(shared):
    import io

    for name in ("us/AAPL_yahoo_2004_2018.csv", "us/EURUSD_hourly_backtestingpy.csv"):
        bars, _ = outcome(content(shared, name), name)
        assert read_bars(io.BytesIO("".join(bar_lines(bars)).encode()), name) == bars


@pytest.mark.process
def test_an_amount_in_the_column_of_the_volume_is_never_taken_in_silence(shared):
    name = "ashare/unadjusted_desc_dup_20190425_20230404.csv.gz"
    header, *rows = content(shared, name).decode().splitlines()
    place = header.split(",").index("symbol")
    by_symbol = {}
    for row in rows:
        by_symbol.setdefault(row.split(",")[place], []).append(row)
    symbols = sorted(by_symbol)
    taken = 0
    for at, symbol in [*enumerate(symbols)][::3]:
        others = by_symbol[symbols[at - 1]]  # one is enough: the whole file would be read anew for each
        data = "\n".join([header, *by_symbol[symbol], *others]).encode()
        try:
            _, said = outcome(data, name, symbol=symbol)
        except BadData as exc:
            assert "it may be an amount of money" in str(exc) or "twice" in str(exc)
        else:
            taken += 1
            assert any("may be money" in text or "the volume is an amount of money" in text for text in said), symbol
    assert taken >= 6


@pytest.mark.parametrize(
    "header, options, told",
    [
        ("symbol,date,open,high,low,close,volume", {}, True),
        ("symbol,date,open,high,low,close,volume", {"lots": False}, False),
        ("symbol,date,open,high,low,close,volume", {"lots": True}, False),
        ("symbol,date,open,high,low,close,成交量(股)", {}, False),
        ("Date,Open,High,Low,Close,Adj Close,Volume", {}, False),
        ("symbol,date,open,high,low,close,volume,amount", {}, False),
    ],
)
def test_what_the_volume_counts_is_doubted_where_nothing_tells(header, options, told):
    fields = {"symbol": "600785", "volume": "132700000", "成交量(股)": "132700000", "Volume": "132700000"}
    fields |= {"amount": str(132_700_000 * 14), "date": "{day}", "Date": "{day}"}
    row = ",".join(fields.get(name, "14.31") for name in header.split(","))
    lines = [header, *(row.format(day=f"2024-01-{day:02}") for day in range(2, 12))]
    _, said = outcome("\n".join(lines).encode(), "x.csv", **options)
    assert any("is read as shares but may be money" in text for text in said) == told
    small = "\n".join(lines).replace("132700000", "13270").encode()
    assert not any("may be money" in text for text in outcome(small, "x.csv", **options)[1])
