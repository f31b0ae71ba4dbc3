"""YAML: one reader for every file, with one bound on nesting; what is edited keeps its comments."""

import time

import pytest

from ia.kernel.errors import BadData
from ia.kernel.formats.yaml import MAX_DEPTH, dump_editable, dump_mapping, load_editable, load_yaml

SHAPES = {
    "lists": lambda depth: "[" * depth + "]" * depth,
    "mappings": lambda depth: "{a: " * depth + "}" * depth,
    "block lists": lambda depth: "- " * depth,
    "block mappings": lambda depth: "".join(f"{' ' * at}a:\n" for at in range(depth)),
}


@pytest.mark.parametrize("load", [load_yaml, load_editable])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_one_bound_on_nesting(load, shape):
    assert load(shape(MAX_DEPTH - 1), "x")
    with pytest.raises(BadData, match="too large, or nested too deeply"):
        load(shape(MAX_DEPTH + 1), "x")


@pytest.mark.parametrize("load", [load_yaml, load_editable])
@pytest.mark.parametrize("text", ["[" * 50_000, "[{" * 20_000, "? " * 30 + "x"], ids=["lists", "both", "keys"])
def test_a_hostile_document_is_refused_soon(load, text):
    started = time.process_time()
    with pytest.raises(BadData):
        load(text, "x")
    assert time.process_time() - started < 10


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: *a}", "&a [*a]"])
def test_a_document_that_refers_to_itself_is_refused(text):
    with pytest.raises(BadData):
        load_yaml(text, "x")


def test_a_wide_document_is_not_a_deep_one():
    wide = "".join(f"k{number}: [1]\n" for number in range(4_500))
    assert len(load_yaml(wide, "x")) == 4_500


def test_an_edited_document_keeps_its_comments():
    tree = load_editable("# mine\na: 1  # one\nb: 'x'\n", "x")
    tree["c"] = {"d": 2}
    assert dump_editable(tree) == "# mine\na: 1  # one\nb: x\nc:\n  d: 2\n"
    assert dump_editable({"a": {"b": 1}}) == "a:\n  b: 1\n"


@pytest.mark.parametrize(
    "text",
    ["", " ", "a", "yes", "Null", "off", "600519.SH", "close > sma(close, 20)", "100%", "1e5", "0x1F", "2024-01-02", "a: b", "a #b",
     "#a", "- a", "'", "it's", '"x"', "a\nb", "tab\there", "沪深300", "000300.SH 沪深300", "é", "\x85", "x:", ": x", "&a", "*a", "!t",
     "{a}", "[1]", "~", "=", "<<", "?", "| x", "> x", "%a", "@a", "`a", "(a) & (b)", "_1_0", "a ", "-0.5", ".inf", "12:30:45",
     "a" * 5000],
)  # fmt: skip
def test_a_plain_mapping_is_written_so_that_it_reads_the_same(text: str) -> None:
    tree = {"first": text, "yes": {"inner": text, "600519.SH": 1.5}, "flag": True, "none": None, "n": -3, "empty": {}}
    if text and text.isprintable():
        tree[text[:100]] = "key"
    assert load_yaml(dump_mapping(tree), "x") == tree
