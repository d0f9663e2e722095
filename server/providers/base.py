"""The interface to language models of any provider: conversations, with tools or without."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import anyio


class ProviderError(Exception):
    """The model could not be asked, or its reply cannot be read; the message says why and never contains a key."""


@dataclass(frozen=True)
class ToolDefinition:
    """A tool as a model receives it."""

    name: str
    description: str
    input_schema: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """JSON value with the field names of `tools/list`."""
        return {"name": self.name, "description": self.description, "inputSchema": self.input_schema}


@dataclass(frozen=True)
class ToolUse:
    """A call that a model requests.

    Attributes:
        id: the id under which the provider expects the result.
        name: the tool.
        arguments: an object; any other value is what the model wrote instead of one.
    """

    id: str
    name: str
    arguments: Any

    def __post_init__(self) -> None:
        """Raise TypeError if the name is not a string: the SDKs do not check what a server sends."""
        if not isinstance(self.name, str):
            raise TypeError(f"the tool's name is {self.name!r}, not a string")


@dataclass(frozen=True)
class ToolResult:
    """The result of a called tool, under the id of the request."""

    id: str
    text: str
    is_error: bool


@dataclass(frozen=True)
class Turn:
    """One reply of a model.

    Attributes:
        text: words for the user; may be empty.
        tool_uses: the calls that the model requests.
        tokens_in: tokens sent, tool definitions included; None if the provider does not report them.
        tokens_out: tokens that the model wrote; None if the provider does not report them.
        refused: the model declined to answer.
        message: the reply in the provider's own format, to be sent back unchanged.
    """

    text: str
    tool_uses: tuple[ToolUse, ...]
    tokens_in: int | None
    tokens_out: int | None
    refused: bool
    message: dict[str, Any]


class Chat(Protocol):
    """One conversation with a model."""

    async def send_prompt(self, text: str) -> Turn:
        """Send the user's words.

        Raises:
            ProviderError: the model could not be asked.
        """

    async def send_results(self, results: Sequence[ToolResult]) -> Turn:
        """Send the results of the calls that the last turn requested.

        Raises:
            ProviderError: the model could not be asked.
        """


class Provider(Protocol):
    """A model that can be asked. Conversations may run concurrently."""

    @property
    def model(self) -> str:
        """The model's name, for the report."""

    def redact(self, text: str) -> str:
        """Replace the provider's key in a text."""

    def chat(self, tools: Sequence[ToolDefinition]) -> Chat:
        """Start a conversation in which the model can call these tools."""

    async def close(self) -> None:
        """Close the connections."""


def token_count(value: object) -> int | None:
    """Return a provider's count of tokens; None for a value that cannot be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


Item = TypeVar("Item")


async def for_each(items: Iterable[Item], action: Callable[[Item], Awaitable[None]], concurrency: int) -> None:
    """Run an action for every item, at most `concurrency` of them at the same time."""
    limiter = anyio.CapacityLimiter(concurrency)

    async def limited(item: Item) -> None:
        async with limiter:
            await action(item)

    try:
        async with anyio.create_task_group() as group:
            for item in items:
                group.start_soon(limited, item)
    except BaseExceptionGroup as errors:
        raise first_error(errors) from None


def first_error(error: BaseException) -> BaseException:
    """Return the first error inside nested groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
