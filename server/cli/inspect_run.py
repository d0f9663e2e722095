"""Serves the page of `inspect` on this machine, and opens it in a browser."""

import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware

from server.cli.inspect_shown import Shown
from server.http.headers import UnambiguousHeaders
from server.http.workers import bound, run_until_left
from server.matching.phrase_service import LiveService
from server.matching.reload import Reloader
from server.matching.reload_triggers import reloading
from server.web.access import Everyone
from server.web.answering import MOST_UPLOAD, Answering
from server.web.app import web_app
from server.web.own_site import OwnSite
from server.web.run_token import RunToken, new_token
from server.web.security_headers import SecurityHeaders

HOST: Final = "127.0.0.1"
NAMES: Final = (HOST, "localhost", "[::1]")
HTTP_PORT: Final = 80

SECONDS_BETWEEN_CHECKS: Final = 1
"""Time between two looks at the catalog's files."""

_OPEN: Final = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


def run_page(shown: Shown, *, port: int, opens: bool) -> None:
    """Serve until a signal ends the process; the address is printed as soon as it can be opened.

    Args:
        shown: what the page shows; if it has an origin, the files of that are watched.
        port: to listen on; 0 for any that is free.
        opens: whether to open a browser, where there can be one.

    Raises:
        OSError: the port cannot be listened on.
    """
    listening = bound(HOST, port)
    used, token = listening.getsockname()[1], new_token()
    app = application(shown, port=used, token=token)
    shown.service.matchers.start()
    address = f"http://{HOST}:{used}/{token}/"
    print(address, flush=True)
    if opens and can_open():
        threading.Thread(target=open_browser, args=(address,), name="browser", daemon=True).start()
    run_until_left(app, listening)


def application(shown: Shown, *, port: int, token: str) -> Starlette:
    """The application: the page, and answers for whoever has the token."""
    live: LiveService[Any] = LiveService(shown.service)
    hosts = [f"{host}:{port}" for host in NAMES] + ([*NAMES] if port == HTTP_PORT else [])
    return web_app(
        live,
        Answering(name=shown.name, inspects=True),
        Everyone(),
        upload=MOST_UPLOAD,
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(UnambiguousHeaders),
            Middleware(RunToken, token=token),
            Middleware(OwnSite, settings=TransportSecuritySettings(allowed_hosts=hosts)),
        ],
        lifespan=_watching(Reloader(live, shown.origin)) if shown.origin else None,
    )


def _watching(reloader: Reloader) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """A lifespan in which the catalog is reloaded when its files change."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with reloading(reloader, SECONDS_BETWEEN_CHECKS):
            yield

    return lifespan


def can_open() -> bool:
    """Whether somebody may be sitting at a screen of this machine."""
    if os.environ.get("CI"):
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def open_browser(address: str) -> None:
    """Open an address in the user's browser, in a process whose output is not this command's; stderr tells failures."""
    try:
        done = subprocess.run(  # noqa: S603 -- this Python
            [sys.executable, "-c", _OPEN, address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        failure = f"status {done.returncode}" if done.returncode else ""
    except OSError as error:
        failure = str(error)
    if failure:
        print(
            f"the page could not be opened in a browser ({failure}); open the printed address yourself", file=sys.stderr
        )
