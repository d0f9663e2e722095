"""The contracts of a classifier of scikit-learn, which its own checks try on numbers alone."""

import pickle
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline

from agent_capabilities.integrations.scikit_learn import CalibratedMatcher
from embeddings.encoder.encoder import Encoder
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher

TEXTS = [
    *("give me my money back", "refund please", "return the cash", "I want it repaid"),
    *("where is my parcel", "track the order", "has it shipped yet", "when does it arrive"),
    *("forgot my password", "cannot sign in", "the login fails", "reset my access"),
]
CLASSES = ["refund"] * 4 + ["shipping"] * 4 + ["login"] * 4
OUTSIDE = ["what is the weather", "tell me a joke", "who won the match"]
ASKED = ["money please", "is the parcel on its way", "my sign in is broken", "how tall is that mountain"]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder.load()


@pytest.fixture(scope="module")
def fitted(encoder: Encoder) -> CalibratedMatcher:
    return CalibratedMatcher(encoder).fit(TEXTS, CLASSES)


def test_classes_are_sorted_and_rows_of_probabilities_add_up_to_one(fitted: CalibratedMatcher) -> None:
    assert fitted.classes_.tolist() == ["login", "refund", "shipping"]
    shares = fitted.predict_proba(ASKED)
    assert shares.shape == (4, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert fitted.predict(ASKED).tolist() == fitted.classes_[shares.argmax(axis=1)].tolist()
    assert fitted.predict(ASKED[:3]).tolist() == ["refund", "shipping", "login"]
    assert fitted.score(TEXTS, CLASSES) > 0.9


def test_it_answers_as_the_matcher_itself(fitted: CalibratedMatcher, encoder: Encoder) -> None:
    labels = [
        Label(name, phrasings=tuple(text for text, own in zip(TEXTS, CLASSES, strict=True) if own == name))
        for name in ("login", "refund", "shipping")
    ]
    matcher = Matcher.build(PhraseBook(tuple(labels)), encoder)
    expected = [matcher.match(text).matches[0].name for text in ASKED]
    assert fitted.predict(ASKED).tolist() == expected
    assert fitted.matcher_.match(ASKED[0]).decision == matcher.match(ASKED[0]).decision


def test_texts_of_no_class_are_a_class_of_their_own_if_it_is_named(encoder: Encoder) -> None:
    found = CalibratedMatcher(encoder, none_label="other").fit([*TEXTS, *OUTSIDE], [*CLASSES, *["other"] * 3])
    assert found.classes_.tolist() == ["login", "other", "refund", "shipping"]
    assert found.matcher_.book.out_of_scope == tuple(OUTSIDE)
    assert found.predict(["which team won yesterday", "where is my parcel"]).tolist() == ["other", "shipping"]
    np.testing.assert_allclose(found.predict_proba(ASKED).sum(axis=1), 1)
    unseen = CalibratedMatcher(encoder, none_label="other").fit(TEXTS, CLASSES)
    assert "other" in unseen.classes_


@pytest.mark.parametrize("given", [list, np.array, pytest.importorskip("pandas").Series])
def test_texts_and_classes_are_lists_arrays_or_series(given: Any, fitted: CalibratedMatcher, encoder: Encoder) -> None:
    found = CalibratedMatcher(encoder).fit(given(TEXTS), given(CLASSES))
    np.testing.assert_array_equal(found.predict_proba(given(ASKED)), fitted.predict_proba(ASKED))


def test_classes_may_be_numbers_and_may_differ_in_case_alone(encoder: Encoder) -> None:
    for classes in ([7] * 4 + [-1] * 4 + [30] * 4, ["A"] * 4 + ["a"] * 4 + ["B"] * 4):
        found = CalibratedMatcher(encoder).fit(TEXTS, classes)
        assert found.predict(["track the order"]).tolist() == [classes[4]], classes


def test_a_clone_has_the_parameters_and_is_not_fitted(fitted: CalibratedMatcher) -> None:
    copied = clone(fitted.set_params(descriptions={"login": "signing in"}))
    assert copied.get_params()["descriptions"] == {"login": "signing in"}
    fitted.set_params(descriptions=None)
    for call in (copied.predict, copied.predict_proba):
        with pytest.raises(NotFittedError):
            call(["x"])


def test_a_second_fit_forgets_the_first(encoder: Encoder) -> None:
    found = CalibratedMatcher(encoder).fit(TEXTS, CLASSES)
    found.fit(TEXTS[:8], CLASSES[:8])
    assert found.classes_.tolist() == ["refund", "shipping"]
    assert found.predict_proba(ASKED).shape == (4, 2)


def test_it_is_pickled_fitted(fitted: CalibratedMatcher) -> None:
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(restored.predict_proba(ASKED), fitted.predict_proba(ASKED))


def test_it_works_in_pipelines_searches_and_cross_validation() -> None:
    pipeline = Pipeline([("match", CalibratedMatcher())])
    assert cross_val_score(pipeline, TEXTS, CLASSES, cv=2).mean() > 0.6
    grid = {"match__descriptions": [None, {"shipping": "parcels on their way"}]}
    assert GridSearchCV(pipeline, grid, cv=2).fit(TEXTS, CLASSES).best_score_ > 0.6


@pytest.mark.parametrize(
    ("texts", "classes", "problem"),
    [
        (["a", 3], ["x", "y"], r"X\[1\] is 3"),
        (["a", " "], ["x", "y"], r"X\[1\] is ' '"),
        ([["a"], ["b"]], ["x", "y"], "2 dimensions"),
        ("ab", ["x", "y"], "got the string"),
        (["a"], ["x", "y"], "inconsistent numbers of samples"),
        (["a"], ["none"], "none_label"),
    ],
)
def test_what_cannot_be_fitted_is_told(texts: Any, classes: list[str], problem: str, encoder: Encoder) -> None:
    with pytest.raises(ValueError, match=problem):
        CalibratedMatcher(encoder, none_label="none").fit(texts, classes)
