"""Options of the model build, for the script and the command line; imports none of the build's packages."""

import argparse
from pathlib import Path


def add_build_options(command: argparse.ArgumentParser) -> None:
    """Add the options to a command."""
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
        help="compare all variants on the texts in this file, one per line: print their size, speed and fidelity, and "
        "record the fidelity of the built variant in its manifest",
    )
