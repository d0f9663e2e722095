"""Finds texts that do not say what they seem to: hidden characters and unread ends."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

from embeddings.encoder.protocol import TextEncoder
from embeddings.labels.corpus import Corpus
from embeddings.preflight.finding import Finding
from embeddings.preflight.reading import Entry
from embeddings.text.invisible import escaped, first_hidden

_SHOWN: Final = 60
"""Characters of a text that a finding shows."""

_UNREAD: Final = frozenset({"metadata", "annotations", "_meta", "icons"})
"""Keys whose values no phrase is compared with."""


class LimitedEncoder(TextEncoder, Protocol):
    """An encoder that can tell what it does not read."""

    def unread(self, text: str) -> str:
        """Return the end of a text that is beyond the model's limit; empty if all of it is read."""


def hidden(entry: Entry) -> Iterator[Finding]:
    """Find texts of a label that hold characters which a reader does not see."""
    for where, text in _texts(entry.raw):
        place = first_hidden(text, one_line=False)
        if place is None:
            continue
        start = max(0, place - _SHOWN // 2)
        yield Finding(
            "hidden",
            "error",
            entry.called,
            f"remove U+{ord(text[place]):04X}, character {place + 1} of {where or 'the text'}",
            entry.pointer,
            phrase=escaped(text[start : start + _SHOWN]),
            texts=(json.dumps(text),),
        )


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of every string in a JSON value, keys included."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        place, part = waiting.pop()
        if isinstance(part, str):
            yield place, part
        elif isinstance(part, Mapping):
            yield from ((f"a key of {place or 'the label'}", key) for key in part)
            within = [(f"{place}.{escaped(key)}".lstrip("."), each) for key, each in part.items() if key not in _UNREAD]
            waiting.extend(reversed(within))
        elif isinstance(part, list):
            waiting.extend(reversed([(f"{place}[{number}]", each) for number, each in enumerate(part)]))


def long(entry: Entry, label: int, corpus: Corpus, encoder: LimitedEncoder) -> Iterator[Finding]:
    """Find the texts of a label of which the encoder does not read the end."""
    start = int(corpus.spans.starts[label])
    for phrase in corpus.phrases[start : start + int(corpus.spans.sizes[label])]:
        rest = encoder.unread(phrase.text)
        if not rest or phrase.kind == "description":
            continue
        what = "name and description" if phrase.kind == "whole" else phrase.kind
        yield Finding(
            "long",
            "warning",
            entry.called,
            f"shorten the {what}: of its {len(phrase.text):,} characters the last {len(rest):,} are not read as one "
            "text; say first what it is for",
            entry.pointer,
            phrase=rest[:_SHOWN],
            texts=(phrase.text,),
        )
