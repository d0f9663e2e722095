import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from embeddings.index.stores.file.file_store import FileStore
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.training.stored import plan
from embeddings.training.stored.build import build_store
from embeddings.training.stored.plan import batches, fitted_part, planned
from tests.toy import AXES, BOOK, ToyEncoder

LABELS = 700


def book(labels: int = LABELS) -> PhraseBook:
    words = [word for axis in AXES for word in axis]
    return PhraseBook(
        tuple(
            Label(
                f"label {number}", phrasings=tuple(f"{words[(number + row) % 11]} {number} {row}" for row in range(4))
            )
            for number in range(labels)
        )
    )


class KilledError(Exception):
    """Stands for a kill."""


class KilledStore(FileStore):
    """A store whose process ends when a number of batches is written."""

    left = 2

    def write(self, version: str, records: object) -> None:
        if self.left == 0:
            raise KilledError
        self.left -= 1
        super().write(version, records)  # type: ignore[arg-type]


def test_what_an_earlier_build_wrote_is_not_embedded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MOST_FITTED", 300)
    whole = FileStore(tmp_path / "whole.labels")
    everything = build_store(book(), ToyEncoder(), whole)
    with pytest.raises(KilledError):
        build_store(book(), ToyEncoder(), KilledStore(tmp_path / "killed.labels"))
    again = build_store(book(), ToyEncoder(), FileStore(tmp_path / "killed.labels"))
    assert (tmp_path / "killed.labels").read_bytes() == (tmp_path / "whole.labels").read_bytes()
    assert everything.embedded - again.embedded >= 2 * plan.BATCH
    assert sorted(path.name for path in tmp_path.iterdir() if "building" in path.name) == []


def test_a_store_holds_every_label_and_is_sound(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "c.labels")
    built = build_store(BOOK, ToyEncoder(), store)
    counts = store.count()
    assert (counts.labels, counts.phrases) == (built.labels, built.phrases) == (3, len([*BOOK.phrases()]))
    assert store.verify() == []
    assert store.manifest().keys == tuple(label.key for label in planned(BOOK))


def test_progress_ends_with_the_number_of_all_phrases(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    built = build_store(BOOK, ToyEncoder(), FileStore(tmp_path / "c.labels"), lambda *at: seen.append(at))
    assert seen[-1] == (built.phrases, built.phrases)


def test_batches_hold_every_label_once() -> None:
    labels = planned(book())
    found = [*batches(labels)]
    assert [label for batch in found for label in batch] == labels
    assert len(found) > 2


def test_a_part_that_is_fitted_to_is_spread_over_all_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MOST_FITTED", 3000)
    part = fitted_part(book(1000), 5000)
    assert len(part.labels) == 600
    assert part.labels[-1].name == "label 998"
    assert fitted_part(BOOK, 10) is BOOK


BUILD = """
import sys
from pathlib import Path
from embeddings.index.stores.file.file_store import FileStore
from embeddings.training.stored import plan
from embeddings.training.stored.build import build_store
from tests.embeddings.training.stored.test_build import book
from tests.toy import ToyEncoder
plan.MOST_FITTED, plan.BATCH = 300, 32
build_store(book(), ToyEncoder(), FileStore(Path(sys.argv[1])))
"""


@pytest.mark.processes
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_build_killed_at_any_moment_ends_with_the_same_bytes_when_started_again(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BUILD]
    began = time.monotonic()
    subprocess.run([*command, str(tmp_path / "whole.labels")], check=True)
    took, path, generator = time.monotonic() - began, tmp_path / "killed.labels", random.Random(0)
    for _ in range(4):
        process = subprocess.Popen([*command, str(path)])
        time.sleep(took * generator.uniform(0.4, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([*command, str(path)], check=True)
    assert path.read_bytes() == (tmp_path / "whole.labels").read_bytes()
    assert FileStore(path).verify() == []
