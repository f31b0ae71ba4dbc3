"""The reader and the writer of canonical OHLCV: what is accepted, what is refused, and in which words."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ia.kernel.errors import BadData, Message
from ia.organs.ohlcv import canonical
from ia.organs.ohlcv.canonical import HEADER, Bars, bar_lines, format_price, is_date, read_bars, write_bars
from support.random_tests import examples

GOOD = b"date,open,high,low,close,volume\n2024-01-15,185.32,187.5,184.1,186.9,12345678\n"


def read(data: bytes | str, **options):
    return read_bars(io.BytesIO(data.encode() if isinstance(data, str) else data), "f.csv", **options)


def refusal(data: bytes | str, **options) -> str:
    with pytest.raises(BadData) as caught:
        read(data, **options)
    return str(caught.value)


def test_the_example_of_the_contract():
    bars = read(GOOD)
    assert bars == Bars(["2024-01-15"], [185.32], [187.5], [184.1], [186.9], [12345678])
    assert "".join(bar_lines(bars)).encode() == GOOD


def test_intraday_dates():
    rows = "2024-01-15T09:30:00,1,1,1,1,0\n2024-01-15T09:31:00,1,1,1,1,5\n"
    assert read(f"{HEADER}\n{rows}").date == ["2024-01-15T09:30:00", "2024-01-15T09:31:00"]


def test_header_without_rows_is_no_bars():
    assert read(HEADER + "\n") == read(HEADER) == Bars([], [], [], [], [], [])
    assert "".join(bar_lines(read(HEADER))) == HEADER + "\n"


def test_byte_order_mark_and_crlf_carry_no_data():
    assert read(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n")) == read(GOOD) == read(GOOD.rstrip(b"\n"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "f.csv:1: empty input"),
        ("\n", "f.csv:1: missing column date"),
        ("date,open,high,low,close\n", "f.csv:1: missing column volume"),
        ("date,open,high,low,close,volume,amount\n", "f.csv:1: extra column 'amount'"),
        ("date,open,high,low,close,volume,volume\n", "f.csv:1: extra column 'volume'"),
        ("date,open,close,high,low,volume\n", f"f.csv:1: the columns must be in the order {HEADER}"),
        ("Date,open,high,low,close,volume\n", "f.csv:1: missing column date"),
    ],
)
def test_headers_refused(data, message):
    assert refusal(data) == message


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("2024-01-16,1,1,1,1", "volume is missing"),
        ("", "date is missing"),
        ("2024-01-16,1,1,1,1,1,1", "extra column after volume"),
        ("2024-1-16,1,1,1,1,1", "date is not a date in the form YYYY-MM-DD: '2024-1-16'"),
        ("2024-02-30,1,1,1,1,1", "date is not a date in the form YYYY-MM-DD: '2024-02-30'"),
        ("2025-02-29,1,1,1,1,1", "date is not a date in the form YYYY-MM-DD: '2025-02-29'"),
        ("2024-04-31,1,1,1,1,1", "date is not a date in the form YYYY-MM-DD: '2024-04-31'"),
        ("２０２４-01-16,1,1,1,1,1", "date is not a date in the form YYYY-MM-DD: '２０２４-01-16'"),
        ("2024-01-16T09:30:00,1,1,1,1,1", "date mixes dates and times of day: '2024-01-16T09:30:00'"),
        ("2024-01-16T24:00:00,1,1,1,1,1", "date is not a date in the form YYYY-MM-DD: '2024-01-16T24:00:00'"),
        ("2024-01-15,1,1,1,1,1", "duplicate date: '2024-01-15'"),
        ("2024-01-12,1,1,1,1,1", "date is earlier than in the line above: '2024-01-12'"),
        ("2024-01-16,nan,1,1,1,1", "open is not a number: 'nan'"),
        ("2024-01-16,1,inf,1,1,1", "high is not a number: 'inf'"),
        ("2024-01-16,1,1,1e5,1,1", "low is not a number: '1e5'"),
        ("2024-01-16,1,1,1,1_000,1", "close is not a number: '1_000'"),
        ("2024-01-16,1, 1,1,1,1", "high is not a number: ' 1'"),
        ("2024-01-16,1,１,1,1,1", "high is not a number: '１'"),
        ("2024-01-16,1,,1,1,1", "high is not a number: ''"),
        ("2024-01-16,1,+1,1,1,1", "high is not a number: '+1'"),
        ("2024-01-16,.5,1,1,1,1", "open is not a number: '.5'"),
        ("2024-01-16,5.,1,1,1,1", "open is not a number: '5.'"),
        ("2024-01-16,0,1,1,1,1", "open must be above 0: '0'"),
        ("2024-01-16,1,1,-0.56,1,1", "low must be above 0: '-0.56'"),
        ("2024-01-16,1,1,1,1,-1", "volume is negative: '-1'"),
        ("2024-01-16,1,1,1,1,1.5", "volume is not an integer: '1.5'"),
        ("2024-01-16,1,1,1,1,9223372036854775808", "volume is too large: '9223372036854775808'"),
        ("2024-01-16,1,1,1,1,\x001", "volume is not an integer: '\\x001'"),
        ("2024-01-16,1,1,1,1,1\r", None),
        ("2024-01-16,1,1,1,1\r,1", "close is not a number: '1\\r'"),
    ],
)
def test_rows_refused(row, message):
    data = GOOD + row.encode() + b"\n"
    if message is None:
        assert len(read(data).date) == 2
    else:
        assert refusal(data) == f"f.csv:3: {message}"


def test_huge_and_broken_fields_are_named_shortly():
    assert refusal(GOOD + b"2024-01-16,1,1,1,1," + b"9" * 10**6).startswith("f.csv:3: volume is too large: '999")
    assert refusal(GOOD + b"2024-01-16," + b"9" * 10**6 + b",1,1,1,1\n").startswith(
        "f.csv:3: open is not a number: '999"
    )
    assert len(refusal(GOOD + b"x" * 10**6)) < 100
    assert refusal(GOOD + b"2024-01-16,1,1,\xb5,1,1\n") == "f.csv:3: not valid UTF-8 (byte 0xb5)"


def test_largest_volume():
    assert read(GOOD + b"2024-01-16,1,1,1,1,9223372036854775807\n").volume[1] == canonical.MAX_VOLUME


def test_low_and_high_are_checked_and_counted():
    rows = "2024-01-15,10,11,10.5,10.6,1\n2024-01-16,10,11,9,10,1\n2024-01-17,10,10,9,10.01,1\n"
    told: list[Message] = []
    assert len(read(f"{HEADER}\n{rows}", notify=told.append).date) == 3
    assert list(map(str, told)) == ["f.csv:2: low is between open and close (2 rows)"]
    assert refusal(f"{HEADER}\n{rows}", strict=True) == "f.csv:2: low is between open and close"


@pytest.mark.parametrize(
    ("price", "text"),
    [
        (1e-05, "0.00001"),
        (1.5e-07, "0.00000015"),
        (1e22, "10000000000000000000000.0"),
        (1.25e16, "12500000000000000.0"),
        (186.90, "186.9"),
        (100.0, "100.0"),
        (-1e-05, "-0.00001"),
        (5e-324, "0." + "0" * 323 + "5"),
    ],
)
def test_prices_have_no_exponent(price, text):
    assert format_price(price) == text
    assert float(text) == price


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_no_price_is_written_that_is_no_number(value):
    with pytest.raises(BadData, match="is not a price"):
        format_price(value)
    with pytest.raises(BadData, match="is not a price"):
        list(bar_lines(Bars(["2024-01-15"], [1.0], [1.0], [value], [1.0], [1])))


def test_a_date_is_one_of_the_calendar():
    assert is_date("2000-02-29") and is_date("9999-12-31")
    assert not any(map(is_date, ["1900-02-29", "0000-01-01", "2024-13-01", "2024-01-32", "2024-01-15 09:30:00"]))


prices = st.floats(min_value=5e-324, allow_infinity=False, allow_nan=False, exclude_min=False)
volumes = st.integers(min_value=0, max_value=canonical.MAX_VOLUME)


@st.composite
def any_bars(draw):
    days = draw(st.lists(st.dates().map(str), unique=True, max_size=30).map(sorted))
    clock = draw(st.sampled_from(["", "T09:30:00"]))
    columns = [[draw(prices) for _ in days] for _ in range(4)]
    return Bars([day + clock for day in days], *columns, [draw(volumes) for _ in days])


@given(any_bars())
@settings(deadline=None)
def test_what_is_written_reads_back_the_same(bars):
    pieces: list[str] = []
    write_bars(bars, pieces.append)
    assert read("".join(pieces)) == bars


@given(
    st.lists(
        st.sampled_from([*"0123456789-.,T:\n\re ", "2024-01-15", "2024-02-30", ",1.5,2,1,1.5,7\n"]), max_size=24
    ).map("".join)
)
@examples(400)
def test_the_quick_reader_and_the_reference_agree(body):
    quick = canonical._read_fast(body)
    try:
        reference = canonical._read_slow(body, "f.csv")
    except BadData as error:
        assert quick is None
        assert str(error).startswith("f.csv:")
    else:
        assert quick is None or quick == reference


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_no_bytes_make_it_fall_over(data):
    for candidate in (data, GOOD + data):
        try:
            read(candidate)
        except BadData as error:
            assert str(error).startswith("f.csv:")
