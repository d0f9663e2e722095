"""Reads files without blocking and up to a size, computes digests, and writes files atomically."""

import errno
import hashlib
import io
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

Buffer: TypeAlias = bytes | memoryview

MAX_TEXT: Final = 64 << 20
"""Largest text file read, in bytes. The shipped phrasings have 1 million; a catalog of half a million texts has 40
million."""

_FLAGS: Final = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
"""Without O_NONBLOCK, opening a FIFO blocks until there is a writer. Windows has only O_BINARY; POSIX has the other
two."""


def open_regular(path: Path) -> io.BufferedReader:
    """Open a regular file to read its bytes; symbolic links are followed.

    Raises:
        OSError: it cannot be opened, or it is a FIFO, device, socket or folder, which could block or never end.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, most: int, *, pipe: bool = False) -> bytes:
    """Read the content of a regular file.

    Args:
        path: the file.
        most: largest size allowed, in bytes.
        pipe: also accept a pipe, and read it until its writer closes it. For files that a user names on the command
            line, such as `<(command)`; a server must not, because reading a pipe can block.

    Raises:
        OSError: it cannot be read, is not a regular file, or is larger than `most`.
    """
    with path.open("rb") if pipe else open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        _check_size(path, size, most)
        content = file.read(size + 1)
        if len(content) > size:  # The file grew, or it is a pipe, which reports no size.
            content += file.read(most + 1 - len(content))
            _check_size(path, len(content), most)
    return content


def read_text(path: Path, most: int = MAX_TEXT, *, pipe: bool = False) -> str:
    """Read a regular file of UTF-8 text, with or without a byte order mark; see `read_bytes`.

    Raises:
        OSError: it cannot be read, is not a regular file, or is larger than `most`.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bytes(path, most, pipe=pipe).decode("utf-8-sig")


def _check_size(path: Path, size: int, most: int) -> None:
    if size > most:
        raise OSError(errno.EFBIG, f"over {most:,} bytes", str(path))


def sha256_of(path: Path) -> str:
    """Compute the sha256 of a regular file's content, in hex."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


PRIVATE: Final = 0o600
"""Permissions of a file that only its owner may read."""


def make_private_folder(folder: Path) -> None:
    """Create a folder, and those above it that are missing, for the user alone; those that are there stay as they are.

    Raises:
        OSError: a folder cannot be created.
    """
    # The mode that `mkdir` is given does not count for the parents that it makes.
    for missing in reversed([each for each in (folder, *folder.parents) if not each.is_dir()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def write_atomically(path: Path, content: bytes | Iterable[Buffer], mode: int = 0o644) -> None:
    """Replace the content of `path` in one step, so that a reader never sees a partly written file.

    Args:
        path: the file; folders that are missing are created.
        content: the new content, as a whole or in parts.
        mode: the file's permissions, where the system has such modes.

    Raises:
        OSError: the folder cannot be created or written; no temporary file is left behind.
    """
    with replacing(path, mode) as temporary, temporary.open("wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replacing(path: Path, mode: int = 0o644) -> Iterator[Path]:
    """Give an empty file, which takes the place of `path` once it is written; see `write_atomically`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        # mkstemp makes the file private, but most files should be readable by everyone with access to the folder.
        # fchmod changes this very file, even if another has taken its path meanwhile. Windows has no such modes.
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(handle, mode)
        finally:
            os.close(handle)
        yield temporary
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
