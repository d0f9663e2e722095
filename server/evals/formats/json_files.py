"""Shared by the JSON files of an evaluation: the base class of their models, and checks with their errors."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from server.errors import CallerError, brief


class JsonModel(BaseModel):
    """Base of the models: camelCase in JSON; unknown fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")


def shape_error(error: ValidationError, where: str) -> CallerError:
    """The error for JSON of the wrong shape: names the first wrong field and the rule for it."""
    first = error.errors(include_url=False)[0]
    place = ": ".join([where, ".".join(str(part) for part in first["loc"])]) if first["loc"] else where
    return CallerError(f"{place} is {brief(first['input'])}; {first['msg'].lower()}; fix it")


def first_repeated(inputs: Iterable[str]) -> str | None:
    """The first input that appears a second time; inputs identify prompts, so none may."""
    seen: set[str] = set()
    for text in inputs:
        if text in seen:
            return text
        seen.add(text)
    return None
