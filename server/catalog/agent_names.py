"""Finds the agent that a caller means: accepts 'Claude', 'claude code', 'copilot in vs code' and typos."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from rapidfuzz.distance import OSA

from embeddings.text.normalization import fold
from embeddings.text.spelling import SpellingCorrector
from server.catalog.catalog import Agent
from server.errors import SHOWN, CallerError, brief

SHORTEST_TARGET: Final = 5
"""Letters of the shortest word to which a typo is corrected."""

NEAR_ENOUGH: Final = 0.7
"""Similarity (1 - edits / letters) from which an unknown name is taken for a slip, and the nearest agent is suggested.

Of made-up slips in ids and names that were not understood anyway, 100% reach it with one edit and 76% with two, and
the nearest agent is the right one. Of the names of 106 other products (cursor, aider, goose, xcode, ...), four
reach it: cloud code, pilot, copilotkit and claudette.
"""

NEAR_WHOLE: Final = 0.8
"""The same for all the words together, where a common word such as "code" makes names alike: "qwen code" and "opencode"
reach 0.75."""

_SMALL_WORDS: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "in",
        "on",
        "of",
        "for",
        "by",
        "with",
        "from",
        "inside",
        "within",
        "using",
        "via",
        "to",
        "at",
        "s",
        "my",
        "our",
        "ai",
        "agent",
        "assistant",
        "coding",
        "tool",
    ]
)


class AgentNames:
    """Finds agents of one catalog by the words that people use for them. Safe to share between threads."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        """Learn the ids, names and vendors of `agents`, and what else they are called."""
        self._ids = list(agents)
        # An id takes precedence over an equal name of another agent.
        self._exact: dict[str, str] = {}
        for id_, agent in agents.items():
            self._exact.setdefault(fold(agent.info.name), id_)
        self._exact |= {fold(id_): id_ for id_ in agents}
        self._words = {id_: _words_of(id_, agent) for id_, agent in agents.items()}
        every = Counter(word for known in self._words.values() for word in known)
        self._known = frozenset(every)
        self._shared = frozenset(word for word, times in every.items() if times > 1)
        self._spellings = {id_: _spellings_of(id_, agent) for id_, agent in agents.items()}
        # A short word such as "code" is one typo away from other products' names.
        self._corrector = SpellingCorrector(
            word for known in self._words.values() for word in known if len(word) >= SHORTEST_TARGET
        )

    def resolve(self, value: str) -> str:
        """Return the id of the agent that is meant.

        Raises:
            CallerError: no agent, or more than one, fits all the words.
        """
        folded = fold(value)
        if folded in self._exact:
            return self._exact[folded]
        said = {self._corrected(word) for word in folded.split() if word not in _SMALL_WORDS}
        fitting = [id_ for id_, known in self._words.items() if said and said <= known]
        if len(fitting) == 1:
            return fitting[0]
        raise self._unplaced(value, fitting)

    def _corrected(self, word: str) -> str:
        return word if word in self._known else self._corrector.correct(word)

    def _unplaced(self, value: str, fitting: list[str]) -> CallerError:
        known, next_step = ", ".join(self._ids), "call again with one of these ids"
        if fitting:
            return CallerError(
                f"agent {brief(value)} could be {' or '.join(fitting)}; known agents: {known}; {next_step}"
            )
        near = self._nearest(value)
        if near:
            return CallerError(f"unknown agent {brief(value)}; nearest: {near}; known agents: {known}; {next_step}")
        return CallerError(
            f"agent {brief(value)} is not covered; covered agents: {known}; {next_step}, or say that the catalog "
            "does not cover it"
        )

    def _nearest(self, value: str) -> str | None:
        """Return the agent whose id or name the value, or one of its words, nearly spells; None if there is none."""
        folded = fold(value[:SHOWN])
        whole, words = folded.replace(" ", ""), [word for word in folded.split() if word not in self._shared]
        likeness = {id_: (_likeness(words, known), _likeness([whole], known)) for id_, known in self._spellings.items()}
        near = [
            id_ for id_, (by_word, by_whole) in likeness.items() if by_word >= NEAR_ENOUGH or by_whole >= NEAR_WHOLE
        ]
        # "copilot-cfi" has a word of two agents; the whole tells which.
        return max(near, key=lambda id_: likeness[id_][1], default=None)


def _likeness(said: list[str], spellings: set[str]) -> float:
    return max((OSA.normalized_similarity(one, other) for one in said for other in spellings), default=0)


def _spellings_of(id_: str, agent: Agent) -> set[str]:
    """Id and name without spaces, and the long words of the id."""
    whole = {fold(id_).replace(" ", ""), fold(agent.info.name).replace(" ", "")}
    return whole | {word for word in fold(id_).split() if len(word) >= SHORTEST_TARGET}


def _words_of(id_: str, agent: Agent) -> set[str]:
    called = (id_, agent.info.name, agent.info.vendor or "", *agent.info.also_known_as)
    return {word for name in called for word in fold(name).split()} - _SMALL_WORDS
