"""Handlers of `skills/list` and `skills/get`: the skills of local folders and of upstreams."""

from collections.abc import Iterator
from functools import partial

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from server.errors import CallerError, brief
from server.gateway.forwarding.addresses import address
from server.gateway.forwarding.caller import Caller, Context
from server.gateway.forwarding.pages import Key, page, usable
from server.gateway.forwarding.resources import permitted_place
from server.gateway.forwarding.source import Source, failed_request, permitted
from server.gateway.skills.folders import SkillFolders
from server.gateway.skills.skill import GetSkillParams, GetSkillResult, ListSkillsResult, Skill, SkillEntry, read_skill


class SkillRequests:
    """Lists and gets the skills that a caller may use."""

    def __init__(self, folders: SkillFolders, source: Source) -> None:
        """Offer the skills of `folders`, which every caller may use, and of the upstreams of `source`."""
        self._folders, self._source = folders, source

    async def list_skills(self, context: Context, params: types.PaginatedRequestParams) -> ListSkillsResult:
        """Return a page of the skills.

        Raises:
            MCPError: the cursor is unknown, or the protocol is older than the extension.
        """
        _check_version(context, "skills/list")
        shown, following = page(self._skills(context), params)
        return ListSkillsResult(skills=[SkillEntry(skill.model_dump()) for skill in shown], next_cursor=following)

    def _skills(self, context: Context) -> Iterator[tuple[Key, Skill]]:
        for uri, local in self._folders.skills().items():
            yield ("", uri), local.skill
        for server, upstream in permitted(self._source, context).items():
            for skill in upstream.skills:
                if usable(skill.uri) and self._source.permits(context, server, "resource", skill.uri):
                    yield (server, skill.uri), skill.at(partial(address, server))

    async def get_skill(self, context: Context, params: GetSkillParams) -> GetSkillResult:
        """Return one skill, whether listed or not: the upstream decides what it serves.

        Raises:
            MCPError: no skill of this caller has the address, or the protocol is older than the extension.
        """
        _check_version(context, "skills/get")
        try:
            return GetSkillResult(skill=(await self._skill(context, params.uri)).model_dump())
        except Exception as error:
            raise failed_request("skills/get", error, {"uri": params.uri}) from error

    async def _skill(self, context: Context, uri: str) -> Skill:
        local = self._folders.skills().get(uri)
        if local:
            return local.skill
        upstreams = permitted(self._source, context)
        found = permitted_place(self._source, context, uri, upstreams)
        if found is None:
            raise CallerError(f"no skill is served at {brief(uri)}; skills/list has those that are; take one of these")
        server, own = found
        connection = await self._source.connection(context, server)
        told = await connection.get_skill(own, Caller(context, upstreams[server].config).forwarding())
        try:
            return read_skill(told.skill).at(partial(address, server))
        except ValueError as error:
            raise CallerError(
                f"server {brief(server)} tells of {brief(own)} what is not as the extension has it ({error}); it is "
                "not offered; tell those who make it"
            ) from error


def _check_version(context: Context, method: str) -> None:
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found", data=method)
