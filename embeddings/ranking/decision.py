"""Turns probabilities into the decision with the lowest expected cost.

The unit of cost is what an ambiguous answer costs the caller: looking at three candidates once.
"""

from collections.abc import Sequence
from typing import Final

from embeddings.ranking.match_result import Decision

WRONG_ANSWER: Final = 10.0
"""A wrong answer: the caller believes it and passes it on, and it is not checked again."""

CANDIDATES: Final = 1.0
"""Three candidates that include the right one: the caller looks once more."""

USELESS_CANDIDATES: Final = 2.0
"""Three wrong candidates: the caller looks at them in vain, then asks again."""

MISSED: Final = 3.0
"""`no_match` although a label fits: the weak candidates are still returned, with a hint."""

_SHOWN: Final = 3


def decide(confidences: Sequence[float], none: float) -> Decision:
    """Choose between answering, offering candidates, and answering that nothing fits.

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
