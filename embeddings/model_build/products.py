"""Writes the dense products of the encoder, each kind in the precision that a recipe gives it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from embeddings.arrays import FloatArray
from embeddings.index.vector_product import ACCURACY_LEVEL, quantize, step_of

BYTE_LEVELS: Final = 127


def quantize_rows(table: FloatArray, levels: int = BYTE_LEVELS) -> tuple[npt.NDArray[np.int8], FloatArray]:
    """Quantize a table, with one scale per row.

    Args:
        table: float32 (rows, width).
        levels: steps on either side of zero, 127 at most.

    Returns:
        int8 (rows, width) and float32 (rows, 1); a value is `int8 * scale`.
    """
    scales = step_of(np.abs(table).max(axis=1, keepdims=True), levels)
    return np.clip(np.rint(table / scales), -levels, levels).astype(np.int8), scales


MICROSOFT: Final = "com.microsoft"

LEVELS: Final = 95
"""Steps on either side of zero for a weight of `Dynamic`. Processors with AVX2 but without VNNI add pairs of products
in 16 bits, which overflow with 127 steps. On such a processor (emulated with valgrind 3.19), five texts had cosines to
float32 of 0.9968 to 0.9990 with 127 steps, and of 0.9994 to 0.9996 with 95. Elsewhere, 95 steps lose almost nothing."""


@dataclass(frozen=True)
class Blocked:
    """8-bit weights in blocks of `size` inputs, with one scale per block (`MatMulNBits`)."""

    size: int


@dataclass(frozen=True)
class Dynamic:
    """8-bit weights with one scale per output, and inputs with one scale per text (`DynamicQuantizeMatMul`).

    The first `apart` inputs stay float32. If channels are sorted by size, these are the few large ones, which would
    make the scale of all inputs coarser. Dettmers et al. (LLM.int8(), 2022) treat outliers separately in the same way.
    """

    apart: int = 0


@dataclass(frozen=True)
class Recipe:
    """How the weights are stored.

    Attributes:
        products: precision by kind of product (`qkv`, `out`, `wide`, `narrow`); None for float32 everywhere.
        sort_channels: whether hidden channels are first sorted by size.
    """

    products: Mapping[str, Blocked | Dynamic] | None = None
    sort_channels: bool = False


@dataclass
class GraphWriter:
    """Collects nodes and initializers while the graph of the encoder is built."""

    weights: Mapping[str, FloatArray]
    recipe: Recipe
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, name: str, values: npt.NDArray[Any]) -> str:
        """Add an initializer. Returns its name."""
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(self, op: str, inputs: list[str], output: str | list[str], domain: str = "", **attributes: Any) -> str:
        """Add a node. Returns the name of its first output."""
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(op, inputs, outputs, name=outputs[0], domain=domain, **attributes))
        return outputs[0]

    def dense(self, value: str, weight: FloatArray, bias: FloatArray, name: str) -> str:
        """Add `value @ weight.T + bias` in the recipe's precision; the last part of `name` is the kind of product."""
        if self.recipe.products is None:
            product = self._float(value, weight, f"{name}.product")
            return self.add("Add", [product, self.constant(f"{name}.bias", bias)], name)
        precision = self.recipe.products[name.rpartition(".")[2]]
        if isinstance(precision, Blocked):
            return self._blocked(value, weight, bias, precision.size, name)
        if not precision.apart:
            return self._dynamic(value, weight, bias, name)
        return self._apart(value, weight, bias, precision.apart, name)

    def _float(self, value: str, weight: FloatArray, name: str) -> str:
        return self.add("MatMul", [value, self.constant(f"{name}.weight", weight.T)], name)

    def _blocked(self, value: str, weight: FloatArray, bias: FloatArray, size: int, name: str) -> str:
        blocks = quantize(weight, size)
        values = self.constant(f"{name}.weight", blocks.values)
        scales = self.constant(f"{name}.scales", blocks.scales.reshape(-1))
        inputs = [value, values, scales, "", "", self.constant(f"{name}.bias", bias)]
        shape = {"K": weight.shape[1], "N": weight.shape[0], "bits": 8, "block_size": size}
        return self.add("MatMulNBits", inputs, name, MICROSOFT, accuracy_level=ACCURACY_LEVEL, **shape)

    def _dynamic(self, value: str, weight: FloatArray, bias: FloatArray, name: str) -> str:
        rows, scales = quantize_rows(weight, LEVELS)
        inputs = [value, self.constant(f"{name}.weight", rows.T), self.constant(f"{name}.scales", scales[:, 0])]
        return self.add("DynamicQuantizeMatMul", [*inputs, "", self.constant(f"{name}.bias", bias)], name, MICROSOFT)

    def _apart(self, value: str, weight: FloatArray, bias: FloatArray, apart: int, name: str) -> str:
        sizes = self.constant(f"{name}.sizes", np.array([apart, weight.shape[1] - apart], dtype=np.int64))
        large, rest = f"{name}.large", f"{name}.rest"
        self.add("Split", [value, sizes], [large, rest], axis=2)
        first = self._float(large, weight[:, :apart], f"{name}.first")
        second = self._dynamic(rest, weight[:, apart:], bias, f"{name}.second")
        return self.add("Add", [first, second], name)
