"""JSON schemas for MCP: optional fields may be absent but are never null, and prose can be trimmed."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from pydantic import BaseModel

LONGEST_DEFAULT: Final = 32
"""Maximum characters of a string default; a longer one is prose rather than a value, and is trimmed."""

_DROPPED: Final = ("title", "description", "$schema", "maxLength")
_NAMED: Final = ("properties", "$defs", "definitions", "patternProperties")
"""Keywords whose keys are names; a key "title" or "description" there is a name, not prose."""


@cache
def wire_schema(model: type[BaseModel], *, mode: str = "validation") -> dict[str, Any]:
    """JSON schema of a request model or, with mode "serialization", of an answer model.

    Pydantic writes an optional field as "type or null, default null"; here it is only the type, and not required. The
    schema of a model is made once, as it takes 7 ms; copy it before you change it.
    """
    schema = model.model_json_schema(by_alias=True, mode="serialization" if mode == "serialization" else "validation")
    result: dict[str, Any] = _without_null(schema)
    result.pop("description", None)
    return result


def with_known_values(schema: dict[str, Any], known: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a schema whose arguments tell known values in their descriptions; those of a list stand with its items.

    Some hosts pass a model neither examples nor defaults, but all of them pass descriptions.
    """
    properties = dict(schema.get("properties", {}))
    for name, values in known.items():
        argument = properties[name]
        items = {"items": _described(argument["items"], values)} if "items" in argument else None
        properties[name] = argument | (items or _described(argument, values))
    return schema | {"properties": properties} if known else schema


def _described(argument: dict[str, Any], values: Sequence[str]) -> dict[str, Any]:
    told = [argument["description"]] if "description" in argument else []
    return argument | {"description": "; ".join([*told, f"such as {', '.join(values)}"])}


def trimmed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without titles, `$schema`, descriptions, lengths of strings and long defaults.

    Types, enums, examples and required fields stay. A string that is too long is refused with the limit.
    """
    result: dict[str, Any] = _trim(schema)
    return result


def _without_null(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _without_null(value) for key, value in node.items()}
    if kept.get("default", ...) is None:
        del kept["default"]
    choices = kept.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        rest = [choice for choice in choices if choice != {"type": "null"}]
        del kept["anyOf"]
        kept = {**rest[0], **kept} if len(rest) == 1 else {**kept, "anyOf": rest}
    return kept


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
