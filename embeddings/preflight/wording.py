"""Which words of two labels' own texts would tell them apart, and which words say nothing of a subject."""

from collections.abc import Iterable
from typing import Final

from embeddings.labels.label import Label
from embeddings.text.normalization import words
from embeddings.text.words import spoken, stems

_MOST_WORDS: Final = 4

GENERIC: Final = frozenset(
    stems(
        "do make run execute perform handle process manage support help assist deal work use provide set start stop "
        "return call invoke apply allow enable give take thing stuff item object data information info detail record "
        "entry value input output result request response case matter issue topic content resource service system tool "
        "function feature operation action task job option parameter argument main default general various "
        "several different more other misc miscellaneous utility util helper common basic simple standard custom "
        "specific relevant related relevance requested supplied given necessary required needed something anything "
        "everything etc type kind user name id test method processing handler manager"
    )
)
"""Stems of words that fit any label and so name no subject."""


def subjects(label: Label) -> list[str]:
    """The stems of a label's name, aliases, description and fields' names that are not generic, each once."""
    return [stem for stem in _own_stems(label) if stem not in GENERIC]


def generic_share(label: Label) -> float:
    """Share of generic words among the different words of a label's name, aliases and description; 1 if it has none."""
    own = _own_stems(label)
    return sum(stem in GENERIC for stem in own) / len(own) if own else 1.0


def _own_stems(label: Label) -> list[str]:
    return list(dict.fromkeys(stems(" ".join((spoken(label.name), *label.aliases, label.description)))))


def only_in(label: Label, other: Label) -> list[str]:
    """The first words that only the one label's texts have, most of them nouns and verbs of its subject."""
    known = {*GENERIC, *stems(" ".join(_texts(other)))}
    found = []
    for word in words(" ".join(_texts(label))):
        own = stems(word)
        if own and not known.intersection(own):
            found.append(word)
            known.update(own)
    return found[:_MOST_WORDS]


def _texts(label: Label) -> Iterable[str]:
    return (spoken(label.name), *label.aliases, label.description, *label.phrasings)


def quoted(found: Iterable[str]) -> str:
    """Words in quotation marks, joined by commas."""
    return ", ".join(f"'{word}'" for word in found)
