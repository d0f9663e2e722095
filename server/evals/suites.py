"""Which prompts are asked of a server: the shipped ones for the tools that it has, or those of a file."""

from pathlib import Path
from typing import Final

from server.evals.formats.prompts import Suite, read_suite
from server.paths import shipped_data
from server.tools.families import CORE, FAMILIES, META
from server.toolset import registry
from server.toolset.start import Start

MORE_PROMPTS_FILE: Final = "benchmark-prompts-more.json"
"""Prompts for the tools beyond the core."""


def chosen_suite(path: Path | None, start: Start) -> Suite:
    """The prompts of a file, else the shipped ones.

    Of these, a server that has more than the core tools gets those for its other tools, too.

    Raises:
        CallerError: the file cannot be used.
    """
    core = read_suite(path)
    tools = reachable_tools(start)
    if path is not None or tools == reachable_tools(Start()):
        return core
    more = read_suite(shipped_data() / MORE_PROMPTS_FILE)
    fitting = tuple(prompt for prompt in more.prompts if prompt.expected_tool in (None, *tools))
    return core.model_copy(update={"prompts": core.prompts + fitting, "scenarios": core.scenarios + more.scenarios})


def reachable_tools(start: Start) -> list[str]:
    """The tools that can be called, loaded or through `call_tool`, in order."""
    loaded = FAMILIES if start.dynamic else (CORE, *start.profile.families)
    return [tool.name for tool in registry.TOOLS if tool.family in loaded and (start.dynamic or tool.family != META)]
