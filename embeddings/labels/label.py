"""A label (one meaning of a phrase), and a phrase that stands for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PhraseKind = Literal["name", "alias", "description", "phrasing"]


@dataclass(frozen=True)
class Label:
    """One meaning that a phrase can have.

    Attributes:
        name: unique within a book, ignoring case and punctuation.
        aliases: curated synonyms.
        description: a description in prose; empty if there is none.
        phrasings: examples of how people ask for it.
        fields: further texts by what they are, such as the names and descriptions of a tool's parameters; their words
            are compared, they are not embedded.
        generated: those of the phrasings that a language model wrote.
        id: what the catalog's owner calls the label; empty if there is none.
        metadata: JSON values that are handed through to answers, and not read.
    """

    name: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    phrasings: tuple[str, ...] = ()
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    generated: frozenset[str] = frozenset()
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Phrase:
    """One text that stands for a label.

    Attributes:
        text: the text that is embedded.
        kind: its role for the label: name, alias, description or phrasing.
        label: index of the label in the book.
    """

    text: str
    kind: PhraseKind
    label: int
