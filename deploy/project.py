"""The project's metadata, and the exact versions with which a release is built."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
DEPLOY: Final = ROOT / "deploy"

TITLE: Final = "Agent capabilities"
"""The name that registries and hosts show to people."""


@cache
def metadata() -> dict[str, Any]:
    """Return the table `project` in pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def short_description() -> str:
    """Return the project's description up to its colon."""
    text: str = metadata()["description"]
    return text.partition(":")[0]


def pins(file: str) -> list[str]:
    """Return the lines of `requirements.txt` or `tools.txt`, without comments."""
    lines = (DEPLOY / file).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def repository_address(repository: str) -> str:
    """Return the URL of a repository on GitHub.

    Raises:
        ValueError: `repository` is not OWNER/NAME.
    """
    owner, slash, name = repository.partition("/")
    if not (owner and slash and name) or "/" in name:
        raise ValueError(f"{repository!r} is not OWNER/NAME")
    return f"https://github.com/{repository}"
