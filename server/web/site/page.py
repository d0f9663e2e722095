"""The frame of every page of the site, the elements that several pages have, and the words for an entry."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from embeddings.text.invisible import escaped
from server.catalog.models import CapabilityEntry, VolatileText
from server.tools.feature_parity import AVAILABLE
from server.tools.source_ages import source_dates
from server.web.site.addresses import INDEX


def add(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    """Add an element with a text; characters that a reader does not see are spelled out."""
    child = SubElement(
        parent, tag, {name.rstrip("_").replace("_", "-"): escaped(value) for name, value in attributes.items()}
    )
    child.text = escaped(text) or None
    return child


def html(root: Element) -> str:
    """Return the page as text."""
    indent(root, "")
    return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"


TITLE: Final = "What AI coding agents can do"

POLICY: Final = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; base-uri 'none'; form-action 'none'"
)
"""`file:` is for pages opened from disk: Chromium takes 'self' to mean files there, but the standard does not say so. A
page from a web host cannot load such an address."""


class Page:
    """A page of the site.

    Attributes:
        root: the whole page.
        main: takes the content.
        up: the way from this page to the first one's folder.
    """

    def __init__(self, title: str, path: str) -> None:
        """Make an empty page, which will be written to a path within the site."""
        self.up = "../" * path.count("/")
        self.root = Element("html", lang="en")
        self._head(title)
        body = SubElement(self.root, "body")
        add(body, "a", "Skip to content", class_="skip", href="#content")
        header = add(body, "header")
        navigation = add(header, "nav", aria_label="Site")
        add(navigation, "a", TITLE, href=f"{self.up}{INDEX}")
        self.main = add(body, "main", id="content", tabindex="-1")
        add(self.main, "h1", title, dir="auto")
        footer = add(body, "footer")
        add(footer, "p", "Each fact stands with the vendor's page that shows it and the day on which that was read.")

    def _head(self, title: str) -> None:
        head = SubElement(self.root, "head")
        SubElement(head, "meta", charset="utf-8")
        SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
        SubElement(head, "meta", name="referrer", content="no-referrer")
        SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
        SubElement(head, "meta", name="color-scheme", content="light dark")
        add(head, "title", title if title == TITLE else f"{title} - {TITLE}")
        SubElement(head, "link", rel="stylesheet", href=f"{self.up}style.css")

    def add_script(self) -> None:
        """Load the script that filters."""
        head = self.root[0]
        add(head, "script", src=f"{self.up}site.js", defer="defer")

    def to_bytes(self) -> bytes:
        """Return the page as it is written."""
        return html(self.root).encode()


def add_table(parent: Element, id_: str, caption: str, columns: Sequence[str]) -> tuple[Element, Element]:
    """Add an empty table in a box that scrolls, also by keyboard. Returns the row of its heading, and its body."""
    box = add(parent, "div", class_="scroll", role="region", tabindex="0", aria_labelledby=id_)
    found = add(box, "table")
    add(found, "caption", caption, id=id_, dir="auto")
    line = add(add(found, "thead"), "tr")
    for column in columns:
        add(line, "th", column, scope="col")
    return line, add(found, "tbody")


def add_link(parent: Element, url: str, text: str = "") -> None:
    """Add a link to a web page; an address of another scheme is shown as text."""
    if is_web_page(url):
        add(parent, "a", text or url, href=url, dir="auto")
    else:
        add(parent, "span", f"{text} ({url})" if text else url, dir="auto")


def is_web_page(url: str) -> bool:
    """Return whether an address is one of http or https."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc)


NOT_AVAILABLE = "not available"
NOT_DOCUMENTED = "not documented"


def offered(entry: CapabilityEntry | None) -> str:
    """Return whether an agent has a capability, from which plan on, and how mature it is."""
    if entry is None:
        return NOT_DOCUMENTED
    if not entry.available:
        return NOT_AVAILABLE
    return ", ".join(each for each in (entry.tier or AVAILABLE, entry.maturity_level) if each)


def read_on(entry: CapabilityEntry) -> str:
    """Return the day on which the oldest source was read; empty if no source has a date."""
    return next(iter(source_dates(entry.sources)), "")


def remarks(entry: CapabilityEntry) -> list[str]:
    """List what a reader should know of an entry beside what it says."""
    found = [] if entry.status == "active" else [f"status: {entry.status}"]
    found += [f"since {entry.since}"] if entry.since else []
    found += [f"until {entry.until}"] if entry.until else []
    return [*found, *(["ages fast"] if entry.ages_fast else [])]


def statement(text: str) -> str:
    """Return a limitation, requirement or pitfall, with a remark if it ages fast."""
    return f"{text} (ages fast)" if isinstance(text, VolatileText) else text
