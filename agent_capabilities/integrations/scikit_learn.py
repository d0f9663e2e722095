"""The matcher as a classifier of scikit-learn: texts in, calibrated probabilities of classes out."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from agent_capabilities.integrations import needs

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_consistent_length, check_is_fitted
except ImportError as error:
    raise needs(__name__, error) from error

from embeddings.encoder.encoder import Encoder
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder


class CalibratedMatcher(ClassifierMixin, BaseEstimator):
    """A classifier of short English texts that needs few examples a class, and whose probabilities are calibrated.

    Args:
        encoder: embeds the texts (default: the shipped model that is tuned on requests).
        descriptions: a sentence for each class, by class, as far as there are any.
        out_of_scope: texts that belong to no class.
        none_label: the class of texts that belong to none of the others. Rows of `y` with it are texts out of scope,
            and it is one of `classes_`. None: the probability that a text is of no class is shared among the classes.

    Attributes:
        classes_: the classes, sorted, (classes,).
        matcher_: the fitted matcher, which also decides between an answer, candidates and no match.
    """

    def __init__(
        self,
        encoder: "TextEncoder | None" = None,
        *,
        descriptions: Mapping[Any, str] | None = None,
        out_of_scope: Sequence[str] = (),
        none_label: Any = None,
    ) -> None:
        """Keep the parameters; `fit` reads them."""
        self.encoder = encoder
        self.descriptions = descriptions
        self.out_of_scope = out_of_scope
        self.none_label = none_label

    def fit(self, X: Sequence[str], y: Sequence[Any]) -> Self:  # noqa: N803 -- as scikit-learn calls it
        """Embed the texts, fit the ranking, and calibrate it on texts held out.

        Args:
            X: texts, (n,): a list, an array or a Series.
            y: their classes, (n,).

        Raises:
            ValueError: a text is not a string or is blank, the lengths differ, or no class is left beside `none_label`.
        """
        texts = _texts(X)
        check_consistent_length(texts, y)
        check_classification_targets(y)
        found, owners = np.unique(np.asarray(y), return_inverse=True)
        kept = [place for place, value in enumerate(found) if self.none_label is None or value != self.none_label]
        if not kept:
            raise ValueError(
                f"all of y is {self.none_label!r}, the none_label; a classifier needs another class; give texts of one"
            )
        outside = [text for text, owner in zip(texts, owners, strict=True) if owner not in kept]
        labels = [self._label(found[place], texts, owners == place) for place in kept]
        book = PhraseBook(tuple(labels), tuple(dict.fromkeys([*self.out_of_scope, *outside])))
        self.matcher_ = Matcher.build(book, self.encoder or Encoder.load())
        named = found[kept]
        self.classes_ = named if self.none_label is None else np.unique(np.append(named, self.none_label))
        self._places = np.searchsorted(self.classes_, named)
        return self

    def predict_proba(self, X: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:  # noqa: N803
        """Return the probability of each class for each text: float64 (n, classes); each row adds up to 1.

        Raises:
            NotFittedError: `fit` was not called.
            ValueError: a text is not a string or is blank.
        """
        check_is_fitted(self)
        found = self.matcher_.probabilities(_texts(X))
        shares = np.zeros((len(found), len(self.classes_)))
        shares[:, self._places] = found[:, :-1]
        if self.none_label is not None:
            shares[:, np.searchsorted(self.classes_, self.none_label)] = found[:, -1]
        else:
            # Where nothing fits at all, no class is likelier than another.
            shares += np.where(found[:, -1:] < 1, 0, 1)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def predict(self, X: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[Any]]:  # noqa: N803
        """Return the likeliest class of each text: (n,).

        Raises:
            NotFittedError: `fit` was not called.
            ValueError: a text is not a string or is blank.
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def _label(self, value: Any, texts: list[str], own: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Label:
        phrasings = dict.fromkeys(text for text, is_own in zip(texts, own, strict=True) if is_own)
        description = (self.descriptions or {}).get(value, "")
        # Two classes may be called alike but for case or spaces, so each has an id.
        return Label(str(value), description=description, phrasings=tuple(phrasings), id=f"class {value!r}")


def _texts(X: Sequence[str]) -> list[str]:  # noqa: N803
    """Return texts as a list, checked.

    Raises:
        ValueError: they are not one-dimensional, or one is not a string or is blank.
    """
    if isinstance(X, str):
        raise ValueError(f"got the string {X[:40]!r}; X is a sequence of texts; wrap it in a list")
    given = np.asarray(X, dtype=object)
    if given.ndim != 1:
        raise ValueError(f"X has {given.ndim} dimensions; it has one text a row; give a list of texts")
    for place, text in enumerate(given):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"X[{place}] is {text!r}; a text is a string that is not blank; remove or replace it")
    return [str(text) for text in given]
