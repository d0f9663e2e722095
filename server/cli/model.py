"""The subcommand `model`."""

import argparse
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from embeddings.model_build.options import add_build_options
from server.cli.options import Subcommands, add_command
from server.errors import CallerError


def add(subcommands: Subcommands) -> None:
    """Register the subcommand and its two actions."""
    command = add_command(subcommands, "model", "fetch the official weights, or build the encoder from them", run)
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True)
    fetch = add_command(actions, "fetch", "download the official weights and tokenizer from the Hugging Face Hub", run)
    fetch.add_argument("--out", type=Path, metavar="FOLDER", help="folder to put them in (default: the Hub's cache)")
    fetch.set_defaults(action="fetch")
    build = add_command(actions, "build", "write the ONNX file, tokenizer and manifest", run)
    add_build_options(build)
    build.set_defaults(action="build")


def run(options: argparse.Namespace) -> int:
    """Run an action; building needs the packages of the 'model' extra."""
    command = _builder()
    actions: dict[str, Callable[[argparse.Namespace], int]] = {"fetch": command.fetch, "build": command.build}
    return actions[options.action](options)


def _builder() -> ModuleType:
    try:
        from embeddings.model_build import command
    except ModuleNotFoundError as error:
        raise CallerError(
            f"the package {error.name!r} is not installed; the model commands need the 'model' extra; "
            "run: pip install 'agent-capabilities[model]'"
        ) from error
    return command
