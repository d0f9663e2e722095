"""Checks that a vector file has this format and was built from this model and catalog; words the errors."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from embeddings.errors import VectorFileError
from embeddings.labels.phrase_book import PhraseBook

FORMAT: Final = 4
"""Incremented when the content or the meaning of the file changes."""

REBUILD: Final = "rebuild it with 'agent-capabilities build-vectors'"

_MEANING: Final = {"format": "format", "model": "model", "book": "catalog text"}


class Model(Protocol):
    """The model that must have made the vectors of a file."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def fingerprint(self) -> str:
        """Identifies the model."""


def check_origin(path: Path, header: Mapping[str, Any], model: Model, book: PhraseBook | None) -> None:
    """Check a file's header against the expected format, model and catalog; if `book` is None, any catalog is accepted.

    Raises:
        VectorFileError: one of them differs.
    """
    rules: list[tuple[str, object]] = [("format", FORMAT), ("model", model.fingerprint)]
    if book is not None:
        rules.append(("book", book.fingerprint))
    for field, wanted in rules:
        found = header.get(field)
        if found != wanted:
            raise VectorFileError(
                f"vector file {str(path)!r} has {_MEANING[field]} {str(found)[:16]!r}, not {str(wanted)[:16]!r}; "
                f"a vector file is valid for one format, model and catalog only; {REBUILD}"
            )


def damaged(path: Path, error: Exception) -> VectorFileError:
    """Make the error for a file whose content could not be used because of `error`."""
    return VectorFileError(
        f"vector file {str(path)!r} is damaged ({type(error).__name__}: {error}); its content must be as a build "
        f"writes it; {REBUILD}"
    )
