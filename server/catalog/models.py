"""The data files as models; `data/capability-schema.json` is generated from them.

Field names and values are those of the dataset `earchibald/ai-agent-capabilities`, whose files load unchanged; only
`implementationNotes` is added. Unknown fields are ignored.
"""

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
Address = Annotated[str, Field(pattern=r"^https?://[^\s/]")]
"""URL of a web page only: a host that opens any URL it is given would also open `javascript:` or `file:`."""


def _on_the_calendar(text: str) -> str:
    date.fromisoformat(text)
    return text


Date = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_on_the_calendar)]
Tier = Literal["free", "pro", "business", "enterprise"]
MaturityLevel = Literal["experimental", "beta", "stable", "deprecated"]
Status = Literal["active", "deprecated", "modified", "unknown"]
Granularity = Literal["dedicated", "section", "excerpt"]


class FileModel(BaseModel):
    """A part of a data file: camelCase outside, snake_case inside."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class Source(FileModel):
    """Where a fact was read."""

    url: Annotated[Address, Field(description="the vendor's public page")]
    description: Annotated[str, Field(description="what the page shows")] = ""
    verified_date: Annotated[Date | None, Field(description="date of the copy that was read")] = None
    status: Status = "active"
    source_granularity: Annotated[
        Granularity | None, Field(description="a page about it, a section of one, or a passage of a broad page")
    ] = None


class ImplementationNotes(FileModel):
    """How to start using a capability."""

    setup: Annotated[str | None, Field(description="command, key, setting or step that starts it")] = None
    config_file: Annotated[str | None, Field(description="path of the key configuration file")] = None
    start_url: Annotated[Address | None, Field(description="the single best page to read next")] = None
    gotchas: Annotated[tuple[str, ...], Field(description="pitfalls and prerequisites")] = ()


class CapabilityEntry(FileModel):
    """What one agent offers of one capability."""

    category: Text
    name: Annotated[Text, Field(description="canonical name")]
    terminology: Annotated[str | None, Field(description="the agent's own word for it")] = None
    description: str = ""
    available: Annotated[bool, Field(strict=True)]
    tier: Annotated[Tier | None, Field(description="lowest plan on which it can be used")] = None
    maturity_level: MaturityLevel | None = None
    limitations: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    status: Status = "active"
    implementation_notes: ImplementationNotes | None = None
    sources: tuple[Source, ...] = ()


class AgentInfo(FileModel):
    """The agent a file is about."""

    name: Text
    vendor: str | None = None
    version: str | None = None
    last_updated: str | None = None


class AgentFile(FileModel):
    """`agents/<agent>/capabilities/current.json`."""

    agent: AgentInfo
    capabilities: tuple[CapabilityEntry, ...]


class CanonicalCapability(FileModel):
    """A capability that the entries of all agents refer to by name."""

    name: Text
    category: Text
    definition: str = ""


class CapabilitiesFile(FileModel):
    """`capabilities.json`."""

    capabilities: tuple[CanonicalCapability, ...]
    categories: dict[str, str] = Field(default_factory=dict)


class PhrasingsFile(FileModel):
    """`phrasings.json`."""

    phrasings: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    out_of_scope: tuple[str, ...] = ()
