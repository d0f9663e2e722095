"""Playwright's assertions, which wait; imported when used, so that tests are collected without the package."""

from typing import TYPE_CHECKING

from tests.server.web.browser.visits import SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Locator
    from playwright.sync_api._generated import LocatorAssertions


def expect(actual: "Locator") -> "LocatorAssertions":
    """Return the expectations of elements of a page within the time that a test waits."""
    from playwright.sync_api import expect as playwrights

    playwrights.set_options(timeout=SECONDS * 1000)
    return playwrights(actual)
