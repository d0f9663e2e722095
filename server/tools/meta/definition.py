"""A tool that needs the caller's session: its answer depends on the caller, and a call may load other tools."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from server.tools.definition import LocalTool
from server.tools.meta.session import Outcome, Session


@dataclass(frozen=True, kw_only=True)
class SessionTool(LocalTool):
    """A tool that describes, loads or calls other tools for one caller.

    Attributes:
        handler: makes the answer, or the call of a remote tool, from the caller's session and a request.
    """

    handler: Callable[[Session, Any], Outcome]
