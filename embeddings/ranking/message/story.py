"""Reads a long message window by window: most of it tells a story, and somewhere it says what is wanted."""

import re
from collections.abc import Sequence
from typing import Final

from embeddings.ranking.message.mixture import Reading, mix
from embeddings.ranking.message.parts import Rank
from embeddings.ranking.ranking import Ranking
from embeddings.text.message.clauses import is_request
from embeddings.text.message.windows import windows

REQUEST: Final = 10.0
"""How many times likelier a window with the form of a request is to hold the need."""

LAST: Final = 5.0
"""How many times likelier the last window is to hold the need."""

SURENESS: Final = 3
"""Power of a window's highest confidence in its weight: an aside resembles several labels a little.

With these three, of 32 messages of 300 words that end with the need all are right first and 27 resolved; of 32 with the
need in the middle 30 and 20. None is resolved wrongly. With no weights, 18 of either kind are right first.
"""

BOTH_SURE: Final = 0.8
"""Confidence from which two requests for different labels are two needs."""

_COURTESY: Final = re.compile(
    r"^\W*(?:many |kind |best |warm |with )*"
    r"(?:thanks|thank you|regards|cheers|sincerely|yours|greetings|bye|have a (?:nice|good|great))\b",
    re.IGNORECASE,
)


def read_story(text: str, rank: Rank) -> Reading:
    """Read a long message."""
    cut = windows(text)
    texts = [window for window in cut.texts if not _COURTESY.match(window)] or list(cut.texts)
    rankings = rank(texts)
    weights = _weights(texts, rankings)
    reading = Reading(mix(rankings, weights, text), ("truncated",) if cut.truncated else ())
    return reading.noted("several_needs") if _several(texts, rankings) else reading


def _weights(texts: Sequence[str], rankings: Sequence[Ranking]) -> list[float]:
    weights = [
        (1 - float(ranking.confidences[-1])) * ranking.confidence(ranking.best) ** SURENESS * _request_weight(text)
        for text, ranking in zip(texts, rankings, strict=True)
    ]
    weights[-1] *= LAST
    return weights if sum(weights) > 0 else [1.0] * len(weights)


def _request_weight(text: str) -> float:
    return REQUEST if is_request(text) else 1.0


def _several(texts: Sequence[str], rankings: Sequence[Ranking]) -> bool:
    sure = {
        ranking.best
        for text, ranking in zip(texts, rankings, strict=True)
        if is_request(text) and ranking.confidence(ranking.best) >= BOTH_SURE
    }
    return len(sure) > 1
