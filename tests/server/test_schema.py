from typing import Annotated

from pydantic import BaseModel, Field

from server.schema import wire_schema


class Model(BaseModel):
    """Not for the wire."""

    needed: str
    optional: Annotated[int | None, Field(description="a number")] = None
    either: int | str | None = None
    with_default: str = ""


def test_an_optional_field_is_its_type_alone_and_not_required() -> None:
    schema = wire_schema(Model)
    assert schema["properties"]["optional"] == {"type": "integer", "description": "a number", "title": "Optional"}
    assert schema["required"] == ["needed"]


def test_an_optional_choice_keeps_the_other_types() -> None:
    assert wire_schema(Model)["properties"]["either"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]


def test_no_default_is_null_and_others_stay() -> None:
    properties = wire_schema(Model)["properties"]
    assert "default" not in properties["optional"]
    assert properties["with_default"]["default"] == ""


def test_the_models_docstring_is_left_out() -> None:
    assert "description" not in wire_schema(Model)
