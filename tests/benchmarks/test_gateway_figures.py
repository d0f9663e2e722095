"""Tokens, latency and starts are reckoned as the page says."""

from collections.abc import Mapping

import pytest

from benchmarks.gateways.costs import Costs, all_definitions, cost_figures
from benchmarks.gateways.latency import a_call, latency_figures, rounds
from benchmarks.gateways.starts import Start, start_figures
from benchmarks.gateways.tool_set import ToolSet
from benchmarks.tokens import tokens


def tools(**schemas: Mapping[str, object]) -> ToolSet:
    listed = [{"name": name, "description": "Does it.", "inputSchema": schema} for name, schema in schemas.items()]
    return ToolSet("made", {"git": {"tools": listed}}, ())


def test_a_conversation_costs_the_definitions_and_a_search_and_a_call_for_each_need() -> None:
    assert Costs(100, search=30, unserved=5, call=2).after(5) == 100 + 5 * 32
    figures = cost_figures(Costs(100, search=50, call=0), Costs(1_000))
    assert (figures["after1"], figures["after20"]) == (0.15, 1.1)


def test_all_definitions_name_each_tool_after_its_server_and_show_what_models_see() -> None:
    listed = {
        "name": "log",
        "description": "Does it.",
        "inputSchema": {"type": "object"},
        "annotations": {"title": "Log"},
    }
    shown = [{"name": "git__log", "description": "Does it.", "inputSchema": {"type": "object"}}]
    assert all_definitions(ToolSet("made", {"git": {"tools": [listed]}}, ())).definitions == tokens(shown)


def test_each_round_does_every_action_once_for_each_number_and_starts_with_another() -> None:
    done: list[str] = []
    found = rounds({"a": lambda _: done.append("a"), "b": lambda _: done.append("b")}, count=2, each=2)
    assert done == list("aabbbbaa")
    assert [len(turn) for turn in found["a"]] == [2, 2]
    numbers: list[int] = []
    rounds({"a": numbers.append}, count=3, each=2)
    assert numbers == [0, 1, 2, 3, 4, 5]


def test_latency_is_the_median_over_rounds_of_what_each_adds() -> None:
    base = [[0.001] * 3, [0.001] * 3, [0.100] * 3]
    gateway = [[0.004] * 3, [0.004] * 3, [0.103] * 3]
    figures = latency_figures({"direct": base, "gateway": gateway}, "direct")
    assert figures["gateway"]["added"] == pytest.approx(3)
    assert figures["gateway"]["addedP95"] == pytest.approx(3)
    figures = latency_figures({"direct": [[0.001, 0.002], [0.003]]}, "direct")
    assert figures["direct"]["p50"] == pytest.approx(2)
    assert "added" not in figures["direct"]


def test_a_call_takes_a_tool_whose_arguments_are_texts_without_a_rule() -> None:
    number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    chosen = {"type": "object", "properties": {"a": {"type": "string", "enum": ["x"]}}, "required": ["a"]}
    text = {"type": "object", "properties": {"t": {"type": "string"}, "n": {"type": "integer"}}, "required": ["t"]}
    assert a_call(tools(first=number, second=chosen, third=text)) == (("git", "third"), {"t": "some text"})
    with pytest.raises(ValueError, match="no tool can be called with texts alone"):
        a_call(tools(first={"type": "object"}))


def test_starts_are_medians_in_milliseconds_with_the_slowest() -> None:
    starts = [Start(0.1, 0.2, 0.3), Start(0.3, 0.4, 5.0), Start(0.2, 0.3, 0.4)]
    expected = {"listed": 200, "searched": 300, "complete": 400, "slowest": 5_000}
    assert start_figures(starts) == pytest.approx(expected)
