"""The texts of a message that are embedded, and how many tokens they can have at most.

Limits on characters do not limit this: U+FDFA is one character, stands for eighteen, and a message is read in up to 32
windows besides its clauses. The number of tokens is estimated from bytes, because counting with the tokenizer would
take longer than refusing should.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from embeddings.ranking.message import MAX_CLAUSES
from embeddings.text.clauses import MAX_WINDOWS, clauses, is_long, windows
from embeddings.text.negation import LONGEST_READ, MAX_REFUSALS, refusals
from embeddings.text.normalization import normalize
from embeddings.text.spelling import LONGEST_CORRECTED

WINDOW: Final = 256
"""Tokens of a full window, the most that the encoder reads of one text. Its time grows with the tokens: on one core of
a machine with other work, 1.6 ms for 3 tokens, 4.6 for 22, 13 for 82, 41 for 256 (the fastest of 40 runs)."""

SPECIAL: Final = 2
"""Tokens that the encoder adds to every text."""

GROWTH: Final = 2
"""How many times longer a text is at most with its spelling corrected: a word of four letters gets one more, a word of
seven two more, each of which can be longer in UTF-8."""


LARGE: Final = 8_000
"""Bytes of normalized text from which a text that is not ASCII is taken to have as many windows as any can. Cutting
such a text into windows takes up to 0.2 s, normalizing it 0.01 s."""

READINGS: Final = 2
"""Readings of a text: as typed, and with its spelling corrected."""

MAX_TEXTS: Final = 1 + 2 * MAX_WINDOWS + 2 * MAX_REFUSALS
"""Texts of one message: itself, its windows, those of what it does not refuse, and what it refuses."""


def read_texts(message: str) -> list[str]:
    """List the texts of a message to rank: itself or its windows, its clauses, what it refuses, and the rest."""
    return [*dict.fromkeys(_texts(message))]


def _texts(message: str) -> list[str]:
    rest, refused = refusals(message)
    refusing = [text for each in refused for text in (each.what, each.said)]
    wholes = [text for text in ((message, rest) if refused else (message,)) if text]
    return [*(part for text in wholes for part in _read_as(text)), *refusing]


def _read_as(text: str) -> list[str]:
    if is_long(text):
        return [*windows(text).texts]
    parts = clauses(text)
    return [text, *(part.text for part in parts[:MAX_CLAUSES])] if len(parts) > 1 else [text]


def max_tokens(message: str) -> int:
    """Return how many tokens are embedded at most to match a message, its corrected spelling included.

    A window that occurs twice counts twice, because it is also ranked twice.
    """
    if not message.isascii() and _size(normalize(message)) > LARGE:
        count = MAX_TEXTS if len(message) <= LONGEST_READ else 1 + MAX_WINDOWS
        return READINGS * WINDOW * count
    texts = _texts(message)
    # The message itself, too: it may be a name, and statements are compared with it as a whole.
    return sum(map(_max_tokens, texts if message in texts else [message, *texts]))


def _max_tokens(text: str) -> int:
    """Return how many tokens a text has at most, as typed and as corrected: none has more than a byte has."""
    typed = min(WINDOW, _size(text) + SPECIAL)
    if len(text) > LONGEST_CORRECTED:
        return typed
    return typed + min(WINDOW, GROWTH * _size(normalize(text).casefold()) + SPECIAL)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def max_windows(messages: Iterable[str]) -> Iterator[int]:
    """Yield, after each message, to how many full windows all up to it come at most."""
    tokens = 0
    for message in messages:
        tokens += max_tokens(message)
        yield -(-tokens // WINDOW)
