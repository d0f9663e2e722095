"""Commands that fetch the official weights and rebuild a model folder from them."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from embeddings.encoder.model_files import ModelFiles, shipped_model_folder
from embeddings.errors import ModelError
from embeddings.model_build.build import MAX_TOKENS, PRECISION, VARIANTS, build_model
from embeddings.model_build.compare import CONSIDERED, compare, table
from embeddings.model_build.fetch import fetch_source
from embeddings.model_build.options import add_build_options
from embeddings.model_build.weights import REPOSITORY, REVISION, check_source

_FEWEST_TEXTS: Final = 3


def fetch(options: argparse.Namespace) -> int:
    """Fetch the official files and print their folder."""
    print(fetch_source(options.out))
    return 0


def build(options: argparse.Namespace) -> int:
    """Build a model folder and print what was written."""
    out: Path = options.out or shipped_model_folder()
    if options.source:
        check_source(options.source)
    source = options.source or fetch_source()
    figures = _compared(source, options.variant, options.compare) if options.compare else None
    build_model(source, out, options.variant, figures)
    files = ModelFiles.open(out)
    print(f"{files.model}: {files.model.stat().st_size / 1e6:.1f} MB, {PRECISION[options.variant]}")
    print(f"fingerprint {files.fingerprint}")
    return 0


def _compared(source: Path, variant: str, file: Path) -> dict[str, Any]:
    """Print the table of all variants; return the figures of the variant to be built."""
    texts = [line for line in file.read_text(encoding="utf-8").splitlines() if line]
    if len(texts) < _FEWEST_TEXTS:
        raise ModelError(
            f"{str(file)!r} has {len(texts)} texts; a comparison needs at least {_FEWEST_TEXTS}; give a "
            "file with one text per line"
        )
    variants = compare(source, {**VARIANTS, **CONSIDERED}, texts, MAX_TOKENS)
    print(table(variants))
    return {"fidelity": next(found for found in variants if found.name == variant).fidelity.to_dict()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the build as a script. Returns the exit status: 0 on success, 1 on an error."""
    options = argparse.ArgumentParser(
        description=f"Build the ONNX encoder from the official weights of {REPOSITORY} at {REVISION[:12]}.",
        epilog="needs the 'model' extra: pip install 'agent-capabilities[model]'",
    )
    add_build_options(options)
    try:
        return build(options.parse_args(arguments))
    except (ModelError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
