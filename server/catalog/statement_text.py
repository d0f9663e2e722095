"""A statement of an entry as the data give it: its text, and what else is known of it."""

import re
from datetime import date
from typing import Annotated, Any, Final, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]


def _on_the_calendar(text: str) -> str:
    date.fromisoformat(text)
    return text


Date = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_on_the_calendar)]


class FileModel(BaseModel):
    """A part of a data file: camelCase outside, snake_case inside."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


StatementId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
"""Names a statement within its entry, so that runs, cells and questions can refer to it when it is reworded."""


class MarkedText(FileModel):
    """A statement, and what else is known of it."""

    id: StatementId | None = None
    text: Text
    volatile: Annotated[
        bool, Field(strict=True, description="it ages fast, such as a limit of a plan or a default model")
    ] = False
    variant: Annotated[Text | None, Field(description="the variant of the agent that it holds for; all by default")] = (
        None
    )
    until: Annotated[Date | None, Field(description="day from which it no longer holds, as the vendor says")] = None


class StatementText(str):
    """The text of a statement, which also knows its mark. To whoever only reads it, it is a text like any other."""

    __slots__ = ("mark",)
    mark: MarkedText

    @classmethod
    def of(cls, mark: MarkedText) -> "StatementText":
        """Return the text of a marked statement."""
        text = cls(mark.text)
        text.mark = mark
        return text


def mark_of(text: str) -> MarkedText | None:
    """Return what else is known of a statement; None if it is given as a text alone."""
    return text.mark if isinstance(text, StatementText) else None


class DescriptionText(str):
    """A description that is given as a list of statements; reads as these joined by blanks."""

    __slots__ = ("statements",)
    statements: tuple[str, ...]

    @classmethod
    def of(cls, statements: tuple[str, ...]) -> "DescriptionText":
        """Join statements."""
        text = cls(" ".join(statements))
        text.statements = statements
        return text


_FORM: Final = 'a statement is a text, or {"id": "...", "text": "..."} with volatile, variant or until; see the schema'


def _statement(value: Any, as_text: ValidatorFunctionWrapHandler) -> str:
    """Read a statement that is given as a text or as a `MarkedText`."""
    if isinstance(value, StatementText):
        return value
    if not isinstance(value, dict):
        return str(as_text(value))
    try:
        return StatementText.of(MarkedText.model_validate(value))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        context = {"form": _FORM, "field": ".".join(map(str, fault["loc"])), "rule": fault["msg"]}
        raise PydanticCustomError("statement", "{form} ({field}: {rule})", context) from error


def _description(value: Any, as_text: ValidatorFunctionWrapHandler) -> str:
    """Read a description that is given as a text or as a list of statements."""
    if isinstance(value, DescriptionText):
        return value
    if not isinstance(value, list):
        return str(as_text(value))
    return DescriptionText.of(_STATEMENTS.validate_python(value))


StatementField = Annotated[str, WrapValidator(_statement, json_schema_input_type=str | MarkedText)]
_STATEMENTS: Final = TypeAdapter(tuple[StatementField, ...])
DescriptionField = Annotated[str, WrapValidator(_description, json_schema_input_type=str | list[str | MarkedText])]


class EntryStatement(NamedTuple):
    """A statement where it stands.

    Attributes:
        field: `description`, `limitations`, `requirements`, `setup`, `configFile`, `gotchas` or `details`.
        id: its name within the entry; that of the setup and the configuration file is their field; None if it has none.
        text: what it says.
    """

    field: str
    id: str | None
    text: str


FIXED_IDS: Final = ("setup", "configFile")
"""Ids of what an entry has once, so that its data need not name it."""

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+(?=[A-Z0-9`\"'/@$~(-])")
"""Between two sentences. One that starts in lower case, as a command's name does, stays with the one before."""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; the statements of a description that is given as a list of them."""
    if isinstance(text, DescriptionText):
        return list(text.statements)
    return [sentence for part in _SENTENCE_END.split(text) if (sentence := part.strip())]
