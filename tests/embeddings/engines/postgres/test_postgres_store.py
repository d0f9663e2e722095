"""PostgreSQL alone: its index, its versions, its rights, its connections."""

import os
import secrets
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("psycopg")
pytest.importorskip("pgvector")

from embeddings.engines import postgres_search
from embeddings.engines.postgres_store import PostgresStore
from embeddings.errors import StoreAwayError, StoreError
from embeddings.stores.store import Counts, Filter, Patience
from tests.embeddings.engines.contract.builds import published
from tests.embeddings.engines.postgres.server import PostgresServer, postgres_server
from tests.embeddings.engines.sample import nearest, random_vectors, records, share_found

pytestmark = pytest.mark.processes

QUERIES = random_vectors(30, seed=77)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as running:
        yield running


@pytest.fixture
def schema() -> str:
    return f"test_{secrets.token_hex(6)}"


@pytest.fixture
def store(server: PostgresServer, schema: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(server.uri(schema=schema), Patience(connect=2, read=5, write=30, index=60))
    yield opened
    opened.close()


@pytest.fixture
def no_comparing_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_search, "MAX_EXACT", 0)


def tables(server: PostgresServer, schema: str) -> int:
    ((count,),) = server.execute(f"select count(*) from pg_tables where schemaname = '{schema}'")
    return int(count)


@pytest.mark.usefixtures("no_comparing_of_all")
def test_the_index_finds_nearly_all_of_the_nearest_labels(store: PostgresStore) -> None:
    labels = records(1500, phrases=4)
    published(store, labels)
    found = store.nearest(QUERIES, 30)
    assert {len(keys) for keys in found} == {30}
    assert share_found(labels, QUERIES, found, 30) >= 0.98


@pytest.mark.usefixtures("no_comparing_of_all")
def test_the_index_finds_all_labels_that_a_filter_admits(store: PostgresStore) -> None:
    few = records(6, seed=5, name="few", tags=["rare"])
    published(store, [*records(1500, phrases=4, tags=["common"]), *few])
    for keys in store.nearest(QUERIES, 10, Filter(tags=frozenset({"rare"}))):
        assert {*keys} == {each.key for each in few}


@pytest.mark.usefixtures("no_comparing_of_all")
def test_the_index_is_asked_for_more_if_one_label_has_all_near_phrases(store: PostgresStore) -> None:
    crowd, others = records(1, phrases=1000, name="crowd"), records(50, seed=3)
    published(store, [*crowd, *others])
    (found,) = store.nearest(random_vectors(1, seed=1), 20)
    assert found == nearest([*crowd, *others], random_vectors(1, seed=1)[0], 20)


def test_the_previous_version_stays_and_that_before_it_is_dropped(
    server: PostgresServer, schema: str, store: PostgresStore
) -> None:
    counts = []
    for number in range(4):
        published(store, records(3, seed=number), f"v{number}")
        counts.append(tables(server, schema))
    assert counts == [4, 6, 6, 6]


def test_a_build_that_nobody_wrote_to_for_a_week_is_dropped(
    server: PostgresServer, schema: str, store: PostgresStore
) -> None:
    for version in ("forgotten", "recent"):
        store.write(version, records(2))
    server.execute(f"update {schema}.versions set since = now() - interval '8 days' where version = 'forgotten'")
    published(store, records(3))
    assert dict(store.stored("forgotten")) == {}
    assert len(store.stored("recent")) == 2


def test_a_reader_does_not_wait_for_the_index_of_the_next_version(
    server: PostgresServer, schema: str, store: PostgresStore
) -> None:
    published(store, records(3))
    store.write("v2", records(4))
    ((number,),) = server.execute(f"select number from {schema}.versions where status = 'building'")
    import psycopg

    with psycopg.connect(server.uri()) as slow:
        slow.execute(f"lock table {schema}.phrases_{number} in access exclusive mode".encode())
        assert store.count() == Counts(3, 9)
        assert len(store.nearest(QUERIES[:1], 9)[0]) == 3


def test_a_query_that_waits_too_long_is_given_up(server: PostgresServer, schema: str) -> None:
    store = PostgresStore(server.uri(schema=schema), Patience(read=1))
    published(store, records(3))
    import psycopg

    with psycopg.connect(server.uri()) as slow:
        slow.execute(f"lock table {schema}.labels_1 in access exclusive mode".encode())
        start = time.monotonic()
        with pytest.raises(StoreAwayError):
            store.records(["id:label/1"])
        assert time.monotonic() - start < 4
    assert len(store.records(["id:label/1"])) == 1
    store.close()


def test_more_threads_than_connections_are_all_answered(store: PostgresStore) -> None:
    published(store, records(30))
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(len(store.nearest(QUERIES, 5)))) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [30] * 24


def test_connections_that_the_server_closed_are_replaced(server: PostgresServer, store: PostgresStore) -> None:
    published(store, records(3))
    server.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'agent-capabilities'"
    )
    assert store.count() == Counts(3, 9)


def test_a_user_without_rights_is_told_which(server: PostgresServer, schema: str) -> None:
    server.execute(f"create role {schema} login password '{server.password}'")
    store = PostgresStore(server.uri(schema=schema).replace("//postgres:", f"//{schema}:"))
    with pytest.raises(StoreError, match="grant"):
        store.write("v1", records(1))
    store.close()


def test_tables_of_another_format_are_refused(server: PostgresServer, schema: str, store: PostgresStore) -> None:
    published(store, records(3))
    server.execute(f"update {schema}.state set format = 99")
    with pytest.raises(StoreError, match="format 99"):
        store.manifest()


def test_a_missing_index_and_lost_vectors_are_told(server: PostgresServer, schema: str, store: PostgresStore) -> None:
    published(store, records(3))
    server.execute(f"drop index {schema}.phrases_1_vector; delete from {schema}.phrases_1 where label = 1")
    told = " ".join(store.verify())
    assert "index of the vectors is missing" in told
    assert "6 vectors are stored, but the labels have 9 phrases" in told


def test_a_record_of_another_label_is_refused(server: PostgresServer, schema: str, store: PostgresStore) -> None:
    published(store, records(3))
    first = f"(select record from {schema}.labels_1 where number = 1)"
    server.execute(f"update {schema}.labels_1 set record = {first} where number = 2")
    with pytest.raises(StoreError, match="damaged"):
        store.records(["id:label/1"])
    assert any("another label" in problem for problem in store.verify())


def test_the_password_may_come_from_the_environment(
    server: PostgresServer, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", server.password)
    store = PostgresStore(server.uri(schema=schema).replace(f":{server.password}", ""))
    published(store, records(2))
    assert store.count() == Counts(2, 6)
    store.close()


def test_a_database_in_another_encoding_keeps_any_text(server: PostgresServer, schema: str) -> None:
    server.execute(f"create database {schema} encoding 'SQL_ASCII' template template0 locale 'C'")
    store = PostgresStore(server.uri(schema=schema).replace("/postgres?", f"/{schema}?"))
    labels = records(2, name="日本語 é", tenant="münchen")
    published(store, labels)
    assert store.named(["日本語 é 1"], Filter(tenant="münchen")) == [labels[1].key]
    assert [each.pack() for each in store.records([labels[0].key])] == [labels[0].pack()]
    store.close()


def test_a_child_process_opens_connections_of_its_own(store: PostgresStore) -> None:
    published(store, records(3))
    child = os.fork()
    if child == 0:
        os._exit(0 if store.count() == Counts(3, 9) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(store.nearest(QUERIES[:1], 3), store.nearest(QUERIES[:1], 3))
