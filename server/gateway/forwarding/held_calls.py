"""Calls whose caller is asked by the result of its request, and answers by calling again (protocol 2026-07-28).

A server of this protocol sends no requests. When an upstream asks something during a call, the call is held open in
this process, the caller gets the questions with a state, and its next request with answers and state resumes the call.
The upstream is never called a second time.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from server.errors import CallerError
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.forwarding import held_call
from server.gateway.forwarding.addresses import Links
from server.gateway.forwarding.caller import Caller, Context
from server.gateway.forwarding.held_call import Binding, HeldCall, Start
from server.gateway.forwarding.source import Source, failed_call
from server.gateway.upstreams.forwarding import Forwarding


@dataclass(frozen=True)
class HeldLimits:
    """Limits of held calls.

    Attributes:
        seconds: how long a call waits for its caller's answers.
        per_caller: maximum held calls of one caller.
        in_all: maximum held calls.
    """

    seconds: float = 300.0
    per_caller: int = 16
    in_all: int = 256


DEFAULT_HELD: Final = HeldLimits()


class HeldCalls:
    """Runs calls to upstreams, and holds those that wait for answers.

    It holds calls while it is entered as an async context manager; before and after, questions are declined.
    """

    def __init__(self, identify: Callable[[Context], str | None], limits: HeldLimits = DEFAULT_HELD) -> None:
        """Bind states to callers as `identify` tells them apart."""
        self._identify, self._limits = identify, limits
        self._held: dict[str, HeldCall] = {}
        self._group: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._group = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Cancel every call."""
        group, self._group = self._group, None
        if group is None:
            return None
        group.cancel_scope.cancel()
        return await group.__aexit__(kind, error, trace)

    async def call(
        self, context: Context, upstream: UpstreamConfig, target: str, arguments: Mapping[str, Any], start: Start
    ) -> Any:
        """Start an upstream call, or resume the one that the request's state belongs to.

        Args:
            context: the caller's request.
            upstream: what is called.
            target: kind and name of what is called; with the arguments it says which call a state belongs to.
            arguments: of the call.
            start: starts the call; not used to resume one.

        Returns:
            What `start` gives, or an `InputRequiredResult` with the upstream's questions.

        Raises:
            CallerError: the state belongs to no held call, or too many calls are held.
        """
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return await start(Caller(context, upstream).forwarding())
        retry = held_call.answers(context)
        binding = Binding.of(self._identify(context), f"{upstream.name}:{target}", arguments)
        if retry.request_state is not None or retry.input_responses:
            return await self._next(self._resumed(context, binding, retry))
        capabilities = context.session.client_capabilities
        if self._group is None or capabilities is None or capabilities.elicitation is None:
            return await start(Caller(context, upstream).forwarding())
        held = HeldCall(binding, Caller(context, upstream))
        self._group.start_soon(self._run, held, start)
        return await self._next(held)

    async def _run(self, held: HeldCall, start: Start) -> None:
        try:
            await held.run(start)
        finally:
            self._held.pop(held.state, None)

    async def _next(self, held: HeldCall) -> Any:
        """Return the call's result, or its questions; if the request ends before, the call is cancelled."""
        try:
            await held.wait()
            return held.result() if held.ended else self._hold(held)
        except BaseException:
            held.cancel()
            raise

    def _hold(self, held: HeldCall) -> types.InputRequiredResult:
        asked = held.open
        if asked:
            self._check_limits(held.binding.identity)
        state = secrets.token_urlsafe(32)
        self._held[state] = held
        held.hold(state, self._limits.seconds)
        return types.InputRequiredResult(input_requests=asked or None, request_state=state)

    def _check_limits(self, identity: str | None) -> None:
        counts = Counter(held.binding.identity for held in self._held.values())
        for count, most, whose in (
            (counts[identity], self._limits.per_caller, "of this caller"),
            (counts.total(), self._limits.in_all, "of all callers"),
        ):
            if count >= most:
                raise CallerError(
                    f"this call needs an answer of the user, but {count} calls {whose} wait for answers already; at "
                    f"most {most} may, so it was cancelled; answer one of them or wait {self._limits.seconds:g} "
                    "seconds, then call again"
                )

    def _resumed(self, context: Context, binding: Binding, retry: types.InputResponseRequestParams) -> HeldCall:
        held = self._held.get(retry.request_state or "")
        if held is None:
            raise held_call.not_held(self._limits.seconds)
        if held.binding != binding:
            raise held_call.other_call()
        del self._held[held.state]
        held.resume(context, retry.input_responses or {})
        return held


class ToolCalls:
    """Calls tools of upstreams."""

    def __init__(self, source: Source, held: HeldCalls) -> None:
        """Call tools of `source`; `held` runs the calls."""
        self._source, self._held = source, held

    async def call(
        self, context: Context, server: str, own_name: str, arguments: Mapping[str, Any]
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Return the result of a tool, with its links readable through the gateway, or the upstream's questions.

        Args:
            context: the caller's request.
            server: a name among the source's offers; the caller may use the tool.
            own_name: what the upstream calls the tool.
            arguments: of the call.

        Raises:
            MCPError: the host must act, or the gateway itself is at fault.
        """
        offer = self._source.offers()[server]

        async def start(forward: Forwarding) -> types.CallToolResult:
            return await (await self._source.connection(context, server)).call(own_name, arguments, forward)

        try:
            result = await self._held.call(context, offer.config, f"tool {own_name}", arguments, start)
        except Exception as error:
            return failed_call(f"tool {own_name} of server {server}", error)
        if not isinstance(result, types.CallToolResult):
            asked: types.InputRequiredResult = result
            return asked
        return Links(server, {resource.uri for resource in offer.resources}).in_tool_result(result)
