"""Whether a program knows a key of its configuration: by its own check of it where it has one, else by its files.

A key is tried with a value that no key takes. A program that knows the key complains of the value; one that does not
complains of the key, drops it, or says nothing.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from checks.home import Home
from checks.program_files import ProgramFiles
from checks.runner import Finding, Runner

_ODD: Final = "zz_no_such_value"
_SECONDS: Final = 20


@dataclass(frozen=True)
class ConfigKeys:
    """The configuration of one program."""

    runner: Runner
    files: ProgramFiles

    def find(self, key: str) -> Finding:
        """Return what the program says of a key, such as `tui.theme`."""
        return _PROBES[self.runner.program.agent](self, key)

    @cached_property
    def topics(self) -> Mapping[str, str]:
        """The keys that `copilot help config` lists, dotted, with the line of each."""
        found: dict[str, str] = {}
        above = ""
        for line in self.runner.run(["help", "config"]).out.splitlines():
            if named := re.match(r"(\s*)(?:- )?`([\w.-]+)`", line):
                nested = len(named[1]) > 2
                above = above if nested else named[2]
                found.setdefault(f"{above}.{named[2]}" if nested else named[2], line.strip())
        return found

    @cached_property
    def documented(self) -> Mapping[str, str]:
        """The keys that the reference in the package of Gemini CLI lists, with the line of each."""
        name = "node_modules/@google/gemini-cli/bundle/docs/reference/configuration.md"
        path = self.runner.program.package.folder / name
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return {named[1]: line.strip() for line in lines if (named := re.match(r"\s*- \*\*`([\w.<>-]+)`\*\*", line))}

    def literal(self, key: str) -> Finding:
        """Return whether the last part of a key stands in the program's files."""
        last = [part for part in key.split(".") if part][-1]
        found = self.files.find(last)
        where = f"search {found.file} for {last!r}" if found else f"search the program for {last!r}"
        return Finding.of(where, None, found.line if found else "not there", holds=found is not None)


def nested(key: str, value: object) -> dict[str, Any]:
    """Return a dotted key as tables within tables."""
    first, _, rest = key.partition(".")
    return {first: nested(rest, value) if rest else value}


def _of_codex(keys: ConfigKeys, key: str) -> Finding:
    """Start Codex with a strict check of its configuration; it names a field that it does not know."""
    quoted = ".".join(part if re.fullmatch(r"[\w-]+", part) else json.dumps(part) for part in key.split("."))
    arguments = ["exec", "--strict-config", "-c", f"{quoted}={{{_ODD}=1}}", "hi"]
    ended = keys.runner.run(arguments, seconds=_SECONDS)
    line = _line(ended.said, "unknown configuration field", quoted, "invalid")
    named = re.search(r"unknown configuration field `([^`]+)`", ended.said)
    unknown = named is not None and f"{key}.".startswith(f"{named[1]}.")
    return Finding.of(f"codex {' '.join(arguments)}", ended.status, line or "no complaint", holds=not unknown)


def _of_opencode(keys: ConfigKeys, key: str) -> Finding:
    """Print the configuration that OpenCode reads: what it does not know is not in it."""
    with keys.runner.new_home() as home:
        (home.project / "opencode.json").write_text(json.dumps(nested(key, _ODD)), encoding="utf-8")
        ended = keys.runner.run(["debug", "config"], home, seconds=_SECONDS)
    complaint = _line(ended.said, f" {key}", f" {key.rpartition('.')[0] or key}")
    shown = ended.status == 0 and _has(ended.out, key)
    line = complaint if ended.status else f"{key} is {'' if shown else 'not '}in the resolved configuration"
    command = f"opencode debug config, with {json.dumps(nested(key, _ODD))} in opencode.json"
    return Finding.of(command, ended.status, line, holds=bool(shown or (ended.status and complaint)))


def _has(printed: str, key: str) -> bool:
    try:
        found: Any = json.loads(printed)
    except ValueError:
        return False
    for part in key.split("."):
        if not isinstance(found, dict) or part not in found:
            return False
        found = found[part]
    return True


def _of_claude(keys: ConfigKeys, key: str) -> Finding:
    """Have `claude doctor` check the settings; it says nothing of some keys, which its files then tell."""
    with keys.runner.new_home() as home:
        _write_settings(home, ".claude/settings.json", key)
        ended = keys.runner.run(["doctor"], home, seconds=_SECONDS)
    complaint = _line(ended.said, f"› {key}")
    if not complaint:
        return keys.literal(key)
    command = f"claude doctor, with {json.dumps(nested(key, [_ODD]))} in .claude/settings.json"
    return Finding.of(command, ended.status, complaint, holds=True)


def _write_settings(home: Home, path: str, key: str) -> None:
    file = home.project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(nested(key, [_ODD])), encoding="utf-8")


def _of_copilot(keys: ConfigKeys, key: str) -> Finding:
    """Look a key up in `copilot help config`, and else in the program's files."""
    return _listed(keys, key, keys.topics, "copilot help config", 0)


def _of_gemini(keys: ConfigKeys, key: str) -> Finding:
    """Look a key up in the reference that the package ships, and else in the program's files."""
    return _listed(keys, key, keys.documented, "search docs/reference/configuration.md of the package", None)


def _listed(keys: ConfigKeys, key: str, known: Mapping[str, str], command: str, status: int | None) -> Finding:
    if line := known.get(key) or next((text for each, text in known.items() if each.startswith(f"{key}.")), None):
        return Finding.of(command, status, line, holds=True)
    return keys.literal(key)


def _line(text: str, *marks: str) -> str:
    """Return the first line with the first of some marks that any line has."""
    lines = text.splitlines()
    return next((line for mark in _given(marks) for line in lines if mark in line), "")


def _given(marks: Iterable[str]) -> list[str]:
    return [mark for mark in marks if mark.strip()]


_PROBES: Final[Mapping[str, Callable[[ConfigKeys, str], Finding]]] = {
    "claude-code": _of_claude,
    "codex-cli": _of_codex,
    "copilot-cli": _of_copilot,
    "gemini-cli": _of_gemini,
    "opencode": _of_opencode,
}
