"""Splits a message into sentences and clauses, each of which may state a need of its own."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from embeddings.text.normalization import normalize

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+|;\s+|(?<=[。！？])\s*|\n+")
_ABBREVIATION: Final = re.compile(r"(?:\b(?:mr|mrs|ms|dr|st|vs|e\.g|i\.e|etc|approx)|^\d+)\.$", re.IGNORECASE)
_ASK: Final = (
    r"(?:please|pls|kindly|can|could|would|will|may|shall|should|how|what|what's|where|where's|when|why|which|who|is|are"
    r"|do|does|did|has|i need|i want|i would|i'd|i wish|i must|i have to|i also|i wonder|i'm looking|i am looking"
    r"|we need|we want|we would|we'd|we also|need|want|tell|show|send|give|help|let|let's)\b"
)
_SUBJECT: Final = (
    r"(?:i|i'm|i've|i'll|we|we're|we've|you|my|our|your|there|there's|somebody|someone|it|the|they|he|she|this|that)\b"
)
_AND: Final = r"(?:and|plus|so|then)"
_BREAK: Final = re.compile(
    rf"\s*;\s+|\s+[-–—]{{1,2}}\s+|\s*,\s+(?={_AND}\b)|\s*,\s+(?={_ASK})|\s*,\s+(?={_SUBJECT})"
    rf"|\s+(?={_AND}\s+(?:also\s+|then\s+)?(?:{_ASK}|{_SUBJECT}|also\b|then\b))|\s+(?=then\s+\w+\s)"
    r"|\s+(?=(?:and|plus|also)\s+\w)|\s*,\s+(?=\w)",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(r"[.!?;,\n-]|\b(?:and|plus|so|then|also)\b", re.IGNORECASE)
"""An English text has one of these wherever it is split."""

_JOINS: Final = re.compile(
    r"^(?:(?:and|so|plus|also|then|well|first|firstly|second|secondly|next|finally|lastly|another thing|anyway"
    r"|as well as|after that|by the way|btw|oh|hi|hello|hey|thanks)\b[\s,:]*)+",
    re.IGNORECASE,
)
_TRAILING: Final = re.compile(r"(?:[\s,;]|\b(?:and|plus|then|so)$)+$", re.IGNORECASE)
_DEPENDENT: Final = re.compile(
    r"^(?:in|on|at|as|with|without|for|from|after|before|when|while|since|because|if|unless|until|which|that|who|whose"
    r"|whether|than|by|about|into|only|even|just|right|instead|rather|but|or|nor|to|of|both|all|each|not|no)\b",
    re.IGNORECASE,
)
_ADDED: Final = re.compile(
    r"\b(?:also|plus|as well|additionally|besides|then|second|secondly|another thing|apart from that|on top of that)\b"
    r"|\btoo\W*$",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    rf"^{_ASK}|\?$|\b(?:please|could you|can you|would you|(?:i|we) (?:need|want|would like|have to)|(?:i|we)'d like"
    r"|how (?:do|can|many|much)|is there a way|(?:my|the) question is|wanted to ask|to know (?:whether|if|how|why))\b",
    re.IGNORECASE,
)

SHORTEST: Final = 3
"""Minimum words of a clause."""


@dataclass(frozen=True)
class Clause:
    """A part of a message.

    Attributes:
        text: without the words that join it to the others.
        asks: whether it has the form of a request or a question.
        added: whether it says itself that it is one more need, for example with "also".
    """

    text: str
    asks: bool
    added: bool


def split_sentences(text: str) -> list[str]:
    """List the sentences of a text, in order; a text without sentence ends is one sentence."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text):
        if not (part := part.strip()):
            continue
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += " " + part
        else:
            found.append(part)
    return found


def clauses(text: str) -> list[Clause]:
    """List the clauses of a text. A piece that is too short, or depends on its neighbour, stays with it."""
    return [clause(piece) for piece in pieces(text)]


def pieces(text: str) -> list[str]:
    """List the parts of a text of which `clause` makes clauses; most texts have one, of which nothing else matters."""
    if text.isascii() and not _MARKS.search(text):
        return [text.strip()] if text.strip() else []
    return [piece for sentence in split_sentences(text) for piece in _pieces(sentence)]


def is_request(text: str) -> bool:
    """Return whether a text has the form of a request or a question."""
    return bool(_REQUEST.search(text))


def clause(piece: str) -> Clause:
    """Make a clause of a part of a text."""
    text = _TRAILING.sub("", _JOINS.sub("", piece)).strip() or piece
    return Clause(text, bool(re.match(_ASK, text, re.IGNORECASE)) or text.endswith("?"), bool(_ADDED.search(piece)))


def _pieces(sentence: str) -> list[str]:
    found: list[str] = []
    for piece in filter(None, _BREAK.split(sentence)):
        bare = _JOINS.sub("", piece)
        if found and (_is_short(bare) or _is_short(_JOINS.sub("", found[-1])) or _DEPENDENT.match(bare)):
            found[-1] += " " + piece
        else:
            found.append(piece)
    return found


def _is_short(piece: str) -> bool:
    return len(piece.split()) < SHORTEST


LONGEST_WINDOW: Final = 500
"""Bytes of UTF-8 of a window. Prose has four or more for each word piece, and the encoder reads 256 word pieces."""

MAX_WINDOWS: Final = 32
"""Windows of one text, each of which costs an encoding; together they hold 16,000 bytes."""

LONGEST_PHRASE: Final = 80
"""Words of the longest text that is read as one. A longer one is a story with a need in it; of 300 words that end with
the need, 1 of 32 was right first when read as one, and 32 when read in windows."""


class Windows(NamedTuple):
    """The windows of a text.

    Attributes:
        texts: in order; at most `MAX_WINDOWS`.
        truncated: whether a part of the text is in none of them.
    """

    texts: tuple[str, ...]
    truncated: bool


def is_long(text: str) -> bool:
    """Return whether a text is too long to be read as one."""
    return len(text) > LONGEST_WINDOW // 4 and (
        len(text.split()) > LONGEST_PHRASE or len(text.encode("utf-8", "replace")) > 2 * LONGEST_WINDOW
    )


def windows(text: str) -> Windows:
    """Cut a text into windows; the last sentence has one of its own, because many messages end with what is wanted."""
    # Normalized first, because one character can stand for eighteen.
    text = normalize(text)
    pieces = [piece for sentence in split_sentences(text) for piece in _split(sentence)]
    if len(pieces) > MAX_WINDOWS:
        # Two neighbouring runs hold more than this, so there are few enough of them.
        size = min(LONGEST_WINDOW, 2 * len(text.encode("utf-8", "replace")) // (MAX_WINDOWS - 2))
        pieces = [*_runs(pieces[:-1], size), pieces[-1]]
    if len(pieces) <= MAX_WINDOWS:
        return Windows(tuple(pieces), False)
    half = MAX_WINDOWS // 2
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
