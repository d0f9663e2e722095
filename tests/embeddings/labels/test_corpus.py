import numpy as np

from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label, Phrase
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.char_ngrams import NgramIndex

BOOK = PhraseBook((Label("A", ("b",)), Label("C")), ("d", "e"))


def test_texts_are_laid_out_by_label_with_those_out_of_scope_last() -> None:
    index = Corpus.build(BOOK)
    assert index.texts == ["A", "b", "C", "d", "e"]
    assert index.owners.tolist() == [0, 0, 1, 2, 2]


def test_the_nearest_phrase_of_a_label_is_the_one_with_the_largest_value() -> None:
    values = np.array([0.25, 0.5, 0.75, 0.125, 1], dtype=np.float32)
    index = Corpus.build(BOOK)
    assert index.nearest_phrase(0, values) == (Phrase("b", "alias", 0), 0.5)
    assert index.nearest_phrase(2, values) == (Phrase("e", "phrasing", 2), 1.0)


def test_a_lexical_index_at_hand_is_used() -> None:
    lexical = NgramIndex.build(["A", "b", "C", "d", "e"])
    assert Corpus.build(BOOK, lexical).lexical is lexical
