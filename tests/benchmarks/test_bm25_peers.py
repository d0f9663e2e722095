"""FastMCP's BM25 and the hybrid rank as their definitions say."""

import math

import numpy as np
import pytest

from benchmarks.bm25_peers import FastMcpBm25, Hybrid
from benchmarks.peer import NOT_ANSWERED, Texts
from embeddings.encoder.caching import CachedEncoder
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from tests.toy import BOOK, ToyEncoder


def texts(book: PhraseBook) -> Texts:
    return Texts.of(book, CachedEncoder(ToyEncoder()))


def fitted(*labels: Label) -> FastMcpBm25:
    peer = FastMcpBm25()
    peer.fit(texts(PhraseBook(labels)))
    return peer


def test_the_score_is_okapis() -> None:
    scores = fitted(Label("boil water"), Label("pour")).scores(["Boil!"])
    length = 1 - 0.75 + 0.75 * 2 / 1.5
    assert scores[0, 0] == pytest.approx(math.log((2 - 1 + 0.5) / 1.5 + 1) * 2.5 / (1 + 1.5 * length))


def test_a_tool_without_a_common_word_is_not_returned() -> None:
    assert fitted(Label("boil water"), Label("pour")).scores(["boil a"])[0, 1] == NOT_ANSWERED


def test_a_repeated_word_counts_again() -> None:
    once, twice = fitted(Label("boil water"), Label("pour")).scores(["boil", "boil boil"])[:, 0]
    assert twice == pytest.approx(2 * once)


def test_five_tools_are_returned() -> None:
    labels = [Label(f"boil {word}") for word in ("ale", "tea", "egg", "oil", "wax", "jam")]
    assert np.isfinite(fitted(*labels).scores(["boil"])).sum() == 5


def test_words_of_parameters_count() -> None:
    label = Label("boil", fields={"parameters": ("degrees how hot",)})
    assert fitted(label, Label("pour")).scores(["degrees"])[0, 0] > 0


def test_the_hybrid_finds_what_is_near_and_what_has_the_word() -> None:
    pytest.importorskip("rank_bm25")
    peer = Hybrid()
    peer.fit(texts(BOOK))
    found = peer.scores(["rewind please", "image please"]).argmax(axis=1)
    assert [BOOK.labels[label].name for label in found] == ["Checkpoints", "Vision"]
