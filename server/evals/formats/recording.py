"""What a caller did with a prompt, as one JSON line."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from server.errors import CallerError, brief
from server.evals.formats.json_files import JsonModel, first_repeated, shape_error

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
        """The JSON line, without a line break at its end. Absent fields are left out; null arguments of a call stay.

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
