"""The upstreams as each caller reaches them, and what each caller may use of them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from server.gateway.forwarding.caller import Context
from server.gateway.forwarding.source import Kind
from server.gateway.upstreams.pool import UpstreamPool
from server.gateway.upstreams.upstream import Upstream
from server.toolset.session import CallerSession
from server.toolset.source import SEPARATOR
from server.toolset.toolset import identity

ANONYMOUS: Final = "anonymous"
"""The caller without an identity; over HTTP all of them share their connections."""


class CallersUpstreams:
    """The upstreams of a pool for their callers; over HTTP each caller has connections of their own."""

    def __init__(self, pool: UpstreamPool, *, several_callers: bool) -> None:
        """Use a pool; `permit` says later what callers may use."""
        self._pool = pool
        self._several_callers = several_callers
        self._session: Callable[[Context], CallerSession] | None = None
        self._families: Callable[[], Mapping[str, str]] = dict

    def permit(self, session: Callable[[Context], CallerSession], families: Callable[[], Mapping[str, str]]) -> None:
        """Permit prompts and resources as tools are permitted.

        Args:
            session: what the caller of a request may use.
            families: the family of each upstream.
        """
        self._session, self._families = session, families

    def caller(self, context: Context) -> str | None:
        """Return the caller of a request; None where there is only one."""
        return (identity(context) or ANONYMOUS) if self._several_callers else None

    def offers(self) -> Mapping[str, Upstream]:
        """Return every upstream by name."""
        return self._pool.upstreams

    async def connection(self, context: Context, server: str) -> Upstream:
        """Return the upstream as the caller of a request reaches it.

        Raises:
            UpstreamError: there is no connection for the caller.
        """
        return await self._pool.of(server, self.caller(context))

    def permits_server(self, context: Context, server: str) -> bool:
        """Return whether the caller may use anything of a server."""
        family = self._families().get(server)
        if family is None or self._session is None:
            return False
        session = self._session(context)
        # A server may have prompts and resources alone, and skills that it does not list.
        upstream = self._pool.upstreams[server]
        names = ["", *self._own_names(upstream, "prompts"), *self._own_names(upstream, "resources")]
        return family in session.permitted or any(
            session.permits_name(family, family + SEPARATOR + name) for name in names
        )

    def listed(self, view: CallerSession, kind: str) -> list[tuple[str, str]]:
        """Return the prompts or the resources, with templates, that a caller may use: server and own name of each."""
        return [
            (server, name)
            for server, upstream in self._pool.upstreams.items()
            for name in self._own_names(upstream, kind)
            if view.permits_name(family := self._families()[server], family + SEPARATOR + name)
        ]

    def _own_names(self, upstream: Upstream, kind: str) -> Iterator[str]:
        if kind == "prompts":
            yield from (prompt.name for prompt in upstream.prompts)
        else:
            yield from (resource.uri for resource in upstream.resources)
            yield from (template.uri_template for template in upstream.resource_templates)
            yield from (skill.uri for skill in upstream.skills)

    def permits(self, context: Context, server: str, kind: Kind, name: str) -> bool:
        """Return whether a rule names the server, or something of it by this name."""
        del kind
        family = self._families().get(server)
        if family is None or self._session is None:
            return False
        return self._session(context).permits_name(family, family + SEPARATOR + name)
