"""The handler of MCP requests that complete an argument of an upstream's prompt or template."""

import logging
from typing import Final

import mcp_types as types

from server.errors import CallerError
from server.gateway.forwarding.addresses import located
from server.gateway.forwarding.caller import Context
from server.gateway.forwarding.errors import failed_request
from server.gateway.forwarding.offers.prompts import Prompts
from server.gateway.forwarding.source import Source, permitted
from server.gateway.upstreams.states import UpstreamError

logger = logging.getLogger(__name__)

MOST: Final = 100
"""Maximum values in one completion; the protocol's limit."""

Reference = types.PromptReference | types.ResourceTemplateReference


class Completions:
    """Completes arguments by asking the upstream."""

    def __init__(self, source: Source, prompts: Prompts) -> None:
        """Complete what `source` and `prompts` offer."""
        self._source, self._prompts = source, prompts

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """The upstream's values; none if there is no such prompt or template, or the upstream gives none."""
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
        """The server, and what is completed as the upstream calls it."""
        if isinstance(ref, types.PromptReference):
            offered = self._prompts.find(context, ref.name)
            return offered.offer.config.name, types.PromptReference(name=offered.prompt.name)
        found = located(ref.uri, permitted(self._source, context))
        if found is None or not self._source.permits(context, found[0], "template", found[1]):
            return None
        return found[0], types.ResourceTemplateReference(uri=found[1])


def _values(completion: types.Completion) -> types.CompleteResult:
    values = completion.values[:MOST]
    more = completion.has_more if len(values) == len(completion.values) else True
    return types.CompleteResult(completion=types.Completion(values=values, total=completion.total, has_more=more))
