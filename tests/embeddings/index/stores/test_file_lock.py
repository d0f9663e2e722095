"""A writer of a file that another one holds."""

from pathlib import Path

import pytest

from embeddings.errors import StoreError
from embeddings.index.stores.file import lock
from embeddings.index.stores.file.file_store import FileStore
from tests.embeddings.index.stores.contract.builds import published
from tests.embeddings.index.stores.sample import records


def test_a_writer_that_holds_the_file_too_long_stops_others_from_writing_but_not_from_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path / "catalog.labels")
    published(store, records(3))
    monkeypatch.setattr(lock, "PATIENCE", 0.1)
    with lock.locked(tmp_path / "catalog.labels.lock"):
        with pytest.raises(StoreError, match=r"held by another process.*wait"):
            store.write("v2", records(3))
        assert store.count().labels == 3
    store.write("v2", records(3))
    assert len(store.stored("v2")) == 3
