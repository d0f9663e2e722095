"""What holds for every tool; a new one is held to it without a new test."""

import jsonschema
import pytest
from rs_bpe import openai

from server.tools.definition import Tool
from server.tools.families import FAMILIES
from server.toolset.registry import TOOLS
from server.toolset.toolset import advertised

MOST_TOKENS = 50
CL100K = openai.cl100k_base()

each_tool = pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])


def test_names_and_titles_are_unique() -> None:
    assert len({tool.name for tool in TOOLS}) == len({tool.title for tool in TOOLS}) == len(TOOLS)


def test_the_tokenizer_counts_as_cl100k_does() -> None:
    assert CL100K.encode("hello world") == [15339, 1917]


@each_tool
def test_the_name_is_a_plain_identifier(tool: Tool) -> None:
    assert tool.name.replace("_", "").isalpha()
    assert tool.name == tool.name.lower()


@each_tool
def test_the_description_is_short(tool: Tool) -> None:
    assert CL100K.count(tool.description) <= MOST_TOKENS


@each_tool
def test_the_docs_explain_more_than_the_description(tool: Tool) -> None:
    assert len(tool.docs) > len(tool.description)
    assert tool.docs.endswith(".")


@each_tool
def test_it_belongs_to_a_known_family(tool: Tool) -> None:
    assert tool.family in FAMILIES


@each_tool
def test_hosts_are_told_that_it_only_reads_unless_it_loads(tool: Tool) -> None:
    hints = advertised(tool).annotations
    assert hints is not None
    assert hints.model_dump(by_alias=True) == {
        "title": tool.title,
        "readOnlyHint": tool.name not in ("load_family", "smart_load", "call_tool"),
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


@each_tool
def test_both_schemas_are_valid_json_schema(tool: Tool) -> None:
    jsonschema.Draft202012Validator.check_schema(advertised(tool).input_schema)
    jsonschema.Draft202012Validator.check_schema(advertised(tool).output_schema or False)


@each_tool
def test_no_schema_allows_a_null(tool: Tool) -> None:
    assert "null" not in str(advertised(tool).input_schema)
    assert "'null'" not in str(advertised(tool).output_schema)


@each_tool
def test_every_argument_is_described(tool: Tool) -> None:
    properties = advertised(tool, full_wire=True).input_schema.get("properties", {})
    assert [name for name, schema in properties.items() if not schema.get("description")] == []
