"""Finds what statements of entries claim of a program: flags, subcommands, slash commands, keys, variables, files."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from checks.programs import Program
from server.catalog.models import AgentFile, CapabilityEntry
from server.catalog.runs import Kind
from server.catalog.statement_text import FIXED_IDS, EntryStatement, mark_of


@dataclass(frozen=True, order=True)
class Claim:
    """Something that a statement says a program has.

    Attributes:
        statement: `<capability>/<id>`.
        kind: what is claimed.
        subject: the flag, command, key or file.
        words: the subcommand that a flag is given to, or that is claimed itself; the table that a key may stand in.
        denied: whether the statement may say that the program does not have it.
    """

    statement: str
    kind: Kind
    subject: str
    words: tuple[str, ...] = ()
    denied: bool = False


@dataclass(frozen=True)
class Statement:
    """A statement that claims are looked for in.

    Attributes:
        name: `<capability>/<id>`.
        variant: the variant of the agent that it is about; None for all.
        claims: what was found in it.
    """

    name: str
    variant: str | None
    claims: tuple[Claim, ...]


def statements_of(file: AgentFile, program: Program) -> list[Statement]:
    """Return the statements of an agent that have an id, with their claims."""
    found = []
    for entry in file.capabilities:
        reader = ClaimReader(program, entry)
        for statement in entry.statements:
            if statement.id:
                mark = mark_of(statement.text)
                variant = (mark.variant if mark else None) or entry.variant
                found.append(Statement(f"{entry.name}/{statement.id}", variant, tuple(reader.claims(statement))))
    return found


_TICKED: Final = re.compile(r"`([^`]+)`")
_QUOTED: Final = re.compile(r"\"[^\"{}]*\"")
_FLAG: Final = re.compile(r"(?<![\w<\[/.-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\w*])")
_SHORT: Final = re.compile(r"-[A-Za-z]")
_VARIABLE: Final = re.compile(r"(?<![\w<./{-])\$?([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)(?![\w>*.-])")
_SLASH: Final = re.compile(r"(?<![\w/.~<>`:)\]*\"'@-])/([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?![\w/.*:<-])")
_DOTTED: Final = re.compile(r"[A-Za-z][\w-]*(?:\.(?:[A-Za-z][\w-]*|<[\w -]+>|\*))+")
_KEY: Final = re.compile(r"[a-z]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_ASSIGNED: Final = re.compile(r"([A-Za-z][\w.-]*)\s*=\s*(?:[\"'\[{]|true\b|false\b|-?\d).*", re.DOTALL)
_MEMBER: Final = re.compile(r"\"([A-Za-z][\w.-]*)\"\s*:\s*\S.*", re.DOTALL)
_TABLE: Final = re.compile(r"\[\[?([A-Za-z][\w.<>-]*)\]?\]")
_PATH: Final = re.compile(
    r"(?:[~.]{0,2}/)?(?:[\w.<>*-]+/)*"
    r"(?:[\w.<>*-]*\.(?:md|jsonc?|toml|[jt]s|env|ya?ml|rules|txt)\b|[\w.<>*-]+/(?=[\s,;)]|$))|[A-Z]{4,}\.md"
)
_WORD: Final = re.compile(r"[a-z]\w*(?:\.[A-Za-z]\w*)*")
_BARE_KEY: Final = re.compile(
    r"(?<![\w/.~@<>`$*:-])([a-z]\w+(?:\.[a-z][\w-]+)+|[a-z]{2,}(?:[A-Z][a-z0-9]+)+)(?![\w/(<>*@-]|\.\w)"
)
_FILE_ENDING: Final = re.compile(
    r"\.(?:md|json|jsonc|json5|jsonl|toml|ya?ml|js|mjs|cjs|tsx?|jsx|py|sh|ps1|txt|log|exe|com|dev|ai|io|org|net|rules|"
    r"env|lock|ini|cfg|xml|html|css|png|jpe?g|pdf|csv|tgz|zip|db|plist|local|app|so)$"
)
_ROOTS: Final = {"etc", "usr", "tmp", "var", "home", "opt", "dev", "bin", "library", "path", "mnt", "proc", "absolute"}
_DENIALS: Final = re.compile(
    r"\b(?:no longer|not?|never|none|nor|neither|without|lacks?|removed?|former|formerly|renamed|instead of|unlike|"
    r"cannot|undocumented|refuse[sd]?|reject(?:s|ed)|(?:from|since) (?:version|release)|exists on|such as|"
    r"with an (?:extension|plugin)|until|before|older|earlier|old)\b|n't\b",
    re.IGNORECASE,
)
_SETTINGS: Final = re.compile(r"\b(?:settings?|configuration|config)\b", re.IGNORECASE)
_SHELL: Final = re.compile(r"\s*(?:&&|\|\||\||;)\s*")
_TOKEN: Final = re.compile(r"\"[^\"]*\"?|'[^']*'?|<[^>]*>|\[[^\]]*\]|\S+")
_NO_KEYS: Final = {"macOS", "iOS", "iPadOS", "gRPC", "iTerm", "vLLM", "tvOS", "eBPF", "npmJS", "xAI", "webOS"}
_OTHERS_KEYS: Final = re.compile(
    r"(?:claudeCode|chatgpt|chat|github|editor|telemetry|terminal|java|python|window|workbench)\."
)
"""Settings of editors, which no agent's program knows."""


