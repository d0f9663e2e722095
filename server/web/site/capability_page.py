"""The page of one capability: the agents side by side, then each agent's entry with notes, limits and sources."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from server.catalog.catalog import Catalog
from server.catalog.models import CanonicalCapability, CapabilityEntry, Source
from server.html_page import add
from server.web.site.addresses import INDEX, Addresses
from server.web.site.page import Page, add_link, add_table
from server.web.site.words import NOT_DOCUMENTED, offered, read_on, remarks, statement

_COLUMNS = ("Agent", "Offered", "Its own name for it", "Remarks", "Oldest source read")


def capability_page(catalog: Catalog, addresses: Addresses, capability: CanonicalCapability) -> bytes:
    """The page as it is written."""
    page = Page(capability.name, addresses.capability(capability.name))
    _about(page, catalog, addresses, capability)
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


def _about(page: Page, catalog: Catalog, addresses: Addresses, capability: CanonicalCapability) -> None:
    if capability.definition:
        add(page.main, "p", capability.definition, dir="auto")
    category = add(page.main, "p", "Category: ")
    address = f"{page.up}{INDEX}#{addresses.category_id(capability.category)}"
    add(category, "a", capability.category, href=address, dir="auto")
    aliases = [alias for alias, names in catalog.aliases.items() if capability.name in names]
    if aliases:
        add(page.main, "p", f"Also called: {', '.join(aliases)}", dir="auto")


def _side_by_side(main: Element, catalog: Catalog, addresses: Addresses, name: str) -> None:
    _, body = add_table(main, "side-by-side", f"{name}: the agents side by side", _COLUMNS)
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
