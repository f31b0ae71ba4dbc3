"""What the parent believes of a worker: only the one shape of an answer, and never longer than it said it would wait."""

import contextlib
import json
import math
import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.kernel.errors import BadData, IaError, Refused, TimedOut
from ia.organs.compute import sandbox, spawn, worker_protocol
from ia.organs.ohlcv.canonical import Bars

BARS = Bars(["2024-01-15", "2024-01-16"], [1.0, 2.0], [1.5, 2.5], [0.5, 1.5], [1.2, 2.2], [10, 20])


@pytest.mark.process
def test_values_come_back_as_plain_data():
    result = sandbox.evaluate_source("df.assign(up=close > 2, when=date)", BARS, trusted=False)
    assert result.type == "frame" and result.dated and result.as_of == "2024-01-16"
    assert result.columns == ["open", "high", "low", "close", "volume", "up", "when"]
    assert result.value[3:] == [[1.2, 2.2], [10, 20], [False, True], ["2024-01-15", "2024-01-16"]]
    assert result.labels == ["2024-01-15", "2024-01-16"] and result.label_name == "date"
    gaps = sandbox.evaluate_source(
        "[close.shift(1).iloc[0], np.inf, pd.NaT, pd.NA, np.int64(3), np.bool_(True), date.iloc[0]]",
        BARS,
        trusted=False,
    )
    assert math.isnan(gaps.value[0])
    assert gaps.value[1:] == [math.inf, None, None, 3, True, "2024-01-15"]


@pytest.mark.process
def test_intraday_bars_keep_their_time():
    bars = BARS._replace(date=["2024-01-15T09:35:00", "2024-01-15T09:40:00"])
    assert sandbox.evaluate_source("close.shift(1)", bars, trusted=False).labels == bars.date


@pytest.mark.process
def test_one_worker_is_one_job_and_no_state_survives():
    assert sandbox.evaluate_source("df['x'] = 1\nlen(df.columns)", BARS, trusted=False).value == 6
    assert sandbox.evaluate_source("len(df.columns)", BARS, trusted=False).value == 5


@pytest.mark.process
def test_time_is_the_jobs_own_and_is_kept():
    start = time.monotonic()
    with pytest.raises(TimedOut):
        sandbox.evaluate_source("while True: pass", BARS, trusted=True, timeout=0.3)
    assert time.monotonic() - start < 40


def test_a_python_that_cannot_start_is_said(monkeypatch):
    monkeypatch.setattr(spawn.sys, "executable", "/nonexistent/python")
    with pytest.raises(IaError) as caught:
        sandbox.evaluate_source("close.sum()", BARS, trusted=True)
    assert "sandbox" in str(caught.value)


def test_a_worker_that_dies_at_once_is_said(monkeypatch):
    monkeypatch.setattr(spawn.sys, "executable", "/bin/false")
    with pytest.raises(IaError, match="did not start"):
        sandbox.evaluate_source("close.sum()", BARS, trusted=True)


def test_prestart_guesses_from_the_words_and_take_finds_it():
    assert not spawn._waiting
    for words in (["compute", "rsi(close, 14)"], ["ohlcv", "x.y"], ["compute", "--help", "df.x"], []):
        sandbox.prestart_worker(words)
        assert not spawn._waiting
    sandbox.prestart_worker(["compute", "ta.rsi(close, 14)"])
    (waiting,) = spawn._waiting
    assert waiting.indicators == ["rsi"]
    assert spawn.take_worker("ta.rsi(close, 14)") is waiting
    spawn.discard_worker(waiting)


def test_a_worker_that_was_started_for_another_source_is_not_used():
    sandbox.prestart_worker(["compute", "close.mean()"])
    (waiting,) = spawn._waiting
    other = spawn.take_worker("ta.rsi(close)")
    assert other is not waiting and other.indicators == ["rsi"]
    with pytest.raises(ChildProcessError):
        os.waitpid(waiting.pid, 0)
    spawn.discard_worker(other)


