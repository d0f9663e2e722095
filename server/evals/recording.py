"""A recording: what a caller did with a prompt, as one JSON line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TextIO

from pydantic import Field, ValidationError

from embeddings.files import write_atomically
from server.errors import CallerError, brief
from server.evals.prompts import JsonModel, Prompt, first_repeated, shape_error

Ending = Literal["answered", "refused", "empty", "step_limit", "failed"]


class Call(JsonModel):
    """One tool call.

    Attributes:
        tool: the name that was called.
        arguments: an object; any other value is what a caller sent instead of one.
    """

    tool: str
    arguments: Any = Field(default_factory=dict)


class Message(JsonModel):
    """One message of a conversation, as reports show it."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: tuple[Call, ...] = ()


class Recording(JsonModel):
    """A prompt and the calls it led to, in order.

    Attributes:
        input: the prompt.
        calls: every call, across all steps.
        model: who made the calls; None if unknown.
        start: options with which the server was started; None for the default ones.
        tokens_in: tokens sent to the model; None if not counted.
        tokens_out: tokens that the model wrote; None if not counted.
        ending: how the conversation ended.
        error: why it failed, if it did.
        messages: the conversation.
    """

    input: Annotated[str, Field(min_length=1)]
    calls: tuple[Call, ...] = ()
    model: str | None = None
    start: str | None = None
    tokens_in: Annotated[int | None, Field(ge=0)] = None
    tokens_out: Annotated[int | None, Field(ge=0)] = None
    ending: Ending = "answered"
    error: str | None = None
    messages: tuple[Message, ...] = ()

    @property
    def tokens(self) -> int | None:
        """Both counts together; None if either is missing."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return self.tokens_in + self.tokens_out

    def to_line(self) -> str:
        """Return the JSON line, without a line break at its end.

        Absent fields are left out; null arguments of a call stay.

        A lone surrogate, which UTF-8 cannot encode, becomes a question mark.
        """
        value = self.model_dump(mode="json", by_alias=True)
        return (
            json.dumps({name: part for name, part in value.items() if part is not None}, ensure_ascii=False)
            .encode("utf-8", "replace")
            .decode("utf-8")
        )


def read_recordings(path: Path) -> list[Recording]:
    """Read recordings.

    Raises:
        CallerError: the file cannot be read, a line has the wrong shape, or an input is repeated.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CallerError(
            f"recordings {brief(str(path))} cannot be read ({error}); they must be UTF-8 JSON lines; check the path"
        ) from error
    found = list(parse_recordings(lines, str(path)))
    if not found:
        raise CallerError(f"{brief(str(path))} holds no recordings; each line must be JSON with 'input'; add some")
    twice = first_repeated(recording.input for recording in found)
    if twice is not None:
        raise CallerError(
            f"{brief(str(path))} has the input {brief(twice)} twice; a file holds each prompt once; remove one of them"
        )
    return found


def parse_recordings(lines: Iterable[str], where: str) -> Iterator[Recording]:
    """Parse lines; blank ones are skipped.

    Raises:
        CallerError: a line has the wrong shape.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _parse(line, f"{where}, line {number}")


def _parse(line: str, where: str) -> Recording:
    try:
        return Recording.model_validate_json(line)
    except ValidationError as error:
        raise shape_error(error, where) from error


_LINE_START: Final = '{"input": '
"""How every line starts. A last line with another start is not a recording that was cut off."""


DEFAULT_START: Final = "the default tools"


class RecordingLog:
    """The recordings of earlier runs, and the file where this run adds its recordings.

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
    """Return the recordings of earlier runs, without failed ones, and without a last line that was cut off."""
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


NO_CALL: Final = "no call"
"""Shown in reports instead of a tool if none was called or expected."""


@dataclass(frozen=True, kw_only=True)
class PromptResult:
    """How one prompt went.

    Attributes:
        first: the first call, loads apart, or the one that it ran through `call_tool`; None if there is none.
        right_tool: the first call names an expected tool, or there is no call and none is expected.
        right_arguments: the tool is right, and the server understood its arguments as expected; None if no tool is
            expected.
        retried: a tool was called again after an error or an answer that was not resolved.
        reached: an expected tool was called at some point; None if no tool is expected.
        settled: the answers contain what settles the prompt; None if no statement of the catalog does.
        understood: what the server took the first call's arguments to mean.
    """

    prompt: Prompt
    recording: Recording
    first: Call | None
    right_tool: bool
    right_arguments: bool | None
    retried: bool
    reached: bool | None
    settled: bool | None
    understood: Mapping[str, Any]

    @property
    def called(self) -> str:
        """The tool of the first call."""
        return self.first.tool if self.first else NO_CALL

    @property
    def steps(self) -> int | None:
        """The calls until the answer, loads included; None if no tool is expected."""
        return None if self.prompt.expected_tool is None else len(self.recording.calls)
