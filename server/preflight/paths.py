"""The path of a judged file as other programs know it."""

from pathlib import Path
from urllib.parse import quote


def repository_path(path: str) -> str:
    """The path from the working folder, with slashes; the whole path of a file that is not in that folder."""
    whole = Path(path).resolve()
    folder = Path.cwd().resolve()
    return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else whole.as_posix()


def repository_uri(path: str) -> str:
    """The same as a URI reference."""
    found = repository_path(path)
    return Path(found).as_uri() if Path(found).is_absolute() else quote(found)
