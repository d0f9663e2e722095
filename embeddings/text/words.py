"""Splits texts into the words that are compared: names at case and punctuation, stop words left out, stemmed."""

import re
from collections.abc import Sequence
from typing import Final

import Stemmer

from embeddings.text.normalization import normalize

LONGEST_SPLIT: Final = 4000
"""Characters of a text whose words are compared."""

_RUN: Final = re.compile(r"[^\W_]+")
_IN_NAME: Final = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_/.:]+")
_IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9]*(?:_\w+|[A-Z]\w*)+")
_SPACES: Final = re.compile(r"\s+")

_STOP_WORDS: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "of",
        "to",
        "in",
        "on",
        "for",
        "with",
        "by",
        "at",
        "from",
        "as",
        "is",
        "are",
        "be",
        "it",
        "this",
        "that",
        "these",
        "those",
        "i",
        "me",
        "my",
        "you",
        "your",
        "we",
        "our",
        "us",
        "can",
        "could",
        "would",
        "should",
        "do",
        "does",
        "did",
        "will",
        "what",
        "which",
        "how",
        "please",
        "want",
        "need",
        "have",
        "has",
        "get",
        "there",
        "their",
        "its",
        "into",
        "if",
        "not",
        "any",
        "some",
        "no",
        "s",
        "t",
        "m",
        "d",
        "ll",
        "re",
        "ve",
    ]
)
"""Words that say nothing about what is meant. Leaving them out puts 0.4 points more queries first on eleven public sets
of tools with one description each (see `training/priors.json`)."""


def spoken(name: str) -> str:
    """Split a name of one word at case and punctuation, as it would be said: 'createIssue' -> 'create Issue'.

    A name of several words is said as it is written: 'GitHub Integration'.
    """
    if " " in name.strip():
        return name
    return _SPACES.sub(" ", _IN_NAME.sub(" ", name)).strip() or name


def spoken_alias(alias: str) -> str:
    """Split an alias if it is an identifier, such as 'create_issue', and not a product, file or command: 'GitHub'."""
    return spoken(alias) if _IDENTIFIER.fullmatch(alias) else alias


def spoken_names(names: Sequence[str]) -> list[str]:
    """Split the names of one catalog, without a namespace that all of them share, such as 'github/'."""
    namespaces = {name.rpartition("/")[:2] for name in names}
    shared = "".join(namespaces.pop()) if len(namespaces) == 1 and len(names) > 1 else ""
    return [spoken(name.removeprefix(shared) or name) for name in names]


def stems(text: str) -> list[str]:
    """List the stems of a text's words in order, without stop words; of other scripts than Latin, the words.

    A word with capitals inside counts as a whole and in its parts: 'GitHub' is 'github', 'git' and 'hub'.
    """
    return stems_of(runs(text))


def runs(text: str) -> list[str]:
    """List the words of a text in order, as they are written: its runs of letters and digits."""
    return _RUN.findall(normalize(text[:LONGEST_SPLIT]))


def stems_of(words: Sequence[str]) -> list[str]:
    """List the stems of words that `runs` listed, without stop words."""
    found = [part for word in words for part in _with_parts(word)]
    # Stemmers are not safe to share between threads; making one takes a microsecond.
    stem = Stemmer.Stemmer("english").stemWords
    stemmed: list[str] = stem([word for word in found if word not in _STOP_WORDS])
    return stemmed


def _with_parts(word: str) -> list[str]:
    if word.islower():
        return [word.casefold()]
    parts = _IN_NAME.split(word)
    return [word.casefold()] if len(parts) == 1 else [word.casefold(), *(part.casefold() for part in parts)]
