"""Keeps what was found out about catalogs in the user's cache folder, because finding it out takes up to minutes."""

import hashlib
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from embeddings.files import MOST_TEXT, read_text, write_atomically
from embeddings.labels.phrase_book import PhraseBook
from server import package_version
from server.matching.cache_folder import cache_folder
from server.matching.phrase_service import PhraseService
from server.web.answers.health.measured import Measured

logger = logging.getLogger(__name__)

MOST_KEPT: Final = 32
"""Files that are kept; each has some ten to some hundred kilobytes."""


@dataclass(frozen=True)
class Found:
    """What was found out about one catalog.

    Attributes:
        report: as `preflight --format json` prints it.
        measured: of each label.
    """

    report: dict[str, Any]
    measured: Measured


_AS_JSON: Final = TypeAdapter(Found)


def find(service: PhraseService, book: PhraseBook) -> Found | None:
    """What is kept of a catalog; None if nothing is, or nothing that can be read."""
    try:
        return _AS_JSON.validate_json(read_text(_path(service, book), MOST_TEXT))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ValidationError) as error:
        logger.warning("what was kept of the catalog's health is not used: %s", error)
        return None


def keep(service: PhraseService, book: PhraseBook, found: Found) -> None:
    """Keep what was found, and as many files as are kept at most; log a warning if it cannot be kept."""
    try:
        path = _path(service, book)
        write_atomically(path, _AS_JSON.dump_json(found))
        files = sorted(path.parent.glob("health-*.json"), key=lambda each: each.stat().st_mtime_ns)
        for old in files[:-MOST_KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("the catalog's health is not kept: %s", error)


def _path(service: PhraseService, book: PhraseBook) -> Path:
    """A file of its own for all that the report depends on."""
    depends: list[object] = [package_version(), book.to_dict(), asdict(service.matchers.costs)]
    depends.append(service.matchers.get().model_fingerprint)
    text = json.dumps(depends, ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return cache_folder() / f"health-{digest[:32]}.json"
