"""Labels by their nearest phrases, beside comparing all."""

from typing import Any

from embeddings.labels.label import Label
from embeddings.stores.store import Filter, Store
from tests.embeddings.engines.contract.builds import published
from tests.embeddings.engines.sample import nearest, random_vectors, record, records, share_found

QUERIES = random_vectors(20, seed=77)


def test_nearly_all_of_the_nearest_labels_are_found(store: Store) -> None:
    labels = records(400)
    published(store, labels)
    found = store.nearest(QUERIES, 20)
    assert share_found(labels, QUERIES, found, 20) >= 0.98


def test_the_nearest_label_comes_first(store: Store) -> None:
    labels = records(400)
    published(store, labels)
    queries = random_vectors(20, seed=1)  # The centres of the first labels.
    assert [keys[0] for keys in store.nearest(queries, 5)] == [nearest(labels, query, 1)[0] for query in queries]


def test_labels_are_distinct_and_as_many_as_asked_for(store: Store) -> None:
    published(store, records(60, phrases=8))
    for keys in store.nearest(QUERIES, 50):
        assert len(keys) == len({*keys}) == 50


def test_a_label_with_many_near_phrases_crowds_out_no_other(store: Store) -> None:
    (crowd,) = records(1, phrases=600, name="crowd")
    others = records(10, seed=3)
    published(store, [crowd, *others])
    (found,) = store.nearest(random_vectors(1, seed=1), 11)
    assert found[0] == crowd.key
    assert {*found} == {crowd.key, *(each.key for each in others)}


def test_all_labels_are_found_if_there_are_fewer_than_asked_for(store: Store) -> None:
    published(store, records(5))
    assert [len(keys) for keys in store.nearest(QUERIES, 128)] == [5] * len(QUERIES)


def test_no_query_finds_nothing(store: Store) -> None:
    published(store, records(5))
    assert store.nearest(QUERIES[:0], 10) == []


def test_a_filter_that_few_labels_pass_finds_all_of_them(store: Store) -> None:
    few = records(6, seed=5, name="few", tenant="rare")
    published(store, [*records(500, tenant="common"), *few])
    for keys in store.nearest(QUERIES, 10, Filter(tenant="rare")):
        assert {*keys} == {each.key for each in few}


def test_filters_admit_what_they_say(store: Store) -> None:
    cases: list[Filter] = [
        Filter(tenant="t1"),
        Filter(language="de"),
        Filter(tags=frozenset({"even"})),
        Filter(tags=frozenset({"even", "third"})),
        Filter("t2", "de", frozenset({"even"})),
        Filter(tenant="' or true --"),
        Filter(tenant="no such"),
        Filter(tags=frozenset({"no such"})),
    ]
    for where in cases:
        labels = []
        for place, vectors in enumerate(random_vectors(120, seed=4).reshape(60, 2, -1)):
            tags = [tag for step, tag in ((2, "even"), (3, "third")) if place % step == 0]
            metadata = {"tenant": f"t{place % 4}", "language": ("de", "en")[place // 30], "tags": tags}
            labels.append(record(Label(f"label {place}", metadata=metadata if place % 10 else {}), vectors))
        published(store, labels)
        for query, keys in zip(QUERIES, store.nearest(QUERIES, 60, where), strict=True):
            assert {*keys} == {*nearest(labels, query, 60, where)}, where


def test_metadata_of_another_type_pass_no_filter(store: Store) -> None:
    odd: dict[str, Any] = {"tenant": 7, "language": None, "tags": "x"}
    published(store, [*records(3, **odd), *records(3, seed=8, name="fine", tenant="7", tags=["x"])])
    for where in (Filter(tenant="7"), Filter(tags=frozenset({"x"}))):
        assert {key.split("/")[0] for key in store.nearest(QUERIES[:1], 9, where)[0]} == {"id:fine"}
