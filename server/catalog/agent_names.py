"""Finds the agent that a caller means: accepts 'Claude', 'claude code', 'copilot in vs code' and typos."""

from collections.abc import Mapping
from typing import Final

from embeddings.text.normalization import fold
from embeddings.text.spelling import SpellingCorrector
from server.catalog.catalog import Agent
from server.errors import CallerError, brief, nearest

_TERMINAL: Final = "cli command line terminal console"
KNOWN_BY: Final[Mapping[str, str]] = {
    "claude-code": f"anthropic anthropics cc {_TERMINAL}",
    "copilot-cli": f"github gh {_TERMINAL}",
    "gemini-cli": f"google {_TERMINAL}",
    "vscode-copilot": "vs visual studio code vscode editor ide chat github microsoft extension",
}
"""Words that people use for an agent, besides those of its id and name."""

SHORTEST_TARGET: Final = 5
"""Letters of the shortest word to which a typo is corrected."""

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
        """Learn the ids, names, vendors and usual words of `agents`."""
        self._ids = list(agents)
        # An id takes precedence over an equal name of another agent.
        self._exact: dict[str, str] = {}
        for id_, agent in agents.items():
            self._exact.setdefault(fold(agent.info.name), id_)
        self._exact |= {fold(id_): id_ for id_ in agents}
        self._words = {id_: _words_of(id_, agent) for id_, agent in agents.items()}
        # A short word such as "code" is one typo away from other products' names.
        self._corrector = SpellingCorrector(
            word for known in self._words.values() for word in known if len(word) >= SHORTEST_TARGET
        )

    def resolve(self, value: str) -> str:
        """The id of the agent that is meant.

        Raises:
            CallerError: no agent, or more than one, fits all the words.
        """
        folded = fold(value)
        if folded in self._exact:
            return self._exact[folded]
        said = {self._corrector.correct(word) for word in folded.split() if word not in _SMALL_WORDS}
        fitting = [id_ for id_, known in self._words.items() if said and said <= known]
        if len(fitting) == 1:
            return fitting[0]
        raise _unplaced(value, self._ids, fitting)


def _words_of(id_: str, agent: Agent) -> set[str]:
    words = f"{fold(id_)} {fold(agent.info.name)} {fold(agent.info.vendor or '')} {KNOWN_BY.get(id_, '')}"
    return set(words.split()) - _SMALL_WORDS


def _unplaced(value: str, ids: list[str], fitting: list[str]) -> CallerError:
    if fitting:
        reason = f"agent {brief(value)} could be {' or '.join(fitting)}"
    else:
        reason = f"unknown agent {brief(value)}; nearest: {nearest(value, ids)[0]}"
    return CallerError(f"{reason}; known agents: {', '.join(ids)}; call again with one of these ids")
