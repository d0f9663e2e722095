"""Requests to an upstream: held to their time limit, never repeated, and with errors that say what happened."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter

from server.gateway.configuration.upstream_config import UpstreamConfig, redacted
from server.gateway.skills.skill import GetSkillParams, GetSkillRequest, GetSkillResult
from server.gateway.upstreams.connection import Connection, MakeRequest
from server.gateway.upstreams.forwarding import Forwarding, Running
from server.gateway.upstreams.messages import RESULT_ADAPTER, SHOWN
from server.gateway.upstreams.states import Limits, UpstreamError, advised, as_result, outcome_of, protocol_reason

_READ_ADAPTER: Final[TypeAdapter[Any]] = TypeAdapter(types.ReadResourceResult | types.InputRequiredResult)
_PROMPT_ADAPTER: Final[TypeAdapter[Any]] = TypeAdapter(types.GetPromptResult | types.InputRequiredResult)
_SKILL_ADAPTER: Final[TypeAdapter[Any]] = TypeAdapter(GetSkillResult)
_COMPLETE_ADAPTER: Final[TypeAdapter[Any]] = TypeAdapter(types.CompleteResult)


@dataclass(frozen=True)
class Requests:
    """Sends requests of one upstream's connections."""

    config: UpstreamConfig
    limits: Limits

    async def call(
        self, connection: Connection, name: str, arguments: Mapping[str, Any] | None, forward: Forwarding
    ) -> types.CallToolResult:
        """Call a tool. The SDK's own `call_tool` is not used: it sends a call again, and refuses results.

        Raises:
            UpstreamError: there is no answer.
        """

        def make(responses: types.InputResponses | None, state: str | None) -> types.CallToolRequest:
            params = types.CallToolRequestParams(
                name=name,
                arguments=dict(arguments) if arguments is not None else None,
                input_responses=responses,
                request_state=state,
                _meta=connection.meta(forward),
            )
            return types.CallToolRequest(params=params)

        try:
            result: types.CallToolResult = await self._answer(connection, make, RESULT_ADAPTER, forward)
        except MCPError as error:
            if outcome_of(error, connection.ended.is_set()) != "result":
                raise self._error(connection, error) from error
            return as_result(error, self.limits.message)
        return result

    async def read_resource(self, connection: Connection, uri: str, forward: Forwarding) -> types.ReadResourceResult:
        """Read a resource.

        Raises:
            UpstreamError: there is no answer.
        """

        def make(responses: types.InputResponses | None, state: str | None) -> types.ReadResourceRequest:
            params = types.ReadResourceRequestParams(
                uri=uri, input_responses=responses, request_state=state, _meta=connection.meta(forward)
            )
            return types.ReadResourceRequest(params=params)

        result: types.ReadResourceResult = await self._ask(connection, make, _READ_ADAPTER, forward)
        return result

    async def get_skill(self, connection: Connection, uri: str, forward: Forwarding) -> GetSkillResult:
        """Get the entry of a skill.

        Raises:
            UpstreamError: there is no answer.
        """
        request: Any = GetSkillRequest(params=GetSkillParams(uri=uri))
        result: GetSkillResult = await self._ask(
            connection, lambda _responses, _state: request, _SKILL_ADAPTER, forward
        )
        return result

    async def get_prompt(
        self, connection: Connection, name: str, arguments: Mapping[str, str] | None, forward: Forwarding
    ) -> types.GetPromptResult:
        """Get a prompt.

        Raises:
            UpstreamError: there is no answer.
        """

        def make(responses: types.InputResponses | None, state: str | None) -> types.GetPromptRequest:
            params = types.GetPromptRequestParams(
                name=name,
                arguments=dict(arguments) if arguments is not None else None,
                input_responses=responses,
                request_state=state,
                _meta=connection.meta(forward),
            )
            return types.GetPromptRequest(params=params)

        result: types.GetPromptResult = await self._ask(connection, make, _PROMPT_ADAPTER, forward)
        return result

    async def complete(
        self, connection: Connection, params: types.CompleteRequestParams, forward: Forwarding
    ) -> types.CompleteResult:
        """Complete an argument.

        Raises:
            UpstreamError: there is no answer.
        """
        request = types.CompleteRequest(params=params)
        result: types.CompleteResult = await self._ask(
            connection, lambda _responses, _state: request, _COMPLETE_ADAPTER, forward
        )
        return result

    async def _ask(
        self, connection: Connection, make: MakeRequest, adapter: TypeAdapter[Any], forward: Forwarding
    ) -> Any:
        try:
            return await self._answer(connection, make, adapter, forward)
        except MCPError as error:
            raise self._error(connection, error) from error

    async def _answer(
        self, connection: Connection, make: MakeRequest, adapter: TypeAdapter[Any], forward: Forwarding
    ) -> Any:
        running = Running(forward, self.config.timeout, self.limits.call)
        with connection.requests.running(running), running.scope:
            try:
                await connection.set_log_level(forward.log_level)
                return await connection.ask(make, adapter, running)
            except (MCPError, UpstreamError):
                raise
            except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
                raise self._died(connection) from error
            except Exception as error:
                if connection.ended.is_set():
                    raise self._died(connection) from error
                raise UpstreamError(self.config.name, "protocol", self._shown(protocol_reason(error))) from error
        raise UpstreamError(self.config.name, "timeout", f"its time limit is {self.config.timeout:g} seconds")

    def _error(self, connection: Connection, error: MCPError) -> UpstreamError:
        outcome = outcome_of(error, connection.ended.is_set())
        if outcome == "unauthorized":
            connection.fail("unauthorized", error.message)
            return UpstreamError(
                self.config.name, "unauthorized", self._shown(advised(self.config, connection.lost())[1])
            )
        if outcome == "died":
            return self._died(connection, error.message)
        if error.code == types.HEADER_MISMATCH:
            # The headers were made from a schema that has changed.
            connection.outdated("tools")
        data = json.loads(redacted(json.dumps(error.data), self.config.secrets))
        return UpstreamError(self.config.name, "protocol", self._shown(error.message), code=error.code, data=data)

    def _died(self, connection: Connection, why: str = "") -> UpstreamError:
        connection.fail("down", "" if why == "Connection closed" else why)
        return UpstreamError(self.config.name, "died", self._shown(connection.lost()[1]))

    def _shown(self, text: str) -> str:
        return redacted(text, self.config.secrets)[:SHOWN]
