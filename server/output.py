"""Text for people and JSON for programs."""

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, Final

WIDEST: Final = 120
_GAP: Final = "  "


def print_json(value: dict[str, Any]) -> None:
    """Print one object on one line."""
    print(json.dumps(value, ensure_ascii=False))


def bold(text: str) -> str:
    """Bold on a terminal; plain elsewhere, or if NO_COLOR is set."""
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        return f"\x1b[1m{text}\x1b[0m"
    return text


def width() -> int:
    """Width of the output, in columns."""
    return min(shutil.get_terminal_size((100, 24)).columns, WIDEST)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Left-aligned columns; the last one gets the remaining width, and longer cells are cut."""
    lines = [list(head), *(list(row) for row in rows)]
    sizes = [max(len(line[column]) for line in lines) for column in range(len(head))]
    sizes[-1] = max(10, min(sizes[-1], width() - sum(sizes[:-1]) - len(_GAP) * (len(head) - 1)))
    shown = [_GAP.join(_fit(cell, size) for cell, size in zip(line, sizes, strict=True)).rstrip() for line in lines]
    return "\n".join([bold(shown[0]), *shown[1:]])


def paragraph(label: str, text: str) -> str:
    """A labelled text, wrapped under its label."""
    lead = f"{label}:".ljust(14)
    return textwrap.fill(
        text, width(), initial_indent=lead, subsequent_indent=" " * 14, break_long_words=False, break_on_hyphens=False
    )


def percent(confidence: float) -> str:
    """A probability as a percentage; one below 1 that rounds to 100% is shown as >99%."""
    rounded = f"{confidence:.0%}"
    return ">99%" if rounded == "100%" and confidence < 1 else rounded


def _fit(cell: str, size: int) -> str:
    return cell.ljust(size) if len(cell) <= size else cell[: size - 3] + "..."
