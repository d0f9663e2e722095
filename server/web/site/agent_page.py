"""The page of one agent: its capabilities by category."""

from xml.etree.ElementTree import Element

from server.catalog.catalog import Agent, Catalog
from server.html_page import add
from server.web.site.addresses import Addresses
from server.web.site.page import Page, add_table
from server.web.site.words import NOT_DOCUMENTED, offered, read_on, remarks

_COLUMNS = ("Capability", "Offered", "What it is", "Oldest source read")


def agent_page(catalog: Catalog, addresses: Addresses, agent: Agent) -> bytes:
    """The page as it is written."""
    page = Page(agent.info.name, addresses.agent(agent.id))
    _about(page.main, agent)
    for category in catalog.categories:
        names = [each.name for each in catalog.capabilities if each.category == category]
        add(page.main, "h2", category, dir="auto")
        caption = f"{category}: what {agent.info.name} offers"
        _, body = add_table(page.main, addresses.category_id(category), caption, _COLUMNS)
        for name in names:
            _row(body, agent, name, f"{page.up}{addresses.entry(agent.id, name)}")
    return page.to_bytes()


def _about(main: Element, agent: Agent) -> None:
    info = agent.info
    told = [f"Made by {info.vendor}."] if info.vendor else []
    if agent.as_of:
        told.append(f"The facts stand at release {agent.as_of.version}, {agent.as_of.date}.")
    if info.also_known_as:
        told.append(f"Also called {', '.join(info.also_known_as)}.")
    if told:
        add(main, "p", " ".join(told), dir="auto")


def _row(body: Element, agent: Agent, name: str, address: str) -> None:
    entry = agent.entries.get(name)
    line = add(body, "tr")
    add(add(line, "th", scope="row"), "a", name, href=address, dir="auto")
    if entry is None:
        add(line, "td", NOT_DOCUMENTED, class_="unknown")
        add(line, "td")
        add(line, "td")
        return
    add(line, "td", ", ".join((offered(entry), *remarks(entry))))
    add(line, "td", entry.description, class_="long", dir="auto")
    add(line, "td", read_on(entry))
