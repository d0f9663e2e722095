"""A public set, read: labels and the queries that they serve."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from embeddings.labels.label import Label
from embeddings.metrics import LabelledQuery
from embeddings.text.normalization import fold

LONGEST: Final = 600
"""Characters of the longest query that is used; longer ones carry data, such as a text to translate."""


@dataclass(frozen=True)
class LabelledSet:
    """A catalog and the queries to match against it.

    Attributes:
        name: of the set.
        labels: with all phrasings that the set has.
        queries: each has a label that serves it, or several that serve it together or alike.
    """

    name: str
    labels: tuple[Label, ...]
    queries: tuple[LabelledQuery, ...]

    def with_phrasings(self, most: int) -> "LabelledSet":
        """Return the same set with the first `most` phrasings of each label."""
        return replace(self, labels=tuple(replace(label, phrasings=label.phrasings[:most]) for label in self.labels))


class SetBuilder:
    """Collects labels and queries as they stand in the files of a set."""

    def __init__(self, name: str) -> None:
        """Start an empty set."""
        self._name = name
        self._labels: dict[str, Label] = {}
        self._queries: dict[str, LabelledQuery] = {}

    def label(
        self,
        name: str,
        description: str = "",
        *,
        parameters: Mapping[str, object] | None = None,
        server: str = "",
        phrasings: Iterable[str] = (),
    ) -> str:
        """Add a label and return its name; a name that folds alike is the same label, whose first description stays.

        Args:
            name: as the set has it.
            description: white space is tidied.
            parameters: name to description.
            server: what the tool is part of.
            phrasings: examples, repeated ones are dropped.
        """
        fields = {
            "parameters": tuple(one_line(f"{key} {value}") for key, value in (parameters or {}).items()),
            "server": (server,) if server else (),
        }
        label = Label(
            name,
            description=one_line(description),
            phrasings=tuple(dict.fromkeys(one_line(text) for text in phrasings)),
            fields={key: texts for key, texts in fields.items() if texts},
        )
        return self._labels.setdefault(fold(name), label).name

    def query(self, text: str, names: Iterable[str]) -> None:
        """Add a query and the labels that serve it; one that is too long or names an unknown label is left out."""
        found = [self._labels.get(fold(name)) for name in dict.fromkeys(names)]
        known = tuple(dict.fromkeys(label.name for label in found if label is not None))
        tidy = one_line(text)
        if tidy and len(tidy) <= LONGEST and None not in found:
            self._queries.setdefault(tidy.casefold(), LabelledQuery(tidy, known, "in" if known else "out"))

    def build(self) -> LabelledSet:
        """Return the set."""
        return LabelledSet(self._name, tuple(self._labels.values()), tuple(self._queries.values()))


def one_line(text: str) -> str:
    """Replace each run of white space by one space."""
    return re.sub(r"\s+", " ", text).strip()
