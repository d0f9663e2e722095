"""Writes a model folder: the ONNX file, the tokenizer with our token limit, and the manifest."""

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from embeddings.encoder.encoder import with_limits
from embeddings.encoder.model_files import MANIFEST_FILE
from embeddings.files import write_atomically
from embeddings.model_build import weights
from embeddings.model_build.graph import HIDDEN, build_graph
from embeddings.model_build.products import Blocked, Dynamic, Recipe

MAX_TOKENS: Final = 256
"""The limit that sentence-transformers uses for this model; the published tokenizer.json says 128."""

APART: Final = 32
"""Number of hidden channels kept in float32; fidelity and time are about the same with 16 and 24."""

VARIANTS: Final = {
    "shipped": Recipe(
        {"qkv": Dynamic(apart=APART), "out": Dynamic(), "wide": Dynamic(apart=APART), "narrow": Blocked(64)},
        sort_channels=True,
    ),
    "fp32": Recipe(),
}
"""Variants that can be built; `fp32` is the reference."""

PRECISION: Final = {
    "shipped": "8-bit weights with a scale an output for query, key, value, attention output and first feed-forward, "
    f"their inputs quantized as they come but for the {APART} largest hidden channels, which stay float32; blocks of "
    "64 for the second feed-forward; 8-bit word embeddings with a scale a row; float32 elsewhere",
    "fp32": "float32 throughout",
}
BUILD_COMMAND: Final = "python models/build_model.py --variant {variant} --compare models/fidelity_texts.txt"
BUILD_TOOLS: Final = ("numpy", "onnx", "safetensors", "tokenizers")


def build_model(source: Path, out: Path, variant: str = "shipped", figures: Mapping[str, Any] | None = None) -> Path:
    """Build a model folder from the official weights.

    Args:
        source: folder with the official `model.safetensors` and `tokenizer.json`.
        out: folder to write; created if missing.
        variant: a key of `VARIANTS`.
        figures: measurements of this variant to record in the manifest.

    Returns:
        `out`.

    Raises:
        ModelError: a source file is missing or not the official one.
        OSError: the folder cannot be written.
    """
    weights.check_source(source)
    graph = build_graph(weights.read_weights(source), MAX_TOKENS, VARIANTS[variant])
    files = {
        "model": ("model.onnx", graph.SerializeToString(deterministic=True)),
        "tokenizer": (weights.TOKENIZER_FILE, with_limits(source / weights.TOKENIZER_FILE, MAX_TOKENS)),
    }
    for name, content in files.values():
        write_atomically(out / name, content)
    manifest = _manifest(files, variant, figures)
    write_atomically(out / MANIFEST_FILE, (json.dumps(manifest, indent=2) + "\n").encode())
    return out


def _manifest(
    files: Mapping[str, tuple[str, bytes]], variant: str, figures: Mapping[str, Any] | None
) -> dict[str, Any]:
    manifest: dict[str, Any] = {
        "name": weights.REPOSITORY.partition("/")[2],
        "variant": variant,
        "precision": PRECISION[variant],
        "source": {
            "repository": weights.REPOSITORY,
            "revision": weights.REVISION,
            "license": weights.LICENSE,
            "sha256": weights.SOURCE_SHA256,
        },
        "dimensions": HIDDEN,
        "maxTokens": MAX_TOKENS,
        "languages": ["en"],
        "files": {
            role: {"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for role, (name, content) in files.items()
        },
        "build": {
            "command": BUILD_COMMAND.format(variant=variant),
            "python": platform.python_version(),
            "tools": {tool: version(tool) for tool in BUILD_TOOLS},
        },
    }
    if figures:
        manifest["figures"] = dict(figures)
    return manifest
