"""All upstreams of a gateway, and the connections that single callers have of their own."""

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

import anyio
import anyio.abc

from server.errors import brief
from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams.states import DEFAULT_LIMITS, Limits, UpstreamError
from server.gateway.upstreams.upstream import Upstream

logger = logging.getLogger(__name__)


@dataclass
class _Own:
    """A caller's own connection to an upstream."""

    upstream: Upstream
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class UpstreamPool:
    """The upstreams by name. Each fails for itself, and all end with the pool.

    Args:
        configs: of the upstreams.
        shared: names of those whose one connection all callers share.
        limits: of times and sizes.
        on_change: called with an upstream when its state or a list has changed.
    """

    def __init__(
        self,
        configs: Iterable[UpstreamConfig],
        *,
        shared: Collection[str] = (),
        limits: Limits = DEFAULT_LIMITS,
        on_change: Callable[[Upstream], None] | None = None,
    ):
        self.upstreams = {
            config.name: Upstream(config, limits, several_callers=config.name in shared) for config in configs
        }
        for upstream in self.upstreams.values():
            upstream.on_change = on_change or upstream.on_change
        self._shared, self._limits = frozenset(shared), limits
        self._own: dict[tuple[str, str], _Own] = {}
        self._tasks: anyio.abc.TaskGroup | None = None

    async def run(self) -> None:
        """Run all upstreams until cancelled; their processes end then, at once and within about five seconds."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            for upstream in self.upstreams.values():
                tasks.start_soon(self._run, upstream)
            tasks.start_soon(self._close_idle)

    async def of(self, name: str, caller: str | None = None) -> Upstream:
        """Return the upstream to send a caller's requests to.

        Args:
            name: a key of `upstreams`.
            caller: who calls; None where there is only one caller.

        Raises:
            UpstreamError: the caller needs a connection of its own, and there are too many.
        """
        if caller is None or name in self._shared:
            return self.upstreams[name]
        own = self._own.get((name, caller)) or self._open(name, caller)
        own.upstream.last_used = anyio.current_time()
        await own.upstream.settled()
        return own.upstream

    def forget(self, caller: str) -> None:
        """Close the connections of a caller who has left."""
        for key in [key for key in self._own if key[1] == caller]:
            self._own.pop(key).scope.cancel()

    def _open(self, name: str, caller: str) -> _Own:
        if self._tasks is None:
            raise RuntimeError("the pool must run before it opens connections")
        if len(self._own) >= self._limits.connections:
            idle = [key for key, own in self._own.items() if not own.upstream.busy]
            if not idle:
                raise UpstreamError(name, "down", f"all {len(self._own)} connections of callers are in use")
            self._own.pop(min(idle, key=lambda key: self._own[key].upstream.last_used)).scope.cancel()
        own = _Own(Upstream(self.upstreams[name].config, self._limits, listed=False))
        self._own[name, caller] = own
        self._tasks.start_soon(self._run, own.upstream, own.scope)
        return own

    async def _run(self, upstream: Upstream, scope: anyio.CancelScope | None = None) -> None:
        with scope or anyio.CancelScope():
            while True:
                try:
                    await upstream.run()
                except Exception:
                    # A defect of ours; the other upstreams go on.
                    logger.exception("server %s: its connection failed", brief(upstream.config.name))
                    await anyio.sleep(self._limits.longest_pause)

    async def _close_idle(self) -> None:
        while True:
            await anyio.sleep(min(self._limits.idle / 4, 30.0))
            before = anyio.current_time() - self._limits.idle
            for key, own in list(self._own.items()):
                if not own.upstream.busy and own.upstream.last_used < before:
                    self._own.pop(key).scope.cancel()
