"""The MCP Inspector's command line: it has no model, and shows what a server answers."""

import json
from typing import Any, Final

from checks.home import Ended, Home
from checks.packages import Package, printed_version
from tests.hosts.entries import gateway_command, serve_command
from tests.hosts.hosts import SERVERS
from tests.hosts.measuring import private_home, serve_offer

NAME: Final = "inspector"
PACKAGE: Final = Package("@modelcontextprotocol/inspector", "2.12.0", "mcp-inspector")
SECRETS: Final = {"MCP_INSPECTOR_SECRET_STORE": "memory"}


def inspect(home: Home, server: str, *arguments: str) -> Ended:
    """Ask one of our servers something, such as `--method tools/list`."""
    commands = dict(zip(SERVERS, (serve_command(), gateway_command(home)), strict=True))
    entries = {name: {"command": command[0], "args": command[1:]} for name, command in commands.items()}
    file = home.write("servers.json", json.dumps({"mcpServers": entries}))
    chosen = ("--cli", "--config", str(file), "--server", server)
    return home.run([str(PACKAGE.install()), *chosen, *arguments], SECRETS)


def tools(home: Home, server: str) -> list[str]:
    """Return the names of a server's tools."""
    listed = inspect(home, server, "--method", "tools/list")
    return [tool["name"] for tool in json.loads(listed.out)["tools"]]


def measure() -> dict[str, Any]:
    """Return what the Inspector shows of our servers.

    Raises:
        NotInstalledError: its package cannot be had.
    """
    with private_home() as home:
        version = printed_version(home.run([str(PACKAGE.install()), "--version"], SECRETS).out)
        shown = inspect(home, SERVERS[0], "--method", "initialize")
        return {
            "title": "MCP Inspector",
            "version": version,
            "listed": [name for name in SERVERS if tools(home, name)],
            "listConnects": True,
            "firstRequest": {},
            "instructions": json.loads(shown.out)["instructions"] == serve_offer().instructions,
        }
