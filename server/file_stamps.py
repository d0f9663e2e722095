"""Whether a file was written or replaced since it was looked at."""

from pathlib import Path

Stamp = tuple[int, int, int]
"""Time of the last change, size and number of a file."""


def file_stamp(path: Path) -> Stamp | None:
    """What changes when a file is written or replaced; None when it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
