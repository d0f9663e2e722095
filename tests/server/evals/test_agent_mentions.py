import pytest

from server.evals.agent_mentions import find_agents, mentions_agents_in_general

CLAUDE, COPILOT, GEMINI, VSCODE = ("claude-code", "copilot-cli", "gemini-cli", "vscode-copilot")
AGENTS = {
    CLAUDE: "Claude Code",
    COPILOT: "GitHub Copilot CLI",
    GEMINI: "Gemini CLI",
    VSCODE: "GitHub Copilot in VS Code",
}

WAYS = {
    CLAUDE: [
        *(
            "claude-code",
            "Claude Code",
            "claude code",
            "CLAUDE CODE",
            "Claude-Code",
            "claude",
            "Claude's",
            "Claude CLI",
        ),
        *(
            "claude code’s",
            "the Claude Code CLI",
            "Claude in the terminal",
            "Anthropic's coding agent",
            "anthropic's cli",
        ),
    ],
    COPILOT: [
        *(
            "copilot-cli",
            "Copilot CLI",
            "GitHub Copilot CLI",
            "the Copilot CLI's",
            "copilot in the terminal",
            "gh copilot",
        ),
        *("GitHub Copilot in the terminal", "Copilot on the command line", "Copilot for the shell", "terminal Copilot"),
        *("GitHub's terminal agent", "GitHub's CLI", "the terminal version of Copilot", "Copilot's CLI"),
    ],
    GEMINI: [
        *("gemini-cli", "Gemini CLI", "gemini cli", "GEMINI", "Gemini's CLI", "the Gemini agent in the terminal"),
        *("Google's Gemini CLI", "Gemini's terminal agent", "Google's coding agent", "Google's command-line tool"),
    ],
    VSCODE: [
        *("vscode-copilot", "VS Code Copilot", "vscode copilot", "VS Code's Copilot", "Copilot in VS Code"),
        *("GitHub Copilot in VS Code", "copilot in vscode", "Copilot for VS Code", "Copilot inside VS Code"),
        *("Visual Studio Code's Copilot", "Copilot in Visual Studio Code", "Copilot Chat in VS Code", "VS Code chat"),
        *("Copilot in my editor", "Copilot in the IDE", "Copilot, in VS Code", "the editor's Copilot"),
    ],
}
"""How people call each agent."""

NAMED = [(agent, way) for agent, ways in WAYS.items() for way in ways]

NONE = [
    *("", "which agents can undo", "all four agents", "Copilot", "GitHub Copilot", "GitHub", "Google Search grounding"),
    *("write a CLAUDE.md", "Is GEMINI.md read?", "AGENTS.md, CLAUDE.md, GEMINI.md", "claude.md's rules", "a terminal"),
    *("claudette", "geminis", "preclaude", "my editor", "an IDE", "copilots", "the pilot of a plane"),
]
"""Texts that name no agent in particular."""


@pytest.mark.parametrize(("agent", "way"), NAMED, ids=[way for _, way in NAMED])
def test_an_agent_is_known_by_each_of_its_names_alone(agent: str, way: str) -> None:
    assert find_agents(way, AGENTS)[0] == [agent]


@pytest.mark.parametrize(("agent", "way"), NAMED, ids=[way for _, way in NAMED])
def test_an_agent_is_known_in_the_middle_of_a_sentence(agent: str, way: str) -> None:
    assert find_agents(f"Tell me, would {way}, please, run my hooks?", AGENTS)[0] == [agent]


@pytest.mark.parametrize("text", NONE)
def test_a_text_without_a_name_mentions_nobody_and_stays_as_it_is(text: str) -> None:
    assert find_agents(text, AGENTS) == ([], text)


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("Claude Code vs Gemini CLI on sub-agents", [CLAUDE, GEMINI]),
        ("gemini or claude", [GEMINI, CLAUDE]),
        ("the Copilot CLI, Copilot in VS Code, or both?", [COPILOT, VSCODE]),
        ("Copilot in VS Code against Copilot in the terminal", [VSCODE, COPILOT]),
        ("Claude Code, GitHub Copilot CLI, Gemini CLI, Copilot in VS Code", [CLAUDE, COPILOT, GEMINI, VSCODE]),
        ("gemini cli, then claude, then gemini cli again", [GEMINI, CLAUDE]),
    ],
)
def test_several_agents_are_in_the_order_of_the_text_and_each_once(text: str, agents: list[str]) -> None:
    assert find_agents(text, AGENTS)[0] == agents


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Does Claude Code support MCP?", "Does support MCP?"),
        ("hooks in GitHub Copilot in VS Code", "hooks in"),
        ("gemini cli's sandbox and Gemini CLI's hooks", "sandbox and hooks"),
        ("Claude Code vs Gemini CLI on sub-agents", "vs on sub-agents"),
        ("does  claude\nread a CLAUDE.md", "does read a CLAUDE.md"),
    ],
)
def test_what_is_left_is_the_text_without_the_names(text: str, rest: str) -> None:
    assert find_agents(text, AGENTS)[1] == rest


@pytest.mark.parametrize(
    ("text", "agent"), [("Claude  Code", CLAUDE), ("Gemini\nCLI", GEMINI), ("Copilot in\nVS Code", VSCODE)]
)
def test_a_name_across_a_line_break_is_one_name(text: str, agent: str) -> None:
    assert find_agents(text, AGENTS) == ([agent], "")


@pytest.mark.parametrize("model", ["Claude Sonnet", "Claude Opus 4", "Gemini 2.5 Pro"])
def test_a_models_name_is_no_agent(model: str) -> None:
    assert find_agents(f"Can I pick {model} in VS Code Copilot?", AGENTS)[0] == [VSCODE]


def test_an_editor_alone_stands_for_the_agent_in_it() -> None:
    assert find_agents("what does it cost in VS Code", AGENTS)[0] == [VSCODE]


def test_an_editor_beside_another_agent_stands_for_itself() -> None:
    assert find_agents("Does Claude Code work in VS Code?", AGENTS) == ([CLAUDE], "Does work in VS Code?")


def test_agents_that_there_are_not_are_not_found() -> None:
    assert find_agents("claude or gemini", {GEMINI: "Gemini CLI"}) == ([GEMINI], "claude or")


@pytest.mark.parametrize(
    "way", ["new-agent", "New Agent", "newagent", "Acme New Agent", "the Acme new-agent's", "new agent CLI", "New"]
)
def test_an_agent_without_a_pattern_is_known_by_its_id_and_name(way: str) -> None:
    assert find_agents(f"does {way} undo", AGENTS | {"new-agent": "Acme New Agent"})[0] == ["new-agent"]


def test_a_word_that_says_more_than_a_kind_is_not_left_out() -> None:
    assert find_agents("is it open", {"open-interpreter": "Open Interpreter"})[0] == []


def test_a_word_that_two_ids_have_names_neither() -> None:
    assert find_agents("does new undo", {"new-agent": "New Agent", "new-ide": "New IDE"})[0] == []


@pytest.mark.parametrize("text", ["which agents undo", "all four of them", "who has hooks", "Who's got a sandbox?"])
def test_words_for_all_agents_are_known(text: str) -> None:
    assert mentions_agents_in_general(text)


@pytest.mark.parametrize("text", ["does claude undo", "a reagents shelf", "whoever"])
def test_other_words_are_not_taken_for_all_agents(text: str) -> None:
    assert not mentions_agents_in_general(text)
