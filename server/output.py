"""Text for people and JSON for programs."""

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final

WIDEST: Final = 120
_GAP: Final = "  "
_NARROWEST: Final = 20
"""Columns that a table's last column gets at least."""


def print_json(value: dict[str, Any]) -> None:
    """Print one object on one line."""
    print(json.dumps(value, ensure_ascii=False))


def bold(text: str) -> str:
    """Bold on a terminal; plain elsewhere, or if NO_COLOR is set."""
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        return f"\x1b[1m{text}\x1b[0m"
    return text


def width() -> int:
    """Columns that running text takes."""
    return min(shutil.get_terminal_size((100, 24)).columns, WIDEST)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Left-aligned columns, without those that are empty in every row; no cell is cut.

    The last column wraps within the terminal. Where the output is no terminal, a row is one line.
    """
    kept = [at for at in range(len(head)) if not rows or any(row[at] for row in rows)] or [0]
    lines = [[line[at] for at in kept] for line in (head, *rows)]
    sizes = [max(1, *map(len, cells)) for cells in zip(*lines, strict=True)]
    sizes[-1] = _room(sum(sizes[:-1]) + len(_GAP) * (len(sizes) - 1)) or sizes[-1]
    shown = ["\n".join(_row(line, sizes)) for line in lines]
    return "\n".join([bold(shown[0]), *shown[1:]])


def paragraph(label: str, text: str) -> str:
    """A labelled text, wrapped under its label."""
    lead = f"{label}:".ljust(14)
    return _filled(text, width(), initial_indent=lead, subsequent_indent=" " * 14)


def wrapped(text: str) -> str:
    """Running text in lines."""
    return _filled(text, width())


def percent(confidence: float) -> str:
    """A probability as a percentage; one below 1 that rounds to 100% is shown as >99%."""
    rounded = f"{confidence:.0%}"
    return ">99%" if rounded == "100%" and confidence < 1 else rounded


def _room(taken: int) -> int | None:
    """Columns left for a table's last column; None if the output is no terminal and nobody says how wide it is."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        return None
    return max(_NARROWEST, shutil.get_terminal_size((100, 24)).columns - taken)


def _row(cells: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """One row of a table, as many lines as its last cell needs."""
    *first, last = [cell.ljust(size) for cell, size in zip(cells, sizes, strict=True)]
    lead = "".join(cell + _GAP for cell in first)
    lines = _filled(last.strip(), sizes[-1]).splitlines() or [""]
    return [(start + line).rstrip() for start, line in zip_longest([lead], lines, fillvalue=" " * len(lead))]


def _filled(text: str, columns: int, **indents: str) -> str:
    """Wrapped text; a word that is too long, such as an address, stands whole."""
    wrapper = textwrap.TextWrapper(columns, break_long_words=False, break_on_hyphens=False, **indents)
    return wrapper.fill(text)
