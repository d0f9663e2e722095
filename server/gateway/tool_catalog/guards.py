"""Cleans the texts of a tool's schemas, and bounds how large and how deep a schema is."""

from collections.abc import Mapping
from typing import Any, Final

import mcp_types

from embeddings.labels.tool_list import LONGEST_NAME, LONGEST_TEXT
from embeddings.text.invisible import visible
from server.errors import brief

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
    """Return why a schema exceeds the limits; None if it keeps to them."""
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
        """Return the value with every text in it cleaned; with `fixed`, no text is cut."""
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


_NOT_PASSED: Final = {"icons": None, "meta": None, "execution": None}
"""Parts of a tool that no model reads, and tasks, which the gateway does not offer."""


def guarded(tool: mcp_types.Tool, server: str, name: str) -> tuple[mcp_types.Tool, tuple[str, ...]]:
    """Return the tool under the name that the model uses, with cleaned texts and bounded schemas, and what was changed.

    Args:
        tool: as the upstream gave it.
        server: the upstream.
        name: the gateway's name for the tool.
    """
    guard = _Guard(f"server {brief(server)}: tool {brief(tool.name)}")
    hints = tool.annotations
    cleaned = tool.model_copy(
        update={
            "name": name,
            "title": guard.text(tool.title, "title", LONGEST_NAME, one_line=True),
            "description": guard.text(tool.description, "description", LONGEST_TEXT),
            "input_schema": guard.schema(tool.input_schema, "inputSchema", instead=dict(ANY_ARGUMENTS)),
            "output_schema": guard.schema(tool.output_schema, "outputSchema", instead=None),
            "annotations": hints
            and hints.model_copy(
                update={"title": guard.text(hints.title, "title of annotations", LONGEST_NAME, one_line=True)}
            ),
            **_NOT_PASSED,
        }
    )
    return cleaned, tuple(guard.reports)


class _Guard:
    """Cleans the parts of one tool, and reports what it changed."""

    def __init__(self, place: str) -> None:
        self._place = place
        self.reports: list[str] = []

    def text(self, text: str | None, what: str, most: int, *, one_line: bool = False) -> str | None:
        if text is None:
            return None
        if len(text) > most:
            self._report(f"has a {what} of {len(text):,} characters; cut to {most:,}")
        cut = text[:most]
        plain = visible(cut, one_line=one_line)
        if len(plain) < len(cut.replace("\r\n", "\n")):
            self._report(f"has a {what} that hides characters; they were removed")
        return plain.strip()

    def schema(self, schema: Any, what: str, *, instead: dict[str, Any] | None) -> Any:
        if schema is None:
            return None
        too_much = excess(schema)
        if too_much:
            shown = "replaced by a schema of any object" if instead else "left out"
            self._report(f"has an {what} of {too_much}; {shown}")
            return instead
        cleaner = SchemaCleaner()
        cleaned = cleaner.clean(schema)
        if cleaner.hidden:
            self._report(f"has an {what} that hides characters in {_times(cleaner.hidden)}; they were removed")
        if cleaner.cut:
            self._report(f"has an {what} with {_times(cleaner.cut)} too long; cut to {LONGEST_TEXT:,} characters")
        return cleaned

    def _report(self, told: str) -> None:
        self.reports.append(f"{self._place} {told}")


def _times(count: int) -> str:
    return f"{count} text{'s' if count > 1 else ''}"
