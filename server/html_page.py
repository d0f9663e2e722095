"""Builds an HTML page from elements, so that every text is escaped; without a template, it needs no other package."""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from embeddings.text.invisible import escaped
from server.page_style import STYLE


def new_page(title: str, more_style: str) -> tuple[Element, Element]:
    """An empty page. Returns its root, and the element that takes the content."""
    root = Element("html", lang="en")
    head = SubElement(root, "head")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", name="viewport", content="width=device-width")
    add(head, "title", title)
    SubElement(head, "style").text = f"\n{STYLE}{more_style}"
    return root, SubElement(SubElement(root, "body"), "main")


def add(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    """Add an element with a text; characters that a reader does not see are spelled out."""
    child = SubElement(
        parent, tag, {name.rstrip("_").replace("_", "-"): escaped(value) for name, value in attributes.items()}
    )
    child.text = escaped(text) or None
    return child


def table(parent: Element, caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Add a table whose columns have headings."""
    found = add(parent, "table")
    add(found, "caption", caption)
    line = add(add(found, "thead"), "tr")
    for name in head:
        add(line, "th", name, scope="col")
    body = add(found, "tbody")
    for row in rows:
        line = add(body, "tr")
        for cell in row:
            add(line, "td", cell)


def html(root: Element) -> str:
    """The page as text."""
    indent(root, "")
    return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"
