"""Reads Dockerfiles: simple instructions, no heredocs and no substitution of variables."""

import json
import re
import shlex

from deploy.project import DEPLOY


def stages(name: str = "Dockerfile") -> list[list[tuple[str, str]]]:
    """Keyword and value of each instruction, in order; every stage begins with its FROM."""
    text = re.sub(r"^\s*#.*\n", "", (DEPLOY / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    found: list[list[tuple[str, str]]] = []
    for line in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        keyword, _, value = line.partition(" ")
        if keyword == "FROM":
            found.append([])
        if found and keyword:
            found[-1].append((keyword, value))
    return found


def exec_form(value: str) -> list[str]:
    """Return the command that an ENTRYPOINT or HEALTHCHECK states as a JSON list."""
    command: list[str] = json.loads(value[value.index("[") :])
    return command


def settings(value: str) -> dict[str, str]:
    """Return the variables that an ENV sets."""
    return {name: setting for name, _, setting in (word.partition("=") for word in shlex.split(value))}
