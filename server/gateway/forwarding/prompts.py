"""Handlers of MCP requests that list and fill in upstreams' prompts."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import mcp_types as types

from server.errors import CallerError, brief, nearest
from server.gateway.forwarding import pages
from server.gateway.forwarding.addresses import Links, located
from server.gateway.forwarding.caller import Context
from server.gateway.forwarding.held_calls import HeldCalls
from server.gateway.forwarding.pages import page
from server.gateway.forwarding.source import Offer, Source, failed_request, permitted
from server.gateway.tool_catalog.names import gateway_names
from server.gateway.upstreams.forwarding import Forwarding
from server.gateway.upstreams.states import UpstreamError


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
        """Yield the prompts that the caller may use. Names are the same for every caller."""
        usable = {
            server: [listed for listed in offer.prompts if pages.usable_prompt(listed)]
            for server, offer in self._source.offers().items()
        }
        names = gateway_names({server: [listed.name for listed in lists] for server, lists in usable.items()})
        for server, offer in permitted(self._source, context).items():
            for listed in usable[server]:
                if self._source.permits(context, server, "prompt", listed.name):
                    yield OfferedPrompt(names[server, listed.name], offer, listed)

    def find(self, context: Context, name: str) -> OfferedPrompt:
        """Return a prompt that the caller may use, by the gateway's name.

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
        """Return a page of the prompts.

        Raises:
            MCPError: the cursor is unknown.
        """
        found = (((offered.offer.config.name, offered.name), offered) for offered in self.offered(context))
        shown, following = page(found, params)
        prompts = [pages.prompt(offered.name, offered.prompt) for offered in shown]
        return types.ListPromptsResult(prompts=prompts, next_cursor=following)

    async def get(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """Return a prompt's messages, whole, with links that can be read through the gateway.

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


logger = logging.getLogger(__name__)

MAX_VALUES: Final = 100
"""Maximum values in one completion; the protocol's limit."""

Reference = types.PromptReference | types.ResourceTemplateReference


class Completions:
    """Completes arguments by asking the upstream."""

    def __init__(self, source: Source, prompts: Prompts) -> None:
        """Complete what `source` and `prompts` offer."""
        self._source, self._prompts = source, prompts

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Return the upstream's values; none if there is no such prompt or template, or the upstream gives none."""
        try:
            found = self._found(context, params.ref)
            if found is None:
                return _values(types.Completion(values=[]))
            server, own = found
            connection = await self._source.connection(context, server)
            return _values(
                (
                    await connection.complete(
                        types.CompleteRequestParams(ref=own, argument=params.argument, context=params.context)
                    )
                ).completion
            )
        except (CallerError, UpstreamError) as error:
            logger.debug("no completion: %s", error)
            return _values(types.Completion(values=[]))
        except Exception as error:
            raise failed_request("completion/complete", error, {}) from error

    def _found(self, context: Context, ref: Reference) -> tuple[str, Reference] | None:
        """Return the server, and what is completed as the upstream calls it."""
        if isinstance(ref, types.PromptReference):
            offered = self._prompts.find(context, ref.name)
            return offered.offer.config.name, types.PromptReference(name=offered.prompt.name)
        found = located(ref.uri, permitted(self._source, context))
        if found is None or not self._source.permits(context, found[0], "template", found[1]):
            return None
        return found[0], types.ResourceTemplateReference(uri=found[1])


def _values(completion: types.Completion) -> types.CompleteResult:
    values = completion.values[:MAX_VALUES]
    more = completion.has_more if len(values) == len(completion.values) else True
    return types.CompleteResult(completion=types.Completion(values=values, total=completion.total, has_more=more))
