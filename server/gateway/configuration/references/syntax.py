"""How references are written: `${X}`, `${X:-default}`, `${env:X}`, `$X` and `{env:X}`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

_BODY: Final = r"\$\{(?P<body>(?:[^{}]|\{[^{}]*+\})*+)\}"
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_KINDS: Final = frozenset({"env", "file", "input", "command", "config", "workspaceFolder"})


class Syntax(Enum):
    """The references that a host knows."""

    NONE = re.compile(r"(?!)")
    BRACES = re.compile(_BODY)
    BRACES_OR_DOLLAR = re.compile(rf"{_BODY}|\$(?P<plain>{_NAME})")
    CURLY = re.compile(r"\{(?P<curly>(?:env|file):[^{}]++)\}")


@dataclass(frozen=True)
class Reference:
    """One reference.

    Attributes:
        text: as it is written.
        kind: what it refers to; "" for a plain name: an environment variable or a placeholder.
        name: which one.
        default: the value if there is none.
    """

    text: str
    kind: str
    name: str
    default: str | None = None


def expand(text: str, syntax: Syntax, resolve: Callable[[Reference], str]) -> str:
    """Replace each reference by its value; values are not expanded again, and what is no reference stays."""

    def replace(found: re.Match[str]) -> str:
        reference = _reference(found)
        return found.group() if reference is None else resolve(reference)

    return syntax.value.sub(replace, text)


def _reference(found: re.Match[str]) -> Reference | None:
    groups = found.groupdict()
    if groups.get("plain") is not None:
        return Reference(found.group(), "env", groups["plain"])
    if groups.get("curly") is not None:
        kind, _, name = groups["curly"].partition(":")
        return Reference(found.group(), kind, name.strip())
    body = groups["body"]
    kind, colon, rest = body.partition(":")
    if not colon or kind not in _KINDS or rest.startswith("-"):
        kind, rest = "", body
    if kind not in {"", "env"}:
        return Reference(found.group(), kind, rest)
    name, given, default = rest.partition(":-")
    if not name or (not kind and name != "/" and not re.fullmatch(_NAME, name)):
        return None
    return Reference(found.group(), kind, name, default if given else None)
