"""Vector files that are whole archives but bad in their types and numbers."""

from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from embeddings.index.vector_archive import KINDS
from embeddings.matcher import Matcher
from tests.embeddings.index.vector_damage import Arrays, Change, assert_refused, header, put, rewrite
from tests.toy import ToyEncoder

NAN, INF, HUGE = float("nan"), float("inf"), 3e38

ONE_ROW: Final = "one start and one rarity"
EMPTY: Final = {
    "header": "JSONDecodeError",
    "book": "JSONDecodeError",
    "whitening": "the whitening maps the encoder's vectors",
    "vectors": "one lexical row for each vector",
    "scales": "vectors are in blocks",
    "landmarks": "one coefficient a landmark and label",
    "coefficients": "one coefficient a landmark and label",
    "lexical_keys": ONE_ROW,
    "lexical_starts": ONE_ROW,
    "lexical_rows": "is the number of rows",
    "lexical_times": "is the number of rows",
    "lexical_rarity": ONE_ROW,
    "lexical_size": "one lexical row for each vector",
    "background": "JSONDecodeError",
    "words_keys": ONE_ROW,
    "words_starts": ONE_ROW,
    "words_rows": "the last of the words' starts",
    "words_weights": "the last of the words' starts",
    "words_rarity": ONE_ROW,
    "words_size": "size 1",
}


@pytest.fixture
def path(tmp_path: Path, matcher: Matcher) -> Path:
    matcher.save(tmp_path / "vectors.npz")
    return tmp_path / "vectors.npz"


def other_type(arrays: Arrays, name: str) -> Arrays:
    return {name: arrays[name].astype(np.float64)}


def signed(arrays: Arrays, name: str) -> Arrays:
    return {name: arrays[name].astype(np.int16)}


def other_order(arrays: Arrays, name: str) -> Arrays:
    return {name: arrays[name].astype(">f4")}


def no_axes(arrays: Arrays, name: str) -> Arrays:
    return {name: arrays[name].flat[0].reshape(())}


def one_axis_more(arrays: Arrays, name: str) -> Arrays:
    return {name: arrays[name][None]}


def objects(arrays: Arrays, name: str) -> Arrays:
    return {name: arrays[name].astype(object)}


def test_an_array_of_another_type_or_with_other_axes_is_refused(path: Path) -> None:
    cases = [other_type, signed, other_order, no_axes, one_axis_more, objects]
    intact = path.read_bytes()
    for name in KINDS:
        for change in cases:
            path.write_bytes(intact)
            rewrite(path, partial(change, name=name))
            assert_refused(path, f"{name!r} is ")


def emptied(arrays: Arrays, name: str) -> Arrays:
    return {name: arrays[name][:0]}


def test_an_empty_array_is_refused(path: Path) -> None:
    intact = path.read_bytes()
    for name in EMPTY:
        path.write_bytes(intact)
        rewrite(path, partial(emptied, name=name))
        assert_refused(path, EMPTY[name])


def of_ten_rows(arrays: Arrays) -> Arrays:
    """Whitening and header agree with each other, but not with the encoder."""
    return header(dimensions=10)(arrays) | {"whitening": np.eye(10, 3, dtype=np.float32)}


def wrapped_starts(arrays: Arrays) -> Arrays:
    """Their differences overflow to positive numbers."""
    starts = arrays["lexical_starts"].copy()
    starts[1:3] = 2**63 - 1, -(2**63)
    return {"lexical_starts": starts}


NUMBERS: Final[list[tuple[Change, str]]] = [
    *((put("whitening", value), "the whitening's numbers are at most") for value in (NAN, INF, -INF, HUGE, -HUGE)),
    (lambda arrays: {"whitening": arrays["whitening"][1:]}, "the whitening maps the encoder's vectors"),
    (lambda arrays: {"whitening": arrays["whitening"][:, :0]}, "the whitening maps the encoder's vectors"),
    (lambda arrays: {"whitening": np.ones((3, 4), np.float32)}, "the whitening maps the encoder's vectors"),
    (of_ten_rows, "'dimensions' are the encoder's"),
    *((put("scales", value), "scales of vectors are above 0") for value in (NAN, INF, HUGE, -1, -1e-3, 0)),
    (lambda arrays: {"scales": arrays["scales"] / 2}, "vectors have length 1 or 0"),
    (put("vectors", 0, at=0), "vectors have length 1 or 0"),
    (put("vectors", 255), "blocks are padded with zeros"),
    (put("landmarks", -1, at=0), "landmarks are phrases"),
    (put("landmarks", -(2**63), at=0), "landmarks are phrases"),
    (put("landmarks", 2**62), "landmarks are phrases"),
    (put("landmarks", 0), "landmarks ascend"),
    (lambda arrays: {"landmarks": arrays["landmarks"][::-1]}, "landmarks ascend"),
    # Half precision has no finite number that is too large.
    *((put("coefficients", value), "coefficients are of use in float32") for value in (NAN, INF, -INF)),
    (lambda arrays: {"lexical_keys": arrays["lexical_keys"] * 0}, "n-grams are in ascending order"),
    (put("lexical_starts", -1, at=0), "starts begin at 0"),
    (put("lexical_starts", -(2**63), at=1), "starts begin at 0"),
    (put("lexical_starts", 2**62), "is the number of rows"),
    (wrapped_starts, "starts begin at 0"),
    (put("lexical_rows", 255), "lexical rows are indexes of phrases"),
    (put("lexical_times", 0), "at least once"),
    *((put("lexical_rarity", value), "inverse document frequency") for value in (NAN, INF, HUGE, 0, -1)),
    (lambda arrays: {"lexical_rarity": arrays["lexical_rarity"] * 0}, "inverse document frequency"),
    *((put("lexical_size", value), "one lexical row for each vector") for value in (-1, 0, 2**62)),
    (lambda arrays: {"words_keys": arrays["words_keys"] * 0}, "words are in ascending order"),
    (put("words_starts", -1, at=0), "starts do not descend"),
    (put("words_starts", -(2**63), at=1), "starts do not descend"),
    (put("words_starts", 2**62), "the last of the words' starts"),
    (put("words_rows", 255), "the words' rows are indexes of labels"),
    *((put("words_weights", value), "parts of a BM25 score") for value in (NAN, INF, HUGE, -1)),
    *((put("words_rarity", value), "the words' rarity") for value in (NAN, INF, HUGE, -1)),
    *((put("words_size", value), "one document of words for each label") for value in (-1, 0, 2**62)),
]


def test_numbers_that_no_build_writes_are_refused(path: Path) -> None:
    intact = path.read_bytes()
    for change, why in NUMBERS:
        path.write_bytes(intact)
        rewrite(path, change)
        assert_refused(path, why)


def test_a_file_of_an_encoder_with_other_dimensions_is_refused(path: Path) -> None:
    encoder = ToyEncoder()
    encoder.dimensions = 4
    assert_refused(path, "'dimensions' are the encoder's", encoder)


def test_a_file_from_which_no_query_can_be_answered_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ToyEncoder, "encode", lambda *_: np.ones((1, 4), dtype=np.float32))
    assert_refused(path, "is damaged (ValueError: matmul")


def test_arrays_in_column_order_are_read(path: Path, matcher: Matcher) -> None:
    rewrite(path, lambda arrays: {"coefficients": np.asfortranarray(arrays["coefficients"])})
    loaded = Matcher.load(path, ToyEncoder())
    assert loaded.match("restore it").matches[0].name == matcher.match("restore it").matches[0].name
