"""How a server was started: which tools it advertises to whom, and the ways to the others that follow from it."""

from dataclasses import dataclass
from typing import Final

from server.allowlist import Allowlist
from server.profiles import FULL, profile_of
from server.surface import Naming, Profile, RecoveryPath

NAMING: Final = Naming("agent-capability")

RESTART: Final = RecoveryPath(f"restart the server with --profile <family> or --profile {FULL}", "restart")
LOADERS: Final = (
    RecoveryPath("call load_family(family=<name>) — preferred", "load"),
    RecoveryPath("call smart_load(intent='<plain language>') — easiest", "load"),
    RecoveryPath("call call_tool(name=<tool>, arguments=<object>) — works even if tools/list never changes", "call"),
)


@dataclass(frozen=True)
class Start:
    """How the server was started.

    Attributes:
        profile: families that everyone has from the start.
        dynamic: whether tools can be loaded on demand.
        full_wire: whether `tools/list` keeps every description.
        allowlist: who may use what; everyone everything when None.
    """

    profile: Profile = profile_of(())  # noqa: RUF009 -- a frozen value
    dynamic: bool = False
    full_wire: bool = False
    allowlist: Allowlist | None = None
