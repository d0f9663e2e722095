"""Handlers of MCP requests that list and read upstreams' resources."""

from collections.abc import Mapping
from itertools import chain

import mcp_types as types

from server.errors import CallerError, brief
from server.gateway.forwarding import pages
from server.gateway.forwarding.addresses import LEAD, Links, located
from server.gateway.forwarding.caller import Context
from server.gateway.forwarding.held_calls import HeldCalls
from server.gateway.forwarding.pages import page
from server.gateway.forwarding.source import LARGEST, Offer, Source, failed_request, permitted
from server.gateway.skills.folders import SkillFolders
from server.gateway.upstreams.forwarding import Forwarding


class Resources:
    """Lists and reads the resources of the upstreams that a caller may use."""

    def __init__(self, source: Source, held: HeldCalls, folders: SkillFolders) -> None:
        """Offer the resources of `source`, and the skills of `folders`; reading may ask the user, see `held`."""
        self._source, self._held, self._folders = source, held, folders

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Return a page of the resources, under the gateway's addresses.

        Raises:
            MCPError: the cursor is unknown.
        """
        local = [(("", listed.uri), ("", listed)) for listed in self._folders.resources()]
        found = (
            ((server, listed.uri), (server, listed))
            for server, upstream in permitted(self._source, context).items()
            for listed in upstream.resources
            if pages.usable(listed.uri) and self._source.permits(context, server, "resource", listed.uri)
        )
        shown, following = page(chain(local, found), params)
        resources = [pages.resource(server, listed) if server else listed for server, listed in shown]
        return types.ListResourcesResult(resources=resources, next_cursor=following)

    async def list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Return a page of the templates; what one expands to is an address that can be read.

        Raises:
            MCPError: the cursor is unknown.
        """
        found = (
            ((server, listed.uri_template), (server, listed))
            for server, upstream in permitted(self._source, context).items()
            for listed in upstream.resource_templates
            if pages.usable(listed.uri_template)
            and self._source.permits(context, server, "template", listed.uri_template)
        )
        shown, following = page(found, params)
        templates = [pages.template(server, listed) for server, listed in shown]
        return types.ListResourceTemplatesResult(resource_templates=templates, next_cursor=following)

    async def read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        """Read the contents at a gateway's address, whether listed or not: the upstream decides what it reads.

        Raises:
            MCPError: there is no such address for this caller, or the upstream does not answer.
        """
        try:
            return await self._read(context, params.uri)
        except Exception as error:
            raise failed_request("resources/read", error, {"uri": params.uri}) from error

    async def _read(self, context: Context, uri: str) -> types.ReadResourceResult | types.InputRequiredResult:
        local = self._folders.read(uri)
        if local:
            return types.ReadResourceResult(contents=[local])
        upstreams = permitted(self._source, context)
        found = permitted_place(self._source, context, uri, upstreams)
        if found is None:
            raise _unknown(uri, upstreams)
        server, own = found

        async def start(forward: Forwarding) -> types.ReadResourceResult:
            return await (await self._source.connection(context, server)).read_resource(own, forward)

        result = await self._held.call(context, upstreams[server].config, f"resource {own}", {}, start)
        if not isinstance(result, types.ReadResourceResult):
            asked: types.InputRequiredResult = result
            return asked
        _check_size(uri, result)
        return Links(server, ()).in_contents(result)


def permitted_place(
    source: Source, context: Context, uri: str, upstreams: Mapping[str, Offer]
) -> tuple[str, str] | None:
    """Return the server of an address, and its own address there; None if this caller may not use it.

    Args:
        source: says what the caller may use.
        context: the caller's request.
        uri: a gateway's address.
        upstreams: those that the caller may use.
    """
    found = located(uri, upstreams)
    return found if found and source.permits(context, found[0], "resource", found[1]) else None


def _unknown(uri: str, upstreams: Mapping[str, Offer]) -> CallerError:
    return CallerError(
        f"unknown resource {brief(uri)}; an address is {LEAD}SERVER/ and the server's own address, with one of the "
        f"servers: {', '.join(upstreams) or 'none'}; list the resources and the templates, and read one of these"
    )


def _check_size(uri: str, result: types.ReadResourceResult) -> None:
    size = sum(
        len(part.text.encode("utf-8", "surrogatepass") if isinstance(part, types.TextResourceContents) else part.blob)
        for part in result.contents
    )
    if size > LARGEST:
        raise CallerError(
            f"resource {brief(uri)} has {size:,} bytes; the gateway passes at most {LARGEST:,}; read a part of it "
            "through a tool of its server"
        )
