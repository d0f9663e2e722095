"""Long answers of tools that give them in pages, whole."""

from collections.abc import Callable, Mapping
from typing import Any

from server.matching.service import Service
from server.tools.answers import Answer
from server.tools.definition import ServiceTool, checked


def all_pages(service: Service, tool: ServiceTool, arguments: Mapping[str, Any], items: str) -> dict[str, Any]:
    """A tool's answer with the items of all its pages."""
    answer = _page(service, tool, arguments)
    cursor = answer.pop("nextCursor", None)
    while cursor is not None:
        page = _page(service, tool, {**arguments, "cursor": cursor})
        answer[items] += page[items]
        cursor = page.get("nextCursor")
    return answer


def of_all_agents(service: Service, tool: ServiceTool, arguments: Mapping[str, Any], items: str) -> dict[str, Any]:
    """The answers for each agent as one, whose items say which agent they are about."""
    answers = [all_pages(service, tool, {**arguments, "agent": agent}, items) for agent in service.catalog.agents]
    found = [{"agent": answer["agent"], **item} for answer in answers for item in answer[items]]
    return {**({"total": len(found)} if any("total" in answer for answer in answers) else {}), items: found}


def _page(service: Service, tool: ServiceTool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    ask: Callable[[Any, Any], Answer] = tool.handler
    return ask(service, checked(tool, arguments)).to_json()
