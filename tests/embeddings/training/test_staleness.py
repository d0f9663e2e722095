import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from embeddings.errors import VectorFileError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.training.staleness import VECTOR_TOLERANCE, differences
from tests.toy import BOOK, ToyEncoder


class Drifting(ToyEncoder):
    """Rounds otherwise than the toy encoder by `drift`, in one text."""

    def __init__(self, drift: float) -> None:
        super().__init__()
        self.drift = drift

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = super().encode(texts)
        vectors[list(texts).index("connect"), 0] += np.float32(self.drift)
        return vectors


@pytest.fixture
def path(tmp_path: Path, matcher: Matcher) -> Path:
    matcher.save(tmp_path / "vectors.npz")
    return tmp_path / "vectors.npz"


def test_an_up_to_date_file_has_no_differences(path: Path) -> None:
    assert differences(path, BOOK, ToyEncoder()) == []


def test_texts_that_came_and_went_are_named(path: Path) -> None:
    changed = replace(BOOK, out_of_scope=(BOOK.out_of_scope[0], "a new one"))
    assert differences(path, changed, ToyEncoder()) == [
        "1 texts added since the build: 'a new one'; rebuild",
        "1 texts removed since the build: 'is the service down'; rebuild",
    ]


def test_of_many_new_texts_five_are_shown(path: Path) -> None:
    changed = replace(BOOK, labels=(*BOOK.labels, *(Label(f"new {i}") for i in range(7))))
    (line,) = differences(path, changed, ToyEncoder())
    assert line.startswith("7 texts added")
    assert line.count("'new ") == 5
    assert line.endswith(", ...; rebuild")


def test_a_change_of_order_is_a_difference(path: Path) -> None:
    cases: list[PhraseBook] = [
        replace(BOOK, labels=BOOK.labels[::-1]),
        replace(BOOK, out_of_scope=BOOK.out_of_scope[::-1]),
    ]
    for changed in cases:
        (line,) = differences(path, changed, ToyEncoder())
        assert "another order" in line, changed


def test_a_text_under_another_label_is_a_difference(path: Path) -> None:
    first, second, third = BOOK.labels
    moved = replace(second, phrasings=(first.phrasings[1], *second.phrasings))
    changed = replace(BOOK, labels=(replace(first, phrasings=first.phrasings[:1]), moved, third))
    (line,) = differences(path, changed, ToyEncoder())
    assert "under another label" in line


def test_a_vector_past_the_tolerance_is_named(path: Path) -> None:
    (line,) = differences(path, BOOK, Drifting(2 * VECTOR_TOLERANCE))
    assert re.match(r"vector of '.+' is off by 0\.[12]\d{3}; the tolerance is 0\.1", line)


def test_a_vector_within_the_tolerance_is_up_to_date(path: Path) -> None:
    assert differences(path, BOOK, Drifting(VECTOR_TOLERANCE / 2)) == []


def test_a_file_of_another_model_is_refused(path: Path) -> None:
    with pytest.raises(VectorFileError, match="model 'toy-1', not 'toy-2'"):
        differences(path, BOOK, ToyEncoder("toy-2"))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match=r"absent\.npz"):
        differences(tmp_path / "absent.npz", BOOK, ToyEncoder())


def test_progress_is_told(path: Path) -> None:
    told: list[tuple[int, int]] = []
    texts = len(Matcher.load(path, ToyEncoder()).texts_and_vectors()[0])
    differences(path, BOOK, ToyEncoder(), lambda done, all_: told.append((done, all_)))
    assert told == [(texts, texts)]
