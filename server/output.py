"""Text for people and JSON for programs."""

import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final

from embeddings.text.invisible import escaped

WIDEST: Final = 120
_OWN: Final = re.compile(r"(\n|\x1b\[[01]m)")
"""Line breaks, and the codes of `bold`."""

_GAP: Final = "  "
_NARROWEST: Final = 20
"""Columns that a table's last column gets at least."""


def print_json(value: dict[str, Any]) -> None:
    """Print one object on one line."""
    print(json.dumps(value, ensure_ascii=False))


def print_text(text: str) -> None:
    """Print a text for people, whose hidden characters are spelled out: a catalog's names could steer a terminal."""
    print("".join(part if _OWN.fullmatch(part) else escaped(part) for part in _OWN.split(text)))


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

    On a terminal, cells wrap within its width. Where the output is no terminal, a row is one line.
    """
    kept = [at for at in range(len(head)) if not rows or any(row[at] for row in rows)] or [0]
    lines = [[line[at] for at in kept] for line in (head, *rows)]
    sizes = _sizes(lines, _limit())
    shown = ["\n".join(_row(line, sizes)) for line in lines]
    return "\n".join([bold(shown[0]), *shown[1:]])


def paragraph(label: str, text: str) -> str:
    """Return a labelled text, wrapped under its label."""
    lead = f"{label}:".ljust(14)
    return _filled(text, width(), lead, " " * 14)


def wrapped(text: str) -> str:
    """Running text in lines."""
    return _filled(text, width())


def percent(confidence: float) -> str:
    """Return a probability as a percentage; one below 1 that rounds to 100% is shown as >99%."""
    rounded = f"{confidence:.0%}"
    return ">99%" if rounded == "100%" and confidence < 1 else rounded


def _limit() -> int | None:
    """Columns that a table may take; None if the output is no terminal and nobody says how wide it is."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        return None
    return shutil.get_terminal_size((100, 24)).columns


def _sizes(lines: Sequence[Sequence[str]], limit: int | None) -> list[int]:
    """Widths of a table's columns: the last gives way first, then the widest, none below its longest word."""
    columns = list(zip(*lines, strict=True))
    sizes = [max(1, *map(len, column)) for column in columns]
    if limit is None:
        return sizes
    least = [max(1, *(len(word) for cell in column for word in cell.split())) for column in columns]
    # An address may stand out of the last column.
    least[-1] = min(least[-1], _NARROWEST)
    over = sum(sizes) + len(_GAP) * (len(sizes) - 1) - limit
    last, *others = reversed(range(len(sizes)))
    for at in (last, *sorted(others, key=lambda other: -sizes[other])):
        given = max(0, min(over, sizes[at] - max(least[at], _NARROWEST if at == last else 0)))
        sizes[at] -= given
        over -= given
    return sizes


def _row(cells: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """Return one row of a table, as many lines as its longest cell needs."""
    wrapped_cells = [_filled(cell, size).splitlines() for cell, size in zip(cells, sizes, strict=True)]
    lines = zip_longest(*wrapped_cells, fillvalue="") if any(wrapped_cells) else [("",)]
    return [_GAP.join(part.ljust(size) for part, size in zip(line, sizes, strict=False)).rstrip() for line in lines]


def _filled(text: str, columns: int, first: str = "", further: str = "") -> str:
    """Wrapped text; a word that is too long, such as an address, stands whole."""
    return textwrap.fill(
        text,
        columns,
        initial_indent=first,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )
