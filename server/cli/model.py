"""The subcommand `model`."""

import argparse

from server.cli.options import Subcommands, add_command
from server.errors import CallerError


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "model", "build the embedding model from the official weights", run)
    command.add_argument("action", choices=("build",), help="build: write the ONNX file, tokenizer and manifest")
    command.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="see 'model build --help'")


def run(options: argparse.Namespace) -> int:
    """Run the model builder, which needs the packages of the 'model' extra."""
    try:
        from embeddings.model_build.command import main
    except ModuleNotFoundError as error:
        raise CallerError(
            f"the package {error.name!r} is not installed; building a model needs the 'model' extra; "
            "run: pip install 'agent-capabilities[model]'"
        ) from error
    return main(options.arguments)
