"""Serves the page of `inspect` on this machine, and opens it in a browser."""

import argparse
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware

from embeddings.labels.phrase_book import PhraseBook
from embeddings.labels.tool_list import tool_parts
from embeddings.ranking.decision import Costs
from server.cli.options import chosen_costs, chosen_loader
from server.cli.preflight_input import listed_tools
from server.cli.serve_options import catalog_name, chosen_origin
from server.http.limits import UnambiguousHeaders
from server.http.workers import bound, run_until_left
from server.matching.encoders import EncoderLoader, SharedEncoder
from server.matching.label_service import LONGEST_PHRASE, LabelService, LiveService
from server.matching.matcher_provider import MatcherProvider
from server.matching.reload import Origin, Reloader, reloading
from server.web.access import Everyone, OwnSite, RunToken, new_token
from server.web.answering import MAX_UPLOAD, Answering
from server.web.app import web_app
from server.web.refusals import SecurityHeaders


@dataclass(frozen=True)
class Shown:
    """The service that the page shows.

    Attributes:
        service: answers the page.
        origin: where it comes from, if its files are watched.
        name: what the page calls a catalog of labels.
    """

    service: LabelService
    origin: Origin | None
    name: str | None


def chosen(options: argparse.Namespace) -> Shown:
    """Open what the options choose; its matcher is not loaded yet.

    Raises:
        CallerError: there is no such folder or model, or no server answers.
        CatalogError: the data folder cannot be used.
        PhraseBookError: the catalog file cannot be used.
    """
    loader = SharedEncoder(chosen_loader(options))
    if options.config:
        return _servers(options.config, loader, chosen_costs(options))
    origin = chosen_origin(options)
    return Shown(origin.open(loader, LONGEST_PHRASE), origin, catalog_name(options))


def _servers(files: Sequence[Path], loader: EncoderLoader, costs: Costs) -> Shown:
    source, lists = listed_tools(files)
    parts = tool_parts(lists, source.name)
    book = PhraseBook(parts.labels, parts.out_of_scope, parts.out_of_scope_share, parts.reports)
    return Shown(LabelService(MatcherProvider(book, [], loader, costs), loader, LONGEST_PHRASE), None, source.name)


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
    """Return the application: the page, and answers for whoever has the token."""
    live: LiveService[Any] = LiveService(shown.service)
    hosts = [f"{host}:{port}" for host in NAMES] + ([*NAMES] if port == HTTP_PORT else [])
    return web_app(
        live,
        Answering(name=shown.name, inspects=True),
        Everyone(),
        upload=MAX_UPLOAD,
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(UnambiguousHeaders),
            Middleware(RunToken, token=token),
            Middleware(OwnSite, settings=TransportSecuritySettings(allowed_hosts=hosts)),
        ],
        lifespan=_watching(Reloader(live, shown.origin)) if shown.origin else None,
    )


def _watching(reloader: Reloader) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """Yield a lifespan in which the catalog is reloaded when its files change."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with reloading(reloader, SECONDS_BETWEEN_CHECKS):
            yield

    return lifespan


def can_open() -> bool:
    """Return whether somebody may be sitting at a screen of this machine."""
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
