"""The table of capabilities by agents, without the entries' texts."""

from typing import Any

from server.catalog.catalog import Agent, Catalog
from server.catalog.models import CapabilityEntry
from server.catalog.plans import MATURITY_LEVELS, TIERS
from server.matching.service import Service
from server.tools.source_ages import source_dates
from server.web.answers.identity import catalog_id


def matrix(service: Service) -> dict[str, Any]:
    """All agents, categories and capabilities, and of each entry what a cell shows.

    A capability that an agent has no entry for is not documented.
    """
    catalog = service.catalog
    return {
        "catalog": catalog_id(service),
        "agents": [_agent(agent) for agent in catalog.agents.values()],
        "categories": [_category(catalog, name) for name in catalog.categories],
        "capabilities": [capability.model_dump(by_alias=True) for capability in catalog.capabilities],
        "tiers": list(TIERS),
        "maturityLevels": list(MATURITY_LEVELS),
        "entries": {
            agent.id: {name: _cell(entry) for name, entry in agent.entries.items()} for agent in catalog.agents.values()
        },
    }


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
        "maturityLevel": entry.maturity_level,
        "terminology": entry.terminology,
        "oldestSource": next(iter(source_dates(entry.sources)), None),
        "agesFast": entry.ages_fast or None,
        "status": None if entry.status == "active" else entry.status,
    }
    return _present(value)


def _present(value: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in value.items() if each is not None}
