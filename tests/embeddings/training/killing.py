"""A build that kills itself at a moment: `python -m ... FILE FOLDER MOMENT NUMBER`."""

import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from embeddings.engines import file_log, file_store
from embeddings.engines.file_store import FileStore
from embeddings.training import build, store_writer
from embeddings.training.store_build import build_store
from tests.embeddings.training.test_store_build import book
from tests.toy import ToyEncoder


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def half_written(path: Path, content: Iterable[bytes]) -> NoReturn:
    path.with_name(f".{path.name}.half").write_bytes(next(iter(content))[:100])
    die()


def half_appended(path: Path, entries: Iterable[bytes], known: int = 0) -> NoReturn:
    with path.open("ab") as file:
        entry = next(iter(entries))
        file.write(len(entry).to_bytes(8, "little") + entry[: len(entry) // 2])
    die()


def deadly(number: int, action: Callable[..., Any], death: Callable[..., NoReturn]) -> Callable[..., Any]:
    """Return an action that, called for the nth time, is a death."""
    calls = iter(range(1, 1_000_000))
    return lambda *given: death(*given) if next(calls) == number else action(*given)


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
    elif moment == "appending":
        file_log.append = deadly(number, file_log.append, half_appended)
    elif moment == "publishing":
        store.publish = lambda *_: die()  # type: ignore[method-assign]
    elif moment == "replacing":
        setattr(file_store, "write_atomically", half_written)  # noqa: B010
    elif moment == "forgetting":
        Path.unlink = lambda *_, **__: die()  # type: ignore[method-assign]
    build_part(store, folder, encoder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
