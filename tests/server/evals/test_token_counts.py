import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from server.evals.formats.prompts import Suite
from server.evals.token_counts import baseline_tokens, token_counter
from tests.toy import AGENT_FILES

AGENTS = list(AGENT_FILES)


def of(folder: Path, args: Mapping[str, Any], alternatives: tuple[Any, ...] = ()) -> int:
    prompt = {"input": "four", "expectedTool": "some", "expectedArgs": args, "alternatives": alternatives}
    suite = Suite.model_validate({"prompts": [prompt]})
    (found,) = baseline_tokens(suite, folder, AGENTS, len).values()
    return found


def size(folder: Path, *agents: str) -> int:
    paths = [folder / "agents" / agent / "capabilities" / "current.json" for agent in agents]
    return sum(len(path.read_text(encoding="utf-8")) for path in paths)


@pytest.mark.parametrize("args", [{"agent": "gemini-cli"}, {"agents": ["gemini-cli"], "capability": "Vision"}])
def test_a_prompt_on_one_agent_has_that_agents_file_in_context(toy_data: Path, args: Mapping[str, Any]) -> None:
    assert of(toy_data, args) == 4 + size(toy_data, "gemini-cli")


@pytest.mark.parametrize("args", [{}, {"capability": "Vision"}, {"category": "performance"}, {"agents": AGENTS}])
def test_a_prompt_on_no_agent_in_particular_has_all_files_in_context(toy_data: Path, args: Mapping[str, Any]) -> None:
    assert of(toy_data, args) == 4 + size(toy_data, *AGENTS)


def test_the_alternatives_change_nothing(toy_data: Path) -> None:
    others = ({"tool": "some", "args": {}},)
    assert of(toy_data, {"agent": "gemini-cli"}, others) == of(toy_data, {"agent": "gemini-cli"})


def test_each_prompt_has_a_baseline_and_scenarios_have_none(toy_data: Path) -> None:
    prompts = [{"input": text, "expectedTool": None} for text in ("first", "second")]
    scenario = {"name": "some", "input": "third", "calls": [1, 2]}
    suite = Suite.model_validate({"prompts": prompts, "scenarios": [scenario]})
    assert list(baseline_tokens(suite, toy_data, AGENTS, len)) == ["first", "second"]


def test_the_folder_above_the_data_will_do_as_well(toy_data: Path) -> None:
    assert of(toy_data / "agents", {"agent": "gemini-cli"}) == of(toy_data, {"agent": "gemini-cli"})


def test_tokens_are_those_of_cl100k() -> None:
    count = token_counter()
    assert count is not None
    assert [count(text) for text in ("", "hello world", "antidisestablishmentarianism")] == [0, 2, 6]


def test_without_the_tokenizer_there_is_no_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rs_bpe", None)
    assert token_counter() is None
