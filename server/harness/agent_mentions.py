"""Agents that a text speaks of, in the ways in which people name them."""

import re
from collections.abc import Collection, Mapping
from typing import Final

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
"""Agent id to the names it goes by; the longer, more particular ones first."""

ALL: Final = re.compile(
    r"\b(?:agents|assistants|all (?:four|of them)|each of them|who(?:'s|’s)?|any of them)\b", re.IGNORECASE
)
"""Words for agents that are not named one by one."""

BARE: Final[Mapping[str, str]] = {"vscode-copilot": _EDITOR}
"""Names that may also mean something else; they count where no agent is named otherwise."""


def mentioned(text: str, agents: Collection[str]) -> tuple[list[str], str]:
    """The agents named in a text, in the order of the text, and what is left of the text without their names.

    Args:
        text: any phrase.
        agents: ids that there are; others are not looked for. An id itself is always a mention.
    """
    text = " ".join(text.split())
    names = {agent: f"{re.escape(agent)}|{NAMES[agent]}" if agent in NAMES else re.escape(agent) for agent in agents}
    found, rest = _search(text, {agent: names[agent] for agent in (*NAMES, *agents) if agent in names})
    if not found:
        found, rest = _search(text, {agent: name for agent, name in BARE.items() if agent in agents})
    return sorted(found, key=lambda agent: found[agent]), rest


def speaks_of_all(text: str) -> bool:
    """Whether a text speaks of agents without naming one."""
    return ALL.search(text) is not None


def _search(text: str, names: Mapping[str, str]) -> tuple[dict[str, int], str]:
    """Agents with the place of their first mention, and the text with every mention blanked."""
    found: dict[str, int] = {}
    for agent, name in names.items():
        pattern = re.compile(rf"\b(?:github{_S} )?(?:{name}){_S}(?!\w)", re.IGNORECASE)
        match = pattern.search(text)
        if match:
            found[agent] = match.start()
            # Blanked, so that one mention is not read as another agent's, and places stay what they were.
            text = pattern.sub(lambda hit: " " * len(hit.group()), text)
    return found, " ".join(text.split())
