import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rs_bpe import openai

from embeddings.errors import ModelError
from server.matching.service import Service, open_service
from server.paths import shipped_data
from server.tools.compare_capability import CompareRequest, compare
from server.tools.paging import cut
from server.tools.verdicts import LONGEST_BECAUSE
from tests.server.tools.statements import Found, entries_say
from tests.toy import AGENT_FILES, ToyEncoder, write_data

CL100K = openai.cl100k_base()
TOKENS_FOR_AN_AGENT = 300
"""Four agents have 1,200 and six 1,800."""
CAPABILITIES = [
    each["name"] for each in json.loads((shipped_data() / "capabilities.json").read_text("utf-8"))["capabilities"]
]
LOCAL = "no local model"


def said(line: dict[str, Any]) -> list[str]:
    """Return the limitations of an agent that has it, the one that its verdict rests on first."""
    return [*([line["because"]] if "because" in line else []), *line.get("limitations", [])]


def lines(service: Service, phrase: str, **more: Any) -> dict[str, dict[str, Any]]:
    answer = compare(service, CompareRequest(capability=phrase, **more)).to_json()
    return {line["agent"]: line for line in answer["comparison"]}


def hint(service: Service, phrase: str) -> str | None:
    answer = compare(service, CompareRequest(capability=phrase)).to_json()
    return answer.get("hint")


def tokens(answer: dict[str, Any]) -> int:
    return int(CL100K.count(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))))


def with_limitations(folder: Path, *limitations: str, agents: int = 2) -> Service:
    """Return the toy catalog, in which Checkpoints of the agents have these limitations."""
    files = copy.deepcopy(AGENT_FILES)
    for position in range(agents - 2):
        files[f"agent-{position}"] = copy.deepcopy(files["claude-code"])
    for file in files.values():
        file["capabilities"][0]["limitations"] = list(limitations)
    service = open_service(write_data(folder / "toy", files), lambda threads: ToyEncoder())
    service.matchers.load()
    return service


