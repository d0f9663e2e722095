"""Calls of tools past the protocol, which has tests of its own in `tests/server/protocol`."""

import json
from typing import Any

import pytest
from mcp_types import CallToolResult, TextContent

from embeddings.errors import PhraseError
from server.errors import CallerError
from server.matching.label_service import LabelService, LiveService
from server.tools.answers import Answer, as_text
from server.toolset.registry import CatalogTools
from server.toolset.session import CallerSession
from server.toolset.start import Start, parse_profile

MODES = ("legacy", "auto")
"""The legacy protocol, and 2026-07-28."""
MODERN = "auto"
"""The protocol of tests that do not tell the two apart, which are all but those of `protocol` and one for each tool."""

EVERYTHING = Start(profile=parse_profile("full"), dynamic=True)


def answer(service: LabelService, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    session = CallerSession(CatalogTools(LiveService.of(service), dynamic=True).offer(), EVERYTHING)
    outcome = session.call(tool, arguments)
    assert isinstance(outcome, Answer)
    value: dict[str, Any] = json.loads(as_text(outcome.to_json()))
    return value


def error(service: LabelService, tool: str, arguments: dict[str, Any]) -> str:
    with pytest.raises((CallerError, PhraseError)) as caught:
        answer(service, tool, arguments)
    return str(caught.value)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
