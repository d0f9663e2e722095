"""The advertised schemas show known values, as examples that no client enforces."""

from typing import Any

from server.matching.service import Service
from server.toolset.registry import TOOLS, tools_for
from server.toolset.toolset import advertised

CATEGORIES = ["agent-orchestration", "api-integration", "performance"]
PLANS = ["free", "pro", "business", "enterprise"]
AGENTS = ["claude-code", "gemini-cli"]


def arguments(service: Service, name: str, *, full_wire: bool = False) -> dict[str, Any]:
    (tool,) = (tool for tool in tools_for(service) if tool.name == name)
    properties: dict[str, Any] = advertised(tool, full_wire=full_wire).input_schema["properties"]
    return properties


def test_categories_of_the_catalog_are_examples(service: Service) -> None:
    for full_wire in [False, True]:
        for tool in ["list_capabilities", "feature_parity"]:
            assert arguments(service, tool, full_wire=full_wire)["category"]["examples"] == CATEGORIES, (
                full_wire,
                tool,
            )


def test_agents_of_the_catalog_are_examples_of_the_items(service: Service) -> None:
    for tool in ["compare_capability", "feature_parity"]:
        assert arguments(service, tool)["agents"]["items"]["examples"] == AGENTS


def test_agents_are_examples_of_one_agent(service: Service) -> None:
    assert arguments(service, "lookup_capability")["agent"]["examples"] == AGENTS


def test_plans_are_examples(service: Service) -> None:
    for tool in ["list_capabilities", "recommend_agent", "feature_parity"]:
        assert arguments(service, tool)["tier"]["examples"] == PLANS, tool


def test_no_argument_is_limited_to_its_examples(service: Service) -> None:
    assert "enum" not in str([advertised(tool).input_schema for tool in tools_for(service)])


def test_a_tool_without_a_catalog_has_no_values_of_one() -> None:
    assert not any(tool.examples for tool in TOOLS)
