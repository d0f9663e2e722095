"""What the harness needs of a language model, whoever serves it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from server.harness.recording import Call, Ending
from server.harness.tool_runner import Definition


class ProviderError(Exception):
    """The model could not be asked, or gave nothing that can be read; the message says why, and never holds a key."""


@dataclass(frozen=True)
class Turn:
    """What a model said once.

    Attributes:
        text: words for the user; may be empty.
        calls: tools that it wants called, each with the id under which the answer is expected.
        tokens_in: tokens that were sent, definitions included; None where the provider does not say.
        tokens_out: tokens that it wrote.
        refused: it declined to answer.
        raw: the message in the provider's own form, to be sent back as it is.
    """

    text: str
    calls: tuple[tuple[str, Call], ...]
    tokens_in: int | None
    tokens_out: int | None
    refused: bool
    raw: Any

    @property
    def ending(self) -> Ending:
        """How the conversation ends with this turn, if it calls nothing."""
        if self.refused:
            return "refused"
        return "answered" if self.text.strip() else "empty"


class Chat(Protocol):
    """One conversation."""

    async def ask(self, text: str) -> Turn:
        """Send the user's words.

        Raises:
            ProviderError: the model could not be asked.
        """

    async def answer(self, results: Sequence[tuple[str, str, bool]]) -> Turn:
        """Send what the called tools said: id, text, and whether it is an error.

        Raises:
            ProviderError: the model could not be asked.
        """


def count_of(value: object) -> int | None:
    """A count of tokens as a provider gives it; None for what cannot be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


class Provider(Protocol):
    """A model that can be asked. Safe for conversations side by side."""

    @property
    def model(self) -> str:
        """The model's name, for the report."""

    def hide(self, text: str) -> str:
        """A text without the provider's key."""

    def chat(self, tools: Sequence[Definition]) -> Chat:
        """Begin a conversation in which these tools can be called."""

    async def close(self) -> None:
        """Close the connections."""
