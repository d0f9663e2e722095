"""All files of the site: the first page, the pages of agents and capabilities, the style and the script."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Final
from xml.etree.ElementTree import Element

from server.catalog.catalog import Agent, Catalog
from server.catalog.models import CanonicalCapability, CapabilityEntry, Source
from server.web.site.addresses import INDEX, Addresses
from server.web.site.matrix_page import matrix_page
from server.web.site.page import NOT_DOCUMENTED, Page, add, add_link, add_table, offered, read_on, remarks, statement

_AGENT_COLUMNS = ("Capability", "Offered", "What it is", "Oldest source read")


def agent_page(catalog: Catalog, addresses: Addresses, agent: Agent) -> bytes:
    """Return the page as it is written."""
    page = Page(agent.info.name, addresses.agent(agent.id))
    _about_agent(page.main, agent)
    for category in catalog.categories:
        names = [each.name for each in catalog.capabilities if each.category == category]
        add(page.main, "h2", category, dir="auto")
        caption = f"{category}: what {agent.info.name} offers"
        _, body = add_table(page.main, addresses.category_id(category), caption, _AGENT_COLUMNS)
        for name in names:
            _row(body, agent, name, f"{page.up}{addresses.entry(agent.id, name)}")
    return page.to_bytes()


def _about_agent(main: Element, agent: Agent) -> None:
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


_CAPABILITY_COLUMNS = ("Agent", "Offered", "Its own name for it", "Remarks", "Oldest source read")


def capability_page(catalog: Catalog, addresses: Addresses, capability: CanonicalCapability) -> bytes:
    """Return the page as it is written."""
    page = Page(capability.name, addresses.capability(capability.name))
    _about_capability(page, catalog, addresses, capability)
    _side_by_side(page.main, catalog, addresses, capability.name)
    for agent in catalog.agents.values():
        section = add(page.main, "section", id=addresses.entry_id(agent.id))
        heading = add(section, "h2")
        add(heading, "a", agent.info.name, href=f"{page.up}{addresses.agent(agent.id)}", dir="auto")
        entry = catalog.entry(agent.id, capability.name)
        if entry is None:
            add(section, "p", "Not documented: the catalog says nothing of it.")
        else:
            _entry(section, entry)
    return page.to_bytes()


def _about_capability(page: Page, catalog: Catalog, addresses: Addresses, capability: CanonicalCapability) -> None:
    if capability.definition:
        add(page.main, "p", capability.definition, dir="auto")
    category = add(page.main, "p", "Category: ")
    address = f"{page.up}{INDEX}#{addresses.category_id(capability.category)}"
    add(category, "a", capability.category, href=address, dir="auto")
    aliases = [alias for alias, names in catalog.aliases.items() if capability.name in names]
    if aliases:
        add(page.main, "p", f"Also called: {', '.join(aliases)}", dir="auto")


def _side_by_side(main: Element, catalog: Catalog, addresses: Addresses, name: str) -> None:
    _, body = add_table(main, "side-by-side", f"{name}: the agents side by side", _CAPABILITY_COLUMNS)
    for agent in catalog.agents.values():
        entry = catalog.entry(agent.id, name)
        line = add(body, "tr")
        add(add(line, "th", scope="row"), "a", agent.info.name, href=f"#{addresses.entry_id(agent.id)}", dir="auto")
        told = ("", "", "") if entry is None else (entry.terminology or "", ", ".join(remarks(entry)), read_on(entry))
        add(line, "td", NOT_DOCUMENTED if entry is None else offered(entry))
        for text in told:
            add(line, "td", text, dir="auto")


def _entry(section: Element, entry: CapabilityEntry) -> None:
    told = "; ".join([offered(entry), *remarks(entry)])
    add(section, "p", f"{told[:1].upper()}{told[1:]}.", class_="offered")
    if entry.terminology:
        add(section, "p", f"Called: {entry.terminology}", dir="auto")
    if entry.description:
        add(section, "p", entry.description, dir="auto")
    notes = entry.implementation_notes
    if notes:
        if notes.start_url:
            add_link(add(section, "p", "Start reading here: "), notes.start_url)
        _text(section, "Setup", notes.setup)
        _text(section, "Configuration file", notes.config_file)
        _texts(section, "Pitfalls", notes.gotchas)
    _texts(section, "Limits", entry.limitations)
    _texts(section, "Requirements", entry.requirements)
    _sources(section, entry.sources)


def _text(section: Element, heading: str, text: str | None) -> None:
    if text:
        add(section, "h3", heading)
        add(section, "p", text, dir="auto")


def _texts(section: Element, heading: str, texts: Iterable[str]) -> None:
    texts = list(texts)
    if texts:
        add(section, "h3", heading)
        lines = add(section, "ul")
        for text in texts:
            add(lines, "li", statement(text), dir="auto")


def _sources(section: Element, sources: Iterable[Source]) -> None:
    sources = list(sources)
    if not sources:
        return
    add(section, "h3", "Sources")
    lines = add(section, "ul", class_="sources")
    for source in sources:
        line = add(lines, "li")
        add_link(line, source.url, source.description)
        told = f"read {source.verified_date}" if source.verified_date else "not dated"
        line[-1].tail = f" ({told}{'' if source.status == 'active' else f', {source.status}'})"


SHIPPED: Final = ("site.js", "style.css")


def site_files(catalog: Catalog) -> dict[str, bytes]:
    """Return the content of each file, by its path within the site; the same catalog gives the same bytes."""
    addresses = Addresses.of(catalog)
    found = {INDEX: matrix_page(catalog, addresses)}
    found |= {name: (files(__package__) / "files" / name).read_bytes() for name in SHIPPED}
    for agent in catalog.agents.values():
        found[addresses.agent(agent.id)] = agent_page(catalog, addresses, agent)
    for capability in catalog.capabilities:
        found[addresses.capability(capability.name)] = capability_page(catalog, addresses, capability)
    return found
