"""Recognizes the entry that starts this gateway, which must not start itself."""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

_NAMES: Final = frozenset({"agent-capabilities", "agent_capabilities"})


def starts_this_gateway(start: Sequence[str]) -> bool:
    """Whether a command runs `agent-capabilities gateway`, also through `uvx`, `python -m`, a shell and the like."""
    return any(_program(one) in _NAMES and following == "gateway" for one, following in pairwise(_words(start)))


def _words(start: Sequence[str]) -> Iterator[str]:
    for word in start:
        if " gateway" not in word:
            yield word
            continue
        try:
            yield from shlex.split(word)
        except ValueError:
            yield from word.split()


def _program(word: str) -> str:
    """The name of a program without its folder, its ending and its version."""
    name = re.split(r"[/\\]", word)[-1]
    return re.sub(r"(?:\.(?:exe|cmd|bat|py)|[@:=~<>\[].*)$", "", name, flags=re.IGNORECASE).casefold()
