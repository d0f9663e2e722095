"""The frame of every page of the site, and the elements that several pages have."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement

from server.html_page import add, html
from server.web.site.addresses import INDEX

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
        """The page as it is written."""
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
    """Whether an address is one of http or https."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc)
