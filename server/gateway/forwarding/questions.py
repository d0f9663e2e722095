"""Questions of upstreams (elicitation): who can be asked, what is shown, and asking a legacy caller."""

import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.client.session import ClientRequestContext, ElicitationFnT
from mcp.server.context import ServerRequestContext

from embeddings.labels.tool_list import LONGEST_TEXT
from embeddings.text.invisible import visible
from server.gateway.tool_catalog.guards import SchemaCleaner, excess

Context = ServerRequestContext[Any, Any]


Answer = types.ElicitResult | types.ErrorData


def callback(ask: Callable[[types.ElicitRequestParams], Awaitable[Answer]]) -> ElicitationFnT:
    """Return a function that answers questions, as the SDK's client calls it."""

    async def answer(context: ClientRequestContext, params: types.ElicitRequestParams) -> Answer:  # noqa: ARG001
        return await ask(params)

    return answer


def can_answer(context: Context, params: types.ElicitRequestParams) -> bool:
    """Return whether the caller declared that its user can answer a question of this kind."""
    capabilities = context.session.client_capabilities
    declared = capabilities.elicitation if capabilities else None
    if declared is None:
        return False
    if isinstance(params, types.ElicitRequestURLParams):
        return declared.url is not None
    # A declaration without a mode means forms.
    return declared.form is not None or declared.url is None


def question(params: types.ElicitRequestParams, server: str) -> types.ElicitRequestParams | None:
    """Return the question as the user sees it: it names the server that asks, and hides nothing.

    None if it is too large.
    """
    message = f"[{server}] {visible(params.message[:LONGEST_TEXT], one_line=False)}"
    if isinstance(params, types.ElicitRequestURLParams):
        return types.ElicitRequestURLParams(message=message, url=params.url, elicitation_id=params.elicitation_id)
    if excess(params.requested_schema):
        return None
    schema = SchemaCleaner().clean(params.requested_schema)
    return types.ElicitRequestFormParams(message=message, requested_schema=schema)


async def ask(context: Context, question: types.ElicitRequestParams) -> types.ElicitResult:
    """Ask a legacy caller within its request.

    Raises:
        MCPError: the caller answered with an error, or cannot be reached.
    """
    if isinstance(question, types.ElicitRequestURLParams):
        # An upstream of 2026-07-28 gives no identifier, which legacy callers need.
        known = question.elicitation_id or secrets.token_urlsafe(16)
        return await context.session.elicit_url(question.message, question.url, known, context.request_id)
    return await context.session.elicit_form(question.message, question.requested_schema, context.request_id)


def to_embed(question: types.ElicitRequestParams) -> types.ElicitRequest:
    """Return the question as part of a result of 2026-07-28, which has no identifiers of questions."""
    if isinstance(question, types.ElicitRequestURLParams):
        question = types.ElicitRequestURLParams(message=question.message, url=question.url)
    return types.ElicitRequest(params=question)
