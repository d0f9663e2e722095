"""Embeds the statements of a catalog, and compares a file of them with what it should be built from."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from embeddings.arrays import halved
from embeddings.encoder.protocol import TextEncoder
from embeddings.index.vector_product import BLOCK_SIZE, Blocks, quantize
from embeddings.ranking.signals import whiten
from embeddings.statements import statement_index
from embeddings.statements.statement import Statement
from embeddings.statements.statement_index import StatementIndex, texts
from embeddings.training.build import Progress, embed, strongest
from embeddings.training.staleness import moved


def build_statements(
    statements: Sequence[Statement],
    encoder: TextEncoder,
    progress: Progress | None = None,
    known: StatementIndex | None = None,
) -> StatementIndex:
    """Embed statements and their questions.

    Args:
        statements: those of one group and label stand together; there is at least one.
        encoder: embeds them now and the queries later.
        progress: called with the number of texts embedded so far and the number of those to embed.
        known: an index whose axes are kept and whose texts are not embedded again, if the same encoder made it.
    """
    wanted = texts(statements)
    stored = known if known and known.model == encoder.fingerprint else None
    embedded = texts(stored.statements) if stored else []
    row_of = {text: row for row, text in enumerate(embedded)}
    new = [text for text in wanted if text not in row_of]
    row_of |= {text: row for row, text in enumerate(new, start=len(embedded))}
    rows = np.array([row_of[text] for text in wanted], dtype=np.int64)
    if stored and not new:
        return replace(stored, statements=tuple(statements), blocks=stored.blocks.rows(rows))
    vectors = embed(new, encoder, progress)
    axes = stored.axes if stored else halved(strongest(np.eye(vectors.shape[1]), vectors))
    blocks = [*([stored.blocks] if stored else []), quantize(whiten(vectors, axes), BLOCK_SIZE)]
    return StatementIndex(tuple(statements), axes, Blocks.joined(blocks).rows(rows), encoder.fingerprint)


def differences(
    path: Path, statements: Sequence[Statement], encoder: TextEncoder, progress: Progress | None = None
) -> list[str]:
    """Compare a statement file with the statements and the encoder that it should be built from.

    Returns:
        A line that says what differs; an empty list if the file is up to date.

    Raises:
        VectorFileError: the file is missing, damaged, of another format, or built from other statements or another
            model.
    """
    stored = statement_index.read(path, encoder, statements)
    embedded = texts(statements)
    return moved(embedded, whiten(embed(embedded, encoder, progress), stored.axes), stored.blocks.restore())
