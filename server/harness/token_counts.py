"""Tokens (cl100k) of what a model would read without this server: the data files themselves."""

from collections.abc import Callable, Sequence
from pathlib import Path

from server.harness.prompts import PromptFile
from server.paths import agents_folder

Counter = Callable[[str], int]


def counter() -> Counter | None:
    """Counts cl100k tokens; None where the tokenizer (the extra `eval`) is not installed."""
    try:
        from rs_bpe import openai
    except ImportError:
        return None
    encoding = openai.cl100k_base()
    return lambda text: int(encoding.count(text))


def baseline(suite: PromptFile, folder: Path, agents: Sequence[str], count: Counter) -> dict[str, int]:
    """Tokens of each prompt with the data files that answer it in context.

    They are the files of the agents that the expected call names, and of all agents where it names none.

    Args:
        suite: the prompts.
        folder: the data folder.
        agents: ids of all agents.
        count: counts the tokens of a text.
    """
    files = {agent: agents_folder(folder) / agent / "capabilities" / "current.json" for agent in agents}
    sizes = {agent: count(path.read_text(encoding="utf-8")) for agent, path in files.items()}
    found = {}
    for prompt in suite.prompts:
        one, several = prompt.expected_args.get("agent"), prompt.expected_args.get("agents")
        named = [one] if isinstance(one, str) else list(several or agents)
        found[prompt.input] = count(prompt.input) + sum(sizes.get(agent, 0) for agent in named)
    return found
