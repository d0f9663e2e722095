"""A fitted catalog: a build computes it, a vector file stores it, and queries are ranked with it."""

from dataclasses import dataclass

from embeddings.arrays import DoubleArray, FloatArray
from embeddings.index.expected_scores import ExpectedScores
from embeddings.index.kernel_ridge import KernelRidge
from embeddings.index.quantization import Blocks
from embeddings.labels.corpus import Corpus


@dataclass(frozen=True)
class FittedIndex:
    """An embedded catalog with its fitted and calibrated ranking.

    Attributes:
        corpus: the catalog's texts.
        whitening: float32 (d, k), maps the encoder's vectors to the vectors that are compared.
        blocks: the mapped vectors, n rows of k numbers, one for each phrase of the index; of unit length before they
            were rounded to 8 bits.
        head: the ranking head.
        weights: float64 (signals,), weights of the conditional logit.
        lexical_weights: the same, for degraded mode (without the model).
        model: fingerprint of the encoder that made the vectors.
        expected: what the head mostly says at a cosine; None if that was not measured.
        approximate: whether the catalog changed since whitening, weights and the head were fitted to all of it.
    """

    corpus: Corpus
    whitening: FloatArray
    blocks: Blocks
    head: KernelRidge
    weights: DoubleArray
    lexical_weights: DoubleArray
    model: str
    expected: ExpectedScores | None = None
    approximate: bool = False

    @property
    def vectors(self) -> FloatArray:
        """The vectors that are compared: float32 (n, k), computed on each access."""
        return self.blocks.restore()
