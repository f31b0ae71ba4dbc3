"""The language of expressions: what compiles, what is refused, and that the refusal names its line."""

import ast
import marshal
from types import CodeType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.kernel.errors import BadData, IaError, Refused
from ia.organs.compute.policy import MAX_NODES, MAX_SOURCE, compile_source


def test_one_expression_is_a_value():
    body, last = marshal.loads(compile_source(" close.mean() \n").code)
    assert body is None and isinstance(last, CodeType)


def test_lines_are_a_body_and_perhaps_a_value():
    body, last = marshal.loads(compile_source("x = 1\nx + 1").code)
    assert isinstance(body, CodeType) and isinstance(last, CodeType)
    body, last = marshal.loads(compile_source("result = 1").code)
    assert isinstance(body, CodeType) and last is None


def test_names_that_are_assigned_are_known():
    program = compile_source("a = 1\nfor b in [a]:\n    c = b\ndef d(e):\n    return e\nd(c)")
    assert program.assigned == {"a", "b", "c", "d"}


STATEMENTS = {
    "import os": "import", "from os import path": "import", "class A: pass": "class", "try:\n    1\nfinally:\n    2": "try",
    "with x: pass": "with", "raise x": "raise", "global x": "global", "del x": "del", "lambda: (yield)": "yield",
    "async def f(): pass": "async", "match x:\n    case 1: pass": "match", "x: int = 1": "annotation",
    "@f\ndef g(): pass": "@decorator", "def f():\n    x = 1\n    def g():\n        nonlocal x": "nonlocal",
}  # fmt: skip


@pytest.mark.parametrize("source", STATEMENTS)
def test_statements_that_research_does_not_need_are_refused_by_name(source):
    with pytest.raises(Refused, match=f"`{STATEMENTS[source]}` is not allowed in expressions"):
        compile_source(source)


UNDERSCORES = [
    "x.__class__", "x._private", "_x", "_x = 1", "f(_x=1)", "lambda _x: 1", "lambda *_x: 1", "lambda **_x: 1",
    "lambda _x, /: 1", "lambda *, _x: 1", "def _f(): pass", "def f(_x): pass", "[1 for _x in y]", "(_x := 1)",
    "for _x in y: pass", "_x, y = 1, 2", "[*_x] = y", "_x += 1", "x[_y]", "f'{_x}'", "f'{x:{_y}}'", "x.y._z",
    "{**_x}", "def __init__(x): pass", "print(_print)",
]  # fmt: skip


@pytest.mark.parametrize("source", UNDERSCORES)
def test_no_name_begins_with_an_underscore(source):
    with pytest.raises(Refused, match="underscore"):
        compile_source(source)


@pytest.mark.parametrize("source", ["a.b = 1", "del a.b", "a.b += 1", "for a.b in c: pass", "[a.b, c] = d"])
def test_attributes_are_not_written(source):
    with pytest.raises(Refused):
        compile_source(source)


@pytest.mark.parametrize("source", ["eval('1')", "exec('1')", "compile('1', '', 'eval')", "globals()", "vars(x)"])
def test_text_does_not_become_code(source):
    with pytest.raises(Refused):
        compile_source(source)


@pytest.mark.parametrize(
    "source",
    ["pd.Timestamp('now')", "pd.to_datetime([' Today '])", "date > 'now'", "pd.date_range(end='now', periods=2)"],
)
def test_the_machines_clock_is_not_seen(source):
    with pytest.raises(Refused, match="clock"):
        compile_source(source)


def test_a_key_may_be_called_now():
    assert compile_source("{'now': latest(close), 'today': 1}") is not None


def test_a_name_of_ones_own_may_be_called_anything():
    assert compile_source("input = close.shift(1)\ninput.mean()") is not None
    assert compile_source("(lambda vars: vars + 1)(2)") is not None


@pytest.mark.parametrize(
    "source, line",
    [("(", 1), ("x = 1\ny = = 2", 2), ("x = 1\n  y = 2", 2), ("return 1", 1), ("'a\\x'", 1), ("x = 1\nbreak", 2)],
)
def test_what_is_no_python_is_bad_data_with_its_line(source, line):
    with pytest.raises(BadData) as caught:
        compile_source(source, "signal.py")
    assert str(caught.value).startswith(f"signal.py:{line}: ")


@pytest.mark.parametrize(
    "source",
    [
        "1" * 14,
        "x + 10000000000001",
        "'" + "a" * MAX_SOURCE + "'",
        " + ".join(["1"] * MAX_NODES),
        "(" * 500 + "1" + ")" * 500,
        "-" * 5000 + "1",
        "x" + ".a" * 3000,
        "x" + "[0]" * 900,
        "lambda: " * 900 + "1",
        "not " * 3000 + "1",
    ],
    ids=lambda s: s[:12],
)
def test_what_is_too_large_or_too_deep_is_no_crash(source):
    with pytest.raises((Refused, BadData)):
        compile_source(source)


def test_warnings_of_the_compiler_do_not_reach_the_terminal(recwarn):
    compile_source("1 is 1")
    compile_source("'\\d'")
    assert not recwarn.list


def test_a_generator_becomes_a_list():
    _, last = marshal.loads(compile_source("sum(x for x in close)").code)
    assert not any(isinstance(c, CodeType) and c.co_name == "<genexpr>" for c in last.co_consts)


@given(st.text(max_size=200))
def test_any_text_compiles_or_is_an_error_of_ours(text):
    try:
        compile_source(text)
    except IaError as e:
        assert e.status in (65, 77)


WORDS = st.sampled_from(
    ["close", "_x", "__class__", "(", ")", "[", "]", ".", ",", ":", "=", "+=", "lambda", "for", "in", "def", "f", "\n", "\n    ",
     "import", "yield", "await", "*", "**", "1", "'a'", "f'{", "}'", "if", "else", "while", ":=", "@", "class", "not", "->"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_whatever_compiles_reads_attributes_through_the_guards_only(text):
    try:
        program = compile_source(text)
    except IaError:
        return
    waiting = [code for code in marshal.loads(program.code) if code is not None]
    while waiting:
        code = waiting.pop()
        waiting += [c for c in code.co_consts if isinstance(c, CodeType)]
        assert not _attributes(code), ast.dump(ast.parse(text))
        assert all(not name.startswith("__") for name in (*code.co_names, *code.co_varnames))


def _attributes(code):
    """Names that the bytecode reads as attributes or items by itself."""
    import dis

    direct = (
        "LOAD_ATTR",
        "LOAD_METHOD",
        "IMPORT_NAME",
        "BINARY_SUBSCR",
        "LOAD_BUILD_CLASS",
        "YIELD_VALUE",
        "IMPORT_FROM",
    )
    return [i.argval for i in dis.get_instructions(code) if i.opname in direct]
