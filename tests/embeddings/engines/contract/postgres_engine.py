"""The store in PostgreSQL, started by the tests."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.embeddings.engines.contract.engine import Engine, Places
from tests.embeddings.engines.contract.small_disk import small_disk
from tests.embeddings.engines.postgres.server import PostgresServer, postgres_server

if TYPE_CHECKING:
    from embeddings.engines.postgres_store import PostgresStore


@contextmanager
def started() -> Iterator[Places]:
    with postgres_server() as server:
        yield lambda folder: place(server, folder)


def opened(uri: str) -> "PostgresStore":
    from embeddings.engines.postgres_store import PostgresStore
    from embeddings.stores.store import Patience

    return PostgresStore(uri, Patience(connect=2, read=5, write=30, index=60))


def place(server: PostgresServer, folder: Path) -> Engine:
    schema = f"test_{secrets.token_hex(6)}"

    def damage(key: str) -> None:
        ((number,),) = server.execute(f"select number from {schema}.versions where status = 'published'")
        server.execute(f"update {schema}.labels_{number} set record = substr(record, 1, 60) where key = '{key}'")

    @contextmanager
    def on_small_disk() -> Iterator["PostgresStore"]:
        small = f"small_{secrets.token_hex(4)}"
        # Outside of pytest's folders, which are private.
        with small_disk(Path("/tmp") / small, 24) as disk:
            (disk / "space").mkdir()
            shutil.chown(disk / "space", "nobody")
            server.execute(f"create tablespace {small} location '{disk / 'space'}'")
            server.execute(f"create role {small} login password '{server.password}'")
            server.execute(f"alter role {small} set default_tablespace = {small}")
            server.execute(f"grant all on tablespace {small} to {small}; grant all on database postgres to {small}")
            server.execute("create extension if not exists vector")
            uri = server.uri(schema=small).replace("//postgres:", f"//{small}:")
            store = opened(uri)
            try:
                yield store
            finally:
                store.close()
                server.execute(f"drop schema if exists {small} cascade")
                server.execute(f"drop tablespace {small}; ")
        (Path("/tmp") / small).rmdir()

    return Engine(
        open=lambda: opened(server.uri(schema=schema)),
        uri=server.uri(schema=schema),
        damage=damage,
        refused=lambda: opened(server.uri("wrong-password", schema=schema)),
        server=server,
        small_disk=on_small_disk,
    )
