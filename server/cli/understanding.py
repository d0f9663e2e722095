"""Text that says how a phrase was understood."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from server.catalog.plans import plan_words
from server.output import paragraph, percent, table, wrapped
from server.tools.answers import NEXT_STEPS

PROGRAM: Final = "agent-capabilities"

COMMAND_OF: Final[Mapping[str, str]] = {
    "lookup_capability": "lookup",
    "compare_capability": "compare",
    "list_capabilities": "list",
    "get_sources": "sources",
    "match_capability": "match",
    "explain_match": "match --explain",
    "recommend_agent": "recommend",
    "feature_parity": "parity",
    "catalog_status": "doctor",
}
"""The subcommand that answers what a tool answers."""

_WORDS: Final[Mapping[str, str]] = {
    **{tool: f"'{PROGRAM} {command}'" for tool, command in COMMAND_OF.items()},
    "call again": "ask again",
    "Call again": "Ask again",
    "call once": "ask once",
    "Call once": "Ask once",
    "see relevant for": "see what bears on it for",
    ", or say that the catalog does not cover it": "",
    "say that the catalog does not cover": "the catalog does not cover",
}
_ANY: Final = re.compile("|".join(_WORDS))


def for_people(text: str) -> str:
    """Return a text with commands in place of tools, and asking in place of calling."""
    return _ANY.sub(lambda found: _WORDS[found[0]], text)


def quoted(word: str) -> str:
    """Return an argument as it is typed in a shell."""
    return f'"{word}"' if " " in word else word


APPROXIMATE: Final = (
    "approximate: the catalog was updated since it was built, and the ranking is not fitted to all of it; rebuild with "
    "'agent-capabilities build-vectors'"
)
"""Remark on a matcher that `is_approximate`."""

NOT_COVERED: Final = (
    "If none is meant, the catalog does not cover it. It knows the lowest plan of each capability, but no prices, "
    f"news or states of bugs. '{PROGRAM} {COMMAND_OF['list_capabilities']}' shows what it covers."
)
"""Message to a person about a phrase that fits nothing."""


def candidates(answer: dict[str, Any], again: Callable[[str], str]) -> str:
    """Return the candidates of a phrase that did not resolve to one capability.

    Args:
        answer: a tool's answer.
        again: the command that asks for a capability by its name.
    """
    likely = [match for match in answer["matches"] if is_likely(match["matchConfidence"])]
    lead = {
        "ambiguous": "could mean several capabilities:"
        if len(likely) > 1
        else "may mean another capability than this:",
        "no_match": "fits no capability; the nearest:" if likely else "fits no capability.",
    }[answer["decision"]]
    rows = [[match["name"], percent(match["matchConfidence"]), standing(match), needed(match)] for match in likely]
    lines = [
        f"{answer.get('query')!r} {lead}",
        *([table(["capability", "confidence", "available", "needs"], rows)] if likely else []),
    ]
    lines += [line for match in likely for line in bearing(match, match["name"])]
    lines += _next_step(answer, [match["name"] for match in likely], again)
    return "\n".join(lines)


def bearing(part: dict[str, Any], whose: str | None = None) -> list[str]:
    """Return the statements of an answer, or of a part of it, that bear on the phrase."""
    lead = f"{whose}: " if whose else ""
    return [paragraph("bears on it", f"{lead}{each['statement']}") for each in part.get("relevant", [])]


def is_likely(confidence: float) -> bool:
    """Return whether a match is worth showing: its percentage is not 0."""
    return percent(confidence) != "0%"


def note(answer: dict[str, Any]) -> list[str]:
    """Lines on how a resolved phrase was understood; empty for an exact name."""
    lines = []
    if match := answer.get("match"):
        lines.append(f"({match['query']!r} understood with {percent(match['matchConfidence'])} confidence)")
    if answer.get("degraded"):
        lines.append("(degraded: matched without the embedding model)")
    if hint := answer.get("hint"):
        lines.append(wrapped(f"({for_people(hint)})"))
    return lines


def category_note(answer: dict[str, Any]) -> list[str]:
    """Return a line on how a category was understood, if it was not given by its name."""
    if not (understood := answer.get("understood")):
        return []
    sure = percent(understood["confidence"])
    return [f"({understood['query']!r} understood as {answer['category']} with {sure} confidence)"]


def _next_step(answer: dict[str, Any], names: list[str], again: Callable[[str], str]) -> list[str]:
    """Tell a person what to do next, in place of what the hint tells a model to do."""
    which = "one of these names" if len(names) > 1 else "its name if it is meant"
    steps = {
        "ambiguous": f"Ask again with {which}:\n  {again(names[0])}" if names else "",
        "no_match": wrapped(NOT_COVERED),
    }
    hint = answer.get("hint", "")
    for told in NEXT_STEPS.values():
        hint = hint.replace(told, "")
    return [text for text in (wrapped(for_people(hint.strip())), steps[answer["decision"]]) if text]


def standing(item: dict[str, Any]) -> str:
    """Availability as a word."""
    if "available" not in item:
        return "not documented" if item.get("documented") is False else ""
    return "yes" if item["available"] else "no"


MARKS: Final[Mapping[str, str]] = {"yes": "yes", "partly": "partly", "no": "no", "undocumented": "?"}
"""Verdicts as people read them."""


def verdict(item: dict[str, Any]) -> str:
    """Return an agent's answer: its verdict, or its value."""
    return str(item.get("value") or MARKS.get(item.get("verdict", ""), ""))


def needed(item: dict[str, Any]) -> str:
    """Return what a capability needs: a plan, or what else opens it; and its maturity, unless it is stable."""
    maturity = item.get("maturityLevel", "stable")
    told = plan_words(item.get("tier"), item.get("access", []))
    return ", ".join(filter(None, [told, "" if maturity == "stable" else maturity]))


def question(asked: dict[str, Any]) -> list[str]:
    """Return lines on the question that is answered."""
    turned = " The opposite is wanted, and the answers are turned." if asked.get("opposite") else ""
    lines = [paragraph("asked", f"{asked['question']}{turned}")]
    return lines + [paragraph("or was it", other) for other in asked.get("alternatives", [])]
