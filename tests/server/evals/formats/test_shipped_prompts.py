from collections import Counter
from functools import cache

import numpy as np
import pytest
from rapidfuzz import fuzz, process

from embeddings.text.normalization import fold
from server.catalog.loading import load_catalog
from server.evals.prompts import PROMPTS_FILE, Prompt, Suite, read_suite
from server.evals.recording import Call
from server.evals.scoring import as_expected, understood_arguments
from server.evals.tool_runner import connect
from server.matching.service import Service
from server.paths import shipped_data
from server.toolset.tool_matcher import read_intents
from tests.data.shipped import AGENTS, NAMES, read

SUITE = read_suite()
CATALOG = load_catalog(shipped_data())
TOOLS = ("lookup_capability", "compare_capability", "list_capabilities", "get_sources")
NEAR = 85
"""Token-sort similarity from which two phrases are the same but for a word."""

RANGES = {
    "Set up MCP in Claude Code": (1, 2),
    "Build cross-agent debugging workflow": (2, 5),
    "Cite all sources for Gemini CLI": (1, 1),
    "Find all free-tier capabilities": (1, 4),
    "Cross-agent feature parity check": (2, len(NAMES)),
}
"""The scenarios of the design with their calls; a parity check may compare each capability by itself."""


def agents_of(prompt: Prompt) -> list[str]:
    one, several = prompt.expected_args.get("agent"), prompt.expected_args.get("agents")
    return [*([one] if isinstance(one, str) else []), *(several if isinstance(several, list) else [])]


def test_the_suite_of_80_prompts_is_read_when_none_is_named() -> None:
    assert read_suite(shipped_data() / PROMPTS_FILE) == SUITE
    assert len(SUITE.prompts) >= 80


def test_tools_agents_and_capabilities_are_asked_for_about_equally_often() -> None:
    counts = Counter(prompt.expected_tool for prompt in SUITE.prompts if prompt.expected_tool)
    assert set(counts) == set(TOOLS)
    assert max(counts.values()) <= 1.25 * min(counts.values())
    counts = Counter(agent for prompt in SUITE.prompts for agent in agents_of(prompt))
    assert len(counts) >= 4
    assert set(counts) <= set(AGENTS)
    assert max(counts.values()) <= 1.25 * min(counts.values())
    asked = {prompt.expected_args.get("capability") for prompt in SUITE.prompts} - {None}
    assert asked <= set(NAMES)
    assert len(asked) >= 35


def test_vague_prompts_those_of_several_agents_and_of_no_tool_are_enough() -> None:
    vague = [prompt for prompt in SUITE.prompts if prompt.stratum == "vague"]
    named = [prompt.input for prompt in vague if f" {fold(_capability(prompt))} " in f" {fold(prompt.input)} "]
    assert len(vague) * 2 >= len(SUITE.prompts)
    assert named == []
    several = [prompt for prompt in SUITE.prompts if prompt.stratum == "several"]
    assert len(several) >= 10
    assert {len(agents_of(prompt)) for prompt in several} <= {0, 2, 3}
    assert {prompt.expected_tool for prompt in several} == {"compare_capability", "list_capabilities"}
    none = [prompt for prompt in SUITE.prompts if prompt.expected_tool is None]
    assert len(none) >= 8
    assert [prompt.expected_args for prompt in none] == [{}] * len(none)
    assert [prompt for prompt in SUITE.prompts if prompt.stratum == "none"] == none


def test_the_scenarios_of_the_design_have_their_ranges_and_tools() -> None:
    assert {scenario.name: scenario.calls for scenario in SUITE.scenarios} == RANGES
    assert all(scenario.expected_tools for scenario in SUITE.scenarios)
    assert {tool for scenario in SUITE.scenarios for tool in scenario.expected_tools} <= set(TOOLS)


@pytest.mark.measures
def test_no_prompt_is_near_a_phrase_that_is_built_in() -> None:
    assert near_built_in(SUITE) == {}


def test_what_settles_25_prompts_stands_in_one_statement_of_an_entry_asked_for() -> None:
    assert sum(bool(prompt.settles) for prompt in SUITE.prompts) >= 25
    assert not_in_one_statement(SUITE) == []


@pytest.mark.anyio
async def test_every_right_call_in_canonical_names_is_understood_as_expected(shipped_service: Service) -> None:
    wrong = []
    async with connect(shipped_service) as runner:
        for prompt in SUITE.prompts:
            for expected in prompt.right_calls:
                if expected.tool is not None:
                    outcome = await runner.call(expected.tool, expected.args)
                    call = Call(tool=expected.tool, arguments=expected.args)
                    understood = understood_arguments(call, outcome, runner.agents)
                    if not as_expected(understood, expected, runner.agents):
                        wrong.append((prompt.input, expected, outcome.text))
    assert wrong == []


def near_built_in(suite: Suite) -> dict[str, str]:
    """Return the inputs that are like a phrase that the matchers are built from, each with such a phrase."""
    inputs, built = sorted(suite.inputs), built_in()
    folded = list(map(fold, inputs))
    likeness = process.cdist(folded, built, scorer=fuzz.token_sort_ratio, score_cutoff=NEAR, dtype=np.uint8)
    return {inputs[row]: built[column] for row, column in np.argwhere(likeness)}


@cache
def built_in() -> list[str]:
    texts = [*read_intents()["outOfScope"], *read("phrasings.json")["outOfScope"]]
    for phrases in (*read_intents()["tools"].values(), *read("phrasings.json")["phrasings"].values()):
        texts += phrases
    return list(map(fold, texts))


def not_in_one_statement(suite: Suite) -> list[tuple[str, str]]:
    """Return the texts that stand in no statement of the entries that a prompt asks for, or in several of them."""
    return [
        (prompt.input, part)
        for prompt in suite.prompts
        for part in prompt.settles
        if sum(part.casefold() in text.casefold() for text in statements(prompt)) != 1
    ]


def statements(prompt: Prompt) -> list[str]:
    """Return what the catalog says in the entries that a prompt asks for, in sentences or lists of them."""
    found = []
    for agent in agents_of(prompt) or AGENTS:
        entry = CATALOG.entry(agent, str(prompt.expected_args["capability"]))
        assert entry is not None
        notes = entry.implementation_notes
        found += [entry.description, *entry.limitations, *entry.requirements]
        found += [notes.setup or "", *notes.gotchas] if notes else []
    return found


def _capability(prompt: Prompt) -> str:
    return str(prompt.expected_args.get("capability", "(none)"))
