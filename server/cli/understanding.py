"""Text that says how a phrase was understood."""

from typing import Any, Final

from server.output import percent, table

APPROXIMATE: Final = (
    "approximate: the catalog was updated since it was built, and the ranking is not fitted to all of it; rebuild with "
    "'agent-capabilities build-vectors'"
)
"""What is said of a matcher that `is_approximate`."""


def candidates(answer: dict[str, Any]) -> str:
    """The candidates of a phrase that did not resolve to one capability."""
    lead = {
        "ambiguous": f"{answer.get('query')!r} could mean several capabilities:",
        "no_match": f"{answer.get('query')!r} fits no capability; the nearest:",
    }[answer["decision"]]
    rows = [
        [match["name"], percent(match["matchConfidence"]), standing(match), match.get("tier", "")]
        for match in answer["matches"]
    ]
    return "\n".join([lead, table(["capability", "confidence", "available", "plan"], rows), answer["hint"]])


def note(answer: dict[str, Any]) -> list[str]:
    """Lines on how a resolved phrase was understood; empty for an exact name."""
    lines = []
    if match := answer.get("match"):
        lines.append(f"({match['query']!r} understood with {percent(match['matchConfidence'])} confidence)")
    if answer.get("degraded"):
        lines.append("(degraded: matched without the embedding model)")
    if hint := answer.get("hint"):
        lines.append(f"({hint})")
    return lines


def standing(item: dict[str, Any]) -> str:
    """Availability as a word."""
    if "available" not in item:
        return "not documented" if item.get("documented") is False else ""
    return "yes" if item["available"] else "no"
