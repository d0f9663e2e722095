import numpy as np
import onnx
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.arrays import FloatArray
from embeddings.index.vector_product import BLOCK_SIZE, VectorProduct, product_graph, quantize


def unit_vectors(count: int, width: int, seed: int) -> FloatArray:
    vectors = np.random.default_rng(seed).normal(size=(count, width))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 300), st.integers(1, 90), st.integers(1, 3), st.integers(0, 10_000))
def test_cosines_are_those_of_plain_products(rows: int, width: int, queries: int, seed: int) -> None:
    vectors, asked = unit_vectors(rows, width, seed), unit_vectors(queries, width, seed + 1)
    found = VectorProduct(quantize(vectors, BLOCK_SIZE))(asked)
    assert found.dtype == np.float32
    assert found.shape == (queries, rows)
    np.testing.assert_allclose(found, asked @ vectors.T, atol=0.03)


def test_at_the_width_of_the_model_cosines_are_off_by_little() -> None:
    vectors, asked = unit_vectors(2000, 256, 1), unit_vectors(8, 256, 2)
    errors = VectorProduct(quantize(vectors, BLOCK_SIZE))(asked) - asked @ vectors.T
    assert np.abs(errors).max() < 0.004


def test_the_graph_is_what_onnx_reads_and_accepts() -> None:
    for rows, width in [(1, 1), (3, 33), (200, 256)]:
        model = onnx.load_from_string(product_graph(quantize(unit_vectors(rows, width, 3), 32)))
        onnx.checker.check_model(model)
        assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 20), ("com.microsoft", 1)], rows
        (node,) = model.graph.node
        attributes = {attribute.name: attribute.i for attribute in node.attribute}
        assert (node.domain, node.op_type) == ("com.microsoft", "MatMulNBits"), rows
        assert attributes == {"K": width, "N": rows, "bits": 8, "block_size": 32, "accuracy_level": 4}, rows
