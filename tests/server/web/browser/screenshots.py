"""Pictures of the page for the docs: `python -m tests.server.web.browser.screenshots [FOLDER]`.

They are taken of an inspection of the shipped catalog, light and 1,200 pixels wide, and stored with a palette of 256
colours. The picture of the health waits until it is measured, which takes minutes.
"""

import io
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from server.paths import shipped_data
from tests.server.web.browser.chromium import chromium
from tests.server.web.browser.running import inspection
from tests.server.web.browser.views_parts import FRAGMENTS, settled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES: Final = shipped_data().parent / "docs" / "images"
PICTURES: Final = {
    "try": "page-try.png",
    "map": "page-map.png",
    "agents": "page-agents.png",
    "health": "page-health.png",
}
"""Views, and the file of each one's picture."""
READY: Final[Mapping[str, str]] = {"health": "#preflight-title ~ .state .summary"}
"""Elements that have to be there before the picture is taken, besides what the view asks for at once."""
SIZE: Final[Any] = {"width": 1200, "height": 800}
MINUTES: Final = 20
COLOURS: Final = 256


def picture(page: "Page", view: str) -> bytes:
    """Return a view as PNG, once everything is there."""
    settled(page)
    if view in READY:
        page.locator(READY[view]).wait_for(timeout=MINUTES * 60_000)
    page.wait_for_timeout(1000)
    return with_palette(page.screenshot())


def with_palette(png: bytes) -> bytes:
    """Return the picture with few colours, at a third of its size."""
    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    stored = io.BytesIO()
    image.save(stored, "PNG", optimize=True)
    return stored.getvalue()


def opened(browser: "Browser", address: str, view: str) -> "Page":
    """Return a view in a window of the pictures' size."""
    context = browser.new_context(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
    page = context.new_page()
    page.goto(address + FRAGMENTS[view])
    return page


def main() -> None:
    """Write all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as work,
        inspection(Path(work), Path(work) / "log") as server,
        chromium() as browser,
    ):
        for view, name in PICTURES.items():
            (folder / name).write_bytes(picture(opened(browser, server.address, view), view))
            print(f"{name}: {(folder / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
