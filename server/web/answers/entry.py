"""All that the data say about one capability of one agent."""

from typing import Any

from server.matching.service import Service
from server.web.answers.identity import catalog_id


def entry(service: Service, agent: str, capability: str) -> dict[str, Any]:
    """The entry with its notes, limits, sources and dates; only whose it is if the data have none.

    Args:
        service: the catalog.
        agent: id or name of an agent.
        capability: name of a capability, ignoring case and punctuation.

    Raises:
        CallerError: the catalog has no such agent or capability.
    """
    catalog = service.catalog
    owner, name = catalog.agents[service.agent(agent)], catalog.capability(capability)
    found = catalog.entry(owner.id, name)
    about = {
        "catalog": catalog_id(service),
        "agent": owner.id,
        "agentName": owner.info.name,
        "name": name,
        "category": catalog.by_name[name].category,
        "documented": found is not None,
    }
    if found is None:
        return about
    fields = found.model_dump(by_alias=True, exclude_none=True, exclude={"name", "category", "volatile"})
    return about | fields | ({"agesFast": True} if found.ages_fast else {})
