"""Tunes the network: a request shall be nearer to the tool that serves it than to the other tools of its batch.

The loss is the cross-entropy of the cosines in a batch over `TEMPERATURE` (multiple negatives ranking, Henderson et al.
2017). Half of a batch are pairs whose tools the official model finds near those of the other half. A second term keeps
texts that are no requests for tools near their official vectors.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from embeddings.arrays import FloatArray
from models.tune.network import MiniLM
from models.tune.sources import Pair

TEMPERATURE: Final = 0.05
MAX_TOKENS: Final = 64
"""Tokens of a text that are learned from; the descriptions of nearly all tools are shorter."""
NEAR: Final = 10
"""Tools that count as near a tool."""
WARM_UP: Final = 0.1
"""Share of the steps in which the rate rises to its full height; then it falls to zero."""
SAVE_EVERY: Final = 20
"""Steps between two checkpoints, about a minute."""


@dataclass(frozen=True)
class Settings:
    """How the network is tuned.

    Attributes:
        epochs: how many times each pair is learned from.
        rate: largest learning rate of AdamW.
        batch: pairs in a batch.
        kept: other texts in a batch, which keep their vectors.
        keeping: weight of the term that keeps them.
        seed: of the order of pairs, and of which texts stand for a tool.
    """

    epochs: float = 3.0
    rate: float = 1.5e-4
    batch: int = 512
    kept: int = 64
    keeping: float = 4.0
    seed: int = 0


class Texts:
    """Tokenizes and embeds texts with a network."""

    def __init__(self, tokenizer: Path) -> None:
        """Open the official tokenizer."""
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()

    def embed(self, network: MiniLM, texts: Sequence[str], at_a_time: int = 64) -> Tensor:
        """Return float32 (len(texts), 384), of unit length. Texts of like length are padded together."""
        read = [self._tokenizer.encode(text).ids for text in texts]
        order = sorted(range(len(texts)), key=lambda row: len(read[row]))
        parts = [
            self._padded(network, [read[row] for row in order[start : start + at_a_time]])
            for start in range(0, len(order), at_a_time)
        ]
        return torch.cat(parts)[torch.tensor(np.argsort(order))]

    def _padded(self, network: MiniLM, rows: Sequence[Sequence[int]]) -> Tensor:
        longest = len(rows[-1])
        ids = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
        mask = torch.tensor([[1.0] * len(row) + [0.0] * (longest - len(row)) for row in rows])
        vectors: Tensor = network(ids, mask)
        return vectors

    def vectors(self, network: MiniLM, texts: Sequence[str]) -> FloatArray:
        """Embed many texts without learning: float32 (len(texts), 384)."""
        with torch.no_grad():
            found: FloatArray = self.embed(network, texts).numpy()
        return found


class Batches:
    """Draws the batches of pairs, of which half are near each other."""

    def __init__(self, pairs: Sequence[Pair], tools: FloatArray, settings: Settings) -> None:
        """Find for each pair those with a near tool.

        Args:
            pairs: at least as many as a batch has.
            tools: float32 (len(pairs), d), official vectors of their tools.
            settings: how many pairs a batch has, and the seed.
        """
        self._pairs, self._settings = pairs, settings
        self._near = [self._near_rows(row, tools) for row in range(len(pairs))]

    def __len__(self) -> int:
        """Return how many batches there are in all epochs."""
        return round(self._settings.epochs * len(self._pairs) / self._settings.batch)

    def batch(self, number: int) -> list[Pair]:
        """Return a batch by its number; the same one every time."""
        draw = np.random.default_rng([self._settings.seed, number])
        half = self._settings.batch // 2
        rows = draw.choice(len(self._pairs), half, replace=False).tolist()
        near = [int(draw.choice(self._near[row])) for row in rows]
        return [self._pairs[row] for row in dict.fromkeys([*rows, *near])]

    def _near_rows(self, row: int, tools: FloatArray) -> list[int]:
        cosines = tools @ tools[row]
        barred = self._pairs[row].all_tools
        order = np.argpartition(-cosines, 8 * NEAR)[: 8 * NEAR]
        ranked = [int(other) for other in order[np.argsort(-cosines[order])]]
        return [other for other in ranked if self._pairs[other].tool[0] not in barred][:NEAR] or [row]


def tune(
    network: MiniLM, texts: Texts, pairs: Sequence[Pair], others: Sequence[str], settings: Settings, checkpoint: Path
) -> None:
    """Tune a network in place; goes on from the checkpoint if there is one, and tells its progress on stderr.

    Args:
        network: starts with the official weights.
        texts: tokenizes.
        pairs: what is learned.
        others: texts that keep their official vectors.
        settings: how.
        checkpoint: file that is written now and then, and removed by nobody.
    """
    optimizer = torch.optim.AdamW(network.parameters(), lr=settings.rate, weight_decay=0.01)
    tools = texts.vectors(network, [pair.tool[0] for pair in pairs])
    batches = Batches(pairs, tools, settings)
    official = torch.from_numpy(texts.vectors(network, others))
    done = _resume(checkpoint, network, optimizer)
    for step in range(done, len(batches)):
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * _height(step / len(batches))
        loss = _loss(network, texts, batches.batch(step), settings.seed + step)
        drift = _drift(network, texts, others, official, settings, step)
        optimizer.zero_grad()
        (loss + settings.keeping * drift).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        print(f"step {step + 1} of {len(batches)}: loss {loss.item():.3f}, drift {drift.item():.4f}", file=sys.stderr)
        if (step + 1) % SAVE_EVERY == 0 or step + 1 == len(batches):
            _save(checkpoint, network, optimizer, step + 1)


def _height(progress: float) -> float:
    return progress / WARM_UP if progress < WARM_UP else (1 - progress) / (1 - WARM_UP)


def _loss(network: MiniLM, texts: Texts, batch: Sequence[Pair], seed: int) -> Tensor:
    draw = np.random.default_rng(seed)
    shown = [pair.tool[0] if draw.random() < 0.6 else str(draw.choice(pair.tool)) for pair in batch]
    scores = texts.embed(network, [pair.request for pair in batch]) @ texts.embed(network, shown).T / TEMPERATURE
    # Another tool of the same request, or the same tool in another pair, is no wrong answer.
    barred = torch.tensor([[other.tool[0] in pair.all_tools for other in batch] for pair in batch])
    barred.fill_diagonal_(False)
    return torch.nn.functional.cross_entropy(scores.masked_fill(barred, -1e4), torch.arange(len(batch)))


def _drift(
    network: MiniLM, texts: Texts, others: Sequence[str], official: Tensor, settings: Settings, step: int
) -> Tensor:
    rows = np.random.default_rng([settings.seed, step, 1]).choice(len(others), settings.kept, replace=False)
    vectors = texts.embed(network, [others[row] for row in rows])
    return (1 - (vectors * official[torch.from_numpy(rows)]).sum(dim=1)).mean()


def _save(path: Path, network: MiniLM, optimizer: torch.optim.Optimizer, step: int) -> None:
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    partial = path.with_suffix(".part")
    torch.save(state, partial)
    partial.replace(path)


def _resume(path: Path, network: MiniLM, optimizer: torch.optim.Optimizer) -> int:
    """Load a checkpoint. Returns the number of steps that are done."""
    if not path.exists():
        return 0
    state: dict[str, Any] = torch.load(path, weights_only=True)
    network.load_state_dict(state["network"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])
