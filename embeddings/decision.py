"""From probabilities to a decision: the one with the least expected cost.

The costs are in units of one look at three candidates, which is what an ambiguous answer asks of the caller.
"""

from collections.abc import Sequence
from typing import Final

from embeddings.match_result import Decision

WRONG_ANSWER: Final = 10.0
"""An answer about the wrong thing: the caller believes it and passes it on, and nobody looks at it again."""

CANDIDATES: Final = 1.0
"""Three candidates with the right one among them: one more look."""

USELESS_CANDIDATES: Final = 2.0
"""Three candidates, all wrong: a look for nothing, then another question."""

MISSED: Final = 3.0
"""Told that nothing fits although something does: the weak candidates still go back, with a hint."""

_SHOWN: Final = 3


def decide(confidences: Sequence[float], none: float) -> Decision:
    """Choose between answering, offering candidates, and saying that nothing fits.

    Args:
        confidences: probabilities of the labels, best first; at least one.
        none: probability that no label fits.
    """
    among = sum(confidences[:_SHOWN])
    costs: dict[Decision, float] = {
        "resolved": WRONG_ANSWER * (1 - confidences[0]),
        "ambiguous": CANDIDATES * among + USELESS_CANDIDATES * (1 - among),
        "no_match": MISSED * (1 - none),
    }
    return min(costs, key=lambda decision: costs[decision])
