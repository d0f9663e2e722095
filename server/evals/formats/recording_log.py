"""The file to which a run writes each recording as it is made, so that an interrupted run can be resumed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from embeddings.files import write_atomically
from server.errors import CallerError, brief
from server.evals.formats.recording import Recording, parse_recordings

_LINE_START: Final = '{"input": '
"""How every line starts. A last line with another start is not a recording that was cut off."""


DEFAULT_START: Final = "the default tools"


class RecordingLog:
    """What earlier runs recorded, and where this run adds its recordings.

    Attributes:
        kept: recordings of earlier runs by input.
    """

    def __init__(self, kept: Mapping[str, Recording], file: TextIO | None) -> None:
        """Not to be called directly; use `open_recording_log`."""
        self.kept = kept
        self._file = file

    def add(self, recording: Recording) -> None:
        """Write a recording to disk."""
        if self._file:
            self._file.write(recording.to_line() + "\n")
            self._file.flush()


@contextmanager
def open_recording_log(path: Path | None, model: str | None, start: str | None = None) -> Iterator[RecordingLog]:
    """Open a log of JSON lines, creating the file and its folders if needed.

    Failed recordings of earlier runs are removed, so that their prompts are asked again.

    Args:
        path: the file; None records nothing on disk.
        model: name of the model that answers; a file with recordings of another model is refused.
        start: options with which the server was started; a file with recordings of another start is refused.

    Raises:
        CallerError: the file cannot be read as recordings, or cannot be written.
    """
    if path is None:
        yield RecordingLog({}, None)
        return
    kept = {each.input: each for each in _read_kept(path, model, start)}
    with _open_with(path, kept) as file:
        yield RecordingLog(kept, file)


def _read_kept(path: Path, model: str | None, start: str | None) -> list[Recording]:
    """The recordings of earlier runs, without failed ones, and without a last line that was cut off."""
    if not path.exists():
        return []
    try:
        *lines, last = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise CallerError(
            f"{brief(str(path))} cannot be read ({error.strerror}); recordings are kept there; give another path"
        ) from error
    if last and not last.startswith(_LINE_START[: len(last)]):
        raise CallerError(
            f"{path}, line {len(lines) + 1} is {brief(last)}; recordings are kept there; give another path"
        )
    found = list(parse_recordings(lines, str(path)))
    _check_one_origin(path, found, model, start)
    return [recording for recording in found if recording.ending != "failed"]


def _check_one_origin(path: Path, found: list[Recording], model: str | None, start: str | None) -> None:
    """Refuse to add recordings of one model or start to those of another."""
    models = sorted({each.model for each in found if each.model and each.model != model})
    if model and models:
        raise CallerError(
            f"{brief(str(path))} holds recordings of {', '.join(models)}, not of {model}; a file holds recordings "
            "of one model; give another path"
        )
    starts = sorted({each.start or DEFAULT_START for each in found if each.start != start})
    if starts:
        raise CallerError(
            f"{brief(str(path))} holds recordings with {', '.join(starts)}, not with {start or DEFAULT_START}; a file "
            "holds recordings of one start of the server; give another path"
        )


def _open_with(path: Path, kept: Mapping[str, Recording]) -> TextIO:
    """Rewrite the file with the recordings that are kept, and open it for more."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(recording.to_line() + "\n" for recording in kept.values()).encode())
        return path.open("a", encoding="utf-8", newline="\n")
    except OSError as error:
        raise CallerError(
            f"{brief(str(path))} cannot be written ({error.strerror}); recordings are kept there; give another path"
        ) from error
