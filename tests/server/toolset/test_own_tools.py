"""The server's own tools pass the preflight that it offers for others' tools."""

from embeddings.encoder.encoder import Encoder
from embeddings.preflight.preflight import preflight
from server.toolset import registry
from server.toolset.tool_matcher import tool_book
from server.toolset.toolset import advertised


def test_plain_language_reaches_every_tool_by_what_tools_list_says(shipped_encoder: Encoder) -> None:
    tools = [advertised(tool).model_dump(mode="json", by_alias=True, exclude_none=True) for tool in registry.TOOLS]
    report = preflight({"tools": tools}, shipped_encoder)
    assert report.labels == len(registry.TOOLS)
    assert [finding for finding in report.findings if finding.severity != "note"] == []


def test_plain_language_reaches_every_tool_by_its_docs_and_examples(shipped_encoder: Encoder) -> None:
    report = preflight(tool_book(registry.TOOLS).to_dict(), shipped_encoder)
    assert report.phrases > 500
    assert [finding for finding in report.findings if finding.severity != "note"] == []
