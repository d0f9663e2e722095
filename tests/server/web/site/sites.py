"""Sites made of toy catalogs, and what a browser without scripts makes of their pages."""

import json
import posixpath
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from server.catalog.catalog import Catalog
from server.catalog.loading import load_catalog
from server.web.site import site_files
from tests.toy import AGENT_FILES, entry, write_data

_VOID: Final = frozenset({"meta", "link"})
_APART: Final = frozenset({"p", "li", "td", "th", "h1", "h2", "h3", "div", "tr"})


@dataclass
class Tag:
    """One start tag."""

    name: str
    attributes: dict[str, str]


@dataclass
class Site:
    """The files of a site."""

    files: dict[str, bytes]
    pages: "dict[str, Reader]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path, content in self.files.items():
            if path.endswith(".html"):
                self.pages[path] = Reader(path, content.decode())


class Reader(HTMLParser):
    """Reads a page: its tags, and its visible text, an element's after another's on a line of its own."""

    def __init__(self, path: str, content: str) -> None:
        super().__init__()
        self.path = path
        self.tags: list[Tag] = []
        self.open: list[str] = []
        self._parts: list[str] = []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(Tag(tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self.open.append(tag)
        if tag in _APART:
            self._parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{self.path}: {tag} ends another element"

    def handle_data(self, data: str) -> None:
        if "head" not in self.open:
            self._parts.append(data)

    @cached_property
    def text(self) -> str:
        lines = (" ".join(line.split()) for line in "".join(self._parts).splitlines())
        return "\n".join(line for line in lines if line)

    @property
    def ids(self) -> list[str]:
        return [tag.attributes["id"] for tag in self.tags if "id" in tag.attributes]

    def values(self, attribute: str) -> list[str]:
        return [tag.attributes[attribute] for tag in self.tags if attribute in tag.attributes]

    def target(self, address: str) -> tuple[str, str] | None:
        """Return the path and the fragment within the site that an address leads to; None if it leads elsewhere."""
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), unquote(parts.path)))
        return (path if parts.path else self.path), parts.fragment


def site_of(catalog: Catalog) -> Site:
    return Site(site_files(catalog))


def toy_site(folder: Path, agents: dict[str, dict[str, Any]] = AGENT_FILES, **texts: Any) -> Site:
    """Return the site of toy agents; `texts` replaces files of the data folder, by their names without `.json`."""
    write_data(folder, agents)
    for name, value in texts.items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return site_of(load_catalog(folder))


def one_entry(**fields: Any) -> dict[str, dict[str, Any]]:
    """Return one agent with one entry."""
    return {"one": {"agent": {"name": "One"}, "capabilities": [entry("Checkpoints", "a", **fields)]}}
