"""What prompts and recordings share as parts of JSON files."""

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from server.errors import CallerError, brief


class Part(BaseModel):
    """A part of a file: camelCase outside; unknown fields are passed over."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")


def misshapen(error: ValidationError, where: str) -> CallerError:
    """The error for what is not of the shape: the first field that is wrong, and what it must be."""
    first = error.errors(include_url=False)[0]
    place = ": ".join([where, ".".join(str(part) for part in first["loc"])]) if first["loc"] else where
    return CallerError(f"{place} is {brief(first['input'])}; {first['msg'].lower()}; mend it")
