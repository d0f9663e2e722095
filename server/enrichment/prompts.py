"""Which prompts enrich a catalog, and their ids: one for each label, and some for near misses that fit no label."""

import hashlib
import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook

GROUP: Final = 8
"""Labels that a prompt for near misses shows; there is one such prompt for each eight labels."""


@dataclass(frozen=True)
class Prompt:
    """A prompt that asks for queries.

    Attributes:
        id: `KEY/WANTED`; an answer carries it.
        key: what the queries are for: name and a hash of the label's texts, so that it changes with them. It does not
            change with the other labels, so that a label that is added leaves the answers for all others in use.
        label: index of the label; for near misses, of the label whose neighbourhood they are from.
        out_of_scope: whether it asks for near misses.
        wanted: number of queries asked for.
    """

    id: str
    key: str
    label: int
    out_of_scope: bool
    wanted: int


def prompts_for(book: PhraseBook, per_label: int, answered: Collection[str] = ()) -> list[Prompt]:
    """List the prompts of a catalog: the labels' in its order, then those for near misses.

    Args:
        book: the catalog.
        per_label: queries wanted of each prompt.
        answered: keys that have answers; prompts for near misses that have some are listed in any case.
    """
    labels = [_prompt(label_key(label), place, False, per_label) for place, label in enumerate(book.labels)]
    # The order of the hashes spreads the prompts over the catalog, and a label that is added moves at most one of them.
    hashes = sorted((_hash(label, "near"), place) for place, label in enumerate(book.labels))
    near = [_prompt(_near_key(book.labels[place], digest), place, True, per_label) for digest, place in hashes]
    chosen = math.ceil(len(near) / GROUP)
    return [*labels, *near[:chosen], *(prompt for prompt in near[chosen:] if prompt.key in answered)]


def key_of(identifier: str) -> str:
    """Return the key in the id of an answer."""
    return identifier.rpartition("/")[0]


def name_in(identifier: str) -> str:
    """Return the label's id or name in the id of an answer; empty if the id does not have the form of one."""
    return key_of(identifier).rpartition("#")[0].removeprefix(_NEAR)


def label_key(label: Label) -> str:
    """Return the key of a label's prompt."""
    return f"{shown_name(label)}#{_hash(label, 'label')}"


def shown_name(label: Label) -> str:
    """Return the name of a label that ids use."""
    return label.id or label.name


_NEAR: Final = "near:"


def _near_key(label: Label, digest: str) -> str:
    return f"{_NEAR}{shown_name(label)}#{digest}"


def _prompt(key: str, label: int, out_of_scope: bool, wanted: int) -> Prompt:
    return Prompt(f"{key}/{wanted}", key, label, out_of_scope, wanted)


def _hash(label: Label, kind: str) -> str:
    """Eight hex digits that change with what a label says about itself, apart from its phrasings."""
    fields = sorted((name, list(texts)) for name, texts in label.fields.items())
    said = json.dumps([kind, label.id, label.name, label.description, label.aliases, fields])
    return hashlib.sha256(said.encode()).hexdigest()[:8]
