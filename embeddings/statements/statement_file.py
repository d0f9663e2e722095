"""Reads and writes the file of a catalog's embedded statements; refuses a damaged one, or one of other statements.

The statements themselves are not in it: a reader has them from the catalog, and their fingerprint is compared.
"""

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from embeddings.errors import VectorFileError
from embeddings.files import read_bytes, write_atomically
from embeddings.index.quantization import Blocks
from embeddings.index.vector_archive import Kind, unpack
from embeddings.index.vector_checks import check_blocks
from embeddings.index.vector_origin import REBUILD, Model, check_fields, header_of, naming_damage
from embeddings.statements.statement import Statement
from embeddings.statements.statement_index import StatementIndex, fingerprint, texts

FORMAT: Final = 2
"""Incremented when the content or the meaning of the file changes."""

MOST_BYTES: Final = 256 << 20
"""Largest file read, in bytes: 100 times the shipped one."""

KINDS: Final[Mapping[str, Kind]] = {
    "header": (1, (np.uint8,)),
    "vectors": (3, (np.uint8,)),
    "scales": (2, (np.float32,)),
}


def write(path: Path, index: StatementIndex) -> None:
    """Write an index; the same index gives the same bytes.

    Raises:
        OSError: the folder cannot be written.
    """
    header = {"format": FORMAT, "model": index.model, "statements": fingerprint(index.statements)}
    buffer = io.BytesIO()
    # Compressed, it would be a tenth smaller and take 10 ms longer to read.
    np.savez(
        buffer,
        allow_pickle=False,
        header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
        vectors=index.blocks.values,
        scales=index.blocks.scales,
    )
    write_atomically(path, buffer.getvalue())


def read(path: Path, model: Model, statements: Sequence[Statement]) -> StatementIndex:
    """Read the index of these statements.

    Raises:
        VectorFileError: the file is missing, damaged, of another format, or built from other statements or with another
            model.
    """
    what = f"statement file {str(path)!r}"
    wanted = {"format": FORMAT, "model": model.fingerprint, "statements": fingerprint(statements)}
    with naming_damage(path):
        try:
            arrays = unpack(read_bytes(path, MOST_BYTES), KINDS)
        except OSError as error:
            raise VectorFileError(
                f"{what} cannot be read ({error}); statements must be embedded once before they can be ranked; "
                f"{REBUILD}"
            ) from error
        check_fields(
            header_of(arrays), wanted, what, "a statement file is valid for one format, model and set of statements"
        )
        blocks = Blocks(arrays["vectors"], arrays["scales"], model.dimensions)
        check_blocks(blocks, len(texts(statements)))
        return StatementIndex(tuple(statements), blocks, model.fingerprint)
