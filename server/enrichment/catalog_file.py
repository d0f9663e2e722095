"""Writes the files of an enrichment, never over the file it was made from."""

import json
from collections.abc import Iterable
from pathlib import Path

from embeddings.files import write_atomically
from embeddings.labels.phrase_book import PhraseBook
from server.enrichment.prompts import Prompt, Wording
from server.errors import CallerError, brief


def refuse_same_file(written: Path, option: str, read: Path) -> None:
    """Check that a file to be written is not one that is read, also by way of a link.

    Raises:
        CallerError: it is.
    """
    try:
        same = written.samefile(read)
    except OSError:  # One of them does not exist.
        same = written.resolve() == read.resolve()
    if same:
        raise CallerError(
            f"{option} {brief(str(written))} is {brief(str(read))}, which is read; what is read is never overwritten; "
            "give another path"
        )


def write_catalog(path: Path, book: PhraseBook) -> None:
    """Write a catalog file, atomically.

    Raises:
        CallerError: it cannot be written.
    """
    text = json.dumps(book.to_dict(), ensure_ascii=False, indent=1) + "\n"
    # UTF-8 cannot encode a lone surrogate; written as an escape it is read back as it was.
    _write(path, text.encode("utf-8", "backslashreplace"))


def prompt_lines(prompts: Iterable[Prompt], wording: Wording) -> Iterable[str]:
    """Yield the prompts as JSON lines, without line breaks at their ends."""
    for prompt in prompts:
        # As ASCII: line separators of other kinds than "\\n" would look like the end of the line to some readers.
        yield json.dumps({"id": prompt.id, "prompt": wording.text(prompt)}, ensure_ascii=True)


def write_prompts(path: Path, lines: Iterable[str]) -> None:
    """Write prompts, atomically.

    Raises:
        CallerError: the file cannot be written.
    """
    _write(path, "".join(f"{line}\n" for line in lines).encode())


def _write(path: Path, content: bytes) -> None:
    try:
        write_atomically(path, content)
    except OSError as error:
        raise CallerError(
            f"{brief(str(path))} cannot be written ({error.strerror}); answers that were paid for are kept in the "
            "journal; give another path, or make room"
        ) from error
