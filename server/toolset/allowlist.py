"""Which families and tools a caller may use, by the caller's identity."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self

from server.errors import CallerError, brief
from server.files import read_table
from server.tools.families import CHOOSABLE, CORE, FULL, META

ANYONE: Final = "*"


@dataclass(frozen=True)
class Allowlist:
    """Rules that map identities to what they may use; `*` in an identity stands for any text.

    Attributes:
        rules: pattern to permitted families; a gateway's rules may name tools, too, and hold `*`. The rule for the
            exact identity applies, else the longest pattern that matches.
    """

    rules: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, path: Path, *, patterns: bool = False) -> Self:
        """Read `{"identity": ["family", ...]}` as JSON, or the same table as TOML if the name ends in .toml.

        Args:
            path: the file.
            patterns: rules are lists of servers and tools of a gateway, which need not be known; `*` stands for any
                text in them.

        Raises:
            CallerError: the file cannot be read, or a rule is not a list of known families, or of patterns.
        """
        value = read_table(
            path, "allowlist", f"identities to lists of {'servers or tools' if patterns else 'families'}"
        )
        checked = _patterns if patterns else _families
        return cls({pattern: checked(path, pattern, families) for pattern, families in value.items()})

    def permitted(self, identity: str | None, given: frozenset[str] = frozenset({CORE})) -> frozenset[str]:
        """What a caller may use; `given` if no rule matches.

        A caller without an identity gets the rule for `*`.

        Args:
            identity: the token's name over HTTP, the client's name over stdio; None if there is neither.
            given: what callers without a rule may use.
        """
        if not identity:
            return self.rules.get(ANYONE, given)
        if identity in self.rules:
            return self.rules[identity]
        fitting = [pattern for pattern in self.rules if pattern_of(frozenset({pattern})).fullmatch(identity)]
        return self.rules[max(fitting, key=len)] if fitting else given


@lru_cache(maxsize=256)
def pattern_of(items: frozenset[str]) -> re.Pattern[str]:
    """What matches, in full, a text that one of the items stands for; only `*` is special in them."""
    escaped = (re.escape(item).replace(r"\*", ".*") for item in sorted(items))
    return re.compile("|".join(escaped) or r"(?!)", re.DOTALL)


def _families(path: Path, pattern: str, families: Any) -> frozenset[str]:
    known = (*CHOOSABLE, META, FULL)
    if not isinstance(families, list) or not all(family in known for family in families):
        raise CallerError(
            f"allowlist {brief(str(path))} has the rule {brief(pattern)}: {brief(families)}; a rule is a "
            f"list of {', '.join((*CHOOSABLE, FULL))}; fix the rule"
        )
    return frozenset(CHOOSABLE) if FULL in families else frozenset(families) - {META}


def _patterns(path: Path, pattern: str, items: Any) -> frozenset[str]:
    if not isinstance(items, list) or not all(isinstance(item, str) and item.strip() for item in items):
        raise CallerError(
            f"allowlist {brief(str(path))} has the rule {brief(pattern)}: {brief(items)}; a rule is a list of servers "
            "and tools, such as git, git__status, git__* or *; fix the rule"
        )
    return frozenset(item.strip() for item in items)
