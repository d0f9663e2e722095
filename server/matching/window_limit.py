"""The limit of what one call embeds.

Only calls with several phrases can reach it: the longest single phrase comes to less than `MAX_WINDOWS`.
"""

from collections.abc import Sequence
from typing import Final

from embeddings.ranking.pauses import pause
from server.errors import CallerError

MAX_WINDOWS: Final = 320
"""Windows of 256 tokens that one call embeds at most, by the estimate of `embeddings.ranking.workload`. By it, twenty
needs of 400 ordinary characters come to 135, twenty of 1,000 to 256, and no single phrase to more than 142. At 0.04 s
for a full window (one core of a machine with other work), the heaviest call takes 13 s, in which other callers have
their turns; twenty needs of 10,000 characters of 256-token windows would take 26 s."""


def check_windows(what: str, phrases: Sequence[str], most: int, next_step: str) -> None:
    """Check that phrases come to at most so many windows; what is beyond the limit is not counted.

    Args:
        what: what messages call the phrases together.
        phrases: as much of each as is read.
        most: maximum windows.
        next_step: what the caller can do.

    Raises:
        CallerError: they come to more.
    """
    # Imported here because it needs numpy, which a server loads after it has listed its tools.
    from embeddings.ranking.workload import WINDOW, max_windows

    for number, windows in enumerate(max_windows(phrases), start=1):
        pause()
        if windows > most:
            raise CallerError(
                f"{what} can come to {windows:,} windows of {WINDOW} tokens with the first {number:,} of "
                f"{len(phrases):,} texts alone; at most {most:,} are read at once; {next_step}"
            )
