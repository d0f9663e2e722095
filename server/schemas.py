"""JSON schemas as MCP shows them: what is optional may be absent, and is never null."""

from typing import Any

from pydantic import BaseModel


def wire_schema(model: type[BaseModel], *, mode: str = "validation") -> dict[str, Any]:
    """Schema of a request model, or with mode "serialization" of an answer model.

    Pydantic writes an optional field as "type or null, default null"; here it is the type alone, not required.
    """
    schema = model.model_json_schema(by_alias=True, mode="serialization" if mode == "serialization" else "validation")
    result: dict[str, Any] = _without_null(schema)
    result.pop("description", None)
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
