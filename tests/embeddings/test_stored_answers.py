"""Answers through a store, beside those in memory, with the shipped model and some of the shipped catalog's phrasings.

`benchmarks.stores` compares the whole catalog, other catalogs, and other engines.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import stores_cases
from embeddings.encoder.caching import CachedEncoder
from embeddings.encoder.encoder import Encoder
from embeddings.engines.file_store import FileStore
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.metrics import calibration_error
from embeddings.ranking.match_result import MatchResult
from embeddings.store_matcher import StoreMatcher
from embeddings.stores import manifest
from embeddings.training.store_build import build_store

pytestmark = pytest.mark.slow

EACH = 20
"""One query of the shipped catalog in so many is asked."""

PHRASINGS = 10
"""Phrasings of a label, so that the catalog is embedded in seconds."""

SENTENCES = 500
"""Labels of which 128 are proposed, each of one sentence of the shipped catalog."""


@pytest.fixture(scope="module")
def encoder() -> CachedEncoder:
    return CachedEncoder(Encoder.load(threads=2))


def test_a_catalog_that_is_read_as_a_whole_is_answered_as_in_memory(
    encoder: CachedEncoder, whole_background: None, tmp_path: Path
) -> None:
    case = stores_cases.shipped().every(EACH)
    few = tuple(replace(label, phrasings=label.phrasings[:PHRASINGS]) for label in case.book.labels)
    case = replace(case, book=PhraseBook(few, case.book.out_of_scope[:200]))
    queries = [query.query for query in (*case.queries, *stores_cases.hard(case).queries[::5])]
    wanted, found = answers(case.book, encoder, queries, tmp_path)
    assert share_equal(wanted, found) >= 0.99
    asked = slice(0, len(case.queries))
    right = [
        [each.matches[0].name in query.gold for each, query in zip(some[asked], case.queries, strict=True)]
        for some in (wanted, found)
    ]
    errors = [
        calibration_error(np.array([each.matches[0].match_confidence for each in some[asked]]), np.array(hits))
        for some, hits in zip((wanted, found), right, strict=True)
    ]
    assert errors[1] == pytest.approx(errors[0], abs=0.005)


def test_proposed_labels_are_answered_as_in_memory(
    encoder: CachedEncoder, whole_background: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "FEW_THIN", manifest.FEW)
    case = stores_cases.shipped().every(EACH)
    sentences = dict.fromkeys(text for label in case.book.labels for text in label.phrasings)
    chosen = [*sentences][:: len(sentences) // SENTENCES][:SENTENCES]
    book = PhraseBook(tuple(Label(text, id=str(number)) for number, text in enumerate(chosen)))
    wanted, found = answers(book, encoder, [query.query for query in case.queries], tmp_path)
    assert share_equal(wanted, found) >= 0.99


def answers(
    book: PhraseBook, encoder: CachedEncoder, queries: Sequence[str], folder: Path
) -> tuple[list[MatchResult], list[MatchResult]]:
    """In memory, and through a store."""
    store = FileStore(folder / "catalog.labels")
    build_store(book, encoder, store)
    in_memory, stored = Matcher.build(book, encoder), StoreMatcher(store, encoder)
    return [in_memory.match(query, 3) for query in queries], [stored.match(query, 3) for query in queries]


def share_equal(wanted: Sequence[MatchResult], found: Sequence[MatchResult]) -> float:
    same = [
        (one.decision, one.matches[0].name) == (other.decision, other.matches[0].name)
        for one, other in zip(wanted, found, strict=True)
    ]
    return sum(same) / len(same)
