"""A label (one meaning of a phrase), and a phrase that stands for it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from embeddings.text.normalization import fold

PhraseKind = Literal["name", "alias", "whole", "description", "phrasing", "background"]


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

    def words(self) -> Iterator[str]:
        """Yield the texts whose words are compared with a query's: all but the phrasings, which are compared whole."""
        named = fold(self.name)
        # An alias that is part of the name says nothing more, such as the tool's name in 'server/tool'.
        yield from (self.name, *(alias for alias in self.aliases if fold(alias) not in named), self.description)
        for texts in self.fields.values():
            yield from texts


class Phrase(NamedTuple):
    """One text that stands for a label.

    Attributes:
        text: the text that is embedded.
        kind: its role for the label: name, alias, whole (name and description), description (a sentence of it) or
            phrasing; background: a phrase of the built-in ones that no label fits.
        label: index of the label in the book.
    """

    text: str
    kind: PhraseKind
    label: int
