"""The universal normalizer, case by case: one table in, canonical lines or a refusal out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ia.kernel.errors import BadData, Message
from ia.organs.ohlcv.canonical import HEADER, Bars, bar_lines
from ia.organs.ohlcv.normalize import DROPPED, normalize_csv
from support.random_tests import examples

ROW = "10.1,10.9,9.8,10.5,1200"
BAR = "2024-01-15,10.1,10.9,9.8,10.5,1200"


def run(data, **options):
    """Return (canonical lines without header, what was said)."""
    said: list[str] = []
    data = data if isinstance(data, bytes) else data.encode()
    bars = normalize_csv(data, "f", notify=lambda message: said.append(str(message)), **options)
    return [line.rstrip("\n") for line in bar_lines(bars)][1:], said


def refusal(data, **options):
    with pytest.raises(BadData) as caught:
        run(data, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "table",
    [
        f"{HEADER}\n{BAR}\n",
        "Date,Open,High,Low,Close,Adj Close,Volume\n2024-01-15,10.1,10.9,9.8,10.5,9.9,1200\n",
        "日期,开盘,收盘,最高,最低,成交量\n2024-01-15,10.1,10.5,10.9,9.8,1200\n",
        "日期,开盘价,最高价,最低价,收盘价,成交量(股)\n20240115,10.10,10.90,9.80,10.50,1200\n",
        "日期,开盘价,最高价,最低价,收盘价,成交量（手）\n20240115,10.10,10.90,9.80,10.50,12\n",
        "trade_date,ts_code,open,high,low,close,pct_chg,vol\n20240115,600519.SH,10.1,10.9,9.8,10.5,1.2,12.0\n",
        "date,code,open,high,low,close,volume,tradestatus\n2024-01-15,sh.600519,10.1,10.9,9.8,10.5,1200,1\n",
        "date;open;high;low;close;volume\n15.01.2024;10,1;10,9;9,8;10,5;1.200\n",
        "date\topen\thigh\tlow\tclose\tvolume\n2024/1/15\t10.1\t10.9\t9.8\t10.5\t1,200\n",
        "date|open|high|low|close|volume\n2024-01-15|10.1|10.9|9.8|10.5|1200\n",
        "日期  开盘  最高  最低  收盘  成交量\n2024-01-15  10.1  10.9  9.8  10.5  1200\n",
        "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\n"
        "X,D,20240115,000000,10.1,10.9,9.8,10.5,1200,0\n",
        "Price,Close,High,Low,Open,Volume\nTicker,X,X,X,X,X\nDate,,,,,\n2024-01-15,10.5,10.9,9.8,10.1,1200\n",
        'Date,Price,Open,High,Low,Vol.,Change %\n"Jan 15, 2024",10.5,10.1,10.9,9.8,1.2K,0.5%\n',
        "Date,Close/Last,Volume,Open,High,Low\n01/15/2024,$10.50,1200,$10.10,$10.90,$9.80\n",
        "timestamp,1. open,2. high,3. low,4. close,5. volume\n2024-01-15,10.1,10.9,9.8,10.5,1200\n",
        ",open,high,low,close,volume\n2024-01-15 00:00:00-05:00,10.1,10.9,9.8,10.5,1200\n",
        "open,high,low,close,volume\n2024-01-15,10.1,10.9,9.8,10.5,1200\n",
        ",date,open,high,low,close,volume\n0,2024-01-15,10.1,10.9,9.8,10.5,1200.0\n",
        "# made by hand\n\ndate,open,high,low,close,volume,\n2024年1月15日,10.1,10.9,9.8,10.5,1200,\n",
        "date,open,high,low,close,volume\n2024-01-15T00:00:00Z,1.01e1,10.9,9.8,10.5,1.2e3\n",
        "date,open,high,low,close,volume\r2024-01-15,10.1,10.9,9.8,10.5,1200\r",
        '"date","open","high","low","close","volume"\r\n"20240115"," 10.1","10.9","9.8","10.5","1,200"\r\n',
        "Date,Open,High,Low,Close,Volume\nMon Jan 15 2024,10.1,10.9,9.8,10.5,0.12万\n",
        "date,time,open,high,low,close,volume\n2024-01-15,0:00,10.1,10.9,9.8,10.5,1200\n",
    ],
)
def test_the_same_bar_in_many_forms(table):
    assert run(table)[0] == [BAR]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gbk", "gb18030"])
def test_encodings(encoding):
    table = "日期,名称,开盘,最高,最低,收盘,成交量\n2024-01-15,贵州茅台," + ROW + "\n"
    assert run(table.encode(encoding))[0] == [BAR]


def test_an_encoding_that_is_none_of_these_is_named_with_line_and_field():
    table = f"{HEADER},name\n{BAR},Caf\u00e9\n".encode("latin-1")
    assert refusal(table) == "f:2: the encoding of 'name' is not UTF-8, UTF-16 or GB18030 (byte 0xe9)"


@pytest.mark.parametrize(
    ("stamp", "date"),
    [
        ("2024-01-15 09:30", "2024-01-15T09:30:00"),
        ("2024/1/15 9:30:05", "2024-01-15T09:30:05"),
        ("2024-01-15T09:30:00.000+08:00", "2024-01-15T09:30:00"),
        ("1/15/2024 1:30 PM", "2024-01-15T13:30:00"),
        ("1/15/2024 12:05 AM", "2024-01-15T00:05:00"),
        ("20240115093000000", "2024-01-15T09:30:00"),
        ("202401150930", "2024-01-15T09:30:00"),
        ("20240115 09:30:00", "2024-01-15T09:30:00"),
        ("15-Jan-2024", "2024-01-15"),
        ("January 15, 2024", "2024-01-15"),
        ("15/01/2024", "2024-01-15"),
        ("20240115.0", "2024-01-15"),
    ],
)
def test_dates(stamp, date):
    assert run(f'{HEADER}\n"{stamp}",{ROW}\n')[0] == [f"{date},{ROW}"]


NO_DATES = """2024-02-30 2024-1 1/15/24 1705276800 45306 soon 13/13/2024 2024-01/15 2024-01-15T25:00
2024-01-15T09:30:00.5 2024-01-15T13:00PM 15-Foo-2024 0000-01-01"""


@pytest.mark.parametrize("stamp", [*NO_DATES.split(), "", "x" * 100_000])
def test_no_dates(stamp):
    message = refusal(f'{HEADER}\n"{stamp}",{ROW}\n')
    assert message.startswith("f:2: date ") and len(message) < 200


def test_a_time_column_completes_the_date():
    minutes = "date,time,open,high,low,close,volume\n2024-01-15,{},1,1,1,1,1\n"
    assert run(minutes.format("20240115093500000"))[0] == ["2024-01-15T09:35:00,1.0,1.0,1.0,1.0,1"]
    assert run(minutes.format("930"))[0] == ["2024-01-15T09:30:00,1.0,1.0,1.0,1.0,1"]
    assert run(minutes.format("93000"))[0] == ["2024-01-15T09:30:00,1.0,1.0,1.0,1.0,1"]


def days(*stamps):
    return f"{HEADER}\n" + "".join(f"{stamp},1,1,1,1,1\n" for stamp in stamps)


def dates(*stamps, **options):
    return [line.partition(",")[0] for line in run(days(*stamps), **options)[0]]


def test_day_and_month_are_told_apart_by_the_whole_column():
    assert dates("1/2/2024", "1/13/2024") == ["2024-01-02", "2024-01-13"]
    assert dates("1/2/2024", "13/2/2024") == ["2024-02-01", "2024-02-13"]
    assert dates("1/2/2024", "2/1/2024", "3/1/2024", "4/1/2024") == sorted(
        dates("1/2/2024", "2/1/2024", "3/1/2024", "4/1/2024")
    )
    assert dates("11/5/2019", "11/6/2019", "11/7/2019") == ["2019-11-05", "2019-11-06", "2019-11-07"]
    assert dates("5/11/2019", "6/11/2019", "7/11/2019") == ["2019-11-05", "2019-11-06", "2019-11-07"]
    assert dates("1/2/2024", "2/2/2024", day_first=True) == ["2024-02-01", "2024-02-02"]
    assert dates("1/2/2024", "2/2/2024", day_first=False) == ["2024-01-02", "2024-02-02"]
    assert dates("5/5/2024") == ["2024-05-05"]


def test_day_and_month_that_cannot_be_told_apart_stop_the_run():
    assert (
        refusal(days("5/5/2023", "1/2/2024", "2/2/2024"))
        == "f:3: date is ambiguous, day/month or month/day: '1/2/2024'"
    )
    assert refusal(days("1/13/2024", "13/1/2024")).startswith("f:3: date contradicts the order of day and month")


def test_days_and_times_do_not_mix():
    assert refusal(days("2024-01-15 09:30", "2024-01-16")) == "f:3: date mixes dates and times of day: '2024-01-16'"
    assert dates("2024-01-15 00:00", "2024-01-16") == ["2024-01-15", "2024-01-16"]
    assert run(days("2024-01-15T09:30:00Z"))[1] == [
        "f: times are in UTC and stay unchanged; they are not exchange time"
    ]


def test_rows_in_any_order_come_out_ascending():
    assert dates("2024-01-16", "2024-01-15") == ["2024-01-15", "2024-01-16"]
    assert run(days("2024-01-16", "2024-01-15"))[1] == []
    assert run(days("2024-01-16", "2024-01-15", "2024-01-17"))[1] == [
        "f: the rows were not in order; ia sorted them by date"
    ]


def test_repeated_rows_are_dropped_if_they_agree():
    table = f"{HEADER}\n{BAR}\n{BAR}\n"
    assert run(table) == ([BAR], ["f: dropped 1 duplicate row (line 3)"])
    assert refusal(table + BAR.replace("10.5", "10.6")) == (
        "f:4: duplicate date with different values: 2024-01-15 (also line 2)"
    )


@pytest.mark.parametrize("gap", ["", "-", "--", "N/A", "nan", "NULL", "None", " ", "#N/A", "—"])
@pytest.mark.parametrize("column", [1, 2, 3, 4, 5])
def test_gaps_drop_the_row_and_are_counted(gap, column):
    cells = BAR.split(",")
    cells[column] = gap
    field = "volume" if column == 5 else "price"
    lines, said = run(f"{HEADER}\n{','.join(cells)}\n{BAR}\n")
    assert lines == [BAR]
    assert said == [f"f: dropped 1 row without {field} (line 2)"]


def test_days_without_trading_are_dropped_and_counted():
    head = "date,open,high,low,close,volume,tradestatus\n"
    still = "2024-01-16,10.5,10.5,10.5,10.5,0,0\n2024-01-17,,,,10.5,,0\n"
    said = ["f: dropped 2 days without trading (first: line 3)"]
    assert run(f"{head}{BAR},1\n{still}") == ([BAR], said)
    zeros = f"{HEADER},\n{BAR}\n2024-01-16,0,0,0,10.5,0\n2024-01-17,0.00,0.00,0.00,0.00,0\n"
    assert run(zeros) == ([BAR], said)
    assert run("date,open,high,low,close,volume,paused\n" + BAR + ",0.0\n2024-01-16,1,1,1,1,0.0,1.0\n")[0] == [BAR]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("2024-01-15,0,10.9,9.8,10.5,1200", "open must be above 0: 0.0"),
        ("2024-01-15,10.1,10.9,-9.8,10.5,1200", "low must be above 0: -9.8"),
        ("2024-01-15,10.1,10.9,9.8,-10.5,0", "close must be above 0: -10.5"),
        ("2024-01-15,10.1,ten,9.8,10.5,1200", "high is not a number: 'ten'"),
        ("2024-01-15,10.1,10.9,9.8,10.5%,1200", "close is not a number: '10.5%'"),
        ("2024-01-15,1.1万,10.9,9.8,10.5,1200", "open is not a number: '1.1万'"),
        ("2024-01-15,1e999,10.9,9.8,10.5,1200", "open is not a number: '1e999'"),
        ("2024-01-15,1e309,10.9,9.8,10.5,1200", "open is not a number: '1e309'"),
        ("2024-01-15,１0.1,10.9,9.8,10.5,1200", "open is not a number: '１0.1'"),
        ("2024-01-15,1_0.1,10.9,9.8,10.5,1200", "open is not a number: '1_0.1'"),
        ("2024-01-15,10.1.2,10.9,9.8,10.5,1200", "open is not a number: '10.1.2'"),
        ("2024-01-15,inf,10.9,9.8,10.5,1200", "open is not a number: 'inf'"),
        ('2024-01-15,"1,01",10.9,9.8,10.5,1200', "open is not a number: '1,01'"),
        ("2024-01-15,10.1,10.9,9.8,10.5,-1", "volume is negative: '-1'"),
        ("2024-01-15,10.1,10.9,9.8,10.5,many", "volume is not a number: 'many'"),
        ("2024-01-15,10.1,10.9,9.8,10.5,1e30", "volume is too large: '1e30'"),
        ("2024-01-15,10.1,10.9,9.8,10.5,9223372036854775808", "volume is too large: '9223372036854775808'"),
        (
            "2024-01-15,10.1,10.9,9.8,10.5,817726526.95",
            "volume is not a number of shares; it may be an amount of money: '817726526.95'",
        ),
        ("2024-01-15,10.1,10.9,9.8,10.5", "'volume' is missing: 5 cells for 6 columns"),
        ("2024-01-15,10.1,10.9,9.8,10.5,1,200", "extra cell after 'volume': 7 cells for 6 columns"),
        ('2024-01-15,"10.1,10.9,9.8,10.5,1200', "invalid CSV: "),
        ('2024-01-15,"10.1"x,10.9,9.8,10.5,1200', "invalid CSV: "),
        ("2024-01-15,10.1,10.9,9.8,10.5,12\x0000", "'volume' contains a NUL byte"),
        ("2024-01-15," + "1" * 200_000 + ",10.9,9.8,10.5,1200", "invalid CSV: "),
        (",10.1,10.9,9.8,10.5,1200", "date is not a date: ''"),
        ("合计,10.1,10.9,9.8,10.5,1200", "date is not a date: '合计'"),
    ],
)
def test_rows_refused(row, message):
    found = refusal(f"{HEADER}\n{row}\n")
    if message == "invalid CSV: ":  # what follows is Python's wording, which changes with its version
        assert found.startswith("f:2: invalid CSV: ") and len(found) > len("f:2: invalid CSV: ")
    else:
        assert found == f"f:2: {message}"


@pytest.mark.process
def test_a_line_that_would_fill_the_memory_is_refused():
    assert refusal(f"{HEADER},x\n" + "1," * 600_000) == "f:2: the line is too long (1200000 characters)"
    assert refusal("1," * 600_000).startswith("f:1: no line contains the column names")
    assert refusal(("1," * 9_000 + "\n") * 200).startswith("f:1: no line contains the column names")


def test_control_characters_of_the_input_never_reach_the_terminal():
    escape = "\x1b[31m"
    for table in (
        f"date,open,high,low,close,volume({escape})\n{BAR}\n",
        f"date,open,high,low,close,volume({escape}),volume\n{BAR},1\n",
        f"code,{HEADER}\n{escape},{BAR}\nB,{BAR}\n",
        f"{HEADER}\n{escape},{ROW}\n",
        f"{HEADER}\n{BAR}{escape}\n",
        f"{escape},b\n",
    ):
        assert "\x1b" not in refusal(table)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "f:1: empty input"),
        (" \n\n", "f:1: empty input"),
        (b"\x1f\x8b\x08\x00abc", "f:1: this is compressed data or a spreadsheet, not CSV text"),
        (BAR, "f:1: no line contains the column names date, open, high, low, close, volume; the first line is "),
        ("<html><body>banned</body></html>", "f:1: no line contains the column names"),
        ('{"date": 1}', "f:1: no line contains the column names"),
        ("date,open,high,low,close\n2024-01-15,1,1,1,1\n", "f:1: no column for volume; available: 'date, open, "),
        ("Date,Open,High,Low,Adj Close,Volume\n", "f:1: no column for close; available: "),
        ("Price,Open,High,Low,Volume\n", "f:1: no column for date; available: "),
        (
            "date,open,high,low,close,volume,volume\n2024-01-15,1,1,1,1,5,6\n",
            "f:2: several columns give volume, with different values",
        ),
        (
            "date,open,high,low,close,成交量(张)\n2024-01-15,1,1,1,1,5\n",
            "f:1: the unit of volume is unknown: '成交量(张)'",
        ),
        (
            "date;open;high;low;close;volume\n2024-01-15;1,264;1,264;1,264;1,264;5\n",
            "f:2: open is ambiguous, decimal comma or thousands separator",
        ),
    ],
)
def test_tables_refused(table, message):
    assert refusal(table).startswith(message)


def em(volume, amount, head="日期,股票代码,开盘,收盘,最高,最低,成交量,成交额,振幅,换手率"):
    return f"{head}\n2024-01-15,600519,10,10,10,10,{volume},{amount},1,1\n"


def volume_of(table, **options):
    lines, said = run(table, **options)
    return int(lines[0].rpartition(",")[2]), [text.removeprefix("f: ") for text in said]


def test_the_unit_of_the_volume():
    lots = "column '成交量' counts lots of 100; converted to shares (if it counts shares, add `--shares`)"
    assert volume_of(em(12, 12000)) == (1200, [lots])
    assert volume_of(em(12, "-")) == (1200, [lots])
    hong_kong = "column '成交量' counts shares, as the amounts show (if it counts lots of 100, add `--lots`)"
    assert volume_of(em(12, 120)) == (12, [hong_kong])
    assert volume_of(em(12, 120), lots=True) == (1200, [])
    assert volume_of(em(12, 12000), lots=False) == (12, [])
    plain = "date,open,high,low,close,volume,amount\n2024-01-15,10,10,10,10,{},{}\n"
    assert volume_of(plain.format(12, 120)) == (12, [])
    doubt = "column 'volume' is read as shares, but the amounts look like lots of 100 (if so, add `--lots`)"
    assert volume_of(plain.format(12, 12000)) == (12, [doubt])
    assert volume_of(f"{HEADER}\n{BAR}\n", lots=True) == (120000, [])
    assert volume_of("日期,开盘,最高,最低,收盘,成交量(万股)\n2024-01-15,10,10,10,10,1.25\n") == (12500, [])


def test_fractions_of_lots_are_shares():
    head = "trade_date,ts_code,open,high,low,close,pct_chg,vol"
    assert volume_of(f"{head}\n20240115,600519.SH,10,10,10,10,1,445128.46\n")[0] == 44512846


def test_one_symbol_of_several():
    table = f"code,{HEADER}\n600519,{BAR}\n000858,{BAR}\n"
    assert refusal(table) == "f:3: 2 symbols in one file: '000858, 600519'"
    assert run(table, symbol="600519") == ([BAR], ["f: skipped 1 row of another symbol (line 3)"])
    assert run(f"code,{HEADER}\n'600519,{BAR}\n")[0] == [BAR]


def test_lines_around_the_table_are_passed_over_and_counted():
    table = f"600519 贵州茅台 日线\n\nd: {HEADER}\n{HEADER}\n{BAR}\n{HEADER}\n# remark\n数据来源:通达信\n\n"
    lines, said = run(table.replace(f"d: {HEADER}\n", ""))
    assert lines == [BAR]
    assert said == [
        "f: skipped 1 line before the header",
        "f: skipped 1 repeated header line (line 5)",
        "f: skipped 2 lines without data (first: line 6)",
    ]


def test_doubts_about_canonical_input_are_told_too():
    table = f"{HEADER}\n2024-01-15,10,10,10,10,5\n2024-01-16,10,10,10,10,0\n2024-01-17,30,30,30,30,5\n"
    lines, said = run(table)
    assert len(lines) == 3
    assert said == [
        "f:4: close changes by +200.0 % on 2024-01-17 (1 such jump): a split, mixed adjustments in the file, or "
        "bad data",
        "f:3: volume is 0 and all prices are equal (1 such bar), perhaps without trading",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_quote_left_open_swallows_no_rows(end):
    rows = [f"{HEADER},note", f'{BAR},"x', "2024-01-16,1,1,1,1,1,y", '2024-01-17,1,1,1,1,1,z"', "2024-01-18,1,1,1,1,1,"]
    assert refusal(end.join(rows)) == "f:2: a quoted cell continues to line 4"


cells = st.sampled_from(["10", "10.5", "", "-", "0", "1e1", "1,000", "9.9"])
volumes = st.sampled_from(["0", "100", "12.0", "--", "1.2万", "3e2"])
stamps = st.sampled_from(["2024-01-15", "20240116", "2024/1/17", "2024-01-18 00:00:00", "2024-01-19"])
rows = st.lists(st.tuples(stamps, cells, cells, cells, cells, volumes, st.sampled_from("AAAB")), max_size=8)


@pytest.mark.process
@given(rows, st.permutations(range(7)), st.sampled_from("\t;|,"), st.sampled_from(["\n", "\r\n", "\r"]))
@examples(300)
def test_no_row_is_lost_in_silence(table, order, delimiter, end):
    names = [*HEADER.split(","), "symbol"]
    lines = [delimiter.join(f'"{row[i]}"' for i in order) for row in (names, *table)]
    told: list[Message] = []
    try:
        bars = normalize_csv(end.join(lines).encode(), "f", symbol="A" if table else None, notify=told.append)
    except BadData as error:
        assert str(error).startswith("f:")
        return
    except Exception as error:  # a symbol that is not there is the only other refusal
        assert type(error).__name__ == "NotFound" and "A" not in {row[6] for row in table}
        return
    dropped = sum(int(str(m.params["count"])) for m in told if m.template in DROPPED)
    assert len(bars.date) + dropped == len(table)
    assert bars.date == sorted(set(bars.date))


@given(
    st.lists(st.dates().map(str), unique=True, max_size=12).map(sorted),
    st.lists(st.floats(min_value=1e-300, max_value=1e300), min_size=48, max_size=48),
    st.integers(0, 2**63 - 1),
)
@settings(deadline=None)
def test_canonical_bars_come_out_as_they_went_in(dates_, prices, volume):
    n = len(dates_)
    bars = Bars(dates_, *(prices[i : i + n] for i in range(0, 48, 12)), [volume] * n)
    text = "".join(bar_lines(bars))
    assert normalize_csv(text.encode(), "f") == bars
    foreign = text.replace("date,open", "Date,Open")
    assert normalize_csv(foreign.encode(), "f") == bars


@given(
    st.binary(max_size=300),
    st.sampled_from([b"", HEADER.encode() + b"\n", "日期,开盘,最高,最低,收盘,成交量\n".encode("gbk")]),
)
@examples(300)
def test_no_bytes_make_it_fall_over(data, head):
    try:
        run(head + data)
    except BadData as error:
        assert str(error).startswith("f:")


@given(st.text(alphabet='0123456789-/.:,;"\n\t\r TZ+eE万亿手', max_size=60))
@examples(500)
def test_no_text_makes_it_fall_over(text):
    for table in (
        f"{HEADER}\n{text}",
        f"{HEADER},x\n{text},1,1,1,1,1,1\n",
        f"{HEADER},x\n2024-01-15,{text},1,1,1,1,1\n",
    ):
        try:
            run(table)
        except BadData as error:
            assert str(error).startswith("f:")
