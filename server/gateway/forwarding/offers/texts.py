"""Prompts and resources as callers see them: under the gateway's name, with texts that hide nothing and are bounded."""

from typing import Final

import mcp_types as types

from embeddings.labels.tool_entry import LONGEST_NAME, LONGEST_TEXT
from embeddings.text.visible import first_hidden, visible
from server.gateway.forwarding.addresses import address

LONGEST_ADDRESS: Final = 8_000
"""Maximum characters of an upstream's address; listed ones are shorter, or left out."""

MOST_ARGUMENTS: Final = 100
"""Maximum arguments of a prompt that is listed."""


def usable(identifier: str) -> bool:
    """Whether a name or an address can be shown: it hides nothing, and has no spaces at its ends.

    It goes back to the upstream as it is, so it cannot be cleaned.
    """
    return (
        bool(identifier.strip())
        and len(identifier) <= LONGEST_ADDRESS
        and first_hidden(identifier, one_line=True) is None
    )


def resource(server: str, listed: types.Resource) -> types.Resource:
    """A resource under the gateway's address. Icons and `_meta` are left out."""
    return types.Resource(
        uri=address(server, listed.uri),
        name=_line(listed.name) or "",
        title=_line(listed.title),
        description=_text(listed.description),
        mime_type=_line(listed.mime_type),
        size=listed.size,
        annotations=listed.annotations,
    )


def template(server: str, listed: types.ResourceTemplate) -> types.ResourceTemplate:
    """A template of the gateway's addresses. Icons and `_meta` are left out."""
    return types.ResourceTemplate(
        uri_template=address(server, listed.uri_template),
        name=_line(listed.name) or "",
        title=_line(listed.title),
        description=_text(listed.description),
        mime_type=_line(listed.mime_type),
        annotations=listed.annotations,
    )


def prompt(name: str, listed: types.Prompt) -> types.Prompt:
    """A prompt under the gateway's name. Icons and `_meta` are left out."""
    arguments = [
        types.PromptArgument(
            name=argument.name,
            title=_line(argument.title),
            description=_text(argument.description),
            required=argument.required,
        )
        for argument in listed.arguments or ()
    ]
    return types.Prompt(
        name=name,
        title=_line(listed.title),
        description=_text(listed.description),
        arguments=arguments if listed.arguments is not None else None,
    )


def usable_prompt(listed: types.Prompt) -> bool:
    """Whether a prompt can be shown; the names of its arguments go back to the upstream, too."""
    names = [argument.name for argument in listed.arguments or ()]
    return len(names) <= MOST_ARGUMENTS and all(usable(name) for name in (listed.name, *names))


def _line(text: str | None) -> str | None:
    return None if text is None else visible(text[:LONGEST_NAME], one_line=True).strip()


def _text(text: str | None) -> str | None:
    return None if text is None else visible(text[:LONGEST_TEXT], one_line=False).strip()
