"""Which agent a caller means: forgives 'Claude', 'claude code', 'copilot in vs code' and slips of the pen."""

from collections.abc import Mapping
from typing import Final

from embeddings.spelling import SpellingCorrector
from embeddings.text import fold
from server.catalog.catalog import Agent
from server.errors import CallerError, brief, nearest

_TERMINAL: Final = "cli command line terminal console"
KNOWN_BY: Final[Mapping[str, str]] = {
    "claude-code": f"anthropic anthropics cc {_TERMINAL}",
    "copilot-cli": f"github gh {_TERMINAL}",
    "gemini-cli": f"google {_TERMINAL}",
    "vscode-copilot": "vs visual studio code vscode editor ide chat github microsoft extension",
}
"""Words by which people know an agent, beside those of its id and name."""

SHORTEST_TARGET: Final = 5
"""Letters of the shortest word that a misspelling is taken for."""

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


def resolve_agent(value: str, agents: Mapping[str, Agent]) -> str:
    """The id of the agent that is meant.

    Raises:
        CallerError: no agent, or more than one, fits all the words.
    """
    folded = fold(value)
    for id_, agent in agents.items():
        if folded in (fold(id_), fold(agent.info.name)):
            return id_
    vocabulary = {id_: _words_of(id_, agent) for id_, agent in agents.items()}
    asked = [word for word in folded.split() if word not in _SMALL_WORDS]
    # A short word such as "code" has neighbours that are other products' names.
    corrector = SpellingCorrector(w for known in vocabulary.values() for w in known if len(w) >= SHORTEST_TARGET)
    said = {corrector.correct(word) for word in asked}
    fitting = [id_ for id_, known in vocabulary.items() if said and said <= known]
    if len(fitting) == 1:
        return fitting[0]
    raise _unplaced(value, list(agents), fitting)


def _words_of(id_: str, agent: Agent) -> set[str]:
    words = f"{fold(id_)} {fold(agent.info.name)} {fold(agent.info.vendor or '')} {KNOWN_BY.get(id_, '')}"
    return set(words.split()) - _SMALL_WORDS


def _unplaced(value: str, ids: list[str], fitting: list[str]) -> CallerError:
    if fitting:
        reason = f"agent {brief(value)} could be {' or '.join(fitting)}"
    else:
        reason = f"unknown agent {brief(value)}; nearest: {nearest(value, ids)[0]}"
    return CallerError(f"{reason}; known agents: {', '.join(ids)}; call again with one of these ids")
