"""Addresses inside an upstream's answers, rewritten so that the caller can read them through the gateway.

A link to `file:///x` of the server `files` becomes `gateway://files/file:///x`, which `resources/read` takes. Links to
the web stay as they are unless the upstream lists them, since the protocol uses web addresses for what a caller can
load by itself; so do `data:` addresses, which hold what they link to.
"""

from collections.abc import Collection
from typing import Final

import mcp_types as types

from server.gateway.forwarding.addresses import address

_LOADED_DIRECTLY: Final = ("http://", "https://", "data:")


class Links:
    """Rewrites the addresses in answers of one upstream."""

    def __init__(self, server: str, listed: Collection[str]) -> None:
        """Rewrite for `server`, which lists the addresses `listed`."""
        self._server, self._listed = server, listed

    def in_tool_result(self, result: types.CallToolResult) -> types.CallToolResult:
        """The result with its links and embedded resources rewritten, and all else as it was."""
        content = [self._block(block) for block in result.content]
        return result if content == result.content else result.model_copy(update={"content": content})

    def in_prompt(self, result: types.GetPromptResult) -> types.GetPromptResult:
        """The same for a prompt's messages."""
        messages = [message.model_copy(update={"content": self._block(message.content)}) for message in result.messages]
        return result.model_copy(update={"messages": messages})

    def in_contents(self, result: types.ReadResourceResult) -> types.ReadResourceResult:
        """The contents of a resource, each with the gateway's address: it was read through the gateway."""
        contents = [part.model_copy(update={"uri": address(self._server, part.uri)}) for part in result.contents]
        return result.model_copy(update={"contents": contents})

    def _block(self, block: types.ContentBlock) -> types.ContentBlock:
        if isinstance(block, types.ResourceLink):
            return block.model_copy(update={"uri": self._rewritten(block.uri)})
        if isinstance(block, types.EmbeddedResource):
            resource = block.resource.model_copy(update={"uri": self._rewritten(block.resource.uri)})
            return block.model_copy(update={"resource": resource})
        return block

    def _rewritten(self, uri: str) -> str:
        direct = uri.lower().startswith(_LOADED_DIRECTLY) and uri not in self._listed
        return uri if direct else address(self._server, uri)
