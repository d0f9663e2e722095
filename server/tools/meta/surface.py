"""A tool surface as plain data: families of tools, which tools a profile shows, how to name them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

JARGON: Final = (
    "--profile",
    "json-rpc",
    "-32601",
    "tools/list",
    "load_family",
    "smart_load",
)
"""Words, in lower case, that a sentence for users never contains; nor does it contain a name with its prefix."""


@dataclass(frozen=True)
class Naming:
    """How people speak of the tools.

    Attributes:
        noun: what the tools are about, as in "7 memory tools".
        prefix: the start of tool names that people leave out; may be empty.
    """

    noun: str
    prefix: str = ""

    def __post_init__(self) -> None:
        """Refuse a noun that must not be shown to users.

        Raises:
            ValueError: the noun is jargon.
        """
        if _is_jargon(self.noun):
            raise ValueError(f"noun {self.noun!r} is protocol jargon; users read it; choose a plain word")

    def plain(self, tools: Sequence[str]) -> list[str]:
        """Names as users see them: without the prefix, and without names that are still jargon."""
        stripped = [tool.removeprefix(self.prefix) for tool in tools]
        return [name for name in stripped if name and not _is_jargon(name, self.prefix)]


def _is_jargon(text: str, *more: str) -> bool:
    folded = text.casefold()
    return any(word in folded for word in (*JARGON, *(part.casefold() for part in more)) if word)


NAMING: Final = Naming("agent-capability")
"""How people speak of this server's tools."""


@dataclass(frozen=True)
class Profile:
    """The families that are loaded.

    Attributes:
        label: its name, or the families joined by commas.
        families: loaded ones.
    """

    label: str
    families: tuple[str, ...]


@dataclass(frozen=True)
class Surface:
    """All tools.

    Attributes:
        families: tool names by family, in order.
        always_on: tools that are advertised under any profile; sentences for users do not mention them.
        pinned: tools that are advertised under any profile, and that are mentioned.
    """

    families: Mapping[str, tuple[str, ...]]
    always_on: tuple[str, ...] = ()
    pinned: frozenset[str] = frozenset()

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """From `{"families": {name: [tools]}, "alwaysOn": [tools]}`; other keys are ignored.

        Raises:
            KeyError: `families` is missing.
        """
        families = {name: tuple(tools) for name, tools in value["families"].items()}
        return cls(families, tuple(value.get("alwaysOn", ())))

    @property
    def tools(self) -> list[str]:
        """Every tool, in order."""
        return [tool for tools in self.families.values() for tool in tools]

    def visible(self, profile: Profile) -> list[str]:
        """Tools that are advertised under a profile, in order."""
        return [
            tool
            for family, tools in self.families.items()
            for tool in tools
            if family in profile.families or tool in self.always_on or tool in self.pinned
        ]
