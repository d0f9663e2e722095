import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from embeddings.errors import VectorFileError
from embeddings.index.fitted_index import SIGNALS
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from tests.embeddings.index.vector_damage import Change, assert_refused, header, rewrite
from tests.toy import BOOK, ToyEncoder


@pytest.fixture
def path(tmp_path: Path, matcher: Matcher) -> Path:
    matcher.save(tmp_path / "vectors.npz")
    return tmp_path / "vectors.npz"


def test_a_truncated_file_is_refused_and_named(path: Path) -> None:
    intact = path.read_bytes()
    for share in [0.01, 0.25, 0.5, 0.9, 0.99]:
        path.write_bytes(intact)
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * share)])
        assert_refused(path, "does not end like a .zip")


def test_zeros_after_the_archive_are_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes() + bytes(22))
    assert_refused(path, "does not end like a .zip")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 1, exclude_max=True), st.integers(0, 7))
@example(0.88, 6)
def test_one_wrong_bit_is_refused_or_changes_nothing(
    path: Path, tmp_path: Path, matcher: Matcher, at: float, bit: int
) -> None:
    content = bytearray(path.read_bytes())
    content[int(len(content) * at)] ^= 1 << bit
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(content)
    try:
        loaded = Matcher.load(damaged, ToyEncoder())
    except VectorFileError:
        return
    assert loaded.match("undo the picture").to_dict() == matcher.match("undo the picture").to_dict()


def test_an_archive_that_asks_for_what_no_reader_knows_is_refused(path: Path) -> None:
    intact = path.read_bytes()
    for offset, bit, why in [(6, 6, "zip file version"), (8, 0, "is encrypted"), (10, 4, "compressed with method 24")]:
        path.write_bytes(intact)
        content = bytearray(path.read_bytes())
        content[content.index(b"PK\x01\x02") + offset] ^= 1 << bit
        path.write_bytes(content)
        assert_refused(path, why)


def test_a_single_array_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "vectors.npy", np.ones(3))
    assert_refused(tmp_path / "vectors.npy", "does not end like a .zip")


def test_an_archive_member_that_is_no_array_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header", "abc")
    assert_refused(path, "no item named 'header.npy'")


def test_parts_that_do_not_fit_together_are_refused(path: Path) -> None:
    cases: list[tuple[Change, str]] = [
        (lambda arrays: {"lexical_times": arrays["lexical_times"][:-1]}, "is the number of rows"),
        (
            lambda arrays: {"lexical_times": arrays["lexical_times"] * 0},
            "at least once",
        ),
        (lambda arrays: {"lexical_rows": arrays["lexical_rows"] + 200}, "lexical rows are indexes of phrases"),
        (lambda arrays: {"lexical_starts": arrays["lexical_starts"][:-1]}, "one start and one rarity"),
        (lambda arrays: {"lexical_rarity": arrays["lexical_rarity"] * np.float32(np.nan)}, "document frequency"),
        (lambda arrays: {"lexical_keys": arrays["lexical_keys"][::-1]}, "n-grams are in ascending order"),
        (lambda arrays: {"words_weights": arrays["words_weights"][:-1]}, "the last of the words' starts"),
        (lambda arrays: {"words_weights": arrays["words_weights"] * np.float32(np.nan)}, "parts of a BM25 score"),
        (lambda arrays: {"words_rows": arrays["words_rows"] + 200}, "the words' rows are indexes of labels"),
        (lambda arrays: {"words_starts": arrays["words_starts"][:-1]}, "one start and one rarity"),
        (lambda arrays: {"words_rarity": arrays["words_rarity"] * np.float32(np.nan)}, "the words' rarity"),
        (lambda arrays: {"words_keys": arrays["words_keys"][::-1]}, "words are in ascending order"),
        (lambda arrays: {"vectors": np.ones((len(arrays["vectors"]), 1), dtype=np.float16)}, "'vectors' is float16"),
        (header(lexicalWeights=[float("nan")] * len(SIGNALS)), "for each signal"),
    ]
    intact = path.read_bytes()
    for change, why in cases:
        path.write_bytes(intact)
        rewrite(path, change)
        assert_refused(path, why)


def test_a_book_with_blank_texts_is_stored(tmp_path: Path) -> None:
    Matcher.build(PhraseBook((Label("A", ("", "x")),)), ToyEncoder()).save(tmp_path / "vectors.npz")
    assert Matcher.load(tmp_path / "vectors.npz", ToyEncoder()).names == ["A"]


def test_a_loaded_matcher_has_the_very_confidences_of_the_built_one(path: Path, matcher: Matcher) -> None:
    assert Matcher.load(path, ToyEncoder(), BOOK).match("restore the pictures") == matcher.match("restore the pictures")
