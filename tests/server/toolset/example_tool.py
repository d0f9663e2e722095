"""`picture_count`: an example of a tool, added by this module and a line of the registry."""

from typing import Annotated

from pydantic import Field

from server.matching.service import Service
from server.tools.answers import Answer
from server.tools.definition import Request, ServiceTool


class PictureRequest(Request):
    """Arguments of `picture_count`."""

    frame: Annotated[str, Field(description="a gilded or a plain frame")] = "plain"


class PictureAnswer(Answer):
    """Answer of `picture_count`."""

    hung_pictures: int
    frame: str


def picture_count(service: Service, request: PictureRequest) -> PictureAnswer:
    """Count agents as if they were pictures."""
    return PictureAnswer(hung_pictures=len(service.catalog.agents), frame=request.frame)


TOOL = ServiceTool(
    name="picture_count",
    title="Count the pictures",
    family="catalog",
    description="How many pictures hang in the gallery, gilded or plain.",
    docs="Give the frame if it matters. Pictures are hung, seen and counted by hand; an image on the floor is not.",
    request=PictureRequest,
    answer=PictureAnswer,
    handler=picture_count,
)
