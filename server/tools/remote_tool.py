"""A tool that another server runs: the check of its arguments, and a call of it.

The schema was written by the other server and may be wrong, costly or hostile. A caller gets an error that names the
field before the call is sent. What cannot be checked is passed on, since the tool's own server checks it anyway.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from server.errors import CallerError, brief
from server.tools.definition import Tool

# jsonschema takes as long to import as a small answer takes; it is imported when a remote tool is first called.
if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolResult, InputRequiredResult
    from mcp_types import Tool as WireTool

    Context = ServerRequestContext[Any, Any]
    Result = CallToolResult | InputRequiredResult

MAX_NAMED: Final = 20
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
    """Return the message for an error of jsonschema, in three parts: the argument, what is allowed, the next step."""
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
    """Return the first property that is required and missing, if that is the error."""
    if error.validator != "required" or not isinstance(error.validator_value, list):
        return None
    return next((str(name) for name in error.validator_value if name not in error.instance), None)


def _extra(error: Any) -> str | None:
    """Return the first property that is not known, if that is the error."""
    if error.validator != "additionalProperties" or not isinstance(error.instance, Mapping):
        return None
    known = _properties(error.schema)
    return next((str(name) for name in error.instance if name not in known), None)


def _properties(schema: Any) -> Mapping[str, Any]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return properties if isinstance(properties, Mapping) else {}


def _listed(values: Any, shown: Callable[[Any], str] = brief) -> str:
    """Return the first values, and how many more there are."""
    names = [shown(value) for value in values]
    more = len(names) - MAX_NAMED
    return ", ".join([*names[:MAX_NAMED], *([f"{more} more"] if more > 0 else [])]) or "none"


MAX_STEPS: Final = 5_000
"""Maximum keywords that are applied in one check, some 0.1 s; a schema of nested references could take for ever."""

MAX_ERRORS: Final = 50
"""Maximum errors from which the one to report is chosen."""

UNCHECKED: Final = ("pattern", "patternProperties", "uniqueItems", "unevaluatedItems", "unevaluatedProperties")
"""Keywords whose cost nobody can bound: a regular expression can take exponential time, unique items quadratic."""

_steps: ContextVar[list[int]] = ContextVar("steps")


class _TooCostlyError(Exception):
    """A check has taken all its steps."""


class ArgumentCheck:
    """Checks arguments against one schema, which is read when it is first needed. Never fetches anything."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Check against `schema`."""
        self._schema = schema

    def check(self, tool: str, arguments: dict[str, Any]) -> None:
        """Check the arguments of a tool.

        Raises:
            CallerError: they do not fit; it names the first wrong one and what is allowed.
        """
        error = self._error(arguments)
        if error:
            raise CallerError(problem(tool, error))

    def _error(self, arguments: dict[str, Any]) -> Any:
        """Return the most telling error, as jsonschema describes it.

        None if there is none or the check had to be given up.
        """
        from jsonschema.exceptions import best_match

        if self._validator is None:
            return None
        _steps.set([MAX_STEPS])
        try:
            return best_match(islice(self._validator.iter_errors(arguments), MAX_ERRORS))
        # An unknown reference, endless recursion, a wrong schema that looks right: nothing of it is the caller's fault.
        except Exception:
            return None

    @cached_property
    def _validator(self) -> "Validator | None":
        """Validator of the schema; None if the schema is wrong."""
        from jsonschema import Draft202012Validator
        from jsonschema.validators import validator_for
        from referencing import Registry

        _steps.set([MAX_STEPS])
        try:
            dialect = validator_for(self._schema, default=Draft202012Validator)
            if not _bounded(dialect, ())(dialect.META_SCHEMA).is_valid(self._schema):
                return None
            # An empty registry: without one, jsonschema fetches references from the network.
            registry: Any = Registry()
            validator: Validator = _bounded(dialect, UNCHECKED)(self._schema, registry=registry)
            return validator
        except Exception:
            return None


