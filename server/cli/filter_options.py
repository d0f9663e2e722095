"""Options that limit an answer to some agents, a category or a plan."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from server.catalog.plans import ACCESSES, TIERS
from server.cli.options import chosen_service
from server.matching.service import Service
from server.tools.answers import Answer
from server.tools.definition import ServiceTool, checked


def add_agents(command: argparse.ArgumentParser, help_text: str) -> None:
    """Add the option that names agents."""
    command.add_argument("--agent", metavar="A", dest="agents", action="append", help=help_text)


def add_category(command: argparse.ArgumentParser, help_text: str) -> None:
    """Add the option that names a category."""
    command.add_argument("--category", metavar="C", help=help_text)


def add_tier(command: argparse.ArgumentParser, help_text: str) -> None:
    """Add the option that names the highest plan."""
    command.add_argument("--tier", metavar="T", help=f"{help_text}: {', '.join(TIERS)}")


def joined(access: Sequence[str] | None) -> str | None:
    """Return the values of `--access` as the tools take them."""
    return ",".join(access) if access else None


def add_access(command: argparse.ArgumentParser, help_text: str) -> None:
    """Add the option that names what opens a capability without a plan."""
    command.add_argument("--access", metavar="X", action="append", help=f"{help_text}: {', '.join(ACCESSES)}")


def service_for_category(options: argparse.Namespace) -> Service:
    """Return the service of the chosen data folder.

    Its matcher is loaded only if `--category` is not a category's name.
    """
    service = chosen_service(options, with_matcher=False)
    if options.category and service.catalog.category_names.exact(options.category) is None:
        service.matchers.load()
    return service


def all_pages(service: Service, tool: ServiceTool, arguments: Mapping[str, Any], items: str) -> dict[str, Any]:
    """Return a tool's answer with the items of all its pages."""
    answer = _page(service, tool, arguments)
    cursor = answer.pop("nextCursor", None)
    while cursor is not None:
        page = _page(service, tool, {**arguments, "cursor": cursor})
        answer[items] += page[items]
        cursor = page.get("nextCursor")
    return answer


def of_all_agents(service: Service, tool: ServiceTool, arguments: Mapping[str, Any], items: str) -> dict[str, Any]:
    """Return the answers for each agent as one, whose items say which agent they are about."""
    answers = [all_pages(service, tool, {**arguments, "agent": agent}, items) for agent in service.catalog.agents]
    found = [{"agent": answer["agent"], **item} for answer in answers for item in answer[items]]
    return {**({"total": len(found)} if any("total" in answer for answer in answers) else {}), items: found}


def _page(service: Service, tool: ServiceTool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    ask: Callable[[Any, Any], Answer] = tool.handler
    return ask(service, checked(tool, arguments)).to_json()
