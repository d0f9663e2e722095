"""What pages say of an entry in a few words."""

from server.catalog.models import CapabilityEntry, VolatileText
from server.tools.parity_rows import AVAILABLE
from server.tools.source_ages import source_dates

NOT_AVAILABLE = "not available"
NOT_DOCUMENTED = "not documented"


def offered(entry: CapabilityEntry | None) -> str:
    """Whether an agent has a capability, from which plan on, and how mature it is."""
    if entry is None:
        return NOT_DOCUMENTED
    if not entry.available:
        return NOT_AVAILABLE
    return ", ".join(each for each in (entry.tier or AVAILABLE, entry.maturity_level) if each)


def read_on(entry: CapabilityEntry) -> str:
    """The day on which the oldest source was read; empty if no source has a date."""
    return next(iter(source_dates(entry.sources)), "")


def remarks(entry: CapabilityEntry) -> list[str]:
    """What a reader should know of an entry beside what it says."""
    found = [] if entry.status == "active" else [f"status: {entry.status}"]
    found += [f"since {entry.since}"] if entry.since else []
    found += [f"until {entry.until}"] if entry.until else []
    return [*found, *(["ages fast"] if entry.ages_fast else [])]


def statement(text: str) -> str:
    """A limitation, requirement or pitfall, with a remark if it ages fast."""
    return f"{text} (ages fast)" if isinstance(text, VolatileText) else text
