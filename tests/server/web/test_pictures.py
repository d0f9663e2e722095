"""The pictures in the README and the docs show the page as it is."""

import re
from typing import Final

from server.matching.service import Service
from tests.server.web.browser.screenshots import IMAGES, made_from, shown_now

LARGEST: Final = 150_000
"""Bytes of a picture in the repository."""

_SHOWN: Final = re.compile(r"\]\((?:docs/)?images/([^)]+\.png)\)")


def test_the_pictures_of_the_page_are_current_and_small(shipped_service: Service) -> None:
    root = IMAGES.parents[1]
    shown = {name for page in ("README.md", "docs/web.md") for name in _SHOWN.findall((root / page).read_text("utf-8"))}
    assert shown == {path.name for path in IMAGES.glob("*.png")}
    now = shown_now(shipped_service)
    for name in shown:
        taken = (IMAGES / name).read_bytes()
        assert made_from(taken) == now, f"{name}: run python -m tests.server.web.browser.screenshots"
        assert len(taken) < LARGEST
