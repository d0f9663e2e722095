import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from server.evals.evaluate import baseline_tokens, token_counter
from server.evals.prompts import Suite
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


def test_a_prompt_on_one_agent_has_that_agents_file_in_context(toy_data: Path) -> None:
    cases: list[Mapping[str, Any]] = [{"agent": "gemini-cli"}, {"agents": ["gemini-cli"], "capability": "Vision"}]
    for args in cases:
        assert of(toy_data, args) == 4 + size(toy_data, "gemini-cli"), args


def test_a_prompt_on_no_agent_in_particular_has_all_files_in_context(toy_data: Path) -> None:
    cases: list[Mapping[str, Any]] = [{}, {"capability": "Vision"}, {"category": "performance"}, {"agents": AGENTS}]
    for args in cases:
        assert of(toy_data, args) == 4 + size(toy_data, *AGENTS), args


def test_neither_alternatives_nor_the_folder_above_change_anything(toy_data: Path) -> None:
    others = ({"tool": "some", "args": {}},)
    assert of(toy_data, {"agent": "gemini-cli"}, others) == of(toy_data, {"agent": "gemini-cli"})
    assert of(toy_data / "agents", {"agent": "gemini-cli"}) == of(toy_data, {"agent": "gemini-cli"})


def test_each_prompt_has_a_baseline_and_scenarios_have_none(toy_data: Path) -> None:
    prompts = [{"input": text, "expectedTool": None} for text in ("first", "second")]
    scenario = {"name": "some", "input": "third", "calls": [1, 2]}
    suite = Suite.model_validate({"prompts": prompts, "scenarios": [scenario]})
    assert list(baseline_tokens(suite, toy_data, AGENTS, len)) == ["first", "second"]


def test_tokens_are_counted_by_the_tokenizer_if_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    count = token_counter()
    assert count is not None
    assert [count(text) for text in ("", "hello world", "antidisestablishmentarianism")] == [0, 2, 6]
    monkeypatch.setitem(sys.modules, "rs_bpe", None)
    assert token_counter() is None
