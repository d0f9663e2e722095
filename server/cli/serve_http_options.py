"""Turns the options of `serve` into those of the HTTP application."""

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mcp.server.auth.provider import TokenVerifier
from starlette.routing import Route

from server.errors import CallerError
from server.http.app import HttpOptions
from server.http.oauth import OAuthOptions, OAuthTokens
from server.http.requests import HttpObserver
from server.http.tokens import TokenFile
from server.reloads import Reloads
from server.telemetry.middleware import Observer, RequestLog

if TYPE_CHECKING:
    from server.telemetry.metrics import Metrics


@dataclass(frozen=True)
class Observers:
    """Functions that log and count requests.

    Attributes:
        requests: called after each MCP request.
        responses: called after each HTTP request.
        routes: endpoints that show what was counted.
        reloads: told of each reload.
    """

    requests: tuple[Observer, ...] = ()
    responses: tuple[HttpObserver, ...] = ()
    routes: tuple[Route, ...] = ()
    reloads: Reloads = field(default_factory=Reloads)


def observers(options: argparse.Namespace) -> Observers:
    """Return the request log, and metrics if the options ask for them.

    Raises:
        CallerError: the package for metrics is not installed.
    """
    log = RequestLog(phrases=options.log_phrases)
    if not options.metrics:
        return Observers((log.request,), (log.refusal,))
    metrics = _metrics()
    seen = (log.request, metrics.request), (log.refusal, metrics.response)
    return Observers(*seen, (metrics.route(),), Reloads((metrics.reload,)))


def _metrics() -> "Metrics":
    try:
        from server.telemetry.metrics import Metrics
    except ModuleNotFoundError as error:
        raise CallerError(
            f"--metrics cannot be used because the package {error.name!r} is not installed; metrics need an optional "
            "package; install it with: pip install 'agent-capabilities[metrics]'"
        ) from error
    return Metrics()


def http_options(options: argparse.Namespace, observed: Observers) -> HttpOptions:
    """Return the options of the HTTP application.

    Raises:
        CallerError: a token file or a URL cannot be used.
    """
    oauth = _oauth(options)
    authorization = oauth.settings() if oauth else None
    tokens: TokenVerifier | None = TokenFile(Path(options.tokens), observed.reloads) if options.tokens else None
    return HttpOptions(
        path=options.path,
        sessions=options.sessions,
        tokens=OAuthTokens(oauth) if oauth else tokens,
        authorization=authorization,
        allowed_hosts=tuple(options.allowed_host),
        allowed_origins=tuple(options.allowed_origin),
        max_body=options.max_body,
        max_concurrency=options.max_concurrency,
        request_timeout=options.request_timeout,
        observers=observed.responses,
        routes=observed.routes,
    )


def _oauth(options: argparse.Namespace) -> OAuthOptions | None:
    if not options.oauth_issuer:
        return None
    scopes = tuple(options.oauth_scope)
    return OAuthOptions(options.oauth_issuer, options.oauth_resource, scopes, options.oauth_keys)


def check_combinations(options: argparse.Namespace) -> None:
    """Refuse options that conflict, or that lack an option they depend on.

    Raises:
        CallerError: two options conflict, or one lacks another.
    """
    if options.sessions and options.workers > 1:
        raise CallerError(
            f"--sessions was given with --workers {options.workers}; a session lives in one process, but each request "
            "may reach another; leave one of them out, or run replicas behind a proxy that routes by session"
        )
    if options.tokens and options.oauth_issuer:
        raise CallerError(
            "--tokens and --oauth-issuer were both given; a server accepts one kind of token; leave one out"
        )
    if options.oauth_issuer and not options.oauth_resource:
        raise CallerError(
            "--oauth-issuer was given without --oauth-resource; tokens must name this server; add its public URL"
        )
    given = [name for name in ("resource", "scope", "keys") if getattr(options, f"oauth_{name}")]
    if given and not options.oauth_issuer:
        raise CallerError(
            f"--oauth-{given[0]} was given without --oauth-issuer; it is about an issuer's tokens; add the issuer"
        )
