"""All files of the site: the pages, and the style and script that ship with it."""

from importlib.resources import files
from typing import Final

from server.catalog.catalog import Catalog
from server.web.site.addresses import INDEX, Addresses
from server.web.site.agent_page import agent_page
from server.web.site.capability_page import capability_page
from server.web.site.matrix_page import matrix_page

SHIPPED: Final = ("site.js", "style.css")


def site_files(catalog: Catalog) -> dict[str, bytes]:
    """The content of each file, by its path within the site; the same catalog gives the same bytes."""
    addresses = Addresses.of(catalog)
    found = {INDEX: matrix_page(catalog, addresses)}
    found |= {name: (files(__package__) / "files" / name).read_bytes() for name in SHIPPED}
    for agent in catalog.agents.values():
        found[addresses.agent(agent.id)] = agent_page(catalog, addresses, agent)
    for capability in catalog.capabilities:
        found[addresses.capability(capability.name)] = capability_page(catalog, addresses, capability)
    return found
