"""Turns answers into checked queries for each prompt, and these into the enriched catalog."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from rapidfuzz import fuzz, process

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.invisible import is_hidden, is_needed
from embeddings.text.language import foreign_script
from embeddings.text.normalization import fold
from server.enrichment.answers import Answer
from server.enrichment.asking import parse_queries
from server.enrichment.prompts import Prompt, key_of

Dropped = Literal["blank", "too_long", "hidden_characters", "refusal", "not_english", "name", "near_copy", "surplus"]
"""Why a query is not used: it has no words; it is longer than a query; it has characters that a reader does not see;
it declines to write a query; it is not English; it is the name or alias of a label; it is nearly the same as another
text; there are as many queries as were wanted already."""

MAX_CHARACTERS: Final = 300
"""Maximum characters of a query. Of the 10,546 shipped phrasings, the longest has 122."""

NEAR_COPY: Final = 85.0
"""Minimum similarity (rapidfuzz's ratio of the folded and sorted words, 0 to 100) of near copies. Of the 10,546 shipped
phrasings, which were edited to have no copies, 8 have a phrasing of the same label as near as that, such as "coverage
of many programming languages" and "programming language coverage"; as
near as 80, where parts of the meaning differ, 33."""

_REFUSAL: Final = re.compile(
    r"(\bas an? (ai|artificial|large)\b"
    r"|\bsorry,? (but )?i('m| am)? (can('|no)?t|cannot|can not|won't|unable|not able)\b"
    r"|^(unfortunately,? )?i (can't|cannot|can not|won't|am unable to|am not able to) (assist|comply|fulfil+)\b)",
    re.IGNORECASE,
)
_APOSTROPHES: Final = str.maketrans("’ʼ", "''")


class SeenTexts:
    """Texts that new ones must not repeat."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Start with some texts."""
        self._texts = [_with_sorted_words(text) for text in texts]

    def add(self, text: str) -> None:
        """Add a text."""
        self._texts.append(_with_sorted_words(text))

    def has_near_copy(self, text: str) -> bool:
        """Return whether a text is nearly the same as one of them, with its words in any order."""
        found = process.extractOne(_with_sorted_words(text), self._texts, scorer=fuzz.ratio, score_cutoff=NEAR_COPY)
        return found is not None


def _with_sorted_words(text: str) -> str:
    return " ".join(sorted(fold(text).split()))


def cleaned(text: str) -> str:
    """Return a query on one line, without spaces at its ends."""
    return " ".join(text.split())


def fault(query: str, names: frozenset[str], seen: SeenTexts) -> Dropped | None:
    """Why a cleaned query cannot be an example; None if it can.

    Args:
        query: the query.
        names: folded names and aliases of all labels.
        seen: texts that it must not repeat.
    """
    unfit = _fault_of_text(query)
    if unfit is None and fold(query) in names:
        return "name"
    if unfit is None and seen.has_near_copy(query):
        return "near_copy"
    return unfit


def _fault_of_text(query: str) -> Dropped | None:
    if not any(character.isalnum() for character in query):
        return "blank"
    if len(query) > MAX_CHARACTERS:
        return "too_long"
    if any(is_hidden(character) and not is_needed(query, place) for place, character in enumerate(query)):
        return "hidden_characters"
    if is_refusal(query):
        return "refusal"
    # Whether the model knows a word is left open, as a catalog is enriched without the model, too.
    return "not_english" if foreign_script(query, lambda _: True) else None


def is_refusal(text: str) -> bool:
    """Return whether a text declines to write queries."""
    return _REFUSAL.search(text.translate(_APOSTROPHES)) is not None


@dataclass
class Collected:
    """The queries collected from the answers to one prompt.

    Attributes:
        prompt: the prompt.
        queries: those that passed the checks, at most as many as were wanted.
        dropped: number of the others by reason.
        without_queries: replies that refused, or in which no list was found.
        answered: whether an answer to this very prompt gave a query.
    """

    prompt: Prompt
    queries: list[str] = field(default_factory=list)
    dropped: Counter[Dropped] = field(default_factory=Counter)
    without_queries: int = 0
    answered: bool = False

    @property
    def missing(self) -> bool:
        """Whether the prompt is to be asked: neither was it answered, nor are there queries enough for it."""
        return not self.answered and len(self.queries) < self.prompt.wanted


def collect(book: PhraseBook, prompts: Sequence[Prompt], answers: Iterable[Answer]) -> list[Collected]:
    """Read and check the answers to each prompt; those for the same texts under another number of queries count, too.

    Args:
        book: the catalog.
        prompts: its prompts.
        answers: in order of preference; those to other prompts are left out.
    """
    by_key: dict[str, list[Answer]] = {}
    for answer in dict.fromkeys(answers):
        by_key.setdefault(key_of(answer.id), []).append(answer)
    names = frozenset(fold(text) for label in book.labels for text in (label.name, *label.aliases))
    found = [Collected(prompt) for prompt in prompts]
    for each in (each for each in found if not each.prompt.out_of_scope):
        seen = SeenTexts(_texts(book.labels[each.prompt.label]))
        _add_answers(each, by_key.get(each.prompt.key, ()), names, seen)
    served = [query for each in found for query in each.queries]
    seen = SeenTexts([*(text for label in book.labels for text in _texts(label)), *served, *book.out_of_scope])
    for each in (each for each in found if each.prompt.out_of_scope):
        _add_answers(each, by_key.get(each.prompt.key, ()), names, seen)
    return found


def enriched(book: PhraseBook, collected: Iterable[Collected]) -> PhraseBook:
    """Add the queries to the catalog: phrasings marked as generated, and near misses as out-of-scope phrases."""
    labels, out_of_scope = list(book.labels), list(book.out_of_scope)
    for each in collected:
        if each.prompt.out_of_scope:
            out_of_scope += each.queries
        else:
            labels[each.prompt.label] = _with_queries(labels[each.prompt.label], each.queries)
    return replace(book, labels=tuple(labels), out_of_scope=tuple(out_of_scope))


def _with_queries(label: Label, queries: Sequence[str]) -> Label:
    return replace(label, phrasings=(*label.phrasings, *queries), generated=label.generated | set(queries))


def _texts(label: Label) -> tuple[str, ...]:
    return (label.name, *label.aliases, *([label.description] if label.description else []), *label.phrasings)


def _add_answers(into: Collected, answers: Iterable[Answer], names: frozenset[str], seen: SeenTexts) -> None:
    for answer in answers:
        queries = parse_queries(answer.text)
        if not queries:
            into.without_queries += 1
            into.dropped.update(["refusal"] if is_refusal(answer.text) else [])
        before = len(into.queries)
        for query in map(cleaned, queries):
            _add(into, query, names, seen)
        into.answered |= answer.id == into.prompt.id and len(into.queries) > before


def _add(into: Collected, query: str, names: frozenset[str], seen: SeenTexts) -> None:
    reason = fault(query, names, seen)
    if reason is None and len(into.queries) >= into.prompt.wanted:
        reason = "surplus"
    if reason is None:
        into.queries.append(query)
        seen.add(query)
    else:
        into.dropped[reason] += 1
