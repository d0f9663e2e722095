"""Narrow questions, and what a reader of statements makes of them and of plain ones: signals, and who is right."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.labelled_data import read_rows
from benchmarks.priors.measured import Measured
from embeddings.arrays import DoubleArray, FloatArray, IntArray
from embeddings.matcher import Matcher
from embeddings.ranking.ranking import Ranking
from embeddings.statements.relevance import StatementReader
from server.catalog.catalog import Catalog

FOLDER: Final = Path(__file__).resolve().parent
NARROW: Final = FOLDER / "narrow_questions.jsonl"
PLAIN: Final = (FOLDER / "dev.jsonl", FOLDER / "apart_needs.jsonl")


@dataclass(frozen=True)
class Question:
    """A question about one agent.

    Attributes:
        query: as asked.
        agent: whom it is about.
        gold: the capabilities that answer it; empty if none does.
        statements: ids of those that settle it, one of which is enough; empty for a plain question.
    """

    query: str
    agent: str
    gold: tuple[str, ...]
    statements: tuple[str, ...] = ()


def narrow(path: Path = NARROW) -> list[Question]:
    """Read questions that one statement settles."""
    return [
        Question(row["query"], row["agent"], (row["capability"],), tuple(row["statements"])) for row in read_rows(path)
    ]


def plain(agents: Sequence[str], paths: Iterable[Path] = PLAIN) -> list[Question]:
    """Read labelled queries as questions about one agent after another."""
    rows = [row for path in paths for row in read_rows(path)]
    return [Question(row["query"], agents[place % len(agents)], tuple(row["gold"])) for place, row in enumerate(rows)]


@dataclass(frozen=True)
class Signals:
    """The signals of a question's alternatives, "none" last, and which of them are right: (n + 1, signals), (k,)."""

    values: FloatArray
    right: IntArray


class Measuring:
    """Measures questions with one matcher and one reader."""

    def __init__(self, catalog: Catalog, matcher: Matcher, reader: StatementReader) -> None:
        """Measure with a catalog's matcher and the reader of its statements."""
        self._catalog = catalog
        self._matcher = matcher
        self._reader = reader
        self._places = {name: place for place, name in enumerate(matcher.names)}

    def ranking(self, query: str) -> Ranking | None:
        """Return the ranking of a query before statements count; None for a name or alias."""
        found: list[Ranking] = []

        def keep(_: str, ranking: Ranking) -> Ranking:
            found.append(ranking)
            return ranking

        self._matcher.match(query, weigh=keep)
        return found[0] if found else None

    def evidence(self, question: Question) -> Signals | None:
        """Return the signals of every label; None for a name or alias."""
        ranking = self.ranking(question.query)
        if ranking is None:
            return None
        values = self._reader.evidence.signals(question.query, ranking, question.agent)
        gold = [self._places[name] for name in question.gold] or [len(self._places)]
        return Signals(values, np.array(gold))

    def relevance(self, question: Question, sure: float) -> Signals:
        """Return the signals of every statement of the right entry.

        Raises:
            KeyError: the entry has no statement with one of the ids.
        """
        entry = self._catalog.agents[question.agent].entries[question.gold[0]]
        held = {id_: row for row, (_, id_, _) in enumerate(entry.statements)}
        rows = self._reader.relevance.index.entries[question.agent, question.gold[0]]
        values = self._reader.relevance.signals(question.query, rows, sure)
        return Signals(values, np.array([held[id_] for id_ in question.statements] or [len(held)]))


def grouped(signals: Iterable[Signals], importance: float = 1.0) -> list[Measured]:
    """Put questions with equally many alternatives together, as `benchmarks.priors.logit` takes them.

    Args:
        signals: of the questions.
        importance: how many questions each stands for.
    """
    by_size: dict[int, list[Signals]] = {}
    for found in signals:
        by_size.setdefault(len(found.values), []).append(found)
    return [
        Measured(
            features=np.stack([found.values for found in several]),
            right=np.stack([np.isin(np.arange(size), found.right) for found in several]),
            importance=np.full(len(several), importance),
        )
        for size, several in by_size.items()
    ]


def places(signals: Iterable[Signals], weights: DoubleArray) -> IntArray:
    """Return how many alternatives, "none" apart, stand before the best right one of each question."""
    found = []
    for one in signals:
        utilities = one.values[:-1] @ weights
        found.append(min(int((utilities > utilities[right]).sum()) for right in one.right))
    return np.array(found)
