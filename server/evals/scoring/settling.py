"""Whether the answers that a caller was given contain the statement that settles its prompt."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from server.evals.tool_runner import Outcome


def settled(outcomes: Sequence[Outcome], parts: Sequence[str]) -> bool:
    """Whether every part occurs in one of the answers, in any case; line breaks count as spaces."""
    given = [_plain(text) for outcome in outcomes for text in _texts(outcome)]
    return all(any(_plain(part) in text for text in given) for part in parts)


def _texts(outcome: Outcome) -> Iterator[str]:
    """What a model can read in an answer: every string of it, without the escapes of JSON."""
    return _strings(outcome.answer) if outcome.answer else iter((outcome.text,))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        parts: Iterable[Any] = value.values() if isinstance(value, dict) else value
        for part in parts:
            yield from _strings(part)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
