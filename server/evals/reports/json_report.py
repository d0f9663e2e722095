"""The results of a run as JSON."""

from typing import Any

from server.evals.formats.prompt_result import PromptResult
from server.evals.formats.results import Results, ScenarioResult


def to_json(model: str, results: Results) -> dict[str, Any]:
    """The JSON value; the metrics come first."""
    return results.metrics.to_dict() | {
        "model": model,
        **({"start": results.start} if results.start else {}),
        "strata": {name: metrics.to_dict() for name, metrics in results.strata.items()},
        "confusion": [
            {"expected": expected, "called": called, "prompts": count}
            for (expected, called), count in results.confusion.items()
        ],
        "scenarios": [_scenario(each) for each in results.scenarios],
        "misses": [_miss(result) for result in results.misses],
        "unsettled": [
            {"input": result.prompt.input, "settles": list(result.prompt.settles)} for result in results.unsettled
        ],
        "failed": [{"input": recording.input, "error": recording.error or ""} for recording in results.failures],
        "missing": list(results.missing),
    }


def _scenario(scenario: ScenarioResult) -> dict[str, Any]:
    return {
        "name": scenario.name,
        "calls": scenario.calls,
        "expected": [scenario.min_calls, scenario.max_calls],
        "within": scenario.within,
    }


def _miss(result: PromptResult) -> dict[str, Any]:
    return {
        "input": result.prompt.input,
        "stratum": result.prompt.stratum,
        "expected": [expected.model_dump(mode="json") for expected in result.prompt.right_calls],
        "calls": [call.model_dump(mode="json") for call in result.recording.calls],
        "ending": result.recording.ending,
        "messages": [message.model_dump(mode="json") for message in result.recording.messages],
        "understood": {name: value for name, value in result.understood.items() if name != "answered"},
    }
