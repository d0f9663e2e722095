"""Which families a caller may use, by the caller's identity."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Self

from server.errors import CallerError, brief
from server.files import read_table
from server.tools.families import CHOOSABLE, CORE, FULL, META

ANYONE: Final = "*"


@dataclass(frozen=True)
class Allowlist:
    """Rules that map identities to the families they may use; `*` in an identity stands for any text.

    Attributes:
        rules: pattern to permitted families. The rule for the exact identity applies, else the longest pattern that
            matches.
    """

    rules: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read `{"identity": ["family", ...]}` as JSON, or the same table as TOML if the name ends in .toml.

        Raises:
            CallerError: the file cannot be read, or a rule is not a list of known families.
        """
        value = read_table(path, "allowlist", "identities to lists of families")
        return cls({pattern: _families(path, pattern, families) for pattern, families in value.items()})

    def permitted(self, identity: str | None, given: frozenset[str] = frozenset({CORE})) -> frozenset[str]:
        """The families that a caller may use; `given` if no rule matches.

        A caller without an identity gets the rule for `*`.

        Args:
            identity: the token's name over HTTP, the client's name over stdio; None if there is neither.
            given: families of callers without a rule.
        """
        if not identity:
            return self.rules.get(ANYONE, given)
        if identity in self.rules:
            return self.rules[identity]
        fitting = [pattern for pattern in self.rules if fnmatchcase(identity, _only_stars(pattern))]
        return self.rules[max(fitting, key=len)] if fitting else given


def _only_stars(pattern: str) -> str:
    """The pattern escaped for `fnmatch`, so that only `*` is special."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def _families(path: Path, pattern: str, families: Any) -> frozenset[str]:
    known = (*CHOOSABLE, META, FULL)
    if not isinstance(families, list) or not all(family in known for family in families):
        raise CallerError(
            f"allowlist {brief(str(path))} has the rule {brief(pattern)}: {brief(families)}; a rule is a "
            f"list of {', '.join((*CHOOSABLE, FULL))}; fix the rule"
        )
    return frozenset(CHOOSABLE) if FULL in families else frozenset(families) - {META}
