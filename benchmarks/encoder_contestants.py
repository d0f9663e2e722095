"""The compared encoders behind one interface; each imports its package when it is created."""

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from embeddings.arrays import FloatArray

MODEL: Final = "local/all-MiniLM-L6-v2"


class Contestant(Protocol):
    """An encoder on one thread."""

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors, float32 (n, 384); libraries that support batches get all texts in one batch."""


class Ours:
    """`embeddings.Encoder`, with the shipped model or another folder."""

    def __init__(self, folder: Path | None) -> None:
        """Load the model."""
        from embeddings.encoder.encoder import Encoder

        self._encoder = Encoder.load(folder)

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """See `Contestant`; empties the cache of repeated queries first, so that it is not part of the comparison."""
        self._encoder._cache.clear()
        return self._encoder.encode(texts)


class FastEmbed:
    """fastembed with the float32 ONNX file of the same weights."""

    def __init__(self, folder: Path | None) -> None:
        """Load `folder`, written by `model build --variant fp32`, with the extra files that fastembed needs."""
        assert folder
        os.environ["HF_HUB_OFFLINE"] = "1"
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        if MODEL not in {known["model"] for known in TextEmbedding.list_supported_models()}:
            TextEmbedding.add_custom_model(
                model=MODEL,
                pooling=PoolingType.DISABLED,
                normalization=True,
                sources=ModelSource(hf=MODEL),
                dim=384,
                model_file="model.onnx",
            )
        self._model = TextEmbedding(MODEL, specific_model_path=str(folder), threads=1)

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """See `Contestant`."""
        return np.array(list(self._model.embed(list(texts), batch_size=len(texts))), dtype=np.float32)


class SentenceTransformers:
    """The reference implementation, on PyTorch."""

    def __init__(self, folder: Path | None) -> None:
        """Load the official files from `folder`."""
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)
        self._model = SentenceTransformer(str(folder), device="cpu")

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """See `Contestant`."""
        vectors = self._model.encode(list(texts), batch_size=len(texts), normalize_embeddings=True)
        return np.asarray(vectors, dtype=np.float32)


CONTESTANTS: Final[Mapping[str, Callable[[Path | None], Contestant]]] = {
    "agent-capabilities": Ours,
    "float32, same code": Ours,
    "ORT dynamic int8": Ours,
    "fastembed, float32": FastEmbed,
    "sentence-transformers": SentenceTransformers,
}


def prepare(source: Path, folder: Path) -> dict[str, Path | None]:
    """Create the model folders of all contestants.

    Args:
        source: folder with the official files.
        folder: folder to create them in.
    """
    from embeddings.model_build.build import build_model

    fp32 = build_model(source, folder / "fp32", "fp32")
    settings: dict[str, dict[str, Any]] = {
        "config.json": {"model_type": "bert", "hidden_size": 384, "pad_token_id": 0},
        "tokenizer_config.json": {"model_max_length": 256, "pad_token": "[PAD]"},
        "special_tokens_map.json": {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"},
    }
    for name, values in settings.items():
        (fp32 / name).write_text(json.dumps(values), encoding="utf-8")
    return {
        "agent-capabilities": None,
        "float32, same code": fp32,
        "ORT dynamic int8": _dynamic(fp32, folder / "dynamic"),
        "fastembed, float32": fp32,
        "sentence-transformers": source,
    }


def _dynamic(fp32: Path, folder: Path) -> Path:
    """Quantize with ONNX Runtime's own dynamic quantization, with one scale per output channel."""
    import hashlib

    from onnxruntime.quantization import quantize_dynamic

    folder.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "model.onnx"
        quantize_dynamic(str(fp32 / "model.onnx"), str(made), per_channel=True, extra_options={"DefaultTensorType": 1})
        content = made.read_bytes()
    manifest = json.loads((fp32 / "MANIFEST.json").read_text(encoding="utf-8"))
    manifest["files"]["model"] |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "model.onnx").write_bytes(content)
    (folder / "tokenizer.json").write_bytes((fp32 / "tokenizer.json").read_bytes())
    (folder / "MANIFEST.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder
