"""The vector file: a fitted index in one .npz, refused when it is not whole or not of this catalog and model."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from embeddings.blocks import Blocks
from embeddings.errors import PhraseBookError, VectorFileError
from embeddings.files import write_atomically
from embeddings.fitted_index import FittedIndex
from embeddings.kernel_head import KernelHead
from embeddings.lexical_index import LexicalIndex
from embeddings.phrase_book import PhraseBook
from embeddings.phrase_index import PhraseIndex
from embeddings.signals import SIGNALS
from embeddings.vector_product import BLOCK_SIZE

FORMAT: Final = 3
"""Raised when the content or the meaning of the file changes."""

REBUILD: Final = "rebuild it with 'agent-capabilities build-vectors'"

_LEXICAL: Final = "lexical_"
_UNIT_TOLERANCE: Final = 0.01


def write(path: Path, fitted: FittedIndex) -> None:
    """Write a fitted index; the same one gives the same bytes.

    Raises:
        OSError: the folder cannot be written.
    """
    header = {
        "format": FORMAT,
        "model": fitted.model,
        "book": fitted.index.book.fingerprint,
        "dimensions": fitted.whitening.shape[0],
        "signals": list(SIGNALS),
        "weights": fitted.weights.tolist(),
        "lexicalWeights": fitted.lexical_weights.tolist(),
    }
    arrays: dict[str, npt.NDArray[Any]] = {
        "header": _json_bytes(header),
        "book": _json_bytes(fitted.index.book.to_dict()),
        "whitening": fitted.whitening,
        "vectors": fitted.blocks.values,
        "scales": fitted.blocks.scales,
        "landmarks": fitted.head.landmarks,
        "coefficients": fitted.head.coefficients,
    }
    arrays |= {_LEXICAL + name: array for name, array in fitted.index.lexical.arrays().items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    write_atomically(path, buffer.getvalue())


def read(path: Path, model: str, book: PhraseBook | None = None) -> FittedIndex:
    """Read a fitted index.

    Args:
        path: the file.
        model: fingerprint of the encoder that will embed queries.
        book: the catalog the file must have been built from; any when left out.

    Raises:
        VectorFileError: the file is missing, damaged, of another format, made with another model, or stale.
    """
    arrays = _load(path)
    try:
        header = json.loads(arrays["header"].tobytes())
        _check_header(path, header, model, book)
        return _fitted(arrays, header, book or PhraseBook.from_dict(json.loads(arrays["book"].tobytes())))
    except VectorFileError:
        raise
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, PhraseBookError) as error:
        raise VectorFileError(
            f"vector file {str(path)!r} is damaged ({type(error).__name__}: {error}); it must hold what the build "
            f"writes; {REBUILD}"
        ) from error


def _json_bytes(value: Any) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value, ensure_ascii=True).encode(), dtype=np.uint8)


def _load(path: Path) -> dict[str, npt.NDArray[Any]]:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise VectorFileError(f"no vector file at {str(path)!r}; a catalog is embedded once; {REBUILD}") from error
    except OSError as error:
        raise VectorFileError(f"vector file {str(path)!r} cannot be read ({error}); {REBUILD}") from error
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception as error:  # numpy and zipfile raise a dozen kinds for bytes that are not a whole archive.
        raise VectorFileError(
            f"vector file {str(path)!r} cannot be read ({type(error).__name__}: {error}); it must be a whole .npz; "
            f"{REBUILD}"
        ) from error


def _check_header(path: Path, header: Mapping[str, Any], model: str, book: PhraseBook | None) -> None:
    rules = [("format", header["format"], FORMAT), ("model", header["model"], model)]
    if book is not None:
        rules.append(("book", header["book"], book.fingerprint))
    for field, found, wanted in rules:
        if found != wanted:
            raise VectorFileError(
                f"vector file {str(path)!r} is of {_MEANING[field]} {str(found)[:16]!r}, not {str(wanted)[:16]!r}; "
                f"vectors of one are of no use for another; {REBUILD}"
            )


_MEANING: Final = {"format": "format", "model": "model", "book": "catalog text"}


def _fitted(arrays: Mapping[str, npt.NDArray[Any]], header: Mapping[str, Any], book: PhraseBook) -> FittedIndex:
    lexical = {name.removeprefix(_LEXICAL): array for name, array in arrays.items() if name.startswith(_LEXICAL)}
    index = PhraseIndex.build(book, LexicalIndex.from_arrays(lexical))
    fitted = FittedIndex(
        index=index,
        whitening=arrays["whitening"],
        blocks=Blocks(arrays["vectors"], arrays["scales"], arrays["whitening"].shape[1]),
        head=KernelHead(arrays["landmarks"], arrays["coefficients"]),
        weights=np.array(header["weights"], dtype=np.float64),
        lexical_weights=np.array(header["lexicalWeights"], dtype=np.float64),
        model=header["model"],
    )
    _check_shapes(fitted, header)
    return fitted


def _check_shapes(fitted: FittedIndex, header: Mapping[str, Any]) -> None:
    """Raise ValueError unless the parts fit together."""
    texts, labels = len(fitted.index.phrases), len(fitted.index.book.labels)
    landmarks, coefficients = fitted.head.landmarks, fitted.head.coefficients
    in_blocks = _in_blocks(fitted.blocks)
    rules = {
        "signals are this version's": header["signals"] == list(SIGNALS),
        "one vector a phrase": len(fitted.blocks.values) == texts,
        "vectors are in blocks, as wide as the whitening maps to": in_blocks,
        "vectors are of unit length": not in_blocks or _unit_or_zero(fitted.blocks.restore()),
        "the whitening maps the model's vectors": len(fitted.whitening) == header["dimensions"],
        "one column a label": coefficients.shape == (len(landmarks), labels + 1),
        "landmarks are phrases": bool(((landmarks >= 0) & (landmarks < texts)).all()),
        "one lexical row a phrase": fitted.index.lexical.size == texts and fitted.index.lexical.is_whole(),
        "one weight a signal": fitted.weights.shape == fitted.lexical_weights.shape == (len(SIGNALS),),
        "numbers are finite": all(
            bool(np.isfinite(numbers).all())
            for numbers in (coefficients, fitted.whitening, fitted.weights, fitted.lexical_weights)
        ),
    }
    broken = [rule for rule, holds in rules.items() if not holds]
    if broken:
        raise ValueError("it breaks the rule that " + "; that ".join(broken))


def _in_blocks(blocks: Blocks) -> bool:
    rows, count, size = blocks.values.shape
    whole = blocks.values.dtype == np.uint8 and blocks.scales.shape == (rows, count) and size == BLOCK_SIZE
    return whole and 0 <= count * size - blocks.width < size


def _unit_or_zero(vectors: npt.NDArray[np.float32]) -> bool:
    """A text that says nothing to an encoder may have the zero vector; it is like nothing."""
    lengths = np.linalg.norm(vectors, axis=1)
    return bool(((np.abs(lengths - 1) < _UNIT_TOLERANCE) | (lengths == 0)).all())
