"""The ways to use a tool that is not loaded."""

from dataclasses import dataclass
from typing import Final, Literal

from server.tools.families import FULL


@dataclass(frozen=True)
class RecoveryPath:
    """One way to use a tool that is not loaded.

    Attributes:
        how: what to do, in technical words.
        kind: `restart` the server, `load` within the session, or `call` the tool without loading it.
        tool: the tool that this way takes; empty for a restart.
    """

    how: str
    kind: Literal["restart", "load", "call"]
    tool: str = ""


RESTART: Final = RecoveryPath(f"restart the server with --profile <family> or --profile {FULL}", "restart")
LOADERS: Final = (
    RecoveryPath("call load_family(family=<name>) — preferred", "load", "load_family"),
    RecoveryPath("call smart_load(intent='<plain language>') — easiest", "load", "smart_load"),
    RecoveryPath(
        "call call_tool(name=<tool>, arguments=<object>) — works even if tools/list never changes", "call", "call_tool"
    ),
)
