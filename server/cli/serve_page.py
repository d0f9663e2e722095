"""`serve --web`: adds the page to the application that serves MCP."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware

from server.cli.serve_options import catalog_name
from server.http.addresses import OWN_PATHS
from server.http.app import HttpOptions, security_settings
from server.http.limits import LimitedPaths
from server.matching.label_service import LiveService
from server.telemetry.middleware import Observer
from server.toolset.toolset import Toolset
from server.web.access import Callers, OwnSite
from server.web.answering import Answering
from server.web.app import web_app
from server.web.refusals import API, SecurityHeaders, refusal


def with_limits(options: HttpOptions) -> HttpOptions:
    """Return the options of the application, whose limits hold for the page's requests, too."""
    return replace(options, limited=LimitedPaths(API, refusal))


def add_page(
    app: Starlette,
    live: LiveService[Any],
    toolset: Toolset,
    http: HttpOptions,
    options: argparse.Namespace,
    observers: Sequence[Observer],
) -> None:
    """Serve the page at all paths that the application does not have.

    Args:
        app: the application that serves MCP; its middleware knows the callers.
        live: holds the service that answers.
        toolset: what each caller may use over MCP, and so here.
        http: options of the application.
        options: of the command.
        observers: called after each request for an answer.
    """

    def permitted(identity: str | None) -> Sequence[str]:
        return toolset.view(identity, None).permitted

    scopes = (http.authorization.required_scopes if http.authorization else None) or ()
    page = web_app(
        live,
        Answering(name=catalog_name(options), upload=options.max_body),
        Callers(permitted, tokens=http.tokens is not None, scopes=scopes),
        quick=max(1, (os.cpu_count() or 1) // options.workers),
        upload=options.max_body,
        middleware=[Middleware(OwnSite, settings=security_settings(http))],
        observers=observers,
    )
    app.mount("", page)
    # Added last, it is outermost: what refuses a request before the page sees it has the headers, too.
    app.add_middleware(SecurityHeaders, spared=(options.path, *OWN_PATHS))
