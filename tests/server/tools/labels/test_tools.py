"""The two tools of a server of a catalog file, through a client in memory."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from rs_bpe import openai

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.match_result import Note
from server.matching.label_service import LabelService, LiveService
from server.protocol.server import build_server
from server.tools.answers import NOTE_HINTS
from server.tools.label_tools import about, label_tools
from server.toolset.permissions import Allowlist
from server.toolset.start import Start
from tests.server.calls import MODERN, text_of
from tests.server.label_catalog import CATALOG, METADATA, TOOLS, label_service

CL100K = openai.cl100k_base()
NAMES = ["match_capability", "explain_match"]

pytestmark = pytest.mark.anyio


@pytest.fixture
def served(tmp_path: Path) -> LabelService:
    return label_service(tmp_path, CATALOG)


@pytest.fixture
def tools_served(tmp_path: Path) -> LabelService:
    return label_service(tmp_path, TOOLS)


async def answered(service: LabelService, tool: str, **arguments: Any) -> dict[str, Any]:
    async with Client(build_server(service), mode=MODERN) as client:
        result = await client.call_tool(tool, arguments)
        (listed,) = [known for known in (await client.list_tools()).tools if known.name == tool]
    assert not result.is_error, text_of(result)
    content: dict[str, Any] = result.structured_content or {}
    jsonschema.validate(content, listed.output_schema or {})
    return content


async def refused(service: LabelService, tool: str, **arguments: Any) -> str:
    async with Client(build_server(service), mode=MODERN) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text_of(result)


async def test_the_two_tools_are_listed_at_the_start_and_say_what_is_in_the_catalog(served: LabelService) -> None:
    async with Client(build_server(served), mode=MODERN) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == NAMES
    for tool in listed:
        assert "3 labels (Checkpoints, MCP Support, Vision)" in (tool.description or "")
        assert "agent" not in (tool.description or "")


async def test_the_server_introduces_itself_as_a_matcher_of_a_catalog(served: LabelService) -> None:
    async with Client(build_server(served), mode=MODERN) as client:
        assert client.server_info is not None
        assert client.server_info.title == "Catalog matcher"
        assert "claude-code" not in (client.instructions or "")


async def test_there_are_no_resources(served: LabelService) -> None:
    async with Client(build_server(served), mode=MODERN) as client:
        assert client.server_capabilities.resources is None
        with pytest.raises(MCPError):
            await client.list_resources()


async def test_the_agents_tools_are_not_there(served: LabelService) -> None:
    async with Client(build_server(served), mode=MODERN) as client:
        with pytest.raises(MCPError, match=r"unknown tool 'lookup_capability'; known: match_capability, explain_match"):
            await client.call_tool("lookup_capability", {"agent": "claude-code", "capability": "Checkpoints"})


async def test_a_match_carries_the_labels_id_and_metadata(served: LabelService) -> None:
    answer = await answered(served, "match_capability", phrase="rewind")
    assert answer == {
        "decision": "resolved",
        "query": "rewind",
        "noneConfidence": 0.0,
        "matches": [
            {
                "name": "Checkpoints",
                "id": "id-0",
                "matchConfidence": 1.0,
                "matchedBy": "alias",
                "metadata": METADATA,
            }
        ],
    }


async def test_absent_ids_and_metadata_are_absent(tmp_path: Path) -> None:
    service = label_service(tmp_path, {"labels": [{"name": "A"}, {"name": "B"}]})
    (match,) = (await answered(service, "match_capability", phrase="a"))["matches"]
    assert set(match) == {"name", "matchConfidence", "matchedBy"}


async def test_a_name_that_two_tools_share_is_ambiguous_and_the_ids_tell_them_apart(tools_served: LabelService) -> None:
    answer = await answered(tools_served, "match_capability", phrase="undo it", top=2)
    assert answer["decision"] == "ambiguous"
    assert {(match["name"], match["id"]) for match in answer["matches"]} == {
        ("undo_it", "undo_it"),
        ("undo-it", "undo-it"),
    }
    answer = await answered(tools_served, "match_capability", phrase="undo-it")
    assert (answer["decision"], answer["matches"][0]["id"]) == ("resolved", "undo-it")


async def test_no_match_is_an_answer(served: LabelService) -> None:
    answer = await answered(served, "match_capability", phrase="how much does it cost")
    assert answer["decision"] == "no_match"
    assert "No label of this catalog" in answer["hint"]
    assert answer["noneConfidence"] > 0.5


@pytest.mark.parametrize(
    ("phrase", "note"),
    [
        ("I do not want to restore my files, can it see a picture?", "negated"),
        ("can I undo it, and can it see a picture?", "several_needs"),
    ],
)
async def test_what_a_match_cannot_see_is_noted_and_the_hint_says_what_to_do(
    served: LabelService, phrase: str, note: Note
) -> None:
    for tool in NAMES:
        assert (await answered(served, tool, phrase=phrase))["notes"] == [note]
    assert NOTE_HINTS[note] in (await answered(served, "match_capability", phrase=phrase))["hint"]


async def test_an_explanation_tells_labels_of_one_name_apart(tools_served: LabelService) -> None:
    answer = await answered(tools_served, "explain_match", phrase="undo it", capability="undo-it")
    assert answer["askedAbout"]["id"] == "undo-it"
    assert [(case["id"], case["matchConfidence"]) for case in answer["candidates"][:2]] in (
        [("undo_it", 0.5), ("undo-it", 0.5)],
        [("undo-it", 0.5), ("undo_it", 0.5)],
    )
    assert "id" not in answer["nothingFits"]


async def test_an_explanation_of_another_label_is_asked_for_by_its_name_or_id(served: LabelService) -> None:
    for name in ["vision", "id-2", " Vision "]:
        answer = await answered(served, "explain_match", phrase="undo it", capability=name)
        assert answer["askedAbout"]["name"] == "Vision", name


async def test_a_label_that_was_expected_is_understood_in_any_wording(served: LabelService) -> None:
    answer = await answered(served, "explain_match", phrase="undo it", capability="can it see a picture please")
    assert (answer["askedAbout"]["name"], answer["askedAbout"]["match"]["matchedBy"]) == ("Vision", "embedding")
    assert "Vision, the expected reading, is only number" in answer["why"].replace(" [id-2]", "")


async def test_a_name_that_several_labels_share_is_the_callers_mistake(tools_served: LabelService) -> None:
    told = await refused(tools_served, "explain_match", phrase="x", capability="undo it")
    assert "'undo it' is the name of several labels; their ids are" in told


async def test_an_explanation_names_labels_with_their_ids(served: LabelService) -> None:
    answer = await answered(served, "explain_match", phrase="rewind")
    assert answer["why"] == "The phrase is an alias of Checkpoints [id-0], which alone decides."


async def test_a_name_is_followed_by_others_where_their_number_is_given(served: LabelService) -> None:
    answer = await answered(served, "match_capability", phrase="rewind", top=3)
    assert [match["matchConfidence"] == 1 for match in answer["matches"]] == [True, False, False]


async def test_a_blank_phrase_is_the_callers_mistake(served: LabelService) -> None:
    assert "blank" in await refused(served, "match_capability", phrase=" ")


async def test_answers_hide_nothing(tmp_path: Path) -> None:
    service = label_service(tmp_path, {"labels": [{"name": "un\u202edo", "id": "1\u200b"}, {"name": "look"}]})
    answer = await answered(service, "explain_match", phrase="undo")
    assert "\u202e" not in str(answer)
    (match,) = (await answered(service, "match_capability", phrase="un\u202edo"))["matches"]
    assert (match["name"], match["id"]) == ("undo", "1\\u200b")


async def test_a_caller_without_a_rule_may_use_both_tools(served: LabelService) -> None:
    cases: list[tuple[dict[str, frozenset[str]], list[str]]] = [
        ({"else": frozenset({"core"})}, NAMES),
        ({"*": frozenset({"core"})}, []),
        ({"*": frozenset({"match"})}, NAMES),
    ]
    for rules, names in cases:
        start = Start(allowlist=Allowlist(rules))
        async with Client(build_server(served, start=start), mode=MODERN) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == names, (rules, names)


async def test_after_a_reload_the_tools_say_what_is_in_the_new_catalog(served: LabelService, tmp_path: Path) -> None:
    live = LiveService(served)
    async with Client(build_server(live), mode=MODERN) as client:
        await client.list_tools()
        live.current = label_service(tmp_path, {"labels": [{"name": "Only"}]})
        descriptions = [tool.description or "" for tool in (await client.list_tools()).tools]
    assert ["1 label (Only)" in text for text in descriptions] == [True, True]


async def test_a_catalog_is_described_by_its_first_names() -> None:
    for names, said in [
        (["a"], "1 label (a)"),
        (["a", "b"], "2 labels (a, b)"),
        (["a", "b", "c", "d"], "4 labels (a, b, c, ...)"),
        (["a" * 30, "b" * 30, "c"], f"3 labels ({'a' * 30}, ...)"),
        (["a" * 100], "1 label"),
        (["a\nb"], "1 label (a b)"),
    ]:
        assert about(PhraseBook(tuple(map(Label, names)))) == said, (names, said)


async def test_descriptions_are_short_whatever_the_names() -> None:
    for names in [["capability " + str(n) for n in range(9_999)], [f"能力 {n}" for n in range(99)]]:
        for tool in label_tools(PhraseBook(tuple(map(Label, names)))):
            assert CL100K.count(tool.description) <= 50
