"""Vector files whose header or book is not what a build writes."""

from pathlib import Path
from typing import Any, Final

import pytest

from embeddings.index.fitted_index import SIGNALS, STEPS
from embeddings.index.vector_file import FORMAT
from embeddings.matcher import Matcher
from tests.embeddings.index.vector_damage import Change, assert_refused, header, json_array, raw, rewrite
from tests.toy import BOOK

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def path(tmp_path: Path, matcher: Matcher) -> Path:
    matcher.save(tmp_path / "vectors.npz")
    return tmp_path / "vectors.npz"


def usable(field: str) -> str:
    return f"{field!r} has one number, at most 1e+09 in size, for each signal"


BAD_NUMBERS: Final[list[object]] = [True, "1", None, NAN, INF, 1e10, 10**400, [1.0]]
HEADERS: Final[list[tuple[str, list[Any], str]]] = [
    ("format", [True, str(FORMAT), [], None, 10**400, -3, FORMAT - 1, FORMAT + 1], "has format"),
    ("format", [float(FORMAT)], "'format' is of type int"),
    ("model", [1, None, ["toy-1"], {}], "has model"),
    ("book", [1, None, []], "'book' is of type str"),
    ("book", ["0" * 64], "the stored catalog has the fingerprint"),
    ("dimensions", [True, 3.0, "3", None, [3]], "'dimensions' is of type int"),
    ("dimensions", [-3, 0, 4, 10**30], "'dimensions' are the encoder's"),
    ("signals", ["kernel", None, {}], "'signals' is of type list"),
    ("signals", [[[]] * len(SIGNALS)], "those of this version"),
    ("weights", [[], *([item] * len(SIGNALS) for item in BAD_NUMBERS)], usable("weights")),
    ("lexicalWeights", [[], *([item] * len(SIGNALS) for item in BAD_NUMBERS)], usable("lexicalWeights")),
    ("expected", [3, "x", {}, [], [[0.0]], [["0"], [0.0]], [[NAN], [0.0]]], "'expected' is null or two lists"),
    (
        "heldOut",
        [3, {}, {"count": 5}, {"count": "5", "quantiles": []}, {"count": 5, "quantiles": ["0"]}],
        "scores have a",
    ),
    ("heldOut", [{"count": 0, "quantiles": [0.0] * 201}], "of at least one example"),
    (
        "heldOut",
        [{"count": 5, "quantiles": [0.0] * 9}, {"count": 5, "quantiles": [1.0] + [0.0] * 200}],
        "are ascending",
    ),
    ("expected", [[[0.0], [0.0]], [[1e6] * STEPS] * 2], "expected scores are of use"),
    ("approximate", [0, 1, "true", None, []], "'approximate' is true or false"),
    ("weights", ["12345678", None, {}, 3], "'weights' is of type list"),
]


def test_a_header_of_other_types_or_values_is_refused(path: Path) -> None:
    intact = path.read_bytes()
    for field, value, why in [(field, value, why) for field, values, why in HEADERS for value in values]:
        path.write_bytes(intact)
        rewrite(path, header(**{field: value}))
        assert_refused(path, why)


DEEP: Final = b"[" * 100_000


def replaced(name: str, value: Any) -> Change:
    return lambda arrays: {name: value}


def test_a_header_that_is_no_object_is_refused(path: Path) -> None:
    intact = path.read_bytes()
    for content in [b"[]", b"3", b'"text"', b"null", DEEP, b"\xff", b"9" * 5000]:
        path.write_bytes(intact)
        rewrite(path, replaced("header", raw(content)))
        assert_refused(path, "is damaged (")


def test_a_book_that_is_no_catalog_is_refused(path: Path) -> None:
    cases: list[object] = [
        *([], "text", 3, None, {}, {"labels": 3}, {"labels": "abc"}, {"labels": [3]}, {"labels": [{"name": 3}]}),
        {"labels": [{"name": "A", "aliases": "b"}]},
        BOOK.to_dict() | {"outOfScope": [1]},
    ]
    intact = path.read_bytes()
    for book in cases:
        path.write_bytes(intact)
        rewrite(path, replaced("book", json_array(book)))
        assert_refused(path, "is damaged (PhraseBookError")


def test_a_book_that_is_nested_too_deeply_is_refused(path: Path) -> None:
    rewrite(path, lambda arrays: {"book": raw(DEEP)})
    assert_refused(path, "RecursionError")


def test_a_book_that_was_exchanged_is_refused(path: Path) -> None:
    rewrite(path, lambda arrays: {"book": json_array(BOOK.to_dict() | {"outOfScope": ["a", "b"]})})
    assert_refused(path, "the stored catalog has the fingerprint")
