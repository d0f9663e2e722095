"""A build that kills itself at a moment: `python -m ... FILE FOLDER MOMENT NUMBER`."""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from embeddings.engines import file_store
from embeddings.engines.file_sqlite import transaction
from embeddings.engines.file_store import FileStore
from embeddings.files import replacing
from embeddings.training import build, store_progress, store_writer
from embeddings.training.store_build import build_store
from tests.embeddings.training.test_store_build import book
from tests.toy import ToyEncoder


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@contextmanager
def half_written(path: Path) -> Iterator[Path]:
    with replacing(path) as temporary:
        yield temporary
        os.truncate(temporary, temporary.stat().st_size // 2)
        die()


@contextmanager
def half_committed(path: Path, schema: str, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
    with transaction(path, schema, durable=durable) as database:
        # So that some of what is not committed is in the file.
        database.execute("PRAGMA cache_size = 1")
        yield database
        die()


def deadly(number: int, action: Callable[..., Any], death: Callable[..., Any]) -> Callable[..., Any]:
    """Return an action that, called for the nth time, is a death."""
    calls = iter(range(1, 1_000_000))

    def called(*given: object, **named: object) -> Any:
        return (death if next(calls) == number else action)(*given, **named)

    return called


def build_part(store: FileStore, folder: Path, encoder: ToyEncoder) -> None:
    """Build a catalog of which a part is fitted to."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("MAX_FITTED", 150), ("MIN_LABELS", 150), ("BATCH", 64)):
            patch.setattr(store_writer, name, value)
        patch.setattr(build, "_groups", lambda: {"Tell jokes": ["tell me a joke"]})
        build_store(book(300), encoder, store, None, folder)


def main(path: Path, folder: Path, moment: str, number: int) -> None:
    store, encoder = FileStore(path), ToyEncoder()
    if moment == "embedding":
        encoder.encode = deadly(number, encoder.encode, lambda *_: die())  # type: ignore[method-assign]
    elif moment == "committing":
        deadly_transaction = deadly(number, transaction, half_committed)
        for module in (file_store, store_progress):
            setattr(module, "transaction", deadly_transaction)  # noqa: B010
    elif moment == "publishing":
        store.publish = lambda *_: die()  # type: ignore[method-assign]
    elif moment == "replacing":
        setattr(file_store, "replacing", half_written)  # noqa: B010
    elif moment == "forgetting":
        Path.unlink = lambda *_, **__: die()  # type: ignore[method-assign]
    build_part(store, folder, encoder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
