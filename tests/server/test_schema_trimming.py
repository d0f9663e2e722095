import json
from copy import deepcopy
from typing import Any

import jsonschema
import pytest

from server.schema import trimmed, wire_schema
from server.toolset.registry import TOOLS
from tests.server.served import CALLS

BY_NAME = {tool.name: tool for tool in TOOLS}
PROSE: dict[str, Any] = {"title": "A Title", "description": "What it is."}
LONG = "x" * 33

each_tool = pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])


def test_title_description_and_schema_of_the_whole_go() -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **PROSE, "type": "object"}
    assert trimmed(schema) == {"type": "object"}


def test_those_of_parameters_go() -> None:
    assert trimmed({"properties": {"agent": {"type": "string", **PROSE}, "top": PROSE}}) == {
        "properties": {"agent": {"type": "string"}, "top": {}}
    }


def test_those_of_a_schema_within_go() -> None:
    for keyword in ["items", "additionalProperties", "not", "contains", "if", "propertyNames"]:
        assert trimmed({keyword: {**PROSE, keyword: {**PROSE, "type": "string"}}}) == {
            keyword: {keyword: {"type": "string"}}
        }, keyword


def test_those_of_a_list_of_schemas_go() -> None:
    for keyword in ["anyOf", "allOf", "oneOf", "prefixItems"]:
        assert trimmed({keyword: [{**PROSE, "type": "string"}, {"items": PROSE}]}) == {
            keyword: [{"type": "string"}, {"items": {}}]
        }, keyword


def test_a_name_that_is_also_a_keyword_stays_and_its_schema_is_trimmed() -> None:
    for keyword in ["properties", "$defs", "definitions", "patternProperties"]:
        for name in ["title", "description", "$schema", "default", "enum", "properties", "required"]:
            schema = {
                keyword: {name: {**PROSE, "type": "object", "properties": {"title": {**PROSE, "type": "string"}}}}
            }
            assert trimmed(schema) == {
                keyword: {name: {"type": "object", "properties": {"title": {"type": "string"}}}}
            }, (keyword, name)


def test_the_schema_of_default_is_not_taken_for_one() -> None:
    assert trimmed({"properties": {"default": {"type": "string", "default": LONG}}}) == {
        "properties": {"default": {"type": "string"}}
    }


def test_a_long_text_as_default_goes() -> None:
    assert trimmed({"type": "string", "default": LONG}) == {"type": "string"}


def test_any_other_default_stays_as_it_is() -> None:
    cases: list[Any] = [LONG[:-1], "", 0, 5, False, True, 1e100, [], [LONG], {"title": "a", "description": LONG}]
    for default in cases:
        assert trimmed({"default": default}) == {"default": default}, default


def test_what_a_call_is_built_from_stays() -> None:
    cases: list[dict[str, Any]] = [
        {"type": ["string", "integer"], "enum": ["title", "description", LONG]},
        {"enum": [{"title": "a"}, {"description": LONG}, {"default": LONG}]},
        {"const": {"title": "a", "description": LONG}},
        {"type": "object", "required": ["title", "description"], "additionalProperties": False},
        {"$ref": "#/$defs/title", "$defs": {"title": {"type": "string", "pattern": "^a", "minLength": 1}}},
        {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}, "maxItems": 3, "uniqueItems": True},
    ]
    for schema in cases:
        assert trimmed(schema) == schema, schema


def test_the_given_schema_is_not_changed() -> None:
    for tool in TOOLS:
        schema = wire_schema(tool.answer, mode="serialization")
        before = deepcopy(schema)
        trimmed(schema)
        assert schema == before, tool


def test_a_trimmed_schema_has_nothing_left_to_trim() -> None:
    for tool in TOOLS:
        once = trimmed(wire_schema(tool.answer, mode="serialization"))
        assert trimmed(once) == once, tool


def test_a_tools_schemas_stay_valid_and_get_smaller(subtests: pytest.Subtests) -> None:
    for tool in TOOLS:
        with subtests.test(tool=tool):
            for whole in (wire_schema(tool.request), wire_schema(tool.answer, mode="serialization")):
                schema = trimmed(whole)
                jsonschema.Draft202012Validator.check_schema(schema)
                assert list(schema.get("properties", {})) == list(whole.get("properties", {}))
                assert list(schema.get("$defs", {})) == list(whole.get("$defs", {}))
                assert schema.get("required") == whole.get("required")
                assert len(json.dumps(schema)) < len(json.dumps(whole))


def test_a_tools_arguments_are_still_checked(subtests: pytest.Subtests) -> None:
    for name in CALLS:
        with subtests.test(name=name):
            schema = trimmed(wire_schema(BY_NAME[name].request))
            jsonschema.validate(CALLS[name], schema)
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(CALLS[name] | {next(iter(CALLS[name])): 5}, schema)
