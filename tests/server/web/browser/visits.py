"""Opens pages, and notes whatever they complain of."""

import os
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebError

SECONDS: Final = 20
"""For anything that a test waits for; the machine may be busy."""
LISTEN: Final = """
addEventListener("securitypolicyviolation", (event) =>
  reportViolation(`${event.violatedDirective} refused ${event.blockedURI} in ${event.sourceFile}`));
"""


def origin_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


class Visits:
    """The pages that one test looks at. Console errors, violations of the CSP and foreign requests are its faults."""

    def __init__(self, browser: "Browser") -> None:
        self.faults: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._expected: tuple[str, ...] = ()

    def expect(self, *parts: str) -> None:
        """Errors in the console that have one of these parts are meant to be there."""
        self._expected += parts

    def context(self, address: str, **options: Any) -> "BrowserContext":
        """Return a profile of its own, for pages of the address's origin."""
        context = self._browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(SECONDS * 1000)
        context.on("console", self._note_console)
        context.on("weberror", self._note_error)
        origin = origin_of(address)
        context.on("request", lambda request: self._note_request(request, origin))
        context.expose_function("reportViolation", lambda text: self.faults.append(f"CSP: {text}"))
        context.add_init_script(LISTEN)
        self._contexts.append(context)
        return context

    def page(self, address: str, fragment: str = "", **options: Any) -> "Page":
        """Return a page at an address, in a profile of its own."""
        page = self.context(address, **options).new_page()
        page.goto(address + fragment)
        return page

    def end(self) -> None:
        """Close everything; no page may have had a fault that no test expects."""
        for context in self._contexts:
            context.close()
        unexpected = [fault for fault in self.faults if not any(part in fault for part in self._expected)]
        assert not unexpected, os.linesep.join(unexpected)

    def _note_console(self, message: "ConsoleMessage") -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _note_error(self, error: "WebError") -> None:
        self.faults.append(f"uncaught: {error.error}")

    def _note_request(self, request: "Request", origin: str) -> None:
        if not request.url.startswith((f"{origin}/", "data:", "blob:")):
            self.faults.append(f"request that leaves the page's origin: {request.url}")
