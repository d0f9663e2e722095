"""The command that rebuilds a model folder."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from embeddings.errors import ModelError
from embeddings.model_build.build import VARIANTS, build_model
from embeddings.model_build.weights import REPOSITORY, REVISION, check_source, fetch_source
from embeddings.model_files import ModelFiles, shipped_model_folder


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    options = argparse.ArgumentParser(
        description=f"Build the ONNX encoder from the official weights of {REPOSITORY} at {REVISION[:12]}.",
        epilog="needs the 'model' extra: pip install 'agent-capabilities[model]'",
    )
    options.add_argument(
        "--source", type=Path, metavar="FOLDER", help="folder with model.safetensors and tokenizer.json (default: Hub)"
    )
    options.add_argument("--variant", choices=sorted(VARIANTS), default="shipped", help="default: %(default)s")
    options.add_argument("--out", type=Path, metavar="FOLDER", help="folder to write (default: the shipped model's)")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, and print what was written. Returns the exit status: 0 done, 1 a fault, 2 unusable source files."""
    options = parser().parse_args(arguments)
    out: Path = options.out or shipped_model_folder()
    try:
        if options.source:
            check_source(options.source)
        source = options.source or fetch_source()
        build_model(source, out, options.variant)
    except ModelError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: cannot write {str(out)!r} ({error}); choose a writable folder with --out", file=sys.stderr)
        return 1
    files = ModelFiles.open(out)
    print(f"{files.model}: {files.model.stat().st_size / 1e6:.1f} MB, {VARIANTS[options.variant]}")
    print(f"fingerprint {files.fingerprint}")
    return 0
