"""Turns probabilities into the decision with the lowest expected cost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

from embeddings.ranking.match_result import Decision


@dataclass(frozen=True)
class Costs:
    """What each kind of mistake or detour costs the caller; only the ratios matter.

    Attributes:
        wrong: a wrong answer; the caller believes it and passes it on, and it is not checked again.
        candidates: three candidates that include the right one; the caller looks once more.
        useless: three wrong candidates; the caller looks at them in vain, then asks again.
        missed: `no_match` although a label fits; the weak candidates are still returned, with a hint.
    """

    wrong: float = 10.0
    candidates: float = 1.0
    useless: float = 2.0
    missed: float = 3.0

    def __post_init__(self) -> None:
        """Check the costs.

        Raises:
            ValueError: a cost is negative or not finite.
        """
        for field in fields(self):
            value = getattr(self, field.name)
            if not math.isfinite(value) or value < 0:
                raise ValueError(
                    f"the cost {field.name!r} is {value}; a cost must be a finite number of 0 or more; "
                    f"pass one, such as the default {field.default}"
                )


DEFAULT_COSTS: Final = Costs()

_SHOWN: Final = 3


def decide(confidences: Sequence[float], none: float, costs: Costs = DEFAULT_COSTS) -> Decision:
    """Choose between answering, offering candidates, and answering that nothing fits.

    Args:
        confidences: probabilities of the labels, best first; at least one.
        none: probability that no label fits.
        costs: what the mistakes cost.
    """
    among = sum(confidences[:_SHOWN])
    expected: dict[Decision, float] = {
        "resolved": costs.wrong * (1 - confidences[0]),
        "ambiguous": costs.candidates * among + costs.useless * (1 - among),
        "no_match": costs.missed * (1 - none),
    }
    return min(expected, key=lambda decision: expected[decision])
