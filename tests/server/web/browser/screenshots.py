"""Pictures of the page for the docs: `python -m tests.server.web.browser.screenshots [FOLDER]`.

They are taken of an inspection of the shipped catalog, light and 1,200 pixels wide, and stored with a palette of 256
colours. Each says what it was made from, so that a test finds those that are out of date without a browser.
"""

import hashlib
import io
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from server.matching.service import Service, open_service
from server.paths import shipped_data
from server.web.app import read_page
from tests.server.web.browser.chromium import chromium
from tests.server.web.browser.running import inspection
from tests.server.web.browser.views_parts import FRAGMENTS, PHRASE, settled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES: Final = shipped_data().parent / "docs" / "images"
PICTURES: Final = {"try": "page-try.png", "map": "page-map.png", "agents": "page-agents.png"}
"""Views, and the file of each one's picture."""
SIZE: Final[Any] = {"width": 1200, "height": 800}
COLOURS: Final = 256
_MADE_FROM: Final = "made-from"


def shown_now(service: Service) -> str:
    """Return the fingerprint of what the pictures show of a catalog, hex sha256.

    It changes with the page's files, the names of capabilities and agents, and the candidates of the phrase.
    """
    files = {name: hashlib.sha256(file.content).hexdigest() for name, file in sorted(read_page().items())}
    names = [*(capability.name for capability in service.catalog.capabilities), *service.catalog.agents]
    found = service.match(PHRASE)
    candidates = [found.decision, *(match.name for match in found.matches)]
    return hashlib.sha256(json.dumps([files, names, candidates]).encode()).hexdigest()


def made_from(png: bytes) -> str | None:
    """Return the fingerprint that a picture was stored with; None if there is none."""
    found = re.search(rb"tEXt%b\0([0-9a-f]{64})" % _MADE_FROM.encode(), png)
    return found[1].decode() if found else None


def picture(page: "Page", fingerprint: str) -> bytes:
    """Return a view as PNG, once everything is there."""
    settled(page)
    page.wait_for_timeout(1000)
    return with_palette(page.screenshot(), fingerprint)


def with_palette(png: bytes, fingerprint: str) -> bytes:
    """Return the picture with few colours, at a third of its size, and with what it was made from."""
    from PIL import Image, PngImagePlugin

    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    stored, said = io.BytesIO(), PngImagePlugin.PngInfo()
    said.add_text(_MADE_FROM, fingerprint)
    image.save(stored, "PNG", optimize=True, pnginfo=said)
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
    service = open_service(shipped_data())
    service.matchers.load()
    fingerprint = shown_now(service)
    with (
        tempfile.TemporaryDirectory() as work,
        inspection(Path(work), Path(work) / "log") as server,
        chromium() as browser,
    ):
        for view, name in PICTURES.items():
            (folder / name).write_bytes(picture(opened(browser, server.address, view), fingerprint))
            print(f"{name}: {(folder / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
