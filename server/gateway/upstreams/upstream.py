"""One upstream: connecting to it, its life, its lists, and the requests to it."""

import logging
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal

import anyio
import mcp_types as types

from embeddings.text.invisible import escaped
from server.errors import brief
from server.files import Stamp
from server.gateway.configuration.upstream_config import UpstreamConfig, redacted
from server.gateway.skills.skill import GetSkillResult, Skill
from server.gateway.upstreams.connection import Connection, connect
from server.gateway.upstreams.forwarding import NOTHING_FORWARDED, Forwarding
from server.gateway.upstreams.http import HttpTransport
from server.gateway.upstreams.lists import follow, read_lists
from server.gateway.upstreams.noise import quiet_sdk
from server.gateway.upstreams.requests import Requests
from server.gateway.upstreams.sign_in import login_stamp, stored_login
from server.gateway.upstreams.states import (
    DEFAULT_LIMITS,
    KINDS,
    Failure,
    Limits,
    ListKind,
    Lists,
    StateKind,
    UpstreamError,
    UpstreamInfo,
    UpstreamState,
    advised,
    now,
    reason,
)
from server.gateway.upstreams.stdio import StdioTransport


class Attempt:
    """Connects once; a server that refuses streamable HTTP is tried over legacy SSE.

    Args:
        config: how to reach the upstream.
        limits: of times and sizes.
        listed: whether all lists are read and followed; otherwise only what calls need is read.
        legacy: start with the legacy handshake.
        several_callers: whether several callers share the connection.

    Attributes:
        was_ready: whether it connected; `was_ready_for` how many seconds it then lasted.
    """

    def __init__(
        self, config: UpstreamConfig, limits: Limits, *, listed: bool, legacy: bool, several_callers: bool
    ) -> None:
        self.was_ready, self.was_ready_for = False, 0.0
        self._config, self._limits, self._listed, self._several_callers = config, limits, listed, several_callers
        self._seconds = limits.start if config.startup_timeout is None else config.startup_timeout
        self._mode: Literal["legacy", "auto"] = "legacy" if legacy else "auto"

    async def live(self, owner: "Upstream") -> Failure:
        """Connect, and stay connected for as long as possible.

        Args:
            owner: is told what becomes of the connection.

        Returns:
            Why it ended.
        """
        if self._config.transport == "stdio":
            return await self._over(StdioTransport(self._config, self._limits.message), owner)
        first = self._http(sse=self._config.transport == "sse")
        failure = await self._over(first, owner)
        if self.was_ready or not first.refused or self._config.transport == "sse":
            return failure
        return await self._over(self._http(sse=True), owner, otherwise=failure)

    def _http(self, *, sse: bool) -> HttpTransport:
        return HttpTransport(self._config, self._limits.message, stored_login(self._config), sse=sse)

    async def _over(
        self,
        transport: StdioTransport | HttpTransport,
        owner: "Upstream",
        otherwise: Failure | None = None,
    ) -> Failure:
        began = math.inf
        failure: Failure = ("down", f"it did not start within {self._seconds:g} seconds")
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + self._seconds) as scope:
                async with connect(transport, self._mode, several_callers=self._several_callers) as connection:
                    wanted = self._wanted(connection)
                    lists = await read_lists(connection.client, self._config.name, self._limits, wanted)
                    scope.deadline = math.inf
                    self.was_ready, began = True, anyio.current_time()
                    owner.use(connection, lists)
                    await self._until_the_end(transport, connection, owner)
                    failure = connection.lost()
        except Exception as error:
            kind, why = reason(error)
            failure = kind, transport.why or why
        if began < math.inf:
            self.was_ready_for = anyio.current_time() - began
            otherwise = None
        return otherwise or advised(self._config, failure)

    def _wanted(self, connection: Connection) -> tuple[ListKind, ...]:
        """Return the lists to read. The headers of calls over HTTP are made from the tools' schemas."""
        if self._listed:
            return KINDS
        return ("tools",) if connection.modern and self._config.transport != "stdio" else ()

    async def _until_the_end(
        self, transport: StdioTransport | HttpTransport, connection: Connection, owner: "Upstream"
    ) -> None:
        async def watch(failing: HttpTransport) -> None:
            await failing.failed.wait()
            connection.fail("unauthorized" if failing.unauthorized else "down", failing.why)

        async with anyio.create_task_group() as tasks:
            if isinstance(transport, HttpTransport):
                tasks.start_soon(watch, transport)
            name, wanted = self._config.name, self._wanted(connection)
            tasks.start_soon(follow, connection, name, self._limits, owner.update, wanted)
            await connection.ended.wait()
            # At once, because to end a process may take seconds.
            owner.lose(connection)
            tasks.cancel_scope.cancel()


