"""The replies of models to prompts, as JSON lines: files of answers, and the journal that a run adds to."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from embeddings.files import read_bytes
from server.errors import CallerError, brief

JOURNAL_SUFFIX: Final = ".answers.jsonl"
"""Suffix of the journal's name, after the name of the enriched catalog."""

MAX_BYTES: Final = 256 << 20
"""Largest file of answers that is read, in bytes; a hundred thousand answers of 8 queries take a quarter of it."""


@dataclass(frozen=True)
class Answer:
    """The reply of a model to a prompt.

    Attributes:
        id: of the prompt.
        text: the reply as it came.
    """

    id: str
    text: str

    def to_line(self) -> bytes:
        """Return the JSON line with its line break."""
        value = json.dumps({"id": self.id, "text": self.text}, ensure_ascii=False)
        # UTF-8 cannot encode a lone surrogate; written as an escape it is read back as it was.
        return value.encode("utf-8", "backslashreplace") + b"\n"


@dataclass(frozen=True)
class AnswerFile:
    """A file of answers.

    Attributes:
        answers: in the order of the file.
        unreadable: numbers of the lines that are not JSON with `id` and `text`, from 1.
    """

    answers: Sequence[Answer]
    unreadable: Sequence[int]


def journal_of(out: Path) -> Path:
    """Return where the journal of an enriched catalog is."""
    return out.with_name(out.name + JOURNAL_SUFFIX)


def read_answers(path: Path) -> AnswerFile:
    """Read a file of answers; lines that cannot be read are skipped, because a line may have been cut off.

    Raises:
        CallerError: the file cannot be read, or it has lines and none of them is an answer.
    """
    try:
        content = read_bytes(path, MAX_BYTES, pipe=True).removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise CallerError(
            f"answers {brief(str(path))} cannot be read ({error.strerror}); they must be JSON lines with 'id' and "
            "'text'; check the path"
        ) from error
    lines = [(number, line) for number, line in enumerate(content.split(b"\n"), start=1) if line.strip()]
    found = [(number, _answer(line)) for number, line in lines]
    answers = [answer for _, answer in found if answer]
    if lines and not answers:
        raise CallerError(
            f"{path}, line {lines[0][0]} is {brief(lines[0][1].decode('utf-8', 'replace'))}; a line of answers must be "
            "a JSON object with the strings 'id' and 'text'; correct the file, or give another path"
        )
    return AnswerFile(answers, [number for number, answer in found if not answer])


def _answer(line: bytes) -> Answer | None:
    try:
        value = json.loads(line.decode("utf-8", "replace"))
        identifier, text = value["id"], value["text"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return Answer(identifier, text) if isinstance(identifier, str) and isinstance(text, str) else None


class Journal:
    """The file to which a run adds each answer as it arrives, so that nothing is asked twice."""

    def __init__(self, file: BinaryIO) -> None:
        """Not to be called directly; use `open_journal`."""
        self._file = file

    def add(self, answer: Answer) -> None:
        """Write an answer to disk."""
        self._file.write(answer.to_line())
        self._file.flush()


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """Open a journal to add to it; what it holds stays.

    Raises:
        CallerError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    except OSError as error:
        raise CallerError(
            f"{brief(str(path))} cannot be written ({error.strerror}); answers are kept there; give another --out"
        ) from error
    with file:
        # The last line was cut off if the process was killed while it wrote; the next answer needs a line of its own.
        if path.stat().st_size and not _ends_with_line_break(path):
            file.write(b"\n")
        yield Journal(file)


def _ends_with_line_break(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read() == b"\n"
