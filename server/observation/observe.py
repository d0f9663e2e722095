"""What each MCP request came to, told to whoever logs or counts it."""

import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from server.http.requests import request_id
from server.toolset import identity

logger = logging.getLogger(__name__)

OTHER: Final = "other"
"""Stands for a method or a tool that there is not: what a client made up may be anything, a phrase or a secret."""


@dataclass(frozen=True)
class Observation:
    """One MCP request.

    Attributes:
        request: id of the HTTP request that brought it; None over stdio.
        method: of JSON-RPC; "other" when this server has no such method.
        tool: the one that was called; "other" when there is no such tool, None for another method.
        caller: name of the caller's token; None without tokens.
        outcome: "ok", "tool_error" (the caller's mistake), "cancelled", or the code of a JSON-RPC error.
        decision: of the answer, where it has one.
        seconds: from the request's arrival at the server to its result.
        arguments: as the client sent them.
    """

    request: str | None
    method: str
    tool: str | None
    caller: str | None
    outcome: str
    decision: str | None
    seconds: float
    arguments: Any


Observer = Callable[[Observation], None]


class Observe(ServerMiddleware[Any]):
    """Tells observers of every request; notifications are not told."""

    def __init__(self, observers: Sequence[Observer], methods: Callable[[str], bool], tools: Collection[str]) -> None:
        """Tell `observers`.

        Args:
            observers: are called on the event loop, and so must be quick.
            methods: whether the server has a method.
            tools: names of all there are.
        """
        self._observers = observers
        self._methods = methods
        self._tools = tools

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Pass a message on and watch what comes back."""
        if ctx.request_id is None:
            return await call_next(ctx)
        start = time.perf_counter()
        outcome, decision = "cancelled", None
        try:
            result = await call_next(ctx)
            outcome, decision = _outcome(result)
            return result
        except MCPError as error:
            outcome = str(error.error.code)
            raise
        except ValidationError:
            outcome = str(types.INVALID_PARAMS)
            raise
        except Exception:
            outcome = str(types.INTERNAL_ERROR)
            raise
        finally:
            self._tell(ctx, outcome, decision, time.perf_counter() - start)

    def _tell(self, ctx: ServerRequestContext[Any, Any], outcome: str, decision: str | None, seconds: float) -> None:
        called = ctx.method == "tools/call"
        params = ctx.params or {}
        name = params.get("name")
        observation = Observation(
            request=request_id(ctx.request.scope) if ctx.request is not None else None,
            method=ctx.method if self._methods(ctx.method) else OTHER,
            tool=(name if isinstance(name, str) and name in self._tools else OTHER) if called else None,
            caller=identity(ctx) if ctx.request is not None else None,
            outcome=outcome,
            decision=decision,
            seconds=seconds,
            arguments=params.get("arguments") if called else None,
        )
        for observer in self._observers:
            try:
                observer(observation)
            except Exception:
                # What became of the telling is no concern of the caller's.
                logger.exception("a request could not be told of")


def _outcome(result: HandlerResult) -> tuple[str, str | None]:
    """Outcome and decision of a result, which is on its way to the wire."""
    value = result if isinstance(result, dict) else {}
    content = value.get("structuredContent")
    decision = content.get("decision") if isinstance(content, dict) else None
    return "tool_error" if value.get("isError") is True else "ok", decision if isinstance(decision, str) else None
