"""Why the tools of another server cannot be called now."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Outage:
    """A server, or one of its tools, that is not ready.

    Attributes:
        kind: in a word, for programs: connecting, down, unauthorized.
        since: when it began.
        why: in words, if that is known.
        next_step: what a caller can do.
    """

    kind: str
    since: datetime
    why: str = ""
    next_step: str = "call again later"

    def __str__(self) -> str:
        since = self.since.isoformat(timespec="seconds")
        return f"{self.kind} since {since}" + (f" ({self.why})" if self.why else "")
