"""Says when a message is not in the language of the catalog and of the model, and what its confidence is worth then."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from embeddings.labels.corpus import Corpus
from embeddings.ranking.ranking import Ranking
from embeddings.text.message.language import Script, foreign_script

MEASURED: Final[dict[Script, tuple[float, float]]] = {"latin": (1.5, 0.1), "other": (2.5, 0.1)}
"""Temperature of the probabilities, and the factor of "none", for messages in other languages, by their script.

Chosen on 172 queries in 26 languages over the shipped catalog and two small ones, 11 of them out of scope. Of 127 in
the Latin script 40% are right first (49% on the shipped catalog, 24% on the others), with a mean confidence of 0.15
without these and 0.21 with them; of 45 in other scripts 9%, with 0.04 and 0.07. None is resolved wrongly.
"""

_SAMPLED: Final = 100
"""Phrases of the catalog that are looked at to tell whether it is English."""


class EnglishReader:
    """Recognizes messages that are not English, for a model and a catalog that are."""

    def __init__(self, corpus: Corpus, knows: Callable[[str], bool]) -> None:
        """Compare with a catalog.

        Args:
            corpus: the catalog.
            knows: tells whether the model knows a word.
        """
        self._corpus = corpus
        self._knows = knows

    def foreign(self, text: str) -> Script | None:
        """Tell the script of a message that is not English; None if it is, or if the catalog is not English either."""
        script = foreign_script(text, self._knows)
        return script if script and self._english_catalog else None

    @cached_property
    def _english_catalog(self) -> bool:
        if self._corpus.whole:
            return self._corpus.whole.english
        texts = [phrase.text for phrase in self._corpus.phrases if phrase.kind != "background"]
        return mostly_english(texts, self._knows)


def mostly_english(texts: Sequence[str], knows: Callable[[str], bool]) -> bool:
    """Whether most of a sample of a catalog's texts are English."""
    sample = texts[:: max(1, len(texts) // _SAMPLED)]
    return sum(foreign_script(text, knows) is None for text in sample) * 2 > len(sample)


def as_measured(ranking: Ranking, script: Script) -> Ranking:
    """Return the probabilities as measured for messages in other languages; the order of the labels stays."""
    temperature, none_factor = MEASURED[script]
    with np.errstate(divide="ignore"):
        utilities = np.log(ranking.confidences) / temperature
        rest = np.log(ranking.rest.confidences) / temperature
    utilities[-1] += np.log(none_factor)
    top = utilities.max()
    return ranking.in_proportion(np.exp(utilities - top), np.exp(rest - top))
