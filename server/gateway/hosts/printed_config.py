"""What to put in the place of a host's configuration, so that it starts the gateway over it."""

from collections.abc import Sequence
from pathlib import Path

from server.errors import unknown
from server.gateway.hosts.snippets import ALL_HOSTS, FILES, own_command, snippet


def printed_config(
    host: str,
    files: Sequence[Path],
    variables: Sequence[str] = (),
    *,
    options: Sequence[str] = (),
    cwd: Path | None = None,
) -> str:
    """The host's entry that starts the gateway, after comments on what else to do.

    Args:
        host: one of `ALL_HOSTS`.
        files: the configurations to put behind the gateway.
        variables: environment variables that they refer to (`Configuration.variables`); values are never printed.
        options: further options of the gateway.
        cwd: the working folder; default: the process's.

    Raises:
        CallerError: the host is not known.
    """
    if host not in ALL_HOSTS:
        raise unknown("host", host, ALL_HOSTS, "choose one of these")
    folder = cwd or Path.cwd()
    paths = [(folder / path.expanduser()).resolve() for path in files]
    command = [*own_command(), "gateway", *(part for path in paths for part in ("--config", str(path))), *options]
    return "\n".join([*_advice(host, paths, variables, folder), snippet(host, command, variables)])


def _advice(host: str, paths: Sequence[Path], variables: Sequence[str], folder: Path) -> list[str]:
    place = FILES[host]
    target = (folder / Path(place).expanduser()).resolve()
    replaced = [path for path in paths if path == target or (host == "claude-desktop" and path.name == place)]
    lines = [
        f"# this goes in the place of {path}: rename that file first, and give --config its new name"
        for path in replaced
    ]
    if host == "claude-desktop" and variables:
        lines.append(f"# Claude Desktop expands no references: set {', '.join(variables)} where it is started")
    return lines
