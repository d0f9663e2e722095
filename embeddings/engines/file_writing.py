"""Writes the file of a published version."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from embeddings.arrays import ByteArray, IntArray
from embeddings.engines import file_sections
from embeddings.engines.file_base import coarse, hashed, rows_of
from embeddings.engines.file_sections import Section
from embeddings.files import Buffer
from embeddings.index.quantization import Blocks
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel

_FACETS: Final = ("tenant", "language", "tags")


class _Gathered:
    """The contents of a file, gathered label by label, so that their records need not be in memory together."""

    def __init__(self) -> None:
        self.layout: tuple[int, ...] = ()
        self.rows: list[ByteArray] = []
        self.coarse: list[Blocks] = []
        self.packed: list[bytes] = []
        self.keys: list[bytes] = []
        self.names: list[tuple[int, int]] = []
        self.facets: dict[str, dict[str, Any]] = {}

    def add(self, record: StoredLabel) -> None:
        """Add a label; they come in the order of their keys."""
        place = len(self.keys)
        self.rows.append(rows_of(record.blocks))
        self.coarse.append(coarse(record.blocks.restore()))
        self.layout = (*record.blocks.values.shape[1:], self.coarse[-1].values.shape[1])
        self.packed.append(record.pack(vectors=False))
        self.keys.append(record.key.encode())
        self.names.extend((hashed(text), place) for text in record.named)
        facets = {name: record.label.metadata[name] for name in _FACETS if name in record.label.metadata}
        if facets:
            self.facets[str(place)] = facets


def written(records: Iterable[StoredLabel], manifest: Manifest) -> Iterator[Buffer]:
    """Yield the contents of a version's file, part by part.

    Args:
        records: the labels, at least one, in the order of their keys; each is used before the next one is asked for.
        manifest: of the version.
    """
    found = _Gathered()
    for record in records:
        found.add(record)
    sizes = [len(rows) for rows in found.rows]
    names = sorted(found.names)
    hashes = sorted((hashed(key.decode()), row) for row, key in enumerate(found.keys))
    offsets = _ends([len(each) for each in found.packed])
    arrays: dict[str, npt.NDArray[Any] | Section] = {
        "manifest": np.frombuffer(manifest.pack(), dtype=np.uint8),
        "layout": np.array(found.layout, dtype=np.int64),
        "coarse_values": np.concatenate([each.values for each in found.coarse]),
        "coarse_scales": np.concatenate([each.scales for each in found.coarse]),
        "starts": _ends(sizes),
        "names": np.array([each for each, _ in names], dtype=np.uint64),
        "named": np.array([row for _, row in names], dtype=np.uint32),
        "key_hashes": np.array([each for each, _ in hashes], dtype=np.uint64),
        "key_rows": np.array([row for _, row in hashes], dtype=np.uint32),
        "key_ends": _ends([len(key) for key in found.keys]),
        "keys": np.frombuffer(b"".join(found.keys), dtype=np.uint8),
        "facets": np.frombuffer(json.dumps(found.facets, sort_keys=True).encode(), dtype=np.uint8),
        "offsets": offsets,
        "vectors": Section("|u1", (sum(sizes), found.rows[0].shape[1]), found.rows),
        "records": Section("|u1", (int(offsets[-1]),), found.packed),
    }
    return file_sections.written(arrays)


def _ends(sizes: list[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
