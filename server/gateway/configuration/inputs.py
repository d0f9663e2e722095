"""VS Code's inputs: values that a person is asked for."""

import getpass
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from server.errors import CallerError

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
