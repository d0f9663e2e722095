"""Writes the BERT encoder as an ONNX graph that maps token ids and mask to unit sentence vectors.

The graph is written node by node, so the file depends only on the weights and on this code. Attention and GELU use ONNX
Runtime's fused operators, which its CPU provider supports on x86-64 and arm64.

The channels of the hidden state are sorted by the size of their activations. All values of an 8-bit block share one
step, so a channel with large activations reduces the precision of the others in its block, and a few channels are large
in every layer. Sorted, these share blocks. Any order gives the same result if all weights use it, so sorting costs
nothing when the model runs.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
import onnx
from onnx import TensorProto, helper

from embeddings.arrays import FloatArray, IntArray
from embeddings.model_build.products import MICROSOFT, GraphWriter, Recipe, quantize_rows

SPREAD: Final = 2
"""Standard deviations added to a channel's mean. LayerNorm's output has mean `bias` and standard deviation `weight`."""


def order_by_size(weights: Mapping[str, FloatArray]) -> IntArray:
    """Sort the hidden channels by activation size, largest first, as estimated from every layer's LayerNorm.

    Args:
        weights: the tensors of the official `model.safetensors`, by name.

    Returns:
        int64 (hidden,), a permutation.
    """
    norms = sorted(name.removesuffix(".weight") for name in weights if name.endswith("LayerNorm.weight"))
    sizes = [np.abs(weights[f"{norm}.bias"]) + SPREAD * np.abs(weights[f"{norm}.weight"]) for norm in norms]
    return np.argsort(-np.mean(sizes, axis=0), kind="stable").astype(np.int64)


def reorder(weights: Mapping[str, FloatArray], order: IntArray) -> dict[str, FloatArray]:
    """Return the same encoder with its hidden channels in another order; its output has that order, too."""
    return {name: _reordered(name, weight, order) for name, weight in weights.items()}


def _reordered(name: str, weight: FloatArray, order: IntArray) -> FloatArray:
    if "LayerNorm" in name:
        return weight[order]
    # The attention's output product and the second feed-forward product write the hidden state.
    if ".output.dense." in name:
        return weight[order]
    reads_hidden = "embeddings" in name or ".attention.self." in name or ".intermediate." in name
    return weight[:, order] if reads_hidden and weight.ndim == 2 else weight


LAYERS: Final = 6
HEADS: Final = 12
HIDDEN: Final = 384
LAYER_NORM_EPSILON: Final = 1e-12
OPSETS: Final = {"": 20, MICROSOFT: 1}
IR_VERSION: Final = 9
OUTPUT: Final = "sentence_embedding"


def _add_and_normalize(graph: GraphWriter, value: str, residual: str, prefix: str, name: str) -> str:
    """Add LayerNorm(value + residual).

    Uses two operators, which take 9 us; ONNX Runtime's fused `SkipLayerNormalization` takes 21 us (9 tokens).
    """
    gamma = graph.constant(f"{name}.gamma", graph.weights[f"{prefix}.weight"])
    beta = graph.constant(f"{name}.beta", graph.weights[f"{prefix}.bias"])
    total = graph.add("Add", [value, residual], f"{name}.sum")
    return graph.add("LayerNormalization", [total, gamma, beta], name, axis=-1, epsilon=LAYER_NORM_EPSILON)


def _embed(graph: GraphWriter, max_tokens: int) -> str:
    """Add the normalised sum of word, position and token type embeddings: (batch, sequence, HIDDEN)."""
    words = graph.weights["embeddings.word_embeddings.weight"]
    if graph.recipe.products is not None:
        rows, scales = quantize_rows(words)
        picked = graph.add("Gather", [graph.constant("words", rows), "input_ids"], "words.rows")
        floats = graph.add("Cast", [picked], "words.floats", to=TensorProto.FLOAT)
        steps = graph.add("Gather", [graph.constant("words.scales", scales), "input_ids"], "words.steps")
        word = graph.add("Mul", [floats, steps], "words.vectors")
    else:
        word = graph.add("Gather", [graph.constant("words", words), "input_ids"], "words.vectors")
    # A single sentence has only token type 0, so that row is added to the positions.
    positions = graph.weights["embeddings.position_embeddings.weight"][:max_tokens]
    positions = positions + graph.weights["embeddings.token_type_embeddings.weight"][0]
    table = graph.constant("positions", positions[None, :, :])
    length = graph.add("Shape", ["input_ids"], "sequence", start=1, end=2)
    start = graph.constant("zero", np.array([0], dtype=np.int64))
    axis = graph.constant("one", np.array([1], dtype=np.int64))
    position = graph.add("Slice", [table, start, length, axis], "positions.used")
    return _add_and_normalize(graph, word, position, "embeddings.LayerNorm", "embedded")


def _attend(graph: GraphWriter, hidden: str, mask: str, layer: int) -> str:
    """Add the self-attention of one layer, with residual and normalisation."""
    prefix = f"encoder.layer.{layer}.attention"
    parts = [f"{prefix}.self.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([graph.weights[f"{part}.weight"] for part in parts])
    bias = np.concatenate([graph.weights[f"{part}.bias"] for part in parts])
    packed = graph.dense(hidden, weight, bias, f"layer{layer}.qkv")
    names = [f"layer{layer}.{part}" for part in ("query", "key", "value")]
    graph.add("Split", [packed], names, axis=2, num_outputs=3)
    inputs = [*names, "", mask]
    mixed = graph.add("MultiHeadAttention", inputs, f"layer{layer}.mixed", MICROSOFT, num_heads=HEADS)
    dense = f"{prefix}.output.dense"
    output = graph.dense(mixed, graph.weights[f"{dense}.weight"], graph.weights[f"{dense}.bias"], f"layer{layer}.out")
    return _add_and_normalize(graph, output, hidden, f"{prefix}.output.LayerNorm", f"layer{layer}.attended")


def _feed_forward(graph: GraphWriter, hidden: str, layer: int) -> str:
    """Add the two feed-forward products of one layer, with residual and normalisation."""
    prefix = f"encoder.layer.{layer}"
    first, second = f"{prefix}.intermediate.dense", f"{prefix}.output.dense"
    wide = graph.dense(hidden, graph.weights[f"{first}.weight"], graph.weights[f"{first}.bias"], f"layer{layer}.wide")
    active = graph.add("Gelu", [wide], f"layer{layer}.active", MICROSOFT)
    narrow = graph.dense(
        active, graph.weights[f"{second}.weight"], graph.weights[f"{second}.bias"], f"layer{layer}.narrow"
    )
    return _add_and_normalize(graph, narrow, hidden, f"{prefix}.output.LayerNorm", f"layer{layer}.hidden")


def _pool(graph: GraphWriter, hidden: str) -> str:
    """Add the sum over real tokens, scaled to unit length; the mean would give the same vector."""
    floats = graph.add("Cast", ["attention_mask"], "mask.floats", to=TensorProto.FLOAT)
    row = graph.add("Unsqueeze", [floats, "one"], "mask.row")
    total = graph.add("MatMul", [row, hidden], "pooled")
    flat = graph.add("Squeeze", [total, "one"], "pooled.flat")
    return graph.add("LpNormalization", [flat], "unit" if graph.recipe.sort_channels else OUTPUT, axis=1, p=2)


def build_graph(
    weights: Mapping[str, FloatArray], max_tokens: int, recipe: Recipe, like: Mapping[str, FloatArray] | None = None
) -> onnx.ModelProto:
    """Build the graph of the encoder.

    Args:
        weights: the tensors of the official `model.safetensors`, by name.
        max_tokens: longest input in tokens; the file leaves out later positions.
        recipe: how the weights are stored.
        like: tensors of a model whose order of channels is used, so that the same tensors are stored alike (default:
            the weights themselves).

    Returns:
        A checked model with inputs `input_ids` and `attention_mask`, int64 (batch, sequence), and the output
        `sentence_embedding`, float32 (batch, 384), of unit length.
    """
    order = order_by_size(like or weights)
    graph = GraphWriter(reorder(weights, order) if recipe.sort_channels else weights, recipe)
    hidden = _embed(graph, max_tokens)
    mask = graph.add("Cast", ["attention_mask"], "mask.int32", to=TensorProto.INT32)
    for layer in range(LAYERS):
        hidden = _feed_forward(graph, _attend(graph, hidden, mask, layer), layer)
    unit = _pool(graph, hidden)
    if recipe.sort_channels:
        graph.add("Gather", [unit, graph.constant("channels", np.argsort(order))], OUTPUT, axis=1)
    ids = ["batch", "sequence"]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ids) for n in ("input_ids", "attention_mask")]
    outputs = [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", HIDDEN])]
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, outputs, graph.initializers)
    opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
    model = helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION, producer_name="agent-capabilities")
    onnx.checker.check_model(model)
    return model
