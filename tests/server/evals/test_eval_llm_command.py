import json
from pathlib import Path

import pytest

from server.evals.recording import read_recordings
from tests.server.evals.asking import GOOD, INPUTS, MODEL
from tests.server.evals.eval_llm import EvalLlm
from tests.server.providers.model_server import Fail

FIGURES = ["invocationAccuracy", "argumentAccuracy", "retryRate", "tokenRatio"]


def test_the_metrics_stand_at_the_top_of_the_json(eval_llm: EvalLlm) -> None:
    assert eval_llm("--json") == 0
    (report,) = eval_llm.command.objects()
    assert list(report)[:4] == FIGURES
    assert [report[name] for name in FIGURES[:3]] == [1.0, 1.0, 0.0]
    assert report["tokenRatio"] > 0
    assert (report["model"], report["prompts"], report["misses"]) == (MODEL, 3, [])


def test_the_text_is_a_table_of_the_strata(eval_llm: EvalLlm) -> None:
    assert eval_llm() == 0
    lines = [line.split() for line in eval_llm.command.out.splitlines() if line]
    assert lines[0] == [MODEL]
    rows = {line[0]: line[1:4] for line in lines[2:6]}
    assert rows == {
        "all": ["3", "100.0%", "100.0%"],
        "none": ["1", "100.0%", "-"],
        "plain": ["1", "100.0%", "100.0%"],
        "several": ["1", "100.0%", "100.0%"],
    }


def test_every_prompt_has_a_progress_line_on_standard_error(eval_llm: EvalLlm) -> None:
    eval_llm("--json", "--concurrency", "1")
    assert eval_llm.command.err.splitlines()[-3:] == [
        f"{number}/3 answered: {text!r}" for number, text in enumerate(INPUTS, start=1)
    ]


def test_a_limit_asks_the_first_prompts_alone(eval_llm: EvalLlm) -> None:
    assert eval_llm("--json", "--limit", "2") == 0
    assert {request.text for request in eval_llm.server.requests} == set(INPUTS[:2])
    assert eval_llm.command.objects()[0]["prompts"] == 2


def test_every_exchange_is_kept(eval_llm: EvalLlm, tmp_path: Path) -> None:
    out = tmp_path / "kept" / "out.jsonl"
    assert eval_llm("--out", str(out), "--concurrency", "1") == 0
    kept = read_recordings(out)
    assert [each.input for each in kept] == INPUTS
    assert [[message.role for message in each.messages] for each in kept] == [
        ["user", "assistant", "tool", "assistant"],
        ["user", "assistant", "tool", "assistant"],
        ["user", "assistant"],
    ]
    assert [(each.tokens_in, each.tokens_out) for each in kept] == [(200, 20), (200, 20), (100, 10)]


def test_a_second_run_takes_up_the_first(eval_llm: EvalLlm, tmp_path: Path) -> None:
    out = str(tmp_path / "out.jsonl")
    eval_llm("--json", "--out", out)
    first = eval_llm.command.objects()
    eval_llm.server.requests.clear()
    assert eval_llm("--json", "--out", out) == 0
    assert eval_llm.command.objects() == first
    assert eval_llm.server.requests == []


def test_a_replay_of_what_was_kept_gives_the_same_report(eval_llm: EvalLlm, tmp_path: Path) -> None:
    out = str(tmp_path / "out.jsonl")
    eval_llm("--json", "--out", out)
    (asked,) = eval_llm.command.objects()
    assert eval_llm.command("eval", "llm", "--replay", out, "--json", *eval_llm.files) == 0
    (replayed,) = eval_llm.command.objects()
    assert replayed | {"model": MODEL} == asked


def test_what_cannot_be_is_refused_before_anything_is_asked(eval_llm: EvalLlm, tmp_path: Path) -> None:
    assert eval_llm("--out", str(tmp_path / "prompts.json" / "out.jsonl")) == 2
    assert "cannot be written" in eval_llm.command.err
    assert eval_llm.server.requests == []
    assert eval_llm("--key-variable", "NO_SUCH_KEY") == 2
    assert eval_llm.command.err.splitlines()[-1].startswith("error: no key in NO_SUCH_KEY; ")
    assert eval_llm.server.requests == []
    for option in ["--retries=-1", "--limit=0", "--concurrency=0", "--steps=0", "--timeout=0"]:
        assert eval_llm(option) == 2, option
        assert option.split("=", maxsplit=1)[0] in eval_llm.command.err, option
        assert eval_llm.server.requests == [], option


def test_a_model_that_fails_now_and_then_is_asked_again(eval_llm: EvalLlm) -> None:
    eval_llm.server.script[INPUTS[0]] = [Fail(429, headers={"Retry-After": "3"}), Fail(500), *GOOD[INPUTS[0]]]
    assert eval_llm("--json", "--retries", "2") == 0
    assert eval_llm.command.objects()[0]["argumentAccuracy"] == 1.0


def test_a_key_variable_names_where_the_key_is(eval_llm: EvalLlm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_OWN_KEY", "another-key")
    assert eval_llm("--key-variable", "MY_OWN_KEY", "--limit", "1") == 0
    assert "another-key" in json.dumps(dict(eval_llm.server.requests[0].headers))