def _bounded(dialect: Any, unchecked: tuple[str, ...]) -> Any:
    """Make a dialect that counts the keywords it applies and gives up after too many, without those of `unchecked`."""
    from jsonschema.validators import extend

    known = dialect.VALIDATORS
    counted = {keyword: _counted(known[keyword]) for keyword in known if keyword not in unchecked}
    if unchecked and "additionalProperties" in known:
        counted["additionalProperties"] = _counted(_without_patterns(known["additionalProperties"]))
    extended: Any = extend
    return extended(dialect, counted | dict.fromkeys(set(unchecked) & set(known), _nothing))


def _counted(check: Any) -> Any:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        left = _steps.get()
        left[0] -= 1
        if left[0] < 0:
            raise _TooCostlyError
        return check(validator, value, instance, schema)

    return counted


def _without_patterns(check: Any) -> Any:
    """Further properties cannot be told where patterns, which are not checked, say which these are."""

    def unless_patterns(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        return () if "patternProperties" in schema else check(validator, value, instance, schema)

    return unless_patterns


def _nothing(*_: Any) -> Any:
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteTool(Tool):
    """A tool of another server. What it says of itself is passed on as it is, but for its name.

    Attributes:
        tool: the tool as its server describes it, under its own name.
        handler: calls it with arguments that were checked, for a request; the result is passed on whole. It may raise
            `MCPError`, `CallerError` or `UnavailableToolError`, which the caller gets.
    """

    tool: "WireTool"
    handler: "Callable[[Context, dict[str, Any]], Awaitable[Result]]"

    @classmethod
    def of(
        cls,
        name: str,
        family: str,
        tool: "WireTool",
        handler: "Callable[[Context, dict[str, Any]], Awaitable[Result]]",
        docs: str = "",
    ) -> Self:
        """Return the tool under the name that callers of this server use."""
        hints = tool.annotations
        return cls(
            name=name,
            title=tool.title or (hints.title if hints else None) or "",
            family=family,
            description=tool.description or "",
            docs=docs,
            tool=tool,
            handler=handler,
        )

    @property
    def own_name(self) -> str:
        """Name that its server uses."""
        return self.tool.name

    @property
    def input_schema(self) -> dict[str, Any]:
        """Its server's JSON schema of the arguments."""
        return self.tool.input_schema

    @property
    def brief_schema(self) -> dict[str, Any]:
        """The same: how the arguments are to be filled may stand in their descriptions alone."""
        return self.tool.input_schema

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """Its server's JSON schema of the structured result."""
        return self.tool.output_schema

    @cached_property
    def annotations(self) -> dict[str, Any]:
        """The hints that its server gives."""
        hints = self.tool.annotations
        return hints.model_dump(by_alias=True, exclude_none=True) if hints else {}

    @cached_property
    def listed(self) -> "WireTool":
        """The tool as `tools/list` shows it."""
        return self.tool.model_copy(update={"name": self.name})

    @cached_property
    def _check(self) -> ArgumentCheck:
        return ArgumentCheck(self.tool.input_schema)

    def prepared(self, arguments: dict[str, Any]) -> "RemoteCall":
        """Return a call with arguments that fit the tool's schema, as far as can be told here.

        Raises:
            CallerError: the arguments do not fit.
        """
        self._check.check(self.name, arguments)
        return RemoteCall(lambda context: self.handler(context, arguments))


@dataclass(frozen=True)
class RemoteCall:
    """A call that is ready to be sent to another server.

    Attributes:
        send: returns the result for the request of a context, through which progress and questions go back.
    """

    send: "Callable[[Context], Awaitable[Result]]"


@dataclass(frozen=True)
class Outage:
    """A server, or one of its tools, that is not ready.

    Attributes:
        kind: in a word, for programs: connecting, down, unauthorized.
        since: when it began.
        why: in words, if that is known.
        next_step: what a caller can do.
        tools: whether the server's tools are known, also from its last start; awaited, because it is still starting; or
            unknown.
    """

    kind: str
    since: datetime
    why: str = ""
    next_step: str = "call again later"
    tools: Literal["known", "awaited", "unknown"] = "known"

    def __str__(self) -> str:
        since = self.since.isoformat(timespec="seconds")
        return f"{self.kind} since {since}" + (f" ({self.why})" if self.why else "")
