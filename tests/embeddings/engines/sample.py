"""Labels with random vectors, and what is to be found among them, by comparing all."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.index.fitted_index import SIGNALS
from embeddings.index.vector_product import quantize
from embeddings.labels.label import Label, PhraseKind
from embeddings.stores.manifest import Manifest, Statistics, combined, drawn
from embeddings.stores.record import StoredLabel, key_of
from embeddings.stores.store import EVERYTHING, Filter

WIDTH = 32


def unit(vectors: FloatArray) -> FloatArray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def random_vectors(count: int, seed: int) -> FloatArray:
    return unit(np.random.default_rng(seed).standard_normal((count, WIDTH)).astype(np.float32))


def record(label: Label, vectors: FloatArray) -> StoredLabel:
    """Return a label with one phrase for each vector, the first of which is its name."""
    kinds: list[PhraseKind] = ["phrasing"] * len(vectors)
    kinds[0] = "name"
    phrases = tuple((f"{label.name} {place}" if place else label.name, kind) for place, kind in enumerate(kinds))
    return StoredLabel.of(key_of(label), label, phrases, quantize(vectors, 32))


def records(count: int, seed: int = 0, phrases: int = 3, name: str = "label", **metadata: Any) -> list[StoredLabel]:
    """Labels whose phrases lie around a direction of their own."""
    rng = np.random.default_rng(seed)
    centres = random_vectors(count, seed + 1)
    found = []
    for place, centre in enumerate(centres):
        near = unit(centre + 0.1 * rng.standard_normal((phrases, WIDTH)).astype(np.float32))
        label = Label(f"{name} {place}", (f"{name} no {place}",), id=f"{name}/{place}", metadata=metadata)
        found.append(record(label, near))
    return found


def manifest_of(labels: Sequence[StoredLabel], model: str = "model-1") -> Manifest:
    """Return the manifest that a build of these labels would store."""
    return Manifest(
        model,
        combined("", [each.fingerprint for each in labels]),
        np.eye(WIDTH, dtype=np.float32),
        np.ones(len(SIGNALS)),
        Statistics().changed(labels),
        sample=drawn(each.key for each in labels),
    )


def nearest(labels: Sequence[StoredLabel], vector: FloatArray, count: int, where: Filter = EVERYTHING) -> list[str]:
    """Keys of the labels with the nearest phrases, by comparing all."""
    admitted = [each for each in labels if where.admits(each.label.metadata)]
    best = {each.key: float(np.max(each.blocks.restore() @ vector)) for each in admitted}
    return sorted(best, key=lambda key: -best[key])[:count]


def share_found(
    labels: Sequence[StoredLabel], queries: FloatArray, found: Sequence[Sequence[str]], count: int
) -> float:
    """Return how many of the nearest labels are among those found."""
    right = [
        len({*nearest(labels, query, count)} & {*keys}) / count for query, keys in zip(queries, found, strict=True)
    ]
    return float(np.mean(right))
