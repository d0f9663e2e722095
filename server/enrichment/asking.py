"""Asks a model the prompts that are not answered yet, and adds each answer to the journal as it arrives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from server.enrichment.answers import Answer, Journal
from server.enrichment.parsing import parse_queries
from server.enrichment.prompts import Prompt
from server.enrichment.wording import ONCE_MORE, Wording
from server.providers.base import Provider, ProviderError
from server.providers.concurrency import for_each

MOST_FAILURES: Final = 5
"""Failures in a row after which nothing more is asked. Each has been tried several times by the vendor's SDK, and a
server that is down or a key that is not valid would fail for every prompt."""


@dataclass(frozen=True)
class Failure:
    """A prompt that could not be asked, and why."""

    id: str
    error: str


class Asker:
    """Asks one model.

    Attributes:
        answers: what the model replied, in the order of arrival.
        failures: prompts that could not be asked; those that were not tried are not among them.
    """

    def __init__(self, provider: Provider, wording: Wording, journal: Journal, advance: Callable[[], object]) -> None:
        """Ask `provider`; `advance` is called when a prompt is done."""
        self.answers: list[Answer] = []
        self.failures: list[Failure] = []
        self._provider = provider
        self._wording = wording
        self._journal = journal
        self._advance = advance
        self._failed_in_a_row = 0

    async def ask(self, prompts: Sequence[Prompt], concurrency: int) -> None:
        """Ask prompts, at most `concurrency` of them at the same time, then close the provider.

        Raises:
            OSError: the journal cannot be written.
        """
        try:
            await for_each(prompts, self._ask_unless_failing, concurrency)
        finally:
            await self._provider.close()

    async def _ask_unless_failing(self, prompt: Prompt) -> None:
        if self._failed_in_a_row >= MOST_FAILURES:
            return
        try:
            await self._ask(prompt)
            self._failed_in_a_row = 0
        except ProviderError as error:
            self._failed_in_a_row += 1
            self.failures.append(Failure(prompt.id, str(error)))
        self._advance()

    async def _ask(self, prompt: Prompt) -> None:
        """Ask a prompt; once more if the reply has no queries."""
        text = self._wording.text(prompt)
        # In a conversation of its own: not every API takes back a reply that is empty.
        for said in (text, text + ONCE_MORE):
            reply = self._provider.redact((await self._provider.chat(()).send_prompt(said)).text)
            self._keep(Answer(prompt.id, reply))
            if parse_queries(reply):
                return

    def _keep(self, answer: Answer) -> None:
        self._journal.add(answer)
        self.answers.append(answer)
