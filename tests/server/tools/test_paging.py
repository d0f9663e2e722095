import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from rs_bpe import openai

from server.errors import CallerError
from server.matching.service import Service
from server.tools.answers import SourceItem
from server.tools.definition import ServiceTool, checked
from server.tools.get_sources import TOOL as SOURCES
from server.tools.list_capabilities import TOOL as LIST
from server.tools.paging import MAX_BYTES, page

CL100K = openai.cl100k_base()
MAX_TOKENS = 8_000
AGENTS = ("claude-code", "copilot-cli", "gemini-cli", "vscode-copilot")


def items(count: int, length: int = 100) -> list[SourceItem]:
    return [SourceItem(capability=f"{number}", url="x" * length) for number in range(count)]


def pages(tool: ServiceTool, service: Service, **arguments: Any) -> list[dict[str, Any]]:
    found = [tool.handler(service, checked(tool, arguments)).to_json()]
    while cursor := found[-1].get("nextCursor"):
        found.append(tool.handler(service, checked(tool, arguments | {"cursor": cursor})).to_json())
    return found


def tokens(answer: dict[str, Any]) -> int:
    return int(CL100K.count(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))))


def test_a_short_list_is_one_page() -> None:
    assert page("t", items(3), None, "q") == (items(3), None)


def test_the_pages_make_up_the_list() -> None:
    whole = items(1_000)
    found, cursor = page("t", whole, None, "q")
    while cursor:
        more, cursor = page("t", whole, cursor, "q")
        assert 0 < len(more) < 1_000
        found += more
    assert found == whole


def test_an_item_that_is_longer_than_a_page_has_its_own() -> None:
    first, cursor = page("t", items(3, MAX_BYTES), None, "q")
    second, _ = page("t", items(3, MAX_BYTES), cursor, "q")
    assert [item.capability for item in first + second] == ["0", "1"]


def test_a_cursor_that_no_page_gave_is_refused(subtests: pytest.Subtests) -> None:
    for cursor in ["x", "0", "é", "=", urlsafe_b64encode(b"deadbeef5").decode(), "a" * 200]:
        with subtests.test(cursor=cursor):
            with pytest.raises(CallerError, match="a cursor is the nextCursor of the page before") as caught:
                page("t", items(1_000), cursor, "q")
            assert str(caught.value).startswith("t got cursor")


def test_a_cursor_of_another_list_is_refused(subtests: pytest.Subtests) -> None:
    for count, question, tool in [(1_000, "other", "t"), (999, "q", "t"), (1_000, "q", "u")]:
        with subtests.test(count=count, question=question, tool=tool):
            cursor = page("t", items(1_000), None, "q").next_cursor
            with pytest.raises(CallerError, match="call again without it"):
                page(tool, items(count), cursor, question)


def test_the_sources_of_an_agent_come_in_pages_within_the_budget(shipped_service: Service) -> None:
    for agent in AGENTS:
        found = pages(SOURCES, shipped_service, agent=agent)
        assert max(map(tokens, found)) <= MAX_TOKENS, agent
        sources = [source for part in found for source in part["sources"]]
        entries = shipped_service.catalog.agents[agent].entries.values()
        assert len(sources) == sum(len(entry.sources) for entry in entries) == found[0]["total"], agent


def test_a_list_has_its_total_and_stays_within_the_budget(shipped_service: Service) -> None:
    cases: list[dict[str, str]] = [*({"agent": agent} for agent in AGENTS), {"category": "security"}]
    for arguments in cases:
        found = pages(LIST, shipped_service, **arguments)
        assert sum(len(part["capabilities"]) for part in found) == found[0]["total"], arguments
        assert max(map(tokens, found)) <= MAX_TOKENS, arguments


def test_a_capability_has_its_sources_in_one_page(shipped_service: Service) -> None:
    for name in shipped_service.catalog.by_name:
        assert len(pages(SOURCES, shipped_service, capability=name)) == 1
