"""The advertised schemas tell known values: closed sets as enums, others in descriptions."""

from typing import Any

from server.matching.service import Service
from server.tools.families import CHOOSABLE
from server.toolset.registry import TOOLS, tools_for
from server.toolset.toolset import advertised
from tests.server.calls import answer

CATEGORIES = "such as agent-orchestration, api-integration, performance"
AGENTS = "such as claude-code, gemini-cli"
PLANS = ["free", "pro", "business", "enterprise"]


def arguments(service: Service, name: str, *, full_wire: bool = False) -> dict[str, Any]:
    (tool,) = (tool for tool in tools_for(service) if tool.name == name)
    properties: dict[str, Any] = advertised(tool, full_wire=full_wire).input_schema["properties"]
    return properties


def test_categories_of_the_catalog_are_described(service: Service) -> None:
    for tool in ["list_capabilities", "feature_parity"]:
        assert arguments(service, tool)["category"]["description"] == CATEGORIES, tool
        whole = arguments(service, tool, full_wire=True)["category"]["description"]
        assert whole == f"a category, or a phrase for one; {CATEGORIES}", tool


def test_agents_of_the_catalog_are_described_with_the_items(service: Service) -> None:
    for tool in ["compare_capability", "feature_parity"]:
        assert arguments(service, tool)["agents"]["items"]["description"] == AGENTS


def test_agents_are_described_where_one_is_asked_for(service: Service) -> None:
    assert arguments(service, "lookup_capability")["agent"]["description"] == AGENTS


def test_closed_sets_and_no_others_are_enums(service: Service) -> None:
    enums = {
        (tool.name, name): schema["enum"]
        for tool in tools_for(service)
        for name, schema in advertised(tool).input_schema["properties"].items()
        if "enum" in schema
    }
    planned = ["list_capabilities", "recommend_agent", "feature_parity"]
    assert enums == {**{(tool, "tier"): PLANS for tool in planned}, ("load_family", "family"): list(CHOOSABLE)}


def test_plans_are_named_in_words_too(service: Service) -> None:
    for tool in ["list_capabilities", "recommend_agent", "feature_parity"]:
        (described,) = (each.description for each in tools_for(service) if each.name == tool)
        assert "free, pro, business or enterprise" in described, tool


def test_a_value_of_a_closed_set_is_accepted_in_any_case(service: Service) -> None:
    assert answer(service, "feature_parity", {"tier": " FREE"})["tier"] == "free"


def test_that_one_of_two_arguments_is_needed_stands_in_the_description(service: Service) -> None:
    for tool in tools_for(service):
        if tool.name in ("list_capabilities", "get_sources"):
            assert "at least one is needed" in tool.description, tool.name


def test_the_families_are_described_as_they_are_loaded(service: Service) -> None:
    tools = {tool.name: tool for tool in tools_for(service)}
    shown = tools["list_capabilities"].brief_schema["properties"]
    assert (shown["category"]["description"], shown["tier"]["enum"]) == (CATEGORIES, PLANS)


def test_a_tool_without_a_catalog_has_no_values_of_one() -> None:
    assert not any(tool.known_values for tool in TOOLS)
