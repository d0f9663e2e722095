"""Embeds the statements of a catalog, and compares a file of them with what it should be built from."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from embeddings.encoder.protocol import TextEncoder
from embeddings.index.vector_product import BLOCK_SIZE, Blocks, quantize
from embeddings.statements import statement_index
from embeddings.statements.statement import Statement
from embeddings.statements.statement_index import StatementIndex, texts
from embeddings.training.build import Progress, embed
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
        known: an index whose texts are not embedded again, if the same encoder made it.
    """
    wanted = texts(statements)
    stored = known if known and known.model == encoder.fingerprint else None
    row_of = {text: row for row, text in enumerate(texts(stored.statements))} if stored else {}
    new = [text for text in wanted if text not in row_of]
    blocks = [stored.blocks] if stored else []
    if new:
        row_of |= {text: row for row, text in enumerate(new, start=len(stored.blocks.values) if stored else 0)}
        blocks.append(quantize(embed(new, encoder, progress), BLOCK_SIZE))
    return StatementIndex(
        tuple(statements),
        Blocks.joined(blocks).rows(np.array([row_of[text] for text in wanted], dtype=np.int64)),
        encoder.fingerprint,
    )


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
    return moved(embedded, embed(embedded, encoder, progress), stored.blocks.restore())
