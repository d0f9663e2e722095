"""Schemas as `tools/list` carries them: what a model needs to build a call, without the prose."""

from typing import Any, Final

LONGEST_DEFAULT: Final = 32
"""Characters of a default that is still a value rather than prose."""

_DROPPED: Final = ("title", "description", "$schema")
_NAMED: Final = ("properties", "$defs", "definitions", "patternProperties")
"""Keywords whose keys are names, which may be called "title" or "description" themselves."""


def trimmed(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without titles, `$schema`, descriptions and long defaults; types, enums and what is required stay."""
    result: dict[str, Any] = _trim(schema)
    return result


def _trim(node: Any) -> Any:
    if isinstance(node, list):
        return [_trim(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: _kept(key, value) for key, value in node.items() if not _is_prose(key, value)}


def _kept(key: str, value: Any) -> Any:
    if key in _NAMED and isinstance(value, dict):
        return {name: _trim(part) for name, part in value.items()}
    return value if key in ("enum", "const", "default", "required", "examples") else _trim(value)


def _is_prose(key: str, value: Any) -> bool:
    return key in _DROPPED or (key == "default" and isinstance(value, str) and len(value) > LONGEST_DEFAULT)
