"""A tool that needs the caller's session: its answer depends on the caller, and a call may load other tools."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from server.tools.answers import Answer
from server.tools.definition import Tool
from server.tools.meta.session import Session


@dataclass(frozen=True, kw_only=True)
class SessionTool(Tool):
    """A tool that describes, loads or calls other tools for one caller.

    Attributes:
        handler: makes the answer from the caller's session and a request.
    """

    handler: Callable[[Session, Any], Answer]
