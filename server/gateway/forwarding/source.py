"""What forwarding needs of the gateway: its upstreams, and who may use what of them."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import mcp_types as types

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.forwarding.caller import Context
from server.gateway.upstreams.forwarding import Forwarding

Kind = Literal["prompt", "resource", "template"]


class Offer(Protocol):
    """What an upstream offers, also while it is down."""

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


class Connection(Protocol):
    """An upstream as a caller reaches it. Each request is held to the upstream's time limit, and never repeated."""

    async def call(self, name: str, arguments: Mapping[str, Any] | None, forward: Forwarding) -> types.CallToolResult:
        """The whole result of a tool."""

    async def read_resource(self, uri: str, forward: Forwarding) -> types.ReadResourceResult:
        """The contents at an address."""

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str] | None, forward: Forwarding
    ) -> types.GetPromptResult:
        """A prompt's messages."""

    async def complete(self, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Values for an argument."""


class Source(Protocol):
    """The upstreams of the gateway, and what each caller may use of them."""

    def offers(self) -> Mapping[str, Offer]:
        """What every upstream offers, by its name."""

    async def connection(self, context: Context, server: str) -> Connection:
        """The upstream as the caller of a request reaches it.

        Raises:
            UpstreamError: there is no connection for the caller.
        """

    def permits_server(self, context: Context, server: str) -> bool:
        """Whether the caller may use anything of a server; otherwise nothing reveals that there is one."""

    def permits(self, context: Context, server: str, kind: Kind, name: str) -> bool:
        """Whether the caller may use a prompt by its own name, or a resource or template by its own address."""


def permitted(source: Source, context: Context) -> dict[str, Offer]:
    """What the upstreams offer that the caller may use, by name."""
    offers = source.offers()
    return {name: offers[name] for name in sorted(offers) if source.permits_server(context, name)}