@pytest.mark.parametrize(
    "source, names",
    [
        ("ta.rsi(close) + ta.sma(close)", ["rsi", "sma"]),
        ("close.mean()", []),
        ("delta.x + meta.y", []),
        ("t = ta\nt.rsi(close)", ["*"]),
        ("ta.__class__", ["__class__"]),
        ("ta.rsi;ta.-x --evil", ["*", "rsi"]),
    ],
)
def test_the_indicators_that_a_source_names(source, names):
    assert spawn.indicators_in(source) == names


@pytest.mark.parametrize(
    "source, needs",
    [("rsi(close, 14) < 30.5", False), ("(close-open)/2.0", False), ("close.mean()", True), ("ta.rsi(close)", True),
     ("x = 1\nx", True), ("[1][0]", True), ("1.5e3 * close", False), ("(close).mean()", True), ("'a'.upper()", True)],
)  # fmt: skip
def test_what_needs_pandas_at_a_glance(source, needs):
    assert spawn.needs_pandas(source) is needs


@pytest.mark.process
def test_the_clock_of_a_worker_stands_in_the_year_2000():
    assert sandbox.probe_layers()["clock"] is True
    asked = (
        "str(pd.Series([chr(110) + 'ow']).astype('datetime64[ns]').iloc[0])", "str(pd.Timestamp('10:30'))",
        "str(pd.offsets.MonthEnd().rollforward('10:30'))", "np.array([chr(110) + 'ow']).astype('M8[D]').tolist()[0]",
        "str(np.datetime64(str(pd.Timestamp('23:59'))))",
        "pd.Series([pd.NaT, pd.NaT]).where(close.reset_index(drop=True) < 0, 't' + chr(111) + 'day').astype(str).iloc[0]",
    )  # fmt: skip
    for source in asked:
        try:
            told = str(sandbox.evaluate_source(source, BARS, trusted=False).value)
        except (Refused, BadData):
            continue
        assert told[:4] in ("2000", "1999"), source
    assert sandbox.evaluate_source("date.iloc[-1] < pd.Timestamp('10:30')", BARS, trusted=False).value is False
    assert (
        sandbox.evaluate_source("(pd.Series(close.index) > (chr(110) + 'ow')).tolist()", BARS, trusted=False).value
        == [True] * 2
    )


def test_a_forged_sentence_is_told_as_plain_words():
    for fields in ({"x": "1"}, {"name": "a", "y": "b"}, {}, {"nam": "a"}):
        for template in worker_protocol.SENTENCES:
            error = {"kind": "raised", "template": template, "fields": fields, "message": "m", "line": 1}
            assert str(sandbox.convert_worker_error(error, frozenset())), template


def test_a_forged_frame_is_no_canonical_csv():
    from ia.organs.compute import render

    columns = ["open", "high", "low", "close", "volume"]
    for label in ("2024-01-15,1,1,1,1,1", "2024-13-15", "x", "", "2024-01-15\n2024-01-16,1,1,1,1,1"):
        found = reply(type="frame", value=[[1.0]] * 4 + [[1]], columns=columns, index=[label], dated=True)
        assert not render.render_all(found).startswith("date,open"), label


def test_a_reply_of_millions_of_values_is_refused_at_once(monkeypatch):
    start = time.process_time()
    with pytest.raises(Refused, match="more than 1000000 elements"):
        sandbox._Worker._parse_reply(None, b'{"value": [' + b"0," * 8_000_000 + b"0]}")
    assert time.process_time() - start < 3


@pytest.mark.process
def test_a_function_is_shown_without_its_place_in_memory():
    for source in ("str(len)", "'%s' % close.mean", "[str(sma)]"):
        assert "0x" not in str(sandbox.evaluate_source(source, BARS, trusted=False).value)


# --- answers ----------------------------------------------------------------------------------------------------------


def reply(**value):
    return sandbox._validate_result({"value": value})


