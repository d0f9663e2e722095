"""Says in words which argument of a remote tool is wrong, and what is allowed."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from server.errors import brief

MOST_NAMED: Final = 20
"""Maximum values or names that a message lists."""

_RULES: Final[dict[str, Callable[[Any], str]]] = {
    "type": lambda value: f"must be of type {_listed(value if isinstance(value, list) else [value], str)}",
    "enum": lambda value: f"must be one of {_listed(value)}",
    "const": lambda value: f"must be {brief(value)}",
    "minimum": lambda value: f"must be at least {brief(value)}",
    "maximum": lambda value: f"must be at most {brief(value)}",
    "exclusiveMinimum": lambda value: f"must be more than {brief(value)}",
    "exclusiveMaximum": lambda value: f"must be less than {brief(value)}",
    "multipleOf": lambda value: f"must be a multiple of {brief(value)}",
    "minLength": lambda value: f"must have at least {brief(value)} characters",
    "maxLength": lambda value: f"must have at most {brief(value)} characters",
    "minItems": lambda value: f"must have at least {brief(value)} items",
    "maxItems": lambda value: f"must have at most {brief(value)} items",
}
"""For keywords of a JSON schema, what a value must be."""


def problem(tool: str, error: Any) -> str:
    """The message for an error of jsonschema, in three parts: the argument, what is allowed, the next step."""
    path = [str(part) for part in error.absolute_path]
    known = _listed(_properties(error.schema), str)
    missing = _missing(error)
    if missing is not None:
        where = ".".join([*path, missing])
        return f"{tool} needs the argument {brief(where)}, which is missing; known: {known}; call again with it"
    where = ".".join(path) or "arguments"
    extra = _extra(error)
    if extra is not None:
        return f"{tool} got {brief(extra)} in {brief(where)}, which it does not know; known: {known}; leave it out"
    rule = _RULES.get(error.validator)
    said = rule(error.validator_value) if rule else f"must fit {error.validator}: {brief(error.validator_value)}"
    return f"{tool} got {brief(error.instance)} for {brief(where)}; it {said}; correct it and call again"


def _missing(error: Any) -> str | None:
    """The first property that is required and missing, if that is the error."""
    if error.validator != "required" or not isinstance(error.validator_value, list):
        return None
    return next((str(name) for name in error.validator_value if name not in error.instance), None)


def _extra(error: Any) -> str | None:
    """The first property that is not known, if that is the error."""
    if error.validator != "additionalProperties" or not isinstance(error.instance, Mapping):
        return None
    known = _properties(error.schema)
    return next((str(name) for name in error.instance if name not in known), None)


def _properties(schema: Any) -> Mapping[str, Any]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return properties if isinstance(properties, Mapping) else {}


def _listed(values: Any, shown: Callable[[Any], str] = brief) -> str:
    """The first values, and how many more there are."""
    names = [shown(value) for value in values]
    more = len(names) - MOST_NAMED
    return ", ".join([*names[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])]) or "none"
