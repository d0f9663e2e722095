"""Prompts with the calls that answer them, and scenarios that take several."""

import json
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, AliasChoices, Field, ValidationError

from server.errors import CallerError, brief
from server.harness.part import Part, misshapen
from server.paths import shipped_data

PROMPTS_FILE: Final = "benchmark-prompts.json"


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("an input says something")
    return text


def _in_order(calls: tuple[int, int]) -> tuple[int, int]:
    if calls[0] > calls[1]:
        raise ValueError("the least number of calls comes first, then the most")
    return calls


def _agents_listed(args: dict[str, str | list[str]]) -> dict[str, str | list[str]]:
    if isinstance(args.get("agents"), str):
        raise ValueError("agents are a list")
    return args


Input = Annotated[str, AfterValidator(_said)]
Count = Annotated[int, Field(ge=0)]
Args = Annotated[dict[str, str | list[str]], AfterValidator(_agents_listed)]


class ExpectedCall(Part):
    """A call that is right.

    Attributes:
        tool: the tool's name; None where no tool is to be called.
        args: canonical values: agent, capability, category, agents.
    """

    tool: Annotated[str | None, Field(validation_alias=AliasChoices("tool", "expectedTool"))]
    args: Annotated[Args, Field(validation_alias=AliasChoices("args", "expectedArgs"))] = Field(default_factory=dict)


class Prompt(Part):
    """One question, and every first call that is right."""

    input: Input
    stratum: str = "all"
    expected_tool: str | None
    expected_args: Args = Field(default_factory=dict)
    alternatives: tuple[ExpectedCall, ...] = ()

    @cached_property
    def right(self) -> tuple[ExpectedCall, ...]:
        """The expected call, then the alternatives."""
        return (ExpectedCall(tool=self.expected_tool, args=self.expected_args), *self.alternatives)


class Scenario(Part):
    """A task of several steps, and how many calls it should take."""

    name: str
    input: Input
    expected_tools: tuple[str, ...] = ()
    calls: Annotated[tuple[Count, Count], AfterValidator(_in_order)]


class PromptFile(Part):
    """A suite."""

    prompts: Annotated[tuple[Prompt, ...], Field(min_length=1)]
    scenarios: tuple[Scenario, ...] = ()

    @property
    def inputs(self) -> list[str]:
        """Every text that a model is sent, in order."""
        return [prompt.input for prompt in self.prompts] + [scenario.input for scenario in self.scenarios]


def read_prompts(path: Path | None = None) -> PromptFile:
    """Read a suite; the shipped one when left out.

    Raises:
        CallerError: the file cannot be read, is not of the shape, or has an input twice.
    """
    chosen = path or shipped_data() / PROMPTS_FILE
    try:
        value: Any = json.loads(chosen.read_text(encoding="utf-8"))
        suite = PromptFile.model_validate(value)
    except ValidationError as error:
        raise misshapen(error, f"prompts {brief(str(chosen))}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise CallerError(
            f"prompts {brief(str(chosen))} cannot be read ({error}); they are UTF-8 JSON with a list 'prompts'; "
            "check the path and the file"
        ) from error
    twice = next((text for text in suite.inputs if suite.inputs.count(text) > 1), None)
    if twice is not None:
        raise CallerError(f"prompts {brief(str(chosen))} have the input {brief(twice)} twice; it is a key; reword one")
    return suite
