"""Which prompts enrich a catalog, their ids and their words: one for each label, and some for near misses."""

import hashlib
import json
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher

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


NEIGHBOURS: Final = 3
"""Labels shown as easily confused with a label."""

MAX_DESCRIPTION: Final = 1_500
"""Characters of a label's description in its own prompt."""

MAX_BRIEF: Final = 200
"""Characters of a description in another label's prompt."""

MAX_EXAMPLES: Final = 5
"""Existing phrasings shown, so that the new ones sound alike and do not repeat them."""

MAX_OTHER_NAMES: Final = 4_000
"""Characters of the names of all other labels in a prompt for near misses."""

_FOR_LABEL: Final = """\
Write example queries for a search that finds which of its labels a user means.

The label:
{label}
{neighbours}
Write {wanted} queries of users who mean this label{and_none}.
- Write as people type: some in two to five words, some in a full sentence or two; questions, orders, complaints.
- Make about a quarter of them vague: they tell the situation and do not say what would solve it.
- Make one or two careless: typos, no capitals, no punctuation.
- Let each be about another situation, with concrete details where a user would give some. No two may be alike.
- Do not use the label's name, and do not mention labels or a search.
- Write English.

Answer with a JSON list of {wanted} strings, and nothing else."""

_NEAR_MISSES: Final = """\
Write example queries for a search that finds which of its labels a user means, or that none fits.

Labels:
{labels}
{others}
Write {wanted} queries that none of the labels fits, although they sound close: the same topics and words, another need.
- Check each against all labels: a user who asks it must not be helped by any of them.
- Write as people type: some in two to five words, some in a full sentence or two; one or two careless, with typos.
- Let each be about another situation. No two may be alike.
- Do not mention labels or a search.
- Write English.

Answer with a JSON list of {wanted} strings, and nothing else."""

ONCE_MORE: Final = "\n\nYour whole reply must be that JSON list: begin it with [ and end it with ]."
"""Text added to a prompt that a model replied to without queries."""


class Wording:
    """Words the prompts of a catalog; the same catalog and model give the same words."""

    def __init__(self, book: PhraseBook, matcher: Matcher) -> None:
        """Take neighbours from `matcher`, a matcher of `book`."""
        self._book = book
        self._matcher = matcher
        self._places = {label.name: place for place, label in enumerate(book.labels)}

    def text(self, prompt: Prompt) -> str:
        """Return the prompt as it is sent."""
        if prompt.out_of_scope:
            return self._near_misses(prompt)
        neighbours = [self._book.labels[place] for place in self._neighbours(prompt.label, NEIGHBOURS)]
        shown = f"\nLabels that are easily confused with it:\n{_listed(neighbours)}\n" if neighbours else ""
        return _FOR_LABEL.format(
            label=_in_full(self._book.labels[prompt.label]),
            neighbours=shown,
            wanted=prompt.wanted,
            and_none=", and none of the others" if neighbours else "",
        )

    def _near_misses(self, prompt: Prompt) -> str:
        group = [prompt.label, *self._neighbours(prompt.label, GROUP - 1)]
        others = [label.name for place, label in enumerate(self._book.labels) if place not in group]
        return _NEAR_MISSES.format(
            labels=_listed(self._book.labels[place] for place in group),
            others=f"\nFurther labels: {_cut(', '.join(others), MAX_OTHER_NAMES)}\n" if others else "",
            wanted=prompt.wanted,
        )

    def _neighbours(self, label: int, count: int) -> list[int]:
        """Return the labels that the matcher finds for a label's own words, other than itself, nearest first."""
        own = self._book.labels[label]
        found = self._matcher.explain(_cut(f"{own.name}. {own.description}", MAX_DESCRIPTION), count + 1).candidates
        places = [self._places[candidate.name] for candidate in found if candidate.name in self._places]
        return [place for place in places if place != label][:count]


def _in_full(label: Label) -> str:
    lines = [f"name: {label.name}"]
    if label.aliases:
        lines.append(f"also called: {', '.join(label.aliases)}")
    if label.description:
        lines.append(f"description: {_cut(label.description, MAX_DESCRIPTION)}")
    lines += [f"{field}: {_cut(', '.join(texts), MAX_BRIEF)}" for field, texts in sorted(label.fields.items())]
    if label.phrasings:
        lines.append("users have asked for it like this; do not repeat these:")
        lines += [f"- {_cut(text, MAX_BRIEF)}" for text in label.phrasings[:MAX_EXAMPLES]]
    return "\n".join(lines)


def _listed(labels: Iterable[Label]) -> str:
    return "\n".join(
        f"- {label.name}: {_cut(label.description, MAX_BRIEF)}" if label.description else f"- {label.name}"
        for label in labels
    )


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
