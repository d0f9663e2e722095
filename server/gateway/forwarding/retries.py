"""A caller's second request for a call: its answers and its state, and which call the state belongs to."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import mcp_types as types
from pydantic import ValidationError

from server.errors import CallerError
from server.gateway.forwarding.caller import Context


@dataclass(frozen=True)
class Binding:
    """What a state belongs to.

    Attributes:
        identity: the caller.
        target: what is called.
        digest: of the arguments.
    """

    identity: str | None
    target: str
    digest: str

    @classmethod
    def of(cls, identity: str | None, target: str, arguments: Mapping[str, Any]) -> Self:
        """The binding of a call."""
        text = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
        return cls(identity, target, hashlib.sha256(text.encode()).hexdigest())


def answers(context: Context) -> types.InputResponseRequestParams:
    """The answers and the state of a request, where it has them.

    Raises:
        CallerError: they cannot be read.
    """
    params = context.params or {}
    given = {key: params[key] for key in ("inputResponses", "requestState") if params.get(key) is not None}
    try:
        return types.InputResponseRequestParams.model_validate(given, by_name=False)
    except ValidationError as error:
        raise CallerError(
            "inputResponses or requestState cannot be read; they map the keys of inputRequests to answers, and repeat "
            "the state as it was given; correct them and call again"
        ) from error


def not_held(seconds: float) -> CallerError:
    """The error for a state of which no call is held."""
    return CallerError(
        "the call that these answers belong to is no longer held; a call is held for "
        f"{seconds:g} seconds, in the process that began it, and each state is good for one request; check whether it "
        "had effects, then call again without requestState and inputResponses"
    )


def other_call() -> CallerError:
    """The error for a state that was given for another call, or to another caller."""
    return CallerError(
        "this requestState belongs to another call; it continues only the call that it was given for, by the same "
        "caller and with the same name and arguments; repeat that call unchanged, or call without requestState and "
        "inputResponses"
    )
