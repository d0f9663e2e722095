"""The steps of "PostgreSQL from nothing" in docs/stores.md, as a database server's superuser takes them."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("pgvector")

from embeddings.engines.postgres_store import PostgresStore
from embeddings.errors import StoreError
from embeddings.labels.label import Label
from embeddings.store_matcher import StoreMatcher
from embeddings.training.store_build import build_store
from tests.embeddings.engines.postgres.server import PostgresServer, postgres_server
from tests.toy import BOOK, ToyEncoder

pytestmark = pytest.mark.processes

PAGE = Path(__file__).parents[4] / "docs" / "stores.md"
STATEMENT = re.compile(r'^psql catalogs --command "(.+)"$', re.MULTILINE)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as running:
        statements = STATEMENT.findall(PAGE.read_text(encoding="utf-8"))
        assert len(statements) == 6
        for statement in statements:
            running.execute(statement)
        yield running


def opened(server: PostgresServer, role: str) -> PostgresStore:
    return PostgresStore(f"postgresql://{role}:...@127.0.0.1:{server.port}/postgres?schema=shop")


def test_the_writer_builds_and_the_reader_matches_but_changes_nothing(server: PostgresServer) -> None:
    encoder = ToyEncoder()
    with closing(opened(server, "catalog_writer")) as written, closing(opened(server, "catalog_reader")) as read:
        build_store(BOOK, encoder, written)
        reader = StoreMatcher(read, encoder)
        assert reader.match("undo it").matches[0].name == "Checkpoints"
        with pytest.raises(StoreError, match="permission denied"):
            reader.put(Label("Time Travel", phrasings=("visit the past",)))
        build_store(BOOK, encoder, written)
        assert reader.match("undo it").matches[0].name == "Checkpoints"
