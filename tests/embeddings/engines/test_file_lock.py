"""A writer of a file that another one holds."""

import subprocess
import sys
from pathlib import Path

import pytest

from embeddings.engines import file_sqlite, file_store
from embeddings.engines.file_store import FileStore
from embeddings.errors import StoreError
from tests.embeddings.engines.contract.builds import published
from tests.embeddings.engines.sample import records


def test_a_writer_that_holds_the_file_too_long_stops_others_from_writing_but_not_from_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path / "catalog.labels")
    published(store, records(3))
    monkeypatch.setattr(file_sqlite, "PATIENCE", 0.1)
    with file_sqlite.transaction(tmp_path / "catalog.labels.changes", file_store._CHANGES):
        with pytest.raises(StoreError, match=r"held by another process.*wait"):
            store.write("v2", records(3))
        assert store.count().labels == 3
    store.write("v2", records(3))
    assert len(store.stored("v2")) == 3


@pytest.mark.processes
def test_the_lock_of_a_process_that_is_killed_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "catalog.labels.changes"
    script = (
        "import sys, time, pathlib; from embeddings.engines.file_sqlite import transaction\n"
        "from embeddings.engines.file_store import _CHANGES\n"
        "with transaction(pathlib.Path(sys.argv[1]), _CHANGES): print('held', flush=True); time.sleep(60)"
    )
    monkeypatch.setattr(file_sqlite, "PATIENCE", 0.1)
    with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError), file_sqlite.transaction(path, file_store._CHANGES):
            pass
        process.kill()
    with file_sqlite.transaction(path, file_store._CHANGES):
        pass
