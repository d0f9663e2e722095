"""The data folder that a user names, and the folder of agents in it."""

import os
from pathlib import Path
from typing import Final

from server.errors import CallerError, brief
from server.paths import shipped_data

DATA_VARIABLE: Final = "AGENT_CAPABILITIES_DATA"

AGENT_FILE: Final = "current.json"
"""Holds the entries of one agent, in its folder `capabilities`."""


def data_folder(chosen: str | None = None) -> Path:
    """Return the folder to read: `chosen`, else the one the environment names, else the shipped one.

    Args:
        chosen: a folder that holds `agents/`, or the `agents` folder itself.

    Raises:
        CallerError: there is no such folder, or no `agents` in it.
    """
    named = chosen or os.environ.get(DATA_VARIABLE)
    if not named:
        return shipped_data()
    folder = Path(named).expanduser().resolve()
    if (folder / "agents").is_dir():
        return folder
    if folder.is_dir() and any(folder.glob(f"*/capabilities/{AGENT_FILE}")):
        return folder.parent if folder.name == "agents" else folder
    raise CallerError(
        f"data folder {brief(named)} cannot be used; it must hold agents/<agent>/capabilities/current.json, or be that "
        f"'agents' folder; check --data or {DATA_VARIABLE}"
    )


def shipped_agents() -> list[str]:
    """Return the ids of the agents that ship, in alphabetical order."""
    return sorted(
        path.parent.parent.name for path in agents_folder(shipped_data()).glob(f"*/capabilities/{AGENT_FILE}")
    )


def agents_folder(data: Path) -> Path:
    """Return the folder that has one subfolder for each agent."""
    return data / "agents" if (data / "agents").is_dir() else data
