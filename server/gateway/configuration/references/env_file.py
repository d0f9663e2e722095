"""Files of environment variables, one `NAME=value` a line."""

import re
from pathlib import Path
from typing import Final

from embeddings.files import read_text

MOST: Final = 1 << 20
"""Maximum bytes of such a file."""

_LINE: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=\s*(.*)")
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


def read_env_file(path: Path) -> dict[str, str]:
    """The variables of a file; lines that set none are passed over, and of a name given twice the last counts.

    Raises:
        OSError: it cannot be read, is not a regular file, or is too large.
        UnicodeDecodeError: it is not UTF-8.
    """
    found = (_LINE.fullmatch(line) for line in read_text(path, MOST).splitlines())
    return {line[1]: _value(line[2].rstrip()) for line in found if line}


def _value(text: str) -> str:
    quoted = re.match(r"""'([^']*)'|"((?:[^"\\]|\\.)*+)\"""", text)
    if quoted is None:
        return re.split(r"(?:^|\s)#", text, maxsplit=1)[0].rstrip()
    if quoted[1] is not None:
        return quoted[1]
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), quoted[2])
