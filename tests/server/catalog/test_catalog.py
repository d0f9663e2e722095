from pathlib import Path

import pytest

from server.catalog.loading import load_catalog
from server.errors import CallerError
from server.matching.service import Service
from tests.toy import entry, source, write_data


def test_categories_are_those_that_occur_in_alphabetical_order(service: Service) -> None:
    assert service.catalog.categories == ["agent-orchestration", "api-integration", "performance"]


def test_a_capability_is_found_whatever_its_spelling(service: Service) -> None:
    for spelling in ["MCP Support", "mcp support", "MCP-SUPPORT", "mcp_support?", "  mcp  support "]:
        assert service.catalog.capability(spelling) == "MCP Support", spelling


def test_a_capability_is_found_by_its_name_alone(service: Service, subtests: pytest.Subtests) -> None:
    for alias in ["mcp", "snapshots of tools", "connect outside tools"]:
        with (
            subtests.test(alias=alias),
            pytest.raises(CallerError, match=r"^unknown capability .*; known: Checkpoints, MCP Support, Vision"),
        ):
            service.catalog.capability(alias)


def test_an_unknown_capability_names_the_known_ones_and_the_nearest(service: Service) -> None:
    with pytest.raises(CallerError) as caught:
        service.catalog.capability("vison")
    assert str(caught.value) == (
        "unknown capability 'vison'; known: Checkpoints, MCP Support, Vision; did you mean 'Vision'? "
        "Call again with a known name; list_capabilities shows them."
    )


def test_sources_are_those_of_every_entry_of_every_agent(tmp_path: Path) -> None:
    pages = [f"https://example.com/{number}" for number in range(4)]
    agents = {
        agent: {
            "agent": {"name": agent},
            "capabilities": [
                entry("Vision", "performance", sources=[source(page) for page in found]),
                entry("Checkpoints", "agent-orchestration", available=False, sources=[]),
            ],
        }
        for agent, found in {"b": pages[2:], "a": pages[:2]}.items()
    }
    catalog = load_catalog(write_data(tmp_path / "data", agents))
    assert [found.url for found in catalog.sources] == pages
