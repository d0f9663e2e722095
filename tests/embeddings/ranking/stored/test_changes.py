"""Changes of a store that others change, too."""

from collections.abc import Callable
from pathlib import Path

import pytest

from embeddings.engines.file_store import FileStore
from embeddings.errors import StoreChangedError, StoreError
from embeddings.labels.label import Label
from embeddings.ranking import store_changes
from embeddings.ranking.store_changes import put_label, removed_keys
from embeddings.stores.manifest import Manifest
from embeddings.training.store_build import build_store
from tests.toy import BOOK, ToyEncoder


class ContestedStore(FileStore):
    """A store that another writer changes, so many times, while a change of it is prepared."""

    def __init__(self, path: Path, change: Callable[[FileStore], object], times: int) -> None:
        super().__init__(path)
        self._change, self.times = change, times

    def manifest(self) -> Manifest:
        found = super().manifest()
        if self.times:
            self.times -= 1
            self._change(FileStore(self._path))
        return found


def contested(folder: Path, change: Callable[[FileStore], object], times: int) -> ContestedStore:
    build_store(BOOK, ToyEncoder(), FileStore(folder / "toy.labels"))
    return ContestedStore(folder / "toy.labels", change, times)


def put_other(store: FileStore) -> None:
    put_label(store, ToyEncoder(), Label("other", phrasings=("connect",)))


def test_a_change_that_another_writer_forestalled_is_made_from_what_is_there_now(tmp_path: Path) -> None:
    store = contested(tmp_path, put_other, times=3)
    encoder = ToyEncoder()
    put_label(store, encoder, Label("own", phrasings=("undo",)))
    assert store.times == 0
    assert len(store.records(["name:own", "name:other"])) == 2
    assert encoder.encoded == ["own", "undo"]
    assert store.verify() == []


def test_the_vectors_of_a_label_fit_the_version_that_was_published_meanwhile(tmp_path: Path) -> None:
    store = contested(tmp_path, lambda other: build_store(BOOK, ToyEncoder("toy-2"), other), times=1)
    with pytest.raises(StoreError, match="vectors of two models cannot be compared"):
        put_label(store, ToyEncoder(), Label("own", phrasings=("undo",)))


def test_the_last_label_is_kept_though_another_writer_removed_the_others(tmp_path: Path) -> None:
    store = contested(tmp_path, lambda other: [removed_keys(other, name) for name in ("vision", "mcp support")], 1)
    with pytest.raises(StoreError, match="last label"):
        removed_keys(store, "checkpoints")
    assert store.count().labels == 1


def test_a_change_that_is_forestalled_again_and_again_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = contested(tmp_path, put_other, times=1000)
    monkeypatch.setattr(store_changes, "PATIENCE", 0.2)
    with pytest.raises(StoreChangedError, match=r"another writer.*repeat the change"):
        put_label(store, ToyEncoder(), Label("own"))
    assert store.records(["name:own"]) == []


def test_a_label_cannot_be_removed_twice(tmp_path: Path) -> None:
    store = contested(tmp_path, lambda other: removed_keys(other, "vision"), times=1)
    assert removed_keys(store, "vision") == []
    assert store.count().labels == 2
