"""The subcommand `eval tools`."""

import argparse
import json

from server.cli.options import Subcommands, add_command, add_data, chosen_service
from server.cli.serve_options import add_surface, start_of


def add(actions: Subcommands) -> None:
    """Register the action."""
    command = add_command(actions, "tools", "print the tool definitions exactly as a model receives them", run)
    add_surface(command)
    add_data(command)


def run(options: argparse.Namespace) -> int:
    """Print a JSON array of name, description and inputSchema."""
    import anyio

    from server.evals.tool_runner import connect

    start = start_of(options)

    async def definitions() -> str:
        async with connect(chosen_service(options, with_matcher=False), start) as runner:
            return json.dumps([tool.to_dict() for tool in runner.definitions], indent=2, ensure_ascii=False)

    print(anyio.run(definitions))
    return 0
