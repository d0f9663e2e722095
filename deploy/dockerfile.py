"""Reads the Dockerfile, as far as this project's has need of: what it does not know it refuses."""

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

DOCKERFILE: Final = Path(__file__).resolve().parent / "Dockerfile"

KNOWN: Final = {"COPY", "ENTRYPOINT", "ENV", "EXPOSE", "HEALTHCHECK", "LABEL", "RUN", "USER", "WORKDIR"}
"""Instructions of a stage."""

_CONTINUED: Final = re.compile(r"\\\n")
_COMMENT: Final = re.compile(r"^\s*#.*\n", re.MULTILINE)
_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_OPTION: Final = re.compile(r"--([\w-]+)=(\S+)\s+")


class DockerfileError(Exception):
    """The Dockerfile cannot be read."""


@dataclass(frozen=True)
class Instruction:
    """One step.

    Attributes:
        keyword: in capitals.
        options: those that begin with `--`, by name.
        text: what follows them, as it is written, on one line.
    """

    keyword: str
    options: dict[str, str]
    text: str

    @property
    def words(self) -> list[str]:
        """The text as a list in JSON (exec form), or split as a shell does."""
        if self.text.startswith("["):
            words: list[str] = json.loads(self.text)
            return words
        return shlex.split(self.text)


@dataclass(frozen=True)
class Stage:
    """A FROM and what follows it.

    Attributes:
        base: the image that it starts from.
        name: by which another stage can copy from it.
        instructions: its steps in order.
    """

    base: str
    name: str
    instructions: list[Instruction] = field(default_factory=list)

    def last(self, keyword: str) -> Instruction:
        """The instruction that counts where a later one replaces an earlier one.

        Raises:
            DockerfileError: the stage has none.
        """
        found = [instruction for instruction in self.instructions if instruction.keyword == keyword]
        if not found:
            raise DockerfileError(f"the stage from {self.base} has no {keyword}")
        return found[-1]

    def environment(self, base: dict[str, str]) -> dict[str, str]:
        """What its ENV instructions make of the base's environment."""
        made = dict(base)
        for instruction in self.instructions:
            if instruction.keyword == "ENV":
                pairs = [word.partition("=") for word in instruction.words]
                made |= {name: substituted(value, made) for name, _, value in pairs}
        return made

    def probe(self) -> list[str]:
        """The command of its HEALTHCHECK.

        Raises:
            DockerfileError: there is none, or it needs a shell.
        """
        keyword, _, command = self.last("HEALTHCHECK").text.partition(" ")
        if keyword != "CMD" or not command.startswith("["):
            raise DockerfileError("HEALTHCHECK is not a CMD in exec form")
        return Instruction("CMD", {}, command).words


def substituted(text: str, values: dict[str, str]) -> str:
    """A text with its `$NAME` and `${NAME}` replaced.

    Raises:
        DockerfileError: a name has no value.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name not in values:
            raise DockerfileError(f"{name} has no value in {text!r}")
        return values[name]

    return _VARIABLE.sub(value, text)


def read_dockerfile(text: str) -> list[Stage]:
    """The stages in order.

    Raises:
        DockerfileError: an instruction that is not known, or that stands before the first FROM.
    """
    arguments: dict[str, str] = {}
    stages: list[Stage] = []
    for line in _CONTINUED.sub(" ", _COMMENT.sub("", text)).splitlines():
        keyword, _, rest = line.strip().partition(" ")
        if keyword == "ARG" and not stages:
            name, _, default = rest.partition("=")
            arguments[name] = default
        elif keyword == "FROM":
            base, _, name = substituted(rest, arguments).partition(" AS ")
            stages.append(Stage(base, name))
        elif keyword in KNOWN and stages:
            stages[-1].instructions.append(_instruction(keyword, rest.strip()))
        elif keyword:
            raise DockerfileError(f"{line.strip()!r} is not known here")
    return stages


def _instruction(keyword: str, rest: str) -> Instruction:
    options: dict[str, str] = {}
    while option := _OPTION.match(rest):
        options[option[1]] = option[2]
        rest = rest[option.end() :]
    return Instruction(keyword, options, re.sub(r"\s+", " ", rest) if keyword != "RUN" else rest)
