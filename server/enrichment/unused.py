"""Answers that belong to no prompt of a catalog."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from embeddings.labels.phrase_book import PhraseBook
from server.enrichment.answers import Answer
from server.enrichment.prompts import Prompt, key_of, name_in, shown_name
from server.errors import nearest


@dataclass(frozen=True)
class Unused:
    """An id of answers that are not used.

    Attributes:
        id: the id.
        changed: whether its label is in the catalog, but with other texts than when the prompt was written.
        nearest: the label of the catalog with the most similar name, if `changed` is false.
    """

    id: str
    changed: bool
    nearest: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value; absent fields are left out."""
        value: dict[str, Any] = {"unused": self.id, "reason": "changed_label" if self.changed else "unknown_label"}
        return value | ({"nearest": self.nearest} if self.nearest else {})


def unused(book: PhraseBook, prompts: Iterable[Prompt], answers: Sequence[Answer]) -> list[Unused]:
    """List the ids of answers that belong to no prompt, in the order of the answers."""
    keys = {prompt.key for prompt in prompts}
    names = {shown_name(label) for label in book.labels}
    others = dict.fromkeys(answer.id for answer in answers if key_of(answer.id) not in keys)
    return [_unused(identifier, names) for identifier in others]


def _unused(identifier: str, names: set[str]) -> Unused:
    name = name_in(identifier)
    if name in names:
        return Unused(identifier, changed=True)
    return Unused(identifier, changed=False, nearest=next(iter(nearest(name or identifier, sorted(names))), None))