_LINE: Final = re.compile(r"(?:(?<=^)|(?<=; )|(?<=, )|(?<=: )|(?<=\()|(?<= or )|(?<=then )|(?<=with ))[a-zA-Z$][^;(]*")


@dataclass(frozen=True)
class ClaimReader:
    """Reads the claims in the statements of one entry."""

    program: Program
    entry: CapabilityEntry

    def claims(self, statement: EntryStatement) -> Iterator[Claim]:
        """Yield the claims in a statement, each once."""
        name = f"{self.entry.name}/{statement.id}"
        seen: set[tuple[Kind, str]] = set()
        for kind, subject, words, place in self._found(statement):
            if (kind, subject) not in seen:
                seen.add((kind, subject))
                yield Claim(name, kind, subject, words, self._denied(statement.text, place))

    def _found(self, statement: EntryStatement) -> "Iterator[_Found]":
        text = statement.text
        if statement.field == "configFile":
            yield from self._files(text)
            return
        for ticked in _TICKED.finditer(text):
            yield from self._of_span(ticked[1].strip(), text, ticked.start())
        plain = _TICKED.sub(lambda found: " " * len(found[0]), text)
        if statement.field in FIXED_IDS:
            for line, place in _lines(plain):
                yield from self._of_command(line, place)
        # What is quoted is said to an agent.
        yield from self._of_prose(_QUOTED.sub(lambda found: " " * len(found[0]), plain), text)

    def _of_span(self, span: str, text: str, place: int) -> "Iterator[_Found]":
        """Yield what a text in backticks claims."""
        if _FLAG.match(span) or _SHORT.fullmatch(span):
            yield "flag", _flag(span.split(maxsplit=1)[0]), (), place
        elif slash := _SLASH.match(span):
            yield from _slash(slash[1], text, place)
        elif re.match(rf"(?:[A-Z][A-Z0-9_]+=\S+\s+|.*\|\s*)*{re.escape(self.program.name)}(?:\s|$)", span):
            for line in _SHELL.split(span):
                yield from self._of_command(line, place)
        elif not span.startswith(("npm ", "git ", "gh ", "brew ", "curl ", "sudo ")):
            yield from _variables(span, place)
            yield from self._keys(span, text, place)

    def _of_command(self, line: str, place: int) -> "Iterator[_Found]":
        """Yield what a command line claims: variables before it, the subcommand, the flags."""
        tokens = _TOKEN.findall(line)
        while tokens and (variable := re.match(r"([A-Z][A-Z0-9_]+)=", tokens[0])):
            yield "environment", variable[1], (), place
            tokens = tokens[1:]
        if not tokens or tokens[0] != self.program.name:
            return
        words = _leading_words(tokens[1:])
        if words:
            yield "subcommand", " ".join((self.program.name, *words)), words, place
        for token in tokens[1:]:
            if token == "--":
                return
            if _FLAG.match(token) or re.match(r"-[A-Za-z](?:=|,|$)", token):
                yield "flag", " ".join((self.program.name, *words, _flag(token))), words, place

    def _of_prose(self, plain: str, text: str) -> "Iterator[_Found]":
        """Yield what stands outside of backticks and is yet unmistakable."""
        for flag in _FLAG.finditer(plain):
            before = plain[: flag.start()].rsplit(";", 1)[-1]
            if not re.search(r"(?:npm|git|gh|brew|pip|docker|bun) [\w ./@:-]*$|/[a-z-]+ [^.,;(]*$", before):
                yield "flag", flag[0], (), flag.start()
        for slash in _SLASH.finditer(plain):
            yield from _slash(slash[1], text, slash.start())
        yield from _variables(plain, 0)
        if self._about_settings(text):
            for key in _BARE_KEY.finditer(plain):
                if not (_FILE_ENDING.search(key[1]) or _OTHERS_KEYS.match(key[1]) or key[1] in _NO_KEYS):
                    yield "configKey", key[1], (), key.start()

    def _keys(self, span: str, text: str, place: int) -> "Iterator[_Found]":
        """Yield the configuration keys that a text in backticks names."""
        if not self._about_settings(text) or _OTHERS_KEYS.match(span):
            return
        table_of = tuple(map(_example, _tables(text)))[:1]
        if assigned := _ASSIGNED.fullmatch(span):
            yield "configKey", _example(assigned[1]), table_of, place
        elif table := _TABLE.fullmatch(span):
            yield "configKey", _example(table[1]), (), place
        elif span.startswith("{"):
            yield from (("configKey", key, (), place) for key in _paths(span))
        elif member := _MEMBER.fullmatch(span):
            yield "configKey", member[1], (), place
        elif (_DOTTED.fullmatch(span) and not _FILE_ENDING.search(span)) or (
            _KEY.fullmatch(span) and span not in _NO_KEYS
        ):
            yield "configKey", _example(span), table_of, place

    def _about_settings(self, text: str) -> bool:
        """Return whether names in a statement may be keys: it speaks of settings, or of a file that holds them."""
        return bool(_SETTINGS.search(text)) or any(name in text for name in self.program.settings_files)

    def _files(self, text: str) -> "Iterator[_Found]":
        for path in _PATH.findall(text.replace("`", "")):
            yield "configFile", path, (), 0
        for key in re.findall(r"\(([\w., ]+)\)", text):
            yield from (("configKey", each, (), 0) for each in re.split(r", | and ", key) if _WORD.fullmatch(each))

    def _denied(self, text: str, place: int) -> bool:
        """Return whether the sentence around a place may say that something is not there."""
        if not self.entry.available:
            return True
        start = max(text.rfind(mark, 0, place) for mark in (". ", "; ", ": "))
        ends = [at for mark in (". ", "; ") if (at := text.find(mark, place)) >= 0]
        return _DENIALS.search(text[start + 1 : min(ends, default=len(text))]) is not None


