"""Files: digests, and writes that leave either the old content or the new."""

import hashlib
import os
import tempfile
from pathlib import Path


def sha256_of(path: Path) -> str:
    """Hex sha256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` by `content` in one step, so that a reader never meets half a file.

    Raises:
        OSError: the folder cannot be made or written; nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes the file private; a data file is for everyone the folder lets in.
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
