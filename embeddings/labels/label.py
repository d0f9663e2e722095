"""A label (one meaning of a phrase), and a phrase that stands for it."""

from dataclasses import dataclass
from typing import Literal

PhraseKind = Literal["name", "alias", "description", "phrasing"]


@dataclass(frozen=True)
class Label:
    """One meaning that a phrase can have.

    Attributes:
        name: unique within a book, ignoring case and punctuation.
        aliases: curated synonyms.
        description: a description in prose; empty if there is none.
        phrasings: examples of how people ask for it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    phrasings: tuple[str, ...] = ()


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
