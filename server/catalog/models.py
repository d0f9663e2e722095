"""The data files as models; `data/capability-schema.json` is generated from them.

Field names and values are those of the dataset `earchibald/ai-agent-capabilities`, whose files load unchanged. Added
are `implementationNotes`, `alsoKnownAs`, `variants`, `access`, `details`, ids of statements, and what tells how far
facts can be trusted: `checked`, `asOf`, `volatile`, `since` and `until`. Unknown fields are ignored.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal, get_args

from pydantic import Field

from server.catalog.statement_text import (
    FIXED_IDS,
    Date,
    DescriptionField,
    EntryStatement,
    FileModel,
    MarkedText,
    StatementField,
    Text,
    mark_of,
    sentences,
)

Address = Annotated[str, Field(pattern=r"^https?://[^\s/]")]
"""URL of a web page only: a host that opens any URL it is given would also open `javascript:` or `file:`."""


Release = Annotated[str, Field(pattern=r"^v?\d{1,9}(\.\d{1,9})*([-+]\S*)?$")]
"""A release of an agent, such as `2.1.316`; `server.catalog.releases` compares them."""

Tier = Literal["free", "pro", "business", "enterprise"]
"""The lowest plan: `free` needs a free account at most, and no card; `pro` is the vendor's first paid personal plan."""

Access = Literal["ownKey", "cloudProvider", "localModel", "adminOnly"]
"""What opens a capability without a plan: one's own API key, a cloud provider's models, a local model. `adminOnly`: an
organisation's administrator has to set it up."""

MaturityLevel = Literal["experimental", "beta", "stable", "deprecated"]
Status = Literal["active", "deprecated", "modified", "unknown"]
Granularity = Literal["dedicated", "section", "excerpt"]


class Source(FileModel):
    """Where a fact was read."""

    url: Annotated[Address, Field(description="the vendor's public page")]
    description: Annotated[str, Field(description="what the page shows")] = ""
    verified_date: Annotated[Date | None, Field(description="date of the copy that was read")] = None
    status: Status = "active"
    source_granularity: Annotated[
        Granularity | None, Field(description="a page about it, a section of one, or a passage of a broad page")
    ] = None


class Checked(FileModel):
    """How an entry was checked last.

    Attributes:
        by: `ran` if the agent's program was run for what it says, `read` if pages were read alone.
        version: the release that was run, or that the pages describe.
        date: the day of the run, or of the newest copy that was read.
    """

    by: Literal["ran", "read"]
    version: Release
    date: Date


class ImplementationNotes(FileModel):
    """How to start using a capability."""

    setup: Annotated[str | None, Field(description="command, key, setting or step that starts it")] = None
    config_file: Annotated[str | None, Field(description="path of the key configuration file")] = None
    start_url: Annotated[Address | None, Field(description="the single best page to read next")] = None
    gotchas: Annotated[tuple[StatementField, ...], Field(description="pitfalls and prerequisites")] = ()


class CapabilityEntry(FileModel):
    """What one agent offers of one capability."""

    category: Text
    name: Annotated[Text, Field(description="canonical name")]
    terminology: Annotated[str | None, Field(description="the agent's own word for it")] = None
    description: DescriptionField = ""
    available: Annotated[bool, Field(strict=True)]
    tier: Annotated[Tier | None, Field(description="lowest plan of the vendor that includes it; none if none does")] = (
        None
    )
    access: Annotated[tuple[Access, ...], Field(description="what else opens it, without a plan; who may use it")] = ()
    variant: Annotated[Text | None, Field(description="the variant of the agent that it describes; all by default")] = (
        None
    )
    checked: Annotated[Checked | None, Field(description="how and when it was checked last")] = None
    maturity_level: MaturityLevel | None = None
    limitations: tuple[StatementField, ...] = ()
    requirements: tuple[StatementField, ...] = ()
    details: Annotated[
        tuple[StatementField, ...], Field(description="what only a narrow question brings up; no answer shows all")
    ] = ()
    status: Status = "active"
    implementation_notes: ImplementationNotes | None = None
    sources: tuple[Source, ...] = ()
    volatile: Annotated[bool, Field(strict=True, description="its description, plan or setup age fast")] = False
    since: Annotated[Release | None, Field(description="release of the agent from which the entry holds")] = None
    until: Annotated[Release | None, Field(description="release from which the entry no longer holds")] = None

    @property
    def statements(self) -> Iterator[EntryStatement]:
        """Every statement of the entry, field by field."""
        notes = self.implementation_notes or ImplementationNotes()
        fields = {
            "description": sentences(self.description),
            "limitations": self.limitations,
            "requirements": self.requirements,
            "setup": [notes.setup] if notes.setup else [],
            "configFile": [notes.config_file] if notes.config_file else [],
            "gotchas": notes.gotchas,
            "details": self.details,
        }
        for field, texts in fields.items():
            for text in texts:
                mark = mark_of(text)
                yield EntryStatement(field, field if field in FIXED_IDS else mark.id if mark else None, text)

    @property
    def marks(self) -> tuple[MarkedText, ...]:
        """What is known of the statements beside their texts."""
        return tuple(mark for statement in self.statements if (mark := mark_of(statement.text)))

    @property
    def volatile_texts(self) -> frozenset[str]:
        """The statements that age fast."""
        return frozenset(mark.text for mark in self.marks if mark.volatile)

    @property
    def ages_fast(self) -> bool:
        """Whether something in it ages fast."""
        return self.volatile or bool(self.volatile_texts)

    @property
    def ending(self) -> tuple[MarkedText, ...]:
        """The statements that hold until a day, the earliest first."""
        return tuple(sorted((mark for mark in self.marks if mark.until), key=lambda mark: mark.until or ""))


class AgentInfo(FileModel):
    """The agent a file is about."""

    name: Text
    vendor: str | None = None
    version: str | None = None
    last_updated: str | None = None
    also_known_as: Annotated[
        tuple[str, ...], Field(description="what else people call it; callers may use any of these words")
    ] = ()
    variants: Annotated[
        dict[str, str], Field(description="programs, major versions or harnesses that differ, and what each is")
    ] = Field(default_factory=dict)


class AsOf(FileModel):
    """The release that half of the entries are checked against, or a newer one, and the day of the newest check."""

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
    """`phrasings.json`: examples of how people ask.

    Attributes:
        phrasings: by capability.
        whole: those that ask for a capability as a whole, for no detail, by capability.
        facets: by facet, as `<capability>/<id>`; these are phrasings of the capability, too.
        against: phrasings that hope for the opposite of a facet, so that its verdict is reversed.
        out_of_scope: phrases that no capability answers.
    """

    phrasings: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    whole: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    facets: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    against: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    out_of_scope: tuple[str, ...] = ()


class QuestionsFile(FileModel):
    """`agents/<agent>/capabilities/questions.json`: by capability and statement, questions that it answers.

    A statement is named by its id, or by its text.
    """

    questions: dict[str, dict[str, tuple[str, ...]]]


MATURITY_LEVELS: Final[tuple[MaturityLevel, ...]] = get_args(MaturityLevel)
"""Levels of maturity, the least first; what is deprecated comes last."""
