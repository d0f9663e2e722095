"""Cleans the texts of a tool's schemas, and bounds how large and how deep a schema is."""

from collections.abc import Mapping
from typing import Any, Final

from embeddings.labels.tool_entry import LONGEST_NAME, LONGEST_TEXT
from embeddings.text.visible import visible

LARGEST: Final = 100_000
"""Maximum size of a schema, in bytes of JSON; the largest of the reference servers has some thousand."""

DEEPEST: Final = 50
"""Maximum levels of a schema."""

ANY_ARGUMENTS: Final = {"type": "object"}
"""Replaces a schema beyond the limits."""

_VALUES: Final = frozenset({"enum", "const", "default", "examples"})
"""Keywords whose values go to the upstream as they are, so that no text in them is cut."""

_PUNCTUATION: Final = 4
"""Bytes of JSON that a value takes besides itself: quotes, comma or colon."""


def excess(schema: Any) -> str | None:
    """What makes a schema exceed the limits; None if it keeps to them."""
    size, waiting = 0, [(schema, 1)]
    while waiting:
        value, level = waiting.pop()
        if level > DEEPEST:
            return f"more than {DEEPEST} levels"
        if isinstance(value, Mapping):
            waiting += [(part, level + 1) for part in value.values()]
            size += sum(_bytes(str(key)) for key in value)
        elif isinstance(value, list | tuple):
            waiting += [(part, level + 1) for part in value]
        size += _bytes(value if isinstance(value, str) else "")
        if size > LARGEST:
            return f"more than {LARGEST:,} bytes"
    return None


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) + _PUNCTUATION


class SchemaCleaner:
    """Cleans one schema that keeps to the limits.

    Attributes:
        hidden: the number of texts of which hidden characters were removed.
        cut: the number of descriptions and titles that were too long.
    """

    def __init__(self) -> None:
        self.hidden = 0
        self.cut = 0

    def clean(self, value: Any, *, fixed: bool = False) -> Any:
        """The value with every text in it cleaned; with `fixed`, no text is cut."""
        if isinstance(value, Mapping):
            return {self._plain(str(key), one_line=True): self._part(key, part, fixed) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.clean(part, fixed=fixed) for part in value]
        return self._plain(value) if isinstance(value, str) else value

    def _part(self, key: Any, part: Any, fixed: bool) -> Any:
        if not fixed and isinstance(part, str) and key in {"description", "title", "$comment"}:
            one_line = key == "title"
            return self._cut(self._plain(part, one_line=one_line), LONGEST_NAME if one_line else LONGEST_TEXT)
        return self.clean(part, fixed=fixed or key in _VALUES)

    def _plain(self, text: str, *, one_line: bool = False) -> str:
        plain = visible(text, one_line=one_line)
        self.hidden += len(plain) < len(text.replace("\r\n", "\n"))
        return plain

    def _cut(self, text: str, most: int) -> str:
        self.cut += len(text) > most
        return text[:most]
