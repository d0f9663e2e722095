"""Recipes: what is run to see that the setup line of an entry works, from an empty home on."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

from pydantic import AfterValidator, ConfigDict, Field, RootModel, model_validator

from checks.fake_model import fake_model
from checks.home import Ended, Home
from checks.runner import Finding, Folder, Runner
from server.catalog.reading import read_json_file
from server.catalog.statement_text import FileModel, Text
from server.errors import CallerError

RECIPES: Final = Path(__file__).parent / "recipes"


def _pattern(text: str) -> str:
    re.compile(text)
    return text


def _inside(path: str) -> str:
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise ValueError("a path is relative, and stays in its folder")
    return path


RelativePath = Annotated[str, Field(min_length=1), AfterValidator(_inside)]


class Part(FileModel):
    """A part of a recipe, in which no field may be misspelled."""

    model_config = ConfigDict(extra="forbid")


class Expect(Part):
    """What the last step has to give.

    Attributes:
        status: its exit status.
        line: a pattern of a line that it prints; any line will do if it is empty.
    """

    status: int = 0
    line: Annotated[str, AfterValidator(_pattern)] = ""


class Recipe(Part):
    """What is run for a claim, or why nothing is.

    Attributes:
        folder: whether the program trusts the folder, which then is a Git repository.
        files: texts by their paths in the folder.
        home: texts by their paths in the home.
        steps: commands, one after another; all but the last have to end with 0.
        model: whether the scripted model is needed.
        expect: what the last step has to give.
        reason: why nothing is run; then there are no steps.
    """

    folder: Folder = "fresh"
    files: dict[RelativePath, str] = Field(default_factory=dict)
    home: dict[RelativePath, str] = Field(default_factory=dict)
    steps: tuple[tuple[Text, ...], ...] = ()
    model: bool = False
    expect: Expect = Expect()
    reason: Text | None = None

    @model_validator(mode="after")
    def _has_steps_or_a_reason(self) -> "Recipe":
        if bool(self.steps) == bool(self.reason) or not all(self.steps):
            raise ValueError("a recipe has steps, each a command, or a reason why there are none")
        return self


class RecipesFile(RootModel[dict[str, Recipe]]):
    """`recipes/<agent>.json`: recipes by claim, `<capability>/<id>`; `<claim>#<subject>` excuses one subject."""


def read_recipes(agent: str, folder: Path = RECIPES) -> Mapping[str, Recipe]:
    """Return an agent's recipes by claim; none if there is no file.

    Raises:
        CatalogError: the file cannot be used.
    """
    path = folder / f"{agent}.json"
    return read_json_file(RecipesFile, path).root if path.exists() else {}


def check_recipes(recipes: Mapping[str, Recipe], statements: Sequence[str], agent: str) -> None:
    """Refuse recipes of statements that are gone.

    Raises:
        CallerError: there is such a recipe.
    """
    known = set(statements)
    for claim in recipes:
        if claim.partition("#")[0] not in known:
            raise CallerError(
                f"recipe {claim!r} of {agent} is of no statement; a recipe is named <capability>/<id> as in "
                f"current.json; correct its name in checks/recipes/{agent}.json, or take it out"
            )


def run_recipe(runner: Runner, recipe: Recipe) -> Finding:
    """Run the steps of a recipe in an empty home."""
    command = " && ".join(map(shlex.join, recipe.steps))
    with _prepared(runner, recipe) as (home, environment):
        for step in recipe.steps[:-1]:
            ended = runner.run_command(step, home, environment)
            if ended.status != 0:
                return Finding.of(command, ended.status, _last_line(ended), holds=False)
        ended = runner.run_command(recipe.steps[-1], home, environment)
    line = _expected_line(ended, recipe.expect)
    holds = ended.status == recipe.expect.status and line is not None
    return Finding.of(command, ended.status, line if line is not None else _last_line(ended), holds=holds)


@contextmanager
def _prepared(runner: Runner, recipe: Recipe) -> Iterator[tuple[Home, Mapping[str, str]]]:
    """Yield a home with a recipe's files, and the environment of its steps."""
    with runner.new_home() as home:
        for path, text in recipe.home.items():
            home.write(path, text)
        for path, text in recipe.files.items():
            home.write(f"{home.project.name}/{path}", text)
        if recipe.folder == "trusted":
            runner.make_trusted(home)
        if not recipe.model:
            yield home, {}
            return
        with fake_model() as model:
            yield home, runner.program.connect(home, model.address)


def _expected_line(ended: Ended, expect: Expect) -> str | None:
    if not expect.line:
        return _last_line(ended)
    found = re.search(expect.line, ended.said, re.MULTILINE)
    if not found:
        return None
    text = ended.said
    start, end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
    line = text[start : end if end >= 0 else len(text)]
    # A long line, such as one of JSON, is cut to what was looked for.
    return line if len(line) <= 200 else f"...{found[0]}..."


def _last_line(ended: Ended) -> str:
    lines = [line for line in ended.said.splitlines() if line.strip()]
    if ended.status is None:
        return "did not end in time"
    errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
    return (errors[:1] or lines[-1:] or [""])[0]
