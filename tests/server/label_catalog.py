"""A catalog of labels in a file, and a service over it."""

import json
from pathlib import Path
from typing import Any, Final

from embeddings.matcher import Matcher
from server.matching import vector_cache
from server.matching.label_service import LabelService, open_labels
from tests.toy import BOOK, ToyEncoder

METADATA: Final = {"queue": 7, "open": None, "names": ["a"]}

CATALOG: Final[dict[str, Any]] = {
    "labels": [
        {**label, "id": f"id-{position}", **({"metadata": METADATA} if position == 0 else {})}
        for position, label in enumerate(BOOK.to_dict()["labels"])
    ],
    "outOfScope": list(BOOK.out_of_scope),
}
"""The toy catalog with ids; the first label has metadata."""

TOOLS: Final[dict[str, Any]] = {
    "tools": [
        {"name": "undo_it", "description": "undo and restore"},
        {"name": "undo-it", "description": "rewind to what was"},
        {"name": "look", "description": "see a picture"},
    ]
}
"""Tools of an MCP server, of which two have names that fold alike."""


_BUILT: Final[dict[str, Matcher]] = {}
"""The matchers built so far, by their catalog's fingerprint: a build takes a second."""


def written(path: Path, content: Any) -> Path:
    """Replace a catalog file in one step, so that a watching server does not read half of it."""
    other = path.with_suffix(".new")
    other.write_text(json.dumps(content), encoding="utf-8")
    other.replace(path)
    return path


def label_service(folder: Path, content: Any) -> LabelService:
    """Return a service over a catalog file, its matcher loaded."""
    service = open_labels(written(folder / "catalog.json", content), lambda threads: ToyEncoder())
    key = service.matchers.fingerprint
    if key in _BUILT:
        vector_cache.keep(_BUILT[key], _BUILT[key].book, ToyEncoder())
    service.matchers.load()
    _BUILT[key] = service.whole_matcher
    return service
