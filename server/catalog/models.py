"""The data files as models; `data/capability-schema.json` is generated from them.

Field names and values are those of the dataset `earchibald/ai-agent-capabilities`, whose files load unchanged. Added
are `implementationNotes`, `alsoKnownAs`, and what tells how old facts are: `asOf`, `volatile`, `since` and `until`.
Unknown fields are ignored.
"""

from datetime import date
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from server.errors import unknown

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
Address = Annotated[str, Field(pattern=r"^https?://[^\s/]")]
"""URL of a web page only: a host that opens any URL it is given would also open `javascript:` or `file:`."""


def _on_the_calendar(text: str) -> str:
    date.fromisoformat(text)
    return text


Date = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_on_the_calendar)]
Release = Annotated[str, Field(pattern=r"^v?\d{1,9}(\.\d{1,9})*([-+]\S*)?$")]
"""A release of an agent, such as `2.1.316`; `server.catalog.releases` compares them."""

Tier = Literal["free", "pro", "business", "enterprise"]
MaturityLevel = Literal["experimental", "beta", "stable", "deprecated"]
Status = Literal["active", "deprecated", "modified", "unknown"]
Granularity = Literal["dedicated", "section", "excerpt"]


class FileModel(BaseModel):
    """A part of a data file: camelCase outside, snake_case inside."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class MarkedText(FileModel):
    """A statement, and whether it ages fast."""

    text: Text
    volatile: Annotated[
        bool, Field(strict=True, description="it ages fast, such as a limit of a plan or a default model")
    ] = False


class VolatileText(str):
    """A statement that ages fast. To whoever only reads it, it is a text like any other."""

    __slots__ = ()


def _statement(value: Any, as_text: ValidatorFunctionWrapHandler) -> str:
    """A statement given as a text or as a `MarkedText`."""
    if not isinstance(value, dict):
        return str(as_text(value))
    try:
        marked = MarkedText.model_validate(value)
    except ValidationError as error:
        raise PydanticCustomError("statement", 'a statement is a text, or {"text": "...", "volatile": true}') from error
    return VolatileText(marked.text) if marked.volatile else marked.text


StatementText = Annotated[str, WrapValidator(_statement, json_schema_input_type=str | MarkedText)]


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
    gotchas: Annotated[tuple[StatementText, ...], Field(description="pitfalls and prerequisites")] = ()


class CapabilityEntry(FileModel):
    """What one agent offers of one capability."""

    category: Text
    name: Annotated[Text, Field(description="canonical name")]
    terminology: Annotated[str | None, Field(description="the agent's own word for it")] = None
    description: str = ""
    available: Annotated[bool, Field(strict=True)]
    tier: Annotated[Tier | None, Field(description="lowest plan on which it can be used")] = None
    maturity_level: MaturityLevel | None = None
    limitations: tuple[StatementText, ...] = ()
    requirements: tuple[StatementText, ...] = ()
    status: Status = "active"
    implementation_notes: ImplementationNotes | None = None
    sources: tuple[Source, ...] = ()
    volatile: Annotated[bool, Field(strict=True, description="its description, plan or setup age fast")] = False
    since: Annotated[Release | None, Field(description="release of the agent from which the entry holds")] = None
    until: Annotated[Release | None, Field(description="release from which the entry no longer holds")] = None

    @property
    def volatile_texts(self) -> frozenset[str]:
        """The limitations, requirements and gotchas that age fast."""
        gotchas = self.implementation_notes.gotchas if self.implementation_notes else ()
        texts = (*self.limitations, *self.requirements, *gotchas)
        return frozenset(text for text in texts if isinstance(text, VolatileText))

    @property
    def ages_fast(self) -> bool:
        """Whether something in it ages fast."""
        return self.volatile or bool(self.volatile_texts)


class AgentInfo(FileModel):
    """The agent a file is about."""

    name: Text
    vendor: str | None = None
    version: str | None = None
    last_updated: str | None = None
    also_known_as: Annotated[
        tuple[str, ...], Field(description="what else people call it; callers may use any of these words")
    ] = ()


class AsOf(FileModel):
    """The release of the agent that its entries describe, and the day of the newest page that was read."""

    version: Release
    date: Date


class AgentFile(FileModel):
    """`agents/<agent>/capabilities/current.json`."""

    agent: AgentInfo
    as_of: AsOf | None = None
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


class QuestionsFile(FileModel):
    """`agents/<agent>/capabilities/questions.json`: by capability and statement, questions that it answers."""

    questions: dict[str, dict[str, tuple[str, ...]]]


TIERS: Final[tuple[Tier, ...]] = get_args(Tier)
"""Plans, the cheapest first."""

MATURITY_LEVELS: Final[tuple[MaturityLevel, ...]] = get_args(MaturityLevel)
"""Levels of maturity, the least first; what is deprecated comes last."""


def known_tier(name: str) -> Tier:
    """The plan that a caller names, ignoring case.

    Raises:
        CallerError: no plan has this name.
    """
    for tier in TIERS:
        if tier == name.strip().casefold():
            return tier
    raise unknown("tier", name, TIERS, "Call again with a known tier.")


def within(entry: CapabilityEntry, most: Tier | None) -> bool:
    """Whether a capability is available on a plan no higher than `most`; an unknown plan counts as low enough."""
    if not entry.available or most is None or entry.tier is None:
        return entry.available
    return TIERS.index(entry.tier) <= TIERS.index(most)
