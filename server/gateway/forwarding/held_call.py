"""An upstream call that goes on between the requests of its caller."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import anyio
import mcp_types as types
from pydantic import ValidationError

from server.errors import CallerError
from server.gateway.forwarding import questions
from server.gateway.forwarding.caller import Caller, Context
from server.gateway.upstreams.forwarding import Forwarding


@dataclass(frozen=True)
class Binding:
    """The request that a state belongs to.

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
        """Return the binding of a call."""
        text = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
        return cls(identity, target, hashlib.sha256(text.encode()).hexdigest())


def answers(context: Context) -> types.InputResponseRequestParams:
    """Return the answers and the state of a request, where it has them.

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
    """Return the error for a state of which no call is held."""
    return CallerError(
        "the call that these answers belong to is no longer held; a call is held for "
        f"{seconds:g} seconds, in the process that began it, and each state is good for one request; check whether it "
        "had effects, then call again without requestState and inputResponses"
    )


def other_call() -> CallerError:
    """Return the error for a state that was given for another call, or to another caller."""
    return CallerError(
        "this requestState belongs to another call; it continues only the call that it was given for, by the same "
        "caller and with the same name and arguments; repeat that call unchanged, or call without requestState and "
        "inputResponses"
    )


GATHER: Final = 0.02
"""Seconds that further questions are waited for, so that they are answered in one round."""

Start = Callable[[Forwarding], Awaitable[Any]]
"""Starts the upstream call with where its messages go."""


@dataclass
class _Question:
    request: types.ElicitRequest
    answer: types.ElicitResult | None = None
    answered: anyio.Event = field(default_factory=anyio.Event)


class HeldCall:
    """One call: it runs until it ends or is cancelled, and its caller's requests wait for it one after another.

    Attributes:
        binding: whose call of what.
        caller: the request that waits now, if one does.
        state: the newest state given for it.
        ended: whether there is a result, or an error.
    """

    def __init__(self, binding: Binding, caller: Caller) -> None:
        self.binding, self.caller = binding, caller
        self.state = ""
        self._first = caller.request
        self._scope = anyio.CancelScope()
        self._changed, self._taken = anyio.Event(), anyio.Event()
        self._questions: dict[str, _Question] = {}
        self._asked = 0
        self.ended = False
        self._outcome: Callable[[], Any] = _cancelled

    @property
    def open(self) -> dict[str, types.InputRequest]:
        """Questions without an answer."""
        return {key: asked.request for key, asked in self._questions.items() if asked.answer is None}

    async def run(self, start: Start) -> None:
        """Run the call and keep its outcome until a request takes it."""
        forward = replace(self.caller.forwarding(), elicit=questions.callback(self._ask))
        try:
            with self._scope:
                self._outcome = await _outcome(start, forward)
                self._end()
                await self._taken.wait()
        finally:
            self._end()

    async def wait(self) -> None:
        """Wait until the call has ended or has questions."""
        while not self.ended:
            if not self.open:
                await self._changed.wait()
                continue
            await anyio.sleep(GATHER)
            # The upstream may have taken its question back.
            if self.open:
                return

    def result(self) -> Any:
        """Return the call's result; raises its error."""
        self._taken.set()
        return self._outcome()

    def cancel(self) -> None:
        """Cancel the upstream call."""
        self._scope.cancel()

    def hold(self, state: str, seconds: float) -> None:
        """Let the call go on without a request, for a limited time."""
        self.state, self.caller.request = state, None
        self._scope.deadline = anyio.current_time() + seconds

    def resume(self, request: Context, answers: Mapping[str, types.InputResponse]) -> None:
        """Answer questions for a new request, which then waits for the call."""
        self.caller.request = request
        self._scope.deadline = float("inf")
        for key, answer in answers.items():
            asked = self._questions.get(key)
            if asked and isinstance(answer, types.ElicitResult):
                asked.answer = answer
                asked.answered.set()

    async def _ask(self, params: types.ElicitRequestParams) -> types.ElicitResult:
        question = questions.question(params, self.caller.upstream.name)
        if question is None or self._first is None or not questions.can_answer(self._first, params):
            return self.caller.declined("the caller cannot be asked, or the question is too large")
        self._asked += 1
        key = f"question-{self._asked}"
        asked = self._questions[key] = _Question(questions.to_embed(question))
        self._wake()
        try:
            await asked.answered.wait()
        finally:
            del self._questions[key]
        return asked.answer or types.ElicitResult(action="cancel")

    def _end(self) -> None:
        self.ended = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


async def _outcome(start: Start, forward: Forwarding) -> Callable[[], Any]:
    """Return the call's result, or its error, as a function that returns or raises it."""
    try:
        result = await start(forward)
    except Exception as error:
        return _raising(error)
    return lambda: result


def _raising(error: Exception) -> Callable[[], Any]:
    def raises() -> Any:
        raise error

    return raises


def _cancelled() -> Any:
    raise CallerError("this call was cancelled by the gateway; it is stopping, or nobody waited; call again later")
