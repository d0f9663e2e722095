"""Several threads read and write one store."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from embeddings.stores.store import Counts, Store
from tests.embeddings.engines.contract.builds import published, put
from tests.embeddings.engines.contract.engine import Engine
from tests.embeddings.engines.sample import manifest_of, random_vectors, records

OLD = records(30, name="old")
NEW = records(40, seed=30, name="new")
QUERIES = random_vectors(2, seed=7)


@pytest.fixture
def other(engine: Engine) -> Iterator[Store]:
    opened = engine.open()
    yield opened
    opened.close()


def while_reading(read: Callable[[], None], work: Callable[[], None], readers: int = 3) -> int:
    """Do the work while others read, and return how often they did."""
    done, reads = threading.Event(), [0] * readers

    def go_on(place: int) -> None:
        while not done.is_set():
            read()
            reads[place] += 1

    with ThreadPoolExecutor(readers) as pool:
        running = [pool.submit(go_on, place) for place in range(readers)]
        try:
            work()
        finally:
            done.set()
        for each in running:
            each.result()
    return sum(reads)


def test_readers_see_all_of_the_old_or_all_of_the_new_version(store: Store, other: Store) -> None:
    published(store, OLD)
    seen: set[frozenset[str]] = set()

    def read() -> None:
        for keys in other.nearest(QUERIES, 100):
            seen.add(frozenset(keys))
        assert other.count() in {Counts(30, 90), Counts(40, 120)}

    def switch() -> None:
        for number in range(4):
            published(store, NEW if number % 2 == 0 else OLD, f"v{number + 2}")

    assert while_reading(read, switch) > 0
    assert seen <= {frozenset(each.key for each in OLD), frozenset(each.key for each in NEW)}


def test_writers_of_different_labels_lose_nothing(store: Store, other: Store) -> None:
    published(store, OLD)
    batches = [NEW[start : start + 4] for start in range(0, 40, 4)]

    def write() -> None:
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(put, (store, other)[place % 2], *each) for place, each in enumerate(batches)]:
                done.result()

    def read() -> None:
        assert len(other.records([each.key for each in OLD])) == 30
        assert {each.key for each in OLD} <= {key for keys in other.nearest(QUERIES, 100) for key in keys}

    assert while_reading(read, write) > 0
    assert store.count() == Counts(70, 210)
    assert len(store.records([each.key for each in NEW])) == 40
    assert store.manifest().pack() == replace(manifest_of([*OLD, *NEW]), approximate=True).pack()


def test_writers_of_one_label_leave_one_of_their_labels(store: Store, other: Store) -> None:
    published(store, OLD)
    same = [records(1, seed=seed, name="same", phrases=1 + seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(put, (store, other)[place % 2], *each) for place, each in enumerate(same)]:
            done.result()
    (found,) = store.records([same[0][0].key])
    assert found.pack() in {each[0].pack() for each in same}
    assert store.count() == Counts(31, 90 + len(found.phrases))
    assert store.manifest().pack() == replace(manifest_of([*OLD, found]), approximate=True).pack()


def test_two_workers_write_one_build(store: Store, other: Store) -> None:
    with ThreadPoolExecutor(2) as pool:
        for done in [
            pool.submit(each.write, "v1", NEW[start : start + 10])
            for start in range(0, 40, 10)
            for each in (store, other)
        ]:
            done.result()
    store.publish("v1", manifest_of(NEW))
    assert store.count() == Counts(40, 120)
    assert store.verify() == []
