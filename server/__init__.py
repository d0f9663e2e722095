"""agent-capabilities: what AI coding agents can do, asked in anyone's words, over MCP and on the command line."""

from typing import Final

SERVER_NAME: Final = "agent-capabilities"


def package_version() -> str:
    """Version of the installed distribution; "0+checkout" where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("agent-capabilities")
    except PackageNotFoundError:
        return "0+checkout"
