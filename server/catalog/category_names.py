"""Finds the categories that a caller can mean by name, spelling and words; what words mean is left to a matcher."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from rapidfuzz import fuzz, process

from embeddings.text.normalization import fold
from embeddings.text.words import stems

SURE_SPELLING: Final = 88
"""Likeness, out of 100, from which a text is a category's name with a typo."""


class CategoryNames:
    """Categories of one catalog. Safe to share between threads."""

    def __init__(self, about: Mapping[str, str]) -> None:
        """Learn the categories and the words of what each is about."""
        # If two fold to the same text, the first in the list counts.
        self._folded = {fold(category): category for category in reversed(list(about))}
        self._names = {category: set(stems(fold(category))) for category in about}
        self._words = {category: self._names[category] | set(stems(text)) for category, text in about.items()}
        self._common = Counter(word for words in self._words.values() for word in words)

    def exact(self, value: str) -> str | None:
        """The category with this name, ignoring case and punctuation."""
        return self._folded.get(fold(value))

    def spelled(self, value: str) -> str | None:
        """The category whose name this is but for a typo."""
        close = process.extractOne(fold(value), list(self._folded), scorer=fuzz.ratio, score_cutoff=SURE_SPELLING)
        return self._folded[close[0]] if close else None

    def named(self, value: str) -> list[str]:
        """The categories whose names contain all words of the text, as 'orchestration' is in 'agent-orchestration'."""
        said = set(stems(fold(value)))
        return [category for category, words in self._names.items() if said and said <= words]

    def shared_words(self, value: str) -> dict[str, float]:
        """The share of a text's words, from 0 to 1, that say something of each category; common ones count less."""
        said = set(stems(value))
        return {
            category: sum(1 / self._common[word] for word in said & words) / len(said) if said else 0.0
            for category, words in self._words.items()
        }
