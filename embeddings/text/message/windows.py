"""Cuts a long text into windows that an encoder reads whole: its sentences, or runs of them."""

from typing import Final, NamedTuple

from embeddings.text.message.clauses import split_sentences
from embeddings.text.normalization import normalize

LONGEST_WINDOW: Final = 500
"""Bytes of UTF-8 of a window. Prose has four or more for each word piece, and the encoder reads 256 word pieces."""

MOST_WINDOWS: Final = 32
"""Windows of one text, each of which costs an encoding; together they hold 16,000 bytes."""

LONGEST_PHRASE: Final = 80
"""Words of the longest text that is read as one. A longer one is a story with a need in it; of 300 words that end with
the need, 1 of 32 was right first when read as one, and 32 when read in windows."""


class Windows(NamedTuple):
    """The windows of a text.

    Attributes:
        texts: in order; at most `MOST_WINDOWS`.
        truncated: whether a part of the text is in none of them.
    """

    texts: tuple[str, ...]
    truncated: bool


def is_long(text: str) -> bool:
    """Whether a text is too long to be read as one."""
    return len(text) > LONGEST_WINDOW // 4 and (
        len(text.split()) > LONGEST_PHRASE or len(text.encode("utf-8", "replace")) > 2 * LONGEST_WINDOW
    )


def windows(text: str) -> Windows:
    """Cut a text into windows; the last sentence has one of its own, because many messages end with what is wanted."""
    # Normalized first, because one character can stand for eighteen.
    text = normalize(text)
    pieces = [piece for sentence in split_sentences(text) for piece in _split(sentence)]
    if len(pieces) > MOST_WINDOWS:
        # Two neighbouring runs hold more than this, so there are few enough of them.
        size = min(LONGEST_WINDOW, 2 * len(text.encode("utf-8", "replace")) // (MOST_WINDOWS - 2))
        pieces = [*_runs(pieces[:-1], size), pieces[-1]]
    if len(pieces) <= MOST_WINDOWS:
        return Windows(tuple(pieces), False)
    half = MOST_WINDOWS // 2
    return Windows((*pieces[:half], *pieces[-half:]), True)


def _split(sentence: str) -> list[str]:
    """Cut a sentence between words, and a word between characters, into pieces of at most `LONGEST_WINDOW` bytes."""
    if _size(sentence) <= LONGEST_WINDOW:
        return [sentence]
    return _runs([part for word in sentence.split() for part in _split_word(word)], LONGEST_WINDOW)


def _split_word(word: str) -> list[str]:
    if _size(word) <= LONGEST_WINDOW:
        return [word]
    longest = LONGEST_WINDOW // 4  # A character has at most four bytes.
    return [word[start : start + longest] for start in range(0, len(word), longest)]


def _runs(pieces: list[str], size: int) -> list[str]:
    """Join neighbours as long as a run has at most `size` bytes."""
    runs: list[list[str]] = []
    filled = 0
    for piece in pieces:
        filled += 1 + _size(piece)
        if not runs or filled > size:
            runs.append([])
            filled = _size(piece)
        runs[-1].append(piece)
    return [" ".join(run) for run in runs]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
