"""Which families a caller may use, by the caller's identity."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Self

from server.errors import CallerError, brief
from server.profiles import FULL
from server.tables import read_table
from server.tools.families import CHOOSABLE, CORE, META

ANYONE: Final = "*"


@dataclass(frozen=True)
class Allowlist:
    """Rules from an identity, in which `*` stands for any text, to families.

    Attributes:
        rules: pattern to permitted families. The most particular pattern that fits decides: the identity itself, else
            the longest pattern.
    """

    rules: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read `{"identity": ["family", ...]}` as JSON, or the same table as TOML where the name ends in .toml.

        Raises:
            CallerError: the file cannot be read or says what cannot be meant.
        """
        value = read_table(path, "allowlist", "identities to lists of families")
        return cls({pattern: _families(path, pattern, families) for pattern, families in value.items()})

    def permitted(self, identity: str | None) -> frozenset[str]:
        """Families of a caller; `core` where no rule fits, and for a caller without an identity unless `*` has a rule.

        Args:
            identity: the token's name over HTTP, the client's name over stdio; None where there is neither.
        """
        if not identity:
            return self.rules.get(ANYONE, frozenset({CORE}))
        if identity in self.rules:
            return self.rules[identity]
        fitting = [pattern for pattern in self.rules if fnmatchcase(identity, _only_stars(pattern))]
        return self.rules[max(fitting, key=len)] if fitting else frozenset({CORE})


def _only_stars(pattern: str) -> str:
    """The pattern for `fnmatch`, in which only the star is special."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def _families(path: Path, pattern: str, families: Any) -> frozenset[str]:
    known = (*CHOOSABLE, META, FULL)
    if not isinstance(families, list) or not all(family in known for family in families):
        raise CallerError(
            f"allowlist {brief(str(path))} gives {brief(pattern)} {brief(families)}; a rule is a list of "
            f"{', '.join((*CHOOSABLE, FULL))}; mend the rule"
        )
    return frozenset(CHOOSABLE) if FULL in families else frozenset(families) - {META}
