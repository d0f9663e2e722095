"""A model folder of a few kilobytes that knows some German words: words of one meaning share a vector."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

MEANINGS: Final = (
    ("rückgängig", "zurück", "wiederherstellen", "undo"),
    ("werkzeuge", "verbinden", "anschließen", "tools"),
    ("bild", "foto", "sehen", "picture"),
    ("kosten", "preis", "teuer", "cost"),
)
_DIMENSIONS: Final = len(MEANINGS) + 1
_OPSET, _IR_VERSION = 17, 8


def write_small_model(folder: Path, **more: Any) -> Path:
    """Write the folder; `more` goes into its manifest."""
    folder.mkdir(parents=True)
    words = ["[UNK]", *(word for meaning in MEANINGS for word in meaning)]
    tokenizer = Tokenizer(models.WordLevel({word: row for row, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    onnx.save(_graph(words), str(folder / "model.onnx"))
    names = {"model": "model.onnx", "tokenizer": "tokenizer.json"}
    files = {
        role: {"name": name, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
        for role, name in names.items()
    }
    manifest = {"files": files, "dimensions": _DIMENSIONS, "maxTokens": 64} | more
    (folder / "MANIFEST.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _graph(words: list[str]) -> onnx.ModelProto:
    table = np.zeros((len(words), _DIMENSIONS), dtype=np.float32)
    table[:, -1] = 0.1
    for axis, meaning in enumerate(MEANINGS):
        table[[words.index(word) for word in meaning], axis] = 1
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["vectors"]),
        helper.make_node("ReduceMean", ["vectors"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("LpNormalization", ["mean"], ["sentence"], axis=1, p=2),
    ]
    shape = ["batch", "tokens"]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("sentence", TensorProto.FLOAT, ["batch", _DIMENSIONS])],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])
    model.ir_version = _IR_VERSION
    return model
