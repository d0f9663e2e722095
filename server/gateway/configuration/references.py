"""Resolves references to variables, inputs and files: `${X}`, `${X:-default}`, `${env:X}`, `$X` and `{env:X}`.

Inputs are VS Code's values that a person is asked for.
"""

import getpass
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from embeddings.files import read_text
from server.errors import CallerError, brief

VARIABLE: Final = "AGENT_CAPABILITIES_INPUT_"
"""Environment variables that answer an input have this prefix; its id follows in capitals."""


@dataclass(frozen=True)
class Question:
    """One input.

    Attributes:
        id: its id in the file.
        description: what to ask.
        hidden: do not show what is typed.
        default: the answer if nothing is typed.
        options: what to choose from.
    """

    id: str
    description: str = ""
    hidden: bool = False
    default: str = ""
    options: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that answers it."""
        return VARIABLE + re.sub(r"[^A-Z0-9]", "_", self.id.upper())


Ask = Callable[[Question], str | None]


def questions(value: object, file: str) -> dict[str, Question]:
    """Return the inputs of a file by id.

    Raises:
        CallerError: they are not a list of tables with ids.
    """
    if not isinstance(value, list) or not all(
        isinstance(one, Mapping) and isinstance(one.get("id"), str) for one in value
    ):
        raise CallerError(f"'inputs' of {file} cannot be read; it must be a list of tables with 'id'; correct the file")
    return {one["id"]: _question(one) for one in value}


def _question(given: Mapping[str, object]) -> Question:
    options = given.get("options")
    choices = options if isinstance(options, list) else []
    values = [one.get("value") if isinstance(one, Mapping) else one for one in choices]
    default = given.get("default")
    return Question(
        str(given["id"]),
        str(given.get("description") or ""),
        given.get("password") is True,
        default if isinstance(default, str) else "",
        tuple(one for one in values if isinstance(one, str)),
    )


def ask_on_terminal(question: Question) -> str | None:
    """Ask for a value; None if there is no terminal, or no answer."""
    if sys.stdin is None or sys.stderr is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    prompt = _prompt(question)
    try:
        if question.hidden:
            answer = getpass.getpass(prompt, stream=sys.stderr)
        else:
            print(prompt, end="", file=sys.stderr, flush=True)
            answer = sys.stdin.readline().rstrip("\r\n")
    except EOFError:
        return None
    return answer or question.default or None


def _prompt(question: Question) -> str:
    options = f" ({', '.join(question.options)})" if question.options else ""
    default = f" [{question.default}]" if question.default and not question.hidden else ""
    text = f"{question.description or question.id}{options}{default}: "
    return "".join(each for each in text if each.isprintable())


def unanswered(question: Question) -> str:
    """Return the advice for an input without a value."""
    return f"start the gateway in a terminal, or set the environment variable {question.variable}"


_BODY: Final = r"\$\{(?P<body>(?:[^{}]|\{[^{}]*+\})*+)\}"
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_KINDS: Final = frozenset({"env", "file", "input", "command", "config", "workspaceFolder"})


class Syntax(Enum):
    """The references that a host knows."""

    NONE = re.compile(r"(?!)")
    BRACES = re.compile(_BODY)
    BRACES_OR_DOLLAR = re.compile(rf"{_BODY}|\$(?P<plain>{_NAME})")
    CURLY = re.compile(r"\{(?P<curly>(?:env|file):[^{}]++)\}")


@dataclass(frozen=True)
class Reference:
    """One reference.

    Attributes:
        text: as it is written.
        kind: what it refers to; "" for a plain name: an environment variable or a placeholder.
        name: which one.
        default: the value if there is none.
    """

    text: str
    kind: str
    name: str
    default: str | None = None


def expand(text: str, syntax: Syntax, resolve: Callable[[Reference], str]) -> str:
    """Replace each reference by its value; values are not expanded again, and what is no reference stays."""

    def replace(found: re.Match[str]) -> str:
        reference = _reference(found)
        return found.group() if reference is None else resolve(reference)

    return syntax.value.sub(replace, text)


def _reference(found: re.Match[str]) -> Reference | None:
    groups = found.groupdict()
    if groups.get("plain") is not None:
        return Reference(found.group(), "env", groups["plain"])
    if groups.get("curly") is not None:
        kind, _, name = groups["curly"].partition(":")
        return Reference(found.group(), kind, name.strip())
    body = groups["body"]
    kind, colon, rest = body.partition(":")
    if not colon or kind not in _KINDS or rest.startswith("-"):
        kind, rest = "", body
    if kind not in {"", "env"}:
        return Reference(found.group(), kind, rest)
    name, given, default = rest.partition(":-")
    if not name or (not kind and name != "/" and not re.fullmatch(_NAME, name)):
        return None
    return Reference(found.group(), kind, name, default if given else None)


MAX_ENV_FILE: Final = 1 << 20
"""Maximum bytes of such a file."""

_LINE: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=\s*(.*)")
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


def read_env_file(path: Path) -> dict[str, str]:
    """Return the variables of a file; lines that set none are passed over, and of a name given twice the last counts.

    Raises:
        OSError: it cannot be read, is not a regular file, or is too large.
        UnicodeDecodeError: it is not UTF-8.
    """
    found = (_LINE.fullmatch(line) for line in read_text(path, MAX_ENV_FILE).splitlines())
    return {line[1]: _value(line[2].rstrip()) for line in found if line}


def _value(text: str) -> str:
    quoted = re.match(r"""'([^']*)'|"((?:[^"\\]|\\.)*+)\"""", text)
    if quoted is None:
        return re.split(r"(?:^|\s)#", text, maxsplit=1)[0].rstrip()
    if quoted[1] is not None:
        return quoted[1]
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), quoted[2])


