"""How far a build into a store is."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from embeddings.training.build import Progress

Stage = Literal["fitting", "writing"]


class Report(NamedTuple):
    """How far a stage of a build is.

    Attributes:
        stage: embedding what whitening and weights are fitted to, or writing labels with the vectors of all phrases.
        done: texts that are done, with those that were skipped.
        total: texts of the stage, at most.
        skipped: those that were not embedded, because an earlier stage or build had done it.
    """

    stage: Stage
    done: int
    total: int
    skipped: int


StoreProgress = Callable[[Report], None]


def fitting(progress: StoreProgress | None, skipped: Callable[[], int]) -> Progress | None:
    """What fitting reports to, given how many texts it has skipped so far."""
    if progress is None:
        return None
    return lambda done, total: progress(Report("fitting", done, total, min(skipped(), done)))
