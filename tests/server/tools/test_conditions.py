"""Needs with a condition: a way that is left out, a platform, an alias that is a question by itself."""

from typing import Any

import pytest

from server.catalog.facets import Cell
from server.matching.service import Service
from server.tools.compare_capability import CompareRequest, compare
from tests.server.calls import answer

WAYS = ("own-key", "google-login", "github-login", "chatgpt-login", "claude-login")


def compared(service: Service, phrase: str) -> dict[str, Any]:
    return compare(service, CompareRequest(capability=phrase)).to_json()


def cell(service: Service, agent: str, facet: str) -> Cell:
    return service.catalog.agents[agent].cells[facet]


@pytest.mark.parametrize(("phrase", "left_out"), [("no github login", "github-login"), ("no api key", "own-key")])
def test_a_way_that_is_left_out_is_no_loss_where_another_one_is_open(
    shipped_service: Service, phrase: str, left_out: str
) -> None:
    best = {"no": 0, "undocumented": 1, "partly": 2, "yes": 3}
    for line in compared(shipped_service, phrase)["comparison"]:
        others = [
            cell(shipped_service, line["agent"], f"Plans and Accounts/{way}").verdict or "yes"
            for way in WAYS
            if way != left_out
        ]
        assert line["verdict"] == max(others, key=best.__getitem__), line["agent"]


def test_no_wsl_asks_for_native_windows(shipped_service: Service) -> None:
    for line in compared(shipped_service, "no wsl allowed")["comparison"]:
        native = cell(shipped_service, line["agent"], "Platform Support/windows-native")
        assert (line["verdict"], line["because"]) == (native.verdict, native.because), line["agent"]


def test_what_is_wanted_blocked_is_not_turned(shipped_service: Service) -> None:
    phrase = "IT wants --yolo blocked on all company macs, or is it only a default users can flip"
    found = compared(shipped_service, phrase)
    assert "opposite" not in found["asked"]
    for line in found["comparison"]:
        assert line["verdict"] == cell(shipped_service, line["agent"], "Enterprise Policy/block-yolo").verdict


def test_a_platform_that_is_named_has_to_hold_as_well(shipped_service: Service) -> None:
    anywhere = {
        line["agent"]: line for line in compared(shipped_service, "run shell commands in an OS sandbox")["comparison"]
    }
    on_windows = compared(shipped_service, "run shell commands in an OS sandbox on windows")["comparison"]
    for line in on_windows:
        there = cell(shipped_service, line["agent"], "Sandboxing/windows-native").verdict
        if anywhere[line["agent"]]["verdict"] == "yes":
            assert line["verdict"] == there, line["agent"]
    assert {line["agent"]: line["verdict"] for line in on_windows}["claude-code"] == "no"


def test_a_need_has_to_hold_together_with_what_is_wanted_beside_it(shipped_service: Service) -> None:
    for needs, place, condition in (
        (["runs natively on Windows", "run shell commands in an OS sandbox"], 1, "Sandboxing/windows-native"),
        (["ghost text while I type", "usable for free without a credit card"], 0, "Code Completion/free-plan"),
    ):
        found = answer(shipped_service, "recommend_agent", {"needs": needs})
        assert found["understood"][place]["conditions"] == [shipped_service.catalog.questions[condition]]
        assert "conditions" not in found["understood"][1 - place]
        for line in found["agents"]:
            verdict = line["needs"][place]["verdict"]
            there = shipped_service.catalog.agents[line["agent"]].cells.get(condition)
            assert verdict in ("no", "partly", *([there.verdict] if there else [])), line["agent"]
    (claude,) = [line for line in found["agents"] if line["agent"] == "claude-code"]
    assert claude["needs"][0]["verdict"] == "no"


def test_parts_of_one_phrase_have_to_hold_together(shipped_service: Service) -> None:
    phrase = "which run natively on windows and run shell commands in an OS sandbox"
    verdicts = {
        line["agent"]: [part["verdict"] for part in line["parts"]]
        for line in compared(shipped_service, phrase)["comparison"]
    }
    assert verdicts["claude-code"] == ["yes", "no"]


def test_a_need_alone_has_no_conditions(shipped_service: Service) -> None:
    (need,) = answer(shipped_service, "recommend_agent", {"needs": ["run shell commands in an OS sandbox"]})[
        "understood"
    ]
    assert "conditions" not in need


@pytest.mark.parametrize(
    ("alias", "facet"),
    [("local models", "Custom Model Providers/local-models"), ("AGENTS.md", "Custom Instructions/agents-md")],
)
def test_an_alias_that_is_a_question_by_itself_is_answered(shipped_service: Service, alias: str, facet: str) -> None:
    answer = compared(shipped_service, alias)
    assert "asked" in answer
    for line in answer["comparison"]:
        assert line["verdict"] == cell(shipped_service, line["agent"], facet).verdict, line["agent"]


@pytest.mark.parametrize(
    "phrase", ["does it have auto-compact", "what is its plan mode like", "tell me about prompt caching"]
)
def test_a_question_about_nothing_but_a_name_is_about_the_capability_as_a_whole(
    shipped_service: Service, phrase: str
) -> None:
    assert "asked" not in compared(shipped_service, phrase)


