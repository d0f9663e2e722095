"""Reads and writes the vector file; refuses one that is damaged or was built from another catalog or model.

The file is one .npz that holds a fitted index.
"""

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from embeddings.arrays import ByteArray, require
from embeddings.errors import VectorFileError
from embeddings.files import read_bytes, write_atomically
from embeddings.index import vector_archive
from embeddings.index.fitted_index import SIGNALS, ExpectedScores, FittedIndex, KernelRidge
from embeddings.index.held_out_scores import HeldOutScores
from embeddings.index.vector_archive import HALVES, LEXICAL, MAX_BYTES, WORDS, Arrays, unpack
from embeddings.index.vector_product import Blocks
from embeddings.labels.corpus import Corpus
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.char_ngrams import NgramIndex
from embeddings.text.word_index import WordIndex

FORMAT: Final = 6
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
    """Return the header among a file's arrays.

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


def write(path: Path, fitted: FittedIndex) -> None:
    """Write a fitted index; the same index gives the same bytes.

    Raises:
        OSError: the folder cannot be written.
    """
    header = {
        "format": FORMAT,
        "model": fitted.model,
        "book": fitted.corpus.book.fingerprint,
        "dimensions": fitted.whitening.shape[0],
        "signals": list(SIGNALS),
        "weights": fitted.weights.tolist(),
        "lexicalWeights": fitted.lexical_weights.tolist(),
        "approximate": fitted.approximate,
        "expected": None if fitted.expected is None else fitted.expected.numbers(),
        **({} if fitted.held_out is None else {"heldOut": fitted.held_out.to_value()}),
    }
    arrays: Arrays = {
        "header": _json_bytes(header),
        "book": _json_bytes(fitted.corpus.book.to_dict()),
        "background": _json_bytes(fitted.corpus.background),
        "whitening": fitted.whitening,
        "vectors": fitted.blocks.values,
        "scales": fitted.blocks.scales,
        "landmarks": fitted.head.landmarks,
        "coefficients": np.ascontiguousarray(fitted.head.coefficients),
    }
    arrays |= {LEXICAL + name: array for name, array in fitted.corpus.lexical.arrays().items()}
    arrays |= {WORDS + name: array for name, array in fitted.corpus.words.arrays().items()}
    stored = {name: array.astype(np.float16) if name in HALVES else array for name, array in arrays.items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **stored)
    write_atomically(path, buffer.getvalue())


def read(path: Path, model: Model, book: PhraseBook | None = None) -> FittedIndex:
    """Read a fitted index and check that its numbers have the right types, are finite and within bounds.

    Args:
        path: the file.
        model: the encoder, or its model files. It will embed the queries, and must be the model that the file was
            built with.
        book: the catalog that the file must have been built from (default: any).

    Raises:
        VectorFileError: the file is missing, damaged, of another format, built with another model, or stale. No other
            exception is raised, whatever the file holds.
    """
    arrays = _arrays(path)
    with naming_damage(path):
        header = header_of(arrays)
        check_origin(path, header, model, book)
        vector_archive.check_header(header)
        return _fitted(arrays, header, model, book or _stored_book(arrays, header))


def _arrays(path: Path) -> Arrays:
    try:
        arrays = unpack(read_bytes(path, MAX_BYTES))
        return {name: array.astype(np.float32) if name in HALVES else array for name, array in arrays.items()}
    except FileNotFoundError as error:
        raise VectorFileError(
            f"no vector file at {str(path)!r}; a catalog must be embedded once before it is used; {REBUILD}"
        ) from error
    except OSError as error:
        raise VectorFileError(
            f"vector file {str(path)!r} cannot be read ({error}); it must be a regular file of {MAX_BYTES:,} bytes at "
            f"most; {REBUILD}"
        ) from error
    except Exception as error:  # numpy and zipfile raise many types for a damaged archive.
        raise VectorFileError(
            f"vector file {str(path)!r} cannot be read ({type(error).__name__}: {error}); it must be a complete "
            f".npz file; {REBUILD}"
        ) from error


def _json_bytes(value: Any) -> ByteArray:
    return np.frombuffer(json.dumps(value, ensure_ascii=True).encode(), dtype=np.uint8)


def _stored_book(arrays: Arrays, header: dict[str, Any]) -> PhraseBook:
    """Read the catalog that is stored in the file."""
    book = PhraseBook.from_dict(json.loads(arrays["book"].tobytes()), strict=False)
    require(book.fingerprint == header["book"], "the stored catalog has the fingerprint that the header gives")
    return book


def _background(arrays: Arrays) -> list[str]:
    phrases = json.loads(arrays["background"].tobytes())
    texts = isinstance(phrases, list) and all(isinstance(phrase, str) for phrase in phrases)
    require(texts, "the background is a list of strings")
    return list(phrases)


def _with_prefix(arrays: Arrays, prefix: str) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _expected(stored: Any) -> ExpectedScores | None:
    return None if stored is None else ExpectedScores(*(np.array(each, dtype=np.float64) for each in stored))


def _fitted(arrays: Arrays, header: dict[str, Any], model: Model, book: PhraseBook) -> FittedIndex:
    rows = len(arrays["vectors"])
    require(arrays[LEXICAL + "size"].tolist() == [rows], "there is one lexical row for each vector")
    lexical = NgramIndex.from_arrays(_with_prefix(arrays, LEXICAL))
    words = WordIndex.from_arrays(_with_prefix(arrays, WORDS))
    fitted = FittedIndex(
        corpus=Corpus.build(book, _background(arrays), lexical, words),
        whitening=arrays["whitening"],
        blocks=Blocks(arrays["vectors"], arrays["scales"], arrays["whitening"].shape[1]),
        head=KernelRidge(arrays["landmarks"], arrays["coefficients"]),
        weights=np.array(header["weights"], dtype=np.float64),
        lexical_weights=np.array(header["lexicalWeights"], dtype=np.float64),
        model=header["model"],
        expected=_expected(header["expected"]),
        held_out=HeldOutScores.from_value(header["heldOut"]) if "heldOut" in header else None,
        approximate=header.get("approximate", False),
    )
    require(header["dimensions"] == model.dimensions, "the header's 'dimensions' are the encoder's")
    vector_archive.check(fitted, model.dimensions)
    return fitted
