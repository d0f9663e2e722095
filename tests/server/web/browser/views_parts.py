"""Where the parts of the page are, as a person or a screen reader finds them."""

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

VIEWS: Final = {"try": "Try", "map": "Map", "agents": "Agents", "health": "Catalog health"}


def navigation(page: "Page") -> "Locator":
    """Return the links to the views."""
    return page.get_by_role("navigation", name="Views")


def phrase_box(page: "Page") -> "Locator":
    """Return the box of Try."""
    return page.get_by_label("What is wanted, in any words")


def candidates(page: "Page") -> "Locator":
    """Return the ranked labels of Try."""
    return page.get_by_role("list", name="Candidates").locator(":scope > li")


def verdict(page: "Page") -> "Locator":
    """Return the decision in words."""
    return page.get_by_role("main").locator(".verdict")


def shown(page: "Page", view: str) -> "Locator":
    """Return the link of the view that is shown, as the navigation marks it."""
    return navigation(page).get_by_role("link", name=VIEWS[view], exact=True).and_(page.locator("[aria-current]"))


PHRASE: Final = "can it undo what it did"

FRAGMENTS: Final = {
    "try": f"#try?q={quote(PHRASE)}",
    "map": f"#map?q={quote(PHRASE)}&label=Checkpoints",
    "label": "#label?name=Checkpoints",
    "agents": "#agents",
    "entry": "#entry?capability=Checkpoints&agents=claude-code,gemini-cli",
    "health": "#health",
}
"""Each view with something in it."""


def settled(page: "Page") -> "Page":
    """Return the page as soon as it shows a view and has asked nothing for half a second."""
    page.locator("main > *").first.wait_for()
    page.wait_for_load_state("networkidle")
    return page
