"""Several writers change one store at once."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest

from embeddings.errors import StoreChangedError
from embeddings.labels.label import Label
from embeddings.ranking.store_changes import put_label, removed_keys
from embeddings.stores.manifest import Statistics
from embeddings.stores.store import Counts, Store
from embeddings.training.store_build import build_store
from tests.embeddings.engines.contract.builds import published, put
from tests.embeddings.engines.contract.engine import Engine, having
from tests.embeddings.engines.sample import records
from tests.toy import BOOK, ToyEncoder

OLD = records(10, name="old")
MORE = records(2, seed=40, name="more")
NEW = records(12, seed=30, name="new")
EACH = 6
"""Labels that each writer puts."""


@pytest.fixture
def other(engine: Engine) -> Iterator[Store]:
    opened = engine.open()
    yield opened
    opened.close()


def assert_all_is_counted(store: Store, names: list[str]) -> None:
    """The labels of the toy catalog and these are there, and the manifest has the sums over them."""
    keys = [f"name:{name}" for name in ("checkpoints", "mcp support", "vision", *names)]
    found = store.records(keys)
    assert [each.key for each in found] == keys
    manifest = store.manifest()
    assert manifest.outside
    statistics = Statistics().changed(found).changed([manifest.outside], labels=False)
    assert manifest.pack() == replace(manifest, statistics=statistics).pack()
    assert store.verify() == []


def test_a_change_of_what_another_writer_changed_is_refused_and_changes_nothing(store: Store, other: Store) -> None:
    published(store, OLD)
    revision, manifest = store.revision(), store.manifest()
    put(other, MORE[0])
    now = other.manifest().pack()
    with pytest.raises(StoreChangedError, match=r"another writer.*read it again"):
        store.put([MORE[1]], manifest.changed([MORE[1]], ()), revision)
    with pytest.raises(StoreChangedError):
        store.remove([OLD[0].key], manifest.changed((), [OLD[0]]), revision)
    assert store.count() == Counts(11, 33)
    assert store.records([MORE[1].key]) == []
    assert store.manifest().pack() == now


def test_a_change_of_a_version_that_was_replaced_is_refused(store: Store, other: Store) -> None:
    published(store, OLD)
    revision, manifest = store.revision(), store.manifest()
    published(other, NEW, "v2")
    with pytest.raises(StoreChangedError):
        store.put(MORE, manifest.changed(MORE, ()), revision)
    assert store.count() == Counts(12, 36)
    assert store.verify() == []


def test_threads_that_put_and_remove_at_once_lose_nothing(store: Store, other: Store) -> None:
    build_store(BOOK, ToyEncoder(), store)
    for number in range(EACH):
        put_label(store, ToyEncoder(), Label(f"gone {number}", phrasings=("see it",)))

    def write(client: Store, name: str) -> None:
        for number in range(EACH):
            put_label(client, ToyEncoder(), Label(f"{name} {number}", phrasings=(f"undo {name} {number}",)))

    def remove(client: Store) -> None:
        for number in range(EACH):
            assert removed_keys(client, f"gone {number}")

    with ThreadPoolExecutor(3) as pool:
        works = [pool.submit(write, store, "a"), pool.submit(write, other, "b"), pool.submit(remove, other)]
        for each in works:
            each.result()
    assert_all_is_counted(store, [f"{name} {number}" for name in "ab" for number in range(EACH)])


def test_labels_put_while_versions_are_published_are_in_the_last_or_were_before_it(store: Store, other: Store) -> None:
    build_store(BOOK, ToyEncoder(), store)
    done = threading.Event()

    def write() -> int:
        number = 0
        while not done.is_set():
            put_label(other, ToyEncoder(), Label(f"put {number}", phrasings=("undo",)))
            number += 1
        return number

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        try:
            for _ in range(3):
                build_store(BOOK, ToyEncoder(), store)
        finally:
            done.set()
        count = writing.result()
    names = [f"put {number}" for number in range(count) if store.records([f"name:put {number}"])]
    assert_all_is_counted(store, names)
    assert store.count().labels == 3 + len(names)


@pytest.mark.processes
def test_processes_that_put_at_once_lose_nothing(engine: Engine, store: Store) -> None:
    uri = having(engine.uri, "lets one process open it")
    build_store(BOOK, ToyEncoder(), store)
    ready = threading.Barrier(2)

    def write(name: str) -> int:
        with writer(uri, name, EACH) as process:
            ready.wait(60)
            process.communicate("go\n", timeout=120)
            return process.returncode

    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(write, "ab")] == [0, 0]
    assert_all_is_counted(store, [f"{name} {number}" for name in "ab" for number in range(EACH)])


@pytest.mark.processes
def test_a_writer_that_is_killed_leaves_its_labels_with_their_statistics_and_holds_nobody_up(
    engine: Engine, store: Store
) -> None:
    uri = having(engine.uri, "lets one process open it")
    having(engine.transactions or None, "has no transactions, and others wait for a killed writer for a minute")
    build_store(BOOK, ToyEncoder(), store)
    with writer(uri, "a", 1000) as process:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
        end = time.monotonic() + 60
        while store.count().labels < 6 and time.monotonic() < end:
            time.sleep(0.01)
        process.kill()
    put_label(store, ToyEncoder(), Label("after", phrasings=("undo",)))
    there = store.count().labels - 4
    assert 3 <= there < 1000
    assert_all_is_counted(store, ["after", *(f"a {number}" for number in range(there))])


@contextmanager
def writer(uri: str, name: str, count: int) -> Iterator[subprocess.Popen[str]]:
    """Yield a process that puts labels once it is told to."""
    command = [sys.executable, "-m", "tests.embeddings.engines.contract.writer", uri, name, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()
