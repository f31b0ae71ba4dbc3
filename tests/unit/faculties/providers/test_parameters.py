"""Parameters of providers: which schemas are taken, and what their checks say."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.agent.tools.schema import validate_arguments
from ia.faculties.providers import parameters
from ia.faculties.providers.manifest import parse_manifest
from ia.kernel.errors import BadData, IaError
from support.random_tests import examples

words = st.sampled_from(
    ["name", "type", "object", "string", "properties", "required", "enum", "items", "anyOf", "$ref", "#/$defs/a", "$defs",
     "a", "a?", "pattern", "(", "minimum", "additionalProperties", "tools", "command", "mcp", "env", "config", "echo",
     "parameters", "argv", "timeout", "risk", "test", "read", "uniqueItems", "multipleOf", "format", "const", "not"]
)  # fmt: skip
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
schemas = st.recursive(
    st.fixed_dictionaries({}, optional={
        "type": st.sampled_from(parameters.TYPES), "enum": st.lists(values, min_size=1, max_size=3), "const": values,
        "minimum": st.integers() | st.floats(), "multipleOf": st.integers() | st.floats(), "pattern": st.text(max_size=6),
        "minLength": st.integers(), "uniqueItems": values, "format": values, "required": st.lists(words, max_size=2),
        "$ref": st.just("#/$defs/a"), "$defs": values, "default": values,
    }),
    lambda inner: st.fixed_dictionaries({"type": st.just("object")}, optional={
        "properties": st.dictionaries(words, inner, max_size=3), "items": inner, "anyOf": st.lists(inner, max_size=2),
        "additionalProperties": inner | st.booleans(), "$defs": st.dictionaries(words, inner, max_size=2), "not": inner,
    }),
    max_leaves=6,
)  # fmt: skip


class TestParameters:
    def test_in_short(self):
        schema = parameters.build_schema(
            {"symbol": "string", "period?": "daily or weekly", "n?": {"type": "integer"}}, "p"
        )
        assert schema["required"] == ["symbol"]
        assert schema["properties"]["period"] == {"type": "string", "description": "daily or weekly"}
        validate_arguments("t", schema, {"symbol": "600519", "n": 3})
        with pytest.raises(BadData, match="symbol"):
            validate_arguments("t", schema, {"n": 3})
        with pytest.raises(BadData, match="other"):
            validate_arguments("t", schema, {"symbol": "a", "other": 3})

    def test_none_is_an_object_of_anything(self):
        validate_arguments("t", parameters.build_schema(None, "p"), {"a": [1, {"b": None}]})

    @pytest.mark.parametrize(
        "schema",
        [
            {"type": "object", "properties": {"a": {"type": "strin"}}},
            {"type": "object", "properties": {"a": {"type": []}}},
            {"type": "object", "properties": {"a": True}},
            {"type": "object", "properties": {"a": {"$ref": "https://example.com/schema"}}},
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/nowhere"}}},
            {"type": "object", "properties": {"a": {"pattern": "("}}},
            {"type": "object", "properties": {"a": {"minimum": "1"}}},
            {"type": "object", "properties": {"a": {"enum": []}}},
            {"type": "object", "properties": {"a": {"anyOf": {}}}},
            {"type": "object", "required": "a"},
            {"type": "array", "properties": {}},
        ],
        ids=str,
    )
    def test_a_schema_that_a_validator_would_stumble_over_is_refused(self, schema):
        with pytest.raises(BadData, match="must be"):
            parameters.build_schema(schema, "p")

    def test_one_that_refers_to_itself_can_be_checked(self):
        tree = {"type": "object", "properties": {"below": {"$ref": "#/$defs/tree"}}}
        schema = parameters.build_schema({**tree, "$defs": {"tree": tree}}, "p")
        validate_arguments("t", schema, {"below": {"below": {}}})
        with pytest.raises(BadData):
            validate_arguments("t", schema, {"below": {"below": 1}})

    def test_what_it_says_in_words_is_folded_and_cut(self):
        schema = parameters.build_schema({"a": "x\u202e\u200b" + "y" * 1000}, "p")
        assert schema["properties"]["a"]["description"] == "x" + "y" * 298 + "…"


class TestWhateverIsWritten:
    @pytest.mark.process
    @examples(300, derandomize=True)
    @given(st.dictionaries(words, values, max_size=6))
    def test_a_manifest_is_read_or_refused(self, tree):
        with contextlib.suppress(IaError):
            manifest = parse_manifest(tree, "echo", "PROVIDER.md")
            assert manifest.name == "echo"
            assert manifest.command

    @pytest.mark.process
    @examples(300, derandomize=True)
    @given(schemas | values, values)
    def test_a_schema_that_is_taken_can_be_checked_with(self, written, arguments):
        try:
            schema = parameters.build_schema(written, "p")
        except BadData:
            return
        with contextlib.suppress(BadData, RecursionError):
            validate_arguments("t", schema, arguments)
