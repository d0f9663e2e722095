"""The shipped files, read as plain JSON."""

import json
from typing import Any, Final

from server.paths import shipped_data

DATA: Final = shipped_data()
AGENTS: Final = tuple(sorted(path.name for path in (DATA / "agents").iterdir()))
"""An agent is a folder."""

Entry = dict[str, Any]


def read(*parts: str) -> Any:
    return json.loads(DATA.joinpath(*parts).read_text(encoding="utf-8"))


def entries(agent: str) -> list[Entry]:
    found: list[Entry] = read("agents", agent, "capabilities", "current.json")["capabilities"]
    return found


NAMES: Final[list[str]] = [capability["name"] for capability in read("capabilities.json")["capabilities"]]
EVERY: Final = [(agent, entry) for agent in AGENTS for entry in entries(agent)]
"""All entries of all agents."""

OFFERED: Final = [(agent, entry) for agent, entry in EVERY if entry["available"]]
