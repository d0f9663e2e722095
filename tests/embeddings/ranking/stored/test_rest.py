from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from embeddings.engines.file_store import FileStore
from embeddings.index.fitted_index import SIGNALS
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking import store_proposal
from embeddings.ranking.message import Refused, as_measured, as_outside, mix, rank_with, read_refused, without
from embeddings.ranking.ranking import Ranking, Rest
from embeddings.store_matcher import StoreMatcher
from embeddings.stores import manifest
from embeddings.stores.store import Filter
from embeddings.training.store_build import build_store
from tests.toy import AXES, ToyEncoder

KEPT = 3
WORDS = [*(word for axis in AXES for word in axis), "label", "7", "rewindd", "not", "and", "I", "don't", "want", "zzz"]
BOOK = PhraseBook(
    tuple(
        Label(f"label {number}", phrasings=(f"{' '.join(AXES[number % 3][: 1 + number % 4])} {number}",))
        for number in range(60)
    ),
    ("how much does it cost",),
)


@pytest.fixture(autouse=True)
def few_are_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("FEW", "FEW_THIN"):
        monkeypatch.setattr(manifest, limit, 0)
    monkeypatch.setattr(store_proposal, "MAX_PROPOSED", 12)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Matcher, StoreMatcher]:
    """Return a catalog in memory, and in a store that proposes some of its labels.

    All of the others count for the rest.
    """
    store = FileStore(tmp_path_factory.mktemp("rest") / "toy.labels")
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("FEW", "FEW_THIN"):
            patch.setattr(manifest, limit, 0)
        build_store(BOOK, ToyEncoder(), store)
    return Matcher.build(BOOK, ToyEncoder()), StoreMatcher(store, ToyEncoder())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join))
def test_proposed_labels_are_as_likely_as_in_memory(toy: tuple[Matcher, StoreMatcher], phrase: str) -> None:
    in_memory, stored = toy
    wanted = in_memory.examine(phrase).ranking
    ready = stored._proposed(stored._known, phrase, bare=False, beside=())
    assert ready
    assert len(ready.fitted.corpus.book.labels) <= 12
    found = stored.examine(phrase).ranking
    places = [int(label.name.split()[1]) for label in ready.fitted.corpus.book.labels]
    # What a phrase refuses is taken from its label, which can be none of a few that are proposed.
    refused = read_refused(phrase, in_memory._now.corpus, rank_with(in_memory._now.ranker))
    assume(refused is None or set(np.flatnonzero(refused.shares).tolist()) <= set(places))
    assert found.confidences == pytest.approx(wanted.confidences[[*places, len(BOOK.labels)]], abs=1e-4)
    assert found.confidences.sum() + found.rest.total == pytest.approx(1)


def test_labels_that_the_filter_leaves_out_have_no_share(tmp_path: Path) -> None:
    tagged = tuple(replace(label, metadata={"tenant": label.name[-1]}) for label in BOOK.labels)
    store = FileStore(tmp_path / "toy.labels")
    build_store(replace(BOOK, labels=tagged), ToyEncoder(), store)
    nearly_none = StoreMatcher(store, ToyEncoder(), where=Filter(tenant="7")).examine("zzz").ranking
    assert nearly_none.rest.total == 0
    assert StoreMatcher(store, ToyEncoder()).examine("zzz").ranking.rest.total > 0.01


def ranking(confidences: list[float]) -> Ranking:
    return Ranking(
        signals=np.zeros((len(confidences), len(SIGNALS)), dtype=np.float32),
        weights=np.zeros(len(SIGNALS)),
        confidences=np.array(confidences),
        by_embedding=None,
        nearness=np.zeros(0, dtype=np.float32),
        read_as="",
    )


def part(whole: Ranking) -> Ranking:
    """Return a ranking of the first labels alone; the others, two of each kind, are told by half of them."""
    others = whole.confidences[KEPT:-1]
    return replace(
        whole, confidences=whole.confidences[[*range(KEPT), -1]], rest=Rest(others[: len(others) // 2], each=2)
    )


OTHER = ranking([0.1, 0.2, 0.1, 0.02, 0.08, 0.02, 0.08, 0.4])
REFUSED = Refused("rest", np.array([0.9, 0.1, 0, 0, 0, 0, 0, 0]))
LESS_REFUSED = Refused("rest", np.array([0.9, 0.1, 0, 0]))


Step = Callable[[Ranking, Ranking, Refused], Ranking]

STEPS: dict[str, Step] = {
    "mixed": lambda one, other, _: mix([one, other], [0.7, 0.3], ""),
    "foreign": lambda one, *_: as_measured(one, "other"),
    "outside": lambda one, *_: as_outside(one),
    "refused": lambda one, other, refused: without(refused, other, one),
    "only refused": lambda one, _, refused: without(refused, None, one),
}


def test_the_rest_counts_in_every_step_as_its_labels_would() -> None:
    for low in [0.0, 1e-300, 0.03]:
        for step in STEPS.values():
            whole = ranking([0.4, 0.1, 0.05, low, 0.1, low, 0.1, 0.25 - 2 * low])
            wanted = step(whole, OTHER, REFUSED)
            found = step(part(whole), part(OTHER), LESS_REFUSED)
            assert found.confidences == pytest.approx(wanted.confidences[[*range(KEPT), -1]]), (low, step)
            assert found.confidences.sum() + found.rest.total == pytest.approx(1), (low, step)
