"""How the server introduces itself to clients: by what it serves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from server.matching.phrase_service import PhraseService
from server.matching.service import Service


@dataclass(frozen=True)
class Introduction:
    """What a client is told of the server.

    Attributes:
        title: for people.
        description: what the server is for.
        instructions: for the model: how to use the tools.
    """

    title: str
    description: str
    instructions: str


_AGENTS: Final = (
    "Sourced facts on what AI coding agents ({}) can do and how to set it up. Pass the user's own words as the "
    "capability; they are matched by meaning. decision=resolved answers; ambiguous and no_match list candidates. Cite "
    "the sources that an answer carries."
)

MOST_NAMED: Final = 10
"""Agents that the instructions name."""

_DYNAMIC: Final = (
    " More tools can be loaded: smart_load takes an intent in plain words, capabilities lists all of them, call_tool "
    "runs any by name."
)

_LABELS: Final = (
    "Finds which label of one catalog a phrase means, or that none does. Pass the user's own words to "
    "match_capability; they are matched by meaning. decision=resolved answers with the first match; ambiguous and "
    "no_match list candidates. An id, where a match has one, is what the catalog's owner calls the label."
)


def introduction(service: PhraseService, *, dynamic: bool) -> Introduction:
    """The introduction of a server.

    Args:
        service: what it serves.
        dynamic: whether tools can be loaded on demand.
    """
    if isinstance(service, Service):
        return Introduction(
            "Agent capabilities",
            "What AI coding agents can do, from a sourced catalog, asked in anyone's words",
            _AGENTS.format(_named(list(service.catalog.agents))) + (_DYNAMIC if dynamic else ""),
        )
    return Introduction("Catalog matcher", "Which label of a catalog a phrase means, in anyone's words", _LABELS)


def _named(agents: Sequence[str]) -> str:
    """The agents by id, and how many more there are."""
    more = len(agents) - MOST_NAMED
    return ", ".join([*agents[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])])
