"""Labels by their nearest phrases: exactly where few phrases count, else through the index."""

from typing import Any, Final, LiteralString

from pgvector import HalfVector
from psycopg import sql

from embeddings.arrays import FloatArray
from embeddings.index.stores.postgres.connections import Connection
from embeddings.index.stores.postgres.schema import Tables, read_back, token
from embeddings.index.stores.store import Filter

MOST_EXACT: Final = 20_000
"""Phrases up to which all that count are compared; of 20,000 the index is hardly quicker, and it misses some."""

MOST_LISTED: Final = 20_000
"""Phrases up to which the index is asked for more, if those found so far are of too few labels."""

_PHRASES_A_LABEL: Final = 4
"""Nearest phrases that are asked for at first, for each label."""

_WIDEST_SEARCH: Final = 1000
"""The largest `hnsw.ef_search` there is."""

_SETTINGS: Final[LiteralString] = """
select set_config('hnsw.ef_search', %(ef)s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.max_scan_tuples', '200000', true), set_config('hnsw.scan_mem_multiplier', '4', true)
"""

_FEW: Final[LiteralString] = """
select coalesce(sum(size), 0) from (select size from {labels} where {admitted} limit %(most)s + 1) as sizes
"""

_INDEXED: Final[LiteralString] = """
with near as materialized (
    select label, vector <#> %(vector)s::halfvec as distance from {phrases} where {admitted}
    order by vector <#> %(vector)s::halfvec limit %(phrases)s
)
select key, (select count(*) from near) from (select label, min(distance) as distance from near group by label) as best
join {labels} on number = label order by distance, key collate "C" limit %(labels)s
"""

_EXACT: Final[LiteralString] = """
with best as materialized (
    select label, min(vector <#> %(vector)s::halfvec) as distance from {phrases} where {admitted} group by label
)
select key from best join {labels} on number = label order by distance, key collate "C" limit %(labels)s
"""


def admitted(where: Filter) -> tuple[sql.Composed, dict[str, Any]]:
    """A condition on the columns of labels or phrases, and its parameters."""
    parts, values = [sql.SQL("true")], dict[str, Any]()
    if where.tenant is not None:
        parts.append(sql.SQL("tenant = %(tenant)s"))
        values["tenant"] = token(where.tenant)
    if where.language is not None:
        parts.append(sql.SQL("language = %(language)s"))
        values["language"] = token(where.language)
    if where.tags:
        parts.append(sql.SQL("tags @> %(tags)s::text[]"))
        values["tags"] = sorted(map(token, where.tags))
    return sql.SQL(" and ").join(parts), values


def nearest(
    connection: Connection, tables: Tables, phrases: int, vectors: FloatArray, labels: int, where: Filter
) -> list[list[str]]:
    """See `Store.nearest`.

    Args:
        connection: within a transaction.
        tables: of the version.
        phrases: how many phrases it has.
        vectors: the queries.
        labels: most labels for each.
        where: which labels count.
    """
    condition, values = admitted(where)
    if values and phrases > MOST_EXACT:
        few = connection.execute(tables.statement(_FEW, admitted=condition), {**values, "most": MOST_EXACT}).fetchone()
        phrases = int(few[0]) if few else 0
    exact, indexed = (tables.statement(text, admitted=condition) for text in (_EXACT, _INDEXED))
    found = []
    for vector in vectors:
        asked = {**values, "vector": HalfVector(vector).to_text(), "labels": labels}
        keys = None if phrases <= MOST_EXACT else _by_index(connection, indexed, asked, labels)
        if keys is None:
            keys = [key for (key,) in connection.execute(exact, asked).fetchall()]
        found.append([read_back(key) for key in keys])
    return found


def _by_index(connection: Connection, indexed: sql.Composed, asked: dict[str, Any], labels: int) -> list[str] | None:
    """The keys, nearest first; None if the index does not find enough of them."""
    wanted = labels * _PHRASES_A_LABEL
    while wanted <= MOST_LISTED:
        connection.execute(_SETTINGS, {"ef": str(min(max(2 * wanted, 40), _WIDEST_SEARCH))})
        rows = connection.execute(indexed, {**asked, "phrases": wanted}).fetchall()
        if len(rows) >= labels:
            return [key for key, _ in rows]
        if not rows or rows[0][1] < wanted:
            return None
        wanted *= 4
    return None
