"""The watch over the pages notices what it is there for."""

from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.running import Process
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

FAULTS: Final = {
    "console.error('broken')": "broken",
    "setTimeout(() => { throw new Error('thrown') })": "thrown",
    "document.head.append(Object.assign(document.createElement('script'), {text: 'window.planted = 1'}))": "script-src",
    "document.body.setAttribute('style', 'color: red')": "style-src",
    "fetch('https://example.com/').catch(() => 0)": "connect-src",
    "document.body.append(Object.assign(new Image(), {src: 'https://example.com/pixel'}))": "img-src",
    "fetch('/no-such-file')": "404",
}


@pytest.mark.parametrize(("script", "fault"), FAULTS.items())
def test_what_a_page_complains_of_fails_the_test(browser: "Browser", shipped: Process, script: str, fault: str) -> None:
    visits = Visits(browser)
    page = visits.page(shipped.address)
    page.evaluate(f"() => {{ {script} }}")
    page.wait_for_timeout(500)
    with pytest.raises(AssertionError, match=fault):
        visits.end()


def test_a_request_to_another_host_fails_the_test(browser: "Browser", shipped: Process) -> None:
    visits = Visits(browser)
    page = visits.page(shipped.address)
    page.evaluate("() => { location.href = 'https://example.com/elsewhere' }")
    page.wait_for_timeout(500)
    with pytest.raises(AssertionError, match="leaves the page's origin"):
        visits.end()
