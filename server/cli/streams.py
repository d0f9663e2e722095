"""The process's standard streams: opened if the parent closed them, and flushed at the end."""

import os
import sys
from collections.abc import Callable
from typing import Final, Literal, TextIO

_INPUT: Final = 0
_OUTPUT: Final = 1
_ERRORS: Final = 2


def open_missing_streams() -> None:
    """Open the standard streams that the parent closed; Python sets those to None.

    Standard input is then empty. Standard output acts like a pipe whose reader has gone, so the command ends as it
    would with such a pipe. Standard error is discarded: left as None, `print(file=None)` would write it to stdout.
    """
    if sys.stdin is None:
        sys.stdin = _opened(_INPUT, lambda: os.open(os.devnull, os.O_RDONLY), "r")
    if sys.stderr is None:
        sys.stderr = _opened(_ERRORS, lambda: os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stdout is None:
        sys.stdout = _opened(_OUTPUT, _pipe_without_reader, "w")


def written_out(stream: TextIO) -> OSError | None:
    """Flush a stream. If that fails, drop what is buffered and return the error."""
    try:
        stream.flush()
    except OSError as error:
        # Python flushes the buffer again at exit and would report the same error.
        lost = os.open(os.devnull, os.O_WRONLY)
        os.dup2(lost, stream.fileno())
        os.close(lost)
        return error
    return None


def _opened(number: int, open_file: Callable[[], int], mode: Literal["r", "w"]) -> TextIO:
    """Open a stream under its usual file descriptor, unless another file has taken that number."""
    free = not _is_open(number)
    file = open_file()
    if free and file != number:
        os.dup2(file, number)
        os.close(file)
        file = number
    return open(file, mode, encoding="utf-8", errors="replace", closefd=False)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _pipe_without_reader() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer
