"""Addresses of upstreams' resources: `gateway://SERVER/` and the address that the upstream gave.

The resource `file:///x` of the server `files` has the address `gateway://files/file:///x`. Only the server's name is
percent-encoded. The upstream's own address follows unchanged, so its template stays a template: it expands to the
addresses that the upstream's own template expands to.

Links in results are rewritten in the same way, so that `resources/read` takes them. Links to the web stay as they are
unless the upstream lists them, since the protocol uses web addresses for what a caller can load by itself; `data:`
addresses stay, too, since they hold their content.
"""

from collections.abc import Collection, Iterable
from typing import Final
from urllib.parse import quote, unquote

import mcp_types as types

LEAD: Final = "gateway://"


def address(server: str, uri: str) -> str:
    """Return the gateway's address, or template, of an upstream's."""
    return f"{LEAD}{quote(server, safe='')}/{uri}"


def located(address: str, servers: Iterable[str]) -> tuple[str, str] | None:
    """Return the server and its own address; None if the address is not of this form, or the server is unknown.

    Programs may write the part with the server's name in lower case; then it is found if no other differs only by that.
    """
    if address[: len(LEAD)].lower() != LEAD:
        return None
    encoded, _, uri = address[len(LEAD) :].partition("/")
    wanted, known = unquote(encoded), list(servers)
    alike = [wanted] if wanted in known else [name for name in known if name.casefold() == wanted.casefold()]
    return (alike[0], uri) if uri and len(alike) == 1 else None


_LOADED_DIRECTLY: Final = ("http://", "https://", "data:")


class Links:
    """Rewrites the addresses in answers of one upstream."""

    def __init__(self, server: str, listed: Collection[str]) -> None:
        """Rewrite for `server`, which lists the addresses `listed`."""
        self._server, self._listed = server, listed

    def in_tool_result(self, result: types.CallToolResult) -> types.CallToolResult:
        """Return the result with its links and embedded resources rewritten, and all else as it was."""
        content = [self._block(block) for block in result.content]
        return result if content == result.content else result.model_copy(update={"content": content})

    def in_prompt(self, result: types.GetPromptResult) -> types.GetPromptResult:
        """Return the same for a prompt's messages."""
        messages = [message.model_copy(update={"content": self._block(message.content)}) for message in result.messages]
        return result.model_copy(update={"messages": messages})

    def in_contents(self, result: types.ReadResourceResult) -> types.ReadResourceResult:
        """Return the contents of a resource, each with the gateway's address: it was read through the gateway."""
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
