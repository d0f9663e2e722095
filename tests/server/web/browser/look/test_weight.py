"""The first view is small."""

from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.running import Process
from tests.server.web.browser.views_parts import FRAGMENTS, settled
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Response

pytestmark = pytest.mark.slow

LIMIT: Final = 150_000


@pytest.mark.parametrize("fragment", ["", *(FRAGMENTS[view] for view in ("map", "agents", "health"))])
def test_a_first_view_is_under_150_kb(shipped: Process, visits: Visits, fragment: str) -> None:
    context = visits.context(shipped.address)
    answers: list[Response] = []
    context.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 -- Playwright marks the function
    page = context.new_page()
    page.goto(shipped.address + fragment)
    settled(page)
    # The map's points and what a measurement found are data, which grow with the catalog.
    sizes = {
        answer.url: answer.request.sizes()["responseBodySize"]
        for answer in answers
        if not answer.url.endswith(("api/map", "api/preflight"))
    }
    assert len(sizes) > 5
    assert sum(sizes.values()) < LIMIT, sizes
