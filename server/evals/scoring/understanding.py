"""What the server took a call to mean, judging by its answer, and whether that is what was expected."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from embeddings.text.normalization import fold
from server.evals.formats.prompts import ExpectedCall
from server.evals.formats.recording import Call
from server.evals.tool_runner import Outcome

Answer = Mapping[str, Any]
Arguments = Mapping[str, Any]

SETTINGS: Final = ("top", "accept", "include_schema", "verbose")
"""Arguments that only say how much of the answer is wanted; compared if the prompt asks for them."""


def understood_arguments(call: Call, outcome: Outcome, all_agents: Collection[str]) -> dict[str, Any]:
    """What the server took the arguments of a call to mean.

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
    """Whether the server understood exactly the expected arguments, no more and no fewer."""
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
    """The agents in alphabetical order; empty for all of them."""
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
    rows = [*answer.get("different", ()), *answer.get("everywhere", ())]
    agents = [answer["agent"]] if answer.get("agent") else list(rows[0]["agents"]) if rows else []
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
