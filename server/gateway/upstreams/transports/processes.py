"""Processes of upstreams: started in groups of their own, and ended with all their children."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from typing import Any, Final, cast

import anyio
from anyio.abc import Process
from mcp.client.stdio import get_default_environment
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.os.win32.utilities import (
    ServerProcess,
    close_process_job,
    create_windows_process,
    get_windows_executable_command,
    terminate_windows_process_tree,
)

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.stopping import before_leaving

_TO_END: Final = 2.0
_TO_TERMINATE: Final = 1.5
_TO_KILL: Final = 1.0
"""Seconds after its input closes, after SIGTERM, and after SIGKILL."""

_INHERITED: Final = frozenset(
    {
        "ALL_PROXY",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "NODE_EXTRA_CA_CERTS",
        "NO_PROXY",
        "REQUESTS_CA_BUNDLE",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "TMPDIR",
        "TZ",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
    }
)
"""Variables that servers get beside the SDK's safe ones: without them they often cannot be installed or started."""

_running: Final[set[int]] = set()


async def start(config: UpstreamConfig) -> ServerProcess:
    """Start an upstream's process.

    Raises:
        OSError: it cannot be started.
        ValueError: a part of the command holds a null character.
    """
    _end_with_us()
    command = config.command or ""
    if sys.platform == "win32":  # pragma: no cover
        command = await anyio.to_thread.run_sync(get_windows_executable_command, command)
        return await create_windows_process(
            command, list(config.args), _environment(config), cast("Any", subprocess.PIPE), config.cwd
        )
    process = await anyio.open_process(
        [command, *config.args],
        stderr=subprocess.PIPE,
        env=_environment(config),
        cwd=config.cwd,
        start_new_session=True,
    )
    _running.add(process.pid)
    return process


async def stop(process: ServerProcess) -> None:
    """End a process and its children within five seconds: close its input, wait, terminate, kill."""
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        if process.stdin:
            await process.stdin.aclose()
    await _ended(process, _TO_END)
    if sys.platform == "win32":  # pragma: no cover
        await terminate_windows_process_tree(process)
        close_process_job(process)
    else:
        # Also after it has ended by itself: its children may live on.
        await terminate_posix_process_tree(cast("Process", process), _TO_TERMINATE)
    await _ended(process, _TO_KILL)
    _running.discard(process.pid)
    for stream in (process.stdout, getattr(process, "stderr", None)):
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            if stream:
                await stream.aclose()
    _close_transport(process)


def end_processes() -> None:
    """End all running upstreams without an event loop, before this process ends at once."""
    for signal_name in ("SIGTERM", "SIGKILL"):
        for pid in list(_running):
            with suppress(OSError, AttributeError):
                os.killpg(pid, getattr(signal, signal_name))
        until = time.monotonic() + _TO_TERMINATE
        while any(_group_lives(pid) for pid in _running) and time.monotonic() < until:
            time.sleep(0.02)


def _group_lives(pid: int) -> bool:
    with suppress(OSError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.killpg(pid, 0)
    except (OSError, AttributeError):
        return False
    return True


@cache
def _end_with_us() -> None:
    before_leaving(end_processes)


def _environment(config: UpstreamConfig) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name.upper() in _INHERITED}
    return get_default_environment() | inherited | dict(config.env)


async def _ended(process: ServerProcess, seconds: float) -> None:
    """Wait for the process's end; `wait` of asyncio would also wait for children that hold its output open."""
    with anyio.move_on_after(seconds):
        while process.returncode is None:
            await anyio.sleep(0.01)


def _close_transport(process: ServerProcess) -> None:
    """Close asyncio's transport, which a child that holds a pipe open would keep, and which warns when collected."""
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if callable(close := getattr(transport, "close", None)):
        with suppress(PermissionError):
            close()
