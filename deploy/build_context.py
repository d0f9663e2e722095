"""What a build of the image sees of the checkout: all that .dockerignore lets through."""

import shutil
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent


def in_context(path: PurePosixPath, patterns: list[str]) -> bool:
    """Whether the last pattern that fits the path, or a folder it is in, lets it through."""
    inside = True
    for pattern in patterns:
        if any(_fits(part, pattern.removeprefix("!")) for part in (path, *path.parents)):
            inside = pattern.startswith("!")
    return inside


def _fits(path: PurePosixPath, pattern: str) -> bool:
    if pattern.startswith("**/"):
        return fnmatchcase(path.name, pattern.removeprefix("**/"))
    return len(path.parts) == pattern.count("/") + 1 and fnmatchcase(str(path), pattern)


def ignore_patterns() -> list[str]:
    """Those of .dockerignore, in order."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    return [line for line in map(str.strip, lines) if line and not line.startswith("#")]


def copy_from_context(sources: list[str], target: Path, *, into: bool) -> None:
    """COPY: files to a place, or into a folder; of a folder what is in it.

    Args:
        sources: relative to the checkout.
        target: where to.
        into: whether `target` is a folder for the files. The contents of a folder always go into `target`.

    Raises:
        FileNotFoundError: a source is not there, or .dockerignore keeps it out.
    """
    patterns = ignore_patterns()
    for source in sources:
        place = ROOT / source
        files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
        seen = [path for path in files if in_context(PurePosixPath(path.relative_to(ROOT).as_posix()), patterns)]
        if not seen:
            raise FileNotFoundError(f"nothing of {source} is in the build context")
        for path in seen:
            named = target / path.name if into else target
            copied = named if place.is_file() else target / path.relative_to(place)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copied)
