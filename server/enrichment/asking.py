"""Asks a model the prompts that are not answered yet, and adds each answer to the journal as it arrives."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from server.enrichment.answers import Answer, Journal
from server.enrichment.prompts import ONCE_MORE, Prompt, Wording
from server.providers.base import Provider, ProviderError, for_each

MAX_CHARACTERS: Final = 100_000
"""Characters of a reply that are read; a list of a hundred queries has ten thousand."""

MAX_ATTEMPTS: Final = 50
"""Maximum places of a reply at which JSON is looked for, so that a reply of brackets alone is read quickly."""

_AFTER_THOUGHTS: Final = ("</think>", "</thinking>")
"""Separator of a reasoning model's thoughts from its reply."""

_OPENING: Final = re.compile(r"[\[{]")
_LIST_START: Final = re.compile(r'\[\s*(?=")')
_LIST_ITEM: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*+")\s*(?:,|\]|$)', re.DOTALL)
_BULLET: Final = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+(\S.*)")
_QUOTES: Final = frozenset({('"', '"'), ("'", "'"), ("“", "”"), ("`", "`")})
_TEXT_KEYS: Final = ("query", "text", "request", "phrase", "utterance", "example")
"""Keys under which models put a query if they write objects instead of strings."""

_DECODER: Final = json.JSONDecoder()


def parse_queries(reply: str) -> list[str]:
    """Read the queries of a reply.

    Accepted are a JSON list of strings or of objects with a string, also inside an object, inside prose or a code
    block, or cut off at its end; and, where there is none, lines that begin with a bullet or a number.

    Args:
        reply: any text.

    Returns:
        The queries as written; empty if the reply has none. Never raises.
    """
    text = reply[:MAX_CHARACTERS]
    for end in _AFTER_THOUGHTS:
        text = text.rpartition(end)[2]
    found = max((_strings(value) for value in _json_values(text)), key=len, default=[])
    return found or _cut_off(text) or _bullets(text)


def _json_values(text: str) -> Iterator[Any]:
    """Yield the JSON lists and objects of a text."""
    end = 0
    for attempt, opening in enumerate(_OPENING.finditer(text)):
        if attempt == MAX_ATTEMPTS:
            return
        if opening.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            continue
        yield value


def _strings(value: Any) -> list[str]:
    """Return the queries of a JSON value: of a list, or of the longest list in an object."""
    if isinstance(value, dict):
        lists = [_strings(part) for part in value.values() if isinstance(part, list)]
        return max(lists, key=len, default=[])
    if not isinstance(value, list):
        return []
    return [text for text in map(_string, value) if text is not None]


def _string(item: Any) -> str | None:
    if isinstance(item, dict):
        item = next((item[key] for key in _TEXT_KEYS if key in item), None)
    return item if isinstance(item, str) else None


def _cut_off(text: str) -> list[str]:
    """Return the complete strings of a JSON list without an end."""
    found: list[str] = []
    start = _LIST_START.search(text)
    item = _LIST_ITEM.match(text, start.end()) if start else None
    while item:
        try:
            found.append(str(json.loads(item.group(1), strict=False)))
        except ValueError:
            break
        item = _LIST_ITEM.match(text, item.end())
    return found


def _bullets(text: str) -> list[str]:
    lines = [_BULLET.fullmatch(line) for line in text.splitlines()]
    return [_unquoted(line.group(1).strip()) for line in lines if line]


def _unquoted(text: str) -> str:
    return text[1:-1].strip() if len(text) > 2 and (text[0], text[-1]) in _QUOTES else text


MAX_FAILURES: Final = 5
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
        if self._failed_in_a_row >= MAX_FAILURES:
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
