"""What a caller did with a prompt, kept as one JSON line each."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from server.errors import CallerError, brief
from server.harness.part import Part, misshapen

Ending = Literal["answered", "refused", "empty", "step_limit", "failed"]


class Call(Part):
    """One tool call.

    Attributes:
        tool: the name that was called.
        arguments: an object; anything else is what a caller sent instead of one.
    """

    tool: str
    arguments: Any = Field(default_factory=dict)


class Exchange(Part):
    """One message of a conversation, as the report shows it."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: tuple[Call, ...] = ()


class Recording(Part):
    """A prompt and the calls it led to, in order.

    Attributes:
        input: the prompt.
        calls: every call, across all steps.
        model: who made them; None where nobody said.
        tokens_in: tokens that were sent to the model; None where nobody counted.
        tokens_out: tokens that it wrote.
        ending: how the conversation ended.
        error: why it failed, where it did.
        messages: the conversation.
    """

    input: Annotated[str, Field(min_length=1)]
    calls: tuple[Call, ...] = ()
    model: str | None = None
    tokens_in: Annotated[int | None, Field(ge=0)] = None
    tokens_out: Annotated[int | None, Field(ge=0)] = None
    ending: Ending = "answered"
    error: str | None = None
    messages: tuple[Exchange, ...] = ()

    @property
    def tokens(self) -> int | None:
        """Both counts together; None where either is missing."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return self.tokens_in + self.tokens_out

    def to_line(self) -> str:
        """The JSON line, without its end; what is absent is left out, but a call's null arguments stay.

        Half a surrogate pair, which no file can hold, becomes a question mark.
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
        CallerError: the file cannot be read, a line is not of the shape, or an input stands twice.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CallerError(
            f"recordings {brief(str(path))} cannot be read ({error}); they are UTF-8 JSON lines; check the path"
        ) from error
    found = list(parse_recordings(lines, str(path)))
    if not found:
        raise CallerError(f"{brief(str(path))} holds no recordings; a line is one JSON object with 'input'; add some")
    seen: set[str] = set()
    for recording in found:
        if recording.input in seen:
            raise CallerError(
                f"{brief(str(path))} has the input {brief(recording.input)} twice; a prompt is recorded once; drop one"
            )
        seen.add(recording.input)
    return found


def parse_recordings(lines: Iterable[str], where: str) -> Iterator[Recording]:
    """Recordings of lines; blank ones are passed over.

    Raises:
        CallerError: a line is not of the shape.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _recording(line, f"{where}, line {number}")


def _recording(line: str, where: str) -> Recording:
    try:
        return Recording.model_validate_json(line)
    except ValidationError as error:
        raise misshapen(error, where) from error
