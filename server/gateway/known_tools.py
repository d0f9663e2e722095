"""The tools that upstreams have, or had when they were last connected."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import mcp_types as types

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.tool_catalog.kept.cached_lists import CachedLists, redacted_tool
from server.gateway.upstreams.upstream import Upstream


class KnownTools:
    """The tools of each upstream without the configuration's secrets, of which a server may repeat some."""

    def __init__(self, upstreams: Mapping[str, Upstream], lists: CachedLists) -> None:
        """Start with the tools that were kept.

        Args:
            upstreams: by name.
            lists: remembers tools for the next start.
        """
        self._upstreams, self._lists = upstreams, lists
        self._given: dict[str, tuple[types.Tool, ...]] = {}
        self._known = {name: lists.find(upstream.config) for name, upstream in upstreams.items()}

    def take(self) -> dict[str, list[types.Tool]]:
        """The tools that the configuration does not leave out, now, by server; none of a server that is not known."""
        for name, upstream in self._upstreams.items():
            given = upstream.tools
            if upstream.state.kind == "ready" and self._given.get(name) != given:
                self._take(name, upstream.config, given)
        return {name: chosen(self._upstreams[name].config, tools or ()) for name, tools in self._known.items()}

    def is_known(self, name: str) -> bool:
        """Whether the tools of a server are known, also from an earlier start."""
        return self._known[name] is not None

    def is_told(self, name: str) -> bool:
        """Whether a server itself has told its tools since the start."""
        return name in self._given

    def _take(self, name: str, config: UpstreamConfig, given: tuple[types.Tool, ...]) -> None:
        self._given[name] = given
        plain = tuple(redacted_tool(tool, config.secrets) for tool in given)
        if plain != self._known[name]:
            self._known[name] = plain
            self._lists.keep(config, given)


def chosen(config: UpstreamConfig, tools: Sequence[types.Tool]) -> list[types.Tool]:
    """The tools that the configuration does not leave out."""
    return [
        tool
        for tool in tools
        if (not config.include or any(fnmatchcase(tool.name, pattern) for pattern in config.include))
        and not any(fnmatchcase(tool.name, pattern) for pattern in config.exclude)
    ]
