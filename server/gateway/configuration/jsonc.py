"""JSON with comments and trailing commas, as hosts accept it."""

import json
import re
from typing import Final

_STRING: Final = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
_COMMENT: Final = re.compile(rf"{_STRING}|//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA: Final = re.compile(rf"{_STRING}|,(?=\s*+[}}\]])", re.DOTALL)
# An unfinished string or comment extends to the end of the text, so that a text of many takes time in proportion to it.


def loads(text: str) -> object:
    """Read JSON; lines keep their numbers, and of a name given twice the last counts.

    Raises:
        ValueError: the text is not JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(_TRAILING_COMMA.sub(_without_comma, _COMMENT.sub(_without_comment, text)))


def _without_comment(found: re.Match[str]) -> str:
    part = found.group()
    return part if part.startswith('"') else " " + "\n" * part.count("\n")


def _without_comma(found: re.Match[str]) -> str:
    part = found.group()
    return part if part.startswith('"') else " "
