"""A real nginx in front of replicas, with the settings that are deployed, and without any privilege."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.deploy.replica import SECONDS_TO_END, Replica
from tests.server.http_server import free_port, wait_until_it_listens

NGINX: Final = shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))
SETTINGS: Final = Path(__file__).resolve().parents[2] / "deploy" / "nginx" / "mcp_proxy.conf"

needs_nginx = pytest.mark.skipif(NGINX is None or os.name != "posix", reason="needs nginx and POSIX signals")

TEMPORARY: Final = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
CONFIGURATION: Final = """
daemon off;
master_process off;  # a master that runs as root would give its worker to another user
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    {temporary}
    log_format upstreams '$status $upstream_addr';
    access_log {folder}/access.log upstreams;
    upstream replicas {{
        {servers}
        keepalive 16;
    }}
    server {{
        listen 127.0.0.1:{port};
        location = /mcp {{ include {settings}; }}
    }}
}}
"""


@dataclass(frozen=True)
class Proxied:
    """One request in the proxy's log: what the client was answered, and the replicas asked, in order."""

    status: int
    asked: list[str]


@dataclass(frozen=True)
class Proxy:
    """A running nginx."""

    address: str
    folder: Path

    def log(self) -> list[Proxied]:
        lines = (self.folder / "access.log").read_text(encoding="utf-8").splitlines()
        fields = [line.partition(" ") for line in lines]
        return [Proxied(int(status), asked.split(", ")) for status, _, asked in fields]


@contextmanager
def proxy_of(replicas: Sequence[Replica], folder: Path) -> Iterator[Proxy]:
    """Yield an nginx that is stopped at the end."""
    assert NGINX
    port = free_port()
    configuration = folder / "nginx.conf"
    content = CONFIGURATION.format(
        folder=folder,
        temporary=" ".join(f"{name}_temp_path {folder / name};" for name in TEMPORARY),
        servers=" ".join(f"server {replica.address} max_fails=0;" for replica in replicas),
        port=port,
        settings=SETTINGS,
    )
    configuration.write_text(content, encoding="utf-8")
    command = [NGINX, "-p", str(folder), "-c", str(configuration), "-e", str(folder / "error.log")]
    with subprocess.Popen(command) as process:
        try:
            wait_until_it_listens(process, port)
            yield Proxy(f"http://127.0.0.1:{port}/mcp", folder)
        finally:
            process.terminate()
            process.wait(SECONDS_TO_END)
