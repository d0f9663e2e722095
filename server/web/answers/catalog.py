"""The catalog as the page shows it: what there is to look at, the matrix of agents, and their entries."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from server import package_version
from server.catalog.catalog import Agent, Catalog
from server.catalog.facets import Cell
from server.catalog.models import MATURITY_LEVELS, CapabilityEntry
from server.catalog.plans import ACCESSES, TIERS, plan_words
from server.matching.label_service import LONGEST_PHRASE, LabelService
from server.matching.service import Service
from server.tools.source_ages import source_dates
from server.web.answers.label_detail import catalog_id


def about(
    service: LabelService,
    title: str,
    views: Sequence[str],
    limits: Mapping[str, int],
    paths: bool,
    link: str | None = None,
) -> dict[str, Any]:
    """Return the catalog, the views of it, and what may be asked.

    Args:
        service: the catalog.
        title: what the page calls it.
        views: those that the caller may see; that of agents is left out of a catalog without them.
        limits: limits of requests besides that of a phrase.
        paths: whether health takes the path of a file.
        link: path of the page in an address that is given to others, if the page's own has a token.
    """
    matcher = service.matchers.get()
    with_agents = isinstance(service, Service)
    return {
        "catalog": catalog_id(service, degraded=matcher.is_degraded),
        "title": title,
        "kind": "agents" if with_agents else "labels",
        "views": [view for view in views if view != "agents" or with_agents],
        "labels": matcher.size,
        "phrases": matcher.phrase_count,
        "version": package_version(),
        "degraded": matcher.is_degraded,
        "costs": asdict(service.matchers.costs),
        "limits": {"phrase": service.max_phrase or LONGEST_PHRASE, **limits},
        **({"paths": True} if paths else {}),
        **({"link": link} if link else {}),
        "today": datetime.now(UTC).date().isoformat(),
    }


def entry(catalog: Catalog, agent: str, capability: str) -> dict[str, Any]:
    """Return the entry with its notes, limits, sources, dates and questions; only whose it is if the data have none.

    Args:
        catalog: of agents.
        agent: id or name of an agent.
        capability: name of a capability, ignoring case and punctuation.

    Raises:
        CallerError: the catalog has no such agent or capability.
    """
    owner, name = catalog.agents[catalog.agent_names.resolve(agent)], catalog.capability(capability)
    found = catalog.entry(owner.id, name)
    about = {
        "agent": owner.id,
        "agentName": owner.info.name,
        "name": name,
        "category": catalog.by_name[name].category,
        "documented": found is not None,
    }
    if found is None:
        return about
    hidden = {"name", "category", "volatile", "details"} | (set() if found.access else {"access"})
    fields = found.model_dump(by_alias=True, exclude_none=True, exclude=hidden)
    asked = [{"question": question, **_told(cell)} for question, cell in answered(catalog, owner, name)]
    more = {"needs": plan_words(found.tier, found.access), "agesFast": found.ages_fast, "questions": asked}
    return about | fields | {key: value for key, value in more.items() if value}


def answered(catalog: Catalog, agent: Agent, capability: str) -> list[tuple[str, Cell]]:
    """Return the questions about a capability that an agent has an answer to, each with it."""
    cells = ((facet.question, agent.cell(capability, facet)) for facet in catalog.facets.get(capability, ()))
    return [(question, cell) for question, cell in cells if cell is not None]


def _told(cell: Cell) -> dict[str, Any]:
    return _present({"verdict": cell.verdict, "value": cell.value, "because": cell.because, "source": cell.source})


def matrix(catalog: Catalog) -> dict[str, Any]:
    """Return all agents, categories and capabilities, of each entry what a cell shows, and the questions about each.

    A capability that an agent has no entry for is not documented. `verdicts` has an agent's answers to the questions
    about each capability, in their order; null where it has none, and `value` where the answer is no verdict.
    """
    return {
        "agents": [_agent(agent) for agent in catalog.agents.values()],
        "categories": [_category(catalog, name) for name in catalog.categories],
        "capabilities": [capability.model_dump(by_alias=True) for capability in catalog.capabilities],
        "tiers": list(TIERS),
        "access": list(ACCESSES),
        "maturityLevels": list(MATURITY_LEVELS),
        "entries": {
            agent.id: {name: _cell(entry) for name, entry in agent.entries.items()} for agent in catalog.agents.values()
        },
        "questions": {name: [facet.question for facet in facets] for name, facets in catalog.facets.items()},
        "verdicts": {agent.id: _verdicts(catalog, agent) for agent in catalog.agents.values()},
    }


def _verdicts(catalog: Catalog, agent: Agent) -> dict[str, list[str | None]]:
    """Return an agent's answers to the questions about each capability, without their sentences."""
    return {name: [_verdict(agent.cell(name, facet)) for facet in facets] for name, facets in catalog.facets.items()}


def _verdict(cell: Cell | None) -> str | None:
    return None if cell is None else cell.verdict or "value"


def _agent(agent: Agent) -> dict[str, Any]:
    info = agent.info
    value = {
        "id": agent.id,
        "name": info.name,
        "vendor": info.vendor,
        "version": info.version,
        "asOf": agent.as_of.model_dump(by_alias=True) if agent.as_of else None,
    }
    return _present(value)


def _category(catalog: Catalog, name: str) -> dict[str, Any]:
    return _present({"name": name, "definition": catalog.category_definitions.get(name) or None})


def _cell(entry: CapabilityEntry) -> dict[str, Any]:
    value = {
        "available": entry.available,
        "tier": entry.tier,
        "access": list(entry.access) or None,
        "needs": plan_words(entry.tier, entry.access) or None,
        "maturityLevel": entry.maturity_level,
        "terminology": entry.terminology,
        "oldestSource": next(iter(source_dates(entry.sources)), None),
        "agesFast": entry.ages_fast or None,
        "status": None if entry.status == "active" else entry.status,
    }
    return _present(value)


def _present(value: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in value.items() if each is not None}
