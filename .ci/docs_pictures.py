"""The picture of the terminal that the README shows, drawn from what a command prints."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
TERMINAL: Final = ROOT / "docs" / "images" / "terminal.svg"
COMMAND: Final = 'agent-capabilities compare "are changes made by shell commands undone"'

_COLUMNS: Final = 104
_LINE: Final = 20
_MARGIN: Final = 16
_CHARACTER: Final = 8.43
"""Width of a character of 14 pixels in the fonts below, which is 0.602 of its size in most of them."""
_FONTS: Final = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_COLOURS: Final = {"yes": "#63cf97", "partly": "#e9b45b", "no": "#ff948a"}
_VERDICT: Final = re.compile(r"^(?P<agent>[\w-]+\s+)(?P<verdict>yes|partly|no)\b(?P<rest>.*)$")


def printed() -> list[str]:
    """Return the lines that the command prints in a terminal of `_COLUMNS` columns."""
    done = subprocess.run(  # noqa: S603 -- the project's own command
        [sys.executable, "-m", "agent_capabilities", *shlex.split(COMMAND)[1:]],
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {"COLUMNS": str(_COLUMNS)},
    )
    return done.stdout.splitlines()


def terminal() -> str:
    """Return the picture: SVG with the text as text, so that it can be read aloud and searched."""
    lines = [f"$ {COMMAND}", *printed()]
    width, height = round(_COLUMNS * _CHARACTER) + 2 * _MARGIN, len(lines) * _LINE + 2 * _MARGIN
    size = f'width="{width}" height="{height}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size}>
<title>{escape(COMMAND)}</title>
<rect {size} rx="8" fill="#12151b"/>
<g fill="#e6e9f0" font-size="14" font-family="{_FONTS}">
{"".join(_drawn(lines))}</g>
</svg>
"""


def _drawn(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        y = _MARGIN + number * _LINE + 15
        weight = ' font-weight="bold"' if number == 0 else ""
        yield f'<text x="{_MARGIN}" y="{y}"{weight}>{_coloured(line)}</text>\n'


def _coloured(line: str) -> str:
    # Viewers differ in how they keep spaces that stand side by side.
    text = re.sub(" {2,}", lambda spaces: "\N{NO-BREAK SPACE}" * len(spaces[0]), escape(line, quote=False))
    found = _VERDICT.match(text)
    if not found:
        return text
    agent, verdict, rest = found.group("agent", "verdict", "rest")
    return f'{agent}<tspan fill="{_COLOURS[verdict]}">{verdict}</tspan>{rest}'
