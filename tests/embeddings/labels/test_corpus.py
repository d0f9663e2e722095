import numpy as np

from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label, Phrase
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.char_ngrams import NgramIndex
from embeddings.text.word_index import WordIndex

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


def test_indexes_at_hand_are_used() -> None:
    lexical, words = NgramIndex.build(["A", "b", "C", "d", "e"]), WordIndex.build(["A b", "C"])
    corpus = Corpus.build(BOOK, (), lexical, words)
    assert corpus.lexical is lexical
    assert corpus.words is words


def test_background_phrases_come_after_those_of_the_catalog() -> None:
    corpus = Corpus.build(BOOK, ["f", "g"])
    assert corpus.texts == ["A", "b", "C", "d", "e", "f", "g"]
    assert corpus.owners.tolist() == [0, 0, 1, 2, 2, 2, 2]
    assert corpus.background == ["f", "g"]


def test_the_whole_of_a_label_is_its_name_with_its_description_or_else_its_name() -> None:
    corpus = Corpus.build(PhraseBook((Label("A", ("b",), "c"), Label("D", ("e",)))))
    assert [corpus.texts[row] for row in corpus.whole_rows] == ["A: c", "D"]


def test_the_words_of_a_label_are_those_of_its_name_aliases_description_and_fields() -> None:
    label = Label("Alpha", ("beta",), "gamma", ("delta",), {"parameters": ("epsilon",)})
    words = Corpus.build(PhraseBook((label, Label("Zeta")))).words
    found = {word: bool(words.scores(word)[0][0]) for word in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")}
    assert found == {"alpha": True, "beta": True, "gamma": True, "delta": False, "epsilon": True, "zeta": False}


def test_an_alias_that_is_part_of_the_name_adds_no_words() -> None:
    plain, with_alias = Label("server/find"), Label("server/find", ("find",))
    other = Label("other")
    one, two = (Corpus.build(PhraseBook((label, other))).words.scores("find") for label in (plain, with_alias))
    assert one[0].tolist() == two[0].tolist()
