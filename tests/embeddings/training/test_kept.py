import logging
import os
import time
from pathlib import Path

import numpy as np
import pytest

from embeddings.training import store_progress
from embeddings.training.store_progress import SECONDS_KEPT, SUFFIX, KeptEncoder, KeptVectors
from embeddings.training.workers_encoder import encoded
from tests.toy import ToyEncoder

TEXTS = ["undo it", "see a picture", "connect \ud800", ""]
VECTORS = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)


def kept_in(path: Path) -> KeptVectors:
    found = KeptVectors(path, 3)
    found.add(TEXTS[:2], VECTORS[:2])
    found.add(TEXTS[2:], VECTORS[2:])
    return found


def there(kept: KeptVectors) -> list[str]:
    return [text for text in TEXTS if kept.get(text) is not None]


def test_the_next_build_reads_the_same_bits(tmp_path: Path) -> None:
    kept_in(tmp_path / "v")
    again = KeptVectors(tmp_path / "v", 3)
    for text, vector in zip(TEXTS, VECTORS, strict=True):
        found = again.get(text)
        assert found is not None
        assert found.tobytes() == vector.tobytes()
    assert again.get("other") is None


def test_a_damaged_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "v"
    kept_in(path)
    for content in (path.read_bytes()[:4096], b"no database at all"):
        path.write_bytes(content)
        again = KeptVectors(path, 3)
        assert there(again) == []
        again.add(TEXTS[2:], VECTORS[2:])
        assert there(KeptVectors(path, 3)) == TEXTS[2:]


def test_vectors_of_another_width_are_not_read(tmp_path: Path) -> None:
    kept_in(tmp_path / "v")
    assert there(KeptVectors(tmp_path / "v", 4)) == []


def test_a_folder_that_cannot_be_used_costs_a_warning_and_no_vector(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    with caplog.at_level(logging.WARNING):
        kept = kept_in(tmp_path / "file" / "v")
    assert there(kept) == TEXTS
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_disk_that_fills_up_costs_a_warning_and_no_vector(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_progress, "transaction", full)
    with caplog.at_level(logging.WARNING):
        kept = kept_in(tmp_path / "v")
    assert there(kept) == TEXTS
    assert "No space left" in caplog.text
    assert len(caplog.records) == 1


def test_a_disk_that_fills_up_during_a_build_is_left_without_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = kept_in(tmp_path / "v")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_progress, "transaction", full)
    kept.add(["more"], VECTORS[:1])
    assert [*tmp_path.iterdir()] == []
    assert there(kept) == TEXTS


def test_files_of_builds_that_nobody_went_on_with_are_removed(tmp_path: Path) -> None:
    for name, age in ((f"old{SUFFIX}", SECONDS_KEPT + 60), (f"young{SUFFIX}", 60), ("other.npz", SECONDS_KEPT + 60)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    KeptVectors.of(tmp_path, "mine", 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.npz", f"young{SUFFIX}"]


def test_forgotten_vectors_leave_no_file(tmp_path: Path) -> None:
    kept_in(tmp_path / "v").forget()
    assert [*tmp_path.iterdir()] == []


def test_only_texts_that_are_not_kept_are_embedded(tmp_path: Path) -> None:
    inner, kept = ToyEncoder(), KeptVectors(tmp_path / "v", 3)
    first = KeptEncoder(inner, kept, adds=True)
    first.encode(["undo", "see", "undo"])
    using = KeptEncoder(inner, KeptVectors(tmp_path / "v", 3), adds=False)
    found = [*encoded([["see", "plug"], ["plug", "undo"], []], using)]
    assert inner.encoded == ["undo", "see", "plug", "plug"]
    assert (using.embedded, using.skipped) == (2, 2)
    np.testing.assert_array_equal(np.concatenate(found), ToyEncoder().encode(["see", "plug", "plug", "undo"]))
    assert [len(each) for each in found] == [2, 2, 0]
    assert there(KeptVectors(tmp_path / "v", 3)) == []
