from collections import Counter

from embeddings.encoder.caching import CachedEncoder
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from server.enrichment.collecting import Collected
from server.enrichment.estimate import NONE, Estimate, estimate
from server.enrichment.prompts import prompts_for
from tests.toy import ToyEncoder

BOOK = PhraseBook((Label("Refund"), Label("Parcel"), Label("Weather")))
QUERIES = {
    "Refund": ["undo what i paid", "rewind this payment", "restore my account", "give it back", "undo undo"],
    "Parcel": [
        "connect me with the box",
        "plug the box",
        "outside is a box",
        "the box in the outside",
        "rewind the box",
    ],
    "Weather": ["see a cloud", "picture of the sky", "image of rain", "see the sun", "see what comes"],
}


def estimated(queries: dict[str, list[str]], near: list[str], folds: int = 5) -> Estimate:
    collected = []
    for prompt in prompts_for(BOOK, 8):
        mine = near if prompt.out_of_scope else queries.get(BOOK.labels[prompt.label].name, [])
        collected.append(Collected(prompt, list(mine)))
    encoder = CachedEncoder(ToyEncoder())
    steps: Counter[str] = Counter()
    found = estimate(BOOK, collected, Matcher.build(BOOK, encoder), encoder, folds, lambda: steps.update(["fold"]))
    assert steps.total() == folds
    return found


def test_examples_make_held_out_queries_of_the_same_kind_found() -> None:
    found = estimated(QUERIES, [])
    assert (found.queries, found.out_of_scope, found.folds) == (15, 0, 5)
    assert found.before.top1 is not None
    assert found.after.top1 is not None
    assert found.after.top1 > found.before.top1
    assert found.after.top3 == 1.0
    assert (found.after.no_match, found.after.resolved) == (None, None)


def test_a_query_nearer_to_another_label_is_reported_as_a_pair() -> None:
    pairs = {(pair.label, pair.taken_for): pair.queries for pair in estimated(QUERIES, []).pairs}
    assert pairs["Parcel", "Refund"] == ("rewind the box",)


def test_the_same_query_under_two_labels_is_a_pair_in_both_directions() -> None:
    both = {name: [*texts[:4], "do the usual thing"] for name, texts in QUERIES.items() if name != "Weather"}
    pairs = {(pair.label, pair.taken_for) for pair in estimated(both, []).pairs}
    assert {("Refund", "Parcel"), ("Parcel", "Refund")} <= pairs


def test_out_of_scope_queries_have_figures_of_their_own() -> None:
    found = estimated(QUERIES, ["who won the game", "who scored in the game", "write about the game"])
    assert found.out_of_scope == 3
    assert found.after.no_match is not None
    assert found.after.resolved is not None
    assert all(pair.taken_for != NONE for pair in found.pairs)


def test_a_single_query_can_be_estimated() -> None:
    found = estimated({"Refund": ["undo what i paid"]}, [], folds=2)
    assert found.queries == 1
    assert set(found.after.to_dict()) == {"top1", "top3"}


def test_the_same_queries_give_the_same_estimate() -> None:
    assert estimated(QUERIES, ["who won"]) == estimated(QUERIES, ["who won"])
