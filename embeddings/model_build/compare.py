"""Compares ways of storing the weights with float32: how much they change the vectors, and how fast they run.

Every text is run by itself, as `Encoder` does.
"""

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from embeddings.arrays import FloatArray, IntArray
from embeddings.encoder.encoder import Session, open_session, open_tokenizer
from embeddings.model_build import weights
from embeddings.model_build.graph import build_graph
from embeddings.model_build.products import Blocked, Dynamic, Recipe

KINDS: Final = ("qkv", "out", "wide", "narrow")

CONSIDERED: Final[Mapping[str, Recipe]] = {
    **{f"blocks of {size}": Recipe(dict.fromkeys(KINDS, Blocked(size))) for size in (32, 64, 128)},
    "blocks of 64, sorted": Recipe(dict.fromkeys(KINDS, Blocked(64)), sort_channels=True),
    "dynamic": Recipe(dict.fromkeys(KINDS, Dynamic())),
    "dynamic, second in blocks": Recipe({**dict.fromkeys(KINDS, Dynamic()), "narrow": Blocked(64)}),
}
"""Recipes that are measured in addition to `VARIANTS`, for comparison only."""

SHORT_PHRASE: Final = 8
"""Number of tokens of the phrase that is timed."""

_RUNS: Final = 100
_ROUNDS: Final = 5


@dataclass(frozen=True)
class Fidelity:
    """How close the vectors of many texts are to those of the float32 graph.

    Attributes:
        texts: number of texts.
        mean: mean cosine of a text's two vectors.
        least: smallest cosine of a text's two vectors.
        nearest: share of texts whose nearest other text is the same with both graphs.
    """

    texts: int
    mean: float
    least: float
    nearest: float

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON value, rounded to 4 digits so that other processors give the same."""
        return {name: value if isinstance(value, int) else round(value, 4) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Variant:
    """Measurements of one way of storing the weights.

    Attributes:
        name: its name in the table.
        megabytes: size of the ONNX file.
        milliseconds: median time of a phrase of `SHORT_PHRASE` tokens on one thread.
        fidelity: compared with float32.
    """

    name: str
    megabytes: float
    milliseconds: float
    fidelity: Fidelity


def compare(source: Path, recipes: Mapping[str, Recipe], texts: Sequence[str], max_tokens: int) -> list[Variant]:
    """Build and measure variants.

    Args:
        source: folder with the official files.
        recipes: variants by name; must contain `Recipe()`, the reference.
        texts: at least two.
        max_tokens: token limit at which texts are truncated.

    Raises:
        ModelError: a source file is missing or not the official one.
    """
    tokenizer = open_tokenizer(source / weights.TOKENIZER_FILE, max_tokens)
    ids = [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]
    tensors = weights.read_weights(source)
    files = {
        name: build_graph(tensors, max_tokens, recipe).SerializeToString(deterministic=True)
        for name, recipe in recipes.items()
    }
    sessions = {name: open_session(content) for name, content in files.items()}
    vectors = {name: np.concatenate([_run(session, row) for row in ids]) for name, session in sessions.items()}
    reference = vectors[next(name for name, recipe in recipes.items() if recipe == Recipe())]
    times = _times(sessions)
    return [Variant(name, len(files[name]) / 1e6, times[name], fidelity(vectors[name], reference)) for name in recipes]


def fidelity(vectors: FloatArray, reference: FloatArray) -> Fidelity:
    """Compare unit vectors, float32 (n, d), with the reference vectors of the same texts; n is 2 or more."""
    cosines = (vectors * reference).sum(axis=1)
    same = _nearest(vectors) == _nearest(reference)
    return Fidelity(len(vectors), float(cosines.mean()), float(cosines.min()), float(same.mean()))


def table(variants: Sequence[Variant]) -> str:
    """Format the variants as lines for a person to read."""
    lines = [f"{'variant':26} {'MB':>5} {'ms':>6} {'mean cosine':>12} {'least':>7} {'same nearest':>13}"]
    for variant in variants:
        found = variant.fidelity
        lines.append(
            f"{variant.name:26} {variant.megabytes:5.1f} {variant.milliseconds:6.2f} {found.mean:12.5f} "
            f"{found.least:7.4f} {found.nearest:13.4f}"
        )
    return "\n".join(lines)


def _nearest(vectors: FloatArray) -> IntArray:
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    return np.asarray(cosines.argmax(axis=1), dtype=np.int64)


def _run(session: Session, ids: Sequence[int]) -> FloatArray:
    row = np.array([ids], dtype=np.int64)
    (vectors,) = session.run(None, {"input_ids": row, "attention_mask": np.ones_like(row)})
    return np.asarray(vectors, dtype=np.float32)


def _times(sessions: Mapping[str, Session]) -> dict[str, float]:
    """Time a short phrase, in milliseconds. The variants take turns, so that a slow moment affects all of them."""
    phrase = [101, *range(2000, 2000 + SHORT_PHRASE - 2), 102]
    taken: dict[str, list[float]] = {name: [] for name in sessions}
    for _ in range(_ROUNDS):
        for name, session in sessions.items():
            for _ in range(_RUNS):
                start = time.perf_counter()
                _run(session, phrase)
                taken[name].append(time.perf_counter() - start)
    return {name: 1000 * statistics.median(times) for name, times in taken.items()}
