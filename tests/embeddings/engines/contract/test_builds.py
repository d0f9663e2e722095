"""A version that is built beside the published one, and the switch."""

import pytest

from embeddings.errors import StoreError
from embeddings.stores.store import Counts, Store
from tests.embeddings.engines.contract.builds import published, put
from tests.embeddings.engines.contract.engine import Engine
from tests.embeddings.engines.sample import manifest_of, random_vectors, records

OLD = records(10, name="old")
NEW = records(12, seed=30, name="new")
QUERIES = random_vectors(3, seed=7)


def test_what_is_written_is_not_seen_before_it_is_published(store: Store) -> None:
    published(store, OLD)
    before = store.revision()
    store.write("v2", NEW)
    assert store.count() == Counts(10, 30)
    assert store.named(["new 1"]) == []
    assert {key.split("/")[0] for keys in store.nearest(QUERIES, 50) for key in keys} == {"id:old"}
    assert store.revision() == before


def test_publishing_replaces_all_labels(store: Store) -> None:
    published(store, OLD)
    published(store, NEW, "v2")
    assert store.count() == Counts(12, 36)
    assert store.records([OLD[0].key]) == []
    assert {key.split("/")[0] for keys in store.nearest(QUERIES, 50) for key in keys} == {"id:new"}
    assert store.verify() == []


def test_a_build_knows_what_it_has_written(engine: Engine, store: Store) -> None:
    store.write("v-known", NEW[:5])
    store.close()
    again = engine.open()
    assert dict(again.stored("v-known")) == {each.key: each.fingerprint for each in NEW[:5]}
    assert dict(again.stored("v-other")) == {}
    again.write("v-known", NEW[5:])
    again.publish("v-known", manifest_of(NEW))
    assert again.count() == Counts(12, 36)
    again.close()


def test_a_batch_written_twice_is_there_once(store: Store) -> None:
    store.write("v1", OLD)
    store.write("v1", OLD[:4])
    store.publish("v1", manifest_of(OLD))
    assert store.count() == Counts(10, 30)
    assert store.verify() == []


def test_the_later_of_two_records_of_a_label_counts(store: Store) -> None:
    changed = records(1, seed=70, name="old", phrases=6)
    store.write("v1", OLD)
    store.write("v1", changed)
    store.publish("v1", manifest_of([*changed, *OLD[1:]]))
    assert [each.pack() for each in store.records([OLD[0].key])] == [changed[0].pack()]
    assert store.count() == Counts(10, 33)


def test_an_empty_batch_writes_nothing(store: Store) -> None:
    published(store, OLD)
    store.write("v2", [])
    assert dict(store.stored("v2")) == {}


def test_a_version_can_be_built_again_beside_itself(store: Store) -> None:
    published(store, OLD, "v1")
    put(store, *NEW[:1])
    assert dict(store.stored("v1")) == {}
    store.write("v1", OLD[:3])
    assert store.count() == Counts(11, 33)
    store.write("v1", OLD[3:])
    store.publish("v1", manifest_of(OLD))
    assert store.count() == Counts(10, 30)


def test_changes_of_the_version_before_are_gone_after_publishing(store: Store) -> None:
    published(store, OLD)
    put(store, *records(2, seed=50, name="put"))
    published(store, NEW, "v2")
    assert store.count() == Counts(12, 36)


def test_many_versions_can_follow_one_another(store: Store) -> None:
    for number in range(5):
        published(store, records(3 + number, seed=number), f"v{number}")
        assert store.count().labels == 3 + number


def test_a_version_that_was_not_written_cannot_be_published(store: Store) -> None:
    published(store, OLD)
    with pytest.raises(StoreError):
        store.publish("never", manifest_of(NEW))
    assert store.count() == Counts(10, 30)
