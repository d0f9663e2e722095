"""Searches Milvus for labels by their nearest phrases, and by their names."""

from collections.abc import Sequence
from typing import Any, Final

from embeddings.arrays import FloatArray
from embeddings.engines.milvus_connection import Connection
from embeddings.engines.milvus_rows import expression, joined, key_of, numbers_in, texts_in, token
from embeddings.engines.milvus_state import Published
from embeddings.stores.store import Filter

MAX_LABELS: Final = 16_384
"""Maximum rows that a server answers with."""

_AT_ONCE: Final = 1000
_MIN_EFFORT: Final = 512


class Search:
    """Searches of one version.

    Args:
        connection: to the place.
        found: the version.
        where: which labels count.
        consistency: what every search of Milvus must see: "Strong" for all that was written before.
    """

    def __init__(self, connection: Connection, found: Published, where: Filter, consistency: str) -> None:
        """Ask for nothing yet."""
        self._connection, self._version, self._index = connection, found.version, found.index
        self._where, self._consistency = expression(where), consistency

    def nearest(self, vectors: FloatArray, labels: int) -> list[list[str]]:
        """See `Store.nearest`."""
        wanted = min(labels, MAX_LABELS)
        if not len(vectors) or wanted < 1:
            return [[] for _ in vectors]
        found = self._found(vectors, wanted)
        keys = self._keys({edition for each in found for edition in each})
        if any(edition not in keys for each in found for edition in each):
            # A label was replaced between the two questions, or what an interrupted change has left crowds others out.
            found = self._found(vectors, min(2 * wanted, MAX_LABELS))
            keys = self._keys({edition for each in found for edition in each})
        return [[keys[edition] for edition in each if edition in keys][:labels] for each in found]

    def named(self, texts: Sequence[str]) -> list[str]:
        """See `Store.named`."""
        tokens = [*{token(text): None for text in texts if text}]
        found: set[int] = set()
        for start in range(0, len(tokens), _AT_ONCE):
            asked = texts_in("name", tokens[start : start + _AT_ONCE])
            rows = self._connection.query(
                self._version.names, filter=asked, output_fields=["edition"], consistency_level=self._consistency
            )
            found.update(row["edition"] for row in rows)
        return sorted(self._keys(found, self._where).values())

    def _found(self, vectors: FloatArray, wanted: int) -> list[list[int]]:
        """Editions with the nearest phrases, for each vector."""
        found = self._searched(vectors, wanted, self._where)
        if all(len(each) >= wanted for each in found):
            return found
        there = min(wanted, self._connection.count(self._version.labels, self._where, self._consistency))
        for place, each in enumerate(found):
            # One label with many near phrases can fill a whole answer.
            while len(each) < there:
                others = f"not ({numbers_in('edition', each)})" if each else ""
                (more,) = self._searched(vectors[place : place + 1], there - len(each), joined(self._where, others))
                if not more:
                    break
                each.extend(more)
        return found

    def _searched(self, vectors: FloatArray, wanted: int, where: str) -> list[list[int]]:
        effort = {"params": {"ef": max(_MIN_EFFORT, 8 * wanted)}} if self._index == "HNSW" else {}
        hits = self._connection.search(
            self._version.phrases,
            data=list(vectors),
            anns_field="vector",
            filter=where,
            limit=wanted,
            output_fields=["edition"],
            group_by_field="edition",
            search_params={"metric_type": "IP", **effort},
            consistency_level=self._consistency,
        )
        return [[*{int(hit["entity"]["edition"]): None for hit in each}] for each in hits]

    def _keys(self, editions: set[int], where: str = "") -> dict[int, str]:
        """Return the labels' keys by edition; an edition that has been replaced has no key."""
        numbers = sorted(editions)
        found: dict[int, str] = {}
        for start in range(0, len(numbers), _AT_ONCE):
            given: dict[str, Any] = {"output_fields": ["edition", "token", "key"]}
            asked = joined(numbers_in("edition", numbers[start : start + _AT_ONCE]), where)
            rows = self._connection.query(
                self._version.labels, filter=asked, consistency_level=self._consistency, **given
            )
            found |= {row["edition"]: key_of(row) for row in rows}
        return found
