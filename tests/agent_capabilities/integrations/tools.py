"""Tools to search in, and needs: each with the tool that serves it, or none."""

from typing import Any, Final

DESCRIPTIONS: Final = {
    "create_issue": "Opens a new issue in a repository.",
    "get_directions": "Route between two places, with distance and duration.",
    "list_events": "Events of a calendar on a day.",
    "send_mail": "Sends an e-mail to somebody.",
}
NEEDS: Final = {
    "how long is the drive from Leeds to York": "get_directions",
    "write down this bug for the maintainers": "create_issue",
    "what is the capital of France": None,
}


def listed() -> list[dict[str, Any]]:
    """Return the tools as `tools/list` has them."""
    schema = {"type": "object", "properties": {}}
    return [{"name": name, "description": text, "inputSchema": schema} for name, text in DESCRIPTIONS.items()]
