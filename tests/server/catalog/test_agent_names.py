import pytest

from server.catalog.catalog import Agent, AgentNames
from server.catalog.models import AgentInfo
from server.errors import CallerError
from server.matching.service import Service


def test_an_agent_is_known_by_its_usual_names(shipped_service: Service) -> None:
    for said, meant in [
        ("claude-code", "claude-code"),
        ("Claude Code", "claude-code"),
        ("claude_code", "claude-code"),
        ("Claude", "claude-code"),
        ("anthropic", "claude-code"),
        ("claud", "claude-code"),
        ("the claude agent", "claude-code"),
        ("Gemini", "gemini-cli"),
        ("gemni", "gemini-cli"),
        ("google's gemini", "gemini-cli"),
        ("GitHub Copilot CLI", "copilot-cli"),
        ("copilot in the terminal", "copilot-cli"),
        ("copilot in vs code", "vscode-copilot"),
        ("Copilot Chat", "vscode-copilot"),
        ("vscode", "vscode-copilot"),
    ]:
        assert AgentNames(shipped_service.catalog.agents).resolve(said) == meant, (said, meant)


def test_a_name_of_two_agents_is_refused_with_both(shipped_service: Service, subtests: pytest.Subtests) -> None:
    for said in ["copilot", "GitHub Copilot", "github"]:
        with subtests.test(said=said), pytest.raises(CallerError, match="could be copilot-cli or vscode-copilot"):
            AgentNames(shipped_service.catalog.agents).resolve(said)


@pytest.mark.parametrize("said", ["copilot cli in vscode", "gemini claude"])
def test_words_of_two_agents_name_neither(shipped_service: Service, said: str) -> None:
    with pytest.raises(CallerError, match="unknown agent"):
        AgentNames(shipped_service.catalog.agents).resolve(said)


def test_another_product_is_said_not_to_be_covered(shipped_service: Service, subtests: pytest.Subtests) -> None:
    for said in ["cursor", "cursor cli", "aider", "windsurf", "goose", "qwen code", "roo code", "amazon q"]:
        with subtests.test(said=said):
            with pytest.raises(CallerError) as caught:
                AgentNames(shipped_service.catalog.agents).resolve(said)
            assert str(caught.value) == (
                f"agent {said!r} is not covered; covered agents: {', '.join(shipped_service.catalog.agents)}; call "
                "again with one of these ids, or say that the catalog does not cover it"
            )


def test_a_slip_that_is_not_understood_gets_the_nearest_agent(
    shipped_service: Service, subtests: pytest.Subtests
) -> None:
    for said, meant in [
        ("claud ecode", "claude-code"),
        ("cladu code", "claude-code"),
        ("geini-li", "gemini-cli"),
        ("gemni qli", "gemini-cli"),
        ("copilot-cfi", "copilot-cli"),
        ("cfpilot-ci", "copilot-cli"),
        ("vscodeocpilot", "vscode-copilot"),
    ]:
        with subtests.test(said=said, meant=meant), pytest.raises(CallerError, match=f"nearest: {meant};"):
            AgentNames(shipped_service.catalog.agents).resolve(said)


def test_a_senseless_name_is_refused_in_few_words(shipped_service: Service, subtests: pytest.Subtests) -> None:
    for said in ["", "   ", "\x00\x1b", "🙂", "агент", "x" * 100_000]:
        with subtests.test(said=said):
            with pytest.raises(CallerError) as caught:
                AgentNames(shipped_service.catalog.agents).resolve(said)
            assert len(str(caught.value)) < 500


def test_an_unknown_agent_names_the_known_ones_and_the_nearest(shipped_service: Service) -> None:
    with pytest.raises(CallerError) as caught:
        AgentNames(shipped_service.catalog.agents).resolve("gemini pro")
    assert str(caught.value) == (
        "unknown agent 'gemini pro'; nearest: gemini-cli; known agents: "
        f"{', '.join(shipped_service.catalog.agents)}; call again with one of these ids"
    )


def test_an_agent_is_known_by_what_else_its_file_calls_it() -> None:
    for said in ["Speedy", "the hare from Acme", "acme speedy", "turbo hare", "spedy"]:
        hare = AgentInfo(name="Hare", vendor="Acme", also_known_as=("Speedy", "Turbo"))
        tortoise = AgentInfo(name="Tortoise", vendor="Acme")
        agents = {"hare": Agent("hare", hare, {}), "tortoise": Agent("tortoise", tortoise, {})}
        assert AgentNames(agents).resolve(said) == "hare", said
