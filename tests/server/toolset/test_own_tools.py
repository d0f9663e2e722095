"""The server's own tools pass the preflight that it offers for others' tools."""

import pytest

from embeddings.preflight.preflight import preflight
from server.toolset import registry
from server.toolset.tool_matcher import tool_book
from server.toolset.toolset import advertised
from tests.remembering import Remembering

pytestmark = pytest.mark.measures


def test_plain_language_reaches_every_tool_by_what_tools_list_says(remembering: Remembering) -> None:
    tools = [advertised(tool).model_dump(mode="json", by_alias=True, exclude_none=True) for tool in registry.TOOLS]
    report = preflight({"tools": tools}, remembering)
    assert report.labels == len(registry.TOOLS)
    assert [finding for finding in report.findings if finding.severity != "note"] == []


def test_plain_language_reaches_every_tool_by_its_docs_and_examples(remembering: Remembering) -> None:
    report = preflight(tool_book(registry.TOOLS).to_dict(), remembering)
    assert report.phrases > 500
    assert [finding for finding in report.findings if finding.severity != "note"] == []
