"""Commands that fetch the official weights and rebuild a model folder from them.

huggingface-hub resumes interrupted downloads, shows progress, and honours HF_ENDPOINT, HF_HUB_OFFLINE and HF_HOME.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from huggingface_hub import hf_hub_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

from embeddings.encoder.model_files import ModelFiles, official_model_folder
from embeddings.errors import ModelError
from embeddings.model_build.build import MAX_TOKENS, PRECISION, VARIANTS, build_model
from embeddings.model_build.compare import CONSIDERED, compare, table
from embeddings.model_build.options import add_build_options
from embeddings.model_build.weights import REPOSITORY, REVISION, SOURCE_SHA256, check_source


def fetch_source(out: Path | None = None) -> Path:
    """Download the official weights and tokenizer; files that exist already are not downloaded again.

    Args:
        out: destination folder (default: the Hub's cache).

    Returns:
        The folder that holds both.

    Raises:
        ModelError: the Hub cannot be reached, lacks a file, or sends wrong content twice.
    """
    folder = _download(out, force=False)
    try:
        check_source(folder)
    except ModelError:
        # An earlier download may have left damaged files, so download once more.
        folder = _download(out, force=True)
        check_source(folder)
    return folder


def _download(out: Path | None, *, force: bool) -> Path:
    paths: list[Path] = []
    for name in SOURCE_SHA256:
        try:
            path = hf_hub_download(REPOSITORY, name, revision=REVISION, local_dir=out, force_download=force)
        except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
            cause = error.__cause__ or error
            raise ModelError(
                f"{name} of {REPOSITORY} at {REVISION} could not be fetched ({type(cause).__name__}: {cause}); "
                "this needs a connection to the Hugging Face Hub, or a folder with the official files; check "
                "HF_ENDPOINT, unset HF_HUB_OFFLINE and try again, or pass that folder"
            ) from error
        paths.append(Path(path))
    return paths[0].parent


_MIN_TEXTS: Final = 3


def fetch(options: argparse.Namespace) -> int:
    """Fetch the official files and print their folder."""
    print(fetch_source(options.out))
    return 0


def build(options: argparse.Namespace) -> int:
    """Build a model folder and print what was written."""
    out: Path = options.out or official_model_folder()
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
    if len(texts) < _MIN_TEXTS:
        raise ModelError(
            f"{str(file)!r} has {len(texts)} texts; a comparison needs at least {_MIN_TEXTS}; give a "
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
