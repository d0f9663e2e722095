"""Builds a store, and measures it as a process that serves it would find it."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.scales.catalog import PHRASES, SpreadEncoder, held_out, label_names, spread_catalog, turned
from embeddings.arrays import FloatArray
from embeddings.engines.uri import open_store
from embeddings.errors import StoreError
from embeddings.labels.label import Label
from embeddings.ranking.signals import whiten
from embeddings.ranking.store_proposal import MAX_PROPOSED
from embeddings.store_matcher import StoreMatcher
from embeddings.stores.record import StoredLabel, key_of
from embeddings.stores.store import Store
from embeddings.training.store_build import build_store

Figures = dict[str, Any]

QUERIES: Final = 2000
"""Queries that are matched, all different."""

COMPARED: Final = 370
"""Held-out needs whose first label is compared with that of all vectors' products."""

PERTURBED: Final = 130
"""Stored phrases, turned by noise once more, of which the same is asked."""

_AT_ONCE: Final = 1000


def built(uri: str, phrases: int) -> Figures:
    """Build a catalog of so many phrases into a store."""
    book, encoder = spread_catalog(phrases // PHRASES)
    began, used = time.perf_counter(), time.process_time()
    build_store(book, encoder, open_store(uri))
    return {
        "build seconds": round(time.perf_counter() - began),
        "build processor seconds": round(time.process_time() - used),
        "build peak MB": resident("VmHWM"),
    }


def is_built(uri: str, phrases: int) -> bool:
    """Return whether a store has a catalog of so many phrases."""
    try:
        return open_store(uri).count().phrases == phrases
    except StoreError:
        return False


def measured(uri: str, phrases: int, queries: int = QUERIES) -> Figures:
    """Measure what matching costs beside encoding, and whether the exactly nearest label is found."""
    encoder = SpreadEncoder()
    alone = resident("VmRSS")
    began = time.perf_counter()
    store = open_store(uri)
    matcher = StoreMatcher(store, encoder)
    matcher.try_out()
    opened = time.perf_counter() - began
    after = resident("VmRSS")
    costs = np.array([_cost(matcher, encoder, query) for query in held_out(queries)])
    wall, processor = np.percentile(1000 * costs, [50, 95], axis=0).T
    figures = {
        "phrases": phrases,
        "labels": phrases // PHRASES,
        "open seconds": round(opened, 2),
        "resident MB of the encoder alone": alone,
        "resident MB when opened": after,
        "resident MB": resident("VmRSS"),
        "peak resident MB": resident("VmHWM"),
        "queries": len(costs),
        "p50 ms": round(wall[0], 1),
        "p95 ms": round(wall[1], 1),
        "p50 processor ms": round(processor[0], 1),
        "p95 processor ms": round(processor[1], 1),
    }
    return figures | recall(store, encoder, phrases // PHRASES)


def _cost(matcher: StoreMatcher, encoder: SpreadEncoder, query: str) -> FloatArray:
    """Seconds of wall clock and of the processor that one match takes beside its encoding."""
    encoder.seconds[:] = 0
    began = np.array([time.perf_counter(), time.process_time()])
    matcher.match(query, 3)
    ended = np.array([time.perf_counter(), time.process_time()])
    return np.asarray(ended - began - encoder.seconds, dtype=np.float32)


def recall(store: Store, encoder: SpreadEncoder, labels: int) -> Figures:
    """Compare the nearest labels with those by the products of all stored vectors, of 8 bits, in float32."""
    whitening = store.manifest().whitening
    needs = whiten(encoder.encode(held_out(COMPARED)), whitening)
    generator = np.random.default_rng(1)
    some = generator.choice(labels, PERTURBED)
    perturbed = [
        turned(record.blocks.restore()[generator.integers(PHRASES)], generator.standard_normal(record.blocks.width))
        for records in _records(store, labels, some)
        for record in records
    ]
    vectors = np.concatenate([needs, np.stack(perturbed)])
    cosines = np.concatenate([_best(records, vectors) for records in _records(store, labels)])
    keys = _keys(labels)
    first, all_of = [], []
    # One at a time, as an engine must answer each call within seconds.
    proposed = [store.nearest(vector[None], MAX_PROPOSED)[0] for vector in vectors]
    for column, found in zip(cosines.T, proposed, strict=True):
        order = np.argsort(-column, kind="stable")[:MAX_PROPOSED]
        first.append(found[0] == keys[order[0]])
        all_of.append(len({*found} & {keys[place] for place in order}) / len(order))
    return {
        "recall of the first label": round(float(np.mean(first)), 4),
        "of it for held-out needs": round(float(np.mean(first[: len(needs)])), 4),
        f"recall of the {MAX_PROPOSED} labels": round(float(np.mean(all_of)), 4),
    }


def _best(records: list[StoredLabel], vectors: FloatArray) -> FloatArray:
    """Return the largest cosine of each label: float32 (labels, vectors)."""
    return np.stack([np.max(record.blocks.restore() @ vectors.T, axis=0) for record in records])


def _records(store: Store, labels: int, rows: Any = None) -> Iterator[list[StoredLabel]]:
    """Yield the records of all labels, or of some."""
    keys = _keys(labels)
    wanted = keys if rows is None else [keys[row] for row in rows]
    for start in range(0, len(wanted), _AT_ONCE):
        yield store.records(wanted[start : start + _AT_ONCE])


def _keys(labels: int) -> list[str]:
    return [key_of(Label(name)) for name in label_names(labels)]


def resident(field: str) -> int:
    """Resident memory of this process in MB: VmRSS, or at its peak, VmHWM."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split(f"{field}:")[1].split()[0]) // 1024
