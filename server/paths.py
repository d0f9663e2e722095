"""Folders: the shipped data, a folder the user names, and the user's cache."""

import os
import sys
from pathlib import Path
from typing import Final

from server.errors import CallerError, brief

DATA_VARIABLE: Final = "AGENT_CAPABILITIES_DATA"
CACHE_VARIABLE: Final = "AGENT_CAPABILITIES_CACHE"


def shipped_data() -> Path:
    """The data that come with the project: beside the packages in a checkout, inside `server` in an install."""
    package = Path(__file__).resolve().parent
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent / "data"


def data_folder(chosen: str | None = None) -> Path:
    """The folder to read: `chosen`, else the environment's, else the shipped one.

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
    if folder.is_dir() and any(folder.glob("*/capabilities/current.json")):
        return folder.parent if folder.name == "agents" else folder
    raise CallerError(
        f"data folder {brief(named)} cannot be used; it must hold agents/<agent>/capabilities/current.json, or be that "
        f"'agents' folder; check --data or {DATA_VARIABLE}"
    )


def agents_folder(data: Path) -> Path:
    """The folder with one folder an agent."""
    return data / "agents" if (data / "agents").is_dir() else data


def cache_folder() -> Path:
    """Where computed vectors of other catalogs are kept; the platform's usual place for a user's cache."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "agent-capabilities"
