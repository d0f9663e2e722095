import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embeddings.arrays import FloatArray
from embeddings.engines.file_store import FileStore
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.stores.manifest import Manifest
from embeddings.stores.record import StoredLabel, batches, keyed_labels
from embeddings.training import store_writer
from embeddings.training.store_build import build_store
from embeddings.training.store_writer import BATCH, Report, fitted_part
from tests.toy import AXES, BOOK, ToyEncoder

LABELS = 400


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

    def __init__(self, path: Path, left: int) -> None:
        super().__init__(path)
        self.left = left

    def write(self, version: str, records: Sequence[StoredLabel]) -> None:
        self._end_of()
        super().write(version, records)

    def publish(self, version: str, manifest: Manifest) -> None:
        self._end_of()
        super().publish(version, manifest)

    def _end_of(self) -> None:
        if self.left == 0:
            raise KilledError
        self.left -= 1


class KilledEncoder(ToyEncoder):
    """An encoder whose process ends after a number of calls."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self.left = left

    def encode(self, texts: Sequence[str]) -> FloatArray:
        if self.left == 0:
            raise KilledError
        self.left -= 1
        return super().encode(texts)


@pytest.fixture(scope="module")
def small_part() -> Iterator[None]:
    """Fit to a part of the labels only."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("MAX_FITTED", 200), ("MIN_LABELS", 200), ("BATCH", 256)):
            patch.setattr(store_writer, name, value)
        yield


@pytest.fixture(scope="module")
def whole(small_part: None, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return what a build that nothing kills writes."""
    path = tmp_path_factory.mktemp("whole") / "c.labels"
    build_store(book(), ToyEncoder(), FileStore(path))
    return path.read_bytes()


@pytest.mark.usefixtures("small_part")
def test_no_text_is_embedded_twice_though_a_part_is_fitted_to_first(tmp_path: Path) -> None:
    encoder = ToyEncoder()
    built = build_store(book(), encoder, FileStore(tmp_path / "c.labels"))
    assert len(encoder.encoded) == len({*encoder.encoded}) == built.embedded
    assert built.phrases < built.embedded < built.phrases + 10


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kills=st.lists(st.tuples(st.booleans(), st.integers(0, 20)), min_size=1, max_size=3))
def test_killed_builds_end_with_the_same_bytes_and_embed_again_only_what_was_under_way(
    whole: bytes, kills: list[tuple[bool, int]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, path, embedded = Path(name) / "cache", Path(name) / "c.labels", 0
        for writing, left in kills:
            encoder = ToyEncoder() if writing else KilledEncoder(left)
            store = KilledStore(path, left) if writing else FileStore(path)
            with suppress(KilledError):
                build_store(book(), encoder, store, None, folder)
                return  # It was at its end before its time came.
            embedded += len(encoder.encoded)
        last = ToyEncoder()
        build_store(book(), last, FileStore(path), None, folder)
        assert path.read_bytes() == whole
        texts = 4 * LABELS + LABELS + 5
        assert embedded + len(last.encoded) <= texts + len(kills) * 2 * store_writer.BATCH
        assert sorted(each.name for each in Path(name).iterdir()) == ["c.labels", "c.labels.changes", "cache"]
        assert [*folder.iterdir()] == []


def test_a_store_holds_every_label_and_is_sound(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "c.labels")
    built = build_store(BOOK, ToyEncoder(), store)
    counts = store.count()
    assert (counts.labels, counts.phrases) == (built.labels, built.phrases) == (3, len([*BOOK.phrases()]))
    assert store.verify() == []
    assert store.manifest().keys == tuple(label.key for label in keyed_labels(BOOK))


def reports(path: Path, *, writing: int = 1000) -> list[Report]:
    seen: list[Report] = []
    with suppress(KilledError):
        build_store(book(), ToyEncoder(), KilledStore(path, writing), seen.append, path.parent / "cache")
    return seen


@pytest.mark.usefixtures("small_part")
def test_progress_goes_through_both_stages_to_their_end(tmp_path: Path) -> None:
    seen = reports(tmp_path / "c.labels")
    assert [*dict.fromkeys(report.stage for report in seen)] == ["fitting", "writing"]
    for stage in ("fitting", "writing"):
        of_stage = [report for report in seen if report.stage == stage]
        assert [report.done for report in of_stage] == sorted(report.done for report in of_stage)
        assert of_stage[-1].done == of_stage[-1].total
    assert seen[-1].done == 5 * LABELS
    assert seen[-1].skipped == 2 * 200


@pytest.mark.usefixtures("small_part")
def test_progress_tells_what_an_earlier_build_had_stored(tmp_path: Path) -> None:
    before = reports(tmp_path / "c.labels", writing=5)
    assert before[-1].done < before[-1].total
    again = reports(tmp_path / "c.labels")
    fitted = [report for report in again if report.stage == "fitting"][-1]
    assert fitted.skipped >= 400
    first = next(report for report in again if report.stage == "writing")
    assert first.done == first.skipped == before[-1].done


def test_batches_hold_every_label_once() -> None:
    labels = keyed_labels(book())
    found = [*batches(labels, BATCH)]
    assert [label for batch in found for label in batch] == labels
    assert len(found) > 2


def test_a_part_that_is_fitted_to_is_spread_over_all_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_writer, "MAX_FITTED", 3000)
    part = fitted_part(book(1000), 5000)
    assert len(part.labels) == 600
    assert part.labels[-1].name == "label 998"
    assert fitted_part(BOOK, 10) is BOOK