@pytest.fixture(scope="module")
def two_more(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """Return the shipped catalog with two more agents, which say as much as two that there are."""
    folder = tmp_path_factory.mktemp("more") / "data"
    shutil.copytree(shipped_data(), folder, ignore=shutil.ignore_patterns("*.npz"))
    for made_up, model in (("zeta-coding-cli", "claude-code"), ("zeta-in-an-editor", "vscode-copilot")):
        shutil.copytree(folder / "agents" / model, folder / "agents" / made_up)

    def no_model(threads: int) -> ToyEncoder:
        raise ModelError("names need none")

    service = open_service(folder, no_model)
    service.matchers.load()
    return service


def test_statements_stand_with_their_agent(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    entries_say(monkeypatch, lambda agent, name: [("gotchas", LOCAL, 0.6)] if agent == "gemini-cli" else [])
    found = lines(service, "checkpoints")
    assert found["gemini-cli"]["relevant"] == [{"statement": LOCAL, "field": "gotchas", "confidence": 0.6}]
    assert "relevant" not in found["claude-code"]


def test_an_agent_that_lacks_it_shows_statements_too(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    entries_say(monkeypatch, lambda agent, name: [("description", LOCAL, 0.6)])
    line = lines(service, "mcp")["gemini-cli"]
    assert (line["available"], line["relevant"][0]["statement"]) == (False, LOCAL)


def saying(*found: tuple[str, str, float]) -> Callable[[str, str], Found]:
    return lambda agent, name: list(found)


def test_the_hint_names_available_agents_that_are_limited(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for field in ["limitations", "requirements", "gotchas"]:
        entries_say(monkeypatch, saying(("setup", "start it", 0.7), (field, LOCAL, 0.6)))
        expected = "Available, but see relevant for {}: it may not do what was asked."
        assert hint(service, "checkpoints") == expected.format("claude-code, gemini-cli"), field
        assert hint(service, "mcp") == expected.format("claude-code"), field


def test_what_takes_nothing_back_needs_no_hint(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for found in [saying(), saying(("description", LOCAL, 0.6)), saying(("setup", LOCAL, 0.6))]:
        entries_say(monkeypatch, found)
        assert hint(service, "checkpoints") is None


def test_a_relevant_limitation_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries_say(monkeypatch, lambda agent, name: [("limitations", LOCAL, 0.6)])
    assert lines(with_limitations(tmp_path, LOCAL, "only files"), "checkpoints")["gemini-cli"]["limitations"] == [
        "only files"
    ]


def test_limitations_that_fit_are_shown_whole(tmp_path: Path) -> None:
    limitations = ["only files, " * 20, "only text, " * 20]
    found = lines(with_limitations(tmp_path, *limitations), "checkpoints")
    assert all(said(line) == limitations for line in found.values())


def test_many_limitations_become_fewer_before_any_is_cut(tmp_path: Path) -> None:
    limitations = [f"limitation {number} " + "only files " * 20 for number in range(40)]
    found = said(lines(with_limitations(tmp_path, *limitations), "checkpoints")["gemini-cli"])
    assert 1 < len(found) < 40
    assert found == limitations[: len(found)]


def test_long_limitations_are_cut_at_a_word(tmp_path: Path) -> None:
    line = lines(with_limitations(tmp_path, *["seventy " * 400] * 2, "sixty " * 500), "checkpoints")["gemini-cli"]
    assert line["because"].endswith("seventy…")
    assert len(line["because"]) <= LONGEST_BECAUSE
    assert line["limitations"][0].endswith("sixty…")
    assert len(line["limitations"][0]) <= 200


def test_texts_of_any_length_leave_the_answer_short(tmp_path: Path) -> None:
    for agents in [2, 4, 9]:
        for text in ["seventy words ", "ein Übermaß an Rede ", "それはできません"]:
            service = with_limitations(tmp_path / f"{agents}-{len(text)}", *[text * 200] * 10, agents=agents)
            assert tokens(
                compare(service, CompareRequest(capability="checkpoints")).to_json()
            ) <= TOKENS_FOR_AN_AGENT * max(agents, 4), (agents, text)


@pytest.mark.measures
def test_every_capability_stays_within_the_budget_of_its_agents(
    two_more: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in CAPABILITIES:

        def longest_texts(agent: str, name: str) -> Found:
            entry = two_more.catalog.agents[agent].entries[name]
            notes = entry.implementation_notes
            texts = [entry.description, *entry.limitations, *entry.requirements, *(notes.gotchas if notes else ())]
            return [("limitations", text, 0.512) for text in sorted(texts, key=len)[-2:]]

        entries_say(monkeypatch, longest_texts)
        agents = list(two_more.catalog.agents)
        for some in (agents, agents[:-2]):
            answer = compare(two_more, CompareRequest(capability=f"{name}?", agents=some)).to_json()
            assert len(answer["comparison"]) == len(some), name
            assert tokens(answer) <= TOKENS_FOR_AN_AGENT * len(some), name


def test_without_statements_all_limitations_of_the_catalog_are_shown_whole(
    shipped_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in CAPABILITIES:
        entries_say(monkeypatch, lambda agent, name: [])
        for agent, line in lines(shipped_service, name).items():
            entry = shipped_service.catalog.agents[agent].entries.get(name)
            limitations = list(entry.limitations) if entry else []
            if entry and entry.available and limitations:
                assert line["because"] == cut(limitations.pop(0), LONGEST_BECAUSE), (name, agent)
            assert line.get("limitations", []) == limitations, (name, agent)


def test_who_cannot_use_a_local_model_is_told(shipped_service: Service) -> None:
    for phrase in [
        "do these support a local model through Ollama?",
        "plug in a local model such as Ollama",
        "local models only, so Ollama; where can I plug such a model in",
        "local models only, plug in an Ollama model",
    ]:
        found = {agent: json.dumps(line, ensure_ascii=False) for agent, line in lines(shipped_service, phrase).items()}
        assert "Local models work in Claude Code without Anthropic's support" in found["claude-code"], phrase
        assert "has no setting for Ollama or LM Studio" in found["gemini-cli"], phrase
