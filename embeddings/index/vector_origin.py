"""Checks that a vector file has this format and was built from this model and catalog; words the errors."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

from embeddings.checks import require
from embeddings.errors import VectorFileError
from embeddings.index.vector_archive import Arrays
from embeddings.labels.phrase_book import PhraseBook

FORMAT: Final = 5
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
    wanted: dict[str, object] = {"format": FORMAT, "model": model.fingerprint}
    if book is not None:
        wanted["book"] = book.fingerprint
    check_fields(
        header, wanted, f"vector file {str(path)!r}", "a vector file is valid for one format, model and catalog"
    )


def check_fields(header: Mapping[str, Any], wanted: Mapping[str, object], what: str, rule: str) -> None:
    """Check that a header has the wanted values.

    Args:
        header: of a file.
        wanted: values by field.
        what: names the file in the error.
        rule: what the file is valid for.

    Raises:
        VectorFileError: one of them differs.
    """
    for field, value in wanted.items():
        found = header.get(field)
        if found != value:
            raise VectorFileError(
                f"{what} has {_MEANING.get(field, field)} {str(found)[:16]!r}, not {str(value)[:16]!r}; {rule} only; "
                f"{REBUILD}"
            )


def header_of(arrays: Arrays) -> dict[str, Any]:
    """The header among a file's arrays.

    Raises:
        ValueError: it is not a JSON object.
    """
    header = json.loads(arrays["header"].tobytes())
    require(isinstance(header, dict), "the header is a JSON object")
    return dict(header)


@contextmanager
def naming_damage(path: Path) -> Iterator[None]:
    """Raise every error of using a file's content as one that says that the file is damaged.

    Raises:
        VectorFileError: the content could not be used, or raised this itself.
    """
    try:
        yield
    except VectorFileError:
        raise
    except Exception as error:  # Damage can cause any exception, such as RecursionError or MemoryError.
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> VectorFileError:
    """Make the error for a file whose content could not be used because of `error`."""
    return VectorFileError(
        f"vector file {str(path)!r} is damaged ({type(error).__name__}: {error}); its content must be as a build "
        f"writes it; {REBUILD}"
    )