def test_an_answer_has_one_of_the_known_shapes():
    assert reply(type="scalar", value=1.5).value == 1.5
    assert reply(type="series", value=[1, None], index=["a", "b"], dated=True).labels == ["a", "b"]
    assert reply(type="frame", value=[[1], ["x"]], columns=["a", "b"], index=["r"]).columns == ["a", "b"]
    assert reply(type="structure", value={"a": [1, {"b": None}]}).value == {"a": [1, {"b": None}]}


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"type": "code", "value": "1"},
        {"type": "scalar", "value": [1]},
        {"type": "series", "value": [1], "index": []},
        {"type": "series", "value": [[1]], "index": ["a"]},
        {"type": "series", "value": 1, "index": ["a"]},
        {"type": "series", "value": [1], "index": [1]},
        {"type": "frame", "value": [[1]], "columns": [], "index": ["a"]},
        {"type": "frame", "value": [[1, 2]], "columns": ["a"], "index": ["a"]},
        {"type": "frame", "value": [1], "columns": ["a"], "index": ["a"]},
        {"type": "frame", "value": [[1]], "columns": [3], "index": ["a"]},
        {"type": ["scalar"], "value": 1},
    ],
)
def test_any_other_answer_is_refused(value):
    with pytest.raises(Refused):
        sandbox._validate_result({"value": value})


def test_control_characters_do_not_come_through():
    assert reply(type="text", value="a\x1b[31mb\nc\td\x07\u202e").value == "a[31mb\nc\td"
    assert reply(type="structure", value={"\x1b": "\x00"}).value == {"": ""}
    error = sandbox.convert_worker_error({"kind": "raised", "message": "\x1b]0;x\x07boom", "line": 3}, frozenset())
    assert str(error) == "<expression>:3: ]0;xboom"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "value", "index", "columns", "name", "kind", "line", "message", "near", "x"]), inner, max_size=5
    ),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.process
@given(JSON, st.sampled_from(["scalar", "series", "frame", "structure", "text"]))
def test_no_answer_whatever_is_more_than_a_result_or_a_refusal(document, kind):
    for value in (document, {"type": kind, "value": document, "index": document, "columns": document}):
        with contextlib.suppress(Refused):
            assert isinstance(sandbox._validate_result({"value": value}), sandbox.ComputeResult)
    assert isinstance(sandbox.convert_worker_error(document, frozenset()), Refused | BadData | IaError)


class Liar(sandbox._Worker):
    """A worker whose pipe says what a test wants."""

    def __init__(self, data):
        read, write = os.pipe()
        os.write(write, data)
        os.close(write)
        sink_read, self.sink = os.pipe()
        self.process = spawn.Process(0, os.dup(self.sink), read, [])
        os.close(sink_read)
        self.ended, self.buffer = False, bytearray()

    def end(self):
        return 0

    def _limit_cpu(self, timeout):
        return None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x05",
        worker_protocol.frame_block(b"not json"),
        worker_protocol.frame_block(b"[1]"),
        worker_protocol.frame_block(b"[" * 60_000),
        worker_protocol.frame_block(b'{"value": ' + b"9" * 5000 + b"}"),
        (1 << 62).to_bytes(8, "little") + b"x",
        (100).to_bytes(8, "little") + b"short",
        worker_protocol.frame_block(b"\xff\xfe"),
    ],
    ids=range(9),
)
def test_a_lying_pipe_is_no_answer(data):
    liar = Liar(data)
    with pytest.raises(IaError):
        liar.read_layers()
        raise AssertionError("it was believed")


def test_locked_is_believed_only_as_true():
    for said in ("yes", 1, [True], None):
        with pytest.raises(Refused):
            sandbox.admit_code({"locked": said}, trusted=False, isolation="require", notify=print)
    sandbox.admit_code({"locked": True}, trusted=False, isolation="require", notify=print)


@pytest.mark.process
def test_results_larger_than_the_limit_are_refused():
    with pytest.raises(Refused, match="larger than"):
        sandbox.evaluate_source("['x' * 10**6] * 40", BARS, trusted=True)
    assert json.loads(worker_protocol.frame_block(b"{}")[8:]) == {}
