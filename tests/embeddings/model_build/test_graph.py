"""The graph on random weights of the real shapes, against the same computation in numpy."""

import math

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

from embeddings.model_build import graph
from embeddings.model_build.build import VARIANTS
from embeddings.model_build.graph import order_by_size, reorder
from embeddings.model_build.products import Blocked, Dynamic, Recipe, quantize_rows

Array = npt.NDArray[np.float32]

WORDS, TOKENS = 50, 16
IDS = np.array([[2, 5, 7, 3], [2, 9, 3, 0]], dtype=np.int64)
MASK = np.array([[1, 1, 1, 1], [1, 1, 1, 0]], dtype=np.int64)


def random_weights() -> dict[str, Array]:
    generator = np.random.default_rng(7)

    def dense(*shape: int) -> Array:
        return generator.normal(0, 0.05, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": dense(WORDS, graph.HIDDEN),
        "embeddings.position_embeddings.weight": dense(TOKENS, graph.HIDDEN),
        "embeddings.token_type_embeddings.weight": dense(2, graph.HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(graph.LAYERS):
        prefix = f"encoder.layer.{layer}"
        norms += [f"{prefix}.attention.output.LayerNorm", f"{prefix}.output.LayerNorm"]
        shapes = {f"{prefix}.attention.self.{part}": (384, 384) for part in ("query", "key", "value")}
        shapes |= {f"{prefix}.attention.output.dense": (384, 384)}
        shapes |= {f"{prefix}.intermediate.dense": (1536, 384), f"{prefix}.output.dense": (384, 1536)}
        for name, shape in shapes.items():
            weights |= {f"{name}.weight": dense(*shape), f"{name}.bias": dense(shape[0])}
    for norm in norms:
        weights |= {f"{norm}.weight": 1 + dense(graph.HIDDEN), f"{norm}.bias": dense(graph.HIDDEN)}
    return weights


def normalised(values: Array, weights: dict[str, Array], name: str) -> Array:
    centred = values - values.mean(-1, keepdims=True)
    scaled = centred / np.sqrt(centred.var(-1, keepdims=True) + graph.LAYER_NORM_EPSILON)
    return np.asarray(scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"])


def linear(values: Array, weights: dict[str, Array], name: str) -> Array:
    return np.asarray(values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])


def attention(hidden: Array, weights: dict[str, Array], prefix: str) -> Array:
    batch, length, _ = hidden.shape
    heads = [
        linear(hidden, weights, f"{prefix}.self.{part}").reshape(batch, length, graph.HEADS, -1).swapaxes(1, 2)
        for part in ("query", "key", "value")
    ]
    scores = heads[0] @ heads[1].swapaxes(2, 3) / math.sqrt(graph.HIDDEN // graph.HEADS)
    scores = np.where(MASK[:, None, None, :] == 1, scores, -1e9)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (shares / shares.sum(-1, keepdims=True) @ heads[2]).swapaxes(1, 2).reshape(hidden.shape)
    return linear(np.asarray(mixed), weights, f"{prefix}.output.dense")


def reference(weights: dict[str, Array]) -> Array:
    erf = np.vectorize(math.erf)
    hidden = weights["embeddings.word_embeddings.weight"][IDS] + weights["embeddings.token_type_embeddings.weight"][0]
    hidden = hidden + weights["embeddings.position_embeddings.weight"][: IDS.shape[1]]
    hidden = normalised(hidden, weights, "embeddings.LayerNorm")
    for layer in range(graph.LAYERS):
        prefix = f"encoder.layer.{layer}"
        mixed = attention(hidden, weights, f"{prefix}.attention")
        hidden = normalised(hidden + mixed, weights, f"{prefix}.attention.output.LayerNorm")
        wide = linear(hidden, weights, f"{prefix}.intermediate.dense")
        wide = wide * (1 + erf(wide / math.sqrt(2))) / 2
        hidden = normalised(
            hidden + linear(wide, weights, f"{prefix}.output.dense"), weights, f"{prefix}.output.LayerNorm"
        )
    pooled = (hidden * MASK[:, :, None]).sum(1) / MASK.sum(1, keepdims=True)
    return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True))


def run(recipe: Recipe) -> Array:
    model = graph.build_graph(random_weights(), TOKENS, recipe)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"input_ids": IDS, "attention_mask": MASK})[0])


def test_the_float_graph_computes_bert_with_mean_pooling() -> None:
    np.testing.assert_allclose(run(VARIANTS["fp32"]), reference(random_weights()), atol=2e-5)


def test_the_quantized_graph_stays_near_the_float_one() -> None:
    cosines = (run(VARIANTS["shipped"]) * reference(random_weights())).sum(axis=1)
    assert cosines.min() > 0.999


def test_every_precision_of_a_product_stays_near_the_float_one() -> None:
    cases: list[Blocked | Dynamic] = [Blocked(32), Blocked(128), Dynamic(), Dynamic(apart=16)]
    for precision in cases:
        recipe = Recipe(dict.fromkeys(("qkv", "out", "wide", "narrow"), precision))
        assert (run(recipe) * reference(random_weights())).sum(axis=1).min() > 0.998, precision


def test_sorted_channels_compute_the_same() -> None:
    np.testing.assert_allclose(run(Recipe(sort_channels=True)), reference(random_weights()), atol=2e-5)


def test_channels_are_sorted_by_what_layernorm_can_put_out() -> None:
    weights = random_weights()
    for name in [name for name in weights if "LayerNorm" in name]:
        weights[name][5] = 9 if name.endswith(".bias") else 1
        weights[name][7] = -20 if name.endswith(".bias") else 1
    order = order_by_size(weights)
    assert order[:2].tolist() == [7, 5]
    assert sorted(order.tolist()) == list(range(graph.HIDDEN))


def test_reordering_back_restores_every_weight() -> None:
    weights = random_weights()
    order = np.random.default_rng(3).permutation(graph.HIDDEN)
    back = reorder(reorder(weights, order), np.argsort(order))
    assert all(np.array_equal(back[name], weight) for name, weight in weights.items())


def test_the_same_weights_give_the_same_bytes() -> None:
    first, second = (graph.build_graph(random_weights(), TOKENS, VARIANTS["shipped"]) for _ in range(2))
    assert first.SerializeToString(deterministic=True) == second.SerializeToString(deterministic=True)


def test_a_row_of_zeros_stays_zero() -> None:
    rows, scales = quantize_rows(np.zeros((2, 4), dtype=np.float32))
    assert not rows.any()
    assert (scales == 1).all()
