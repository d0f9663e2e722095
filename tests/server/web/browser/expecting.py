"""Playwright's assertions, which wait; imported when used, so that tests are collected without the package."""

from typing import TYPE_CHECKING, overload

from tests.server.web.browser.visits import SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, LocatorAssertions, Page, PageAssertions


@overload
def expect(actual: "Page") -> "PageAssertions": ...
@overload
def expect(actual: "Locator") -> "LocatorAssertions": ...
def expect(actual: "Page | Locator") -> "PageAssertions | LocatorAssertions":
    """What is expected of a page or of its elements, within the time that a test waits."""
    from playwright.sync_api import expect as playwrights

    playwrights.set_options(timeout=SECONDS * 1000)
    return playwrights(actual)
