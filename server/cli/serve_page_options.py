"""The option of `serve` for the page, and what it conflicts with."""

import argparse

from server.errors import CallerError


def add_page(command: argparse.ArgumentParser) -> None:
    """The option for the page that people look at."""
    group = command.add_argument_group("http: page")
    group.add_argument(
        "--web",
        action="store_true",
        help="also serve a page to look at the catalog with, at /, for the callers of MCP and with what they may use",
    )


def check_page(options: argparse.Namespace) -> None:
    """Refuse the page where it cannot be served.

    Raises:
        CallerError: the transport has no pages, or MCP's path is one of the page's.
    """
    if not options.web:
        return
    if options.transport != "http":
        raise CallerError(
            f"--web was given with --transport {options.transport}; a page is served over HTTP; add --transport http, "
            "or look at the catalog with 'agent-capabilities inspect'"
        )
    from server.web.paths import collides

    if collides(options.path):
        raise CallerError(
            f"--path {options.path} was given with --web; the page is at / and below /page and /api; give MCP another "
            "path, such as /mcp"
        )
