"""What the runs of hosts stand on: private homes, packages that may be missing, and the scripted model."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from checks.fake_model import Step, fake_model
from checks.home import Home
from checks.packages import FOLDER_VARIABLE, NotInstalledError, Package

SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}
ASKED: dict[str, dict[str, Any]] = {
    "/v1/messages?beta=true": {
        "system": "Be brief.",
        "tools": [{"name": "mcp__desk__note", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "7"}]}]}
        ],
    },
    "/v1beta/models/gemini:streamGenerateContent?alt=sse": {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "mcp_desk_note"}]}],
        "contents": [{"role": "user", "parts": [{"functionResponse": {"name": "note", "response": {"output": "7"}}}]}],
    },
    "/v1/chat/completions": {
        "tools": [{"type": "function", "function": {"name": "desk_note", "parameters": SCHEMA}}],
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "tool", "content": "7"}],
    },
    "/v1/responses": {
        "instructions": "Be brief.",
        "tools": [{"type": "namespace", "name": "mcp__desk", "tools": [{"type": "function", "name": "note"}]}],
        "input": [{"type": "function_call_output", "call_id": "1", "output": "7"}],
    },
}
"""A request of each API, after one call of a tool."""


def ask(address: str, body: dict[str, Any]) -> str:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(address, json.dumps({**body, "stream": True}).encode(), headers)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as response:
        text: str = response.read().decode()
    return text


def test_the_model_calls_a_tool_by_the_hosts_name_and_records_what_it_was_sent_in_each_api() -> None:
    for path, body in ASKED.items():
        with fake_model([Step("note", {"text": "milk"})]) as model:
            called, said = (ask(model.address + path, body) for _ in range(2))
        (name,) = model.turns[0].tools
        assert name.endswith("note")
        assert "milk" in called
        assert "That is all." in said
        assert [("7" in result) for result in model.turns[0].results] == [True], path
        assert "Be brief." in model.turns[0].text


def test_requests_without_tools_are_no_turns_and_a_missing_tool_is_said() -> None:
    with fake_model([Step("note", {})]) as model:
        ask(f"{model.address}/v1/chat/completions", {"messages": [{"role": "user", "content": "a title"}]})
        other = {"type": "function", "function": {"name": "bash", "parameters": SCHEMA}}
        said = ask(f"{model.address}/v1/chat/completions", {"messages": [], "tools": [other]})
    assert len(model.turns) == 1
    assert "I have no tool note." in said


def test_a_host_is_given_nothing_of_the_real_home_or_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a real one")
    monkeypatch.setenv("CODEX_HOME", str(Path.home()))
    home = Home.make(tmp_path / "home")
    environment = home.environment()
    assert not {"ANTHROPIC_API_KEY", "CODEX_HOME"} & {*environment}
    folders = {name: value for name, value in environment.items() if Path(value).is_absolute()}
    assert {"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "TMPDIR"} <= {*folders}
    assert [name for name, value in folders.items() if name != "PATH" and not value.startswith(str(home.folder))] == []


def test_a_package_that_cannot_be_had_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "hosts"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotInstalledError, match=r"some-host is not installed, and there is no npm; install Node\.js"):
        Package("some-host", "1.0.0", "some-host").install()
