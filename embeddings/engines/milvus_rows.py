"""Converts records to rows of Milvus's collections, and back."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Final

from embeddings.engines.milvus_connection import Row
from embeddings.errors import StoreError
from embeddings.stores.record import StoredLabel
from embeddings.stores.store import Filter

PART: Final = 48_000
"""Bytes of a record or manifest in one row: in base64 just below the 65,535 characters that a field holds."""

MAX_KEY: Final = 60_000
MAX_TAGS: Final = 4096
"""Elements that the largest array field holds."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9 _.:/-]{1,120}")
_SPREAD: Final = 0x9E37_79B9_7F4A_7C15
_NUMBERS: Final = 1 << 63
_NO_VECTOR: Final = [0.0, 0.0]
"""Milvus takes no collection without a vector."""


@dataclass(frozen=True)
class Edition:
    """One edition of a label, in all collections.

    Attributes:
        label: its row among the labels, with the first part of its record.
        parts: rows with the others.
        names: one row for each of its names.
        phrases: one row for each of its phrases.
    """

    label: Row
    parts: list[Row]
    names: list[Row]
    phrases: list[Row]


def token(text: str) -> str:
    """Return a text as fields keep it for comparison; different texts have different tokens.

    No token has a quote or a backslash, so that filters need no escapes.
    """
    if _PLAIN.fullmatch(text):
        return text
    return "#" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def facet(value: object) -> str:
    """Return a label's tenant or language; nothing that a filter asks for is that of a label without one."""
    return f"={token(value)}" if isinstance(value, str) else ""


def expression(where: Filter) -> str:
    """Return a filter as Milvus reads it."""
    parts = [
        f'{name} == "{facet(value)}"'
        for name, value in (("tenant", where.tenant), ("language", where.language))
        if value is not None
    ]
    parts += [f'array_contains(tags, "{tag}")' for tag in sorted(map(token, where.tags))]
    return " and ".join(parts)


def joined(*expressions: str) -> str:
    """Join the expressions with `and`, leaving out empty ones."""
    return " and ".join(each for each in expressions if each)


def texts_in(field: str, tokens: list[str]) -> str:
    """Return the filter for rows whose field is one of the given texts."""
    return f"{field} in [{', '.join(f'{chr(34)}{each}{chr(34)}' for each in tokens)}]"


def numbers_in(field: str, numbers: list[int]) -> str:
    """Return the filter for rows whose field is one of the given numbers."""
    return f"{field} in [{', '.join(map(str, numbers))}]"


def id_of(edition: int, place: int) -> int:
    """Primary key of the row at this place of an edition."""
    return (edition + place * _SPREAD) % _NUMBERS


def edition_of(content: bytes, salt: bytes = b"") -> int:
    """Identifies what is written of a label at one time; the same for the same record without salt."""
    return int.from_bytes(hashlib.blake2b(content, digest_size=8, key=salt).digest()) % _NUMBERS


def edition(record: StoredLabel, salt: bytes = b"") -> Edition:
    """Return the rows of a record."""
    content = record.pack()
    number = edition_of(content, salt)
    parts = parts_of(content)
    facets = _facets(record)
    names = sorted(map(token, record.named))
    label = {
        "token": token(record.key),
        "key": _key(record.key),
        "edition": number,
        "fingerprint": record.fingerprint,
        **facets,
        "size": len(record.phrases),
        "names": len(names),
        "parts": len(parts),
        "record": parts[0],
        "none": _NO_VECTOR,
    }
    return Edition(
        label,
        part_rows(number, parts[1:], first=1),
        [
            {"id": id_of(number, at), "edition": number, "name": name, "none": _NO_VECTOR}
            for at, name in enumerate(names)
        ],
        [
            {"id": id_of(number, at), "edition": number, **facets, "vector": vector}
            for at, vector in enumerate(record.blocks.restore())
        ],
    )


def parts_of(content: bytes) -> list[str]:
    """Bytes as texts that fit into fields."""
    starts = range(0, max(1, len(content)), PART)
    return [base64.b64encode(content[start : start + PART]).decode("ascii") for start in starts]


def part_rows(edition_: int, parts: list[str], first: int = 0) -> list[Row]:
    """Rows for parts; each knows its place by its primary key."""
    return [
        {"id": id_of(edition_, place), "content": part, "none": _NO_VECTOR} for place, part in enumerate(parts, first)
    ]


def content_of(parts: list[str]) -> bytes:
    """Return what `parts_of` was given.

    Raises:
        ValueError: the parts are none of it.
    """
    return b"".join(base64.b64decode(part, validate=True) for part in parts)


def key_of(row: Row) -> str:
    """Return the key of a label's row."""
    return str(json.loads(row["key"])) if row["key"] else str(row["token"])


def _key(key: str) -> str:
    """Return the key as JSON, which any text survives; empty if its token is the key."""
    found = "" if token(key) == key else json.dumps(key)
    if len(found) > MAX_KEY:
        raise StoreError(
            f"the id {key[:40]!r}... has {len(key):,} characters; one in Milvus has {MAX_KEY:,} bytes at most as "
            "JSON; shorten it"
        )
    return found


def _facets(record: StoredLabel) -> dict[str, Any]:
    """Return what filters compare; see `Filter.admits`."""
    metadata = record.label.metadata
    given = metadata.get("tags")
    tags = sorted({token(tag) for tag in given if isinstance(tag, str)}) if isinstance(given, list) else []
    if len(tags) > MAX_TAGS:
        raise StoreError(
            f"{record.key!r} has {len(tags):,} tags; a label in Milvus has {MAX_TAGS:,} at most; take some away"
        )
    return {"tenant": facet(metadata.get("tenant")), "language": facet(metadata.get("language")), "tags": tags}
