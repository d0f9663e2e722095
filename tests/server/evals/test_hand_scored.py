"""A replay of 24 prompts against the shipped catalog; every figure below was worked out by hand from the two files."""

import json
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest
from rs_bpe import openai

from server.catalog.folders import DATA_VARIABLE
from server.cli.main import main
from server.matching.vector_cache import CACHE_VARIABLE
from server.paths import shipped_data

HERE: Final = Path(__file__).parent
PROMPTS: Final = HERE / "hand_scored_prompts.json"
RECORDED: Final = HERE / "hand_scored.jsonl"

# Stratum "tools", 8 prompts of which 2 expect no call. In the order of the file:
# right | lookup for compare | right, "Gemini CLI" | no call for get_sources | right, no call | a call for none |
# a tool that does not exist, twice | a tool that is not loaded, then the right one.
# Stratum "arguments", 9 prompts, each begun with a right tool:
# another agent | another capability | another category | one other agent of two | all agents for none named |
# none named for all agents | the alternative's tool and arguments | a capability too much, which the alternative's tool
# is not called with | a vague phrase and loose agents, understood.
# Stratum "retries", 7 prompts, each begun with a right tool:
# ambiguous, then again | no_match, another tool, then again | error, then again | error, then another tool |
# understood, then the same tool again | malformed arguments, then again | no_match, then nothing.
COUNTS: Final = {
    "tools": {"prompts": 8, "invoked": 3, "expecting": 6, "resolved": 2, "retried": 1, "reached": 3, "calls": 7},
    "arguments": {"prompts": 9, "invoked": 9, "expecting": 9, "resolved": 4, "retried": 0, "reached": 9, "calls": 9},
    "retries": {"prompts": 7, "invoked": 7, "expecting": 7, "resolved": 1, "retried": 4, "reached": 7, "calls": 14},
}

USED: Final = {
    "tools": (812 + 1040 + 2310 + 655 + 649 + 1195 + 1480 + 1732) + (64 + 58 + 71 + 120 + 33 + 77 + 96 + 105),
    "arguments": (1211 + 1187 + 904 + 998 + 1150 + 1162 + 861 + 1003 + 1077)
    + (69 + 70 + 52 + 61 + 80 + 55 + 63 + 57 + 88),
    "retries": (2004 + 3120 + 2216 + 1890 + 1755 + 2590 + 1322) + (131 + 174 + 118 + 101 + 140 + 92 + 66),
}
"""`tokensIn`, then `tokensOut`."""

FILES: Final = {
    "tools": {
        "claude-code": 3 + 1,
        "copilot-cli": 3 + 1,
        "gemini-cli": 3 + 2,
        "vscode-copilot": 3 + 1,
        "codex-cli": 3,
        "opencode": 3,
    },
    "arguments": {
        "claude-code": 2 + 3,
        "copilot-cli": 2 + 1,
        "gemini-cli": 2 + 4,
        "vscode-copilot": 2 + 1,
        "codex-cli": 2,
        "opencode": 2,
    },
    "retries": {
        "claude-code": 2 + 2,
        "copilot-cli": 2 + 2,
        "gemini-cli": 2 + 0,
        "vscode-copilot": 2 + 2,
        "codex-cli": 2,
        "opencode": 2,
    },
}
"""Times that an agent's file is in the baseline: for prompts whose expected call names none or all, then for others."""


def replay(recorded: Path, cache: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as environment, redirect_stdout(StringIO()) as out:
        environment.setenv(CACHE_VARIABLE, str(cache))
        environment.delenv(DATA_VARIABLE, raising=False)
        assert main(["eval", "llm", "--replay", str(recorded), "--prompts", str(PROMPTS), "--json"]) == 0
    report: dict[str, Any] = json.loads(out.getvalue())
    return report


def baseline(stratum: str) -> int:
    count: Callable[[str], int] = openai.cl100k_base().count
    folder = shipped_data() / "agents"
    sizes = {
        agent: count((folder / agent / "capabilities" / "current.json").read_text(encoding="utf-8"))
        for agent in FILES[stratum]
    }
    asked = [
        prompt["input"]
        for prompt in json.loads(PROMPTS.read_text(encoding="utf-8"))["prompts"]
        if prompt["stratum"] == stratum
    ]
    return sum(map(count, asked)) + sum(times * sizes[agent] for agent, times in FILES[stratum].items())


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def report(cache: Path) -> dict[str, Any]:
    """Return one run with the shipped model, which several tests read."""
    return replay(RECORDED, cache)


def test_the_metrics_of_the_replay_are_those_of_the_hand_count(report: dict[str, Any]) -> None:
    assert report["prompts"] == 24
    assert report["invocationAccuracy"] == 19 / 24
    assert report["argumentAccuracy"] == 7 / 22
    assert report["retryRate"] == 5 / 24
    assert report["tokenRatio"] == sum(USED.values()) / sum(map(baseline, FILES))


def test_the_metrics_of_each_stratum_are_those_of_the_hand_count(report: dict[str, Any]) -> None:
    expected = {
        name: {
            "invocationAccuracy": counts["invoked"] / counts["prompts"],
            "argumentAccuracy": counts["resolved"] / counts["expecting"],
            "retryRate": counts["retried"] / counts["prompts"],
            "tokenRatio": USED[name] / baseline(name),
            "reached": counts["reached"] / counts["expecting"],
            "settled": None,
            "steps": counts["calls"] / counts["expecting"],
            "tokens": USED[name] / counts["prompts"],
            "prompts": counts["prompts"],
        }
        for name, counts in COUNTS.items()
    }
    assert report["strata"] == expected


def test_the_misses_are_those_of_the_hand_count_with_wrong_tools_first(report: dict[str, Any]) -> None:
    assert [miss["stratum"] for miss in report["misses"]] == ["tools"] * 5 + ["arguments"] * 5 + ["retries"] * 6


def test_without_tokens_the_ratio_is_null_and_the_other_metrics_stay(cache: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    bare = [json.dumps({"input": line["input"], "calls": line["calls"]}) for line in lines]
    path = tmp_path / "bare.jsonl"
    path.write_text("\n".join(bare), encoding="utf-8")
    found = replay(path, cache)
    metrics = [found[name] for name in ("invocationAccuracy", "argumentAccuracy", "retryRate", "tokenRatio")]
    assert metrics == [19 / 24, 7 / 22, 5 / 24, None]


def test_one_prompt_without_tokens_makes_the_ratio_null(cache: Path, tmp_path: Path) -> None:
    first, *others = RECORDED.read_text(encoding="utf-8").splitlines()
    without = {name: value for name, value in json.loads(first).items() if name != "tokensOut"}
    path = tmp_path / "partial.jsonl"
    path.write_text("\n".join([json.dumps(without), *others]), encoding="utf-8")
    found = replay(path, cache)
    assert found["tokenRatio"] is None
    assert found["strata"]["retries"]["tokenRatio"] == USED["retries"] / baseline("retries")
