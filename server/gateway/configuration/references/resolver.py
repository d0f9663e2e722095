"""Finds the values that references stand for."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from embeddings.files import read_text
from server.errors import brief
from server.gateway.configuration.references.env_file import read_env_file
from server.gateway.configuration.references.inputs import Question, unanswered
from server.gateway.configuration.references.surroundings import Surroundings
from server.gateway.configuration.references.syntax import Reference, Syntax, expand

MOST_SECRET: Final = 64 << 10
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
        """The value of an environment variable; None if it is not set."""
        self.around.variables.add(name)
        value = self.around.environment.get(name)
        # Some hosts pass on the reference itself if the variable that it names is not set.
        if value in {f"${{{name}}}", f"${name}", f"${{env:{name}}}", f"{{env:{name}}}"}:
            return None
        if value and name not in _NOT_SECRET:
            self.values.add(value)
        return value

    def required(self, name: str) -> str:
        """The value of an environment variable.

        Raises:
            UnresolvedError: it is not set.
        """
        value = self.variable(name)
        if value is None:
            raise UnresolvedError(f"needs the environment variable {brief(name)}, which is not set", "set it")
        return value

    def env_file(self, written: str) -> dict[str, str]:
        """The variables of a file of them.

        Raises:
            UnresolvedError: it cannot be read.
        """
        path = self.path(written)
        try:
            return read_env_file(path)
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from error

    def path(self, written: str) -> Path:
        """A path that may be relative to the project's folder."""
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
            value = read_text(path, MOST_SECRET).strip()
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
