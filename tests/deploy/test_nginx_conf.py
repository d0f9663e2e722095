"""The configuration of the proxy, in a real nginx."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from deploy.project import DEPLOY
from tests.deploy.callers import HOST
from tests.deploy.proxy import NGINX, needs_nginx
from tests.deploy.replica import SECONDS_TO_END, two_replicas
from tests.server.http_server import free_port, wait_until_it_listens

pytestmark = [pytest.mark.processes, needs_nginx]

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HEADERS = {"Accept": "application/json, text/event-stream", "Host": HOST}


@contextmanager
def deployed(folder: Path, addresses: list[str]) -> Iterator[str]:
    """Yield the address of an nginx with nginx.conf as it is, but for what belongs to this machine."""
    assert NGINX
    port = free_port()
    text = (DEPLOY / "nginx" / "nginx.conf").read_text(encoding="utf-8")
    text = re.sub(r"/tmp\b|/dev/stdout", lambda match: str(folder / match[0].rpartition("/")[2]), text)
    text = text.replace("listen 8080;", f"listen 127.0.0.1:{port};")
    for address in addresses:
        text = re.sub(r"server 10\.[\d.]+:8000", f"server {address}", text, count=1)
    assert "10.213" not in text
    configuration = folder / "nginx.conf"
    configuration.write_text(text, encoding="utf-8")
    (folder / "mcp_proxy.conf").write_bytes((DEPLOY / "nginx" / "mcp_proxy.conf").read_bytes())
    (folder / "tmp").mkdir()
    # A master that runs as root would give its workers to another user.
    command = [NGINX, "-c", str(configuration), "-g", "daemon off; master_process off;", "-e", "stderr"]
    with subprocess.Popen(command) as process:
        try:
            wait_until_it_listens(process, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(SECONDS_TO_END)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("nginx")
    served = two_replicas(folder / "cache", "--metrics", "--allowed-host", HOST)
    with served as replicas, deployed(folder, [replica.address for replica in replicas]) as address:
        yield address


def test_mcp_reaches_a_replica(address: str) -> None:
    assert httpx2.post(f"{address}/mcp", json=PING, headers=HEADERS).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_whether_a_replica_is_ready_can_be_asked(address: str) -> None:
    assert httpx2.get(f"{address}/readyz").status_code in {200, 503}


@pytest.mark.parametrize("path", ["/", "/healthz", "/metrics", "/mcp/", "/nginx.conf"])
def test_nothing_else_is_shown_to_the_outside(address: str, path: str) -> None:
    assert httpx2.get(f"{address}{path}", headers=HEADERS).status_code == 404


def test_the_proxy_does_not_name_its_version(address: str) -> None:
    assert httpx2.get(f"{address}/").headers["Server"] == "nginx"
