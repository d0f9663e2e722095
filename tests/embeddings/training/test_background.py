import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from embeddings.arrays import FloatArray
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import ENOUGH_OUTSIDE, PhraseBook
from embeddings.text.normalization import fold
from embeddings.training import build
from embeddings.training.build import build_index
from tests.remembering import Remembering
from tests.toy import BOOK, ToyEncoder

FILE = Path(build.__file__).with_name("background.json")
GROUPS: Mapping[str, Sequence[str]] = json.loads(FILE.read_text(encoding="utf-8"))["groups"]
PHRASES = [phrase for group in GROUPS.values() for phrase in group]

TOY_GROUPS = {
    "look at a picture": ["paint the wall", "sing a song"],
    "tell jokes": [f"joke {i}" for i in range(8)] + ["see the joke"],
}


@pytest.fixture
def toy_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_groups", lambda: TOY_GROUPS)


def vectors(texts: Sequence[str]) -> FloatArray:
    return ToyEncoder().encode(texts)


def chosen(book: PhraseBook) -> list[str]:
    labels = vectors([phrase.text for phrase in book.phrases() if phrase.kind in ("name", "whole")])
    found = build.background(book, labels, vectors)
    np.testing.assert_array_equal(found.vectors, vectors(found.phrases))
    return found.phrases


def with_outside(count: int, *labels: Label) -> PhraseBook:
    return PhraseBook(labels or (Label("undo"),), tuple(f"outside {i}" for i in range(count)))


def test_the_phrases_differ_and_none_is_blank() -> None:
    counts = Counter(map(fold, PHRASES))
    assert "" not in counts
    assert counts.most_common(1)[0][1] == 1
    assert all(phrase == phrase.strip() for phrase in PHRASES)


def test_there_are_several_hundred_phrases_in_groups_with_titles() -> None:
    assert len(PHRASES) > 500
    assert all(title.strip() and group for title, group in GROUPS.items())


def test_at_most_the_titles_and_phrases_are_embedded(toy_groups: None) -> None:
    assert build.most_encoded(with_outside(0)) == 2 + 2 + 9


def test_a_catalog_about_none_of_it_gets_every_phrase(toy_groups: None) -> None:
    assert chosen(with_outside(0)) == [phrase for group in TOY_GROUPS.values() for phrase in group]


def test_a_group_is_dropped_if_a_label_is_about_its_subject(toy_groups: None) -> None:
    found = chosen(with_outside(0, Label("image")))
    assert not set(found) & set(TOY_GROUPS["look at a picture"])
    assert "joke 1" in found


def test_a_phrase_is_dropped_if_a_label_is_about_it(toy_groups: None) -> None:
    assert "see the joke" not in chosen(with_outside(0, Label("image")))


def test_a_description_tells_what_a_label_is_about(toy_groups: None) -> None:
    assert "paint the wall" not in chosen(with_outside(0, Label("A", (), "image")))


def test_a_phrasing_does_not_tell_what_a_label_is_about(toy_groups: None) -> None:
    assert "paint the wall" in chosen(with_outside(0, Label("A", phrasings=("image",))))


def test_if_every_label_is_about_everything_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_groups", lambda: {"see": ["a picture"], "image": ["look"]})
    assert chosen(with_outside(0, Label("image"))) == []


def test_own_out_of_scope_phrases_take_the_place_of_the_background(toy_groups: None) -> None:
    for own, left in [(0, 11), (25, 8), (50, 6), (ENOUGH_OUTSIDE - 1, 0)]:
        assert len(chosen(with_outside(own))) == left, own


def test_with_enough_own_phrases_nothing_is_compared_or_added(toy_groups: None) -> None:
    for own in [ENOUGH_OUTSIDE, 2 * ENOUGH_OUTSIDE]:
        assert build.most_encoded(with_outside(own)) == 0, own
        assert chosen(with_outside(own)) == [], own


def test_those_left_are_spread_over_the_groups(toy_groups: None) -> None:
    found = chosen(with_outside(50))
    assert set(found) & set(TOY_GROUPS["look at a picture"])
    assert set(found) & set(TOY_GROUPS["tell jokes"])


def test_the_same_catalog_gets_the_same_phrases(toy_groups: None) -> None:
    assert chosen(BOOK) == chosen(replace(BOOK))


@pytest.mark.measures
def test_a_catalog_of_translations_keeps_no_phrase_about_them(remembering: Remembering) -> None:
    about = "Translate text into another language"
    translator = PhraseBook((Label("translate_text", (), "Translates a text into another language."), Label("undo")))
    tools = PhraseBook((Label("open_valve", (), "Opens a valve of the pump."), Label("undo")))
    kept = [
        len(set(build_index(book, remembering).corpus.background) & set(GROUPS[about])) for book in (translator, tools)
    ]
    assert kept == [0, len(GROUPS[about])]
    assert np.unique(PHRASES).size == len(PHRASES)
