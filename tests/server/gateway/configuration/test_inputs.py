import getpass
import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from server.errors import CallerError
from server.gateway.configuration.configurations import read_configurations
from server.gateway.configuration.references import Question, ask_on_terminal
from tests.server.gateway.configuration.reading import read, written

KEY = {"type": "promptString", "id": "api-key", "description": "Key of the service", "password": True}
PLACE = {
    "type": "pickString",
    "id": "place",
    "options": ["here", {"label": "There", "value": "there"}],
    "default": "here",
}


def vscode(folder: Path, *texts: str, inputs: object = (KEY, PLACE)) -> Path:
    servers = {f"s{number}": {"command": "run", "env": {"X": text}} for number, text in enumerate(texts)}
    given = list(inputs) if isinstance(inputs, Sequence) and not isinstance(inputs, str) else inputs
    return written(folder / ".vscode/mcp.json", {"servers": servers, "inputs": given})


def test_an_input_is_asked_once_and_is_secret(tmp_path: Path) -> None:
    asked: list[Question] = []

    def answer(question: Question) -> str:
        asked.append(question)
        return "typed-value"

    path = vscode(tmp_path, "${input:api-key}", "a ${input:api-key}")
    configuration = read_configurations([path], cwd=tmp_path, environment={}, ask=answer)
    assert [dict(each.env) for each in configuration.upstreams] == [{"X": "typed-value"}, {"X": "a typed-value"}]
    assert all("typed-value" in each.secrets for each in configuration.upstreams)
    assert asked == [Question("api-key", "Key of the service", hidden=True)]


def test_an_input_is_answered_by_its_variable(tmp_path: Path) -> None:
    configuration = read(vscode(tmp_path, "${input:api-key}"), AGENT_CAPABILITIES_INPUT_API_KEY="from-outside")
    assert configuration.upstreams[0].env == {"X": "from-outside"}
    assert "from-outside" in configuration.upstreams[0].secrets


def test_an_unanswered_input_leaves_its_server_out(tmp_path: Path) -> None:
    configuration = read(vscode(tmp_path, "${input:api-key}", "plain"))
    assert [each.name for each in configuration.upstreams] == ["s1"]
    (report,) = configuration.reports
    assert "needs the input 'api-key', which has no value; the server is left out; " in report
    assert report.endswith("set the environment variable AGENT_CAPABILITIES_INPUT_API_KEY")


def test_inputs_of_a_wrong_type_are_refused(tmp_path: Path) -> None:
    cases: list[object] = [5, {"id": "a"}, [5], [{"id": 5}], [{}]]
    for inputs in cases:
        with pytest.raises(CallerError, match=r"'inputs' of .*mcp\.json.*; it must be a list of tables with 'id'; "):
            read(vscode(tmp_path, "plain", inputs=inputs))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard streams of a person who types. pytest replaces those that a fixture sets."""
    stderr = Terminal()
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setattr("sys.stdin", Terminal("there\n\n"))
    return stderr


def test_a_terminal_shows_choices_and_takes_the_default_for_an_empty_line(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = terminal(monkeypatch)
    question = Question("place", "Where\x1b[2J?", default="here", options=("here", "there"))
    assert [ask_on_terminal(question) for _ in range(3)] == ["there", "here", "here"]
    assert shown.getvalue().startswith("Where[2J? (here, there) [here]: ")


def test_what_is_secret_is_typed_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal(monkeypatch)
    monkeypatch.setattr(getpass, "getpass", lambda prompt, stream: f"typed for {prompt}")
    assert ask_on_terminal(Question("key", hidden=True, default="d")) == "typed for key: "


def test_without_a_terminal_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("not an answer\n"))
    assert ask_on_terminal(Question("key")) is None
