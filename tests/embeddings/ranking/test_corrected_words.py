"""Which words a phrase's words are corrected to."""

from embeddings.labels.corpus import Corpus
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.rankers import LexicalRanker
from embeddings.training.build import fit_lexical_weights


def test_a_word_is_corrected_to_words_of_the_catalog_and_not_of_the_background() -> None:
    book = PhraseBook((Label("Refund", phrasings=("give the money back", "return it")), Label("Boxes")))
    corpus = Corpus.build(book, ("carbon dioxide and swimming",))
    ranker = LexicalRanker(corpus, fit_lexical_weights(corpus))
    assert ranker.rank("a carton").read_as == "a carton"
    assert ranker.rank("mony back").read_as == "money back"
