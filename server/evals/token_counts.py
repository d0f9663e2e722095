"""Counts tokens (cl100k), also for the baseline without this server: prompts with the data files as context."""

from collections.abc import Callable, Sequence
from pathlib import Path

from server.catalog.folders import AGENT_FILE, agents_folder
from server.evals.formats.prompts import Suite

TokenCounter = Callable[[str], int]


def token_counter() -> TokenCounter | None:
    """Counts cl100k tokens; None if the tokenizer (the extra `eval`) is not installed."""
    try:
        from rs_bpe import openai
    except ImportError:
        return None
    encoding = openai.cl100k_base()
    return lambda text: int(encoding.count(text))


def baseline_tokens(suite: Suite, folder: Path, agents: Sequence[str], count: TokenCounter) -> dict[str, int]:
    """Tokens of each prompt together with the data files that answer it, by the prompt's input.

    Those are the files of the agents that the expected call names, or of all agents if it names none.

    Args:
        suite: the prompts.
        folder: the data folder.
        agents: ids of all agents.
        count: counts the tokens of a text.
    """
    files = {agent: agents_folder(folder) / agent / "capabilities" / AGENT_FILE for agent in agents}
    sizes = {agent: count(path.read_text(encoding="utf-8")) for agent, path in files.items()}
    found = {}
    for prompt in suite.prompts:
        one, several = prompt.expected_args.get("agent"), prompt.expected_args.get("agents")
        named = [one] if isinstance(one, str) else several if isinstance(several, list) and several else agents
        found[prompt.input] = count(prompt.input) + sum(sizes.get(agent, 0) for agent in named)
    return found
