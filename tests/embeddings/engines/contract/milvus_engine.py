"""The store in Milvus Lite: as a file, and as a server that the tests start."""

import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.embeddings.engines.contract.engine import Engine, Places
from tests.embeddings.engines.contract.small_disk import small_disk
from tests.embeddings.engines.milvus.server import MilvusServer, milvus_server, need_packages

if TYPE_CHECKING:
    from embeddings.engines.milvus_store import MilvusStore


def opened(uri: str) -> "MilvusStore":
    from embeddings.engines.milvus_store import MilvusStore
    from embeddings.stores.store import Patience

    return MilvusStore(uri, Patience(connect=3, read=8, write=30, index=60))


@contextmanager
def started_as_file() -> Iterator[Places]:
    need_packages()
    with tempfile.TemporaryDirectory(prefix="milvus-") as shared, keeping_open(f"milvus:{shared}/catalog.db"):
        yield lambda folder: place(f"milvus:{shared}/catalog.db?prefix={a_prefix()}", folder)


@contextmanager
def started_as_server() -> Iterator[Places]:
    with tempfile.TemporaryDirectory(prefix="milvus-") as shared, milvus_server(Path(shared)) as server:
        yield lambda folder: place(server.uri(a_prefix()), folder, server)


@contextmanager
def keeping_open(uri: str) -> Iterator[None]:
    """Yield one folder for all tests of a module: to open one costs more than most tests."""
    store = opened(uri)
    store.stored("none")
    yield
    store.close()


def a_prefix() -> str:
    return f"test_{secrets.token_hex(6)}"


def place(uri: str, folder: Path, server: MilvusServer | None = None) -> Engine:
    @contextmanager
    def on_small_disk() -> Iterator["MilvusStore"]:
        with small_disk(folder / "small", 12) as small, milvus_server(small) as other:
            store = opened(other.uri(a_prefix()))
            try:
                yield store
            finally:
                store.close()

    # On a full disk Milvus Lite leaves files open, which must not be those of the tests' process.
    return Engine(
        open=lambda: opened(uri),
        uri=uri if server else None,
        transactions=False,
        damage=damaging(uri),
        server=server,
        small_disk=on_small_disk if server else None,
    )


def damaging(uri: str) -> Callable[[str], None]:
    def damage(key: str) -> None:
        from embeddings.engines import milvus_state
        from embeddings.engines.milvus_address import Address
        from embeddings.engines.milvus_connection import Connection
        from embeddings.engines.milvus_rows import token
        from embeddings.stores.store import Patience

        connection = Connection(Address.parse(uri), Patience())
        name = milvus_state.published(connection).version.labels
        (row,) = connection.query(name, ids=[token(key)], output_fields=["*"])
        connection.upsert(name, [{**row, "record": row["record"][:60]}])
        connection.close()

    return damage
