"""Stored records come back as they were."""

import numpy as np
import pytest

from embeddings.errors import StoreError
from embeddings.labels.label import Label
from embeddings.stores.store import Counts, Filter, Store
from tests.embeddings.engines.contract.builds import published
from tests.embeddings.engines.contract.engine import Engine
from tests.embeddings.engines.sample import random_vectors, record, records

LABELS = records(7)
KEYS = [each.key for each in LABELS]

ODD = ("it's", 'a "quoted" one', "back\\slash", "100% {curly} %s", "naïve 日本語 🎉", "tab\tand\nline", "x" * 3000)


def test_records_come_back_byte_for_byte(store: Store) -> None:
    published(store, LABELS)
    assert [each.pack() for each in store.records(KEYS)] == [each.pack() for each in LABELS]


def test_records_come_in_the_order_asked_for_without_those_that_are_not_there(store: Store) -> None:
    published(store, LABELS)
    assert [each.key for each in store.records([KEYS[3], "id:other", KEYS[0]])] == [KEYS[3], KEYS[0]]


def test_no_keys_have_no_records(store: Store) -> None:
    published(store, LABELS)
    assert store.records([]) == []


def test_the_manifest_comes_back_byte_for_byte(store: Store) -> None:
    manifest = published(store, LABELS)
    assert store.manifest().pack() == manifest.pack()


def test_labels_and_phrases_are_counted(store: Store) -> None:
    published(store, LABELS)
    assert store.count() == Counts(7, 21)


def test_a_name_an_alias_and_an_id_name_a_label(store: Store) -> None:
    published(store, LABELS)
    for text in ["label 3", "label no 3", "label/3"]:
        assert store.named([text, "other"]) == ["id:label/3"], text


def test_a_part_of_a_name_names_nothing(store: Store) -> None:
    published(store, LABELS)
    assert store.named(["label", "3", ""]) == []


def test_names_are_filtered(store: Store) -> None:
    labels = [*records(3, name="ours", tenant="a"), *records(3, seed=9, name="theirs", tenant="b")]
    published(store, labels)
    assert store.named(["ours 1", "theirs 1"], Filter(tenant="b")) == ["id:theirs/1"]


def test_what_was_just_stored_is_sound(store: Store) -> None:
    published(store, LABELS)
    assert store.verify() == []


def test_a_manifest_of_other_labels_is_told(store: Store) -> None:
    manifest = published(store, LABELS)
    store.put([], manifest.changed(records(1, name="more"), ()), store.revision())
    assert len(store.verify()) == 1


def test_nothing_is_read_before_something_is_published(engine: Engine, store: Store) -> None:
    if not engine.empty:
        pytest.skip("something may be stored there already")
    for read in (store.manifest, store.count, lambda: store.records(KEYS)):
        with pytest.raises(StoreError, match="build-vectors"):
            read()


def test_all_is_there_after_opening_it_again(engine: Engine, store: Store) -> None:
    manifest = published(store, LABELS)
    store.close()
    again = engine.open()
    assert again.manifest().pack() == manifest.pack()
    assert [each.pack() for each in again.records(KEYS)] == [each.pack() for each in LABELS]
    again.close()


def test_any_text_can_be_an_id_a_tenant_and_a_tag(store: Store) -> None:
    for text in ODD:
        vectors = random_vectors(2, seed=5)
        odd = record(Label("Odd", id=text, metadata={"tenant": text, "tags": [text, "other"]}), vectors)
        published(store, [*LABELS, odd])
        where = Filter(tenant=text, tags=frozenset({text}))
        assert store.nearest(vectors[:1], 5, where) == [[odd.key]], text
        assert store.named([text], where) == [odd.key], text
        assert [each.pack() for each in store.records([odd.key])] == [odd.pack()], text


def test_a_label_of_a_thousand_phrases_comes_back(store: Store) -> None:
    large = records(1, phrases=1000, name="large")
    published(store, large)
    (found,) = store.records([large[0].key])
    assert np.array_equal(found.blocks.values, large[0].blocks.values)
