"""`python -m checks`, with a program that is a script: what it runs, what it says, what it records."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from checks import __main__ as rig
from checks import recipes
from tests.checks.toy_program import AGENT, agent_file, install, toy_program, write_agent

pytestmark = pytest.mark.processes

Check = Callable[..., int]

RUN = {"Checkpoints/setup": {"steps": [["toy", "run", "hello"]], "expect": {"line": "did hello"}}}


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Run the rig over a data folder with the toy's entry, with the recipes that are given."""
    monkeypatch.setenv("AGENT_CAPABILITIES_HOSTS", str(tmp_path / "hosts"))
    monkeypatch.setattr(rig, "program_of", lambda _: toy_program())
    install(tmp_path / "hosts")

    def checked(*options: str, of: Mapping[str, Any] | None = None, given: Mapping[str, Any] = RUN) -> int:
        write_agent(tmp_path / "data", agent_file() if of is None else of)
        (tmp_path / f"{AGENT}.json").write_text(json.dumps(given), encoding="utf-8")
        monkeypatch.setattr(rig, "read_recipes", lambda agent: recipes.read_recipes(agent, tmp_path))
        return rig.main([AGENT, "--data", str(tmp_path / "data"), *options])

    return checked


def record(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "data/agents" / AGENT / "runs.json").read_text(encoding="utf-8"))
    return found


def test_what_the_program_bears_out_is_recorded_with_the_line_that_decides(
    check: Check, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("--write") == 0
    lines = {(run["claim"], run["subject"]): run["line"] for run in record(tmp_path)["runs"]}
    assert lines["Checkpoints/setup", "toy run hello"] == "did hello"
    assert lines["Checkpoints/flag", "toy run --json"] == "--json print JSON"
    assert lines["Checkpoints/undo", "/undo"] == "/undo take back the last change"
    assert lines["Checkpoints/theme", "colourTheme"] == "`colourTheme`: dark or light"
    assert "0 contradicted" in capsys.readouterr().out


def test_what_a_statement_says_is_not_there_is_no_contradiction(
    check: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check() == 0
    assert "not there, as the statement seems to say (read it) (1):\n  Checkpoints/no-redo" in capsys.readouterr().out


def test_a_flag_that_is_not_there_contradicts_its_statement(check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    entry = agent_file()
    entry["capabilities"][0]["details"][0]["text"] = "`toy run --yaml` prints YAML."
    assert check(of=entry) == 1
    assert "contradicted (1):\n  Checkpoints/flag: flag toy run --yaml" in capsys.readouterr().out


def test_a_setup_line_that_fails_contradicts_its_entry(check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    failing = {"Checkpoints/setup": {"steps": [["toy", "start"]]}}
    assert check(given=failing) == 1
    assert "contradicted (1):\n  Checkpoints/setup" in capsys.readouterr().out


def test_what_cannot_be_run_says_why(check: Check, tmp_path: Path) -> None:
    assert check("--write", given={"Checkpoints/setup": {"reason": "needs an account"}}) == 0
    assert record(tmp_path)["notRun"] == [{"claim": "Checkpoints/setup", "reason": "needs an account"}]


def test_a_new_version_shows_what_no_longer_holds(
    check: Check, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("--write") == 0
    install(tmp_path / "hosts", "2.0.0", without="--json")
    capsys.readouterr()
    assert check("--version", "2.0.0") == 1
    said = capsys.readouterr().out
    assert "since the record of 1.0.0" in said
    assert "held, and no longer does (1):\n  Checkpoints/flag: flag toy run --json" in said


def test_a_record_has_one_run_a_line(check: Check, tmp_path: Path) -> None:
    assert check("--write") == 0
    text = (tmp_path / "data/agents" / AGENT / "runs.json").read_text(encoding="utf-8")
    assert sum(line.startswith('  {"claim"') for line in text.splitlines()) == len(record(tmp_path)["runs"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"Checkpoints/gone": {"reason": "x"}}, "recipe 'Checkpoints/gone' of copilot-cli is of no statement"),
        ({"Checkpoints/setup": {}}, "has steps, each a command, or a reason"),
        ({"Checkpoints/setup": {"steps": [["toy"]], "files": {"../x": ""}}}, "a path is relative"),
        ({"Checkpoints/setup": {"steps": [["toy"]], "exit": 1}}, "exit"),
    ],
)
def test_a_wrong_recipe_is_refused(
    check: Check, capsys: pytest.CaptureFixture[str], given: Mapping[str, Any], said: str
) -> None:
    assert check(given=given) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("agent", "said"), [("no-such", "unknown agent 'no-such'"), ("vscode-copilot", "is an extension of an editor")]
)
def test_an_agent_without_a_program_is_refused(capsys: pytest.CaptureFixture[str], agent: str, said: str) -> None:
    assert rig.main([agent]) == 2
    assert said in capsys.readouterr().err


def test_without_npm_a_package_cannot_be_run(
    check: Check, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert check("--version", "3.0.0") == 2
    assert "toy@3.0.0 cannot be run: toy is not installed, and there is no npm" in capsys.readouterr().err
