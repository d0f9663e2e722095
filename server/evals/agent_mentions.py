"""Finds the agents that a text mentions, by the names that people use for them."""

import re
from collections.abc import Mapping
from typing import Final

from embeddings.text.normalization import fold

_EDITOR: Final = r"(?:vs ?code|visual studio code)"
_SHELL: Final = r"(?:cli|terminal|command[- ]line|shell|console)"
_IN: Final = r"(?:in|inside|within|for|of|on|from|at)"
_THE: Final = r"(?:the |my |our |a )?"
_THING: Final = r"(?: (?:agent|tool|thing|client|version|extension|edition|plugin))?"
_S: Final = r"(?:'s|’s)?"

_CLAUDE_MODEL: Final = r"(?:sonnet|opus|haiku|\d)"
_GEMINI_MODEL: Final = r"(?:pro|flash|ultra|nano|\d)"

NAMES: Final[Mapping[str, str]] = {
    "vscode-copilot": rf"{_EDITOR}{_S}(?: github)? (?:copilot|chat){_THING}|"
    rf"copilot(?: chat)?,? {_IN} {_THE}(?:{_EDITOR}|editor|ide)|"
    rf"(?:one|version|sibling|cousin) {_IN} {_EDITOR}|"
    rf"(?:editor|ide){_S} copilot|copilot{_S} (?:editor|ide|{_EDITOR}){_THING}",
    "copilot-cli": rf"copilot{_S} {_SHELL}{_THING}|copilot,? {_IN} {_THE}{_SHELL}|"
    rf"{_SHELL}(?: version of)? copilot|gh copilot|github{_S} {_SHELL}{_THING}",
    "claude-code": rf"claude(?! {_CLAUDE_MODEL})(?:[- ]code)?(?: {_SHELL})?(?!\.md){_THING}|"
    rf"anthropic{_S} (?:coding |terminal )?(?:agent|cli|tool)",
    "gemini-cli": rf"gemini(?! {_GEMINI_MODEL})(?:[- ]cli)?{_S}(?: {_SHELL}{_THING})?(?!\.md)|"
    rf"google{_S} (?:coding |terminal |command[- ]line )?(?:agent|cli|tool)",
}
"""Pattern of the ways to name an agent that its id and name do not tell; one whose names contain another's is first."""

_KINDS: Final = frozenset(["agent", "chat", "cli", "ide"])
"""Words of an id that say only what kind of agent it is."""

AGENTS_IN_GENERAL: Final = re.compile(
    r"\b(?:agents|assistants|all (?:three|four|five|six|seven|eight|of them)|each of them|who(?:'s|’s)?|any of them)\b",
    re.IGNORECASE,
)
"""Words for agents without a name."""

AMBIGUOUS_NAMES: Final[Mapping[str, str]] = {"vscode-copilot": _EDITOR}
"""Names that may also mean something else; used only if a text names no agent otherwise."""


def find_agents(text: str, agents: Mapping[str, str]) -> tuple[list[str], str]:
    """Find the agents that a text names.

    Args:
        text: any phrase.
        agents: ids to look for, each with the agent's name.

    Returns:
        The ids in the order of the text, and the text without the names.
    """
    text = " ".join(text.split())
    names = {agent: "|".join([*_usual_names(agent, agents), *_known(agent)]) for agent in agents}
    found, rest = _search(text, {agent: names[agent] for agent in (*NAMES, *agents) if agent in names})
    if not found:
        found, rest = _search(text, {agent: name for agent, name in AMBIGUOUS_NAMES.items() if agent in agents})
    return sorted(found, key=lambda agent: found[agent]), rest


def _known(agent: str) -> list[str]:
    return [NAMES[agent]] if agent in NAMES else []


def _usual_names(agent: str, agents: Mapping[str, str]) -> list[str]:
    """Patterns of an agent's id and name, longest first; `codex` for `codex-cli`, too, if only one id has that word."""
    words = [fold(name).split() for name in (agent, agents[agent])]
    first, *rest = words[0] or [""]
    others = {word for other in agents if other != agent for word in fold(other).split()}
    if rest and _KINDS.issuperset(rest) and agent not in NAMES and first not in others:
        words.append([first])
    names = ["[- ]?".join(map(re.escape, name)) for name in words if name] or [re.escape(agent)]
    return [rf"(?:{name}){_S}{_THING}" for name in sorted(names, key=len, reverse=True)]


def mentions_agents_in_general(text: str) -> bool:
    """Whether a text mentions agents without a name."""
    return AGENTS_IN_GENERAL.search(text) is not None


def _search(text: str, names: Mapping[str, str]) -> tuple[dict[str, int], str]:
    """The agents with the position of their first mention, and the text without the mentions."""
    found: dict[str, int] = {}
    for agent, name in names.items():
        pattern = re.compile(rf"\b(?:github{_S} )?(?:{name}){_S}(?!\w)", re.IGNORECASE)
        match = pattern.search(text)
        if match:
            found[agent] = match.start()
            # Blanks of the same length: a mention must not match another agent too, and positions must not shift.
            text = pattern.sub(lambda hit: " " * len(hit.group()), text)
    return found, " ".join(text.split())
