"""Options of building a model, for the script and the command line; needs none of the build's packages."""

import argparse
from pathlib import Path


def add_build_options(command: argparse.ArgumentParser) -> None:
    """Add them to a command."""
    command.add_argument(
        "--source",
        type=Path,
        metavar="FOLDER",
        help="folder with model.safetensors and tokenizer.json (default: fetch)",
    )
    command.add_argument("--variant", choices=("fp32", "shipped"), default="shipped", help="default: %(default)s")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="folder to write (default: the shipped model's)")
    command.add_argument(
        "--compare",
        type=Path,
        metavar="FILE",
        help="print the size, speed and fidelity of the variants considered, on the lines of this file, and record the "
        "fidelity of the one built in its manifest",
    )
