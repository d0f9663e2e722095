"""Turns probabilities into the decision with the lowest expected cost."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from embeddings.ranking.match_result import Decision


@dataclass(frozen=True)
class Costs:
    """The costs of each kind of mistake or detour to the caller; only the ratios matter.

    Attributes:
        wrong: an answer with another label than the right one; the caller believes it and passes it on.
        unfounded: an answer although no label fits; not even its subject is what the caller asked about.
        candidates: three candidates that include the right one; the caller looks once more.
        useless: three wrong candidates; the caller looks at them in vain, then asks again.
        missed: `no_match` although a label fits; the weak candidates are still returned, with a hint.
    """

    wrong: float = 8.0
    candidates: float = 1.0
    useless: float = 2.0
    missed: float = 3.0
    unfounded: float = 15.0

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
"""The cost of a wrong answer is a choice; how often answers are wrong is measured, on the 1,564 queries of
`benchmarks/dev.jsonl` and `apart_*.jsonl` and, in brackets, the 1,340 held-out ones.

One cost of 10 for both kinds of wrong answer leaves 41 (46) queries ambiguous whose first label has 0.8 or more and
whose second has less than 0.1. The first is right for 34 (40) of them: 27 of 30 (31 of 35) where `none` is below 0.03,
7 of 11 (9 of 11) elsewhere. 6 (3) fit no label, so answering them all would nearly double the false resolves.
With 8 and 15, 978 instead of 970 (789 instead of 782) are resolved, of these 5 as before (14 instead of 13) to another
label than the right one, and 6 instead of 7 (3 instead of 4) although no label fits.
"""

NAMED_COSTS: Final[Mapping[str, Costs]] = {
    "careful": DEFAULT_COSTS,
    "routing": Costs(wrong=5.0, candidates=1.0, useless=1.0, missed=2.0, unfounded=8.0),
    "offer": Costs(missed=4.5),
}
"""Costs by what the answers are for.

*careful*: an answer is believed and passed on. *routing*: a person looks at whatever is not resolved, so that a wrong
answer costs as much as five looks. *offer*: a caller picks among candidates, so that a wrong `no_match`, which ends the
matter, is what hurts; a gateway's costs. Shares of served requests that are `no_match`, and resolved, and of others
that are `no_match`, on ToolAlpaca (94 tools without examples) and on catalogs of 25 intents of CLINC150 and HWU64 with
three examples each:

| costs | ToolAlpaca | CLINC150 | HWU64 |
|---|---|---|---|
| careful | 0.070, 0.342, 0.88 | 0.038, 0.776, 0.90 | 0.091, 0.578, 0.87 |
| routing | 0.070, 0.412, 0.88 | 0.033, 0.800, 0.88 | 0.067, 0.629, 0.76 |
| offer | 0.035, 0.342, 0.83 | 0.018, 0.776, 0.81 | 0.038, 0.578, 0.53 |

Resolved to a wrong label are 0.010, 0.002 and 0.009 of them with *careful* and *offer*, with *routing* 0.015, 0.004 and
0.016.
"""

SHOWN: Final = 3
"""Candidates that an ambiguous answer offers."""


def decide(confidences: Sequence[float], none: float, costs: Costs = DEFAULT_COSTS) -> Decision:
    """Choose between answering, offering candidates, and answering that nothing fits.

    Args:
        confidences: probabilities of the labels, best first; at least one, and more than `SHOWN` change nothing.
        none: probability that no label fits.
        costs: what the mistakes cost.
    """
    expected = expected_costs(confidences, none, costs)
    return min(expected, key=lambda decision: expected[decision])


def expected_costs(confidences: Sequence[float], none: float, costs: Costs = DEFAULT_COSTS) -> dict[Decision, float]:
    """Compute what each decision is expected to cost; the arguments are those of `decide`."""
    among = sum(confidences[:SHOWN])
    return {
        "resolved": costs.wrong * max(0.0, 1 - confidences[0] - none) + costs.unfounded * none,
        "ambiguous": costs.candidates * among + costs.useless * (1 - among),
        "no_match": costs.missed * (1 - none),
    }