_NAMED: Final = 5
"""Entries that a message names."""


def left_out_text(server: str, names: Sequence[str]) -> str:
    """Say which entries of a server's lists are malformed, in three parts."""
    named = ", ".join(map(brief, names[:_NAMED])) + (", ..." if len(names) > _NAMED else "")
    return (
        f"server {brief(server)} lists {len(names)} entries that are not as the protocol has them ({named}); they are "
        "left out; tell those who make it"
    )


_SHOWN: Final = 500
"""Maximum characters of the reason in a state."""

logger = logging.getLogger(__name__)


def _nothing(upstream: "Upstream") -> None:
    """Do nothing on a change."""


class Upstream:
    """An MCP server behind the gateway.

    Attributes:
        config: how to reach it.
        state: whether it can be called.
        info: how it describes itself.
        left_out: names of what it listed at its last start and is malformed.
        tools: its tools, also while it is down; likewise `prompts`, `resources`, `resource_templates`
            and `skills`.
        on_change: called when the state or a list has changed; replace it.
        busy: requests under way.
        last_used: when the last request began or ended, by the event loop's clock.
    """

    def __init__(
        self,
        config: UpstreamConfig,
        limits: Limits = DEFAULT_LIMITS,
        *,
        listed: bool = True,
        several_callers: bool = False,
    ):
        self.config = config
        self.state = UpstreamState("connecting", now())
        self.info = UpstreamInfo()
        self.left_out: tuple[str, ...] = ()
        self.tools: tuple[types.Tool, ...] = ()
        self.prompts: tuple[types.Prompt, ...] = ()
        self.resources: tuple[types.Resource, ...] = ()
        self.resource_templates: tuple[types.ResourceTemplate, ...] = ()
        self.skills: tuple[Skill, ...] = ()
        self.on_change: Callable[[Upstream], None] = _nothing
        self.busy, self.last_used = 0, 0.0
        self._limits, self._listed, self._several_callers = limits, listed, several_callers
        self._requests = Requests(config, limits)
        self._connection: Connection | None = None
        self._settled = anyio.Event()
        self._mode_legacy = False

    async def run(self) -> None:
        """Connect, keep connected and follow changes until cancelled."""
        quiet_sdk(self.config.secrets)
        pause = self._limits.first_pause
        try:
            while True:
                login = login_stamp(self.config)
                attempt = Attempt(
                    self.config,
                    self._limits,
                    listed=self._listed,
                    legacy=self._mode_legacy,
                    several_callers=self._several_callers,
                )
                kind, why = await attempt.live(self)
                self._connection = None
                if attempt.was_ready_for >= self._limits.healthy:
                    pause = self._limits.first_pause
                elif not attempt.was_ready and self.config.transport == "stdio":
                    # There are legacy servers that end when they are asked for newer protocols.
                    self._mode_legacy = not self._mode_legacy
                self._enter(kind, why)
                await self._wait(kind, pause, login)
                pause = min(2 * pause, self._limits.longest_pause)
        finally:
            self._connection = None
            self.state = UpstreamState("down", now(), "the gateway has closed the connection")

    async def settled(self) -> None:
        """Wait until the first attempt to connect has succeeded or failed."""
        await self._settled.wait()

    async def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, forward: Forwarding = NOTHING_FORWARDED
    ) -> types.CallToolResult:
        """Call a tool; the result passes whole.

        Raises:
            UpstreamError: there is no answer.
        """
        with self._in_use() as connection:
            return await self._requests.call(connection, name, arguments, forward)

    async def read_resource(self, uri: str, forward: Forwarding = NOTHING_FORWARDED) -> types.ReadResourceResult:
        """Read a resource.

        Raises:
            UpstreamError: there is no answer.
        """
        with self._in_use() as connection:
            return await self._requests.read_resource(connection, uri, forward)

    async def get_skill(self, uri: str, forward: Forwarding = NOTHING_FORWARDED) -> GetSkillResult:
        """Get the entry of a skill.

        Raises:
            UpstreamError: there is no answer.
        """
        with self._in_use() as connection:
            return await self._requests.get_skill(connection, uri, forward)

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str] | None = None, forward: Forwarding = NOTHING_FORWARDED
    ) -> types.GetPromptResult:
        """Get a prompt.

        Raises:
            UpstreamError: there is no answer.
        """
        with self._in_use() as connection:
            return await self._requests.get_prompt(connection, name, arguments, forward)

    async def complete(
        self, params: types.CompleteRequestParams, forward: Forwarding = NOTHING_FORWARDED
    ) -> types.CompleteResult:
        """Complete an argument of a prompt or of a resource template.

        Raises:
            UpstreamError: there is no answer.
        """
        with self._in_use() as connection:
            return await self._requests.complete(connection, params, forward)

    @contextmanager
    def _in_use(self) -> Iterator[Connection]:
        connection = self._connection
        if connection is not None and connection.ended.is_set():
            self.lose(connection)
            connection = None
        if connection is None:
            kind = "down" if self.state.kind == "ready" else self.state.kind
            raise UpstreamError(self.config.name, kind, self.state.why, self.state.since)
        self.busy, self.last_used = self.busy + 1, anyio.current_time()
        try:
            yield connection
        finally:
            self.busy, self.last_used = self.busy - 1, anyio.current_time()
            if connection.ended.is_set():
                self.lose(connection)

    def use(self, connection: Connection, lists: Lists) -> None:
        """Take up a connection that is ready; for `Attempt`, as are `update` and `lose`."""
        self._connection = connection
        client = connection.client
        known = client.server_info
        self.info = UpstreamInfo(
            known.name if known else "",
            known.version if known else "",
            client.instructions or "",
            client.protocol_version,
        )
        self.left_out = tuple(connection.left_out)
        if self.left_out:
            logger.warning("%s", left_out_text(self.config.name, self.left_out))
        self._take(lists)
        self._enter("ready", "")

    def update(self, lists: Lists) -> None:
        """Take up lists that changed."""
        self._take(lists)
        self._tell()

    def lose(self, connection: Connection) -> None:
        """Give up a connection that has ended."""
        if self._connection is connection:
            self._connection = None
            self._enter(*advised(self.config, connection.lost()))

    def _take(self, lists: Lists) -> None:
        self.tools = lists.get("tools", self.tools)
        self.prompts = lists.get("prompts", self.prompts)
        self.resources = lists.get("resources", self.resources)
        self.resource_templates = lists.get("resource_templates", self.resource_templates)
        self.skills = lists.get("skills", self.skills)

    def _enter(self, kind: StateKind, why: str) -> None:
        shown = escaped(redacted(why, self.config.secrets))[:_SHOWN]
        if kind != "ready" and (kind, shown) != (self.state.kind, self.state.why):
            logger.warning("server %s is %s: %s", brief(self.config.name), kind, shown)
        since = self.state.since if kind == self.state.kind else now()
        self.state = UpstreamState(kind, since, shown)
        self._settled.set()
        self._tell()

    def _tell(self) -> None:
        try:
            self.on_change(self)
        except Exception:
            # The upstream lives on, whatever becomes of what is told.
            logger.exception("what server %s tells could not be taken up", brief(self.config.name))

    async def _wait(self, kind: StateKind, pause: float, login: Stamp | None) -> None:
        """Wait before the next attempt; where the server wants a sign-in, for one, or for long."""
        refused = kind == "unauthorized"
        seconds = self._limits.unauthorized_pause if refused else pause * random.uniform(0.5, 1.0)  # noqa: S311
        with anyio.move_on_after(seconds):
            while login_stamp(self.config) == login:
                await anyio.sleep(self._limits.look if refused else seconds)
