"""The pictures of the docs can be taken."""

import re
from typing import TYPE_CHECKING, Final

import pytest

from server.paths import shipped_data
from tests.server.web.browser.running import Process
from tests.server.web.browser.screenshots import IMAGES, PICTURES, SIZE, opened, picture

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

LARGEST: Final = 150_000
"""Bytes of a picture in the repository."""


@pytest.mark.parametrize("view", PICTURES)
def test_a_picture_of_each_view_can_be_taken(browser: "Browser", small: Process, view: str) -> None:
    page = opened(browser, small.address, view)
    taken = picture(page, view)
    page.context.close()
    assert taken.startswith(b"\x89PNG")
    assert int.from_bytes(taken[16:20]) == SIZE["width"]
    assert 5_000 < len(taken) < LARGEST


def test_the_docs_show_pictures_that_are_taken_and_small() -> None:
    text = (shipped_data().parent / "docs" / "web.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\(images/([^)]+)\)", text)
    assert shown
    assert set(shown) <= set(PICTURES.values())
    assert all((IMAGES / name).stat().st_size < LARGEST for name in shown)
