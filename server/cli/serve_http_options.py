"""From the options of `serve` to how it is reached over HTTP."""

import argparse
from pathlib import Path

from mcp.server.auth.provider import TokenVerifier

from server.cli.serve_observers import Observers
from server.errors import CallerError
from server.http.app import HttpOptions
from server.http.oauth import OAuthOptions, OAuthTokens
from server.http.tokens import TokenFile


def http_options(options: argparse.Namespace, observed: Observers) -> HttpOptions:
    """How the server is reached.

    Raises:
        CallerError: a token file or an address that cannot be used.
    """
    oauth = _oauth(options)
    authorization = oauth.settings() if oauth else None
    tokens: TokenVerifier | None = TokenFile(Path(options.tokens)) if options.tokens else None
    return HttpOptions(
        path=options.path,
        sessions=options.sessions,
        tokens=OAuthTokens(oauth) if oauth else tokens,
        authorization=authorization,
        allowed_hosts=tuple(options.allowed_host),
        allowed_origins=tuple(options.allowed_origin),
        most_body=options.most_body,
        most_at_once=options.most_at_once,
        seconds=options.request_time,
        observers=observed.responses,
        routes=observed.routes,
        watch=options.watch,
    )


def _oauth(options: argparse.Namespace) -> OAuthOptions | None:
    if not options.oauth_issuer:
        return None
    scopes = tuple(options.oauth_scope)
    return OAuthOptions(options.oauth_issuer, options.oauth_resource, scopes, options.oauth_keys)


def check_together(options: argparse.Namespace) -> None:
    """Refuse options that do not go together.

    Raises:
        CallerError: they do not.
    """
    if options.sessions and options.workers > 1:
        raise CallerError(
            f"--sessions with --workers {options.workers} cannot be: a session lives in one process, and each request "
            "may come to another; leave one of them out, or run replicas behind a proxy that routes by session"
        )
    if options.tokens and options.oauth_issuer:
        raise CallerError("--tokens and --oauth-issuer are two ways to know callers; a server has one; leave one out")
    if options.oauth_issuer and not options.oauth_resource:
        raise CallerError(
            "--oauth-issuer was given without --oauth-resource; its tokens must be for this server; add the address"
        )
    given = [name for name in ("resource", "scope", "keys") if getattr(options, f"oauth_{name}")]
    if given and not options.oauth_issuer:
        raise CallerError(f"--oauth-{given[0]} was given without --oauth-issuer; it is of an issuer's tokens; add that")
