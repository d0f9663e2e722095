"""The first page: capabilities by agents, a table for each category, with the fields that filter them."""

from xml.etree.ElementTree import Element

from server.catalog.catalog import Agent, Catalog
from server.catalog.models import MATURITY_LEVELS, TIERS, CanonicalCapability
from server.web.site.addresses import INDEX, Addresses
from server.web.site.page import TITLE, Page, add, add_table, offered, read_on, remarks

ANY = "any"


def matrix_page(catalog: Catalog, addresses: Addresses) -> bytes:
    """Return the page as it is written."""
    page = Page(TITLE, INDEX)
    page.add_script()
    _introduction(page.main, catalog)
    _agents(page.main, catalog, addresses)
    add(page.main, "h2", "Capabilities")
    _filters(page.main, catalog, addresses)
    for category in catalog.categories:
        _category(page.main, catalog, addresses, category)
    return page.to_bytes()


def _introduction(main: Element, catalog: Catalog) -> None:
    add(
        main,
        "p",
        f"{len(catalog.capabilities)} capabilities of {len(catalog.agents)} agents. A cell names the lowest plan that "
        "has the capability, how mature it is, and the day on which its oldest source was read. “Not available” "
        "means: looked for on the vendor's pages and not there. “Not documented” means: nothing is known.",
    )


def _agents(main: Element, catalog: Catalog, addresses: Addresses) -> None:
    add(main, "h2", "Agents")
    _, body = add_table(
        main, "agents", "The agents, and the release that the facts stand at", ("Agent", "Vendor", "As of")
    )
    for agent in catalog.agents.values():
        line = add(body, "tr")
        add(add(line, "th", scope="row"), "a", agent.info.name, href=addresses.agent(agent.id), dir="auto")
        add(line, "td", agent.info.vendor or "", dir="auto")
        add(line, "td", _as_of(agent))


def _as_of(agent: Agent) -> str:
    return f"{agent.as_of.version}, {agent.as_of.date}" if agent.as_of else agent.info.version or ""


def _filters(main: Element, catalog: Catalog, addresses: Addresses) -> None:
    """Add the fields, which are hidden unless the script runs."""
    form = add(main, "form", id="filters", role="search", aria_label="Filter the capabilities", hidden="hidden")
    field = add(form, "label", "Text ")
    add(field, "input", id="text", type="search", autocomplete="off")
    categories = [(addresses.category_id(category), category) for category in catalog.categories]
    _choice(form, "category", "Category", categories)
    _choice(form, "plan", "On a plan up to", [(tier, tier) for tier in TIERS])
    _choice(form, "maturity", "Maturity", [(level, level) for level in MATURITY_LEVELS])
    group = add(form, "fieldset")
    add(group, "legend", "Agents")
    for agent in catalog.agents.values():
        choice = add(group, "label")
        box = add(choice, "input", type="checkbox", name="agent", value=addresses.agents[agent.id], checked="checked")
        box.tail = " "
        add(choice, "span", agent.info.name, dir="auto")
    add(main, "p", id="found", role="status")


def _choice(form: Element, id_: str, label: str, values: list[tuple[str, str]]) -> None:
    field = add(form, "label", f"{label} ")
    chosen = add(field, "select", id=id_)
    for value, text in [("", ANY), *values]:
        add(chosen, "option", text, value=value)


def _category(main: Element, catalog: Catalog, addresses: Addresses, category: str) -> None:
    id_ = addresses.category_id(category)
    section = add(main, "section", class_="category", id=id_)
    add(section, "h3", category, dir="auto")
    definition = catalog.category_definitions.get(category)
    if definition:
        add(section, "p", definition, dir="auto")
    head, body = add_table(section, f"{id_}-table", f"{category} by agent", ("Capability",))
    for agent in catalog.agents.values():
        name = add(head, "th", scope="col", data_agent=addresses.agents[agent.id])
        add(name, "a", agent.info.name, href=addresses.agent(agent.id), dir="auto")
    for capability in catalog.capabilities:
        if capability.category == category:
            _row(body, catalog, addresses, capability)


def _row(body: Element, catalog: Catalog, addresses: Addresses, capability: CanonicalCapability) -> None:
    line = add(body, "tr")
    name = add(line, "th", scope="row")
    add(name, "a", capability.name, href=addresses.capability(capability.name), dir="auto")
    if capability.definition:
        add(name, "p", capability.definition, dir="auto")
    for agent in catalog.agents:
        _cell(line, catalog, addresses, agent, capability.name)


def _cell(line: Element, catalog: Catalog, addresses: Addresses, agent: str, name: str) -> None:
    entry = catalog.entry(agent, name)
    slug = addresses.agents[agent]
    if entry is None:
        add(line, "td", offered(entry), class_="unknown", data_agent=slug)
        return
    plan = {"data_plan": entry.tier} if entry.tier else {}
    maturity = {"data_maturity": entry.maturity_level} if entry.maturity_level else {}
    kind = "available" if entry.available else "missing"
    cell = add(line, "td", class_=kind, data_agent=slug, **plan, **maturity)
    add(cell, "a", offered(entry), href=addresses.entry(agent, name))
    if entry.terminology:
        add(cell, "p", entry.terminology, dir="auto")
    beside = ", ".join(each for each in (read_on(entry), *remarks(entry)) if each)
    if beside:
        add(cell, "p", beside, class_="date")
