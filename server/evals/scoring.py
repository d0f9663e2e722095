"""Scores recordings: runs every call on the server and compares what the server understood with the expected call.

A recording's score counts the steps, what the server understood, and whether the answers settle the prompt.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from embeddings.text.normalization import fold
from server.evals.prompts import ExpectedCall, Prompt, Suite
from server.evals.recording import Call, PromptResult, Recording
from server.evals.results import Results, ScenarioResult
from server.evals.tool_runner import Outcome, ToolRunner

Answer = Mapping[str, Any]
Arguments = Mapping[str, Any]

SETTINGS: Final = ("top", "accept", "include_schema", "verbose")
"""Arguments that only say how much of the answer is wanted; compared if the prompt asks for them."""

LOADS: Final = frozenset({"capabilities", "load_family", "smart_load"})
"""Tools that only describe or load other tools: a step on the way, not a first call, unless the prompt asks for one."""

CALL_TOOL: Final = "call_tool"


@dataclass(frozen=True)
class Step:
    """One call and its answer.

    Attributes:
        call: the call, or the one that it ran through `call_tool`.
        outcome: the server's answer.
        counts: whether it can be the first call; loads cannot.
    """

    call: Call
    outcome: Outcome
    counts: bool

    @property
    def tool(self) -> str:
        """The tool that the step counts as a call of."""
        return self.call.tool


async def score(
    suite: Suite, recordings: Iterable[Recording], runner: ToolRunner, baseline: Mapping[str, int] | None = None
) -> Results:
    """Score recordings.

    Args:
        suite: the prompts and their expected calls.
        recordings: what callers did; prompts that are not in the suite are ignored.
        runner: the server that runs each call.
        baseline: tokens of the data files that answer each prompt, by its input; None gives no token ratio.
    """
    by_input = {recording.input: recording for recording in recordings}
    prompts = [
        await _score_prompt(prompt, by_input[prompt.input], runner)
        for prompt in suite.prompts
        if prompt.input in by_input
    ]
    scenarios = [
        ScenarioResult(scenario.name, len(by_input[scenario.input].calls), *scenario.calls)
        for scenario in suite.scenarios
        if scenario.input in by_input
    ]
    missing = [text for text in suite.inputs if text not in by_input]
    return Results(prompts, scenarios, missing, baseline or {}, runner.start)


async def _score_prompt(prompt: Prompt, recording: Recording, runner: ToolRunner) -> PromptResult:
    outcomes = [await runner.call(call.tool, call.arguments) for call in recording.calls]
    right_tools = {expected.tool for expected in prompt.right_calls}
    steps = steps_of(recording.calls, outcomes, right_tools)
    first = next((step for step in steps if step.counts), None)
    understood = understood_arguments(first.call, first.outcome, runner.agents) if first else {}
    tool = first.tool if first else None
    candidates = [expected for expected in prompt.right_calls if expected.tool == tool]
    completed = recording.ending != "failed"
    right_arguments = completed and any(
        tool is None or as_expected(understood, expected, runner.agents) for expected in candidates
    )
    expecting = prompt.expected_tool is not None
    return PromptResult(
        prompt=prompt,
        recording=recording,
        first=first.call if first else None,
        right_tool=completed and bool(candidates),
        right_arguments=right_arguments if expecting else None,
        retried=_retried(steps),
        reached=completed and any(step.tool in right_tools for step in steps) if expecting else None,
        settled=completed and settled(outcomes, prompt.settles) if prompt.settles else None,
        understood=understood,
    )


def _retried(steps: Sequence[Step]) -> bool:
    """Return whether a tool is called again after it could not answer."""
    tools = [step.tool for step in steps]
    return any(step.outcome.unresolved and step.tool in tools[position + 1 :] for position, step in enumerate(steps))


def steps_of(calls: Sequence[Call], outcomes: Sequence[Outcome], expected: Collection[str | None]) -> list[Step]:
    """Return the steps of a conversation, in order.

    Args:
        calls: every call.
        outcomes: the answer to each.
        expected: the tools that the prompt asks for. A call of one of them counts as it stands.
    """
    found = []
    for call, outcome in zip(calls, outcomes, strict=True):
        asked_for = call.tool in expected
        counted = call if asked_for else _run_through(call)
        found.append(Step(counted, outcome, asked_for or counted.tool not in LOADS))
    return found


def _run_through(call: Call) -> Call:
    """Return the call that `call_tool` was asked to make; any other call as it is."""
    if call.tool != CALL_TOOL or not isinstance(call.arguments, dict):
        return call
    name, arguments = call.arguments.get("name"), call.arguments.get("arguments", {})
    return Call(tool=name, arguments=arguments) if isinstance(name, str) else call


def understood_arguments(call: Call, outcome: Outcome, all_agents: Collection[str]) -> dict[str, Any]:
    """Return how the server understood the arguments of a call.

    Args:
        call: the call.
        outcome: the server's answer.
        all_agents: ids of all agents; naming all of them counts the same as naming none.

    Returns:
        `answered`, plus what the call specified, in canonical names; empty if it failed or was not resolved. Tools
        that rank or explain candidates answer for an ambiguous phrase, too, and `recommend_agent` for its other needs.
    """
    if outcome.is_error or (outcome.unresolved and call.tool not in _ANSWER_ANYWAY):
        return {}
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    found = _READERS.get(call.tool, _core)(outcome.answer, arguments)
    if "agents" in found:
        found["agents"] = _selected(found["agents"], all_agents)
    found |= {name: arguments[name] for name in SETTINGS if name in arguments}
    return {"answered": True} | {name: value for name, value in found.items() if value not in (None, "", [])}


def as_expected(understood: Mapping[str, Any], expected: ExpectedCall, all_agents: Collection[str]) -> bool:
    """Return whether the server understood exactly the expected arguments, no more and no fewer."""
    wanted: dict[str, Any] = dict(expected.args)
    if "agents" in wanted:
        wanted["agents"] = _selected(wanted["agents"], all_agents)
    if "needs" in wanted:
        wanted["needs"] = sorted(wanted["needs"])
    if "phrase" in wanted:
        wanted["phrase"] = fold(wanted["phrase"])
    compared = {name: value for name, value in understood.items() if name not in SETTINGS or name in wanted}
    return compared == {"answered": True} | {name: value for name, value in wanted.items() if value not in ("", [])}


def _selected(agents: Collection[str], all_agents: Collection[str]) -> list[str]:
    """Return the agents in alphabetical order; empty for all of them."""
    return [] if set(agents) == set(all_agents) else sorted(agents)


def _core(answer: Answer, _: Arguments) -> dict[str, Any]:
    capability = answer.get("capability")
    return {
        "agent": answer.get("agent"),
        "agents": [line["agent"] for line in answer.get("comparison", ())],
        "category": answer.get("category"),
        "capability": capability.get("name") if isinstance(capability, dict) else capability,
    }


def _recommended(answer: Answer, _: Arguments) -> dict[str, Any]:
    needs = {need["capability"] for need in answer["understood"] if need.get("capability")}
    return {"needs": sorted(needs), "tier": answer.get("tier")}


def _parity(answer: Answer, _: Arguments) -> dict[str, Any]:
    agents = [answer["agent"]] if answer.get("agent") else answer.get("agents", [])
    return {"category": answer.get("category"), "tier": answer.get("tier"), "agents": agents}


def _matched(answer: Answer, _: Arguments) -> dict[str, Any]:
    return {"capability": answer["matches"][0]["name"]} if answer.get("matches") else {}


def _explained(answer: Answer, _: Arguments) -> dict[str, Any]:
    return {"phrase": fold(answer["query"]), "capability": (answer.get("askedAbout") or {}).get("name")}


def _loaded(answer: Answer, _: Arguments) -> dict[str, Any]:
    return {"family": answer.get("family") or (answer.get("result") or {}).get("family")}


def _as_given(*names: str) -> Callable[[Answer, Arguments], dict[str, Any]]:
    """Arguments that the server takes as they are."""
    return lambda _, arguments: {name: arguments.get(name) for name in names}


_ANSWER_ANYWAY: Final = ("match_capability", "explain_match", "recommend_agent")

_READERS: Final[Mapping[str, Callable[[Answer, Arguments], dict[str, Any]]]] = {
    "recommend_agent": _recommended,
    "feature_parity": _parity,
    "match_capability": _matched,
    "explain_match": _explained,
    "load_family": _loaded,
    "smart_load": _loaded,
    "catalog_status": _as_given("staleAfterDays"),
    "capabilities": _as_given("family"),
    "call_tool": _as_given("name"),
}
"""How the answer of each tool beyond the core is read."""


def settled(outcomes: Sequence[Outcome], parts: Sequence[str]) -> bool:
    """Return whether every part occurs in one of the answers, in any case; line breaks count as spaces."""
    given = [_plain(text) for outcome in outcomes for text in _texts(outcome)]
    return all(any(_plain(part) in text for text in given) for part in parts)


def _texts(outcome: Outcome) -> Iterator[str]:
    """List every string that a model can read in an answer, without the escapes of JSON."""
    return _strings(outcome.answer) if outcome.answer else iter((outcome.text,))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        parts: Iterable[Any] = value.values() if isinstance(value, dict) else value
        for part in parts:
            yield from _strings(part)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
