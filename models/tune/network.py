"""The encoder as a network of torch, with the tensors and names of the official weights."""

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

HEADS: Final = 12
LAYERS: Final = 6
FROZEN_LAYERS: Final = 2
"""Lowest layers that are not tuned, like the embeddings: words keep their meaning, and less of the file differs."""
EPSILON: Final = 1e-12


class MiniLM(nn.Module):
    """Maps token ids to unit sentence vectors, as all-MiniLM-L6-v2 does: the mean over the tokens of the last layer."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        """Start from tensors by their official names; embeddings and the lowest layers stay as they are."""
        super().__init__()
        tuned = {name: value for name, value in weights.items() if is_tuned(name)}
        # Names of parameters may not contain dots.
        self.tuned = nn.ParameterDict(
            {name.replace(".", "/"): nn.Parameter(value.clone()) for name, value in tuned.items()}
        )
        self._fixed = {name: value for name, value in weights.items() if name not in tuned}

    def weights(self) -> dict[str, Tensor]:
        """Return all tensors by their official names."""
        return self._fixed | {name.replace("/", "."): value.detach() for name, value in self.tuned.items()}

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Embed texts.

        Args:
            ids: int64 (batch, sequence), padded.
            mask: float32 (batch, sequence), 1 for tokens and 0 for padding.

        Returns:
            float32 (batch, 384), of unit length.
        """
        with torch.no_grad():
            hidden = self._embedded(ids)
            for layer in range(FROZEN_LAYERS):
                hidden = self._layer(hidden, mask, layer)
        for layer in range(FROZEN_LAYERS, LAYERS):
            hidden = self._layer(hidden, mask, layer)
        return functional.normalize((hidden * mask[:, :, None]).sum(dim=1), dim=1)

    def _weight(self, name: str) -> Tensor:
        return self._fixed[name] if name in self._fixed else self.tuned[name.replace(".", "/")]

    def _embedded(self, ids: Tensor) -> Tensor:
        words = self._weight("embeddings.word_embeddings.weight")[ids]
        positions = self._weight("embeddings.position_embeddings.weight")[: ids.shape[1]]
        types = self._weight("embeddings.token_type_embeddings.weight")[0]
        return self._normalized(words + positions + types, "embeddings.LayerNorm")

    def _layer(self, hidden: Tensor, mask: Tensor, layer: int) -> Tensor:
        prefix = f"encoder.layer.{layer}"
        attended = self._dense(
            self._attention(hidden, mask, f"{prefix}.attention.self"), f"{prefix}.attention.output.dense"
        )
        hidden = self._normalized(attended + hidden, f"{prefix}.attention.output.LayerNorm")
        wide = functional.gelu(self._dense(hidden, f"{prefix}.intermediate.dense"))
        return self._normalized(self._dense(wide, f"{prefix}.output.dense") + hidden, f"{prefix}.output.LayerNorm")

    def _attention(self, hidden: Tensor, mask: Tensor, prefix: str) -> Tensor:
        batch, length, width = hidden.shape
        parts = [
            self._dense(hidden, f"{prefix}.{part}").view(batch, length, HEADS, width // HEADS).transpose(1, 2)
            for part in ("query", "key", "value")
        ]
        mixed = functional.scaled_dot_product_attention(*parts, attn_mask=mask[:, None, None, :].bool())
        return mixed.transpose(1, 2).reshape(batch, length, width)

    def _dense(self, value: Tensor, name: str) -> Tensor:
        return functional.linear(value, self._weight(f"{name}.weight"), self._weight(f"{name}.bias"))

    def _normalized(self, value: Tensor, name: str) -> Tensor:
        weight, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return functional.layer_norm(value, (value.shape[-1],), weight, bias, EPSILON)


def is_tuned(name: str) -> bool:
    """Return whether a tensor of the official weights is tuned: it is of a layer above the frozen ones."""
    return any(name.startswith(f"encoder.layer.{layer}.") for layer in range(FROZEN_LAYERS, LAYERS))
