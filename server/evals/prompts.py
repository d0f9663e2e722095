"""A suite of prompts with the calls that answer them, and of scenarios that take several calls."""

import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from server.errors import CallerError, brief
from server.paths import shipped_data


class JsonModel(BaseModel):
    """Base of the models: camelCase in JSON; unknown fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")


def shape_error(error: ValidationError, where: str) -> CallerError:
    """Return the error for JSON of the wrong shape: names the first wrong field and the rule for it."""
    first = error.errors(include_url=False)[0]
    place = ": ".join([where, ".".join(str(part) for part in first["loc"])]) if first["loc"] else where
    return CallerError(f"{place} is {brief(first['input'])}; {first['msg'].lower()}; fix it")


def first_repeated(inputs: Iterable[str]) -> str | None:
    """Return the first input that appears a second time; inputs identify prompts, so none may."""
    seen: set[str] = set()
    for text in inputs:
        if text in seen:
            return text
        seen.add(text)
    return None


PROMPTS_FILE: Final = "benchmark-prompts.json"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("an input cannot be blank")
    return text


def _ordered(calls: tuple[int, int]) -> tuple[int, int]:
    if calls[0] > calls[1]:
        raise ValueError("the minimum number of calls must come first, then the maximum")
    return calls


Value = str | bool | int | list[str]
"""An expected argument."""

LISTS: Final = ("agents", "needs")
NOT_STRINGS: Final = ("top", "staleAfterDays", "include_schema", "verbose")
"""Arguments that are numbers or switches; the others are strings, or lists of them."""


def _of_their_kinds(args: dict[str, Value]) -> dict[str, Value]:
    for name, value in args.items():
        if isinstance(value, list) is not (name in LISTS):
            raise ValueError(f"{name} must {'' if name in LISTS else 'not '}be a list")
        if isinstance(value, int) is not (name in NOT_STRINGS):
            raise ValueError(f"{name} must be {'a number or a switch' if name in NOT_STRINGS else 'a string'}")
    return args


Input = Annotated[str, AfterValidator(_not_blank)]
Count = Annotated[int, Field(ge=0)]
Args = Annotated[dict[str, Value], AfterValidator(_of_their_kinds)]


class ExpectedCall(JsonModel):
    """A call that is right.

    Attributes:
        tool: the tool's name; None if no tool should be called.
        args: canonical values of the arguments; of a need in `needs`, the capability that it means; of an intent, the
            `family` to load.
    """

    tool: Annotated[str | None, Field(validation_alias=AliasChoices("tool", "expectedTool"))]
    args: Annotated[Args, Field(validation_alias=AliasChoices("args", "expectedArgs"))] = Field(default_factory=dict)


class Prompt(JsonModel):
    """One question, and every first call that is right.

    Attributes:
        settles: texts that the answers must contain, all of them and in any case, so that they settle the question:
            each is peculiar to one statement of the catalog.
    """

    input: Input
    stratum: str = "all"
    expected_tool: str | None
    expected_args: Args = Field(default_factory=dict)
    alternatives: tuple[ExpectedCall, ...] = ()
    settles: tuple[Input, ...] = ()

    @cached_property
    def right_calls(self) -> tuple[ExpectedCall, ...]:
        """The expected call, then the alternatives."""
        return (ExpectedCall(tool=self.expected_tool, args=self.expected_args), *self.alternatives)


class Scenario(JsonModel):
    """A task of several steps, and the range of calls that it should take."""

    name: str
    input: Input
    expected_tools: tuple[str, ...] = ()
    calls: Annotated[tuple[Count, Count], AfterValidator(_ordered)]


class Suite(JsonModel):
    """Prompts and scenarios that are evaluated together."""

    prompts: Annotated[tuple[Prompt, ...], Field(min_length=1)]
    scenarios: tuple[Scenario, ...] = ()

    @property
    def inputs(self) -> list[str]:
        """Every text that a model is sent, in order."""
        return [prompt.input for prompt in self.prompts] + [scenario.input for scenario in self.scenarios]


def read_suite(path: Path | None = None) -> Suite:
    """Read a suite (default: the shipped one).

    Raises:
        CallerError: the file cannot be read, has the wrong shape, or repeats an input.
    """
    chosen = path or shipped_data() / PROMPTS_FILE
    try:
        value: Any = json.loads(chosen.read_text(encoding="utf-8"))
        suite = Suite.model_validate(value)
    except ValidationError as error:
        raise shape_error(error, f"prompts {brief(str(chosen))}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise CallerError(
            f"prompts {brief(str(chosen))} cannot be read ({error}); they are UTF-8 JSON with a list 'prompts'; "
            "check the path and the file"
        ) from error
    twice = first_repeated(suite.inputs)
    if twice is not None:
        raise CallerError(
            f"prompts {brief(str(chosen))} have the input {brief(twice)} twice; an input identifies its prompt; "
            "reword one of them"
        )
    return suite