_Found = tuple[Kind, str, tuple[str, ...], int]


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """Yield the parts of a setup text that may be command lines, with their places."""
    for part in _LINE.finditer(text):
        yield re.split(r"\.?\s+(?:or|to|for|in|and|then)\s+|,\s", part[0])[0].rstrip(" .,)"), part.start()


def _leading_words(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the words at the beginning of a command line that may be subcommands."""
    words: list[str] = []
    for token in tokens:
        if not re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*[,.]?", token):
            break
        words.append(token.rstrip(",."))
        if token[-1] in ",.":
            break
    return tuple(words)


def _flag(token: str) -> str:
    return re.split(r"[=\s,;.)\]]", token)[0]


def _slash(name: str, text: str, place: int) -> Iterator[_Found]:
    """Yield a slash command, unless it is a folder or one that the statement itself makes up."""
    made_up = re.search(rf"(?:commands?|skills?|prompts|agents)/{re.escape(name)}\b|name:\s*{re.escape(name)}\b", text)
    # `@agent /review` is a comment on a pull request.
    if name not in _ROOTS and not made_up and not re.search(r"@[\w-]+ $", text[:place]):
        yield "slashCommand", f"/{name}", (), place


def _variables(text: str, place: int) -> Iterator[_Found]:
    for variable in _VARIABLE.finditer(text):
        if not variable[1].startswith(("YOUR_", "MY_")):
            yield "environment", variable[1], (), place or variable.start()


def _tables(text: str) -> list[str]:
    """Return the tables of a TOML file that a statement names."""
    return [found[1] for span in _TICKED.findall(text) if (found := _TABLE.fullmatch(span))]


def _example(key: str) -> str:
    """Return a key with names in the places of placeholders."""
    return re.sub(r"<[^>]*>|\*", "example", key)


def _paths(snippet: str) -> list[str]:
    """Return the dotted keys of a JSON object, down to the first that holds no object."""
    try:
        content = json.loads(snippet)
    except ValueError:
        return []
    return [*_inner(content)] if isinstance(content, dict) else []


def _inner(content: dict[str, Any]) -> Iterator[str]:
    for key, value in content.items():
        if isinstance(value, dict) and value:
            yield from (f"{key}.{inner}" for inner in _inner(value))
        else:
            yield key
