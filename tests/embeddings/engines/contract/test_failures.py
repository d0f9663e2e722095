"""Engines that refuse, are killed, hang, or have no room, and records that are damaged."""

import time

import pytest

from embeddings.errors import StoreAwayError, StoreEmptyError, StoreError
from embeddings.stores.store import Counts, Store
from tests.embeddings.engines.contract.builds import published, put
from tests.embeddings.engines.contract.engine import Engine, having
from tests.embeddings.engines.sample import random_vectors, records

LABELS = records(10)
QUERIES = random_vectors(2, seed=7)

LONGEST_WAIT = 12
"""Seconds after which an engine that is away must have been noticed."""


def test_a_damaged_record_is_refused_and_told(engine: Engine, store: Store) -> None:
    damage = having(engine.damage, "cannot be damaged by tests")
    published(store, LABELS)
    damage(LABELS[4].key)
    again = engine.open()
    with pytest.raises(StoreError, match=r"damaged.*build"):
        again.records([LABELS[4].key])
    assert [each.key for each in again.records([LABELS[5].key])] == [LABELS[5].key]
    assert len(again.verify()) == 1
    again.close()


def test_a_store_without_a_catalog_says_that_it_is_empty(store: Store) -> None:
    with pytest.raises(StoreEmptyError, match="build-vectors"):
        store.manifest()


def test_wrong_credentials_are_refused_and_not_repeated(engine: Engine, store: Store) -> None:
    refused = having(engine.refused, "takes any credentials, or none")()
    published(store, LABELS)
    with pytest.raises(StoreError) as caught:
        refused.manifest()
    assert not isinstance(caught.value, StoreAwayError)
    assert "wrong-password" not in f"{caught.value} {caught.value.__cause__} {refused!r}"


def test_a_killed_engine_is_away_and_comes_back_with_all_that_was_acknowledged(engine: Engine, store: Store) -> None:
    server = having(engine.server, "has no process of its own")
    published(store, LABELS)
    more = records(3, seed=60, name="more")
    put(store, *more)
    server.kill()
    try:
        for read in (store.revision, store.count, lambda: store.nearest(QUERIES, 3)):
            start = time.monotonic()
            with pytest.raises(StoreAwayError):
                read()
            assert time.monotonic() - start < LONGEST_WAIT
    finally:
        server.start()
    assert soon(store) == Counts(13, 39)
    assert [each.pack() for each in store.records([more[0].key])] == [more[0].pack()]
    assert store.verify() == []


def test_a_build_goes_on_after_its_engine_was_killed(engine: Engine, store: Store) -> None:
    server = having(engine.server, "has no process of its own")
    store.write("v1", LABELS[:4])
    server.kill()
    server.start()
    soon(store, empty=True)
    assert dict(store.stored("v1")) == {each.key: each.fingerprint for each in LABELS[:4]}
    published(store, LABELS)
    assert store.count() == Counts(10, 30)


def test_an_engine_that_hangs_is_away_and_comes_back(engine: Engine, store: Store) -> None:
    server = having(engine.server, "has no process of its own")
    published(store, LABELS)
    fresh = engine.open()
    server.hang()
    try:
        for client in (store, fresh):
            start = time.monotonic()
            with pytest.raises(StoreAwayError):
                client.nearest(QUERIES, 3)
            assert time.monotonic() - start < LONGEST_WAIT
    finally:
        server.resume()
    assert soon(store) == soon(fresh) == Counts(10, 30)
    fresh.close()


@pytest.mark.processes
def test_a_full_disk_stops_a_build_and_leaves_what_is_published(engine: Engine) -> None:
    small_disk = having(engine.small_disk, "cannot be put on a small disk apart from the tests' process")
    with small_disk() as store:
        published(store, LABELS)
        with pytest.raises(StoreError, match=r"disk|space|room"):
            write_much(store)
        assert store.count() == Counts(10, 30)
        assert [len(keys) for keys in store.nearest(QUERIES, 5)] == [5, 5]
        assert store.verify() == []


def write_much(store: Store) -> None:
    """Ten thousand labels of a build: about a hundred megabytes."""
    for batch in range(200):
        store.write("v2", records(50, seed=batch, phrases=20, name=f"batch {batch}"))


def soon(store: Store, *, empty: bool = False) -> Counts:
    """Return the count once the engine answers, which takes some seconds if the client waits longer and longer."""
    end = time.monotonic() + 30
    while True:
        try:
            return store.count()
        except StoreAwayError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
        except StoreError:
            if empty:
                return Counts(0, 0)
            raise