@pytest.mark.parametrize(
    ("wish", "statement", "facet"),
    [
        ("installs without Node", "needs Node.js installed", "Platform Support/without-node"),
        ("commits without a co-author line", "adds itself as co-author", "Git Integration/co-author"),
        ("doesn't require a paid plan", "needs a paid plan", "Plans and Accounts/free-no-card"),
    ],
)
def test_what_a_facet_is_free_of_turns_its_verdicts_when_a_need_states_it(
    shipped_service: Service, wish: str, statement: str, facet: str
) -> None:
    turned = {"yes": "no", "no": "yes"}
    for phrase, opposite in [(wish, False), (statement, True)]:
        for line in compared(shipped_service, phrase)["comparison"]:
            verdict = cell(shipped_service, line["agent"], facet).verdict or ""
            assert line["verdict"] == (turned.get(verdict, verdict) if opposite else verdict), (phrase, line["agent"])


@pytest.mark.parametrize(
    ("phrase", "of_those_that_have_it"),
    [("no image generation", "no"), ("without MCP", "undocumented"), ("no MCP server needed", "undocumented")],
)
def test_a_capability_that_a_need_leaves_out_turns_its_verdicts(
    shipped_service: Service, phrase: str, of_those_that_have_it: str
) -> None:
    found = compared(shipped_service, phrase)
    name = found["capability"]
    assert found["asked"]["opposite"] is True, phrase
    assert found["asked"]["question"] == f"Does it have {name}?"
    for line in found["comparison"]:
        available = shipped_service.catalog.agents[line["agent"]].entries[name].available
        assert line["verdict"] == (of_those_that_have_it if available else "yes"), (phrase, line["agent"])


def test_what_a_wish_wants_off_is_not_answered_by_its_being_there(shipped_service: Service) -> None:
    found = answer(shipped_service, "recommend_agent", {"needs": ["switch all hooks off"]})
    assert (found["understood"][0]["capability"], found["understood"][0]["opposite"]) == ("Lifecycle Hooks", True)
    assert {line["needs"][0]["verdict"] for line in found["agents"]} == {"undocumented"}


@pytest.mark.parametrize(
    ("need", "question"),
    [
        ("an administrator can enforce settings that users can't override", "Enterprise Policy/managed-settings"),
        ("admins can forbid MCP servers", "MCP Support/admin-allowlist"),
        ("commits its changes to git for me", "Git Integration/commits"),
        ("should not be allowed to fetch arbitrary web pages", "Web Search/domains"),
        ("not locked in to one model vendor", "Model Selection/several-vendors"),
        ("an interactive chat session, not a one-shot command", "Terminal CLI/interactive"),
    ],
)
def test_a_word_of_denial_within_a_wish_does_not_turn_it(shipped_service: Service, need: str, question: str) -> None:
    (found,) = answer(shipped_service, "recommend_agent", {"needs": [need]})["understood"]
    assert found["question"] == shipped_service.catalog.questions[question]
    assert "opposite" not in found


def test_what_is_named_before_a_contrast_is_answered(shipped_service: Service) -> None:
    needs = ["something for the terminal, not an editor extension", "plain text output instead of JSON in script mode"]
    for found in answer(shipped_service, "recommend_agent", {"needs": needs})["understood"]:
        assert found["capability"] in {"Terminal CLI", "Headless Mode"}
        assert "opposite" not in found


@pytest.mark.parametrize("phrase", ["can hooks be turned off", "doesn't it have memory?"])
def test_a_capability_that_is_turned_off_or_doubted_is_not_left_out(shipped_service: Service, phrase: str) -> None:
    assert not compared(shipped_service, phrase).get("asked", {}).get("opposite")


def test_only_what_is_asked_to_choose_by_is_turned_by_a_denied_verb(shipped_service: Service) -> None:
    phrase = "'always allow' not kept after I quit"
    (need,) = answer(shipped_service, "recommend_agent", {"needs": [phrase]})["understood"]
    assert (need["capability"], need["opposite"]) == ("Permission Controls", True)
    assert "opposite" not in compared(shipped_service, phrase)["asked"]


def test_what_a_wish_replaces_does_not_turn_its_verdicts(shipped_service: Service) -> None:
    wish = "point the inline suggestions at my own model on localhost instead of Copilot's model"
    for line in compared(shipped_service, wish)["comparison"]:
        assert line["verdict"] == cell(shipped_service, line["agent"], "Code Completion/own-model").verdict, line


def test_a_wish_is_not_answered_by_a_question_that_leaves_out_what_it_wants(shipped_service: Service) -> None:
    (need,) = answer(shipped_service, "recommend_agent", {"needs": ["isolation through docker containers"]})[
        "understood"
    ]
    assert need["capability"] == "Sandboxing"
    assert "without" not in need.get("question", "").lower()


def test_a_wish_that_denies_what_a_capability_does_turns_its_verdicts(shipped_service: Service) -> None:
    wishes = ["never summarises a long chat by itself", "unit tests that don't mock the database"]
    denied, other = answer(shipped_service, "recommend_agent", {"needs": wishes})["understood"]
    assert (denied["capability"], denied["opposite"]) == ("Context Compaction", True)
    assert "opposite" not in other


@pytest.mark.parametrize(
    ("phrase", "heading"),
    [
        ("call it from another program with nobody sitting at the keyboard", "Headless Mode"),
        ("explain a selection without leaving the editor", "Code Explanation"),
        ("ask before edits rather than accepting them all", "Permission Controls"),
    ],
)
def test_what_is_left_out_helps_to_understand_the_rest(shipped_service: Service, phrase: str, heading: str) -> None:
    assert shipped_service.ask(phrase).result.matches[0].name == heading


def test_a_capability_that_is_left_out_by_name_is_not_found(shipped_service: Service) -> None:
    found = shipped_service.ask("hints where to edit next, without ghost text").result
    assert found.matches[0].name == "Next Edit Suggestions"
