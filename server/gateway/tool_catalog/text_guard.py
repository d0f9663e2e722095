"""Cleans what the model sees of an upstream's tool: its texts were written by others and may hide something."""

from typing import Any, Final

import mcp_types

from embeddings.labels.tool_entry import LONGEST_NAME, LONGEST_TEXT
from embeddings.text.visible import visible
from server.errors import brief
from server.gateway.tool_catalog.schema_guard import ANY_ARGUMENTS, SchemaCleaner, excess

_NOT_PASSED: Final = {"icons": None, "meta": None, "execution": None}
"""Parts of a tool that no model reads, and tasks, which the gateway does not offer."""


def guarded(tool: mcp_types.Tool, server: str, name: str) -> tuple[mcp_types.Tool, tuple[str, ...]]:
    """The tool under the name that the model uses, with cleaned texts and bounded schemas, and what was changed.

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
