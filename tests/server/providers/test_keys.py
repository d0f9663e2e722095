import json
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from server.errors import CallerError
from server.providers import KEY_VARIABLES, open_provider
from server.providers.vendor import key_from_environment, redact
from tests.server.cli.commands import Commands
from tests.server.evals.asking import INPUTS, KEY, MODEL, Asker, write_prompts
from tests.server.providers.model_server import Fail, ModelServer, Raw, Reply
from tests.server.providers.wire_shapes import Say

ECHOES: dict[str, Reply] = {
    "error": Fail(401, f"the key {KEY} is not valid"),
    "error-header": Fail(400, "bad", {"X-Echo": KEY}),
    "broken-body": Raw(f'{{"key": "{KEY}'),
    "answer": Say(f"You called with {KEY}."),
    "refusal": Say(f"I do not serve {KEY}.", refused=True),
    "broken-arguments": Say(calls=(("lookup_capability", [KEY]),)),
    "tool": Say(calls=((KEY, {}),)),
}


def opened(vendor: str, key_variable: str | None = None) -> object:
    return open_provider(vendor, MODEL, base_url=None, key_variable=key_variable, timeout=1, retries=0)


def test_the_command_shows_and_keeps_no_key(
    command: Commands,
    model_server: ModelServer,
    toy_data: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    subtests: pytest.Subtests,
) -> None:
    for vendor, form in (("openai", "--json"), ("anthropic", "--concurrency=1")):
        for kind, reply in ECHOES.items():
            caplog.clear()
            model_server.requests.clear()
            with subtests.test(vendor=vendor, reply=kind):
                out = tmp_path / f"{vendor}-{kind}.jsonl"
                model_server.script.update({text: [reply] for text in INPUTS})
                places = ["--prompts", str(write_prompts(tmp_path)), "--data", str(toy_data), "--out", str(out)]
                url = model_server.base_url(vendor)
                asked = ["--model", MODEL, "--provider", vendor, "--base-url", url, "--retries", "1", "--steps", "2"]
                assert command("eval", "llm", *asked, *places, form) in (0, 1)
                assert KEY in str(model_server.requests[0].headers)
                kept = out.read_text(encoding="utf-8")
                shown = {"out": kept, "stdout": command.out, "stderr": command.err, "log": caplog.text}
                assert [name for name, text in shown.items() if KEY in text] == []


@pytest.mark.anyio
async def test_what_an_error_says_besides_the_key_is_kept(ask: Asker) -> None:
    recording = await ask(Fail(401, f"the key {KEY} is not valid"))
    assert recording.ending == "failed"
    assert "the key [key] is not valid" in (recording.error or "")


@pytest.mark.anyio
async def test_the_most_talkative_log_holds_no_key(ask: Asker, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await ask(Fail(500, f"the key {KEY} is not valid"), retries=1)
    assert "500" in caplog.text
    assert KEY not in caplog.text


def test_a_key_from_the_environment_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_OWN_KEY", f" {KEY}\n")
    key = key_from_environment("MY_OWN_KEY")
    ways: list[Any] = [str, repr, "{}".format, "%s".__mod__, lambda key: str([key])]
    for shown in ways:
        assert KEY not in shown(key), shown
    assert key.get_secret_value() == KEY


def test_a_key_is_redacted_wherever_it_stands() -> None:
    for text in ["{}", "a {} b {}", '{{"key": "{}"}}']:
        assert redact(text.format(KEY, KEY), SecretStr(KEY)) == text.format("[key]", "[key]"), text


def test_a_key_is_redacted_as_json_writes_it() -> None:
    key = 'key-with-"quotes"-and-\\'
    assert redact(json.dumps([key, f"before {key}"]), SecretStr(key)) == '["[key]", "before [key]"]'


def test_a_placeholder_is_no_key_and_garbles_no_text() -> None:
    assert redact("xylophone", SecretStr("x")) == "xylophone"


def test_a_provider_does_not_print_its_key(vendor: str, keys: None) -> None:
    provider = opened(vendor)
    assert KEY not in repr(provider) + str(vars(provider))


def test_a_missing_key_is_refused_in_three_parts(subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    for vendor, variable in KEY_VARIABLES.items():
        for value in [None, "", "  \n"]:
            with subtests.test(vendor=vendor, value=value):
                monkeypatch.delenv(variable, raising=False)
                if value is not None:
                    monkeypatch.setenv(variable, value)
                with pytest.raises(CallerError) as caught:
                    opened(vendor)
                problem, rule, step = str(caught.value).split("; ")
                assert (problem, step) == (f"no key in {variable}", f"set {variable}")
                assert "from the environment" in rule


def test_the_variable_that_was_named_is_the_one_that_is_missing(vendor: str, keys: None) -> None:
    with pytest.raises(CallerError, match="no key in MY_OWN_KEY"):
        opened(vendor, "MY_OWN_KEY")


def test_a_missing_sdk_is_refused_in_three_parts(vendor: str, keys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, vendor, None)
    monkeypatch.delitem(sys.modules, f"server.providers.{vendor}", raising=False)
    with pytest.raises(CallerError) as caught:
        opened(vendor)
    problem, rule, step = str(caught.value).split("; ")
    assert problem == f"'{vendor}' is not installed"
    assert "through its vendor's SDK" in rule
    assert step == "install it with: pip install 'agent-capabilities[eval]'"
