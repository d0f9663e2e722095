"""How much the store in a file keeps in memory, and how much it reads."""

import gc
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.engines import file_base, file_store
from embeddings.engines.file_sqlite import seal, transaction
from embeddings.engines.file_store import FileStore
from embeddings.errors import StoreError
from embeddings.stores.store import Filter
from tests.embeddings.engines.contract.builds import published, put
from tests.embeddings.engines.sample import manifest_of, random_vectors, records

LABELS = records(40, tenant="t")


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    found = FileStore(tmp_path / "catalog.labels")
    published(found, LABELS)
    return found


def test_the_published_file_is_not_read_again_when_a_label_is_put(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.manifest()
    monkeypatch.setattr(file_store, "Base", None)
    put(store, *records(1, seed=9, name="new"))
    assert store.count().labels == 41


def test_a_version_that_was_replaced_leaves_memory(store: FileStore) -> None:
    store.nearest(random_vectors(1, seed=1), 5, Filter(tenant="t"))
    published(store, records(3, seed=5, name="other"), "v2")
    store.nearest(random_vectors(1, seed=1), 5)
    gc.collect()
    assert len([each for each in gc.get_objects() if type(each) is file_base.Base]) == 1


def test_a_file_that_was_cut_off_is_refused(store: FileStore, tmp_path: Path) -> None:
    path = tmp_path / "catalog.labels"
    content = path.read_bytes()
    for size in (len(content) - 1, len(content) - 4096, len(content) // 2, 5000, 4096, 50, 0):
        path.write_bytes(content[:size])
        with pytest.raises(StoreError, match="damaged"):
            FileStore(path).manifest()


def test_a_file_that_is_cut_off_while_it_is_served_is_an_error(store: FileStore, tmp_path: Path) -> None:
    path = tmp_path / "catalog.labels"
    store.manifest()
    os.truncate(path, path.stat().st_size // 4)
    with pytest.raises(StoreError, match="damaged"):
        store.records([label.key for label in LABELS])


@pytest.mark.parametrize("batches", [0, 1])
def test_a_full_disk_leaves_only_batches_that_the_next_build_goes_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    store, path = FileStore(tmp_path / "catalog.labels"), tmp_path / "catalog.labels.v1.building"
    if batches:
        store.write("v1", LABELS[:1])

    @contextmanager
    def small(*arguments: Any, **options: Any) -> Iterator[sqlite3.Connection]:
        with transaction(*arguments, **options) as database:
            database.execute(f"PRAGMA max_page_count = {database.execute('PRAGMA page_count').fetchone()[0]}")
            yield database

    monkeypatch.setattr(file_store, "transaction", small)
    with pytest.raises(StoreError, match="the disk not full"):
        store.write("v1", LABELS)
    assert path.exists() == (batches > 0)
    assert len(store.stored("v1")) == batches


def test_a_build_does_not_depend_on_the_order_in_which_labels_are_written(tmp_path: Path) -> None:
    found = []
    for name, labels in (("a", LABELS), ("b", LABELS[::-1])):
        store = FileStore(tmp_path / f"{name}.labels")
        store.write("v1", labels)
        store.write("v1", labels[:3])
        store.publish("v1", manifest_of(LABELS))
        found.append((tmp_path / f"{name}.labels").read_bytes())
    assert found[0] == found[1]


def test_a_file_of_another_format_is_refused_and_can_be_built_anew(tmp_path: Path) -> None:
    path = tmp_path / "catalog.labels"
    path.write_bytes(b"agent-capabilities labels 2\n" + bytes(10_000))
    with pytest.raises(StoreError, match=rf"another version.*build-vectors --catalog FILE --store {path}"):
        FileStore(path).manifest()
    published(FileStore(path), LABELS)
    assert FileStore(path).verify() == []


def answers(path: Path) -> object:
    """Everything that a store says; None if it refuses to."""
    store = FileStore(path)
    try:
        found = [store.nearest(random_vectors(2, seed=1), 5, where) for where in (Filter(), Filter(tenant="t"))]
        kept = [(record.key, record.fingerprint) for record in store.records([label.key for label in LABELS])]
        return found, kept, store.named([LABELS[0].label.name]), store.count(), store.manifest().keys
    except StoreError:
        return None
    finally:
        store.close()


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with changes."""
    path = tmp_path_factory.mktemp("intact") / "catalog.labels"
    store = FileStore(path)
    published(store, LABELS)
    put(store, *records(3, seed=9, name="new"))
    return path


@given(st.booleans(), st.integers(0, 1 << 20), st.integers(0, 255))
def test_with_any_byte_changed_a_store_answers_as_before_or_not_at_all(
    intact: Path, changes: bool, place: int, change: int
) -> None:
    expected = answers(intact)
    assert expected is not None
    with TemporaryDirectory() as folder:
        path = Path(shutil.copytree(intact.parent, folder, dirs_exist_ok=True)) / intact.name
        damaged = path.with_name(f"{path.name}.changes") if changes else path
        content = bytearray(damaged.read_bytes())
        content[place % len(content)] ^= change
        # An empty file of changes is as one that was removed: nothing was committed to it.
        damaged.write_bytes(content if change else content[: 1 + place % (len(content) - 1)])
        assert answers(path) in (None, expected)


DEEP = '{"a": ' + "[" * 100_000
ODD = [None, -1, 0, 1 << 62, 1.5, "", "text", DEEP, b"", b"\xff" * 64, b"\x04\x00\x00\x00[[]]", bytes(300)]
CELLS = [
    *(("manifest", name) for name in ("content", "blocks", "size", "coarse")),
    *(("shards", name) for name in ("shard", "numbers", "scales")),
    *(("labels", name) for name in ("row", "key", "phrases", "facets")),
    *((table, name) for table in ("vectors", "records") for name in ("row", "content")),
    *(("names", name) for name in ("name", "row")),
]


@given(st.sampled_from(CELLS), st.sampled_from(ODD))
@settings(max_examples=60)
def test_whatever_is_planted_in_a_file_is_told_as_damage(intact: Path, cell: tuple[str, str], value: object) -> None:
    table, column = cell
    with TemporaryDirectory() as folder:
        path = Path(shutil.copy(intact, folder))
        number = "row" if table == "names" else "rowid"
        change = f"UPDATE {table} SET {column} = ? WHERE {number} = (SELECT max({number}) FROM {table})"
        with closing(sqlite3.connect(path)) as database, suppress(sqlite3.Error):
            database.execute(change, (value,))
            database.commit()
        seal(path)
        answers(path)
        with suppress(StoreError):
            FileStore(path).verify()
