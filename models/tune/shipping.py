"""Writes a tuned model as a folder of the tensors in which it differs from the official one."""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, numpy_helper

from embeddings.arrays import FloatArray
from embeddings.encoder.encoder import Encoder, open_session, open_tokenizer
from embeddings.encoder.model_files import MANIFEST_FILE, OFFICIAL_MODEL
from embeddings.files import write_atomically
from embeddings.model_build.build import MAX_TOKENS, VARIANTS
from embeddings.model_build.graph import build_graph
from embeddings.model_build.weights import LICENSE, TOKENIZER_FILE

TENSORS_FILE: Final = "tensors.npz"
EXACT: Final = "fp32"
"""The variant with 32-bit weights, which faithfulness is measured against."""


def average(official: Mapping[str, FloatArray], tuned: Mapping[str, FloatArray], share: float) -> dict[str, FloatArray]:
    """Return weights between two models: `share` of the tuned ones, the rest of the official ones."""
    return {
        name: ((1 - share) * value + share * tuned[name]).astype(np.float32) if name in tuned else value
        for name, value in official.items()
    }


def write_tuned(
    folder: Path, official: Mapping[str, FloatArray], weights: Mapping[str, FloatArray], about: Mapping[str, Any]
) -> None:
    """Write the model folder: the tensors that differ, and the manifest.

    Args:
        folder: is made if it is missing; the folder of the official model has to lie beside it.
        official: the official weights, by name.
        weights: those of the tuned model.
        about: what the manifest says of how it was made.
    """
    recipe = VARIANTS["shipped"]
    before = _tensors(build_graph(official, MAX_TOKENS, recipe))
    after = _tensors(build_graph(weights, MAX_TOKENS, recipe, like=official))
    changed = {name: value for name, value in after.items() if not np.array_equal(value, before[name])}
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **changed)
    content = buffer.getvalue()
    manifest = {
        "name": folder.name,
        "base": OFFICIAL_MODEL,
        "license": LICENSE,
        **about,
        "files": {
            "tensors": {"name": TENSORS_FILE, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        },
    }
    write_atomically(folder / TENSORS_FILE, content)
    write_atomically(folder / MANIFEST_FILE, (json.dumps(manifest, indent=2) + "\n").encode())


def _tensors(graph: ModelProto) -> dict[str, npt.NDArray[Any]]:
    return {each.name: numpy_helper.to_array(each) for each in graph.graph.initializer}


def faithfulness(
    folder: Path, source: Path, weights: Mapping[str, FloatArray], texts: Sequence[str]
) -> dict[str, float]:
    """Return the mean and the least cosine of a written model's vectors to those of its 32-bit weights."""
    session = open_session(build_graph(weights, MAX_TOKENS, VARIANTS[EXACT]).SerializeToString())
    tokenizer = open_tokenizer(source / TOKENIZER_FILE, MAX_TOKENS)
    encoder, cosines = Encoder.load(folder), []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        (exact,) = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        cosines.append(float(exact[0] @ encoder.encode([text])[0]))
    return {"texts": len(texts), "mean": round(float(np.mean(cosines)), 4), "min": round(float(np.min(cosines)), 4)}
