"""The pictures of the docs can be taken."""

from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.running import Process
from tests.server.web.browser.screenshots import PICTURES, SIZE, made_from, opened, picture

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

LARGEST: Final = 150_000
"""Bytes of a picture in the repository."""


@pytest.mark.parametrize("view", PICTURES)
def test_a_picture_of_each_view_can_be_taken(browser: "Browser", small: Process, view: str) -> None:
    page = opened(browser, small.address, view)
    taken = picture(page, "0" * 64)
    page.context.close()
    assert taken.startswith(b"\x89PNG")
    assert made_from(taken) == "0" * 64
    assert int.from_bytes(taken[16:20]) == SIZE["width"]
    assert 5_000 < len(taken) < LARGEST
