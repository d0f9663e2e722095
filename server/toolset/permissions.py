"""The one place that decides which tools a caller may use."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Self

from server.errors import CallerError, brief
from server.files import read_table
from server.tools.definition import Tool
from server.tools.families import CHOOSABLE, CORE, FULL, META
from server.toolset.source import SEPARATOR, Offer

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
        """Return what a caller may use; `given` if no rule matches.

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
    """Return the pattern that matches, in full, a text that one of the items stands for.

    Only `*` is special in them.
    """
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


class Permissions:
    """The part of an offer that one caller may use."""

    def __init__(self, offer: Offer, rule: frozenset[str] | None, read_only: bool = False) -> None:
        """Permit what a rule names.

        Args:
            offer: what there is.
            rule: families or tools, where `*` stands for any text; None permits everything.
            read_only: permit only tools that declare to change nothing.
        """
        self._offer = offer
        self._rule = pattern_of(rule) if rule is not None else None
        self._read_only = read_only
        self._everything = rule is None and not read_only

    def permits(self, tool: Tool) -> bool:
        """Return whether the caller may use a tool; everyone may use those that are always on."""
        if tool.family == self._offer.families.always_on:
            return True
        return self.permits_name(tool.family, tool.name) and not self.withholds(tool)

    def withholds(self, tool: Tool) -> bool:
        """Return whether a tool is not permitted to anyone, since it does not declare to change nothing."""
        return self._read_only and tool.annotations.get("readOnlyHint") is not True

    def permits_name(self, family: str, name: str) -> bool:
        """Return whether the rule names a tool, which need not be known, or its family."""
        return self._rule is None or bool(self._rule.fullmatch(family) or self._rule.fullmatch(name))

    def permits_called(self, name: str) -> bool:
        """Return whether a tool has this full name and the caller may use it."""
        tool = self._offer.by_name.get(name)
        return tool is not None and (self._everything or self.permits(tool))

    @cached_property
    def tools(self) -> Sequence[Tool]:
        """Every tool that the caller may use, in order."""
        return self._offer.tools if self._everything else [tool for tool in self._offer.tools if self.permits(tool)]

    @cached_property
    def families(self) -> tuple[str, ...]:
        """Families that the caller may use, or of which a tool, in order."""
        always_on = self._offer.families.always_on
        used = self._offer.used_families if self._everything else {tool.family for tool in self.tools}
        return tuple(
            family
            for family in self._offer.families.holdings
            if family in used or family == always_on or self._may_bring(family)
        )

    def _may_bring(self, family: str) -> bool:
        """Return whether the rule permits a family of which no tool is known.

        A remote family is permitted only while it is not ready.
        """
        known = self._rule is None or bool(self._rule.fullmatch(family))
        if self._offer.families.at_start:
            return known
        return family in self._offer.outages and (known or self.permits_name(family, family + SEPARATOR))
