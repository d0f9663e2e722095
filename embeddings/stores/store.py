"""The interface of every store. Keys are those of `record.key_of`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from embeddings.arrays import FloatArray
from embeddings.errors import StoreChangedError
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel


@dataclass(frozen=True)
class Filter:
    """Which labels count, by their metadata.

    Attributes:
        tenant: their "tenant"; None for any.
        language: their "language"; None for any.
        tags: all of these are among their "tags".
    """

    tenant: str | None = None
    language: str | None = None
    tags: frozenset[str] = frozenset()

    def admits(self, metadata: Mapping[str, object]) -> bool:
        """Return whether a label with these metadata counts."""
        tags = metadata.get("tags")
        return (
            self.tenant in {None, metadata.get("tenant")}
            and self.language in {None, metadata.get("language")}
            and (not self.tags or (isinstance(tags, list) and self.tags.issubset(tags)))
        )


EVERYTHING = Filter()


@dataclass(frozen=True)
class Counts:
    """How much a store holds; out-of-scope phrases are not counted."""

    labels: int
    phrases: int


class Store(Protocol):
    """One catalog in one engine. Safe to share between threads.

    Every method raises `StoreAwayError` if the engine does not answer in time, and `StoreError` if it refuses, or what
    it holds cannot be used.
    """

    def manifest(self) -> Manifest:
        """Return the manifest of the published version."""

    def revision(self) -> str:
        """Changes with every `put`, `remove` and `publish`; cheap, because each process asks once a second."""

    def nearest(self, vectors: FloatArray, labels: int, where: Filter = EVERYTHING) -> list[list[str]]:
        """For each vector, the keys of at most so many labels with the nearest phrases, nearest first.

        Args:
            vectors: float32 (q, k), whitened, of unit length.
            labels: most labels for each.
            where: which labels count.
        """

    def named(self, texts: Sequence[str], where: Filter = EVERYTHING) -> list[str]:
        """Return the keys of the labels that one of the texts names exactly: folded names and aliases, and ids."""

    def records(self, keys: Sequence[str]) -> list[StoredLabel]:
        """Return the records of the keys that there are, in the order asked for."""

    def count(self) -> Counts:
        """Return how much the published version holds."""

    def put(self, records: Sequence[StoredLabel], manifest: Manifest, revision: str) -> None:
        """Add or replace labels of the published version.

        Args:
            records: the labels.
            manifest: as it is after that.
            revision: the one that was read before all that the manifest was made from.

        Raises:
            StoreChangedError: the store has another revision now. Nothing was changed.
        """

    def remove(self, keys: Sequence[str], manifest: Manifest, revision: str) -> None:
        """Remove labels from the published version, under the conditions of `put`; unknown keys are ignored."""

    def stored(self, version: str) -> Mapping[str, str]:
        """Return the keys, each with its record's fingerprint, that a build has written to a version so far."""

    def write(self, version: str, records: Sequence[StoredLabel]) -> None:
        """Write a batch of a version that is being built, beside the published one; the same batch twice is once."""

    def publish(self, version: str, manifest: Manifest) -> None:
        """Make a version the published one, in one step; labels of it that the build did not write are dropped."""

    def verify(self) -> list[str]:
        """Describe what is wrong with the stored data, in sentences; empty if it is sound."""

    def close(self) -> None:
        """Let go of connections and files."""


def changed_meanwhile(place: str) -> StoreChangedError:
    """Return what `put` and `remove` raise if the revision is no longer that of the caller; `place` says where."""
    return StoreChangedError(
        f"{place!r} was changed by another writer while a change of it was prepared; a change must start from the "
        "catalog as it is; read it again and repeat the change"
    )


@dataclass(frozen=True)
class Patience:
    """Seconds to wait.

    Attributes:
        connect: for a connection.
        read: for the answer to a query.
        write: for a batch to be written, or all records to be read or, where they come in parts, one of these.
        index: for the index of a version to be built.
    """

    connect: float = 5
    read: float = 10
    write: float = 120
    index: float = 6 * 3600
