"""Invariants of every tool; a new one is held to it without a new test."""

import jsonschema
import pytest
from rs_bpe import openai

from server.tools.families import FAMILIES
from server.toolset.registry import TOOLS
from server.toolset.toolset import advertised

MAX_TOKENS = 50
CL100K = openai.cl100k_base()

each_tool = pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])


def test_names_and_titles_are_unique() -> None:
    assert len({tool.name for tool in TOOLS}) == len({tool.title for tool in TOOLS}) == len(TOOLS)


def test_the_tokenizer_counts_as_cl100k_does() -> None:
    assert CL100K.encode("hello world") == [15339, 1917]


def test_the_name_is_a_plain_identifier() -> None:
    for tool in TOOLS:
        assert tool.name.replace("_", "").isalpha(), tool
        assert tool.name == tool.name.lower(), tool


def test_the_description_is_short() -> None:
    for tool in TOOLS:
        assert CL100K.count(tool.description) <= MAX_TOKENS, tool


def test_the_docs_explain_more_than_the_description() -> None:
    for tool in TOOLS:
        assert len(tool.docs) > len(tool.description), tool
        assert tool.docs.endswith("."), tool


def test_it_belongs_to_a_known_family() -> None:
    for tool in TOOLS:
        assert tool.family in FAMILIES, tool


def test_hosts_are_told_that_it_only_reads_unless_it_loads() -> None:
    for tool in TOOLS:
        hints = advertised(tool).annotations
        assert hints is not None, tool
        assert hints.model_dump(by_alias=True) == {
            "title": tool.title,
            "readOnlyHint": tool.name not in ("load_family", "smart_load", "call_tool"),
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }, tool


def test_both_schemas_are_valid_json_schema(subtests: pytest.Subtests) -> None:
    for tool in TOOLS:
        with subtests.test(tool=tool):
            jsonschema.Draft202012Validator.check_schema(advertised(tool).input_schema)
            jsonschema.Draft202012Validator.check_schema(advertised(tool).output_schema or False)


def test_no_schema_allows_a_null() -> None:
    for tool in TOOLS:
        assert "null" not in str(advertised(tool).input_schema), tool
        assert "'null'" not in str(advertised(tool).output_schema), tool


def test_every_argument_is_described() -> None:
    for tool in TOOLS:
        properties = advertised(tool, full_wire=True).input_schema.get("properties", {})
        assert [name for name, schema in properties.items() if not schema.get("description")] == [], tool
