"""The interface of the gateway for forwarding: its upstreams, and who may use what of them."""

from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, URL_ELICITATION_REQUIRED, CallToolResult, TextContent

from server.errors import CallerError
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.forwarding.caller import Context
from server.gateway.skills.skill import GetSkillResult, Skill
from server.gateway.upstreams.forwarding import Forwarding
from server.gateway.upstreams.states import UpstreamError
from server.protocol.errors import fault, tool_error

LARGEST: Final = 20 << 20
"""Maximum bytes of the contents of a resource or a prompt."""


def failed_call(what: str, error: Exception) -> CallToolResult:
    """Return a failed call as a result that the model reads.

    Raises:
        MCPError: the upstream wants its user to open an address first, which the host reads from the error; or the
            gateway itself is at fault.
    """
    if isinstance(error, UpstreamError):
        if error.code == URL_ELICITATION_REQUIRED:
            raise MCPError(code=error.code, message=str(error), data=error.data)
        return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
    if isinstance(error, CallerError):
        return tool_error(error)
    raise error if isinstance(error, MCPError) else fault(what)


def failed_request(what: str, error: Exception, data: dict[str, Any]) -> MCPError:
    """Return the error for a request for a prompt or a resource.

    Args:
        what: what was requested, for the log.
        error: why it failed.
        data: the request's own, for programs.
    """
    if isinstance(error, MCPError):
        return error
    if isinstance(error, CallerError):
        return MCPError(code=INVALID_PARAMS, message=str(error), data=data)
    if not isinstance(error, UpstreamError):
        return fault(what)
    if error.kind == "protocol" and error.code is not None:
        return MCPError(code=error.code, message=str(error), data=error.data if error.data is not None else data)
    known = {"server": error.upstream, "reason": error.kind, "since": error.since.isoformat(timespec="seconds")}
    return MCPError(code=INTERNAL_ERROR, message=str(error), data={**data, **known})


Kind = Literal["prompt", "resource", "template"]


class Offer(Protocol):
    """The tools, prompts, resources and skills of an upstream, also while it is down."""

    @property
    def config(self) -> UpstreamConfig:
        """How it is reached."""

    @property
    def prompts(self) -> tuple[types.Prompt, ...]:
        """Its prompts."""

    @property
    def resources(self) -> tuple[types.Resource, ...]:
        """The resources that it lists."""

    @property
    def resource_templates(self) -> tuple[types.ResourceTemplate, ...]:
        """Its templates."""

    @property
    def skills(self) -> tuple[Skill, ...]:
        """The skills that it lists."""


class Connection(Protocol):
    """An upstream as a caller reaches it. Each request is held to the upstream's time limit, and never repeated."""

    async def call(self, name: str, arguments: Mapping[str, Any] | None, forward: Forwarding) -> types.CallToolResult:
        """Return the whole result of a tool."""

    async def read_resource(self, uri: str, forward: Forwarding) -> types.ReadResourceResult:
        """Return the contents at an address."""

    async def get_skill(self, uri: str, forward: Forwarding) -> GetSkillResult:
        """Return the entry of a skill."""

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str] | None, forward: Forwarding
    ) -> types.GetPromptResult:
        """Return a prompt's messages."""

    async def complete(self, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Values for an argument."""


class Source(Protocol):
    """The upstreams of the gateway, and what each caller may use of them."""

    def offers(self) -> Mapping[str, Offer]:
        """Return what every upstream offers, by its name."""

    async def connection(self, context: Context, server: str) -> Connection:
        """Return the upstream as the caller of a request reaches it.

        Raises:
            UpstreamError: there is no connection for the caller.
        """

    def permits_server(self, context: Context, server: str) -> bool:
        """Return whether the caller may use anything of a server; otherwise nothing reveals that there is one."""

    def permits(self, context: Context, server: str, kind: Kind, name: str) -> bool:
        """Return whether the caller may use a prompt by its own name, or a resource or template by its own address."""


def permitted(source: Source, context: Context) -> dict[str, Offer]:
    """Return the offers of the upstreams that the caller may use, by name."""
    offers = source.offers()
    return {name: offers[name] for name in sorted(offers) if source.permits_server(context, name)}
