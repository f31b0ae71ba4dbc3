"""Arguments against schemas: what is taken without jsonschema is what jsonschema takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ia.agent.tools import catalog, schema
from ia.kernel.errors import BadData

TYPES = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", "null"])
KINDS = st.recursive(
    st.one_of(
        st.fixed_dictionaries({"type": st.one_of(TYPES, st.lists(TYPES, min_size=1, max_size=2, unique=True))}),
        st.fixed_dictionaries({"type": st.just("string"), "enum": st.just(["a", "b"])}),
        st.fixed_dictionaries({"type": st.just("string"), "minLength": st.just(1)}),
        st.just({}),
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.fixed_dictionaries({"a": inner, "b": inner})},
            optional={"required": st.just(["a"]), "additionalProperties": st.booleans()},
        ),
    ),
    max_leaves=4,
)
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(0, 3), st.sampled_from([1.0, 1.5]), st.sampled_from(["", "a", "c"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
    ),
    max_leaves=4,
)


@given(KINDS, VALUES)
def test_what_is_taken_without_jsonschema_fits(kind, value):
    if schema._plainly_fits(kind, value):
        assert Draft202012Validator(kind).is_valid(value)


@given(KINDS, VALUES)
def test_jsonschema_has_the_last_word(kind, value):
    try:
        schema.validate_arguments("x.y", kind, value)
    except BadData:
        assert not Draft202012Validator(kind).is_valid(value)
    else:
        assert Draft202012Validator(kind).is_valid(value)


@pytest.mark.parametrize(
    "kind", [{"enum": "abc"}, {"type": 5}, {"properties": ["a"]}, {"$ref": "#"}, {"anyOf": {}}, True]
)
def test_a_schema_that_is_not_known_is_left_to_jsonschema(kind):
    assert not schema._plainly_fits(kind, "a")


def test_the_schemas_of_all_tools_are_known():
    assert all(schema._plainly_fits({**tool.schema, "required": []}, {}) for tool in catalog.builtin_tools())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("risk.check", {"symbol": "600519", "quantity": 0}),
        ("market.ohlcv", {"symbol": "600519", "tail": 0}),
        ("market.history", {"symbol": "600519", "bars": -1}),
        ("market.gainers", {"limit": 0}),
        ("market.screen", {"expr": "pe < 10", "limit": 0}),
    ],
)
def test_a_number_below_its_bound_is_refused(name, arguments):
    told = schema.function_schema({tool.name: tool for tool in catalog.builtin_tools()}[name].run)
    with pytest.raises(BadData, match="minimum"):
        schema.validate_arguments(name, told, arguments)
    schema.validate_arguments(
        name, told, {key: value if isinstance(value, str) else 1 for key, value in arguments.items()}
    )
