"""The files of the page: read once, sent compressed, and sent again only when they have changed."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from starlette.requests import Request
from starlette.responses import Response

FOLDER: Final = Path(__file__).parent / "page"

SHELL: Final = "index.html"
"""The file at the page's own address; the others are below `page/`."""

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""Kinds of files that are sent, with their media types; the system's own table of types may say something else."""


@dataclass(frozen=True)
class PageFile:
    """One file.

    Attributes:
        content: as it is.
        compressed: with gzip.
        media_type: what it is.
        tag: its entity tag, of either form.
    """

    content: bytes
    compressed: bytes
    media_type: str
    tag: str

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            OSError: it cannot be read.
        """
        content = path.read_bytes()
        tag = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'
        return cls(content, gzip.compress(content, mtime=0), TYPES[path.suffix], tag)

    def respond(self, request: Request) -> Response:
        """The response to a request: the file, compressed if the client takes that, or that it has not changed."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if self.tag in map(str.strip, request.headers.get("If-None-Match", "").split(",")):
            return Response(status_code=304, headers=headers)
        if not _takes_gzip(request.headers.get("Accept-Encoding", "")):
            return Response(self.content, headers=headers, media_type=self.media_type)
        headers["Content-Encoding"] = "gzip"
        return Response(self.compressed, headers=headers, media_type=self.media_type)


def read_page(folder: Path = FOLDER) -> Mapping[str, PageFile]:
    """The page's files by name.

    Raises:
        OSError: a file cannot be read.
    """
    return {path.name: PageFile.read(path) for path in sorted(folder.iterdir()) if path.suffix in TYPES}


def _takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header names gzip, and not with the weight 0."""
    for item in accepted.casefold().split(","):
        coding, _, weight = item.partition(";")
        if coding.strip() == "gzip":
            return weight.strip() not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False
