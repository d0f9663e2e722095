"""The share of queries that no label fits, estimated without knowing which."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.errors import PhraseError
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import ENOUGH_OUTSIDE, PhraseBook
from embeddings.matcher import Matcher
from embeddings.metrics import estimate_share
from tests.toy import BOOK, ToyEncoder


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.5))
def test_the_share_is_found_whatever_the_probabilities_count_on(share: float, assumed: float) -> None:
    # Two kinds of evidence, four times likelier for what fits nothing and for the rest.
    odds = assumed / (1 - assumed) * np.array([4, 0.25])
    none = odds / (1 + odds)
    seen = share * np.array([0.8, 0.2]) + (1 - share) * np.array([0.2, 0.8])
    drawn = np.repeat(none, np.round(10_000 * seen).astype(int))
    assert estimate_share(drawn, assumed) == pytest.approx(share, abs=0.01)


def test_messages_that_all_fit_and_messages_of_which_none_does_are_told() -> None:
    matcher = Matcher.build(BOOK, ToyEncoder())
    served = ["undo it", "see the picture", "plug it in outside", "restore my files"] * 5
    assert matcher.estimate_share(served) < 0.1
    assert matcher.estimate_share([*served, *["how warm is it", "sing a song"] * 40]) > 0.5


def test_a_book_counts_on_what_it_states_or_a_fifth_or_on_its_own_phrases() -> None:
    labels = (Label("one", phrasings=tuple(f"phrase {number}" for number in range(400))), Label("two"))
    outside = tuple(f"outside {number}" for number in range(ENOUGH_OUTSIDE))
    assert PhraseBook(labels, outside, out_of_scope_share=0.4).assumed_share == 0.4
    assert PhraseBook(labels).assumed_share == pytest.approx(0.2)
    assert PhraseBook(labels[1:]).assumed_share == 0.2
    assert PhraseBook(labels, (*outside, "more")).assumed_share == pytest.approx(0.2)
    few = tuple(f"phrase {number}" for number in range(4000))
    assert PhraseBook((Label("one", phrasings=few),), outside).assumed_share == pytest.approx(100 / 4100)


def test_an_estimate_needs_messages() -> None:
    for phrases in ([], ["undo", " "]):
        with pytest.raises(PhraseError):
            Matcher.build(BOOK, ToyEncoder()).estimate_share(phrases)
