"""A build in a process of its own that is killed at a moment: `python -m ... URI FOLDER LABELS OPERATION NUMBER`."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from embeddings.engines.uri import open_store
from embeddings.stores.store import Store
from embeddings.training import build, store_writer
from embeddings.training.store_build import Built, build_store
from tests.embeddings.training.test_store_build import book
from tests.toy import ToyEncoder


def build_part(store: Store, folder: Path, labels: int) -> Built:
    """Build a catalog of which a part is fitted to, in batches of a few labels."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("MAX_FITTED", 40), ("MIN_LABELS", 20), ("BATCH", 50)):
            patch.setattr(store_writer, name, value)
        patch.setattr(build, "_groups", lambda: {"Tell jokes": ["tell me a joke"]})
        return build_store(book(labels), ToyEncoder(), store, None, folder)


def die_at(store: Store, operation: str, number: int, death: Callable[[], None]) -> None:
    """Have a store die before the nth call of an operation; with the number 0, after the first."""
    action = getattr(store, operation)
    calls = iter(range(1, 1_000_000))

    def deadly(*given: object) -> None:
        call = next(calls)
        if call == number:
            death()
        action(*given)
        if number == 0:
            death()

    setattr(store, operation, deadly)


def main(uri: str, folder: str, labels: str, operation: str, number: str) -> None:
    store = open_store(uri)
    die_at(store, operation, int(number), partial(os.kill, os.getpid(), signal.SIGKILL))
    build_part(store, Path(folder), int(labels))


def arguments(uri: str, folder: Path, labels: int, moment: Sequence[object]) -> list[str]:
    """Return the command that does this."""
    return [sys.executable, "-m", __name__, uri, str(folder), str(labels), *map(str, moment)]


if __name__ == "__main__":
    main(*sys.argv[1:])
