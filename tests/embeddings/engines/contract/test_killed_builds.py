"""Builds of catalogs that are killed and started again: in the end, the store holds what it would have held."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from embeddings.stores.record import keyed_labels
from embeddings.stores.store import Store
from tests.embeddings.engines.contract.engine import Engine, Places, having
from tests.embeddings.engines.contract.killed_build import arguments, build_part, die_at
from tests.embeddings.training.test_store_build import book
from tests.toy import ToyEncoder

LABELS = 60
BEFORE = 20

MOMENTS = [("write", 1), ("write", 3), ("write", 0), ("publish", 1), ("publish", 0)]


class KilledError(Exception):
    """Stands for a kill."""


def die() -> None:
    raise KilledError


def content(store: Store) -> object:
    """Return all that a reader gets to see, but for the revision."""
    keys = [label.key for label in keyed_labels(book(LABELS))]
    vectors = ToyEncoder().encode(["undo", "see a picture"]) @ store.manifest().whitening
    return (
        store.count(),
        [record.pack() for record in store.records(keys)],
        store.manifest().pack(),
        store.named(["label 3", "label 59"]),
        [sorted(keys) for keys in store.nearest(vectors, LABELS)],
        store.verify(),
    )


@pytest.fixture(scope="module")
def expected(places: Places, tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("undisturbed")
    store = places(folder).open()
    build_part(store, folder / "cache", LABELS)
    found = content(store)
    store.close()
    return found


@pytest.mark.parametrize(("operation", "number"), MOMENTS)
def test_a_build_started_again_ends_with_the_same_content(
    engine: Engine, expected: object, tmp_path: Path, operation: str, number: int
) -> None:
    store = engine.open()
    build_part(store, tmp_path / "cache", BEFORE)
    die_at(store, operation, number, die)
    with pytest.raises(KilledError):
        build_part(store, tmp_path / "cache", LABELS)
    store.close()
    again = engine.open()
    seen = again.count().labels
    assert seen == (LABELS if (operation, number) == ("publish", 0) else BEFORE)
    build_part(again, tmp_path / "cache", LABELS)
    assert content(again) == expected
    again.close()


@pytest.mark.processes
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("moment", [("write", 2), ("publish", 1)], ids=str)
def test_a_build_whose_process_is_killed_ends_with_the_same_content(
    engine: Engine, expected: object, tmp_path: Path, moment: tuple[str, int]
) -> None:
    uri = having(engine.uri, "is open in one process at a time")
    command = arguments(uri, tmp_path / "cache", LABELS, moment)
    killed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    again = engine.open()
    build_part(again, tmp_path / "cache", LABELS)
    assert content(again) == expected
    again.close()


def test_a_build_started_again_embeds_only_what_is_not_stored(store: Store, tmp_path: Path) -> None:
    everything = book(LABELS)
    die_at(store, "publish", 1, die)
    with pytest.raises(KilledError):
        build_part(store, tmp_path / "cache", LABELS)
    store.publish = type(store).publish.__get__(store)  # type: ignore[method-assign]
    built = build_part(store, tmp_path / "cache", LABELS)
    assert (built.labels, built.embedded) == (len(everything.labels), 0)
