"""Single labels put and removed while others read."""

import pytest

from embeddings.errors import StoreError
from embeddings.stores.store import Counts, Store
from tests.embeddings.engines.contract.builds import published, put, remove
from tests.embeddings.engines.contract.engine import Engine
from tests.embeddings.engines.sample import manifest_of, random_vectors, records

LABELS = records(20)
MORE = records(2, seed=40, name="more", tenant="a")
AT_MORE = random_vectors(2, seed=41)
"""Around which the phrases of the further labels lie."""


def test_a_label_that_was_put_is_found(store: Store) -> None:
    published(store, LABELS)
    put(store, *MORE)
    assert [keys[0] for keys in store.nearest(AT_MORE, 3)] == [each.key for each in MORE]
    assert store.named(["more 1"]) == [MORE[1].key]
    assert [each.pack() for each in store.records([MORE[0].key])] == [MORE[0].pack()]
    assert store.count() == Counts(22, 66)
    assert store.verify() == []


def test_a_label_that_was_replaced_is_found_as_it_is_now(store: Store) -> None:
    published(store, [*LABELS, *MORE])
    moved = records(1, seed=90, name="more", phrases=5)[0]
    put(store, moved)
    assert store.nearest(random_vectors(1, seed=91), 1) == [[moved.key]]
    assert store.nearest(AT_MORE[:1], 1) != [[moved.key]]
    assert store.count() == Counts(22, 68)
    assert store.verify() == []


def test_a_label_that_was_removed_is_gone(store: Store) -> None:
    published(store, [*LABELS, *MORE])
    remove(store, MORE[0])
    assert MORE[0].key not in store.nearest(AT_MORE[:1], 50)[0]
    assert store.named(["more 0"]) == []
    assert store.records([MORE[0].key]) == []
    assert store.count() == Counts(21, 63)
    assert store.verify() == []


def test_removing_what_is_not_there_removes_nothing(store: Store) -> None:
    manifest = published(store, LABELS)
    store.remove(["id:other"], manifest, store.revision())
    assert store.count() == Counts(20, 60)


def test_a_label_can_be_put_again_after_it_was_removed(store: Store) -> None:
    published(store, [*LABELS, *MORE])
    remove(store, MORE[0])
    put(store, MORE[0])
    assert store.nearest(AT_MORE[:1], 1) == [[MORE[0].key]]


def test_the_manifest_is_the_one_after_the_change(store: Store) -> None:
    manifest = published(store, LABELS)
    put(store, *MORE)
    assert store.manifest().pack() == manifest.changed(MORE, ()).pack()


def test_another_client_sees_a_change_at_once(engine: Engine, store: Store) -> None:
    published(store, LABELS)
    other = engine.open()
    before = other.revision()
    assert other.named(["more 0"]) == []
    put(store, *MORE)
    assert other.revision() != before
    assert other.named(["more 0"]) == [MORE[0].key]
    other.close()


def test_every_change_gives_a_new_revision_and_reading_does_not(store: Store) -> None:
    manifest = published(store, LABELS)
    seen = [store.revision()]
    put(store, *MORE)
    seen.append(store.revision())
    store.remove([MORE[0].key], manifest, seen[-1])
    seen.append(store.revision())
    published(store, LABELS, "v2")
    seen.append(store.revision())
    store.nearest(AT_MORE, 3)
    store.named(["more 0"])
    assert len({*seen}) == 4
    assert store.revision() == seen[-1]


def test_nothing_can_be_put_before_something_is_published(engine: Engine, store: Store) -> None:
    if not engine.empty:
        pytest.skip("something may be stored there already")
    with pytest.raises(StoreError, match="build-vectors"):
        store.put(MORE, manifest_of(MORE), "none")
