"""Handlers of MCP requests that list and fill in upstreams' prompts."""

from collections.abc import Iterator
from dataclasses import dataclass

import mcp_types as types

from server.errors import CallerError, brief, nearest
from server.gateway.forwarding.caller import Context
from server.gateway.forwarding.errors import failed_request
from server.gateway.forwarding.held_calls import HeldCalls
from server.gateway.forwarding.links import Links
from server.gateway.forwarding.offers import texts
from server.gateway.forwarding.offers.pages import page
from server.gateway.forwarding.source import Offer, Source, permitted
from server.gateway.tool_catalog.names import gateway_names
from server.gateway.upstreams.forwarding import Forwarding


@dataclass(frozen=True)
class OfferedPrompt:
    """A prompt that a caller may use.

    Attributes:
        name: `server__prompt`, made as the names of tools are.
        offer: what its upstream offers.
        prompt: as the upstream gives it.
    """

    name: str
    offer: Offer
    prompt: types.Prompt


class Prompts:
    """Lists and fills in the prompts of the upstreams that a caller may use."""

    def __init__(self, source: Source, held: HeldCalls) -> None:
        """Offer the prompts of `source`; filling one in may ask the user, which `held` handles."""
        self._source, self._held = source, held

    def offered(self, context: Context) -> Iterator[OfferedPrompt]:
        """The prompts that the caller may use. Names are the same for every caller."""
        usable = {
            server: [listed for listed in offer.prompts if texts.usable_prompt(listed)]
            for server, offer in self._source.offers().items()
        }
        names = gateway_names({server: [listed.name for listed in lists] for server, lists in usable.items()})
        for server, offer in permitted(self._source, context).items():
            for listed in usable[server]:
                if self._source.permits(context, server, "prompt", listed.name):
                    yield OfferedPrompt(names[server, listed.name], offer, listed)

    def find(self, context: Context, name: str) -> OfferedPrompt:
        """A prompt that the caller may use, by the gateway's name.

        Raises:
            CallerError: there is none.
        """
        known = {offered.name: offered for offered in self.offered(context)}
        if name in known:
            return known[name]
        near = ", ".join(nearest(name, known, 3)) or "none"
        raise CallerError(f"unknown prompt {brief(name)}; nearest: {near}; list the prompts and use one of their names")

    async def list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """A page of the prompts.

        Raises:
            MCPError: the cursor is unknown.
        """
        found = (((offered.offer.config.name, offered.name), offered) for offered in self.offered(context))
        shown, following = page(found, params)
        prompts = [texts.prompt(offered.name, offered.prompt) for offered in shown]
        return types.ListPromptsResult(prompts=prompts, next_cursor=following)

    async def get(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """A prompt's messages, whole, with links that can be read through the gateway.

        Raises:
            MCPError: there is no such prompt for this caller, or the upstream does not answer.
        """
        try:
            return await self._get(context, params)
        except Exception as error:
            raise failed_request("prompts/get", error, {"name": params.name}) from error

    async def _get(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        found = self.find(context, params.name)
        own, config = found.prompt.name, found.offer.config

        async def start(forward: Forwarding) -> types.GetPromptResult:
            connection = await self._source.connection(context, config.name)
            return await connection.get_prompt(own, params.arguments, forward)

        result = await self._held.call(context, config, f"prompt {own}", params.arguments or {}, start)
        if not isinstance(result, types.GetPromptResult):
            asked: types.InputRequiredResult = result
            return asked
        return Links(config.name, {listed.uri for listed in found.offer.resources}).in_prompt(result)
