"""One agent's line of a comparison, kept short enough for all lines together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self

from server.catalog.models import CapabilityEntry, MaturityLevel, Tier
from server.tools.answers import AbsentIfEmpty, Answer, Relevants, RelevantStatement, as_text
from server.tools.limits import cut

ROOM: Final = 1_000
"""Bytes of JSON for each agent; four agents then stay within 1,200 tokens of cl100k, as a test measures."""

FEWEST_AGENTS: Final = 4
"""Fewer agents than this share the room of so many."""


class ShortNotes(Answer):
    """The minimum needed to start using a capability."""

    setup: str | None = None
    start_url: str | None = None


class ComparedAgent(Answer):
    """One agent's standing; `limitations` leaves out those in `relevant`, and can be shortened."""

    agent: str
    available: bool | None = None
    documented: Literal[False] | None = None
    relevant: Relevants = None
    tier: Tier | None = None
    maturity_level: MaturityLevel | None = None
    terminology: str | None = None
    limitations: Annotated[list[str] | None, AbsentIfEmpty] = None
    implementation_notes: ShortNotes | None = None

    def shortened(self, length: "Length") -> Self:
        """The same with fewer and shorter texts."""
        notes = self.implementation_notes
        setup = cut(notes.setup, length.other) if notes and notes.setup else None
        return self.model_copy(
            update={
                "relevant": [
                    said.model_copy(update={"statement": cut(said.statement, length.other)})
                    for said in self.relevant or ()
                ]
                or None,
                "limitations": [cut(text, length.limitation) for text in (self.limitations or ())[: length.count]]
                or None,
                "implementation_notes": notes.model_copy(update={"setup": setup}) if notes else None,
            }
        )


@dataclass(frozen=True)
class Length:
    """How long the texts of a line may be.

    Attributes:
        count: maximum limitations.
        limitation: maximum characters of each.
        other: maximum characters of each other text.
    """

    count: int
    limitation: int
    other: int


LENGTHS: Final = (
    *(Length(count, 4_000, 4_000) for count in (50, 5, 4, 3, 2)),
    *(Length(2, most, 4_000) for most in (200, 150, 100)),
    *(Length(1, most, 4_000) for most in (200, 100, 50)),
    *(Length(1, 50, most) for most in (400, 200, 100, 50)),
)
"""From everything to little; the first with which the lines fit is taken."""


def compared(agent: str, entry: CapabilityEntry | None, relevant: Sequence[RelevantStatement]) -> ComparedAgent:
    """One agent's line in full."""
    if entry is None:
        return ComparedAgent(agent=agent, documented=False)
    told = {said.statement for said in relevant}
    notes = entry.implementation_notes
    return ComparedAgent(
        agent=agent,
        available=entry.available,
        tier=entry.tier if entry.available else None,
        maturity_level=entry.maturity_level if entry.available else None,
        terminology=entry.terminology,
        relevant=list(relevant),
        limitations=[text for text in entry.limitations if text not in told],
        implementation_notes=ShortNotes(setup=notes.setup, start_url=notes.start_url)
        if entry.available and notes
        else None,
    )


def fitting(lines: Sequence[ComparedAgent]) -> list[ComparedAgent]:
    """The lines, shortened as far as needed."""
    room = ROOM * max(len(lines), FEWEST_AGENTS)
    shorter = list(lines)
    for length in LENGTHS:
        shorter = [line.shortened(length) for line in lines]
        if _size(shorter) <= room:
            break
    return shorter


def _size(lines: Iterable[ComparedAgent]) -> int:
    return sum(len(as_text(line.to_json()).encode()) for line in lines)
