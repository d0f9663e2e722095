"""What an entry says before any reference is expanded: how to reach the server, its limits, its tools."""

from typing import Any, Final, Literal
from urllib.parse import urlsplit

from server.gateway.configuration.fields import LONGEST, Entry
from server.gateway.configuration.forms import Form

Transport = Literal["stdio", "http", "sse"]

_TRANSPORTS: Final[dict[str, Transport]] = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable": "http",
    "streamablehttp": "http",
    "remote": "http",
    "sse": "sse",
}
ADDRESSES: Final = ("httpUrl", "url", "serverUrl")
"""Keys of an address, the first that is there counts."""


class SkippedEntryError(Exception):
    """The entry is left out.

    Attributes:
        reason: why, in three parts.
        expected: it is left out on purpose.
    """

    def __init__(self, entry: Entry, value: str, rule: str, next_step: str, *, expected: bool = False):
        super().__init__(f"{entry.where} {value}; {rule}; {next_step}")
        self.reason = str(self)
        self.expected = expected


def transport_of(entry: Entry) -> Transport:
    """How to reach the server.

    Raises:
        SkippedEntryError: the file does not say it, or in a way that the gateway cannot.
        CallerError: a field has a wrong type.
    """
    address = entry.text(*ADDRESSES)
    has_command = entry.table.get("command") not in (None, "", [], [""])
    written = entry.text("type", "transport")
    if written is None:
        default = "sse" if address and address.partition("?")[0].rstrip("/").endswith("/sse") else "http"
        named = "stdio" if has_command else default
    else:
        named = written
    transport = _TRANSPORTS.get(named.casefold().replace("-", "").replace("_", ""))
    if transport is None:
        known = "transports are stdio, http (streamable) and sse"
        raise SkippedEntryError(entry, f"has the transport {named[:40]!r}", known, "give it one of these")
    if not (has_command if transport == "stdio" else address):
        needed = "stdio needs 'command'; http and sse need 'url'"
        raise SkippedEntryError(entry, "names neither program nor address", needed, "add it to the file")
    return transport


def limits_of(entry: Entry, form: Form) -> dict[str, Any]:
    """The time limits that are set, as attributes of an upstream."""
    given = entry.seconds("timeout") if form.limits_calls else None
    # Hosts count in milliseconds; nobody means less than a second, so a smaller number is one of seconds.
    timeout = entry.seconds("tool_timeout_sec") or (given / 1000 if given and given >= 1000 else given)
    startup = entry.seconds("startup_timeout_sec") or (entry.seconds("startup_timeout_ms") or 0) / 1000
    limits = {"timeout": timeout, "startup_timeout": startup or None}
    return {key: min(value, LONGEST) for key, value in limits.items() if value is not None}


def tools_of(entry: Entry) -> dict[str, Any]:
    """The tools to offer or not, as attributes of an upstream."""
    tools = ("tools",) if isinstance(entry.table.get("tools"), list) else ()
    include = entry.texts("includeTools", "enabled_tools", "enabledTools", *tools)
    exclude = entry.texts("excludeTools", "disabled_tools", "disabledTools") or ()
    if include is not None and not include:
        return {"exclude": ("*",)}
    # Gemini CLI accepts names with parameters in parentheses.
    names = tuple(name.partition("(")[0].strip() for name in include or ())
    return {"include": () if "*" in names else names, "exclude": exclude}


def is_web_address(url: str) -> bool:
    """Whether it is an address of http or https with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
