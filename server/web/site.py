"""The static site: the page with its answers beside it, and plain pages that read without scripts and from disk."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from embeddings.text.invisible import escaped
from server import package_version
from server.catalog.catalog import Agent, Catalog
from server.catalog.models import CanonicalCapability, CapabilityEntry, Source
from server.catalog.plans import plan_words
from server.catalog.statement_text import mark_of
from server.tools.feature_parity import AVAILABLE
from server.tools.source_ages import source_dates
from server.web.answers.catalog import answered, entry, matrix
from server.web.app import FOLDER, SHELL

TITLE: Final = "What AI coding agents can do"

FILES: Final = (
    "agents.css",
    "agents.js",
    "api.js",
    "dom.js",
    "entry.js",
    "icon.svg",
    "main.js",
    "matrix.js",
    "state.js",
    "style.css",
)
"""Files of the page that the views of agents and entries need."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' file:; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""`file:` is for pages opened from disk: Chromium takes 'self' to mean files there, but the standard does not say so. A
page from a web host cannot load such an address."""

LONGEST_SLUG: Final = 60

_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)
"""Names that Windows takes for devices, whatever follows the dot."""

_WRITTEN_FOR_SERVERS: Final = re.compile(r"(?s)<noscript>.*?</noscript>")


def site_files(catalog: Catalog) -> dict[str, bytes]:
    """Return the content of each file, by its path within the site; the same catalog gives the same bytes."""
    addresses = slugs(catalog.by_name)
    found = {SHELL: _shell(catalog, addresses), **_answers(catalog, addresses)}
    found |= {f"page/{name}": (FOLDER / name).read_bytes() for name in FILES}
    for capability in catalog.capabilities:
        found[f"capabilities/{addresses[capability.name]}.html"] = _capability_page(catalog, capability)
    return found


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a slug of lower-case ASCII for each name; those that would share one are numbered in their order."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for name in dict.fromkeys(names):
        wanted = _slug(name)
        number, chosen = 1, wanted
        while chosen in used:
            number += 1
            chosen = f"{wanted}-{number}"
        used.add(chosen)
        found[name] = chosen
    return found


def _slug(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:LONGEST_SLUG].strip("-")
    if not slug:
        return f"name-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return f"{slug}-page" if slug in _RESERVED else slug


def _answers(catalog: Catalog, addresses: Mapping[str, str]) -> dict[str, bytes]:
    """Return what the page asks of a server, as files; an entry's file has those of all agents."""
    entries = {name: {agent: entry(catalog, agent, name) for agent in catalog.agents} for name in addresses}
    shown = {"agents": matrix(catalog), **{f"entries/{addresses[name]}": value for name, value in entries.items()}}
    identity = hashlib.sha256(b"".join(map(_json, shown.values()))).hexdigest()[:32]
    about = {
        "title": TITLE,
        "kind": "agents",
        "views": ["agents"],
        "version": package_version(),
        "addresses": dict(addresses),
    }
    return {
        f"api/{name}.json": _json({"catalog": identity, **each}) for name, each in {"about": about, **shown}.items()
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _shell(catalog: Catalog, addresses: Mapping[str, str]) -> bytes:
    """Return the page's own shell, which finds answers in files, with the plain matrix in place of its content."""
    text = (FOLDER / SHELL).read_text(encoding="utf-8")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    for shipped, ours in (
        ('<html lang="en">', '<html lang="en" data-answers="api">'),
        ('<meta charset="utf-8">', f'<meta charset="utf-8">\n  {policy}'),
        ("<title>agent-capabilities</title>", f"<title>{TITLE}</title>"),
        ('dir="auto">agent-capabilities</h1>', f'dir="auto">{TITLE}</h1>'),
    ):
        text = text.replace(shipped, ours, 1)
    links = re.findall(r'  <link rel="stylesheet" href="page/([\w.]+)">\n', text)
    for name in set(links) - set(FILES):
        text = text.replace(f'  <link rel="stylesheet" href="page/{name}">\n', "")
    # A function, as a backslash in a catalog's text is not an escape of a pattern.
    return _WRITTEN_FOR_SERVERS.sub(lambda _: _html(_matrix(catalog, addresses)), text).encode("utf-8", "surrogatepass")


def _matrix(catalog: Catalog, addresses: Mapping[str, str]) -> Element:
    """Return a table of capabilities by agents, a body for each category."""
    view = Element("div")
    _add(
        view,
        "p",
        f"{len(catalog.capabilities)} capabilities of {len(catalog.agents)} agents. A cell names the lowest plan that "
        "has the capability, what opens it without a plan, how mature it is, and the day on which its oldest source "
        "was read. “not available” means: looked for on the vendor's pages and not there. “not documented” means: "
        "nothing is known.",
    )
    box = _add(
        view, "div", class_="matrix-scroll", role="region", tabindex="0", aria_label="Matrix of capabilities by agents"
    )
    table = _add(box, "table", class_="matrix")
    columns = _add(_add(table, "thead"), "tr")
    _add(columns, "th", "Capability", scope="col")
    for agent in catalog.agents.values():
        column = _add(columns, "th", agent.info.name, scope="col", dir="auto")
        if agent.as_of:
            _add(column, "div", f"{agent.as_of.version}, {agent.as_of.date}", class_="soft")
    for category in catalog.categories:
        _category(table, catalog, category, addresses)
    return view


def _category(table: Element, catalog: Catalog, category: str, addresses: Mapping[str, str]) -> None:
    body = _add(table, "tbody")
    line = _add(body, "tr", class_="category")
    heading = _add(line, "th", category, scope="rowgroup", colspan=str(len(catalog.agents) + 1), dir="auto")
    if definition := catalog.category_definitions.get(category):
        _add(heading, "div", definition, dir="auto")
    for capability in catalog.capabilities:
        if capability.category == category:
            _row(body, catalog, capability, f"capabilities/{addresses[capability.name]}.html")


def _row(body: Element, catalog: Catalog, capability: CanonicalCapability, address: str) -> None:
    line = _add(body, "tr")
    name = _add(line, "th", scope="row")
    _add(name, "a", capability.name, href=address, dir="auto")
    for number, agent in enumerate(catalog.agents):
        found = catalog.entry(agent, capability.name)
        cell = _add(line, "td", class_=_state(found))
        _add(cell, "a", _offered(found), href=f"{address}#agent-{number}")
        beside = ", ".join(_remarks(found)) if found else ""
        if beside:
            _add(cell, "div", beside, class_="soft")


def _state(found: CapabilityEntry | None) -> str:
    return "is-unknown" if found is None else "is-has" if found.available else "is-not"


def _offered(found: CapabilityEntry | None) -> str:
    """Return whether an agent has a capability, what opens it, and how mature it is."""
    if found is None:
        return "not documented"
    if not found.available:
        return "not available"
    needed = plan_words(found.tier, found.access) or AVAILABLE
    return ", ".join(each for each in (needed, found.maturity_level) if each)


def _remarks(found: CapabilityEntry) -> list[str]:
    """List what a reader should know of an entry beside what it says, the day of its oldest source first."""
    remarks = list(source_dates(found.sources))[:1]
    remarks += [] if found.status == "active" else [f"status: {found.status}"]
    remarks += [f"since {found.since}"] if found.since else []
    remarks += [f"until {found.until}"] if found.until else []
    return [*remarks, *(["ages fast"] if found.ages_fast else [])]


def _capability_page(catalog: Catalog, capability: CanonicalCapability) -> bytes:
    """Return the page of one capability: each agent's entry with notes, limits and sources."""
    page = Element("html", lang="en")
    head = _add(page, "head")
    _add(head, "meta", charset="utf-8")
    _add(head, "meta", http_equiv="Content-Security-Policy", content=POLICY)
    _add(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    _add(head, "meta", name="color-scheme", content="light dark")
    _add(head, "title", f"{capability.name} - {TITLE}")
    _add(head, "link", rel="icon", href="../page/icon.svg", type="image/svg+xml")
    for name in ("style.css", "agents.css"):
        _add(head, "link", rel="stylesheet", href=f"../page/{name}")
    body = _add(page, "body")
    _add(body, "a", "Skip to the content", class_="skip", href="#view")
    _add(_add(_add(body, "header"), "nav", aria_label="Site"), "a", TITLE, href=f"../{SHELL}")
    main = _add(body, "main", id="view", tabindex="-1")
    _add(main, "h1", capability.name, dir="auto")
    if capability.definition:
        _add(main, "p", capability.definition, dir="auto")
    _add(main, "p", f"Category: {capability.category}", dir="auto")
    aliases = [alias for alias, names in catalog.aliases.items() if capability.name in names]
    if aliases:
        _add(main, "p", f"Also called: {', '.join(aliases)}", dir="auto")
    for number, agent in enumerate(catalog.agents.values()):
        section = _add(main, "section", id=f"agent-{number}", class_="entry")
        _add(section, "h2", agent.info.name, dir="auto")
        _entry(section, catalog.entry(agent.id, capability.name))
        _questions(section, catalog, agent, capability.name)
    return f"<!doctype html>\n{_html(page)}\n".encode("utf-8", "surrogatepass")


def _entry(section: Element, found: CapabilityEntry | None) -> None:
    if found is None:
        _add(section, "p", "Not documented: the catalog says nothing of it.", class_=_state(found))
        return
    told = "; ".join([_offered(found), *_remarks(found)])
    _add(section, "p", f"{told[:1].upper()}{told[1:]}.", class_=_state(found))
    notes = found.implementation_notes
    _texts(section, "Its own name for it", [found.terminology])
    _texts(section, "What it is", [found.description])
    if notes:
        _texts(section, "Setup", [notes.setup])
        _texts(section, "Configuration file", [notes.config_file])
        if notes.start_url:
            _add_link(_add(section, "p", "Read first: "), notes.start_url)
    _texts(section, "Limits", found.limitations)
    _texts(section, "Requirements", found.requirements)
    _texts(section, "Gotchas", notes.gotchas if notes else ())
    _sources(section, found.sources)


def _questions(section: Element, catalog: Catalog, agent: Agent, capability: str) -> None:
    """Add what the agent's cells answer, each with its sentence."""
    given = answered(catalog, agent, capability)
    if not given:
        return
    _add(section, "h3", "Questions")
    lines = _add(section, "dl", class_="questions")
    for question, cell in given:
        line = _add(lines, "div")
        _add(line, "dt", question, dir="auto")
        told = _add(line, "dd", dir="auto")
        _add(told, "strong", cell.verdict or cell.value or "", class_=f"says-{cell.verdict or 'value'}")
        told[-1].tail = escaped(f": {cell.because}") if cell.because else None


def _texts(section: Element, heading: str, texts: Iterable[str | None]) -> None:
    given = [text for text in texts if text]
    if not given:
        return
    _add(section, "h3", heading)
    lines = _add(section, "ul")
    for text in given:
        mark = mark_of(text)
        _add(lines, "li", f"{text} (ages fast)" if mark and mark.volatile else text, dir="auto")


def _sources(section: Element, sources: Iterable[Source]) -> None:
    given = list(sources)
    if not given:
        return
    _add(section, "h3", "Sources")
    lines = _add(section, "ul", class_="sources")
    for source in given:
        line = _add(lines, "li")
        _add_link(line, source.url, source.description)
        told = f"read {source.verified_date}" if source.verified_date else "not dated"
        line[-1].tail = f" ({told}{'' if source.status == 'active' else f', {source.status}'})"


def _add(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    """Add an element with a text; characters that a reader does not see are spelled out."""
    child = SubElement(
        parent, tag, {name.rstrip("_").replace("_", "-"): escaped(value) for name, value in attributes.items()}
    )
    child.text = escaped(text) or None
    return child


def _add_link(parent: Element, url: str, text: str = "") -> None:
    """Add a link to a web page; an address of another scheme is shown as text."""
    if is_web_page(url):
        _add(parent, "a", text or url, href=url, dir="auto")
    else:
        _add(parent, "span", f"{text} ({url})" if text else url, dir="auto")


def is_web_page(url: str) -> bool:
    """Return whether an address is one of http or https."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc)


def _html(root: Element) -> str:
    indent(root, "")
    return tostring(root, encoding="unicode", method="html")