@dataclass(frozen=True)
class Surroundings:
    """The variables and inputs that the references of one file can use.

    Attributes:
        file: the file.
        folder: the project's folder, which is `${workspaceFolder}`.
        home: the user's folder.
        environment: the environment variables.
        inputs: what the file asks for, by id.
        ask: asks for an input.
        answers: inputs that were answered.
        variables: names of the variables that were referred to.
    """

    file: Path
    folder: Path
    home: Path
    environment: Mapping[str, str]
    inputs: Mapping[str, Question]
    ask: Ask
    answers: dict[str, str] = field(default_factory=dict, repr=False)
    variables: set[str] = field(default_factory=set)

    def placeholder(self, reference: Reference) -> str | None:
        """Return the value of a name that hosts define themselves; None for others."""
        if reference.kind == "workspaceFolder":
            return str(self.folder)
        if reference.kind:
            return None
        return {
            "workspaceFolder": str(self.folder),
            "workspaceFolderBasename": self.folder.name,
            "cwd": str(self.folder),
            "userHome": str(self.home),
            "pathSeparator": os.sep,
            "/": os.sep,
        }.get(reference.name)


MAX_SECRET: Final = 64 << 10
"""Maximum bytes of a file that a reference names."""

_NOT_SECRET: Final = frozenset(
    {"HOME", "PATH", "PWD", "SHELL", "TEMP", "TMP", "TMPDIR", "USER", "USERNAME", "USERPROFILE"}
)


class UnresolvedError(Exception):
    """A reference has no value.

    Attributes:
        value: what has none.
        next_step: what to do about it.
    """

    def __init__(self, value: str, next_step: str):
        super().__init__(value)
        self.value = value
        self.next_step = next_step


@dataclass(frozen=True)
class Resolver:
    """Expands the texts of one entry.

    Attributes:
        around: what references can refer to.
        syntax: how they are written.
        values: the values that came from elsewhere and may be secrets.
    """

    around: Surroundings
    syntax: Syntax
    values: set[str] = field(default_factory=set, repr=False)

    def expand(self, text: str) -> str:
        """Replace each reference by its value.

        Raises:
            UnresolvedError: one has none.
        """
        return expand(text, self.syntax, self._resolve)

    def variable(self, name: str) -> str | None:
        """Return the value of an environment variable; None if it is not set."""
        self.around.variables.add(name)
        value = self.around.environment.get(name)
        # Some hosts pass on the reference itself if the variable that it names is not set.
        if value in {f"${{{name}}}", f"${name}", f"${{env:{name}}}", f"{{env:{name}}}"}:
            return None
        if value and name not in _NOT_SECRET:
            self.values.add(value)
        return value

    def required(self, name: str) -> str:
        """Return the value of an environment variable.

        Raises:
            UnresolvedError: it is not set.
        """
        value = self.variable(name)
        if value is None:
            raise UnresolvedError(f"needs the environment variable {brief(name)}, which is not set", "set it")
        return value

    def env_file(self, written: str) -> dict[str, str]:
        """Return the variables of a file of them.

        Raises:
            UnresolvedError: it cannot be read.
        """
        path = self.path(written)
        try:
            return read_env_file(path)
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from error

    def path(self, written: str) -> Path:
        """Return a path that may be relative to the project's folder."""
        return self.around.folder / self._home(written)

    def _resolve(self, reference: Reference) -> str:
        if reference.kind == "input":
            return self._input(reference.name)
        if reference.kind == "file":
            return self._file(reference.name)
        placeholder = self.around.placeholder(reference)
        if placeholder is not None:
            return placeholder
        if reference.kind not in {"", "env"}:
            raise UnresolvedError(
                f"refers to {brief(reference.text)}, which only its host can resolve", "write the value"
            )
        value = self.variable(reference.name)
        if reference.default is not None and not value:
            return expand(reference.default, self.syntax, self._resolve)
        return self.required(reference.name)

    def _input(self, name: str) -> str:
        question = self.around.inputs.get(name, Question(name))
        answer = self.around.answers.get(name) or self.variable(question.variable) or self.around.ask(question)
        if not answer:
            raise UnresolvedError(f"needs the input {brief(name)}, which has no value", unanswered(question))
        self.around.answers[name] = answer
        self.values.add(answer)
        return answer

    def _file(self, written: str) -> str:
        path = self.around.file.parent / self._home(written)
        try:
            value = read_text(path, MAX_SECRET).strip()
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from error
        self.values.add(value)
        return value

    def _home(self, written: str) -> Path:
        if written == "~" or written.startswith(("~/", "~\\")):
            return self.around.home / written[2:]
        return Path(written)


def _unreadable(path: Path, error: Exception) -> UnresolvedError:
    reason = error.strerror if isinstance(error, OSError) else type(error).__name__
    return UnresolvedError(f"needs the file {brief(str(path))}, which cannot be read ({reason})", "check the path")
