"""The ways to an unloaded tool, read out of the server's own sentences as a client would read them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from server.tools.families import FULL


@dataclass(frozen=True)
class Way:
    """One way, as far as a client can make it out.

    Attributes:
        kind: the tool to call, or "restart".
        profiles: what to start again with.
        arguments: the names of the tool's arguments, with a value where one is written out.
    """

    kind: str
    profiles: tuple[str, ...]
    arguments: dict[str, str]

    def filled(self, **values: Any) -> dict[str, Any]:
        """Return the arguments, a placeholder replaced by one of `values`."""
        return {
            name: values[written.strip("'<>")] if written.strip("'").startswith("<") else written.strip("'")
            for name, written in self.arguments.items()
        }

    def profiles_for(self, family: str) -> list[str]:
        return [FULL if profile == FULL else profile.replace("<family>", family) for profile in self.profiles]


def ways_of(summary: str) -> dict[str, Way]:
    """Return the ways that a summary names, by their kind."""
    _, _, listed = summary.partition("To use any unloaded tool, choose one of: ")
    assert listed.endswith("."), summary
    return ways(re.split(r"(?:^|, )\([a-z]\) ", listed[:-1])[1:])


def ways(texts: Iterable[str]) -> dict[str, Way]:
    """Return the ways that some texts describe, by their kind."""
    found = [_way(text) for text in texts]
    assert len({way.kind for way in found}) == len(found)
    return {way.kind: way for way in found}


def _way(text: str) -> Way:
    called = re.search(r"\b(\w+)\((\w+=.*?)\)", text)
    if called:
        return Way(called[1], (), dict(re.findall(r"(\w+)=('[^']*'|<[^>]*>)", called[2])))
    assert text.startswith("restart the server with "), text
    profiles = tuple(re.findall(r"--profile (\S+)", text))
    assert profiles, text
    return Way("restart", profiles, {})
