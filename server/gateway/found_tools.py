"""The tools of an answer of `search_tools`, within its budget of tokens."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from server.schema import trimmed
from server.tools.answers import Answer, Confidence
from server.tools.definition import Tool
from server.tools.remote.outages import Outage

ROOM: Final = 8_000
"""Characters of descriptions and schemas that the candidates of an answer may have together, some 2,000 tokens. Half of
it at most is for descriptions, the same for each; beyond it a schema is shown without descriptions, then not at all."""

ROOM_FOR_ONE: Final = 24_000
"""The same for the one tool of a resolved answer."""

CUT: Final = "..."
"""Ends a description that was cut."""


class FoundTool(Answer):
    """A tool that may serve the need; `status` is there if its server cannot be called now."""

    name: str
    server: str
    description: str
    input_schema: dict[str, Any] | None = None
    match_confidence: Confidence
    status: str | None = None


def found_tools(found: Sequence[tuple[Tool, float]], outages: Mapping[str, Outage]) -> list[FoundTool]:
    """Tools with their probabilities, as much of each as there is room for.

    Args:
        found: the tools, best first.
        outages: why tools cannot be called now, by family or by full name.
    """
    room = ROOM_FOR_ONE if len(found) == 1 else ROOM
    texts = [_cut(tool.description, room // (2 * len(found))) for tool, _ in found]
    room -= sum(map(len, texts))
    shown = []
    for (tool, share), text in zip(found, texts, strict=True):
        schema = _schema(tool, room)
        room -= len(_json(schema)) if schema is not None else 0
        outage = outages.get(tool.name) or outages.get(tool.family)
        shown.append(
            FoundTool(
                name=tool.name,
                server=tool.family,
                description=text,
                input_schema=schema,
                match_confidence=round(share, 3),
                status=str(outage) if outage else None,
            )
        )
    return shown


def _schema(tool: Tool, room: int) -> dict[str, Any] | None:
    """The schema of the arguments, as much of it as there is room for."""
    for schema in (tool.input_schema, trimmed(tool.input_schema)):
        if len(_json(schema)) <= room:
            return schema
    return None


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - len(CUT)] + CUT


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
