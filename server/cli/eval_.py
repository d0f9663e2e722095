"""The subcommand `eval`; of its actions, `prompts` and `tools` print what a model is given."""

import argparse
import json

from server.cli import eval_llm, eval_matcher
from server.cli.eval_llm import add_prompts
from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service
from server.cli.serve_options import add_surface, start_of
from server.errors import CallerError
from server.output import print_json


def add(subcommands: Subcommands) -> None:
    """Register the subcommand and its actions."""
    command = add_command(subcommands, "eval", "evaluate the matcher, or how well callers use the tools", run)
    actions = command.add_subparsers(title="what to evaluate", metavar="WHAT", required=True)
    for add_action in (eval_matcher.add, eval_llm.add, _add_inputs):
        add_action(actions)


def _add_inputs(actions: Subcommands) -> None:
    prompts = add_command(actions, "prompts", "print only the prompts, to have them answered elsewhere", print_prompts)
    add_prompts(prompts)
    add_surface(prompts)
    add_json(prompts)
    tools = add_command(actions, "tools", "print the tool definitions exactly as a model receives them", print_tools)
    add_surface(tools)
    add_data(tools)


def run(_: argparse.Namespace) -> int:
    """Never called: an action is required."""
    raise CallerError("eval was not told what to evaluate; it takes matcher, llm, prompts or tools; see eval --help")


def print_prompts(options: argparse.Namespace) -> int:
    """Print every input, as JSON lines or as one line of text with its line breaks replaced by spaces."""
    from server.evals.evaluate import chosen_suite

    for text in chosen_suite(options.prompts, start_of(options)).inputs:
        if options.json:
            print_json({"input": text})
        else:
            print(" ".join(text.split()))
    return 0


def print_tools(options: argparse.Namespace) -> int:
    """Print a JSON array of name, description and inputSchema."""
    import anyio

    from server.evals.tool_runner import connect

    start = start_of(options)

    async def definitions() -> str:
        async with connect(chosen_service(options, with_matcher=False), start) as runner:
            return json.dumps([tool.to_dict() for tool in runner.definitions], indent=2, ensure_ascii=False)

    print(anyio.run(definitions))
    return 0
