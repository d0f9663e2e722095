"""The commands that fetch the official weights and rebuild a model folder from them."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from embeddings.errors import ModelError
from embeddings.model_build.build import VARIANTS, build_model
from embeddings.model_build.fetch import fetch_source
from embeddings.model_build.weights import REPOSITORY, REVISION, check_source
from embeddings.model_files import ModelFiles, shipped_model_folder


def add_build(command: argparse.ArgumentParser) -> None:
    """Options of building."""
    command.add_argument(
        "--source",
        type=Path,
        metavar="FOLDER",
        help="folder with model.safetensors and tokenizer.json (default: fetch)",
    )
    command.add_argument("--variant", choices=sorted(VARIANTS), default="shipped", help="default: %(default)s")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="folder to write (default: the shipped model's)")


def fetch(options: argparse.Namespace) -> int:
    """Fetch the official files and print where they are."""
    print(fetch_source(options.out))
    return 0


def build(options: argparse.Namespace) -> int:
    """Build a model folder and print what was written."""
    out: Path = options.out or shipped_model_folder()
    if options.source:
        check_source(options.source)
    build_model(options.source or fetch_source(), out, options.variant)
    files = ModelFiles.open(out)
    print(f"{files.model}: {files.model.stat().st_size / 1e6:.1f} MB, {VARIANTS[options.variant]}")
    print(f"fingerprint {files.fingerprint}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Build as a script. Returns the exit status: 0 done, 1 a fault."""
    options = argparse.ArgumentParser(
        description=f"Build the ONNX encoder from the official weights of {REPOSITORY} at {REVISION[:12]}.",
        epilog="needs the 'model' extra: pip install 'agent-capabilities[model]'",
    )
    add_build(options)
    try:
        return build(options.parse_args(arguments))
    except (ModelError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
