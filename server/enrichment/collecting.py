"""Turns answers into checked queries for each prompt, and these into the enriched catalog."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.normalization import fold
from server.enrichment.answers import Answer
from server.enrichment.checks import Dropped, SeenTexts, cleaned, fault, is_refusal
from server.enrichment.parsing import parse_queries
from server.enrichment.prompts import Prompt, key_of


@dataclass
class Collected:
    """What the answers to one prompt gave.

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
    """The catalog with the queries: labels' as phrasings marked as generated, near misses as out-of-scope phrases."""
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
